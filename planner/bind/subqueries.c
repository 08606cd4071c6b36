#include "planner/bind/binder.h"

#include "parser/print.h"

// Sub-queries in expressions. Binding leaves SUBQUERY nodes whose arguments are the values of IN and the outer columns
// used; when an expression is put over a plan, they become joins with that plan, and columns. A correlated sub-query is
// first freed of its outer columns: its equality conditions become keys of the join where that is possible (pull_up.c),
// else it runs for all distinct outer rows at once (decorrelate.c).

typedef enum subquery_kind { SUBQUERY_SCALAR, SUBQUERY_EXISTS, SUBQUERY_IN } subquery_kind;

typedef struct subquery {
    subquery_kind  kind;
    const lt_plan *plan;        // refers to outer columns as slots
    uint32_t       value_count; // of IN: the first arguments
} subquery;

// The sub-queries bound so far: one that is written again over the same columns and outer values is the same one, so
// that GROUP BY, HAVING and ORDER BY find that of the select list.
struct lt_known_subquery {
    const struct lt_known_subquery *next;
    const subquery                 *query;
    const lt_relation              *relation;
    const lt_cte_scope             *ctes;
    const char                     *text; // canonical
    lt_expression_list              arguments;
};

// ---- binding
// ------------------------------------------------------------------------------------------------------------------

static leat_status in_values(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bounds *out,
                             leat_error *err) {
    const lt_ast_expression *value = ast->arguments.items[0];
    if (value->kind == LT_AST_ROW) return lt_bind_list(binder, scope, &value->arguments, out, err);
    return lt_bind_list(binder, scope, &ast->arguments, out, err);
}

// Brings the values of IN and the columns of its query to common types.
static leat_status in_coerce(lt_binder *binder, lt_bounds *values, lt_relation *query, const lt_place *place,
                             leat_error *err) {
    const uint32_t        count = query->plan->column_count;
    const lt_expression **columns;
    const char          **names;
    bool                  is_changed = false;
    if (values->count != count)
        return lt_raise(err, LT_DATATYPE_MISMATCH__IN_SUBQUERY_LENGTH_MISMATCH, place,
                        "IN compares %u values with %u columns", values->count, count);
    LT_TRY_NEW_ARRAY(columns, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        const lt_type *a    = values->items[i].expression->type;
        const lt_type *b    = query->plan->columns[i].type;
        const lt_type *type = lt_type_same_shape(a, b) ? a : lt_common_type(binder->arena, a, b);
        if (type == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__IN_SUBQUERY_DATA_TYPE_MISMATCH, place, "IN compares %s with %s",
                            lt_type_text(binder->arena, a), lt_type_text(binder->arena, b));
        names[i] = query->plan->columns[i].name;
        LT_TRY(lt_cast_to(binder, values->items[i].expression, type, &values->items[i].expression, err));
        LT_TRY(lt_column_new(binder, i, b, &columns[i], err));
        LT_TRY(lt_cast_to(binder, columns[i], type, &columns[i], err));
        is_changed |= columns[i]->kind != LT_EXPRESSION_COLUMN;
    }
    return is_changed ? lt_plan_project(binder, query->plan, columns, names, count, &query->plan, err) : LEAT_OK;
}

// NULL, known before any row, IN (query) is NULL if the query has rows and FALSE if it has none, also where the rule of
// one_lift would make it FALSE. As in Spark, only for one value and a query that does not depend on outer rows.
static leat_status null_value_fold(lt_binder *binder, lt_bounds *values, const lt_plan *plan, bool *out_is_null,
                                   leat_error *err) {
    *out_is_null = false;
    if (values->count != 1 || lt_plan_has_outer(plan)) return LEAT_OK;
    const lt_expression *value = values->items[0].expression;
    if (!lt_expression_is_foldable(value)) return LEAT_OK;
    LT_TRY(lt_bind_fold(binder, value, &value, err));
    *out_is_null = value->kind == LT_EXPRESSION_LITERAL && lt_vector_is_null(value->value, 0);
    return LEAT_OK;
}

