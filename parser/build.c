#include "parser/build.h"

#include "base/edit_distance.h"
#include "grammar/grammar.h"

#include "sql.h"

#include <stdio.h>
#include <string.h>

// ---- memory, places, errors ----
void lt_build_fail(lt_builder *b, lt_condition condition, const lt_place *place, const char *format, ...) {
    if (b->status != LEAT_OK) return;
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    b->status = lt_raise(b->err, condition, place, "%s", text);
}

void lt_build_too_deep(lt_builder *b) {
    lt_build_fail(b, LT_LIMIT_EXCEEDED, &b->tokens[b->at].place, "nested more than %d deep; use views or CTEs",
                  LT_AST_DEPTH_MAX);
}

// Zeroed memory; the type's spare when there is none left.
static void *memory_zero(lt_builder *b, size_t bytes, void *spare) {
    void *memory = b->status == LEAT_OK ? lt_arena_zero(b->arena, bytes) : NULL;
    if (memory != NULL) return memory;
    if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
    memset(spare, 0, bytes);
    return spare;
}

// The same for what counts as a node of the tree.
static void *node(lt_builder *b, size_t bytes, void *spare) {
    if (++b->node_count > LT_AST_NODES_MAX)
        lt_build_fail(b, LT_LIMIT_EXCEEDED, &b->tokens[b->at].place, "a statement of more than %d parts",
                      LT_AST_NODES_MAX);
    return memory_zero(b, bytes, spare);
}

#define NEW(b, type) ((type *)node((b), sizeof(type), &(b)->spare.type))
#define NEW_LIST(b, type) ((type *)memory_zero((b), sizeof(type), &(b)->spare.type))

static lt_ast_text text_copy(lt_builder *b, const char *text, size_t bytes) {
    const char *copy = lt_arena_text(b->arena, text, bytes);
    if (copy == NULL && b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
    return copy == NULL ? (lt_ast_text){"", 0} : (lt_ast_text){copy, (uint32_t)bytes};
}

static lt_place span(const lt_place *first, const lt_place *last) {
    if (first->line == 0) return *last;
    lt_place place = *first;
    if (last->line != 0 && last->offset + last->bytes > first->offset)
        place.bytes = last->offset + last->bytes - first->offset;
    return place;
}

// Room for one more item of `item_bytes` behind `count`; false when there is no memory.
static bool list_grow(lt_builder *b, void **items, uint32_t count, uint32_t *capacity, size_t item_bytes) {
    if (b->status != LEAT_OK) return false;
    if (count < *capacity) return true;
    uint32_t more  = *capacity == 0 ? 4 : *capacity * 2;
    void    *moved = lt_arena_alloc(b->arena, more * item_bytes);
    if (moved == NULL) {
        b->status = lt_raise_no_memory(b->err);
        return false;
    }
    if (count > 0) memcpy(moved, *items, count * item_bytes);
    *items    = moved;
    *capacity = more;
    return true;
}

#define LIST_PUSH(b, list, item)                                                                                       \
    do {                                                                                                               \
        void *list_items = (list)->items;                                                                              \
        if (list_grow((b), &list_items, (list)->count, &(list)->capacity, sizeof *(list)->items)) {                    \
            (list)->items                  = list_items;                                                               \
            (list)->items[(list)->count++] = (item);                                                                   \
        }                                                                                                              \
    } while (0)

// Defines a list builder: NULL begins a list.
#define LIST_BUILDER(name, list_type, parameter, item)                                                                 \
    list_type *name(lt_builder *b, list_type *list, parameter) {                                                       \
        if (list == NULL) list = NEW_LIST(b, list_type);                                                               \
        LIST_PUSH(b, list, item);                                                                                      \
        return list;                                                                                                   \
    }

// ---- names and texts ----
lt_ast_name lt_build_no_name(void) { return (lt_ast_name){0}; }

lt_ast_name lt_build_name(lt_builder *b, const lt_token *token) {
    lt_ast_name name = {.place = token->place};
    if (token->kind != LT_SCAN_QUOTED_NAME) {
        lt_ast_text text = text_copy(b, token->text, token->bytes);
        name.text        = text.text;
        name.bytes       = text.bytes;
        name.quoted      = token->verbatim;
        return name;
    }
    char *text  = lt_arena_alloc(b->arena, token->bytes);
    name.quoted = true;
    name.text   = "";
    if (text == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return name;
    }
    for (uint32_t i = 1; i + 1 < token->bytes; i++) {
        text[name.bytes++] = token->text[i];
        if (token->text[i] == '`') i++;
    }
    text[name.bytes] = '\0';
    name.text        = text;
    return name;
}

LIST_BUILDER(lt_build_names, lt_ast_names, const lt_ast_name *name, *name)
LIST_BUILDER(lt_build_name_lists, lt_ast_name_lists, const lt_ast_names *names, *names)

static size_t utf8_encode(uint32_t code, char *out) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

// The value of `digits` digits of `base` at `text`, or -1 when one of them is none.
static int64_t escape_code(const char *text, const char *end, size_t digits, uint32_t base) {
    if ((size_t)(end - text) < digits) return -1;
    int64_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        char     c     = text[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 99;
        if (digit >= base) return -1;
        code = code * base + digit;
    }
    return code;
}

// The escape behind a backslash at `*at`; moves behind it. `\%` and `\_` keep the backslash for LIKE, `\x` is x.
static size_t escape_decode(const char **at, const char *end, char *out) {
    static const char letters[] = "nrtb0Z", values[] = "\n\r\t\b\0\x1a";
    const char        c = **at;
    int64_t code = c == 'u' ? escape_code(*at + 1, end, 4, 16) : c == 'U' ? escape_code(*at + 1, end, 8, 16) : -1;
    if (code >= 0 && code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000)) {
        *at += c == 'u' ? 5 : 9;
        return utf8_encode((uint32_t)code, out);
    }
    if (c == 'u' && code >= 0xD800 && code < 0xDC00 && end - *at >= 11 && (*at)[5] == '\\' && (*at)[6] == 'u') {
        int64_t low = escape_code(*at + 7, end, 4, 16);
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 11;
            return utf8_encode((uint32_t)(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), out);
        }
    }
    code = c >= '0' && c <= '3' ? escape_code(*at, end, 3, 8) : -1;
    if (code >= 0) {
        *at += 3;
        return utf8_encode((uint32_t)code, out);
    }
    *at += 1;
    const char *letter = memchr(letters, c, sizeof letters - 1);
    if (letter != NULL) {
        out[0] = values[letter - letters];
        return 1;
    }
    if (c == '%' || c == '_') {
        out[0] = '\\';
        out[1] = c;
        return 2;
    }
    out[0] = c;
    return 1;
}

// Decodes one string token; the value is never longer than its spelling.
static lt_ast_text string_decode(lt_builder *b, const lt_token *token) {
    char *out = lt_arena_alloc(b->arena, (size_t)token->bytes + 1);
    if (out == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return (lt_ast_text){"", 0};
    }
    const bool  is_raw = token->text[0] == 'r' || token->text[0] == 'R';
    const char *at     = token->text + (is_raw || token->kind == LT_SCAN_HEX_STRING ? 2 : 1);
    const char *end    = token->text + token->bytes - 1;
    const char  quote  = *end;
    size_t      bytes  = 0;
    while (at < end) {
        if (!is_raw && *at == '\\' && end - at > 1) {
            at++;
            bytes += escape_decode(&at, end, out + bytes);
        } else {
            out[bytes++] = *at;
            at += !is_raw && *at == quote ? 2 : 1;
        }
    }
    out[bytes] = '\0';
    return (lt_ast_text){out, (uint32_t)bytes};
}

lt_string lt_build_no_string(void) { return (lt_string){0}; }

lt_string lt_build_string(lt_builder *b, const lt_string *head, const lt_token *token) {
    lt_ast_text text = string_decode(b, token);
    if (head == NULL) return (lt_string){text, token->place};
    char *joined = lt_arena_alloc(b->arena, (size_t)head->text.bytes + text.bytes + 1);
    if (joined == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return *head;
    }
    memcpy(joined, head->text.text, head->text.bytes);
    memcpy(joined + head->text.bytes, text.text, (size_t)text.bytes + 1);
    return (lt_string){{joined, head->text.bytes + text.bytes}, span(&head->place, &token->place)};
}

// Of the last part; a list is empty only after an error.
static lt_place names_place(const lt_builder *b, const lt_ast_names *names) {
    return names->count > 0 ? names->items[names->count - 1].place : b->tokens[b->at].place;
}

static bool name_is(const lt_ast_name *name, const char *word) {
    return !name->quoted && name->bytes == strlen(word) && lt_text_equal_without_case(name->text, word, name->bytes);
}

// ---- types ----
lt_ast_type *lt_build_type(lt_builder *b, const lt_ast_name *name) {
    lt_ast_type *type = NEW(b, lt_ast_type);
    type->name        = *name;
    type->place       = name->place;
    return type;
}

lt_ast_type *lt_build_type_collated(lt_builder *b, const lt_ast_name *name, const lt_ast_name *collation) {
    lt_ast_type *type = lt_build_type(b, name);
    LIST_PUSH(b, &type->collation, *collation);
    type->place = span(&name->place, &collation->place);
    return type;
}

lt_ast_type *lt_build_type_sized(lt_builder *b, const lt_ast_name *name, const lt_ast_names *numbers,
                                 const lt_token *end) {
    lt_ast_type *type = lt_build_type(b, name);
    type->parameters  = *numbers;
    type->place       = span(&name->place, &end->place);
    return type;
}

lt_ast_type *lt_build_type_without_zone(lt_builder *b, const lt_ast_name *name, const lt_token *end) {
    lt_ast_type *type  = lt_build_type(b, name);
    type->without_zone = true;
    type->place        = span(&name->place, &end->place);
    return type;
}

// The token spans `INTERVAL unit [TO unit]`; the filter has seen to that.
lt_ast_type *lt_build_type_interval(lt_builder *b, const lt_token *token) {
    lt_ast_name words[4] = {0};
    size_t      count    = 0;
    for (uint32_t i = 0; i < token->bytes && count < 4;) {
        uint32_t begin = i;
        while (i < token->bytes && ((token->text[i] | 32) >= 'a' && (token->text[i] | 32) <= 'z')) i++;
        if (i == begin) {
            i++;
            continue;
        }
        lt_token word  = {.kind = LT_SCAN_WORD, .text = token->text + begin, .bytes = i - begin, .place = token->place};
        words[count++] = lt_build_name(b, &word);
    }
    lt_ast_type *type = lt_build_type(b, &words[0]);
    type->from        = words[1];
    type->to          = words[3];
    type->place       = token->place;
    return type;
}

lt_ast_type *lt_build_type_nested(lt_builder *b, const lt_ast_name *name, const lt_ast_types *nested,
                                  const lt_token *end) {
    lt_ast_type *type     = lt_build_type(b, name);
    type->nested          = *nested;
    type->has_brackets    = true;
    type->place           = span(&name->place, &end->place);
    const uint32_t wanted = name_is(name, "MAP") ? 2 : 1;
    if (nested->count != wanted)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &type->place, "syntax error: `%s` takes %u type%s", name->text, wanted,
                      wanted == 1 ? "" : "s");
    return type;
}

lt_ast_type *lt_build_type_struct(lt_builder *b, const lt_token *word, const lt_ast_fields *fields,
                                  const lt_token *end) {
    lt_ast_name  name = lt_build_name(b, word);
    lt_ast_type *type = lt_build_type(b, &name);
    if (fields != NULL) type->fields = *fields;
    type->has_brackets = true;
    type->place        = span(&word->place, &end->place);
    return type;
}

lt_ast_type *lt_build_schema(lt_builder *b, const lt_ast_fields *fields) {
    lt_ast_type *type  = NEW(b, lt_ast_type);
    type->name         = (lt_ast_name){.text = "STRUCT", .bytes = 6};
    type->fields       = *fields;
    type->has_brackets = true;
    return type;
}

