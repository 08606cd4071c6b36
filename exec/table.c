#include "exec/session.h"

#include "base/hash.h"

#include <stdlib.h>

// table: rows of tables without a merging set stand in segments, so that scans borrow them; their places are their
// numbers, counted from what stood there before the table was last emptied. Rows of a placed table have places of their
// own; they are borrowed as long as these ascend, else a scan gathers them.

leat_status lt_table_init(lt_table *table, const lt_type *const *types, uint32_t column_count, bool is_merging,
                          lt_arena *arena, lt_account *account, leat_error *err) {
    *table = (lt_table){.column_count = column_count, .version = 1, .rewrite_version = 1, .log_start = 1};
    lt_buffer_init(&table->log, account, 0);
    LT_TRY_NEW_ARRAY(table->types, arena, column_count + 1u, err);
    for (uint32_t c = 0; c < column_count; c++) {
        table->types[c] = lt_type_copy(arena, types[c]);
        if (table->types[c] == NULL) return lt_raise_no_memory(err);
    }
    lt_row_set_init(&table->rows, account, is_merging);
    lt_segments_init(&table->segments, table->types, column_count, account);
    lt_place_order_init(&table->order, account);
    return LEAT_OK;
}

leat_status lt_table_take(lt_table *table, lt_segments *rows, const int64_t *places, leat_error *err) {
    const uint64_t count = rows->row_count;
    LT_TRY(lt_segments_take(&table->segments, rows, err));
    table->version++;
    if (!table->is_placed) {
        table->next_place += (int64_t)count;
        return LEAT_OK;
    }
    for (uint64_t row = 0; row < count; row++)
        LT_TRY(lt_place_order_append(&table->order, places[row] != INT64_MIN ? places[row] : table->next_place++, err));
    return LEAT_OK;
}

static int64_t place_of(const lt_table *table, uint64_t row) {
    if (table->is_placed) return table->order.places[row];
    return table->next_place - (int64_t)table->segments.row_count + (int64_t)row;
}

static void log_forget(lt_table *table) {
    table->log_start += table->log.bytes + 1;
    lt_buffer_deinit(&table->log);
}

static leat_status row_write(lt_buffer *out, const char *bytes, size_t count, int64_t weight, int64_t place,
                             leat_error *err) {
    LT_TRY(lt_buffer_append_bytes(out, bytes, count, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)weight, err));
    return lt_buffer_append_u64(out, (uint64_t)place, err);
}

leat_status lt_table_add(lt_table *table, const char *bytes, size_t count, int64_t weight, int64_t place,
                         leat_error *err) {
    if (table->rows.is_merging) return lt_row_set_add(&table->rows, bytes, count, weight, place, NULL, err);
    if (weight < 0) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a row was taken away that is not there");
    for (int64_t copy = 0; table->is_placed && copy < weight; copy++)
        LT_TRY(lt_place_order_append(&table->order, place, err));
    return lt_segments_append_encoded(&table->segments, bytes, count, (uint64_t)weight, err);
}

// A log that is long beside the rows is given up: to read them all costs little more then.
leat_status lt_table_log(lt_table *table, const char *bytes, size_t count, int64_t weight, int64_t place,
                         leat_error *err) {
    enum { LOG_BYTES_MIN = 64 * 1024 };
    if (!table->is_logged) return LEAT_OK;
    if (table->log.bytes > LOG_BYTES_MIN && table->log.bytes > table->rows.live_bytes / 4) log_forget(table);
    return row_write(&table->log, bytes, count, weight, place, err);
}

bool lt_table_changes_since(lt_table *table, uint64_t *position, lt_reader *out) {
    const uint64_t from = *position, end = table->log_start + table->log.bytes;
    table->is_logged = true;
    *position        = end;
    if (from < table->log_start || from > end) return false;
    *out = (lt_reader){.next = table->log.data + (from - table->log_start), .end = table->log.data + table->log.bytes};
    return true;
}

uint64_t lt_table_row_count(const lt_table *table) {
    return table->rows.is_merging ? table->rows.live_rows : table->segments.row_count;
}

