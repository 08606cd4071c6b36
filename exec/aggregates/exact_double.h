// exact_double: a sum of doubles without any rounding until it is read, so that what comes and goes leaves no trace.
//
//     limbs[k] counts units of 2^(32 k - 1074), 0 <= limbs[k] < 2^32; the last one carries the sign
//
// Private to sum and avg under retraction. 568 bytes; plain bytes, zeros are an empty sum.
#ifndef LT_EXEC_AGGREGATES_EXACT_DOUBLE_H
#define LT_EXEC_AGGREGATES_EXACT_DOUBLE_H

#include "base/type.h"

#include <math.h>

enum { LT_EXACT_LIMBS = 68 }; // 2098 bits of doubles and 64 of headroom, by 32

typedef struct lt_exact_double {
    int64_t limbs[LT_EXACT_LIMBS];
    int64_t nan_count, plus_count, minus_count; // values that are no numbers
} lt_exact_double;

// Brings every limb but the last back into [0, 2^32).
static inline void lt_exact_double_normalize(lt_exact_double *self) {
    for (int k = 0; k + 1 < LT_EXACT_LIMBS; k++) {
        int64_t carry = self->limbs[k] >> 32;
        self->limbs[k] -= carry * (INT64_C(1) << 32);
        self->limbs[k + 1] += carry;
    }
}

static inline void lt_exact_double_add(lt_exact_double *self, double value, int64_t weight) {
    uint64_t bits;
    if (!isfinite(value)) {
        *(isnan(value) ? &self->nan_count : value > 0 ? &self->plus_count : &self->minus_count) += weight;
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = (uint32_t)(bits >> 52) & 0x7FF;
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0)
        exponent = 1;
    else
        mantissa |= UINT64_C(1) << 52;
    uint32_t shift = exponent - 1, at = shift / 32, by = shift % 32;
    uint64_t low = mantissa << by, high = by == 0 ? 0 : mantissa >> (64 - by);
    int64_t  sign     = (int64_t)(bits >> 63) != 0 ? -weight : weight;
    int64_t  parts[3] = {(int64_t)(low & 0xFFFFFFFF), (int64_t)(low >> 32), (int64_t)high};
    for (uint32_t k = 0; k < 3; k++) {
        // 32-bit part times weight, added by halves so that no limb ever comes near 63 bits.
        lt_int128 sum       = (lt_int128)self->limbs[at + k] + (lt_int128)parts[k] * sign;
        self->limbs[at + k] = (int64_t)(uint32_t)sum;
        sum >>= 32;
        for (uint32_t up = at + k + 1; sum != 0 && up < LT_EXACT_LIMBS; up++) {
            sum += self->limbs[up];
            self->limbs[up] = up + 1 == LT_EXACT_LIMBS ? (int64_t)sum : (int64_t)(uint32_t)sum;
            sum             = up + 1 == LT_EXACT_LIMBS ? 0 : sum >> 32;
        }
    }
}

// The nearest double, ties to even.
static inline double lt_exact_double_value(const lt_exact_double *from) {
    lt_exact_double self = *from;
    if (self.nan_count > 0 || (self.plus_count > 0 && self.minus_count > 0)) return (double)NAN;
    if (self.plus_count > 0) return (double)INFINITY;
    if (self.minus_count > 0) return -(double)INFINITY;
    int is_negative = self.limbs[LT_EXACT_LIMBS - 1] < 0;
    if (is_negative) {
        for (int k = 0; k < LT_EXACT_LIMBS; k++) self.limbs[k] = -self.limbs[k];
        lt_exact_double_normalize(&self);
    }
    int top = LT_EXACT_LIMBS - 1;
    while (top > 0 && self.limbs[top] == 0) top--;
    // Three limbs hold at least 65 significant bits; what lies below only breaks ties.
    int low    = top >= 2 ? top - 2 : 0;
    int sticky = 0;
    for (int k = 0; k < low; k++) sticky |= self.limbs[k] != 0;
    lt_uint128 window = 0;
    for (int k = top; k >= low; k--) window = window << 32 | (uint64_t)self.limbs[k];
    if (window == 0) return 0;
    int width = 0;
    for (lt_uint128 rest = window; rest != 0; rest >>= 1) width++;
    int      place = low * 32; // of the lowest bit of the window, in units of 2^-1074
    int      drop  = width > 53 ? width - 53 : 0;
    uint64_t kept  = (uint64_t)(window >> drop);
    if (drop > 0) {
        lt_uint128 rest = window & ((((lt_uint128)1) << drop) - 1);
        lt_uint128 half = ((lt_uint128)1) << (drop - 1);
        if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) kept++;
    }
    double value = ldexp((double)kept, place + drop - 1074);
    return is_negative ? -value : value;
}

#endif
