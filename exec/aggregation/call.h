// call: one call of an aggregate function over groups: its accumulators, its FILTER, its DISTINCT values.
//
//     open -> { add_groups, update(chunk, groups), finish(groups), remove_group }* -> close
//
// An aggregate whose accumulators are small while totals are gives way to its wider row when one is not: all accumulators
// are turned into those of the wider row, and the rows at hand are folded by it.
//
// Ownership  owns accumulators and values.  Threads  one at a time.  Cost  a chunk: one evaluation per argument and one
// call of the aggregate; nothing is copied unless rows are left out.
#ifndef LT_EXEC_AGGREGATION_CALL_H
#define LT_EXEC_AGGREGATION_CALL_H

#include "exec/operator.h"
#include "exec/state/distinct_values.h"

typedef struct lt_call_state {
    const lt_aggregate_call *call;
    const lt_aggregate      *function;
    const lt_type          **types; // of arguments, order keys behind them
    uint32_t                 input_count;
    const lt_expression    **inputs; // arguments, then WITHIN GROUP keys, then the FILTER or NULL
    lt_order_key            *order;  // directions of the WITHIN GROUP keys
    lt_evaluator             evaluator;
    lt_group_array           accumulators; // by group
    uint32_t                 group_count;  // accumulators that are written
    void                    *state;
    bool                     is_distinct; // has values
    lt_distinct_values      *values;
    uint32_t                 set; // its own of the values; set 0 owns them
} lt_call_state;

// Rows of a chunk and their groups.
typedef struct lt_call_rows {
    const lt_chunk *chunk;
    const uint16_t *rows; // NULL: all
    uint32_t        count;
    const uint32_t *groups;       // by row of `rows`
    bool            is_one_group; // all of `groups` are equal, and there is one
    int64_t         next_place;   // place of the chunk's first row, where it has none
} lt_call_rows;

leat_status lt_call_open(lt_call_state *self, lt_node *node, const lt_aggregate_call *call, lt_arena *arena,
                         leat_error *err);
// Counts the same DISTINCT values as `owner`, an earlier call that is updated before this one: one state for both. Before
// the first group.
leat_status lt_call_share_values(lt_call_state *self, const lt_call_state *owner, lt_arena *arena, leat_error *err);
// Groups up to `group_count` are there; new ones get accumulators.
leat_status lt_call_add_groups(lt_call_state *self, uint32_t group_count, lt_account *account, leat_error *err);
leat_status lt_call_update(lt_call_state *self, const lt_call_rows *rows, lt_batch *batch, lt_account *account,
                           leat_error *err);
// update in two steps: what it evaluates, and with these values, flat and without FILTER or DISTINCT, what it folds. Of
// from->chunk only rows, weights and places are looked at.
leat_status lt_call_values(lt_call_state *self, uint32_t input, const lt_chunk *chunk, lt_arena *arena,
                           const lt_vector **out, leat_error *err);
leat_status lt_call_fold(lt_call_state *self, const lt_call_rows *from, const lt_vector **values,
                         lt_evaluation *evaluation, lt_arena *arena, lt_account *account, leat_error *err);
// Whether rows may be folded by lt_call_fold whenever it suits, as long as those of each group keep their order: the
// values are lanes without children, and an accumulator is no more than its bytes.
bool lt_call_can_wait(const lt_call_state *self);
// The same call over other groups, of which there are none yet. It shares what `self` has opened; only its accumulators
// are its own, and lt_call_drop gives them back.
lt_call_state lt_call_again(const lt_call_state *self);
// Copies the accumulator of a group of `from`, which is as wide.
void lt_call_copy_group(lt_call_state *self, uint32_t group, const lt_call_state *from, uint32_t from_group);
void lt_call_drop(lt_call_state *self, lt_account *account);
// Whether parts of the rows can be folded apart.
bool lt_call_can_merge(const lt_call_state *self);
// Adds accumulators first .. first + count of `from`, a call that folded rows behind those of this one: each to its
// group of `groups`. Either may become that of the wider row.
leat_status lt_call_merge(lt_call_state *self, lt_call_state *from, uint32_t first, const uint32_t *groups,
                          uint32_t count, lt_account *account, leat_error *err);
// Results of groups[0..count) into lanes 0.. of `into`, which is new and has room; what it points at lives in `arena`.
leat_status lt_call_finish(lt_call_state *self, const uint32_t *groups, uint32_t count, lt_vector *into,
                           lt_evaluation *evaluation, lt_arena *arena, leat_error *err);
void        lt_call_remove_group(lt_call_state *self, uint32_t group, lt_account *account);
// One accumulator behind its number of bytes.
leat_status lt_call_save(const lt_call_state *self, uint32_t group, lt_buffer *out, leat_error *err);
leat_status lt_call_load(lt_call_state *self, uint32_t group, const char *bytes, size_t count, lt_account *account,
                         leat_error *err);
// `groups`: whose accumulators are alive.
void lt_call_close(lt_call_state *self, const lt_group_table *groups, lt_account *account);

#endif
