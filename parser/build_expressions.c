#include "parser/build_node.h"

#include "base/ascii.h"
#include "base/edit_distance.h"

#include <string.h>

// Every node counts its depth as it takes its children, so that no later pass can recurse too deep.

lt_ast_expression *lt_build_expression_new(lt_builder *b, lt_ast_expression_kind kind, const lt_place *place) {
    lt_ast_expression *e = NEW(b, lt_ast_expression);
    e->kind              = kind;
    e->depth             = 1;
    e->place             = *place;
    return e;
}

void lt_build_expression_depth(lt_builder *b, lt_ast_expression *e, uint32_t inner) {
    if (inner + 1 > LT_AST_DEPTH_MAX) {
        lt_build_too_deep(b);
        return;
    }
    if (e->depth < inner + 1) e->depth = (uint16_t)(inner + 1);
}

void lt_build_argument_add(lt_builder *b, lt_ast_expression *e, lt_ast_expression *argument) {
    LIST_PUSH(b, &e->arguments, argument);
    lt_build_expression_depth(b, e, argument->depth);
}

void lt_build_arguments_set(lt_builder *b, lt_ast_expression *e, const lt_ast_expressions *arguments) {
    if (arguments == NULL) return;
    e->arguments = *arguments;
    for (uint32_t i = 0; i < arguments->count; i++) lt_build_expression_depth(b, e, arguments->items[i]->depth);
}

LIST_BUILDER(lt_build_expressions, lt_ast_expressions, lt_ast_expression *item, item)

lt_ast_expression *lt_build_chain(lt_builder *b, lt_ast_expression_kind kind, lt_ast_expression *left,
                                  lt_ast_expression *right) {
    if (left->kind == kind && !left->parenthesized && b->status == LEAT_OK) {
        lt_build_argument_add(b, left, right);
        left->place = lt_build_span(&left->place, &right->place);
        return left;
    }
    lt_place           place = lt_build_span(&left->place, &right->place);
    lt_ast_expression *e     = lt_build_expression_new(b, kind, &place);
    lt_build_argument_add(b, e, left);
    lt_build_argument_add(b, e, right);
    return e;
}

lt_ast_expression *lt_build_not(lt_builder *b, const lt_token *token, lt_ast_expression *argument) {
    lt_place           place = lt_build_span(&token->place, &argument->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_NOT, &place);
    lt_build_argument_add(b, e, argument);
    return e;
}

lt_ast_expression *lt_build_exists(lt_builder *b, const lt_token *token, lt_ast_query *query) {
    lt_place           place = lt_build_span(&token->place, &query->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_EXISTS, &place);
    e->query                 = query;
    lt_build_expression_depth(b, e, query->depth);
    return e;
}

lt_ast_expression *lt_build_between(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_expression *low,
                                    lt_ast_expression *high) {
    lt_place           place = lt_build_span(&value->place, &high->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_BETWEEN, &place);
    e->negated               = negated;
    lt_build_argument_add(b, e, value);
    lt_build_argument_add(b, e, low);
    lt_build_argument_add(b, e, high);
    return e;
}

lt_ast_expression *lt_build_in(lt_builder *b, lt_ast_expression *value, bool negated, const lt_ast_expressions *list,
                               const lt_token *end) {
    lt_place           place = lt_build_span(&value->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_IN, &place);
    e->negated               = negated;
    lt_build_argument_add(b, e, value);
    for (uint32_t i = 0; i < list->count; i++) lt_build_argument_add(b, e, list->items[i]);
    return e;
}

lt_ast_expression *lt_build_in_query(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_query *query) {
    lt_place           place = lt_build_span(&value->place, &query->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_IN, &place);
    e->negated               = negated;
    e->query                 = query;
    lt_build_argument_add(b, e, value);
    lt_build_expression_depth(b, e, query->depth);
    return e;
}

lt_ast_expression *lt_build_like(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                 lt_ast_expression *pattern) {
    lt_place           place = lt_build_span(&value->place, &pattern->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_LIKE, &place);
    e->negated               = negated;
    e->like.kind             = kind;
    lt_build_argument_add(b, e, value);
    lt_build_argument_add(b, e, pattern);
    return e;
}

lt_ast_expression *lt_build_like_escape(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                        lt_ast_expression *pattern, const lt_token *escape) {
    lt_ast_expression *e    = lt_build_like(b, value, negated, kind, pattern);
    lt_ast_text        text = lt_build_decoded_string(b, escape);
    if (kind == LT_AST_LIKE_RLIKE) {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &escape->place, "syntax error: RLIKE takes no ESCAPE");
    } else if (text.bytes != 1 && b->status == LEAT_OK) {
        lt_build_fail(b, LT_INVALID_ESC, &escape->place, "ESCAPE takes one character, found `%s`", text.text);
    }
    e->like.has_escape = true;
    e->like.escape     = text.text[0];
    e->place           = lt_build_span(&e->place, &escape->place);
    return e;
}

