#include "exec/kernels/datetime.h"

// The time of the batch, the same for all its rows: a batch that runs again sees it again. Source: Spark SQL 4, whose
// now() differs within a stream; here it is the batch's time as well.

static leat_status instant_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) { LT_LANES(call->result, int64_t)[row] = call->evaluation->now_us; }
    return LEAT_OK;
}

static leat_status local_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        LT_LANES(call->result, int64_t)[row] = lt_time_zone_local_us(&zone, call->evaluation->now_us);
    }
    return LEAT_OK;
}

static leat_status date_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        LT_LANES(call->result, int32_t)[row] = lt_time_zone_us_to_days(&zone, call->evaluation->now_us);
    }
    return LEAT_OK;
}

// current_time([precision]): digits beyond the precision are cut.
static leat_status time_evaluate(lt_call *call, leat_error *err) {
    static const int64_t cuts[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    lt_time_zone         zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    const int64_t us = lt_floor_mod(lt_time_zone_local_us(&zone, call->evaluation->now_us), LT_US_PER_DAY);
    LT_EACH_ROW(call, row) {
        const uint32_t precision             = call->result->type->precision;
        LT_LANES(call->result, int64_t)[row] = us - us % cuts[precision];
    }
    return LEAT_OK;
}

static leat_status time_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 1 || resolution->types[0]->kind != LT_INT) return LEAT_DONE;
    const lt_vector *constant = resolution->constants[0];
    const int32_t precision = constant == NULL || lt_vector_is_null(constant, 0) ? -1 : LT_VALUE(constant, int32_t, 0);
    if (precision < 0 || precision > LT_TIME_PRECISION_MAX)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->places[0],
                        "the precision of `%s` is not within 0 to 6", resolution->function->name);
    resolution->result = lt_type_time(resolution->arena, (uint32_t)precision);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status zone_evaluate(lt_call *call, leat_error *err) {
    const char *zone = call->evaluation->time_zone == NULL ? "UTC" : call->evaluation->time_zone;
    LT_EACH_ROW(call, row) { LT_TRY(lt_call_put_text(call, row, zone, strlen(zone), err)); }
    return LEAT_OK;
}

const lt_function lt_functions_datetime_current[] = {
    {.name              = "current_date",
     .returns           = LT_DATE,
     .is_batch_constant = true,
     .evaluate          = date_evaluate,
     .summary           = "Today in the session's zone.",
     .example           = "SELECT current_date() IS NULL",
     .example_result    = "false"},
    {.name              = "curdate",
     .returns           = LT_DATE,
     .is_batch_constant = true,
     .evaluate          = date_evaluate,
     .display           = "current_date()",
     .summary           = "Today in the session's zone.",
     .example           = "SELECT curdate() IS NULL",
     .example_result    = "false"},
    {.name              = "current_timestamp",
     .returns           = LT_TIMESTAMP,
     .is_batch_constant = true,
     .evaluate          = instant_evaluate,
     .summary           = "The time of the batch.",
     .example           = "SELECT current_timestamp() IS NULL",
     .example_result    = "false"},
    {.name              = "now",
     .returns           = LT_TIMESTAMP,
     .is_batch_constant = true,
     .evaluate          = instant_evaluate,
     .summary           = "The time of the batch.",
     .example           = "SELECT now() IS NULL",
     .example_result    = "false",
     .since_note        = "Spark's now() in a stream is the clock's time, not the batch's"},
    {.name              = "localtimestamp",
     .returns           = LT_TIMESTAMP_NTZ,
     .is_batch_constant = true,
     .evaluate          = local_evaluate,
     .summary           = "The wall clock of the session's zone at the time of the batch.",
     .example           = "SELECT localtimestamp() IS NULL",
     .example_result    = "false"},
    {.name              = "current_time",
     .returns           = LT_TIME,
     .is_batch_constant = true,
     .evaluate          = time_evaluate,
     .display           = "current_time(6)",
     .summary           = "The time of day in the session's zone.",
     .example           = "SELECT current_time() IS NULL",
     .example_result    = "false"},
    {.name              = "current_time",
     .takes             = {LT_TAKES_INT | LT_TAKES_CONSTANT},
     .resolve           = time_resolve,
     .is_batch_constant = true,
     .evaluate          = time_evaluate},
    {.name              = "localtime",
     .returns           = LT_TIME,
     .is_batch_constant = true,
     .evaluate          = time_evaluate,
     .display           = "current_time(6)",
     .summary           = "The same as current_time.",
     .example           = "SELECT localtime() IS NULL",
     .example_result    = "false"},
    {.name              = "localtime",
     .takes             = {LT_TAKES_INT | LT_TAKES_CONSTANT},
     .resolve           = time_resolve,
     .is_batch_constant = true,
     .evaluate          = time_evaluate,
     .display           = "current_time($1)"},
    {.name              = "current_timezone",
     .returns           = LT_STRING,
     .is_batch_constant = true,
     .evaluate          = zone_evaluate,
     .summary           = "The session's time zone.",
     .example           = "SELECT current_timezone()",
     .example_result    = "UTC"},
    {0},
};
