#include "base/interval.h"

// Three grammars meet here: lists of numbers with units (one state machine, after Spark's stringToInterval), the fixed
// forms of the standard ('d h:m:s.f' between two units), and the bare text of a CAST. All work in 64 bits with overflow
// checks and narrow at the end.

#include <math.h>
#include <stdio.h>

enum { INTERVAL_PARTS_TEXT_MAX = 1024 };

typedef struct interval_unit_word {
    const char *word; // singular, lower case
    int64_t     months, days, microseconds;
    lt_unit     unit; // of the literal's type
} interval_unit_word;

static const interval_unit_word unit_words[] = {
    {"year", 12, 0, 0, LT_UNIT_YEAR},
    {"month", 1, 0, 0, LT_UNIT_MONTH},
    {"week", 0, 7, 0, LT_UNIT_DAY},
    {"day", 0, 1, 0, LT_UNIT_DAY},
    {"hour", 0, 0, LT_US_PER_HOUR, LT_UNIT_HOUR},
    {"minute", 0, 0, LT_US_PER_MINUTE, LT_UNIT_MINUTE},
    {"second", 0, 0, LT_US_PER_SECOND, LT_UNIT_SECOND},
    {"millisecond", 0, 0, LT_US_PER_MILLI, LT_UNIT_SECOND},
    {"microsecond", 0, 0, 1, LT_UNIT_SECOND},
};

static bool is_space(char c) { return (unsigned char)c <= ' '; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static bool word_equal(const char *text, size_t bytes, const char *word) {
    size_t i = 0;
    while (i < bytes && word[i] != '\0' && lower(text[i]) == word[i]) i++;
    return word[i] == '\0' && (i == bytes || (i + 1 == bytes && lower(text[i]) == 's'));
}

static const interval_unit_word *unit_word_find(const char *text, size_t bytes) {
    for (size_t i = 0; i < sizeof unit_words / sizeof unit_words[0]; i++)
        if (word_equal(text, bytes, unit_words[i].word)) return &unit_words[i];
    return NULL;
}

static const char *const unit_names[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};

bool lt_unit_parse(const char *text, size_t bytes, lt_unit *out) {
    const interval_unit_word *word = unit_word_find(text, bytes);
    if (word == NULL || (word->days == 7) || (word->unit == LT_UNIT_SECOND && word->microseconds < LT_US_PER_SECOND))
        return false;
    *out = word->unit;
    return true;
}

const char *lt_unit_name(lt_unit unit) { return unit_names[unit]; }

bool lt_interval_days_us(int64_t days, int64_t microseconds, int64_t *out_us) {
    int64_t us;
    return !__builtin_mul_overflow(days, LT_US_PER_DAY, &us) && !__builtin_add_overflow(us, microseconds, out_us);
}

// ------------------------------------------------------------------------------------------------- numbers with units

typedef enum units_fault {
    UNITS_GOOD,
    UNITS_NO_NUMBER,
    UNITS_BAD_NUMBER,
    UNITS_NO_UNIT,
    UNITS_BAD_UNIT,
    UNITS_BAD_FRACTION,
    UNITS_OVERFLOW
} units_fault;

typedef struct units_result {
    int64_t months, days, microseconds;
    uint8_t units_seen; // bits by lt_unit
} units_result;

static bool add_scaled(int64_t *sum, int64_t value, int64_t factor) {
    int64_t product;
    return !__builtin_mul_overflow(value, factor, &product) && !__builtin_add_overflow(*sum, product, sum);
}

// [interval] ([+-] digits[.digits] unit)+ ; a fraction may stand before seconds only.
static units_fault units_parse(const char *text, size_t bytes, units_result *out) {
    const char *at = text, *const end = text + bytes;
    *out = (units_result){0};
    while (at < end && is_space(*at)) at++;
    if (end - at > 8 && word_equal(at, 8, "interval") && is_space(at[8])) at += 9;
    do {
        bool    is_negative = false, has_sign = false, has_digits = false, has_fraction = false;
        int64_t value = 0, fraction_us = 0;
        while (at < end && is_space(*at)) at++;
        if (at < end && (*at == '-' || *at == '+')) {
            has_sign    = true;
            is_negative = *at++ == '-';
        }
        while (at < end && is_space(*at)) at++;
        for (; at < end && is_digit(*at); at++) { // counts down, so that the smallest number fits
            has_digits = true;
            if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, *at - '0', &value))
                return UNITS_OVERFLOW;
        }
        if (at < end && *at == '.') {
            int64_t scale  = LT_US_PER_SECOND / 10;
            int     digits = 0;
            has_fraction   = true;
            for (at++; at < end && is_digit(*at); at++, scale /= 10) {
                fraction_us -= (*at - '0') * scale;
                has_digits = true;
                if (++digits > 9) return UNITS_BAD_FRACTION;
            }
        }
        if (!has_digits) return has_sign && at < end ? UNITS_BAD_NUMBER : UNITS_NO_NUMBER;
        if (!is_negative) {
            if (value == INT64_MIN) return UNITS_OVERFLOW;
            value       = -value;
            fraction_us = -fraction_us;
        }
        const char *gap = at;
        while (at < end && is_space(*at)) at++;
        if (at == end) return UNITS_NO_UNIT;
        if (at == gap) return UNITS_BAD_NUMBER;
        const char *word_start = at;
        while (at < end && !is_space(*at)) at++;
        const interval_unit_word *word = unit_word_find(word_start, (size_t)(at - word_start));
        if (word == NULL) return UNITS_BAD_UNIT;
        if (has_fraction && word->microseconds != LT_US_PER_SECOND) return UNITS_BAD_FRACTION;
        if (!add_scaled(&out->months, value, word->months) || !add_scaled(&out->days, value, word->days) ||
            !add_scaled(&out->microseconds, value, word->microseconds) ||
            __builtin_add_overflow(out->microseconds, fraction_us, &out->microseconds))
            return UNITS_OVERFLOW;
        out->units_seen |= (uint8_t)(1u << word->unit);
        while (at < end && is_space(*at)) at++;
    } while (at < end);
    if (out->months != (int32_t)out->months || out->days != (int32_t)out->days) return UNITS_OVERFLOW;
    return UNITS_GOOD;
}

