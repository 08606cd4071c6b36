#include "exec/state/segments.h"

// The lanes of a segment are one piece of memory, because blocks of an arena would leave room between columns. They are
// not cleared: a lane is written before it is read, and memory that nobody wrote to is no resident memory. The first
// segment grows by doubling instead, so that a result of one row costs a few hundred bytes.

enum { FIRST_ROWS_MIN = 16, LANES_ALIGNMENT = 16 };

void lt_segments_init(lt_segments *segments, const lt_type *const *types, uint32_t column_count, lt_account *account) {
    *segments = (lt_segments){.account = account, .types = types, .column_count = column_count};
}

static void segment_destroy(const lt_segments *segments, lt_segment *segment) {
    lt_arena_deinit(&segment->arena);
    lt_account_reallocate(segments->account, segment, sizeof *segment, 0);
}

void lt_segments_forget_before(lt_segments *segments, uint64_t row) {
    size_t gone = 0;
    for (; gone < segments->count; gone++) {
        lt_segment *segment = segments->items[gone];
        if (segment->first_row + segment->count > row) break;
        segment_destroy(segments, segment);
    }
    segments->count -= gone;
    if (gone > 0) memmove(segments->items, segments->items + gone, sizeof *segments->items * segments->count);
}

void lt_segments_reset(lt_segments *segments) {
    for (size_t i = 0; i < segments->count; i++) segment_destroy(segments, segments->items[i]);
    segments->count     = 0;
    segments->row_count = 0;
}

void lt_segments_deinit(lt_segments *segments) {
    if (segments->account == NULL) return;
    lt_segments_reset(segments);
    lt_account_reallocate(segments->account, segments->items, sizeof *segments->items * segments->capacity, 0);
    segments->items    = NULL;
    segments->capacity = 0;
}

// ------------------------------------------------------------------------------------------------------------ segments

static size_t column_bytes(const lt_type *type, uint32_t capacity) {
    size_t bytes =
        (lt_kind_lane_bytes(type->kind) * capacity + LANES_ALIGNMENT - 1) / LANES_ALIGNMENT * LANES_ALIGNMENT;
    for (uint32_t i = 0; type->kind == LT_STRUCT && i < type->field_count; i++)
        bytes += column_bytes(type->fields[i].type, capacity);
    return bytes;
}

static void column_place(lt_vector *column, uint32_t capacity, char **lanes) {
    size_t bytes     = lt_kind_lane_bytes(column->type->kind) * capacity;
    column->capacity = capacity;
    if (bytes > 0) {
        column->values = *lanes;
        *lanes += (bytes + LANES_ALIGNMENT - 1) / LANES_ALIGNMENT * LANES_ALIGNMENT;
    }
    for (uint32_t i = 0; column->type->kind == LT_STRUCT && i < column->child_count; i++)
        column_place(&column->children[i], capacity, lanes);
}

static leat_status segment_fill(const lt_segments *segments, lt_segment *segment, leat_error *err) {
    bool   is_first = segment->first_row == 0;
    size_t bytes    = 0;
    LT_TRY_NEW_ARRAY(segment->columns, &segment->arena, segments->column_count + 1u, err);
    for (uint32_t c = 0; c < segments->column_count; c++) {
        LT_TRY(lt_vector_init(&segment->columns[c], segments->types[c], is_first ? FIRST_ROWS_MIN : 0, &segment->arena,
                              err));
        bytes += column_bytes(segments->types[c], segment->capacity);
    }
    if (is_first) return LEAT_OK;
    char *lanes = lt_arena_alloc(&segment->arena, bytes);
    if (lanes == NULL) return lt_raise_no_memory(err);
    for (uint32_t c = 0; c < segments->column_count; c++) column_place(&segment->columns[c], segment->capacity, &lanes);
    return LEAT_OK;
}

static leat_status segment_add(lt_segments *segments, lt_segment **out, leat_error *err) {
    LT_TRY_GROW(segments->items, segments->account, segments->count, segments->capacity, 1, err);
    lt_segment *segment  = lt_account_reallocate(segments->account, NULL, 0, sizeof *segment);
    uint32_t    capacity = LT_CHUNK_ROWS_MAX;
    if (segment == NULL) return lt_raise_no_memory(err);
    while (capacity < LT_SEGMENT_ROWS_MAX && (uint64_t)capacity * 2 <= segments->row_count) capacity *= 2;
    *segment = (lt_segment){.capacity = capacity, .first_row = segments->row_count};
    lt_arena_init(&segment->arena, segments->account);
    leat_status status = segment_fill(segments, segment, err);
    if (status != LEAT_OK) {
        segment_destroy(segments, segment);
        return status;
    }
    segments->items[segments->count++] = *out = segment;
    return LEAT_OK;
}

