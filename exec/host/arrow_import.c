#include "exec/host/append.h"

#include "base/ascii.h"
#include "base/cast.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/utf8.h"

// arrow_import: rows of the host as an Arrow struct array into a stream of connector 'memory'.
//
// Each Arrow column becomes a vector of the type that its format names, then is cast to the stream's column by the
// rules of CAST. Structures of a host are foreign data: counts, offsets and buffers are checked before they are read.
// Children of lists and structs are read as ranges: rows [start, start + count) of a list are one range of its child.

enum { DEPTH_MAX = 200, ROWS_MAX = 1 << 30, TEXTS_BYTES_MAX = 1 << 20 };

typedef struct import {
    lt_arena   *arena;
    const char *column; // for messages
} import;

typedef struct arrow_column {
    const struct ArrowSchema *schema;
    const struct ArrowArray  *array;
} arrow_column;

static leat_status refuse(const import *self, leat_error *err, const char *what) {
    return lt_raise(err, LT_MISUSE, NULL, "Arrow column `%s` %s", self->column, what);
}

static leat_status no_format(const import *self, const char *format, leat_error *err) {
    return lt_raise(err, LT_NOT_SUPPORTED, NULL, "Arrow column `%s` has format `%s`, which leat does not read",
                    self->column, format == NULL ? "" : format);
}

// --------------------------------------------------------------------------------------------------------------- types

typedef enum lane_form {
    LANES_FIXED,
    LANES_BITS,
    LANES_TEXT,
    LANES_WIDE_TEXT,
    LANES_LIST,
    LANES_STRUCT,
    LANES_NONE
} lane_form;

// How a format is stored: bytes of a lane in Arrow, and what a lane becomes.
typedef struct format_row {
    const char *format; // ends in ':' when a zone may follow
    lt_kind     kind;
    lane_form   form;
    uint8_t     bytes; // of an Arrow lane
    bool        is_unsigned;
    int64_t     multiply, divide; // of integers: to leat's unit; 0: as they are
} format_row;

static const format_row format_rows[] = {
    {.format = "n", .kind = LT_VOID, .form = LANES_NONE},
    {.format = "b", .kind = LT_BOOLEAN, .form = LANES_BITS},
    {.format = "c", .kind = LT_TINYINT, .bytes = 1},
    {.format = "C", .kind = LT_SMALLINT, .bytes = 1, .is_unsigned = true},
    {.format = "s", .kind = LT_SMALLINT, .bytes = 2},
    {.format = "S", .kind = LT_INT, .bytes = 2, .is_unsigned = true},
    {.format = "i", .kind = LT_INT, .bytes = 4},
    {.format = "I", .kind = LT_BIGINT, .bytes = 4, .is_unsigned = true},
    {.format = "l", .kind = LT_BIGINT, .bytes = 8},
    {.format = "L", .kind = LT_DECIMAL, .bytes = 8, .is_unsigned = true}, // DECIMAL(20, 0)
    {.format = "f", .kind = LT_FLOAT, .bytes = 4},
    {.format = "g", .kind = LT_DOUBLE, .bytes = 8},
    {.format = "u", .kind = LT_STRING, .form = LANES_TEXT, .bytes = 4},
    {.format = "U", .kind = LT_STRING, .form = LANES_WIDE_TEXT, .bytes = 8},
    {.format = "z", .kind = LT_BINARY, .form = LANES_TEXT, .bytes = 4},
    {.format = "Z", .kind = LT_BINARY, .form = LANES_WIDE_TEXT, .bytes = 8},
    {.format = "tdD", .kind = LT_DATE, .bytes = 4},
    {.format = "tdm", .kind = LT_DATE, .bytes = 8, .divide = 86400000},
    {.format = "tts", .kind = LT_TIME, .bytes = 4, .multiply = 1000000},
    {.format = "ttm", .kind = LT_TIME, .bytes = 4, .multiply = 1000},
    {.format = "ttu", .kind = LT_TIME, .bytes = 8},
    {.format = "ttn", .kind = LT_TIME, .bytes = 8, .divide = 1000},
    {.format = "tss:", .kind = LT_TIMESTAMP, .bytes = 8, .multiply = 1000000},
    {.format = "tsm:", .kind = LT_TIMESTAMP, .bytes = 8, .multiply = 1000},
    {.format = "tsu:", .kind = LT_TIMESTAMP, .bytes = 8},
    {.format = "tsn:", .kind = LT_TIMESTAMP, .bytes = 8, .divide = 1000},
    {.format = "tDs", .kind = LT_INTERVAL_DAY_TIME, .bytes = 8, .multiply = 1000000},
    {.format = "tDm", .kind = LT_INTERVAL_DAY_TIME, .bytes = 8, .multiply = 1000},
    {.format = "tDu", .kind = LT_INTERVAL_DAY_TIME, .bytes = 8},
    {.format = "tDn", .kind = LT_INTERVAL_DAY_TIME, .bytes = 8, .divide = 1000},
    {.format = "tiM", .kind = LT_INTERVAL_YEAR_MONTH, .bytes = 4},
    {.format = "tin", .kind = LT_INTERVAL_CALENDAR, .bytes = 16},
    {.format = "d:", .kind = LT_DECIMAL, .bytes = 16},
    {.format = "+s", .kind = LT_STRUCT, .form = LANES_STRUCT},
    {.format = "+l", .kind = LT_ARRAY, .form = LANES_LIST, .bytes = 4},
    {.format = "+L", .kind = LT_ARRAY, .form = LANES_LIST, .bytes = 8},
    {.format = "+m", .kind = LT_MAP, .form = LANES_LIST, .bytes = 4},
};

