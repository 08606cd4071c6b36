#include "exec/aggregation/groups.h"

// ---------------------------------------------------------------------------------------------------------------- open

// Whether the rows of a plan come in the order of their places, as they do from one source through nodes that keep it.
static bool is_in_order(const lt_plan *plan) {
    for (;; plan = plan->inputs[0]) {
        switch (plan->kind) {
        case LT_PLAN_STREAM_SCAN:
        case LT_PLAN_TABLE_SCAN:
        case LT_PLAN_VALUES:
        case LT_PLAN_RANGE:
        case LT_PLAN_SINGLE_ROW:
            return true;
        case LT_PLAN_FILTER:
        case LT_PLAN_PROJECT:
        case LT_PLAN_ASSIGN_WINDOW:
        case LT_PLAN_GENERATE:
        case LT_PLAN_EXPAND:
        case LT_PLAN_WATERMARK:
        case LT_PLAN_DEDUPLICATE:
            break;
        default:
            return false;
        }
        if (plan->input_count != 1) return plan->input_count == 0;
    }
}

static bool is_same_values(const lt_call_state *a, const lt_call_state *b) {
    const uint32_t count   = a->call->argument_count;
    bool           is_same = a->is_distinct && b->is_distinct && count == b->call->argument_count;
    for (uint32_t i = 0; is_same && i < count; i++) is_same = lt_expression_equal(a->inputs[i], b->inputs[i]);
    return is_same;
}

// Calls over equal DISTINCT values share them, with the first one as their owner.
static leat_status values_share(lt_aggregate_groups *self, lt_arena *arena, leat_error *err) {
    for (uint32_t i = 0; i < self->call_count; i++) {
        lt_call_state *call  = &self->calls[i];
        uint32_t       owner = 0;
        if (!call->is_distinct) continue;
        while (owner < i && !(self->calls[owner].set == 0 && is_same_values(&self->calls[owner], call))) owner++;
        if (owner < i) {
            LT_TRY(lt_call_share_values(call, &self->calls[owner], arena, err));
            continue;
        }
        call->values->stays    = !lt_aggregate_groups_may_go(self);
        call->values->is_saved = self->node->pipeline->is_standing;
    }
    return LEAT_OK;
}

leat_status lt_aggregate_groups_open(lt_aggregate_groups *self, lt_node *node, const lt_type *const *types,
                                     lt_arena *arena, leat_error *err) {
    const lt_plan *plan    = node->plan;
    lt_account    *account = node->pipeline->account;
    *self                  = (lt_aggregate_groups){
                         .account = account, .plan = plan, .node = node, .is_global = plan->as.aggregate.key_count == 0};
    lt_group_table_init(&self->table, account, types, plan->as.aggregate.key_count,
                        node->pipeline->evaluation->random_seed);
    lt_timer_heap_init(&self->timers, account);
    self->has_event_time = plan->as.aggregate.event_time_key >= 0 && lt_node_forgets(node);
    self->keeps_weights  = !plan->inputs[0]->properties.is_append_only;
    self->keeps_places   = lt_aggregate_groups_may_go(self) || !is_in_order(plan->inputs[0]);
    LT_TRY_NEW_ARRAY(self->calls, arena, plan->as.aggregate.call_count + 1u, err);
    self->call_count = plan->as.aggregate.call_count;
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_open(&self->calls[i], node, &plan->as.aggregate.calls[i], arena, err));
    LT_TRY(values_share(self, arena, err));
    if (!self->is_global) return LEAT_OK;
    uint32_t group;
    LT_TRY(lt_group_table_add_bytes(&self->table, "", 0, &group, err));
    LT_TRY(lt_aggregate_groups_ready(self, err));
    return lt_aggregate_groups_begin(self, group, 0, NULL, 0, err);
}

