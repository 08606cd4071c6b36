#include "planner/bind/binder.h"

#include "base/number_text.h"

// Correlated conditions of a sub-query move up, out of it, to become the condition of the join that replaces it:
// (SELECT max(p) FROM x WHERE x.k = outer.k) is x grouped by k, joined on k. Columns that a condition needs are handed
// up behind those the sub-query gives. Not every plan allows it; then decorrelate.c does the work.

typedef struct pull {
    lt_binder  *binder;
    bool        is_global;   // the aggregate on top may be one without keys
    bool        keeps_rows;  // only whether rows exist matters: their number does not
    bool        is_possible; // so far
    leat_error *err;
} pull;

static leat_status node_pull(pull *self, const lt_plan *plan, const lt_plan **out, lt_expression_list *conditions);

bool lt_has_own_column(const lt_expression *expression) {
    if (expression->kind == LT_EXPRESSION_COLUMN) return expression->column < LT_SLOT_AGGREGATE;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (lt_has_own_column(expression->arguments[i])) return true;
    return false;
}

// `inner = outer`: the side without outer columns, or NULL.
static const lt_expression *inner_side(const lt_expression *condition) {
    if (condition->kind != LT_EXPRESSION_CALL || condition->argument_count != 2) return NULL;
    if (strcmp(condition->function->name, "=") != 0 && strcmp(condition->function->name, "<=>") != 0) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const lt_expression *inner = condition->arguments[i];
        const lt_expression *outer = condition->arguments[1 - i];
        if (!lt_expression_has_slot(inner, LT_SLOT_OUTER) && lt_has_own_column(inner) &&
            lt_expression_has_slot(outer, LT_SLOT_OUTER) && !lt_has_own_column(outer))
            return inner;
    }
    return NULL;
}

static bool all_equalities(const lt_expression_list *conditions) {
    for (uint32_t i = 0; i < conditions->count; i++)
        if (inner_side(conditions->items[i]) == NULL) return false;
    return true;
}

// The condition with its inner side replaced by a column.
static leat_status with_inner(pull *self, const lt_expression *condition, uint32_t column, const lt_expression **out) {
    const lt_expression *inner = inner_side(condition);
    const lt_expression *arguments[2];
    lt_expression       *copy;
    leat_error          *err = self->err;
    for (uint32_t i = 0; i < 2; i++) {
        arguments[i] = condition->arguments[i];
        if (arguments[i] == inner) LT_TRY(lt_column_new(self->binder, column, inner->type, &arguments[i], err));
    }
    LT_TRY(
        lt_expression_new(self->binder, condition->kind, condition->type, arguments, 2, &condition->place, &copy, err));
    copy->function  = condition->function;
    copy->constants = condition->constants;
    *out            = copy;
    return LEAT_OK;
}

static leat_status filter_pull(pull *self, const lt_plan *plan, const lt_plan **out, lt_expression_list *conditions) {
    leat_error          *err   = self->err;
    lt_expression_list   terms = {0};
    lt_expression_list   kept  = {0};
    const lt_expression *rest;
    LT_TRY(node_pull(self, plan->inputs[0], out, conditions));
    if (!self->is_possible) return LEAT_OK;
    LT_TRY(lt_conjuncts(self->binder, plan->as.filter.predicate, &terms, err));
    for (uint32_t i = 0; i < terms.count; i++) {
        lt_expression_list *into = lt_expression_has_slot(terms.items[i], LT_SLOT_OUTER) ? conditions : &kept;
        LT_LIST_ADD(self->binder->arena, into, terms.items[i], err);
    }
    LT_TRY(lt_and(self->binder, kept.items, kept.count, &rest, err));
    return lt_plan_filter(self->binder, *out, rest, out, err);
}

