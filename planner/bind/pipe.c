#include "planner/bind/binder.h"

#include "base/ascii.h"

// Pipe syntax: each step takes the relation so far and gives the next.

static leat_status select_step(lt_binder *binder, const lt_select_parts *parts, lt_frame *frame, lt_relation *relation,
                               leat_error *err) {
    lt_relation *from;
    LT_TRY_NEW(from, binder->arena, err);
    *from = *relation;
    return lt_select_over(binder, parts, from, frame, relation, err);
}

static bool is_named(const lt_ast_names *names, const char *name) {
    for (uint32_t i = 0; i < names->count; i++)
        if (lt_ascii_compare(names->items[i].text, name) == 0) return true;
    return false;
}

static leat_status name_check(lt_binder *binder, lt_relation *relation, const lt_ast_name *name, leat_error *err) {
    lt_ast_name        copy  = *name;
    const lt_ast_names names = {.items = &copy, .count = 1};
    lt_scope           scope = {.clause = LT_CLAUSE_PIPE, .relation = relation};
    bool               is_found;
    lt_bound           bound;
    LT_TRY(lt_scope_find(binder, &scope, &names, &is_found, &bound, err));
    return is_found ? LEAT_OK : lt_raise_unresolved(binder, &scope, &names, &name->place, err);
}

static leat_status drop_step(lt_binder *binder, const lt_ast_pipe_step *step, lt_relation *relation, leat_error *err) {
    lt_scope_columns kept = {0};
    for (uint32_t i = 0; i < step->names.count; i++) LT_TRY(name_check(binder, relation, &step->names.items[i], err));
    for (uint32_t i = 0; i < relation->columns.count; i++)
        if (!is_named(&step->names, relation->columns.items[i].name))
            LT_LIST_ADD(binder->arena, &kept, relation->columns.items[i], err);
    relation->columns = kept;
    return LEAT_OK;
}

// SET a = e: a column in the place of the old one; the old one is gone, also under its table's name.
static leat_status set_item(lt_binder *binder, const lt_ast_item *item, lt_frame *frame, lt_relation *relation,
                            leat_error *err) {
    lt_bound              value;
    const lt_expression **columns;
    const char          **names;
    LT_TRY(name_check(binder, relation, &item->alias, err));
    lt_scope scope = {.clause = LT_CLAUSE_PIPE, .relation = relation, .frame = frame};
    LT_TRY(lt_bind_expression(binder, &scope, item->expression, &value, err));
    const lt_plan *plan = relation->plan;
    LT_TRY(lt_subqueries_lift(binder, &plan, &value.expression, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, plan->column_count + 1, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, plan->column_count + 1, err);
    for (uint32_t i = 0; i < plan->column_count; i++)
        LT_TRY(lt_column_new(binder, i, plan->columns[i].type, &columns[i], err));
    const uint32_t at = plan->column_count;
    columns[at]       = value.expression;
    names[at]         = item->alias.text;
    LT_TRY(lt_plan_project(binder, plan, columns, names, at + 1, &relation->plan, err));
    lt_scope_columns changed = {0};
    for (uint32_t i = 0; i < relation->columns.count; i++) {
        lt_scope_column column = relation->columns.items[i];
        if (lt_ascii_compare(column.name, item->alias.text) == 0 && !column.is_qualified_only)
            column = (lt_scope_column){.name = column.name, .type = value.expression->type, .column = at};
        LT_LIST_ADD(binder->arena, &changed, column, err);
    }
    relation->columns = changed;
    return LEAT_OK;
}

static leat_status relation_step(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *relation,
                                 leat_error *err) {
    lt_relation *left;
    LT_TRY_NEW(left, binder->arena, err);
    *left = *relation;
    switch (ast->kind) {
    case LT_AST_RELATION_JOIN:
        LT_TRY(lt_join_bind(binder, ast, frame, left, relation, err));
        break;
    case LT_AST_RELATION_PIVOT:
        LT_TRY(lt_pivot_bind(binder, ast, frame, left, relation, err));
        break;
    case LT_AST_RELATION_UNPIVOT:
        LT_TRY(lt_unpivot_bind(binder, ast, frame, left, relation, err));
        break;
    default:
        return lt_lateral_view_bind(binder, ast, frame, left, relation, err);
    }
    return lt_alias_apply(binder, &ast->alias, &ast->place, relation, err);
}

static leat_status step_bind(lt_binder *binder, const lt_ast_pipe_step *step, const lt_ast_named_windows *windows,
                             lt_frame *frame, lt_relation *relation, leat_error *err) {
    lt_select_parts parts = {.items = &step->items, .windows = windows, .place = step->place};
    lt_relation     left  = *relation;
    lt_relation     right;
    switch (step->kind) {
    case LT_AST_PIPE_WHERE:
        return lt_where_bind(binder, step->expression, LT_CLAUSE_WHERE, frame, relation, err);
    case LT_AST_PIPE_SELECT:
        parts.items       = &step->select->items;
        parts.is_distinct = step->select->distinct;
        parts.windows     = step->select->windows.count > 0 ? &step->select->windows : windows;
        return select_step(binder, &parts, frame, relation, err);
    case LT_AST_PIPE_EXTEND:
        parts.keeps_input   = true;
        parts.no_aggregates = true;
        return select_step(binder, &parts, frame, relation, err);
    case LT_AST_PIPE_SET:
        for (uint32_t i = 0; i < step->items.count; i++)
            LT_TRY(set_item(binder, &step->items.items[i], frame, relation, err));
        return LEAT_OK;
    case LT_AST_PIPE_DROP:
        return drop_step(binder, step, relation, err);
    case LT_AST_PIPE_AS: {
        const lt_ast_alias alias = {.name = step->names.items[0]};
        return lt_alias_apply(binder, &alias, &step->place, relation, err);
    }
    case LT_AST_PIPE_AGGREGATE:
        if (step->items.count == 0 && !step->group_by.present)
            return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &step->place, "|> AGGREGATE needs an aggregate or GROUP BY");
        parts.group_by     = &step->group_by;
        parts.groups_first = true;
        return select_step(binder, &parts, frame, relation, err);
    case LT_AST_PIPE_JOIN:
        return relation_step(binder, step->relation, frame, relation, err);
    case LT_AST_PIPE_SAMPLE:
        return lt_sample_apply(binder, step->sample, relation, err);
    case LT_AST_PIPE_SET_OPERATION:
        LT_TRY(lt_query_bind(binder, step->query, frame, &right, err));
        return lt_set_operation_bind(binder, step->set_operator, step->all, &left, &right, &step->place, relation, err);
    case LT_AST_PIPE_ORGANIZATION:
        LT_TRY(lt_organization_check(&step->organization, &step->place, err));
        return lt_organization_bind(binder, &step->organization, frame, relation, err);
    case LT_AST_PIPE_WINDOW:
        return LEAT_OK;
    }
    return LEAT_OK;
}

leat_status lt_pipe_bind(lt_binder *binder, const lt_ast_query *ast, lt_frame *frame, lt_relation *out,
                         leat_error *err) {
    const lt_ast_named_windows *windows = NULL;
    LT_TRY(lt_query_bind(binder, ast->branches.items[0], frame, out, err));
    for (uint32_t i = 0; i < ast->steps.count; i++) {
        // WINDOW stands behind the step that uses it
        if (i + 1 < ast->steps.count && ast->steps.items[i + 1].kind == LT_AST_PIPE_WINDOW)
            windows = &ast->steps.items[i + 1].windows;
        LT_TRY(step_bind(binder, &ast->steps.items[i], windows, frame, out, err));
    }
    return LEAT_OK;
}
