#include "parser/print.h"

#include "parser/scan.h"

#include <string.h>

// Every function appends one kind of node; the first error is kept in the printer and ends all output. Recursion
// follows the tree, whose depth the parser has bounded.

typedef struct printer {
    lt_buffer  *out;
    leat_error *err;
    leat_status status;
} printer;

// How tight an expression binds; what is looser than its place asks for gets parentheses.
typedef enum level {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_PREDICATE,
    LEVEL_COMPARISON,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_SHIFT,
    LEVEL_ADD,
    LEVEL_MULTIPLY,
    LEVEL_UNARY,
    LEVEL_PRIMARY,
} level;

static const struct {
    const char *text;
    level       level;
} operators[LT_AST_OPERATOR_COUNT] = {
#define X(name, spelling) [LT_AST_OPERATOR_##name] = {spelling, LEVEL_COMPARISON},
    LT_AST_OPERATORS(X)
#undef X
};

static level operator_level(lt_ast_operator operator) {
    switch (operator) {
    case LT_AST_OPERATOR_NEGATE:
    case LT_AST_OPERATOR_PLUS:
    case LT_AST_OPERATOR_BIT_NOT:
        return LEVEL_UNARY;
    case LT_AST_OPERATOR_MULTIPLY:
    case LT_AST_OPERATOR_DIVIDE:
    case LT_AST_OPERATOR_REMAINDER:
    case LT_AST_OPERATOR_INTEGER_DIVIDE:
        return LEVEL_MULTIPLY;
    case LT_AST_OPERATOR_ADD:
    case LT_AST_OPERATOR_SUBTRACT:
    case LT_AST_OPERATOR_CONCAT:
        return LEVEL_ADD;
    case LT_AST_OPERATOR_SHIFT_LEFT:
    case LT_AST_OPERATOR_SHIFT_RIGHT:
    case LT_AST_OPERATOR_SHIFT_RIGHT_UNSIGNED:
        return LEVEL_SHIFT;
    case LT_AST_OPERATOR_BIT_AND:
        return LEVEL_BIT_AND;
    case LT_AST_OPERATOR_BIT_XOR:
        return LEVEL_BIT_XOR;
    case LT_AST_OPERATOR_BIT_OR:
        return LEVEL_BIT_OR;
    default: return operators[operator].level;
    }
}

static level expression_level(const lt_ast_expression *e) {
    switch (e->kind) {
    case LT_AST_OR:
        return LEVEL_OR;
    case LT_AST_AND:
        return LEVEL_AND;
    case LT_AST_NOT:
        return LEVEL_NOT;
    case LT_AST_IS:
    case LT_AST_BETWEEN:
    case LT_AST_IN:
    case LT_AST_LIKE:
    case LT_AST_EXISTS:
        return LEVEL_PREDICATE;
    case LT_AST_UNARY:
    case LT_AST_BINARY:
        return operator_level(e->operator);
    default:
        return LEVEL_PRIMARY;
    }
}

// ---- text ----
static void put_bytes(printer *p, const char *text, size_t bytes) {
    if (p->status == LEAT_OK) p->status = lt_buffer_append(p->out, text, bytes, p->err);
}

static void put(printer *p, const char *text) { put_bytes(p, text, strlen(text)); }

static void put_if(printer *p, bool condition, const char *text) {
    if (condition) put(p, text);
}

static void put_comma(printer *p, uint32_t index) { put_if(p, index > 0, ", "); }

// Backslashes are escapes in strings, so they are doubled; a NUL takes three digits, as digits may follow.
static void put_string(printer *p, lt_ast_text text) {
    put(p, "'");
    for (uint32_t i = 0; i < text.bytes; i++) {
        switch (text.text[i]) {
        case '\'':
            put(p, "\\'");
            break;
        case '\\':
            put(p, "\\\\");
            break;
        case '\n':
            put(p, "\\n");
            break;
        case '\r':
            put(p, "\\r");
            break;
        case '\0':
            put(p, "\\000");
            break;
        default:
            put_bytes(p, text.text + i, 1);
            break;
        }
    }
    put(p, "'");
}

static bool is_plain_word(const lt_ast_name *name) {
    for (uint32_t i = 0; i < name->bytes; i++) {
        const char c = name->text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    }
    return name->bytes > 0;
}

static void put_quoted_name(printer *p, const lt_ast_name *name) {
    put(p, "`");
    for (uint32_t i = 0; i < name->bytes; i++) {
        put_if(p, name->text[i] == '`', "`");
        put_bytes(p, name->text + i, 1);
    }
    put(p, "`");
}

// A keyword is put in back-quotes: other text around it may make it one. ALL and DEFAULT mean something as bare names.
static void put_name(printer *p, const lt_ast_name *name) {
    const lt_keyword *keyword = name->quoted ? NULL : lt_keyword_find(name->text, name->bytes);
    const bool is_bare = keyword == NULL || strcmp(keyword->text, "ALL") == 0 || strcmp(keyword->text, "DEFAULT") == 0;
    if (name->quoted || !is_bare || !is_plain_word(name))
        put_quoted_name(p, name);
    else
        put_bytes(p, name->text, name->bytes);
}

// A name in a place where a keyword cannot be meant: functions, types, units.
static void put_word(printer *p, const lt_ast_name *name) {
    if (name->quoted)
        put_quoted_name(p, name);
    else
        put_bytes(p, name->text, name->bytes);
}

static void put_dotted(printer *p, const lt_ast_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        // Behind a dot no word is a keyword.
        put_if(p, i > 0, ".");
        if (i > 0 && is_plain_word(&names->items[i]))
            put_word(p, &names->items[i]);
        else
            put_name(p, &names->items[i]);
    }
}

static void put_names(printer *p, const lt_ast_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        put_comma(p, i);
        put_name(p, &names->items[i]);
    }
}

static void put_name_list(printer *p, const lt_ast_names *names) {
    put(p, "(");
    put_names(p, names);
    put(p, ")");
}

static void put_dotteds(printer *p, const lt_ast_name_lists *lists) {
    put(p, "(");
    for (uint32_t i = 0; i < lists->count; i++) {
        put_comma(p, i);
        put_dotted(p, &lists->items[i]);
    }
    put(p, ")");
}

// ---- types ----
static void put_type(printer *p, const lt_ast_type *type);

static void put_field(printer *p, const lt_ast_field *field) {
    put_name(p, &field->name);
    put(p, ": ");
    put_type(p, field->type);
    put_if(p, field->not_null, " NOT NULL");
    if (field->comment.text != NULL) {
        put(p, " COMMENT ");
        put_string(p, field->comment);
    }
}

static void put_type(printer *p, const lt_ast_type *type) {
    put_word(p, &type->name);
    for (uint32_t i = 0; i < type->parameters.count; i++) {
        put(p, i == 0 ? "(" : ", ");
        put_word(p, &type->parameters.items[i]);
    }
    put_if(p, type->parameters.count > 0, ")");
    put_if(p, type->has_brackets, "<");
    for (uint32_t i = 0; i < type->nested.count; i++) {
        put_comma(p, i);
        put_type(p, type->nested.items[i]);
    }
    for (uint32_t i = 0; i < type->fields.count; i++) {
        put_comma(p, i);
        put_field(p, &type->fields.items[i]);
    }
    put_if(p, type->has_brackets, ">");
    put_if(p, type->without_zone, " WITHOUT TIME ZONE");
    if (type->from.text != NULL) {
        put(p, " ");
        put_word(p, &type->from);
    }
    if (type->to.text != NULL) {
        put(p, " TO ");
        put_word(p, &type->to);
    }
    if (type->collation.count > 0) {
        put(p, " COLLATE ");
        put_dotted(p, &type->collation);
    }
}

