// deduplicate: the first row of each key passes, in arrival order (Spark's dropDuplicates and
// dropDuplicatesWithinWatermark). A key is forgotten when the watermark reaches its event time (the mark is among the
// columns), or its expiry: time of its first row plus the delay (within watermark; later duplicates do not extend it).
// Without a mark keys stay for ever, but late rows still go. For append-only inputs. Cost O(rows + forgotten keys).
#include "base/checked.h"
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "exec/state/timer_heap.h"

#define NOT_BEGUN INT64_MIN

typedef struct deduplicate {
    lt_group_table groups;
    lt_timer_heap  timers;
    int64_t       *due_us; // by group; INT64_MAX: never; NOT_BEGUN: of no live group
    uint32_t       capacity;
    lt_buffer      changes;    // since the last save
    int32_t        event_time; // input column with the mark, or -1
    bool           is_time_a_key;
} deduplicate;

static leat_status deduplicate_open(lt_node *node, leat_error *err) {
    deduplicate    *self = node->state;
    const lt_plan  *plan = node->plan;
    const lt_type **types;
    uint32_t        key_count = plan->as.deduplicate.column_count;
    LT_TRY_NEW_ARRAY(types, &node->pipeline->arena, key_count + 1u, err);
    for (uint32_t k = 0; k < key_count; k++) types[k] = plan->columns[plan->as.deduplicate.columns[k]].type;
    lt_group_table_init(&self->groups, node->pipeline->account, types, key_count,
                        node->pipeline->evaluation->random_seed);
    lt_timer_heap_init(&self->timers, node->pipeline->account);
    lt_buffer_init(&self->changes, node->pipeline->account, 0);
    self->event_time = -1;
    for (uint32_t c = 0; c < plan->column_count; c++)
        if (plan->columns[c].has_event_time && self->event_time < 0) self->event_time = (int32_t)c;
    for (uint32_t k = 0; k < plan->as.deduplicate.column_count; k++)
        self->is_time_a_key |= self->event_time >= 0 && plan->as.deduplicate.columns[k] == (uint32_t)self->event_time;
    return LEAT_OK;
}

static leat_status group_reserve(deduplicate *self, leat_error *err) {
    uint32_t want = self->groups.group_capacity;
    if (self->capacity >= want) return LEAT_OK;
    lt_account_array due_us = {self->due_us, sizeof *self->due_us};
    LT_TRY(lt_account_grow(self->groups.account, &due_us, 1, self->capacity, want, err));
    self->due_us = due_us.memory;
    for (uint32_t group = self->capacity; group < want; group++) self->due_us[group] = NOT_BEGUN;
    self->capacity = want;
    return LEAT_OK;
}

static leat_status change_note(lt_node *node, uint32_t group, bool is_new, leat_error *err) {
    deduplicate *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    LT_TRY(lt_buffer_append_u8(&self->changes, is_new, err));
    LT_TRY(lt_group_table_save_key(&self->groups, group, &self->changes, err));
    return lt_buffer_append_u64(&self->changes, (uint64_t)self->due_us[group], err);
}

static leat_status group_begin(lt_node *node, uint32_t group, int64_t due_us, leat_error *err) {
    deduplicate *self   = node->state;
    self->due_us[group] = due_us;
    return due_us == INT64_MAX
               ? LEAT_OK
               : lt_timer_heap_push(&self->timers, (lt_timer){.due_us = due_us, .group_index = group}, err);
}

// When the key of a row would be forgotten; false: the row is late.
static bool row_due(const lt_node *node, const lt_chunk *delta, uint32_t row, int64_t late, int64_t *out_due_us) {
    const deduplicate *self = node->state;
    int64_t            late_at_us;
    *out_due_us = INT64_MAX;
    if (self->event_time < 0 || !lt_event_due(node, &delta->columns[self->event_time], row, &late_at_us)) return true;
    if (late != INT64_MIN && late_at_us <= late) return false;
    if (node->plan->as.deduplicate.is_within_watermark) {
        if (lt_add_overflows(late_at_us, node->plan->columns[self->event_time].delay_us, out_due_us))
            *out_due_us = INT64_MAX;
    } else if (self->is_time_a_key) {
        *out_due_us = late_at_us;
    }
    if (*out_due_us == NOT_BEGUN) *out_due_us = NOT_BEGUN + 1;
    return true;
}

