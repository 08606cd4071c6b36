#include "exec/kernels/datetime.h"

#include "base/datetime_text.h"

// + and - between dates, timestamps, times, intervals and numbers: one row per shape, since each has its own name in
// Spark's column headers. Rows are tried from top to bottom. Source: Spark SQL 4: BinaryArithmeticWithDatetimeResolver.

static leat_status unexpected(lt_resolution *resolution, leat_error *err) {
    return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->place, "%s does not go with %s",
                    lt_type_text(resolution->arena, resolution->types[0]),
                    lt_type_text(resolution->arena, resolution->types[1]));
}

static bool is_whole_days(const lt_type *type) {
    return type->kind == LT_INTERVAL_DAY_TIME && type->unit_first == LT_UNIT_DAY && type->unit_last == LT_UNIT_DAY;
}
static bool is_instant(lt_kind kind) { return kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ; }

static leat_status overflow(lt_call *call, uint32_t row, leat_error *err) {
    if (lt_call_is_try(call)) return lt_call_put_null(call, row, err);
    return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the result is beyond the range of %s",
                         lt_type_text(call->arena, call->result->type));
}

// ------------------------------------------------------------------------------------------------ date and a number

// The date stands at `date_at`; the other side is days, up to INT.
static leat_status date_number_resolve(lt_resolution *resolution, uint32_t date_at, leat_error *err) {
    if (resolution->argument_count != 2 || resolution->types[date_at]->kind != LT_DATE) return LEAT_DONE;
    const lt_kind other = resolution->types[1 - date_at]->kind;
    if (other == LT_VOID || other == LT_TIME || is_instant(other) || lt_kind_is_interval(other)) return LEAT_DONE;
    if (other != LT_TINYINT && other != LT_SMALLINT && other != LT_INT) return unexpected(resolution, err);
    resolution->types[1 - date_at] = lt_type_of(LT_INT);
    resolution->result             = lt_type_of(LT_DATE);
    return LEAT_OK;
}
static leat_status date_plus_number_resolve(lt_resolution *resolution, leat_error *err) {
    return date_number_resolve(resolution, 0, err);
}
static leat_status number_plus_date_resolve(lt_resolution *resolution, leat_error *err) {
    return date_number_resolve(resolution, 1, err);
}
static leat_status date_minus_number_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 2) { // a text or a date on the right is a date: the next row
        const lt_kind other = resolution->types[1]->kind;
        if (other == LT_STRING || other == LT_DATE) return LEAT_DONE;
    }
    return date_number_resolve(resolution, 0, err);
}

// Beyond the range of DATE the days go on at its other end, as in Spark.
static leat_status date_move(lt_call *call, uint32_t date_at, int64_t sign, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        const int64_t days = LT_ARG(call, date_at, int32_t, row) + sign * LT_ARG(call, 1 - date_at, int32_t, row);
        LT_LANES(call->result, int32_t)[row] = (int32_t)(uint32_t)days;
    }
    return LEAT_OK;
}
static leat_status date_plus_number_evaluate(lt_call *call, leat_error *err) { return date_move(call, 0, 1, err); }
static leat_status number_plus_date_evaluate(lt_call *call, leat_error *err) { return date_move(call, 1, 1, err); }
static leat_status date_minus_number_evaluate(lt_call *call, leat_error *err) { return date_move(call, 0, -1, err); }

// --------------------------------------------------------------------------------------------- a time and an interval

// Date and whole days: a date. `date_at`: where the date stands.
static leat_status date_days_resolve(lt_resolution *resolution, uint32_t date_at, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 2 || resolution->types[date_at]->kind != LT_DATE ||
        !is_whole_days(resolution->types[1 - date_at]))
        return LEAT_DONE;
    resolution->result = lt_type_of(LT_DATE);
    return LEAT_OK;
}
static leat_status date_plus_days_resolve(lt_resolution *resolution, leat_error *err) {
    return date_days_resolve(resolution, 0, err);
}
static leat_status days_plus_date_resolve(lt_resolution *resolution, leat_error *err) {
    return date_days_resolve(resolution, 1, err);
}