void lt_aggregate_groups_close(lt_aggregate_groups *self) {
    lt_account *account = self->account;
    for (uint32_t i = 0; i < self->call_count; i++) lt_call_close(&self->calls[i], &self->table, account);
    lt_group_array_deinit(&self->weights, sizeof(int64_t), account);
    lt_group_array_deinit(&self->places, sizeof(int64_t), account);
    lt_group_array_deinit(&self->due_us, sizeof(int64_t), account);
    lt_group_array_deinit(&self->known, sizeof(uint64_t), account);
    lt_group_table_deinit(&self->table);
    lt_timer_heap_deinit(&self->timers);
}

// -------------------------------------------------------------------------------------------------------------- groups

static leat_status array_ready(lt_aggregate_groups *self, lt_group_array *array, leat_error *err) {
    LT_TRY(lt_group_array_reserve(array, sizeof(int64_t), self->table.group_capacity, self->account, err));
    memset((int64_t *)array->items + self->group_count, 0,
           sizeof(int64_t) * (self->table.group_count - self->group_count));
    return LEAT_OK;
}

leat_status lt_aggregate_groups_ready(lt_aggregate_groups *self, leat_error *err) {
    if (self->table.group_count == self->group_count) return LEAT_OK;
    if (self->keeps_weights) LT_TRY(array_ready(self, &self->weights, err));
    if (self->keeps_places) LT_TRY(array_ready(self, &self->places, err));
    if (self->has_event_time) LT_TRY(array_ready(self, &self->due_us, err));
    if (lt_aggregate_groups_may_go(self)) {
        uint32_t had = self->known.capacity, words = (self->table.group_capacity + 63) / 64;
        LT_TRY(lt_group_array_reserve(&self->known, sizeof(uint64_t), words, self->account, err));
        if (words > had) memset((uint64_t *)self->known.items + had, 0, sizeof(uint64_t) * (words - had));
    }
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_add_groups(&self->calls[i], self->table.group_count, self->account, err));
    self->group_count = self->table.group_count;
    return LEAT_OK;
}

leat_status lt_aggregate_groups_begin(lt_aggregate_groups *self, uint32_t group, int64_t place,
                                      const lt_vector *event_times, uint32_t row, leat_error *err) {
    int64_t due_us;
    if (self->keeps_places) LT_GROUP_ITEM(&self->places, int64_t, group) = place;
    if (lt_aggregate_groups_may_go(self))
        LT_GROUP_ITEM(&self->known, uint64_t, group / 64) |= UINT64_C(1) << (group % 64);
    if (!self->has_event_time) return LEAT_OK;
    LT_GROUP_ITEM(&self->due_us, int64_t, group) = INT64_MAX;
    if (event_times == NULL || !lt_event_due(self->node, event_times, row, &due_us)) return LEAT_OK;
    LT_GROUP_ITEM(&self->due_us, int64_t, group) = due_us;
    return lt_timer_heap_push(&self->timers, (lt_timer){.due_us = due_us, .group_index = group}, err);
}

int64_t lt_aggregate_groups_last_due_us(const lt_aggregate_groups *self) {
    int64_t last_us = INT64_MIN;
    for (uint32_t group = 0; self->has_event_time && group < self->group_count; group++) {
        if (!lt_aggregate_groups_is_alive(self, group)) continue;
        const int64_t due_us = LT_GROUP_ITEM(&self->due_us, int64_t, group);
        if (due_us > last_us && due_us < INT64_MAX) last_us = due_us;
    }
    return last_us;
}

uint32_t lt_aggregate_groups_pop_due(lt_aggregate_groups *self, int64_t close_us) {
    lt_timer timer;
    while (lt_timer_heap_pop_due(&self->timers, close_us, &timer)) {
        uint32_t group = (uint32_t)timer.group_index;
        if (lt_aggregate_groups_is_alive(self, group) && LT_GROUP_ITEM(&self->due_us, int64_t, group) == timer.due_us)
            return group;
    }
    return LT_NO_GROUP;
}

