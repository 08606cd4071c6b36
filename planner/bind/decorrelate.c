#include "planner/bind/binder.h"

// A plan that refers to outer rows becomes one that runs for all outer rows at once: its columns, then those of a
// domain of outer rows, which is pushed down until nothing refers to it. Always possible for the operators known here.
// Source: Neumann and Kemper, "Unnesting Arbitrary Queries" (2015).

typedef struct push {
    lt_binder                  *binder;
    const lt_plan              *domain;
    const lt_expression *const *values; // of the outer slots, over the domain's columns; NULL: its columns in order
    uint32_t                    value_count;
    leat_error                 *err;
} push;

static leat_status domain_push(push *self, const lt_plan *plan, const lt_plan **out);

// Outer slots of an expression over `inner` columns become columns behind them.
static leat_status expression_push(push *self, const lt_expression **expression, uint32_t inner_count) {
    lt_binder  *binder = self->binder;
    leat_error *err    = self->err;
    if (*expression == NULL || !lt_expression_has_slot(*expression, LT_SLOT_OUTER)) return LEAT_OK;
    const uint32_t        count = self->domain->column_count;
    const lt_expression **map;
    const uint32_t        slots = self->values == NULL ? count : self->value_count;
    LT_TRY_NEW_ARRAY(map, binder->arena, slots, err);
    for (uint32_t i = 0; i < slots; i++) {
        if (self->values == NULL) {
            LT_TRY(lt_column_new(binder, inner_count + i, self->domain->columns[i].type, &map[i], err));
            continue;
        }
        map[i] = lt_expression_shift(binder->arena, self->values[i], (int32_t)inner_count);
        if (map[i] == NULL) return lt_raise_no_memory(err);
    }
    return lt_slots_replace(binder, *expression, LT_SLOT_OUTER, map, slots, expression, err);
}

static leat_status list_push(push *self, const lt_expression *const **list, size_t count, uint32_t inner_count) {
    leat_error           *err = self->err;
    const lt_expression **copy;
    LT_TRY_NEW_ARRAY(copy, self->binder->arena, count, err);
    for (size_t i = 0; i < count; i++) {
        copy[i] = (*list)[i];
        LT_TRY(expression_push(self, &copy[i], inner_count));
    }
    *list = copy;
    return LEAT_OK;
}

// Appends the domain's columns, which stand at `first` of the input, to a list of expressions.
static leat_status with_domain(push *self, const lt_expression *const *list, uint32_t count, uint32_t first,
                               const lt_expression ***out) {
    leat_error *err = self->err;
    LT_TRY_NEW_ARRAY(*out, self->binder->arena, count + self->domain->column_count, err);
    for (uint32_t i = 0; i < count; i++) (*out)[i] = list[i];
    for (uint32_t i = 0; i < self->domain->column_count; i++)
        LT_TRY(lt_column_new(self->binder, first + i, self->domain->columns[i].type, &(*out)[count + i], err));
    return LEAT_OK;
}

static leat_status columns_new(push *self, const lt_plan *plan, lt_plan *copy) {
    leat_error     *err = self->err;
    lt_plan_column *columns;
    copy->column_count = plan->column_count + self->domain->column_count;
    LT_TRY_NEW_ARRAY(columns, self->binder->arena, copy->column_count, err);
    memcpy(columns, plan->columns, plan->column_count * sizeof *columns);
    memcpy(columns + plan->column_count, self->domain->columns, self->domain->column_count * sizeof *columns);
    copy->columns = columns;
    return LEAT_OK;
}

// A copy of a node with one input: the pushed one.
static leat_status unary_copy(push *self, const lt_plan *plan, lt_plan **out) {
    leat_error     *err = self->err;
    const lt_plan **inputs;
    LT_TRY_NEW(*out, self->binder->arena, err);
    **out = *plan;
    LT_TRY_NEW_ARRAY(inputs, self->binder->arena, 1, err);
    LT_TRY(domain_push(self, plan->inputs[0], &inputs[0]));
    (*out)->inputs = inputs;
    return columns_new(self, plan, *out);
}

