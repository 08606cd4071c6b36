// corr, covar_pop, covar_samp and the regr_ family over pairs of which neither is NULL: running co-moments in order of
// arrival, by Spark's steps; where pairs can go they are kept and the steps taken anew. regr_*(y, x): y is the dependent
// variable. Source: Spark SQL 4, Covariance, PearsonCorrelation, linear regression aggregates.
#include "exec/state/kept_rows.h"

#include <math.h>

typedef struct pairs {
    double n, mean_1, mean_2, ck, m2_1, m2_2; // of the first and second argument; ck: sum of products of deviations
} pairs;

static void add_pair(pairs *self, double a, double b) {
    double n = self->n + 1, d1 = a - self->mean_1, d2 = b - self->mean_2;
    self->mean_1 += d1 / n;
    self->mean_2 += d2 / n;
    self->ck += d1 * (b - self->mean_2);
    self->m2_1 += d1 * (a - self->mean_1);
    self->m2_2 += d2 * (b - self->mean_2);
    self->n = n;
}

static leat_status update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    pairs *groups = accumulators;
    (void)err;
    for (size_t i = 0; i < rows->count; i++) {
        pairs *group = &groups[rows->group_index[i]];
        if (lt_vector_is_null(rows->arguments[1], (uint32_t)i)) continue;
        double a = LT_VALUE(rows->arguments[0], double, (uint32_t)i);
        double b = LT_VALUE(rows->arguments[1], double, (uint32_t)i);
        for (int64_t w = 0; w < lt_aggregate_weight(rows, i); w++) add_pair(group, a, b);
    }
    return LEAT_OK;
}

typedef double (*pair_result)(const pairs *group, bool *is_null);

static double corr(const pairs *group, bool *is_null) {
    double spread = sqrt(group->m2_1 * group->m2_2);
    *is_null      = group->n <= 1 || spread == 0;
    return group->ck / spread;
}
static double covar_pop(const pairs *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->ck / group->n;
}
static double covar_sample(const pairs *group, bool *is_null) {
    *is_null = group->n <= 1;
    return group->ck / (group->n - 1);
}
static double average_x(const pairs *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->mean_2;
}
static double average_y(const pairs *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->mean_1;
}
static double slope(const pairs *group, bool *is_null) {
    *is_null = group->n == 0 || group->m2_2 == 0;
    return group->ck / group->m2_2;
}
static double intercept(const pairs *group, bool *is_null) {
    return group->mean_1 - slope(group, is_null) * group->mean_2;
}
static double r2(const pairs *group, bool *is_null) {
    *is_null = group->n == 0 || group->m2_2 == 0;
    if (group->m2_1 == 0) return 1;
    double r = group->ck / sqrt(group->m2_1 * group->m2_2);
    return r * r;
}
static double sum_xx(const pairs *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->m2_2;
}
static double sum_xy(const pairs *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->ck;
}
static double sum_yy(const pairs *group, bool *is_null) {
    *is_null = group->n == 0;
    return group->m2_1;
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, pair_result result) {
    const pairs *groups = accumulators;
    double      *value  = out->values;
    for (size_t i = 0; i < out->count; i++) {
        bool is_null;
        value[i]        = result(&groups[out->group_index[i]], &is_null);
        out->is_null[i] = is_null;
    }
    return LEAT_OK;
}
#define FINISH(result)                                                                                                 \
    static leat_status finish_##result(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {   \
        (void)err;                                                                                                     \
        return finish(accumulators, out, result);                                                                      \
    }
FINISH(corr)
FINISH(covar_pop)
FINISH(covar_sample)
FINISH(average_x)
FINISH(average_y)
FINISH(slope)
FINISH(intercept)
FINISH(r2)
FINISH(sum_xx)
FINISH(sum_xy)
FINISH(sum_yy)

static leat_status finish_count(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const pairs *groups = accumulators;
    (void)err;
    for (size_t i = 0; i < out->count; i++) ((int64_t *)out->values)[i] = (int64_t)groups[out->group_index[i]].n;
    return LEAT_OK;
}

#define KEPT(finisher)                                                                                                 \
    static const lt_aggregate plain_##finisher = {                                                                     \
        .accumulator_bytes = sizeof(pairs), .update = update, .finish = finisher};                                     \
    static const lt_aggregate kept_##finisher = {.name = "regression", LT_KEPT_REPLAY(&plain_##finisher)};
KEPT(finish_corr)
KEPT(finish_covar_pop)
KEPT(finish_covar_sample)
KEPT(finish_average_x)
KEPT(finish_average_y)
KEPT(finish_slope)
KEPT(finish_intercept)
KEPT(finish_r2)
KEPT(finish_sum_xx)
KEPT(finish_sum_xy)
KEPT(finish_sum_yy)
KEPT(finish_count)

#define PAIR(pair_name, finisher, what, result)                                                                        \
    {                                                                                                                  \
        .name = pair_name, .takes = {LT_TAKES_DOUBLE, LT_TAKES_DOUBLE}, .returns = LT_DOUBLE,                          \
        .accumulator_bytes = sizeof(pairs), .needs_place = true, .needs_append_only = true,                            \
        .retraction = &kept_##finisher, .update = update, .finish = finisher, .summary = what,                         \
        .example = "SELECT " pair_name "(y, x) FROM VALUES (1, 1), (3, 2) AS t(y, x)", .example_result = result        \
    }

const lt_aggregate lt_aggregates_regression[] = {
    PAIR("corr", finish_corr, "Pearson's correlation.", "1.0"),
    PAIR("covar_pop", finish_covar_pop, "Covariance of a whole population.", "0.5"),
    PAIR("covar_samp", finish_covar_sample, "Covariance of a sample.", "1.0"),
    PAIR("regr_avgx", finish_average_x, "Mean of x over pairs without NULL.", "1.5"),
    PAIR("regr_avgy", finish_average_y, "Mean of y over pairs without NULL.", "2.0"),
    PAIR("regr_slope", finish_slope, "Slope of the line through the pairs.", "2.0"),
    PAIR("regr_intercept", finish_intercept, "Where the line through the pairs meets x = 0.", "-1.0"),
    PAIR("regr_r2", finish_r2, "How much of y the line explains.", "1.0"),
    PAIR("regr_sxx", finish_sum_xx, "Sum of squares of deviations of x.", "0.5"),
    PAIR("regr_sxy", finish_sum_xy, "Sum of products of deviations.", "1.0"),
    PAIR("regr_syy", finish_sum_yy, "Sum of squares of deviations of y.", "2.0"),
    {.name              = "regr_count",
     .takes             = {LT_TAKES_DOUBLE, LT_TAKES_DOUBLE},
     .returns           = LT_BIGINT,
     .accumulator_bytes = sizeof(pairs),
     .needs_place       = true,
     .needs_append_only = true,
     .retraction        = &kept_finish_count,
     .update            = update,
     .finish            = finish_count,
     .summary           = "The number of pairs without NULL.",
     .example           = "SELECT regr_count(y, x) FROM VALUES (1, 1), (NULL, 2) AS t(y, x)",
     .example_result    = "1"},
    {0},
};
