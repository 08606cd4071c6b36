// distinct_values: which values each group has, for DISTINCT aggregates: (group, values) -> a weight for each of them.
//
//     add (g1, x) +1, (g1, x) +1, (g1, y) +1    ->  flips: (g1, x) +1, (g1, y) +1
//     add (g1, x) -1, (g1, x) -1                ->  flips: (g1, x) -1
//
// Aggregates of the same values, which differ in their FILTER, share the values: each is a set of its own with its own
// weights, and a row of a chunk is looked up once for all of them.
// A value whose weights are 0 stays until lt_distinct_settle, so that a save between can tell of it; values of a group are
// chained and leave with it.
//
// Ownership  owns its values.  Threads  one at a time.  Errors  LEAT_NO_MEMORY, LEAT_LIMIT; LEAT_INTERNAL when a value is
// taken away more often than it was given.  Cost  a group_table of (group, values), 4 bytes a value and 8 a set of it, and
// 12 more where values may leave; O(1) a row.
#ifndef LT_EXEC_STATE_DISTINCT_VALUES_H
#define LT_EXEC_STATE_DISTINCT_VALUES_H

#include "exec/state/group_array.h"
#include "exec/state/group_table.h"

typedef struct lt_distinct_changes {
    uint32_t *entries; // since the last settling, some of them several times
    uint32_t  count, capacity;
} lt_distinct_changes;

typedef struct lt_distinct_values {
    lt_group_table table;   // (group, values) -> entry
    lt_group_array weights; // int64_t by entry and set
    lt_group_array groups;  // uint32_t by entry: group + 1; 0: it has gone, or has no row yet
    bool           stays;   // no value and no group ever leaves: set before the first value; there are no chains then
    lt_group_array links;   // by entry
    lt_group_array first;   // uint32_t by group: entry + 1
    uint32_t       entry_count, set_count;
    bool           is_saved;          // somebody asks for the changes: set before the first value
    lt_distinct_changes *changes;     // by set
    uint32_t            *row_entries; // of rows of the chunk that some set has looked up
    uint64_t             known_rows[LT_CHUNK_ROWS_MAX / 64];
} lt_distinct_values;

// One set, whose changes are noted.
leat_status lt_distinct_init(lt_distinct_values *self, lt_account *account, const lt_type *const *types,
                             uint32_t type_count, uint64_t secret, lt_arena *arena, leat_error *err);
// One more, before the first value.
leat_status lt_distinct_add_set(lt_distinct_values *self, lt_arena *arena, leat_error *err);
// Groups [first, end) are new.
leat_status lt_distinct_add_groups(lt_distinct_values *self, uint32_t first, uint32_t end, leat_error *err);
// Another chunk begins, or the same with other values.
void lt_distinct_begin(lt_distinct_values *self);
// Rows of one set.
typedef struct lt_distinct_rows {
    uint16_t      *rows;
    uint32_t      *groups;  // by place in rows
    int64_t       *places;  // may be NULL
    const int64_t *weights; // NULL: +1
    uint32_t       count;
} lt_distinct_rows;
// Row rows[i] belongs to groups[i] with weights[i] and its values; since begin a row has the same group and values for
// all sets. Rows whose value appears or disappears move to the front of rows, groups and places, out_weights[k] is +1 or
// -1; *out_count of them.
leat_status lt_distinct_add(lt_distinct_values *self, uint32_t set, const lt_vector *const *values,
                            uint32_t value_count, const lt_distinct_rows *given, int64_t *out_weights,
                            uint32_t *out_count, lt_arena *arena, leat_error *err);
// Takes the values out that have no weight left.
void                  lt_distinct_settle(lt_distinct_values *self);
void                  lt_distinct_remove_group(lt_distinct_values *self, uint32_t group);
static inline int64_t lt_distinct_weight(const lt_distinct_values *self, uint32_t set, uint32_t entry) {
    return ((const int64_t *)self->weights.items)[(size_t)entry * self->set_count + set];
}
// Writes an entry as the canonical bytes of its values and its weight; false: it has gone with its group.
bool        lt_distinct_group(const lt_distinct_values *self, uint32_t entry, uint32_t *out_group);
leat_status lt_distinct_save(lt_distinct_values *self, uint32_t set, uint32_t entry, lt_buffer *out, leat_error *err);
leat_status lt_distinct_load(lt_distinct_values *self, uint32_t set, uint32_t group, const char *values, size_t count,
                             int64_t weight, leat_error *err);
uint64_t    lt_distinct_bytes(const lt_distinct_values *self);
void        lt_distinct_deinit(lt_distinct_values *self);

#endif
