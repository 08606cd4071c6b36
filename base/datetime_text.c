#include "base/datetime_text.h"

// One scanner over the segments year, month, day, hour, minute, second, fraction serves timestamps, wall clocks and
// times. Texts of dates have their own, looser rule: whatever follows a full date is ignored.

#include <stdio.h>

enum { SEGMENT_YEAR, SEGMENT_MONTH, SEGMENT_DAY, SEGMENT_HOUR, SEGMENT_MINUTE, SEGMENT_SECOND, SEGMENT_FRACTION };
enum { SEGMENT_ZONE = 7 };

typedef struct datetime_segments {
    int64_t     values[SEGMENT_ZONE + 1];
    bool        is_time_only;
    const char *zone; // NULL: none
    size_t      zone_bytes;
} datetime_segments;

static bool is_space(char c) { return (unsigned char)c <= ' ' || c == 0x7f; }

static void trim(const char **text, size_t *bytes) {
    while (*bytes > 0 && is_space((*text)[0])) {
        (*text)++;
        (*bytes)--;
    }
    while (*bytes > 0 && is_space((*text)[*bytes - 1])) (*bytes)--;
}

static bool segment_digits_are_good(int segment, int digits) {
    switch (segment) {
    case SEGMENT_YEAR:
        return digits >= 4 && digits <= 6;
    case SEGMENT_FRACTION:
    case SEGMENT_ZONE:
        return true;
    default:
        return digits == 1 || digits == 2;
    }
}

typedef struct segment_scan {
    datetime_segments *out;
    int                segment;
    int64_t            value;
    int                digits;
} segment_scan;

static bool segment_end(segment_scan *scan, int next) {
    if (!segment_digits_are_good(scan->segment, scan->digits)) return false;
    scan->out->values[scan->segment] = scan->value;
    scan->segment                    = next;
    scan->value                      = 0;
    scan->digits                     = 0;
    return true;
}

// What a character that is no digit means depends on the segment it ends.
static bool segments_parse(const char *text, size_t bytes, datetime_segments *out) {
    const char *at = text, *end;
    trim(&at, &bytes);
    end                    = at + bytes;
    *out                   = (datetime_segments){.values = {1, 1, 1, 0, 0, 0, 0, 0}};
    segment_scan scan      = {.out = out};
    int64_t      year_sign = 1;
    bool         has_sign  = false;
    int          fraction  = 0;
    if (at == end) return false;
    if (*at == '-' || *at == '+') {
        has_sign  = true;
        year_sign = *at++ == '-' ? -1 : 1;
    } else if (*at == 'T') {
        out->is_time_only = true;
        scan.segment      = SEGMENT_HOUR;
        at++;
    }
    for (; at < end; at++) {
        const char c = *at;
        if (c >= '0' && c <= '9') {
            if (scan.segment == SEGMENT_FRACTION) {
                if (fraction < 6) scan.value = scan.value * 10 + (c - '0');
                fraction++;
            } else {
                scan.value = scan.value * 10 + (c - '0');
            }
            if (++scan.digits > 9 && scan.segment != SEGMENT_FRACTION) return false;
            continue;
        }
        bool is_good = false;
        switch (scan.segment) {
        case SEGMENT_YEAR:
            if (c == ':' && !has_sign) { // digits so far were the hour
                out->is_time_only = true;
                scan.segment      = SEGMENT_HOUR;
                is_good           = segment_end(&scan, SEGMENT_MINUTE);
                break;
            }
            is_good = c == '-' && segment_end(&scan, SEGMENT_MONTH);
            break;
        case SEGMENT_MONTH:
            is_good = c == '-' && segment_end(&scan, SEGMENT_DAY);
            break;
        case SEGMENT_DAY:
            is_good = (c == ' ' || c == 'T') && segment_end(&scan, SEGMENT_HOUR);
            break;
        case SEGMENT_HOUR:
            is_good = c == ':' && segment_end(&scan, SEGMENT_MINUTE);
            break;
        case SEGMENT_MINUTE:
            is_good = c == ':' && segment_end(&scan, SEGMENT_SECOND);
            break;
        case SEGMENT_SECOND:
        case SEGMENT_FRACTION:
            if (c == '.' && scan.segment == SEGMENT_SECOND) {
                is_good = segment_end(&scan, SEGMENT_FRACTION);
                break;
            }
            is_good         = segment_end(&scan, SEGMENT_ZONE);
            out->zone       = at;
            out->zone_bytes = (size_t)(end - at);
            at              = end - 1;
            break;
        default:
            break;
        }
        if (!is_good) return false;
    }
    if (!segment_end(&scan, SEGMENT_ZONE)) return false;
    for (; fraction < 6; fraction++) out->values[SEGMENT_FRACTION] *= 10;
    out->values[SEGMENT_YEAR] *= year_sign;
    if (out->zone != NULL) trim(&out->zone, &out->zone_bytes);
    return true;
}

