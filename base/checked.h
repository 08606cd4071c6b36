// checked: arithmetic on numbers from outside. Every form gives whether the exact result does not fit *out, and stores
// the wrapped one.
//
//     if (lt_add_overflows(offset, count, &end)) return lt_raise(...);
#ifndef LT_BASE_CHECKED_H
#define LT_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#define lt_add_overflows(a, b, out) __builtin_add_overflow((a), (b), (out))
#define lt_subtract_overflows(a, b, out) __builtin_sub_overflow((a), (b), (out))
#define lt_multiply_overflows(a, b, out) __builtin_mul_overflow((a), (b), (out))

// Whether `value` does not fit *out; the truncated value is stored all the same.
static inline bool lt_narrow_i32(int64_t value, int32_t *out) {
    *out = (int32_t)value;
    return *out != value;
}
static inline bool lt_narrow_i16(int64_t value, int16_t *out) {
    *out = (int16_t)value;
    return *out != value;
}
static inline bool lt_narrow_i8(int64_t value, int8_t *out) {
    *out = (int8_t)value;
    return *out != value;
}
static inline bool lt_narrow_u32(uint64_t value, uint32_t *out) {
    *out = (uint32_t)value;
    return *out != value;
}

#endif
