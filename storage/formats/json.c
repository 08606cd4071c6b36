// json: JSON Lines, one value a line: an object is a row, an array a row for each of its objects.
//
// Three readers of the same rules. The walker (decode_record) is complete: it reads a whole line with the JSON reader
// and knows every mode, option and kind of bad record. json_rows takes one plain row, json_batch many rows of a shape
// that was met before; both leave whatever is not good to the walker, so they never decide that something is bad.
// Values meet their types in base/json_convert.c, but for plain ones.
// Source: Spark SQL 4, JacksonParser and FailureSafeParser; spark-semantics 2.1 and 2.2.
#include "base/ascii.h"
#include "base/json_convert.h"
#include "base/json_writer.h"
#include "base/lanes.h"
#include "base/number_text.h"
#include "storage/inference.h"
#include "storage/json_batch.h"
#include "storage/json_rows.h"
#include "storage/line_splitter.h"
#include "storage/row_builder.h"

typedef enum json_mode { PERMISSIVE, DROP_MALFORMED, FAIL_FAST } json_mode;

typedef struct json_decoder {
    const lt_decode_target *target; // borrows
    lt_arena                arena;  // patterns, fields, keys
    lt_row_builder          builder;
    lt_line_splitter        splitter;
    lt_buffer               document; // multiLine: the file
    lt_json_reader          reader;
    lt_json_conversion      conversion;
    lt_field               *fields; // by column; the name of one that is not read is no UTF-8, so it meets no member
    uint32_t               *name_bytes;
    bool                   *is_read;
    uint32_t                read_count;
    lt_json_batch           batch; // rows by their shape
    lt_json_rows            rows;  // the fast reader of a row
    json_mode               mode;
    const char             *path; // of the file, or NULL
    bool                    is_multi_line, is_fast, has_batch, is_ready;
} json_decoder;

static const lt_option json_options[] = {
    {.name    = "mode",
     .words   = "PERMISSIVE DROPMALFORMED FAILFAST",
     .initial = "PERMISSIVE",
     .summary = "malformed rows: keep what can be read, drop, or fail"},
    {.name    = "columnNameOfCorruptRecord",
     .initial = "_corrupt_record",
     .summary = "STRING column that receives a malformed line"},
    {.name = "multiLine", .words = "BOOL", .initial = "false", .summary = "a file is one JSON value"},
    {.name = "lineSep", .summary = "end of a line; default \\n, \\r\\n or \\r"},
    {.name = "timestampFormat", .summary = "pattern of TIMESTAMP"},
    {.name = "timestampNTZFormat", .summary = "pattern of TIMESTAMP_NTZ"},
    {.name = "dateFormat", .summary = "pattern of DATE"},
    {.name    = "enableDateTimeParsingFallback",
     .words   = "BOOL",
     .summary = "also take what CAST takes; default: only without patterns"},
    {.name = "timeZone", .summary = "zone of texts without one; default the session's"},
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
    {.name = "allowSingleQuotes", .words = "BOOL", .initial = "true", .summary = "{'a': 'b'}"},
    {.name = "allowNonNumericNumbers", .words = "BOOL", .initial = "true", .summary = "NaN, Infinity, -INF"},
    {.name = "allowComments", .words = "BOOL", .initial = "false", .summary = "/* */ and //"},
    {.name = "allowUnquotedFieldNames", .words = "BOOL", .initial = "false", .summary = "{a: 1}"},
    {.name = "allowNumericLeadingZeros", .words = "BOOL", .initial = "false", .summary = "007"},
    {.name = "allowBackslashEscapingAnyCharacter", .words = "BOOL", .initial = "false", .summary = "\"\\q\""},
    {.name = "allowUnquotedControlChars", .words = "BOOL", .initial = "false", .summary = "a TAB inside a string"},
    {.name = "primitivesAsString", .words = "BOOL", .initial = "false", .summary = "inference: scalars are STRING"},
    {.name = "prefersDecimal", .words = "BOOL", .initial = "false", .summary = "inference: DECIMAL before DOUBLE"},
    {.name = "inferTimestamp", .words = "BOOL", .initial = "false", .summary = "inference: TIMESTAMP from texts"},
    {.name = "dropFieldIfAllNull", .words = "BOOL", .initial = "false", .summary = "inference: no column of NULLs"},
    {.name = "samplingRatio", .initial = "1.0", .summary = "inference reads all rows"},
    {.name = "ignoreNullFields", .words = "BOOL", .initial = "false", .summary = "writing: leave out NULL members"},
    {.name = "compression", .summary = "reading goes by the file itself"},
    {0},
};

