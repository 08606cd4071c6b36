// sequence(start, stop [, step]): the values from start to stop, both included. Over integers, dates and timestamps;
// the step is an integer or an interval, by default one (day) toward stop. The n-th value is start + n * step, so that
// months of different length do not add up. Source: Spark SQL 4.
#include "base/checked.h"
#include "base/interval.h"
#include "base/lane_numbers.h"
#include "exec/nested.h"

enum { SEQUENCE_ELEMENTS_MAX = 10 * 1000 * 1000 };

// ------------------------------------------------------------------------------------------------------------ integers

static int64_t argument_integer(const lt_call *call, uint32_t argument, uint32_t row) {
    return lt_lane_integer(call->arguments[argument], call->arguments[argument]->form == LT_CONSTANT ? 0 : row);
}

static leat_status raise_boundaries(lt_call *call, leat_error *err) {
    return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL,
                         "sequence does not reach its stop: the step is zero or leads away from it");
}

static leat_status raise_too_long(lt_call *call, leat_error *err) {
    return lt_call_raise(call, err, LT_LIMIT_EXCEEDED, "sequence has more than %d elements", SEQUENCE_ELEMENTS_MAX);
}

static leat_status integers_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        int64_t    start = argument_integer(call, 0, row), stop = argument_integer(call, 1, row);
        int64_t    step  = call->argument_count > 2 ? argument_integer(call, 2, row) : start <= stop ? 1 : -1;
        lt_vector *child = lt_call_child(call);
        uint32_t   first = child->lanes;
        if (step == 0 ? start != stop : step > 0 ? start > stop : start < stop) return raise_boundaries(call, err);
        lt_int128 length = step == 0 ? 1 : ((lt_int128)stop - start) / step + 1;
        if (length > SEQUENCE_ELEMENTS_MAX) return raise_too_long(call, err);
        LT_TRY(lt_vector_reserve(child, first + (uint32_t)length, call->arena, err));
        for (uint32_t i = 0; i < (uint32_t)length; i++)
            lt_lane_put_integer(child, first + i, (int64_t)((lt_int128)start + (lt_int128)step * i));
        child->lanes = first + (uint32_t)length;
        lt_call_put_list(call, row, first);
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------- dates and times

typedef struct time_step {
    int64_t months, days, microseconds;
} time_step;

static time_step argument_step(const lt_call *call, uint32_t row, bool is_forward) {
    if (call->argument_count < 3) return (time_step){.days = is_forward ? 1 : -1};
    const lt_vector *vector = call->arguments[2];
    uint32_t         lane   = vector->form == LT_CONSTANT ? 0 : row;
    if (vector->type->kind == LT_INTERVAL_YEAR_MONTH)
        return (time_step){.months = LT_LANES(vector, const int32_t)[lane]};
    if (vector->type->kind == LT_INTERVAL_DAY_TIME) {
        int64_t us = LT_LANES(vector, const int64_t)[lane];
        return (time_step){.days = us / LT_US_PER_DAY, .microseconds = us % LT_US_PER_DAY};
    }
    const lt_calendar_interval *interval = &LT_LANES(vector, const lt_calendar_interval)[lane];
    return (time_step){interval->months, interval->days, interval->microseconds};
}

// Direction by an estimate of 31 days a month, as only the sign counts.
static int step_sign(time_step step) {
    lt_int128 us = ((lt_int128)step.months * 31 + step.days) * LT_US_PER_DAY + step.microseconds;
    return (us > 0) - (us < 0);
}

static bool add_steps(const lt_type *type, const lt_time_zone *zone, int64_t start, time_step step, int64_t count,
                      int64_t *out) {
    if (type->kind == LT_DATE) {
        int64_t days = lt_days_add_months(start, step.months * count) + step.days * count;
        *out         = days;
        return lt_days_fit(days);
    }
    int64_t us;
    return !lt_multiply_overflows(step.microseconds, count, &us) &&
           lt_timestamp_add(zone, start, step.months * count, step.days * count, us, out);
}

