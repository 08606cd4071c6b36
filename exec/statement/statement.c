#include "exec/session.h"

#include "base/ascii.h"
#include "base/lane_numbers.h"
#include "base/utf8.h"

// statement: what leat.h says about statements: prepare, bind, step, columns. What each kind does is in
// exec/statement/statements.c.

static bool is_rows(lt_ast_statement_kind kind) {
    return kind == LT_AST_STATEMENT_QUERY || kind == LT_AST_STATEMENT_SHOW || kind == LT_AST_STATEMENT_DESCRIBE ||
           kind == LT_AST_STATEMENT_EXPLAIN;
}

void lt_value_texts_init(lt_value_texts *texts, lt_account *account) {
    *texts = (lt_value_texts){0};
    lt_buffer_init(&texts->made, account, 0);
    lt_arena_init(&texts->kept, account);
}

void lt_value_texts_deinit(lt_value_texts *texts) {
    lt_buffer_deinit(&texts->made);
    lt_arena_deinit(&texts->kept);
}

leat_status leat_prepare(leat_session *session, const char *sql, size_t sql_bytes, leat_statement **out_statement,
                         size_t *out_used_bytes, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    *out_statement = NULL;
    if (sql_bytes == LEAT_TERMINATED) sql_bytes = strlen(sql);
    size_t          used      = 0;
    leat_statement *statement = lt_account_reallocate(&session->account, NULL, 0, sizeof *statement);
    leat_status     status    = statement == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    if (status == LEAT_OK) {
        *statement = (leat_statement){.session = session};
        lt_arena_init(&statement->arena, &session->account);
        lt_arena_init(&statement->result_arena, &session->account);
        statement->next = session->statements;
        statement->link = &session->statements;
        if (statement->next != NULL) statement->next->link = &statement->next;
        session->statements = statement;
        statement->texts    = LT_NEW(&statement->arena, lt_value_texts);
        if (statement->texts == NULL)
            status = lt_raise_no_memory(err);
        else
            lt_value_texts_init(statement->texts, &session->account);
    }
    if (status == LEAT_OK) status = lt_parse_statement(sql, sql_bytes, &statement->arena, &statement->tree, &used, err);
    if (status == LEAT_OK) {
        statement->sql             = lt_arena_text(&statement->arena, sql, used);
        statement->sql_bytes       = used;
        statement->parameter_count = statement->tree->parameter_count;
        statement->parameters = LT_NEW_ARRAY(&statement->arena, const lt_vector *, statement->parameter_count + 1u);
        statement->parameter_values = LT_NEW_ARRAY(&statement->arena, lt_parameter, statement->parameter_count + 1u);
        for (uint32_t i = 0; statement->parameter_values != NULL && i < statement->parameter_count; i++)
            lt_buffer_init(&statement->parameter_values[i].text, &session->account, 0);
        if (statement->sql == NULL || statement->parameters == NULL || statement->parameter_values == NULL)
            status = lt_raise_no_memory(err);
        const lt_ast_statement *tree = statement->tree;
        statement->kind              = tree->kind == LT_AST_STATEMENT_EMPTY ? LEAT_STATEMENT_EMPTY
                                       : !is_rows(tree->kind)               ? LEAT_STATEMENT_ACTION
                                       : tree->kind == LT_AST_STATEMENT_QUERY && tree->query->emit == LT_AST_EMIT_CHANGES
                                           ? LEAT_STATEMENT_CHANGES
                                           : LEAT_STATEMENT_ROWS;
    }
    if (out_used_bytes != NULL) *out_used_bytes = used;
    if (status == LEAT_OK)
        *out_statement = statement;
    else if (statement != NULL)
        leat_statement_close(&statement);
    lt_session_leave(session);
    return status;
}

// The query of EMIT CHANGES lives as long as its statement's run.
static void changes_end(leat_statement *statement) {
    if (statement->changes == NULL) return;
    for (lt_standing **link = &statement->session->standing; *link != NULL; link = &(*link)->next)
        if (*link == statement->changes) {
            *link = statement->changes->next;
            break;
        }
    lt_standing_destroy(&statement->changes);
}

