// text_reader: strict reading of the text that leat writes itself: literals, numbers and hexadecimal in a fixed order.
//
// Ownership  borrows the text.   Threads  one at a time.   Errors  each call tells by false and then moves nothing.
#ifndef LT_STORAGE_CHECKPOINT_TEXT_READER_H
#define LT_STORAGE_CHECKPOINT_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_text_reader {
    const char *next, *end;
} lt_text_reader;

bool lt_text_literal(lt_text_reader *reader, const char *literal);
bool lt_text_u64(lt_text_reader *reader, uint64_t *out_value); // 1 to 20 digits
bool lt_text_i64(lt_text_reader *reader, int64_t *out_value);  // with an optional `-`
bool lt_text_hex(lt_text_reader *reader, size_t digits, uint64_t *out_value);
// The text up to `stop`, which is passed over; at most capacity - 1 bytes, NUL-terminated.
bool lt_text_word(lt_text_reader *reader, char stop, char *out_word, size_t capacity);
// `bytes` bytes as they are.
bool lt_text_bytes(lt_text_reader *reader, uint64_t bytes, const char **out_bytes);

#endif
