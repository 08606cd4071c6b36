#include "planner/rules/estimate.h"
#include "planner/rules/rules.h"

// A cluster of inner joins is a set of inputs and a set of conditions. FROM a, b, c WHERE a.k = c.k AND b.j = c.j read
// from left to right would pair every a with every b; joined as a, c, b each step has a key. The first input stays
// first, then always the first one that a key connects to those before it. Where all steps have keys already, the
// written order stays: it is also the order of the answer's rows.
//
// Over tables whose sizes are known, and of which one is large, the largest comes first, as it is streamed past tables
// made of the others, and then always the one that leaves the fewest rows. A join of l and r rows by a key gives about
// l * r / d, where d is the larger number of different keys that the two tables have (Selinger et al., 1979): numbers of
// rows are those of now, numbers of keys come from a look at some rows. Where an aggregate tells the order of rows
// (first, collect_list), the written order decides: a view and its SELECT are equal.
//
// In a standing query sizes say nothing: its plan must be the same at every start, however many rows there are then. But
// an input of which a condition leaves a few values alone (n_name = 'FRANCE') comes as soon as what its keys lead to has
// come, so that joins behind it keep and look up the rows that it leaves. Not where event times bound what joins keep.

typedef struct cluster {
    const lt_plan    **inputs;
    uint32_t          *firsts; // first column of each input, in the numbering of the written order
    double            *sizes;  // about how many rows; < 0: not known
    uint32_t           count, capacity;
    lt_expression_list conditions; // over the cluster's columns
    double            *keys; // by condition: about how many different values the side with more has; < 0: not known
    uint32_t           column_count, keyless;
} cluster;

enum { LARGE_ROWS = 10000 };

static bool is_part(const lt_plan *node) {
    return node->kind == LT_PLAN_JOIN && node->as.join.type == LT_JOIN_INNER && !node->as.join.is_null_aware &&
           !node->as.join.is_subquery;
}

static uint32_t leaf_count(const lt_plan *node) {
    return is_part(node) ? leaf_count(node->inputs[0]) + leaf_count(node->inputs[1]) : 1;
}

static leat_status condition_add(lt_binder *binder, const lt_expression *condition, uint32_t first, cluster *out,
                                 leat_error *err) {
    condition = lt_expression_shift(binder->arena, condition, (int32_t)first);
    if (condition == NULL) return lt_raise_no_memory(err);
    LT_LIST_ADD(binder->arena, &out->conditions, condition, err);
    return LEAT_OK;
}

static leat_status gather(lt_binder *binder, const lt_plan *node, cluster *out, leat_error *err) {
    const uint32_t first = out->column_count;
    if (!is_part(node)) {
        out->inputs[out->count]   = node;
        out->sizes[out->count]    = lt_estimate_rows(binder, node);
        out->firsts[out->count++] = first;
        out->column_count += node->column_count;
        return LEAT_OK;
    }
    const uint32_t left = node->inputs[0]->column_count;
    LT_TRY(gather(binder, node->inputs[0], out, err));
    LT_TRY(gather(binder, node->inputs[1], out, err));
    out->keyless += node->as.join.key_count == 0;
    for (uint32_t k = 0; k < node->as.join.key_count; k++) {
        const lt_expression *right = lt_expression_shift(binder->arena, node->as.join.right_keys[k], (int32_t)left);
        const lt_expression *equal;
        if (right == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_equality_new(binder, node->as.join.is_null_safe[k] ? "<=>" : "=", node->as.join.left_keys[k], right,
                               &equal, err));
        LT_TRY(condition_add(binder, equal, first, out, err));
    }
    if (node->as.join.residual == NULL) return LEAT_OK;
    lt_expression_list terms = {0};
    LT_TRY(lt_conjuncts(binder, node->as.join.residual, &terms, err));
    for (uint32_t i = 0; i < terms.count; i++) LT_TRY(condition_add(binder, terms.items[i], first, out, err));
    return LEAT_OK;
}

// Which inputs an expression is over, told by flags.
typedef struct inputs_used {
    const cluster *of;
    bool          *flags;
} inputs_used;

static bool note_input(void *user, const lt_expression *node) {
    inputs_used *self = user;
    if (node->kind != LT_EXPRESSION_COLUMN) return true;
    uint32_t i = 0;
    while (i + 1 < self->of->count && self->of->firsts[i + 1] <= node->column) i++;
    self->flags[i] = true;
    return true;
}

