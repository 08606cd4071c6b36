#include "base/cast.h"

#include "base/date.h"

#include <stdarg.h>
#include <stdio.h>

// Finds the row of a pair, runs it over the live rows of any form of vector, and decides what fails.

static leat_status run_void(lt_cast_call *call, leat_error *err) {
    (void)call; // every lane is NULL already
    (void)err;
    return LEAT_OK;
}
static const lt_cast cast_of_void = {.from = LT_VOID, .into = LT_NO_KIND, .run = run_void};

const lt_cast *lt_cast_find(const lt_type *from, const lt_type *into) {
    if (from->kind == LT_VOID) return into->kind == LT_VOID ? NULL : &cast_of_void;
    for (const lt_cast *const *file = lt_cast_registry; *file != NULL; file++)
        for (const lt_cast *cast = *file; cast->run != NULL; cast++)
            if (cast->from == from->kind && cast->into == into->kind) return cast;
    return NULL;
}

static bool kinds_need_cast(const lt_type *from, const lt_type *into) {
    return from->kind != into->kind || from->kind == LT_DECIMAL || from->kind == LT_TIME ||
           lt_kind_is_interval(from->kind) || lt_kind_is_nested(from->kind);
}

static lt_condition reason_of(lt_kind from, lt_kind into) {
    if ((from == LT_DATE && lt_kind_is_numeric(into)) || (into == LT_DATE && lt_kind_is_numeric(from)))
        return LT_DATATYPE_MISMATCH__CAST_WITH_FUNC_SUGGESTION; // unix_date, date_from_unix_date
    bool is_allowed_without_ansi = (lt_kind_is_integral(from) && into == LT_BINARY) ||
                                   ((from == LT_TIMESTAMP || from == LT_DATE) && into == LT_BOOLEAN) ||
                                   (from == LT_BOOLEAN && into == LT_TIMESTAMP);
    return is_allowed_without_ansi ? LT_DATATYPE_MISMATCH__CAST_WITH_CONF_SUGGESTION
                                   : LT_DATATYPE_MISMATCH__CAST_WITHOUT_SUGGESTION;
}

bool lt_cast_is_allowed(const lt_type *from, const lt_type *into, lt_condition *out_condition) {
    *out_condition = LT_DATATYPE_MISMATCH__CAST_WITHOUT_SUGGESTION;
    if (from->kind == LT_VOID || into->kind == LT_STRING) return true;
    if (!kinds_need_cast(from, into)) return true;
    if (lt_cast_find(from, into) == NULL) {
        *out_condition = reason_of(from->kind, into->kind);
        return false;
    }
    if (from->kind != into->kind || !lt_kind_is_nested(from->kind)) return true;
    if (from->field_count != into->field_count) return false;
    for (uint32_t i = 0; i < from->field_count; i++)
        if (!lt_cast_is_allowed(from->fields[i].type, into->fields[i].type, out_condition)) return false;
    return true;
}

// The same lanes under another type of the same shape: names of struct fields differ.
static leat_status retype(const lt_vector *from, const lt_type *into, lt_arena *arena, lt_vector *out,
                          leat_error *err) {
    *out      = *from;
    out->type = into;
    if (from->form == LT_DICTIONARY) {
        LT_TRY_NEW(out->dictionary, arena, err);
        return retype(from->dictionary, into, arena, out->dictionary, err);
    }
    if (from->child_count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(out->children, arena, from->child_count, err);
    for (uint32_t i = 0; i < from->child_count; i++) {
        const lt_type *child = into->kind == LT_MAP ? NULL : into->fields[i].type;
        if (child == NULL) {
            lt_type *entry;
            LT_TRY_NEW(entry, arena, err);
            *entry = (lt_type){.kind = LT_STRUCT, .field_count = 2, .fields = into->fields};
            child  = entry;
        }
        LT_TRY(retype(&from->children[i], child, arena, &out->children[i], err));
    }
    return LEAT_OK;
}

// NULL lanes of a flat `from` become NULL lanes of `into`.
static leat_status copy_nulls(const lt_vector *from, lt_vector *into, uint32_t count, lt_arena *arena,
                              leat_error *err) {
    if (from->validity == NULL || count == 0) return LEAT_OK;
    size_t words = ((size_t)into->capacity + 63) / 64;
    LT_TRY_NEW_ARRAY(into->validity, arena, words, err);
    memset(into->validity, 0xff, words * sizeof *into->validity);
    memcpy(into->validity, from->validity, ((size_t)count + 63) / 64 * sizeof *into->validity);
    return LEAT_OK;
}

static leat_status run_flat(const lt_cast *cast, lt_cast_call *call, const uint16_t *rows, uint32_t row_count,
                            leat_error *err) {
    LT_TRY(copy_nulls(call->from, call->into, call->count, call->arena, err));
    uint16_t *live;
    LT_TRY_NEW_ARRAY(live, call->arena, row_count, err);
    for (uint32_t i = 0; i < row_count; i++) {
        uint16_t row          = rows == NULL ? (uint16_t)i : rows[i];
        live[call->row_count] = row;
        call->row_count += lt_validity_is_set(call->from->validity, row) ? 1 : 0;
    }
    call->rows         = live;
    call->into->lanes  = call->count;
    leat_status status = call->row_count == 0 ? LEAT_OK : cast->run(call, err);
    if (status != LEAT_OK) lt_error_place(err, &call->place);
    return status;
}

leat_status lt_cast_run(const lt_vector *from, const lt_type *into, const uint16_t *rows, uint32_t row_count,
                        uint32_t count, bool is_try, lt_arena *arena, lt_evaluation *evaluation, const lt_place *place,
                        const lt_vector **out, leat_error *err) {
    *out = from;
    if (lt_type_equal(from->type, into)) return LEAT_OK;
    lt_vector *result;
    LT_TRY_NEW(result, arena, err);
    *out = result;
    if (from->type->kind == LT_VOID) return lt_vector_init_constant_null(result, into, arena, err);
    if (lt_type_same_shape(from->type, into)) return retype(from, into, arena, result, err);
    const lt_cast *cast = lt_cast_find(from->type, into);
    if (cast == NULL)
        return lt_raise(err, reason_of(from->type->kind, into->kind), place, "there is no cast between these types");
    lt_cast_call call = {.from_type  = from->type,
                         .into_type  = into,
                         .into       = result,
                         .is_try     = is_try,
                         .arena      = arena,
                         .evaluation = evaluation};
    if (place != NULL) call.place = *place;
    LT_TRY(lt_vector_unpack(from, count, arena, &call.from, err));
    if (from->form == LT_CONSTANT) {
        if (lt_vector_is_null(from, 0) || (rows != NULL && row_count == 0))
            return lt_vector_init_constant_null(result, into, arena, err);
        LT_TRY(lt_vector_init(result, into, 1, arena, err));
        call.count = 1;
        LT_TRY(run_flat(cast, &call, NULL, 1, err));
        result->form = LT_CONSTANT;
        return LEAT_OK;
    }
    LT_TRY(lt_vector_init(result, into, count, arena, err));
    call.count = count;
    return run_flat(cast, &call, rows, rows == NULL ? count : row_count, err);
}

leat_status lt_cast_fail(lt_cast_call *call, uint32_t row, lt_condition condition, leat_error *err, const char *format,
                         ...) {
    if (call->is_try) return lt_vector_set_null(call->into, row, call->arena, err);
    char    message[LT_ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return lt_raise(err, condition, &call->place, "%s", message);
}