// ---- expressions ----
static void put_expression(printer *p, const lt_ast_expression *e, level wanted);
static void put_query(printer *p, const lt_ast_query *query);

static void put_query_parens(printer *p, const lt_ast_query *query) {
    put(p, "(");
    put_query(p, query);
    put(p, ")");
}

static void put_arguments(printer *p, const lt_ast_expressions *list, uint32_t from) {
    for (uint32_t i = from; i < list->count; i++) {
        put_comma(p, i - from);
        put_expression(p, list->items[i], LEVEL_OR);
    }
}

static void put_literal(printer *p, const lt_ast_literal *literal) {
    switch (literal->kind) {
    case LT_AST_LITERAL_NULL:
        put(p, "NULL");
        break;
    case LT_AST_LITERAL_TRUE:
        put(p, "TRUE");
        break;
    case LT_AST_LITERAL_FALSE:
        put(p, "FALSE");
        break;
    case LT_AST_LITERAL_NUMBER:
        put_bytes(p, literal->text.text, literal->text.bytes);
        put(p, literal->suffix);
        break;
    case LT_AST_LITERAL_STRING:
        put_string(p, literal->text);
        break;
    case LT_AST_LITERAL_BINARY:
        put(p, "X");
        put_string(p, literal->text);
        break;
    case LT_AST_LITERAL_TYPED:
        put(p, literal->type_name);
        put(p, " ");
        put_string(p, literal->text);
        break;
    case LT_AST_LITERAL_UNIT:
        put_bytes(p, literal->text.text, literal->text.bytes);
        break;
    }
}

static void put_interval(printer *p, const lt_ast_interval_parts *parts) {
    put(p, "INTERVAL");
    for (uint32_t i = 0; i < parts->count; i++) {
        const lt_ast_interval_part *part = &parts->items[i];
        put(p, part->is_negative ? " -" : " ");
        if (part->is_string)
            put_string(p, part->value);
        else
            put_bytes(p, part->value.text, part->value.bytes);
        if (part->unit.text != NULL) {
            put(p, " ");
            put_word(p, &part->unit);
        }
        if (part->to.text != NULL) {
            put(p, " TO ");
            put_word(p, &part->to);
        }
    }
}

static void put_order(printer *p, const lt_ast_order_items *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        const lt_ast_order_item *item = &list->items[i];
        put_comma(p, i);
        put_expression(p, item->expression, LEVEL_OR);
        if (item->direction_written) put(p, item->descending ? " DESC" : " ASC");
        put_if(p, item->nulls == LT_AST_NULLS_FIRST, " NULLS FIRST");
        put_if(p, item->nulls == LT_AST_NULLS_LAST, " NULLS LAST");
    }
}

static void put_bound(printer *p, const lt_ast_bound *bound) {
    if (bound->value != NULL) {
        put_expression(p, bound->value, LEVEL_COMPARISON);
        put(p, bound->kind == LT_AST_PRECEDING ? " PRECEDING" : " FOLLOWING");
        return;
    }
    put(p, bound->kind == LT_AST_UNBOUNDED_PRECEDING   ? "UNBOUNDED PRECEDING"
           : bound->kind == LT_AST_UNBOUNDED_FOLLOWING ? "UNBOUNDED FOLLOWING"
                                                       : "CURRENT ROW");
}

static void put_window(printer *p, const lt_ast_window *window) {
    if (window->name.text != NULL) {
        put_name(p, &window->name);
        return;
    }
    const char *space = "";
    put(p, "(");
    if (window->partition_by.count > 0) {
        put(p, "PARTITION BY ");
        put_arguments(p, &window->partition_by, 0);
        space = " ";
    }
    if (window->order_by.count > 0) {
        put(p, space);
        put(p, "ORDER BY ");
        put_order(p, &window->order_by);
        space = " ";
    }
    if (window->frame != LT_AST_FRAME_NONE) {
        put(p, space);
        put(p, window->frame == LT_AST_FRAME_ROWS ? "ROWS " : "RANGE ");
        put_if(p, window->has_end, "BETWEEN ");
        put_bound(p, &window->start);
        if (window->has_end) {
            put(p, " AND ");
            put_bound(p, &window->end);
        }
    }
    put(p, ")");
}

// The forms that have words inside of their brackets.
static void put_spelled_arguments(printer *p, const lt_ast_expression *e) {
    lt_ast_expression *const *a     = e->arguments.items;
    const uint32_t            count = e->arguments.count;
    switch (e->spelling) {
    case LT_AST_SPELLING_FROM:
        if (a[0]->kind == LT_AST_LITERAL && a[0]->literal.kind == LT_AST_LITERAL_UNIT) {
            put_expression(p, a[0], LEVEL_OR); // extract
            put(p, " FROM ");
            put_expression(p, a[1], LEVEL_OR);
            return;
        }
        if (count == 2 && e->call->name.items[0].bytes == 4) {
            put_expression(p, a[1], LEVEL_OR); // trim
            put(p, " FROM ");
            put_expression(p, a[0], LEVEL_OR);
            return;
        }
        put_expression(p, a[0], LEVEL_OR);
        put(p, " FROM ");
        put_expression(p, a[1], LEVEL_OR);
        if (count > 2) {
            put(p, " FOR ");
            put_expression(p, a[2], LEVEL_OR);
        }
        return;
    case LT_AST_SPELLING_TRIM_BOTH:
    case LT_AST_SPELLING_TRIM_LEADING:
    case LT_AST_SPELLING_TRIM_TRAILING:
        put(p, e->spelling == LT_AST_SPELLING_TRIM_BOTH      ? "BOTH "
               : e->spelling == LT_AST_SPELLING_TRIM_LEADING ? "LEADING "
                                                             : "TRAILING ");
        if (count > 1) {
            put_expression(p, a[1], LEVEL_OR);
            put(p, " ");
        }
        put(p, "FROM ");
        put_expression(p, a[0], LEVEL_OR);
        return;
    case LT_AST_SPELLING_IN:
        put_expression(p, a[0], LEVEL_COMPARISON);
        put(p, " IN ");
        put_expression(p, a[1], LEVEL_COMPARISON);
        return;
    case LT_AST_SPELLING_PLACING:
        put_expression(p, a[0], LEVEL_OR);
        put(p, " PLACING ");
        put_expression(p, a[1], LEVEL_OR);
        put(p, " FROM ");
        put_expression(p, a[2], LEVEL_OR);
        if (count > 3) {
            put(p, " FOR ");
            put_expression(p, a[3], LEVEL_OR);
        }
        return;
    default:
        put_arguments(p, &e->arguments, 0);
        return;
    }
}

// A function of such a name would be read as something else in parentheses.
static bool begins_query(const lt_ast_name *name) {
    static const char *const words[] = {"SELECT", "WITH", "FROM", "VALUES", "TABLE", "NOT"};
    const lt_keyword        *keyword = lt_keyword_find(name->text, name->bytes);
    for (size_t i = 0; keyword != NULL && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(keyword->text, words[i]) == 0) return true;
    return false;
}

static void put_call(printer *p, const lt_ast_expression *e) {
    const lt_ast_call *call = e->call;
    for (uint32_t i = 0; i < call->name.count; i++) {
        put_if(p, i > 0, ".");
        if (i == 0 && begins_query(&call->name.items[0]))
            put_quoted_name(p, &call->name.items[0]);
        else
            put_word(p, &call->name.items[i]);
    }
    put(p, "(");
    put_if(p, call->distinct, "DISTINCT ");
    put_spelled_arguments(p, e);
    const char *nulls = call->nulls == LT_AST_IGNORE_NULLS    ? " IGNORE NULLS"
                        : call->nulls == LT_AST_RESPECT_NULLS ? " RESPECT NULLS"
                                                              : "";
    put_if(p, call->nulls_inside, nulls);
    put(p, ")");
    if (call->within_group.count > 0) {
        put(p, " WITHIN GROUP (ORDER BY ");
        put_order(p, &call->within_group);
        put(p, ")");
    }
    if (call->filter != NULL) {
        put(p, " FILTER (WHERE ");
        put_expression(p, call->filter, LEVEL_OR);
        put(p, ")");
    }
    put_if(p, !call->nulls_inside, nulls);
    if (call->over != NULL) {
        put(p, " OVER ");
        put_window(p, call->over);
    }
}

