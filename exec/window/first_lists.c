#include "exec/window/first_lists.h"

#include "exec/state/ordered_rows.h"
#include "exec/state/sort_order.h"

enum {
    WANTED_MAX    = 64, // of a partition: they are moved one by one
    DEAD_ROWS_MIN = 4096,
    ENTRIES_MIN   = 64,
    ENTRIES_MAX   = 0x7fffffff
};

lt_first_rank lt_first_lists_rank_of(const lt_window_call *call) {
    static const char *const names[] = {"row_number", "rank", "dense_rank"};
    uint32_t                 rank    = 0;
    while (rank < LT_FIRST_RANKS && strcmp(call->call.aggregate->name, names[rank]) != 0) rank++;
    return (lt_first_rank)rank;
}

bool lt_first_lists_serve(const lt_plan *plan) {
    const lt_top       *top   = &plan->as.window.top;
    const lt_properties below = plan->inputs[0]->properties;
    if (below.is_streaming && !(plan->as.window.is_by_partition && below.is_append_only)) return false;
    if (top->count < 1 || top->count > WANTED_MAX || top->offset != 0 || top->is_ordering) return false;
    for (uint32_t i = 0; i < plan->as.window.call_count; i++)
        if (lt_first_lists_rank_of(&plan->as.window.calls[i]) == LT_FIRST_RANKS) return false;
    return top->rank != LT_TOP_DENSE_RANK && plan->as.window.call_count > 0;
}

leat_status lt_first_lists_init(lt_first_lists *self, const lt_first_use *use, lt_account *account, leat_error *err) {
    const lt_kind kind = use->order_count > 0 ? use->order[0].expression->type->kind : LT_VOID;
    *self              = (lt_first_lists){.account = account, .use = *use};
    self->is_exact     = use->order_count == 0 || (use->order_count == 1 && lt_sort_has_prefix(kind) &&
                                               !lt_kind_is_bytes(kind) && kind != LT_DECIMAL);
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->other_scratch, account, 0);
    return lt_row_store_init(&self->rows, use->types, use->width, account, err);
}

