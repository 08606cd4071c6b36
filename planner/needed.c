#include "planner/modes.h"

// needed: which columns of a scan or a filter somebody above reads. Others are never decoded: count(*) over JSON judges
// no field, as Spark; and the rows that a filter keeps go on without them. Top-down, one case per kind of node; nodes
// that compare whole rows need all of their input.

static bool note_column(void *user, const lt_expression *node) {
    bool *needed = user;
    if (node->kind == LT_EXPRESSION_COLUMN) needed[node->column] = true;
    return true;
}

static void note(bool *needed, const lt_expression *expression) {
    if (expression != NULL) lt_expression_walk(expression, note_column, needed);
}

static void note_all(bool *needed, const lt_expression *const *expressions, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) note(needed, expressions[i]);
}

static void note_sort(bool *needed, const lt_sort_key *keys, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) note(needed, keys[i].expression);
}

static void note_call(bool *needed, const lt_aggregate_call *call) {
    note_all(needed, call->arguments, call->argument_count);
    note(needed, call->filter);
    note_sort(needed, call->order, call->order_count);
}

// Of a join's inputs: the columns of the side that are read above, in its keys or in the residual.
static leat_status join_input_needs(lt_arena *arena, const lt_plan *node, const bool *needed, uint32_t input,
                                    bool *below, leat_error *err) {
    uint32_t left = node->inputs[0]->column_count, right = node->inputs[1]->column_count;
    bool    *both;
    LT_TRY_NEW_ARRAY(both, arena, left + right + 1u, err);
    for (uint32_t c = 0; c < node->column_count && c < left + right; c++) both[c] = needed[c];
    bool is_marked = node->as.join.type == LT_JOIN_MARK; // its last column is no column of the right side
    if (is_marked) both[left] = false;
    note(both, node->as.join.residual);
    memcpy(below, both + (input == 0 ? 0 : left), node->inputs[input]->column_count);
    note_all(below, input == 0 ? node->as.join.left_keys : node->as.join.right_keys, node->as.join.key_count);
    return LEAT_OK;
}

leat_status lt_plan_input_needs(lt_arena *arena, const lt_plan *node, const bool *needed, uint32_t which, bool **out,
                                leat_error *err) {
    const lt_plan *input = node->inputs[which];
    bool          *below, passes = true, all = false;
    LT_TRY_NEW_ARRAY(below, arena, input->column_count + 1u, err);
    *out = below;
    if (node->kind == LT_PLAN_JOIN) return join_input_needs(arena, node, needed, which, below, err);
    switch (node->kind) {
    case LT_PLAN_PROJECT:
        passes = false;
        for (uint32_t c = 0; c < node->column_count; c++)
            if (needed[c] || lt_expression_can_fail(node->as.project.expressions[c]))
                note(below, node->as.project.expressions[c]);
        break;
    case LT_PLAN_FILTER:
        note(below, node->as.filter.predicate);
        break;
    case LT_PLAN_AGGREGATE:
        passes = false;
        note_all(below, node->as.aggregate.keys, node->as.aggregate.key_count);
        for (uint32_t i = 0; i < node->as.aggregate.call_count; i++) note_call(below, &node->as.aggregate.calls[i]);
        note(below, node->as.aggregate.session_time);
        note(below, node->as.aggregate.session_gap);
        break;
    case LT_PLAN_SORT:
        note_sort(below, node->as.sort.keys, node->as.sort.key_count);
        break;
    case LT_PLAN_WINDOW:
        note_all(below, node->as.window.partition, node->as.window.partition_count);
        note_sort(below, node->as.window.order, node->as.window.order_count);
        for (uint32_t i = 0; i < node->as.window.call_count; i++) note_call(below, &node->as.window.calls[i].call);
        break;
    case LT_PLAN_ASSIGN_WINDOW:
        note(below, node->as.assign_window.time);
        break;
    case LT_PLAN_GENERATE:
        note_all(below, node->as.generate.arguments, node->as.generate.argument_count);
        break;
    case LT_PLAN_EXPAND:
        passes = false;
        note_all(below, node->as.expand.projections, node->as.expand.projection_count * node->column_count);
        break;
    case LT_PLAN_WATERMARK:
        below[node->as.watermark.column] = true;
        break;
    case LT_PLAN_LIMIT:
    case LT_PLAN_UNION_ALL:
        break;
    default:
        all = true;
        break;
    }
    for (uint32_t c = 0; c < input->column_count; c++)
        below[c] |= all || (passes && c < node->column_count && needed[c]);
    return LEAT_OK;
}

leat_status lt_plan_mark_needed(lt_arena *arena, const lt_plan *node, const bool *needed, leat_error *err) {
    if (node->kind == LT_PLAN_STREAM_SCAN || node->kind == LT_PLAN_TABLE_SCAN) {
        memcpy(node->as.scan.needed, needed, node->column_count);
        return LEAT_OK;
    }
    if (node->kind == LT_PLAN_FILTER && node->as.filter.needed != NULL)
        memcpy(node->as.filter.needed, needed, node->column_count);
    for (uint32_t i = 0; i < node->input_count; i++) {
        bool *below;
        LT_TRY(lt_plan_input_needs(arena, node, needed, i, &below, err));
        if (node->kind == LT_PLAN_JOIN && node->as.join.needed[i] != NULL)
            memcpy(node->as.join.needed[i], below, node->inputs[i]->column_count);
        LT_TRY(lt_plan_mark_needed(arena, node->inputs[i], below, err));
    }
    return LEAT_OK;
}
