#include "exec/kernels/datetime.h"

// timestampadd(UNIT, n, t) and timestampdiff(UNIT, from, to), under all their names. The unit is a word, which the
// binder gives as a constant text. Days and longer count on the zone's calendar. Source: Spark SQL 4.

// The unit of a call, checked when it is bound. LEAT_DONE: this is a call of another form.
static leat_status unit_check(lt_resolution *resolution, leat_error *err) {
    lt_datetime_unit unit;
    if (resolution->argument_count != 3) return LEAT_DONE;
    if (resolution->constants == NULL || resolution->constants[0] == NULL ||
        resolution->constants[0]->type->kind != LT_STRING || lt_vector_is_null(resolution->constants[0], 0))
        return lt_raise(err, LT_INVALID_PARAMETER_VALUE__DATETIME_UNIT, &resolution->places[0],
                        "%s wants a unit as a word, like DAY or HOUR", resolution->function->name);
    const lt_string *word = &LT_VALUE(resolution->constants[0], lt_string, 0);
    if (!lt_datetime_unit_of_step(word, &unit))
        return lt_raise(err, LT_UNRESOLVED_ROUTINE, &resolution->place, "%s does not know the unit `%.*s`",
                        resolution->function->name, (int)(word->bytes > 40 ? 40 : word->bytes), lt_string_data(word));
    return LEAT_OK;
}

static bool is_time_like(lt_kind kind) {
    return kind == LT_DATE || kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ || kind == LT_STRING || kind == LT_VOID;
}

static leat_status timestampadd_resolve(lt_resolution *resolution, leat_error *err) {
    LT_TRY(unit_check(resolution, err));
    const lt_kind count = resolution->types[1]->kind, source = resolution->types[2]->kind;
    if (!(lt_kind_is_numeric(count) || count == LT_STRING || count == LT_VOID) || !is_time_like(source))
        return LEAT_DONE;
    resolution->types[1] = lt_type_of(LT_BIGINT);
    resolution->types[2] = lt_type_of(source == LT_TIMESTAMP_NTZ ? LT_TIMESTAMP_NTZ : LT_TIMESTAMP);
    resolution->result   = resolution->types[2];
    return LEAT_OK;
}

static leat_status timestampdiff_resolve(lt_resolution *resolution, leat_error *err) {
    LT_TRY(unit_check(resolution, err));
    for (int i = 1; i <= 2; i++) {
        if (!is_time_like(resolution->types[i]->kind)) return LEAT_DONE;
        resolution->types[i] = lt_type_of(LT_TIMESTAMP);
    }
    resolution->result = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

static leat_status timestampadd_evaluate(lt_call *call, leat_error *err) {
    int64_t     *times = call->result->values;
    lt_time_zone zone;
    if (call->result->type->kind == LT_TIMESTAMP)
        LT_TRY(lt_call_zone(call, &zone, err));
    else
        LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &zone, err));
    LT_EACH_ROW(call, row) {
        lt_datetime_unit unit = LT_DATETIME_DAY;
        (void)lt_datetime_unit_of_step(&LT_ARG(call, 0, lt_string, row), &unit); // checked when bound
        if (!lt_timestamp_step(&zone, LT_ARG(call, 2, int64_t, row), unit, LT_ARG(call, 1, int64_t, row), &times[row]))
            return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the result is beyond the range of TIMESTAMP");
    }
    return LEAT_OK;
}

static leat_status timestampdiff_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        lt_datetime_unit unit = LT_DATETIME_DAY;
        (void)lt_datetime_unit_of_step(&LT_ARG(call, 0, lt_string, row), &unit);
        const int64_t from                   = lt_time_zone_local_us(&zone, LT_ARG(call, 1, int64_t, row));
        const int64_t to                     = lt_time_zone_local_us(&zone, LT_ARG(call, 2, int64_t, row));
        LT_LANES(call->result, int64_t)[row] = lt_wall_clock_units_between(from, to, unit);
    }
    return LEAT_OK;
}

#define ADD_ROW(function_name)                                                                                         \
    .name = function_name, .takes = {LT_TAKES_STRING, LT_TAKES_ANY, LT_TAKES_ANY}, .resolve = timestampadd_resolve,    \
    .can_fail = true, .evaluate = timestampadd_evaluate, .display = "timestampadd($1, $2, $3)"
#define DIFF_ROW(function_name)                                                                                        \
    .name = function_name, .takes = {LT_TAKES_STRING, LT_TAKES_ANY, LT_TAKES_ANY}, .resolve = timestampdiff_resolve,   \
    .evaluate = timestampdiff_evaluate, .display = "timestampdiff($1, $2, $3)"

const lt_function lt_functions_timestamp_step[] = {
    {ADD_ROW("timestampadd"), .summary = "The instant so many units later.",
     .example        = "SELECT timestampadd(MONTH, 1, TIMESTAMP '2024-01-31 00:00:00')",
     .example_result = "2024-02-29 00:00:00"},
    {ADD_ROW("dateadd")},
    {ADD_ROW("date_add")},
    {DIFF_ROW("timestampdiff"), .summary = "Whole units from the first instant to the second.",
     .example = "SELECT timestampdiff(MINUTE, DATE '2024-03-01', DATE '2024-03-02')", .example_result = "1440"},
    {DIFF_ROW("datediff")},
    {DIFF_ROW("date_diff")},
    {DIFF_ROW("timediff"), .summary = "Whole units from the first instant to the second.",
     .example        = "SELECT timediff(HOUR, TIMESTAMP '2024-03-01 00:00:00', TIMESTAMP '2024-03-01 05:30:00')",
     .example_result = "5"},
    {0},
};
