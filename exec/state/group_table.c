#include "exec/state/group_table.h"

#include "exec/state/key_hash.h"

// Open addressing with linear probing. A slot holds a tag, the upper half of the hash, and the first slot to look at is
// the tag's highest bits. So everything that moves slots works from the slots alone, in their order: growth reads the old
// slots and writes the new ones from front to back, and a removal shifts the slots behind it back instead of leaving a
// mark. Keys are looked at only when tags are equal.
//
// Growth. Beyond MOVED_AT_ONCE_MAX slots the old slots stay beside the new ones and a call moves a few thousand. The old
// slots from old_start on, an empty one, are moved in a circle; as the mover rests only on empty slots, a cluster is
// always on one side, and the side of a key follows from its first old slot. New slots are zeroed as they are needed.
//
// Narrow keys. While the keys of well filled blocks lie within DIRECT_KEYS_MAX of each other, an array over their range leads to
// the groups without hash and key compare. It holds every live key of its range, so that what it lacks is not there. The
// slots are kept as ever: the array is given up when an eighth of a block lies outside, and looked for a few times only.
//
// Probing. A block of rows is hashed, then looked up in one pass without branches that expects each key in its first
// slot, then in its second; rows where that fails go through the plain loop. Where slots and keys are beyond the cache,
// the keys behind the group that was found last are tried first; the pass for the others is cut in two, with the slots
// and then the keys asked for ahead. Source: Ross (2007) on branch-free probing; DuckDB and Velox for tags.

enum {
    SLOT_CAPACITY_MIN = 64,
    SPARSE_SLOTS_MAX  = 64 * 1024 / 8,     // a quarter full at most
    HALF_FULL_MAX   = 4 * 1024 * 1024 / 8, // half full at most: the longer searches of a fuller table stay in the cache
    DENSE_SLOTS_MIN = 64 * 1024 * 1024 / 8, // from here on three quarters; between, five eighths
    MOVED_AT_ONCE_MAX  = 32 * 1024,
    MOVED_PER_CALL     = 4096,
    MOVED_PER_ROW      = 16,
    ZEROED_AHEAD       = 4096,
    GROUP_CAPACITY_MIN = 64,
    FAR_SLOTS_MIN      = 512 * 1024 / 8, // from here on memory is asked for ahead
    AHEAD_ROWS         = 24,
    RUN_ROWS_MIN       = 16, // after such a run it is worth it to look for the next one
    RETRY_ROWS         = 64, // behind the row that ended it
    KEYS_DEAD_MIN      = 64 * 1024,
    DIRECT_KEYS_MIN    = 1024,
    DIRECT_KEYS_MAX    = 64 * 1024, // 256 KiB: half of a second-level cache at most
    DIRECT_TRIALS_MAX  = 4,
    DIRECT_ROWS_MIN    = LT_KEY_BLOCK_ROWS / 2 // that tell of a range
};

typedef struct workspace {
    char     lanes[LT_KEY_BLOCK_ROWS * LT_KEY_BYTES_MAX];
    char     dense[LT_KEY_BLOCK_ROWS * sizeof(lt_string)]; // keys without the NULL ones
    uint32_t tags[LT_KEY_BLOCK_ROWS];
    uint32_t found[LT_KEY_BLOCK_ROWS]; // group + 1
    uint32_t groups[LT_KEY_BLOCK_ROWS];
    uint16_t rows[LT_KEY_BLOCK_ROWS]; // of dense
    uint16_t losers[LT_KEY_BLOCK_ROWS];
} workspace;

void lt_group_table_init(lt_group_table *table, lt_account *account, const lt_type *const *types, uint32_t type_count,
                         uint64_t secret) {
    *table = (lt_group_table){
        .account = account, .tag_mask = UINT32_MAX, .null_group = LT_NO_GROUP, .last_found = LT_NO_GROUP};
    lt_key_secrets_init(table->secrets, secret);
    lt_key_layout_init(&table->layout, types, type_count);
    lt_arena_init(&table->strings, account);
    lt_buffer_init(&table->scratch, account, 0);
}

static void slots_free(lt_account *account, lt_group_slots *slots) {
    lt_account_reallocate(account, slots->items, sizeof *slots->items * slots->capacity, 0);
    *slots = (lt_group_slots){0};
}

static size_t live_words(uint32_t groups) { return ((size_t)groups + 63) / 64; }

static void direct_free(lt_group_table *table) {
    if (table->direct == NULL) return;
    lt_account_reallocate(table->account, table->direct, sizeof *table->direct * (table->direct_count + 1u), 0);
    table->direct       = NULL;
    table->direct_count = 0;
}

void lt_group_table_rest(lt_group_table *table) {
    lt_account_reallocate(table->account, table->block, table->block == NULL ? 0 : sizeof(workspace), 0);
    table->block = NULL;
}

void lt_group_table_deinit(lt_group_table *table) {
    lt_account *account = table->account;
    direct_free(table);
    slots_free(account, &table->slots);
    slots_free(account, &table->old);
    if (table->group_capacity > 0) {
        size_t groups = table->group_capacity;
        lt_account_reallocate(account, table->keys, table->layout.key_bytes * (groups + 1), 0);
        lt_account_reallocate(account, table->next_free, sizeof *table->next_free * groups, 0);
        lt_account_reallocate(account, table->live, sizeof *table->live * live_words(table->group_capacity), 0);
    }
    lt_group_table_rest(table);
    lt_arena_deinit(&table->strings);
    lt_buffer_deinit(&table->scratch);
    *table = (lt_group_table){.account = account, .tag_mask = UINT32_MAX, .null_group = LT_NO_GROUP};
}

