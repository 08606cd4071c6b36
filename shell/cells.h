// cells: rows of a result kept as text, for formats whose column widths come from all rows.
//
// With a limit of rows the first ones and a ring of the last ones are kept: `rows_max` 60 keeps 40 + 20.
//
// Ownership  owns the texts.      Threads  one at a time.      Cost  the bytes of what is kept.
#ifndef LT_SHELL_CELLS_H
#define LT_SHELL_CELLS_H

#include "shell/result.h"

typedef struct lt_cell {
    char  *text;
    size_t bytes;
    size_t width; // as the format measures it
    bool   is_null;
} lt_cell;

typedef struct lt_cells {
    uint32_t  column_count;
    lt_cell **rows; // each an array of column_count cells
    uint64_t  count, capacity;
    uint64_t  given;      // rows ever added
    uint64_t  head, tail; // with a limit: rows kept at the start and in the ring behind; head 0: no limit
} lt_cells;

void lt_cells_init(lt_cells *cells, uint32_t column_count, uint64_t rows_max);
// A new last row of empty cells for the format to fill.
lt_cell *lt_cells_add(lt_cells *cells);
// The row to show at place `index` of 0..count-1, in order of arrival.
lt_cell *lt_cells_row(const lt_cells *cells, uint64_t index);
uint64_t lt_cells_hidden(const lt_cells *cells); // rows that were dropped between head and tail
void     lt_cells_free(lt_cells *cells);

#endif
