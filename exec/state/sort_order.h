// sort_order: row numbers in the order of sort keys, in one place for ORDER BY, window functions and ordered
// aggregates. Stable: rows with equal keys keep their order of arrival.
//
//     key column -> prefix: 64 bits in the order of the key      'pear' -> 70 65 61 72 00 00 00 | 4      5 -> 80 .. 05
//
// A prefix is exact when equal prefixes mean equal keys; the others are told apart by further bytes or by comparing.
//
// Errors  LEAT_NO_MEMORY.  Cost  O(n) a key byte that varies for numbers and texts, O(n log n) comparisons otherwise;
// 32 bytes a row in `arena`.
#ifndef LT_EXEC_STATE_SORT_ORDER_H
#define LT_EXEC_STATE_SORT_ORDER_H

#include "planner/plan.h"

// Compares rows a and b by key columns (flat, one per key). < 0, 0, > 0.
int lt_sort_compare(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t a,
                    uint32_t b);
// Sorts order[0..count).
leat_status lt_sort_rows(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t *order,
                         uint32_t count, lt_arena *arena, leat_error *err);

// Whether values of a kind have prefixes; nested values and calendar intervals have none.
bool lt_sort_has_prefix(lt_kind kind);
// out[i * step]: the prefix of rows[i] (NULL: row i) of a flat or constant column, without the first skip_bytes bytes of
// a text, which must be there. Smaller comes first, whatever the direction of the key. That of a NULL is anything.
void lt_sort_prefixes(const lt_vector *column, bool is_descending, const uint32_t *rows, uint32_t count,
                      uint32_t skip_bytes, uint64_t *out, size_t step);
// Whether values of this prefix (of one call's skip_bytes) are equal.
bool lt_sort_is_exact(lt_kind kind, bool is_descending, uint64_t prefix);

#endif
