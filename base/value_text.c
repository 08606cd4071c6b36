#include "base/value_text.h"

#include "base/datetime_text.h"
#include "base/decimal.h"
#include "base/interval.h"
#include "base/number_text.h"

enum { DEPTH_MAX = 200, SCALAR_TEXT_MAX = LT_INTERVAL_TEXT_BYTES };
_Static_assert((int)SCALAR_TEXT_MAX >= (int)LT_DATETIME_TEXT_BYTES && (int)SCALAR_TEXT_MAX >= (int)LT_DECIMAL_TEXT_MAX,
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
    if (!is_binary || printer->style == LT_VALUE_TEXT_CAST)
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

// The text of a lane of fixed width; 0 bytes for kinds that have none.
static size_t print_fixed(const lt_value_text *printer, const lt_vector *lanes, uint32_t lane,
                          char text[SCALAR_TEXT_MAX]) {
    const lt_type *type = lanes->type;
    switch (type->kind) {
    case LT_BOOLEAN: {
        bool is_true = LT_LANES(lanes, const uint8_t)[lane] != 0;
        memcpy(text, is_true ? "true" : "false", 6 - is_true);
        return is_true ? 4 : 5;
    }
    case LT_TINYINT:
        return lt_int64_print(LT_LANES(lanes, const int8_t)[lane], text);
    case LT_SMALLINT:
        return lt_int64_print(LT_LANES(lanes, const int16_t)[lane], text);
    case LT_INT:
        return lt_int64_print(LT_LANES(lanes, const int32_t)[lane], text);
    case LT_BIGINT:
        return lt_int64_print(LT_LANES(lanes, const int64_t)[lane], text);
    case LT_FLOAT:
        return lt_float_print(LT_LANES(lanes, const float)[lane], text);
    case LT_DOUBLE:
        return lt_double_print(LT_LANES(lanes, const double)[lane], text);
    case LT_DECIMAL:
        return lt_decimal_print(LT_LANES(lanes, const lt_int128)[lane], type->scale, text);
    case LT_DATE:
        return lt_date_print(LT_LANES(lanes, const int32_t)[lane], text);
    case LT_TIMESTAMP:
        return lt_timestamp_print(&printer->zone, LT_LANES(lanes, const int64_t)[lane], text);
    case LT_TIMESTAMP_NTZ:
        return lt_timestamp_ntz_print(LT_LANES(lanes, const int64_t)[lane], text);
    case LT_TIME:
        return lt_time_print(LT_LANES(lanes, const int64_t)[lane], text);
    case LT_INTERVAL_YEAR_MONTH:
        return lt_interval_print(type, LT_LANES(lanes, const int32_t)[lane], text);
    case LT_INTERVAL_DAY_TIME:
        return lt_interval_print(type, LT_LANES(lanes, const int64_t)[lane], text);
    case LT_INTERVAL_CALENDAR:
        return lt_calendar_interval_print(&LT_LANES(lanes, const lt_calendar_interval)[lane], text);
    default:
        return 0;
    }
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
    if (kind == LT_ARRAY || kind == LT_MAP)
        return append_list(printer, lanes, LT_LANES(lanes, const lt_list)[lane], depth, out, err);
    if (kind == LT_STRUCT) {
        for (uint32_t i = 0; i < lanes->child_count; i++) {
            LT_TRY(append_text(out, i == 0 ? "{" : ", ", err));
            LT_TRY(append_value(printer, &lanes->children[i], lane, depth + 1, out, err));
        }
        return append_text(out, lanes->child_count == 0 ? "{}" : "}", err);
    }
    char text[SCALAR_TEXT_MAX];
    return lt_buffer_append(out, text, print_fixed(printer, lanes, lane, text), err);
}

leat_status lt_value_text_append(const lt_value_text *printer, const lt_vector *vector, uint32_t row, lt_buffer *out,
                                 leat_error *err) {
    return append_value(printer, vector, row, 0, out, err);
}
