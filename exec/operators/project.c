// project: one expression per output column; weights and places pass. No state; cost O(rows).
#include "exec/operator.h"

typedef struct project {
    lt_evaluator evaluator;
} project;

static leat_status project_open(lt_node *node, leat_error *err) {
    project *self = node->state;
    return lt_evaluator_open(&self->evaluator, node->plan->as.project.expressions, node->plan->column_count,
                             node->pipeline->evaluation, node->pipeline->account, err);
}

static leat_status project_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                leat_error *err) {
    (void)input;
    project       *self = node->state;
    const lt_plan *plan = node->plan;
    lt_chunk       out  = {
               .column_count = plan->column_count, .count = delta->count, .weights = delta->weights, .places = delta->places};
    LT_TRY_NEW_ARRAY(out.columns, batch->scratch, plan->column_count + 1u, err);
    LT_TRY(lt_evaluator_run_all(&self->evaluator, plan->as.project.expressions, plan->column_count, delta,
                                batch->scratch, out.columns, err));
    return lt_emit(node, &out, batch, err);
}

static void project_close(lt_node *node) { lt_evaluator_close(&((project *)node->state)->evaluator); }

const lt_operator_kind lt_operators_project = {
    .name           = "Project",
    .plan_kind      = LT_PLAN_PROJECT,
    .state_bytes    = sizeof(project),
    .is_incremental = true,
    .is_stateless   = true,
    .open           = project_open,
    .push           = project_push,
    .close          = project_close,
};
