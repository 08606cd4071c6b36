#include "base/decimal.h"

#include "base/checked.h"
#include "base/number_text.h"

// Magnitudes are unsigned; sums, products and shifted dividends live in `wide`, 256 bits: two decimals of 38 digits
// multiply to 76, and a dividend of 38 digits is shifted by at most 77 - 38. Most values stay in the low half, where
// the compiler's 128-bit operations do.

typedef struct wide {
    lt_uint128 high, low;
} wide;

#define TEN_POWERS(up) up * 1u, up * 10u, up * 100u, up * 1000u, up * 10000u
static const uint64_t small_powers[20] = {TEN_POWERS(UINT64_C(1)), TEN_POWERS(UINT64_C(100000)),
                                          TEN_POWERS(UINT64_C(10000000000)), TEN_POWERS(UINT64_C(1000000000000000))};

static inline lt_uint128 power(uint32_t exponent) {
    lt_assert(exponent <= LT_DECIMAL_PRECISION_MAX);
    return exponent < 20 ? small_powers[exponent] : (lt_uint128)small_powers[19] * small_powers[exponent - 19];
}

lt_int128 lt_decimal_power(uint32_t exponent) { return (lt_int128)power(exponent); }

static inline lt_uint128 magnitude(lt_int128 value) { return value < 0 ? 0 - (lt_uint128)value : (lt_uint128)value; }

bool lt_decimal_fits(lt_int128 value, uint32_t precision) { return magnitude(value) < power(precision); }

uint32_t lt_decimal_digits(lt_int128 value) {
    lt_uint128 rest  = magnitude(value);
    uint32_t   count = 1;
    while (count < LT_DECIMAL_PRECISION_MAX && rest >= power(count)) count++;
    return rest >= power(LT_DECIMAL_PRECISION_MAX) ? LT_DECIMAL_PRECISION_MAX + 1 : count;
}

// ---------------------------------------------------------------------------------------------------------------- wide

static wide wide_multiply(lt_uint128 a, lt_uint128 b) {
    uint64_t   a_low = (uint64_t)a, a_high = (uint64_t)(a >> 64), b_low = (uint64_t)b, b_high = (uint64_t)(b >> 64);
    lt_uint128 low = (lt_uint128)a_low * b_low, cross = (lt_uint128)a_high * b_low;
    lt_uint128 middle = (lt_uint128)a_low * b_high + (low >> 64) + (uint64_t)cross;
    return (wide){.high = (lt_uint128)a_high * b_high + (cross >> 64) + (middle >> 64),
                  .low  = (middle << 64) | (uint64_t)low};
}

