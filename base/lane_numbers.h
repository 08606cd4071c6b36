// lane_numbers: one value of a flat vector as a number, whatever its width; for places that see few values. Loops over
// many rows choose their type once instead.
//
// A whole number is a value of a kind of lt_kind_is_whole, in the unit in which it is kept (days, months,
// microseconds). Callers look at NULL first.
//
// Threads  any.    Errors  none; a kind of another sort is the caller's mistake (reads as 0, is not written).
#ifndef LT_BASE_LANE_NUMBERS_H
#define LT_BASE_LANE_NUMBERS_H

#include "base/vector.h"

int64_t lt_lane_integer(const lt_vector *lanes, uint32_t lane);
// Cut to the width of the lane; callers know that it fits.
void lt_lane_put_integer(lt_vector *lanes, uint32_t lane, int64_t value);
// A whole number, FLOAT, DOUBLE or DECIMAL as the nearest DOUBLE.
double lt_lane_double(const lt_vector *lanes, uint32_t lane);

// A whole number of a vector in any form.
static inline int64_t lt_value_integer(const lt_vector *vector, uint32_t row) {
    return lt_lane_integer(lt_vector_lanes(vector), lt_vector_lane(vector, row));
}

#endif
