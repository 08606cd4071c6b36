// chained_rows: the rows of one side of a join, chained per key group, with what a batch changes of them.
//
//     group -> {head, tail, weight}      slot -> row, weight, next, previous, count      touches: slots of this batch
//
// Where rows only come they are kept as columns, each in a slot of its own, and weigh 1. Else equal rows share a slot,
// which has a weight; a row whose weight falls to 0 keeps its slot and its place in the chain until lt_chained_rows_settle,
// so that a batch sees what was there before it. Chains are in order of arrival. A count may stand beside each row: of its
// partners. A side may also keep no rows, but the weight of each group alone.
//
// Ownership  owns its rows.  Threads  one at a time.  Limits  two billion rows.
// Errors     LEAT_NO_MEMORY; LT_INTERNAL_ERROR when a row goes that is not there.
// Cost       add, settle O(1) a row. Memory: the row, 4 bytes; where rows go another 16, and about 13 of the index.
#ifndef LT_EXEC_STATE_CHAINED_ROWS_H
#define LT_EXEC_STATE_CHAINED_ROWS_H

#include "exec/state/row_set.h"
#include "exec/state/row_store.h"

// Of one group; all zero: nothing is there.
typedef struct lt_row_chain {
    uint32_t head, tail; // slot + 1; 0: none
    int64_t  weight;     // of all rows of the group, now
} lt_row_chain;

// A row that the batch changed: its weight, or only its count.
typedef struct lt_row_touch {
    uint32_t slot, group;
    int64_t  weight_before, count_before;
} lt_row_touch;

typedef struct lt_chained_use {
    const lt_type *const *types;
    uint32_t              width;
    bool                  keeps_rows;
    bool                  is_growing; // rows only come, and none is forgotten
    bool                  has_counts;
} lt_chained_use;

typedef struct lt_chained_rows {
    lt_account    *account;
    lt_chained_use use;
    lt_row_store   store; // growing: slot = row
    lt_row_set     set;   // else: slot = number
    lt_row_chain  *chains;
    uint32_t       chain_capacity;               // groups
    uint32_t      *next, *previous, *touched_at; // by slot: slot + 1, index of the touch + 1
    int64_t       *weights, *counts;             // by slot
    uint32_t       capacity;                     // slots
    uint32_t       first_new;                    // growing: slots from here on are of this batch
    lt_row_touch  *touches;                      // changed_count of weights, the rest of counts alone
    uint32_t       touch_count, touch_capacity, changed_count;
    int64_t        next_place; // of rows that come without one
    lt_buffer      scratch;
} lt_chained_rows;

// use->types: borrowed until deinit.
leat_status lt_chained_rows_init(lt_chained_rows *self, const lt_chained_use *use, lt_account *account,
                                 leat_error *err);
// Room for chains of so many groups.
leat_status lt_chained_rows_reserve_groups(lt_chained_rows *self, uint32_t capacity, leat_error *err);
// Rows `rows` of the chunk, with its weights and places; rows[i] is of groups[i], whose chain has room. out_slots (may be
// NULL): of rows that were not there, else LT_NO_ROW.
leat_status lt_chained_rows_add(lt_chained_rows *self, const lt_chunk *chunk, const uint16_t *rows,
                                const uint32_t *groups, uint32_t count, lt_arena *scratch, uint32_t *out_slots,
                                leat_error *err);
// Adds to the count of a row.
leat_status lt_chained_rows_count(lt_chained_rows *self, uint32_t slot, uint32_t group, int64_t more, leat_error *err);
// Takes away what is left of a row; not where rows are growing.
leat_status lt_chained_rows_forget(lt_chained_rows *self, uint32_t slot, uint32_t group, leat_error *err);
// The rows of these slots as columns[0..width) in `arena`; LT_NO_ROW gives NULLs.
leat_status lt_chained_rows_gather(const lt_chained_rows *self, const uint32_t *slots, uint32_t count, lt_arena *arena,
                                   lt_vector *columns, leat_error *err);
int64_t     lt_chained_rows_place(const lt_chained_rows *self, uint32_t slot);
// What a row is now: its bytes, place, and weight, or slot where rows only come. And back: what is still to be added, behind
// the chunk's last row, if anything; the rows of one run are all different.
leat_status lt_chained_rows_save(lt_chained_rows *self, uint32_t slot, lt_buffer *out, leat_error *err);
leat_status lt_chained_rows_load(const lt_chained_rows *self, lt_reader *in, lt_chunk *into, int64_t *weights,
                                 int64_t *places, lt_arena *arena, leat_error *err);
// Ends the batch: rows of weight 0 leave, nothing is touched any more.
leat_status lt_chained_rows_settle(lt_chained_rows *self, leat_error *err);
void        lt_chained_rows_deinit(lt_chained_rows *self);

// Of the rows that the batch changed, how many are not there any more.
uint32_t lt_chained_rows_removed(const lt_chained_rows *self);
uint64_t lt_chained_rows_live(const lt_chained_rows *self);
uint64_t lt_chained_rows_bytes(const lt_chained_rows *self);

static inline uint32_t lt_chained_rows_slots(const lt_chained_rows *self) {
    return self->use.is_growing ? self->store.count : self->set.row_count;
}
static inline int64_t lt_chained_rows_weight(const lt_chained_rows *self, uint32_t slot) {
    return self->use.is_growing ? 1 : self->weights[slot];
}
// Whether this batch changed the weight of the row.
static inline bool lt_chained_rows_is_changed(const lt_chained_rows *self, uint32_t slot) {
    if (self->use.is_growing) return slot >= self->first_new;
    return self->touched_at[slot] != 0 && self->touched_at[slot] <= self->changed_count;
}
static inline int64_t lt_chained_rows_weight_before(const lt_chained_rows *self, uint32_t slot) {
    if (self->use.is_growing) return slot < self->first_new;
    return self->touched_at[slot] != 0 ? self->touches[self->touched_at[slot] - 1].weight_before : self->weights[slot];
}

#endif