// ----------------------------------------------------------------------------------------------------- keys and hashes

static inline uint32_t tag_of(const lt_group_table *table, const void *key, lt_key_shape shape) {
    return lt_key_tag(table->secrets, key, shape) & table->tag_mask;
}

static inline const char *key_at(const lt_group_table *table, uint32_t group) {
    return table->keys + (size_t)table->layout.key_bytes * (group + 1);
}

// --------------------------------------------------------------------------------------------------------------- slots

static uint32_t slots_limit(uint32_t capacity) {
    if (capacity <= SPARSE_SLOTS_MAX) return capacity / 4;
    if (capacity < HALF_FULL_MAX) return capacity / 2;
    return capacity < DENSE_SLOTS_MIN ? capacity / 8 * 5 : capacity / 4 * 3;
}

static inline uint32_t slot_tag(uint64_t slot) { return (uint32_t)(slot >> 32); }

// The slots where a tag belongs.
static inline const lt_group_slots *slots_of(const lt_group_table *table, uint32_t tag) {
    const lt_group_slots *old = &table->old;
    bool                  is_old =
        old->capacity != 0 && (((tag >> old->shift) - table->old_start) & (old->capacity - 1)) >= table->old_moved;
    return is_old ? old : &table->slots;
}

// While the table grows: zeroes new slots until `distance` from their start, and one more, is among them.
static void slots_zero(lt_group_table *table, uint64_t distance) {
    const uint32_t capacity = table->slots.capacity;
    while (table->zeroed < capacity && distance + 1 >= table->zeroed) {
        uint32_t at = (2 * table->old_start + table->zeroed) & (capacity - 1), count = ZEROED_AHEAD;
        if (count > capacity - table->zeroed) count = capacity - table->zeroed;
        if (count > capacity - at) count = capacity - at;
        memset(table->slots.items + at, 0, sizeof *table->slots.items * count);
        table->zeroed += count;
    }
}

static void slot_put(lt_group_table *table, uint32_t tag, uint32_t group) {
    const lt_group_slots *slots  = slots_of(table, tag);
    const uint32_t        mask   = slots->capacity - 1;
    const bool            zeroes = slots == &table->slots && table->old.capacity != 0;
    uint32_t              at     = tag >> slots->shift;
    for (;; at = (at + 1) & mask) {
        if (zeroes) slots_zero(table, (at - 2 * table->old_start) & mask);
        if (slots->items[at] == 0) break;
    }
    slots->items[at] = (uint64_t)tag << 32 | (group + 1);
}

// Moves slots to the new table until `budget` of them are done and an empty one is met.
static void slots_move(lt_group_table *table, uint64_t budget) {
    lt_group_slots *old  = &table->old;
    const uint32_t  mask = old->capacity - 1;
    if (old->capacity == 0) return;
    for (;;) {
        uint64_t *slot = &old->items[(table->old_start + table->old_moved) & mask], moved = *slot;
        if (moved == 0 && table->old_moved >= old->capacity) break;
        table->old_moved++; // first, so that it belongs to the new slots
        if (moved != 0) {
            *slot = 0;
            slot_put(table, slot_tag(moved), (uint32_t)moved - 1);
        } else if (budget == 0) {
            slots_zero(table, 2 * (uint64_t)table->old_moved);
            return;
        }
        budget -= budget > 0;
    }
    slots_zero(table, table->slots.capacity);
    slots_free(table->account, old);
}

// Slots for more groups than there are: `capacity` of them, a power of two.
static leat_status slots_grow(lt_group_table *table, uint32_t capacity, leat_error *err) {
    slots_move(table, UINT64_MAX);
    uint64_t *items = lt_account_reallocate(table->account, NULL, 0, sizeof *items * capacity);
    if (items == NULL) return lt_raise_no_memory(err);
    table->old         = table->slots;
    table->slots       = (lt_group_slots){.items = items, .capacity = capacity};
    table->slots.shift = 32 - (uint32_t)__builtin_ctz(capacity);
    table->slots_limit = slots_limit(capacity);
    if (table->old.capacity == 0) {
        memset(items, 0, sizeof *items * capacity);
        return LEAT_OK;
    }
    table->old_start = table->old_moved = table->zeroed = 0;
    while (table->old.items[table->old_start] != 0) table->old_start++;
    slots_zero(table, 0);
    slots_move(table, table->old.capacity <= MOVED_AT_ONCE_MAX ? UINT64_MAX : 0);
    return LEAT_OK;
}

// Room for one more group.
static leat_status slots_reserve(lt_group_table *table, leat_error *err) {
    if (table->live_count < table->slots_limit) return LEAT_OK;
    if (table->slots.capacity >= UINT32_C(1) << 30)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than 800 million groups");
    return slots_grow(table, table->slots.capacity == 0 ? SLOT_CAPACITY_MIN : table->slots.capacity * 2, err);
}

