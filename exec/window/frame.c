#include "exec/window/frame.h"

#include "exec/kernels/range_bound.h"

typedef struct frame_end {
    lt_frame_bound       bound;
    const lt_expression *offset;
    bool                 is_last; // one behind the last row of the frame; else its first row
} frame_end;

static leat_status offset_value(const frame_end *end, lt_evaluation *evaluation, lt_arena *arena, const lt_vector **out,
                                leat_error *err) {
    LT_TRY(lt_fold(end->offset, evaluation, arena, out, err));
    if (lt_vector_is_null(*out, 0))
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__INVALID_WINDOW_FRAME_BOUND, &end->offset->place,
                        "the bound of a window frame is not NULL");
    return LEAT_OK;
}

static leat_status rows_by_offset(const frame_end *end, const lt_window_order *order, lt_evaluation *evaluation,
                                  lt_arena *arena, uint32_t *out, leat_error *err) {
    const lt_vector *value;
    LT_TRY(offset_value(end, evaluation, arena, &value, err));
    int64_t by = LT_VALUE(value, int64_t, 0);
    if (by > UINT32_MAX) by = UINT32_MAX;
    if (by < -(int64_t)UINT32_MAX) by = -(int64_t)UINT32_MAX;
    if (end->bound == LT_BOUND_PRECEDING) by = -by;
    for (uint32_t at = 0; at < order->count; at++) {
        int64_t to = at + by + end->is_last;
        if (to < order->partition_first[at]) to = order->partition_first[at];
        if (to > order->partition_end[at]) to = order->partition_end[at];
        out[at] = (uint32_t)to;
    }
    return LEAT_OK;
}

// Rows with a NULL key stand together at one edge of the partition; their frame ends with their peers.
static leat_status range_by_offset(const frame_end *end, const lt_window_order *order, lt_evaluation *evaluation,
                                   lt_arena *arena, uint32_t *out, leat_error *err) {
    const lt_vector *value, *keys, *bounds;
    const bool       is_descending = order->sort->is_descending;
    LT_TRY(offset_value(end, evaluation, arena, &value, err));
    LT_TRY(lt_range_bounds(order->key, value, (end->bound == LT_BOUND_PRECEDING) != is_descending, order->count,
                           evaluation, &end->offset->place, arena, &keys, &bounds, err));
    uint32_t walk = 0;
    for (uint32_t at = 0; at < order->count; at++) {
        if (lt_vector_is_null(keys, at)) {
            out[at] = end->is_last ? order->peer_end[at] : order->peer_first[at];
            continue;
        }
        if (walk < order->partition_first[at]) walk = order->partition_first[at];
        for (; walk < order->partition_end[at]; walk++) {
            if (lt_vector_is_null(keys, walk)) {
                if (walk < at) continue;
                break;
            }
            int compared = lt_vector_compare(keys, walk, bounds, at);
            if (is_descending) compared = -compared;
            if (end->is_last ? compared > 0 : compared >= 0) break;
        }
        out[at] = walk;
    }
    return LEAT_OK;
}

static leat_status end_find(const frame_end *end, lt_frame_unit unit, const lt_window_order *order,
                            lt_evaluation *evaluation, lt_arena *arena, uint32_t *out, leat_error *err) {
    switch (end->bound) {
    case LT_BOUND_UNBOUNDED_PRECEDING:
        memcpy(out, order->partition_first, sizeof *out * order->count);
        return LEAT_OK;
    case LT_BOUND_UNBOUNDED_FOLLOWING:
        memcpy(out, order->partition_end, sizeof *out * order->count);
        return LEAT_OK;
    case LT_BOUND_CURRENT_ROW:
        for (uint32_t at = 0; at < order->count; at++)
            out[at] = unit == LT_FRAME_ROWS ? at + end->is_last
                      : end->is_last        ? order->peer_end[at]
                                            : order->peer_first[at];
        return LEAT_OK;
    default:
        return unit == LT_FRAME_ROWS ? rows_by_offset(end, order, evaluation, arena, out, err)
                                     : range_by_offset(end, order, evaluation, arena, out, err);
    }
}

leat_status lt_window_frames(const lt_window_call *call, const lt_window_order *order, lt_evaluation *evaluation,
                             lt_arena *arena, uint32_t **out_first, uint32_t **out_end, leat_error *err) {
    const frame_end first = {.bound = call->first, .offset = call->first_offset};
    const frame_end last  = {.bound = call->last, .offset = call->last_offset, .is_last = true};
    LT_TRY_NEW_ARRAY(*out_first, arena, order->count + 1u, err);
    LT_TRY_NEW_ARRAY(*out_end, arena, order->count + 1u, err);
    LT_TRY(end_find(&first, call->unit, order, evaluation, arena, *out_first, err));
    LT_TRY(end_find(&last, call->unit, order, evaluation, arena, *out_end, err));
    for (uint32_t at = 0; at < order->count; at++)
        if ((*out_end)[at] < (*out_first)[at]) (*out_end)[at] = (*out_first)[at];
    return LEAT_OK;
}
