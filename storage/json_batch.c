// Rows are first located (literals compared, places of values noted, by row), then read (by column). Both are short
// loops over arrays, so that the core works on several rows at once. A value that is not good ends the batch at its
// row; batches then get shorter, so that little work is done twice.
#include "storage/json_batch.h"

#include "base/lanes.h"

enum {
    BATCH_ROWS_MIN    = 8,
    WINDOW_ROWS       = 1024,
    SLEEP_ROWS_MAX    = 1 << 16,
    MISSES_TO_REPLACE = 8,
    EDGE_BYTES        = 256,
    POSITIONS_BEHIND  = 8,
    MEMBER_ROWS       = 1 << 14,
    CHANGE_COST       = 8,
    CHANGES_MAX       = 64,
    MIXED_COUNTS      = 4,
    MIXED_SHAPES      = 6
};

leat_status lt_json_batch_open(lt_json_batch *rows, const lt_json_batch_setup *setup, leat_error *err) {
    *rows = (lt_json_batch){.setup = *setup, .batch_rows = BATCH_ROWS_MIN, .member_rows = setup->has_only_members};
    lt_json_places        *places  = &rows->places;
    const lt_json_columns *columns = &setup->columns;
    lt_json_lanes_init(&rows->lanes, setup->kernel->name, setup->conversion, setup->reader, &setup->builder->arena);
    LT_TRY(lt_json_template_init_scratch(&rows->scratch, setup->arena, err));
    rows->index.positions = lt_arena_alloc(setup->arena, LT_JSON_INDEX_POSITIONS * sizeof *rows->index.positions);
    if (rows->index.positions == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW_ARRAY(rows->span_row, setup->arena, columns->count + 1, err);
    LT_TRY_NEW_ARRAY(rows->run_column, setup->arena, columns->count + 1, err);
    for (uint32_t c = 0; c < columns->count; c++) {
        if (!columns->is_read[c]) continue;
        rows->run_column[places->run_count] = (int32_t)c;
        rows->span_row[c]                   = places->run_count++ * LT_JSON_BATCH_ROWS;
    }
    places->spans = lt_arena_alloc(setup->arena, lt_json_places_spans(places->run_count) * sizeof *places->spans);
    if (places->spans == NULL) return lt_raise_no_memory(err);
    return lt_json_members_open(&rows->members, setup->kernel->name, columns, rows->span_row, setup->arena, err);
}

// Indexes the fed bytes from `next` on.
static void piece_begin(lt_json_batch *self, const char *next) {
    const size_t left = (size_t)(self->setup.splitter->end - next);
    self->piece       = next;
    self->piece_bytes = left < LT_JSON_INDEX_BYTES - 1 ? left : LT_JSON_INDEX_BYTES - 1;
    self->cursor      = 0;
    self->setup.kernel->run(&self->index, next, self->piece_bytes);
    // The end of the positions is met as one that is too far away.
    memset(self->index.positions + self->index.count, 0xFF, POSITIONS_BEHIND * sizeof *self->index.positions);
    if (!self->index.has_marks) return;
    uint32_t last = self->index.count;
    while (last > 0 && next[self->index.positions[last - 1]] != '\n') last--;
    if (last > 0) self->setup.kernel->unmark_utf8(&self->index, next, self->index.positions[last - 1] + (size_t)1);
}

static inline bool row_fits(const lt_json_template *template, const lt_json_piece *view, uint32_t cursor,
                            uint32_t start) {
    if (cursor + template->position_count > view->index->count) return false;
    const uint32_t last = view->index->positions[cursor + template->position_count - 1];
    return last + template->behind + LT_JSON_PAD <= view->readable && view->before + start >= template->before;
}

static bool texts_are_good(lt_json_batch *self, const lt_json_template *template, const char *bytes,
                           const uint16_t *positions) {
    for (uint32_t i = template->read_count + template->bare_count; i < template->slot_count; i++) {
        const lt_json_slot *slot  = &template->slots[i];
        const uint32_t      start = positions[slot->start_anchor] + (uint32_t)slot->start_delta;
        if (!lt_json_lanes_text_is_good(&self->lanes, bytes + start, positions[slot->end_anchor] - start)) return false;
    }
    return true;
}

// Where row number `row` starts, when the rows before it are located.
static uint32_t row_start(const lt_json_batch *self, uint32_t row) {
    return row == 0 ? (uint32_t)(self->setup.splitter->next - self->piece)
                    : lt_json_places_end(&self->places, &self->index, row - 1);
}

// Notes the rows from number `row` on that match the template; gives the number behind them. *out_is_bad: the row
// there matches, but one of its values is none.
static uint32_t locate_run(lt_json_batch *self, const lt_json_template *template, const lt_json_piece *view,
                           uint32_t row, uint32_t rows_max, bool *out_is_bad) {
    const char *const         bytes      = view->bytes;
    const uint32_t            read_count = template->read_count, values_end = read_count + template->bare_count;
    const uint32_t            count = template->position_count, missing_count = template->missing_count;
    const bool                has_marks = self->index.has_marks;
    const bool                has_texts = values_end < template->slot_count;
    const lt_json_slot *const slots     = template->slots;
    lt_value_span *const      spans     = self->places.spans;
    const uint32_t *const     span_row  = self->span_row;
    uint32_t                  cursor    = self->cursor;
    uint32_t                  start     = row_start(self, row);
    self->places.stride                 = 0;
    for (; row < rows_max; row++) {
        if (!row_fits(template, view, cursor, start)) break;
        const uint16_t *positions = view->index->positions + cursor;
        if (!lt_json_template_matches(template, bytes, positions, start)) break;
        const uint32_t last       = positions[count - 1];
        bool           is_careful = false;
        if (has_marks && lt_json_index_is_marked(&self->index, start, last)) {
            is_careful = true;
            if (has_texts && !texts_are_good(self, template, bytes, positions)) {
                *out_is_bad = true;
                break;
            }
        }
        self->places.is_careful[row] = is_careful;
        uint32_t i                   = read_count;
        for (; i < values_end; i++) {
            const uint32_t from = positions[slots[i].start_anchor] + (uint32_t)slots[i].start_delta;
            const uint32_t to   = positions[slots[i].end_anchor] + (uint32_t)slots[i].end_delta;
            if (!lt_json_lanes_bare_is_good(&self->lanes, bytes + from, (size_t)to - from, slots[i].depth)) break;
        }
        if (i < values_end) {
            *out_is_bad = true;
            break;
        }
        for (i = 0; i < read_count; i++) {
            const lt_json_slot *slot            = &slots[i];
            const uint32_t      from            = positions[slot->start_anchor] + (uint32_t)slot->start_delta;
            const uint32_t      to              = positions[slot->end_anchor] + (uint32_t)slot->end_delta;
            spans[span_row[slot->column] + row] = lt_value_span_of(from, to, slot->is_text);
        }
        for (i = 0; i < missing_count; i++) spans[span_row[template->missing[i]] + row] = 0;
        cursor += count;
        start                     = last + 1;
        self->places.cursors[row] = cursor;
    }
    self->cursor = cursor;
    return row;
}

// Whether `rows` rows, `stride` positions each from `first` on, have the bytes of a check.
static inline bool check_holds(const lt_json_check *check, const char *bytes, const uint16_t *first, uint32_t stride,
                               uint32_t rows) {
    const uint16_t    *anchor = first + check->anchor;
    const char        *text   = bytes + check->delta;
    const lt_word_pair wanted = check->text;
    lt_word_pair       wrong  = {0, 0};
    for (uint32_t row = 0; row < rows; row++, anchor += stride) {
        lt_word_pair found;
        memcpy(&found, text + *anchor, sizeof found);
        wrong |= found ^ wanted;
    }
    wrong &= check->mask;
    return (wrong[0] | wrong[1]) == 0;
}

// Whether rows follow each other without a gap and have all literals, literal by literal.
static bool literals_hold(const lt_json_template *template, const char *bytes, const uint16_t *first, uint32_t start,
                          uint32_t rows) {
    const uint32_t stride = template->position_count;
    uint32_t       wrong = (first[0] - template->first_quote) ^ start, begin = 0, end = template->check_count;
    if (template->has_seam) {
        // The end of a row and the start of the next one are compared as one, which leaves room for no gap.
        begin++, end--;
        if (!check_holds(&template->checks[0], bytes, first, stride, 1) ||
            !check_holds(&template->seam, bytes, first + stride, stride, rows - 1) ||
            !check_holds(&template->checks[end], bytes, first + (size_t)(rows - 1) * stride, stride, 1))
            return false;
    } else {
        // Positions rise, so a row that begins too early cannot make up for it.
        for (uint32_t row = 1; row < rows; row++)
            wrong |= (first[row * stride] - template->first_quote) ^ (first[row * stride - 1] + 1u);
    }
    if (wrong != 0) return false;
    for (uint32_t i = begin; i < end; i++)
        if (!check_holds(&template->checks[i], bytes, first, stride, rows)) return false;
    return true;
}

static inline void spans_of(const lt_json_slot *slot, const uint16_t *first, uint32_t stride, uint32_t rows,
                            lt_value_span *spans) {
    const uint16_t *from = first + slot->start_anchor, *to = first + slot->end_anchor;
    const uint32_t  from_delta = (uint32_t)slot->start_delta, to_delta = (uint32_t)slot->end_delta;
    const bool      is_text = slot->is_text;
    for (uint32_t row = 0; row < rows; row++, from += stride, to += stride)
        spans[row] = lt_value_span_of(*from + from_delta, *to + to_delta, is_text);
}

// The first `rows` rows as if all of them matched the current template: every literal and value in a loop over the
// rows. False when one does not; nothing is located then.
static bool locate_batch(lt_json_batch *self, const lt_json_piece *view, uint32_t rows) {
    const lt_json_template *template = &self->templates[self->current];
    const uint32_t  stride = template->position_count, start = (uint32_t)(self->setup.splitter->next - view->bytes);
    const uint16_t *first = view->index->positions + self->cursor;
    const char     *bytes = view->bytes;
    if (!row_fits(template, view, self->cursor + (rows - 1) * stride, start)) return false;
    if (!literals_hold(template, bytes, first, start, rows)) return false;
    lt_value_span *spare = lt_json_places_others(&self->places);
    for (uint32_t i = template->read_count; i < template->read_count + template->bare_count; i++) {
        spans_of(&template->slots[i], first, stride, rows, spare);
        if (lt_json_lanes_good_bares(&self->lanes, bytes, spare, rows, template->slots[i].depth) < rows) return false;
    }
    for (uint32_t i = 0; i < template->read_count; i++)
        spans_of(&template->slots[i], first, stride, rows,
                 self->places.spans + self->span_row[template->slots[i].column]);
    for (uint32_t i = 0; i < template->missing_count; i++)
        memset(self->places.spans + self->span_row[template->missing[i]], 0, rows * sizeof *self->places.spans);
    self->places.first_cursor = self->cursor;
    self->places.stride       = stride;
    const bool has_texts      = template->read_count + template->bare_count < template->slot_count;
    memset(self->places.is_careful, 0, rows);
    for (uint32_t row = 0, at = start; row < rows && self->index.has_marks; row++) {
        const uint32_t last = first[row * stride + stride - 1];
        if (lt_json_index_is_marked(&self->index, at, last)) {
            self->places.is_careful[row] = 1;
            if (has_texts && !texts_are_good(self, template, bytes, first + row * stride)) return false;
        }
        at = last + 1;
    }
    self->cursor += rows * stride;
    return true;
}

// Whether a template but the current one matches the row at the cursor; it becomes the current one.
static bool choose(lt_json_batch *self, const lt_json_piece *view, uint32_t start) {
    for (uint32_t i = 0; i < self->template_count; i++) {
        const lt_json_template *template = &self->templates[i];
        if (i == self->current || !row_fits(template, view, self->cursor, start)) continue;
        const uint16_t *positions = view->index->positions + self->cursor;
        if (view->bytes[positions[template->position_count - 1]] != '\n' ||
            !lt_json_template_matches(template, view->bytes, positions, start))
            continue;
        self->current = i;
        return true;
    }
    return false;
}

// --------------------------------------------------------------------------------------------- rows of several shapes

// Rows whose shapes take turns: cut by the numbers of positions that templates have, then sorted by template, so that
// what changes from row to row changes no loop.
typedef struct mixture {
    uint32_t rows;
    bool     ends_early;                    // no template has the row behind them, although it is all there
    uint16_t first[LT_JSON_BATCH_ROWS + 1]; // position of each row, and behind the last one
    uint16_t left[LT_JSON_BATCH_ROWS];      // rows without a template so far
    uint16_t sorted[LT_JSON_BATCH_ROWS];    // by template, then by number
    uint8_t  shape[LT_JSON_BATCH_ROWS];     // template, or LT_JSON_BATCH_TEMPLATES
} mixture;

// Cuts up to `rows_max` rows from the cursor on; they are only as long as templates are.
static void mixture_cut(const lt_json_batch *self, const lt_json_piece *view, uint32_t rows_max, mixture *out) {
    const uint16_t *positions = view->index->positions;
    uint32_t        counts[MIXED_COUNTS], count_count = 0, behind = 0, cursor = self->cursor, row = 0;
    for (uint32_t i = 0; i < self->template_count; i++) {
        const uint32_t count = self->templates[i].position_count;
        uint32_t       at    = 0;
        if (self->templates[i].behind > behind) behind = self->templates[i].behind;
        while (at < count_count && counts[at] < count) at++;
        if ((at < count_count && counts[at] == count) || count_count == MIXED_COUNTS) continue;
        memmove(counts + at + 1, counts + at, (count_count++ - at) * sizeof *counts);
        counts[at] = count;
    }
    out->first[0] = (uint16_t)cursor;
    for (; row < rows_max; row++) {
        uint32_t k = 0;
        while (k < count_count && cursor + counts[k] <= view->index->count &&
               view->bytes[positions[cursor + counts[k] - 1]] != '\n')
            k++;
        if (k == count_count || cursor + counts[k] > view->index->count) break;
        cursor += counts[k];
        out->first[row + 1] = (uint16_t)cursor;
    }
    out->ends_early = row < rows_max && cursor + counts[count_count - 1] <= view->index->count;
    while (row > 0 && positions[out->first[row] - 1] + behind + LT_JSON_PAD > view->readable) row--;
    out->rows = row;
}

// Sets the shapes of those rows that are left and have the template's; gives how many, in `sorted`.
static uint32_t mixture_sort(const lt_json_template *template, uint8_t shape, const lt_json_piece *view, uint32_t start,
                             mixture *mix, uint32_t *left_count, uint16_t *sorted) {
    const uint16_t *positions = view->index->positions;
    uint16_t        alike[LT_JSON_BATCH_ROWS];
    uint32_t        alike_count = 0, sorted_count = 0, kept = 0;
    for (uint32_t k = 0; k < *left_count; k++) {
        const uint32_t row = mix->left[k];
        alike[alike_count] = (uint16_t)row;
        alike_count += (uint32_t)mix->first[row + 1] - mix->first[row] == template->position_count;
    }
    for (uint32_t k = 0; k < alike_count; k++) {
        const uint32_t  row   = alike[k];
        const uint16_t *first = positions + mix->first[row];
        const bool      is_matched =
            lt_json_template_matches(template, view->bytes, first, row == 0 ? start : (uint32_t)first[-1] + 1);
        sorted[sorted_count] = (uint16_t)row;
        sorted_count += is_matched;
        mix->shape[row] = is_matched ? shape : LT_JSON_BATCH_TEMPLATES;
    }
    for (uint32_t k = 0; k < *left_count; k++) {
        const uint16_t row = mix->left[k];
        mix->left[kept]    = row;
        kept += mix->shape[row] == LT_JSON_BATCH_TEMPLATES;
    }
    *left_count = kept;
    return sorted_count;
}

static inline lt_value_span slot_span(const lt_json_slot *slot, const uint16_t *first) {
    return lt_value_span_of(first[slot->start_anchor] + (uint32_t)slot->start_delta,
                            first[slot->end_anchor] + (uint32_t)slot->end_delta, slot->is_text);
}

// Notes the values of `rows`, which match the template; gives how many of them come before the first bad value.
static uint32_t mixture_locate(lt_json_batch *self, const lt_json_template *template, const lt_json_piece *view,
                               const mixture *mix, const uint16_t *rows, uint32_t count) {
    const uint16_t *positions = view->index->positions;
    lt_value_span  *spans = self->places.spans, *spare = lt_json_places_others(&self->places);
    for (uint32_t i = template->read_count; i < template->read_count + template->bare_count; i++) {
        const lt_json_slot *slot = &template->slots[i];
        for (uint32_t k = 0; k < count; k++) spare[k] = slot_span(slot, positions + mix->first[rows[k]]);
        count = lt_json_lanes_good_bares(&self->lanes, view->bytes, spare, count, slot->depth);
    }
    for (uint32_t i = 0; i < template->read_count; i++) {
        const lt_json_slot *slot = &template->slots[i];
        lt_value_span      *run  = spans + self->span_row[slot->column];
        for (uint32_t k = 0; k < count; k++) run[rows[k]] = slot_span(slot, positions + mix->first[rows[k]]);
    }
    for (uint32_t i = 0; i < template->missing_count; i++) {
        lt_value_span *run = spans + self->span_row[template->missing[i]];
        for (uint32_t k = 0; k < count; k++) run[rows[k]] = 0;
    }
    return count;
}

// As many rows as have one of the shapes that were met, up to the first that has not or has a bad value.
static uint32_t locate_mixed(lt_json_batch *self, const lt_json_piece *view, uint32_t rows_max, bool *out_ends_early) {
    const uint32_t start = row_start(self, 0);
    mixture        mix;
    mixture_cut(self, view, rows_max, &mix);
    uint32_t rows = mix.rows, left_count = rows, sorted_count = 0, shapes = 0, most = 0, next = self->current;
    memset(mix.shape, LT_JSON_BATCH_TEMPLATES, rows);
    for (uint32_t row = 0; row < rows; row++) mix.left[row] = (uint16_t)row;
    uint32_t counts[MIXED_SHAPES], templates[MIXED_SHAPES];
    for (uint32_t i = 0; i < self->template_count && left_count > 0 && shapes < MIXED_SHAPES; i++) {
        // The current one first.
        const uint32_t index             = i == 0 ? self->current : i <= self->current ? i - 1 : i;
        const lt_json_template *template = &self->templates[index];
        if (view->before + start < template->before) continue;
        counts[shapes] =
            mixture_sort(template, (uint8_t)index, view, start, &mix, &left_count, mix.sorted + sorted_count);
        templates[shapes] = index;
        sorted_count += counts[shapes++];
    }
    if (left_count > 0) {
        rows           = mix.left[0];
        mix.ends_early = true;
    }
    const uint16_t *sorted = mix.sorted;
    for (uint32_t i = 0; i < shapes; sorted += counts[i++]) {
        uint32_t count = counts[i];
        if (count > most) most = count, next = templates[i];
        while (count > 0 && sorted[count - 1] >= rows) count--;
        const uint32_t good = mixture_locate(self, &self->templates[templates[i]], view, &mix, sorted, count);
        if (good < count) rows = sorted[good];
    }
    // The few rows at the end of a piece do not tell.
    if (mix.rows > BATCH_ROWS_MIN) self->has_mixed_rows = most < mix.rows;
    self->places.stride = 0;
    for (uint32_t row = 0, at = start; row < rows; row++) {
        const lt_json_template *template = &self->templates[mix.shape[row]];
        const uint32_t last              = view->index->positions[mix.first[row + 1] - 1];
        const bool     is_careful        = self->index.has_marks && lt_json_index_is_marked(&self->index, at, last);
        self->places.is_careful[row]     = is_careful;
        self->places.cursors[row]        = mix.first[row + 1];
        at                               = last + 1;
        if (is_careful && !texts_are_good(self, template, view->bytes, view->index->positions + mix.first[row]))
            rows = row;
    }
    self->current   = next;
    self->cursor    = mix.first[rows];
    *out_ends_early = mix.ends_early;
    return rows;
}

static uint32_t locate_members(lt_json_batch *self, const lt_json_piece *view, uint32_t rows_max) {
    const uint32_t start = (uint32_t)(self->setup.splitter->next - self->piece);
    const uint32_t rows =
        lt_json_members_locate(&self->members, &self->lanes, view, &self->places, &self->cursor, start, rows_max);
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
    uint32_t row = 0;
    if (self->batch_rows > BATCH_ROWS_MIN) {
        const uint32_t stride            = self->templates[self->current].position_count;
        const uint32_t whole             = (view->index->count - self->cursor) / stride;
        uint32_t       rows              = whole < rows_max ? whole : rows_max;
        const lt_json_template *template = &self->templates[self->current];
        if (rows > 1 && !row_fits(template, view, self->cursor + (rows - 1) * stride, template->before))
            rows--; // the last one of the fed bytes
        if (rows > 0 && !self->has_mixed_rows && locate_batch(self, view, rows)) return rows;
        bool           ends_early;
        const uint32_t mixed = locate_mixed(self, view, rows_max, &ends_early);
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
        row                  = locate_run(self, &self->templates[self->current], view, row, rows_max, out_is_bad);
        self->changes        = self->changes > row - first ? self->changes - (row - first) : 0;
        if (row == rows_max || *out_is_bad) return row;
        if (!choose(self, view, row_start(self, row))) return row;
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
    self->first_cursor               = self->cursor;
    self->is_new_shape               = false;
    if (self->template_count == 0 || self->member_rows > 0) return locate_members(self, &view, rows_max);
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

// Whether the piece has the end of the row at the cursor.
static bool piece_has_row(const lt_json_batch *self) {
    for (uint32_t i = self->cursor; i < self->index.count; i++)
        if (self->piece[self->index.positions[i]] == '\n') return true;
    return false;
}

// Locates rows at the splitter's next byte, in a new piece if need be.
static uint32_t locate_next(lt_json_batch *self, uint32_t rows_max) {
    const lt_line_splitter *splitter = self->setup.splitter;
    const char             *next     = splitter->next;
    if (self->piece == NULL || next >= self->piece + self->piece_bytes) piece_begin(self, next);
    const uint32_t start = (uint32_t)(next - self->piece);
    while (self->cursor < self->index.count && self->index.positions[self->cursor] < start) self->cursor++;
    const uint32_t rows = locate(self, rows_max);
    if (rows > 0 || next == self->piece || self->piece + self->piece_bytes == splitter->end || piece_has_row(self))
        return rows;
    piece_begin(self, next);
    return locate(self, rows_max);
}

static leat_status read_columns(lt_json_batch *self, uint32_t *count, leat_error *err) {
    lt_chunk *chunk = &self->setup.builder->chunk;
    for (uint32_t run = 0; run<self->places.run_count && * count> 0; run++)
        LT_TRY(lt_value_lanes_fill(&self->lanes.values, &chunk->columns[self->run_column[run]], chunk->count,
                                   self->piece, self->places.spans + (size_t)run * LT_JSON_BATCH_ROWS,
                                   self->places.is_careful, count, err));
    return LEAT_OK;
}

// Counts a row or more as taken (or one as missed) and decides about sleep.
static void note(lt_json_batch *self, uint32_t rows, bool is_miss) {
    self->misses_in_a_row = is_miss ? self->misses_in_a_row + 1 : 0;
    self->window_rows += rows;
    self->window_misses += is_miss;
    if (self->window_rows < WINDOW_ROWS) return;
    const bool is_poor = self->window_misses * 5 > self->window_rows;
    self->sleep_length = !is_poor                                  ? 0
                         : self->sleep_length == 0                 ? WINDOW_ROWS
                         : self->sleep_length < SLEEP_ROWS_MAX / 2 ? self->sleep_length * 2
                                                                   : SLEEP_ROWS_MAX;
    if (!self->setup.never_sleeps) self->sleep_rows = self->sleep_length;
    self->window_rows = self->window_misses = 0;
}

// The shape of a good row as a template; when there are many, in place of the oldest one if `replaces`.
static leat_status learn(lt_json_batch *self, const char *row, const char *end, bool replaces, leat_error *err) {
    uint32_t index = self->template_count;
    if (index == LT_JSON_BATCH_TEMPLATES) {
        if (!replaces) return LEAT_OK;
        index = self->oldest = (self->oldest + 1) % LT_JSON_BATCH_TEMPLATES;
    }
    bool is_learned = false;
    LT_TRY(lt_json_template_learn(&self->templates[index], &self->scratch, &self->setup.columns, row, end,
                                  self->setup.arena, &is_learned, err));
    if (!is_learned) return LEAT_OK;
    for (uint32_t i = 0; i < self->template_count; i++)
        if (i != index && lt_json_template_equal(&self->templates[i], &self->templates[index])) return LEAT_OK;
    self->current = index;
    if (index == self->template_count) self->template_count++;
    return LEAT_OK;
}

leat_status lt_json_batch_take(lt_json_batch *self, uint32_t *out_rows, leat_error *err) {
    lt_row_builder *builder = self->setup.builder;
    *out_rows               = 0;
    if ((self->template_count == 0 && !self->members.is_ready) || self->sleep_rows > 0) return LEAT_OK;
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
        self->cursor          = count == 0 ? self->first_cursor : lt_json_places_cursor(&self->places, count - 1);
        self->is_next_refused = count > 0;
        if (count == 0) return LEAT_OK;
    } else if (self->batch_rows < LT_JSON_BATCH_ROWS) {
        self->batch_rows *= 2;
    }
    if (self->is_new_shape)
        LT_TRY(learn(self, self->setup.splitter->next, self->piece + lt_json_places_end(&self->places, &self->index, 0),
                     true, err));
    lt_line_splitter_take_lines(self->setup.splitter,
                                self->piece + lt_json_places_end(&self->places, &self->index, count - 1), count);
    note(self, count, false);
    builder->chunk.count += count;
    *out_rows = count;
    return builder->chunk.count == LT_CHUNK_ROWS_MAX ? lt_row_builder_give(builder, err) : LEAT_OK;
}

leat_status lt_json_batch_missed(lt_json_batch *self, const char *row, const char *end, leat_error *err) {
    if (self->sleep_rows > 0) {
        self->sleep_rows--;
        return LEAT_OK;
    }
    // A row at the edges of the fed bytes, or a long one, says nothing about its shape.
    const lt_line_splitter *splitter = self->setup.splitter;
    if (row == splitter->fed || splitter->end - end < EDGE_BYTES) return LEAT_OK;
    note(self, 1, true);
    if (end - row >= LT_JSON_INDEX_BYTES) return LEAT_OK;
    lt_json_members_learn(&self->members, row, end);
    return learn(self, row, end, self->misses_in_a_row % MISSES_TO_REPLACE == 0, err);
}