// Slots behind the gap move back to it, as far as they may.
static void slot_remove(lt_group_table *table, uint32_t tag, uint32_t group) {
    const lt_group_slots *slots = slots_of(table, tag);
    const uint32_t        mask  = slots->capacity - 1;
    uint32_t              gap   = tag >> slots->shift;
    while ((uint32_t)slots->items[gap] != group + 1) gap = (gap + 1) & mask;
    for (uint32_t at = (gap + 1) & mask; slots->items[at] != 0; at = (at + 1) & mask) {
        uint32_t home = slot_tag(slots->items[at]) >> slots->shift;
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        slots->items[gap] = slots->items[at];
        gap               = at;
    }
    slots->items[gap] = 0;
}

static inline uint32_t find_one(const lt_group_table *table, const void *key, uint32_t tag, lt_key_shape shape) {
    const lt_group_slots *slots = slots_of(table, tag);
    if (slots->capacity == 0) return LT_NO_GROUP;
    const uint32_t mask = slots->capacity - 1;
    for (uint32_t at = tag >> slots->shift; slots->items[at] != 0; at = (at + 1) & mask) {
        uint64_t slot = slots->items[at];
        if (slot_tag(slot) == tag &&
            lt_keys_equal(key, table->keys + lt_key_shape_bytes(shape) * (uint32_t)slot, shape))
            return (uint32_t)slot - 1;
    }
    return LT_NO_GROUP;
}

// -------------------------------------------------------------------------------------------------------------- groups

static leat_status groups_grow(lt_group_table *table, size_t capacity, leat_error *err) {
    const size_t old = table->group_capacity, key_bytes = table->layout.key_bytes;
    // One after the other, each keeping what it has; the capacity grows with the last.
    lt_account *account   = table->account;
    size_t      key_lanes = old == 0 ? 0 : old + 1;
    char       *keys = lt_account_reallocate(account, table->keys, key_bytes * key_lanes, key_bytes * (capacity + 1));
    if (keys == NULL) return lt_raise_no_memory(err);
    table->keys = keys;
    if (old == 0) memset(keys, 0, key_bytes); // what empty slots lead to
    uint32_t *next_free =
        lt_account_reallocate(account, table->next_free, sizeof *next_free * old, sizeof *next_free * capacity);
    if (next_free == NULL) goto shrink;
    table->next_free = next_free;
    uint64_t *live   = lt_account_reallocate(account, table->live, sizeof *live * live_words((uint32_t)old),
                                             sizeof *live * live_words((uint32_t)capacity));
    if (live == NULL) {
        table->next_free =
            lt_account_reallocate(account, table->next_free, sizeof *next_free * capacity, sizeof *next_free * old);
        goto shrink;
    }
    memset(live + live_words((uint32_t)old), 0,
           sizeof *live * (live_words((uint32_t)capacity) - live_words((uint32_t)old)));
    table->live           = live;
    table->group_capacity = (uint32_t)capacity;
    return LEAT_OK;
shrink:
    table->keys = lt_account_reallocate(account, keys, key_bytes * (capacity + 1), key_bytes * key_lanes);
    return lt_raise_no_memory(err);
}

static leat_status groups_reserve(lt_group_table *table, leat_error *err) {
    const size_t had = table->group_capacity;
    if (table->first_free != 0 || table->group_count < had) return LEAT_OK;
    return groups_grow(table, had == 0 ? GROUP_CAPACITY_MIN : had * 2, err);
}

leat_status lt_group_table_reserve(lt_group_table *table, uint32_t groups, leat_error *err) {
    enum { GROUPS_MAX = 1 << 28 };
    uint32_t slots = SLOT_CAPACITY_MIN, capacity = GROUP_CAPACITY_MIN;
    if (groups > GROUPS_MAX) groups = GROUPS_MAX;
    while (slots_limit(slots) < groups) slots *= 2;
    while (capacity < groups) capacity *= 2;
    while (table->slots.capacity < slots)
        LT_TRY(slots_grow(table, table->slots.capacity == 0 ? slots : table->slots.capacity * 2, err));
    slots_move(table, UINT64_MAX);
    return table->group_capacity < capacity ? groups_grow(table, capacity, err) : LEAT_OK;
}

static uint32_t group_new(lt_group_table *table) {
    uint32_t group = table->group_count;
    if (table->first_free != 0) {
        group             = table->first_free - 1;
        table->first_free = table->next_free[group];
        if (group == table->null_group) table->null_group = LT_NO_GROUP;
    } else {
        table->group_count++;
    }
    table->live[group / 64] |= UINT64_C(1) << (group % 64);
    table->live_count++;
    return group;
}

static bool has_long_keys(const lt_group_table *table) {
    return table->layout.form == LT_KEY_STRING || table->layout.form == LT_KEY_BYTES;
}

static uint32_t long_bytes(const lt_group_table *table, uint32_t group) {
    if (!has_long_keys(table) || group == table->null_group) return 0;
    const lt_string *key = (const lt_string *)(const void *)key_at(table, group);
    return key->bytes > LT_STRING_INLINE_MAX ? key->bytes : 0;
}

