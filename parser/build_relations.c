#include "parser/build_node.h"

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
    if (b->at > 0) relation->place = lt_build_span(&relation->place, &b->tokens[b->at - 1].place);
}

lt_ast_relation *lt_build_extended(lt_builder *b, lt_ast_relation *left, lt_ast_relation *extension) {
    extension->left  = left;
    extension->place = lt_build_span(&left->place, &extension->place);
    relation_depth(b, extension, left->depth);
    return extension;
}

lt_ast_relation *lt_build_lateral(lt_ast_relation *relation) {
    relation->lateral = true;
    return relation;
}

lt_ast_relation *lt_build_comma(lt_builder *b, lt_ast_relation *left, bool lateral, lt_ast_relation *right) {
    lt_place         place = lt_build_span(&left->place, &right->place);
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
    relation_depth(b, relation, lt_build_rows_depth(rows));
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
    relation->place           = lt_build_span(&begin->place, &relation->place);
    return relation;
}

lt_ast_expression *lt_build_table_function(lt_builder *b, const lt_ast_names *name, const lt_ast_expressions *arguments,
                                           const lt_token *end) {
    lt_ast_expression *function = lt_build_expression_new(b, LT_AST_COLUMN, &end->place);
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
    relation->place           = lt_build_span(&begin->place, &call->place);
    return relation;
}

lt_ast_relation *lt_build_table_of(lt_builder *b, const lt_token *begin, lt_ast_expression *call, const lt_token *end) {
    lt_ast_relation *relation = lt_build_table_call(b, call);
    relation->table_keyword   = true;
    relation->place           = lt_build_span(&begin->place, &end->place);
    return relation;
}

lt_ast_relation *lt_build_deduplicate(lt_builder *b, const lt_token *begin, const lt_ast_names *table,
                                      const lt_ast_names *columns, bool within_watermark, const lt_token *end) {
    lt_place         place    = lt_build_span(&begin->place, &end->place);
    lt_ast_relation *relation = relation_new(b, LT_AST_RELATION_DEDUPLICATE, &place);
    if (table != NULL) relation->name = *table;
    if (columns != NULL) relation->columns = *columns;
    relation->within_watermark = within_watermark;
    return relation;
}

lt_ast_relation *lt_build_deduplicate_query(lt_builder *b, lt_ast_relation *relation, lt_ast_query *query) {
    relation->query = query;
    relation_depth(b, relation, query->depth);
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
    relation->place         = lt_build_span(&begin->place, &end->place);
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
    watermark->place            = lt_build_span(&begin->place, &delay->place);
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
    lt_place         place      = lt_build_span(&begin->place, &end->place);
    lt_ast_relation *relation   = relation_new(b, LT_AST_RELATION_PIVOT, &place);
    relation->pivot             = NEW(b, lt_ast_pivot);
    relation->pivot->aggregates = *aggregates;
    relation->pivot->columns    = *columns;
    relation->pivot->values     = *values;
    relation->alias             = *alias;
    relation_depth(b, relation, lt_build_items_depth(aggregates));
    relation_depth(b, relation, lt_build_items_depth(values));
    return relation;
}

lt_ast_relation *lt_build_unpivot(lt_builder *b, const lt_token *begin, int nulls, lt_ast_unpivot *head,
                                  const lt_ast_unpivot_sets *sets, const lt_token *end, const lt_ast_alias *alias) {
    lt_place         place      = lt_build_span(&begin->place, &end->place);
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
