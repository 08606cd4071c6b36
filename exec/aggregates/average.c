// avg(x), mean(x), try_avg(x): numbers and texts give DOUBLE, decimals four more digits before and behind the point,
// intervals the widest interval of their kind, rounded HALF_UP. Integers, decimals and intervals are summed exactly;
// doubles in order of arrival, as Spark's. No value that is not NULL: NULL. Source: Spark SQL 4, ANSI mode.
#include "base/aggregate.h"
#include "base/decimal.h"
#include "exec/aggregates/exact_double.h"
#include "exec/aggregates/total.h"

#define AVERAGE_UPDATE(name, lane_type)                                                                                \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        lt_total        *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < rows->count; i++)                                                                       \
            lt_total_add(&groups[rows->group_index[i]], value[i], rows->weight[i]);                                    \
        return LEAT_OK;                                                                                                \
    }
AVERAGE_UPDATE(update_tinyint, int8_t)
AVERAGE_UPDATE(update_smallint, int16_t)
AVERAGE_UPDATE(update_int, int32_t)
AVERAGE_UPDATE(update_bigint, int64_t)
AVERAGE_UPDATE(update_decimal, lt_int128)

static void total_merge(void *into, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) lt_total_merge((lt_total *)into + i, (const lt_total *)from + i);
}

static leat_status finish_integers(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_total *groups  = accumulators;
    double         *average = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const lt_total *group = &groups[out->group_index[i]];
        out->is_null[i]       = group->count == 0;
        average[i]            = group->count == 0 ? 0 : lt_total_double(group) / (double)group->count;
    }
    return LEAT_OK;
}

static void give_up(const lt_aggregate_results *out, size_t lane) {
    if (out->aggregate->fails_with == LT_CONDITION_NONE)
        out->is_null[lane] = 1;
    else
        out->failed[lane] = 1;
}

static leat_status finish_decimals(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_total  *groups  = accumulators;
    lt_int128       *average = out->values;
    lt_decimal_shape into    = lt_decimal_shape_of(out->result_type);
    uint32_t         scale   = out->argument_types[0]->scale;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const lt_total *group = &groups[out->group_index[i]];
        lt_int128       total;
        out->is_null[i] = group->count == 0;
        average[i]      = 0;
        if (group->count == 0) continue;
        if (!lt_total_value(group, &total) || !lt_decimal_divide(total, scale, group->count, 0, into, &average[i]))
            give_up(out, i);
    }
    return LEAT_OK;
}

static lt_int128 divide_half_up(lt_int128 total, int64_t count) {
    lt_int128 quotient = total / count, rest = total % count;
    if (rest < 0) rest = -rest;
    if (rest * 2 >= (count < 0 ? -count : count)) quotient += (total < 0) == (count < 0) ? 1 : -1;
    return quotient;
}

#define INTERVAL_FINISH(name, lane_type)                                                                               \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        const lt_total *groups  = accumulators;                                                                        \
        lane_type      *average = out->values;                                                                         \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < out->count; i++) {                                                                      \
            const lt_total *group = &groups[out->group_index[i]];                                                      \
            lt_int128       total;                                                                                     \
            out->is_null[i] = group->count == 0;                                                                       \
            average[i]      = 0;                                                                                       \
            if (group->count == 0) continue;                                                                           \
            if (lt_total_value(group, &total))                                                                         \
                average[i] = (lane_type)divide_half_up(total, group->count);                                           \
            else                                                                                                       \
                give_up(out, i);                                                                                       \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
INTERVAL_FINISH(finish_months, int32_t)
INTERVAL_FINISH(finish_times, int64_t)

typedef struct average_double {
    double  total;
    int64_t count;
} average_double;

#define DOUBLE_UPDATE(name, lane_type)                                                                                 \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        average_double  *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            average_double *group = &groups[rows->group_index[i]];                                                     \
            group->count += rows->weight[i];                                                                           \
            if (rows->weight[i] == 1)                                                                                  \
                group->total += (double)value[i];                                                                      \
            else                                                                                                       \
                group->total += (double)value[i] * (double)rows->weight[i];                                            \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
DOUBLE_UPDATE(update_float, float)
DOUBLE_UPDATE(update_double, double)

static leat_status finish_doubles(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const average_double *groups  = accumulators;
    double               *average = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const average_double *group = &groups[out->group_index[i]];
        out->is_null[i]             = group->count == 0;
        average[i]                  = group->count == 0 ? 0 : group->total / (double)group->count;
    }
    return LEAT_OK;
}

// Under retraction: exact until it is read, so that what left leaves no trace; equal to the plain sum within rounding.
typedef struct exact_average {
    lt_exact_double total;
    int64_t         count;
} exact_average;

#define EXACT_UPDATE(name, lane_type)                                                                                  \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        exact_average   *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            exact_average *group = &groups[rows->group_index[i]];                                                      \
            group->count += rows->weight[i];                                                                           \
            lt_exact_double_add(&group->total, (double)value[i], rows->weight[i]);                                     \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
