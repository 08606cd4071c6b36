#include "parser/print_node.h"

#include "parser/scan.h"

#include <string.h>

static const struct {
    const char    *text;
    lt_print_level level;
} operators[LT_AST_OPERATOR_COUNT] = {
#define X(name, spelling) [LT_AST_OPERATOR_##name] = {spelling, LT_LEVEL_COMPARISON},
    LT_AST_OPERATORS(X)
#undef X
};

static lt_print_level operator_level(lt_ast_operator operator) {
    switch (operator) {
    case LT_AST_OPERATOR_NEGATE:
    case LT_AST_OPERATOR_PLUS:
    case LT_AST_OPERATOR_BIT_NOT:
        return LT_LEVEL_UNARY;
    case LT_AST_OPERATOR_MULTIPLY:
    case LT_AST_OPERATOR_DIVIDE:
    case LT_AST_OPERATOR_REMAINDER:
    case LT_AST_OPERATOR_INTEGER_DIVIDE:
        return LT_LEVEL_MULTIPLY;
    case LT_AST_OPERATOR_ADD:
    case LT_AST_OPERATOR_SUBTRACT:
    case LT_AST_OPERATOR_CONCAT:
        return LT_LEVEL_ADD;
    case LT_AST_OPERATOR_SHIFT_LEFT:
    case LT_AST_OPERATOR_SHIFT_RIGHT:
    case LT_AST_OPERATOR_SHIFT_RIGHT_UNSIGNED:
        return LT_LEVEL_SHIFT;
    case LT_AST_OPERATOR_BIT_AND:
        return LT_LEVEL_BIT_AND;
    case LT_AST_OPERATOR_BIT_XOR:
        return LT_LEVEL_BIT_XOR;
    case LT_AST_OPERATOR_BIT_OR:
        return LT_LEVEL_BIT_OR;
    default: return operators[operator].level;
    }
}

static lt_print_level expression_level(const lt_ast_expression *e) {
    switch (e->kind) {
    case LT_AST_OR:
        return LT_LEVEL_OR;
    case LT_AST_AND:
        return LT_LEVEL_AND;
    case LT_AST_NOT:
        return LT_LEVEL_NOT;
    case LT_AST_IS:
    case LT_AST_BETWEEN:
    case LT_AST_IN:
    case LT_AST_LIKE:
    case LT_AST_EXISTS:
        return LT_LEVEL_PREDICATE;
    case LT_AST_UNARY:
    case LT_AST_BINARY:
        return operator_level(e->operator);
    default:
        return LT_LEVEL_PRIMARY;
    }
}

void lt_put_query_parens(lt_printer *p, const lt_ast_query *query) {
    lt_put(p, "(");
    lt_put_query(p, query);
    lt_put(p, ")");
}

void lt_put_arguments(lt_printer *p, const lt_ast_expressions *list, uint32_t from) {
    for (uint32_t i = from; i < list->count; i++) {
        lt_put_comma(p, i - from);
        lt_put_expression(p, list->items[i], LT_LEVEL_OR);
    }
}

static void put_literal(lt_printer *p, const lt_ast_literal *literal) {
    switch (literal->kind) {
    case LT_AST_LITERAL_NULL:
        lt_put(p, "NULL");
        break;
    case LT_AST_LITERAL_TRUE:
        lt_put(p, "TRUE");
        break;
    case LT_AST_LITERAL_FALSE:
        lt_put(p, "FALSE");
        break;
    case LT_AST_LITERAL_NUMBER:
        lt_put_bytes(p, literal->text.text, literal->text.bytes);
        lt_put(p, literal->suffix);
        break;
    case LT_AST_LITERAL_STRING:
        lt_put_string(p, literal->text);
        break;
    case LT_AST_LITERAL_BINARY:
        lt_put(p, "X");
        lt_put_string(p, literal->text);
        break;
    case LT_AST_LITERAL_TYPED:
        lt_put(p, literal->type_name);
        lt_put(p, " ");
        lt_put_string(p, literal->text);
        break;
    case LT_AST_LITERAL_UNIT:
        lt_put_bytes(p, literal->text.text, literal->text.bytes);
        break;
    }
}

