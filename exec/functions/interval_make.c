#include "exec/kernels/datetime.h"

// make_interval, make_dt_interval and make_ym_interval: intervals from their parts, all of which may be left out from
// the right. Seconds are DECIMAL(18,6), so their lanes are microseconds. Source: Spark SQL 4.

// Parts are INT, the seconds (part `seconds_at`) DECIMAL(18,6).
static leat_status parts_resolve(lt_resolution *resolution, uint32_t parts_max, uint32_t seconds_at, lt_kind result,
                                 leat_error *err) {
    if (resolution->argument_count > parts_max) return LEAT_DONE;
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        const lt_kind kind = resolution->types[i]->kind;
        if (i == seconds_at) {
            if (!lt_kind_is_numeric(kind) && kind != LT_STRING && kind != LT_VOID) return LEAT_DONE;
            resolution->types[i] = lt_type_decimal(resolution->arena, 18, 6);
            if (resolution->types[i] == NULL) return lt_raise_no_memory(err);
        } else {
            if (!lt_kind_is_numeric(kind) && kind != LT_STRING && kind != LT_VOID) return LEAT_DONE;
            resolution->types[i] = lt_type_of(LT_INT);
        }
    }
    resolution->result = lt_type_of(result);
    return LEAT_OK;
}
static leat_status make_interval_resolve(lt_resolution *resolution, leat_error *err) {
    return parts_resolve(resolution, 7, 6, LT_INTERVAL_CALENDAR, err);
}
static leat_status make_dt_interval_resolve(lt_resolution *resolution, leat_error *err) {
    return parts_resolve(resolution, 4, 3, LT_INTERVAL_DAY_TIME, err);
}
static leat_status make_ym_interval_resolve(lt_resolution *resolution, leat_error *err) {
    return parts_resolve(resolution, 2, 2, LT_INTERVAL_YEAR_MONTH, err);
}

static int64_t part_of_row(const lt_call *call, uint32_t part, uint32_t row) {
    return part < call->argument_count ? LT_ARG(call, part, int32_t, row) : 0;
}
static int64_t seconds_us_of_row(const lt_call *call, uint32_t part, uint32_t row) {
    return part < call->argument_count ? (int64_t)LT_ARG(call, part, lt_int128, row) : 0;
}

static leat_status overflow(lt_call *call, uint32_t row, leat_error *err) {
    if (lt_call_is_try(call)) return lt_call_put_null(call, row, err);
    const bool is_calendar = call->result->type->kind == LT_INTERVAL_CALENDAR;
    return lt_call_raise(call, err,
                         is_calendar ? LT_ARITHMETIC_OVERFLOW : LT_INTERVAL_ARITHMETIC_OVERFLOW__WITHOUT_SUGGESTION,
                         "the parts make an interval that is too long");
}

static leat_status make_interval_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const int64_t months = part_of_row(call, 0, row) * 12 + part_of_row(call, 1, row);
        const int64_t days   = part_of_row(call, 2, row) * 7 + part_of_row(call, 3, row);
        const int64_t us = part_of_row(call, 4, row) * LT_US_PER_HOUR + part_of_row(call, 5, row) * LT_US_PER_MINUTE +
                           seconds_us_of_row(call, 6, row);
        if (months != (int32_t)months || days != (int32_t)days) {
            LT_TRY(overflow(call, row, err));
            continue;
        }
        LT_LANES(call->result, lt_calendar_interval)[row] = (lt_calendar_interval){(int32_t)months, (int32_t)days, us};
    }
    return LEAT_OK;
}

static leat_status make_dt_interval_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const int64_t time_us = part_of_row(call, 1, row) * LT_US_PER_HOUR +
                                part_of_row(call, 2, row) * LT_US_PER_MINUTE + seconds_us_of_row(call, 3, row);
        int64_t us;
        if (lt_interval_days_us(part_of_row(call, 0, row), time_us, &us))
            LT_LANES(call->result, int64_t)[row] = us;
        else
            LT_TRY(overflow(call, row, err));
    }
    return LEAT_OK;
}

static leat_status make_ym_interval_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const int64_t months = part_of_row(call, 0, row) * 12 + part_of_row(call, 1, row);
        if (months == (int32_t)months)
            LT_LANES(call->result, int32_t)[row] = (int32_t)months;
        else
            LT_TRY(overflow(call, row, err));
    }
    return LEAT_OK;
}

#define OPTIONAL (LT_TAKES_ANY | LT_TAKES_OPTIONAL)

const lt_function lt_functions_interval_make[] = {
    {.name           = "make_interval",
     .takes          = {OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL},
     .resolve        = make_interval_resolve,
     .can_fail       = true,
     .evaluate       = make_interval_evaluate,
     .display        = "$name($1{0}, $2{0}, $3{0}, $4{0}, $5{0}, $6{0}, $7{0.000000})",
     .summary        = "A calendar interval of years, months, weeks, days, hours, minutes, seconds.",
     .example        = "SELECT make_interval(0, 1, 0, 1)",
     .example_result = "1 months 1 days"},
    {.name           = "try_make_interval",
     .takes          = {OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL},
     .resolve        = make_interval_resolve,
     .can_fail       = true,
     .evaluate       = make_interval_evaluate,
     .display        = "$name($1{0}, $2{0}, $3{0}, $4{0}, $5{0}, $6{0}, $7{0.000000})",
     .summary        = "Like make_interval, but NULL when it would be too long.",
     .example        = "SELECT try_make_interval(2147483647)",
     .example_result = "NULL"},
    {.name           = "make_dt_interval",
     .takes          = {OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL},
     .resolve        = make_dt_interval_resolve,
     .can_fail       = true,
     .evaluate       = make_dt_interval_evaluate,
     .display        = "$name($1{0}, $2{0}, $3{0}, $4{0.000000})",
     .summary        = "An interval of days, hours, minutes, seconds.",
     .example        = "SELECT make_dt_interval(1, 2, 3, 4.5)",
     .example_result = "INTERVAL '1 02:03:04.5' DAY TO SECOND"},
    {.name           = "make_ym_interval",
     .takes          = {OPTIONAL, OPTIONAL},
     .resolve        = make_ym_interval_resolve,
     .can_fail       = true,
     .evaluate       = make_ym_interval_evaluate,
     .display        = "$name($1{0}, $2{0})",
     .summary        = "An interval of years and months.",
     .example        = "SELECT make_ym_interval(1, 14)",
     .example_result = "INTERVAL '2-2' YEAR TO MONTH"},
    {0},
};
