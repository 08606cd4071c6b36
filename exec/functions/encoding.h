// encoding: what several functions on binary values share: base 64, base 16, character sets.
//
// Ownership  borrows; results go to the caller's buffer or room.   Threads  any.
#ifndef LT_EXEC_FUNCTIONS_ENCODING_H
#define LT_EXEC_FUNCTIONS_ENCODING_H

#include "base/function.h"

leat_status lt_mime_append(lt_buffer *out, lt_text bytes, leat_error *err);
// `out` has room for text.bytes. Lenient: other characters are skipped, '=' ends the text. Strict: blanks only may
// stand between, padding must be right. False: malformed, or a digit is left over.
bool lt_mime_decode(lt_text text, bool is_strict, char *out, size_t *out_bytes);

leat_status lt_hex_append(lt_buffer *out, lt_text bytes, leat_error *err);
// An odd number of digits gets a zero in front. False: a character is no digit.
bool lt_hex_decode(lt_text text, char *out, size_t *out_bytes);

typedef struct lt_charset lt_charset;
// By name in any case, or NULL.
const lt_charset *lt_charset_find(lt_text name);
// *out_fits: false when a character has no code in the set, or the bytes are none of it.
leat_status lt_charset_encode(const lt_charset *charset, lt_text text, lt_buffer *out, bool *out_fits, leat_error *err);
leat_status lt_charset_decode(const lt_charset *charset, lt_text bytes, lt_buffer *out, bool *out_fits,
                              leat_error *err);
#endif
