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

#define TO_FLOATING(name, lane, from_decimal, from_text)                                                               \
    static leat_status name(lt_cast_call *call, leat_error *err) {                                                     \
        switch (call->from_type->kind) {                                                                               \
        case LT_BOOLEAN:                                                                                               \
            LT_CAST_ROWS(uint8_t, lane, *out = x != 0 ? 1 : 0;);                                                       \
            return LEAT_OK;                                                                                            \
        case LT_TINYINT:                                                                                               \
            LT_CAST_ROWS(int8_t, lane, *out = (lane)x;);                                                               \
            return LEAT_OK;                                                                                            \
        case LT_SMALLINT:                                                                                              \
            LT_CAST_ROWS(int16_t, lane, *out = (lane)x;);                                                              \
            return LEAT_OK;                                                                                            \
        case LT_INT:                                                                                                   \
            LT_CAST_ROWS(int32_t, lane, *out = (lane)x;);                                                              \
            return LEAT_OK;                                                                                            \
        case LT_BIGINT:                                                                                                \
            LT_CAST_ROWS(int64_t, lane, *out = (lane)x;);                                                              \
            return LEAT_OK;                                                                                            \
        case LT_FLOAT:                                                                                                 \
            LT_CAST_ROWS(float, lane, *out = (lane)x;);                                                                \
            return LEAT_OK;                                                                                            \
        case LT_DOUBLE:                                                                                                \
            LT_CAST_ROWS(double, lane, *out = (lane)x;);                                                               \
            return LEAT_OK;                                                                                            \
        case LT_DECIMAL:                                                                                               \
            LT_CAST_ROWS(lt_int128, lane, *out = from_decimal(x, call->from_type->scale););                            \
            return LEAT_OK;                                                                                            \
        case LT_STRING:                                                                                                \
            LT_CAST_ROWS(lt_string, lane, {                                                                            \
                if (!from_text(&x, out)) LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));         \
            });                                                                                                        \
            return LEAT_OK;                                                                                            \
        case LT_TIMESTAMP:                                                                                             \
            LT_CAST_ROWS(int64_t, lane, *out = (lane)((double)x / (double)LT_US_PER_SECOND););                         \
            return LEAT_OK;                                                                                            \
        default:                                                                                                       \
            return lt_raise(err, LT_INTERNAL_ERROR, &call->place, "no cast to a floating number from this type");      \
        }                                                                                                              \
    }

TO_FLOATING(to_float, float, lt_decimal_to_float, text_to_float)
TO_FLOATING(to_double, double, lt_decimal_to_double, text_to_double)

#define ROW(from_kind, into_kind, fails, function)                                                                     \
    { .from = from_kind, .into = into_kind, .can_fail = fails, .run = function }
#define ROWS(into_kind, function)                                                                                      \
    ROW(LT_BOOLEAN, into_kind, false, function), ROW(LT_TINYINT, into_kind, false, function),                          \
        ROW(LT_SMALLINT, into_kind, false, function), ROW(LT_INT, into_kind, false, function),                         \
        ROW(LT_BIGINT, into_kind, false, function), ROW(LT_DECIMAL, into_kind, false, function),                       \
        ROW(LT_STRING, into_kind, true, function), ROW(LT_TIMESTAMP, into_kind, false, function)

const lt_cast lt_casts_to_floating[] = {
    ROWS(LT_FLOAT, to_float),
    ROW(LT_DOUBLE, LT_FLOAT, false, to_float),
    ROWS(LT_DOUBLE, to_double),
    ROW(LT_FLOAT, LT_DOUBLE, false, to_double),
    {0},
};
