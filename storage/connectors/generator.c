// generator: made-up rows at a steady pace, a function of row number and seed only, so that every range can be made
// again. Row i of a column: TIMESTAMP its due time, integers i, other types a value drawn from hash(seed, column, i).
// Sources: Spark's rate (rowsPerSecond) and rate-micro-batch (rowsPerBatch).
#include "base/clock.h"
#include "base/date.h"
#include "base/hash.h"
#include "storage/connector.h"
#include "storage/offset_text.h"

#include <stdio.h>

typedef struct generator_source {
    const lt_source_setup *setup; // borrows
    lt_arena               arena; // of one chunk
    uint64_t               seed;
    int64_t                rows_per_second, rows_per_batch, rows_max; // 0: not given
    int64_t                start_us, advance_us;                      // of row 0; per batch of rows_per_batch
    int64_t                planned, start, held_end;
    bool                   is_held, is_ready;
    char                   start_text[LT_OFFSET_TEXT_BYTES], end_text[LT_OFFSET_TEXT_BYTES];
} generator_source;

static const lt_option generator_options[] = {
    {.name = "rowsPerSecond", .words = "INT", .summary = "rows a second; 1 if rowsPerBatch is not given either"},
    {.name = "rowsPerBatch", .words = "INT", .summary = "rows a batch, as fast as batches run"},
    {.name = "numRows", .words = "INT", .summary = "ends after so many rows"},
    {.name = "seed", .words = "INT", .summary = "of drawn values; default the session's"},
    {.name = "startTimestamp", .words = "INT", .summary = "milliseconds of row 0; default the start, or 0 by batch"},
    {.name    = "advanceMillisPerBatch",
     .words   = "INT",
     .initial = "1000",
     .summary = "how far a batch of rowsPerBatch moves the time"},
    {.name = "rampUpTime", .words = "DURATION", .initial = "0s", .summary = "taken for Spark's sake; has no effect"},
    {.name = "numPartitions", .words = "INT", .summary = "taken for Spark's sake; has no effect"},
    {0},
};

static leat_status positive(const lt_source_setup *setup, const char *name, int64_t *out, leat_error *err) {
    *out = 0;
    if (lt_option_text(setup->options, generator_options, name) == NULL) return LEAT_OK;
    LT_TRY(lt_option_int64(setup->options, generator_options, name, out, err));
    if (*out > 0) return LEAT_OK;
    return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "option `%s` is %lld; it takes a positive integer", name,
                    (long long)*out);
}

static bool can_make(lt_kind kind) { return !lt_kind_is_nested(kind) && kind != LT_VARIANT && kind != LT_VOID; }

static leat_status generator_check(const lt_source_setup *setup, leat_error *err) {
    int64_t per_second = 0, per_batch = 0, rows = 0;
    LT_TRY(positive(setup, "rowsPerSecond", &per_second, err));
    LT_TRY(positive(setup, "rowsPerBatch", &per_batch, err));
    LT_TRY(positive(setup, "numRows", &rows, err));
    if (per_second > 0 && per_batch > 0)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL,
                        "options `rowsPerSecond` and `rowsPerBatch` exclude each other");
    for (uint32_t c = 0; c < setup->target->column_count; c++)
        if (!can_make(setup->target->types[c]->kind))
            return lt_raise(err, LT_UNSUPPORTED_DATATYPE, NULL, "connector `generator` makes no values for column `%s`",
                            setup->target->names[c]);
    return LEAT_OK;
}

