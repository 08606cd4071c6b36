#include "exec/state/row_set.h"

#include "base/hash.h"

#include <stdlib.h>

enum { INDEX_CAPACITY_MIN = 64 };
static const uint32_t REMOVED = UINT32_MAX;

void lt_row_set_init(lt_row_set *set, lt_account *account, bool is_merging) {
    *set = (lt_row_set){.account = account, .is_merging = is_merging, .version = 1};
    lt_arena_init(&set->bytes, account);
}

void lt_row_set_deinit(lt_row_set *set) {
    lt_arena_deinit(&set->bytes);
    lt_account_reallocate(set->account, set->rows, sizeof *set->rows * set->row_capacity, 0);
    lt_account_reallocate(set->account, set->index, sizeof *set->index * set->index_capacity, 0);
    lt_account_reallocate(set->account, set->order, sizeof *set->order * set->row_capacity, 0);
    lt_row_set_init(set, set->account, set->is_merging);
}

void lt_row_set_reset(lt_row_set *set) {
    uint64_t version = set->version;
    lt_row_set_deinit(set);
    set->version = version + 1;
}

static leat_status index_grow(lt_row_set *set, leat_error *err) {
    if ((uint64_t)(set->index_used + 1) * 2 <= set->index_capacity) return LEAT_OK;
    uint32_t capacity = INDEX_CAPACITY_MIN;
    while (capacity < (set->live_rows + 1) * 4) capacity *= 2;
    uint32_t *index = lt_account_reallocate(set->account, NULL, 0, sizeof *index * capacity);
    if (index == NULL) return lt_raise_no_memory(err);
    memset(index, 0, sizeof *index * capacity);
    for (uint32_t row = 0; row < set->row_count; row++) {
        if (set->rows[row].weight == 0) continue;
        uint32_t slot = (uint32_t)set->rows[row].hash & (capacity - 1);
        while (index[slot] != 0) slot = (slot + 1) & (capacity - 1);
        index[slot] = row + 1;
    }
    lt_account_reallocate(set->account, set->index, sizeof *set->index * set->index_capacity, 0);
    set->index          = index;
    set->index_capacity = capacity;
    set->index_used     = (uint32_t)set->live_rows;
    return LEAT_OK;
}

static uint32_t *index_find(const lt_row_set *set, uint64_t hash, const char *bytes, size_t count) {
    if (set->index_capacity == 0) return NULL;
    for (uint32_t slot = (uint32_t)hash & (set->index_capacity - 1); set->index[slot] != 0;
         slot          = (slot + 1) & (set->index_capacity - 1)) {
        if (set->index[slot] == REMOVED) continue;
        const lt_row_set_row *row = &set->rows[set->index[slot] - 1];
        if (row->hash == hash && row->count == count && memcmp(row->bytes, bytes, count) == 0) return &set->index[slot];
    }
    return NULL;
}

// Bytes of removed rows are dead weight in the arena; when they outweigh the living ones, the living move to a new
// arena.
static leat_status compact(lt_row_set *set, leat_error *err) {
    if (set->dead_bytes < 64 * 1024 || set->dead_bytes < set->live_bytes * 2) return LEAT_OK;
    lt_arena fresh;
    lt_arena_init(&fresh, set->account);
    char *next = lt_arena_alloc(&fresh, set->live_bytes);
    if (next == NULL) return lt_raise_no_memory(err);
    for (uint32_t row = 0; row < set->row_count; row++) {
        if (set->rows[row].weight == 0) continue;
        memcpy(next, set->rows[row].bytes, set->rows[row].count);
        set->rows[row].bytes = next;
        next += set->rows[row].count;
    }
    lt_arena_deinit(&set->bytes);
    set->bytes      = fresh;
    set->dead_bytes = 0;
    return LEAT_OK;
}

static leat_status row_new(lt_row_set *set, uint32_t *out_row, leat_error *err) {
    if (set->first_free != 0) {
        *out_row        = set->first_free - 1;
        set->first_free = set->rows[*out_row].next_free;
        return LEAT_OK;
    }
    if (set->row_count == set->row_capacity) {
        uint32_t         capacity = set->row_capacity == 0 ? 16 : set->row_capacity * 2;
        lt_account_array arrays[] = {{set->rows, sizeof *set->rows}, {set->order, sizeof *set->order}};
        LT_TRY(lt_account_grow(set->account, arrays, 2, set->row_capacity, capacity, err));
        set->rows         = arrays[0].memory;
        set->order        = arrays[1].memory;
        set->row_capacity = capacity;
    }
    *out_row = set->row_count++;
    return LEAT_OK;
}

