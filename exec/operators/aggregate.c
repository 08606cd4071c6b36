// aggregate: groups rows by key and keeps one accumulator per group and aggregate. push folds weights and values and
// notes the touched groups with their finished row from before the batch; end_batch lets out the net change
// (LT_EMIT_NET), the present row of each touched group (LT_EMIT_TOUCHED) or the groups that the watermark closes
// (LT_EMIT_CLOSED).
//
// A group lives while the weight of its rows is above zero; without keys there is one group that lives from the start.
// DISTINCT arguments go through a table (group, values) -> weight whose flips between zero and positive feed the
// aggregate; a value leaves it with its weight, or with its group. Memory: the pipeline's account; before rows in
// batch->arena. Cost: O(rows + touched groups) a batch. Source: DBSP (Budiu et al., 2023) for the deltas, recorded
// Spark for modes and lateness.
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "exec/state/timer_heap.h"

// The values of a group in a DISTINCT table, chained; 0: none, otherwise an entry + 1.
typedef struct distinct_link {
    uint32_t group, next, previous; // group + 1; 0: the entry is in no chain
} distinct_link;

typedef struct call_state {
    const lt_aggregate_call *call;
    const lt_type          **types; // of arguments, order keys behind them
    uint32_t                 input_count;
    const lt_expression    **inputs; // arguments, then WITHIN GROUP keys
    lt_order_key            *order;  // directions of the WITHIN GROUP keys
    lt_evaluator             evaluator;
    char                    *accumulators; // by group
    uint32_t                 capacity;
    void                    *state;
    lt_group_table           distinct;         // (group, arguments) -> index
    int64_t                 *distinct_weights; // by entry
    distinct_link           *distinct_links;   // by entry
    uint32_t                *distinct_first;   // by group: entry + 1
    uint32_t                 distinct_capacity;
    uint32_t                *distinct_changed; // in the batch that ran last
    uint32_t                 distinct_changed_count, distinct_changed_capacity;
} call_state;

enum { GROUP_TOUCHED = 1, GROUP_CHANGED = 2 }; // in this batch; since the last save
enum { NO_BEFORE = 0xffffffff };

typedef struct aggregate {
    const lt_plan  *plan;
    lt_evaluator    keys;
    const lt_type **types; // of the output
    lt_group_table  groups;
    int64_t        *weights, *places; // by group
    int64_t        *due_us;           // by group: its timer; others of the same index are of groups that have gone
    uint8_t        *flags;            // by group
    uint32_t        capacity;         // of the four above
    call_state     *calls;
    uint32_t       *touched, *before_row;            // groups of this batch in order; before_row[i]: row of `before`
    uint32_t        touched_count, touched_capacity; // capacity of both
    lt_chunk        before;
    uint32_t       *changed; // groups since the last save
    uint32_t        changed_count, changed_capacity;
    int64_t         next_place;
    bool            has_event_time, is_first; // is_first: the global group was never let out
    bool            is_settled;               // what the last batch left is cleaned up
    lt_timer_heap   timers;
    lt_arena        arena;
} aggregate;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status call_open(lt_node *node, call_state *self, const lt_aggregate_call *call, lt_arena *arena,
                             leat_error *err) {
    self->call        = call;
    self->input_count = call->argument_count + call->order_count;
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
    const lt_type **distinct_types;
    LT_TRY_NEW_ARRAY(distinct_types, arena, call->argument_count + 1u, err);
    distinct_types[0] = lt_type_of(LT_INT); // the group
    memcpy(distinct_types + 1, self->types, sizeof *distinct_types * call->argument_count);
    lt_group_table_init(&self->distinct, node->pipeline->account, distinct_types, call->argument_count + 1u,
                        node->pipeline->evaluation->random_seed);
    if (call->aggregate->state_bytes > 0) {
        self->state = lt_arena_zero(arena, call->aggregate->state_bytes);
        if (self->state == NULL) return lt_raise_no_memory(err);
        if (call->aggregate->open != NULL)
            LT_TRY(call->aggregate->open(self->state, self->types, call->constants, call->argument_count, arena, err));
    }
    return lt_evaluator_open(&self->evaluator, self->inputs, self->input_count + 1, node->pipeline->evaluation,
                             node->pipeline->account, err);
}

static leat_status group_new(aggregate *self, uint32_t group, int64_t place, leat_error *err);

static leat_status aggregate_open(lt_node *node, leat_error *err) {
    aggregate     *self    = node->state;
    const lt_plan *plan    = node->plan;
    lt_account    *account = node->pipeline->account;
    *self                  = (aggregate){.plan = plan, .is_first = true};
    lt_arena_init(&self->arena, account);
    lt_timer_heap_init(&self->timers, account);
    self->has_event_time =
        plan->as.aggregate.event_time_key >= 0 && plan->emission != LT_EMIT_NET && node->pipeline->is_standing;
    LT_TRY_NEW_ARRAY(self->calls, &self->arena, plan->as.aggregate.call_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) self->types[c] = plan->columns[c].type;
    lt_group_table_init(&self->groups, account, self->types, plan->as.aggregate.key_count,
                        node->pipeline->evaluation->random_seed);
    for (uint32_t i = 0; i < plan->as.aggregate.call_count; i++)
        LT_TRY(call_open(node, &self->calls[i], &plan->as.aggregate.calls[i], &self->arena, err));
    LT_TRY(lt_evaluator_open(&self->keys, plan->as.aggregate.keys, plan->as.aggregate.key_count,
                             node->pipeline->evaluation, account, err));
    if (plan->as.aggregate.key_count > 0) return LEAT_OK;
    uint32_t group;
    LT_TRY(lt_group_table_add_bytes(&self->groups, "", 0, &group, err));
    return group_new(self, group, 0, err);
}

