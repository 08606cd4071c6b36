// Rows are first located (by their shapes, or by their members), then read (by column). Both are short loops over
// arrays, so that the core works on several rows at once. A value that is not good ends the batch at its
// row; batches then get shorter, so that little work is done twice.
#include "storage/json_batch.h"

#include "base/lanes.h"
#include "storage/decode_ranges.h"

enum {
    BATCH_ROWS_MIN    = 8,
    MISSES_TO_REPLACE = 8,
    EDGE_BYTES        = 256,
    POSITIONS_BEHIND  = 8,
    MEMBER_ROWS       = 1 << 14,
    CHANGE_COST       = 8,
    CHANGES_MAX       = 64,
    ROWS_PER_MISS     = 5,
    KEPT_PART_MAX     = 2 // of rows that are few enough to be read alone: a half
};

static bool has_range(const lt_json_batch_setup *setup, uint32_t column) {
    const lt_decode_target *target = setup->builder->target;
    for (uint32_t r = 0; r < target->range_count; r++)
        if (target->ranges[r].column == column) return true;
    return false;
}

static void run_add(lt_json_batch *self, uint32_t column) {
    self->run_column[self->places.run_count] = (int32_t)column;
    self->span_row[column]                   = self->places.run_count++ * LT_JSON_BATCH_ROWS;
}

