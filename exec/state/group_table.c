#include "exec/state/group_table.h"

#include "base/hash.h"

enum {
    SLOT_CAPACITY_MIN    = 64,
    GROUP_CAPACITY_MIN   = 16,
    BLOCK_ROWS           = 64,
    SLOTS_WORTH_PREFETCH = 8192,
    KEYS_DEAD_MIN        = 64 * 1024
};
static const uint32_t REMOVED = UINT32_MAX;

void lt_group_table_init(lt_group_table *table, lt_account *account) {
    *table = (lt_group_table){.account = account};
    lt_arena_init(&table->keys, account);
    lt_buffer_init(&table->scratch, account, 0);
}

void lt_group_table_deinit(lt_group_table *table) {
    lt_arena_deinit(&table->keys);
    lt_account_reallocate(table->account, table->slots, sizeof *table->slots * table->slot_capacity, 0);
    lt_account_reallocate(table->account, table->groups, sizeof *table->groups * table->group_capacity, 0);
    lt_buffer_deinit(&table->scratch);
    lt_group_table_init(table, table->account);
}

static uint64_t slot_tag(uint64_t hash) { return hash & 0xffffffff00000000ULL; }

static leat_status slots_grow(lt_group_table *table, leat_error *err) {
    if ((uint64_t)(table->slots_used + 1) * 2 <= table->slot_capacity) return LEAT_OK;
    uint32_t capacity = SLOT_CAPACITY_MIN;
    while (capacity < ((uint64_t)table->live_count + 1) * 4) {
        if (capacity >= 1u << 31) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than 500 million groups");
        capacity *= 2;
    }
    uint64_t *slots = lt_account_reallocate(table->account, NULL, 0, sizeof *slots * capacity);
    if (slots == NULL) return lt_raise_no_memory(err);
    memset(slots, 0, sizeof *slots * capacity);
    for (uint32_t group = 0; group < table->group_count; group++) {
        if (!table->groups[group].is_live) continue;
        uint64_t hash = table->groups[group].hash;
        uint32_t slot = (uint32_t)hash & (capacity - 1);
        while (slots[slot] != 0) slot = (slot + 1) & (capacity - 1);
        slots[slot] = slot_tag(hash) | (group + 1);
    }
    lt_account_reallocate(table->account, table->slots, sizeof *table->slots * table->slot_capacity, 0);
    table->slots         = slots;
    table->slot_capacity = capacity;
    table->slots_used    = table->live_count;
    return LEAT_OK;
}

static uint32_t find(const lt_group_table *table, uint64_t hash, const char *key, size_t count) {
    if (table->slot_capacity == 0) return LT_NO_GROUP;
    uint32_t mask = table->slot_capacity - 1;
    for (uint32_t slot = (uint32_t)hash & mask; table->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint64_t value = table->slots[slot];
        if ((uint32_t)value == REMOVED || slot_tag(value) != slot_tag(hash)) continue;
        const lt_group *group = &table->groups[(uint32_t)value - 1];
        if (group->hash == hash && group->key_count == count && memcmp(group->key, key, count) == 0)
            return (uint32_t)value - 1;
    }
    return LT_NO_GROUP;
}

static leat_status group_new(lt_group_table *table, uint32_t *out_group, leat_error *err) {
    if (table->first_free != 0) {
        *out_group        = table->first_free - 1;
        table->first_free = table->groups[*out_group].next_free;
        return LEAT_OK;
    }
    LT_TRY_GROW(table->groups, table->account, table->group_count, table->group_capacity, GROUP_CAPACITY_MIN, err);
    *out_group = table->group_count++;
    return LEAT_OK;
}

// Keys of removed groups are dead weight in the arena; when they outweigh the living ones, the living move to a new
// arena.
static leat_status keys_compact(lt_group_table *table, leat_error *err) {
    if (table->dead_bytes < KEYS_DEAD_MIN || table->dead_bytes < table->live_bytes * 2) return LEAT_OK;
    lt_arena fresh;
    lt_arena_init(&fresh, table->account);
    char *next = lt_arena_alloc(&fresh, table->live_bytes);
    if (next == NULL) return lt_raise_no_memory(err);
    for (uint32_t group = 0; group < table->group_count; group++) {
        lt_group *g = &table->groups[group];
        if (!g->is_live) continue;
        memcpy(next, g->key, g->key_count);
        g->key = next;
        next += g->key_count;
    }
    lt_arena_deinit(&table->keys);
    table->keys       = fresh;
    table->dead_bytes = 0;
    return LEAT_OK;
}

