// transform, filter, exists, forall, zip_with, aggregate (reduce): a lambda over the elements of arrays. The elements
// of all rows of a chunk run together, so that a lambda costs per element, not per row. Source: Spark SQL 4.
#include "exec/lambda_lanes.h"

// Variables (element, index) of all rows that have an array; rows without one become NULL.
static leat_status gather(lt_call *call, lt_lambda_lanes *lanes, bool with_index, leat_error *err) {
    const lt_type *types[2] = {call->arguments[0]->type->fields[0].type, lt_type_of(LT_INT)};
    LT_TRY(lt_lambda_lanes_init(lanes, call, types, with_index ? 2 : 1, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        lt_elements elements = lt_call_elements(call, 0, row);
        LT_TRY(
            lt_lanes_append(&lanes->variables[0], elements.child, elements.offset, elements.count, call->arena, err));
        for (uint32_t i = 0; i < elements.count; i++) {
            LT_TRY(lt_lambda_lanes_note(lanes, row, err));
            if (!with_index) continue;
            uint32_t lane;
            LT_TRY(lt_lane_add(&lanes->variables[1], &lane, call->arena, err));
            LT_LANES(&lanes->variables[1], int32_t)[lane] = (int32_t)i;
        }
    }
    return LEAT_OK;
}

static leat_status bind_element(lt_resolution *resolution, uint32_t variable_max, const lt_type **out,
                                leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY) return LEAT_DONE;
    const lt_type *types[2] = {resolution->types[0]->fields[0].type, lt_type_of(LT_INT)};
    return lt_lambda_bind(resolution, 1, types, 1, variable_max, out, err);
}

// ----------------------------------------------------------------------------------------------------------- transform

static leat_status transform_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *result;
    LT_TRY(bind_element(resolution, 2, &result, err));
    return lt_resolve_result_array(resolution, result, err);
}