static leat_status cross(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_plan *join;
    if (plan->kind == LT_PLAN_VALUES && plan->column_count == 0 && plan->as.values.row_count == 1) {
        *out = self->domain;
        return LEAT_OK;
    }
    LT_TRY(lt_plan_join(self->binder, LT_JOIN_INNER, plan, self->domain, &join, self->err));
    *out = join;
    return LEAT_OK;
}

// Columns of `plan` in the order [first part][rest][middle] -> the middle part moved to the end.
static leat_status middle_to_end(push *self, const lt_plan *plan, uint32_t first, uint32_t middle,
                                 const lt_plan **out) {
    leat_error           *err  = self->err;
    const uint32_t        rest = plan->column_count - first - middle;
    const lt_expression **columns;
    LT_TRY_NEW_ARRAY(columns, self->binder->arena, plan->column_count, err);
    for (uint32_t i = 0; i < plan->column_count; i++) {
        const uint32_t from = i < first ? i : i < first + rest ? i + middle : i - rest;
        LT_TRY(lt_column_new(self->binder, from, plan->columns[from].type, &columns[i], err));
    }
    return lt_plan_project(self->binder, plan, columns, NULL, plan->column_count, out, err);
}

// Operators that append columns to their input: the domain ends up in the middle.
static leat_status appending_push(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_plan       *copy;
    const uint32_t before = plan->inputs[0]->column_count;
    const uint32_t added  = plan->column_count - before;
    leat_error    *err    = self->err;
    LT_TRY(unary_copy(self, plan, &copy));
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, self->binder->arena, copy->column_count, err);
    memcpy(columns, copy->inputs[0]->columns, copy->inputs[0]->column_count * sizeof *columns);
    memcpy(columns + copy->inputs[0]->column_count, plan->columns + before, added * sizeof *columns);
    copy->columns = columns;
    if (plan->kind == LT_PLAN_GENERATE)
        LT_TRY(list_push(self, &copy->as.generate.arguments, copy->as.generate.argument_count, before));
    if (plan->kind == LT_PLAN_ASSIGN_WINDOW) LT_TRY(expression_push(self, &copy->as.assign_window.time, before));
    if (plan->kind == LT_PLAN_WINDOW) {
        const lt_expression **partition;
        LT_TRY(list_push(self, &copy->as.window.partition, copy->as.window.partition_count, before));
        LT_TRY(with_domain(self, copy->as.window.partition, copy->as.window.partition_count, before, &partition));
        copy->as.window.partition = partition;
        copy->as.window.partition_count += self->domain->column_count;
    }
    return middle_to_end(self, copy, before, self->domain->column_count, out);
}

