#include "exec/window/changes.h"

enum { CHANGES_MIN = 1 << 16 }; // held before they are looked through

void lt_window_changes_init(lt_window_changes *self, lt_account *account) {
    *self = (lt_window_changes){.account = account, .count_max = CHANGES_MIN};
}

leat_status lt_window_changes_note(lt_window_changes *self, lt_window_partition *part, uint32_t group,
                                   lt_ordered_row *row, bool is_minus, leat_error *err) {
    LT_TRY_GROW(self->items, self->account, self->count, self->capacity, 64, err);
    if (part->first_change == 0) {
        LT_TRY_GROW(self->touched, self->account, self->touched_count, self->touched_capacity, 64, err);
        self->touched[self->touched_count++] = group;
    }
    self->items[self->count++] =
        (lt_window_change){.row = row, .group = group, .next = part->first_change, .is_minus = is_minus};
    part->first_change = self->count;
    return LEAT_OK;
}

void lt_window_changes_turn(lt_window_changes *self, lt_window_partition *part) {
    uint32_t previous = 0;
    for (uint32_t at = part->first_change, next; at != 0; previous = at, at = next) {
        next                     = self->items[at - 1].next;
        self->items[at - 1].next = previous;
    }
    part->first_change = previous;
}

// New rows of a partition, of which those behind the first ones go again.
static leat_status pending_cut(lt_window_changes *self, const lt_plan *plan, lt_window_partition *part,
                               lt_ordered_rows *pending, leat_error *err) {
    lt_account *account = self->account;
    bool        is_full;
    lt_window_changes_turn(self, part);
    for (uint32_t at = part->first_change; at != 0; at = self->items[at - 1].next) {
        LT_TRY(lt_ordered_rows_insert(pending, self->items[at - 1].row, account, err));
        self->items[at - 1].row = NULL;
    }
    const uint32_t end = lt_window_top_end(plan, pending, &is_full);
    while (pending->count > end)
        lt_ordered_row_free(lt_ordered_rows_remove(pending, pending->count - 1, account), account);
    return LEAT_OK;
}

// Of a large batch only the new rows that can be among the first are held: every so often the others go.
leat_status lt_window_changes_cut(lt_window_changes *self, const lt_plan *plan, lt_window_partition *partitions,
                                  leat_error *err) {
    lt_account       *account = self->account;
    lt_window_change *kept    = lt_account_reallocate(account, NULL, 0, sizeof *kept * self->capacity);
    uint32_t          count   = 0;
    leat_status       status  = kept == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < self->touched_count; i++) {
        lt_window_partition *part    = &partitions[self->touched[i]];
        lt_ordered_rows      pending = {0};
        lt_ordered_row      *row;
        lt_ordered_cursor    cursor;
        status = pending_cut(self, plan, part, &pending, err);
        if (status == LEAT_OK) part->first_change = 0;
        cursor = lt_ordered_rows_seek(&pending, 0);
        while (status == LEAT_OK && (row = lt_ordered_rows_next(&cursor)) != NULL) {
            kept[count++]      = (lt_window_change){.row = row, .group = self->touched[i], .next = part->first_change};
            part->first_change = count;
        }
        status == LEAT_OK ? lt_ordered_rows_release(&pending, account) : lt_ordered_rows_close(&pending, account);
    }
    if (status != LEAT_OK) {
        for (uint32_t i = 0; i < count; i++) lt_ordered_row_free(kept[i].row, account);
        lt_account_reallocate(account, kept, kept == NULL ? 0 : sizeof *kept * self->capacity, 0);
        return status;
    }
    lt_account_reallocate(account, self->items, sizeof *self->items * self->capacity, 0);
    self->items     = kept;
    self->count     = count;
    self->count_max = count < CHANGES_MIN / 4 ? CHANGES_MIN : count * 4;
    return LEAT_OK;
}

void lt_window_changes_reset(lt_window_changes *self) { self->count = self->touched_count = 0; }

void lt_window_changes_close(lt_window_changes *self) {
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_window_change *made = &self->items[i];
        if (made->row != NULL && (made->is_minus || !made->row->is_fresh))
            lt_ordered_row_free(made->row, self->account);
    }
    lt_account_reallocate(self->account, self->items, sizeof *self->items * self->capacity, 0);
    lt_account_reallocate(self->account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    *self = (lt_window_changes){0};
}