static void result_forget(leat_statement *statement) {
    changes_end(statement);
    if (statement->has_rows) lt_segments_deinit(&statement->rows);
    statement->has_rows = false;
    statement->segment  = NULL;
    if (statement->texts != NULL)
        statement->texts->has_printer[0] = statement->texts->has_printer[1] = statement->texts->has_writer = false;
    lt_arena_deinit(&statement->result_arena);
    statement->columns      = NULL;
    statement->column_count = 0;
    statement->row          = 0;
    statement->is_run = statement->is_done = false;
    statement->message                     = NULL;
}

leat_status leat_statement_close(leat_statement **statement) {
    if (statement == NULL || *statement == NULL) return LEAT_OK;
    leat_statement *self    = *statement;
    leat_session   *session = self->session;
    if (self->is_delivered) return LEAT_MISUSE; // the rows of a callback belong to the batch
    pthread_mutex_lock(&session->lock);
    if (session->is_in_callback) { // it may be the statement that runs
        pthread_mutex_unlock(&session->lock);
        return LEAT_MISUSE;
    }
    result_forget(self);
    if (self->link != NULL) *self->link = self->next;
    if (self->next != NULL) self->next->link = self->link;
    if (self->texts != NULL) lt_value_texts_deinit(self->texts);
    for (uint32_t i = 0; self->parameter_values != NULL && i < self->parameter_count; i++)
        lt_buffer_deinit(&self->parameter_values[i].text);
    lt_arena_deinit(&self->arena);
    lt_account_reallocate(&session->account, self, sizeof *self, 0);
    pthread_mutex_unlock(&session->lock);
    *statement = NULL;
    return LEAT_OK;
}

leat_status leat_statement_reset(leat_statement *statement, leat_error *err) {
    if (statement == NULL || statement->is_delivered) {
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "there is no statement to reset");
    }
    LT_TRY(lt_session_enter(statement->session, err));
    result_forget(statement);
    lt_session_leave(statement->session);
    return LEAT_OK;
}

leat_statement_kind leat_statement_kind_of(const leat_statement *statement) { return statement->kind; }
const char         *leat_statement_message(const leat_statement *statement) {
            return statement->message == NULL ? "" : statement->message;
}

// -----------------------------------------------------------------------------------------------------------
// parameters

uint32_t leat_parameter_count(const leat_statement *statement) { return statement->parameter_count; }

leat_status leat_parameter_index(const leat_statement *statement, const char *name, uint32_t *out_index,
                                 leat_error *err) {
    lt_error_reset(err);
    for (uint32_t i = 0; i < statement->tree->parameters.count; i++) {
        const lt_ast_name *parameter = &statement->tree->parameters.items[i];
        if (parameter->text != NULL && lt_ascii_compare(parameter->text, name) == 0) {
            *out_index = i;
            return LEAT_OK;
        }
    }
    return lt_raise(err, LT_UNBOUND_SQL_PARAMETER, NULL, "the statement has no parameter `:%s`", name);
}

// The value of a parameter, to be filled; nothing is bound before bind_end.
static leat_status bind_begin(leat_statement *statement, uint32_t index, lt_parameter **out, leat_error *err) {
    if (statement == NULL || statement->is_delivered) {
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "there is no statement to bind a parameter of");
    }
    LT_TRY(lt_session_enter(statement->session, err));
    if (index < statement->parameter_count) {
        *out = &statement->parameter_values[index];
        return LEAT_OK;
    }
    leat_status status = lt_raise(err, LT_MISUSE, NULL, "there is no parameter %u; the statement has %u", index,
                                  statement->parameter_count);
    lt_session_leave(statement->session);
    return status;
}

