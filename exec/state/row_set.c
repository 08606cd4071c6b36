#include "exec/state/row_set.h"

#include "base/hash.h"

// Records lie in pages of 256 KiB, the first of which starts small and grows; what a record leaves is kept by size for
// the next one of that size, and when dead bytes still outweigh the living twice, the living move together. The index
// is extendible hashing (Fagin et al., 1979): a page of slots that is full splits by one more bit of the hash, the
// directory doubles when a page knows as many bits as it. Pages that cannot split any more, because hashes are equal,
// grow instead.

enum {
    PAGE_BYTES_MIN    = 512,
    PAGE_BYTES        = 256 * 1024,
    PAGE_UNIT_BITS    = 15,
    UNIT_BYTES        = PAGE_BYTES >> PAGE_UNIT_BITS,
    FREE_UNITS_MAX    = 128, // larger records are not kept by size
    NUMBERS_MIN       = 16,
    FREE_NUMBERS_MIN  = 1024,
    SLOTS_MIN         = 16,
    SLOTS_MAX         = 512, // of a page that can split
    SLOTS_SPLIT_MIN   = 16,  // a page with less of the rows than its bits promise has equal hashes, not many
    DEPTH_MAX         = 24,
    KEPT_NUMBERS_MAX  = 64 * 1024, // by reset
    DEAD_BYTES_MIN    = 64 * 1024,
    RECORD_HEAD_BYTES = 12
};
static const uint32_t REMOVED     = UINT32_MAX;
static const uint32_t NUMBER_FREE = (uint32_t)1 << 31;
static const uint32_t HAS_WEIGHT  = (uint32_t)1 << 31; // in the count of a record
static const uint32_t UNITS_MAX   = ((uint32_t)1 << 31) - 1;
_Static_assert(UNIT_BYTES == 8, "a unit has 8 bytes");

typedef struct slot {
    uint32_t hash, number; // number + 1; 0: empty; REMOVED
} slot;

struct lt_row_index_page {
    uint32_t capacity, used; // used: removed ones included
    uint32_t live, depth;
    slot     slots[];
};

void lt_row_set_init(lt_row_set *set, lt_account *account, bool is_merging) {
    *set = (lt_row_set){
        .account = account, .is_merging = is_merging, .version = 1, .is_ordered = true, .last_place = INT64_MIN};
}

// ------------------------------------------------------------------------------------------------------------- records

static char *unit_memory(const lt_row_set *set, uint32_t unit) {
    return set->pages[unit >> PAGE_UNIT_BITS].memory +
           (size_t)(unit & (((uint32_t)1 << PAGE_UNIT_BITS) - 1)) * UNIT_BYTES;
}

static uint32_t record_units(size_t count, bool has_weight) {
    return (uint32_t)((RECORD_HEAD_BYTES + (has_weight ? sizeof(int64_t) : 0) + count + UNIT_BYTES - 1) / UNIT_BYTES);
}

static leat_status pages_add(lt_row_set *set, uint32_t numbers, size_t bytes, leat_error *err) {
    if (set->page_count + (uint64_t)numbers > UNITS_MAX >> PAGE_UNIT_BITS)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than 16 GiB of rows in one state");
    while (set->page_capacity < set->page_count + numbers)
        LT_TRY_GROW(set->pages, set->account, set->page_capacity, set->page_capacity, 1, err);
    char *memory = lt_account_reallocate(set->account, NULL, 0, bytes);
    if (memory == NULL) return lt_raise_no_memory(err);
    set->pages[set->page_count] = (lt_row_page){.memory = memory, .bytes = bytes};
    for (uint32_t i = 1; i < numbers; i++) set->pages[set->page_count + i] = (lt_row_page){0};
    set->page_count += numbers;
    return LEAT_OK;
}

static leat_status first_page_grow(lt_row_set *set, uint32_t units, leat_error *err) {
    lt_row_page *page  = &set->pages[0];
    size_t       bytes = page->bytes * 2, needed = ((size_t)set->next_unit + units) * UNIT_BYTES;
    while (bytes < needed) bytes *= 2;
    if (bytes > PAGE_BYTES) bytes = PAGE_BYTES;
    char *memory = lt_account_reallocate(set->account, page->memory, page->bytes, bytes);
    if (memory == NULL) return lt_raise_no_memory(err);
    *page         = (lt_row_page){.memory = memory, .bytes = bytes};
    set->end_unit = (uint32_t)(bytes / UNIT_BYTES);
    return LEAT_OK;
}