// -------------------------------------------------------------------------------------------------------------- groups

static bool has_distinct_table(const call_state *call) {
    return call->call->is_distinct && !call->call->aggregate->ignores_distinct;
}

// Arrays by group follow the capacity of the table.
static leat_status groups_reserve(aggregate *self, leat_error *err) {
    lt_account *account = self->groups.account;
    uint32_t    want    = self->groups.group_capacity;
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++) {
        call_state *call = &self->calls[i];
        if (call->capacity >= want) continue;
        lt_account_array arrays[] = {{call->accumulators, call->call->aggregate->accumulator_bytes},
                                     {call->distinct_first, sizeof *call->distinct_first}};
        LT_TRY(lt_account_grow(account, arrays, has_distinct_table(call) ? 2 : 1, call->capacity, want, err));
        call->accumulators   = arrays[0].memory;
        call->distinct_first = arrays[1].memory;
        call->capacity       = want;
    }
    if (self->capacity >= want) return LEAT_OK;
    lt_account_array arrays[] = {{self->weights, sizeof *self->weights},
                                 {self->places, sizeof *self->places},
                                 {self->due_us, sizeof *self->due_us},
                                 {self->flags, sizeof *self->flags}};
    LT_TRY(lt_account_grow(account, arrays, 4, self->capacity, want, err));
    self->weights  = arrays[0].memory;
    self->places   = arrays[1].memory;
    self->due_us   = arrays[2].memory;
    self->flags    = arrays[3].memory;
    self->capacity = want;
    return LEAT_OK;
}

static leat_status list_push(lt_account *account, uint32_t **list, uint32_t *count, uint32_t *capacity, uint32_t value,
                             leat_error *err) {
    LT_TRY_GROW(*list, account, *count, *capacity, 64, err);
    (*list)[(*count)++] = value;
    return LEAT_OK;
}

static leat_status group_new(aggregate *self, uint32_t group, int64_t place, leat_error *err) {
    LT_TRY(groups_reserve(self, err));
    self->places[group] = place;
    return LEAT_OK;
}

static leat_status timer_set(aggregate *self, uint32_t group, int64_t due_us, leat_error *err) {
    self->due_us[group] = due_us;
    return lt_timer_heap_push(&self->timers, (lt_timer){.due_us = due_us, .group_index = group}, err);
}

static bool is_global(const aggregate *self) { return self->plan->as.aggregate.key_count == 0; }
static bool is_alive(const aggregate *self, uint32_t group) { return self->weights[group] > 0 || is_global(self); }

static void *accumulator(const call_state *call, uint32_t group) {
    return call->accumulators + call->call->aggregate->accumulator_bytes * group;
}

static leat_status distinct_reserve(call_state *call, leat_error *err) {
    uint32_t want = call->distinct.group_capacity;
    if (call->distinct_capacity >= want) return LEAT_OK;
    lt_account_array arrays[] = {{call->distinct_weights, sizeof *call->distinct_weights},
                                 {call->distinct_links, sizeof *call->distinct_links}};
    LT_TRY(lt_account_grow(call->distinct.account, arrays, 2, call->distinct_capacity, want, err));
    call->distinct_weights  = arrays[0].memory;
    call->distinct_links    = arrays[1].memory;
    call->distinct_capacity = want;
    return LEAT_OK;
}

static void distinct_link_entry(call_state *call, uint32_t entry, uint32_t group) {
    distinct_link *link = &call->distinct_links[entry];
    if (link->group != 0) return;
    *link = (distinct_link){.group = group + 1, .next = call->distinct_first[group]};
    if (link->next != 0) call->distinct_links[link->next - 1].previous = entry + 1;
    call->distinct_first[group] = entry + 1;
}

static void distinct_remove(call_state *call, uint32_t entry) {
    distinct_link *link = &call->distinct_links[entry];
    if (link->previous != 0)
        call->distinct_links[link->previous - 1].next = link->next;
    else
        call->distinct_first[link->group - 1] = link->next;
    if (link->next != 0) call->distinct_links[link->next - 1].previous = link->previous;
    *link                         = (distinct_link){0};
    call->distinct_weights[entry] = 0;
    lt_group_table_remove(&call->distinct, entry);
}

// Takes the values out that the last batch left without weight. Not in that batch, since its save tells of them.
static void distinct_settle(aggregate *self) {
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count && !self->is_settled; i++) {
        call_state *call = &self->calls[i];
        for (uint32_t k = 0; k < call->distinct_changed_count; k++) {
            uint32_t entry = call->distinct_changed[k];
            if (call->distinct_links[entry].group != 0 && call->distinct_weights[entry] == 0)
                distinct_remove(call, entry);
        }
        call->distinct_changed_count = 0;
    }
    self->is_settled = true;
}

