// row_builder: a chunk with many rows is given rather than copied; one with few rows goes on into the next input, so
// that many small files do not become many small chunks.
#include "storage/row_builder.h"

#include <string.h>

enum {
    SETTLE_ROWS_MAX  = 256,       // more rows than that are given,
    SETTLE_BYTES_MAX = 16 * 1024, // and rows with more bytes of texts: copying them costs more than a small chunk
    LANE_SIZES       = 17         // of a lane in bytes, and behind the largest
};

void lt_row_builder_init(lt_row_builder *builder, const lt_decode_target *target) {
    *builder = (lt_row_builder){.target = target};
    lt_arena_init(&builder->arena, target->account);
}

void lt_row_builder_deinit(lt_row_builder *builder) {
    if (builder->target != NULL) lt_arena_deinit(&builder->arena);
    *builder = (lt_row_builder){0};
}

// Columns of the format's own keep what it writes, though it does not read them.
static bool is_unread(const lt_row_builder *builder, uint32_t column) {
    return builder->is_read != NULL && !builder->is_read[column] && (int32_t)column != builder->target->corrupt_column;
}

// Columns that nobody reads have no lanes of their own: those of one size share zeros, as clearing them would cost more
// than the few columns of a wide row that are read. NULL: it needs its own.
static void *zeros_for(lt_row_builder *builder, const lt_type *type, void *zeros[LANE_SIZES], leat_status *status,
                       leat_error *err) {
    const size_t lane_bytes = lt_kind_lane_bytes(type->kind);
    const bool   is_nested  = type->kind == LT_ARRAY || type->kind == LT_MAP || type->kind == LT_STRUCT;
    if (is_nested || lane_bytes == 0 || lane_bytes >= LANE_SIZES) return NULL;
    if (zeros[lane_bytes] == NULL) zeros[lane_bytes] = lt_arena_zero(&builder->arena, lane_bytes * LT_CHUNK_ROWS_MAX);
    if (zeros[lane_bytes] == NULL) *status = lt_raise_no_memory(err);
    return zeros[lane_bytes];
}

static leat_status columns_init(lt_row_builder *builder, leat_error *err) {
    const lt_decode_target *target            = builder->target;
    void                   *zeros[LANE_SIZES] = {NULL};
    leat_status             status            = LEAT_OK;
    builder->chunk                            = (lt_chunk){.column_count = target->column_count};
    LT_TRY_NEW_ARRAY(builder->chunk.columns, &builder->arena, target->column_count, err);
    for (uint32_t c = 0; c < target->column_count; c++) {
        lt_vector     *column = &builder->chunk.columns[c];
        const lt_type *type   = target->types[c];
        void          *lanes  = is_unread(builder, c) ? zeros_for(builder, type, zeros, &status, err) : NULL;
        LT_TRY(status);
        if (lanes == NULL) LT_TRY(lt_vector_init(column, type, LT_CHUNK_ROWS_MAX, &builder->arena, err));
        if (lanes != NULL)
            *column = (lt_vector){.type = type, .form = LT_FLAT, .capacity = LT_CHUNK_ROWS_MAX, .values = lanes};
    }
    return LEAT_OK;
}

// Columns that are not read are NULL in all lanes from the start of a chunk.
static leat_status unread_set_null(lt_row_builder *builder, leat_error *err) {
    for (uint32_t c = 0; c < builder->target->column_count; c++) {
        lt_vector *column = &builder->chunk.columns[c];
        if (builder->is_read[c] || column->type->kind == LT_VOID) continue;
        LT_TRY(lt_vector_set_null(column, 0, &builder->arena, err));
        memset(column->validity, 0, (column->capacity + 63) / 64 * sizeof *column->validity);
    }
    return LEAT_OK;
}

leat_status lt_row_builder_start(lt_row_builder *builder, leat_error *err) {
    lt_arena_reset(&builder->arena);
    LT_TRY(columns_init(builder, err));
    if (builder->is_read != NULL) LT_TRY(unread_set_null(builder, err));
    builder->settled   = 0;
    builder->has_chunk = true;
    return LEAT_OK;
}

