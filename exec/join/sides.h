// sides: two sides of a join that both change and both are kept; what DeltaJoin and DeltaAsofJoin share.
//
//     push        lt_join_rows_sort: keys of a delta, and which of its rows can meet any         -> rows chained per group
//     end_batch   lt_join_pairs: slots left and right, with weights                              -> chunks of both columns
//
// A side that does not stream is taken once and then is state as any other. Rows leave with the place of their left row.
//
// Ownership  a side owns its rows; pairs live in the arenas of the batch.        Threads  one at a time.
// Errors     those of exec/state/chained_rows.h; LT_CHECKPOINT_CORRUPT from loads.        Cost  O(1) a row and pair.
#ifndef LT_EXEC_JOIN_SIDES_H
#define LT_EXEC_JOIN_SIDES_H

#include "exec/operator.h"
#include "exec/state/chained_rows.h"

enum { LT_SIDE_LEFT = 0, LT_SIDE_RIGHT = 1 };

typedef struct lt_join_side {
    const lt_type             **types; // of the input
    const lt_expression *const *keys;
    uint32_t                    key_count;
    lt_evaluator                evaluator;
    lt_chained_rows             rows;
    bool                        is_static, is_taken;
} lt_join_side;

// `use`: what rows are kept with; their types and width are those of input `number`, and they grow where it only grows and
// `use` allows. `arena` lives as long as the
// side does.
leat_status lt_join_side_open(lt_join_side *side, lt_node *node, uint32_t number, const lt_expression *const *keys,
                              uint32_t key_count, const lt_chained_use *use, lt_arena *arena, leat_error *err);
void        lt_join_side_close(lt_join_side *side);
// Inputs that need not run: static ones that were taken.
uint32_t lt_join_sides_skip_mask(const lt_join_side sides[2]);
// At the end of a batch; whether all inputs had been taken before.
bool lt_join_sides_take(lt_join_side sides[2]);
// Adds what the batch changed to its counts.
void lt_join_sides_count(const lt_join_side sides[2], lt_batch *batch);

// Rows of a delta by what their keys can match.
typedef struct lt_join_rows {
    lt_vector *keys;
    uint16_t  *meeting, *lonely; // lonely: a NULL among the deciding keys
    uint32_t   meeting_count, lonely_count;
} lt_join_rows;

// The keys of a chunk's rows, in `arena`.
leat_status lt_join_side_keys(lt_join_side *side, const lt_chunk *chunk, lt_arena *arena, lt_vector **out,
                              leat_error *err);
// The first `deciding_count` keys decide, except for those that are null-safe.
leat_status lt_join_rows_sort(lt_join_side *side, const lt_chunk *delta, const bool *is_null_safe,
                              uint32_t deciding_count, lt_arena *arena, lt_join_rows *out, leat_error *err);
// Whether the row has a NULL among its keys [first, end) that are not null-safe.
bool lt_join_has_null(const bool *is_null_safe, const lt_vector *keys, uint32_t first, uint32_t end, uint32_t row);

// Pairs of slots, at most LT_CHUNK_ROWS_MAX.
typedef struct lt_join_pairs {
    lt_node      *node;
    lt_batch     *batch;
    lt_join_side *sides;
    uint32_t     *slots[2]; // LT_NO_ROW: NULLs
    int64_t      *weights, *places;
    uint32_t      count;
} lt_join_pairs;

leat_status lt_join_pairs_open(lt_join_pairs *self, lt_node *node, lt_join_side *sides, lt_batch *batch,
                               leat_error *err);
// The columns of both sides, in batch->scratch; the pairs stay.
leat_status lt_join_pairs_gather(const lt_join_pairs *self, lt_chunk *out, leat_error *err);
// Emits the pairs `passed` (NULL: all) of `both` whose weight is not 0.
leat_status lt_join_pairs_give(lt_join_pairs *self, lt_chunk *both, const uint16_t *passed, uint32_t passed_count,
                               leat_error *err);

// Saves: each part tells the present state of what it names, so that parts and batches may come in any order. A row's part
// begins with LT_JOIN_SAVE_ROW; other kinds are the operator's.
enum { LT_JOIN_SAVE_ROW = 1 };
leat_status lt_join_row_save(lt_join_side sides[2], uint32_t number, uint32_t slot, lt_buffer *out, leat_error *err);
// Rows of a side from *slot on, until `out` has `end` bytes or they have ended: *out_is_done. What was passed over counts
// in *passed_bytes.
leat_status lt_join_rows_save(lt_join_side sides[2], uint32_t number, uint32_t *slot, size_t end, size_t *passed_bytes,
                              bool *out_is_done, lt_buffer *out, leat_error *err);
// Behind the first LT_JOIN_SAVE_ROW: a run of rows of one side, no two of them equal, in `arena`.
leat_status lt_join_rows_load(lt_join_side sides[2], lt_reader *in, lt_arena *arena, uint32_t *out_number,
                              lt_chunk *out, leat_error *err);
leat_status lt_join_counters_save(const lt_join_side sides[2], uint8_t kind, lt_buffer *out, leat_error *err);
leat_status lt_join_counters_load(lt_join_side sides[2], lt_reader *in, leat_error *err);

#endif
