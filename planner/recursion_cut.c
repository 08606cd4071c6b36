#include "planner/recursion_cut.h"

// The walks are as deep as the plan, which the parser bounds.

static bool looks_at(const lt_plan *plan, uint32_t recursion) {
    if (plan->kind == LT_PLAN_RECURSION_SCAN && plan->as.recursion.recursion == recursion) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (looks_at(plan->inputs[i], recursion)) return true;
    return false;
}

static uint32_t node_count(const lt_plan *plan) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < plan->input_count; i++) count += node_count(plan->inputs[i]);
    return count;
}

static leat_status cut(lt_arena *arena, const lt_plan *from, uint32_t recursion, bool is_top, lt_recursion_cut *cut_off,
                       const lt_plan **out, leat_error *err) {
    lt_plan *node;
    LT_TRY_NEW(node, arena, err);
    *node = *from;
    *out  = node;
    if (!is_top && !looks_at(from, recursion)) {
        node->kind        = LT_PLAN_TABLE_SCAN;
        node->input_count = 0;
        memset(&node->as, 0, sizeof node->as);
        node->as.scan.source                    = cut_off->input_count;
        cut_off->inputs[cut_off->input_count++] = from;
        return LEAT_OK;
    }
    const lt_plan **inputs;
    LT_TRY_NEW_ARRAY(inputs, arena, from->input_count + 1u, err);
    for (uint32_t i = 0; i < from->input_count; i++)
        LT_TRY(cut(arena, from->inputs[i], recursion, false, cut_off, &inputs[i], err));
    node->inputs = inputs;
    return LEAT_OK;
}

leat_status lt_recursion_cut_make(lt_arena *arena, const lt_plan *recursion, lt_recursion_cut *out, leat_error *err) {
    *out = (lt_recursion_cut){0};
    LT_TRY_NEW_ARRAY(out->inputs, arena, node_count(recursion) + 1u, err);
    return cut(arena, recursion, recursion->as.recursion.recursion, true, out, &out->whole, err);
}
