// session_aggregate: GROUP BY session_window(time, gap), keys. Every row begins as a session [time, time + gap) of its
// own; sessions of one key that overlap or touch are one.
//
//     key -> rows [10:00, 10:10) [10:08, 10:18) [10:30, 10:40)   =>  sessions [10:00, 10:18) [10:30, 10:40)
//
// The rows themselves are the state: a row that joins two sessions, a row that is taken back and splits one, and
// aggregates that cannot be merged need nothing else (all others: session_fold.c). end_batch cuts the rows of the
// touched keys into sessions and lets the aggregate operator, in its form for one batch, group them. Three ways out: all
// sessions (one batch), the sessions that the watermark closes (LT_EMIT_CLOSED; their rows go), or the difference to
// what the touched keys gave before (LT_EMIT_NET). Late is a row whose own end is at or below the watermark.
// Memory: rows of the open sessions. Cost: O(n log n) over the rows of the touched keys a batch.
#include "base/lanes.h"
#include "exec/recompute.h"
#include "exec/sessions.h"
#include "exec/state/group_table.h"
#include "exec/state/kept_rows.h"
#include "exec/state/timer_heap.h"

typedef struct session_key {
    lt_kept_rows rows;   // input columns, then the row's own session
    lt_kept_rows before; // of this batch: as it began; memory of batch->arena
    uint32_t     session_count;
    int64_t      due_us, last_end_us; // ends of the earliest and of the last session; INT64_MAX, INT64_MIN: none
    int64_t      changed_first_us, changed_last_us; // of this batch: rows that came or went begin and end between them
    bool         is_touched;
} session_key;

typedef struct session_aggregate {
    lt_evaluator          evaluator;
    const lt_expression **expressions; // the keys but the session, then the session
    uint32_t              key_count;   // without the session
    const lt_type       **types;       // of a kept row
    const lt_type       **output_types;
    uint32_t              width;     // columns of a kept row
    lt_plan               one_batch; // the node, with the session as the last column of its input
    lt_group_table        groups;
    session_key          *keys; // by group
    uint32_t              capacity;
    uint32_t             *touched, touched_count, touched_capacity;
    lt_timer_heap         timers;
    lt_buffer             scratch, changes;
    lt_row_set            given, present;
    uint64_t              session_count;
    int64_t               next_place;
    bool                  is_closing; // LT_EMIT_CLOSED of a standing query
    bool                  forgets;    // late rows go, and sessions that the watermark has passed
    lt_arena              arena;
} session_aggregate;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status plan_for_one_batch(session_aggregate *self, const lt_plan *plan, leat_error *err) {
    int32_t               session = plan->as.aggregate.session_key;
    uint32_t              last    = self->width - 1;
    const lt_expression **keys;
    LT_TRY_NEW_ARRAY(keys, &self->arena, plan->as.aggregate.key_count + 1u, err);
    memcpy(keys, plan->as.aggregate.keys, sizeof *keys * plan->as.aggregate.key_count);
    keys[session] = lt_expression_column(&self->arena, last, self->types[last], &plan->place);
    if (keys[session] == NULL) return lt_raise_no_memory(err);
    self->one_batch                             = *plan;
    self->one_batch.emission                    = LT_EMIT_NET;
    self->one_batch.as.aggregate.keys           = keys;
    self->one_batch.as.aggregate.session_key    = -1;
    self->one_batch.as.aggregate.event_time_key = -1;
    return LEAT_OK;
}