static int hash_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// A row in the i-th of `count` parts of the table, the same in every run.
static uint64_t row_picked(uint64_t rows, uint64_t count, uint64_t i) {
    const uint64_t part = rows / count;
    return part * i + lt_hash64(&i, sizeof i, 0) % part;
}

// Haas and Stokes' estimator Duj1 over rows picked all over the table: values that were seen once tell how many were
// not seen. The picks are the same in every run.
int64_t lt_table_distinct_count(const lt_table *table, uint32_t column, lt_arena *arena) {
    enum { SAMPLES = 256 };
    const lt_segments *segments = &table->segments;
    const uint64_t     rows = segments->row_count, count = rows < SAMPLES ? rows : SAMPLES;
    uint64_t          *hashes = lt_arena_alloc(arena, sizeof *hashes * SAMPLES), once = 0, values = 0;
    lt_buffer          scratch;
    if (table->rows.is_merging || hashes == NULL) return -1;
    if (count == 0) return 0;
    lt_buffer_init(&scratch, arena->account, 0);
    leat_status status = LEAT_OK;
    for (uint64_t i = 0; status == LEAT_OK && i < count; i++) {
        const uint64_t    row     = row_picked(rows, count, i);
        const lt_segment *segment = lt_segments_find(segments, row);
        lt_buffer_reset(&scratch);
        status =
            lt_row_encode(&segment->columns[column], 1, (uint32_t)(row - segment->first_row), true, &scratch, NULL);
        hashes[i] = lt_hash64(scratch.data, scratch.bytes, 0);
    }
    lt_buffer_deinit(&scratch);
    if (status != LEAT_OK) return -1;
    qsort(hashes, count, sizeof *hashes, hash_compare);
    for (uint64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && hashes[end] == hashes[i]; end++) {
        }
        once += end == i + 1;
        values++;
    }
    const double seen = (double)count, single = (double)once;
    return (int64_t)(seen * (double)values / (seen - single + single * seen / (double)rows) + 0.5);
}

static leat_status sample_judge(const lt_chunk *sample, const lt_expression *condition, lt_evaluation *evaluation,
                                lt_arena *arena, uint32_t *out_count, leat_error *err) {
    lt_evaluator evaluator;
    uint16_t    *rows;
    LT_TRY_NEW_ARRAY(rows, arena, sample->count + 1u, err);
    for (uint32_t i = 0; i < sample->count; i++) rows[i] = (uint16_t)i;
    *out_count         = sample->count;
    leat_status status = lt_evaluator_open(&evaluator, &condition, 1, evaluation, arena->account, err);
    if (status == LEAT_OK) status = lt_evaluator_select(&evaluator, condition, sample, arena, rows, out_count, err);
    lt_evaluator_close(&evaluator);
    return status;
}

static bool note_column(void *user, const lt_expression *node) {
    if (node->kind == LT_EXPRESSION_COLUMN) ((bool *)user)[node->column] = true;
    return true;
}

// Of a condition that no picked row fulfils, half a row is said to.
double lt_table_matching_part(const lt_table *table, const uint32_t *columns, uint32_t column_count,
                              const lt_expression *condition, lt_evaluation *evaluation, lt_arena *arena) {
    enum { SAMPLES = 512 };
    const lt_segments *segments = &table->segments;
    const uint64_t     rows     = segments->row_count;
    lt_chunk           sample   = {.column_count = column_count, .count = rows < SAMPLES ? (uint32_t)rows : SAMPLES};
    bool              *is_read  = lt_arena_zero(arena, column_count + 1u);
    uint32_t           count;
    sample.columns = lt_arena_zero(arena, sizeof *sample.columns * (column_count + 1u));
    if (table->rows.is_merging || rows == 0 || is_read == NULL || sample.columns == NULL) return -1;
    lt_expression_walk(condition, note_column, is_read);
    for (uint32_t c = 0; c < column_count; c++) {
        lt_vector     *column = &sample.columns[c];
        const lt_type *type   = table->types[columns[c]];
        if (!is_read[c]) {
            if (lt_vector_init_constant_null(column, type, arena, NULL) != LEAT_OK) return -1;
            continue;
        }
        if (lt_vector_init(column, type, sample.count, arena, NULL) != LEAT_OK) return -1;
        for (uint64_t i = 0; i < sample.count; i++) {
            const uint64_t    row     = row_picked(rows, sample.count, i);
            const lt_segment *segment = lt_segments_find(segments, row);
            if (lt_vector_append_range(column, &segment->columns[columns[c]], (uint32_t)(row - segment->first_row), 1,
                                       arena, NULL) != LEAT_OK)
                return -1;
        }
    }
    if (sample_judge(&sample, condition, evaluation, arena, &count, NULL) != LEAT_OK) return -1;
    return (count == 0 ? 0.5 : count) / sample.count;
}