// Every outer row keeps its group of a global aggregate: groups are joined back to the domain.
static leat_status global_aggregate(push *self, const lt_plan *plan, const lt_plan *grouped, const lt_plan **out) {
    lt_binder            *binder = self->binder;
    leat_error           *err    = self->err;
    const uint32_t        domain = self->domain->column_count;
    const uint32_t        calls  = plan->as.aggregate.call_count;
    lt_plan              *join;
    const lt_expression **columns;
    lt_expression_list    terms = {0};
    const lt_expression  *condition;
    LT_TRY(lt_plan_join(binder, LT_JOIN_LEFT, self->domain, grouped, &join, err));
    for (uint32_t i = 0; i < domain; i++) {
        const lt_expression *left;
        const lt_expression *right;
        const lt_expression *equal;
        LT_TRY(lt_column_new(binder, i, self->domain->columns[i].type, &left, err));
        LT_TRY(lt_column_new(binder, domain + i, self->domain->columns[i].type, &right, err));
        LT_TRY(lt_equality_new(binder, "<=>", left, right, &equal, err));
        LT_LIST_ADD(binder->arena, &terms, equal, err);
    }
    LT_TRY(lt_and(binder, terms.items, terms.count, &condition, err));
    LT_TRY(lt_join_condition(binder, join, condition, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, calls + domain, err);
    for (uint32_t i = 0; i < calls; i++) {
        const lt_expression *nothing;
        LT_TRY(lt_column_new(binder, 2 * domain + i, plan->columns[i].type, &columns[i], err));
        LT_TRY(lt_aggregate_over_nothing(binder, &plan->as.aggregate.calls[i], &nothing, err));
        if (nothing == NULL) continue;
        const lt_expression *parts[2] = {columns[i], nothing};
        lt_expression       *whole;
        LT_TRY(lt_expression_new(binder, LT_EXPRESSION_COALESCE, columns[i]->type, parts, 2, NULL, &whole, err));
        columns[i] = whole;
    }
    for (uint32_t i = 0; i < domain; i++)
        LT_TRY(lt_column_new(binder, i, self->domain->columns[i].type, &columns[calls + i], err));
    return lt_plan_project(binder, join, columns, NULL, calls + domain, out, err);
}

static leat_status aggregate_push(push *self, const lt_plan *plan, const lt_plan **out) {
    leat_error           *err    = self->err;
    const uint32_t        domain = self->domain->column_count;
    const uint32_t        keys   = plan->as.aggregate.key_count;
    const uint32_t        calls  = plan->as.aggregate.call_count;
    const uint32_t        before = plan->inputs[0]->column_count;
    const lt_expression **all_keys;
    lt_aggregate_call    *all_calls;
    lt_plan              *copy;
    lt_plan_column       *columns;
    LT_TRY(unary_copy(self, plan, &copy));
    LT_TRY(list_push(self, &copy->as.aggregate.keys, keys, before));
    // domain columns stand in front, so that they are found whatever the keys are
    LT_TRY_NEW_ARRAY(all_keys, self->binder->arena, keys + domain, err);
    for (uint32_t i = 0; i < domain; i++)
        LT_TRY(lt_column_new(self->binder, before + i, self->domain->columns[i].type, &all_keys[i], err));
    for (uint32_t i = 0; i < keys; i++) all_keys[domain + i] = copy->as.aggregate.keys[i];
    LT_TRY_NEW_ARRAY(all_calls, self->binder->arena, calls, err);
    for (uint32_t i = 0; i < calls; i++) {
        all_calls[i] = plan->as.aggregate.calls[i];
        LT_TRY(list_push(self, &all_calls[i].arguments, all_calls[i].argument_count, before));
        LT_TRY(expression_push(self, &all_calls[i].filter, before));
    }
    LT_TRY_NEW_ARRAY(columns, self->binder->arena, domain + keys + calls, err);
    memcpy(columns, self->domain->columns, domain * sizeof *columns);
    memcpy(columns + domain, plan->columns, (keys + calls) * sizeof *columns);
    copy->columns                = columns;
    copy->as.aggregate.keys      = all_keys;
    copy->as.aggregate.key_count = keys + domain;
    copy->as.aggregate.calls     = all_calls;
    if (copy->as.aggregate.event_time_key >= 0) copy->as.aggregate.event_time_key += (int32_t)domain;
    if (copy->as.aggregate.session_key >= 0) copy->as.aggregate.session_key += (int32_t)domain;
    if (keys == 0) return global_aggregate(self, plan, copy, out);
    return middle_to_end(self, copy, 0, domain, out);
}

static leat_status join_push(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_binder         *binder     = self->binder;
    leat_error        *err        = self->err;
    const lt_join_type type       = plan->as.join.type;
    const uint32_t     domain     = self->domain->column_count;
    const uint32_t     left_n     = plan->inputs[0]->column_count;
    const uint32_t     right_n    = plan->inputs[1]->column_count;
    const bool         needs_both = type == LT_JOIN_RIGHT || type == LT_JOIN_FULL || lt_plan_has_outer(plan->inputs[1]);
    const lt_plan     *left;
    const lt_plan     *right = plan->inputs[1];
    lt_plan           *join;
    const uint32_t     keys  = plan->as.join.key_count;
    const uint32_t     extra = needs_both ? domain : 0;
    const lt_expression **left_keys;
    const lt_expression **right_keys;
    bool                 *null_safe;
    LT_TRY(domain_push(self, plan->inputs[0], &left));
    if (needs_both) LT_TRY(domain_push(self, plan->inputs[1], &right));
    LT_TRY(lt_plan_join(binder, type, left, right, &join, err));
    LT_TRY_NEW_ARRAY(left_keys, binder->arena, keys + extra, err);
    LT_TRY_NEW_ARRAY(right_keys, binder->arena, keys + extra, err);
    LT_TRY_NEW_ARRAY(null_safe, binder->arena, keys + extra, err);
    for (uint32_t i = 0; i < extra; i++) {
        null_safe[i] = true;
        LT_TRY(lt_column_new(binder, left_n + i, self->domain->columns[i].type, &left_keys[i], err));
        LT_TRY(lt_column_new(binder, right_n + i, self->domain->columns[i].type, &right_keys[i], err));
    }
    for (uint32_t i = 0; i < keys; i++) {
        left_keys[extra + i]  = plan->as.join.left_keys[i];
        right_keys[extra + i] = plan->as.join.right_keys[i];
        null_safe[extra + i]  = plan->as.join.is_null_safe[i];
        LT_TRY(expression_push(self, &left_keys[extra + i], left_n));
        if (lt_expression_has_slot(right_keys[extra + i], LT_SLOT_OUTER) && !needs_both)
            return lt_raise(err, LT_NOT_SUPPORTED, &plan->place, "this correlation is not supported");
        LT_TRY(expression_push(self, &right_keys[extra + i], right_n));
    }
    join->as.join.left_keys            = left_keys;
    join->as.join.right_keys           = right_keys;
    join->as.join.is_null_safe         = null_safe;
    join->as.join.key_count            = keys + extra;
    join->as.join.is_null_aware        = plan->as.join.is_null_aware;
    join->as.join.correlated_key_count = plan->as.join.correlated_key_count + extra;
    if (plan->as.join.residual != NULL) {
        // left columns, domain, right columns: those of the right move behind the domain
        const lt_expression **map;
        LT_TRY_NEW_ARRAY(map, binder->arena, left_n + right_n, err);
        for (uint32_t i = 0; i < right_n; i++)
            LT_TRY(lt_column_new(binder, left_n + domain + i, plan->inputs[1]->columns[i].type, &map[left_n + i], err));
        join->as.join.residual = lt_expression_substitute(binder->arena, plan->as.join.residual, map, left_n + right_n);
        if (join->as.join.residual == NULL) return lt_raise_no_memory(err);
        LT_TRY(expression_push(self, &join->as.join.residual, left_n));
    }
    if (type == LT_JOIN_SEMI || type == LT_JOIN_ANTI) {
        *out = join;
        return LEAT_OK;
    }
    // [left][domain][right or mark][domain of the right] -> [left][right or mark][domain]
    const bool            from_right = type == LT_JOIN_RIGHT;
    const uint32_t        added      = type == LT_JOIN_MARK ? 1 : right_n;
    const lt_expression **columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, left_n + added + domain, err);
    for (uint32_t i = 0; i < left_n + added + domain; i++) {
        uint32_t from = i < left_n           ? i
                        : i < left_n + added ? i + domain
                        : from_right         ? left_n + domain + right_n + (i - left_n - added)
                                             : left_n + (i - left_n - added);
        LT_TRY(lt_column_new(binder, from, join->columns[from].type, &columns[i], err));
        if (type == LT_JOIN_FULL && i >= left_n + added) {
            const lt_expression *parts[2] = {columns[i], NULL};
            lt_expression       *whole;
            from = left_n + domain + right_n + (i - left_n - added);
            LT_TRY(lt_column_new(binder, from, join->columns[from].type, &parts[1], err));
            LT_TRY(lt_expression_new(binder, LT_EXPRESSION_COALESCE, parts[0]->type, parts, 2, NULL, &whole, err));
            columns[i] = whole;
        }
    }
    return lt_plan_project(binder, join, columns, NULL, left_n + added + domain, out, err);
}

