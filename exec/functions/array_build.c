// array(...), array_repeat(x, n), arrays_zip(...), flatten(a): arrays made of values and of other arrays.
// array: elements get their common type, as in CASE. Source: Spark SQL 4.
#include "exec/nested.h"

enum { ARRAY_ELEMENTS_MAX = 10 * 1000 * 1000 };

static leat_status array_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *element = lt_resolve_common(resolution, 0, 1);
    if (element == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, &resolution->place,
                        "the elements of an array need a common type");
    for (uint32_t i = 0; i < resolution->argument_count; i++) resolution->types[i] = element;
    return lt_resolve_result_array(resolution, element, err);
}

static leat_status array_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        uint32_t start = lt_call_child(call)->lanes;
        for (uint32_t i = 0; i < call->argument_count; i++) LT_TRY(lt_call_append(call, call->arguments[i], row, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status repeat_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_exactly(resolution, 1, LT_INT)) return LEAT_DONE;
    return lt_resolve_result_array(resolution, resolution->types[0], err);
}

static leat_status repeat_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 1, row)) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        uint32_t start = lt_call_child(call)->lanes;
        int32_t  count = LT_ARG(call, 1, int32_t, row);
        if (count > ARRAY_ELEMENTS_MAX)
            return lt_call_raise(call, err, LT_LIMIT_EXCEEDED, "an array of %d elements; at most %d are allowed",
                                 (int)count, ARRAY_ELEMENTS_MAX);
        for (int32_t i = 0; i < count; i++) LT_TRY(lt_call_append(call, call->arguments[0], row, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

// Fields are named like the arguments where these are bare columns, else by their number.
static leat_status zip_resolve(lt_resolution *resolution, leat_error *err) {
    lt_field *fields;
    LT_TRY_NEW_ARRAY(fields, resolution->arena, resolution->argument_count, err);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (!lt_resolve_array(resolution, i)) return LEAT_DONE;
        const char *name = resolution->names != NULL ? resolution->names[i] : NULL;
        fields[i].name   = name != NULL ? name : lt_arena_format(resolution->arena, "%u", i);
        fields[i].type   = resolution->types[i]->fields[0].type;
        if (fields[i].name == NULL) return lt_raise_no_memory(err);
    }
    const lt_type *element = lt_type_struct(resolution->arena, fields, resolution->argument_count);
    return element == NULL ? lt_raise_no_memory(err) : lt_resolve_result_array(resolution, element, err);
}

static leat_status zip_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_vector *child = lt_call_child(call);
        uint32_t   start = child->lanes, count = 0;
        for (uint32_t a = 0; a < call->argument_count; a++) {
            uint32_t elements = lt_call_elements(call, a, row).count;
            if (elements > count) count = elements;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t lane;
            LT_TRY(lt_lane_add(child, &lane, call->arena, err));
            for (uint32_t a = 0; a < call->argument_count; a++) {
                lt_elements elements = lt_call_elements(call, a, row);
                LT_TRY(i < elements.count ? lt_lane_put(&child->children[a], lane, elements.child, elements.offset + i,
                                                        call->arena, err)
                                          : lt_lane_put_null(&child->children[a], lane, call->arena, err));
            }
        }
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status flatten_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *type = resolution->types[0];
    if (type->kind != LT_ARRAY || type->fields[0].type->kind != LT_ARRAY) return LEAT_DONE;
    return lt_resolve_result(resolution, type->fields[0].type, err);
}

static leat_status flatten_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements lists   = lt_call_elements(call, 0, row);
        lt_vector  *child   = lt_call_child(call);
        uint32_t    start   = child->lanes;
        bool        is_null = false;
        for (uint32_t i = 0; i < lists.count && !is_null; i++) is_null = lt_lane_is_null(lists.child, lists.offset + i);
        if (is_null) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        for (uint32_t i = 0; i < lists.count; i++) {
            lt_list list = LT_LANES(lists.child, const lt_list)[lists.offset + i];
            LT_TRY(lt_lanes_append(child, &lists.child->children[0], list.offset, list.count, call->arena, err));
        }
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

const lt_function lt_functions_array_build[] = {
    {.name           = "array",
     .takes          = {LT_TAKES_ANY | LT_TAKES_REPEATED},
     .is_null_aware  = true,
     .resolve        = array_resolve,
     .evaluate       = array_evaluate,
     .summary        = "An array of the arguments.",
     .example        = "SELECT array(1, 2, 3)",
     .example_result = "[1, 2, 3]"},
    {.name           = "array_repeat",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = repeat_resolve,
     .evaluate       = repeat_evaluate,
     .summary        = "An array with a value a number of times.",
     .example        = "SELECT array_repeat('a', 2)",
     .example_result = "[a, a]"},
    {.name           = "arrays_zip",
     .takes          = {LT_TAKES_ARRAY | LT_TAKES_REPEATED},
     .resolve        = zip_resolve,
     .evaluate       = zip_evaluate,
     .summary        = "An array of structs with the n-th elements of the arrays; missing ones are NULL.",
     .example        = "SELECT arrays_zip(array(1, 2), array('a', 'b'))",
     .example_result = "[{1, a}, {2, b}]"},
    {.name           = "flatten",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = flatten_resolve,
     .evaluate       = flatten_evaluate,
     .summary        = "One array of the elements of the arrays in an array.",
     .example        = "SELECT flatten(array(array(1, 2), array(3)))",
     .example_result = "[1, 2, 3]"},
    {0},
};