// Bytes of removed keys are dead weight in the arena; when they outweigh the living ones, the living move to a new
// arena.
static leat_status strings_compact(lt_group_table *table, leat_error *err) {
    if (table->dead_bytes < KEYS_DEAD_MIN || table->dead_bytes < table->live_bytes * 2) return LEAT_OK;
    lt_arena fresh;
    lt_arena_init(&fresh, table->account);
    char *next = lt_arena_alloc(&fresh, table->live_bytes);
    if (next == NULL) return lt_raise_no_memory(err);
    for (uint32_t group = 0; group < table->group_count; group++) {
        if (!lt_group_table_is_live(table, group) || long_bytes(table, group) == 0) continue;
        lt_string *key = (lt_string *)(void *)(table->keys + sizeof *key * (group + 1));
        memcpy(next, key->as.data, key->bytes);
        key->as.data = next;
        next += key->bytes;
    }
    lt_arena_deinit(&table->strings);
    table->strings    = fresh;
    table->dead_bytes = 0;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- narrow keys

// Where the group of a key stands; outside of the range: the item at the end.
static inline uint32_t *direct_at(const lt_group_table *table, uint64_t key) {
    const uint64_t index = key - table->direct_base;
    return &table->direct[index < table->direct_count ? index : table->direct_count];
}

static void direct_put(lt_group_table *table, uint64_t key, uint32_t group_and_one) {
    *direct_at(table, key)             = group_and_one;
    table->direct[table->direct_count] = 0;
}

// Makes the array when the keys of a block lie close together; without memory there is none.
static void direct_try(lt_group_table *table, const void *keys, uint32_t count) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    table->direct_trials++;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t key = (int64_t)lt_key_word(keys, i);
        least             = key < least ? key : least;
        most              = key > most ? key : most;
    }
    const uint64_t width = (uint64_t)most - (uint64_t)least + 1;
    if (width == 0 || width > DIRECT_KEYS_MAX || table->live_count > DIRECT_KEYS_MAX) return;
    uint32_t capacity = DIRECT_KEYS_MIN;
    while (capacity < 2 * width && capacity < DIRECT_KEYS_MAX) capacity *= 2;
    table->direct = lt_account_reallocate(table->account, NULL, 0, sizeof *table->direct * (capacity + 1u));
    if (table->direct == NULL) return;
    memset(table->direct, 0, sizeof *table->direct * (capacity + 1u));
    table->direct_count = capacity;
    table->direct_base  = (uint64_t)least - (capacity - width) / 2;
    for (uint32_t group = 0; group < table->group_count; group++)
        if (group != table->null_group && lt_group_table_is_live(table, group))
            direct_put(table, lt_key_word(key_at(table, group), 0), group + 1);
}

static leat_status add_one(lt_group_table *table, const void *key, uint32_t tag, lt_key_shape shape,
                           uint32_t *out_group, leat_error *err) {
    lt_string copy;
    LT_TRY(slots_reserve(table, err));
    LT_TRY(groups_reserve(table, err));
    if (shape == LT_KEY_STRINGS && (uint32_t)lt_key_word(key, 0) > LT_STRING_INLINE_MAX) {
        LT_TRY(strings_compact(table, err));
        memcpy(&copy, key, sizeof copy);
        char *bytes = lt_arena_alloc(&table->strings, copy.bytes);
        if (bytes == NULL) return lt_raise_no_memory(err);
        memcpy(bytes, copy.as.data, copy.bytes);
        copy.as.data = bytes;
        key          = &copy;
        table->live_bytes += copy.bytes;
    }
    uint32_t group = group_new(table);
    memcpy(table->keys + lt_key_shape_bytes(shape) * (group + 1), key, lt_key_shape_bytes(shape));
    slot_put(table, tag, group);
    if (shape == LT_KEY_WORDS_1 && table->direct != NULL) direct_put(table, lt_key_word(key, 0), group + 1);
    *out_group = group;
    return LEAT_OK;
}

// The group of NULL while it lives.
static uint32_t find_null(const lt_group_table *table) {
    return table->null_group != LT_NO_GROUP && lt_group_table_is_live(table, table->null_group) ? table->null_group
                                                                                                : LT_NO_GROUP;
}

static leat_status add_null(lt_group_table *table, uint32_t *out_group, leat_error *err) {
    *out_group = find_null(table);
    if (*out_group != LT_NO_GROUP) return LEAT_OK;
    LT_TRY(groups_reserve(table, err));
    uint32_t group    = group_new(table);
    table->null_group = *out_group = group;
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- probe

// Expects each key in its first slot, then those that are not there in the second, and tells which are in neither: what
// is left for a loop with branches is about one key in thirty.
static inline uint32_t probe_near(const lt_group_table *table, const char *keys, const uint32_t *tags, uint32_t count,
                                  uint32_t *restrict out, uint16_t *restrict losers, lt_key_shape shape) {
    const uint64_t *slots = table->slots.items;
    const uint32_t  shift = table->slots.shift, mask = table->slots.capacity - 1;
    uint32_t        loser_count = 0, left = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t slot  = slots[tags[i] >> shift];
        uint32_t group = (uint32_t)slot;
        bool     is_found =
            (slot_tag(slot) == tags[i]) & (group != 0) &
            lt_keys_equal(keys + lt_key_shape_bytes(shape) * i, table->keys + lt_key_shape_bytes(shape) * group, shape);
        out[i]              = group - 1;
        losers[loser_count] = (uint16_t)i;
        loser_count += !is_found;
    }
    for (uint32_t k = 0; k < loser_count; k++) {
        uint32_t i     = losers[k];
        uint64_t slot  = slots[((tags[i] >> shift) + 1) & mask];
        uint32_t group = (uint32_t)slot;
        bool     is_found =
            (slot_tag(slot) == tags[i]) & (group != 0) &
            lt_keys_equal(keys + lt_key_shape_bytes(shape) * i, table->keys + lt_key_shape_bytes(shape) * group, shape);
        out[i]       = group - 1;
        losers[left] = (uint16_t)i;
        left += !is_found;
    }
    return left;
}

