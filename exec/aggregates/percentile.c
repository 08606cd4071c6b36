// percentile(x, p [, weight]), median(x), percentile_cont and percentile_disc(p) WITHIN GROUP (ORDER BY x),
// approx_percentile (percentile_approx): exact over all values of the group, which are kept with their counts.
//
//     rank of p over n values:   cont   p * (n - 1), between two values linearly
//                                disc   the value number ceil(p * n); approx_percentile too, in the type of x
//
// The expression of ORDER BY is the first argument of the WITHIN GROUP forms.
// Numbers and texts give DOUBLE, intervals the widest interval of their kind; an array of p gives an array. No value
// that is not NULL: NULL. Source: Spark SQL 4.
#include "base/lane_numbers.h"
#include "base/lanes.h"
#include "base/number_text.h"
#include "exec/state/kept_rows.h"

#include <math.h>

typedef enum percentile_kind { PERCENTILE, MEDIAN, CONTINUOUS, DISCRETE, APPROXIMATE } percentile_kind;

// --------------------------------------------------------------------------------------------------------------- types

// Checks a constant p or array of p, and its range.
static leat_status check_percentage(lt_resolution *resolution, uint32_t argument, bool *out_is_array, leat_error *err) {
    const lt_type   *type  = resolution->types[argument];
    const lt_vector *value = resolution->constants[argument];
    *out_is_array          = type->kind == LT_ARRAY;
    lt_kind kind           = *out_is_array ? type->fields[0].type->kind : type->kind;
    if (kind == LT_VOID && !*out_is_array)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_NULL, &resolution->places[argument],
                        "the percentage cannot be NULL");
    if (!lt_kind_is_numeric(kind) && kind != LT_STRING) return LEAT_DONE;
    if (value == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                        "the percentage must be a constant");
    resolution->types[argument] =
        *out_is_array ? lt_type_array(resolution->arena, lt_type_of(LT_DOUBLE)) : lt_type_of(LT_DOUBLE);
    return resolution->types[argument] == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// A text that is no number fails later, by its cast.
static bool is_percentage(const lt_vector *lanes, uint32_t lane) {
    double p;
    if (!lt_kind_is_bytes(lanes->type->kind)) {
        p = lt_lane_double(lanes, lane);
    } else {
        const lt_string *text = &LT_LANES(lanes, const lt_string)[lane];
        if (!lt_double_parse_java(lt_string_data(text), text->bytes, &p)) return true;
    }
    return p >= 0 && p <= 1;
}

// LEAT_DONE: an array with a NULL does not fit.
static leat_status check_range(lt_resolution *resolution, const lt_vector *value, bool is_array, leat_error *err) {
    const lt_vector *lanes   = lt_vector_lanes(value);
    bool             is_good = !lt_vector_is_null(value, 0);
    if (is_good && is_array) {
        lt_list list = LT_LANES(lanes, const lt_list)[0];
        for (uint32_t i = 0; i < list.count; i++) {
            if (lt_lane_is_null(&lanes->children[0], list.offset + i)) return LEAT_DONE;
            is_good &= is_percentage(&lanes->children[0], list.offset + i);
        }
    } else if (is_good) {
        is_good = is_percentage(lanes, 0);
    }
    if (is_good) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->place,
                    "a percentage must lie between 0.0 and 1.0");
}

// The type of one result over values of `type`, which may be cast; NULL: no values of it.
static const lt_type *result_of(lt_resolution *resolution, uint32_t argument, percentile_kind kind) {
    const lt_type *type = resolution->types[argument];
    if (kind == APPROXIMATE &&
        (lt_kind_is_numeric(type->kind) || type->kind == LT_DATE || type->kind == LT_TIMESTAMP ||
         type->kind == LT_TIMESTAMP_NTZ || type->kind == LT_INTERVAL_YEAR_MONTH || type->kind == LT_INTERVAL_DAY_TIME))
        return type;
    if (type->kind == LT_STRING || type->kind == LT_VOID) {
        resolution->types[argument] = lt_type_of(LT_DOUBLE);
        return lt_type_of(LT_DOUBLE);
    }
    if (kind == APPROXIMATE) return NULL;
    if (lt_kind_is_numeric(type->kind)) return lt_type_of(LT_DOUBLE);
    if (type->kind == LT_INTERVAL_YEAR_MONTH || type->kind == LT_INTERVAL_DAY_TIME || type->kind == LT_TIME)
        return lt_type_of(type->kind);
    return NULL;
}

