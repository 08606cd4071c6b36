#include "exec/nested.h"

// greatest and least: the largest or smallest of the arguments that are not NULL; NULL without any. Texts are not
// turned into numbers here. Source: Spark SQL 4.

static leat_status extreme(lt_call *call, int wanted, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const lt_vector *best = NULL;
        for (uint32_t a = 0; a < call->argument_count; a++) {
            const lt_vector *candidate = call->arguments[a];
            if (lt_vector_is_null(candidate, row)) continue;
            if (best == NULL || lt_vector_compare(candidate, row, best, row) * wanted > 0) best = candidate;
        }
        if (best == NULL)
            LT_TRY(lt_call_put_nothing(call, row, err));
        else
            LT_TRY(lt_call_put(call, row, best, row, err));
    }
    return LEAT_OK;
}
static leat_status greatest(lt_call *call, leat_error *err) { return extreme(call, 1, err); }
static leat_status least(lt_call *call, leat_error *err) { return extreme(call, -1, err); }

static leat_status resolve_extreme(lt_resolution *resolution, leat_error *err) {
    const lt_type *common = resolution->types[0];
    for (uint32_t i = 1; i < resolution->argument_count && common != NULL; i++)
        common = lt_resolve_plain_common(resolution, common, resolution->types[i]);
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, &resolution->place,
                        "the arguments of `%s` have no common type", resolution->function->name);
    if (!lt_type_is_orderable(common))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "values of type %s have no order", lt_type_text(resolution->arena, common));
    for (uint32_t i = 0; i < resolution->argument_count; i++) resolution->types[i] = common;
    resolution->result = common;
    return LEAT_OK;
}

#define ROW(text, function)                                                                                            \
    .name = text, .takes = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_REPEATED}, .is_null_aware = true,      \
    .resolve = resolve_extreme, .evaluate = function

const lt_function lt_functions_comparison_extremes[] = {
    {ROW("greatest", greatest), .summary = "The largest argument; NULLs are passed over.",
     .example = "SELECT greatest(1, NULL, 3)", .example_result = "3"},
    {ROW("least", least), .summary = "The smallest argument; NULLs are passed over.",
     .example = "SELECT least(1, NULL, 3)", .example_result = "1"},
    {0},
};
