// csv: a line (with multiLine: a record whose quoted cells may hold line ends) is a row, columns by position.
//
// storage/csv_cutter.c cuts the cells of a line, storage/csv_values.c reads them; these two know every dialect and all
// that can be wrong. storage/csv_batch.c takes many plain rows at once and leaves what is not good to them.
// Source: Spark SQL 4, UnivocityParser and CSVOptions; spark-semantics 2.3.
#include "base/ascii.h"
#include "base/datetime_pattern.h"
#include "base/lanes.h"
#include "base/number_text.h"
#include "base/value_text.h"
#include "storage/csv_batch.h"
#include "storage/csv_cutter.h"
#include "storage/csv_values.h"
#include "storage/inference.h"
#include "storage/line_splitter.h"
#include "storage/row_builder.h"

typedef enum csv_mode { PERMISSIVE, DROP_MALFORMED, FAIL_FAST } csv_mode;

typedef struct csv_decoder {
    const lt_decode_target *target; // borrows
    lt_arena                arena;
    lt_row_builder          builder;
    lt_line_splitter        splitter;
    lt_buffer               document; // multiLine: the file
    lt_csv_cutter           cutter;
    lt_csv_values           values;
    lt_csv_batch            batch;
    bool                   *is_read; // by column
    csv_mode                mode;
    uint32_t                data_columns;             // without the one for corrupt records
    bool                    is_pruned, checks_header; // a wrong number of cells is no fault if pruned
    bool                    skips_header;             // the coming record is the header
    const char             *path;
    bool                    has_batch, is_ready;
} csv_decoder;

static const lt_option csv_options[] = {
    {.name = "sep", .summary = "between cells; default ,"},
    {.name = "delimiter", .summary = "the same as sep"},
    {.name = "header", .words = "BOOL", .initial = "false", .summary = "the first line of a file has names"},
    {.name = "quote", .initial = "\"", .summary = "around cells; empty: none"},
    {.name = "escape", .summary = "before a quote in a quoted cell; default \\; writing: the quote"},
    {.name = "charToEscapeQuoteEscaping", .summary = "before an escape; default the escape"},
    {.name = "comment", .summary = "lines that start so are left out"},
    {.name    = "mode",
     .words   = "PERMISSIVE DROPMALFORMED FAILFAST",
     .initial = "PERMISSIVE",
     .summary = "malformed rows: keep what can be read, drop, or fail"},
    {.name    = "columnNameOfCorruptRecord",
     .initial = "_corrupt_record",
     .summary = "STRING column that receives a malformed line"},
    {.name = "enforceSchema", .words = "BOOL", .initial = "true", .summary = "false: names of the header must fit"},
    {.name = "inferSchema", .words = "BOOL", .initial = "false", .summary = "inference: types, not only STRING"},
    {.name = "preferDate", .words = "BOOL", .initial = "true", .summary = "inference: DATE before TIMESTAMP"},
    {.name = "samplingRatio", .initial = "1.0", .summary = "inference reads all rows"},
    {.name = "ignoreLeadingWhiteSpace", .words = "BOOL", .initial = "false", .summary = "drop blanks before cells"},
    {.name = "ignoreTrailingWhiteSpace", .words = "BOOL", .initial = "false", .summary = "drop blanks behind cells"},
    {.name = "nullValue", .initial = "", .summary = "text of NULL"},
    {.name = "emptyValue", .initial = "", .summary = "what a quoted empty cell is read as"},
    {.name = "nanValue", .initial = "NaN", .summary = "text of a double that is no number"},
    {.name = "positiveInf", .initial = "Inf", .summary = "text of infinity"},
    {.name = "negativeInf", .initial = "-Inf", .summary = "text of minus infinity"},
    {.name = "dateFormat", .summary = "pattern of DATE"},
    {.name = "timestampFormat", .summary = "pattern of TIMESTAMP"},
    {.name = "timestampNTZFormat", .summary = "pattern of TIMESTAMP_NTZ"},
    {.name    = "enableDateTimeParsingFallback",
     .words   = "BOOL",
     .summary = "also take what CAST takes; default: only without patterns"},
    {.name = "timeZone", .summary = "zone of texts without one; default the session's"},
    {.name = "multiLine", .words = "BOOL", .initial = "false", .summary = "quoted cells may hold line ends"},
    {.name = "lineSep", .summary = "end of a line; default \\n, \\r\\n or \\r"},
    {.name      = "encoding",
     .words     = "UTF-8 UTF8 US-ASCII",
     .initial   = "UTF-8",
     .is_strict = true,
     .summary   = "only UTF-8"},
    {.name = "charset", .words = "UTF-8 UTF8 US-ASCII", .initial = "UTF-8", .is_strict = true, .summary = "only UTF-8"},
    {.name      = "locale",
     .words     = "en-US en",
     .initial   = "en-US",
     .is_strict = true,
     .summary   = "names of months and signs of numbers: only English"},
    {.name      = "unescapedQuoteHandling",
     .words     = "STOP_AT_DELIMITER",
     .initial   = "STOP_AT_DELIMITER",
     .is_strict = true,
     .summary   = "only STOP_AT_DELIMITER: such a cell is plain text"},
    {.name = "maxColumns", .words = "INT", .initial = "20480", .summary = "cells of a record at most"},
    {.name = "maxCharsPerColumn", .words = "INT", .initial = "-1", .summary = "taken for Spark's sake; no limit"},
    {.name = "quoteAll", .words = "BOOL", .initial = "false", .summary = "writing: quotes around every cell"},
    {.name = "escapeQuotes", .words = "BOOL", .initial = "true", .summary = "taken for Spark's sake; always"},
    {.name = "compression", .summary = "reading goes by the file itself"},
    {0},
};

