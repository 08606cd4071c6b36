#include "exec/state/chained_rows.h"

enum { TOUCHES_KEPT_MAX = 64 * 1024 }; // memory for them, from batch to batch

leat_status lt_chained_rows_init(lt_chained_rows *self, const lt_chained_use *use, lt_account *account,
                                 leat_error *err) {
    *self = (lt_chained_rows){.account = account, .use = *use};
    lt_buffer_init(&self->scratch, account, 0);
    lt_row_set_init(&self->set, account, true);
    if (!use->is_growing || !use->keeps_rows) return LEAT_OK;
    return lt_row_store_init(&self->store, use->types, use->width, account, err);
}

leat_status lt_chained_rows_reserve_groups(lt_chained_rows *self, uint32_t capacity, leat_error *err) {
    if (capacity <= self->chain_capacity) return LEAT_OK;
    lt_account_array chains = {self->chains, sizeof *self->chains};
    LT_TRY(lt_account_grow(self->account, &chains, 1, self->chain_capacity, capacity, err));
    self->chains         = chains.memory;
    self->chain_capacity = capacity;
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- slots

static bool has_touched_at(const lt_chained_use *use) { return !use->is_growing || use->has_counts; }

static leat_status slots_reserve(lt_chained_rows *self, uint32_t count, leat_error *err) {
    uint32_t want = self->capacity == 0 ? 64 : self->capacity;
    if (count <= self->capacity) return LEAT_OK;
    if (count > INT32_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than two billion rows to keep");
    while (want < count) want *= 2;
    const lt_chained_use *use      = &self->use;
    lt_account_array      arrays[] = {{self->next, sizeof *self->next},
                                      {self->previous, use->is_growing ? 0 : sizeof *self->previous},
                                      {self->touched_at, has_touched_at(use) ? sizeof *self->touched_at : 0},
                                      {self->weights, use->is_growing ? 0 : sizeof *self->weights},
                                      {self->counts, use->has_counts ? sizeof *self->counts : 0}};
    lt_account_array      wanted[5];
    uint32_t              at[5], array_count = 0;
    for (uint32_t i = 0; i < 5; i++)
        if (arrays[i].item_bytes > 0) {
            at[array_count]       = i;
            wanted[array_count++] = arrays[i];
        }
    LT_TRY(lt_account_grow(self->account, wanted, array_count, self->capacity, want, err));
    for (uint32_t i = 0; i < array_count; i++) arrays[at[i]].memory = wanted[i].memory;
    self->next       = arrays[0].memory;
    self->previous   = arrays[1].memory;
    self->touched_at = arrays[2].memory;
    self->weights    = arrays[3].memory;
    self->counts     = arrays[4].memory;
    self->capacity   = want;
    return LEAT_OK;
}

static void chain_append(lt_chained_rows *self, uint32_t slot, uint32_t group) {
    lt_row_chain *chain = &self->chains[group];
    self->next[slot]    = 0;
    if (self->previous != NULL) self->previous[slot] = chain->tail;
    if (chain->tail != 0)
        self->next[chain->tail - 1] = slot + 1;
    else
        chain->head = slot + 1;
    chain->tail = slot + 1;
}

static void chain_remove(lt_chained_rows *self, uint32_t slot, uint32_t group) {
    lt_row_chain  *chain = &self->chains[group];
    const uint32_t next = self->next[slot], previous = self->previous[slot];
    if (previous != 0)
        self->next[previous - 1] = next;
    else
        chain->head = next;
    if (next != 0)
        self->previous[next - 1] = previous;
    else
        chain->tail = previous;
}

static leat_status touch(lt_chained_rows *self, uint32_t slot, uint32_t group, int64_t weight_before, leat_error *err) {
    if (self->touched_at != NULL && self->touched_at[slot] != 0) return LEAT_OK;
    LT_TRY_GROW(self->touches, self->account, self->touch_count, self->touch_capacity, 64, err);
    self->touches[self->touch_count++] = (lt_row_touch){.slot          = slot,
                                                        .group         = group,
                                                        .weight_before = weight_before,
                                                        .count_before  = self->counts != NULL ? self->counts[slot] : 0};
    if (self->touched_at != NULL) self->touched_at[slot] = self->touch_count;
    return LEAT_OK;
}

leat_status lt_chained_rows_count(lt_chained_rows *self, uint32_t slot, uint32_t group, int64_t more, leat_error *err) {
    LT_TRY(touch(self, slot, group, lt_chained_rows_weight(self, slot), err));
    self->counts[slot] += more;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- adding

static leat_status raise_absent(leat_error *err) {
    return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away from a join that is not there");
}

static leat_status chain_weight_add(lt_row_chain *chain, int64_t weight, leat_error *err) {
    if (__builtin_add_overflow(chain->weight, weight, &chain->weight))
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more rows of one key than a number of 64 bits can count");
    return chain->weight < 0 ? raise_absent(err) : LEAT_OK;
}

static leat_status growing_add(lt_chained_rows *self, const lt_chunk *chunk, const uint16_t *rows,
                               const uint32_t *groups, uint32_t count, lt_arena *scratch, leat_error *err) {
    const uint32_t first = self->store.count;
    lt_chunk       added = *chunk;
    for (uint32_t i = 0; chunk->weights != NULL && i < count; i++)
        if (chunk->weights[rows[i]] != 1) return raise_absent(err);
    if (count < chunk->count) LT_TRY(lt_chunk_gather(chunk, rows, count, scratch, &added, err));
    LT_TRY(lt_row_store_append(&self->store, &added, err));
    LT_TRY(slots_reserve(self, self->store.count, err));
    for (uint32_t i = 0; i < count; i++) {
        chain_append(self, first + i, groups[i]);
        self->chains[groups[i]].weight++;
        LT_TRY(touch(self, first + i, groups[i], 0, err));
    }
    self->changed_count = self->touch_count;
    return LEAT_OK;
}

static leat_status weighted_add(lt_chained_rows *self, const lt_chunk *chunk, uint32_t row, uint32_t group,
                                uint32_t *out_new_slot, leat_error *err) {
    const int64_t  weight = lt_chunk_weight(chunk, row);
    const int64_t  place  = chunk->places != NULL ? chunk->places[row] : self->next_place++;
    const uint64_t had    = self->set.live_rows;
    uint32_t       slot;
    if (weight == 0) return LEAT_OK;
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(chunk->columns, self->use.width, row, false, &self->scratch, err));
    if (weight < 0 && !lt_row_set_find_number(&self->set, self->scratch.data, self->scratch.bytes, &slot))
        return raise_absent(err);
    if (weight > 0)
        LT_TRY(lt_row_set_number_of(&self->set, self->scratch.data, self->scratch.bytes, place, &slot, err));
    if (self->set.live_rows > had) {
        LT_TRY(slots_reserve(self, slot + 1, err));
        self->weights[slot]    = 0;
        self->touched_at[slot] = 0;
        if (self->counts != NULL) self->counts[slot] = 0;
        chain_append(self, slot, group);
        *out_new_slot = slot;
    }
    LT_TRY(touch(self, slot, group, self->weights[slot], err));
    self->changed_count = self->touch_count;
    if (__builtin_add_overflow(self->weights[slot], weight, &self->weights[slot]))
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more equal rows than a number of 64 bits can count");
    return self->weights[slot] < 0 ? raise_absent(err) : chain_weight_add(&self->chains[group], weight, err);
}

leat_status lt_chained_rows_add(lt_chained_rows *self, const lt_chunk *chunk, const uint16_t *rows,
                                const uint32_t *groups, uint32_t count, lt_arena *scratch, uint32_t *out_slots,
                                leat_error *err) {
    if (!self->use.keeps_rows) {
        for (uint32_t i = 0; i < count; i++)
            LT_TRY(chain_weight_add(&self->chains[groups[i]], lt_chunk_weight(chunk, rows[i]), err));
        return LEAT_OK;
    }
    for (uint32_t i = 0; out_slots != NULL && self->use.is_growing && i < count; i++)
        out_slots[i] = self->store.count + i;
    if (self->use.is_growing) return growing_add(self, chunk, rows, groups, count, scratch, err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = LT_NO_ROW;
        LT_TRY(weighted_add(self, chunk, rows[i], groups[i], &slot, err));
        if (out_slots != NULL) out_slots[i] = slot;
    }
    return LEAT_OK;
}

leat_status lt_chained_rows_forget(lt_chained_rows *self, uint32_t slot, uint32_t group, leat_error *err) {
    const int64_t weight = self->weights[slot];
    if (weight == 0) return LEAT_OK;
    LT_TRY(touch(self, slot, group, weight, err));
    self->changed_count = self->touch_count;
    self->weights[slot] = 0;
    return chain_weight_add(&self->chains[group], -weight, err);
}

// ------------------------------------------------------------------------------------------------------------- reading

leat_status lt_chained_rows_gather(const lt_chained_rows *self, const uint32_t *slots, uint32_t count, lt_arena *arena,
                                   lt_vector *columns, leat_error *err) {
    const uint32_t width = self->use.width;
    if (self->use.is_growing) {
        for (uint32_t c = 0; c < width; c++)
            LT_TRY(lt_row_store_gather_column(&self->store.columns[c], slots, count, arena, &columns[c], err));
        return LEAT_OK;
    }
    for (uint32_t c = 0; c < width; c++) LT_TRY(lt_vector_init(&columns[c], self->use.types[c], count, arena, err));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; slots[i] == LT_NO_ROW && c < width; c++)
            LT_TRY(lt_vector_append_null(&columns[c], arena, err));
        if (slots[i] == LT_NO_ROW) continue;
        const lt_row_set_row row = lt_row_set_at(&self->set, slots[i]);
        LT_TRY(lt_row_decode(row.bytes, row.count, columns, width, arena, err));
    }
    return LEAT_OK;
}