static bool segments_time_us(const datetime_segments *segments, int64_t *out_us) {
    const int64_t *v = segments->values;
    if (v[SEGMENT_HOUR] > 23 || v[SEGMENT_MINUTE] > 59 || v[SEGMENT_SECOND] > 59) return false;
    *out_us = v[SEGMENT_HOUR] * LT_US_PER_HOUR + v[SEGMENT_MINUTE] * LT_US_PER_MINUTE +
              v[SEGMENT_SECOND] * LT_US_PER_SECOND + v[SEGMENT_FRACTION];
    return true;
}

static bool segments_local_us(const datetime_segments *segments, int64_t days, int64_t *out_us) {
    const int64_t *v       = segments->values;
    int64_t        time_us = 0;
    if (!segments_time_us(segments, &time_us)) return false;
    if (!segments->is_time_only) {
        if (!lt_civil_is_valid(v[SEGMENT_YEAR], v[SEGMENT_MONTH], v[SEGMENT_DAY])) return false;
        days = lt_days_from_civil(v[SEGMENT_YEAR], (int32_t)v[SEGMENT_MONTH], (int32_t)v[SEGMENT_DAY]);
    }
    return !__builtin_mul_overflow(days, LT_US_PER_DAY, out_us) && !__builtin_add_overflow(*out_us, time_us, out_us);
}

leat_status lt_datetime_context_init(lt_datetime_context *context, const lt_evaluation *evaluation, leat_error *err) {
    context->zones  = evaluation->zones;
    context->now_us = evaluation->now_us;
    return lt_time_zone_of_session(evaluation, &context->zone, err);
}

bool lt_date_parse(const char *text, size_t bytes, int32_t *out_days) {
    int64_t     segments[3] = {1, 1, 1};
    int64_t     value = 0, sign = 1;
    int         segment = 0, digits = 0;
    const char *at = text, *end;
    trim(&at, &bytes);
    end = at + bytes;
    if (at == end) return false;
    if (*at == '-' || *at == '+') sign = *at++ == '-' ? -1 : 1;
    for (; at < end && *at != ' ' && *at != 'T'; at++) {
        if (segment < 2 && *at == '-') {
            if (segment == 0 ? digits < 4 || digits > 7 : digits < 1 || digits > 2) return false;
            segments[segment++] = value;
            value               = 0;
            digits              = 0;
        } else {
            if (*at < '0' || *at > '9' || ++digits > 7) return false;
            value = value * 10 + (*at - '0');
        }
    }
    if (segment == 0 ? digits < 4 || digits > 7 : digits < 1 || digits > 2) return false;
    if (segment < 2 && at < end) return false;
    segments[segment] = value;
    if (!lt_civil_is_valid(sign * segments[0], segments[1], segments[2])) return false;
    const int64_t days = lt_days_from_civil(sign * segments[0], (int32_t)segments[1], (int32_t)segments[2]);
    *out_days          = (int32_t)days;
    return lt_days_fit(days);
}

bool lt_timestamp_parse(const lt_datetime_context *context, const char *text, size_t bytes, int64_t *out_us) {
    datetime_segments   segments;
    lt_time_zone        own;
    const lt_time_zone *zone = &context->zone;
    int64_t             local_us, days = 0;
    if (!segments_parse(text, bytes, &segments)) return false;
    if (segments.zone != NULL) {
        zone      = &own;
        own.rules = NULL;
        if (!lt_time_zone_offset_parse(segments.zone, segments.zone_bytes, &own.offset_seconds) &&
            lt_time_zone_find(context->zones, segments.zone, segments.zone_bytes, &own, NULL) != LEAT_OK)
            return false;
    }
    if (segments.is_time_only) days = lt_time_zone_us_to_days(zone, context->now_us);
    return segments_local_us(&segments, days, &local_us) && lt_time_zone_utc_us_fits(zone, local_us, out_us);
}

