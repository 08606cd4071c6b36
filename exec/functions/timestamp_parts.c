#include "exec/kernels/datetime.h"

// hour, minute and second of a timestamp as the session's clock shows it, of a wall clock, or of a TIME.
// Source: Spark SQL 4.

LT_MAP(time_hour_kernel, int64_t, int32_t, *out = (int32_t)(x / LT_US_PER_HOUR);)
LT_MAP(time_minute_kernel, int64_t, int32_t, *out = (int32_t)(x / LT_US_PER_MINUTE % 60);)
LT_MAP(time_second_kernel, int64_t, int32_t, *out = (int32_t)(x / LT_US_PER_SECOND % 60);)

static leat_status part_evaluate(lt_call *call, int64_t unit_us, int64_t modulus, leat_error *err) {
    const bool   is_instant = call->arguments[0]->type->kind == LT_TIMESTAMP;
    int32_t     *parts      = call->result->values;
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        const int64_t us    = LT_ARG(call, 0, int64_t, row);
        const int64_t local = is_instant ? lt_time_zone_local_us(&zone, us) : us;
        parts[row]          = (int32_t)(lt_floor_mod(local, LT_US_PER_DAY) / unit_us % modulus);
    }
    return LEAT_OK;
}

static leat_status hour_evaluate(lt_call *call, leat_error *err) {
    return part_evaluate(call, LT_US_PER_HOUR, 24, err);
}
static leat_status minute_evaluate(lt_call *call, leat_error *err) {
    return part_evaluate(call, LT_US_PER_MINUTE, 60, err);
}
static leat_status second_evaluate(lt_call *call, leat_error *err) {
    return part_evaluate(call, LT_US_PER_SECOND, 60, err);
}

const lt_function lt_functions_timestamp_parts[] = {
    {.name           = "hour",
     .takes          = {LT_TAKES_TIMESTAMP_ANY},
     .returns        = LT_INT,
     .evaluate       = hour_evaluate,
     .summary        = "The hour of a timestamp or time, 0 to 23.",
     .example        = "SELECT hour(TIMESTAMP '2024-03-15 10:20:30')",
     .example_result = "10"},
    {.name = "hour", .takes = {LT_TAKES_TIME}, .returns = LT_INT, .kernel = time_hour_kernel, .needs_time_type = true},
    {.name           = "minute",
     .takes          = {LT_TAKES_TIMESTAMP_ANY},
     .returns        = LT_INT,
     .evaluate       = minute_evaluate,
     .summary        = "The minute of a timestamp or time, 0 to 59.",
     .example        = "SELECT minute(TIMESTAMP '2024-03-15 10:20:30')",
     .example_result = "20"},
    {.name            = "minute",
     .takes           = {LT_TAKES_TIME},
     .returns         = LT_INT,
     .kernel          = time_minute_kernel,
     .needs_time_type = true},
    {.name           = "second",
     .takes          = {LT_TAKES_TIMESTAMP_ANY},
     .returns        = LT_INT,
     .evaluate       = second_evaluate,
     .summary        = "The second of a timestamp or time, 0 to 59.",
     .example        = "SELECT second(TIMESTAMP '2024-03-15 10:20:30.5')",
     .example_result = "30"},
    {.name            = "second",
     .takes           = {LT_TAKES_TIME},
     .returns         = LT_INT,
     .kernel          = time_second_kernel,
     .needs_time_type = true},
    {0},
};
