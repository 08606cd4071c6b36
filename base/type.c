#include "base/type.h"

#include "base/ascii.h"

typedef struct kind_row {
    const char *name; // as in DDL
    size_t      lane_bytes;
} kind_row;

typedef struct lt_string_lane { // size of lt_string, which base/vector.h declares
    uint64_t halves[2];
} lt_string_lane;

static const kind_row kinds[LT_KIND_COUNT] = {
    [LT_NO_KIND]             = {"?", 0},
    [LT_VOID]                = {"VOID", 0},
    [LT_BOOLEAN]             = {"BOOLEAN", 1},
    [LT_TINYINT]             = {"TINYINT", 1},
    [LT_SMALLINT]            = {"SMALLINT", 2},
    [LT_INT]                 = {"INT", 4},
    [LT_BIGINT]              = {"BIGINT", 8},
    [LT_FLOAT]               = {"FLOAT", 4},
    [LT_DOUBLE]              = {"DOUBLE", 8},
    [LT_DECIMAL]             = {"DECIMAL", 16},
    [LT_STRING]              = {"STRING", sizeof(lt_string_lane)},
    [LT_BINARY]              = {"BINARY", sizeof(lt_string_lane)},
    [LT_DATE]                = {"DATE", 4},
    [LT_TIMESTAMP]           = {"TIMESTAMP", 8},
    [LT_TIMESTAMP_NTZ]       = {"TIMESTAMP_NTZ", 8},
    [LT_TIME]                = {"TIME", 8},
    [LT_INTERVAL_YEAR_MONTH] = {"INTERVAL", 4},
    [LT_INTERVAL_DAY_TIME]   = {"INTERVAL", 8},
    [LT_INTERVAL_CALENDAR]   = {"INTERVAL", sizeof(lt_calendar_interval)},
    [LT_ARRAY]               = {"ARRAY", 8},
    [LT_MAP]                 = {"MAP", 8},
    [LT_STRUCT]              = {"STRUCT", 0},
    [LT_VARIANT]             = {"VARIANT", sizeof(lt_string_lane)},
};

#define SCALAR(kind_name) [kind_name] = {.kind = kind_name}
static const lt_type scalars[LT_KIND_COUNT] = {
    SCALAR(LT_VOID),
    SCALAR(LT_BOOLEAN),
    SCALAR(LT_TINYINT),
    SCALAR(LT_SMALLINT),
    SCALAR(LT_INT),
    SCALAR(LT_BIGINT),
    SCALAR(LT_FLOAT),
    SCALAR(LT_DOUBLE),
    [LT_DECIMAL] = {.kind = LT_DECIMAL, .precision = 38, .scale = 18},
    SCALAR(LT_STRING),
    SCALAR(LT_BINARY),
    SCALAR(LT_DATE),
    SCALAR(LT_TIMESTAMP),
    SCALAR(LT_TIMESTAMP_NTZ),
    [LT_TIME]                = {.kind = LT_TIME, .precision = LT_TIME_PRECISION_MAX},
    [LT_INTERVAL_YEAR_MONTH] = {.kind = LT_INTERVAL_YEAR_MONTH, .unit_first = LT_UNIT_YEAR, .unit_last = LT_UNIT_MONTH},
    [LT_INTERVAL_DAY_TIME]   = {.kind = LT_INTERVAL_DAY_TIME, .unit_first = LT_UNIT_DAY, .unit_last = LT_UNIT_SECOND},
    SCALAR(LT_INTERVAL_CALENDAR),
    SCALAR(LT_VARIANT),
};

const lt_type *lt_type_of(lt_kind kind) { return scalars[kind].kind == kind ? &scalars[kind] : NULL; }

const lt_type *lt_type_decimal(lt_arena *arena, uint32_t precision, uint32_t scale) {
    lt_assert(precision <= LT_DECIMAL_PRECISION_MAX && scale <= precision);
    lt_type *type = LT_NEW(arena, lt_type);
    if (type != NULL) *type = (lt_type){.kind = LT_DECIMAL, .precision = (uint8_t)precision, .scale = (uint8_t)scale};
    return type;
}