bool lt_timestamp_ntz_parse(const lt_datetime_context *context, const char *text, size_t bytes, bool is_zone_allowed,
                            int64_t *out_us) {
    datetime_segments segments;
    lt_time_zone      ignored;
    if (!segments_parse(text, bytes, &segments) || segments.is_time_only) return false;
    if (segments.zone != NULL) {
        if (!is_zone_allowed) return false;
        if (lt_time_zone_find(context->zones, segments.zone, segments.zone_bytes, &ignored, NULL) != LEAT_OK)
            return false;
    }
    return segments_local_us(&segments, 0, out_us);
}

static bool same_letter(char c, char upper) { return c == upper || c == (char)(upper | 0x20); }

bool lt_time_parse(const char *text, size_t bytes, int64_t *out_us) {
    datetime_segments segments;
    bool              is_half_day = false, is_afternoon = false;
    trim(&text, &bytes);
    if (bytes > 2 && same_letter(text[bytes - 1], 'M') &&
        (same_letter(text[bytes - 2], 'A') || same_letter(text[bytes - 2], 'P'))) {
        is_half_day  = true;
        is_afternoon = same_letter(text[bytes - 2], 'P');
        bytes -= 2;
    }
    if (!segments_parse(text, bytes, &segments) || !segments.is_time_only || segments.zone != NULL) return false;
    if (is_half_day) {
        int64_t *hour = &segments.values[SEGMENT_HOUR];
        if (*hour < 1 || *hour > 12) return false;
        *hour = *hour % 12 + (is_afternoon ? 12 : 0);
    }
    return segments_time_us(&segments, out_us);
}

// ------------------------------------------------------------------------------------------------------- special words

typedef enum special_word {
    SPECIAL_NONE,
    SPECIAL_EPOCH,
    SPECIAL_NOW,
    SPECIAL_TODAY,
    SPECIAL_TOMORROW,
    SPECIAL_YESTERDAY
} special_word;

static special_word special_word_parse(const char *text, size_t bytes) {
    static const char *const words[] = {"", "EPOCH", "NOW", "TODAY", "TOMORROW", "YESTERDAY"};
    trim(&text, &bytes);
    for (size_t i = 1; i < sizeof words / sizeof words[0]; i++) {
        size_t k = 0;
        while (k < bytes && words[i][k] != '\0' && same_letter(text[k], words[i][k])) k++;
        if (k == bytes && words[i][k] == '\0') return (special_word)i;
    }
    return SPECIAL_NONE;
}

bool lt_date_parse_special(const lt_datetime_context *context, const char *text, size_t bytes, int32_t *out_days) {
    const int32_t today = lt_time_zone_us_to_days(&context->zone, context->now_us);
    switch (special_word_parse(text, bytes)) {
    case SPECIAL_EPOCH:
        *out_days = 0;
        return true;
    case SPECIAL_NOW:
    case SPECIAL_TODAY:
        *out_days = today;
        return true;
    case SPECIAL_TOMORROW:
        *out_days = today + 1;
        return true;
    case SPECIAL_YESTERDAY:
        *out_days = today - 1;
        return true;
    case SPECIAL_NONE:
        break;
    }
    return false;
}

bool lt_timestamp_parse_special(const lt_datetime_context *context, const char *text, size_t bytes, int64_t *out_us) {
    int32_t            days = 0;
    const special_word word = special_word_parse(text, bytes);
    if (word == SPECIAL_NONE || !lt_date_parse_special(context, text, bytes, &days)) return false;
    *out_us = word == SPECIAL_EPOCH ? 0
              : word == SPECIAL_NOW ? context->now_us
                                    : lt_time_zone_days_to_us(&context->zone, days);
    return true;
}

bool lt_timestamp_ntz_parse_special(const lt_datetime_context *context, const char *text, size_t bytes,
                                    int64_t *out_us) {
    int32_t            days = 0;
    const special_word word = special_word_parse(text, bytes);
    if (word == SPECIAL_NONE || !lt_date_parse_special(context, text, bytes, &days)) return false;
    *out_us = word == SPECIAL_NOW ? lt_time_zone_local_us(&context->zone, context->now_us) : days * LT_US_PER_DAY;
    return true;
}

// ------------------------------------------------------------------------------------------------------------ literals