static leat_status session_open(lt_node *node, leat_error *err) {
    session_aggregate *self = node->state;
    const lt_plan     *plan = node->plan, *below = plan->inputs[0];
    lt_account        *account = node->pipeline->account;
    const int32_t      session = plan->as.aggregate.session_key;
    const lt_type    **key_types;
    self->groups.account = account;
    lt_arena_init(&self->arena, account);
    lt_timer_heap_init(&self->timers, account);
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->changes, account, 0);
    lt_row_set_init(&self->given, account, true);
    lt_row_set_init(&self->present, account, true);
    self->is_closing = plan->emission != LT_EMIT_NET && node->pipeline->is_standing;
    self->forgets    = lt_node_forgets(node);
    self->width      = below->column_count + 1;
    LT_TRY_NEW_ARRAY(self->types, &self->arena, self->width, err);
    LT_TRY_NEW_ARRAY(self->output_types, &self->arena, plan->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->expressions, &self->arena, plan->as.aggregate.key_count + 1u, err);
    for (uint32_t c = 0; c < below->column_count; c++) self->types[c] = below->columns[c].type;
    for (uint32_t c = 0; c < plan->column_count; c++) self->output_types[c] = plan->columns[c].type;
    for (uint32_t k = 0; k < plan->as.aggregate.key_count; k++)
        if ((int32_t)k != session) self->expressions[self->key_count++] = plan->as.aggregate.keys[k];
    self->expressions[self->key_count] = plan->as.aggregate.keys[session];
    LT_TRY(lt_expression_types(self->expressions, self->key_count, &self->arena, &key_types, err));
    lt_group_table_init(&self->groups, account, key_types, self->key_count, node->pipeline->evaluation->random_seed);
    self->types[below->column_count] = plan->as.aggregate.keys[session]->type;
    LT_TRY(plan_for_one_batch(self, plan, err));
    return lt_evaluator_open(&self->evaluator, self->expressions, self->key_count + 1, node->pipeline->evaluation,
                             account, err);
}

// ---------------------------------------------------------------------------------------------------------------- keys

static leat_status keys_reserve(session_aggregate *self, leat_error *err) {
    const uint32_t want = self->groups.group_capacity, have = self->capacity;
    if (have >= want) return LEAT_OK;
    lt_account_array keys = {self->keys, sizeof *self->keys};
    LT_TRY(lt_account_grow(self->groups.account, &keys, 1, have, want, err));
    self->keys     = keys.memory;
    self->capacity = want;
    return LEAT_OK;
}

// Once per key and batch. `arena` NULL: nobody will ask what was there before.
static leat_status key_touch(session_aggregate *self, uint32_t group, lt_arena *arena, leat_error *err) {
    session_key *key = &self->keys[group];
    if (key->is_touched) return LEAT_OK;
    LT_TRY_GROW(self->touched, self->groups.account, self->touched_count, self->touched_capacity, 64, err);
    key->before = (lt_kept_rows){0};
    if (arena != NULL && key->rows.bytes > 0) {
        key->before      = key->rows;
        key->before.data = lt_arena_alloc(arena, key->rows.bytes);
        if (key->before.data == NULL) return lt_raise_no_memory(err);
        memcpy(key->before.data, key->rows.data, key->rows.bytes);
    }
    key->changed_first_us                = INT64_MAX;
    key->changed_last_us                 = INT64_MIN;
    key->is_touched                      = true;
    self->touched[self->touched_count++] = group;
    return LEAT_OK;
}

static void key_remove(session_aggregate *self, uint32_t group) {
    session_key *key = &self->keys[group];
    self->session_count -= key->session_count;
    lt_kept_rows_close(&key->rows, self->groups.account);
    *key = (session_key){0};
    lt_group_table_remove(&self->groups, group);
}

// ---------------------------------------------------------------------------------------------------------------- push

enum { SAVE_ROW = 1, SAVE_CLOSED = 2, SAVE_COUNTERS = 3 };

static leat_status row_write(session_aggregate *self, uint32_t group, const lt_kept_row *row, lt_buffer *out,
                             leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_ROW, err));
    LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
    LT_TRY(lt_buffer_append_bytes(out, row->bytes, row->count, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->weight, err));
    return lt_buffer_append_u64(out, (uint64_t)row->place, err);
}

leat_status lt_session_rows_in_time(lt_node *node, const lt_chunk *delta, const lt_vector *bounds, bool forgets,
                                    lt_batch *batch, uint16_t *rows, uint32_t *out_count, leat_error *err) {
    const int64_t late = forgets ? lt_node_late_us(node, batch) : INT64_MIN;
    *out_count         = 0;
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t end_us;
        bool    is_window;
        if (!lt_event_time(bounds, row, &end_us, &is_window)) continue;
        if (late == INT64_MIN || end_us > late) {
            rows[(*out_count)++] = (uint16_t)row;
            continue;
        }
        batch->rows_dropped++;
        if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, 0, delta, row, late, err));
    }
    return LEAT_OK;
}

