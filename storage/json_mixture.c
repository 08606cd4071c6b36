// Rows of several shapes: cut and sorted first, then located template by template.
#include "storage/json_shapes.h"

enum { MIXED_COUNTS = 4, MIXED_SHAPES = 6, ROWS_THAT_TELL = 8 };

// Rows whose shapes take turns: cut by the numbers of positions that templates have, then sorted by template, so that
// what changes from row to row changes no loop.
typedef struct mixture {
    uint32_t rows;
    bool     ends_early;                    // no template has the row behind them, although it is all there
    uint16_t first[LT_JSON_BATCH_ROWS + 1]; // position of each row, and behind the last one
    uint16_t left[LT_JSON_BATCH_ROWS];      // rows without a template so far
    uint16_t sorted[LT_JSON_BATCH_ROWS];    // by template, then by number
    uint8_t  shape[LT_JSON_BATCH_ROWS];     // template, or LT_JSON_SHAPES_MAX
} mixture;

// Cuts up to `rows_max` rows from the cursor on; they are only as long as templates are.
static void mixture_cut(const lt_json_shapes *self, const lt_json_piece *piece, uint32_t next, uint32_t rows_max,
                        mixture *out) {
    const uint16_t *positions = piece->index->positions;
    uint32_t        counts[MIXED_COUNTS], count_count = 0, behind = 0, cursor = next, row = 0;
    for (uint32_t i = 0; i < self->count; i++) {
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
        while (k < count_count && cursor + counts[k] <= piece->index->count &&
               piece->bytes[positions[cursor + counts[k] - 1]] != '\n')
            k++;
        if (k == count_count || cursor + counts[k] > piece->index->count) break;
        cursor += counts[k];
        out->first[row + 1] = (uint16_t)cursor;
    }
    out->ends_early = row < rows_max && cursor + counts[count_count - 1] <= piece->index->count;
    while (row > 0 && positions[out->first[row] - 1] + behind + LT_JSON_PAD > piece->readable) row--;
    out->rows = row;
}

// Sets the shapes of those rows that are left and have the template's; gives how many, in `sorted`.
static uint32_t mixture_sort(const lt_json_template *template, uint8_t shape, const lt_json_piece *piece,
                             uint32_t start, mixture *mix, uint32_t *left_count, uint16_t *sorted) {
    const uint16_t *positions = piece->index->positions;
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
            lt_json_template_matches(template, piece->bytes, first, row == 0 ? start : (uint32_t)first[-1] + 1);
        sorted[sorted_count] = (uint16_t)row;
        sorted_count += is_matched;
        mix->shape[row] = is_matched ? shape : LT_JSON_SHAPES_MAX;
    }
    for (uint32_t k = 0; k < *left_count; k++) {
        const uint16_t row = mix->left[k];
        mix->left[kept]    = row;
        kept += mix->shape[row] == LT_JSON_SHAPES_MAX;
    }
    *left_count = kept;
    return sorted_count;
}

static inline lt_value_span slot_span(const lt_json_slot *slot, const uint16_t *first) {
    return lt_value_span_of(first[slot->start_anchor] + (uint32_t)slot->start_delta,
                            first[slot->end_anchor] + (uint32_t)slot->end_delta, slot->is_text);
}

// Notes the values of `rows`, which match the template; gives how many of them come before the first bad value.
static uint32_t mixture_locate(lt_json_shapes *self, const lt_json_template *template, const lt_json_piece *piece,
                               const mixture *mix, const uint16_t *rows, uint32_t count) {
    const uint16_t *positions = piece->index->positions;
    lt_value_span  *spans = self->places->spans, *spare = lt_json_places_others(self->places);
    for (uint32_t i = template->read_count; i < template->read_count + template->bare_count; i++) {
        const lt_json_slot *slot = &template->slots[i];
        for (uint32_t k = 0; k < count; k++) spare[k] = slot_span(slot, positions + mix->first[rows[k]]);
        count = lt_json_lanes_good_bares(self->lanes, piece->bytes, spare, count, slot->depth);
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

uint32_t lt_json_shapes_locate_mixed(lt_json_shapes *self, const lt_json_piece *piece, lt_json_next_row *next,
                                     uint32_t rows_max, bool *out_ends_early) {
    const uint32_t start = next->start;
    mixture        mix;
    mixture_cut(self, piece, next->cursor, rows_max, &mix);
    uint32_t rows = mix.rows, left_count = rows, sorted_count = 0, shapes = 0, most = 0, most_frequent = self->current;
    memset(mix.shape, LT_JSON_SHAPES_MAX, rows);
    for (uint32_t row = 0; row < rows; row++) mix.left[row] = (uint16_t)row;
    uint32_t counts[MIXED_SHAPES], templates[MIXED_SHAPES];
    for (uint32_t i = 0; i < self->count && left_count > 0 && shapes < MIXED_SHAPES; i++) {
        // The current one first.
        const uint32_t index             = i == 0 ? self->current : i <= self->current ? i - 1 : i;
        const lt_json_template *template = &self->templates[index];
        if (piece->before + start < template->before) continue;
        counts[shapes] =
            mixture_sort(template, (uint8_t)index, piece, start, &mix, &left_count, mix.sorted + sorted_count);
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
        if (count > most) most = count, most_frequent = templates[i];
        while (count > 0 && sorted[count - 1] >= rows) count--;
        const uint32_t good = mixture_locate(self, &self->templates[templates[i]], piece, &mix, sorted, count);
        if (good < count) rows = sorted[good];
    }
    // The few rows at the end of a piece do not tell.
    if (mix.rows > ROWS_THAT_TELL) self->has_mixed_rows = most < mix.rows;
    self->places->stride = 0;
    for (uint32_t row = 0, at = start; row < rows; row++) {
        const lt_json_template *template = &self->templates[mix.shape[row]];
        const uint32_t last              = piece->index->positions[mix.first[row + 1] - 1];
        const bool     is_careful        = piece->index->has_marks && lt_json_index_is_marked(piece->index, at, last);
        self->places->is_careful[row]    = is_careful;
        self->places->cursors[row]       = mix.first[row + 1];
        at                               = last + 1;
        if (is_careful &&
            !lt_json_shapes_texts_are_good(self, template, piece->bytes, piece->index->positions + mix.first[row]))
            rows = row;
    }
    self->current = most_frequent;
    if (rows > 0) *next = (lt_json_next_row){mix.first[rows], lt_json_places_end(self->places, piece->index, rows - 1)};
    *out_ends_early = mix.ends_early;
    return rows;
}
