// Functions that pick or count rows are in exec/window/function.c; every other aggregate runs over the frames here: a
// frame that only grows is added to, linear aggregates give back what a frame leaves, the others start anew. So sums of
// doubles come out as Spark's, which starts anew too.
#include "exec/window/run.h"

#include "base/lanes.h"
#include "exec/state/sort_order.h"

enum { MARK_ROWS = 512 }; // between two marks

// ---------------------------------------------------------------------------------------------------------------- open

bool lt_window_call_is_running(const lt_window_call *call) {
    const lt_aggregate *aggregate = lt_aggregate_widest(call->call.aggregate);
    return call->first == LT_BOUND_UNBOUNDED_PRECEDING && call->last == LT_BOUND_CURRENT_ROW &&
           lt_window_function_find(call->call.aggregate->name) == NULL && !aggregate->has_memory &&
           aggregate->close == NULL;
}

static leat_status call_open(lt_window_run_call *self, const lt_window_call *call, lt_arena *arena, leat_error *err) {
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

leat_status lt_window_run_open(lt_window_run *run, const lt_plan *plan, lt_evaluation *evaluation, lt_account *account,
                               leat_error *err) {
    uint32_t input_columns = plan->column_count - plan->as.window.call_count;
    uint32_t width         = 1 + input_columns + plan->as.window.order_count;
    uint32_t wanted        = plan->as.window.order_count;
    *run                   = (lt_window_run){.plan = plan, .account = account, .evaluation = evaluation};
    lt_arena_init(&run->arena, account);
    lt_arena_init(&run->work, account);
    lt_arena_init(&run->scratch, account);
    LT_TRY_NEW_ARRAY(run->calls, &run->arena, plan->as.window.call_count + 1u, err);
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        lt_window_run_call *call = &run->calls[i];
        call->first_column       = width;
        LT_TRY(call_open(call, &plan->as.window.calls[i], &run->arena, err));
        width += call->input_count + (plan->as.window.calls[i].call.filter != NULL);
        wanted += call->input_count + 1;
        call->is_running = lt_window_call_is_running(call->call);
        if (!call->is_running) continue;
        call->mark_offset = run->mark_bytes;
        run->mark_bytes += (lt_aggregate_widest(call->call->call.aggregate)->accumulator_bytes + 15) / 16 * 16;
    }
    LT_TRY_NEW_ARRAY(run->types, &run->arena, width + 1u, err);
    LT_TRY_NEW_ARRAY(run->expressions, &run->arena, wanted + 1u, err);
    uint32_t at      = 0;
    run->width       = width;
    run->types[at++] = lt_type_of(LT_BIGINT);
    for (uint32_t c = 0; c < input_columns; c++) run->types[at++] = plan->columns[c].type;
    run->first_order_column = at;
    for (uint32_t k = 0; k < plan->as.window.order_count; k++) {
        run->expressions[run->expression_count++] = plan->as.window.order[k].expression;
        run->types[at++]                          = plan->as.window.order[k].expression->type;
    }
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        const lt_window_run_call *call = &run->calls[i];
        for (uint32_t a = 0; a < call->input_count; a++) {
            run->expressions[run->expression_count++] = call->inputs[a];
            run->types[at++]                          = call->types[a];
        }
        if (call->call->call.filter == NULL) continue;
        run->expressions[run->expression_count++] = call->call->call.filter;
        run->types[at++]                          = lt_type_of(LT_BOOLEAN);
    }
    lt_assert(at == width);
    LT_TRY(lt_row_store_init(&run->rows, run->types, width, account, err));
    return lt_evaluator_open(&run->evaluator, run->expressions, run->expression_count, evaluation, account, err);
}

// -------------------------------------------------------------------------------------------------------------- append