static leat_status literal_raise(const char *type, const char *example, const char *text, size_t bytes,
                                 const lt_place *place, leat_error *err) {
    return lt_raise(err, LT_INVALID_TYPED_LITERAL, place, "`%.*s` is no %s; write %s '%s'",
                    (int)(bytes > 80 ? 80 : bytes), text, type, type, example);
}

leat_status lt_date_literal(const lt_datetime_context *context, const char *text, size_t bytes, const lt_place *place,
                            int32_t *out_days, leat_error *err) {
    if (lt_date_parse(text, bytes, out_days) || lt_date_parse_special(context, text, bytes, out_days)) return LEAT_OK;
    return literal_raise("DATE", "2024-01-31", text, bytes, place, err);
}

leat_status lt_timestamp_literal(const lt_datetime_context *context, const char *text, size_t bytes,
                                 const lt_place *place, int64_t *out_us, leat_error *err) {
    if (lt_timestamp_parse(context, text, bytes, out_us) || lt_timestamp_parse_special(context, text, bytes, out_us))
        return LEAT_OK;
    return literal_raise("TIMESTAMP", "2024-01-31 10:20:30", text, bytes, place, err);
}

leat_status lt_timestamp_ntz_literal(const lt_datetime_context *context, const char *text, size_t bytes,
                                     const lt_place *place, int64_t *out_us, leat_error *err) {
    if (lt_timestamp_ntz_parse(context, text, bytes, true, out_us) ||
        lt_timestamp_ntz_parse_special(context, text, bytes, out_us))
        return LEAT_OK;
    return literal_raise("TIMESTAMP_NTZ", "2024-01-31 10:20:30", text, bytes, place, err);
}

leat_status lt_time_literal(const char *text, size_t bytes, const lt_place *place, int64_t *out_us, leat_error *err) {
    if (lt_time_parse(text, bytes, out_us)) return LEAT_OK;
    return literal_raise("TIME", "10:20:30", text, bytes, place, err);
}

// ------------------------------------------------------------------------------------------------------------ printing

// Digits are put by hand: this runs once a value in every sink.
static char *put_two(char *at, int64_t value) {
    *at++ = (char)('0' + value / 10);
    *at++ = (char)('0' + value % 10);
    return at;
}

static char *put_date(char *at, int64_t days) {
    const lt_civil_date civil = lt_civil_from_days(days);
    int64_t             year  = civil.year;
    if (year >= 0 && year <= 9999) {
        at = put_two(at, year / 100);
        at = put_two(at, year % 100);
    } else {
        *at++ = year < 0 ? '-' : '+';
        if (year < 0) year = -year;
        at += snprintf(at, 16, "%04lld", (long long)year);
    }
    *at++ = '-';
    at    = put_two(at, civil.month);
    *at++ = '-';
    return put_two(at, civil.day);
}

static char *put_time(char *at, int64_t us) {
    at               = put_two(at, us / LT_US_PER_HOUR);
    *at++            = ':';
    at               = put_two(at, us / LT_US_PER_MINUTE % 60);
    *at++            = ':';
    at               = put_two(at, us / LT_US_PER_SECOND % 60);
    int64_t fraction = us % LT_US_PER_SECOND;
    if (fraction != 0) {
        *at++ = '.';
        for (int64_t unit = LT_US_PER_SECOND / 10; fraction != 0; fraction %= unit, unit /= 10) {
            *at++ = (char)('0' + fraction / unit);
            if (unit == 1) break;
        }
    }
    return at;
}

size_t lt_date_print(int32_t days, char out[LT_DATETIME_TEXT_BYTES]) {
    char *end = put_date(out, days);
    *end      = '\0';
    return (size_t)(end - out);
}

size_t lt_timestamp_ntz_print(int64_t us, char out[LT_DATETIME_TEXT_BYTES]) {
    const int64_t days = lt_floor_div(us, LT_US_PER_DAY);
    char         *end  = put_date(out, days);
    *end++             = ' ';
    end                = put_time(end, lt_floor_mod(us, LT_US_PER_DAY));
    *end               = '\0';
    return (size_t)(end - out);
}

size_t lt_timestamp_print(const lt_time_zone *zone, int64_t us, char out[LT_DATETIME_TEXT_BYTES]) {
    return lt_timestamp_ntz_print(lt_time_zone_local_us(zone, us), out);
}

size_t lt_time_print(int64_t us, char out[LT_DATETIME_TEXT_BYTES]) {
    char *end = put_time(out, us);
    *end      = '\0';
    return (size_t)(end - out);
}
