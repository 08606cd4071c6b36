#include "base/checked.h"
#include "base/decimal.h"
#include "base/interval.h"
#include "exec/kernels/cast_rows.h"

// Casts to intervals. A number counts the last unit of the type; between intervals of a kind the value is cut to the
// last unit. Texts are those of literals; CAST(text AS INTERVAL) gives NULL where it fails. Source: Spark SQL 4.

static leat_status store(lt_cast_call *call, uint32_t row, int64_t value, leat_error *err) {
    if (call->into_type->kind == LT_INTERVAL_DAY_TIME) {
        LT_LANES(call->into, int64_t)[row] = value;
        return LEAT_OK;
    }
    if (lt_narrow_i32(value, &LT_LANES(call->into, int32_t)[row]))
        return LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err);
    return LEAT_OK;
}

static leat_status integer_to_interval(lt_cast_call *call, uint32_t row, int64_t count, leat_error *err) {
    int64_t value;
    if (lt_multiply_overflows(count, lt_unit_length(call->into_type->unit_last), &value))
        return LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err);
    return store(call, row, value, err);
}

static leat_status decimal_to_interval(lt_cast_call *call, uint32_t row, lt_int128 count, leat_error *err) {
    lt_int128 value;
    int64_t   length = lt_unit_length(call->into_type->unit_last);
    if (!lt_decimal_multiply(count, call->from_type->scale, length, 0, (lt_decimal_shape){38, 0}, &value) ||
        value < INT64_MIN || value > INT64_MAX)
        return LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err);
    return store(call, row, (int64_t)value, err);
}

static leat_status text_to_interval(lt_cast_call *call, uint32_t row, const lt_string *text, leat_error *err) {
    lt_interval interval;
    leat_status status = lt_interval_parse(lt_string_data(text), text->bytes, call->into_type, &call->place, &interval,
                                           call->is_try ? NULL : err);
    if (status == LEAT_OK)
        return store(call, row, call->into_type->kind == LT_INTERVAL_DAY_TIME ? interval.microseconds : interval.months,
                     err);
    return call->is_try && status != LEAT_NO_MEMORY ? lt_vector_set_null(call->into, row, call->arena, err) : status;
}

#define INTERVAL_ROWS(name, lane, function, value)                                                                     \
    static leat_status name(lt_cast_call *call, leat_error *err) {                                                     \
        const lane *values = call->from->values;                                                                       \
        for (uint32_t i = 0; i < call->row_count; i++) {                                                               \
            uint32_t    row = call->rows[i];                                                                           \
            const lane *x   = &values[call->from->form == LT_CONSTANT ? 0 : row];                                      \
            LT_TRY(function(call, row, value, err));                                                                   \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
INTERVAL_ROWS(from_tinyint, int8_t, integer_to_interval, *x)
INTERVAL_ROWS(from_smallint, int16_t, integer_to_interval, *x)
INTERVAL_ROWS(from_int, int32_t, integer_to_interval, *x)
INTERVAL_ROWS(from_bigint, int64_t, integer_to_interval, *x)
INTERVAL_ROWS(from_decimal, lt_int128, decimal_to_interval, *x)
INTERVAL_ROWS(from_string, lt_string, text_to_interval, x)

LT_CAST_LOOP(between_day_times, int64_t, int64_t, *out = lt_interval_truncate(call->into_type, x);)
LT_CAST_LOOP(between_year_months, int32_t, int32_t, *out = (int32_t)lt_interval_truncate(call->into_type, x);)
LT_CAST_LOOP(to_calendar, lt_string, lt_calendar_interval, {
    if (!lt_calendar_interval_parse(lt_string_data(&x), x.bytes, out))
        LT_TRY(lt_vector_set_null(call->into, row, call->arena, err));
})

#define ROWS(into_kind)                                                                                                \
    LT_CAST_ROW(LT_TINYINT, into_kind, true, from_tinyint), LT_CAST_ROW(LT_SMALLINT, into_kind, true, from_smallint),  \
        LT_CAST_ROW(LT_INT, into_kind, true, from_int), LT_CAST_ROW(LT_BIGINT, into_kind, true, from_bigint),          \
        LT_CAST_ROW(LT_DECIMAL, into_kind, true, from_decimal), LT_CAST_ROW(LT_STRING, into_kind, true, from_string)
const lt_cast lt_casts_to_interval[] = {
    ROWS(LT_INTERVAL_DAY_TIME),
    LT_CAST_ROW(LT_INTERVAL_DAY_TIME, LT_INTERVAL_DAY_TIME, false, between_day_times),
    ROWS(LT_INTERVAL_YEAR_MONTH),
    LT_CAST_ROW(LT_INTERVAL_YEAR_MONTH, LT_INTERVAL_YEAR_MONTH, false, between_year_months),
    LT_CAST_ROW(LT_STRING, LT_INTERVAL_CALENDAR, false, to_calendar),
    {0},
};