static leat_status null_if_rows(lt_binder *binder, const lt_expression *exists, const lt_expression **out,
                                leat_error *err) {
    const lt_expression *parts[3] = {exists, NULL, NULL};
    lt_expression       *chosen;
    LT_TRY(lt_literal_null(binder, lt_type_of(LT_BOOLEAN), &parts[1], err));
    LT_TRY(lt_literal_int64(binder, LT_BOOLEAN, 0, &parts[2], err));
    LT_TRY(
        lt_expression_new(binder, LT_EXPRESSION_CASE, lt_type_of(LT_BOOLEAN), parts, 3, &exists->place, &chosen, err));
    *out = chosen;
    return LEAT_OK;
}

static leat_status scope_for(const lt_scope *scope, const lt_place *place, leat_error *err) {
    if (scope->lambdas == NULL) return LEAT_OK;
    return lt_raise(err, LT_UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY__HIGHER_ORDER_FUNCTION, place,
                    "a sub-query cannot stand in a lambda");
}

static bool known_equal(const struct lt_known_subquery *a, const struct lt_known_subquery *b) {
    if (a->relation != b->relation || a->ctes != b->ctes || a->query->kind != b->query->kind ||
        a->query->value_count != b->query->value_count || a->arguments.count != b->arguments.count ||
        strcmp(a->text, b->text) != 0)
        return false;
    for (uint32_t i = 0; i < a->arguments.count; i++)
        if (!lt_expression_equal(a->arguments.items[i], b->arguments.items[i])) return false;
    return true;
}

static leat_status subquery_text(lt_binder *binder, const lt_ast_query *ast, const char **out, leat_error *err) {
    lt_buffer text;
    lt_buffer_init(&text, binder->arena->account, 0);
    leat_status status = lt_print_query(&text, ast, err);
    if (status == LEAT_OK) {
        *out = lt_arena_text(binder->arena, text.data == NULL ? "" : text.data, text.bytes);
        if (*out == NULL) status = lt_raise_no_memory(err);
    }
    lt_buffer_deinit(&text);
    return status;
}

// *query becomes the one that is known already.
static leat_status subquery_know(lt_binder *binder, const lt_scope *scope, const lt_ast_query *ast,
                                 const lt_expression_list *arguments, const subquery **query, leat_error *err) {
    struct lt_known_subquery *known;
    LT_TRY_NEW(known, binder->arena, err);
    *known = (struct lt_known_subquery){.next      = binder->subqueries,
                                        .query     = *query,
                                        .relation  = scope->relation,
                                        .ctes      = binder->ctes,
                                        .arguments = *arguments};
    LT_TRY(subquery_text(binder, ast, &known->text, err));
    for (const struct lt_known_subquery *other = binder->subqueries; other != NULL; other = other->next)
        if (known_equal(known, other)) {
            *query = other->query;
            return LEAT_OK;
        }
    binder->subqueries = known;
    return LEAT_OK;
}

// scalarsubquery(k, v): with the outer columns that it names.
static const char *subquery_name(lt_binder *binder, const char *kind, const lt_outer_names *names) {
    const char *out = lt_arena_format(binder->arena, "%s(", kind);
    for (uint32_t i = 0; i < names->count && out != NULL; i++)
        out = lt_arena_format(binder->arena, "%s%s%s", out, i == 0 ? "" : ", ", names->items[i]);
    return out == NULL ? NULL : lt_arena_format(binder->arena, "%s)", out);
}

// (a, 1, b + 1) IN (SELECT ..) is named_struct('a', a, '1', 1, '_2', (b + 1)) to Spark.
static const char *in_text(lt_binder *binder, const lt_bounds *values, const lt_outer_names *names) {
    const char *list = values->items[0].text, *query = subquery_name(binder, "listquery", names);
    for (uint32_t i = 0; values->count > 1 && i < values->count && list != NULL; i++) {
        const lt_bound *value = &values->items[i];
        const char     *name  = value->is_name      ? value->name
                                : value->is_literal ? value->text
                                                    : lt_arena_format(binder->arena, "_%u", i);
        list                  = name == NULL ? NULL
                                             : lt_arena_format(binder->arena, "%s%s'%s', %s", i == 0 ? "named_struct(" : list,
                                              i == 0 ? "" : ", ", name, value->text);
    }
    if (list != NULL && values->count > 1) list = lt_arena_format(binder->arena, "%s)", list);
    return list == NULL || query == NULL ? NULL : lt_arena_format(binder->arena, "(%s IN (%s))", list, query);
}

