#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "parser/print.h"
#include "planner/rules/rules.h"

// Queries: WITH, the body, and what stands behind it.

static leat_status ctes_check(const lt_ast_ctes *ctes, leat_error *err) {
    for (uint32_t i = 0; i < ctes->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (lt_ascii_compare(ctes->items[i].name.text, ctes->items[k].name.text) == 0)
                return lt_raise(err, LT_DUPLICATED_CTE_NAMES, &ctes->items[i].place, "WITH names `%s` twice",
                                ctes->items[i].name.text);
    return LEAT_OK;
}

// Each CTE is bound where it is used; one that is never used is bound here for its errors.
static leat_status ctes_push(lt_binder *binder, const lt_ast_query *ast, leat_error *err) {
    LT_TRY(ctes_check(&ast->ctes, err));
    for (uint32_t i = 0; i < ast->ctes.count; i++) {
        lt_cte_scope *scope;
        LT_TRY_NEW(scope, binder->arena, err);
        *scope = (lt_cte_scope){
            .outer = binder->ctes, .cte = &ast->ctes.items[i], .is_recursive = ast->recursive, .frame = binder->frame};
        binder->ctes = scope;
    }
    return LEAT_OK;
}

static leat_status set_operations_bind(lt_binder *binder, const lt_ast_query *ast, lt_frame *frame, lt_relation *out,
                                       leat_error *err) {
    LT_TRY(lt_query_bind(binder, ast->branches.items[0], frame, out, err));
    for (uint32_t i = 1; i < ast->branches.count; i++) {
        lt_relation left = *out;
        lt_relation right;
        LT_TRY(lt_query_bind(binder, ast->branches.items[i], frame, &right, err));
        LT_TRY(lt_set_operation_bind(binder, ast->set_operator, ast->all, &left, &right, &ast->place, out, err));
    }
    return LEAT_OK;
}

static leat_status body_bind(lt_binder *binder, const lt_ast_query *ast, lt_frame *frame, lt_relation *out,
                             leat_error *err) {
    switch (ast->kind) {
    case LT_AST_QUERY_SELECT:
        return lt_select_bind(binder, ast->select, &ast->organization, frame, out, err);
    case LT_AST_QUERY_VALUES:
        LT_TRY(lt_values_bind(binder, &ast->rows, frame, &ast->place, out, err));
        LT_TRY(lt_values_alias_check(&ast->alias, out, &ast->place, err));
        LT_TRY(lt_alias_apply(binder, &ast->alias, &ast->place, out, err));
        break;
    case LT_AST_QUERY_TABLE:
        LT_TRY(lt_table_bind(binder, &ast->name, &ast->place, out, err));
        break;
    case LT_AST_QUERY_FROM:
        LT_TRY(lt_from_bind(binder, ast->relation, frame, out, err));
        LT_TRY(lt_session_refuse(out, err));
        break;
    case LT_AST_QUERY_SET_OPERATION:
        LT_TRY(set_operations_bind(binder, ast, frame, out, err));
        break;
    case LT_AST_QUERY_PIPE:
        LT_TRY(lt_pipe_bind(binder, ast, frame, out, err));
        break;
    case LT_AST_QUERY_NESTED:
        LT_TRY(lt_query_bind(binder, ast->branches.items[0], frame, out, err));
        break;
    }
    return lt_organization_bind(binder, &ast->organization, frame, out, err);
}

leat_status lt_query_bind(lt_binder *binder, const lt_ast_query *ast, lt_frame *frame, lt_relation *out,
                          leat_error *err) {
    const lt_cte_scope *ctes  = binder->ctes;
    lt_frame           *outer = binder->frame;
    LT_TRY(lt_organization_check(&ast->organization, &ast->place, err));
    binder->frame = frame;
    LT_TRY(ctes_push(binder, ast, err));
    LT_TRY(body_bind(binder, ast, frame, out, err));
    binder->ctes  = ctes;
    binder->frame = outer;
    return LEAT_OK;
}

// The relation's visible columns, in their order and under their names.
static leat_status visible_plan(lt_binder *binder, const lt_relation *relation, const lt_plan **out, leat_error *err) {
    const lt_expression **columns;
    const char          **names;
    uint32_t              count = 0;
    bool                  is_same;
    LT_TRY_NEW_ARRAY(columns, binder->arena, relation->columns.count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, relation->columns.count, err);
    for (uint32_t i = 0; i < relation->columns.count; i++) {
        const lt_scope_column *column = &relation->columns.items[i];
        if (column->is_hidden || column->is_qualified_only) continue;
        names[count] = column->name;
        LT_TRY(lt_column_new(binder, column->column, column->type, &columns[count++], err));
    }
    is_same = count == relation->plan->column_count;
    for (uint32_t i = 0; is_same && i < count; i++)
        is_same = columns[i]->column == i && strcmp(names[i], relation->plan->columns[i].name) == 0 &&
                  !relation->plan->columns[i].is_hidden;
    *out = relation->plan;
    return is_same ? LEAT_OK : lt_plan_project(binder, relation->plan, columns, names, count, out, err);
}

leat_status lt_relation_visible(lt_binder *binder, lt_relation *relation, leat_error *err) {
    const lt_plan *plan;
    LT_TRY(visible_plan(binder, relation, &plan, err));
    const lt_scope_columns before = relation->columns;
    LT_TRY(lt_relation_of_plan(binder, plan, NULL, relation, err));
    uint32_t at = 0;
    for (uint32_t i = 0; i < before.count; i++)
        if (!before.items[i].is_hidden && !before.items[i].is_qualified_only)
            relation->columns.items[at++].relation = before.items[i].relation;
    return LEAT_OK;
}

// Rules work on a tree, so shared parts become places of their own first.
leat_status lt_plan_rewrite(lt_binder *binder, const lt_plan *root, lt_query_plan *out, leat_error *err) {
    LT_TRY(lt_plan_number(binder, root, out, err));
    LT_TRY(lt_rules_run(binder, out->root, &root, err));
    return lt_plan_number(binder, root, out, err);
}

leat_status lt_bind_query(lt_bind_context *context, const lt_ast_query *query, lt_query_plan *out, leat_error *err) {
    lt_binder   binder = {.context = context,
                          .arena   = context->arena,
                          .schema  = context->catalog == NULL ? NULL : context->catalog->schema};
    lt_relation relation;
    LT_TRY(lt_query_bind(&binder, query, NULL, &relation, err));
    LT_TRY(lt_relation_visible(&binder, &relation, err));
    LT_TRY(lt_plan_rewrite(&binder, relation.plan, out, err));
    lt_buffer text;
    lt_buffer_init(&text, context->arena->account, 0);
    leat_status status = lt_print_query(&text, query, err);
    if (status == LEAT_OK) {
        out->canonical_sql = lt_arena_text(context->arena, text.data == NULL ? "" : text.data, text.bytes);
        if (out->canonical_sql == NULL) status = lt_raise_no_memory(err);
    }
    lt_buffer_deinit(&text);
    return status;
}

leat_status lt_bind_constant(lt_bind_context *context, const lt_ast_expression *expression, const lt_type *want,
                             const lt_vector **out, leat_error *err) {
    lt_binder   binder = {.context = context,
                          .arena   = context->arena,
                          .schema  = context->catalog == NULL ? NULL : context->catalog->schema};
    lt_relation none   = {0};
    lt_scope    scope  = {.clause = LT_CLAUSE_OTHER, .relation = &none};
    lt_bound    bound;
    LT_TRY(lt_bind_expression(&binder, &scope, expression, &bound, err));
    const lt_expression *value = bound.expression;
    if (want != NULL) LT_TRY(lt_cast_to(&binder, value, want, &value, err));
    if (value->kind == LT_EXPRESSION_LITERAL) {
        *out = value->value;
        return LEAT_OK;
    }
    if (lt_expression_has_subquery(value))
        return lt_raise(err, LT_NOT_SUPPORTED, &expression->place, "a sub-query cannot stand here");
    return context->fold(context->user, value, context->arena, out, err);
}
