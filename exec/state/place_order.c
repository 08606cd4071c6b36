#include "exec/state/place_order.h"

#include <string.h>

void lt_place_order_init(lt_place_order *self, lt_account *account) {
    *self = (lt_place_order){.account = account, .is_ascending = true};
}

leat_status lt_place_order_append(lt_place_order *self, int64_t place, leat_error *err) {
    LT_TRY_GROW(self->places, self->account, self->count, self->capacity, 64, err);
    if (self->count > 0 && place < self->places[self->count - 1]) self->is_ascending = false;
    self->places[self->count++] = place;
    return LEAT_OK;
}

// Two sorted runs that stand side by side in `from`; numbers of the left one are lower.
static void runs_merge(const int64_t *places, const uint64_t *from, uint64_t first, uint64_t middle, uint64_t end,
                       uint64_t *into) {
    uint64_t left = first, right = middle;
    for (uint64_t at = first; at < end; at++) {
        const bool takes_left = left < middle && (right >= end || places[from[left]] <= places[from[right]]);
        into[at]              = takes_left ? from[left++] : from[right++];
    }
}

// Sorts the new rows, then merges them with those before. `other`: as much room.
static void numbers_sort(lt_place_order *self, uint64_t *other) {
    const uint64_t first = self->sorted_count, count = self->count;
    uint64_t      *from = self->numbers, *into = other;
    for (uint64_t row = first; row < count; row++) from[row] = row;
    for (uint64_t width = 1; width < count - first; width *= 2) {
        for (uint64_t at = first; at < count; at += 2 * width) {
            const uint64_t middle = at + width < count ? at + width : count;
            runs_merge(self->places, from, at, middle, middle + width < count ? middle + width : count, into);
        }
        uint64_t *swap = from;
        from           = into;
        into           = swap;
    }
    if (from == other) memcpy(self->numbers + first, other + first, sizeof *other * (count - first));
    if (first == 0) return;
    runs_merge(self->places, self->numbers, 0, first, count, other);
    memcpy(self->numbers, other, sizeof *other * count);
}

leat_status lt_place_order_numbers(lt_place_order *self, const uint64_t **out, leat_error *err) {
    *out = NULL;
    if (self->is_ascending) return LEAT_OK;
    if (self->sorted_count < self->count) {
        while (self->number_capacity < self->count)
            LT_TRY_GROW(self->numbers, self->account, self->number_capacity, self->number_capacity, 64, err);
        uint64_t *other = lt_account_reallocate(self->account, NULL, 0, sizeof *other * self->count);
        if (other == NULL) return lt_raise_no_memory(err);
        numbers_sort(self, other);
        lt_account_reallocate(self->account, other, sizeof *other * self->count, 0);
        self->sorted_count = self->count;
    }
    *out = self->numbers;
    return LEAT_OK;
}

void lt_place_order_reset(lt_place_order *self) {
    self->count = self->sorted_count = 0;
    self->is_ascending               = true;
}

void lt_place_order_deinit(lt_place_order *self) {
    if (self->account == NULL) return;
    lt_account_reallocate(self->account, self->places, sizeof *self->places * self->capacity, 0);
    lt_account_reallocate(self->account, self->numbers, sizeof *self->numbers * self->number_capacity, 0);
    lt_place_order_init(self, self->account);
}
