#include "planner/finish.h"

#include "planner/catalog.h"
#include "planner/modes.h"
#include "planner/reader_filter.h"
#include "planner/recursion_cut.h"
#include "planner/unique_columns.h"

// One recursive pass, bottom-up: each node is copied, then its inputs, then what follows from them. The recursion is as
// deep as the plan, which the parser bounds.

typedef struct finish {
    lt_arena            *arena;
    const lt_finish_use *use;
    uint32_t             node_count;    // numbered so far
    bool                 is_order_seen; // some node above depends on the order of its rows
} finish;

const char *lt_output_mode_name(lt_output_mode mode) {
    static const char *const names[] = {"", "append", "update", "complete", "changelog"};
    return names[mode];
}

static bool follows_tables(const finish *self) {
    return self->use->mode == LT_MODE_NONE || self->use->mode == LT_MODE_CHANGELOG;
}

static bool relation_is_streaming(const finish *self, const lt_catalog_entry *relation) {
    if (!self->use->is_standing || relation == NULL) return false;
    const bool changes = relation->kind == LT_RELATION_MEMORY_TABLE || relation->is_refreshed;
    return relation->kind == LT_RELATION_QUERY || (changes && follows_tables(self));
}

static leat_status new_node(finish *self, const lt_plan *node, lt_plan **out, leat_error *err) {
    LT_TRY_NEW(*out, self->arena, err);
    **out = *node;
    return LEAT_OK;
}

// SELECT DISTINCT is an aggregate over all columns without aggregate functions.
static leat_status distinct_to_aggregate(finish *self, lt_plan *node, leat_error *err) {
    const lt_plan        *input = node->inputs[0];
    const lt_expression **keys;
    LT_TRY_NEW_ARRAY(keys, self->arena, input->column_count + 1u, err);
    for (uint32_t c = 0; c < input->column_count; c++) {
        keys[c] = lt_expression_column(self->arena, c, input->columns[c].type, &node->place);
        if (keys[c] == NULL) return lt_raise_no_memory(err);
    }
    node->kind                        = LT_PLAN_AGGREGATE;
    node->as.aggregate.keys           = keys;
    node->as.aggregate.key_count      = input->column_count;
    node->as.aggregate.calls          = NULL;
    node->as.aggregate.call_count     = 0;
    node->as.aggregate.session_key    = -1;
    node->as.aggregate.event_time_key = lt_plan_event_time_column(node);
    return LEAT_OK;
}

// A join whose left side is static and whose right side streams runs with its sides changed, columns put back by a
// Project.
static leat_status join_swap(finish *self, lt_plan **node, leat_error *err) {
    lt_plan              *join = *node, *swapped, *project;
    const lt_plan        *left = join->inputs[0], *right = join->inputs[1];
    uint32_t              left_width = left->column_count, right_width = right->column_count;
    const lt_plan       **inputs;
    lt_plan_column       *columns;
    const lt_expression **moved, **order;
    LT_TRY(new_node(self, join, &swapped, err));
    LT_TRY(new_node(self, join, &project, err));
    LT_TRY_NEW_ARRAY(inputs, self->arena, 2, err);
    LT_TRY_NEW_ARRAY(columns, self->arena, left_width + right_width + 1u, err);
    LT_TRY_NEW_ARRAY(moved, self->arena, left_width + right_width + 1u, err);
    LT_TRY_NEW_ARRAY(order, self->arena, left_width + right_width + 1u, err);
    inputs[0] = right;
    inputs[1] = left;
    memcpy(columns, join->columns + left_width, sizeof *columns * right_width);
    memcpy(columns + right_width, join->columns, sizeof *columns * left_width);
    for (uint32_t c = 0; c < left_width + right_width; c++) {
        uint32_t there = c < left_width ? right_width + c : c - left_width;
        moved[c]       = lt_expression_column(self->arena, there, join->columns[c].type, &join->place);
        order[c]       = moved[c];
        if (moved[c] == NULL) return lt_raise_no_memory(err);
    }
    swapped->inputs             = inputs;
    swapped->columns            = columns;
    swapped->as.join.type       = join->as.join.type == LT_JOIN_RIGHT ? LT_JOIN_LEFT : LT_JOIN_INNER;
    swapped->as.join.left_keys  = join->as.join.right_keys;
    swapped->as.join.right_keys = join->as.join.left_keys;
    if (join->as.join.residual != NULL) {
        swapped->as.join.residual =
            lt_expression_substitute(self->arena, join->as.join.residual, moved, left_width + right_width);
        if (swapped->as.join.residual == NULL) return lt_raise_no_memory(err);
    }
    project->kind                   = LT_PLAN_PROJECT;
    project->as.project.expressions = order;
    LT_TRY_NEW_ARRAY(inputs, self->arena, 1, err);
    inputs[0]            = swapped;
    project->inputs      = inputs;
    project->input_count = 1;
    *node                = project;
    return LEAT_OK;
}

