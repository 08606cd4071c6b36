// session_fold: sessions (session_aggregate.c has the rules) of rows that only come, under aggregates that can be merged.
//
//     key -> sessions in order, none touches the next: [10:00, 10:18) [10:30, 10:40)      session -> accumulators
//
// A row finds the sessions that it overlaps or touches by a search; the first of them takes it and, with their
// accumulators, all others: nothing else of the key is looked at, and no row is kept. What a session gave before is
// computed when a batch first touches it. Memory: the open sessions. Cost: O(log n) a row and the sessions that it joins;
// a session in front of others of its key moves their numbers.
#include "base/lanes.h"
#include "exec/aggregation/call.h"
#include "exec/recompute.h"
#include "exec/sessions.h"
#include "exec/state/group_table.h"
#include "exec/state/timer_heap.h"

typedef struct session {
    int64_t  start_us, end_us;
    int64_t  before_start_us, before_end_us; // as this batch found it
    int64_t  timer_us;                       // of its last timer; INT64_MIN: none
    uint32_t group;
    uint32_t merged_into; // of one that is gone, in this batch
    uint32_t next_free;   // number + 1
    bool     is_live, is_touched;
} session;

typedef struct session_list {
    uint32_t *numbers;
    uint32_t  count, capacity;
} session_list;

typedef struct number_list {
    uint32_t *items;
    uint32_t  count, capacity;
} number_list;

typedef struct session_fold {
    const lt_plan        *plan;
    lt_account           *account;
    lt_evaluator          evaluator;
    const lt_expression **expressions; // the keys but the session, then the session
    uint32_t              key_count;   // without the session
    const lt_type       **output_types;
    lt_call_state        *calls;
    uint32_t              call_count;
    lt_group_table        groups;
    session_list         *lists; // by group
    uint32_t              list_capacity;
    session              *sessions;
    uint32_t              session_count, session_capacity, first_free; // first_free: number + 1
    bool                  has_stale_free;                              // after load
    uint64_t              live_count;
    number_list           touched;  // in this batch, gone ones too
    uint32_t              captured; // of touched: what they gave before is known
    number_list           merges;   // of a chunk: pairs of who takes and who goes
    lt_timer_heap         timers;
    lt_row_set            given, present;
    lt_buffer             scratch, changes;
    int64_t               next_place;
    bool                  is_closing, forgets; // as in session_aggregate
    lt_arena              arena;
} session_fold;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status fold_open(lt_node *node, leat_error *err) {
    session_fold   *self    = node->state;
    const lt_plan  *plan    = node->plan;
    lt_account     *account = node->pipeline->account;
    const int32_t   key     = plan->as.aggregate.session_key;
    const lt_type **key_types;
    *self = (session_fold){.plan = plan, .account = account, .call_count = plan->as.aggregate.call_count};
    lt_arena_init(&self->arena, account);
    lt_timer_heap_init(&self->timers, account);
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->changes, account, 0);
    lt_row_set_init(&self->given, account, true);
    lt_row_set_init(&self->present, account, true);
    self->is_closing = plan->emission != LT_EMIT_NET && node->pipeline->is_standing;
    self->forgets    = lt_node_forgets(node);
    LT_TRY_NEW_ARRAY(self->output_types, &self->arena, plan->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->expressions, &self->arena, plan->as.aggregate.key_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->calls, &self->arena, self->call_count + 1u, err);
    memset(self->calls, 0, sizeof *self->calls * self->call_count);
    for (uint32_t c = 0; c < plan->column_count; c++) self->output_types[c] = plan->columns[c].type;
    for (uint32_t k = 0; k < plan->as.aggregate.key_count; k++)
        if ((int32_t)k != key) self->expressions[self->key_count++] = plan->as.aggregate.keys[k];
    self->expressions[self->key_count] = plan->as.aggregate.keys[key];
    LT_TRY(lt_expression_types(self->expressions, self->key_count, &self->arena, &key_types, err));
    lt_group_table_init(&self->groups, account, key_types, self->key_count, node->pipeline->evaluation->random_seed);
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_open(&self->calls[i], node, &plan->as.aggregate.calls[i], &self->arena, err));
    return lt_evaluator_open(&self->evaluator, self->expressions, self->key_count + 1, node->pipeline->evaluation,
                             account, err);
}

