// text: growing bytes, and how text looks on a screen.
//
// Ownership  a text owns its bytes; lt_text_free gives them back.      Threads  one at a time.
// Errors     none: without memory the program says so and ends with 3; it keeps nothing that such an end could damage.
#ifndef LT_SHELL_TEXT_H
#define LT_SHELL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *lt_shell_reallocate(void *memory, size_t bytes); // never NULL
char *lt_shell_copy(const char *text, size_t bytes);   // ends with NUL; free() it

typedef struct lt_shell_text {
    char  *data; // ends with NUL once something was appended
    size_t bytes, capacity;
} lt_shell_text;

void lt_text_append(lt_shell_text *text, const char *bytes, size_t count);
void lt_text_put(lt_shell_text *text, const char *word); // ends with NUL
void lt_text_fill(lt_shell_text *text, char byte, size_t count);
void lt_text_format(lt_shell_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lt_text_free(lt_shell_text *text);

// Appends a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
void lt_text_put_json(lt_shell_text *text, const char *bytes, size_t count);
// Appends `bytes` with control and direction characters made visible (\n, \t, \u{1B}), so that data cannot steer a
// terminal; bytes that are no UTF-8 become U+FFFD.
void lt_text_put_visible(lt_shell_text *text, const char *bytes, size_t count);

// Cells that the text takes on a terminal, by grapheme cluster.
size_t lt_text_width(const char *bytes, size_t count);
// Bytes of the longest prefix of whole clusters that fits `width_max` cells; its cells go to *out_width.
size_t lt_text_cut(const char *bytes, size_t count, size_t width_max, size_t *out_width);

// Edit distance of two short words without case; large when they have little in common.
size_t lt_word_distance(const char *a, const char *b);

#endif