// Conditions on other columns than the event time stand below the watermark: rows that they reject do not move it
// (recorded).
typedef struct mentions {
    uint32_t column;
    bool     is_found;
} mentions;

static bool note_mention(void *user, const lt_expression *node) {
    mentions *self = user;
    self->is_found |= node->kind == LT_EXPRESSION_COLUMN && node->column == self->column;
    self->is_found |= node->kind == LT_EXPRESSION_CALL && node->function->is_nondeterministic;
    return true;
}

static leat_status filter_below_watermark(finish *self, lt_plan **node, leat_error *err) {
    const lt_plan              *mark      = (*node)->inputs[0];
    const lt_expression        *predicate = (*node)->as.filter.predicate;
    bool                        is_and    = predicate->kind == LT_EXPRESSION_AND;
    const lt_expression *const *terms     = is_and ? predicate->arguments : &(*node)->as.filter.predicate;
    uint32_t                    count = is_and ? predicate->argument_count : 1, below_count = 0, above_count = 0;
    const lt_expression       **below, **above;
    LT_TRY_NEW_ARRAY(below, self->arena, count, err);
    LT_TRY_NEW_ARRAY(above, self->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        mentions found = {.column = mark->as.watermark.column};
        lt_expression_walk(terms[i], note_mention, &found);
        if (found.is_found)
            above[above_count++] = terms[i];
        else
            below[below_count++] = terms[i];
    }
    if (below_count == 0) return LEAT_OK;
    lt_plan        *filter, *moved, *top;
    const lt_plan **inputs;
    LT_TRY(new_node(self, *node, &filter, err));
    filter->inputs              = mark->inputs;
    filter->columns             = mark->inputs[0]->columns;
    filter->as.filter.predicate = lt_expression_conjunction(self->arena, predicate, below, below_count);
    LT_TRY(new_node(self, mark, &moved, err));
    LT_TRY_NEW_ARRAY(inputs, self->arena, 1, err);
    inputs[0]     = filter;
    moved->inputs = inputs;
    if (filter->as.filter.predicate == NULL) return lt_raise_no_memory(err);
    if (above_count == 0) {
        *node = moved;
        return LEAT_OK;
    }
    LT_TRY(new_node(self, *node, &top, err));
    LT_TRY_NEW_ARRAY(inputs, self->arena, 1, err);
    inputs[0]                = moved;
    top->inputs              = inputs;
    top->as.filter.predicate = lt_expression_conjunction(self->arena, predicate, above, above_count);
    if (top->as.filter.predicate == NULL) return lt_raise_no_memory(err);
    *node = top;
    return LEAT_OK;
}

static leat_status input_set(finish *self, lt_plan *node, const lt_plan *input, leat_error *err) {
    const lt_plan **inputs;
    LT_TRY_NEW_ARRAY(inputs, self->arena, 1, err);
    inputs[0]    = input;
    node->inputs = inputs;
    return LEAT_OK;
}

static bool changes_below(const finish *self, const lt_plan *node) {
    if (node->kind == LT_PLAN_STREAM_SCAN) return true;
    if (node->kind == LT_PLAN_TABLE_SCAN) return relation_is_streaming(self, node->as.scan.relation);
    for (uint32_t i = 0; i < node->input_count; i++)
        if (changes_below(self, node->inputs[i])) return true;
    return false;
}

