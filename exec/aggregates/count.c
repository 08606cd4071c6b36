// count(*), count(x, ...), count_if(x): rows; rows where every argument is not NULL; rows where x is true. Never NULL.
// Source: Spark SQL 4.
#include "base/aggregate.h"

typedef struct count_state {
    int64_t count; // net of retractions
} count_state;

static leat_status count_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    count_state    *groups = accumulators;
    const uint32_t *at     = rows->group_index;
    (void)err;
    if (rows->argument_count <= 1) { // a NULL first argument never comes here
        if (rows->is_one_group)
            groups[at[0]].count += lt_aggregate_weight_sum(rows);
        else if (rows->weight == NULL)
            for (size_t i = 0; i < rows->count; i++) groups[at[i]].count++;
        else
            for (size_t i = 0; i < rows->count; i++) groups[at[i]].count += rows->weight[i];
        return LEAT_OK;
    }
    for (size_t i = 0; i < rows->count; i++) {
        bool has_null = false;
        for (uint32_t a = 1; a < rows->argument_count; a++)
            has_null |= lt_vector_is_null(rows->arguments[a], (uint32_t)i);
        if (!has_null) groups[at[i]].count += lt_aggregate_weight(rows, i);
    }
    return LEAT_OK;
}

static leat_status count_if_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    count_state   *groups = accumulators;
    const uint8_t *value  = rows->values;
    (void)err;
    if (rows->is_one_group && rows->weight == NULL) {
        uint32_t passed = 0;
        for (size_t i = 0; i < rows->count; i++) passed += value[i] != 0;
        groups[rows->group_index[0]].count += passed;
        return LEAT_OK;
    }
    for (size_t i = 0; i < rows->count; i++)
        groups[rows->group_index[i]].count += value[i] != 0 ? lt_aggregate_weight(rows, i) : 0;
    return LEAT_OK;
}

static leat_status count_merge(void *accumulators, const uint32_t *group_index, const void *from, size_t count,
                               const lt_type *type) {
    count_state       *groups = accumulators;
    const count_state *part   = from;
    (void)type;
    for (size_t i = 0; i < count; i++) groups[group_index[i]].count += part[i].count;
    return LEAT_OK;
}

static leat_status count_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const count_state *groups = accumulators;
    int64_t           *count  = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) count[i] = groups[out->group_index[i]].count;
    return LEAT_OK;
}

const lt_aggregate lt_aggregates_count[] = {
    {.name              = "count",
     .takes             = {LT_TAKES_ANY | LT_TAKES_REPEATED},
     .returns           = LT_BIGINT,
     .accumulator_bytes = sizeof(count_state),
     .counts_rows       = true,
     .is_linear         = true,
     .update            = count_update,
     .merge             = count_merge,
     .finish            = count_finish,
     .summary           = "The number of rows, or of rows where no argument is NULL.",
     .example           = "SELECT count(*) FROM VALUES (1), (NULL) AS t(x)",
     .example_result    = "2"},
    {.name              = "count_if",
     .takes             = {LT_TAKES_BOOLEAN},
     .returns           = LT_BIGINT,
     .accumulator_bytes = sizeof(count_state),
     .is_linear         = true,
     .update            = count_if_update,
     .merge             = count_merge,
     .finish            = count_finish,
     .summary           = "The number of rows for which a condition is true.",
     .example           = "SELECT count_if(x > 1) FROM VALUES (1), (2), (NULL) AS t(x)",
     .example_result    = "1"},
    {0},
};
