// a[i], m[k], element_at, try_element_at, get, size, slice: parts of arrays and maps.
// a[i] and get count from 0, element_at and slice from 1 and from the end with negative numbers. A key that a map does
// not have gives NULL. Source: Spark SQL 4, ANSI mode.
#include "base/cast.h"
#include "exec/nested.h"

// ------------------------------------------------------------------------------------------------------- look-up by
// key

// Lane of the key in the entries of a map, or UINT32_MAX.
static uint32_t find_key(const lt_elements *entries, const lt_vector *keys, uint32_t row) {
    for (uint32_t i = 0; i < entries->count; i++)
        if (lt_vector_compare(&entries->child->children[0], entries->offset + i, keys, row) == 0)
            return entries->offset + i;
    return UINT32_MAX;
}

static leat_status map_value_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements entries = lt_call_elements(call, 0, row);
        uint32_t    lane    = find_key(&entries, call->arguments[1], row);
        LT_TRY(lane == UINT32_MAX ? lt_call_put_nothing(call, row, err)
                                  : lt_call_put(call, row, &entries.child->children[1], lane, err));
    }
    return LEAT_OK;
}

// m[k]: the key is cast to the map's key type, as a function argument is.
static leat_status subscript_map_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *map = resolution->types[0], *key = resolution->types[1];
    if (map->kind != LT_MAP) return LEAT_DONE;
    const lt_type *wanted = map->fields[0].type;
    if (!lt_type_same_shape(wanted, key) && key->kind != LT_VOID) {
        lt_condition why;
        bool         is_number = lt_kind_is_numeric(wanted->kind) && lt_kind_is_numeric(key->kind);
        bool         is_text   = wanted->kind == LT_STRING && !lt_kind_is_nested(key->kind) && key->kind != LT_BINARY;
        bool         from_text = key->kind == LT_STRING && !lt_kind_is_nested(wanted->kind);
        bool         is_time   = lt_kind_is_datetime(wanted->kind) && lt_kind_is_datetime(key->kind);
        bool         is_nested = wanted->kind == key->kind && lt_kind_is_nested(key->kind);
        if (!(is_number || is_text || from_text || is_time || is_nested) || !lt_cast_is_allowed(key, wanted, &why))
            return LEAT_DONE;
    }
    resolution->types[1] = wanted;
    return lt_resolve_result(resolution, map->fields[1].type, err);
}

// element_at(m, k): map and key meet in their common type.
static leat_status element_of_map_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *map = resolution->types[0];
    if (map->kind != LT_MAP) return LEAT_DONE;
    const lt_type *key = lt_resolve_plain_common(resolution, map->fields[0].type, resolution->types[1]);
    if (key == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__MAP_FUNCTION_DIFF_TYPES, &resolution->place,
                        "the map has keys of another type than %s", lt_resolve_text(resolution, 1));
    resolution->types[0] = lt_type_map(resolution->arena, key, map->fields[1].type);
    resolution->types[1] = key;
    if (resolution->types[0] == NULL) return lt_raise_no_memory(err);
    return lt_resolve_result(resolution, map->fields[1].type, err);
}

// ----------------------------------------------------------------------------------------------------- look-up by
// index

static leat_status subscript_array_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY) return LEAT_DONE;
    lt_kind    kind         = resolution->types[1]->kind;
    const bool is_subscript = resolution->function->name[0] == '['; // which takes integers only
    if (is_subscript && !lt_kind_is_integral(kind) && kind != LT_VOID) return LEAT_DONE;
    if (!lt_kind_is_numeric(kind) && kind != LT_STRING && kind != LT_VOID) return LEAT_DONE;
    resolution->types[1] = lt_type_of(LT_BIGINT);
    return lt_resolve_result(resolution, resolution->types[0]->fields[0].type, err);
}

static leat_status subscript_array_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        int64_t     index    = LT_ARG(call, 1, int64_t, row);
        if (index < 0 || index >= (int64_t)elements.count)
            return lt_call_raise(call, err, LT_INVALID_ARRAY_INDEX,
                                 "index %lld is outside of an array of %u elements; get(array, index) gives NULL",
                                 (long long)index, elements.count);
        LT_TRY(lt_call_put(call, row, elements.child, elements.offset + (uint32_t)index, err));
    }
    return LEAT_OK;
}

static leat_status element_of_array_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY) return LEAT_DONE;
    lt_kind kind = resolution->types[1]->kind;
    if (kind != LT_TINYINT && kind != LT_SMALLINT && kind != LT_INT && kind != LT_VOID) return LEAT_DONE;
    resolution->types[1] = lt_type_of(LT_INT);
    return lt_resolve_result(resolution, resolution->types[0]->fields[0].type, err);
}

static leat_status element_evaluate(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        int64_t     index    = LT_ARG(call, 1, int32_t, row);
        if (index == 0)
            return lt_call_raise(call, err, LT_INVALID_INDEX_OF_ZERO, "index 0; the first element has index 1");
        int64_t at = index > 0 ? index - 1 : (int64_t)elements.count + index;
        if (at >= 0 && at < (int64_t)elements.count) {
            LT_TRY(lt_call_put(call, row, elements.child, elements.offset + (uint32_t)at, err));
            continue;
        }
        if (!is_try)
            return lt_call_raise(call, err, LT_INVALID_ARRAY_INDEX_IN_ELEMENT_AT,
                                 "index %lld is outside of an array of %u elements; try_element_at gives NULL",
                                 (long long)index, elements.count);
        LT_TRY(lt_call_put_nothing(call, row, err));
    }
    return LEAT_OK;
}
static leat_status element_at_evaluate(lt_call *call, leat_error *err) { return element_evaluate(call, false, err); }
static leat_status try_element_at_evaluate(lt_call *call, leat_error *err) { return element_evaluate(call, true, err); }

