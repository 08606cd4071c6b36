#include "planner/rules/rules.h"

// (a = 1 AND b = 2) OR (a = 3 AND b = 4) cannot be cut in two, but it implies a = 1 OR a = 3, and b = 2 OR b = 4. Above
// or in a join these are said beside it: they go down to the inputs that they are about, and the join gets fewer rows.
// Only terms over one column that cannot raise are taken.

typedef struct column_use {
    uint32_t column;
    bool     is_any, is_one;
} column_use;

static bool note_column(void *user, const lt_expression *node) {
    column_use *self = user;
    if (node->kind != LT_EXPRESSION_COLUMN) return true;
    if (self->is_any && self->column != node->column) self->is_one = false;
    self->column = node->column;
    self->is_any = true;
    return true;
}

// Whether a term is over one column alone.
static bool is_of_one_column(const lt_expression *term, uint32_t *out_column) {
    column_use use = {.is_one = true};
    if (lt_expression_can_fail(term) || !lt_expression_is_deterministic(term)) return false;
    lt_expression_walk(term, note_column, &use);
    *out_column = use.column;
    return use.is_any && use.is_one;
}

// What an OR implies of `column`; *out NULL: nothing, since some arm says nothing of it.
static leat_status column_implied(lt_binder *binder, const lt_expression *condition, const lt_expression_list *arms,
                                  uint32_t column, const lt_expression **out, leat_error *err) {
    const uint32_t        count = condition->argument_count;
    const lt_expression **parts;
    lt_expression        *implied;
    *out = NULL;
    LT_TRY_NEW_ARRAY(parts, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        lt_expression_list own = {0};
        uint32_t           of;
        for (uint32_t t = 0; t < arms[i].count; t++)
            if (is_of_one_column(arms[i].items[t], &of) && of == column)
                LT_LIST_ADD(binder->arena, &own, arms[i].items[t], err);
        if (own.count == 0) return LEAT_OK;
        LT_TRY(lt_and(binder, own.items, own.count, &parts[i], err));
    }
    LT_TRY(
        lt_expression_new(binder, LT_EXPRESSION_OR, condition->type, parts, count, &condition->place, &implied, err));
    *out = implied;
    return LEAT_OK;
}

// Adds to `terms` what the OR implies of each column that its first arm speaks of.
static leat_status or_implied(lt_binder *binder, const lt_expression *condition, lt_expression_list *terms,
                              leat_error *err) {
    lt_expression_list *arms;
    LT_TRY_NEW_ARRAY(arms, binder->arena, condition->argument_count, err);
    for (uint32_t i = 0; i < condition->argument_count; i++)
        LT_TRY(lt_conjuncts(binder, condition->arguments[i], &arms[i], err));
    for (uint32_t t = 0; t < arms[0].count; t++) {
        const lt_expression *implied;
        uint32_t             column;
        if (!is_of_one_column(arms[0].items[t], &column)) continue;
        LT_TRY(column_implied(binder, condition, arms, column, &implied, err));
        if (implied != NULL && !lt_terms_have(terms, implied)) LT_LIST_ADD(binder->arena, terms, implied, err);
    }
    return LEAT_OK;
}

leat_status lt_rule_implied_terms(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, lt_rule_implied_terms, plan, out, err));
    const lt_plan       *node      = *out;
    const bool           is_join   = node->kind == LT_PLAN_JOIN && !node->as.join.is_null_aware;
    const bool           is_above  = node->kind == LT_PLAN_FILTER && node->inputs[0]->kind == LT_PLAN_JOIN;
    const lt_expression *condition = is_above ? node->as.filter.predicate : is_join ? node->as.join.residual : NULL;
    lt_expression_list   terms     = {0};
    lt_plan             *copy;
    if (condition == NULL) return LEAT_OK;
    LT_TRY(lt_conjuncts(binder, condition, &terms, err));
    const uint32_t said = terms.count;
    for (uint32_t i = 0; i < said; i++)
        if (terms.items[i]->kind == LT_EXPRESSION_OR) LT_TRY(or_implied(binder, terms.items[i], &terms, err));
    if (terms.count == said) return LEAT_OK;
    LT_TRY(lt_and(binder, terms.items, terms.count, &condition, err));
    if (!is_join) return lt_plan_filter(binder, node->inputs[0], condition, out, err);
    LT_TRY_NEW(copy, binder->arena, err);
    *copy                  = *node;
    copy->as.join.residual = NULL;
    *out                   = copy;
    return lt_join_condition(binder, copy, condition, err);
}
