// window: OVER. Keeps the rows of the batch with their keys and arguments, sorts them by partition and order at its
// end (equal keys keep their order of arrival; partitions by their first row), and gives each row its results behind
// its columns. Functions that pick or count rows are in exec/window_function.c; every other aggregate runs over the
// frames here: a frame that only grows is added to, linear aggregates give back what a frame leaves, the others
// start anew. So sums of doubles come out as Spark's, which starts anew too. For one batch: a standing query
// recomputes. Memory: all rows. Cost: O(n log n), and O(rows of the frame) a row for sliding frames of aggregates that
// are not linear.
#include "base/lanes.h"
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "exec/state/row_store.h"
#include "exec/state/sort_order.h"
#include "exec/window_frame.h"
#include "exec/window_function.h"

typedef struct call_state {
    const lt_window_call *call;
    uint32_t              input_count, first_column; // in the store: arguments and WITHIN GROUP keys, then FILTER
    const lt_expression **inputs;
    const lt_type       **types;
    lt_order_key         *order; // directions of the WITHIN GROUP keys
    void                 *state; // of the aggregate
} call_state;

typedef struct window {
    lt_evaluator          evaluator;
    lt_group_table        partitions;
    lt_row_store          rows; // partition number, input columns, order keys, then the inputs of each call
    const lt_expression **expressions;
    uint32_t              expression_count;
    uint32_t              first_order_column;
    call_state           *calls;
    lt_arena              arena, scratch;
} window;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status call_open(call_state *self, const lt_window_call *call, lt_arena *arena, leat_error *err) {
    const lt_aggregate_call *aggregate = &call->call;
    self->call                         = call;
    self->input_count                  = aggregate->argument_count + aggregate->order_count;
    LT_TRY_NEW_ARRAY(self->inputs, arena, self->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->types, arena, self->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->order, arena, aggregate->order_count + 1u, err);
    for (uint32_t i = 0; i < aggregate->argument_count; i++) self->inputs[i] = aggregate->arguments[i];
    for (uint32_t i = 0; i < aggregate->order_count; i++) {
        self->inputs[aggregate->argument_count + i] = aggregate->order[i].expression;
        self->order[i] = (lt_order_key){aggregate->order[i].is_descending, aggregate->order[i].is_nulls_first};
    }
    for (uint32_t i = 0; i < self->input_count; i++) self->types[i] = self->inputs[i]->type;
    if (aggregate->aggregate->state_bytes == 0) return LEAT_OK;
    self->state = lt_arena_zero(arena, aggregate->aggregate->state_bytes);
    if (self->state == NULL) return lt_raise_no_memory(err);
    if (aggregate->aggregate->open == NULL) return LEAT_OK;
    return aggregate->aggregate->open(self->state, self->types, aggregate->constants, aggregate->argument_count, arena,
                                      err);
}

static leat_status window_open(lt_node *node, leat_error *err) {
    window        *self          = node->state;
    const lt_plan *plan          = node->plan;
    lt_account    *account       = node->pipeline->account;
    uint32_t       input_columns = plan->column_count - plan->as.window.call_count;
    uint32_t       width         = 1 + input_columns + plan->as.window.order_count;
    uint32_t       wanted        = plan->as.window.partition_count + plan->as.window.order_count;
    lt_arena_init(&self->arena, account);
    lt_arena_init(&self->scratch, account);
    const lt_type **partition_types;
    LT_TRY(lt_expression_types(plan->as.window.partition, plan->as.window.partition_count, &self->arena,
                               &partition_types, err));
    lt_group_table_init(&self->partitions, account, partition_types, plan->as.window.partition_count,
                        node->pipeline->evaluation->random_seed);
    LT_TRY_NEW_ARRAY(self->calls, &self->arena, plan->as.window.call_count + 1u, err);
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        self->calls[i].first_column = width;
        LT_TRY(call_open(&self->calls[i], &plan->as.window.calls[i], &self->arena, err));
        width += self->calls[i].input_count + (plan->as.window.calls[i].call.filter != NULL);
        wanted += self->calls[i].input_count + 1;
    }
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &self->arena, width + 1u, err);
    LT_TRY_NEW_ARRAY(self->expressions, &self->arena, wanted + 1u, err);
    uint32_t at = 0;
    types[at++] = lt_type_of(LT_BIGINT);
    for (uint32_t c = 0; c < input_columns; c++) types[at++] = plan->columns[c].type;
    self->first_order_column = at;
    for (uint32_t k = 0; k < plan->as.window.partition_count; k++)
        self->expressions[self->expression_count++] = plan->as.window.partition[k];
    for (uint32_t k = 0; k < plan->as.window.order_count; k++) {
        self->expressions[self->expression_count++] = plan->as.window.order[k].expression;
        types[at++]                                 = plan->as.window.order[k].expression->type;
    }
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        const call_state *call = &self->calls[i];
        for (uint32_t a = 0; a < call->input_count; a++) {
            self->expressions[self->expression_count++] = call->inputs[a];
            types[at++]                                 = call->types[a];
        }
        if (call->call->call.filter == NULL) continue;
        self->expressions[self->expression_count++] = call->call->call.filter;
        types[at++]                                 = lt_type_of(LT_BOOLEAN);
    }
    lt_assert(at == width);
    LT_TRY(lt_row_store_init(&self->rows, types, width, account, err));
    return lt_evaluator_open(&self->evaluator, self->expressions, self->expression_count, node->pipeline->evaluation,
                             account, err);
}

