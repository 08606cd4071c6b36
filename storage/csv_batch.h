// csv_batch: rows of CSV that have all their cells, many at a time: index -> rows -> columns.
//
//     feed(256 KiB) -> take: 256 rows | take: 256 rows | take: none, the next line is not such a row
//                      -> the caller cuts and reads that line by itself
//
// When every row has C cells, cell c of row r ends at position r * C + c of the index. Takes only rows that the cutter
// and the values of csv.c would call good, with the same values; what it leaves is not bad for that. When rows keep
// being left it sleeps for a while, longer each time.
//
// Ownership  borrows what setup names; memory in the setup's arena. Lanes of texts are views of the fed bytes.
// Threads    one at a time.    Limits  rows of less than LT_CSV_INDEX_BYTES.
// Errors     LEAT_NO_MEMORY, LEAT_LIMIT, those of give.
// Cost       0.1 ns a byte, 1 to 4 ns a cell that is read; nothing for other cells.
#ifndef LT_STORAGE_CSV_BATCH_H
#define LT_STORAGE_CSV_BATCH_H

#include "storage/csv_cutter.h"
#include "storage/csv_index.h"
#include "storage/csv_values.h"
#include "storage/line_splitter.h"
#include "storage/miss_window.h"
#include "storage/row_builder.h"
#include "storage/value_lanes.h"

enum { LT_CSV_BATCH_ROWS = LT_VALUE_LANES_ROWS };

typedef struct lt_csv_batch_setup {
    const lt_csv_index_kernel *kernel;
    const lt_csv_dialect      *dialect;
    lt_csv_values             *values;
    const bool                *is_read; // by column of the target
    int32_t                    corrupt_column;
    lt_row_builder            *builder; // has a chunk whenever take is called
    lt_line_splitter          *splitter;
    lt_arena                  *arena;
    bool                       never_sleeps; // for tests
} lt_csv_batch_setup;

typedef struct lt_csv_batch_column {
    uint32_t column, cell; // of the target; of a row
    bool     is_text;      // the usual shape of its values is that of a text
} lt_csv_batch_column;

typedef struct lt_csv_batch {
    lt_csv_batch_setup   setup;
    lt_csv_index_bytes   bytes;
    lt_csv_index         index;
    uint16_t            *positions; // one before those of the index
    lt_value_lanes       lanes;
    lt_csv_batch_column *columns; // that are read
    uint32_t             column_count, cell_count;
    size_t               null_bytes;
    bool                 is_quoted_empty_null;
    const char          *piece; // NULL: none of the fed bytes is indexed
    size_t               piece_bytes;
    uint32_t             cursor; // first position of the next row
    lt_value_span        spans[LT_CSV_BATCH_ROWS];
    uint32_t             batch_rows;
    bool                 is_next_refused; // the coming row has a value that is not good
    lt_miss_window       misses;
} lt_csv_batch;

// Whether rows of the dialect can be taken at all.
bool        lt_csv_batch_can_read(const lt_csv_dialect *dialect);
leat_status lt_csv_batch_open(lt_csv_batch *rows, const lt_csv_batch_setup *setup, leat_error *err);
// The splitter was fed.
static inline void lt_csv_batch_feed(lt_csv_batch *rows) { rows->piece = NULL; }
// Takes rows at the splitter's next byte, which starts a line, and tells the splitter; *out_rows may be 0: the line is
// the caller's. Gives the chunk when it is full; the builder then has none.
leat_status lt_csv_batch_take(lt_csv_batch *rows, uint32_t *out_rows, leat_error *err);

#endif
