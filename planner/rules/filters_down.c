#include "planner/rules/rules.h"

// Conditions on their way down. `push` takes a node and terms over its columns and gives the node's rows that pass all
// terms. Terms that cannot go below the node stay in a Filter above it. A term that can raise goes only to where it
// sees the rows that it would have seen anyway: it may pass a Project, not a join.

typedef struct push {
    lt_binder  *binder;
    leat_error *err;
} push;

enum { INLINED_SIZE_MAX = 64 }; // of a term whose columns are replaced by what a Project computes

static leat_status node_push(push *self, const lt_plan *node, const lt_expression_list *terms, const lt_plan **out);

static leat_status filter_over(push *self, const lt_plan *input, const lt_expression_list *terms, const lt_plan **out) {
    const lt_expression *predicate;
    LT_TRY(lt_and(self->binder, terms->items, terms->count, &predicate, self->err));
    return lt_plan_filter(self->binder, input, predicate, out, self->err);
}

// ---- one input ------------------------------------------------------------------------------------------------------

// How the columns of a node come from its input's.
typedef struct passage {
    bool                 *passes; // column c is a column, or expression, of the input
    const lt_expression **map;    // that expression; NULL: column c itself
    bool                  keeps_rows;
} passage;

typedef struct use {
    const passage *way;
    uint32_t       columns;
    bool           passes;
} use;

static bool note_use(void *user, const lt_expression *node) {
    use *self = user;
    if (node->kind != LT_EXPRESSION_COLUMN) return true;
    self->columns++;
    self->passes = self->passes && self->way->passes[node->column];
    return true;
}

static bool is_same_column(const lt_plan *expand, uint32_t c) {
    const lt_expression *const *all   = expand->as.expand.projections;
    const lt_expression        *first = all[c];
    if (first->kind != LT_EXPRESSION_COLUMN) return false;
    for (uint32_t p = 1; p < expand->as.expand.projection_count; p++) {
        const lt_expression *other = all[(size_t)p * expand->column_count + c];
        if (other->kind != LT_EXPRESSION_COLUMN || other->column != first->column) return false;
    }
    return true;
}

static bool is_partition_column(const lt_plan *window, uint32_t c) {
    for (uint32_t i = 0; i < window->as.window.partition_count; i++)
        if (window->as.window.partition[i]->kind == LT_EXPRESSION_COLUMN && window->as.window.partition[i]->column == c)
            return true;
    return false;
}

// One case per kind of node with one input that lets conditions through.
static void passage_of(const lt_plan *node, passage *way) {
    const uint32_t below = node->inputs[0]->column_count;
    way->keeps_rows      = true;
    for (uint32_t c = 0; c < node->column_count; c++) switch (node->kind) {
        case LT_PLAN_PROJECT:
            way->map[c]    = node->as.project.expressions[c];
            way->passes[c] = lt_expression_is_deterministic(way->map[c]);
            break;
        case LT_PLAN_AGGREGATE:
            if (c >= node->as.aggregate.key_count || (int32_t)c == node->as.aggregate.session_key) break;
            way->map[c]    = node->as.aggregate.keys[c];
            way->passes[c] = lt_expression_is_deterministic(way->map[c]);
            break;
        case LT_PLAN_WINDOW:
            way->passes[c] = c < below && is_partition_column(node, c);
            break;
        case LT_PLAN_SORT:
        case LT_PLAN_DISTINCT:
            way->passes[c] = true;
            break;
        case LT_PLAN_GENERATE:
        case LT_PLAN_ASSIGN_WINDOW:
            way->keeps_rows = false;
            way->passes[c]  = c < below;
            break;
        case LT_PLAN_EXPAND:
            way->keeps_rows = node->as.expand.keep == NULL;
            way->passes[c]  = is_same_column(node, c);
            if (way->passes[c]) way->map[c] = node->as.expand.projections[c];
            break;
        default:
            break;
        }
}

static uint32_t inlined_size(const lt_expression *term, const passage *way) {
    if (term->kind == LT_EXPRESSION_COLUMN)
        return way->map[term->column] == NULL ? 1 : lt_expression_size(way->map[term->column]);
    uint32_t size = 1;
    for (uint32_t i = 0; i < term->argument_count && size <= INLINED_SIZE_MAX; i++)
        size += inlined_size(term->arguments[i], way);
    return size;
}

static bool can_pass(const lt_expression *term, const passage *way) {
    use found = {.way = way, .passes = true};
    lt_expression_walk(term, note_use, &found);
    return found.passes && found.columns > 0 && (way->keeps_rows || !lt_expression_can_fail(term)) &&
           (inlined_size(term, way) <= INLINED_SIZE_MAX || lt_expression_size(term) > INLINED_SIZE_MAX);
}

