// limit: the first rows in arrival order after `offset`, counted over the life of the query (recorded for append mode).
#include "exec/operator.h"

typedef struct limit {
    int64_t seen; // rows so far, skipped ones included
} limit;

static leat_status limit_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    limit  *self   = node->state;
    int64_t offset = node->plan->as.limit.offset, wanted = node->plan->as.limit.limit;
    int64_t last      = wanted < 0 || wanted > INT64_MAX - offset ? INT64_MAX : offset + wanted;
    int64_t first_row = self->seen >= offset ? 0 : offset - self->seen, end_row = last - self->seen;
    self->seen += delta->count;
    if (first_row >= (int64_t)delta->count || end_row <= first_row) return LEAT_OK;
    if (end_row > (int64_t)delta->count) end_row = delta->count;
    if (first_row == 0 && end_row == (int64_t)delta->count) return lt_emit(node, delta, batch, err);
    uint16_t *rows;
    uint32_t  count = (uint32_t)(end_row - first_row);
    lt_chunk  kept;
    LT_TRY_NEW_ARRAY(rows, batch->scratch, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) rows[i] = (uint16_t)(first_row + i);
    LT_TRY(lt_chunk_gather(delta, rows, count, batch->scratch, &kept, err));
    return lt_emit(node, &kept, batch, err);
}

static bool limit_is_satisfied(const lt_node *node) {
    const limit *self   = node->state;
    int64_t      offset = node->plan->as.limit.offset, wanted = node->plan->as.limit.limit;
    return wanted >= 0 && wanted <= INT64_MAX - offset && self->seen >= offset + wanted;
}

static leat_status limit_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    (void)is_full;
    return lt_buffer_append_u64(out, (uint64_t)((limit *)node->state)->seen, err);
}

static leat_status limit_load(lt_node *node, lt_reader *in, leat_error *err) {
    uint64_t seen;
    LT_TRY(lt_reader_u64(in, &seen, err));
    ((limit *)node->state)->seen = (int64_t)seen;
    return LEAT_OK;
}

const lt_operator_kind lt_operators_limit = {
    .name           = "Limit",
    .plan_kind      = LT_PLAN_LIMIT,
    .state_bytes    = sizeof(limit),
    .is_incremental = true,
    .push           = limit_push,
    .is_satisfied   = limit_is_satisfied,
    .save           = limit_save,
    .load           = limit_load,
    .state_name     = "globalLimit",
};
