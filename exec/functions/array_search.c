// array_contains, array_position, array_min, array_max, arrays_overlap: questions about the elements of arrays.
// A value that is not found among NULLs is unknown: NULL. Source: Spark SQL 4.
#include "base/value_set.h"
#include "exec/nested.h"

// Array and value meet in a common type that does not turn texts into numbers.
static leat_status element_resolve(lt_resolution *resolution, bool is_tight, leat_error *err) {
    const lt_type *array = resolution->types[0], *value = resolution->types[1];
    if (array->kind == LT_VOID || (value->kind == LT_VOID && !is_tight))
        return lt_raise(err, LT_DATATYPE_MISMATCH__NULL_TYPE, &resolution->place,
                        "a bare NULL; give it a type with CAST");
    if (array->kind != LT_ARRAY) return LEAT_DONE;
    const lt_type *common = is_tight ? lt_resolve_tight_common(resolution, array->fields[0].type, value)
                                     : lt_resolve_plain_common(resolution, array->fields[0].type, value);
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__ARRAY_FUNCTION_DIFF_TYPES, &resolution->place,
                        "%s and %s have no common element type", lt_resolve_text(resolution, 0),
                        lt_resolve_text(resolution, 1));
    resolution->types[0] = lt_type_array(resolution->arena, common);
    resolution->types[1] = common;
    if (resolution->types[0] == NULL) return lt_raise_no_memory(err);
    if (!lt_type_is_orderable(common))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "values of type %s cannot be compared", lt_resolve_text(resolution, 1));
    return LEAT_OK;
}

static leat_status contains_resolve(lt_resolution *resolution, leat_error *err) {
    LT_TRY(element_resolve(resolution, false, err));
    return lt_resolve_result(resolution, lt_type_of(LT_BOOLEAN), err);
}
static leat_status position_resolve(lt_resolution *resolution, leat_error *err) {
    LT_TRY(element_resolve(resolution, true, err));
    return lt_resolve_result(resolution, lt_type_of(LT_BIGINT), err);
}

// Index from 0, or UINT32_MAX.
static uint32_t find(const lt_elements *elements, const lt_vector *value, uint32_t row, bool *out_has_null) {
    *out_has_null = false;
    for (uint32_t i = 0; i < elements->count; i++) {
        if (lt_lane_is_null(elements->child, elements->offset + i))
            *out_has_null = true;
        else if (lt_vector_compare(elements->child, elements->offset + i, value, row) == 0)
            return i;
    }
    return UINT32_MAX;
}

static leat_status contains_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        bool        has_null, is_found = find(&elements, call->arguments[1], row, &has_null) != UINT32_MAX;
        LT_LANES(call->result, uint8_t)[row] = is_found;
        if (!is_found && has_null) LT_TRY(lt_call_put_nothing(call, row, err));
    }
    return LEAT_OK;
}

static leat_status position_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        bool        has_null;
        uint32_t    index                    = find(&elements, call->arguments[1], row, &has_null);
        LT_LANES(call->result, int64_t)[row] = index == UINT32_MAX ? 0 : (int64_t)index + 1;
    }
    return LEAT_OK;
}

static leat_status extreme_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0)) return LEAT_DONE;
    const lt_type *element = resolution->types[0]->fields[0].type;
    if (!lt_type_is_orderable(element))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "elements of %s cannot be compared", lt_resolve_text(resolution, 0));
    return lt_resolve_result(resolution, element, err);
}

static leat_status extreme_evaluate(lt_call *call, int wanted, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    best     = UINT32_MAX;
        for (uint32_t i = elements.offset; i < elements.offset + elements.count; i++) {
            if (lt_lane_is_null(elements.child, i)) continue;
            if (best == UINT32_MAX || lt_vector_compare(elements.child, i, elements.child, best) * wanted > 0) best = i;
        }
        LT_TRY(best == UINT32_MAX ? lt_call_put_nothing(call, row, err)
                                  : lt_call_put(call, row, elements.child, best, err));
    }
    return LEAT_OK;
}
static leat_status min_evaluate(lt_call *call, leat_error *err) { return extreme_evaluate(call, -1, err); }
static leat_status max_evaluate(lt_call *call, leat_error *err) { return extreme_evaluate(call, 1, err); }

static leat_status overlap_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *a = resolution->types[0], *b = resolution->types[1];
    const lt_type *common =
        a->kind == LT_ARRAY && b->kind == LT_ARRAY ? lt_resolve_tight_common(resolution, a, b) : NULL;
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__BINARY_ARRAY_DIFF_TYPES, &resolution->place,
                        "%s and %s are not arrays of one type", lt_resolve_text(resolution, 0),
                        lt_resolve_text(resolution, 1));
    resolution->types[0] = resolution->types[1] = common;
    return lt_resolve_result(resolution, lt_type_of(LT_BOOLEAN), err);
}

static leat_status overlap_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements  a = lt_call_elements(call, 0, row), b = lt_call_elements(call, 1, row);
        bool         has_null = false, is_found = false;
        lt_value_set set;
        lt_value_set_init(&set, call->arena);
        for (uint32_t i = 0; i < a.count; i++) {
            uint32_t member;
            bool     is_new;
            if (lt_lane_is_null(a.child, a.offset + i))
                has_null = true;
            else
                LT_TRY(lt_value_set_add(&set, a.child, a.offset + i, &member, &is_new, err));
        }
        for (uint32_t i = 0; i < b.count && !is_found; i++) {
            uint32_t member;
            if (lt_lane_is_null(b.child, b.offset + i)) {
                has_null = true;
                continue;
            }
            LT_TRY(lt_value_set_find(&set, b.child, b.offset + i, &member, err));
            is_found = member != UINT32_MAX;
        }
        LT_LANES(call->result, uint8_t)[row] = is_found;
        if (!is_found && has_null && a.count > 0 && b.count > 0) LT_TRY(lt_call_put_nothing(call, row, err));
    }
    return LEAT_OK;
}

const lt_function lt_functions_array_search[] = {
    {.name           = "array_contains",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .resolve        = contains_resolve,
     .evaluate       = contains_evaluate,
     .summary        = "Whether a value is among the elements; NULL when only a NULL element leaves it open.",
     .example        = "SELECT array_contains(array(1, 2), 2)",
     .example_result = "true"},
    {.name           = "array_position",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .resolve        = position_resolve,
     .evaluate       = position_evaluate,
     .summary        = "The index from 1 of the first element equal to a value, 0 without one.",
     .example        = "SELECT array_position(array(3, 1), 1)",
     .example_result = "2"},
    {.name           = "array_min",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = extreme_resolve,
     .evaluate       = min_evaluate,
     .summary        = "The smallest element that is not NULL.",
     .example        = "SELECT array_min(array(3, 1, NULL))",
     .example_result = "1"},
    {.name           = "array_max",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = extreme_resolve,
     .evaluate       = max_evaluate,
     .summary        = "The largest element that is not NULL; NaN is the largest number.",
     .example        = "SELECT array_max(array(3, 1, NULL))",
     .example_result = "3"},
    {.name           = "arrays_overlap",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY},
     .resolve        = overlap_resolve,
     .evaluate       = overlap_evaluate,
     .summary        = "Whether two arrays have an element in common; NULL when only NULLs leave it open.",
     .example        = "SELECT arrays_overlap(array(1, 2), array(2, 3))",
     .example_result = "true"},
    {0},
};
