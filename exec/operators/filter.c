// filter: keeps the rows for which the predicate is TRUE; weights pass. No state; cost O(rows).
#include "exec/operator.h"

typedef struct filter {
    lt_evaluator evaluator;
} filter;

static leat_status filter_open(lt_node *node, leat_error *err) {
    filter *self = node->state;
    return lt_evaluator_open(&self->evaluator, &node->plan->as.filter.predicate, 1, node->pipeline->evaluation,
                             node->pipeline->account, err);
}

static leat_status filter_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    filter   *self = node->state;
    uint16_t *selected;
    uint32_t  count = 0;
    LT_TRY_NEW_ARRAY(selected, batch->scratch, delta->count + 1u, err);
    LT_TRY(lt_evaluator_select(&self->evaluator, node->plan->as.filter.predicate, delta, batch->scratch, selected,
                               &count, err));
    if (node->plan->as.filter.is_in_reader && batch->rejected_rows != NULL)
        batch->rejected_rows[node->plan->inputs[0]->as.scan.source] += delta->count - count;
    if (count == delta->count) return lt_emit(node, delta, batch, err);
    if (count == 0) return LEAT_OK;
    lt_chunk kept;
    LT_TRY(lt_chunk_gather(delta, selected, count, batch->scratch, &kept, err));
    return lt_emit(node, &kept, batch, err);
}

static void filter_close(lt_node *node) { lt_evaluator_close(&((filter *)node->state)->evaluator); }

const lt_operator_kind lt_operators_filter = {
    .name           = "Filter",
    .plan_kind      = LT_PLAN_FILTER,
    .state_bytes    = sizeof(filter),
    .is_incremental = true,
    .is_stateless   = true,
    .open           = filter_open,
    .push           = filter_push,
    .close          = filter_close,
};