LIST_BUILDER(lt_build_types, lt_ast_types, lt_ast_type *type, type)
LIST_BUILDER(lt_build_fields, lt_ast_fields, const lt_ast_field *field, *field)

lt_ast_names *lt_build_numbers(lt_builder *b, lt_ast_names *list, const lt_token *token) {
    lt_token number = *token;
    number.kind     = LT_SCAN_WORD;
    if (token->negative || memchr(token->text, '.', token->bytes) != NULL)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error: a type takes whole numbers only");
    lt_ast_name name = lt_build_name(b, &number);
    return lt_build_names(b, list, &name);
}

lt_ast_field lt_build_field(const lt_ast_name *name, lt_ast_type *type, bool not_null, lt_ast_text comment) {
    return (lt_ast_field){.name = *name, .type = type, .not_null = not_null, .comment = comment};
}

// ---- expressions ----
static lt_ast_expression *expression(lt_builder *b, lt_ast_expression_kind kind, const lt_place *place) {
    lt_ast_expression *e = NEW(b, lt_ast_expression);
    e->kind              = kind;
    e->depth             = 1;
    e->place             = *place;
    return e;
}

static void depth_raise(lt_builder *b, lt_ast_expression *e, uint32_t inner) {
    if (inner + 1 > LT_AST_DEPTH_MAX) {
        lt_build_too_deep(b);
        return;
    }
    if (e->depth < inner + 1) e->depth = (uint16_t)(inner + 1);
}

static void argument_add(lt_builder *b, lt_ast_expression *e, lt_ast_expression *argument) {
    LIST_PUSH(b, &e->arguments, argument);
    depth_raise(b, e, argument->depth);
}

static void arguments_set(lt_builder *b, lt_ast_expression *e, const lt_ast_expressions *arguments) {
    if (arguments == NULL) return;
    e->arguments = *arguments;
    for (uint32_t i = 0; i < arguments->count; i++) depth_raise(b, e, arguments->items[i]->depth);
}

LIST_BUILDER(lt_build_expressions, lt_ast_expressions, lt_ast_expression *item, item)

lt_ast_expression *lt_build_chain(lt_builder *b, lt_ast_expression_kind kind, lt_ast_expression *left,
                                  lt_ast_expression *right) {
    if (left->kind == kind && !left->parenthesized && b->status == LEAT_OK) {
        argument_add(b, left, right);
        left->place = span(&left->place, &right->place);
        return left;
    }
    lt_place           place = span(&left->place, &right->place);
    lt_ast_expression *e     = expression(b, kind, &place);
    argument_add(b, e, left);
    argument_add(b, e, right);
    return e;
}

lt_ast_expression *lt_build_not(lt_builder *b, const lt_token *token, lt_ast_expression *argument) {
    lt_place           place = span(&token->place, &argument->place);
    lt_ast_expression *e     = expression(b, LT_AST_NOT, &place);
    argument_add(b, e, argument);
    return e;
}

lt_ast_expression *lt_build_exists(lt_builder *b, const lt_token *token, lt_ast_query *query) {
    lt_place           place = span(&token->place, &query->place);
    lt_ast_expression *e     = expression(b, LT_AST_EXISTS, &place);
    e->query                 = query;
    depth_raise(b, e, query->depth);
    return e;
}

lt_ast_expression *lt_build_between(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_expression *low,
                                    lt_ast_expression *high) {
    lt_place           place = span(&value->place, &high->place);
    lt_ast_expression *e     = expression(b, LT_AST_BETWEEN, &place);
    e->negated               = negated;
    argument_add(b, e, value);
    argument_add(b, e, low);
    argument_add(b, e, high);
    return e;
}

lt_ast_expression *lt_build_in(lt_builder *b, lt_ast_expression *value, bool negated, const lt_ast_expressions *list,
                               const lt_token *end) {
    lt_place           place = span(&value->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_IN, &place);
    e->negated               = negated;
    argument_add(b, e, value);
    for (uint32_t i = 0; i < list->count; i++) argument_add(b, e, list->items[i]);
    return e;
}

lt_ast_expression *lt_build_in_query(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_query *query) {
    lt_place           place = span(&value->place, &query->place);
    lt_ast_expression *e     = expression(b, LT_AST_IN, &place);
    e->negated               = negated;
    e->query                 = query;
    argument_add(b, e, value);
    depth_raise(b, e, query->depth);
    return e;
}

lt_ast_expression *lt_build_like(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                 lt_ast_expression *pattern) {
    lt_place           place = span(&value->place, &pattern->place);
    lt_ast_expression *e     = expression(b, LT_AST_LIKE, &place);
    e->negated               = negated;
    e->like.kind             = kind;
    argument_add(b, e, value);
    argument_add(b, e, pattern);
    return e;
}

lt_ast_expression *lt_build_like_escape(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                        lt_ast_expression *pattern, const lt_token *escape) {
    lt_ast_expression *e    = lt_build_like(b, value, negated, kind, pattern);
    lt_ast_text        text = string_decode(b, escape);
    if (kind == LT_AST_LIKE_RLIKE) {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &escape->place, "syntax error: RLIKE takes no ESCAPE");
    } else if (text.bytes != 1 && b->status == LEAT_OK) {
        lt_build_fail(b, LT_INVALID_ESC, &escape->place, "ESCAPE takes one character, found `%s`", text.text);
    }
    e->like.has_escape = true;
    e->like.escape     = text.text[0];
    e->place           = span(&e->place, &escape->place);
    return e;
}

lt_ast_expression *lt_build_like_list(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                      lt_ast_like_quantifier quantifier, const lt_ast_expressions *patterns,
                                      const lt_token *end) {
    lt_place           place = span(&value->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_LIKE, &place);
    e->negated               = negated;
    e->like.kind             = kind;
    e->like.quantifier       = quantifier;
    argument_add(b, e, value);
    if (kind == LT_AST_LIKE_RLIKE)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &place, "syntax error: RLIKE takes one pattern");
    if (patterns == NULL)
        lt_build_fail(b, LT_INVALID_SQL_SYNTAX__EMPTY_QUANTIFIED_PATTERN, &place,
                      "LIKE ANY and LIKE ALL want at least one pattern");
    for (uint32_t i = 0; patterns != NULL && i < patterns->count; i++) argument_add(b, e, patterns->items[i]);
    return e;
}

