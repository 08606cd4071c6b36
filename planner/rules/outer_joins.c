#include "planner/rules/rules.h"

// Filter over an outer join: where a condition is never TRUE for the NULLs that pad a side, the padded rows are not in
// the answer, and the join need not make them. LEFT and RIGHT become INNER; FULL loses one side or both.

static bool rejects(const lt_expression *predicate, uint32_t first, uint32_t count) {
    return lt_rejects_null_of(predicate, first, count);
}

static lt_join_type narrowed(const lt_plan *join, const lt_expression *predicate) {
    const uint32_t left = join->inputs[0]->column_count, right = join->inputs[1]->column_count;
    const bool     no_right_padding = rejects(predicate, left, right), no_left_padding = rejects(predicate, 0, left);
    switch (join->as.join.type) {
    case LT_JOIN_LEFT:
        return no_right_padding ? LT_JOIN_INNER : LT_JOIN_LEFT;
    case LT_JOIN_RIGHT:
        return no_left_padding ? LT_JOIN_INNER : LT_JOIN_RIGHT;
    case LT_JOIN_FULL:
        return no_right_padding && no_left_padding ? LT_JOIN_INNER
               : no_left_padding                   ? LT_JOIN_LEFT
               : no_right_padding                  ? LT_JOIN_RIGHT
                                                   : LT_JOIN_FULL;
    default:
        return join->as.join.type;
    }
}

leat_status lt_rule_outer_joins(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, lt_rule_outer_joins, plan, out, err));
    const lt_plan *filter = *out;
    if (filter->kind != LT_PLAN_FILTER || filter->inputs[0]->kind != LT_PLAN_JOIN) return LEAT_OK;
    const lt_plan     *join = filter->inputs[0];
    const lt_join_type type = narrowed(join, filter->as.filter.predicate);
    if (type == join->as.join.type) return LEAT_OK;
    lt_plan *changed;
    LT_TRY_NEW(changed, binder->arena, err);
    *changed              = *join;
    changed->as.join.type = type;
    const lt_plan *input  = changed;
    return lt_plan_with_inputs(binder, filter, &input, out, err);
}
