// evaluate: bound expressions over chunks. The one place where expressions run: queries, standing queries, folding of
// constants, DEFAULTs and lambdas.
//
//     open (states of functions) -> run(chunk)* -> close
//
// A result has a lane for every row of the chunk; only lanes of the rows asked for are defined. AND, OR, CASE, COALESCE
// and IN evaluate later arguments only for the rows that still need them, so a guarded failure never raises.
//
// Ownership  an evaluator owns the states of its functions; results live in the arena given to run.  Threads  one at a
// time.
#ifndef LT_EXEC_EVALUATE_H
#define LT_EXEC_EVALUATE_H

#include "exec/shared_calls.h"

typedef struct lt_evaluator {
    lt_arena               arena;     // states of functions
    void                 **states;    // by expression id
    const lt_function    **functions; // whose states these are, for .close
    uint32_t               state_count;
    struct lt_in_list     *in_lists; // of IN nodes with constants only
    uint32_t               in_list_count;
    struct lt_conjunction *conjunctions; // what select knows of AND nodes
    uint32_t               conjunction_count;
    lt_shared_calls        shared;
    lt_evaluation         *evaluation;
} lt_evaluator;

// Rows of a chunk: NULL rows = all of them.
typedef struct lt_rows {
    const uint16_t *rows;
    uint32_t        count;
} lt_rows;

// Opens the states of all functions in `expressions` (NULL entries are skipped). Close also after a failed open.
leat_status lt_evaluator_open(lt_evaluator *evaluator, const lt_expression *const *expressions,
                              uint32_t expression_count, lt_evaluation *evaluation, lt_account *account,
                              leat_error *err);
// *out is flat or constant (columns of the chunk are borrowed). `rows` NULL: all rows.
leat_status lt_evaluator_run(lt_evaluator *evaluator, const lt_expression *expression, const lt_chunk *chunk,
                             const lt_rows *rows, lt_arena *arena, const lt_vector **out, leat_error *err);
// Several expressions over all rows, into out_columns by value: what they have in common is run once.
leat_status lt_evaluator_run_all(lt_evaluator *evaluator, const lt_expression *const *expressions, uint32_t count,
                                 const lt_chunk *chunk, lt_arena *arena, lt_vector *out_columns, leat_error *err);
// Rows for which a BOOLEAN expression is TRUE, ascending, into out_rows (room for the chunk's count).
leat_status lt_evaluator_select(lt_evaluator *evaluator, const lt_expression *predicate, const lt_chunk *chunk,
                                lt_arena *arena, uint16_t *out_rows, uint32_t *out_count, leat_error *err);
void        lt_evaluator_close(lt_evaluator *evaluator);

// The types of expressions, in a new array.
leat_status lt_expression_types(const lt_expression *const *expressions, uint32_t count, lt_arena *arena,
                                const lt_type ***out, leat_error *err);
// Evaluates an expression without columns once: its value in constant form.
leat_status lt_fold(const lt_expression *expression, lt_evaluation *evaluation, lt_arena *arena, const lt_vector **out,
                    leat_error *err);

#endif