lt_ast_expression *lt_build_is(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_is is,
                               const lt_token *end) {
    lt_place           place = span(&value->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_IS, &place);
    e->negated               = negated;
    e->is                    = is;
    argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_is_distinct(lt_builder *b, lt_ast_expression *value, bool negated,
                                        lt_ast_expression *other) {
    lt_place           place = span(&value->place, &other->place);
    lt_ast_expression *e     = expression(b, LT_AST_IS, &place);
    e->negated               = negated;
    e->is                    = LT_AST_IS_DISTINCT_FROM;
    argument_add(b, e, value);
    argument_add(b, e, other);
    return e;
}

lt_ast_expression *lt_build_binary(lt_builder *b, lt_ast_operator operator, lt_ast_expression * left,
                                   lt_ast_expression *right) {
    lt_place           place = span(&left->place, &right->place);
    lt_ast_expression *e     = expression(b, LT_AST_BINARY, &place);
    e->operator= operator;
    argument_add(b, e, left);
    argument_add(b, e, right);
    return e;
}

lt_ast_expression *lt_build_unary(lt_builder *b, lt_ast_operator operator, const lt_token * token,
                                  lt_ast_expression *value) {
    lt_place           place = span(&token->place, &value->place);
    lt_ast_expression *e     = expression(b, LT_AST_UNARY, &place);
    e->operator= operator;
    argument_add(b, e, value);
    return e;
}

static lt_ast_expression *literal(lt_builder *b, lt_ast_literal_kind kind, const lt_place *place, lt_ast_text text) {
    lt_ast_expression *e = expression(b, LT_AST_LITERAL, place);
    e->literal           = (lt_ast_literal){.kind = kind, .text = text, .suffix = "", .type_name = ""};
    return e;
}

lt_ast_expression *lt_build_number(lt_builder *b, const lt_token *token) {
    uint32_t    bytes  = token->bytes;
    const char *suffix = "";
    switch (token->text[bytes - 1] | 32) {
    case 'l':
        suffix = "L";
        break;
    case 's':
        suffix = "S";
        break;
    case 'y':
        suffix = "Y";
        break;
    case 'f':
        suffix = "F";
        break;
    case 'd':
        suffix = bytes > 1 && (token->text[bytes - 2] | 32) == 'b' ? "BD" : "D";
        break;
    default:
        break;
    }
    bytes -= (uint32_t)strlen(suffix);
    char *text = lt_arena_alloc(b->arena, (size_t)bytes + 2);
    if (text == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return literal(b, LT_AST_LITERAL_NUMBER, &token->place, (lt_ast_text){"0", 1});
    }
    uint32_t sign = token->negative ? 1 : 0;
    text[0]       = '-';
    memcpy(text + sign, token->text, bytes);
    text[sign + bytes]   = '\0';
    lt_ast_expression *e = literal(b, LT_AST_LITERAL_NUMBER, &token->place, (lt_ast_text){text, sign + bytes});
    e->literal.suffix    = suffix;
    return e;
}

lt_ast_expression *lt_build_string_literal(lt_builder *b, const lt_string *string) {
    return literal(b, LT_AST_LITERAL_STRING, &string->place, string->text);
}

lt_ast_expression *lt_build_binary_literal(lt_builder *b, const lt_token *token) {
    return literal(b, LT_AST_LITERAL_BINARY, &token->place, string_decode(b, token));
}

lt_ast_expression *lt_build_typed_literal(lt_builder *b, const lt_token *word, const lt_string *string) {
    static const char *const types[] = {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"};
    lt_place                 place   = span(&word->place, &string->place);
    lt_ast_expression       *e       = literal(b, LT_AST_LITERAL_TYPED, &place, string->text);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (word->bytes == strlen(types[i]) && lt_text_equal_without_case(word->text, types[i], word->bytes))
            e->literal.type_name = types[i];
    return e;
}

lt_ast_expression *lt_build_constant(lt_builder *b, lt_ast_literal_kind kind, const lt_token *token) {
    return literal(b, kind, &token->place, text_copy(b, token->text, token->bytes));
}

lt_ast_expression *lt_build_word_literal(lt_builder *b, const lt_token *token) {
    lt_ast_name name = lt_build_name(b, token);
    return literal(b, LT_AST_LITERAL_STRING, &token->place, (lt_ast_text){name.text, name.bytes});
}

lt_ast_expression *lt_build_column(lt_builder *b, const lt_ast_name *name) {
    lt_ast_expression *e = expression(b, LT_AST_COLUMN, &name->place);
    LIST_PUSH(b, &e->names, *name);
    return e;
}

lt_ast_expression *lt_build_field_of(lt_builder *b, lt_ast_expression *base, const lt_ast_name *name) {
    lt_place place = span(&base->place, &name->place);
    if (base->kind == LT_AST_COLUMN && b->status == LEAT_OK) {
        LIST_PUSH(b, &base->names, *name);
        base->place = place;
        return base;
    }
    lt_ast_expression *e = expression(b, LT_AST_FIELD, &place);
    e->name              = *name;
    argument_add(b, e, base);
    return e;
}

lt_ast_expression *lt_build_variant_path(lt_builder *b, lt_ast_expression *base, const lt_ast_name *name) {
    lt_place           place = span(&base->place, &name->place);
    lt_ast_expression *e     = expression(b, LT_AST_VARIANT_PATH, &place);
    e->name                  = *name;
    argument_add(b, e, base);
    return e;
}

lt_ast_expression *lt_build_index(lt_builder *b, lt_ast_expression *base, lt_ast_expression *index,
                                  const lt_token *end) {
    lt_place           place = span(&base->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_INDEX, &place);
    argument_add(b, e, base);
    argument_add(b, e, index);
    return e;
}

lt_ast_expression *lt_build_cast(lt_builder *b, lt_ast_spelling spelling, const lt_token *begin,
                                 lt_ast_expression *value, lt_ast_type *type, const lt_token *end) {
    lt_place place = span(begin != NULL ? &begin->place : &value->place, end != NULL ? &end->place : &type->place);
    lt_ast_expression *e = expression(b, LT_AST_CAST, &place);
    e->spelling          = spelling;
    e->type              = type;
    argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_collate(lt_builder *b, lt_ast_expression *value, const lt_ast_name *collation) {
    lt_place           place = span(&value->place, &collation->place);
    lt_ast_expression *e     = expression(b, LT_AST_COLLATE, &place);
    LIST_PUSH(b, &e->names, *collation);
    argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_case(lt_builder *b, const lt_token *begin, lt_ast_expression *operand,
                                 const lt_ast_expressions *whens, lt_ast_expression *otherwise, const lt_token *end) {
    lt_place           place = span(&begin->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_CASE, &place);
    e->has_operand           = operand != NULL;
    e->has_else              = otherwise != NULL;
    if (operand != NULL) argument_add(b, e, operand);
    for (uint32_t i = 0; i < whens->count; i++) argument_add(b, e, whens->items[i]);
    if (otherwise != NULL) argument_add(b, e, otherwise);
    return e;
}

lt_ast_expression *lt_build_parentheses(lt_builder *b, const lt_token *begin, lt_ast_expression *e,
                                        const lt_token *end) {
    (void)b;
    e->parenthesized = true;
    e->place         = span(&begin->place, &end->place);
    return e;
}

lt_ast_expression *lt_build_row(lt_builder *b, const lt_token *begin, lt_ast_expression *first,
                                const lt_ast_expressions *rest, const lt_token *end) {
    lt_place           place = span(&begin->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_ROW, &place);
    argument_add(b, e, first);
    for (uint32_t i = 0; i < rest->count; i++) argument_add(b, e, rest->items[i]);
    return e;
}

lt_ast_expression *lt_build_subquery(lt_builder *b, lt_ast_query *query) {
    lt_ast_expression *e = expression(b, LT_AST_SUBQUERY, &query->place);
    e->query             = query;
    depth_raise(b, e, query->depth);
    return e;
}

lt_ast_expression *lt_build_parameter(lt_builder *b, const lt_token *token, const lt_ast_name *name) {
    lt_place           place = name == NULL ? token->place : span(&token->place, &name->place);
    lt_ast_expression *e     = expression(b, LT_AST_PARAMETER, &place);
    uint32_t           found = 0;
    if (name != NULL) e->parameter.name = *name;
    for (uint32_t i = 0; name != NULL && i < b->parameters.count; i++) {
        const lt_ast_name *other = &b->parameters.items[i];
        if (other->bytes == name->bytes && memcmp(other->text, name->text, name->bytes) == 0) found = i + 1;
    }
    if (found == 0) {
        if (b->parameters.count > 0 && (b->parameters.items[0].text == NULL) != (name == NULL))
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &place, "`?` and `:name` cannot stand in one statement");
        LIST_PUSH(b, &b->parameters, (name != NULL ? *name : (lt_ast_name){.place = place}));
        found = b->parameters.count;
    }
    e->parameter.ordinal = found;
    return e;
}

LIST_BUILDER(lt_build_interval_parts, lt_ast_interval_parts, const lt_ast_interval_part *part, *part)

lt_ast_interval_part lt_build_interval_part(lt_builder *b, const lt_token *value, const lt_token *unit,
                                            const lt_token *to) {
    lt_ast_interval_part part = {.is_negative = value->negative, .is_string = value->kind == LT_SCAN_STRING};
    part.value                = part.is_string ? string_decode(b, value) : text_copy(b, value->text, value->bytes);
    if (unit != NULL) part.unit = lt_build_name(b, unit);
    if (to != NULL) part.to = lt_build_name(b, to);
    return part;
}

lt_ast_expression *lt_build_interval(lt_builder *b, const lt_token *begin, const lt_ast_interval_parts *parts) {
    lt_place place = begin->place;
    if (b->at > 0) place = span(&begin->place, &b->tokens[b->at - 1].place);
    lt_ast_expression *e = expression(b, LT_AST_INTERVAL, &place);
    e->interval          = *parts;
    return e;
}

lt_ast_expression *lt_build_alias(lt_builder *b, lt_ast_expression *value, const lt_ast_name *name) {
    lt_place           place = span(&value->place, &name->place);
    lt_ast_expression *e     = expression(b, LT_AST_ALIAS, &place);
    e->name                  = *name;
    argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_star(lt_builder *b, lt_ast_expression *prefix, const lt_token *star,
                                 const lt_ast_name_lists *except, const lt_token *end) {
    lt_place place = span(prefix != NULL ? &prefix->place : &star->place, end != NULL ? &end->place : &star->place);
    lt_ast_expression *e = expression(b, LT_AST_STAR, &place);
    if (prefix != NULL && prefix->kind == LT_AST_COLUMN && !prefix->parenthesized) {
        e->names = prefix->names;
    } else if (prefix != NULL) {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &star->place, "syntax error at `*`: only a name can stand before `.*`");
    }
    if (except != NULL) e->except = *except;
    return e;
}

// ---- calls ----
static bool is_datetime_unit(const lt_ast_name *name) {
    static const char *const units[] = {"YEAR", "QUARTER", "MONTH",  "WEEK",        "DAY",        "DAYOFYEAR",
                                        "HOUR", "MINUTE",  "SECOND", "MILLISECOND", "MICROSECOND"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (name_is(name, units[i])) return true;
    return false;
}

static bool call_is(const lt_ast_expression *call, const char *name) {
    return call->call->name.count == 1 && name_is(&call->call->name.items[0], name);
}

static bool takes_unit(const lt_ast_expression *call) {
    static const char *const names[] = {"TIMESTAMPADD", "DATEADD",   "DATE_ADD", "TIMESTAMPDIFF",
                                        "DATEDIFF",     "DATE_DIFF", "TIMEDIFF"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (call_is(call, names[i])) return true;
    return false;
}

// YEAR as an argument is a column for the grammar; here it becomes the unit that it is.
static bool unit_take(lt_builder *b, lt_ast_expression **argument, bool any_word) {
    lt_ast_expression *column = *argument;
    if (column->kind != LT_AST_COLUMN || column->names.count != 1 || column->parenthesized) return false;
    lt_ast_name *name = &column->names.items[0];
    if (name->quoted || (!any_word && !is_datetime_unit(name))) return false;
    *argument = literal(b, LT_AST_LITERAL_UNIT, &column->place, (lt_ast_text){name->text, name->bytes});
    return true;
}

static lt_ast_expression *call_new(lt_builder *b, lt_ast_expression *function, const lt_token *end) {
    lt_place           place = span(&function->place, &end->place);
    lt_ast_expression *e     = expression(b, LT_AST_CALL, &place);
    e->call                  = NEW(b, lt_ast_call);
    if (function->kind == LT_AST_COLUMN && !function->parenthesized) {
        e->call->name = function->names;
    } else {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &end->place, "syntax error: only a name can be called");
    }
    return e;
}

lt_ast_expression *lt_build_call(lt_builder *b, lt_ast_expression *function, bool distinct,
                                 const lt_ast_expressions *arguments, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->call->distinct    = distinct;
    arguments_set(b, e, arguments);
    for (uint32_t i = 0; i < e->arguments.count; i++) {
        const lt_ast_expression *argument = e->arguments.items[i];
        if (argument->kind == LT_AST_ALIAS && !call_is(e, "STRUCT"))
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &argument->name.place,
                          "syntax error at `%s`: only the arguments of struct can be named with AS",
                          argument->name.text);
    }
    if (e->arguments.count == 3 && takes_unit(e)) {
        const lt_ast_expression *unit = e->arguments.items[0];
        if (unit->kind == LT_AST_LITERAL && unit->literal.kind == LT_AST_LITERAL_STRING)
            lt_build_fail(b, LT_INVALID_PARAMETER_VALUE__DATETIME_UNIT, &unit->place,
                          "%s takes its unit as a word: write DAY, not 'DAY'", e->call->name.items[0].text);
        if (unit_take(b, &e->arguments.items[0], false)) e->spelling = LT_AST_SPELLING_UNIT;
    }
    return e;
}

// count(DISTINCT): the word alone is a column's name.
lt_ast_expressions *lt_build_word_argument(lt_builder *b, const lt_token *word) {
    lt_ast_name name = lt_build_name(b, word);
    return lt_build_expressions(b, NULL, lt_build_column(b, &name));
}

lt_ast_expression *lt_build_call_nulls(lt_builder *b, lt_ast_expression *call, lt_ast_call_nulls nulls,
                                       const lt_token *end) {
    (void)b;
    call->call->nulls        = nulls;
    call->call->nulls_inside = end == NULL;
    if (end != NULL) call->place = span(&call->place, &end->place);
    return call;
}

lt_ast_expression *lt_build_call_within(lt_builder *b, lt_ast_expression *call, const lt_ast_order_items *order,
                                        const lt_token *end) {
    call->call->within_group = *order;
    call->place              = span(&call->place, &end->place);
    for (uint32_t i = 0; i < order->count; i++) depth_raise(b, call, order->items[i].expression->depth);
    return call;
}

lt_ast_expression *lt_build_call_filter(lt_builder *b, lt_ast_expression *call, lt_ast_expression *filter,
                                        const lt_token *end) {
    call->call->filter = filter;
    call->place        = span(&call->place, &end->place);
    depth_raise(b, call, filter->depth);
    return call;
}

lt_ast_expression *lt_build_call_over(lt_builder *b, lt_ast_expression *call, lt_ast_window *window) {
    call->call->over = window;
    call->place      = span(&call->place, &window->place);
    for (uint32_t i = 0; i < window->partition_by.count; i++)
        depth_raise(b, call, window->partition_by.items[i]->depth);
    for (uint32_t i = 0; i < window->order_by.count; i++)
        depth_raise(b, call, window->order_by.items[i].expression->depth);
    return call;
}

// f(x FROM y [FOR z]): substring, trim and extract only.
lt_ast_expression *lt_build_call_from(lt_builder *b, lt_ast_expression *function, lt_ast_expression *what,
                                      lt_ast_expression *from, lt_ast_expression *length, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->spelling          = LT_AST_SPELLING_FROM;
    if (call_is(e, "TRIM") && length == NULL) {
        argument_add(b, e, from);
        argument_add(b, e, what);
    } else if (call_is(e, "EXTRACT") && length == NULL && unit_take(b, &what, true)) {
        argument_add(b, e, what);
        argument_add(b, e, from);
    } else if (call_is(e, "SUBSTRING") || call_is(e, "SUBSTR")) {
        argument_add(b, e, what);
        argument_add(b, e, from);
        if (length != NULL) argument_add(b, e, length);
    } else {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &from->place, "syntax error: this function takes no FROM");
    }
    return e;
}

lt_ast_expression *lt_build_call_trim(lt_builder *b, lt_ast_expression *function, const lt_token *side,
                                      lt_ast_expression *characters, lt_ast_expression *source, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->spelling          = (side->text[0] | 32) == 'b'   ? LT_AST_SPELLING_TRIM_BOTH
                           : (side->text[0] | 32) == 'l' ? LT_AST_SPELLING_TRIM_LEADING
                                                         : LT_AST_SPELLING_TRIM_TRAILING;
    argument_add(b, e, source);
    if (characters != NULL) argument_add(b, e, characters);
    return e;
}

lt_ast_expression *lt_build_call_overlay(lt_builder *b, lt_ast_expression *function, lt_ast_expression *input,
                                         lt_ast_expression *replacement, lt_ast_expression *from,
                                         lt_ast_expression *length, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->spelling          = LT_AST_SPELLING_PLACING;
    if (!call_is(e, "OVERLAY"))
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &replacement->place, "syntax error: only overlay takes PLACING");
    argument_add(b, e, input);
    argument_add(b, e, replacement);
    argument_add(b, e, from);
    if (length != NULL) argument_add(b, e, length);
    return e;
}

lt_ast_expression *lt_build_call_position(lt_builder *b, const lt_token *word, lt_ast_expression *needle,
                                          lt_ast_expression *text, const lt_token *end) {
    lt_ast_name        name = lt_build_name(b, word);
    lt_ast_expression *e    = call_new(b, lt_build_column(b, &name), end);
    e->spelling             = LT_AST_SPELLING_IN;
    argument_add(b, e, needle);
    argument_add(b, e, text);
    return e;
}

lt_ast_expression *lt_build_named_argument(lt_builder *b, const lt_ast_name *name, lt_ast_expression *value) {
    lt_place           place = span(&name->place, &value->place);
    lt_ast_expression *e     = expression(b, LT_AST_NAMED_ARGUMENT, &place);
    e->name                  = *name;
    argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_lambda(lt_builder *b, const lt_token *begin, const lt_ast_names *names,
                                   lt_ast_expression *body) {
    lt_place           first = begin != NULL ? begin->place : names->count > 0 ? names->items[0].place : body->place;
    lt_place           place = span(&first, &body->place);
    lt_ast_expression *e     = expression(b, LT_AST_LAMBDA, &place);
    e->names                 = *names;
    argument_add(b, e, body);
    return e;
}

lt_ast_expression *lt_build_table_argument(lt_builder *b, const lt_token *begin, const lt_ast_names *table,
                                           lt_ast_query *query, const lt_ast_window *partition) {
    lt_place           end   = query != NULL ? query->place : names_place(b, table);
    lt_place           place = span(&begin->place, &end);
    lt_ast_expression *e     = expression(b, LT_AST_TABLE_ARGUMENT, &place);
    e->table                 = NEW(b, lt_ast_table_argument);
    if (table != NULL) e->table->table = *table;
    e->table->query = query;
    if (query != NULL) depth_raise(b, e, query->depth);
    if (partition != NULL) {
        e->table->single_partition = partition->name.text != NULL;
        e->table->partition_by     = partition->partition_by;
        e->table->order_by         = partition->order_by;
    }
    return e;
}

// Carried in a window: a name stands for WITH SINGLE PARTITION. (a, b) means two columns.
lt_ast_window *lt_build_table_partition(lt_builder *b, const lt_token *single, lt_ast_expression *by,
                                        const lt_ast_order_items *order) {
    lt_ast_window *window = NEW(b, lt_ast_window);
    if (single != NULL) window->name.text = "SINGLE";
    if (by != NULL && by->kind == LT_AST_ROW)
        window->partition_by = by->arguments;
    else if (by != NULL)
        LIST_PUSH(b, &window->partition_by, by);
    if (order != NULL) window->order_by = *order;
    return window;
}

// ---- windows and order ----
lt_ast_window *lt_build_window_reference(lt_builder *b, const lt_ast_name *name) {
    lt_ast_window *window = NEW(b, lt_ast_window);
    window->name          = *name;
    window->place         = name->place;
    return window;
}

lt_ast_window *lt_build_window_named(lt_builder *b, const lt_token *begin, const lt_ast_name *name,
                                     const lt_token *end) {
    lt_ast_window *window = lt_build_window_reference(b, name);
    window->place         = span(&begin->place, &end->place);
    return window;
}

lt_ast_window *lt_build_window(lt_builder *b, const lt_token *begin, const lt_ast_expressions *partition,
                               const lt_ast_order_items *order, lt_ast_window *frame, const lt_token *end) {
    lt_ast_window *window = frame != NULL ? frame : NEW(b, lt_ast_window);
    if (partition != NULL) window->partition_by = *partition;
    if (order != NULL) window->order_by = *order;
    window->place = span(&begin->place, &end->place);
    return window;
}

lt_ast_window *lt_build_frame(lt_builder *b, lt_ast_frame kind, const lt_ast_bound *start, const lt_ast_bound *end) {
    lt_ast_window *window = NEW(b, lt_ast_window);
    window->frame         = kind;
    window->start         = *start;
    window->has_end       = end != NULL;
    window->end           = end != NULL ? *end : (lt_ast_bound){.kind = LT_AST_CURRENT_ROW, .place = start->place};
    return window;
}

lt_ast_bound lt_build_bound(lt_ast_bound_kind kind, lt_ast_expression *value, const lt_token *token) {
    return (lt_ast_bound){.kind = kind, .value = value, .place = token != NULL ? token->place : value->place};
}

LIST_BUILDER(lt_build_order_items, lt_ast_order_items, const lt_ast_order_item *item, *item)

lt_ast_order_item lt_build_order_item(lt_ast_expression *e, int direction, lt_ast_nulls nulls) {
    return (lt_ast_order_item){
        .expression = e, .descending = direction == 2, .direction_written = direction != 0, .nulls = nulls};
}

// ---- queries ----
static lt_ast_query *query_new(lt_builder *b, lt_ast_query_kind kind, const lt_place *place) {
    lt_ast_query *query = NEW(b, lt_ast_query);
    query->kind         = kind;
    query->depth        = 1;
    query->place        = *place;
    return query;
}

static void query_depth(lt_builder *b, lt_ast_query *query, uint32_t inner) {
    if (inner + 1 > LT_AST_DEPTH_MAX) {
        lt_build_too_deep(b);
        return;
    }
    if (query->depth < inner + 1) query->depth = (uint16_t)(inner + 1);
}

static void query_expression(lt_builder *b, lt_ast_query *query, const lt_ast_expression *e) {
    if (e != NULL) query_depth(b, query, e->depth);
}

static void query_span_to_here(const lt_builder *b, lt_ast_query *query) {
    if (b->at > 0) query->place = span(&query->place, &b->tokens[b->at - 1].place);
}

lt_ast_query *lt_build_query_parens(lt_builder *b, const lt_token *begin, lt_ast_query *query, const lt_token *end) {
    (void)b;
    query->parenthesized = true;
    query->place         = span(&begin->place, &end->place);
    return query;
}

static bool is_organized(const lt_ast_query *query) {
    const lt_ast_organization *o = &query->organization;
    return o->order_by.count > 0 || o->sort_by.count > 0 || o->cluster_by.count > 0 || o->distribute_by.count > 0 ||
           o->limit != NULL || o->limit_all || o->offset != NULL;
}

// (SELECT .. LIMIT 1) LIMIT 2: the clauses of the inner query stay its own.
static lt_ast_query *query_open(lt_builder *b, lt_ast_query *query) {
    if (!query->parenthesized || (!is_organized(query) && query->ctes.count == 0)) return query;
    lt_ast_query *outer = query_new(b, LT_AST_QUERY_NESTED, &query->place);
    LIST_PUSH(b, &outer->branches, query);
    query_depth(b, outer, query->depth);
    return outer;
}

lt_ast_query *lt_build_organized(lt_builder *b, lt_ast_query *query, const lt_ast_organization *organization) {
    lt_ast_query *outer = query_open(b, query);
    outer->organization = *organization;
    for (uint32_t i = 0; i < organization->order_by.count; i++)
        query_expression(b, outer, organization->order_by.items[i].expression);
    for (uint32_t i = 0; i < organization->sort_by.count; i++)
        query_expression(b, outer, organization->sort_by.items[i].expression);
    query_expression(b, outer, organization->limit);
    query_expression(b, outer, organization->offset);
    query_span_to_here(b, outer);
    return outer;
}

lt_ast_query *lt_build_with(lt_builder *b, const lt_token *begin, bool recursive, const lt_ast_ctes *ctes,
                            lt_ast_query *query, const lt_ast_organization *organization) {
    lt_ast_query *outer = organization != NULL ? lt_build_organized(b, query, organization) : query_open(b, query);
    outer->recursive    = recursive;
    outer->ctes         = *ctes;
    outer->place        = span(&begin->place, &outer->place);
    for (uint32_t i = 0; i < ctes->count; i++) query_depth(b, outer, ctes->items[i].query->depth);
    return outer;
}

LIST_BUILDER(lt_build_ctes, lt_ast_ctes, const lt_ast_cte *cte, *cte)

lt_ast_cte lt_build_cte(const lt_ast_name *name, const lt_ast_names *columns, const lt_ast_names *recursion_max,
                        lt_ast_query *query) {
    lt_ast_cte cte = {.name = *name, .query = query, .place = span(&name->place, &query->place)};
    if (columns != NULL) cte.columns = *columns;
    if (recursion_max != NULL && recursion_max->count > 0) cte.recursion_max = recursion_max->items[0];
    return cte;
}

// a UNION b UNION c becomes one node of three branches, folded from the left.
lt_ast_query *lt_build_set(lt_builder *b, lt_ast_set_operator operator, bool all, lt_ast_query *left,
                           lt_ast_query *right) {
    if (left->kind == LT_AST_QUERY_SET_OPERATION &&
        left->set_operator == operator&& left->all == all && !left->parenthesized && b->status == LEAT_OK) {
        LIST_PUSH(b, &left->branches, right);
        query_depth(b, left, right->depth);
        left->place = span(&left->place, &right->place);
        return left;
    }
    lt_place              place = span(&left->place, &right->place);
    lt_ast_query         *query = query_new(b, LT_AST_QUERY_SET_OPERATION, &place);
    query->set_operator         = operator;
    query->all                  = all;
    LIST_PUSH(b, &query->branches, left);
    LIST_PUSH(b, &query->branches, right);
    query_depth(b, query, left->depth);
    query_depth(b, query, right->depth);
    return query;
}

static uint32_t items_depth(const lt_ast_items *items) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < items->count; i++)
        if (items->items[i].expression->depth > depth) depth = items->items[i].expression->depth;
    return depth;
}

