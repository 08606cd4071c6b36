#include "exec/state/distinct_values.h"

// Values of a group, chained both ways; 0: none, otherwise an entry + 1.
typedef struct distinct_link {
    uint32_t next, previous;
} distinct_link;

// In memory a key starts with the index of its group as an INT: a tag and four bytes.
enum { GROUP_KEY_BYTES = 5 };

leat_status lt_distinct_init(lt_distinct_values *self, lt_account *account, const lt_type *const *types,
                             uint32_t type_count, uint64_t secret, lt_arena *arena, leat_error *err) {
    const lt_type **all;
    *self = (lt_distinct_values){.is_saved = true};
    LT_TRY_NEW_ARRAY(all, arena, type_count + 1u, err);
    all[0] = lt_type_of(LT_INT);
    for (uint32_t i = 0; i < type_count; i++) all[i + 1] = types[i];
    lt_group_table_init(&self->table, account, all, type_count + 1, secret);
    return lt_distinct_add_set(self, arena, err);
}

leat_status lt_distinct_add_set(lt_distinct_values *self, lt_arena *arena, leat_error *err) {
    lt_assert(self->entry_count == 0);
    LT_TRY_LARGER_ARRAY(self->changes, arena, self->set_count, self->set_count + 1u, err);
    self->set_count++;
    if (self->set_count > 1 && self->row_entries == NULL)
        LT_TRY_NEW_ARRAY(self->row_entries, arena, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

leat_status lt_distinct_add_groups(lt_distinct_values *self, uint32_t first, uint32_t end, leat_error *err) {
    uint32_t capacity = self->first.capacity;
    if (self->stays) return LEAT_OK;
    while (capacity < end) capacity = capacity == 0 ? 64 : capacity * 2;
    LT_TRY(lt_group_array_reserve(&self->first, sizeof(uint32_t), capacity, self->table.account, err));
    if (end > first) memset((uint32_t *)self->first.items + first, 0, sizeof(uint32_t) * (end - first));
    return LEAT_OK;
}

void lt_distinct_begin(lt_distinct_values *self) { memset(self->known_rows, 0, sizeof self->known_rows); }

static distinct_link *link_of(const lt_distinct_values *self, uint32_t entry) {
    return &LT_GROUP_ITEM(&self->links, distinct_link, entry);
}

static int64_t *weights_of(const lt_distinct_values *self, uint32_t entry) {
    return (int64_t *)self->weights.items + (size_t)entry * self->set_count;
}

static leat_status entries_reserve(lt_distinct_values *self, leat_error *err) {
    lt_account    *account = self->table.account;
    const uint32_t count = self->table.group_count, capacity = self->table.group_capacity;
    const size_t   weight_bytes = sizeof(int64_t) * self->set_count;
    LT_TRY(lt_group_array_reserve(&self->weights, weight_bytes, capacity, account, err));
    LT_TRY(lt_group_array_reserve(&self->groups, sizeof(uint32_t), capacity, account, err));
    if (!self->stays) LT_TRY(lt_group_array_reserve(&self->links, sizeof(distinct_link), capacity, account, err));
    if (self->entry_count == count) return LEAT_OK;
    memset(weights_of(self, self->entry_count), 0, weight_bytes * (count - self->entry_count));
    memset(&LT_GROUP_ITEM(&self->groups, uint32_t, self->entry_count), 0,
           sizeof(uint32_t) * (count - self->entry_count));
    self->entry_count = count;
    return LEAT_OK;
}

static void entry_chain(lt_distinct_values *self, uint32_t entry, uint32_t group) {
    uint32_t *owner = &LT_GROUP_ITEM(&self->groups, uint32_t, entry);
    if (*owner != 0) return;
    *owner = group + 1;
    if (self->stays) return;
    distinct_link *link  = link_of(self, entry);
    uint32_t      *first = &LT_GROUP_ITEM(&self->first, uint32_t, group);
    *link                = (distinct_link){.next = *first};
    if (link->next != 0) link_of(self, link->next - 1)->previous = entry + 1;
    *first = entry + 1;
}

static void entry_remove(lt_distinct_values *self, uint32_t entry) {
    uint32_t *owner = &LT_GROUP_ITEM(&self->groups, uint32_t, entry);
    if (!self->stays) {
        distinct_link *link = link_of(self, entry);
        if (link->previous != 0)
            link_of(self, link->previous - 1)->next = link->next;
        else
            LT_GROUP_ITEM(&self->first, uint32_t, *owner - 1) = link->next;
        if (link->next != 0) link_of(self, link->next - 1)->previous = link->previous;
    }
    *owner = 0;
    memset(weights_of(self, entry), 0, sizeof(int64_t) * self->set_count);
    lt_group_table_remove(&self->table, entry);
}

static bool has_weight(const lt_distinct_values *self, uint32_t entry) {
    int64_t any = 0;
    for (uint32_t set = 0; set < self->set_count; set++) any |= weights_of(self, entry)[set];
    return any != 0;
}

static leat_status entries_find(lt_distinct_values *self, const lt_vector *const *values, uint32_t value_count,
                                const uint16_t *rows, const uint32_t *groups, uint32_t count, uint32_t *out_entries,
                                lt_arena *arena, leat_error *err) {
    lt_vector *keys;
    LT_TRY_NEW_ARRAY(keys, arena, value_count + 1u, err);
    LT_TRY(lt_vector_init(&keys[0], lt_type_of(LT_INT), LT_CHUNK_ROWS_MAX, arena, err));
    for (uint32_t i = 0; i < count; i++) LT_LANES(&keys[0], uint32_t)[rows[i]] = groups[i];
    for (uint32_t v = 0; v < value_count; v++) keys[v + 1] = *values[v];
    LT_TRY(lt_group_table_find_or_add(&self->table, keys, value_count + 1, rows, count, out_entries, err));
    return entries_reserve(self, err);
}

// Looks up those rows alone that no set has looked up yet.
static leat_status entries_share(lt_distinct_values *self, const lt_vector *const *values, uint32_t value_count,
                                 const uint16_t *rows, const uint32_t *groups, uint32_t count, uint32_t *out_entries,
                                 lt_arena *arena, leat_error *err) {
    uint16_t *unknown        = lt_arena_alloc(arena, sizeof *unknown * (count + 1u));
    uint32_t *unknown_groups = lt_arena_alloc(arena, sizeof *unknown_groups * (count + 1u)), unknown_count = 0;
    if (unknown == NULL || unknown_groups == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        unknown[unknown_count]        = rows[i];
        unknown_groups[unknown_count] = groups[i];
        unknown_count += (self->known_rows[rows[i] >> 6] >> (rows[i] & 63) & 1) == 0;
    }
    if (unknown_count > 0)
        LT_TRY(
            entries_find(self, values, value_count, unknown, unknown_groups, unknown_count, out_entries, arena, err));
    for (uint32_t i = 0; i < unknown_count; i++) {
        self->row_entries[unknown[i]] = out_entries[i];
        self->known_rows[unknown[i] >> 6] |= (uint64_t)1 << (unknown[i] & 63);
    }
    for (uint32_t i = 0; i < count; i++) out_entries[i] = self->row_entries[rows[i]];
    return LEAT_OK;
}

static leat_status changes_reserve(lt_distinct_values *self, lt_distinct_changes *changes, uint32_t count,
                                   leat_error *err) {
    if (!self->is_saved || changes->capacity - changes->count >= count) return LEAT_OK;
    uint32_t capacity = changes->capacity == 0 ? 64 : changes->capacity;
    while (capacity - changes->count < count) {
        if (capacity > UINT32_MAX / 2) return lt_raise_no_memory(err);
        capacity *= 2;
    }
    uint32_t *entries = lt_account_reallocate(self->table.account, changes->entries,
                                              sizeof *entries * changes->capacity, sizeof *entries * capacity);
    if (entries == NULL) return lt_raise_no_memory(err);
    changes->entries  = entries;
    changes->capacity = capacity;
    return LEAT_OK;
}

leat_status lt_distinct_add(lt_distinct_values *self, uint32_t set, const lt_vector *const *values,
                            uint32_t value_count, const lt_distinct_rows *given, int64_t *out_weights,
                            uint32_t *out_count, lt_arena *arena, leat_error *err) {
    lt_distinct_changes *changes = &self->changes[set];
    uint16_t            *rows    = given->rows;
    uint32_t            *groups = given->groups, *found, kept = 0;
    const int64_t       *weights = given->weights;
    LT_TRY_NEW_ARRAY(found, arena, given->count + 1u, err);
    LT_TRY(self->set_count == 1
               ? entries_find(self, values, value_count, rows, groups, given->count, found, arena, err)
               : entries_share(self, values, value_count, rows, groups, given->count, found, arena, err));
    LT_TRY(changes_reserve(self, changes, given->count, err));
    for (uint32_t i = 0; i < given->count; i++) {
        int64_t *weight = &weights_of(self, found[i])[set], before = *weight;
        int64_t  after = before + (weights == NULL ? 1 : weights[i]);
        if (after < 0)
            return lt_raise(err, LT_INTERNAL_ERROR, NULL,
                            "a DISTINCT value was taken away more often than it was given");
        entry_chain(self, found[i], groups[i]);
        *weight = after;
        if (self->is_saved) changes->entries[changes->count++] = found[i];
        if ((before > 0) == (after > 0)) continue;
        rows[kept]   = rows[i];
        groups[kept] = groups[i];
        if (given->places != NULL) given->places[kept] = given->places[i];
        out_weights[kept++] = after > 0 ? 1 : -1;
    }
    *out_count = kept;
    return LEAT_OK;
}

void lt_distinct_settle(lt_distinct_values *self) {
    for (uint32_t set = 0; set < self->set_count; set++) {
        lt_distinct_changes *changes = &self->changes[set];
        for (uint32_t k = 0; !self->stays && k < changes->count; k++) {
            const uint32_t entry = changes->entries[k];
            if (LT_GROUP_ITEM(&self->groups, uint32_t, entry) != 0 && !has_weight(self, entry))
                entry_remove(self, entry);
        }
        changes->count = 0;
    }
}

void lt_distinct_remove_group(lt_distinct_values *self, uint32_t group) {
    lt_assert(!self->stays);
    while (LT_GROUP_ITEM(&self->first, uint32_t, group) != 0)
        entry_remove(self, LT_GROUP_ITEM(&self->first, uint32_t, group) - 1);
}

bool lt_distinct_group(const lt_distinct_values *self, uint32_t entry, uint32_t *out_group) {
    *out_group = LT_GROUP_ITEM(&self->groups, uint32_t, entry) - 1;
    return LT_GROUP_ITEM(&self->groups, uint32_t, entry) != 0;
}

leat_status lt_distinct_save(lt_distinct_values *self, uint32_t set, uint32_t entry, lt_buffer *out, leat_error *err) {
    lt_buffer *key = &self->table.scratch;
    lt_buffer_reset(key);
    LT_TRY(lt_group_table_key(&self->table, entry, key, err));
    LT_TRY(lt_buffer_append_bytes(out, key->data + GROUP_KEY_BYTES, key->bytes - GROUP_KEY_BYTES, err));
    return lt_buffer_append_u64(out, (uint64_t)lt_distinct_weight(self, set, entry), err);
}

leat_status lt_distinct_load(lt_distinct_values *self, uint32_t set, uint32_t group, const char *values, size_t count,
                             int64_t weight, leat_error *err) {
    lt_buffer *key = &self->table.scratch;
    uint32_t   entry;
    lt_buffer_reset(key);
    LT_TRY(lt_buffer_append_byte(key, (char)LT_INT, err));
    LT_TRY(lt_buffer_append(key, &group, sizeof group, err));
    LT_TRY(lt_buffer_append(key, values, count, err));
    LT_TRY(lt_group_table_add_bytes(&self->table, key->data, key->bytes, &entry, err));
    LT_TRY(entries_reserve(self, err));
    entry_chain(self, entry, group);
    weights_of(self, entry)[set] = weight > 0 ? weight : 0;
    if (!has_weight(self, entry)) entry_remove(self, entry);
    return LEAT_OK;
}

uint64_t lt_distinct_bytes(const lt_distinct_values *self) {
    const size_t a_value =
        sizeof(int64_t) * self->set_count + sizeof(uint32_t) + (self->stays ? 0 : sizeof(distinct_link));
    return lt_group_table_bytes(&self->table) + (uint64_t)self->table.live_count * a_value;
}

void lt_distinct_deinit(lt_distinct_values *self) {
    lt_account *account = self->table.account;
    if (account == NULL) return;
    lt_group_array_deinit(&self->weights, sizeof(int64_t) * self->set_count, account);
    lt_group_array_deinit(&self->groups, sizeof(uint32_t), account);
    lt_group_array_deinit(&self->links, sizeof(distinct_link), account);
    lt_group_array_deinit(&self->first, sizeof(uint32_t), account);
    for (uint32_t set = 0; self->changes != NULL && set < self->set_count; set++)
        lt_account_reallocate(account, self->changes[set].entries,
                              sizeof *self->changes[set].entries * self->changes[set].capacity, 0);
    lt_group_table_deinit(&self->table);
    *self = (lt_distinct_values){.stays = false};
}