static leat_status bind_end(leat_statement *statement, uint32_t index, lt_kind kind) {
    lt_parameter *value          = &statement->parameter_values[index];
    value->validity              = kind != LT_VOID;
    value->vector                = (lt_vector){.type     = lt_type_of(kind),
                                               .form     = LT_CONSTANT,
                                               .capacity = 1,
                                               .lanes    = 1,
                                               .values   = &value->lane,
                                               .validity = &value->validity};
    statement->parameters[index] = &value->vector;
    lt_session_leave(statement->session);
    return LEAT_OK;
}

leat_status leat_bind_null(leat_statement *statement, uint32_t parameter_index, leat_error *err) {
    lt_parameter *value;
    LT_TRY(bind_begin(statement, parameter_index, &value, err));
    return bind_end(statement, parameter_index, LT_VOID);
}

leat_status leat_bind_int64(leat_statement *statement, uint32_t parameter_index, int64_t number, leat_error *err) {
    lt_parameter *value;
    bool          is_int = number >= INT32_MIN && number <= INT32_MAX; // as the literal of that size
    LT_TRY(bind_begin(statement, parameter_index, &value, err));
    if (is_int)
        value->lane.int32 = (int32_t)number;
    else
        value->lane.int64 = number;
    return bind_end(statement, parameter_index, is_int ? LT_INT : LT_BIGINT);
}

leat_status leat_bind_double(leat_statement *statement, uint32_t parameter_index, double number, leat_error *err) {
    lt_parameter *value;
    LT_TRY(bind_begin(statement, parameter_index, &value, err));
    value->lane.float64 = number;
    return bind_end(statement, parameter_index, LT_DOUBLE);
}

leat_status leat_bind_boolean(leat_statement *statement, uint32_t parameter_index, bool truth, leat_error *err) {
    lt_parameter *value;
    LT_TRY(bind_begin(statement, parameter_index, &value, err));
    value->lane.truth = truth;
    return bind_end(statement, parameter_index, LT_BOOLEAN);
}