static void group_remove(aggregate *self, uint32_t group) {
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++) {
        call_state         *call     = &self->calls[i];
        const lt_aggregate *function = call->call->aggregate;
        while (has_distinct_table(call) && call->distinct_first[group] != 0)
            distinct_remove(call, call->distinct_first[group] - 1);
        if (function->close != NULL) function->close(accumulator(call, group), self->groups.account);
        memset(accumulator(call, group), 0, function->accumulator_bytes);
    }
    self->weights[group] = 0;
    lt_group_table_remove(&self->groups, group);
}

// -------------------------------------------------------------------------------------------------------------- finish

static leat_status finish_call(const call_state *call, const uint32_t *groups, uint32_t count, lt_vector *into,
                               lt_batch *batch, leat_error *err) {
    const lt_aggregate  *function = call->call->aggregate;
    lt_aggregate_results out      = {.aggregate      = function,
                                     .group_index    = groups,
                                     .count          = count,
                                     .values         = into->values,
                                     .into           = into,
                                     .arena          = batch->arena,
                                     .argument_types = call->types,
                                     .constants      = call->call->constants,
                                     .result_type    = call->call->type,
                                     .evaluation     = batch->evaluation,
                                     .state          = call->state,
                                     .memory         = batch->arena->account,
                                     .argument_count = call->input_count,
                                     .order_count    = call->call->order_count,
                                     .order          = call->order};
    LT_TRY_NEW_ARRAY(out.is_null, batch->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out.failed, batch->arena, count + 1u, err);
    LT_TRY(function->finish(call->accumulators, &out, err));
    into->lanes = count;
    for (uint32_t i = 0; i < count; i++) {
        if (out.failed[i])
            return lt_raise(err, function->fails_with, &call->call->place, "the result of %s does not fit its type",
                            function->name);
        if (out.is_null[i]) LT_TRY(lt_vector_set_null(into, i, batch->arena, err));
    }
    return LEAT_OK;
}

// Rows of `groups`: keys, then results.
static leat_status finish_rows(aggregate *self, const uint32_t *groups, uint32_t count, lt_batch *batch, lt_chunk *out,
                               leat_error *err) {
    uint32_t key_count = self->plan->as.aggregate.key_count;
    LT_TRY(lt_chunk_init(out, self->types, self->plan->column_count, count == 0 ? 1 : count, batch->arena, err));
    LT_TRY(lt_group_table_keys(&self->groups, groups, count, out->columns, key_count, batch->arena, err));
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++) {
        leat_status status = finish_call(&self->calls[i], groups, count, &out->columns[key_count + i], batch, err);
        if (status != LEAT_OK) {
            lt_error_place(err, &self->calls[i].call->place);
            return status;
        }
    }
    out->count = count;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- push

static leat_status late_rows(lt_node *node, const lt_chunk *delta, const lt_vector *keys, lt_batch *batch,
                             const uint16_t **out_rows, uint32_t *out_count, leat_error *err) {
    aggregate *self = node->state;
    int64_t    late = lt_node_late_us(node, batch);
    *out_rows       = NULL;
    *out_count      = delta->count;
    if (!self->has_event_time || late == INT64_MIN) return LEAT_OK;
    uint16_t *rows;
    uint32_t  count = 0;
    LT_TRY_NEW_ARRAY(rows, batch->scratch, delta->count + 1u, err);
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t time_us;
        bool    is_window;
        if (!lt_event_time(&keys[self->plan->as.aggregate.event_time_key], row, &time_us, &is_window) ||
            time_us > late) {
            rows[count++] = (uint16_t)row;
            continue;
        }
        batch->rows_dropped++;
        if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, delta, row, late, err));
    }
    *out_rows  = rows;
    *out_count = count;
    return LEAT_OK;
}

// Marks the groups of these rows; finishes those that were there before the batch and are wanted for a retraction.
static leat_status touch(lt_node *node, const uint32_t *groups, const uint16_t *rows, uint32_t count,
                         const lt_chunk *delta, const lt_vector *keys, lt_batch *batch, leat_error *err) {
    aggregate  *self    = node->state;
    lt_account *account = self->groups.account;
    bool        is_net  = self->plan->emission == LT_EMIT_NET && node->pipeline->is_standing;
    uint32_t   *wanted, wanted_count = 0;
    LT_TRY_NEW_ARRAY(wanted, batch->scratch, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = groups[i];
        if ((self->flags[group] & GROUP_TOUCHED) != 0) continue;
        self->flags[group] |= GROUP_TOUCHED;
        uint32_t row       = rows == NULL ? i : rows[i];
        bool     was_there = is_alive(self, group) && !(is_global(self) && self->is_first);
        uint32_t before    = NO_BEFORE;
        if (was_there && is_net) {
            before                 = self->before.count + wanted_count;
            wanted[wanted_count++] = group;
        }
        if (!is_alive(self, group)) {
            self->places[group] = delta->places != NULL ? delta->places[row] : self->next_place + row;
            int64_t time_us;
            bool    is_window;
            if (self->has_event_time &&
                lt_event_time(&keys[self->plan->as.aggregate.event_time_key], row, &time_us, &is_window))
                LT_TRY(timer_set(self, group, time_us, err));
        }
        if (self->touched_count == self->touched_capacity) {
            uint32_t         want     = self->touched_capacity == 0 ? 64 : self->touched_capacity * 2;
            lt_account_array arrays[] = {{self->touched, sizeof *self->touched},
                                         {self->before_row, sizeof *self->before_row}};
            LT_TRY(lt_account_grow(account, arrays, 2, self->touched_capacity, want, err));
            self->touched          = arrays[0].memory;
            self->before_row       = arrays[1].memory;
            self->touched_capacity = want;
        }
        self->before_row[self->touched_count] = before;
        self->touched[self->touched_count++]  = group;
    }
    if (wanted_count == 0) return LEAT_OK;
    lt_chunk rows_before;
    LT_TRY(finish_rows(self, wanted, wanted_count, batch, &rows_before, err));
    if (self->before.columns == NULL)
        LT_TRY(lt_chunk_init(&self->before, self->types, self->plan->column_count, wanted_count, batch->arena, err));
    for (uint32_t c = 0; c < self->plan->column_count; c++)
        LT_TRY(lt_vector_append_rows(&self->before.columns[c], &rows_before.columns[c], NULL, wanted_count, false,
                                     batch->arena, err));
    self->before.count += wanted_count;
    return LEAT_OK;
}

