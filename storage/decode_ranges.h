// decode_ranges: which rows a filter may let pass, by the values of a few columns.
//
//     amount in [1, 9]    rows 5, NULL, 12, 9    ->    1 0 0 1
//
// Ownership  borrows everything.    Threads  any.    Errors  none.    Cost  under 1 ns a row and range.
#ifndef LT_STORAGE_DECODE_RANGES_H
#define LT_STORAGE_DECODE_RANGES_H

#include "storage/format.h"

// Sets is_kept[i] to one or zero for lane first + i of the columns; gives how many are one.
uint32_t lt_decode_ranges_keep(const lt_decode_target *target, const lt_vector *columns, uint32_t first, uint32_t count,
                               uint8_t *is_kept);

#endif