lt_ast_query *lt_build_pipe(lt_builder *b, lt_ast_query *query, const lt_token *arrow, const lt_ast_pipe_step *step) {
    lt_ast_query *pipe = query;
    if (query->kind != LT_AST_QUERY_PIPE || query->parenthesized) {
        pipe = query_new(b, LT_AST_QUERY_PIPE, &query->place);
        LIST_PUSH(b, &pipe->branches, query);
        query_depth(b, pipe, query->depth);
    }
    lt_ast_pipe_step placed = *step;
    placed.place            = arrow->place;
    if (b->at > 0) placed.place = span(&arrow->place, &b->tokens[b->at - 1].place);
    LIST_PUSH(b, &pipe->steps, placed);
    query_depth(b, pipe, items_depth(&step->items));
    query_expression(b, pipe, step->expression);
    if (step->query != NULL) query_depth(b, pipe, step->query->depth);
    if (step->relation != NULL) query_depth(b, pipe, step->relation->depth);
    if (step->select != NULL) query_depth(b, pipe, items_depth(&step->select->items));
    query_span_to_here(b, pipe);
    return pipe;
}

static void group_depth(lt_builder *b, lt_ast_query *query, const lt_ast_group_items *items) {
    for (uint32_t i = 0; i < items->count; i++) {
        const lt_ast_group_item *item = &items->items[i];
        query_expression(b, query, item->item.expression);
        for (uint32_t j = 0; j < item->sets.count; j++)
            for (uint32_t k = 0; k < item->sets.items[j].count; k++)
                query_expression(b, query, item->sets.items[j].items[k]);
    }
}

lt_ast_query *lt_build_select(lt_builder *b, const lt_token *begin, int quantifier, const lt_ast_items *items,
                              lt_ast_relation *from, lt_ast_select *select) {
    lt_ast_query *query = query_new(b, LT_AST_QUERY_SELECT, &begin->place);
    query_span_to_here(b, query);
    query->select       = select;
    select->place       = query->place;
    select->distinct    = quantifier == 2;
    select->all_written = quantifier == 1;
    select->items       = *items;
    select->from        = from;
    query_depth(b, query, items_depth(items));
    if (from != NULL) query_depth(b, query, from->depth);
    query_expression(b, query, select->where);
    query_expression(b, query, select->having);
    query_expression(b, query, select->qualify);
    group_depth(b, query, &select->group_by.items);
    return query;
}