typedef struct live_rows {
    uint16_t *rows; // of the chunk
    uint32_t *groups;
    int64_t  *weights, *places;
    uint32_t  count;
} live_rows;

// Values go in and out of the distinct table; what stays in `live` are the first appearance (+1) and the last removal
// (-1).
static leat_status distinct_rows(aggregate *self, call_state *call, const lt_vector *const *arguments, live_rows *live,
                                 lt_batch *batch, leat_error *err) {
    lt_account *account = self->groups.account;
    lt_vector  *keys;
    uint32_t   *found;
    LT_TRY_NEW_ARRAY(keys, batch->scratch, call->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(found, batch->scratch, live->count + 1u, err);
    LT_TRY(lt_vector_init(&keys[0], lt_type_of(LT_INT), LT_CHUNK_ROWS_MAX, batch->scratch, err));
    for (uint32_t i = 0; i < live->count; i++) LT_LANES(&keys[0], int32_t)[live->rows[i]] = (int32_t)live->groups[i];
    for (uint32_t a = 0; a < call->call->argument_count; a++) keys[a + 1] = *arguments[a];
    LT_TRY(lt_group_table_find_or_add(&call->distinct, keys, call->call->argument_count + 1, live->rows, live->count,
                                      found, err));
    LT_TRY(distinct_reserve(call, err));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < live->count; i++) {
        distinct_link_entry(call, found[i], live->groups[i]);
        int64_t before = call->distinct_weights[found[i]];
        int64_t after  = before + live->weights[i];
        if (after < 0)
            return lt_raise(err, LT_INTERNAL_ERROR, &call->call->place,
                            "a DISTINCT value was taken away more often than it was given");
        call->distinct_weights[found[i]] = after;
        LT_TRY(list_push(account, &call->distinct_changed, &call->distinct_changed_count,
                         &call->distinct_changed_capacity, found[i], err));
        if ((before > 0) == (after > 0)) continue;
        live->rows[kept]    = live->rows[i];
        live->groups[kept]  = live->groups[i];
        live->places[kept]  = live->places[i];
        live->weights[kept] = after > 0 ? 1 : -1;
        kept++;
    }
    live->count = kept;
    return LEAT_OK;
}

