#include "base/json_writer.h"

#include "base/base64.h"
#include "base/byte_scan.h"
#include "base/interval.h"
#include "base/lane_numbers.h"
#include "base/number_text.h"
#include "base/value_text.h"

#include <math.h>
#include <stdlib.h>

leat_status lt_json_writer_init(lt_json_writer *writer, const lt_evaluation *evaluation, leat_error *err) {
    *writer = (lt_json_writer){.ignores_null_fields = true, .has_milliseconds = true};
    LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &writer->utc, err));
    return lt_time_zone_of_session(evaluation, &writer->zone, err);
}

// The first byte that is written as an escape; `end` when there is none.
static const char *escape_find(const char *text, const char *end) {
    for (;;) {
        text = lt_scan_json_text(text, end);
        if (text == end || (unsigned char)*text < 0x80) return text;
        while (text < end && (unsigned char)*text >= 0x80) text++;
    }
}

leat_status lt_json_write_string(const char *text, size_t bytes, lt_buffer *out, leat_error *err) {
    static const char hex[] = "0123456789ABCDEF";
    const char *const end   = text + bytes;
    LT_TRY(lt_buffer_reserve(out, bytes + 2, err));
    LT_TRY(lt_buffer_append_byte(out, '"', err));
    for (const char *at = text;; text = ++at) {
        at = escape_find(at, end);
        LT_TRY(lt_buffer_append(out, text, (size_t)(at - text), err));
        if (at == end) break;
        const unsigned char c          = (unsigned char)*at;
        char                short_form = c == '"' || c == '\\' ? (char)c
                                         : c == '\n'           ? 'n'
                                         : c == '\t'           ? 't'
                                         : c == '\r'           ? 'r'
                                         : c == '\b'           ? 'b'
                                         : c == '\f'           ? 'f'
                                                               : 0;
        char                escape[6]  = {'\\', short_form, '0', '0', hex[c >> 4], hex[c & 15]};
        if (short_form == 0) escape[1] = 'u';
        LT_TRY(lt_buffer_append(out, escape, short_form != 0 ? 2 : 6, err));
    }
    return lt_buffer_append_byte(out, '"', err);
}

static leat_status write_double(double value, bool is_float, lt_buffer *out, leat_error *err) {
    char   text[LT_DOUBLE_TEXT_MAX];
    size_t bytes = is_float ? lt_float_print((float)value, text) : lt_double_print(value, text);
    if (!isfinite(value)) return lt_json_write_string(text, bytes, out, err);
    return lt_buffer_append(out, text, bytes, err);
}

static leat_status write_int(int64_t value, lt_buffer *out, leat_error *err) {
    char text[LT_INT64_TEXT_MAX];
    return lt_buffer_append(out, text, lt_int64_print(value, text), err);
}

static leat_status write_date(const lt_json_writer *writer, int32_t days, lt_buffer *out, leat_error *err) {
    char text[LT_DATETIME_TEXT_BYTES];
    if (writer->date_pattern == NULL) return lt_buffer_append(out, text, lt_date_print(days, text), err);
    return lt_datetime_pattern_format(writer->date_pattern, &writer->utc, days * LT_US_PER_DAY, out, err);
}

// Digits behind `mark`, by hand: this runs for each time that is written.
static size_t put_digits(char mark, int64_t number, size_t width, char *out) {
    out[0] = mark;
    for (size_t i = width; i > 0; number /= 10) out[i--] = (char)('0' + number % 10);
    return width + 1;
}

static leat_status write_offset(int32_t seconds, lt_buffer *out, leat_error *err) {
    char   text[16];
    size_t bytes;
    if (seconds == 0) return lt_buffer_append_byte(out, 'Z', err);
    const int32_t size = seconds < 0 ? -seconds : seconds;
    bytes              = put_digits(seconds < 0 ? '-' : '+', size / 3600, 2, text);
    bytes += put_digits(':', size / 60 % 60, 2, text + bytes);
    if (size % 60 != 0) bytes += put_digits(':', size % 60, 2, text + bytes);
    return lt_buffer_append(out, text, bytes, err);
}