int64_t lt_chained_rows_place(const lt_chained_rows *self, uint32_t slot) {
    if (!self->use.is_growing) return lt_row_set_at(&self->set, slot).place;
    return self->store.places != NULL ? self->store.places[slot] : slot;
}

// ---------------------------------------------------------------------------------------------------------- save, load

leat_status lt_chained_rows_save(lt_chained_rows *self, uint32_t slot, lt_buffer *out, leat_error *err) {
    if (self->use.is_growing) {
        lt_buffer_reset(&self->scratch);
        LT_TRY(lt_row_encode(self->store.columns, self->use.width, slot, false, &self->scratch, err));
        LT_TRY(lt_buffer_append_bytes(out, self->scratch.data, self->scratch.bytes, err));
    } else {
        const lt_row_set_row row = lt_row_set_at(&self->set, slot);
        LT_TRY(lt_buffer_append_bytes(out, row.bytes, row.count, err));
    }
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)lt_chained_rows_place(self, slot), err));
    return lt_buffer_append_u64(out, self->use.is_growing ? slot : (uint64_t)self->weights[slot], err);
}

leat_status lt_chained_rows_load(const lt_chained_rows *self, lt_reader *in, lt_chunk *into, int64_t *weights,
                                 int64_t *places, lt_arena *arena, leat_error *err) {
    const char *bytes;
    size_t      count;
    uint64_t    place, last;
    uint32_t    slot;
    int64_t     more = 1;
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    LT_TRY(lt_reader_u64(in, &last, err));
    if (self->use.is_growing) {
        const uint64_t next = (uint64_t)self->store.count + into->count;
        if (last > next) return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has a gap between its rows");
        if (last < next) return LEAT_OK; // it is there
    } else {
        more = (int64_t)last;
        if (lt_row_set_find_number(&self->set, bytes, count, &slot)) more -= self->weights[slot];
        if (more == 0) return LEAT_OK;
    }
    LT_TRY(lt_row_decode(bytes, count, into->columns, into->column_count, arena, err));
    weights[into->count]  = more;
    places[into->count++] = (int64_t)place;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------ end of a batch

leat_status lt_chained_rows_settle(lt_chained_rows *self, leat_error *err) {
    for (uint32_t i = 0; i < self->touch_count; i++) {
        const lt_row_touch *entry = &self->touches[i];
        if (self->touched_at != NULL) self->touched_at[entry->slot] = 0;
        if (self->use.is_growing || self->weights[entry->slot] != 0) continue;
        chain_remove(self, entry->slot, entry->group);
        const lt_row_set_row row = lt_row_set_at(&self->set, entry->slot);
        LT_TRY(lt_row_set_add(&self->set, row.bytes, row.count, -1, row.place, NULL, err));
    }
    if (self->touch_capacity > TOUCHES_KEPT_MAX) {
        lt_account_reallocate(self->account, self->touches, sizeof *self->touches * self->touch_capacity, 0);
        self->touches        = NULL;
        self->touch_capacity = 0;
    }
    self->touch_count = self->changed_count = 0;
    self->first_new                         = self->store.count;
    return LEAT_OK;
}

uint32_t lt_chained_rows_removed(const lt_chained_rows *self) {
    uint32_t removed = 0;
    for (uint32_t i = 0; !self->use.is_growing && i < self->changed_count; i++)
        removed += self->touches[i].weight_before > 0 && self->weights[self->touches[i].slot] == 0;
    return removed;
}

uint64_t lt_chained_rows_live(const lt_chained_rows *self) {
    return self->use.is_growing ? self->store.count : self->set.live_rows;
}

uint64_t lt_chained_rows_bytes(const lt_chained_rows *self) {
    uint64_t row_bytes = 0;
    for (uint32_t c = 0; self->use.is_growing && self->use.keeps_rows && c < self->use.width; c++)
        row_bytes += lt_kind_lane_bytes(self->use.types[c]->kind);
    row_bytes += sizeof *self->next * (self->use.is_growing ? 1u : 3u);
    row_bytes += (self->use.is_growing ? 0 : sizeof *self->weights) + (self->use.has_counts ? sizeof *self->counts : 0);
    const uint64_t own =
        self->use.is_growing && self->use.keeps_rows ? self->store.arena.used_bytes : self->set.live_bytes;
    return own + row_bytes * lt_chained_rows_live(self);
}

static void array_free(const lt_chained_rows *self, void *items, size_t item_bytes) {
    if (items != NULL) lt_account_reallocate(self->account, items, item_bytes * self->capacity, 0);
}

void lt_chained_rows_deinit(lt_chained_rows *self) {
    lt_account *account = self->account;
    if (account == NULL) return;
    if (self->use.is_growing && self->use.keeps_rows) lt_row_store_deinit(&self->store);
    lt_row_set_deinit(&self->set);
    lt_account_reallocate(account, self->chains, sizeof *self->chains * self->chain_capacity, 0);
    array_free(self, self->next, sizeof *self->next);
    array_free(self, self->previous, sizeof *self->previous);
    array_free(self, self->touched_at, sizeof *self->touched_at);
    array_free(self, self->weights, sizeof *self->weights);
    array_free(self, self->counts, sizeof *self->counts);
    lt_account_reallocate(account, self->touches, sizeof *self->touches * self->touch_capacity, 0);
    lt_buffer_deinit(&self->scratch);
    *self = (lt_chained_rows){0};
}