static leat_status text_keep(lt_parameter *value, const char *text, size_t bytes, leat_error *err) {
    if (bytes > LT_VALUE_BYTES_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value has %zu bytes; at most %d", bytes, LT_VALUE_BYTES_MAX);
    if (!lt_utf8_is_valid(text, bytes)) return lt_raise(err, LT_INVALID_UTF8_STRING, NULL, "the text is not UTF-8");
    LT_TRY(lt_buffer_reserve(&value->text, bytes, err));
    lt_buffer_reset(&value->text);
    LT_TRY(lt_buffer_append(&value->text, text, bytes, err));
    value->lane.string = lt_string_view(value->text.data, bytes);
    return LEAT_OK;
}

leat_status leat_bind_text(leat_statement *statement, uint32_t parameter_index, const char *text, size_t text_bytes,
                           leat_error *err) {
    lt_parameter *value;
    if (text == NULL) return leat_bind_null(statement, parameter_index, err);
    if (text_bytes == LEAT_TERMINATED) text_bytes = strlen(text);
    LT_TRY(bind_begin(statement, parameter_index, &value, err));
    leat_status status = text_keep(value, text, text_bytes, err);
    if (status == LEAT_OK) return bind_end(statement, parameter_index, LT_STRING);
    lt_session_leave(statement->session);
    return status;
}

leat_status leat_parameter_set(leat_session *session, const char *name, const char *text, size_t text_bytes,
                               leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    if (text_bytes == LEAT_TERMINATED) text_bytes = strlen(text);
    lt_named_value *entry  = LT_NEW(&session->arena, lt_named_value);
    lt_vector      *value  = LT_NEW(&session->arena, lt_vector);
    char           *copy   = lt_arena_text(&session->arena, name, strlen(name));
    leat_status     status = entry == NULL || value == NULL || copy == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    if (status == LEAT_OK) status = lt_vector_init(value, lt_type_of(LT_STRING), 1, &session->arena, err);
    if (status == LEAT_OK)
        status = lt_string_copy(&session->arena, text, text_bytes, &LT_LANES(value, lt_string)[0], err);
    if (status == LEAT_OK) {
        value->form         = LT_CONSTANT;
        value->lanes        = 1;
        *entry              = (lt_named_value){.name = copy, .value = value, .next = session->parameters};
        session->parameters = entry;
    }
    lt_session_leave(session);
    return status;
}

// -----------------------------------------------------------------------------------------------------------------
// step

// EMIT CHANGES: runs batches until rows are there; without a background thread this call does the work.
static leat_status wait_for_changes(leat_statement *statement, leat_error *err) {
    leat_session *session = statement->session;
    while (statement->row >= statement->rows.row_count) {
        bool         ran   = false;
        lt_standing *query = statement->changes;
        if (statement->rows.row_count > 0) {
            // Everything given was read: forget it.
            lt_segments_reset(&statement->rows);
            statement->segment = NULL;
            statement->row     = 0;
        }
        lt_folder_watch_read(&session->folder_watch);
        if (query->state == LEAT_QUERY_READY || query->state == LEAT_QUERY_RUNNING)
            LT_TRY(lt_standing_step(query, &ran, err));
        if (query->state == LEAT_QUERY_FAILED) {
            if (err != NULL) *err = query->error;
            return query->error.status;
        }
        if (query->state == LEAT_QUERY_ENDED && statement->row >= statement->rows.row_count) return LEAT_DONE;
        if (lt_session_is_interrupted(session)) return lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
        if (ran) continue;
        lt_session_sleep(session, 2000);
    }
    return LEAT_OK;
}

leat_status lt_statement_begin(leat_statement *statement, leat_error *err) {
    if (statement->is_run) return LEAT_OK;
    statement->is_run  = true;
    leat_status status = lt_statement_run(statement, err);
    statement->is_done = status != LEAT_OK;
    return status;
}

leat_status lt_statement_advance(leat_statement *statement, leat_error *err) {
    LT_TRY(lt_statement_begin(statement, err));
    if (statement->changes != NULL && statement->changes_left == 0) statement->is_done = true;
    if (!statement->is_done && statement->changes != NULL && statement->row >= statement->rows.row_count) {
        leat_status status = wait_for_changes(statement, err);
        if (status != LEAT_OK && status != LEAT_DONE) return status;
    }
    if (!statement->is_done && statement->has_rows && statement->row < statement->rows.row_count) return LEAT_ROW;
    statement->is_done = true;
    return LEAT_DONE;
}

// Goes on to the row that is there.
static void row_next(leat_statement *statement) {
    const lt_segment *segment = statement->segment;
    uint64_t          row     = statement->row++;
    if (segment == NULL || row - segment->first_row >= segment->count)
        statement->segment = segment = lt_segments_find(&statement->rows, row);
    statement->lane = (uint32_t)(row - segment->first_row);
}

leat_status leat_step(leat_statement *statement, leat_error *err) {
    if (statement == NULL) {
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "the statement is NULL; did leat_prepare succeed?");
    }
    lt_arena_reset(&statement->texts->kept);
    if (statement->is_delivered) {
        if (statement->row >= statement->rows.row_count) return LEAT_DONE;
        row_next(statement);
        return LEAT_ROW;
    }
    LT_TRY(lt_session_enter(statement->session, err));
    leat_status status = lt_statement_advance(statement, err);
    if (status == LEAT_ROW) {
        row_next(statement);
        if (statement->changes != NULL && statement->changes_left > 0) statement->changes_left--;
    }
    lt_session_leave(statement->session);
    return status;
}

// Places of a statement's error count from the start of the script.
static void place_in_script(leat_error *err, const char *sql, size_t at) {
    uint32_t line = 1, column = 1;
    if (err == NULL || err->place.line == 0) return;
    for (size_t i = 0; i < at; i++) {
        column = sql[i] == '\n' ? 1 : column + ((sql[i] & 0xc0) != 0x80);
        line += sql[i] == '\n';
    }
    if (err->place.line == 1) err->place.column += column - 1;
    err->place.line += line - 1;
    err->place.offset += (uint32_t)at;
}