// Whether slots and keys are beyond the cache.
static inline bool is_far(const lt_group_table *table) {
    return table->slots.capacity >= FAR_SLOTS_MIN || table->old.capacity != 0;
}

static inline const uint64_t *first_slot(const lt_group_table *table, uint32_t tag) {
    const lt_group_slots *slots = slots_of(table, tag);
    return &slots->items[tag >> slots->shift];
}

// The same for slots and keys that are far away: all slots that may be theirs are on the way before the first is looked
// at, then all keys.
static inline uint32_t probe_far(const lt_group_table *table, const char *keys, const uint32_t *tags, uint32_t count,
                                 uint32_t *restrict found, uint32_t *restrict out, uint16_t *restrict losers,
                                 lt_key_shape shape) {
    uint32_t loser_count = 0;
    for (uint32_t i = 0; i < AHEAD_ROWS && i < count; i++) __builtin_prefetch(first_slot(table, tags[i]));
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD_ROWS < count) __builtin_prefetch(first_slot(table, tags[i + AHEAD_ROWS]));
        const lt_group_slots *slots = slots_of(table, tags[i]);
        uint32_t              mask = slots->capacity - 1, at = tags[i] >> slots->shift;
        while (slots->items[at] != 0 && slot_tag(slots->items[at]) != tags[i]) at = (at + 1) & mask;
        found[i] = (uint32_t)slots->items[at];
        __builtin_prefetch(table->keys + lt_key_shape_bytes(shape) * found[i]);
    }
    if (shape == LT_KEY_STRINGS) {
        for (uint32_t i = 0; i < count; i++) {
            const lt_string *key = (const lt_string *)(const void *)(table->keys + sizeof *key * found[i]);
            if (key->bytes > LT_STRING_INLINE_MAX) __builtin_prefetch(key->as.data);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_found       = (found[i] != 0) & lt_keys_equal(keys + lt_key_shape_bytes(shape) * i,
                                                              table->keys + lt_key_shape_bytes(shape) * found[i], shape);
        out[i]              = found[i] - 1;
        losers[loser_count] = (uint16_t)i;
        loser_count += !is_found;
    }
    return loser_count;
}

// Whether a new group needs no more than its key and a slot.
static inline bool adds_plainly(const lt_group_table *table, lt_key_shape shape) {
    return table->old.capacity == 0 && table->first_free == 0 && table->live_count < table->slots_limit &&
           table->group_count < table->group_capacity && shape != LT_KEY_STRINGS && table->direct == NULL;
}

// Finds the group of a key or makes it, in one walk along the slots.
static inline uint32_t find_or_add_plainly(lt_group_table *table, const char *key, uint32_t tag, lt_key_shape shape) {
    const lt_group_slots *slots = &table->slots;
    const uint32_t        mask  = slots->capacity - 1;
    uint32_t              at    = tag >> slots->shift;
    for (; slots->items[at] != 0; at = (at + 1) & mask) {
        const uint64_t slot = slots->items[at];
        if (slot_tag(slot) == tag &&
            lt_keys_equal(key, table->keys + lt_key_shape_bytes(shape) * (uint32_t)slot, shape))
            return (uint32_t)slot - 1;
    }
    const uint32_t group = group_new(table);
    memcpy(table->keys + lt_key_shape_bytes(shape) * ((size_t)group + 1), key, lt_key_shape_bytes(shape));
    slots->items[at] = (uint64_t)tag << 32 | (group + 1);
    return group;
}

static inline leat_status probe_part(lt_group_table *table, workspace *work, const char *keys, uint32_t count,
                                     bool adds, uint32_t *out, lt_key_shape shape, leat_error *err) {
    uint32_t *tags = work->tags, loser_count = 0;
    for (uint32_t i = 0; i < count; i++) tags[i] = tag_of(table, keys + lt_key_shape_bytes(shape) * i, shape);
    if (table->slots.capacity == 0)
        for (; loser_count < count; loser_count++) work->losers[loser_count] = (uint16_t)loser_count;
    else if (is_far(table))
        loser_count = probe_far(table, keys, tags, count, work->found, out, work->losers, shape);
    else
        loser_count = probe_near(table, keys, tags, count, out, work->losers, shape);
    for (uint32_t k = 0; k < loser_count; k++) {
        uint32_t    i   = work->losers[k];
        const char *key = keys + lt_key_shape_bytes(shape) * i;
        if (adds && adds_plainly(table, shape)) {
            out[i] = find_or_add_plainly(table, key, tags[i], shape);
            continue;
        }
        out[i] = find_one(table, key, tags[i], shape);
        if (adds && out[i] == LT_NO_GROUP) LT_TRY(add_one(table, key, tags[i], shape, &out[i], err));
    }
    return LEAT_OK;
}

