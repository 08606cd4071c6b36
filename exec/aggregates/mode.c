// mode(x): the most frequent value that is not NULL; of equally frequent ones the smallest. mode() WITHIN GROUP (ORDER
// BY x [DESC]): the first of them in that order. Source: Spark SQL 4, where mode(x) alone leaves ties open.
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

static leat_status mode_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 2 && resolution->types[1]->kind != LT_BOOLEAN &&
        resolution->types[1]->kind != LT_VOID)
        return LEAT_DONE;
    if (!lt_type_is_orderable(resolution->types[0]))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "values of type %s cannot be compared", lt_type_text(resolution->arena, resolution->types[0]));
    if (resolution->argument_count == 2) {
        const lt_vector *in_order = resolution->constants[1];
        if (in_order != NULL && lt_vector_is_null(in_order, 0))
            return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_NULL, &resolution->places[1],
                            "whether mode gives the smallest of equally frequent values is TRUE or FALSE, not NULL");
        const bool is_ordered = in_order != NULL && LT_VALUE(in_order, bool, 0);
        resolution->display   = is_ordered ? "mode() WITHIN GROUP (ORDER BY $1 DESC)" : "mode($1)";
        resolution->types[1]  = lt_type_of(LT_BOOLEAN);
    }
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

static leat_status mode_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    lt_aggregate_rows values = *rows;
    values.argument_count    = 1;
    return lt_kept_accumulator_update(accumulators, &values, true, err);
}

static leat_status mode_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    int                 way    = out->order_count > 0 && out->order[0].is_descending ? -1 : 1;
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint32_t        best = 0;
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        for (uint32_t k = 1; k < rows.count; k++)
            if (rows.weights[k] > rows.weights[best] ||
                (rows.weights[k] == rows.weights[best] &&
                 lt_vector_compare(rows.columns, k, rows.columns, best) * way < 0))
                best = k;
        out->is_null[i] = rows.count == 0;
        if (rows.count > 0) LT_TRY(lt_lane_put(out->into, (uint32_t)i, rows.columns, best, out->arena, err));
    }
    return LEAT_OK;
}

const lt_aggregate lt_aggregates_mode[] = {
    {.name              = "mode",
     .takes             = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_CONSTANT | LT_TAKES_OPTIONAL},
     .resolve           = mode_resolve,
     .accumulator_bytes = sizeof(lt_kept_rows),
     .has_memory        = true,
     .update            = mode_update,
     .finish            = mode_finish,
     .save              = lt_kept_accumulator_save,
     .load              = lt_kept_accumulator_load_merging,
     .close             = lt_kept_accumulator_close,
     .summary           = "The most frequent value.",
     .example           = "SELECT mode(x) FROM VALUES (1), (2), (2) AS t(x)",
     .example_result    = "2"},
    {0},
};
