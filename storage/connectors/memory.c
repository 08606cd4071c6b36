// memory: rows that the host appends (leat_stream_append) or INSERT INTO adds; an offset is a number of rows. Rows wait
// in the stream's queue, which every query of the stream reads at its own place.
#include "storage/connector.h"
#include "storage/offset_text.h"
#include "storage/row_queue.h"

typedef struct memory_source {
    const lt_source_setup *setup; // borrows
    lt_arena               scratch;
    uint64_t               planned, start, held_end; // rows; held_end: availableNow reads up to here
    bool                   is_held, is_ready;
    char                   start_text[LT_OFFSET_TEXT_BYTES], end_text[LT_OFFSET_TEXT_BYTES];
} memory_source;

static leat_status memory_open(void *state, const lt_source_setup *setup, leat_error *err) {
    memory_source *self = state;
    if (setup->queue == NULL) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a memory stream has no queue");
    self->setup   = setup;
    self->planned = setup->queue->first_offset;
    lt_arena_init(&self->scratch, setup->target->account);
    self->is_ready = true;
    return LEAT_OK;
}

static leat_status memory_resume(void *state, int64_t batch_id, const char *end, leat_error *err) {
    memory_source *self = state;
    const int64_t  rows = lt_offset_parse("rows", end);
    (void)batch_id;
    if (rows < 0) return LEAT_OK;
    if ((uint64_t)rows < self->setup->queue->first_offset || (uint64_t)rows > self->setup->queue->end_offset)
        // Rows of a memory stream die with their session: a new one starts counting anew.
        self->planned = self->setup->queue->first_offset;
    else
        self->planned = (uint64_t)rows;
    (void)err;
    return LEAT_OK;
}

static leat_status memory_plan(void *state, int64_t batch_id, const char *fixed_end, lt_source_range *out_range,
                               leat_error *err) {
    memory_source *self = state;
    uint64_t       end  = self->is_held ? self->held_end : self->setup->queue->end_offset;
    if (fixed_end != NULL) {
        const int64_t rows = lt_offset_parse("rows", fixed_end);
        end                = rows < 0 ? self->planned : (uint64_t)rows;
        if (end > self->setup->queue->end_offset)
            return lt_raise(err, LT_IO_ERROR, NULL,
                            "stream `%s` kept its rows in memory; batch %lld cannot be read again after a restart",
                            self->setup->stream_name, (long long)batch_id);
    }
    self->start = self->planned;
    lt_offset_print("rows", (int64_t)self->start, self->start_text);
    lt_offset_print("rows", (int64_t)end, self->end_text);
    *out_range = (lt_source_range){.batch_id  = batch_id,
                                   .start     = self->start == 0 ? NULL : self->start_text,
                                   .end       = end == 0 ? NULL : self->end_text,
                                   .has_input = end > self->start};
    return LEAT_OK;
}

static leat_status memory_hold(void *state, leat_error *err) {
    memory_source *self = state;
    (void)err;
    self->is_held  = true;
    self->held_end = self->setup->queue->end_offset;
    return LEAT_OK;
}

static leat_status memory_read(void *state, const lt_source_range *range, leat_error *err) {
    memory_source *self = state;
    if (!range->has_input) return LEAT_OK;
    const uint64_t end = (uint64_t)lt_offset_parse("rows", range->end);
    for (uint64_t row = self->start; row < end;) {
        lt_chunk chunk;
        lt_arena_reset(&self->scratch);
        LT_TRY(lt_row_queue_view(self->setup->queue, row, end, &self->scratch, &chunk, err));
        LT_TRY(self->setup->target->give(self->setup->target->user, &chunk, err));
        row += chunk.count;
    }
    self->planned = end;
    return LEAT_OK;
}

static lt_source_outlook memory_outlook(void *state) {
    memory_source *self = state;
    const uint64_t end  = self->is_held ? self->held_end : self->setup->queue->end_offset;
    if (self->planned < end) return (lt_source_outlook){.next_us = INT64_MIN};
    return (lt_source_outlook){.has_ended = self->is_held || self->setup->queue->is_closed, .next_us = INT64_MAX};
}

static leat_status memory_describe(void *state, lt_buffer *out, leat_error *err) {
    memory_source *self = state;
    return lt_buffer_format(out, err, "MemoryStream[%s]", self->setup->stream_name);
}

static void memory_close(void *state) {
    memory_source *self = state;
    if (self->is_ready) lt_arena_deinit(&self->scratch);
    self->is_ready = false;
}

static const lt_source_kind memory_kind = {
    .state_bytes   = sizeof(memory_source),
    .is_replayable = true,
    .open          = memory_open,
    .resume        = memory_resume,
    .plan          = memory_plan,
    .hold          = memory_hold,
    .read          = memory_read,
    .outlook       = memory_outlook,
    .describe      = memory_describe,
    .close         = memory_close,
};

static const lt_option memory_options[] = {{0}};

const lt_connector lt_connectors_memory = {
    .name    = "memory",
    .options = memory_options,
    .source  = &memory_kind,
    .summary = "Rows appended by the host or by INSERT INTO.",
    .example = "CREATE STREAM s (id INT) WITH (connector = 'memory')",
};