static void changed_note(session_key *key, const lt_vector *session, uint32_t row) {
    const lt_vector *lanes = lt_vector_lanes(session);
    const uint32_t   lane  = lt_vector_lane(session, row);
    const int64_t    first = LT_LANES(&lanes->children[0], const int64_t)[lane];
    const int64_t    last  = LT_LANES(&lanes->children[1], const int64_t)[lane];
    if (first < key->changed_first_us) key->changed_first_us = first;
    if (last > key->changed_last_us) key->changed_last_us = last;
}

static leat_status row_fold(lt_node *node, const lt_chunk *wide, uint32_t row, uint32_t group, lt_batch *batch,
                            leat_error *err) {
    session_aggregate *self    = node->state;
    const bool         is_net  = node->pipeline->is_standing && !self->is_closing;
    const int64_t      place   = wide->places != NULL ? wide->places[row] : self->next_place + row;
    lt_account        *account = self->groups.account;
    LT_TRY(key_touch(self, group, is_net ? batch->arena : NULL, err));
    changed_note(&self->keys[group], &wide->columns[self->width - 1], row);
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(wide->columns, wide->column_count, row, false, &self->scratch, err));
    const lt_kept_row kept = {.bytes  = self->scratch.data,
                              .count  = (uint32_t)self->scratch.bytes,
                              .weight = lt_chunk_weight(wide, row),
                              .place  = place};
    LT_TRY(lt_kept_rows_add(&self->keys[group].rows, kept.bytes, kept.count, kept.weight, kept.place, account, err));
    return node->pipeline->with_state ? row_write(self, group, &kept, &self->changes, err) : LEAT_OK;
}

leat_status lt_session_keys_check(const lt_node *node, leat_error *err) {
    if (!node->pipeline->is_standing || node->plan->as.aggregate.key_count > 1 || node->plan->emission == LT_EMIT_NET)
        return LEAT_OK;
    return lt_raise(err, LT_LEGACY_ERROR_TEMP_3068, &node->plan->place,
                    "a session window is the only grouping key; add another one, or leave out outputMode");
}

static leat_status session_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                leat_error *err) {
    (void)input;
    LT_TRY(lt_session_keys_check(node, err));
    session_aggregate *self  = node->state;
    lt_arena          *arena = batch->scratch;
    lt_vector         *keys;
    const lt_vector   *value;
    uint16_t          *rows;
    uint32_t          *groups, count;
    lt_chunk           wide = *delta;
    wide.column_count       = self->width;
    LT_TRY_NEW_ARRAY(wide.columns, arena, self->width, err);
    LT_TRY_NEW_ARRAY(keys, arena, self->key_count + 1u, err);
    LT_TRY_NEW_ARRAY(rows, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, arena, delta->count + 1u, err);
    for (uint32_t k = 0; k <= self->key_count; k++) {
        LT_TRY(lt_evaluator_run(&self->evaluator, self->expressions[k], delta, NULL, arena, &value, err));
        keys[k] = *value;
    }
    memcpy(wide.columns, delta->columns, sizeof *wide.columns * (self->width - 1));
    wide.columns[self->width - 1] = keys[self->key_count];
    LT_TRY(lt_session_rows_in_time(node, delta, &keys[self->key_count], self->forgets, batch, rows, &count, err));
    for (uint32_t i = 0; self->key_count == 0 && i < count; i++)
        LT_TRY(lt_group_table_add_bytes(&self->groups, "", 0, &groups[i], err));
    if (self->key_count > 0)
        LT_TRY(lt_group_table_find_or_add(&self->groups, keys, self->key_count, rows, count, groups, err));
    LT_TRY(keys_reserve(self, err));
    for (uint32_t i = 0; i < count; i++) LT_TRY(row_fold(node, &wide, rows[i], groups[i], batch, err));
    self->next_place += delta->count;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ sessions

// Rows of one key with the session of each.
typedef struct sessions {
    lt_kept_columns rows;
    int64_t        *starts, *ends;             // of the session, by row
    uint32_t        count;                     // of sessions
    int64_t         first_end_us, last_end_us; // INT64_MAX, INT64_MIN: none
} sessions;

static leat_status sessions_find(const session_aggregate *self, const lt_kept_rows *kept, lt_arena *arena,
                                 sessions *out, leat_error *err) {
    *out = (sessions){.first_end_us = INT64_MAX, .last_end_us = INT64_MIN};
    LT_TRY(lt_kept_decode(kept, self->types, self->width, arena, &out->rows, err));
    const uint32_t count = out->rows.count;
    if (count == 0) return LEAT_OK;
    uint32_t        *order;
    const lt_vector *session = &out->rows.columns[self->width - 1];
    const int64_t   *starts  = LT_LANES(&session->children[0], const int64_t);
    const int64_t   *ends    = LT_LANES(&session->children[1], const int64_t);
    LT_TRY(lt_kept_sort(&out->rows, self->width - 1, 1, NULL, arena, &order, err)); // by start
    LT_TRY_NEW_ARRAY(out->starts, arena, count, err);
    LT_TRY_NEW_ARRAY(out->ends, arena, count, err);
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        int64_t last_us = ends[order[first]];
        for (end = first + 1; end < count && starts[order[end]] <= last_us; end++)
            if (ends[order[end]] > last_us) last_us = ends[order[end]];
        for (uint32_t i = first; i < end; i++) {
            out->starts[order[i]] = starts[order[first]];
            out->ends[order[i]]   = last_us;
        }
        out->count++;
        if (last_us < out->first_end_us) out->first_end_us = last_us;
        if (last_us > out->last_end_us) out->last_end_us = last_us;
    }
    return LEAT_OK;
}