// Room for a record; nothing is taken if an error comes.
static leat_status space_take(lt_row_set *set, uint32_t units, uint32_t *out_unit, leat_error *err) {
    if (units <= FREE_UNITS_MAX && set->free_units != NULL && set->free_units[units] != 0) {
        *out_unit = set->free_units[units] - 1;
        memcpy(&set->free_units[units], unit_memory(set, *out_unit), sizeof(uint32_t));
        set->dead_bytes -= (uint64_t)units * UNIT_BYTES;
        return LEAT_OK;
    }
    if (units > PAGE_BYTES / UNIT_BYTES) {
        uint32_t first = set->page_count;
        LT_TRY(
            pages_add(set, (units + PAGE_BYTES / UNIT_BYTES - 1) >> PAGE_UNIT_BITS, (size_t)units * UNIT_BYTES, err));
        *out_unit = first << PAGE_UNIT_BITS;
        return LEAT_OK;
    }
    bool is_first_small = set->end_unit > 0 && set->end_unit < PAGE_BYTES / UNIT_BYTES;
    if (set->end_unit - set->next_unit < units && is_first_small) LT_TRY(first_page_grow(set, units, err));
    if (set->end_unit - set->next_unit < units) {
        uint32_t page  = set->page_count;
        size_t   bytes = PAGE_BYTES_MIN;
        while (bytes < (size_t)units * UNIT_BYTES) bytes *= 2;
        if (page > 0) bytes = PAGE_BYTES;
        LT_TRY(pages_add(set, 1, bytes, err));
        set->dead_bytes += (uint64_t)(set->end_unit - set->next_unit) * UNIT_BYTES;
        set->next_unit = page << PAGE_UNIT_BITS;
        set->end_unit  = set->next_unit + (uint32_t)(bytes / UNIT_BYTES);
    }
    *out_unit = set->next_unit;
    set->next_unit += units;
    return LEAT_OK;
}

static void space_give(lt_row_set *set, uint32_t unit, uint32_t units) {
    set->dead_bytes += (uint64_t)units * UNIT_BYTES;
    if (units > FREE_UNITS_MAX) return;
    if (set->free_units == NULL) {
        set->free_units = lt_account_reallocate(set->account, NULL, 0, sizeof *set->free_units * (FREE_UNITS_MAX + 1));
        if (set->free_units == NULL) return; // dead until the living move
        memset(set->free_units, 0, sizeof *set->free_units * (FREE_UNITS_MAX + 1));
    }
    memcpy(unit_memory(set, unit), &set->free_units[units], sizeof(uint32_t));
    set->free_units[units] = unit + 1;
}

static void record_write(const lt_row_set *set, uint32_t unit, const char *bytes, uint32_t count, bool has_weight,
                         int64_t weight, int64_t place) {
    char    *record = unit_memory(set, unit);
    uint32_t head   = has_weight ? count | HAS_WEIGHT : count;
    memcpy(record, &head, sizeof head);
    memcpy(record + 4, &place, sizeof place);
    if (has_weight) memcpy(record + RECORD_HEAD_BYTES, &weight, sizeof weight);
    if (count > 0) memcpy(record + RECORD_HEAD_BYTES + (has_weight ? sizeof weight : 0), bytes, count);
}

static bool record_has_weight(const lt_row_set *set, uint32_t unit) {
    uint32_t head;
    memcpy(&head, unit_memory(set, unit), sizeof head);
    return (head & HAS_WEIGHT) != 0;
}

lt_row_set_row lt_row_set_at(const lt_row_set *set, uint32_t number) {
    lt_row_set_row row = {0};
    if ((set->numbers[number] & NUMBER_FREE) != 0) return row;
    const char *record = unit_memory(set, set->numbers[number]);
    uint32_t    head;
    memcpy(&head, record, sizeof head);
    memcpy(&row.place, record + 4, sizeof row.place);
    row.count  = head & ~HAS_WEIGHT;
    row.weight = 1;
    row.bytes  = record + RECORD_HEAD_BYTES;
    if ((head & HAS_WEIGHT) == 0) return row;
    memcpy(&row.weight, row.bytes, sizeof row.weight);
    row.bytes += sizeof row.weight;
    return row;
}

