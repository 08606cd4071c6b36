#include "exec/session.h"

#include "exec/state/row_store.h"

#include <errno.h>
#include <stdio.h>

// arrow_export: rows of a statement as Arrow C Data structures.
//
// A schema or a struct array is one block: an arena that holds its buffers, children and names, counted by the
// structures that point into it. A consumer may move children out and release the parent; the block dies with the last
// of them. It charges an account of its own, because it may outlive the statement and the session's limits.
// Source: The Arrow C data interface and The Arrow C stream interface, apache.org.

enum {
    ARROW_DEPTH_MAX = 256,                // of types; the parser allows fewer
    ARROW_BYTES_MAX = 1024 * 1024 * 1024, // of a text buffer, whose offsets have 32 bits
    FORMAT_BYTES    = 24
};

typedef struct block {
    lt_account  account; // by copy: the allocator outlives the session, the session's account does not
    lt_arena    arena;
    atomic_uint owners;
} block;

// A top account that may use what the session's limit leaves.
static block *block_create(const leat_session *session) {
    lt_account     account;
    const uint64_t bytes_max = session->account.bytes_max, bytes = session->account.bytes;
    if (bytes_max != 0 && bytes >= bytes_max) return NULL;
    lt_account_init(&account, session->options.allocator, NULL, bytes_max == 0 ? 0 : bytes_max - bytes);
    block *self = lt_account_reallocate(&account, NULL, 0, sizeof *self);
    if (self == NULL) return NULL;
    *self = (block){.account = account};
    lt_arena_init(&self->arena, &self->account);
    atomic_init(&self->owners, 0);
    return self;
}

static void block_free(block *self) {
    lt_account account = self->account;
    lt_arena_deinit(&self->arena);
    lt_account_reallocate(&account, self, sizeof *self, 0);
}

static void block_unref(block *self) {
    if (atomic_fetch_sub(&self->owners, 1) == 1) block_free(self);
}

static void schema_release(struct ArrowSchema *schema) {
    block *owner = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    schema->release = NULL;
    block_unref(owner);
}

static void array_release(struct ArrowArray *array) {
    block *owner = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    array->release = NULL;
    block_unref(owner);
}

// --------------------------------------------------------------------------------------------------------------- types

// By kind; DECIMAL prints its own. Both have none: see lt_kind in base/type.h for the lanes.
static const char *const formats[LT_KIND_COUNT] = {
    [LT_VOID]                = "n",
    [LT_BOOLEAN]             = "b",
    [LT_TINYINT]             = "c",
    [LT_SMALLINT]            = "s",
    [LT_INT]                 = "i",
    [LT_BIGINT]              = "l",
    [LT_FLOAT]               = "f",
    [LT_DOUBLE]              = "g",
    [LT_STRING]              = "u",
    [LT_BINARY]              = "z",
    [LT_VARIANT]             = "u",
    [LT_DATE]                = "tdD",
    [LT_TIMESTAMP]           = "tsu:UTC",
    [LT_TIMESTAMP_NTZ]       = "tsu:",
    [LT_TIME]                = "ttu",
    [LT_INTERVAL_YEAR_MONTH] = "tiM",
    [LT_INTERVAL_DAY_TIME]   = "tDu",
    [LT_INTERVAL_CALENDAR]   = "tin",
    [LT_ARRAY]               = "+l",
    [LT_MAP]                 = "+m",
    [LT_STRUCT]              = "+s",
};

static leat_status schema_fill(struct ArrowSchema *out, const lt_type *type, const char *name, bool is_nullable,
                               block *owner, uint32_t depth, leat_error *err);

