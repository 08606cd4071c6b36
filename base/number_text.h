// number_text: numbers to text and back, without locale, exact both ways.
//
//     0.1 -> "0.1"    1e7 -> "1.0E7"    1.5e-5 -> "1.5E-5"    -0.0 -> "-0.0"    NaN -> "NaN"
//
// Ownership  plain values.   Threads  any.   Cost  printing and usual parsing O(1); texts near a tie of two numbers
// cost a few microseconds more.
// Source     printing: Java 17's Double.toString (reads back, at least two digits, not always the shortest), found as
//            in Giulietti, "The Schubfach way to render doubles"; parsing: Lemire, "Number parsing at a gigabyte per
//            second".
#ifndef LT_BASE_NUMBER_TEXT_H
#define LT_BASE_NUMBER_TEXT_H

#include "base/decimal.h"

enum { LT_DOUBLE_TEXT_MAX = 32, LT_INT64_TEXT_MAX = 24 };

// Java's text; gives the bytes without the NUL.
size_t lt_double_print(double value, char out[LT_DOUBLE_TEXT_MAX]);
size_t lt_float_print(float value, char out[LT_DOUBLE_TEXT_MAX]);
size_t lt_int64_print(int64_t value, char out[LT_INT64_TEXT_MAX]);
// The same in a register, the first character lowest: *out_text; its bytes, 0: more than 16 (of any sign).
uint32_t lt_int64_text(int64_t value, lt_uint128 *out_text);

// |value| = digits * 10^exponent, the digits of Java's text (at most 18, or 9); value is finite and not 0.
uint64_t lt_double_digits(double value, int32_t *out_exponent);
uint64_t lt_float_digits(float value, int32_t *out_exponent);

// Whole text: [+-] digits [. digits] [(e|E) [+-] digits] with at least one digit, or NaN, Infinity, inf in any case
// with a sign; no blanks. Rounds to nearest even; too large gives an infinity, too small a zero. False when malformed.
bool lt_double_parse(const char *text, size_t bytes, double *out);
bool lt_float_parse(const char *text, size_t bytes, float *out);
// What Java's parseDouble reads besides: a trailing d, D, f or F, and 0x1.8p3 (the binary exponent is required).
bool lt_double_parse_java(const char *text, size_t bytes, double *out);
bool lt_float_parse_java(const char *text, size_t bytes, float *out);
// Whole text: [+-] digits.
lt_number_outcome lt_int64_parse(const char *text, size_t bytes, int64_t *out);

#endif
