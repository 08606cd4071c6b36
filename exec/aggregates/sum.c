// sum(x), try_sum(x): integers give BIGINT, decimals ten more digits, floating numbers and texts DOUBLE, intervals
// themselves. Integers, decimals and intervals are exact: neither order nor retractions that cancel out change the
// answer, and overflow is judged on the net total. Doubles add in order of arrival, as Spark's do; a retraction
// subtracts. No value that is not NULL: NULL. Source: Spark SQL 4, ANSI mode.
#include "base/aggregate.h"
#include "base/decimal.h"
#include "exec/aggregates/exact_double.h"
#include "exec/aggregates/total.h"

// --------------------------------------------------------------------------------------------------------------- exact

#define SUM_UPDATE(name, lane_type)                                                                                    \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        lt_total        *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < rows->count; i++)                                                                       \
            lt_total_add(&groups[rows->group_index[i]], value[i], rows->weight[i]);                                    \
        return LEAT_OK;                                                                                                \
    }
SUM_UPDATE(sum_tinyint, int8_t)
SUM_UPDATE(sum_smallint, int16_t)
SUM_UPDATE(sum_int, int32_t)
SUM_UPDATE(sum_bigint, int64_t)
SUM_UPDATE(sum_decimal, lt_int128)

static void total_merge(void *into, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) lt_total_merge((lt_total *)into + i, (const lt_total *)from + i);
}

static void give_up(const lt_aggregate_results *out, size_t lane) {
    if (out->aggregate->fails_with == LT_CONDITION_NONE)
        out->is_null[lane] = 1;
    else
        out->failed[lane] = 1;
}

#define SUM_FINISH(name, lane_type, fits)                                                                              \
    static leat_status name(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {              \
        const lt_total *groups = accumulators;                                                                         \
        lane_type      *sum    = out->values;                                                                          \
        (void)err;                                                                                                     \
        for (size_t i = 0; i < out->count; i++) {                                                                      \
            const lt_total *group = &groups[out->group_index[i]];                                                      \
            lt_int128       total;                                                                                     \
            bool            is_held = lt_total_value(group, &total);                                                   \
            sum[i]                  = (lane_type)total;                                                                \
            out->is_null[i]         = group->count == 0;                                                               \
            if (group->count != 0 && !(is_held && (fits))) give_up(out, i);                                            \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
SUM_FINISH(finish_int, int32_t, total == sum[i])
SUM_FINISH(finish_bigint, int64_t, total == sum[i])
SUM_FINISH(finish_decimal, lt_int128, lt_decimal_fits(total, out->result_type->precision))

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
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            sum_double *group = &groups[rows->group_index[i]];                                                         \
            group->count += rows->weight[i];                                                                           \
            if (rows->weight[i] == 1)                                                                                  \
                group->total += (double)value[i];                                                                      \
            else                                                                                                       \
                group->total += (double)value[i] * (double)rows->weight[i];                                            \
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
            group->count += rows->weight[i];                                                                           \
            lt_exact_double_add(&group->total, (double)value[i], rows->weight[i]);                                     \
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

#define EXACT(resolver, updater, finisher)                                                                             \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, .accumulator_bytes = sizeof(lt_total), .is_linear = true,            \
    .update = updater, .merge = total_merge, .finish = finisher
#define INEXACT(resolver, updater, retracting)                                                                         \
    .takes = {LT_TAKES_ANY}, .resolve = resolver, .accumulator_bytes = sizeof(sum_double), .needs_append_only = true,  \
    .retraction = &retracting, .needs_place = true, .update = updater, .finish = finish_double
#define RETRACTING(updater)                                                                                            \
    .takes = {LT_TAKES_ANY}, .accumulator_bytes = sizeof(exact_sum), .is_linear = true, .update = updater,             \
    .finish = exact_finish_double
static const lt_aggregate exact_float  = {.name = "sum", RETRACTING(exact_update_float)};
static const lt_aggregate exact_double = {.name = "sum", RETRACTING(exact_update_double)};

#define SUM_ROWS(sum_name, condition)                                                                                  \
    {.name = sum_name, EXACT(resolve_smallint, sum_smallint, finish_bigint), .fails_with = condition},                 \
        {.name = sum_name, EXACT(resolve_tinyint, sum_tinyint, finish_bigint), .fails_with = condition},               \
        {.name = sum_name, EXACT(resolve_int, sum_int, finish_bigint), .fails_with = condition},                       \
        {.name = sum_name, EXACT(resolve_decimal, sum_decimal, finish_decimal), .fails_with = condition},              \
        {.name = sum_name, EXACT(resolve_months, sum_int, finish_int), .fails_with = condition},                       \
        {.name = sum_name, EXACT(resolve_time, sum_bigint, finish_bigint), .fails_with = condition},                   \
        {.name = sum_name, INEXACT(resolve_float, update_float, exact_float)}, {                                       \
        .name = sum_name, INEXACT(resolve_double, update_double, exact_double)                                         \
    }

const lt_aggregate lt_aggregates_sum[] = {
    {.name = "sum",
     EXACT(resolve_bigint, sum_bigint, finish_bigint),
     .fails_with     = LT_ARITHMETIC_OVERFLOW,
     .summary        = "Sum of the values that are not NULL.",
     .example        = "SELECT sum(x) FROM VALUES (1), (NULL), (2) AS t(x)",
     .example_result = "3"},
    SUM_ROWS("sum", LT_ARITHMETIC_OVERFLOW),
    {.name = "try_sum",
     EXACT(resolve_bigint, sum_bigint, finish_bigint),
     .summary        = "Like sum, but NULL when the total does not fit.",
     .example        = "SELECT try_sum(x) FROM VALUES (9223372036854775807L), (1L) AS t(x)",
     .example_result = "NULL"},
    SUM_ROWS("try_sum", LT_CONDITION_NONE),
    {0},
};
