// delta_asof_join: a left row meets the nearest right row of its key (asof_join.c has the rule), in a standing query whose
// two sides may both change.
//
//     group -> left slots, right slots, each in the order of (match key, arrival)       left slot -> right slot it met
//
// push folds. At the end of the batch changed left rows look for their partner; a right row that came or went touches the
// left rows between it and its neighbour, which look again: an old pair goes, another comes. NULL keys and match keys meet
// nothing; with .is_outer such left rows pass in push with NULLs. After a start partners are found again from the saved
// rows. Memory: both sides. Cost: O(log n) a changed row and touched left row; a row that comes before others of its key
// moves the slots behind it. Source: incremental.md 5.12.
#include "exec/join/sides.h"
#include "exec/state/group_table.h"

enum { LEFT = LT_SIDE_LEFT, RIGHT = LT_SIDE_RIGHT };

typedef struct slot_list {
    uint32_t *slots;
    uint32_t  count, capacity;
} slot_list;

// What orders the rows of a side.
typedef struct asof_order {
    slot_list   *lists; // by group
    uint32_t     list_capacity;
    lt_row_store matches;       // match keys in order of arrival
    uint32_t    *match_of;      // by slot: row of matches
    uint32_t     slot_capacity; // of match_of, and on the left of partners
    uint64_t     dead;          // matches without a row
} asof_order;

typedef struct delta_asof_join {
    const lt_plan *plan;
    lt_account    *account;
    lt_join_side   sides[2]; // keys, then the match key
    asof_order     orders[2];
    const bool    *is_null_safe; // by key
    uint32_t      *partners;     // by left slot
    lt_group_table groups;
    uint32_t       key_count; // without the match key
    bool           has_changed;
    lt_buffer      changes;
    lt_arena       arena;
} delta_asof_join;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status side_open(lt_node *node, uint32_t number, leat_error *err) {
    delta_asof_join      *self = node->state;
    const lt_plan        *plan = node->plan;
    const lt_chained_use  use  = {.keeps_rows = true, .is_growing = true};
    const lt_expression **keys;
    LT_TRY_NEW_ARRAY(keys, &self->arena, self->key_count + 1, err);
    for (uint32_t k = 0; k < self->key_count; k++)
        keys[k] = number == LEFT ? plan->as.asof_join.left_keys[k] : plan->as.asof_join.right_keys[k];
    keys[self->key_count] = number == LEFT ? plan->as.asof_join.left_match : plan->as.asof_join.right_match;
    LT_TRY(lt_join_side_open(&self->sides[number], node, number, keys, self->key_count + 1, &use, &self->arena, err));
    return lt_row_store_init(&self->orders[number].matches, &keys[self->key_count]->type, 1, self->account, err);
}

static leat_status delta_asof_join_open(lt_node *node, leat_error *err) {
    delta_asof_join *self = node->state;
    const lt_type  **types;
    bool            *is_null_safe;
    *self = (delta_asof_join){
        .plan = node->plan, .account = node->pipeline->account, .key_count = node->plan->as.asof_join.key_count};
    lt_arena_init(&self->arena, self->account);
    lt_buffer_init(&self->changes, self->account, 0);
    LT_TRY(lt_expression_types(node->plan->as.asof_join.left_keys, self->key_count, &self->arena, &types, err));
    lt_group_table_init(&self->groups, self->account, types, self->key_count, node->pipeline->evaluation->random_seed);
    LT_TRY_NEW_ARRAY(is_null_safe, &self->arena, self->key_count + 1, err); // a match key never is
    for (uint32_t k = 0; k < self->key_count; k++) is_null_safe[k] = node->plan->as.asof_join.is_null_safe[k];
    self->is_null_safe = is_null_safe;
    LT_TRY(side_open(node, LEFT, err));
    return side_open(node, RIGHT, err);
}

