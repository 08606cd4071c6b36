#include "planner/bind/binder.h"

// Aggregate calls: in a SELECT each distinct call becomes a slot that select.c turns into a column of the AGGREGATE.

static leat_status aggregate_resolve(const void *row, lt_resolution *resolution, leat_error *err) {
    return ((const lt_aggregate *)row)->resolve(resolution, err);
}

static bool has_aggregate(const lt_binder *binder, const char *name, bool window_only) {
    for (const lt_aggregate *const *array = binder->context->aggregates; array != NULL && *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++)
            if (row->name[0] == name[0] && strcmp(row->name, name) == 0 && row->is_window_only == window_only)
                return true;
    return false;
}

bool lt_is_aggregate_name(const lt_binder *binder, const char *name) { return has_aggregate(binder, name, false); }
bool lt_is_window_only_name(const lt_binder *binder, const char *name) { return has_aggregate(binder, name, true); }

static leat_status aggregate_candidates(lt_binder *binder, const char *name, lt_candidates *out, leat_error *err) {
    for (const lt_aggregate *const *array = binder->context->aggregates; array != NULL && *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++) {
            if (strcmp(row->name, name) != 0) continue;
            const lt_candidate candidate = {.name        = row->name,
                                            .takes       = row->takes,
                                            .returns     = row->returns,
                                            .has_resolve = row->resolve != NULL,
                                            .resolve     = aggregate_resolve,
                                            .row         = row};
            LT_LIST_ADD(binder->arena, out, candidate, err);
        }
    return LEAT_OK;
}

// Aggregates that need WITHIN GROUP, and whether its ORDER BY gives them their value.
static const struct {
    const char *name;
    bool        takes_order; // ORDER BY's expression is the value: percentile_cont(0.5) WITHIN GROUP (ORDER BY x)
    bool        is_required;
} ordered_aggregates[] = {
    {"percentile_cont", true, true}, {"percentile_disc", true, true}, {"mode", true, false},
    {"listagg", false, false},       {"string_agg", false, false},
};

static leat_status arguments_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                  lt_bounds *out, leat_error *err) {
    const lt_ast_expressions *asts = &ast->arguments;
    if (strcmp(name, "count") == 0 && asts->count == 1 && !ast->call->distinct && asts->items[0]->kind == LT_AST_STAR &&
        asts->items[0]->names.count == 0 && asts->items[0]->except.count == 0) {
        lt_bound one = {.text = "1", .size = 1, .depth = 1};
        LT_TRY(lt_literal_int64(binder, LT_INT, 1, &one.expression, err));
        LT_LIST_ADD(binder->arena, out, one, err);
        return LEAT_OK;
    }
    if (strcmp(name, "count") == 0 && asts->count == 1 && asts->items[0]->kind == LT_AST_STAR &&
        asts->items[0]->names.count > 0)
        return lt_raise(err, LT_INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT, &asts->items[0]->place,
                        "count takes * but not the * of one table; use count(*)");
    for (uint32_t i = 0; i < asts->count; i++)
        if (asts->items[i]->kind == LT_AST_NAMED_ARGUMENT)
            return lt_raise(err, LT_NAMED_PARAMETERS_NOT_SUPPORTED, &asts->items[i]->place,
                            "`%s` takes no arguments by name", name);
    if (strcmp(name, "count") == 0 && asts->count == 0)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITH_SUGGESTION, &ast->place, "count needs an argument; use count(*)");
    return lt_bind_list(binder, scope, asts, out, err);
}