static void put_case(printer *p, const lt_ast_expression *e) {
    uint32_t       at  = 0;
    const uint32_t end = e->arguments.count - (e->has_else ? 1 : 0);
    put(p, "CASE");
    if (e->has_operand) {
        put(p, " ");
        put_expression(p, e->arguments.items[at++], LEVEL_OR);
    }
    for (; at + 1 < end; at += 2) {
        put(p, " WHEN ");
        put_expression(p, e->arguments.items[at], LEVEL_OR);
        put(p, " THEN ");
        put_expression(p, e->arguments.items[at + 1], LEVEL_OR);
    }
    if (e->has_else) {
        put(p, " ELSE ");
        put_expression(p, e->arguments.items[end], LEVEL_OR);
    }
    put(p, " END");
}

static void put_is(printer *p, const lt_ast_expression *e) {
    static const char *const tests[] = {
        [LT_AST_IS_NULL]          = "NULL",
        [LT_AST_IS_TRUE]          = "TRUE",
        [LT_AST_IS_FALSE]         = "FALSE",
        [LT_AST_IS_UNKNOWN]       = "UNKNOWN",
        [LT_AST_IS_DISTINCT_FROM] = "DISTINCT FROM ",
    };
    put_expression(p, e->arguments.items[0], LEVEL_COMPARISON);
    put(p, e->negated ? " IS NOT " : " IS ");
    put(p, tests[e->is]);
    if (e->is == LT_AST_IS_DISTINCT_FROM) put_expression(p, e->arguments.items[1], LEVEL_COMPARISON);
}

static void put_like(printer *p, const lt_ast_expression *e) {
    static const char *const words[] = {
        [LT_AST_LIKE_LIKE] = " LIKE ", [LT_AST_LIKE_ILIKE] = " ILIKE ", [LT_AST_LIKE_RLIKE] = " RLIKE "};
    put_expression(p, e->arguments.items[0], LEVEL_COMPARISON);
    put_if(p, e->negated, " NOT");
    put(p, words[e->like.kind]);
    if (e->like.quantifier != LT_AST_LIKE_ONE) {
        put(p, e->like.quantifier == LT_AST_LIKE_ANY ? "ANY (" : "ALL (");
        put_arguments(p, &e->arguments, 1);
        put(p, ")");
        return;
    }
    put_expression(p, e->arguments.items[1], LEVEL_COMPARISON);
    if (e->like.has_escape) {
        put(p, " ESCAPE ");
        put_string(p, (lt_ast_text){&e->like.escape, 1});
    }
}

static void put_table_argument(printer *p, const lt_ast_table_argument *table) {
    put(p, "TABLE ");
    if (table->query != NULL)
        put_query_parens(p, table->query);
    else
        put_dotted(p, &table->table);
    put_if(p, table->single_partition, " WITH SINGLE PARTITION");
    if (table->partition_by.count > 0) {
        put(p, " PARTITION BY ");
        put_if(p, table->partition_by.count > 1, "(");
        put_arguments(p, &table->partition_by, 0);
        put_if(p, table->partition_by.count > 1, ")");
    }
    if (table->order_by.count > 0) {
        put(p, " ORDER BY ");
        put_order(p, &table->order_by);
    }
}

static void put_cast(printer *p, const lt_ast_expression *e) {
    if (e->spelling == LT_AST_SPELLING_COLONS) {
        put_expression(p, e->arguments.items[0], LEVEL_PRIMARY);
        put(p, "::");
        put_type(p, e->type);
        return;
    }
    put(p, e->spelling == LT_AST_SPELLING_TRY_CAST ? "TRY_CAST(" : "CAST(");
    put_expression(p, e->arguments.items[0], LEVEL_OR);
    put(p, " AS ");
    put_type(p, e->type);
    put(p, ")");
}

// What stands before `.`, `[` and the like: a number there would swallow the dot, a type the word behind it.
static void put_base(printer *p, const lt_ast_expression *e) {
    const bool is_open = (e->kind == LT_AST_LITERAL && e->literal.kind == LT_AST_LITERAL_NUMBER) ||
                         (e->kind == LT_AST_CAST && e->spelling == LT_AST_SPELLING_COLONS);
    put_if(p, is_open, "(");
    put_expression(p, e, is_open ? LEVEL_OR : LEVEL_PRIMARY);
    put_if(p, is_open, ")");
}

static void put_unary(printer *p, const lt_ast_expression *e) {
    const lt_ast_expression *value = e->arguments.items[0];
    // -5 is a literal and -- a comment, so numbers and further signs go into parentheses.
    const bool is_open =
        value->kind == LT_AST_UNARY || (value->kind == LT_AST_LITERAL && value->literal.kind == LT_AST_LITERAL_NUMBER);
    put(p, operators[e->operator].text);
    put_if(p, is_open, "(");
    put_expression(p, value, is_open ? LEVEL_OR : LEVEL_UNARY);
    put_if(p, is_open, ")");
}

static void put_star(printer *p, const lt_ast_expression *e) {
    put_dotted(p, &e->names);
    put(p, e->names.count > 0 ? ".*" : "*");
    if (e->except.count > 0) {
        put(p, " EXCEPT ");
        put_dotteds(p, &e->except);
    }
}

static void put_chain(printer *p, const lt_ast_expression *e, const char *word, level inner) {
    for (uint32_t i = 0; i < e->arguments.count; i++) {
        put_if(p, i > 0, word);
        put_expression(p, e->arguments.items[i], inner);
    }
}

