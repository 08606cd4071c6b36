// ascii: names, keywords and option values compare without case by their ASCII letters alone, whatever the locale of the
// host (strcasecmp takes INT and int for different words under a Turkish one).
//
// Ownership  borrows.      Threads  any.      Cost  O(bytes).
#ifndef LT_BASE_ASCII_H
#define LT_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline char lt_ascii_lower(char byte) { return byte >= 'A' && byte <= 'Z' ? (char)(byte | 0x20) : byte; }
static inline bool lt_ascii_is_digit(char byte) { return byte >= '0' && byte <= '9'; }
static inline bool lt_ascii_is_letter(char byte) { return (char)(byte | 0x20) >= 'a' && (char)(byte | 0x20) <= 'z'; }

// Below, at or above 0 as the first text comes before, is or comes behind the second; both end with NUL.
int lt_ascii_compare(const char *a, const char *b);
// The same over at most `bytes` bytes.
int lt_ascii_compare_bytes(const char *a, const char *b, size_t bytes);
// Both have `bytes` bytes, which may be NUL.
bool lt_ascii_equal(const char *a, const char *b, size_t bytes);

#endif