bool lt_calendar_interval_parse(const char *text, size_t bytes, lt_calendar_interval *out) {
    units_result result;
    if (units_parse(text, bytes, &result) != UNITS_GOOD) return false;
    *out = (lt_calendar_interval){(int32_t)result.months, (int32_t)result.days, result.microseconds};
    return true;
}

leat_status lt_duration_parse(const char *text, size_t bytes, const lt_place *place, int64_t *out_us, leat_error *err) {
    lt_calendar_interval interval;
    if (lt_calendar_interval_parse(text, bytes, &interval) && interval.months == 0 &&
        lt_interval_days_us(interval.days, interval.microseconds, out_us))
        return LEAT_OK;
    return lt_raise(err, LT_CANNOT_PARSE_INTERVAL, place,
                    "`%.*s` is no length of time; write a number and a unit up to week, like '10 minutes'",
                    (int)(bytes > 80 ? 80 : bytes), text);
}

// Types the sum of the units: the first and the last unit that were named span it.
static leat_status units_to_interval(const units_result *result, const lt_place *place, lt_interval *out,
                                     leat_error *err) {
    const unsigned year_month = 1u << LT_UNIT_YEAR | 1u << LT_UNIT_MONTH;
    if ((result->units_seen & year_month) != 0 && (result->units_seen & ~year_month) != 0)
        return lt_raise(err, LT_INVALID_INTERVAL_FORMAT__INTERVAL_PARSING, place,
                        "an interval has either years and months or days to seconds; write two intervals");
    *out            = (lt_interval){0};
    out->unit_first = (lt_unit)__builtin_ctz(result->units_seen);
    out->unit_last  = (lt_unit)(31 - __builtin_clz(result->units_seen));
    if ((result->units_seen & year_month) != 0) {
        out->kind   = LT_INTERVAL_YEAR_MONTH;
        out->months = (int32_t)result->months;
        return LEAT_OK;
    }
    out->kind = LT_INTERVAL_DAY_TIME;
    if (!lt_interval_days_us(result->days, result->microseconds, &out->microseconds))
        return lt_raise(err, LT_INTERVAL_ARITHMETIC_OVERFLOW__WITHOUT_SUGGESTION, place,
                        "the interval is longer than 106751991 days");
    return LEAT_OK;
}

