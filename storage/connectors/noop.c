// noop: takes rows and forgets them; for measuring a query without its sink. Source: Spark's format "noop".
#include "storage/connector.h"

static leat_status noop_open(void *state, const lt_sink_setup *setup, leat_error *err) {
    (void)state, (void)setup, (void)err;
    return LEAT_OK;
}

static leat_status noop_begin(void *state, int64_t batch_id, bool is_replay, leat_error *err) {
    (void)state, (void)batch_id, (void)is_replay, (void)err;
    return LEAT_OK;
}

static leat_status noop_write(void *state, const lt_chunk *chunk, leat_error *err) {
    (void)state, (void)chunk, (void)err;
    return LEAT_OK;
}

static leat_status noop_publish(void *state, leat_error *err) {
    (void)state, (void)err;
    return LEAT_OK;
}

static leat_status noop_describe(void *state, lt_buffer *out, leat_error *err) {
    (void)state;
    return lt_buffer_append_text(out, "NoopTable", err);
}

static void noop_close(void *state) { (void)state; }

static const lt_sink_kind noop_kind = {
    .modes    = LT_SINK_APPEND | LT_SINK_UPDATE | LT_SINK_COMPLETE | LT_SINK_CHANGELOG,
    .open     = noop_open,
    .begin    = noop_begin,
    .write    = noop_write,
    .publish  = noop_publish,
    .describe = noop_describe,
    .close    = noop_close,
};

static const lt_option noop_options[] = {{0}};

const lt_connector lt_connectors_noop = {
    .name    = "noop",
    .options = noop_options,
    .sink    = &noop_kind,
    .summary = "Takes rows and forgets them.",
    .example = "CREATE SINK k WITH (connector = 'noop') AS SELECT 1",
};