static void pages_free(lt_row_set *set, uint32_t from) {
    for (uint32_t i = from; i < set->page_count; i++)
        lt_account_reallocate(set->account, set->pages[i].memory, set->pages[i].bytes, 0);
    set->page_count = from;
}

// The living move to new pages, if there is memory for it.
static void compact(lt_row_set *set) {
    if (set->dead_bytes < DEAD_BYTES_MIN || set->dead_bytes < set->live_bytes * 2) return;
    lt_row_set fresh;
    lt_row_set_init(&fresh, set->account, false);
    uint32_t *units = lt_account_reallocate(set->account, NULL, 0, sizeof *units * set->row_capacity);
    if (units == NULL) return;
    leat_status status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < set->row_count; i++) {
        units[i]           = set->numbers[i];
        lt_row_set_row row = lt_row_set_at(set, i);
        if (row.weight == 0) continue;
        status = space_take(&fresh, record_units(row.count, row.weight != 1), &units[i], NULL);
        if (status == LEAT_OK)
            record_write(&fresh, units[i], row.bytes, row.count, row.weight != 1, row.weight, row.place);
    }
    lt_row_set *gone = status == LEAT_OK ? set : &fresh;
    pages_free(gone, 0);
    lt_account_reallocate(set->account, gone->pages, sizeof *gone->pages * gone->page_capacity, 0);
    if (status != LEAT_OK) {
        lt_account_reallocate(set->account, units, sizeof *units * set->row_capacity, 0);
        return;
    }
    lt_account_reallocate(set->account, set->numbers, sizeof *set->numbers * set->row_capacity, 0);
    lt_account_reallocate(set->account, set->free_units,
                          set->free_units == NULL ? 0 : sizeof *set->free_units * (FREE_UNITS_MAX + 1), 0);
    set->numbers       = units;
    set->free_units    = NULL;
    set->pages         = fresh.pages;
    set->page_count    = fresh.page_count;
    set->page_capacity = fresh.page_capacity;
    set->next_unit     = fresh.next_unit;
    set->end_unit      = fresh.end_unit;
    set->dead_bytes    = 0;
}

// --------------------------------------------------------------------------------------------------------------- index

static uint32_t hash_of(const char *bytes, size_t count) { return (uint32_t)(lt_hash64(bytes, count, 0) >> 32); }

static size_t index_page_bytes(uint32_t capacity) { return sizeof(lt_row_index_page) + sizeof(slot) * capacity; }

static lt_row_index_page *index_page_new(const lt_row_set *set, uint32_t capacity, uint32_t depth) {
    lt_row_index_page *page = lt_account_reallocate(set->account, NULL, 0, index_page_bytes(capacity));
    if (page == NULL) return NULL;
    *page = (lt_row_index_page){.capacity = capacity, .depth = depth};
    memset(page->slots, 0, sizeof(slot) * capacity);
    return page;
}

static void index_page_free(const lt_row_set *set, lt_row_index_page *page) {
    if (page != NULL) lt_account_reallocate(set->account, page, index_page_bytes(page->capacity), 0);
}

// Of a directory with `bits` bits.
static uint32_t directory_place(uint32_t hash, uint32_t bits) { return bits == 0 ? 0 : hash >> (32 - bits); }

static void index_page_put(lt_row_index_page *page, uint32_t hash, uint32_t number) {
    uint32_t at = hash & (page->capacity - 1);
    while (page->slots[at].number != 0 && page->slots[at].number != REMOVED) at = (at + 1) & (page->capacity - 1);
    page->used += page->slots[at].number == 0;
    page->live++;
    page->slots[at] = (slot){.hash = hash, .number = number + 1};
}

