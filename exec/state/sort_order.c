#include "exec/state/sort_order.h"

int lt_sort_compare(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t a,
                    uint32_t b) {
    for (uint32_t k = 0; k < key_count; k++) {
        bool is_null_a = lt_vector_is_null(columns[k], a), is_null_b = lt_vector_is_null(columns[k], b);
        if (is_null_a || is_null_b) {
            if (is_null_a == is_null_b) continue;
            return is_null_a == keys[k].is_nulls_first ? -1 : 1;
        }
        int order = lt_vector_compare(columns[k], a, columns[k], b);
        if (order != 0) return keys[k].is_descending ? -order : order;
    }
    return 0;
}

leat_status lt_sort_rows(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t *order,
                         uint32_t count, lt_arena *arena, leat_error *err) {
    uint32_t *other, *from = order;
    LT_TRY_NEW_ARRAY(other, arena, count + 1u, err);
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = count - start > width ? start + width : count;
            uint32_t end    = count - middle > width ? middle + width : count;
            uint32_t left = start, right = middle;
            for (uint32_t at = start; at < end; at++) {
                bool takes_left = left < middle && (right >= end || lt_sort_compare(columns, keys, key_count,
                                                                                    from[left], from[right]) <= 0);
                other[at]       = takes_left ? from[left++] : from[right++];
            }
        }
        uint32_t *swap = from;
        from           = other;
        other          = swap;
        if (width > UINT32_MAX / 2) break;
    }
    if (from != order) memcpy(order, from, sizeof *order * count);
    return LEAT_OK;
}
