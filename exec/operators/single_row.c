// single_row: exactly one row, for scalar sub-queries: NULLs when there is none, an error when there are two.
#include "exec/operator.h"

typedef struct single_row {
    lt_arena arena;
    lt_chunk row;
} single_row;

static leat_status single_row_open(lt_node *node, leat_error *err) {
    single_row     *self = node->state;
    const lt_type **types;
    lt_arena_init(&self->arena, node->pipeline->account);
    LT_TRY_NEW_ARRAY(types, &self->arena, node->plan->column_count + 1u, err);
    for (uint32_t c = 0; c < node->plan->column_count; c++) types[c] = node->plan->columns[c].type;
    return lt_chunk_init(&self->row, types, node->plan->column_count, 1, &self->arena, err);
}

static leat_status single_row_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                   leat_error *err) {
    (void)input, (void)batch;
    single_row *self = node->state;
    if (self->row.count + delta->count > 1 || lt_chunk_weight(delta, 0) > 1)
        return lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &node->plan->place,
                        "a scalar sub-query gave more than one row");
    for (uint32_t c = 0; c < self->row.column_count; c++)
        LT_TRY(lt_vector_append_row(&self->row.columns[c], &delta->columns[c], 0, &self->arena, err));
    self->row.count = 1;
    return LEAT_OK;
}

static leat_status single_row_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    single_row *self = node->state;
    for (uint32_t c = 0; self->row.count == 0 && c < self->row.column_count; c++)
        LT_TRY(lt_vector_append_null(&self->row.columns[c], &self->arena, err));
    self->row.count = 1;
    return lt_emit_origin(node, &self->row, batch, err);
}

static void single_row_close(lt_node *node) { lt_arena_deinit(&((single_row *)node->state)->arena); }

const lt_operator_kind lt_operators_single_row = {
    .name        = "SingleRow",
    .plan_kind   = LT_PLAN_SINGLE_ROW,
    .state_bytes = sizeof(single_row),
    .open        = single_row_open,
    .push        = single_row_push,
    .end_batch   = single_row_end_batch,
    .close       = single_row_close,
};