static void lanes_set(lt_vector *vector, uint32_t lanes) { // depth is that of the type
    vector->lanes = lanes;
    if (vector->type->kind != LT_STRUCT) return;
    for (uint32_t i = 0; i < vector->child_count; i++) lanes_set(&vector->children[i], lanes);
}

leat_status lt_row_builder_give(lt_row_builder *builder, leat_error *err) {
    builder->has_chunk = false;
    if (builder->chunk.count == 0) return LEAT_OK;
    for (uint32_t c = 0; c < builder->chunk.column_count; c++)
        lanes_set(&builder->chunk.columns[c], builder->chunk.count);
    const lt_decode_target *target = builder->target;
    const leat_status status = target->take != NULL ? target->take(target->user, &builder->chunk, &builder->arena, err)
                                                    : target->give(target->user, &builder->chunk, err);
    builder->chunk.count     = 0;
    return status;
}

// Copies the texts of lanes [first, end_lane) that lie in [start, end).
static leat_status settle_lanes(lt_row_builder *builder, lt_vector *vector, uint32_t first, uint32_t end_lane,
                                const char *start, const char *end, leat_error *err) {
    if (lt_kind_is_bytes(vector->type->kind)) {
        lt_string *strings = LT_LANES(vector, lt_string);
        for (uint32_t i = first; i < end_lane; i++) {
            if (strings[i].bytes <= LT_STRING_INLINE_MAX) continue;
            if (strings[i].as.data < start || strings[i].as.data >= end || lt_lane_is_null(vector, i)) continue;
            LT_TRY(lt_string_copy(&builder->arena, strings[i].as.data, strings[i].bytes, &strings[i], err));
        }
        return LEAT_OK;
    }
    const bool is_list = vector->type->kind == LT_ARRAY || vector->type->kind == LT_MAP;
    for (uint32_t i = 0; i < vector->child_count; i++)
        LT_TRY(settle_lanes(builder, &vector->children[i], is_list ? 0 : first,
                            is_list ? vector->children[i].lanes : end_lane, start, end, err));
    return LEAT_OK;
}

leat_status lt_row_builder_keep_copied(lt_row_builder *builder, const char *start, const char *end, leat_error *err) {
    const uint32_t lane = builder->chunk.count;
    for (uint32_t c = 0; c < builder->chunk.column_count; c++)
        if (!is_unread(builder, c))
            LT_TRY(settle_lanes(builder, &builder->chunk.columns[c], lane, lane + 1, start, end, err));
    return lt_row_builder_keep(builder, err);
}

// Bytes of the texts that are not settled yet and lie in [start, end).
static size_t unsettled_bytes(const lt_row_builder *builder, const char *start, const char *end) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < builder->chunk.column_count; c++) {
        const lt_vector *column  = &builder->chunk.columns[c];
        const lt_string *strings = LT_LANES(column, const lt_string);
        if (is_unread(builder, c) || !lt_kind_is_bytes(column->type->kind)) continue;
        for (uint32_t i = builder->settled; i < builder->chunk.count; i++)
            if (strings[i].bytes > LT_STRING_INLINE_MAX && strings[i].as.data >= start && strings[i].as.data < end &&
                !lt_lane_is_null(column, i))
                bytes += strings[i].bytes;
    }
    return bytes;
}

leat_status lt_row_builder_settle(lt_row_builder *builder, const char *start, const char *end, leat_error *err) {
    if (!builder->has_chunk || builder->chunk.count == builder->settled) return LEAT_OK;
    if (builder->chunk.count - builder->settled > SETTLE_ROWS_MAX ||
        unsettled_bytes(builder, start, end) > SETTLE_BYTES_MAX)
        return lt_row_builder_give(builder, err);
    for (uint32_t c = 0; c < builder->chunk.column_count; c++)
        if (!is_unread(builder, c))
            LT_TRY(settle_lanes(builder, &builder->chunk.columns[c], builder->settled, builder->chunk.count, start, end,
                                err));
    builder->settled = builder->chunk.count;
    return LEAT_OK;
}