// What the key holds now: counts its sessions and sets its timer.
static leat_status key_settle(session_aggregate *self, uint32_t group, lt_arena *arena, leat_error *err) {
    session_key *key = &self->keys[group];
    sessions     found;
    LT_TRY(sessions_find(self, &key->rows, arena, &found, err));
    self->session_count  = self->session_count - key->session_count + found.count;
    key->session_count   = found.count;
    const bool has_moved = key->due_us != found.first_end_us;
    key->due_us          = found.first_end_us;
    key->last_end_us     = found.last_end_us;
    if (!self->forgets || found.count == 0 || !has_moved) return LEAT_OK;
    return lt_timer_heap_push(&self->timers, (lt_timer){.due_us = key->due_us, .group_index = group}, err);
}

static leat_status touched_settle(session_aggregate *self, lt_arena *arena, leat_error *err) {
    for (uint32_t i = 0; i < self->touched_count; i++) {
        const uint32_t group = self->touched[i];
        if (!self->keys[group].is_touched) continue;
        LT_TRY(key_settle(self, group, arena, err));
        lt_arena_reset(arena);
        self->keys[group].is_touched = false;
        self->keys[group].before     = (lt_kept_rows){0};
        if (self->keys[group].rows.row_count == 0) key_remove(self, group);
    }
    self->touched_count = 0;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------- grouping, for one batch

typedef leat_status (*give_rows)(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err);

typedef struct grouping {
    lt_pipeline pipeline;
    lt_node     node;
    lt_arena    work; // reset after each push
} grouping;

static leat_status grouping_open(grouping *self, lt_node *node, give_rows give, void *user, leat_error *err) {
    session_aggregate *state = node->state;
    *self                    = (grouping){
                           .pipeline = {
                               .account = node->pipeline->account, .evaluation = node->pipeline->evaluation, .give = give, .user = user}};
    self->node = (lt_node){.kind     = lt_operator_find(LT_PLAN_AGGREGATE),
                           .plan     = &state->one_batch,
                           .pipeline = &self->pipeline,
                           .is_fresh = true};
    lt_arena_init(&self->pipeline.arena, self->pipeline.account);
    lt_arena_init(&self->work, self->pipeline.account);
    self->node.state = lt_arena_zero(&self->pipeline.arena, self->node.kind->state_bytes + 1);
    return self->node.state == NULL ? lt_raise_no_memory(err) : self->node.kind->open(&self->node, err);
}

static void grouping_close(grouping *self) {
    if (self->node.state != NULL) self->node.kind->close(&self->node);
    lt_arena_deinit(&self->work);
    lt_arena_deinit(&self->pipeline.arena);
}

// Sessions that begin at or before last_us and end between first_us and close_us.
typedef struct wanted_sessions {
    int64_t first_us, last_us, close_us;
} wanted_sessions;

// Pushes the rows of a key whose session is wanted, with their session as the last column.
static leat_status grouping_push(grouping *self, const session_aggregate *state, const lt_kept_rows *rows,
                                 const wanted_sessions *which, lt_batch *batch, leat_error *err) {
    sessions  found;
    uint16_t *wanted;
    LT_TRY(sessions_find(state, rows, &self->work, &found, err));
    LT_TRY_NEW_ARRAY(wanted, &self->work, LT_CHUNK_ROWS_MAX, err);
    if (found.count > 0) {
        lt_vector *session = &found.rows.columns[state->width - 1];
        memcpy(session->children[0].values, found.starts, sizeof(int64_t) * found.rows.count);
        memcpy(session->children[1].values, found.ends, sizeof(int64_t) * found.rows.count);
    }
    for (uint32_t first = 0; first < found.rows.count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t left = found.rows.count - first, part = left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX;
        uint32_t count = 0;
        lt_chunk chunk, kept;
        chunk = (lt_chunk){.column_count = state->width,
                           .count        = part,
                           .weights      = found.rows.weights + first,
                           .places       = found.rows.places + first};
        LT_TRY_NEW_ARRAY(chunk.columns, &self->work, state->width, err);
        for (uint32_t c = 0; c < state->width; c++)
            chunk.columns[c] = lt_vector_slice(&found.rows.columns[c], first, part, &self->work);
        for (uint32_t i = 0; i < part; i++)
            if (found.starts[first + i] <= which->last_us && found.ends[first + i] >= which->first_us &&
                found.ends[first + i] <= which->close_us)
                wanted[count++] = (uint16_t)i;
        LT_TRY(lt_chunk_gather(&chunk, wanted, count, &self->work, &kept, err));
        if (count > 0) LT_TRY(self->node.kind->push(&self->node, 0, &kept, batch, err));
        lt_arena_reset(batch->scratch);
    }
    lt_arena_reset(&self->work);
    return LEAT_OK;
}

// Groups the rows of `groups` (NULL: all keys) and gives the result. Of net changes only sessions that the changed rows
// overlap or touch: all others are the same before and after.
static leat_status keys_group(lt_node *node, const uint32_t *groups, uint32_t count, bool is_before, int64_t close_us,
                              give_rows give, void *user, lt_batch *batch, leat_error *err) {
    session_aggregate *self = node->state;
    grouping           inner;
    leat_status        status = grouping_open(&inner, node, give, user, err);
    for (uint32_t i = 0; i < count && status == LEAT_OK; i++) {
        const session_key *key   = &self->keys[groups == NULL ? i : groups[i]];
        wanted_sessions    which = {.first_us = INT64_MIN, .last_us = INT64_MAX, .close_us = close_us};
        if (groups != NULL && !self->is_closing) {
            which.first_us = key->changed_first_us;
            which.last_us  = key->changed_last_us;
        }
        status = grouping_push(&inner, self, is_before ? &key->before : &key->rows, &which, batch, err);
    }
    if (status == LEAT_OK) status = inner.node.kind->end_batch(&inner.node, batch, err);
    grouping_close(&inner);
    return status;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

static leat_status send(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    return lt_emit(user, delta, batch, err);
}

typedef struct collected {
    session_aggregate *self;
    lt_row_set        *rows;
} collected;

static leat_status collect(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)batch;
    collected *self  = user;
    int64_t    place = 0;
    return lt_row_set_add_chunk(self->rows, delta, &place, &self->self->scratch, err);
}

static leat_status emit_net(lt_node *node, lt_batch *batch, leat_error *err) {
    session_aggregate *self = node->state;
    if (self->touched_count == 0) return LEAT_OK;
    lt_row_set_reset(&self->given);
    lt_row_set_reset(&self->present);
    for (int pass = 0; pass < 2; pass++) {
        collected into = {.self = self, .rows = pass == 0 ? &self->given : &self->present};
        LT_TRY(keys_group(node, self->touched, self->touched_count, pass == 0, INT64_MAX, collect, &into, batch, err));
    }
    return lt_emit_difference(node, &self->given, &self->present, self->output_types, batch, NULL, err);
}

// Rows of sessions that end at or before `close_us` leave.
static leat_status key_cut(session_aggregate *self, uint32_t group, int64_t close_us, lt_arena *arena,
                           leat_error *err) {
    session_key *key  = &self->keys[group];
    lt_kept_rows left = {0};
    sessions     found;
    lt_kept_row  row;
    uint32_t     at     = 0;
    leat_status  status = sessions_find(self, &key->rows, arena, &found, err);
    for (uint64_t cursor = 0; status == LEAT_OK && lt_kept_rows_next(&key->rows, &cursor, &row); at++)
        if (found.ends[at] > close_us)
            status = lt_kept_rows_add(&left, row.bytes, row.count, row.weight, row.place, self->groups.account, err);
    if (status != LEAT_OK) {
        lt_kept_rows_close(&left, self->groups.account);
        return status;
    }
    lt_kept_rows_close(&key->rows, self->groups.account);
    key->rows = left;
    LT_TRY(key_settle(self, group, arena, err));
    if (left.row_count == 0) key_remove(self, group);
    lt_arena_reset(arena);
    return LEAT_OK;
}

// node NULL: nothing is given (load; sessions whose rows stay as they were given).
static leat_status close_sessions(session_aggregate *self, lt_node *node, int64_t close_us, lt_batch *batch,
                                  lt_arena *arena, leat_error *err) {
    lt_timer timer;
    while (lt_timer_heap_pop_due(&self->timers, close_us, &timer)) {
        const uint32_t group = (uint32_t)timer.group_index;
        if (!lt_group_table_is_live(&self->groups, group) || self->keys[group].due_us != timer.due_us) continue;
        LT_TRY(key_touch(self, group, NULL, err));
    }
    if (self->touched_count == 0) return LEAT_OK;
    const uint64_t before = self->session_count;
    if (node != NULL)
        LT_TRY(keys_group(node, self->touched, self->touched_count, false, close_us, send, node, batch, err));
    for (uint32_t i = 0; i < self->touched_count; i++) {
        self->keys[self->touched[i]].is_touched = false;
        LT_TRY(key_cut(self, self->touched[i], close_us, arena, err));
    }
    self->touched_count = 0;
    if (batch != NULL) batch->rows_removed += before - self->session_count;
    return LEAT_OK;
}

static leat_status session_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    session_aggregate *self     = node->state;
    const int64_t      close_us = lt_node_close_us(node, batch);
    if (!node->pipeline->is_standing)
        return keys_group(node, NULL, self->groups.group_count, false, INT64_MAX, send, node, batch, err);
    batch->rows_updated += self->touched_count;
    if (!self->is_closing) LT_TRY(emit_net(node, batch, err));
    lt_arena    work;
    leat_status status;
    lt_arena_init(&work, node->pipeline->account);
    status = touched_settle(self, &work, err);
    if (status == LEAT_OK && self->forgets && close_us != INT64_MIN) {
        status = close_sessions(self, self->is_closing ? node : NULL, close_us, batch, &work, err);
        if (status == LEAT_OK && node->pipeline->with_state) {
            status = lt_buffer_append_u8(&self->changes, SAVE_CLOSED, err);
            if (status == LEAT_OK) status = lt_buffer_append_u64(&self->changes, (uint64_t)close_us, err);
        }
    }
    lt_arena_deinit(&work);
    return status;
}