void lt_table_reset(lt_table *table) {
    lt_row_set_reset(&table->rows);
    lt_segments_reset(&table->segments);
    lt_place_order_reset(&table->order);
    table->rewrite_version = ++table->version;
    log_forget(table);
}

void lt_table_deinit(lt_table *table) {
    if (table->rows.account != NULL) lt_row_set_deinit(&table->rows);
    lt_segments_deinit(&table->segments);
    lt_place_order_deinit(&table->order);
    lt_buffer_deinit(&table->log);
}

// ------------------------------------------------------------------------------------------------------------- reading

leat_status lt_table_open_cursor(lt_table *table, uint64_t first_row, lt_table_cursor *out, leat_error *err) {
    *out = (lt_table_cursor){.next_row = first_row};
    if (table->rows.is_merging) return lt_row_set_open_cursor(&table->rows, &out->rows, err);
    return table->is_placed && first_row == 0 ? lt_place_order_numbers(&table->order, &out->order, err) : LEAT_OK;
}

static leat_status merged_next(lt_table *table, lt_table_cursor *cursor, const uint32_t *columns, uint32_t column_count,
                               lt_arena *arena, lt_chunk *out, leat_error *err) {
    lt_chunk rows;
    LT_TRY(lt_row_set_next(&table->rows, &cursor->rows, table->types, table->column_count, true, arena, &rows, err));
    *out              = rows;
    out->column_count = column_count;
    if (!cursor->has_places) out->places = NULL; // rows of equal place come side by side
    LT_TRY_NEW_ARRAY(out->columns, arena, column_count + 1u, err);
    for (uint32_t c = 0; c < column_count; c++) out->columns[c] = rows.columns[columns != NULL ? columns[c] : c];
    return LEAT_OK;
}

// Rows by place that stand in other places: those that follow each other in a segment are copied together.
static leat_status placed_next(lt_table *table, lt_table_cursor *cursor, const uint32_t *columns, uint32_t column_count,
                               lt_arena *arena, lt_chunk *out, leat_error *err) {
    const uint64_t *numbers = cursor->order + cursor->next_row, left = table->segments.row_count - cursor->next_row;
    const uint32_t  count = left < LT_CHUNK_ROWS_MAX ? (uint32_t)left : LT_CHUNK_ROWS_MAX;
    *out                  = (lt_chunk){.column_count = column_count, .count = count};
    LT_TRY_NEW_ARRAY(out->columns, arena, column_count + 1u, err);
    for (uint32_t c = 0; c < column_count; c++)
        LT_TRY(lt_vector_init(&out->columns[c], table->types[columns != NULL ? columns[c] : c], count, arena, err));
    for (uint32_t at = 0, end; at < count; at = end) {
        const lt_segment *segment = lt_segments_find(&table->segments, numbers[at]);
        const uint32_t    first   = (uint32_t)(numbers[at] - segment->first_row);
        for (end = at + 1; end < count && numbers[end] == numbers[end - 1] + 1;)
            if (numbers[end++] == segment->first_row + segment->count) {
                end--;
                break;
            }
        for (uint32_t c = 0; c < column_count; c++)
            LT_TRY(lt_vector_append_range(&out->columns[c], &segment->columns[columns != NULL ? columns[c] : c], first,
                                          end - at, arena, err));
    }
    return LEAT_OK;
}

