// cast: one row per pair of kinds that CAST can turn into each other; exec/casts/ is the registry.
//
// The rules are Spark's ANSI rules (spark-semantics 1.4). The same row serves CAST, TRY_CAST and implicit casts.
// ARRAY, MAP and STRUCT pairs are rows too: they cast their children through lt_cast_run.
#ifndef LT_BASE_CAST_H
#define LT_BASE_CAST_H

#include "base/function.h"

typedef struct lt_cast_call {
    const lt_vector *from; // flat or constant, `count` rows
    lt_vector       *into; // flat with room for `count` lanes, NULLs of `from` already set
    const lt_type   *from_type, *into_type;
    uint32_t         count;
    const uint16_t  *rows; // rows that are alive and not NULL
    uint32_t         row_count;
    bool             is_try; // a value that fails becomes NULL
    lt_arena        *arena;
    lt_evaluation   *evaluation;
    lt_place         place;
} lt_cast_call;

typedef struct lt_cast {
    lt_kind from, into;
    bool    can_fail;
    leat_status (*run)(lt_cast_call *call, leat_error *err);
} lt_cast;

// The row for a pair, or NULL when there is no such cast. Equal kinds without parameters need none.
const lt_cast *lt_cast_find(const lt_type *from, const lt_type *into);
// Whether CAST(from AS into) is allowed, at any depth. *out_condition: why not
// (DATATYPE_MISMATCH__CAST_WITHOUT_SUGGESTION, ...).
bool lt_cast_is_allowed(const lt_type *from, const lt_type *into, lt_condition *out_condition);
// Casts rows of `from` into a new vector. rows NULL: all `count`.
leat_status lt_cast_run(const lt_vector *from, const lt_type *into, const uint16_t *rows, uint32_t row_count,
                        uint32_t count, bool is_try, lt_arena *arena, lt_evaluation *evaluation, const lt_place *place,
                        const lt_vector **out, leat_error *err);
// A value fails: raises for CAST, sets NULL for TRY_CAST. Use as `return`-able status inside run loops with LT_TRY.
leat_status lt_cast_fail(lt_cast_call *call, uint32_t row, lt_condition condition, leat_error *err, const char *format,
                         ...) LT_PRINTF(5, 6);

extern const lt_cast *const lt_cast_registry[];

#endif