leat_status lt_first_lists_reserve(lt_first_lists *self, uint32_t group_capacity, leat_error *err) {
    if (self->list_capacity >= group_capacity) return LEAT_OK;
    lt_account_array lists = {self->lists, sizeof *self->lists};
    LT_TRY(lt_account_grow(self->account, &lists, 1, self->list_capacity, group_capacity, err));
    self->lists         = lists.memory;
    self->list_capacity = group_capacity;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- keys

// `column`: flat or constant.
static leat_status prefixes_fill(const lt_sort_key *key, const lt_vector *column, uint32_t count, lt_first_keys *out,
                                 leat_error *err) {
    const bool has_prefix = lt_sort_has_prefix(column->type->kind);
    uint32_t  *rows, valued = 0;
    uint64_t  *prefixes;
    memset(out->null_orders, 1, count);
    if (column->validity == NULL && column->type->kind != LT_VOID) {
        if (has_prefix) lt_sort_prefixes(column, key->is_descending, NULL, count, 0, out->prefixes, 1);
        return LEAT_OK;
    }
    LT_TRY_NEW_ARRAY(rows, out->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(prefixes, out->arena, count + 1u, err);
    for (uint32_t row = 0; row < count; row++) {
        if (lt_vector_is_null(column, row))
            out->null_orders[row] = key->is_nulls_first ? 0 : 2;
        else
            rows[valued++] = row;
    }
    if (!has_prefix) return LEAT_OK;
    lt_sort_prefixes(column, key->is_descending, rows, valued, 0, prefixes, 1);
    for (uint32_t i = 0; i < valued; i++) out->prefixes[rows[i]] = prefixes[i];
    return LEAT_OK;
}

leat_status lt_first_lists_keys(lt_first_lists *self, const lt_vector *const *columns, uint32_t count, lt_arena *arena,
                                lt_first_keys *out, leat_error *err) {
    *out = (lt_first_keys){.columns = columns, .arena = arena};
    LT_TRY_NEW_ARRAY(out->prefixes, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->null_orders, arena, count + 1u, err);
    if (!self->is_exact) LT_TRY_NEW_ARRAY(out->bytes, arena, count + 1u, err);
    if (self->use.order_count == 0) return LEAT_OK;
    const lt_vector *column;
    LT_TRY(lt_vector_unpack(columns[0], count, arena, &column, err));
    return prefixes_fill(&self->use.order[0], column, count, out, err);
}

static leat_status key_build(lt_first_lists *self, const lt_first_keys *keys, uint32_t row, leat_error *err) {
    if (self->is_exact || keys->bytes[row].bytes != NULL) return LEAT_OK;
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_sort_key_bytes(keys->columns, self->use.order, self->use.order_count, row, &self->scratch, err));
    char *bytes = lt_arena_alloc(keys->arena, self->scratch.bytes);
    if (bytes == NULL) return lt_raise_no_memory(err);
    memcpy(bytes, self->scratch.data, self->scratch.bytes);
    keys->bytes[row] = (lt_first_key){bytes, self->scratch.bytes};
    return LEAT_OK;
}

static const lt_first_key *key_of(const lt_first_lists *self, const lt_first_keys *keys, const lt_first_entry *entry) {
    return entry->is_pending ? &keys->bytes[entry->row] : &self->keys[entry->row];
}

static int prefix_compare(const lt_first_entry *a, const lt_first_entry *b) {
    if (a->null_order != b->null_order) return a->null_order < b->null_order ? -1 : 1;
    return (a->prefix > b->prefix) - (a->prefix < b->prefix);
}

// Both have bytes, unless prefixes tell. keys: NULL when none is pending.
static int key_compare(const lt_first_lists *self, const lt_first_keys *keys, const lt_first_entry *a,
                       const lt_first_entry *b) {
    const int order = prefix_compare(a, b);
    if (order != 0 || self->is_exact) return order;
    const lt_first_key *x = key_of(self, keys, a), *y = key_of(self, keys, b);
    const int           bytes = memcmp(x->bytes, y->bytes, x->count < y->count ? x->count : y->count);
    return bytes != 0 ? bytes : (x->count > y->count) - (x->count < y->count);
}

bool lt_first_lists_are_peers(const lt_first_lists *self, const lt_first_entry *a, const lt_first_entry *b) {
    return key_compare(self, NULL, a, b) == 0;
}

static leat_status keys_store(lt_first_lists *self, const lt_first_key *keys, uint32_t count, uint32_t first,
                              lt_arena *arena, leat_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        char *bytes = lt_arena_alloc(arena, keys[i].count);
        LT_TRY_GROW(self->keys, self->account, first + i, self->key_capacity, ENTRIES_MIN, err);
        if (bytes == NULL) return lt_raise_no_memory(err);
        memcpy(bytes, keys[i].bytes, keys[i].count);
        self->keys[first + i] = (lt_first_key){bytes, keys[i].count};
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- lists

static uint32_t room_class(uint32_t room) { return 31 - (uint32_t)__builtin_clz(room); }

static leat_status room_take(lt_first_lists *self, uint32_t room, uint32_t *out_first, leat_error *err) {
    uint32_t *free = &self->free_entries[room_class(room)];
    if (*free != 0) {
        *out_first = *free - 1;
        *free      = self->entries[*out_first].row;
        return LEAT_OK;
    }
    if (room > ENTRIES_MAX - self->entry_count)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than two billion rows to keep");
    while (self->entry_capacity < self->entry_count + room)
        LT_TRY_GROW(self->entries, self->account, self->entry_capacity, self->entry_capacity, ENTRIES_MIN, err);
    *out_first = self->entry_count;
    self->entry_count += room;
    return LEAT_OK;
}

static void room_give(lt_first_lists *self, uint32_t first, uint32_t room) {
    if (room == 0) return;
    uint32_t *free           = &self->free_entries[room_class(room)];
    self->entries[first].row = *free;
    *free                    = first + 1;
}

static leat_status list_grow(lt_first_lists *self, lt_first_list *list, leat_error *err) {
    uint32_t       first;
    const uint32_t room = list->room == 0 ? 1 : list->room * 2;
    LT_TRY(room_take(self, room, &first, err));
    if (list->count > 0)
        memcpy(self->entries + first, self->entries + list->first, sizeof *self->entries * list->count);
    room_give(self, list->first, list->room);
    list->first = first;
    list->room  = room;
    return LEAT_OK;
}

// Entries from `count` on go. pending (may be NULL): how often each row of the chunk is wanted.
static void list_cut(lt_first_lists *self, lt_first_list *list, uint32_t count, uint32_t *pending) {
    const lt_first_entry *entries = self->entries + list->first;
    for (uint32_t i = count; i < list->count; i++) {
        if (!entries[i].is_pending) continue;
        list->pending--;
        pending[entries[i].row]--;
    }
    self->live -= list->count - count;
    list->count = count;
}

static bool is_behind(const lt_first_lists *self, const lt_first_keys *keys, const lt_first_entry *a,
                      const lt_first_entry *b) {
    const int order = key_compare(self, keys, a, b);
    return order != 0 ? order > 0 : a->place >= b->place;
}

// Behind all that come before it or are equal to it.
static leat_status list_insert(lt_first_lists *self, lt_first_list *list, const lt_first_keys *keys,
                               const lt_first_entry *entry, leat_error *err) {
    if (list->count == list->room) LT_TRY(list_grow(self, list, err));
    lt_first_entry *entries = self->entries + list->first;
    uint32_t        low = 0, high = list->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_behind(self, keys, entry, &entries[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(entries + low + 1, entries + low, sizeof *entries * (list->count - low));
    entries[low] = *entry;
    list->count++;
    self->live++;
    return LEAT_OK;
}

static leat_status list_touch(lt_first_lists *self, uint32_t group, leat_error *err) {
    lt_first_list *list = &self->lists[group];
    if (list->touch != 0) return LEAT_OK;
    LT_TRY_GROW(self->touches, self->account, self->touch_count, self->touch_capacity, ENTRIES_MIN, err);
    while (self->before_capacity < self->before_count + (uint64_t)list->count)
        LT_TRY_GROW(self->before, self->account, self->before_capacity, self->before_capacity, ENTRIES_MIN, err);
    if (list->count > 0)
        memcpy(self->before + self->before_count, self->entries + list->first, sizeof *self->before * list->count);
    self->touches[self->touch_count++] =
        (lt_first_touch){.group = group, .before_first = self->before_count, .before_count = list->count};
    self->before_count += list->count;
    list->touch = self->touch_count;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- adding

// Whether the list is full and the entry stands behind all of it.
static leat_status is_unwanted(lt_first_lists *self, const lt_first_list *list, const lt_first_keys *keys,
                               const lt_first_entry *entry, bool *out, leat_error *err) {
    *out = false;
    if (list->count < self->use.wanted) return LEAT_OK;
    const lt_first_entry *last  = &self->entries[list->first + list->count - 1];
    int                   order = prefix_compare(entry, last);
    if (order == 0 && !self->is_exact) {
        LT_TRY(key_build(self, keys, entry->row, err));
        order = key_compare(self, keys, entry, last);
    }
    *out = order > 0 || (order == 0 && !self->use.has_ties && entry->place >= last->place);
    return LEAT_OK;
}

static leat_status entry_add(lt_first_lists *self, uint32_t group, const lt_first_keys *keys,
                             const lt_first_entry *entry, uint32_t *pending, leat_error *err) {
    lt_first_list *list   = &self->lists[group];
    const uint32_t wanted = self->use.wanted;
    LT_TRY(list_touch(self, group, err));
    LT_TRY(key_build(self, keys, entry->row, err));
    if (!self->use.has_ties && list->count == wanted) list_cut(self, list, wanted - 1, pending);
    LT_TRY(list_insert(self, list, keys, entry, err));
    list->pending++;
    pending[entry->row]++;
    if (list->count <= wanted) return LEAT_OK;
    // What stands behind the wanted ones is equal to the last of them, or was until now.
    const lt_first_entry *entries = self->entries + list->first;
    if (key_compare(self, keys, &entries[wanted - 1], &entries[wanted]) != 0) list_cut(self, list, wanted, pending);
    return LEAT_OK;
}

// Rows of the chunk that are still wanted move to the store.
static leat_status pending_store(lt_first_lists *self, const lt_chunk *chunk, const uint32_t *groups,
                                 const uint32_t *pending, const lt_first_keys *keys, leat_error *err) {
    uint16_t     *rows;
    uint32_t     *stored, count = 0;
    lt_first_key *bytes = NULL;
    LT_TRY_NEW_ARRAY(rows, keys->arena, chunk->count + 1u, err);
    LT_TRY_NEW_ARRAY(stored, keys->arena, chunk->count + 1u, err);
    if (!self->is_exact) LT_TRY_NEW_ARRAY(bytes, keys->arena, chunk->count + 1u, err);
    for (uint32_t row = 0; row < chunk->count; row++) {
        if (pending[row] == 0) continue;
        if (!self->is_exact) bytes[count] = keys->bytes[row];
        stored[row]   = self->rows.count + count;
        rows[count++] = (uint16_t)row;
    }
    if (!self->is_exact) LT_TRY(keys_store(self, bytes, count, self->rows.count, &self->rows.arena, err));
    lt_chunk bare = *chunk;
    bare.places   = NULL;
    LT_TRY(lt_row_store_append_rows(&self->rows, &bare, rows, count, err));
    for (uint32_t i = 0; i < count; i++) {
        lt_first_list *list = &self->lists[groups[rows[i]]];
        for (uint32_t at = list->count; list->pending > 0; at--) {
            lt_first_entry *entry = &self->entries[list->first + at - 1];
            if (!entry->is_pending) continue;
            entry->row        = stored[entry->row];
            entry->is_pending = false;
            list->pending--;
        }
    }
    return LEAT_OK;
}

leat_status lt_first_lists_add(lt_first_lists *self, const lt_chunk *chunk, const uint32_t *groups,
                               const int64_t *places, const lt_first_keys *keys, leat_error *err) {
    uint32_t *pending;
    LT_TRY_NEW_ARRAY(pending, keys->arena, chunk->count + 1u, err);
    for (uint32_t row = 0; row < chunk->count; row++) {
        const lt_first_entry entry  = {.prefix     = keys->prefixes[row],
                                       .place      = places[row],
                                       .row        = row,
                                       .null_order = keys->null_orders[row],
                                       .is_pending = true,
                                       .is_fresh   = true};
        const int64_t        weight = lt_chunk_weight(chunk, row);
        bool                 is_rest;
        if (weight < 0) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row goes from an input that only grows");
        for (int64_t copy = 0; copy < weight; copy++) {
            LT_TRY(is_unwanted(self, &self->lists[groups[row]], keys, &entry, &is_rest, err));
            if (is_rest) break;
            LT_TRY(entry_add(self, groups[row], keys, &entry, pending, err));
        }
    }
    return pending_store(self, chunk, groups, pending, keys, err);
}

leat_status lt_first_lists_settle(lt_first_lists *self, uint32_t group_count, leat_error *err) {
    for (uint32_t t = 0; t < self->touch_count; t++) {
        lt_first_list *list = &self->lists[self->touches[t].group];
        for (uint32_t i = 0; i < list->count; i++) self->entries[list->first + i].is_fresh = false;
        list->touch = 0;
    }
    self->touch_count = self->before_count = 0;
    return lt_first_lists_compact(self, group_count, err);
}

// ----------------------------------------------------------------------------------------------------------- compacting

// Rows on their way from one store to the other.
typedef struct move {
    lt_first_lists *lists;
    lt_row_store    into;
    uint32_t       *new_rows; // by old row, + 1; 0: has not moved
    uint32_t       *old_rows, count;
    lt_arena        arena; // of a chunk
    uint32_t        moved;
} move;

static leat_status move_flush(move *self, leat_error *err) {
    lt_first_lists *lists = self->lists;
    lt_chunk        chunk;
    if (self->count == 0) return LEAT_OK;
    LT_TRY(lt_row_store_gather(&lists->rows, self->old_rows, self->count, &self->arena, &chunk, err));
    chunk.places = NULL;
    LT_TRY(lt_row_store_append(&self->into, &chunk, err));
    lt_arena_reset(&self->arena);
    LT_TRY_NEW_ARRAY(self->old_rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    self->count = 0;
    return LEAT_OK;
}

static leat_status entries_move(move *self, lt_first_entry *entries, uint32_t count, leat_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *new_row = &self->new_rows[entries[i].row];
        if (*new_row == 0) {
            *new_row                      = ++self->moved;
            self->old_rows[self->count++] = entries[i].row;
            if (self->count == LT_CHUNK_ROWS_MAX) LT_TRY(move_flush(self, err));
        }
        entries[i].row = *new_row - 1;
    }
    return LEAT_OK;
}

// Bytes of keys go to the new arena, in any order.
static leat_status keys_move(move *self, uint32_t old_count, leat_error *err) {
    lt_first_lists *lists = self->lists;
    lt_first_key   *keys  = lt_account_reallocate(lists->account, NULL, 0, sizeof *keys * lists->key_capacity);
    if (keys == NULL && lists->key_capacity > 0) return lt_raise_no_memory(err);
    leat_status status = LEAT_OK;
    for (uint32_t row = 0; status == LEAT_OK && row < old_count; row++) {
        if (self->new_rows[row] == 0) continue;
        const lt_first_key *key   = &lists->keys[row];
        char               *bytes = lt_arena_alloc(&self->into.arena, key->count);
        if (bytes == NULL) {
            status = lt_raise_no_memory(err);
            break;
        }
        memcpy(bytes, key->bytes, key->count);
        keys[self->new_rows[row] - 1] = (lt_first_key){bytes, key->count};
    }
    lt_account_reallocate(lists->account, status == LEAT_OK ? lists->keys : keys, sizeof *keys * lists->key_capacity,
                          0);
    if (status == LEAT_OK) lists->keys = keys;
    return status;
}

static leat_status move_all(move *self, uint32_t group_count, leat_error *err) {
    lt_first_lists *lists = self->lists;
    LT_TRY(lt_row_store_init(&self->into, lists->use.types, lists->use.width, lists->account, err));
    LT_TRY_NEW_ARRAY(self->old_rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t group = 0; group < group_count; group++)
        LT_TRY(entries_move(self, lists->entries + lists->lists[group].first, lists->lists[group].count, err));
    LT_TRY(entries_move(self, lists->before, lists->before_count, err));
    LT_TRY(move_flush(self, err));
    return lists->is_exact ? LEAT_OK : keys_move(self, lists->rows.count, err);
}

leat_status lt_first_lists_compact(lt_first_lists *self, uint32_t group_count, leat_error *err) {
    if (self->rows.count < DEAD_ROWS_MIN + 2 * (self->live + self->before_count)) return LEAT_OK;
    const size_t bytes = sizeof(uint32_t) * self->rows.count;
    move         all   = {.lists = self, .new_rows = lt_account_reallocate(self->account, NULL, 0, bytes)};
    if (all.new_rows == NULL) return lt_raise_no_memory(err);
    memset(all.new_rows, 0, bytes);
    lt_arena_init(&all.arena, self->account);
    leat_status status = move_all(&all, group_count, err);
    lt_arena_deinit(&all.arena);
    lt_account_reallocate(self->account, all.new_rows, bytes, 0);
    if (status != LEAT_OK) {
        lt_row_store_deinit(&all.into);
        return status;
    }
    lt_row_store_deinit(&self->rows);
    self->rows = all.into;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------- restoring

static leat_status has_bytes(lt_first_lists *self, const lt_first_entry *entry, bool *out, leat_error *err) {
    lt_buffer_reset(&self->other_scratch);
    LT_TRY(lt_row_encode(self->rows.columns, self->use.width, entry->row, false, &self->other_scratch, err));
    *out = self->scratch.bytes == self->other_scratch.bytes &&
           memcmp(self->scratch.data, self->other_scratch.data, self->scratch.bytes) == 0;
    return LEAT_OK;
}

// Entries of the key and place of `entry`: from *out_first on.
static uint32_t equals_of(const lt_first_lists *self, const lt_first_list *list, const lt_first_entry *entry,
                          uint32_t *out_first) {
    const lt_first_entry *entries = self->entries + list->first;
    uint32_t              low = 0, high = list->count, count = 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_behind(self, NULL, &entries[middle], entry))
            high = middle;
        else
            low = middle + 1;
    }
    for (; low + count < list->count && entries[low + count].place == entry->place &&
           key_compare(self, NULL, &entries[low + count], entry) == 0;)
        count++;
    *out_first = low;
    return count;
}

// Leaves the bytes of `entry` in scratch. *out_last: the last of the equal ones.
static leat_status copies_find(lt_first_lists *self, uint32_t group, const lt_first_entry *entry, uint32_t *out_copies,
                               uint32_t *out_last, leat_error *err) {
    const lt_first_list *list = &self->lists[group];
    uint32_t             first;
    const uint32_t       count = equals_of(self, list, entry, &first);
    *out_copies                = 0;
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(self->rows.columns, self->use.width, entry->row, false, &self->scratch, err));
    for (uint32_t i = first; i < first + count; i++) {
        const lt_first_entry *other   = &self->entries[list->first + i];
        bool                  is_same = other->row == entry->row;
        if (!is_same) LT_TRY(has_bytes(self, other, &is_same, err));
        if (!is_same) continue;
        ++*out_copies;
        *out_last = i;
    }
    return LEAT_OK;
}

leat_status lt_first_lists_copies(lt_first_lists *self, uint32_t group, const lt_first_entry *entry,
                                  uint32_t *out_copies, leat_error *err) {
    uint32_t last;
    return copies_find(self, group, entry, out_copies, &last, err);
}

leat_status lt_first_lists_restore(lt_first_lists *self, const lt_chunk *chunk, const uint32_t *groups,
                                   const int64_t *places, const uint32_t *copies, const lt_first_keys *keys,
                                   leat_error *err) {
    const uint32_t first = self->rows.count;
    for (uint32_t row = 0; row < chunk->count; row++) LT_TRY(key_build(self, keys, row, err));
    if (!self->is_exact) LT_TRY(keys_store(self, keys->bytes, chunk->count, first, &self->rows.arena, err));
    LT_TRY(lt_row_store_append(&self->rows, chunk, err));
    for (uint32_t row = 0; row < chunk->count; row++) {
        const lt_first_entry entry = {.prefix     = keys->prefixes[row],
                                      .place      = places[row],
                                      .row        = first + row,
                                      .null_order = keys->null_orders[row]};
        lt_first_list       *list  = &self->lists[groups[row]];
        uint32_t             present, last = 0;
        LT_TRY(copies_find(self, groups[row], &entry, &present, &last, err));
        for (; present < copies[row]; present++) LT_TRY(list_insert(self, list, NULL, &entry, err));
        for (; present > copies[row]; present--) {
            lt_first_entry *entries = self->entries + list->first;
            memmove(entries + last, entries + last + 1, sizeof *entries * (list->count - last - 1));
            list->count--;
            self->live--;
            if (present > copies[row] + 1) LT_TRY(copies_find(self, groups[row], &entry, &(uint32_t){0}, &last, err));
        }
    }
    return LEAT_OK;
}

uint64_t lt_first_lists_bytes(const lt_first_lists *self) {
    uint64_t bytes = self->rows.arena.used_bytes + sizeof *self->entries * self->entry_count +
                     (self->is_exact ? 0 : sizeof *self->keys * self->rows.count);
    for (uint32_t c = 0; c < self->use.width; c++)
        bytes += lt_kind_lane_bytes(self->rows.columns[c].type->kind) * self->rows.count;
    return bytes;
}

void lt_first_lists_deinit(lt_first_lists *self) {
    lt_account *account = self->account;
    if (account == NULL) return;
    lt_row_store_deinit(&self->rows);
    lt_account_reallocate(account, self->keys, sizeof *self->keys * self->key_capacity, 0);
    lt_account_reallocate(account, self->lists, sizeof *self->lists * self->list_capacity, 0);
    lt_account_reallocate(account, self->entries, sizeof *self->entries * self->entry_capacity, 0);
    lt_account_reallocate(account, self->touches, sizeof *self->touches * self->touch_capacity, 0);
    lt_account_reallocate(account, self->before, sizeof *self->before * self->before_capacity, 0);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->other_scratch);
    *self = (lt_first_lists){0};
}
