#include "base/checked.h"
#include "base/datetime_text.h"
#include "base/decimal.h"
#include "exec/kernels/cast_rows.h"

#include <math.h>

// Casts to DATE, TIMESTAMP, TIMESTAMP_NTZ and TIME. A number becomes the instant so many seconds after 1970 UTC;
// everything between instants and wall clocks goes through the session's zone. The words epoch, now, today ... are
// understood in constants only. Source: Spark SQL 4, ANSI mode.

// Casts that need the session's zone or the time of the statement.
#define CONTEXT_LOOP(name, from_lane, into_lane, body)                                                                 \
    static leat_status name(lt_cast_call *call, leat_error *err) {                                                     \
        lt_datetime_context context;                                                                                   \
        LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));                                             \
        LT_CAST_ROWS(from_lane, into_lane, body);                                                                      \
        return LEAT_OK;                                                                                                \
    }
#define TEXT_LOOP(name, into_lane, is_parsed, is_special)                                                              \
    CONTEXT_LOOP(name, lt_string, into_lane, {                                                                         \
        const char *text = lt_string_data(&x);                                                                         \
        if (!(is_parsed) && !(call->from->form == LT_CONSTANT && (is_special)))                                        \
            LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));                                      \
    })

TEXT_LOOP(string_to_date, int32_t, lt_date_parse(text, x.bytes, out),
          lt_date_parse_special(&context, text, x.bytes, out))
TEXT_LOOP(string_to_timestamp, int64_t, lt_timestamp_parse(&context, text, x.bytes, out),
          lt_timestamp_parse_special(&context, text, x.bytes, out))
TEXT_LOOP(string_to_timestamp_ntz, int64_t, lt_timestamp_ntz_parse(&context, text, x.bytes, true, out),
          lt_timestamp_ntz_parse_special(&context, text, x.bytes, out))

CONTEXT_LOOP(timestamp_to_date, int64_t, int32_t, *out = lt_time_zone_us_to_days(&context.zone, x);)
LT_CAST_LOOP(timestamp_ntz_to_date, int64_t, int32_t, *out = (int32_t)lt_floor_div(x, LT_US_PER_DAY);)
CONTEXT_LOOP(date_to_timestamp, int32_t, int64_t, *out = lt_time_zone_days_to_us(&context.zone, x);)
CONTEXT_LOOP(timestamp_ntz_to_timestamp, int64_t, int64_t, *out = lt_time_zone_utc_us(&context.zone, x);)
CONTEXT_LOOP(timestamp_to_timestamp_ntz, int64_t, int64_t, *out = lt_time_zone_local_us(&context.zone, x);)
LT_CAST_LOOP(date_to_timestamp_ntz, int32_t, int64_t, {
    if (lt_multiply_overflows((int64_t)x, LT_US_PER_DAY, out))
        LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));
})

// Seconds beyond the range: the last instant, as Java's TimeUnit says.
#define INTEGER_LOOP(name, lane)                                                                                       \
    LT_CAST_LOOP(name, lane, int64_t, {                                                                                \
        if (lt_multiply_overflows((int64_t)x, LT_US_PER_SECOND, out)) *out = x < 0 ? INT64_MIN : INT64_MAX;            \
    })
// NaN and infinities are no instants.
#define FLOATING_LOOP(name, lane)                                                                                      \
    LT_CAST_LOOP(name, lane, int64_t, {                                                                                \
        const double us = (double)x * (double)LT_US_PER_SECOND;                                                        \
        if (!(x - x == 0)) {                                                                                           \
            LT_TRY(lt_cast_fail(call, row, LT_CAST_INVALID_INPUT, err, "NaN and infinities are no timestamps"));       \
        } else if (us > 0x1p63 || us < -0x1p63) {                                                                      \
            LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));                                              \
        } else {                                                                                                       \
            *out = us == 0x1p63 ? INT64_MAX : (int64_t)us;                                                             \
        }                                                                                                              \
    })
