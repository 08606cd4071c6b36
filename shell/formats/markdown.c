#include "shell/result.h"

// markdown: a table as GitHub reads it; numbers to the right. A bar in a value is written \|, a line break <br>.

static void cell_put(lt_shell_text *line, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '|')
            lt_text_put(line, "\\|");
        else if (bytes[i] == '\n')
            lt_text_put(line, "<br>");
        else if (bytes[i] != '\r')
            lt_text_append(line, bytes + i, 1);
    }
}

static void line_write(lt_result *result) {
    lt_text_put(&result->line, "|\n");
    lt_output_write(result->out, result->line.data, result->line.bytes);
    result->line.bytes = 0;
}

static void markdown_begin(lt_result *result) {
    result->line.bytes = 0;
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes;
        const char *name = leat_column_name(result->statement, c, &bytes);
        lt_text_put(&result->line, "| ");
        cell_put(&result->line, name, bytes);
        lt_text_put(&result->line, " ");
    }
    line_write(result);
    for (uint32_t c = 0; c < result->column_count; c++)
        lt_text_put(&result->line, lt_column_is_number(result, c) ? "|---:" : "|---");
    line_write(result);
}

static void markdown_row(lt_result *result) {
    result->line.bytes = 0;
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t bytes;
        lt_text_put(&result->line, "| ");
        if (leat_column_is_null(result->statement, c)) {
            lt_text_put(&result->line, result->show->null_text != NULL ? result->show->null_text : "NULL");
        } else {
            const char *text = leat_column_display(result->statement, c, &bytes);
            cell_put(&result->line, text, bytes);
        }
        lt_text_put(&result->line, " ");
    }
    line_write(result);
}

static void markdown_end(lt_result *result) { (void)result; }

const lt_result_format lt_shell_formats_markdown = {
    .name    = "markdown",
    .begin   = markdown_begin,
    .row     = markdown_row,
    .end     = markdown_end,
    .summary = "a table as GitHub reads it",
};