// ---------------------------------------------------------------------------------------------------------------- push

// The value of an input for the rows that pass FILTER, NULL for the others: a row that FILTER rejects raises nothing.
static leat_status filtered_input(window *self, const lt_expression *input, const lt_chunk *delta,
                                  const lt_rows *passed, lt_arena *arena, lt_vector *out, leat_error *err) {
    const lt_vector *value;
    uint32_t         at = 0;
    LT_TRY(lt_evaluator_run(&self->evaluator, input, delta, passed, arena, &value, err));
    LT_TRY(lt_vector_init(out, input->type, delta->count, arena, err));
    for (uint32_t row = 0; row < delta->count; row++) {
        if (at < passed->count && passed->rows[at] == row) {
            LT_TRY(lt_lane_put(out, row, value, row, arena, err));
            at++;
        } else {
            LT_TRY(lt_lane_put_null(out, row, arena, err));
        }
    }
    out->lanes = delta->count;
    return LEAT_OK;
}

static leat_status call_inputs(window *self, const call_state *call, const lt_chunk *delta, lt_arena *arena,
                               lt_vector *out, leat_error *err) {
    const lt_expression *filter = call->call->call.filter;
    const lt_vector     *value;
    if (filter == NULL) {
        for (uint32_t a = 0; a < call->input_count; a++) {
            LT_TRY(lt_evaluator_run(&self->evaluator, call->inputs[a], delta, NULL, arena, &value, err));
            out[a] = *value;
        }
        return LEAT_OK;
    }
    uint16_t *rows;
    uint32_t  count = 0;
    LT_TRY_NEW_ARRAY(rows, arena, delta->count + 1u, err);
    LT_TRY(lt_evaluator_run(&self->evaluator, filter, delta, NULL, arena, &value, err));
    for (uint32_t row = 0; row < delta->count; row++)
        if (!lt_vector_is_null(value, row) && LT_VALUE(value, uint8_t, row) != 0) rows[count++] = (uint16_t)row;
    out[call->input_count] = *value;
    lt_rows passed         = {.rows = rows, .count = count};
    for (uint32_t a = 0; a < call->input_count; a++)
        LT_TRY(filtered_input(self, call->inputs[a], delta, &passed, arena, &out[a], err));
    return LEAT_OK;
}