static const format_row *format_find(const char *format) {
    for (size_t i = 0; format != NULL && i < sizeof format_rows / sizeof *format_rows; i++) {
        size_t bytes     = strlen(format_rows[i].format);
        bool   is_prefix = format_rows[i].format[bytes - 1] == ':';
        if (is_prefix ? strncmp(format, format_rows[i].format, bytes) == 0 : strcmp(format, format_rows[i].format) == 0)
            return &format_rows[i];
    }
    return NULL;
}

static bool number_read(const char **text, uint32_t *out) {
    const char *start = *text;
    for (*out = 0; **text >= '0' && **text <= '9' && *text - start < 4; (*text)++)
        *out = *out * 10 + (uint32_t)(**text - '0');
    return *text > start;
}

// "d:precision,scale" or with ",128" behind it.
static leat_status decimal_type(const import *self, const char *format, const lt_type **out, leat_error *err) {
    const char *at = format + 2;
    uint32_t    precision, scale, bits = 128;
    bool        is_fine = number_read(&at, &precision) && *at++ == ',' && number_read(&at, &scale);
    if (is_fine && *at == ',') is_fine = at++ != NULL && number_read(&at, &bits);
    if (!is_fine || *at != '\0' || bits != 128 || precision < 1 || precision > LT_DECIMAL_PRECISION_MAX ||
        scale > precision)
        return no_format(self, format, err);
    *out = lt_type_decimal(self->arena, precision, scale);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status type_of(const import *self, const struct ArrowSchema *schema, uint32_t depth, const lt_type **out,
                           leat_error *err);

static leat_status fields_of(const import *self, const struct ArrowSchema *schema, uint32_t depth, lt_field **out,
                             leat_error *err) {
    if (schema->n_children < 0 || schema->n_children > 10000 || (schema->n_children > 0 && schema->children == NULL))
        return refuse(self, err, "has an impossible number of children");
    LT_TRY_NEW_ARRAY(*out, self->arena, schema->n_children + 1, err);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        if (child == NULL || child->release == NULL) return refuse(self, err, "has a released child");
        (*out)[i].name = child->name == NULL ? "" : child->name;
        LT_TRY(type_of(self, child, depth + 1, &(*out)[i].type, err));
    }
    return LEAT_OK;
}

