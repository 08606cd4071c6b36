#include "base/datetime_pattern.h"

// A pattern becomes a flat list of elements. Parsing follows java.time's strict rules, which users know from Spark:
// a number of variable width that touches numbers of fixed width leaves them their digits ("yyyyMMdd"), a field given
// twice must agree, values out of range fail, and an optional section that does not fit is skipped as a whole.
//
// A pattern that only Spark 2's SimpleDateFormat would understand raises another condition than one that nobody
// understands; hence the check of its letters.

#include <stdio.h>

enum { PATTERN_BYTES_MAX = 1024, PATTERN_DEPTH_MAX = 16 };

typedef enum pattern_field {
    FIELD_ERA, // 0 BC, 1 AD
    FIELD_YEAR,
    FIELD_YEAR_OF_ERA,
    FIELD_MONTH,
    FIELD_DAY,
    FIELD_DAY_OF_YEAR,
    FIELD_AM_PM,      // 0, 1
    FIELD_HOUR,       // 0..23
    FIELD_CLOCK_HOUR, // 1..24
    FIELD_HALF_HOUR,  // 0..11
    FIELD_HALF_CLOCK, // 1..12
    FIELD_MINUTE,
    FIELD_SECOND,
    FIELD_MICROSECOND,
    FIELD_OFFSET, // seconds
    FIELD_PARSED_COUNT,
    FIELD_QUARTER = FIELD_PARSED_COUNT, // from here on: formatting only
    FIELD_WEEKDAY,
    FIELD_ALIGNED_DAY
} pattern_field;

typedef enum pattern_element_kind {
    ELEMENT_LITERAL,
    ELEMENT_NUMBER,
    ELEMENT_TEXT,
    ELEMENT_FRACTION,
    ELEMENT_ZONE_ID,
    ELEMENT_ZONE_NAME,
    ELEMENT_OFFSET,
    ELEMENT_OFFSET_NAME,
    ELEMENT_OPTIONAL_START,
    ELEMENT_OPTIONAL_END
} pattern_element_kind;

typedef enum number_style { NUMBER_NORMAL, NUMBER_NOT_NEGATIVE, NUMBER_EXCEEDS_PAD, NUMBER_REDUCED } number_style;

typedef struct pattern_element {
    pattern_element_kind kind;
    pattern_field        field;
    number_style         style;
    char                 literal;
    bool                 is_full; // text and names
    uint8_t              width_min, width_max;
    uint8_t              minutes, seconds; // offsets: 0 never, 1 if not zero, 2 always
    bool                 has_colon, has_z; // offsets
    uint16_t             following_digits; // numbers: what fixed numbers behind this one need
    uint16_t             end;              // optional start: index of its end
} pattern_element;

struct lt_datetime_pattern {
    pattern_element *elements;
    size_t           count;
    size_t           bytes_max; // of a text that is formatted
    int64_t          unit_us;   // instants of one such unit of the wall clock have the same text
};

static const char *const month_names[]   = {"January", "February", "March",     "April",   "May",      "June",
                                            "July",    "August",   "September", "October", "November", "December"};
static const char *const weekday_names[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                            "Friday", "Saturday", "Sunday"};
static const char *const quarter_names[] = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};

// ------------------------------------------------------------------------------------------------------------- compile

typedef enum pattern_fault {
    PATTERN_GOOD,
    PATTERN_WEEK_BASED,
    PATTERN_ILLEGAL,
    PATTERN_TOO_LONG,
    PATTERN_INVALID
} pattern_fault;

static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Whether Spark 2's SimpleDateFormat would take the pattern.
static bool legacy_knows(const char *pattern, size_t bytes) {
    bool is_quoted = false;
    for (size_t i = 0; i < bytes; i++) {
        if (pattern[i] == '\'') is_quoted = !is_quoted;
        if (is_quoted || !is_letter(pattern[i])) continue;
        if (strchr("GyYMLwWDdFEuaHkKhmsSzZX", pattern[i]) == NULL) return false;
        if (i + 3 < bytes && memcmp(pattern + i, "XXXX", 4) == 0) return false;
    }
    return !is_quoted;
}

static bool pattern_has_era(const char *pattern, size_t bytes) {
    bool is_quoted = false;
    for (size_t i = 0; i < bytes; i++) {
        if (pattern[i] == '\'') is_quoted = !is_quoted;
        if (!is_quoted && pattern[i] == 'G') return true;
    }
    return false;
}

// Letters that Spark refuses before it reads the pattern, part by part between the quotes.
static pattern_fault letters_check(const char *pattern, size_t bytes, lt_pattern_use use) {
    for (size_t start = 0, end; start < bytes; start = end + 1) {
        bool   is_week_based = false, is_illegal = false, is_too_long = false;
        size_t run = 0;
        for (end = start; end < bytes && pattern[end] != '\''; end++) {
            const char c  = pattern[end];
            is_week_based = is_week_based || (is_letter(c) && strchr("YWwuec", c) != NULL);
            is_illegal    = is_illegal || (is_letter(c) && strchr("ABnNp", c) != NULL) ||
                         (use == LT_PATTERN_PARSE && is_letter(c) && strchr("EFqQ", c) != NULL);
            run         = end > start && pattern[end - 1] == c ? run + 1 : 1;
            is_too_long = is_too_long || (run == 5 && strchr("GMLEQq", c) != NULL) || (run == 7 && c == 'y');
        }
        if (is_week_based) return PATTERN_WEEK_BASED;
        if (is_illegal) return PATTERN_ILLEGAL;
        if (is_too_long) return PATTERN_TOO_LONG;
        for (end++; end < bytes && pattern[end] != '\'';) end++; // the quoted part
    }
    return PATTERN_GOOD;
}