// Whether the order of its input's rows shows in what a node gives: the first ones, ties.
static bool sees_order(const lt_plan *node) {
    for (uint32_t i = 0; node->kind == LT_PLAN_AGGREGATE && i < node->as.aggregate.call_count; i++)
        if (node->as.aggregate.calls[i].aggregate->needs_place) return true;
    return node->kind == LT_PLAN_LIMIT || node->kind == LT_PLAN_WINDOW || node->kind == LT_PLAN_DEDUPLICATE ||
           node->kind == LT_PLAN_ASOF_JOIN;
}

// ORDER BY inside of a query whose rows change says nothing where nobody looks at the order.
static const lt_plan *sort_pass(const finish *self, const lt_plan *node) {
    const bool passes = self->use->is_standing && follows_tables(self) && !self->use->recomputes_all;
    while (passes && !self->is_order_seen && node->kind == LT_PLAN_SORT && changes_below(self, node))
        node = node->inputs[0];
    return node;
}

// LIMIT without ORDER BY over rows that may go: the first ones as they stand, one of those behind for each that goes.
static void limit_to_first_rows(const finish *self, lt_plan *node) {
    const int64_t limit = node->as.limit.limit, offset = node->as.limit.offset;
    if (!self->use->is_standing || !follows_tables(self) || self->use->recomputes_all || limit < 1 ||
        limit > INT32_MAX || offset > INT32_MAX || node->inputs[0]->properties.is_append_only)
        return;
    node->kind = LT_PLAN_WINDOW;
    memset(&node->as, 0, sizeof node->as);
    node->as.window.top = (lt_top){.count = limit + offset, .offset = offset, .is_ordering = self->is_order_seen};
}

// LIMIT over ORDER BY, with projections between, is a Window without calls that gives its first rows.
static leat_status limit_to_window(finish *self, lt_plan **node, leat_error *err) {
    const int64_t  limit = (*node)->as.limit.limit, offset = (*node)->as.limit.offset;
    const lt_plan *sort = (*node)->inputs[0];
    lt_plan       *window, *copy, *top = NULL, *above = NULL;
    while (sort->kind == LT_PLAN_PROJECT) sort = sort->inputs[0];
    if (sort->kind != LT_PLAN_SORT || limit < 1 || limit > INT32_MAX || offset > INT32_MAX ||
        !changes_below(self, sort))
        return LEAT_OK;
    LT_TRY(new_node(self, sort, &window, err));
    window->kind = LT_PLAN_WINDOW;
    memset(&window->as, 0, sizeof window->as);
    window->as.window.order       = sort->as.sort.keys;
    window->as.window.order_count = sort->as.sort.key_count;
    window->as.window.top = (lt_top){.count = limit + offset, .offset = offset, .is_ordering = self->is_order_seen};
    for (const lt_plan *project = (*node)->inputs[0]; project != sort; project = project->inputs[0]) {
        LT_TRY(new_node(self, project, &copy, err));
        if (top == NULL)
            top = copy;
        else
            LT_TRY(input_set(self, above, copy, err));
        above = copy;
    }
    if (above != NULL) LT_TRY(input_set(self, above, window, err));
    *node = top != NULL ? top : window;
    return LEAT_OK;
}

// Rows of a join of streams in append mode are final, pairs and padded rows alike; in update mode those of inner joins.
// Where late rows go in other modes, pairs are final too, and need no more state than there.
static bool is_join_of_streams(const finish *self, const lt_plan *node) {
    const lt_properties *left = &node->inputs[0]->properties, *right = &node->inputs[1]->properties;
    const lt_join_type   type = node->as.join.type;
    if (!self->use->is_standing || !left->is_streaming || !right->is_streaming || !left->is_append_only ||
        !right->is_append_only || type > LT_JOIN_SEMI || node->as.join.is_null_aware)
        return false;
    return self->use->mode == LT_MODE_APPEND || (self->use->mode == LT_MODE_UPDATE && type == LT_JOIN_INNER) ||
           (self->use->freezes && (type == LT_JOIN_INNER || type == LT_JOIN_SEMI));
}

