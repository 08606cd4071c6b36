// values: rows of expressions without columns, given once in the life of a query. No columns: one empty row.
#include "exec/operator.h"

typedef struct values {
    bool is_given;
} values;

static leat_status give_rows(lt_node *node, uint32_t first, uint32_t count, lt_batch *batch, leat_error *err) {
    const lt_plan  *plan = node->plan;
    const lt_type **types;
    lt_chunk        out;
    LT_TRY_NEW_ARRAY(types, batch->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) types[c] = plan->columns[c].type;
    LT_TRY(lt_chunk_init(&out, types, plan->column_count, count, batch->arena, err));
    for (uint32_t row = first; row < first + count; row++)
        for (uint32_t c = 0; c < plan->column_count; c++) {
            const lt_vector *value;
            LT_TRY(lt_fold(plan->as.values.expressions[row * plan->column_count + c], batch->evaluation, batch->arena,
                           &value, err));
            LT_TRY(lt_vector_append_row(&out.columns[c], value, 0, batch->arena, err));
        }
    out.count = count;
    return lt_emit_origin(node, &out, batch, err);
}

static leat_status values_produce(lt_node *node, lt_batch *batch, leat_error *err) {
    values *self = node->state;
    if (self->is_given) return LEAT_OK;
    self->is_given     = true;
    uint32_t row_count = node->plan->as.values.row_count;
    for (uint32_t first = 0; first < row_count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t left = row_count - first;
        LT_TRY(give_rows(node, first, left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX, batch, err));
    }
    return LEAT_OK;
}

static leat_status values_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    values *self = node->state;
    (void)is_full;
    return self->is_given ? lt_buffer_append_u8(out, 1, err) : LEAT_OK;
}

static leat_status values_load(lt_node *node, lt_reader *in, leat_error *err) {
    uint8_t given;
    LT_TRY(lt_reader_u8(in, &given, err));
    ((values *)node->state)->is_given = given != 0;
    return LEAT_OK;
}

const lt_operator_kind lt_operators_values = {
    .name           = "Values",
    .plan_kind      = LT_PLAN_VALUES,
    .state_bytes    = sizeof(values),
    .is_incremental = true,
    .produce        = values_produce,
    .save           = values_save,
    .load           = values_load,
};
