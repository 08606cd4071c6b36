// union_all: both deltas pass, left then right. No state.
#include "exec/operator.h"

static leat_status union_all_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)input;
    return lt_emit(node, delta, batch, err);
}

const lt_operator_kind lt_operators_union_all = {
    .name           = "UnionAll",
    .plan_kind      = LT_PLAN_UNION_ALL,
    .is_incremental = true,
    .is_stateless   = true,
    .push           = union_all_push,
};
