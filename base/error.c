#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct condition_row {
    const char *name, *sqlstate;
    leat_status status;
} condition_row;

static const condition_row conditions[] = {
    [LT_CONDITION_NONE] = {"", "", LEAT_INTERNAL},
#define LT_CONDITION(name, text, sqlstate, status) [LT_##name] = {text, sqlstate, status},
#include "base/conditions.def"
#undef LT_CONDITION
};
_Static_assert(sizeof conditions / sizeof conditions[0] == LT_CONDITION_COUNT, "a row for each condition");

const char *lt_condition_name(lt_condition condition) { return conditions[condition].name; }
const char *lt_condition_sqlstate(lt_condition condition) { return conditions[condition].sqlstate; }
const char *lt_condition_meaning(lt_condition condition) {
    static const struct {
        leat_status status;
        const char *meaning;
    } meanings[] = {
        {LEAT_MISUSE, "the call broke its contract; nothing has changed"},
        {LEAT_SYNTAX, "the SQL text does not parse"},
        {LEAT_BINDING, "a name, a type or a rule of the dialect is violated"},
        {LEAT_DATA, "a value failed; try_ functions give NULL instead"},
        {LEAT_IO, "reading or writing failed"},
        {LEAT_BUSY, "somebody else holds the resource"},
        {LEAT_CORRUPT, "bytes on disk are damaged"},
        {LEAT_VERSION, "bytes on disk are of another version"},
        {LEAT_CHANGED, "the query is not the one that the checkpoint belongs to"},
        {LEAT_LIMIT, "a limit was met"},
        {LEAT_NO_MEMORY, "there was not enough memory"},
        {LEAT_INTERRUPTED, "it was interrupted"},
        {LEAT_TIMEOUT, "it was not done in time"},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (meanings[i].status == lt_condition_status(condition)) return meanings[i].meaning;
    return "a fault of leat; please report it";
}

leat_status lt_condition_status(lt_condition condition) { return conditions[condition].status; }

static void copy_text(char *out, size_t capacity, const char *text) {
    size_t bytes = strlen(text);
    if (bytes >= capacity) bytes = capacity - 1;
    memcpy(out, text, bytes);
    out[bytes] = '\0';
}

leat_status lt_raise(leat_error *err, lt_condition condition, const lt_place *place, const char *format, ...) {
    leat_status status = lt_condition_status(condition);
    if (err == NULL || err->status != LEAT_OK) return status;
    err->status    = status;
    err->condition = condition;
    if (place != NULL) err->place = *place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return status;
}

leat_status lt_raise_no_memory(leat_error *err) { return lt_raise(err, LT_OUT_OF_MEMORY, NULL, "no memory left"); }

void lt_error_data_place(leat_error *err, const char *path, uint64_t line, uint64_t offset, const char *column) {
    if (err == NULL || err->has_path || err->data_line != 0) return;
    if (path != NULL) {
        copy_text(err->path, sizeof err->path, path);
        err->has_path = true;
    }
    if (column != NULL) {
        copy_text(err->data_column, sizeof err->data_column, column);
        err->has_data_column = true;
    }
    err->data_line   = line;
    err->data_offset = offset;
}

void lt_error_place(leat_error *err, const lt_place *place) {
    if (err != NULL && place != NULL && err->place.line == 0) err->place = *place;
}

void lt_error_context(leat_error *err, const char *format, ...) {
    if (err == NULL) return;
    size_t used = strlen(err->message);
    if (used + 8 >= sizeof err->message) return;
    memcpy(err->message + used, " (", 2);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message + used + 2, sizeof err->message - used - 3, format, arguments);
    va_end(arguments);
    used                   = strlen(err->message);
    err->message[used]     = ')';
    err->message[used + 1] = '\0';
}

void lt_error_reset(leat_error *err) {
    if (err == NULL) return;
    err->status      = LEAT_OK;
    err->condition   = LT_CONDITION_NONE;
    err->place       = (lt_place){0};
    err->data_line   = 0;
    err->data_offset = 0;
    err->has_path = err->has_data_column = false;
    err->message[0] = err->path[0] = err->data_column[0] = err->query[0] = '\0';
}

leat_status leat_error_create(leat_error **out_err) {
    *out_err = calloc(1, sizeof **out_err);
    return *out_err == NULL ? LEAT_NO_MEMORY : LEAT_OK;
}

void leat_error_destroy(leat_error **err) {
    if (err == NULL) return;
    free(*err);
    *err = NULL;
}

leat_status leat_error_status(const leat_error *err) { return err == NULL ? LEAT_OK : err->status; }
const char *leat_error_message(const leat_error *err) { return err == NULL ? "" : err->message; }
const char *leat_error_condition(const leat_error *err) { return err == NULL ? "" : lt_condition_name(err->condition); }
const char *leat_error_sqlstate(const leat_error *err) {
    return err == NULL ? "" : lt_condition_sqlstate(err->condition);
}
const char *leat_error_query(const leat_error *err) { return err == NULL ? "" : err->query; }

leat_place leat_error_place(const leat_error *err) {
    if (err == NULL) return (leat_place){0};
    return (leat_place){
        .sql_offset  = err->place.offset,
        .sql_bytes   = err->place.bytes,
        .sql_line    = err->place.line,
        .sql_column  = err->place.column,
        .path        = err->has_path ? err->path : NULL,
        .data_line   = err->data_line,
        .data_offset = err->data_offset,
        .data_column = err->has_data_column ? err->data_column : NULL,
    };
}

leat_status leat_error_set(leat_error *err, const char *message) {
    return lt_raise(err, LT_FAILED_FUNCTION_CALL, NULL, "%s", message);
}
