// assign_window: a row for each time window that holds the row's time, latest start first and, of cumulating windows, the
// shortest first; a NULL time gives no row.
// Linear. Windows are [start, end), aligned to 1970-01-01 UTC + offset (spark-semantics 7.4), right for negative times.
//
// Below an Aggregate that takes panes (exec/aggregation/panes.h; planner/finish.c says where) a row gives one row, with its pane for
// a window, which an Aggregate of its own folds; at the end of the batch the groups of panes go to the windows. Chunks
// that cannot be folded so take the plain way, behind what was folded before them, so that groups come in one order:
// rows that are late for one of their windows, rows without places, and chunks too small or too varied to gain by it.
// Memory: the groups of one batch's panes.
#include "exec/aggregation/panes.h"

// Where a batch has fewer rows a group of a pane than ROWS_PER_GROUP, the next SKIPPED batches take the plain way.
enum { FOLDED_ROWS_MIN = 32, ROWS_PER_GROUP = 2, SKIPPED = 8, LOOK_ROWS = 32 * 1024 };

typedef struct assign_window {
    lt_evaluator evaluator;
    bool         has_panes;
    lt_panes     panes;
    lt_plan      plan; // of the aggregation, whose input promises no order, so that it keeps places
    lt_plan      input;
    lt_pipeline  pipeline; // of the node that folds
    lt_node      fold;
    bool         is_folding;
    uint64_t     folded_rows;
    uint32_t     skipped; // batches that may still pass before panes are tried again
    lt_arena     work;
} assign_window;

lt_panes lt_panes_of(const lt_plan *assign, const lt_plan *aggregate) {
    lt_panes out = {.duration_us = assign->as.assign_window.duration_us,
                    .slide_us    = assign->as.assign_window.slide_us,
                    .offset_us   = assign->as.assign_window.offset_us};
    int64_t  a = out.duration_us, b = out.slide_us;
    while (b != 0) {
        const int64_t rest = a % b;
        a                  = b;
        b                  = rest;
    }
    out.pane_us = a;
    for (uint32_t k = 0; k < aggregate->as.aggregate.key_count; k++) {
        const lt_expression *key = aggregate->as.aggregate.keys[k];
        if (key->kind == LT_EXPRESSION_COLUMN && key->column == assign->column_count - 1) out.key = k;
    }
    return out;
}

