#include "planner/modes.h"

#include "planner/stream_join.h"

// modes: which query may use which output mode: incremental.md section 7 and spark-semantics section 5, with Spark's
// conditions. changelog and a table without a mode take every query.

typedef struct facts {
    const lt_plan *first_aggregate; // streaming, nearest to the sources
    uint32_t       aggregates, deduplications, stream_joins;
    const lt_plan *sort, *limit, *window, *distinct_call, *set_operation, *mixed_union, *offset, *unmarked_aggregate,
        *session, *pivot;
    const lt_plan *subquery, *stream_join, *asof_join, *recursion, *changes, *bad_static_join, *unmarked_deduplicate;
} facts;

static bool is_streaming(const lt_plan *node) { return node->properties.is_streaming; }

static void gather_join(const lt_plan *node, facts *out) {
    bool         left = is_streaming(node->inputs[0]), right = is_streaming(node->inputs[1]);
    lt_join_type type = node->as.join.type;
    if (right && (node->as.join.is_subquery || type == LT_JOIN_MARK || type == LT_JOIN_SINGLE)) out->subquery = node;
    if (left && right) {
        out->stream_joins++;
        out->stream_join = node;
    } else if ((left && (type == LT_JOIN_RIGHT || type == LT_JOIN_FULL)) ||
               (right &&
                (type == LT_JOIN_LEFT || type == LT_JOIN_FULL || type == LT_JOIN_SEMI || type == LT_JOIN_ANTI))) {
        out->bad_static_join = node;
    }
}

static void gather(const lt_plan *node, facts *out) {
    for (uint32_t i = 0; i < node->input_count; i++) gather(node->inputs[i], out);
    if (!is_streaming(node)) return;
    switch (node->kind) {
    case LT_PLAN_AGGREGATE:
        out->aggregates++;
        if (out->first_aggregate == NULL) out->first_aggregate = node;
        if (node->as.aggregate.event_time_key < 0) out->unmarked_aggregate = node;
        if (node->as.aggregate.session_key >= 0) out->session = node;
        if (node->as.aggregate.is_pivot) out->pivot = node;
        for (uint32_t i = 0; i < node->as.aggregate.call_count; i++)
            if (node->as.aggregate.calls[i].is_distinct) out->distinct_call = node;
        break;
    case LT_PLAN_JOIN:
        gather_join(node, out);
        break;
    case LT_PLAN_CHANGES:
        if (!node->as.changes.is_versioned) out->changes = node;
        break;
    case LT_PLAN_ASOF_JOIN:
        if (is_streaming(node->inputs[1]) && !node->as.asof_join.is_of_streams) out->asof_join = node;
        break;
    case LT_PLAN_RECURSION:
        out->recursion = node;
        break;
    case LT_PLAN_SORT:
        out->sort = node;
        break;
    case LT_PLAN_LIMIT:
        if (node->as.limit.offset > 0) out->offset = node;
        if (node->as.limit.limit >= 0) out->limit = node;
        break;
    case LT_PLAN_WINDOW:
        out->window = node;
        break;
    case LT_PLAN_SINGLE_ROW:
        out->subquery = node;
        break;
    case LT_PLAN_SET_OPERATION:
        out->set_operation = node;
        break;
    case LT_PLAN_DEDUPLICATE:
        out->deduplications++;
        if (node->as.deduplicate.is_within_watermark && !lt_plan_has_event_time(node)) out->unmarked_deduplicate = node;
        break;
    case LT_PLAN_UNION_ALL:
        for (uint32_t i = 0; i < node->input_count; i++)
            if (!is_streaming(node->inputs[i])) out->mixed_union = node;
        break;
    default:
        break;
    }
}

static leat_status refuse_mode(const lt_finish_use *use, const lt_plan *node, const char *why, leat_error *err) {
    return lt_raise(err, LT_STREAMING_OUTPUT_MODE__UNSUPPORTED_OPERATION, &node->place,
                    "output mode %s does not allow %s", lt_output_mode_name(use->mode), why);
}

static leat_status refuse(const lt_plan *node, const char *what, leat_error *err) {
    return lt_raise(err, LT_LEGACY_ERROR_TEMP_3102, &node->place,
                    "%s on streams; leave out outputMode to keep the answer up to date anyway", what);
}

