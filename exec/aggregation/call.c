#include "exec/aggregation/call.h"

leat_status lt_call_open(lt_call_state *self, lt_node *node, const lt_aggregate_call *call, lt_arena *arena,
                         leat_error *err) {
    lt_account *account = node->pipeline->account;
    self->call          = call;
    self->function      = call->aggregate;
    self->input_count   = call->argument_count + call->order_count;
    self->is_distinct   = call->is_distinct && !call->aggregate->ignores_distinct;
    LT_TRY_NEW_ARRAY(self->types, arena, self->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->inputs, arena, self->input_count + 2u, err);
    LT_TRY_NEW_ARRAY(self->order, arena, call->order_count + 1u, err);
    for (uint32_t i = 0; i < call->order_count; i++)
        self->order[i] = (lt_order_key){call->order[i].is_descending, call->order[i].is_nulls_first};
    for (uint32_t i = 0; i < self->input_count; i++) {
        self->inputs[i] =
            i < call->argument_count ? call->arguments[i] : call->order[i - call->argument_count].expression;
        self->types[i] = self->inputs[i]->type;
    }
    self->inputs[self->input_count] = call->filter;
    if (self->is_distinct) {
        LT_TRY_NEW(self->values, arena, err);
        LT_TRY(lt_distinct_init(self->values, account, self->types, call->argument_count,
                                node->pipeline->evaluation->random_seed, arena, err));
    }
    if (call->aggregate->state_bytes > 0) {
        self->state = lt_arena_zero(arena, call->aggregate->state_bytes);
        if (self->state == NULL) return lt_raise_no_memory(err);
        if (call->aggregate->open != NULL)
            LT_TRY(call->aggregate->open(self->state, self->types, call->constants, call->argument_count, arena, err));
    }
    return lt_evaluator_open(&self->evaluator, self->inputs, self->input_count + 1, node->pipeline->evaluation, account,
                             err);
}

leat_status lt_call_share_values(lt_call_state *self, const lt_call_state *owner, lt_arena *arena, leat_error *err) {
    lt_assert(self->is_distinct && owner->is_distinct && owner->set == 0);
    LT_TRY(lt_distinct_add_set(owner->values, arena, err));
    lt_distinct_deinit(self->values);
    self->values = owner->values;
    self->set    = owner->values->set_count - 1;
    return LEAT_OK;
}

static void *accumulator(const lt_call_state *self, uint32_t group) {
    return (char *)self->accumulators.items + self->function->accumulator_bytes * group;
}