static leat_status nested_type(const import *self, const struct ArrowSchema *schema, lt_kind kind, uint32_t depth,
                               const lt_type **out, leat_error *err) {
    lt_field *fields;
    LT_TRY(fields_of(self, schema, depth, &fields, err));
    if (kind == LT_STRUCT) {
        *out = lt_type_struct(self->arena, fields, (uint32_t)schema->n_children);
    } else if (schema->n_children != 1) {
        return refuse(self, err, "is a list without its one child");
    } else if (kind == LT_ARRAY) {
        *out = lt_type_array(self->arena, fields[0].type);
    } else {
        const lt_type *entry = fields[0].type;
        if (entry->kind != LT_STRUCT || entry->field_count != 2)
            return refuse(self, err, "is a map whose entries are no pairs");
        *out = lt_type_map(self->arena, entry->fields[0].type, entry->fields[1].type);
    }
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status type_of(const import *self, const struct ArrowSchema *schema, uint32_t depth, const lt_type **out,
                           leat_error *err) {
    if (depth > DEPTH_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "Arrow column `%s` is nested too deeply", self->column);
    if (schema->dictionary != NULL) return type_of(self, schema->dictionary, depth + 1, out, err);
    const format_row *row = format_find(schema->format);
    if (row == NULL) return no_format(self, schema->format, err);
    if (row->form == LANES_LIST || row->form == LANES_STRUCT)
        return nested_type(self, schema, row->kind, depth, out, err);
    if (row->kind == LT_DECIMAL && !row->is_unsigned) return decimal_type(self, schema->format, out, err);
    if (row->kind == LT_DECIMAL) {
        *out = lt_type_decimal(self->arena, 20, 0);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    *out = lt_type_of(row->kind);
    if (row->kind == LT_TIMESTAMP && schema->format[4] == '\0') *out = lt_type_of(LT_TIMESTAMP_NTZ);
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- lanes

// What holds for every array before its buffers are read: the range [start, start + count) lies in it.
static leat_status array_check(const import *self, const struct ArrowArray *array, int64_t buffers, int64_t start,
                               int64_t count, leat_error *err) {
    if (array == NULL || array->release == NULL) return refuse(self, err, "was released");
    if (array->length < 0 || array->offset < 0 || array->length > INT64_MAX - array->offset)
        return refuse(self, err, "has an impossible length");
    if (start < 0 || count < 0 || count > array->length || start > array->length - count)
        return refuse(self, err, "is shorter than its parent says");
    if (array->n_buffers < buffers || (buffers > 0 && array->buffers == NULL))
        return refuse(self, err, "has too few buffers");
    if (array->null_count != 0 && buffers > 0 && array->buffers[0] == NULL && array->null_count > 0)
        return refuse(self, err, "counts NULLs and has no validity buffer");
    return LEAT_OK;
}

static bool bit_of(const void *bits, int64_t at) { return ((((const uint8_t *)bits)[at / 8] >> (at % 8)) & 1) != 0; }

// NULLs of the range into a fresh vector, whose lanes are set.
static leat_status nulls_read(const import *self, const struct ArrowArray *array, int64_t start, lt_vector *out,
                              leat_error *err) {
    if (array->n_buffers == 0 || array->buffers[0] == NULL || array->null_count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < out->lanes; i++)
        if (!bit_of(array->buffers[0], array->offset + start + i)) LT_TRY(lt_vector_set_null(out, i, self->arena, err));
    return LEAT_OK;
}

static int64_t integer_at(const void *values, const format_row *row, int64_t at) {
    switch (row->bytes) {
    case 1:
        return row->is_unsigned ? (int64_t)((const uint8_t *)values)[at] : (int64_t)((const int8_t *)values)[at];
    case 2:
        return row->is_unsigned ? (int64_t)((const uint16_t *)values)[at] : (int64_t)((const int16_t *)values)[at];
    case 4:
        return row->is_unsigned ? (int64_t)((const uint32_t *)values)[at] : (int64_t)((const int32_t *)values)[at];
    default:
        return ((const int64_t *)values)[at];
    }
}

static leat_status integer_put(const import *self, lt_vector *out, uint32_t lane, const format_row *row, int64_t value,
                               leat_error *err) {
    if (row->multiply != 0 && __builtin_mul_overflow(value, row->multiply, &value))
        return lt_raise(err, LT_CAST_OVERFLOW, NULL, "a value of Arrow column `%s` does not fit", self->column);
    if (row->divide != 0) value = value / row->divide - (value % row->divide < 0);
    if (out->type->kind == LT_TIME && (value < 0 || value >= LT_US_PER_DAY))
        return lt_raise(err, LT_CAST_OVERFLOW, NULL, "a value of Arrow column `%s` is no time of a day", self->column);
    switch (lt_kind_lane_bytes(out->type->kind)) {
    case 1:
        LT_LANES(out, int8_t)[lane] = (int8_t)value;
        return LEAT_OK;
    case 2:
        LT_LANES(out, int16_t)[lane] = (int16_t)value;
        return LEAT_OK;
    case 4:
        if (value < INT32_MIN || value > INT32_MAX)
            return lt_raise(err, LT_CAST_OVERFLOW, NULL, "a value of Arrow column `%s` does not fit", self->column);
        LT_LANES(out, int32_t)[lane] = (int32_t)value;
        return LEAT_OK;
    default:
        LT_LANES(out, int64_t)[lane] = value;
        return LEAT_OK;
    }
}

static leat_status decimal_read(const import *self, const void *values, const format_row *row, int64_t at,
                                lt_vector *out, uint32_t lane, leat_error *err) {
    lt_int128 value;
    if (row->is_unsigned)
        value = ((const uint64_t *)values)[at];
    else
        memcpy(&value, (const char *)values + 16 * at, sizeof value);
    if (!lt_decimal_fits(value, out->type->precision))
        return lt_raise(err, LT_CAST_OVERFLOW, NULL, "a value of Arrow column `%s` has more than %u digits",
                        self->column, out->type->precision);
    LT_LANES(out, lt_int128)[lane] = value;
    return LEAT_OK;
}

// Whether Arrow's lanes are leat's, whatever their values.
static bool is_same_lane(const format_row *row, lt_kind kind) {
    return row->form == LANES_FIXED && kind == row->kind && !row->is_unsigned && row->multiply == 0 &&
           row->divide == 0 && kind != LT_TIME && kind != LT_DECIMAL && kind != LT_INTERVAL_CALENDAR;
}

// Whether all lanes, those of NULLs among them, are decimals of the column's precision.
static bool decimals_fit(const lt_vector *decimals) {
    bool fit = true;
    for (uint32_t i = 0; i < decimals->lanes; i++)
        fit &= lt_decimal_fits(LT_LANES(decimals, const lt_int128)[i], decimals->type->precision);
    return fit;
}

// *out: the lanes as they lie in the host's buffer, where leat could have written them so; the queue copies them.
// false: they must be read one by one.
static bool lanes_view(const struct ArrowArray *array, const format_row *row, const lt_type *type, int64_t start,
                       uint32_t count, lt_vector *out) {
    const size_t stride     = lt_kind_lane_bytes(type->kind);
    const bool   is_decimal = type->kind == LT_DECIMAL && row->form == LANES_FIXED && row->bytes == stride;
    if ((!is_decimal && !is_same_lane(row, type->kind)) || array->buffers[1] == NULL) return false;
    // Never written to.
    char *values = (char *)(uintptr_t)array->buffers[1] + (size_t)(array->offset + start) * stride;
    if ((uintptr_t)values % stride != 0) return false;
    *out = (lt_vector){.type = type, .form = LT_FLAT, .capacity = count, .lanes = count, .values = values};
    return !is_decimal || decimals_fit(out);
}

static leat_status fixed_read(const import *self, const struct ArrowArray *array, const format_row *row, int64_t start,
                              lt_vector *out, leat_error *err) {
    const void *values = array->buffers[1];
    if (values == NULL && out->lanes > 0) return refuse(self, err, "has no values");
    for (uint32_t i = 0; i < out->lanes; i++) {
        int64_t at = array->offset + start + i;
        if (lt_lane_is_null(out, i)) continue;
        switch (out->type->kind) {
        case LT_DECIMAL:
            LT_TRY(decimal_read(self, values, row, at, out, i, err));
            break;
        case LT_FLOAT:
            LT_LANES(out, float)[i] = ((const float *)values)[at];
            break;
        case LT_DOUBLE:
            LT_LANES(out, double)[i] = ((const double *)values)[at];
            break;
        case LT_INTERVAL_CALENDAR: {
            const char *value = (const char *)values + 16 * at;
            int64_t     nanoseconds;
            memcpy(&LT_LANES(out, lt_calendar_interval)[i], value, 8);
            memcpy(&nanoseconds, value + 8, sizeof nanoseconds);
            LT_LANES(out, lt_calendar_interval)[i].microseconds = nanoseconds / 1000;
            break;
        }
        default:
            LT_TRY(integer_put(self, out, i, row, integer_at(values, row, at), err));
        }
    }
    return LEAT_OK;
}

static leat_status bits_read(const import *self, const struct ArrowArray *array, int64_t start, lt_vector *out,
                             leat_error *err) {
    if (array->buffers[1] == NULL && out->lanes > 0) return refuse(self, err, "has no values");
    for (uint32_t i = 0; i < out->lanes; i++)
        LT_LANES(out, uint8_t)[i] = bit_of(array->buffers[1], array->offset + start + i);
    return LEAT_OK;
}

// Offsets of a text or a list: not below 0, never falling.
static leat_status offset_pair(const import *self, const struct ArrowArray *array, const format_row *row, int64_t at,
                               int64_t *out_from, int64_t *out_to, leat_error *err) {
    const void *offsets = array->buffers[1];
    if (offsets == NULL) return refuse(self, err, "has no offsets");
    *out_from = row->bytes == 4 ? ((const int32_t *)offsets)[at] : ((const int64_t *)offsets)[at];
    *out_to   = row->bytes == 4 ? ((const int32_t *)offsets)[at + 1] : ((const int64_t *)offsets)[at + 1];
    if (*out_from < 0 || *out_to < *out_from) return refuse(self, err, "has offsets that fall");
    return LEAT_OK;
}

// Whether all bytes between the first offset and the last are ASCII. Offsets that fall say no, and are refused later.
static bool texts_are_ascii(const struct ArrowArray *array, const format_row *row, int64_t at, uint32_t count) {
    const void *offsets = array->buffers[1];
    if (offsets == NULL || array->buffers[2] == NULL || count == 0) return false;
    int64_t last = -1;
    for (uint32_t i = 0; i <= count; i++) {
        const int64_t next = row->bytes == 4 ? ((const int32_t *)offsets)[at + i] : ((const int64_t *)offsets)[at + i];
        if (next < last || next < 0) return false;
        last = next;
    }
    const int64_t first = row->bytes == 4 ? ((const int32_t *)offsets)[at] : ((const int64_t *)offsets)[at];
    return last - first <= TEXTS_BYTES_MAX &&
           lt_utf8_is_ascii((const char *)array->buffers[2] + first, (size_t)(last - first));
}

// Texts of which texts_are_ascii holds, none of them NULL.
static void ascii_read(const struct ArrowArray *array, const format_row *row, int64_t at, lt_vector *out) {
    const int32_t *narrow  = (const int32_t *)array->buffers[1] + at;
    const int64_t *wide    = (const int64_t *)array->buffers[1] + at;
    const char    *data    = array->buffers[2];
    lt_string     *strings = LT_LANES(out, lt_string);
    for (uint32_t i = 0; row->bytes == 4 && i < out->lanes; i++)
        strings[i] = lt_string_view(data + narrow[i], (size_t)(narrow[i + 1] - narrow[i]));
    for (uint32_t i = 0; row->bytes != 4 && i < out->lanes; i++)
        strings[i] = lt_string_view(data + wide[i], (size_t)(wide[i + 1] - wide[i]));
}

// Texts are views of the host's buffer; the queue copies them.
static leat_status text_read(const import *self, const struct ArrowArray *array, const format_row *row, int64_t start,
                             lt_vector *out, leat_error *err) {
    const bool is_ascii = row->kind == LT_STRING && texts_are_ascii(array, row, array->offset + start, out->lanes);
    if (is_ascii && out->validity == NULL) {
        ascii_read(array, row, array->offset + start, out);
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < out->lanes; i++) {
        int64_t from, to;
        LT_LANES(out, lt_string)[i] = (lt_string){0};
        if (lt_lane_is_null(out, i)) continue;
        LT_TRY(offset_pair(self, array, row, array->offset + start + i, &from, &to, err));
        if (to - from > LT_VALUE_BYTES_MAX)
            return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value of Arrow column `%s` has %lld bytes; at most %d",
                            self->column, (long long)(to - from), LT_VALUE_BYTES_MAX);
        if (to == from) continue;
        if (array->buffers[2] == NULL) return refuse(self, err, "has no bytes");
        const char *data = (const char *)array->buffers[2] + from;
        if (row->kind == LT_STRING && !is_ascii && !lt_utf8_is_valid(data, (size_t)(to - from)))
            return lt_raise(err, LT_INVALID_UTF8_STRING, NULL, "a text of Arrow column `%s` is not UTF-8",
                            self->column);
        LT_LANES(out, lt_string)[i] = lt_string_view(data, (size_t)(to - from));
    }
    return LEAT_OK;
}

static leat_status range_read(const import *self, arrow_column column, const lt_type *type, int64_t start,
                              uint32_t count, lt_vector *out, leat_error *err);

static leat_status children_check(const import *self, arrow_column column, leat_error *err) {
    if (column.array->n_children != column.schema->n_children ||
        (column.array->n_children > 0 && column.array->children == NULL))
        return refuse(self, err, "has other children than its schema");
    return LEAT_OK;
}

// The child's range runs from the first offset to the last; lists of NULL rows are left out, but may lie in it.
static leat_status list_read(const import *self, arrow_column column, const format_row *row, int64_t start,
                             lt_vector *out, leat_error *err) {
    int64_t first = 0, last = 0, from, to, at = column.array->offset + start;
    LT_TRY(children_check(self, column, err));
    if (out->lanes > 0) {
        LT_TRY(offset_pair(self, column.array, row, at, &first, &to, err));
        LT_TRY(offset_pair(self, column.array, row, at + out->lanes - 1, &from, &last, err));
    }
    if (last < first || last - first > ROWS_MAX) return refuse(self, err, "has impossible offsets");
    for (uint32_t i = 0; i < out->lanes; i++) {
        LT_TRY(offset_pair(self, column.array, row, at + i, &from, &to, err));
        if (from < first || to > last) return refuse(self, err, "has offsets that fall");
        lt_list *list = &LT_LANES(out, lt_list)[i];
        *list         = (lt_list){.offset = (uint32_t)(from - first), .count = (uint32_t)(to - from)};
        if (lt_lane_is_null(out, i)) *list = (lt_list){0};
    }
    arrow_column   child = {column.schema->children[0], column.array->children[0]};
    const lt_type *type  = out->children[0].type;
    return range_read(self, child, type, first, (uint32_t)(last - first), &out->children[0], err);
}

static leat_status struct_read(const import *self, arrow_column column, int64_t start, lt_vector *out,
                               leat_error *err) {
    LT_TRY(children_check(self, column, err));
    for (uint32_t c = 0; c < out->child_count; c++) {
        arrow_column child = {column.schema->children[c], column.array->children[c]};
        LT_TRY(range_read(self, child, out->type->fields[c].type, column.array->offset + start, out->lanes,
                          &out->children[c], err));
    }
    return LEAT_OK;
}

// Rows of a dictionary-encoded column: integers that number the rows of the dictionary.
static leat_status dictionary_read(const import *self, arrow_column column, const lt_type *type, int64_t start,
                                   uint32_t count, lt_vector *out, leat_error *err) {
    const format_row *row = format_find(column.schema->format);
    lt_vector         values;
    arrow_column      dictionary = {column.schema->dictionary, column.array->dictionary};
    if (row == NULL || row->form != LANES_FIXED || row->bytes > 8 || row->multiply != 0 || row->divide != 0)
        return refuse(self, err, "has a dictionary without integers for it");
    if (dictionary.array == NULL || dictionary.array->length < 0 || dictionary.array->length > ROWS_MAX)
        return refuse(self, err, "has no dictionary");
    LT_TRY(array_check(self, column.array, 2, start, count, err));
    LT_TRY(range_read(self, dictionary, type, 0, (uint32_t)dictionary.array->length, &values, err));
    LT_TRY(lt_vector_init(out, type, count, self->arena, err));
    const void *validity = column.array->buffers[0], *indexes = column.array->buffers[1];
    if (indexes == NULL && count > 0) return refuse(self, err, "has no values");
    for (uint32_t i = 0; i < count; i++) {
        int64_t at = column.array->offset + start + i;
        if (validity != NULL && column.array->null_count != 0 && !bit_of(validity, at)) {
            LT_TRY(lt_vector_append_null(out, self->arena, err));
            continue;
        }
        int64_t index = integer_at(indexes, row, at);
        if (index < 0 || index >= dictionary.array->length) return refuse(self, err, "leaves its dictionary");
        LT_TRY(lt_vector_append_row(out, &values, (uint32_t)index, self->arena, err));
    }
    return LEAT_OK;
}

static leat_status range_read(const import *self, arrow_column column, const lt_type *type, int64_t start,
                              uint32_t count, lt_vector *out, leat_error *err) {
    if (column.array == NULL || column.array->release == NULL) return refuse(self, err, "was released");
    if (column.schema->dictionary != NULL) return dictionary_read(self, column, type, start, count, out, err);
    const format_row *row = format_find(column.schema->format);
    if (row == NULL) return no_format(self, column.schema->format, err);
    int64_t buffers = row->form == LANES_NONE ? 0 : row->form == LANES_STRUCT ? 1 : lt_kind_is_bytes(row->kind) ? 3 : 2;
    LT_TRY(array_check(self, column.array, buffers, start, count, err));
    if (lanes_view(column.array, row, type, start, count, out)) return nulls_read(self, column.array, start, out, err);
    LT_TRY(lt_vector_init(out, type, count, self->arena, err));
    out->lanes = count;
    LT_TRY(nulls_read(self, column.array, start, out, err));
    switch (row->form) {
    case LANES_NONE:
        return LEAT_OK;
    case LANES_BITS:
        return bits_read(self, column.array, start, out, err);
    case LANES_TEXT:
    case LANES_WIDE_TEXT:
        return text_read(self, column.array, row, start, out, err);
    case LANES_LIST:
        return list_read(self, column, row, start, out, err);
    case LANES_STRUCT:
        return struct_read(self, column, start, out, err);
    default:
        return fixed_read(self, column.array, row, start, out, err);
    }
}

// ---------------------------------------------------------------------------------------------------------------- rows

// The child of each of the stream's columns, by name without case; -1: not given, its values are NULL.
static leat_status columns_match(const struct ArrowSchema *schema, const lt_stream *stream, int64_t *out_children,
                                 leat_error *err) {
    for (uint32_t c = 0; c < stream->column_count; c++) out_children[c] = -1;
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        if (child == NULL || child->release == NULL) return lt_raise(err, LT_MISUSE, NULL, "the schema was released");
        const char *name = child->name == NULL ? "" : child->name;
        uint32_t    c    = 0;
        while (c < stream->column_count && lt_ascii_compare(stream->names[c], name) != 0) c++;
        if (c == stream->column_count)
            return lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, NULL, "the stream has no column `%s`", name);
        if (out_children[c] >= 0) return lt_raise(err, LT_MISUSE, NULL, "column `%s` is given twice", name);
        out_children[c] = i;
    }
    return LEAT_OK;
}