static leat_status add(lt_group_table *table, uint64_t hash, const char *key, size_t count, uint32_t *out_group,
                       leat_error *err) {
    LT_TRY(slots_grow(table, err));
    LT_TRY(keys_compact(table, err));
    char *copy = lt_arena_alloc(&table->keys, count);
    if (copy == NULL) return lt_raise_no_memory(err);
    memcpy(copy, key, count);
    uint32_t group = 0;
    LT_TRY(group_new(table, &group, err));
    table->groups[group] = (lt_group){.key = copy, .key_count = (uint32_t)count, .hash = hash, .is_live = true};
    uint32_t mask = table->slot_capacity - 1, slot = (uint32_t)hash & mask;
    while (table->slots[slot] != 0 && (uint32_t)table->slots[slot] != REMOVED) slot = (slot + 1) & mask;
    if (table->slots[slot] == 0) table->slots_used++;
    table->slots[slot] = slot_tag(hash) | (group + 1);
    table->live_count++;
    table->live_bytes += count;
    *out_group = group;
    return LEAT_OK;
}

leat_status lt_group_table_add_bytes(lt_group_table *table, const char *key, size_t count, uint32_t *out_group,
                                     leat_error *err) {
    uint64_t hash = lt_hash64(key, count, 0);
    *out_group    = find(table, hash, key, count);
    return *out_group != LT_NO_GROUP ? LEAT_OK : add(table, hash, key, count, out_group, err);
}

uint32_t lt_group_table_find_bytes(const lt_group_table *table, const char *key, size_t count) {
    return find(table, lt_hash64(key, count, 0), key, count);
}

// Asks for what a probe of these keys will read: slots, then groups, then key bytes. A table beyond the cache otherwise
// waits three times a row, one wait behind the other; asked for in blocks, the waits of a block overlap. Hints only.
static void block_prefetch(const lt_group_table *table, const uint64_t *hashes, uint32_t count) {
    if (table->slot_capacity < SLOTS_WORTH_PREFETCH) return;
    uint32_t mask = table->slot_capacity - 1, groups[BLOCK_ROWS];
    for (uint32_t i = 0; i < count; i++) __builtin_prefetch(&table->slots[(uint32_t)hashes[i] & mask]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = (uint32_t)hashes[i] & mask;
        while (table->slots[slot] != 0 &&
               ((uint32_t)table->slots[slot] == REMOVED || slot_tag(table->slots[slot]) != slot_tag(hashes[i])))
            slot = (slot + 1) & mask;
        groups[i] = (uint32_t)table->slots[slot];
        if (groups[i] != 0) __builtin_prefetch(&table->groups[groups[i] - 1]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (groups[i] != 0) __builtin_prefetch(table->groups[groups[i] - 1].key);
}

static leat_status probe(lt_group_table *table, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                         uint32_t count, bool adds, uint32_t *out_group, leat_error *err) {
    uint64_t hashes[BLOCK_ROWS];
    size_t   ends[BLOCK_ROWS + 1];
    for (uint32_t first = 0; first < count; first += BLOCK_ROWS) {
        uint32_t block = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
        lt_buffer_reset(&table->scratch);
        ends[0] = 0;
        for (uint32_t i = 0; i < block; i++) {
            uint32_t row = rows == NULL ? first + i : rows[first + i];
            LT_TRY(lt_row_encode(keys, key_count, row, true, &table->scratch, err));
            ends[i + 1] = table->scratch.bytes;
        }
        const char *bytes = table->scratch.data == NULL ? "" : table->scratch.data;
        for (uint32_t i = 0; i < block; i++) hashes[i] = lt_hash64(bytes + ends[i], ends[i + 1] - ends[i], 0);
        block_prefetch(table, hashes, block);
        for (uint32_t i = 0; i < block; i++) {
            const char *key       = bytes + ends[i];
            size_t      key_bytes = ends[i + 1] - ends[i];
            uint32_t   *out       = &out_group[first + i];
            *out                  = find(table, hashes[i], key, key_bytes);
            if (adds && *out == LT_NO_GROUP) LT_TRY(add(table, hashes[i], key, key_bytes, out, err));
        }
    }
    return LEAT_OK;
}

leat_status lt_group_table_find_or_add(lt_group_table *table, const lt_vector *keys, uint32_t key_count,
                                       const uint16_t *rows, uint32_t count, uint32_t *out_group, leat_error *err) {
    return probe(table, keys, key_count, rows, count, true, out_group, err);
}

leat_status lt_group_table_find(lt_group_table *table, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                                uint32_t count, uint32_t *out_group, leat_error *err) {
    return probe(table, keys, key_count, rows, count, false, out_group, err);
}

leat_status lt_group_table_key(const lt_group_table *table, uint32_t group, lt_vector *columns, uint32_t key_count,
                               lt_arena *arena, leat_error *err) {
    const lt_group *g = &table->groups[group];
    return lt_row_decode(g->key, g->key_count, columns, key_count, arena, err);
}

void lt_group_table_remove(lt_group_table *table, uint32_t group) {
    lt_group *g    = &table->groups[group];
    uint32_t  mask = table->slot_capacity - 1, slot = (uint32_t)g->hash & mask;
    while ((uint32_t)table->slots[slot] != group + 1) slot = (slot + 1) & mask;
    table->slots[slot] = REMOVED;
    g->is_live         = false;
    g->next_free       = table->first_free;
    table->first_free  = group + 1;
    table->live_count--;
    table->live_bytes -= g->key_count;
    table->dead_bytes += g->key_count;
}