static leat_status directory_double(lt_row_set *set, leat_error *err) {
    size_t              count = (size_t)1 << set->directory_bits;
    lt_row_index_page **wider = lt_account_reallocate(set->account, NULL, 0, sizeof *wider * count * 2);
    if (wider == NULL) return lt_raise_no_memory(err);
    for (size_t i = 0; i < count; i++) wider[2 * i] = wider[2 * i + 1] = set->directory[i];
    lt_account_reallocate(set->account, set->directory, sizeof *wider * count, 0);
    set->directory = wider;
    set->directory_bits++;
    return LEAT_OK;
}

// The entries of the directory that lead to the page of `hash` become those of `low` and `high`, by the bit behind depth.
static void directory_set(lt_row_set *set, uint32_t hash, uint32_t depth, lt_row_index_page *low,
                          lt_row_index_page *high) {
    uint32_t span = (uint32_t)1 << (set->directory_bits - depth);
    uint32_t from = directory_place(hash, set->directory_bits) & ~(span - 1);
    for (uint32_t i = 0; i < span; i++) set->directory[from + i] = i < span / 2 ? low : high;
    if (span == 1) set->directory[from] = low;
}

// Makes the page of `hash` take one more slot: larger, cleared of removed slots, or split.
static leat_status index_page_relieve(lt_row_set *set, uint32_t hash, leat_error *err) {
    lt_row_index_page *page    = set->directory[directory_place(hash, set->directory_bits)];
    bool               is_full = page->live >= page->capacity / 2;
    uint32_t           depth   = page->depth;
    bool               splits  = is_full && page->capacity >= SLOTS_MAX && depth < DEPTH_MAX &&
                  ((uint64_t)SLOTS_SPLIT_MIN << depth) <= set->live_rows;
    if (splits && depth == set->directory_bits) LT_TRY(directory_double(set, err));
    uint32_t           capacity = is_full && !splits ? page->capacity * 2 : page->capacity;
    lt_row_index_page *low      = index_page_new(set, capacity, splits ? depth + 1 : depth);
    lt_row_index_page *high     = splits ? index_page_new(set, capacity, depth + 1) : low;
    if (low == NULL || high == NULL) {
        index_page_free(set, low);
        if (high != low) index_page_free(set, high);
        return lt_raise_no_memory(err);
    }
    for (uint32_t i = 0; i < page->capacity; i++) {
        const slot *old = &page->slots[i];
        if (old->number == 0 || old->number == REMOVED) continue;
        bool is_high = splits && ((old->hash >> (31 - depth)) & 1) != 0;
        index_page_put(is_high ? high : low, old->hash, old->number - 1);
    }
    directory_set(set, hash, depth, low, high);
    index_page_free(set, page);
    return LEAT_OK;
}

// Room in the index for one more row of this hash.
static leat_status index_reserve(lt_row_set *set, uint32_t hash, leat_error *err) {
    if (set->directory == NULL) {
        lt_row_index_page **directory = lt_account_reallocate(set->account, NULL, 0, sizeof *directory);
        if (directory == NULL) return lt_raise_no_memory(err);
        directory[0] = index_page_new(set, SLOTS_MIN, 0);
        if (directory[0] == NULL) {
            lt_account_reallocate(set->account, directory, sizeof *directory, 0);
            return lt_raise_no_memory(err);
        }
        set->directory      = directory;
        set->directory_bits = 0;
    }
    for (;;) { // a split may leave all slots on one side
        const lt_row_index_page *page = set->directory[directory_place(hash, set->directory_bits)];
        if ((page->used + 1) * 8 <= page->capacity * 7) return LEAT_OK;
        LT_TRY(index_page_relieve(set, hash, err));
    }
}

static void index_put(lt_row_set *set, uint32_t hash, uint32_t number) {
    index_page_put(set->directory[directory_place(hash, set->directory_bits)], hash, number);
}

static slot *index_find(const lt_row_set *set, uint32_t hash, const char *bytes, size_t count,
                        lt_row_index_page **out_page) {
    if (set->directory == NULL) return NULL;
    lt_row_index_page *page = set->directory[directory_place(hash, set->directory_bits)];
    for (uint32_t at = hash & (page->capacity - 1); page->slots[at].number != 0; at = (at + 1) & (page->capacity - 1)) {
        slot *found = &page->slots[at];
        if (found->hash != hash || found->number == REMOVED) continue;
        lt_row_set_row row = lt_row_set_at(set, found->number - 1);
        if (row.count != count || memcmp(row.bytes, bytes, count) != 0) continue;
        *out_page = page;
        return found;
    }
    return NULL;
}

