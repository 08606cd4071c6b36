#include "shell/result.h"

#include <string.h>
#include <strings.h>

enum { LINES_BYTES = 64 * 1024 };

const lt_result_format *lt_result_format_find(const char *name) {
    for (const lt_result_format *const *format = lt_result_format_registry; *format != NULL; format++)
        if (strcasecmp((*format)->name, name) == 0) return *format;
    return NULL;
}

const char *lt_result_format_nearest(const char *name) {
    const char *best          = lt_result_format_registry[0]->name;
    size_t      best_distance = SIZE_MAX;
    for (const lt_result_format *const *format = lt_result_format_registry; *format != NULL; format++) {
        const size_t distance = lt_word_distance(name, (*format)->name);
        if (distance < best_distance) {
            best_distance = distance;
            best          = (*format)->name;
        }
    }
    return best;
}

bool lt_column_is_number(const lt_result *result, uint32_t column) {
    static const char *const numbers[] = {"TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE"};
    const char              *type      = leat_column_type(result->statement, column);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(type, numbers[i]) == 0) return true;
    return strncmp(type, "DECIMAL", 7) == 0;
}

bool lt_column_is_binary(const lt_result *result, uint32_t column) {
    return strcmp(leat_column_type(result->statement, column), "BINARY") == 0;
}

lt_column_look lt_column_look_of(const lt_result *result, uint32_t column) {
    static const char *const plain[] = {"BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"};
    if (lt_column_is_binary(result, column)) return LT_COLUMN_BINARY;
    if (lt_column_is_number(result, column)) return LT_COLUMN_PLAIN;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(leat_column_type(result->statement, column), plain[i]) == 0) return LT_COLUMN_PLAIN;
    return LT_COLUMN_TEXT;
}

void lt_result_lines_put(lt_result *result, bool is_end) {
    if (!is_end && !result->is_live && result->line.bytes < LINES_BYTES) return;
    if (result->line.bytes > 0) lt_output_write(result->out, result->line.data, result->line.bytes);
    result->line.bytes = 0;
}

void lt_column_put_name(const lt_result *result, uint32_t column, lt_shell_text *out) {
    size_t      bytes;
    const char *name = leat_column_name(result->statement, column, &bytes);
    lt_text_put_visible(out, name, bytes);
}