INTEGER_LOOP(tinyint_to_timestamp, int8_t)
INTEGER_LOOP(smallint_to_timestamp, int16_t)
INTEGER_LOOP(int_to_timestamp, int32_t)
INTEGER_LOOP(bigint_to_timestamp, int64_t)
FLOATING_LOOP(float_to_timestamp, float)
FLOATING_LOOP(double_to_timestamp, double)
// The low 64 bits of so many microseconds, as Spark takes them. Six more digits only wrap the 128 bits, which leaves
// these right.
LT_CAST_LOOP(decimal_to_timestamp, lt_int128, int64_t, {
    lt_int128 us;
    if (call->from_type->scale < 6)
        *out = (int64_t)((lt_uint128)x * (lt_uint128)lt_decimal_power(6 - call->from_type->scale));
    else if (lt_decimal_round(x, call->from_type->scale, 6, LT_DOWN, &us))
        *out = (int64_t)us;
})

// Digits of the second beyond the type's precision are cut off.
static int64_t time_unit(const lt_type *type) {
    int64_t unit = 1;
    for (uint32_t digits = type->precision; digits < LT_TIME_PRECISION_MAX; digits++) unit *= 10;
    return unit;
}
LT_CAST_LOOP(time_to_time, int64_t, int64_t, *out = x - x % time_unit(call->into_type);)
static int64_t time_of_clock(int64_t local_us, const lt_type *type) {
    const int64_t us = local_us - lt_floor_div(local_us, LT_US_PER_DAY) * LT_US_PER_DAY;
    return us - us % time_unit(type);
}
LT_CAST_LOOP(timestamp_ntz_to_time, int64_t, int64_t, *out = time_of_clock(x, call->into_type);)
CONTEXT_LOOP(timestamp_to_time, int64_t, int64_t,
             *out = time_of_clock(lt_time_zone_local_us(&context.zone, x), call->into_type);)
LT_CAST_LOOP(string_to_time, lt_string, int64_t, {
    if (!lt_time_parse(lt_string_data(&x), x.bytes, out))
        LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
    else
        *out -= *out % time_unit(call->into_type);
})

const lt_cast lt_casts_to_datetime[] = {
    LT_CAST_ROW(LT_STRING, LT_DATE, true, string_to_date),
    LT_CAST_ROW(LT_TIMESTAMP, LT_DATE, false, timestamp_to_date),
    LT_CAST_ROW(LT_TIMESTAMP_NTZ, LT_DATE, false, timestamp_ntz_to_date),
    LT_CAST_ROW(LT_STRING, LT_TIMESTAMP, true, string_to_timestamp),
    LT_CAST_ROW(LT_DATE, LT_TIMESTAMP, false, date_to_timestamp),
    LT_CAST_ROW(LT_TIMESTAMP_NTZ, LT_TIMESTAMP, false, timestamp_ntz_to_timestamp),
    LT_CAST_ROW(LT_TINYINT, LT_TIMESTAMP, false, tinyint_to_timestamp),
    LT_CAST_ROW(LT_SMALLINT, LT_TIMESTAMP, false, smallint_to_timestamp),
    LT_CAST_ROW(LT_INT, LT_TIMESTAMP, false, int_to_timestamp),
    LT_CAST_ROW(LT_BIGINT, LT_TIMESTAMP, true, bigint_to_timestamp),
    LT_CAST_ROW(LT_FLOAT, LT_TIMESTAMP, true, float_to_timestamp),
    LT_CAST_ROW(LT_DOUBLE, LT_TIMESTAMP, true, double_to_timestamp),
    LT_CAST_ROW(LT_DECIMAL, LT_TIMESTAMP, true, decimal_to_timestamp),
    LT_CAST_ROW(LT_STRING, LT_TIMESTAMP_NTZ, true, string_to_timestamp_ntz),
    LT_CAST_ROW(LT_DATE, LT_TIMESTAMP_NTZ, true, date_to_timestamp_ntz),
    LT_CAST_ROW(LT_TIMESTAMP, LT_TIMESTAMP_NTZ, false, timestamp_to_timestamp_ntz),
    LT_CAST_ROW(LT_STRING, LT_TIME, true, string_to_time),
    LT_CAST_ROW(LT_TIME, LT_TIME, false, time_to_time),
    LT_CAST_ROW(LT_TIMESTAMP_NTZ, LT_TIME, false, timestamp_ntz_to_time),
    LT_CAST_ROW(LT_TIMESTAMP, LT_TIME, false, timestamp_to_time),
    {0},
};
