#include "planner/rules/estimate.h"
#include "planner/rules/rules.h"

// EXISTS and IN above inner joins are semi joins that look at columns of one of the tables: below the joins they keep
// rows from being paired at all. They go down where they are expected to leave at most half of the rows; else pairing
// first may leave fewer rows to look for. The order of rows stays.
//
// In a standing query nothing is known of numbers of rows, and its plan is the same at every start: there they go down
// where they ask for groups that a condition picks (IN (SELECT k .. GROUP BY k HAVING ..)), which mostly are few, and no
// event time bounds what joins keep.

static const double PART_MAX = 1.0 / 2;

static bool can_move(const lt_plan *join) {
    const lt_expression *residual = join->as.join.residual;
    bool can = residual == NULL || (!lt_expression_can_fail(residual) && lt_expression_is_deterministic(residual));
    for (uint32_t k = 0; k < join->as.join.key_count && can; k++)
        can = !lt_expression_can_fail(join->as.join.left_keys[k]) &&
              lt_expression_is_deterministic(join->as.join.left_keys[k]);
    return can;
}

// Columns below `left` that the semi join reads of its left input.
typedef struct columns_used {
    uint32_t left, lowest, highest; // lowest > highest: none
} columns_used;

static bool note_column(void *user, const lt_expression *node) {
    columns_used *self = user;
    if (node->kind != LT_EXPRESSION_COLUMN || node->column >= self->left) return true;
    if (node->column < self->lowest) self->lowest = node->column;
    if (node->column > self->highest || self->lowest > self->highest) self->highest = node->column;
    return true;
}

static columns_used columns_of(const lt_plan *join) {
    columns_used used = {.left = join->inputs[0]->column_count, .lowest = UINT32_MAX};
    for (uint32_t k = 0; k < join->as.join.key_count; k++)
        lt_expression_walk(join->as.join.left_keys[k], note_column, &used);
    if (join->as.join.residual != NULL) lt_expression_walk(join->as.join.residual, note_column, &used);
    return used;
}

// The semi join over `input` instead, whose columns are those of the left input from `first` on.
static leat_status join_over(lt_binder *binder, const lt_plan *join, const lt_plan *input, uint32_t first,
                             lt_plan **out, leat_error *err) {
    const uint32_t        left = join->inputs[0]->column_count, right = join->inputs[1]->column_count;
    const lt_plan       **inputs;
    const lt_expression **map, **keys;
    LT_TRY_NEW(*out, binder->arena, err);
    LT_TRY_NEW_ARRAY(inputs, binder->arena, 2, err);
    LT_TRY_NEW_ARRAY(map, binder->arena, left + right + 1u, err);
    LT_TRY_NEW_ARRAY(keys, binder->arena, join->as.join.key_count + 1u, err);
    for (uint32_t c = 0; c < input->column_count; c++)
        LT_TRY(lt_column_new(binder, c, input->columns[c].type, &map[first + c], err));
    for (uint32_t c = 0; c < right; c++)
        LT_TRY(lt_column_new(binder, input->column_count + c, join->inputs[1]->columns[c].type, &map[left + c], err));
    **out = *join;
    for (uint32_t k = 0; k < join->as.join.key_count; k++) {
        keys[k] = lt_expression_substitute(binder->arena, join->as.join.left_keys[k], map, left);
        if (keys[k] == NULL) return lt_raise_no_memory(err);
    }
    inputs[0]                 = input;
    inputs[1]                 = join->inputs[1];
    (*out)->inputs            = inputs;
    (*out)->columns           = input->columns;
    (*out)->column_count      = input->column_count;
    (*out)->as.join.left_keys = keys;
    if (join->as.join.residual == NULL) return LEAT_OK;
    (*out)->as.join.residual = lt_expression_substitute(binder->arena, join->as.join.residual, map, left + right);
    return (*out)->as.join.residual == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static bool is_inner(const lt_plan *node) {
    return node->kind == LT_PLAN_JOIN && node->as.join.type == LT_JOIN_INNER && !node->as.join.is_null_aware;
}

// *out: the left input with the semi join inside of it, as deep as it goes; the semi join itself if it stays.
static leat_status sink(lt_binder *binder, const lt_plan *join, const lt_plan **out, leat_error *err) {
    const lt_plan     *input = join->inputs[0];
    const columns_used used  = columns_of(join);
    const lt_plan     *inputs[2];
    lt_plan           *moved;
    *out = join;
    if (input->kind == LT_PLAN_FILTER && is_inner(input->inputs[0])) {
        LT_TRY(join_over(binder, join, input->inputs[0], 0, &moved, err));
        LT_TRY(sink(binder, moved, &inputs[0], err));
        if (inputs[0] == moved) return LEAT_OK;
        return lt_plan_with_inputs(binder, input, inputs, out, err);
    }
    if (!is_inner(input) || used.lowest > used.highest) return LEAT_OK;
    const uint32_t left = input->inputs[0]->column_count, side = used.lowest >= left;
    if (side == 0 && used.highest >= left) return LEAT_OK;
    inputs[0] = input->inputs[0];
    inputs[1] = input->inputs[1];
    LT_TRY(join_over(binder, join, inputs[side], side == 0 ? 0 : left, &moved, err));
    LT_TRY(sink(binder, moved, &inputs[side], err));
    return lt_plan_with_inputs(binder, input, inputs, out, err);
}

static const lt_plan *below_projections(const lt_plan *plan) {
    while (plan->kind == LT_PLAN_PROJECT) plan = plan->inputs[0];
    return plan;
}

static bool picks_groups(const lt_plan *plan) {
    plan = below_projections(plan);
    if (plan->kind != LT_PLAN_FILTER) return false;
    plan = below_projections(plan->inputs[0]);
    return plan->kind == LT_PLAN_AGGREGATE && plan->as.aggregate.key_count > 0;
}

static bool leaves_few(const lt_binder *binder, const lt_plan *join) {
    if (!binder->context->is_standing) return lt_estimate_semi(binder, join) <= PART_MAX;
    return picks_groups(join->inputs[1]) && !lt_plan_has_event_time(join->inputs[0]) &&
           !lt_plan_has_event_time(join->inputs[1]);
}

leat_status lt_rule_semi_joins_down(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, lt_rule_semi_joins_down, plan, out, err));
    const lt_plan *node = *out;
    if (node->kind != LT_PLAN_JOIN || node->as.join.type != LT_JOIN_SEMI || node->as.join.is_null_aware) return LEAT_OK;
    if (!can_move(node) || !leaves_few(binder, node)) return LEAT_OK;
    return sink(binder, node, out, err);
}