static bool note_changing_call(void *user, const lt_expression *node) {
    *(bool *)user |=
        node->kind == LT_EXPRESSION_CALL && (node->function->is_nondeterministic || node->function->is_batch_constant);
    return true;
}

// A join can follow both of its sides when a pair is judged alike whenever it is looked at, and when counts decide IN: of
// one value, not of rows of values.
static bool takes_changes(const lt_plan *node) {
    bool has_changing_call = false;
    for (uint32_t k = 0; k < node->as.join.key_count; k++) {
        lt_expression_walk(node->as.join.left_keys[k], note_changing_call, &has_changing_call);
        lt_expression_walk(node->as.join.right_keys[k], note_changing_call, &has_changing_call);
    }
    if (node->as.join.residual != NULL)
        lt_expression_walk(node->as.join.residual, note_changing_call, &has_changing_call);
    if (has_changing_call) return false;
    return !node->as.join.is_null_aware ||
           (node->as.join.residual == NULL && node->as.join.key_count == node->as.join.correlated_key_count + 1);
}

static bool asof_join_takes_changes(const lt_plan *node) {
    bool has_changing_call = false;
    for (uint32_t k = 0; k < node->as.asof_join.key_count; k++) {
        lt_expression_walk(node->as.asof_join.left_keys[k], note_changing_call, &has_changing_call);
        lt_expression_walk(node->as.asof_join.right_keys[k], note_changing_call, &has_changing_call);
    }
    lt_expression_walk(node->as.asof_join.left_match, note_changing_call, &has_changing_call);
    lt_expression_walk(node->as.asof_join.right_match, note_changing_call, &has_changing_call);
    return !has_changing_call;
}

static bool is_event_time(const lt_plan *input, const lt_expression *match) {
    return match->kind == LT_EXPRESSION_COLUMN && input->columns[match->column].has_event_time &&
           match->type->kind != LT_STRUCT;
}

// Looking back over two streams, a left row's partner is known once the watermark has reached its time. Where late rows
// go, it waits for that and its pair is final.
static bool is_asof_join_of_streams(const finish *self, const lt_plan *node) {
    const lt_plan *left = node->inputs[0], *right = node->inputs[1];
    return self->use->is_standing && left->properties.is_streaming && right->properties.is_streaming &&
           left->properties.is_append_only && right->properties.is_append_only && !node->as.asof_join.is_forward &&
           is_event_time(left, node->as.asof_join.left_match) && is_event_time(right, node->as.asof_join.right_match) &&
           (self->use->mode == LT_MODE_APPEND || self->use->mode == LT_MODE_UPDATE || self->use->freezes);
}

static void derive_asof_join(const finish *self, lt_plan *node) {
    const lt_properties *left = &node->inputs[0]->properties, *right = &node->inputs[1]->properties;
    const bool           is_growing  = left->is_append_only && right->is_append_only;
    const bool           is_changing = self->use->is_standing && (right->is_streaming || !left->is_append_only);
    node->as.asof_join.is_of_streams = is_asof_join_of_streams(self, node);
    if (node->as.asof_join.is_of_streams) return;
    node->as.asof_join.is_of_changes = is_changing && asof_join_takes_changes(node) && !self->use->recomputes_all;
    node->is_recomputed              = is_changing && !node->as.asof_join.is_of_changes;
    node->properties.is_append_only  = is_growing && !is_changing;
}