static bool session_is_due(const lt_node *node, const lt_batch *batch) {
    const session_aggregate *self = node->state;
    return self->forgets && node->watermark_mask != 0 && lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

// The rows know their own ends, and a session ends with the last of its rows.
static int64_t session_last_due_us(const lt_node *node) {
    const session_aggregate *self    = node->state;
    int64_t                  last_us = INT64_MIN;
    for (uint32_t group = 0; self->forgets && group < self->groups.group_count; group++)
        if (lt_group_table_is_live(&self->groups, group) && self->keys[group].last_end_us > last_us)
            last_us = self->keys[group].last_end_us;
    return last_us;
}

// ---------------------------------------------------------------------------------------------------------- save, load

static leat_status session_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    session_aggregate *self = node->state;
    lt_kept_row        row;
    for (uint32_t group = 0; is_full && group < self->groups.group_count; group++)
        for (uint64_t cursor = 0;
             lt_group_table_is_live(&self->groups, group) && lt_kept_rows_next(&self->keys[group].rows, &cursor, &row);)
            LT_TRY(row_write(self, group, &row, out, err));
    if (!is_full) LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    lt_buffer_reset(&self->changes);
    LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
    return lt_buffer_append_u64(out, (uint64_t)self->next_place, err);
}

static leat_status load_row(session_aggregate *self, lt_reader *in, leat_error *err) {
    const char *key, *bytes;
    size_t      key_count, count;
    uint64_t    weight, place;
    uint32_t    group;
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, key_count, &group, err));
    LT_TRY(keys_reserve(self, err));
    LT_TRY(key_touch(self, group, NULL, err));
    return lt_kept_rows_add(&self->keys[group].rows, bytes, count, (int64_t)weight, (int64_t)place,
                            self->groups.account, err);
}

