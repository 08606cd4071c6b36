// changes: the rows that come to and go from the partitions of OVER in a batch, and which stretches they reach.
//
//     partition k:  changes + r4, - r9     rows r0 .. r4' [r4 r5] r6 .. [r8 r9 r10] ..     a stretch per reach of changes
//
// Ownership  owns rows that are not yet inserted.    Threads  one at a time.    Errors  LEAT_NO_MEMORY.
// Cost       O(1) a change, O(log n) to find where it falls.
#ifndef LT_EXEC_WINDOW_CHANGES_H
#define LT_EXEC_WINDOW_CHANGES_H

#include "exec/window/partition.h"
#include "exec/window/reach.h"

// The row is the change's until it is inserted: then it has is_fresh, or the row is NULL.
typedef struct lt_window_change {
    lt_ordered_row *row;
    uint32_t        group, next; // next of the partition, + 1
    bool            is_minus;
} lt_window_change;

typedef struct lt_window_changes {
    lt_account       *account;
    lt_window_change *items;
    uint32_t          count, capacity;
    uint32_t          count_max; // beyond it lt_window_changes_cut is worth its while
    uint32_t         *touched;   // groups
    uint32_t          touched_count, touched_capacity;
} lt_window_changes;

void lt_window_changes_init(lt_window_changes *self, lt_account *account);
// Takes the row.
leat_status lt_window_changes_note(lt_window_changes *self, lt_window_partition *part, uint32_t group,
                                   lt_ordered_row *row, bool is_minus, leat_error *err);
// The list of a partition begins with its latest change: turned round, rows of one place come in order.
void lt_window_changes_turn(lt_window_changes *self, lt_window_partition *part);
// Of new rows alone: those behind the first ones that the plan wants go again.
leat_status lt_window_changes_cut(lt_window_changes *self, const lt_plan *plan, lt_window_partition *partitions,
                                  leat_error *err);
void        lt_window_changes_reset(lt_window_changes *self); // all were taken
void        lt_window_changes_close(lt_window_changes *self);

// Rows that changes fall on, positions before them, and how many more there are after them.
typedef struct lt_window_stretch {
    uint32_t first, end;
    int64_t  growth;
} lt_window_stretch;

// The stretches of a partition, ascending, at most count_max, further apart than results reach; made in `arena`. is_one:
// one, from the first change to the last.
leat_status lt_window_changes_stretches(const lt_window_changes *self, const lt_window_partition *part,
                                        const lt_window_reach *reach, bool is_one, uint32_t count_max, lt_arena *arena,
                                        lt_window_stretch **out, uint32_t *out_count, leat_error *err);

#endif
