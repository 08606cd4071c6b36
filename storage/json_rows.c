#include "storage/json_rows.h"

#include "base/byte_scan.h"
#include "base/lanes.h"
#include "base/number_text.h"

#include <string.h>

// Looks at each byte once, finds the end of the line by itself, and guesses each member from the one at its position in
// the row before. Values meet their types in base/json_convert.c, but for plain texts, integers and booleans.

enum { KEYS_MAX = 256, NOT_A_COLUMN = -1 };

static void key_expect(lt_json_key *key, const char *name, uint32_t name_bytes, int32_t column) {
    key->bytes = 0;
    if (name_bytes >= LT_JSON_KEY_BYTES) return;
    memset(key->text, 0, sizeof key->text);
    memcpy(key->text, name, name_bytes);
    key->text[name_bytes] = '"';
    key->bytes            = name_bytes + 1;
    key->column           = column;
    unsigned char mask[16];
    for (uint32_t i = 0; i < sizeof mask; i++) mask[i] = i < key->bytes ? 0xFF : 0;
    memcpy(key->masks, mask, sizeof mask);
    memcpy(key->words, key->text, sizeof key->words);
}

// A lane over borrowed bytes, without a call for short texts when 16 bytes may be read.
static inline void put_view(lt_string *string, const char *text, size_t bytes, const char *end) {
    static const uint64_t first_masks[9] = {
        0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, UINT64_MAX};
    if (bytes > LT_STRING_INLINE_MAX || end - text < 12) {
        *string = lt_string_view(text, bytes);
        return;
    }
    uint64_t first;
    uint32_t last;
    memcpy(&first, text, sizeof first);
    memcpy(&last, text + 8, sizeof last);
    first &= first_masks[bytes < 8 ? bytes : 8];
    last &= bytes > 8 ? (uint32_t)first_masks[bytes - 8] : 0;
    string->bytes = (uint32_t)bytes;
    char *lane    = (char *)string + offsetof(lt_string, prefix);
    memcpy(lane, &first, sizeof first);
    memcpy(lane + 8, &last, sizeof last);
}

static inline const char *skip_spaces(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

static inline bool key_is(const lt_json_key *key, const char *at, const char *end) {
    if (end - at >= 16) {
        uint64_t words[2];
        memcpy(words, at, sizeof words);
        if ((((words[0] ^ key->words[0]) & key->masks[0]) | ((words[1] ^ key->words[1]) & key->masks[1])) != 0)
            return false;
        return key->bytes <= 16 ||
               ((size_t)(end - at) >= key->bytes && memcmp(at + 16, key->text + 16, key->bytes - 16) == 0);
    }
    return (size_t)(end - at) >= key->bytes && memcmp(at, key->text, key->bytes) == 0;
}

// The column of the member whose name starts at `at`, behind its quote; sets what to expect at this position from now
// on. NULL: the walker shall see to it.
static const char *key_find(lt_json_rows *self, uint32_t position, const char *at, const char *end, int32_t *column) {
    const char *close = lt_scan_json_text(at, end);
    if (close == end || *close != '"') return NULL;
    const size_t bytes = (size_t)(close - at);
    *column            = NOT_A_COLUMN;
    for (uint32_t c = 0; c < self->target->column_count && *column == NOT_A_COLUMN; c++)
        if (self->name_bytes[c] == bytes && memcmp(self->fields[c].name, at, bytes) == 0) *column = (int32_t)c;
    if (position < KEYS_MAX) {
        key_expect(&self->keys[position], at, bytes < LT_JSON_KEY_BYTES ? (uint32_t)bytes : (uint32_t)LT_JSON_KEY_BYTES,
                   *column);
        if (position >= self->key_count) self->key_count = position + 1;
    }
    return close + 1;
}

static inline bool ends_value(const char *at, const char *end) {
    return at < end && (*at == ',' || *at == '}' || *at == ' ' || *at == '\t');
}

// Behind the number at `at`, or NULL if it is not one of JSON's.
static const char *scan_number(const char *at, const char *end, bool *is_integer) {
    if (at < end && *at == '-') at++;
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    if (at == digits || (*digits == '0' && at - digits > 1)) return NULL;
    *is_integer = true;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        while (at < end && *at >= '0' && *at <= '9') at++;
        if (at == fraction) return NULL;
        *is_integer = false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        const char *exponent = at;
        while (at < end && *at >= '0' && *at <= '9') at++;
        if (at == exponent) return NULL;
        *is_integer = false;
    }
    return ends_value(at, end) ? at : NULL;
}

