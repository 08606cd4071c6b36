// max_by(x, y), min_by(x, y): the x of the row with the largest or smallest y; of equal ones the latest. Rows whose y
// is NULL do not count. max_by(x, y, n): the array of the x of the n best rows. Source: Spark SQL 4.
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

enum { BEST_ROWS_MAX = 100000 };

static leat_status check_order(lt_resolution *resolution, leat_error *err) {
    if (lt_type_is_orderable(resolution->types[1])) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                    "values of type %s cannot be compared", lt_type_text(resolution->arena, resolution->types[1]));
}

static leat_status one_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2) return LEAT_DONE;
    LT_TRY(check_order(resolution, err));
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

static leat_status many_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 3 || !lt_kind_is_integral(resolution->types[2]->kind)) return LEAT_DONE;
    LT_TRY(check_order(resolution, err));
    resolution->types[2]   = lt_type_of(LT_INT);
    const lt_vector *count = resolution->constants[2];
    if (count == NULL || lt_vector_is_null(count, 0))
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                        "the number of rows must be a constant");
    resolution->result = lt_type_array(resolution->arena, resolution->types[0]);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// Keeps (x, y) of rows whose y is not NULL. Append-only and for one row only: just the best so far.
static leat_status take(lt_kept_rows *group, const lt_aggregate_rows *rows, uint32_t row, int wanted, lt_arena *arena,
                        lt_buffer *bytes, leat_error *err) {
    const lt_type *types[2] = {rows->arguments[0]->type, rows->arguments[1]->type};
    if (lt_vector_is_null(rows->arguments[1], row)) return LEAT_OK;
    if (wanted != 0 && group->row_count > 0) {
        lt_kept_columns best;
        LT_TRY(lt_kept_decode(group, types, 2, arena, &best, err));
        int order = lt_vector_compare(rows->arguments[1], row, &best.columns[1], 0) * wanted;
        if (order < 0 || (order == 0 && rows->place[row] < best.places[0])) return LEAT_OK;
        lt_kept_rows_close(group, rows->memory);
    }
    lt_buffer_reset(bytes);
    LT_TRY(lt_kept_encode(rows, 0, 2, row, false, bytes, err));
    return lt_kept_rows_add(group, bytes->data, bytes->bytes, lt_aggregate_weight(rows, row), rows->place[row],
                            rows->memory, err);
}

static leat_status update(void *accumulators, const lt_aggregate_rows *rows, int wanted, leat_error *err) {
    lt_kept_rows *groups = accumulators;
    lt_arena      arena;
    lt_buffer     bytes;
    leat_status   status = LEAT_OK;
    lt_arena_init(&arena, rows->memory);
    lt_buffer_init(&bytes, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++) {
        status = take(&groups[rows->group_index[i]], rows, (uint32_t)i, wanted, &arena, &bytes, err);
        lt_arena_reset(&arena);
    }
    lt_buffer_deinit(&bytes);
    lt_arena_deinit(&arena);
    return status;
}
static leat_status min_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, -1, err);
}
static leat_status max_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, 1, err);
}
static leat_status all_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, 0, err);
}

static leat_status sorted(const lt_kept_rows *group, const lt_aggregate_results *out, bool is_descending,
                          lt_kept_columns *rows, uint32_t **order, leat_error *err) {
    const lt_order_key key = {.is_descending = is_descending};
    LT_TRY(lt_kept_decode(group, out->argument_types, 2, out->arena, rows, err));
    return lt_kept_sort(rows, 1, 1, &key, out->arena, order, err);
}

static leat_status one_finish(const void *accumulators, const lt_aggregate_results *out, bool is_descending,
                              leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint32_t       *order;
        LT_TRY(sorted(&groups[out->group_index[i]], out, is_descending, &rows, &order, err));
        uint32_t last = 0; // of the best, which come in order of arrival
        while (last + 1 < rows.count &&
               lt_vector_compare(&rows.columns[1], order[last], &rows.columns[1], order[last + 1]) == 0)
            last++;
        out->is_null[i] = rows.count == 0 || lt_vector_is_null(&rows.columns[0], order[last]);
        if (rows.count > 0) LT_TRY(lt_lane_put(out->into, (uint32_t)i, &rows.columns[0], order[last], out->arena, err));
    }
    return LEAT_OK;
}
static leat_status min_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return one_finish(accumulators, out, false, err);
}
static leat_status max_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return one_finish(accumulators, out, true, err);
}

static leat_status many_finish(const void *accumulators, const lt_aggregate_results *out, bool is_descending,
                               leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    int32_t             wanted = LT_VALUE(out->constants[2], int32_t, 0);
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint32_t       *order, start = out->into->children[0].lanes;
        int64_t         left = wanted < 0 ? 0 : wanted > BEST_ROWS_MAX ? BEST_ROWS_MAX : wanted;
        LT_TRY(sorted(&groups[out->group_index[i]], out, is_descending, &rows, &order, err));
        for (uint32_t k = 0; k < rows.count; k++)
            for (int64_t w = 0; w < rows.weights[order[k]] && left > 0; w++, left--)
                LT_TRY(lt_lane_append(&out->into->children[0], &rows.columns[0], order[k], out->arena, err));
        out->is_null[i]                 = rows.count == 0;
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = out->into->children[0].lanes - start};
    }
    return LEAT_OK;
}
static leat_status min_many_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return many_finish(accumulators, out, false, err);
}
static leat_status max_many_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return many_finish(accumulators, out, true, err);
}

#define KEPT                                                                                                           \
    .accumulator_bytes = sizeof(lt_kept_rows), .takes_nulls = true, .needs_place = true, .has_memory = true,           \
    .save = lt_kept_accumulator_save, .load = lt_kept_accumulator_load, .close = lt_kept_accumulator_close
#define ONE .takes = {LT_TAKES_ANY, LT_TAKES_ORDERED}, .resolve = one_resolve, KEPT
#define MANY .takes = {LT_TAKES_ANY, LT_TAKES_ORDERED, LT_TAKES_ANY | LT_TAKES_CONSTANT}, .resolve = many_resolve, KEPT

static const lt_aggregate kept_max_by = {.name = "max_by", ONE, .update = all_update, .finish = max_finish};
static const lt_aggregate kept_min_by = {.name = "min_by", ONE, .update = all_update, .finish = min_finish};

const lt_aggregate lt_aggregates_extreme_by[] = {
    {.name = "max_by",
     ONE,
     .needs_append_only = true,
     .retraction        = &kept_max_by,
     .update            = max_update,
     .finish            = max_finish,
     .summary           = "The value of the row with the largest order value.",
     .example           = "SELECT max_by(x, y) FROM VALUES ('a', 1), ('b', 3) AS t(x, y)",
     .example_result    = "b"},
    {.name = "max_by", MANY, .update = all_update, .finish = max_many_finish},
    {.name = "min_by",
     ONE,
     .needs_append_only = true,
     .retraction        = &kept_min_by,
     .update            = min_update,
     .finish            = min_finish,
     .summary           = "The value of the row with the smallest order value.",
     .example           = "SELECT min_by(x, y) FROM VALUES ('a', 1), ('b', 3) AS t(x, y)",
     .example_result    = "a"},
    {.name = "min_by", MANY, .update = all_update, .finish = min_many_finish},
    {0},
};
