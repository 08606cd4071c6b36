// stddev, variance, skewness, kurtosis and their forms: running central moments in order of arrival, by the same steps
// as Spark, so that the last digits agree. The sample forms of one value are NULL. Where values can go they are kept
// and the steps taken anew. Source: Spark SQL 4, CentralMomentAgg.
#include "exec/state/kept_rows.h"

#include <math.h>

typedef struct moments {
    double n, mean, m2, m3, m4; // m_k: sum of (x - mean)^k
} moments;

static void add_value(moments *self, double x) {
    double n = self->n + 1, delta = x - self->mean, delta_n = delta / n;
    double m2     = self->m2 + delta * (delta - delta_n);
    double delta2 = delta * delta, delta_n2 = delta_n * delta_n;
    double m3 = self->m3 - 3 * delta_n * m2 + delta * (delta2 - delta_n2);
    self->m4  = self->m4 - 4 * delta_n * m3 - 6 * delta_n2 * m2 + delta * (delta * delta2 - delta_n * delta_n2);
    self->m3  = m3;
    self->m2  = m2;
    self->mean += delta_n;
    self->n = n;
}

static leat_status update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    moments      *groups = accumulators;
    const double *value  = rows->values;
    (void)err;
    for (size_t i = 0; i < rows->count; i++) {
        moments *group = &groups[rows->group_index[i]];
        for (int64_t w = 0; w < lt_aggregate_weight(rows, i); w++) add_value(group, value[i]);
    }
    return LEAT_OK;
}

typedef double (*moment_result)(const moments *group, bool *is_null);

static double variance_pop(const moments *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->m2 / group->n;
}
static double variance_sample(const moments *group, bool *is_null) {
    *is_null = group->n <= 1;
    return group->m2 / (group->n - 1);
}
static double deviation_pop(const moments *group, bool *is_null) { return sqrt(variance_pop(group, is_null)); }
static double deviation_sample(const moments *group, bool *is_null) { return sqrt(variance_sample(group, is_null)); }
static double skewness(const moments *group, bool *is_null) {
    *is_null = group->n == 0 || group->m2 == 0;
    return sqrt(group->n) * group->m3 / sqrt(group->m2 * group->m2 * group->m2);
}
static double kurtosis(const moments *group, bool *is_null) {
    *is_null = group->n == 0 || group->m2 == 0;
    return group->n * group->m4 / (group->m2 * group->m2) - 3;
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, moment_result result) {
    const moments *groups = accumulators;
    double        *value  = out->values;
    for (size_t i = 0; i < out->count; i++) {
        bool is_null;
        value[i]        = result(&groups[out->group_index[i]], &is_null);
        out->is_null[i] = is_null;
    }
    return LEAT_OK;
}
#define FINISH(name, result)                                                                                           \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        (void)err;                                                                                                     \
        return finish(accumulators, out, result);                                                                      \
    }
FINISH(finish_variance_pop, variance_pop)
FINISH(finish_variance_sample, variance_sample)
FINISH(finish_deviation_pop, deviation_pop)
FINISH(finish_deviation_sample, deviation_sample)
FINISH(finish_skewness, skewness)
FINISH(finish_kurtosis, kurtosis)

#define KEPT(finisher)                                                                                                 \
    static const lt_aggregate plain_##finisher = {                                                                     \
        .accumulator_bytes = sizeof(moments), .update = update, .finish = finisher};                                   \
    static const lt_aggregate kept_##finisher = {.name = "moment", LT_KEPT_REPLAY(&plain_##finisher)};
KEPT(finish_variance_pop)
KEPT(finish_variance_sample)
KEPT(finish_deviation_pop)
KEPT(finish_deviation_sample)
KEPT(finish_skewness)
KEPT(finish_kurtosis)

#define MOMENT(finisher)                                                                                               \
    .takes = {LT_TAKES_DOUBLE}, .returns = LT_DOUBLE, .accumulator_bytes = sizeof(moments), .needs_place = true,       \
    .needs_append_only = true, .retraction = &kept_##finisher, .update = update, .finish = finisher
#define SAME(moment_name, finisher, of)                                                                                \
    {                                                                                                                  \
        .name = moment_name, MOMENT(finisher), .summary = "The same as " of ".",                                       \
        .example = "SELECT " moment_name "(x) FROM VALUES (1), (1) AS t(x)", .example_result = "0.0"                   \
    }

const lt_aggregate lt_aggregates_moments[] = {
    {.name = "stddev",
     MOMENT(finish_deviation_sample),
     .summary        = "Standard deviation of a sample.",
     .example        = "SELECT stddev(x) FROM VALUES (1), (3), (5) AS t(x)",
     .example_result = "2.0"},
    SAME("stddev_samp", finish_deviation_sample, "stddev"),
    SAME("std", finish_deviation_sample, "stddev"),
    {.name = "stddev_pop",
     MOMENT(finish_deviation_pop),
     .summary        = "Standard deviation of a whole population.",
     .example        = "SELECT stddev_pop(x) FROM VALUES (1), (3) AS t(x)",
     .example_result = "1.0"},
    {.name = "variance",
     MOMENT(finish_variance_sample),
     .summary        = "Variance of a sample.",
     .example        = "SELECT variance(x) FROM VALUES (1), (3) AS t(x)",
     .example_result = "2.0"},
    SAME("var_samp", finish_variance_sample, "variance"),
    {.name = "var_pop",
     MOMENT(finish_variance_pop),
     .summary        = "Variance of a whole population.",
     .example        = "SELECT var_pop(x) FROM VALUES (1), (3) AS t(x)",
     .example_result = "1.0"},
    {.name = "skewness",
     MOMENT(finish_skewness),
     .summary        = "Skewness of a whole population.",
     .example        = "SELECT skewness(x) FROM VALUES (1), (2), (3) AS t(x)",
     .example_result = "0.0"},
    {.name = "kurtosis",
     MOMENT(finish_kurtosis),
     .summary        = "Excess kurtosis of a whole population.",
     .example        = "SELECT kurtosis(x) FROM VALUES (1), (2), (3), (4) AS t(x)",
     .example_result = "-1.36"},
    {0},
};