static leat_status execute_one(leat_session *session, const char *sql, size_t sql_bytes, size_t *out_used,
                               leat_error *err) {
    leat_statement *statement;
    leat_status     status = leat_prepare(session, sql, sql_bytes, &statement, out_used, err);
    while (status == LEAT_OK || status == LEAT_ROW) status = leat_step(statement, err);
    leat_statement_close(&statement);
    return status == LEAT_DONE ? LEAT_OK : status;
}

leat_status leat_execute(leat_session *session, const char *sql, size_t sql_bytes, leat_error *err) {
    leat_status status = LEAT_OK;
    LT_TRY(lt_session_enter(session, err)); // one call: an interrupt between two statements ends it too
    if (sql_bytes == LEAT_TERMINATED) sql_bytes = strlen(sql);
    for (size_t at = 0, used; at < sql_bytes && status == LEAT_OK; at += used) {
        used   = 0;
        status = execute_one(session, sql + at, sql_bytes - at, &used, err);
        if (status != LEAT_OK) place_in_script(err, sql, at);
        if (status == LEAT_OK && lt_session_is_interrupted(session))
            status = lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
        if (used == 0) break;
    }
    lt_session_leave(session);
    return status;
}

// --------------------------------------------------------------------------------------------------------------
// columns

uint32_t leat_column_count(const leat_statement *statement) { return statement->column_count; }

const char *leat_column_name(const leat_statement *statement, uint32_t column_index, size_t *out_bytes) {
    const char *name = column_index < statement->column_count ? statement->columns[column_index].name : "";
    if (out_bytes != NULL) *out_bytes = strlen(name);
    return name;
}

const char *leat_column_type(const leat_statement *statement, uint32_t column_index) {
    return column_index < statement->column_count ? statement->type_texts[column_index] : "";
}

static const lt_vector *column_of(const leat_statement *statement, uint32_t column_index) {
    if (column_index >= statement->column_count || statement->segment == NULL || statement->row == 0) return NULL;
    return &statement->segment->columns[column_index];
}

bool leat_column_is_null(const leat_statement *statement, uint32_t column_index) {
    const lt_vector *column = column_of(statement, column_index);
    return column == NULL || lt_vector_is_null(column, statement->lane);
}

int64_t leat_column_int64(const leat_statement *statement, uint32_t column_index) {
    const lt_vector *column = column_of(statement, column_index);
    uint32_t         row    = statement->lane;
    if (column == NULL || lt_vector_is_null(column, row)) return 0;
    switch (column->type->kind) {
    case LT_FLOAT:
        return (int64_t)LT_LANES(column, float)[row];
    case LT_DOUBLE:
        return (int64_t)LT_LANES(column, double)[row];
    case LT_DECIMAL: {
        lt_int128 value = LT_LANES(column, lt_int128)[row];
        for (uint32_t s = 0; s < column->type->scale; s++) value /= 10;
        return (int64_t)value;
    }
    default:
        return lt_lane_integer(column, row);
    }
}

double leat_column_double(const leat_statement *statement, uint32_t column_index) {
    const lt_vector *column = column_of(statement, column_index);
    uint32_t         row    = statement->lane;
    if (column == NULL || lt_vector_is_null(column, row)) return 0;
    switch (column->type->kind) {
    case LT_FLOAT:
        return (double)LT_LANES(column, float)[row];
    case LT_DOUBLE:
        return LT_LANES(column, double)[row];
    case LT_DECIMAL: {
        double value = (double)LT_LANES(column, lt_int128)[row];
        for (uint32_t s = 0; s < column->type->scale; s++) value /= 10;
        return value;
    }
    default:
        return (double)leat_column_int64(statement, column_index);
    }
}

bool leat_column_boolean(const leat_statement *statement, uint32_t column_index) {
    return leat_column_int64(statement, column_index) != 0;
}

static const lt_value_text *printer_of(const leat_statement *statement, lt_value_text_style style) {
    lt_value_texts *texts = statement->texts;
    if (!texts->has_printer[style])
        texts->has_printer[style] =
            lt_value_text_init(&texts->printers[style], style, &statement->evaluation, NULL) == LEAT_OK;
    return texts->has_printer[style] ? &texts->printers[style] : NULL;
}

