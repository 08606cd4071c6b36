#include "planner/rules/rules.h"

#include "base/ascii.h"

// Conditions go down first, then what they make possible: an outer join that loses its padded rows is an inner one and
// takes them further down. Joins get their order once all conditions are known, columns go last.
const lt_rule lt_rules[] = {
    {.name    = "common_terms",
     .apply   = lt_rule_common_terms,
     .summary = "a term of every arm of an OR is a term of the whole condition"},
    {.name    = "implied_terms",
     .apply   = lt_rule_implied_terms,
     .summary = "what an OR implies of one column is said beside it, above joins"},
    {.name    = "filters_down",
     .apply   = lt_rule_filters_down,
     .summary = "conditions move to the inputs that they are about"},
    {.name    = "outer_joins",
     .apply   = lt_rule_outer_joins,
     .summary = "an outer join whose padded rows a condition rejects is an inner one"},
    {.name = "filters_down", .apply = lt_rule_filters_down, .summary = "once more, through those joins"},
    {.name    = "semi_joins_down",
     .apply   = lt_rule_semi_joins_down,
     .summary = "IN and EXISTS that leave few rows go below the joins above which they stand"},
    {.name    = "join_order",
     .apply   = lt_rule_join_order,
     .summary = "inner joins are ordered so that each has a key, and the largest table is streamed"},
    {.name           = "kept_side",
     .apply          = lt_rule_kept_side,
     .is_for_batches = true,
     .summary        = "IN and EXISTS keep the side that has fewer rows"},
    {.name    = "not_null_keys",
     .apply   = lt_rule_not_null_keys,
     .summary = "rows of a stream whose join key is NULL are rejected by its reader"},
    {.name = "empty_inputs", .apply = lt_rule_empty_inputs, .summary = "what can have no rows is not computed"},
    {.name           = "limits_down",
     .apply          = lt_rule_limits_down,
     .is_for_batches = true,
     .summary        = "LIMIT stops the inputs that it reads"},
    {.name = "first_rows", .apply = lt_rule_first_rows, .summary = "OVER keeps the ranks that a condition asks for"},
    {.name = "columns", .apply = lt_rule_columns, .summary = "what nobody reads is not computed"},
    {.name = "folders", .apply = lt_rule_folders, .summary = "files of folders that a condition rejects are not read"},
    {0},
};

static bool is_off(const char *off, const char *name) {
    const size_t bytes = strlen(name);
    for (const char *at = off; at != NULL && *at != '\0';) {
        const size_t word = strcspn(at, ", ");
        if (word == bytes && lt_ascii_compare_bytes(at, name, bytes) == 0) return true;
        at += word;
        at += strspn(at, ", ");
    }
    return false;
}

leat_status lt_rules_run(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    *out = plan;
    for (const lt_rule *rule = lt_rules; rule->name != NULL; rule++) {
        if (rule->is_for_batches && binder->context->is_standing) continue;
        if (is_off(binder->context->rules_off, rule->name)) continue;
        LT_TRY(rule->apply(binder, *out, out, err));
    }
    return LEAT_OK;
}

leat_status lt_plan_with_inputs(lt_binder *binder, const lt_plan *node, const lt_plan *const *inputs,
                                const lt_plan **out, leat_error *err) {
    lt_plan        *copy;
    const lt_plan **own;
    LT_TRY_NEW(copy, binder->arena, err);
    LT_TRY_NEW_ARRAY(own, binder->arena, node->input_count + 1u, err);
    memcpy(own, inputs, node->input_count * sizeof *own);
    *copy        = *node;
    copy->inputs = own;
    *out         = copy;
    return LEAT_OK;
}

leat_status lt_rule_inputs(lt_binder *binder, lt_rule_apply *apply, const lt_plan *node, const lt_plan **out,
                           leat_error *err) {
    const lt_plan **inputs;
    bool            is_changed = false;
    *out                       = node;
    if (node->input_count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(inputs, binder->arena, node->input_count, err);
    for (uint32_t i = 0; i < node->input_count; i++) {
        LT_TRY(apply(binder, node->inputs[i], &inputs[i], err));
        is_changed |= inputs[i] != node->inputs[i];
    }
    return is_changed ? lt_plan_with_inputs(binder, node, inputs, out, err) : LEAT_OK;
}

static bool note_node(void *user, const lt_expression *node) {
    (void)node;
    ++*(uint32_t *)user;
    return true;
}

uint32_t lt_expression_size(const lt_expression *expression) {
    uint32_t size = 0;
    lt_expression_walk(expression, note_node, &size);
    return size;
}

bool lt_terms_have(const lt_expression_list *terms, const lt_expression *wanted) {
    for (uint32_t i = 0; i < terms->count; i++)
        if (lt_expression_equal(terms->items[i], wanted)) return true;
    return false;
}

// ---- NULLs ----------------------------------------------------------------------------------------------------------

bool lt_is_null_of(const lt_expression *expression, uint32_t first, uint32_t count) {
    bool is_any = false, is_all = true;
    switch (expression->kind) {
    case LT_EXPRESSION_COLUMN:
        return expression->column >= first && expression->column - first < count;
    case LT_EXPRESSION_CALL:
        if (expression->function->is_null_aware) return false;
        break;
    case LT_EXPRESSION_CAST:
    case LT_EXPRESSION_FIELD:
        break;
    case LT_EXPRESSION_AND:
    case LT_EXPRESSION_OR:
        for (uint32_t i = 0; i < expression->argument_count; i++)
            is_all = is_all && lt_is_null_of(expression->arguments[i], first, count);
        return is_all;
    case LT_EXPRESSION_IN:
        return lt_is_null_of(expression->arguments[0], first, count);
    default:
        return false;
    }
    for (uint32_t i = 0; i < expression->argument_count; i++)
        is_any = is_any || lt_is_null_of(expression->arguments[i], first, count);
    return is_any;
}

bool lt_rejects_null_of(const lt_expression *condition, uint32_t first, uint32_t count) {
    if (lt_is_null_of(condition, first, count)) return true;
    bool is_any = false, is_all = true;
    for (uint32_t i = 0; i < condition->argument_count; i++) {
        const bool rejects = lt_rejects_null_of(condition->arguments[i], first, count);
        is_any             = is_any || rejects;
        is_all             = is_all && rejects;
    }
    if (condition->kind == LT_EXPRESSION_AND) return is_any;
    if (condition->kind == LT_EXPRESSION_OR) return is_all;
    return condition->kind == LT_EXPRESSION_CALL && strcmp(condition->function->name, "isnotnull") == 0 &&
           lt_is_null_of(condition->arguments[0], first, count);
}
