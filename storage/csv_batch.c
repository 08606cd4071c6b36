// Rows are counted by the newlines among their positions, then read column by column. A value that is not good ends the
// batch at its row; batches then get shorter, so that little work is done twice.
#include "storage/csv_batch.h"

enum {
    BATCH_ROWS_MIN   = 8,
    READABLE         = 64, // bytes behind a row
    ROWS_PER_MISS    = 2,
    BEFORE_THE_FIRST = 0xFFFF, // a newline whose next byte is the first of the piece
};

static inline uint32_t place_of(uint16_t position) { return position & (LT_CSV_NEWLINE - 1u); }
static inline uint32_t place_behind(uint16_t position) {
    return ((position | (uint32_t)LT_CSV_NEWLINE) + 1) & (LT_CSV_NEWLINE - 1u);
}
static inline bool is_newline(uint16_t position) { return (position & LT_CSV_NEWLINE) != 0; }

static bool is_line_end(char byte) { return byte == '\n' || byte == '\r'; }

bool lt_csv_batch_can_read(const lt_csv_dialect *dialect) {
    const char separator = dialect->separator[0], quote = dialect->quote, escape = dialect->escape;
    return !dialect->is_multi_line && dialect->separator_bytes == 1 && !is_line_end(separator) && separator != quote &&
           !is_line_end(quote) && !is_line_end(escape) && separator != '\0' && separator != escape &&
           !dialect->trims_start && !dialect->trims_end && dialect->empty_text[0] == '\0' &&
           strlen(dialect->null_text) < LT_CSV_INDEX_BYTES;
}

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status put_any(void *user, const lt_value_source *source, lt_vector *into, uint32_t lane,
                           lt_value_verdict *out, leat_error *err) {
    bool is_good = false;
    LT_TRY(lt_csv_value_put(user, source->text, source->bytes, true, into, lane, &is_good, err));
    *out = is_good ? LT_VALUE_GOOD : LT_VALUE_BAD;
    return LEAT_OK;
}

static bool is_usually_text(lt_kind kind) {
    return kind == LT_STRING || kind == LT_DATE || kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ;
}

