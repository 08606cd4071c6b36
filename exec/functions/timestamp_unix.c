#include "exec/kernels/datetime.h"
#include "exec/kernels/datetime_pattern_call.h"

#include <math.h>

// Instants as numbers since 1970 UTC, and back. Source: Spark SQL 4.

static const char standard_pattern[] = "yyyy-MM-dd HH:mm:ss";

// unix_timestamp() is now; texts are parsed by a pattern, dates and timestamps are converted.
static leat_status unix_timestamp_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count < 1 || resolution->argument_count > 2) return LEAT_DONE;
    const lt_kind source = resolution->types[0]->kind;
    if (source != LT_STRING && source != LT_VOID && source != LT_DATE && source != LT_TIMESTAMP &&
        source != LT_TIMESTAMP_NTZ)
        return LEAT_DONE;
    if (source != LT_STRING) resolution->types[0] = lt_type_of(LT_TIMESTAMP);
    if (resolution->argument_count == 2) {
        if (resolution->types[1]->kind != LT_STRING && resolution->types[1]->kind != LT_VOID) return LEAT_DONE;
        resolution->types[1] = lt_type_of(LT_STRING);
    }
    resolution->result = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

static leat_status unix_timestamp_evaluate(lt_call *call, leat_error *err) {
    const bool          is_text = call->arguments[0]->type->kind == LT_STRING;
    int64_t            *seconds = call->result->values;
    lt_datetime_context context;
    lt_pattern_of_call  kept = {.compiled = NULL};
    LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));
    LT_EACH_ROW(call, row) {
        if (!is_text) {
            seconds[row] = LT_ARG(call, 0, int64_t, row) / LT_US_PER_SECOND;
            continue;
        }
        const lt_string            otherwise = lt_string_view(standard_pattern, sizeof standard_pattern - 1);
        const lt_string           *text      = &LT_ARG(call, 0, lt_string, row);
        const lt_string           *wanted    = call->argument_count > 1 ? &LT_ARG(call, 1, lt_string, row) : &otherwise;
        const lt_datetime_pattern *pattern   = NULL;
        lt_datetime_parsed         parsed;
        LT_TRY(lt_pattern_of_call_find(&kept, call, wanted, LT_PATTERN_PARSE, &pattern, err));
        if (!lt_datetime_pattern_parse(pattern, &context, lt_string_data(text), text->bytes, &parsed))
            return lt_call_raise(call, err, LT_CANNOT_PARSE_TIMESTAMP,
                                 "`%.*s` does not fit the pattern '%.*s'; use try_to_timestamp to get NULL instead",
                                 (int)(text->bytes > 60 ? 60 : text->bytes), lt_string_data(text),
                                 (int)(wanted->bytes > 60 ? 60 : wanted->bytes), lt_string_data(wanted));
        seconds[row] = lt_floor_div(parsed.utc_us, LT_US_PER_SECOND);
    }
    return LEAT_OK;
}

static leat_status unix_now_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        LT_LANES(call->result, int64_t)[row] = lt_floor_div(call->evaluation->now_us, LT_US_PER_SECOND);
    }
    return LEAT_OK;
}

LT_MAP(unix_seconds_kernel, int64_t, int64_t, *out = lt_floor_div(x, LT_US_PER_SECOND);)
LT_MAP(unix_millis_kernel, int64_t, int64_t, *out = lt_floor_div(x, LT_US_PER_MILLI);)
LT_MAP(micros_kernel, int64_t, int64_t, *out = x;)
LT_MAP_CHECKED(millis_kernel, int64_t, int64_t, *failed = __builtin_mul_overflow(x, LT_US_PER_MILLI, out);)

// timestamp_seconds keeps fractions of DECIMAL (to microseconds) and DOUBLE; NaN and infinities give NULL.
static leat_status timestamp_seconds_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 1) return LEAT_DONE;
    const lt_kind kind = resolution->types[0]->kind;
    if (lt_kind_is_integral(kind) || kind == LT_VOID)
        resolution->types[0] = lt_type_of(LT_BIGINT);
    else if (lt_kind_is_fractional(kind))
        resolution->types[0] = lt_type_of(LT_DOUBLE);
    else if (kind != LT_DECIMAL)
        return LEAT_DONE;
    resolution->result = lt_type_of(LT_TIMESTAMP);
    return LEAT_OK;
}

static leat_status timestamp_integral_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 1) return LEAT_DONE;
    const lt_kind kind = resolution->types[0]->kind;
    if (!lt_kind_is_integral(kind) && kind != LT_VOID) return LEAT_DONE;
    resolution->types[0] = lt_type_of(LT_BIGINT);
    resolution->result   = lt_type_of(LT_TIMESTAMP);
    return LEAT_OK;
}

static bool decimal_seconds_to_us(lt_int128 value, uint8_t scale, int64_t *out) {
    for (; scale > 6; scale--) value /= 10;
    for (; scale < 6; scale++)
        if (__builtin_mul_overflow(value, (lt_int128)10, &value)) return false;
    *out = (int64_t)value;
    return *out == value;
}