lt_ast_query *lt_build_from_select(lt_builder *b, lt_ast_relation *from, const lt_token *begin, int quantifier,
                                   const lt_ast_items *items, lt_ast_select *select) {
    lt_ast_query *query       = lt_build_select(b, begin, quantifier, items, from, select);
    query->place              = span(&from->place, &query->place);
    query->select->from_first = true;
    return query;
}

lt_ast_query *lt_build_query_from(lt_builder *b, lt_ast_relation *from) {
    lt_ast_query *query = query_new(b, LT_AST_QUERY_FROM, &from->place);
    query->relation     = from;
    query_depth(b, query, from->depth);
    return query;
}

lt_ast_query *lt_build_query_table(lt_builder *b, const lt_token *begin, const lt_ast_names *name) {
    lt_ast_query *query = query_new(b, LT_AST_QUERY_TABLE, &begin->place);
    query->name         = *name;
    query_span_to_here(b, query);
    return query;
}

LIST_BUILDER(lt_build_expression_lists, lt_ast_expression_lists, const lt_ast_expressions *set,
             (set != NULL ? *set : (lt_ast_expressions){0}))

// (1, 2) is a row of two, 1 and (1) a row of one.
lt_ast_expressions *lt_build_set_members(lt_builder *b, lt_ast_expression *e) {
    if (e->kind == LT_AST_ROW && b->status == LEAT_OK) return &e->arguments;
    return lt_build_expressions(b, NULL, e);
}

lt_ast_expression_lists *lt_build_rows(lt_builder *b, lt_ast_expression_lists *rows, lt_ast_expression *e) {
    return lt_build_expression_lists(b, rows, lt_build_set_members(b, e));
}

static uint32_t rows_depth(const lt_ast_expression_lists *rows) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t j = 0; j < rows->items[i].count; j++)
            if (rows->items[i].items[j]->depth > depth) depth = rows->items[i].items[j]->depth;
    return depth;
}

lt_ast_query *lt_build_query_values(lt_builder *b, const lt_token *begin, const lt_ast_expression_lists *rows,
                                    const lt_ast_alias *alias) {
    lt_ast_query *query = query_new(b, LT_AST_QUERY_VALUES, &begin->place);
    query->rows         = *rows;
    query->alias        = *alias;
    query_depth(b, query, rows_depth(rows));
    query_span_to_here(b, query);
    return query;
}

LIST_BUILDER(lt_build_items, lt_ast_items, const lt_ast_item *item, *item)

lt_ast_item lt_build_item(lt_ast_expression *e, const lt_ast_name *alias, const lt_ast_names *aliases) {
    lt_ast_item item = {.expression = e};
    if (alias != NULL) item.alias = *alias;
    if (aliases != NULL) item.aliases = *aliases;
    return item;
}

lt_ast_select *lt_build_select_tail(lt_builder *b, lt_ast_expression *where, const lt_ast_group_by *group_by,
                                    lt_ast_expression *having, const lt_ast_named_windows *windows,
                                    lt_ast_expression *qualify) {
    lt_ast_select *select = NEW(b, lt_ast_select);
    select->where         = where;
    select->having        = having;
    select->qualify       = qualify;
    if (group_by != NULL) select->group_by = *group_by;
    if (windows != NULL) select->windows = *windows;
    return select;
}

lt_ast_named_windows *lt_build_windows(lt_builder *b, lt_ast_named_windows *list, const lt_ast_name *name,
                                       lt_ast_window *window) {
    if (list == NULL) list = NEW(b, lt_ast_named_windows);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].name.bytes == name->bytes &&
            lt_text_equal_without_case(list->items[i].name.text, name->text, name->bytes))
            lt_build_fail(b, LT_INVALID_SQL_SYNTAX__REPETITIVE_WINDOW_DEFINITION, &name->place,
                          "window `%s` is defined twice", name->text);
    LIST_PUSH(b, list, ((lt_ast_named_window){.name = *name, .window = window}));
    return list;
}

static bool is_all(const lt_ast_expression *e) {
    return e->kind == LT_AST_COLUMN && e->names.count == 1 && name_is(&e->names.items[0], "ALL");
}

lt_ast_group_by *lt_build_group_by(lt_builder *b, const lt_ast_group_items *items) {
    lt_ast_group_by *group = NEW(b, lt_ast_group_by);
    group->present         = true;
    group->items           = *items;
    group->all             = items->count == 1 && items->items[0].kind == LT_AST_GROUP_EXPRESSION &&
                 items->items[0].item.expression != NULL && is_all(items->items[0].item.expression);
    return group;
}

lt_ast_group_by *lt_build_group_with(lt_ast_group_by *group, bool rollup) {
    group->with_rollup = rollup;
    group->with_cube   = !rollup;
    return group;
}

lt_ast_group_by *lt_build_group_sets(lt_builder *b, lt_ast_group_by *group, const lt_ast_group_item *sets) {
    LIST_PUSH(b, &group->with_sets, *sets);
    return group;
}

LIST_BUILDER(lt_build_group_items, lt_ast_group_items, const lt_ast_group_item *item, *item)

lt_ast_group_item lt_build_group_item(lt_ast_expression *e, const lt_ast_name *alias) {
    return (lt_ast_group_item){
        .kind = LT_AST_GROUP_EXPRESSION, .item = lt_build_item(e, alias, NULL), .place = e->place};
}

lt_ast_group_item lt_build_group_function(lt_ast_group_kind kind, const lt_token *word,
                                          const lt_ast_expression_lists *sets) {
    return (lt_ast_group_item){.kind = kind, .sets = *sets, .place = word->place};
}

lt_ast_group_item lt_build_grouping_sets(const lt_token *word, const lt_ast_group_items *items) {
    return (lt_ast_group_item){.kind = LT_AST_GROUP_GROUPING_SETS, .items = *items, .place = word->place};
}

lt_ast_group_item lt_build_group_set(lt_builder *b, const lt_ast_expressions *members) {
    lt_ast_group_item item = {.kind = LT_AST_GROUP_SET};
    if (members != NULL && members->count > 0) item.place = members->items[0]->place;
    LIST_PUSH(b, &item.sets, (members != NULL ? *members : (lt_ast_expressions){0}));
    return item;
}

lt_ast_organization *lt_build_ordering(lt_builder *b, const lt_token *word, const lt_ast_order_items *items,
                                       const lt_ast_expressions *expressions) {
    lt_ast_organization *o     = NEW(b, lt_ast_organization);
    const char           first = (char)(word->text[0] | 32);
    if (first == 'o')
        o->order_by = *items;
    else if (first == 's')
        o->sort_by = *items;
    else if (first == 'c')
        o->cluster_by = *expressions;
    else
        o->distribute_by = *expressions;
    o->order_by_all = o->order_by.count == 1 && is_all(o->order_by.items[0].expression);
    return o;
}

lt_ast_organization *lt_build_orderings(lt_builder *b, lt_ast_organization *head, const lt_ast_organization *more) {
    bool twice = (head->order_by.count > 0 && more->order_by.count > 0) ||
                 (head->sort_by.count > 0 && more->sort_by.count > 0) ||
                 (head->cluster_by.count > 0 && more->cluster_by.count > 0) ||
                 (head->distribute_by.count > 0 && more->distribute_by.count > 0);
    if (twice)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &b->tokens[b->at].place,
                      "syntax error: a query takes each of its ordering clauses once");
    if (more->order_by.count > 0) head->order_by = more->order_by;
    if (more->sort_by.count > 0) head->sort_by = more->sort_by;
    if (more->cluster_by.count > 0) head->cluster_by = more->cluster_by;
    if (more->distribute_by.count > 0) head->distribute_by = more->distribute_by;
    head->order_by_all |= more->order_by_all;
    return head;
}

lt_ast_organization *lt_build_limit(lt_builder *b, lt_ast_expression *limit, lt_ast_expression *offset) {
    lt_ast_organization *o = NEW(b, lt_ast_organization);
    o->limit               = limit;
    o->limit_all           = limit == NULL;
    o->offset              = offset;
    return o;
}

lt_ast_organization *lt_build_offset(lt_builder *b, lt_ast_expression *offset) {
    lt_ast_organization *o = NEW(b, lt_ast_organization);
    o->offset              = offset;
    return o;
}

lt_ast_organization *lt_build_limited(lt_ast_organization *head, const lt_ast_organization *limit) {
    head->limit     = limit->limit;
    head->limit_all = limit->limit_all;
    head->offset    = limit->offset;
    return head;
}

// ---- pipe steps ----
static lt_ast_pipe_step *step_new(lt_builder *b, lt_ast_pipe_step content) {
    lt_ast_pipe_step *step = NEW(b, lt_ast_pipe_step);
    *step                  = content;
    return step;
}

lt_ast_pipe_step *lt_build_pipe_where(lt_builder *b, lt_ast_expression *e) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_WHERE, .expression = e});
}

lt_ast_pipe_step *lt_build_pipe_select(lt_builder *b, const lt_token *begin, int quantifier, const lt_ast_items *items,
                                       const lt_ast_named_windows *windows) {
    lt_ast_select *select = NEW(b, lt_ast_select);
    select->distinct      = quantifier == 2;
    select->all_written   = quantifier == 1;
    select->items         = *items;
    select->place         = begin->place;
    if (windows != NULL) select->windows = *windows;
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_SELECT, .select = select});
}

lt_ast_pipe_step *lt_build_pipe_items(lt_builder *b, lt_ast_pipe_kind kind, const lt_ast_items *items,
                                      const lt_ast_group_by *group_by) {
    lt_ast_pipe_step *step = step_new(b, (lt_ast_pipe_step){.kind = kind});
    if (items != NULL) step->items = *items;
    if (group_by != NULL) step->group_by = *group_by;
    return step;
}

lt_ast_pipe_step *lt_build_pipe_names(lt_builder *b, lt_ast_pipe_kind kind, const lt_ast_names *names) {
    return step_new(b, (lt_ast_pipe_step){.kind = kind, .names = *names});
}

lt_ast_pipe_step *lt_build_pipe_relation(lt_builder *b, lt_ast_relation *relation) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_JOIN, .relation = relation});
}

lt_ast_pipe_step *lt_build_pipe_sample(lt_builder *b, lt_ast_sample *sample) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_SAMPLE, .sample = sample});
}

lt_ast_pipe_step *lt_build_pipe_set(lt_builder *b, lt_ast_set_operator operator, bool all, lt_ast_query *query) {
    return step_new(
        b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_SET_OPERATION, .set_operator = operator, .all = all, .query = query});
}

lt_ast_pipe_step *lt_build_pipe_organization(lt_builder *b, const lt_ast_organization *organization) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_ORGANIZATION, .organization = *organization});
}

lt_ast_pipe_step *lt_build_pipe_windows(lt_builder *b, const lt_ast_named_windows *windows) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_WINDOW, .windows = *windows});
}

// ---- relations ----
static lt_ast_relation *relation_new(lt_builder *b, lt_ast_relation_kind kind, const lt_place *place) {
    lt_ast_relation *relation = NEW(b, lt_ast_relation);
    relation->kind            = kind;
    relation->depth           = 1;
    relation->place           = *place;
    return relation;
}

static void relation_depth(lt_builder *b, lt_ast_relation *relation, uint32_t inner) {
    if (inner + 1 > LT_AST_DEPTH_MAX) {
        lt_build_too_deep(b);
        return;
    }
    if (relation->depth < inner + 1) relation->depth = (uint16_t)(inner + 1);
}

static void relation_span_to_here(const lt_builder *b, lt_ast_relation *relation) {
    if (b->at > 0) relation->place = span(&relation->place, &b->tokens[b->at - 1].place);
}

lt_ast_relation *lt_build_extended(lt_builder *b, lt_ast_relation *left, lt_ast_relation *extension) {
    extension->left  = left;
    extension->place = span(&left->place, &extension->place);
    relation_depth(b, extension, left->depth);
    return extension;
}

lt_ast_relation *lt_build_lateral(lt_ast_relation *relation) {
    relation->lateral = true;
    return relation;
}

