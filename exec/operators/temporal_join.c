// temporal_join: each left row meets the last right row of its key at or before its time, both sides streams with a
// watermark. Which one that is, is known when the watermark has reached the left row: until then it waits.
//
//     group -> versions in the order of (time, arrival):  [10:00 a][10:05 b][10:20 c]      left 10:07 -> b
//     timers: when a left row is given; when a version makes those before it superfluous
//
// Late rows of both sides go first. Rows are given in the order of (time, arrival), each once, so neither they nor their
// order depend on how the input was cut. NULL keys and times meet nothing: as right rows they are gone, as left rows of
// an outer join they come with NULLs, at once if they have no time. Of the versions that the watermark has passed the
// last one of each key stays, unless it says that its row is gone. Memory: rows above the watermark and one version per
// key. Cost: O(log n) a row; a version that comes before others of its key moves those behind it.
// Source: incremental.md 5.13.
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "exec/state/timer_heap.h"

enum { LEFT = 0, RIGHT = 1 };

typedef struct kept_row {
    char    *bytes; // lt_row_encode, the account's; NULL: free
    uint32_t count;
    uint32_t group; // LT_NO_GROUP: a key that meets nothing
    uint32_t next_free;
    bool     is_gone;
    int64_t  due_us;
    uint64_t sequence; // by side, in order of arrival
} kept_row;

typedef struct slot_list {
    uint32_t *slots;
    uint32_t  count, capacity;
} slot_list;

typedef struct temporal_side {
    uint32_t              width;
    const lt_type       **types;
    const lt_expression **keys; // keys, then the time
    lt_evaluator          evaluator;
    kept_row             *rows;
    uint32_t              row_count, row_capacity, first_free; // first_free: slot + 1
    bool                  has_stale_free;                      // after load
    lt_timer_heap         timers;
    uint64_t              next_sequence, live_rows, live_bytes;
} temporal_side;

typedef struct temporal_join {
    const lt_plan *plan;
    lt_account    *account;
    uint32_t       key_count; // without the time
    int32_t        gone_column;
    temporal_side  sides[2];
    lt_group_table groups;
    slot_list     *versions; // by group
    uint32_t      *waiting;  // by group: left rows
    uint32_t       group_capacity;
    slot_list      given; // left rows of this batch
    lt_buffer      scratch, changes, null_row;
    lt_arena       arena;
} temporal_join;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status side_open(lt_node *node, uint32_t number, leat_error *err) {
    temporal_join *self = node->state;
    temporal_side *side = &self->sides[number];
    const lt_plan *plan = node->plan, *input = plan->inputs[number];
    side->width = input->column_count;
    lt_timer_heap_init(&side->timers, self->account);
    LT_TRY_NEW_ARRAY(side->keys, &self->arena, self->key_count + 1, err);
    LT_TRY_NEW_ARRAY(side->types, &self->arena, side->width + 1u, err);
    for (uint32_t k = 0; k < self->key_count; k++)
        side->keys[k] = number == LEFT ? plan->as.asof_join.left_keys[k] : plan->as.asof_join.right_keys[k];
    side->keys[self->key_count] = number == LEFT ? plan->as.asof_join.left_match : plan->as.asof_join.right_match;
    for (uint32_t c = 0; c < side->width; c++) side->types[c] = input->columns[c].type;
    return lt_evaluator_open(&side->evaluator, side->keys, self->key_count + 1, node->pipeline->evaluation,
                             self->account, err);
}

// The column of versions that says that the row is gone; -1: none.
static int32_t gone_column_of(const lt_plan *versions) {
    const bool is_marked = versions->kind == LT_PLAN_WATERMARK && versions->inputs[0]->kind == LT_PLAN_CHANGES;
    return is_marked ? (int32_t)versions->column_count - 1 : -1;
}