static leat_status get_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0)) return LEAT_DONE;
    lt_kind    kind         = resolution->types[1]->kind;
    const bool is_subscript = resolution->function->name[0] == '['; // which takes integers only
    if (is_subscript && !lt_kind_is_integral(kind) && kind != LT_VOID) return LEAT_DONE;
    if (!lt_kind_is_numeric(kind) && kind != LT_STRING && kind != LT_VOID) return LEAT_DONE;
    resolution->types[1] = lt_type_of(LT_BIGINT);
    return lt_resolve_result(resolution, resolution->types[0]->fields[0].type, err);
}

static leat_status get_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        int64_t     index    = LT_ARG(call, 1, int64_t, row);
        LT_TRY(index >= 0 && index < (int64_t)elements.count
                   ? lt_call_put(call, row, elements.child, elements.offset + (uint32_t)index, err)
                   : lt_call_put_nothing(call, row, err));
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------ size and slice

static leat_status size_resolve(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->types[0]->kind;
    if (kind == LT_VOID && !lt_resolve_array(resolution, 0)) return LEAT_DONE;
    if (kind != LT_ARRAY && kind != LT_MAP && kind != LT_VOID) return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_INT), err);
}

static leat_status array_size_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0)) return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_INT), err);
}

static leat_status size_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) LT_LANES(call->result, int32_t)[row] = (int32_t)LT_ARG(call, 0, lt_list, row).count;
    return LEAT_OK;
}

static leat_status slice_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0) || !lt_resolve_int(resolution, 1) || !lt_resolve_int(resolution, 2))
        return LEAT_DONE;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status slice_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        int64_t     start = LT_ARG(call, 1, int32_t, row), length = LT_ARG(call, 2, int32_t, row);
        if (start == 0)
            return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__START,
                                 "slice starts at 0; the first element has index 1");
        if (length < 0)
            return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__LENGTH, "slice has the negative length %lld",
                                 (long long)length);
        int64_t  first = start > 0 ? start - 1 : (int64_t)elements.count + start;
        uint32_t begin = lt_call_child(call)->lanes;
        if (first >= 0 && first < (int64_t)elements.count) {
            if (length > (int64_t)elements.count - first) length = (int64_t)elements.count - first;
            LT_TRY(lt_lanes_append(lt_call_child(call), elements.child, elements.offset + (uint32_t)first,
                                   (uint32_t)length, call->arena, err));
        }
        lt_call_put_list(call, row, begin);
    }
    return LEAT_OK;
}

const lt_function lt_functions_array_access[] = {
    {.name           = "[]",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .can_fail       = true,
     .resolve        = subscript_array_resolve,
     .evaluate       = subscript_array_evaluate,
     .display        = "$1[$2]",
     .summary        = "The element of an array at an index from 0, or the value of a key in a map.",
     .example        = "SELECT array('a', 'b')[1]",
     .example_result = "b"},
    {.name     = "[]",
     .takes    = {LT_TAKES_MAP, LT_TAKES_ANY},
     .resolve  = subscript_map_resolve,
     .evaluate = map_value_evaluate,
     .display  = "$1[$2]"},
    {.name           = "element_at",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .can_fail       = true,
     .resolve        = element_of_array_resolve,
     .evaluate       = element_at_evaluate,
     .summary        = "The element at an index from 1, negative from the end; or the value of a key in a map.",
     .example        = "SELECT element_at(array(1, 2, 3), -1)",
     .example_result = "3"},
    {.name     = "element_at",
     .takes    = {LT_TAKES_MAP, LT_TAKES_ANY},
     .resolve  = element_of_map_resolve,
     .evaluate = map_value_evaluate},
    {.name           = "try_element_at",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .can_fail       = true,
     .resolve        = element_of_array_resolve,
     .evaluate       = try_element_at_evaluate,
     .summary        = "Like element_at, but NULL outside of the array.",
     .example        = "SELECT try_element_at(array(1, 2), 5)",
     .example_result = "NULL"},
    {.name     = "try_element_at",
     .takes    = {LT_TAKES_MAP, LT_TAKES_ANY},
     .resolve  = element_of_map_resolve,
     .evaluate = map_value_evaluate},
    {.name           = "get",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .resolve        = get_resolve,
     .evaluate       = get_evaluate,
     .summary        = "The element of an array at an index from 0, NULL outside of it.",
     .example        = "SELECT get(array(1, 2), 5)",
     .example_result = "NULL"},
    {.name           = "size",
     .takes          = {LT_TAKES_ANY},
     .resolve        = size_resolve,
     .evaluate       = size_evaluate,
     .summary        = "The number of elements of an array or entries of a map.",
     .example        = "SELECT size(array(1, 2))",
     .example_result = "2"},
    {.name           = "cardinality",
     .takes          = {LT_TAKES_ANY},
     .resolve        = size_resolve,
     .evaluate       = size_evaluate,
     .summary        = "The same as size.",
     .example        = "SELECT cardinality(map('a', 1))",
     .example_result = "1"},
    {.name           = "array_size",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = array_size_resolve,
     .evaluate       = size_evaluate,
     .summary        = "The number of elements of an array.",
     .example        = "SELECT array_size(array(1))",
     .example_result = "1"},
    {.name           = "slice",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY, LT_TAKES_ANY},
     .can_fail       = true,
     .resolve        = slice_resolve,
     .evaluate       = slice_evaluate,
     .summary        = "Elements from an index (from 1, negative from the end) on, at most so many.",
     .example        = "SELECT slice(array(1, 2, 3, 4), 2, 2)",
     .example_result = "[2, 3]"},
    {0},
};
