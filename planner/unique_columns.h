// unique_columns: which columns of a node tell its rows apart, by which changelogs and tables pair the row that goes with the
// one that comes.
//
// Ownership  made in `arena`.    Threads  any.    Errors  LEAT_NO_MEMORY.    Cost  O(columns).
#ifndef LT_PLANNER_UNIQUE_COLUMNS_H
#define LT_PLANNER_UNIQUE_COLUMNS_H

#include "planner/plan.h"

// Fills key, key_count and has_key of the node's properties; those of its inputs are known.
leat_status lt_derive_unique_columns(lt_arena *arena, lt_plan *node, leat_error *err);

#endif
