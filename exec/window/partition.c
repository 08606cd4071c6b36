#include "exec/window/partition.h"

enum { MARK_DISTANCE = 512 };

uint32_t lt_window_top_end(const lt_plan *plan, const lt_ordered_rows *rows, bool *out_is_full) {
    const uint64_t wanted = (uint64_t)plan->as.window.top.count;
    uint32_t       end    = 0;
    *out_is_full          = rows->count >= wanted;
    switch (plan->as.window.top.rank) {
    case LT_TOP_ROW_NUMBER:
        return rows->count < wanted ? rows->count : (uint32_t)wanted;
    case LT_TOP_RANK:
        return rows->count <= wanted
                   ? rows->count
                   : lt_ordered_rows_end_of_peers(rows, lt_ordered_rows_at(rows, (uint32_t)wanted - 1));
    default:
        break;
    }
    uint64_t peers = 0;
    for (; peers < wanted && end < rows->count; peers++)
        end = lt_ordered_rows_end_of_peers(rows, lt_ordered_rows_at(rows, end));
    *out_is_full = peers == wanted;
    return end;
}

// --------------------------------------------------------------------------------------------------------------- marks

static size_t mark_stride(const lt_window_run *run) { return sizeof(uint32_t) * 2 + run->mark_bytes; }

static uint32_t mark_rows(const lt_window_partition *self, const lt_window_run *run, uint32_t i) {
    uint32_t rows;
    memcpy(&rows, self->marks + mark_stride(run) * i, sizeof rows);
    return rows;
}

bool lt_window_partition_mark(const lt_window_partition *self, const lt_window_run *run, uint32_t position,
                              lt_window_mark *out) {
    for (uint32_t i = self->mark_count; i > 0; i--) {
        char    *bytes = self->marks + mark_stride(run) * (i - 1);
        uint32_t counts[2];
        memcpy(counts, bytes, sizeof counts);
        if (counts[0] > position) continue;
        *out = (lt_window_mark){counts[0], counts[1], bytes + sizeof counts};
        return true;
    }
    return false;
}

static leat_status mark_append(lt_window_partition *self, const lt_window_run *run, const lt_window_mark *mark,
                               lt_account *account, leat_error *err) {
    const size_t stride = mark_stride(run);
    if (self->mark_count == self->mark_capacity) {
        const uint32_t capacity = self->mark_capacity == 0 ? 2 : self->mark_capacity * 2;
        char *marks = lt_account_reallocate(account, self->marks, stride * self->mark_capacity, stride * capacity);
        if (marks == NULL) return lt_raise_no_memory(err);
        self->marks         = marks;
        self->mark_capacity = capacity;
    }
    char *into = self->marks + stride * self->mark_count++;
    memcpy(into, &mark->rows_before, sizeof mark->rows_before);
    memcpy(into + sizeof mark->rows_before, &mark->peers_before, sizeof mark->peers_before);
    memcpy(into + 2 * sizeof mark->rows_before, mark->accumulators, run->mark_bytes);
    return LEAT_OK;
}

// The last one, before the last peers, gives way to a later one unless it stands apart.
leat_status lt_window_partition_take_marks(lt_window_partition *self, const lt_window_run *run, uint32_t changed_first,
                                           const lt_window_part *results, lt_account *account, leat_error *err) {
    while (self->mark_count > 0 && mark_rows(self, run, self->mark_count - 1) > changed_first) self->mark_count--;
    for (uint32_t i = 0; i < results->mark_count; i++) {
        const lt_window_mark *mark = &results->marks[i];
        if (self->mark_count > 0 && mark_rows(self, run, self->mark_count - 1) >= mark->rows_before) continue;
        while (self->mark_count > 1 &&
               mark_rows(self, run, self->mark_count - 1) - mark_rows(self, run, self->mark_count - 2) < MARK_DISTANCE)
            self->mark_count--;
        LT_TRY(mark_append(self, run, mark, account, err));
    }
    return LEAT_OK;
}

void lt_window_partition_close(lt_window_partition *self, const lt_window_run *run, lt_account *account) {
    lt_ordered_rows_close(&self->rows, account);
    lt_account_reallocate(account, self->marks, mark_stride(run) * self->mark_capacity, 0);
    *self = (lt_window_partition){0};
}

// ---------------------------------------------------------------------------------------------------------- save, load

leat_status lt_window_partition_write_row(const lt_window_partition *self, const lt_ordered_row *row, lt_buffer *out,
                                          leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, LT_WINDOW_SAVE_ROW, err));
    LT_TRY(lt_buffer_append_bytes(out, lt_ordered_row_bytes(row), row->row_bytes, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->place, err));
    return lt_buffer_append_u32(out, lt_ordered_rows_copies(&self->rows, row), err);
}

// Rows of one place stay together.
leat_status lt_window_partition_write(const lt_window_partition *self, uint32_t position, size_t bytes_max,
                                      lt_buffer *out, const lt_ordered_row **out_last, leat_error *err) {
    const size_t          start  = out->bytes;
    lt_ordered_cursor     cursor = lt_ordered_rows_seek(&self->rows, position);
    const lt_ordered_row *row, *previous = NULL;
    *out_last = NULL;
    while ((row = lt_ordered_rows_next(&cursor)) != NULL) {
        const bool is_same_place = previous != NULL && lt_ordered_row_compare(previous, row) == 0;
        if (!is_same_place && out->bytes - start >= bytes_max) {
            *out_last = previous;
            return LEAT_OK;
        }
        LT_TRY(lt_window_partition_write_row(self, row, out, err));
        previous = row;
    }
    return LEAT_OK;
}

leat_status lt_window_partition_restore(lt_window_partition *self, const lt_ordered_row *row, uint32_t copies,
                                        lt_account *account, leat_error *err) {
    uint32_t present = lt_ordered_rows_copies(&self->rows, row), position;
    for (; present > copies && lt_ordered_rows_find(&self->rows, row, &position); present--)
        lt_ordered_row_free(lt_ordered_rows_remove(&self->rows, position, account), account);
    for (; present < copies; present++) {
        lt_ordered_row *copy;
        LT_TRY(lt_ordered_row_new(row->data, row->key_bytes, lt_ordered_row_bytes(row), row->row_bytes, row->place,
                                  account, &copy, err));
        LT_TRY(lt_ordered_rows_insert(&self->rows, copy, account, err));
    }
    return LEAT_OK;
}

enum { SAVE_PLACE = 2 }; // beside LT_WINDOW_SAVE_ROW

leat_status lt_window_place_save(int64_t next_place, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_PLACE, err));
    return lt_buffer_append_u64(out, (uint64_t)next_place, err);
}

leat_status lt_window_place_load(lt_reader *in, int64_t *next_place, leat_error *err) {
    uint8_t  kind;
    uint64_t place;
    LT_TRY(lt_reader_u8(in, &kind, err));
    if (kind != SAVE_PLACE)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "saved rows of windows have a part of kind %u", kind);
    LT_TRY(lt_reader_u64(in, &place, err));
    if ((int64_t)place > *next_place) *next_place = (int64_t)place;
    return LEAT_OK;
}