static leat_status units_raise(units_fault fault, bool is_text, const char *text, size_t bytes, const lt_place *place,
                               leat_error *err) {
    static const char *const  reasons[]    = {"",
                                              "a number is missing",
                                              "a number is none",
                                              "a unit is missing",
                                              "a unit from year to microsecond is wanted",
                                              "only seconds may have a fraction, of up to 9 digits",
                                              "a number is too large"};
    static const lt_condition conditions[] = {
        LT_CONDITION_NONE,
        LT_INVALID_INTERVAL_FORMAT__UNRECOGNIZED_NUMBER,
        LT_INVALID_INTERVAL_FORMAT__INVALID_VALUE,
        LT_INVALID_INTERVAL_FORMAT__MISSING_UNIT,
        LT_INVALID_INTERVAL_FORMAT__INVALID_UNIT,
        LT_INVALID_INTERVAL_FORMAT__INVALID_FRACTION,
        LT_INVALID_INTERVAL_FORMAT__ARITHMETIC_EXCEPTION,
    };
    return lt_raise(err, is_text ? LT_INVALID_TYPED_LITERAL : conditions[fault], place, "`%.*s` is no interval: %s",
                    (int)(bytes > 80 ? 80 : bytes), text, reasons[fault]);
}

// ------------------------------------------------------------------------------------------- 'd h:m:s' from unit to
// unit

typedef struct number_scan {
    const char *at, *end;
} number_scan;

static bool scan_number(number_scan *scan, int digits_max, int64_t *out) {
    int digits = 0;
    for (*out = 0; scan->at < scan->end && is_digit(*scan->at); scan->at++) {
        if (++digits > digits_max) return false;
        *out = *out * 10 + (*scan->at - '0');
    }
    return digits > 0;
}
static bool scan_char(number_scan *scan, char c) {
    if (scan->at == scan->end || *scan->at != c) return false;
    scan->at++;
    return true;
}
static bool scan_fraction(number_scan *scan, int64_t *out_us) {
    int64_t scale  = LT_US_PER_SECOND / 10;
    int     digits = 0;
    for (; scan->at < scan->end && is_digit(*scan->at); scan->at++, scale /= 10) {
        if (++digits > 9) return false;
        *out_us += (*scan->at - '0') * scale;
    }
    return digits > 0;
}

static leat_status from_to_raise_form(lt_unit first, lt_unit last, const char *text, size_t bytes,
                                      const lt_place *place, leat_error *err) {
    static const char *const parts[]  = {"y", "-m", "d", " h", ":m", ":s.n"};
    char                     form[32] = "";
    size_t                   length   = 0;
    for (unsigned unit = first; unit <= last; unit++) {
        const char *part = parts[unit];
        if (unit == first && (part[0] == ' ' || part[0] == ':' || part[0] == '-')) part++;
        length += (size_t)snprintf(form + length, sizeof form - length, "%s", part);
    }
    return lt_raise(err,
                    last <= LT_UNIT_MONTH ? LT_INVALID_INTERVAL_FORMAT__UNMATCHED_FORMAT_STRING
                                          : LT_INVALID_INTERVAL_FORMAT__UNMATCHED_FORMAT_STRING_WITH_NOTICE,
                    place, "`%.*s` does not have the form '%s' of %s TO %s", (int)(bytes > 80 ? 80 : bytes), text, form,
                    unit_names[first], unit_names[last]);
}

static leat_status from_to_raise_range(const char *text, size_t bytes, const lt_place *place, leat_error *err) {
    return lt_raise(err, LT_INVALID_INTERVAL_FORMAT__INTERVAL_PARSING, place,
                    "a part of `%.*s` is too large for its unit or for an interval", (int)(bytes > 80 ? 80 : bytes),
                    text);
}

