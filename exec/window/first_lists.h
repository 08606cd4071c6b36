// first_lists: the first rows of each partition of OVER, of an input that only grows: what stands behind them is never
// wanted again, and is not kept.
//
//     group -> list {first, count}     entries: [e0 e1 e2 .] [e0] [e0 e1] ..     entry {prefix of the key, place, row}
//     rows as columns, numbered        touches: lists that the batch changed, with their entries as they were before
//
// A row of a chunk is judged by its key before anything of it is copied; those of the chunk that are still wanted at its
// end are then copied together. Rows that are no longer wanted stay until they outweigh the others, then these move.
// Equal keys are in order of places, equal places in order of arrival.
//
// Ownership  owns its rows.  Threads  one at a time.  Limits  two billion entries.
// Errors     LEAT_NO_MEMORY, LEAT_LIMIT; the lists are of no use then.
// Cost       O(1) for a row that is not wanted, O(log k + k) moves of 24 bytes for another. Memory: rows, up to twice, and
//            24 to 48 bytes a row; where a key is more than one number, the bytes of the key.
#ifndef LT_EXEC_WINDOW_FIRST_LISTS_H
#define LT_EXEC_WINDOW_FIRST_LISTS_H

#include "exec/state/row_store.h"
#include "planner/plan.h"

typedef struct lt_first_entry {
    uint64_t prefix; // of the first key (exec/state/sort_order.h)
    int64_t  place;
    uint32_t row;        // of the store; is_pending: of the chunk
    uint8_t  null_order; // of the first key: 0 NULLs first, 1 values, 2 NULLs last
    bool     is_pending;
    bool     is_fresh; // came in this batch
} lt_first_entry;

typedef struct lt_first_list {
    uint32_t first, count, room; // entries
    uint32_t pending;            // of count
    uint32_t touch;              // + 1; 0: not touched
} lt_first_list;

typedef struct lt_first_touch {
    uint32_t group;
    uint32_t before_first, before_count;
} lt_first_touch;

typedef struct lt_first_use {
    const lt_type *const *types; // of the rows
    uint32_t              width;
    const lt_sort_key    *order;
    uint32_t              order_count;
    uint32_t              wanted;   // > 0
    bool                  has_ties; // rows equal to the last one are wanted too
} lt_first_use;

typedef struct lt_first_key {
    const char *bytes;
    size_t      count;
} lt_first_key;

enum { LT_FIRST_ROOMS = 32 };

typedef struct lt_first_lists {
    lt_account     *account;
    lt_first_use    use;
    bool            is_exact; // equal prefixes are equal keys
    lt_row_store    rows;
    lt_first_key   *keys; // by row of the store; !is_exact
    uint32_t        key_capacity;
    lt_first_list  *lists; // by group
    uint32_t        list_capacity;
    lt_first_entry *entries;
    uint32_t        entry_count, entry_capacity;
    uint32_t        free_entries[LT_FIRST_ROOMS]; // by power of two: the first of free ones + 1
    uint64_t        live;                         // entries in lists
    lt_first_touch *touches;
    uint32_t        touch_count, touch_capacity;
    lt_first_entry *before; // of touched lists
    uint32_t        before_count, before_capacity;
    lt_buffer       scratch, other_scratch;
} lt_first_lists;

// The calls that can stand beside the rows.
typedef enum lt_first_rank {
    LT_FIRST_ROW_NUMBER,
    LT_FIRST_RANK,
    LT_FIRST_DENSE_RANK,
    LT_FIRST_RANKS // how many; or none of them
} lt_first_rank;
lt_first_rank lt_first_lists_rank_of(const lt_window_call *call);
// Whether lists hold what a Window wants: the first few rows by row_number() or rank() of an input that only grows, or
// does not change.
bool lt_first_lists_serve(const lt_plan *plan);

// use: what it points to is borrowed until deinit; deinit also after an error.
leat_status lt_first_lists_init(lt_first_lists *self, const lt_first_use *use, lt_account *account, leat_error *err);
leat_status lt_first_lists_reserve(lt_first_lists *self, uint32_t group_capacity, leat_error *err);

// Keys of the rows of a chunk.
typedef struct lt_first_keys {
    const lt_vector *const *columns; // of the order
    uint64_t               *prefixes;
    uint8_t                *null_orders;
    lt_first_key           *bytes; // !is_exact: of rows for which they were needed, in `arena`
    lt_arena               *arena;
} lt_first_keys;
leat_status lt_first_lists_keys(lt_first_lists *self, const lt_vector *const *columns, uint32_t count, lt_arena *arena,
                                lt_first_keys *out, leat_error *err);
// Rows of a chunk, row i of groups[i], with places places[i]; what is not wanted goes at once. Weights are above 0.
leat_status lt_first_lists_add(lt_first_lists *self, const lt_chunk *chunk, const uint32_t *groups,
                               const int64_t *places, const lt_first_keys *keys, leat_error *err);
// The batch is over: nothing is touched, nothing is fresh.
leat_status lt_first_lists_settle(lt_first_lists *self, uint32_t group_count, leat_error *err);
// Rows that are no longer wanted go, if there are many. Groups have lists, even of no entries.
leat_status lt_first_lists_compact(lt_first_lists *self, uint32_t group_count, leat_error *err);

// Row i of a chunk that was saved is there copies[i] times from now on, wanted or not.
leat_status lt_first_lists_restore(lt_first_lists *self, const lt_chunk *chunk, const uint32_t *groups,
                                   const int64_t *places, const uint32_t *copies, const lt_first_keys *keys,
                                   leat_error *err);
// How many entries of the group's list have the key, place and bytes of `entry`.
leat_status lt_first_lists_copies(lt_first_lists *self, uint32_t group, const lt_first_entry *entry,
                                  uint32_t *out_copies, leat_error *err);
static inline const lt_first_entry *lt_first_lists_at(const lt_first_lists *self, uint32_t group) {
    return self->entries + self->lists[group].first;
}
// Whether two stored rows have equal keys.
bool     lt_first_lists_are_peers(const lt_first_lists *self, const lt_first_entry *a, const lt_first_entry *b);
uint64_t lt_first_lists_bytes(const lt_first_lists *self);
void     lt_first_lists_deinit(lt_first_lists *self);

#endif