static leat_status resolve(lt_resolution *resolution, percentile_kind kind, leat_error *err) {
    uint32_t       count    = resolution->argument_count;
    bool           is_array = false;
    const lt_type *result   = result_of(resolution, 0, kind);
    if (result == NULL) return LEAT_DONE;
    if (count == 3 && !lt_kind_is_integral(resolution->types[2]->kind)) return LEAT_DONE;
    if (kind != MEDIAN) {
        const lt_vector *constant = resolution->constants[1];
        LT_TRY(check_percentage(resolution, 1, &is_array, err));
        LT_TRY(check_range(resolution, constant, is_array, err));
    }
    if (kind == PERCENTILE && count == 3) resolution->types[2] = lt_type_of(LT_BIGINT);
    if (kind == APPROXIMATE && count == 3) {
        const lt_vector *accuracy = resolution->constants[2];
        if (accuracy == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                            "the accuracy must be a constant");
        if (lt_vector_is_null(accuracy, 0) || lt_lane_double(lt_vector_lanes(accuracy), 0) <= 0)
            return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->place,
                            "the accuracy must be positive");
    }
    resolution->result = is_array ? lt_type_array(resolution->arena, result) : result;
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}
static leat_status percentile_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, PERCENTILE, err);
}
static leat_status median_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, MEDIAN, err);
}
static leat_status continuous_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, CONTINUOUS, err);
}
static leat_status discrete_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, DISCRETE, err);
}
static leat_status approximate_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, APPROXIMATE, err);
}

// -------------------------------------------------------------------------------------------------------------- values

static leat_status update(void *accumulators, const lt_aggregate_rows *rows, bool weighted, leat_error *err) {
    lt_kept_rows *groups = accumulators;
    lt_buffer     bytes;
    leat_status   status = LEAT_OK;
    lt_buffer_init(&bytes, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++) {
        int64_t weight = lt_aggregate_weight(rows, i);
        if (weighted) {
            if (lt_vector_is_null(rows->arguments[2], (uint32_t)i)) continue;
            int64_t frequency = LT_VALUE(rows->arguments[2], int64_t, (uint32_t)i);
            if (frequency < 0) {
                status = lt_raise(err, LT_NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION, NULL,
                                  "a weight of percentile is negative");
                break;
            }
            weight *= frequency;
        }
        if (weight == 0) continue;
        lt_buffer_reset(&bytes);
        status = lt_kept_encode(rows, 0, 1, i, true, &bytes, err);
        if (status == LEAT_OK)
            status = lt_kept_rows_merge(&groups[rows->group_index[i]], bytes.data, bytes.bytes, weight, rows->place[i],
                                        rows->memory, err);
    }
    lt_buffer_deinit(&bytes);
    return status;
}
static leat_status update_plain(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, false, err);
}
static leat_status update_weighted(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return update(accumulators, rows, true, err);
}

// Values of one group in order, with running counts.
typedef struct distribution {
    const lt_vector *values;
    uint32_t        *order;
    int64_t         *count_until; // values up to and with order[i]
    uint32_t         count;
    int64_t          total;
} distribution;

// The lane of the value number `rank`, from 0.
static uint32_t lane_of_rank(const distribution *self, int64_t rank) {
    uint32_t low = 0, high = self->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (self->count_until[middle] > rank)
            high = middle;
        else
            low = middle + 1;
    }
    return self->order[low];
}

static uint32_t discrete_lane(const distribution *self, double p) {
    int64_t rank = (int64_t)ceil(p * (double)self->total) - 1;
    return lane_of_rank(self, rank < 0 ? 0 : rank);
}

