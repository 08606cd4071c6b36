// listagg(x [, delimiter]) [WITHIN GROUP (ORDER BY ..)], string_agg: the values that are not NULL as one text (or
// BINARY), in that order, else in order of arrival. Without one: NULL. Source: Spark SQL 4.
#include "exec/state/kept_rows.h"

static leat_status listagg_resolve(lt_resolution *resolution, leat_error *err) {
    uint32_t count = resolution->argument_count;
    lt_kind  kind  = resolution->types[0]->kind;
    if (count < 1 || count > 2) return LEAT_DONE;
    if (lt_kind_is_nested(kind) || kind == LT_VARIANT) return LEAT_DONE;
    const lt_type *type  = lt_type_of(kind == LT_BINARY ? LT_BINARY : LT_STRING);
    resolution->types[0] = type;
    if (count == 2) {
        lt_kind delimiter = resolution->types[1]->kind;
        if (lt_kind_is_nested(delimiter) || delimiter == LT_VARIANT) return LEAT_DONE;
        if (resolution->constants[1] == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                            "the delimiter of listagg must be a constant");
        resolution->types[1] = type;
    }
    resolution->result = type;
    return LEAT_OK;
}

static leat_status listagg_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return lt_kept_accumulator_update(accumulators, rows, false, err);
}

static leat_status append(const lt_kept_columns *rows, const uint32_t *order, const lt_string *delimiter,
                          lt_buffer *text, leat_error *err) {
    bool is_first = true;
    for (uint32_t k = 0; k < rows->count; k++)
        for (int64_t copy = 0; copy < rows->weights[order[k]]; copy++) {
            const lt_string *value = &LT_LANES(&rows->columns[0], const lt_string)[order[k]];
            if (!is_first && delimiter != NULL)
                LT_TRY(lt_buffer_append(text, lt_string_data(delimiter), delimiter->bytes, err));
            is_first = false;
            LT_TRY(lt_buffer_append(text, lt_string_data(value), value->bytes, err));
        }
    return LEAT_OK;
}

static leat_status listagg_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_kept_rows *groups         = accumulators;
    uint32_t            argument_count = out->argument_count - out->order_count;
    lt_buffer           text;
    leat_status         status = LEAT_OK;
    lt_buffer_init(&text, out->arena->account, LT_VALUE_BYTES_MAX);
    for (size_t i = 0; i < out->count && status == LEAT_OK; i++) {
        lt_kept_columns rows;
        uint32_t       *order;
        lt_buffer_reset(&text);
        status = lt_kept_decode(&groups[out->group_index[i]], out->argument_types, out->argument_count, out->arena,
                                &rows, err);
        if (status == LEAT_OK)
            status = lt_kept_sort(&rows, argument_count, out->order_count, out->order, out->arena, &order, err);
        if (status != LEAT_OK) break;
        out->is_null[i] = rows.count == 0;
        // The delimiter is a constant: every row has it.
        bool has_delimiter         = rows.count > 0 && argument_count > 1 && !lt_vector_is_null(&rows.columns[1], 0);
        const lt_string *delimiter = has_delimiter ? &LT_LANES(&rows.columns[1], const lt_string)[0] : NULL;
        status                     = append(&rows, order, delimiter, &text, err);
        if (status == LEAT_OK)
            status = lt_string_copy(out->arena, text.data, text.bytes, &((lt_string *)out->values)[i], err);
    }
    lt_buffer_deinit(&text);
    return status;
}

#define LISTAGG                                                                                                        \
    .takes = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_CONSTANT | LT_TAKES_OPTIONAL}, .resolve = listagg_resolve,         \
    .display = "$name($1, $2{NULL})", .accumulator_bytes = sizeof(lt_kept_rows), .needs_place = true,                  \
    .has_memory = true, .update = listagg_update, .finish = listagg_finish, .save = lt_kept_accumulator_save,          \
    .load = lt_kept_accumulator_load, .close = lt_kept_accumulator_close

const lt_aggregate lt_aggregates_listagg[] = {
    {.name = "listagg",
     LISTAGG,
     .summary        = "The values as one text with a delimiter between them.",
     .example        = "SELECT listagg(x, ',') WITHIN GROUP (ORDER BY x) FROM VALUES ('b'), ('a') AS t(x)",
     .example_result = "a,b"},
    {.name = "string_agg",
     LISTAGG,
     .summary        = "The same as listagg.",
     .example        = "SELECT string_agg(x, '+') FROM VALUES ('a'), ('b') AS t(x)",
     .example_result = "a+b"},
    {0},
};