static leat_status check_joins(const lt_finish_use *use, const facts *found, leat_error *err) {
    if (found->bad_static_join != NULL)
        return refuse(found->bad_static_join, "this outer join keeps rows of the static side, which is not possible",
                      err);
    if (found->stream_join == NULL) return LEAT_OK;
    const lt_plan *join     = found->stream_join;
    bool           is_inner = join->as.join.type == LT_JOIN_INNER, is_semi = join->as.join.type == LT_JOIN_SEMI;
    if (use->mode == LT_MODE_COMPLETE)
        return refuse(join, "a join of two streams is not possible in output mode complete", err);
    if (use->mode == LT_MODE_UPDATE && !is_inner && !is_semi)
        return refuse(join, "an outer join of two streams is possible in output mode append only", err);
    if (is_inner) return LEAT_OK;
    if (join->as.join.type == LT_JOIN_ANTI) return refuse(join, "an anti join of two streams is not possible", err);
    if (!lt_stream_join_is_bounded(join))
        return refuse(join,
                      "an outer or semi join of two streams needs a watermark among its keys, or one on the side that "
                      "may be missing with a time condition that bounds the other",
                      err);
    return LEAT_OK;
}

leat_status lt_plan_check_mode(const lt_finish_use *use, const lt_plan *root, const lt_plan *whole, leat_error *err) {
    if (use->mode == LT_MODE_NONE || use->mode == LT_MODE_CHANGELOG) return LEAT_OK;
    facts found = {0};
    gather(root, &found);
    if (!is_streaming(root))
        return lt_raise(err, LT_WRITE_STREAM_NOT_ALLOWED, &root->place, "the query reads no stream; SELECT it instead");
    if (found.subquery != NULL)
        return lt_raise(err, LT_INVALID_SUBQUERY_EXPRESSION__STREAMING_QUERY, &found.subquery->place,
                        "a stream inside of a sub-query expression");
    if (use->mode != LT_MODE_APPEND &&
        (found.aggregates > 1 || (found.aggregates == 1 && found.stream_joins > 0 && use->mode == LT_MODE_COMPLETE)))
        return refuse(found.first_aggregate,
                      "several stateful operators one after the other are possible in output mode append only", err);
    if (use->mode == LT_MODE_COMPLETE && found.aggregates == 0)
        return refuse_mode(use, root, "a query without aggregation", err);
    if (use->mode == LT_MODE_APPEND && found.unmarked_aggregate != NULL)
        return refuse_mode(use, found.unmarked_aggregate, "an aggregation without a watermark on a grouping column",
                           err);
    if (use->mode == LT_MODE_UPDATE && found.session != NULL)
        return refuse_mode(use, found.session, "session windows", err);
    if (found.unmarked_deduplicate != NULL)
        return refuse(found.unmarked_deduplicate, "WITHIN WATERMARK needs a watermark, which is not there", err);
    if (found.pivot != NULL) return refuse(found.pivot, "PIVOT is not possible", err);
    if (found.distinct_call != NULL) return refuse(found.distinct_call, "DISTINCT aggregates are not possible", err);
    if (found.window != NULL)
        return lt_raise(err, LT_NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING, &found.window->place,
                        "OVER is not possible on streams");
    if (found.changes != NULL && (use->mode == LT_MODE_APPEND || found.aggregates == 0))
        return refuse_mode(use, found.changes, "rows that change or go; changelog and no mode at all do", err);
    if (found.asof_join != NULL)
        return refuse(found.asof_join,
                      "an as-of join with a right side that changes, but for one that looks back over event times of "
                      "both sides, is not possible",
                      err);
    if (found.recursion != NULL) return refuse(found.recursion, "a recursion is not possible", err);
    if (found.set_operation != NULL && is_streaming(found.set_operation))
        return refuse(found.set_operation, "INTERSECT and EXCEPT are not possible", err);
    if (found.mixed_union != NULL)
        return refuse(found.mixed_union, "a union of streams and static tables is not possible", err);
    LT_TRY(check_joins(use, &found, err));
    for (const lt_plan *node = whole; use->mode == LT_MODE_COMPLETE && node->input_count == 1; node = node->inputs[0])
        if (node->kind == LT_PLAN_LIMIT && node->as.limit.offset > 0)
            return refuse(node, "OFFSET is not possible", err);
    if (found.sort != NULL && !(use->mode == LT_MODE_COMPLETE && found.aggregates > 0))
        return refuse(found.sort, "ORDER BY is possible above an aggregation in output mode complete only", err);
    if (found.offset != NULL) return refuse(found.offset, "OFFSET is not possible", err);
    if (found.limit != NULL && use->mode == LT_MODE_UPDATE)
        return refuse(found.limit, "LIMIT is not possible in output mode update", err);
    return LEAT_OK;
}