// Makes sure that each input column which a condition uses is among the outputs; rewrites the condition to them.
static leat_status hand_up(pull *self, const lt_plan *input, lt_expression_list *outputs,
                           const lt_expression **condition) {
    leat_error           *err = self->err;
    const lt_expression **map;
    LT_TRY_NEW_ARRAY(map, self->binder->arena, input->column_count, err);
    for (uint32_t c = 0; c < input->column_count; c++) {
        if (!lt_expression_uses_column(*condition, c)) continue;
        uint32_t at = 0;
        while (at < outputs->count &&
               !(outputs->items[at]->kind == LT_EXPRESSION_COLUMN && outputs->items[at]->column == c))
            at++;
        if (at == outputs->count) {
            const lt_expression *column;
            LT_TRY(lt_column_new(self->binder, c, input->columns[c].type, &column, err));
            LT_LIST_ADD(self->binder->arena, outputs, column, err);
        }
        LT_TRY(lt_column_new(self->binder, at, input->columns[c].type, &map[c], err));
    }
    *condition = lt_expression_substitute(self->binder->arena, *condition, map, input->column_count);
    return *condition == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status project_pull(pull *self, const lt_plan *plan, const lt_plan **out, lt_expression_list *conditions) {
    leat_error        *err     = self->err;
    lt_expression_list outputs = {0};
    const lt_plan     *input;
    const char       **names;
    if (lt_plan_node_has_outer(plan)) {
        self->is_possible = false;
        return LEAT_OK;
    }
    LT_TRY(node_pull(self, plan->inputs[0], &input, conditions));
    if (!self->is_possible) return LEAT_OK;
    for (uint32_t i = 0; i < plan->column_count; i++)
        LT_LIST_ADD(self->binder->arena, &outputs, plan->as.project.expressions[i], err);
    for (uint32_t i = 0; i < conditions->count; i++) LT_TRY(hand_up(self, input, &outputs, &conditions->items[i]));
    LT_TRY_NEW_ARRAY(names, self->binder->arena, outputs.count, err);
    for (uint32_t i = 0; i < plan->column_count; i++) names[i] = plan->columns[i].name;
    return lt_plan_project(self->binder, input, outputs.items, names, outputs.count, out, err);
}

static leat_status aggregate_pull(pull *self, const lt_plan *plan, const lt_plan **out,
                                  lt_expression_list *conditions) {
    leat_error           *err   = self->err;
    const uint32_t        keys  = plan->as.aggregate.key_count;
    const uint32_t        calls = plan->as.aggregate.call_count;
    const lt_plan        *input;
    const lt_expression **all_keys;
    const lt_expression **columns;
    lt_plan              *copy;
    lt_plan_column       *out_columns;
    const lt_plan       **inputs;
    const bool            is_refused = keys == 0 && !self->is_global; // it gives a row for no rows
    self->is_global                  = false;
    if (is_refused || lt_plan_node_has_outer(plan)) {
        self->is_possible = false;
        return LEAT_OK;
    }
    LT_TRY(node_pull(self, plan->inputs[0], &input, conditions));
    if (!all_equalities(conditions)) self->is_possible = false;
    if (!self->is_possible) return LEAT_OK;
    const uint32_t more = conditions->count;
    LT_TRY_NEW_ARRAY(all_keys, self->binder->arena, keys + more, err);
    LT_TRY_NEW_ARRAY(out_columns, self->binder->arena, keys + more + calls, err);
    LT_TRY_NEW_ARRAY(columns, self->binder->arena, keys + more + calls, err);
    LT_TRY_NEW_ARRAY(inputs, self->binder->arena, 1, err);
    for (uint32_t i = 0; i < keys; i++) all_keys[i] = plan->as.aggregate.keys[i];
    for (uint32_t i = 0; i < more; i++) all_keys[keys + i] = inner_side(conditions->items[i]);
    for (uint32_t i = 0; i < keys + more; i++) out_columns[i] = lt_plan_column_of(input, all_keys[i], NULL);
    for (uint32_t i = 0; i < keys; i++) out_columns[i].name = plan->columns[i].name;
    memcpy(out_columns + keys + more, plan->columns + keys, calls * sizeof *out_columns);
    LT_TRY_NEW(copy, self->binder->arena, err);
    *copy                        = *plan;
    inputs[0]                    = input;
    copy->inputs                 = inputs;
    copy->columns                = out_columns;
    copy->column_count           = keys + more + calls;
    copy->as.aggregate.keys      = all_keys;
    copy->as.aggregate.key_count = keys + more;
    // [keys][more][calls] -> [keys][calls][more]
    for (uint32_t i = 0; i < keys + more + calls; i++) {
        const uint32_t from = i < keys ? i : i < keys + calls ? i + more : i - calls;
        LT_TRY(lt_column_new(self->binder, from, out_columns[from].type, &columns[i], err));
    }
    for (uint32_t i = 0; i < more; i++)
        LT_TRY(with_inner(self, conditions->items[i], keys + calls + i, &conditions->items[i]));
    return lt_plan_project(self->binder, copy, columns, NULL, keys + more + calls, out, err);
}

static leat_status join_pull(pull *self, const lt_plan *plan, const lt_plan **out, lt_expression_list *conditions) {
    lt_binder            *binder    = self->binder;
    leat_error           *err       = self->err;
    const lt_join_type    type      = plan->as.join.type;
    const uint32_t        left_n    = plan->inputs[0]->column_count;
    const bool            has_right = plan->column_count > left_n;
    const uint32_t        right_n   = plan->inputs[1]->column_count;
    const lt_plan        *left;
    const lt_plan        *right    = plan->inputs[1];
    lt_expression_list    of_right = {0};
    lt_plan              *join;
    const lt_expression **map;
    if (lt_plan_node_has_outer(plan) || type == LT_JOIN_RIGHT || type == LT_JOIN_FULL || type == LT_JOIN_SINGLE ||
        (type != LT_JOIN_INNER && lt_plan_has_outer(plan->inputs[1]))) {
        self->is_possible = false;
        return LEAT_OK;
    }
    LT_TRY(node_pull(self, plan->inputs[0], &left, conditions));
    if (self->is_possible && type == LT_JOIN_INNER) LT_TRY(node_pull(self, plan->inputs[1], &right, &of_right));
    if (!self->is_possible) return LEAT_OK;
    const uint32_t left_more = left->column_count - left_n;
    LT_TRY(lt_plan_join(binder, type, left, right, &join, err));
    const lt_plan *const *inputs  = join->inputs;
    const lt_plan_column *columns = join->columns;
    join->as                      = plan->as;
    join->inputs                  = inputs;
    join->columns                 = columns;
    LT_TRY_NEW_ARRAY(map, binder->arena, left_n + right_n, err);
    for (uint32_t i = 0; i < right_n; i++)
        LT_TRY(lt_column_new(binder, left->column_count + i, plan->inputs[1]->columns[i].type, &map[left_n + i], err));
    if (plan->as.join.residual != NULL) {
        join->as.join.residual = lt_expression_substitute(binder->arena, plan->as.join.residual, map, left_n + right_n);
        if (join->as.join.residual == NULL) return lt_raise_no_memory(err);
    }
    *out = join;
    if (!has_right && left_more == 0) return LEAT_OK;
    // [left][left's more][right][right's more] -> [left][right][left's more][right's more]
    const uint32_t        right_given = type == LT_JOIN_MARK ? 1 : has_right ? right_n : 0;
    const uint32_t        right_more  = has_right && type != LT_JOIN_MARK ? right->column_count - right_n : 0;
    const uint32_t        total       = left_n + right_given + left_more + right_more;
    const lt_expression **order;
    const lt_expression **left_map;
    const lt_expression **right_map;
    LT_TRY_NEW_ARRAY(order, binder->arena, total, err);
    LT_TRY_NEW_ARRAY(left_map, binder->arena, left->column_count, err);
    LT_TRY_NEW_ARRAY(right_map, binder->arena, right->column_count, err);
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t from = i < left_n                             ? i
                              : i < left_n + right_given             ? i + left_more
                              : i < left_n + right_given + left_more ? i - right_given
                                                                     : i;
        LT_TRY(lt_column_new(binder, from, join->columns[from].type, &order[i], err));
        if (from < left->column_count)
            LT_TRY(lt_column_new(binder, i, join->columns[from].type, &left_map[from], err));
        else if (type == LT_JOIN_INNER)
            LT_TRY(lt_column_new(binder, i, join->columns[from].type, &right_map[from - left->column_count], err));
    }
    for (uint32_t i = 0; i < conditions->count; i++) {
        conditions->items[i] =
            lt_expression_substitute(binder->arena, conditions->items[i], left_map, left->column_count);
        if (conditions->items[i] == NULL) return lt_raise_no_memory(err);
    }
    for (uint32_t i = 0; i < of_right.count; i++) {
        const lt_expression *moved =
            lt_expression_substitute(binder->arena, of_right.items[i], right_map, right->column_count);
        if (moved == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(binder->arena, conditions, moved, err);
    }
    return lt_plan_project(binder, join, order, NULL, total, out, err);
}

static leat_status node_pull(pull *self, const lt_plan *plan, const lt_plan **out, lt_expression_list *conditions) {
    lt_plan *copy;
    *out = plan;
    if (!self->is_possible || !lt_plan_has_outer(plan)) return LEAT_OK;
    switch (plan->kind) {
    case LT_PLAN_FILTER:
        return filter_pull(self, plan, out, conditions);
    case LT_PLAN_PROJECT:
        return project_pull(self, plan, out, conditions);
    case LT_PLAN_AGGREGATE:
        return aggregate_pull(self, plan, out, conditions);
    case LT_PLAN_JOIN:
        return join_pull(self, plan, out, conditions);
    case LT_PLAN_SORT: // order does not matter to the join above, unless a LIMIT stands between
        if (lt_plan_node_has_outer(plan)) break;
        return node_pull(self, plan->inputs[0], out, conditions);
    case LT_PLAN_LIMIT:
        if (!self->keeps_rows || plan->as.limit.limit == 0 || plan->as.limit.offset > 0) break;
        return node_pull(self, plan->inputs[0], out, conditions);
    case LT_PLAN_DISTINCT:
        LT_TRY(node_pull(self, plan->inputs[0], out, conditions));
        if (!self->is_possible || (!self->keeps_rows && !all_equalities(conditions))) break;
        LT_TRY(lt_plan_over(self->binder, LT_PLAN_DISTINCT, *out, &copy, self->err));
        *out = copy;
        return LEAT_OK;
    default:
        break;
    }
    self->is_possible = false;
    return LEAT_OK;
}

leat_status lt_pull_up_conditions(lt_binder *binder, const lt_plan *inner, bool keeps_rows, bool is_global,
                                  lt_pull_up *out, leat_error *err) {
    pull self = {.binder = binder, .keeps_rows = keeps_rows, .is_global = is_global, .is_possible = true, .err = err};
    *out      = (lt_pull_up){0};
    LT_TRY(node_pull(&self, inner, &out->plan, &out->conditions));
    out->is_possible = self.is_possible;
    return LEAT_OK;
}

// ---- values over a global aggregate
// -------------------------------------------------------------------------------------------

enum { BITMAP_BYTES = 4096 };

// Aggregates that are not NULL over no rows.
static const char *const counts[] = {"count", "count_if", "approx_count_distinct", "regr_count"};
static const char *const lists[]  = {"collect_list", "collect_set", "array_agg", "approx_top_k"};

// Bitmaps of no rows: no bit, or all of them.
static leat_status bitmap_over_nothing(lt_binder *binder, const lt_aggregate_call *call, const lt_expression **out,
                                       leat_error *err) {
    static const char *const names[] = {"bitmap_construct_agg", "bitmap_or_agg", "bitmap_and_agg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(call->aggregate->name, names[i]) != 0) continue;
        char            *bits = lt_arena_alloc(binder->arena, BITMAP_BYTES);
        const lt_vector *value;
        if (bits == NULL) return lt_raise_no_memory(err);
        memset(bits, i == 2 ? 0xff : 0, BITMAP_BYTES);
        LT_TRY(lt_constant_text(binder->arena, LT_BINARY, bits, BITMAP_BYTES, &value, err));
        *out = lt_expression_literal(binder->arena, value, NULL);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    return LEAT_OK;
}

leat_status lt_aggregate_over_nothing(lt_binder *binder, const lt_aggregate_call *call, const lt_expression **out,
                                      leat_error *err) {
    *out = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(call->aggregate->name, counts[i]) == 0)
            return lt_literal_int64(binder, call->type->kind, 0, out, err);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(call->aggregate->name, lists[i]) != 0) continue;
        lt_vector *empty;
        LT_TRY_NEW(empty, binder->arena, err);
        LT_TRY(lt_vector_init_constant_null(empty, call->type, binder->arena, err));
        LT_LANES(empty, lt_list)[0] = (lt_list){0};
        lt_vector_set_valid(empty, 0);
        *out = lt_expression_literal(binder->arena, empty, NULL);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    return bitmap_over_nothing(binder, call, out, err);
}

