// array_append, array_prepend, array_insert, array_remove, array_compact, reverse, concat, shuffle: an array with
// elements more, fewer or in another order. The forms of reverse and concat over texts are in the text families.
// Source: Spark SQL 4.
#include "exec/nested.h"

enum { INSERT_PADDING_MAX = 10 * 1000 * 1000 };

// Array (argument 0) and value (argument `value`) meet in a common type that does not turn texts into numbers.
static leat_status meet(lt_resolution *resolution, uint32_t value, leat_error *err) {
    const lt_type *array = resolution->types[0];
    if (array->kind != LT_ARRAY) return LEAT_DONE;
    const lt_type *common = lt_resolve_tight_common(resolution, array->fields[0].type, resolution->types[value]);
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__ARRAY_FUNCTION_DIFF_TYPES, &resolution->place,
                        "%s and %s have no common element type", lt_resolve_text(resolution, 0),
                        lt_resolve_text(resolution, value));
    resolution->types[0]     = lt_type_array(resolution->arena, common);
    resolution->types[value] = common;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status add_resolve(lt_resolution *resolution, leat_error *err) { return meet(resolution, 1, err); }

static leat_status add_evaluate(lt_call *call, bool is_first, leat_error *err) {
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    start    = lt_call_child(call)->lanes;
        if (is_first) LT_TRY(lt_call_append(call, call->arguments[1], row, err));
        LT_TRY(lt_lanes_append(lt_call_child(call), elements.child, elements.offset, elements.count, call->arena, err));
        if (!is_first) LT_TRY(lt_call_append(call, call->arguments[1], row, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}
static leat_status append_evaluate(lt_call *call, leat_error *err) { return add_evaluate(call, false, err); }
static leat_status prepend_evaluate(lt_call *call, leat_error *err) { return add_evaluate(call, true, err); }

static leat_status insert_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_kind position = resolution->types[1]->kind;
    if (resolution->types[0]->kind != LT_ARRAY)
        return lt_raise(err, LT_DATATYPE_MISMATCH__ARRAY_FUNCTION_DIFF_TYPES, &resolution->places[0],
                        "array_insert takes an array, not %s", lt_resolve_text(resolution, 0));
    if (position != LT_INT && position != LT_SMALLINT && position != LT_TINYINT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->places[1],
                        "the position of array_insert is an INT, not %s", lt_resolve_text(resolution, 1));
    resolution->types[1] = lt_type_of(LT_INT);
    return meet(resolution, 2, err);
}

static leat_status append_nulls(lt_call *call, int64_t count, leat_error *err) {
    for (int64_t i = 0; i < count; i++) LT_TRY(lt_lane_append_null(lt_call_child(call), call->arena, err));
    return LEAT_OK;
}

// Positions count from 1; -1 puts the value behind the last element. The gap to a place outside is filled with NULLs.
static leat_status insert_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row) || lt_arg_is_null(call, 1, row)) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        lt_elements elements = lt_call_elements(call, 0, row);
        lt_vector  *child    = lt_call_child(call);
        int64_t     position = LT_ARG(call, 1, int32_t, row), count = elements.count;
        uint32_t    start = child->lanes;
        if (position == 0)
            return lt_call_raise(call, err, LT_INVALID_INDEX_OF_ZERO, "position 0; the first element has position 1");
        if (position > count + INSERT_PADDING_MAX || position < -count - INSERT_PADDING_MAX)
            return lt_call_raise(call, err, LT_LIMIT_EXCEEDED, "position %lld is too far outside of the array",
                                 (long long)position);
        int64_t at = position > 0 ? position - 1 : count + position + 1;
        if (at < 0) {
            LT_TRY(lt_call_append(call, call->arguments[2], row, err));
            LT_TRY(append_nulls(call, -at, err));
            LT_TRY(lt_lanes_append(child, elements.child, elements.offset, elements.count, call->arena, err));
        } else {
            uint32_t before = at < count ? (uint32_t)at : elements.count;
            LT_TRY(lt_lanes_append(child, elements.child, elements.offset, before, call->arena, err));
            LT_TRY(append_nulls(call, at - before, err));
            LT_TRY(lt_call_append(call, call->arguments[2], row, err));
            LT_TRY(lt_lanes_append(child, elements.child, elements.offset + before, elements.count - before,
                                   call->arena, err));
        }
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status remove_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[1]->kind == LT_VOID || resolution->types[0]->kind == LT_VOID)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NULL_TYPE, &resolution->place,
                        "a bare NULL; give it a type with CAST");
    return meet(resolution, 1, err);
}

