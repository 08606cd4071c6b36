#include "planner/modes.h"
#include "planner/rules/rules.h"

// What nobody above reads is neither computed nor carried along: a Project loses the expression, and below a join, which
// keeps and gathers what its inputs have, a Project leaves the column out. An expression that is not computed cannot
// fail, as in Spark. Columns that carry event time stay: what is late is told by them. Columns of scans that nobody
// reads are never decoded (planner/needed.c).
//
// Nodes that only pass columns on come out with other numbers for them, and say where each went; below a node that knows
// its input's columns by their places, a Project puts them back, with NULLs for those that are gone.

typedef struct narrowed {
    const lt_plan        *plan;
    const lt_expression **map;   // by column of before: the column now; NULL: gone. NULL: all are where they were
    uint32_t              count; // columns of before
} narrowed;

static leat_status narrow(lt_binder *binder, const lt_plan *node, const bool *needed, narrowed *out, leat_error *err);

static bool note_column(void *user, const lt_expression *node) {
    bool *needed = user;
    if (node->kind == LT_EXPRESSION_COLUMN) needed[node->column] = true;
    return true;
}

// ---- expressions over the columns of now

static leat_status move(const lt_binder *binder, const narrowed *in, const lt_expression **expression,
                        leat_error *err) {
    if (in->map == NULL || *expression == NULL) return LEAT_OK;
    *expression = lt_expression_substitute(binder->arena, *expression, in->map, in->count);
    return *expression == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status move_all(const lt_binder *binder, const narrowed *in, const lt_expression *const **expressions,
                            uint32_t count, leat_error *err) {
    const lt_expression **moved;
    if (in->map == NULL || count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(moved, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        moved[i] = (*expressions)[i];
        LT_TRY(move(binder, in, &moved[i], err));
    }
    *expressions = moved;
    return LEAT_OK;
}

static leat_status move_sort(const lt_binder *binder, const narrowed *in, const lt_sort_key **keys, uint32_t count,
                             leat_error *err) {
    lt_sort_key *moved;
    if (in->map == NULL || count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(moved, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        moved[i] = (*keys)[i];
        LT_TRY(move(binder, in, &moved[i].expression, err));
    }
    *keys = moved;
    return LEAT_OK;
}

static leat_status move_calls(const lt_binder *binder, const narrowed *in, lt_plan *aggregate, leat_error *err) {
    const uint32_t     count = aggregate->as.aggregate.call_count;
    lt_aggregate_call *calls;
    if (in->map == NULL || count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(calls, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = aggregate->as.aggregate.calls[i];
        LT_TRY(move_all(binder, in, &calls[i].arguments, calls[i].argument_count, err));
        LT_TRY(move_sort(binder, in, &calls[i].order, calls[i].order_count, err));
        LT_TRY(move(binder, in, &calls[i].filter, err));
    }
    aggregate->as.aggregate.calls = calls;
    return LEAT_OK;
}

// ---- columns in their places

// With a Project that puts every column back where it was.
static leat_status restore(lt_binder *binder, const lt_plan *before, const narrowed *in, const lt_plan **out,
                           leat_error *err) {
    const lt_expression **columns;
    const char          **names;
    *out = in->plan;
    if (in->map == NULL) return LEAT_OK;
    LT_TRY_NEW_ARRAY(columns, binder->arena, in->count + 1u, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, in->count + 1u, err);
    for (uint32_t c = 0; c < in->count; c++) {
        columns[c] = in->map[c];
        names[c]   = before->columns[c].name;
        if (columns[c] == NULL) LT_TRY(lt_literal_null(binder, before->columns[c].type, &columns[c], err));
    }
    return lt_plan_project(binder, in->plan, columns, names, in->count, out, err);
}

// A map under which the columns [0, count) that `is_kept` names stand close together.
static leat_status map_of(lt_binder *binder, const lt_plan_column *columns, uint32_t count, const bool *is_kept,
                          const lt_expression ***out, leat_error *err) {
    uint32_t next = 0;
    LT_TRY_NEW_ARRAY(*out, binder->arena, count + 1u, err);
    for (uint32_t c = 0; c < count; c++)
        if (is_kept[c]) LT_TRY(lt_column_new(binder, next++, columns[c].type, &(*out)[c], err));
    return LEAT_OK;
}

// Leaves out what a join need not keep: all but the columns of before that `is_kept` names, or one of them if it names
// none.
static leat_status leave_out(lt_binder *binder, const lt_plan *before, const bool *is_kept, narrowed *in,
                             leat_error *err) {
    const lt_expression **columns;
    const char          **names;
    bool                 *stays;
    uint32_t              count = 0;
    LT_TRY_NEW_ARRAY(columns, binder->arena, in->count + 1u, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, in->count + 1u, err);
    LT_TRY_NEW_ARRAY(stays, binder->arena, in->count + 1u, err);
    for (uint32_t c = 0; c < in->count; c++) {
        if (!is_kept[c]) continue;
        columns[count] = in->map != NULL ? in->map[c] : NULL;
        if (columns[count] == NULL) LT_TRY(lt_column_new(binder, c, before->columns[c].type, &columns[count], err));
        names[count++] = before->columns[c].name;
        stays[c]       = true;
    }
    if (count == 0 || count == in->plan->column_count) return LEAT_OK;
    LT_TRY(lt_plan_project(binder, in->plan, columns, names, count, &in->plan, err));
    return map_of(binder, before->columns, in->count, stays, &in->map, err);
}

// ---- nodes

static leat_status inputs_set(const lt_binder *binder, lt_plan *node, const lt_plan *const *inputs, leat_error *err) {
    const lt_plan **own;
    LT_TRY_NEW_ARRAY(own, binder->arena, node->input_count, err);
    memcpy(own, inputs, sizeof *own * node->input_count);
    node->inputs = own;
    return LEAT_OK;
}

static leat_status node_copy(const lt_binder *binder, const lt_plan *node, const lt_plan *input, lt_plan **out,
                             leat_error *err) {
    LT_TRY_NEW(*out, binder->arena, err);
    **out = *node;
    return inputs_set(binder, *out, &input, err);
}

static leat_status project_narrow(lt_binder *binder, const lt_plan *node, const bool *needed, narrowed *out,
                                  leat_error *err) {
    const lt_plan        *input = node->inputs[0];
    const lt_expression **expressions;
    lt_plan_column       *columns;
    lt_plan              *copy;
    narrowed              in;
    bool                 *below, *is_kept;
    uint32_t              count = 0;
    LT_TRY_NEW_ARRAY(below, binder->arena, input->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(is_kept, binder->arena, node->column_count + 1u, err);
    for (uint32_t c = 0; c < node->column_count; c++) {
        is_kept[c] = needed[c] || node->columns[c].has_event_time;
        count += is_kept[c];
    }
    const bool is_bare = count == 0 && node->column_count > 0;
    if (is_bare) {
        is_kept[0] = true; // rows without columns are no rows to some nodes: one of NULLs
        count      = 1;
    }
    for (uint32_t c = 0; c < node->column_count; c++)
        if (is_kept[c] && !is_bare) lt_expression_walk(node->as.project.expressions[c], note_column, below);
    LT_TRY(narrow(binder, input, below, &in, err));
    if (in.plan == input && count == node->column_count && !is_bare) return LEAT_OK;
    LT_TRY_NEW_ARRAY(expressions, binder->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, binder->arena, count + 1u, err);
    LT_TRY(node_copy(binder, node, in.plan, &copy, err));
    copy->column_count = 0;
    for (uint32_t c = 0; c < node->column_count; c++) {
        if (!is_kept[c]) continue;
        expressions[copy->column_count] = node->as.project.expressions[c];
        columns[copy->column_count++]   = node->columns[c];
    }
    if (is_bare) LT_TRY(lt_literal_null(binder, columns[0].type, &expressions[0], err));
    copy->columns                = columns;
    copy->as.project.expressions = expressions;
    LT_TRY(move_all(binder, &in, &copy->as.project.expressions, count, err));
    out->plan = copy;
    return count == node->column_count ? LEAT_OK
                                       : map_of(binder, node->columns, node->column_count, is_kept, &out->map, err);
}

static leat_status join_narrow(lt_binder *binder, const lt_plan *node, const bool *needed, narrowed *out,
                               leat_error *err) {
    const lt_join_type    type      = node->as.join.type;
    const bool            has_right = type != LT_JOIN_SEMI && type != LT_JOIN_ANTI && type != LT_JOIN_MARK;
    narrowed              sides[2], both;
    const lt_plan        *inputs[2];
    const lt_plan_column *columns = node->columns;
    const uint32_t        left = node->inputs[0]->column_count, right = node->inputs[1]->column_count;
    for (uint32_t i = 0; i < 2; i++) {
        const lt_plan *input = node->inputs[i];
        bool          *below;
        LT_TRY(lt_plan_input_needs(binder->arena, node, needed, i, &below, err));
        for (uint32_t c = 0; c < input->column_count; c++) below[c] |= input->columns[c].has_event_time;
        LT_TRY(narrow(binder, input, below, &sides[i], err));
        LT_TRY(leave_out(binder, input, below, &sides[i], err));
        inputs[i] = sides[i].plan;
    }
    if (inputs[0] == node->inputs[0] && inputs[1] == node->inputs[1]) return LEAT_OK;
    const uint32_t  now = inputs[0]->column_count, more = has_right ? inputs[1]->column_count : type == LT_JOIN_MARK;
    lt_plan_column *kept;
    lt_plan        *copy;
    both = (narrowed){.count = left + right};
    LT_TRY_NEW_ARRAY(both.map, binder->arena, left + right + 1u, err);
    LT_TRY_NEW_ARRAY(kept, binder->arena, now + more + 1u, err);
    for (uint32_t c = 0; c < left + right; c++) {
        const narrowed *side = &sides[c >= left];
        const uint32_t  from = c < left ? c : c - left;
        if (side->map != NULL && side->map[from] == NULL) continue;
        const uint32_t to = (c < left ? 0 : now) + (side->map != NULL ? side->map[from]->column : from);
        LT_TRY(lt_column_new(binder, to, node->inputs[c >= left]->columns[from].type, &both.map[c], err));
        if (c < left || has_right) kept[to] = columns[c];
    }
    if (type == LT_JOIN_MARK) kept[now] = columns[left];
    LT_TRY_NEW(copy, binder->arena, err);
    *copy              = *node;
    copy->columns      = kept;
    copy->column_count = now + more;
    LT_TRY(inputs_set(binder, copy, inputs, err));
    LT_TRY(move_all(binder, &sides[0], &copy->as.join.left_keys, copy->as.join.key_count, err));
    LT_TRY(move_all(binder, &sides[1], &copy->as.join.right_keys, copy->as.join.key_count, err));
    LT_TRY(move(binder, &both, &copy->as.join.residual, err));
    out->plan = copy;
    if (copy->column_count == node->column_count) return LEAT_OK;
    out->map = both.map;
    if (type == LT_JOIN_MARK) LT_TRY(lt_column_new(binder, now, columns[left].type, &out->map[left], err));
    return LEAT_OK;
}

// Filter, Sort and Limit: the columns of their input.
static leat_status pass_narrow(lt_binder *binder, const lt_plan *node, const bool *below, narrowed *out,
                               leat_error *err) {
    narrowed in;
    lt_plan *copy;
    LT_TRY(narrow(binder, node->inputs[0], below, &in, err));
    if (in.plan == node->inputs[0]) return LEAT_OK;
    LT_TRY(node_copy(binder, node, in.plan, &copy, err));
    copy->columns      = in.plan->columns;
    copy->column_count = in.plan->column_count;
    if (node->kind == LT_PLAN_FILTER) LT_TRY(move(binder, &in, &copy->as.filter.predicate, err));
    if (node->kind == LT_PLAN_SORT) LT_TRY(move_sort(binder, &in, &copy->as.sort.keys, copy->as.sort.key_count, err));
    out->plan = copy;
    out->map  = in.map;
    return LEAT_OK;
}

static leat_status aggregate_narrow(lt_binder *binder, const lt_plan *node, const bool *below, narrowed *out,
                                    leat_error *err) {
    narrowed in;
    lt_plan *copy;
    LT_TRY(narrow(binder, node->inputs[0], below, &in, err));
    if (in.plan == node->inputs[0]) return LEAT_OK;
    LT_TRY(node_copy(binder, node, in.plan, &copy, err));
    LT_TRY(move_all(binder, &in, &copy->as.aggregate.keys, copy->as.aggregate.key_count, err));
    LT_TRY(move_calls(binder, &in, copy, err));
    LT_TRY(move(binder, &in, &copy->as.aggregate.session_time, err));
    LT_TRY(move(binder, &in, &copy->as.aggregate.session_gap, err));
    out->plan = copy;
    return LEAT_OK;
}

static leat_status others_narrow(lt_binder *binder, const lt_plan *node, const bool *needed, narrowed *out,
                                 leat_error *err) {
    const lt_plan **inputs;
    bool            is_changed = false;
    LT_TRY_NEW_ARRAY(inputs, binder->arena, node->input_count + 1u, err);
    for (uint32_t i = 0; i < node->input_count; i++) {
        narrowed in;
        bool    *below;
        LT_TRY(lt_plan_input_needs(binder->arena, node, needed, i, &below, err));
        LT_TRY(narrow(binder, node->inputs[i], below, &in, err));
        LT_TRY(restore(binder, node->inputs[i], &in, &inputs[i], err));
        is_changed |= inputs[i] != node->inputs[i];
    }
    return is_changed ? lt_plan_with_inputs(binder, node, inputs, &out->plan, err) : LEAT_OK;
}

static leat_status narrow(lt_binder *binder, const lt_plan *node, const bool *needed, narrowed *out, leat_error *err) {
    bool *below;
    *out = (narrowed){.plan = node, .count = node->column_count};
    switch (node->kind) {
    case LT_PLAN_PROJECT:
        return project_narrow(binder, node, needed, out, err);
    case LT_PLAN_JOIN:
        return join_narrow(binder, node, needed, out, err);
    case LT_PLAN_FILTER:
    case LT_PLAN_SORT:
    case LT_PLAN_LIMIT:
        LT_TRY(lt_plan_input_needs(binder->arena, node, needed, 0, &below, err));
        return pass_narrow(binder, node, below, out, err);
    case LT_PLAN_AGGREGATE:
        LT_TRY(lt_plan_input_needs(binder->arena, node, needed, 0, &below, err));
        return aggregate_narrow(binder, node, below, out, err);
    default:
        return others_narrow(binder, node, needed, out, err);
    }
}

leat_status lt_rule_columns(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    narrowed whole;
    bool    *needed;
    LT_TRY_NEW_ARRAY(needed, binder->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) needed[c] = true;
    LT_TRY(narrow(binder, plan, needed, &whole, err));
    return restore(binder, plan, &whole, out, err);
}