leat_status lt_subquery_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                             leat_error *err) {
    lt_bounds      values = {0};
    lt_frame       frame  = {.outer = scope};
    lt_relation    query;
    subquery      *made;
    const lt_type *type    = lt_type_of(LT_BOOLEAN);
    bool           is_null = false; // the value of IN
    LT_TRY(scope_for(scope, &ast->place, err));
    LT_TRY_NEW(made, binder->arena, err);
    made->kind = ast->kind == LT_AST_EXISTS ? SUBQUERY_EXISTS : ast->kind == LT_AST_IN ? SUBQUERY_IN : SUBQUERY_SCALAR;
    if (made->kind == SUBQUERY_IN) LT_TRY(in_values(binder, scope, ast, &values, err));
    const bool is_inside = scope->aggregation != NULL && scope->aggregation->is_inside;
    LT_TRY(lt_query_bind(binder, ast->query, &frame, &query, err));
    if (is_inside) scope->aggregation->is_inside = true;
    LT_TRY(lt_relation_visible(binder, &query, err));
    *out      = (lt_bound){.size = 1, .depth = 1};
    out->text = made->kind == SUBQUERY_IN
                    ? in_text(binder, &values, &frame.names)
                    : subquery_name(binder, made->kind == SUBQUERY_EXISTS ? "exists" : "scalarsubquery", &frame.names);
    if (out->text == NULL) return lt_raise_no_memory(err);
    if (made->kind == SUBQUERY_SCALAR) {
        if (query.plan->column_count != 1)
            return lt_raise(err, LT_INVALID_SUBQUERY_EXPRESSION__SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN,
                            &ast->place, "a sub-query for a value gives one column, not %u", query.plan->column_count);
        type = query.plan->columns[0].type;
    } else if (made->kind == SUBQUERY_IN) {
        LT_TRY(in_coerce(binder, &values, &query, &ast->place, err));
        LT_TRY(null_value_fold(binder, &values, query.plan, &is_null, err));
    }
    if (is_null) {
        made->kind   = SUBQUERY_EXISTS;
        values.count = 0;
    }
    made->plan                   = query.plan;
    made->value_count            = values.count;
    lt_expression_list arguments = {0};
    for (uint32_t i = 0; i < values.count; i++) LT_LIST_ADD(binder->arena, &arguments, values.items[i].expression, err);
    for (uint32_t i = 0; i < frame.arguments.count; i++)
        LT_LIST_ADD(binder->arena, &arguments, frame.arguments.items[i], err);
    lt_expression *expression;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_SUBQUERY, type, arguments.items, arguments.count, &ast->place,
                             &expression, err));
    const subquery *query_of = made;
    LT_TRY(subquery_know(binder, scope, ast->query, &arguments, &query_of, err));
    expression->subquery = query_of;
    out->expression      = expression;
    return is_null ? null_if_rows(binder, expression, &out->expression, err) : LEAT_OK;
}

// ---- joining
// ------------------------------------------------------------------------------------------------------------------

// A sub-query that is being joined: its plan without outer columns, and how its rows meet those of the left side.
typedef struct lifted {
    const lt_plan     *plan;
    lt_expression_list conditions; // over left ++ plan
} lifted;

leat_status lt_equality_new(lt_binder *binder, const char *symbol, const lt_expression *left,
                            const lt_expression *right, const lt_expression **out, leat_error *err) {
    const lt_bound a = {.expression = left, .text = "", .size = 1, .depth = 1};
    const lt_bound b = {.expression = right, .text = "", .size = 1, .depth = 1};
    lt_bound       equal;
    LT_TRY(lt_compare_bind(binder, symbol, &a, &b, &left->place, &equal, err));
    *out = equal.expression;
    return LEAT_OK;
}

