// sort_array(a [, ascending]) puts NULLs first (last when descending); array_sort(a) puts them last;
// array_sort(a, (l, r) -> ...) orders by a comparator that gives a negative, zero or positive INT.
// All sorts keep the order of equal elements: a merge sort, so that a comparator that contradicts itself still ends.
// Source: Spark SQL 4.
#include "exec/nested.h"

typedef struct sorter {
    lt_call         *call;
    const lt_vector *child;
    bool             is_descending, are_nulls_last;
    uint32_t         outer_row;
} sorter;

static leat_status compare_natural(const sorter *self, uint32_t a, uint32_t b, int *out, leat_error *err) {
    (void)err;
    bool a_is_null = lt_lane_is_null(self->child, a), b_is_null = lt_lane_is_null(self->child, b);
    if (a_is_null || b_is_null)
        *out = ((int)b_is_null - (int)a_is_null) * (self->are_nulls_last ? -1 : 1);
    else
        *out = lt_vector_compare(self->child, a, self->child, b) * (self->is_descending ? -1 : 1);
    return LEAT_OK;
}

// One comparison is one run of the lambda over a lane.
static leat_status compare_lambda(const sorter *self, uint32_t a, uint32_t b, int *out, leat_error *err) {
    const lt_vector *result;
    lt_vector        inputs[2] = {lt_vector_slice(self->child, a, 1, self->call->arena),
                                  lt_vector_slice(self->child, b, 1, self->call->arena)};
    LT_TRY(self->call->run_lambda(self->call, 1, inputs, 2, &self->outer_row, 1, &result, err));
    if (lt_vector_is_null(result, 0))
        return lt_call_raise(self->call, err, LT_COMPARATOR_RETURNS_NULL,
                             "the comparator of array_sort gave NULL; it must give a number");
    *out = LT_VALUE(result, int32_t, 0);
    return LEAT_OK;
}

typedef leat_status (*comparison)(const sorter *self, uint32_t a, uint32_t b, int *out, leat_error *err);

// The later element is compared with the earlier one, as Java's sort does: a comparator that always gives 1 changes
// nothing, one that always gives -1 turns the array round.
static leat_status merge(const sorter *self, comparison compare, const uint32_t *from, uint32_t *into, uint32_t left,
                         uint32_t middle, uint32_t right, leat_error *err) {
    uint32_t i = left, j = middle;
    for (uint32_t k = left; k < right; k++) {
        int order = 0;
        if (i < middle && j < right) LT_TRY(compare(self, from[j], from[i], &order, err));
        into[k] = i < middle && (j >= right || order >= 0) ? from[i++] : from[j++];
    }
    return LEAT_OK;
}

// Sorts lanes[count] bottom up; the result is in *out, one of the two buffers.
static leat_status sort(const sorter *self, comparison compare, uint32_t *lanes, uint32_t count, uint32_t **out,
                        leat_error *err) {
    uint32_t *other;
    LT_TRY_NEW_ARRAY(other, self->call->arena, count, err);
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t left = 0; left < count; left += 2 * width) {
            uint64_t middle = left + width < count ? left + width : count;
            uint64_t right  = left + 2 * width < count ? left + 2 * width : count;
            LT_TRY(merge(self, compare, lanes, other, (uint32_t)left, (uint32_t)middle, (uint32_t)right, err));
        }
        uint32_t *swap = lanes;
        lanes          = other;
        other          = swap;
    }
    *out = lanes;
    return LEAT_OK;
}

static leat_status sort_row(sorter *self, comparison compare, uint32_t row, leat_error *err) {
    lt_elements elements = lt_call_elements(self->call, 0, row);
    uint32_t   *lanes, start = lt_call_child(self->call)->lanes;
    self->child     = elements.child;
    self->outer_row = row;
    LT_TRY_NEW_ARRAY(lanes, self->call->arena, elements.count, err);
    for (uint32_t i = 0; i < elements.count; i++) lanes[i] = elements.offset + i;
    LT_TRY(sort(self, compare, lanes, elements.count, &lanes, err));
    for (uint32_t i = 0; i < elements.count; i++) LT_TRY(lt_call_append(self->call, self->child, lanes[i], err));
    lt_call_put_list(self->call, row, start);
    return LEAT_OK;
}