// ---------------------------------------------------------------------------------------------------------------- open

static lt_json_options reader_options(const lt_option_values *options) {
    return (lt_json_options){
        .allow_single_quotes      = lt_option_is_true(options, json_options, "allowSingleQuotes"),
        .allow_non_numeric        = lt_option_is_true(options, json_options, "allowNonNumericNumbers"),
        .allow_comments           = lt_option_is_true(options, json_options, "allowComments"),
        .allow_unquoted_names     = lt_option_is_true(options, json_options, "allowUnquotedFieldNames"),
        .allow_leading_zeros      = lt_option_is_true(options, json_options, "allowNumericLeadingZeros"),
        .allow_backslash_any      = lt_option_is_true(options, json_options, "allowBackslashEscapingAnyCharacter"),
        .allow_control_characters = lt_option_is_true(options, json_options, "allowUnquotedControlChars"),
    };
}

static leat_status conversion_open(json_decoder *self, const lt_option_values *options, leat_error *err) {
    lt_json_conversion *conversion = &self->conversion;
    LT_TRY(lt_json_conversion_init(conversion, &self->builder.arena, self->target->evaluation, err));
    const char *zone = lt_option_text(options, json_options, "timeZone");
    if (zone != NULL)
        LT_TRY(lt_time_zone_find(conversion->datetime.zones, zone, strlen(zone), &conversion->datetime.zone, err));
    LT_TRY(lt_option_pattern(options, json_options, "dateFormat", LT_PATTERN_PARSE, &self->arena,
                             &conversion->date_pattern, err));
    LT_TRY(lt_option_pattern(options, json_options, "timestampFormat", LT_PATTERN_PARSE, &self->arena,
                             &conversion->timestamp_pattern, err));
    LT_TRY(lt_option_pattern(options, json_options, "timestampNTZFormat", LT_PATTERN_PARSE, &self->arena,
                             &conversion->timestamp_ntz_pattern, err));
    conversion->has_fallback  = lt_option_is_true(options, json_options, "enableDateTimeParsingFallback");
    conversion->is_text_exact = true;
    return LEAT_OK;
}

static leat_status columns_open(json_decoder *self, leat_error *err) {
    const lt_decode_target *target = self->target;
    const uint32_t          count  = target->column_count;
    LT_TRY_NEW_ARRAY(self->fields, &self->arena, count + 1, err);
    LT_TRY_NEW_ARRAY(self->name_bytes, &self->arena, count + 1, err);
    LT_TRY_NEW_ARRAY(self->is_read, &self->arena, count + 1, err);
    self->builder.is_read = self->is_read;
    for (uint32_t c = 0; c < count; c++) {
        const bool is_read =
            (int32_t)c != target->corrupt_column && (target->is_wanted == NULL || target->is_wanted[c]);
        self->is_read[c]    = is_read;
        self->fields[c]     = (lt_field){.name = is_read ? target->names[c] : "\xFF", .type = target->types[c]};
        self->name_bytes[c] = (uint32_t)strlen(self->fields[c].name);
        self->read_count += is_read;
    }
    self->rows = (lt_json_rows){.target     = target,
                                .builder    = &self->builder,
                                .reader     = &self->reader,
                                .conversion = &self->conversion,
                                .fields     = self->fields,
                                .name_bytes = self->name_bytes,
                                .is_read    = self->is_read,
                                .read_count = self->read_count};
    return lt_json_rows_open(&self->rows, &self->arena, err);
}

