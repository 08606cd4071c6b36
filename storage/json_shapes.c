// Rows of one shape: each row by itself, or all of them literal by literal and value by value, which is a loop over rows
// for each of them. Rows of several shapes are in json_mixture.c.
#include "storage/json_shapes.h"

leat_status lt_json_shapes_open(lt_json_shapes *self, const lt_json_shapes *setup, leat_error *err) {
    *self = *setup;
    return lt_json_template_init_scratch(&self->scratch, self->arena, err);
}

bool lt_json_shapes_texts_are_good(lt_json_shapes *self, const lt_json_template *template, const char *bytes,
                                   const uint16_t *positions) {
    for (uint32_t i = template->read_count + template->bare_count; i < template->slot_count; i++) {
        const lt_json_slot *slot  = &template->slots[i];
        const uint32_t      start = positions[slot->start_anchor] + (uint32_t)slot->start_delta;
        if (!lt_json_lanes_text_is_good(self->lanes, bytes + start, positions[slot->end_anchor] - start)) return false;
    }
    return true;
}

uint32_t lt_json_shapes_locate_run(lt_json_shapes *self, const lt_json_piece *piece, lt_json_next_row *next,
                                   uint32_t row, uint32_t rows_max, bool *out_is_bad) {
    const lt_json_template *template     = &self->templates[self->current];
    const char *const         bytes      = piece->bytes;
    const uint32_t            read_count = template->read_count, values_end = read_count + template->bare_count;
    const uint32_t            count = template->position_count, missing_count = template->missing_count;
    const bool                has_marks = piece->index->has_marks;
    const bool                has_texts = values_end < template->slot_count;
    const lt_json_slot *const slots     = template->slots;
    lt_value_span *const      spans     = self->places->spans;
    const uint32_t *const     span_row  = self->span_row;
    uint32_t                  cursor = next->cursor, start = next->start;
    self->places->stride = 0;
    for (; row < rows_max; row++) {
        if (!lt_json_shapes_row_fits(template, piece, &(lt_json_next_row){cursor, start})) break;
        const uint16_t *positions = piece->index->positions + cursor;
        if (!lt_json_template_matches(template, bytes, positions, start)) break;
        const uint32_t last       = positions[count - 1];
        bool           is_careful = false;
        if (has_marks && lt_json_index_is_marked(piece->index, start, last)) {
            is_careful = true;
            if (has_texts && !lt_json_shapes_texts_are_good(self, template, bytes, positions)) {
                *out_is_bad = true;
                break;
            }
        }
        self->places->is_careful[row] = is_careful;
        uint32_t i                    = read_count;
        for (; i < values_end; i++) {
            const uint32_t from = positions[slots[i].start_anchor] + (uint32_t)slots[i].start_delta;
            const uint32_t to   = positions[slots[i].end_anchor] + (uint32_t)slots[i].end_delta;
            if (!lt_json_lanes_bare_is_good(self->lanes, bytes + from, (size_t)to - from, slots[i].depth)) break;
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
        start                      = last + 1;
        self->places->cursors[row] = cursor;
    }
    *next = (lt_json_next_row){cursor, start};
    return row;
}

static inline lt_word_pair difference(const lt_word_pair *wanted, const char *found) {
    lt_word_pair text;
    memcpy(&text, found, sizeof text);
    return text ^ *wanted;
}

// Whether `rows` rows, `stride` positions each from `first` on, have the bytes of a check. Four rows a step.
static inline bool check_holds(const lt_json_check *check, const char *bytes, const uint16_t *first, uint32_t stride,
                               uint32_t rows) {
    const uint16_t    *anchor = first + check->anchor;
    const char        *text   = bytes + check->delta;
    const lt_word_pair wanted = check->text;
    lt_word_pair       wrong = {0, 0}, others = {0, 0};
    for (; rows >= 4; rows -= 4, anchor += 4 * (size_t)stride) {
        const uint16_t *second = anchor + stride, *third = second + stride, *fourth = third + stride;
        wrong |= difference(&wanted, text + *anchor) | difference(&wanted, text + *second);
        others |= difference(&wanted, text + *third) | difference(&wanted, text + *fourth);
    }
    for (; rows > 0; rows--, anchor += stride) wrong |= difference(&wanted, text + *anchor);
    wrong = (wrong | others) & check->mask;
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

// Whether the bare values that nobody reads are good, all that are equally deep at once.
static bool bares_hold(const lt_json_shapes *self, const lt_json_piece *piece, const uint16_t *first, uint32_t rows) {
    const lt_json_template *template = &self->templates[self->current];
    const lt_json_slot *slot = template->slots + template->read_count, *end = slot + template->bare_count;
    lt_value_span      *spare = lt_json_places_others(self->places);
    while (slot < end) {
        const uint32_t depth = slot->depth;
        uint32_t       count = 0;
        for (; slot < end && slot->depth == depth; slot++, count += rows)
            spans_of(slot, first, template->position_count, rows, spare + count);
        if (lt_json_lanes_good_bares(self->lanes, piece->bytes, spare, count, depth) < count) return false;
    }
    return true;
}

bool lt_json_shapes_locate_batch(lt_json_shapes *self, const lt_json_piece *piece, lt_json_next_row *next,
                                 uint32_t rows) {
    const lt_json_template *template = &self->templates[self->current];
    const uint32_t  stride = template->position_count, start = next->start;
    const uint16_t *first = piece->index->positions + next->cursor;
    const char     *bytes = piece->bytes;
    if (!lt_json_shapes_row_fits(template, piece, &(lt_json_next_row){next->cursor + (rows - 1) * stride, start}))
        return false;
    if (!literals_hold(template, bytes, first, start, rows)) return false;
    if (!bares_hold(self, piece, first, rows)) return false;
    for (uint32_t i = 0; i < template->read_count; i++)
        spans_of(&template->slots[i], first, stride, rows,
                 self->places->spans + self->span_row[template->slots[i].column]);
    for (uint32_t i = 0; i < template->missing_count; i++)
        memset(self->places->spans + self->span_row[template->missing[i]], 0, rows * sizeof *self->places->spans);
    self->places->first_cursor = next->cursor;
    self->places->stride       = stride;
    const bool has_texts       = template->read_count + template->bare_count < template->slot_count;
    memset(self->places->is_careful, 0, rows);
    for (uint32_t row = 0, at = start; row < rows && piece->index->has_marks; row++) {
        const uint32_t last = first[row * stride + stride - 1];
        if (lt_json_index_is_marked(piece->index, at, last)) {
            self->places->is_careful[row] = 1;
            if (has_texts && !lt_json_shapes_texts_are_good(self, template, bytes, first + row * stride)) return false;
        }
        at = last + 1;
    }
    *next = (lt_json_next_row){next->cursor + rows * stride, lt_json_places_end(self->places, piece->index, rows - 1)};
    return true;
}

bool lt_json_shapes_choose(lt_json_shapes *self, const lt_json_piece *piece, const lt_json_next_row *next) {
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_json_template *template = &self->templates[i];
        if (i == self->current || !lt_json_shapes_row_fits(template, piece, next)) continue;
        const uint16_t *positions = piece->index->positions + next->cursor;
        if (piece->bytes[positions[template->position_count - 1]] != '\n' ||
            !lt_json_template_matches(template, piece->bytes, positions, next->start))
            continue;
        self->current = i;
        return true;
    }
    return false;
}

leat_status lt_json_shapes_learn(lt_json_shapes *self, const char *row, const char *end, bool replaces,
                                 leat_error *err) {
    uint32_t index = self->count;
    if (index == LT_JSON_SHAPES_MAX) {
        if (!replaces) return LEAT_OK;
        index = self->oldest = (self->oldest + 1) % LT_JSON_SHAPES_MAX;
    }
    bool is_learned = false;
    LT_TRY(lt_json_template_learn(&self->templates[index], &self->scratch, &self->columns, row, end, self->arena,
                                  &is_learned, err));
    if (!is_learned) return LEAT_OK;
    for (uint32_t i = 0; i < self->count; i++)
        if (i != index && lt_json_template_equal(&self->templates[i], &self->templates[index])) return LEAT_OK;
    self->current = index;
    if (index == self->count) self->count++;
    return LEAT_OK;
}
