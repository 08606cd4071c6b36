#include "exec/join/expiry.h"

#include "base/checked.h"

// A timer names a slot, whose row may have gone and made place for another one meanwhile: when it strikes, the row that is
// there now says when it is due.

void lt_join_expiry_init(lt_join_expiry *self, const lt_plan *join, lt_account *account) {
    *self = (lt_join_expiry){0};
    for (uint32_t s = 0; s < 2; s++) {
        lt_timer_heap_init(&self->timers[s], account);
        self->is_changing[s] = !join->inputs[s]->properties.is_append_only;
    }
    self->is_on = lt_join_expires(join, self->bounds);
}

void lt_join_expiry_deinit(lt_join_expiry *self) {
    for (uint32_t s = 0; s < 2; s++) lt_timer_heap_deinit(&self->timers[s]);
}

leat_status lt_join_expiry_drop_late(const lt_join_expiry *self, lt_node *node, uint32_t number, const lt_chunk *delta,
                                     lt_batch *batch, const lt_chunk **out, leat_error *err) {
    const int32_t column  = self->bounds[number].event_time;
    const int64_t late_us = self->is_on ? lt_node_late_us(node, batch) : INT64_MIN;
    uint16_t     *rows;
    uint32_t      count = 0;
    lt_chunk     *kept;
    *out = delta;
    if (late_us == INT64_MIN || column < 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(rows, batch->scratch, delta->count + 1u, err);
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t late_at_us;
        if (!lt_event_due(node, &delta->columns[column], row, &late_at_us) || late_at_us > late_us) {
            rows[count++] = (uint16_t)row;
            continue;
        }
        batch->rows_dropped++;
        if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, number, delta, row, late_us, err));
    }
    if (count == delta->count) return LEAT_OK;
    LT_TRY_NEW(kept, batch->scratch, err);
    *out = kept;
    return lt_chunk_gather(delta, rows, count, batch->scratch, kept, err);
}

// INT64_MAX: never.
static int64_t due_of(const lt_join_expiry *self, const lt_node *node, uint32_t number, const lt_vector *columns,
                      const lt_vector *keys, uint32_t row) {
    const lt_stream_bound *bound = &self->bounds[number];
    int64_t                due_us, own_us;
    bool                   is_window;
    if (bound->kind == LT_STREAM_BOUND_KEY) {
        if (!lt_event_due(node, &keys[bound->key], row, &due_us)) return INT64_MAX;
    } else {
        const int64_t further_us = self->bounds[1 - number].ahead_us;
        if (!lt_event_time(&columns[bound->column], row, &due_us, &is_window) ||
            lt_add_overflows(due_us, bound->ahead_us, &due_us) ||
            (further_us > 0 && lt_add_overflows(due_us, further_us, &due_us)))
            return INT64_MAX;
    }
    if (!self->is_changing[number]) return due_us;
    if (!lt_event_due(node, &columns[bound->event_time], row, &own_us)) return INT64_MAX;
    return own_us > due_us ? own_us : due_us;
}

leat_status lt_join_expiry_note(lt_join_expiry *self, const lt_node *node, uint32_t number, const lt_chunk *delta,
                                const lt_vector *keys, const uint16_t *rows, const uint32_t *slots, uint32_t count,
                                leat_error *err) {
    for (uint32_t i = 0; self->is_on && i < count; i++) {
        if (slots[i] == LT_NO_ROW) continue;
        const lt_timer timer = {.due_us      = due_of(self, node, number, delta->columns, keys, rows[i]),
                                .group_index = slots[i]};
        if (timer.due_us < INT64_MAX) LT_TRY(lt_timer_heap_push(&self->timers[number], timer, err));
    }
    return LEAT_OK;
}

// Slots of timers that have struck and that have a row.
static uint32_t struck_take(lt_join_expiry *self, const lt_join_side *side, uint32_t number, int64_t close_us,
                            uint32_t *out_slots) {
    uint32_t count = 0;
    lt_timer timer;
    while (count < LT_CHUNK_ROWS_MAX && lt_timer_heap_pop_due(&self->timers[number], close_us, &timer))
        if (lt_chained_rows_weight(&side->rows, (uint32_t)timer.group_index) != 0)
            out_slots[count++] = (uint32_t)timer.group_index;
    return count;
}

leat_status lt_join_expiry_take(lt_join_expiry *self, const lt_node *node, lt_join_side *side, uint32_t number,
                                int64_t close_us, lt_arena *arena, lt_expired_rows *out, leat_error *err) {
    const uint32_t width = side->rows.use.width;
    *out                 = (lt_expired_rows){0};
    LT_TRY_NEW_ARRAY(out->slots, arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t struck; out->count == 0 && (struck = struck_take(self, side, number, close_us, out->slots)) > 0;) {
        lt_chunk  chunk = {.column_count = width, .count = struck}, due;
        uint16_t *rows;
        LT_TRY_NEW_ARRAY(chunk.columns, arena, width + 1u, err);
        LT_TRY_NEW_ARRAY(rows, arena, struck, err);
        LT_TRY(lt_chained_rows_gather(&side->rows, out->slots, struck, arena, chunk.columns, err));
        LT_TRY(lt_join_side_keys(side, &chunk, arena, &out->keys, err));
        for (uint32_t row = 0; row < struck; row++)
            if (due_of(self, node, number, chunk.columns, out->keys, row) <= close_us) {
                out->slots[out->count] = out->slots[row];
                rows[out->count++]     = (uint16_t)row;
            }
        if (out->count == struck) break;
        const lt_chunk keys = {.columns = out->keys, .column_count = side->key_count, .count = struck};
        LT_TRY(lt_chunk_gather(&keys, rows, out->count, arena, &due, err));
        out->keys = due.columns;
    }
    return LEAT_OK;
}