// Frees the sub-query of outer columns. `left`: the plan its outer arguments are over.
static leat_status free_outer(lt_binder *binder, const lt_plan *left, const lt_plan *inner, bool keeps_rows,
                              bool is_global, const lt_expression *const *outer, uint32_t outer_count, lifted *out,
                              leat_error *err) {
    *out = (lifted){.plan = inner};
    if (!lt_plan_has_outer(inner)) return LEAT_OK;
    lt_pull_up pulled;
    LT_TRY(lt_pull_up_conditions(binder, inner, keeps_rows, is_global, &pulled, err));
    if (pulled.is_possible) {
        out->plan = pulled.plan;
        for (uint32_t i = 0; i < pulled.conditions.count; i++) {
            const lt_expression *condition;
            condition = lt_expression_shift_below(binder->arena, pulled.conditions.items[i], left->column_count);
            if (condition == NULL) return lt_raise_no_memory(err);
            LT_TRY(lt_slots_replace(binder, condition, LT_SLOT_OUTER, outer, outer_count, &condition, err));
            LT_LIST_ADD(binder->arena, &out->conditions, condition, err);
        }
        return LEAT_OK;
    }
    const lt_plan *domain;
    LT_TRY(lt_domain_plan(binder, left, outer, outer_count, &domain, err));
    LT_TRY(lt_decorrelate(binder, inner, domain, NULL, 0, &out->plan, err));
    for (uint32_t i = 0; i < outer_count; i++) {
        const lt_expression *column;
        const lt_expression *equal;
        LT_TRY(lt_column_new(binder, left->column_count + inner->column_count + i, outer[i]->type, &column, err));
        LT_TRY(lt_equality_new(binder, "<=>", outer[i], column, &equal, err));
        LT_LIST_ADD(binder->arena, &out->conditions, equal, err);
    }
    return LEAT_OK;
}

static leat_status conditions_set(lt_binder *binder, lt_plan *join, const lt_expression_list *conditions,
                                  leat_error *err) {
    const lt_expression *whole;
    LT_TRY(lt_and(binder, conditions->items, conditions->count, &whole, err));
    return lt_join_condition(binder, join, whole, err);
}