static leat_status transform_evaluate(lt_call *call, leat_error *err) {
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(gather(call, &lanes, true, err));
    LT_TRY(lt_lambda_lanes_run(&lanes, 1, &result, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) continue;
        uint32_t start = lt_call_child(call)->lanes, count = LT_ARG(call, 0, lt_list, row).count;
        for (uint32_t i = 0; i < count; i++) LT_TRY(lt_call_append(call, result, next++, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------- filter, exists, forall

static leat_status filter_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *result;
    LT_TRY(bind_element(resolution, 2, &result, err));
    if (!lt_lambda_is_predicate(result)) return LEAT_DONE;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status question_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *result;
    LT_TRY(bind_element(resolution, 1, &result, err));
    if (!lt_lambda_is_predicate(result)) return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_BOOLEAN), err);
}

static leat_status filter_evaluate(lt_call *call, leat_error *err) {
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(gather(call, &lanes, true, err));
    LT_TRY(lt_lambda_lanes_run(&lanes, 1, &result, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) continue;
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    start    = lt_call_child(call)->lanes;
        for (uint32_t i = 0; i < elements.count; i++)
            if (lt_lambda_truth(result, next++) == 1)
                LT_TRY(lt_call_append(call, elements.child, elements.offset + i, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

// An element whose answer is `deciding` decides; else an unknown answer makes the whole unknown.
static leat_status question_evaluate(lt_call *call, int deciding, leat_error *err) {
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(gather(call, &lanes, false, err));
    LT_TRY(lt_lambda_lanes_run(&lanes, 1, &result, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) continue;
        bool     is_decided = false, is_open = false;
        uint32_t count = LT_ARG(call, 0, lt_list, row).count;
        for (uint32_t i = 0; i < count; i++) {
            int truth = lt_lambda_truth(result, next++);
            is_decided |= truth == deciding;
            is_open |= truth == -1;
        }
        LT_LANES(call->result, uint8_t)[row] = (uint8_t)(is_decided ? deciding : !deciding);
        if (!is_decided && is_open) LT_TRY(lt_call_put_nothing(call, row, err));
    }
    return LEAT_OK;
}
static leat_status exists_evaluate(lt_call *call, leat_error *err) { return question_evaluate(call, 1, err); }
static leat_status forall_evaluate(lt_call *call, leat_error *err) { return question_evaluate(call, 0, err); }

// ------------------------------------------------------------------------------------------------------------ zip_with

static leat_status zip_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY || resolution->types[1]->kind != LT_ARRAY) return LEAT_DONE;
    const lt_type *types[2] = {resolution->types[0]->fields[0].type, resolution->types[1]->fields[0].type};
    const lt_type *result;
    LT_TRY(lt_lambda_bind(resolution, 2, types, 2, 2, &result, err));
    return lt_resolve_result_array(resolution, result, err);
}

static bool zip_is_null(const lt_call *call, uint32_t row) {
    return lt_arg_is_null(call, 0, row) || lt_arg_is_null(call, 1, row);
}

static uint32_t zip_count(const lt_call *call, uint32_t row) {
    uint32_t a = LT_ARG(call, 0, lt_list, row).count, b = LT_ARG(call, 1, lt_list, row).count;
    return a > b ? a : b;
}

static leat_status zip_gather(lt_call *call, lt_lambda_lanes *lanes, uint32_t row, leat_error *err) {
    uint32_t count = zip_count(call, row);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t a = 0; a < 2; a++) {
            lt_elements elements = lt_call_elements(call, a, row);
            LT_TRY(i < elements.count
                       ? lt_lane_append(&lanes->variables[a], elements.child, elements.offset + i, call->arena, err)
                       : lt_lane_append_null(&lanes->variables[a], call->arena, err));
        }
        LT_TRY(lt_lambda_lanes_note(lanes, row, err));
    }
    return LEAT_OK;
}

static leat_status zip_evaluate(lt_call *call, leat_error *err) {
    const lt_type   *types[2] = {call->arguments[0]->type->fields[0].type, call->arguments[1]->type->fields[0].type};
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(lt_lambda_lanes_init(&lanes, call, types, 2, err));
    LT_EACH_ROW(call, row) {
        LT_TRY(zip_is_null(call, row) ? lt_call_put_nothing(call, row, err) : zip_gather(call, &lanes, row, err));
    }
    LT_TRY(lt_lambda_lanes_run(&lanes, 2, &result, err));
    LT_EACH_ROW(call, row) {
        if (zip_is_null(call, row)) continue;
        uint32_t start = lt_call_child(call)->lanes, count = zip_count(call, row);
        for (uint32_t i = 0; i < count; i++) LT_TRY(lt_call_append(call, result, next++, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- aggregate

static leat_status aggregate_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY) return LEAT_DONE;
    const lt_type *types[2] = {resolution->types[1], resolution->types[0]->fields[0].type};
    const lt_type *merged, *result = resolution->types[1];
    LT_TRY(lt_lambda_bind(resolution, 2, types, 2, 2, &merged, err));
    if (!lt_type_same_shape(merged, resolution->types[1])) return LEAT_DONE;
    if (resolution->argument_count > 3) LT_TRY(lt_lambda_bind(resolution, 3, types, 1, 1, &result, err));
    return lt_resolve_result(resolution, result, err);
}

// Round k merges the k-th element of every row that has one: `running` has a lane for each of call->rows.
static leat_status merge_round(lt_call *call, uint32_t round, lt_vector *running, bool *out_is_last, leat_error *err) {
    const lt_type   *types[2] = {running->type, call->arguments[0]->type->fields[0].type};
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(lt_lambda_lanes_init(&lanes, call, types, 2, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint32_t row = call->rows[i];
        if (lt_arg_is_null(call, 0, row)) continue;
        lt_elements elements = lt_call_elements(call, 0, row);
        if (round >= elements.count) continue;
        LT_TRY(lt_lane_append(&lanes.variables[0], running, i, call->arena, err));
        LT_TRY(lt_lane_append(&lanes.variables[1], elements.child, elements.offset + round, call->arena, err));
        LT_TRY(lt_lambda_lanes_note(&lanes, row, err));
    }
    *out_is_last = lanes.count == 0;
    if (*out_is_last) return LEAT_OK;
    LT_TRY(lt_lambda_lanes_run(&lanes, 2, &result, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint32_t row = call->rows[i];
        if (lt_arg_is_null(call, 0, row) || round >= LT_ARG(call, 0, lt_list, row).count) continue;
        LT_TRY(lt_lane_put(running, i, result, next++, call->arena, err));
    }
    return LEAT_OK;
}

static leat_status aggregate_evaluate(lt_call *call, leat_error *err) {
    lt_vector        running;
    const lt_vector *result  = &running;
    bool             is_last = false;
    LT_TRY(lt_vector_init(&running, call->arguments[1]->type, call->row_count, call->arena, err));
    for (uint32_t i = 0; i < call->row_count; i++)
        LT_TRY(lt_lane_append(&running, call->arguments[1], call->rows[i], call->arena, err));
    for (uint32_t round = 0; !is_last; round++) LT_TRY(merge_round(call, round, &running, &is_last, err));
    if (call->argument_count > 3) {
        lt_lambda_lanes lanes;
        LT_TRY(lt_lambda_lanes_init(&lanes, call, &running.type, 1, err));
        lanes.variables[0] = running;
        for (uint32_t i = 0; i < call->row_count; i++) LT_TRY(lt_lambda_lanes_note(&lanes, call->rows[i], err));
        LT_TRY(lt_lambda_lanes_run(&lanes, 3, &result, err));
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint32_t row = call->rows[i];
        LT_TRY(lt_arg_is_null(call, 0, row) ? lt_call_put_nothing(call, row, err)
                                            : lt_call_put(call, row, result, i, err));
    }
    return LEAT_OK;
}

const lt_function lt_functions_lambda_array[] = {
    {.name           = "transform",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = transform_resolve,
     .evaluate       = transform_evaluate,
     .summary        = "An array of what a lambda gives for each element (and its index from 0).",
     .example        = "SELECT transform(array(1, 2, 3), x -> x + 1)",
     .example_result = "[2, 3, 4]"},
    {.name           = "filter",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = filter_resolve,
     .evaluate       = filter_evaluate,
     .summary        = "The elements of an array for which a lambda is true.",
     .example        = "SELECT filter(array(1, 2, 3, 4), x -> x % 2 = 0)",
     .example_result = "[2, 4]"},
    {.name           = "exists",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = question_resolve,
     .evaluate       = exists_evaluate,
     .summary        = "Whether a lambda is true for some element.",
     .example        = "SELECT exists(array(1, 2, 3), x -> x > 2)",
     .example_result = "true"},
    {.name           = "forall",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = question_resolve,
     .evaluate       = forall_evaluate,
     .summary        = "Whether a lambda is true for every element.",
     .example        = "SELECT forall(array(2, 4), x -> x % 2 = 0)",
     .example_result = "true"},
    {.name           = "zip_with",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = zip_resolve,
     .evaluate       = zip_evaluate,
     .summary        = "An array of what a lambda gives for the elements of two arrays side by side.",
     .example        = "SELECT zip_with(array(1, 2), array(10, 20), (x, y) -> x + y)",
     .example_result = "[11, 22]"},
    {.name           = "aggregate",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY, LT_TAKES_LAMBDA, LT_TAKES_LAMBDA | LT_TAKES_OPTIONAL},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = aggregate_resolve,
     .evaluate       = aggregate_evaluate,
     .display        = "$name($1, $2, $3, $4{lambdafunction(namedlambdavariable(), namedlambdavariable())})",
     .summary        = "The elements of an array merged one by one into a start value, and finished by a lambda.",
     .example        = "SELECT aggregate(array(1, 2, 3), 0, (acc, x) -> acc + x, acc -> acc * 10)",
     .example_result = "60"},
    {.name           = "reduce",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY, LT_TAKES_LAMBDA, LT_TAKES_LAMBDA | LT_TAKES_OPTIONAL},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = aggregate_resolve,
     .evaluate       = aggregate_evaluate,
     .display        = "$name($1, $2, $3, $4{lambdafunction(namedlambdavariable(), namedlambdavariable())})",
     .summary        = "The same as aggregate.",
     .example        = "SELECT reduce(array(1, 2, 3), 1, (acc, x) -> acc * x)",
     .example_result = "6"},
    {0},
};
