// callback: hands each batch to the host (leat_callback_set; Spark's foreachBatch). How a batch becomes Arrow is the
// session's business: it gives the three hooks of lt_sink_setup. The host's OK is part of publish.
#include "storage/connector.h"

typedef struct callback_sink {
    const lt_sink_setup *setup; // borrows
} callback_sink;

static leat_status callback_open(void *state, const lt_sink_setup *setup, leat_error *err) {
    callback_sink *self = state;
    self->setup         = setup;
    (void)err;
    return LEAT_OK;
}

static leat_status callback_begin(void *state, int64_t batch_id, bool is_replay, leat_error *err) {
    const lt_sink_setup *setup = ((callback_sink *)state)->setup;
    if (setup->batch_begin == NULL)
        return lt_raise(err, LT_MISUSE, NULL, "sink `%s` has no callback; set one with leat_callback_set",
                        setup->query_name);
    return setup->batch_begin(setup->callback_user, batch_id, is_replay, err);
}

static leat_status callback_write(void *state, const lt_chunk *chunk, leat_error *err) {
    const lt_sink_setup *setup = ((callback_sink *)state)->setup;
    return setup->batch_write(setup->callback_user, chunk, err);
}

static leat_status callback_publish(void *state, leat_error *err) {
    const lt_sink_setup *setup = ((callback_sink *)state)->setup;
    return setup->batch_end(setup->callback_user, err);
}

static leat_status callback_describe(void *state, lt_buffer *out, leat_error *err) {
    (void)state;
    return lt_buffer_append_text(out, "ForeachBatchSink", err);
}

static void callback_close(void *state) { (void)state; }

static const lt_sink_kind callback_kind = {
    .state_bytes = sizeof(callback_sink),
    .modes       = LT_SINK_APPEND | LT_SINK_UPDATE | LT_SINK_COMPLETE | LT_SINK_CHANGELOG,
    .open        = callback_open,
    .begin       = callback_begin,
    .write       = callback_write,
    .publish     = callback_publish,
    .describe    = callback_describe,
    .close       = callback_close,
};

static const lt_option callback_options[] = {{0}};

const lt_connector lt_connectors_callback = {
    .name    = "callback",
    .options = callback_options,
    .sink    = &callback_kind,
    .summary = "Each batch to a function of the host.",
    .example = "CREATE SINK k WITH (connector = 'callback', outputMode = 'changelog') AS SELECT 1",
};