static leat_status assign_window_open(lt_node *node, leat_error *err) {
    assign_window *self   = node->state;
    const lt_node *parent = node->parent;
    self->has_panes       = node->plan->as.assign_window.has_panes && parent != NULL &&
                      parent->plan->inputs[0] == node->plan && parent->kind == lt_operator_find(LT_PLAN_AGGREGATE);
    lt_arena_init(&self->work, node->pipeline->account);
    if (self->has_panes) {
        self->panes = lt_panes_of(node->plan, parent->plan);
        self->plan  = *parent->plan;
        self->input = *node->plan;
        // A union keeps no order of places.
        self->input.kind = LT_PLAN_UNION_ALL;
        const lt_plan **inputs;
        LT_TRY_NEW_ARRAY(inputs, &self->work, 1, err);
        inputs[0]                              = &self->input;
        self->plan.inputs                      = inputs;
        self->plan.emission                    = LT_EMIT_NET;
        self->plan.freezes                     = false;
        self->plan.as.aggregate.event_time_key = -1;
    }
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

// Whether all bounds of the windows of a time, with what is computed on the way, are times.
static bool has_windows(const lt_plan *plan, int64_t t) {
    const int64_t duration = plan->as.assign_window.duration_us, slide = plan->as.assign_window.slide_us;
    int64_t       bound;
    return !__builtin_sub_overflow(t, plan->as.assign_window.offset_us, &bound) &&
           !__builtin_add_overflow(t, duration, &bound) && !__builtin_sub_overflow(t, duration, &bound) &&
           !__builtin_sub_overflow(bound, slide, &bound);
}

static leat_status rows_expand(lt_node *node, const lt_chunk *delta, const lt_vector *time, lt_batch *batch,
                               leat_error *err) {
    const lt_plan *plan     = node->plan;
    int64_t        duration = plan->as.assign_window.duration_us, slide = plan->as.assign_window.slide_us;
    int64_t        step = plan->as.assign_window.step_us > 0 ? plan->as.assign_window.step_us : duration;
    windows       *out;
    LT_TRY_NEW(out, batch->scratch, err);
    out->node  = node;
    out->delta = delta;
    out->batch = batch;
    for (uint32_t row = 0; row < delta->count; row++) {
        if (lt_vector_is_null(time, row)) continue;
        int64_t t = LT_VALUE(time, int64_t, row);
        if (!has_windows(plan, t))
            return lt_raise(err, LT_DATETIME_OVERFLOW, &plan->place, "a window of a time has bounds that are no times");
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

// --------------------------------------------------------------------------------------------------------------- panes

static leat_status fold_open(lt_node *node, lt_batch *batch, leat_error *err) {
    assign_window *self = node->state;
    if (self->is_folding) return LEAT_OK;
    self->pipeline = (lt_pipeline){.account = node->pipeline->account, .evaluation = batch->evaluation};
    lt_arena_init(&self->pipeline.arena, node->pipeline->account);
    self->fold        = (lt_node){.kind     = node->parent->kind,
                                  .plan     = &self->plan,
                                  .pipeline = &self->pipeline,
                                  .is_open  = true,
                                  .is_fresh = true};
    self->fold.state  = lt_arena_zero(&self->pipeline.arena, self->fold.kind->state_bytes + 1);
    self->is_folding  = true;
    self->folded_rows = 0;
    return self->fold.state == NULL ? lt_raise_no_memory(err) : self->fold.kind->open(&self->fold, err);
}

static void fold_close(assign_window *self) {
    if (!self->is_folding) return;
    if (self->fold.state != NULL) self->fold.kind->close(&self->fold);
    lt_arena_deinit(&self->pipeline.arena);
    self->is_folding = false;
}

static bool is_worth_it(const assign_window *self) {
    return (uint64_t)lt_aggregate_group_count(&self->fold) * ROWS_PER_GROUP <= self->folded_rows;
}

// What was folded goes to the windows.
static leat_status panes_flush(lt_node *node, lt_batch *batch, leat_error *err) {
    assign_window *self  = node->state;
    uint64_t       pairs = 0;
    if (!self->is_folding) return LEAT_OK;
    lt_arena scratch; // the chunk that is on its way has its rows in the batch's
    lt_batch inner = *batch;
    lt_arena_init(&scratch, node->pipeline->account);
    inner.scratch      = &scratch;
    leat_status status = lt_aggregate_take_panes(node->parent, &self->fold, &self->panes, &inner, &pairs, err);
    lt_arena_deinit(&scratch);
    if (!is_worth_it(self)) self->skipped = SKIPPED;
    node->counts.rows_out += pairs;
    node->parent->counts.rows_in += pairs;
    fold_close(self);
    return status;
}

// Whether no row is late for one of its windows, or so far away that windows cannot be told.
static bool are_in_time(const lt_node *node, const lt_vector *time, uint32_t count, const lt_batch *batch) {
    const assign_window *self    = node->state;
    const int64_t        far_us  = self->panes.duration_us + self->panes.slide_us + self->panes.slide_us;
    int64_t              late_us = lt_node_forgets(node->parent) ? lt_node_late_us(node->parent, batch) : INT64_MIN;
    if (late_us < INT64_MIN / 4 + far_us) late_us = INT64_MIN / 4 + far_us;
    for (uint32_t row = 0; row < count; row++) {
        if (lt_vector_is_null(time, row)) continue;
        const int64_t t = LT_VALUE(time, int64_t, row);
        if (t <= late_us || t > INT64_MAX / 4) return false;
    }
    return true;
}

static leat_status rows_fold(lt_node *node, const lt_chunk *delta, const lt_vector *time, lt_batch *batch,
                             leat_error *err) {
    assign_window *self  = node->state;
    const lt_plan *plan  = node->plan;
    lt_arena      *arena = batch->scratch;
    uint16_t      *rows;
    uint32_t       count = 0;
    lt_chunk       kept, out;
    LT_TRY(fold_open(node, batch, err));
    LT_TRY_NEW_ARRAY(rows, arena, delta->count + 1u, err);
    for (uint32_t row = 0; row < delta->count; row++)
        if (!lt_vector_is_null(time, row)) rows[count++] = (uint16_t)row;
    kept = *delta;
    if (count < delta->count) LT_TRY(lt_chunk_gather(delta, rows, count, arena, &kept, err));
    out = kept;
    out.column_count++;
    LT_TRY_NEW_ARRAY(out.columns, arena, out.column_count, err);
    memcpy(out.columns, kept.columns, sizeof *out.columns * kept.column_count);
    lt_vector *pane = &out.columns[kept.column_count];
    LT_TRY(lt_vector_init(pane, plan->columns[plan->column_count - 1].type, count + 1, arena, err));
    pane->lanes = pane->children[0].lanes = pane->children[1].lanes = count;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t start =
            lt_pane_start(LT_VALUE(time, int64_t, rows[i]), self->panes.offset_us, self->panes.pane_us);
        LT_LANES(&pane->children[0], int64_t)[i] = start;
        LT_LANES(&pane->children[1], int64_t)[i] = start + self->panes.pane_us;
    }
    self->folded_rows += count;
    if (count > 0) LT_TRY(self->fold.kind->push(&self->fold, 0, &out, batch, err));
    // Not after the whole of a large batch that gains nothing.
    if (self->folded_rows < LOOK_ROWS || is_worth_it(self)) return LEAT_OK;
    return panes_flush(node, batch, err);
}

static leat_status assign_window_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                      leat_error *err) {
    (void)input;
    assign_window   *self = node->state;
    const lt_vector *time;
    LT_TRY(
        lt_evaluator_run(&self->evaluator, node->plan->as.assign_window.time, delta, NULL, batch->scratch, &time, err));
    const bool is_small = !self->is_folding && delta->count < FOLDED_ROWS_MIN;
    if (!self->has_panes || is_small || self->skipped > 0 || delta->places == NULL || delta->weights != NULL ||
        !are_in_time(node, time, delta->count, batch)) {
        LT_TRY(panes_flush(node, batch, err));
        return rows_expand(node, delta, time, batch, err);
    }
    return rows_fold(node, delta, time, batch, err);
}

static leat_status assign_window_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    assign_window *self = node->state;
    if (self->skipped > 0) self->skipped--;
    return panes_flush(node, batch, err);
}

static void assign_window_close(lt_node *node) {
    assign_window *self = node->state;
    fold_close(self);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->work);
}

const lt_operator_kind lt_operators_assign_window = {
    .name           = "AssignWindow",
    .plan_kind      = LT_PLAN_ASSIGN_WINDOW,
    .state_bytes    = sizeof(assign_window),
    .is_incremental = true,
    .is_stateless   = true,
    .open           = assign_window_open,
    .push           = assign_window_push,
    .end_batch      = assign_window_end_batch,
    .close          = assign_window_close,
};