static leat_status sort_array_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        sorter self         = {.call = call};
        self.is_descending  = call->argument_count > 1 && LT_ARG(call, 1, uint8_t, row) == 0;
        self.are_nulls_last = self.is_descending;
        LT_TRY(sort_row(&self, compare_natural, row, err));
    }
    return LEAT_OK;
}

static leat_status array_sort_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        sorter self = {.call = call, .are_nulls_last = true};
        LT_TRY(sort_row(&self, compare_natural, row, err));
    }
    return LEAT_OK;
}

static leat_status comparator_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        sorter self = {.call = call};
        LT_TRY(sort_row(&self, compare_lambda, row, err));
    }
    return LEAT_OK;
}

static leat_status check_orderable(lt_resolution *resolution, leat_error *err) {
    if (lt_type_is_orderable(resolution->types[0]->fields[0].type)) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                    "elements of %s cannot be compared", lt_resolve_text(resolution, 0));
}

static leat_status sort_array_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0)) return LEAT_DONE;
    LT_TRY(check_orderable(resolution, err));
    if (resolution->argument_count > 1 && !lt_resolve_exactly(resolution, 1, LT_BOOLEAN)) return LEAT_DONE;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status array_sort_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 1 || !lt_resolve_array(resolution, 0)) return LEAT_DONE;
    LT_TRY(check_orderable(resolution, err));
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status comparator_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2 || resolution->types[0]->kind != LT_ARRAY) return LEAT_DONE;
    if (resolution->lambda_arities == NULL || resolution->lambda_arities[1] == 0) {
        if (resolution->types[1]->kind == LT_INT) return LEAT_DONE;
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_RETURN_TYPE, &resolution->places[1],
                        "the comparator of array_sort gives an INT, not %s", lt_resolve_text(resolution, 1));
    }
    const lt_type *variables[2] = {resolution->types[0]->fields[0].type, resolution->types[0]->fields[0].type};
    const lt_type *result;
    LT_TRY(resolution->bind_lambda(resolution, 1, variables, 2, &result, err));
    if (result->kind != LT_INT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_RETURN_TYPE, &resolution->places[1],
                        "the comparator of array_sort gives an INT, not %s", lt_type_text(resolution->arena, result));
    return lt_resolve_result(resolution, resolution->types[0], err);
}

// The comparator that Spark puts in; it is part of the name.
#define VARIABLE_IS_NULL "(namedlambdavariable() IS NULL)"
#define VARIABLES(sign) "(namedlambdavariable() " sign " namedlambdavariable())"
#define COMPARATOR_NAME                                                                                                \
    "lambdafunction((IF((" VARIABLE_IS_NULL " AND " VARIABLE_IS_NULL "), 0, (IF(" VARIABLE_IS_NULL                     \
    ", 1, (IF(" VARIABLE_IS_NULL ", -1, (IF(" VARIABLES("<") ", -1, (IF(" VARIABLES(                                   \
        ">") ", 1, 0)))))))))), namedlambdavariable(), namedlambdavariable())"

const lt_function lt_functions_array_sort[] = {
    {.name           = "sort_array",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = sort_array_resolve,
     .evaluate       = sort_array_evaluate,
     .display        = "$name($1, true)",
     .summary        = "An array in order, NULLs first; descending with FALSE, NULLs last.",
     .example        = "SELECT sort_array(array(3, 1, NULL, 2))",
     .example_result = "[null, 1, 2, 3]"},
    {.name     = "sort_array",
     .takes    = {LT_TAKES_ARRAY, LT_TAKES_ANY},
     .resolve  = sort_array_resolve,
     .evaluate = sort_array_evaluate},
    {.name           = "array_sort",
     .takes          = {LT_TAKES_ARRAY},
     .resolve        = array_sort_resolve,
     .evaluate       = array_sort_evaluate,
     .display        = "$name($1, " COMPARATOR_NAME ")",
     .summary        = "An array in order, NULLs last; or ordered by a comparator.",
     .example        = "SELECT array_sort(array(3, 1, NULL, 2))",
     .example_result = "[1, 2, 3, null]"},
    {.name          = "array_sort",
     .takes         = {LT_TAKES_ARRAY, LT_TAKES_LAMBDA},
     .is_null_aware = true,
     .can_fail      = true,
     .resolve       = comparator_resolve,
     .evaluate      = comparator_evaluate},
    {0},
};
