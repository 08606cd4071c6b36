#include "shell/cells.h"

#include <stdlib.h>
#include <string.h>

// box: for people on a terminal: names and types in the head, numbers aligned by their point, NULL dim, control
// characters visible. A result wider than the screen first loses width in its widest columns, then its middle columns;
// one of more rows than rows_max shows its first and last ones. What is left out is told in the result.

enum { SHRUNK_WIDTH_MIN = 8 };

typedef struct box {
    lt_cells cells;     // rows 0 and 1: names and types
    size_t  *widths;    // by column, cells
    size_t  *fractions; // cells behind the point, the widest of the column
    bool    *is_number, *is_hidden;
} box;

typedef struct signs {
    const char *bar, *line, *top[3], *middle[3], *bottom[3], *dots, *gap;
} signs;

static const signs unicode_signs = {
    "\u2502", "\u2500", {"\u250C", "\u252C", "\u2510"}, {"\u251C", "\u253C", "\u2524"}, {"\u2514", "\u2534", "\u2518"},
    "\u2026", "\u00B7",
};
static const signs ascii_signs = {"|", "-", {"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}, "~", "."};

static const signs *signs_of(const lt_result *result) {
    return result->show->has_unicode ? &unicode_signs : &ascii_signs;
}

static void cell_fill(lt_cell *cell, const char *text, size_t bytes) {
    lt_shell_text shown = {0};
    lt_text_append(&shown, "", 0);
    lt_text_put_visible(&shown, text, bytes);
    *cell = (lt_cell){.text = shown.data, .bytes = shown.bytes, .width = lt_text_width(shown.data, shown.bytes)};
}

static size_t fraction_of(const lt_cell *cell) {
    const char *point = cell->is_null ? NULL : memchr(cell->text, '.', cell->bytes);
    return point == NULL ? 0 : cell->bytes - (size_t)(point - cell->text);
}

static void box_begin(lt_result *result) {
    box           *self  = lt_shell_reallocate(NULL, sizeof *self);
    const uint32_t count = result->column_count;
    const uint64_t limit = result->show->rows_max;
    *self                = (box){0};
    lt_cells_init(&self->cells, count, limit == 0 || result->is_live ? 0 : limit);
    if (self->cells.head > 0) self->cells.head += 2;
    self->widths    = lt_shell_reallocate(NULL, (count + 1u) * sizeof *self->widths);
    self->fractions = lt_shell_reallocate(NULL, (count + 1u) * sizeof *self->fractions);
    self->is_number = lt_shell_reallocate(NULL, (count + 1u) * sizeof *self->is_number);
    self->is_hidden = lt_shell_reallocate(NULL, (count + 1u) * sizeof *self->is_hidden);
    lt_cell *names = lt_cells_add(&self->cells), *types = lt_cells_add(&self->cells);
    for (uint32_t c = 0; c < count; c++) {
        size_t      bytes;
        const char *name = leat_column_name(result->statement, c, &bytes),
                   *type = leat_column_type(result->statement, c);
        cell_fill(&names[c], name, bytes);
        cell_fill(&types[c], type, strlen(type));
        self->is_number[c] = lt_column_is_number(result, c);
        self->is_hidden[c] = false;
        self->widths[c] = self->fractions[c] = 0;
    }
    result->state = self;
}

static lt_cell *row_keep(lt_result *result, box *self) {
    lt_cell *row = lt_cells_add(&self->cells);
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t bytes;
        if (leat_column_is_null(result->statement, c)) {
            const char *text = result->show->null_text != NULL ? result->show->null_text : "NULL";
            cell_fill(&row[c], text, strlen(text));
            row[c].is_null = true;
        } else {
            const char *text = leat_column_display(result->statement, c, &bytes);
            cell_fill(&row[c], text, bytes);
        }
    }
    return row;
}

static void widths_measure(lt_result *result, box *self) {
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t whole = 0, width = 0;
        for (uint64_t r = 0; r < self->cells.count; r++) {
            const lt_cell *cell     = &self->cells.rows[r][c];
            const size_t   fraction = r >= 2 && self->is_number[c] ? fraction_of(cell) : 0;
            if (fraction > self->fractions[c]) self->fractions[c] = fraction;
            if (r >= 2 && cell->width - fraction > whole) whole = cell->width - fraction;
            if (cell->width > width) width = cell->width;
        }
        if (self->is_number[c] && whole + self->fractions[c] > width) width = whole + self->fractions[c];
        const uint32_t limit = c < LT_SHOW_WIDTHS_MAX ? result->show->widths[c] : 0;
        if (limit > 0 && width > limit) width = limit;
        self->widths[c] = width;
    }
}

