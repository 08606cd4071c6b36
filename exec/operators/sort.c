// sort: keeps the rows of the batch and gives them in order at its end; equal keys keep their order of arrival. For one
// batch: a standing query's ORDER BY is applied when its table is read, other sorts recompute. Memory: all rows. Cost
// O(n log n).
#include "exec/operator.h"
#include "exec/state/row_store.h"
#include "exec/state/sort_order.h"

typedef struct sort {
    lt_evaluator          evaluator;
    lt_row_store          rows; // input columns, then the keys
    const lt_expression **keys;
    lt_arena              arena;
} sort;

static leat_status sort_open(lt_node *node, leat_error *err) {
    sort           *self  = node->state;
    const lt_plan  *plan  = node->plan;
    uint32_t        width = plan->column_count + plan->as.sort.key_count;
    const lt_type **types;
    lt_arena_init(&self->arena, node->pipeline->account);
    LT_TRY_NEW_ARRAY(self->keys, &self->arena, plan->as.sort.key_count + 1u, err);
    LT_TRY_NEW_ARRAY(types, &self->arena, width + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) types[c] = plan->columns[c].type;
    for (uint32_t k = 0; k < plan->as.sort.key_count; k++) {
        self->keys[k]                 = plan->as.sort.keys[k].expression;
        types[plan->column_count + k] = self->keys[k]->type;
    }
    LT_TRY(lt_row_store_init(&self->rows, types, width, node->pipeline->account, err));
    return lt_evaluator_open(&self->evaluator, self->keys, plan->as.sort.key_count, node->pipeline->evaluation,
                             node->pipeline->account, err);
}

static leat_status sort_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    sort          *self = node->state;
    const lt_plan *plan = node->plan;
    lt_chunk       wide = *delta;
    wide.column_count   = plan->column_count + plan->as.sort.key_count;
    LT_TRY_NEW_ARRAY(wide.columns, batch->scratch, wide.column_count + 1u, err);
    memcpy(wide.columns, delta->columns, sizeof *wide.columns * plan->column_count);
    for (uint32_t k = 0; k < plan->as.sort.key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&self->evaluator, self->keys[k], delta, NULL, batch->scratch, &key, err));
        wide.columns[plan->column_count + k] = *key;
    }
    return lt_row_store_append(&self->rows, &wide, err);
}

static leat_status sort_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    sort             *self = node->state;
    const lt_plan    *plan = node->plan;
    uint32_t         *order;
    const lt_vector **columns;
    LT_TRY_NEW_ARRAY(order, &self->arena, self->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, &self->arena, plan->as.sort.key_count + 1u, err);
    for (uint32_t row = 0; row < self->rows.count; row++) order[row] = row;
    for (uint32_t k = 0; k < plan->as.sort.key_count; k++) columns[k] = &self->rows.columns[plan->column_count + k];
    LT_TRY(
        lt_sort_rows(columns, plan->as.sort.keys, plan->as.sort.key_count, order, self->rows.count, &self->arena, err));
    for (uint32_t first = 0; first < self->rows.count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t left = self->rows.count - first;
        lt_chunk out;
        LT_TRY(lt_row_store_gather(&self->rows, order + first, left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX,
                                   batch->scratch, &out, err));
        out.column_count = plan->column_count;
        out.places       = NULL; // the order of rows is the order now
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static void sort_close(lt_node *node) {
    sort *self = node->state;
    lt_row_store_deinit(&self->rows);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_sort = {
    .name        = "Sort",
    .plan_kind   = LT_PLAN_SORT,
    .state_bytes = sizeof(sort),
    .open        = sort_open,
    .push        = sort_push,
    .end_batch   = sort_end_batch,
    .close       = sort_close,
};