static void derive_join(const finish *self, lt_plan *node) {
    const lt_properties *left = &node->inputs[0]->properties, *right = &node->inputs[1]->properties;
    lt_join_type         type   = node->as.join.type;
    node->as.join.is_of_streams = is_join_of_streams(self, node);
    if (node->as.join.is_of_streams) {
        node->properties.is_append_only = true;
        return;
    }
    const bool is_padding_right = type == LT_JOIN_RIGHT || type == LT_JOIN_FULL;
    const bool is_changing      = self->use->is_standing && (right->is_streaming || is_padding_right);
    const bool is_growing       = type == LT_JOIN_INNER || type == LT_JOIN_SEMI;
    node->as.join.is_of_changes = is_changing && takes_changes(node) && !self->use->recomputes_all;
    node->is_recomputed         = is_changing && !node->as.join.is_of_changes;
    node->properties.is_append_only =
        left->is_append_only && right->is_append_only && (!is_changing || (node->as.join.is_of_changes && is_growing));
}

// Whether a node of a standing query gives rows in the order in which they came to it.
static bool keeps_order(const lt_plan *node) {
    switch (node->kind) {
    case LT_PLAN_STREAM_SCAN:
    case LT_PLAN_FILTER:
    case LT_PLAN_PROJECT:
    case LT_PLAN_WATERMARK:
    case LT_PLAN_LIMIT:
        return true;
    case LT_PLAN_JOIN:
        return !node->inputs[1]->properties.is_streaming && node->as.join.type != LT_JOIN_RIGHT &&
               node->as.join.type != LT_JOIN_FULL;
    default:
        return false;
    }
}

// What follows for a node from its inputs; one case per kind, in the order of plan_nodes.def.
static void derive(const finish *self, lt_plan *node) {
    lt_properties *out = &node->properties;
    *out               = (lt_properties){.is_append_only = true, .is_bounded = true, .is_ordered = true};
    for (uint32_t i = 0; i < node->input_count; i++) {
        out->is_append_only &= node->inputs[i]->properties.is_append_only;
        out->is_bounded &= node->inputs[i]->properties.is_bounded;
        out->is_streaming |= node->inputs[i]->properties.is_streaming;
        out->is_ordered &= node->inputs[i]->properties.is_ordered;
    }
    bool is_changing    = self->use->is_standing && out->is_streaming;
    node->is_recomputed = false;
    switch (node->kind) {
    case LT_PLAN_STREAM_SCAN:
        out->is_bounded   = false;
        out->is_streaming = true;
        break;
    case LT_PLAN_TABLE_SCAN:
        out->is_streaming   = relation_is_streaming(self, node->as.scan.relation);
        out->is_append_only = !out->is_streaming;
        break;
    case LT_PLAN_AGGREGATE:
        node->emission      = !is_changing                        ? LT_EMIT_NET
                              : self->use->mode == LT_MODE_APPEND ? LT_EMIT_CLOSED
                              : self->use->mode == LT_MODE_UPDATE ? LT_EMIT_TOUCHED
                                                                  : LT_EMIT_NET;
        node->is_recomputed = is_changing && follows_tables(self) && self->use->recomputes_all;
        out->is_append_only = !is_changing || node->emission != LT_EMIT_NET;
        out->is_ordered     = false;
        break;
    case LT_PLAN_JOIN:
        derive_join(self, node);
        break;
    case LT_PLAN_CHANGES:
        out->is_append_only = !self->use->is_standing || node->as.changes.is_versioned;
        break;
    case LT_PLAN_ASOF_JOIN:
        derive_asof_join(self, node);
        break;
    case LT_PLAN_WINDOW:
        node->is_recomputed             = is_changing && self->use->recomputes_all;
        node->as.window.is_by_partition = is_changing && !node->is_recomputed;
        out->is_append_only             = !is_changing;
        break;
    case LT_PLAN_SET_OPERATION: // what stands on both sides stays there as they grow
        node->is_recomputed = is_changing && self->use->recomputes_all;
        out->is_append_only = !is_changing || (out->is_append_only && node->as.set_operation.is_intersect);
        break;
    case LT_PLAN_SINGLE_ROW:
        node->is_recomputed = is_changing && self->use->recomputes_all;
        out->is_append_only = !is_changing;
        break;
    case LT_PLAN_RECURSION:
    case LT_PLAN_SORT:
        node->is_recomputed = is_changing;
        out->is_append_only = !is_changing;
        break;
    case LT_PLAN_LIMIT:
    case LT_PLAN_DEDUPLICATE:
        node->is_recomputed = is_changing && !out->is_append_only;
        break;
    default:
        break;
    }
    if (self->use->is_standing && out->is_streaming) out->is_ordered &= keeps_order(node);
}