// How many of the keys are those of the groups behind group `last`, one after the other.
static inline uint32_t run_length(const lt_group_table *table, uint32_t last, const char *keys, uint32_t count,
                                  lt_key_shape shape) {
    enum { AT_ONCE = 8 };
    const size_t bytes = lt_key_shape_bytes(shape);
    if (last == LT_NO_GROUP || last + 1 >= table->group_count || table->first_free != 0) return 0;
    const uint32_t first = last + 1;
    const char    *known = table->keys + bytes * ((size_t)first + 1);
    if (count > table->group_count - first) count = table->group_count - first;
    if (table->null_group >= first && table->null_group - first < count) count = table->null_group - first;
    uint32_t length = 0;
    for (; shape == LT_KEY_WORDS_1 && length + AT_ONCE <= count; length += AT_ONCE) {
        uint64_t differs = 0;
        for (uint32_t i = length; i < length + AT_ONCE; i++) differs |= lt_key_word(keys, i) ^ lt_key_word(known, i);
        if (differs != 0) break;
    }
    while (length < count && lt_keys_equal(keys + bytes * length, known + bytes * length, shape)) length++;
    return length;
}

// Keys often come again in the order in which they came first: things that report in turn, a table joined or grouped
// once more. Then the keys themselves tell the groups, and neither hashes nor slots are needed.
static inline leat_status probe_shape(lt_group_table *table, workspace *work, const char *keys, uint32_t count,
                                      bool adds, uint32_t *out, lt_key_shape shape, leat_error *err) {
    for (uint32_t done = 0; done < count;) {
        const char    *rest = keys + lt_key_shape_bytes(shape) * done;
        const uint32_t run  = is_far(table) ? run_length(table, table->last_found, rest, count - done, shape) : 0;
        for (uint32_t i = 0; i < run; i++) out[done + i] = table->last_found + 1 + i;
        done += run;
        uint32_t part = count - done;
        if (run >= RUN_ROWS_MIN && part > RETRY_ROWS) part = RETRY_ROWS;
        LT_TRY(probe_part(table, work, rest + lt_key_shape_bytes(shape) * run, part, adds, out + done, shape, err));
        done += part;
        table->last_found = out[done - 1];
    }
    return LEAT_OK;
}

static leat_status probe_direct(lt_group_table *table, workspace *work, const void *keys, uint32_t count, bool adds,
                                uint32_t *restrict out, leat_error *err) {
    uint32_t loser_count = 0, outside = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group      = *direct_at(table, lt_key_word(keys, i));
        out[i]                    = group - 1; // LT_NO_GROUP: none
        work->losers[loser_count] = (uint16_t)i;
        loser_count += group == 0;
    }
    for (uint32_t k = 0; k < loser_count; k++) {
        const uint32_t i   = work->losers[k];
        const uint64_t key = lt_key_word(keys, i);
        const uint32_t tag = tag_of(table, &key, LT_KEY_WORDS_1);
        if (key - table->direct_base < table->direct_count) {
            out[i] = *direct_at(table, key) - 1; // a row before may have made it
        } else {
            out[i] = find_one(table, &key, tag, LT_KEY_WORDS_1);
            outside++;
        }
        if (adds && out[i] == LT_NO_GROUP) LT_TRY(add_one(table, &key, tag, LT_KEY_WORDS_1, &out[i], err));
    }
    if (outside > 0 && outside >= count / 8) {
        direct_free(table);
        if (count >= DIRECT_ROWS_MIN && table->direct_trials < DIRECT_TRIALS_MAX) direct_try(table, keys, count);
    }
    return LEAT_OK;
}

static leat_status probe_words(lt_group_table *table, workspace *work, const void *keys, uint32_t count, bool adds,
                               uint32_t *out, leat_error *err) {
    if (table->direct != NULL) return probe_direct(table, work, keys, count, adds, out, err);
    LT_TRY(probe_shape(table, work, keys, count, adds, out, LT_KEY_WORDS_1, err));
    if (adds && count >= DIRECT_ROWS_MIN && table->direct_trials < DIRECT_TRIALS_MAX) direct_try(table, keys, count);
    return LEAT_OK;
}

static leat_status probe_keys(lt_group_table *table, workspace *work, const void *keys, bool has_long, uint32_t count,
                              bool adds, uint32_t *out, leat_error *err) {
    switch (lt_key_shape_of(&table->layout)) {
    case LT_KEY_WORDS_1:
        return probe_words(table, work, keys, count, adds, out, err);
    case LT_KEY_WORDS_4:
        return probe_shape(table, work, keys, count, adds, out, LT_KEY_WORDS_4, err);
    case LT_KEY_STRINGS:
        if (has_long) return probe_shape(table, work, keys, count, adds, out, LT_KEY_STRINGS, err);
        return probe_shape(table, work, keys, count, adds, out, LT_KEY_WORDS_2, err); // inline strings are two words
    default:
        return probe_shape(table, work, keys, count, adds, out, LT_KEY_WORDS_2, err);
    }
}