// One side of the equality is over joined inputs alone, the other over `next` alone.
static bool connects(const cluster *all, const lt_expression *condition, const bool *is_joined, uint32_t next,
                     bool *flags) {
    if (!lt_is_equality(condition)) return false;
    bool is_old[2] = {true, true}, is_new[2] = {true, true};
    for (uint32_t side = 0; side < 2; side++) {
        bool        is_any = false;
        inputs_used used   = {.of = all, .flags = flags};
        memset(flags, 0, all->count * sizeof *flags);
        lt_expression_walk(condition->arguments[side], note_input, &used);
        for (uint32_t i = 0; i < all->count; i++) {
            if (!flags[i]) continue;
            is_any       = true;
            is_old[side] = is_old[side] && is_joined[i];
            is_new[side] = is_new[side] && i == next;
        }
        if (!is_any) return false;
    }
    return (is_old[0] && is_new[1]) || (is_old[1] && is_new[0]);
}

// Whether sizes decide: all are known, and one is large.
static bool is_by_size(const cluster *all, uint32_t *out_largest) {
    *out_largest = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->sizes[i] < 0) return false;
        if (all->sizes[i] > all->sizes[*out_largest]) *out_largest = i;
    }
    return all->sizes[*out_largest] >= LARGE_ROWS;
}

// About how many different values one side of an equality has; < 0: not known. `column`: of the cluster.
static double distinct_of_side(const lt_binder *binder, const cluster *all, const lt_expression *side) {
    while (side->kind == LT_EXPRESSION_CAST) side = side->arguments[0];
    if (side->kind != LT_EXPRESSION_COLUMN) return -1;
    uint32_t i = 0;
    while (i + 1 < all->count && all->firsts[i + 1] <= side->column) i++;
    lt_expression column = *side;
    column.column -= all->firsts[i];
    return lt_estimate_distinct(binder, all->inputs[i], &column);
}

// Rows of a table without its conditions; < 0: not known.
static double whole_size_of(const lt_binder *binder, const lt_plan *plan) {
    while (plan->kind == LT_PLAN_FILTER || plan->kind == LT_PLAN_PROJECT) plan = plan->inputs[0];
    return lt_estimate_rows(binder, plan);
}

static leat_status keys_count(const lt_binder *binder, cluster *all, leat_error *err) {
    LT_TRY_NEW_ARRAY(all->keys, binder->arena, all->conditions.count + 1u, err);
    for (uint32_t c = 0; c < all->conditions.count; c++) {
        const lt_expression *condition = all->conditions.items[c];
        if (!lt_is_equality(condition)) continue;
        const double a = distinct_of_side(binder, all, condition->arguments[0]),
                     b = distinct_of_side(binder, all, condition->arguments[1]);
        all->keys[c]   = a > b ? a : b;
    }
    return LEAT_OK;
}

typedef struct step_choice {
    double rows; // behind the step
    bool   is_connected;
} step_choice;

// The step that joins input `next` to `rows` rows of those that are joined. Several keys together are at most as many as
// the table has rows.
static step_choice step_of(const lt_binder *binder, const cluster *all, const bool *is_joined, uint32_t next,
                           double rows, bool by_size, bool *flags) {
    step_choice out  = {.rows = rows * all->sizes[next]};
    double      keys = 1, most = whole_size_of(binder, all->inputs[next]);
    for (uint32_t c = 0; c < all->conditions.count; c++) {
        const lt_expression *condition = all->conditions.items[c];
        if (!connects(all, condition, is_joined, next, flags)) continue;
        out.is_connected = true;
        if (!by_size) return out;
        const double more = all->keys[c] < 1 ? all->sizes[next] : all->keys[c];
        keys *= more;
        most = more > most ? more : most;
    }
    if (keys > most) keys = most;
    out.rows /= keys < 1 ? 1 : keys;
    return out;
}