// LIMIT over a Project is the Project over the LIMIT, which then stands right above the Sort that it counts along.
static leat_status limit_below_project(push *self, const lt_plan *limit, const lt_plan **out) {
    leat_error     *err     = self->err;
    const lt_plan  *project = limit->inputs[0];
    lt_plan        *moved, *top;
    const lt_plan **inputs;
    LT_TRY(lt_plan_over(self->binder, LT_PLAN_LIMIT, project->inputs[0], &moved, err));
    moved->as = limit->as;
    LT_TRY_NEW(top, self->binder->arena, err);
    LT_TRY_NEW_ARRAY(inputs, self->binder->arena, 1, err);
    *top        = *project;
    inputs[0]   = moved;
    top->inputs = inputs;
    return domain_push(self, top, out);
}

// LIMIT for each outer row: the rows are numbered within it.
static leat_status limit_push(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_binder     *binder = self->binder;
    leat_error    *err    = self->err;
    const lt_plan *below  = plan->inputs[0];
    if (below->kind == LT_PLAN_PROJECT) return limit_below_project(self, plan, out);
    const lt_plan *input;
    lt_overs       overs = {0};
    lt_over        over  = {0};
    uint32_t      *columns;
    LT_TRY(domain_push(self, below, &input));
    const uint32_t count = input->column_count;
    LT_TRY(lt_row_number_over(binder, &over.call, err));
    if (input->kind == LT_PLAN_SORT) {
        over.order       = input->as.sort.keys;
        over.order_count = input->as.sort.key_count;
    }
    const lt_expression **partition;
    LT_TRY(with_domain(self, NULL, 0, below->column_count, &partition));
    over.partition       = partition;
    over.partition_count = self->domain->column_count;
    LT_LIST_ADD(binder->arena, &overs, over, err);
    LT_TRY(lt_windows_plan(binder, input, &overs, &input, &columns, err));
    const lt_expression *number;
    const lt_expression *bound;
    const lt_expression *term;
    LT_TRY(lt_column_new(binder, columns[0], over.call.call.type, &number, err));
    if (plan->as.limit.limit >= 0) {
        LT_TRY(lt_literal_int64(binder, LT_BIGINT, plan->as.limit.limit + plan->as.limit.offset, &bound, err));
        LT_TRY(lt_equality_new(binder, "<=", number, bound, &term, err));
        LT_TRY(lt_plan_filter(binder, input, term, &input, err));
    }
    if (plan->as.limit.offset > 0) {
        LT_TRY(lt_literal_int64(binder, LT_BIGINT, plan->as.limit.offset, &bound, err));
        LT_TRY(lt_equality_new(binder, ">", number, bound, &term, err));
        LT_TRY(lt_plan_filter(binder, input, term, &input, err));
    }
    return lt_plan_keep(binder, input, count, out, err);
}

