// modes: which query may use which output mode (incremental.md section 7), and which columns of scans are read.
#ifndef LT_PLANNER_MODES_H
#define LT_PLANNER_MODES_H

#include "planner/finish.h"

// `root`: the finished plan; `whole`: the plan before its presentation was split off.
leat_status lt_plan_check_mode(const lt_finish_use *use, const lt_plan *root, const lt_plan *whole, leat_error *err);
// Which columns of input `which` the node reads, where those in needed[column_count of node] are read of it.
leat_status lt_plan_input_needs(lt_arena *arena, const lt_plan *node, const bool *needed, uint32_t which, bool **out,
                                leat_error *err);
// Fills as.scan.needed and as.filter.needed (made by the finishing pass) of `node` and below from needed[column_count of
// node].
leat_status lt_plan_mark_needed(lt_arena *arena, const lt_plan *node, const bool *needed, leat_error *err);

#endif
