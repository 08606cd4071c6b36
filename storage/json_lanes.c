// Values that have not the usual shape, by the JSON reader and base/json_convert.c.
#include "storage/json_lanes.h"

#include "base/byte_scan.h"
#include "storage/digits_word.h"

// ------------------------------------------------------------------------------------------------------------- judging

static bool reader_ends(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth) {
    lt_json_reader *reader = lanes->reader;
    lt_json_reader_open(reader, text, bytes);
    reader->depth_max  = LT_JSON_DEPTH_MAX - depth;
    const bool is_good = lt_json_next(reader) > LT_JSON_BAD && lt_json_skip(reader) && reader->next == text + bytes;
    reader->depth_max  = LT_JSON_DEPTH_MAX;
    return is_good;
}

bool lt_json_lanes_bare_is_good(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth) {
    const size_t sign = *text == '-';
    if (*text > '9' ? lt_digits_is_word(text, bytes) : lt_digits_is_point(text + sign, bytes - sign)) return true;
    if (bytes == 2 && (memcmp(text, "[]", 2) == 0 || memcmp(text, "{}", 2) == 0) && depth < LT_JSON_DEPTH_MAX)
        return true;
    // A span that is no value at all, because literals of the template met in it, has a length out of all measure.
    if (bytes - 1 >= LT_VALUE_BYTES_MAX || memchr(text, '\r', bytes) != NULL) return false;
    return reader_ends(lanes, text, bytes, depth);
}

uint32_t lt_json_lanes_good_bares(lt_json_lanes *lanes, const char *bytes, const lt_value_span *spans, uint32_t count,
                                  uint32_t depth) {
    uint16_t odd[LT_VALUE_LANES_ROWS];
    for (uint32_t done = 0; done < count; done += LT_VALUE_LANES_ROWS) {
        const lt_value_span *some = spans + done;
        const uint32_t       left = count - done < LT_VALUE_LANES_ROWS ? count - done : LT_VALUE_LANES_ROWS;
        const uint32_t       odds = lanes->values.kernel->plain_bares(bytes, some, left, odd);
        for (uint32_t k = 0; k < odds; k++) {
            const char  *text = bytes + lt_value_span_start(some[odd[k]]);
            const size_t size = lt_value_span_end(some[odd[k]]) - lt_value_span_start(some[odd[k]]);
            if (!lt_json_lanes_bare_is_good(lanes, text, size, depth)) return done + odd[k];
        }
    }
    return count;
}

// Behind the character of two bytes or more at `at`, or NULL. The rare ones go the long way.
static inline const char *character_end(const char *at, const char *end) {
    const unsigned char first = (unsigned char)at[0];
    if (end - at >= 3 && ((unsigned char)at[1] & 0xC0) == 0x80) {
        if (first >= 0xC2 && first < 0xE0) return at + 2;
        if (first > 0xE0 && first < 0xF0 && first != 0xED && ((unsigned char)at[2] & 0xC0) == 0x80) return at + 3;
    }
    const size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return (size_t)(end - at) >= bytes && lt_json_is_utf8(at, bytes) ? at + bytes : NULL;
}

// *out_is_plain: there is nothing to unescape, as far as was looked.
static inline bool text_is_plain(const char *text, size_t bytes, bool *out_is_plain) {
    const char *end = text + bytes, *at = lt_scan_json_text(text, end);
    *out_is_plain = true;
    while (at < end) {
        if (!lt_byte_ends_json_text(*at)) {
            at++;
        } else if ((unsigned char)*at < 0x80) {
            return *out_is_plain = false; // a backslash, or a byte that no text may have
        } else {
            at = character_end(at, end);
            if (at == NULL) return false;
        }
    }
    return true;
}

static bool is_escaped_letter(char byte) {
    return byte == '"' || byte == '\\' || byte == '/' || byte == 'b' || byte == 'f' || byte == 'n' || byte == 'r' ||
           byte == 't';
}