// Places of the next rows; most tables number theirs one after the other.
static void places_fill(const lt_table *table, const lt_table_cursor *cursor, int64_t *places, uint32_t count) {
    if (cursor->order == NULL && !table->is_placed) {
        const int64_t first = place_of(table, cursor->next_row);
        for (uint32_t row = 0; row < count; row++) places[row] = first + row;
        return;
    }
    for (uint32_t row = 0; row < count; row++) {
        const uint64_t at = cursor->next_row + row;
        places[row]       = place_of(table, cursor->order != NULL ? cursor->order[at] : at);
    }
}

leat_status lt_table_next(lt_table *table, lt_table_cursor *cursor, const uint32_t *columns, uint32_t column_count,
                          lt_arena *arena, lt_chunk *out, leat_error *err) {
    if (table->rows.is_merging) return merged_next(table, cursor, columns, column_count, arena, out, err);
    LT_TRY(cursor->order != NULL ? placed_next(table, cursor, columns, column_count, arena, out, err)
                                 : lt_segments_view(&table->segments, cursor->next_row, LT_CHUNK_ROWS_MAX, columns,
                                                    column_count, arena, out, err));
    if (out->count > 0 && (cursor->has_places || !table->is_placed)) { // rows of equal place come side by side
        int64_t *places = lt_arena_alloc(arena, sizeof *places * out->count);
        if (places == NULL) return lt_raise_no_memory(err);
        places_fill(table, cursor, places, out->count);
        out->places = places;
    }
    cursor->next_row += out->count;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- saving

static leat_status segment_write(const lt_table *table, const lt_segment *segment, lt_buffer *scratch, lt_buffer *out,
                                 leat_error *err) {
    for (uint32_t row = 0; row < segment->count; row++) {
        lt_buffer_reset(scratch);
        LT_TRY(lt_row_encode(segment->columns, table->column_count, row, false, scratch, err));
        LT_TRY(row_write(out, scratch->data, scratch->bytes, 1, place_of(table, segment->first_row + row), err));
    }
    return LEAT_OK;
}

leat_status lt_table_write(const lt_table *table, lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < table->rows.row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(&table->rows, i);
        if (row.weight != 0) LT_TRY(row_write(out, row.bytes, row.count, row.weight, row.place, err));
    }
    lt_buffer scratch;
    lt_buffer_init(&scratch, out->account, 0);
    leat_status status = LEAT_OK;
    for (size_t i = 0; status == LEAT_OK && i < table->segments.count; i++)
        status = segment_write(table, table->segments.items[i], &scratch, out, err);
    lt_buffer_deinit(&scratch);
    return status;
}

leat_status lt_table_read(lt_table *table, lt_reader *in, leat_error *err) {
    while (in->next < in->end) {
        const char *bytes;
        size_t      count;
        uint64_t    weight, place;
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_reader_u64(in, &weight, err));
        LT_TRY(lt_reader_u64(in, &place, err));
        // Filters and projections of a query may change between starts: rows of its former columns are not shown.
        leat_error  own    = {0};
        leat_status status = lt_table_add(table, bytes, count, (int64_t)weight, (int64_t)place, &own);
        if (status == LEAT_OK || (status == LEAT_CORRUPT && !table->rows.is_merging)) continue;
        if (err != NULL) *err = own;
        return status;
    }
    table->version++;
    return LEAT_OK;
}