// The comparisons of IN behind the keys that correlate.
static leat_status in_keys(lt_binder *binder, lt_plan *join, const lt_expression *const *values, uint32_t count,
                           leat_error *err) {
    const uint32_t        before = join->as.join.key_count;
    const lt_plan        *right  = join->inputs[1];
    const lt_expression **left_keys;
    const lt_expression **right_keys;
    bool                 *null_safe;
    LT_TRY_NEW_ARRAY(left_keys, binder->arena, before + count, err);
    LT_TRY_NEW_ARRAY(right_keys, binder->arena, before + count, err);
    LT_TRY_NEW_ARRAY(null_safe, binder->arena, before + count, err);
    for (uint32_t i = 0; i < before; i++) {
        left_keys[i]  = join->as.join.left_keys[i];
        right_keys[i] = join->as.join.right_keys[i];
        null_safe[i]  = join->as.join.is_null_safe[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        left_keys[before + i] = values[i];
        LT_TRY(lt_column_new(binder, i, right->columns[i].type, &right_keys[before + i], err));
    }
    join->as.join.left_keys    = left_keys;
    join->as.join.right_keys   = right_keys;
    join->as.join.is_null_safe = null_safe;
    join->as.join.key_count    = before + count;
    return LEAT_OK;
}

// NOT IN with a further condition over both sides, as Spark has it: no row may meet the condition whose comparison is
// TRUE or unknown.
static leat_status in_residual(lt_binder *binder, lt_plan *join, const lt_expression *const *values, uint32_t count,
                               leat_error *err) {
    const lt_plan       *left = join->inputs[0], *right = join->inputs[1];
    const lt_expression *is_false, *comparison, *column, *equal;
    lt_expression_list   terms = {0};
    for (uint32_t i = 0; i < count; i++) {
        LT_TRY(lt_column_new(binder, left->column_count + i, right->columns[i].type, &column, err));
        LT_TRY(lt_equality_new(binder, "=", values[i], column, &equal, err));
        LT_LIST_ADD(binder->arena, &terms, equal, err);
    }
    LT_TRY(lt_and(binder, terms.items, terms.count, &comparison, err));
    LT_TRY(lt_literal_int64(binder, LT_BOOLEAN, 0, &is_false, err));
    LT_TRY(lt_equality_new(binder, "<=>", comparison, is_false, &comparison, err));
    LT_TRY(lt_not(binder, comparison, &comparison, err));
    const lt_expression *both[] = {comparison, join->as.join.residual};
    return lt_and(binder, both, join->as.join.residual == NULL ? 1 : 2, &join->as.join.residual, err);
}

// EXISTS and IN as a join of the given type.
static leat_status membership_join(lt_binder *binder, const lt_plan *left, const lt_expression *expression,
                                   lt_join_type type, bool is_null_aware, const lt_plan **out, leat_error *err) {
    const subquery *query = expression->subquery;
    lifted          inner;
    lt_plan        *join;
    LT_TRY(free_outer(binder, left, query->plan, query->kind == SUBQUERY_EXISTS, false,
                      expression->arguments + query->value_count, expression->argument_count - query->value_count,
                      &inner, err));
    LT_TRY(lt_plan_join(binder, type, left, inner.plan, &join, err));
    join->place               = expression->place;
    join->as.join.is_subquery = true;
    LT_TRY(conditions_set(binder, join, &inner.conditions, err));
    // A null-aware join of changes goes by counts of one value: rows of several are compared as a condition, too.
    const bool is_counted = join->as.join.residual == NULL &&
                            (!binder->context->is_standing || type != LT_JOIN_ANTI || query->value_count == 1);
    if (query->kind == SUBQUERY_IN && is_null_aware && !is_counted) {
        LT_TRY(in_residual(binder, join, expression->arguments, query->value_count, err));
    } else if (query->kind == SUBQUERY_IN) {
        const uint32_t correlated          = join->as.join.key_count;
        join->as.join.is_null_aware        = is_null_aware;
        join->as.join.correlated_key_count = correlated;
        LT_TRY(in_keys(binder, join, expression->arguments, query->value_count, err));
    }
    *out = join;
    return LEAT_OK;
}

static leat_status single_value(lt_binder *binder, const lt_plan **plan, const lt_plan *inner,
                                const lt_expression **out, leat_error *err) {
    const uint32_t column = (*plan)->column_count;
    lt_plan       *single;
    lt_plan       *join;
    LT_TRY(lt_plan_over(binder, LT_PLAN_SINGLE_ROW, inner, &single, err));
    LT_TRY(lt_plan_join(binder, LT_JOIN_INNER, *plan, single, &join, err));
    *plan = join;
    return lt_column_new(binder, column, inner->columns[0].type, out, err);
}

// The value over a global aggregate: joined with the groups of each key; no group means the aggregate of no rows.
static leat_status aggregate_value(lt_binder *binder, const lt_plan **plan, const lt_scalar_aggregate *peeled,
                                   const lt_expression *const *outer, uint32_t outer_count, const lt_expression **out,
                                   leat_error *err) {
    const uint32_t first = (*plan)->column_count;
    lifted         inner;
    lt_plan       *join;
    LT_TRY(free_outer(binder, *plan, peeled->plan, false, true, outer, outer_count, &inner, err));
    LT_TRY(lt_plan_join(binder, LT_JOIN_LEFT, *plan, inner.plan, &join, err));
    LT_TRY(conditions_set(binder, join, &inner.conditions, err));
    *plan                         = join;
    const uint32_t        columns = peeled->call_count;
    const lt_expression **map;
    LT_TRY_NEW_ARRAY(map, binder->arena, columns, err);
    for (uint32_t i = 0; i < columns; i++) {
        LT_TRY(lt_column_new(binder, first + i, inner.plan->columns[i].type, &map[i], err));
        if (peeled->over_nothing[i] == NULL) continue;
        const lt_expression *parts[2] = {map[i], peeled->over_nothing[i]};
        lt_expression       *whole;
        LT_TRY(lt_expression_new(binder, LT_EXPRESSION_COALESCE, map[i]->type, parts, 2, NULL, &whole, err));
        map[i] = whole;
    }
    *out = lt_expression_substitute(binder->arena, peeled->value, map, columns);
    if (*out == NULL) return lt_raise_no_memory(err);
    return lt_slots_replace(binder, *out, LT_SLOT_OUTER, outer, outer_count, out, err);
}

static leat_status correlated_value(lt_binder *binder, const lt_plan **plan, const lt_expression *expression,
                                    const lt_expression **out, leat_error *err) {
    const subquery     *query = expression->subquery;
    lt_scalar_aggregate peeled;
    LT_TRY(lt_scalar_aggregate_peel(binder, query->plan, &peeled, err));
    if (peeled.is_possible)
        return aggregate_value(binder, plan, &peeled, expression->arguments, expression->argument_count, out, err);
    const uint32_t column = (*plan)->column_count;
    lifted         inner;
    lt_plan       *join;
    LT_TRY(free_outer(binder, *plan, query->plan, false, false, expression->arguments, expression->argument_count,
                      &inner, err));
    LT_TRY(lt_plan_join(binder, LT_JOIN_SINGLE, *plan, inner.plan, &join, err));
    join->place = expression->place;
    LT_TRY(conditions_set(binder, join, &inner.conditions, err));
    *plan = join;
    return lt_column_new(binder, column, inner.plan->columns[0].type, out, err);
}

// Inside of larger expressions Spark's IN is FALSE where it is not known to be TRUE, and its NOT IN is FALSE there too:
// is_negated: below NOT.
static leat_status one_lift(lt_binder *binder, const lt_plan **plan, const lt_expression *expression, bool is_negated,
                            const lt_expression **out, leat_error *err) {
    const subquery *query = expression->subquery;
    if (query->kind == SUBQUERY_SCALAR) {
        if (lt_plan_has_outer(query->plan)) return correlated_value(binder, plan, expression, out, err);
        return single_value(binder, plan, query->plan, out, err);
    }
    const uint32_t column = (*plan)->column_count;
    LT_TRY(membership_join(binder, *plan, expression, LT_JOIN_MARK, is_negated, plan, err));
    LT_TRY(lt_column_new(binder, column, lt_type_of(LT_BOOLEAN), out, err));
    if (!is_negated) return LEAT_OK;
    const lt_expression *parts[2] = {*out, NULL};
    lt_expression       *known;
    LT_TRY(lt_literal_int64(binder, LT_BOOLEAN, 1, &parts[1], err));
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_COALESCE, lt_type_of(LT_BOOLEAN), parts, 2, &expression->place,
                             &known, err));
    *out = known;
    return LEAT_OK;
}

