// A loop per kind of column with the usual shape in it; whatever has another shape leaves the loop through fill_any.
#include "storage/json_lanes.h"

#include "base/byte_scan.h"
#include "base/lanes.h"
#include "base/number_text.h"
#include "storage/digits_word.h"

typedef struct filling {
    lt_json_lanes      *lanes;
    lt_vector          *column;
    uint32_t            lane, count;
    const char         *bytes;
    const lt_json_span *spans;
    const uint8_t      *is_careful;
    leat_error         *err;
} filling;

void lt_json_lanes_init(lt_json_lanes *lanes, lt_json_conversion *conversion, lt_json_reader *reader, lt_arena *arena) {
    *lanes                    = (lt_json_lanes){.conversion = conversion, .reader = reader, .arena = arena};
    lanes->cached_day_text[0] = lt_digits_load("1970-01-");
    lanes->cached_day_text[1] = '0' | '1' << 8; // day 0
}

static inline size_t span_bytes(lt_json_span span) { return lt_json_span_end(span) - lt_json_span_start(span); }

// ------------------------------------------------------------------------------------------------------------- judging

static bool reader_ends(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth) {
    lt_json_reader *reader = lanes->reader;
    lt_json_reader_open(reader, text, bytes);
    reader->depth_max  = LT_JSON_DEPTH_MAX - depth;
    const bool is_good = lt_json_next(reader) > LT_JSON_BAD && lt_json_skip(reader) && reader->next == text + bytes;
    reader->depth_max  = LT_JSON_DEPTH_MAX;
    return is_good;
}