static leat_status load_end(session_aggregate *self, bool is_closing, int64_t close_us, leat_error *err) {
    lt_arena work;
    lt_arena_init(&work, self->groups.account);
    leat_status status = touched_settle(self, &work, err);
    if (status == LEAT_OK && is_closing) status = close_sessions(self, NULL, close_us, NULL, &work, err);
    lt_arena_deinit(&work);
    return status;
}

static leat_status session_load(lt_node *node, lt_reader *in, leat_error *err) {
    session_aggregate *self = node->state;
    uint8_t            kind;
    uint64_t           value;
    LT_TRY(lt_reader_u8(in, &kind, err));
    if (kind == SAVE_ROW) return load_row(self, in, err);
    if (kind != SAVE_CLOSED && kind != SAVE_COUNTERS)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "saved sessions have a part of kind %u", kind);
    LT_TRY(lt_reader_u64(in, &value, err));
    if (kind == SAVE_COUNTERS) self->next_place = (int64_t)value;
    return load_end(self, kind == SAVE_CLOSED, (int64_t)value, err);
}

static lt_state_size session_size(const lt_node *node) {
    const session_aggregate *self = node->state;
    uint64_t bytes                = lt_group_table_bytes(&self->groups) + sizeof(session_key) * self->groups.live_count;
    for (uint32_t group = 0; group < self->groups.group_count; group++)
        if (lt_group_table_is_live(&self->groups, group)) bytes += self->keys[group].rows.bytes;
    return (lt_state_size){.rows = self->session_count, .bytes = bytes};
}