static leat_status delta_asof_join_prepare(lt_node *node, leat_error *err) {
    (void)err;
    const delta_asof_join *self = node->state;
    node->skip_mask             = lt_join_sides_skip_mask(self->sides);
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- lists

static leat_status lists_reserve(delta_asof_join *self, leat_error *err) {
    for (uint32_t s = 0; s < 2; s++) {
        asof_order      *order = &self->orders[s];
        const uint32_t   want  = self->groups.group_capacity;
        lt_account_array lists = {order->lists, sizeof *order->lists};
        LT_TRY(lt_chained_rows_reserve_groups(&self->sides[s].rows, want, err));
        if (order->list_capacity >= want) continue;
        LT_TRY(lt_account_grow(self->account, &lists, 1, order->list_capacity, want, err));
        order->lists         = lists.memory;
        order->list_capacity = want;
    }
    return LEAT_OK;
}

static leat_status slots_reserve(delta_asof_join *self, uint32_t number, leat_error *err) {
    asof_order      *order   = &self->orders[number];
    const uint32_t   want    = self->sides[number].rows.capacity;
    lt_account_array items[] = {{order->match_of, sizeof *order->match_of}, {self->partners, sizeof *self->partners}};
    if (order->slot_capacity >= want) return LEAT_OK;
    LT_TRY(lt_account_grow(self->account, items, number == LEFT ? 2 : 1, order->slot_capacity, want, err));
    order->match_of = items[0].memory;
    if (number == LEFT) self->partners = items[1].memory;
    order->slot_capacity = want;
    return LEAT_OK;
}

// The order of two rows of any sides by their match keys.
static int match_compare(const asof_order *a, uint32_t slot_a, const asof_order *b, uint32_t slot_b) {
    return lt_vector_compare(&a->matches.columns[0], a->match_of[slot_a], &b->matches.columns[0], b->match_of[slot_b]);
}

// How many slots of a list stand before a row of side `of`; with_equal: those with an equal match key too.
static uint32_t slots_before(const asof_order *order, const slot_list *list, const asof_order *of, uint32_t slot,
                             bool with_equal) {
    uint32_t first = 0, end = list->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const int      sign   = match_compare(of, slot, order, list->slots[middle]);
        if (sign > 0 || (sign == 0 && with_equal))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// A row that comes is the last of those with its match key.
static leat_status list_insert(delta_asof_join *self, asof_order *order, uint32_t group, uint32_t slot,
                               leat_error *err) {
    slot_list *list = &order->lists[group];
    LT_TRY_GROW(list->slots, self->account, list->count, list->capacity, 4, err);
    const bool     is_last = list->count == 0 || match_compare(order, slot, order, list->slots[list->count - 1]) >= 0;
    const uint32_t at      = is_last ? list->count : slots_before(order, list, order, slot, true);
    memmove(list->slots + at + 1, list->slots + at, sizeof *list->slots * (list->count - at));
    list->slots[at] = slot;
    list->count++;
    return LEAT_OK;
}

static void list_remove(delta_asof_join *self, asof_order *order, uint32_t group, uint32_t slot) {
    slot_list *list = &order->lists[group];
    uint32_t   at   = slots_before(order, list, order, slot, false);
    while (at < list->count && list->slots[at] != slot) at++;
    if (at == list->count) return;
    list->count--;
    memmove(list->slots + at, list->slots + at + 1, sizeof *list->slots * (list->count - at));
    order->dead++;
    if (list->count > 0) return;
    lt_account_reallocate(self->account, list->slots, sizeof *list->slots * list->capacity, 0);
    *list = (slot_list){0};
}

// Match keys of the living move together when the dead are more.
static leat_status matches_compact(delta_asof_join *self, asof_order *order, lt_arena *scratch, leat_error *err) {
    enum { DEAD_MIN = 4096 };
    lt_row_store fresh;
    if (order->dead < DEAD_MIN || order->dead * 2 < order->matches.count) return LEAT_OK;
    uint32_t *slot_of; // by match; in order of arrival
    LT_TRY_NEW_ARRAY(slot_of, scratch, order->matches.count + 1u, err);
    for (uint32_t group = 0; group < self->groups.group_count; group++)
        for (uint32_t i = 0; i < order->lists[group].count; i++)
            slot_of[order->match_of[order->lists[group].slots[i]]] = order->lists[group].slots[i] + 1;
    LT_TRY(lt_row_store_init(&fresh, &self->sides[LEFT].keys[self->key_count]->type, 1, self->account, err));
    leat_status status = LEAT_OK;
    uint32_t   *rows, count = 0;
    rows = lt_arena_alloc(scratch, sizeof *rows * LT_CHUNK_ROWS_MAX);
    if (rows == NULL) status = lt_raise_no_memory(err);
    for (uint32_t row = 0; status == LEAT_OK && row <= order->matches.count; row++) {
        if (count == LT_CHUNK_ROWS_MAX || (row == order->matches.count && count > 0)) {
            lt_chunk moved;
            status       = lt_row_store_gather(&order->matches, rows, count, scratch, &moved, err);
            moved.places = NULL;
            if (status == LEAT_OK) status = lt_row_store_append(&fresh, &moved, err);
            count = 0;
        }
        if (row < order->matches.count && slot_of[row] != 0) rows[count++] = row;
    }
    if (status != LEAT_OK) {
        lt_row_store_deinit(&fresh);
        return status;
    }
    for (uint32_t row = 0, next = 0; row < order->matches.count; row++)
        if (slot_of[row] != 0) order->match_of[slot_of[row] - 1] = next++;
    lt_row_store_deinit(&order->matches);
    order->matches = fresh;
    order->dead    = 0;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- push

static leat_status rows_sort(delta_asof_join *self, uint32_t number, const lt_chunk *delta, lt_arena *arena,
                             lt_join_rows *out, leat_error *err) {
    return lt_join_rows_sort(&self->sides[number], delta, self->is_null_safe, self->key_count + 1, arena, out, err);
}

static leat_status fold(delta_asof_join *self, uint32_t number, const lt_chunk *delta, const lt_join_rows *rows,
                        lt_arena *arena, leat_error *err) {
    asof_order    *order = &self->orders[number];
    const uint32_t count = rows->meeting_count;
    uint32_t      *groups, *slots;
    lt_chunk       one = {.columns = &rows->keys[self->key_count], .column_count = 1, .count = delta->count}, match;
    LT_TRY_NEW_ARRAY(groups, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(slots, arena, count + 1u, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, rows->keys, self->key_count, rows->meeting, count, groups, err));
    LT_TRY(lists_reserve(self, err));
    LT_TRY(lt_chained_rows_add(&self->sides[number].rows, delta, rows->meeting, groups, count, arena, slots, err));
    LT_TRY(slots_reserve(self, number, err));
    self->has_changed = true;
    // Of the new slots alone, each once.
    uint16_t *fresh;
    uint32_t  fresh_count = 0;
    LT_TRY_NEW_ARRAY(fresh, arena, count + 1u, err);
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] != LT_NO_ROW) fresh[fresh_count++] = rows->meeting[i];
    const uint32_t first = order->matches.count;
    LT_TRY(lt_chunk_gather(&one, fresh, fresh_count, arena, &match, err));
    LT_TRY(lt_row_store_append(&order->matches, &match, err));
    for (uint32_t i = 0, at = 0; i < count; i++) {
        if (slots[i] == LT_NO_ROW) continue;
        order->match_of[slots[i]] = first + at++;
        if (number == LEFT) self->partners[slots[i]] = LT_NO_ROW;
        LT_TRY(list_insert(self, order, groups[i], slots[i], err));
    }
    return LEAT_OK;
}

static leat_status right_nulls(const delta_asof_join *self, lt_arena *arena, lt_vector *columns, leat_error *err) {
    for (uint32_t c = 0; c < self->sides[RIGHT].rows.use.width; c++)
        LT_TRY(lt_vector_init_constant_null(&columns[c], self->sides[RIGHT].types[c], arena, err));
    return LEAT_OK;
}

static leat_status lonely_give(lt_node *node, const lt_chunk *delta, const lt_join_rows *rows, lt_batch *batch,
                               leat_error *err) {
    delta_asof_join *self  = node->state;
    const uint32_t   width = self->sides[LEFT].rows.use.width;
    lt_chunk         own, out;
    if (rows->lonely_count == 0 || !node->plan->as.asof_join.is_outer) return LEAT_OK;
    LT_TRY(lt_chunk_gather(delta, rows->lonely, rows->lonely_count, batch->scratch, &own, err));
    out              = own;
    out.column_count = node->plan->column_count;
    LT_TRY_NEW_ARRAY(out.columns, batch->scratch, out.column_count + 1u, err);
    memcpy(out.columns, own.columns, sizeof *own.columns * width);
    LT_TRY(right_nulls(self, batch->scratch, out.columns + width, err));
    return lt_emit(node, &out, batch, err);
}

static leat_status delta_asof_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                        leat_error *err) {
    delta_asof_join *self = node->state;
    lt_join_rows     rows;
    LT_TRY(rows_sort(self, input, delta, batch->scratch, &rows, err));
    LT_TRY(fold(self, input, delta, &rows, batch->scratch, err));
    return input == LEFT ? lonely_give(node, delta, &rows, batch, err) : LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- pairs

typedef struct pairs {
    lt_join_pairs slots;
    bool          gives; // else rows that were saved look for their partners
} pairs;

static leat_status pairs_flush(lt_join_pairs *self, leat_error *err) {
    lt_chunk both;
    if (self->count == 0) return LEAT_OK;
    LT_TRY(lt_join_pairs_gather(self, &both, err));
    LT_TRY(lt_join_pairs_give(self, &both, NULL, self->count, err));
    self->count = 0;
    return LEAT_OK;
}

static leat_status pair_add(pairs *self, uint32_t left, uint32_t right, int64_t weight, leat_error *err) {
    lt_join_pairs *slots = &self->slots;
    if (weight == 0 || !self->gives) return LEAT_OK;
    if (right == LT_NO_ROW && !slots->node->plan->as.asof_join.is_outer) return LEAT_OK;
    if (slots->count == LT_CHUNK_ROWS_MAX) LT_TRY(pairs_flush(slots, err));
    slots->slots[LEFT][slots->count]  = left;
    slots->slots[RIGHT][slots->count] = right;
    slots->weights[slots->count++]    = weight;
    return LEAT_OK;
}

static uint32_t partner_of(const delta_asof_join *self, uint32_t group, uint32_t slot) {
    const asof_order *right      = &self->orders[RIGHT];
    const slot_list  *list       = &right->lists[group];
    const bool        is_forward = self->plan->as.asof_join.is_forward;
    const uint32_t    before =
        slots_before(right, list, &self->orders[LEFT], slot, self->plan->as.asof_join.takes_equal != is_forward);
    if (is_forward ? before == list->count : before == 0) return LT_NO_ROW;
    return list->slots[is_forward ? before : before - 1];
}

static leat_status left_settle(pairs *self, uint32_t group, uint32_t slot, int64_t weight_before, leat_error *err) {
    delta_asof_join *join   = self->slots.node->state;
    const int64_t    weight = lt_chained_rows_weight(&join->sides[LEFT].rows, slot);
    const uint32_t   old = join->partners[slot], now = weight > 0 ? partner_of(join, group, slot) : old;
    join->partners[slot] = now;
    if (old == now) return pair_add(self, slot, now, weight - weight_before, err);
    LT_TRY(pair_add(self, slot, old, -weight_before, err));
    return pair_add(self, slot, now, weight, err);
}

// Left rows between a right row that came or went and its neighbour of now: looking back those from it on to the next
// one, looking ahead those behind the one before up to it.
static leat_status right_settle(pairs *self, uint32_t group, uint32_t slot, leat_error *err) {
    delta_asof_join       *join = self->slots.node->state;
    const asof_order      *left = &join->orders[LEFT], *right = &join->orders[RIGHT];
    const lt_chained_rows *rows  = &join->sides[LEFT].rows;
    const slot_list       *lefts = &left->lists[group], *rights = &right->lists[group];
    const bool             is_forward = join->plan->as.asof_join.is_forward;
    const uint32_t         first      = slots_before(right, rights, right, slot, false),
                   end                = slots_before(right, rights, right, slot, true);
    uint32_t from = 0, to = lefts->count;
    if (is_forward) {
        if (first > 0) from = slots_before(left, lefts, right, rights->slots[first - 1], false);
        to = slots_before(left, lefts, right, slot, true);
    } else {
        from = slots_before(left, lefts, right, slot, false);
        if (end < rights->count) to = slots_before(left, lefts, right, rights->slots[end], true);
    }
    for (uint32_t i = from; i < to; i++) {
        if (lt_chained_rows_is_changed(rows, lefts->slots[i])) continue;
        LT_TRY(left_settle(self, group, lefts->slots[i], lt_chained_rows_weight(rows, lefts->slots[i]), err));
    }
    return LEAT_OK;
}

static leat_status pairs_run(lt_node *node, bool gives, lt_batch *batch, leat_error *err) {
    delta_asof_join *self = node->state;
    lt_chained_rows *left = &self->sides[LEFT].rows, *right = &self->sides[RIGHT].rows;
    pairs            out = {.gives = gives};
    LT_TRY(lt_join_pairs_open(&out.slots, node, self->sides, batch, err));
    for (uint32_t i = 0; i < right->changed_count; i++)
        if (lt_chained_rows_weight(right, right->touches[i].slot) == 0)
            list_remove(self, &self->orders[RIGHT], right->touches[i].group, right->touches[i].slot);
    for (uint32_t i = 0; i < left->changed_count; i++)
        LT_TRY(left_settle(&out, left->touches[i].group, left->touches[i].slot, left->touches[i].weight_before, err));
    for (uint32_t i = 0; i < right->changed_count; i++) {
        const lt_row_touch *entry  = &right->touches[i];
        const int64_t       weight = lt_chained_rows_weight(right, entry->slot);
        if ((weight > 0) != (entry->weight_before > 0)) LT_TRY(right_settle(&out, entry->group, entry->slot, err));
    }
    return pairs_flush(&out.slots, err);
}

// ----------------------------------------------------------------------------------------------------------- end_batch

static leat_status settle(delta_asof_join *self, lt_arena *scratch, leat_error *err) {
    lt_chained_rows *left = &self->sides[LEFT].rows;
    for (uint32_t i = 0; i < left->changed_count; i++)
        if (lt_chained_rows_weight(left, left->touches[i].slot) == 0)
            list_remove(self, &self->orders[LEFT], left->touches[i].group, left->touches[i].slot);
    for (uint32_t s = 0; s < 2; s++) {
        lt_chained_rows *rows = &self->sides[s].rows;
        for (uint32_t i = 0; i < rows->changed_count; i++) {
            const uint32_t group = rows->touches[i].group;
            if (lt_group_table_is_live(&self->groups, group) && self->orders[LEFT].lists[group].count == 0 &&
                self->orders[RIGHT].lists[group].count == 0)
                lt_group_table_remove(&self->groups, group);
        }
    }
    for (uint32_t s = 0; s < 2; s++) {
        LT_TRY(lt_chained_rows_settle(&self->sides[s].rows, err));
        LT_TRY(matches_compact(self, &self->orders[s], scratch, err));
    }
    self->has_changed = false;
    return LEAT_OK;
}

enum { SAVE_COUNTERS = 2 };

static leat_status delta_asof_join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_asof_join *self = node->state;
    if (lt_join_sides_take(self->sides) && !self->has_changed) return LEAT_OK;
    LT_TRY(pairs_run(node, true, batch, err));
    lt_join_sides_count(self->sides, batch);
    for (uint32_t s = 0; node->pipeline->with_state && s < 2; s++)
        for (uint32_t i = 0; i < self->sides[s].rows.changed_count; i++)
            LT_TRY(lt_join_row_save(self->sides, s, self->sides[s].rows.touches[i].slot, &self->changes, err));
    if (node->pipeline->with_state) LT_TRY(lt_join_counters_save(self->sides, SAVE_COUNTERS, &self->changes, err));
    return settle(self, batch->scratch, err);
}

