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
