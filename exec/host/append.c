#include "exec/host/append.h"

#include "base/cast.h"
#include "base/date.h"
#include "base/utf8.h"

// append: rows that the host gives to a stream of connector 'memory', value by value. They wait in columns of the
// handle and move to the stream's queue together, so that a batch sees all of them or none.

struct leat_append {
    leat_session   *session;
    leat_append    *next, **link; // in the session's list
    char           *stream;
    lt_arena        arena, scratch; // scratch: of one value
    const lt_type **types;
    lt_vector      *columns;
    uint32_t        column_count, column; // column: the next value's
    uint32_t        count;                // whole rows
    bool            has_weight;           // the last column is the weight of the row
};

leat_status lt_append_stream(leat_session *session, const char *name, const lt_catalog_entry **out, leat_error *err) {
    const lt_catalog_entry *entry = name == NULL ? NULL : lt_catalog_find(&session->catalog, name);
    *out                          = entry;
    if (entry == NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, NULL, "no stream `%s`", name == NULL ? "" : name);
    if (entry->kind != LT_RELATION_STREAM || ((const lt_stream *)entry->object)->queue == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL,
                        "rows can be appended to a stream with connector = 'memory' only, not to `%s`", name);
    return LEAT_OK;
}

leat_status lt_append_rows(lt_row_queue *queue, lt_vector *columns, uint32_t count, lt_arena *arena, leat_error *err) {
    uint64_t   end = queue->end_offset;
    lt_vector *views;
    LT_TRY_NEW_ARRAY(views, arena, queue->column_count + 1u, err);
    for (uint32_t first = 0; first < count; first += LT_CHUNK_ROWS_MAX) {
        lt_chunk chunk = {.columns = views, .column_count = queue->column_count, .count = count - first};
        if (chunk.count > LT_CHUNK_ROWS_MAX) chunk.count = LT_CHUNK_ROWS_MAX;
        for (uint32_t c = 0; c < queue->column_count; c++)
            views[c] = lt_vector_slice(&columns[c], first, chunk.count, arena);
        leat_status status = lt_row_queue_append(queue, &chunk, err);
        if (status == LEAT_OK) continue;
        lt_row_queue_truncate(queue, end);
        return status;
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------- open, close

static void append_free(leat_append *self) {
    leat_session *session = self->session;
    if (self->link != NULL) *self->link = self->next;
    if (self->next != NULL) self->next->link = self->link;
    lt_arena_deinit(&self->arena);
    lt_arena_deinit(&self->scratch);
    lt_account_reallocate(&session->account, self, sizeof *self, 0);
}

void lt_appends_close(leat_session *session) {
    while (session->appends != NULL) append_free(session->appends);
}

static leat_status append_fill(leat_append *self, const lt_catalog_entry *entry, leat_error *err) {
    self->stream       = lt_arena_text(&self->arena, entry->name, strlen(entry->name));
    self->column_count = entry->column_count;
    if (self->stream == NULL) return lt_raise_no_memory(err);
    self->has_weight =
        entry->changes.kind == LT_CHANGES_WEIGHT && entry->changes.op_column + 1 == (int32_t)entry->column_count;
    LT_TRY_NEW_ARRAY(self->types, &self->arena, self->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->columns, &self->arena, self->column_count + 1u, err);
    for (uint32_t c = 0; c < self->column_count; c++) {
        self->types[c] = lt_type_copy(&self->arena, entry->columns[c].type); // the stream may be dropped meanwhile
        if (self->types[c] == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_vector_init(&self->columns[c], self->types[c], 0, &self->arena, err));
    }
    return LEAT_OK;
}

leat_status leat_append_open(leat_session *session, const char *stream, leat_append **out_append, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    const lt_catalog_entry *entry;
    leat_append            *self   = NULL;
    leat_status             status = lt_append_stream(session, stream, &entry, err);
    *out_append                    = NULL;
    if (status == LEAT_OK) {
        self = lt_account_reallocate(&session->account, NULL, 0, sizeof *self);
        if (self == NULL) status = lt_raise_no_memory(err);
    }
    if (self != NULL) {
        *self = (leat_append){.session = session, .next = session->appends, .link = &session->appends};
        if (self->next != NULL) self->next->link = &self->next;
        session->appends = self;
        lt_arena_init(&self->arena, &session->account);
        lt_arena_init(&self->scratch, &session->account);
        status = append_fill(self, entry, err);
        if (status == LEAT_OK)
            *out_append = self;
        else
            append_free(self);
    }
    lt_session_leave(session);
    return status;
}

// The stream as it is now; another one under the same name may have other columns.
static leat_status append_deliver(leat_append *self, leat_error *err) {
    const lt_catalog_entry *entry;
    if (self->column != 0)
        return lt_raise(err, LT_MISUSE, NULL, "the last row has %u of %u values; end it with leat_append_row_end",
                        self->column, self->column_count);
    LT_TRY(lt_append_stream(self->session, self->stream, &entry, err));
    bool is_same = entry->column_count == self->column_count;
    for (uint32_t c = 0; is_same && c < self->column_count; c++)
        is_same = lt_type_same_shape(entry->columns[c].type, self->types[c]);
    if (!is_same)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL, "stream `%s` has other columns than when the rows were begun",
                        self->stream);
    if (self->count == 0) return LEAT_OK;
    LT_TRY(lt_append_rows(((const lt_stream *)entry->object)->queue, self->columns, self->count, &self->arena, err));
    lt_session_notify(self->session);
    return LEAT_OK;
}

leat_status leat_append_close(leat_append **append, leat_error *err) {
    if (append == NULL || *append == NULL) return LEAT_OK;
    leat_session *session = (*append)->session;
    LT_TRY(lt_session_enter(session, err));
    leat_status status = append_deliver(*append, err);
    append_free(*append);
    *append = NULL;
    lt_session_leave(session);
    return status;
}

// -------------------------------------------------------------------------------------------------------------- values

// The column that the next value goes to.
static leat_status value_enter(leat_append *append, lt_vector **out, leat_error *err) {
    if (append == NULL) {
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "the append handle is NULL; did leat_append_open succeed?");
    }
    LT_TRY(lt_session_enter(append->session, err));
    if (append->column < append->column_count) {
        *out = &append->columns[append->column];
        return LEAT_OK;
    }
    leat_status status = lt_raise(err, LT_MISUSE, NULL, "stream `%s` has %u columns; end the row first", append->stream,
                                  append->column_count);
    lt_session_leave(append->session);
    return status;
}