void lt_aggregate_groups_remove(lt_aggregate_groups *self, uint32_t group) {
    for (uint32_t i = 0; i < self->call_count; i++) lt_call_remove_group(&self->calls[i], group, self->account);
    if (self->keeps_weights) LT_GROUP_ITEM(&self->weights, int64_t, group) = 0;
    LT_GROUP_ITEM(&self->known, uint64_t, group / 64) &= ~(UINT64_C(1) << (group % 64));
    lt_group_table_remove(&self->table, group);
}

void lt_aggregate_groups_forget(lt_aggregate_groups *self) {
    for (uint32_t i = 0; i < self->call_count; i++) lt_call_drop(&self->calls[i], self->account);
    lt_group_table_deinit(&self->table);
    self->group_count = 0;
}

uint64_t lt_aggregate_groups_bytes(const lt_aggregate_groups *self) {
    uint64_t a_group = sizeof(int64_t) * ((uint64_t)self->keeps_weights + self->keeps_places + self->has_event_time);
    uint64_t bytes   = lt_group_table_bytes(&self->table);
    for (uint32_t i = 0; i < self->call_count; i++) {
        a_group += self->calls[i].function->accumulator_bytes;
        if (self->calls[i].is_distinct && self->calls[i].set == 0) bytes += lt_distinct_bytes(self->calls[i].values);
    }
    return bytes + a_group * self->table.live_count;
}

// ---------------------------------------------------------------------------------------------------------- save, load

enum { SAVE_GROUP = 1, SAVE_DISTINCT = 2, SAVE_COUNTERS = 3 };

static leat_status save_group(lt_aggregate_groups *self, uint32_t group, lt_buffer *out, leat_error *err) {
    const bool    is_live = lt_group_table_is_live(&self->table, group);
    const int64_t weight  = self->keeps_weights ? LT_GROUP_ITEM(&self->weights, int64_t, group) : 1;
    LT_TRY(lt_buffer_append_u8(out, SAVE_GROUP, err));
    LT_TRY(lt_group_table_save_key(&self->table, group, out, err));
    LT_TRY(lt_buffer_append_u64(out, is_live ? (uint64_t)weight : 0, err));
    LT_TRY(lt_buffer_append_u8(out, is_live, err));
    if (!is_live) return LEAT_OK;
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)lt_aggregate_groups_place(self, group), err));
    for (uint32_t i = 0; i < self->call_count; i++) LT_TRY(lt_call_save(&self->calls[i], group, out, err));
    return LEAT_OK;
}

static leat_status save_value(lt_aggregate_groups *self, uint32_t number, uint32_t entry, lt_buffer *out,
                              leat_error *err) {
    uint32_t group;
    if (!lt_distinct_group(self->calls[number].values, entry, &group))
        return LEAT_OK; // gone with its group, which its own save tells
    LT_TRY(lt_buffer_append_u8(out, SAVE_DISTINCT, err));
    LT_TRY(lt_buffer_append_u32(out, number, err));
    LT_TRY(lt_group_table_save_key(&self->table, group, out, err));
    return lt_distinct_save(self->calls[number].values, self->calls[number].set, entry, out, err);
}

leat_status lt_aggregate_groups_save(lt_aggregate_groups *self, const uint32_t *changed, uint32_t changed_count,
                                     bool is_full, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->next_place, err));
    for (uint32_t group = 0; is_full && group < self->group_count; group++)
        if (lt_group_table_is_live(&self->table, group)) LT_TRY(save_group(self, group, out, err));
    for (uint32_t i = 0; !is_full && i < changed_count; i++) LT_TRY(save_group(self, changed[i], out, err));
    for (uint32_t i = 0; i < self->call_count; i++) {
        const lt_call_state *call = &self->calls[i];
        if (!call->is_distinct) continue;
        const lt_distinct_changes *changes = &call->values->changes[call->set];
        for (uint32_t entry = 0; is_full && entry < call->values->entry_count; entry++)
            if (lt_distinct_weight(call->values, call->set, entry) > 0) LT_TRY(save_value(self, i, entry, out, err));
        for (uint32_t k = 0; !is_full && k < changes->count; k++)
            LT_TRY(save_value(self, i, changes->entries[k], out, err));
    }
    return LEAT_OK;
}