static leat_status update_call(aggregate *self, call_state *call, const lt_chunk *delta, const uint16_t *rows,
                               uint32_t count, const uint32_t *groups, lt_batch *batch, leat_error *err) {
    const lt_aggregate *function = call->call->aggregate;
    lt_arena           *arena    = batch->scratch;
    const lt_vector   **arguments;
    live_rows           live = {0};
    LT_TRY_NEW_ARRAY(arguments, arena, call->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(live.rows, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(live.groups, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(live.weights, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(live.places, arena, count + 1u, err);
    lt_rows          wanted = {.rows = rows, .count = count};
    const lt_vector *filter = NULL;
    if (call->call->filter != NULL) {
        uint16_t *passed;
        uint32_t  passed_count = 0;
        LT_TRY(lt_evaluator_run(&call->evaluator, call->call->filter, delta, rows == NULL ? NULL : &wanted, arena,
                                &filter, err));
        LT_TRY_NEW_ARRAY(passed, arena, count + 1u, err);
        for (uint32_t i = 0; i < count; i++) {
            uint16_t row = rows == NULL ? (uint16_t)i : rows[i];
            if (!lt_vector_is_null(filter, row) && LT_VALUE(filter, uint8_t, row) != 0) passed[passed_count++] = row;
        }
        wanted = (lt_rows){.rows = passed, .count = passed_count};
    }
    bool has_subset = filter != NULL || rows != NULL;
    for (uint32_t i = 0; i < call->input_count; i++)
        LT_TRY(lt_evaluator_run(&call->evaluator, call->inputs[i], delta, has_subset ? &wanted : NULL, arena,
                                &arguments[i], err));
    bool skips_nulls = call->input_count > 0 && (!function->takes_nulls || call->call->is_ignoring_nulls);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        uint16_t row = rows == NULL ? (uint16_t)i : rows[i];
        if (filter != NULL) {
            if (at >= wanted.count || wanted.rows[at] != row) continue;
            at++;
        }
        if (skips_nulls && lt_vector_is_null(arguments[0], row)) continue;
        live.rows[live.count]    = row;
        live.groups[live.count]  = groups[i];
        live.weights[live.count] = lt_chunk_weight(delta, row);
        live.places[live.count]  = delta->places != NULL ? delta->places[row] : self->next_place + row;
        live.count++;
    }
    if (has_distinct_table(call)) LT_TRY(distinct_rows(self, call, arguments, &live, batch, err));
    if (live.count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < call->input_count; i++) {
        bool is_dense = live.count == delta->count && arguments[i]->form == LT_FLAT;
        if (is_dense || (i > 0 && arguments[i]->form == LT_CONSTANT)) continue;
        lt_vector *compact;
        LT_TRY_NEW(compact, arena, err);
        LT_TRY(lt_vector_gather(arguments[i], live.rows, live.count, arena, compact, err));
        arguments[i] = compact;
    }
    lt_aggregate_rows batch_rows = {.aggregate      = function,
                                    .arguments      = arguments,
                                    .values         = call->input_count > 0 ? arguments[0]->values : NULL,
                                    .argument_count = call->input_count,
                                    .group_index    = live.groups,
                                    .weight         = live.weights,
                                    .place          = live.places,
                                    .count          = live.count,
                                    .memory         = self->groups.account,
                                    .result_type    = call->call->type,
                                    .constants      = call->call->constants,
                                    .evaluation     = batch->evaluation,
                                    .state          = call->state,
                                    .order_count    = call->call->order_count,
                                    .order          = call->order};
    leat_status       status     = function->update(call->accumulators, &batch_rows, err);
    if (status != LEAT_OK) lt_error_place(err, &call->call->place);
    return status;
}

static leat_status aggregate_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)input;
    aggregate *self      = node->state;
    uint32_t   key_count = self->plan->as.aggregate.key_count;
    lt_vector *keys;
    uint32_t  *groups;
    distinct_settle(self);
    LT_TRY_NEW_ARRAY(keys, batch->scratch, key_count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, batch->scratch, delta->count + 1u, err);
    for (uint32_t k = 0; k < key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&self->keys, self->plan->as.aggregate.keys[k], delta, NULL, batch->scratch, &key, err));
        keys[k] = *key;
    }
    const uint16_t *rows;
    uint32_t        count;
    LT_TRY(late_rows(node, delta, keys, batch, &rows, &count, err));
    if (key_count > 0) LT_TRY(lt_group_table_find_or_add(&self->groups, keys, key_count, rows, count, groups, err));
    LT_TRY(groups_reserve(self, err));
    LT_TRY(touch(node, groups, rows, count, delta, keys, batch, err));
    for (uint32_t i = 0; i < count; i++) self->weights[groups[i]] += lt_chunk_weight(delta, rows == NULL ? i : rows[i]);
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++)
        LT_TRY(update_call(self, &self->calls[i], delta, rows, count, groups, batch, err));
    self->next_place += delta->count;
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

static leat_status row_differs(const lt_chunk *a, uint32_t row_a, const lt_chunk *b, uint32_t row_b, lt_buffer *scratch,
                               bool *out, leat_error *err) {
    lt_buffer_reset(scratch);
    LT_TRY(lt_row_encode(a->columns, a->column_count, row_a, false, scratch, err));
    size_t middle = scratch->bytes;
    LT_TRY(lt_row_encode(b->columns, b->column_count, row_b, false, scratch, err));
    *out = scratch->bytes != 2 * middle || memcmp(scratch->data, scratch->data + middle, middle) != 0;
    return LEAT_OK;
}