// The keys of a block that are not NULL, side by side; NULL ones get their group. Groups are made in the order of the
// rows: a NULL group that is new ends the part before it.
static leat_status probe_with_nulls(lt_group_table *table, workspace *work, const lt_key_block *block, uint32_t count,
                                    bool adds, uint32_t *out, leat_error *err) {
    const size_t key_bytes = table->layout.key_bytes;
    uint32_t     dense = 0, null_group = find_null(table);
    for (uint32_t i = 0; i <= count; i++) {
        bool is_null = i < count && ((block->nulls[i / 64] >> (i % 64)) & 1) != 0;
        if (i == count || (is_null && adds && null_group == LT_NO_GROUP)) {
            LT_TRY(probe_keys(table, work, work->dense, block->has_long, dense, adds, work->groups, err));
            for (uint32_t k = 0; k < dense; k++) out[work->rows[k]] = work->groups[k];
            dense = 0;
            if (i == count) break;
            LT_TRY(add_null(table, &null_group, err));
        }
        if (is_null) {
            out[i] = null_group;
            continue;
        }
        memcpy(work->dense + key_bytes * dense, (const char *)block->keys + key_bytes * i, key_bytes);
        work->rows[dense++] = (uint16_t)i;
    }
    return LEAT_OK;
}

static leat_status workspace_ready(lt_group_table *table, leat_error *err) {
    if (table->block == NULL) table->block = lt_account_reallocate(table->account, NULL, 0, sizeof(workspace));
    return table->block != NULL ? LEAT_OK : lt_raise_no_memory(err);
}

static leat_status probe(lt_group_table *table, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                         uint32_t count, bool adds, uint32_t *out_group, leat_error *err) {
    LT_TRY(workspace_ready(table, err));
    workspace *work = table->block;
    if (adds) slots_move(table, MOVED_PER_CALL + (uint64_t)MOVED_PER_ROW * count);
    bool is_constant = key_count > 0 && count > 1;
    for (uint32_t k = 0; k < key_count; k++) is_constant &= keys[k].form == LT_CONSTANT;
    const uint32_t wanted = is_constant ? 1 : count;
    for (uint32_t first = 0; first < wanted; first += LT_KEY_BLOCK_ROWS) {
        uint32_t     part = wanted - first < LT_KEY_BLOCK_ROWS ? wanted - first : LT_KEY_BLOCK_ROWS;
        lt_key_block block;
        LT_TRY(lt_keys_pack(&table->layout, keys, key_count, rows, first, part, work->lanes, &table->scratch, &block,
                            err));
        LT_TRY(block.has_null
                   ? probe_with_nulls(table, work, &block, part, adds, out_group + first, err)
                   : probe_keys(table, work, block.keys, block.has_long, part, adds, out_group + first, err));
    }
    for (uint32_t i = wanted; i < count; i++) out_group[i] = out_group[0];
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

static inline void partitions_of(const lt_group_table *table, const char *keys, uint32_t count, uint32_t mask,
                                 uint16_t *out, lt_key_shape shape) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = (uint16_t)(((uint32_t)lt_key_hash(table->secrets, keys + lt_key_shape_bytes(shape) * i, shape) &
                             table->tag_mask) >>
                                16 &
                            mask);
}

