// decimal: exact numbers of up to 38 digits, an lt_int128 of units of 10^-scale. 12.50 in DECIMAL(4,2) is 1250.
//
// Ownership  plain values.   Threads  any.
// Results are rounded HALF_UP (away from zero on a tie) to the wanted scale; a function gives false when the result
// does not fit the wanted precision, or is not defined, and then leaves *out alone. Intermediates have 256 bits, so
// that no result is rounded twice. Source     Spark SQL 4, ANSI mode; Java's BigDecimal.
#ifndef LT_BASE_DECIMAL_H
#define LT_BASE_DECIMAL_H

#include "base/type.h"

enum { LT_DECIMAL_TEXT_MAX = 48 }; // sign, 38 digits, point, leading zero, NUL

// Precision and scale of a type that does not exist yet; scale <= precision <= 38.
typedef struct lt_decimal_shape {
    uint32_t precision, scale;
} lt_decimal_shape;

static inline lt_decimal_shape lt_decimal_shape_of(const lt_type *type) {
    return (lt_decimal_shape){type->precision, type->scale};
}
// The shape that holds every value of an integer kind: 3, 5, 10, 20 digits; of FLOAT (14,7), of DOUBLE (30,15).
lt_decimal_shape lt_decimal_shape_of_kind(lt_kind kind);
// Shape with the exact number of digits of a constant: 100 -> (3,0).
lt_decimal_shape lt_decimal_shape_of_int(int64_t value);

// Spark's result types; digits beyond 38 are taken from the scale, of which at least min(scale, 6) stay.
lt_decimal_shape lt_decimal_add_shape(lt_decimal_shape a, lt_decimal_shape b); // also of -
lt_decimal_shape lt_decimal_multiply_shape(lt_decimal_shape a, lt_decimal_shape b);
lt_decimal_shape lt_decimal_divide_shape(lt_decimal_shape a, lt_decimal_shape b);
lt_decimal_shape lt_decimal_remainder_shape(lt_decimal_shape a, lt_decimal_shape b);
// DIV gives a BIGINT; this is the shape of the quotient before that.
lt_decimal_shape lt_decimal_integral_divide_shape(lt_decimal_shape a, lt_decimal_shape b);
// The common type for UNION, CASE, coalesce and comparison.
lt_decimal_shape lt_decimal_common_shape(lt_decimal_shape a, lt_decimal_shape b);
// Precision and scale of any size cut to 38 digits as above.
lt_decimal_shape lt_decimal_adjusted_shape(uint32_t precision, uint32_t scale);

lt_int128 lt_decimal_power(uint32_t exponent); // 10^exponent, exponent <= 38
// |value| < 10^precision.
bool     lt_decimal_fits(lt_int128 value, uint32_t precision);
uint32_t lt_decimal_digits(lt_int128 value); // decimal digits of |value|; 1 for 0

bool lt_decimal_rescale(lt_int128 value, uint32_t from_scale, lt_decimal_shape into, lt_int128 *out);
bool lt_decimal_add(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                    lt_int128 *out);
bool lt_decimal_subtract(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                         lt_int128 *out);
bool lt_decimal_multiply(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                         lt_int128 *out);
// b != 0 here and below.
bool lt_decimal_divide(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                       lt_int128 *out);
bool lt_decimal_remainder(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                          lt_int128 *out); // sign of a
bool lt_decimal_integral_divide(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale,
                                int64_t *out);                                         // truncates
int  lt_decimal_compare(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale); // < 0, 0, > 0

typedef enum lt_rounding { LT_HALF_UP, LT_HALF_EVEN, LT_FLOOR, LT_CEILING, LT_DOWN } lt_rounding;
// `value` rounded at `digits` places behind the point (may be negative), given at scale max(digits, 0).
// False when 128 bits do not hold it.
bool lt_decimal_round(lt_int128 value, uint32_t scale, int32_t digits, lt_rounding rounding, lt_int128 *out);

// Nearest double or float of the exact value.
double lt_decimal_to_double(lt_int128 value, uint32_t scale);
float  lt_decimal_to_float(lt_int128 value, uint32_t scale);
// Of the shortest text of the double, as Spark does. False for NaN and infinities too.
bool lt_decimal_from_double(double value, lt_decimal_shape into, lt_int128 *out);
// Of the text of the same DOUBLE: 0.3F is 0.30000001.
bool lt_decimal_from_float(float value, lt_decimal_shape into, lt_int128 *out);
// Drops the fraction.
bool lt_decimal_to_int64(lt_int128 value, uint32_t scale, int64_t *out);

typedef enum lt_number_outcome { LT_NUMBER_OK, LT_NUMBER_MALFORMED, LT_NUMBER_TOO_LARGE } lt_number_outcome;
// Whole text: [+-] digits [. digits] [e [+-] digits], at least one digit; no blanks.
lt_number_outcome lt_decimal_parse(const char *text, size_t bytes, lt_decimal_shape into, lt_int128 *out);
// The same with the shape the text itself has: 12.50 -> 1250, (4,2); 1e3 -> 1000, (4,0). TOO_LARGE beyond 38 digits.
lt_number_outcome lt_decimal_parse_exact(const char *text, size_t bytes, lt_int128 *out, lt_decimal_shape *out_shape);
// Plain notation with `scale` digits behind the point; never an exponent. Gives the bytes without the NUL.
size_t lt_decimal_print(lt_int128 value, uint32_t scale, char out[LT_DECIMAL_TEXT_MAX]);

#endif
