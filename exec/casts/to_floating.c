#include "base/date.h"
#include "base/number_text.h"
#include "exec/kernels/cast_rows.h"

// Casts to FLOAT and DOUBLE; each number becomes the nearest one. Texts are what Java reads: digits with point and
// exponent, a trailing d or f, hexadecimal digits with a binary exponent, NaN, Infinity, inf.
// Source: Spark SQL 4, ANSI mode.

static bool text_to_double(const lt_string *text, double *out) {
    lt_trimmed trimmed = lt_trim(text);
    return lt_double_parse_java(trimmed.text, trimmed.bytes, out);
}
static bool text_to_float(const lt_string *text, float *out) {
    lt_trimmed trimmed = lt_trim(text);
    return lt_float_parse_java(trimmed.text, trimmed.bytes, out);
}

#define TO_FLOATING(lane, name, from_decimal, from_text)                                                               \
    LT_CAST_LOOP(boolean_to_##name, uint8_t, lane, *out = x != 0 ? 1 : 0;)                                             \
    LT_CAST_LOOP(tinyint_to_##name, int8_t, lane, *out = (lane)x;)                                                     \
    LT_CAST_LOOP(smallint_to_##name, int16_t, lane, *out = (lane)x;)                                                   \
    LT_CAST_LOOP(int_to_##name, int32_t, lane, *out = (lane)x;)                                                        \
    LT_CAST_LOOP(bigint_to_##name, int64_t, lane, *out = (lane)x;)                                                     \
    LT_CAST_LOOP(decimal_to_##name, lt_int128, lane, *out = from_decimal(x, call->from_type->scale);)                  \
    LT_CAST_LOOP(timestamp_to_##name, int64_t, lane, *out = (lane)((double)x / (double)LT_US_PER_SECOND);)             \
    LT_CAST_LOOP(string_to_##name, lt_string, lane, {                                                                  \
        if (!from_text(&x, out)) LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));                 \
    })

TO_FLOATING(float, float, lt_decimal_to_float, text_to_float)
TO_FLOATING(double, double, lt_decimal_to_double, text_to_double)
LT_CAST_LOOP(double_to_float, double, float, *out = (float)x;)
LT_CAST_LOOP(float_to_double, float, double, *out = (double)x;)

#define ROWS(into_kind, name)                                                                                          \
    LT_CAST_ROW(LT_BOOLEAN, into_kind, false, boolean_to_##name),                                                      \
        LT_CAST_ROW(LT_TINYINT, into_kind, false, tinyint_to_##name),                                                  \
        LT_CAST_ROW(LT_SMALLINT, into_kind, false, smallint_to_##name),                                                \
        LT_CAST_ROW(LT_INT, into_kind, false, int_to_##name),                                                          \
        LT_CAST_ROW(LT_BIGINT, into_kind, false, bigint_to_##name),                                                    \
        LT_CAST_ROW(LT_DECIMAL, into_kind, false, decimal_to_##name),                                                  \
        LT_CAST_ROW(LT_TIMESTAMP, into_kind, false, timestamp_to_##name),                                              \
        LT_CAST_ROW(LT_STRING, into_kind, true, string_to_##name)

const lt_cast lt_casts_to_floating[] = {
    ROWS(LT_FLOAT, float),
    LT_CAST_ROW(LT_DOUBLE, LT_FLOAT, false, double_to_float),
    ROWS(LT_DOUBLE, double),
    LT_CAST_ROW(LT_FLOAT, LT_DOUBLE, false, float_to_double),
    {0},
};
