// first(x), last(x), any_value(x) and first_value, last_value: the value of the earliest or latest row by arrival,
// NULLs included unless IGNORE NULLS (or a second argument TRUE). Append-only edges keep one row, others all of them.
// Source: Spark SQL 4.
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

static leat_status first_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count > 1) {
        const lt_vector *flag = resolution->constants[1];
        if (resolution->types[1]->kind != LT_BOOLEAN) return LEAT_DONE;
        if (flag == NULL || lt_vector_is_null(flag, 0))
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                            "whether NULLs are ignored must be a constant");
    }
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

static bool ignores_nulls(const lt_aggregate_rows *rows) {
    return rows->argument_count > 1 && rows->constants != NULL && rows->constants[1] != NULL &&
           LT_VALUE(rows->constants[1], uint8_t, 0) != 0;
}

// Keeps the row; where only the earliest (-1) or latest (1) counts, instead of the one that is there.
static leat_status take(lt_kept_rows *group, const lt_aggregate_rows *rows, size_t row, int only, lt_buffer *bytes,
                        leat_error *err) {
    uint64_t    cursor = 0;
    lt_kept_row present;
    if (only != 0 && lt_kept_rows_next(group, &cursor, &present)) {
        if (only < 0 ? rows->place[row] >= present.place : rows->place[row] < present.place) return LEAT_OK;
        group->bytes = group->row_count = 0; // the room stays for the new row
    }
    lt_buffer_reset(bytes);
    LT_TRY(lt_kept_encode(rows, 0, 1, row, false, bytes, err));
    return lt_kept_rows_add(group, bytes->data, bytes->bytes, lt_aggregate_weight(rows, row), rows->place[row],
                            rows->memory, err);
}

static leat_status update(void *accumulators, const lt_aggregate_rows *rows, int only, leat_error *err) {
    lt_kept_rows *groups    = accumulators;
    bool          is_strict = ignores_nulls(rows);
    lt_buffer     bytes;
    leat_status   status = LEAT_OK;
    lt_buffer_init(&bytes, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++) {
        if (is_strict && lt_vector_is_null(rows->arguments[0], (uint32_t)i)) continue;
        status = take(&groups[rows->group_index[i]], rows, i, only, &bytes, err);
    }
    lt_buffer_deinit(&bytes);
    return status;
}
static leat_status first_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, -1, err);
}
static leat_status last_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, 1, err);
}
static leat_status all_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, 0, err);
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, bool is_last, leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    for (size_t i = 0; i < out->count; i++) {
        uint64_t    cursor = 0;
        lt_kept_row row, chosen = {0};
        for (bool is_first = true; lt_kept_rows_next(&groups[out->group_index[i]], &cursor, &row); is_first = false)
            if (is_first || (is_last ? row.place >= chosen.place : row.place < chosen.place)) chosen = row;
        out->is_null[i] = chosen.bytes == NULL;
        if (chosen.bytes == NULL) continue;
        lt_vector value;
        LT_TRY(lt_vector_init(&value, out->result_type, 1, out->arena, err));
        LT_TRY(lt_row_decode(chosen.bytes, chosen.count, &value, 1, out->arena, err));
        LT_TRY(lt_lane_put(out->into, (uint32_t)i, &value, 0, out->arena, err));
    }
    return LEAT_OK;
}
static leat_status first_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, false, err);
}
static leat_status last_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, true, err);
}

#define KEPT                                                                                                           \
    .takes = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL}, .resolve = first_resolve,                               \
    .accumulator_bytes = sizeof(lt_kept_rows), .takes_nulls = true, .needs_place = true, .has_memory = true,           \
    .ignore_nulls_allowed = true, .save = lt_kept_accumulator_save, .load = lt_kept_accumulator_load,                  \
    .close = lt_kept_accumulator_close
#define FIRST                                                                                                          \
    KEPT, .needs_append_only = true, .retraction = &kept_first, .update = first_update, .finish = first_finish,        \
          .display = "$name($1)"
#define LAST                                                                                                           \
    KEPT, .needs_append_only = true, .retraction = &kept_last, .update = last_update, .finish = last_finish,           \
          .display = "$name($1)"

static const lt_aggregate kept_first = {.name = "first", KEPT, .update = all_update, .finish = first_finish};
static const lt_aggregate kept_last  = {.name = "last", KEPT, .update = all_update, .finish = last_finish};

const lt_aggregate lt_aggregates_first_last[] = {
    {.name = "first",
     FIRST,
     .summary        = "The value of the first row.",
     .example        = "SELECT first(x) FROM VALUES (2), (1) AS t(x)",
     .example_result = "2"},
    {.name = "first_value",
     FIRST,
     .summary        = "The same as first.",
     .example        = "SELECT first_value(x) FROM VALUES (2), (1) AS t(x)",
     .example_result = "2"},
    {.name = "any_value",
     FIRST,
     .summary        = "Some value of the group: the first.",
     .example        = "SELECT any_value(x) FROM VALUES (2), (2) AS t(x)",
     .example_result = "2"},
    {.name = "last",
     LAST,
     .summary        = "The value of the last row.",
     .example        = "SELECT last(x) FROM VALUES (2), (1) AS t(x)",
     .example_result = "1"},
    {.name = "last_value",
     LAST,
     .summary        = "The same as last.",
     .example        = "SELECT last_value(x) FROM VALUES (2), (1) AS t(x)",
     .example_result = "1"},
    {0},
};
