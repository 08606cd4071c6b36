// utf8: text as characters: counting, walking, validity, case.
//
//     "a\xC3\xA9" -> 'a' U+00E9        a byte 10xxxxxx belongs to the character before it, valid or not
//
// Ownership  borrows everything.   Threads  any.   Errors  LEAT_NO_MEMORY, LEAT_LIMIT of the buffer alone.
// Cost       O(bytes); text that is all ASCII takes short cuts.
// Source     Unicode 13 by utf8proc; full case mapping by SpecialCasing.txt, without the rules of single languages.
#ifndef LT_BASE_UTF8_H
#define LT_BASE_UTF8_H

#include "base/buffer.h"

enum { LT_UTF8_REPLACEMENT = 0xFFFD, LT_UTF8_BYTES_MAX = 4 };

static inline bool lt_utf8_is_continuation(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }
// Characters in the text.
size_t lt_utf8_count(const char *text, size_t bytes);
// Offset of the character number `characters`, counted from `from`; `bytes` when the text ends before it.
size_t lt_utf8_skip(const char *text, size_t bytes, size_t from, size_t characters);
// Offset of the character that ends at `end`; 0 at the start.
size_t lt_utf8_before(const char *text, size_t end);
// Decodes the character at *at and moves behind it; -1 for a byte that begins no valid sequence, which is one step.
int32_t lt_utf8_decode(const char *text, size_t bytes, size_t *at);
// Writes a code point (surrogates too, as three bytes) and gives its bytes, 1..4.
size_t lt_utf8_encode(uint32_t code_point, char out[LT_UTF8_BYTES_MAX]);
bool   lt_utf8_is_ascii(const char *text, size_t bytes);
bool   lt_utf8_is_valid(const char *text, size_t bytes);
// Appends the text with each maximal part that is no UTF-8 replaced by U+FFFD.
leat_status lt_utf8_append_valid(lt_buffer *out, const char *text, size_t bytes, leat_error *err);
leat_status lt_utf8_append(lt_buffer *out, uint32_t code_point, leat_error *err);

bool lt_utf8_is_letter(uint32_t code_point);
bool lt_utf8_is_upper(uint32_t code_point);
bool lt_utf8_is_lower(uint32_t code_point);
bool lt_utf8_is_digit(uint32_t code_point);
// Full mapping: one character may become up to three (\u00DF -> SS); lower knows the final sigma. Bytes that are no
// UTF-8 become U+FFFD.
leat_status lt_utf8_append_upper(lt_buffer *out, const char *text, size_t bytes, leat_error *err);
leat_status lt_utf8_append_lower(lt_buffer *out, const char *text, size_t bytes, leat_error *err);
// The first character of each run without blanks in title case, the rest as it is.
leat_status lt_utf8_append_title(lt_buffer *out, const char *text, size_t bytes, leat_error *err);

#endif
