// panes: sliding windows as unions of short, equal stretches of time.
//
//     windows [0, 60) [10, 70) [20, 80)     panes [0, 10) [10, 20) [20, 30) ..    a pane lies in each window wholly or not
//
// Rows are folded once, into groups by pane instead of window; then each group is merged into the windows that hold its
// pane. The pane's length is the greatest common divisor of length and slide.
//
// Ownership  the inner node belongs to whoever folded into it; it is of no use afterwards.   Threads  one at a time.
// Cost       a row: one fold. A group of a pane: a look-up and a merge per window that holds it.
#ifndef LT_EXEC_AGGREGATION_PANES_H
#define LT_EXEC_AGGREGATION_PANES_H

#include "exec/operator.h"

typedef struct lt_panes {
    int64_t  duration_us, slide_us, offset_us, pane_us;
    uint32_t key; // number of the window among the keys of the aggregation
} lt_panes;

lt_panes lt_panes_of(const lt_plan *assign, const lt_plan *aggregate);
// The start of the pane or window of length `step_us` that holds a time; times are far from the ends of their range.
static inline int64_t lt_pane_start(int64_t time_us, int64_t offset_us, int64_t step_us) {
    int64_t rest = (time_us - offset_us) % step_us;
    return time_us - (rest < 0 ? rest + step_us : rest);
}
// Takes into the Aggregate `node` what `from`, an Aggregate over the same rows with panes for windows, has folded in one
// batch, as if each row came once per window, latest first. No row is late for any of its windows; all had places.
// *out_pairs: how many groups of windows were touched, each as often as panes came to it.
leat_status lt_aggregate_take_panes(lt_node *node, lt_node *from, const lt_panes *panes, lt_batch *batch,
                                    uint64_t *out_pairs, leat_error *err);
uint32_t    lt_aggregate_group_count(const lt_node *node);

#endif