// ------------------------------------------------------------------------------------------------------------- dialect

// "\t" and the like as Spark takes them in sep.
static leat_status read_separator(const char *text, lt_csv_dialect *out, leat_error *err) {
    out->separator_bytes = 0;
    for (const char *at = text; *at != '\0'; at++) {
        char byte = *at;
        if (byte == '\\' && at[1] != '\0') {
            at++;
            byte = *at == 't'   ? '\t'
                   : *at == 'n' ? '\n'
                   : *at == 'r' ? '\r'
                   : *at == 'f' ? '\f'
                   : *at == '0' ? '\0'
                                : *at;
        }
        if (out->separator_bytes == LT_CSV_SEPARATOR_BYTES_MAX)
            return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "option `sep` has more than %d bytes",
                            LT_CSV_SEPARATOR_BYTES_MAX);
        out->separator[out->separator_bytes++] = byte;
    }
    if (out->separator_bytes > 0) return LEAT_OK;
    return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "option `sep` is empty");
}

static leat_status character_option(const lt_option_values *options, const char *name, char initial, char *out,
                                    leat_error *err) {
    const char *text = lt_option_text(options, csv_options, name);
    *out             = text == NULL ? initial : text[0];
    if (text == NULL || text[0] == '\0' || text[1] == '\0') return LEAT_OK;
    return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "option `%s` is `%s`; it takes one character", name, text);
}

