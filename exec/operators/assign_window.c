// assign_window: a row for each time window that holds the row's time, latest start first and, of cumulating windows, the
// shortest first; a NULL time gives no row.
// Linear. Windows are [start, end), aligned to 1970-01-01 UTC + offset (spark-semantics 7.4), right for negative times.
#include "exec/operator.h"

typedef struct assign_window {
    lt_evaluator evaluator;
} assign_window;

static leat_status assign_window_open(lt_node *node, leat_error *err) {
    assign_window *self = node->state;
    return lt_evaluator_open(&self->evaluator, &node->plan->as.assign_window.time, 1, node->pipeline->evaluation,
                             node->pipeline->account, err);
}

enum { WINDOWS_AT_ONCE = LT_CHUNK_ROWS_MAX };

// Rows and starts of the windows that are to be sent; lives in the scratch arena.
typedef struct windows {
    lt_node        *node;
    const lt_chunk *delta;
    lt_batch       *batch;
    uint16_t        rows[WINDOWS_AT_ONCE];
    int64_t         starts[WINDOWS_AT_ONCE], ends[WINDOWS_AT_ONCE];
    uint32_t        count;
} windows;

static leat_status windows_flush(windows *self, leat_error *err) {
    const lt_plan *plan  = self->node->plan;
    lt_arena      *arena = self->batch->scratch;
    lt_chunk       kept, out;
    if (self->count == 0) return LEAT_OK;
    LT_TRY(lt_chunk_gather(self->delta, self->rows, self->count, arena, &kept, err));
    out = kept;
    out.column_count++;
    LT_TRY_NEW_ARRAY(out.columns, arena, out.column_count, err);
    memcpy(out.columns, kept.columns, sizeof *out.columns * kept.column_count);
    lt_vector *window = &out.columns[kept.column_count];
    LT_TRY(lt_vector_init(window, plan->columns[plan->column_count - 1].type, self->count, arena, err));
    window->lanes = self->count;
    memcpy(window->children[0].values, self->starts, sizeof *self->starts * self->count);
    memcpy(window->children[1].values, self->ends, sizeof *self->ends * self->count);
    window->children[0].lanes = window->children[1].lanes = self->count;
    self->count                                           = 0;
    return lt_emit(self->node, &out, self->batch, err);
}

static leat_status assign_window_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                      leat_error *err) {
    (void)input;
    assign_window   *self     = node->state;
    const lt_plan   *plan     = node->plan;
    int64_t          duration = plan->as.assign_window.duration_us, slide = plan->as.assign_window.slide_us;
    int64_t          step = plan->as.assign_window.step_us > 0 ? plan->as.assign_window.step_us : duration;
    const lt_vector *time;
    windows         *out;
    LT_TRY(lt_evaluator_run(&self->evaluator, plan->as.assign_window.time, delta, NULL, batch->scratch, &time, err));
    LT_TRY_NEW(out, batch->scratch, err);
    out->node  = node;
    out->delta = delta;
    out->batch = batch;
    for (uint32_t row = 0; row < delta->count; row++) {
        if (lt_vector_is_null(time, row)) continue;
        int64_t t    = LT_VALUE(time, int64_t, row);
        int64_t rest = (t - plan->as.assign_window.offset_us) % slide;
        if (rest < 0) rest += slide;
        for (int64_t start = t - rest; start > t - duration; start -= slide) {
            for (int64_t end = start + ((t - start) / step + 1) * step; end <= start + duration; end += step) {
                if (out->count == WINDOWS_AT_ONCE) LT_TRY(windows_flush(out, err));
                out->rows[out->count]   = (uint16_t)row;
                out->starts[out->count] = start;
                out->ends[out->count++] = end;
            }
        }
    }
    return windows_flush(out, err);
}

static void assign_window_close(lt_node *node) { lt_evaluator_close(&((assign_window *)node->state)->evaluator); }

const lt_operator_kind lt_operators_assign_window = {
    .name           = "AssignWindow",
    .plan_kind      = LT_PLAN_ASSIGN_WINDOW,
    .state_bytes    = sizeof(assign_window),
    .is_incremental = true,
    .is_stateless   = true,
    .open           = assign_window_open,
    .push           = assign_window_push,
    .close          = assign_window_close,
};