// The value of an input for the rows that pass FILTER, NULL for the others: a row that FILTER rejects raises nothing.
static leat_status filtered_input(lt_window_run *self, const lt_expression *input, const lt_chunk *delta,
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

static leat_status call_inputs(lt_window_run *self, const lt_window_run_call *call, const lt_chunk *delta,
                               lt_arena *arena, lt_vector *out, leat_error *err) {
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

leat_status lt_window_run_append(lt_window_run *run, const lt_chunk *chunk, const uint32_t *partitions, lt_arena *arena,
                                 leat_error *err) {
    const lt_plan   *plan = run->plan;
    const lt_vector *value;
    lt_chunk         wide = *chunk;
    wide.column_count     = run->width;
    LT_TRY_NEW_ARRAY(wide.columns, arena, wide.column_count + 1u, err);
    LT_TRY(lt_vector_init(&wide.columns[0], lt_type_of(LT_BIGINT), chunk->count, arena, err));
    for (uint32_t row = 0; row < chunk->count; row++) LT_LANES(&wide.columns[0], int64_t)[row] = partitions[row];
    wide.columns[0].lanes = chunk->count;
    memcpy(wide.columns + 1, chunk->columns, sizeof *wide.columns * (run->first_order_column - 1));
    for (uint32_t k = 0; k < plan->as.window.order_count; k++) {
        LT_TRY(lt_evaluator_run(&run->evaluator, plan->as.window.order[k].expression, chunk, NULL, arena, &value, err));
        wide.columns[run->first_order_column + k] = *value;
    }
    for (uint32_t i = 0; i < plan->as.window.call_count; i++)
        LT_TRY(call_inputs(run, &run->calls[i], chunk, arena, wide.columns + run->calls[i].first_column, err));
    return lt_row_store_append(&run->rows, &wide, err);
}

leat_status lt_window_run_reset(lt_window_run *run, leat_error *err) {
    lt_row_store_deinit(&run->rows);
    lt_arena_reset(&run->work);
    return lt_row_store_init(&run->rows, run->types, run->width, run->account, err);
}

// --------------------------------------------------------------------------------------------------------------- order

leat_status lt_window_run_sort(lt_window_run *run, uint32_t **out, leat_error *err) {
    uint32_t          key_count = run->plan->as.window.order_count + 1;
    const lt_vector **columns;
    lt_sort_key      *keys;
    LT_TRY_NEW_ARRAY(*out, &run->work, run->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, &run->work, key_count, err);
    LT_TRY_NEW_ARRAY(keys, &run->work, key_count, err);
    for (uint32_t row = 0; row < run->rows.count; row++) (*out)[row] = row;
    columns[0] = &run->rows.columns[0];
    for (uint32_t k = 1; k < key_count; k++) {
        columns[k] = &run->rows.columns[run->first_order_column + k - 1];
        keys[k]    = run->plan->as.window.order[k - 1];
    }
    return lt_sort_rows(columns, keys, key_count, *out, run->rows.count, &run->work, err);
}

typedef struct edges {
    uint32_t *partition_first, *partition_end, *peer_first, *peer_end;
} edges;

static void edges_close(uint32_t *firsts, uint32_t *ends, uint32_t from, uint32_t to) {
    for (uint32_t at = from; at < to; at++) firsts[at] = from, ends[at] = to;
}

static leat_status edges_find(lt_window_run *self, const uint32_t *order, edges *out, leat_error *err) {
    const lt_vector **columns;
    const int64_t    *partitions = LT_LANES(&self->rows.columns[0], const int64_t);
    uint32_t          count = self->rows.count, partition = 0, peer = 0;
    LT_TRY_NEW_ARRAY(columns, &self->work, self->plan->as.window.order_count + 1u, err);
    LT_TRY_NEW_ARRAY(out->partition_first, &self->work, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->partition_end, &self->work, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->peer_first, &self->work, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->peer_end, &self->work, count + 1u, err);
    for (uint32_t k = 0; k < self->plan->as.window.order_count; k++)
        columns[k] = &self->rows.columns[self->first_order_column + k];
    for (uint32_t at = 1; at <= count; at++) {
        bool is_new = at == count || partitions[order[at]] != partitions[order[at - 1]];
        if (!is_new && lt_sort_compare(columns, self->plan->as.window.order, self->plan->as.window.order_count,
                                       order[at - 1], order[at]) == 0)
            continue;
        edges_close(out->peer_first, out->peer_end, peer, at);
        peer = at;
        if (!is_new) continue;
        edges_close(out->partition_first, out->partition_end, partition, at);
        partition = at;
    }
    return LEAT_OK;
}

// Where the marks of a part stand: at the first of equal rows, some rows apart, and at the last of these.
static leat_status marks_place(lt_window_run *self, const edges *found, lt_window_part *part, leat_error *err) {
    const uint32_t rows_before = part->from != NULL ? part->from->rows_before : 0;
    uint32_t       peers = part->from != NULL ? part->from->peers_before : 0, last = part->first;
    part->mark_count = 0;
    if (!part->wants_marks) return LEAT_OK;
    LT_TRY_NEW_ARRAY(part->marks, &self->work, (part->end - part->first) / MARK_ROWS + 2u, err);
    for (uint32_t at = part->first; at < part->end; at = found->peer_end[at], peers++) {
        const bool is_last = found->peer_end[at] == part->end;
        if (at < part->wanted_first || (!is_last && at - last < MARK_ROWS)) continue;
        lt_window_mark *mark = &part->marks[part->mark_count++];
        mark->rows_before    = rows_before + (at - part->first);
        mark->peers_before   = peers;
        mark->accumulators   = lt_arena_zero(&self->work, self->mark_bytes + 1);
        if (mark->accumulators == NULL) return lt_raise_no_memory(err);
        last = at;
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------- aggregates over frames

// One aggregate over the frames: its accumulator holds the live rows [first, end).
typedef struct frame_state {
    const lt_window_run_call *call;
    lt_window_run            *run;
    lt_vector                *inputs; // live rows only, by number of the live row
    const uint32_t           *live;
    void                     *accumulator;
    uint32_t                  first, end;
    int64_t                   place;  // added to the number of a live row: its position in the partition
    uint32_t                 *groups; // LT_CHUNK_ROWS_MAX zeros
    int64_t                  *added, *taken, *places;
    lt_vector                 result; // one lane
} frame_state;

// One accumulator is small anyway.
static const lt_aggregate *aggregate_of(const frame_state *self) {
    return lt_aggregate_widest(self->call->call->call.aggregate);
}

static void frame_clear(frame_state *self) {
    const lt_aggregate *function = aggregate_of(self);
    if (function->close != NULL) function->close(self->accumulator, self->run->account);
    memset(self->accumulator, 0, function->accumulator_bytes);
}

static leat_status frame_open(frame_state *self, uint32_t row_count, const lt_vector *inputs, uint32_t live_count,
                              leat_error *err) {
    LT_TRY_NEW_ARRAY(self->groups, &self->run->work, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->added, &self->run->work, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->taken, &self->run->work, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, &self->run->work, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t i = 0; i < LT_CHUNK_ROWS_MAX; i++) self->added[i] = 1, self->taken[i] = -1;
    LT_TRY_NEW_ARRAY(self->inputs, &self->run->work, self->call->input_count + 1u, err);
    for (uint32_t a = 0; a < self->call->input_count; a++) {
        if (live_count == row_count)
            self->inputs[a] = inputs[a];
        else
            LT_TRY(lt_row_store_gather_column(&inputs[a], self->live, live_count, &self->run->work, &self->inputs[a],
                                              err));
    }
    self->accumulator = lt_arena_zero(&self->run->work, aggregate_of(self)->accumulator_bytes + 1);
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
        LT_TRY_NEW_ARRAY(slices, &self->run->scratch, self->call->input_count + 1u, err);
        LT_TRY_NEW_ARRAY(arguments, &self->run->scratch, self->call->input_count + 1u, err);
        for (uint32_t a = 0; a < self->call->input_count; a++) {
            slices[a]    = lt_vector_slice(&self->inputs[a], at, count, &self->run->scratch);
            arguments[a] = &slices[a];
        }
        for (uint32_t i = 0; i < count; i++) self->places[i] = (int64_t)self->live[at + i] + self->place;
        lt_aggregate_rows rows = {.aggregate      = aggregate_of(self),
                                  .arguments      = arguments,
                                  .values         = self->call->input_count > 0 ? slices[0].values : NULL,
                                  .argument_count = self->call->input_count,
                                  .group_index    = self->groups,
                                  .weight         = weights,
                                  .place          = self->places,
                                  .count          = count,
                                  .memory         = self->run->account,
                                  .result_type    = call->type,
                                  .constants      = call->constants,
                                  .evaluation     = self->run->evaluation,
                                  .state          = self->call->state,
                                  .order_count    = call->order_count,
                                  .order          = self->call->order};
        LT_TRY(aggregate_of(self)->update(self->accumulator, &rows, err));
        lt_arena_reset(&self->run->scratch);
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
    LT_TRY(lt_vector_init(&self->result, call->type, 1, &self->run->work, err));
    if (self->result.values != NULL) memset(self->result.values, 0, lt_kind_lane_bytes(call->type->kind));
    lt_aggregate_results out = {.aggregate      = aggregate_of(self),
                                .group_index    = self->groups,
                                .count          = 1,
                                .values         = self->result.values,
                                .is_null        = &is_null,
                                .failed         = &failed,
                                .into           = &self->result,
                                .arena          = &self->run->work,
                                .argument_types = self->call->types,
                                .constants      = call->constants,
                                .result_type    = call->type,
                                .evaluation     = self->run->evaluation,
                                .state          = self->call->state,
                                .memory         = self->run->account,
                                .argument_count = self->call->input_count,
                                .order_count    = call->order_count,
                                .order          = self->call->order};
    LT_TRY(aggregate_of(self)->finish(self->accumulator, &out, err));
    self->result.lanes = 1;
    if (failed)
        return lt_raise(err, call->aggregate->fails_with, &call->place, "the result of %s does not fit its type",
                        call->aggregate->name);
    return is_null ? lt_vector_set_null(&self->result, 0, &self->run->work, err) : LEAT_OK;
}

// A running call takes over what its mark holds, and leaves what it holds where marks are to stand.
static leat_status frames_begin(frame_state *self, const lt_window_rows *rows, const lt_window_part *part,
                                leat_error *err) {
    const size_t bytes = aggregate_of(self)->accumulator_bytes;
    frame_clear(self);
    self->first = self->end = rows->live_before[rows->first];
    self->place             = (part->from != NULL ? (int64_t)part->from->rows_before : 0) - rows->first;
    if (!self->call->is_running) return LEAT_OK;
    if (part->from != NULL) memcpy(self->accumulator, part->from->accumulators + self->call->mark_offset, bytes);
    return frame_move(self, self->first, rows->live_before[part->wanted_first], err);
}

static leat_status frames_run(frame_state *self, const lt_window_rows *rows, lt_window_part *part, leat_error *err) {
    const lt_evaluation *evaluation = self->run->evaluation;
    const uint32_t       mark_base  = rows->first - (part->from != NULL ? part->from->rows_before : 0);
    uint64_t             work       = 0;
    uint32_t             mark       = 0;
    LT_TRY(frames_begin(self, rows, part, err));
    for (uint32_t at = part->wanted_first; at < rows->end; at++) {
        if (self->call->is_running && mark < part->mark_count && part->marks[mark].rows_before + mark_base == at)
            memcpy(part->marks[mark++].accumulators + self->call->mark_offset, self->accumulator,
                   aggregate_of(self)->accumulator_bytes);
        uint32_t first = rows->live_before[rows->frame_first[at]], end = rows->live_before[rows->frame_end[at]];
        if (at == part->wanted_first || first != self->first || end != self->end) {
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

static leat_status live_find(lt_window_run *self, const lt_window_run_call *call, const lt_vector *inputs,
                             const lt_vector *filter, uint32_t **out_live, uint32_t **out_before, uint32_t *out_count,
                             leat_error *err) {
    const bool skips_nulls = lt_window_call_ignores_nulls(call->call) && call->input_count > 0;
    *out_count             = 0;
    LT_TRY_NEW_ARRAY(*out_live, &self->work, self->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(*out_before, &self->work, self->rows.count + 1u, err);
    for (uint32_t at = 0; at < self->rows.count; at++) {
        (*out_before)[at] = *out_count;
        if (skips_nulls && lt_vector_is_null(&inputs[0], at)) continue;
        if (filter != NULL && (lt_vector_is_null(filter, at) || LT_LANES(filter, const uint8_t)[at] == 0)) continue;
        (*out_live)[(*out_count)++] = at;
    }
    (*out_before)[self->rows.count] = *out_count;
    return LEAT_OK;
}

static leat_status parts_run(frame_state *frames, lt_window_compute compute, lt_window_rows *rows,
                             lt_window_part *parts, uint32_t part_count, leat_error *err) {
    for (uint32_t i = 0; i < part_count; i++) {
        const lt_window_mark *from = parts[i].from;
        rows->first                = parts[i].first;
        rows->end                  = parts[i].end;
        rows->rows_before          = from != NULL ? from->rows_before : 0;
        rows->peers_before         = from != NULL ? from->peers_before : 0;
        LT_TRY(compute != NULL ? compute(rows, err) : frames_run(frames, rows, &parts[i], err));
    }
    return LEAT_OK;
}

static leat_status call_run(lt_window_run *self, const lt_window_run_call *call, const uint32_t *sorted,
                            const lt_window_order *order, lt_window_part *parts, uint32_t part_count, lt_vector *into,
                            leat_error *err) {
    const lt_aggregate_call *named = &call->call->call;
    uint32_t                 width = call->input_count + (named->filter != NULL), live_count;
    lt_vector               *inputs;
    const lt_vector        **arguments;
    uint32_t                *live, *live_before, *frame_first, *frame_end;
    LT_TRY_NEW_ARRAY(inputs, &self->work, width + 1u, err);
    LT_TRY_NEW_ARRAY(arguments, &self->work, width + 1u, err);
    for (uint32_t a = 0; a < width; a++) {
        LT_TRY(lt_row_store_gather_column(&self->rows.columns[call->first_column + a], sorted, order->count,
                                          &self->work, &inputs[a], err));
        arguments[a] = &inputs[a];
    }
    LT_TRY(live_find(self, call, inputs, named->filter != NULL ? &inputs[call->input_count] : NULL, &live, &live_before,
                     &live_count, err));
    LT_TRY(lt_window_frames(call->call, order, self->evaluation, &self->work, &frame_first, &frame_end, err));
    LT_TRY(lt_vector_init(into, named->type, order->count, &self->work, err));
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
                                       .arena       = &self->work};
    const lt_window_compute compute = lt_window_function_find(named->aggregate->name);
    if (compute != NULL) return parts_run(NULL, compute, &rows, parts, part_count, err);
    frame_state frames = {.call = call, .run = self, .live = live};
    LT_TRY(frame_open(&frames, order->count, inputs, live_count, err));
    leat_status status = parts_run(&frames, NULL, &rows, parts, part_count, err);
    frame_clear(&frames);
    if (status != LEAT_OK) lt_error_place(err, &named->place);
    return status;
}

// Fields of structs were written lane by lane: they have as many as the struct.
static void lanes_settle(lt_vector *vector, uint32_t count) {
    vector->lanes = count;
    for (uint32_t c = 0; vector->type->kind == LT_STRUCT && c < vector->child_count; c++)
        lanes_settle(&vector->children[c], count);
}

// Whole partitions, each a part.
static leat_status parts_of(lt_window_run *self, const edges *found, lt_window_part **out_parts, uint32_t *out_count,
                            leat_error *err) {
    uint32_t count = 0;
    for (uint32_t first = 0; first < self->rows.count; first = found->partition_end[first]) count++;
    LT_TRY_NEW_ARRAY(*out_parts, &self->work, count + 1u, err);
    *out_count = 0;
    for (uint32_t first = 0; first < self->rows.count; first = found->partition_end[first])
        (*out_parts)[(*out_count)++] =
            (lt_window_part){.first = first, .wanted_first = first, .end = found->partition_end[first]};
    return LEAT_OK;
}

leat_status lt_window_run_compute(lt_window_run *run, const uint32_t *sorted, lt_window_part *parts,
                                  uint32_t part_count, lt_vector **out_results, leat_error *err) {
    const lt_plan *plan = run->plan;
    edges          found;
    lt_vector      key;
    LT_TRY(edges_find(run, sorted, &found, err));
    if (parts == NULL) LT_TRY(parts_of(run, &found, &parts, &part_count, err));
    for (uint32_t i = 0; i < part_count; i++) LT_TRY(marks_place(run, &found, &parts[i], err));
    lt_window_order order = {.count           = run->rows.count,
                             .partition_first = found.partition_first,
                             .partition_end   = found.partition_end,
                             .peer_first      = found.peer_first,
                             .peer_end        = found.peer_end};
    if (plan->as.window.order_count > 0) {
        LT_TRY(lt_row_store_gather_column(&run->rows.columns[run->first_order_column], sorted, order.count, &run->work,
                                          &key, err));
        order.key  = &key;
        order.sort = plan->as.window.order;
    }
    LT_TRY_NEW_ARRAY(*out_results, &run->work, plan->as.window.call_count + 1u, err);
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        LT_TRY(call_run(run, &run->calls[i], sorted, &order, parts, part_count, &(*out_results)[i], err));
        lanes_settle(&(*out_results)[i], order.count);
    }
    return LEAT_OK;
}

leat_status lt_window_run_gather(lt_window_run *run, const lt_vector *results, const uint32_t *rows,
                                 const uint32_t *positions, uint32_t count, lt_arena *arena, lt_chunk *out,
                                 leat_error *err) {
    const lt_plan *plan    = run->plan;
    uint32_t       columns = run->first_order_column - 1;
    *out                   = (lt_chunk){.column_count = plan->column_count, .count = count};
    LT_TRY_NEW_ARRAY(out->columns, arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < columns; c++)
        LT_TRY(lt_row_store_gather_column(&run->rows.columns[c + 1], rows, count, arena, &out->columns[c], err));
    for (uint32_t i = 0; i < plan->as.window.call_count; i++)
        LT_TRY(lt_row_store_gather_column(&results[i], positions, count, arena, &out->columns[columns + i], err));
    return LEAT_OK;
}

void lt_window_run_close(lt_window_run *run) {
    if (run->arena.account == NULL) return;
    lt_row_store_deinit(&run->rows);
    lt_evaluator_close(&run->evaluator);
    lt_arena_deinit(&run->scratch);
    lt_arena_deinit(&run->work);
    lt_arena_deinit(&run->arena);
}
