// range_bound: key plus or minus the offset of a RANGE frame, row by row.
//
// Numbers move by numbers of their own type, dates by days or intervals, timestamps by intervals; months go by the
// calendar of the session's zone. A date and an interval with hours meet as timestamps: then the keys are converted.
//
// Ownership  results in `arena`.    Threads  one at a time.
// Errors     ARITHMETIC_OVERFLOW, DATETIME_OVERFLOW: a bound does not fit its type; LEAT_NO_MEMORY.
#ifndef LT_EXEC_KERNELS_RANGE_BOUND_H
#define LT_EXEC_KERNELS_RANGE_BOUND_H

#include "base/function.h"

// `keys` flat with `count` rows; `offset` constant and not NULL. *out_bounds has a lane per row, in the order of
// *out_keys, which is `keys` or its converted form; NULL keys have NULL bounds.
leat_status lt_range_bounds(const lt_vector *keys, const lt_vector *offset, bool is_subtracted, uint32_t count,
                            const lt_evaluation *evaluation, const lt_place *place, lt_arena *arena,
                            const lt_vector **out_keys, const lt_vector **out_bounds, leat_error *err);

#endif
