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

// time_bucket(width, time [, origin]): buckets of equal width from the origin on. Times are of one kind, exactly.
static leat_status time_bucket_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *width = resolution->types[0];
    lt_kind        kind  = LT_VOID;
    if (width->kind == LT_VOID) resolution->types[0] = lt_type_of(LT_INTERVAL_DAY_TIME);
    if (width->kind != LT_VOID && width->kind != LT_INTERVAL_DAY_TIME && width->kind != LT_INTERVAL_YEAR_MONTH)
        return LEAT_DONE;
    for (uint32_t i = 1; i < resolution->argument_count; i++) {
        const lt_kind given = resolution->types[i]->kind;
        if (given == LT_VOID) continue;
        if ((given != LT_TIMESTAMP && given != LT_TIMESTAMP_NTZ) || (kind != LT_VOID && kind != given))
            return LEAT_DONE;
        kind = given;
    }
    if (kind == LT_VOID) kind = LT_TIMESTAMP;
    for (uint32_t i = 1; i < resolution->argument_count; i++) resolution->types[i] = lt_type_of(kind);
    resolution->result        = lt_type_of(kind);
    resolution->display       = kind == LT_TIMESTAMP ? "$name($1, $2, $3{TIMESTAMP '1970-01-01 00:00:00'})"
                                                     : "$name($1, $2, $3{TIMESTAMP_NTZ '1970-01-01 00:00:00'})";
    const lt_vector *constant = resolution->constants[0];
    if (constant == NULL || lt_vector_is_null(constant, 0) || width->kind == LT_VOID) return LEAT_OK;
    const int64_t value =
        width->kind == LT_INTERVAL_DAY_TIME ? LT_VALUE(constant, int64_t, 0) : LT_VALUE(constant, int32_t, 0);
    if (value > 0) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->places[0],
                    "the width of a bucket has to be above zero");
}

// The last of the origin's steps of `width` months that is not behind `us`. Steps are counted from the origin, so that
// the last days of months stay last days.
static bool month_bucket(const lt_time_zone *zone, int64_t us, int64_t origin, int32_t width, int64_t *out) {
    const int64_t       day = lt_time_zone_us_to_days(zone, us), origin_day = lt_time_zone_us_to_days(zone, origin);
    const lt_civil_date at = lt_civil_from_days(day), from = lt_civil_from_days(origin_day);
    int64_t             steps = lt_floor_div((at.year - from.year) * 12 + at.month - from.month, width);
    if (!lt_timestamp_add(zone, origin, steps * width, 0, 0, out)) return false;
    return *out <= us || lt_timestamp_add(zone, origin, (steps - 1) * width, 0, 0, out);
}

static leat_status month_bucket_rows(lt_call *call, leat_error *err) {
    int64_t     *times = call->result->values;
    lt_time_zone zone;
    if (call->result->type->kind == LT_TIMESTAMP)
        LT_TRY(lt_call_zone(call, &zone, err));
    else
        LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &zone, err));
    int64_t first = 0; // 1970 on the clock of the zone
    if (call->argument_count < 3 && !lt_time_zone_utc_us_fits(&zone, 0, &first)) first = 0;
    LT_EACH_ROW(call, row) {
        const int32_t width  = LT_ARG(call, 0, int32_t, row);
        const int64_t origin = call->argument_count > 2 ? LT_ARG(call, 2, int64_t, row) : first;
        if (width <= 0)
            return lt_call_raise(call, err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE,
                                 "the width of a bucket has to be above zero");
        if (!month_bucket(&zone, LT_ARG(call, 1, int64_t, row), origin, width, &times[row]))
            return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the bucket is beyond the range of TIMESTAMP");
    }
    return LEAT_OK;
}

static leat_status time_bucket_evaluate(lt_call *call, leat_error *err) {
    int64_t *times = call->result->values;
    if (call->arguments[0]->type->kind == LT_INTERVAL_YEAR_MONTH) return month_bucket_rows(call, err);
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
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},
     .resolve        = time_bucket_resolve,
     .can_fail       = true,
     .evaluate       = time_bucket_evaluate,
     .summary        = "The start of the bucket of that width.",
     .example        = "SELECT time_bucket(INTERVAL '15' MINUTE, TIMESTAMP '2024-01-01 10:07:00')",
     .example_result = "2024-01-01 10:00:00"},
    {0},
};