static leat_status dialect_read(const lt_option_values *options, lt_csv_dialect *out, leat_error *err) {
    const char *separator = lt_option_text(options, csv_options, "sep");
    if (separator == NULL) separator = lt_option_text(options, csv_options, "delimiter");
    LT_TRY(read_separator(separator == NULL ? "," : separator, out, err));
    LT_TRY(character_option(options, "quote", '"', &out->quote, err));
    LT_TRY(character_option(options, "escape", '\\', &out->escape, err));
    LT_TRY(character_option(options, "charToEscapeQuoteEscaping", out->escape == out->quote ? '\0' : out->escape,
                            &out->escape_escape, err));
    LT_TRY(character_option(options, "comment", '\0', &out->comment, err));
    out->trims_start   = lt_option_is_true(options, csv_options, "ignoreLeadingWhiteSpace");
    out->trims_end     = lt_option_is_true(options, csv_options, "ignoreTrailingWhiteSpace");
    out->is_multi_line = lt_option_is_true(options, csv_options, "multiLine");
    out->has_header    = lt_option_is_true(options, csv_options, "header");
    out->null_text     = lt_option_text(options, csv_options, "nullValue");
    out->empty_text    = lt_option_text(options, csv_options, "emptyValue");
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status conversion_open(csv_decoder *self, const lt_option_values *options, leat_error *err) {
    LT_TRY(lt_datetime_context_init(&self->values.datetime, self->target->evaluation, err));
    const char *zone = lt_option_text(options, csv_options, "timeZone");
    if (zone != NULL)
        LT_TRY(lt_time_zone_find(self->values.datetime.zones, zone, strlen(zone), &self->values.datetime.zone, err));
    LT_TRY(lt_option_pattern(options, csv_options, "dateFormat", LT_PATTERN_PARSE, &self->arena,
                             &self->values.date_pattern, err));
    LT_TRY(lt_option_pattern(options, csv_options, "timestampFormat", LT_PATTERN_PARSE, &self->arena,
                             &self->values.timestamp_pattern, err));
    LT_TRY(lt_option_pattern(options, csv_options, "timestampNTZFormat", LT_PATTERN_PARSE, &self->arena,
                             &self->values.timestamp_ntz_pattern, err));
    self->values.has_fallback  = lt_option_is_true(options, csv_options, "enableDateTimeParsingFallback");
    self->values.nan_text      = lt_option_text(options, csv_options, "nanValue");
    self->values.positive_text = lt_option_text(options, csv_options, "positiveInf");
    self->values.negative_text = lt_option_text(options, csv_options, "negativeInf");
    return LEAT_OK;
}

static leat_status columns_open(csv_decoder *self, leat_error *err) {
    const lt_decode_target *target = self->target;
    LT_TRY_NEW_ARRAY(self->is_read, &self->arena, target->column_count + 1, err);
    self->builder.is_read = self->is_read;
    for (uint32_t c = 0; c < target->column_count; c++) {
        const bool is_wanted = target->is_wanted == NULL || target->is_wanted[c];
        if ((int32_t)c == target->corrupt_column) continue;
        self->is_read[c] = is_wanted && target->types[c]->kind != LT_VOID;
        self->data_columns++;
        if (!is_wanted) self->is_pruned = true;
        if (lt_kind_is_nested(target->types[c]->kind))
            return lt_raise(err, LT_UNSUPPORTED_DATATYPE, NULL, "format `csv` has no nested values: column `%s`",
                            target->names[c]);
    }
    if (target->corrupt_column < 0) return LEAT_OK;
    if (target->is_wanted == NULL || target->is_wanted[target->corrupt_column]) self->is_pruned = false;
    if (target->types[target->corrupt_column]->kind == LT_STRING) return LEAT_OK;
    return lt_raise(err, LT_INVALID_CORRUPT_RECORD_TYPE, NULL,
                    "column `%s` receives malformed records and must be STRING", target->names[target->corrupt_column]);
}

// Tests choose the kernel by `leat.csvIndex`, and `leat.csvBatch` off or always; nobody else can, as these are in no list
// of options.
static leat_status batch_open(csv_decoder *self, const lt_option_values *options, leat_error *err) {
    const char              *use   = lt_option_text(options, csv_options, "leat.csvBatch");
    const lt_csv_batch_setup setup = {
        .kernel         = lt_csv_index_kernel_find(lt_option_text(options, csv_options, "leat.csvIndex")),
        .dialect        = &self->cutter.dialect,
        .values         = &self->values,
        .is_read        = self->is_read,
        .corrupt_column = self->target->corrupt_column,
        .builder        = &self->builder,
        .splitter       = &self->splitter,
        .arena          = &self->arena,
        .never_sleeps   = use != NULL,
    };
    self->has_batch = lt_csv_batch_can_read(&self->cutter.dialect) && self->splitter.separator == NULL &&
                      self->data_columns > 0 && setup.kernel != NULL && (use == NULL || strcmp(use, "off") != 0);
    return self->has_batch ? lt_csv_batch_open(&self->batch, &setup, err) : LEAT_OK;
}

static leat_status csv_open(void *decoder, const lt_option_values *options, const lt_decode_target *target,
                            leat_error *err) {
    csv_decoder *self = decoder;
    self->target      = target;
    lt_arena_init(&self->arena, target->account);
    lt_row_builder_init(&self->builder, target);
    lt_line_splitter_init(&self->splitter, target->account, lt_option_text(options, csv_options, "lineSep"));
    lt_buffer_init(&self->document, target->account, LT_LINE_BYTES_MAX);
    lt_buffer_init(&self->values.digits, target->account, 0);
    self->values.arena = &self->builder.arena;
    lt_csv_cutter_init(&self->cutter, target->account);
    self->is_ready      = true;
    const char *mode    = lt_option_text(options, csv_options, "mode");
    self->mode          = lt_ascii_compare(mode, "FAILFAST") == 0        ? FAIL_FAST
                          : lt_ascii_compare(mode, "DROPMALFORMED") == 0 ? DROP_MALFORMED
                                                                         : PERMISSIVE;
    self->checks_header = !lt_option_is_true(options, csv_options, "enforceSchema");
    LT_TRY(dialect_read(options, &self->cutter.dialect, err));
    LT_TRY(columns_open(self, err));
    LT_TRY(conversion_open(self, options, err));
    return batch_open(self, options, err);
}

static leat_status csv_begin(void *decoder, const char *path, leat_error *err) {
    csv_decoder *self = decoder;
    (void)err;
    self->path         = path;
    self->skips_header = self->cutter.dialect.has_header;
    lt_buffer_reset(&self->document);
    lt_line_splitter_begin(&self->splitter);
    return LEAT_OK;
}

// Without multiLine an end of line ends a record also inside of quotes.
static bool csv_can_split(const lt_option_values *options) {
    return !lt_option_is_true(options, csv_options, "multiLine") &&
           lt_option_text(options, csv_options, "lineSep") == NULL;
}

static void csv_begin_part(void *decoder, const char *path, uint64_t offset, bool is_header_due) {
    csv_decoder *self  = decoder;
    self->path         = path;
    self->skips_header = is_header_due;
    lt_line_splitter_begin_part(&self->splitter, offset);
}

static void csv_part_facts(const void *decoder, uint64_t *out_lines, bool *out_is_header_due) {
    const csv_decoder *self = decoder;
    *out_lines              = self->splitter.number;
    *out_is_header_due      = self->skips_header;
}

// -------------------------------------------------------------------------------------------------------------- decode

static leat_status raise_malformed(csv_decoder *self, const lt_line *line, const char *column, const char *reason,
                                   leat_error *err) {
    const leat_status status = lt_raise(err, LT_FAILED_READ_FILE__NO_HINT, NULL, "%s", reason);
    lt_error_data_place(err, self->path, line->number, line->offset, column);
    return status;
}

// By default columns go by position whatever the header says, as in Spark; a header that says something else is noted
// among the bad rows, so that swapped columns do not pass in silence.
static leat_status note_header(const csv_decoder *self, const lt_line *line, const char *column, leat_error *err) {
    const lt_bad_row bad = {.path         = self->path,
                            .line         = line->number,
                            .offset       = line->offset,
                            .column       = column,
                            .reason       = "the header has other names or another order; columns are read by position",
                            .record       = line->text,
                            .record_bytes = line->bytes};
    return self->target->give_bad != NULL ? self->target->give_bad(self->target->user, &bad, err) : LEAT_OK;
}

static leat_status check_header(csv_decoder *self, const lt_line *line, leat_error *err) {
    self->skips_header = false;
    if (self->cutter.cell_count != self->data_columns) {
        if (!self->checks_header) return note_header(self, line, NULL, err);
        return raise_malformed(self, line, NULL, "the header has another number of names than the stream has columns",
                               err);
    }
    for (uint32_t c = 0, i = 0; c < self->target->column_count; c++) {
        if ((int32_t)c == self->target->corrupt_column) continue;
        const lt_csv_cell *cell = &self->cutter.cells[i++];
        if (lt_csv_text_is_without_case(lt_csv_cell_text(&self->cutter, cell), cell->bytes, self->target->names[c]))
            continue;
        if (!self->checks_header) return note_header(self, line, self->target->names[c], err);
        return raise_malformed(self, line, self->target->names[c],
                               "a name in the header is not the column at its position; enforceSchema is false", err);
    }
    return LEAT_OK;
}

// Cells into the coming row. *bad_column: the first column whose cell is no value of its type.
static leat_status fill_row(csv_decoder *self, bool is_fed, const char **bad_column, leat_error *err) {
    const lt_decode_target *target = self->target;
    const uint32_t          lane   = self->builder.chunk.count;
    lt_arena               *arena  = &self->builder.arena;
    *bad_column                    = NULL;
    for (uint32_t c = 0, i = 0; c < target->column_count; c++) {
        lt_vector         *column    = &self->builder.chunk.columns[c];
        const bool         is_data   = (int32_t)c != target->corrupt_column;
        const bool         is_wanted = target->is_wanted == NULL || target->is_wanted[c];
        const lt_csv_cell *cell      = is_data && i < self->cutter.cell_count ? &self->cutter.cells[i] : NULL;
        i += is_data;
        if (cell == NULL || !is_wanted || column->type->kind == LT_VOID) {
            LT_TRY(lt_lane_put_null(column, lane, arena, err));
            continue;
        }
        const char *text    = lt_csv_cell_text(&self->cutter, cell);
        const bool  is_null = lt_csv_text_is(text, cell->bytes, self->cutter.dialect.null_text);
        bool        is_good = true;
        if (!is_null) {
            lt_vector_set_valid(column, lane);
            LT_TRY(lt_csv_value_put(&self->values, text, cell->bytes, is_fed && cell->text != NULL, column, lane,
                                    &is_good, err));
        }
        if (is_null || !is_good) LT_TRY(lt_lane_put_null(column, lane, arena, err));
        if (!is_good && *bad_column == NULL) *bad_column = target->names[c];
    }
    return LEAT_OK;
}

static leat_status keep_bad(csv_decoder *self, const lt_line *line, const char *column, const char *reason,
                            leat_error *err) {
    if (self->mode == FAIL_FAST)
        return raise_malformed(self, line, column, "malformed record in mode FAILFAST; mode PERMISSIVE makes it NULL",
                               err);
    const lt_bad_row bad = {.path         = self->path,
                            .line         = line->number,
                            .offset       = line->offset,
                            .column       = column,
                            .reason       = reason,
                            .record       = line->text,
                            .record_bytes = line->bytes};
    if (self->target->give_bad != NULL) LT_TRY(self->target->give_bad(self->target->user, &bad, err));
    if (self->mode == DROP_MALFORMED) return LEAT_OK;
    const int32_t corrupt = self->target->corrupt_column;
    if (corrupt >= 0) {
        lt_vector     *into = &self->builder.chunk.columns[corrupt];
        const uint32_t lane = self->builder.chunk.count;
        LT_TRY(lt_string_copy(&self->builder.arena, line->text, line->bytes, &LT_LANES(into, lt_string)[lane], err));
        lt_vector_set_valid(into, lane);
    }
    return lt_row_builder_keep(&self->builder, err);
}

// The record that was cut last.
static leat_status decode_record(csv_decoder *self, const lt_line *line, leat_error *err) {
    const char *bad_column = NULL;
    if (self->skips_header) return check_header(self, line, err);
    LT_TRY(lt_row_builder_begin(&self->builder, err));
    LT_TRY(fill_row(self, line->is_fed, &bad_column, err));
    if (bad_column != NULL) return keep_bad(self, line, bad_column, "not a value of the column's type", err);
    if (self->is_pruned || self->cutter.cell_count == self->data_columns)
        return lt_row_builder_keep(&self->builder, err);
    return keep_bad(self, line, NULL, self->cutter.cell_count < self->data_columns ? "too few cells" : "too many cells",
                    err);
}

static leat_status decode_document(csv_decoder *self, const char *bytes, size_t count, bool is_end, leat_error *err) {
    LT_TRY(lt_buffer_append(&self->document, bytes, count, err));
    if (!is_end) return LEAT_OK;
    const char *at = self->document.data, *end = at + self->document.bytes;
    if (self->document.bytes >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    lt_line line = {.number = 1};
    while (at < end) {
        const char *stop = at, *next = NULL;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        if (!lt_csv_is_record(&self->cutter.dialect, at, (size_t)(stop - at))) {
            next = stop + (stop < end && *stop == '\r');
            next += next < end && *next == '\n';
        } else {
            LT_TRY(lt_csv_cut_record(&self->cutter, at, end, &next, err));
            line.text   = at;
            line.bytes  = (size_t)(next - at);
            line.offset = (uint64_t)(at - self->document.data);
            while (line.bytes > 0 && (at[line.bytes - 1] == '\n' || at[line.bytes - 1] == '\r')) line.bytes--;
            LT_TRY(decode_record(self, &line, err));
        }
        for (const char *byte = at; byte < next; byte++) line.number += *byte == '\n';
        at = next;
    }
    return LEAT_OK;
}

// Takes rows by the batch as long as there are some at the start of a line.
static leat_status take_rows(csv_decoder *self, leat_error *err) {
    uint32_t rows = 1;
    while (rows > 0 && !self->skips_header && lt_line_splitter_is_at_start(&self->splitter) &&
           self->splitter.next < self->splitter.end) {
        LT_TRY(lt_row_builder_begin(&self->builder, err));
        LT_TRY(lt_csv_batch_take(&self->batch, &rows, err));
    }
    return LEAT_OK;
}

static leat_status csv_decode(void *decoder, const char *bytes, size_t count, bool is_end, leat_error *err) {
    csv_decoder *self = decoder;
    if (self->cutter.dialect.is_multi_line) return decode_document(self, bytes, count, is_end, err);
    lt_line_splitter_feed(&self->splitter, bytes, count, is_end);
    lt_csv_batch_feed(&self->batch);
    for (;;) {
        lt_line     line;
        bool        has_line;
        const char *next;
        if (self->has_batch) LT_TRY(take_rows(self, err));
        LT_TRY(lt_line_splitter_next(&self->splitter, &line, &has_line, err));
        if (!has_line) break;
        if (!lt_csv_is_record(&self->cutter.dialect, line.text, line.bytes)) continue;
        LT_TRY(lt_csv_cut_record(&self->cutter, line.text, line.text + line.bytes, &next, err));
        LT_TRY(decode_record(self, &line, err));
    }
    return lt_row_builder_settle(&self->builder, bytes, bytes + count, err);
}

static leat_status csv_flush(void *decoder, leat_error *err) {
    return lt_row_builder_give(&((csv_decoder *)decoder)->builder, err);
}

static void csv_close(void *decoder) {
    csv_decoder *self = decoder;
    if (!self->is_ready) return;
    lt_csv_cutter_deinit(&self->cutter);
    lt_buffer_deinit(&self->values.digits);
    lt_buffer_deinit(&self->document);
    lt_line_splitter_deinit(&self->splitter);
    lt_row_builder_deinit(&self->builder);
    lt_arena_deinit(&self->arena);
    self->is_ready = false;
}

// -------------------------------------------------------------------------------------------------------------- encode

typedef struct csv_style {
    const char *separator, *line_end, *null_text;
    size_t      separator_bytes;
    char        quote, escape;
    bool        quotes_all;
    bool        may_need_quotes[256]; // by byte: quote, line ends, the first of the separator
} csv_style;

static leat_status style_read(const lt_option_values *options, csv_style *out, leat_error *err) {
    const char *separator = lt_option_text(options, csv_options, "sep");
    if (separator == NULL) separator = lt_option_text(options, csv_options, "delimiter");
    const char *line_end = lt_option_text(options, csv_options, "lineSep");
    out->separator       = separator == NULL ? "," : strcmp(separator, "\\t") == 0 ? "\t" : separator;
    out->line_end        = line_end == NULL ? "\n" : line_end;
    out->null_text       = lt_option_text(options, csv_options, "nullValue");
    out->quotes_all      = lt_option_is_true(options, csv_options, "quoteAll");
    out->separator_bytes = strlen(out->separator);
    out->quotes_all |= out->separator_bytes == 0; // nothing else tells cells apart
    LT_TRY(character_option(options, "quote", '"', &out->quote, err));
    const char special[] = {out->quote, '\n', '\r', out->separator[0]};
    for (size_t i = 0; i < sizeof special; i++) out->may_need_quotes[(uint8_t)special[i]] = true;
    return character_option(options, "escape", out->quote, &out->escape, err);
}

// RFC 4180: quotes where a separator, quote or line end is inside; the empty text is "", since nothing is NULL.
static leat_status write_cell(const csv_style *style, const char *text, size_t bytes, lt_buffer *out, leat_error *err) {
    bool needs_quotes = style->quotes_all || bytes == 0 || lt_csv_text_is(text, bytes, style->null_text);
    for (size_t i = 0; i < bytes && !needs_quotes; i++) {
        if (!style->may_need_quotes[(uint8_t)text[i]]) continue;
        needs_quotes =
            text[i] == style->quote || text[i] == '\n' || text[i] == '\r' ||
            (bytes - i >= style->separator_bytes && memcmp(text + i, style->separator, style->separator_bytes) == 0);
    }
    if (!needs_quotes || style->quote == '\0') return lt_buffer_append(out, text, bytes, err);
    LT_TRY(lt_buffer_append_byte(out, style->quote, err));
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == style->quote || (text[i] == style->escape && style->escape != style->quote))
            LT_TRY(lt_buffer_append_byte(out, style->escape, err));
        LT_TRY(lt_buffer_append_byte(out, text[i], err));
    }
    return lt_buffer_append_byte(out, style->quote, err);
}