typedef struct letter_row { // letters that are plain numbers
    char          letter;
    pattern_field field;
    uint8_t       count_max;
} letter_row;
static const letter_row number_letters[] = {
    {'d', FIELD_DAY, 2},       {'H', FIELD_HOUR, 2},        {'k', FIELD_CLOCK_HOUR, 2},
    {'K', FIELD_HALF_HOUR, 2}, {'h', FIELD_HALF_CLOCK, 2},  {'m', FIELD_MINUTE, 2},
    {'s', FIELD_SECOND, 2},    {'D', FIELD_DAY_OF_YEAR, 3}, {'F', FIELD_ALIGNED_DAY, 1},
};

static void number_element(pattern_element *element, pattern_field field, size_t count) {
    element->kind      = ELEMENT_NUMBER;
    element->field     = field;
    element->style     = count == 1 ? NUMBER_NORMAL : NUMBER_NOT_NEGATIVE;
    element->width_min = (uint8_t)count;
    element->width_max = count == 1 ? 19 : field == FIELD_DAY_OF_YEAR ? 3 : (uint8_t)count;
}

static void text_element(pattern_element *element, pattern_field field, size_t count) {
    element->kind    = ELEMENT_TEXT;
    element->field   = field;
    element->is_full = count == 4;
}

static bool offset_element(pattern_element *element, char letter, size_t count) {
    element->kind = ELEMENT_OFFSET;
    if (letter == 'Z') {
        if (count == 4) {
            element->kind    = ELEMENT_OFFSET_NAME;
            element->is_full = true;
            return true;
        }
        element->minutes   = 2;
        element->seconds   = count == 5;
        element->has_colon = count == 5;
        element->has_z     = count == 5;
        return count <= 5;
    }
    element->has_z     = letter == 'X';
    element->minutes   = count == 1 ? 1 : 2;
    element->seconds   = count >= 4;
    element->has_colon = count == 3 || count == 5;
    return count <= 5;
}

// What a run of `count` equal letters means.
static pattern_fault letter_element(pattern_element *element, char letter, size_t count, lt_pattern_use use,
                                    bool has_era) {
    for (size_t i = 0; i < sizeof number_letters / sizeof number_letters[0]; i++) {
        if (number_letters[i].letter != letter) continue;
        if (count > number_letters[i].count_max) return PATTERN_INVALID;
        number_element(element, number_letters[i].field, count);
        return PATTERN_GOOD;
    }
    switch (letter) {
    case 'y':
        if (count > 6) return PATTERN_INVALID;
        number_element(element, has_era ? FIELD_YEAR_OF_ERA : FIELD_YEAR, count);
        element->style     = count == 2 ? NUMBER_REDUCED : count < 4 ? NUMBER_NORMAL : NUMBER_EXCEEDS_PAD;
        element->width_max = count == 2 ? 2 : 19;
        return PATTERN_GOOD;
    case 'M':
    case 'L':
    case 'Q':
    case 'q': {
        const pattern_field field = letter == 'M' || letter == 'L' ? FIELD_MONTH : FIELD_QUARTER;
        if (count > 4) return PATTERN_INVALID;
        if (count <= 2)
            number_element(element, field, count);
        else
            text_element(element, field, count);
        return PATTERN_GOOD;
    }
    case 'G':
    case 'E':
        if (count > 4) return PATTERN_INVALID;
        text_element(element, letter == 'G' ? FIELD_ERA : FIELD_WEEKDAY, count);
        return PATTERN_GOOD;
    case 'a':
        if (count > 1) return PATTERN_INVALID;
        text_element(element, FIELD_AM_PM, count);
        return PATTERN_GOOD;
    case 'S':
        if (count > 9) return PATTERN_INVALID;
        element->kind      = ELEMENT_FRACTION;
        element->field     = FIELD_MICROSECOND;
        element->width_min = use == LT_PATTERN_PARSE ? 1 : (uint8_t)count;
        element->width_max = (uint8_t)count;
        return PATTERN_GOOD;
    case 'V':
        element->kind = ELEMENT_ZONE_ID;
        return count == 2 ? PATTERN_GOOD : PATTERN_INVALID;
    case 'v': // the name of the zone's time without summer: that of z for the zones that have none
        if (count != 1 && count != 4) return PATTERN_INVALID;
        // fall through
    case 'z':
        element->kind    = ELEMENT_ZONE_NAME;
        element->is_full = count == 4;
        return count <= 4 ? PATTERN_GOOD : PATTERN_INVALID;
    case 'O':
        element->kind    = ELEMENT_OFFSET_NAME;
        element->is_full = count == 4;
        return count == 1 || count == 4 ? PATTERN_GOOD : PATTERN_INVALID;
    case 'X':
    case 'x':
    case 'Z':
        return offset_element(element, letter, count) ? PATTERN_GOOD : PATTERN_INVALID;
    default:
        return PATTERN_INVALID;
    }
}

