#include "base/checked.h"
#include "base/function.h"

// factorial, width_bucket, and integers in other bases: bin, hex, conv. Source: Spark SQL 4, ANSI mode.

enum { FACTORIAL_MAX = 20, CONV_DIGITS_MAX = 64, RADIX_MIN = 2, RADIX_MAX = 36 };

static leat_status factorial(lt_call *call, leat_error *err) {
    int64_t *results = call->result->values;
    LT_EACH_ROW(call, row) {
        int32_t n       = LT_ARG(call, 0, int32_t, row);
        int64_t product = 1;
        if (n < 0 || n > FACTORIAL_MAX) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        for (int32_t i = 2; i <= n; i++) product *= i;
        results[row] = product;
    }
    return LEAT_OK;
}

// Bucket of `value` in `count` equal parts of low .. high, which may fall; false: there is none.
static bool width_bucket_of(double value, double low, double high, int64_t count, int64_t *out) {
    bool is_bad =
        count <= 0 || count == INT64_MAX || value != value || low == high || !(low - low == 0) || !(high - high == 0);
    if (is_bad) return false;
    bool   is_rising = low < high;
    double from_low = is_rising ? value - low : low - value, width = is_rising ? high - low : low - high;
    if (from_low < 0)
        *out = 0;
    else if (from_low >= width)
        *out = count + 1;
    else
        *out = (int64_t)((double)count * from_low / width) + 1;
    return true;
}

#define WIDTH_BUCKET(name, lane)                                                                                       \
    static leat_status name(lt_call *call, leat_error *err) {                                                          \
        int64_t *results = call->result->values;                                                                       \
        LT_EACH_ROW(call, row) {                                                                                       \
            double value = (double)LT_ARG(call, 0, lane, row), low = (double)LT_ARG(call, 1, lane, row);               \
            double high = (double)LT_ARG(call, 2, lane, row);                                                          \
            if (!width_bucket_of(value, low, high, LT_ARG(call, 3, int64_t, row), &results[row]))                      \
                LT_TRY(lt_call_put_null(call, row, err));                                                              \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
WIDTH_BUCKET(width_bucket_double, double)
WIDTH_BUCKET(width_bucket_months, int32_t)
WIDTH_BUCKET(width_bucket_microseconds, int64_t)

// Digits of an unsigned number, at the end of `room`; gives the first.
static char *print_radix(uint64_t value, uint32_t radix, char room[CONV_DIGITS_MAX]) {
    char *next = room + CONV_DIGITS_MAX;
    do {
        *--next = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % radix];
        value /= radix;
    } while (value != 0);
    return next;
}

static leat_status radix_rows(lt_call *call, uint32_t radix, leat_error *err) {
    char room[CONV_DIGITS_MAX];
    LT_EACH_ROW(call, row) {
        char *first = print_radix((uint64_t)LT_ARG(call, 0, int64_t, row), radix, room);
        LT_TRY(lt_call_put_text(call, row, first, (size_t)(room + CONV_DIGITS_MAX - first), err));
    }
    return LEAT_OK;
}
static leat_status bin(lt_call *call, leat_error *err) { return radix_rows(call, 2, err); }
static leat_status hex(lt_call *call, leat_error *err) { return radix_rows(call, 16, err); }

static uint32_t digit_value(char c) {
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a' + 10);
    if (c >= 'A' && c <= 'Z') return (uint32_t)(c - 'A' + 10);
    return RADIX_MAX;
}

// Leading digits of the text, an unsigned number of 64 bits; false when they do not fit.
static bool read_radix(const char *next, const char *end, uint32_t radix, uint64_t *out) {
    *out = 0;
    for (; next < end && digit_value(*next) < radix; next++)
        if (lt_multiply_overflows(*out, (uint64_t)radix, out) ||
            lt_add_overflows(*out, (uint64_t)digit_value(*next), out))
            return false;
    return true;
}

// A target base below zero means that the number is signed.
static leat_status conv_row(lt_call *call, uint32_t row, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row);
    int32_t from = LT_ARG(call, 1, int32_t, row), into = LT_ARG(call, 2, int32_t, row);
    int64_t radix = into < 0 ? -(int64_t)into : into;
    while (text.bytes > 0 && text.data[0] == ' ') text.data++, text.bytes--;
    if (text.bytes == 0 || from < RADIX_MIN || from > RADIX_MAX || radix < RADIX_MIN || radix > RADIX_MAX)
        return lt_call_put_null(call, row, err);
    bool     is_negative = text.data[0] == '-';
    uint64_t value;
    if (!read_radix(text.data + is_negative, text.data + text.bytes, (uint32_t)from, &value))
        return lt_call_raise(call, err, LT_ARITHMETIC_OVERFLOW, "the number of `conv` does not fit 64 bits");
    if (is_negative && into > 0) value = value > (uint64_t)INT64_MAX ? UINT64_MAX : 0 - value;
    if (into < 0 && value > (uint64_t)INT64_MAX) {
        value       = 0 - value;
        is_negative = true;
    }
    char  room[CONV_DIGITS_MAX + 1];
    char *first = print_radix(value, (uint32_t)radix, room + 1);
    if (is_negative && into < 0) *--first = '-';
    return lt_call_put_text(call, row, first, (size_t)(room + 1 + CONV_DIGITS_MAX - first), err);
}