// Any time and any interval; `interval_at`: where the interval stands. A date and less than days make a timestamp, a
// text is read as a timestamp and becomes a text again, a bare NULL is a timestamp.
static leat_status time_interval_resolve(lt_resolution *resolution, uint32_t interval_at, leat_error *err) {
    if (resolution->argument_count != 2) return LEAT_DONE;
    const lt_type *time = resolution->types[1 - interval_at], *interval = resolution->types[interval_at];
    if (!lt_kind_is_interval(interval->kind) || lt_kind_is_interval(time->kind)) return LEAT_DONE;
    const bool has_months = interval->kind == LT_INTERVAL_YEAR_MONTH;
    switch (time->kind) {
    case LT_DATE:
        if (interval->kind == LT_INTERVAL_DAY_TIME) time = lt_type_of(LT_TIMESTAMP);
        break;
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
        break;
    case LT_TIME:
        if (interval->kind != LT_INTERVAL_DAY_TIME) return LEAT_DONE;
        break;
    case LT_STRING:
        time = lt_type_of(LT_TIMESTAMP);
        break;
    case LT_VOID:
        return LEAT_DONE;
    default:
        return has_months ? LEAT_DONE : unexpected(resolution, err);
    }
    const bool is_text                 = resolution->types[1 - interval_at]->kind == LT_STRING && !has_months;
    resolution->types[1 - interval_at] = time;
    resolution->result                 = is_text ? lt_type_of(LT_STRING) : time;
    return LEAT_OK;
}
static leat_status time_and_interval_resolve(lt_resolution *resolution, leat_error *err) {
    return time_interval_resolve(resolution, 1, err);
}
static leat_status interval_and_time_resolve(lt_resolution *resolution, leat_error *err) {
    return time_interval_resolve(resolution, 0, err);
}

typedef struct moving {
    int64_t months, days, microseconds;
} moving;

// Day-time intervals count whole days on the calendar and the rest in exact time.
static moving moving_of_row(const lt_call *call, uint32_t interval_at, uint32_t row, int64_t sign) {
    moving made = {0, 0, 0};
    switch (call->arguments[interval_at]->type->kind) {
    case LT_INTERVAL_YEAR_MONTH:
        made.months = LT_ARG(call, interval_at, int32_t, row);
        break;
    case LT_INTERVAL_CALENDAR: {
        const lt_calendar_interval *interval = &LT_ARG(call, interval_at, lt_calendar_interval, row);
        made                                 = (moving){interval->months, interval->days, interval->microseconds};
        break;
    }
    default:
        made.days         = LT_ARG(call, interval_at, int64_t, row) / LT_US_PER_DAY;
        made.microseconds = LT_ARG(call, interval_at, int64_t, row) % LT_US_PER_DAY;
        break;
    }
    if (made.microseconds == INT64_MIN) made.microseconds++; // beyond every timestamp either way
    return (moving){made.months * sign, made.days * sign, made.microseconds * sign};
}

static leat_status date_moved(lt_call *call, uint32_t row, int64_t days, const moving *by, leat_error *err) {
    if (by->microseconds != 0) {
        if (lt_call_is_try(call)) return lt_call_put_null(call, row, err);
        return lt_call_raise(call, err, LT_INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION,
                             "a date takes no interval with a time part; cast it to TIMESTAMP first");
    }
    days = lt_days_add_months(days, by->months) + by->days;
    if (!lt_days_fit(days)) return overflow(call, row, err);
    LT_LANES(call->result, int32_t)[row] = (int32_t)days;
    return LEAT_OK;
}

// The date stands at `date_at`, whole days at the other side.
static leat_status date_move_days(lt_call *call, uint32_t date_at, int64_t sign, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const moving by = moving_of_row(call, 1 - date_at, row, sign);
        LT_TRY(date_moved(call, row, LT_ARG(call, date_at, int32_t, row), &by, err));
    }
    return LEAT_OK;
}
static leat_status date_plus_days_evaluate(lt_call *call, leat_error *err) { return date_move_days(call, 0, 1, err); }
static leat_status days_plus_date_evaluate(lt_call *call, leat_error *err) { return date_move_days(call, 1, 1, err); }
static leat_status date_minus_days_evaluate(lt_call *call, leat_error *err) { return date_move_days(call, 0, -1, err); }

static leat_status time_moved(lt_call *call, uint32_t row, int64_t time_us, const moving *by, leat_error *err) {
    const lt_int128 us = (lt_int128)by->days * LT_US_PER_DAY + by->microseconds + time_us;
    if (us < 0 || us >= LT_US_PER_DAY) return overflow(call, row, err);
    LT_LANES(call->result, int64_t)[row] = (int64_t)us;
    return LEAT_OK;
}