// ----------------------------------------------------------------------------------------------------------- stretches

// Whether a row that goes stands in the partition at its own place, beside those that others of this batch take there:
// a row of weight 2 at one place may have come as two of different places. The first of the copies counts its takers; it
// goes in this batch, and the count with it.
static bool is_at_its_place(const lt_window_partition *part, const lt_ordered_row *goes) {
    uint32_t position;
    if (!lt_ordered_rows_find(&part->rows, goes, &position)) return false;
    lt_ordered_row *there = lt_ordered_rows_at(&part->rows, position);
    if (there->place != goes->place || there->takers >= part->rows.count - position) return false;
    const lt_ordered_row *copy = lt_ordered_rows_at(&part->rows, position + there->takers++);
    return copy->place == goes->place && copy->key_bytes == goes->key_bytes && copy->row_bytes == goes->row_bytes &&
           memcmp(copy->data, goes->data, (size_t)goes->key_bytes + goes->row_bytes) == 0;
}

// Where a change falls: rows [*first, *end) of the partition before it. Which of several equal rows goes is not yet
// known, so all of them count.
static void change_range(const lt_window_reach *reach, const lt_window_partition *part, const lt_window_change *made,
                         uint32_t *first, uint32_t *end) {
    const bool has_peers = reach->has_peers || (made->is_minus && !is_at_its_place(part, made->row));
    *first =
        has_peers ? lt_ordered_rows_first_peer(&part->rows, made->row) : lt_ordered_rows_lower(&part->rows, made->row);
    *end = has_peers        ? lt_ordered_rows_end_of_peers(&part->rows, made->row)
           : made->is_minus ? lt_ordered_rows_upper(&part->rows, made->row)
                            : *first;
}

static leat_status stretches_sort(lt_window_stretch **list, uint32_t count, lt_arena *arena, leat_error *err) {
    lt_window_stretch *from = *list, *into;
    LT_TRY_NEW_ARRAY(into, arena, count + 1u, err);
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * width) {
            uint64_t middle = start + width < count ? start + width : count;
            uint64_t end    = start + 2 * width < count ? start + 2 * width : count;
            uint64_t left = start, right = middle;
            for (uint64_t at = start; at < end; at++) {
                bool takes_left = left < middle && (right >= end || from[left].first <= from[right].first);
                into[at]        = takes_left ? from[left++] : from[right++];
            }
        }
        lt_window_stretch *swap = from;
        from                    = into;
        into                    = swap;
    }
    *list = from;
    return LEAT_OK;
}

leat_status lt_window_changes_stretches(const lt_window_changes *self, const lt_window_partition *part,
                                        const lt_window_reach *reach, bool is_one, uint32_t count_max, lt_arena *arena,
                                        lt_window_stretch **out, uint32_t *out_count, leat_error *err) {
    const uint64_t apart =
        (uint64_t)reach->rows_before + reach->rows_behind + reach->needs_before + reach->needs_behind;
    lt_window_stretch *list;
    uint32_t           count = 0, kept = 0;
    for (uint32_t at = part->first_change; at != 0; at = self->items[at - 1].next) count++;
    LT_TRY_NEW_ARRAY(list, arena, is_one ? 1 : count, err);
    list[0].first = part->rows.count;
    for (uint32_t at = part->first_change, i = 0; at != 0; at = self->items[at - 1].next) {
        const lt_window_change *made = &self->items[at - 1];
        lt_window_stretch       found;
        change_range(reach, part, made, &found.first, &found.end);
        found.growth = made->is_minus ? -1 : 1;
        if (!is_one) {
            list[i++] = found;
            continue;
        }
        if (found.first < list[0].first) list[0].first = found.first;
        if (found.end > list[0].end) list[0].end = found.end;
        list[0].growth += found.growth;
    }
    if (!is_one) LT_TRY(stretches_sort(&list, count, arena, err));
    for (uint32_t i = 1; !is_one && i < count; i++) {
        lt_window_stretch *last = &list[kept];
        if (list[i].first > last->end + apart && kept + 1 < count_max) {
            list[++kept] = list[i];
            continue;
        }
        if (list[i].end > last->end) last->end = list[i].end;
        last->growth += list[i].growth;
    }
    *out       = list;
    *out_count = kept + 1;
    return LEAT_OK;
}