static leat_status window_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    window          *self  = node->state;
    const lt_plan   *plan  = node->plan;
    lt_arena        *arena = batch->scratch;
    lt_vector       *keys;
    uint32_t        *groups;
    const lt_vector *value;
    lt_chunk         wide = *delta;
    wide.column_count     = self->rows.column_count;
    LT_TRY_NEW_ARRAY(wide.columns, arena, wide.column_count + 1u, err);
    LT_TRY_NEW_ARRAY(keys, arena, plan->as.window.partition_count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, arena, delta->count + 1u, err);
    for (uint32_t k = 0; k < plan->as.window.partition_count; k++) {
        LT_TRY(lt_evaluator_run(&self->evaluator, plan->as.window.partition[k], delta, NULL, arena, &value, err));
        keys[k] = *value;
    }
    if (plan->as.window.partition_count > 0)
        LT_TRY(lt_group_table_find_or_add(&self->partitions, keys, plan->as.window.partition_count, NULL, delta->count,
                                          groups, err));
    LT_TRY(lt_vector_init(&wide.columns[0], lt_type_of(LT_BIGINT), delta->count, arena, err));
    for (uint32_t row = 0; row < delta->count; row++) LT_LANES(&wide.columns[0], int64_t)[row] = groups[row];
    wide.columns[0].lanes = delta->count;
    memcpy(wide.columns + 1, delta->columns, sizeof *wide.columns * (self->first_order_column - 1));
    for (uint32_t k = 0; k < plan->as.window.order_count; k++) {
        LT_TRY(
            lt_evaluator_run(&self->evaluator, plan->as.window.order[k].expression, delta, NULL, arena, &value, err));
        wide.columns[self->first_order_column + k] = *value;
    }
    for (uint32_t i = 0; i < plan->as.window.call_count; i++)
        LT_TRY(call_inputs(self, &self->calls[i], delta, arena, wide.columns + self->calls[i].first_column, err));
    return lt_row_store_append(&self->rows, &wide, err);
}

// --------------------------------------------------------------------------------------------------------------- order

static leat_status rows_sort(window *self, const lt_plan *plan, uint32_t **out, leat_error *err) {
    uint32_t          key_count = plan->as.window.order_count + 1;
    const lt_vector **columns;
    lt_sort_key      *keys;
    LT_TRY_NEW_ARRAY(*out, &self->arena, self->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, &self->arena, key_count, err);
    LT_TRY_NEW_ARRAY(keys, &self->arena, key_count, err);
    for (uint32_t row = 0; row < self->rows.count; row++) (*out)[row] = row;
    columns[0] = &self->rows.columns[0];
    for (uint32_t k = 1; k < key_count; k++) {
        columns[k] = &self->rows.columns[self->first_order_column + k - 1];
        keys[k]    = plan->as.window.order[k - 1];
    }
    return lt_sort_rows(columns, keys, key_count, *out, self->rows.count, &self->arena, err);
}

typedef struct edges {
    uint32_t *partition_first, *partition_end, *peer_first, *peer_end;
} edges;

static void edges_close(uint32_t *firsts, uint32_t *ends, uint32_t from, uint32_t to) {
    for (uint32_t at = from; at < to; at++) firsts[at] = from, ends[at] = to;
}

