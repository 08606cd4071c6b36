#include "shell/result.h"

#include <string.h>

// csv: RFC 4180 with a header; NULL is empty and the empty text is "", so that it reads back equal. Lines end with a
// newline alone. BINARY stands in base 64, as in JSON.

static void field_put(lt_shell_text *line, const char *bytes, size_t count) {
    bool is_plain = count > 0 && bytes[0] != ' ' && bytes[count - 1] != ' ';
    for (size_t i = 0; is_plain && i < count; i++)
        is_plain = bytes[i] != ',' && bytes[i] != '"' && bytes[i] != '\n' && bytes[i] != '\r';
    if (is_plain) {
        lt_text_append(line, bytes, count);
        return;
    }
    lt_text_append(line, "\"", 1);
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '"') lt_text_append(line, "\"", 1);
        lt_text_append(line, bytes + i, 1);
    }
    lt_text_append(line, "\"", 1);
}

static void line_end(lt_result *result) {
    lt_text_append(&result->line, "\n", 1);
    lt_result_lines_put(result, false);
}

static void csv_begin(lt_result *result) {
    result->line.bytes = 0;
    if (!result->show->has_header || result->column_count == 0) return;
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes;
        const char *name = leat_column_name(result->statement, c, &bytes);
        if (c > 0) lt_text_append(&result->line, ",", 1);
        field_put(&result->line, name, bytes);
    }
    line_end(result);
}

static void csv_row(lt_result *result) {
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t bytes;
        if (c > 0) lt_text_append(&result->line, ",", 1);
        const char *text = leat_column_text(result->statement, c, &bytes);
        if (text == NULL) {
            if (result->show->null_text != NULL) lt_text_put(&result->line, result->show->null_text);
        } else if (result->looks[c] == LT_COLUMN_PLAIN) {
            lt_text_append(&result->line, text, bytes);
        } else if (result->looks[c] == LT_COLUMN_BINARY) {
            const char *json = leat_column_json(result->statement, c, &bytes);
            if (bytes >= 2) field_put(&result->line, json + 1, bytes - 2);
        } else {
            field_put(&result->line, text, bytes);
        }
    }
    line_end(result);
}

static void csv_end(lt_result *result) { lt_result_lines_put(result, true); }

const lt_result_format lt_shell_formats_csv = {
    .name    = "csv",
    .begin   = csv_begin,
    .row     = csv_row,
    .end     = csv_end,
    .summary = "comma separated, RFC 4180; the default off a terminal",
};
