#include "exec/state/distinct_values.h"

// Values of a group, chained both ways; 0: none, otherwise an entry + 1.
typedef struct distinct_link {
    uint32_t group, next, previous; // group + 1; 0: the entry is in no chain
} distinct_link;

// In memory a key starts with the index of its group as an INT: a tag and four bytes.
enum { GROUP_KEY_BYTES = 5 };

leat_status lt_distinct_init(lt_distinct_values *self, lt_account *account, const lt_type *const *types,
                             uint32_t type_count, uint64_t secret, lt_arena *arena, leat_error *err) {
    const lt_type **all;
    *self = (lt_distinct_values){0};
    LT_TRY_NEW_ARRAY(all, arena, type_count + 1u, err);
    all[0] = lt_type_of(LT_INT);
    for (uint32_t i = 0; i < type_count; i++) all[i + 1] = types[i];
    lt_group_table_init(&self->table, account, all, type_count + 1, secret);
    return LEAT_OK;
}

leat_status lt_distinct_add_groups(lt_distinct_values *self, uint32_t first, uint32_t end, leat_error *err) {
    uint32_t capacity = self->first.capacity;
    while (capacity < end) capacity = capacity == 0 ? 64 : capacity * 2;
    LT_TRY(lt_group_array_reserve(&self->first, sizeof(uint32_t), capacity, self->table.account, err));
    if (end > first) memset((uint32_t *)self->first.items + first, 0, sizeof(uint32_t) * (end - first));
    return LEAT_OK;
}

static distinct_link *link_of(const lt_distinct_values *self, uint32_t entry) {
    return &LT_GROUP_ITEM(&self->links, distinct_link, entry);
}

static leat_status entries_reserve(lt_distinct_values *self, leat_error *err) {
    lt_account *account = self->table.account;
    uint32_t    count   = self->table.group_count;
    LT_TRY(lt_group_array_reserve(&self->weights, sizeof(int64_t), self->table.group_capacity, account, err));
    LT_TRY(lt_group_array_reserve(&self->links, sizeof(distinct_link), self->table.group_capacity, account, err));
    for (; self->entry_count < count; self->entry_count++) {
        LT_GROUP_ITEM(&self->weights, int64_t, self->entry_count) = 0;
        *link_of(self, self->entry_count)                         = (distinct_link){0};
    }
    return LEAT_OK;
}

static void entry_chain(lt_distinct_values *self, uint32_t entry, uint32_t group) {
    distinct_link *link  = link_of(self, entry);
    uint32_t      *first = &LT_GROUP_ITEM(&self->first, uint32_t, group);
    if (link->group != 0) return;
    *link = (distinct_link){.group = group + 1, .next = *first};
    if (link->next != 0) link_of(self, link->next - 1)->previous = entry + 1;
    *first = entry + 1;
}

static void entry_remove(lt_distinct_values *self, uint32_t entry) {
    distinct_link *link = link_of(self, entry);
    if (link->previous != 0)
        link_of(self, link->previous - 1)->next = link->next;
    else
        LT_GROUP_ITEM(&self->first, uint32_t, link->group - 1) = link->next;
    if (link->next != 0) link_of(self, link->next - 1)->previous = link->previous;
    *link                                         = (distinct_link){0};
    LT_GROUP_ITEM(&self->weights, int64_t, entry) = 0;
    lt_group_table_remove(&self->table, entry);
}