lt_ast_expression *lt_build_like_list(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                      lt_ast_like_quantifier quantifier, const lt_ast_expressions *patterns,
                                      const lt_token *end) {
    lt_place           place = lt_build_span(&value->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_LIKE, &place);
    e->negated               = negated;
    e->like.kind             = kind;
    e->like.quantifier       = quantifier;
    lt_build_argument_add(b, e, value);
    if (kind == LT_AST_LIKE_RLIKE)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &place, "syntax error: RLIKE takes one pattern");
    if (patterns == NULL)
        lt_build_fail(b, LT_INVALID_SQL_SYNTAX__EMPTY_QUANTIFIED_PATTERN, &place,
                      "LIKE ANY and LIKE ALL want at least one pattern");
    for (uint32_t i = 0; patterns != NULL && i < patterns->count; i++) lt_build_argument_add(b, e, patterns->items[i]);
    return e;
}

lt_ast_expression *lt_build_is(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_is is,
                               const lt_token *end) {
    lt_place           place = lt_build_span(&value->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_IS, &place);
    e->negated               = negated;
    e->is                    = is;
    lt_build_argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_is_distinct(lt_builder *b, lt_ast_expression *value, bool negated,
                                        lt_ast_expression *other) {
    lt_place           place = lt_build_span(&value->place, &other->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_IS, &place);
    e->negated               = negated;
    e->is                    = LT_AST_IS_DISTINCT_FROM;
    lt_build_argument_add(b, e, value);
    lt_build_argument_add(b, e, other);
    return e;
}

lt_ast_expression *lt_build_binary(lt_builder *b, lt_ast_operator operator, lt_ast_expression * left,
                                   lt_ast_expression *right) {
    lt_place           place = lt_build_span(&left->place, &right->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_BINARY, &place);
    e->operator= operator;
    lt_build_argument_add(b, e, left);
    lt_build_argument_add(b, e, right);
    return e;
}

lt_ast_expression *lt_build_unary(lt_builder *b, lt_ast_operator operator, const lt_token * token,
                                  lt_ast_expression *value) {
    lt_place           place = lt_build_span(&token->place, &value->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_UNARY, &place);
    e->operator= operator;
    lt_build_argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_literal(lt_builder *b, lt_ast_literal_kind kind, const lt_place *place, lt_ast_text text) {
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_LITERAL, place);
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
        return lt_build_literal(b, LT_AST_LITERAL_NUMBER, &token->place, (lt_ast_text){"0", 1});
    }
    uint32_t sign = token->negative ? 1 : 0;
    text[0]       = '-';
    memcpy(text + sign, token->text, bytes);
    text[sign + bytes]   = '\0';
    lt_ast_expression *e = lt_build_literal(b, LT_AST_LITERAL_NUMBER, &token->place, (lt_ast_text){text, sign + bytes});
    e->literal.suffix    = suffix;
    return e;
}

lt_ast_expression *lt_build_string_literal(lt_builder *b, const lt_string *string) {
    return lt_build_literal(b, LT_AST_LITERAL_STRING, &string->place, string->text);
}

lt_ast_expression *lt_build_binary_literal(lt_builder *b, const lt_token *token) {
    return lt_build_literal(b, LT_AST_LITERAL_BINARY, &token->place, lt_build_decoded_string(b, token));
}

lt_ast_expression *lt_build_typed_literal(lt_builder *b, const lt_token *word, const lt_string *string) {
    static const char *const types[] = {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"};
    lt_place                 place   = lt_build_span(&word->place, &string->place);
    lt_ast_expression       *e       = lt_build_literal(b, LT_AST_LITERAL_TYPED, &place, string->text);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (word->bytes == strlen(types[i]) && lt_ascii_equal(word->text, types[i], word->bytes))
            e->literal.type_name = types[i];
    return e;
}

lt_ast_expression *lt_build_constant(lt_builder *b, lt_ast_literal_kind kind, const lt_token *token) {
    return lt_build_literal(b, kind, &token->place, lt_build_text(b, token->text, token->bytes));
}

lt_ast_expression *lt_build_word_literal(lt_builder *b, const lt_token *token) {
    lt_ast_name name = lt_build_name(b, token);
    return lt_build_literal(b, LT_AST_LITERAL_STRING, &token->place, (lt_ast_text){name.text, name.bytes});
}

lt_ast_expression *lt_build_column(lt_builder *b, const lt_ast_name *name) {
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_COLUMN, &name->place);
    LIST_PUSH(b, &e->names, *name);
    return e;
}

lt_ast_expression *lt_build_field_of(lt_builder *b, lt_ast_expression *base, const lt_ast_name *name) {
    lt_place place = lt_build_span(&base->place, &name->place);
    if (base->kind == LT_AST_COLUMN && b->status == LEAT_OK) {
        LIST_PUSH(b, &base->names, *name);
        base->place = place;
        return base;
    }
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_FIELD, &place);
    e->name              = *name;
    lt_build_argument_add(b, e, base);
    return e;
}