leat_status lt_call_add_groups(lt_call_state *self, uint32_t group_count, lt_account *account, leat_error *err) {
    if (group_count <= self->group_count) return LEAT_OK;
    uint32_t capacity = self->accumulators.capacity;
    while (capacity < group_count) capacity = capacity == 0 ? 16 : capacity * 2;
    LT_TRY(lt_group_array_reserve(&self->accumulators, self->function->accumulator_bytes, capacity, account, err));
    if (self->is_distinct && self->set == 0)
        LT_TRY(lt_distinct_add_groups(self->values, self->group_count, group_count, err));
    memset(accumulator(self, self->group_count), 0,
           self->function->accumulator_bytes * (group_count - self->group_count));
    self->group_count = group_count;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- update

// All accumulators become those of the wider row.
static leat_status widen(lt_call_state *self, lt_account *account, leat_error *err) {
    const lt_aggregate *narrow = self->function, *wide = narrow->wider;
    lt_group_array      into = {0};
    LT_TRY(lt_group_array_reserve(&into, wide->accumulator_bytes, self->accumulators.capacity, account, err));
    narrow->widen(into.items, self->accumulators.items, self->group_count);
    lt_group_array_deinit(&self->accumulators, narrow->accumulator_bytes, account);
    self->accumulators = into;
    self->function     = wide;
    return LEAT_OK;
}

// Rows that count, when not all of them do.
typedef struct live_rows {
    uint16_t *rows;             // of the chunk
    uint32_t *groups;           // NULL: all are of the same one
    int64_t  *weights, *places; // NULL: all +1; nobody asks
    uint32_t  count;
} live_rows;

// The lanes below `count` whose bits are set.
static uint32_t set_lanes(const uint64_t *bits, uint32_t count, uint16_t *out) {
    uint32_t found = 0;
    for (uint32_t first = 0; first < count; first += 64) {
        const uint64_t word  = bits[first / 64];
        const uint32_t lanes = count - first < 64 ? count - first : 64;
        if (word == 0) continue;
        for (uint32_t i = 0; i < lanes; i++) {
            out[found] = (uint16_t)(first + i);
            found += (uint32_t)((word >> i) & 1);
        }
    }
    return found;
}

static leat_status rows_pick(const lt_call_rows *from, const lt_vector *not_null, bool places, bool needs_groups,
                             lt_arena *arena, live_rows *out, leat_error *err) {
    const lt_chunk *chunk = from->chunk;
    *out                  = (live_rows){0};
    LT_TRY_NEW_ARRAY(out->rows, arena, from->count + 1u, err);
    if (chunk->weights != NULL) LT_TRY_NEW_ARRAY(out->weights, arena, from->count + 1u, err);
    if (places) LT_TRY_NEW_ARRAY(out->places, arena, from->count + 1u, err);
    if (needs_groups) LT_TRY_NEW_ARRAY(out->groups, arena, from->count + 1u, err);
    uint32_t  *groups = out->groups, count = 0;
    const bool is_plain =
        from->rows == NULL && not_null != NULL && not_null->form == LT_FLAT && not_null->type->kind != LT_VOID;
    if (is_plain) {
        count = set_lanes(not_null->validity, from->count, out->rows);
        for (uint32_t i = 0; groups != NULL && i < count; i++) groups[i] = from->groups[out->rows[i]];
    }
    for (uint32_t i = 0; !is_plain && i < from->count; i++) {
        uint16_t row     = from->rows == NULL ? (uint16_t)i : from->rows[i];
        out->rows[count] = row;
        if (groups != NULL) groups[count] = from->groups[i];
        count += not_null == NULL || !lt_vector_is_null(not_null, row);
    }
    for (uint32_t i = 0; out->weights != NULL && i < count; i++) out->weights[i] = chunk->weights[out->rows[i]];
    for (uint32_t i = 0; out->places != NULL && i < count; i++)
        out->places[i] = chunk->places != NULL ? chunk->places[out->rows[i]] : from->next_place + out->rows[i];
    out->count = count;
    return LEAT_OK;
}

static uint32_t set_count(const uint64_t *bits, uint32_t count) {
    uint32_t set = 0;
    for (uint32_t w = 0; w < count / 64; w++) set += (uint32_t)__builtin_popcountll(bits[w]);
    if (count % 64 != 0) set += (uint32_t)__builtin_popcountll(bits[count / 64] & ~(UINT64_MAX << count % 64));
    return set;
}

// Whether some of the first `count` rows may be NULL; bits that say of all that they are not are as good as none.
static bool has_nulls(const lt_vector *vector, uint32_t count) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    if (vector->form == LT_CONSTANT) return lt_lane_is_null(lanes, 0);
    if (lanes->validity == NULL || lanes->type->kind == LT_VOID || vector->form != LT_FLAT)
        return lanes->validity != NULL || lanes->type->kind == LT_VOID;
    uint64_t all = UINT64_MAX;
    for (uint32_t w = 0; w < count / 64; w++) all &= lanes->validity[w];
    if (count % 64 != 0) all &= lanes->validity[count / 64] | UINT64_MAX << (count % 64);
    return all != UINT64_MAX;
}

static leat_status fold(lt_call_state *self, lt_aggregate_rows *rows, lt_account *account, leat_error *err) {
    leat_status status = LEAT_DONE;
    while (status == LEAT_DONE) {
        rows->aggregate = self->function;
        status          = self->function->update(self->accumulators.items, rows, err);
        if (status == LEAT_DONE) LT_TRY(widen(self, account, err));
    }
    if (status != LEAT_OK) lt_error_place(err, &self->call->place);
    return status;
}