static leat_status value_leave(leat_append *append, leat_status status, leat_error *err) {
    if (status != LEAT_OK) lt_error_context(err, "value %u of stream `%s`", append->column + 1, append->stream);
    if (status == LEAT_OK) append->column++;
    lt_arena_reset(&append->scratch);
    lt_session_leave(append->session);
    return status;
}

// A value of another type than the column's, cast by the rules of CAST.
static leat_status value_cast(leat_append *append, lt_vector *column, lt_vector *value, leat_error *err) {
    const lt_vector *made;
    lt_evaluation    evaluation = append->session->evaluation;
    evaluation.now_us           = lt_clock_now_us(append->session->clock_used);
    value->form                 = LT_CONSTANT;
    value->lanes                = 1;
    LT_TRY(lt_cast_run(value, column->type, NULL, 1, 1, false, &append->scratch, &evaluation, NULL, &made, err));
    return lt_vector_append_row(column, made, 0, &append->arena, err);
}

leat_status leat_append_null(leat_append *append, leat_error *err) {
    lt_vector *column;
    LT_TRY(value_enter(append, &column, err));
    return value_leave(append, lt_vector_append_null(column, &append->arena, err), err);
}

static leat_status put_int64(leat_append *append, lt_vector *column, int64_t number, leat_error *err) {
    lt_kind kind   = column->type->kind;
    bool    is_raw = kind == LT_BIGINT || kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ || kind == LT_TIME ||
                  kind == LT_INTERVAL_DAY_TIME;
    bool is_raw_32 = kind == LT_INT || kind == LT_DATE || kind == LT_INTERVAL_YEAR_MONTH;
    if (kind == LT_TIME && (number < 0 || number >= LT_US_PER_DAY))
        return lt_raise(err, LT_CAST_OVERFLOW, NULL, "%lld microseconds are no time of a day", (long long)number);
    if (is_raw_32 && (number < INT32_MIN || number > INT32_MAX))
        return lt_raise(err, LT_CAST_OVERFLOW, NULL, "%lld does not fit %s", (long long)number,
                        lt_type_text(&append->scratch, column->type));
    if (is_raw || is_raw_32) {
        LT_TRY(lt_vector_reserve(column, column->lanes + 1, &append->arena, err));
        if (is_raw)
            LT_LANES(column, int64_t)[column->lanes] = number;
        else
            LT_LANES(column, int32_t)[column->lanes] = (int32_t)number;
        lt_vector_set_valid(column, column->lanes++);
        return LEAT_OK;
    }
    lt_vector value;
    LT_TRY(lt_vector_init(&value, lt_type_of(LT_BIGINT), 1, &append->scratch, err));
    LT_LANES(&value, int64_t)[0] = number;
    return value_cast(append, column, &value, err);
}

