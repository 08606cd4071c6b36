// rules: rewrites of a bound plan. Each keeps the answer for every input and may be left out (SET rulesOff); the list in
// rules.c says which there are and in which order they run.
//
// A rule gets a plan and gives one with the same columns in the same order. It may make a query fail less often (a row
// that a condition rejects is no longer computed), never more often: terms that can raise move only to where they see
// the same rows. Nondeterministic expressions stay where they are.
//
// Ownership  nodes are const; what a rule makes lives in the statement's arena.   Threads  one at a time.
// Limits     recursion is as deep as the plan, which the parser bounds.           Cost     O(plan) a rule.
#ifndef LT_PLANNER_RULES_RULES_H
#define LT_PLANNER_RULES_RULES_H

#include "planner/bind/binder.h"

typedef leat_status lt_rule_apply(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err);

typedef struct lt_rule {
    const char    *name;
    lt_rule_apply *apply;
    bool           is_for_batches; // leaves standing queries as they are
    const char    *summary;
} lt_rule;

extern const lt_rule lt_rules[]; // in the order of running; ended by an empty row

// Runs all rules but those that context->rules_off names ("filters_down, join_order").
leat_status lt_rules_run(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err);

// ---- for rules
// ----------------------------------------------------------------------------------------------------------
// The node with `apply` run over its inputs; the node itself when nothing changes.
leat_status lt_rule_inputs(lt_binder *binder, lt_rule_apply *apply, const lt_plan *node, const lt_plan **out,
                           leat_error *err);
leat_status lt_plan_with_inputs(lt_binder *binder, const lt_plan *node, const lt_plan *const *inputs,
                                const lt_plan **out, leat_error *err);
uint32_t    lt_expression_size(const lt_expression *expression);
bool        lt_terms_have(const lt_expression_list *terms, const lt_expression *wanted); // one that is equal
// Whether the expression is NULL, or a condition is not TRUE, when the columns [first, first + count) are all NULL.
bool lt_is_null_of(const lt_expression *expression, uint32_t first, uint32_t count);
bool lt_rejects_null_of(const lt_expression *condition, uint32_t first, uint32_t count);

lt_rule_apply lt_rule_common_terms, lt_rule_implied_terms, lt_rule_filters_down, lt_rule_outer_joins,
    lt_rule_semi_joins_down, lt_rule_join_order, lt_rule_kept_side, lt_rule_not_null_keys, lt_rule_empty_inputs,
    lt_rule_limits_down, lt_rule_first_rows, lt_rule_columns, lt_rule_folders;

#endif