static leat_status filter_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_aggregate_call *out,
                               const char **text, leat_error *err) {
    if (ast->call->filter == NULL) return LEAT_OK;
    lt_bound       filter;
    lt_aggregation inside = {0};
    lt_scope       inner  = *scope;
    inner.aggregation     = &inside;
    inner.alias_use       = LT_ALIASES_NONE;
    LT_TRY(lt_bind_expression(binder, &inner, ast->call->filter, &filter, err));
    if (filter.expression->type->kind != LT_BOOLEAN)
        return lt_raise(err, LT_INVALID_AGGREGATE_FILTER__NOT_BOOLEAN, &ast->call->filter->place,
                        "a condition is BOOLEAN, not %s", lt_type_text(binder->arena, filter.expression->type));
    if (inside.calls.count > 0)
        return lt_raise(err, LT_INVALID_AGGREGATE_FILTER__CONTAINS_AGGREGATE, &ast->call->filter->place,
                        "FILTER cannot hold an aggregate");
    out->filter = filter.expression;
    *text       = lt_arena_format(binder->arena, "%s FILTER (WHERE %s)", *text, filter.text);
    return *text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status within_group_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                     lt_bounds *arguments, lt_aggregate_call *out, const char **out_text,
                                     leat_error *err) {
    const lt_ast_order_items *items = &ast->call->within_group;
    *out_text                       = "";
    for (size_t i = 0; i < sizeof ordered_aggregates / sizeof *ordered_aggregates; i++) {
        if (strcmp(ordered_aggregates[i].name, name) != 0) continue;
        if (items->count == 0 && ordered_aggregates[i].is_required)
            return lt_raise(err, LT_INVALID_WITHIN_GROUP_EXPRESSION__WITHIN_GROUP_MISSING, &ast->place,
                            "`%s` needs WITHIN GROUP (ORDER BY ..)", name);
        if (ordered_aggregates[i].takes_order && ast->call->distinct)
            return lt_raise(err, LT_INVALID_WITHIN_GROUP_EXPRESSION__DISTINCT_UNSUPPORTED, &ast->place,
                            "`%s` takes no DISTINCT", name);
        if (items->count == 0) return LEAT_OK;
        const char *keys;
        LT_TRY(lt_sort_keys_bind(binder, scope, items, &out->order, &keys, err));
        out->order_count = items->count;
        if (ordered_aggregates[i].takes_order) {
            lt_bound value;
            LT_TRY(lt_bind_expression(binder, scope, items->items[0].expression, &value, err));
            // Spark keeps one direction of such a key, and turns it round for mode.
            const bool is_descending = items->items[0].descending != (strcmp(name, "mode") == 0);
            keys                     = lt_arena_format(binder->arena, "%s%s", value.text, is_descending ? " DESC" : "");
            if (keys == NULL) return lt_raise_no_memory(err);
            lt_bounds whole = {0};
            LT_LIST_ADD(binder->arena, &whole, value, err);
            for (uint32_t k = 0; k < arguments->count; k++)
                LT_LIST_ADD(binder->arena, &whole, arguments->items[k], err);
            *arguments = whole;
        }
        *out_text = lt_arena_format(binder->arena, " WITHIN GROUP (ORDER BY %s)", keys);
        if (*out_text == NULL) return lt_raise_no_memory(err);
        if (ast->call->distinct && arguments->count > 0 && !ordered_aggregates[i].takes_order &&
            !lt_expression_equal(out->order[0].expression, arguments->items[0].expression))
            return lt_raise(err, LT_INVALID_WITHIN_GROUP_EXPRESSION__MISMATCH_WITH_DISTINCT_INPUT, &ast->place,
                            "with DISTINCT, `%s` can be ordered by its own argument only", name);
        return LEAT_OK;
    }
    if (items->count > 0)
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__FUNCTION_WITH_UNSUPPORTED_SYNTAX, &ast->place,
                        "`%s` takes no WITHIN GROUP", name);
    return LEAT_OK;
}

// IGNORE NULLS leaves a trace in the names of nth_value, first_value and last_value only.
static const char *aggregate_text(lt_binder *binder, const lt_ast_expression *ast, const char *display,
                                  const char *name, const lt_bounds *arguments, uint32_t hidden) {
    const char *prefix  = ast->call->distinct ? "DISTINCT " : "";
    const bool  ignores = ast->call->nulls == LT_AST_IGNORE_NULLS;
    if (ignores && strcmp(name, "first_value") == 0) name = "first";
    if (ignores && strcmp(name, "last_value") == 0) name = "last";
    const char *text =
        lt_display_call(binder->arena, display, name, prefix, arguments->items + hidden, arguments->count - hidden);
    return text != NULL && ignores && strcmp(name, "nth_value") == 0
               ? lt_arena_format(binder->arena, "%s ignore nulls", text)
               : text;
}

leat_status lt_aggregate_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                              lt_aggregate_call *out, const char **out_text, leat_error *err) {
    lt_bounds     arguments  = {0};
    lt_candidates candidates = {0};
    lt_resolved   resolved;
    const char   *within;
    lt_bound     *texts;
    *out = (lt_aggregate_call){.is_distinct       = ast->call->distinct,
                               .place             = ast->place,
                               .is_ignoring_nulls = ast->call->nulls == LT_AST_IGNORE_NULLS};
    LT_TRY(arguments_bind(binder, scope, ast, name, &arguments, err));
    const uint32_t written = arguments.count;
    LT_TRY(within_group_bind(binder, scope, ast, name, &arguments, out, &within, err));
    LT_TRY(aggregate_candidates(binder, name, &candidates, err));
    LT_TRY_NEW_ARRAY(texts, binder->arena, arguments.count, err);
    LT_TRY(lt_resolve(binder, scope, &candidates, name, arguments.items, arguments.count, NULL, &ast->place, texts,
                      &resolved, err));
    out->aggregate      = resolved.row;
    out->arguments      = resolved.arguments;
    out->argument_count = resolved.argument_count;
    out->constants      = resolved.constants;
    out->type           = resolved.type;
    if (out->is_ignoring_nulls && !out->aggregate->ignore_nulls_allowed)
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__FUNCTION_WITH_UNSUPPORTED_SYNTAX, &ast->place,
                        "`%s` takes no IGNORE NULLS", name);
    if (out->aggregate->ignores_distinct) out->is_distinct = false;
    const char *display = resolved.display != NULL ? resolved.display : out->aggregate->display;
    if (ast->call->within_group.count > 0 && strcmp(name, "string_agg") == 0) name = "listagg";
    *out_text = aggregate_text(binder, ast, display, name, &arguments, arguments.count - written);
    if (*out_text != NULL) *out_text = lt_arena_format(binder->arena, "%s%s", *out_text, within);
    if (*out_text == NULL) return lt_raise_no_memory(err);
    return filter_bind(binder, scope, ast, out, out_text, err);
}