leat_status leat_append_int64(leat_append *append, int64_t value, leat_error *err) {
    lt_vector *column;
    LT_TRY(value_enter(append, &column, err));
    return value_leave(append, put_int64(append, column, value, err), err);
}

leat_status leat_append_double(leat_append *append, double value, leat_error *err) {
    lt_vector *column, number;
    LT_TRY(value_enter(append, &column, err));
    leat_status status = lt_vector_init(&number, lt_type_of(LT_DOUBLE), 1, &append->scratch, err);
    if (status == LEAT_OK) {
        LT_LANES(&number, double)[0] = value;
        status                       = value_cast(append, column, &number, err);
    }
    return value_leave(append, status, err);
}

static leat_status put_text(leat_append *append, lt_vector *column, const char *text, size_t bytes, leat_error *err) {
    lt_vector value;
    if (bytes > LT_VALUE_BYTES_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value has %zu bytes; at most %d", bytes, LT_VALUE_BYTES_MAX);
    if (column->type->kind != LT_BINARY && !lt_utf8_is_valid(text, bytes))
        return lt_raise(err, LT_INVALID_UTF8_STRING, NULL, "the text is not UTF-8");
    LT_TRY(lt_vector_init(&value, lt_type_of(LT_STRING), 1, &append->scratch, err));
    LT_LANES(&value, lt_string)[0] = lt_string_view(text, bytes);
    return value_cast(append, column, &value, err);
}

leat_status leat_append_text(leat_append *append, const char *text, size_t text_bytes, leat_error *err) {
    lt_vector *column;
    if (text == NULL) return leat_append_null(append, err);
    if (text_bytes == LEAT_TERMINATED) text_bytes = strlen(text);
    LT_TRY(value_enter(append, &column, err));
    return value_leave(append, put_text(append, column, text, text_bytes, err), err);
}

leat_status leat_append_row_end(leat_append *append, leat_error *err) {
    if (append == NULL) {
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "the append handle is NULL; did leat_append_open succeed?");
    }
    LT_TRY(lt_session_enter(append->session, err));
    leat_status status = LEAT_OK;
    if (append->column != append->column_count)
        status = lt_raise(err, LT_MISUSE, NULL, "the row has %u of %u values; give every column", append->column,
                          append->column_count);
    if (append->count >= UINT32_MAX / 4)
        status = lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than a billion rows; close the handle in between");
    if (status == LEAT_OK) {
        append->column = 0;
        append->count++;
    }
    lt_session_leave(append->session);
    return status;
}

leat_status leat_append_weighted_row_end(leat_append *append, int64_t weight, leat_error *err) {
    if (append != NULL && (!append->has_weight || append->column + 1 != append->column_count)) {
        LT_TRY(lt_session_enter(append->session, err));
        leat_status status =
            !append->has_weight
                ? lt_raise(err, LT_MISUSE, NULL, "the last column of stream `%s` is no weight", append->stream)
                : lt_raise(err, LT_MISUSE, NULL, "the row has %u of %u values; give every column but the weight",
                           append->column, append->column_count - 1);
        lt_session_leave(append->session);
        return status;
    }
    if (append != NULL) LT_TRY(leat_append_int64(append, weight, err));
    return leat_append_row_end(append, err);
}
