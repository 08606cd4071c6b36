// row_queue: a row, once appended, never moves within its segment's numbering; small appends share the last segment
// until it is full. A column may grow by copying, therefore a view ends with the next append.
#include "storage/row_queue.h"

void lt_row_queue_init(lt_row_queue *queue, lt_account *account, const lt_type *const *types, uint32_t column_count) {
    *queue = (lt_row_queue){.account = account, .types = types, .column_count = column_count};
}

static void segment_destroy(lt_row_queue *queue, lt_row_segment **segment) {
    if (*segment == NULL) return;
    lt_arena_deinit(&(*segment)->arena);
    (void)lt_account_reallocate(queue->account, *segment, sizeof **segment, 0);
    *segment = NULL;
}

// Columns grow with the rows where few come at a time: many streams hold a few rows only.
enum { CAPACITY_MIN = 16, FEW_ROWS = 256 };

static leat_status segment_add(lt_row_queue *queue, uint32_t row_count, leat_error *err) {
    LT_TRY_GROW(queue->segments, queue->account, queue->segment_count, queue->segment_capacity, 16, err);
    lt_row_segment *segment = lt_account_reallocate(queue->account, NULL, 0, sizeof *segment);
    if (segment == NULL) return lt_raise_no_memory(err);
    *segment = (lt_row_segment){.offset = queue->end_offset};
    lt_arena_init(&segment->arena, queue->account);
    const uint32_t    capacity = row_count < FEW_ROWS ? CAPACITY_MIN : LT_CHUNK_ROWS_MAX;
    const leat_status status =
        lt_chunk_init(&segment->chunk, queue->types, queue->column_count, capacity, &segment->arena, err);
    if (status != LEAT_OK) {
        segment_destroy(queue, &segment);
        return status;
    }
    queue->segments[queue->segment_count++] = segment;
    return LEAT_OK;
}

void lt_row_queue_truncate(lt_row_queue *queue, uint64_t offset) {
    while (queue->segment_count > 0 && queue->segments[queue->segment_count - 1]->offset >= offset &&
           queue->segments[queue->segment_count - 1]->offset > queue->first_offset)
        segment_destroy(queue, &queue->segments[--queue->segment_count]);
    if (queue->segment_count > 0) {
        lt_row_segment *last = queue->segments[queue->segment_count - 1];
        last->chunk.count    = (uint32_t)(offset - last->offset);
    }
    queue->end_offset = offset;
}

// Rows [first, first + count) of the chunk into the segment, which has room for them.
static leat_status segment_append(lt_row_queue *queue, lt_row_segment *segment, const lt_chunk *chunk, uint32_t first,
                                  uint32_t count, leat_error *err) {
    for (uint32_t c = 0; c < queue->column_count; c++) {
        lt_vector *column = &segment->chunk.columns[c];
        column->lanes     = segment->chunk.count; // an append that failed may have left more
        LT_TRY(lt_vector_append_range(column, &chunk->columns[c], first, count, &segment->arena, err));
    }
    segment->chunk.count += count;
    queue->end_offset += count;
    return LEAT_OK;
}

static leat_status append_rows(lt_row_queue *queue, const lt_chunk *chunk, leat_error *err) {
    for (uint32_t row = 0; row < chunk->count;) {
        lt_row_segment *last = queue->segment_count == 0 ? NULL : queue->segments[queue->segment_count - 1];
        if (last == NULL || last->chunk.count == LT_CHUNK_ROWS_MAX) {
            LT_TRY(segment_add(queue, chunk->count, err));
            last = queue->segments[queue->segment_count - 1];
        }
        uint32_t count = LT_CHUNK_ROWS_MAX - last->chunk.count;
        if (count > chunk->count - row) count = chunk->count - row;
        LT_TRY(segment_append(queue, last, chunk, row, count, err));
        row += count;
    }
    return LEAT_OK;
}

leat_status lt_row_queue_append(lt_row_queue *queue, const lt_chunk *chunk, leat_error *err) {
    lt_assert(chunk->column_count == queue->column_count);
    const uint64_t    end    = queue->end_offset;
    const leat_status status = append_rows(queue, chunk, err);
    if (status != LEAT_OK) lt_row_queue_truncate(queue, end);
    return status;
}

static const lt_row_segment *segment_of(const lt_row_queue *queue, uint64_t offset) {
    size_t low = 0, high = queue->segment_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (queue->segments[middle]->offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return queue->segments[low];
}

leat_status lt_row_queue_view(const lt_row_queue *queue, uint64_t offset, uint64_t end, lt_arena *scratch,
                              lt_chunk *out_chunk, leat_error *err) {
    lt_assert(offset >= queue->first_offset && offset < end && end <= queue->end_offset);
    const lt_row_segment *segment = segment_of(queue, offset);
    const uint32_t        first   = (uint32_t)(offset - segment->offset);
    uint32_t              count   = segment->chunk.count - first;
    if (count > end - offset) count = (uint32_t)(end - offset);
    *out_chunk = (lt_chunk){.column_count = queue->column_count, .count = count};
    LT_TRY_NEW_ARRAY(out_chunk->columns, scratch, queue->column_count, err);
    for (uint32_t c = 0; c < queue->column_count; c++)
        out_chunk->columns[c] = lt_vector_slice(&segment->chunk.columns[c], first, count, scratch);
    return LEAT_OK;
}

void lt_row_queue_trim(lt_row_queue *queue, uint64_t offset) {
    size_t freed = 0;
    while (freed < queue->segment_count && queue->segments[freed]->chunk.count == LT_CHUNK_ROWS_MAX &&
           queue->segments[freed]->offset + LT_CHUNK_ROWS_MAX <= offset)
        segment_destroy(queue, &queue->segments[freed++]);
    if (freed == 0) return;
    queue->segment_count -= freed;
    memmove(queue->segments, queue->segments + freed, queue->segment_count * sizeof(lt_row_segment *));
    queue->first_offset += (uint64_t)freed * LT_CHUNK_ROWS_MAX;
}

void lt_row_queue_deinit(lt_row_queue *queue) {
    for (size_t i = 0; i < queue->segment_count; i++) segment_destroy(queue, &queue->segments[i]);
    (void)lt_account_reallocate(queue->account, queue->segments, queue->segment_capacity * sizeof(lt_row_segment *), 0);
    *queue = (lt_row_queue){.account = queue->account, .types = queue->types, .column_count = queue->column_count};
}