static leat_status csv_encode_header(const lt_option_values *options, const char *const *names,
                                     const lt_type *const *types, uint32_t column_count, lt_buffer *out,
                                     leat_error *err) {
    csv_style style;
    (void)types;
    if (!lt_option_is_true(options, csv_options, "header")) return LEAT_OK;
    LT_TRY(style_read(options, &style, err));
    for (uint32_t c = 0; c < column_count; c++) {
        if (c > 0) LT_TRY(lt_buffer_append_text(out, style.separator, err));
        LT_TRY(write_cell(&style, names[c], strlen(names[c]), out, err));
    }
    return lt_buffer_append_text(out, style.line_end, err);
}

typedef struct csv_writer {
    csv_style                  style;
    lt_value_text              printer;
    lt_time_zone               utc;
    const lt_datetime_pattern *date_pattern, *timestamp_pattern, *timestamp_ntz_pattern;
    lt_arena                   arena; // patterns
    lt_buffer                  text;  // of one value
} csv_writer;

static leat_status writer_open(csv_writer *self, const lt_option_values *options, const lt_evaluation *evaluation,
                               leat_error *err) {
    const char *zone = lt_option_text(options, csv_options, "timeZone");
    LT_TRY(style_read(options, &self->style, err));
    LT_TRY(lt_value_text_init(&self->printer, LT_VALUE_TEXT_CAST, evaluation, err));
    LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &self->utc, err));
    if (zone != NULL) LT_TRY(lt_time_zone_find(evaluation->zones, zone, strlen(zone), &self->printer.zone, err));
    LT_TRY(lt_option_pattern(options, csv_options, "dateFormat", LT_PATTERN_FORMAT, &self->arena, &self->date_pattern,
                             err));
    LT_TRY(lt_option_pattern(options, csv_options, "timestampFormat", LT_PATTERN_FORMAT, &self->arena,
                             &self->timestamp_pattern, err));
    return lt_option_pattern(options, csv_options, "timestampNTZFormat", LT_PATTERN_FORMAT, &self->arena,
                             &self->timestamp_ntz_pattern, err);
}