static bool optional_equal(const lt_expression *a, const lt_expression *b) {
    return a == NULL || b == NULL ? a == b : lt_expression_equal(a, b);
}

static bool call_equal(const lt_aggregate_call *a, const lt_aggregate_call *b) {
    if (a->aggregate != b->aggregate || a->argument_count != b->argument_count || a->is_distinct != b->is_distinct ||
        a->is_ignoring_nulls != b->is_ignoring_nulls || a->order_count != b->order_count ||
        !optional_equal(a->filter, b->filter))
        return false;
    for (uint32_t i = 0; i < a->argument_count; i++)
        if (!lt_expression_equal(a->arguments[i], b->arguments[i])) return false;
    for (uint32_t i = 0; i < a->order_count; i++)
        if (!lt_expression_equal(a->order[i].expression, b->order[i].expression) ||
            a->order[i].is_descending != b->order[i].is_descending ||
            a->order[i].is_nulls_first != b->order[i].is_nulls_first)
            return false;
    return true;
}

static leat_status misplaced(const lt_scope *scope, const lt_ast_expression *ast, const char *name, leat_error *err) {
    switch (scope->clause) {
    case LT_CLAUSE_WHERE:
        return lt_raise(err, LT_INVALID_WHERE_CONDITION, &ast->place,
                        "WHERE cannot hold the aggregate `%s`; use HAVING or a sub-query", name);
    case LT_CLAUSE_GROUP_BY:
        return lt_raise(err, LT_GROUP_BY_AGGREGATE, &ast->place, "GROUP BY cannot hold the aggregate `%s`", name);
    case LT_CLAUSE_PIPE:
        return lt_raise(err, LT_PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION, &ast->place,
                        "the aggregate `%s` stands in |> AGGREGATE", name);
    case LT_CLAUSE_VALUES:
        return lt_raise(err, LT_INVALID_INLINE_TABLE__CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE, &ast->place,
                        "VALUES cannot hold the aggregate `%s`", name);
    default:
        return lt_raise(err, LT_UNSUPPORTED_EXPR_FOR_OPERATOR, &ast->place, "the aggregate `%s` cannot stand here",
                        name);
    }
}

// In a condition of a sub-query of HAVING, an aggregate over columns of the outer query alone is one of that query:
// HAVING EXISTS (SELECT 1 FROM x WHERE x.v > sum(t.v)).
static leat_status outer_aggregate(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                   bool *out_found, lt_bound *out, leat_error *err) {
    lt_frame *frame = scope->frame;
    *out_found      = false;
    if (frame == NULL || frame->outer->clause != LT_CLAUSE_HAVING || frame->outer->aggregation == NULL ||
        (scope->clause != LT_CLAUSE_WHERE && scope->clause != LT_CLAUSE_HAVING && scope->clause != LT_CLAUSE_ON))
        return LEAT_OK;
    lt_aggregation    none  = {.is_inside = true};
    lt_scope          probe = *scope;
    lt_aggregate_call call;
    const char       *text;
    const uint32_t    before = frame->arguments.count, names_before = frame->names.count;
    bool              is_outer = false, is_own = false;
    probe.aggregation = &none;
    LT_TRY(lt_aggregate_bind(binder, &probe, ast, name, &call, &text, err));
    for (uint32_t i = 0; i < call.argument_count; i++) {
        is_outer |= lt_expression_has_slot(call.arguments[i], LT_SLOT_OUTER);
        is_own |= lt_has_own_column(call.arguments[i]);
    }
    if (!is_outer || is_own) return LEAT_OK;
    frame->arguments.count = before; // the columns are the aggregate's, not the sub-query's
    frame->names.count     = names_before;
    lt_scope outer         = *frame->outer;
    outer.alias_use        = LT_ALIASES_NONE;
    LT_TRY(lt_aggregate_call_bind(binder, &outer, ast, name, out, err));
    LT_LIST_ADD(binder->arena, &frame->names, out->text, err);
    LT_TRY(lt_frame_argument(binder, frame, out->expression, &ast->place, &out->expression, err));
    *out_found = true;
    return LEAT_OK;
}

