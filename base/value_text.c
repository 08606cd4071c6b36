#include "base/value_text.h"

#include "base/datetime_text.h"
#include "base/decimal.h"
#include "base/interval.h"
#include "base/number_text.h"

enum { DEPTH_MAX = 200 };
_Static_assert((int)LT_SCALAR_TEXT_MAX >= (int)LT_DATETIME_TEXT_BYTES &&
                   (int)LT_SCALAR_TEXT_MAX >= (int)LT_DECIMAL_TEXT_MAX &&
                   (int)LT_SCALAR_TEXT_MAX >= (int)LT_INTERVAL_TEXT_BYTES,
               "one buffer for all scalars");

leat_status lt_value_text_init(lt_value_text *printer, lt_value_text_style style, const lt_evaluation *evaluation,
                               leat_error *err) {
    printer->style = style;
    return lt_time_zone_of_session(evaluation, &printer->zone, err);
}

static leat_status append_text(lt_buffer *out, const char *text, leat_error *err) {
    return lt_buffer_append(out, text, strlen(text), err);
}

static leat_status append_bytes(const lt_value_text *printer, const lt_string *bytes, bool is_binary, lt_buffer *out,
                                leat_error *err) {
    if (!is_binary || printer->style != LT_VALUE_TEXT_SHOW)
        return lt_buffer_append(out, lt_string_data(bytes), bytes->bytes, err);
    static const char digits[] = "0123456789ABCDEF";
    LT_TRY(lt_buffer_append_byte(out, '[', err));
    for (uint32_t i = 0; i < bytes->bytes; i++) {
        uint8_t byte    = (uint8_t)lt_string_data(bytes)[i];
        char    text[3] = {' ', digits[byte >> 4], digits[byte & 15]};
        LT_TRY(lt_buffer_append(out, i == 0 ? text + 1 : text, i == 0 ? 2 : 3, err));
    }
    return lt_buffer_append_byte(out, ']', err);
}

// The texts of lanes of fixed width, by kind; kinds without a row have none of their own.
typedef size_t (*scalar_printer)(const lt_value_text *printer, const lt_type *type, const void *lane,
                                 char text[LT_SCALAR_TEXT_MAX]);

#define PRINTER(name, lane_type, expression)                                                                           \
    static size_t name(const lt_value_text *printer, const lt_type *type, const void *lane,                            \
                       char text[LT_SCALAR_TEXT_MAX]) {                                                                \
        const lane_type *x = lane;                                                                                     \
        (void)printer;                                                                                                 \
        (void)type;                                                                                                    \
        return expression;                                                                                             \
    }
static size_t print_word(const char *word, char text[LT_SCALAR_TEXT_MAX]) {
    memcpy(text, word, strlen(word) + 1);
    return strlen(word);
}
PRINTER(print_boolean, uint8_t, print_word(*x != 0 ? "true" : "false", text))
PRINTER(print_tinyint, int8_t, lt_int64_print(*x, text))
PRINTER(print_smallint, int16_t, lt_int64_print(*x, text))
PRINTER(print_int, int32_t, lt_int64_print(*x, text))
PRINTER(print_bigint, int64_t, lt_int64_print(*x, text))
PRINTER(print_float, float, lt_float_print(*x, text))
PRINTER(print_double, double, lt_double_print(*x, text))
PRINTER(print_decimal, lt_int128, lt_decimal_print(*x, type->scale, text))
PRINTER(print_date, int32_t, lt_date_print(*x, text))
PRINTER(print_timestamp, int64_t, lt_timestamp_print(&printer->zone, *x, text))
PRINTER(print_timestamp_ntz, int64_t, lt_timestamp_ntz_print(*x, text))
PRINTER(print_time, int64_t, lt_time_print(*x, text))
PRINTER(print_year_month, int32_t, lt_interval_print(type, *x, text))
PRINTER(print_day_time, int64_t, lt_interval_print(type, *x, text))
PRINTER(print_time_ns, int64_t, lt_int64_print(*x * 1000, text))
PRINTER(print_calendar, lt_calendar_interval, lt_calendar_interval_print(x, text))

static const scalar_printer printers[LT_KIND_COUNT] = {
    [LT_BOOLEAN]             = print_boolean,
    [LT_TINYINT]             = print_tinyint,
    [LT_SMALLINT]            = print_smallint,
    [LT_INT]                 = print_int,
    [LT_BIGINT]              = print_bigint,
    [LT_FLOAT]               = print_float,
    [LT_DOUBLE]              = print_double,
    [LT_DECIMAL]             = print_decimal,
    [LT_DATE]                = print_date,
    [LT_TIMESTAMP]           = print_timestamp,
    [LT_TIMESTAMP_NTZ]       = print_timestamp_ntz,
    [LT_TIME]                = print_time,
    [LT_INTERVAL_YEAR_MONTH] = print_year_month,
    [LT_INTERVAL_DAY_TIME]   = print_day_time,
    [LT_INTERVAL_CALENDAR]   = print_calendar,
};

// Where the internal value differs from what is shown.
static const scalar_printer internal_printers[LT_KIND_COUNT] = {
    [LT_DATE] = print_int,     [LT_TIMESTAMP] = print_bigint,        [LT_TIMESTAMP_NTZ] = print_bigint,
    [LT_TIME] = print_time_ns, [LT_INTERVAL_YEAR_MONTH] = print_int, [LT_INTERVAL_DAY_TIME] = print_bigint,
};