static leat_status conv(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) LT_TRY(conv_row(call, row, err));
    return LEAT_OK;
}

// hex of numbers only: texts and bytes have a row of their own.
static leat_status resolve_hex(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (!lt_kind_is_numeric(resolution->types[0]->kind)) return LEAT_DONE;
    resolution->types[0] = lt_type_of(LT_BIGINT);
    resolution->result   = lt_type_of(LT_STRING);
    return LEAT_OK;
}

const lt_function lt_functions_math_integer[] = {
    {.name           = "factorial",
     .takes          = {LT_TAKES_INT},
     .returns        = LT_BIGINT,
     .evaluate       = factorial,
     .summary        = "Product of 1 to n; NULL below 0 and above 20.",
     .example        = "SELECT factorial(5)",
     .example_result = "120"},
    {.name           = "width_bucket",
     .takes          = {LT_TAKES_DOUBLE, LT_TAKES_DOUBLE, LT_TAKES_DOUBLE, LT_TAKES_BIGINT},
     .returns        = LT_BIGINT,
     .evaluate       = width_bucket_double,
     .summary        = "Number of the bucket that a value falls into, of n equal ones between two bounds.",
     .example        = "SELECT width_bucket(5.3, 0.2, 10.6, 5)",
     .example_result = "3"},
    {.name     = "width_bucket",
     .takes    = {LT_TAKES_INTERVAL_YEAR_MONTH, LT_TAKES_INTERVAL_YEAR_MONTH, LT_TAKES_INTERVAL_YEAR_MONTH,
                  LT_TAKES_BIGINT},
     .returns  = LT_BIGINT,
     .evaluate = width_bucket_months},
    {.name     = "width_bucket",
     .takes    = {LT_TAKES_INTERVAL_DAY_TIME, LT_TAKES_INTERVAL_DAY_TIME, LT_TAKES_INTERVAL_DAY_TIME, LT_TAKES_BIGINT},
     .returns  = LT_BIGINT,
     .evaluate = width_bucket_microseconds},
    {.name           = "bin",
     .takes          = {LT_TAKES_BIGINT},
     .returns        = LT_STRING,
     .evaluate       = bin,
     .summary        = "The 64 bits of an integer without leading zeros.",
     .example        = "SELECT bin(13)",
     .example_result = "1101"},
    {.name           = "hex",
     .takes          = {LT_TAKES_ANY},
     .resolve        = resolve_hex,
     .evaluate       = hex,
     .summary        = "Hexadecimal digits of an integer, a text or bytes.",
     .example        = "SELECT hex(255)",
     .example_result = "FF"},
    {.name           = "conv",
     .takes          = {LT_TAKES_STRING, LT_TAKES_INT, LT_TAKES_INT},
     .returns        = LT_STRING,
     .evaluate       = conv,
     .can_fail       = true,
     .summary        = "A number from one base to another, 2 to 36; below zero the number is signed.",
     .example        = "SELECT conv('ff', 16, 10)",
     .example_result = "255"},
    {0},
};
