#include "exec/window/function.h"

#include "base/lanes.h"
#include "exec/window/counter.h"

// --------------------------------------------------------------------------------------------------------------- ranks

static leat_status row_number(const lt_window_rows *rows, leat_error *err) {
    (void)err;
    for (uint32_t at = rows->first; at < rows->end; at++)
        LT_LANES(rows->into, int32_t)[at] = (int32_t)(rows->rows_before + (at - rows->first) + 1);
    return LEAT_OK;
}

static leat_status rank(const lt_window_rows *rows, leat_error *err) {
    (void)err;
    for (uint32_t at = rows->first; at < rows->end; at++)
        LT_LANES(rows->into, int32_t)[at] = (int32_t)(rows->rows_before + (rows->peer_first[at] - rows->first) + 1);
    return LEAT_OK;
}

static leat_status dense_rank(const lt_window_rows *rows, leat_error *err) {
    int32_t number = (int32_t)rows->peers_before;
    (void)err;
    for (uint32_t at = rows->first; at < rows->end; at++)
        LT_LANES(rows->into, int32_t)[at] = number += rows->peer_first[at] == at;
    return LEAT_OK;
}

static leat_status percent_rank(const lt_window_rows *rows, leat_error *err) {
    const double most = (double)(rows->end - rows->first) - 1;
    (void)err;
    for (uint32_t at = rows->first; at < rows->end; at++)
        LT_LANES(rows->into, double)[at] = most > 0 ? (double)(rows->peer_first[at] - rows->first) / most : 0;
    return LEAT_OK;
}

static leat_status cume_dist(const lt_window_rows *rows, leat_error *err) {
    const double count = (double)(rows->end - rows->first);
    (void)err;
    for (uint32_t at = rows->first; at < rows->end; at++)
        LT_LANES(rows->into, double)[at] = (double)(rows->peer_end[at] - rows->first) / count;
    return LEAT_OK;
}

static int32_t constant_int(const lt_window_rows *rows, uint32_t index, int32_t otherwise) {
    const lt_aggregate_call *call = &rows->call->call;
    if (call->argument_count <= index || call->constants == NULL || call->constants[index] == NULL ||
        lt_vector_is_null(call->constants[index], 0))
        return otherwise;
    return LT_VALUE(call->constants[index], int32_t, 0);
}

// The first count % buckets buckets have one row more.
static leat_status ntile(const lt_window_rows *rows, leat_error *err) {
    const uint32_t count = rows->end - rows->first, buckets = (uint32_t)constant_int(rows, 0, 1);
    const uint32_t size = count / buckets, larger_count = count % buckets;
    const uint64_t larger_rows = (uint64_t)larger_count * (size + 1);
    (void)err;
    for (uint32_t row = 0; row < count; row++) {
        const uint32_t bucket =
            row < larger_rows ? row / (size + 1) : larger_count + (uint32_t)(row - larger_rows) / size;
        LT_LANES(rows->into, int32_t)[rows->first + row] = (int32_t)(bucket + 1);
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- neighbours

// Lane `at` becomes the argument of the live row number `live`, when that lies in [live_first, live_end).
static leat_status pick(const lt_window_rows *rows, uint32_t at, int64_t live, uint32_t live_first, uint32_t live_end,
                        leat_error *err) {
    if (live < (int64_t)live_first || live >= (int64_t)live_end)
        return lt_lane_put_null(rows->into, at, rows->arena, err);
    return lt_lane_put(rows->into, at, rows->arguments[0], rows->live[live], rows->arena, err);
}

// The row `distance` live rows behind (negative: before); 0 is the row itself, live or not.
static leat_status neighbour(const lt_window_rows *rows, int64_t distance, leat_error *err) {
    const uint32_t live_first = rows->live_before[rows->first], live_end = rows->live_before[rows->end];
    const bool     has_otherwise = rows->call->call.argument_count > 2;
    for (uint32_t at = rows->first; at < rows->end; at++) {
        if (distance == 0) {
            LT_TRY(lt_lane_put(rows->into, at, rows->arguments[0], at, rows->arena, err));
            continue;
        }
        const int64_t next = distance < 0 ? rows->live_before[at] : (int64_t)rows->live_before[at + 1] - 1;
        const int64_t live = next + distance;
        if (has_otherwise && (live < (int64_t)live_first || live >= (int64_t)live_end))
            LT_TRY(lt_lane_put(rows->into, at, rows->arguments[2], at, rows->arena, err));
        else
            LT_TRY(pick(rows, at, live, live_first, live_end, err));
    }
    return LEAT_OK;
}
static leat_status lag(const lt_window_rows *rows, leat_error *err) {
    return neighbour(rows, -(int64_t)constant_int(rows, 1, 1), err);
}
static leat_status lead(const lt_window_rows *rows, leat_error *err) {
    return neighbour(rows, constant_int(rows, 1, 1), err);
}

// ----------------------------------------------------------------------------------------------------- rows of a frame

static leat_status first_value(const lt_window_rows *rows, leat_error *err) {
    for (uint32_t at = rows->first; at < rows->end; at++) {
        const uint32_t live_first = rows->live_before[rows->frame_first[at]];
        LT_TRY(pick(rows, at, live_first, live_first, rows->live_before[rows->frame_end[at]], err));
    }
    return LEAT_OK;
}

static leat_status last_value(const lt_window_rows *rows, leat_error *err) {
    for (uint32_t at = rows->first; at < rows->end; at++) {
        const uint32_t live_end = rows->live_before[rows->frame_end[at]];
        LT_TRY(pick(rows, at, (int64_t)live_end - 1, rows->live_before[rows->frame_first[at]], live_end, err));
    }
    return LEAT_OK;
}

static leat_status nth_value(const lt_window_rows *rows, leat_error *err) {
    const int64_t number = constant_int(rows, 1, 1);
    for (uint32_t at = rows->first; at < rows->end; at++) {
        const uint32_t live_first = rows->live_before[rows->frame_first[at]];
        LT_TRY(pick(rows, at, live_first + number - 1, live_first, rows->live_before[rows->frame_end[at]], err));
    }
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- the table

static const struct {
    const char       *name;
    lt_window_compute compute;
    uint32_t          ignores_nulls_argument; // that says TRUE for IGNORE NULLS; 0: none
} functions[] = {
    {"row_number", row_number, 0},
    {"rank", rank, 0},
    {"dense_rank", dense_rank, 0},
    {"percent_rank", percent_rank, 0},
    {"cume_dist", cume_dist, 0},
    {"ntile", ntile, 0},
    {"lag", lag, 3},
    {"lead", lead, 3},
    {"first", first_value, 1},
    {"first_value", first_value, 1},
    {"any_value", first_value, 1},
    {"last", last_value, 1},
    {"last_value", last_value, 1},
    {"nth_value", nth_value, 2},
    {"counter_diff", lt_window_counter_diff, 0},
};

lt_window_compute lt_window_function_find(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0) return functions[i].compute;
    return NULL;
}

bool lt_window_call_ignores_nulls(const lt_window_call *window) {
    const lt_aggregate_call *call = &window->call;
    if (call->is_ignoring_nulls) return true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, call->aggregate->name) != 0) continue;
        const uint32_t argument = functions[i].ignores_nulls_argument;
        return argument > 0 && call->argument_count > argument && call->constants != NULL &&
               call->constants[argument] != NULL && !lt_vector_is_null(call->constants[argument], 0) &&
               LT_VALUE(call->constants[argument], uint8_t, 0) != 0;
    }
    return call->argument_count + call->order_count > 0 && !call->aggregate->takes_nulls;
}