// Folds those of the rows whose values count.
static leat_status values_fold(lt_call_state *self, const lt_call_rows *from, const lt_vector **arguments,
                               lt_evaluation *evaluation, lt_arena *arena, lt_account *account, leat_error *err) {
    const lt_aggregate *function   = self->function;
    const lt_chunk     *chunk      = from->chunk;
    live_rows           live       = {.count = from->count};
    const bool          has_subset = from->rows != NULL;
    const bool skips_nulls = self->input_count > 0 && (!function->takes_nulls || self->call->is_ignoring_nulls) &&
                             has_nulls(arguments[0], chunk->count);
    const bool picks       = has_subset || skips_nulls || self->is_distinct;
    const bool places      = function->needs_place || function->has_memory;
    const bool only_counts = function->counts_rows && self->input_count == 1 && !self->is_distinct;
    if (only_counts && from->is_one_group && !has_subset && skips_nulls && chunk->weights == NULL &&
        arguments[0]->form == LT_FLAT && arguments[0]->type->kind != LT_VOID) {
        live.count = set_count(arguments[0]->validity, from->count);
    } else if (picks) {
        LT_TRY(rows_pick(from, skips_nulls ? arguments[0] : NULL, places, self->is_distinct || !from->is_one_group,
                         arena, &live, err));
    } else if (places && chunk->places == NULL) {
        LT_TRY_NEW_ARRAY(live.places, arena, from->count + 1u, err);
        for (uint32_t i = 0; i < from->count; i++) live.places[i] = from->next_place + i;
    }
    if (self->is_distinct) {
        int64_t *signs;
        LT_TRY_NEW_ARRAY(signs, arena, live.count + 1u, err);
        const lt_distinct_rows given = {live.rows, live.groups, live.places, live.weights, live.count};
        leat_status status = lt_distinct_add(self->values, self->set, arguments, self->call->argument_count, &given,
                                             signs, &live.count, arena, err);
        if (status != LEAT_OK) lt_error_place(err, &self->call->place);
        LT_TRY(status);
        live.weights = signs;
    }
    if (live.count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < self->input_count && !only_counts; i++) {
        bool is_dense = (!picks || live.count == chunk->count) && arguments[i]->form == LT_FLAT;
        if (is_dense || (i > 0 && arguments[i]->form == LT_CONSTANT)) continue;
        lt_vector *compact;
        LT_TRY_NEW(compact, arena, err);
        LT_TRY(lt_vector_gather(arguments[i], live.rows, live.count, arena, compact, err));
        arguments[i] = compact;
    }
    lt_aggregate_rows rows = {.arguments      = arguments,
                              .values         = self->input_count > 0 ? arguments[0]->values : NULL,
                              .argument_count = self->input_count,
                              .group_index    = live.groups != NULL ? live.groups : from->groups,
                              .weight         = picks ? live.weights : chunk->weights,
                              .place          = picks || chunk->places == NULL ? live.places : chunk->places,
                              .count          = live.count,
                              .is_one_group   = from->is_one_group,
                              .memory         = account,
                              .result_type    = self->call->type,
                              .constants      = self->call->constants,
                              .evaluation     = evaluation,
                              .state          = self->state,
                              .order_count    = self->call->order_count,
                              .order          = self->order};
    return fold(self, &rows, account, err);
}

// The rows that pass the call's FILTER, with their groups.
static leat_status rows_filter(lt_call_state *self, const lt_call_rows *from, lt_arena *arena, lt_call_rows *out,
                               leat_error *err) {
    const lt_expression *filter = self->call->filter;
    const lt_rows        wanted = {.rows = from->rows, .count = from->count};
    const lt_vector     *value;
    uint16_t            *rows   = lt_arena_alloc(arena, sizeof *rows * (from->count + 1u));
    uint32_t            *groups = lt_arena_alloc(arena, sizeof *groups * (from->count + 1u)), count = 0;
    if (rows == NULL || groups == NULL) return lt_raise_no_memory(err);
    if (from->rows == NULL) {
        lt_assert(from->count == from->chunk->count);
        LT_TRY(lt_evaluator_select(&self->evaluator, filter, from->chunk, arena, rows, &count, err));
        for (uint32_t i = 0; i < count; i++) groups[i] = from->groups[rows[i]];
    } else {
        LT_TRY(lt_evaluator_run(&self->evaluator, filter, from->chunk, &wanted, arena, &value, err));
        for (uint32_t i = 0; i < from->count; i++) {
            const uint16_t row = from->rows[i];
            rows[count]        = row;
            groups[count]      = from->groups[i];
            count += !lt_vector_is_null(value, row) && LT_VALUE(value, uint8_t, row) != 0;
        }
    }
    *out        = *from;
    out->rows   = rows;
    out->groups = groups;
    out->count  = count;
    return LEAT_OK;
}

