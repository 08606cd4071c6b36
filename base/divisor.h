// divisor: division by a number that stays the same for many rows, as a product and shifts: exact for every dividend.
//
//     lt_divisor by = lt_divisor_of(7);  lt_divide(100, &by) -> 14
//
// Source: Granlund and Montgomery, Division by Invariant Integers using Multiplication (1994), figure 4.1.
#ifndef LT_BASE_DIVISOR_H
#define LT_BASE_DIVISOR_H

#include <stdint.h>

typedef struct lt_divisor {
    uint64_t value, multiplier;
    uint32_t shift;
} lt_divisor;

// `value` is at least 2.
static inline lt_divisor lt_divisor_of(uint64_t value) {
    uint32_t          bits  = 64 - (uint32_t)__builtin_clzll(value - 1); // the smallest with 2^bits >= value
    unsigned __int128 above = ((unsigned __int128)1 << bits) - value;
    return (lt_divisor){.value = value, .multiplier = (uint64_t)((above << 64) / value + 1), .shift = bits - 1};
}
static inline uint64_t lt_divide(uint64_t dividend, const lt_divisor *by) {
    uint64_t high = (uint64_t)(((unsigned __int128)dividend * by->multiplier) >> 64);
    return (((dividend - high) >> 1) + high) >> by->shift;
}

#endif