static bool is_not_in(const lt_expression *expression) {
    return expression->kind == LT_EXPRESSION_CALL && strcmp(expression->function->name, "not") == 0 &&
           expression->arguments[0]->kind == LT_EXPRESSION_SUBQUERY &&
           ((const subquery *)expression->arguments[0]->subquery)->kind == SUBQUERY_IN;
}

static leat_status lift(lt_binder *binder, const lt_plan **plan, const lt_expression **expression, bool is_negated,
                        leat_error *err) {
    const lt_expression *old = *expression;
    if (!lt_expression_has_subquery(old)) return LEAT_OK;
    const lt_expression **arguments;
    lt_expression        *copy;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, old->argument_count, err);
    for (uint32_t i = 0; i < old->argument_count; i++) {
        arguments[i] = old->arguments[i];
        LT_TRY(lift(binder, plan, &arguments[i], is_not_in(old), err));
    }
    LT_TRY_NEW(copy, binder->arena, err);
    *copy           = *old;
    copy->arguments = arguments;
    *expression     = copy;
    return copy->kind == LT_EXPRESSION_SUBQUERY ? one_lift(binder, plan, copy, is_negated, expression, err) : LEAT_OK;
}

leat_status lt_subqueries_lift(lt_binder *binder, const lt_plan **plan, const lt_expression **expression,
                               leat_error *err) {
    return lift(binder, plan, expression, false, err);
}

// ---- WHERE
// --------------------------------------------------------------------------------------------------------------------

