// min(x), max(x) over any type that can be ordered: NULLs do not count, NaN is the largest number, text by bytes.
// On append-only edges one value per group is kept: a lane of fixed width, or the encoded value with its own memory.
// Under retraction all values are kept with their counts. Source: Spark SQL 4.
#include "base/aggregate.h"
#include "base/lanes.h"
#include "exec/state/ordered_multiset.h"

static leat_status check_type(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 1) return LEAT_DONE;
    if (!lt_type_is_orderable(resolution->types[0]))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "values of type %s cannot be compared", lt_type_text(resolution->arena, resolution->types[0]));
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------- fixed width

typedef struct fixed_extreme {
    uint64_t halves[2]; // a lane; 8-byte alignment keeps accumulators small
    int64_t  count;
} fixed_extreme;

static leat_status fixed_resolve(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->types[0]->kind;
    if (lt_kind_is_bytes(kind) || lt_kind_is_nested(kind) || kind == LT_INTERVAL_CALENDAR) return LEAT_DONE;
    return check_type(resolution, err);
}

static bool is_before(double a, double b) { return a < b || (a == a && b != b); }

// `better` compares the candidate x with the present y: the first of equals stays.
#define FIXED_LOOP(lane_type, better)                                                                                  \
    if (rows->is_one_group) {                                                                                          \
        fixed_extreme   *group = &groups[rows->group_index[0]];                                                        \
        const lane_type *value = rows->values;                                                                         \
        lane_type        y     = value[0];                                                                             \
        if (group->count != 0) memcpy(&y, group->halves, sizeof y);                                                    \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            const lane_type x = value[i];                                                                              \
            y                 = (better) ? x : y;                                                                      \
        }                                                                                                              \
        memcpy(group->halves, &y, sizeof y);                                                                           \
        group->count += lt_aggregate_weight_sum(rows);                                                                 \
        break;                                                                                                         \
    }                                                                                                                  \
    for (size_t i = 0; i < rows->count; i++) {                                                                         \
        fixed_extreme *group = &groups[rows->group_index[i]];                                                          \
        lane_type      x     = ((const lane_type *)rows->values)[i], y;                                                \
        memcpy(&y, group->halves, sizeof y);                                                                           \
        if (group->count == 0 || (better)) memcpy(group->halves, &x, sizeof x);                                        \
        group->count += lt_aggregate_weight(rows, i);                                                                  \
    }                                                                                                                  \
    break
// The same for accumulators of parts.
#define FIXED_MERGE(lane_type, better)                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                                               \
        fixed_extreme *group = &groups[group_index[i]];                                                                \
        lane_type      x, y;                                                                                           \
        memcpy(&x, part[i].halves, sizeof x);                                                                          \
        memcpy(&y, group->halves, sizeof y);                                                                           \
        if (part[i].count != 0 && (group->count == 0 || (better))) memcpy(group->halves, &x, sizeof x);                \
        group->count += part[i].count;                                                                                 \
    }                                                                                                                  \
    break
#define FIXED_CASES(loop, kind, operator, float_better)                                                                \
    switch (kind) {                                                                                                    \
    case LT_BOOLEAN:                                                                                                   \
        loop(uint8_t, x operator y);                                                                                   \
    case LT_TINYINT:                                                                                                   \
        loop(int8_t, x operator y);                                                                                    \
    case LT_SMALLINT:                                                                                                  \
        loop(int16_t, x operator y);                                                                                   \
    case LT_FLOAT:                                                                                                     \
        loop(float, float_better);                                                                                     \
    case LT_DOUBLE:                                                                                                    \
        loop(double, float_better);                                                                                    \
    case LT_DECIMAL:                                                                                                   \
        loop(lt_int128, x operator y);                                                                                 \
    case LT_INT:                                                                                                       \
    case LT_DATE:                                                                                                      \
    case LT_INTERVAL_YEAR_MONTH:                                                                                       \
        loop(int32_t, x operator y);                                                                                   \
    default:                                                                                                           \
        loop(int64_t, x operator y);                                                                                   \
    }

#define FIXED_FUNCTIONS(updater, merger, operator, float_better)                                                       \
    static leat_status updater(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                   \
        fixed_extreme *groups = accumulators;                                                                          \
        (void)err;                                                                                                     \
        FIXED_CASES(FIXED_LOOP, rows->arguments[0]->type->kind, operator, float_better)                                \
        return LEAT_OK;                                                                                                \
    }                                                                                                                  \
    static leat_status merger(void *accumulators, const uint32_t *group_index, const void *from, size_t count,         \
                              const lt_type *type) {                                                                   \
        fixed_extreme       *groups = accumulators;                                                                    \
        const fixed_extreme *part   = from;                                                                            \
        FIXED_CASES(FIXED_MERGE, type->kind, operator, float_better)                                                   \
        return LEAT_OK;                                                                                                \
    }