static void index_free(lt_row_set *set) {
    if (set->directory == NULL) return;
    size_t count = (size_t)1 << set->directory_bits;
    for (size_t i = 0; i < count;) {
        size_t span = (size_t)1 << (set->directory_bits - set->directory[i]->depth);
        index_page_free(set, set->directory[i]);
        i += span;
    }
    lt_account_reallocate(set->account, set->directory, sizeof *set->directory * count, 0);
    set->directory      = NULL;
    set->directory_bits = 0;
}

// ------------------------------------------------------------------------------------------------------------- numbers

// Whether the next row reuses a free number: one that was just left at the same place, or when there are many.
static bool takes_free_number(const lt_row_set *set, int64_t place) {
    if (set->first_free == 0) return false;
    return (set->has_freed_place && place == set->freed_place) || !set->is_ordered ||
           set->free_count > set->live_rows + FREE_NUMBERS_MIN;
}

static leat_status numbers_reserve(lt_row_set *set, leat_error *err) {
    if (set->row_count < set->row_capacity) return LEAT_OK;
    if (set->row_capacity >= UNITS_MAX / 2)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than a billion rows in one state");
    LT_TRY_GROW(set->numbers, set->account, set->row_count, set->row_capacity, NUMBERS_MIN, err);
    return LEAT_OK;
}

static uint32_t number_take(lt_row_set *set, int64_t place) {
    if (!takes_free_number(set, place)) {
        if (place < set->last_place) set->is_ordered = false;
        if (place > set->last_place) set->last_place = place;
        return set->row_count++;
    }
    uint32_t number = set->first_free - 1;
    if (!set->has_freed_place || place != set->freed_place) set->is_ordered = false;
    set->first_free      = set->numbers[number] & ~NUMBER_FREE;
    set->has_freed_place = false;
    set->free_count--;
    return number;
}

static void number_give(lt_row_set *set, uint32_t number, int64_t place) {
    set->numbers[number] = NUMBER_FREE | set->first_free;
    set->first_free      = number + 1;
    set->freed_place     = place;
    set->has_freed_place = true;
    set->free_count++;
    if (set->free_count < set->row_count) return;
    set->row_count = set->first_free = set->free_count = 0;
    set->is_ordered                                    = true;
    set->last_place                                    = INT64_MIN;
}

// -------------------------------------------------------------------------------------------------------------- adding

static leat_status row_add(lt_row_set *set, uint32_t hash, const char *bytes, size_t count, int64_t weight,
                           int64_t place, uint32_t *out_number, leat_error *err) {
    uint32_t unit = 0;
    if (count >= HAS_WEIGHT) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a row has more than 2 GiB");
    if (set->is_merging) LT_TRY(index_reserve(set, hash, err));
    LT_TRY(numbers_reserve(set, err));
    LT_TRY(space_take(set, record_units(count, weight != 1), &unit, err));
    record_write(set, unit, bytes, (uint32_t)count, weight != 1, weight, place);
    uint32_t number      = number_take(set, place);
    set->numbers[number] = unit;
    if (set->is_merging) index_put(set, hash, number);
    if (out_number != NULL) *out_number = number;
    set->live_rows++;
    set->live_bytes += count;
    set->total_weight += weight;
    set->version++;
    return LEAT_OK;
}

static void row_remove(lt_row_set *set, slot *found, lt_row_index_page *page) {
    uint32_t       number = found->number - 1, unit = set->numbers[number];
    lt_row_set_row row = lt_row_set_at(set, number);
    found->number      = REMOVED;
    page->live--;
    set->live_rows--;
    set->live_bytes -= row.count;
    set->total_weight -= row.weight;
    set->version++;
    space_give(set, unit, record_units(row.count, record_has_weight(set, unit)));
    number_give(set, number, row.place);
}

