#include "exec/kernels/datetime.h"
#include "exec/kernels/datetime_pattern_call.h"

// date_format, from_unixtime and to_char over times: text by a pattern. Source: Spark SQL 4.

// Time of `row` in microseconds, as an instant for the pattern.
typedef int64_t (*instant_of_row)(const lt_call *call, uint32_t row);

// The text of the last row, which is that of all instants of its stretch.
typedef struct last_text {
    const lt_datetime_pattern *pattern; // NULL: no row yet
    int64_t                    first_us, last_us;
    lt_string                  text;
} last_text;

static leat_status format_rows(lt_call *call, const lt_time_zone *zone, instant_of_row instant, leat_error *err) {
    static const char  standard[]  = "yyyy-MM-dd HH:mm:ss";
    const lt_string    otherwise   = lt_string_view(standard, sizeof standard - 1);
    const bool         is_constant = call->argument_count < 2 || call->arguments[1]->form == LT_CONSTANT;
    lt_string         *results     = call->result->values;
    lt_pattern_of_call kept        = {.compiled = NULL};
    last_text          last        = {.pattern = NULL};
    lt_buffer          text;
    leat_status        status = LEAT_OK;
    lt_buffer_init(&text, call->arena->account, LT_VALUE_BYTES_MAX);
    LT_EACH_ROW(call, row) {
        const lt_datetime_pattern *pattern = kept.compiled;
        const int64_t              us      = instant(call, row);
        if (pattern == NULL || !is_constant) {
            const lt_string *wanted = call->argument_count > 1 ? &LT_ARG(call, 1, lt_string, row) : &otherwise;
            status                  = lt_pattern_of_call_find(&kept, call, wanted, LT_PATTERN_FORMAT, &pattern, err);
            if (status == LEAT_OK && call->arguments[0]->type->kind == LT_TIME && !lt_datetime_pattern_is_time(pattern))
                status = lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__PATTERN,
                                       "a TIME has no date and no zone that the pattern could show");
            if (status != LEAT_OK) break;
        }
        if (pattern == last.pattern && us >= last.first_us && us <= last.last_us) {
            results[row] = last.text;
            continue;
        }
        lt_buffer_reset(&text);
        status = lt_datetime_pattern_format(pattern, zone, us, &text, err);
        if (status == LEAT_OK) status = lt_call_put_text(call, row, text.data, text.bytes, err);
        if (status != LEAT_OK) break;
        last = (last_text){.pattern = pattern, .text = results[row]};
        lt_datetime_pattern_stretch(pattern, zone, us, &last.first_us, &last.last_us);
    }
    lt_buffer_deinit(&text);
    return status;
}

static int64_t instant_as_it_is(const lt_call *call, uint32_t row) { return LT_ARG(call, 0, int64_t, row); }

static int64_t instant_of_seconds(const lt_call *call, uint32_t row) {
    int64_t us;
    return __builtin_mul_overflow(LT_ARG(call, 0, int64_t, row), LT_US_PER_SECOND, &us) ? INT64_MAX : us;
}

static leat_status date_format_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    return format_rows(call, &zone, instant_as_it_is, err);
}
static leat_status time_format_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone utc;
    LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &utc, err));
    return format_rows(call, &utc, instant_as_it_is, err);
}
static leat_status from_unixtime_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    return format_rows(call, &zone, instant_of_seconds, err);
}

static leat_status to_char_evaluate(lt_call *call, leat_error *err) {
    return call->arguments[0]->type->kind == LT_TIME ? time_format_evaluate(call, err)
                                                     : date_format_evaluate(call, err);
}

// to_char belongs to numbers as well: only dates and times are meant here.
static leat_status to_char_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 2) return LEAT_DONE;
    const lt_kind kind = resolution->types[0]->kind;
    if (kind != LT_DATE && kind != LT_TIMESTAMP && kind != LT_TIMESTAMP_NTZ && kind != LT_TIME) return LEAT_DONE;
    if (resolution->types[1]->kind != LT_STRING) return LEAT_DONE;
    if (kind != LT_TIME) resolution->types[0] = lt_type_of(LT_TIMESTAMP);
    resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

const lt_function lt_functions_datetime_format[] = {
    {.name           = "date_format",
     .takes          = {LT_TAKES_TIMESTAMP, LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = date_format_evaluate,
     .summary        = "Text of a time by a pattern.",
     .example        = "SELECT date_format(DATE '2024-03-05', 'dd.MM.yyyy')",
     .example_result = "05.03.2024"},
    {.name     = "date_format",
     .takes    = {LT_TAKES_TIME, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = time_format_evaluate},
    {.name           = "from_unixtime",
     .takes          = {LT_TAKES_BIGINT},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = from_unixtime_evaluate,
     .display        = "from_unixtime($1, yyyy-MM-dd HH:mm:ss)",
     .summary        = "Text of the instant so many seconds after 1970 UTC.",
     .example        = "SELECT from_unixtime(0)",
     .example_result = "1970-01-01 00:00:00"},
    {.name     = "from_unixtime",
     .takes    = {LT_TAKES_BIGINT, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = from_unixtime_evaluate},
    {.name           = "to_char",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = to_char_resolve,
     .can_fail       = true,
     .evaluate       = to_char_evaluate,
     .display        = "date_format($1, $2)",
     .summary        = "Text of a number or time by a format.",
     .example        = "SELECT to_char(DATE '2024-03-05', 'yyyy')",
     .example_result = "2024"},
    {.name           = "to_varchar",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = to_char_resolve,
     .can_fail       = true,
     .evaluate       = to_char_evaluate,
     .display        = "date_format($1, $2)",
     .summary        = "Text of a number or time by a format.",
     .example        = "SELECT to_varchar(DATE '2024-03-05', 'yyyy')",
     .example_result = "2024"},
    {0},
};