static scalar_printer printer_of(const lt_value_text *printer, lt_kind kind) {
    const bool is_internal = printer->style == LT_VALUE_TEXT_INTERNAL && internal_printers[kind] != NULL;
    return is_internal ? internal_printers[kind] : printers[kind];
}

size_t lt_value_text_scalar(const lt_value_text *printer, const lt_type *type, const void *lane,
                            char out[LT_SCALAR_TEXT_MAX]) {
    const scalar_printer print = printer_of(printer, type->kind);
    return print == NULL ? 0 : print(printer, type, lane, out);
}

static leat_status append_value(const lt_value_text *printer, const lt_vector *vector, uint32_t row, uint32_t depth,
                                lt_buffer *out, leat_error *err);

static leat_status append_list(const lt_value_text *printer, const lt_vector *lanes, lt_list list, uint32_t depth,
                               lt_buffer *out, leat_error *err) {
    bool             is_map = lanes->type->kind == LT_MAP;
    const lt_vector *child  = &lanes->children[0];
    LT_TRY(lt_buffer_append_byte(out, is_map ? '{' : '[', err));
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t row = list.offset + i;
        if (i > 0) LT_TRY(append_text(out, ", ", err));
        if (is_map) {
            LT_TRY(append_value(printer, &child->children[0], row, depth + 1, out, err));
            LT_TRY(append_text(out, " -> ", err));
            LT_TRY(append_value(printer, &child->children[1], row, depth + 1, out, err));
        } else {
            LT_TRY(append_value(printer, child, row, depth + 1, out, err));
        }
    }
    return lt_buffer_append_byte(out, is_map ? '}' : ']', err);
}

static leat_status append_elements(const lt_value_text *printer, const lt_vector *child, lt_list list, uint32_t depth,
                                   lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_byte(out, '[', err));
    for (uint32_t i = 0; i < list.count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_byte(out, ',', err));
        LT_TRY(append_value(printer, child, list.offset + i, depth + 1, out, err));
    }
    return lt_buffer_append_byte(out, ']', err);
}

static leat_status append_internal(const lt_value_text *printer, const lt_vector *lanes, uint32_t lane, uint32_t depth,
                                   lt_buffer *out, leat_error *err) {
    const lt_vector *child = lanes->children;
    if (lanes->type->kind == LT_ARRAY)
        return append_elements(printer, child, LT_LANES(lanes, const lt_list)[lane], depth, out, err);
    if (lanes->type->kind == LT_MAP) {
        const lt_list list = LT_LANES(lanes, const lt_list)[lane];
        LT_TRY(append_text(out, "keys: ", err));
        LT_TRY(append_elements(printer, &child->children[0], list, depth, out, err));
        LT_TRY(append_text(out, ", values: ", err));
        return append_elements(printer, &child->children[1], list, depth, out, err);
    }
    LT_TRY(lt_buffer_append_byte(out, '[', err));
    for (uint32_t i = 0; i < lanes->child_count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_byte(out, ',', err));
        LT_TRY(append_value(printer, &child[i], lane, depth + 1, out, err));
    }
    return lt_buffer_append_byte(out, ']', err);
}

static leat_status append_value(const lt_value_text *printer, const lt_vector *vector, uint32_t row, uint32_t depth,
                                lt_buffer *out, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    uint32_t         lane  = lt_vector_lane(vector, row);
    if (depth > DEPTH_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value is nested deeper than %d levels", DEPTH_MAX);
    if (lt_lane_is_null(lanes, lane))
        return append_text(out, printer->style == LT_VALUE_TEXT_SHOW ? "NULL" : "null", err);
    lt_kind kind = lanes->type->kind;
    if (lt_kind_is_bytes(kind))
        return append_bytes(printer, &LT_LANES(lanes, const lt_string)[lane], kind == LT_BINARY, out, err);
    if (printer->style == LT_VALUE_TEXT_INTERNAL && lt_kind_is_nested(kind))
        return append_internal(printer, lanes, lane, depth, out, err);
    if (kind == LT_ARRAY || kind == LT_MAP)
        return append_list(printer, lanes, LT_LANES(lanes, const lt_list)[lane], depth, out, err);
    if (kind == LT_STRUCT) {
        for (uint32_t i = 0; i < lanes->child_count; i++) {
            LT_TRY(append_text(out, i == 0 ? "{" : ", ", err));
            LT_TRY(append_value(printer, &lanes->children[i], lane, depth + 1, out, err));
        }
        return append_text(out, lanes->child_count == 0 ? "{}" : "}", err);
    }
    const scalar_printer print = printer_of(printer, kind);
    if (print == NULL) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a value of kind %d has no text", (int)kind);
    char        text[LT_SCALAR_TEXT_MAX];
    const char *values = lanes->values;
    size_t      bytes  = print(printer, lanes->type, values + lane * lt_kind_lane_bytes(kind), text);
    return lt_buffer_append(out, text, bytes, err);
}

leat_status lt_value_text_append(const lt_value_text *printer, const lt_vector *vector, uint32_t row, lt_buffer *out,
                                 leat_error *err) {
    return append_value(printer, vector, row, 0, out, err);
}