typedef struct appending {
    leat_session             *session;
    const lt_stream          *stream;
    const struct ArrowSchema *schema;
    const struct ArrowArray  *rows;
    const int64_t            *children; // by column of the stream
    const lt_type           **types;    // by column: of the Arrow data
} appending;

static leat_status chunk_append(const appending *self, int64_t first, uint32_t count, lt_arena *arena,
                                leat_error *err) {
    lt_vector    *columns;
    lt_evaluation evaluation = self->session->evaluation;
    evaluation.now_us        = lt_clock_now_us(self->session->clock_used);
    LT_TRY_NEW_ARRAY(columns, arena, self->stream->column_count + 1u, err);
    for (uint32_t c = 0; c < self->stream->column_count; c++) {
        const lt_type *type = self->stream->types[c];
        if (self->children[c] < 0) {
            LT_TRY(lt_vector_init_constant_null(&columns[c], type, arena, err));
            continue;
        }
import source = {.arena = arena, .column = self->stream->names[c] };
        arrow_column     column = {self->schema->children[self->children[c]], self->rows->children[self->children[c]]};
        lt_vector        given;
        const lt_vector *cast;
        LT_TRY(range_read(&source, column, self->types[c], self->rows->offset + first, count, &given, err));
        leat_status status = lt_cast_run(&given, type, NULL, count, count, false, arena, &evaluation, NULL, &cast, err);
        if (status != LEAT_OK) {
            lt_error_context(err, "Arrow column `%s`", source.column);
            return status;
        }
        columns[c] = *cast;
    }
    lt_chunk chunk = {.columns = columns, .column_count = self->stream->column_count, .count = count};
    return lt_row_queue_append(self->stream->queue, &chunk, err);
}