static leat_status temporal_join_open(lt_node *node, leat_error *err) {
    temporal_join  *self = node->state;
    const lt_type **types;
    lt_vector      *nulls;
    *self = (temporal_join){.plan        = node->plan,
                            .account     = node->pipeline->account,
                            .key_count   = node->plan->as.asof_join.key_count,
                            .gone_column = gone_column_of(node->plan->inputs[RIGHT])};
    lt_arena_init(&self->arena, self->account);
    lt_buffer_init(&self->scratch, self->account, 0);
    lt_buffer_init(&self->changes, self->account, 0);
    lt_buffer_init(&self->null_row, self->account, 0);
    LT_TRY(lt_expression_types(node->plan->as.asof_join.left_keys, self->key_count, &self->arena, &types, err));
    lt_group_table_init(&self->groups, self->account, types, self->key_count, node->pipeline->evaluation->random_seed);
    LT_TRY(side_open(node, LEFT, err));
    LT_TRY(side_open(node, RIGHT, err));
    const temporal_side *right = &self->sides[RIGHT];
    LT_TRY_NEW_ARRAY(nulls, &self->arena, right->width + 1u, err);
    for (uint32_t c = 0; c < right->width; c++)
        LT_TRY(lt_vector_init_constant_null(&nulls[c], right->types[c], &self->arena, err));
    return lt_row_encode(nulls, right->width, 0, false, &self->null_row, err);
}

// ----------------------------------------------------------------------------------------------------------- kept rows

static leat_status groups_reserve(temporal_join *self, leat_error *err) {
    const uint32_t have = self->group_capacity, want = self->groups.group_capacity;
    if (have >= want) return LEAT_OK;
    lt_account_array arrays[] = {{self->versions, sizeof *self->versions}, {self->waiting, sizeof *self->waiting}};
    LT_TRY(lt_account_grow(self->account, arrays, 2, have, want, err));
    self->versions       = arrays[0].memory;
    self->waiting        = arrays[1].memory;
    self->group_capacity = want;
    return LEAT_OK;
}

