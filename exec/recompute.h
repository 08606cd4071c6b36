// recompute: the difference between what a node gave and what it should give now. See recompute.c.
#ifndef LT_EXEC_RECOMPUTE_H
#define LT_EXEC_RECOMPUTE_H

#include "exec/operator.h"
#include "exec/state/row_set.h"

// The lowest plan node that a recomputing node runs itself: its inputs are those of the node. `plan` itself but for a
// LIMIT over an ORDER BY.
const lt_plan *lt_recompute_bottom(const lt_plan *plan);

// Emits present - given (removals first) from `node`; afterwards `given` holds the present rows and `present` is empty.
// `note` (may be NULL) hears of every change. Only from produce and end_batch: resets batch->scratch.
leat_status
lt_emit_difference(lt_node *node, lt_row_set *given, lt_row_set *present, const lt_type *const *types, lt_batch *batch,
                   leat_status (*note)(lt_node *node, const lt_row_set_row *row, int64_t weight, leat_error *err),
                   leat_error *err);

#endif
