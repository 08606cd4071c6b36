#include "planner/rules/rules.h"

// The first rows of a UNION ALL are among the first rows of its inputs, and those of a join that keeps its left side
// come from the first rows of that side: these inputs get a LIMIT of their own, below the projections above them. The
// LIMIT itself stays.

static leat_status limited(lt_binder *binder, const lt_plan *input, int64_t count, const lt_plan **out,
                           leat_error *err) {
    lt_plan *limit;
    *out = input;
    if (input->kind == LT_PLAN_LIMIT && input->as.limit.limit >= 0 && input->as.limit.limit <= count) return LEAT_OK;
    LT_TRY(lt_plan_over(binder, LT_PLAN_LIMIT, input, &limit, err));
    limit->as.limit.limit = count;
    *out                  = limit;
    return LEAT_OK;
}

static bool keeps_left(const lt_plan *node) {
    if (node->kind != LT_PLAN_JOIN) return false;
    const lt_join_type type = node->as.join.type;
    return type == LT_JOIN_LEFT || type == LT_JOIN_MARK || type == LT_JOIN_SINGLE;
}

// `node` with its inputs limited where its first `count` rows need no more of them.
static leat_status inputs_limit(lt_binder *binder, const lt_plan *node, int64_t count, const lt_plan **out,
                                leat_error *err) {
    const lt_plan **inputs;
    *out = node;
    if (node->kind != LT_PLAN_PROJECT && node->kind != LT_PLAN_UNION_ALL && !keeps_left(node)) return LEAT_OK;
    LT_TRY_NEW_ARRAY(inputs, binder->arena, node->input_count, err);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = node->inputs[i];
        if (node->kind == LT_PLAN_JOIN && i > 0) continue;
        LT_TRY(inputs_limit(binder, inputs[i], count, &inputs[i], err));
        if (node->kind != LT_PLAN_PROJECT) LT_TRY(limited(binder, inputs[i], count, &inputs[i], err));
    }
    return lt_plan_with_inputs(binder, node, inputs, out, err);
}

leat_status lt_rule_limits_down(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, lt_rule_limits_down, plan, out, err));
    const lt_plan *limit = *out;
    if (limit->kind != LT_PLAN_LIMIT || limit->as.limit.limit < 0) return LEAT_OK;
    if (limit->as.limit.limit > INT32_MAX || limit->as.limit.offset > INT32_MAX) return LEAT_OK;
    const lt_plan *input;
    LT_TRY(inputs_limit(binder, limit->inputs[0], limit->as.limit.limit + limit->as.limit.offset, &input, err));
    return input == limit->inputs[0] ? LEAT_OK : lt_plan_with_inputs(binder, limit, &input, out, err);
}