FIXED_FUNCTIONS(fixed_min_update, fixed_min_merge, <, is_before((double)x, (double)y))
FIXED_FUNCTIONS(fixed_max_update, fixed_max_merge, >, is_before((double)y, (double)x))

static leat_status fixed_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const fixed_extreme *groups = accumulators;
    size_t               stride = lt_kind_lane_bytes(out->result_type->kind);
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const fixed_extreme *group = &groups[out->group_index[i]];
        out->is_null[i]            = group->count == 0;
        if (stride > 0) memcpy((char *)out->values + stride * i, group->halves, stride);
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------- texts and nested values

typedef struct held_extreme {
    char    *bytes; // lt_row_encode of the value
    uint64_t count, capacity;
} held_extreme;

static leat_status held_resolve(lt_resolution *resolution, leat_error *err) { return check_type(resolution, err); }

static leat_status hold(held_extreme *group, const char *bytes, size_t count, lt_account *memory, leat_error *err) {
    if (count > group->capacity) {
        uint64_t capacity = (count + 31) / 16 * 16;
        char    *grown    = lt_account_reallocate(memory, group->bytes, group->capacity, capacity);
        if (grown == NULL) return lt_raise_no_memory(err);
        group->bytes    = grown;
        group->capacity = capacity;
    }
    memcpy(group->bytes, bytes, count);
    group->count = count;
    return LEAT_OK;
}

// The kept value as lane 0 of a vector. Texts are viewed in place: tag, 4 bytes of length, bytes.
static leat_status view(const held_extreme *group, const lt_type *type, lt_vector *out, lt_arena *arena,
                        leat_error *err) {
    LT_TRY(lt_vector_init(out, type, 1, arena, err));
    if (type->kind != LT_STRING && type->kind != LT_BINARY)
        return lt_row_decode(group->bytes, group->count, out, 1, arena, err);
    LT_LANES(out, lt_string)[0] = lt_string_view(group->bytes + 5, group->count - 5);
    out->lanes                  = 1;
    return LEAT_OK;
}

static leat_status held_row(held_extreme *group, const lt_aggregate_rows *rows, uint32_t row, int wanted,
                            lt_arena *arena, lt_buffer *scratch, leat_error *err) {
    const lt_vector *value = rows->arguments[0];
    if (group->count > 0) {
        lt_vector present;
        if (lt_kind_is_bytes(value->type->kind)) {
            const lt_string *text = &LT_LANES(value, const lt_string)[value->form == LT_CONSTANT ? 0 : row];
            lt_string        kept = lt_string_view(group->bytes + 5, group->count - 5);
            if (lt_string_compare(text, &kept) * wanted <= 0) return LEAT_OK;
        } else {
            LT_TRY(view(group, value->type, &present, arena, err));
            if (lt_vector_compare(value, row, &present, 0) * wanted <= 0) return LEAT_OK;
        }
    }
    lt_buffer_reset(scratch);
    LT_TRY(lt_row_encode(value, 1, row, false, scratch, err));
    return hold(group, scratch->data, scratch->bytes, rows->memory, err);
}

static leat_status held_update(void *accumulators, const lt_aggregate_rows *rows, int wanted, leat_error *err) {
    held_extreme *groups = accumulators;
    lt_arena      arena;
    lt_buffer     scratch;
    leat_status   status = LEAT_OK;
    lt_arena_init(&arena, rows->memory);
    lt_buffer_init(&scratch, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++)
        status = held_row(&groups[rows->group_index[i]], rows, (uint32_t)i, wanted, &arena, &scratch, err);
    lt_buffer_deinit(&scratch);
    lt_arena_deinit(&arena);
    return status;
}
static leat_status held_min_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return held_update(accumulators, rows, -1, err);
}
static leat_status held_max_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return held_update(accumulators, rows, 1, err);
}

static leat_status held_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const held_extreme *groups = accumulators;
    for (size_t i = 0; i < out->count; i++) {
        const held_extreme *group = &groups[out->group_index[i]];
        lt_vector           value;
        out->is_null[i] = group->count == 0;
        if (group->count == 0) continue;
        LT_TRY(lt_vector_init(&value, out->result_type, 1, out->arena, err));
        LT_TRY(lt_row_decode(group->bytes, group->count, &value, 1, out->arena, err));
        LT_TRY(lt_lane_put(out->into, (uint32_t)i, &value, 0, out->arena, err));
    }
    return LEAT_OK;
}

