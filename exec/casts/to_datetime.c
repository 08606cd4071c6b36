#include "base/checked.h"
#include "base/datetime_text.h"
#include "base/decimal.h"
#include "exec/kernels/cast_rows.h"

#include <math.h>

// Casts to DATE, TIMESTAMP, TIMESTAMP_NTZ and TIME. A number becomes the instant so many seconds after 1970 UTC;
// everything between instants and wall clocks goes through the session's zone. The words epoch, now, today ... are
// understood in constants only. Source: Spark SQL 4, ANSI mode.

static leat_status text_to_date(lt_cast_call *call, const lt_datetime_context *context, leat_error *err) {
    bool is_constant = call->from->form == LT_CONSTANT;
    LT_CAST_ROWS(lt_string, int32_t, {
        const char *text = lt_string_data(&x);
        if (!lt_date_parse(text, x.bytes, out) && !(is_constant && lt_date_parse_special(context, text, x.bytes, out)))
            LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
    });
    return LEAT_OK;
}

static leat_status to_date(lt_cast_call *call, leat_error *err) {
    lt_datetime_context context;
    LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));
    switch (call->from_type->kind) {
    case LT_STRING:
        return text_to_date(call, &context, err);
    case LT_TIMESTAMP:
        LT_CAST_ROWS(int64_t, int32_t, *out = lt_time_zone_us_to_days(&context.zone, x););
        return LEAT_OK;
    default:
        LT_CAST_ROWS(int64_t, int32_t, *out = (int32_t)lt_floor_div(x, LT_US_PER_DAY););
        return LEAT_OK;
    }
}

static leat_status text_to_timestamp(lt_cast_call *call, const lt_datetime_context *context, leat_error *err) {
    bool is_constant = call->from->form == LT_CONSTANT;
    LT_CAST_ROWS(lt_string, int64_t, {
        const char *text = lt_string_data(&x);
        if (!lt_timestamp_parse(context, text, x.bytes, out) &&
            !(is_constant && lt_timestamp_parse_special(context, text, x.bytes, out)))
            LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
    });
    return LEAT_OK;
}

#define STORE_SECONDS(seconds)                                                                                         \
    do {                                                                                                               \
        if (lt_multiply_overflows((int64_t)(seconds), LT_US_PER_SECOND, out))                                          \
            LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));                                              \
    } while (0)

// NaN and infinities are no instants; beyond the range the ends are taken, as a Java cast does.
#define STORE_FLOATING(seconds)                                                                                        \
    do {                                                                                                               \
        const double us = (double)(seconds) * (double)LT_US_PER_SECOND;                                                \
        if (!((seconds) - (seconds) == 0)) {                                                                           \
            LT_TRY(lt_cast_fail(call, row, LT_CAST_INVALID_INPUT, err, "NaN and infinities are no timestamps"));       \
        } else {                                                                                                       \
            *out = us >= 0x1p63 ? INT64_MAX : us < -0x1p63 ? INT64_MIN : (int64_t)us;                                  \
        }                                                                                                              \
    } while (0)

static leat_status number_to_timestamp(lt_cast_call *call, leat_error *err) {
    switch (call->from_type->kind) {
    case LT_TINYINT:
        LT_CAST_ROWS(int8_t, int64_t, STORE_SECONDS(x););
        return LEAT_OK;
    case LT_SMALLINT:
        LT_CAST_ROWS(int16_t, int64_t, STORE_SECONDS(x););
        return LEAT_OK;
    case LT_INT:
        LT_CAST_ROWS(int32_t, int64_t, STORE_SECONDS(x););
        return LEAT_OK;
    case LT_BIGINT:
        LT_CAST_ROWS(int64_t, int64_t, STORE_SECONDS(x););
        return LEAT_OK;
    case LT_FLOAT:
        LT_CAST_ROWS(float, int64_t, STORE_FLOATING(x););
        return LEAT_OK;
    case LT_DOUBLE:
        LT_CAST_ROWS(double, int64_t, STORE_FLOATING(x););
        return LEAT_OK;
    default:
        LT_CAST_ROWS(lt_int128, int64_t, {
            lt_int128 us;
            if (!lt_decimal_round(x, call->from_type->scale, 6, LT_DOWN, &us) || us < INT64_MIN || us > INT64_MAX)
                LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));
            else
                *out = (int64_t)us;
        });
        return LEAT_OK;
    }
}