lt_ast_relation *lt_build_comma(lt_builder *b, lt_ast_relation *left, bool lateral, lt_ast_relation *right) {
    lt_place         place = span(&left->place, &right->place);
    lt_ast_relation *join  = relation_new(b, LT_AST_RELATION_JOIN, &place);
    join->join             = NEW(b, lt_ast_join);
    join->join->kind       = LT_AST_JOIN_COMMA;
    join->join->lateral    = lateral;
    join->left             = left;
    join->right            = right;
    relation_depth(b, join, left->depth);
    relation_depth(b, join, right->depth);
    return join;
}

lt_ast_relation *lt_build_join(lt_builder *b, lt_ast_join_kind kind, const lt_token *word, bool lateral,
                               lt_ast_relation *right, lt_ast_join *criteria) {
    lt_ast_relation *join = relation_new(b, LT_AST_RELATION_JOIN, &word->place);
    join->join            = criteria != NULL ? criteria : NEW(b, lt_ast_join);
    join->join->kind      = kind;
    join->join->lateral   = lateral;
    join->right           = right;
    relation_depth(b, join, right->depth);
    if (join->join->on != NULL) relation_depth(b, join, join->join->on->depth);
    relation_span_to_here(b, join);
    return join;
}

lt_ast_relation *lt_build_natural_join(lt_builder *b, lt_ast_join_kind kind, const lt_token *word, bool lateral,
                                       lt_ast_relation *right) {
    lt_ast_relation *join = lt_build_join(b, kind, word, lateral, right, NULL);
    join->join->natural   = true;
    return join;
}

lt_ast_relation *lt_build_asof_join(lt_builder *b, bool left, const lt_token *word, lt_ast_relation *right,
                                    lt_ast_expression *match, lt_ast_join *criteria) {
    lt_ast_relation *join =
        lt_build_join(b, left ? LT_AST_JOIN_LEFT_ASOF : LT_AST_JOIN_ASOF, word, false, right, criteria);
    join->join->match_condition = match;
    relation_depth(b, join, match->depth);
    return join;
}

lt_ast_join *lt_build_criteria(lt_builder *b, lt_ast_expression *on, const lt_ast_names *columns) {
    lt_ast_join *join = NEW(b, lt_ast_join);
    join->on          = on;
    if (columns != NULL) join->using_columns = *columns;
    return join;
}

lt_ast_alias lt_build_no_alias(void) { return (lt_ast_alias){0}; }

// Words that begin a join or a set operation are no table names, even where the grammar would take them.
lt_ast_alias lt_build_table_alias(lt_builder *b, const lt_ast_name *name, const lt_ast_names *columns) {
    const lt_keyword *keyword = name->quoted ? NULL : lt_keyword_find(name->text, name->bytes);
    if (keyword != NULL && keyword->not_alias)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &name->place,
                      "syntax error at `%s`: put back-quotes around it to use it as a table's name", name->text);
    lt_ast_alias alias = {.name = *name};
    if (columns != NULL) alias.columns = *columns;
    return alias;
}

lt_ast_relation *lt_build_source(lt_builder *b, lt_ast_relation *relation, lt_ast_sample *sample,
                                 lt_ast_watermark *watermark, const lt_ast_alias *alias) {
    const bool is_dressed = sample != NULL || watermark != NULL || alias->name.text != NULL;
    if (relation->parenthesized && relation->kind != LT_AST_RELATION_TABLE_QUERY && is_dressed) {
        // (a JOIN b) AS x names the whole: a query around it keeps the inner names apart.
        relation->parenthesized = false;
        lt_ast_query *query     = lt_build_query_from(b, relation);
        query->parenthesized    = true;
        query->place            = relation->place;
        relation                = relation_new(b, LT_AST_RELATION_TABLE_QUERY, &query->place);
        relation->query         = query;
        relation_depth(b, relation, query->depth);
    }
    if (is_dressed) {
        relation->sample    = sample;
        relation->watermark = watermark;
        relation->alias     = *alias;
        relation_span_to_here(b, relation);
    }
    return relation;
}

lt_ast_relation *lt_build_values(lt_builder *b, const lt_token *begin, const lt_ast_expression_lists *rows,
                                 const lt_ast_alias *alias) {
    lt_ast_relation *relation = relation_new(b, LT_AST_RELATION_VALUES, &begin->place);
    relation->rows            = *rows;
    relation->alias           = *alias;
    relation_depth(b, relation, rows_depth(rows));
    relation_span_to_here(b, relation);
    return relation;
}

lt_ast_relation *lt_build_table(lt_builder *b, const lt_ast_names *name, lt_ast_expression *as_of,
                                const lt_ast_options *options) {
    lt_place         first    = name->count > 0 ? name->items[0].place : b->tokens[b->at].place;
    lt_ast_relation *relation = relation_new(b, LT_AST_RELATION_TABLE, &first);
    relation->name            = *name;
    relation->as_of           = as_of;
    if (options != NULL) relation->options = *options;
    relation_span_to_here(b, relation);
    return relation;
}

lt_ast_relation *lt_build_stream(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                 const lt_ast_options *options) {
    lt_ast_relation *relation = lt_build_table(b, name, NULL, options);
    relation->is_stream       = true;
    relation->place           = span(&begin->place, &relation->place);
    return relation;
}

lt_ast_expression *lt_build_table_function(lt_builder *b, const lt_ast_names *name, const lt_ast_expressions *arguments,
                                           const lt_token *end) {
    lt_ast_expression *function = expression(b, LT_AST_COLUMN, &end->place);
    function->names             = *name;
    if (name->count > 0) function->place = name->items[0].place;
    return lt_build_call(b, function, false, arguments, end);
}

lt_ast_relation *lt_build_table_call(lt_builder *b, lt_ast_expression *call) {
    lt_ast_relation *relation = relation_new(b, LT_AST_RELATION_TABLE_CALL, &call->place);
    relation->call            = call;
    relation_depth(b, relation, call->depth);
    return relation;
}

lt_ast_relation *lt_build_stream_call(lt_builder *b, const lt_token *begin, lt_ast_expression *call) {
    lt_ast_relation *relation = lt_build_table_call(b, call);
    relation->is_stream       = true;
    relation->place           = span(&begin->place, &call->place);
    return relation;
}

lt_ast_relation *lt_build_table_of(lt_builder *b, const lt_token *begin, lt_ast_expression *call, const lt_token *end) {
    lt_ast_relation *relation = lt_build_table_call(b, call);
    relation->table_keyword   = true;
    relation->place           = span(&begin->place, &end->place);
    return relation;
}

lt_ast_relation *lt_build_deduplicate(lt_builder *b, const lt_token *begin, const lt_ast_names *table,
                                      const lt_ast_names *columns, bool within_watermark, const lt_token *end) {
    lt_place         place    = span(&begin->place, &end->place);
    lt_ast_relation *relation = relation_new(b, LT_AST_RELATION_DEDUPLICATE, &place);
    relation->name            = *table;
    if (columns != NULL) relation->columns = *columns;
    relation->within_watermark = within_watermark;
    return relation;
}

lt_ast_relation *lt_build_table_query(lt_builder *b, lt_ast_query *query) {
    lt_ast_relation *relation = relation_new(b, LT_AST_RELATION_TABLE_QUERY, &query->place);
    relation->query           = query;
    relation_depth(b, relation, query->depth);
    return relation;
}

lt_ast_relation *lt_build_relation_parens(lt_builder *b, const lt_token *begin, lt_ast_relation *relation,
                                          const lt_token *end) {
    (void)b;
    relation->parenthesized = true;
    relation->place         = span(&begin->place, &end->place);
    return relation;
}

lt_ast_sample *lt_build_sample(lt_builder *b, lt_ast_sample_kind kind, lt_ast_expression *size,
                               lt_ast_expression *total) {
    lt_ast_sample *sample = NEW(b, lt_ast_sample);
    sample->kind          = kind;
    sample->size          = size;
    sample->total         = total;
    return sample;
}

lt_ast_sample *lt_build_sample_seed(lt_ast_sample *sample, lt_ast_expression *seed) {
    sample->seed = seed;
    return sample;
}

lt_ast_watermark *lt_build_watermark(lt_builder *b, const lt_token *begin, const lt_ast_item *item,
                                     lt_ast_expression *delay) {
    lt_ast_watermark *watermark = NEW(b, lt_ast_watermark);
    watermark->item             = *item;
    watermark->delay            = delay;
    watermark->place            = span(&begin->place, &delay->place);
    return watermark;
}

lt_ast_relation *lt_build_lateral_view(lt_builder *b, const lt_token *begin, bool outer, lt_ast_expression *call,
                                       const lt_ast_name *table, const lt_ast_names *columns) {
    lt_ast_relation *view    = relation_new(b, LT_AST_RELATION_LATERAL_VIEW, &begin->place);
    view->call               = call;
    view->lateral_view_outer = outer;
    view->alias              = lt_build_table_alias(b, table, columns);
    relation_depth(b, view, call->depth);
    relation_span_to_here(b, view);
    return view;
}

lt_ast_relation *lt_build_pivot(lt_builder *b, const lt_token *begin, const lt_ast_items *aggregates,
                                const lt_ast_names *columns, const lt_ast_items *values, const lt_token *end,
                                const lt_ast_alias *alias) {
    lt_place         place      = span(&begin->place, &end->place);
    lt_ast_relation *relation   = relation_new(b, LT_AST_RELATION_PIVOT, &place);
    relation->pivot             = NEW(b, lt_ast_pivot);
    relation->pivot->aggregates = *aggregates;
    relation->pivot->columns    = *columns;
    relation->pivot->values     = *values;
    relation->alias             = *alias;
    relation_depth(b, relation, items_depth(aggregates));
    relation_depth(b, relation, items_depth(values));
    return relation;
}

lt_ast_relation *lt_build_unpivot(lt_builder *b, const lt_token *begin, int nulls, lt_ast_unpivot *head,
                                  const lt_ast_unpivot_sets *sets, const lt_token *end, const lt_ast_alias *alias) {
    lt_place         place      = span(&begin->place, &end->place);
    lt_ast_relation *relation   = relation_new(b, LT_AST_RELATION_UNPIVOT, &place);
    relation->unpivot           = head;
    head->include_nulls         = nulls == 1;
    head->exclude_nulls_written = nulls == 2;
    head->sets                  = *sets;
    relation->alias             = *alias;
    for (uint32_t i = 0; i < sets->count; i++)
        if (!head->has_tuple && sets->items[i].columns.count != 1)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &place, "syntax error: UNPIVOT of one value takes single columns");
    return relation;
}

lt_ast_unpivot *lt_build_unpivot_head(lt_builder *b, const lt_ast_names *values, bool is_tuple,
                                      const lt_ast_name *name) {
    lt_ast_unpivot *unpivot = NEW(b, lt_ast_unpivot);
    unpivot->value_columns  = *values;
    unpivot->has_tuple      = is_tuple;
    unpivot->name_column    = *name;
    return unpivot;
}

LIST_BUILDER(lt_build_unpivot_sets, lt_ast_unpivot_sets, const lt_ast_unpivot_set *set, *set)

lt_ast_unpivot_set lt_build_unpivot_set(const lt_ast_name_lists *columns, const lt_ast_name *alias) {
    return (lt_ast_unpivot_set){.columns = *columns, .alias = *alias};
}

// ---- options ----
LIST_BUILDER(lt_build_options, lt_ast_options, const lt_ast_option *option, *option)

lt_ast_option lt_build_option(const lt_ast_name *key, lt_ast_expression *value) {
    return (lt_ast_option){.key = *key, .value = value};
}

