// map_entries: the entries of one map result, with Spark's rules about keys.
//
//     begin -> add* -> end      errors of add: NULL_MAP_KEY, DUPLICATED_MAP_KEY
//
// Ownership  appends to the child of call->result; bytes are shared.   Threads  as the call.   Cost  O(1) an entry.
#ifndef LT_EXEC_MAP_ENTRIES_H
#define LT_EXEC_MAP_ENTRIES_H

#include "base/value_set.h"
#include "exec/nested.h"

typedef struct lt_map_entries {
    lt_call     *call;
    uint32_t     start; // first lane of the map in the child
    lt_value_set keys;
} lt_map_entries;

static inline void lt_map_entries_begin(lt_map_entries *entries, lt_call *call) {
    *entries = (lt_map_entries){.call = call, .start = lt_call_child(call)->lanes};
    lt_value_set_init(&entries->keys, call->arena);
}
leat_status        lt_map_entries_add(lt_map_entries *entries, const lt_vector *keys, uint32_t key_row,
                                      const lt_vector *values, uint32_t value_row, leat_error *err);
static inline void lt_map_entries_end(const lt_map_entries *entries, uint32_t row) {
    lt_call_put_list(entries->call, row, entries->start);
}

#endif
