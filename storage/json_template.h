// json_template: the shape of a row of JSON Lines: which bytes stand between its values, and where.
//
//     {"a":"x","b":7}\n    ->    {"a":"  <text>  ","b":  <bare>  }\n        positions of the index: " " " " " " \n
//                                   0 1 at 2     3    4 5                    anchors: every literal hangs on one of
//                                   them
//
// A row matches when each literal is found at its anchor: then its names, order, nesting, spacing and end are those of
// the row that the template was learned from. Only the values are left to be judged: texts end at unescaped quotes, but
// may have bytes that no text may have; bare values may be anything without quotes and newlines. A template is a hint:
// one that does not fit costs time, never an answer.
//
// Ownership  borrows the arena it was learned into.   Threads  one at a time.
// Limits     LT_JSON_TEMPLATE_VALUES values and _CHECKS pieces of 16 bytes; a larger row has no template.
// Cost       a match is a compare of 16 bytes per literal without a branch between them.
#ifndef LT_STORAGE_JSON_TEMPLATE_H
#define LT_STORAGE_JSON_TEMPLATE_H

#include "base/type.h"
#include "storage/json_places.h"

enum { LT_JSON_TEMPLATE_VALUES = 512, LT_JSON_TEMPLATE_CHECKS = 1024 };

typedef uint64_t lt_word_pair __attribute__((vector_size(16)));

// Up to 16 bytes of a literal, `delta` bytes from position number `anchor` of the row.
typedef struct lt_json_check {
    lt_word_pair text, mask;
    int32_t      anchor, delta;
} lt_json_check;

typedef struct lt_json_slot {
    int32_t start_anchor, start_delta, end_anchor, end_delta;
    int32_t column; // -1: nobody reads it
    bool    is_text;
    uint8_t depth; // open brackets around it
} lt_json_slot;

typedef struct lt_json_template {
    lt_json_check *checks;
    lt_json_slot  *slots; // first the read_count that columns read, then bare values, then texts
    uint32_t       check_count, slot_count, read_count, bare_count;
    uint32_t       check_capacity, slot_capacity;
    uint32_t       position_count; // of a row, its newline included
    uint32_t       first_quote;    // bytes before it
    uint32_t       before, behind; // checks read at most so far before an anchor, and behind one
    lt_json_check  seam;     // the last literal of a row and the first of the next one, from that one's first quote
    bool           has_seam; // they fit one check, and are the last and the first of checks
    int32_t       *missing;  // columns that no value is read into
    uint32_t       missing_count;
} lt_json_template;

// Gives the column of a name at depth 1, or -1.
typedef struct lt_json_columns {
    const lt_field *fields;
    const uint32_t *name_bytes;
    const bool     *is_read;
    uint32_t        count;
} lt_json_columns;

// Learns the row [row, end), which is a valid one that ends with \n. *out_is_learned false: a row that no template can
// stand for. `scratch` has room for the largest template. Errors: LEAT_NO_MEMORY.
leat_status lt_json_template_learn(lt_json_template *template, lt_json_template *scratch,
                                   const lt_json_columns *columns, const char *row, const char *end, lt_arena *arena,
                                   bool *out_is_learned, leat_error *err);
leat_status lt_json_template_init_scratch(lt_json_template *scratch, lt_arena *arena, leat_error *err);

bool lt_json_template_equal(const lt_json_template *a, const lt_json_template *b);

// Whether the row that starts `start` bytes behind `bytes` has all literals; positions[position_count] are its own.
// Readable: `before` bytes before it, `behind` bytes and LT_JSON_PAD behind the last position.
static inline bool lt_json_template_matches(const lt_json_template *template, const char *bytes,
                                            const uint16_t *positions, uint32_t start) {
    const lt_json_check *check = template->checks, *end = check + template->check_count;
    lt_word_pair         wrong = {(positions[0] - template->first_quote) ^ start, 0};
    do {
        lt_word_pair text;
        memcpy(&text, bytes + positions[check->anchor] + check->delta, sizeof text);
        wrong |= (text ^ check->text) & check->mask;
    } while (++check < end);
    return (wrong[0] | wrong[1]) == 0;
}

#endif