static void put_interval(lt_printer *p, const lt_ast_interval_parts *parts) {
    lt_put(p, "INTERVAL");
    for (uint32_t i = 0; i < parts->count; i++) {
        const lt_ast_interval_part *part = &parts->items[i];
        lt_put(p, part->is_negative ? " -" : " ");
        if (part->is_string)
            lt_put_string(p, part->value);
        else
            lt_put_bytes(p, part->value.text, part->value.bytes);
        if (part->unit.text != NULL) {
            lt_put(p, " ");
            lt_put_word(p, &part->unit);
        }
        if (part->to.text != NULL) {
            lt_put(p, " TO ");
            lt_put_word(p, &part->to);
        }
    }
}

void lt_put_order(lt_printer *p, const lt_ast_order_items *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        const lt_ast_order_item *item = &list->items[i];
        lt_put_comma(p, i);
        lt_put_expression(p, item->expression, LT_LEVEL_OR);
        if (item->direction_written) lt_put(p, item->descending ? " DESC" : " ASC");
        lt_put_if(p, item->nulls == LT_AST_NULLS_FIRST, " NULLS FIRST");
        lt_put_if(p, item->nulls == LT_AST_NULLS_LAST, " NULLS LAST");
    }
}

static void put_bound(lt_printer *p, const lt_ast_bound *bound) {
    if (bound->value != NULL) {
        lt_put_expression(p, bound->value, LT_LEVEL_COMPARISON);
        lt_put(p, bound->kind == LT_AST_PRECEDING ? " PRECEDING" : " FOLLOWING");
        return;
    }
    lt_put(p, bound->kind == LT_AST_UNBOUNDED_PRECEDING   ? "UNBOUNDED PRECEDING"
              : bound->kind == LT_AST_UNBOUNDED_FOLLOWING ? "UNBOUNDED FOLLOWING"
                                                          : "CURRENT ROW");
}

void lt_put_window(lt_printer *p, const lt_ast_window *window) {
    if (window->name.text != NULL) {
        lt_put_name(p, &window->name);
        return;
    }
    const char *space = "";
    lt_put(p, "(");
    if (window->partition_by.count > 0) {
        lt_put(p, "PARTITION BY ");
        lt_put_arguments(p, &window->partition_by, 0);
        space = " ";
    }
    if (window->order_by.count > 0) {
        lt_put(p, space);
        lt_put(p, "ORDER BY ");
        lt_put_order(p, &window->order_by);
        space = " ";
    }
    if (window->frame != LT_AST_FRAME_NONE) {
        lt_put(p, space);
        lt_put(p, window->frame == LT_AST_FRAME_ROWS ? "ROWS " : "RANGE ");
        lt_put_if(p, window->has_end, "BETWEEN ");
        put_bound(p, &window->start);
        if (window->has_end) {
            lt_put(p, " AND ");
            put_bound(p, &window->end);
        }
    }
    lt_put(p, ")");
}

