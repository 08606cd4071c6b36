#include "base/edit_distance.h"

#include <stdint.h>

// Optimal string alignment over three rows. Source: Damerau, 1964; Wagner and Fischer, 1974.
size_t lt_edit_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    uint8_t rows[3][LT_EDIT_DISTANCE_BYTES_MAX + 1];
    if (a_bytes > LT_EDIT_DISTANCE_BYTES_MAX || b_bytes > LT_EDIT_DISTANCE_BYTES_MAX) return SIZE_MAX;
    for (size_t j = 0; j <= b_bytes; j++) rows[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= a_bytes; i++) {
        uint8_t       *now    = rows[i % 3];
        const uint8_t *last   = rows[(i + 2) % 3];
        const uint8_t *second = rows[(i + 1) % 3];
        now[0]                = (uint8_t)i;
        for (size_t j = 1; j <= b_bytes; j++) {
            uint32_t best = last[j - 1] + (a[i - 1] != b[j - 1] ? 1u : 0u);
            if (last[j] + 1u < best) best = last[j] + 1u;
            if (now[j - 1] + 1u < best) best = now[j - 1] + 1u;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && second[j - 2] + 1u < best)
                best = second[j - 2] + 1u;
            now[j] = (uint8_t)best;
        }
    }
    return rows[a_bytes % 3][b_bytes];
}
