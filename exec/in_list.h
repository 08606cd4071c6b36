// in_list: the constants of x IN (1, 2, NULL) as a set that a whole chunk is looked up in.
//
// Ownership  memory in the arena given to open; borrows the constants.  Threads  one at a time.
// Errors     LEAT_NO_MEMORY.  Cost  a compare a constant and row up to 8 constants, one probe a row beyond.
#ifndef LT_EXEC_IN_LIST_H
#define LT_EXEC_IN_LIST_H

#include "planner/expression.h"

typedef struct lt_in_list {
    const lt_expression *expression;
    lt_kind              kind;
    bool                 has_null;  // among the constants
    uint32_t             count;     // of the others
    const void          *constants; // int64_t, or lt_int128 of decimals, or lt_string
    uint64_t             lengths;   // of texts: bit n: one of n bytes, bit 63: a longer one
    uint32_t            *slots;     // constant + 1 by hash; 0: none. NULL up to 8 constants
    uint32_t             slot_count;
} lt_in_list;

// Whether an IN node has only constants, of a type that this file knows.
bool        lt_in_list_fits(const lt_expression *expression);
leat_status lt_in_list_open(lt_in_list *list, const lt_expression *expression, lt_arena *arena, leat_error *err);
// found[row]: whether the lane of each row (ascending) is among the constants; lanes that are NULL give anything. Lanes
// of other rows may be written too.
void lt_in_list_find(const lt_in_list *list, const lt_vector *needle, const uint16_t *rows, uint32_t row_count,
                     uint8_t *found);

// As .test of a function, of the lanes of the needle.
bool lt_in_list_test(const lt_in_list *list, const lt_lanes *needle);

#endif
