// table_text: rows as the table that Spark's show() and its console sink print.
//
//     +-----+-----+        widths: the widest cell, at least 3, in half-width units (Spark's, not a terminal's)
//     |value|count|        cut to `truncate` UTF-16 units: padded on the left; 0: whole, padded on the right
//     +-----+-----+
//     |  cat|    2|        append rows -> print -> reset
//     | NULL|    1|
//     +-----+-----+
//
// Ownership  owns copies of cells and borrows column names.   Threads  one at a time.
// Limits     keeps rows_max rows; more are only noticed.   Errors  LEAT_NO_MEMORY, those of value_text.
// Source     Spark SQL 4: Dataset.showString, Utils.stringHalfWidth; spark-semantics 4.2.
#ifndef LT_BASE_TABLE_TEXT_H
#define LT_BASE_TABLE_TEXT_H

#include "base/value_text.h"

typedef struct lt_table_style {
    uint64_t rows_max; // Spark: 20
    uint32_t truncate; // Spark: 20; 0: none
    bool     is_vertical;
} lt_table_style;

typedef struct lt_table_cell {
    size_t   offset;
    uint32_t bytes;
    uint32_t width; // half-width units
} lt_table_cell;

typedef struct lt_table_text {
    lt_account    *account; // borrows
    lt_table_style style;
    uint32_t       column_count;
    lt_buffer      text;  // of all cells
    lt_table_cell *cells; // header first, then row by row
    size_t         cell_count, cell_capacity;
    bool           has_more; // rows beyond rows_max
} lt_table_text;

// Errors leave a table that may only be deinitialized.
leat_status lt_table_text_init(lt_table_text *table, lt_account *account, lt_table_style style,
                               const char *const *names, uint32_t column_count, leat_error *err);
// Values are printed in the style LT_VALUE_TEXT_SHOW of `printer`.
leat_status lt_table_text_append(lt_table_text *table, const lt_chunk *chunk, const lt_value_text *printer,
                                 leat_error *err);
// Appends the table as println(showString) writes it: with its footer, or else an empty line behind it.
leat_status lt_table_text_print(const lt_table_text *table, lt_buffer *out, leat_error *err);
void        lt_table_text_reset(lt_table_text *table); // no rows; the header stays
void        lt_table_text_deinit(lt_table_text *table);

// Half-width units of a text.
uint32_t lt_table_text_width(const char *text, size_t bytes);

#endif
