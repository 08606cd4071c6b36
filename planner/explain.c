#include "base/date.h"
#include "planner/finish.h"
#include "planner/stream_join.h"

// explain: plans as text, for EXPLAIN and for the fingerprint of checkpoints. Both are printed by the same lines.

static leat_status print_list(const lt_expression *const *expressions, uint32_t count, const char *const *names,
                              lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_text(out, ", ", err));
        LT_TRY(lt_expression_print(expressions[i], names, out, err));
    }
    return LEAT_OK;
}

static leat_status print_sort_keys(const lt_sort_key *keys, uint32_t count, const char *const *names, lt_buffer *out,
                                   leat_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_text(out, ", ", err));
        LT_TRY(lt_expression_print(keys[i].expression, names, out, err));
        LT_TRY(lt_buffer_append_text(out, keys[i].is_descending ? " DESC" : " ASC", err));
        LT_TRY(lt_buffer_append_text(out, keys[i].is_nulls_first ? " NULLS FIRST" : " NULLS LAST", err));
    }
    return LEAT_OK;
}

static leat_status print_call(const lt_aggregate_call *call, const char *const *names, lt_buffer *out,
                              leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "%s(%s", call->aggregate->name, call->is_distinct ? "DISTINCT " : ""));
    if (call->argument_count == 0) LT_TRY(lt_buffer_append_text(out, "*", err));
    LT_TRY(print_list(call->arguments, call->argument_count, names, out, err));
    LT_TRY(lt_buffer_append_text(out, ")", err));
    if (call->filter == NULL) return LEAT_OK;
    LT_TRY(lt_buffer_append_text(out, " FILTER (WHERE ", err));
    LT_TRY(lt_expression_print(call->filter, names, out, err));
    return lt_buffer_append_text(out, ")", err);
}

static leat_status input_names(const lt_plan *node, lt_arena *arena, const char ***out, leat_error *err) {
    uint32_t count = node->input_count == 0 ? node->column_count : 0;
    for (uint32_t i = 0; i < node->input_count; i++) count += node->inputs[i]->column_count;
    LT_TRY_NEW_ARRAY(*out, arena, count + 1u, err);
    uint32_t at = 0;
    for (; node->input_count == 0 && at < count; at++) (*out)[at] = node->columns[at].name;
    for (uint32_t i = 0; i < node->input_count; i++)
        for (uint32_t c = 0; c < node->inputs[i]->column_count; c++) (*out)[at++] = node->inputs[i]->columns[c].name;
    return LEAT_OK;
}

// In the largest unit that says it in whole numbers: 10 minutes, 1500 milliseconds.
static leat_status print_duration(const char *word, int64_t us, lt_buffer *out, leat_error *err) {
    static const struct {
        const char *name;
        int64_t     us;
    } units[]   = {{"day", LT_US_PER_DAY},       {"hour", LT_US_PER_HOUR},         {"minute", LT_US_PER_MINUTE},
                   {"second", LT_US_PER_SECOND}, {"millisecond", LT_US_PER_MILLI}, {"microsecond", 1}};
    size_t unit = us == 0 ? 3 : 0;
    while (us % units[unit].us != 0) unit++;
    const int64_t count = us / units[unit].us;
    return lt_buffer_format(out, err, "%s%lld %s%s", word, (long long)count, units[unit].name, count == 1 ? "" : "s");
}

static leat_status print_join(const lt_plan *node, const char *const *names, lt_buffer *out, leat_error *err) {
    static const char *const types[] = {"inner", "left", "right", "full", "semi", "anti", "mark", "single"};
    LT_TRY(lt_buffer_format(out, err, " %s%s", types[node->as.join.type],
                            node->as.join.is_null_aware ? " null-aware"
                            : node->as.join.keeps_left  ? " keeping left rows"
                                                        : ""));
    uint32_t left = node->inputs[0]->column_count;
    for (uint32_t k = 0; k < node->as.join.key_count; k++) {
        LT_TRY(lt_buffer_append_text(out, k == 0 ? " on " : ", ", err));
        LT_TRY(lt_expression_print(node->as.join.left_keys[k], names, out, err));
        LT_TRY(lt_buffer_append_text(out, node->as.join.is_null_safe[k] ? " <=> " : " = ", err));
        LT_TRY(lt_expression_print(node->as.join.right_keys[k], names + left, out, err));
    }
    if (node->as.join.residual == NULL) return LEAT_OK;
    LT_TRY(lt_buffer_append_text(out, " if ", err));
    return lt_expression_print(node->as.join.residual, names, out, err);
}

