// range: BIGINT numbers from start up to end (exclusive) by step, given once in the life of a query.
#include "exec/operator.h"

typedef struct range {
    bool is_given;
} range;

static leat_status range_produce(lt_node *node, lt_batch *batch, leat_error *err) {
    range *self = node->state;
    if (self->is_given) return LEAT_OK;
    self->is_given       = true;
    int64_t        start = node->plan->as.range.start, end = node->plan->as.range.end, step = node->plan->as.range.step;
    lt_int128      next = start;
    const lt_type *type = lt_type_of(LT_BIGINT);
    lt_chunk       out;
    LT_TRY(lt_chunk_init(&out, &type, 1, LT_CHUNK_ROWS_MAX, batch->arena, err));
    while ((step > 0 ? next < end : next > end) && !lt_node_is_satisfied(node)) {
        uint32_t count = 0;
        for (; count < LT_CHUNK_ROWS_MAX && (step > 0 ? next < end : next > end); next += step)
            LT_LANES(&out.columns[0], int64_t)[count++] = (int64_t)next;
        out.count = out.columns[0].lanes = count;
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static leat_status range_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    (void)is_full;
    return ((range *)node->state)->is_given ? lt_buffer_append_u8(out, 1, err) : LEAT_OK;
}

static leat_status range_load(lt_node *node, lt_reader *in, leat_error *err) {
    uint8_t given;
    LT_TRY(lt_reader_u8(in, &given, err));
    ((range *)node->state)->is_given = given != 0;
    return LEAT_OK;
}

const lt_operator_kind lt_operators_range = {
    .name           = "Range",
    .plan_kind      = LT_PLAN_RANGE,
    .state_bytes    = sizeof(range),
    .is_incremental = true,
    .produce        = range_produce,
    .save           = range_save,
    .load           = range_load,
};