// One case a kind: the dispatch of the printer.
static void put_node(printer *p, const lt_ast_expression *e) {
    lt_ast_expression *const *a = e->arguments.items;
    switch (e->kind) {
    case LT_AST_LITERAL:
        put_literal(p, &e->literal);
        break;
    case LT_AST_INTERVAL:
        put_interval(p, &e->interval);
        break;
    case LT_AST_COLUMN:
        put_dotted(p, &e->names);
        break;
    case LT_AST_STAR:
        put_star(p, e);
        break;
    case LT_AST_PARAMETER:
        put(p, e->parameter.name.text != NULL ? ":" : "?");
        if (e->parameter.name.text != NULL) put_name(p, &e->parameter.name);
        break;
    case LT_AST_UNARY:
        put_unary(p, e);
        break;
    case LT_AST_BINARY:
        put_expression(p, a[0], operator_level(e->operator));
        put(p, " ");
        put(p, operators[e->operator].text);
        put(p, " ");
        put_expression(p, a[1], operator_level(e->operator) + 1);
        break;
    case LT_AST_AND:
        put_chain(p, e, " AND ", LEVEL_NOT);
        break;
    case LT_AST_OR:
        put_chain(p, e, " OR ", LEVEL_AND);
        break;
    case LT_AST_NOT:
        put(p, "NOT ");
        put_expression(p, a[0], LEVEL_NOT);
        break;
    case LT_AST_IS:
        put_is(p, e);
        break;
    case LT_AST_BETWEEN:
        put_expression(p, a[0], LEVEL_COMPARISON);
        put(p, e->negated ? " NOT BETWEEN " : " BETWEEN ");
        put_expression(p, a[1], LEVEL_COMPARISON);
        put(p, " AND ");
        put_expression(p, a[2], LEVEL_COMPARISON);
        break;
    case LT_AST_IN:
        put_expression(p, a[0], LEVEL_COMPARISON);
        put(p, e->negated ? " NOT IN " : " IN ");
        if (e->query != NULL) {
            put_query_parens(p, e->query);
            break;
        }
        put(p, "(");
        put_arguments(p, &e->arguments, 1);
        put(p, ")");
        break;
    case LT_AST_LIKE:
        put_like(p, e);
        break;
    case LT_AST_EXISTS:
        put(p, "EXISTS ");
        put_query_parens(p, e->query);
        break;
    case LT_AST_CASE:
        put_case(p, e);
        break;
    case LT_AST_CAST:
        put_cast(p, e);
        break;
    case LT_AST_CALL:
        put_call(p, e);
        break;
    case LT_AST_LAMBDA:
        if (e->names.count == 1)
            put_names(p, &e->names);
        else
            put_name_list(p, &e->names);
        put(p, " -> ");
        put_expression(p, a[0], LEVEL_OR);
        break;
    case LT_AST_FIELD:
        put_base(p, a[0]);
        put(p, ".");
        put_name(p, &e->name);
        break;
    case LT_AST_INDEX:
        put_base(p, a[0]);
        put(p, "[");
        put_expression(p, a[1], LEVEL_COMPARISON);
        put(p, "]");
        break;
    case LT_AST_ROW:
        put(p, "(");
        put_arguments(p, &e->arguments, 0);
        put(p, ")");
        break;
    case LT_AST_SUBQUERY:
        put_query_parens(p, e->query);
        break;
    case LT_AST_COLLATE:
        put_base(p, a[0]);
        put(p, " COLLATE ");
        put_dotted(p, &e->names);
        break;
    case LT_AST_VARIANT_PATH:
        put_base(p, a[0]);
        put(p, ":");
        put_name(p, &e->name);
        break;
    case LT_AST_ALIAS:
        put_expression(p, a[0], LEVEL_OR);
        put(p, " AS ");
        put_name(p, &e->name);
        break;
    case LT_AST_NAMED_ARGUMENT:
        put_name(p, &e->name);
        put(p, " => ");
        put_expression(p, a[0], LEVEL_OR);
        break;
    case LT_AST_TABLE_ARGUMENT:
        put_table_argument(p, e->table);
        break;
    case LT_AST_EXPRESSION_KIND_COUNT:
        break;
    }
}

static void put_expression(printer *p, const lt_ast_expression *e, level wanted) {
    const bool is_looser = expression_level(e) < wanted;
    put_if(p, is_looser, "(");
    put_node(p, e);
    put_if(p, is_looser, ")");
}

// ---- relations ----
static void put_options(printer *p, const char *word, const lt_ast_options *options) {
    if (options->count == 0) return;
    put(p, word);
    put(p, " (");
    for (uint32_t i = 0; i < options->count; i++) {
        const lt_ast_option *option = &options->items[i];
        put_comma(p, i);
        if (is_plain_word(&option->key))
            put_bytes(p, option->key.text, option->key.bytes);
        else
            put_string(p, (lt_ast_text){option->key.text, option->key.bytes});
        if (option->value != NULL) {
            put(p, " = ");
            put_expression(p, option->value, LEVEL_PRIMARY);
        }
    }
    put(p, ")");
}

static void put_items(printer *p, const lt_ast_items *items) {
    for (uint32_t i = 0; i < items->count; i++) {
        const lt_ast_item *item = &items->items[i];
        put_comma(p, i);
        put_expression(p, item->expression, LEVEL_OR);
        if (item->alias.text != NULL) {
            put(p, " AS ");
            put_name(p, &item->alias);
        } else if (item->aliases.count > 0) {
            put(p, " AS ");
            put_name_list(p, &item->aliases);
        }
    }
}

static void put_rows(printer *p, const lt_ast_expression_lists *rows) {
    put(p, "VALUES ");
    for (uint32_t i = 0; i < rows->count; i++) {
        put(p, i == 0 ? "(" : ", (");
        put_arguments(p, &rows->items[i], 0);
        put(p, ")");
    }
}

static void put_alias(printer *p, const lt_ast_alias *alias) {
    if (alias->name.text == NULL) return;
    put(p, " AS ");
    put_name(p, &alias->name);
    if (alias->columns.count > 0) put_name_list(p, &alias->columns);
}

static void put_sample(printer *p, const lt_ast_sample *sample) {
    put(p, "TABLESAMPLE (");
    put_if(p, sample->kind == LT_AST_SAMPLE_BUCKET, "BUCKET ");
    put_expression(p, sample->size, LEVEL_COMPARISON);
    if (sample->kind == LT_AST_SAMPLE_BUCKET) {
        put(p, " OUT OF ");
        put_expression(p, sample->total, LEVEL_COMPARISON);
    } else {
        put(p, sample->kind == LT_AST_SAMPLE_PERCENT ? " PERCENT" : " ROWS");
    }
    put(p, ")");
    if (sample->seed != NULL) {
        put(p, " REPEATABLE (");
        put_expression(p, sample->seed, LEVEL_COMPARISON);
        put(p, ")");
    }
}

static void put_relation(printer *p, const lt_ast_relation *relation);

static void put_join(printer *p, const lt_ast_relation *relation) {
    static const char *const words[] = {
        [LT_AST_JOIN_COMMA] = ", ",          [LT_AST_JOIN_INNER] = "JOIN ",
        [LT_AST_JOIN_CROSS] = "CROSS JOIN ", [LT_AST_JOIN_LEFT] = "LEFT JOIN ",
        [LT_AST_JOIN_RIGHT] = "RIGHT JOIN ", [LT_AST_JOIN_FULL] = "FULL JOIN ",
        [LT_AST_JOIN_SEMI] = "SEMI JOIN ",   [LT_AST_JOIN_ANTI] = "ANTI JOIN ",
        [LT_AST_JOIN_ASOF] = "ASOF JOIN ",   [LT_AST_JOIN_LEFT_ASOF] = "LEFT ASOF JOIN ",
    };
    const lt_ast_join *join  = relation->join;
    const bool         comma = join->kind == LT_AST_JOIN_COMMA;
    if (relation->left != NULL) {
        put_relation(p, relation->left);
        put_if(p, !comma, " ");
    }
    put_if(p, join->natural, "NATURAL ");
    put(p, words[join->kind]);
    put_if(p, join->lateral, "LATERAL ");
    const bool is_nested =
        !comma && (relation->right->kind == LT_AST_RELATION_JOIN || relation->right->kind == LT_AST_RELATION_PIVOT ||
                   relation->right->kind == LT_AST_RELATION_UNPIVOT);
    put_if(p, is_nested, "(");
    put_relation(p, relation->right);
    put_if(p, is_nested, ")");
    if (join->match_condition != NULL) {
        put(p, " MATCH_CONDITION (");
        put_expression(p, join->match_condition, LEVEL_OR);
        put(p, ")");
    }
    if (join->on != NULL) {
        put(p, " ON ");
        put_expression(p, join->on, LEVEL_OR);
    }
    if (join->using_columns.count > 0) {
        put(p, " USING ");
        put_name_list(p, &join->using_columns);
    }
}

static void put_left(printer *p, const lt_ast_relation *relation) {
    if (relation->left == NULL) return;
    put_relation(p, relation->left);
    put(p, " ");
}

static void put_pivot(printer *p, const lt_ast_relation *relation) {
    const lt_ast_pivot *pivot = relation->pivot;
    put_left(p, relation);
    put(p, "PIVOT (");
    put_items(p, &pivot->aggregates);
    put(p, " FOR ");
    put_name_list(p, &pivot->columns);
    put(p, " IN (");
    put_items(p, &pivot->values);
    put(p, "))");
    put_alias(p, &relation->alias);
}