leat_status lt_call_update(lt_call_state *self, const lt_call_rows *from, lt_batch *batch, lt_account *account,
                           leat_error *err) {
    lt_arena         *arena = batch->scratch;
    const lt_vector **arguments;
    lt_call_rows      passing;
    LT_TRY_NEW_ARRAY(arguments, arena, self->input_count + 1u, err);
    if (self->is_distinct && self->set == 0) lt_distinct_begin(self->values);
    if (self->call->filter != NULL) {
        LT_TRY(rows_filter(self, from, arena, &passing, err));
        from = &passing;
    }
    const lt_rows wanted = {.rows = from->rows, .count = from->count};
    for (uint32_t i = 0; i < self->input_count; i++)
        LT_TRY(lt_evaluator_run(&self->evaluator, self->inputs[i], from->chunk, from->rows != NULL ? &wanted : NULL,
                                arena, &arguments[i], err));
    return values_fold(self, from, arguments, batch->evaluation, arena, account, err);
}

leat_status lt_call_values(lt_call_state *self, uint32_t input, const lt_chunk *chunk, lt_arena *arena,
                           const lt_vector **out, leat_error *err) {
    return lt_evaluator_run(&self->evaluator, self->inputs[input], chunk, NULL, arena, out, err);
}

leat_status lt_call_fold(lt_call_state *self, const lt_call_rows *from, const lt_vector **values,
                         lt_evaluation *evaluation, lt_arena *arena, lt_account *account, leat_error *err) {
    return values_fold(self, from, values, evaluation, arena, account, err);
}

static bool is_lane(const lt_type *type) {
    return !lt_kind_is_nested(type->kind) && lt_kind_lane_bytes(type->kind) > 0;
}

bool lt_call_can_wait(const lt_call_state *self) {
    const lt_aggregate *function = self->function;
    bool                can      = !self->is_distinct && self->call->filter == NULL && self->call->order_count == 0 &&
               self->state == NULL && !function->has_memory && function->close == NULL && is_lane(self->call->type);
    for (uint32_t i = 0; can && i < self->input_count; i++) can = is_lane(self->types[i]);
    return can;
}

lt_call_state lt_call_again(const lt_call_state *self) {
    lt_call_state again = *self;
    again.accumulators  = (lt_group_array){0};
    again.group_count   = 0;
    return again;
}

void lt_call_copy_group(lt_call_state *self, uint32_t group, const lt_call_state *from, uint32_t from_group) {
    lt_assert(self->function == from->function);
    memcpy(accumulator(self, group), accumulator(from, from_group), self->function->accumulator_bytes);
}

void lt_call_drop(lt_call_state *self, lt_account *account) {
    lt_group_array_deinit(&self->accumulators, self->function->accumulator_bytes, account);
    self->group_count = 0;
}

// --------------------------------------------------------------------------------------------------------------- merge

bool lt_call_can_merge(const lt_call_state *self) {
    const lt_aggregate *widest = lt_aggregate_widest(self->function);
    return !self->is_distinct && self->call->order_count == 0 && !self->function->has_memory &&
           self->function->merge != NULL && widest->merge != NULL;
}

leat_status lt_call_merge(lt_call_state *self, lt_call_state *from, uint32_t first, const uint32_t *groups,
                          uint32_t count, lt_account *account, leat_error *err) {
    leat_status status = LEAT_DONE;
    while (status == LEAT_DONE) {
        while (from->function != self->function)
            LT_TRY(widen(self->function->wider == NULL ? from : self, account, err));
        status = self->function->merge(self->accumulators.items, groups, accumulator(from, first), count,
                                       self->input_count > 0 ? self->types[0] : NULL);
        if (status == LEAT_DONE) LT_TRY(widen(self, account, err));
    }
    return status;
}

