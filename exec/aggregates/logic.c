// bool_and (every), bool_or (some, any): whether all or some of the values that are not NULL are true; NULL without
// one. Two counts, so that retractions undo exactly. Source: Spark SQL 4.
#include "base/aggregate.h"

typedef struct truth_counts {
    int64_t of_true, of_false;
} truth_counts;

static leat_status truth_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    truth_counts  *groups = accumulators;
    const uint8_t *value  = rows->values;
    (void)err;
    for (size_t i = 0; i < rows->count; i++) {
        truth_counts *group = &groups[rows->group_index[i]];
        if (value[i] != 0)
            group->of_true += lt_aggregate_weight(rows, i);
        else
            group->of_false += lt_aggregate_weight(rows, i);
    }
    return LEAT_OK;
}

static leat_status truth_merge(void *accumulators, const uint32_t *group_index, const void *from, size_t count,
                               const lt_type *type) {
    truth_counts       *groups = accumulators;
    const truth_counts *part   = from;
    (void)type;
    for (size_t i = 0; i < count; i++) {
        groups[group_index[i]].of_true += part[i].of_true;
        groups[group_index[i]].of_false += part[i].of_false;
    }
    return LEAT_OK;
}

static leat_status and_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const truth_counts *groups = accumulators;
    uint8_t            *value  = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const truth_counts *group = &groups[out->group_index[i]];
        value[i]                  = group->of_false == 0;
        out->is_null[i]           = group->of_true == 0 && group->of_false == 0;
    }
    return LEAT_OK;
}

static leat_status or_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const truth_counts *groups = accumulators;
    uint8_t            *value  = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const truth_counts *group = &groups[out->group_index[i]];
        value[i]                  = group->of_true != 0;
        out->is_null[i]           = group->of_true == 0 && group->of_false == 0;
    }
    return LEAT_OK;
}

#define TRUTH(finisher)                                                                                                \
    .takes = {LT_TAKES_BOOLEAN}, .returns = LT_BOOLEAN, .accumulator_bytes = sizeof(truth_counts), .is_linear = true,  \
    .ignores_distinct = true, .update = truth_update, .merge = truth_merge, .finish = finisher

const lt_aggregate lt_aggregates_logic[] = {
    {.name = "bool_and",
     TRUTH(and_finish),
     .summary        = "Whether all values are true.",
     .example        = "SELECT bool_and(b) FROM VALUES (TRUE), (FALSE) AS t(b)",
     .example_result = "false"},
    {.name = "every",
     TRUTH(and_finish),
     .summary        = "The same as bool_and.",
     .example        = "SELECT every(b) FROM VALUES (TRUE), (NULL) AS t(b)",
     .example_result = "true"},
    {.name = "bool_or",
     TRUTH(or_finish),
     .summary        = "Whether some value is true.",
     .example        = "SELECT bool_or(b) FROM VALUES (TRUE), (FALSE) AS t(b)",
     .example_result = "true"},
    {.name = "some",
     TRUTH(or_finish),
     .summary        = "The same as bool_or.",
     .example        = "SELECT some(b) FROM VALUES (FALSE), (NULL) AS t(b)",
     .example_result = "false"},
    {.name = "any",
     TRUTH(or_finish),
     .summary        = "The same as bool_or.",
     .example        = "SELECT any(b) FROM VALUES (TRUE), (FALSE) AS t(b)",
     .example_result = "true"},
    {0},
};