// The cursor: in its upper half 0 for groups, 1 + i for the DISTINCT values of call i; in its lower half the index. What
// is dead counts as a few bytes, so that a part ends whatever stands there.
leat_status lt_aggregate_groups_save_part(lt_aggregate_groups *self, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                          leat_error *err) {
    enum { DEAD_BYTES = 4 };
    size_t   end   = out->bytes + bytes_max;
    uint32_t stage = (uint32_t)(*cursor >> 32), index = (uint32_t)*cursor;
    if (*cursor == 0) {
        LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->next_place, err));
    }
    for (; stage <= self->call_count; stage++, index = 0) {
        const lt_call_state *call  = stage == 0 ? NULL : &self->calls[stage - 1];
        const uint32_t       count = stage == 0 ? self->group_count : call->is_distinct ? call->values->entry_count : 0;
        for (; index < count; index++) {
            if (out->bytes >= end) {
                *cursor = (uint64_t)stage << 32 | index;
                return LEAT_OK;
            }
            size_t before = out->bytes;
            if (stage == 0 && lt_group_table_is_live(&self->table, index)) LT_TRY(save_group(self, index, out, err));
            if (stage > 0 && lt_distinct_weight(call->values, call->set, index) > 0)
                LT_TRY(save_value(self, stage - 1, index, out, err));
            if (out->bytes == before && end >= DEAD_BYTES) end -= DEAD_BYTES;
        }
    }
    *cursor = UINT64_MAX;
    return LEAT_OK;
}

// From now on each group has a place of its own; so far it was its index.
static leat_status places_keep(lt_aggregate_groups *self, leat_error *err) {
    if (self->keeps_places) return LEAT_OK;
    LT_TRY(lt_group_array_reserve(&self->places, sizeof(int64_t), self->table.group_capacity, self->account, err));
    for (uint32_t group = 0; group < self->group_count; group++) LT_GROUP_ITEM(&self->places, int64_t, group) = group;
    self->keeps_places = true;
    return LEAT_OK;
}

static leat_status begin_loaded(lt_aggregate_groups *self, uint32_t group, int64_t place, const lt_type *const *types,
                                leat_error *err) {
    if (!self->has_event_time) return lt_aggregate_groups_begin(self, group, place, NULL, 0, err);
    lt_arena scratch;
    lt_arena_init(&scratch, self->account);
    lt_chunk    keys;
    uint32_t    key_count = self->plan->as.aggregate.key_count;
    leat_status status    = lt_chunk_init(&keys, types, key_count, 1, &scratch, err);
    if (status == LEAT_OK)
        status = lt_group_table_keys(&self->table, &group, 1, keys.columns, key_count, &scratch, err);
    if (status == LEAT_OK)
        status = lt_aggregate_groups_begin(self, group, place, &keys.columns[self->plan->as.aggregate.event_time_key],
                                           0, err);
    lt_arena_deinit(&scratch);
    return status;
}

static leat_status load_group(lt_aggregate_groups *self, const lt_type *const *types, lt_reader *in, leat_error *err) {
    const char *key, *bytes;
    size_t      key_count, count;
    uint64_t    weight, place;
    uint8_t     is_live;
    uint32_t    group, had = self->group_count;
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u8(in, &is_live, err));
    if (!is_live && !lt_aggregate_groups_may_go(self))
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved group is gone, of rows that never leave");
    LT_TRY(lt_group_table_add_bytes(&self->table, key, key_count, &group, err));
    LT_TRY(lt_aggregate_groups_ready(self, err));
    if (!is_live) {
        lt_aggregate_groups_remove(self, group);
        return LEAT_OK;
    }
    LT_TRY(lt_reader_u64(in, &place, err));
    if (place != group) LT_TRY(places_keep(self, err));
    bool is_new = lt_aggregate_groups_may_go(self) ? !lt_aggregate_groups_is_known(self, group) : group >= had;
    if (is_new) LT_TRY(begin_loaded(self, group, (int64_t)place, types, err));
    if (self->keeps_places) LT_GROUP_ITEM(&self->places, int64_t, group) = (int64_t)place;
    if (self->keeps_weights) LT_GROUP_ITEM(&self->weights, int64_t, group) = (int64_t)weight;
    for (uint32_t i = 0; i < self->call_count; i++) {
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_call_load(&self->calls[i], group, bytes, count, self->account, err));
    }
    return LEAT_OK;
}