// Tests choose the kernel by `leat.jsonIndex`, and templates by `leat.jsonTemplates` off or always; nobody else can, as
// these are in no list of options.
static leat_status batch_open(json_decoder *self, const lt_option_values *options, leat_error *err) {
    const char               *templates = lt_option_text(options, json_options, "leat.jsonTemplates");
    const lt_json_batch_setup setup     = {
            .kernel           = lt_json_index_kernel_find(lt_option_text(options, json_options, "leat.jsonIndex")),
            .columns          = {self->fields, self->name_bytes, self->is_read, self->target->column_count},
            .conversion       = &self->conversion,
            .reader           = &self->reader,
            .builder          = &self->builder,
            .splitter         = &self->splitter,
            .arena            = &self->arena,
            .never_sleeps     = templates != NULL,
            .has_only_members = templates != NULL && strcmp(templates, "members") == 0,
    };
    self->has_batch = self->is_fast && setup.kernel != NULL && (templates == NULL || strcmp(templates, "off") != 0);
    return self->has_batch ? lt_json_batch_open(&self->batch, &setup, err) : LEAT_OK;
}

static leat_status json_open(void *decoder, const lt_option_values *options, const lt_decode_target *target,
                             leat_error *err) {
    json_decoder *self = decoder;
    self->target       = target;
    if (target->corrupt_column >= 0 && target->types[target->corrupt_column]->kind != LT_STRING)
        return lt_raise(err, LT_INVALID_CORRUPT_RECORD_TYPE, NULL,
                        "column `%s` receives malformed records and must be STRING",
                        target->names[target->corrupt_column]);
    const lt_json_options leniency = reader_options(options);
    lt_arena_init(&self->arena, target->account);
    lt_row_builder_init(&self->builder, target);
    lt_line_splitter_init(&self->splitter, target->account, lt_option_text(options, json_options, "lineSep"));
    lt_buffer_init(&self->document, target->account, LT_LINE_BYTES_MAX);
    lt_json_reader_init(&self->reader, &leniency, target->account);
    lt_buffer_init(&self->conversion.scratch, target->account, 0);
    self->is_ready         = true;
    const char *mode       = lt_option_text(options, json_options, "mode");
    self->mode             = lt_ascii_compare(mode, "FAILFAST") == 0        ? FAIL_FAST
                             : lt_ascii_compare(mode, "DROPMALFORMED") == 0 ? DROP_MALFORMED
                                                                            : PERMISSIVE;
    self->is_multi_line    = lt_option_is_true(options, json_options, "multiLine");
    lt_json_options strict = lt_json_options_default();
    self->is_fast =
        !self->is_multi_line && self->splitter.separator == NULL && memcmp(&leniency, &strict, sizeof strict) == 0;
    LT_TRY(columns_open(self, err));
    LT_TRY(conversion_open(self, options, err));
    return batch_open(self, options, err);
}

static leat_status json_begin(void *decoder, const char *path, leat_error *err) {
    json_decoder *self = decoder;
    (void)err;
    self->path = path;
    lt_buffer_reset(&self->document);
    lt_line_splitter_begin(&self->splitter);
    return LEAT_OK;
}

static bool json_can_split(const lt_option_values *options) {
    return !lt_option_is_true(options, json_options, "multiLine") &&
           lt_option_text(options, json_options, "lineSep") == NULL;
}

static void json_begin_part(void *decoder, const char *path, uint64_t offset, bool is_header_due) {
    json_decoder *self = decoder;
    (void)is_header_due;
    self->path = path;
    lt_line_splitter_begin_part(&self->splitter, offset);
}

static void json_part_facts(const void *decoder, uint64_t *out_lines, bool *out_is_header_due) {
    *out_lines         = ((const json_decoder *)decoder)->splitter.number;
    *out_is_header_due = false;
}

// -------------------------------------------------------------------------------------------------------------- walker

typedef struct json_record {
    const char *text;
    size_t      bytes;
    uint64_t    number, offset; // line, byte
    bool        is_fed;         // text is of the fed bytes, which live until settle
} json_record;

static leat_status row_put_nulls(json_decoder *self, leat_error *err) {
    LT_TRY(lt_row_builder_begin(&self->builder, err));
    const uint32_t lane = self->builder.chunk.count;
    for (uint32_t c = 0; c < self->target->column_count; c++)
        LT_TRY(lt_lane_put_null(&self->builder.chunk.columns[c], lane, &self->builder.arena, err));
    return LEAT_OK;
}