lt_ast_expression *lt_build_variant_path(lt_builder *b, lt_ast_expression *base, const lt_ast_name *name) {
    lt_place           place = lt_build_span(&base->place, &name->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_VARIANT_PATH, &place);
    e->name                  = *name;
    lt_build_argument_add(b, e, base);
    return e;
}

lt_ast_expression *lt_build_index(lt_builder *b, lt_ast_expression *base, lt_ast_expression *index,
                                  const lt_token *end) {
    lt_place           place = lt_build_span(&base->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_INDEX, &place);
    lt_build_argument_add(b, e, base);
    lt_build_argument_add(b, e, index);
    return e;
}

lt_ast_expression *lt_build_cast(lt_builder *b, lt_ast_spelling spelling, const lt_token *begin,
                                 lt_ast_expression *value, lt_ast_type *type, const lt_token *end) {
    lt_place place =
        lt_build_span(begin != NULL ? &begin->place : &value->place, end != NULL ? &end->place : &type->place);
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_CAST, &place);
    e->spelling          = spelling;
    e->type              = type;
    lt_build_argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_collate(lt_builder *b, lt_ast_expression *value, const lt_ast_name *collation) {
    lt_place           place = lt_build_span(&value->place, &collation->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_COLLATE, &place);
    LIST_PUSH(b, &e->names, *collation);
    lt_build_argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_case(lt_builder *b, const lt_token *begin, lt_ast_expression *operand,
                                 const lt_ast_expressions *whens, lt_ast_expression *otherwise, const lt_token *end) {
    lt_place           place = lt_build_span(&begin->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_CASE, &place);
    e->has_operand           = operand != NULL;
    e->has_else              = otherwise != NULL;
    if (operand != NULL) lt_build_argument_add(b, e, operand);
    for (uint32_t i = 0; i < whens->count; i++) lt_build_argument_add(b, e, whens->items[i]);
    if (otherwise != NULL) lt_build_argument_add(b, e, otherwise);
    return e;
}

lt_ast_expression *lt_build_parentheses(lt_builder *b, const lt_token *begin, lt_ast_expression *e,
                                        const lt_token *end) {
    (void)b;
    e->parenthesized = true;
    e->place         = lt_build_span(&begin->place, &end->place);
    return e;
}

lt_ast_expression *lt_build_row(lt_builder *b, const lt_token *begin, lt_ast_expression *first,
                                const lt_ast_expressions *rest, const lt_token *end) {
    lt_place           place = lt_build_span(&begin->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_ROW, &place);
    lt_build_argument_add(b, e, first);
    for (uint32_t i = 0; i < rest->count; i++) lt_build_argument_add(b, e, rest->items[i]);
    return e;
}

lt_ast_expression *lt_build_subquery(lt_builder *b, lt_ast_query *query) {
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_SUBQUERY, &query->place);
    e->query             = query;
    lt_build_expression_depth(b, e, query->depth);
    return e;
}

lt_ast_expression *lt_build_parameter(lt_builder *b, const lt_token *token, const lt_ast_name *name) {
    lt_place           place = name == NULL ? token->place : lt_build_span(&token->place, &name->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_PARAMETER, &place);
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
    for (size_t i = 0; i < value->bytes && !part.is_string; i++)
        if (lt_ascii_is_letter(value->text[i])) {
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &value->place, "syntax error at `%.*s`; a plain number is wanted",
                          (int)value->bytes, value->text);
            break;
        }
    part.value = part.is_string ? lt_build_decoded_string(b, value) : lt_build_text(b, value->text, value->bytes);
    if (unit != NULL) part.unit = lt_build_name(b, unit);
    if (to != NULL) part.to = lt_build_name(b, to);
    return part;
}

lt_ast_expression *lt_build_interval(lt_builder *b, const lt_token *begin, const lt_ast_interval_parts *parts) {
    lt_place place = begin->place;
    if (b->at > 0) place = lt_build_span(&begin->place, &b->tokens[b->at - 1].place);
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_INTERVAL, &place);
    e->interval          = *parts;
    return e;
}

lt_ast_expression *lt_build_alias(lt_builder *b, lt_ast_expression *value, const lt_ast_name *name) {
    lt_place           place = lt_build_span(&value->place, &name->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_ALIAS, &place);
    e->name                  = *name;
    lt_build_argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_star(lt_builder *b, lt_ast_expression *prefix, const lt_token *star,
                                 const lt_ast_name_lists *except, const lt_token *end) {
    lt_place place =
        lt_build_span(prefix != NULL ? &prefix->place : &star->place, end != NULL ? &end->place : &star->place);
    lt_ast_expression *e = lt_build_expression_new(b, LT_AST_STAR, &place);
    if (prefix != NULL && prefix->kind == LT_AST_COLUMN && !prefix->parenthesized) {
        e->names = prefix->names;
    } else if (prefix != NULL) {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &star->place, "syntax error at `*`: only a name can stand before `.*`");
    }
    if (except != NULL) e->except = *except;
    return e;
}