static size_t total_width(const lt_result *result, const box *self) {
    size_t total = 1;
    for (uint32_t c = 0; c < result->column_count; c++)
        if (!self->is_hidden[c]) total += self->widths[c] + 3;
    return total + (result->hidden_columns > 0 ? 4 : 0);
}

// Takes width from the widest column until the screen holds the box, then hides columns from the middle outwards.
static void widths_fit(lt_result *result, box *self) {
    const size_t screen = result->show->screen_columns;
    if (screen == 0) return;
    size_t total = total_width(result, self);
    while (total > screen) {
        uint32_t widest = 0;
        size_t   second = SHRUNK_WIDTH_MIN;
        for (uint32_t c = 1; c < result->column_count; c++)
            if (self->widths[c] > self->widths[widest]) widest = c;
        if (result->column_count == 0 || self->widths[widest] <= SHRUNK_WIDTH_MIN) break;
        for (uint32_t c = 0; c < result->column_count; c++)
            if (c != widest && self->widths[c] > second) second = self->widths[c];
        size_t less = total - screen, step = self->widths[widest] - second;
        if (step == 0) step = 1;
        if (less > step) less = step;
        self->widths[widest] -= less;
        total -= less;
    }
    const uint32_t middle = result->column_count / 2;
    for (uint32_t i = 0; total > screen && i + 2 < result->column_count; i++) {
        const uint32_t c = i % 2 == 0 ? middle + i / 2 : middle - (i + 1) / 2;
        if (c >= result->column_count) continue;
        self->is_hidden[c] = true;
        result->hidden_columns++;
        total = total_width(result, self);
    }
}

static void rule_put(lt_result *result, const box *self, const char *const ends[3]) {
    const signs *sign     = signs_of(result);
    bool         is_first = true, is_marked = false;
    for (uint32_t c = 0; c < result->column_count; c++) {
        if (self->is_hidden[c]) {
            if (!is_marked)
                lt_text_format(&result->line, "%s%s%s%s", is_first ? ends[0] : ends[1], sign->line, sign->line,
                               sign->line);
            is_marked = true;
            continue;
        }
        lt_text_put(&result->line, is_first ? ends[0] : ends[1]);
        is_first = false;
        for (size_t i = 0; i < self->widths[c] + 2; i++) lt_text_put(&result->line, sign->line);
    }
    lt_text_format(&result->line, "%s\n", ends[2]);
}

static void cell_put(lt_result *result, const lt_cell *cell, size_t width, bool is_right, size_t behind,
                     const char *colour) {
    const signs *sign  = signs_of(result);
    size_t       shown = cell->width, bytes = cell->bytes;
    const bool   is_cut = cell->width > width;
    if (is_cut) {
        bytes  = lt_text_cut(cell->text, cell->bytes, width > 0 ? width - 1 : 0, &shown);
        behind = 0;
    }
    const size_t used = shown + (is_cut ? 1 : 0);
    size_t       left = width > used ? width - used : 0;
    if (behind > left) behind = left;
    lt_text_append(&result->line, " ", 1);
    if (is_right) lt_text_fill(&result->line, ' ', left - behind);
    if (colour != NULL) lt_text_put(&result->line, colour);
    lt_text_append(&result->line, cell->text, bytes);
    if (is_cut) lt_text_put(&result->line, sign->dots);
    if (colour != NULL) lt_text_put(&result->line, "\033[0m");
    lt_text_fill(&result->line, ' ', is_right ? behind : left);
    lt_text_append(&result->line, " ", 1);
}

