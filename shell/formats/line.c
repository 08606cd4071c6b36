#include "shell/result.h"

// line: `name = value`, a line per column and a blank line between rows; for rows too wide for a table.

static void line_begin(lt_result *result) { (void)result; }

static void line_row(lt_result *result) {
    size_t name_width = 0;
    for (uint32_t c = 0; c < result->column_count; c++) {
        result->line.bytes = 0;
        lt_column_put_name(result, c, &result->line);
        const size_t width = lt_text_width(result->line.data, result->line.bytes);
        if (width > name_width) name_width = width;
    }
    if (result->row_count > 1) lt_output_put(result->out, "\n");
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes;
        const char *name   = leat_column_name(result->statement, c, &bytes);
        result->line.bytes = 0;
        lt_text_put_visible(&result->line, name, bytes);
        const size_t shown = lt_text_width(result->line.data, result->line.bytes);
        result->line.bytes = 0;
        lt_text_fill(&result->line, ' ', name_width - shown);
        lt_text_put_visible(&result->line, name, bytes);
        lt_text_put(&result->line, " = ");
        if (leat_column_is_null(result->statement, c)) {
            lt_text_put(&result->line, result->show->null_text != NULL ? result->show->null_text : "NULL");
        } else {
            const char *text = leat_column_display(result->statement, c, &bytes);
            lt_text_put_visible(&result->line, text, bytes);
        }
        lt_text_append(&result->line, "\n", 1);
        lt_output_write(result->out, result->line.data, result->line.bytes);
    }
}

static void line_end(lt_result *result) { (void)result; }

const lt_result_format lt_shell_formats_line = {
    .name          = "line",
    .begin         = line_begin,
    .row           = line_row,
    .end           = line_end,
    .is_for_people = true,
    .summary       = "a line per column, a blank line between rows",
};
