// function: what the functions of OVER compute that only pick or count rows: ranks, neighbours, the first, last
// and n-th row of a frame. All other aggregates run over frames in exec/operators/window.c.
//
//     positions   0 1 2 | 3 4 5 6 | 7       rows in window order, partitions behind each other
//     live        0 . 2 | 3 . . 6 | 7       rows that count: FILTER passed, not NULL where NULLs are ignored
//     live_before 0 1 1   2 3 3 3   4 5     so rows [a, b) hold live[live_before[a] .. live_before[b])
//
// Ownership  borrows everything; results in `into`, children and bytes in `arena`.    Threads  one at a time.
// Errors     LEAT_NO_MEMORY.    Cost  O(1) a row.
#ifndef LT_EXEC_WINDOW_FUNCTION_H
#define LT_EXEC_WINDOW_FUNCTION_H

#include "planner/plan.h"

// One call over one partition. Arrays and columns are indexed by position over all partitions.
typedef struct lt_window_rows {
    const lt_window_call   *call;
    uint32_t                first, end;                // positions of the partition, or of a part of it
    uint32_t                rows_before, peers_before; // in the partition, before `first`
    const uint32_t         *peer_first, *peer_end;     // rows that are equal in the order
    const uint32_t         *frame_first, *frame_end;   // frame_first <= frame_end
    const uint32_t         *live, *live_before;        // live_before: one more than there are positions
    const lt_vector *const *arguments;                 // flat
    lt_vector              *into;                      // flat, a lane per position
    lt_arena               *arena;
} lt_window_rows;

typedef leat_status (*lt_window_compute)(const lt_window_rows *rows, leat_error *err);

// NULL: not here, an aggregate over frames.
lt_window_compute lt_window_function_find(const char *name);
// Whether rows with a NULL first argument are left out of `live`.
bool lt_window_call_ignores_nulls(const lt_window_call *call);

#endif