leat_status lt_group_table_partitions(lt_group_table *table, const lt_vector *keys, uint32_t key_count, uint32_t count,
                                      uint32_t partition_count, uint16_t *out_partition, leat_error *err) {
    const uint32_t mask = partition_count - 1;
    LT_TRY(workspace_ready(table, err));
    workspace *work = table->block;
    for (uint32_t first = 0; first < count; first += LT_KEY_BLOCK_ROWS) {
        const uint32_t part = count - first < LT_KEY_BLOCK_ROWS ? count - first : LT_KEY_BLOCK_ROWS;
        uint16_t      *out  = out_partition + first;
        lt_key_block   block;
        LT_TRY(lt_keys_pack(&table->layout, keys, key_count, NULL, first, part, work->lanes, &table->scratch, &block,
                            err));
        for (uint32_t i = 0; block.has_null && table->layout.form != LT_KEY_FIXED8 && i < part; i++)
            if ((block.nulls[i / 64] >> (i % 64) & 1) != 0)
                memset(work->lanes + sizeof(lt_string) * i, 0, sizeof(lt_string));
        switch (lt_key_shape_of(&table->layout)) {
        case LT_KEY_WORDS_1:
            partitions_of(table, block.keys, part, mask, out, LT_KEY_WORDS_1);
            break;
        case LT_KEY_WORDS_2:
            partitions_of(table, block.keys, part, mask, out, LT_KEY_WORDS_2);
            break;
        case LT_KEY_WORDS_4:
            partitions_of(table, block.keys, part, mask, out, LT_KEY_WORDS_4);
            break;
        case LT_KEY_STRINGS:
            if (block.has_long)
                partitions_of(table, block.keys, part, mask, out, LT_KEY_STRINGS);
            else
                partitions_of(table, block.keys, part, mask, out, LT_KEY_WORDS_2);
            break;
        }
        for (uint32_t i = 0; block.has_null && i < part; i++)
            if ((block.nulls[i / 64] >> (i % 64) & 1) != 0) out[i] = 0;
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ by bytes

static uint32_t find_key(const lt_group_table *table, const void *key, uint32_t tag) {
    switch (lt_key_shape_of(&table->layout)) {
    case LT_KEY_WORDS_1:
        return find_one(table, key, tag, LT_KEY_WORDS_1);
    case LT_KEY_WORDS_2:
        return find_one(table, key, tag, LT_KEY_WORDS_2);
    case LT_KEY_WORDS_4:
        return find_one(table, key, tag, LT_KEY_WORDS_4);
    default:
        return find_one(table, key, tag, LT_KEY_STRINGS);
    }
}

leat_status lt_group_table_add_bytes(lt_group_table *table, const char *key, size_t count, uint32_t *out_group,
                                     leat_error *err) {
    uint64_t lane[LT_KEY_BYTES_MAX / 8];
    bool     is_null;
    LT_TRY(lt_key_decode(&table->layout, key, count, lane, &is_null, err));
    if (is_null) return add_null(table, out_group, err);
    slots_move(table, MOVED_PER_CALL);
    const lt_key_shape shape = lt_key_shape_of(&table->layout);
    const uint32_t     tag   = tag_of(table, lane, shape);
    *out_group               = find_key(table, lane, tag);
    return *out_group != LT_NO_GROUP ? LEAT_OK : add_one(table, lane, tag, shape, out_group, err);
}

void lt_group_table_prefetch_bytes(const lt_group_table *table, const char *key, size_t count) {
    uint64_t lane[LT_KEY_BYTES_MAX / 8];
    bool     is_null = true;
    if (table->slots.capacity == 0 || lt_key_decode(&table->layout, key, count, lane, &is_null, NULL) != LEAT_OK)
        return;
    if (!is_null) __builtin_prefetch(first_slot(table, tag_of(table, lane, lt_key_shape_of(&table->layout))));
}

uint32_t lt_group_table_find_bytes(const lt_group_table *table, const char *key, size_t count) {
    uint64_t lane[LT_KEY_BYTES_MAX / 8];
    bool     is_null;
    if (lt_key_decode(&table->layout, key, count, lane, &is_null, NULL) != LEAT_OK) return LT_NO_GROUP;
    return is_null ? find_null(table) : find_key(table, lane, tag_of(table, lane, lt_key_shape_of(&table->layout)));
}

leat_status lt_group_table_key(const lt_group_table *table, uint32_t group, lt_buffer *out, leat_error *err) {
    return lt_key_encode(&table->layout, group == table->null_group ? NULL : key_at(table, group), out, err);
}

leat_status lt_group_table_save_key(const lt_group_table *table, uint32_t group, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u64(out, 0, err));
    size_t start = out->bytes;
    LT_TRY(lt_group_table_key(table, group, out, err));
    uint64_t bytes = out->bytes - start;
    memcpy(out->data + start - sizeof bytes, &bytes, sizeof bytes);
    return LEAT_OK;
}

// One column whose lanes are the keys, or their low bytes.
static void lanes_unpack(const lt_group_table *table, const uint32_t *groups, uint32_t count, void *out) {
#define UNPACK(lane_type, key_type)                                                                                    \
    for (uint32_t i = 0; i < count; i++)                                                                               \
        ((lane_type *)out)[i] = (lane_type)((const key_type *)(const void *)table->keys)[(size_t)groups[i] + 1];       \
    return
    if (table->layout.form == LT_KEY_STRING) {
        for (uint32_t i = 0; i < count; i++)
            ((lt_string *)out)[i] = ((const lt_string *)(const void *)table->keys)[(size_t)groups[i] + 1];
        return;
    }
    switch (table->layout.nodes[0].lane_bytes) {
    case 1:
        UNPACK(uint8_t, uint64_t);
    case 2:
        UNPACK(uint16_t, uint64_t);
    case 4:
        UNPACK(uint32_t, uint64_t);
    default:
        UNPACK(uint64_t, uint64_t);
    }
#undef UNPACK
}

leat_status lt_group_table_keys(const lt_group_table *table, const uint32_t *groups, uint32_t count, lt_vector *columns,
                                uint32_t key_count, lt_arena *arena, leat_error *err) {
    if (table->layout.form == LT_KEY_FIXED8 || table->layout.form == LT_KEY_STRING) {
        lanes_unpack(table, groups, count, columns->values);
        for (uint32_t i = 0; table->null_group != LT_NO_GROUP && i < count; i++)
            if (groups[i] == table->null_group) LT_TRY(lt_vector_set_null(columns, i, arena, err));
    } else {
        for (uint32_t i = 0; i < count; i++)
            LT_TRY(lt_key_unpack(&table->layout, key_at(table, groups[i]), columns, key_count, i, arena, err));
    }
    for (uint32_t k = 0; k < key_count; k++) columns[k].lanes = count;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- remove

void lt_group_table_remove(lt_group_table *table, uint32_t group) {
    lt_assert(lt_group_table_is_live(table, group));
    uint32_t bytes = long_bytes(table, group);
    if (group != table->null_group)
        slot_remove(table, tag_of(table, key_at(table, group), lt_key_shape_of(&table->layout)), group);
    if (table->direct != NULL && group != table->null_group) direct_put(table, lt_key_word(key_at(table, group), 0), 0);
    table->live[group / 64] &= ~(UINT64_C(1) << (group % 64));
    table->next_free[group] = table->first_free;
    table->first_free       = group + 1;
    table->live_count--;
    table->live_bytes -= bytes;
    table->dead_bytes += bytes;
}

uint64_t lt_group_table_bytes(const lt_group_table *table) {
    return sizeof(uint64_t) * ((uint64_t)table->slots.capacity + table->old.capacity) +
           sizeof(uint32_t) * (uint64_t)table->direct_count + (uint64_t)table->layout.key_bytes * table->group_count +
           table->live_bytes;
}