static leat_status slots_reserve(temporal_join *self, temporal_side *side, uint32_t count, leat_error *err) {
    uint32_t want = side->row_capacity == 0 ? 64 : side->row_capacity;
    if (count > INT32_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than two billion rows to keep");
    while (want < count) want *= 2;
    if (want == side->row_capacity) return LEAT_OK;
    lt_account_array rows = {side->rows, sizeof *side->rows};
    LT_TRY(lt_account_grow(self->account, &rows, 1, side->row_capacity, want, err));
    side->rows         = rows.memory;
    side->row_capacity = want;
    return LEAT_OK;
}

static leat_status slot_take(temporal_join *self, temporal_side *side, uint32_t *out, leat_error *err) {
    if (side->has_stale_free) {
        side->first_free = 0;
        for (uint32_t slot = side->row_count; slot-- > 0;) {
            if (side->rows[slot].bytes != NULL) continue;
            side->rows[slot].next_free = side->first_free;
            side->first_free           = slot + 1;
        }
        side->has_stale_free = false;
    }
    if (side->first_free != 0) {
        *out             = side->first_free - 1;
        side->first_free = side->rows[*out].next_free;
        return LEAT_OK;
    }
    LT_TRY(slots_reserve(self, side, side->row_count + 1, err));
    *out = side->row_count++;
    return LEAT_OK;
}

static bool is_before(const kept_row *a, const kept_row *b) {
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->sequence < b->sequence;
}

// How many versions of a list stand at or before a time.
static uint32_t versions_until(const temporal_join *self, const slot_list *list, int64_t due_us, uint64_t sequence) {
    const kept_row limit = {.due_us = due_us, .sequence = sequence};
    uint32_t       first = 0, end = list->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (is_before(&limit, &self->sides[RIGHT].rows[list->slots[middle]]))
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

static leat_status version_link(temporal_join *self, uint32_t slot, leat_error *err) {
    const kept_row *row  = &self->sides[RIGHT].rows[slot];
    slot_list      *list = &self->versions[row->group];
    LT_TRY_GROW(list->slots, self->account, list->count, list->capacity, 4, err);
    const uint32_t at = versions_until(self, list, row->due_us, row->sequence);
    memmove(list->slots + at + 1, list->slots + at, sizeof *list->slots * (list->count - at));
    list->slots[at] = slot;
    list->count++;
    return LEAT_OK;
}

static void group_release(temporal_join *self, uint32_t group) {
    slot_list *list = &self->versions[group];
    if (self->waiting[group] > 0 || list->count > 0 || !lt_group_table_is_live(&self->groups, group)) return;
    lt_account_reallocate(self->account, list->slots, sizeof *list->slots * list->capacity, 0);
    *list = (slot_list){0};
    lt_group_table_remove(&self->groups, group);
}

// Puts `row` (without its bytes) into a free slot below row_count.
static leat_status row_put(temporal_join *self, uint32_t number, uint32_t slot, const kept_row *row, const char *bytes,
                           leat_error *err) {
    temporal_side *side = &self->sides[number];
    char          *copy = lt_account_reallocate(self->account, NULL, 0, row->count + 1u);
    if (copy == NULL) return lt_raise_no_memory(err);
    memcpy(copy, bytes, row->count);
    side->rows[slot]       = *row;
    side->rows[slot].bytes = copy;
    side->live_rows++;
    side->live_bytes += row->count + sizeof *row;
    if (row->sequence >= side->next_sequence) side->next_sequence = row->sequence + 1;
    if (number == LEFT && row->group != LT_NO_GROUP) self->waiting[row->group]++;
    if (number == RIGHT) LT_TRY(version_link(self, slot, err));
    return lt_timer_heap_push(&side->timers, (lt_timer){.due_us = row->due_us, .group_index = slot}, err);
}

// A version's place in its list is the caller's.
static void row_free(temporal_join *self, uint32_t number, uint32_t slot) {
    temporal_side *side = &self->sides[number];
    kept_row      *row  = &side->rows[slot];
    side->live_rows--;
    side->live_bytes -= row->count + sizeof *row;
    lt_account_reallocate(self->account, row->bytes, row->count + 1u, 0);
    if (number == LEFT && row->group != LT_NO_GROUP) {
        self->waiting[row->group]--;
        group_release(self, row->group);
    }
    *row             = (kept_row){.next_free = side->first_free};
    side->first_free = slot + 1;
}

static void version_unlink(temporal_join *self, uint32_t slot) {
    const kept_row *row  = &self->sides[RIGHT].rows[slot];
    slot_list      *list = &self->versions[row->group];
    const uint32_t  end  = versions_until(self, list, row->due_us, row->sequence);
    list->count--;
    memmove(list->slots + end - 1, list->slots + end, sizeof *list->slots * (list->count - (end - 1)));
}

enum { SAVE_ROW = 1, SAVE_REMOVED = 2 };

static leat_status row_write(const temporal_join *self, uint8_t number, uint32_t slot, lt_buffer *out,
                             leat_error *err) {
    const kept_row *row       = &self->sides[number].rows[slot];
    const bool      has_group = row->group != LT_NO_GROUP;
    LT_TRY(lt_buffer_append_u8(out, SAVE_ROW, err));
    LT_TRY(lt_buffer_append_u8(out, number, err));
    LT_TRY(lt_buffer_append_u32(out, slot, err));
    LT_TRY(lt_buffer_append_u8(out, (uint8_t)(has_group | row->is_gone << 1), err));
    LT_TRY(has_group ? lt_group_table_save_key(&self->groups, row->group, out, err)
                     : lt_buffer_append_bytes(out, "", 0, err));
    LT_TRY(lt_buffer_append_bytes(out, row->bytes, row->count, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->due_us, err));
    return lt_buffer_append_u64(out, row->sequence, err);
}

static leat_status removal_write(lt_node *node, uint8_t number, uint32_t slot, leat_error *err) {
    temporal_join *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    LT_TRY(lt_buffer_append_u8(&self->changes, SAVE_REMOVED, err));
    LT_TRY(lt_buffer_append_u8(&self->changes, number, err));
    return lt_buffer_append_u32(&self->changes, slot, err);
}

// ---------------------------------------------------------------------------------------------------------------- push

// Rows of a chunk by what becomes of them.
typedef struct sorted_rows {
    lt_vector *keys; // the time last
    uint16_t  *meeting, *keyless, *timeless;
    int64_t   *due_us; // by row
    uint32_t   meeting_count, keyless_count, timeless_count;
} sorted_rows;

static leat_status rows_sort(lt_node *node, uint32_t number, const lt_chunk *delta, lt_batch *batch, sorted_rows *out,
                             leat_error *err) {
    temporal_join *self  = node->state;
    temporal_side *side  = &self->sides[number];
    const int64_t  late  = lt_node_late_us(node, batch);
    lt_arena      *arena = batch->scratch;
    *out                 = (sorted_rows){0};
    LT_TRY_NEW_ARRAY(out->keys, arena, self->key_count + 1u, err);
    LT_TRY_NEW_ARRAY(out->meeting, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->keyless, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->timeless, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->due_us, arena, delta->count + 1u, err);
    for (uint32_t k = 0; k <= self->key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&side->evaluator, side->keys[k], delta, NULL, arena, &key, err));
        out->keys[k] = *key;
    }
    for (uint32_t row = 0; row < delta->count; row++) {
        bool has_null_key = false;
        for (uint32_t k = 0; k < self->key_count; k++)
            has_null_key |= !self->plan->as.asof_join.is_null_safe[k] && lt_vector_is_null(&out->keys[k], row);
        if (!lt_event_due(node, &out->keys[self->key_count], row, &out->due_us[row])) {
            out->timeless[out->timeless_count++] = (uint16_t)row;
        } else if (late != INT64_MIN && out->due_us[row] <= late) {
            batch->rows_dropped++;
            if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, number, delta, row, late, err));
        } else if (has_null_key) {
            out->keyless[out->keyless_count++] = (uint16_t)row;
        } else {
            out->meeting[out->meeting_count++] = (uint16_t)row;
        }
    }
    return LEAT_OK;
}

