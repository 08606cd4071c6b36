// source_ranges: what a filter lets pass at most, as ranges of columns that a decoder can test.
//
//     amount < 10 AND 3 <= user_id AND page LIKE '%x'    ->    amount [min, 9]   user_id [3, max]
//
// Terms of an AND that compare a column of whole numbers with a constant; others let everything pass, and one that can
// fail lets all of them do so. The filter itself stays where it is and judges each row.
//
// Ownership  ranges lie in the arena.    Threads  any.    Errors  LEAT_NO_MEMORY.
#ifndef LT_EXEC_SOURCE_RANGES_H
#define LT_EXEC_SOURCE_RANGES_H

#include "planner/plan.h"
#include "storage/format.h"

// `above` is the plan whose input the scan is, or NULL; ranges are about columns of the relation, of which the decoder
// makes the first target->column_count. Sets the ranges of the target.
leat_status lt_source_ranges_set(const lt_plan *scan, const lt_plan *above, lt_arena *arena, lt_decode_target *target,
                                 leat_error *err);

#endif
