// text: a line is a row with one STRING column; wholetext makes a file one row. Line ends are not part of the value.
// Source: Spark SQL 4, the text data source.
#include "storage/line_splitter.h"
#include "storage/row_builder.h"

typedef struct text_decoder {
    const lt_decode_target *target; // borrows
    lt_row_builder          builder;
    lt_line_splitter        splitter;
    lt_buffer               whole;
    bool                    is_whole, is_ready;
} text_decoder;

static const lt_option text_options[] = {
    {.name = "wholetext", .words = "BOOL", .initial = "false", .summary = "a file is one row"},
    {.name = "lineSep", .summary = "end of a line; default \\n, \\r\\n or \\r"},
    {.name      = "encoding",
     .words     = "UTF-8 UTF8 US-ASCII",
     .initial   = "UTF-8",
     .is_strict = true,
     .summary   = "only UTF-8"},
    {.name = "compression", .summary = "reading goes by the file itself"},
    {0},
};

static leat_status text_open(void *decoder, const lt_option_values *options, const lt_decode_target *target,
                             leat_error *err) {
    text_decoder *self = decoder;
    if (target->column_count != 1 || target->types[0]->kind != LT_STRING)
        return lt_raise(err, LT_UNSUPPORTED_DATATYPE, NULL, "format `text` has exactly one column, of type STRING");
    self->target   = target;
    self->is_whole = lt_option_is_true(options, text_options, "wholetext");
    lt_row_builder_init(&self->builder, target);
    lt_line_splitter_init(&self->splitter, target->account, lt_option_text(options, text_options, "lineSep"));
    lt_buffer_init(&self->whole, target->account, LT_LINE_BYTES_MAX);
    self->is_ready = true;
    return LEAT_OK;
}

static leat_status text_begin(void *decoder, const char *path, leat_error *err) {
    text_decoder *self = decoder;
    (void)path, (void)err;
    lt_buffer_reset(&self->whole);
    lt_line_splitter_begin(&self->splitter);
    return LEAT_OK;
}

static bool text_can_split(const lt_option_values *options) {
    return !lt_option_is_true(options, text_options, "wholetext") &&
           lt_option_text(options, text_options, "lineSep") == NULL;
}

static void text_begin_part(void *decoder, const char *path, uint64_t offset, bool is_header_due) {
    (void)path, (void)is_header_due;
    lt_line_splitter_begin_part(&((text_decoder *)decoder)->splitter, offset);
}

static void text_part_facts(const void *decoder, uint64_t *out_lines, bool *out_is_header_due) {
    *out_lines         = ((const text_decoder *)decoder)->splitter.number;
    *out_is_header_due = false;
}

static leat_status row_append(text_decoder *self, const char *text, size_t bytes, bool is_view, leat_error *err) {
    LT_TRY(lt_row_builder_begin(&self->builder, err));
    lt_vector *column = &self->builder.chunk.columns[0];
    lt_string *string = &LT_LANES(column, lt_string)[self->builder.chunk.count];
    if (is_view && bytes <= LT_VALUE_BYTES_MAX)
        *string = lt_string_view(text, bytes);
    else
        LT_TRY(lt_string_copy(&self->builder.arena, text, bytes, string, err));
    return lt_row_builder_keep(&self->builder, err);
}

static leat_status text_decode(void *decoder, const char *bytes, size_t count, bool is_end, leat_error *err) {
    text_decoder *self = decoder;
    if (self->is_whole) {
        LT_TRY(lt_buffer_append(&self->whole, bytes, count, err));
        return is_end ? row_append(self, self->whole.data, self->whole.bytes, false, err) : LEAT_OK;
    }
    lt_line_splitter_feed(&self->splitter, bytes, count, is_end);
    for (;;) {
        lt_line line;
        bool    has_line;
        LT_TRY(lt_line_splitter_next(&self->splitter, &line, &has_line, err));
        if (!has_line) break;
        LT_TRY(row_append(self, line.text, line.bytes, line.is_fed, err));
    }
    return lt_row_builder_settle(&self->builder, bytes, bytes + count, err);
}

static leat_status text_flush(void *decoder, leat_error *err) {
    return lt_row_builder_give(&((text_decoder *)decoder)->builder, err);
}

static void text_close(void *decoder) {
    text_decoder *self = decoder;
    if (!self->is_ready) return;
    lt_row_builder_deinit(&self->builder);
    lt_line_splitter_deinit(&self->splitter);
    lt_buffer_deinit(&self->whole);
    self->is_ready = false;
}

static leat_status text_encode(const lt_option_values *options, const char *const *names, const lt_chunk *chunk,
                               lt_evaluation *evaluation, lt_buffer *out, leat_error *err) {
    (void)names, (void)evaluation;
    const char *separator = lt_option_text(options, text_options, "lineSep");
    if (chunk->column_count != 1 || chunk->columns[0].type->kind != LT_STRING)
        return lt_raise(err, LT_UNSUPPORTED_DATATYPE, NULL, "format `text` writes exactly one column, of type STRING");
    for (uint32_t row = 0; row < chunk->count; row++) {
        const lt_vector *column = &chunk->columns[0];
        if (!lt_vector_is_null(column, row)) {
            const lt_string *string = &LT_VALUE(column, lt_string, row);
            LT_TRY(lt_buffer_append(out, lt_string_data(string), string->bytes, err));
        }
        LT_TRY(lt_buffer_append_text(out, separator == NULL ? "\n" : separator, err));
    }
    return LEAT_OK;
}

static leat_status text_infer(const lt_option_values *options, const char *bytes, size_t count, lt_arena *arena,
                              const lt_type **out_struct, leat_error *err) {
    (void)options, (void)bytes, (void)count;
    const lt_field field = {.name = "value", .type = lt_type_of(LT_STRING)};
    *out_struct          = lt_type_struct(arena, &field, 1);
    return *out_struct == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

const lt_format lt_formats_text = {
    .name          = "text",
    .extensions    = ".txt .log",
    .options       = text_options,
    .decoder_bytes = sizeof(text_decoder),
    .open          = text_open,
    .begin         = text_begin,
    .decode        = text_decode,
    .flush         = text_flush,
    .can_split     = text_can_split,
    .begin_part    = text_begin_part,
    .part_facts    = text_part_facts,
    .close         = text_close,
    .encode        = text_encode,
    .infer         = text_infer,
    .summary       = "Lines of text: one STRING column.",
    .example       = "CREATE STREAM s (value STRING) USING text OPTIONS (path 'in')",
};