// EXISTS, IN and their negations as whole terms: SEMI and ANTI joins.
static leat_status term_filter(lt_binder *binder, const lt_plan **plan, const lt_expression *term, leat_error *err) {
    const bool           is_not = term->kind == LT_EXPRESSION_CALL && strcmp(term->function->name, "not") == 0;
    lt_expression       *copy;
    const lt_expression *query = is_not ? term->arguments[0] : term;
    if (query->kind == LT_EXPRESSION_SUBQUERY && ((const subquery *)query->subquery)->kind != SUBQUERY_SCALAR) {
        const lt_expression **arguments;
        const uint32_t        visible = (*plan)->column_count;
        LT_TRY_NEW_ARRAY(arguments, binder->arena, query->argument_count, err);
        for (uint32_t i = 0; i < query->argument_count; i++) {
            arguments[i] = query->arguments[i];
            LT_TRY(lt_subqueries_lift(binder, plan, &arguments[i], err));
        }
        LT_TRY_NEW(copy, binder->arena, err);
        *copy           = *query;
        copy->arguments = arguments;
        LT_TRY(membership_join(binder, *plan, copy, is_not ? LT_JOIN_ANTI : LT_JOIN_SEMI, is_not, plan, err));
        return lt_plan_keep(binder, *plan, visible, plan, err);
    }
    const lt_expression *rest = term;
    LT_TRY(lt_subqueries_lift(binder, plan, &rest, err));
    return lt_plan_filter(binder, *plan, rest, plan, err);
}

leat_status lt_subqueries_filter(lt_binder *binder, const lt_plan **plan, const lt_expression *predicate,
                                 leat_error *err) {
    if (!lt_expression_has_subquery(predicate)) return lt_plan_filter(binder, *plan, predicate, plan, err);
    const uint32_t       visible = (*plan)->column_count;
    lt_expression_list   terms   = {0};
    lt_expression_list   plain   = {0};
    const lt_expression *first;
    LT_TRY(lt_conjuncts(binder, predicate, &terms, err));
    for (uint32_t i = 0; i < terms.count; i++)
        if (!lt_expression_has_subquery(terms.items[i])) LT_LIST_ADD(binder->arena, &plain, terms.items[i], err);
    LT_TRY(lt_and(binder, plain.items, plain.count, &first, err));
    LT_TRY(lt_plan_filter(binder, *plan, first, plan, err));
    for (uint32_t i = 0; i < terms.count; i++)
        if (lt_expression_has_subquery(terms.items[i])) LT_TRY(term_filter(binder, plan, terms.items[i], err));
    return lt_plan_keep(binder, *plan, visible, plan, err);
}

// ---- LATERAL
// ------------------------------------------------------------------------------------------------------------------

leat_status lt_lateral_join(lt_binder *binder, lt_join_type type, const lt_plan *left, const lt_plan *right,
                            const lt_expression_list *arguments, const lt_expression *condition, const lt_plan **out,
                            leat_error *err) {
    const uint32_t left_count  = left->column_count;
    const uint32_t right_count = right->column_count;
    if (type == LT_JOIN_INNER && lt_plan_is_row_wise(right)) {
        // Row by row: the right side runs over the left rows themselves.
        const lt_plan        *joined;
        const lt_expression **columns;
        LT_TRY(lt_decorrelate(binder, right, left, arguments->items, arguments->count, &joined, err));
        LT_TRY_NEW_ARRAY(columns, binder->arena, left_count + right_count, err);
        for (uint32_t i = 0; i < left_count + right_count; i++) {
            const uint32_t from = i < left_count ? right_count + i : i - left_count;
            LT_TRY(lt_column_new(binder, from, joined->columns[from].type, &columns[i], err));
        }
        LT_TRY(lt_plan_project(binder, joined, columns, NULL, left_count + right_count, out, err));
        return condition == NULL ? LEAT_OK : lt_subqueries_filter(binder, out, condition, err);
    }
    lifted   inner;
    lt_plan *join;
    LT_TRY(free_outer(binder, left, right, false, false, arguments->items, arguments->count, &inner, err));
    LT_TRY(lt_plan_join(binder, type, left, inner.plan, &join, err));
    if (condition != NULL) LT_LIST_ADD(binder->arena, &inner.conditions, condition, err);
    LT_TRY(conditions_set(binder, join, &inner.conditions, err));
    return lt_plan_keep(binder, join, left_count + right_count, out, err);
}
