#include "exec/kernels/datetime.h"

// make_date, make_timestamp, make_time and their try_ forms: times from their parts. Seconds are DECIMAL(16,6), so
// their lanes are microseconds. Source: Spark SQL 4.

static leat_status make_date_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const int32_t year = LT_ARG(call, 0, int32_t, row), month = LT_ARG(call, 1, int32_t, row);
        const int32_t day      = LT_ARG(call, 2, int32_t, row);
        const bool    is_valid = lt_civil_is_valid(year, month, day);
        const int64_t days     = is_valid ? lt_days_from_civil(year, month, day) : 0;
        if (!is_valid || !lt_days_fit(days)) {
            if (!lt_call_is_try(call))
                return lt_call_raise(call, err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION,
                                     "there is no day %d of month %d in year %d", day, month, year);
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        LT_LANES(call->result, int32_t)[row] = (int32_t)days;
    }
    return LEAT_OK;
}

static bool is_number_like(const lt_type *type) {
    return lt_kind_is_numeric(type->kind) || type->kind == LT_STRING || type->kind == LT_VOID;
}

// Spark names a call by what it puts in its place.
static const char *make_timestamp_display(const char *name, uint32_t count) {
    if (count == 7) return strcmp(name, "try_make_timestamp") == 0 ? "$name($1, $2, $3, $4, $5, $6)" : NULL;
    if (count > 3) return NULL;
    if (strcmp(name, "try_make_timestamp_ntz") == 0) return "$name(make_timestamp_ntz($1, $2))";
    return strstr(name, "_ltz") != NULL ? "make_timestamp($*)" : NULL;
}

// (year, month, day, hour, minute, second [, zone]), (date, time [, zone]) or (date)
static leat_status make_timestamp_resolve(lt_resolution *resolution, leat_error *err) {
    const bool     is_ntz    = strstr(resolution->function->name, "_ntz") != NULL;
    const uint32_t count     = resolution->argument_count;
    const bool     has_parts = count >= 6;
    const uint32_t least     = has_parts ? 6 : 2;
    const bool     is_ltz    = strstr(resolution->function->name, "_ltz") != NULL;
    if (count < 1 || count > 7 || (count > 3 && count < 6) || (is_ntz && count != least) || (is_ltz && count == 1))
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place, "`%s` takes no %u arguments",
                        resolution->function->name, count);
    resolution->display = make_timestamp_display(resolution->function->name, count);
    if (has_parts) {
        for (uint32_t i = 0; i < 5; i++) {
            if (!is_number_like(resolution->types[i])) return LEAT_DONE;
            resolution->types[i] = lt_type_of(LT_INT);
        }
        if (!is_number_like(resolution->types[5])) return LEAT_DONE;
        resolution->types[5] = lt_type_decimal(resolution->arena, 16, 6);
        if (resolution->types[5] == NULL) return lt_raise_no_memory(err);
    } else {
        const lt_kind date = resolution->types[0]->kind, time = count == 1 ? LT_VOID : resolution->types[1]->kind;
        if ((date != LT_DATE && date != LT_VOID) || (time != LT_TIME && time != LT_VOID)) return LEAT_DONE;
        resolution->types[0] = lt_type_of(LT_DATE);
        if (count > 1) resolution->types[1] = lt_type_of(LT_TIME);
    }
    if (count > least) {
        if (lt_kind_is_nested(resolution->types[least]->kind)) return LEAT_DONE;
        resolution->types[least] = lt_type_of(LT_STRING);
    }
    resolution->result = lt_type_of(is_ntz ? LT_TIMESTAMP_NTZ : LT_TIMESTAMP);
    return LEAT_OK;
}

static leat_status parts_of_row(const lt_call *call, uint32_t row, int64_t *out_local_us, leat_error *err) {
    if (call->argument_count < 6) {
        const int64_t time_us = call->argument_count > 1 ? LT_ARG(call, 1, int64_t, row) : 0;
        if (lt_interval_days_us(LT_ARG(call, 0, int32_t, row), time_us, out_local_us)) return LEAT_OK;
        return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the date is beyond the range of TIMESTAMP");
    }
    const int32_t date[] = {LT_ARG(call, 0, int32_t, row), LT_ARG(call, 1, int32_t, row),
                            LT_ARG(call, 2, int32_t, row)};
    const int32_t time[] = {LT_ARG(call, 3, int32_t, row), LT_ARG(call, 4, int32_t, row)};
    return lt_wall_clock_make(&call->place, date, time, LT_ARG(call, 5, lt_int128, row), out_local_us, err);
}

static leat_status make_timestamp_evaluate(lt_call *call, leat_error *err) {
    const uint32_t zone_at = call->argument_count == 7 ? 6 : call->argument_count == 3 ? 2 : 0;
    const bool     is_ntz  = call->result->type->kind == LT_TIMESTAMP_NTZ;
    leat_error    *unless  = lt_call_is_try(call) ? NULL : err; // the try_ forms raise nothing but zones
    lt_time_zone   zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        int64_t local_us = 0, us = 0;
        if (zone_at != 0) {
            const lt_string *text = &LT_ARG(call, zone_at, lt_string, row);
            LT_TRY(lt_time_zone_find(call->evaluation->zones, lt_string_data(text), text->bytes, &zone, err));
        }
        leat_status status = parts_of_row(call, row, &local_us, unless);
        if (status == LEAT_OK && !is_ntz && !lt_time_zone_utc_us_fits(&zone, local_us, &us))
            status = lt_call_raise(call, unless, LT_DATETIME_OVERFLOW, "the instant is beyond the range of TIMESTAMP");
        if (status == LEAT_OK)
            LT_LANES(call->result, int64_t)[row] = is_ntz ? local_us : us;
        else if (lt_call_is_try(call) && status != LEAT_NO_MEMORY)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return status;
    }
    return LEAT_OK;
}

