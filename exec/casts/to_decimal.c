#include "base/decimal.h"
#include "exec/kernels/cast_rows.h"

// Casts to DECIMAL, rounded HALF_UP. A value with too many digits fails; NaN and infinities give NULL.
// Source: Spark SQL 4, ANSI mode.

#define STORE(is_stored)                                                                                               \
    do {                                                                                                               \
        if (!(is_stored)) LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION, err));  \
    } while (0)
#define STORE_FLOATING(is_stored)                                                                                      \
    do {                                                                                                               \
        if (!(x - x == 0))                                                                                             \
            LT_TRY(lt_vector_set_null(call->into, row, call->arena, err));                                             \
        else                                                                                                           \
            STORE(is_stored);                                                                                          \
    } while (0)

static leat_status from_string(lt_cast_call *call, leat_error *err) {
    lt_decimal_shape shape = lt_decimal_shape_of(call->into_type);
    LT_CAST_ROWS(lt_string, lt_int128, {
        lt_trimmed        trimmed = lt_trim(&x);
        lt_int128         ignored;
        lt_number_outcome outcome = lt_decimal_parse(trimmed.text, trimmed.bytes, shape, out);
        if (outcome == LT_NUMBER_OK) continue;
        lt_condition condition = LT_CAST_INVALID_INPUT;
        if (outcome == LT_NUMBER_TOO_LARGE) {
            condition = LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION;
            // Beyond every DECIMAL, not only beyond this one.
            if (lt_decimal_parse(trimmed.text, trimmed.bytes, (lt_decimal_shape){38, 0}, &ignored) != LT_NUMBER_OK)
                condition = LT_NUMERIC_OUT_OF_SUPPORTED_RANGE;
        }
        LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, condition, err));
    });
    return LEAT_OK;
}

#define SHAPE lt_decimal_shape_of(call->into_type)
#define INTEGER(name, lane) LT_CAST_LOOP(name, lane, lt_int128, STORE(lt_decimal_rescale(x, 0, SHAPE, out));)
INTEGER(from_tinyint, int8_t)
INTEGER(from_smallint, int16_t)
INTEGER(from_int, int32_t)
INTEGER(from_bigint, int64_t)
LT_CAST_LOOP(from_boolean, uint8_t, lt_int128, STORE(lt_decimal_rescale(x != 0, 0, SHAPE, out));)
LT_CAST_LOOP(from_float, float, lt_int128, STORE_FLOATING(lt_decimal_from_float(x, SHAPE, out));)
LT_CAST_LOOP(from_double, double, lt_int128, STORE_FLOATING(lt_decimal_from_double(x, SHAPE, out));)
LT_CAST_LOOP(from_decimal, lt_int128, lt_int128, STORE(lt_decimal_rescale(x, call->from_type->scale, SHAPE, out));)
LT_CAST_LOOP(from_timestamp, int64_t, lt_int128, STORE(lt_decimal_rescale(x, 6, SHAPE, out));)

// In last units of the interval's type, with fractions.
#define LENGTH lt_unit_length(call->from_type->unit_last)
LT_CAST_LOOP(from_months, int32_t, lt_int128, STORE(lt_decimal_divide(x, 0, LENGTH, 0, SHAPE, out));)
LT_CAST_LOOP(from_microseconds, int64_t, lt_int128, STORE(lt_decimal_divide(x, 0, LENGTH, 0, SHAPE, out));)

#define ROW(from_kind, function) LT_CAST_ROW(from_kind, LT_DECIMAL, true, function)
const lt_cast lt_casts_to_decimal[] = {
    ROW(LT_BOOLEAN, from_boolean),
    ROW(LT_TINYINT, from_tinyint),
    ROW(LT_SMALLINT, from_smallint),
    ROW(LT_INT, from_int),
    ROW(LT_BIGINT, from_bigint),
    ROW(LT_FLOAT, from_float),
    ROW(LT_DOUBLE, from_double),
    ROW(LT_DECIMAL, from_decimal),
    ROW(LT_STRING, from_string),
    ROW(LT_TIMESTAMP, from_timestamp),
    ROW(LT_TIME, from_timestamp),
    ROW(LT_INTERVAL_YEAR_MONTH, from_months),
    ROW(LT_INTERVAL_DAY_TIME, from_microseconds),
    {0},
};