static leat_status schema_children(struct ArrowSchema *out, uint32_t count, block *owner, leat_error *err) {
    struct ArrowSchema *children;
    LT_TRY_NEW_ARRAY(out->children, &owner->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(children, &owner->arena, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) out->children[i] = &children[i];
    out->n_children = count;
    return LEAT_OK;
}

// Names the structure and makes it an owner of the block.
static leat_status schema_begin(struct ArrowSchema *out, const char *format, const char *name, bool is_nullable,
                                block *owner, leat_error *err) {
    *out              = (struct ArrowSchema){.format  = format,
                                             .name    = lt_arena_text(&owner->arena, name, strlen(name)),
                                             .flags   = is_nullable ? ARROW_FLAG_NULLABLE : 0,
                                             .release = schema_release};
    out->private_data = owner;
    atomic_fetch_add(&owner->owners, 1);
    return out->name == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status schema_fill(struct ArrowSchema *out, const lt_type *type, const char *name, bool is_nullable,
                               block *owner, uint32_t depth, leat_error *err) {
    const char *format = formats[type->kind];
    if (depth > ARROW_DEPTH_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "the type is nested too deeply");
    if (type->kind == LT_DECIMAL) {
        format = lt_arena_format(&owner->arena, "d:%u,%u", type->precision, type->scale);
        if (format == NULL) return lt_raise_no_memory(err);
    }
    LT_TRY(schema_begin(out, format, name, is_nullable, owner, err));
    if (type->kind == LT_ARRAY) {
        LT_TRY(schema_children(out, 1, owner, err));
        return schema_fill(out->children[0], type->fields[0].type, "item", true, owner, depth + 1, err);
    }
    if (type->kind == LT_MAP) {
        LT_TRY(schema_children(out, 1, owner, err));
        struct ArrowSchema *entries = out->children[0];
        LT_TRY(schema_begin(entries, "+s", "entries", false, owner, err));
        LT_TRY(schema_children(entries, 2, owner, err));
        LT_TRY(schema_fill(entries->children[0], type->fields[0].type, "key", false, owner, depth + 1, err));
        return schema_fill(entries->children[1], type->fields[1].type, "value", true, owner, depth + 1, err);
    }
    if (type->kind != LT_STRUCT) return LEAT_OK;
    LT_TRY(schema_children(out, type->field_count, owner, err));
    for (uint32_t i = 0; i < type->field_count; i++)
        LT_TRY(schema_fill(out->children[i], type->fields[i].type, type->fields[i].name, true, owner, depth + 1, err));
    return LEAT_OK;
}

// A half-built structure: children that were not reached have no release and are skipped.
static leat_status schema_finish(struct ArrowSchema *out, block *owner, leat_status status) {
    if (status == LEAT_OK) return LEAT_OK;
    if (out->release != NULL)
        out->release(out);
    else
        block_free(owner);
    *out = (struct ArrowSchema){0};
    return status;
}

static leat_status schema_make(const leat_statement *statement, struct ArrowSchema *out, leat_error *err) {
    block *owner = block_create(statement->session);
    *out         = (struct ArrowSchema){0};
    if (owner == NULL) return lt_raise_no_memory(err);
    leat_status status = schema_begin(out, "+s", "", false, owner, err);
    if (status == LEAT_OK) status = schema_children(out, statement->column_count, owner, err);
    for (uint32_t c = 0; status == LEAT_OK && c < statement->column_count; c++)
        status =
            schema_fill(out->children[c], statement->columns[c].type, statement->columns[c].name, true, owner, 0, err);
    return schema_finish(out, owner, status);
}

// --------------------------------------------------------------------------------------------------------------- lanes

// The lanes of a flat vector that become the rows of an array, in order; LT_NO_ROW: NULL.
typedef struct lane_list {
    const uint32_t *lanes;
    uint32_t        count;
    bool            is_run; // each is the one behind the last, and none is LT_NO_ROW
} lane_list;

static leat_status buffers_make(struct ArrowArray *out, int64_t count, block *owner, leat_error *err) {
    LT_TRY_NEW_ARRAY(out->buffers, &owner->arena, count + 1, err);
    out->n_buffers = count;
    return LEAT_OK;
}

static leat_status array_begin(struct ArrowArray *out, int64_t length, block *owner) {
    *out              = (struct ArrowArray){.length = length, .release = array_release};
    out->private_data = owner;
    atomic_fetch_add(&owner->owners, 1);
    return LEAT_OK;
}

static leat_status array_children(struct ArrowArray *out, uint32_t count, block *owner, leat_error *err) {
    struct ArrowArray *children;
    LT_TRY_NEW_ARRAY(out->children, &owner->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(children, &owner->arena, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) out->children[i] = &children[i];
    out->n_children = count;
    return LEAT_OK;
}

static bool lane_is_null(const lt_vector *from, uint32_t lane) {
    return lane == LT_NO_ROW || lt_lane_is_null(from, lane);
}

static leat_status validity_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                                 leat_error *err) {
    uint8_t *bits = NULL;
    if (rows.is_run && from->validity == NULL) return LEAT_OK;
    for (uint32_t i = 0; i < rows.count; i++) out->null_count += lane_is_null(from, rows.lanes[i]);
    if (out->null_count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(bits, &owner->arena, rows.count / 8 + 1, err);
    for (uint32_t i = 0; i < rows.count; i++)
        if (!lane_is_null(from, rows.lanes[i])) bits[i / 8] |= (uint8_t)(1u << (i % 8));
    out->buffers[0] = bits;
    return LEAT_OK;
}

static leat_status fixed_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                              leat_error *err) {
    size_t bytes = lt_kind_lane_bytes(from->type->kind);
    char  *values;
    if (rows.is_run && rows.count > 0 && out->null_count == 0) {
        values = lt_arena_alloc(&owner->arena, bytes * rows.count);
        if (values == NULL) return lt_raise_no_memory(err);
        memcpy(values, (const char *)from->values + bytes * rows.lanes[0], bytes * rows.count);
        out->buffers[1] = values;
        return LEAT_OK;
    }
    LT_TRY_NEW_ARRAY(values, &owner->arena, bytes * rows.count + 1, err);
    for (uint32_t i = 0; i < rows.count; i++)
        if (!lane_is_null(from, rows.lanes[i]))
            memcpy(values + bytes * i, (const char *)from->values + bytes * rows.lanes[i], bytes);
    out->buffers[1] = values;
    return LEAT_OK;
}

static leat_status boolean_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                                leat_error *err) {
    uint8_t *bits;
    LT_TRY_NEW_ARRAY(bits, &owner->arena, rows.count / 8 + 1, err);
    for (uint32_t i = 0; i < rows.count; i++)
        if (!lane_is_null(from, rows.lanes[i]) && LT_LANES(from, const uint8_t)[rows.lanes[i]] != 0)
            bits[i / 8] |= (uint8_t)(1u << (i % 8));
    out->buffers[1] = bits;
    return LEAT_OK;
}

// Arrow's month_day_nano: the microseconds must fit as nanoseconds.
static leat_status calendar_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                                 leat_error *err) {
    struct month_day_nano {
        int32_t months, days;
        int64_t nanoseconds;
    } * values;
    LT_TRY_NEW_ARRAY(values, &owner->arena, rows.count + 1u, err);
    for (uint32_t i = 0; i < rows.count; i++) {
        if (lane_is_null(from, rows.lanes[i])) continue;
        const lt_calendar_interval *value = &LT_LANES(from, const lt_calendar_interval)[rows.lanes[i]];
        values[i].months                  = value->months;
        values[i].days                    = value->days;
        if (__builtin_mul_overflow(value->microseconds, (int64_t)1000, &values[i].nanoseconds))
            return lt_raise(err, LT_ARITHMETIC_OVERFLOW, NULL,
                            "an interval does not fit Arrow's nanoseconds; cast it to STRING");
    }
    out->buffers[1] = values;
    return LEAT_OK;
}

