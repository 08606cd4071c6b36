#include "exec/state/kept_rows.h"

#include "base/hash.h"
#include "exec/state/row_store.h"

// A row in memory; padded to 8 bytes, so that offsets / 8 fit the slots of the index.
typedef struct row_head {
    int64_t  weight, place;
    uint64_t hash; // only where there is an index
    uint32_t count;
    uint32_t reserved;
} row_head;

enum { ROWS_WITHOUT_INDEX = 16, REPLAYED_MAX = 1000000000 };
#define KEPT_BYTES_MAX (UINT64_C(4) << 30)

static row_head *head_at(const lt_kept_rows *rows, uint64_t offset) {
    return (row_head *)(void *)(rows->data + offset);
}
static const char *bytes_of(const row_head *head) { return (const char *)(head + 1); }
static uint64_t    row_bytes(size_t count) { return (sizeof(row_head) + count + 7) / 8 * 8; }

static bool is_equal(const row_head *head, const char *bytes, size_t count) {
    return head->count == count && memcmp(bytes_of(head), bytes, count) == 0;
}

// --------------------------------------------------------------------------------------------------------------- index

static void index_row(lt_kept_rows *rows, uint64_t offset) {
    uint32_t mask = rows->slot_count - 1, slot = (uint32_t)head_at(rows, offset)->hash & mask;
    while (rows->slots[slot] != 0) slot = (slot + 1) & mask;
    rows->slots[slot] = (uint32_t)(offset / 8) + 1;
    rows->slots_used++;
}

// Makes the index anew with room for twice the rows; rows that are gone stay out.
static leat_status index_build(lt_kept_rows *rows, lt_account *account, leat_error *err) {
    uint32_t want = 64;
    while (want < rows->row_count * 4u) want *= 2;
    uint32_t *slots = lt_account_reallocate(account, NULL, 0, sizeof *slots * want);
    if (slots == NULL) return lt_raise_no_memory(err);
    memset(slots, 0, sizeof *slots * want);
    lt_account_reallocate(account, rows->slots, sizeof *slots * rows->slot_count, 0);
    rows->slots      = slots;
    rows->slot_count = want;
    rows->slots_used = 0;
    for (uint64_t offset = 0; offset < rows->bytes; offset += row_bytes(head_at(rows, offset)->count)) {
        row_head *head = head_at(rows, offset);
        if (head->weight == 0) continue;
        head->hash = lt_hash64(bytes_of(head), head->count, 0);
        index_row(rows, offset);
    }
    return LEAT_OK;
}

static bool find_equal(const lt_kept_rows *rows, const char *bytes, size_t count, uint64_t *out_offset) {
    if (rows->slot_count == 0) {
        for (uint64_t offset = 0; offset < rows->bytes; offset += row_bytes(head_at(rows, offset)->count)) {
            const row_head *head = head_at(rows, offset);
            if (head->weight == 0 || !is_equal(head, bytes, count)) continue;
            *out_offset = offset;
            return true;
        }
        return false;
    }
    uint64_t hash = lt_hash64(bytes, count, 0);
    uint32_t mask = rows->slot_count - 1;
    for (uint32_t slot = (uint32_t)hash & mask; rows->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint64_t        offset = (uint64_t)(rows->slots[slot] - 1) * 8;
        const row_head *head   = head_at(rows, offset);
        if (head->weight == 0 || head->hash != hash || !is_equal(head, bytes, count)) continue;
        *out_offset = offset;
        return true;
    }
    return false;
}

// ------------------------------------------------------------------------------------------------------------- changes

static leat_status append(lt_kept_rows *rows, const char *bytes, size_t count, int64_t weight, int64_t place,
                          lt_account *account, leat_error *err) {
    uint64_t needed = row_bytes(count);
    if (rows->bytes + needed > KEPT_BYTES_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "an aggregate would keep more than 4 GiB of one group");
    if (rows->bytes + needed > rows->capacity) {
        uint64_t capacity = rows->capacity == 0 ? 64 : rows->capacity * 2;
        while (capacity < rows->bytes + needed) capacity *= 2;
        char *data = lt_account_reallocate(account, rows->data, rows->capacity, capacity);
        if (data == NULL) return lt_raise_no_memory(err);
        rows->data     = data;
        rows->capacity = capacity;
    }
    row_head *head = head_at(rows, rows->bytes);
    *head          = (row_head){.weight = weight, .place = place, .count = (uint32_t)count};
    memcpy(rows->data + rows->bytes + sizeof *head, bytes, count);
    if (rows->slot_count > 0) {
        if (rows->slots_used * 2 >= rows->slot_count) LT_TRY(index_build(rows, account, err));
        head->hash = lt_hash64(bytes, count, 0);
        index_row(rows, rows->bytes);
    }
    rows->bytes += needed;
    rows->row_count++;
    return LEAT_OK;
}