// Any value by the JSON reader, which may not look beyond the line. NULL: not good.
static const char *read_any(lt_json_rows *self, lt_vector *column, uint32_t lane, const char *at, const char *end,
                            leat_status *status, leat_error *err) {
    lt_json_reader *reader   = self->reader;
    lt_json_outcome outcome  = LT_JSON_GOOD;
    const char     *line_end = memchr(at, '\n', (size_t)(end - at));
    lt_json_reader_open(reader, at, (size_t)((line_end == NULL ? end : line_end) - at));
    reader->depth_max = LT_JSON_DEPTH_MAX - 1; // the row is open
    bool is_good      = lt_json_next(reader) != LT_JSON_BAD;
    if (is_good && column == NULL) {
        is_good = lt_json_skip(reader);
    } else if (is_good) {
        *status = lt_json_convert(self->conversion, reader, column, lane, &outcome, err);
        is_good = *status == LEAT_OK && outcome == LT_JSON_GOOD;
    }
    reader->depth_max = LT_JSON_DEPTH_MAX;
    return is_good && memchr(at, '\r', (size_t)(reader->next - at)) == NULL ? reader->next : NULL;
}

static const char *read_text(lt_json_rows *self, lt_vector *column, uint32_t lane, const char *at, const char *end,
                             leat_status *status, leat_error *err) {
    const char *text  = at + 1;
    const char *close = lt_scan_json_text(text, end);
    if (close < end && (unsigned char)*close >= 0x80) {
        do close = lt_scan_json_text(close + 1, end);
        while (close < end && (unsigned char)*close >= 0x80);
        if (!lt_json_is_utf8(text, (size_t)(close - text))) return NULL;
    }
    if (close == end || (unsigned char)*close < 0x20) return NULL;
    if (*close == '\\') return read_any(self, column, lane, at, end, status, err);
    if (column == NULL) return close + 1;
    const size_t bytes = (size_t)(close - text);
    if (column->type->kind == LT_STRING && bytes <= LT_VALUE_BYTES_MAX) {
        put_view(&LT_LANES(column, lt_string)[lane], text, bytes, end);
        return close + 1;
    }
    if (column->type->kind == LT_VARIANT) return read_any(self, column, lane, at, end, status, err);
    // The token as the reader would give it.
    lt_json_outcome outcome   = LT_JSON_GOOD;
    self->reader->token       = LT_JSON_STRING;
    self->reader->token_start = at;
    self->reader->token_end   = close + 1;
    self->reader->text        = text;
    self->reader->text_bytes  = bytes;
    *status                   = lt_json_convert(self->conversion, self->reader, column, lane, &outcome, err);
    return *status == LEAT_OK && outcome == LT_JSON_GOOD ? close + 1 : NULL;
}

// An integer of up to 18 digits into an integer column.
static const char *read_integer(lt_vector *column, uint32_t lane, const char *at, const char *end) {
    const bool is_negative = *at == '-';
    at += is_negative;
    const char *digits = at;
    int64_t     value  = 0;
    while (at < end && *at >= '0' && *at <= '9' && at - digits < 18) value = value * 10 + (*at++ - '0');
    if (at == digits || (*digits == '0' && at - digits > 1) || !ends_value(at, end)) return NULL;
    if (is_negative) value = -value;
    switch (column->type->kind) {
    case LT_BIGINT:
        LT_LANES(column, int64_t)[lane] = value;
        return at;
    case LT_INT:
        if (value < INT32_MIN || value > INT32_MAX) return NULL;
        LT_LANES(column, int32_t)[lane] = (int32_t)value;
        return at;
    case LT_SMALLINT:
        if (value < INT16_MIN || value > INT16_MAX) return NULL;
        LT_LANES(column, int16_t)[lane] = (int16_t)value;
        return at;
    default:
        if (value < INT8_MIN || value > INT8_MAX) return NULL;
        LT_LANES(column, int8_t)[lane] = (int8_t)value;
        return at;
    }
}

static const char *read_number(lt_json_rows *self, lt_vector *column, uint32_t lane, const char *at, const char *end,
                               leat_status *status, leat_error *err) {
    bool is_integer = false;
    if (column != NULL && lt_kind_is_integral(column->type->kind)) {
        const char *behind = read_integer(column, lane, at, end);
        return behind != NULL ? behind : read_any(self, column, lane, at, end, status, err);
    }
    if (column != NULL && column->type->kind != LT_DOUBLE && column->type->kind != LT_STRING)
        return read_any(self, column, lane, at, end, status, err);
    const char *behind = scan_number(at, end, &is_integer);
    if (behind == NULL || column == NULL) return behind;
    if (column->type->kind == LT_STRING)
        put_view(&LT_LANES(column, lt_string)[lane], at, (size_t)(behind - at), end);
    else if (is_integer && at[0] == '-' && at[1] == '0') // reads as 0, not as -0.0
        return read_any(self, column, lane, at, end, status, err);
    else if (!lt_double_parse(at, (size_t)(behind - at), &LT_LANES(column, double)[lane]))
        return NULL;
    return behind;
}

