// csv_index: where cells and lines end in a piece of CSV, 64 bytes a step.
//
//     a,"b,c",7\n   ->   positions 1 7 9|newline        separators that no quotes hide, and every \n
//
// Quotes are told apart by their parity since the start of the line. Steps that have what a parity cannot judge are
// marked: an escape inside of quotes, a quote that neither opens nor closes a whole cell, a line that ends inside of
// quotes, a \r without its \n. In all other steps a cell that begins with a quote ends with one and has none between.
//
// Ownership  borrows everything; no state is kept between calls: a piece starts at the start of a line.
// Threads    any.    Limits  a piece of less than LT_CSV_INDEX_BYTES; reads only its bytes.    Errors  none.
// Cost       0.05 to 0.2 ns a byte; the portable kernel 1 ns.
#ifndef LT_STORAGE_CSV_INDEX_H
#define LT_STORAGE_CSV_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LT_CSV_INDEX_BYTES     = 32 * 1024,
    LT_CSV_INDEX_POSITIONS = LT_CSV_INDEX_BYTES + 64, // kernels store whole registers
    LT_CSV_INDEX_MARKS     = LT_CSV_INDEX_BYTES / 64 / 64 + 1,
    LT_CSV_NEWLINE         = 0x8000, // in a position: of a newline
};

// None of them is \n or \r; separator and quote differ. escape 0 or the quote itself: none; has_quote false: no cell is
// quoted.
typedef struct lt_csv_index_bytes {
    char separator, quote, escape;
    bool has_quote, has_escape;
} lt_csv_index_bytes;

typedef struct lt_csv_index {
    uint16_t *positions; // room for LT_CSV_INDEX_POSITIONS, borrowed; place | LT_CSV_NEWLINE, increasing by place
    uint32_t  count;
    uint64_t  marks[LT_CSV_INDEX_MARKS]; // bit i: the i-th 64 bytes are marked
    bool      has_marks, has_quotes, has_returns;
} lt_csv_index;

// One per instruction set.
typedef struct lt_csv_index_kernel {
    const char *name;
    bool (*is_supported)(void); // by this CPU
    void (*run)(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);
} lt_csv_index_kernel;

// All that this build has, the best first; the last, "portable", runs everywhere. Ended by a row without name.
extern const lt_csv_index_kernel lt_csv_index_kernels[];
// The named one, or NULL when this CPU or build has none such; `name` NULL: the best.
const lt_csv_index_kernel *lt_csv_index_kernel_find(const char *name);

#endif