static leat_status print_asof_join(const lt_plan *node, const char *const *names, lt_buffer *out, leat_error *err) {
    const uint32_t left  = node->inputs[0]->column_count;
    const char    *order = node->as.asof_join.is_forward ? " <" : " >";
    LT_TRY(lt_buffer_append_text(out, node->as.asof_join.is_outer ? " left match " : " inner match ", err));
    LT_TRY(lt_expression_print(node->as.asof_join.left_match, names, out, err));
    LT_TRY(lt_buffer_format(out, err, "%s%s ", order, node->as.asof_join.takes_equal ? "=" : ""));
    LT_TRY(lt_expression_print(node->as.asof_join.right_match, names + left, out, err));
    for (uint32_t k = 0; k < node->as.asof_join.key_count; k++) {
        LT_TRY(lt_buffer_append_text(out, k == 0 ? " on " : ", ", err));
        LT_TRY(lt_expression_print(node->as.asof_join.left_keys[k], names, out, err));
        LT_TRY(lt_buffer_append_text(out, node->as.asof_join.is_null_safe[k] ? " <=> " : " = ", err));
        LT_TRY(lt_expression_print(node->as.asof_join.right_keys[k], names + left, out, err));
    }
    return LEAT_OK;
}

// The node itself in one line: kind and arguments. One case per kind.
leat_status lt_plan_node_print(const lt_plan *node, lt_arena *arena, lt_buffer *out, leat_error *err) {
    static const char *const rank_names[] = {"row_number", "rank", "dense_rank"};
    const char             **names;
    LT_TRY(input_names(node, arena, &names, err));
    LT_TRY(lt_buffer_append_text(out, lt_plan_kind_name(node->kind), err));
    switch (node->kind) {
    case LT_PLAN_STREAM_SCAN:
    case LT_PLAN_TABLE_SCAN:
        LT_TRY(lt_buffer_format(out, err, " %s (",
                                node->as.scan.relation != NULL ? node->as.scan.relation->name : "of the rows above"));
        for (uint32_t c = 0; c < node->column_count; c++)
            LT_TRY(lt_buffer_format(out, err, "%s%s", c > 0 ? ", " : "", node->columns[c].name));
        LT_TRY(lt_buffer_append_text(out, ")", err));
        if (node->as.scan.folders == NULL) return LEAT_OK;
        LT_TRY(lt_buffer_append_text(out, " folders ", err));
        return lt_expression_print(node->as.scan.folders, names, out, err);
    case LT_PLAN_VALUES:
        return lt_buffer_format(out, err, " %u rows", node->as.values.row_count);
    case LT_PLAN_FILTER:
        LT_TRY(lt_buffer_append_text(out, " ", err));
        return lt_expression_print(node->as.filter.predicate, names, out, err);
    case LT_PLAN_PROJECT:
        LT_TRY(lt_buffer_append_text(out, " ", err));
        return print_list(node->as.project.expressions, node->column_count, names, out, err);
    case LT_PLAN_AGGREGATE:
        LT_TRY(lt_buffer_append_text(out, node->as.aggregate.key_count > 0 ? " by " : " all rows", err));
        LT_TRY(print_list(node->as.aggregate.keys, node->as.aggregate.key_count, names, out, err));
        for (uint32_t i = 0; i < node->as.aggregate.call_count; i++) {
            LT_TRY(lt_buffer_append_text(out, i == 0 ? ": " : ", ", err));
            LT_TRY(print_call(&node->as.aggregate.calls[i], names, out, err));
        }
        return LEAT_OK;
    case LT_PLAN_JOIN:
        return print_join(node, names, out, err);
    case LT_PLAN_ASOF_JOIN:
        return print_asof_join(node, names, out, err);
    case LT_PLAN_SET_OPERATION:
        return lt_buffer_format(out, err, " %s%s", node->as.set_operation.is_intersect ? "intersect" : "except",
                                node->as.set_operation.is_all ? " all" : "");
    case LT_PLAN_CHANGES: {
        static const char *const kinds[] = {"", " op", " upsert", " debezium", " weight"};
        const lt_change_spec    *spec    = node->as.changes.spec;
        LT_TRY(lt_buffer_append_text(out, kinds[spec->kind], err));
        if (node->as.changes.is_versioned) LT_TRY(lt_buffer_append_text(out, " versions", err));
        for (uint32_t k = 0; k < spec->key_count; k++)
            LT_TRY(lt_buffer_format(out, err, "%s%s", k == 0 ? " by " : ", ", spec->columns[spec->key[k]].name));
        return LEAT_OK;
    }
    case LT_PLAN_SORT:
        LT_TRY(lt_buffer_append_text(out, " ", err));
        return print_sort_keys(node->as.sort.keys, node->as.sort.key_count, names, out, err);
    case LT_PLAN_LIMIT:
        if (node->as.limit.limit >= 0) LT_TRY(lt_buffer_format(out, err, " %lld", (long long)node->as.limit.limit));
        return node->as.limit.offset > 0 ? lt_buffer_format(out, err, " offset %lld", (long long)node->as.limit.offset)
                                         : LEAT_OK;
    case LT_PLAN_WINDOW:
        if (node->as.window.partition_count > 0 || node->as.window.call_count > 0)
            LT_TRY(lt_buffer_append_text(out, " partition by ", err));
        LT_TRY(print_list(node->as.window.partition, node->as.window.partition_count, names, out, err));
        LT_TRY(lt_buffer_append_text(
            out, node->as.window.call_count == 0 && node->as.window.order_count == 0 ? " as they came" : " order by ",
            err));
        LT_TRY(print_sort_keys(node->as.window.order, node->as.window.order_count, names, out, err));
        for (uint32_t i = 0; i < node->as.window.call_count; i++) {
            LT_TRY(lt_buffer_append_text(out, i == 0 ? ": " : ", ", err));
            LT_TRY(print_call(&node->as.window.calls[i].call, names, out, err));
        }
        if (node->as.window.top.count > 0) {
            LT_TRY(lt_buffer_format(out, err, ", first %lld", (long long)node->as.window.top.count));
            if (node->as.window.top.offset > 0)
                LT_TRY(lt_buffer_format(out, err, " but %lld", (long long)node->as.window.top.offset));
            LT_TRY(lt_buffer_format(out, err, " by %s", rank_names[node->as.window.top.rank]));
        }
        return LEAT_OK;
    case LT_PLAN_ASSIGN_WINDOW:
        LT_TRY(lt_buffer_append_text(out, " of ", err));
        LT_TRY(lt_expression_print(node->as.assign_window.time, names, out, err));
        if (node->as.assign_window.step_us > 0)
            LT_TRY(print_duration(", step ", node->as.assign_window.step_us, out, err));
        LT_TRY(print_duration(", size ", node->as.assign_window.duration_us, out, err));
        LT_TRY(print_duration(", slide ", node->as.assign_window.slide_us, out, err));
        if (node->as.assign_window.offset_us != 0)
            LT_TRY(print_duration(", offset ", node->as.assign_window.offset_us, out, err));
        return lt_buffer_append_text(out, node->as.assign_window.has_panes ? ", folds panes" : "", err);
    case LT_PLAN_GENERATE:
        LT_TRY(lt_buffer_append_text(out, node->as.generate.is_outer ? " outer " : " ", err));
        return print_list(node->as.generate.arguments, node->as.generate.argument_count, names, out, err);
    case LT_PLAN_WATERMARK:
        LT_TRY(lt_buffer_format(out, err, " %s", node->columns[node->as.watermark.column].name));
        return print_duration(" delay ", node->as.watermark.delay_us, out, err);
    case LT_PLAN_DEDUPLICATE:
        for (uint32_t k = 0; k < node->as.deduplicate.column_count; k++)
            LT_TRY(lt_buffer_format(out, err, "%s%s", k == 0 ? " by " : ", ",
                                    node->columns[node->as.deduplicate.columns[k]].name));
        return node->as.deduplicate.is_within_watermark ? lt_buffer_append_text(out, " within watermark", err)
                                                        : LEAT_OK;
    default:
        return LEAT_OK;
    }
}