// A short text is copied with the bytes behind it in its lane: the next text, or the room behind the last, takes them.
static void text_put(char *data, const lt_string *value) {
    if (value->bytes <= LT_STRING_INLINE_MAX)
        memcpy(data, lt_string_data(value), LT_STRING_INLINE_MAX);
    else
        memcpy(data, lt_string_data(value), value->bytes);
}

// LEAT_LIMIT without an error text: the caller takes fewer rows.
static leat_status text_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                             leat_error *err) {
    const lt_string *values    = LT_LANES(from, const lt_string);
    const bool       has_nulls = out->null_count > 0;
    int32_t         *offsets;
    size_t           bytes = 0;
    LT_TRY_NEW_ARRAY(offsets, &owner->arena, rows.count + 1u, err);
    for (uint32_t i = 0; i < rows.count; i++) {
        if (!has_nulls || !lane_is_null(from, rows.lanes[i])) bytes += values[rows.lanes[i]].bytes;
        if (bytes > ARROW_BYTES_MAX) return LEAT_LIMIT;
        offsets[i + 1] = (int32_t)bytes;
    }
    char *data = lt_arena_alloc(&owner->arena, bytes + LT_STRING_INLINE_MAX);
    if (data == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < rows.count; i++)
        if (offsets[i + 1] > offsets[i]) text_put(data + offsets[i], &values[rows.lanes[i]]);
    out->buffers[1] = offsets;
    out->buffers[2] = data;
    return LEAT_OK;
}

static leat_status array_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                              leat_error *err);

// Lanes of the children of a struct: NULL where the struct is.
static leat_status struct_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                               leat_error *err) {
    uint32_t *lanes;
    LT_TRY_NEW_ARRAY(lanes, &owner->arena, rows.count + 1u, err);
    for (uint32_t i = 0; i < rows.count; i++)
        lanes[i] = lane_is_null(from, rows.lanes[i]) ? (uint32_t)LT_NO_ROW : rows.lanes[i];
    const lane_list inside = {lanes, rows.count, rows.is_run && out->null_count == 0};
    LT_TRY(array_children(out, from->child_count, owner, err));
    for (uint32_t c = 0; c < from->child_count; c++)
        LT_TRY(array_fill(out->children[c], &from->children[c], inside, owner, err));
    return LEAT_OK;
}

