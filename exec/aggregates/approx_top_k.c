// approx_top_k(x [, k [, tracked]]): the k most frequent values that are not NULL with how often they came, most first;
// of equally frequent ones the smaller first. Counts are exact here, so the number of tracked values does not matter.
// Source: Spark SQL 4, whose sketch leaves the order of ties open.
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

enum { TOP_DEFAULT = 5, TOP_MAX = 1 << 20 };

static leat_status top_resolve(lt_resolution *resolution, leat_error *err) {
    static const lt_field names[] = {{.name = "item"}, {.name = "count"}};
    if (!lt_type_is_orderable(resolution->types[0]))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "values of type %s cannot be counted", lt_type_text(resolution->arena, resolution->types[0]));
    for (uint32_t i = 1; i < resolution->argument_count; i++) {
        const lt_vector *value = resolution->constants[i];
        if (value == NULL) continue;
        const int32_t number = lt_vector_is_null(value, 0) ? 0 : LT_VALUE(value, int32_t, 0);
        if (number < 1 || number > TOP_MAX)
            return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->place,
                            "the number of values must lie between 1 and %d", TOP_MAX);
    }
    lt_field fields[2]  = {names[0], names[1]};
    fields[0].type      = resolution->types[0];
    fields[1].type      = lt_type_of(LT_BIGINT);
    const lt_type *item = lt_type_struct(resolution->arena, fields, 2);
    resolution->result  = item == NULL ? NULL : lt_type_array(resolution->arena, item);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status top_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    lt_aggregate_rows values = *rows;
    values.argument_count    = 1;
    return lt_kept_accumulator_update(accumulators, &values, true, err);
}

static bool comes_before(const lt_kept_columns *rows, uint32_t a, uint32_t b) {
    if (rows->weights[a] != rows->weights[b]) return rows->weights[a] > rows->weights[b];
    return lt_vector_compare(rows->columns, a, rows->columns, b) < 0;
}

// The first `wanted` of all, kept in order while they are found.
static leat_status top_find(const lt_kept_columns *rows, uint32_t wanted, lt_arena *arena, uint32_t **out,
                            uint32_t *out_count, leat_error *err) {
    if (wanted > rows->count) wanted = rows->count;
    LT_TRY_NEW_ARRAY(*out, arena, wanted + 1u, err);
    *out_count = 0;
    for (uint32_t k = 0; k < rows->count; k++) {
        if (*out_count == wanted && (wanted == 0 || !comes_before(rows, k, (*out)[wanted - 1]))) continue;
        uint32_t at = *out_count == wanted ? wanted - 1 : (*out_count)++;
        for (; at > 0 && comes_before(rows, k, (*out)[at - 1]); at--) (*out)[at] = (*out)[at - 1];
        (*out)[at] = k;
    }
    return LEAT_OK;
}

static leat_status top_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_kept_rows *groups   = accumulators;
    lt_vector          *child    = &out->into->children[0];
    const bool          has_size = out->argument_count > 1 && out->constants != NULL && out->constants[1] != NULL;
    const uint32_t      wanted   = has_size ? (uint32_t)LT_VALUE(out->constants[1], int32_t, 0) : TOP_DEFAULT;
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint32_t       *best, count, start = child->lanes;
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        LT_TRY(top_find(&rows, wanted, out->arena, &best, &count, err));
        for (uint32_t k = 0; k < count; k++) {
            uint32_t lane;
            LT_TRY(lt_lane_add(child, &lane, out->arena, err));
            LT_TRY(lt_lane_put(&child->children[0], lane, &rows.columns[0], best[k], out->arena, err));
            LT_LANES(&child->children[1], int64_t)[lane] = rows.weights[best[k]];
        }
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = child->lanes - start};
    }
    return LEAT_OK;
}

const lt_aggregate lt_aggregates_approx_top_k[] = {
    {.name              = "approx_top_k",
     .takes             = {LT_TAKES_ANY, LT_TAKES_INT | LT_TAKES_CONSTANT | LT_TAKES_OPTIONAL,
                           LT_TAKES_INT | LT_TAKES_CONSTANT | LT_TAKES_OPTIONAL},
     .resolve           = top_resolve,
     .display           = "$name($1, $2{5}, $3{10000})",
     .accumulator_bytes = sizeof(lt_kept_rows),
     .has_memory        = true,
     .update            = top_update,
     .finish            = top_finish,
     .save              = lt_kept_accumulator_save,
     .load              = lt_kept_accumulator_load_merging,
     .close             = lt_kept_accumulator_close,
     .summary           = "The most frequent values with their counts; exact in leat.",
     .example           = "SELECT approx_top_k(x, 2) FROM VALUES ('a'), ('b'), ('a'), ('c'), ('b'), ('a') AS t(x)",
     .example_result    = "[{a, 3}, {b, 2}]"},
    {0},
};
