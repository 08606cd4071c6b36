#include "shell/cells.h"

#include <stdlib.h>
#include <string.h>

// table: the layout of Spark's show(truncate = false): plain signs, everything to the left, columns at least three
// wide, control characters escaped, an empty line behind it. Widths are counted as Spark does, in halves of East Asian
// characters and in UTF-16 units, not as terminals do, so that both print the same bytes.

static uint32_t code_point(const unsigned char *bytes, size_t left, size_t *used) {
    if (bytes[0] < 0x80 || left < 2) return *used = 1, bytes[0];
    if (bytes[0] < 0xE0) return *used = 2, (uint32_t)(bytes[0] & 0x1F) << 6 | (bytes[1] & 0x3Fu);
    if (left < 3) return *used = 1, bytes[0];
    if (bytes[0] < 0xF0)
        return *used = 3, (uint32_t)(bytes[0] & 0x0F) << 12 | (uint32_t)(bytes[1] & 0x3F) << 6 | (bytes[2] & 0x3Fu);
    *used = left < 4 ? left : 4;
    return 0x10000; // its exact value does not matter: two units
}

static bool is_full_width(uint32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6) || c >= 0x10000;
}

static size_t show_width(const char *text, size_t bytes) {
    size_t width = 0;
    for (size_t at = 0; at < bytes;) {
        size_t         used;
        const uint32_t c = code_point((const unsigned char *)text + at, bytes - at, &used);
        width += is_full_width(c) ? 2 : 1;
        at += used;
    }
    return width;
}

static void cell_fill(lt_cell *cell, const char *text, size_t bytes) {
    static const char escaped[] = "\n\r\t\f\b\v\a", letters[] = "nrtfbva";
    lt_shell_text     shown = {0};
    lt_text_append(&shown, "", 0);
    for (size_t i = 0; i < bytes; i++) {
        const char *found = text[i] == '\0' ? NULL : strchr(escaped, text[i]);
        if (found != NULL)
            lt_text_format(&shown, "\\%c", letters[found - escaped]);
        else
            lt_text_append(&shown, text + i, 1);
    }
    *cell = (lt_cell){.text = shown.data, .bytes = shown.bytes, .width = show_width(shown.data, shown.bytes)};
}

static void table_begin(lt_result *result) {
    lt_cells *cells = lt_shell_reallocate(NULL, sizeof *cells);
    lt_cells_init(cells, result->column_count, 0);
    result->state  = cells;
    lt_cell *names = lt_cells_add(cells);
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes;
        const char *name = leat_column_name(result->statement, c, &bytes);
        cell_fill(&names[c], name, bytes);
    }
}

static void row_keep(lt_result *result, lt_cells *cells) {
    lt_cell *row = lt_cells_add(cells);
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes = 0;
        const char *text  = "NULL";
        if (!leat_column_is_null(result->statement, c))
            text = leat_column_display(result->statement, c, &bytes);
        else if (result->show->null_text != NULL)
            text = result->show->null_text;
        cell_fill(&row[c], text, leat_column_is_null(result->statement, c) ? strlen(text) : bytes);
    }
}

static void rule_put(lt_shell_text *line, const size_t *widths, uint32_t column_count) {
    for (uint32_t c = 0; c < column_count; c++) {
        lt_text_append(line, "+", 1);
        lt_text_fill(line, '-', widths[c]);
    }
    lt_text_put(line, "+\n");
}

static void row_put(lt_shell_text *line, const lt_cell *row, const size_t *widths, uint32_t column_count) {
    for (uint32_t c = 0; c < column_count; c++) {
        lt_text_append(line, "|", 1);
        lt_text_append(line, row[c].text, row[c].bytes);
        if (widths[c] > row[c].width) lt_text_fill(line, ' ', widths[c] - row[c].width);
    }
    lt_text_put(line, "|\n");
}

static void widths_measure(const lt_cells *cells, size_t *widths) {
    for (uint32_t c = 0; c < cells->column_count; c++) {
        widths[c] = 3;
        for (uint64_t r = 0; r < cells->count; r++)
            if (cells->rows[r][c].width > widths[c]) widths[c] = cells->rows[r][c].width;
    }
}

// A live result is a table that never closes: header with the widths of the first row, then rows as they come.
static void live_row(lt_result *result) {
    lt_cells *cells = result->state;
    row_keep(result, cells);
    size_t *widths = lt_shell_reallocate(NULL, (cells->column_count + 1u) * sizeof *widths);
    // Only the header and the first row are kept, so that later widths are theirs.
    lt_cell *row = cells->rows[cells->count - 1];
    cells->count = cells->count > 2 ? 2 : cells->count;
    widths_measure(cells, widths);
    result->line.bytes = 0;
    if (result->row_count == 1) {
        rule_put(&result->line, widths, cells->column_count);
        row_put(&result->line, cells->rows[0], widths, cells->column_count);
        rule_put(&result->line, widths, cells->column_count);
    }
    row_put(&result->line, row, widths, cells->column_count);
    lt_output_write(result->out, result->line.data, result->line.bytes);
    if (result->row_count > 1) {
        for (uint32_t c = 0; c < cells->column_count; c++) free(row[c].text);
        free(row);
    }
    free(widths);
}

static void table_row(lt_result *result) {
    if (result->is_live)
        live_row(result);
    else
        row_keep(result, result->state);
}

static void table_end(lt_result *result) {
    lt_cells *cells  = result->state;
    size_t   *widths = lt_shell_reallocate(NULL, (cells->column_count + 1u) * sizeof *widths);
    widths_measure(cells, widths);
    result->line.bytes = 0;
    if (!result->is_live || result->row_count == 0) {
        rule_put(&result->line, widths, cells->column_count);
        row_put(&result->line, cells->rows[0], widths, cells->column_count);
        rule_put(&result->line, widths, cells->column_count);
        for (uint64_t r = 1; r < cells->count; r++) {
            row_put(&result->line, cells->rows[r], widths, cells->column_count);
            if (result->line.bytes < 64 * 1024) continue;
            lt_output_write(result->out, result->line.data, result->line.bytes);
            result->line.bytes = 0;
        }
    }
    if (!result->is_live || result->row_count > 0) rule_put(&result->line, widths, cells->column_count);
    lt_text_put(&result->line, "\n");
    lt_output_write(result->out, result->line.data, result->line.bytes);
    free(widths);
    lt_cells_free(cells);
    free(cells);
}

const lt_result_format lt_shell_formats_table = {
    .name          = "table",
    .begin         = table_begin,
    .row           = table_row,
    .end           = table_end,
    .is_for_people = true,
    .summary       = "the layout of Spark's show(truncate = false)",
};
