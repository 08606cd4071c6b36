#include "exec/lambda_lanes.h"

leat_status lt_lambda_bind(lt_resolution *resolution, uint32_t argument, const lt_type *const *variable_types,
                           uint32_t variable_min, uint32_t variable_count, const lt_type **out_result,
                           leat_error *err) {
    uint32_t arity = resolution->lambda_arities == NULL ? 0 : resolution->lambda_arities[argument];
    if (arity == 0) {
        *out_result = resolution->types[argument];
        return LEAT_OK;
    }
    if (arity < variable_min || arity > variable_count)
        return lt_raise(err, LT_INVALID_LAMBDA_FUNCTION_CALL__NUM_ARGS_MISMATCH, &resolution->places[argument],
                        "a lambda with %u variables; %u are given", arity, variable_count);
    return resolution->bind_lambda(resolution, argument, variable_types, arity, out_result, err);
}

leat_status lt_lambda_lanes_init(lt_lambda_lanes *lanes, lt_call *call, const lt_type *const *variable_types,
                                 uint32_t variable_count, leat_error *err) {
    *lanes = (lt_lambda_lanes){.call = call, .variable_count = variable_count};
    for (uint32_t i = 0; i < variable_count; i++)
        LT_TRY(lt_vector_init(&lanes->variables[i], variable_types[i], 0, call->arena, err));
    return LEAT_OK;
}

leat_status lt_lambda_lanes_note(lt_lambda_lanes *lanes, uint32_t outer_row, leat_error *err) {
    if (lanes->count == lanes->capacity) {
        uint32_t capacity = lanes->capacity == 0 ? 64 : lanes->capacity * 2;
        LT_TRY_LARGER_ARRAY(lanes->outer_rows, lanes->call->arena, lanes->count, capacity, err);
        lanes->capacity = capacity;
    }
    lanes->outer_rows[lanes->count++] = outer_row;
    return LEAT_OK;
}

leat_status lt_lambda_lanes_run(lt_lambda_lanes *lanes, uint32_t argument, const lt_vector **out, leat_error *err) {
    lt_call         *call  = lanes->call;
    const lt_vector *plain = call->arguments[argument];
    if (plain == NULL)
        return call->run_lambda(call, argument, lanes->variables, lanes->variable_count, lanes->outer_rows,
                                lanes->count, out, err);
    *out = plain;
    if (plain->form == LT_CONSTANT) return LEAT_OK;
    lt_vector *spread;
    LT_TRY_NEW(spread, call->arena, err);
    LT_TRY(lt_vector_init(spread, plain->type, lanes->count, call->arena, err));
    for (uint32_t i = 0; i < lanes->count; i++)
        LT_TRY(lt_lane_append(spread, plain, lanes->outer_rows[i], call->arena, err));
    *out = spread;
    return LEAT_OK;
}