// 2024-01-05T10:20:30[.fraction], from the printed wall clock.
static leat_status write_wall_clock(const lt_json_writer *writer, int64_t local_us, lt_buffer *out, leat_error *err) {
    char    text[LT_DATETIME_TEXT_BYTES + 8];
    int64_t fraction = lt_floor_mod(local_us, LT_US_PER_SECOND);
    size_t  bytes    = lt_timestamp_ntz_print(local_us - fraction, text);
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == ' ') text[i] = 'T';
    if (writer->has_milliseconds) {
        bytes += put_digits('.', fraction / 1000, 3, text + bytes);
    } else if (fraction != 0) {
        size_t width = 6;
        for (; fraction % 10 == 0; fraction /= 10) width--;
        bytes += put_digits('.', fraction, width, text + bytes);
    }
    return lt_buffer_append(out, text, bytes, err);
}

static leat_status write_timestamp(const lt_json_writer *writer, int64_t us, lt_buffer *out, leat_error *err) {
    if (writer->timestamp_pattern != NULL)
        return lt_datetime_pattern_format(writer->timestamp_pattern, &writer->zone, us, out, err);
    LT_TRY(write_wall_clock(writer, lt_time_zone_local_us(&writer->zone, us), out, err));
    return write_offset(lt_time_zone_offset(&writer->zone, lt_floor_div(us, LT_US_PER_SECOND)), out, err);
}

static leat_status write_timestamp_ntz(const lt_json_writer *writer, int64_t us, lt_buffer *out, leat_error *err) {
    if (writer->timestamp_ntz_pattern != NULL)
        return lt_datetime_pattern_format(writer->timestamp_ntz_pattern, &writer->utc, us, out, err);
    return write_wall_clock(writer, us, out, err);
}

// The key as Spark's internal value prints: dates and times are numbers there.
static leat_status write_key(const lt_vector *keys, uint32_t lane, lt_buffer *out, leat_error *err) {
    const lt_value_text printer = {.style = LT_VALUE_TEXT_INTERNAL};
    if (lt_kind_is_bytes(keys->type->kind)) {
        const lt_string *key = &LT_LANES(keys, const lt_string)[lane];
        return lt_json_write_string(lt_string_data(key), key->bytes, out, err);
    }
    if (lt_kind_is_nested(keys->type->kind)) {
        lt_buffer text;
        lt_buffer_init(&text, out->account, out->bytes_max);
        leat_status status = lt_value_text_append(&printer, keys, lane, &text, err);
        if (status == LEAT_OK) status = lt_json_write_string(text.data, text.bytes, out, err);
        lt_buffer_deinit(&text);
        return status;
    }
    LT_TRY(lt_buffer_append_byte(out, '"', err));
    LT_TRY(lt_value_text_append(&printer, keys, lane, out, err));
    return lt_buffer_append_byte(out, '"', err);
}

// An object that is being written. Members that will be sorted are noted, by their place in the text.
typedef struct open_object {
    size_t    first;   // where the first member begins
    lt_buffer members; // written_member; empty if they stay as they come
} open_object;

typedef struct written_member {
    const char *text; // NULL until all are written
    size_t      start, bytes, key_bytes;
} written_member;

static int member_compare(const void *left, const void *right) {
    const written_member *a = left, *b = right;
    const size_t          common = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
    const int             order  = memcmp(a->text, b->text, common);
    if (order != 0) return order;
    if (a->key_bytes != b->key_bytes) return a->key_bytes < b->key_bytes ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static leat_status members_sort(open_object *object, lt_buffer *out, leat_error *err) {
    written_member *members = (written_member *)(void *)object->members.data;
    const size_t    count   = object->members.bytes / sizeof *members;
    lt_buffer       unsorted;
    if (count < 2) return LEAT_OK;
    lt_buffer_init(&unsorted, out->account, out->bytes_max);
    leat_status status = lt_buffer_append(&unsorted, out->data + object->first, out->bytes - object->first, err);
    if (status == LEAT_OK) {
        for (size_t i = 0; i < count; i++) members[i].text = unsorted.data + (members[i].start - object->first);
        qsort(members, count, sizeof *members, member_compare);
        out->bytes = object->first;
    }
    for (size_t i = 0; status == LEAT_OK && i < count; i++) {
        if (i > 0) status = lt_buffer_append_byte(out, ',', err);
        if (status == LEAT_OK) status = lt_buffer_append(out, members[i].text, members[i].bytes, err);
    }
    lt_buffer_deinit(&unsorted);
    return status;
}

static leat_status object_begin(open_object *object, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_byte(out, '{', err));
    object->first = out->bytes;
    lt_buffer_init(&object->members, out->account, 0);
    return LEAT_OK;
}