// A number in front of numbers of fixed width leaves them their digits.
static void reserve_digits(lt_datetime_pattern *pattern) {
    size_t base = SIZE_MAX;
    for (size_t i = 0; i < pattern->count; i++) {
        pattern_element *element = &pattern->elements[i];
        if (element->kind != ELEMENT_NUMBER) {
            base = SIZE_MAX;
        } else if (base != SIZE_MAX && element->width_min == element->width_max &&
                   (element->style == NUMBER_NOT_NEGATIVE || element->style == NUMBER_REDUCED)) {
            pattern->elements[base].following_digits += element->width_max;
        } else {
            base = i;
        }
    }
}

static pattern_fault pattern_compile(lt_datetime_pattern *pattern, const char *text, size_t bytes, lt_pattern_use use) {
    const bool has_era = pattern_has_era(text, bytes);
    uint16_t   open[PATTERN_DEPTH_MAX];
    size_t     depth = 0;
    for (size_t i = 0; i < bytes;) {
        const char       c       = text[i];
        pattern_element *element = &pattern->elements[pattern->count];
        if (is_letter(c)) {
            size_t count = 1;
            while (i + count < bytes && text[i + count] == c) count++;
            i += count;
            const pattern_fault fault = letter_element(element, c, count, use, has_era);
            if (fault != PATTERN_GOOD) return fault;
            pattern->count++;
            continue;
        }
        i++;
        if (c == '\'') {
            const size_t start = i;
            for (;; i++) {
                if (i >= bytes) return PATTERN_INVALID; // the quote stays open
                if (text[i] != '\'') {
                    pattern->elements[pattern->count++].literal = text[i];
                } else if (i + 1 < bytes && text[i + 1] == '\'') {
                    pattern->elements[pattern->count++].literal = text[i++];
                } else {
                    break;
                }
            }
            if (i == start) pattern->elements[pattern->count++].literal = '\''; // '' outside of quotes
            i++;
        } else if (c == '[') {
            if (depth == PATTERN_DEPTH_MAX) return PATTERN_INVALID;
            open[depth++] = (uint16_t)pattern->count;
            element->kind = ELEMENT_OPTIONAL_START;
            pattern->count++;
        } else if (c == ']') {
            if (depth == 0) return PATTERN_INVALID;
            pattern->elements[open[--depth]].end = (uint16_t)pattern->count;
            element->kind                        = ELEMENT_OPTIONAL_END;
            pattern->count++;
        } else if (c == '{' || c == '}' || c == '#') {
            return PATTERN_INVALID;
        } else {
            element->literal = c;
            pattern->count++;
        }
    }
    while (depth > 0) {
        pattern->elements[open[--depth]].end     = (uint16_t)pattern->count;
        pattern->elements[pattern->count++].kind = ELEMENT_OPTIONAL_END;
    }
    reserve_digits(pattern);
    return PATTERN_GOOD;
}

enum { NUMBER_BYTES_MAX = 32, NAME_BYTES_MAX = 32 };

static size_t element_bytes_max(const pattern_element *element) {
    switch (element->kind) {
    case ELEMENT_LITERAL:
        return 1;
    case ELEMENT_ZONE_ID:
    case ELEMENT_ZONE_NAME:
        return LT_TIME_ZONE_ID_BYTES;
    default:
        return element->kind == ELEMENT_NUMBER ? NUMBER_BYTES_MAX : NAME_BYTES_MAX;
    }
}

// The offset from UTC and the zone's name count as constant: see lt_datetime_pattern_stretch.
static int64_t element_unit_us(const pattern_element *element) {
    if (element->kind != ELEMENT_NUMBER && element->kind != ELEMENT_TEXT && element->kind != ELEMENT_FRACTION)
        return LT_US_PER_DAY;
    switch (element->field) {
    case FIELD_AM_PM:
    case FIELD_HOUR:
    case FIELD_CLOCK_HOUR:
    case FIELD_HALF_HOUR:
    case FIELD_HALF_CLOCK:
        return LT_US_PER_HOUR;
    case FIELD_MINUTE:
        return LT_US_PER_MINUTE;
    case FIELD_SECOND:
        return LT_US_PER_SECOND;
    case FIELD_MICROSECOND:
        return 1;
    default:
        return LT_US_PER_DAY;
    }
}

static void pattern_measure(lt_datetime_pattern *pattern) {
    pattern->unit_us = LT_US_PER_DAY;
    for (size_t i = 0; i < pattern->count; i++) {
        const int64_t unit_us = element_unit_us(&pattern->elements[i]);
        pattern->bytes_max += element_bytes_max(&pattern->elements[i]);
        if (unit_us < pattern->unit_us) pattern->unit_us = unit_us;
    }
}