leat_status lt_csv_batch_open(lt_csv_batch *self, const lt_csv_batch_setup *setup, leat_error *err) {
    const lt_csv_dialect   *dialect = setup->dialect;
    const lt_csv_values    *values  = setup->values;
    const lt_decode_target *target  = setup->builder->target;
    double                  number;
    *self                      = (lt_csv_batch){.setup      = *setup,
                                                .batch_rows = BATCH_ROWS_MIN,
                                                .bytes      = {.separator  = dialect->separator[0],
                                                               .quote      = dialect->quote,
                                                               .escape     = dialect->escape,
                                                               .has_quote  = dialect->quote != '\0',
                                                               .has_escape = dialect->escape != '\0' && dialect->escape != dialect->quote},
                                                .null_bytes = strlen(dialect->null_text)};
    self->is_quoted_empty_null = self->null_bytes == 0;
    self->positions            = lt_arena_alloc(setup->arena, (LT_CSV_INDEX_POSITIONS + 1) * sizeof *self->positions);
    if (self->positions == NULL) return lt_raise_no_memory(err);
    self->positions[0]    = BEFORE_THE_FIRST;
    self->index.positions = self->positions + 1;
    lt_value_lanes_init(&self->lanes, setup->kernel->name, &setup->builder->arena, put_any, setup->values);
    lt_value_lanes_set_times(&self->lanes, &values->datetime, values->date_pattern != NULL,
                             values->timestamp_pattern != NULL, values->timestamp_ntz_pattern != NULL);
    // A word for infinity that is itself a number would be met by the usual shape.
    self->lanes.reads_doubles = !lt_csv_double_parse(values->nan_text, strlen(values->nan_text), &number) &&
                                !lt_csv_double_parse(values->positive_text, strlen(values->positive_text), &number) &&
                                !lt_csv_double_parse(values->negative_text, strlen(values->negative_text), &number);
    LT_TRY_NEW_ARRAY(self->columns, setup->arena, target->column_count + 1, err);
    for (uint32_t c = 0; c < target->column_count; c++) {
        if ((int32_t)c == setup->corrupt_column) continue;
        if (setup->is_read[c])
            self->columns[self->column_count++] = (lt_csv_batch_column){
                .column = c, .cell = self->cell_count, .is_text = is_usually_text(target->types[c]->kind)};
        self->cell_count++;
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- rows

// Indexes the fed bytes from `next` on.
static void piece_begin(lt_csv_batch *self, const char *next) {
    const size_t left = (size_t)(self->setup.splitter->end - next);
    self->piece       = next;
    self->piece_bytes = left < LT_CSV_INDEX_BYTES - 1 ? left : LT_CSV_INDEX_BYTES - 1;
    self->cursor      = 0;
    self->setup.kernel->run(&self->index, &self->bytes, next, self->piece_bytes);
}

// Whether any of the bytes [first, last] lies in a marked step.
static bool is_marked(const lt_csv_index *index, uint32_t first, uint32_t last) {
    uint64_t any = 0;
    for (uint32_t step = first >> 6; step <= last >> 6; step++) any |= index->marks[step >> 6] >> (step & 63) & 1;
    return any != 0;
}

static bool row_is_whole(const uint16_t *row, uint32_t cells) {
    for (uint32_t i = 0; i + 1 < cells; i++)
        if (is_newline(row[i])) return false;
    return is_newline(row[cells - 1]);
}

// How many of `rows` have a newline behind each C-th cell and nowhere else.
static uint32_t count_whole(const uint16_t *first, uint32_t cells, uint32_t rows) {
    uint32_t all = 0, ends = 0;
    for (uint32_t i = 0; i < rows * cells; i++) all += first[i] >> 15;
    for (uint32_t row = 0; row < rows; row++) ends += first[row * cells + cells - 1] >> 15;
    if (all == rows && ends == rows) return rows;
    for (uint32_t row = 0; row < rows; row++)
        if (!row_is_whole(first + (size_t)row * cells, cells)) return row;
    return rows;
}

// Whether the line at `text`, which ends in [text, end), is a comment or has nothing but blanks.
static bool is_skipped(const lt_csv_dialect *dialect, const char *text, const char *end) {
    return !lt_csv_is_record(dialect, text, (size_t)(end - text));
}

// The number of rows at the cursor that can be read by column, at most `rows_max`.
static uint32_t count_rows(lt_csv_batch *self, uint32_t start, uint32_t rows_max) {
    const lt_csv_dialect *dialect  = self->setup.dialect;
    const uint16_t       *first    = self->index.positions + self->cursor;
    const uint32_t        cells    = self->cell_count;
    const size_t          readable = (size_t)(self->setup.splitter->end - self->piece);
    uint32_t              rows     = (self->index.count - self->cursor) / cells;
    if (rows > rows_max) rows = rows_max;
    while (rows > 0 && place_of(first[rows * cells - 1]) + (size_t)READABLE > readable) rows--;
    if (rows == 0 || place_behind(first[-1]) != start || !is_newline(first[-1])) return 0;
    rows = count_whole(first, cells, rows);
    for (uint32_t row = 0; row < rows; row++) {
        const uint16_t *ends   = first + (size_t)row * cells;
        const char     *text   = self->piece + place_behind(ends[-1]);
        const bool      is_odd = (unsigned char)*text <= ' ' || *text == dialect->comment;
        if (is_odd && is_skipped(dialect, text, self->piece + place_of(ends[cells - 1]))) return row;
        if (self->index.has_marks && is_marked(&self->index, place_behind(ends[-1]), place_of(ends[cells - 1])))
            return row;
    }
    return rows;
}

// Whether the piece has the end of the row at the cursor.
static bool piece_has_row(const lt_csv_batch *self) {
    for (uint32_t i = self->cursor; i < self->index.count; i++)
        if (is_newline(self->index.positions[i])) return true;
    return false;
}

// Counts rows at the splitter's next byte, in a new piece if need be.
static uint32_t count_next(lt_csv_batch *self, uint32_t rows_max) {
    const lt_line_splitter *splitter = self->setup.splitter;
    const char             *next     = splitter->next;
    if (self->piece == NULL || next >= self->piece + self->piece_bytes) piece_begin(self, next);
    const uint32_t start = (uint32_t)(next - self->piece);
    while (self->cursor < self->index.count && place_of(self->index.positions[self->cursor]) < start) self->cursor++;
    const uint32_t rows = count_rows(self, start, rows_max);
    if (rows > 0 || next == self->piece || self->piece + self->piece_bytes == splitter->end || piece_has_row(self))
        return rows;
    piece_begin(self, next);
    return count_rows(self, 0, rows_max);
}

// ------------------------------------------------------------------------------------------------------------- columns

// Places of the values of cell number `cell` of the rows; 0 is NULL.
static inline void spans_of(lt_csv_batch *self, const lt_csv_batch_column *column, uint32_t rows, bool has_quotes,
                            bool has_returns) {
    const uint32_t  cells = self->cell_count, null_bytes = (uint32_t)self->null_bytes;
    const uint16_t *end                = self->index.positions + self->cursor + column->cell;
    const char     *bytes              = self->piece;
    const char     *null_text          = self->setup.dialect->null_text;
    const char      quote              = self->setup.dialect->quote;
    const bool      keeps_quoted_empty = !self->is_quoted_empty_null;
    for (uint32_t row = 0; row < rows; row++, end += cells) {
        uint32_t start = place_behind(end[-1]), stop = place_of(end[0]);
        if (has_returns) stop -= stop > start && bytes[stop - 1] == '\r';
        uint32_t is_quoted = 0;
        if (has_quotes) {
            is_quoted = (start < stop) & (bytes[start] == quote);
            start += is_quoted;
            stop -= is_quoted;
        }
        const uint32_t has_value = (start != stop) | (keeps_quoted_empty & is_quoted);
        self->spans[row]         = lt_value_span_of(start, stop, column->is_text) & -has_value;
        if (null_bytes != 0 && stop - start == null_bytes && memcmp(bytes + start, null_text, null_bytes) == 0)
            self->spans[row] = 0;
    }
}

static leat_status read_columns(lt_csv_batch *self, uint32_t *count, leat_error *err) {
    lt_chunk  *chunk      = &self->setup.builder->chunk;
    const bool has_quotes = self->index.has_quotes, has_returns = self->index.has_returns;
    for (uint32_t i = 0; i<self->column_count && * count> 0; i++) {
        const lt_csv_batch_column *column = &self->columns[i];
        if (has_quotes || has_returns)
            spans_of(self, column, *count, has_quotes, has_returns && column->cell + 1 == self->cell_count);
        else
            spans_of(self, column, *count, false, false);
        LT_TRY(lt_value_lanes_fill(&self->lanes, &chunk->columns[column->column], chunk->count, self->piece,
                                   self->spans, NULL, count, err));
    }
    return LEAT_OK;
}

static void note(lt_csv_batch *self, uint32_t rows, bool is_miss) {
    lt_miss_window_note(&self->misses, rows, is_miss, ROWS_PER_MISS, self->setup.never_sleeps);
}

leat_status lt_csv_batch_take(lt_csv_batch *self, uint32_t *out_rows, leat_error *err) {
    lt_row_builder *builder = self->setup.builder;
    *out_rows               = 0;
    if (lt_miss_window_sleeps(&self->misses)) {
        self->misses.sleep_rows--;
        return LEAT_OK;
    }
    if (self->is_next_refused) {
        self->is_next_refused = false;
        return LEAT_OK;
    }
    const uint32_t room    = LT_CHUNK_ROWS_MAX - builder->chunk.count;
    const uint32_t counted = count_next(self, room < self->batch_rows ? room : self->batch_rows);
    uint32_t       count   = counted;
    if (counted > 0) LT_TRY(read_columns(self, &count, err));
    if (count == 0) note(self, 1, true);
    if (count < counted) {
        self->batch_rows      = self->batch_rows / 2 < BATCH_ROWS_MIN ? BATCH_ROWS_MIN : self->batch_rows / 2;
        self->is_next_refused = count > 0;
    } else if (self->batch_rows < LT_CSV_BATCH_ROWS) {
        self->batch_rows *= 2;
    }
    if (count == 0) return LEAT_OK;
    self->cursor += count * self->cell_count;
    lt_line_splitter_take_lines(self->setup.splitter,
                                self->piece + place_behind(self->index.positions[self->cursor - 1]), count);
    note(self, count, false);
    builder->chunk.count += count;
    *out_rows = count;
    return builder->chunk.count == LT_CHUNK_ROWS_MAX ? lt_row_builder_give(builder, err) : LEAT_OK;
}