bool lt_json_lanes_odd_bare_is_good(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth) {
    // A span that is no value at all, because literals of the template met in it, has a length out of all measure.
    if (bytes - 1 >= LT_VALUE_BYTES_MAX || memchr(text, '\r', bytes) != NULL) return false;
    return reader_ends(lanes, text, bytes, depth);
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

bool lt_json_lanes_text_is_good(lt_json_lanes *lanes, const char *text, size_t bytes) {
    bool is_plain;
    if (text_is_plain(text, bytes, &is_plain)) return true;
    return !is_plain && memchr(text, '\r', bytes) == NULL && reader_ends(lanes, text - 1, bytes + 2, 1);
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

static leat_status fill_null(const filling *self, uint32_t i, bool *out_is_good) {
    lt_vector *column = self->column;
    *out_is_good      = true;
    if (column->validity != NULL && column->child_count == 0) { // the usual one of a column that has had one before
        const uint32_t lane = self->lane + i;
        column->validity[lane >> 6] &= ~(UINT64_C(1) << (lane & 63));
        return LEAT_OK;
    }
    return lt_lane_put_null(self->column, self->lane + i, self->lanes->arena, self->err);
}

// Any value by the reader and the rules for all types.
static leat_status fill_any(const filling *self, uint32_t i, bool *out_is_good) {
    const lt_json_span span = self->spans[i];
    if (span == 0) return fill_null(self, i, out_is_good);
    const char     *text    = self->bytes + lt_json_span_start(span);
    size_t          bytes   = span_bytes(span);
    lt_json_reader *reader  = self->lanes->reader;
    lt_json_outcome outcome = LT_JSON_GOOD;
    *out_is_good            = false;
    if (lt_json_span_is_text(span)) text--, bytes += 2;
    if (bytes == 4 && memcmp(text, "null", 4) == 0) return fill_null(self, i, out_is_good);
    if (bytes - 1 >= LT_VALUE_BYTES_MAX || memchr(text, '\r', bytes) != NULL) return LEAT_OK;
    lt_json_reader_open(reader, text, bytes);
    reader->depth_max  = LT_JSON_DEPTH_MAX - 1;
    leat_status status = LEAT_OK;
    if (lt_json_next(reader) > LT_JSON_BAD) {
        status = lt_json_convert(self->lanes->conversion, reader, self->column, self->lane + i, &outcome, self->err);
        *out_is_good = outcome == LT_JSON_GOOD && reader->next == text + bytes;
    }
    reader->depth_max = LT_JSON_DEPTH_MAX;
    return reader->has_no_memory ? lt_raise_no_memory(self->err) : status;
}

// Takes value i the long way; ends the calling loop at one that is not good.
#define FILL_ANY(self, i)                                                                                              \
    do {                                                                                                               \
        bool is_good_;                                                                                                 \
        LT_TRY(fill_any(self, i, &is_good_));                                                                          \
        if (!is_good_) {                                                                                               \
            (self)->count = i;                                                                                         \
            return LEAT_OK;                                                                                            \
        }                                                                                                              \
    } while (0)

static leat_status fill_others(filling *self) {
    for (uint32_t i = 0; i < self->count; i++) FILL_ANY(self, i);
    return LEAT_OK;
}

// A lane over borrowed bytes without a branch on their number. Reads 12 bytes.
static inline void put_view(lt_string *into, const char *text, size_t bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && UINTPTR_MAX == UINT64_MAX
    static const uint64_t masks[13] = {
        0, 0, 0, 0, 0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, UINT64_MAX};
    static const uint32_t firsts[13] = {0, 0xFF, 0xFFFF, 0xFFFFFF, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    const size_t          inlined    = bytes < 12 ? bytes : 12;
    uint32_t              first;
    uint64_t              rest;
    memcpy(&first, text, sizeof first);
    memcpy(&rest, text + 4, sizeof rest);
    const uint64_t words[2] = {(uint32_t)bytes | (uint64_t)(first & firsts[inlined]) << 32,
                               bytes > LT_STRING_INLINE_MAX ? (uint64_t)(uintptr_t)text : rest & masks[inlined]};
    memcpy(into, words, sizeof words);
#else
    *into = lt_string_view(text, bytes);
#endif
}

static leat_status fill_texts(filling *self) {
    lt_string *const          lanes      = LT_LANES(self->column, lt_string) + self->lane;
    const lt_json_span *const spans      = self->spans;
    const uint8_t *const      is_careful = self->is_careful;
    const char *const         source     = self->bytes;
    const uint32_t            count      = self->count;
    for (uint32_t i = 0; i < count; i++) {
        const lt_json_span span    = spans[i];
        const char        *text    = source + lt_json_span_start(span);
        const size_t       bytes   = span_bytes(span);
        bool               is_text = lt_json_span_is_text(span);
        if (is_text && is_careful[i] != 0) {
            bool is_plain;
            if (!text_is_plain(text, bytes, &is_plain)) is_text = false;
        }
        if (is_text)
            put_view(&lanes[i], text, bytes);
        else
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

// An integer of up to 16 digits at a span. False: another shape.
static inline bool read_integer(const char *text, lt_json_span span, int64_t *out) {
    uint64_t     digits;
    const size_t bytes = span_bytes(span);
    if (lt_json_span_is_text(span)) return false;
    if (bytes - 1 < 16 && lt_digits_read(text, bytes, &digits) && (*text != '0' || bytes == 1)) {
        *out = (int64_t)digits;
        return true;
    }
    if (bytes - 2 >= 16 || *text != '-' || !lt_digits_read(text + 1, bytes - 1, &digits) ||
        (text[1] == '0' && bytes > 2))
        return false;
    *out = -(int64_t)digits;
    return true;
}

static inline leat_status fill_integers_of(filling *self, lt_kind kind, int64_t min, int64_t max) {
    void *const               lanes = self->column->values;
    const lt_json_span *const spans = self->spans;
    const char *const         bytes = self->bytes;
    const uint32_t            first = self->lane, count = self->count;
    for (uint32_t i = 0; i < count; i++) {
        int64_t value;
        if (!read_integer(bytes + lt_json_span_start(spans[i]), spans[i], &value) || value < min || value > max) {
            FILL_ANY(self, i);
            continue;
        }
        if (kind == LT_BIGINT)
            ((int64_t *)lanes)[first + i] = value;
        else if (kind == LT_INT)
            ((int32_t *)lanes)[first + i] = (int32_t)value;
        else if (kind == LT_SMALLINT)
            ((int16_t *)lanes)[first + i] = (int16_t)value;
        else
            ((int8_t *)lanes)[first + i] = (int8_t)value;
    }
    return LEAT_OK;
}

static leat_status fill_bigints(filling *self) { return fill_integers_of(self, LT_BIGINT, INT64_MIN, INT64_MAX); }
static leat_status fill_ints(filling *self) { return fill_integers_of(self, LT_INT, INT32_MIN, INT32_MAX); }
static leat_status fill_smallints(filling *self) { return fill_integers_of(self, LT_SMALLINT, INT16_MIN, INT16_MAX); }
static leat_status fill_tinyints(filling *self) { return fill_integers_of(self, LT_TINYINT, INT8_MIN, INT8_MAX); }

// Digits below 2^53 over a power of ten below 10^23 are both exact doubles, so one division rounds rightly (Clinger).
static leat_status fill_doubles(filling *self) {
    static const double       powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    double *const             lanes    = LT_LANES(self->column, double) + self->lane;
    const lt_json_span *const spans    = self->spans;
    const char *const         source   = self->bytes;
    const uint32_t            count    = self->count;
    for (uint32_t i = 0; i < count; i++) {
        const lt_json_span span = spans[i];
        const char        *text = source + lt_json_span_start(span);
        const size_t       sign = *text == '-';
        lt_digits_point    point;
        if (lt_json_span_is_text(span) || !lt_digits_read_point(text + sign, span_bytes(span) - sign, &point) ||
            point.digits >> 53 != 0) {
            FILL_ANY(self, i);
            continue;
        }
        const double value = (double)point.digits / powers[point.fraction_digits];
        lanes[i]           = sign != 0 ? -value : value;
    }
    return LEAT_OK;
}

static leat_status fill_decimals(filling *self) {
    static const uint64_t  powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const lt_decimal_shape shape    = lt_decimal_shape_of(self->column->type);
    const lt_int128        bound    = lt_decimal_power(shape.precision);
    lt_int128             *lanes    = LT_LANES(self->column, lt_int128) + self->lane;
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_json_span span = self->spans[i];
        const char        *text = self->bytes + lt_json_span_start(span);
        const size_t       sign = *text == '-';
        lt_digits_point    point;
        if (span == 0 || lt_json_span_is_text(span) ||
            !lt_digits_read_point(text + sign, span_bytes(span) - sign, &point) ||
            point.fraction_digits > shape.scale || shape.scale - point.fraction_digits > 8 ||
            (lt_int128)point.digits * (lt_int128)powers[shape.scale - point.fraction_digits] >= bound) {
            FILL_ANY(self, i);
            continue;
        }
        const lt_int128 value = (lt_int128)point.digits * (lt_int128)powers[shape.scale - point.fraction_digits];
        lanes[i]              = sign != 0 ? -value : value;
    }
    return LEAT_OK;
}

static leat_status fill_booleans(filling *self) {
    uint8_t *const            lanes = LT_LANES(self->column, uint8_t) + self->lane;
    const lt_json_span *const spans = self->spans;
    const char *const         bytes = self->bytes;
    const uint32_t            count = self->count;
    uint32_t                  is_true, is_false;
    memcpy(&is_true, "true", sizeof is_true);
    memcpy(&is_false, "fals", sizeof is_false);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = bytes + lt_json_span_start(spans[i]);
        uint32_t    word;
        memcpy(&word, text, sizeof word);
        const bool is_word = ((word == is_true) & (span_bytes(spans[i]) == 4)) |
                             ((word == is_false) & (span_bytes(spans[i]) == 5) & (text[4] == 'e'));
        lanes[i] = word == is_true;
        if (!is_word || lt_json_span_is_text(spans[i])) FILL_ANY(self, i);
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------ days and times

// "2024-05-01" of years 1000 to 9999; the last day's number is kept. Reads 16 bytes.
static inline bool read_day(lt_json_lanes *lanes, const char *text, int32_t *out_days) {
    const uint64_t dashes = UINT64_C(0xFF0000FF00000000), month_day = UINT64_C(0xFFFF);
    const uint64_t first = lt_digits_load(text), last = lt_digits_load(text + 8) & month_day;
    if (first == lanes->cached_day_text[0] && last == lanes->cached_day_text[1]) {
        *out_days = lanes->cached_day;
        return true;
    }
    if ((first & dashes) != UINT64_C(0x2D00002D00000000)) return false;
    const uint64_t year_month = (first & ~dashes) | (LT_DIGITS_ZERO & dashes); // yyyy0mm0
    const uint64_t days       = last | (LT_DIGITS_ZERO & ~month_day);
    if ((lt_digits_others(year_month) | lt_digits_others(days)) != 0) return false;
    const uint64_t number = lt_digits_value(year_month);
    const int64_t  year   = (int64_t)(number / 10000);
    const int32_t  month  = (int32_t)(number / 10 % 1000);
    const int32_t  day    = (int32_t)(lt_digits_value(days) / 1000000);
    if (year < 1000 || month < 1 || month > 12 || day < 1 || day > lt_days_of_month(year, month)) return false;
    lanes->cached_day_text[0] = first;
    lanes->cached_day_text[1] = last;
    lanes->cached_day = *out_days = (int32_t)lt_days_from_civil(year, month, day);
    return true;
}

// "2024-05-01T10:20:30", a fraction of up to six digits, "Z". *out_has_zone: the Z. False: another shape.
static inline bool read_time(lt_json_lanes *lanes, const char *text, size_t bytes, int64_t *out_us,
                             bool *out_has_zone) {
    static const uint32_t units[7] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    const uint64_t        others   = UINT64_C(0x0000FF0000FF0000);
    int32_t               days;
    if (bytes < 19 || bytes > 27 || !read_day(lanes, text, &days)) return false;
    // From place 9, "1T10:20:": the last digit of the day, hours, minutes.
    uint64_t clock = lt_digits_load(text + 11); // hh:mm:ss
    if ((text[10] != 'T' && text[10] != ' ') || (clock & others) != UINT64_C(0x00003A00003A0000)) return false;
    clock = (clock & ~others) | (LT_DIGITS_ZERO & others); // hh0mm0ss
    if (lt_digits_others(clock) != 0) return false;
    const uint64_t number = lt_digits_value(clock);
    const uint64_t hour = number / 1000000, minute = number / 1000 % 1000, second = number % 1000;
    if (hour > 23 || minute > 59 || second > 59) return false;
    *out_has_zone   = text[bytes - 1] == 'Z';
    size_t   rest   = bytes - 19 - *out_has_zone;
    uint64_t micros = 0;
    if (rest > 0) {
        if (text[19] != '.' || rest < 2 || rest > 7 || !lt_digits_read(text + 20, rest - 1, &micros)) return false;
        micros *= units[rest - 1];
    }
    *out_us = (int64_t)days * LT_US_PER_DAY + (int64_t)(hour * 3600 + minute * 60 + second) * LT_US_PER_SECOND +
              (int64_t)micros;
    return true;
}

static leat_status fill_dates(filling *self) {
    int32_t *lanes = LT_LANES(self->column, int32_t) + self->lane;
    if (self->lanes->conversion->date_pattern != NULL) return fill_others(self);
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_json_span span = self->spans[i];
        if (!lt_json_span_is_text(span) || span_bytes(span) != 10 ||
            !read_day(self->lanes, self->bytes + lt_json_span_start(span), &lanes[i]))
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

static inline leat_status fill_times_of(filling *self, const lt_datetime_pattern *pattern, bool may_have_zone,
                                        bool may_lack_zone, int64_t offset_us) {
    int64_t *lanes = LT_LANES(self->column, int64_t) + self->lane;
    if (pattern != NULL) return fill_others(self);
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_json_span span     = self->spans[i];
        bool               has_zone = false;
        int64_t            us       = 0;
        if (lt_json_span_is_text(span) &&
            read_time(self->lanes, self->bytes + lt_json_span_start(span), span_bytes(span), &us, &has_zone) &&
            (has_zone ? may_have_zone : may_lack_zone))
            lanes[i] = has_zone ? us : us - offset_us;
        else
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

static leat_status fill_timestamps(filling *self) {
    const lt_json_conversion *conversion = self->lanes->conversion;
    const lt_time_zone       *zone       = &conversion->datetime.zone;
    return fill_times_of(self, conversion->timestamp_pattern, true, zone->rules == NULL,
                         zone->offset_seconds * LT_US_PER_SECOND);
}

static leat_status fill_timestamps_ntz(filling *self) {
    return fill_times_of(self, self->lanes->conversion->timestamp_ntz_pattern, false, true, 0);
}

static leat_status fill(filling *self) {
    switch (self->column->type->kind) {
    case LT_STRING:
        return fill_texts(self);
    case LT_BIGINT:
        return fill_bigints(self);
    case LT_INT:
        return fill_ints(self);
    case LT_SMALLINT:
        return fill_smallints(self);
    case LT_TINYINT:
        return fill_tinyints(self);
    case LT_DOUBLE:
        return fill_doubles(self);
    case LT_DECIMAL:
        return fill_decimals(self);
    case LT_BOOLEAN:
        return fill_booleans(self);
    case LT_TIMESTAMP:
        return fill_timestamps(self);
    case LT_TIMESTAMP_NTZ:
        return fill_timestamps_ntz(self);
    case LT_DATE:
        return fill_dates(self);
    default:
        return fill_others(self);
    }
}

static void lanes_set_valid(uint64_t *validity, uint32_t lane, uint32_t count) {
    for (const uint32_t end = lane + count; lane < end;) {
        const uint32_t bit = lane & 63, bits = end - lane < 64 - bit ? end - lane : 64 - bit;
        validity[lane >> 6] |= ~UINT64_C(0) >> (64 - bits) << bit;
        lane += bits;
    }
}

leat_status lt_json_lanes_fill(lt_json_lanes *lanes, lt_vector *column, uint32_t lane, const char *bytes,
                               const lt_json_span *spans, const uint8_t *is_careful, uint32_t *count, leat_error *err) {
    filling self = {.lanes      = lanes,
                    .column     = column,
                    .lane       = lane,
                    .count      = *count,
                    .bytes      = bytes,
                    .spans      = spans,
                    .is_careful = is_careful,
                    .err        = err};
    if (column->validity != NULL) lanes_set_valid(column->validity, lane, *count);
    const leat_status status = fill(&self);
    *count                   = self.count;
    return status;
}