// Ends an object that was begun, also when a member failed.
static leat_status object_end(open_object *object, leat_status status, lt_buffer *out, leat_error *err) {
    if (status == LEAT_OK) status = members_sort(object, out, err);
    lt_buffer_deinit(&object->members);
    return status == LEAT_OK ? lt_buffer_append_byte(out, '}', err) : status;
}

// The value behind a key that was written at `start`.
static leat_status write_member_value(const lt_json_writer *writer, open_object *object, size_t start,
                                      const lt_vector *vector, uint32_t row, lt_buffer *out, leat_error *err) {
    written_member member = {.start = start, .key_bytes = out->bytes - start};
    LT_TRY(lt_buffer_append_byte(out, ':', err));
    LT_TRY(lt_json_write_value(writer, vector, row, out, err));
    if (!writer->sorts_keys) return LEAT_OK;
    member.bytes = out->bytes - start;
    return lt_buffer_append(&object->members, &member, sizeof member, err);
}

static leat_status write_entries(const lt_json_writer *writer, open_object *object, const lt_vector *entries,
                                 lt_list list, lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < list.count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_byte(out, ',', err));
        const size_t start = out->bytes;
        LT_TRY(write_key(&entries->children[0], list.offset + i, out, err));
        LT_TRY(write_member_value(writer, object, start, &entries->children[1], list.offset + i, out, err));
    }
    return LEAT_OK;
}

static leat_status write_map(const lt_json_writer *writer, const lt_vector *lanes, uint32_t lane, lt_buffer *out,
                             leat_error *err) {
    open_object object;
    LT_TRY(object_begin(&object, out, err));
    leat_status status =
        write_entries(writer, &object, &lanes->children[0], LT_LANES(lanes, const lt_list)[lane], out, err);
    return object_end(&object, status, out, err);
}

static leat_status write_array(const lt_json_writer *writer, const lt_vector *lanes, uint32_t lane, lt_buffer *out,
                               leat_error *err) {
    const lt_list list = LT_LANES(lanes, const lt_list)[lane];
    LT_TRY(lt_buffer_append_byte(out, '[', err));
    for (uint32_t i = 0; i < list.count; i++) {
        if (i > 0) LT_TRY(lt_buffer_append_byte(out, ',', err));
        LT_TRY(lt_json_write_value(writer, &lanes->children[0], list.offset + i, out, err));
    }
    return lt_buffer_append_byte(out, ']', err);
}

static leat_status write_field(const lt_json_writer *writer, open_object *object, const char *name,
                               const lt_vector *vector, uint32_t row, lt_buffer *out, leat_error *err) {
    if (writer->ignores_null_fields && lt_vector_is_null(vector, row)) return LEAT_OK;
    if (out->bytes > object->first) LT_TRY(lt_buffer_append_byte(out, ',', err));
    const size_t start = out->bytes;
    LT_TRY(lt_json_write_string(name, strlen(name), out, err));
    return write_member_value(writer, object, start, vector, row, out, err);
}

static leat_status write_struct(const lt_json_writer *writer, const lt_vector *lanes, uint32_t lane, lt_buffer *out,
                                leat_error *err) {
    open_object object;
    leat_status status = LEAT_OK;
    LT_TRY(object_begin(&object, out, err));
    for (uint32_t i = 0; status == LEAT_OK && i < lanes->child_count; i++)
        status = write_field(writer, &object, lanes->type->fields[i].name, &lanes->children[i], lane, out, err);
    return object_end(&object, status, out, err);
}

leat_status lt_json_write_object(const lt_json_writer *writer, const char *const *names, const lt_vector *columns,
                                 uint32_t column_count, uint32_t row, lt_buffer *out, leat_error *err) {
    open_object object;
    leat_status status = LEAT_OK;
    LT_TRY(object_begin(&object, out, err));
    for (uint32_t i = 0; status == LEAT_OK && i < column_count; i++)
        status = write_field(writer, &object, names[i], &columns[i], row, out, err);
    return object_end(&object, status, out, err);
}