static bool says_gone(const temporal_join *self, const lt_chunk *delta, uint32_t row) {
    if (self->gone_column < 0) return false;
    const lt_vector *column = &delta->columns[self->gone_column];
    return !lt_vector_is_null(column, row) && LT_VALUE(column, uint8_t, row) != 0;
}

static leat_status row_keep(lt_node *node, uint32_t number, const lt_chunk *delta, uint32_t row, uint32_t group,
                            int64_t due_us, leat_error *err) {
    temporal_join *self = node->state;
    temporal_side *side = &self->sides[number];
    uint32_t       slot;
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(delta->columns, delta->column_count, row, false, &self->scratch, err));
    LT_TRY(slot_take(self, side, &slot, err));
    const kept_row kept = {.count    = (uint32_t)self->scratch.bytes,
                           .group    = group,
                           .is_gone  = number == RIGHT && says_gone(self, delta, row),
                           .due_us   = due_us,
                           .sequence = side->next_sequence};
    LT_TRY(row_put(self, number, slot, &kept, self->scratch.data, err));
    return node->pipeline->with_state ? row_write(self, (uint8_t)number, slot, &self->changes, err) : LEAT_OK;
}

// Left rows without a time, with NULLs.
static leat_status timeless_give(lt_node *node, const lt_chunk *delta, const sorted_rows *rows, lt_batch *batch,
                                 leat_error *err) {
    temporal_join       *self  = node->state;
    const temporal_side *right = &self->sides[RIGHT];
    const uint32_t       width = self->sides[LEFT].width;
    lt_chunk             own, out;
    LT_TRY(lt_chunk_gather(delta, rows->timeless, rows->timeless_count, batch->scratch, &own, err));
    out              = own;
    out.column_count = width + right->width;
    LT_TRY_NEW_ARRAY(out.columns, batch->scratch, out.column_count + 1u, err);
    memcpy(out.columns, own.columns, sizeof *own.columns * width);
    for (uint32_t c = 0; c < right->width; c++)
        LT_TRY(lt_vector_init_constant_null(&out.columns[width + c], right->types[c], batch->scratch, err));
    return lt_emit(node, &out, batch, err);
}

static leat_status temporal_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                      leat_error *err) {
    temporal_join *self = node->state;
    const bool     pads = input == LEFT && self->plan->as.asof_join.is_outer;
    sorted_rows    rows;
    uint32_t      *groups;
    LT_TRY(rows_sort(node, input, delta, batch, &rows, err));
    LT_TRY_NEW_ARRAY(groups, batch->scratch, rows.meeting_count + 1u, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, rows.keys, self->key_count, rows.meeting, rows.meeting_count,
                                      groups, err));
    LT_TRY(groups_reserve(self, err));
    // Both kinds of rows in one walk: they wait in order of arrival.
    for (uint32_t m = 0, n = 0; m < rows.meeting_count || (pads && n < rows.keyless_count);) {
        const bool is_keyless =
            pads && n < rows.keyless_count && (m == rows.meeting_count || rows.keyless[n] < rows.meeting[m]);
        const uint32_t row   = is_keyless ? rows.keyless[n++] : rows.meeting[m];
        const uint32_t group = is_keyless ? LT_NO_GROUP : groups[m++];
        LT_TRY(row_keep(node, input, delta, row, group, rows.due_us[row], err));
        batch->rows_updated++;
    }
    return pads && rows.timeless_count > 0 ? timeless_give(node, delta, &rows, batch, err) : LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