static void session_close(lt_node *node) {
    session_aggregate *self    = node->state;
    lt_account        *account = node->pipeline->account;
    if (self->arena.account == NULL) return;
    for (uint32_t group = 0; group < self->capacity; group++) lt_kept_rows_close(&self->keys[group].rows, account);
    lt_account_reallocate(account, self->keys, sizeof *self->keys * self->capacity, 0);
    lt_account_reallocate(account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_timer_heap_deinit(&self->timers);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
    lt_row_set_deinit(&self->given);
    lt_row_set_deinit(&self->present);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->arena);
}

static bool session_serves(const lt_plan *plan) {
    return plan->as.aggregate.session_key >= 0 && !lt_sessions_can_fold(plan);
}

const lt_operator_kind lt_operators_session_aggregate = {
    .name           = "SessionAggregate",
    .plan_kind      = LT_PLAN_AGGREGATE,
    .serves         = session_serves,
    .state_bytes    = sizeof(session_aggregate),
    .is_incremental = true,
    .open           = session_open,
    .push           = session_push,
    .end_batch      = session_end_batch,
    .save           = session_save,
    .load           = session_load,
    .is_due         = session_is_due,
    .last_due_us    = session_last_due_us,
    .size           = session_size,
    .state_name     = "sessionWindowStateStoreSaveExec",
    .close          = session_close,
};
