// stdin: the host's input (leat_options.input) as a stream of records, read once. It cannot be replayed: after a
// restart the records of an uncommitted batch are gone, and leat says so instead of going on without them.
#include "storage/connector.h"
#include "storage/input_prefix.h"
#include "storage/offset_text.h"

enum { INPUT_BYTES = 256 * 1024 };

typedef struct stdin_source {
    const lt_source_setup *setup; // borrows
    lt_arena               arena;
    void                  *decoder;
    char                  *buffer;
    uint64_t               reads;       // planned so far
    bool                   has_planned; // a range waits to be read
    bool                   has_ended, is_ready, is_decoder_open;
    char                   start_text[LT_OFFSET_TEXT_BYTES], end_text[LT_OFFSET_TEXT_BYTES];
} stdin_source;

static leat_status stdin_check(const lt_source_setup *setup, leat_error *err) {
    if (setup->input != NULL || setup->prefix != NULL) return LEAT_OK;
    return lt_raise(err, LT_NOT_SUPPORTED, NULL, "connector `stdin` needs the host's input (leat_options.input)");
}

// From the first record alone (behind a header, if the format has one), so that columns never depend on what a read
// happened to bring. One document of several lines is read to its end.
static leat_status stdin_infer(const lt_source_setup *setup, lt_arena *arena, const lt_type **out_struct,
                               leat_error *err) {
    size_t bytes = 0;
    if (setup->prefix == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL, "columns cannot be inferred from this input; declare them");
    const bool   has_header = lt_option_is_true(setup->options, setup->format->options, "header");
    const bool   is_whole   = lt_option_is_true(setup->options, setup->format->options, "multiLine");
    const size_t lines      = is_whole ? SIZE_MAX : has_header ? 2 : 1;
    LT_TRY(lt_input_prefix_lines(setup->prefix, lines, &bytes, err));
    *out_struct = NULL;
    LT_TRY(setup->format->infer(setup->options, bytes == 0 ? "" : setup->prefix->bytes.data, bytes, arena, out_struct,
                                err));
    return lt_inferred_finish_by_options(arena, setup->format, setup->options, *out_struct, out_struct, err);
}

static leat_status stdin_open(void *state, const lt_source_setup *setup, leat_error *err) {
    stdin_source *self = state;
    LT_TRY(stdin_check(setup, err));
    self->setup = setup;
    lt_arena_init(&self->arena, setup->target->account);
    self->is_ready = true;
    self->buffer   = lt_arena_alloc(&self->arena, INPUT_BYTES);
    self->decoder  = lt_arena_zero(&self->arena, setup->format->decoder_bytes);
    if (self->buffer == NULL || self->decoder == NULL) return lt_raise_no_memory(err);
    self->is_decoder_open = true;
    LT_TRY(setup->format->open(self->decoder, setup->options, setup->target, err));
    return setup->format->begin(self->decoder, NULL, err);
}

static leat_status stdin_resume(void *state, int64_t batch_id, const char *end, leat_error *err) {
    (void)state, (void)batch_id, (void)end, (void)err;
    return LEAT_OK;
}

static leat_status stdin_plan(void *state, int64_t batch_id, const char *fixed_end, lt_source_range *out_range,
                              leat_error *err) {
    stdin_source *self = state;
    if (fixed_end != NULL)
        return lt_raise(err, LT_IO_ERROR, NULL, "standard input cannot be read again; batch %lld was not committed",
                        (long long)batch_id);
    lt_offset_print("reads", (int64_t)self->reads, self->start_text);
    *out_range = (lt_source_range){.batch_id = batch_id, .start = self->start_text, .end = self->start_text};
    if (self->has_ended) return LEAT_OK;
    // Whether there is more is only known by reading, which may wait: that is what read is for.
    lt_offset_print("reads", (int64_t)self->reads + 1, self->end_text);
    self->has_planned    = true;
    out_range->end       = self->end_text;
    out_range->has_input = true;
    return LEAT_OK;
}

// One read that may wait, or all of the input for an ad-hoc SELECT.
static leat_status stdin_read(void *state, const lt_source_range *range, leat_error *err) {
    stdin_source    *self   = state;
    const lt_format *format = self->setup->format;
    if (!range->has_input || !self->has_planned) return LEAT_OK;
    self->has_planned = false;
    self->reads++;
    do {
        size_t            count  = 0;
        const leat_status status = self->setup->prefix != NULL
                                       ? lt_input_prefix_read(self->setup->prefix, self->buffer, INPUT_BYTES, &count)
                                       : self->setup->input(self->setup->input_user, self->buffer, INPUT_BYTES, &count);
        if (status != LEAT_OK) return lt_raise(err, LT_IO_ERROR, NULL, "cannot read standard input");
        self->has_ended = count == 0;
        LT_TRY(format->decode(self->decoder, self->buffer, count, self->has_ended, err));
    } while (!self->has_ended && self->setup->is_static);
    return format->flush(self->decoder, err);
}

static lt_source_outlook stdin_outlook(void *state) {
    stdin_source *self = state;
    return (lt_source_outlook){.has_ended = self->has_ended, .next_us = self->has_ended ? INT64_MAX : INT64_MIN};
}

static leat_status stdin_describe(void *state, lt_buffer *out, leat_error *err) {
    (void)state;
    return lt_buffer_append_text(out, "StdinStream", err);
}

static void stdin_close(void *state) {
    stdin_source *self = state;
    if (self->is_decoder_open) self->setup->format->close(self->decoder);
    if (self->is_ready) lt_arena_deinit(&self->arena);
    self->is_decoder_open = self->is_ready = false;
}

static const lt_source_kind stdin_kind = {
    .state_bytes  = sizeof(stdin_source),
    .needs_format = true,
    .check        = stdin_check,
    .infer        = stdin_infer,
    .open         = stdin_open,
    .resume       = stdin_resume,
    .plan         = stdin_plan,
    .read         = stdin_read,
    .outlook      = stdin_outlook,
    .describe     = stdin_describe,
    .close        = stdin_close,
};

static const lt_option stdin_options[] = {{0}};

const lt_connector lt_connectors_stdin = {
    .name    = "stdin",
    .options = stdin_options,
    .source  = &stdin_kind,
    .summary = "Records of standard input, read once.",
    .example = "CREATE STREAM s (id INT) WITH (connector = 'stdin', format = 'json')",
};
