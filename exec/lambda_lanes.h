// lambda_lanes: what higher-order functions share: binding of a lambda argument, and running it over many elements at
// once.
//
// An argument that is no lambda stands for one that ignores its variables: transform(a, 5).
#ifndef LT_EXEC_LAMBDA_LANES_H
#define LT_EXEC_LAMBDA_LANES_H

#include "exec/nested.h"

// Types the lambda's variables with the first of variable_types (a lambda may take fewer than `variable_count`, but at
// least `variable_min`) and gives its result type. Errors: INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH.
leat_status lt_lambda_bind(lt_resolution *resolution, uint32_t argument, const lt_type *const *variable_types,
                           uint32_t variable_min, uint32_t variable_count, const lt_type **out_result, leat_error *err);

// Lanes that a lambda runs over: variables side by side, with the row of the call that each lane belongs to.
typedef struct lt_lambda_lanes {
    lt_call  *call;
    lt_vector variables[3];
    uint32_t  variable_count;
    uint32_t *outer_rows;
    uint32_t  count, capacity;
} lt_lambda_lanes;

leat_status lt_lambda_lanes_init(lt_lambda_lanes *lanes, lt_call *call, const lt_type *const *variable_types,
                                 uint32_t variable_count, leat_error *err);
// Notes that a lane of the row was appended to each variable.
leat_status lt_lambda_lanes_note(lt_lambda_lanes *lanes, uint32_t outer_row, leat_error *err);
// *out has a lane (flat, or constant) for each noted one.
leat_status lt_lambda_lanes_run(lt_lambda_lanes *lanes, uint32_t argument, const lt_vector **out, leat_error *err);

// A lane of a predicate's result: -1 unknown, 0 false, 1 true.
static inline int lt_lambda_truth(const lt_vector *result, uint32_t lane) {
    return lt_vector_is_null(result, lane) ? -1 : LT_VALUE(result, uint8_t, lane) != 0;
}
static inline bool lt_lambda_is_predicate(const lt_type *result) {
    return result->kind == LT_BOOLEAN || result->kind == LT_VOID;
}

#endif