static void put_unpivot(printer *p, const lt_ast_relation *relation) {
    const lt_ast_unpivot *unpivot = relation->unpivot;
    put_left(p, relation);
    put(p, "UNPIVOT ");
    put_if(p, unpivot->include_nulls, "INCLUDE NULLS ");
    put_if(p, unpivot->exclude_nulls_written, "EXCLUDE NULLS ");
    put(p, "(");
    if (unpivot->has_tuple)
        put_name_list(p, &unpivot->value_columns);
    else
        put_names(p, &unpivot->value_columns);
    put(p, " FOR ");
    put_name(p, &unpivot->name_column);
    put(p, " IN (");
    for (uint32_t i = 0; i < unpivot->sets.count; i++) {
        const lt_ast_unpivot_set *set = &unpivot->sets.items[i];
        put_comma(p, i);
        if (unpivot->has_tuple)
            put_dotteds(p, &set->columns);
        else
            put_dotted(p, &set->columns.items[0]);
        if (set->alias.text != NULL) {
            put(p, " AS ");
            put_name(p, &set->alias);
        }
    }
    put(p, "))");
    put_alias(p, &relation->alias);
}

static void put_lateral_view(printer *p, const lt_ast_relation *relation) {
    put_left(p, relation);
    put(p, relation->lateral_view_outer ? "LATERAL VIEW OUTER " : "LATERAL VIEW ");
    put_call(p, relation->call);
    put(p, " ");
    put_name(p, &relation->alias.name);
    if (relation->alias.columns.count > 0) {
        put(p, " AS ");
        put_names(p, &relation->alias.columns);
    }
}

static void put_watermark(printer *p, const lt_ast_watermark *watermark) {
    lt_ast_item  item = watermark->item;
    lt_ast_items list = {&item, 1, 1};
    put(p, " WATERMARK ");
    put_items(p, &list);
    put(p, " DELAY OF ");
    put_expression(p, watermark->delay, LEVEL_OR);
}

// Sources: what stands between commas and joins.
static void put_source(printer *p, const lt_ast_relation *relation) {
    put_if(p, relation->is_stream, "STREAM ");
    switch (relation->kind) {
    case LT_AST_RELATION_TABLE:
        put_dotted(p, &relation->name);
        if (relation->as_of != NULL) {
            put(p, " FOR SYSTEM_TIME AS OF ");
            put_expression(p, relation->as_of, LEVEL_COMPARISON);
        }
        put_options(p, " WITH", &relation->options);
        break;
    case LT_AST_RELATION_TABLE_QUERY:
        put_query_parens(p, relation->query);
        break;
    case LT_AST_RELATION_VALUES:
        put_rows(p, &relation->rows);
        break;
    case LT_AST_RELATION_TABLE_CALL:
        put_if(p, relation->table_keyword, "TABLE(");
        put_call(p, relation->call);
        put_if(p, relation->table_keyword, ")");
        break;
    default: // DEDUPLICATE
        put(p, "DEDUPLICATE(TABLE ");
        put_dotted(p, &relation->name);
        if (relation->columns.count > 0) {
            put(p, ", COLUMNS ");
            put_name_list(p, &relation->columns);
        }
        put(p, relation->within_watermark ? ", WITHIN WATERMARK)" : ")");
        break;
    }
    if (relation->sample != NULL) {
        put(p, " ");
        put_sample(p, relation->sample);
    }
    if (relation->watermark != NULL) put_watermark(p, relation->watermark);
    put_alias(p, &relation->alias);
}

static void put_relation(printer *p, const lt_ast_relation *relation) {
    put_if(p, relation->lateral, "LATERAL ");
    switch (relation->kind) {
    case LT_AST_RELATION_JOIN:
        put_join(p, relation);
        break;
    case LT_AST_RELATION_PIVOT:
        put_pivot(p, relation);
        break;
    case LT_AST_RELATION_UNPIVOT:
        put_unpivot(p, relation);
        break;
    case LT_AST_RELATION_LATERAL_VIEW:
        put_lateral_view(p, relation);
        break;
    default:
        put_source(p, relation);
        break;
    }
}

// ---- queries ----
static void put_sets(printer *p, const lt_ast_expression_lists *sets) {
    for (uint32_t i = 0; i < sets->count; i++) {
        put_comma(p, i);
        put(p, "(");
        put_arguments(p, &sets->items[i], 0);
        put(p, ")");
    }
}

static void put_group_items(printer *p, const lt_ast_group_items *items);

static void put_group_item(printer *p, const lt_ast_group_item *item) {
    switch (item->kind) {
    case LT_AST_GROUP_EXPRESSION: {
        lt_ast_item  only = item->item;
        lt_ast_items list = {&only, 1, 1};
        put_items(p, &list);
        break;
    }
    case LT_AST_GROUP_SET:
        put_sets(p, &item->sets);
        break;
    case LT_AST_GROUP_GROUPING_SETS:
        put(p, "GROUPING SETS (");
        put_group_items(p, &item->items);
        put(p, ")");
        break;
    default:
        put(p, item->kind == LT_AST_GROUP_ROLLUP ? "ROLLUP (" : "CUBE (");
        put_sets(p, &item->sets);
        put(p, ")");
        break;
    }
}

// Nests as deep as GROUPING SETS stand in each other, which brackets bound.
static void put_group_items(printer *p, const lt_ast_group_items *items) {
    for (uint32_t i = 0; i < items->count; i++) {
        put_comma(p, i);
        put_group_item(p, &items->items[i]);
    }
}

static void put_group_by(printer *p, const lt_ast_group_by *group) {
    if (!group->present) return;
    put(p, " GROUP BY ");
    put_group_items(p, &group->items);
    put_if(p, group->with_rollup, " WITH ROLLUP");
    put_if(p, group->with_cube, " WITH CUBE");
    put_if(p, group->with_sets.count > 0, " ");
    put_group_items(p, &group->with_sets);
}

static void put_named_windows(printer *p, const lt_ast_named_windows *windows) {
    for (uint32_t i = 0; i < windows->count; i++) {
        put(p, i == 0 ? " WINDOW " : ", ");
        put_name(p, &windows->items[i].name);
        put(p, " AS ");
        put_window(p, windows->items[i].window);
    }
}

static void put_select(printer *p, const lt_ast_select *select) {
    if (select->from_first) {
        put(p, "FROM ");
        put_relation(p, select->from);
        put(p, " ");
    }
    put(p, "SELECT ");
    put_if(p, select->distinct, "DISTINCT ");
    put_if(p, select->all_written, "ALL ");
    put_items(p, &select->items);
    if (select->from != NULL && !select->from_first) {
        put(p, " FROM ");
        put_relation(p, select->from);
    }
    if (select->where != NULL) {
        put(p, " WHERE ");
        put_expression(p, select->where, LEVEL_OR);
    }
    put_group_by(p, &select->group_by);
    if (select->having != NULL) {
        put(p, " HAVING ");
        put_expression(p, select->having, LEVEL_OR);
    }
    put_named_windows(p, &select->windows);
    if (select->qualify != NULL) {
        put(p, " QUALIFY ");
        put_expression(p, select->qualify, LEVEL_OR);
    }
}

static void put_organization(printer *p, const lt_ast_organization *o) {
    if (o->cluster_by.count > 0) {
        put(p, " CLUSTER BY ");
        put_arguments(p, &o->cluster_by, 0);
    }
    if (o->distribute_by.count > 0) {
        put(p, " DISTRIBUTE BY ");
        put_arguments(p, &o->distribute_by, 0);
    }
    if (o->sort_by.count > 0) {
        put(p, " SORT BY ");
        put_order(p, &o->sort_by);
    }
    if (o->order_by.count > 0) {
        put(p, " ORDER BY ");
        put_order(p, &o->order_by);
    }
    put_if(p, o->limit_all, " LIMIT ALL");
    if (o->limit != NULL) {
        put(p, " LIMIT ");
        put_expression(p, o->limit, LEVEL_OR);
    }
    if (o->offset != NULL) {
        put(p, " OFFSET ");
        put_expression(p, o->offset, LEVEL_OR);
    }
}