// Over an input that takes rows back, aggregates that only know how to grow give way to their retracting rows; without
// one the node recomputes.
static leat_status aggregate_follow_input(finish *self, lt_plan *node, leat_error *err) {
    if (!self->use->is_standing || node->inputs[0]->properties.is_append_only || node->is_recomputed) return LEAT_OK;
    lt_aggregate_call *calls;
    LT_TRY_NEW_ARRAY(calls, self->arena, node->as.aggregate.call_count + 1u, err);
    for (uint32_t i = 0; i < node->as.aggregate.call_count; i++) {
        calls[i] = node->as.aggregate.calls[i];
        if (!calls[i].aggregate->needs_append_only) continue;
        if (calls[i].aggregate->retraction == NULL) {
            node->is_recomputed = true;
            node->emission      = LT_EMIT_NET;
            return LEAT_OK;
        }
        calls[i].aggregate = calls[i].aggregate->retraction;
    }
    node->as.aggregate.calls = calls;
    return LEAT_OK;
}

static leat_status finish_node(finish *self, const lt_plan *from, const lt_plan **out, leat_error *err);

static bool streams_below(const finish *self, const lt_plan *node) {
    if (node->kind == LT_PLAN_STREAM_SCAN) return true;
    if (node->kind == LT_PLAN_TABLE_SCAN && relation_is_streaming(self, node->as.scan.relation)) return true;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (streams_below(self, node->inputs[i])) return true;
    return false;
}

// A recursion over streams: its inputs follow them, the recursion runs over all of their rows.
static leat_status recursion_cut(finish *self, lt_plan *node, leat_error *err) {
    lt_finish_use    once  = {0};
    finish           inner = {.arena = self->arena, .use = &once};
    lt_recursion_cut cut;
    lt_query_plan   *whole;
    bool            *needed;
    LT_TRY(lt_recursion_cut_make(self->arena, node, &cut, err));
    LT_TRY_NEW(whole, self->arena, err);
    LT_TRY(finish_node(&inner, cut.whole, &whole->root, err));
    LT_TRY_NEW_ARRAY(needed, self->arena, node->column_count + 1u, err);
    for (uint32_t c = 0; c < node->column_count; c++) needed[c] = true;
    LT_TRY(lt_plan_mark_needed(self->arena, whole->root, needed, err));
    whole->node_count        = inner.node_count;
    node->as.recursion.whole = whole;
    node->inputs             = cut.inputs;
    node->input_count        = cut.input_count;
    return LEAT_OK;
}

enum { PANE_OVERLAP_MIN = 3 }; // windows that hold a row: with fewer the detour costs more than it saves

static bool note_column_use(void *user, const lt_expression *node) {
    bool *columns = user;
    if (node->kind == LT_EXPRESSION_COLUMN) columns[node->column] = true;
    return true;
}

