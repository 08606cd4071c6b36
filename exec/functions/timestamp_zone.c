#include "exec/kernels/datetime.h"

// Moving clocks between zones. from_utc_timestamp and to_utc_timestamp treat the instant as a wall clock, as Spark has
// always done. Source: Spark SQL 4.

// The zone that a text argument names; looked up again only when the text changes.
typedef struct zone_of_text {
    lt_string    text;
    lt_time_zone zone;
    bool         is_known;
} zone_of_text;

static leat_status zone_find(zone_of_text *kept, lt_call *call, const lt_string *text, leat_error *err) {
    if (kept->is_known && lt_string_equal(&kept->text, text)) return LEAT_OK;
    kept->is_known = false;
    if (lt_time_zone_find(call->evaluation->zones, lt_string_data(text), text->bytes, &kept->zone, err) != LEAT_OK) {
        lt_error_place(err, &call->place);
        return lt_condition_status(LT_INVALID_TIMEZONE);
    }
    kept->text     = *text;
    kept->is_known = true;
    return LEAT_OK;
}

static leat_status from_utc_evaluate(lt_call *call, leat_error *err) {
    zone_of_text kept = {.is_known = false};
    LT_EACH_ROW(call, row) {
        LT_TRY(zone_find(&kept, call, &LT_ARG(call, 1, lt_string, row), err));
        LT_LANES(call->result, int64_t)[row] = lt_time_zone_local_us(&kept.zone, LT_ARG(call, 0, int64_t, row));
    }
    return LEAT_OK;
}

static leat_status to_utc_evaluate(lt_call *call, leat_error *err) {
    zone_of_text kept = {.is_known = false};
    LT_EACH_ROW(call, row) {
        LT_TRY(zone_find(&kept, call, &LT_ARG(call, 1, lt_string, row), err));
        LT_LANES(call->result, int64_t)[row] = lt_time_zone_utc_us(&kept.zone, LT_ARG(call, 0, int64_t, row));
    }
    return LEAT_OK;
}

// convert_timezone([from,] to, wall clock)
static leat_status convert_evaluate(lt_call *call, leat_error *err) {
    zone_of_text   from = {.is_known = false}, to = {.is_known = false};
    const uint32_t last = call->argument_count - 1;
    if (last == 1) LT_TRY(lt_call_zone(call, &from.zone, err));
    LT_EACH_ROW(call, row) {
        if (last == 2) LT_TRY(zone_find(&from, call, &LT_ARG(call, 0, lt_string, row), err));
        LT_TRY(zone_find(&to, call, &LT_ARG(call, last - 1, lt_string, row), err));
        const int64_t instant                = lt_time_zone_utc_us(&from.zone, LT_ARG(call, last, int64_t, row));
        LT_LANES(call->result, int64_t)[row] = lt_time_zone_local_us(&to.zone, instant);
    }
    return LEAT_OK;
}

const lt_function lt_functions_timestamp_zone[] = {
    {.name           = "from_utc_timestamp",
     .takes          = {LT_TAKES_TIMESTAMP, LT_TAKES_STRING},
     .returns        = LT_TIMESTAMP,
     .can_fail       = true,
     .evaluate       = from_utc_evaluate,
     .summary        = "A clock in UTC as the zone's clock shows it.",
     .example        = "SELECT from_utc_timestamp(TIMESTAMP '2024-07-15 12:00:00', 'Europe/Berlin')",
     .example_result = "2024-07-15 14:00:00"},
    {.name           = "to_utc_timestamp",
     .takes          = {LT_TAKES_TIMESTAMP, LT_TAKES_STRING},
     .returns        = LT_TIMESTAMP,
     .can_fail       = true,
     .evaluate       = to_utc_evaluate,
     .summary        = "A clock of the zone as UTC's clock shows it.",
     .example        = "SELECT to_utc_timestamp(TIMESTAMP '2024-01-15 12:00:00', 'Europe/Berlin')",
     .example_result = "2024-01-15 11:00:00"},
    {.name     = "convert_timezone",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_TIMESTAMP_NTZ},
     .returns  = LT_TIMESTAMP_NTZ,
     .can_fail = true,
     .evaluate = convert_evaluate,
     .summary  = "A wall clock of the first zone (or the session's) as the second zone's.",
     .example  = "SELECT convert_timezone('Europe/Berlin', 'America/New_York', TIMESTAMP_NTZ '2024-01-15 12:00:00')",
     .example_result = "2024-01-15 06:00:00"},
    {.name     = "convert_timezone",
     .takes    = {LT_TAKES_STRING, LT_TAKES_TIMESTAMP_NTZ},
     .returns  = LT_TIMESTAMP_NTZ,
     .can_fail = true,
     .evaluate = convert_evaluate,
     .display  = "convert_timezone(current_timezone(), $1, $2)"},
    {0},
};