static leat_status timestamp_seconds_evaluate(lt_call *call, leat_error *err) {
    const lt_type *type  = call->arguments[0]->type;
    int64_t       *times = call->result->values;
    LT_EACH_ROW(call, row) {
        bool fits = true;
        if (type->kind == LT_BIGINT) {
            fits = !__builtin_mul_overflow(LT_ARG(call, 0, int64_t, row), LT_US_PER_SECOND, &times[row]);
        } else if (type->kind == LT_DECIMAL) {
            fits = decimal_seconds_to_us(LT_ARG(call, 0, lt_int128, row), type->scale, &times[row]);
        } else {
            const double us = LT_ARG(call, 0, double, row) * 1e6;
            if (!isfinite(us)) {
                LT_TRY(lt_call_put_null(call, row, err));
                continue;
            }
            fits = lt_round_to_int64(trunc(us), &times[row]);
        }
        if (!fits)
            return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "so many seconds are beyond the range of TIMESTAMP");
    }
    return LEAT_OK;
}

const lt_function lt_functions_timestamp_unix[] = {
    {.name              = "unix_timestamp",
     .returns           = LT_BIGINT,
     .is_batch_constant = true,
     .evaluate          = unix_now_evaluate,
     .display           = "unix_timestamp(current_timestamp(), yyyy-MM-dd HH:mm:ss)",
     .summary           = "Seconds since 1970 UTC of an instant, a text or now.",
     .example           = "SELECT unix_timestamp('2024-03-05 10:20:30')",
     .example_result    = "1709634030"},
    {.name     = "unix_timestamp",
     .takes    = {LT_TAKES_ANY},
     .resolve  = unix_timestamp_resolve,
     .can_fail = true,
     .evaluate = unix_timestamp_evaluate,
     .display  = "unix_timestamp($1, yyyy-MM-dd HH:mm:ss)"},
    {.name     = "unix_timestamp",
     .takes    = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve  = unix_timestamp_resolve,
     .can_fail = true,
     .evaluate = unix_timestamp_evaluate},
    {.name           = "to_unix_timestamp",
     .takes          = {LT_TAKES_ANY},
     .resolve        = unix_timestamp_resolve,
     .can_fail       = true,
     .evaluate       = unix_timestamp_evaluate,
     .display        = "to_unix_timestamp($1, yyyy-MM-dd HH:mm:ss)",
     .summary        = "Seconds since 1970 UTC of an instant or a text.",
     .example        = "SELECT to_unix_timestamp('2024-03-05', 'yyyy-MM-dd')",
     .example_result = "1709596800"},
    {.name     = "to_unix_timestamp",
     .takes    = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve  = unix_timestamp_resolve,
     .can_fail = true,
     .evaluate = unix_timestamp_evaluate},
    {.name           = "unix_seconds",
     .takes          = {LT_TAKES_TIMESTAMP_ANY | LT_TAKES_EXACT},
     .returns        = LT_BIGINT,
     .kernel         = unix_seconds_kernel,
     .summary        = "Whole seconds since 1970 UTC.",
     .example        = "SELECT unix_seconds(TIMESTAMP '1970-01-01 00:00:01Z')",
     .example_result = "1"},
    {.name           = "unix_millis",
     .takes          = {LT_TAKES_TIMESTAMP_ANY | LT_TAKES_EXACT},
     .returns        = LT_BIGINT,
     .kernel         = unix_millis_kernel,
     .summary        = "Whole milliseconds since 1970 UTC.",
     .example        = "SELECT unix_millis(TIMESTAMP '1970-01-01 00:00:01Z')",
     .example_result = "1000"},
    {.name           = "unix_micros",
     .takes          = {LT_TAKES_TIMESTAMP_ANY | LT_TAKES_EXACT},
     .returns        = LT_BIGINT,
     .kernel         = micros_kernel,
     .summary        = "Microseconds since 1970 UTC.",
     .example        = "SELECT unix_micros(TIMESTAMP '1970-01-01 00:00:01Z')",
     .example_result = "1000000"},
    {.name           = "timestamp_seconds",
     .takes          = {LT_TAKES_ANY},
     .resolve        = timestamp_seconds_resolve,
     .can_fail       = true,
     .evaluate       = timestamp_seconds_evaluate,
     .summary        = "The instant so many seconds after 1970 UTC.",
     .example        = "SELECT timestamp_seconds(1.5)",
     .example_result = "1970-01-01 00:00:01.5"},
    {.name           = "timestamp_millis",
     .takes          = {LT_TAKES_ANY},
     .resolve        = timestamp_integral_resolve,
     .can_fail       = true,
     .kernel         = millis_kernel,
     .fails_with     = LT_DATETIME_OVERFLOW,
     .fail_message   = "so many milliseconds are beyond the range of TIMESTAMP",
     .summary        = "The instant so many milliseconds after 1970 UTC.",
     .example        = "SELECT timestamp_millis(-1)",
     .example_result = "1969-12-31 23:59:59.999"},
    {.name           = "timestamp_micros",
     .takes          = {LT_TAKES_ANY},
     .resolve        = timestamp_integral_resolve,
     .kernel         = micros_kernel,
     .summary        = "The instant so many microseconds after 1970 UTC.",
     .example        = "SELECT timestamp_micros(-1)",
     .example_result = "1969-12-31 23:59:59.999999"},
    {0},
};