// ------------------------------------------------------------------------------------------------------------ sessions

static leat_status number_add(session_fold *self, number_list *list, uint32_t number, leat_error *err) {
    LT_TRY_GROW(list->items, self->account, list->count, list->capacity, 64, err);
    list->items[list->count++] = number;
    return LEAT_OK;
}

static leat_status lists_reserve(session_fold *self, leat_error *err) {
    const uint32_t   want  = self->groups.group_capacity;
    lt_account_array lists = {self->lists, sizeof *self->lists};
    if (self->list_capacity >= want) return LEAT_OK;
    LT_TRY(lt_account_grow(self->account, &lists, 1, self->list_capacity, want, err));
    self->lists         = lists.memory;
    self->list_capacity = want;
    return LEAT_OK;
}

static leat_status sessions_reserve(session_fold *self, uint32_t count, leat_error *err) {
    uint32_t want = self->session_capacity == 0 ? 64 : self->session_capacity;
    if (count > INT32_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than two billion sessions to keep");
    while (want < count) want *= 2;
    if (want > self->session_capacity) {
        lt_account_array sessions = {self->sessions, sizeof *self->sessions};
        LT_TRY(lt_account_grow(self->account, &sessions, 1, self->session_capacity, want, err));
        self->sessions         = sessions.memory;
        self->session_capacity = want;
    }
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_add_groups(&self->calls[i], count, self->account, err));
    return LEAT_OK;
}

static leat_status number_take(session_fold *self, uint32_t *out, leat_error *err) {
    if (self->has_stale_free) {
        self->first_free = 0;
        for (uint32_t number = self->session_count; number-- > 0;) {
            if (self->sessions[number].is_live || self->sessions[number].is_touched) continue;
            self->sessions[number].next_free = self->first_free;
            self->first_free                 = number + 1;
        }
        self->has_stale_free = false;
    }
    if (self->first_free != 0) {
        *out             = self->first_free - 1;
        self->first_free = self->sessions[*out].next_free;
        return LEAT_OK;
    }
    LT_TRY(sessions_reserve(self, self->session_count + 1, err));
    *out = self->session_count++;
    return LEAT_OK;
}