// *out_keyless: steps of the new order that have no key.
static leat_status order_choose(lt_binder *binder, const cluster *all, uint32_t first, bool by_size, uint32_t *chosen,
                                uint32_t *out_keyless, leat_error *err) {
    bool  *is_joined, *flags;
    double rows = all->sizes[first];
    LT_TRY_NEW_ARRAY(is_joined, binder->arena, all->count, err);
    LT_TRY_NEW_ARRAY(flags, binder->arena, all->count, err);
    *out_keyless     = 0;
    chosen[0]        = first;
    is_joined[first] = true;
    for (uint32_t step = 1; step < all->count; step++) {
        uint32_t    next = UINT32_MAX;
        step_choice best = {.rows = 0};
        for (uint32_t i = 0; i < all->count; i++) {
            if (is_joined[i]) continue;
            const step_choice one       = step_of(binder, all, is_joined, i, rows, by_size, flags);
            bool              is_better = next == UINT32_MAX || (one.is_connected && !best.is_connected);
            if (by_size && next != UINT32_MAX && one.is_connected == best.is_connected)
                is_better = one.rows < best.rows || (!(one.rows > best.rows) && all->sizes[i] < all->sizes[next]);
            if (is_better) next = i, best = one;
        }
        *out_keyless += !best.is_connected;
        is_joined[next] = true;
        chosen[step]    = next;
        rows            = best.rows < 1 ? 1 : best.rows;
    }
    return LEAT_OK;
}