// Keeps the row of a malformed record, with the record in its column.
static leat_status row_keep_bad(json_decoder *self, const json_record *record, leat_error *err) {
    const int32_t corrupt = self->target->corrupt_column;
    if (corrupt >= 0) {
        lt_vector     *column = &self->builder.chunk.columns[corrupt];
        const uint32_t lane   = self->builder.chunk.count;
        LT_TRY(
            lt_string_copy(&self->builder.arena, record->text, record->bytes, &LT_LANES(column, lt_string)[lane], err));
        lt_vector_set_valid(column, lane);
    }
    return lt_row_builder_keep(&self->builder, err);
}

// Tells of a malformed record; FAILFAST ends here.
static leat_status record_report(json_decoder *self, const json_record *record, const char *column, const char *reason,
                                 leat_error *err) {
    if (reason == NULL) reason = "not JSON";
    if (self->mode == FAIL_FAST) {
        const leat_status status =
            lt_raise(err, LT_FAILED_READ_FILE__NO_HINT, NULL,
                     "malformed record in mode FAILFAST: %s%s%s%s; mode PERMISSIVE makes it NULL", reason,
                     column == NULL ? "" : " in `", column == NULL ? "" : column, column == NULL ? "" : "`");
        lt_error_data_place(err, self->path, record->number, record->offset, column);
        return status;
    }
    const lt_bad_row bad = {.path         = self->path,
                            .line         = record->number,
                            .offset       = record->offset,
                            .column       = column,
                            .reason       = reason,
                            .record       = record->text,
                            .record_bytes = record->bytes};
    return self->target->give_bad == NULL ? LEAT_OK : self->target->give_bad(self->target->user, &bad, err);
}

// A record of which nothing can be read.
static leat_status record_is_bad(json_decoder *self, const json_record *record, const char *reason, leat_error *err) {
    LT_TRY(record_report(self, record, NULL, reason, err));
    if (self->mode == DROP_MALFORMED) return LEAT_OK;
    LT_TRY(row_put_nulls(self, err));
    return row_keep_bad(self, record, err);
}

// The object at the reader's token into the coming row, which is not kept yet.
static leat_status fill_row(json_decoder *self, lt_json_outcome *out, leat_error *err) {
    LT_TRY(row_put_nulls(self, err));
    self->conversion.column = self->conversion.problem = NULL;
    return lt_json_convert_fields(&self->conversion, &self->reader, self->fields, self->builder.chunk.columns,
                                  self->target->column_count, self->builder.chunk.count, out, err);
}

static leat_status decode_object(json_decoder *self, const json_record *record, leat_error *err) {
    lt_json_outcome outcome = LT_JSON_GOOD;
    LT_TRY(fill_row(self, &outcome, err));
    if (self->reader.has_no_memory) return lt_raise_no_memory(err);
    if (outcome == LT_JSON_GOOD) return lt_row_builder_keep(&self->builder, err);
    if (outcome == LT_JSON_BROKEN) return record_is_bad(self, record, self->reader.problem, err);
    LT_TRY(record_report(self, record, self->conversion.column, self->conversion.problem, err));
    return self->mode == DROP_MALFORMED ? LEAT_OK : row_keep_bad(self, record, err);
}

