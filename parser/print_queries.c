#include "parser/print_node.h"

static void put_sets(lt_printer *p, const lt_ast_expression_lists *sets) {
    for (uint32_t i = 0; i < sets->count; i++) {
        lt_put_comma(p, i);
        lt_put(p, "(");
        lt_put_arguments(p, &sets->items[i], 0);
        lt_put(p, ")");
    }
}

static void put_group_items(lt_printer *p, const lt_ast_group_items *items);

static void put_group_item(lt_printer *p, const lt_ast_group_item *item) {
    switch (item->kind) {
    case LT_AST_GROUP_EXPRESSION: {
        lt_ast_item  only = item->item;
        lt_ast_items list = {&only, 1, 1};
        lt_put_items(p, &list);
        break;
    }
    case LT_AST_GROUP_SET:
        put_sets(p, &item->sets);
        break;
    case LT_AST_GROUP_GROUPING_SETS:
        lt_put(p, "GROUPING SETS (");
        put_group_items(p, &item->items);
        lt_put(p, ")");
        break;
    default:
        lt_put(p, item->kind == LT_AST_GROUP_ROLLUP ? "ROLLUP (" : "CUBE (");
        put_sets(p, &item->sets);
        lt_put(p, ")");
        break;
    }
}

// Nests as deep as GROUPING SETS stand in each other, which brackets bound.
static void put_group_items(lt_printer *p, const lt_ast_group_items *items) {
    for (uint32_t i = 0; i < items->count; i++) {
        lt_put_comma(p, i);
        put_group_item(p, &items->items[i]);
    }
}

static void put_group_by(lt_printer *p, const lt_ast_group_by *group) {
    if (!group->present) return;
    lt_put(p, " GROUP BY ");
    put_group_items(p, &group->items);
    lt_put_if(p, group->with_rollup, " WITH ROLLUP");
    lt_put_if(p, group->with_cube, " WITH CUBE");
    lt_put_if(p, group->with_sets.count > 0, " ");
    put_group_items(p, &group->with_sets);
}

static void put_named_windows(lt_printer *p, const lt_ast_named_windows *windows) {
    for (uint32_t i = 0; i < windows->count; i++) {
        lt_put(p, i == 0 ? " WINDOW " : ", ");
        lt_put_name(p, &windows->items[i].name);
        lt_put(p, " AS ");
        lt_put_window(p, windows->items[i].window);
    }
}

static void put_select(lt_printer *p, const lt_ast_select *select) {
    if (select->from_first) {
        lt_put(p, "FROM ");
        lt_put_relation(p, select->from);
        lt_put(p, " ");
    }
    lt_put(p, "SELECT ");
    lt_put_if(p, select->distinct, "DISTINCT ");
    lt_put_if(p, select->all_written, "ALL ");
    lt_put_items(p, &select->items);
    if (select->from != NULL && !select->from_first) {
        lt_put(p, " FROM ");
        lt_put_relation(p, select->from);
    }
    if (select->where != NULL) {
        lt_put(p, " WHERE ");
        lt_put_expression(p, select->where, LT_LEVEL_OR);
    }
    put_group_by(p, &select->group_by);
    if (select->having != NULL) {
        lt_put(p, " HAVING ");
        lt_put_expression(p, select->having, LT_LEVEL_OR);
    }
    put_named_windows(p, &select->windows);
    if (select->qualify != NULL) {
        lt_put(p, " QUALIFY ");
        lt_put_expression(p, select->qualify, LT_LEVEL_OR);
    }
}

static void put_organization(lt_printer *p, const lt_ast_organization *o) {
    if (o->cluster_by.count > 0) {
        lt_put(p, " CLUSTER BY ");
        lt_put_arguments(p, &o->cluster_by, 0);
    }
    if (o->distribute_by.count > 0) {
        lt_put(p, " DISTRIBUTE BY ");
        lt_put_arguments(p, &o->distribute_by, 0);
    }
    if (o->sort_by.count > 0) {
        lt_put(p, " SORT BY ");
        lt_put_order(p, &o->sort_by);
    }
    if (o->order_by.count > 0) {
        lt_put(p, " ORDER BY ");
        lt_put_order(p, &o->order_by);
    }
    lt_put_if(p, o->limit_all, " LIMIT ALL");
    if (o->limit != NULL) {
        lt_put(p, " LIMIT ");
        lt_put_expression(p, o->limit, LT_LEVEL_OR);
    }
    if (o->offset != NULL) {
        lt_put(p, " OFFSET ");
        lt_put_expression(p, o->offset, LT_LEVEL_OR);
    }
}

static bool is_organized(const lt_ast_query *query) {
    const lt_ast_organization *o = &query->organization;
    return o->order_by.count > 0 || o->sort_by.count > 0 || o->cluster_by.count > 0 || o->distribute_by.count > 0 ||
           o->limit != NULL || o->limit_all || o->offset != NULL || query->ctes.count > 0;
}

