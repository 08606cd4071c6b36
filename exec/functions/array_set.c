// array_distinct, array_union, array_intersect, array_except: arrays as sets, in order of first appearance. Equality is
// that of grouping: NULL equals NULL, NaN equals NaN, -0.0 equals 0.0. Source: Spark SQL 4.
#include "base/value_set.h"
#include "exec/nested.h"

static leat_status check_orderable(lt_resolution *resolution, leat_error *err) {
    if (lt_type_is_orderable(resolution->types[0]->fields[0].type)) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                    "elements of %s cannot be compared", lt_resolve_text(resolution, 0));
}

static leat_status distinct_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0)) return LEAT_DONE;
    LT_TRY(check_orderable(resolution, err));
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status two_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *a = resolution->types[0], *b = resolution->types[1];
    const lt_type *common =
        a->kind == LT_ARRAY && b->kind == LT_ARRAY ? lt_resolve_tight_common(resolution, a, b) : NULL;
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__BINARY_ARRAY_DIFF_TYPES, &resolution->place,
                        "%s and %s are not arrays of one type", lt_resolve_text(resolution, 0),
                        lt_resolve_text(resolution, 1));
    resolution->types[0] = resolution->types[1] = common;
    LT_TRY(check_orderable(resolution, err));
    return lt_resolve_result(resolution, common, err);
}

// Appends the elements that `seen` does not have yet, and whose presence in `other` (unless NULL) is as wanted.
static leat_status append_new(lt_call *call, const lt_elements *elements, lt_value_set *seen, lt_value_set *other,
                              bool is_wanted_in_other, leat_error *err) {
    for (uint32_t i = elements->offset; i < elements->offset + elements->count; i++) {
        uint32_t member;
        bool     is_new;
        if (other != NULL) {
            LT_TRY(lt_value_set_find(other, elements->child, i, &member, err));
            if ((member != UINT32_MAX) != is_wanted_in_other) continue;
        }
        LT_TRY(lt_value_set_add(seen, elements->child, i, &member, &is_new, err));
        if (is_new) LT_TRY(lt_call_append(call, elements->child, i, err));
    }
    return LEAT_OK;
}

static leat_status add_all(const lt_elements *elements, lt_value_set *set, leat_error *err) {
    for (uint32_t i = elements->offset; i < elements->offset + elements->count; i++) {
        uint32_t member;
        bool     is_new;
        LT_TRY(lt_value_set_add(set, elements->child, i, &member, &is_new, err));
    }
    return LEAT_OK;
}

static leat_status union_evaluate(lt_call *call, leat_error *err) { // array_distinct is the union of one
    LT_EACH_ROW(call, row) {
        uint32_t     start = lt_call_child(call)->lanes;
        lt_value_set seen;
        lt_value_set_init(&seen, call->arena);
        for (uint32_t a = 0; a < call->argument_count; a++) {
            lt_elements elements = lt_call_elements(call, a, row);
            LT_TRY(append_new(call, &elements, &seen, NULL, false, err));
        }
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status filter_evaluate(lt_call *call, bool is_wanted_in_other, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements  a = lt_call_elements(call, 0, row), b = lt_call_elements(call, 1, row);
        uint32_t     start = lt_call_child(call)->lanes;
        lt_value_set seen, other;
        lt_value_set_init(&seen, call->arena);
        lt_value_set_init(&other, call->arena);
        LT_TRY(add_all(&b, &other, err));
        LT_TRY(append_new(call, &a, &seen, &other, is_wanted_in_other, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}
static leat_status intersect_evaluate(lt_call *call, leat_error *err) { return filter_evaluate(call, true, err); }
static leat_status except_evaluate(lt_call *call, leat_error *err) { return filter_evaluate(call, false, err); }

const lt_function lt_functions_array_set[] = {
    {.name           = "array_distinct",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = distinct_resolve,
     .evaluate       = union_evaluate,
     .summary        = "An array with each of its elements once.",
     .example        = "SELECT array_distinct(array(1, 2, 1))",
     .example_result = "[1, 2]"},
    {.name           = "array_union",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY},
     .resolve        = two_resolve,
     .evaluate       = union_evaluate,
     .summary        = "The elements of two arrays, each once.",
     .example        = "SELECT array_union(array(1, 2), array(2, 3))",
     .example_result = "[1, 2, 3]"},
    {.name           = "array_intersect",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY},
     .resolve        = two_resolve,
     .evaluate       = intersect_evaluate,
     .summary        = "The elements that two arrays have in common, each once.",
     .example        = "SELECT array_intersect(array(1, 2), array(2, 3))",
     .example_result = "[2]"},
    {.name           = "array_except",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY},
     .resolve        = two_resolve,
     .evaluate       = except_evaluate,
     .summary        = "The elements of the first array that the second has not, each once.",
     .example        = "SELECT array_except(array(1, 2, 2, 3), array(2))",
     .example_result = "[1, 3]"},
    {0},
};
