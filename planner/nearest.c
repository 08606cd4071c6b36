#include "planner/nearest.h"

#include <string.h>

enum { NAME_BYTES_MAX = 63 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

// Levenshtein with neighbours that changed places as one mistake; three rows at a time.
static size_t distance(const char *a, const char *b) {
    size_t       rows[3][NAME_BYTES_MAX + 1];
    const size_t a_bytes = strnlen(a, NAME_BYTES_MAX);
    const size_t b_bytes = strnlen(b, NAME_BYTES_MAX);
    for (size_t j = 0; j <= b_bytes; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t       *row   = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const char   x = lower(a[i - 1]), y = lower(b[j - 1]);
            const size_t replaced = above[j - 1] + (x != y);
            const size_t dropped  = 1 + (above[j] < row[j - 1] ? above[j] : row[j - 1]);
            row[j]                = replaced < dropped ? replaced : dropped;
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]) && second[j - 2] + 1 < row[j])
                row[j] = second[j - 2] + 1;
        }
    }
    return rows[a_bytes % 3][b_bytes];
}

static size_t common_prefix(const char *a, const char *b) {
    size_t bytes = 0;
    while (a[bytes] != '\0' && lower(a[bytes]) == lower(b[bytes])) bytes++;
    return bytes;
}

// Of names that are equally far the one that begins like the wanted one: people mistype the middle and the end.
void lt_nearest_offer(lt_nearest *nearest, const char *name) {
    const size_t found = distance(nearest->wanted, name);
    if (nearest->best != NULL &&
        (found > nearest->best_distance ||
         (found == nearest->best_distance &&
          common_prefix(nearest->wanted, name) <= common_prefix(nearest->wanted, nearest->best))))
        return;
    nearest->best          = name;
    nearest->best_distance = found;
}
