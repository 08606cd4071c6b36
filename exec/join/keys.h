// keys: what the operators of a join have in common: keys of a chunk, and which rows these let match.
//
// Ownership  vectors and row numbers are in the caller's arena.  Threads  one at a time.  Errors  of evaluation.
// Cost       O(rows).
#ifndef LT_EXEC_JOIN_KEYS_H
#define LT_EXEC_JOIN_KEYS_H

#include "exec/operator.h"

// Rows whose first `key_count` keys can all match (NULLs only where null-safe), ascending; *out_rows NULL: all do.
leat_status lt_join_rows_that_match(const lt_plan *plan, const lt_vector *keys, uint32_t key_count, uint32_t row_count,
                                    lt_arena *arena, uint16_t **out_rows, uint32_t *out_count, leat_error *err);
// Keys of a chunk as contiguous vectors, and the rows that they let match.
leat_status lt_join_keys(const lt_plan *plan, lt_evaluator *evaluator, const lt_expression *const *keys,
                         const lt_chunk *chunk, lt_arena *arena, lt_vector **out_keys, uint16_t **out_rows,
                         uint32_t *out_count, leat_error *err);
// By column of left ++ right: whether the residual reads it.
leat_status lt_join_residual_reads(const lt_plan *plan, lt_arena *arena, bool **out, leat_error *err);

#endif
