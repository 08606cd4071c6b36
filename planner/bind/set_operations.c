#include "planner/bind/binder.h"

// UNION, INTERSECT, EXCEPT and DISTINCT: columns by position, widened to their common types, named by the left side.

static leat_status map_check(lt_binder *binder, const lt_relation *relation, const lt_place *place, leat_error *err) {
    for (uint32_t i = 0; i < relation->plan->column_count; i++) {
        const lt_type *type = relation->plan->columns[i].type;
        if (type->kind == LT_MAP)
            return lt_raise(err, LT_UNSUPPORTED_FEATURE__SET_OPERATION_ON_MAP_TYPE, place,
                            "rows with a MAP cannot be compared: column `%s` is %s", relation->plan->columns[i].name,
                            lt_type_text(binder->arena, type));
    }
    return LEAT_OK;
}

static leat_status widen(lt_binder *binder, lt_relation *side, const lt_type *const *types, leat_error *err) {
    const lt_plan *plan       = side->plan;
    bool           is_changed = false;
    for (uint32_t i = 0; i < plan->column_count; i++) is_changed |= !lt_type_equal(plan->columns[i].type, types[i]);
    if (!is_changed) return LEAT_OK;
    const lt_expression **expressions;
    const char          **names;
    LT_TRY_NEW_ARRAY(expressions, binder->arena, plan->column_count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, plan->column_count, err);
    for (uint32_t i = 0; i < plan->column_count; i++) {
        names[i] = plan->columns[i].name;
        LT_TRY(lt_column_new(binder, i, plan->columns[i].type, &expressions[i], err));
        LT_TRY(lt_cast_to(binder, expressions[i], types[i], &expressions[i], err));
    }
    return lt_plan_project(binder, plan, expressions, names, plan->column_count, &side->plan, err);
}

static leat_status common_types(lt_binder *binder, const lt_plan *left, const lt_plan *right, const lt_place *place,
                                const lt_type ***out, leat_error *err) {
    if (left->column_count != right->column_count)
        return lt_raise(err, LT_NUM_COLUMNS_MISMATCH, place, "the sides have %u and %u columns", left->column_count,
                        right->column_count);
    LT_TRY_NEW_ARRAY(*out, binder->arena, left->column_count, err);
    for (uint32_t i = 0; i < left->column_count; i++) {
        const lt_type *a = left->columns[i].type;
        const lt_type *b = right->columns[i].type;
        (*out)[i]        = lt_type_same_shape(a, b) ? a : lt_common_type(binder->arena, a, b);
        if ((*out)[i] == NULL)
            return lt_raise(err, LT_INCOMPATIBLE_COLUMN_TYPE, place, "column %u is %s on one side and %s on the other",
                            i + 1, lt_type_text(binder->arena, a), lt_type_text(binder->arena, b));
    }
    return LEAT_OK;
}

static bool has_session(const lt_plan *plan) {
    for (uint32_t c = 0; c < plan->column_count; c++)
        if (plan->columns[c].is_session) return true;
    return false;
}

// As GROUP BY all columns: sessions that touch are one.
static leat_status sessions_distinct(lt_binder *binder, lt_relation *relation, const lt_place *place, leat_error *err) {
    const lt_plan       *plan     = relation->plan;
    const lt_aggregation none     = {0};
    lt_grouping          grouping = {.is_present = true};
    for (uint32_t c = 0; c < plan->column_count; c++) {
        lt_bound key = {.text = plan->columns[c].name, .name = plan->columns[c].name, .size = 1, .depth = 1};
        LT_TRY(lt_column_new(binder, c, plan->columns[c].type, &key.expression, err));
        LT_LIST_ADD(binder->arena, &grouping.keys, key, err);
    }
    return lt_aggregate_plan(binder, plan, &grouping, &none, NULL, place, &relation->plan, err);
}

leat_status lt_distinct_apply(lt_binder *binder, lt_relation *relation, const lt_place *place, leat_error *err) {
    lt_plan *distinct;
    LT_TRY(lt_relation_visible(binder, relation, err));
    LT_TRY(map_check(binder, relation, place, err));
    if (has_session(relation->plan)) return sessions_distinct(binder, relation, place, err);
    LT_TRY(lt_plan_over(binder, LT_PLAN_DISTINCT, relation->plan, &distinct, err));
    distinct->place = *place;
    relation->plan  = distinct;
    return LEAT_OK;
}

leat_status lt_set_operation_bind(lt_binder *binder, lt_ast_set_operator operation, bool is_all, lt_relation *left,
                                  lt_relation *right, const lt_place *place, lt_relation *out, leat_error *err) {
    const lt_type **types;
    LT_TRY(lt_relation_visible(binder, left, err));
    LT_TRY(lt_relation_visible(binder, right, err));
    LT_TRY(common_types(binder, left->plan, right->plan, place, &types, err));
    if (operation != LT_AST_UNION || !is_all) {
        LT_TRY(map_check(binder, left, place, err));
        LT_TRY(map_check(binder, right, place, err));
    }
    LT_TRY(widen(binder, left, types, err));
    LT_TRY(widen(binder, right, types, err));
    const lt_plan *inputs[2] = {left->plan, right->plan};
    lt_plan       *plan;
    LT_TRY(lt_plan_new(binder, operation == LT_AST_UNION ? LT_PLAN_UNION_ALL : LT_PLAN_SET_OPERATION, inputs, 2,
                       left->plan->column_count, place, &plan, err));
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, plan->column_count, err);
    for (uint32_t i = 0; i < plan->column_count; i++) {
        const lt_plan_column *other = &right->plan->columns[i];
        columns[i]                  = left->plan->columns[i];
        columns[i].has_event_time   = columns[i].has_event_time && other->has_event_time;
        columns[i].is_session       = columns[i].is_session && other->is_session;
        if (other->delay_us > columns[i].delay_us) columns[i].delay_us = other->delay_us;
    }
    plan->columns = columns;
    if (operation != LT_AST_UNION) {
        plan->as.set_operation.is_intersect = operation == LT_AST_INTERSECT;
        plan->as.set_operation.is_all       = is_all;
    }
    LT_TRY(lt_relation_of_plan(binder, plan, NULL, out, err));
    for (uint32_t i = 0; i < out->columns.count; i++) out->columns.items[i].relation = left->columns.items[i].relation;
    return operation == LT_AST_UNION && !is_all ? lt_distinct_apply(binder, out, place, err) : LEAT_OK;
}