// A segment with room, and how many of `count` rows it takes.
static leat_status segment_with_room(lt_segments *segments, uint32_t count, lt_segment **out, uint32_t *out_count,
                                     leat_error *err) {
    *out = segments->count == 0 ? NULL : segments->items[segments->count - 1];
    if (*out == NULL || (*out)->count == (*out)->capacity) LT_TRY(segment_add(segments, out, err));
    uint32_t room = (*out)->capacity - (*out)->count;
    *out_count    = count < room ? count : room;
    return LEAT_OK;
}

// Also where an append stopped half way: children of a list or a struct may have got lanes that the parent does not
// know.
static void column_truncate(lt_vector *column, uint32_t lanes) {
    column->lanes = lanes;
    if (column->type->kind == LT_STRUCT)
        for (uint32_t i = 0; i < column->child_count; i++) column_truncate(&column->children[i], lanes);
    if (column->type->kind != LT_ARRAY && column->type->kind != LT_MAP) return;
    uint32_t end = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const lt_list *list = &LT_LANES(column, const lt_list)[lane];
        if (!lt_lane_is_null(column, lane) && list->offset + list->count > end) end = list->offset + list->count;
    }
    column_truncate(&column->children[0], end);
}

void lt_segments_truncate(lt_segments *segments, uint64_t row_count) {
    while (segments->count > 0) {
        lt_segment *last = segments->items[segments->count - 1];
        if (last->first_row < row_count) {
            uint32_t count = (uint32_t)(row_count - last->first_row);
            if (count > last->count) count = last->count;
            for (uint32_t c = 0; c < segments->column_count; c++) column_truncate(&last->columns[c], count);
            last->count = count;
            break;
        }
        segment_destroy(segments, last);
        segments->count--;
    }
    segments->row_count = row_count;
}

// ----------------------------------------------------------------------------------------------------------- appending

static leat_status append_part(lt_segments *segments, const lt_chunk *chunk, const uint16_t *rows, uint32_t first,
                               uint32_t count, leat_error *err) {
    while (count > 0) {
        lt_segment *segment;
        uint32_t    part = 0;
        LT_TRY(segment_with_room(segments, count, &segment, &part, err));
        for (uint32_t c = 0; c < segments->column_count; c++) {
            lt_vector       *into = &segment->columns[c];
            const lt_vector *from = &chunk->columns[c];
            if (rows != NULL)
                LT_TRY(lt_vector_append_rows(into, from, rows + first, part, true, &segment->arena, err));
            else
                LT_TRY(lt_vector_append_range(into, from, first, part, &segment->arena, err));
        }
        segment->count += part;
        segments->row_count += part;
        first += part;
        count -= part;
    }
    return LEAT_OK;
}

static leat_status append_weighted(lt_segments *segments, const lt_chunk *chunk, leat_error *err) {
    uint16_t rows[256];
    uint32_t count = 0;
    for (uint32_t row = 0; row < chunk->count; row++) {
        int64_t weight = chunk->weights[row];
        for (int64_t copy = weight < 0 ? 1 : weight; copy > 0; copy--) {
            rows[count++] = (uint16_t)row;
            if (count < 256) continue;
            LT_TRY(append_part(segments, chunk, rows, 0, count, err));
            count = 0;
        }
    }
    return append_part(segments, chunk, rows, 0, count, err);
}

leat_status lt_segments_append(lt_segments *segments, const lt_chunk *chunk, leat_error *err) {
    lt_assert(chunk->column_count == segments->column_count);
    uint64_t before    = segments->row_count;
    bool     is_single = chunk->weights == NULL;
    for (uint32_t row = 0; !is_single && chunk->weights[row] == 1;) is_single = ++row == chunk->count;
    leat_status status =
        is_single ? append_part(segments, chunk, NULL, 0, chunk->count, err) : append_weighted(segments, chunk, err);
    if (status != LEAT_OK) lt_segments_truncate(segments, before);
    return status;
}