// The inputs joined in the chosen order, all conditions above, and the columns as they were.
static leat_status cluster_build(lt_binder *binder, const cluster *all, const uint32_t *chosen, const lt_plan *whole,
                                 const lt_plan **out, leat_error *err) {
    const lt_expression **map, **columns;
    const char          **names;
    uint32_t              width = 0;
    lt_expression_list    terms = {0};
    const lt_expression  *predicate;
    LT_TRY_NEW_ARRAY(map, binder->arena, all->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, binder->arena, all->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, all->column_count + 1u, err);
    for (uint32_t step = 0; step < all->count; step++) {
        const lt_plan *input = all->inputs[chosen[step]];
        for (uint32_t c = 0; c < input->column_count; c++)
            LT_TRY(lt_column_new(binder, width + c, input->columns[c].type, &map[all->firsts[chosen[step]] + c], err));
        width += input->column_count;
        if (step == 0) {
            *out = input;
            continue;
        }
        lt_plan *join;
        LT_TRY(lt_plan_join(binder, LT_JOIN_INNER, *out, input, &join, err));
        join->place = whole->place;
        *out        = join;
    }
    for (uint32_t i = 0; i < all->conditions.count; i++) {
        const lt_expression *term =
            lt_expression_substitute(binder->arena, all->conditions.items[i], map, all->column_count);
        if (term == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(binder->arena, &terms, term, err);
    }
    LT_TRY(lt_and(binder, terms.items, terms.count, &predicate, err));
    LT_TRY(lt_plan_filter(binder, *out, predicate, out, err));
    LT_TRY(lt_rule_filters_down(binder, *out, out, err));
    for (uint32_t c = 0; c < all->column_count; c++) {
        columns[c] = map[c];
        names[c]   = whole->columns[c].name;
    }
    return lt_plan_project(binder, *out, columns, names, all->column_count, out, err);
}

static bool is_written_order(const uint32_t *chosen, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (chosen[i] != i) return false;
    return true;
}

// ---- standing queries

static bool is_constant(const lt_expression *expression) {
    while (expression->kind == LT_EXPRESSION_CAST) expression = expression->arguments[0];
    return expression->kind == LT_EXPRESSION_LITERAL;
}

// Whether the condition leaves a few values of some column alone: it says which.
static bool names_values(const lt_expression *condition) {
    bool is_any = false, is_all = true;
    switch (condition->kind) {
    case LT_EXPRESSION_AND:
    case LT_EXPRESSION_OR:
        for (uint32_t i = 0; i < condition->argument_count; i++) {
            const bool names = names_values(condition->arguments[i]);
            is_any           = is_any || names;
            is_all           = is_all && names;
        }
        return condition->kind == LT_EXPRESSION_AND ? is_any : is_all;
    case LT_EXPRESSION_IN:
        for (uint32_t i = 1; i < condition->argument_count; i++)
            is_all = is_all && is_constant(condition->arguments[i]);
        return is_all && !is_constant(condition->arguments[0]);
    default:
        return lt_is_equality(condition) &&
               is_constant(condition->arguments[0]) != is_constant(condition->arguments[1]);
    }
}

static bool is_narrow(const lt_plan *input) {
    while (input->kind == LT_PLAN_PROJECT) input = input->inputs[0];
    return input->kind == LT_PLAN_FILTER && names_values(input->as.filter.predicate);
}

static bool has_event_times(const cluster *all) {
    for (uint32_t i = 0; i < all->count; i++)
        if (lt_plan_has_event_time(all->inputs[i])) return true;
    return false;
}

// Whether an equality has columns of both inputs.
static bool are_connected(const cluster *all, uint32_t a, uint32_t b, bool *flags) {
    for (uint32_t c = 0; c < all->conditions.count; c++) {
        inputs_used used = {.of = all, .flags = flags};
        if (!lt_is_equality(all->conditions.items[c])) continue;
        memset(flags, 0, all->count * sizeof *flags);
        lt_expression_walk(all->conditions.items[c], note_input, &used);
        if (flags[a] && flags[b]) return true;
    }
    return false;
}

// Narrow inputs move to behind the last one before them that they have an equality with.
static leat_status narrow_first(lt_binder *binder, const cluster *all, uint32_t *chosen, leat_error *err) {
    bool *flags;
    LT_TRY_NEW_ARRAY(flags, binder->arena, all->count, err);
    for (uint32_t step = 2; step < all->count; step++) {
        const uint32_t input = chosen[step];
        uint32_t       at    = step;
        if (!is_narrow(all->inputs[input])) continue;
        while (at > 0 && !are_connected(all, input, chosen[at - 1], flags)) at--;
        if (at == 0) continue; // no key leads to it
        memmove(chosen + at + 1, chosen + at, (step - at) * sizeof *chosen);
        chosen[at] = input;
    }
    return LEAT_OK;
}

// ---- all

static lt_rule_apply visit_sized, visit_written, visit_standing;

static leat_status visit(lt_binder *binder, const lt_plan *plan, lt_rule_apply *again, const lt_plan **out,
                         leat_error *err) {
    *out = plan;
    if (!is_part(plan)) return lt_rule_inputs(binder, again, plan, out, err);
    cluster   all = {.capacity = leaf_count(plan)};
    uint32_t *chosen, keyless, first;
    LT_TRY_NEW_ARRAY(all.inputs, binder->arena, all.capacity, err);
    LT_TRY_NEW_ARRAY(all.firsts, binder->arena, all.capacity, err);
    LT_TRY_NEW_ARRAY(all.sizes, binder->arena, all.capacity, err);
    LT_TRY_NEW_ARRAY(chosen, binder->arena, all.capacity, err);
    LT_TRY(gather(binder, plan, &all, err));
    const bool by_size = again == visit_sized && is_by_size(&all, &first);
    if (by_size) LT_TRY(keys_count(binder, &all, err));
    LT_TRY(order_choose(binder, &all, by_size ? first : 0, by_size, chosen, &keyless, err));
    if (keyless > all.keyless || (keyless == all.keyless && !by_size))
        for (uint32_t i = 0; i < all.count; i++) chosen[i] = i;
    if (again == visit_standing && !has_event_times(&all)) LT_TRY(narrow_first(binder, &all, chosen, err));
    if (is_written_order(chosen, all.count)) return lt_rule_inputs(binder, again, plan, out, err);
    for (uint32_t i = 0; i < all.count; i++) LT_TRY(again(binder, all.inputs[i], &all.inputs[i], err));
    return cluster_build(binder, &all, chosen, plan, out, err);
}

static leat_status visit_sized(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    return visit(binder, plan, visit_sized, out, err);
}
static leat_status visit_written(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    return visit(binder, plan, visit_written, out, err);
}
static leat_status visit_standing(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    return visit(binder, plan, visit_standing, out, err);
}

static bool tells_order(const lt_plan *plan) {
    for (uint32_t i = 0; plan->kind == LT_PLAN_AGGREGATE && i < plan->as.aggregate.call_count; i++)
        if (plan->as.aggregate.calls[i].aggregate->needs_place) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (tells_order(plan->inputs[i])) return true;
    return false;
}

leat_status lt_rule_join_order(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    return visit(binder, plan,
                 tells_order(plan)              ? visit_written
                 : binder->context->is_standing ? visit_standing
                                                : visit_sized,
                 out, err);
}