static double continuous_value(const distribution *self, double p) {
    double   position = (double)(self->total - 1) * p;
    int64_t  low_rank = (int64_t)floor(position), high_rank = (int64_t)ceil(position);
    uint32_t low = lane_of_rank(self, low_rank), high = lane_of_rank(self, high_rank);
    double   low_value = lt_lane_double(self->values, low), high_value = lt_lane_double(self->values, high);
    if (low == high || low_value == high_value) return low_value;
    return ((double)high_rank - position) * low_value + (position - (double)low_rank) * high_value;
}

static leat_status put(lt_vector *into, uint32_t lane, const distribution *self, double p, percentile_kind kind,
                       lt_arena *arena, leat_error *err) {
    if (kind == APPROXIMATE) return lt_lane_put(into, lane, self->values, discrete_lane(self, p), arena, err);
    double value = kind == DISCRETE ? lt_lane_double(self->values, discrete_lane(self, p)) : continuous_value(self, p);
    lt_vector_set_valid(into, lane);
    switch (into->type->kind) {
    case LT_DOUBLE:
        LT_LANES(into, double)[lane] = value;
        break;
    case LT_INTERVAL_YEAR_MONTH:
        LT_LANES(into, int32_t)[lane] = (int32_t)value;
        break;
    default:
        LT_LANES(into, int64_t)[lane] = (int64_t)value;
        break;
    }
    return LEAT_OK;
}

static leat_status distribution_open(distribution *self, const lt_kept_rows *group, const lt_type *type,
                                     const lt_order_key *order, lt_arena *arena, leat_error *err) {
    lt_kept_columns rows;
    LT_TRY(lt_kept_decode(group, &type, 1, arena, &rows, err));
    *self = (distribution){.values = rows.columns, .count = rows.count};
    LT_TRY(lt_kept_sort(&rows, 0, 1, order, arena, &self->order, err));
    LT_TRY_NEW_ARRAY(self->count_until, arena, rows.count + 1u, err);
    for (uint32_t i = 0; i < rows.count; i++) {
        self->total += rows.weights[self->order[i]];
        self->count_until[i] = self->total;
    }
    return LEAT_OK;
}

typedef struct percentile_state {
    double  *percentages;
    uint32_t count;
} percentile_state;

static leat_status open(void *state, const lt_type *const *types, const lt_vector *const *constants,
                        uint32_t argument_count, lt_arena *arena, leat_error *err) {
    percentile_state *self       = state;
    uint32_t          percentage = 0;
    (void)types;
    for (uint32_t i = 0; i < argument_count && i < 2; i++)
        if (constants != NULL && constants[i] != NULL) percentage = i;
    LT_TRY_NEW_ARRAY(self->percentages, arena, 1, err);
    self->percentages[0] = 0.5;
    self->count          = 1;
    if (constants == NULL || argument_count == 0 || constants[percentage] == NULL) return LEAT_OK;
    const lt_vector *lanes = lt_vector_lanes(constants[percentage]);
    if (lanes->type->kind != LT_ARRAY) {
        self->percentages[0] = lt_lane_double(lanes, 0);
        return LEAT_OK;
    }
    lt_list list = LT_LANES(lanes, const lt_list)[0];
    LT_TRY_NEW_ARRAY(self->percentages, arena, list.count, err);
    self->count = list.count;
    for (uint32_t i = 0; i < list.count; i++)
        self->percentages[i] = lt_lane_double(&lanes->children[0], list.offset + i);
    return LEAT_OK;
}

