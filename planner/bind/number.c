#include "planner/bind/binder.h"

// The finished plan: a tree in which every node, expression, stream scan and watermark is its own and has a number.
// Binding may share parts between places (aliases, the outer side of a sub-query); running may not, as each call has
// state.

enum { PLAN_NODES_MAX = 100000, PLAN_EXPRESSIONS_MAX = 4000000 };

typedef struct numbering {
    lt_binder     *binder;
    lt_query_plan *query;
    leat_error    *err;
} numbering;

static leat_status expression_number(numbering *self, const lt_expression **expression) {
    lt_expression        *copy;
    const lt_expression **arguments;
    if (*expression == NULL) return LEAT_OK;
    if (++self->query->expression_count > PLAN_EXPRESSIONS_MAX)
        return lt_raise(self->err, LT_LIMIT_EXCEEDED, &(*expression)->place, "the plan has too many expressions");
    LT_TRY_NEW(copy, self->binder->arena, self->err);
    *copy    = **expression;
    copy->id = self->query->expression_count - 1;
    if (copy->kind == LT_EXPRESSION_CALL)
        self->query->has_ordered_calls |= copy->function->is_nondeterministic || copy->function->is_host;
    lt_assert(copy->kind != LT_EXPRESSION_SUBQUERY);
    lt_assert(copy->kind != LT_EXPRESSION_COLUMN || copy->column < LT_SLOT_AGGREGATE);
    if (copy->argument_count > 0) {
        LT_TRY_NEW_ARRAY(arguments, self->binder->arena, copy->argument_count, self->err);
        for (uint32_t i = 0; i < copy->argument_count; i++) {
            arguments[i] = copy->arguments[i];
            LT_TRY(expression_number(self, &arguments[i]));
        }
        copy->arguments = arguments;
    }
    *expression = copy;
    return LEAT_OK;
}

static leat_status list_number(numbering *self, const lt_expression *const **list, size_t count) {
    const lt_expression **copy;
    if (count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(copy, self->binder->arena, count, self->err);
    for (size_t i = 0; i < count; i++) {
        copy[i] = (*list)[i];
        LT_TRY(expression_number(self, &copy[i]));
    }
    *list = copy;
    return LEAT_OK;
}

static leat_status keys_number(numbering *self, const lt_sort_key **keys, uint32_t count) {
    lt_sort_key *copy;
    if (count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(copy, self->binder->arena, count, self->err);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = (*keys)[i];
        LT_TRY(expression_number(self, &copy[i].expression));
    }
    *keys = copy;
    return LEAT_OK;
}

static leat_status call_number(numbering *self, lt_aggregate_call *call) {
    LT_TRY(list_number(self, &call->arguments, call->argument_count));
    LT_TRY(expression_number(self, &call->filter));
    return keys_number(self, &call->order, call->order_count);
}

static leat_status aggregate_number(numbering *self, lt_plan *plan) {
    lt_aggregate_call *calls;
    LT_TRY(list_number(self, &plan->as.aggregate.keys, plan->as.aggregate.key_count));
    LT_TRY(expression_number(self, &plan->as.aggregate.session_time));
    LT_TRY(expression_number(self, &plan->as.aggregate.session_gap));
    LT_TRY_NEW_ARRAY(calls, self->binder->arena, plan->as.aggregate.call_count, self->err);
    for (uint32_t i = 0; i < plan->as.aggregate.call_count; i++) {
        calls[i] = plan->as.aggregate.calls[i];
        LT_TRY(call_number(self, &calls[i]));
    }
    plan->as.aggregate.calls = calls;
    return LEAT_OK;
}

static leat_status window_number(numbering *self, lt_plan *plan) {
    lt_window_call *calls;
    LT_TRY(list_number(self, &plan->as.window.partition, plan->as.window.partition_count));
    LT_TRY(keys_number(self, &plan->as.window.order, plan->as.window.order_count));
    LT_TRY_NEW_ARRAY(calls, self->binder->arena, plan->as.window.call_count, self->err);
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        calls[i] = plan->as.window.calls[i];
        LT_TRY(call_number(self, &calls[i].call));
        LT_TRY(expression_number(self, &calls[i].first_offset));
        LT_TRY(expression_number(self, &calls[i].last_offset));
    }
    plan->as.window.calls = calls;
    return LEAT_OK;
}