static leat_status remove_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    start    = lt_call_child(call)->lanes;
        for (uint32_t i = elements.offset; i < elements.offset + elements.count; i++)
            if (lt_vector_compare(elements.child, i, call->arguments[1], row) != 0)
                LT_TRY(lt_call_append(call, elements.child, i, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status same_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0)) return LEAT_DONE;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status compact_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    start    = lt_call_child(call)->lanes;
        for (uint32_t i = elements.offset; i < elements.offset + elements.count; i++)
            if (!lt_lane_is_null(elements.child, i)) LT_TRY(lt_call_append(call, elements.child, i, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

// The text form of reverse takes everything else, a bare NULL too.
static leat_status reverse_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY) return LEAT_DONE;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status reverse_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    start    = lt_call_child(call)->lanes;
        for (uint32_t i = elements.count; i > 0; i--)
            LT_TRY(lt_call_append(call, elements.child, elements.offset + i - 1, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

// One array among the arguments makes all of them arrays.
static leat_status concat_resolve(lt_resolution *resolution, leat_error *err) {
    uint32_t arrays = 0;
    for (uint32_t i = 0; i < resolution->argument_count; i++) arrays += resolution->types[i]->kind == LT_ARRAY;
    if (arrays == 0) return LEAT_DONE;
    const lt_type *common = arrays == resolution->argument_count ? lt_resolve_common(resolution, 0, 1) : NULL;
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, &resolution->place,
                        "concat takes texts or arrays of one type");
    for (uint32_t i = 0; i < resolution->argument_count; i++) resolution->types[i] = common;
    return lt_resolve_result(resolution, common, err);
}

static leat_status concat_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        uint32_t start = lt_call_child(call)->lanes;
        for (uint32_t a = 0; a < call->argument_count; a++) {
            lt_elements elements = lt_call_elements(call, a, row);
            LT_TRY(lt_lanes_append(lt_call_child(call), elements.child, elements.offset, elements.count, call->arena,
                                   err));
        }
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z          = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z          = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static leat_status shuffle_evaluate(lt_call *call, leat_error *err) {
    const uint64_t first = lt_row_count_take(call->state, call);
    LT_EACH_ROW(call, row) {
        lt_elements elements = lt_call_elements(call, 0, row);
        uint32_t    start    = lt_call_child(call)->lanes;
        uint64_t    state    = call->evaluation->random_seed + first + row;
        uint32_t   *order;
        if (call->argument_count > 1) state = (uint64_t)LT_ARG(call, 1, int64_t, row) + first + row;
        LT_TRY_NEW_ARRAY(order, call->arena, elements.count, err);
        for (uint32_t i = 0; i < elements.count; i++) {
            uint32_t j = (uint32_t)(next_random(&state) % (i + 1));
            order[i]   = order[j];
            order[j]   = i;
        }
        for (uint32_t i = 0; i < elements.count; i++)
            LT_TRY(lt_call_append(call, elements.child, elements.offset + order[i], err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status shuffle_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count > 1) {
        if (!lt_kind_is_integral(resolution->types[1]->kind)) return LEAT_DONE;
        resolution->types[1] = lt_type_of(LT_BIGINT);
    }
    return same_resolve(resolution, err);
}

const lt_function lt_functions_array_change[] = {
    {.name           = "array_append",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .is_null_aware  = true,
     .resolve        = add_resolve,
     .evaluate       = append_evaluate,
     .summary        = "An array with a value behind its last element.",
     .example        = "SELECT array_append(array(1, 2), 3)",
     .example_result = "[1, 2, 3]"},
    {.name           = "array_prepend",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .is_null_aware  = true,
     .resolve        = add_resolve,
     .evaluate       = prepend_evaluate,
     .summary        = "An array with a value before its first element.",
     .example        = "SELECT array_prepend(array(2, 3), 1)",
     .example_result = "[1, 2, 3]"},
    {.name           = "array_insert",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY, LT_TAKES_ANY},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = insert_resolve,
     .evaluate       = insert_evaluate,
     .summary        = "An array with a value put in at a position from 1, negative from the end.",
     .example        = "SELECT array_insert(array(1, 2, 3), 2, 9)",
     .example_result = "[1, 9, 2, 3]"},
    {.name           = "array_remove",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .resolve        = remove_resolve,
     .evaluate       = remove_evaluate,
     .summary        = "An array without the elements equal to a value.",
     .example        = "SELECT array_remove(array(1, 2, 1), 1)",
     .example_result = "[2]"},
    {.name           = "array_compact",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = same_resolve,
     .evaluate       = compact_evaluate,
     .summary        = "An array without its NULL elements.",
     .example        = "SELECT array_compact(array(1, NULL, 2))",
     .example_result = "[1, 2]"},
    {.name           = "reverse",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = reverse_resolve,
     .evaluate       = reverse_evaluate,
     .summary        = "A text or an array in reverse order.",
     .example        = "SELECT reverse(array(1, 2, 3))",
     .example_result = "[3, 2, 1]"},
    {.name           = "concat",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY | LT_TAKES_REPEATED},
     .resolve        = concat_resolve,
     .evaluate       = concat_evaluate,
     .summary        = "Texts or arrays one behind the other.",
     .example        = "SELECT concat(array(1, 2), array(3))",
     .example_result = "[1, 2, 3]"},
    {.name                = "shuffle",
     .takes               = {LT_TAKES_ARRAY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},
     .is_nondeterministic = true,
     .state_bytes         = sizeof(lt_row_count),
     .resolve             = shuffle_resolve,
     .evaluate            = shuffle_evaluate,
     .summary             = "An array in random order; with a seed, always the same.",
     .example             = "SELECT shuffle(array(1))",
     .example_result      = "[1]"},
    {0},
};
