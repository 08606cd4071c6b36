// json_members: rows of JSON Lines whose members come in any order, located from the places of their quotes.
//
//     {"b":7,"x":"y"}\n    positions " " " " " " \n     "b" ends at position 1; position 2 is not behind its colon:
//      0 1   2 3 4 5 6     a bare value; "x" ends at position 3, position 4 is: a text. No byte is scanned.
//
// A member's name is found by its hash; the bytes between values are compared with those of the row that was learned.
// Names that no column has are remembered, so that the next row knows them, too. Whatever is not of that form (other
// spacing, a name with an escape, a name twice) is left to the caller.
//
// Ownership  memory in the arena of open; borrows the names of columns.   Threads  one at a time.
// Limits     LT_JSON_MEMBER_COLUMNS columns that are read; LT_JSON_MEMBER_NAMES names that no column has are remembered,
// others are judged each time.
// Errors     LEAT_NO_MEMORY.    Cost  2 to 3 ns a member, whatever the order.
#ifndef LT_STORAGE_JSON_MEMBERS_H
#define LT_STORAGE_JSON_MEMBERS_H

#include "storage/json_lanes.h"
#include "storage/json_template.h"

enum { LT_JSON_MEMBER_NAMES = 256, LT_JSON_MEMBER_COLUMNS = 256, LT_JSON_MEMBER_SLOT_BITS = 11 };

// What the loop needs of a name: a line of the cache.
typedef struct lt_json_member_name {
    unsigned char text[32]; // the name, its quote and a colon; of one that is too long for that nothing that is met
    uint32_t      mask;     // bit i: byte i of the text counts
    uint32_t      is_read;  // one or zero
    size_t        is_other; // no column has the name: one, else zero
    size_t        spans;    // of the column: the start of its run; of others: of the run that nobody looks at
    uint64_t      bit;      // of the column, when it is one of the first 64 that are read; else 0
} lt_json_member_name;

typedef struct lt_json_member_key {
    const char *name; // NULL: a free slot
    uint32_t    bytes;
} lt_json_member_key;

typedef struct lt_json_members lt_json_members;

// Notes rows from *cursor on, the first of which starts at `start`, and moves the cursor behind them; gives their number.
// It is below `rows_max` when the row behind is not of this form, is not in the piece as a whole, or has a value that
// is not good.
typedef uint32_t              lt_json_members_locate_kernel(lt_json_members *members, lt_json_lanes *lanes,
                                                            const lt_json_piece *piece, lt_json_places *places, uint32_t *cursor,
                                                            uint32_t start, uint32_t rows_max);
lt_json_members_locate_kernel lt_json_members_locate_avx2, lt_json_members_locate_portable;

// As lt_json_index_kernels.
typedef struct lt_json_members_kernel {
    const char *name;
    bool (*is_supported)(void);
    lt_json_members_locate_kernel *locate;
} lt_json_members_kernel;
extern const lt_json_members_kernel lt_json_members_kernels[];

struct lt_json_members {
    const lt_json_members_kernel *kernel;
    lt_json_member_name          *names; // hash table
    lt_json_member_key           *keys;  // of it, slot by slot
    lt_json_member_name           other; // of names that are not remembered
    uint32_t                      unread_spans;
    uint32_t                      remembered;
    uint32_t                      colon_bytes, comma_bytes, end_bytes; // `":`, `,` and `}`, blanks and \r included
    lt_arena                     *arena;
    bool                          is_ready;  // a row was learned
    bool                          is_usable; // not too many columns
};

// `kernel`: a name; one that is not there: the best. `span_run[c]`: the run of spans of column c.
leat_status lt_json_members_open(lt_json_members *members, const char *kernel, const lt_json_columns *columns,
                                 const uint32_t *span_run, lt_arena *arena, leat_error *err);
// Takes the spacing from [row, end), a valid row that ends with \n. What follows may not have such rows at all.
void                   lt_json_members_learn(lt_json_members *members, const char *row, const char *end);
static inline uint32_t lt_json_members_locate(lt_json_members *members, lt_json_lanes *lanes,
                                              const lt_json_piece *piece, lt_json_places *places, uint32_t *cursor,
                                              uint32_t start, uint32_t rows_max) {
    if (!members->is_ready) return 0;
    return members->kernel->locate(members, lanes, piece, places, cursor, start, rows_max);
}

#endif
