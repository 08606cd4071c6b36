// expand: each input row once per projection, projections in order (GROUPING SETS, ROLLUP, CUBE, UNPIVOT). Linear, no
// state.
#include "exec/operator.h"

typedef struct expand {
    lt_evaluator evaluator, keep;
} expand;

static leat_status expand_open(lt_node *node, leat_error *err) {
    expand        *self = node->state;
    const lt_plan *plan = node->plan;
    LT_TRY(lt_evaluator_open(&self->keep, &plan->as.expand.keep, 1, node->pipeline->evaluation, node->pipeline->account,
                             err));
    return lt_evaluator_open(&self->evaluator, plan->as.expand.projections,
                             plan->as.expand.projection_count * plan->column_count, node->pipeline->evaluation,
                             node->pipeline->account, err);
}

// Rows of one chunk come out row by row, not projection by projection, so that the order does not depend on the cut.
static leat_status expand_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    expand           *self  = node->state;
    const lt_plan    *plan  = node->plan;
    uint32_t          count = plan->as.expand.projection_count, width = plan->column_count;
    const lt_vector **columns;
    const lt_type   **types;
    LT_TRY_NEW_ARRAY(columns, batch->scratch, (size_t)count * width + 1, err);
    LT_TRY_NEW_ARRAY(types, batch->scratch, width + 1u, err);
    for (uint32_t c = 0; c < width; c++) types[c] = plan->columns[c].type;
    for (uint32_t i = 0; i < count * width; i++)
        LT_TRY(lt_evaluator_run(&self->evaluator, plan->as.expand.projections[i], delta, NULL, batch->scratch,
                                &columns[i], err));
    uint32_t rows_at_once = LT_CHUNK_ROWS_MAX / (count == 0 ? 1 : count);
    if (rows_at_once == 0) rows_at_once = 1;
    for (uint32_t first = 0; first < delta->count; first += rows_at_once) {
        uint32_t last = first + rows_at_once < delta->count ? first + rows_at_once : delta->count;
        lt_chunk out;
        int64_t *weights, *places;
        LT_TRY(lt_chunk_init(&out, types, width, (last - first) * count, batch->scratch, err));
        LT_TRY_NEW_ARRAY(weights, batch->scratch, (last - first) * count + 1u, err);
        LT_TRY_NEW_ARRAY(places, batch->scratch, (last - first) * count + 1u, err);
        for (uint32_t row = first; row < last; row++)
            for (uint32_t p = 0; p < count; p++) {
                for (uint32_t c = 0; c < width; c++)
                    LT_TRY(lt_vector_append_rows(&out.columns[c], columns[p * width + c], (uint16_t[]){(uint16_t)row},
                                                 1, false, batch->scratch, err));
                weights[out.count] = lt_chunk_weight(delta, row);
                if (delta->places != NULL) places[out.count] = delta->places[row];
                out.count++;
            }
        if (delta->weights != NULL) out.weights = weights;
        if (delta->places != NULL) out.places = places;
        if (plan->as.expand.keep != NULL) {
            uint16_t *kept;
            uint32_t  kept_count;
            lt_chunk  filtered;
            LT_TRY_NEW_ARRAY(kept, batch->scratch, out.count + 1u, err);
            LT_TRY(
                lt_evaluator_select(&self->keep, plan->as.expand.keep, &out, batch->scratch, kept, &kept_count, err));
            LT_TRY(lt_chunk_gather(&out, kept, kept_count, batch->scratch, &filtered, err));
            out = filtered;
        }
        LT_TRY(lt_emit(node, &out, batch, err));
    }
    return LEAT_OK;
}

static void expand_close(lt_node *node) {
    lt_evaluator_close(&((expand *)node->state)->evaluator);
    lt_evaluator_close(&((expand *)node->state)->keep);
}

const lt_operator_kind lt_operators_expand = {
    .name           = "Expand",
    .plan_kind      = LT_PLAN_EXPAND,
    .state_bytes    = sizeof(expand),
    .is_incremental = true,
    .is_stateless   = true,
    .open           = expand_open,
    .push           = expand_push,
    .close          = expand_close,
};
