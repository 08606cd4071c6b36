#include "planner/rules/rules.h"

// (a AND b) OR (a AND c) is a AND (b OR c), with NULLs too. What is common to all arms of an OR may then go further down,
// and an equality of two tables becomes a key of their join. Only terms that cannot raise are taken out: an arm may
// guard the others.

// The arms without what all of them have, which joins `common`. An arm that has nothing else is TRUE, so that the whole
// OR is.
static leat_status common_take(lt_binder *binder, const lt_expression *condition, lt_expression_list *common,
                               const lt_expression **out_rest, leat_error *err) {
    lt_expression_list   *arms, shared = {0};
    const lt_expression **rests;
    const uint32_t        count   = condition->argument_count;
    bool                  is_true = false;
    *out_rest                     = condition;
    LT_TRY_NEW_ARRAY(arms, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(rests, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) LT_TRY(lt_conjuncts(binder, condition->arguments[i], &arms[i], err));
    for (uint32_t t = 0; t < arms[0].count; t++) {
        const lt_expression *term   = arms[0].items[t];
        bool                 is_all = !lt_expression_can_fail(term) && !lt_terms_have(&shared, term);
        for (uint32_t i = 1; i < count && is_all; i++) is_all = lt_terms_have(&arms[i], term);
        if (is_all) LT_LIST_ADD(binder->arena, &shared, term, err);
    }
    if (shared.count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < count; i++) {
        lt_expression_list own = {0};
        for (uint32_t t = 0; t < arms[i].count; t++)
            if (!lt_terms_have(&shared, arms[i].items[t])) LT_LIST_ADD(binder->arena, &own, arms[i].items[t], err);
        LT_TRY(lt_and(binder, own.items, own.count, &rests[i], err));
        is_true = is_true || own.count == 0;
    }
    for (uint32_t t = 0; t < shared.count; t++) LT_LIST_ADD(binder->arena, common, shared.items[t], err);
    *out_rest = NULL;
    if (is_true) return LEAT_OK;
    lt_expression *rest;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_OR, condition->type, rests, count, &condition->place, &rest, err));
    *out_rest = rest;
    return LEAT_OK;
}

// *out: the condition itself when nothing is common.
static leat_status condition_factor(lt_binder *binder, const lt_expression *condition, const lt_expression **out,
                                    leat_error *err) {
    lt_expression_list terms = {0}, kept = {0};
    bool               is_changed = false;
    *out                          = condition;
    LT_TRY(lt_conjuncts(binder, condition, &terms, err));
    for (uint32_t i = 0; i < terms.count; i++) {
        const lt_expression *rest = terms.items[i];
        if (rest->kind == LT_EXPRESSION_OR) LT_TRY(common_take(binder, terms.items[i], &kept, &rest, err));
        is_changed = is_changed || rest != terms.items[i];
        if (rest != NULL) LT_LIST_ADD(binder->arena, &kept, rest, err);
    }
    return is_changed ? lt_and(binder, kept.items, kept.count, out, err) : LEAT_OK;
}

leat_status lt_rule_common_terms(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, lt_rule_common_terms, plan, out, err));
    const lt_plan       *node      = *out;
    const bool           is_join   = node->kind == LT_PLAN_JOIN && !node->as.join.is_null_aware;
    const lt_expression *condition = node->kind == LT_PLAN_FILTER ? node->as.filter.predicate
                                     : is_join                    ? node->as.join.residual
                                                                  : NULL;
    const lt_expression *factored;
    lt_plan             *copy;
    if (condition == NULL) return LEAT_OK;
    LT_TRY(condition_factor(binder, condition, &factored, err));
    if (factored == condition) return LEAT_OK;
    if (!is_join) return lt_plan_filter(binder, node->inputs[0], factored, out, err);
    LT_TRY_NEW(copy, binder->arena, err);
    *copy                  = *node;
    copy->as.join.residual = NULL;
    *out                   = copy;
    return lt_join_condition(binder, copy, factored, err);
}
