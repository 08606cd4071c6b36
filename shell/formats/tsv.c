#include "shell/result.h"

// tsv: values between tabs; tab, newline, carriage return and backslash are written \t \n \r \\, NULL is \N, as
// PostgreSQL's COPY and MySQL write them. BINARY stands in base 64.

static void field_put(lt_shell_text *line, const char *bytes, size_t count) {
    size_t plain = 0;
    while (plain < count && bytes[plain] != '\t' && bytes[plain] != '\n' && bytes[plain] != '\r' &&
           bytes[plain] != '\\')
        plain++;
    lt_text_append(line, bytes, plain);
    for (size_t i = plain; i < count; i++) {
        if (bytes[i] == '\t')
            lt_text_put(line, "\\t");
        else if (bytes[i] == '\n')
            lt_text_put(line, "\\n");
        else if (bytes[i] == '\r')
            lt_text_put(line, "\\r");
        else if (bytes[i] == '\\')
            lt_text_put(line, "\\\\");
        else
            lt_text_append(line, bytes + i, 1);
    }
}

static void line_end(lt_result *result) {
    lt_text_append(&result->line, "\n", 1);
    lt_result_lines_put(result, false);
}

static void tsv_begin(lt_result *result) {
    result->line.bytes = 0;
    if (!result->show->has_header || result->column_count == 0) return;
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes;
        const char *name = leat_column_name(result->statement, c, &bytes);
        if (c > 0) lt_text_append(&result->line, "\t", 1);
        field_put(&result->line, name, bytes);
    }
    line_end(result);
}

static void tsv_row(lt_result *result) {
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t bytes;
        if (c > 0) lt_text_append(&result->line, "\t", 1);
        const char *text = leat_column_text(result->statement, c, &bytes);
        if (text == NULL) {
            lt_text_put(&result->line, result->show->null_text != NULL ? result->show->null_text : "\\N");
        } else if (result->looks[c] == LT_COLUMN_PLAIN) {
            lt_text_append(&result->line, text, bytes);
        } else if (result->looks[c] == LT_COLUMN_BINARY) {
            const char *json = leat_column_json(result->statement, c, &bytes);
            if (bytes >= 2) lt_text_append(&result->line, json + 1, bytes - 2);
        } else {
            field_put(&result->line, text, bytes);
        }
    }
    line_end(result);
}

static void tsv_end(lt_result *result) { lt_result_lines_put(result, true); }

const lt_result_format lt_shell_formats_tsv = {
    .name    = "tsv",
    .begin   = tsv_begin,
    .row     = tsv_row,
    .end     = tsv_end,
    .summary = "tab separated; NULL is \\N",
};