leat_status lt_datetime_pattern_compile(lt_arena *arena, const char *pattern, size_t bytes, lt_pattern_use use,
                                        const lt_place *place, const lt_datetime_pattern **out, leat_error *err) {
    const int            shown = (int)(bytes > 60 ? 60 : bytes);
    lt_datetime_pattern *made;
    if (bytes > PATTERN_BYTES_MAX)
        return lt_raise(err, LT_INVALID_DATETIME_PATTERN__WITH_SUGGESTION, place,
                        "the date pattern is longer than %d bytes", PATTERN_BYTES_MAX);
    LT_TRY_NEW(made, arena, err);
    LT_TRY_NEW_ARRAY(made->elements, arena, bytes + PATTERN_DEPTH_MAX + 1, err);
    pattern_fault fault = letters_check(pattern, bytes, use);
    if (fault == PATTERN_GOOD) fault = pattern_compile(made, pattern, bytes, use);
    pattern_measure(made);
    *out = made;
    if (fault == PATTERN_GOOD) return LEAT_OK;
    if (legacy_knows(pattern, bytes))
        return lt_raise(err, LT_INCONSISTENT_BEHAVIOR_CROSS_VERSION__DATETIME_PATTERN_RECOGNITION, place,
                        "the date pattern `%.*s` has letters, or too many of one, that only Spark 2 knew", shown,
                        pattern);
    if (fault == PATTERN_WEEK_BASED)
        return lt_raise(err, LT_INCONSISTENT_BEHAVIOR_CROSS_VERSION__DATETIME_WEEK_BASED_PATTERN, place,
                        "the date pattern `%.*s` counts in weeks; use extract(WEEK FROM ...) for that", shown, pattern);
    if (fault == PATTERN_ILLEGAL)
        return lt_raise(err, LT_INVALID_DATETIME_PATTERN__ILLEGAL_CHARACTER, place,
                        "the date pattern `%.*s` has a letter that is not allowed %s", shown, pattern,
                        use == LT_PATTERN_PARSE ? "when parsing" : "here");
    if (fault == PATTERN_TOO_LONG)
        return lt_raise(err, LT_INVALID_DATETIME_PATTERN__LENGTH, place,
                        "the date pattern `%.*s` repeats a letter too often", shown, pattern);
    return lt_raise(err, LT_INVALID_DATETIME_PATTERN__WITH_SUGGESTION, place,
                    "`%.*s` is no date pattern; write one like 'yyyy-MM-dd HH:mm:ss', text in quotes", shown, pattern);
}

// -------------------------------------------------------------------------------------------------------------- format

typedef struct zone_long_name {
    const char *abbreviation, *name;
} zone_long_name;
static const zone_long_name zone_long_names[] = {
    {"UTC", "Coordinated Universal Time"},
    {"GMT", "Greenwich Mean Time"},
    {"BST", "British Summer Time"},
    {"CET", "Central European Standard Time"},
    {"CEST", "Central European Summer Time"},
    {"EET", "Eastern European Standard Time"},
    {"EEST", "Eastern European Summer Time"},
    {"WET", "Western European Standard Time"},
    {"WEST", "Western European Summer Time"},
    {"EST", "Eastern Standard Time"},
    {"EDT", "Eastern Daylight Time"},
    {"CST", "Central Standard Time"},
    {"CDT", "Central Daylight Time"},
    {"MST", "Mountain Standard Time"},
    {"MDT", "Mountain Daylight Time"},
    {"PST", "Pacific Standard Time"},
    {"PDT", "Pacific Daylight Time"},
    {"JST", "Japan Standard Time"},
    {"IST", "India Standard Time"},
    {"AEST", "Australian Eastern Standard Time"},
    {"AEDT", "Australian Eastern Daylight Time"},
    {"NZST", "New Zealand Standard Time"},
    {"NZDT", "New Zealand Daylight Time"},
};

typedef struct format_value {
    const lt_time_zone *zone;
    int64_t             utc_seconds, days, us_of_day;
    lt_civil_date       civil;
    int32_t             offset_seconds;
} format_value;

static int64_t field_value(const format_value *value, pattern_field field) {
    const int64_t hour = value->us_of_day / LT_US_PER_HOUR;
    switch (field) {
    case FIELD_ERA:
        return value->civil.year > 0;
    case FIELD_YEAR:
        return value->civil.year;
    case FIELD_YEAR_OF_ERA:
        return value->civil.year > 0 ? value->civil.year : 1 - value->civil.year;
    case FIELD_MONTH:
        return value->civil.month;
    case FIELD_DAY:
        return value->civil.day;
    case FIELD_DAY_OF_YEAR:
        return lt_day_of_year(value->days);
    case FIELD_AM_PM:
        return hour / 12;
    case FIELD_HOUR:
        return hour;
    case FIELD_CLOCK_HOUR:
        return hour == 0 ? 24 : hour;
    case FIELD_HALF_HOUR:
        return hour % 12;
    case FIELD_HALF_CLOCK:
        return hour % 12 == 0 ? 12 : hour % 12;
    case FIELD_MINUTE:
        return value->us_of_day / LT_US_PER_MINUTE % 60;
    case FIELD_SECOND:
        return value->us_of_day / LT_US_PER_SECOND % 60;
    case FIELD_MICROSECOND:
        return value->us_of_day % LT_US_PER_SECOND;
    case FIELD_OFFSET:
        return value->offset_seconds;
    case FIELD_QUARTER:
        return (value->civil.month - 1) / 3 + 1;
    case FIELD_WEEKDAY:
        return lt_iso_weekday(value->days);
    case FIELD_ALIGNED_DAY:
        return (value->civil.day - 1) % 7 + 1;
    }
    return 0;
}