static leat_status unary_push(push *self, const lt_plan *node, const lt_expression_list *terms, const lt_plan **out) {
    leat_error        *err   = self->err;
    lt_arena          *arena = self->binder->arena;
    lt_expression_list below = {0}, above = {0};
    passage            way = {0};
    const lt_plan     *input;
    LT_TRY_NEW_ARRAY(way.passes, arena, node->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(way.map, arena, node->column_count + 1u, err);
    if (terms->count > 0) passage_of(node, &way);
    for (uint32_t i = 0; i < terms->count; i++) {
        const lt_expression *term = terms->items[i];
        if (!can_pass(term, &way)) {
            LT_LIST_ADD(arena, &above, term, err);
            continue;
        }
        term = lt_expression_substitute(arena, term, way.map, node->column_count);
        if (term == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(arena, &below, term, err);
    }
    LT_TRY(node_push(self, node->inputs[0], &below, &input));
    if (input != node->inputs[0]) LT_TRY(lt_plan_with_inputs(self->binder, node, &input, &node, err));
    return filter_over(self, node, &above, out);
}

// A Filter joins its terms, in front, to those from above. Terms stay on their side of a nondeterministic one.
static leat_status filter_push(push *self, const lt_plan *node, const lt_expression_list *terms, const lt_plan **out) {
    leat_error        *err  = self->err;
    lt_expression_list all  = {0};
    lt_expression_list none = {0};
    const lt_plan     *input;
    if (!lt_expression_is_deterministic(node->as.filter.predicate)) {
        LT_TRY(node_push(self, node->inputs[0], &none, &input));
        if (input != node->inputs[0]) LT_TRY(lt_plan_with_inputs(self->binder, node, &input, &node, err));
        return filter_over(self, node, terms, out);
    }
    LT_TRY(lt_conjuncts(self->binder, node->as.filter.predicate, &all, err));
    for (uint32_t i = 0; i < terms->count; i++) LT_LIST_ADD(self->binder->arena, &all, terms->items[i], err);
    return node_push(self, node->inputs[0], &all, out);
}

// ---- joins ----------------------------------------------------------------------------------------------------------

typedef enum side { SIDE_NONE = 0, SIDE_LEFT = 1, SIDE_RIGHT = 2, SIDE_BOTH = 3, SIDE_MARK = 4 } side;

typedef struct sides {
    uint32_t left_count, right_end;
    int      found;
} sides;

static bool note_side(void *user, const lt_expression *node) {
    sides *self = user;
    if (node->kind == LT_EXPRESSION_COLUMN)
        self->found |= node->column < self->left_count  ? SIDE_LEFT
                       : node->column < self->right_end ? SIDE_RIGHT
                                                        : SIDE_MARK;
    return true;
}

static int side_of(const lt_plan *join, const lt_expression *term, bool is_above) {
    const bool has_right = !is_above || join->column_count > join->inputs[0]->column_count;
    const bool is_mark   = is_above && join->as.join.type == LT_JOIN_MARK;
    sides      found     = {.left_count = join->inputs[0]->column_count};
    found.right_end      = found.left_count + (has_right && !is_mark ? join->inputs[1]->column_count : 0);
    lt_expression_walk(term, note_side, &found);
    return found.found;
}

// Where the terms of a join go.
typedef struct join_terms {
    lt_expression_list left, right; // over that input's columns
    lt_expression_list on, above;
} join_terms;

static leat_status to_right(push *self, const lt_plan *join, const lt_expression *term, join_terms *out) {
    leat_error *err = self->err;
    term            = lt_expression_shift(self->binder->arena, term, -(int32_t)join->inputs[0]->column_count);
    if (term == NULL) return lt_raise_no_memory(err);
    LT_LIST_ADD(self->binder->arena, &out->right, term, err);
    return LEAT_OK;
}

// A condition of the join itself: it chooses among the rows of a side that is not padded for its sake.
static leat_status on_term(push *self, const lt_plan *join, const lt_expression *term, join_terms *out) {
    leat_error        *err     = self->err;
    const lt_join_type type    = join->as.join.type;
    const int          where   = side_of(join, term, false);
    const bool         is_safe = !lt_expression_can_fail(term) && lt_expression_is_deterministic(term);
    const bool         to_left = type == LT_JOIN_INNER || type == LT_JOIN_SEMI || type == LT_JOIN_RIGHT;
    const bool         right   = type != LT_JOIN_RIGHT && type != LT_JOIN_FULL;
    if (!join->as.join.is_null_aware && is_safe) {
        if (where == SIDE_RIGHT && right) return to_right(self, join, term, out);
        if ((where == SIDE_LEFT || where == SIDE_NONE) && to_left && type != LT_JOIN_RIGHT) {
            LT_LIST_ADD(self->binder->arena, &out->left, term, err);
            return LEAT_OK;
        }
        if (where == SIDE_LEFT && to_left) {
            LT_LIST_ADD(self->binder->arena, &out->left, term, err);
            return LEAT_OK;
        }
    }
    LT_LIST_ADD(self->binder->arena, &out->on, term, err);
    return LEAT_OK;
}

// A condition above the join.
static leat_status above_term(push *self, const lt_plan *join, const lt_expression *term, join_terms *out) {
    leat_error        *err   = self->err;
    lt_arena          *arena = self->binder->arena;
    const lt_join_type type  = join->as.join.type;
    const int          where = side_of(join, term, true);
    const bool         fails = lt_expression_can_fail(term);
    // every left row is in the output at least once
    const bool keeps_left = type == LT_JOIN_LEFT || type == LT_JOIN_MARK || type == LT_JOIN_SINGLE;
    if (type == LT_JOIN_INNER && !join->as.join.is_null_aware) return on_term(self, join, term, out);
    if (where == SIDE_LEFT && type != LT_JOIN_RIGHT && type != LT_JOIN_FULL && (keeps_left || !fails)) {
        LT_LIST_ADD(arena, &out->left, term, err);
        return LEAT_OK;
    }
    if (where == SIDE_RIGHT && type == LT_JOIN_RIGHT) return to_right(self, join, term, out);
    LT_LIST_ADD(arena, &out->above, term, err);
    return LEAT_OK;
}

static leat_status join_push(push *self, const lt_plan *join, const lt_expression_list *terms, const lt_plan **out) {
    leat_error          *err    = self->err;
    lt_binder           *binder = self->binder;
    lt_expression_list   on     = {0};
    join_terms           to     = {0};
    const lt_plan       *inputs[2];
    const lt_plan       *copy;
    lt_plan             *changed;
    const lt_expression *condition;
    if (join->as.join.residual != NULL) LT_TRY(lt_conjuncts(binder, join->as.join.residual, &on, err));
    for (uint32_t i = 0; i < on.count; i++) LT_TRY(on_term(self, join, on.items[i], &to));
    for (uint32_t i = 0; i < terms->count; i++) LT_TRY(above_term(self, join, terms->items[i], &to));
    LT_TRY(node_push(self, join->inputs[0], &to.left, &inputs[0]));
    LT_TRY(node_push(self, join->inputs[1], &to.right, &inputs[1]));
    LT_TRY(lt_plan_with_inputs(binder, join, inputs, &copy, err));
    LT_TRY_NEW(changed, binder->arena, err);
    *changed                  = *copy;
    changed->as.join.residual = NULL;
    LT_TRY(lt_and(binder, to.on.items, to.on.count, &condition, err));
    if (changed->as.join.is_null_aware)
        changed->as.join.residual = condition; // keys and residual are the comparison of IN: none may change its part
    else
        LT_TRY(lt_join_condition(binder, changed, condition, err));
    return filter_over(self, changed, &to.above, out);
}

// ---- several inputs
// -------------------------------------------------------------------------------------------------

static leat_status union_push(push *self, const lt_plan *node, const lt_expression_list *terms, const lt_plan **out) {
    leat_error        *err   = self->err;
    lt_expression_list below = {0}, above = {0};
    const lt_plan    **inputs;
    const bool         keeps_rows = node->kind == LT_PLAN_UNION_ALL;
    LT_TRY_NEW_ARRAY(inputs, self->binder->arena, node->input_count, err);
    for (uint32_t i = 0; i < terms->count; i++) {
        const bool          goes = keeps_rows || !lt_expression_can_fail(terms->items[i]);
        lt_expression_list *into = goes ? &below : &above;
        LT_LIST_ADD(self->binder->arena, into, terms->items[i], err);
    }
    for (uint32_t i = 0; i < node->input_count; i++) LT_TRY(node_push(self, node->inputs[i], &below, &inputs[i]));
    LT_TRY(lt_plan_with_inputs(self->binder, node, inputs, &node, err));
    return filter_over(self, node, &above, out);
}

static leat_status other_push(push *self, const lt_plan *node, const lt_expression_list *terms, const lt_plan **out) {
    leat_error              *err  = self->err;
    const lt_expression_list none = {0};
    const lt_plan          **inputs;
    LT_TRY_NEW_ARRAY(inputs, self->binder->arena, node->input_count + 1u, err);
    for (uint32_t i = 0; i < node->input_count; i++) LT_TRY(node_push(self, node->inputs[i], &none, &inputs[i]));
    if (node->input_count > 0) LT_TRY(lt_plan_with_inputs(self->binder, node, inputs, &node, err));
    return filter_over(self, node, terms, out);
}

static leat_status node_push(push *self, const lt_plan *node, const lt_expression_list *terms, const lt_plan **out) {
    switch (node->kind) {
    case LT_PLAN_FILTER:
        return filter_push(self, node, terms, out);
    case LT_PLAN_PROJECT:
    case LT_PLAN_AGGREGATE:
    case LT_PLAN_WINDOW:
    case LT_PLAN_SORT:
    case LT_PLAN_DISTINCT:
    case LT_PLAN_GENERATE:
    case LT_PLAN_ASSIGN_WINDOW:
    case LT_PLAN_EXPAND:
        return unary_push(self, node, terms, out);
    case LT_PLAN_JOIN:
        return join_push(self, node, terms, out);
    case LT_PLAN_UNION_ALL:
    case LT_PLAN_SET_OPERATION:
        return union_push(self, node, terms, out);
    default:
        return other_push(self, node, terms, out);
    }
}

leat_status lt_rule_filters_down(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    push                     self = {.binder = binder, .err = err};
    const lt_expression_list none = {0};
    return node_push(&self, plan, &none, out);
}
