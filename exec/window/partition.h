// partition: the rows of one partition of OVER in window order, with marks between them (exec/window/run.h): what the
// rows before come to, so that running results are made anew from the middle.
//
//     r0 r1 r2 r3 | r4 r5 r6 r7 | r8 r9        marks ascend; the last stands before the last peers
//
// Ownership  owns its rows and marks.    Threads  one at a time.    Errors  LEAT_NO_MEMORY.
// Cost       O(log n) a row; marks take mark_stride bytes each, one per some hundred rows.
#ifndef LT_EXEC_WINDOW_PARTITION_H
#define LT_EXEC_WINDOW_PARTITION_H

#include "exec/state/ordered_rows.h"
#include "exec/window/run.h"

typedef struct lt_window_partition {
    lt_ordered_rows rows;
    char           *marks; // mark_count of the run's stride: rows_before, peers_before, accumulators
    uint32_t        mark_count, mark_capacity;
    uint32_t        first_change; // of this batch, + 1 (exec/window/changes.h)
    bool            is_full;      // top: a row behind the last one is not wanted
} lt_window_partition;

// One behind the last row whose rank is among the first ones that the plan wants; *out_is_full: no other can join them.
uint32_t lt_window_top_end(const lt_plan *plan, const lt_ordered_rows *rows, bool *out_is_full);

// The latest mark at or before a position; false: none.
bool lt_window_partition_mark(const lt_window_partition *self, const lt_window_run *run, uint32_t position,
                              lt_window_mark *out);
// Marks behind row `changed_first` are no more; those of the new results come.
leat_status lt_window_partition_take_marks(lt_window_partition *self, const lt_window_run *run, uint32_t changed_first,
                                           const lt_window_part *results, lt_account *account, leat_error *err);
void        lt_window_partition_close(lt_window_partition *self, const lt_window_run *run, lt_account *account);

// Saves tell how often a row is there now, so that they may be loaded in any order and more than once. A row's part begins
// with LT_WINDOW_SAVE_ROW.
enum { LT_WINDOW_SAVE_ROW = 1 };
leat_status lt_window_partition_write_row(const lt_window_partition *self, const lt_ordered_row *row, lt_buffer *out,
                                          leat_error *err);
// Rows from a position on, until `bytes_max` are written; *out_last: the last of them, NULL: that were all.
leat_status lt_window_partition_write(const lt_window_partition *self, uint32_t position, size_t bytes_max,
                                      lt_buffer *out, const lt_ordered_row **out_last, leat_error *err);
// Row `row` is there `copies` times from now on.
leat_status lt_window_partition_restore(lt_window_partition *self, const lt_ordered_row *row, uint32_t copies,
                                        lt_account *account, leat_error *err);

// The part that tells the place of the next row; loading takes the furthest of those that come. Errors: CHECKPOINT_CORRUPT.
leat_status lt_window_place_save(int64_t next_place, lt_buffer *out, leat_error *err);
leat_status lt_window_place_load(lt_reader *in, int64_t *next_place, leat_error *err);

#endif