static leat_status emit_groups(lt_node *node, const uint32_t *groups, uint32_t count, lt_batch *batch,
                               leat_error *err) {
    aggregate *self = node->state;
    for (uint32_t first = 0; first < count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t part = count - first < LT_CHUNK_ROWS_MAX ? count - first : LT_CHUNK_ROWS_MAX;
        lt_chunk out;
        int64_t *places;
        LT_TRY(finish_rows(self, groups + first, part, batch, &out, err));
        LT_TRY_NEW_ARRAY(places, batch->arena, part, err);
        for (uint32_t i = 0; i < part; i++) places[i] = self->places[groups[first + i]];
        out.places = places;
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

// -before, +after of every touched group whose row changed; half a chunk of groups at once.
static leat_status emit_net(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate *self = node->state;
    for (uint32_t first = 0; first < self->touched_count; first += LT_CHUNK_ROWS_MAX / 2) {
        uint32_t left = self->touched_count - first, part = left < LT_CHUNK_ROWS_MAX / 2 ? left : LT_CHUNK_ROWS_MAX / 2;
        lt_chunk after, out;
        int64_t *weights, *places;
        uint32_t *alive, alive_count = 0;
        LT_TRY_NEW_ARRAY(alive, batch->arena, part, err);
        for (uint32_t i = 0; i < part; i++)
            if (is_alive(self, self->touched[first + i])) alive[alive_count++] = self->touched[first + i];
        LT_TRY(finish_rows(self, alive, alive_count, batch, &after, err));
        LT_TRY(lt_chunk_init(&out, self->types, self->plan->column_count, part * 2, batch->arena, err));
        LT_TRY_NEW_ARRAY(weights, batch->arena, part * 2u, err);
        LT_TRY_NEW_ARRAY(places, batch->arena, part * 2u, err);
        uint16_t row_after = 0;
        bool     has_minus = false;
        for (uint32_t i = 0; i < part; i++) {
            uint32_t group = self->touched[first + i], before = self->before_row[first + i];
            bool     lives = is_alive(self, group), differs = true;
            if (before != NO_BEFORE && lives)
                LT_TRY(row_differs(&self->before, before, &after, row_after, &self->groups.scratch, &differs, err));
            if (before != NO_BEFORE && differs) {
                for (uint32_t c = 0; c < out.column_count; c++)
                    LT_TRY(lt_vector_append_row(&out.columns[c], &self->before.columns[c], before, batch->arena, err));
                places[out.count]    = self->places[group];
                weights[out.count++] = -1;
                has_minus            = true;
            }
            if (lives && differs) {
                for (uint32_t c = 0; c < out.column_count; c++)
                    LT_TRY(lt_vector_append_rows(&out.columns[c], &after.columns[c], &row_after, 1, false, batch->arena,
                                                 err));
                places[out.count]    = self->places[group];
                weights[out.count++] = 1;
            }
            row_after = (uint16_t)(row_after + lives);
        }
        out.places = places;
        if (has_minus) out.weights = weights;
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

// Groups at or below the watermark: given in append mode, silent in update mode, removed in both.
static leat_status close_groups(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate *self     = node->state;
    int64_t    close_us = lt_node_close_us(node, batch);
    if (!self->has_event_time || close_us == INT64_MIN) return LEAT_OK;
    uint32_t   *due = NULL, count = 0, capacity = 0;
    lt_timer    timer;
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && lt_timer_heap_pop_due(&self->timers, close_us, &timer)) {
        uint32_t group = (uint32_t)timer.group_index;
        if (lt_group_table_is_live(&self->groups, group) && is_alive(self, group) &&
            self->due_us[group] == timer.due_us)
            status = list_push(self->groups.account, &due, &count, &capacity, group, err);
    }
    if (status == LEAT_OK && self->plan->emission == LT_EMIT_CLOSED) status = emit_groups(node, due, count, batch, err);
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++) {
        self->weights[due[i]] = 0;
        if ((self->flags[due[i]] & GROUP_TOUCHED) != 0) continue; // removed with the touched ones
        if (node->pipeline->with_state)
            status = list_push(self->groups.account, &self->changed, &self->changed_count, &self->changed_capacity,
                               due[i], err);
        group_remove(self, due[i]);
    }
    batch->rows_removed += count;
    lt_account_reallocate(self->groups.account, due, sizeof *due * capacity, 0);
    return status;
}

static leat_status aggregate_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate *self     = node->state;
    self->changed_count = 0;
    distinct_settle(self);
    if (is_global(self) && (self->is_first || self->plan->emission != LT_EMIT_NET) && self->touched_count == 0) {
        uint32_t zero = 0;
        LT_TRY(touch(node, &zero, NULL, 1, &(lt_chunk){0}, NULL, batch, err));
    }
    batch->rows_updated += self->touched_count;
    if (self->plan->emission == LT_EMIT_NET) LT_TRY(emit_net(node, batch, err));
    if (self->plan->emission == LT_EMIT_TOUCHED)
        LT_TRY(emit_groups(node, self->touched, self->touched_count, batch, err));
    self->is_first = false;
    LT_TRY(close_groups(node, batch, err));
    for (uint32_t i = 0; i < self->touched_count; i++) {
        uint32_t group = self->touched[i];
        if (node->pipeline->with_state)
            LT_TRY(list_push(self->groups.account, &self->changed, &self->changed_count, &self->changed_capacity, group,
                             err));
        self->flags[group] = 0;
        if (!is_alive(self, group)) group_remove(self, group);
    }
    self->touched_count = 0;
    self->before        = (lt_chunk){0};
    self->is_settled    = false;
    return LEAT_OK;
}

// Spark runs another batch when the watermark has moved, whether or not a group falls due (recorded).
static bool aggregate_is_due(const lt_node *node, const lt_batch *batch) {
    const aggregate *self = node->state;
    if (self->plan->emission == LT_EMIT_NET || node->watermark_mask == 0) return false;
    return lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

// ---------------------------------------------------------------------------------------------------------- save, load

// In memory a DISTINCT key starts with the index of its group, encoded as an INT; on disk the key of the group stands
// there.
enum { GROUP_KEY_BYTES = 5 };
enum { SAVE_GROUP = 1, SAVE_DISTINCT = 2, SAVE_COUNTERS = 3 };

static leat_status save_group(aggregate *self, uint32_t group, lt_buffer *out, leat_error *err) {
    const bool is_live = lt_group_table_is_live(&self->groups, group);
    LT_TRY(lt_buffer_append_u8(out, SAVE_GROUP, err));
    LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
    LT_TRY(lt_buffer_append_u64(out, is_live ? (uint64_t)self->weights[group] : 0, err));
    LT_TRY(lt_buffer_append_u8(out, is_live, err));
    if (!is_live) return LEAT_OK;
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->places[group], err));
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++) {
        const call_state   *call     = &self->calls[i];
        const lt_aggregate *function = call->call->aggregate;
        LT_TRY(lt_buffer_append_u64(out, 0, err));
        size_t start = out->bytes;
        if (function->save != NULL)
            LT_TRY(function->save(accumulator(call, group), out, err));
        else
            LT_TRY(lt_buffer_append(out, accumulator(call, group), function->accumulator_bytes, err));
        uint64_t bytes = out->bytes - start;
        memcpy(out->data + start - sizeof bytes, &bytes, sizeof bytes);
    }
    return LEAT_OK;
}

