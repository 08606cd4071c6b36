// json_rows: the fast reader of plain rows of JSON Lines: an object of the columns and other members, each at most
// once, every value good. For anything else it gives up, and whoever knows all rules reads the line again from its
// start: it never decides that something is bad.
//
// Ownership  borrows everything it is born with; keys live in the arena of open.      Threads  one at a time.
// Errors     only of memory.      Cost  one look at each byte; no call for members that stand where they stood before.
#ifndef LT_STORAGE_JSON_ROWS_H
#define LT_STORAGE_JSON_ROWS_H

#include "base/json_convert.h"
#include "storage/row_builder.h"

enum { LT_JSON_KEY_BYTES = 64 };

// The member expected at a position of a row. Names of up to 15 bytes are compared as two words with their quote.
typedef struct lt_json_key {
    uint64_t words[2], masks[2];
    uint32_t bytes; // of text; 0: nothing expected yet
    int32_t  column;
    char     text[LT_JSON_KEY_BYTES]; // name and closing quote
} lt_json_key;

typedef struct lt_json_rows {
    const lt_decode_target *target;
    lt_row_builder         *builder;
    lt_json_reader         *reader;
    lt_json_conversion     *conversion;
    const lt_field         *fields; // by column; the name of one that is not read meets no member
    const uint32_t         *name_bytes;
    const bool             *is_read;
    uint32_t                read_count;    // columns that are read
    uint32_t               *row_of_column; // last row (by row_number) that filled the column
    uint32_t                row_number;
    lt_json_key            *keys; // by position
    uint32_t                key_count;
} lt_json_rows;

// Of a struct whose borrowed members are set.
leat_status lt_json_rows_open(lt_json_rows *self, lt_arena *arena, leat_error *err);
// The plain row at `at` into the coming lane of the builder, which has a chunk. Gives the place behind its object;
// NULL: no plain row, or *status is an error.
const char *lt_json_rows_read(lt_json_rows *self, const char *at, const char *end, leat_status *status,
                              leat_error *err);
#endif