static leat_status weight_set(lt_row_set *set, uint32_t number, int64_t weight, leat_error *err) {
    uint32_t       unit = set->numbers[number], wider = 0;
    lt_row_set_row row = lt_row_set_at(set, number);
    set->total_weight += weight - row.weight;
    if (record_has_weight(set, unit)) {
        memcpy(unit_memory(set, unit) + RECORD_HEAD_BYTES, &weight, sizeof weight);
    } else if (weight != row.weight) {
        leat_status status = space_take(set, record_units(row.count, true), &wider, err);
        if (status != LEAT_OK) {
            set->total_weight -= weight - row.weight;
            return status;
        }
        row = lt_row_set_at(set, number); // the first page may have moved
        record_write(set, wider, row.bytes, row.count, true, weight, row.place);
        space_give(set, unit, record_units(row.count, false));
        set->numbers[number] = wider;
    }
    set->version++;
    return LEAT_OK;
}

leat_status lt_row_set_add(lt_row_set *set, const char *bytes, size_t count, int64_t weight, int64_t place,
                           int64_t *out_weight, leat_error *err) {
    if (out_weight != NULL) *out_weight = weight;
    if (!set->is_merging) return weight == 0 ? LEAT_OK : row_add(set, 0, bytes, count, weight, place, NULL, err);
    lt_row_index_page *page  = NULL;
    uint32_t           hash  = hash_of(bytes, count);
    slot              *found = index_find(set, hash, bytes, count, &page);
    if (found == NULL && weight < 0)
        return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away that is not there");
    if (found == NULL) return weight == 0 ? LEAT_OK : row_add(set, hash, bytes, count, weight, place, NULL, err);
    int64_t now = lt_row_set_at(set, found->number - 1).weight + weight;
    if (out_weight != NULL) *out_weight = now;
    if (now < 0) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away more often than it was given");
    if (now > 0) return weight_set(set, found->number - 1, now, err);
    row_remove(set, found, page);
    compact(set);
    return LEAT_OK;
}

leat_status lt_row_set_update(lt_row_set *set, const char *old_bytes, size_t old_count, const char *bytes, size_t count,
                              int64_t place, leat_error *err) {
    // Gone first, so that its number and room are there; the row that comes is never the one that goes.
    lt_assert(set->is_merging);
    if (old_count == count && memcmp(old_bytes, bytes, count) == 0) return LEAT_OK;
    LT_TRY(lt_row_set_add(set, old_bytes, old_count, -1, place, NULL, err));
    return lt_row_set_add(set, bytes, count, 1, place, NULL, err);
}

leat_status lt_row_set_add_chunk(lt_row_set *set, const lt_chunk *chunk, int64_t *next_place, lt_buffer *scratch,
                                 leat_error *err) {
    for (uint32_t row = 0; row < chunk->count; row++) {
        lt_buffer_reset(scratch);
        LT_TRY(lt_row_encode(chunk->columns, chunk->column_count, row, false, scratch, err));
        int64_t place = chunk->places != NULL ? chunk->places[row] : (*next_place)++;
        LT_TRY(lt_row_set_add(set, scratch->data, scratch->bytes, lt_chunk_weight(chunk, row), place, NULL, err));
    }
    return LEAT_OK;
}

void lt_row_set_prefetch(const lt_row_set *set, const lt_row_bytes *rows, uint32_t count) {
    if (set->directory_bits == 0) return; // in the cache anyhow
    uint32_t                 hashes[LT_ROW_SET_AHEAD], numbers[LT_ROW_SET_AHEAD], found = 0;
    const lt_row_index_page *pages[LT_ROW_SET_AHEAD];
    lt_assert(count <= LT_ROW_SET_AHEAD);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_of(rows[i].bytes, rows[i].count);
        __builtin_prefetch(&set->directory[directory_place(hashes[i], set->directory_bits)]);
    }
    for (uint32_t i = 0; i < count; i++) {
        pages[i] = set->directory[directory_place(hashes[i], set->directory_bits)];
        __builtin_prefetch(pages[i]);
        __builtin_prefetch(&pages[i]->slots[hashes[i] & (SLOTS_MAX - 1)]); // a page that split has at least so many
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = pages[i]->capacity - 1, at = hashes[i] & mask;
        while (pages[i]->slots[at].number != 0 && pages[i]->slots[at].hash != hashes[i]) at = (at + 1) & mask;
        if (pages[i]->slots[at].number == 0 || pages[i]->slots[at].number == REMOVED) continue;
        numbers[found] = pages[i]->slots[at].number - 1;
        __builtin_prefetch(&set->numbers[numbers[found++]]);
    }
    for (uint32_t i = 0; i < found; i++) {
        if ((set->numbers[numbers[i]] & NUMBER_FREE) == 0)
            __builtin_prefetch(unit_memory(set, set->numbers[numbers[i]]));
    }
}

