#include "storage/csv_cutter.h"

#include <string.h>

// As univocity's parser does for Spark: a quote opens a cell only as its first byte; inside, the escape stands before a
// quote or itself; a quote that is neither escaped nor followed by a separator makes the whole cell plain text up to
// the separator, its quotes included (STOP_AT_DELIMITER).

void lt_csv_cutter_init(lt_csv_cutter *self, lt_account *account) {
    *self = (lt_csv_cutter){.account = account};
    lt_buffer_init(&self->scratch, account, 0);
}

void lt_csv_cutter_deinit(lt_csv_cutter *self) {
    if (self->cells != NULL)
        (void)lt_account_reallocate(self->account, self->cells, self->cell_capacity * sizeof(lt_csv_cell), 0);
    lt_buffer_deinit(&self->scratch);
    self->cells = NULL;
}

static leat_status cell_append(lt_csv_cutter *self, lt_csv_cell cell, leat_error *err) {
    if (self->cell_count == LT_CSV_CELLS_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a record has more than %d cells", LT_CSV_CELLS_MAX);
    LT_TRY_GROW(self->cells, self->account, self->cell_count, self->cell_capacity, 32, err);
    self->cells[self->cell_count++] = cell;
    return LEAT_OK;
}

static inline bool is_separator(const lt_csv_dialect *dialect, const char *at, const char *end) {
    return at < end && *at == dialect->separator[0] &&
           (dialect->separator_bytes == 1 || ((size_t)(end - at) >= dialect->separator_bytes &&
                                              memcmp(at, dialect->separator, dialect->separator_bytes) == 0));
}

static inline bool is_line_end(const lt_csv_dialect *dialect, char byte) {
    return dialect->is_multi_line && (byte == '\n' || byte == '\r');
}

static const char *find_cell_end(const lt_csv_dialect *dialect, const char *at, const char *end) {
    while (at < end && !is_separator(dialect, at, end) && !is_line_end(dialect, *at)) at++;
    return at;
}

static lt_csv_cell trimmed(const lt_csv_dialect *dialect, const char *text, const char *end) {
    while (dialect->trims_end && end > text && lt_csv_is_blank(end[-1])) end--;
    return (lt_csv_cell){.text = text, .bytes = (size_t)(end - text)};
}

// The quoted cell that starts at `at`, a quote. Moves *at behind it, to a separator or an end.
static leat_status cut_quoted(lt_csv_cutter *self, const char **at, const char *end, leat_error *err) {
    const lt_csv_dialect *dialect = &self->dialect;
    const size_t          offset  = self->scratch.bytes;
    const char           *next    = *at + 1;
    char                  prev    = '\0';
    while (next < end) {
        const char byte = *next;
        if (prev == dialect->quote &&
            (is_separator(dialect, next, end) || lt_csv_is_blank(byte) || is_line_end(dialect, byte)))
            break;
        if (byte != dialect->quote && byte != dialect->escape) {
            if (prev == dialect->quote) goto plain;
            if (prev == dialect->escape && prev != '\0') LT_TRY(lt_buffer_append_byte(&self->scratch, prev, err));
            const char *run = next;
            while (next < end && *next != dialect->quote && *next != dialect->escape) next++;
            LT_TRY(lt_buffer_append(&self->scratch, run, (size_t)(next - run), err));
            prev = '\0';
            continue;
        }
        if ((byte == dialect->escape && prev == dialect->escape_escape && prev != '\0') ||
            (byte == dialect->quote && prev == dialect->escape && prev != '\0')) {
            LT_TRY(lt_buffer_append_byte(&self->scratch, byte, err));
            prev = '\0';
        } else {
            if (prev == dialect->escape && prev != '\0')
                LT_TRY(lt_buffer_append_byte(&self->scratch, prev, err));
            else if (byte == dialect->quote && prev == dialect->quote)
                LT_TRY(lt_buffer_append_byte(&self->scratch, byte, err));
            prev = byte;
        }
        next++;
    }
    if (next == end && prev == dialect->escape && prev != dialect->quote && prev != '\0')
        LT_TRY(lt_buffer_append_byte(&self->scratch, prev, err));
    const char *behind = next;
    while (behind < end && lt_csv_is_blank(*behind) && !is_separator(dialect, behind, end) &&
           !is_line_end(dialect, *behind))
        behind++;
    if (behind < end && !is_separator(dialect, behind, end) && !is_line_end(dialect, *behind)) goto plain;
    *at = behind;
    if (self->scratch.bytes > offset)
        return cell_append(self, (lt_csv_cell){.offset = offset, .bytes = self->scratch.bytes - offset}, err);
    return cell_append(self, (lt_csv_cell){.text = dialect->empty_text, .bytes = strlen(dialect->empty_text)}, err);
plain : {
    // A quote that does not close the cell: what was read stays as it was read, behind the opening quote.
    const size_t read_bytes = self->scratch.bytes - offset;
    const char  *stop       = find_cell_end(dialect, next, end);
    LT_TRY(lt_buffer_append(&self->scratch, "\0\0", 2, err));
    memmove(self->scratch.data + offset + 1, self->scratch.data + offset, read_bytes);
    self->scratch.data[offset]                  = dialect->quote;
    self->scratch.data[offset + 1 + read_bytes] = dialect->quote;
    LT_TRY(lt_buffer_append(&self->scratch, next, (size_t)(stop - next), err));
    *at = stop;
    return cell_append(self, (lt_csv_cell){.offset = offset, .bytes = self->scratch.bytes - offset}, err);
}
}

leat_status lt_csv_cut_record(lt_csv_cutter *self, const char *at, const char *end, const char **out_next,
                              leat_error *err) {
    const lt_csv_dialect *dialect = &self->dialect;
    self->cell_count              = 0;
    lt_buffer_reset(&self->scratch);
    for (;;) {
        while (dialect->trims_start && at < end && lt_csv_is_blank(*at) && !is_separator(dialect, at, end) &&
               !is_line_end(dialect, *at))
            at++;
        if (at < end && *at == dialect->quote && dialect->quote != '\0') {
            LT_TRY(cut_quoted(self, &at, end, err));
        } else {
            const char *stop = find_cell_end(dialect, at, end);
            lt_csv_cell cell = trimmed(dialect, at, stop);
            if (cell.bytes == 0) cell = (lt_csv_cell){.text = dialect->null_text, .bytes = strlen(dialect->null_text)};
            LT_TRY(cell_append(self, cell, err));
            at = stop;
        }
        if (!is_separator(dialect, at, end)) break;
        at += dialect->separator_bytes;
    }
    if (at < end && *at == '\r') at++;
    if (at < end && *at == '\n') at++;
    *out_next = at;
    return LEAT_OK;
}

bool lt_csv_is_record(const lt_csv_dialect *dialect, const char *text, size_t bytes) {
    size_t i = 0;
    while (i < bytes && lt_csv_is_blank(text[i])) i++;
    return i < bytes && (dialect->comment == '\0' || text[0] != dialect->comment);
}