typedef enum row_kind { ROW_NAMES, ROW_TYPES, ROW_VALUES } row_kind;

static void row_put(lt_result *result, const box *self, const lt_cell *row, row_kind kind) {
    const signs *sign      = signs_of(result);
    bool         is_marked = false;
    for (uint32_t c = 0; c < result->column_count; c++) {
        if (self->is_hidden[c]) {
            if (!is_marked) lt_text_format(&result->line, "%s %s ", sign->bar, sign->dots);
            is_marked = true;
            continue;
        }
        const char *colour = NULL;
        if (result->show->has_colour)
            colour = kind == ROW_NAMES ? "\033[1m" : kind == ROW_TYPES || row[c].is_null ? "\033[2m" : NULL;
        const size_t fraction = fraction_of(&row[c]);
        const size_t behind   = kind == ROW_VALUES && self->is_number[c] && !row[c].is_null
                                    ? self->fractions[c] - (fraction < self->fractions[c] ? fraction : self->fractions[c])
                                    : 0;
        lt_text_put(&result->line, sign->bar);
        cell_put(result, &row[c], self->widths[c], self->is_number[c], behind, colour);
    }
    lt_text_format(&result->line, "%s\n", sign->bar);
}

static void gap_put(lt_result *result, const box *self) {
    const signs *sign = signs_of(result);
    lt_cell      dot  = {0};
    cell_fill(&dot, sign->gap, strlen(sign->gap));
    for (uint32_t c = 0; c < result->column_count; c++) {
        if (self->is_hidden[c]) continue;
        lt_text_put(&result->line, sign->bar);
        cell_put(result, &dot, self->widths[c], self->is_number[c], 0, NULL);
    }
    lt_text_format(&result->line, "%s\n", sign->bar);
    free(dot.text);
}

static void line_write(lt_result *result) {
    lt_output_write(result->out, result->line.data, result->line.bytes);
    result->line.bytes = 0;
}

static void head_put(lt_result *result, const box *self) {
    const signs *sign = signs_of(result);
    rule_put(result, self, sign->top);
    row_put(result, self, self->cells.rows[0], ROW_NAMES);
    row_put(result, self, self->cells.rows[1], ROW_TYPES);
    rule_put(result, self, sign->middle);
}

// Rows of a live result are written as they come; widths are those of the head and the first row.
static void live_row(lt_result *result, box *self) {
    lt_cell *row = row_keep(result, self);
    if (result->row_count == 1) {
        widths_measure(result, self);
        widths_fit(result, self);
        result->line.bytes = 0;
        head_put(result, self);
    }
    row_put(result, self, row, ROW_VALUES);
    line_write(result);
    self->cells.count = 2;
    for (uint32_t c = 0; c < result->column_count; c++) free(row[c].text);
    free(row);
}

static void box_row(lt_result *result) {
    if (result->is_live)
        live_row(result, result->state);
    else
        row_keep(result, result->state);
}

static void box_end(lt_result *result) {
    box           *self   = result->state;
    const uint64_t hidden = lt_cells_hidden(&self->cells);
    if (!result->is_live || result->row_count == 0) {
        widths_measure(result, self);
        widths_fit(result, self);
        result->line.bytes = 0;
        head_put(result, self);
        for (uint64_t r = 2; r < self->cells.count; r++) {
            if (hidden > 0 && r == self->cells.head)
                for (int i = 0; i < 3; i++) gap_put(result, self);
            row_put(result, self, lt_cells_row(&self->cells, r), ROW_VALUES);
            if (result->line.bytes > 64 * 1024) line_write(result);
        }
    }
    rule_put(result, self, signs_of(result)->bottom);
    line_write(result);
    result->hidden_rows = hidden;
    lt_cells_free(&self->cells);
    free(self->widths);
    free(self->fractions);
    free(self->is_number);
    free(self->is_hidden);
    free(self);
}

const lt_result_format lt_shell_formats_box = {
    .name          = "box",
    .begin         = box_begin,
    .row           = box_row,
    .end           = box_end,
    .is_for_people = true,
    .summary       = "boxes with types; the default on a terminal",
};
