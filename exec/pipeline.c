#include "exec/operator.h"

#include "base/clock.h"
#include "exec/recompute.h"

#include <stdatomic.h>

// A pipeline is a tree of nodes, one per plan node (two where recompute and compare wraps one). It runs recursively:
// the depth is that of the plan, which the parser bounds.

const lt_operator_kind *lt_operator_find(lt_plan_kind kind) {
    for (const lt_operator_kind *const *row = lt_operator_registry; *row != NULL; row++)
        if ((*row)->plan_kind == kind && (*row)->serves == NULL) return *row;
    return NULL;
}

const lt_operator_kind *lt_operator_of(const lt_plan *plan) {
    for (const lt_operator_kind *const *row = lt_operator_registry; *row != NULL; row++)
        if ((*row)->plan_kind == plan->kind && (*row)->serves != NULL && (*row)->serves(plan)) return *row;
    return lt_operator_find(plan->kind);
}

static leat_status node_new(lt_pipeline *pipeline, const lt_operator_kind *kind, const lt_plan *plan, lt_node *parent,
                            uint32_t parent_input, lt_node **out, leat_error *err) {
    LT_TRY_NEW(*out, &pipeline->arena, err);
    **out         = (lt_node){.kind         = kind,
                              .plan         = plan,
                              .pipeline     = pipeline,
                              .parent       = parent,
                              .parent_input = parent_input,
                              .is_fresh     = true};
    (*out)->state = lt_arena_zero(&pipeline->arena, kind->state_bytes + 1);
    if ((*out)->state == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW_ARRAY((*out)->inputs, &pipeline->arena, plan->input_count + 1u, err);
    return LEAT_OK;
}

leat_status lt_node_open_tree(lt_pipeline *pipeline, const lt_plan *plan, lt_node *parent, uint32_t parent_input,
                              lt_node **out, leat_error *err) {
    const lt_operator_kind *kind = lt_operator_of(plan);
    if (kind == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &plan->place, "%s has no operator yet", lt_plan_kind_name(plan->kind));
    if (pipeline->is_standing && plan->is_recomputed) kind = &lt_operator_recompute;
    lt_node *node;
    LT_TRY(node_new(pipeline, kind, plan, parent, parent_input, &node, err));
    *out = node;
    if (pipeline->nodes != NULL) pipeline->nodes[plan->id] = node;
    if (plan->kind == LT_PLAN_WATERMARK && plan->as.watermark.watermark < 64)
        node->watermark_mask |= (uint64_t)1 << plan->as.watermark.watermark;
    node->is_static = (parent != NULL && parent->is_static) ||
                      (parent != NULL && lt_plan_kind_joins(parent->plan->kind) && parent_input == 1 &&
                       pipeline->is_standing && !parent->plan->is_recomputed && !plan->properties.is_streaming);
    const lt_plan *bottom = kind == &lt_operator_recompute ? lt_recompute_bottom(plan) : plan;
    for (uint32_t i = 0; i < bottom->input_count; i++) {
        LT_TRY(lt_node_open_tree(pipeline, bottom->inputs[i], node, i, &node->inputs[i], err));
        node->input_count = i + 1;
        node->watermark_mask |= node->inputs[i]->watermark_mask;
    }
    node->is_open = true;
    return kind->open != NULL ? kind->open(node, err) : LEAT_OK;
}

void lt_node_close_tree(lt_node *node) {
    if (node == NULL) return;
    for (uint32_t i = 0; i <= node->input_count && i < node->plan->input_count; i++)
        lt_node_close_tree(node->inputs[i]);
    if (node->is_open && node->kind->close != NULL) node->kind->close(node);
    node->is_open = false;
}

leat_status lt_node_reopen_tree(lt_node *node, leat_error *err) {
    for (uint32_t i = 0; i < node->input_count; i++) LT_TRY(lt_node_reopen_tree(node->inputs[i], err));
    if (node->is_open && node->kind->close != NULL) node->kind->close(node);
    memset(node->state, 0, node->kind->state_bytes);
    node->is_fresh = node->is_open = true;
    return node->kind->open != NULL ? node->kind->open(node, err) : LEAT_OK;
}

leat_status lt_pipeline_open(lt_pipeline *pipeline, const lt_query_plan *plan, leat_error *err) {
    pipeline->plan = plan;
    lt_arena_init(&pipeline->arena, pipeline->account);
    LT_TRY_NEW_ARRAY(pipeline->nodes, &pipeline->arena, plan->node_count + 1u, err);
    return lt_node_open_tree(pipeline, plan->root, NULL, 0, &pipeline->root, err);
}

void lt_pipeline_close(lt_pipeline *pipeline) {
    lt_node_close_tree(pipeline->root);
    lt_arena_deinit(&pipeline->arena);
    pipeline->root  = NULL;
    pipeline->nodes = NULL;
}

lt_node *lt_node_enter(lt_node *node, const lt_pipeline *pipeline, lt_batch *batch) {
    lt_node *before = batch->running;
    int64_t  now_us = lt_clock_steady_us(pipeline->clock);
    if (before != NULL) {
        before->counts.spent_us += now_us - batch->running_since_us;
        before->counts.rows_updated += batch->rows_updated - batch->counted.rows_updated;
        before->counts.rows_removed += batch->rows_removed - batch->counted.rows_removed;
        before->counts.rows_dropped += batch->rows_dropped - batch->counted.rows_dropped;
    }
    batch->running              = node;
    batch->running_since_us     = now_us;
    batch->counted.rows_updated = batch->rows_updated;
    batch->counted.rows_removed = batch->rows_removed;
    batch->counted.rows_dropped = batch->rows_dropped;
    return before;
}

static leat_status chunk_hand_over(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    lt_node *parent = node->parent;
    if (parent == NULL) return node->pipeline->give(node->pipeline->user, chunk, batch, err);
    parent->counts.rows_in += chunk->count;
    return parent->kind->push(parent, node->parent_input, chunk, batch, err);
}

leat_status lt_emit(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    if (chunk->count == 0) return LEAT_OK;
    lt_assert(chunk->column_count == node->plan->column_count);
    node->counts.rows_out += chunk->count;
    if (!node->pipeline->is_measured) return chunk_hand_over(node, chunk, batch, err);
    lt_node    *before = lt_node_enter(node->parent, node->pipeline, batch);
    leat_status status = chunk_hand_over(node, chunk, batch, err);
    lt_node_enter(before, node->pipeline, batch);
    return status;
}

leat_status lt_emit_origin(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    const lt_evaluation *evaluation = batch->evaluation;
    if (evaluation->is_interrupted != NULL && evaluation->is_interrupted(evaluation->user))
        return lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
    if (node->input_count == 0 && evaluation->rows_read != NULL)
        atomic_fetch_add_explicit(evaluation->rows_read, chunk->count, memory_order_relaxed);
    leat_status status = lt_emit(node, chunk, batch, err);
    lt_arena_reset(batch->scratch);
    return status;
}

// The next node above that can be satisfied, with nothing between that needs all rows; NULL: there is none.
static const lt_node *limit_above(const lt_node *node) {
    if (node->pipeline->is_standing) return NULL;
    for (node = node->parent; node != NULL; node = node->parent) {
        if (node->kind->is_satisfied != NULL) return node;
        if (!node->kind->is_stateless) return NULL;
    }
    return NULL;
}

bool lt_node_can_be_satisfied(const lt_node *node) { return limit_above(node) != NULL; }

bool lt_node_is_satisfied(const lt_node *node) {
    while ((node = limit_above(node)) != NULL)
        if (node->kind->is_satisfied(node)) return true;
    return false;
}

leat_status lt_node_run(lt_node *node, lt_batch *batch, leat_error *err) {
    const lt_plan *plan = node->plan;
    const bool     is_right_first =
        lt_plan_kind_joins(plan->kind) && !(plan->kind == LT_PLAN_JOIN && plan->as.join.keeps_left);
    if (node->kind->prepare != NULL) LT_TRY(node->kind->prepare(node, err));
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t input = is_right_first ? node->input_count - 1 - i : i;
        if (((node->skip_mask >> input) & 1) == 0) LT_TRY(lt_node_run(node->inputs[input], batch, err));
    }
    bool     is_measured = node->pipeline->is_measured;
    lt_node *before      = is_measured ? lt_node_enter(node, node->pipeline, batch) : NULL;
    if (node->input_count == 0 && node->kind->produce != NULL) LT_TRY(node->kind->produce(node, batch, err));
    if (node->kind->end_batch != NULL) LT_TRY(node->kind->end_batch(node, batch, err));
    if (is_measured) lt_node_enter(before, node->pipeline, batch);
    node->is_fresh = false;
    return LEAT_OK;
}