// An array stands or falls as one record, so it is read twice: first for its verdict, then for its rows.
static leat_status decode_array(json_decoder *self, const json_record *record, leat_error *err) {
    bool        is_partial = false;
    const char *column = NULL, *problem = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            lt_json_reader_open(&self->reader, record->text, record->bytes);
            (void)lt_json_next(&self->reader);
        }
        for (;;) {
            const lt_json_token token = lt_json_next(&self->reader);
            if (token == LT_JSON_ARRAY_END) break;
            if (self->reader.has_no_memory) return lt_raise_no_memory(err);
            if (token != LT_JSON_OBJECT)
                return record_is_bad(self, record,
                                     token == LT_JSON_BAD ? self->reader.problem : "an element is not an object", err);
            lt_json_outcome outcome = LT_JSON_GOOD;
            LT_TRY(fill_row(self, &outcome, err));
            if (outcome == LT_JSON_BROKEN) return record_is_bad(self, record, self->reader.problem, err);
            if (outcome == LT_JSON_PARTIAL && !is_partial)
                is_partial = true, column = self->conversion.column, problem = self->conversion.problem;
            if (pass == 1 && is_partial)
                LT_TRY(row_keep_bad(self, record, err));
            else if (pass == 1)
                LT_TRY(lt_row_builder_keep(&self->builder, err));
        }
        if (pass == 0 && is_partial) LT_TRY(record_report(self, record, column, problem, err));
        if (is_partial && self->mode == DROP_MALFORMED) return LEAT_OK;
    }
    return LEAT_OK;
}

static leat_status decode_record(json_decoder *self, const json_record *record, leat_error *err) {
    self->conversion.shares_source = record->is_fed;
    lt_json_reader_open(&self->reader, record->text, record->bytes);
    const lt_json_token token = lt_json_next(&self->reader);
    switch (token) {
    case LT_JSON_END:
        return LEAT_OK; // a blank line is no row
    case LT_JSON_OBJECT:
        return decode_object(self, record, err);
    case LT_JSON_ARRAY:
        return decode_array(self, record, err);
    default:
        if (self->reader.has_no_memory) return lt_raise_no_memory(err);
        return record_is_bad(self, record, token == LT_JSON_BAD ? self->reader.problem : "not an object", err);
    }
}

// -------------------------------------------------------------------------------------------------------------- decode

// Takes plain rows as long as there are some at the start of a line.
static leat_status take_plain_rows(json_decoder *self, leat_error *err) {
    lt_line_splitter *splitter     = &self->splitter;
    self->conversion.shares_source = true;
    while (lt_line_splitter_is_at_start(splitter) && splitter->next < splitter->end) {
        LT_TRY(lt_row_builder_begin(&self->builder, err));
        if (self->has_batch) {
            uint32_t rows = 0;
            LT_TRY(lt_json_batch_take(&self->batch, &rows, err));
            if (rows > 0) continue;
        }
        const char *start  = splitter->next;
        leat_status status = LEAT_OK;
        const char *at     = lt_json_rows_read(&self->rows, splitter->next, splitter->end, &status, err);
        LT_TRY(status);
        if (at == NULL) return LEAT_OK;
        if (at < splitter->end && *at == '\n')
            at++;
        else if (splitter->end - at >= 2 && at[0] == '\r' && at[1] == '\n')
            at += 2;
        else if (at != splitter->end || !splitter->is_end)
            return LEAT_OK;
        if (self->has_batch && at[-1] == '\n') LT_TRY(lt_json_batch_missed(&self->batch, start, at, err));
        LT_TRY(lt_row_builder_keep(&self->builder, err));
        lt_line_splitter_take(splitter, at);
    }
    return LEAT_OK;
}

// A line that was cut is as plain as others, as a rule.
static leat_status take_plain_line(json_decoder *self, const lt_line *line, bool *out_is_taken, leat_error *err) {
    leat_status status             = LEAT_OK;
    const char *end                = line->text + line->bytes;
    self->conversion.shares_source = false;
    LT_TRY(lt_row_builder_begin(&self->builder, err));
    *out_is_taken = lt_json_rows_read(&self->rows, line->text, end, &status, err) == end;
    if (status != LEAT_OK || !*out_is_taken) return status;
    return lt_row_builder_keep_copied(&self->builder, line->text, end, err);
}

static leat_status decode_document(json_decoder *self, const char *bytes, size_t count, bool is_end, leat_error *err) {
    LT_TRY(lt_buffer_append(&self->document, bytes, count, err));
    if (!is_end) return LEAT_OK;
    json_record record = {.text = self->document.data, .bytes = self->document.bytes, .number = 1};
    if (record.bytes >= 3 && memcmp(record.text, "\xEF\xBB\xBF", 3) == 0) record.text += 3, record.bytes -= 3;
    return decode_record(self, &record, err);
}