const lt_type *lt_type_time(lt_arena *arena, uint32_t precision) {
    lt_assert(precision <= LT_TIME_PRECISION_MAX);
    lt_type *type = LT_NEW(arena, lt_type);
    if (type != NULL) *type = (lt_type){.kind = LT_TIME, .precision = (uint8_t)precision};
    return type;
}

const lt_type *lt_type_interval(lt_arena *arena, lt_unit first, lt_unit last) {
    lt_assert(first <= last && (last <= LT_UNIT_MONTH || first >= LT_UNIT_DAY));
    lt_type *type = LT_NEW(arena, lt_type);
    if (type == NULL) return NULL;
    type->kind       = last <= LT_UNIT_MONTH ? LT_INTERVAL_YEAR_MONTH : LT_INTERVAL_DAY_TIME;
    type->unit_first = first;
    type->unit_last  = last;
    return type;
}

const lt_type *lt_type_struct(lt_arena *arena, const lt_field *fields, uint32_t field_count) {
    lt_type  *type   = LT_NEW(arena, lt_type);
    lt_field *copies = LT_NEW_ARRAY(arena, lt_field, field_count);
    if (type == NULL || copies == NULL) return NULL;
    for (uint32_t i = 0; i < field_count; i++) {
        copies[i]      = fields[i];
        copies[i].name = lt_arena_text(arena, fields[i].name, strlen(fields[i].name));
        if (copies[i].name == NULL) return NULL;
    }
    *type = (lt_type){.kind = LT_STRUCT, .field_count = field_count, .fields = copies};
    return type;
}

static const lt_type *with_fields(lt_arena *arena, lt_kind kind, const lt_field *fields, uint32_t field_count) {
    lt_type  *type   = LT_NEW(arena, lt_type);
    lt_field *copies = LT_NEW_ARRAY(arena, lt_field, field_count);
    if (type == NULL || copies == NULL) return NULL;
    memcpy(copies, fields, sizeof *fields * field_count);
    *type = (lt_type){.kind = kind, .field_count = field_count, .fields = copies};
    return type;
}

const lt_type *lt_type_array(lt_arena *arena, const lt_type *element) {
    return with_fields(arena, LT_ARRAY, &(lt_field){.name = "element", .type = element}, 1);
}

const lt_type *lt_type_map(lt_arena *arena, const lt_type *key, const lt_type *value) {
    return with_fields(arena, LT_MAP, (lt_field[]){{.name = "key", .type = key}, {.name = "value", .type = value}}, 2);
}

const lt_type *lt_type_copy(lt_arena *arena, const lt_type *type) {
    if (lt_type_of(type->kind) == type) return type;
    lt_type  *copy   = LT_NEW(arena, lt_type);
    lt_field *fields = LT_NEW_ARRAY(arena, lt_field, type->field_count);
    if (copy == NULL || fields == NULL) return NULL;
    for (uint32_t i = 0; i < type->field_count; i++) {
        fields[i]      = type->fields[i];
        fields[i].name = lt_arena_text(arena, type->fields[i].name, strlen(type->fields[i].name));
        fields[i].type = lt_type_copy(arena, type->fields[i].type);
        if (type->fields[i].comment != NULL)
            fields[i].comment = lt_arena_text(arena, type->fields[i].comment, strlen(type->fields[i].comment));
        if (fields[i].name == NULL || fields[i].type == NULL) return NULL;
    }
    *copy        = *type;
    copy->fields = fields;
    return copy;
}

static bool types_match(const lt_type *a, const lt_type *b, bool with_names) {
    if (a == b) return true;
    if (a->kind != b->kind || a->precision != b->precision || a->scale != b->scale ||
        a->field_count != b->field_count || a->unit_first != b->unit_first || a->unit_last != b->unit_last)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++) {
        if (with_names && a->kind == LT_STRUCT && strcmp(a->fields[i].name, b->fields[i].name) != 0) return false;
        if (!types_match(a->fields[i].type, b->fields[i].type, with_names)) return false;
    }
    return true;
}

bool lt_type_equal(const lt_type *a, const lt_type *b) { return types_match(a, b, true); }
bool lt_type_same_shape(const lt_type *a, const lt_type *b) { return types_match(a, b, false); }