// Moves the rows together once half of the bytes are of rows that are gone.
static leat_status compact(lt_kept_rows *rows, lt_account *account, leat_error *err) {
    if (rows->dead_bytes * 2 <= rows->bytes) return LEAT_OK;
    uint64_t into = 0;
    for (uint64_t offset = 0, size; offset < rows->bytes; offset += size) {
        size = row_bytes(head_at(rows, offset)->count);
        if (head_at(rows, offset)->weight == 0) continue;
        memmove(rows->data + into, rows->data + offset, size);
        into += size;
    }
    rows->bytes      = into;
    rows->dead_bytes = 0;
    return rows->slot_count > 0 ? index_build(rows, account, err) : LEAT_OK;
}

static void retire(lt_kept_rows *rows, row_head *head) {
    rows->dead_bytes += row_bytes(head->count);
    rows->row_count--;
}

static leat_status not_there(leat_error *err) {
    return lt_raise(err, LT_INTERNAL_ERROR, NULL, "an aggregate was asked to take away a row that it has not");
}

leat_status lt_kept_rows_merge(lt_kept_rows *rows, const char *bytes, size_t count, int64_t weight, int64_t place,
                               lt_account *account, leat_error *err) {
    uint64_t offset;
    if (weight == 0) return LEAT_OK;
    if (find_equal(rows, bytes, count, &offset)) {
        row_head *head = head_at(rows, offset);
        if (head->weight + weight < 0) return not_there(err);
        head->weight += weight;
        if (head->weight > 0) return LEAT_OK;
        retire(rows, head);
        return compact(rows, account, err);
    }
    if (weight < 0) return not_there(err);
    if (rows->slot_count == 0 && rows->row_count >= ROWS_WITHOUT_INDEX) LT_TRY(index_build(rows, account, err));
    return append(rows, bytes, count, weight, place, account, err);
}

// The equal row that came at `place`; without one, as where the place is not known, the earliest equal one.
static bool find_equal_at(const lt_kept_rows *rows, const char *bytes, size_t count, int64_t place,
                          uint64_t *out_offset) {
    bool is_found = false;
    for (uint64_t offset = 0; offset < rows->bytes; offset += row_bytes(head_at(rows, offset)->count)) {
        const row_head *head = head_at(rows, offset);
        if (head->weight == 0 || !is_equal(head, bytes, count) || (is_found && head->place != place)) continue;
        *out_offset = offset;
        is_found    = true;
        if (head->place == place) break;
    }
    return is_found;
}

leat_status lt_kept_rows_add(lt_kept_rows *rows, const char *bytes, size_t count, int64_t weight, int64_t place,
                             lt_account *account, leat_error *err) {
    lt_assert(rows->slot_count == 0);
    if (weight > 0) return append(rows, bytes, count, weight, place, account, err);
    uint64_t offset;
    while (weight < 0) {
        if (!find_equal_at(rows, bytes, count, place, &offset)) return not_there(err);
        row_head *head = head_at(rows, offset);
        int64_t   take = head->weight < -weight ? head->weight : -weight;
        head->weight -= take;
        weight += take;
        if (head->weight == 0) retire(rows, head);
    }
    return compact(rows, account, err);
}

bool lt_kept_rows_next(const lt_kept_rows *rows, uint64_t *cursor, lt_kept_row *out) {
    while (*cursor < rows->bytes) {
        const row_head *head = head_at(rows, *cursor);
        *cursor += row_bytes(head->count);
        if (head->weight == 0) continue;
        *out = (lt_kept_row){bytes_of(head), head->count, head->weight, head->place};
        return true;
    }
    return false;
}

leat_status lt_kept_rows_save(const lt_kept_rows *rows, lt_buffer *out, leat_error *err) {
    lt_kept_row row;
    LT_TRY(lt_buffer_append_u32(out, rows->row_count, err));
    for (uint64_t cursor = 0; lt_kept_rows_next(rows, &cursor, &row);) {
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)row.weight, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)row.place, err));
        LT_TRY(lt_buffer_append_bytes(out, row.bytes, row.count, err));
    }
    return LEAT_OK;
}

