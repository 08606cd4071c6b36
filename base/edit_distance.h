// edit_distance: how far two words are apart, for "did you mean".
//
// Ownership  borrows.      Threads  any.      Limits  words of up to LT_EDIT_DISTANCE_BYTES_MAX bytes; longer ones are
// far apart.      Cost  O(a * b).
#ifndef LT_BASE_EDIT_DISTANCE_H
#define LT_BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum { LT_EDIT_DISTANCE_BYTES_MAX = 64 };

// Insertions, deletions, substitutions and swaps of neighbours; SIZE_MAX beyond the limit. Bytes count, case too.
size_t lt_edit_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

#endif
