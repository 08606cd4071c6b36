// base64: bytes as text of RFC 4648, with padding.
//
// Ownership  appends to a buffer of the caller.   Threads  any.
#ifndef LT_BASE_BASE64_H
#define LT_BASE_BASE64_H

#include "base/buffer.h"

leat_status lt_base64_encode(const void *bytes, size_t count, lt_buffer *out, leat_error *err);

typedef enum lt_base64_outcome {
    LT_BASE64_GOOD,
    LT_BASE64_BAD,     // a character that has no place there, or padding is missing
    LT_BASE64_FOREIGN, // so is one beyond ASCII
    LT_BASE64_CUT,     // the text ends behind the first character of a group or within its padding
} lt_base64_outcome;

// Blanks and control characters between groups are skipped; padding must be complete.
leat_status lt_base64_decode(const char *text, size_t bytes, lt_buffer *out, lt_base64_outcome *outcome,
                             leat_error *err);

#endif
