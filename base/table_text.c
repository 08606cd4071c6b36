// table_text: cells are escaped and cut when they are appended, so that printing only measures and pads.
#include "base/table_text.h"

#include "base/utf8.h"

enum { WIDTH_MIN = 3 };

// UTF-16 units of a character.
static uint32_t unit_count(int32_t character) { return character > 0xFFFF ? 2 : 1; }

static bool is_full_width(int32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6);
}

uint32_t lt_table_text_width(const char *text, size_t bytes) {
    uint32_t width = 0;
    for (size_t at = 0; at < bytes;) {
        const int32_t character = lt_utf8_decode(text, bytes, &at);
        width += unit_count(character) + is_full_width(character);
    }
    return width;
}

// Where a text of more than `units` UTF-16 units is to be cut; bytes if it has no more. A pair is never split.
static size_t cut_at(const char *text, size_t bytes, uint32_t units) {
    uint32_t seen = 0;
    for (size_t at = 0; at < bytes;) {
        size_t next = at;
        seen += unit_count(lt_utf8_decode(text, bytes, &next));
        if (seen > units) return at;
        at = next;
    }
    return bytes;
}

static leat_status cell_end(lt_table_text *table, size_t offset, leat_error *err) {
    LT_TRY_GROW(table->cells, table->account, table->cell_count, table->cell_capacity, 64, err);
    const size_t bytes                = table->text.bytes - offset;
    table->cells[table->cell_count++] = (lt_table_cell){
        .offset = offset,
        .bytes  = (uint32_t)bytes,
        .width  = bytes == 0 ? 0 : lt_table_text_width(table->text.data + offset, bytes),
    };
    return LEAT_OK;
}

// The letter behind the backslash of a control character's escape; 0: no such character.
static char escape_letter(char byte) {
    static const char controls[] = "\n\r\t\f\b\v\a", letters[] = "nrtfbva";
    const char       *found = byte == '\0' ? NULL : strchr(controls, byte);
    return found == NULL ? 0 : letters[found - controls];
}

// Replaces control characters behind `offset` by their escapes; from the end, so that each byte moves once.
static leat_status escape_from(lt_table_text *table, size_t offset, leat_error *err) {
    size_t count = 0;
    for (size_t at = offset; at < table->text.bytes; at++) count += escape_letter(table->text.data[at]) != 0;
    if (count == 0) return LEAT_OK;
    size_t from = table->text.bytes;
    LT_TRY(lt_buffer_reserve(&table->text, count, err));
    table->text.bytes += count;
    char *data = table->text.data;
    for (size_t into = table->text.bytes; from > offset;) {
        const char byte = data[--from], letter = escape_letter(byte);
        data[--into] = letter != 0 ? letter : byte;
        if (letter != 0) data[--into] = '\\';
    }
    return LEAT_OK;
}

static leat_status truncate_from(lt_table_text *table, size_t offset, leat_error *err) {
    const uint32_t truncate = table->style.truncate;
    const size_t   bytes    = table->text.bytes - offset;
    if (truncate == 0 || bytes <= truncate) return LEAT_OK;
    const char *text = table->text.data + offset;
    if (cut_at(text, bytes, truncate) == bytes) return LEAT_OK;
    table->text.bytes = offset + cut_at(text, bytes, truncate < 4 ? truncate : truncate - 3);
    return truncate < 4 ? LEAT_OK : lt_buffer_append_text(&table->text, "...", err);
}

leat_status lt_table_text_init(lt_table_text *table, lt_account *account, lt_table_style style,
                               const char *const *names, uint32_t column_count, leat_error *err) {
    *table = (lt_table_text){.account = account, .style = style, .column_count = column_count};
    lt_buffer_init(&table->text, account, 0);
    for (uint32_t c = 0; c < column_count; c++) {
        const size_t offset = table->text.bytes;
        LT_TRY(lt_buffer_append_text(&table->text, names[c], err));
        LT_TRY(escape_from(table, offset, err));
        LT_TRY(cell_end(table, offset, err));
    }
    return LEAT_OK;
}

static uint64_t row_count(const lt_table_text *table) {
    return table->column_count == 0 ? 0 : table->cell_count / table->column_count - 1;
}

leat_status lt_table_text_append(lt_table_text *table, const lt_chunk *chunk, const lt_value_text *printer,
                                 leat_error *err) {
    lt_assert(printer->style == LT_VALUE_TEXT_SHOW && chunk->column_count == table->column_count);
    for (uint32_t row = 0; row < chunk->count; row++) {
        if (row_count(table) >= table->style.rows_max) {
            table->has_more = true;
            return LEAT_OK;
        }
        for (uint32_t c = 0; c < chunk->column_count; c++) {
            const size_t offset = table->text.bytes;
            LT_TRY(lt_value_text_append(printer, &chunk->columns[c], row, &table->text, err));
            LT_TRY(escape_from(table, offset, err));
            LT_TRY(truncate_from(table, offset, err));
            LT_TRY(cell_end(table, offset, err));
        }
    }
    return LEAT_OK;
}

static leat_status repeat(lt_buffer *out, char byte, size_t count, leat_error *err) {
    LT_TRY(lt_buffer_reserve(out, count, err));
    for (size_t i = 0; i < count; i++) LT_TRY(lt_buffer_append_byte(out, byte, err));
    return LEAT_OK;
}