static leat_status move_rows(lt_call *call, uint32_t interval_at, int64_t sign, leat_error *err) {
    const lt_kind kind = call->arguments[1 - interval_at]->type->kind;
    lt_time_zone  zone;
    if (kind == LT_TIMESTAMP)
        LT_TRY(lt_call_zone(call, &zone, err));
    else
        LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &zone, err));
    LT_EACH_ROW(call, row) {
        const moving by = moving_of_row(call, interval_at, row, sign);
        int64_t      us;
        if (kind == LT_DATE) {
            LT_TRY(date_moved(call, row, LT_ARG(call, 1 - interval_at, int32_t, row), &by, err));
        } else if (kind == LT_TIME) {
            LT_TRY(time_moved(call, row, LT_ARG(call, 1 - interval_at, int64_t, row), &by, err));
        } else if (!lt_timestamp_add(&zone, LT_ARG(call, 1 - interval_at, int64_t, row), by.months, by.days,
                                     by.microseconds, &us)) {
            LT_TRY(overflow(call, row, err));
        } else if (call->result->type->kind == LT_STRING) {
            char         text[LT_DATETIME_TEXT_BYTES];
            const size_t bytes = lt_timestamp_print(&zone, us, text);
            LT_TRY(lt_call_put_text(call, row, text, bytes, err));
        } else {
            LT_LANES(call->result, int64_t)[row] = us;
        }
    }
    return LEAT_OK;
}
static leat_status time_plus_interval_evaluate(lt_call *call, leat_error *err) { return move_rows(call, 1, 1, err); }
static leat_status time_minus_interval_evaluate(lt_call *call, leat_error *err) { return move_rows(call, 1, -1, err); }
static leat_status interval_plus_time_evaluate(lt_call *call, leat_error *err) { return move_rows(call, 0, 1, err); }

// ---------------------------------------------------------------------------------------------------- times and NULL

// A time and a bare NULL: a NULL timestamp (or wall clock).
static leat_status time_plus_null_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 2) return LEAT_DONE;
    const uint32_t at   = resolution->types[0]->kind == LT_VOID ? 1 : 0;
    const lt_kind  time = resolution->types[at]->kind;
    if (resolution->types[1 - at]->kind != LT_VOID || (time != LT_DATE && !is_instant(time))) return LEAT_DONE;
    resolution->types[0] = resolution->types[1] = resolution->result =
        lt_type_of(time == LT_TIMESTAMP_NTZ ? LT_TIMESTAMP_NTZ : LT_TIMESTAMP);
    return LEAT_OK;
}
static leat_status null_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) { LT_TRY(lt_call_put_null(call, row, err)); }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------- time minus time

// Dates give days, times hours to seconds, timestamps days to seconds of the zone's clock.
static leat_status difference_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2) return LEAT_DONE;
    const lt_kind a = resolution->types[0]->kind, b = resolution->types[1]->kind;
    lt_kind       common;
    lt_unit       first = LT_UNIT_DAY, last = LT_UNIT_SECOND;
    if (a == LT_TIME || b == LT_TIME) {
        if ((a != LT_TIME && a != LT_VOID) || (b != LT_TIME && b != LT_VOID)) return LEAT_DONE;
        common = LT_TIME;
        first  = LT_UNIT_HOUR;
    } else if (is_instant(a) || is_instant(b)) {
        const lt_kind other = is_instant(a) ? b : a;
        if (!is_instant(other) && other != LT_DATE && other != LT_STRING && other != LT_VOID)
            return lt_kind_is_interval(other) ? LEAT_DONE : unexpected(resolution, err);
        common = a == LT_TIMESTAMP || b == LT_TIMESTAMP ? LT_TIMESTAMP : LT_TIMESTAMP_NTZ;
    } else if (a == LT_DATE || b == LT_DATE) {
        const lt_kind other = a == LT_DATE ? b : a;
        if (other != LT_DATE && other != LT_STRING && other != LT_VOID)
            return lt_kind_is_interval(other) ? LEAT_DONE : unexpected(resolution, err);
        common = LT_DATE;
        last   = LT_UNIT_DAY;
    } else {
        return LEAT_DONE;
    }
    resolution->types[0] = resolution->types[1] = lt_type_of(common);
    resolution->result                          = lt_type_interval(resolution->arena, first, last);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status difference_evaluate(lt_call *call, leat_error *err) {
    const lt_kind kind = call->arguments[0]->type->kind;
    lt_time_zone  zone;
    if (kind == LT_TIMESTAMP)
        LT_TRY(lt_call_zone(call, &zone, err));
    else
        LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &zone, err));
    LT_EACH_ROW(call, row) {
        int64_t us   = 0;
        bool    fits = true;
        if (kind == LT_DATE)
            fits = lt_interval_days_us((int64_t)LT_ARG(call, 0, int32_t, row) - LT_ARG(call, 1, int32_t, row), 0, &us);
        else
            fits = !__builtin_sub_overflow(lt_time_zone_local_us(&zone, LT_ARG(call, 0, int64_t, row)),
                                           lt_time_zone_local_us(&zone, LT_ARG(call, 1, int64_t, row)), &us);
        if (fits)
            LT_LANES(call->result, int64_t)[row] = us;
        else
            LT_TRY(overflow(call, row, err));
    }
    return LEAT_OK;
}