// [+-] and the parts from `first` to `last`; only the first part may pass its unit's range.
static leat_status from_to_parse(const char *text, size_t bytes, bool is_negative, lt_unit first, lt_unit last,
                                 const lt_place *place, lt_interval *out, leat_error *err) {
    static const int64_t limits[]     = {0, 11, 0, 23, 59, 59};
    static const int64_t us_of[]      = {0, 0, LT_US_PER_DAY, LT_US_PER_HOUR, LT_US_PER_MINUTE, LT_US_PER_SECOND};
    static const char    separators[] = {0, '-', 0, ' ', ':', ':'};
    number_scan          scan         = {text, text + bytes};
    lt_int128            total        = 0;
    bool                 is_in_range  = true;
    while (scan.at < scan.end && is_space(*scan.at)) scan.at++;
    while (scan.at < scan.end && is_space(scan.end[-1])) scan.end--;
    if (scan_char(&scan, '-'))
        is_negative = !is_negative;
    else
        (void)scan_char(&scan, '+');
    for (unsigned unit = first; unit <= last; unit++) {
        int64_t value = 0, fraction_us = 0;
        bool    is_good = unit == first || scan_char(&scan, separators[unit]);
        is_good         = is_good && scan_number(&scan, unit == first ? 18 : 2, &value);
        if (is_good && unit == LT_UNIT_SECOND && scan_char(&scan, '.')) is_good = scan_fraction(&scan, &fraction_us);
        if (!is_good) return from_to_raise_form(first, last, text, bytes, place, err);
        is_in_range = is_in_range && (unit == first || value <= limits[unit]);
        total += first <= LT_UNIT_MONTH ? (lt_int128)value * (unit == LT_UNIT_YEAR ? 12 : 1)
                                        : (lt_int128)value * us_of[unit] + fraction_us;
    }
    if (scan.at != scan.end) return from_to_raise_form(first, last, text, bytes, place, err);
    if (is_negative) total = -total;
    *out = (lt_interval){.unit_first = first, .unit_last = last};
    if (first <= LT_UNIT_MONTH) {
        out->kind   = LT_INTERVAL_YEAR_MONTH;
        out->months = (int32_t)total;
        is_in_range = is_in_range && out->months == total;
    } else {
        out->kind         = LT_INTERVAL_DAY_TIME;
        out->microseconds = (int64_t)total;
        is_in_range       = is_in_range && out->microseconds == total;
    }
    return is_in_range ? LEAT_OK : from_to_raise_range(text, bytes, place, err);
}

static leat_status from_to_literal(const lt_interval_part *part, const lt_place *place, lt_interval *out,
                                   leat_error *err) {
    lt_unit    first = LT_UNIT_DAY, last = LT_UNIT_DAY;
    const bool is_known = lt_unit_parse(part->unit, part->unit_bytes, &first) &&
                          lt_unit_parse(part->unit_last, part->unit_last_bytes, &last);
    if (!is_known || first >= last || (first <= LT_UNIT_MONTH) != (last <= LT_UNIT_MONTH))
        return lt_raise(err, LT_INVALID_INTERVAL_FORMAT__UNSUPPORTED_FROM_TO_EXPRESSION, place,
                        "no interval goes from %.*s to %.*s; write YEAR TO MONTH or two of DAY, HOUR, MINUTE, SECOND",
                        (int)part->unit_bytes, part->unit, (int)part->unit_last_bytes, part->unit_last);
    return from_to_parse(part->value, part->value_bytes, part->is_negative, first, last, place, out, err);
}

