// watermark: notes the event times that pass; the driver moves the watermark between batches. Late rows are noted too,
// NULL times are not. Rows pass unchanged. No state of its own: the definition's value lives in the driver.
#include "exec/operator.h"

static leat_status watermark_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)input;
    const lt_plan   *plan   = node->plan;
    lt_watermark    *mark   = &batch->watermarks[plan->as.watermark.watermark];
    const lt_vector *column = &delta->columns[plan->as.watermark.column];
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t time_us;
        bool    is_window;
        if (lt_chunk_weight(delta, row) <= 0 || !lt_event_time(column, row, &time_us, &is_window)) continue;
        if (is_window) time_us--;
        if (mark->rows == 0 || time_us > mark->max_us) mark->max_us = time_us;
        if (mark->rows == 0 || time_us < mark->min_us) mark->min_us = time_us;
        mark->sum_us += time_us / 1000;
        mark->rows++;
    }
    return lt_emit(node, delta, batch, err);
}

const lt_operator_kind lt_operators_watermark = {
    .name           = "Watermark",
    .plan_kind      = LT_PLAN_WATERMARK,
    .is_incremental = true,
    .is_stateless   = true,
    .push           = watermark_push,
};
