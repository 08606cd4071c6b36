#include "parser/build_node.h"

#include "base/ascii.h"
#include "base/edit_distance.h"

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
    if (b->at > 0) query->place = lt_build_span(&query->place, &b->tokens[b->at - 1].place);
}

lt_ast_query *lt_build_query_parens(lt_builder *b, const lt_token *begin, lt_ast_query *query, const lt_token *end) {
    (void)b;
    query->parenthesized = true;
    query->place         = lt_build_span(&begin->place, &end->place);
    return query;
}

static bool is_organized(const lt_ast_query *query) {
    const lt_ast_organization *o = &query->organization;
    return o->order_by.count > 0 || o->sort_by.count > 0 || o->cluster_by.count > 0 || o->distribute_by.count > 0 ||
           o->limit != NULL || o->limit_all || o->offset != NULL;
}

// (SELECT .. LIMIT 1) LIMIT 2: the clauses of the inner query stay its own.
lt_ast_query *lt_build_query_open(lt_builder *b, lt_ast_query *query) {
    if (!query->parenthesized || (!is_organized(query) && query->ctes.count == 0)) return query;
    lt_ast_query *outer = query_new(b, LT_AST_QUERY_NESTED, &query->place);
    LIST_PUSH(b, &outer->branches, query);
    query_depth(b, outer, query->depth);
    return outer;
}

lt_ast_query *lt_build_organized(lt_builder *b, lt_ast_query *query, const lt_ast_organization *organization) {
    lt_ast_query *outer = lt_build_query_open(b, query);
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
    lt_ast_query *outer =
        organization != NULL ? lt_build_organized(b, query, organization) : lt_build_query_open(b, query);
    outer->recursive = recursive;
    outer->ctes      = *ctes;
    outer->place     = lt_build_span(&begin->place, &outer->place);
    for (uint32_t i = 0; i < ctes->count; i++) query_depth(b, outer, ctes->items[i].query->depth);
    return outer;
}

LIST_BUILDER(lt_build_ctes, lt_ast_ctes, const lt_ast_cte *cte, *cte)

lt_ast_cte lt_build_cte(const lt_ast_name *name, const lt_ast_names *columns, const lt_ast_names *recursion_max,
                        lt_ast_query *query) {
    lt_ast_cte cte = {.name = *name, .query = query, .place = lt_build_span(&name->place, &query->place)};
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
        left->place = lt_build_span(&left->place, &right->place);
        return left;
    }
    lt_place              place = lt_build_span(&left->place, &right->place);
    lt_ast_query         *query = query_new(b, LT_AST_QUERY_SET_OPERATION, &place);
    query->set_operator         = operator;
    query->all                  = all;
    LIST_PUSH(b, &query->branches, left);
    LIST_PUSH(b, &query->branches, right);
    query_depth(b, query, left->depth);
    query_depth(b, query, right->depth);
    return query;
}

uint32_t lt_build_items_depth(const lt_ast_items *items) {
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
    if (b->at > 0) placed.place = lt_build_span(&arrow->place, &b->tokens[b->at - 1].place);
    LIST_PUSH(b, &pipe->steps, placed);
    query_depth(b, pipe, lt_build_items_depth(&step->items));
    query_expression(b, pipe, step->expression);
    if (step->query != NULL) query_depth(b, pipe, step->query->depth);
    if (step->relation != NULL) query_depth(b, pipe, step->relation->depth);
    if (step->select != NULL) query_depth(b, pipe, lt_build_items_depth(&step->select->items));
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
    query_depth(b, query, lt_build_items_depth(items));
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
    query->place              = lt_build_span(&from->place, &query->place);
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

uint32_t lt_build_rows_depth(const lt_ast_expression_lists *rows) {
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
    query_depth(b, query, lt_build_rows_depth(rows));
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
            lt_ascii_equal(list->items[i].name.text, name->text, name->bytes))
            lt_build_fail(b, LT_INVALID_SQL_SYNTAX__REPETITIVE_WINDOW_DEFINITION, &name->place,
                          "window `%s` is defined twice", name->text);
    LIST_PUSH(b, list, ((lt_ast_named_window){.name = *name, .window = window}));
    return list;
}

static bool is_all(const lt_ast_expression *e) {
    return e->kind == LT_AST_COLUMN && e->names.count == 1 && lt_build_name_is(&e->names.items[0], "ALL");
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