static leat_status values_push(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_binder  *binder = self->binder;
    leat_error *err    = self->err;
    *out               = NULL;
    for (uint32_t r = 0; r < plan->as.values.row_count; r++) {
        const lt_expression *const *row = plan->as.values.expressions + (size_t)r * plan->column_count;
        const lt_expression       **columns;
        const lt_plan              *one;
        LT_TRY(list_push(self, &row, plan->column_count, 0));
        LT_TRY(with_domain(self, row, plan->column_count, 0, &columns));
        LT_TRY(lt_plan_project(binder, self->domain, columns, NULL, plan->column_count + self->domain->column_count,
                               &one, err));
        if (*out != NULL) {
            const lt_plan *inputs[2] = {*out, one};
            lt_plan       *both;
            LT_TRY(lt_plan_new(binder, LT_PLAN_UNION_ALL, inputs, 2, 0, NULL, &both, err));
            both->columns      = one->columns;
            both->column_count = one->column_count;
            one                = both;
        }
        *out = one;
    }
    return LEAT_OK;
}

static leat_status project_push(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_plan              *copy;
    const lt_expression **expressions;
    const uint32_t        before = plan->inputs[0]->column_count;
    LT_TRY(unary_copy(self, plan, &copy));
    LT_TRY(list_push(self, &copy->as.project.expressions, plan->column_count, before));
    LT_TRY(with_domain(self, copy->as.project.expressions, plan->column_count, before, &expressions));
    copy->as.project.expressions = expressions;
    *out                         = copy;
    return LEAT_OK;
}