static leat_status deduplicate_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                    leat_error *err) {
    (void)input;
    deduplicate   *self = node->state;
    const lt_plan *plan = node->plan;
    const int64_t  late = node->pipeline->is_standing ? lt_node_late_us(node, batch) : INT64_MIN;
    lt_vector     *keys;
    uint16_t      *rows;
    uint32_t      *groups, count = 0, kept_count = 0, key_count = plan->as.deduplicate.column_count;
    int64_t       *due_us;
    LT_TRY_NEW_ARRAY(keys, batch->scratch, key_count + 1u, err);
    LT_TRY_NEW_ARRAY(rows, batch->scratch, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, batch->scratch, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(due_us, batch->scratch, delta->count + 1u, err);
    for (uint32_t k = 0; k < key_count; k++) keys[k] = delta->columns[plan->as.deduplicate.columns[k]];
    for (uint32_t row = 0; row < delta->count; row++) {
        if (row_due(node, delta, row, late, &due_us[count])) {
            rows[count++] = (uint16_t)row;
            continue;
        }
        batch->rows_dropped++;
        if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, 0, delta, row, late, err));
    }
    LT_TRY(lt_group_table_find_or_add(&self->groups, keys, key_count, count == delta->count ? NULL : rows, count,
                                      groups, err));
    LT_TRY(group_reserve(self, err));
    for (uint32_t i = 0; i < count; i++) {
        if (self->due_us[groups[i]] != NOT_BEGUN) continue;
        LT_TRY(group_begin(node, groups[i], due_us[i], err));
        LT_TRY(change_note(node, groups[i], true, err));
        rows[kept_count++] = rows[i];
    }
    batch->rows_updated += kept_count;
    lt_chunk out;
    LT_TRY(lt_chunk_gather(delta, rows, kept_count, batch->scratch, &out, err));
    return lt_emit(node, &out, batch, err);
}

// The change has been noted.
static void group_end(deduplicate *self, uint32_t group) {
    self->due_us[group] = NOT_BEGUN;
    lt_group_table_remove(&self->groups, group);
}

static leat_status deduplicate_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    deduplicate *self     = node->state;
    int64_t      close_us = lt_node_close_us(node, batch);
    lt_timer     timer;
    if (!node->pipeline->is_standing || close_us == INT64_MIN) return LEAT_OK;
    while (lt_timer_heap_pop_due(&self->timers, close_us, &timer)) {
        uint32_t group = (uint32_t)timer.group_index;
        if (!lt_group_table_is_live(&self->groups, group) || self->due_us[group] != timer.due_us) continue;
        LT_TRY(change_note(node, group, false, err));
        group_end(self, group);
        batch->rows_removed++;
    }
    return LEAT_OK;
}

static bool deduplicate_is_due(const lt_node *node, const lt_batch *batch) {
    return node->watermark_mask != 0 && lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

static leat_status deduplicate_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    deduplicate *self = node->state;
    if (is_full) {
        for (uint32_t group = 0; group < self->groups.group_count; group++) {
            if (!lt_group_table_is_live(&self->groups, group)) continue;
            LT_TRY(lt_buffer_append_u8(out, 1, err));
            LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
            LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->due_us[group], err));
        }
        return LEAT_OK;
    }
    LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

static leat_status deduplicate_load(lt_node *node, lt_reader *in, leat_error *err) {
    deduplicate *self = node->state;
    uint8_t      is_new;
    const char  *key;
    size_t       count;
    uint64_t     due_us;
    uint32_t     group;
    LT_TRY(lt_reader_u8(in, &is_new, err));
    LT_TRY(lt_reader_bytes(in, &key, &count, err));
    LT_TRY(lt_reader_u64(in, &due_us, err));
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, count, &group, err));
    LT_TRY(group_reserve(self, err));
    if (is_new) return group_begin(node, group, (int64_t)due_us, err);
    group_end(self, group);
    return LEAT_OK;
}

static lt_state_size deduplicate_size(const lt_node *node) {
    const deduplicate *self = node->state;
    return (lt_state_size){.rows  = self->groups.live_count,
                           .bytes = lt_group_table_bytes(&self->groups) +
                                    (uint64_t)self->groups.live_count * sizeof *self->due_us};
}

static void deduplicate_close(lt_node *node) {
    deduplicate *self = node->state;
    lt_account_reallocate(node->pipeline->account, self->due_us, sizeof *self->due_us * self->capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_timer_heap_deinit(&self->timers);
    lt_buffer_deinit(&self->changes);
}

const lt_operator_kind lt_operators_deduplicate = {
    .name           = "Deduplicate",
    .plan_kind      = LT_PLAN_DEDUPLICATE,
    .state_bytes    = sizeof(deduplicate),
    .is_incremental = true,
    .open           = deduplicate_open,
    .push           = deduplicate_push,
    .end_batch      = deduplicate_end_batch,
    .save           = deduplicate_save,
    .load           = deduplicate_load,
    .is_due         = deduplicate_is_due,
    .size           = deduplicate_size,
    .state_name     = "dedupe",
    .close          = deduplicate_close,
};
