// stream_scan: the rows of a stream's range of this batch, read by the driver; every row is new.
#include "exec/operator.h"

static leat_status stream_scan_produce(lt_node *node, lt_batch *batch, leat_error *err) {
    return node->pipeline->read_stream(node->pipeline->user, node, batch, err);
}

const lt_operator_kind lt_operators_stream_scan = {
    .name           = "StreamScan",
    .plan_kind      = LT_PLAN_STREAM_SCAN,
    .is_incremental = true,
    .produce        = stream_scan_produce,
};