static leat_status list_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                             leat_error *err) {
    int32_t  *offsets;
    uint32_t *lanes;
    size_t    count = 0;
    LT_TRY_NEW_ARRAY(offsets, &owner->arena, rows.count + 1u, err);
    for (uint32_t i = 0; i < rows.count; i++) {
        if (!lane_is_null(from, rows.lanes[i])) count += LT_LANES(from, const lt_list)[rows.lanes[i]].count;
        if (count > INT32_MAX) return LEAT_LIMIT;
        offsets[i + 1] = (int32_t)count;
    }
    LT_TRY_NEW_ARRAY(lanes, &owner->arena, count + 1, err);
    for (uint32_t i = 0; i < rows.count; i++) {
        if (offsets[i + 1] == offsets[i]) continue;
        const lt_list *list = &LT_LANES(from, const lt_list)[rows.lanes[i]];
        for (uint32_t k = 0; k < list->count; k++) lanes[(size_t)offsets[i] + k] = list->offset + k;
    }
    out->buffers[1] = offsets;
    LT_TRY(array_children(out, 1, owner, err));
    return array_fill(out->children[0], &from->children[0], (lane_list){lanes, (uint32_t)count, false}, owner, err);
}

// A vector that is constant or a dictionary is read through its lanes.
static leat_status array_fill(struct ArrowArray *out, const lt_vector *from, lane_list rows, block *owner,
                              leat_error *err) {
    LT_TRY(array_begin(out, rows.count, owner));
    if (from->type->kind == LT_VOID) {
        out->null_count = rows.count;
        return LEAT_OK;
    }
    if (from->form != LT_FLAT) {
        uint32_t *lanes;
        LT_TRY_NEW_ARRAY(lanes, &owner->arena, rows.count + 1u, err);
        for (uint32_t i = 0; i < rows.count; i++)
            lanes[i] = rows.lanes[i] == LT_NO_ROW ? (uint32_t)LT_NO_ROW : lt_vector_lane(from, rows.lanes[i]);
        rows.lanes  = lanes;
        rows.is_run = false;
        from        = lt_vector_lanes(from);
    }
    bool is_text = lt_kind_is_bytes(from->type->kind);
    LT_TRY(buffers_make(out, from->type->kind == LT_STRUCT ? 1 : is_text ? 3 : 2, owner, err));
    LT_TRY(validity_fill(out, from, rows, owner, err));
    if (is_text) return text_fill(out, from, rows, owner, err);
    switch (from->type->kind) {
    case LT_BOOLEAN:
        return boolean_fill(out, from, rows, owner, err);
    case LT_INTERVAL_CALENDAR:
        return calendar_fill(out, from, rows, owner, err);
    case LT_STRUCT:
        return struct_fill(out, from, rows, owner, err);
    case LT_ARRAY:
    case LT_MAP:
        return list_fill(out, from, rows, owner, err);
    default:
        return fixed_fill(out, from, rows, owner, err);
    }
}

// The rows [first, first + count) of a segment as a struct array. LEAT_LIMIT with `err` untouched: too many bytes.
static leat_status rows_make(const leat_statement *statement, const lt_segment *segment, uint32_t first, uint32_t count,
                             struct ArrowArray *out, leat_error *err) {
    block    *owner = block_create(statement->session);
    uint32_t *lanes;
    *out = (struct ArrowArray){0};
    if (owner == NULL) return lt_raise_no_memory(err);
    leat_status status = array_begin(out, count, owner);
    lanes              = LT_NEW_ARRAY(&owner->arena, uint32_t, count + 1u);
    if (lanes == NULL) status = lt_raise_no_memory(err);
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++) lanes[i] = first + i;
    if (status == LEAT_OK) status = buffers_make(out, 1, owner, err);
    if (status == LEAT_OK) status = array_children(out, statement->column_count, owner, err);
    for (uint32_t c = 0; status == LEAT_OK && c < statement->column_count; c++)
        status = array_fill(out->children[c], &segment->columns[c], (lane_list){lanes, count, true}, owner, err);
    if (status == LEAT_OK) return LEAT_OK;
    out->release(out);
    *out = (struct ArrowArray){0};
    return status;
}

// -------------------------------------------------------------------------------------------------------------- stream

typedef struct stream_state {
    leat_statement *statement; // borrows
    leat_error      error;     // of the last call
} stream_state;