static leat_status time_sequence(lt_call *call, const lt_time_zone *zone, uint32_t row, leat_error *err) {
    const lt_type *type    = call->arguments[0]->type;
    bool           is_date = type->kind == LT_DATE;
    lt_vector     *child   = lt_call_child(call);
    uint32_t       first   = child->lanes;
    int64_t        start   = is_date ? LT_ARG(call, 0, int32_t, row) : LT_ARG(call, 0, int64_t, row);
    int64_t        stop    = is_date ? LT_ARG(call, 1, int32_t, row) : LT_ARG(call, 1, int64_t, row);
    time_step      step    = argument_step(call, row, start <= stop);
    int            sign    = step_sign(step);
    if (is_date && step.microseconds != 0)
        return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "the step of a sequence of dates must be whole days");
    if (sign == 0 ? start != stop : sign > 0 ? start > stop : start < stop) return raise_boundaries(call, err);
    int64_t value = start;
    for (int64_t i = 1; sign >= 0 ? value <= stop : value >= stop; i++) {
        uint32_t lane;
        if (i > SEQUENCE_ELEMENTS_MAX) return raise_too_long(call, err);
        LT_TRY(lt_lane_add(child, &lane, call->arena, err));
        if (is_date)
            LT_LANES(child, int32_t)[lane] = (int32_t)value;
        else
            LT_LANES(child, int64_t)[lane] = value;
        if (sign == 0 || !add_steps(type, zone, start, step, i, &value)) break;
    }
    lt_call_put_list(call, row, first);
    return LEAT_OK;
}

static leat_status times_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    if (call->arguments[0]->type->kind == LT_TIMESTAMP)
        LT_TRY(lt_time_zone_of_session(call->evaluation, &zone, err));
    else
        LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &zone, err));
    LT_EACH_ROW(call, row) LT_TRY(time_sequence(call, &zone, row, err));
    return LEAT_OK;
}

static leat_status sequence_evaluate(lt_call *call, leat_error *err) {
    return lt_kind_is_integral(call->arguments[0]->type->kind) ? integers_evaluate(call, err)
                                                               : times_evaluate(call, err);
}

static leat_status sequence_resolve(lt_resolution *resolution, leat_error *err) {
    bool           has_interval = resolution->argument_count > 2 && lt_kind_is_interval(resolution->types[2]->kind);
    const lt_type *type         = resolution->common_type(resolution, resolution->types[0], resolution->types[1]);
    if (type != NULL && resolution->argument_count > 2 && !has_interval)
        type = resolution->common_type(resolution, type, resolution->types[2]);
    bool is_integral = type != NULL && lt_kind_is_integral(type->kind) && !has_interval;
    bool is_time     = type != NULL &&
                   (type->kind == LT_DATE || type->kind == LT_TIMESTAMP || type->kind == LT_TIMESTAMP_NTZ) &&
                   (has_interval || resolution->argument_count == 2);
    if (!is_integral && !is_time)
        return lt_raise(err, LT_DATATYPE_MISMATCH__SEQUENCE_WRONG_INPUT_TYPES, &resolution->place,
                        "sequence takes integers, or dates or timestamps with an interval, not %s and %s",
                        lt_resolve_text(resolution, 0), lt_resolve_text(resolution, 1));
    resolution->types[0] = resolution->types[1] = type;
    if (resolution->argument_count > 2 && !has_interval) resolution->types[2] = type;
    return lt_resolve_result_array(resolution, type, err);
}

const lt_function lt_functions_array_sequence[] = {
    {.name           = "sequence",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},
     .can_fail       = true,
     .resolve        = sequence_resolve,
     .evaluate       = sequence_evaluate,
     .summary        = "The values from a start to a stop, one step apart, as an array.",
     .example        = "SELECT sequence(1, 7, 3)",
     .example_result = "[1, 4, 7]"},
    {0},
};
