#include "planner/modes.h"
#include "planner/rules/rules.h"

// What a Project computes and nobody above reads is not computed: a NULL stands in its place, so that the columns keep
// their numbers. Bare columns stay, they cost nothing, and with them what carries event time. An expression that is not
// computed cannot fail, as in Spark. Columns of scans that nobody reads are never decoded (planner/needed.c).

static leat_status narrow(lt_binder *binder, const lt_plan *node, const bool *needed, const lt_plan **out,
                          leat_error *err);

static leat_status project_narrow(lt_binder *binder, const lt_plan *node, const bool *needed, const lt_plan **out,
                                  leat_error *err) {
    const lt_expression **expressions;
    bool                  is_changed = false;
    LT_TRY_NEW_ARRAY(expressions, binder->arena, node->column_count + 1u, err);
    for (uint32_t c = 0; c < node->column_count; c++) {
        const lt_expression *expression = node->as.project.expressions[c];
        const bool is_cheap = expression->kind == LT_EXPRESSION_COLUMN || expression->kind == LT_EXPRESSION_LITERAL ||
                              node->columns[c].has_event_time;
        expressions[c] = expression;
        if (needed[c] || is_cheap) continue;
        LT_TRY(lt_literal_null(binder, expression->type, &expressions[c], err));
        is_changed = true;
    }
    if (!is_changed) return LEAT_OK;
    lt_plan *copy;
    LT_TRY_NEW(copy, binder->arena, err);
    *copy                        = *node;
    copy->as.project.expressions = expressions;
    *out                         = copy;
    return LEAT_OK;
}

static leat_status narrow(lt_binder *binder, const lt_plan *node, const bool *needed, const lt_plan **out,
                          leat_error *err) {
    const lt_plan **inputs;
    bool            is_changed = false;
    *out                       = node;
    if (node->kind == LT_PLAN_PROJECT) LT_TRY(project_narrow(binder, node, needed, out, err));
    LT_TRY_NEW_ARRAY(inputs, binder->arena, node->input_count + 1u, err);
    for (uint32_t i = 0; i < node->input_count; i++) {
        bool *below;
        LT_TRY(lt_plan_input_needs(binder->arena, *out, needed, i, &below, err));
        LT_TRY(narrow(binder, node->inputs[i], below, &inputs[i], err));
        is_changed |= inputs[i] != node->inputs[i];
    }
    return is_changed ? lt_plan_with_inputs(binder, *out, inputs, out, err) : LEAT_OK;
}

leat_status lt_rule_columns(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    bool *needed;
    LT_TRY_NEW_ARRAY(needed, binder->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) needed[c] = true;
    return narrow(binder, plan, needed, out, err);
}