static int code_of(leat_status status) {
    switch (status) {
    case LEAT_OK:
        return 0;
    case LEAT_NO_MEMORY:
    case LEAT_LIMIT:
        return ENOMEM;
    case LEAT_INTERRUPTED:
        return EINTR;
    case LEAT_TIMEOUT:
        return ETIMEDOUT;
    case LEAT_IO:
    case LEAT_CORRUPT:
        return EIO;
    default:
        return EINVAL;
    }
}

// Rows that a callback steps over need no session: its thread holds the lock already.
static leat_status stream_enter(stream_state *self) {
    lt_error_reset(&self->error);
    return self->statement->is_delivered ? LEAT_OK : lt_session_enter(self->statement->session, &self->error);
}

static void stream_leave(const stream_state *self) {
    if (!self->statement->is_delivered) lt_session_leave(self->statement->session);
}

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    stream_state *self   = stream->private_data;
    leat_status   status = stream_enter(self);
    *out                 = (struct ArrowSchema){0};
    if (status != LEAT_OK) return code_of(status);
    status = schema_make(self->statement, out, &self->error);
    stream_leave(self);
    return code_of(status);
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    stream_state   *self      = stream->private_data;
    leat_statement *statement = self->statement;
    leat_status     status    = stream_enter(self);
    *out                      = (struct ArrowArray){0};
    if (status != LEAT_OK) return code_of(status);
    status = lt_statement_advance(statement, &self->error);
    if (status == LEAT_ROW) {
        const lt_segment *segment = lt_segments_find(&statement->rows, statement->row);
        uint32_t          first = (uint32_t)(statement->row - segment->first_row), left = segment->count - first;
        if (left > LT_CHUNK_ROWS_MAX) left = LT_CHUNK_ROWS_MAX;
        do {
            status = rows_make(statement, segment, first, left, out, &self->error);
            if (status != LEAT_LIMIT || self->error.status != LEAT_OK || left == 1) break;
            left /= 2;
        } while (true);
        if (status == LEAT_OK) statement->row += left;
        // Its memory serves the next arrays. A row that leat_step stands on keeps its own.
        if (status == LEAT_OK && left == segment->count - first && statement->segment == NULL)
            lt_segments_forget_before(&statement->rows, statement->row);
        if (status == LEAT_LIMIT && self->error.status == LEAT_OK)
            status = lt_raise(&self->error, LT_LIMIT_EXCEEDED, NULL, "a row has more bytes than an Arrow array takes");
    } else if (status == LEAT_DONE) {
        status = LEAT_OK;
    }
    stream_leave(self);
    return code_of(status);
}

static const char *stream_last_error(struct ArrowArrayStream *stream) {
    const stream_state *self = stream->private_data;
    return self->error.status == LEAT_OK ? NULL : self->error.message;
}

static void stream_release(struct ArrowArrayStream *stream) {
    stream_state *self    = stream->private_data;
    leat_session *session = self->statement->session;
    pthread_mutex_lock(&session->lock);
    lt_account_reallocate(&session->account, self, sizeof *self, 0);
    pthread_mutex_unlock(&session->lock);
    *stream = (struct ArrowArrayStream){0};
}

leat_status lt_arrow_stream(leat_statement *statement, struct ArrowArrayStream *out, leat_error *err) {
    *out               = (struct ArrowArrayStream){0};
    stream_state *self = lt_account_reallocate(&statement->session->account, NULL, 0, sizeof *self);
    if (self == NULL) return lt_raise_no_memory(err);
    *self = (stream_state){.statement = statement};
    *out  = (struct ArrowArrayStream){.get_schema     = stream_get_schema,
                                      .get_next       = stream_get_next,
                                      .get_last_error = stream_last_error,
                                      .release        = stream_release,
                                      .private_data   = self};
    return LEAT_OK;
}

leat_status leat_statement_arrow(leat_statement *statement, struct ArrowArrayStream *out_stream, leat_error *err) {
    if (statement == NULL || out_stream == NULL)
        return lt_raise(err, LT_MISUSE, NULL, "leat_statement_arrow wants a statement and a stream to fill");
    *out_stream = (struct ArrowArrayStream){0};
    if (statement->is_delivered) return lt_arrow_stream(statement, out_stream, err);
    LT_TRY(lt_session_enter(statement->session, err));
    leat_status status = LEAT_OK;
    if (statement->kind != LEAT_STATEMENT_ROWS && statement->kind != LEAT_STATEMENT_CHANGES)
        status = lt_raise(err, LT_MISUSE, NULL, "the statement gives no rows; run it with leat_step");
    if (status == LEAT_OK) status = lt_statement_begin(statement, err);
    if (status == LEAT_OK) status = lt_arrow_stream(statement, out_stream, err);
    lt_session_leave(statement->session);
    return status;
}
