// collect_list(x), array_agg(x): the values that are not NULL, in order of arrival. collect_set(x): each once, in order
// of first arrival; where rows can go again, of the first that is left. Without one: an empty array. Source: Spark SQL
// 4, where the order is not promised. collect_union(x): the elements of arrays, each once.
#include "base/lanes.h"
#include "base/value_set.h"
#include "exec/state/kept_rows.h"

static leat_status list_resolve(lt_resolution *resolution, leat_error *err) {
    resolution->result = lt_type_array(resolution->arena, resolution->types[0]);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static bool has_map(const lt_type *type) {
    if (type->kind == LT_MAP || type->kind == LT_VARIANT) return true;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (has_map(type->fields[i].type)) return true;
    return false;
}

static leat_status set_resolve(lt_resolution *resolution, leat_error *err) {
    if (has_map(resolution->types[0]))
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNSUPPORTED_INPUT_TYPE, &resolution->place,
                        "collect_set cannot tell maps apart");
    return list_resolve(resolution, err);
}

static leat_status list_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return lt_kept_accumulator_update(accumulators, rows, false, err);
}
static leat_status set_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return lt_kept_accumulator_update(accumulators, rows, true, err);
}

// How often the k-th row by place is given.
static leat_status copies_of(const lt_kept_columns *rows, uint32_t row, lt_value_set *seen, int64_t *out,
                             leat_error *err) {
    uint32_t member;
    bool     is_new;
    *out = rows->weights[row];
    if (seen == NULL) return LEAT_OK;
    LT_TRY(lt_value_set_add(seen, &rows->columns[0], row, &member, &is_new, err));
    *out = is_new;
    return LEAT_OK;
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, bool is_set, leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    lt_vector          *child  = &out->into->children[0];
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        lt_value_set    seen;
        uint32_t       *order, start = child->lanes;
        int64_t         copies;
        lt_value_set_init(&seen, out->arena);
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        LT_TRY(lt_kept_sort(&rows, 0, 0, NULL, out->arena, &order, err));
        for (uint32_t k = 0; k < rows.count; k++) {
            LT_TRY(copies_of(&rows, order[k], is_set ? &seen : NULL, &copies, err));
            for (; copies > 0; copies--) LT_TRY(lt_lane_append(child, &rows.columns[0], order[k], out->arena, err));
        }
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = child->lanes - start};
    }
    return LEAT_OK;
}
static leat_status list_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, false, err);
}
static leat_status set_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, true, err);
}

static leat_status union_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_ARRAY)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->places[0],
                        "collect_union takes an array");
    if (has_map(resolution->types[0]))
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNSUPPORTED_INPUT_TYPE, &resolution->place,
                        "collect_union cannot tell maps apart");
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

static leat_status union_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    lt_vector          *child  = &out->into->children[0];
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        lt_value_set    seen;
        uint32_t       *order, start = child->lanes, member;
        bool            is_new;
        lt_value_set_init(&seen, out->arena);
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        LT_TRY(lt_kept_sort(&rows, 0, 0, NULL, out->arena, &order, err));
        const lt_vector *elements = &rows.columns[0].children[0];
        for (uint32_t k = 0; k < rows.count; k++) {
            const lt_list list = LT_LANES(&rows.columns[0], const lt_list)[order[k]];
            for (uint32_t e = list.offset; e < list.offset + list.count; e++) {
                if (lt_lane_is_null(elements, e)) continue;
                LT_TRY(lt_value_set_add(&seen, elements, e, &member, &is_new, err));
                if (is_new) LT_TRY(lt_lane_append(child, elements, e, out->arena, err));
            }
        }
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = child->lanes - start};
    }
    return LEAT_OK;
}

#define LIST                                                                                                           \
    .takes = {LT_TAKES_ANY}, .resolve = list_resolve, .accumulator_bytes = sizeof(lt_kept_rows), .needs_place = true,  \
    .has_memory = true, .update = list_update, .finish = list_finish, .save = lt_kept_accumulator_save,                \
    .load = lt_kept_accumulator_load, .close = lt_kept_accumulator_close

// Each row by itself, so that the place of the first that is left is known.
static const lt_aggregate kept_set = {.name              = "collect_set",
                                      .takes             = {LT_TAKES_ANY},
                                      .accumulator_bytes = sizeof(lt_kept_rows),
                                      .needs_place       = true,
                                      .has_memory        = true,
                                      .update            = list_update,
                                      .finish            = set_finish,
                                      .save              = lt_kept_accumulator_save,
                                      .load              = lt_kept_accumulator_load,
                                      .close             = lt_kept_accumulator_close};

const lt_aggregate lt_aggregates_collect[] = {
    {.name = "collect_list",
     LIST,
     .summary        = "An array of the values that are not NULL, in order of arrival.",
     .example        = "SELECT collect_list(x) FROM VALUES (3), (1), (NULL), (3) AS t(x)",
     .example_result = "[3, 1, 3]"},
    {.name = "array_agg",
     LIST,
     .display        = "collect_list($*)",
     .summary        = "The same as collect_list.",
     .example        = "SELECT array_agg(x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "[1, 2]"},
    {.name              = "collect_set",
     .takes             = {LT_TAKES_ANY},
     .resolve           = set_resolve,
     .accumulator_bytes = sizeof(lt_kept_rows),
     .needs_append_only = true,
     .retraction        = &kept_set,
     .needs_place       = true,
     .ignores_distinct  = true,
     .has_memory        = true,
     .update            = set_update,
     .finish            = set_finish,
     .save              = lt_kept_accumulator_save,
     .load              = lt_kept_accumulator_load_merging,
     .close             = lt_kept_accumulator_close,
     .summary           = "An array of the values that are not NULL, each once.",
     .example           = "SELECT collect_set(x) FROM VALUES (3), (1), (3) AS t(x)",
     .example_result    = "[3, 1]"},
    {.name              = "collect_union",
     .takes             = {LT_TAKES_ANY},
     .resolve           = union_resolve,
     .accumulator_bytes = sizeof(lt_kept_rows),
     .needs_place       = true,
     .has_memory        = true,
     .update            = list_update,
     .finish            = union_finish,
     .save              = lt_kept_accumulator_save,
     .load              = lt_kept_accumulator_load,
     .close             = lt_kept_accumulator_close,
     .summary           = "An array of the elements of arrays that are not NULL, each once.",
     .example           = "SELECT collect_union(x) FROM VALUES (array(1, 2)), (array(2, 3)) AS t(x)",
     .example_result    = "[1, 2, 3]"},
    {0},
};