static leat_status expressions_number(numbering *self, lt_plan *plan) {
    switch (plan->kind) {
    case LT_PLAN_STREAM_SCAN:
        plan->as.scan.source = self->query->source_count++;
        return expression_number(self, &plan->as.scan.folders);
    case LT_PLAN_TABLE_SCAN:
        return expression_number(self, &plan->as.scan.folders);
    case LT_PLAN_VALUES:
        return list_number(self, &plan->as.values.expressions, (size_t)plan->as.values.row_count * plan->column_count);
    case LT_PLAN_FILTER:
        return expression_number(self, &plan->as.filter.predicate);
    case LT_PLAN_PROJECT:
        return list_number(self, &plan->as.project.expressions, plan->column_count);
    case LT_PLAN_AGGREGATE:
        return aggregate_number(self, plan);
    case LT_PLAN_JOIN:
        LT_TRY(list_number(self, &plan->as.join.left_keys, plan->as.join.key_count));
        LT_TRY(list_number(self, &plan->as.join.right_keys, plan->as.join.key_count));
        return expression_number(self, &plan->as.join.residual);
    case LT_PLAN_ASOF_JOIN:
        LT_TRY(list_number(self, &plan->as.asof_join.left_keys, plan->as.asof_join.key_count));
        LT_TRY(list_number(self, &plan->as.asof_join.right_keys, plan->as.asof_join.key_count));
        LT_TRY(expression_number(self, &plan->as.asof_join.left_match));
        return expression_number(self, &plan->as.asof_join.right_match);
    case LT_PLAN_SORT:
        return keys_number(self, &plan->as.sort.keys, plan->as.sort.key_count);
    case LT_PLAN_WINDOW:
        return window_number(self, plan);
    case LT_PLAN_ASSIGN_WINDOW:
        return expression_number(self, &plan->as.assign_window.time);
    case LT_PLAN_GENERATE:
        return list_number(self, &plan->as.generate.arguments, plan->as.generate.argument_count);
    case LT_PLAN_EXPAND:
        LT_TRY(list_number(self, &plan->as.expand.projections,
                           (size_t)plan->as.expand.projection_count * plan->column_count));
        return expression_number(self, &plan->as.expand.keep);
    default:
        return LEAT_OK;
    }
}

static leat_status node_number(numbering *self, const lt_plan **node) {
    lt_plan        *copy;
    const lt_plan **inputs;
    if (self->query->node_count >= PLAN_NODES_MAX)
        return lt_raise(self->err, LT_LIMIT_EXCEEDED, &(*node)->place, "the plan has too many nodes");
    LT_TRY_NEW(copy, self->binder->arena, self->err);
    *copy    = **node;
    copy->id = self->query->node_count++;
    LT_TRY(expressions_number(self, copy));
    if (copy->input_count > 0) {
        LT_TRY_NEW_ARRAY(inputs, self->binder->arena, copy->input_count, self->err);
        for (uint32_t i = 0; i < copy->input_count; i++) {
            inputs[i] = copy->inputs[i];
            LT_TRY(node_number(self, &inputs[i]));
        }
        copy->inputs = inputs;
    }
    *node = copy;
    return LEAT_OK;
}

leat_status lt_plan_number(lt_binder *binder, const lt_plan *root, lt_query_plan *out, leat_error *err) {
    *out           = (lt_query_plan){.root = root, .watermark_count = binder->watermark_next};
    numbering self = {.binder = binder, .query = out, .err = err};
    return node_number(&self, &out->root);
}
