#include "planner/bind/binder.h"

// WITH RECURSIVE c AS (anchor UNION ALL step): the step reads, under the name c, the rows of the round before.

static bool reads_rounds(const lt_plan *plan, uint32_t recursion) {
    if (plan->kind == LT_PLAN_RECURSION_SCAN && plan->as.recursion.recursion == recursion) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (reads_rounds(plan->inputs[i], recursion)) return true;
    return false;
}

// An aggregate over the rounds would need all of them at once.
static const lt_plan *aggregate_over(const lt_plan *plan, uint32_t recursion) {
    if (plan->kind == LT_PLAN_AGGREGATE && reads_rounds(plan, recursion)) return plan;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        const lt_plan *found = aggregate_over(plan->inputs[i], recursion);
        if (found != NULL) return found;
    }
    return NULL;
}

static const char *column_name(const lt_ast_cte *cte, const lt_plan *anchor, uint32_t i) {
    return i < cte->columns.count ? cte->columns.items[i].text : anchor->columns[i].name;
}

static leat_status step_types(lt_binder *binder, const lt_plan *anchor, lt_relation *step, const lt_place *place,
                              leat_error *err) {
    const lt_expression **columns;
    const char          **names;
    const uint32_t        count = anchor->column_count;
    if (step->plan->column_count != count)
        return lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, place, "the anchor has %u columns, the step %u",
                        count, step->plan->column_count);
    LT_TRY_NEW_ARRAY(columns, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        const lt_type *wanted = anchor->columns[i].type;
        const lt_type *type   = step->plan->columns[i].type;
        const lt_type *common = lt_common_type(binder->arena, wanted, type);
        const bool     fits   = lt_type_same_shape(wanted, type) ||
                          (common != NULL && lt_type_equal(common, wanted) && type->kind != LT_STRING);
        if (!fits)
            return lt_raise(err, LT_CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE, place,
                            "column %u is %s in the anchor and %s in the step", i + 1,
                            lt_type_text(binder->arena, wanted), lt_type_text(binder->arena, type));
        names[i] = anchor->columns[i].name;
        LT_TRY(lt_column_new(binder, i, type, &columns[i], err));
        if (!lt_type_same_shape(wanted, type)) LT_TRY(lt_cast_to(binder, columns[i], wanted, &columns[i], err));
    }
    return lt_plan_project(binder, step->plan, columns, names, count, &step->plan, err);
}

static int64_t level_limit(const lt_ast_cte *cte) {
    int64_t value = 0;
    if (cte->recursion_max.text == NULL) return -1;
    for (const char *digit = cte->recursion_max.text; *digit >= '0' && *digit <= '9'; digit++)
        value = value > 1000000000 ? value : value * 10 + (*digit - '0');
    return value;
}

static leat_status union_bind(lt_binder *binder, const lt_cte_scope *cte, const lt_ast_query *query, lt_relation *out,
                              leat_error *err) {
    const lt_ast_cte   *ast    = cte->cte;
    const lt_cte_scope *before = binder->ctes;
    lt_cte_scope       *inner;
    lt_relation         anchor;
    lt_relation         step;
    uint32_t            uses = 0;
    lt_plan            *scan;
    const char        **names;
    LT_TRY_NEW(inner, binder->arena, err);
    *inner              = *cte;
    inner->is_forbidden = true;
    binder->ctes        = inner;
    LT_TRY(lt_query_bind(binder, query->branches.items[0], NULL, &anchor, err));
    LT_TRY(lt_relation_visible(binder, &anchor, err));
    const uint32_t count = anchor.plan->column_count;
    if (ast->columns.count > 0 && ast->columns.count != count)
        return lt_raise(err, LT_ASSIGNMENT_ARITY_MISMATCH, &ast->place, "%u names for %u columns", ast->columns.count,
                        count);
    LT_TRY(lt_plan_new(binder, LT_PLAN_RECURSION_SCAN, NULL, 0, count, &ast->place, &scan, err));
    LT_TRY_NEW_ARRAY(names, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) names[i] = column_name(ast, anchor.plan, i);
    scan->columns                = anchor.plan->columns;
    scan->as.recursion.recursion = binder->recursion_next++;
    inner->is_forbidden          = false;
    inner->recursion_scan        = scan;
    inner->recursion_names       = names;
    inner->recursion_uses        = &uses;
    // Further branches are steps too: UNION ALL of them.
    LT_TRY(lt_query_bind(binder, query->branches.items[1], NULL, &step, err));
    for (uint32_t i = 2; i < query->branches.count; i++) {
        lt_relation left = step;
        lt_relation right;
        LT_TRY(lt_query_bind(binder, query->branches.items[i], NULL, &right, err));
        LT_TRY(lt_set_operation_bind(binder, LT_AST_UNION, true, &left, &right, &query->place, &step, err));
    }
    LT_TRY(lt_relation_visible(binder, &step, err));
    binder->ctes = before;
    if (uses == 0)
        return lt_set_operation_bind(binder, LT_AST_UNION, query->all, &anchor, &step, &query->place, out, err);
    if (!query->all)
        return lt_raise(err, LT_UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE, &query->place,
                        "a recursive query takes UNION ALL, not UNION");
    const lt_plan *aggregate = aggregate_over(step.plan, scan->as.recursion.recursion);
    if (aggregate != NULL)
        return lt_raise(err, LT_INVALID_RECURSIVE_REFERENCE__PLACE, &aggregate->place,
                        "`%s` cannot refer to itself in an aggregate", ast->name.text);
    LT_TRY(step_types(binder, anchor.plan, &step, &query->place, err));
    const lt_plan *inputs[2] = {anchor.plan, step.plan};
    lt_plan       *recursion;
    LT_TRY(lt_plan_new(binder, LT_PLAN_RECURSION, inputs, 2, count, &ast->place, &recursion, err));
    recursion->columns                = anchor.plan->columns;
    recursion->as.recursion.recursion = scan->as.recursion.recursion;
    recursion->as.recursion.is_all    = true;
    recursion->as.recursion.level_max = level_limit(ast);
    return lt_relation_of_plan(binder, recursion, NULL, out, err);
}

leat_status lt_recursive_bind(lt_binder *binder, const lt_cte_scope *cte, lt_relation *out, leat_error *err) {
    const lt_ast_query *query = cte->cte->query;
    const bool          is_union =
        query->kind == LT_AST_QUERY_SET_OPERATION && query->set_operator == LT_AST_UNION && query->branches.count >= 2;
    if (is_union) {
        LT_TRY(union_bind(binder, cte, query, out, err));
        return lt_organization_bind(binder, &query->organization, NULL, out, err);
    }
    const lt_cte_scope *before = binder->ctes;
    lt_cte_scope       *inner;
    LT_TRY_NEW(inner, binder->arena, err);
    *inner              = *cte;
    inner->is_forbidden = true;
    binder->ctes        = inner;
    LT_TRY(lt_query_bind(binder, query, NULL, out, err));
    binder->ctes = before;
    return LEAT_OK;
}