static bool is_organized(const lt_ast_query *query) {
    const lt_ast_organization *o = &query->organization;
    return o->order_by.count > 0 || o->sort_by.count > 0 || o->cluster_by.count > 0 || o->distribute_by.count > 0 ||
           o->limit != NULL || o->limit_all || o->offset != NULL || query->ctes.count > 0;
}

// A query as a branch of a set operation or at the head of a pipe.
static void put_branch(printer *p, const lt_ast_query *query, bool may_be_from) {
    const bool is_simple =
        !is_organized(query) && (query->kind == LT_AST_QUERY_VALUES || query->kind == LT_AST_QUERY_TABLE ||
                                 (query->kind == LT_AST_QUERY_SELECT && !query->select->from_first) ||
                                 (query->kind == LT_AST_QUERY_FROM && may_be_from));
    put_if(p, !is_simple, "(");
    put_query(p, query);
    put_if(p, !is_simple, ")");
}

static void put_set_word(printer *p, lt_ast_set_operator operator, bool all) {
    put(p, operator== LT_AST_UNION ? "UNION " : operator== LT_AST_EXCEPT ? "EXCEPT " : "INTERSECT ");
    put_if(p, all, "ALL ");
}

static void put_step(printer *p, const lt_ast_pipe_step *step) {
    put(p, " |>");
    switch (step->kind) {
    case LT_AST_PIPE_WHERE:
        put(p, " WHERE ");
        put_expression(p, step->expression, LEVEL_OR);
        break;
    case LT_AST_PIPE_SELECT:
        put(p, " ");
        put_select(p, step->select);
        break;
    case LT_AST_PIPE_EXTEND:
        put(p, " EXTEND ");
        put_items(p, &step->items);
        break;
    case LT_AST_PIPE_SET:
        for (uint32_t i = 0; i < step->items.count; i++) {
            put(p, i == 0 ? " SET " : ", ");
            put_name(p, &step->items.items[i].alias);
            put(p, " = ");
            put_expression(p, step->items.items[i].expression, LEVEL_OR);
        }
        break;
    case LT_AST_PIPE_DROP:
        put(p, " DROP ");
        put_names(p, &step->names);
        break;
    case LT_AST_PIPE_AS:
        put(p, " AS ");
        put_names(p, &step->names);
        break;
    case LT_AST_PIPE_AGGREGATE:
        put(p, " AGGREGATE");
        put_if(p, step->items.count > 0, " ");
        put_items(p, &step->items);
        put_group_by(p, &step->group_by);
        break;
    case LT_AST_PIPE_JOIN:
        put(p, " ");
        put_relation(p, step->relation);
        break;
    case LT_AST_PIPE_SAMPLE:
        put(p, " ");
        put_sample(p, step->sample);
        break;
    case LT_AST_PIPE_SET_OPERATION:
        put(p, " ");
        put_set_word(p, step->set_operator, step->all);
        put_branch(p, step->query, false);
        break;
    case LT_AST_PIPE_ORGANIZATION:
        put_organization(p, &step->organization);
        break;
    case LT_AST_PIPE_WINDOW:
        put_named_windows(p, &step->windows);
        break;
    }
}

static void put_body(printer *p, const lt_ast_query *query) {
    switch (query->kind) {
    case LT_AST_QUERY_SELECT:
        put_select(p, query->select);
        break;
    case LT_AST_QUERY_VALUES:
        put_rows(p, &query->rows);
        put_alias(p, &query->alias);
        break;
    case LT_AST_QUERY_TABLE:
        put(p, "TABLE ");
        put_dotted(p, &query->name);
        break;
    case LT_AST_QUERY_FROM:
        put(p, "FROM ");
        put_relation(p, query->relation);
        break;
    case LT_AST_QUERY_SET_OPERATION:
        for (uint32_t i = 0; i < query->branches.count; i++) {
            if (i > 0) {
                put(p, " ");
                put_set_word(p, query->set_operator, query->all);
            }
            put_branch(p, query->branches.items[i], false);
        }
        break;
    case LT_AST_QUERY_PIPE:
        put_branch(p, query->branches.items[0], true);
        for (uint32_t i = 0; i < query->steps.count; i++) put_step(p, &query->steps.items[i]);
        break;
    case LT_AST_QUERY_NESTED:
        put_query_parens(p, query->branches.items[0]);
        break;
    }
}

static void put_query(printer *p, const lt_ast_query *query) {
    for (uint32_t i = 0; i < query->ctes.count; i++) {
        const lt_ast_cte *cte = &query->ctes.items[i];
        put(p, i > 0 ? ", " : query->recursive ? "WITH RECURSIVE " : "WITH ");
        put_name(p, &cte->name);
        if (cte->columns.count > 0) put_name_list(p, &cte->columns);
        if (cte->recursion_max.text != NULL) {
            put(p, " MAX RECURSION LEVEL ");
            put_bytes(p, cte->recursion_max.text, cte->recursion_max.bytes);
        }
        put(p, " AS ");
        put_query_parens(p, cte->query);
    }
    put_if(p, query->ctes.count > 0, " ");
    // The last step of a pipe would take the clauses that belong to the whole.
    const bool is_pipe_with_clauses = query->kind == LT_AST_QUERY_PIPE && is_organized(query);
    put_if(p, is_pipe_with_clauses, "(");
    put_body(p, query);
    put_if(p, is_pipe_with_clauses, ")");
    put_organization(p, &query->organization);
    put_if(p, query->emit == LT_AST_EMIT_CHANGES, " EMIT CHANGES");
    put_if(p, query->emit == LT_AST_EMIT_FINAL, " EMIT FINAL");
}

// ---- statements ----
static void put_text_clause(printer *p, const char *word, lt_ast_text text) {
    if (text.text == NULL) return;
    put(p, word);
    put_string(p, text);
}

static void put_column(printer *p, const lt_ast_column *column) {
    put_name(p, &column->name);
    if (column->type != NULL) {
        put(p, " ");
        put_type(p, column->type);
    } else if (column->generated != NULL) {
        put(p, " AS ");
        put_expression(p, column->generated, LEVEL_OR);
    }
    put_if(p, column->not_null, " NOT NULL");
    if (column->default_value != NULL) {
        put(p, " DEFAULT ");
        put_expression(p, column->default_value, LEVEL_OR);
    }
    if (column->type != NULL && column->generated != NULL) {
        put(p, " GENERATED ALWAYS AS (");
        put_expression(p, column->generated, LEVEL_OR);
        put(p, ")");
    }
    put_text_clause(p, " COMMENT ", column->comment);
}

static void put_columns(printer *p, const lt_ast_columns *columns) {
    for (uint32_t i = 0; i < columns->count; i++) {
        put_comma(p, i);
        put_column(p, &columns->items[i]);
    }
}

static void put_elements(printer *p, const lt_ast_statement *s) {
    if (s->columns.count == 0 && s->watermarks.count == 0 && s->primary_key.count == 0) return;
    put(p, " (");
    put_columns(p, &s->columns);
    for (uint32_t i = 0; i < s->watermarks.count; i++) {
        put_comma(p, s->columns.count + i);
        put(p, "WATERMARK FOR ");
        put_expression(p, s->watermarks.items[i]->item.expression, LEVEL_PRIMARY);
        put(p, " AS ");
        put_expression(p, s->watermarks.items[i]->delay, LEVEL_OR);
    }
    if (s->primary_key.count > 0) {
        put_comma(p, s->columns.count + s->watermarks.count);
        put(p, "PRIMARY KEY ");
        put_name_list(p, &s->primary_key);
    }
    put(p, ")");
}

