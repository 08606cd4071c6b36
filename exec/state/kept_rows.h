// kept_rows: rows that an accumulator keeps, as bytes with weight and place, in one run of memory.
//
//     [weight 1 place 7 | row bytes][weight 0 (gone)][weight 3 place 9 | row bytes] ...
//
// A row is what lt_row_encode gave. "merge" adds to the weight of the equal row that is there (for sets and counts);
// plain "add" keeps each row by itself, in order of arrival. A negative weight takes from the equal row that came at the
// same place, else from the earliest equal rows.
//
// Ownership  memory of the account given to each call; the struct is zeros at birth and may be moved as bytes.
// Threads    one at a time.      Limits  4 GiB of bytes: LEAT_LIMIT.     Errors  LEAT_NO_MEMORY; nothing changed then.
// Cost       add O(1); merge O(1) (an index appears beyond 16 rows); taking away from plain rows O(rows).
#ifndef LT_EXEC_STATE_KEPT_ROWS_H
#define LT_EXEC_STATE_KEPT_ROWS_H

#include "base/aggregate.h"

typedef struct lt_kept_rows {
    char     *data;
    uint64_t  bytes, capacity;
    uint32_t  row_count;  // with a weight
    uint32_t  slot_count; // of the index; 0: none
    uint32_t  slots_used;
    uint64_t  dead_bytes;
    uint32_t *slots; // offset of a row / 8 + 1; 0: free
} lt_kept_rows;

typedef struct lt_kept_row {
    const char *bytes; // borrowed until the next change
    uint32_t    count;
    int64_t     weight, place;
} lt_kept_row;

leat_status lt_kept_rows_add(lt_kept_rows *rows, const char *bytes, size_t count, int64_t weight, int64_t place,
                             lt_account *account, leat_error *err);
leat_status lt_kept_rows_merge(lt_kept_rows *rows, const char *bytes, size_t count, int64_t weight, int64_t place,
                               lt_account *account, leat_error *err);
// Walks the rows with a weight in order of arrival; *cursor starts at 0.
bool        lt_kept_rows_next(const lt_kept_rows *rows, uint64_t *cursor, lt_kept_row *out);
leat_status lt_kept_rows_save(const lt_kept_rows *rows, lt_buffer *out, leat_error *err);
leat_status lt_kept_rows_load(lt_kept_rows *rows, bool is_merging, lt_reader *in, lt_account *account, leat_error *err);
void        lt_kept_rows_close(lt_kept_rows *rows, lt_account *account);

// ------------------------------------------------------------------------------------ accumulators that only keep rows

// Row `row` of arguments [first, first + count) of an update, encoded behind what `out` has.
leat_status lt_kept_encode(const lt_aggregate_rows *rows, uint32_t first, uint32_t count, size_t row, bool is_canonical,
                           lt_buffer *out, leat_error *err);
// For accumulators that are a lt_kept_rows and nothing else.
leat_status lt_kept_accumulator_save(const void *accumulator, lt_buffer *out, leat_error *err);
leat_status lt_kept_accumulator_load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err);
leat_status lt_kept_accumulator_load_merging(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err);
void        lt_kept_accumulator_close(void *accumulator, lt_account *memory);
// Keeps arguments [0, argument_count) of every row of an update, each by itself or merged.
leat_status lt_kept_accumulator_update(void *accumulators, const lt_aggregate_rows *rows, bool is_merging,
                                       leat_error *err);

// A retraction of an aggregate that cannot take values out again: it keeps its rows, and finish folds them into .replays
// (plain accumulators, no state) in order of arrival, so that the result is, to the last bit, that of the rows that are
// left. Cost of finish: O(rows of the group).
leat_status lt_kept_replay_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err);
leat_status lt_kept_replay_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err);
#define LT_KEPT_REPLAY(aggregate)                                                                                      \
    .accumulator_bytes = sizeof(lt_kept_rows), .needs_place = true, .has_memory = true,                                \
    .update = lt_kept_replay_update, .finish = lt_kept_replay_finish, .save = lt_kept_accumulator_save,                \
    .load = lt_kept_accumulator_load, .close = lt_kept_accumulator_close, .replays = aggregate

// The rows of one accumulator as columns, for finish.
typedef struct lt_kept_columns {
    lt_vector *columns;
    int64_t   *weights, *places;
    uint32_t   count;
} lt_kept_columns;
leat_status lt_kept_decode(const lt_kept_rows *rows, const lt_type *const *types, uint32_t type_count, lt_arena *arena,
                           lt_kept_columns *out, leat_error *err);
// Row numbers sorted by columns first .. first + key_count with directions `order` (NULL: ascending, NULLs first), then
// by place.
leat_status lt_kept_sort(const lt_kept_columns *rows, uint32_t first, uint32_t key_count, const lt_order_key *order,
                         lt_arena *arena, uint32_t **out, leat_error *err);

#endif