static leat_status edges_find(window *self, const lt_plan *plan, const uint32_t *order, edges *out, leat_error *err) {
    const lt_vector **columns;
    const int64_t    *partitions = LT_LANES(&self->rows.columns[0], const int64_t);
    uint32_t          count = self->rows.count, partition = 0, peer = 0;
    LT_TRY_NEW_ARRAY(columns, &self->arena, plan->as.window.order_count + 1u, err);
    LT_TRY_NEW_ARRAY(out->partition_first, &self->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->partition_end, &self->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->peer_first, &self->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->peer_end, &self->arena, count + 1u, err);
    for (uint32_t k = 0; k < plan->as.window.order_count; k++)
        columns[k] = &self->rows.columns[self->first_order_column + k];
    for (uint32_t at = 1; at <= count; at++) {
        bool is_new = at == count || partitions[order[at]] != partitions[order[at - 1]];
        if (!is_new &&
            lt_sort_compare(columns, plan->as.window.order, plan->as.window.order_count, order[at - 1], order[at]) == 0)
            continue;
        edges_close(out->peer_first, out->peer_end, peer, at);
        peer = at;
        if (!is_new) continue;
        edges_close(out->partition_first, out->partition_end, partition, at);
        partition = at;
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------- aggregates over frames

// One aggregate over the frames: its accumulator holds the live rows [first, end).
typedef struct frame_state {
    const call_state *call;
    lt_node          *node;
    lt_arena         *arena, *scratch;
    lt_vector        *inputs; // live rows only, by number of the live row
    const uint32_t   *live;
    void             *accumulator;
    uint32_t          first, end;
    uint32_t         *groups; // LT_CHUNK_ROWS_MAX zeros
    int64_t          *added, *taken, *places;
    lt_vector         result; // one lane
} frame_state;

// One accumulator is small anyway.
static const lt_aggregate *aggregate_of(const frame_state *self) {
    return lt_aggregate_widest(self->call->call->call.aggregate);
}

static void frame_clear(frame_state *self) {
    const lt_aggregate *function = aggregate_of(self);
    if (function->close != NULL) function->close(self->accumulator, self->node->pipeline->account);
    memset(self->accumulator, 0, function->accumulator_bytes);
}

static leat_status frame_open(frame_state *self, uint32_t row_count, const lt_vector *inputs, uint32_t live_count,
                              leat_error *err) {
    LT_TRY_NEW_ARRAY(self->groups, self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->added, self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->taken, self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, self->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t i = 0; i < LT_CHUNK_ROWS_MAX; i++) self->added[i] = 1, self->taken[i] = -1;
    LT_TRY_NEW_ARRAY(self->inputs, self->arena, self->call->input_count + 1u, err);
    for (uint32_t a = 0; a < self->call->input_count; a++) {
        if (live_count == row_count)
            self->inputs[a] = inputs[a];
        else
            LT_TRY(lt_row_store_gather_column(&inputs[a], self->live, live_count, self->arena, &self->inputs[a], err));
    }
    self->accumulator = lt_arena_zero(self->arena, aggregate_of(self)->accumulator_bytes + 1);
    return self->accumulator == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// Live rows [first, end) into (or out of) the accumulator.
static leat_status frame_update(frame_state *self, uint32_t first, uint32_t end, const int64_t *weights,
                                leat_error *err) {
    const lt_aggregate_call *call = &self->call->call->call;
    for (uint32_t at = first; at < end; at += LT_CHUNK_ROWS_MAX) {
        uint32_t          count = end - at < LT_CHUNK_ROWS_MAX ? end - at : LT_CHUNK_ROWS_MAX;
        lt_vector        *slices;
        const lt_vector **arguments;
        LT_TRY_NEW_ARRAY(slices, self->scratch, self->call->input_count + 1u, err);
        LT_TRY_NEW_ARRAY(arguments, self->scratch, self->call->input_count + 1u, err);
        for (uint32_t a = 0; a < self->call->input_count; a++) {
            slices[a]    = lt_vector_slice(&self->inputs[a], at, count, self->scratch);
            arguments[a] = &slices[a];
        }
        for (uint32_t i = 0; i < count; i++) self->places[i] = self->live[at + i];
        lt_aggregate_rows rows = {.aggregate      = aggregate_of(self),
                                  .arguments      = arguments,
                                  .values         = self->call->input_count > 0 ? slices[0].values : NULL,
                                  .argument_count = self->call->input_count,
                                  .group_index    = self->groups,
                                  .weight         = weights,
                                  .place          = self->places,
                                  .count          = count,
                                  .memory         = self->node->pipeline->account,
                                  .result_type    = call->type,
                                  .constants      = call->constants,
                                  .evaluation     = self->node->pipeline->evaluation,
                                  .state          = self->call->state,
                                  .order_count    = call->order_count,
                                  .order          = self->call->order};
        LT_TRY(aggregate_of(self)->update(self->accumulator, &rows, err));
        lt_arena_reset(self->scratch);
    }
    return LEAT_OK;
}

// Makes the accumulator hold [first, end).
static leat_status frame_move(frame_state *self, uint32_t first, uint32_t end, leat_error *err) {
    const bool is_linear = aggregate_of(self)->is_linear && !aggregate_of(self)->has_memory;
    const bool reaches   = first >= self->first && first <= self->end && end >= self->end;
    if (!reaches || (first > self->first && !is_linear)) {
        frame_clear(self);
        self->first = self->end = first;
    }
    LT_TRY(frame_update(self, self->first, first, self->taken, err));
    LT_TRY(frame_update(self, self->end, end, self->added, err));
    self->first = first;
    self->end   = end;
    return LEAT_OK;
}

static leat_status frame_finish(frame_state *self, leat_error *err) {
    const lt_aggregate_call *call    = &self->call->call->call;
    uint8_t                  is_null = 0, failed = 0;
    LT_TRY(lt_vector_init(&self->result, call->type, 1, self->arena, err));
    if (self->result.values != NULL) memset(self->result.values, 0, lt_kind_lane_bytes(call->type->kind));
    lt_aggregate_results out = {.aggregate      = aggregate_of(self),
                                .group_index    = self->groups,
                                .count          = 1,
                                .values         = self->result.values,
                                .is_null        = &is_null,
                                .failed         = &failed,
                                .into           = &self->result,
                                .arena          = self->arena,
                                .argument_types = self->call->types,
                                .constants      = call->constants,
                                .result_type    = call->type,
                                .evaluation     = self->node->pipeline->evaluation,
                                .state          = self->call->state,
                                .memory         = self->node->pipeline->account,
                                .argument_count = self->call->input_count,
                                .order_count    = call->order_count,
                                .order          = self->call->order};
    LT_TRY(aggregate_of(self)->finish(self->accumulator, &out, err));
    self->result.lanes = 1;
    if (failed)
        return lt_raise(err, call->aggregate->fails_with, &call->place, "the result of %s does not fit its type",
                        call->aggregate->name);
    return is_null ? lt_vector_set_null(&self->result, 0, self->arena, err) : LEAT_OK;
}

static leat_status frames_run(frame_state *self, const lt_window_rows *rows, leat_error *err) {
    const lt_evaluation *evaluation = self->node->pipeline->evaluation;
    uint64_t             work       = 0;
    frame_clear(self);
    self->first = self->end = rows->live_before[rows->first];
    for (uint32_t at = rows->first; at < rows->end; at++) {
        uint32_t first = rows->live_before[rows->frame_first[at]], end = rows->live_before[rows->frame_end[at]];
        if (at == rows->first || first != self->first || end != self->end) {
            LT_TRY(frame_move(self, first, end, err));
            LT_TRY(frame_finish(self, err));
            work += 16 + (end - first);
        }
        LT_TRY(lt_lane_put(rows->into, at, &self->result, 0, rows->arena, err));
        if (work < LT_CHUNK_ROWS_MAX * 64) continue;
        work = 0;
        if (evaluation->is_interrupted != NULL && evaluation->is_interrupted(evaluation->user))
            return lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- calls

static leat_status live_find(window *self, const call_state *call, const lt_vector *inputs, const lt_vector *filter,
                             uint32_t **out_live, uint32_t **out_before, uint32_t *out_count, leat_error *err) {
    const bool skips_nulls = lt_window_call_ignores_nulls(call->call) && call->input_count > 0;
    *out_count             = 0;
    LT_TRY_NEW_ARRAY(*out_live, &self->arena, self->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(*out_before, &self->arena, self->rows.count + 1u, err);
    for (uint32_t at = 0; at < self->rows.count; at++) {
        (*out_before)[at] = *out_count;
        if (skips_nulls && lt_vector_is_null(&inputs[0], at)) continue;
        if (filter != NULL && (lt_vector_is_null(filter, at) || LT_LANES(filter, const uint8_t)[at] == 0)) continue;
        (*out_live)[(*out_count)++] = at;
    }
    (*out_before)[self->rows.count] = *out_count;
    return LEAT_OK;
}

static leat_status partitions_run(frame_state *frames, lt_window_compute compute, lt_window_rows *rows,
                                  const lt_window_order *order, leat_error *err) {
    for (uint32_t first = 0; first < order->count; first = order->partition_end[first]) {
        rows->first = first;
        rows->end   = order->partition_end[first];
        LT_TRY(compute != NULL ? compute(rows, err) : frames_run(frames, rows, err));
    }
    return LEAT_OK;
}

static leat_status call_run(lt_node *node, const call_state *call, const uint32_t *sorted, const lt_window_order *order,
                            lt_vector *into, leat_error *err) {
    window                  *self  = node->state;
    const lt_aggregate_call *named = &call->call->call;
    uint32_t                 width = call->input_count + (named->filter != NULL), live_count;
    lt_vector               *inputs;
    const lt_vector        **arguments;
    uint32_t                *live, *live_before, *frame_first, *frame_end;
    LT_TRY_NEW_ARRAY(inputs, &self->arena, width + 1u, err);
    LT_TRY_NEW_ARRAY(arguments, &self->arena, width + 1u, err);
    for (uint32_t a = 0; a < width; a++) {
        LT_TRY(lt_row_store_gather_column(&self->rows.columns[call->first_column + a], sorted, order->count,
                                          &self->arena, &inputs[a], err));
        arguments[a] = &inputs[a];
    }
    LT_TRY(live_find(self, call, inputs, named->filter != NULL ? &inputs[call->input_count] : NULL, &live, &live_before,
                     &live_count, err));
    LT_TRY(
        lt_window_frames(call->call, order, node->pipeline->evaluation, &self->arena, &frame_first, &frame_end, err));
    LT_TRY(lt_vector_init(into, named->type, order->count, &self->arena, err));
    into->lanes                     = order->count;
    lt_window_rows          rows    = {.call        = call->call,
                                       .peer_first  = order->peer_first,
                                       .peer_end    = order->peer_end,
                                       .frame_first = frame_first,
                                       .frame_end   = frame_end,
                                       .live        = live,
                                       .live_before = live_before,
                                       .arguments   = arguments,
                                       .into        = into,
                                       .arena       = &self->arena};
    const lt_window_compute compute = lt_window_function_find(named->aggregate->name);
    if (compute != NULL) return partitions_run(NULL, compute, &rows, order, err);
    frame_state frames = {.call = call, .node = node, .arena = &self->arena, .scratch = &self->scratch, .live = live};
    LT_TRY(frame_open(&frames, order->count, inputs, live_count, err));
    leat_status status = partitions_run(&frames, NULL, &rows, order, err);
    frame_clear(&frames);
    if (status != LEAT_OK) lt_error_place(err, &named->place);
    return status;
}

static leat_status window_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    window        *self    = node->state;
    const lt_plan *plan    = node->plan;
    uint32_t       columns = self->first_order_column - 1, count = self->rows.count;
    uint32_t      *sorted;
    edges          found;
    lt_vector     *results, key;
    if (count == 0) return LEAT_OK;
    LT_TRY(rows_sort(self, plan, &sorted, err));
    LT_TRY(edges_find(self, plan, sorted, &found, err));
    lt_window_order order = {.count           = count,
                             .partition_first = found.partition_first,
                             .partition_end   = found.partition_end,
                             .peer_first      = found.peer_first,
                             .peer_end        = found.peer_end};
    if (plan->as.window.order_count > 0) {
        LT_TRY(lt_row_store_gather_column(&self->rows.columns[self->first_order_column], sorted, count, &self->arena,
                                          &key, err));
        order.key  = &key;
        order.sort = plan->as.window.order;
    }
    LT_TRY_NEW_ARRAY(results, &self->arena, plan->as.window.call_count + 1u, err);
    for (uint32_t i = 0; i < plan->as.window.call_count; i++)
        LT_TRY(call_run(node, &self->calls[i], sorted, &order, &results[i], err));
    for (uint32_t first = 0; first < count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t part = count - first < LT_CHUNK_ROWS_MAX ? count - first : LT_CHUNK_ROWS_MAX;
        lt_chunk out  = {.column_count = plan->column_count, .count = part};
        LT_TRY_NEW_ARRAY(out.columns, batch->scratch, plan->column_count + 1u, err);
        for (uint32_t c = 0; c < columns; c++)
            LT_TRY(lt_row_store_gather_column(&self->rows.columns[c + 1], sorted + first, part, batch->scratch,
                                              &out.columns[c], err));
        for (uint32_t i = 0; i < plan->as.window.call_count; i++)
            out.columns[columns + i] = lt_vector_slice(&results[i], first, part, batch->scratch);
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static void window_close(lt_node *node) {
    window *self = node->state;
    if (self->arena.account == NULL) return;
    lt_row_store_deinit(&self->rows);
    lt_group_table_deinit(&self->partitions);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->scratch);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_window = {
    .name        = "Window",
    .plan_kind   = LT_PLAN_WINDOW,
    .state_bytes = sizeof(window),
    .open        = window_open,
    .push        = window_push,
    .end_batch   = window_end_batch,
    .close       = window_close,
};