static void put_create_head(printer *p, const lt_ast_statement *s) {
    put(p, "CREATE ");
    put_if(p, s->or_replace, "OR REPLACE ");
    put_if(p, s->global, "GLOBAL ");
    put_if(p, s->temporary, "TEMPORARY ");
}

static void put_create(printer *p, const lt_ast_statement *s, const char *what) {
    put_create_head(p, s);
    put(p, s->streaming ? "STREAMING TABLE" : what);
    put(p, s->if_not_exists ? " IF NOT EXISTS " : " ");
    put_dotted(p, &s->name);
    put_elements(p, s);
    if (s->using_name.text != NULL) {
        put(p, " USING ");
        put_name(p, &s->using_name);
    }
    put_options(p, s->using_name.text != NULL ? " OPTIONS" : " WITH", &s->options);
    if (s->partitioned_by.count > 0) {
        put(p, " PARTITIONED BY ");
        put_name_list(p, &s->partitioned_by);
    }
    put_text_clause(p, " LOCATION ", s->location);
    put_text_clause(p, " COMMENT ", s->comment);
    put_options(p, " TBLPROPERTIES", &s->properties);
    if (s->query != NULL) {
        put(p, " AS ");
        put_query(p, s->query);
    }
}

static void put_function(printer *p, const lt_ast_statement *s) {
    put_create_head(p, s);
    put(p, s->if_not_exists ? "FUNCTION IF NOT EXISTS " : "FUNCTION ");
    put_dotted(p, &s->name);
    put(p, "(");
    put_columns(p, &s->columns);
    put(p, ")");
    put_text_clause(p, " COMMENT ", s->comment);
    if (s->type != NULL) {
        put(p, " RETURNS ");
        put_type(p, s->type);
    } else if (s->object == LT_AST_OBJECT_TABLE) {
        put(p, " RETURNS TABLE");
        if (s->returns_columns.count > 0) {
            put(p, " (");
            put_columns(p, &s->returns_columns);
            put(p, ")");
        }
    }
    put(p, " RETURN ");
    if (s->body != NULL)
        put_expression(p, s->body, LEVEL_OR);
    else
        put_query(p, s->query);
}

static void put_assignments(printer *p, const lt_ast_assignments *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        put_comma(p, i);
        put_dotted(p, &list->items[i].target);
        put(p, " = ");
        put_expression(p, list->items[i].value, LEVEL_OR);
    }
}

static void put_where(printer *p, const lt_ast_expression *where) {
    if (where == NULL) return;
    put(p, " WHERE ");
    put_expression(p, where, LEVEL_OR);
}

static void put_named(printer *p, const char *words, const lt_ast_statement *s) {
    put(p, words);
    put_if(p, s->if_exists, "IF EXISTS ");
    put_dotted(p, &s->name);
}

static const char *const object_words[] = {
    [LT_AST_OBJECT_NONE]              = "",
    [LT_AST_OBJECT_TABLE]             = "TABLE ",
    [LT_AST_OBJECT_VIEW]              = "VIEW ",
    [LT_AST_OBJECT_MATERIALIZED_VIEW] = "MATERIALIZED VIEW ",
    [LT_AST_OBJECT_STREAM]            = "STREAM ",
    [LT_AST_OBJECT_SINK]              = "SINK ",
    [LT_AST_OBJECT_FUNCTION]          = "FUNCTION ",
    [LT_AST_OBJECT_QUERY]             = "QUERY ",
    [LT_AST_OBJECT_SCHEMA]            = "SCHEMA ",
};

static void put_insert(printer *p, const lt_ast_statement *s) {
    put(p, s->overwrite ? "INSERT OVERWRITE " : "INSERT INTO ");
    put_dotted(p, &s->name);
    put_if(p, s->by_name, " BY NAME");
    put(p, " ");
    if (s->target_columns.count > 0) {
        put_name_list(p, &s->target_columns);
        put(p, " ");
    }
    put_query(p, s->query);
}

static void put_alter(printer *p, const lt_ast_statement *s) {
    put_named(p, s->kind == LT_AST_STATEMENT_ALTER_TABLE ? "ALTER TABLE " : "ALTER VIEW ",
              &(lt_ast_statement){.name = s->name});
    switch (s->alter) {
    case LT_AST_ALTER_RENAME:
        put(p, " RENAME TO ");
        put_dotted(p, &s->new_name);
        break;
    case LT_AST_ALTER_ADD_COLUMNS:
    case LT_AST_ALTER_COLUMN:
        put(p, " ADD COLUMNS (");
        put_columns(p, &s->columns);
        put(p, ")");
        break;
    case LT_AST_ALTER_DROP_COLUMNS:
        put(p, " DROP COLUMNS ");
        put_name_list(p, &s->target_columns);
        break;
    case LT_AST_ALTER_RENAME_COLUMN:
        put(p, " RENAME COLUMN ");
        put_name(p, &s->target_columns.items[0]);
        put(p, " TO ");
        put_name(p, &s->target_columns.items[1]);
        break;
    case LT_AST_ALTER_SET_PROPERTIES:
        put_options(p, " SET TBLPROPERTIES", &s->properties);
        break;
    case LT_AST_ALTER_UNSET_PROPERTIES:
        put_options(p, s->if_exists ? " UNSET TBLPROPERTIES IF EXISTS" : " UNSET TBLPROPERTIES", &s->properties);
        break;
    case LT_AST_ALTER_AS:
        put(p, " AS ");
        put_query(p, s->query);
        break;
    }
}

static void put_show(printer *p, const lt_ast_statement *s) {
    put(p, "SHOW ");
    put_bytes(p, s->what.text, s->what.bytes);
    if (s->name.count > 0) {
        put(p, s->object == LT_AST_OBJECT_TABLE ? " TABLE " : " IN ");
        put_dotted(p, &s->name);
    }
    put_text_clause(p, " LIKE ", s->pattern);
}

static void put_describe(printer *p, const lt_ast_statement *s) {
    put(p, "DESCRIBE ");
    put(p, object_words[s->object]);
    put_if(p, s->extended, "EXTENDED ");
    if (s->query != NULL) {
        put_query(p, s->query);
        return;
    }
    put_dotted(p, &s->name);
    put_if(p, s->target_columns.count > 0, " ");
    put_names(p, &s->target_columns);
}

static void put_statement(printer *p, const lt_ast_statement *s);

static void put_explain(printer *p, const lt_ast_statement *s) {
    static const char *const words[] = {
        [LT_AST_EXPLAIN_PLAIN]     = "EXPLAIN ",
        [LT_AST_EXPLAIN_ANALYZE]   = "EXPLAIN ANALYZE ",
        [LT_AST_EXPLAIN_EXTENDED]  = "EXPLAIN EXTENDED ",
        [LT_AST_EXPLAIN_FORMATTED] = "EXPLAIN FORMATTED ",
        [LT_AST_EXPLAIN_CODEGEN]   = "EXPLAIN CODEGEN ",
        [LT_AST_EXPLAIN_COST]      = "EXPLAIN COST ",
    };
    put(p, words[s->explain]);
    put_statement(p, s->statement); // one level: EXPLAIN of EXPLAIN does not parse
}

static void put_setting(printer *p, const lt_ast_statement *s) {
    put(p, s->kind == LT_AST_STATEMENT_SET ? "SET" : "RESET");
    if (s->key.text == NULL) return;
    lt_ast_name key      = {.text = s->key.text, .bytes = s->key.bytes};
    bool        is_plain = true;
    for (uint32_t i = 0; i < key.bytes; i++) {
        const char c = key.text[i];
        is_plain     = is_plain &&
                   ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
    }
    put(p, " ");
    if (is_plain)
        put_bytes(p, key.text, key.bytes);
    else
        put_quoted_name(p, &key);
    put_text_clause(p, " = ", s->value);
}

