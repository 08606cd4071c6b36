#include "exec/state/correlations.h"

void lt_correlations_init(lt_correlations *self, const lt_type *const *types, uint32_t key_count, uint64_t seed,
                          lt_account *account) {
    *self = (lt_correlations){.account = account, .key_count = key_count};
    lt_group_table_init(&self->keys, account, types, key_count, seed);
}

static leat_status items_reserve(lt_correlations *self, leat_error *err) {
    const uint32_t   want  = self->keys.group_capacity;
    lt_account_array array = {self->items, sizeof *self->items};
    if (self->capacity >= want) return LEAT_OK;
    LT_TRY(lt_account_grow(self->account, &array, 1, self->capacity, want, err));
    self->items    = array.memory;
    self->capacity = want;
    return LEAT_OK;
}

leat_status lt_correlations_reserve_links(lt_correlations *self, uint32_t capacity, leat_error *err) {
    lt_account_array array = {self->links, sizeof *self->links};
    if (self->link_capacity >= capacity) return LEAT_OK;
    LT_TRY(lt_account_grow(self->account, &array, 1, self->link_capacity, capacity, err));
    self->links         = array.memory;
    self->link_capacity = capacity;
    return LEAT_OK;
}

static leat_status touch(lt_correlations *self, uint32_t number, leat_error *err) {
    lt_correlation *item = &self->items[number];
    if (item->touched_at != 0) return LEAT_OK;
    LT_TRY_GROW(self->touched, self->account, self->touched_count, self->touched_capacity, 16, err);
    self->touched[self->touched_count++] = number;
    item->touched_at                     = self->touched_count;
    item->rows_before                    = item->rows;
    item->nulls_before                   = item->nulls;
    return LEAT_OK;
}

leat_status lt_correlations_find(lt_correlations *self, const lt_vector *keys, const uint16_t *rows, uint32_t count,
                                 uint32_t *out_numbers, leat_error *err) {
    LT_TRY(lt_group_table_find_or_add(&self->keys, keys, self->key_count, rows, count, out_numbers, err));
    LT_TRY(items_reserve(self, err));
    for (uint32_t i = 0; i < count; i++) LT_TRY(touch(self, out_numbers[i], err));
    return LEAT_OK;
}

leat_status lt_correlations_count(lt_correlations *self, uint32_t number, int64_t weight, bool is_null,
                                  leat_error *err) {
    lt_correlation *item = &self->items[number];
    if (!__builtin_add_overflow(item->rows, weight, &item->rows) && item->rows >= 0 &&
        (!is_null || (item->nulls += weight) >= 0))
        return LEAT_OK;
    return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away from a join that is not there");
}

void lt_correlations_link(lt_correlations *self, uint32_t group, uint32_t number, bool is_null) {
    lt_correlation_link *link = &self->links[group];
    lt_correlation      *item = &self->items[number];
    if (link->correlation != 0) return;
    *link = (lt_correlation_link){.correlation = number + 1, .next = item->first, .is_null = is_null};
    if (item->first != 0) self->links[item->first - 1].previous = group + 1;
    item->first = group + 1;
}

void lt_correlations_unlink(lt_correlations *self, uint32_t group) {
    const lt_correlation_link link = self->links[group];
    if (link.correlation == 0) return;
    if (link.previous != 0)
        self->links[link.previous - 1].next = link.next;
    else
        self->items[link.correlation - 1].first = link.next;
    if (link.next != 0) self->links[link.next - 1].previous = link.previous;
    self->links[group] = (lt_correlation_link){0};
}

bool lt_correlation_has_turned(const lt_correlation *self) {
    return (self->rows > 0) != (self->rows_before > 0) || (self->nulls > 0) != (self->nulls_before > 0);
}

bool lt_correlations_is_null(const lt_correlations *self, uint32_t group, bool is_before) {
    const lt_correlation_link *link = &self->links[group];
    if (link->correlation == 0) return false;
    const lt_correlation *item       = &self->items[link->correlation - 1];
    const bool            has_before = is_before && item->touched_at != 0;
    const int64_t         rows       = has_before ? item->rows_before : item->rows;
    const int64_t         nulls      = has_before ? item->nulls_before : item->nulls;
    return nulls > 0 || (link->is_null && rows > 0);
}

void lt_correlations_settle(lt_correlations *self) {
    for (uint32_t i = 0; i < self->touched_count; i++) {
        lt_correlation *item = &self->items[self->touched[i]];
        item->touched_at     = 0;
        if (item->first != 0 || item->rows != 0) continue;
        *item = (lt_correlation){0};
        lt_group_table_remove(&self->keys, self->touched[i]);
    }
    self->touched_count = 0;
}

leat_status lt_correlations_save(const lt_correlations *self, uint32_t number, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_group_table_save_key(&self->keys, number, out, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->items[number].rows, err));
    return lt_buffer_append_u64(out, (uint64_t)self->items[number].nulls, err);
}

leat_status lt_correlations_load(lt_correlations *self, lt_reader *in, leat_error *err) {
    const char *key;
    size_t      count;
    uint64_t    rows, nulls;
    uint32_t    number;
    LT_TRY(lt_reader_bytes(in, &key, &count, err));
    LT_TRY(lt_reader_u64(in, &rows, err));
    LT_TRY(lt_reader_u64(in, &nulls, err));
    LT_TRY(lt_group_table_add_bytes(&self->keys, key, count, &number, err));
    LT_TRY(items_reserve(self, err));
    LT_TRY(touch(self, number, err));
    self->items[number].rows  = (int64_t)rows;
    self->items[number].nulls = (int64_t)nulls;
    return LEAT_OK;
}

void lt_correlations_deinit(lt_correlations *self) {
    lt_account *account = self->account;
    if (account == NULL) return;
    lt_account_reallocate(account, self->items, sizeof *self->items * self->capacity, 0);
    lt_account_reallocate(account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    lt_account_reallocate(account, self->links, sizeof *self->links * self->link_capacity, 0);
    lt_group_table_deinit(&self->keys);
    *self = (lt_correlations){0};
}
