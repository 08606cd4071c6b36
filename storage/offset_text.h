// offset_text: offsets that are one number, as one-line JSON: {"rows":12}, {"logOffset":3}.
//
// Ownership  writes into the caller's array.   Threads  any.   Errors  none; a text that is none gives -1.
#ifndef LT_STORAGE_OFFSET_TEXT_H
#define LT_STORAGE_OFFSET_TEXT_H

#include <stdint.h>

enum { LT_OFFSET_TEXT_BYTES = 64 };

// `name` has at most 30 bytes; `value` is not negative.
void lt_offset_print(const char *name, int64_t value, char out[LT_OFFSET_TEXT_BYTES]);
// The number behind "name":, or -1. `text` may be NULL.
int64_t lt_offset_parse(const char *name, const char *text);

#endif
