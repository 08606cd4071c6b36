#include "exec/window/reach.h"

#include "exec/evaluate.h"
#include "exec/window/function.h"
#include "exec/window/run.h"

static uint32_t larger(uint32_t a, int64_t b) {
    return b > (int64_t)a ? (uint32_t)(b > UINT32_MAX / 2 ? UINT32_MAX / 2 : b) : a;
}

// Functions that look at nothing but the place of a row among the others.
static const struct {
    const char *name;
    bool        is_running, has_peers; // else: all rows
} ranks[] = {
    {"row_number", true, false}, {"rank", true, true},    {"dense_rank", true, true},     {"percent_rank", false, true},
    {"cume_dist", false, true},  {"ntile", false, false}, {"counter_diff", false, false},
};

static void reach_neighbour(const lt_window_call *call, bool is_lag, lt_window_reach *out) {
    const lt_aggregate_call *named = &call->call;
    int64_t                  by    = 1;
    if (lt_window_call_ignores_nulls(call)) {
        out->is_whole = true;
        return;
    }
    if (named->argument_count > 1 && named->constants != NULL && named->constants[1] != NULL &&
        !lt_vector_is_null(named->constants[1], 0))
        by = LT_VALUE(named->constants[1], int32_t, 0);
    if (!is_lag) by = -by;
    out->rows_behind  = larger(out->rows_behind, by);
    out->needs_before = larger(out->needs_before, by);
    out->rows_before  = larger(out->rows_before, -by);
    out->needs_behind = larger(out->needs_behind, -by);
}

// How many rows a bound of ROWS lies behind the present row (negative: before). false: the offset says nothing.
static bool rows_of_bound(lt_frame_bound bound, const lt_expression *offset, lt_evaluation *evaluation, lt_arena *arena,
                          int64_t *out) {
    const lt_vector *value;
    *out = 0;
    if (bound == LT_BOUND_CURRENT_ROW) return true;
    if (lt_fold(offset, evaluation, arena, &value, NULL) != LEAT_OK || lt_vector_is_null(value, 0)) return false;
    *out = LT_VALUE(value, int64_t, 0);
    if (bound == LT_BOUND_PRECEDING) *out = *out == INT64_MIN ? INT64_MAX : -*out;
    return true;
}

static void reach_rows(const lt_window_call *call, lt_evaluation *evaluation, lt_arena *arena, lt_window_reach *out) {
    int64_t first = 0, last = 0;
    bool    is_known = rows_of_bound(call->last, call->last_offset, evaluation, arena, &last);
    if (call->first != LT_BOUND_UNBOUNDED_PRECEDING)
        is_known &= rows_of_bound(call->first, call->first_offset, evaluation, arena, &first);
    if (!is_known) {
        out->is_whole = true;
        return;
    }
    out->rows_before  = larger(out->rows_before, last);
    out->needs_behind = larger(out->needs_behind, last);
    out->rows_behind  = larger(out->rows_behind, -first);
    out->needs_before = larger(out->needs_before, -first);
}

static void reach_frame(const lt_window_call *call, lt_evaluation *evaluation, lt_arena *arena, lt_window_reach *out) {
    const bool starts_before = call->first == LT_BOUND_UNBOUNDED_PRECEDING;
    const bool ends_here     = call->last == LT_BOUND_CURRENT_ROW || call->last == LT_BOUND_PRECEDING;
    if (call->last == LT_BOUND_UNBOUNDED_FOLLOWING) {
        out->is_whole = true;
    } else if (call->unit == LT_FRAME_ROWS) {
        reach_rows(call, evaluation, arena, out);
        out->is_to_end |= starts_before;
    } else {
        out->has_peers = true;
        out->is_whole |= !ends_here || call->first == LT_BOUND_FOLLOWING;
        out->is_to_end |= call->first != LT_BOUND_CURRENT_ROW || call->last != LT_BOUND_CURRENT_ROW;
        out->needs_start |= !starts_before && out->is_to_end && call->first != LT_BOUND_CURRENT_ROW;
    }
    if (!starts_before) return;
    if (lt_window_call_is_running(call))
        out->uses_marks = true;
    else
        out->needs_start = true;
}

void lt_window_reach_find(const lt_plan *plan, lt_evaluation *evaluation, lt_arena *arena, lt_window_reach *out) {
    *out = (lt_window_reach){0};
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        const lt_window_call *call    = &plan->as.window.calls[i];
        const char           *name    = call->call.aggregate->name;
        bool                  is_rank = false;
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
            if (strcmp(ranks[r].name, name) != 0) continue;
            is_rank = true;
            out->has_peers |= ranks[r].has_peers;
            out->is_to_end |= ranks[r].is_running;
            out->uses_marks |= ranks[r].is_running;
            out->is_whole |= !ranks[r].is_running;
        }
        if (is_rank) continue;
        if (strcmp(name, "lag") == 0 || strcmp(name, "lead") == 0)
            reach_neighbour(call, name[1] == 'a', out);
        else
            reach_frame(call, evaluation, arena, out);
    }
}