// Whether an aggregation over sliding windows can fold each row once, into a pane: rows only come, nothing but one key
// looks at the window, and accumulators can be merged.
static leat_status panes_find(finish *self, const lt_plan *aggregate, lt_plan *assign, leat_error *err) {
    const uint32_t window      = assign->column_count - 1;
    uint32_t       keys        = 0;
    bool           has_changes = false; // rand() is another for each window
    bool          *reads;
    if (assign->as.assign_window.step_us > 0 || !assign->inputs[0]->properties.is_append_only ||
        assign->as.assign_window.duration_us / assign->as.assign_window.slide_us < PANE_OVERLAP_MIN ||
        aggregate->as.aggregate.session_key >= 0)
        return LEAT_OK;
    LT_TRY_NEW_ARRAY(reads, self->arena, assign->column_count + 1u, err);
    for (uint32_t k = 0; k < aggregate->as.aggregate.key_count; k++) {
        const lt_expression *key       = aggregate->as.aggregate.keys[k];
        const bool           is_window = key->kind == LT_EXPRESSION_COLUMN && key->column == window;
        keys += is_window;
        if (!is_window) lt_expression_walk(key, note_column_use, reads);
        lt_expression_walk(key, note_changing_call, &has_changes);
    }
    for (uint32_t i = 0; i < aggregate->as.aggregate.call_count; i++) {
        const lt_aggregate_call *call = &aggregate->as.aggregate.calls[i];
        if (call->is_distinct || call->order_count > 0 || call->aggregate->has_memory ||
            lt_aggregate_widest(call->aggregate)->merge == NULL || call->aggregate->merge == NULL)
            return LEAT_OK;
        for (uint32_t a = 0; a <= call->argument_count; a++) {
            const lt_expression *read = a < call->argument_count ? call->arguments[a] : call->filter;
            if (read == NULL) continue;
            lt_expression_walk(read, note_column_use, reads);
            lt_expression_walk(read, note_changing_call, &has_changes);
        }
    }
    assign->as.assign_window.has_panes = keys == 1 && !reads[window] && !has_changes;
    return LEAT_OK;
}

// A mark per column of `node` for lt_plan_mark_needed.
static leat_status all_needed(const finish *self, const lt_plan *node, bool **out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, self->arena, node->column_count + 1u, err);
    memset(*out, true, node->column_count);
    return LEAT_OK;
}

