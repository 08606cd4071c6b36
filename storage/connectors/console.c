// console: each batch as a table on the host's output, exactly as Spark's console sink prints it. A batch that ran
// without rows prints its header over an empty table.
#include "base/table_text.h"
#include "storage/connector.h"

typedef struct console_sink {
    const lt_sink_setup *setup; // borrows
    lt_table_text        table;
    lt_value_text        printer;
    lt_buffer            out;
    int64_t              batch_id;
    bool                 is_ready, is_printed;
} console_sink;

static const lt_option console_options[] = {
    {.name = "numRows", .words = "INT", .initial = "20", .summary = "rows of a batch to print"},
    {.name = "truncate", .words = "BOOL", .initial = "true", .summary = "cut values to 20 characters"},
    {.name = "vertical", .words = "BOOL", .initial = "false", .summary = "a line for each value"},
    {0},
};

static leat_status console_open(void *state, const lt_sink_setup *setup, leat_error *err) {
    console_sink *self = state;
    int64_t       rows = 0;
    if (setup->output == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL,
                        "connector `console` needs the host's output (leat_options.output)");
    LT_TRY(lt_option_int64(setup->options, console_options, "numRows", &rows, err));
    const lt_table_style style = {
        .rows_max    = rows < 0 ? 0 : (uint64_t)rows,
        .truncate    = lt_option_is_true(setup->options, console_options, "truncate") ? 20 : 0,
        .is_vertical = lt_option_is_true(setup->options, console_options, "vertical"),
    };
    self->setup    = setup;
    self->is_ready = true;
    lt_buffer_init(&self->out, setup->account, 0);
    LT_TRY(lt_table_text_init(&self->table, setup->account, style, setup->names, setup->column_count, err));
    return lt_value_text_init(&self->printer, LT_VALUE_TEXT_SHOW, setup->evaluation, err);
}

static leat_status console_begin(void *state, int64_t batch_id, bool is_replay, leat_error *err) {
    console_sink *self = state;
    (void)is_replay, (void)err;
    lt_table_text_reset(&self->table);
    self->batch_id   = batch_id;
    self->is_printed = false;
    return LEAT_OK;
}

static leat_status console_write(void *state, const lt_chunk *chunk, leat_error *err) {
    console_sink *self = state;
    return lt_table_text_append(&self->table, chunk, &self->printer, err);
}

static leat_status console_publish(void *state, leat_error *err) {
    static const char rule[] = "-------------------------------------------\n";
    console_sink     *self   = state;
    if (self->is_printed) return LEAT_OK;
    lt_buffer_reset(&self->out);
    LT_TRY(lt_buffer_format(&self->out, err, "%sBatch: %lld\n%s", rule, (long long)self->batch_id, rule));
    LT_TRY(lt_table_text_print(&self->table, &self->out, err));
    self->is_printed         = true;
    const leat_status status = self->setup->output(self->setup->output_user, self->out.data, self->out.bytes);
    return status == LEAT_OK
               ? LEAT_OK
               : lt_raise(err, LT_IO_ERROR, NULL, "cannot write batch %lld to the output", (long long)self->batch_id);
}

static leat_status console_describe(void *state, lt_buffer *out, leat_error *err) {
    (void)state;
    return lt_buffer_append_text(out, "ConsoleTable", err);
}

static void console_close(void *state) {
    console_sink *self = state;
    if (!self->is_ready) return;
    lt_table_text_deinit(&self->table);
    lt_buffer_deinit(&self->out);
    self->is_ready = false;
}

static const lt_sink_kind console_kind = {
    .state_bytes = sizeof(console_sink),
    .modes       = LT_SINK_APPEND | LT_SINK_UPDATE | LT_SINK_COMPLETE | LT_SINK_CHANGELOG,
    .open        = console_open,
    .begin       = console_begin,
    .write       = console_write,
    .publish     = console_publish,
    .describe    = console_describe,
    .close       = console_close,
};

const lt_connector lt_connectors_console = {
    .name    = "console",
    .options = console_options,
    .sink    = &console_kind,
    .summary = "Each batch as a table on the output.",
    .example = "CREATE SINK k WITH (connector = 'console') AS SELECT 1",
};
