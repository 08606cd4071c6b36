// lag(x, n, otherwise), lead(x, n, otherwise): x of the row n before or behind; nth_value(x, n): x of the n-th row of
// the frame. IGNORE NULLS counts only rows whose x is not NULL. Computed in exec/window/function.c.
// counter_diff(x, start): exec/window/counter.h. Source: Spark SQL 4.
#include "base/aggregate.h"

static leat_status flag_resolve(lt_resolution *resolution, uint32_t index, leat_error *err) {
    if (resolution->argument_count <= index) return LEAT_OK;
    const lt_vector *flag = resolution->constants[index];
    if (resolution->types[index]->kind != LT_BOOLEAN || flag == NULL || lt_vector_is_null(flag, 0))
        return lt_raise(err, LT_INVALID_PARAMETER_VALUE__BOOLEAN, &resolution->places[index],
                        "whether NULLs are ignored is TRUE or FALSE");
    return LEAT_OK;
}

static leat_status offset_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 0 || resolution->argument_count > 4) return LEAT_DONE;
    LT_TRY(flag_resolve(resolution, 3, err));
    if (resolution->argument_count > 1) {
        if (resolution->constants[1] == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[1],
                            "how many rows to go has to be a constant");
        if (resolution->types[1]->kind != LT_INT)
            return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->places[1],
                            "how many rows to go is an INT");
    }
    if (resolution->argument_count > 2) resolution->types[2] = resolution->types[0];
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

static leat_status nth_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count < 2 || resolution->argument_count > 3) return LEAT_DONE;
    const lt_vector *number = resolution->constants[1];
    LT_TRY(flag_resolve(resolution, 2, err));
    if (number == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[1],
                        "the number of the row has to be a constant");
    if (resolution->types[1]->kind != LT_INT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->places[1],
                        "the number of the row is an INT");
    if (lt_vector_is_null(number, 0) || LT_VALUE(number, int32_t, 0) <= 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->places[1],
                        "the number of the row is at least 1");
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

#define OFFSET .resolve = offset_resolve, .is_window_only = true, .ignore_nulls_allowed = true
// Spark names a call with the arguments that were left out.
#define ONE .takes = {LT_TAKES_ANY}, .display = "$name($1, 1, NULL)"
#define TWO .takes = {LT_TAKES_ANY, LT_TAKES_INT}, .display = "$name($1, $2, NULL)"
#define THREE .takes = {LT_TAKES_ANY, LT_TAKES_INT, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL}

const lt_aggregate lt_aggregates_window_offset[] = {
    {.name = "lag",
     ONE,
     OFFSET,
     .summary        = "The value of the row that stands n rows before.",
     .example        = "SELECT lag(x, 1, 0) OVER (ORDER BY x) AS p FROM VALUES (7) AS t(x)",
     .example_result = "0"},
    {.name = "lag", TWO, OFFSET},
    {.name = "lag", THREE, OFFSET},
    {.name = "lead",
     ONE,
     OFFSET,
     .summary        = "The value of the row that stands n rows behind.",
     .example        = "SELECT lead(x, 1, 0) OVER (ORDER BY x) AS n FROM VALUES (7) AS t(x)",
     .example_result = "0"},
    {.name = "lead", TWO, OFFSET},
    {.name = "lead", THREE, OFFSET},
    {.name                 = "nth_value",
     .takes                = {LT_TAKES_ANY, LT_TAKES_INT, LT_TAKES_ANY | LT_TAKES_OPTIONAL},
     .resolve              = nth_resolve,
     .is_window_only       = true,
     .ignore_nulls_allowed = true,
     .summary              = "The value of the n-th row of the frame.",
     .example              = "SELECT nth_value(x, 1) OVER (ORDER BY x) AS v FROM VALUES (7) AS t(x)",
     .example_result       = "7"},
    {.name           = "counter_diff",
     .takes          = {LT_TAKES_NUMERIC | LT_TAKES_EXACT},
     .returns        = LT_VOID,
     .is_window_only = true,
     .summary        = "How much a growing counter grew since the row before; NULL where it began anew.",
     .example =
         "SELECT c, counter_diff(c) OVER (ORDER BY t) AS d FROM VALUES (1, 5), (2, 9) AS v(t, c) ORDER BY d DESC "
         "LIMIT 1",
     .example_result = "9\t4"},
    {.name           = "counter_diff",
     .takes          = {LT_TAKES_NUMERIC | LT_TAKES_EXACT, LT_TAKES_TIMESTAMP_ANY | LT_TAKES_EXACT},
     .returns        = LT_VOID,
     .is_window_only = true},
    {0},
};
