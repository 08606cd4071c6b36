#include "planner/rules/rules.h"

// A condition that is FALSE or NULL whatever the row leaves nothing to compute: the node becomes VALUES without rows,
// and so does what has no rows without it. Terms that are always TRUE go. Standing queries keep their sources.

static bool is_literal(const lt_expression *expression, bool *out_is_true) {
    if (expression->kind != LT_EXPRESSION_LITERAL) return false;
    *out_is_true = !lt_vector_is_null(expression->value, 0) && LT_VALUE(expression->value, bool, 0);
    return true;
}

static bool has_no_rows(const lt_plan *node);

static bool rejects_all(const lt_expression *predicate) {
    bool is_true;
    if (is_literal(predicate, &is_true)) return !is_true;
    for (uint32_t i = 0; predicate->kind == LT_EXPRESSION_AND && i < predicate->argument_count; i++)
        if (rejects_all(predicate->arguments[i])) return true;
    return false;
}

static bool is_empty(const lt_plan *plan) {
    if (plan->kind == LT_PLAN_VALUES) return plan->as.values.row_count == 0;
    return (plan->kind == LT_PLAN_FILTER && rejects_all(plan->as.filter.predicate)) || has_no_rows(plan);
}

static leat_status no_rows(lt_binder *binder, const lt_plan *like, const lt_plan **out, leat_error *err) {
    lt_plan *values;
    LT_TRY(lt_plan_new(binder, LT_PLAN_VALUES, NULL, 0, like->column_count, &like->place, &values, err));
    values->columns = like->columns;
    *out            = values;
    return LEAT_OK;
}

static leat_status filter_visit(lt_binder *binder, const lt_plan *filter, const lt_plan **out, leat_error *err) {
    lt_expression_list   terms = {0}, kept = {0};
    const lt_expression *predicate;
    LT_TRY(lt_conjuncts(binder, filter->as.filter.predicate, &terms, err));
    for (uint32_t i = 0; i < terms.count; i++) {
        bool is_true;
        if (!is_literal(terms.items[i], &is_true))
            LT_LIST_ADD(binder->arena, &kept, terms.items[i], err);
        else if (!is_true)
            return no_rows(binder, filter, out, err);
    }
    if (kept.count == terms.count) return LEAT_OK;
    LT_TRY(lt_and(binder, kept.items, kept.count, &predicate, err));
    return lt_plan_filter(binder, filter->inputs[0], predicate, out, err);
}

static bool join_is_empty(const lt_plan *join) {
    const bool left = is_empty(join->inputs[0]), right = is_empty(join->inputs[1]);
    switch (join->as.join.type) {
    case LT_JOIN_INNER:
    case LT_JOIN_SEMI:
        return left || right;
    case LT_JOIN_RIGHT:
        return right;
    case LT_JOIN_FULL:
        return left && right;
    default:
        return left;
    }
}

// Whether the node, whose inputs have been looked at, has no rows; one case per kind.
static bool has_no_rows(const lt_plan *node) {
    switch (node->kind) {
    case LT_PLAN_LIMIT:
        return node->as.limit.limit == 0 || is_empty(node->inputs[0]);
    case LT_PLAN_FILTER:
    case LT_PLAN_PROJECT:
    case LT_PLAN_DISTINCT:
    case LT_PLAN_SORT:
    case LT_PLAN_WINDOW:
    case LT_PLAN_ASSIGN_WINDOW:
    case LT_PLAN_EXPAND:
        return is_empty(node->inputs[0]);
    case LT_PLAN_GENERATE:
        return is_empty(node->inputs[0]);
    case LT_PLAN_AGGREGATE: // without keys it gives a row for no rows
        return node->as.aggregate.key_count > 0 && is_empty(node->inputs[0]);
    case LT_PLAN_JOIN:
        return join_is_empty(node);
    default:
        return false;
    }
}

static leat_status leaves_reject(lt_binder *binder, const lt_plan *plan, const lt_expression *never,
                                 const lt_plan **out, leat_error *err) {
    const lt_plan **inputs;
    if (plan->kind == LT_PLAN_STREAM_SCAN || plan->kind == LT_PLAN_TABLE_SCAN)
        return lt_plan_filter(binder, plan, never, out, err);
    *out = plan;
    if (plan->input_count == 0 || plan->kind == LT_PLAN_RECURSION) return LEAT_OK;
    LT_TRY_NEW_ARRAY(inputs, binder->arena, plan->input_count, err);
    for (uint32_t i = 0; i < plan->input_count; i++)
        LT_TRY(leaves_reject(binder, plan->inputs[i], never, &inputs[i], err));
    return lt_plan_with_inputs(binder, plan, inputs, out, err);
}

static leat_status standing_visit(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    const lt_vector     *no;
    const lt_expression *never;
    if (!is_empty(plan)) return lt_rule_inputs(binder, standing_visit, plan, out, err);
    LT_TRY(lt_constant_int64(binder->arena, LT_BOOLEAN, 0, &no, err));
    never = lt_expression_literal(binder->arena, no, &plan->place);
    return never == NULL ? lt_raise_no_memory(err) : leaves_reject(binder, plan, never, out, err);
}

leat_status lt_rule_empty_inputs(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    if (binder->context->is_standing) return standing_visit(binder, plan, out, err);
    LT_TRY(lt_rule_inputs(binder, lt_rule_empty_inputs, plan, out, err));
    if (has_no_rows(*out)) return no_rows(binder, *out, out, err);
    return (*out)->kind == LT_PLAN_FILTER ? filter_visit(binder, *out, out, err) : LEAT_OK;
}
