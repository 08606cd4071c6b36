#include "exec/kernels/datetime.h"

// Functions over TIME alone: cutting, measuring, and numbers since midnight. Source: Spark SQL 4.

static leat_status unit_of_row(lt_call *call, uint32_t row, lt_datetime_unit *out, leat_error *err) {
    const lt_string *word = &LT_ARG(call, 0, lt_string, row);
    if (lt_datetime_unit_of_truncation(word, out) && *out <= LT_DATETIME_HOUR) return LEAT_OK;
    return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__TIME_UNIT,
                         "`%.*s` is no unit of time; write HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND",
                         (int)(word->bytes > 40 ? 40 : word->bytes), lt_string_data(word));
}

static const int64_t unit_us[] = {1, LT_US_PER_MILLI, LT_US_PER_SECOND, LT_US_PER_MINUTE, LT_US_PER_HOUR};

static leat_status time_trunc_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const int64_t    us   = LT_ARG(call, 1, int64_t, row);
        lt_datetime_unit unit = LT_DATETIME_SECOND;
        LT_TRY(unit_of_row(call, row, &unit, err));
        LT_LANES(call->result, int64_t)[row] = us - us % unit_us[unit];
    }
    return LEAT_OK;
}

static leat_status time_diff_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_datetime_unit unit = LT_DATETIME_SECOND;
        LT_TRY(unit_of_row(call, row, &unit, err));
        LT_LANES(call->result, int64_t)
        [row] = (LT_ARG(call, 2, int64_t, row) - LT_ARG(call, 1, int64_t, row)) / unit_us[unit];
    }
    return LEAT_OK;
}

static leat_status raise_beyond_day(lt_call *call, leat_error *err) {
    return lt_call_raise(call, err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION,
                         "the time is not within a day");
}

static bool time_of_integer(int64_t seconds, int64_t *out) {
    if (seconds < 0 || seconds >= LT_US_PER_DAY / LT_US_PER_SECOND) return false;
    *out = seconds * LT_US_PER_SECOND;
    return true;
}

static bool time_of_decimal(lt_int128 seconds, uint8_t scale, int64_t *out) {
    lt_int128 unit = 1;
    for (uint8_t i = 0; i < scale; i++) unit *= 10;
    if (seconds < 0 || seconds / unit >= LT_US_PER_DAY / LT_US_PER_SECOND) return false;
    int64_t us = (int64_t)(seconds / unit) * LT_US_PER_SECOND;
    seconds %= unit;
    for (int64_t digit_us = LT_US_PER_SECOND / 10; digit_us > 0; digit_us /= 10) {
        unit /= 10;
        if (unit == 0) break;
        us += (int64_t)(seconds / unit) * digit_us;
        seconds %= unit;
    }
    *out = us;
    return true;
}

// Spark counts whole nanoseconds: what lies less than one below zero is zero. A NaN is in no range.
static bool time_of_double(double seconds, int64_t *out) {
    const double ns = seconds * 1e9;
    if (!(ns > -1.0 && ns < (double)LT_US_PER_DAY * 1e3)) return false;
    *out = (int64_t)ns / 1000;
    return true;
}

static leat_status time_from_seconds_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 1) return LEAT_DONE;
    const lt_kind kind = resolution->types[0]->kind;
    if (lt_kind_is_integral(kind) || kind == LT_VOID)
        resolution->types[0] = lt_type_of(LT_BIGINT);
    else if (lt_kind_is_fractional(kind))
        resolution->types[0] = lt_type_of(LT_DOUBLE);
    else if (kind != LT_DECIMAL)
        return LEAT_DONE;
    resolution->result = lt_type_of(LT_TIME);
    return LEAT_OK;
}

static leat_status time_from_seconds_evaluate(lt_call *call, leat_error *err) {
    const lt_type *type  = call->arguments[0]->type;
    int64_t       *times = call->result->values;
    LT_EACH_ROW(call, row) {
        const bool fits = type->kind == LT_BIGINT ? time_of_integer(LT_ARG(call, 0, int64_t, row), &times[row])
                          : type->kind == LT_DECIMAL
                              ? time_of_decimal(LT_ARG(call, 0, lt_int128, row), type->scale, &times[row])
                              : time_of_double(LT_ARG(call, 0, double, row), &times[row]);
        if (!fits) return raise_beyond_day(call, err);
    }
    return LEAT_OK;
}

static leat_status time_from_integral_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 1 && resolution->types[0]->kind == LT_DECIMAL) return LEAT_DONE;
    if (resolution->argument_count == 1 && lt_kind_is_fractional(resolution->types[0]->kind)) return LEAT_DONE;
    return time_from_seconds_resolve(resolution, err);
}