lt_ast_name lt_build_option_key(lt_builder *b, const lt_ast_names *parts) {
    if (b->status != LEAT_OK) return (lt_ast_name){.text = ""};
    if (parts->count == 1) return parts->items[0];
    lt_ast_name key = parts->items[0];
    for (uint32_t i = 1; i < parts->count && b->status == LEAT_OK; i++) {
        const char *joined = lt_arena_format(b->arena, "%s.%s", key.text, parts->items[i].text);
        if (joined == NULL)
            b->status = lt_raise_no_memory(b->err);
        else
            key.text = joined;
    }
    key.bytes  = (uint32_t)strlen(key.text);
    key.quoted = true;
    key.place  = span(&key.place, &parts->items[parts->count - 1].place);
    return key;
}

lt_ast_name lt_build_option_string(const lt_string *string) {
    return (lt_ast_name){
        .text = string->text.text, .bytes = string->text.bytes, .quoted = true, .place = string->place};
}

// ---- statements ----
static lt_ast_statement *statement_new(lt_builder *b, lt_ast_statement_kind kind, const lt_place *place) {
    lt_ast_statement *statement = NEW(b, lt_ast_statement);
    statement->kind             = kind;
    statement->place            = *place;
    return statement;
}

lt_ast_statement *lt_build_query_statement(lt_builder *b, lt_ast_query *query) {
    lt_ast_statement *statement = statement_new(b, LT_AST_STATEMENT_QUERY, &query->place);
    statement->query            = query;
    return statement;
}

lt_ast_query *lt_build_emit(lt_builder *b, lt_ast_query *query, lt_ast_emit emit, const lt_ast_organization *limit) {
    lt_ast_query *outer = query_open(b, query);
    outer->emit         = emit;
    if (limit != NULL && (outer->organization.limit != NULL || outer->organization.offset != NULL))
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &b->tokens[b->at].place, "syntax error: LIMIT stands twice");
    if (limit != NULL) lt_build_limited(&outer->organization, limit);
    return outer;
}

lt_ast_statement *lt_build_create(lt_builder *b, const lt_token *begin, bool or_replace, bool temporary, bool global) {
    lt_ast_statement *statement = statement_new(b, LT_AST_STATEMENT_CREATE_TABLE, &begin->place);
    statement->or_replace       = or_replace;
    statement->temporary        = temporary;
    statement->global           = global;
    return statement;
}

lt_ast_statement *lt_build_create_named(lt_builder *b, lt_ast_statement *statement, lt_ast_statement_kind kind,
                                        bool streaming, bool if_not_exists, const lt_ast_names *name) {
    if (kind == LT_AST_STATEMENT_CREATE_VIEW && statement->or_replace && if_not_exists)
        lt_build_fail(b, LT_CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE, &b->tokens[b->at].place,
                      "OR REPLACE and IF NOT EXISTS exclude each other");
    statement->kind          = kind;
    statement->streaming     = streaming;
    statement->if_not_exists = if_not_exists;
    statement->name          = *name;
    return statement;
}

lt_ast_statement *lt_build_create_elements(lt_builder *b, lt_ast_statement *statement,
                                           const lt_ast_statement *elements) {
    statement->columns     = elements->columns;
    statement->watermarks  = elements->watermarks;
    statement->primary_key = elements->primary_key;
    const bool is_view =
        statement->kind == LT_AST_STATEMENT_CREATE_VIEW || statement->kind == LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW;
    for (uint32_t i = 0; i < statement->columns.count && !is_view; i++) {
        const lt_ast_column *column = &statement->columns.items[i];
        if (column->type == NULL && column->generated == NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &column->name.place, "syntax error: column `%s` has no type",
                          column->name.text);
    }
    return statement;
}

lt_ast_statement *lt_build_create_using(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *name) {
    statement->using_name        = lt_build_option_key(b, name);
    statement->using_name.quoted = name->count != 1 || name->items[0].quoted;
    return statement;
}

static void options_append(lt_builder *b, lt_ast_options *list, const lt_ast_options *more) {
    for (uint32_t i = 0; i < more->count; i++) LIST_PUSH(b, list, more->items[i]);
}

lt_ast_statement *lt_build_create_options(lt_builder *b, lt_ast_statement *statement, const lt_ast_options *options) {
    options_append(b, &statement->options, options);
    return statement;
}

lt_ast_statement *lt_build_create_properties(lt_builder *b, lt_ast_statement *statement,
                                             const lt_ast_options *options) {
    options_append(b, &statement->properties, options);
    return statement;
}

lt_ast_statement *lt_build_create_partitioned(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *names) {
    (void)b;
    statement->partitioned_by = *names;
    return statement;
}

lt_ast_statement *lt_build_create_location(lt_ast_statement *statement, const lt_string *text) {
    statement->location = text->text;
    return statement;
}

lt_ast_statement *lt_build_create_comment(lt_ast_statement *statement, const lt_string *text) {
    statement->comment = text->text;
    return statement;
}

// Checks what the shared shape of all CREATE statements leaves open.
lt_ast_statement *lt_build_create_end(lt_builder *b, lt_ast_statement *statement, lt_ast_query *query,
                                      lt_ast_emit emit) {
    const lt_token *here = &b->tokens[b->at];
    statement->query     = query;
    if (query != NULL && emit != LT_AST_EMIT_NONE) statement->query = lt_build_emit(b, query, emit, NULL);
    switch (statement->kind) {
    case LT_AST_STATEMENT_CREATE_VIEW:
        if (query == NULL && statement->using_name.text == NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &here->place, "syntax error: a view wants AS and a query");
        break;
    case LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW:
    case LT_AST_STATEMENT_CREATE_SINK:
        if (query == NULL && !statement->streaming)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &here->place,
                          "syntax error: a standing query wants AS and a query");
        break;
    case LT_AST_STATEMENT_CREATE_STREAM:
        if (query != NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &query->place,
                          "syntax error: a stream has a source, no query; use CREATE VIEW or CREATE MATERIALIZED VIEW");
        break;
    default:
        break;
    }
    if (b->at > 0) statement->place = span(&statement->place, &b->tokens[b->at - 1].place);
    return statement;
}

lt_ast_statement *lt_build_elements(lt_builder *b, lt_ast_statement *list, const lt_ast_statement *element) {
    if (list == NULL) list = NEW(b, lt_ast_statement);
    for (uint32_t i = 0; i < element->columns.count; i++) LIST_PUSH(b, &list->columns, element->columns.items[i]);
    for (uint32_t i = 0; i < element->watermarks.count; i++)
        LIST_PUSH(b, &list->watermarks, element->watermarks.items[i]);
    if (element->primary_key.count > 0) list->primary_key = element->primary_key;
    return list;
}

lt_ast_statement *lt_build_element_column(lt_builder *b, const lt_ast_column *column) {
    lt_ast_statement *element = NEW(b, lt_ast_statement);
    LIST_PUSH(b, &element->columns, *column);
    return element;
}

lt_ast_statement *lt_build_element_watermark(lt_builder *b, const lt_token *begin, const lt_ast_name *name,
                                             lt_ast_expression *e) {
    lt_ast_statement *element   = NEW(b, lt_ast_statement);
    lt_ast_watermark *watermark = NEW(b, lt_ast_watermark);
    watermark->item             = lt_build_item(lt_build_column(b, name), NULL, NULL);
    watermark->delay            = e;
    watermark->place            = span(&begin->place, &e->place);
    LIST_PUSH(b, &element->watermarks, watermark);
    return element;
}

lt_ast_statement *lt_build_element_key(lt_builder *b, const lt_ast_names *names) {
    lt_ast_statement *element = NEW(b, lt_ast_statement);
    element->primary_key      = *names;
    return element;
}

lt_ast_column lt_build_column_definition(const lt_ast_name *name, lt_ast_type *type) {
    return (lt_ast_column){.name = *name, .type = type};
}

lt_ast_column lt_build_column_generated(const lt_ast_name *name, lt_ast_expression *e) {
    return (lt_ast_column){.name = *name, .generated = e};
}

lt_ast_column lt_build_column_generated_always(const lt_ast_column *column, lt_ast_expression *e) {
    lt_ast_column changed = *column;
    changed.generated     = e;
    return changed;
}

lt_ast_column lt_build_column_not_null(const lt_ast_column *column) {
    lt_ast_column changed = *column;
    changed.not_null      = true;
    return changed;
}

lt_ast_column lt_build_column_default(const lt_ast_column *column, lt_ast_expression *e) {
    lt_ast_column changed = *column;
    changed.default_value = e;
    return changed;
}

lt_ast_column lt_build_column_comment(const lt_ast_column *column, const lt_string *text) {
    lt_ast_column changed = *column;
    changed.comment       = text->text;
    return changed;
}

LIST_BUILDER(lt_build_columns, lt_ast_columns, const lt_ast_column *column, *column)

lt_ast_statement *lt_build_function(lt_builder *b, lt_ast_statement *statement, bool if_not_exists,
                                    const lt_ast_names *name, const lt_ast_columns *parameters) {
    statement->kind          = LT_AST_STATEMENT_CREATE_FUNCTION;
    statement->if_not_exists = if_not_exists;
    statement->name          = *name;
    if (parameters != NULL) statement->columns = *parameters;
    for (uint32_t i = 0; i < statement->columns.count; i++)
        if (statement->columns.items[i].type == NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &statement->columns.items[i].name.place,
                          "syntax error: parameter `%s` has no type", statement->columns.items[i].name.text);
    return statement;
}

lt_ast_statement *lt_build_function_returns(lt_builder *b, lt_ast_statement *statement, lt_ast_type *type,
                                            const lt_ast_columns *columns, bool is_table) {
    (void)b;
    statement->type   = type;
    statement->object = is_table ? LT_AST_OBJECT_TABLE : LT_AST_OBJECT_NONE;
    if (columns != NULL) statement->returns_columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_function_body(lt_ast_statement *statement, lt_ast_expression *body, lt_ast_query *query) {
    statement->body  = body;
    statement->query = query;
    statement->place = span(&statement->place, body != NULL ? &body->place : &query->place);
    return statement;
}

lt_ast_statement *lt_build_create_unsupported(lt_builder *b, lt_ast_statement *statement, const lt_token *word,
                                              bool if_not_exists, const lt_ast_names *name) {
    statement->kind          = LT_AST_STATEMENT_CREATE_UNSUPPORTED;
    statement->what          = text_copy(b, word->text, word->bytes);
    statement->if_not_exists = if_not_exists;
    statement->name          = *name;
    return statement;
}

lt_ast_statement *lt_build_named(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                 const lt_ast_names *name) {
    lt_ast_statement *statement = statement_new(b, kind, &begin->place);
    if (name != NULL) statement->name = *name;
    if (b->at > 0) statement->place = span(&begin->place, &b->tokens[b->at - 1].place);
    return statement;
}

lt_ast_statement *lt_build_insert(lt_builder *b, const lt_token *begin, bool overwrite, const lt_ast_names *name,
                                  const lt_ast_names *columns, bool by_name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_INSERT, begin, name);
    statement->overwrite        = overwrite;
    statement->by_name          = by_name;
    if (columns != NULL) statement->target_columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_insert_query(lt_ast_statement *statement, lt_ast_query *query) {
    statement->query = query;
    statement->place = span(&statement->place, &query->place);
    return statement;
}

lt_ast_statement *lt_build_delete(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                  const lt_ast_alias *alias, lt_ast_expression *where) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DELETE, begin, name);
    statement->alias            = *alias;
    statement->where            = where;
    return statement;
}

lt_ast_statement *lt_build_update(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                  const lt_ast_alias *alias, const lt_ast_assignments *assignments,
                                  lt_ast_expression *where) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_UPDATE, begin, name);
    statement->alias            = *alias;
    statement->assignments      = *assignments;
    statement->where            = where;
    return statement;
}

LIST_BUILDER(lt_build_assignments_add, lt_ast_assignments, const lt_ast_assignment *assignment, *assignment)

lt_ast_assignments *lt_build_assignments(lt_builder *b, lt_ast_assignments *list, const lt_ast_names *target,
                                         lt_ast_expression *value) {
    lt_ast_assignment assignment = {.target = *target, .value = value};
    return lt_build_assignments_add(b, list, &assignment);
}