static void counts_begin(lt_node *node) {
    node->counts_before = node->counts;
    for (uint32_t i = 0; i < node->input_count; i++) counts_begin(node->inputs[i]);
}

leat_status lt_pipeline_run(lt_pipeline *pipeline, lt_batch *batch, leat_error *err) {
    counts_begin(pipeline->root);
    return lt_node_run(pipeline->root, batch, err);
}

// A save is a run of sections: node id, length, what the node wrote. Nodes that wrote nothing are left out.
leat_status lt_pipeline_save_node(lt_node *node, bool is_full, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                  leat_error *err) {
    size_t start = out->bytes;
    LT_TRY(lt_buffer_append_u32(out, node->plan->id, err));
    LT_TRY(lt_buffer_append_u64(out, 0, err));
    size_t body = out->bytes;
    LT_TRY(cursor != NULL ? node->kind->save_part(node, cursor, bytes_max, out, err)
                          : node->kind->save(node, is_full, out, err));
    uint64_t bytes = out->bytes - body;
    if (bytes == 0)
        out->bytes = start;
    else
        memcpy(out->data + body - sizeof bytes, &bytes, sizeof bytes);
    return LEAT_OK;
}

leat_status lt_pipeline_save(lt_pipeline *pipeline, bool is_full, lt_buffer *out, leat_error *err) {
    for (uint32_t id = 0; id < pipeline->plan->node_count; id++) {
        lt_node *node = pipeline->nodes[id];
        if (node == NULL || node->kind->save == NULL || node->is_static) continue;
        int64_t begin_us = lt_clock_steady_us(pipeline->clock);
        LT_TRY(lt_pipeline_save_node(node, is_full, NULL, 0, out, err));
        node->counts.save_us += lt_clock_steady_us(pipeline->clock) - begin_us;
    }
    return LEAT_OK;
}