// How many sessions of a list end before `time_us`.
static uint32_t sessions_before(const session_fold *self, const session_list *list, int64_t time_us) {
    uint32_t first = 0, end = list->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (self->sessions[list->numbers[middle]].end_us < time_us)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static leat_status list_insert(session_fold *self, uint32_t at, uint32_t number, leat_error *err) {
    session_list *list = &self->lists[self->sessions[number].group];
    LT_TRY_GROW(list->numbers, self->account, list->count, list->capacity, 4, err);
    memmove(list->numbers + at + 1, list->numbers + at, sizeof *list->numbers * (list->count - at));
    list->numbers[at] = number;
    list->count++;
    self->live_count++;
    return LEAT_OK;
}

static void list_cut(session_list *list, uint32_t at, uint32_t count) {
    list->count -= count;
    memmove(list->numbers + at, list->numbers + at + count, sizeof *list->numbers * (list->count - at));
}

// The session is gone; its number is free from the next batch on.
static void session_end(session_fold *self, uint32_t number) {
    self->sessions[number].is_live = false;
    self->live_count--;
    for (uint32_t i = 0; i < self->call_count; i++) lt_call_remove_group(&self->calls[i], number, self->account);
}

static void session_unlink(session_fold *self, uint32_t number) {
    const uint32_t group = self->sessions[number].group;
    session_list  *list  = &self->lists[group];
    list_cut(list, sessions_before(self, list, self->sessions[number].end_us), 1);
    session_end(self, number);
    if (list->count > 0) return;
    lt_account_reallocate(self->account, list->numbers, sizeof *list->numbers * list->capacity, 0);
    *list = (session_list){0};
    lt_group_table_remove(&self->groups, group);
}

static leat_status session_touch(session_fold *self, uint32_t number, leat_error *err) {
    session *at = &self->sessions[number];
    if (at->is_touched) return LEAT_OK;
    LT_TRY(number_add(self, &self->touched, number, err));
    at->is_touched      = true;
    at->before_start_us = at->start_us;
    at->before_end_us   = at->end_us;
    return LEAT_OK;
}

// The session that takes the row [start_us, end_us) of a key.
static leat_status session_of_row(session_fold *self, uint32_t group, int64_t start_us, int64_t end_us, uint32_t *out,
                                  leat_error *err) {
    session_list  *list  = &self->lists[group];
    const uint32_t first = sessions_before(self, list, start_us);
    uint32_t       end   = first;
    while (end < list->count && self->sessions[list->numbers[end]].start_us <= end_us) end++;
    if (end == first) {
        LT_TRY(number_take(self, out, err));
        self->sessions[*out] = (session){.start_us = start_us, .end_us = end_us, .timer_us = INT64_MIN, .group = group};
        LT_TRY(list_insert(self, first, *out, err));
        LT_TRY(session_touch(self, *out, err));
        self->sessions[*out].before_end_us = INT64_MIN; // there was none
        self->sessions[*out].is_live       = true;
        return LEAT_OK;
    }
    *out = list->numbers[first];
    LT_TRY(session_touch(self, *out, err));
    session *taker = &self->sessions[*out];
    for (uint32_t i = first + 1; i < end; i++) {
        session *gone = &self->sessions[list->numbers[i]];
        LT_TRY(session_touch(self, list->numbers[i], err));
        LT_TRY(number_add(self, &self->merges, *out, err));
        LT_TRY(number_add(self, &self->merges, list->numbers[i], err));
        if (gone->end_us > taker->end_us) taker->end_us = gone->end_us;
        gone->merged_into = *out;
        gone->is_live     = false;
    }
    list_cut(list, first + 1, end - first - 1);
    if (start_us < taker->start_us) taker->start_us = start_us;
    if (end_us > taker->end_us) taker->end_us = end_us;
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- rows

// Output rows of sessions, at most a chunk of them; is_before: with the bounds that this batch found.
static leat_status rows_make(session_fold *self, const uint32_t *numbers, uint32_t count, bool is_before,
                             lt_batch *batch, lt_chunk *out, leat_error *err) {
    lt_arena      *arena = batch->scratch;
    const lt_plan *plan  = self->plan;
    lt_vector     *keys;
    uint32_t      *groups;
    LT_TRY(lt_chunk_init(out, self->output_types, plan->column_count, count + 1, arena, err));
    LT_TRY_NEW_ARRAY(groups, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(keys, arena, self->key_count + 1u, err);
    for (uint32_t i = 0; i < count; i++) groups[i] = self->sessions[numbers[i]].group;
    for (uint32_t k = 0, at = 0; k < plan->as.aggregate.key_count; k++)
        if ((int32_t)k != plan->as.aggregate.session_key) keys[at++] = out->columns[k];
    if (self->key_count > 0)
        LT_TRY(lt_group_table_keys(&self->groups, groups, count, keys, self->key_count, arena, err));
    for (uint32_t k = 0, at = 0; k < plan->as.aggregate.key_count; k++)
        if ((int32_t)k != plan->as.aggregate.session_key) out->columns[k] = keys[at++];
    lt_vector *bounds = &out->columns[plan->as.aggregate.session_key];
    bounds->lanes     = count;
    for (uint32_t part = 0; part < 2; part++) {
        bounds->children[part].lanes = count;
        for (uint32_t i = 0; i < count; i++) {
            const session *of = &self->sessions[numbers[i]];
            LT_LANES(&bounds->children[part], int64_t)
            [i] = part == 0 ? (is_before ? of->before_start_us : of->start_us)
                            : (is_before ? of->before_end_us : of->end_us);
        }
    }
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_finish(&self->calls[i], numbers, count, &out->columns[plan->as.aggregate.key_count + i],
                              batch->evaluation, arena, err));
    out->count = count;
    return LEAT_OK;
}

// Adds the rows of the touched sessions from `first` on to a set: of those that were there, or that are.
static leat_status rows_collect(session_fold *self, uint32_t first, bool is_before, lt_batch *batch, lt_row_set *into,
                                leat_error *err) {
    uint32_t *numbers;
    while (first < self->touched.count) {
        uint32_t count = 0;
        int64_t  place = 0;
        lt_chunk rows;
        LT_TRY_NEW_ARRAY(numbers, batch->scratch, LT_CHUNK_ROWS_MAX, err);
        for (; first < self->touched.count && count < LT_CHUNK_ROWS_MAX; first++) {
            const session *at = &self->sessions[self->touched.items[first]];
            if (is_before ? at->before_end_us != INT64_MIN : at->is_live) numbers[count++] = self->touched.items[first];
        }
        LT_TRY(rows_make(self, numbers, count, is_before, batch, &rows, err));
        LT_TRY(lt_row_set_add_chunk(into, &rows, &place, &self->scratch, err));
    }
    return LEAT_OK;
}

static leat_status rows_send(lt_node *node, const uint32_t *numbers, uint32_t count, lt_batch *batch, leat_error *err) {
    for (uint32_t first = 0; first < count; first += LT_CHUNK_ROWS_MAX) {
        const uint32_t part = count - first < LT_CHUNK_ROWS_MAX ? count - first : LT_CHUNK_ROWS_MAX;
        lt_chunk       rows;
        LT_TRY(rows_make(node->state, numbers + first, part, false, batch, &rows, err));
        LT_TRY(lt_emit_origin(node, &rows, batch, err));
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- push

static leat_status merges_run(session_fold *self, leat_error *err) {
    for (uint32_t i = 0; i < self->merges.count; i += 2) {
        for (uint32_t c = 0; c < self->call_count; c++)
            LT_TRY(lt_call_merge(&self->calls[c], &self->calls[c], self->merges.items[i + 1], &self->merges.items[i], 1,
                                 self->account, err));
        session_end(self, self->merges.items[i + 1]);
    }
    self->merges.count = 0;
    return LEAT_OK;
}

static leat_status rows_fold(lt_node *node, const lt_chunk *delta, const uint16_t *rows, const uint32_t *groups,
                             const lt_vector *bounds, uint32_t count, lt_batch *batch, leat_error *err) {
    session_fold    *self   = node->state;
    const lt_vector *lanes  = lt_vector_lanes(bounds);
    const int64_t   *starts = LT_LANES(&lanes->children[0], const int64_t);
    const int64_t   *ends   = LT_LANES(&lanes->children[1], const int64_t);
    uint32_t        *numbers;
    LT_TRY_NEW_ARRAY(numbers, batch->scratch, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lane = lt_vector_lane(bounds, rows[i]);
        LT_TRY(session_of_row(self, groups[i], starts[lane], ends[lane], &numbers[i], err));
    }
    if (node->pipeline->is_standing && !self->is_closing)
        LT_TRY(rows_collect(self, self->captured, true, batch, &self->given, err));
    self->captured = self->touched.count;
    LT_TRY(merges_run(self, err));
    for (uint32_t i = 0; i < count; i++)
        while (!self->sessions[numbers[i]].is_live) numbers[i] = self->sessions[numbers[i]].merged_into;
    const lt_call_rows folded = {
        .chunk = delta, .rows = rows, .count = count, .groups = numbers, .next_place = self->next_place};
    for (uint32_t c = 0; c < self->call_count && count > 0; c++)
        LT_TRY(lt_call_update(&self->calls[c], &folded, batch, self->account, err));
    return LEAT_OK;
}

static leat_status fold_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    session_fold    *self  = node->state;
    lt_arena        *arena = batch->scratch;
    lt_vector       *keys;
    const lt_vector *value;
    uint16_t        *rows;
    uint32_t        *groups, count;
    LT_TRY(lt_session_keys_check(node, err));
    LT_TRY_NEW_ARRAY(keys, arena, self->key_count + 1u, err);
    LT_TRY_NEW_ARRAY(rows, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, arena, delta->count + 1u, err);
    for (uint32_t k = 0; k <= self->key_count; k++) {
        LT_TRY(lt_evaluator_run(&self->evaluator, self->expressions[k], delta, NULL, arena, &value, err));
        keys[k] = *value;
    }
    LT_TRY(lt_session_rows_in_time(node, delta, &keys[self->key_count], self->forgets, batch, rows, &count, err));
    for (uint32_t i = 0; self->key_count == 0 && i < count; i++)
        LT_TRY(lt_group_table_add_bytes(&self->groups, "", 0, &groups[i], err));
    if (self->key_count > 0)
        LT_TRY(lt_group_table_find_or_add(&self->groups, keys, self->key_count, rows, count, groups, err));
    LT_TRY(lists_reserve(self, err));
    LT_TRY(rows_fold(node, delta, rows, groups, &keys[self->key_count], count, batch, err));
    self->next_place += delta->count;
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

enum { SAVE_SESSION = 11, SAVE_REMOVED = 12, SAVE_COUNTERS = 13 };

static leat_status session_write(session_fold *self, uint32_t number, lt_buffer *out, leat_error *err) {
    const session *at = &self->sessions[number];
    LT_TRY(lt_buffer_append_u8(out, SAVE_SESSION, err));
    LT_TRY(lt_buffer_append_u32(out, number, err));
    LT_TRY(lt_group_table_save_key(&self->groups, at->group, out, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)at->start_us, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)at->end_us, err));
    for (uint32_t i = 0; i < self->call_count; i++) LT_TRY(lt_call_save(&self->calls[i], number, out, err));
    return LEAT_OK;
}

// Those that went first, so that sessions do not overlap when they are read back.
static leat_status changes_note(session_fold *self, leat_error *err) {
    for (uint32_t i = 0; i < self->touched.count; i++) {
        if (self->sessions[self->touched.items[i]].is_live) continue;
        LT_TRY(lt_buffer_append_u8(&self->changes, SAVE_REMOVED, err));
        LT_TRY(lt_buffer_append_u32(&self->changes, self->touched.items[i], err));
    }
    for (uint32_t i = 0; i < self->touched.count; i++)
        if (self->sessions[self->touched.items[i]].is_live)
            LT_TRY(session_write(self, self->touched.items[i], &self->changes, err));
    return LEAT_OK;
}

static leat_status timers_set(session_fold *self, leat_error *err) {
    for (uint32_t i = 0; self->forgets && i < self->touched.count; i++) {
        session *at = &self->sessions[self->touched.items[i]];
        if (!at->is_live || at->timer_us == at->end_us) continue;
        at->timer_us = at->end_us;
        LT_TRY(lt_timer_heap_push(&self->timers,
                                  (lt_timer){.due_us = at->end_us, .group_index = self->touched.items[i]}, err));
    }
    return LEAT_OK;
}

// Sessions that the watermark has passed, in the order of their ends. They count as touched.
static leat_status sessions_close(session_fold *self, lt_node *node, int64_t close_us, lt_batch *batch,
                                  leat_error *err) {
    uint32_t *closed, count = 0, capacity = 64;
    lt_timer  timer;
    LT_TRY_NEW_ARRAY(closed, batch->arena, capacity, err);
    while (lt_timer_heap_pop_due(&self->timers, close_us, &timer)) {
        session *at = &self->sessions[timer.group_index];
        if (!at->is_live || at->timer_us != timer.due_us) continue;
        at->timer_us = INT64_MIN;
        if (count == capacity) {
            uint32_t *larger;
            LT_TRY_NEW_ARRAY(larger, batch->arena, (size_t)capacity * 2, err);
            memcpy(larger, closed, sizeof *closed * count);
            closed = larger;
            capacity *= 2;
        }
        closed[count++] = (uint32_t)timer.group_index;
    }
    if (self->is_closing) LT_TRY(rows_send(node, closed, count, batch, err));
    for (uint32_t i = 0; i < count; i++) {
        LT_TRY(session_touch(self, closed[i], err));
        session_unlink(self, closed[i]);
    }
    batch->rows_removed += count;
    return LEAT_OK;
}

static void touched_forget(session_fold *self) {
    for (uint32_t i = 0; i < self->touched.count; i++) {
        session *at    = &self->sessions[self->touched.items[i]];
        at->is_touched = false;
        if (at->is_live) continue;
        at->next_free    = self->first_free;
        self->first_free = self->touched.items[i] + 1;
    }
    self->touched.count = 0;
    self->captured      = 0;
}

static leat_status all_send(lt_node *node, lt_batch *batch, leat_error *err) {
    session_fold *self = node->state;
    uint32_t     *numbers, count = 0;
    LT_TRY_NEW_ARRAY(numbers, batch->arena, self->session_count + 1u, err);
    for (uint32_t number = 0; number < self->session_count; number++)
        if (self->sessions[number].is_live) numbers[count++] = number;
    return rows_send(node, numbers, count, batch, err);
}

static leat_status fold_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    session_fold *self     = node->state;
    const int64_t close_us = lt_node_close_us(node, batch);
    if (!node->pipeline->is_standing) return all_send(node, batch, err);
    batch->rows_updated += self->touched.count;
    if (!self->is_closing && self->touched.count > 0) {
        LT_TRY(rows_collect(self, 0, false, batch, &self->present, err));
        LT_TRY(lt_emit_difference(node, &self->given, &self->present, self->output_types, batch, NULL, err));
        lt_row_set_reset(&self->given);
    }
    LT_TRY(timers_set(self, err));
    if (self->forgets && close_us != INT64_MIN) LT_TRY(sessions_close(self, node, close_us, batch, err));
    if (node->pipeline->with_state) LT_TRY(changes_note(self, err));
    touched_forget(self);
    return LEAT_OK;
}

static bool fold_is_due(const lt_node *node, const lt_batch *batch) {
    const session_fold *self = node->state;
    return self->forgets && node->watermark_mask != 0 && lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

static int64_t fold_last_due_us(const lt_node *node) {
    const session_fold *self    = node->state;
    int64_t             last_us = INT64_MIN;
    for (uint32_t number = 0; self->forgets && number < self->session_count; number++)
        if (self->sessions[number].is_live && self->sessions[number].end_us > last_us)
            last_us = self->sessions[number].end_us;
    return last_us;
}

// ---------------------------------------------------------------------------------------------------------- save, load

static leat_status fold_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    session_fold *self = node->state;
    for (uint32_t number = 0; is_full && number < self->session_count; number++)
        if (self->sessions[number].is_live) LT_TRY(session_write(self, number, out, err));
    if (!is_full) LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    lt_buffer_reset(&self->changes);
    LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
    return lt_buffer_append_u64(out, (uint64_t)self->next_place, err);
}

static leat_status load_session(session_fold *self, uint32_t number, lt_reader *in, leat_error *err) {
    const char *key, *bytes;
    size_t      key_count, count;
    uint64_t    start_us, end_us;
    uint32_t    group;
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_u64(in, &start_us, err));
    LT_TRY(lt_reader_u64(in, &end_us, err));
    if (number < self->session_count && self->sessions[number].is_live) session_unlink(self, number);
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, key_count, &group, err));
    LT_TRY(lists_reserve(self, err));
    if (number >= self->session_count) {
        LT_TRY(sessions_reserve(self, number + 1, err));
        self->session_count = number + 1;
    }
    session *at          = &self->sessions[number];
    *at                  = (session){.start_us = (int64_t)start_us,
                                     .end_us   = (int64_t)end_us,
                                     .timer_us = INT64_MIN,
                                     .group    = group,
                                     .is_live  = true};
    self->has_stale_free = true;
    LT_TRY(list_insert(self, sessions_before(self, &self->lists[group], at->start_us), number, err));
    for (uint32_t i = 0; i < self->call_count; i++) {
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_call_load(&self->calls[i], number, bytes, count, self->account, err));
    }
    if (!self->forgets) return LEAT_OK;
    at->timer_us = at->end_us;
    return lt_timer_heap_push(&self->timers, (lt_timer){.due_us = at->end_us, .group_index = number}, err);
}