leat_status lt_segments_append_encoded(lt_segments *segments, const char *bytes, size_t count, uint64_t copies,
                                       leat_error *err) {
    uint64_t    before = segments->row_count;
    leat_status status = LEAT_OK;
    for (; status == LEAT_OK && copies > 0; copies--) {
        lt_segment *segment;
        uint32_t    part = 0;
        status           = segment_with_room(segments, 1, &segment, &part, err);
        if (status == LEAT_OK)
            status = lt_row_decode(bytes, count, segment->columns, segments->column_count, &segment->arena, err);
        if (status != LEAT_OK) break;
        segment->count++;
        segments->row_count++;
    }
    if (status != LEAT_OK) lt_segments_truncate(segments, before);
    return status;
}

leat_status lt_segments_take(lt_segments *segments, lt_segments *from, leat_error *err) {
    lt_assert(segments->types == from->types && segments->account == from->account);
    uint64_t before = segments->row_count;
    if (before > 0 && from->row_count < LT_SEGMENT_ROWS_MAX) {
        for (size_t i = 0; i < from->count; i++) {
            lt_segment *segment = from->items[i];
            lt_chunk rows = {.columns = segment->columns, .column_count = from->column_count, .count = segment->count};
            leat_status status = lt_segments_append(segments, &rows, err);
            if (status == LEAT_OK) continue;
            lt_segments_truncate(segments, before);
            return status;
        }
        lt_segments_reset(from);
        return LEAT_OK;
    }
    while (segments->capacity < segments->count + from->count)
        LT_TRY_GROW(segments->items, segments->account, segments->capacity, segments->capacity, 1, err);
    for (size_t i = 0; i < from->count; i++) {
        from->items[i]->first_row += before;
        segments->items[segments->count++] = from->items[i];
    }
    segments->row_count += from->row_count;
    from->count     = 0;
    from->row_count = 0;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------- reading

const lt_segment *lt_segments_find(const lt_segments *segments, uint64_t row) {
    size_t low = 0, high = segments->count - 1;
    lt_assert(row < segments->row_count);
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (segments->items[middle]->first_row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return segments->items[low];
}

static leat_status validity_view(const uint64_t *validity, uint32_t at, uint32_t count, lt_arena *arena, uint64_t **out,
                                 leat_error *err) {
    uint64_t *words;
    LT_TRY_NEW_ARRAY(words, arena, count / 64 + 1, err);
    for (uint32_t i = 0; i < count; i++) words[i >> 6] |= (uint64_t)lt_validity_is_set(validity, at + i) << (i & 63);
    *out = words;
    return LEAT_OK;
}

// Lanes of lists are views too: their children stay whole, offsets hold.
static leat_status column_view(const lt_vector *column, uint32_t at, uint32_t count, lt_arena *arena, lt_vector *out,
                               leat_error *err) {
    *out          = *column;
    out->capacity = out->lanes = count;
    if (column->values != NULL) out->values = (char *)column->values + lt_kind_lane_bytes(column->type->kind) * at;
    if (column->validity != NULL && at % 64 == 0)
        out->validity = column->validity + at / 64;
    else if (column->validity != NULL)
        LT_TRY(validity_view(column->validity, at, count, arena, &out->validity, err));
    if (column->type->kind != LT_STRUCT) return LEAT_OK;
    LT_TRY_NEW_ARRAY(out->children, arena, column->child_count + 1u, err);
    for (uint32_t i = 0; i < column->child_count; i++)
        LT_TRY(column_view(&column->children[i], at, count, arena, &out->children[i], err));
    return LEAT_OK;
}

leat_status lt_segments_view(const lt_segments *segments, uint64_t row, uint32_t count_max, const uint32_t *columns,
                             uint32_t column_count, lt_arena *arena, lt_chunk *out, leat_error *err) {
    *out = (lt_chunk){.column_count = column_count};
    LT_TRY_NEW_ARRAY(out->columns, arena, column_count + 1u, err);
    if (row >= segments->row_count) return LEAT_OK;
    const lt_segment *segment = lt_segments_find(segments, row);
    uint32_t          at = (uint32_t)(row - segment->first_row), left = segment->count - at;
    out->count = left < count_max ? left : count_max;
    for (uint32_t c = 0; c < column_count; c++)
        LT_TRY(column_view(&segment->columns[columns != NULL ? columns[c] : c], at, out->count, arena, &out->columns[c],
                           err));
    return LEAT_OK;
}