leat_status lt_json_batch_open(lt_json_batch *rows, const lt_json_batch_setup *setup, leat_error *err) {
    *rows = (lt_json_batch){.setup = *setup, .batch_rows = BATCH_ROWS_MIN, .member_rows = setup->has_only_members};
    lt_json_places        *places  = &rows->places;
    const lt_json_columns *columns = &setup->columns;
    lt_json_lanes_init(&rows->lanes, setup->kernel->name, setup->conversion, setup->reader, &setup->builder->arena);
    rows->index.positions = lt_arena_alloc(setup->arena, LT_JSON_INDEX_POSITIONS * sizeof *rows->index.positions);
    if (rows->index.positions == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW_ARRAY(rows->span_row, setup->arena, columns->count + 1, err);
    LT_TRY_NEW_ARRAY(rows->run_column, setup->arena, columns->count + 1, err);
    for (uint32_t c = 0; c < columns->count; c++)
        if (columns->is_read[c] && has_range(setup, c)) run_add(rows, c);
    rows->tested_runs = places->run_count;
    for (uint32_t c = 0; c < columns->count; c++)
        if (columns->is_read[c] && !has_range(setup, c)) run_add(rows, c);
    places->spans = lt_arena_alloc(setup->arena, lt_json_places_spans(places->run_count) * sizeof *places->spans);
    if (places->spans == NULL) return lt_raise_no_memory(err);
    const lt_json_shapes shapes = {.columns  = *columns,
                                   .lanes    = &rows->lanes,
                                   .places   = places,
                                   .span_row = rows->span_row,
                                   .arena    = setup->arena};
    LT_TRY(lt_json_shapes_open(&rows->shapes, &shapes, err));
    return lt_json_members_open(&rows->members, setup->kernel->name, columns, rows->span_row, setup->arena, err);
}

// Indexes the fed bytes from `next` on.
static void piece_begin(lt_json_batch *self, const char *next) {
    const size_t left = (size_t)(self->setup.splitter->end - next);
    self->piece       = next;
    self->piece_bytes = left < LT_JSON_INDEX_BYTES - 1 ? left : LT_JSON_INDEX_BYTES - 1;
    self->next.cursor = 0;
    self->setup.kernel->run(&self->index, next, self->piece_bytes);
    // The end of the positions is met as one that is too far away.
    memset(self->index.positions + self->index.count, 0xFF, POSITIONS_BEHIND * sizeof *self->index.positions);
    uint32_t last = self->index.count;
    while (last > 0 && next[self->index.positions[last - 1]] != '\n') last--;
    self->piece_rows_end = last;
    if (last == 0 || !self->index.has_marks) return;
    self->setup.kernel->unmark_utf8(&self->index, next, self->index.positions[last - 1] + (size_t)1);
}

static uint32_t locate_members(lt_json_batch *self, const lt_json_piece *view, uint32_t rows_max) {
    const uint32_t start = self->next.start;
    const uint32_t rows =
        lt_json_members_locate(&self->members, &self->lanes, view, &self->places, &self->next.cursor, start, rows_max);
    if (!self->setup.has_only_members) self->member_rows = self->member_rows > rows ? self->member_rows - rows : 0;
    return rows;
}

// A row has not the current shape; rows whose shape keeps changing are better located by their members.
static void note_change(lt_json_batch *self) {
    self->changes += CHANGE_COST;
    if (self->changes < CHANGES_MAX || !self->members.is_ready) return;
    self->changes     = 0;
    self->member_rows = MEMBER_ROWS;
}

static uint32_t locate_shapes(lt_json_batch *self, const lt_json_piece *view, uint32_t rows_max, bool *out_is_bad) {
    lt_json_shapes *shapes = &self->shapes;
    uint32_t        row    = 0;
    if (self->batch_rows > BATCH_ROWS_MIN) {
        const lt_json_template *template = &shapes->templates[shapes->current];
        const uint32_t         stride    = template->position_count;
        const uint32_t         whole     = (view->index->count - self->next.cursor) / stride;
        uint32_t               rows      = whole < rows_max ? whole : rows_max;
        const lt_json_next_row last      = {self->next.cursor + (rows - 1) * stride, template->before};
        if (rows > 1 && !lt_json_shapes_row_fits(template, view, &last)) rows--; // the last one of the fed bytes
        if (rows > 0 && !shapes->has_mixed_rows && lt_json_shapes_locate_batch(shapes, view, &self->next, rows))
            return rows;
        bool           ends_early;
        const uint32_t mixed = lt_json_shapes_locate_mixed(shapes, view, &self->next, rows_max, &ends_early);
        if (mixed > 0) {
            self->changes = self->changes > mixed ? self->changes - mixed : 0;
            if (!ends_early) return mixed;
            while (self->batch_rows > BATCH_ROWS_MIN && self->batch_rows > mixed) self->batch_rows /= 2;
            note_change(self);
            return mixed;
        }
        if (rows > BATCH_ROWS_MIN) self->batch_rows = BATCH_ROWS_MIN;
    }
    for (;;) {
        const uint32_t first = row;
        row                  = lt_json_shapes_locate_run(shapes, view, &self->next, row, rows_max, out_is_bad);
        self->changes        = self->changes > row - first ? self->changes - (row - first) : 0;
        if (row == rows_max || *out_is_bad) return row;
        if (!lt_json_shapes_choose(shapes, view, &self->next)) return row;
        note_change(self);
    }
}

static uint32_t locate(lt_json_batch *self, uint32_t rows_max) {
    const lt_line_splitter *splitter = self->setup.splitter;
    const size_t            left     = (size_t)(splitter->end - self->piece);
    const lt_json_piece     view     = {.bytes    = self->piece,
                                        .index    = &self->index,
                                        .readable = left < UINT32_MAX / 2 ? (uint32_t)left : UINT32_MAX / 2,
                                        .before   = (size_t)(self->piece - splitter->fed)};
    bool                    is_bad   = false;
    self->next.start                 = (uint32_t)(splitter->next - self->piece);
    self->first_cursor               = self->next.cursor;
    self->is_new_shape               = false;
    if (self->shapes.count == 0 || self->member_rows > 0) return locate_members(self, &view, rows_max);
    // A literal before it cannot be looked at: no news about its shape.
    if (splitter->next == splitter->fed) return locate_members(self, &view, 1);
    uint32_t rows = locate_shapes(self, &view, rows_max, &is_bad);
    if (rows > 0 || is_bad || !self->members.is_ready || splitter->end - splitter->next < EDGE_BYTES) return rows;
    rows = locate_members(self, &view, rows_max < BATCH_ROWS_MIN ? rows_max : BATCH_ROWS_MIN);
    if (rows == 0) return 0;
    note_change(self);
    self->is_new_shape = true;
    return rows;
}

// Locates rows at the splitter's next byte, in a new piece if need be.
static uint32_t locate_next(lt_json_batch *self, uint32_t rows_max) {
    const lt_line_splitter *splitter = self->setup.splitter;
    const char             *next     = splitter->next;
    if (self->piece == NULL || next >= self->piece + self->piece_bytes) piece_begin(self, next);
    const uint32_t start = (uint32_t)(next - self->piece);
    while (self->next.cursor < self->index.count && self->index.positions[self->next.cursor] < start)
        self->next.cursor++;
    if (self->next.cursor >= self->piece_rows_end) { // the piece has not all of the row
        if (next == self->piece || self->piece + self->piece_bytes == splitter->end) return 0;
        piece_begin(self, next);
        if (self->piece_rows_end == 0) return 0;
    }
    return locate(self, rows_max);
}

// Runs [run, end).
static leat_status read_runs(lt_json_batch *self, uint32_t run, uint32_t end, uint32_t *count, leat_error *err) {
    lt_chunk *chunk = &self->setup.builder->chunk;
    for (; run<end && * count> 0; run++)
        LT_TRY(lt_value_lanes_fill(&self->lanes.values, &chunk->columns[self->run_column[run]], chunk->count,
                                   self->piece, self->places.spans + (size_t)run * LT_JSON_BATCH_ROWS,
                                   self->places.is_careful, count, err));
    return LEAT_OK;
}

// Columns with ranges first: if they leave few rows, the others are read for these alone.
static leat_status read_columns(lt_json_batch *self, uint32_t *count, leat_error *err) {
    const lt_row_builder *builder = self->setup.builder;
    uint8_t               is_kept[LT_JSON_BATCH_ROWS];
    if (self->tested_runs == 0) return read_runs(self, 0, self->places.run_count, count, err);
    LT_TRY(read_runs(self, 0, self->tested_runs, count, err));
    const uint32_t kept =
        lt_decode_ranges_keep(builder->target, builder->chunk.columns, builder->chunk.count, *count, is_kept);
    if (kept < *count / KEPT_PART_MAX) self->lanes.values.is_kept = is_kept;
    const leat_status status   = read_runs(self, self->tested_runs, self->places.run_count, count, err);
    self->lanes.values.is_kept = NULL;
    return status;
}

static void note(lt_json_batch *self, uint32_t rows, bool is_miss) {
    self->misses_in_a_row = is_miss ? self->misses_in_a_row + 1 : 0;
    lt_miss_window_note(&self->misses, rows, is_miss, ROWS_PER_MISS, self->setup.never_sleeps);
}

leat_status lt_json_batch_take(lt_json_batch *self, uint32_t *out_rows, leat_error *err) {
    lt_row_builder *builder = self->setup.builder;
    *out_rows               = 0;
    if ((self->shapes.count == 0 && !self->members.is_ready) || lt_miss_window_sleeps(&self->misses)) return LEAT_OK;
    if (self->is_next_refused) {
        self->is_next_refused = false;
        return LEAT_OK;
    }
    const uint32_t room    = LT_CHUNK_ROWS_MAX - builder->chunk.count;
    const uint32_t located = locate_next(self, room < self->batch_rows ? room : self->batch_rows);
    if (located == 0) return LEAT_OK;
    uint32_t count = located;
    LT_TRY(read_columns(self, &count, err));
    if (count < located) {
        self->batch_rows      = self->batch_rows / 2 < BATCH_ROWS_MIN ? BATCH_ROWS_MIN : self->batch_rows / 2;
        self->next.cursor     = count == 0 ? self->first_cursor : lt_json_places_cursor(&self->places, count - 1);
        self->is_next_refused = count > 0;
        if (count == 0) return LEAT_OK;
    } else if (self->batch_rows < LT_JSON_BATCH_ROWS) {
        self->batch_rows *= 2;
    }
    if (self->is_new_shape)
        LT_TRY(lt_json_shapes_learn(&self->shapes, self->setup.splitter->next,
                                    self->piece + lt_json_places_end(&self->places, &self->index, 0), true, err));
    lt_line_splitter_take_lines(self->setup.splitter,
                                self->piece + lt_json_places_end(&self->places, &self->index, count - 1), count);
    note(self, count, false);
    builder->chunk.count += count;
    *out_rows = count;
    return builder->chunk.count == LT_CHUNK_ROWS_MAX ? lt_row_builder_give(builder, err) : LEAT_OK;
}

leat_status lt_json_batch_missed(lt_json_batch *self, const char *row, const char *end, leat_error *err) {
    if (lt_miss_window_sleeps(&self->misses)) {
        self->misses.sleep_rows--;
        return LEAT_OK;
    }
    // A row at the edges of the fed bytes, or a long one, says nothing about its shape.
    const lt_line_splitter *splitter = self->setup.splitter;
    if (row == splitter->fed || splitter->end - end < EDGE_BYTES) return LEAT_OK;
    note(self, 1, true);
    if (end - row >= LT_JSON_INDEX_BYTES) return LEAT_OK;
    lt_json_members_learn(&self->members, row, end);
    return lt_json_shapes_learn(&self->shapes, row, end, self->misses_in_a_row % MISSES_TO_REPLACE == 0, err);
}
