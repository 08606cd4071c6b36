// reach: which results of OVER a change of one row may change, and which rows these results need.
//
//     lag(x, 2)                     rows . . . C a a . .      the changed row and two behind it
//     sum(x) ROWS 1 PRECEDING ..    rows . . . C a . . .      each needs one row before it
//     row_number()                  rows . . . C a a a a      up to the end of the partition
//     sum(x) OVER (PARTITION BY k)  rows a a a C a a a a      all of them
//
// Ownership  constants that are looked at are made in `arena`.    Errors  none: what cannot be told is said to reach all.
#ifndef LT_EXEC_WINDOW_REACH_H
#define LT_EXEC_WINDOW_REACH_H

#include "planner/plan.h"

typedef struct lt_window_reach {
    uint32_t rows_before, rows_behind;   // results so many rows before, or behind, the changed row may change
    uint32_t needs_before, needs_behind; // rows around a result that it is computed from
    bool     is_to_end;                  // all results behind may change
    bool     has_peers;                  // rows that are equal in the order share results
    bool     is_whole;                   // all results may change, and need all rows
    bool     needs_start;                // needs all rows before, and no mark can stand for them
    bool     uses_marks;                 // needs all rows before, or a mark (exec/window/run.h)
} lt_window_reach;

// Of all calls of a node together.
void lt_window_reach_find(const lt_plan *plan, lt_evaluation *evaluation, lt_arena *arena, lt_window_reach *out);

#endif
