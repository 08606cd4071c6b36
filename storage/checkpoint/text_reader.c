#include "storage/checkpoint/text_reader.h"

#include <string.h>

bool lt_text_literal(lt_text_reader *reader, const char *literal) {
    size_t bytes = strlen(literal);
    if ((size_t)(reader->end - reader->next) < bytes || memcmp(reader->next, literal, bytes) != 0) return false;
    reader->next += bytes;
    return true;
}

bool lt_text_u64(lt_text_reader *reader, uint64_t *out_value) {
    const char *next  = reader->next;
    uint64_t    value = 0;
    for (; next < reader->end && *next >= '0' && *next <= '9'; next++) {
        if (__builtin_mul_overflow(value, 10u, &value)) return false;
        if (__builtin_add_overflow(value, (uint64_t)(*next - '0'), &value)) return false;
    }
    if (next == reader->next || next - reader->next > 20) return false;
    reader->next = next;
    *out_value   = value;
    return true;
}

bool lt_text_i64(lt_text_reader *reader, int64_t *out_value) {
    lt_text_reader copy        = *reader;
    bool           is_negative = lt_text_literal(&copy, "-");
    uint64_t       value;
    if (!lt_text_u64(&copy, &value) || value > INT64_MAX) return false;
    *reader    = copy;
    *out_value = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}

bool lt_text_hex(lt_text_reader *reader, size_t digits, uint64_t *out_value) {
    static const char alphabet[] = "0123456789abcdef";
    uint64_t          value      = 0;
    if ((size_t)(reader->end - reader->next) < digits) return false;
    for (size_t i = 0; i < digits; i++) {
        const char *digit = memchr(alphabet, reader->next[i], 16);
        if (digit == NULL) return false;
        value = value << 4 | (uint64_t)(digit - alphabet);
    }
    reader->next += digits;
    *out_value = value;
    return true;
}

bool lt_text_word(lt_text_reader *reader, char stop, char *out_word, size_t capacity) {
    const char *end = memchr(reader->next, stop, (size_t)(reader->end - reader->next));
    if (end == NULL || (size_t)(end - reader->next) >= capacity) return false;
    size_t bytes = (size_t)(end - reader->next);
    memcpy(out_word, reader->next, bytes);
    out_word[bytes] = '\0';
    reader->next    = end + 1;
    return true;
}

bool lt_text_bytes(lt_text_reader *reader, uint64_t bytes, const char **out_bytes) {
    if ((uint64_t)(reader->end - reader->next) < bytes) return false;
    *out_bytes = reader->next;
    reader->next += bytes;
    return true;
}