leat_status lt_scalar_aggregate_peel(lt_binder *binder, const lt_plan *plan, lt_scalar_aggregate *out,
                                     leat_error *err) {
    const lt_expression *value = NULL;
    *out                       = (lt_scalar_aggregate){0};
    LT_TRY(lt_column_new(binder, 0, plan->columns[0].type, &value, err));
    for (;;) {
        if (plan->kind == LT_PLAN_PROJECT) {
            value = lt_expression_substitute(binder->arena, value, plan->as.project.expressions, plan->column_count);
            if (value == NULL) return lt_raise_no_memory(err);
        } else if (plan->kind != LT_PLAN_SORT &&
                   !(plan->kind == LT_PLAN_LIMIT && plan->as.limit.limit != 0 && plan->as.limit.offset == 0)) {
            break;
        }
        plan = plan->inputs[0];
    }
    if (plan->kind != LT_PLAN_AGGREGATE || plan->as.aggregate.key_count > 0) return LEAT_OK;
    // Conditions that cannot be pulled up need the domain, and that keeps the empty groups by itself.
    lt_pull_up pulled;
    LT_TRY(lt_pull_up_conditions(binder, plan, false, true, &pulled, err));
    if (!pulled.is_possible) return LEAT_OK;
    out->plan       = plan;
    out->value      = value;
    out->call_count = plan->as.aggregate.call_count;
    LT_TRY_NEW_ARRAY(out->over_nothing, binder->arena, out->call_count, err);
    for (uint32_t i = 0; i < out->call_count; i++)
        LT_TRY(lt_aggregate_over_nothing(binder, &plan->as.aggregate.calls[i], &out->over_nothing[i], err));
    out->is_possible = true;
    return LEAT_OK;
}
