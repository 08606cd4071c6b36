#include "shell/cells.h"

#include <stdlib.h>
#include <string.h>

void lt_cells_init(lt_cells *cells, uint32_t column_count, uint64_t rows_max) {
    *cells = (lt_cells){.column_count = column_count};
    if (rows_max > 0) {
        cells->tail = rows_max / 3;
        cells->head = rows_max - cells->tail;
    }
}

static void row_free(const lt_cells *cells, lt_cell *row) {
    for (uint32_t c = 0; c < cells->column_count; c++) free(row[c].text);
    free(row);
}

lt_cell *lt_cells_add(lt_cells *cells) {
    const size_t bytes = (cells->column_count + 1u) * sizeof(lt_cell);
    lt_cell     *row   = lt_shell_reallocate(NULL, bytes);
    memset(row, 0, bytes);
    const uint64_t number = cells->given++;
    if (cells->head > 0 && number >= cells->head + cells->tail) {
        if (cells->tail == 0) {
            row_free(cells, cells->rows[cells->head - 1]);
            cells->rows[cells->head - 1] = row;
            return row;
        }
        const uint64_t place = cells->head + (number - cells->head) % cells->tail;
        row_free(cells, cells->rows[place]);
        cells->rows[place] = row;
        return row;
    }
    if (cells->count == cells->capacity) {
        cells->capacity = cells->capacity == 0 ? 64 : cells->capacity * 2;
        cells->rows     = lt_shell_reallocate(cells->rows, (size_t)cells->capacity * sizeof(lt_cell *));
    }
    cells->rows[cells->count++] = row;
    return row;
}

lt_cell *lt_cells_row(const lt_cells *cells, uint64_t index) {
    if (cells->head == 0 || index < cells->head || cells->given <= cells->count) return cells->rows[index];
    const uint64_t number = cells->given - cells->tail + (index - cells->head);
    return cells->rows[cells->head + (number - cells->head) % cells->tail];
}

uint64_t lt_cells_hidden(const lt_cells *cells) { return cells->given - cells->count; }

void lt_cells_free(lt_cells *cells) {
    for (uint64_t r = 0; r < cells->count; r++) row_free(cells, cells->rows[r]);
    free(cells->rows);
    *cells = (lt_cells){0};
}