static leat_status fold_load(lt_node *node, lt_reader *in, leat_error *err) {
    session_fold *self = node->state;
    uint8_t       kind;
    uint32_t      number;
    uint64_t      next_place;
    LT_TRY(lt_reader_u8(in, &kind, err));
    if (kind == SAVE_COUNTERS) {
        LT_TRY(lt_reader_u64(in, &next_place, err));
        self->next_place = (int64_t)next_place;
        return LEAT_OK;
    }
    LT_TRY(lt_reader_u32(in, &number, err));
    if ((kind != SAVE_SESSION && kind != SAVE_REMOVED) || number > INT32_MAX)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "saved sessions have a part of kind %u", kind);
    if (kind == SAVE_SESSION) return load_session(self, number, in, err);
    // A session that came and went within one batch was never written.
    if (number >= self->session_count || !self->sessions[number].is_live) return LEAT_OK;
    session_unlink(self, number);
    self->has_stale_free = true;
    return LEAT_OK;
}

static lt_state_size fold_size(const lt_node *node) {
    const session_fold *self  = node->state;
    uint64_t            bytes = sizeof(session) + sizeof(uint32_t);
    for (uint32_t i = 0; i < self->call_count; i++) bytes += self->calls[i].function->accumulator_bytes;
    return (lt_state_size){.rows  = self->live_count,
                           .bytes = self->live_count * bytes + lt_group_table_bytes(&self->groups) +
                                    sizeof(session_list) * self->groups.live_count};
}