leat_status lt_kept_rows_load(lt_kept_rows *rows, bool is_merging, lt_reader *in, lt_account *account,
                              leat_error *err) {
    uint32_t row_count;
    LT_TRY(lt_reader_u32(in, &row_count, err));
    for (uint32_t i = 0; i < row_count; i++) {
        uint64_t    weight, place;
        const char *bytes;
        size_t      count;
        LT_TRY(lt_reader_u64(in, &weight, err));
        LT_TRY(lt_reader_u64(in, &place, err));
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        if ((int64_t)weight <= 0)
            return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a kept row has the weight %lld", (long long)weight);
        LT_TRY(is_merging ? lt_kept_rows_merge(rows, bytes, count, (int64_t)weight, (int64_t)place, account, err)
                          : lt_kept_rows_add(rows, bytes, count, (int64_t)weight, (int64_t)place, account, err));
    }
    return LEAT_OK;
}

void lt_kept_rows_close(lt_kept_rows *rows, lt_account *account) {
    lt_account_reallocate(account, rows->data, rows->capacity, 0);
    lt_account_reallocate(account, rows->slots, sizeof *rows->slots * rows->slot_count, 0);
    *rows = (lt_kept_rows){0};
}

// -------------------------------------------------------------------------------------------------------- accumulators

leat_status lt_kept_encode(const lt_aggregate_rows *rows, uint32_t first, uint32_t count, size_t row, bool is_canonical,
                           lt_buffer *out, leat_error *err) {
    for (uint32_t a = first; a < first + count; a++)
        LT_TRY(lt_row_encode(rows->arguments[a], 1, (uint32_t)row, is_canonical, out, err));
    return LEAT_OK;
}

leat_status lt_kept_accumulator_save(const void *accumulator, lt_buffer *out, leat_error *err) {
    return lt_kept_rows_save(accumulator, out, err);
}
leat_status lt_kept_accumulator_load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    return lt_kept_rows_load(accumulator, false, in, memory, err);
}
leat_status lt_kept_accumulator_load_merging(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    return lt_kept_rows_load(accumulator, true, in, memory, err);
}
void lt_kept_accumulator_close(void *accumulator, lt_account *memory) { lt_kept_rows_close(accumulator, memory); }

leat_status lt_kept_accumulator_update(void *accumulators, const lt_aggregate_rows *rows, bool is_merging,
                                       leat_error *err) {
    lt_kept_rows *groups = accumulators;
    lt_buffer     bytes;
    leat_status   status = LEAT_OK;
    lt_buffer_init(&bytes, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++) {
        lt_kept_rows *group = &groups[rows->group_index[i]];
        lt_buffer_reset(&bytes);
        status = lt_kept_encode(rows, 0, rows->argument_count, i, is_merging, &bytes, err);
        if (status != LEAT_OK) break;
        status = is_merging ? lt_kept_rows_merge(group, bytes.data, bytes.bytes, lt_aggregate_weight(rows, i),
                                                 rows->place[i], rows->memory, err)
                            : lt_kept_rows_add(group, bytes.data, bytes.bytes, lt_aggregate_weight(rows, i),
                                               rows->place[i], rows->memory, err);
    }
    lt_buffer_deinit(&bytes);
    return status;
}

leat_status lt_kept_decode(const lt_kept_rows *rows, const lt_type *const *types, uint32_t type_count, lt_arena *arena,
                           lt_kept_columns *out, leat_error *err) {
    lt_kept_row row;
    *out = (lt_kept_columns){0};
    LT_TRY_NEW_ARRAY(out->columns, arena, type_count + 1u, err);
    LT_TRY_NEW_ARRAY(out->weights, arena, rows->row_count + 1u, err);
    LT_TRY_NEW_ARRAY(out->places, arena, rows->row_count + 1u, err);
    for (uint32_t i = 0; i < type_count; i++)
        LT_TRY(lt_vector_init(&out->columns[i], types[i], rows->row_count + 1, arena, err));
    for (uint64_t cursor = 0; lt_kept_rows_next(rows, &cursor, &row);) {
        LT_TRY(lt_row_decode(row.bytes, row.count, out->columns, type_count, arena, err));
        out->weights[out->count]  = row.weight;
        out->places[out->count++] = row.place;
    }
    return LEAT_OK;
}

static int compare_rows(const lt_kept_columns *rows, uint32_t first, uint32_t key_count, const lt_order_key *order,
                        uint32_t a, uint32_t b) {
    for (uint32_t k = 0; k < key_count; k++) {
        const lt_vector *column    = &rows->columns[first + k];
        bool             a_is_null = lt_vector_is_null(column, a), b_is_null = lt_vector_is_null(column, b);
        if (a_is_null || b_is_null) {
            if (a_is_null == b_is_null) continue;
            return a_is_null == (order == NULL || order[k].is_nulls_first) ? -1 : 1;
        }
        int way = lt_vector_compare(column, a, column, b);
        if (way != 0) return order != NULL && order[k].is_descending ? -way : way;
    }
    return (rows->places[a] > rows->places[b]) - (rows->places[a] < rows->places[b]);
}