static leat_status write_value(csv_writer *self, const lt_vector *column, uint32_t row, lt_buffer *out,
                               leat_error *err) {
    if (lt_vector_is_null(column, row)) return lt_buffer_append_text(out, self->style.null_text, err);
    const lt_kind kind = column->type->kind;
    if (kind == LT_STRING) {
        const lt_string *text = &LT_VALUE(column, lt_string, row);
        return write_cell(&self->style, lt_string_data(text), text->bytes, out, err);
    }
    lt_buffer_reset(&self->text);
    if (kind == LT_DATE && self->date_pattern != NULL)
        LT_TRY(lt_datetime_pattern_format(self->date_pattern, &self->utc,
                                          LT_VALUE(column, int32_t, row) * LT_US_PER_DAY, &self->text, err));
    else if (kind == LT_TIMESTAMP && self->timestamp_pattern != NULL)
        LT_TRY(lt_datetime_pattern_format(self->timestamp_pattern, &self->printer.zone, LT_VALUE(column, int64_t, row),
                                          &self->text, err));
    else if (kind == LT_TIMESTAMP_NTZ && self->timestamp_ntz_pattern != NULL)
        LT_TRY(lt_datetime_pattern_format(self->timestamp_ntz_pattern, &self->utc, LT_VALUE(column, int64_t, row),
                                          &self->text, err));
    else
        LT_TRY(lt_value_text_append(&self->printer, column, row, &self->text, err));
    return write_cell(&self->style, self->text.data == NULL ? "" : self->text.data, self->text.bytes, out, err);
}