static uint32_t column_width(const lt_table_text *table, size_t first, size_t step) {
    uint32_t width = WIDTH_MIN;
    for (size_t i = first; i < table->cell_count; i += step)
        if (table->cells[i].width > width) width = table->cells[i].width;
    return width;
}

static leat_status print_cell(const lt_table_text *table, size_t index, uint32_t width, bool is_left, lt_buffer *out,
                              leat_error *err) {
    const lt_table_cell *cell = &table->cells[index];
    if (!is_left) LT_TRY(repeat(out, ' ', width - cell->width, err));
    LT_TRY(lt_buffer_append(out, table->text.data + cell->offset, cell->bytes, err));
    return is_left ? repeat(out, ' ', width - cell->width, err) : LEAT_OK;
}

static leat_status print_rule(const lt_table_text *table, const uint32_t *widths, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_byte(out, '+', err));
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (c > 0) LT_TRY(lt_buffer_append_byte(out, '+', err));
        LT_TRY(repeat(out, '-', widths[c], err));
    }
    return lt_buffer_append_text(out, "+\n", err);
}

static leat_status print_row(const lt_table_text *table, const uint32_t *widths, size_t first, lt_buffer *out,
                             leat_error *err) {
    LT_TRY(lt_buffer_append_byte(out, '|', err));
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (c > 0) LT_TRY(lt_buffer_append_byte(out, '|', err));
        LT_TRY(print_cell(table, first + c, widths[c], table->style.truncate == 0, out, err));
    }
    return lt_buffer_append_text(out, "|\n", err);
}

static leat_status print_grid(const lt_table_text *table, const uint32_t *widths, lt_buffer *out, leat_error *err) {
    LT_TRY(print_rule(table, widths, out, err));
    LT_TRY(print_row(table, widths, 0, out, err));
    LT_TRY(print_rule(table, widths, out, err));
    for (size_t first = table->column_count; first < table->cell_count; first += table->column_count)
        LT_TRY(print_row(table, widths, first, out, err));
    return print_rule(table, widths, out, err);
}

static leat_status print_records(const lt_table_text *table, lt_buffer *out, leat_error *err) {
    const uint32_t columns    = table->column_count;
    uint32_t       name_width = WIDTH_MIN;
    for (uint32_t c = 0; c < columns; c++)
        if (table->cells[c].width > name_width) name_width = table->cells[c].width;
    const uint32_t data_width = column_width(table, columns, 1);
    for (uint64_t row = 0; row < row_count(table); row++) {
        const size_t start = out->bytes;
        LT_TRY(lt_buffer_format(out, err, "-RECORD %llu", (unsigned long long)row));
        const size_t header = (size_t)name_width + data_width + 5, used = out->bytes - start;
        if (used < header) LT_TRY(repeat(out, '-', header - used, err));
        LT_TRY(lt_buffer_append_byte(out, '\n', err));
        for (uint32_t c = 0; c < columns; c++) {
            LT_TRY(lt_buffer_append_byte(out, ' ', err));
            LT_TRY(print_cell(table, c, name_width, true, out, err));
            LT_TRY(lt_buffer_append_text(out, " | ", err));
            LT_TRY(print_cell(table, (row + 1) * columns + c, data_width, true, out, err));
            LT_TRY(lt_buffer_append_text(out, " \n", err));
        }
    }
    return row_count(table) == 0 ? lt_buffer_append_text(out, "(0 rows)\n", err) : LEAT_OK;
}

leat_status lt_table_text_print(const lt_table_text *table, lt_buffer *out, leat_error *err) {
    if (table->style.is_vertical) {
        LT_TRY(print_records(table, out, err));
        if (row_count(table) == 0) return lt_buffer_append_byte(out, '\n', err);
    } else {
        lt_arena arena;
        lt_arena_init(&arena, table->account);
        uint32_t   *widths = LT_NEW_ARRAY(&arena, uint32_t, table->column_count);
        leat_status status = widths == NULL ? lt_raise_no_memory(err) : LEAT_OK;
        for (uint32_t c = 0; status == LEAT_OK && c < table->column_count; c++)
            widths[c] = column_width(table, c, table->column_count);
        if (status == LEAT_OK) status = print_grid(table, widths, out, err);
        lt_arena_deinit(&arena);
        if (status != LEAT_OK) return status;
    }
    if (!table->has_more) return lt_buffer_append_byte(out, '\n', err);
    return lt_buffer_format(out, err, "only showing top %llu row%s\n", (unsigned long long)table->style.rows_max,
                            table->style.rows_max == 1 ? "" : "s");
}

void lt_table_text_reset(lt_table_text *table) {
    if (table->cell_count > table->column_count) {
        const lt_table_cell *first_value = &table->cells[table->column_count];
        table->text.bytes                = first_value->offset;
        table->cell_count                = table->column_count;
    }
    table->has_more = false;
}

void lt_table_text_deinit(lt_table_text *table) {
    if (table->account == NULL) return;
    (void)lt_account_reallocate(table->account, table->cells, table->cell_capacity * sizeof(lt_table_cell), 0);
    lt_buffer_deinit(&table->text);
    *table = (lt_table_text){0};
}