// Behind the text, where there is room (bytes_max).
static void put(lt_buffer *out, const char *text, size_t bytes) {
    memcpy(out->data + out->bytes, text, bytes);
    out->bytes += bytes;
}

// Digits are put by hand: this runs several times a row.
static void format_number(const pattern_element *element, int64_t number, lt_buffer *out) {
    char  text[NUMBER_BYTES_MAX];
    char *at = text + sizeof text, *const end = at;
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (element->style == NUMBER_REDUCED) size %= 100;
    do {
        *--at = (char)('0' + size % 10);
        size /= 10;
    } while (size != 0);
    while (end - at < element->width_min) *--at = '0';
    if (element->style != NUMBER_REDUCED && number < 0)
        *--at = '-';
    else if (element->style == NUMBER_EXCEEDS_PAD && end - at > element->width_min)
        *--at = '+';
    put(out, at, (size_t)(end - at));
}

static leat_status format_text(const pattern_element *element, int64_t number, lt_buffer *out, leat_error *err) {
    const char *text = "";
    switch (element->field) {
    case FIELD_ERA:
        text = element->is_full ? (number == 0 ? "Before Christ" : "Anno Domini") : number == 0 ? "BC" : "AD";
        return lt_buffer_append_text(out, text, err);
    case FIELD_AM_PM:
        return lt_buffer_append_text(out, number == 0 ? "AM" : "PM", err);
    case FIELD_QUARTER:
        if (!element->is_full) return lt_buffer_format(out, err, "Q%d", (int)number);
        return lt_buffer_append_text(out, quarter_names[number - 1], err);
    case FIELD_WEEKDAY:
        text = weekday_names[number - 1];
        break;
    case FIELD_MONTH:
        text = month_names[number - 1];
        break;
    default:
        break;
    }
    return lt_buffer_append(out, text, element->is_full ? strlen(text) : 3, err);
}

static leat_status format_offset(const pattern_element *element, int32_t offset, lt_buffer *out, leat_error *err) {
    const int   size    = offset < 0 ? -offset : offset;
    const int   minutes = size / 60 % 60, seconds = size % 60;
    const char *colon = element->has_colon ? ":" : "";
    if (size == 0 && element->has_z) return lt_buffer_append_byte(out, 'Z', err);
    LT_TRY(lt_buffer_format(out, err, "%c%02d", offset < 0 ? '-' : '+', size / 3600));
    if (element->minutes == 2 || (element->minutes == 1 && minutes != 0))
        LT_TRY(lt_buffer_format(out, err, "%s%02d", colon, minutes));
    if (element->seconds != 0 && seconds != 0) LT_TRY(lt_buffer_format(out, err, "%s%02d", colon, seconds));
    return LEAT_OK;
}

static leat_status format_offset_name(const pattern_element *element, int32_t offset, lt_buffer *out, leat_error *err) {
    const int size    = offset < 0 ? -offset : offset;
    const int minutes = size / 60 % 60, seconds = size % 60;
    LT_TRY(lt_buffer_append_text(out, "GMT", err));
    if (size == 0) return LEAT_OK;
    LT_TRY(lt_buffer_format(out, err, element->is_full ? "%c%02d" : "%c%d", offset < 0 ? '-' : '+', size / 3600));
    if (element->is_full || minutes != 0 || seconds != 0) LT_TRY(lt_buffer_format(out, err, ":%02d", minutes));
    return seconds == 0 ? LEAT_OK : lt_buffer_format(out, err, ":%02d", seconds);
}

static leat_status format_zone_name(const pattern_element *element, const format_value *value, lt_buffer *out,
                                    leat_error *err) {
    bool        is_dst;
    const char *name = lt_time_zone_abbreviation(value->zone, value->utc_seconds, &is_dst);
    if (name == NULL) name = value->zone->id;
    for (size_t i = 0; element->is_full && i < sizeof zone_long_names / sizeof zone_long_names[0]; i++)
        if (strcmp(zone_long_names[i].abbreviation, name) == 0)
            return lt_buffer_append_text(out, zone_long_names[i].name, err);
    return lt_buffer_append_text(out, name, err);
}

static void format_fraction(const pattern_element *element, int64_t us, lt_buffer *out) {
    char digits[] = "000000000";
    for (size_t i = 6; i > 0; us /= 10) digits[--i] = (char)('0' + us % 10);
    put(out, digits, element->width_max);
}

static bool element_is_time(const pattern_element *element) {
    switch (element->kind) {
    case ELEMENT_LITERAL:
    case ELEMENT_OPTIONAL_END:
        return true;
    case ELEMENT_NUMBER:
    case ELEMENT_TEXT:
    case ELEMENT_FRACTION:
        return element->field >= FIELD_AM_PM && element->field <= FIELD_MICROSECOND;
    default:
        return false;
    }
}

bool lt_datetime_pattern_is_time(const lt_datetime_pattern *pattern) {
    for (size_t i = 0; i < pattern->count; i++) {
        const pattern_element *element = &pattern->elements[i];
        if (element->kind == ELEMENT_OPTIONAL_START)
            i = element->end;
        else if (!element_is_time(element))
            return false;
    }
    return true;
}

