// histogram_numeric(x, n): at most n bins {x, y}, a centre and how many values it stands for, centres ascending. With
// more values than bins the two nearest centres become their weighted mean, again and again; of equally near ones the
// first. Every value is kept, so neither order nor retractions change the answer. Source: Spark SQL 4 (after Ben-Haim
// and Tom-Tov, 2010), whose bins also depend on the order of rows once there are more values than bins.
#include "base/lane_numbers.h"
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

enum { BINS_MAX = 1 << 20 };

typedef struct bin {
    double centre, count;
} bin;

static leat_status histogram_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_kind kind = resolution->types[0]->kind;
    if (kind == LT_VOID) resolution->types[0] = lt_type_of(LT_DOUBLE);
    const bool is_good = lt_kind_is_integral(resolution->types[0]->kind) || kind == LT_FLOAT || kind == LT_DOUBLE ||
                         kind == LT_VOID || kind == LT_DATE || kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ;
    if (!is_good && kind != LT_DECIMAL) return LEAT_DONE;
    const lt_vector *bins  = resolution->constants[1];
    const int32_t    count = bins == NULL || lt_vector_is_null(bins, 0) ? 0 : LT_VALUE(bins, int32_t, 0);
    if (bins != NULL && (count < 2 || count > BINS_MAX))
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->place,
                        "a histogram has at least 2 bins, at most %d", BINS_MAX);
    const lt_field fields[2] = {{.name = "x", .type = resolution->types[0]},
                                {.name = "y", .type = lt_type_of(LT_DOUBLE)}};
    const lt_type *item      = lt_type_struct(resolution->arena, fields, 2);
    resolution->result       = item == NULL ? NULL : lt_type_array(resolution->arena, item);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status histogram_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    lt_aggregate_rows values = *rows;
    values.argument_count    = 1;
    return lt_kept_accumulator_update(accumulators, &values, true, err);
}

static double decimal_scale(const lt_type *type) {
    double scale = 1;
    for (uint32_t i = 0; i < type->scale; i++) scale *= 10;
    return scale;
}

// The centre lies between values of the type, so it fits; whole types cut off what is behind the point.
static void number_put(lt_vector *lanes, uint32_t lane, double number) {
    switch (lanes->type->kind) {
    case LT_FLOAT:
        LT_LANES(lanes, float)[lane] = (float)number;
        break;
    case LT_DOUBLE:
        LT_LANES(lanes, double)[lane] = number;
        break;
    case LT_DECIMAL:
        LT_LANES(lanes, lt_int128)[lane] = (lt_int128)(number * decimal_scale(lanes->type));
        break;
    default: // a double may be one step above the largest BIGINT
        lt_lane_put_integer(lanes, lane,
                            number >= 9223372036854775807.0    ? INT64_MAX
                            : number <= -9223372036854775808.0 ? INT64_MIN
                                                               : (int64_t)number);
        break;
    }
}

static uint32_t nearest_pair(const bin *bins, uint32_t count) {
    uint32_t best = 0;
    for (uint32_t i = 1; i + 1 < count; i++)
        if (bins[i + 1].centre - bins[i].centre < bins[best + 1].centre - bins[best].centre) best = i;
    return best;
}

static void bins_reduce(bin *bins, uint32_t *count, uint32_t wanted) {
    while (*count > wanted) {
        const uint32_t at    = nearest_pair(bins, *count);
        bin           *left  = &bins[at];
        const bin     *right = &bins[at + 1];
        const double   total = left->count + right->count;
        left->centre         = (left->centre * left->count + right->centre * right->count) / total;
        left->count          = total;
        for (uint32_t i = at + 1; i + 1 < *count; i++) bins[i] = bins[i + 1];
        (*count)--;
    }
}

static leat_status histogram_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    lt_vector          *child  = &out->into->children[0];
    const uint32_t      wanted = (uint32_t)LT_VALUE(out->constants[1], int32_t, 0);
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint32_t       *order, start = child->lanes;
        bin            *bins;
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        out->is_null[i] = rows.count == 0;
        LT_TRY(lt_kept_sort(&rows, 0, 1, NULL, out->arena, &order, err));
        LT_TRY_NEW_ARRAY(bins, out->arena, rows.count + 1u, err);
        for (uint32_t k = 0; k < rows.count; k++)
            bins[k] = (bin){lt_lane_double(&rows.columns[0], order[k]), (double)rows.weights[order[k]]};
        uint32_t   count  = rows.count;
        const bool is_all = count <= wanted; // then the centres are the values themselves, to the last digit
        bins_reduce(bins, &count, wanted);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t lane;
            LT_TRY(lt_lane_add(child, &lane, out->arena, err));
            if (is_all)
                LT_TRY(lt_lane_put(&child->children[0], lane, &rows.columns[0], order[k], out->arena, err));
            else
                number_put(&child->children[0], lane, bins[k].centre);
            LT_LANES(&child->children[1], double)[lane] = bins[k].count;
        }
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = child->lanes - start};
    }
    return LEAT_OK;
}

const lt_aggregate lt_aggregates_histogram_numeric[] = {
    {.name              = "histogram_numeric",
     .takes             = {LT_TAKES_ANY, LT_TAKES_INT | LT_TAKES_CONSTANT},
     .resolve           = histogram_resolve,
     .accumulator_bytes = sizeof(lt_kept_rows),
     .has_memory        = true,
     .update            = histogram_update,
     .finish            = histogram_finish,
     .save              = lt_kept_accumulator_save,
     .load              = lt_kept_accumulator_load_merging,
     .close             = lt_kept_accumulator_close,
     .summary           = "A histogram of at most so many bins: centres and counts.",
     .example           = "SELECT histogram_numeric(x, 3) FROM VALUES (0), (1), (10), (11), (20) AS t(x)",
     .example_result    = "[{0, 2.0}, {10, 2.0}, {20, 1.0}]"},
    {0},
};