static leat_status csv_encode(const lt_option_values *options, const char *const *names, const lt_chunk *chunk,
                              lt_evaluation *evaluation, lt_buffer *out, leat_error *err) {
    csv_writer writer = {0};
    (void)names;
    lt_arena_init(&writer.arena, out->account);
    lt_buffer_init(&writer.text, out->account, 0);
    leat_status status = writer_open(&writer, options, evaluation, err);
    for (uint32_t row = 0; status == LEAT_OK && row < chunk->count; row++) {
        for (uint32_t c = 0; status == LEAT_OK && c < chunk->column_count; c++) {
            if (c > 0) status = lt_buffer_append_text(out, writer.style.separator, err);
            if (status == LEAT_OK) status = write_value(&writer, &chunk->columns[c], row, out, err);
        }
        if (status == LEAT_OK) status = lt_buffer_append_text(out, writer.style.line_end, err);
    }
    lt_buffer_deinit(&writer.text);
    lt_arena_deinit(&writer.arena);
    return status;
}

// --------------------------------------------------------------------------------------------------------------- infer

typedef struct csv_inference {
    const lt_option_values *options;
    lt_csv_cutter           cutter;
    lt_arena               *arena;
    lt_inferred_times       times;
    lt_field               *fields; // by position
    uint32_t                count;
    bool                    has_names, infers_types, prefers_dates;
} csv_inference;