static leat_status json_decode(void *decoder, const char *bytes, size_t count, bool is_end, leat_error *err) {
    json_decoder *self = decoder;
    if (self->is_multi_line) return decode_document(self, bytes, count, is_end, err);
    lt_line_splitter_feed(&self->splitter, bytes, count, is_end);
    lt_json_batch_feed(&self->batch);
    for (;;) {
        lt_line line;
        bool    has_line;
        if (self->is_fast) LT_TRY(take_plain_rows(self, err));
        LT_TRY(lt_line_splitter_next(&self->splitter, &line, &has_line, err));
        if (!has_line) break;
        bool is_taken = false;
        if (self->is_fast && !line.is_fed && line.bytes > 0) LT_TRY(take_plain_line(self, &line, &is_taken, err));
        if (is_taken) continue;
        const json_record record = {line.text, line.bytes, line.number, line.offset, line.is_fed};
        LT_TRY(decode_record(self, &record, err));
    }
    return lt_row_builder_settle(&self->builder, bytes, bytes + count, err);
}

static leat_status json_flush(void *decoder, leat_error *err) {
    return lt_row_builder_give(&((json_decoder *)decoder)->builder, err);
}

static void json_close(void *decoder) {
    json_decoder *self = decoder;
    if (!self->is_ready) return;
    lt_json_conversion_deinit(&self->conversion);
    lt_json_reader_deinit(&self->reader);
    lt_buffer_deinit(&self->document);
    lt_line_splitter_deinit(&self->splitter);
    lt_row_builder_deinit(&self->builder);
    lt_arena_deinit(&self->arena);
    self->is_ready = false;
}

// -------------------------------------------------------------------------------------------------------------- encode

static leat_status json_encode(const lt_option_values *options, const char *const *names, const lt_chunk *chunk,
                               lt_evaluation *evaluation, lt_buffer *out, leat_error *err) {
    lt_arena       arena; // compiled patterns
    lt_json_writer writer;
    lt_arena_init(&arena, out->account);
    leat_status status         = lt_json_writer_init(&writer, evaluation, err);
    writer.ignores_null_fields = lt_option_is_true(options, json_options, "ignoreNullFields");
    writer.has_milliseconds    = false;
    const char *separator      = lt_option_text(options, json_options, "lineSep");
    const char *zone           = lt_option_text(options, json_options, "timeZone");
    if (status == LEAT_OK && zone != NULL)
        status = lt_time_zone_find(evaluation->zones, zone, strlen(zone), &writer.zone, err);
    if (status == LEAT_OK)
        status = lt_option_pattern(options, json_options, "dateFormat", LT_PATTERN_FORMAT, &arena, &writer.date_pattern,
                                   err);
    if (status == LEAT_OK)
        status = lt_option_pattern(options, json_options, "timestampFormat", LT_PATTERN_FORMAT, &arena,
                                   &writer.timestamp_pattern, err);
    if (status == LEAT_OK)
        status = lt_option_pattern(options, json_options, "timestampNTZFormat", LT_PATTERN_FORMAT, &arena,
                                   &writer.timestamp_ntz_pattern, err);
    for (uint32_t row = 0; status == LEAT_OK && row < chunk->count; row++) {
        status = lt_json_write_object(&writer, names, chunk->columns, chunk->column_count, row, out, err);
        if (status == LEAT_OK) status = lt_buffer_append_text(out, separator == NULL ? "\n" : separator, err);
    }
    lt_arena_deinit(&arena);
    return status;
}

// --------------------------------------------------------------------------------------------------------------- infer

typedef struct json_inference {
    lt_json_reader    reader;
    lt_arena         *arena;
    lt_inferred_times times;
    bool              are_primitives_text, prefers_decimal, reads_timestamps;
    const char       *corrupt_name; // NULL: malformed records are left out
    bool              fails;        // FAILFAST
} json_inference;

