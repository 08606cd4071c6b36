// ordered_rows: rows in the order of a key, by position: what OVER and LIMIT keep of a partition.
//
//     leaves [ a0 a1 b3 ][ b7 c2 ][ d4 d4 e5 ]      c2: key c, place 2; position 4 of 8
//
// Rows stand by key bytes (memcmp, shorter first), then by place; equal ones in order of arrival. Each copy of a row is a
// row of its own. Small sets are one sorted array; beyond LT_ORDERED_LEAF_ROWS rows, a list of them.
//
// Ownership  owns its rows, memory of the account given to each call; zeros at birth, may be moved as bytes.
// Threads    one at a time.      Errors  LEAT_NO_MEMORY, LEAT_LIMIT (2^31 rows); nothing changed then.
// Cost       find O(log n); insert, remove, position of a row and row at a position O(log n) and a walk over the list of
//            leaves: 2,000 words for a million rows. 16 bytes a row beside the row itself (24 bytes and its bytes).
#ifndef LT_EXEC_STATE_ORDERED_ROWS_H
#define LT_EXEC_STATE_ORDERED_ROWS_H

#include "planner/plan.h"

enum { LT_ORDERED_LEAF_ROWS = 1024 };

// `data`: the key, then the row as lt_row_encode gives it.
typedef struct lt_ordered_row {
    int64_t  place;
    uint32_t key_bytes, row_bytes;
    uint32_t takers;                       // for the owner's use: how many changes take this row or a copy of it
    bool     is_gone, is_fresh, is_wanted; // the same: taken out but still held; came in this batch; any
    char     data[];
} lt_ordered_row;

typedef struct lt_ordered_entry {
    uint64_t        prefix; // of the key, most significant byte first
    lt_ordered_row *row;
} lt_ordered_entry;

typedef struct lt_ordered_leaf {
    uint32_t         count, capacity; // 0 < count
    lt_ordered_entry entries[];
} lt_ordered_leaf;

typedef struct lt_ordered_rows {
    struct lt_ordered_slot {
        lt_ordered_leaf *leaf;
        uint32_t         count; // of the leaf
    } * leaves;
    uint32_t leaf_count, leaf_capacity;
    uint32_t count; // rows
    uint64_t bytes; // of memory: rows and leaves
} lt_ordered_rows;

// A position that goes forward.
typedef struct lt_ordered_cursor {
    const lt_ordered_rows *rows;
    uint32_t               leaf, at;
} lt_ordered_cursor;

static inline const char *lt_ordered_row_bytes(const lt_ordered_row *row) { return row->data + row->key_bytes; }

// A new row that stands nowhere yet.
leat_status lt_ordered_row_new(const char *key, size_t key_bytes, const char *bytes, size_t row_bytes, int64_t place,
                               lt_account *account, lt_ordered_row **out, leat_error *err);
void        lt_ordered_row_free(lt_ordered_row *row, lt_account *account);
// By key and place; < 0, 0, > 0. Equal keys alone: lt_ordered_key_compare.
int lt_ordered_row_compare(const lt_ordered_row *a, const lt_ordered_row *b);
int lt_ordered_key_compare(const lt_ordered_row *a, const lt_ordered_row *b);

// Takes the row.
leat_status lt_ordered_rows_insert(lt_ordered_rows *rows, lt_ordered_row *row, lt_account *account, leat_error *err);
// Takes out the row at a position; the caller frees it.
lt_ordered_row *lt_ordered_rows_remove(lt_ordered_rows *rows, uint32_t position, lt_account *account);
// Positions: of the first row that does not stand before `row` (by key and place), of the first behind it; of the first
// with an equal key or behind it, of the first behind all of an equal key.
uint32_t lt_ordered_rows_lower(const lt_ordered_rows *rows, const lt_ordered_row *row);
uint32_t lt_ordered_rows_upper(const lt_ordered_rows *rows, const lt_ordered_row *row);
uint32_t lt_ordered_rows_first_peer(const lt_ordered_rows *rows, const lt_ordered_row *row);
uint32_t lt_ordered_rows_end_of_peers(const lt_ordered_rows *rows, const lt_ordered_row *row);
// The position of the row with the same key, place and bytes, else of the first one with the same key and bytes. false:
// there is none.
bool lt_ordered_rows_find(const lt_ordered_rows *rows, const lt_ordered_row *row, uint32_t *out_position);
// Rows with the same key, place and bytes.
uint32_t        lt_ordered_rows_copies(const lt_ordered_rows *rows, const lt_ordered_row *row);
lt_ordered_row *lt_ordered_rows_at(const lt_ordered_rows *rows, uint32_t position); // below count
// From `position` on; lt_ordered_rows_next gives NULL at the end. Valid until the next change.
lt_ordered_cursor lt_ordered_rows_seek(const lt_ordered_rows *rows, uint32_t position);
lt_ordered_row   *lt_ordered_rows_next(lt_ordered_cursor *cursor);
void              lt_ordered_rows_release(lt_ordered_rows *rows, lt_account *account); // the caller has taken all rows
void              lt_ordered_rows_close(lt_ordered_rows *rows, lt_account *account);   // frees all rows

// Appends bytes that stand in the order of the sort keys whose values are row `row` of `columns`.
leat_status lt_sort_key_bytes(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count,
                              uint32_t row, lt_buffer *out, leat_error *err);

#endif
