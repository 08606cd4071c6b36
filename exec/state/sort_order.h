// sort_order: row numbers in the order of sort keys, in one place for ORDER BY, window functions and ordered
// aggregates. Stable: rows with equal keys keep their order of arrival. Merge sort, O(n log n), scratch in `arena`.
#ifndef LT_EXEC_STATE_SORT_ORDER_H
#define LT_EXEC_STATE_SORT_ORDER_H

#include "planner/plan.h"

// Compares rows a and b by key columns (flat, one per key). < 0, 0, > 0.
int lt_sort_compare(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t a,
                    uint32_t b);
// Sorts order[0..count).
leat_status lt_sort_rows(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t *order,
                         uint32_t count, lt_arena *arena, leat_error *err);

#endif