static const lt_type *infer_number(const json_inference *self, bool is_integer) {
    int64_t          integer;
    lt_int128        value;
    lt_decimal_shape shape;
    const char      *text = self->reader.text;
    if (is_integer && lt_int64_parse(text, self->reader.text_bytes, &integer) == LT_NUMBER_OK)
        return lt_type_of(LT_BIGINT);
    if ((is_integer || self->prefers_decimal) &&
        lt_decimal_parse_exact(text, self->reader.text_bytes, &value, &shape) == LT_NUMBER_OK)
        return lt_type_decimal(self->arena, shape.precision, shape.scale);
    return lt_type_of(LT_DOUBLE);
}

// Texts are no decimals where Java's number has more digits behind the point than it has digits (0.005), or where its
// last digits are zeros that are not written (1e3).
static bool has_zeros_by_exponent(const char *text, size_t bytes) {
    size_t  fraction_digits = 0, i = 0;
    bool    is_fraction = false;
    int64_t exponent    = 0;
    for (; i < bytes && text[i] != 'e' && text[i] != 'E'; i++) {
        fraction_digits += is_fraction;
        is_fraction = is_fraction || text[i] == '.';
    }
    return i < bytes && lt_int64_parse(text + i + 1, bytes - i - 1, &exponent) == LT_NUMBER_OK &&
           exponent > (int64_t)fraction_digits;
}

// The empty text tells as little as NULL: writers mean either by it.
static const lt_type *infer_text(const json_inference *self) {
    const char      *text  = self->reader.text;
    const size_t     bytes = self->reader.text_bytes;
    lt_int128        value;
    lt_decimal_shape shape;
    if (bytes == 0) return lt_type_of(LT_VOID);
    if (self->prefers_decimal && lt_decimal_parse_exact(text, bytes, &value, &shape) == LT_NUMBER_OK &&
        lt_decimal_digits(value) >= shape.scale && !has_zeros_by_exponent(text, bytes))
        return lt_type_decimal(self->arena, shape.precision, shape.scale);
    if (self->reads_timestamps && lt_inferred_is_timestamp(&self->times, text, bytes)) return lt_type_of(LT_TIMESTAMP);
    return lt_type_of(LT_STRING);
}

// Type of the value at the reader's token; NULL in *out: bad text. Depth: the reader's limit.
static leat_status infer_value(json_inference *self, const lt_type **out, leat_error *err) {
    const lt_type *type = NULL;
    *out                = NULL;
    switch (self->reader.token) {
    case LT_JSON_NULL:
        *out = lt_type_of(LT_VOID);
        return LEAT_OK;
    case LT_JSON_STRING:
        *out = infer_text(self);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    case LT_JSON_TRUE:
    case LT_JSON_FALSE:
        *out = lt_type_of(self->are_primitives_text ? LT_STRING : LT_BOOLEAN);
        return LEAT_OK;
    case LT_JSON_INTEGER:
    case LT_JSON_NUMBER:
    case LT_JSON_NAN:
        *out = self->are_primitives_text           ? lt_type_of(LT_STRING)
               : self->reader.token == LT_JSON_NAN ? lt_type_of(LT_DOUBLE)
                                                   : infer_number(self, self->reader.token == LT_JSON_INTEGER);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    case LT_JSON_ARRAY:
        type = lt_type_of(LT_VOID);
        while (lt_json_next(&self->reader) != LT_JSON_ARRAY_END) {
            const lt_type *element = NULL;
            LT_TRY(infer_value(self, &element, err));
            if (element == NULL) return LEAT_OK;
            LT_TRY(lt_inferred_merge(self->arena, type, element, &type, err));
        }
        *out = lt_type_array(self->arena, type);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    case LT_JSON_OBJECT:
        type = lt_type_struct(self->arena, NULL, 0);
        while (lt_json_next(&self->reader) == LT_JSON_NAME) {
            const char    *name   = lt_arena_text(self->arena, self->reader.text, self->reader.text_bytes);
            const lt_type *member = NULL;
            if (name == NULL || type == NULL) return lt_raise_no_memory(err);
            (void)lt_json_next(&self->reader);
            LT_TRY(infer_value(self, &member, err));
            if (member == NULL) return LEAT_OK;
            LT_TRY(lt_inferred_add_field(self->arena, type, name, member, &type, err));
        }
        if (self->reader.token == LT_JSON_OBJECT_END) *out = type;
        return LEAT_OK;
    default:
        return LEAT_OK;
    }
}