bool lt_type_is_orderable(const lt_type *type) {
    if (type->kind == LT_MAP || type->kind == LT_VARIANT || type->kind == LT_INTERVAL_CALENDAR) return false;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (!lt_type_is_orderable(type->fields[i].type)) return false;
    return true;
}

size_t lt_kind_lane_bytes(lt_kind kind) { return kinds[kind].lane_bytes; }

static const char *const units[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};

static leat_status print_lower(lt_buffer *out, const char *text, bool is_lower, leat_error *err) {
    for (; *text != '\0'; text++) LT_TRY(lt_buffer_append_byte(out, is_lower ? lt_ascii_lower(*text) : *text, err));
    return LEAT_OK;
}

static bool is_plain_name(const char *name) {
    for (const char *c = name; *c != '\0'; c++)
        if (!lt_ascii_is_letter(*c) && *c != '_' && (c == name || !lt_ascii_is_digit(*c))) return false;
    return *name != '\0';
}

static leat_status print_field_name(const char *name, bool is_simple, lt_buffer *out, leat_error *err) {
    if (is_simple || is_plain_name(name)) return lt_buffer_append_text(out, name, err);
    LT_TRY(lt_buffer_append_byte(out, '`', err));
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '`') LT_TRY(lt_buffer_append_byte(out, '`', err));
        LT_TRY(lt_buffer_append_byte(out, *c, err));
    }
    return lt_buffer_append_byte(out, '`', err);
}

static leat_status print_type(const lt_type *type, bool is_simple, lt_buffer *out, leat_error *err) {
    if (type->kind == LT_STRING && type->length > 0)
        return lt_buffer_format(out, err,
                                type->is_char ? (is_simple ? "char(%u)" : "CHAR(%u)")
                                              : (is_simple ? "varchar(%u)" : "VARCHAR(%u)"),
                                type->length);
    LT_TRY(print_lower(out, kinds[type->kind].name, is_simple, err));
    if (type->kind == LT_TIME) return lt_buffer_format(out, err, "(%u)", type->precision);
    if (type->kind == LT_DECIMAL) return lt_buffer_format(out, err, "(%u,%u)", type->precision, type->scale);
    if (type->kind == LT_INTERVAL_YEAR_MONTH || type->kind == LT_INTERVAL_DAY_TIME) {
        LT_TRY(lt_buffer_append_byte(out, ' ', err));
        LT_TRY(print_lower(out, units[type->unit_first], is_simple, err));
        if (type->unit_first == type->unit_last) return LEAT_OK;
        LT_TRY(print_lower(out, " TO ", is_simple, err));
        return print_lower(out, units[type->unit_last], is_simple, err);
    }
    if (!lt_kind_is_nested(type->kind)) return LEAT_OK;
    LT_TRY(lt_buffer_append_byte(out, '<', err));
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_text(out, is_simple ? "," : ", ", err));
        if (type->kind == LT_STRUCT) {
            LT_TRY(print_field_name(type->fields[i].name, is_simple, out, err));
            LT_TRY(lt_buffer_append_text(out, is_simple ? ":" : ": ", err));
        }
        LT_TRY(print_type(type->fields[i].type, is_simple, out, err));
        if (!is_simple && type->kind == LT_STRUCT && type->fields[i].is_not_null)
            LT_TRY(lt_buffer_append_text(out, " NOT NULL", err));
    }
    return lt_buffer_append_byte(out, '>', err);
}

leat_status lt_type_print(const lt_type *type, lt_buffer *out, leat_error *err) {
    return print_type(type, false, out, err);
}
leat_status lt_type_print_simple(const lt_type *type, lt_buffer *out, leat_error *err) {
    return print_type(type, true, out, err);
}

const char *lt_type_text(lt_arena *arena, const lt_type *type) {
    lt_buffer buffer;
    lt_buffer_init(&buffer, arena->account, 0);
    const char *text = NULL;
    if (lt_type_print(type, &buffer, NULL) == LEAT_OK) text = lt_arena_text(arena, buffer.data, buffer.bytes);
    lt_buffer_deinit(&buffer);
    return text;
}
