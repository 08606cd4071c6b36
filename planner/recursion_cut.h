// recursion_cut: a recursion over streams in two. What does not look at the recursion's own rows is cut off and becomes an
// input that follows its streams; the recursion itself becomes a plan of its own, for one batch over all rows of these
// inputs.
//
//     Recursion(anchor, Join(RecursionScan, edges))  =>  inputs: anchor, edges
//                                                        whole:  Recursion(rows of 0, Join(RecursionScan, rows of 1))
#ifndef LT_PLANNER_RECURSION_CUT_H
#define LT_PLANNER_RECURSION_CUT_H

#include "planner/plan.h"

typedef struct lt_recursion_cut {
    const lt_plan  *whole;  // its leaves for inputs: TABLE_SCAN without relation, as.scan.source is the input's number
    const lt_plan **inputs; // input_count of them
    uint32_t        input_count;
} lt_recursion_cut;

leat_status lt_recursion_cut_make(lt_arena *arena, const lt_plan *recursion, lt_recursion_cut *out, leat_error *err);

#endif