static const char *stream_join_bound(const lt_plan *join) {
    lt_stream_bound bounds[2];
    lt_stream_bounds(join, bounds);
    const bool left = bounds[0].kind != LT_STREAM_BOUND_NONE, right = bounds[1].kind != LT_STREAM_BOUND_NONE;
    return left && right ? "rows of both sides until the watermark passes their partners"
           : left  ? "rows of the left side until the watermark passes their partners, all of the right, unbounded"
           : right ? "rows of the right side until the watermark passes their partners, all of the left, unbounded"
                   : "rows of both sides, unbounded";
}

// What bounds the state of a stateful node, in words; NULL: it keeps none.
static const char *state_bound(const lt_plan *node, const lt_finish_use *use) {
    if (!use->is_standing || !node->properties.is_streaming) return NULL;
    if (node->is_recomputed) return "all rows of its inputs (recompute)";
    lt_stream_bound bounds[2];
    switch (node->kind) {
    case LT_PLAN_AGGREGATE:
        if (node->as.aggregate.key_count == 0) return "one group";
        if (node->as.aggregate.event_time_key >= 0 && (node->emission != LT_EMIT_NET || node->freezes))
            return "groups above the watermark";
        return "one row per group, unbounded";
    case LT_PLAN_DEDUPLICATE:
        return "one row per key until the watermark passes its time, else unbounded";
    case LT_PLAN_JOIN:
        if (node->as.join.is_of_changes)
            return lt_join_expires(node, bounds) ? "rows of both sides until the watermark passes their partners"
                                                 : "rows of both sides, unbounded";
        return node->as.join.is_of_streams ? stream_join_bound(node) : "the static side";
    case LT_PLAN_SET_OPERATION:
        return "one count per row and side, unbounded";
    case LT_PLAN_SINGLE_ROW:
        return "one row";
    case LT_PLAN_ASOF_JOIN:
        if (node->as.asof_join.is_of_streams)
            return "rows of both sides above the watermark, the last right row of each key below it";
        return node->as.asof_join.is_of_changes ? "rows of both sides, unbounded" : "the static side";
    case LT_PLAN_WINDOW:
        if (node->as.window.top.count > 0 && node->inputs[0]->properties.is_append_only)
            return node->as.window.partition_count == 0 ? "the first rows"
                                                        : "the first rows of each partition, unbounded";
        return "rows of its input by partition, unbounded";
    case LT_PLAN_CHANGES:
        return node->as.changes.is_versioned ? NULL : "the rows that are there";
    case LT_PLAN_LIMIT:
        return "a counter";
    case LT_PLAN_TABLE_SCAN:
        return "the rows of the relation";
    default:
        return NULL;
    }
}