lt_ast_statement *lt_build_drop(lt_builder *b, const lt_token *begin, lt_ast_object object, bool temporary,
                                bool if_exists, const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DROP, begin, name);
    statement->object           = object;
    statement->temporary        = temporary;
    statement->if_exists        = if_exists;
    return statement;
}

lt_ast_statement *lt_build_drop_variable(lt_builder *b, const lt_token *begin, bool if_exists,
                                         const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DROP_VARIABLE, begin, name);
    statement->if_exists        = if_exists;
    return statement;
}

lt_ast_statement *lt_build_alter_names(lt_ast_statement *statement, lt_ast_alter alter, const lt_ast_names *name) {
    statement->alter    = alter;
    statement->new_name = *name;
    return statement;
}

lt_ast_statement *lt_build_alter_options(lt_ast_statement *statement, lt_ast_alter alter,
                                         const lt_ast_options *options) {
    statement->alter      = alter;
    statement->properties = *options;
    return statement;
}

lt_ast_statement *lt_build_alter_unset(lt_ast_statement *statement, bool if_exists, const lt_ast_options *options) {
    statement->if_exists = if_exists;
    return lt_build_alter_options(statement, LT_AST_ALTER_UNSET_PROPERTIES, options);
}

lt_ast_statement *lt_build_alter_columns(lt_ast_statement *statement, lt_ast_alter alter,
                                         const lt_ast_columns *columns) {
    statement->alter   = alter;
    statement->columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_alter_targets(lt_ast_statement *statement, lt_ast_alter alter, const lt_ast_names *names) {
    statement->alter          = alter;
    statement->target_columns = *names;
    return statement;
}

lt_ast_statement *lt_build_alter_as(lt_ast_statement *statement, lt_ast_query *query) {
    statement->alter = LT_AST_ALTER_AS;
    statement->query = query;
    return statement;
}

lt_token lt_build_joined_token(const lt_token *first, const lt_token *last) {
    lt_token token = *first;
    token.place    = span(&first->place, &last->place);
    token.bytes    = token.place.bytes;
    return token;
}

lt_ast_statement *lt_build_show(lt_builder *b, const lt_token *begin, const lt_token *what, const lt_ast_names *name,
                                const lt_string *pattern) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_SHOW, begin, name);
    char             *upper     = lt_arena_text(b->arena, what->text, what->bytes);
    if (upper == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return statement;
    }
    for (uint32_t i = 0; i < what->bytes; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z') upper[i] = (char)(upper[i] - 32);
    statement->what = (lt_ast_text){upper, what->bytes};
    if (pattern != NULL) statement->pattern = pattern->text;
    if (what->terminal != 0 && what->kind == LT_SCAN_WORD && lt_text_equal_without_case(upper, "CREATE", 7))
        statement->object = LT_AST_OBJECT_TABLE;
    return statement;
}

lt_ast_statement *lt_build_describe(lt_builder *b, const lt_token *begin, lt_ast_object object, bool extended,
                                    const lt_ast_names *name, const lt_ast_name *column) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DESCRIBE, begin, name);
    statement->object           = object;
    statement->extended         = extended;
    if (column != NULL) LIST_PUSH(b, &statement->target_columns, *column);
    return statement;
}

lt_ast_statement *lt_build_describe_query(lt_builder *b, const lt_token *begin, lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DESCRIBE, begin, NULL);
    statement->object           = LT_AST_OBJECT_QUERY;
    statement->query            = query;
    return statement;
}

lt_ast_statement *lt_build_explain(lt_builder *b, const lt_token *begin, lt_ast_explain explain,
                                   lt_ast_statement *inner) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_EXPLAIN, begin, NULL);
    statement->explain          = explain;
    statement->statement        = inner;
    if (inner->kind == LT_AST_STATEMENT_EXPLAIN)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &inner->place, "syntax error: EXPLAIN of an EXPLAIN");
    return statement;
}

lt_ast_statement *lt_build_set_key(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                   const lt_token *key, const lt_token *value) {
    lt_ast_statement *statement = lt_build_named(b, kind, begin, NULL);
    if (key != NULL) {
        lt_ast_name name = lt_build_name(b, key);
        statement->key   = (lt_ast_text){name.text, name.bytes};
    }
    if (value != NULL)
        statement->value =
            value->kind == LT_SCAN_STRING ? string_decode(b, value) : text_copy(b, value->text, value->bytes);
    return statement;
}

lt_ast_statement *lt_build_time_zone(lt_builder *b, const lt_token *begin, const lt_string *zone,
                                     lt_ast_expression *interval) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_SET_TIME_ZONE, begin, NULL);
    if (zone != NULL) statement->value = zone->text;
    statement->delay = interval;
    return statement;
}

lt_ast_statement *lt_build_set_variable(lt_builder *b, const lt_token *begin, const lt_ast_assignments *assignments,
                                        const lt_ast_names *names, lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_SET_VARIABLE, begin, NULL);
    if (assignments != NULL) statement->assignments = *assignments;
    if (names != NULL) statement->target_columns = *names;
    statement->query = query;
    return statement;
}

lt_ast_statement *lt_build_declare(lt_builder *b, const lt_token *begin, bool or_replace, const lt_ast_names *names,
                                   lt_ast_type *type) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DECLARE_VARIABLE, begin, NULL);
    statement->or_replace       = or_replace;
    statement->target_columns   = *names;
    statement->type             = type;
    return statement;
}

lt_ast_statement *lt_build_declare_default(lt_ast_statement *statement, lt_ast_expression *e) {
    statement->body = e;
    return statement;
}

lt_ast_statement *lt_build_copy(lt_builder *b, const lt_token *begin, const lt_ast_names *name, lt_ast_query *query,
                                const lt_string *path, const lt_ast_options *options) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_COPY, begin, name);
    statement->query            = query;
    statement->path             = path->text;
    if (options != NULL) statement->options = *options;
    return statement;
}

lt_ast_statement *lt_build_wait(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                const lt_ast_names *name, lt_ast_expression *timeout) {
    lt_ast_statement *statement = lt_build_named(b, kind, begin, name);
    statement->delay            = timeout;
    return statement;
}

lt_ast_statement *lt_build_execute(lt_builder *b, const lt_token *begin, lt_ast_expression *text,
                                   const lt_ast_names *into, const lt_ast_items *arguments) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_EXECUTE_IMMEDIATE, begin, NULL);
    statement->body             = text;
    if (into != NULL) statement->target_columns = *into;
    if (arguments != NULL) statement->items = *arguments;
    return statement;
}

lt_ast_statement *lt_build_cache(lt_builder *b, const lt_token *begin, bool if_exists, const lt_ast_names *name,
                                 lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_CACHE, begin, name);
    statement->what             = text_copy(b, begin->text, begin->bytes);
    statement->if_exists        = if_exists;
    statement->query            = query;
    return statement;
}

// ---- syntax errors ----
static bool could_follow(const void *parser, int terminal) { return lt_grammar_accepts(parser, terminal); }

// The keyword nearest to a misspelled word, of those that could stand there if `parser` is given; NULL: none is near.
static const char *nearest_keyword(const lt_token *word, const void *parser) {
    if (word->kind != LT_SCAN_WORD || word->keyword != 0 || word->bytes < 3 || word->bytes > 20) return NULL;
    char upper[24];
    for (uint32_t i = 0; i < word->bytes; i++)
        upper[i] = (char)(word->text[i] >= 'a' && word->text[i] <= 'z' ? word->text[i] - 32 : word->text[i]);
    const char *nearest = NULL;
    size_t      best    = word->bytes <= 4 ? 2 : 3;
    for (size_t i = 0; i < lt_keyword_count(); i++) {
        const lt_keyword *keyword = lt_keyword_at(i);
        if (parser != NULL && !could_follow(parser, keyword->terminal)) continue;
        const size_t bytes    = strlen(keyword->text);
        const size_t distance = lt_edit_distance(upper, word->bytes, keyword->text, bytes);
        const bool is_as_near = nearest != NULL && distance == best && bytes == word->bytes && strlen(nearest) != bytes;
        if (distance > 0 && (distance < best || is_as_near)) {
            best    = distance;
            nearest = keyword->text;
        }
    }
    return nearest;
}

// What a reader would try first comes first.
static size_t expected_list(const void *parser, const char **out, size_t capacity) {
    static const struct {
        int         terminal;
        const char *text;
    } marks[]                        = {{LT_TOKEN_WORD, "a name"}, {LT_TOKEN_NUMBER, "a value"}, {LT_TOKEN_LP, "`(`"},
                                        {LT_TOKEN_RP, "`)`"},      {LT_TOKEN_COMMA, "`,`"},      {LT_TOKEN_STRING, "a string"},
                                        {LT_TOKEN_EQ, "`=`"},      {LT_TOKEN_RBRACKET, "`]`"},   {LT_TOKEN_INTERVAL, "an INTERVAL"}};
    static const char *const first[] = {"SELECT", "FROM", "WHERE", "BY",   "AS",  "ON",   "JOIN", "TABLE", "VALUES",
                                        "AND",    "THEN", "END",   "WHEN", "SET", "INTO", "TO",   "VIEW",  "QUERY"};
    size_t                   count   = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && count < capacity; i++)
        if (could_follow(parser, marks[i].terminal)) out[count++] = marks[i].text;
    for (size_t i = 0; i < sizeof first / sizeof first[0] && count < capacity; i++) {
        const lt_keyword *keyword = lt_keyword_find(first[i], strlen(first[i]));
        if (keyword != NULL && could_follow(parser, keyword->terminal)) out[count++] = keyword->text;
    }
    if (count < capacity && could_follow(parser, 0)) out[count++] = "the end";
    for (size_t i = 0; i < lt_keyword_count() && count < capacity; i++)
        if (could_follow(parser, lt_keyword_at(i)->terminal)) {
            bool is_listed = false;
            for (size_t j = 0; j < count; j++) is_listed |= strcmp(out[j], lt_keyword_at(i)->text) == 0;
            if (!is_listed) out[count++] = lt_keyword_at(i)->text;
        }
    return count;
}

void lt_build_syntax_error(lt_builder *b, const lt_token *token, const void *parser) {
    const lt_token *before = b->at > 0 ? &b->tokens[b->at - 1] : NULL;
    if (token->terminal == LT_TOKEN_DASH && before != NULL && before->kind == LT_SCAN_WORD &&
        before->place.offset + before->place.bytes == token->place.offset && token[0].place.bytes == 1 &&
        b->tokens[b->at + 1].kind == LT_SCAN_WORD && b->tokens[b->at + 1].place.offset == token->place.offset + 1) {
        lt_build_fail(b, LT_INVALID_IDENTIFIER, &before->place,
                      "`%.*s-%.*s` is no name; put back-quotes around it to use it as one", (int)before->bytes,
                      before->text, (int)b->tokens[b->at + 1].bytes, b->tokens[b->at + 1].text);
        return;
    }
    const char *expected[3] = {NULL, NULL, NULL};
    size_t      count       = expected_list(parser, expected, 3);
    char        wanted[128] = "";
    if (count > 0)
        snprintf(wanted, sizeof wanted, "; expected %s%s%s%s%s", expected[0],
                 count > 2   ? ", "
                 : count > 1 ? " or "
                             : "",
                 count > 1 ? expected[1] : "", count > 2 ? " or " : "", count > 2 ? expected[2] : "");
    const char *nearest  = nearest_keyword(token, parser);
    char        hint[96] = "";
    if (nearest != NULL) {
        snprintf(hint, sizeof hint, "; did you mean %s?", nearest);
    } else if (before != NULL && before->terminal == LT_TOKEN_WORD) {
        nearest = nearest_keyword(before, NULL);
        if (nearest != NULL)
            snprintf(hint, sizeof hint, "; did you mean %s instead of `%.*s`?", nearest, (int)before->bytes,
                     before->text);
    }
    if (token->terminal == 0)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error at the end of the statement%s%s", wanted,
                      hint);
    else
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error at `%.*s`%s%s",
                      (int)(token->bytes < 60 ? token->bytes : 60), token->text, wanted, hint);
}