static leat_status save_distinct(const aggregate *self, call_state *call, uint32_t number, uint32_t entry,
                                 lt_buffer *out, leat_error *err) {
    if (call->distinct_links[entry].group == 0) return LEAT_OK; // gone with its group, which its own save tells
    lt_buffer *key = &call->distinct.scratch;
    lt_buffer_reset(key);
    LT_TRY(lt_group_table_key(&call->distinct, entry, key, err));
    LT_TRY(lt_buffer_append_u8(out, SAVE_DISTINCT, err));
    LT_TRY(lt_buffer_append_u32(out, number, err));
    LT_TRY(lt_group_table_save_key(&self->groups, call->distinct_links[entry].group - 1, out, err));
    LT_TRY(lt_buffer_append_bytes(out, key->data + GROUP_KEY_BYTES, key->bytes - GROUP_KEY_BYTES, err));
    return lt_buffer_append_u64(out, (uint64_t)call->distinct_weights[entry], err);
}

static leat_status aggregate_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    aggregate *self = node->state;
    LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->next_place, err));
    if (is_full) {
        for (uint32_t group = 0; group < self->groups.group_count; group++)
            if (lt_group_table_is_live(&self->groups, group)) LT_TRY(save_group(self, group, out, err));
    } else {
        for (uint32_t i = 0; i < self->changed_count; i++) LT_TRY(save_group(self, self->changed[i], out, err));
    }
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++) {
        call_state *call = &self->calls[i];
        if (is_full) {
            for (uint32_t entry = 0; entry < call->distinct.group_count; entry++)
                if (call->distinct_weights[entry] > 0) LT_TRY(save_distinct(self, call, i, entry, out, err));
            continue;
        }
        for (uint32_t k = 0; k < call->distinct_changed_count; k++)
            LT_TRY(save_distinct(self, call, i, call->distinct_changed[k], out, err));
    }
    return LEAT_OK;
}

// The cursor: in its upper half 0 for groups, 1 + i for the DISTINCT values of call i; in its lower half the index. What
// is dead counts as a few bytes, so that a part ends whatever stands there.
static leat_status aggregate_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                       leat_error *err) {
    enum { DEAD_BYTES = 4 };
    aggregate *self  = node->state;
    size_t     end   = out->bytes + bytes_max;
    uint32_t   stage = (uint32_t)(*cursor >> 32), index = (uint32_t)*cursor;
    if (*cursor == 0) {
        LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->next_place, err));
    }
    for (; stage <= self->plan->as.aggregate.call_count; stage++, index = 0) {
        call_state *call  = stage == 0 ? NULL : &self->calls[stage - 1];
        uint32_t    count = call == NULL ? self->groups.group_count : call->distinct.group_count;
        for (; index < count; index++) {
            if (out->bytes >= end) {
                *cursor = (uint64_t)stage << 32 | index;
                return LEAT_OK;
            }
            size_t before = out->bytes;
            if (call == NULL && lt_group_table_is_live(&self->groups, index)) LT_TRY(save_group(self, index, out, err));
            if (call != NULL && call->distinct_weights[index] > 0)
                LT_TRY(save_distinct(self, call, stage - 1, index, out, err));
            if (out->bytes == before && end >= DEAD_BYTES) end -= DEAD_BYTES;
        }
    }
    *cursor = UINT64_MAX;
    return LEAT_OK;
}

static leat_status load_group(lt_node *node, lt_reader *in, leat_error *err) {
    aggregate  *self = node->state;
    const char *key, *bytes;
    size_t      key_count, count;
    uint64_t    weight, place;
    uint8_t     is_live;
    uint32_t    group;
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u8(in, &is_live, err));
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, key_count, &group, err));
    LT_TRY(groups_reserve(self, err));
    if (!is_live) {
        group_remove(self, group);
        return LEAT_OK;
    }
    LT_TRY(lt_reader_u64(in, &place, err));
    bool is_new          = self->weights[group] == 0;
    self->weights[group] = (int64_t)weight;
    self->places[group]  = (int64_t)place;
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++) {
        call_state         *call     = &self->calls[i];
        const lt_aggregate *function = call->call->aggregate;
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        if (function->load != NULL) {
            if (function->close != NULL) function->close(accumulator(call, group), self->groups.account);
            memset(accumulator(call, group), 0, function->accumulator_bytes);
            lt_reader part = {.next = bytes, .end = bytes + count};
            LT_TRY(function->load(accumulator(call, group), &part, self->groups.account, err));
        } else {
            if (count != function->accumulator_bytes)
                return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved %s has %zu bytes, not %zu", function->name,
                                count, function->accumulator_bytes);
            memcpy(accumulator(call, group), bytes, count);
        }
    }
    if (!self->has_event_time || !is_new) return LEAT_OK;
    lt_arena scratch;
    lt_arena_init(&scratch, self->groups.account);
    lt_chunk    keys;
    leat_status status = lt_chunk_init(&keys, self->types, self->plan->as.aggregate.key_count, 1, &scratch, err);
    if (status == LEAT_OK) status = lt_row_decode(key, key_count, keys.columns, keys.column_count, &scratch, err);
    int64_t time_us;
    bool    is_window;
    if (status == LEAT_OK &&
        lt_event_time(&keys.columns[self->plan->as.aggregate.event_time_key], 0, &time_us, &is_window))
        status = timer_set(self, group, time_us, err);
    lt_arena_deinit(&scratch);
    return status;
}

