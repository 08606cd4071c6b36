// recursion_scan: inside the step of a recursion, the rows of its last round.
#include "exec/operator.h"

static leat_status recursion_scan_produce(lt_node *node, lt_batch *batch, leat_error *err) {
    return lt_recursion_give(node, batch, err);
}

const lt_operator_kind lt_operators_recursion_scan = {
    .name      = "RecursionScan",
    .plan_kind = LT_PLAN_RECURSION_SCAN,
    .produce   = recursion_scan_produce,
};