// How many groups follow each other in `in`, whose first kind has been read, and asks for their slots, so that the waits
// for memory of a large table overlap. What is damaged ends the run and is found again by load_group.
static uint32_t run_prefetch(const lt_aggregate_groups *self, lt_reader in) {
    enum { RUN_MAX = 32 };
    uint32_t count = 0;
    while (count < RUN_MAX) {
        const char *key, *bytes;
        size_t      key_count, skipped;
        uint64_t    number;
        uint8_t     is_live, kind;
        if (lt_reader_bytes(&in, &key, &key_count, NULL) != LEAT_OK || lt_reader_u64(&in, &number, NULL) != LEAT_OK ||
            lt_reader_u8(&in, &is_live, NULL) != LEAT_OK)
            break;
        lt_group_table_prefetch_bytes(&self->table, key, key_count);
        count++;
        if (is_live) {
            if (lt_reader_u64(&in, &number, NULL) != LEAT_OK) break;
            for (uint32_t i = 0; i < self->call_count; i++)
                if (lt_reader_bytes(&in, &bytes, &skipped, NULL) != LEAT_OK) return count;
        }
        if (in.next == in.end || lt_reader_u8(&in, &kind, NULL) != LEAT_OK || kind != SAVE_GROUP) break;
    }
    return count;
}

static leat_status load_run(lt_aggregate_groups *self, const lt_type *const *types, lt_reader *in, leat_error *err) {
    uint32_t count = run_prefetch(self, *in);
    LT_TRY(load_group(self, types, in, err));
    for (uint32_t i = 1; i < count; i++) {
        in->next++; // the kind
        LT_TRY(load_group(self, types, in, err));
    }
    return LEAT_OK;
}

static leat_status load_value(lt_aggregate_groups *self, lt_reader *in, leat_error *err) {
    uint32_t    number;
    const char *owner, *values;
    size_t      owner_count, count;
    uint64_t    weight;
    LT_TRY(lt_reader_u32(in, &number, err));
    LT_TRY(lt_reader_bytes(in, &owner, &owner_count, err));
    LT_TRY(lt_reader_bytes(in, &values, &count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    if (number >= self->call_count || !self->calls[number].is_distinct)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved DISTINCT value names aggregate %u", number);
    uint32_t group = lt_group_table_find_bytes(&self->table, owner, owner_count);
    if (group == LT_NO_GROUP) return LEAT_OK; // of a group that has gone since
    const lt_call_state *call = &self->calls[number];
    return lt_distinct_load(call->values, call->set, group, values, count, (int64_t)weight, err);
}

leat_status lt_aggregate_groups_load(lt_aggregate_groups *self, const lt_type *const *types, lt_reader *in,
                                     leat_error *err) {
    uint8_t  kind;
    uint64_t next_place;
    LT_TRY(lt_reader_u8(in, &kind, err));
    switch (kind) {
    case SAVE_GROUP:
        return load_run(self, types, in, err);
    case SAVE_DISTINCT:
        return load_value(self, in, err);
    case SAVE_COUNTERS:
        LT_TRY(lt_reader_u64(in, &next_place, err));
        self->next_place = (int64_t)next_place;
        return LEAT_OK;
    default:
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved aggregate has a part of kind %u", kind);
    }
}