// The forms that have words inside of their brackets.
static void put_spelled_arguments(lt_printer *p, const lt_ast_expression *e) {
    lt_ast_expression *const *a     = e->arguments.items;
    const uint32_t            count = e->arguments.count;
    switch (e->spelling) {
    case LT_AST_SPELLING_FROM:
        if (a[0]->kind == LT_AST_LITERAL && a[0]->literal.kind == LT_AST_LITERAL_UNIT) {
            lt_put_expression(p, a[0], LT_LEVEL_OR); // extract
            lt_put(p, " FROM ");
            lt_put_expression(p, a[1], LT_LEVEL_OR);
            return;
        }
        if (count == 2 && e->call->name.items[0].bytes == 4) {
            lt_put_expression(p, a[1], LT_LEVEL_OR); // trim
            lt_put(p, " FROM ");
            lt_put_expression(p, a[0], LT_LEVEL_OR);
            return;
        }
        lt_put_expression(p, a[0], LT_LEVEL_OR);
        lt_put(p, " FROM ");
        lt_put_expression(p, a[1], LT_LEVEL_OR);
        if (count > 2) {
            lt_put(p, " FOR ");
            lt_put_expression(p, a[2], LT_LEVEL_OR);
        }
        return;
    case LT_AST_SPELLING_TRIM_BOTH:
    case LT_AST_SPELLING_TRIM_LEADING:
    case LT_AST_SPELLING_TRIM_TRAILING:
        lt_put(p, e->spelling == LT_AST_SPELLING_TRIM_BOTH      ? "BOTH "
                  : e->spelling == LT_AST_SPELLING_TRIM_LEADING ? "LEADING "
                                                                : "TRAILING ");
        if (count > 1) {
            lt_put_expression(p, a[1], LT_LEVEL_OR);
            lt_put(p, " ");
        }
        lt_put(p, "FROM ");
        lt_put_expression(p, a[0], LT_LEVEL_OR);
        return;
    case LT_AST_SPELLING_IN:
        lt_put_expression(p, a[0], LT_LEVEL_COMPARISON);
        lt_put(p, " IN ");
        lt_put_expression(p, a[1], LT_LEVEL_COMPARISON);
        return;
    case LT_AST_SPELLING_PLACING:
        lt_put_expression(p, a[0], LT_LEVEL_OR);
        lt_put(p, " PLACING ");
        lt_put_expression(p, a[1], LT_LEVEL_OR);
        lt_put(p, " FROM ");
        lt_put_expression(p, a[2], LT_LEVEL_OR);
        if (count > 3) {
            lt_put(p, " FOR ");
            lt_put_expression(p, a[3], LT_LEVEL_OR);
        }
        return;
    default:
        lt_put_arguments(p, &e->arguments, 0);
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

void lt_put_call(lt_printer *p, const lt_ast_expression *e) {
    const lt_ast_call *call = e->call;
    for (uint32_t i = 0; i < call->name.count; i++) {
        lt_put_if(p, i > 0, ".");
        if (i == 0 && begins_query(&call->name.items[0]))
            lt_put_quoted_name(p, &call->name.items[0]);
        else
            lt_put_word(p, &call->name.items[i]);
    }
    lt_put(p, "(");
    lt_put_if(p, call->distinct, "DISTINCT ");
    put_spelled_arguments(p, e);
    const char *nulls = call->nulls == LT_AST_IGNORE_NULLS    ? " IGNORE NULLS"
                        : call->nulls == LT_AST_RESPECT_NULLS ? " RESPECT NULLS"
                                                              : "";
    lt_put_if(p, call->nulls_inside, nulls);
    lt_put(p, ")");
    if (call->within_group.count > 0) {
        lt_put(p, " WITHIN GROUP (ORDER BY ");
        lt_put_order(p, &call->within_group);
        lt_put(p, ")");
    }
    if (call->filter != NULL) {
        lt_put(p, " FILTER (WHERE ");
        lt_put_expression(p, call->filter, LT_LEVEL_OR);
        lt_put(p, ")");
    }
    lt_put_if(p, !call->nulls_inside, nulls);
    if (call->over != NULL) {
        lt_put(p, " OVER ");
        lt_put_window(p, call->over);
    }
}

static void put_case(lt_printer *p, const lt_ast_expression *e) {
    uint32_t       at  = 0;
    const uint32_t end = e->arguments.count - (e->has_else ? 1 : 0);
    lt_put(p, "CASE");
    if (e->has_operand) {
        lt_put(p, " ");
        lt_put_expression(p, e->arguments.items[at++], LT_LEVEL_OR);
    }
    for (; at + 1 < end; at += 2) {
        lt_put(p, " WHEN ");
        lt_put_expression(p, e->arguments.items[at], LT_LEVEL_OR);
        lt_put(p, " THEN ");
        lt_put_expression(p, e->arguments.items[at + 1], LT_LEVEL_OR);
    }
    if (e->has_else) {
        lt_put(p, " ELSE ");
        lt_put_expression(p, e->arguments.items[end], LT_LEVEL_OR);
    }
    lt_put(p, " END");
}

static void put_is(lt_printer *p, const lt_ast_expression *e) {
    static const char *const tests[] = {
        [LT_AST_IS_NULL]          = "NULL",
        [LT_AST_IS_TRUE]          = "TRUE",
        [LT_AST_IS_FALSE]         = "FALSE",
        [LT_AST_IS_UNKNOWN]       = "UNKNOWN",
        [LT_AST_IS_DISTINCT_FROM] = "DISTINCT FROM ",
    };
    lt_put_expression(p, e->arguments.items[0], LT_LEVEL_COMPARISON);
    lt_put(p, e->negated ? " IS NOT " : " IS ");
    lt_put(p, tests[e->is]);
    if (e->is == LT_AST_IS_DISTINCT_FROM) lt_put_expression(p, e->arguments.items[1], LT_LEVEL_COMPARISON);
}

static void put_like(lt_printer *p, const lt_ast_expression *e) {
    static const char *const words[] = {
        [LT_AST_LIKE_LIKE] = " LIKE ", [LT_AST_LIKE_ILIKE] = " ILIKE ", [LT_AST_LIKE_RLIKE] = " RLIKE "};
    lt_put_expression(p, e->arguments.items[0], LT_LEVEL_COMPARISON);
    lt_put_if(p, e->negated, " NOT");
    lt_put(p, words[e->like.kind]);
    if (e->like.quantifier != LT_AST_LIKE_ONE) {
        lt_put(p, e->like.quantifier == LT_AST_LIKE_ANY ? "ANY (" : "ALL (");
        lt_put_arguments(p, &e->arguments, 1);
        lt_put(p, ")");
        return;
    }
    lt_put_expression(p, e->arguments.items[1], LT_LEVEL_COMPARISON);
    if (e->like.has_escape) {
        lt_put(p, " ESCAPE ");
        lt_put_string(p, (lt_ast_text){&e->like.escape, 1});
    }
}

static void put_table_argument(lt_printer *p, const lt_ast_table_argument *table) {
    lt_put(p, "TABLE ");
    if (table->query != NULL)
        lt_put_query_parens(p, table->query);
    else
        lt_put_dotted(p, &table->table);
    lt_put_if(p, table->single_partition, " WITH SINGLE PARTITION");
    if (table->partition_by.count > 0) {
        lt_put(p, " PARTITION BY ");
        lt_put_if(p, table->partition_by.count > 1, "(");
        lt_put_arguments(p, &table->partition_by, 0);
        lt_put_if(p, table->partition_by.count > 1, ")");
    }
    if (table->order_by.count > 0) {
        lt_put(p, " ORDER BY ");
        lt_put_order(p, &table->order_by);
    }
}

static void put_cast(lt_printer *p, const lt_ast_expression *e) {
    if (e->spelling == LT_AST_SPELLING_COLONS) {
        lt_put_expression(p, e->arguments.items[0], LT_LEVEL_PRIMARY);
        lt_put(p, "::");
        lt_put_type(p, e->type);
        return;
    }
    lt_put(p, e->spelling == LT_AST_SPELLING_TRY_CAST ? "TRY_CAST(" : "CAST(");
    lt_put_expression(p, e->arguments.items[0], LT_LEVEL_OR);
    lt_put(p, " AS ");
    lt_put_type(p, e->type);
    lt_put(p, ")");
}

// What stands before `.`, `[` and the like: a number there would swallow the dot, a type the word behind it.
static void put_base(lt_printer *p, const lt_ast_expression *e) {
    const bool is_open = (e->kind == LT_AST_LITERAL && e->literal.kind == LT_AST_LITERAL_NUMBER) ||
                         (e->kind == LT_AST_CAST && e->spelling == LT_AST_SPELLING_COLONS);
    lt_put_if(p, is_open, "(");
    lt_put_expression(p, e, is_open ? LT_LEVEL_OR : LT_LEVEL_PRIMARY);
    lt_put_if(p, is_open, ")");
}

static void put_unary(lt_printer *p, const lt_ast_expression *e) {
    const lt_ast_expression *value = e->arguments.items[0];
    // -5 is a literal and -- a comment, so numbers and further signs go into parentheses.
    const bool is_open =
        value->kind == LT_AST_UNARY || (value->kind == LT_AST_LITERAL && value->literal.kind == LT_AST_LITERAL_NUMBER);
    lt_put(p, operators[e->operator].text);
    lt_put_if(p, is_open, "(");
    lt_put_expression(p, value, is_open ? LT_LEVEL_OR : LT_LEVEL_UNARY);
    lt_put_if(p, is_open, ")");
}

static void put_star(lt_printer *p, const lt_ast_expression *e) {
    lt_put_dotted(p, &e->names);
    lt_put(p, e->names.count > 0 ? ".*" : "*");
    if (e->except.count > 0) {
        lt_put(p, " EXCEPT ");
        lt_put_dotteds(p, &e->except);
    }
}

static void put_chain(lt_printer *p, const lt_ast_expression *e, const char *word, lt_print_level inner) {
    for (uint32_t i = 0; i < e->arguments.count; i++) {
        lt_put_if(p, i > 0, word);
        lt_put_expression(p, e->arguments.items[i], inner);
    }
}

// One case a kind: the dispatch of the printer.
static void put_node(lt_printer *p, const lt_ast_expression *e) {
    lt_ast_expression *const *a = e->arguments.items;
    switch (e->kind) {
    case LT_AST_LITERAL:
        put_literal(p, &e->literal);
        break;
    case LT_AST_INTERVAL:
        put_interval(p, &e->interval);
        break;
    case LT_AST_COLUMN:
        lt_put_dotted(p, &e->names);
        break;
    case LT_AST_STAR:
        put_star(p, e);
        break;
    case LT_AST_PARAMETER:
        lt_put(p, e->parameter.name.text != NULL ? ":" : "?");
        if (e->parameter.name.text != NULL) lt_put_name(p, &e->parameter.name);
        break;
    case LT_AST_UNARY:
        put_unary(p, e);
        break;
    case LT_AST_BINARY:
        lt_put_expression(p, a[0], operator_level(e->operator));
        lt_put(p, " ");
        lt_put(p, operators[e->operator].text);
        lt_put(p, " ");
        lt_put_expression(p, a[1], operator_level(e->operator) + 1);
        break;
    case LT_AST_AND:
        put_chain(p, e, " AND ", LT_LEVEL_NOT);
        break;
    case LT_AST_OR:
        put_chain(p, e, " OR ", LT_LEVEL_AND);
        break;
    case LT_AST_NOT:
        lt_put(p, "NOT ");
        lt_put_expression(p, a[0], LT_LEVEL_NOT);
        break;
    case LT_AST_IS:
        put_is(p, e);
        break;
    case LT_AST_BETWEEN:
        lt_put_expression(p, a[0], LT_LEVEL_COMPARISON);
        lt_put(p, e->negated ? " NOT BETWEEN " : " BETWEEN ");
        lt_put_expression(p, a[1], LT_LEVEL_COMPARISON);
        lt_put(p, " AND ");
        lt_put_expression(p, a[2], LT_LEVEL_COMPARISON);
        break;
    case LT_AST_IN:
        lt_put_expression(p, a[0], LT_LEVEL_COMPARISON);
        lt_put(p, e->negated ? " NOT IN " : " IN ");
        if (e->query != NULL) {
            lt_put_query_parens(p, e->query);
            break;
        }
        lt_put(p, "(");
        lt_put_arguments(p, &e->arguments, 1);
        lt_put(p, ")");
        break;
    case LT_AST_LIKE:
        put_like(p, e);
        break;
    case LT_AST_EXISTS:
        lt_put(p, "EXISTS ");
        lt_put_query_parens(p, e->query);
        break;
    case LT_AST_CASE:
        put_case(p, e);
        break;
    case LT_AST_CAST:
        put_cast(p, e);
        break;
    case LT_AST_CALL:
        lt_put_call(p, e);
        break;
    case LT_AST_LAMBDA:
        if (e->names.count == 1)
            lt_put_names(p, &e->names);
        else
            lt_put_name_list(p, &e->names);
        lt_put(p, " -> ");
        lt_put_expression(p, a[0], LT_LEVEL_OR);
        break;
    case LT_AST_FIELD:
        put_base(p, a[0]);
        lt_put(p, ".");
        lt_put_name(p, &e->name);
        break;
    case LT_AST_INDEX:
        put_base(p, a[0]);
        lt_put(p, "[");
        lt_put_expression(p, a[1], LT_LEVEL_COMPARISON);
        lt_put(p, "]");
        break;
    case LT_AST_ROW:
        lt_put(p, "(");
        lt_put_arguments(p, &e->arguments, 0);
        lt_put(p, ")");
        break;
    case LT_AST_SUBQUERY:
        lt_put_query_parens(p, e->query);
        break;
    case LT_AST_COLLATE:
        put_base(p, a[0]);
        lt_put(p, " COLLATE ");
        lt_put_dotted(p, &e->names);
        break;
    case LT_AST_VARIANT_PATH:
        put_base(p, a[0]);
        lt_put(p, ":");
        lt_put_name(p, &e->name);
        break;
    case LT_AST_ALIAS:
        lt_put_expression(p, a[0], LT_LEVEL_OR);
        lt_put(p, " AS ");
        lt_put_name(p, &e->name);
        break;
    case LT_AST_NAMED_ARGUMENT:
        lt_put_name(p, &e->name);
        lt_put(p, " => ");
        lt_put_expression(p, a[0], LT_LEVEL_OR);
        break;
    case LT_AST_TABLE_ARGUMENT:
        put_table_argument(p, e->table);
        break;
    case LT_AST_EXPRESSION_KIND_COUNT:
        break;
    }
}

void lt_put_expression(lt_printer *p, const lt_ast_expression *e, lt_print_level wanted) {
    const bool is_looser = expression_level(e) < wanted;
    lt_put_if(p, is_looser, "(");
    put_node(p, e);
    lt_put_if(p, is_looser, ")");
}
