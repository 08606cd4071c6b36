// segments: rows kept as columns, in pieces that never move: tables in memory and results of statements.
//
//     segment 0 [ 0 .. 2047 ]   segment 1 [ 2048 .. 4095 ]   segment 2 [ 4096 .. 8191 ]   ... up to 65,536 rows each
//                  ^ a reader's chunk borrows 2,048 rows of the columns that it wants
//
// Rows are appended at the end, cut off from the end, or forgotten together. Only the first segment starts small and
// grows; others have their room from birth, as many rows as stood before them.
//
// Ownership  owns lanes and bytes, by segment; a view is valid until the next append, truncate or reset.
// Threads    one at a time; several may read.      Limits  the account's.
// Errors     LEAT_NO_MEMORY, LEAT_LIMIT; nothing changed then.
// Cost       append O(values), a copy of lanes per column; view O(columns), whatever the rows hold; the lanes and 24
//            bytes of strings per value beyond 12 bytes, validity one bit per row of a column that has NULLs.
#ifndef LT_EXEC_STATE_SEGMENTS_H
#define LT_EXEC_STATE_SEGMENTS_H

#include "base/vector.h"

enum { LT_SEGMENT_ROWS_MAX = 32 * LT_CHUNK_ROWS_MAX };

typedef struct lt_segment {
    lt_arena   arena;   // lanes, bytes, children
    lt_vector *columns; // flat, lanes == count
    uint32_t   count, capacity;
    uint64_t   first_row;
} lt_segment;

typedef struct lt_segments {
    lt_account           *account;
    const lt_type *const *types; // borrows
    uint32_t              column_count;
    lt_segment          **items; // none is empty, in order of first_row, without gaps; of rows that are not forgotten
    size_t                count, capacity;
    uint64_t              row_count;
} lt_segments;

void lt_segments_init(lt_segments *segments, const lt_type *const *types, uint32_t column_count, lt_account *account);
// Copies the rows of the chunk behind the last one; a row of weight n > 1 comes n times, one below zero once.
leat_status lt_segments_append(lt_segments *segments, const lt_chunk *chunk, leat_error *err);
// Decodes one row (lt_row_encode) behind the last one, `copies` times.
leat_status lt_segments_append_encoded(lt_segments *segments, const char *bytes, size_t count, uint64_t copies,
                                       leat_error *err);
// Takes all rows of `from`, of the same types, which is empty then; many rows move as they are. On an error both are
// as they were.
leat_status lt_segments_take(lt_segments *segments, lt_segments *from, leat_error *err);
// Forgets the rows from number `row_count` on.
void lt_segments_truncate(lt_segments *segments, uint64_t row_count);
// Frees the segments whose rows all stand before number `row`. Numbers stay; those rows are not looked at any more.
void lt_segments_forget_before(lt_segments *segments, uint64_t row);
void lt_segments_reset(lt_segments *segments); // no rows
void lt_segments_deinit(lt_segments *segments);

// The segment of row `row`, which is there.
const lt_segment *lt_segments_find(const lt_segments *segments, uint64_t row);
// Rows from `row` on, at most `count_max` and up to the end of a segment: `columns[c]` (NULL: all) becomes column c of
// *out, a view made in `arena`. Starting at 0 and going on at the end of the last view gives chunks that copy nothing.
leat_status lt_segments_view(const lt_segments *segments, uint64_t row, uint32_t count_max, const uint32_t *columns,
                             uint32_t column_count, lt_arena *arena, lt_chunk *out, leat_error *err);

#endif