leat_status lt_pipeline_load_section(lt_pipeline *pipeline, uint32_t id, const char *bytes, size_t count,
                                     leat_error *err) {
    lt_node *node = id < pipeline->plan->node_count ? pipeline->nodes[id] : NULL;
    if (node == NULL || node->kind->load == NULL)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                        "the saved state names operator %u, which the query does not have", id);
    lt_reader section = {.next = bytes, .end = bytes + count};
    while (section.next < section.end) {
        const char *before = section.next;
        LT_TRY(node->kind->load(node, &section, err));
        if (section.next == before)
            return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "the saved state of operator %u has bytes too many", id);
    }
    node->is_fresh = false;
    return LEAT_OK;
}

leat_status lt_pipeline_load(lt_pipeline *pipeline, lt_reader *in, leat_error *err) {
    while (in->next < in->end) {
        uint32_t    id;
        const char *bytes;
        size_t      count;
        LT_TRY(lt_reader_u32(in, &id, err));
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_pipeline_load_section(pipeline, id, bytes, count, err));
    }
    return LEAT_OK;
}

bool lt_pipeline_is_due(const lt_pipeline *pipeline, const lt_batch *batch) {
    for (uint32_t id = 0; id < pipeline->plan->node_count; id++) {
        const lt_node *node = pipeline->nodes[id];
        if (node != NULL && node->kind->is_due != NULL && node->kind->is_due(node, batch)) return true;
    }
    return false;
}

static int64_t node_watermark(const lt_node *node, const lt_batch *batch, bool is_late) {
    int64_t found = INT64_MIN;
    if (node->pipeline->keeps_late) return found;
    for (uint32_t w = 0; w < batch->watermark_count && w < 64; w++) {
        if (((node->watermark_mask >> w) & 1) == 0) continue;
        int64_t value = is_late ? batch->watermarks[w].late_us : batch->watermarks[w].close_us;
        if (found == INT64_MIN || (batch->is_max_policy ? value > found : value < found)) found = value;
    }
    return found;
}

int64_t lt_node_late_us(const lt_node *node, const lt_batch *batch) { return node_watermark(node, batch, true); }
int64_t lt_node_close_us(const lt_node *node, const lt_batch *batch) { return node_watermark(node, batch, false); }

uint64_t lt_node_relations_version(const lt_node *node) {
    const lt_pipeline *pipeline = node->pipeline;
    uint64_t           version  = 1;
    if (node->plan->kind == LT_PLAN_TABLE_SCAN && pipeline->table_version != NULL)
        version += pipeline->table_version(pipeline->user, node->plan->as.scan.relation);
    for (uint32_t i = 0; i < node->input_count; i++) version += lt_node_relations_version(node->inputs[i]);
    return version;
}

bool lt_event_time(const lt_vector *column, uint32_t row, int64_t *out_us, bool *out_is_window) {
    const lt_vector *lanes = lt_vector_lanes(column);
    uint32_t         lane  = lt_vector_lane(column, row);
    *out_is_window         = lanes->type->kind == LT_STRUCT;
    if (lt_lane_is_null(lanes, lane)) return false;
    if (!*out_is_window) {
        *out_us = LT_LANES(lanes, const int64_t)[lane];
        return true;
    }
    const lt_vector *end = &lanes->children[1];
    if (lt_lane_is_null(end, lane)) return false;
    *out_us = LT_LANES(end, const int64_t)[lane];
    return true;
}

bool lt_event_due(const lt_node *node, const lt_vector *column, uint32_t row, int64_t *out_due_us) {
    bool is_window;
    if (!lt_event_time(column, row, out_due_us, &is_window)) return false;
    *out_due_us += node->pipeline->is_late_below && !is_window && *out_due_us < INT64_MAX;
    return true;
}

bool lt_node_forgets(const lt_node *node) {
    return node->pipeline->is_standing && !node->pipeline->keeps_late &&
           (node->plan->freezes || node->plan->emission != LT_EMIT_NET);
}
