// stdout: records of a format on the host's output, written once per batch and part of nothing else: a batch that runs
// again is written again. Option `header` of csv writes the header before the first batch only.
#include "storage/connector.h"

typedef struct stdout_sink {
    const lt_sink_setup *setup; // borrows
    lt_buffer            out;   // of the batch
    bool                 is_ready, has_header;
} stdout_sink;

static leat_status stdout_open(void *state, const lt_sink_setup *setup, leat_error *err) {
    stdout_sink *self = state;
    if (setup->output == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL,
                        "connector `stdout` needs the host's output (leat_options.output)");
    if (setup->format->encode == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL, "format `%s` cannot be written", setup->format->name);
    self->setup    = setup;
    self->is_ready = true;
    lt_buffer_init(&self->out, setup->account, 0);
    return LEAT_OK;
}

static leat_status stdout_begin(void *state, int64_t batch_id, bool is_replay, leat_error *err) {
    stdout_sink *self = state;
    (void)batch_id, (void)is_replay, (void)err;
    lt_buffer_reset(&self->out);
    return LEAT_OK;
}

static leat_status stdout_write(void *state, const lt_chunk *chunk, leat_error *err) {
    stdout_sink         *self  = state;
    const lt_sink_setup *setup = self->setup;
    if (!self->has_header && setup->format->encode_header != NULL)
        LT_TRY(setup->format->encode_header(setup->options, setup->names, setup->types, setup->column_count, &self->out,
                                            err));
    self->has_header = true;
    return setup->format->encode(setup->options, setup->names, chunk, setup->evaluation, &self->out, err);
}

static leat_status stdout_publish(void *state, leat_error *err) {
    stdout_sink *self = state;
    if (self->out.bytes == 0) return LEAT_OK;
    const leat_status status = self->setup->output(self->setup->output_user, self->out.data, self->out.bytes);
    lt_buffer_reset(&self->out);
    return status == LEAT_OK ? LEAT_OK : lt_raise(err, LT_IO_ERROR, NULL, "cannot write a batch to the output");
}

static leat_status stdout_describe(void *state, lt_buffer *out, leat_error *err) {
    (void)state;
    return lt_buffer_append_text(out, "StdoutSink", err);
}

static void stdout_close(void *state) {
    stdout_sink *self = state;
    if (self->is_ready) lt_buffer_deinit(&self->out);
    self->is_ready = false;
}

static const lt_sink_kind stdout_kind = {
    .state_bytes  = sizeof(stdout_sink),
    .modes        = LT_SINK_APPEND | LT_SINK_UPDATE | LT_SINK_COMPLETE | LT_SINK_CHANGELOG,
    .needs_format = true,
    .open         = stdout_open,
    .begin        = stdout_begin,
    .write        = stdout_write,
    .publish      = stdout_publish,
    .describe     = stdout_describe,
    .close        = stdout_close,
};

static const lt_option stdout_options[] = {{0}};

const lt_connector lt_connectors_stdout = {
    .name    = "stdout",
    .options = stdout_options,
    .sink    = &stdout_kind,
    .summary = "Records of a format on the output.",
    .example = "CREATE SINK k WITH (connector = 'stdout', format = 'json') AS SELECT 1",
};
