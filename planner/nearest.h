// nearest: which of some names is most like a mistyped one, without case.
//
//     lt_nearest nearest = {.wanted = "titel"};   lt_nearest_offer(&nearest, "title");   nearest.best -> "title"
//
// Ownership  borrows names.   Threads  any.   Cost  O(length * length) a name; names beyond 63 bytes are cut.
#ifndef LT_PLANNER_NEAREST_H
#define LT_PLANNER_NEAREST_H

#include <stddef.h>

typedef struct lt_nearest {
    const char *wanted;
    const char *best; // NULL: nothing offered yet
    size_t      best_distance;
} lt_nearest;

void lt_nearest_offer(lt_nearest *nearest, const char *name);

#endif