static leat_status expand_push(push *self, const lt_plan *plan, const lt_plan **out) {
    leat_error           *err    = self->err;
    const uint32_t        domain = self->domain->column_count;
    const uint32_t        before = plan->inputs[0]->column_count;
    const uint32_t        width  = plan->column_count + domain;
    const lt_expression **projections;
    lt_plan              *copy;
    LT_TRY(unary_copy(self, plan, &copy));
    LT_TRY_NEW_ARRAY(projections, self->binder->arena, (size_t)width * plan->as.expand.projection_count, err);
    for (uint32_t p = 0; p < plan->as.expand.projection_count; p++)
        for (uint32_t c = 0; c < width; c++) {
            const lt_expression **target = &projections[(size_t)p * width + c];
            if (c >= plan->column_count) {
                const uint32_t at = c - plan->column_count;
                LT_TRY(lt_column_new(self->binder, before + at, self->domain->columns[at].type, target, err));
                continue;
            }
            *target = plan->as.expand.projections[(size_t)p * plan->column_count + c];
            LT_TRY(expression_push(self, target, before));
        }
    copy->as.expand.projections = projections;
    *out                        = copy;
    return LEAT_OK;
}

static leat_status binary_push(push *self, const lt_plan *plan, const lt_plan **out) {
    leat_error    *err = self->err;
    const lt_plan *inputs[2];
    lt_plan       *copy;
    LT_TRY(domain_push(self, plan->inputs[0], &inputs[0]));
    LT_TRY(domain_push(self, plan->inputs[1], &inputs[1]));
    LT_TRY(lt_plan_new(self->binder, plan->kind, inputs, 2, 0, &plan->place, &copy, err));
    copy->as = plan->as;
    LT_TRY(columns_new(self, plan, copy));
    *out = copy;
    return LEAT_OK;
}

static leat_status keys_push(push *self, lt_plan *sort, uint32_t before) {
    leat_error  *err = self->err;
    lt_sort_key *keys;
    LT_TRY_NEW_ARRAY(keys, self->binder->arena, sort->as.sort.key_count, err);
    for (uint32_t i = 0; i < sort->as.sort.key_count; i++) {
        keys[i] = sort->as.sort.keys[i];
        LT_TRY(expression_push(self, &keys[i].expression, before));
    }
    sort->as.sort.keys = keys;
    return LEAT_OK;
}

static leat_status domain_push(push *self, const lt_plan *plan, const lt_plan **out) {
    lt_plan *copy;
    if (!lt_plan_has_outer(plan)) return cross(self, plan, out);
    switch (plan->kind) {
    case LT_PLAN_VALUES:
        return values_push(self, plan, out);
    case LT_PLAN_FILTER:
        LT_TRY(unary_copy(self, plan, &copy));
        *out = copy;
        return expression_push(self, &copy->as.filter.predicate, plan->column_count);
    case LT_PLAN_PROJECT:
        return project_push(self, plan, out);
    case LT_PLAN_SORT:
        LT_TRY(unary_copy(self, plan, &copy));
        *out = copy;
        return keys_push(self, copy, plan->column_count);
    case LT_PLAN_DISTINCT:
        LT_TRY(unary_copy(self, plan, &copy));
        *out = copy;
        return LEAT_OK;
    case LT_PLAN_LIMIT:
        return limit_push(self, plan, out);
    case LT_PLAN_AGGREGATE:
        return aggregate_push(self, plan, out);
    case LT_PLAN_JOIN:
        return join_push(self, plan, out);
    case LT_PLAN_UNION_ALL:
    case LT_PLAN_SET_OPERATION:
        return binary_push(self, plan, out);
    case LT_PLAN_EXPAND:
        return expand_push(self, plan, out);
    case LT_PLAN_GENERATE:
    case LT_PLAN_ASSIGN_WINDOW:
    case LT_PLAN_WINDOW:
        return appending_push(self, plan, out);
    default:
        return lt_raise(self->err, LT_UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY__CORRELATED_REFERENCE, &plan->place,
                        "a correlated sub-query cannot hold %s", lt_plan_kind_name(plan->kind));
    }
}

leat_status lt_decorrelate(lt_binder *binder, const lt_plan *inner, const lt_plan *domain,
                           const lt_expression *const *values, uint32_t value_count, const lt_plan **out,
                           leat_error *err) {
    push self = {.binder = binder, .domain = domain, .values = values, .value_count = value_count, .err = err};
    return domain_push(&self, inner, out);
}