static const lt_json_writer *writer_of(const leat_statement *statement) {
    lt_value_texts *texts = statement->texts;
    if (!texts->has_writer)
        texts->has_writer = lt_json_writer_init(&texts->writer, &statement->evaluation, NULL) == LEAT_OK;
    return texts->has_writer ? &texts->writer : NULL;
}

// Several texts of a row are valid together, so each stands in the arena.
static const char *text_kept(const leat_statement *statement, const char *bytes, size_t count, size_t *out_bytes) {
    const char *text = lt_arena_text(&statement->texts->kept, bytes, count);
    if (text == NULL) return "";
    if (out_bytes != NULL) *out_bytes = count;
    return text;
}

static const char *scalar_text(const leat_statement *statement, const lt_value_text *printer, const lt_vector *column,
                               size_t *out_bytes) {
    char *text = lt_arena_alloc(&statement->texts->kept, LT_SCALAR_TEXT_MAX);
    if (text == NULL) return "";
    size_t lane_bytes = lt_kind_lane_bytes(column->type->kind);
    size_t bytes =
        lt_value_text_scalar(printer, column->type, (const char *)column->values + lane_bytes * statement->lane, text);
    if (out_bytes != NULL) *out_bytes = bytes;
    return text;
}

// Result columns are flat. `column` is not NULL at the present row, or its style says what NULL looks like.
static const char *value_text(const leat_statement *statement, const lt_vector *column, lt_value_text_style style,
                              size_t *out_bytes) {
    bool                 is_null = lt_vector_is_null(column, statement->lane);
    const lt_value_text *printer = printer_of(statement, style);
    lt_kind              kind    = column->type->kind;
    if (printer == NULL) return "";
    if (!is_null && (kind == LT_STRING || (kind == LT_BINARY && style == LT_VALUE_TEXT_CAST))) {
        const lt_string *bytes = &LT_LANES(column, const lt_string)[statement->lane];
        return text_kept(statement, lt_string_data(bytes), bytes->bytes, out_bytes);
    }
    if (!is_null && !lt_kind_is_bytes(kind) && !lt_kind_is_nested(kind))
        return scalar_text(statement, printer, column, out_bytes);
    lt_buffer *out = &statement->texts->made;
    lt_buffer_reset(out);
    if (lt_value_text_append(printer, column, statement->lane, out, NULL) != LEAT_OK) return "";
    return text_kept(statement, out->bytes == 0 ? "" : out->data, out->bytes, out_bytes);
}

const char *leat_column_text(const leat_statement *statement, uint32_t column_index, size_t *out_bytes) {
    const lt_vector *column = column_of(statement, column_index);
    if (out_bytes != NULL) *out_bytes = 0;
    if (column == NULL || lt_vector_is_null(column, statement->lane)) return NULL;
    return value_text(statement, column, LT_VALUE_TEXT_CAST, out_bytes);
}

const char *leat_column_json(const leat_statement *statement, uint32_t column_index, size_t *out_bytes) {
    const lt_vector *column = column_of(statement, column_index);
    if (out_bytes != NULL) *out_bytes = 0;
    if (column == NULL) return NULL;
    const lt_json_writer *writer = writer_of(statement);
    lt_buffer            *out    = &statement->texts->made;
    lt_buffer_reset(out);
    if (writer == NULL || lt_json_write_value(writer, column, statement->lane, out, NULL) != LEAT_OK) return "";
    return text_kept(statement, out->bytes == 0 ? "" : out->data, out->bytes, out_bytes);
}

const char *leat_column_display(const leat_statement *statement, uint32_t column_index, size_t *out_bytes) {
    const lt_vector *column = column_of(statement, column_index);
    if (out_bytes != NULL) *out_bytes = 0;
    return column == NULL ? NULL : value_text(statement, column, LT_VALUE_TEXT_SHOW, out_bytes);
}