int64_t lt_row_set_weight(const lt_row_set *set, const char *bytes, size_t count) {
    lt_row_index_page *page;
    const slot        *found = index_find(set, hash_of(bytes, count), bytes, count, &page);
    return found == NULL ? 0 : lt_row_set_at(set, found->number - 1).weight;
}

bool lt_row_set_find(const lt_row_set *set, const char *bytes, size_t count, lt_row_set_row *out_row) {
    lt_row_index_page *page;
    const slot        *found = index_find(set, hash_of(bytes, count), bytes, count, &page);
    if (found != NULL) *out_row = lt_row_set_at(set, found->number - 1);
    return found != NULL;
}

bool lt_row_set_find_number(const lt_row_set *set, const char *bytes, size_t count, uint32_t *out_number) {
    lt_row_index_page *page;
    const slot        *found = index_find(set, hash_of(bytes, count), bytes, count, &page);
    if (found != NULL) *out_number = found->number - 1;
    return found != NULL;
}

leat_status lt_row_set_number_of(lt_row_set *set, const char *bytes, size_t count, int64_t place, uint32_t *out_number,
                                 leat_error *err) {
    lt_row_index_page *page;
    const uint32_t     hash  = hash_of(bytes, count);
    const slot        *found = index_find(set, hash, bytes, count, &page);
    if (found == NULL) return row_add(set, hash, bytes, count, 1, place, out_number, err);
    *out_number = found->number - 1;
    return LEAT_OK;
}

void lt_row_set_reset(lt_row_set *set) {
    uint64_t version = set->version;
    bool is_kept = set->row_capacity <= KEPT_NUMBERS_MAX && set->page_count > 0 && set->pages[0].bytes <= PAGE_BYTES;
    if (!is_kept) {
        lt_row_set_deinit(set);
        set->version = version + 1;
        return;
    }
    lt_row_set kept = *set;
    index_free(set);
    pages_free(set, 1);
    lt_row_set_init(set, kept.account, kept.is_merging);
    set->pages          = kept.pages;
    set->page_count     = 1;
    set->page_capacity  = kept.page_capacity;
    set->end_unit       = (uint32_t)(kept.pages[0].bytes / UNIT_BYTES);
    set->numbers        = kept.numbers;
    set->row_capacity   = kept.row_capacity;
    set->order          = kept.order;
    set->order_capacity = kept.order_capacity;
    set->version        = version + 1;
    set->free_units     = kept.free_units;
    if (set->free_units != NULL) memset(set->free_units, 0, sizeof *set->free_units * (FREE_UNITS_MAX + 1));
}

void lt_row_set_deinit(lt_row_set *set) {
    index_free(set);
    pages_free(set, 0);
    lt_account_reallocate(set->account, set->pages, sizeof *set->pages * set->page_capacity, 0);
    lt_account_reallocate(set->account, set->numbers, sizeof *set->numbers * set->row_capacity, 0);
    lt_account_reallocate(set->account, set->order, sizeof *set->order * set->order_capacity, 0);
    if (set->free_units != NULL)
        lt_account_reallocate(set->account, set->free_units, sizeof *set->free_units * (FREE_UNITS_MAX + 1), 0);
    lt_row_set_init(set, set->account, set->is_merging);
}

// --------------------------------------------------------------------------------------------------------------- order

typedef struct placed {
    int64_t  place;
    uint32_t number;
} placed;

// qsort has no context argument that is portable; a merge sort keeps equal places in order of numbers.
static placed *sort_by_place(placed *rows, placed *other, uint32_t count) {
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = start + width < count ? start + width : count;
            uint32_t end    = middle + width < count ? middle + width : count;
            uint32_t left = start, right = middle;
            for (uint32_t at = start; at < end; at++) {
                bool takes_left = left < middle && (right >= end || rows[left].place <= rows[right].place);
                other[at]       = takes_left ? rows[left++] : rows[right++];
            }
        }
        placed *swap = rows;
        rows         = other;
        other        = swap;
        if (width > UINT32_MAX / 4) break;
    }
    return rows;
}