static int wide_compare(wide a, wide b) {
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

static wide wide_add(wide a, wide b) {
    wide sum = {a.high + b.high, a.low + b.low};
    if (sum.low < a.low) sum.high++;
    return sum;
}

static wide wide_subtract(wide a, wide b) { // a >= b
    wide difference = {a.high - b.high, a.low - b.low};
    if (a.low < b.low) difference.high--;
    return difference;
}

// a * 10^exponent; false when 256 bits do not hold it.
static bool wide_scale(wide *value, uint32_t exponent) {
    while (exponent > 0) {
        uint32_t step = exponent > LT_DECIMAL_PRECISION_MAX ? LT_DECIMAL_PRECISION_MAX : exponent;
        wide     low = wide_multiply(value->low, power(step)), high = wide_multiply(value->high, power(step));
        if (high.high != 0) return false;
        if (lt_add_overflows(low.high, high.low, &low.high)) return false;
        *value = low;
        exponent -= step;
    }
    return true;
}

static wide wide_divide(wide a, wide b, wide *out_remainder) {
    if (a.high == 0 && b.high == 0) {
        *out_remainder = (wide){0, a.low % b.low};
        return (wide){0, a.low / b.low};
    }
    wide quotient = {0, 0}, rest = {0, 0};
    for (int i = 255; i >= 0; i--) {
        bool carry = rest.high >> 127 != 0;
        rest.high  = (rest.high << 1) | (rest.low >> 127);
        rest.low   = (rest.low << 1) | (((i >= 128 ? a.high >> (i - 128) : a.low >> i)) & 1);
        if (carry || wide_compare(rest, b) >= 0) {
            rest = wide_subtract(rest, b);
            if (i >= 128)
                quotient.high |= (lt_uint128)1 << (i - 128);
            else
                quotient.low |= (lt_uint128)1 << i;
        }
    }
    *out_remainder = rest;
    return quotient;
}

// a / b; the remainder decides by `rounding`. The rule is for magnitudes; `is_negative` turns FLOOR and CEILING round.
static wide wide_divide_rounded(wide a, wide b, bool is_negative, lt_rounding rounding) {
    wide rest, quotient = wide_divide(a, b, &rest);
    if (rest.high == 0 && rest.low == 0) return quotient;
    wide other  = wide_subtract(b, rest);
    int  nearer = wide_compare(rest, other); // > 0: the upper neighbour is nearer
    bool up     = false;
    if (rounding == LT_HALF_UP) up = nearer >= 0;
    if (rounding == LT_HALF_EVEN) up = nearer > 0 || (nearer == 0 && (quotient.low & 1) != 0);
    if (rounding == LT_FLOOR) up = is_negative;
    if (rounding == LT_CEILING) up = !is_negative;
    return up ? wide_add(quotient, (wide){0, 1}) : quotient;
}

static wide wide_power(uint32_t exponent) {
    wide value = {0, 1};
    (void)wide_scale(&value, exponent);
    return value;
}

// value at scale `from` to scale `into`, rounded; false when 256 bits do not hold it.
static bool wide_rescale(wide *value, int64_t from, int64_t into, bool is_negative, lt_rounding rounding) {
    if (into >= from) return into == from || wide_scale(value, (uint32_t)(into - from));
    int64_t drop = from - into;
    if (drop > 76) {
        bool up = rounding == LT_FLOOR ? is_negative : rounding == LT_CEILING ? !is_negative : false;
        *value  = (wide){0, up && (value->high != 0 || value->low != 0) ? 1 : 0};
        return true;
    }
    *value = wide_divide_rounded(*value, wide_power((uint32_t)drop), is_negative, rounding);
    return true;
}

static bool wide_store(wide value, bool is_negative, uint32_t precision, lt_int128 *out) {
    if (value.high != 0 || value.low >= power(precision)) return false;
    *out = is_negative ? -(lt_int128)value.low : (lt_int128)value.low;
    return true;
}

// -------------------------------------------------------------------------------------------------------------- shapes

lt_decimal_shape lt_decimal_shape_of_kind(lt_kind kind) {
    static const lt_decimal_shape shapes[LT_KIND_COUNT] = {
        [LT_TINYINT] = {3, 0}, [LT_SMALLINT] = {5, 0}, [LT_INT] = {10, 0},
        [LT_BIGINT] = {20, 0}, [LT_FLOAT] = {14, 7},   [LT_DOUBLE] = {30, 15}};
    return shapes[kind].precision == 0 ? (lt_decimal_shape){38, 18} : shapes[kind];
}

lt_decimal_shape lt_decimal_shape_of_int(int64_t value) { return (lt_decimal_shape){lt_decimal_digits(value), 0}; }

lt_decimal_shape lt_decimal_adjusted_shape(uint32_t precision, uint32_t scale) {
    if (precision <= LT_DECIMAL_PRECISION_MAX) return (lt_decimal_shape){precision, scale};
    uint32_t integral = precision - scale;
    uint32_t least    = scale < 6 ? scale : 6;
    uint32_t room     = integral < LT_DECIMAL_PRECISION_MAX ? LT_DECIMAL_PRECISION_MAX - integral : 0;
    return (lt_decimal_shape){LT_DECIMAL_PRECISION_MAX, room > least ? room : least};
}

static inline uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

lt_decimal_shape lt_decimal_add_shape(lt_decimal_shape a, lt_decimal_shape b) {
    uint32_t scale = larger(a.scale, b.scale);
    return lt_decimal_adjusted_shape(larger(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale);
}

lt_decimal_shape lt_decimal_multiply_shape(lt_decimal_shape a, lt_decimal_shape b) {
    return lt_decimal_adjusted_shape(a.precision + b.precision + 1, a.scale + b.scale);
}

lt_decimal_shape lt_decimal_divide_shape(lt_decimal_shape a, lt_decimal_shape b) {
    uint32_t scale = larger(6, a.scale + b.precision + 1);
    return lt_decimal_adjusted_shape(a.precision - a.scale + b.scale + scale, scale);
}

lt_decimal_shape lt_decimal_remainder_shape(lt_decimal_shape a, lt_decimal_shape b) {
    uint32_t scale = larger(a.scale, b.scale);
    return lt_decimal_adjusted_shape(smaller(a.precision - a.scale, b.precision - b.scale) + scale, scale);
}

lt_decimal_shape lt_decimal_integral_divide_shape(lt_decimal_shape a, lt_decimal_shape b) {
    uint32_t digits = a.precision - a.scale + b.scale;
    return lt_decimal_adjusted_shape(digits == 0 ? 1 : digits, 0);
}

lt_decimal_shape lt_decimal_common_shape(lt_decimal_shape a, lt_decimal_shape b) {
    uint32_t scale    = larger(a.scale, b.scale);
    uint32_t integral = larger(a.precision - a.scale, b.precision - b.scale);
    if (integral + scale <= LT_DECIMAL_PRECISION_MAX) return (lt_decimal_shape){integral + scale, scale};
    return (lt_decimal_shape){LT_DECIMAL_PRECISION_MAX,
                              smaller(scale, LT_DECIMAL_PRECISION_MAX - smaller(integral, LT_DECIMAL_PRECISION_MAX))};
}

// ---------------------------------------------------------------------------------------------------------- operations

bool lt_decimal_rescale(lt_int128 value, uint32_t from_scale, lt_decimal_shape into, lt_int128 *out) {
    if (from_scale == into.scale) {
        if (!lt_decimal_fits(value, into.precision)) return false;
        *out = value;
        return true;
    }
    wide wide_value = {0, magnitude(value)};
    return wide_rescale(&wide_value, from_scale, into.scale, value < 0, LT_HALF_UP) &&
           wide_store(wide_value, value < 0, into.precision, out);
}

// a and b as wide magnitudes at their larger scale, which is given.
static uint32_t align(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, wide *out_a, wide *out_b) {
    uint32_t scale = larger(a_scale, b_scale);
    *out_a         = (wide){0, magnitude(a)};
    *out_b         = (wide){0, magnitude(b)};
    (void)wide_scale(out_a, scale - a_scale); // 128 bits times 10^38 always fit
    (void)wide_scale(out_b, scale - b_scale);
    return scale;
}

// Most numbers have 64 bits, and most results keep all their digits: then 128 bits hold what comes between.
static inline bool is_small(lt_int128 value) { return value == (int64_t)value; }
enum { SMALL_DIGITS_MAX = 18 }; // 10^18 has 64 bits

bool lt_decimal_add(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                    lt_int128 *out) {
    if (a_scale == b_scale && a_scale == into.scale) {
        lt_int128 exact;
        if (lt_add_overflows(a, b, &exact) || !lt_decimal_fits(exact, into.precision)) return false;
        *out = exact;
        return true;
    }
    if (into.scale == larger(a_scale, b_scale) && is_small(a) && is_small(b) &&
        into.scale - smaller(a_scale, b_scale) <= SMALL_DIGITS_MAX) {
        const lt_int128 exact = (lt_int128)(int64_t)a * (int64_t)small_powers[into.scale - a_scale] +
                                (lt_int128)(int64_t)b * (int64_t)small_powers[into.scale - b_scale];
        if (!lt_decimal_fits(exact, into.precision)) return false;
        *out = exact;
        return true;
    }
    wide     wide_a, wide_b, sum;
    uint32_t scale       = align(a, a_scale, b, b_scale, &wide_a, &wide_b);
    bool     is_negative = a < 0;
    if ((a < 0) == (b < 0)) {
        sum = wide_add(wide_a, wide_b);
    } else if (wide_compare(wide_a, wide_b) >= 0) {
        sum = wide_subtract(wide_a, wide_b);
    } else {
        sum         = wide_subtract(wide_b, wide_a);
        is_negative = b < 0;
    }
    return wide_rescale(&sum, scale, into.scale, is_negative, LT_HALF_UP) &&
           wide_store(sum, is_negative, into.precision, out);
}

bool lt_decimal_subtract(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                         lt_int128 *out) {
    return lt_decimal_add(a, a_scale, -b, b_scale, into, out);
}

bool lt_decimal_multiply(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                         lt_int128 *out) {
    if (a_scale + b_scale == into.scale && is_small(a) && is_small(b)) {
        const lt_int128 exact = (lt_int128)(int64_t)a * (int64_t)b;
        if (!lt_decimal_fits(exact, into.precision)) return false;
        *out = exact;
        return true;
    }
    wide product     = wide_multiply(magnitude(a), magnitude(b));
    bool is_negative = (a < 0) != (b < 0);
    return wide_rescale(&product, a_scale + b_scale, into.scale, is_negative, LT_HALF_UP) &&
           wide_store(product, is_negative, into.precision, out);
}

bool lt_decimal_divide(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                       lt_int128 *out) {
    lt_assert(b != 0);
    wide    numerator = {0, magnitude(a)}, denominator = {0, magnitude(b)};
    bool    is_negative = (a < 0) != (b < 0);
    int64_t shift       = (int64_t)into.scale + b_scale - a_scale;
    if (shift >= 0 && !wide_scale(&numerator, (uint32_t)shift)) return false; // the quotient exceeds 2^256 / 2^127
    if (shift < 0 && !wide_scale(&denominator, (uint32_t)-shift)) return false;
    return wide_store(wide_divide_rounded(numerator, denominator, is_negative, LT_HALF_UP), is_negative, into.precision,
                      out);
}

bool lt_decimal_remainder(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                          lt_int128 *out) {
    lt_assert(b != 0);
    wide     wide_a, wide_b, rest;
    uint32_t scale = align(a, a_scale, b, b_scale, &wide_a, &wide_b);
    (void)wide_divide(wide_a, wide_b, &rest);
    return wide_rescale(&rest, scale, into.scale, a < 0, LT_HALF_UP) && wide_store(rest, a < 0, into.precision, out);
}

bool lt_decimal_integral_divide(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, int64_t *out) {
    lt_assert(b != 0);
    wide wide_a, wide_b, rest;
    (void)align(a, a_scale, b, b_scale, &wide_a, &wide_b);
    wide       quotient    = wide_divide(wide_a, wide_b, &rest);
    bool       is_negative = (a < 0) != (b < 0);
    lt_uint128 limit       = (lt_uint128)INT64_MAX + (is_negative ? 1u : 0u);
    if (quotient.high != 0 || quotient.low > limit) return false;
    *out = (int64_t)(is_negative ? 0 - (uint64_t)quotient.low : (uint64_t)quotient.low);
    return true;
}

int lt_decimal_compare(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale) {
    if (a_scale == b_scale) return a == b ? 0 : a < b ? -1 : 1;
    if ((a < 0) != (b < 0)) return a < 0 ? -1 : 1;
    wide wide_a, wide_b;
    (void)align(a, a_scale, b, b_scale, &wide_a, &wide_b);
    int order = wide_compare(wide_a, wide_b);
    return a < 0 ? -order : order;
}

bool lt_decimal_round(lt_int128 value, uint32_t scale, int32_t digits, lt_rounding rounding, lt_int128 *out) {
    wide rounded = {0, magnitude(value)};
    if (!wide_rescale(&rounded, scale, digits, value < 0, rounding)) return false;
    if (digits < 0 && rounded.low != 0 &&
        (digits < -LT_DECIMAL_PRECISION_MAX || !wide_scale(&rounded, (uint32_t)-digits)))
        return false;
    if (rounded.high != 0 || rounded.low > (lt_uint128)-1 >> 1) return false;
    *out = value < 0 ? -(lt_int128)rounded.low : (lt_int128)rounded.low;
    return true;
}

// --------------------------------------------------------------------------------------------------------- conversions

// "digits e-scale" for the exact readers of number_text.
static size_t print_scientific(lt_int128 value, uint32_t scale, char *out) {
    size_t bytes = lt_decimal_print(value, 0, out);
    out[bytes++] = 'e';
    return bytes + lt_int64_print(-(int64_t)scale, out + bytes);
}

double lt_decimal_to_double(lt_int128 value, uint32_t scale) {
    lt_uint128 size = magnitude(value);
    // Both exact below 2^53 and 10^22: one division rounds once.
    if (size < (lt_uint128)1 << 53 && scale <= 19) return (double)(int64_t)value / (double)small_powers[scale];
    char   text[2 * LT_DECIMAL_TEXT_MAX];
    double result = 0;
    (void)lt_double_parse(text, print_scientific(value, scale, text), &result);
    return result;
}

float lt_decimal_to_float(lt_int128 value, uint32_t scale) {
    char  text[2 * LT_DECIMAL_TEXT_MAX];
    float result = 0;
    (void)lt_float_parse(text, print_scientific(value, scale, text), &result);
    return result;
}

static bool from_digits(bool is_negative, uint64_t digits, int32_t exponent, lt_decimal_shape into, lt_int128 *out) {
    wide    value = {0, digits};
    int64_t shift = (int64_t)into.scale + exponent;
    if (shift > 2 * LT_DECIMAL_PRECISION_MAX) return false;
    return wide_rescale(&value, -(int64_t)exponent, into.scale, is_negative, LT_HALF_UP) &&
           wide_store(value, is_negative, into.precision, out);
}

bool lt_decimal_from_double(double value, lt_decimal_shape into, lt_int128 *out) {
    if (!(value - value == 0)) return false; // NaN and infinities
    int32_t  exponent = 0;
    uint64_t digits   = value == 0 ? 0 : lt_double_digits(value, &exponent);
    return from_digits(value < 0, digits, exponent, into, out);
}

bool lt_decimal_from_float(float value, lt_decimal_shape into, lt_int128 *out) {
    return lt_decimal_from_double((double)value, into, out);
}

bool lt_decimal_to_int64(lt_int128 value, uint32_t scale, int64_t *out) {
    lt_int128 whole = value / (lt_int128)power(scale);
    *out            = (int64_t)whole;
    return *out == whole;
}

// Significant digits of a text, the first 77 exactly: enough to round any of them to 38.
typedef struct decimal_text {
    bool     is_negative, has_rest; // digits other than 0 behind the kept ones
    wide     digits;
    uint32_t digit_count; // significant and kept
    int64_t  exponent;    // value = digits * 10^exponent
} decimal_text;

enum { TEXT_DIGITS_KEPT = 76, CHUNK_DIGITS = 19 };

// Digits are gathered in 64 bits and folded into the wide number many at a time.
static void decimal_fold(decimal_text *text, uint64_t *chunk, uint32_t *chunk_digits) {
    if (text->digits.low != 0 || text->digits.high != 0) (void)wide_scale(&text->digits, *chunk_digits);
    text->digits  = wide_add(text->digits, (wide){0, *chunk});
    *chunk        = 0;
    *chunk_digits = 0;
}

static bool decimal_scan(const char *text, size_t bytes, decimal_text *out) {
    const char  *next = text, *end = text + bytes;
    decimal_text found     = {0};
    bool         has_point = false, has_digit = false;
    uint64_t     chunk        = 0;
    uint32_t     chunk_digits = 0;
    if (next < end && (*next == '+' || *next == '-')) found.is_negative = *next++ == '-';
    for (; next < end; next++) {
        if (*next == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (*next < '0' || *next > '9') break;
        has_digit = true;
        if (found.digit_count < TEXT_DIGITS_KEPT) {
            chunk = chunk * 10 + (uint64_t)(*next - '0');
            if (++chunk_digits == CHUNK_DIGITS) decimal_fold(&found, &chunk, &chunk_digits);
            if (found.digit_count > 0 || *next != '0') found.digit_count++;
            found.exponent -= has_point ? 1 : 0;
        } else {
            found.has_rest = found.has_rest || *next != '0';
            found.exponent += has_point ? 0 : 1;
        }
    }
    decimal_fold(&found, &chunk, &chunk_digits);
    if (!has_digit) return false;
    if (next < end && (*next == 'e' || *next == 'E')) {
        int64_t written = 0;
        bool    is_down = false;
        next++;
        if (next < end && (*next == '+' || *next == '-')) is_down = *next++ == '-';
        const char *first = next;
        for (; next < end && *next >= '0' && *next <= '9'; next++)
            if (written < INT64_C(1000000000000)) written = written * 10 + (*next - '0');
        if (next == first) return false;
        found.exponent += is_down ? -written : written;
    }
    *out = found;
    return next == end;
}

lt_number_outcome lt_decimal_parse(const char *text, size_t bytes, lt_decimal_shape into, lt_int128 *out) {
    decimal_text found;
    if (!decimal_scan(text, bytes, &found)) return LT_NUMBER_MALFORMED;
    if (found.digit_count == 0) {
        *out = 0;
        return LT_NUMBER_OK;
    }
    if (found.exponent + found.digit_count > LT_DECIMAL_PRECISION_MAX + 1) return LT_NUMBER_TOO_LARGE;
    bool is_stored = wide_rescale(&found.digits, -found.exponent, into.scale, found.is_negative, LT_HALF_UP) &&
                     wide_store(found.digits, found.is_negative, into.precision, out);
    return is_stored ? LT_NUMBER_OK : LT_NUMBER_TOO_LARGE;
}

lt_number_outcome lt_decimal_parse_exact(const char *text, size_t bytes, lt_int128 *out, lt_decimal_shape *out_shape) {
    decimal_text found;
    if (!decimal_scan(text, bytes, &found)) return LT_NUMBER_MALFORMED;
    if (found.has_rest || found.exponent > LT_DECIMAL_PRECISION_MAX || found.exponent < -LT_DECIMAL_PRECISION_MAX)
        return LT_NUMBER_TOO_LARGE;
    uint32_t scale = found.exponent < 0 ? (uint32_t)-found.exponent : 0;
    if (found.exponent > 0 && !wide_scale(&found.digits, (uint32_t)found.exponent)) return LT_NUMBER_TOO_LARGE;
    if (!wide_store(found.digits, found.is_negative, LT_DECIMAL_PRECISION_MAX, out)) return LT_NUMBER_TOO_LARGE;
    out_shape->precision = larger(lt_decimal_digits(*out), scale);
    out_shape->scale     = scale;
    return LT_NUMBER_OK;
}

size_t lt_decimal_print(lt_int128 value, uint32_t scale, char out[LT_DECIMAL_TEXT_MAX]) {
    char       reversed[LT_DECIMAL_TEXT_MAX];
    lt_uint128 rest  = magnitude(value);
    uint32_t   count = 0;
    size_t     bytes = 0;
    while (rest > UINT64_MAX) {
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    for (uint64_t small = (uint64_t)rest; small != 0; small /= 10) reversed[count++] = (char)('0' + (int)(small % 10));
    while (count <= scale) reversed[count++] = '0';
    if (value < 0) out[bytes++] = '-';
    while (count > scale) out[bytes++] = reversed[--count];
    if (scale > 0) out[bytes++] = '.';
    while (count > 0) out[bytes++] = reversed[--count];
    out[bytes] = '\0';
    return bytes;
}
