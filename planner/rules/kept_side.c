#include "planner/rules/estimate.h"
#include "planner/rules/rules.h"

// A semi or anti join keeps the rows of one side and looks up those of the other. The right side is kept, unless the left
// one has far fewer rows: these are then kept, and right rows mark which of them they meet. The order of rows stays.

static const double SMALLER_BY = 2; // a kept row costs more than one that is looked up

static bool is_smaller(const lt_binder *binder, const lt_plan *join) {
    const double left = lt_estimate_rows(binder, join->inputs[0]), right = lt_estimate_rows(binder, join->inputs[1]);
    return left >= 0 && right >= 0 && left * SMALLER_BY < right;
}

leat_status lt_rule_kept_side(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    lt_plan *join;
    LT_TRY(lt_rule_inputs(binder, lt_rule_kept_side, plan, out, err));
    const lt_plan *node = *out;
    if (node->kind != LT_PLAN_JOIN || node->as.join.key_count == 0 || node->as.join.is_null_aware) return LEAT_OK;
    if (node->as.join.type != LT_JOIN_SEMI && node->as.join.type != LT_JOIN_ANTI) return LEAT_OK;
    if (!is_smaller(binder, node)) return LEAT_OK;
    LT_TRY_NEW(join, binder->arena, err);
    *join                    = *node;
    join->as.join.keeps_left = true;
    *out                     = join;
    return LEAT_OK;
}