static leat_status held_save(const void *accumulator, lt_buffer *out, leat_error *err) {
    const held_extreme *self = accumulator;
    return lt_buffer_append_bytes(out, self->count == 0 ? "" : self->bytes, self->count, err);
}
static leat_status held_load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    const char *bytes;
    size_t      count;
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    return count == 0 ? LEAT_OK : hold(accumulator, bytes, count, memory, err);
}
static void held_close(void *accumulator, lt_account *memory) {
    held_extreme *self = accumulator;
    lt_account_reallocate(memory, self->bytes, self->capacity, 0);
    *self = (held_extreme){0};
}

// ---------------------------------------------------------------------------------------------------- under retraction

static leat_status ordered_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    lt_ordered_multiset *groups = accumulators;
    lt_buffer            scratch;
    leat_status          status = LEAT_OK;
    lt_buffer_init(&scratch, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++)
        status = lt_ordered_multiset_add(&groups[rows->group_index[i]], rows->arguments[0], (uint32_t)i,
                                         lt_aggregate_weight(rows, i), &scratch, rows->memory, err);
    lt_buffer_deinit(&scratch);
    return status;
}

static leat_status ordered_finish(const void *accumulators, const lt_aggregate_results *out, bool is_last,
                                  leat_error *err) {
    const lt_ordered_multiset *groups = accumulators;
    for (size_t i = 0; i < out->count; i++) {
        const lt_ordered_multiset *group = &groups[out->group_index[i]];
        const lt_multiset_entry   *entry = is_last ? lt_ordered_multiset_last(group) : lt_ordered_multiset_first(group);
        lt_vector                  value;
        out->is_null[i] = entry == NULL;
        if (entry == NULL) continue;
        LT_TRY(lt_vector_init(&value, out->result_type, 1, out->arena, err));
        LT_TRY(lt_multiset_entry_append(entry, &value, out->arena, err));
        LT_TRY(lt_lane_put(out->into, (uint32_t)i, &value, 0, out->arena, err));
    }
    return LEAT_OK;
}
static leat_status ordered_min_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return ordered_finish(accumulators, out, false, err);
}
static leat_status ordered_max_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return ordered_finish(accumulators, out, true, err);
}

static leat_status ordered_save(const void *accumulator, lt_buffer *out, leat_error *err) {
    return lt_ordered_multiset_save(accumulator, out, err);
}
static leat_status ordered_load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    return lt_ordered_multiset_load(accumulator, in, memory, err);
}
static void ordered_close(void *accumulator, lt_account *memory) { lt_ordered_multiset_close(accumulator, memory); }

#define FIXED(updater, merger)                                                                                         \
    .takes = {LT_TAKES_ORDERED}, .resolve = fixed_resolve, .accumulator_bytes = sizeof(fixed_extreme),                 \
    .needs_append_only = true, .ignores_distinct = true, .update = updater, .merge = merger, .finish = fixed_finish
#define HELD(updater)                                                                                                  \
    .takes = {LT_TAKES_ORDERED}, .resolve = held_resolve, .accumulator_bytes = sizeof(held_extreme),                   \
    .needs_append_only = true, .ignores_distinct = true, .has_memory = true, .update = updater, .finish = held_finish, \
    .save = held_save, .load = held_load, .close = held_close
#define ORDERED(finisher)                                                                                              \
    .takes = {LT_TAKES_ORDERED}, .accumulator_bytes = sizeof(lt_ordered_multiset), .ignores_distinct = true,           \
    .has_memory = true, .update = ordered_update, .finish = finisher, .save = ordered_save, .load = ordered_load,      \
    .close = ordered_close

static const lt_aggregate ordered_min = {.name = "min", ORDERED(ordered_min_finish)};
static const lt_aggregate ordered_max = {.name = "max", ORDERED(ordered_max_finish)};

const lt_aggregate lt_aggregates_extreme[] = {
    {.name = "min",
     FIXED(fixed_min_update, fixed_min_merge),
     .retraction     = &ordered_min,
     .summary        = "The smallest value that is not NULL.",
     .example        = "SELECT min(x) FROM VALUES (3), (1), (NULL) AS t(x)",
     .example_result = "1"},
    {.name = "min", HELD(held_min_update), .retraction = &ordered_min},
    {.name = "max",
     FIXED(fixed_max_update, fixed_max_merge),
     .retraction     = &ordered_max,
     .summary        = "The largest value that is not NULL.",
     .example        = "SELECT max(x) FROM VALUES (3), (1), (NULL) AS t(x)",
     .example_result = "3"},
    {.name = "max", HELD(held_max_update), .retraction = &ordered_max},
    {0},
};