// -------------------------------------------------------------------------------------------------------------- finish

leat_status lt_call_finish(lt_call_state *self, const uint32_t *groups, uint32_t count, lt_vector *into,
                           lt_evaluation *evaluation, lt_arena *arena, leat_error *err) {
    const lt_aggregate  *function = self->function;
    lt_aggregate_results out      = {.aggregate      = function,
                                     .group_index    = groups,
                                     .count          = count,
                                     .values         = into->values,
                                     .into           = into,
                                     .arena          = arena,
                                     .argument_types = self->types,
                                     .constants      = self->call->constants,
                                     .result_type    = self->call->type,
                                     .evaluation     = evaluation,
                                     .state          = self->state,
                                     .memory         = arena->account,
                                     .argument_count = self->input_count,
                                     .order_count    = self->call->order_count,
                                     .order          = self->order};
    LT_TRY_NEW_ARRAY(out.is_null, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out.failed, arena, count + 1u, err);
    leat_status status = function->finish(self->accumulators.items, &out, err);
    into->lanes        = count;
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++) {
        if (out.failed[i])
            status = lt_raise(err, function->fails_with, &self->call->place, "the result of %s does not fit its type",
                              function->name);
        else if (out.is_null[i])
            status = lt_vector_set_null(into, i, arena, err);
    }
    if (status != LEAT_OK) lt_error_place(err, &self->call->place);
    return status;
}

void lt_call_remove_group(lt_call_state *self, uint32_t group, lt_account *account) {
    if (self->is_distinct && self->set == 0) lt_distinct_remove_group(self->values, group);
    if (self->function->close != NULL) self->function->close(accumulator(self, group), account);
    memset(accumulator(self, group), 0, self->function->accumulator_bytes);
}

// ---------------------------------------------------------------------------------------------------------- save, load

leat_status lt_call_save(const lt_call_state *self, uint32_t group, lt_buffer *out, leat_error *err) {
    const lt_aggregate *function = self->function;
    LT_TRY(lt_buffer_append_u64(out, 0, err));
    size_t start = out->bytes;
    if (function->save != NULL)
        LT_TRY(function->save(accumulator(self, group), out, err));
    else
        LT_TRY(lt_buffer_append(out, accumulator(self, group), function->accumulator_bytes, err));
    uint64_t bytes = out->bytes - start;
    memcpy(out->data + start - sizeof bytes, &bytes, sizeof bytes);
    return LEAT_OK;
}

leat_status lt_call_load(lt_call_state *self, uint32_t group, const char *bytes, size_t count, lt_account *account,
                         leat_error *err) {
    const lt_aggregate *function = self->function;
    if (function->load == NULL) {
        if (count != function->accumulator_bytes)
            return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved %s has %zu bytes, not %zu", function->name,
                            count, function->accumulator_bytes);
        memcpy(accumulator(self, group), bytes, count);
        return LEAT_OK;
    }
    if (function->close != NULL) function->close(accumulator(self, group), account);
    memset(accumulator(self, group), 0, function->accumulator_bytes);
    lt_reader   part   = {.next = bytes, .end = bytes + count};
    leat_status status = function->load(accumulator(self, group), &part, account, err);
    if (status != LEAT_DONE) return status;
    LT_TRY(widen(self, account, err));
    return lt_call_load(self, group, bytes, count, account, err);
}

void lt_call_close(lt_call_state *self, const lt_group_table *groups, lt_account *account) {
    if (self->call == NULL) return;
    for (uint32_t group = 0; self->function->close != NULL && group < self->group_count; group++)
        if (lt_group_table_is_live(groups, group)) self->function->close(accumulator(self, group), account);
    lt_group_array_deinit(&self->accumulators, self->function->accumulator_bytes, account);
    if (self->values != NULL && self->set == 0) lt_distinct_deinit(self->values);
    lt_evaluator_close(&self->evaluator);
}