// A row of the struct array that is NULL itself has no values to append.
static leat_status rows_check(const struct ArrowSchema *schema, const struct ArrowArray *rows, leat_error *err) {
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0)
        return lt_raise(err, LT_MISUSE, NULL, "rows are a struct array with a child for each column");
    if (schema->n_children != rows->n_children || schema->n_children < 0 || schema->n_children > 10000 ||
        (schema->n_children > 0 && (schema->children == NULL || rows->children == NULL)))
        return lt_raise(err, LT_MISUSE, NULL, "the rows have other children than their schema");
    if (rows->length < 0 || rows->offset < 0 || rows->length > ROWS_MAX || rows->length > INT64_MAX - rows->offset)
        return lt_raise(err, LT_MISUSE, NULL, "the rows have an impossible length");
    if (rows->null_count == 0 || rows->n_buffers < 1 || rows->buffers == NULL || rows->buffers[0] == NULL)
        return LEAT_OK;
    for (int64_t i = 0; i < rows->length; i++)
        if (!bit_of(rows->buffers[0], rows->offset + i))
            return lt_raise(err, LT_MISUSE, NULL, "row %lld is NULL as a whole", (long long)i);
    return LEAT_OK;
}

static leat_status all_append(appending *self, lt_arena *arena, leat_error *err) {
    int64_t *children;
    uint32_t count = self->stream->column_count;
    LT_TRY_NEW_ARRAY(children, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(self->types, arena, count + 1u, err);
    LT_TRY(columns_match(self->schema, self->stream, children, err));
    self->children = children;
    for (uint32_t c = 0; c < count; c++) {
import source = {.arena = arena, .column = self->stream->names[c] };
        lt_condition reason;
        if (children[c] < 0) continue;
        LT_TRY(type_of(&source, self->schema->children[children[c]], 0, &self->types[c], err));
        if (!lt_cast_is_allowed(self->types[c], self->stream->types[c], &reason))
            return lt_raise(err, reason, NULL, "Arrow column `%s` is %s; the stream wants %s", source.column,
                            lt_type_text(arena, self->types[c]), lt_type_text(arena, self->stream->types[c]));
    }
    lt_arena scratch;
    uint64_t end = self->stream->queue->end_offset;
    lt_arena_init(&scratch, &self->session->account);
    leat_status status = LEAT_OK;
    for (int64_t first = 0; status == LEAT_OK && first < self->rows->length; first += LT_CHUNK_ROWS_MAX) {
        int64_t left = self->rows->length - first;
        lt_arena_reset(&scratch);
        status =
            chunk_append(self, first, (uint32_t)(left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX), &scratch, err);
    }
    if (status != LEAT_OK) lt_row_queue_truncate(self->stream->queue, end);
    lt_arena_deinit(&scratch);
    return status;
}

static leat_status stream_append(leat_session *session, const char *stream, const struct ArrowSchema *schema,
                                 const struct ArrowArray *rows, leat_error *err) {
    const lt_catalog_entry *entry;
    lt_arena                arena;
    if (schema == NULL || rows == NULL || schema->release == NULL || rows->release == NULL)
        return lt_raise(err, LT_MISUSE, NULL, "leat_stream_append wants a schema and rows that are not released");
    LT_TRY(rows_check(schema, rows, err));
    LT_TRY(lt_append_stream(session, stream, &entry, err));
    appending self = {.session = session, .stream = entry->object, .schema = schema, .rows = rows};
    lt_arena_init(&arena, &session->account);
    leat_status status = all_append(&self, &arena, err);
    lt_arena_deinit(&arena);
    if (status == LEAT_OK && rows->length > 0) lt_session_notify(session);
    return status;
}

leat_status leat_stream_append(leat_session *session, const char *stream, const struct ArrowSchema *schema,
                               struct ArrowArray *rows, leat_error *err) {
    leat_status status = lt_session_enter(session, err);
    if (status == LEAT_OK) {
        status = stream_append(session, stream, schema, rows, err);
        lt_session_leave(session);
    }
    if (rows != NULL && rows->release != NULL) rows->release(rows);
    return status;
}
