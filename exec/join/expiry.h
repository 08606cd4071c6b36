// expiry: when the rows of a join that follows both of its sides leave its state though nobody took them away.
//
//     push        late rows go; a row that is kept gets a timer           end_batch   rows that are due, a chunk at a time
//
// A row is due when the watermark says that it, and every row that it may meet, is final: with a time among the keys when
// that time has passed, with a range of times when the latest possible partner has no more partners to come either. So
// what the join gave stays as it is, and counts of partners need no care. A row of a side that changes also waits for its
// own event time: from then on what would take it away is late.
//
// Ownership  owns its timers.  Threads  one at a time.  Errors  LEAT_NO_MEMORY.
// Cost       O(log rows) a row; 16 bytes a row that is kept. Timers are not saved: rows that are loaded get theirs anew.
#ifndef LT_EXEC_JOIN_EXPIRY_H
#define LT_EXEC_JOIN_EXPIRY_H

#include "exec/join/sides.h"
#include "exec/state/timer_heap.h"
#include "planner/stream_join.h"

typedef struct lt_join_expiry {
    bool            is_on; // else nothing is late and no row ever due
    lt_stream_bound bounds[2];
    bool            is_changing[2];
    lt_timer_heap   timers[2]; // group_index: slot
} lt_join_expiry;

void lt_join_expiry_init(lt_join_expiry *self, const lt_plan *join, lt_account *account);
void lt_join_expiry_deinit(lt_join_expiry *self);
// The rows of `delta`, of input `number`, that are not late; the others are counted and given as late. *out lives in
// batch->scratch or is `delta`.
leat_status lt_join_expiry_drop_late(const lt_join_expiry *self, lt_node *node, uint32_t number, const lt_chunk *delta,
                                     lt_batch *batch, const lt_chunk **out, leat_error *err);
// Timers for rows[0..count) of the chunk, which now are in slots[0..count) of side `number` (LT_NO_ROW: has one).
leat_status lt_join_expiry_note(lt_join_expiry *self, const lt_node *node, uint32_t number, const lt_chunk *delta,
                                const lt_vector *keys, const uint16_t *rows, const uint32_t *slots, uint32_t count,
                                leat_error *err);

typedef struct lt_expired_rows {
    uint32_t  *slots; // a slot may come more than once
    lt_vector *keys;
    uint32_t   count; // 0: no row is due any more
} lt_expired_rows;

// The next rows of side `number` that are due at close_us, in `arena`; at most LT_CHUNK_ROWS_MAX.
leat_status lt_join_expiry_take(lt_join_expiry *self, const lt_node *node, lt_join_side *side, uint32_t number,
                                int64_t close_us, lt_arena *arena, lt_expired_rows *out, leat_error *err);

#endif