// A query as a branch of a set operation or at the head of a pipe.
static void put_branch(lt_printer *p, const lt_ast_query *query, bool may_be_from) {
    const bool is_simple =
        !is_organized(query) && (query->kind == LT_AST_QUERY_VALUES || query->kind == LT_AST_QUERY_TABLE ||
                                 (query->kind == LT_AST_QUERY_SELECT && !query->select->from_first) ||
                                 (query->kind == LT_AST_QUERY_FROM && may_be_from));
    lt_put_if(p, !is_simple, "(");
    lt_put_query(p, query);
    lt_put_if(p, !is_simple, ")");
}

static void put_set_word(lt_printer *p, lt_ast_set_operator operator, bool all) {
    lt_put(p, operator== LT_AST_UNION ? "UNION " : operator== LT_AST_EXCEPT ? "EXCEPT " : "INTERSECT ");
    lt_put_if(p, all, "ALL ");
}

static void put_step(lt_printer *p, const lt_ast_pipe_step *step) {
    lt_put(p, " |>");
    switch (step->kind) {
    case LT_AST_PIPE_WHERE:
        lt_put(p, " WHERE ");
        lt_put_expression(p, step->expression, LT_LEVEL_OR);
        break;
    case LT_AST_PIPE_SELECT:
        lt_put(p, " ");
        put_select(p, step->select);
        break;
    case LT_AST_PIPE_EXTEND:
        lt_put(p, " EXTEND ");
        lt_put_items(p, &step->items);
        break;
    case LT_AST_PIPE_SET:
        for (uint32_t i = 0; i < step->items.count; i++) {
            lt_put(p, i == 0 ? " SET " : ", ");
            lt_put_name(p, &step->items.items[i].alias);
            lt_put(p, " = ");
            lt_put_expression(p, step->items.items[i].expression, LT_LEVEL_OR);
        }
        break;
    case LT_AST_PIPE_DROP:
        lt_put(p, " DROP ");
        lt_put_names(p, &step->names);
        break;
    case LT_AST_PIPE_AS:
        lt_put(p, " AS ");
        lt_put_names(p, &step->names);
        break;
    case LT_AST_PIPE_AGGREGATE:
        lt_put(p, " AGGREGATE");
        lt_put_if(p, step->items.count > 0, " ");
        lt_put_items(p, &step->items);
        put_group_by(p, &step->group_by);
        break;
    case LT_AST_PIPE_JOIN:
        lt_put(p, " ");
        lt_put_relation(p, step->relation);
        break;
    case LT_AST_PIPE_SAMPLE:
        lt_put(p, " ");
        lt_put_sample(p, step->sample);
        break;
    case LT_AST_PIPE_SET_OPERATION:
        lt_put(p, " ");
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

static void put_body(lt_printer *p, const lt_ast_query *query) {
    switch (query->kind) {
    case LT_AST_QUERY_SELECT:
        put_select(p, query->select);
        break;
    case LT_AST_QUERY_VALUES:
        lt_put_rows(p, &query->rows);
        lt_put_alias(p, &query->alias);
        break;
    case LT_AST_QUERY_TABLE:
        lt_put(p, "TABLE ");
        lt_put_dotted(p, &query->name);
        break;
    case LT_AST_QUERY_FROM:
        lt_put(p, "FROM ");
        lt_put_relation(p, query->relation);
        break;
    case LT_AST_QUERY_SET_OPERATION:
        for (uint32_t i = 0; i < query->branches.count; i++) {
            if (i > 0) {
                lt_put(p, " ");
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
        lt_put_query_parens(p, query->branches.items[0]);
        break;
    }
}

void lt_put_query(lt_printer *p, const lt_ast_query *query) {
    for (uint32_t i = 0; i < query->ctes.count; i++) {
        const lt_ast_cte *cte = &query->ctes.items[i];
        lt_put(p, i > 0 ? ", " : query->recursive ? "WITH RECURSIVE " : "WITH ");
        lt_put_name(p, &cte->name);
        if (cte->columns.count > 0) lt_put_name_list(p, &cte->columns);
        if (cte->recursion_max.text != NULL) {
            lt_put(p, " MAX RECURSION LEVEL ");
            lt_put_bytes(p, cte->recursion_max.text, cte->recursion_max.bytes);
        }
        lt_put(p, " AS ");
        lt_put_query_parens(p, cte->query);
    }
    lt_put_if(p, query->ctes.count > 0, " ");
    // The last step of a pipe would take the clauses that belong to the whole.
    const bool is_pipe_with_clauses = query->kind == LT_AST_QUERY_PIPE && is_organized(query);
    lt_put_if(p, is_pipe_with_clauses, "(");
    put_body(p, query);
    lt_put_if(p, is_pipe_with_clauses, ")");
    put_organization(p, &query->organization);
    lt_put_if(p, query->emit == LT_AST_EMIT_CHANGES, " EMIT CHANGES");
    lt_put_if(p, query->emit == LT_AST_EMIT_FINAL, " EMIT FINAL");
}