// Slots of left rows that are due, sorted by time and arrival: a merge sort, `space` as long as the list.
static void given_sort(const kept_row *rows, uint32_t *slots, uint32_t count, uint32_t *space) {
    for (uint32_t run = 1; run < count; run *= 2)
        for (uint32_t start = 0; start + run < count; start += 2 * run) {
            const uint32_t end = count - start < 2 * run ? count : start + 2 * run;
            uint32_t       a = 0, b = start + run, at = start;
            memcpy(space, slots + start, sizeof *slots * run);
            while (a < run) {
                const bool takes_b = b < end && is_before(&rows[slots[b]], &rows[space[a]]);
                slots[at++]        = takes_b ? slots[b++] : space[a++];
            }
        }
}

// After a start the heap may have timers of rows that went, and two of a row whose slot was used again.
static leat_status given_collect(temporal_join *self, int64_t close_us, lt_arena *arena, leat_error *err) {
    temporal_side *left = &self->sides[LEFT];
    slot_list     *list = &self->given;
    uint32_t      *space, kept = 0;
    lt_timer       timer;
    list->count = 0;
    while (lt_timer_heap_pop_due(&left->timers, close_us, &timer)) {
        const uint32_t slot = (uint32_t)timer.group_index;
        if (left->rows[slot].bytes == NULL || left->rows[slot].due_us != timer.due_us) continue;
        LT_TRY_GROW(list->slots, self->account, list->count, list->capacity, 64, err);
        list->slots[list->count++] = slot;
    }
    if (list->count < 2) return LEAT_OK;
    LT_TRY_NEW_ARRAY(space, arena, list->count, err);
    given_sort(left->rows, list->slots, list->count, space);
    for (uint32_t i = 0; i < list->count; i++)
        if (i == 0 || list->slots[i] != list->slots[i - 1]) list->slots[kept++] = list->slots[i];
    list->count = kept;
    return LEAT_OK;
}

static const kept_row *partner_of(const temporal_join *self, const kept_row *left) {
    if (left->group == LT_NO_GROUP) return NULL;
    const slot_list *list = &self->versions[left->group];
    const int64_t    last = self->plan->as.asof_join.takes_equal ? left->due_us : left->due_us - 1;
    const uint32_t   end  = versions_until(self, list, last, UINT64_MAX);
    return end == 0 ? NULL : &self->sides[RIGHT].rows[list->slots[end - 1]];
}

static leat_status given_emit(lt_node *node, lt_batch *batch, leat_error *err) {
    temporal_join       *self = node->state;
    const temporal_side *left = &self->sides[LEFT], *right = &self->sides[RIGHT];
    for (uint32_t at = 0; at < self->given.count;) {
        lt_chunk own, theirs, both;
        LT_TRY(lt_chunk_init(&own, left->types, left->width, LT_CHUNK_ROWS_MAX, batch->scratch, err));
        LT_TRY(lt_chunk_init(&theirs, right->types, right->width, LT_CHUNK_ROWS_MAX, batch->scratch, err));
        for (; at < self->given.count && own.count < LT_CHUNK_ROWS_MAX; at++) {
            const kept_row *row     = &left->rows[self->given.slots[at]];
            const kept_row *partner = partner_of(self, row);
            if (partner == NULL && !self->plan->as.asof_join.is_outer) continue;
            const char    *bytes = partner != NULL ? partner->bytes : self->null_row.data;
            const uint32_t count = partner != NULL ? partner->count : (uint32_t)self->null_row.bytes;
            LT_TRY(lt_row_decode(row->bytes, row->count, own.columns, left->width, batch->scratch, err));
            LT_TRY(lt_row_decode(bytes, count, theirs.columns, right->width, batch->scratch, err));
            own.count++;
        }
        both = (lt_chunk){.column_count = left->width + right->width, .count = own.count};
        LT_TRY_NEW_ARRAY(both.columns, batch->scratch, both.column_count + 1u, err);
        memcpy(both.columns, own.columns, sizeof *own.columns * left->width);
        memcpy(both.columns + left->width, theirs.columns, sizeof *theirs.columns * right->width);
        LT_TRY(lt_emit_origin(node, &both, batch, err));
    }
    return LEAT_OK;
}