static leat_status order_make(lt_row_set *set, leat_error *err) {
    uint32_t count = 0, live = (uint32_t)set->live_rows;
    if (set->order_capacity < live) {
        uint32_t *order = lt_account_reallocate(set->account, NULL, 0, sizeof *order * set->row_capacity);
        if (order == NULL) return lt_raise_no_memory(err);
        lt_account_reallocate(set->account, set->order, sizeof *set->order * set->order_capacity, 0);
        set->order          = order;
        set->order_capacity = set->row_capacity;
    }
    placed *rows = lt_account_reallocate(set->account, NULL, 0, sizeof *rows * live * 2);
    if (rows == NULL && live > 0) return lt_raise_no_memory(err);
    for (uint32_t number = 0; number < set->row_count; number++) {
        lt_row_set_row row = lt_row_set_at(set, number);
        if (row.weight != 0) rows[count++] = (placed){.place = row.place, .number = number};
    }
    const placed *sorted = sort_by_place(rows, rows + live, live);
    for (uint32_t i = 0; i < live; i++) set->order[i] = sorted[i].number;
    lt_account_reallocate(set->account, rows, sizeof *rows * live * 2, 0);
    set->order_version = set->version;
    return LEAT_OK;
}

leat_status lt_row_set_order(lt_row_set *set, const uint32_t **out_order, uint32_t *out_count, leat_error *err) {
    *out_order = NULL;
    *out_count = set->row_count;
    if (!set->is_merging || set->is_ordered) return LEAT_OK;
    if (set->order_version != set->version) LT_TRY(order_make(set, err));
    *out_order = set->order;
    *out_count = (uint32_t)set->live_rows;
    return LEAT_OK;
}

leat_status lt_row_set_open_cursor(lt_row_set *set, lt_row_set_cursor *out, leat_error *err) {
    *out = (lt_row_set_cursor){0};
    return lt_row_set_order(set, &out->order, &out->count, err);
}

leat_status lt_row_set_next(lt_row_set *set, lt_row_set_cursor *cursor, const lt_type *const *types,
                            uint32_t column_count, bool is_spread, lt_arena *arena, lt_chunk *out, leat_error *err) {
    uint32_t left = cursor->count - cursor->at;
    uint32_t want = left > LT_CHUNK_ROWS_MAX || is_spread ? LT_CHUNK_ROWS_MAX : left;
    if (left == 0) want = 0;
    if (left < 64 && is_spread && want > 0) {
        int64_t total = 0;
        for (uint32_t i = cursor->at; i < cursor->count && total < LT_CHUNK_ROWS_MAX; i++) {
            lt_row_set_row row = lt_row_set_at(set, lt_row_set_number(cursor->order, i));
            total += row.weight > 0 ? row.weight : 1;
        }
        if (total < LT_CHUNK_ROWS_MAX) want = (uint32_t)total;
    }
    LT_TRY(lt_chunk_init(out, types, column_count, want == 0 ? 1 : want, arena, err));
    if (want == 0) return LEAT_OK;
    int64_t *weights, *places;
    LT_TRY_NEW_ARRAY(weights, arena, want, err);
    LT_TRY_NEW_ARRAY(places, arena, want, err);
    uint32_t count     = 0;
    bool     has_minus = false;
    while (cursor->at < cursor->count && count < want) {
        lt_row_set_row row = lt_row_set_at(set, lt_row_set_number(cursor->order, cursor->at));
        if (row.weight == 0) {
            cursor->at++;
            continue;
        }
        LT_TRY(lt_row_decode(row.bytes, row.count, out->columns, column_count, arena, err));
        weights[count] = is_spread && row.weight > 0 ? 1 : row.weight;
        has_minus |= row.weight < 0;
        places[count++] = row.place;
        if (is_spread && ++cursor->repeat < row.weight) continue;
        cursor->repeat = 0;
        cursor->at++;
    }
    out->count   = count;
    out->places  = places;
    out->weights = is_spread && !has_minus ? NULL : weights;
    return LEAT_OK;
}
