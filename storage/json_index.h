// json_index: where the quotes and the ends of lines are in a piece of JSON Lines, 64 bytes a step.
//
//     {"a":"x\"y","b":7}\n   ->   positions 1 3 5 10 12 14 18       quotes that no backslash hides, and every \n
//
// Strings and the rest are not told apart: a reader that knows the row's shape finds out by comparing bytes. Steps that
// have a backslash, a byte from 0x80 or a control byte other than \n are marked, so that all others need no second
// look. Where bytes from 0x80 are all that steps are marked for, a second pass judges them and takes the marks off.
//
// Ownership  borrows everything; no state is kept between calls: a piece starts at the start of a line.
// Threads    any.    Limits  a piece of at most LT_JSON_INDEX_BYTES; reads only its bytes.    Errors  none.
// Cost       0.04 to 0.15 ns a byte; the portable kernel 1 ns.
#ifndef LT_STORAGE_JSON_INDEX_H
#define LT_STORAGE_JSON_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LT_JSON_INDEX_BYTES     = 32 * 1024,                // a position has 16 bits; piece and positions stay in the cache
    LT_JSON_INDEX_POSITIONS = LT_JSON_INDEX_BYTES + 64, // kernels store whole registers
    LT_JSON_INDEX_MARKS     = LT_JSON_INDEX_BYTES / 64 / 64 + 1,
};

typedef struct lt_json_index {
    uint16_t *positions; // room for LT_JSON_INDEX_POSITIONS, borrowed; increasing
    uint32_t  count;
    uint64_t  marks[LT_JSON_INDEX_MARKS]; // bit i: the i-th 64 bytes have a byte to be careful with
    bool      has_marks;
} lt_json_index;

// One per instruction set.
typedef struct lt_json_index_kernel {
    const char *name;
    bool (*is_supported)(void); // by this CPU
    void (*run)(lt_json_index *index, const char *bytes, size_t count);
    // Takes the marks off steps of the first `count` bytes, which end with a line, that have them for UTF-8 alone. Bytes
    // that are not UTF-8 anywhere leave all marks.
    void (*unmark_utf8)(lt_json_index *index, const char *bytes, size_t count);
} lt_json_index_kernel;

// All that this build has, the best first; the last, "portable", runs everywhere. Ended by a row without name.
extern const lt_json_index_kernel lt_json_index_kernels[];
// The named one, or NULL when this CPU or build has none such; `name` NULL: the best.
const lt_json_index_kernel *lt_json_index_kernel_find(const char *name);

#endif
