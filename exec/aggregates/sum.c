// sum(x), try_sum(x): integers give BIGINT, decimals ten more digits, floating numbers and texts DOUBLE, intervals
// themselves. Integers, decimals and intervals are exact: neither order nor retractions that cancel out change the
// answer, and overflow is judged on the net total. Doubles add in order of arrival, as Spark's do; a retraction
// subtracts. No value that is not NULL: NULL. Source: Spark SQL 4, ANSI mode.
#include "base/aggregate.h"
#include "base/decimal.h"
#include "exec/aggregates/exact_double.h"
#include "exec/aggregates/total.h"

// --------------------------------------------------------------------------------------------------------------- exact

LT_TOTAL_UPDATES

static void give_up(const lt_aggregate_results *out, size_t lane) {
    if (out->aggregate->fails_with == LT_CONDITION_NONE)
        out->is_null[lane] = 1;
    else
        out->failed[lane] = 1;
}

#define SUM_FINISH(name, total_type, read, lane_type, fits)                                                            \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        const total_type *groups = accumulators;                                                                       \
        lane_type        *sum    = out->values;                                                                        \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < out->count; i++) {                                                                      \
            const total_type *group = &groups[out->group_index[i]];                                                    \
            lt_int128         total;                                                                                   \
            bool              is_held = read(group, &total);                                                           \
            sum[i]                    = (lane_type)total;                                                              \
            out->is_null[i]           = group->count == 0;                                                             \
            if (group->count != 0 && !(is_held && (fits))) give_up(out, i);                                            \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
#define SUM_FINISHES(name, wide_name, lane_type, fits)                                                                 \
    SUM_FINISH(name, lt_narrow_total, lt_narrow_total_value, lane_type, fits)                                          \
    SUM_FINISH(wide_name, lt_total, lt_total_value, lane_type, fits)
SUM_FINISHES(finish_int, finish_wide_int, int32_t, total == sum[i])
SUM_FINISHES(finish_bigint, finish_wide_bigint, int64_t, total == sum[i])
SUM_FINISHES(finish_decimal, finish_wide_decimal, lt_int128, lt_decimal_fits(total, out->result_type->precision))

// ------------------------------------------------------------------------------------------------------------- doubles

typedef struct sum_double {
    double  total;
    int64_t count;
} sum_double;

#define SUM_DOUBLE_UPDATE(name, lane_type)                                                                             \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        sum_double      *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        if (rows->is_one_group && rows->weight == NULL) {                                                              \
            sum_double *group = &groups[rows->group_index[0]];                                                         \
            double      total = group->total;                                                                          \
            for (size_t i = 0; i < rows->count; i++) total += (double)value[i];                                        \
            group->total = total;                                                                                      \
            group->count += (int64_t)rows->count;                                                                      \
            return LEAT_OK;                                                                                            \
        }                                                                                                              \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            sum_double   *group  = &groups[rows->group_index[i]];                                                      \
            const int64_t weight = lt_aggregate_weight(rows, i);                                                       \
            group->count += weight;                                                                                    \
            group->total += weight == 1 ? (double)value[i] : (double)value[i] * (double)weight;                        \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
SUM_DOUBLE_UPDATE(update_float, float)
SUM_DOUBLE_UPDATE(update_double, double)

static leat_status finish_double(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const sum_double *groups = accumulators;
    double           *sum    = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const sum_double *group = &groups[out->group_index[i]];
        sum[i]                  = group->total;
        out->is_null[i]         = group->count == 0;
    }
    return LEAT_OK;
}

// Under retraction: exact until it is read, so that what left leaves no trace; equal to the plain sum within rounding.
typedef struct exact_sum {
    lt_exact_double total;
    int64_t         count;
} exact_sum;

#define EXACT_UPDATE(name, lane_type)                                                                                  \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        exact_sum       *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            exact_sum *group = &groups[rows->group_index[i]];                                                          \
            group->count += lt_aggregate_weight(rows, i);                                                              \
            lt_exact_double_add(&group->total, (double)value[i], lt_aggregate_weight(rows, i));                        \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
EXACT_UPDATE(exact_update_float, float)
EXACT_UPDATE(exact_update_double, double)

static leat_status exact_finish_double(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const exact_sum *groups = accumulators;
    double          *value  = out->values;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const exact_sum *group = &groups[out->group_index[i]];
        out->is_null[i]        = group->count == 0;
        value[i]               = group->count == 0 ? 0 : lt_exact_double_value(&group->total);
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- types

static leat_status resolve_tinyint(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_TINYINT, lt_type_of(LT_BIGINT), err);
}
static leat_status resolve_smallint(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_SMALLINT, lt_type_of(LT_BIGINT), err);
}
static leat_status resolve_int(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_INT, lt_type_of(LT_BIGINT), err);
}
static leat_status resolve_bigint(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_BIGINT, lt_type_of(LT_BIGINT), err);
}
static leat_status resolve_float(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_FLOAT, lt_type_of(LT_DOUBLE), err);
}
static leat_status resolve_months(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_INTERVAL_YEAR_MONTH, resolution->types[0], err);
}
static leat_status resolve_time(lt_resolution *resolution, leat_error *err) {
    return lt_total_resolve(resolution, LT_INTERVAL_DAY_TIME, resolution->types[0], err);
}
static leat_status resolve_decimal(lt_resolution *resolution, leat_error *err) {
    uint32_t precision = resolution->types[0]->precision + 10u;
    if (resolution->types[0]->kind != LT_DECIMAL) return LEAT_DONE;
    if (precision > LT_DECIMAL_PRECISION_MAX) precision = LT_DECIMAL_PRECISION_MAX;
    return lt_total_resolve(resolution, LT_DECIMAL,
                            lt_type_decimal(resolution->arena, precision, resolution->types[0]->scale), err);
}
// Texts and bare NULLs too.
static leat_status resolve_double(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->types[0]->kind;
    if (kind == LT_STRING || kind == LT_VOID) resolution->types[0] = lt_type_of(LT_DOUBLE);
    return lt_total_resolve(resolution, LT_DOUBLE, lt_type_of(LT_DOUBLE), err);
}

