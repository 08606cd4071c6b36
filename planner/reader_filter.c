#include "planner/reader_filter.h"

#include "planner/catalog.h"

static bool is_reader_test(const lt_expression *term);

static bool are_reader_tests(const lt_expression *term) {
    for (uint32_t i = 0; i < term->argument_count; i++)
        if (!is_reader_test(term->arguments[i])) return false;
    return true;
}

// One column, the others constants: `v > 3`, `3 < v`, `v IS NULL`, `v IN (1, 2)`.
static bool is_column_and_constants(const lt_expression *term) {
    uint32_t columns = 0;
    for (uint32_t i = 0; i < term->argument_count; i++) {
        const lt_expression *argument = term->arguments[i];
        if (argument->kind != LT_EXPRESSION_COLUMN && !lt_expression_is_foldable(argument)) return false;
        columns += argument->kind == LT_EXPRESSION_COLUMN;
    }
    return columns == 1;
}

static bool is_reader_test(const lt_expression *term) {
    switch (term->kind) {
    case LT_EXPRESSION_COLUMN:
        return true; // a BOOLEAN by itself
    case LT_EXPRESSION_AND:
    case LT_EXPRESSION_OR:
        return are_reader_tests(term);
    case LT_EXPRESSION_IN:
        return term->arguments[0]->kind == LT_EXPRESSION_COLUMN && is_column_and_constants(term);
    case LT_EXPRESSION_CALL:
        if (!term->function->is_reader_test) return false;
        if (term->argument_count == 1 && term->arguments[0]->kind != LT_EXPRESSION_COLUMN)
            return are_reader_tests(term); // NOT of a test
        return is_column_and_constants(term);
    default:
        return false;
    }
}

leat_status lt_reader_filter_split(lt_arena *arena, lt_plan *filter, lt_plan **out, leat_error *err) {
    const lt_plan       *scan      = filter->inputs[0];
    const lt_expression *predicate = filter->as.filter.predicate;
    *out                           = filter;
    if (filter->as.filter.is_in_reader || !scan->as.scan.relation->is_filtered_by_reader) return LEAT_OK;
    if (is_reader_test(predicate)) {
        filter->as.filter.is_in_reader = true;
        return LEAT_OK;
    }
    if (predicate->kind != LT_EXPRESSION_AND) return LEAT_OK;
    const lt_expression **inside, **outside;
    uint32_t              inside_count = 0, outside_count = 0;
    LT_TRY_NEW_ARRAY(inside, arena, predicate->argument_count, err);
    LT_TRY_NEW_ARRAY(outside, arena, predicate->argument_count, err);
    for (uint32_t i = 0; i < predicate->argument_count; i++) {
        const lt_expression *term = predicate->arguments[i];
        if (is_reader_test(term))
            inside[inside_count++] = term;
        else
            outside[outside_count++] = term;
    }
    if (inside_count == 0) return LEAT_OK;
    lt_plan        *upper;
    const lt_plan **inputs;
    LT_TRY_NEW(upper, arena, err);
    LT_TRY_NEW_ARRAY(inputs, arena, 1, err);
    *upper                         = *filter;
    inputs[0]                      = filter;
    upper->inputs                  = inputs;
    filter->as.filter.is_in_reader = true;
    filter->as.filter.predicate    = lt_expression_conjunction(arena, predicate, inside, inside_count);
    upper->as.filter.predicate     = lt_expression_conjunction(arena, predicate, outside, outside_count);
    if (filter->as.filter.predicate == NULL || upper->as.filter.predicate == NULL) return lt_raise_no_memory(err);
    *out = upper;
    return LEAT_OK;
}