bool lt_json_lanes_text_is_good(lt_json_lanes *lanes, const char *text, size_t bytes) {
    const char *end = text + bytes, *at = text;
    for (;;) {
        at = lt_scan_json_text(at, end);
        if (at == end) return true;
        if ((unsigned char)*at >= 0x80) {
            at = character_end(at, end);
            if (at == NULL) return false;
        } else if (*at == '\\' && end - at >= 2 && is_escaped_letter(at[1])) {
            at += 2;
        } else { // an escape by number, or a bad one, or a byte that no text may have
            return memchr(text, '\r', bytes) == NULL && reader_ends(lanes, text - 1, bytes + 2, 1);
        }
    }
}

size_t lt_json_lanes_nested_bytes(lt_json_lanes *lanes, const char *text, size_t bytes_max) {
    lt_json_reader *reader = lanes->reader;
    const char     *end    = memchr(text, '\n', bytes_max);
    lt_json_reader_open(reader, text, end == NULL ? bytes_max : (size_t)(end - text));
    reader->depth_max  = LT_JSON_DEPTH_MAX - 1; // the row is open
    const bool is_good = lt_json_next(reader) > LT_JSON_BAD && lt_json_skip(reader);
    reader->depth_max  = LT_JSON_DEPTH_MAX;
    if (!is_good || memchr(text, '\r', (size_t)(reader->next - text)) != NULL) return 0;
    return (size_t)(reader->next - text);
}

// ------------------------------------------------------------------------------------------------------------- filling

// Any value by the reader and the rules for all types.
static leat_status put_any(void *user, const lt_value_source *source, lt_vector *into, uint32_t lane,
                           lt_value_verdict *out, leat_error *err) {
    lt_json_lanes  *self    = user;
    lt_json_reader *reader  = self->reader;
    const char     *text    = source->text;
    size_t          bytes   = source->bytes;
    lt_json_outcome outcome = LT_JSON_GOOD;
    bool            is_plain;
    *out = LT_VALUE_BAD;
    if (source->is_text && into->type->kind == LT_STRING && text_is_plain(text, bytes, &is_plain)) {
        lt_value_put_view(&LT_LANES(into, lt_string)[lane], text, bytes);
        *out = LT_VALUE_GOOD;
        return LEAT_OK;
    }
    if (source->is_text) text--, bytes += 2;
    if (bytes == 4 && memcmp(text, "null", 4) == 0) return *out = LT_VALUE_NULL, LEAT_OK;
    // A span that is no value at all, because literals of the template met in it, has a length out of all measure.
    if (bytes - 1 >= LT_VALUE_BYTES_MAX || memchr(text, '\r', bytes) != NULL) return LEAT_OK;
    lt_json_reader_open(reader, text, bytes);
    reader->depth_max  = LT_JSON_DEPTH_MAX - 1;
    leat_status status = LEAT_OK;
    if (lt_json_next(reader) > LT_JSON_BAD) {
        status = lt_json_convert(self->conversion, reader, into, lane, &outcome, err);
        if (outcome == LT_JSON_GOOD && reader->next == text + bytes) *out = LT_VALUE_GOOD;
    }
    reader->depth_max = LT_JSON_DEPTH_MAX;
    return reader->has_no_memory ? lt_raise_no_memory(err) : status;
}

void lt_json_lanes_init(lt_json_lanes *lanes, const char *kernel, lt_json_conversion *conversion,
                        lt_json_reader *reader, lt_arena *arena) {
    *lanes = (lt_json_lanes){.conversion = conversion, .reader = reader};
    lt_value_lanes_init(&lanes->values, kernel, arena, put_any, lanes);
    lt_value_lanes_set_times(&lanes->values, &conversion->datetime, conversion->date_pattern != NULL,
                             conversion->timestamp_pattern != NULL, conversion->timestamp_ntz_pattern != NULL);
}
