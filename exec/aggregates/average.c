// avg(x), mean(x), try_avg(x): numbers and texts give DOUBLE, decimals four more digits before and behind the point,
// intervals the widest interval of their kind, rounded HALF_UP. Integers, decimals and intervals are summed exactly;
// doubles in order of arrival, as Spark's. No value that is not NULL: NULL. Source: Spark SQL 4, ANSI mode.
#include "base/aggregate.h"
#include "base/decimal.h"
#include "exec/aggregates/exact_double.h"
#include "exec/aggregates/total.h"

LT_TOTAL_UPDATES

#define INTEGERS_FINISH(name, total_type, read)                                                                        \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        const total_type *groups  = accumulators;                                                                      \
        double           *average = out->values;                                                                       \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < out->count; i++) {                                                                      \
            const total_type *group = &groups[out->group_index[i]];                                                    \
            out->is_null[i]         = group->count == 0;                                                               \
            average[i]              = group->count == 0 ? 0 : read(group) / (double)group->count;                      \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
INTEGERS_FINISH(finish_integers, lt_narrow_total, lt_narrow_total_double)
INTEGERS_FINISH(finish_wide_integers, lt_total, lt_total_double)

static void give_up(const lt_aggregate_results *out, size_t lane) {
    if (out->aggregate->fails_with == LT_CONDITION_NONE)
        out->is_null[lane] = 1;
    else
        out->failed[lane] = 1;
}

#define DECIMALS_FINISH(name, total_type, read)                                                                        \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        const total_type *groups  = accumulators;                                                                      \
        lt_int128        *average = out->values;                                                                       \
        lt_decimal_shape  into    = lt_decimal_shape_of(out->result_type);                                             \
        uint32_t          scale   = out->argument_types[0]->scale;                                                     \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < out->count; i++) {                                                                      \
            const total_type *group = &groups[out->group_index[i]];                                                    \
            lt_int128         total;                                                                                   \
            out->is_null[i] = group->count == 0;                                                                       \
            average[i]      = 0;                                                                                       \
            if (group->count == 0) continue;                                                                           \
            if (!read(group, &total) || !lt_decimal_divide(total, scale, group->count, 0, into, &average[i]))          \
                give_up(out, i);                                                                                       \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
DECIMALS_FINISH(finish_decimals, lt_narrow_total, lt_narrow_total_value)
DECIMALS_FINISH(finish_wide_decimals, lt_total, lt_total_value)

static lt_int128 divide_half_up(lt_int128 total, int64_t count) {
    lt_int128 quotient = total / count, rest = total % count;
    if (rest < 0) rest = -rest;
    if (rest * 2 >= (count < 0 ? -count : count)) quotient += (total < 0) == (count < 0) ? 1 : -1;
    return quotient;
}

#define INTERVAL_FINISH(name, total_type, read, lane_type)                                                             \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        const total_type *groups  = accumulators;                                                                      \
        lane_type        *average = out->values;                                                                       \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < out->count; i++) {                                                                      \
            const total_type *group = &groups[out->group_index[i]];                                                    \
            lt_int128         total;                                                                                   \
            out->is_null[i] = group->count == 0;                                                                       \
            average[i]      = 0;                                                                                       \
            if (group->count == 0) continue;                                                                           \
            if (read(group, &total))                                                                                   \
                average[i] = (lane_type)divide_half_up(total, group->count);                                           \
            else                                                                                                       \
                give_up(out, i);                                                                                       \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
INTERVAL_FINISH(finish_months, lt_narrow_total, lt_narrow_total_value, int32_t)
INTERVAL_FINISH(finish_times, lt_narrow_total, lt_narrow_total_value, int64_t)
INTERVAL_FINISH(finish_wide_months, lt_total, lt_total_value, int32_t)
INTERVAL_FINISH(finish_wide_times, lt_total, lt_total_value, int64_t)

typedef struct average_double {
    double  total;
    int64_t count;
} average_double;

#define DOUBLE_UPDATE(name, lane_type)                                                                                 \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        average_double  *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        if (rows->is_one_group && rows->weight == NULL) {                                                              \
            average_double *group = &groups[rows->group_index[0]];                                                     \
            double          total = group->total;                                                                      \
            for (size_t i = 0; i < rows->count; i++) total += (double)value[i];                                        \
            group->total = total;                                                                                      \
            group->count += (int64_t)rows->count;                                                                      \
            return LEAT_OK;                                                                                            \
        }                                                                                                              \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            average_double *group  = &groups[rows->group_index[i]];                                                    \
            const int64_t   weight = lt_aggregate_weight(rows, i);                                                     \
            group->count += weight;                                                                                    \
            group->total += weight == 1 ? (double)value[i] : (double)value[i] * (double)weight;                        \
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
            group->count += lt_aggregate_weight(rows, i);                                                              \
            lt_exact_double_add(&group->total, (double)value[i], lt_aggregate_weight(rows, i));                        \
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

