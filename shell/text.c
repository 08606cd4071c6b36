#include "shell/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

// text: width follows Unicode's grapheme clusters: a cluster is as wide as its widest character, a pair of regional
// indicators (a flag) is two cells.

void *lt_shell_reallocate(void *memory, size_t bytes) {
    void *moved = realloc(memory, bytes == 0 ? 1 : bytes);
    if (moved == NULL) {
        static const char message[] = "leat: error: out of memory\n";
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(3);
        _exit(3);
    }
    return moved;
}

char *lt_shell_copy(const char *text, size_t bytes) {
    char *copy = lt_shell_reallocate(NULL, bytes + 1);
    if (bytes > 0) memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

static void text_reserve(lt_shell_text *text, size_t more) {
    size_t wanted = text->bytes + more + 1;
    if (wanted <= text->capacity) return;
    size_t capacity = text->capacity < 64 ? 64 : text->capacity;
    while (capacity < wanted) capacity *= 2;
    text->data     = lt_shell_reallocate(text->data, capacity);
    text->capacity = capacity;
}

void lt_text_append(lt_shell_text *text, const char *bytes, size_t count) {
    text_reserve(text, count);
    if (count > 0) memcpy(text->data + text->bytes, bytes, count);
    text->bytes += count;
    text->data[text->bytes] = '\0';
}

void lt_text_put(lt_shell_text *text, const char *word) { lt_text_append(text, word, strlen(word)); }

void lt_text_fill(lt_shell_text *text, char byte, size_t count) {
    text_reserve(text, count);
    memset(text->data + text->bytes, byte, count);
    text->bytes += count;
    text->data[text->bytes] = '\0';
}

void lt_text_format(lt_shell_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count > 0) {
        text_reserve(text, (size_t)count);
        vsnprintf(text->data + text->bytes, (size_t)count + 1, format, again);
        text->bytes += (size_t)count;
    }
    va_end(again);
}

void lt_text_free(lt_shell_text *text) {
    free(text->data);
    *text = (lt_shell_text){0};
}

// The character at *at; U+FFFD for a byte that begins none. Moves behind it.
static int32_t character_next(const char *bytes, size_t count, size_t *at) {
    const unsigned char first = (unsigned char)bytes[*at];
    if (first < 0x80) {
        ++*at;
        return first;
    }
    utf8proc_int32_t       character;
    utf8proc_ssize_t       left = (utf8proc_ssize_t)(count - *at);
    const utf8proc_ssize_t used =
        utf8proc_iterate((const utf8proc_uint8_t *)bytes + *at, left > 4 ? 4 : left, &character);
    *at += used > 0 ? (size_t)used : 1;
    return used > 0 ? character : 0xFFFD;
}

static const char replacement[] = "\xEF\xBF\xBD";

void lt_text_put_json(lt_shell_text *text, const char *bytes, size_t count) {
    lt_text_append(text, "\"", 1);
    for (size_t at = 0; at < count;) {
        const size_t  begin     = at;
        const int32_t character = character_next(bytes, count, &at);
        if (character == '"' || character == '\\')
            lt_text_format(text, "\\%c", (char)character);
        else if (character == '\n')
            lt_text_put(text, "\\n");
        else if (character == '\t')
            lt_text_put(text, "\\t");
        else if (character == '\r')
            lt_text_put(text, "\\r");
        else if (character < 0x20)
            lt_text_format(text, "\\u%04x", (unsigned)character);
        else if (character == 0xFFFD)
            lt_text_put(text, replacement);
        else
            lt_text_append(text, bytes + begin, at - begin);
    }
    lt_text_append(text, "\"", 1);
}

static bool is_steering(int32_t character) {
    return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x61C || character == 0x200E ||
           character == 0x200F || (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xFEFF;
}

void lt_text_put_visible(lt_shell_text *text, const char *bytes, size_t count) {
    for (size_t at = 0; at < count;) {
        const size_t  begin     = at;
        const int32_t character = character_next(bytes, count, &at);
        if (character == '\n')
            lt_text_put(text, "\\n");
        else if (character == '\t')
            lt_text_put(text, "\\t");
        else if (character == '\r')
            lt_text_put(text, "\\r");
        else if (is_steering(character))
            lt_text_format(text, "\\u{%X}", (unsigned)character);
        else if (character == 0xFFFD)
            lt_text_put(text, replacement);
        else
            lt_text_append(text, bytes + begin, at - begin);
    }
}

size_t lt_text_cut(const char *bytes, size_t count, size_t width_max, size_t *out_width) {
    size_t           width = 0, cluster_begin = 0, cluster_width = 0;
    int32_t          previous = 0;
    utf8proc_int32_t state    = 0;
    for (size_t at = 0; at < count;) {
        const size_t  begin     = at;
        const int32_t character = character_next(bytes, count, &at);
        const bool    is_flag   = character >= 0x1F1E6 && character <= 0x1F1FF;
        const int     cells     = is_flag ? 2 : utf8proc_charwidth(character);
        const size_t  own       = cells > 0 ? (size_t)cells : 0;
        if (begin == 0 || utf8proc_grapheme_break_stateful(previous, character, &state)) {
            if (width + cluster_width > width_max) break;
            width += cluster_width;
            cluster_begin = begin;
            cluster_width = own;
        } else if (own > cluster_width) {
            cluster_width = own;
        }
        previous = character;
        if (at == count && width + cluster_width <= width_max) {
            *out_width = width + cluster_width;
            return count;
        }
    }
    *out_width = width;
    return count == 0 ? 0 : cluster_begin;
}

size_t lt_text_width(const char *bytes, size_t count) {
    size_t width = 0, plain = 0;
    while (plain < count && bytes[plain] >= 0x20 && bytes[plain] < 0x7F) plain++;
    if (plain == count) return count; // printable ASCII: a cell a byte
    (void)lt_text_cut(bytes, count, SIZE_MAX / 2, &width);
    return width;
}

static char lower(char letter) { return (char)(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter); }

size_t lt_word_distance(const char *a, const char *b) {
    enum { WORD_MAX = 40 };
    size_t row[WORD_MAX + 1];
    size_t a_bytes = strlen(a), b_bytes = strlen(b);
    if (a_bytes > WORD_MAX || b_bytes > WORD_MAX) return SIZE_MAX;
    for (size_t j = 0; j <= b_bytes; j++) row[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0]          = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const size_t above = row[j];
            size_t       best  = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j]   = best;
            diagonal = above;
        }
    }
    return row[b_bytes];
}
