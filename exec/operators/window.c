// window: OVER. Keeps the rows of the batch with their keys and arguments, sorts them by partition and order at its
// end (equal keys keep their order of arrival; partitions by their first row), and gives each row its results behind
// its columns: exec/window/run.h. For one batch; a standing query runs window_partitions.c. Memory: all rows. Cost:
// O(n log n), and O(rows of the frame) a row for sliding frames of aggregates that are not linear.
#include "base/lanes.h"
#include "exec/state/group_table.h"
#include "exec/window/run.h"

typedef struct window {
    lt_window_run  run;
    lt_evaluator   evaluator; // of the partition keys
    lt_group_table partitions;
    lt_arena       arena;
} window;

static leat_status window_open(lt_node *node, leat_error *err) {
    window         *self    = node->state;
    const lt_plan  *plan    = node->plan;
    lt_account     *account = node->pipeline->account;
    const lt_type **types;
    lt_arena_init(&self->arena, account);
    LT_TRY(lt_expression_types(plan->as.window.partition, plan->as.window.partition_count, &self->arena, &types, err));
    lt_group_table_init(&self->partitions, account, types, plan->as.window.partition_count,
                        node->pipeline->evaluation->random_seed);
    LT_TRY(lt_window_run_open(&self->run, plan, node->pipeline->evaluation, account, err));
    return lt_evaluator_open(&self->evaluator, plan->as.window.partition, plan->as.window.partition_count,
                             node->pipeline->evaluation, account, err);
}

static leat_status window_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    window          *self  = node->state;
    const lt_plan   *plan  = node->plan;
    lt_arena        *arena = batch->scratch;
    lt_vector       *keys;
    uint32_t        *groups;
    const lt_vector *value;
    LT_TRY_NEW_ARRAY(keys, arena, plan->as.window.partition_count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, arena, delta->count + 1u, err);
    for (uint32_t k = 0; k < plan->as.window.partition_count; k++) {
        LT_TRY(lt_evaluator_run(&self->evaluator, plan->as.window.partition[k], delta, NULL, arena, &value, err));
        keys[k] = *value;
    }
    if (plan->as.window.partition_count > 0)
        LT_TRY(lt_group_table_find_or_add(&self->partitions, keys, plan->as.window.partition_count, NULL, delta->count,
                                          groups, err));
    return lt_window_run_append(&self->run, delta, groups, arena, err);
}

// The ranks that decide which rows are wanted; NULL: all are.
static const int32_t *ranks_wanted(const lt_plan *plan, const lt_vector *results) {
    static const char *const names[] = {"row_number", "rank", "dense_rank"};
    const lt_top            *top     = &plan->as.window.top;
    for (uint32_t i = 0; top->count > 0 && top->count < INT32_MAX && i < plan->as.window.call_count; i++)
        if (strcmp(plan->as.window.calls[i].call.aggregate->name, names[top->rank]) == 0)
            return LT_LANES(&results[i], const int32_t);
    return NULL;
}

static leat_status rows_give(lt_node *node, const uint32_t *sorted, const lt_vector *results, lt_batch *batch,
                             leat_error *err) {
    window        *self  = node->state;
    const int32_t *ranks = ranks_wanted(node->plan, results), last = (int32_t)node->plan->as.window.top.count;
    const uint32_t count = self->run.rows.count;
    uint32_t      *positions, *rows, wanted = 0;
    LT_TRY_NEW_ARRAY(positions, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t at = 0; at < count; at++) {
        if (ranks == NULL || ranks[at] <= last) {
            positions[wanted] = at;
            rows[wanted++]    = sorted[at];
        }
        if (wanted == 0 || (wanted < LT_CHUNK_ROWS_MAX && at + 1 < count)) continue;
        lt_chunk out;
        LT_TRY(lt_window_run_gather(&self->run, results, rows, positions, wanted, batch->scratch, &out, err));
        LT_TRY(lt_emit_origin(node, &out, batch, err));
        wanted = 0;
    }
    return LEAT_OK;
}

static leat_status window_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    window    *self = node->state;
    uint32_t  *sorted;
    lt_vector *results;
    if (self->run.rows.count == 0) return LEAT_OK;
    LT_TRY(lt_window_run_sort(&self->run, &sorted, err));
    LT_TRY(lt_window_run_compute(&self->run, sorted, NULL, 0, &results, err));
    return rows_give(node, sorted, results, batch, err);
}

static void window_close(lt_node *node) {
    window *self = node->state;
    if (self->arena.account == NULL) return;
    lt_window_run_close(&self->run);
    lt_group_table_deinit(&self->partitions);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_window = {
    .name        = "Window",
    .plan_kind   = LT_PLAN_WINDOW,
    .state_bytes = sizeof(window),
    .open        = window_open,
    .push        = window_push,
    .end_batch   = window_end_batch,
    .close       = window_close,
};
