#include "exec/kernels/datetime.h"

// window_time(w): the last microsecond that belongs to a time window, so that windows can be windowed again.
// Source: Spark SQL 4.

static leat_status window_time_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 1) return LEAT_DONE;
    const lt_type *type = resolution->types[0];
    if (type->kind != LT_STRUCT || type->field_count != 2) return LEAT_DONE;
    const lt_kind end = type->fields[1].type->kind;
    if (end != LT_TIMESTAMP && end != LT_TIMESTAMP_NTZ) return LEAT_DONE;
    resolution->result = lt_type_of(end);
    return LEAT_OK;
}

static leat_status window_time_evaluate(lt_call *call, leat_error *err) {
    const lt_vector *window = call->arguments[0];
    LT_EACH_ROW(call, row) {
        const uint32_t   lane = lt_vector_lane(window, row);
        const lt_vector *end  = &window->children[1];
        if (lt_vector_is_null(end, lane))
            LT_TRY(lt_call_put_null(call, row, err));
        else
            LT_LANES(call->result, int64_t)[row] = LT_VALUE(end, int64_t, lane) - 1;
    }
    return LEAT_OK;
}

const lt_function lt_functions_window_time[] = {
    {.name           = "window_time",
     .takes          = {LT_TAKES_STRUCT},
     .resolve        = window_time_resolve,
     .evaluate       = window_time_evaluate,
     .summary        = "The last microsecond of a time window.",
     .example        = "SELECT window_time(named_struct('start', TIMESTAMP '2024-01-01 00:00:00', 'end', "
                       "TIMESTAMP '2024-01-01 00:01:00'))",
     .example_result = "2024-01-01 00:00:59.999999"},
    {0},
};
