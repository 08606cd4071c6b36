// bitmap_construct_agg(position), bitmap_or_agg(bitmap), bitmap_and_agg(bitmap): bitmaps of 32,768 bits, bit p being bit
// p % 8 of byte p / 8. Never NULL: without rows no bit is set, and all are for bitmap_and_agg. What a bitmap is short of
// counts as zeros. The values are kept with their number, so that they can go again. Source: Spark SQL 4.
#include "base/lanes.h"
#include "exec/state/kept_rows.h"

enum { BITMAP_BYTES = 4096, POSITION_MAX = BITMAP_BYTES * 8 };

static leat_status bitmap_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return lt_kept_accumulator_update(accumulators, rows, true, err);
}

static leat_status positions_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    const int64_t *positions = rows->values;
    for (size_t i = 0; i < rows->count; i++)
        if (positions[i] < 0 || positions[i] >= POSITION_MAX)
            return lt_raise(err, LT_INVALID_BITMAP_POSITION, NULL, "%lld is no position in a bitmap of %d bits",
                            (long long)positions[i], POSITION_MAX);
    return lt_kept_accumulator_update(accumulators, rows, true, err);
}

typedef void bitmap_fold(uint8_t *bits, const lt_vector *values, uint32_t row);

static void fold_position(uint8_t *bits, const lt_vector *values, uint32_t row) {
    const int64_t position = LT_VALUE(values, int64_t, row);
    bits[position / 8]     = (uint8_t)(bits[position / 8] | 1U << position % 8);
}

static void fold_or(uint8_t *bits, const lt_vector *values, uint32_t row) {
    const lt_string *bitmap = &LT_LANES(values, const lt_string)[row];
    const char      *data   = lt_string_data(bitmap);
    const uint32_t   bytes  = bitmap->bytes < BITMAP_BYTES ? bitmap->bytes : BITMAP_BYTES;
    for (uint32_t i = 0; i < bytes; i++) bits[i] = (uint8_t)(bits[i] | (uint8_t)data[i]);
}

static void fold_and(uint8_t *bits, const lt_vector *values, uint32_t row) {
    const lt_string *bitmap = &LT_LANES(values, const lt_string)[row];
    const char      *data   = lt_string_data(bitmap);
    for (uint32_t i = 0; i < BITMAP_BYTES; i++) bits[i] = i < bitmap->bytes ? (uint8_t)(bits[i] & (uint8_t)data[i]) : 0;
}

static leat_status bitmap_finish(const void *accumulators, const lt_aggregate_results *out, uint8_t initial,
                                 bitmap_fold *fold, leat_error *err) {
    const lt_kept_rows *groups = accumulators;
    for (size_t i = 0; i < out->count; i++) {
        lt_kept_columns rows;
        uint8_t        *bits = lt_arena_alloc(out->arena, BITMAP_BYTES);
        if (bits == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_kept_decode(&groups[out->group_index[i]], out->argument_types, 1, out->arena, &rows, err));
        memset(bits, initial, BITMAP_BYTES);
        for (uint32_t k = 0; k < rows.count; k++) fold(bits, &rows.columns[0], k);
        ((lt_string *)out->values)[i] = lt_string_view((const char *)bits, BITMAP_BYTES);
    }
    return LEAT_OK;
}
static leat_status construct_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return bitmap_finish(accumulators, out, 0, fold_position, err);
}
static leat_status or_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return bitmap_finish(accumulators, out, 0, fold_or, err);
}
static leat_status and_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    return bitmap_finish(accumulators, out, 0xff, fold_and, err);
}

#define BITMAP                                                                                                         \
    .returns = LT_BINARY, .accumulator_bytes = sizeof(lt_kept_rows), .has_memory = true,                               \
    .save = lt_kept_accumulator_save, .load = lt_kept_accumulator_load_merging, .close = lt_kept_accumulator_close

const lt_aggregate lt_aggregates_bitmap[] = {
    {.name  = "bitmap_construct_agg",
     .takes = {LT_TAKES_BIGINT},
     BITMAP,
     .update  = positions_update,
     .finish  = construct_finish,
     .summary = "A bitmap with the bits at the given positions.",
     .example = "SELECT bitmap_count(bitmap_construct_agg(bitmap_bit_position(x))) FROM VALUES (1), (2), (2) AS t(x)",
     .example_result = "2"},
    {.name  = "bitmap_or_agg",
     .takes = {LT_TAKES_BINARY},
     BITMAP,
     .update         = bitmap_update,
     .finish         = or_finish,
     .summary        = "A bitmap with the bits that some of the bitmaps have.",
     .example        = "SELECT hex(substring(bitmap_or_agg(x), 1, 2)) FROM VALUES (X'10'), (X'2040') AS t(x)",
     .example_result = "3040"},
    {.name  = "bitmap_and_agg",
     .takes = {LT_TAKES_BINARY},
     BITMAP,
     .update         = bitmap_update,
     .finish         = and_finish,
     .summary        = "A bitmap with the bits that all of the bitmaps have.",
     .example        = "SELECT hex(substring(bitmap_and_agg(x), 1, 2)) FROM VALUES (X'F0FF'), (X'70') AS t(x)",
     .example_result = "7000"},
    {0},
};
