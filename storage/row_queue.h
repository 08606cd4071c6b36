// row_queue: rows that a host or INSERT appended to a stream of connector 'memory', waiting for its readers.
//
//     append -> [ 0 .. 2047 ][ 2048 .. 2060 ][ 2061 ]        offset = rows appended before; segments are chunks
//                 ^ first_offset                    ^ end_offset
//
// Ownership  owns deep copies of all rows; each segment has its own arena.   Threads  one at a time: callers serialise.
// Limits     the account's.     Errors  LEAT_NO_MEMORY changes nothing.      Cost  append O(rows), find O(log
// segments).
#ifndef LT_STORAGE_ROW_QUEUE_H
#define LT_STORAGE_ROW_QUEUE_H

#include "base/vector.h"

typedef struct lt_row_segment {
    lt_arena arena;
    lt_chunk chunk;
    uint64_t offset; // of its first row
} lt_row_segment;

typedef struct lt_row_queue {
    lt_account           *account; // borrows
    const lt_type *const *types;   // borrows
    uint32_t              column_count;
    lt_row_segment      **segments; // in order of offset, without gaps
    size_t                segment_count, segment_capacity;
    uint64_t              first_offset, end_offset;
    bool                  is_closed; // nothing will be appended any more
} lt_row_queue;

void lt_row_queue_init(lt_row_queue *queue, lt_account *account, const lt_type *const *types, uint32_t column_count);
// Copies the rows of `chunk` behind the last one.
leat_status lt_row_queue_append(lt_row_queue *queue, const lt_chunk *chunk, leat_error *err);
// Forgets every row at or behind `offset`, which was the end before appends that shall not be seen.
void lt_row_queue_truncate(lt_row_queue *queue, uint64_t offset);
// The rows [offset, offset + *out_chunk->count), at most up to the end of a segment or `end`; a view, valid until the
// next append or trim. `scratch` holds its vectors.
leat_status lt_row_queue_view(const lt_row_queue *queue, uint64_t offset, uint64_t end, lt_arena *scratch,
                              lt_chunk *out_chunk, leat_error *err);
// Frees whole segments below `offset`: no reader will ask for them again.
void lt_row_queue_trim(lt_row_queue *queue, uint64_t offset);
void lt_row_queue_deinit(lt_row_queue *queue);

#endif
