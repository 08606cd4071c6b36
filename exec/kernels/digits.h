// digits: a number as decimal digits, for printing with a wanted number of places.
//
//     1234.5 -> digits "12345", point 4          0.0042 -> digits "42", point -2          0 -> digits "", point 0
//
// Ownership  plain values.   Threads  any.
#ifndef LT_EXEC_KERNELS_DIGITS_H
#define LT_EXEC_KERNELS_DIGITS_H

#include "base/function.h"

enum { LT_DIGITS_MAX = 48 };

typedef struct lt_digits {
    char    text[LT_DIGITS_MAX]; // '0'..'9', no leading zeros
    int32_t count, point;        // value = 0.text * 10^point
    bool    is_negative, is_nan, is_infinite;
    bool    is_binary; // `text` is the shortest of `exact`, not its exact value
    double  exact;
} lt_digits;

// False when the type is no number.
bool lt_digits_of(const lt_vector *vector, uint32_t row, lt_digits *out);
// The integer behind an integer, date, timestamp, time (nanoseconds) or interval, with the bits of Java's type for it.
// False: the type has none.
bool lt_integer_of(const lt_vector *vector, uint32_t row, int64_t *out, uint32_t *out_bits);
void lt_digits_of_double(double value, lt_digits *out);
void lt_digits_of_decimal(lt_int128 value, uint32_t scale, lt_digits *out);

// Keeps the first `kept` digits (negative: none, and the number is below half of a unit).
void lt_digits_round_half_up(lt_digits *digits, int32_t kept);
// Ties of a double are judged by its exact value.
void lt_digits_round_half_even(lt_digits *digits, int32_t kept);
// Digit at 10^exponent.
static inline char lt_digits_at(const lt_digits *digits, int32_t exponent) {
    int32_t index = digits->point - 1 - exponent;
    return index < 0 || index >= digits->count ? '0' : digits->text[index];
}
// Appends at least `whole_min` digits before the point, `group` of them between commas (0: none), and `places` behind.
leat_status lt_digits_append(lt_buffer *out, const lt_digits *digits, int32_t whole_min, int32_t group, int32_t places,
                             leat_error *err);

#endif
