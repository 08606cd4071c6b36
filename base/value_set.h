// value_set: values seen so far, each once, numbered from 0 in order of arrival; equality is that of GROUP BY.
//
//     add 5 -> 0   add NULL -> 1   add 5 -> 0 (not new)
//
// Ownership  borrows the vectors of its members; memory in `arena`.   Threads  one at a time.
// Cost       O(1) a value (a linear search up to 8 members, hashing of the encoded row beyond).
#ifndef LT_BASE_VALUE_SET_H
#define LT_BASE_VALUE_SET_H

#include "base/vector.h"

typedef struct lt_value_member {
    const lt_vector *vector;
    uint32_t         row;
    uint64_t         hash;
} lt_value_member;

typedef struct lt_value_set {
    lt_arena        *arena;
    lt_value_member *members;
    uint32_t         count, capacity;
    uint32_t        *slots; // member + 1; 0: free. NULL while the set is small
    uint32_t         slot_count;
} lt_value_set;

static inline void lt_value_set_init(lt_value_set *set, lt_arena *arena) { *set = (lt_value_set){.arena = arena}; }
// Number of the member, or UINT32_MAX.
leat_status lt_value_set_find(lt_value_set *set, const lt_vector *vector, uint32_t row, uint32_t *out, leat_error *err);
// `vector` must stay where it is as long as the set is used.
leat_status lt_value_set_add(lt_value_set *set, const lt_vector *vector, uint32_t row, uint32_t *out, bool *out_is_new,
                             leat_error *err);

#endif