// One dispatch over all kinds: what a value of each looks like in JSON. Depth is that of the type.
leat_status lt_json_write_value(const lt_json_writer *writer, const lt_vector *vector, uint32_t row, lt_buffer *out,
                                leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    uint32_t         lane  = lt_vector_lane(vector, row);
    char             text[LT_INTERVAL_TEXT_BYTES];
    if (lt_lane_is_null(lanes, lane)) return lt_buffer_append(out, "null", 4, err);
    switch (lanes->type->kind) {
    case LT_BOOLEAN:
        return lt_buffer_append_text(out, LT_LANES(lanes, uint8_t)[lane] != 0 ? "true" : "false", err);
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_BIGINT:
        return write_int(lt_lane_integer(lanes, lane), out, err);
    case LT_FLOAT:
        return write_double((double)LT_LANES(lanes, float)[lane], true, out, err);
    case LT_DOUBLE:
        return write_double(LT_LANES(lanes, double)[lane], false, out, err);
    case LT_DECIMAL:
        return lt_buffer_append(out, text, lt_decimal_print(LT_LANES(lanes, lt_int128)[lane], lanes->type->scale, text),
                                err);
    case LT_STRING: {
        const lt_string *string = &LT_LANES(lanes, const lt_string)[lane];
        return lt_json_write_string(lt_string_data(string), string->bytes, out, err);
    }
    case LT_VARIANT: {
        const lt_string *string = &LT_LANES(lanes, const lt_string)[lane];
        return lt_buffer_append(out, lt_string_data(string), string->bytes, err);
    }
    case LT_BINARY: {
        const lt_string *string = &LT_LANES(lanes, const lt_string)[lane];
        LT_TRY(lt_buffer_append_byte(out, '"', err));
        LT_TRY(lt_base64_encode(lt_string_data(string), string->bytes, out, err));
        return lt_buffer_append_byte(out, '"', err);
    }
    case LT_ARRAY:
        return write_array(writer, lanes, lane, out, err);
    case LT_MAP:
        return write_map(writer, lanes, lane, out, err);
    case LT_STRUCT:
        return write_struct(writer, lanes, lane, out, err);
    default:
        break;
    }
    LT_TRY(lt_buffer_append_byte(out, '"', err));
    switch (lanes->type->kind) {
    case LT_DATE:
        LT_TRY(write_date(writer, LT_LANES(lanes, int32_t)[lane], out, err));
        break;
    case LT_TIMESTAMP:
        LT_TRY(write_timestamp(writer, LT_LANES(lanes, int64_t)[lane], out, err));
        break;
    case LT_TIMESTAMP_NTZ:
        LT_TRY(write_timestamp_ntz(writer, LT_LANES(lanes, int64_t)[lane], out, err));
        break;
    case LT_TIME:
        LT_TRY(lt_buffer_append(out, text, lt_time_print(LT_LANES(lanes, int64_t)[lane], text), err));
        break;
    case LT_INTERVAL_YEAR_MONTH:
        LT_TRY(lt_buffer_append(out, text, lt_interval_print(lanes->type, LT_LANES(lanes, int32_t)[lane], text), err));
        break;
    case LT_INTERVAL_DAY_TIME:
        LT_TRY(lt_buffer_append(out, text, lt_interval_print(lanes->type, LT_LANES(lanes, int64_t)[lane], text), err));
        break;
    case LT_INTERVAL_CALENDAR:
        LT_TRY(lt_buffer_append(
            out, text, lt_calendar_interval_print(&LT_LANES(lanes, const lt_calendar_interval)[lane], text), err));
        break;
    default:
        break;
    }
    return lt_buffer_append_byte(out, '"', err);
}

static leat_status line_begin(uint32_t depth, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_byte(out, '\n', err));
    for (uint32_t i = 0; i < depth; i++) LT_TRY(lt_buffer_append(out, "  ", 2, err));
    return LEAT_OK;
}

