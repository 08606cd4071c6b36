#include "exec/kernels/datetime.h"

// trunc and date_trunc: the start of a unit. A word that is no unit gives NULL, as in Spark. Source: Spark SQL 4.

static leat_status trunc_evaluate(lt_call *call, leat_error *err) {
    int32_t *dates = call->result->values;
    LT_EACH_ROW(call, row) {
        lt_datetime_unit unit;
        if (!lt_datetime_unit_of_truncation(&LT_ARG(call, 1, lt_string, row), &unit) || unit < LT_DATETIME_WEEK) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        const int64_t days = lt_days_truncate(LT_ARG(call, 0, int32_t, row), unit);
        if (!lt_days_fit(days))
            return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the result is beyond the range of DATE");
        dates[row] = (int32_t)days;
    }
    return LEAT_OK;
}

static leat_status date_trunc_evaluate(lt_call *call, leat_error *err) {
    int64_t     *times = call->result->values;
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        lt_datetime_unit unit;
        if (!lt_datetime_unit_of_truncation(&LT_ARG(call, 0, lt_string, row), &unit)) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        times[row] = lt_timestamp_truncate(&zone, LT_ARG(call, 1, int64_t, row), unit);
    }
    return LEAT_OK;
}

// time_bucket(width, time [, origin]): buckets of equal width from the origin on.
static leat_status time_bucket_evaluate(lt_call *call, leat_error *err) {
    int64_t *times = call->result->values;
    LT_EACH_ROW(call, row) {
        const int64_t width  = LT_ARG(call, 0, int64_t, row);
        const int64_t origin = call->argument_count > 2 ? LT_ARG(call, 2, int64_t, row) : 0;
        int64_t       since, start;
        if (width <= 0)
            return lt_call_raise(call, err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE,
                                 "the width of a bucket has to be above zero");
        if (__builtin_sub_overflow(LT_ARG(call, 1, int64_t, row), origin, &since) ||
            __builtin_sub_overflow(since, lt_floor_mod(since, width), &start) ||
            __builtin_add_overflow(start, origin, &times[row]))
            return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the bucket is beyond the range of TIMESTAMP");
    }
    return LEAT_OK;
}

const lt_function lt_functions_timestamp_truncate[] = {
    {.name           = "trunc",
     .takes          = {LT_TAKES_DATE, LT_TAKES_STRING},
     .returns        = LT_DATE,
     .can_fail       = true,
     .evaluate       = trunc_evaluate,
     .summary        = "The first day of the date's year, quarter, month or week.",
     .example        = "SELECT trunc(DATE '2024-03-15', 'MM')",
     .example_result = "2024-03-01"},
    {.name           = "date_trunc",
     .takes          = {LT_TAKES_STRING, LT_TAKES_TIMESTAMP},
     .returns        = LT_TIMESTAMP,
     .evaluate       = date_trunc_evaluate,
     .summary        = "The start of the unit that the instant lies in.",
     .example        = "SELECT date_trunc('HOUR', TIMESTAMP '2024-08-15 10:20:30')",
     .example_result = "2024-08-15 10:00:00"},
    {.name           = "time_bucket",
     .takes          = {LT_TAKES_INTERVAL_DAY_TIME, LT_TAKES_TIMESTAMP},
     .returns        = LT_TIMESTAMP,
     .can_fail       = true,
     .evaluate       = time_bucket_evaluate,
     .summary        = "The start of the bucket of that width.",
     .example        = "SELECT time_bucket(INTERVAL '15' MINUTE, TIMESTAMP '2024-01-01 10:07:00')",
     .example_result = "2024-01-01 10:00:00"},
    {.name     = "time_bucket",
     .takes    = {LT_TAKES_INTERVAL_DAY_TIME, LT_TAKES_TIMESTAMP, LT_TAKES_TIMESTAMP},
     .returns  = LT_TIMESTAMP,
     .can_fail = true,
     .evaluate = time_bucket_evaluate},
    {0},
};
