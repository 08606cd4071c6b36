// row_set: rows as bytes with weights and places: kept inputs, last outputs, memory tables.
//
//     rows[0] {bytes, weight 1, place 3}   rows[1] {...}   index: hash -> row number (only when merging)
//
// Merging sets add up the weights of equal rows (a map from row to weight); others keep every row in the order it came.
//
// Ownership  owns its bytes.  Threads  one at a time.  Limits  the account's.  Errors  LEAT_NO_MEMORY; nothing changed
// then. Cost       add O(1); ordered walk O(n log n) once per change.
#ifndef LT_EXEC_STATE_ROW_SET_H
#define LT_EXEC_STATE_ROW_SET_H

#include "base/vector.h"

typedef struct lt_row_set_row {
    const char *bytes; // lt_row_encode, not canonical
    uint32_t    count;
    uint32_t    next_free;
    uint64_t    hash;
    int64_t     weight; // 0: free
    int64_t     place;
} lt_row_set_row;

typedef struct lt_row_set {
    lt_account     *account;
    bool            is_merging;
    lt_arena        bytes;
    lt_row_set_row *rows;
    uint32_t        row_count, row_capacity; // row_count: used slots, free ones included
    uint32_t        first_free;              // + 1; 0: none
    uint32_t       *index;                   // row + 1; 0: empty; UINT32_MAX: removed
    uint32_t        index_capacity, index_used;
    int64_t         total_weight;
    uint64_t        live_rows, live_bytes, dead_bytes;
    uint32_t       *order; // rows by place; valid while order_version == version
    uint64_t        version, order_version;
} lt_row_set;

void lt_row_set_init(lt_row_set *set, lt_account *account, bool is_merging);
// Adds `weight` to the row (merging: to the equal row that is there; a row at weight 0 leaves). `place` counts for new
// rows. *out_weight (may be NULL): the row's weight now. A removal of a row that is not there: CHECKPOINT...
// LT_INTERNAL_ERROR.
leat_status lt_row_set_add(lt_row_set *set, const char *bytes, size_t count, int64_t weight, int64_t place,
                           int64_t *out_weight, leat_error *err);
// Encodes and adds the rows of a chunk. places NULL: next_place, next_place + 1, ...
leat_status lt_row_set_add_chunk(lt_row_set *set, const lt_chunk *chunk, int64_t *next_place, lt_buffer *scratch,
                                 leat_error *err);
// Weight of an equal row, 0: none (merging sets).
int64_t lt_row_set_weight(const lt_row_set *set, const char *bytes, size_t count);
// Rows by place into `order` (merging) or in order of arrival.
leat_status lt_row_set_order(lt_row_set *set, const uint32_t **out_order, uint32_t *out_count, leat_error *err);
void        lt_row_set_reset(lt_row_set *set);
void        lt_row_set_deinit(lt_row_set *set);

// Walks the rows in order as chunks of decoded rows (a row of weight w comes w times when `is_spread`, else with
// weights; one below zero comes once, with its weight).
typedef struct lt_row_set_cursor {
    const uint32_t *order;
    uint32_t        count, at;
    int64_t         repeat; // copies of the present row already given
} lt_row_set_cursor;
leat_status lt_row_set_open_cursor(lt_row_set *set, lt_row_set_cursor *out, leat_error *err);
// Next up to LT_CHUNK_ROWS_MAX rows, made in `arena`; count 0: the end.
leat_status lt_row_set_next(lt_row_set *set, lt_row_set_cursor *cursor, const lt_type *const *types,
                            uint32_t column_count, bool is_spread, lt_arena *arena, lt_chunk *out, leat_error *err);

#endif