#define TIME_OF(kernel_name, per_unit)                                                                                 \
    LT_MAP_CHECKED(kernel_name, int64_t, int64_t, const int64_t most = LT_US_PER_DAY / (per_unit);                     \
                   *failed = x < 0 || x >= most; *out = *failed ? 0 : x * (per_unit);)
TIME_OF(time_from_millis_kernel, LT_US_PER_MILLI)
TIME_OF(time_from_micros_kernel, INT64_C(1))
LT_MAP(time_to_seconds_kernel, int64_t, lt_int128, *out = x;)
LT_MAP(time_to_millis_kernel, int64_t, int64_t, *out = x / LT_US_PER_MILLI;)
LT_MAP(time_to_micros_kernel, int64_t, int64_t, *out = x;)

// Seconds keep their fraction: DECIMAL(14,6).
static leat_status time_to_seconds_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 1) return LEAT_DONE;
    const lt_kind kind = resolution->types[0]->kind;
    if (kind != LT_TIME && kind != LT_VOID) return LEAT_DONE;
    resolution->types[0] = lt_type_of(LT_TIME);
    resolution->result   = lt_type_decimal(resolution->arena, 14, 6);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

#define FROM_ROW(function_name, kernel_name, sql, result)                                                              \
    {                                                                                                                  \
        .name = function_name, .takes = {LT_TAKES_ANY}, .resolve = time_from_integral_resolve, .can_fail = true,       \
        .needs_time_type = true, .kernel = kernel_name,                                                                \
        .fails_with   = LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION,                                           \
        .fail_message = "the time is not within a day", .summary = "The time of day so long after midnight.",          \
        .example = sql, .example_result = result                                                                       \
    }

const lt_function lt_functions_time_of_day[] = {
    {.name            = "time_trunc",
     .needs_time_type = true,
     .takes           = {LT_TAKES_STRING, LT_TAKES_TIME},
     .returns         = LT_TIME,
     .can_fail        = true,
     .evaluate        = time_trunc_evaluate,
     .summary         = "The start of the unit that the time lies in.",
     .example         = "SELECT time_trunc('HOUR', TIME '10:20:30.5')",
     .example_result  = "10:00:00"},
    {.name            = "time_diff",
     .needs_time_type = true,
     .takes           = {LT_TAKES_STRING, LT_TAKES_TIME, LT_TAKES_TIME},
     .returns         = LT_BIGINT,
     .can_fail        = true,
     .evaluate        = time_diff_evaluate,
     .summary         = "Whole units from the first time to the second.",
     .example         = "SELECT time_diff('MINUTE', TIME '10:00:00', TIME '11:30:30')",
     .example_result  = "90"},
    {.name            = "time_from_seconds",
     .takes           = {LT_TAKES_ANY},
     .needs_time_type = true,
     .resolve         = time_from_seconds_resolve,
     .can_fail        = true,
     .evaluate        = time_from_seconds_evaluate,
     .summary         = "The time of day so long after midnight, with its fraction.",
     .example         = "SELECT time_from_seconds(60.5)",
     .example_result  = "00:01:00.5"},
    FROM_ROW("time_from_millis", time_from_millis_kernel, "SELECT time_from_millis(60500)", "00:01:00.5"),
    FROM_ROW("time_from_micros", time_from_micros_kernel, "SELECT time_from_micros(1)", "00:00:00.000001"),
    {.name            = "time_to_seconds",
     .needs_time_type = true,
     .takes           = {LT_TAKES_TIME},
     .resolve         = time_to_seconds_resolve,
     .kernel          = time_to_seconds_kernel,
     .summary         = "Seconds since midnight.",
     .example         = "SELECT time_to_seconds(TIME '00:01:00.5')",
     .example_result  = "60.500000"},
    {.name            = "time_to_millis",
     .needs_time_type = true,
     .takes           = {LT_TAKES_TIME},
     .returns         = LT_BIGINT,
     .kernel          = time_to_millis_kernel,
     .summary         = "Whole milliseconds since midnight.",
     .example         = "SELECT time_to_millis(TIME '00:01:00.5')",
     .example_result  = "60500"},
    {.name            = "time_to_micros",
     .needs_time_type = true,
     .takes           = {LT_TAKES_TIME},
     .returns         = LT_BIGINT,
     .kernel          = time_to_micros_kernel,
     .summary         = "Microseconds since midnight.",
     .example         = "SELECT time_to_micros(TIME '00:00:00.000001')",
     .example_result  = "1"},
    {0},
};
