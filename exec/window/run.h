// run: the functions of one OVER over rows of its partitions: what both window operators compute with.
//
//     open -> { append* -> [sort] -> compute -> reset }* -> close
//
// Rows are kept as columns: partition number, input columns, order keys, then the inputs of each call. Results stand in
// window order, a vector per call.
//
// A part of a partition can be computed alone: `parts` tell where its rows begin (with a mark: what the rows before come
// to) and from which row on results are wanted. A mark is taken at the first of equal rows only.
//
// Ownership  owns its rows; results and marks are in `work`, valid until reset.    Threads  one at a time.
// Errors     those of the expressions and aggregates; LEAT_NO_MEMORY, LEAT_LIMIT.
// Cost       sort O(n log n); compute O(n), and O(rows of the frame) a row for sliding frames of aggregates that are not
//            linear.
#ifndef LT_EXEC_WINDOW_RUN_H
#define LT_EXEC_WINDOW_RUN_H

#include "exec/operator.h"
#include "exec/state/row_store.h"
#include "exec/window/frame.h"
#include "exec/window/function.h"

typedef struct lt_window_run_call {
    const lt_window_call *call;
    uint32_t              input_count, first_column; // in the store: arguments and WITHIN GROUP keys, then FILTER
    const lt_expression **inputs;
    const lt_type       **types;
    lt_order_key         *order; // directions of the WITHIN GROUP keys
    void                 *state; // of the aggregate
    bool                  is_running;
    size_t                mark_offset; // of its accumulator in a mark; is_running
} lt_window_run_call;

typedef struct lt_window_run {
    const lt_plan        *plan;
    lt_account           *account;
    lt_evaluation        *evaluation;
    lt_evaluator          evaluator;
    lt_row_store          rows;
    const lt_type       **types; // of the store
    uint32_t              width, first_order_column;
    const lt_expression **expressions;
    uint32_t              expression_count;
    lt_window_run_call   *calls;
    size_t                mark_bytes; // accumulators of all running calls
    lt_arena              arena, work, scratch;
} lt_window_run;

// The partition as it is before one of its rows, the first of its peers.
typedef struct lt_window_mark {
    uint32_t rows_before, peers_before;
    char    *accumulators; // mark_bytes
} lt_window_mark;

// Rows of one partition among those that were appended, in order.
typedef struct lt_window_part {
    uint32_t              first, end, wanted_first; // positions; results before wanted_first are undefined
    const lt_window_mark *from;                     // at `first`; NULL: nothing lies before that counts
    bool                  wants_marks;
    lt_window_mark       *marks; // out: ascending, not before wanted_first; the last is that of the last peers
    uint32_t              mark_count;
} lt_window_part;

// Whether a mark holds what the call needs of the rows before: aggregates from the first row to the present one whose
// accumulators are plain, and ranks.
bool lt_window_call_is_running(const lt_window_call *call);

leat_status lt_window_run_open(lt_window_run *run, const lt_plan *plan, lt_evaluation *evaluation, lt_account *account,
                               leat_error *err); // close also after a failed open
// partitions[i]: of row i of the chunk.
leat_status lt_window_run_append(lt_window_run *run, const lt_chunk *chunk, const uint32_t *partitions, lt_arena *arena,
                                 leat_error *err);
// *out: rows in window order; partitions by number.
leat_status lt_window_run_sort(lt_window_run *run, uint32_t **out, leat_error *err);
// parts: one per partition, in order; NULL: whole partitions.
leat_status lt_window_run_compute(lt_window_run *run, const uint32_t *sorted, lt_window_part *parts,
                                  uint32_t part_count, lt_vector **out_results, leat_error *err);
// Rows `rows` of the store with the results at `positions` as a chunk of the node's output, without weights and places.
leat_status lt_window_run_gather(lt_window_run *run, const lt_vector *results, const uint32_t *rows,
                                 const uint32_t *positions, uint32_t count, lt_arena *arena, lt_chunk *out,
                                 leat_error *err);
leat_status lt_window_run_reset(lt_window_run *run, leat_error *err); // no rows
void        lt_window_run_close(lt_window_run *run);

#endif