// Rows of removed slots count as a few bytes, so that a part ends whatever stands there.
leat_status lt_table_write_part(const lt_table *table, uint64_t row_max, uint64_t *cursor, size_t bytes_max,
                                lt_buffer *out, leat_error *err) {
    enum { SLOT_BYTES = 4 };
    size_t end = out->bytes + bytes_max;
    if (table->rows.is_merging) {
        for (; *cursor < table->rows.row_count && out->bytes < end; (*cursor)++) {
            const lt_row_set_row row = lt_row_set_at(&table->rows, (uint32_t)*cursor);
            if (row.weight != 0)
                LT_TRY(row_write(out, row.bytes, row.count, row.weight, row.place, err));
            else
                end = end > SLOT_BYTES ? end - SLOT_BYTES : 0;
        }
        if (*cursor >= table->rows.row_count) *cursor = UINT64_MAX;
        return LEAT_OK;
    }
    lt_arena arena;
    lt_arena_init(&arena, out->account);
    lt_buffer scratch;
    lt_buffer_init(&scratch, out->account, 0);
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && *cursor < row_max && out->bytes < end) {
        lt_chunk rows;
        uint64_t left = row_max - *cursor;
        status = lt_segments_view(&table->segments, *cursor, left < 64 ? (uint32_t)left : 64, NULL, table->column_count,
                                  &arena, &rows, err);
        if (status != LEAT_OK || rows.count == 0) break;
        for (uint32_t row = 0; status == LEAT_OK && row < rows.count; row++) {
            lt_buffer_reset(&scratch);
            status = lt_row_encode(rows.columns, table->column_count, row, false, &scratch, err);
            if (status == LEAT_OK)
                status = row_write(out, scratch.data, scratch.bytes, 1, place_of(table, *cursor + row), err);
        }
        *cursor += rows.count;
        lt_arena_reset(&arena);
    }
    lt_buffer_deinit(&scratch);
    lt_arena_deinit(&arena);
    if (*cursor >= row_max) *cursor = UINT64_MAX;
    return status;
}

static leat_status change_read(lt_reader *in, const char **out_bytes, size_t *out_count, int64_t *out_weight,
                               int64_t *out_place, leat_error *err) {
    uint64_t weight, place;
    LT_TRY(lt_reader_bytes(in, out_bytes, out_count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    *out_weight = (int64_t)weight;
    *out_place  = (int64_t)place;
    return LEAT_OK;
}

leat_status lt_table_write_present(const lt_table *table, const lt_buffer *changes, lt_buffer *out, leat_error *err) {
    lt_reader in = {.next = changes->data, .end = changes->data + changes->bytes};
    while (in.next < in.end) {
        const char *bytes;
        size_t      count;
        int64_t     weight, place;
        LT_TRY(change_read(&in, &bytes, &count, &weight, &place, err));
        lt_row_set_row row = {0};
        (void)lt_row_set_find(&table->rows, bytes, count, &row);
        LT_TRY(row_write(out, bytes, count, row.weight, row.place, err));
    }
    return LEAT_OK;
}

typedef struct change {
    const char *bytes;
    size_t      count;
    int64_t     weight, place;
} change;

static leat_status change_apply(lt_table *table, const change *self, leat_error *err) {
    lt_row_set_row row = {0};
    (void)lt_row_set_find(&table->rows, self->bytes, self->count, &row);
    if (row.weight == self->weight && (self->weight == 0 || row.place == self->place)) return LEAT_OK;
    if (row.weight > 0)
        LT_TRY(lt_row_set_add(&table->rows, self->bytes, self->count, -row.weight, self->place, NULL, err));
    if (self->weight <= 0) return LEAT_OK;
    return lt_row_set_add(&table->rows, self->bytes, self->count, self->weight, self->place, NULL, err);
}

leat_status lt_table_read_present(lt_table *table, lt_reader *in, leat_error *err) {
    change       changes[LT_ROW_SET_AHEAD];
    lt_row_bytes rows[LT_ROW_SET_AHEAD];
    while (in->next < in->end) {
        uint32_t count = 0;
        for (; count < LT_ROW_SET_AHEAD && in->next < in->end; count++) {
            change *next = &changes[count];
            LT_TRY(change_read(in, &next->bytes, &next->count, &next->weight, &next->place, err));
            rows[count] = (lt_row_bytes){next->bytes, next->count};
        }
        lt_row_set_prefetch(&table->rows, rows, count);
        for (uint32_t i = 0; i < count; i++) LT_TRY(change_apply(table, &changes[i], err));
    }
    table->version++;
    return LEAT_OK;
}
