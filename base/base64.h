// base64: bytes as text of RFC 4648, with padding.
//
// Ownership  appends to a buffer of the caller.   Threads  any.
#ifndef LT_BASE_BASE64_H
#define LT_BASE_BASE64_H

#include "base/buffer.h"

leat_status lt_base64_encode(const void *bytes, size_t count, lt_buffer *out, leat_error *err);
// Blanks and line ends between characters are skipped; padding must be complete. *out_is_good false: malformed.
leat_status lt_base64_decode(const char *text, size_t bytes, lt_buffer *out, bool *out_is_good, leat_error *err);

#endif