leat_status lt_interval_literal(const lt_interval_part *parts, size_t count, const lt_place *place, lt_interval *out,
                                leat_error *err) {
    if (count == 1 && parts[0].unit_last != NULL) return from_to_literal(&parts[0], place, out, err);
    const bool   is_text = count == 1 && parts[0].unit == NULL;
    char         text[INTERVAL_PARTS_TEXT_MAX];
    size_t       length = 0;
    units_result result;
    for (size_t i = 0; i < count; i++) {
        const lt_interval_part *part = &parts[i];
        if (part->value_bytes + part->unit_bytes + 4 > sizeof text - length)
            return lt_raise(err, LT_INVALID_INTERVAL_FORMAT__INTERVAL_PARSING, place,
                            "the interval's text is longer than %d bytes", INTERVAL_PARTS_TEXT_MAX);
        const char *value       = part->value;
        size_t      value_bytes = part->value_bytes;
        bool        is_negative = part->is_negative;
        if (!is_text) { // -'-2' days: two signs cancel out
            while (value_bytes > 0 && is_space(*value)) value++, value_bytes--;
            if (value_bytes > 0 && (*value == '-' || *value == '+')) {
                is_negative = is_negative != (*value == '-');
                value++;
                value_bytes--;
            }
        }
        if (i > 0) text[length++] = ' ';
        if (is_negative) text[length++] = '-';
        memcpy(text + length, value, value_bytes);
        length += value_bytes;
        if (part->unit != NULL) {
            text[length++] = ' ';
            memcpy(text + length, part->unit, part->unit_bytes);
            length += part->unit_bytes;
        }
    }
    const units_fault fault = units_parse(text, length, &result);
    if (fault != UNITS_GOOD) return units_raise(fault, is_text, text, length, place, err);
    return units_to_interval(&result, place, out, err);
}

// ---------------------------------------------------------------------------------------------------------------- CAST

// Takes INTERVAL '...' UNIT [TO UNIT] off; false when the text starts like a literal but is none of this type.
static bool literal_unwrap(const char **text, size_t *bytes, const lt_type *type, bool *out_is_negative) {
    const char *at = *text, *end = *text + *bytes;
    while (at < end && is_space(*at)) at++;
    while (at < end && is_space(end[-1])) end--;
    *text            = at;
    *bytes           = (size_t)(end - at);
    *out_is_negative = false;
    if (end - at < 9 || !word_equal(at, 8, "interval")) return true;
    at += 8;
    while (at < end && is_space(*at)) at++;
    if (at < end && (*at == '+' || *at == '-')) *out_is_negative = *at++ == '-';
    if (at == end || *at++ != '\'') return false;
    const char *close = memchr(at, '\'', (size_t)(end - at));
    if (close == NULL) return false;
    *text                = at;
    *bytes               = (size_t)(close - at);
    const char *names[3] = {unit_names[type->unit_first], "TO", unit_names[type->unit_last]};
    const int   count    = type->unit_first == type->unit_last ? 1 : 3;
    at                   = close + 1;
    for (int i = 0; i < count; i++) {
        if (at == end || !is_space(*at)) return false;
        while (at < end && is_space(*at)) at++;
        for (const char *name = names[i]; *name != '\0'; name++, at++)
            if (at == end || lower(*at) != lower(*name)) return false;
    }
    return at == end;
}

leat_status lt_interval_parse(const char *text, size_t bytes, const lt_type *type, const lt_place *place,
                              lt_interval *out, leat_error *err) {
    const char *value       = text;
    size_t      value_bytes = bytes;
    bool        is_negative = false;
    if (!literal_unwrap(&value, &value_bytes, type, &is_negative))
        return from_to_raise_form(type->unit_first, type->unit_last, text, bytes, place, err);
    return from_to_parse(value, value_bytes, is_negative, type->unit_first, type->unit_last, place, out, err);
}

// ------------------------------------------------------------------------------------------------------------ printing

static char *put_seconds(char *at, uint64_t us, bool is_two_digits) {
    const unsigned seconds  = (unsigned)(us / (uint64_t)LT_US_PER_SECOND);
    unsigned       fraction = (unsigned)(us % (uint64_t)LT_US_PER_SECOND), digits = 6;
    at += snprintf(at, 24, is_two_digits ? "%02u" : "%u", seconds);
    if (fraction == 0) return at;
    for (; fraction % 10 == 0; fraction /= 10) digits--;
    return at + snprintf(at, 16, ".%0*u", (int)digits, fraction);
}