static const char *read_word(lt_json_rows *self, lt_vector *column, uint32_t lane, const char *at, const char *end,
                             leat_status *status, leat_error *err) {
    const char  *word  = *at == 't' ? "true" : *at == 'f' ? "false" : "null";
    const size_t bytes = *at == 'f' ? 5 : 4;
    if ((size_t)(end - at) < bytes || memcmp(at, word, bytes) != 0 || !ends_value(at + bytes, end)) return NULL;
    if (column == NULL) return at + bytes;
    if (*at == 'n') {
        *status = lt_lane_put_null(column, lane, &self->builder->arena, err);
        return *status == LEAT_OK ? at + bytes : NULL;
    }
    if (column->type->kind == LT_BOOLEAN) {
        LT_LANES(column, uint8_t)[lane] = *at == 't';
        return at + bytes;
    }
    return read_any(self, column, lane, at, end, status, err);
}

static inline const char *read_value(lt_json_rows *self, lt_vector *column, uint32_t lane, const char *at,
                                     const char *end, leat_status *status, leat_error *err) {
    switch (*at) {
    case '"':
        return read_text(self, column, lane, at, end, status, err);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return read_number(self, column, lane, at, end, status, err);
    case 't':
    case 'f':
    case 'n':
        return read_word(self, column, lane, at, end, status, err);
    case '{':
    case '[':
        return read_any(self, column, lane, at, end, status, err);
    default:
        return NULL;
    }
}

// Whether a member's name in the text is the name itself, without escapes.
static bool name_is_plain(const char *name, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (lt_byte_ends_json_text(name[i]) && (unsigned char)name[i] < 0x80) return false;
    return true;
}

leat_status lt_json_rows_open(lt_json_rows *self, lt_arena *arena, leat_error *err) {
    const uint32_t count = self->target->column_count;
    LT_TRY_NEW_ARRAY(self->row_of_column, arena, count + 1, err);
    LT_TRY_NEW_ARRAY(self->keys, arena, KEYS_MAX, err);
    for (uint32_t c = 0; c < count && self->key_count < KEYS_MAX; c++)
        if (self->is_read[c] && name_is_plain(self->fields[c].name, self->name_bytes[c]))
            key_expect(&self->keys[self->key_count++], self->fields[c].name, self->name_bytes[c], (int32_t)c);
    return LEAT_OK;
}

const char *lt_json_rows_read(lt_json_rows *self, const char *at, const char *end, leat_status *status,
                              leat_error *err) {
    const uint32_t lane    = self->builder->chunk.count;
    lt_vector     *columns = self->builder->chunk.columns;
    uint32_t       filled  = 0;
    if (++self->row_number == 0) return NULL; // the count came around: the walker reads this one row
    if (at >= end || *at != '{') return NULL;
    at = skip_spaces(at + 1, end);
    if (at < end && *at == '}')
        at++;
    else {
        for (uint32_t position = 0;; position++) {
            int32_t column = NOT_A_COLUMN;
            if (at >= end || *at != '"') return NULL;
            at++;
            const lt_json_key *key = &self->keys[position < KEYS_MAX ? position : 0];
            if (position < self->key_count && key->bytes > 0 && key_is(key, at, end)) {
                at += key->bytes;
                column = key->column;
            } else {
                at = key_find(self, position, at, end, &column);
                if (at == NULL) return NULL;
            }
            at = skip_spaces(at, end);
            if (at >= end || *at != ':') return NULL;
            at = skip_spaces(at + 1, end);
            if (at >= end) return NULL;
            lt_vector *into = NULL;
            if (column != NOT_A_COLUMN) {
                if (self->row_of_column[column] == self->row_number) return NULL; // a second member of that name
                self->row_of_column[column] = self->row_number;
                filled++;
                into = &columns[column];
                if (into->validity != NULL) lt_vector_set_valid(into, lane);
            }
            at = read_value(self, into, lane, at, end, status, err);
            if (at == NULL) return NULL;
            at = skip_spaces(at, end);
            if (at >= end) return NULL;
            if (*at == '}') break;
            if (*at != ',') return NULL;
            at = skip_spaces(at + 1, end);
        }
        at++;
    }
    for (uint32_t c = 0; filled < self->read_count && c < self->target->column_count; c++) {
        if (!self->is_read[c] || self->row_of_column[c] == self->row_number) continue;
        filled++;
        *status = lt_lane_put_null(&columns[c], lane, &self->builder->arena, err);
        if (*status != LEAT_OK) return NULL;
    }
    return at;
}
