// distinct_values: which values each group has, for DISTINCT aggregates: (group, values) -> weight.
//
//     add (g1, x) +1, (g1, x) +1, (g1, y) +1    ->  flips: (g1, x) +1, (g1, y) +1
//     add (g1, x) -1, (g1, x) -1                ->  flips: (g1, x) -1
//
// A value whose weight is 0 stays until lt_distinct_settle, so that a save between can tell of it; values of a group are
// chained and leave with it.
//
// Ownership  owns its values.  Threads  one at a time.  Errors  LEAT_NO_MEMORY, LEAT_LIMIT; LEAT_INTERNAL when a value is
// taken away more often than it was given.  Cost  a group_table of (group, values) and 20 bytes a value; O(1) a row.
#ifndef LT_EXEC_STATE_DISTINCT_VALUES_H
#define LT_EXEC_STATE_DISTINCT_VALUES_H

#include "exec/state/group_array.h"
#include "exec/state/group_table.h"

typedef struct lt_distinct_values {
    lt_group_table table;   // (group, values) -> entry
    lt_group_array weights; // int64_t by entry
    lt_group_array links;   // by entry
    lt_group_array first;   // uint32_t by group: entry + 1
    uint32_t       entry_count;
    uint32_t      *changed; // entries since the last settling
    uint32_t       changed_count, changed_capacity;
} lt_distinct_values;

leat_status lt_distinct_init(lt_distinct_values *self, lt_account *account, const lt_type *const *types,
                             uint32_t type_count, uint64_t secret, lt_arena *arena, leat_error *err);
// Groups [first, end) are new.
leat_status lt_distinct_add_groups(lt_distinct_values *self, uint32_t first, uint32_t end, leat_error *err);
// Row i belongs to groups[i] with weights[i] (NULL: +1) and the values of rows[i]. Rows whose value appears or disappears
// move to the front of rows, groups and places (may be NULL), out_weights[k] is +1 or -1; *out_count of them.
leat_status lt_distinct_add(lt_distinct_values *self, const lt_vector *const *values, uint32_t value_count,
                            uint16_t *rows, uint32_t *groups, int64_t *places, const int64_t *weights, uint32_t count,
                            int64_t *out_weights, uint32_t *out_count, lt_arena *arena, leat_error *err);
// Takes the values out that have no weight left.
void lt_distinct_settle(lt_distinct_values *self);
void lt_distinct_remove_group(lt_distinct_values *self, uint32_t group);
// Writes an entry as the canonical bytes of its values and its weight; false: it has gone with its group.
bool        lt_distinct_group(const lt_distinct_values *self, uint32_t entry, uint32_t *out_group);
leat_status lt_distinct_save(lt_distinct_values *self, uint32_t entry, lt_buffer *out, leat_error *err);
leat_status lt_distinct_load(lt_distinct_values *self, uint32_t group, const char *values, size_t count, int64_t weight,
                             leat_error *err);
uint64_t    lt_distinct_bytes(const lt_distinct_values *self);
void        lt_distinct_deinit(lt_distinct_values *self);

#endif