static leat_status finish_node(finish *self, const lt_plan *from, const lt_plan **out, leat_error *err) {
    lt_plan        *node;
    const lt_plan **inputs;
    LT_TRY(new_node(self, sort_pass(self, from), &node, err));
    if (node->kind == LT_PLAN_FILTER && node->inputs[0]->kind == LT_PLAN_WATERMARK)
        LT_TRY(filter_below_watermark(self, &node, err));
    if (node->kind == LT_PLAN_FILTER && node->inputs[0]->kind == LT_PLAN_STREAM_SCAN && self->use->is_standing)
        LT_TRY(lt_reader_filter_split(self->arena, node, &node, err));
    if (node->kind == LT_PLAN_LIMIT && self->use->is_standing && follows_tables(self) && !self->use->recomputes_all)
        LT_TRY(limit_to_window(self, &node, err));
    if (node->kind == LT_PLAN_RECURSION && self->use->is_standing && streams_below(self, node))
        LT_TRY(recursion_cut(self, node, err));
    node->id      = self->node_count++; // from the top, so that a state is named alike at every start
    node->freezes = self->use->freezes;
    from          = node;
    LT_TRY_NEW_ARRAY(inputs, self->arena, node->input_count + 1u, err);
    const bool is_order_seen = self->is_order_seen;
    self->is_order_seen      = is_order_seen || sees_order(node);
    for (uint32_t i = 0; i < node->input_count; i++) LT_TRY(finish_node(self, from->inputs[i], &inputs[i], err));
    self->is_order_seen = is_order_seen;
    node->inputs        = inputs;
    if (node->kind == LT_PLAN_LIMIT) limit_to_first_rows(self, node);
    if (node->kind == LT_PLAN_STREAM_SCAN || node->kind == LT_PLAN_TABLE_SCAN)
        LT_TRY(all_needed(self, node, &node->as.scan.needed, err));
    // A late row of a standing query is shown with all of its columns.
    if (node->kind == LT_PLAN_FILTER && !self->use->is_standing)
        LT_TRY(all_needed(self, node, &node->as.filter.needed, err));
    for (uint32_t i = 0; i < 2 && node->kind == LT_PLAN_JOIN && self->use->is_standing; i++)
        LT_TRY(all_needed(self, node->inputs[i], &node->as.join.needed[i], err));
    if (node->kind == LT_PLAN_DISTINCT) LT_TRY(distinct_to_aggregate(self, node, err));
    if (node->kind == LT_PLAN_JOIN && self->use->is_standing && !inputs[0]->properties.is_streaming &&
        inputs[1]->properties.is_streaming &&
        (node->as.join.type == LT_JOIN_INNER || node->as.join.type == LT_JOIN_RIGHT)) {
        LT_TRY(join_swap(self, &node, err));
        node->id = self->node_count++; // the join below keeps its own
        lt_plan *inner;
        LT_TRY(new_node(self, node->inputs[0], &inner, err));
        derive(self, inner);
        LT_TRY_NEW_ARRAY(inputs, self->arena, 1, err);
        inputs[0]    = inner;
        node->inputs = inputs;
    }
    derive(self, node);
    LT_TRY(lt_derive_unique_columns(self->arena, node, err));
    if (node->kind == LT_PLAN_AGGREGATE) LT_TRY(aggregate_follow_input(self, node, err));
    if (node->kind == LT_PLAN_AGGREGATE && inputs[0]->kind == LT_PLAN_ASSIGN_WINDOW && !node->is_recomputed) {
        lt_plan *assign;
        LT_TRY(new_node(self, inputs[0], &assign, err));
        LT_TRY(panes_find(self, node, assign, err));
        inputs[0] = assign;
    }
    *out = node;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- presenting

static bool keeps_columns(const lt_plan *node) {
    for (uint32_t c = 0; c < node->column_count; c++)
        if (node->as.project.expressions[c]->kind != LT_EXPRESSION_COLUMN) return false;
    return true;
}

// The first node from the top that is not part of the presentation; the top itself when nothing is split off.
static const lt_plan *presentation_end(const lt_plan *root) {
    const lt_plan *node = root, *end = root;
    while (node->kind == LT_PLAN_SORT || node->kind == LT_PLAN_LIMIT ||
           (node->kind == LT_PLAN_PROJECT && keeps_columns(node))) {
        bool cuts = node->kind != LT_PLAN_PROJECT;
        node      = node->inputs[0];
        if (cuts) end = node;
    }
    return end;
}

static leat_status presentation(finish *self, const lt_plan *node, const lt_plan *end, const lt_plan **out,
                                leat_error *err) {
    lt_plan        *copy;
    const lt_plan **inputs;
    if (node == end) {
        LT_TRY(new_node(self, node, &copy, err));
        copy->kind                     = LT_PLAN_TABLE_SCAN;
        copy->input_count              = 0;
        copy->as.scan.relation         = NULL;
        copy->as.scan.relation_columns = NULL;
        *out                           = copy;
        return LEAT_OK;
    }
    LT_TRY(new_node(self, node, &copy, err));
    LT_TRY_NEW_ARRAY(inputs, self->arena, 1, err);
    LT_TRY(presentation(self, node->inputs[0], end, &inputs[0], err));
    copy->inputs = inputs;
    *out         = copy;
    return LEAT_OK;
}

leat_status lt_plan_finish(lt_arena *arena, const lt_finish_use *use, lt_query_plan *plan, lt_query_plan *out_present,
                           leat_error *err) {
    finish         self        = {.arena = arena, .use = use};
    const lt_plan *end         = plan->root;
    bool           can_present = use->is_standing && (use->mode == LT_MODE_NONE || use->mode == LT_MODE_COMPLETE);
    if (out_present != NULL) *out_present = (lt_query_plan){0};
    if (can_present) end = presentation_end(plan->root);
    const lt_plan *whole = plan->root;
    if (end != plan->root && out_present != NULL) {
        lt_finish_use once    = {0};
        finish        present = {.arena = arena, .use = &once};
        *out_present          = *plan;
        LT_TRY(presentation(&self, plan->root, end, &out_present->root, err));
        LT_TRY(finish_node(&present, out_present->root, &out_present->root, err));
        out_present->node_count = present.node_count;
        plan->root              = end;
    }
    LT_TRY(finish_node(&self, plan->root, &plan->root, err));
    bool *needed;
    LT_TRY_NEW_ARRAY(needed, arena, plan->root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->root->column_count; c++) needed[c] = true;
    LT_TRY(lt_plan_mark_needed(arena, plan->root, needed, err));
    plan->node_count = self.node_count;
    return use->is_standing ? lt_plan_check_mode(use, plan->root, whole, err) : LEAT_OK;
}