size_t lt_interval_print_bare(const lt_type *type, int64_t value, char out[LT_INTERVAL_TEXT_BYTES]) {
    char    *at   = out;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0) *at++ = '-';
    if (type->kind == LT_INTERVAL_YEAR_MONTH) {
        if (type->unit_first == type->unit_last)
            at += snprintf(at, 24, "%llu", (unsigned long long)(type->unit_first == LT_UNIT_YEAR ? rest / 12 : rest));
        else
            at += snprintf(at, 48, "%llu-%llu", (unsigned long long)(rest / 12), (unsigned long long)(rest % 12));
        return (size_t)(at - out);
    }
    static const uint64_t us_of[] = {0, 0, LT_US_PER_DAY, LT_US_PER_HOUR, LT_US_PER_MINUTE, LT_US_PER_SECOND};
    for (unsigned unit = type->unit_first; unit <= type->unit_last; unit++) {
        const bool is_first = unit == type->unit_first;
        if (!is_first) *at++ = unit == LT_UNIT_HOUR ? ' ' : ':';
        if (unit == LT_UNIT_SECOND) {
            if (is_first) { // more than two digits are possible
                at += snprintf(at, 24, "%02llu", (unsigned long long)(rest / us_of[unit]));
                char  fraction[32];
                char *end = put_seconds(fraction, rest % us_of[unit], false);
                *end      = '\0';
                at += snprintf(at, 16, "%s", fraction + 1); // without its 0
            } else {
                at = put_seconds(at, rest, true);
            }
        } else {
            at += snprintf(at, 24, unit == LT_UNIT_DAY ? "%llu" : "%02llu", (unsigned long long)(rest / us_of[unit]));
            rest %= us_of[unit];
        }
    }
    *at = '\0';
    return (size_t)(at - out);
}

size_t lt_interval_print(const lt_type *type, int64_t value, char out[LT_INTERVAL_TEXT_BYTES]) {
    char bare[LT_INTERVAL_TEXT_BYTES];
    lt_interval_print_bare(type, value, bare);
    const bool is_single = type->unit_first == type->unit_last;
    const int  written =
        snprintf(out, LT_INTERVAL_TEXT_BYTES, "INTERVAL '%.60s' %s%s%s", bare, unit_names[type->unit_first],
                 is_single ? "" : " TO ", is_single ? "" : unit_names[type->unit_last]);
    return (size_t)written;
}

size_t lt_calendar_interval_print(const lt_calendar_interval *interval, char out[LT_INTERVAL_TEXT_BYTES]) {
    char         *at      = out;
    const int64_t us      = interval->microseconds;
    const int64_t parts[] = {interval->months / 12, interval->months % 12, interval->days, us / LT_US_PER_HOUR,
                             us % LT_US_PER_HOUR / LT_US_PER_MINUTE};
    static const char *const words[] = {"years", "months", "days", "hours", "minutes"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i] != 0) at += snprintf(at, 40, "%s%lld %s", at == out ? "" : " ", (long long)parts[i], words[i]);
    const int64_t seconds_us = us % LT_US_PER_MINUTE;
    if (seconds_us != 0 || at == out) {
        if (at != out) *at++ = ' ';
        if (seconds_us < 0) *at++ = '-';
        at = put_seconds(at, (uint64_t)(seconds_us < 0 ? -seconds_us : seconds_us), false);
        at += snprintf(at, 16, " seconds");
    }
    *at = '\0';
    return (size_t)(at - out);
}

// ---------------------------------------------------------------------------------------------------------- arithmetic

int64_t lt_interval_truncate(const lt_type *type, int64_t value) {
    static const int64_t sizes[] = {12, 1, LT_US_PER_DAY, LT_US_PER_HOUR, LT_US_PER_MINUTE, 1};
    const int64_t        size    = sizes[type->unit_last];
    return value - value % size;
}

bool lt_timestamp_add(const lt_time_zone *zone, int64_t us, int64_t months, int64_t days, int64_t microseconds,
                      int64_t *out_us) {
    if (months != 0 || days != 0) {
        const int64_t local = lt_time_zone_local_us(zone, us);
        const int64_t day   = lt_days_add_months(lt_floor_div(local, LT_US_PER_DAY), months) + days;
        if (!lt_interval_days_us(day, lt_floor_mod(local, LT_US_PER_DAY), &us) ||
            !lt_time_zone_utc_us_fits(zone, us, &us))
            return false;
    }
    return !__builtin_add_overflow(us, microseconds, out_us);
}

bool lt_round_to_int64(double value, int64_t *out) {
    const double rounded = round(value);
    if (!(rounded >= -9223372036854775808.0 && rounded < 9223372036854775808.0)) return false;
    *out = (int64_t)rounded;
    return true;
}