EXACT_UPDATE(exact_update_float, float)
EXACT_UPDATE(exact_update_double, double)

static leat_status exact_finish_double(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const exact_average *groups = accumulators;
    double              *value  = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const exact_average *group = &groups[out->group_index[i]];
        out->is_null[i]            = group->count == 0;
        value[i] = group->count == 0 ? 0 : lt_exact_double_value(&group->total) / (double)group->count;
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- types

static leat_status resolve_tinyint(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_TINYINT, lt_type_of(LT_DOUBLE), err);
}
static leat_status resolve_smallint(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_SMALLINT, lt_type_of(LT_DOUBLE), err);
}
static leat_status resolve_int(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_INT, lt_type_of(LT_DOUBLE), err);
}
static leat_status resolve_bigint(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_BIGINT, lt_type_of(LT_DOUBLE), err);
}
static leat_status resolve_float(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_FLOAT, lt_type_of(LT_DOUBLE), err);
}
static leat_status resolve_months(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_INTERVAL_YEAR_MONTH, lt_type_of(LT_INTERVAL_YEAR_MONTH), err);
}
static leat_status resolve_time(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_INTERVAL_DAY_TIME, lt_type_of(LT_INTERVAL_DAY_TIME), err);
}
static leat_status resolve_decimal(lt_resolution *resolution, leat_error *err) {
    uint32_t precision = resolution->types[0]->precision + 4u, scale = resolution->types[0]->scale + 4u;
    if (resolution->types[0]->kind != LT_DECIMAL) return LEAT_DONE;
    if (precision > LT_DECIMAL_PRECISION_MAX) precision = LT_DECIMAL_PRECISION_MAX;
    if (scale > LT_DECIMAL_PRECISION_MAX) scale = LT_DECIMAL_PRECISION_MAX;
    return lt_total_resolve(resolution, LT_DECIMAL, lt_type_decimal(resolution->arena, precision, scale), err);
}
// A time counts as its seconds since 1970, as recorded of Spark.
static leat_status resolve_double(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->types[0]->kind;
    if (kind == LT_STRING || kind == LT_VOID || kind == LT_TIMESTAMP) resolution->types[0] = lt_type_of(LT_DOUBLE);
    return lt_total_resolve(resolution, LT_DOUBLE, lt_type_of(LT_DOUBLE), err);
}

#define EXACT(resolver, updater, finisher)                                                                             \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, .accumulator_bytes = sizeof(lt_total), .is_linear = true,            \
    .update = updater, .merge = total_merge, .finish = finisher
#define INEXACT(resolver, updater, retracting)                                                                         \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, .accumulator_bytes = sizeof(average_double),                         \
    .needs_append_only = true, .retraction = &retracting, .needs_place = true, .update = updater,                      \
    .finish = finish_doubles
#define RETRACTING(updater)                                                                                            \
    .takes = {LT_TAKES_ANY}, .accumulator_bytes = sizeof(exact_average), .is_linear = true, .update = updater,         \
    .finish = exact_finish_double
static const lt_aggregate exact_float  = {.name = "avg", RETRACTING(exact_update_float)};
static const lt_aggregate exact_double = {.name = "avg", RETRACTING(exact_update_double)};

#define AVERAGE_ROWS(average_name, condition)                                                                          \
    {.name = average_name, EXACT(resolve_tinyint, update_tinyint, finish_integers)},                                   \
        {.name = average_name, EXACT(resolve_smallint, update_smallint, finish_integers)},                             \
        {.name = average_name, EXACT(resolve_bigint, update_bigint, finish_integers)},                                 \
        {.name = average_name, EXACT(resolve_decimal, update_decimal, finish_decimals), .fails_with = condition},      \
        {.name = average_name, EXACT(resolve_months, update_int, finish_months), .fails_with = condition},             \
        {.name = average_name, EXACT(resolve_time, update_bigint, finish_times), .fails_with = condition},             \
        {.name = average_name, INEXACT(resolve_float, update_float, exact_float)}, {                                   \
        .name = average_name, INEXACT(resolve_double, update_double, exact_double)                                     \
    }

const lt_aggregate lt_aggregates_average[] = {
    {.name = "avg",
     EXACT(resolve_int, update_int, finish_integers),
     .summary        = "The mean of the values that are not NULL.",
     .example        = "SELECT avg(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    AVERAGE_ROWS("avg", LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION),
    {.name = "mean",
     EXACT(resolve_int, update_int, finish_integers),
     .summary        = "The same as avg.",
     .example        = "SELECT mean(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    AVERAGE_ROWS("mean", LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION),
    {.name = "try_avg",
     EXACT(resolve_int, update_int, finish_integers),
     .summary        = "Like avg, but NULL when the mean does not fit.",
     .example        = "SELECT try_avg(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    AVERAGE_ROWS("try_avg", LT_CONDITION_NONE),
    {0},
};