// ---------------------------------------------------------------------------------------------------------- save, load

// Cursor: the side in its high half, the next slot in its low one.
static leat_status delta_asof_join_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                             leat_error *err) {
    delta_asof_join *self         = node->state;
    const size_t     end          = bytes_max > SIZE_MAX - out->bytes ? SIZE_MAX : out->bytes + bytes_max;
    size_t           passed_bytes = 0;
    uint32_t         number = (uint32_t)(*cursor >> 32), slot = (uint32_t)*cursor;
    for (; number <= RIGHT; number++, slot = 0) {
        bool is_done;
        LT_TRY(lt_join_rows_save(self->sides, number, &slot, end, &passed_bytes, &is_done, out, err));
        if (is_done) continue;
        *cursor = (uint64_t)number << 32 | slot;
        return LEAT_OK;
    }
    *cursor = UINT64_MAX;
    return lt_join_counters_save(self->sides, SAVE_COUNTERS, out, err);
}

static leat_status delta_asof_join_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    delta_asof_join *self   = node->state;
    uint64_t         cursor = 0;
    LT_TRY(is_full ? delta_asof_join_save_part(node, &cursor, SIZE_MAX, out, err)
                   : lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

static leat_status load_rows(lt_node *node, lt_reader *in, lt_batch *batch, leat_error *err) {
    delta_asof_join *self = node->state;
    lt_chunk         rows;
    lt_join_rows     sorted;
    uint32_t         number;
    LT_TRY(lt_join_rows_load(self->sides, in, batch->arena, &number, &rows, err));
    LT_TRY(rows_sort(self, number, &rows, batch->arena, &sorted, err));
    LT_TRY(fold(self, number, &rows, &sorted, batch->arena, err));
    LT_TRY(pairs_run(node, false, batch, err));
    return settle(self, batch->scratch, err);
}

static leat_status delta_asof_join_load(lt_node *node, lt_reader *in, leat_error *err) {
    delta_asof_join *self = node->state;
    uint8_t          kind;
    lt_arena         arena, scratch;
    LT_TRY(lt_reader_u8(in, &kind, err));
    if (kind == SAVE_COUNTERS) return lt_join_counters_load(self->sides, in, err);
    if (kind != LT_JOIN_SAVE_ROW)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has a part of kind %u", kind);
    lt_arena_init(&arena, node->pipeline->account);
    lt_arena_init(&scratch, node->pipeline->account);
    lt_batch    batch  = {.arena = &arena, .scratch = &scratch, .evaluation = node->pipeline->evaluation};
    leat_status status = load_rows(node, in, &batch, err);
    lt_arena_deinit(&arena);
    lt_arena_deinit(&scratch);
    return status;
}

static lt_state_size delta_asof_join_size(const lt_node *node) {
    const delta_asof_join *self = node->state;
    lt_state_size          size = {.bytes = lt_group_table_bytes(&self->groups) +
                                            self->groups.live_count * 2 * (sizeof(slot_list) + sizeof(lt_row_chain))};
    for (uint32_t s = 0; s < 2; s++) {
        const uint64_t rows = lt_chained_rows_live(&self->sides[s].rows);
        size.rows += rows;
        size.bytes += lt_chained_rows_bytes(&self->sides[s].rows) + rows * 4 * sizeof(uint32_t);
    }
    return size;
}

static void delta_asof_join_close(lt_node *node) {
    delta_asof_join *self    = node->state;
    lt_account      *account = self->account;
    if (account == NULL) return;
    for (uint32_t s = 0; s < 2; s++) {
        asof_order *order = &self->orders[s];
        for (uint32_t group = 0; group < order->list_capacity; group++)
            lt_account_reallocate(account, order->lists[group].slots, sizeof(uint32_t) * order->lists[group].capacity,
                                  0);
        lt_account_reallocate(account, order->lists, sizeof *order->lists * order->list_capacity, 0);
        lt_account_reallocate(account, order->match_of, sizeof *order->match_of * order->slot_capacity, 0);
        lt_row_store_deinit(&order->matches);
        lt_join_side_close(&self->sides[s]);
    }
    lt_account_reallocate(account, self->partners, sizeof *self->partners * self->orders[LEFT].slot_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_buffer_deinit(&self->changes);
    lt_arena_deinit(&self->arena);
    *self = (delta_asof_join){0};
}

static bool delta_asof_join_serves(const lt_plan *plan) { return plan->as.asof_join.is_of_changes; }

const lt_operator_kind lt_operators_delta_asof_join = {
    .name           = "DeltaAsofJoin",
    .plan_kind      = LT_PLAN_ASOF_JOIN,
    .serves         = delta_asof_join_serves,
    .state_bytes    = sizeof(delta_asof_join),
    .is_incremental = true,
    .open           = delta_asof_join_open,
    .prepare        = delta_asof_join_prepare,
    .push           = delta_asof_join_push,
    .end_batch      = delta_asof_join_end_batch,
    .save           = delta_asof_join_save,
    .load           = delta_asof_join_load,
    .save_part      = delta_asof_join_save_part,
    .size           = delta_asof_join_size,
    .state_name     = "asofJoin",
    .close          = delta_asof_join_close,
};
