// generator: the contract of functions that give rows: explode, inline, stack, ... exec/generators/ is the registry.
//
//     explode(array('a', 'b'))  ->  col: a     The binder appends the output fields to the columns of the input; the
//                                   col: b     Generate operator runs `generate` once for each input row.
//
// Ownership  output columns belong to the caller; bytes of texts may be shared with the arguments.
// Threads    one at a time.      Cost  O(rows given).
#ifndef LT_BASE_GENERATOR_H
#define LT_BASE_GENERATOR_H

#include "base/function.h"

typedef struct lt_generator lt_generator;

typedef struct lt_generator_call {
    const lt_generator     *generator;
    const lt_vector *const *arguments; // flat or constant
    uint32_t                argument_count;
    const lt_vector *const *constants; // values of foldable arguments, else NULL
    uint32_t                row;       // of the arguments
    lt_vector              *columns;   // output, flat: generate appends to each the same number of lanes
    uint32_t                column_count;
    lt_arena               *arena; // for bytes and children of the columns, and scratch
    lt_evaluation          *evaluation;
    lt_place                place;
} lt_generator_call;

struct lt_generator {
    const char *name;     // lower case
    bool        is_outer; // a row of NULLs where generate gives none (the operator appends it)
    // Checks the arguments, sets resolution->types to what they shall be cast to and resolution->result to a STRUCT
    // whose fields are the output columns. Raises its own errors.
    leat_status (*resolve)(lt_resolution *resolution, leat_error *err);
    leat_status (*generate)(lt_generator_call *call, uint32_t *out_count, leat_error *err);
    const char *summary, *example, *example_result;
};

extern const lt_generator *const lt_generator_registry[]; // one array per file, ended by NULL

#endif
