// vector_sum(v), vector_avg(v): element by element, of vectors of numbers, ARRAY<FLOAT>, in single precision and order
// of arrival. Vectors with a NULL among their elements are left out; none left: NULL; lengths that differ are an error.
// The vectors of a group are kept, so that rows may go again. Source: Spark SQL 4.
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

static leat_status vector_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *type = resolution->types[0];
    if (type->kind != LT_ARRAY || type->fields[0].type->kind != LT_FLOAT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->places[0],
                        "a vector is an ARRAY<FLOAT>");
    resolution->result = type;
    return LEAT_OK;
}

static leat_status vector_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return lt_kept_accumulator_update(accumulators, rows, false, err);
}

static bool has_null(const lt_vector *elements, lt_list list) {
    for (uint32_t i = 0; i < list.count; i++)
        if (lt_lane_is_null(elements, list.offset + i)) return true;
    return false;
}

typedef void (*vector_fold)(float *restrict into, const float *restrict from, uint32_t count, int64_t number);

static void fold_sum(float *restrict into, const float *restrict from, uint32_t count, int64_t number) {
    (void)number;
    for (uint32_t i = 0; i < count; i++) into[i] += from[i];
}

// The running mean after vector `number`, counted from 1.
static void fold_mean(float *restrict into, const float *restrict from, uint32_t count, int64_t number) {
    const float part = 1.0F / (float)number;
    for (uint32_t i = 0; i < count; i++) into[i] += (from[i] - into[i]) * part;
}

// One group into the lanes behind those that the child has; *out_count -1: no vector.
static leat_status group_fold(const lt_kept_columns *rows, const uint32_t *order, vector_fold fold, lt_vector *child,
                              lt_arena *arena, int64_t *out_count, leat_error *err) {
    const lt_vector *elements = &rows->columns[0].children[0];
    int64_t          number   = 0;
    float           *into     = NULL;
    *out_count                = -1;
    for (uint32_t k = 0; k < rows->count; k++) {
        const lt_list list = LT_LANES(&rows->columns[0], const lt_list)[order[k]];
        if (has_null(elements, list)) continue;
        if (*out_count < 0) {
            *out_count = list.count;
            LT_TRY(lt_vector_reserve(child, child->lanes + list.count, arena, err));
            into = LT_LANES(child, float) + child->lanes;
            if (list.count > 0) memset(into, 0, list.count * sizeof *into);
            child->lanes += list.count;
        }
        if (list.count != *out_count)
            return lt_raise(err, LT_VECTOR_DIMENSION_MISMATCH, NULL, "a vector of %u elements beside one of %lld",
                            list.count, (long long)*out_count);
        for (int64_t copy = 0; copy < rows->weights[order[k]] && list.count > 0; copy++)
            fold(into, LT_LANES(elements, const float) + list.offset, list.count, ++number);
    }
    return LEAT_OK;
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, vector_fold fold,
                          leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    lt_vector          *child  = &out->into->children[0];
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint32_t       *order;
        const uint32_t  start = child->lanes;
        int64_t         count;
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        LT_TRY(lt_kept_sort(&rows, 0, 0, NULL, out->arena, &order, err));
        LT_TRY(group_fold(&rows, order, fold, child, out->arena, &count, err));
        out->is_null[i]                 = count < 0;
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = count < 0 ? 0 : (uint32_t)count};
    }
    return LEAT_OK;
}
static leat_status sum_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, fold_sum, err);
}
static leat_status mean_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, fold_mean, err);
}

#define VECTOR                                                                                                         \
    .takes = {LT_TAKES_ANY}, .resolve = vector_resolve, .accumulator_bytes = sizeof(lt_kept_rows),                     \
    .needs_place = true, .has_memory = true, .update = vector_update, .save = lt_kept_accumulator_save,                \
    .load = lt_kept_accumulator_load, .close = lt_kept_accumulator_close

const lt_aggregate lt_aggregates_vector[] = {
    {.name = "vector_sum",
     VECTOR,
     .finish         = sum_finish,
     .summary        = "The sum of vectors, ARRAY<FLOAT> of one length, element by element.",
     .example        = "SELECT vector_sum(v) FROM VALUES (array(1F, 2F)), (array(3F, 4F)) AS t(v)",
     .example_result = "[4.0, 6.0]"},
    {.name = "vector_avg",
     VECTOR,
     .finish         = mean_finish,
     .summary        = "The mean of vectors, ARRAY<FLOAT> of one length, element by element.",
     .example        = "SELECT vector_avg(v) FROM VALUES (array(1F, 2F)), (array(3F, 4F)) AS t(v)",
     .example_result = "[2.0, 3.0]"},
    {0},
};
