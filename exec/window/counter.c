#include "exec/window/counter.h"

#include "base/lanes.h"

#define DIFFERENCE(kind, lane_type)                                                                                    \
    case kind:                                                                                                         \
        LT_LANES(into, lane_type)                                                                                      \
        [at] = (lane_type)(LT_VALUE(values, lane_type, at) - LT_VALUE(values, lane_type, before));                     \
        break
// Of two values that are not negative.
static void difference_put(lt_vector *into, const lt_vector *values, uint32_t at, uint32_t before) {
    switch (values->type->kind) {
        DIFFERENCE(LT_TINYINT, int8_t);
        DIFFERENCE(LT_SMALLINT, int16_t);
        DIFFERENCE(LT_INT, int32_t);
        DIFFERENCE(LT_BIGINT, int64_t);
        DIFFERENCE(LT_FLOAT, float);
        DIFFERENCE(LT_DOUBLE, double);
        DIFFERENCE(LT_DECIMAL, lt_int128);
    default:
        break;
    }
    lt_vector_set_valid(into, at);
}

#define NEGATIVE(kind, lane_type)                                                                                      \
    case kind:                                                                                                         \
        return LT_VALUE(values, lane_type, at) < 0
static bool is_negative(const lt_vector *values, uint32_t at) {
    switch (values->type->kind) {
        NEGATIVE(LT_TINYINT, int8_t);
        NEGATIVE(LT_SMALLINT, int16_t);
        NEGATIVE(LT_INT, int32_t);
        NEGATIVE(LT_BIGINT, int64_t);
        NEGATIVE(LT_FLOAT, float);
        NEGATIVE(LT_DOUBLE, double);
        NEGATIVE(LT_DECIMAL, lt_int128);
    default:
        return false;
    }
}

// > 0: the counter was set to zero after the row `before`.
static int start_moved(const lt_vector *starts, uint32_t at, uint32_t before) {
    if (starts == NULL || lt_vector_is_null(starts, at) || lt_vector_is_null(starts, before)) return 0;
    return lt_vector_compare(starts, at, starts, before);
}

leat_status lt_window_counter_diff(const lt_window_rows *rows, leat_error *err) {
    const lt_vector *values     = rows->arguments[0];
    const lt_vector *starts     = rows->call->call.argument_count > 1 ? rows->arguments[1] : NULL;
    const lt_place  *place      = &rows->call->call.place;
    uint32_t         before     = 0;
    bool             has_before = false;
    for (uint32_t at = rows->first; at < rows->end; at++) {
        if (lt_vector_is_null(values, at)) {
            LT_TRY(lt_lane_put_null(rows->into, at, rows->arena, err));
            continue;
        }
        if (is_negative(values, at))
            return lt_raise(err, LT_COUNTER_DIFF_NEGATIVE_COUNTER_VALUE, place, "a counter is negative");
        const int moved = has_before ? start_moved(starts, at, before) : 0;
        if (moved < 0)
            return lt_raise(err, LT_COUNTER_DIFF_START_TIME_DECREASED, place,
                            "the start of a counter lies before that of the row before");
        if (!has_before || moved > 0 || lt_vector_compare(values, at, values, before) < 0)
            LT_TRY(lt_lane_put_null(rows->into, at, rows->arena, err));
        else
            difference_put(rows->into, values, at, before);
        before     = at;
        has_before = true;
    }
    return LEAT_OK;
}