leat_status lt_datetime_pattern_format(const lt_datetime_pattern *pattern, const lt_time_zone *zone, int64_t us,
                                       lt_buffer *out, leat_error *err) {
    const int64_t local  = lt_time_zone_local_us(zone, us);
    format_value  value  = {.zone = zone, .utc_seconds = lt_floor_div(us, LT_US_PER_SECOND)};
    value.days           = lt_floor_div(local, LT_US_PER_DAY);
    value.us_of_day      = lt_floor_mod(local, LT_US_PER_DAY);
    value.civil          = lt_civil_from_days(value.days);
    value.offset_seconds = lt_time_zone_offset(zone, value.utc_seconds);
    LT_TRY(lt_buffer_reserve(out, pattern->bytes_max, err));
    for (size_t i = 0; i < pattern->count; i++) {
        const pattern_element *element = &pattern->elements[i];
        const int64_t          number  = field_value(&value, element->field);
        switch (element->kind) {
        case ELEMENT_LITERAL:
            put(out, &element->literal, 1);
            break;
        case ELEMENT_NUMBER:
            format_number(element, number, out);
            break;
        case ELEMENT_TEXT:
            LT_TRY(format_text(element, number, out, err));
            break;
        case ELEMENT_FRACTION:
            format_fraction(element, number, out);
            break;
        case ELEMENT_ZONE_ID:
            LT_TRY(lt_buffer_append_text(out, zone->id, err));
            break;
        case ELEMENT_ZONE_NAME:
            LT_TRY(format_zone_name(element, &value, out, err));
            break;
        case ELEMENT_OFFSET:
            LT_TRY(format_offset(element, value.offset_seconds, out, err));
            break;
        case ELEMENT_OFFSET_NAME:
            LT_TRY(format_offset_name(element, value.offset_seconds, out, err));
            break;
        case ELEMENT_OPTIONAL_START:
        case ELEMENT_OPTIONAL_END:
            break;
        }
    }
    out->data[out->bytes] = '\0';
    return LEAT_OK;
}

// An instant so early or late that its wall clock has no room stands alone.
void lt_datetime_pattern_stretch(const lt_datetime_pattern *pattern, const lt_time_zone *zone, int64_t us,
                                 int64_t *out_first_us, int64_t *out_last_us) {
    const int64_t local_us = lt_time_zone_local_us(zone, us), into_us = lt_floor_mod(local_us, pattern->unit_us);
    int64_t       first_seconds, last_seconds, first_us, last_us;
    lt_time_zone_stretch(zone, lt_floor_div(us, LT_US_PER_SECOND), &first_seconds, &last_seconds);
    if (local_us == INT64_MIN || local_us == INT64_MAX || __builtin_sub_overflow(us, into_us, out_first_us) ||
        __builtin_add_overflow(*out_first_us, pattern->unit_us - 1, out_last_us)) {
        *out_first_us = *out_last_us = us;
        return;
    }
    if (!__builtin_mul_overflow(first_seconds, LT_US_PER_SECOND, &first_us) && first_us > *out_first_us)
        *out_first_us = first_us;
    if (!__builtin_mul_overflow(last_seconds, LT_US_PER_SECOND, &last_us) && // and the parts of that second
        !__builtin_add_overflow(last_us, LT_US_PER_SECOND - 1, &last_us) && last_us < *out_last_us)
        *out_last_us = last_us;
}

// --------------------------------------------------------------------------------------------------------------- parse

typedef struct parse_state {
    const char *at, *end;
    int64_t     values[FIELD_PARSED_COUNT];
    uint32_t    present; // bits by field
    const char *zone;
    size_t      zone_bytes;
} parse_state;

static bool    state_has(const parse_state *state, pattern_field field) { return (state->present >> field & 1) != 0; }
static int64_t state_value(const parse_state *state, pattern_field field, int64_t absent) {
    return state_has(state, field) ? state->values[field] : absent;
}
static bool state_set(parse_state *state, pattern_field field, int64_t value) {
    if (state_has(state, field)) return state->values[field] == value;
    state->present |= 1u << field;
    state->values[field] = value;
    return true;
}

static bool is_digit_at(const parse_state *state, size_t index) {
    return index < (size_t)(state->end - state->at) && state->at[index] >= '0' && state->at[index] <= '9';
}

static bool parse_number(const pattern_element *element, parse_state *state) {
    bool is_negative = false, is_positive = false;
    if (state->at < state->end && (*state->at == '-' || *state->at == '+')) {
        is_negative = *state->at == '-';
        is_positive = !is_negative;
        if (element->style == NUMBER_NOT_NEGATIVE || element->style == NUMBER_REDUCED) return false;
        if (element->style == NUMBER_NORMAL && is_positive) return false;
        state->at++;
    }
    size_t       digits = 0;
    const size_t most   = (size_t)element->width_max + element->following_digits;
    while (digits < most && is_digit_at(state, digits)) digits++;
    if (element->following_digits > 0) {
        digits = digits > element->following_digits ? digits - element->following_digits : 0;
        if (digits < element->width_min) digits = element->width_min;
    }
    if (digits < element->width_min || digits > 18) return false;
    int64_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!is_digit_at(state, i)) return false;
        value = value * 10 + (state->at[i] - '0');
    }
    if (element->style == NUMBER_EXCEEDS_PAD && !is_negative && (digits > element->width_min) != is_positive)
        return false;
    if (element->style == NUMBER_REDUCED) value += 2000;
    state->at += digits;
    return state_set(state, element->field, is_negative ? -value : value);
}