// In a sub-query, an aggregate takes columns of the sub-query alone; those of the outer query alone belong there.
static leat_status check_outer_columns(const lt_aggregate_call *call, const char *name, const lt_place *place,
                                       leat_error *err) {
    bool has_own = false, has_outer = false;
    for (uint32_t i = 0; i <= call->argument_count; i++) {
        const lt_expression *part = i < call->argument_count ? call->arguments[i] : call->filter;
        if (part == NULL) continue;
        has_own   = has_own || lt_has_own_column(part);
        has_outer = has_outer || lt_expression_has_slot(part, LT_SLOT_OUTER);
    }
    if (!has_outer) return LEAT_OK;
    if (has_own)
        return lt_raise(
            err, LT_UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY__AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES, place,
            "`%s` takes columns of the sub-query and of the outer query; compute them in a query below", name);
    return lt_raise(err, LT_UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY__CORRELATED_REFERENCE, place,
                    "the argument of `%s` is of the outer query alone", name);
}

leat_status lt_aggregate_call_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                   lt_bound *out, leat_error *err) {
    lt_aggregation *aggregation = scope->aggregation;
    bool            is_of_outer;
    LT_TRY(outer_aggregate(binder, scope, ast, name, &is_of_outer, out, err));
    if (is_of_outer) return LEAT_OK;
    if (aggregation == NULL) { // wrong arguments are told first
        lt_aggregation    none  = {.is_inside = true};
        lt_scope          probe = *scope;
        lt_aggregate_call ignored;
        const char       *ignored_text;
        probe.aggregation = &none;
        LT_TRY(lt_aggregate_bind(binder, &probe, ast, name, &ignored, &ignored_text, err));
        return misplaced(scope, ast, name, err);
    }
    if (aggregation->is_inside)
        return lt_raise(err, LT_NESTED_AGGREGATE_FUNCTION, &ast->place,
                        "an aggregate cannot be the argument of another: `%s`", name);
    lt_aggregate_call call;
    const char       *text;
    lt_scope          inner  = *scope;
    inner.clause             = scope->clause;
    inner.overs              = NULL;
    aggregation->is_inside   = true;
    const leat_status status = lt_aggregate_bind(binder, &inner, ast, name, &call, &text, err);
    aggregation->is_inside   = false;
    LT_TRY(status);
    for (uint32_t i = 0; i < call.argument_count; i++)
        if (lt_expression_has_slot(call.arguments[i], LT_SLOT_AGGREGATE))
            return lt_raise(err, LT_UNSUPPORTED_FEATURE__LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC, &ast->place,
                            "an alias of an aggregate cannot be the argument of `%s`", name);
    if (scope->frame != NULL) LT_TRY(check_outer_columns(&call, name, &ast->place, err));
    uint32_t index = 0;
    while (index < aggregation->calls.count && !call_equal(&aggregation->calls.items[index], &call)) index++;
    if (index == aggregation->calls.count) LT_LIST_ADD(binder->arena, &aggregation->calls, call, err);
    *out            = (lt_bound){.text = text, .size = 1, .depth = 1};
    out->expression = lt_expression_column(binder->arena, LT_SLOT_AGGREGATE + index, call.type, &ast->place);
    return out->expression == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_sort_keys_bind(lt_binder *binder, lt_scope *scope, const lt_ast_order_items *items,
                              const lt_sort_key **out, const char **out_text, leat_error *err) {
    lt_sort_key *keys;
    const char  *text = "";
    LT_TRY_NEW_ARRAY(keys, binder->arena, items->count, err);
    for (uint32_t i = 0; i < items->count; i++) {
        const lt_ast_order_item *item = &items->items[i];
        lt_bound                 key;
        LT_TRY(lt_bind_expression(binder, scope, item->expression, &key, err));
        if (!lt_type_is_orderable(key.expression->type))
            return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &item->expression->place,
                            "values of %s cannot be ordered", lt_type_text(binder->arena, key.expression->type));
        keys[i] =
            (lt_sort_key){.expression     = key.expression,
                          .is_descending  = item->descending,
                          .is_nulls_first = item->nulls == LT_AST_NULLS_DEFAULT ? !item->descending
                                                                                : item->nulls == LT_AST_NULLS_FIRST};
        text = lt_arena_format(binder->arena, "%s%s%s %s NULLS %s", text, i == 0 ? "" : ", ", key.text,
                               item->descending ? "DESC" : "ASC", keys[i].is_nulls_first ? "FIRST" : "LAST");
        if (text == NULL) return lt_raise_no_memory(err);
    }
    *out      = keys;
    *out_text = text;
    return LEAT_OK;
}
