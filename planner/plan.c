#include "planner/plan.h"

const char *lt_plan_kind_name(lt_plan_kind kind) {
    static const char *const names[] = {
#define LT_PLAN_NODE(name, text) text,
#include "planner/plan_nodes.def"
#undef LT_PLAN_NODE
    };
    _Static_assert(sizeof names / sizeof *names == LT_PLAN_KIND_COUNT, "a name for each kind");
    return names[kind];
}

int32_t lt_plan_event_time_column(const lt_plan *node) {
    for (uint32_t c = 0; c < node->column_count; c++)
        if (node->columns[c].has_event_time) return (int32_t)c;
    return -1;
}

bool lt_plan_has_event_time(const lt_plan *node) { return lt_plan_event_time_column(node) >= 0; }
