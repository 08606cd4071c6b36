// json_batch: rows of JSON Lines by their shape, many at a time: index -> rows that match a template -> columns.
//
//     feed(256 KiB) -> take: 256 rows | take: 256 rows | take: none, the next row is nothing for this reader
//                      -> the caller reads that row -> missed(row): its shape and its spacing are learned
//
// Rows of a shape that was met are located by its template; where shapes keep changing, rows are located member by
// member, which is slower than the one and faster than the search for a template.
// Takes only rows that the complete reader would call good, with the same values; what it leaves is not bad for that.
// When rows keep missing it sleeps for a while, longer each time, so that text without repeated shapes costs little
// more than without this path.
//
// Ownership  borrows what setup names; memory in the setup's arena. Lanes of texts are views of the fed bytes.
// Threads    one at a time.    Limits  rows of less than LT_JSON_INDEX_BYTES, LT_JSON_SHAPES_MAX shapes.
// Errors     LEAT_NO_MEMORY, LEAT_LIMIT, those of give.
// Cost       15 to 20 ns a short row, 0.2 to 0.3 ns a byte of a long one.
#ifndef LT_STORAGE_JSON_BATCH_H
#define LT_STORAGE_JSON_BATCH_H

#include "storage/json_index.h"
#include "storage/json_members.h"
#include "storage/json_shapes.h"
#include "storage/line_splitter.h"
#include "storage/miss_window.h"
#include "storage/row_builder.h"

typedef struct lt_json_batch_setup {
    const lt_json_index_kernel *kernel;
    lt_json_columns             columns;
    lt_json_conversion         *conversion;
    lt_json_reader             *reader;
    lt_row_builder             *builder; // has a chunk whenever take is called
    lt_line_splitter           *splitter;
    lt_arena                   *arena;
    bool                        never_sleeps, has_only_members; // for tests
} lt_json_batch_setup;

typedef struct lt_json_batch {
    lt_json_batch_setup setup;
    lt_json_lanes       lanes;
    lt_json_index       index; // of the piece
    const char         *piece; // NULL: none of the fed bytes is indexed
    size_t              piece_bytes;
    uint32_t            piece_rows_end; // behind the positions of the last row that is in the piece as a whole
    lt_json_next_row    next;
    uint32_t            first_cursor; // first position of the first located row
    lt_json_shapes      shapes;
    lt_json_members     members;
    uint32_t            member_rows; // so many rows are located by their members before templates are tried again
    lt_json_places      places;
    uint32_t           *span_row;    // by column: the start of its run of spans
    int32_t            *run_column;  // by run
    uint32_t            tested_runs; // the first ones, whose columns have a range of the target
    uint32_t            batch_rows, changes;
    bool                is_next_refused; // the coming row has a value that is not good
    bool                is_new_shape;    // the first located row has a shape that no template stands for
    lt_miss_window      misses;
    uint32_t            misses_in_a_row;
} lt_json_batch;

leat_status lt_json_batch_open(lt_json_batch *rows, const lt_json_batch_setup *setup, leat_error *err);
// The splitter was fed.
static inline void lt_json_batch_feed(lt_json_batch *rows) { rows->piece = NULL; }
// Takes rows at the splitter's next byte, which starts a line, and tells the splitter; *out_rows may be 0. Gives the
// chunk when it is full; the builder then has none.
leat_status lt_json_batch_take(lt_json_batch *rows, uint32_t *out_rows, leat_error *err);
// The row [row, end), which take left, is a good one; it ends with \n.
leat_status lt_json_batch_missed(lt_json_batch *rows, const char *row, const char *end, leat_error *err);

#endif
