// total: sums that are exact whatever the order: of integers and decimals in 192 bits, judged only at the end. Private
// to sum and avg.
#ifndef LT_EXEC_AGGREGATES_TOTAL_H
#define LT_EXEC_AGGREGATES_TOTAL_H

#include "base/aggregate.h"

// value = high * 2^128 + low, two's complement.
typedef struct lt_total {
    uint64_t low_0, low_1; // low, by halves: 8-byte alignment keeps accumulators small
    int64_t  high;
    int64_t  count; // net number of values
} lt_total;

static inline void lt_total_add(lt_total *total, lt_int128 value, int64_t weight) {
    total->count += weight;
    if (weight == 1) {
        lt_uint128 low = (lt_uint128)total->low_1 << 64 | total->low_0, sum = low + (lt_uint128)value;
        total->high += (value < 0 ? -1 : 0) + (sum < low);
        total->low_0 = (uint64_t)sum;
        total->low_1 = (uint64_t)(sum >> 64);
        return;
    }
    for (int64_t half = 0; half < 2; half++) { // value * weight in two parts, so that the product fits 192 bits
        uint64_t   size    = weight < 0 ? 0 - (uint64_t)weight : (uint64_t)weight;
        lt_uint128 part    = half == 0 ? (lt_uint128)(uint64_t)value : (lt_uint128)(lt_int128)(value >> 64);
        bool       is_down = half == 1 && value < 0;
        if (is_down) part = 0 - part;
        lt_uint128 product = (lt_uint128)(uint64_t)part * size; // |high half| < 2^64, so this is exact
        bool       minus   = is_down != (weight < 0);
        lt_uint128 low     = (lt_uint128)total->low_1 << 64 | total->low_0;
        lt_uint128 addend  = half == 0 ? product : product << 64;
        int64_t    upper   = half == 0 ? 0 : (int64_t)(product >> 64);
        lt_uint128 sum     = minus ? low - addend : low + addend;
        total->high += minus ? -upper - (sum > low) : upper + (sum < low);
        total->low_0 = (uint64_t)sum;
        total->low_1 = (uint64_t)(sum >> 64);
    }
}

static inline void lt_total_merge(lt_total *into, const lt_total *from) {
    lt_uint128 a = (lt_uint128)into->low_1 << 64 | into->low_0, b = (lt_uint128)from->low_1 << 64 | from->low_0;
    lt_uint128 sum = a + b;
    into->high += from->high + (sum < a);
    into->low_0 = (uint64_t)sum;
    into->low_1 = (uint64_t)(sum >> 64);
    into->count += from->count;
}

// False when 128 bits do not hold it.
static inline bool lt_total_value(const lt_total *total, lt_int128 *out) {
    *out = (lt_int128)((lt_uint128)total->low_1 << 64 | total->low_0);
    return total->high == (*out < 0 ? -1 : 0);
}

static inline double lt_total_double(const lt_total *total) {
    lt_int128 value;
    if (lt_total_value(total, &value)) return (double)value;
    return (double)total->high * 0x1p128 + (double)((lt_uint128)total->low_1 << 64 | total->low_0);
}

// The row of sum or avg for one argument of `kind`; `result` NULL: there was no memory for it.
static inline leat_status lt_total_resolve(lt_resolution *resolution, lt_kind kind, const lt_type *result,
                                           leat_error *err) {
    if (resolution->argument_count != 1 || resolution->types[0]->kind != kind) return LEAT_DONE;
    resolution->result = result;
    return result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

#endif