#define WIDE_ROWS(average_name, condition)                                                                             \
    {                                                                                                                  \
        {.name = average_name, LT_WIDE_TOTAL(add_wide_tinyint, finish_wide_integers)},                                 \
            {.name = average_name, LT_WIDE_TOTAL(add_wide_smallint, finish_wide_integers)},                            \
            {.name = average_name, LT_WIDE_TOTAL(add_wide_int, finish_wide_integers)},                                 \
            {.name = average_name, LT_WIDE_TOTAL(add_wide_bigint, finish_wide_integers)},                              \
            {.name = average_name, LT_WIDE_TOTAL(add_wide_decimal, finish_wide_decimals), .fails_with = condition},    \
            {.name = average_name, LT_WIDE_TOTAL(add_wide_int, finish_wide_months), .fails_with = condition},          \
            {.name = average_name, LT_WIDE_TOTAL(add_wide_bigint, finish_wide_times), .fails_with = condition},        \
    }
enum { OF_TINYINT, OF_SMALLINT, OF_INT, OF_BIGINT, OF_DECIMAL, OF_MONTHS, OF_TIMES };
static const lt_aggregate wide_averages[] = WIDE_ROWS("avg", LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION);
static const lt_aggregate wide_means[]    = WIDE_ROWS("mean", LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION);
static const lt_aggregate wide_tries[]    = WIDE_ROWS("try_avg", LT_CONDITION_NONE);

#define EXACT(resolver, updater, finisher, wide)                                                                       \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, LT_NARROW_TOTAL(updater, finisher, wide)
#define INEXACT(resolver, updater, retracting)                                                                         \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, .accumulator_bytes = sizeof(average_double),                         \
    .needs_append_only = true, .retraction = &retracting, .needs_place = true, .update = updater,                      \
    .finish = finish_doubles
#define RETRACTING(updater)                                                                                            \
    .takes = {LT_TAKES_ANY}, .accumulator_bytes = sizeof(exact_average), .is_linear = true, .update = updater,         \
    .finish = exact_finish_double
static const lt_aggregate exact_float  = {.name = "avg", RETRACTING(exact_update_float)};
static const lt_aggregate exact_double = {.name = "avg", RETRACTING(exact_update_double)};

#define AVERAGE_ROWS(average_name, condition, wide)                                                                    \
    {.name = average_name, EXACT(resolve_tinyint, add_tinyint, finish_integers, &(wide)[OF_TINYINT])},                 \
        {.name = average_name, EXACT(resolve_smallint, add_smallint, finish_integers, &(wide)[OF_SMALLINT])},          \
        {.name = average_name, EXACT(resolve_bigint, add_bigint, finish_integers, &(wide)[OF_BIGINT])},                \
        {.name = average_name,                                                                                         \
         EXACT(resolve_decimal, add_decimal, finish_decimals, &(wide)[OF_DECIMAL]),                                    \
         .fails_with = condition},                                                                                     \
        {.name = average_name,                                                                                         \
         EXACT(resolve_months, add_int, finish_months, &(wide)[OF_MONTHS]),                                            \
         .fails_with = condition},                                                                                     \
        {.name = average_name,                                                                                         \
         EXACT(resolve_time, add_bigint, finish_times, &(wide)[OF_TIMES]),                                             \
         .fails_with = condition},                                                                                     \
        {.name = average_name, INEXACT(resolve_float, update_float, exact_float)}, {                                   \
        .name = average_name, INEXACT(resolve_double, update_double, exact_double)                                     \
    }

const lt_aggregate lt_aggregates_average[] = {
    {.name = "avg",
     EXACT(resolve_int, add_int, finish_integers, &wide_averages[OF_INT]),
     .summary        = "The mean of the values that are not NULL.",
     .example        = "SELECT avg(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    AVERAGE_ROWS("avg", LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION, wide_averages),
    {.name = "mean",
     EXACT(resolve_int, add_int, finish_integers, &wide_means[OF_INT]),
     .summary        = "The same as avg.",
     .example        = "SELECT mean(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    AVERAGE_ROWS("mean", LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION, wide_means),
    {.name = "try_avg",
     EXACT(resolve_int, add_int, finish_integers, &wide_tries[OF_INT]),
     .summary        = "Like avg, but NULL when the mean does not fit.",
     .example        = "SELECT try_avg(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    AVERAGE_ROWS("try_avg", LT_CONDITION_NONE, wide_tries),
    {0},
};
