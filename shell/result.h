// result: rows of a statement on their way to the output, and the contract of the formats that write them.
//
//     begin -> row* -> end        each file of shell/formats/ ends in one lt_result_format
//
// A format sees the columns through the statement and the present row with leat_column_*. Formats for machines write
// row by row and never cut; box and table keep cells until the end, because widths come from all rows. A live result
// (EMIT CHANGES) never ends by itself: is_live asks for each row at once, with widths fixed by the first one.
//
// Ownership  a format's `state` is its own: made in begin, freed in end.      Threads  the shell's main thread.
#ifndef LT_SHELL_RESULT_H
#define LT_SHELL_RESULT_H

#include "shell/output.h"

#include <leat.h>

enum { LT_SHOW_WIDTHS_MAX = 64 };

// How results are to be shown: what dot commands and options set.
typedef struct lt_show {
    char    *null_text; // NULL: each format's own
    bool     has_header;
    bool     has_colour;
    bool     has_unicode;
    uint32_t rows_max;                   // on a terminal; 0: all
    uint32_t screen_columns;             // 0: no limit
    uint32_t widths[LT_SHOW_WIDTHS_MAX]; // .width: the most cells of a column; 0: free
} lt_show;

// What a format wants to know of a column's type, found once.
typedef enum lt_column_look {
    LT_COLUMN_TEXT,
    LT_COLUMN_PLAIN, // numbers, truths, dates and times: no text of theirs needs quotes
    LT_COLUMN_BINARY
} lt_column_look;

typedef struct lt_result {
    leat_statement *statement;
    uint32_t        column_count;
    lt_output      *out;
    const lt_show  *show;
    bool            is_live;
    uint64_t        row_count;                   // rows given so far
    uint64_t        hidden_rows, hidden_columns; // what a format left out on a terminal
    lt_shell_text   line;                        // scratch of the format; may hold several lines
    lt_column_look *looks;                       // by column
    void           *state;
} lt_result;

typedef struct lt_result_format {
    const char *name;
    void (*begin)(lt_result *result);
    void (*row)(lt_result *result);
    void (*end)(lt_result *result);
    bool        is_for_people; // footer and messages may stand beside it
    const char *summary;
} lt_result_format;

extern const lt_result_format *const lt_result_format_registry[];             // ended by NULL
const lt_result_format              *lt_result_format_find(const char *name); // without case; NULL: none
const char                          *lt_result_format_nearest(const char *name);

// How a column's type wants to be shown.
bool           lt_column_is_number(const lt_result *result, uint32_t column);
bool           lt_column_is_binary(const lt_result *result, uint32_t column);
lt_column_look lt_column_look_of(const lt_result *result, uint32_t column);
// Hands the lines in `line` to the output: at once of a live result, else when they are many; `is_end` in any case.
void lt_result_lines_put(lt_result *result, bool is_end);
// Appends the column's name, made harmless for a terminal.
void lt_column_put_name(const lt_result *result, uint32_t column, lt_shell_text *out);

#endif