leat_status lt_distinct_add(lt_distinct_values *self, const lt_vector *const *values, uint32_t value_count,
                            uint16_t *rows, uint32_t *groups, int64_t *places, const int64_t *weights, uint32_t count,
                            int64_t *out_weights, uint32_t *out_count, lt_arena *arena, leat_error *err) {
    lt_vector *keys;
    uint32_t  *found, kept = 0;
    LT_TRY_NEW_ARRAY(keys, arena, value_count + 1u, err);
    LT_TRY_NEW_ARRAY(found, arena, count + 1u, err);
    LT_TRY(lt_vector_init(&keys[0], lt_type_of(LT_INT), LT_CHUNK_ROWS_MAX, arena, err));
    for (uint32_t i = 0; i < count; i++) LT_LANES(&keys[0], uint32_t)[rows[i]] = groups[i];
    for (uint32_t v = 0; v < value_count; v++) keys[v + 1] = *values[v];
    LT_TRY(lt_group_table_find_or_add(&self->table, keys, value_count + 1, rows, count, found, err));
    LT_TRY(entries_reserve(self, err));
    for (uint32_t i = 0; i < count; i++) {
        int64_t *weight = &LT_GROUP_ITEM(&self->weights, int64_t, found[i]), before = *weight;
        int64_t  after = before + (weights == NULL ? 1 : weights[i]);
        if (after < 0)
            return lt_raise(err, LT_INTERNAL_ERROR, NULL,
                            "a DISTINCT value was taken away more often than it was given");
        entry_chain(self, found[i], groups[i]);
        *weight = after;
        LT_TRY_GROW(self->changed, self->table.account, self->changed_count, self->changed_capacity, 64, err);
        self->changed[self->changed_count++] = found[i];
        if ((before > 0) == (after > 0)) continue;
        rows[kept]   = rows[i];
        groups[kept] = groups[i];
        if (places != NULL) places[kept] = places[i];
        out_weights[kept++] = after > 0 ? 1 : -1;
    }
    *out_count = kept;
    return LEAT_OK;
}

void lt_distinct_settle(lt_distinct_values *self) {
    for (uint32_t k = 0; k < self->changed_count; k++) {
        uint32_t entry = self->changed[k];
        if (link_of(self, entry)->group != 0 && LT_GROUP_ITEM(&self->weights, int64_t, entry) == 0)
            entry_remove(self, entry);
    }
    self->changed_count = 0;
}

void lt_distinct_remove_group(lt_distinct_values *self, uint32_t group) {
    while (LT_GROUP_ITEM(&self->first, uint32_t, group) != 0)
        entry_remove(self, LT_GROUP_ITEM(&self->first, uint32_t, group) - 1);
}

bool lt_distinct_group(const lt_distinct_values *self, uint32_t entry, uint32_t *out_group) {
    *out_group = link_of(self, entry)->group - 1;
    return link_of(self, entry)->group != 0;
}

leat_status lt_distinct_save(lt_distinct_values *self, uint32_t entry, lt_buffer *out, leat_error *err) {
    lt_buffer *key = &self->table.scratch;
    lt_buffer_reset(key);
    LT_TRY(lt_group_table_key(&self->table, entry, key, err));
    LT_TRY(lt_buffer_append_bytes(out, key->data + GROUP_KEY_BYTES, key->bytes - GROUP_KEY_BYTES, err));
    return lt_buffer_append_u64(out, (uint64_t)LT_GROUP_ITEM(&self->weights, int64_t, entry), err);
}

leat_status lt_distinct_load(lt_distinct_values *self, uint32_t group, const char *values, size_t count, int64_t weight,
                             leat_error *err) {
    lt_buffer *key = &self->table.scratch;
    uint32_t   entry;
    lt_buffer_reset(key);
    LT_TRY(lt_buffer_append_byte(key, (char)LT_INT, err));
    LT_TRY(lt_buffer_append(key, &group, sizeof group, err));
    LT_TRY(lt_buffer_append(key, values, count, err));
    LT_TRY(lt_group_table_add_bytes(&self->table, key->data, key->bytes, &entry, err));
    LT_TRY(entries_reserve(self, err));
    entry_chain(self, entry, group);
    LT_GROUP_ITEM(&self->weights, int64_t, entry) = weight;
    if (weight <= 0) entry_remove(self, entry);
    return LEAT_OK;
}

uint64_t lt_distinct_bytes(const lt_distinct_values *self) {
    return lt_group_table_bytes(&self->table) +
           (uint64_t)self->table.live_count * (sizeof(int64_t) + sizeof(distinct_link));
}

void lt_distinct_deinit(lt_distinct_values *self) {
    lt_account *account = self->table.account;
    lt_group_array_deinit(&self->weights, sizeof(int64_t), account);
    lt_group_array_deinit(&self->links, sizeof(distinct_link), account);
    lt_group_array_deinit(&self->first, sizeof(uint32_t), account);
    lt_account_reallocate(account, self->changed, sizeof *self->changed * self->changed_capacity, 0);
    lt_group_table_deinit(&self->table);
    *self = (lt_distinct_values){0};
}