leat_status lt_row_set_add(lt_row_set *set, const char *bytes, size_t count, int64_t weight, int64_t place,
                           int64_t *out_weight, leat_error *err) {
    uint64_t hash = 0;
    if (set->is_merging) {
        hash           = lt_hash64(bytes, count, 0);
        uint32_t *slot = index_find(set, hash, bytes, count);
        if (slot != NULL) {
            uint32_t        number = *slot - 1;
            lt_row_set_row *row    = &set->rows[number];
            row->weight += weight;
            set->total_weight += weight;
            set->version++;
            if (out_weight != NULL) *out_weight = row->weight;
            if (row->weight < 0)
                return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away more often than it was given");
            if (row->weight > 0) return LEAT_OK;
            *slot           = REMOVED;
            row->next_free  = set->first_free;
            set->first_free = number + 1;
            set->live_rows--;
            set->live_bytes -= count;
            set->dead_bytes += count;
            return compact(set, err);
        }
        LT_TRY(index_grow(set, err));
    }
    if (weight <= 0) {
        if (out_weight != NULL) *out_weight = weight;
        if (weight == 0) return LEAT_OK;
        return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away that is not there");
    }
    char *copy = lt_arena_alloc(&set->bytes, count);
    if (copy == NULL) return lt_raise_no_memory(err);
    if (count > 0) memcpy(copy, bytes, count);
    uint32_t number = 0;
    LT_TRY(row_new(set, &number, err));
    set->rows[number] =
        (lt_row_set_row){.bytes = copy, .count = (uint32_t)count, .hash = hash, .weight = weight, .place = place};
    if (set->is_merging) {
        uint32_t slot = (uint32_t)hash & (set->index_capacity - 1);
        while (set->index[slot] != 0 && set->index[slot] != REMOVED) slot = (slot + 1) & (set->index_capacity - 1);
        if (set->index[slot] == 0) set->index_used++;
        set->index[slot] = number + 1;
    }
    set->live_rows++;
    set->live_bytes += count;
    set->total_weight += weight;
    set->version++;
    if (out_weight != NULL) *out_weight = weight;
    return LEAT_OK;
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

int64_t lt_row_set_weight(const lt_row_set *set, const char *bytes, size_t count) {
    uint32_t *slot = index_find(set, lt_hash64(bytes, count, 0), bytes, count);
    return slot == NULL ? 0 : set->rows[*slot - 1].weight;
}

// qsort has no context argument that is portable; a merge sort over row numbers keeps equal places in order of arrival.
static void sort_by_place(const lt_row_set_row *rows, uint32_t *order, uint32_t *other, uint32_t count) {
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = start + width < count ? start + width : count;
            uint32_t end    = middle + width < count ? middle + width : count;
            uint32_t left = start, right = middle;
            for (uint32_t at = start; at < end; at++) {
                bool takes_left =
                    left < middle && (right >= end || rows[order[left]].place <= rows[order[right]].place);
                other[at] = takes_left ? order[left++] : order[right++];
            }
        }
        memcpy(order, other, sizeof *order * count);
    }
}

leat_status lt_row_set_order(lt_row_set *set, const uint32_t **out_order, uint32_t *out_count, leat_error *err) {
    *out_count = (uint32_t)set->live_rows;
    *out_order = set->order;
    if (set->order_version == set->version) return LEAT_OK;
    uint32_t count     = 0;
    bool     is_sorted = true;
    for (uint32_t row = 0; row < set->row_count; row++) {
        if (set->rows[row].weight == 0) continue;
        if (count > 0 && set->rows[set->order[count - 1]].place > set->rows[row].place) is_sorted = false;
        set->order[count++] = row;
    }
    if (!is_sorted && set->is_merging) {
        uint32_t *other = lt_account_reallocate(set->account, NULL, 0, sizeof *other * count);
        if (other == NULL) return lt_raise_no_memory(err);
        sort_by_place(set->rows, set->order, other, count);
        lt_account_reallocate(set->account, other, sizeof *other * count, 0);
    }
    set->order_version = set->version;
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
        for (uint32_t i = cursor->at; i < cursor->count && total < LT_CHUNK_ROWS_MAX; i++)
            total += set->rows[cursor->order[i]].weight > 0 ? set->rows[cursor->order[i]].weight : 1;
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
        const lt_row_set_row *row = &set->rows[cursor->order[cursor->at]];
        LT_TRY(lt_row_decode(row->bytes, row->count, out->columns, column_count, arena, err));
        weights[count] = is_spread && row->weight > 0 ? 1 : row->weight;
        has_minus |= row->weight < 0;
        places[count++] = row->place;
        if (is_spread && ++cursor->repeat < row->weight) continue;
        cursor->repeat = 0;
        cursor->at++;
    }
    out->count   = count;
    out->places  = places;
    out->weights = is_spread && !has_minus ? NULL : weights;
    return LEAT_OK;
}
