// json_places: where the values of some rows of JSON Lines are in a piece: what locating writes and reading takes.
//
// Ownership  a piece and its positions are borrowed; places borrow their spans.   Threads  one at a time.
// Limits     pieces of less than LT_JSON_INDEX_BYTES, LT_JSON_BATCH_ROWS rows.    Errors  none.
#ifndef LT_STORAGE_JSON_PLACES_H
#define LT_STORAGE_JSON_PLACES_H

#include "storage/json_index.h"
#include "storage/value_lanes.h"

enum {
    LT_JSON_BATCH_ROWS = LT_VALUE_LANES_ROWS,
    LT_JSON_PAD        = 64,                          // bytes behind a row that must be readable
    LT_JSON_OTHERS     = LT_JSON_INDEX_BYTES / 5 + 1, // members of a piece at most: "":1, is the shortest one
};

// An indexed piece.
typedef struct lt_json_piece {
    const char          *bytes;
    const lt_json_index *index;
    uint32_t             readable; // bytes of the piece and behind it that may be looked at
    size_t               before;   // bytes before the piece that may be looked at
} lt_json_piece;

typedef struct lt_json_places {
    // Runs of LT_JSON_BATCH_ROWS, one per column that is read, and one that nobody looks at; behind them room for
    // LT_JSON_OTHERS values that nobody reads.
    lt_value_span *spans;
    uint32_t       run_count;
    uint32_t       first_cursor, stride;           // of rows that have equally many positions; stride 0: see cursors
    uint32_t       cursors[LT_JSON_BATCH_ROWS];    // behind the positions of row i
    uint8_t        is_careful[LT_JSON_BATCH_ROWS]; // the row has a byte to be careful with
} lt_json_places;

// Behind the positions of a row; the last of them is its newline.
static inline uint32_t lt_json_places_cursor(const lt_json_places *places, uint32_t row) {
    return places->stride == 0 ? places->cursors[row] : places->first_cursor + (row + 1) * places->stride;
}
static inline uint32_t lt_json_places_end(const lt_json_places *places, const lt_json_index *index, uint32_t row) {
    return index->positions[lt_json_places_cursor(places, row) - 1] + 1u;
}

static inline size_t lt_json_places_spans(uint32_t run_count) {
    return (size_t)(run_count + 1) * LT_JSON_BATCH_ROWS + LT_JSON_OTHERS;
}
static inline lt_value_span *lt_json_places_others(const lt_json_places *places) {
    return places->spans + (size_t)(places->run_count + 1) * LT_JSON_BATCH_ROWS;
}

// Whether any of the bytes [first, last] lies in a marked step.
static inline bool lt_json_index_is_marked(const lt_json_index *index, uint32_t first, uint32_t last) {
    const uint32_t from = first >> 6, to = last >> 6;
    const uint64_t low = ~UINT64_C(0) << (from & 63), high = ~UINT64_C(0) >> (63 - (to & 63));
    if (from >> 6 == to >> 6) return (index->marks[from >> 6] & low & high) != 0;
    uint64_t any = (index->marks[from >> 6] & low) | (index->marks[to >> 6] & high);
    for (uint32_t word = (from >> 6) + 1; word < to >> 6; word++) any |= index->marks[word];
    return any != 0;
}

#endif