static leat_status generator_infer(const lt_source_setup *setup, lt_arena *arena, const lt_type **out_struct,
                                   leat_error *err) {
    (void)setup;
    const lt_field fields[] = {{.name = "timestamp", .type = lt_type_of(LT_TIMESTAMP)},
                               {.name = "value", .type = lt_type_of(LT_BIGINT)}};
    *out_struct             = lt_type_struct(arena, fields, 2);
    return *out_struct == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status generator_open(void *state, const lt_source_setup *setup, leat_error *err) {
    generator_source *self = state;
    LT_TRY(generator_check(setup, err));
    self->setup = setup;
    lt_arena_init(&self->arena, setup->target->account);
    self->is_ready = true;
    LT_TRY(positive(setup, "rowsPerSecond", &self->rows_per_second, err));
    LT_TRY(positive(setup, "rowsPerBatch", &self->rows_per_batch, err));
    LT_TRY(positive(setup, "numRows", &self->rows_max, err));
    if (self->rows_per_second == 0 && self->rows_per_batch == 0) self->rows_per_second = 1;
    int64_t number = 0;
    self->seed     = setup->random_seed;
    if (lt_option_text(setup->options, generator_options, "seed") != NULL) {
        LT_TRY(lt_option_int64(setup->options, generator_options, "seed", &number, err));
        self->seed = (uint64_t)number;
    }
    LT_TRY(lt_option_int64(setup->options, generator_options, "advanceMillisPerBatch", &number, err));
    self->advance_us = number * LT_US_PER_MILLI;
    self->start_us   = self->rows_per_batch > 0 ? 0 : lt_clock_now_us(setup->clock);
    if (lt_option_text(setup->options, generator_options, "startTimestamp") != NULL) {
        LT_TRY(lt_option_int64(setup->options, generator_options, "startTimestamp", &number, err));
        self->start_us = number * LT_US_PER_MILLI;
    }
    return LEAT_OK;
}

static leat_status generator_resume(void *state, int64_t batch_id, const char *end, leat_error *err) {
    generator_source *self     = state;
    const int64_t     rows     = lt_offset_parse("rows", end);
    const int64_t     start_us = lt_offset_parse("startUs", end);
    (void)batch_id, (void)err;
    if (rows >= 0) self->planned = rows;
    if (start_us >= 0) self->start_us = start_us;
    return LEAT_OK;
}

static int64_t rows_available(const generator_source *self) {
    if (self->is_held) return self->held_end;
    int64_t rows = self->planned + self->rows_per_batch;
    if (self->rows_per_second > 0) {
        const int64_t seconds = lt_floor_div(lt_clock_now_us(self->setup->clock) - self->start_us, LT_US_PER_SECOND);
        rows                  = seconds < 0 ? 0 : seconds * self->rows_per_second;
        if (rows < self->planned) rows = self->planned;
    }
    return self->rows_max > 0 && rows > self->rows_max ? self->rows_max : rows;
}

static void offset_print(const generator_source *self, int64_t rows, char out[LT_OFFSET_TEXT_BYTES]) {
    (void)snprintf(out, LT_OFFSET_TEXT_BYTES, "{\"rows\":%lld,\"startUs\":%lld}", (long long)rows,
                   (long long)self->start_us);
}

static leat_status generator_plan(void *state, int64_t batch_id, const char *fixed_end, lt_source_range *out_range,
                                  leat_error *err) {
    generator_source *self = state;
    (void)err;
    int64_t end = rows_available(self);
    if (fixed_end != NULL) {
        end = lt_offset_parse("rows", fixed_end);
        if (end < self->planned) end = self->planned;
        const int64_t start_us = lt_offset_parse("startUs", fixed_end);
        if (start_us >= 0) self->start_us = start_us;
    }
    self->start = self->planned;
    offset_print(self, self->start, self->start_text);
    offset_print(self, end, self->end_text);
    *out_range = (lt_source_range){.batch_id  = batch_id,
                                   .start     = self->start == 0 ? NULL : self->start_text,
                                   .end       = end == 0 ? NULL : self->end_text,
                                   .has_input = end > self->start};
    return LEAT_OK;
}

static leat_status generator_hold(void *state, leat_error *err) {
    generator_source *self = state;
    (void)err;
    self->held_end = self->rows_per_batch > 0 && self->rows_max > 0 ? self->rows_max : rows_available(self);
    self->is_held  = true;
    return LEAT_OK;
}

static int64_t due_us(const generator_source *self, int64_t row) {
    if (self->rows_per_batch > 0) return self->start_us + row / self->rows_per_batch * self->advance_us;
    return self->start_us + row / self->rows_per_second * LT_US_PER_SECOND +
           row % self->rows_per_second * LT_US_PER_SECOND / self->rows_per_second;
}

static uint64_t draw(const generator_source *self, uint32_t column, int64_t row) {
    const uint64_t key[2] = {column, (uint64_t)row};
    return lt_hash64(key, sizeof key, self->seed);
}

static leat_status put_value(generator_source *self, lt_vector *vector, uint32_t column, uint32_t lane, int64_t row,
                             leat_error *err) {
    const uint64_t drawn = draw(self, column, row);
    const double   part  = (double)(drawn >> 11) * 0x1p-53;
    char           text[32];
    int            bytes = 0;
    switch (vector->type->kind) {
    case LT_BOOLEAN:
        LT_LANES(vector, uint8_t)[lane] = (uint8_t)(drawn & 1);
        break;
    case LT_TINYINT:
        LT_LANES(vector, int8_t)[lane] = (int8_t)(row & 0x7F);
        break;
    case LT_SMALLINT:
        LT_LANES(vector, int16_t)[lane] = (int16_t)(row & 0x7FFF);
        break;
    case LT_INT:
        LT_LANES(vector, int32_t)[lane] = (int32_t)(row & 0x7FFFFFFF);
        break;
    case LT_BIGINT:
        LT_LANES(vector, int64_t)[lane] = row;
        break;
    case LT_FLOAT:
        LT_LANES(vector, float)[lane] = (float)part;
        break;
    case LT_DOUBLE:
        LT_LANES(vector, double)[lane] = part;
        break;
    case LT_DECIMAL:
        LT_LANES(vector, lt_int128)[lane] = (lt_int128)(drawn % 10);
        break;
    case LT_DATE:
        LT_LANES(vector, int32_t)[lane] = (int32_t)lt_floor_div(due_us(self, row), LT_US_PER_DAY);
        break;
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
        LT_LANES(vector, int64_t)[lane] = due_us(self, row);
        break;
    case LT_TIME:
        LT_LANES(vector, int64_t)[lane] = lt_floor_mod(due_us(self, row), LT_US_PER_DAY);
        break;
    case LT_INTERVAL_YEAR_MONTH:
        LT_LANES(vector, int32_t)[lane] = (int32_t)(drawn % 12);
        break;
    case LT_INTERVAL_DAY_TIME:
        LT_LANES(vector, int64_t)[lane] = (int64_t)(drawn % 86400) * LT_US_PER_SECOND;
        break;
    default:
        bytes = snprintf(text, sizeof text, "key-%u", (unsigned)(drawn % 1000));
        return lt_string_copy(&self->arena, text, (size_t)bytes, &LT_LANES(vector, lt_string)[lane], err);
    }
    return LEAT_OK;
}

static leat_status generator_read(void *state, const lt_source_range *range, leat_error *err) {
    generator_source       *self   = state;
    const lt_decode_target *target = self->setup->target;
    const int64_t           end    = lt_offset_parse("rows", range->end);
    for (int64_t row = self->start; row < end;) {
        const uint32_t count = end - row < LT_CHUNK_ROWS_MAX ? (uint32_t)(end - row) : (uint32_t)LT_CHUNK_ROWS_MAX;
        lt_chunk       chunk;
        lt_arena_reset(&self->arena);
        LT_TRY(lt_chunk_init(&chunk, target->types, target->column_count, count, &self->arena, err));
        for (uint32_t c = 0; c < target->column_count; c++)
            for (uint32_t i = 0; i < count; i++) LT_TRY(put_value(self, &chunk.columns[c], c, i, row + i, err));
        for (uint32_t c = 0; c < target->column_count; c++) chunk.columns[c].lanes = count;
        chunk.count = count;
        LT_TRY(target->give(target->user, &chunk, err));
        row += count;
    }
    if (end > self->planned) self->planned = end;
    return LEAT_OK;
}

static lt_source_outlook generator_outlook(void *state) {
    generator_source *self = state;
    if (self->rows_max > 0 && self->planned >= self->rows_max)
        return (lt_source_outlook){.has_ended = true, .next_us = INT64_MAX};
    if (self->planned < rows_available(self)) return (lt_source_outlook){.next_us = INT64_MIN};
    if (self->is_held) return (lt_source_outlook){.has_ended = true, .next_us = INT64_MAX};
    const int64_t seconds = self->planned / self->rows_per_second + 1;
    return (lt_source_outlook){.next_us = self->start_us + seconds * LT_US_PER_SECOND};
}

static leat_status generator_describe(void *state, lt_buffer *out, leat_error *err) {
    generator_source *self = state;
    if (self->rows_per_batch > 0)
        return lt_buffer_format(out, err, "RatePerMicroBatchStream[rowsPerBatch=%lld]",
                                (long long)self->rows_per_batch);
    return lt_buffer_format(out, err, "RateStreamV2[rowsPerSecond=%lld]", (long long)self->rows_per_second);
}

static void generator_close(void *state) {
    generator_source *self = state;
    if (self->is_ready) lt_arena_deinit(&self->arena);
    self->is_ready = false;
}

static const lt_source_kind generator_kind = {
    .state_bytes   = sizeof(generator_source),
    .is_replayable = true,
    .check         = generator_check,
    .infer         = generator_infer,
    .open          = generator_open,
    .resume        = generator_resume,
    .plan          = generator_plan,
    .hold          = generator_hold,
    .read          = generator_read,
    .outlook       = generator_outlook,
    .describe      = generator_describe,
    .close         = generator_close,
};

const lt_connector lt_connectors_generator = {
    .name    = "generator",
    .options = generator_options,
    .source  = &generator_kind,
    .summary = "Made-up rows at a steady pace.",
    .example = "CREATE STREAM s (timestamp TIMESTAMP, value BIGINT) WITH (connector = 'generator', rowsPerSecond = 10)",
};
