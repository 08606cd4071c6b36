// frame: which positions the frame of each row covers.
//
// Both ends of a frame never move backwards along a partition, so each is found by one walk.
//
// Ownership  arrays and bounds in `arena`.    Threads  one at a time.    Cost  O(rows).
// Errors     those of an offset's expression and of exec/kernels/range_bound.h; LEAT_NO_MEMORY.
#ifndef LT_EXEC_WINDOW_FRAME_H
#define LT_EXEC_WINDOW_FRAME_H

#include "exec/evaluate.h"
#include "planner/plan.h"

// The sorted rows of all partitions.
typedef struct lt_window_order {
    uint32_t           count;
    const uint32_t    *partition_first, *partition_end; // by position
    const uint32_t    *peer_first, *peer_end;           // by position
    const lt_vector   *key;                             // first ORDER BY key in window order, flat; NULL: none
    const lt_sort_key *sort;                            // its direction
} lt_window_order;

// out_first[at] <= out_end[at]; an empty frame has them equal.
leat_status lt_window_frames(const lt_window_call *call, const lt_window_order *order, lt_evaluation *evaluation,
                             lt_arena *arena, uint32_t **out_first, uint32_t **out_end, leat_error *err);

#endif