#define TWO .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .can_fail = true

const lt_function lt_functions_datetime_arithmetic[] = {
    {.name = "+",
     TWO,
     .resolve  = date_plus_number_resolve,
     .evaluate = date_plus_number_evaluate,
     .display  = "date_add($1, $2)"},
    {.name = "+",
     TWO,
     .resolve  = number_plus_date_resolve,
     .evaluate = number_plus_date_evaluate,
     .display  = "date_add($2, $1)"},
    {.name = "+",
     TWO,
     .resolve  = date_plus_days_resolve,
     .evaluate = date_plus_days_evaluate,
     .display  = "date_add($1, extractansiintervaldays($2))"},
    {.name = "+",
     TWO,
     .resolve  = days_plus_date_resolve,
     .evaluate = days_plus_date_evaluate,
     .display  = "date_add($2, extractansiintervaldays($1))"},
    {.name = "+",
     TWO,
     .needs_time_type = true,
     .resolve         = time_and_interval_resolve,
     .evaluate        = time_plus_interval_evaluate,
     .display         = "$1 + $2"},
    {.name = "+",
     TWO,
     .needs_time_type = true,
     .resolve         = interval_and_time_resolve,
     .evaluate        = interval_plus_time_evaluate,
     .display         = "$2 + $1"},
    {.name = "+", TWO, .resolve = time_plus_null_resolve, .evaluate = null_evaluate, .display = "$1 + $2"},
    {.name = "-",
     TWO,
     .resolve  = date_minus_number_resolve,
     .evaluate = date_minus_number_evaluate,
     .display  = "date_sub($1, $2)"},
    {.name = "-",
     TWO,
     .resolve  = date_plus_days_resolve,
     .evaluate = date_minus_days_evaluate,
     .display  = "date_add($1, (- extractansiintervaldays($2)))"},
    {.name = "-",
     TWO,
     .needs_time_type = true,
     .resolve         = time_and_interval_resolve,
     .evaluate        = time_minus_interval_evaluate,
     .display         = "$1 - $2"},
    {.name = "-",
     TWO,
     .needs_time_type = true,
     .resolve         = difference_resolve,
     .evaluate        = difference_evaluate,
     .display         = "($1 - $2)"},
    {.name = "try_add", TWO, .resolve = date_plus_number_resolve, .evaluate = date_plus_number_evaluate},
    {.name = "try_add", TWO, .resolve = number_plus_date_resolve, .evaluate = number_plus_date_evaluate},
    {.name = "try_add", TWO, .resolve = date_plus_days_resolve, .evaluate = date_plus_days_evaluate},
    {.name = "try_add", TWO, .resolve = days_plus_date_resolve, .evaluate = days_plus_date_evaluate},
    {.name = "try_add",
     TWO,
     .needs_time_type = true,
     .resolve         = time_and_interval_resolve,
     .evaluate        = time_plus_interval_evaluate},
    {.name = "try_add",
     TWO,
     .needs_time_type = true,
     .resolve         = interval_and_time_resolve,
     .evaluate        = interval_plus_time_evaluate},
    {.name = "try_add", TWO, .resolve = time_plus_null_resolve, .evaluate = null_evaluate},
    {.name = "try_subtract", TWO, .resolve = date_minus_number_resolve, .evaluate = date_minus_number_evaluate},
    {.name = "try_subtract", TWO, .resolve = date_plus_days_resolve, .evaluate = date_minus_days_evaluate},
    {.name = "try_subtract",
     TWO,
     .needs_time_type = true,
     .resolve         = time_and_interval_resolve,
     .evaluate        = time_minus_interval_evaluate},
    {.name = "try_subtract",
     TWO,
     .needs_time_type = true,
     .resolve         = difference_resolve,
     .evaluate        = difference_evaluate},
    {0},
};