static leat_status infer_record(json_inference *self, const char *text, size_t bytes, const lt_type **record,
                                leat_error *err) {
    const lt_type *type = NULL;
    lt_json_reader_open(&self->reader, text, bytes);
    if (lt_json_next(&self->reader) == LT_JSON_END) return LEAT_OK;
    LT_TRY(infer_value(self, &type, err));
    if (type != NULL && type->kind == LT_ARRAY) {
        type = type->fields[0].type;
        if (type->kind == LT_VOID) return LEAT_OK; // [] has no rows
    }
    if (type != NULL && type->kind == LT_STRUCT) return lt_inferred_merge(self->arena, *record, type, record, err);
    if (self->fails)
        return lt_raise(err, LT_MALFORMED_RECORD_IN_PARSING__WITHOUT_SUGGESTION, NULL,
                        "malformed record while columns are inferred in mode FAILFAST");
    if (self->corrupt_name == NULL) return LEAT_OK;
    return lt_inferred_add_field(self->arena, *record, self->corrupt_name, lt_type_of(LT_STRING), record, err);
}

static leat_status infer_lines(json_inference *self, const lt_option_values *options, const char *bytes, size_t count,
                               lt_account *account, const lt_type **record, leat_error *err) {
    lt_line_splitter splitter;
    lt_line_splitter_init(&splitter, account, lt_option_text(options, json_options, "lineSep"));
    lt_line_splitter_begin(&splitter);
    lt_line_splitter_feed(&splitter, bytes, count, true);
    leat_status status = LEAT_OK;
    while (status == LEAT_OK) {
        lt_line line;
        bool    has_line = false;
        status           = lt_line_splitter_next(&splitter, &line, &has_line, err);
        if (!has_line) break;
        if (status == LEAT_OK) status = infer_record(self, line.text, line.bytes, record, err);
    }
    lt_line_splitter_deinit(&splitter);
    return status;
}

static leat_status json_infer(const lt_option_values *options, const char *bytes, size_t count, lt_arena *arena,
                              const lt_type **out_struct, leat_error *err) {
    const lt_json_options leniency = reader_options(options);
    const char           *mode     = lt_option_text(options, json_options, "mode");
    json_inference        self     = {.arena               = arena,
                                      .are_primitives_text = lt_option_is_true(options, json_options, "primitivesAsString"),
                                      .prefers_decimal     = lt_option_is_true(options, json_options, "prefersDecimal"),
                                      .reads_timestamps    = lt_option_is_true(options, json_options, "inferTimestamp"),
                                      .fails               = lt_ascii_compare(mode, "FAILFAST") == 0};
    if (!self.fails && lt_ascii_compare(mode, "DROPMALFORMED") != 0)
        self.corrupt_name = lt_option_text(options, json_options, "columnNameOfCorruptRecord");
    LT_TRY(lt_inferred_times_init(&self.times, options, json_options, arena, err));
    lt_json_reader_init(&self.reader, &leniency, arena->account);
    leat_status status = lt_option_is_true(options, json_options, "multiLine")
                             ? infer_record(&self, bytes, count, out_struct, err)
                             : infer_lines(&self, options, bytes, count, arena->account, out_struct, err);
    lt_json_reader_deinit(&self.reader);
    return status;
}

const lt_format lt_formats_json = {
    .name          = "json",
    .extensions    = ".json .jsonl .ndjson",
    .options       = json_options,
    .decoder_bytes = sizeof(json_decoder),
    .open          = json_open,
    .begin         = json_begin,
    .decode        = json_decode,
    .flush         = json_flush,
    .can_split     = json_can_split,
    .begin_part    = json_begin_part,
    .part_facts    = json_part_facts,
    .close         = json_close,
    .encode        = json_encode,
    .infer         = json_infer,
    .is_filtering  = true,
    .summary       = "JSON Lines: one object a line.",
    .example       = "CREATE STREAM s (id INT) USING json OPTIONS (path 'in')",
};