// What no left row can meet any more: versions before one that the watermark has passed, and that one itself if its row
// is gone.
static leat_status versions_forget(lt_node *node, int64_t close_us, lt_batch *batch, leat_error *err) {
    temporal_join *self  = node->state;
    temporal_side *right = &self->sides[RIGHT];
    lt_timer       timer;
    while (lt_timer_heap_pop_due(&right->timers, close_us, &timer)) {
        const uint32_t slot = (uint32_t)timer.group_index;
        if (right->rows[slot].bytes == NULL || right->rows[slot].due_us != timer.due_us) continue;
        const uint32_t group = right->rows[slot].group;
        slot_list     *list  = &self->versions[group];
        uint32_t       end   = versions_until(self, list, timer.due_us, UINT64_MAX);
        if (!right->rows[list->slots[end - 1]].is_gone) end--;
        for (uint32_t i = 0; i < end; i++) {
            LT_TRY(removal_write(node, RIGHT, list->slots[i], err));
            row_free(self, RIGHT, list->slots[i]);
        }
        list->count -= end;
        memmove(list->slots, list->slots + end, sizeof *list->slots * list->count);
        batch->rows_removed += end;
        group_release(self, group);
    }
    return LEAT_OK;
}

static leat_status temporal_join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    temporal_join *self     = node->state;
    const int64_t  close_us = lt_node_close_us(node, batch);
    if (close_us == INT64_MIN) return LEAT_OK;
    LT_TRY(given_collect(self, close_us, batch->arena, err));
    LT_TRY(given_emit(node, batch, err));
    for (uint32_t i = 0; i < self->given.count; i++) {
        LT_TRY(removal_write(node, LEFT, self->given.slots[i], err));
        row_free(self, LEFT, self->given.slots[i]);
    }
    batch->rows_removed += self->given.count;
    return versions_forget(node, close_us, batch, err);
}

static bool temporal_join_is_due(const lt_node *node, const lt_batch *batch) {
    return node->watermark_mask != 0 && lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

static int64_t temporal_join_last_due_us(const lt_node *node) {
    const temporal_side *left    = &((const temporal_join *)node->state)->sides[LEFT];
    int64_t              last_us = INT64_MIN;
    for (uint32_t slot = 0; slot < left->row_count; slot++)
        if (left->rows[slot].bytes != NULL && left->rows[slot].due_us > last_us) last_us = left->rows[slot].due_us;
    return last_us;
}

// ---------------------------------------------------------------------------------------------------------- save, load

static leat_status temporal_join_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    temporal_join *self = node->state;
    if (!is_full) LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    for (uint8_t number = 0; is_full && number < 2; number++)
        for (uint32_t slot = 0; slot < self->sides[number].row_count; slot++)
            if (self->sides[number].rows[slot].bytes != NULL) LT_TRY(row_write(self, number, slot, out, err));
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

static void loaded_remove(temporal_join *self, uint8_t number, uint32_t slot) {
    const uint32_t group = self->sides[number].rows[slot].group;
    if (number == RIGHT) version_unlink(self, slot);
    row_free(self, number, slot);
    if (number == RIGHT) group_release(self, group);
}

static leat_status load_row(temporal_join *self, uint8_t number, uint32_t slot, lt_reader *in, leat_error *err) {
    temporal_side *side = &self->sides[number];
    const char    *key, *bytes;
    size_t         key_count, count;
    uint64_t       due_us;
    uint8_t        facts;
    kept_row       row = {.group = LT_NO_GROUP};
    LT_TRY(lt_reader_u8(in, &facts, err));
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_reader_u64(in, &due_us, err));
    LT_TRY(lt_reader_u64(in, &row.sequence, err));
    if (facts > 3 || (number == RIGHT && (facts & 1) == 0) || count >= UINT32_MAX)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved temporal join has a row of kind %u", facts);
    if (slot < side->row_count && side->rows[slot].bytes != NULL) loaded_remove(self, number, slot);
    if ((facts & 1) != 0) LT_TRY(lt_group_table_add_bytes(&self->groups, key, key_count, &row.group, err));
    LT_TRY(groups_reserve(self, err));
    if (slot >= side->row_count) {
        LT_TRY(slots_reserve(self, side, slot + 1, err));
        side->row_count = slot + 1;
    }
    side->has_stale_free = true;
    row.is_gone          = (facts & 2) != 0;
    row.count            = (uint32_t)count;
    row.due_us           = (int64_t)due_us;
    return row_put(self, number, slot, &row, bytes, err);
}

