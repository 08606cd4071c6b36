// row_set: rows as bytes with weights and places: kept inputs, last outputs, memory tables that take deltas.
//
//     numbers: [unit of row 0][unit of row 1][free]...      records, in pages: {count, place, weight if not 1, bytes}
//     index (merging): directory by the top bits of the hash -> pages of slots {hash, number + 1}
//
// Merging sets add up the weights of equal rows (a map from row to weight); others keep every row in the order it came.
// Index pages split one at a time and records never move while they live, so no call pays for the growth of the whole.
//
// Ownership  owns its bytes.       Threads  one at a time.       Limits  the account's; 16 GiB of rows.
// Errors     LEAT_NO_MEMORY, LEAT_LIMIT; nothing changed then.
// Cost       add, update, find O(1). Walk in order O(n), after places came out of order O(n log n) once per change. A row
//            of weight 1: its bytes + 12, up to a multiple of 8; 4 to 8 for the number; about 13 in the index.
#ifndef LT_EXEC_STATE_ROW_SET_H
#define LT_EXEC_STATE_ROW_SET_H

#include "base/vector.h"

// What a number stands for; a view until the next change of the set.
typedef struct lt_row_set_row {
    const char *bytes; // lt_row_encode, not canonical
    uint32_t    count;
    int64_t     weight; // 0: the number is free
    int64_t     place;
} lt_row_set_row;

typedef struct lt_row_page {
    char  *memory;
    size_t bytes;
} lt_row_page;

typedef struct lt_row_index_page lt_row_index_page;

typedef struct lt_row_set {
    lt_account         *account;
    bool                is_merging;
    lt_row_page        *pages; // of records; one that is longer than a page takes the numbers of several
    uint32_t            page_count, page_capacity;
    uint32_t            next_unit, end_unit;     // room in the last page, in units of 8 bytes
    uint32_t           *free_units;              // by size of a record in units: the first free one + 1; NULL: none yet
    uint32_t           *numbers;                 // unit of the record; top bit: free, with the next free number + 1
    uint32_t            row_count, row_capacity; // row_count: numbers in use or free
    uint32_t            first_free, free_count;  // first_free: + 1; 0: none
    int64_t             freed_place;             // of the number at first_free, if it is known
    bool                has_freed_place;
    lt_row_index_page **directory; // 1 << directory_bits; NULL: no index yet
    uint32_t            directory_bits;
    int64_t             total_weight;
    uint64_t            live_rows, live_bytes, dead_bytes;
    bool                is_ordered; // numbers that are in use ascend by place
    int64_t             last_place; // of the highest number so far
    uint32_t           *order;      // numbers by place; valid while order_version == version; NULL: never needed
    uint32_t            order_capacity;
    uint64_t            version, order_version;
} lt_row_set;

void lt_row_set_init(lt_row_set *set, lt_account *account, bool is_merging);
// Adds `weight` to the row (merging: to the equal row that is there; a row at weight 0 leaves). `place` counts for new
// rows. *out_weight (may be NULL): the row's weight now. Merging sets refuse a removal of a row that is not there:
// LT_INTERNAL_ERROR.
leat_status lt_row_set_add(lt_row_set *set, const char *bytes, size_t count, int64_t weight, int64_t place,
                           int64_t *out_weight, leat_error *err);
// One copy of a row less and one of another more (merging). The new row takes the number of one that leaves, so that
// updates at the same place keep the order. On an error the old row may be gone.
leat_status lt_row_set_update(lt_row_set *set, const char *old_bytes, size_t old_count, const char *bytes, size_t count,
                              int64_t place, leat_error *err);
// Encodes and adds the rows of a chunk. places NULL: next_place, next_place + 1, ...
leat_status    lt_row_set_add_chunk(lt_row_set *set, const lt_chunk *chunk, int64_t *next_place, lt_buffer *scratch,
                                    leat_error *err);
lt_row_set_row lt_row_set_at(const lt_row_set *set, uint32_t number); // below row_count
// Asks for the memory that look-ups of these rows, at most LT_ROW_SET_AHEAD, will want (merging sets). A look-up in a
// large set waits for memory four times, one after the other; here all rows take a step together, so that they wait
// as one.
enum { LT_ROW_SET_AHEAD = 32 };
typedef struct lt_row_bytes {
    const char *bytes;
    size_t      count;
} lt_row_bytes;
void lt_row_set_prefetch(const lt_row_set *set, const lt_row_bytes *rows, uint32_t count);
// Weight of an equal row, 0: none (merging sets).
int64_t lt_row_set_weight(const lt_row_set *set, const char *bytes, size_t count);
// The equal row of a merging set.
bool lt_row_set_find(const lt_row_set *set, const char *bytes, size_t count, lt_row_set_row *out_row);
// The number of the equal row of a merging set; it stays the row's as long as the row is there.
bool lt_row_set_find_number(const lt_row_set *set, const char *bytes, size_t count, uint32_t *out_number);
// The same; a row that is not there comes, with weight 1.
leat_status lt_row_set_number_of(lt_row_set *set, const char *bytes, size_t count, int64_t place, uint32_t *out_number,
                                 leat_error *err);
// Numbers by place (merging) or in order of arrival; *out_order NULL: 0, 1, ... in turn. Free numbers may be among them.
leat_status lt_row_set_order(lt_row_set *set, const uint32_t **out_order, uint32_t *out_count, leat_error *err);
static inline uint32_t lt_row_set_number(const uint32_t *order, uint32_t i) { return order == NULL ? i : order[i]; }
void                   lt_row_set_reset(lt_row_set *set); // no rows; a small set keeps its memory
void                   lt_row_set_deinit(lt_row_set *set);

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