#define WIDE_ROWS(sum_name, condition)                                                                                 \
    {                                                                                                                  \
        {.name = sum_name, LT_WIDE_TOTAL(add_wide_tinyint, finish_wide_bigint), .fails_with = condition},              \
            {.name = sum_name, LT_WIDE_TOTAL(add_wide_smallint, finish_wide_bigint), .fails_with = condition},         \
            {.name = sum_name, LT_WIDE_TOTAL(add_wide_int, finish_wide_bigint), .fails_with = condition},              \
            {.name = sum_name, LT_WIDE_TOTAL(add_wide_bigint, finish_wide_bigint), .fails_with = condition},           \
            {.name = sum_name, LT_WIDE_TOTAL(add_wide_decimal, finish_wide_decimal), .fails_with = condition},         \
            {.name = sum_name, LT_WIDE_TOTAL(add_wide_int, finish_wide_int), .fails_with = condition}, /* months */    \
    }
enum { OF_TINYINT, OF_SMALLINT, OF_INT, OF_BIGINT, OF_DECIMAL, OF_MONTHS };
static const lt_aggregate wide_sums[]     = WIDE_ROWS("sum", LT_ARITHMETIC_OVERFLOW);
static const lt_aggregate wide_try_sums[] = WIDE_ROWS("try_sum", LT_CONDITION_NONE);

#define EXACT(resolver, updater, finisher, wide)                                                                       \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, LT_NARROW_TOTAL(updater, finisher, wide)
#define INEXACT(resolver, updater, retracting)                                                                         \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, .accumulator_bytes = sizeof(sum_double), .needs_append_only = true,  \
    .retraction = &retracting, .needs_place = true, .update = updater, .finish = finish_double
#define RETRACTING(updater)                                                                                            \
    .takes = {LT_TAKES_ANY}, .accumulator_bytes = sizeof(exact_sum), .is_linear = true, .update = updater,             \
    .finish = exact_finish_double
static const lt_aggregate exact_float  = {.name = "sum", RETRACTING(exact_update_float)};
static const lt_aggregate exact_double = {.name = "sum", RETRACTING(exact_update_double)};

#define SUM_ROWS(sum_name, condition, wide)                                                                            \
    {.name = sum_name,                                                                                                 \
     EXACT(resolve_smallint, add_smallint, finish_bigint, &(wide)[OF_SMALLINT]),                                       \
     .fails_with = condition},                                                                                         \
        {.name = sum_name,                                                                                             \
         EXACT(resolve_tinyint, add_tinyint, finish_bigint, &(wide)[OF_TINYINT]),                                      \
         .fails_with = condition},                                                                                     \
        {.name = sum_name, EXACT(resolve_int, add_int, finish_bigint, &(wide)[OF_INT]), .fails_with = condition},      \
        {.name = sum_name,                                                                                             \
         EXACT(resolve_decimal, add_decimal, finish_decimal, &(wide)[OF_DECIMAL]),                                     \
         .fails_with = condition},                                                                                     \
        {.name = sum_name, EXACT(resolve_months, add_int, finish_int, &(wide)[OF_MONTHS]), .fails_with = condition},   \
        {.name = sum_name,                                                                                             \
         EXACT(resolve_time, add_bigint, finish_bigint, &(wide)[OF_BIGINT]),                                           \
         .fails_with = condition},                                                                                     \
        {.name = sum_name, INEXACT(resolve_float, update_float, exact_float)}, {                                       \
        .name = sum_name, INEXACT(resolve_double, update_double, exact_double)                                         \
    }

const lt_aggregate lt_aggregates_sum[] = {
    {.name = "sum",
     EXACT(resolve_bigint, add_bigint, finish_bigint, &wide_sums[OF_BIGINT]),
     .fails_with     = LT_ARITHMETIC_OVERFLOW,
     .summary        = "Sum of the values that are not NULL.",
     .example        = "SELECT sum(x) FROM VALUES (1), (NULL), (2) AS t(x)",
     .example_result = "3"},
    SUM_ROWS("sum", LT_ARITHMETIC_OVERFLOW, wide_sums),
    {.name = "try_sum",
     EXACT(resolve_bigint, add_bigint, finish_bigint, &wide_try_sums[OF_BIGINT]),
     .summary        = "Like sum, but NULL when the total does not fit.",
     .example        = "SELECT try_sum(x) FROM VALUES (9223372036854775807L), (1L) AS t(x)",
     .example_result = "NULL"},
    SUM_ROWS("try_sum", LT_CONDITION_NONE, wide_try_sums),
    {0},
};