leat_status lt_kept_sort(const lt_kept_columns *rows, uint32_t first, uint32_t key_count, const lt_order_key *order,
                         lt_arena *arena, uint32_t **out, leat_error *err) {
    uint32_t *from, *into;
    LT_TRY_NEW_ARRAY(from, arena, rows->count + 1u, err);
    LT_TRY_NEW_ARRAY(into, arena, rows->count + 1u, err);
    for (uint32_t i = 0; i < rows->count; i++) from[i] = i;
    for (uint64_t width = 1; width < rows->count; width *= 2) {
        for (uint64_t start = 0; start < rows->count; start += 2 * width) {
            uint64_t middle = start + width < rows->count ? start + width : rows->count;
            uint64_t end    = start + 2 * width < rows->count ? start + 2 * width : rows->count;
            uint64_t left = start, right = middle;
            for (uint64_t at = start; at < end; at++) {
                bool takes_left = left < middle && (right >= end || compare_rows(rows, first, key_count, order,
                                                                                 from[left], from[right]) <= 0);
                into[at]        = takes_left ? from[left++] : from[right++];
            }
        }
        uint32_t *swap = from;
        from           = into;
        into           = swap;
    }
    *out = from;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- replay

leat_status lt_kept_replay_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    return lt_kept_accumulator_update(accumulators, rows, false, err);
}

// The rows of one group, each as often as its weight says, in order of arrival.
static leat_status replay_group(const lt_kept_rows *kept, const lt_aggregate_results *out, uint32_t group,
                                void *accumulators, leat_error *err) {
    const lt_aggregate *base  = out->aggregate->replays;
    lt_arena           *arena = out->arena;
    lt_kept_columns     rows;
    lt_vector          *columns;
    const lt_vector   **arguments;
    uint32_t           *order, *spread, *groups, count = 0;
    int64_t             total = 0;
    LT_TRY(lt_kept_decode(kept, out->argument_types, out->argument_count, arena, &rows, err));
    LT_TRY(lt_kept_sort(&rows, 0, 0, NULL, arena, &order, err));
    for (uint32_t i = 0; i < rows.count; i++) total += rows.weights[i];
    if (total > REPLAYED_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "an aggregate of more than a billion rows");
    LT_TRY_NEW_ARRAY(spread, arena, (size_t)total + 1u, err);
    LT_TRY_NEW_ARRAY(groups, arena, (size_t)total + 1u, err);
    LT_TRY_NEW_ARRAY(columns, arena, out->argument_count + 1u, err);
    LT_TRY_NEW_ARRAY(arguments, arena, out->argument_count + 1u, err);
    for (uint32_t i = 0; i < rows.count; i++)
        for (int64_t copy = 0; copy < rows.weights[order[i]]; copy++) spread[count++] = order[i];
    for (uint32_t i = 0; i < count; i++) groups[i] = group;
    for (uint32_t a = 0; a < out->argument_count; a++) {
        LT_TRY(lt_row_store_gather_column(&rows.columns[a], spread, count, arena, &columns[a], err));
        arguments[a] = &columns[a];
    }
    const lt_aggregate_rows replayed = {.aggregate      = base,
                                        .arguments      = arguments,
                                        .values         = out->argument_count > 0 ? columns[0].values : NULL,
                                        .argument_count = out->argument_count,
                                        .group_index    = groups,
                                        .count          = count,
                                        .memory         = out->memory,
                                        .result_type    = out->result_type,
                                        .constants      = out->constants,
                                        .evaluation     = out->evaluation};
    return base->update(accumulators, &replayed, err);
}

leat_status lt_kept_replay_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const lt_kept_rows  *kept    = accumulators;
    const lt_aggregate  *base    = out->aggregate->replays;
    lt_aggregate_results results = *out;
    uint32_t            *groups;
    char                *fresh = lt_arena_zero(out->arena, base->accumulator_bytes * out->count + 1);
    if (fresh == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW_ARRAY(groups, out->arena, out->count + 1u, err);
    for (uint32_t i = 0; i < out->count; i++) {
        groups[i] = i;
        LT_TRY(replay_group(&kept[out->group_index[i]], out, i, fresh, err));
    }
    results.aggregate   = base;
    results.group_index = groups;
    return base->finish(fresh, &results, err);
}
