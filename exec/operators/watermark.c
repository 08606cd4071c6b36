// watermark: notes the event times that pass; the driver moves the watermark between batches. Late rows are noted too,
// NULL times are not. Rows pass unchanged, but for those that are farther ahead than maxWatermarkJump allows: they move
// nothing, and late rows' policy says what becomes of them. Ahead of what: of the largest time taken so far less the
// delay, which is the watermark whatever the cut into batches; before the first row, of the clock.
// No state of its own: the definition's value lives in the driver.
#include "exec/operator.h"

typedef struct watermark_times {
    lt_watermark *mark;
    int64_t       jump_us, delay_us, now_us;
} watermark_times;

// Times beyond the range of the sum are not ahead of anything.
static bool is_far_ahead(const watermark_times *self, int64_t time_us) {
    const int64_t from = self->mark->ahead_us != INT64_MIN ? self->mark->ahead_us : self->now_us;
    int64_t       limit_us;
    return self->jump_us > 0 && !__builtin_add_overflow(from, self->jump_us, &limit_us) && time_us > limit_us;
}

static void time_note(watermark_times *self, int64_t time_us) {
    lt_watermark *mark = self->mark;
    int64_t       ahead_us;
    if (mark->rows == 0 || time_us > mark->max_us) mark->max_us = time_us;
    if (mark->rows == 0 || time_us < mark->min_us) mark->min_us = time_us;
    mark->sum_us += time_us / 1000;
    mark->rows++;
    if (self->jump_us > 0 && !__builtin_sub_overflow(time_us, self->delay_us, &ahead_us) && ahead_us > mark->ahead_us)
        mark->ahead_us = ahead_us;
}

static leat_status watermark_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)input;
    const lt_plan   *plan   = node->plan;
    const lt_vector *column = &delta->columns[plan->as.watermark.column];
    watermark_times  times  = {.mark     = &batch->watermarks[plan->as.watermark.watermark],
                               .jump_us  = node->pipeline->is_standing ? plan->as.watermark.options.jump_us : 0,
                               .delay_us = plan->as.watermark.delay_us,
                               .now_us   = batch->evaluation->now_us};
    uint16_t        *kept   = NULL;
    uint32_t         count  = 0;
    lt_chunk         out;
    if (times.jump_us > 0) LT_TRY_NEW_ARRAY(kept, batch->scratch, delta->count + 1u, err);
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t time_us;
        bool    is_window, is_taken = true;
        if (lt_chunk_weight(delta, row) > 0 && lt_event_time(column, row, &time_us, &is_window)) {
            if (is_window) time_us--;
            if (!is_far_ahead(&times, time_us)) {
                time_note(&times, time_us);
            } else if (!node->pipeline->keeps_late) {
                is_taken = false;
                batch->rows_dropped++;
                if (batch->give_late != NULL)
                    LT_TRY(batch->give_late(batch->user, node, 0, delta, row, times.mark->close_us, err));
            }
        }
        if (kept != NULL && is_taken) kept[count++] = (uint16_t)row;
    }
    if (kept == NULL || count == delta->count) return lt_emit(node, delta, batch, err);
    LT_TRY(lt_chunk_gather(delta, kept, count, batch->scratch, &out, err));
    return lt_emit(node, &out, batch, err);
}

const lt_operator_kind lt_operators_watermark = {
    .name           = "Watermark",
    .plan_kind      = LT_PLAN_WATERMARK,
    .is_incremental = true,
    .is_stateless   = true,
    .push           = watermark_push,
};