static void put_time_zone(printer *p, const lt_ast_statement *s) {
    put(p, "SET TIME ZONE ");
    if (s->delay != NULL)
        put_expression(p, s->delay, LEVEL_OR);
    else if (s->value.text != NULL)
        put_string(p, s->value);
    else
        put(p, "LOCAL");
}

static void put_set_variable(printer *p, const lt_ast_statement *s) {
    put(p, "SET VARIABLE ");
    put_assignments(p, &s->assignments);
    if (s->query == NULL) return;
    put_name_list(p, &s->target_columns);
    put(p, " = ");
    put_query_parens(p, s->query);
}

static void put_declare(printer *p, const lt_ast_statement *s) {
    put(p, s->or_replace ? "DECLARE OR REPLACE VARIABLE " : "DECLARE VARIABLE ");
    put_names(p, &s->target_columns);
    if (s->type != NULL) {
        put(p, " ");
        put_type(p, s->type);
    }
    if (s->body != NULL) {
        put(p, " DEFAULT ");
        put_expression(p, s->body, LEVEL_OR);
    }
}

static void put_copy(printer *p, const lt_ast_statement *s) {
    put(p, "COPY ");
    if (s->query != NULL)
        put_query_parens(p, s->query);
    else
        put_dotted(p, &s->name);
    put_text_clause(p, " TO ", s->path);
    put_options(p, "", &s->options);
}

static void put_wait(printer *p, const char *words, const lt_ast_statement *s) {
    put(p, words);
    put_if(p, s->name.count > 0, " ");
    put_dotted(p, &s->name);
    if (s->delay != NULL) {
        put(p, " TIMEOUT ");
        put_expression(p, s->delay, LEVEL_OR);
    }
}

static void put_execute(printer *p, const lt_ast_statement *s) {
    put(p, "EXECUTE IMMEDIATE ");
    put_expression(p, s->body, LEVEL_OR);
    put_if(p, s->target_columns.count > 0, " INTO ");
    put_names(p, &s->target_columns);
    put_if(p, s->items.count > 0, " USING ");
    put_items(p, &s->items);
}

static void put_cache(printer *p, const lt_ast_statement *s) {
    put_bytes(p, s->what.text, s->what.bytes);
    if (s->name.count == 0) {
        put(p, " CACHE");
        return;
    }
    put_named(p, " TABLE ", s);
    if (s->query != NULL) {
        put(p, " AS ");
        put_query(p, s->query);
    }
}

// One case a kind: the dispatch of the printer.
static void put_statement(printer *p, const lt_ast_statement *s) {
    switch (s->kind) {
    case LT_AST_STATEMENT_EMPTY:
        break;
    case LT_AST_STATEMENT_QUERY:
        put_query(p, s->query);
        break;
    case LT_AST_STATEMENT_CREATE_TABLE:
        put_create(p, s, "TABLE");
        break;
    case LT_AST_STATEMENT_CREATE_STREAM:
        put_create(p, s, "STREAM");
        break;
    case LT_AST_STATEMENT_CREATE_VIEW:
        put_create(p, s, "VIEW");
        break;
    case LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW:
        put_create(p, s, "MATERIALIZED VIEW");
        break;
    case LT_AST_STATEMENT_CREATE_SINK:
        put_create(p, s, "SINK");
        break;
    case LT_AST_STATEMENT_CREATE_FUNCTION:
        put_function(p, s);
        break;
    case LT_AST_STATEMENT_CREATE_UNSUPPORTED:
        put_create_head(p, s);
        put_bytes(p, s->what.text, s->what.bytes);
        put(p, s->if_not_exists ? " IF NOT EXISTS " : " ");
        put_dotted(p, &s->name);
        break;
    case LT_AST_STATEMENT_INSERT:
        put_insert(p, s);
        break;
    case LT_AST_STATEMENT_DELETE:
        put_named(p, "DELETE FROM ", s);
        put_alias(p, &s->alias);
        put_where(p, s->where);
        break;
    case LT_AST_STATEMENT_UPDATE:
        put_named(p, "UPDATE ", s);
        put_alias(p, &s->alias);
        put(p, " SET ");
        put_assignments(p, &s->assignments);
        put_where(p, s->where);
        break;
    case LT_AST_STATEMENT_MERGE:
        put_named(p, "MERGE INTO ", s);
        put(p, " USING unknown");
        break;
    case LT_AST_STATEMENT_TRUNCATE:
        put_named(p, "TRUNCATE TABLE ", s);
        break;
    case LT_AST_STATEMENT_DROP:
        put(p, s->temporary ? "DROP TEMPORARY " : "DROP ");
        put_named(p, object_words[s->object], s);
        break;
    case LT_AST_STATEMENT_ALTER_TABLE:
    case LT_AST_STATEMENT_ALTER_VIEW:
        put_alter(p, s);
        break;
    case LT_AST_STATEMENT_SHOW:
        put_show(p, s);
        break;
    case LT_AST_STATEMENT_DESCRIBE:
        put_describe(p, s);
        break;
    case LT_AST_STATEMENT_EXPLAIN:
        put_explain(p, s);
        break;
    case LT_AST_STATEMENT_SET:
    case LT_AST_STATEMENT_RESET:
        put_setting(p, s);
        break;
    case LT_AST_STATEMENT_SET_TIME_ZONE:
        put_time_zone(p, s);
        break;
    case LT_AST_STATEMENT_SET_VARIABLE:
        put_set_variable(p, s);
        break;
    case LT_AST_STATEMENT_DECLARE_VARIABLE:
        put_declare(p, s);
        break;
    case LT_AST_STATEMENT_DROP_VARIABLE:
        put_named(p, "DROP TEMPORARY VARIABLE ", s);
        break;
    case LT_AST_STATEMENT_COPY:
        put_copy(p, s);
        break;
    case LT_AST_STATEMENT_PROCESS_ALL:
        put_wait(p, "PROCESS ALL AVAILABLE", s);
        break;
    case LT_AST_STATEMENT_AWAIT_TERMINATION:
        put_wait(p, "AWAIT TERMINATION", s);
        break;
    case LT_AST_STATEMENT_START_QUERY:
        put_named(p, "START QUERY ", s);
        break;
    case LT_AST_STATEMENT_STOP_QUERY:
        put_named(p, "STOP QUERY ", s);
        break;
    case LT_AST_STATEMENT_EXECUTE_IMMEDIATE:
        put_execute(p, s);
        break;
    case LT_AST_STATEMENT_USE:
        put_named(p, "USE ", s);
        break;
    case LT_AST_STATEMENT_CACHE:
        put_cache(p, s);
        break;
    case LT_AST_STATEMENT_KIND_COUNT:
        break;
    }
}

leat_status lt_print_statement(lt_buffer *out, const lt_ast_statement *statement, leat_error *err) {
    printer p = {.out = out, .err = err};
    put_statement(&p, statement);
    return p.status;
}

leat_status lt_print_query(lt_buffer *out, const lt_ast_query *query, leat_error *err) {
    printer p = {.out = out, .err = err};
    put_query(&p, query);
    return p.status;
}

leat_status lt_print_expression(lt_buffer *out, const lt_ast_expression *expression, leat_error *err) {
    printer p = {.out = out, .err = err};
    put_expression(&p, expression, LEVEL_OR);
    return p.status;
}

leat_status lt_print_type(lt_buffer *out, const lt_ast_type *type, leat_error *err) {
    printer p = {.out = out, .err = err};
    put_type(&p, type);
    return p.status;
}

leat_status lt_print_name(lt_buffer *out, const lt_ast_name *name, leat_error *err) {
    printer p = {.out = out, .err = err};
    put_name(&p, name);
    return p.status;
}
