// row_number(), rank(), dense_rank(), percent_rank(), cume_dist(), ntile(n): where a row stands in its partition; what
// each gives is computed in exec/window/function.c. Source: Spark SQL 4.
#include "base/aggregate.h"

static leat_status ntile_resolve(lt_resolution *resolution, leat_error *err) {
    resolution->result = lt_type_of(LT_INT);
    if (resolution->argument_count == 0) return LEAT_OK;
    const lt_vector *buckets = resolution->constants[0];
    if (resolution->types[0]->kind != LT_INT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->places[0],
                        "the number of buckets of ntile is an INT");
    if (buckets == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[0],
                        "the number of buckets of ntile has to be a constant");
    if (lt_vector_is_null(buckets, 0) || LT_VALUE(buckets, int32_t, 0) <= 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->places[0],
                        "the number of buckets of ntile is at least 1");
    return LEAT_OK;
}

static leat_status int_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    resolution->result = lt_type_of(LT_INT);
    return LEAT_OK;
}
static leat_status double_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    resolution->result = lt_type_of(LT_DOUBLE);
    return LEAT_OK;
}

#define RANKED_LIKE .takes = {LT_TAKES_ANY | LT_TAKES_OPTIONAL | LT_TAKES_REPEATED}, .is_window_only = true

const lt_aggregate lt_aggregates_window_ranking[] = {
    {.name           = "row_number",
     .returns        = LT_INT,
     .is_window_only = true,
     .summary        = "The number of the row in its partition, from 1.",
     .example        = "SELECT row_number() OVER (ORDER BY x) AS n FROM VALUES (7) AS t(x)",
     .example_result = "1"},
    {.name    = "rank",
     .resolve = int_resolve,
     RANKED_LIKE,
     .display        = "RANK()",
     .summary        = "The number of the first row that is equal to this one in the order; leaves gaps.",
     .example        = "SELECT rank() OVER (ORDER BY x) AS n FROM VALUES (7) AS t(x)",
     .example_result = "1"},
    {.name    = "dense_rank",
     .resolve = int_resolve,
     RANKED_LIKE,
     .display        = "DENSE_RANK()",
     .summary        = "How many different values of the order there are up to this row.",
     .example        = "SELECT dense_rank() OVER (ORDER BY x) AS n FROM VALUES (7) AS t(x)",
     .example_result = "1"},
    {.name    = "percent_rank",
     .resolve = double_resolve,
     RANKED_LIKE,
     .display        = "PERCENT_RANK()",
     .summary        = "(rank - 1) / (rows - 1), from 0 to 1.",
     .example        = "SELECT percent_rank() OVER (ORDER BY x) AS p FROM VALUES (7) AS t(x)",
     .example_result = "0.0"},
    {.name           = "cume_dist",
     .returns        = LT_DOUBLE,
     .is_window_only = true,
     .summary        = "The share of rows up to this one and its equals.",
     .example        = "SELECT cume_dist() OVER (ORDER BY x) AS c FROM VALUES (7) AS t(x)",
     .example_result = "1.0"},
    {.name           = "ntile",
     .takes          = {LT_TAKES_INT | LT_TAKES_OPTIONAL},
     .resolve        = ntile_resolve,
     .display        = "$name($1{1})",
     .is_window_only = true,
     .summary        = "The bucket of the row when the partition is cut into n equal ones; larger buckets first.",
     .example        = "SELECT ntile(2) OVER (ORDER BY x) AS b FROM VALUES (7) AS t(x)",
     .example_result = "1"},
    {0},
};