leat_status lt_json_write_pretty(const char *text, size_t bytes, lt_buffer *out, leat_error *err) {
    uint64_t arrays[LT_JSON_DEPTH_MAX / 64 + 1] = {0}; // bit d: the bracket at depth d is an array
    uint32_t depth                              = 0;   // open objects: arrays do not indent
    uint32_t open                               = 0;   // open brackets
    bool     is_text                            = false;
    for (size_t i = 0; i < bytes; i++) {
        const char c        = text[i];
        const bool is_array = open > 0 && (arrays[(open - 1) / 64] >> ((open - 1) % 64) & 1) != 0;
        if (is_text || c == '"') {
            if (is_text && c == '\\' && i + 1 < bytes) LT_TRY(lt_buffer_append_byte(out, text[i++], err));
            if (text[i] == '"' && text[i] == c) is_text = !is_text;
            LT_TRY(lt_buffer_append_byte(out, text[i], err));
        } else if (c == '{' || c == '[') {
            const bool is_empty = i + 1 < bytes && text[i + 1] == (c == '{' ? '}' : ']');
            if (open >= LT_JSON_DEPTH_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "JSON is nested too deeply");
            arrays[open / 64] = (arrays[open / 64] & ~(UINT64_C(1) << open % 64)) | (uint64_t)(c == '[') << open % 64;
            open++;
            depth += c == '{';
            LT_TRY(lt_buffer_append_byte(out, c, err));
            if (c == '{' && !is_empty)
                LT_TRY(line_begin(depth, out, err));
            else
                LT_TRY(lt_buffer_append_byte(out, ' ', err));
        } else if (c == '}' || c == ']') {
            const bool is_empty = text[i - 1] == (c == '}' ? '{' : '[');
            open--;
            depth -= c == '}';
            if (c == '}' && !is_empty) LT_TRY(line_begin(depth, out, err));
            if (c == ']' && !is_empty) LT_TRY(lt_buffer_append_byte(out, ' ', err));
            LT_TRY(lt_buffer_append_byte(out, c, err));
        } else if (c == ',') {
            LT_TRY(lt_buffer_append_byte(out, c, err));
            LT_TRY(is_array ? lt_buffer_append_byte(out, ' ', err) : line_begin(depth, out, err));
        } else {
            LT_TRY(c == ':' ? lt_buffer_append(out, " : ", 3, err) : lt_buffer_append_byte(out, c, err));
        }
    }
    return LEAT_OK;
}

static leat_status copy_scalar(const lt_json_reader *reader, lt_buffer *out, leat_error *err) {
    double number;
    switch (reader->token) {
    case LT_JSON_NULL:
        return lt_buffer_append(out, "null", 4, err);
    case LT_JSON_TRUE:
        return lt_buffer_append(out, "true", 4, err);
    case LT_JSON_FALSE:
        return lt_buffer_append(out, "false", 5, err);
    case LT_JSON_INTEGER: {
        const char *text        = reader->text;
        size_t      bytes       = reader->text_bytes;
        bool        is_negative = *text == '-';
        text += is_negative;
        bytes -= is_negative;
        while (bytes > 1 && *text == '0') {
            text++;
            bytes--;
        }
        if (is_negative && !(bytes == 1 && *text == '0')) LT_TRY(lt_buffer_append_byte(out, '-', err));
        return lt_buffer_append(out, text, bytes, err);
    }
    case LT_JSON_NUMBER:
        if (!lt_double_parse(reader->text, reader->text_bytes, &number)) number = NAN;
        return write_double(number, false, out, err);
    case LT_JSON_NAN: {
        const char *text = reader->text[reader->text[0] == '+'] == 'N' ? "\"NaN\""
                           : reader->text[0] == '-'                    ? "\"-Infinity\""
                                                                       : "\"Infinity\"";
        return lt_buffer_append_text(out, text, err);
    }
    default:
        return lt_json_write_string(reader->text, reader->text_bytes, out, err);
    }
}

leat_status lt_json_copy_value(lt_json_reader *reader, lt_buffer *out, bool *out_is_good, leat_error *err) {
    uint32_t depth =
        reader->token == LT_JSON_OBJECT || reader->token == LT_JSON_ARRAY ? reader->depth - 1 : reader->depth;
    bool needs_comma = false;
    *out_is_good     = false;
    for (;;) {
        lt_json_token token = reader->token;
        if (token == LT_JSON_BAD || token == LT_JSON_END) return LEAT_OK;
        bool is_end = token == LT_JSON_OBJECT_END || token == LT_JSON_ARRAY_END;
        if (needs_comma && !is_end) LT_TRY(lt_buffer_append_byte(out, ',', err));
        needs_comma = true;
        switch (token) {
        case LT_JSON_NAME:
            LT_TRY(lt_json_write_string(reader->text, reader->text_bytes, out, err));
            LT_TRY(lt_buffer_append_byte(out, ':', err));
            needs_comma = false;
            break;
        case LT_JSON_OBJECT:
        case LT_JSON_ARRAY:
            LT_TRY(lt_buffer_append_byte(out, token == LT_JSON_OBJECT ? '{' : '[', err));
            needs_comma = false;
            break;
        case LT_JSON_OBJECT_END:
            LT_TRY(lt_buffer_append_byte(out, '}', err));
            break;
        case LT_JSON_ARRAY_END:
            LT_TRY(lt_buffer_append_byte(out, ']', err));
            break;
        default:
            LT_TRY(copy_scalar(reader, out, err));
            break;
        }
        if (token != LT_JSON_NAME && reader->depth == depth) break;
        lt_json_next(reader);
    }
    *out_is_good = true;
    return LEAT_OK;
}