// The narrowest type of a cell: INT, BIGINT, DECIMAL of 38 digits, DOUBLE, DATE, TIMESTAMP, BOOLEAN, STRING.
static const lt_type *infer_cell(const csv_inference *self, const char *text, size_t bytes) {
    const lt_option_values *options = self->options;
    lt_int128               decimal;
    lt_decimal_shape        shape;
    int64_t                 integer;
    double                  number;
    if (lt_int64_parse(text, bytes, &integer) == LT_NUMBER_OK)
        return lt_type_of(integer >= INT32_MIN && integer <= INT32_MAX ? LT_INT : LT_BIGINT);
    if (lt_decimal_parse_exact(text, bytes, &decimal, &shape) == LT_NUMBER_OK && shape.scale == 0 &&
        memchr(text, '.', bytes) == NULL && memchr(text, 'e', bytes) == NULL && memchr(text, 'E', bytes) == NULL)
        return lt_type_decimal(self->arena, shape.precision, 0);
    if (lt_csv_double_parse(text, bytes, &number) ||
        lt_csv_text_is(text, bytes, lt_option_text(options, csv_options, "nanValue")) ||
        lt_csv_text_is(text, bytes, lt_option_text(options, csv_options, "positiveInf")) ||
        lt_csv_text_is(text, bytes, lt_option_text(options, csv_options, "negativeInf")))
        return lt_type_of(LT_DOUBLE);
    if (self->prefers_dates && lt_inferred_is_date(&self->times, text, bytes)) return lt_type_of(LT_DATE);
    if (lt_inferred_is_timestamp(&self->times, text, bytes)) return lt_type_of(LT_TIMESTAMP);
    if (lt_csv_text_is_without_case(text, bytes, "true") || lt_csv_text_is_without_case(text, bytes, "false"))
        return lt_type_of(LT_BOOLEAN);
    return lt_type_of(LT_STRING);
}

static leat_status merge_types(const csv_inference *self, const lt_type *a, const lt_type *b, const lt_type **out,
                               leat_error *err) {
    if (!self->times.dates_are_timestamps && lt_kind_is_datetime(a->kind) && lt_kind_is_datetime(b->kind) &&
        a->kind != b->kind) {
        *out = lt_type_of(LT_STRING);
        return LEAT_OK;
    }
    return lt_inferred_merge(self->arena, a, b, out, err);
}