static bool take_text(parse_state *state, const char *text, size_t bytes) {
    if ((size_t)(state->end - state->at) < bytes) return false;
    for (size_t i = 0; i < bytes; i++) {
        const char a = state->at[i], b = text[i];
        if (a != b && !(is_letter(a) && is_letter(b) && (a | 0x20) == (b | 0x20))) return false;
    }
    state->at += bytes;
    return true;
}

static bool parse_text(const pattern_element *element, parse_state *state) {
    static const char *const eras[]      = {"BC", "AD"};
    static const char *const full_eras[] = {"Before Christ", "Anno Domini"};
    static const char *const halves[]    = {"AM", "PM"};
    const char *const       *names       = element->field == FIELD_ERA ? (element->is_full ? full_eras : eras) : halves;
    size_t                   count = 2, first = 0;
    if (element->field == FIELD_MONTH) {
        names = month_names;
        count = 12;
        first = 1;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = element->field == FIELD_MONTH && !element->is_full ? 3 : strlen(names[i]);
        if (take_text(state, names[i], bytes)) return state_set(state, element->field, (int64_t)(i + first));
    }
    return false;
}

static bool parse_fraction(const pattern_element *element, parse_state *state) {
    int64_t us = 0, scale = LT_US_PER_SECOND / 10;
    size_t  digits = 0;
    for (; digits < element->width_max && is_digit_at(state, digits); digits++, scale /= 10)
        us += (state->at[digits] - '0') * scale;
    state->at += digits;
    return digits >= element->width_min && state_set(state, FIELD_MICROSECOND, us);
}

static bool take_two_digits(parse_state *state, int64_t max, int64_t *out) {
    if (!is_digit_at(state, 0) || !is_digit_at(state, 1)) return false;
    *out = (state->at[0] - '0') * 10 + (state->at[1] - '0');
    state->at += 2;
    return *out <= max;
}

static bool parse_offset(const pattern_element *element, parse_state *state) {
    if (element->has_z && take_text(state, "Z", 1)) return state_set(state, FIELD_OFFSET, 0);
    if (state->at == state->end || (*state->at != '+' && *state->at != '-')) return false;
    const bool is_negative = *state->at++ == '-';
    int64_t    hours = 0, minutes = 0, seconds = 0;
    if (!take_two_digits(state, 18, &hours)) return false;
    parse_state before  = *state;
    bool        is_good = (!element->has_colon || take_text(state, ":", 1)) && take_two_digits(state, 59, &minutes);
    if (!is_good) {
        if (element->minutes == 2) return false;
        *state  = before;
        minutes = 0;
    } else if (element->seconds != 0) {
        before  = *state;
        is_good = (!element->has_colon || take_text(state, ":", 1)) && take_two_digits(state, 59, &seconds);
        if (!is_good) {
            *state  = before;
            seconds = 0;
        }
    }
    const int64_t offset = hours * 3600 + minutes * 60 + seconds;
    return offset <= 18 * 3600 && state_set(state, FIELD_OFFSET, is_negative ? -offset : offset);
}

static bool parse_offset_name(parse_state *state) {
    if (!take_text(state, "GMT", 3)) return false;
    if (state->at == state->end || (*state->at != '+' && *state->at != '-')) return state_set(state, FIELD_OFFSET, 0);
    const bool is_negative = *state->at++ == '-';
    int64_t    hours = 0, minutes = 0;
    if (!is_digit_at(state, 0)) return false;
    hours = *state->at++ - '0';
    if (is_digit_at(state, 0)) hours = hours * 10 + (*state->at++ - '0');
    if (take_text(state, ":", 1) && !take_two_digits(state, 59, &minutes)) return false;
    const int64_t offset = hours * 3600 + minutes * 60;
    return offset <= 18 * 3600 && state_set(state, FIELD_OFFSET, is_negative ? -offset : offset);
}

// An id is taken as far as its characters go; whether it is one is judged at the end.
static bool parse_zone_id(parse_state *state) {
    const char *start = state->at;
    while (state->at < state->end) {
        const char c = *state->at;
        if (!is_letter(c) && !(c >= '0' && c <= '9') && strchr("_/+-:", c) == NULL) break;
        state->at++;
    }
    if (state->at == start) return false;
    state->zone       = start;
    state->zone_bytes = (size_t)(state->at - start);
    return true;
}

static bool parse_element(const pattern_element *element, parse_state *state) {
    switch (element->kind) {
    case ELEMENT_LITERAL:
        return take_text(state, &element->literal, 1);
    case ELEMENT_NUMBER:
        return parse_number(element, state);
    case ELEMENT_TEXT:
        return parse_text(element, state);
    case ELEMENT_FRACTION:
        return parse_fraction(element, state);
    case ELEMENT_ZONE_ID:
    case ELEMENT_ZONE_NAME:
        return parse_zone_id(state);
    case ELEMENT_OFFSET:
        return parse_offset(element, state);
    case ELEMENT_OFFSET_NAME:
        return parse_offset_name(state);
    case ELEMENT_OPTIONAL_START:
    case ELEMENT_OPTIONAL_END:
        break;
    }
    return true;
}

