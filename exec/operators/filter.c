// filter: keeps the rows for which the predicate is TRUE; weights pass. Columns that only the predicate reads end here:
// above they are NULL. No state; cost O(rows).
#include "exec/operator.h"

typedef struct filter {
    lt_evaluator evaluator;
    lt_arena     arena;
    lt_vector   *absent; // by column: NULL in constant form, of those that nobody above reads
} filter;

static leat_status filter_open(lt_node *node, leat_error *err) {
    filter     *self   = node->state;
    const bool *needed = node->plan->as.filter.needed;
    lt_arena_init(&self->arena, node->pipeline->account);
    LT_TRY(lt_evaluator_open(&self->evaluator, &node->plan->as.filter.predicate, 1, node->pipeline->evaluation,
                             node->pipeline->account, err));
    if (needed != NULL) LT_TRY_NEW_ARRAY(self->absent, &self->arena, node->plan->column_count + 1u, err);
    for (uint32_t c = 0; needed != NULL && c < node->plan->column_count; c++)
        if (!needed[c])
            LT_TRY(lt_vector_init_constant_null(&self->absent[c], node->plan->columns[c].type, &self->arena, err));
    return LEAT_OK;
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
    const bool *needed = node->plan->as.filter.needed;
    lt_chunk    read   = *delta, kept;
    if (needed != NULL) {
        LT_TRY_NEW_ARRAY(read.columns, batch->scratch, delta->column_count + 1u, err);
        for (uint32_t c = 0; c < delta->column_count; c++)
            read.columns[c] = needed[c] ? delta->columns[c] : self->absent[c];
    }
    LT_TRY(lt_chunk_gather(&read, selected, count, batch->scratch, &kept, err));
    return lt_emit(node, &kept, batch, err);
}

static void filter_close(lt_node *node) {
    filter *self = node->state;
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->arena);
}

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