static leat_status infer_names(csv_inference *self, leat_error *err) {
    self->has_names = true;
    self->count     = (uint32_t)self->cutter.cell_count;
    LT_TRY_NEW_ARRAY(self->fields, self->arena, self->count, err);
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_csv_cell *cell     = &self->cutter.cells[i];
        const bool         is_named = self->cutter.dialect.has_header && cell->bytes > 0;
        const char *name = is_named ? lt_arena_text(self->arena, lt_csv_cell_text(&self->cutter, cell), cell->bytes)
                                    : lt_arena_format(self->arena, "_c%u", i);
        if (name == NULL) return lt_raise_no_memory(err);
        self->fields[i] = (lt_field){.name = name, .type = lt_type_of(self->infers_types ? LT_VOID : LT_STRING)};
    }
    return LEAT_OK;
}

static leat_status infer_record(csv_inference *self, leat_error *err) {
    if (!self->has_names) {
        LT_TRY(infer_names(self, err));
        if (self->cutter.dialect.has_header) return LEAT_OK;
    }
    for (uint32_t i = 0; self->infers_types && i < self->count && i < self->cutter.cell_count; i++) {
        const lt_csv_cell *cell = &self->cutter.cells[i];
        const char        *text = lt_csv_cell_text(&self->cutter, cell);
        if (lt_csv_text_is(text, cell->bytes, self->cutter.dialect.null_text)) continue;
        const lt_type *type = infer_cell(self, text, cell->bytes);
        if (type == NULL) return lt_raise_no_memory(err);
        LT_TRY(merge_types(self, self->fields[i].type, type, &self->fields[i].type, err));
    }
    return LEAT_OK;
}

static leat_status infer_lines(csv_inference *self, lt_line_splitter *splitter, leat_error *err) {
    for (;;) {
        lt_line     line;
        bool        has_line;
        const char *next;
        LT_TRY(lt_line_splitter_next(splitter, &line, &has_line, err));
        if (!has_line) return LEAT_OK;
        if (!lt_csv_is_record(&self->cutter.dialect, line.text, line.bytes)) continue;
        LT_TRY(lt_csv_cut_record(&self->cutter, line.text, line.text + line.bytes, &next, err));
        LT_TRY(infer_record(self, err));
    }
}

// Later files widen the columns of the first one by position.
static leat_status csv_infer(const lt_option_values *options, const char *bytes, size_t count, lt_arena *arena,
                             const lt_type **out_struct, leat_error *err) {
    csv_inference self = {
        .options       = options,
        .arena         = arena,
        .infers_types  = lt_option_is_true(options, csv_options, "inferSchema"),
        .prefers_dates = lt_option_is_true(options, csv_options, "preferDate"),
    };
    LT_TRY(lt_inferred_times_init(&self.times, options, csv_options, arena, err));
    lt_line_splitter splitter;
    lt_csv_cutter_init(&self.cutter, arena->account);
    lt_line_splitter_init(&splitter, arena->account, lt_option_text(options, csv_options, "lineSep"));
    leat_status status = dialect_read(options, &self.cutter.dialect, err);
    // Cells that span lines are seen as several records here: their columns are STRING either way.
    self.cutter.dialect.is_multi_line = false;
    lt_line_splitter_begin(&splitter);
    lt_line_splitter_feed(&splitter, bytes, count, true);
    if (status == LEAT_OK) status = infer_lines(&self, &splitter, err);
    if (status == LEAT_OK && *out_struct == NULL) {
        *out_struct = lt_type_struct(arena, self.fields, self.count);
        if (*out_struct == NULL) status = lt_raise_no_memory(err);
    } else if (status == LEAT_OK) {
        const lt_type *first  = *out_struct;
        lt_field      *fields = LT_NEW_ARRAY(arena, lt_field, first->field_count);
        if (fields == NULL) status = lt_raise_no_memory(err);
        for (uint32_t i = 0; status == LEAT_OK && i < first->field_count; i++) {
            fields[i] = first->fields[i];
            if (i < self.count) status = merge_types(&self, fields[i].type, self.fields[i].type, &fields[i].type, err);
        }
        if (status == LEAT_OK) *out_struct = lt_type_struct(arena, fields, first->field_count);
    }
    lt_line_splitter_deinit(&splitter);
    lt_csv_cutter_deinit(&self.cutter);
    return status;
}

const lt_format lt_formats_csv = {
    .name          = "csv",
    .extensions    = ".csv .tsv",
    .options       = csv_options,
    .decoder_bytes = sizeof(csv_decoder),
    .open          = csv_open,
    .begin         = csv_begin,
    .decode        = csv_decode,
    .flush         = csv_flush,
    .can_split     = csv_can_split,
    .begin_part    = csv_begin_part,
    .part_facts    = csv_part_facts,
    .close         = csv_close,
    .encode_header = csv_encode_header,
    .encode        = csv_encode,
    .infer         = csv_infer,
    .is_filtering  = true,
    .summary       = "Cells between separators: columns by position.",
    .example       = "CREATE STREAM s (id INT, name STRING) USING csv OPTIONS (path 'in', header 'true')",
};
