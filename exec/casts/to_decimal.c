#include "base/date.h"
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

static leat_status text_to_decimal(lt_cast_call *call, lt_decimal_shape shape, leat_error *err) {
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

static leat_status interval_to_decimal(lt_cast_call *call, lt_decimal_shape shape, leat_error *err) {
    lt_unit unit = call->from_type->unit_last;
    if (call->from_type->kind == LT_INTERVAL_YEAR_MONTH) {
        lt_int128 divisor = unit == LT_UNIT_YEAR ? 12 : 1;
        LT_CAST_ROWS(int32_t, lt_int128, STORE(lt_decimal_divide(x, 0, divisor, 0, shape, out)););
        return LEAT_OK;
    }
    lt_int128 divisor = unit == LT_UNIT_DAY      ? LT_US_PER_DAY
                        : unit == LT_UNIT_HOUR   ? LT_US_PER_HOUR
                        : unit == LT_UNIT_MINUTE ? LT_US_PER_MINUTE
                                                 : LT_US_PER_SECOND;
    LT_CAST_ROWS(int64_t, lt_int128, STORE(lt_decimal_divide(x, 0, divisor, 0, shape, out)););
    return LEAT_OK;
}

static leat_status to_decimal(lt_cast_call *call, leat_error *err) {
    lt_decimal_shape shape = lt_decimal_shape_of(call->into_type);
    switch (call->from_type->kind) {
    case LT_BOOLEAN:
        LT_CAST_ROWS(uint8_t, lt_int128, STORE(lt_decimal_rescale(x != 0, 0, shape, out)););
        return LEAT_OK;
    case LT_TINYINT:
        LT_CAST_ROWS(int8_t, lt_int128, STORE(lt_decimal_rescale(x, 0, shape, out)););
        return LEAT_OK;
    case LT_SMALLINT:
        LT_CAST_ROWS(int16_t, lt_int128, STORE(lt_decimal_rescale(x, 0, shape, out)););
        return LEAT_OK;
    case LT_INT:
        LT_CAST_ROWS(int32_t, lt_int128, STORE(lt_decimal_rescale(x, 0, shape, out)););
        return LEAT_OK;
    case LT_BIGINT:
        LT_CAST_ROWS(int64_t, lt_int128, STORE(lt_decimal_rescale(x, 0, shape, out)););
        return LEAT_OK;
    case LT_FLOAT:
        LT_CAST_ROWS(float, lt_int128, STORE_FLOATING(lt_decimal_from_float(x, shape, out)););
        return LEAT_OK;
    case LT_DOUBLE:
        LT_CAST_ROWS(double, lt_int128, STORE_FLOATING(lt_decimal_from_double(x, shape, out)););
        return LEAT_OK;
    case LT_DECIMAL:
        LT_CAST_ROWS(lt_int128, lt_int128, STORE(lt_decimal_rescale(x, call->from_type->scale, shape, out)););
        return LEAT_OK;
    case LT_STRING:
        return text_to_decimal(call, shape, err);
    case LT_TIMESTAMP:
        LT_CAST_ROWS(int64_t, lt_int128, STORE(lt_decimal_rescale(x, 6, shape, out)););
        return LEAT_OK;
    default:
        return interval_to_decimal(call, shape, err);
    }
}

#define ROW(from_kind)                                                                                                 \
    { .from = from_kind, .into = LT_DECIMAL, .can_fail = true, .run = to_decimal }
const lt_cast lt_casts_to_decimal[] = {
    ROW(LT_BOOLEAN),
    ROW(LT_TINYINT),
    ROW(LT_SMALLINT),
    ROW(LT_INT),
    ROW(LT_BIGINT),
    ROW(LT_FLOAT),
    ROW(LT_DOUBLE),
    ROW(LT_DECIMAL),
    ROW(LT_STRING),
    ROW(LT_TIMESTAMP),
    ROW(LT_INTERVAL_YEAR_MONTH),
    ROW(LT_INTERVAL_DAY_TIME),
    {0},
};