static void fold_close(lt_node *node) {
    session_fold *self    = node->state;
    lt_account   *account = self->account;
    if (account == NULL) return;
    for (uint32_t i = 0; self->calls != NULL && i < self->call_count; i++)
        lt_call_close(&self->calls[i], &self->groups, account);
    for (uint32_t group = 0; group < self->list_capacity; group++)
        lt_account_reallocate(account, self->lists[group].numbers, sizeof(uint32_t) * self->lists[group].capacity, 0);
    lt_account_reallocate(account, self->lists, sizeof *self->lists * self->list_capacity, 0);
    lt_account_reallocate(account, self->sessions, sizeof *self->sessions * self->session_capacity, 0);
    lt_account_reallocate(account, self->touched.items, sizeof *self->touched.items * self->touched.capacity, 0);
    lt_account_reallocate(account, self->merges.items, sizeof *self->merges.items * self->merges.capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_timer_heap_deinit(&self->timers);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
    lt_row_set_deinit(&self->given);
    lt_row_set_deinit(&self->present);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->arena);
    *self = (session_fold){0};
}

bool lt_sessions_can_fold(const lt_plan *plan) {
    if (plan->as.aggregate.session_key < 0 || !plan->properties.is_streaming ||
        !plan->inputs[0]->properties.is_append_only)
        return false;
    for (uint32_t i = 0; i < plan->as.aggregate.call_count; i++) {
        const lt_aggregate_call *call = &plan->as.aggregate.calls[i];
        if (call->is_distinct || call->order_count > 0 || call->aggregate->has_memory ||
            call->aggregate->merge == NULL || lt_aggregate_widest(call->aggregate)->merge == NULL)
            return false;
    }
    return true;
}

const lt_operator_kind lt_operators_session_fold = {
    .name           = "SessionAggregate",
    .plan_kind      = LT_PLAN_AGGREGATE,
    .serves         = lt_sessions_can_fold,
    .state_bytes    = sizeof(session_fold),
    .is_incremental = true,
    .open           = fold_open,
    .push           = fold_push,
    .end_batch      = fold_end_batch,
    .save           = fold_save,
    .load           = fold_load,
    .is_due         = fold_is_due,
    .last_due_us    = fold_last_due_us,
    .size           = fold_size,
    .state_name     = "sessionWindowStateStoreSaveExec",
    .close          = fold_close,
};
