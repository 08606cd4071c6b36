#include "planner/nearest.h"

#include <string.h>

enum { NAME_BYTES_MAX = 63 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

// Levenshtein, one row at a time.
static size_t distance(const char *a, const char *b) {
    size_t       row[NAME_BYTES_MAX + 1];
    const size_t a_bytes = strnlen(a, NAME_BYTES_MAX);
    const size_t b_bytes = strnlen(b, NAME_BYTES_MAX);
    for (size_t j = 0; j <= b_bytes; j++) row[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0]          = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            const size_t dropped  = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal              = row[j];
            row[j]                = replaced < dropped ? replaced : dropped;
        }
    }
    return row[b_bytes];
}

void lt_nearest_offer(lt_nearest *nearest, const char *name) {
    const size_t found = distance(nearest->wanted, name);
    if (nearest->best != NULL && found >= nearest->best_distance) return;
    nearest->best          = name;
    nearest->best_distance = found;
}