static leat_status indent(uint32_t depth, lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < depth; i++) LT_TRY(lt_buffer_append_text(out, "  ", err));
    return LEAT_OK;
}

leat_status lt_plan_note_begin(uint32_t depth, lt_buffer *out, leat_error *err) {
    LT_TRY(indent(depth, out, err));
    return lt_buffer_append_text(out, "  * ", err);
}

static leat_status explain_node(const lt_plan *node, const lt_finish_use *use, const lt_plan_notes *notes,
                                uint32_t depth, lt_arena *arena, lt_buffer *out, leat_error *err) {
    static const char *const emissions[] = {"net changes", "touched groups", "closed groups"};
    LT_TRY(indent(depth, out, err));
    LT_TRY(lt_plan_node_print(node, arena, out, err));
    LT_TRY(lt_buffer_format(out, err, " [%s, %s", node->properties.is_append_only ? "append-only" : "retracting",
                            node->properties.is_bounded ? "bounded" : "unbounded"));
    for (uint32_t c = 0; c < node->column_count; c++)
        if (node->columns[c].has_event_time)
            LT_TRY(lt_buffer_format(out, err, ", event time %s", node->columns[c].name));
    if (node->is_recomputed) LT_TRY(lt_buffer_append_text(out, ", recompute", err));
    if (node->kind == LT_PLAN_AGGREGATE && use->is_standing && node->properties.is_streaming)
        LT_TRY(lt_buffer_format(out, err, ", gives %s", emissions[node->emission]));
    const char *bound = state_bound(node, use);
    if (bound != NULL) LT_TRY(lt_buffer_format(out, err, ", state: %s", bound));
    LT_TRY(lt_buffer_append_text(out, "]\n", err));
    if (notes != NULL) LT_TRY(notes->print(notes->user, node, depth, out, err));
    for (uint32_t i = 0; i < node->input_count; i++)
        LT_TRY(explain_node(node->inputs[i], use, notes, depth + 1, arena, out, err));
    return LEAT_OK;
}