static leat_status load_distinct(aggregate *self, lt_reader *in, leat_error *err) {
    uint32_t    number, entry;
    const char *owner, *values;
    size_t      owner_count, count;
    uint64_t    weight;
    LT_TRY(lt_reader_u32(in, &number, err));
    LT_TRY(lt_reader_bytes(in, &owner, &owner_count, err));
    LT_TRY(lt_reader_bytes(in, &values, &count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    if (number >= self->plan->as.aggregate.call_count || !has_distinct_table(&self->calls[number]))
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved DISTINCT value names aggregate %u", number);
    call_state *call = &self->calls[number];
    uint32_t    group;
    group = lt_group_table_find_bytes(&self->groups, owner, owner_count);
    if (group == LT_NO_GROUP) return LEAT_OK; // of a group that has gone since
    int32_t    index   = (int32_t)group;
    lt_buffer *scratch = &call->distinct.scratch;
    lt_buffer_reset(scratch);
    LT_TRY(lt_buffer_append_byte(scratch, (char)LT_INT, err));
    LT_TRY(lt_buffer_append(scratch, &index, sizeof index, err));
    LT_TRY(lt_buffer_append(scratch, values, count, err));
    LT_TRY(lt_group_table_add_bytes(&call->distinct, scratch->data, scratch->bytes, &entry, err));
    LT_TRY(distinct_reserve(call, err));
    distinct_link_entry(call, entry, group);
    call->distinct_weights[entry] = (int64_t)weight;
    if (weight == 0) distinct_remove(call, entry);
    return LEAT_OK;
}

static leat_status aggregate_load(lt_node *node, lt_reader *in, leat_error *err) {
    aggregate *self = node->state;
    uint8_t    kind;
    uint64_t   next_place;
    LT_TRY(lt_reader_u8(in, &kind, err));
    self->is_first = false;
    switch (kind) {
    case SAVE_GROUP:
        return load_group(node, in, err);
    case SAVE_DISTINCT:
        return load_distinct(self, in, err);
    case SAVE_COUNTERS:
        LT_TRY(lt_reader_u64(in, &next_place, err));
        self->next_place = (int64_t)next_place;
        return LEAT_OK;
    default:
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved aggregate has a part of kind %u", kind);
    }
}

static lt_state_size aggregate_size(const lt_node *node) {
    const aggregate *self  = node->state;
    uint64_t         bytes = lt_group_table_bytes(&self->groups) + (uint64_t)self->groups.live_count * 24;
    for (uint32_t i = 0; i < self->plan->as.aggregate.call_count; i++)
        bytes += (uint64_t)self->groups.live_count * self->calls[i].call->aggregate->accumulator_bytes;
    return (lt_state_size){.rows = self->groups.live_count, .bytes = bytes};
}

static void aggregate_close(lt_node *node) {
    aggregate  *self    = node->state;
    lt_account *account = node->pipeline->account;
    for (uint32_t i = 0; self->calls != NULL && i < node->plan->as.aggregate.call_count; i++) {
        call_state *call = &self->calls[i];
        if (call->call == NULL) continue;
        const lt_aggregate *function = call->call->aggregate;
        for (uint32_t group = 0; function->close != NULL && group < self->groups.group_count && group < call->capacity;
             group++)
            if (lt_group_table_is_live(&self->groups, group)) function->close(accumulator(call, group), account);
        lt_account_reallocate(account, call->accumulators, function->accumulator_bytes * call->capacity, 0);
        lt_account_reallocate(account, call->distinct_weights, sizeof(int64_t) * call->distinct_capacity, 0);
        lt_account_reallocate(account, call->distinct_links, sizeof(distinct_link) * call->distinct_capacity, 0);
        lt_account_reallocate(account, call->distinct_first,
                              sizeof(uint32_t) * (has_distinct_table(call) ? call->capacity : 0), 0);
        lt_account_reallocate(account, call->distinct_changed, sizeof(uint32_t) * call->distinct_changed_capacity, 0);
        lt_group_table_deinit(&call->distinct);
        lt_evaluator_close(&call->evaluator);
    }
    lt_account_reallocate(account, self->weights, sizeof *self->weights * self->capacity, 0);
    lt_account_reallocate(account, self->places, sizeof *self->places * self->capacity, 0);
    lt_account_reallocate(account, self->due_us, sizeof *self->due_us * self->capacity, 0);
    lt_account_reallocate(account, self->flags, sizeof *self->flags * self->capacity, 0);
    lt_account_reallocate(account, self->touched, sizeof(uint32_t) * self->touched_capacity, 0);
    lt_account_reallocate(account, self->before_row, sizeof(uint32_t) * self->touched_capacity, 0);
    lt_account_reallocate(account, self->changed, sizeof(uint32_t) * self->changed_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_timer_heap_deinit(&self->timers);
    lt_evaluator_close(&self->keys);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_aggregate = {
    .name           = "Aggregate",
    .plan_kind      = LT_PLAN_AGGREGATE,
    .state_bytes    = sizeof(aggregate),
    .is_incremental = true,
    .open           = aggregate_open,
    .push           = aggregate_push,
    .end_batch      = aggregate_end_batch,
    .save           = aggregate_save,
    .save_part      = aggregate_save_part,
    .load           = aggregate_load,
    .is_due         = aggregate_is_due,
    .size           = aggregate_size,
    .state_name     = "stateStoreSave",
    .close          = aggregate_close,
};
