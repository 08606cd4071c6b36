// csv_cutter: a record of CSV cut into cells.
//
//     1,"a ""b""",   ->   |1|  |a "b"|  |null_text|
//
// Ownership  cells view the record, the dialect's texts or the cutter's scratch; valid until the next record.
// Threads    one at a time.      Limits  LT_CSV_CELLS_MAX cells of a record.      Errors  LIMIT_EXCEEDED, no memory.
// Cost       a look at each byte; bytes are copied only where a quoted cell is not what it stands for.
// Source     Spark SQL 4, UnivocityParser and CSVOptions; spark-semantics 2.3.
#ifndef LT_STORAGE_CSV_CUTTER_H
#define LT_STORAGE_CSV_CUTTER_H

#include "base/buffer.h"

enum { LT_CSV_CELLS_MAX = 20480, LT_CSV_SEPARATOR_BYTES_MAX = 16 };

typedef struct lt_csv_dialect {
    char        separator[LT_CSV_SEPARATOR_BYTES_MAX];
    size_t      separator_bytes;
    char        quote, escape, escape_escape, comment; // '\0': none
    bool        trims_start, trims_end, is_multi_line, has_header;
    const char *null_text, *empty_text; // what an empty and a quoted empty cell are read as
} lt_csv_dialect;

typedef struct lt_csv_cell {
    const char *text; // NULL: in the scratch at offset
    size_t      offset, bytes;
} lt_csv_cell;

typedef struct lt_csv_cutter {
    lt_csv_dialect dialect; // the caller's to fill
    lt_csv_cell   *cells;
    size_t         cell_count, cell_capacity;
    lt_buffer      scratch; // cells whose text is not as it stands in the record
    lt_account    *account; // borrows
} lt_csv_cutter;

void lt_csv_cutter_init(lt_csv_cutter *self, lt_account *account);
// Blank lines and comments are no records.
bool lt_csv_is_record(const lt_csv_dialect *dialect, const char *text, size_t bytes);
// Cuts one record into self->cells; gives the place behind it.
leat_status               lt_csv_cut_record(lt_csv_cutter *self, const char *at, const char *end, const char **out_next,
                                            leat_error *err);
static inline const char *lt_csv_cell_text(const lt_csv_cutter *self, const lt_csv_cell *cell) {
    return cell->text != NULL ? cell->text : self->scratch.data + cell->offset;
}
static inline bool lt_csv_is_blank(char byte) { return (unsigned char)byte <= ' '; }
void               lt_csv_cutter_deinit(lt_csv_cutter *self);
#endif