static leat_status to_timestamp(lt_cast_call *call, leat_error *err) {
    lt_datetime_context context;
    LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));
    switch (call->from_type->kind) {
    case LT_STRING:
        return text_to_timestamp(call, &context, err);
    case LT_DATE:
        LT_CAST_ROWS(int32_t, int64_t, *out = lt_time_zone_days_to_us(&context.zone, x););
        return LEAT_OK;
    case LT_TIMESTAMP_NTZ:
        LT_CAST_ROWS(int64_t, int64_t, *out = lt_time_zone_utc_us(&context.zone, x););
        return LEAT_OK;
    default:
        return number_to_timestamp(call, err);
    }
}

static leat_status to_timestamp_ntz(lt_cast_call *call, leat_error *err) {
    lt_datetime_context context;
    LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));
    bool is_constant = call->from->form == LT_CONSTANT;
    switch (call->from_type->kind) {
    case LT_DATE:
        LT_CAST_ROWS(int32_t, int64_t, {
            if (lt_multiply_overflows((int64_t)x, LT_US_PER_DAY, out))
                LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));
        });
        return LEAT_OK;
    case LT_TIMESTAMP:
        LT_CAST_ROWS(int64_t, int64_t, *out = lt_time_zone_local_us(&context.zone, x););
        return LEAT_OK;
    default:
        LT_CAST_ROWS(lt_string, int64_t, {
            const char *text = lt_string_data(&x);
            if (!lt_timestamp_ntz_parse(&context, text, x.bytes, true, out) &&
                !(is_constant && lt_timestamp_ntz_parse_special(&context, text, x.bytes, out)))
                LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
        });
        return LEAT_OK;
    }
}

// Digits beyond the precision are cut.
// Digits of the second beyond the type's precision are cut off.
static leat_status to_time(lt_cast_call *call, leat_error *err) {
    int64_t unit = 1;
    for (uint32_t digits = call->into_type->precision; digits < LT_TIME_PRECISION_MAX; digits++) unit *= 10;
    if (call->from_type->kind == LT_TIME) {
        LT_CAST_ROWS(int64_t, int64_t, *out = x - x % unit;);
        return LEAT_OK;
    }
    LT_CAST_ROWS(lt_string, int64_t, {
        if (!lt_time_parse(lt_string_data(&x), x.bytes, out))
            LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
        else
            *out -= *out % unit;
    });
    return LEAT_OK;
}

#define ROW(from_kind, into_kind, fails, function)                                                                     \
    { .from = from_kind, .into = into_kind, .can_fail = fails, .run = function }
const lt_cast lt_casts_to_datetime[] = {
    ROW(LT_STRING, LT_DATE, true, to_date),
    ROW(LT_TIMESTAMP, LT_DATE, false, to_date),
    ROW(LT_TIMESTAMP_NTZ, LT_DATE, false, to_date),
    ROW(LT_STRING, LT_TIMESTAMP, true, to_timestamp),
    ROW(LT_DATE, LT_TIMESTAMP, false, to_timestamp),
    ROW(LT_TIMESTAMP_NTZ, LT_TIMESTAMP, false, to_timestamp),
    ROW(LT_TINYINT, LT_TIMESTAMP, false, to_timestamp),
    ROW(LT_SMALLINT, LT_TIMESTAMP, false, to_timestamp),
    ROW(LT_INT, LT_TIMESTAMP, false, to_timestamp),
    ROW(LT_BIGINT, LT_TIMESTAMP, true, to_timestamp),
    ROW(LT_FLOAT, LT_TIMESTAMP, true, to_timestamp),
    ROW(LT_DOUBLE, LT_TIMESTAMP, true, to_timestamp),
    ROW(LT_DECIMAL, LT_TIMESTAMP, true, to_timestamp),
    ROW(LT_STRING, LT_TIMESTAMP_NTZ, true, to_timestamp_ntz),
    ROW(LT_DATE, LT_TIMESTAMP_NTZ, true, to_timestamp_ntz),
    ROW(LT_TIMESTAMP, LT_TIMESTAMP_NTZ, false, to_timestamp_ntz),
    ROW(LT_STRING, LT_TIME, true, to_time),
    ROW(LT_TIME, LT_TIME, false, to_time),
    ROW(LT_TIME, LT_TIME, false, to_time),
    {0},
};
