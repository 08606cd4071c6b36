// json_shapes: the shapes of rows that were met, and where the values of rows of these shapes are.
//
//     learn({"a":"x","b":7})   learn({"b":7})    ->    rows of one shape in a run, or of several that take turns
//
// Nothing is read into columns here: rows are compared with templates, what nobody reads is judged, and the places of
// what is read are noted. Rows that no template has are left.
//
// Ownership  borrows what setup names.    Threads  one at a time.    Limits  LT_JSON_SHAPES_MAX templates.
// Errors     LEAT_NO_MEMORY.              Cost     a compare of 16 bytes a literal, 1 to 2 ns an unread bare value.
#ifndef LT_STORAGE_JSON_SHAPES_H
#define LT_STORAGE_JSON_SHAPES_H

#include "storage/json_lanes.h"
#include "storage/json_template.h"

enum { LT_JSON_SHAPES_MAX = 16 };

// The coming row of a piece: its first position, and where it starts.
typedef struct lt_json_next_row {
    uint32_t cursor, start;
} lt_json_next_row;

typedef struct lt_json_shapes {
    lt_json_columns  columns;
    lt_json_lanes   *lanes;    // borrows
    lt_json_places  *places;   // borrows
    const uint32_t  *span_row; // borrows; by column: the start of its run of spans
    lt_arena        *arena;    // borrows
    lt_json_template templates[LT_JSON_SHAPES_MAX], scratch;
    uint32_t         count, current, oldest;
    bool             has_mixed_rows; // the last rows that were located together had several shapes
} lt_json_shapes;

// `setup`: a struct whose borrowed members are set.
leat_status lt_json_shapes_open(lt_json_shapes *shapes, const lt_json_shapes *setup, leat_error *err);

static inline bool lt_json_shapes_row_fits(const lt_json_template *template, const lt_json_piece *piece,
                                           const lt_json_next_row *row) {
    if (row->cursor + template->position_count > piece->index->count) return false;
    const uint32_t last = piece->index->positions[row->cursor + template->position_count - 1];
    return last + template->behind + LT_JSON_PAD <= piece->readable && piece->before + row->start >= template->before;
}

// Notes rows from number `row` on that match the current template; gives the number behind them and moves *next there.
// *out_is_bad: the row there matches, but one of its values is none.
uint32_t lt_json_shapes_locate_run(lt_json_shapes *shapes, const lt_json_piece *piece, lt_json_next_row *next,
                                   uint32_t row, uint32_t rows_max, bool *out_is_bad);
// Notes `rows` rows as if all of them matched the current template. False when one does not; nothing is noted then.
bool lt_json_shapes_locate_batch(lt_json_shapes *shapes, const lt_json_piece *piece, lt_json_next_row *next,
                                 uint32_t rows);
// Notes as many rows as have one of the shapes that were met, up to the first that has not or has a bad value.
// *out_ends_early: no template has the row behind them, although it is all there.
uint32_t lt_json_shapes_locate_mixed(lt_json_shapes *shapes, const lt_json_piece *piece, lt_json_next_row *next,
                                     uint32_t rows_max, bool *out_ends_early);
// Whether a template but the current one matches the next row; it becomes the current one.
bool lt_json_shapes_choose(lt_json_shapes *shapes, const lt_json_piece *piece, const lt_json_next_row *next);
// Whether the texts of a row that nobody reads are what texts may be.
bool lt_json_shapes_texts_are_good(lt_json_shapes *shapes, const lt_json_template *template, const char *bytes,
                                   const uint16_t *positions);
// The shape of a good row as a template; when there are many, in place of the oldest one if `replaces`.
leat_status lt_json_shapes_learn(lt_json_shapes *shapes, const char *row, const char *end, bool replaces,
                                 leat_error *err);

#endif