static leat_status temporal_join_load(lt_node *node, lt_reader *in, leat_error *err) {
    temporal_join *self = node->state;
    uint8_t        what, number;
    uint32_t       slot;
    LT_TRY(lt_reader_u8(in, &what, err));
    LT_TRY(lt_reader_u8(in, &number, err));
    LT_TRY(lt_reader_u32(in, &slot, err));
    if (number > 1 || slot > INT32_MAX || (what != SAVE_ROW && what != SAVE_REMOVED))
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved temporal join names row %u of side %u", slot,
                        number);
    temporal_side *side = &self->sides[number];
    if (what == SAVE_ROW) return load_row(self, number, slot, in, err);
    if (slot >= side->row_count || side->rows[slot].bytes == NULL)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved temporal join removes row %u, which is not there",
                        slot);
    loaded_remove(self, number, slot);
    side->has_stale_free = true;
    return LEAT_OK;
}

static lt_state_size temporal_join_size(const lt_node *node) {
    const temporal_join *self = node->state;
    return (lt_state_size){.rows  = self->sides[LEFT].live_rows + self->sides[RIGHT].live_rows,
                           .bytes = self->sides[LEFT].live_bytes + self->sides[RIGHT].live_bytes +
                                    lt_group_table_bytes(&self->groups)};
}

static void temporal_join_close(lt_node *node) {
    temporal_join *self    = node->state;
    lt_account    *account = self->account;
    if (account == NULL) return;
    for (uint32_t number = 0; number < 2; number++) {
        temporal_side *side = &self->sides[number];
        for (uint32_t slot = 0; slot < side->row_count; slot++)
            if (side->rows[slot].bytes != NULL)
                lt_account_reallocate(account, side->rows[slot].bytes, side->rows[slot].count + 1u, 0);
        lt_account_reallocate(account, side->rows, sizeof *side->rows * side->row_capacity, 0);
        lt_timer_heap_deinit(&side->timers);
        lt_evaluator_close(&side->evaluator);
    }
    for (uint32_t group = 0; group < self->group_capacity; group++)
        lt_account_reallocate(account, self->versions[group].slots, sizeof(uint32_t) * self->versions[group].capacity,
                              0);
    lt_account_reallocate(account, self->versions, sizeof *self->versions * self->group_capacity, 0);
    lt_account_reallocate(account, self->waiting, sizeof *self->waiting * self->group_capacity, 0);
    lt_account_reallocate(account, self->given.slots, sizeof *self->given.slots * self->given.capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
    lt_buffer_deinit(&self->null_row);
    lt_arena_deinit(&self->arena);
    *self = (temporal_join){0};
}

static bool temporal_join_serves(const lt_plan *plan) { return plan->as.asof_join.is_of_streams; }

const lt_operator_kind lt_operators_temporal_join = {
    .name           = "TemporalJoin",
    .plan_kind      = LT_PLAN_ASOF_JOIN,
    .serves         = temporal_join_serves,
    .state_bytes    = sizeof(temporal_join),
    .is_incremental = true,
    .open           = temporal_join_open,
    .push           = temporal_join_push,
    .end_batch      = temporal_join_end_batch,
    .save           = temporal_join_save,
    .load           = temporal_join_load,
    .is_due         = temporal_join_is_due,
    .last_due_us    = temporal_join_last_due_us,
    .size           = temporal_join_size,
    .state_name     = "temporalJoin",
    .close          = temporal_join_close,
};