leat_status lt_plan_explain(const lt_query_plan *plan, const lt_query_plan *present, const lt_finish_use *use,
                            const lt_plan_notes *notes, lt_buffer *out, leat_error *err) {
    lt_arena    arena;
    leat_status status = LEAT_OK;
    lt_arena_init(&arena, out->account);
    if (present != NULL && present->root != NULL) {
        lt_finish_use once = {0};
        status             = lt_buffer_append_text(out, "When read:\n", err);
        if (status == LEAT_OK) status = explain_node(present->root, &once, NULL, 1, &arena, out, err);
        if (status == LEAT_OK) status = lt_buffer_append_text(out, "Standing:\n", err);
    }
    if (status == LEAT_OK)
        status =
            explain_node(plan->root, use, notes, present != NULL && present->root != NULL ? 1 : 0, &arena, out, err);
    lt_arena_deinit(&arena);
    return status;
}

static bool is_stateful(const lt_plan *node) {
    return node->properties.is_streaming &&
           (node->kind == LT_PLAN_AGGREGATE || node->kind == LT_PLAN_DEDUPLICATE || node->kind == LT_PLAN_LIMIT ||
            node->kind == LT_PLAN_STREAM_SCAN || node->is_recomputed ||
            (node->kind == LT_PLAN_JOIN && node->as.join.is_of_changes) ||
            (node->kind == LT_PLAN_WINDOW && node->as.window.is_by_partition));
}

static leat_status fingerprint_node(const lt_plan *node, lt_arena *arena, bool is_below_state, lt_buffer *out,
                                    leat_error *err) {
    if (node->kind == LT_PLAN_ASSIGN_WINDOW && is_below_state) // lengths of windows
        LT_TRY(lt_buffer_format(out, err, "windows of %lld us, slide %lld us, offset %lld us, step %lld us\n",
                                (long long)node->as.assign_window.duration_us,
                                (long long)node->as.assign_window.slide_us, (long long)node->as.assign_window.offset_us,
                                (long long)node->as.assign_window.step_us));
    if (is_stateful(node)) {
        LT_TRY(lt_plan_node_print(node, arena, out, err));
        if (node->kind == LT_PLAN_STREAM_SCAN && node->as.scan.relation->origin != NULL)
            LT_TRY(lt_buffer_format(out, err, " from %s", node->as.scan.relation->origin));
        lt_stream_bound bounds[2];
        if (node->kind == LT_PLAN_JOIN && lt_join_expires(node, bounds)) // kept with their times
            LT_TRY(lt_buffer_append_text(out, " expiring", err));
        if (node->kind == LT_PLAN_STREAM_SCAN || node->kind == LT_PLAN_AGGREGATE)
            for (uint32_t c = 0; c < node->column_count; c++) {
                LT_TRY(lt_buffer_append_text(out, c == 0 ? " -> " : ", ", err));
                LT_TRY(lt_type_print(node->columns[c].type, out, err));
            }
        LT_TRY(lt_buffer_append_text(out, "\n", err));
        is_below_state |= node->kind != LT_PLAN_STREAM_SCAN;
    }
    for (uint32_t i = 0; i < node->input_count; i++)
        LT_TRY(fingerprint_node(node->inputs[i], arena, is_below_state, out, err));
    return LEAT_OK;
}

leat_status lt_plan_fingerprint(const lt_query_plan *plan, const lt_finish_use *use, lt_buffer *out, leat_error *err) {
    lt_arena arena;
    lt_arena_init(&arena, out->account);
    leat_status status = lt_buffer_format(out, err, "mode %s\n", lt_output_mode_name(use->mode));
    if (status == LEAT_OK && use->recomputes_all) status = lt_buffer_append_text(out, "recompute all\n", err);
    if (status == LEAT_OK) status = fingerprint_node(plan->root, &arena, false, out, err);
    lt_arena_deinit(&arena);
    return status;
}
