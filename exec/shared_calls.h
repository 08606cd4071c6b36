// shared_calls: calls that stand several times in the expressions of an evaluator: each is run once a chunk.
//
//     split(url, '/')[3], split(url, '/')[4]   ->   one split
//
//     open -> { begin(chunk) -> { find -> its value, or the caller's turn to give one }* -> end }* -> close with the arena
//
// Only values of all rows of the chunk are kept: an argument behind a guard is run for the rows that need it.
//
// Ownership  slots live in the evaluator's arena; values are borrowed between begin and end.  Threads  one at a time.
// Cost       open: a comparison of each two calls of a function; afterwards O(1) a call.
#ifndef LT_EXEC_SHARED_CALLS_H
#define LT_EXEC_SHARED_CALLS_H

#include "planner/expression.h"

typedef struct lt_shared_calls {
    uint16_t         *slots;  // by call id, + 1; 0: it stands alone. NULL: all do
    const lt_vector **values; // by slot; NULL: not run yet
    uint32_t          id_count, slot_count;
    const lt_chunk   *chunk; // NULL: outside of begin and end
} lt_shared_calls;

// Calls of `expressions` (NULL entries are skipped), whose ids are below id_count. Those of lambda bodies, which run over
// rows of their own, and what is not deterministic stay alone.
leat_status lt_shared_calls_open(lt_shared_calls *self, const lt_expression *const *expressions,
                                 uint32_t expression_count, uint32_t id_count, lt_arena *arena, leat_error *err);
// False: somebody has begun already, who will end it.
bool lt_shared_calls_begin(lt_shared_calls *self, const lt_chunk *chunk);
void lt_shared_calls_end(lt_shared_calls *self);
// Where the value of a call over `chunk` is kept; NULL: nowhere.
static inline const lt_vector **lt_shared_calls_find(const lt_shared_calls *self, const lt_expression *call,
                                                     const lt_chunk *chunk) {
    if (self->slots == NULL || chunk != self->chunk || self->slots[call->id] == 0) return NULL;
    return &self->values[self->slots[call->id] - 1];
}

#endif
