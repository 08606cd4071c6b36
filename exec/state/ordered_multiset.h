// ordered_multiset: values with counts, in order: what min and max need where values can go again.
//
//     {-3: 1, 0: 4, 17: 2}      first() -> -3, last() -> 17      add(-3, -1): the first is 0 now
//
// Order is that of ORDER BY (lt_vector_compare): each value has a key whose bytes compare as the values do.
//
// Ownership  memory of the account given to each call; the struct is zeros at birth and may be moved as bytes.
// Threads    one at a time.     Errors  LEAT_NO_MEMORY; LEAT_INTERNAL when a value is taken that is not there. Nothing
//            changed then.
// Cost       add O(log n) comparisons and the move of what lies behind (24 bytes a value); first and last O(1).
#ifndef LT_EXEC_STATE_ORDERED_MULTISET_H
#define LT_EXEC_STATE_ORDERED_MULTISET_H

#include "base/vector.h"

typedef struct lt_multiset_entry {
    char    *bytes; // key, then the value as lt_row_encode gives it
    uint32_t key_bytes, value_bytes;
    int64_t  weight; // > 0
} lt_multiset_entry;

typedef struct lt_ordered_multiset {
    lt_multiset_entry *entries; // keys ascending, each once
    uint32_t           count, capacity;
} lt_ordered_multiset;

// Adds `weight` to the count of a value. `scratch`: any buffer, its content is lost.
leat_status lt_ordered_multiset_add(lt_ordered_multiset *set, const lt_vector *vector, uint32_t row, int64_t weight,
                                    lt_buffer *scratch, lt_account *account, leat_error *err);
static inline const lt_multiset_entry *lt_ordered_multiset_first(const lt_ordered_multiset *set) {
    return set->count == 0 ? NULL : &set->entries[0];
}
static inline const lt_multiset_entry *lt_ordered_multiset_last(const lt_ordered_multiset *set) {
    return set->count == 0 ? NULL : &set->entries[set->count - 1];
}
// The value of an entry behind the last lane of `into`.
leat_status lt_multiset_entry_append(const lt_multiset_entry *entry, lt_vector *into, lt_arena *arena, leat_error *err);
leat_status lt_ordered_multiset_save(const lt_ordered_multiset *set, lt_buffer *out, leat_error *err);
leat_status lt_ordered_multiset_load(lt_ordered_multiset *set, lt_reader *in, lt_account *account, leat_error *err);
void        lt_ordered_multiset_close(lt_ordered_multiset *set, lt_account *account);

// Appends bytes that compare (memcmp, shorter first) as rows do: NULL first, NaN last, -0.0 as 0.0. The type must be
// orderable.
leat_status lt_order_key_append(const lt_vector *vector, uint32_t row, lt_buffer *out, leat_error *err);

#endif