static leat_status median_open(void *state, const lt_type *const *types, const lt_vector *const *constants,
                               uint32_t argument_count, lt_arena *arena, leat_error *err) {
    (void)constants;
    return open(state, types, NULL, argument_count, arena, err);
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, percentile_kind kind,
                          leat_error *err) {
    const lt_kept_rows     *groups   = accumulators;
    const percentile_state *state    = out->state;
    bool                    is_array = out->result_type->kind == LT_ARRAY;
    for (size_t i = 0; i < out->count; i++) {
        distribution values;
        LT_TRY(distribution_open(&values, &groups[out->group_index[i]], out->argument_types[0],
                                 out->order_count > 0 ? out->order : NULL, out->arena, err));
        out->is_null[i] = values.count == 0;
        if (is_array) LT_LANES(out->into, lt_list)[i] = (lt_list){0};
        if (values.count == 0) continue;
        if (!is_array) {
            LT_TRY(put(out->into, (uint32_t)i, &values, state->percentages[0], kind, out->arena, err));
            continue;
        }
        lt_vector *child = &out->into->children[0];
        uint32_t   start = child->lanes, lane;
        for (uint32_t p = 0; p < state->count; p++) {
            LT_TRY(lt_lane_add(child, &lane, out->arena, err));
            LT_TRY(put(child, lane, &values, state->percentages[p], kind, out->arena, err));
        }
        LT_LANES(out->into, lt_list)[i] = (lt_list){.offset = start, .count = state->count};
    }
    return LEAT_OK;
}
static leat_status percentile_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, PERCENTILE, err);
}
static leat_status approximate_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, APPROXIMATE, err);
}
static leat_status continuous_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, CONTINUOUS, err);
}
static leat_status discrete_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return finish(accumulators, out, DISCRETE, err);
}

#define KEPT                                                                                                           \
    .accumulator_bytes = sizeof(lt_kept_rows), .has_memory = true, .state_bytes = sizeof(percentile_state),            \
    .save = lt_kept_accumulator_save, .load = lt_kept_accumulator_load_merging, .close = lt_kept_accumulator_close
#define APPROXIMATE_ROW                                                                                                \
    .display = "$name($1, $2, $3{10000})", .takes = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},    \
    .resolve = approximate_resolve, .open = open, .update = update_plain, .finish = approximate_finish, KEPT

const lt_aggregate lt_aggregates_percentile[] = {
    {.name    = "percentile",
     .takes   = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve = percentile_resolve,
     .open    = open,
     .update  = update_plain,
     .finish  = percentile_finish,
     KEPT,
     .display        = "$name($1, $2, 1)",
     .summary        = "The value below which a part of the values lies, exact and interpolated.",
     .example        = "SELECT percentile(x, 0.5) FROM VALUES (1), (2), (4) AS t(x)",
     .example_result = "2.0"},
    {.name    = "percentile",
     .takes   = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve = percentile_resolve,
     .open    = open,
     .update  = update_weighted,
     .finish  = percentile_finish,
     KEPT},
    {.name    = "median",
     .takes   = {LT_TAKES_ANY},
     .resolve = median_resolve,
     .open    = median_open,
     .update  = update_plain,
     .finish  = percentile_finish,
     KEPT,
     .summary        = "The value in the middle.",
     .example        = "SELECT median(x) FROM VALUES (1), (2), (4) AS t(x)",
     .example_result = "2.0"},
    {.name    = "percentile_cont",
     .takes   = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve = continuous_resolve,
     .open    = open,
     .update  = update_plain,
     .finish  = continuous_finish,
     KEPT,
     .summary        = "Like percentile, in the order of WITHIN GROUP.",
     .example        = "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.5"},
    {.name    = "percentile_disc",
     .takes   = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve = discrete_resolve,
     .open    = open,
     .update  = update_plain,
     .finish  = discrete_finish,
     KEPT,
     .summary        = "The first value in the order of WITHIN GROUP that a part of the values does not pass.",
     .example        = "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM VALUES (1), (2) AS t(x)",
     .example_result = "1.0"},
    {.name = "approx_percentile",
     APPROXIMATE_ROW,
     .summary        = "The value that a part of the values does not pass, in their type; exact in leat.",
     .example        = "SELECT approx_percentile(x, 0.5) FROM VALUES (1), (2), (4) AS t(x)",
     .example_result = "2"},
    {.name = "percentile_approx",
     APPROXIMATE_ROW,
     .summary        = "The same as approx_percentile.",
     .example        = "SELECT percentile_approx(x, 0.5) FROM VALUES (1), (2), (4) AS t(x)",
     .example_result = "2"},
    {0},
};