static bool resolve_days(const parse_state *state, int64_t *out_days) {
    int64_t year = state_value(state, FIELD_YEAR, 1970);
    if (state_has(state, FIELD_YEAR_OF_ERA) && state_has(state, FIELD_ERA)) {
        year = state_value(state, FIELD_YEAR_OF_ERA, 1);
        if (year < 1) return false;
        if (state_value(state, FIELD_ERA, 1) == 0) year = 1 - year;
    }
    if (year < -999999999 || year > 999999999) return false;
    if (state_has(state, FIELD_DAY_OF_YEAR) && !state_has(state, FIELD_MONTH)) {
        const int64_t day = state_value(state, FIELD_DAY_OF_YEAR, 1);
        *out_days         = lt_days_from_civil(year, 1, 1) + day - 1;
        return day >= 1 && day <= (lt_is_leap_year(year) ? 366 : 365);
    }
    const int64_t month = state_value(state, FIELD_MONTH, 1), day = state_value(state, FIELD_DAY, 1);
    if (!lt_civil_is_valid(year, month, day)) return false;
    *out_days = lt_days_from_civil(year, (int32_t)month, (int32_t)day);
    return !state_has(state, FIELD_DAY_OF_YEAR) ||
           lt_day_of_year(*out_days) == state_value(state, FIELD_DAY_OF_YEAR, 1);
}

static bool in_range(const parse_state *state, pattern_field field, int64_t low, int64_t high) {
    return !state_has(state, field) || (state->values[field] >= low && state->values[field] <= high);
}

static bool resolve_time(const parse_state *state, int64_t *out_us) {
    if (!in_range(state, FIELD_HOUR, 0, 23) || !in_range(state, FIELD_CLOCK_HOUR, 1, 24) ||
        !in_range(state, FIELD_HALF_HOUR, 0, 11) || !in_range(state, FIELD_HALF_CLOCK, 1, 12) ||
        !in_range(state, FIELD_MINUTE, 0, 59) || !in_range(state, FIELD_SECOND, 0, 59))
        return false;
    int64_t hour = 0;
    if (state_has(state, FIELD_HOUR))
        hour = state->values[FIELD_HOUR];
    else if (state_has(state, FIELD_CLOCK_HOUR))
        hour = state->values[FIELD_CLOCK_HOUR] % 24;
    else
        hour = (state_has(state, FIELD_HALF_HOUR) ? state->values[FIELD_HALF_HOUR]
                                                  : state_value(state, FIELD_HALF_CLOCK, 0) % 12) +
               12 * state_value(state, FIELD_AM_PM, 0);
    if (state_has(state, FIELD_AM_PM) && hour / 12 != state->values[FIELD_AM_PM]) return false;
    *out_us = hour * LT_US_PER_HOUR + state_value(state, FIELD_MINUTE, 0) * LT_US_PER_MINUTE +
              state_value(state, FIELD_SECOND, 0) * LT_US_PER_SECOND + state_value(state, FIELD_MICROSECOND, 0);
    return true;
}

static bool resolve(const parse_state *state, const lt_datetime_context *context, lt_datetime_parsed *out) {
    const uint32_t date_fields = (1u << FIELD_AM_PM) - 1;
    const uint32_t time_fields = ((1u << FIELD_OFFSET) - 1) & ~date_fields;
    int64_t        days = 0, time_us = 0;
    lt_time_zone   own = {.rules = NULL};
    *out               = (lt_datetime_parsed){.has_date = (state->present & date_fields) != 0,
                                              .has_time = (state->present & time_fields) != 0};
    if (!resolve_days(state, &days) || !resolve_time(state, &time_us)) return false;
    if (__builtin_mul_overflow(days, LT_US_PER_DAY, &out->local_us) ||
        __builtin_add_overflow(out->local_us, time_us, &out->local_us))
        return false;
    if (state_has(state, FIELD_OFFSET)) {
        out->has_zone      = true;
        own.offset_seconds = (int32_t)state->values[FIELD_OFFSET];
    } else if (state->zone != NULL) {
        out->has_zone = true;
        if (lt_time_zone_find(context->zones, state->zone, state->zone_bytes, &own, NULL) != LEAT_OK) return false;
    }
    return lt_time_zone_utc_us_fits(out->has_zone ? &own : &context->zone, out->local_us, &out->utc_us);
}

bool lt_datetime_pattern_parse(const lt_datetime_pattern *pattern, const lt_datetime_context *context, const char *text,
                               size_t bytes, lt_datetime_parsed *out) {
    parse_state state = {.at = text, .end = text + bytes};
    parse_state saved[PATTERN_DEPTH_MAX];
    size_t      starts[PATTERN_DEPTH_MAX], depth = 0;
    for (size_t i = 0; i < pattern->count; i++) {
        const pattern_element *element = &pattern->elements[i];
        if (element->kind == ELEMENT_OPTIONAL_START) {
            starts[depth]  = i;
            saved[depth++] = state;
        } else if (element->kind == ELEMENT_OPTIONAL_END) {
            depth--;
        } else if (!parse_element(element, &state)) {
            if (depth == 0) return false;
            state = saved[--depth]; // the section is left out
            i     = pattern->elements[starts[depth]].end;
        }
    }
    return state.at == state.end && resolve(&state, context, out);
}