static leat_status make_time_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 3 || !is_number_like(resolution->types[0]) ||
        !is_number_like(resolution->types[1]) || !is_number_like(resolution->types[2]))
        return LEAT_DONE;
    resolution->types[0] = lt_type_of(LT_INT);
    resolution->types[1] = lt_type_of(LT_INT);
    resolution->types[2] = lt_type_decimal(resolution->arena, 16, 6);
    if (resolution->types[2] == NULL) return lt_raise_no_memory(err);
    resolution->result = lt_type_of(LT_TIME);
    return LEAT_OK;
}

static leat_status make_time_evaluate(lt_call *call, leat_error *err) {
    static const int32_t epoch[] = {1970, 1, 1};
    LT_EACH_ROW(call, row) {
        const int32_t   time[]  = {LT_ARG(call, 0, int32_t, row), LT_ARG(call, 1, int32_t, row)};
        const lt_int128 seconds = LT_ARG(call, 2, lt_int128, row);
        int64_t         us;
        if (seconds >= LT_US_PER_MINUTE)
            return lt_call_raise(call, err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION,
                                 "the seconds are not within 0 to 59");
        LT_TRY(lt_wall_clock_make(&call->place, epoch, time, seconds, &us, err));
        LT_LANES(call->result, int64_t)[row] = us;
    }
    return LEAT_OK;
}

#define MAKE_TAKES                                                                                                     \
    {                                                                                                                  \
        LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL, LT_TAKES_ANY | LT_TAKES_OPTIONAL,                              \
            LT_TAKES_ANY | LT_TAKES_OPTIONAL, LT_TAKES_ANY | LT_TAKES_OPTIONAL, LT_TAKES_ANY | LT_TAKES_OPTIONAL,      \
            LT_TAKES_ANY | LT_TAKES_OPTIONAL                                                                           \
    }
#define MAKE_ROW(function_name, text, sql, result)                                                                     \
    {                                                                                                                  \
        .name = function_name, .takes = MAKE_TAKES, .resolve = make_timestamp_resolve, .can_fail = true,               \
        .evaluate = make_timestamp_evaluate, .summary = text, .example = sql, .example_result = result                 \
    }

const lt_function lt_functions_datetime_make[] = {
    {.name           = "make_date",
     .takes          = {LT_TAKES_INT, LT_TAKES_INT, LT_TAKES_INT},
     .returns        = LT_DATE,
     .can_fail       = true,
     .evaluate       = make_date_evaluate,
     .summary        = "A date from year, month and day.",
     .example        = "SELECT make_date(2024, 2, 29)",
     .example_result = "2024-02-29"},
    {.name           = "try_make_date",
     .takes          = {LT_TAKES_INT, LT_TAKES_INT, LT_TAKES_INT},
     .returns        = LT_DATE,
     .can_fail       = true,
     .evaluate       = make_date_evaluate,
     .summary        = "Like make_date, but NULL for parts of no date.",
     .example        = "SELECT try_make_date(2023, 2, 29)",
     .example_result = "NULL"},
    MAKE_ROW("make_timestamp", "An instant from its parts, in a zone or the session's.",
             "SELECT make_timestamp(2024, 3, 5, 10, 20, 30.5)", "2024-03-05 10:20:30.5"),
    MAKE_ROW("make_timestamp_ltz", "An instant from its parts, in a zone or the session's.",
             "SELECT make_timestamp_ltz(2024, 3, 5, 10, 20, 30)", "2024-03-05 10:20:30"),
    MAKE_ROW("make_timestamp_ntz", "A wall clock from its parts.",
             "SELECT make_timestamp_ntz(2024, 3, 5, 10, 20, 30.123456)", "2024-03-05 10:20:30.123456"),
    MAKE_ROW("try_make_timestamp", "Like make_timestamp, but NULL for parts of no instant.",
             "SELECT try_make_timestamp(2024, 13, 1, 0, 0, 0)", "NULL"),
    MAKE_ROW("try_make_timestamp_ltz", "Like make_timestamp_ltz, but NULL for parts of no instant.",
             "SELECT try_make_timestamp_ltz(2024, 13, 1, 0, 0, 0)", "NULL"),
    MAKE_ROW("try_make_timestamp_ntz", "Like make_timestamp_ntz, but NULL for parts of no wall clock.",
             "SELECT try_make_timestamp_ntz(2024, 1, 32, 0, 0, 0)", "NULL"),
    {.name            = "make_time",
     .takes           = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve         = make_time_resolve,
     .needs_time_type = true,
     .can_fail        = true,
     .evaluate        = make_time_evaluate,
     .summary         = "A time of day from hour, minute and second.",
     .example         = "SELECT make_time(10, 20, 30.5)",
     .example_result  = "10:20:30.5"},
    {0},
};