leat_status lt_domain_plan(lt_binder *binder, const lt_plan *left, const lt_expression *const *outer, uint32_t count,
                           const lt_plan **out, leat_error *err) {
    lt_plan *distinct;
    LT_TRY(lt_plan_project(binder, left, outer, NULL, count, out, err));
    LT_TRY(lt_plan_over(binder, LT_PLAN_DISTINCT, *out, &distinct, err));
    *out = distinct;
    return LEAT_OK;
}

// ---- questions
// --------------------------------------------------------------------------------------------------------------

static bool list_has_outer(const lt_expression *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (list[i] != NULL && lt_expression_has_slot(list[i], LT_SLOT_OUTER)) return true;
    return false;
}

static bool keys_have_outer(const lt_sort_key *keys, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (lt_expression_has_slot(keys[i].expression, LT_SLOT_OUTER)) return true;
    return false;
}

static bool call_has_outer(const lt_aggregate_call *call) {
    return list_has_outer(call->arguments, call->argument_count) || list_has_outer(&call->filter, 1) ||
           keys_have_outer(call->order, call->order_count);
}

bool lt_plan_node_has_outer(const lt_plan *plan) {
    switch (plan->kind) {
    case LT_PLAN_VALUES:
        return list_has_outer(plan->as.values.expressions, (size_t)plan->as.values.row_count * plan->column_count);
    case LT_PLAN_FILTER:
        return list_has_outer(&plan->as.filter.predicate, 1);
    case LT_PLAN_PROJECT:
        return list_has_outer(plan->as.project.expressions, plan->column_count);
    case LT_PLAN_AGGREGATE:
        for (uint32_t i = 0; i < plan->as.aggregate.call_count; i++)
            if (call_has_outer(&plan->as.aggregate.calls[i])) return true;
        return list_has_outer(plan->as.aggregate.keys, plan->as.aggregate.key_count);
    case LT_PLAN_JOIN:
        return list_has_outer(plan->as.join.left_keys, plan->as.join.key_count) ||
               list_has_outer(plan->as.join.right_keys, plan->as.join.key_count) ||
               list_has_outer(&plan->as.join.residual, 1);
    case LT_PLAN_ASOF_JOIN:
        return list_has_outer(plan->as.asof_join.left_keys, plan->as.asof_join.key_count) ||
               list_has_outer(plan->as.asof_join.right_keys, plan->as.asof_join.key_count) ||
               list_has_outer(&plan->as.asof_join.left_match, 1) || list_has_outer(&plan->as.asof_join.right_match, 1);
    case LT_PLAN_SORT:
        return keys_have_outer(plan->as.sort.keys, plan->as.sort.key_count);
    case LT_PLAN_WINDOW:
        for (uint32_t i = 0; i < plan->as.window.call_count; i++)
            if (call_has_outer(&plan->as.window.calls[i].call)) return true;
        return list_has_outer(plan->as.window.partition, plan->as.window.partition_count) ||
               keys_have_outer(plan->as.window.order, plan->as.window.order_count);
    case LT_PLAN_ASSIGN_WINDOW:
        return list_has_outer(&plan->as.assign_window.time, 1);
    case LT_PLAN_GENERATE:
        return list_has_outer(plan->as.generate.arguments, plan->as.generate.argument_count);
    case LT_PLAN_EXPAND:
        return list_has_outer(plan->as.expand.projections,
                              (size_t)plan->as.expand.projection_count * plan->column_count);
    default:
        return false;
    }
}

bool lt_plan_has_outer(const lt_plan *plan) {
    if (lt_plan_node_has_outer(plan)) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (lt_plan_has_outer(plan->inputs[i])) return true;
    return false;
}

bool lt_plan_is_row_wise(const lt_plan *plan) {
    switch (plan->kind) {
    case LT_PLAN_VALUES:
        return plan->as.values.row_count == 1;
    case LT_PLAN_FILTER:
    case LT_PLAN_PROJECT:
    case LT_PLAN_GENERATE:
    case LT_PLAN_EXPAND:
        return lt_plan_is_row_wise(plan->inputs[0]);
    default:
        return false;
    }
}
