#include "base/time_zone.h"

// A zone file is TZif (RFC 8536): version 2 data with 64-bit transitions, and a POSIX TZ footer that goes on for ever
// after the last one. Rules are read once and kept in a list; a session meets a handful of zones.
//
// Packagers differ in which links they follow before 1970; the table of aliases makes old times the same everywhere.
// Source of ids: java.time.ZoneId and its SHORT_IDS, which Spark uses.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ZONE_FILE_BYTES_MAX = 1024 * 1024, ZONE_TRANSITIONS_MAX = 65536, ZONE_OFFSET_SECONDS_MAX = 18 * 3600 };

typedef struct zone_kind { // a local time type
    int32_t offset_seconds;
    bool    is_dst;
    char    abbreviation[8];
} zone_kind;

typedef enum zone_day_form { ZONE_DAY_MONTH_WEEK, ZONE_DAY_JULIAN, ZONE_DAY_ZERO_BASED } zone_day_form;
typedef struct zone_day { // a date and time of the year in a POSIX rule
    zone_day_form form;
    int32_t       month, week, day; // day of the week (0 = Sunday) or of the year
    int32_t       seconds;
} zone_day;

struct lt_zone_rules {
    lt_zone_rules *next;
    char           name[LT_TIME_ZONE_ID_BYTES];
    size_t         block_bytes; // of this and its arrays
    uint32_t       transition_count, kind_count;
    int64_t       *transitions; // UTC seconds, ascending
    uint8_t       *transition_kinds;
    zone_kind     *kinds; // kinds[0] holds before the first transition
    bool           has_footer, has_footer_dst;
    zone_kind      standard, daylight; // of the footer
    zone_day       daylight_start, daylight_end;
};

struct lt_time_zones {
    lt_account       *account; // borrows
    lt_time_zone_read read;
    void             *user;
    struct zone_cache {
        _Atomic(lt_zone_rules *) first;  // rules never change once they stand here
        pthread_mutex_t          adding; // held by whoever puts one in front
    } * cache;                           // apart, so that finding a zone through a const handle may fill it
};

typedef struct zone_alias {
    const char *name, *target;
} zone_alias;

static const zone_alias aliases[] = {
    // java.time.ZoneId.SHORT_IDS
    {"ACT", "Australia/Darwin"},
    {"AET", "Australia/Sydney"},
    {"AGT", "America/Argentina/Buenos_Aires"},
    {"ART", "Africa/Cairo"},
    {"AST", "America/Anchorage"},
    {"BET", "America/Sao_Paulo"},
    {"BST", "Asia/Dhaka"},
    {"CAT", "Africa/Harare"},
    {"CNT", "America/St_Johns"},
    {"CST", "America/Chicago"},
    {"CTT", "Asia/Shanghai"},
    {"EAT", "Africa/Addis_Ababa"},
    {"ECT", "Europe/Paris"},
    {"EST", "-05:00"},
    {"HST", "-10:00"},
    {"IET", "America/Indiana/Indianapolis"},
    {"IST", "Asia/Kolkata"},
    {"JST", "Asia/Tokyo"},
    {"MIT", "Pacific/Apia"},
    {"MST", "-07:00"},
    {"NET", "Asia/Yerevan"},
    {"NST", "Pacific/Auckland"},
    {"PLT", "Asia/Karachi"},
    {"PNT", "America/Phoenix"},
    {"PRT", "America/Puerto_Rico"},
    {"PST", "America/Los_Angeles"},
    {"SST", "Pacific/Guadalcanal"},
    {"VST", "Asia/Ho_Chi_Minh"},
    // Ids that some systems leave out.
    {"CET", "Europe/Brussels"},
    {"MET", "Europe/Brussels"},
    {"EET", "Europe/Athens"},
    {"WET", "Europe/Lisbon"},
    {"EST5EDT", "America/New_York"},
    {"CST6CDT", "America/Chicago"},
    {"MST7MDT", "America/Denver"},
    {"PST8PDT", "America/Los_Angeles"},
    {"US/Eastern", "America/New_York"},
    {"US/Central", "America/Chicago"},
    {"US/Mountain", "America/Denver"},
    {"US/Pacific", "America/Los_Angeles"},
    {"US/Alaska", "America/Anchorage"},
    {"US/Hawaii", "Pacific/Honolulu"},
    {"US/Arizona", "America/Phoenix"},
    {"Asia/Calcutta", "Asia/Kolkata"},
    {"Asia/Saigon", "Asia/Ho_Chi_Minh"},
    {"Asia/Katmandu", "Asia/Kathmandu"},
    {"Asia/Rangoon", "Asia/Yangon"},
    {"Europe/Kiev", "Europe/Kyiv"},
    {"America/Buenos_Aires", "America/Argentina/Buenos_Aires"},
    {"America/Indianapolis", "America/Indiana/Indianapolis"},
    {"Japan", "Asia/Tokyo"},
    {"PRC", "Asia/Shanghai"},
    {"ROK", "Asia/Seoul"},
    {"Singapore", "Asia/Singapore"},
    {"Hongkong", "Asia/Hong_Kong"},
    {"GB", "Europe/London"},
    {"Eire", "Europe/Dublin"},
    {"Poland", "Europe/Warsaw"},
    {"Turkey", "Europe/Istanbul"},
    {"Israel", "Asia/Jerusalem"},
    {"Egypt", "Africa/Cairo"},
    {"Iran", "Asia/Tehran"},
    {"NZ", "Pacific/Auckland"},
    // tz's backward links of zones that agree since 1970.
    {"Europe/Amsterdam", "Europe/Brussels"},
    {"Europe/Copenhagen", "Europe/Berlin"},
    {"Europe/Oslo", "Europe/Berlin"},
    {"Europe/Stockholm", "Europe/Berlin"},
    {"Europe/Luxembourg", "Europe/Brussels"},
    {"Europe/Monaco", "Europe/Paris"},
    {"Europe/Vaduz", "Europe/Zurich"},
    {"Arctic/Longyearbyen", "Europe/Berlin"},
    {"Atlantic/Reykjavik", "Africa/Abidjan"},
    {"Iceland", "Africa/Abidjan"},
    {"Asia/Kuala_Lumpur", "Asia/Singapore"},
    {"Asia/Brunei", "Asia/Kuching"},
    {"Asia/Muscat", "Asia/Dubai"},
    {"Asia/Kuwait", "Asia/Riyadh"},
    {"Asia/Aden", "Asia/Riyadh"},
    {"Asia/Bahrain", "Asia/Qatar"},
    {"Asia/Phnom_Penh", "Asia/Bangkok"},
    {"Asia/Vientiane", "Asia/Bangkok"},
    {"America/Montreal", "America/Toronto"},
    {"Africa/Accra", "Africa/Abidjan"},
    {"Africa/Dakar", "Africa/Abidjan"},
    {"Africa/Addis_Ababa", "Africa/Nairobi"},
    {"Africa/Dar_es_Salaam", "Africa/Nairobi"},
    {"Africa/Kampala", "Africa/Nairobi"},
    {"Africa/Harare", "Africa/Maputo"},
    {"Africa/Lusaka", "Africa/Maputo"},
    {"Africa/Luanda", "Africa/Lagos"},
    {"Africa/Kinshasa", "Africa/Lagos"},
};

static const char *alias_target(const char *id) {
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].name, id) == 0) return aliases[i].target;
    return id;
}

// ---------------------------------------------------------------------------------------------------------------- TZif

static uint32_t bytes_u32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static int64_t bytes_i64(const uint8_t *at) { return (int64_t)((uint64_t)bytes_u32(at) << 32 | bytes_u32(at + 4)); }

typedef struct tzif_header {
    uint8_t  version;
    uint32_t isut_count, isstd_count, leap_count, time_count, type_count, char_count;
} tzif_header;

static bool tzif_read_header(const uint8_t *at, size_t remaining, tzif_header *out) {
    if (remaining < 44 || memcmp(at, "TZif", 4) != 0) return false;
    out->version     = at[4];
    out->isut_count  = bytes_u32(at + 20);
    out->isstd_count = bytes_u32(at + 24);
    out->leap_count  = bytes_u32(at + 28);
    out->time_count  = bytes_u32(at + 32);
    out->type_count  = bytes_u32(at + 36);
    out->char_count  = bytes_u32(at + 40);
    return out->time_count <= ZONE_TRANSITIONS_MAX && out->type_count >= 1 && out->type_count <= 256 &&
           out->char_count <= 4096 && out->leap_count <= 4096 && out->isut_count <= 256 && out->isstd_count <= 256;
}
static size_t tzif_data_bytes(const tzif_header *header, size_t time_bytes) {
    return header->time_count * (time_bytes + 1) + header->type_count * (size_t)6 + header->char_count +
           header->leap_count * (time_bytes + 4) + header->isstd_count + header->isut_count;
}

static void abbreviation_copy(char out[8], const char *from, size_t bytes) {
    if (bytes > 7) bytes = 7;
    memcpy(out, from, bytes);
    out[bytes] = '\0';
}

// ---------------------------------------------------------------------------------------------------- POSIX TZ footer

typedef struct posix_text {
    const char *at, *end;
} posix_text;

static bool posix_number(posix_text *text, int32_t max, int32_t *out) {
    int32_t value = 0;
    if (text->at == text->end || *text->at < '0' || *text->at > '9') return false;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
        value = value * 10 + (*text->at++ - '0');
        if (value > max) return false;
    }
    *out = value;
    return true;
}
static bool posix_take(posix_text *text, char c) {
    if (text->at == text->end || *text->at != c) return false;
    text->at++;
    return true;
}
static bool posix_name(posix_text *text, char out[8]) {
    const char *start;
    if (posix_take(text, '<')) {
        start = text->at;
        while (text->at < text->end && *text->at != '>') text->at++;
        abbreviation_copy(out, start, (size_t)(text->at - start));
        return posix_take(text, '>');
    }
    start = text->at;
    while (text->at < text->end && ((*text->at >= 'A' && *text->at <= 'Z') || (*text->at >= 'a' && *text->at <= 'z')))
        text->at++;
    abbreviation_copy(out, start, (size_t)(text->at - start));
    return text->at - start >= 3;
}
static bool posix_time(posix_text *text, int32_t *out_seconds) { // [+-]h[:m[:s]], hours to 167
    int32_t hours = 0, minutes = 0, seconds = 0;
    bool    is_negative = false;
    if (posix_take(text, '-'))
        is_negative = true;
    else
        (void)posix_take(text, '+');
    if (!posix_number(text, 167, &hours)) return false;
    if (posix_take(text, ':') && !posix_number(text, 59, &minutes)) return false;
    if (posix_take(text, ':') && !posix_number(text, 59, &seconds)) return false;
    *out_seconds = hours * 3600 + minutes * 60 + seconds;
    if (is_negative) *out_seconds = -*out_seconds;
    return true;
}
static bool posix_day(posix_text *text, zone_day *out) {
    out->seconds = 2 * 3600;
    if (posix_take(text, 'M')) {
        out->form = ZONE_DAY_MONTH_WEEK;
        if (!posix_number(text, 12, &out->month) || !posix_take(text, '.') || !posix_number(text, 5, &out->week) ||
            !posix_take(text, '.') || !posix_number(text, 6, &out->day) || out->month < 1 || out->week < 1)
            return false;
    } else {
        out->form = posix_take(text, 'J') ? ZONE_DAY_JULIAN : ZONE_DAY_ZERO_BASED;
        if (!posix_number(text, 365, &out->day)) return false;
    }
    return !posix_take(text, '/') || posix_time(text, &out->seconds);
}
static bool footer_parse(const char *start, size_t bytes, lt_zone_rules *rules) {
    posix_text text = {start, start + bytes};
    int32_t    west = 0;
    if (!posix_name(&text, rules->standard.abbreviation) || !posix_time(&text, &west)) return false;
    rules->standard.offset_seconds = -west;
    if (text.at == text.end) return true;
    if (!posix_name(&text, rules->daylight.abbreviation)) return false;
    rules->daylight.is_dst         = true;
    rules->daylight.offset_seconds = rules->standard.offset_seconds + 3600;
    if (text.at < text.end && *text.at != ',') {
        if (!posix_time(&text, &west)) return false;
        rules->daylight.offset_seconds = -west;
    }
    rules->has_footer_dst = true;
    return posix_take(&text, ',') && posix_day(&text, &rules->daylight_start) && posix_take(&text, ',') &&
           posix_day(&text, &rules->daylight_end) && text.at == text.end;
}

// Seconds since 1970 of a rule's wall clock in a year.
static int64_t zone_day_seconds(const zone_day *rule, int64_t year) {
    int64_t days = lt_days_from_civil(year, 1, 1);
    switch (rule->form) {
    case ZONE_DAY_MONTH_WEEK: {
        const int64_t first   = lt_days_from_civil(year, rule->month, 1);
        const int32_t weekday = lt_iso_weekday(first) % 7; // 0 = Sunday
        int32_t       day     = 1 + (rule->day - weekday + 7) % 7 + (rule->week - 1) * 7;
        if (day > lt_days_of_month(year, rule->month)) day -= 7;
        days = first + day - 1;
        break;
    }
    case ZONE_DAY_JULIAN: // 1..365, 29 February is never counted
        days += rule->day - 1 + (lt_is_leap_year(year) && rule->day >= 60);
        break;
    case ZONE_DAY_ZERO_BASED:
        days += rule->day;
        break;
    }
    return days * LT_SECONDS_PER_DAY + rule->seconds;
}

static const zone_kind *footer_kind(const lt_zone_rules *rules, int64_t utc_seconds) {
    if (!rules->has_footer_dst) return &rules->standard;
    const int64_t local = utc_seconds + rules->standard.offset_seconds;
    const int64_t year  = lt_civil_from_days(lt_floor_div(local, LT_SECONDS_PER_DAY)).year;
    const int64_t start = zone_day_seconds(&rules->daylight_start, year) - rules->standard.offset_seconds;
    const int64_t end   = zone_day_seconds(&rules->daylight_end, year) - rules->daylight.offset_seconds;
    const bool    is_daylight =
        start < end ? utc_seconds >= start && utc_seconds < end : utc_seconds >= start || utc_seconds < end;
    return is_daylight ? &rules->daylight : &rules->standard;
}

// Makes rules of a file's bytes; *out NULL when they are no zone file.
static leat_status rules_parse(lt_account *account, const char *name, const uint8_t *bytes, size_t count,
                               lt_zone_rules **out, leat_error *err) {
    tzif_header    header;
    const uint8_t *at = bytes, *const end = bytes + count;
    *out = NULL;
    if (!tzif_read_header(at, (size_t)(end - at), &header) || header.version < '2') return LEAT_OK;
    if ((size_t)(end - at) < 44 + tzif_data_bytes(&header, 4)) return LEAT_OK;
    at += 44 + tzif_data_bytes(&header, 4);
    if (!tzif_read_header(at, (size_t)(end - at), &header)) return LEAT_OK;
    at += 44;
    if ((size_t)(end - at) < tzif_data_bytes(&header, 8)) return LEAT_OK;
    const size_t rules_bytes = (sizeof(lt_zone_rules) + 15) / 16 * 16;
    const size_t block_bytes =
        rules_bytes + header.time_count * (sizeof(int64_t) + 1) + header.type_count * sizeof(zone_kind) + 16;
    lt_zone_rules *rules = lt_account_reallocate(account, NULL, 0, block_bytes);
    if (rules == NULL) return lt_raise_no_memory(err);
    memset(rules, 0, block_bytes);
    rules->block_bytes      = block_bytes;
    rules->transition_count = header.time_count;
    rules->kind_count       = header.type_count;
    rules->transitions      = (int64_t *)(void *)((char *)rules + rules_bytes);
    rules->kinds            = (zone_kind *)(void *)(rules->transitions + header.time_count);
    rules->transition_kinds = (uint8_t *)(rules->kinds + header.type_count);
    bool is_good            = true;
    for (uint32_t i = 0; i < header.time_count; i++) {
        rules->transitions[i]      = bytes_i64(at + i * (size_t)8);
        rules->transition_kinds[i] = at[header.time_count * (size_t)8 + i];
        is_good &= rules->transition_kinds[i] < header.type_count;
        is_good &= i == 0 || rules->transitions[i] >= rules->transitions[i - 1];
    }
    const uint8_t *types = at + header.time_count * (size_t)9, *characters = types + header.type_count * (size_t)6;
    for (uint32_t i = 0; i < header.type_count; i++) {
        const uint8_t *type            = types + i * (size_t)6;
        rules->kinds[i].offset_seconds = (int32_t)bytes_u32(type);
        rules->kinds[i].is_dst         = type[4] != 0;
        is_good &= rules->kinds[i].offset_seconds >= -86400 && rules->kinds[i].offset_seconds <= 86400;
        is_good &= type[5] < header.char_count;
        if (!is_good) break;
        const size_t room   = header.char_count - type[5];
        const void  *ending = memchr(characters + type[5], 0, room);
        const size_t length = ending == NULL ? room : (size_t)((const uint8_t *)ending - characters - type[5]);
        abbreviation_copy(rules->kinds[i].abbreviation, (const char *)characters + type[5], length);
    }
    at += tzif_data_bytes(&header, 8);
    if (is_good && at < end && *at == '\n') {
        const uint8_t *line = at + 1, *line_end = memchr(line, '\n', (size_t)(end - line));
        rules->has_footer =
            line_end != NULL && line_end > line && footer_parse((const char *)line, (size_t)(line_end - line), rules);
    }
    if (!is_good) {
        lt_account_reallocate(account, rules, block_bytes, 0);
        return LEAT_OK;
    }
    memcpy(rules->name, name, strlen(name) + 1);
    *out = rules;
    return LEAT_OK;
}

static const zone_kind *rules_kind_at(const lt_zone_rules *rules, int64_t utc_seconds) {
    const uint32_t count = rules->transition_count;
    if (count == 0 || utc_seconds < rules->transitions[0])
        return count == 0 && rules->has_footer ? footer_kind(rules, utc_seconds) : &rules->kinds[0];
    if (utc_seconds >= rules->transitions[count - 1])
        return rules->has_footer ? footer_kind(rules, utc_seconds) : &rules->kinds[rules->transition_kinds[count - 1]];
    uint32_t low = 0, high = count - 1; // transitions[low] <= utc_seconds < transitions[high]
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (rules->transitions[middle] <= utc_seconds)
            low = middle;
        else
            high = middle;
    }
    return &rules->kinds[rules->transition_kinds[low]];
}

// ----------------------------------------------------------------------------------------------------------------- ids

static bool digits_value(const char *at, size_t count, int32_t *out) {
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        if (at[i] < '0' || at[i] > '9') return false;
        *out = *out * 10 + (at[i] - '0');
    }
    return true;
}

// +h, +hh, +hhmm, +hh:mm, +hhmmss, +hh:mm:ss; also +h:mm and +hh:m, which Spark allows.
static bool offset_parse(const char *text, size_t bytes, int32_t *out_seconds) {
    char   id[16];
    size_t length = 0;
    if (bytes < 2 || bytes > 10 || (text[0] != '+' && text[0] != '-')) return false;
    id[length++] = text[0];
    if (bytes > 2 && text[2] == ':') id[length++] = '0';
    memcpy(id + length, text + 1, bytes - 1);
    length += bytes - 1;
    if (length == 5 && id[3] == ':') { // +hh:m
        id[5] = id[4];
        id[4] = '0';
        length++;
    }
    int32_t hours = 0, minutes = 0, seconds = 0;
    bool    is_good = false;
    switch (length) {
    case 2:
        is_good = digits_value(id + 1, 1, &hours);
        break;
    case 3:
        is_good = digits_value(id + 1, 2, &hours);
        break;
    case 5:
        is_good = digits_value(id + 1, 2, &hours) && digits_value(id + 3, 2, &minutes);
        break;
    case 6:
        is_good = digits_value(id + 1, 2, &hours) && id[3] == ':' && digits_value(id + 4, 2, &minutes);
        break;
    case 7:
        is_good =
            digits_value(id + 1, 2, &hours) && digits_value(id + 3, 2, &minutes) && digits_value(id + 5, 2, &seconds);
        break;
    case 9:
        is_good = digits_value(id + 1, 2, &hours) && id[3] == ':' && digits_value(id + 4, 2, &minutes) &&
                  id[6] == ':' && digits_value(id + 7, 2, &seconds);
        break;
    default:
        break;
    }
    if (!is_good || minutes > 59 || seconds > 59) return false;
    *out_seconds = hours * 3600 + minutes * 60 + seconds;
    if (*out_seconds > ZONE_OFFSET_SECONDS_MAX) return false;
    if (text[0] == '-') *out_seconds = -*out_seconds;
    return true;
}

bool lt_time_zone_offset_parse(const char *text, size_t bytes, int32_t *out_seconds) {
    *out_seconds = 0;
    return (bytes == 1 && text[0] == 'Z') || offset_parse(text, bytes, out_seconds);
}

static void fixed_zone(lt_time_zone *out, const char *prefix, int32_t offset_seconds) {
    memset(out, 0, sizeof *out);
    out->offset_seconds = offset_seconds;
    const int32_t size  = offset_seconds < 0 ? -offset_seconds : offset_seconds;
    if (size == 0)
        snprintf(out->id, sizeof out->id, "%s", prefix[0] == '\0' ? "Z" : prefix);
    else if (size % 60 == 0)
        snprintf(out->id, sizeof out->id, "%s%c%02d:%02d", prefix, offset_seconds < 0 ? '-' : '+', size / 3600,
                 size / 60 % 60);
    else
        snprintf(out->id, sizeof out->id, "%s%c%02d:%02d:%02d", prefix, offset_seconds < 0 ? '-' : '+', size / 3600,
                 size / 60 % 60, size % 60);
}

static bool fixed_zone_parse(const char *id, size_t bytes, lt_time_zone *out) {
    static const char *const prefixes[] = {"UTC", "GMT", "UT"};
    int32_t                  offset     = 0;
    if (lt_time_zone_offset_parse(id, bytes, &offset)) {
        fixed_zone(out, "", offset);
        return true;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t length = strlen(prefixes[i]);
        if (bytes < length || memcmp(id, prefixes[i], length) != 0) continue;
        if (bytes > length && !offset_parse(id + length, bytes - length, &offset)) continue;
        fixed_zone(out, prefixes[i], offset);
        return true;
    }
    return false;
}

static bool region_id_is_safe(const char *id, size_t bytes) {
    if (bytes < 2 || bytes >= LT_TIME_ZONE_ID_BYTES || id[0] < 'A' || id[0] > 'Z') return false;
    for (size_t i = 0; i < bytes; i++) {
        const char c         = id[i];
        const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_letter && c != '_' && c != '+' && c != '-' && c != '/') return false;
        if (c == '/' && (i + 1 == bytes || id[i + 1] == '/')) return false;
    }
    return true;
}

static const lt_zone_rules *zones_loaded(const lt_time_zones *zones, const char *name) {
    const lt_zone_rules *rules = atomic_load_explicit(&zones->cache->first, memory_order_acquire);
    while (rules != NULL && strcmp(rules->name, name) != 0) rules = rules->next;
    return rules;
}

static leat_status zones_read(const lt_time_zones *zones, const char *name, const lt_zone_rules **out,
                              leat_error *err) {
    lt_buffer      file;
    bool           exists = false;
    lt_zone_rules *rules  = NULL;
    lt_buffer_init(&file, zones->account, ZONE_FILE_BYTES_MAX);
    leat_status status = zones->read(zones->user, name, &file, &exists, err);
    if (status == LEAT_OK && exists)
        status = rules_parse(zones->account, name, (const uint8_t *)file.data, file.bytes, &rules, err);
    lt_buffer_deinit(&file);
    if (rules != NULL) {
        rules->next = atomic_load_explicit(&zones->cache->first, memory_order_relaxed);
        atomic_store_explicit(&zones->cache->first, rules, memory_order_release);
        *out = rules;
    }
    return status;
}

static leat_status zones_load(const lt_time_zones *zones, const char *name, const lt_zone_rules **out,
                              leat_error *err) {
    *out = zones_loaded(zones, name);
    if (*out != NULL || zones->read == NULL) return LEAT_OK;
    pthread_mutex_lock(&zones->cache->adding);
    *out                     = zones_loaded(zones, name); // another thread may have been here first
    const leat_status status = *out != NULL ? LEAT_OK : zones_read(zones, name, out, err);
    pthread_mutex_unlock(&zones->cache->adding);
    return status;
}

leat_status lt_time_zones_create(lt_account *account, lt_time_zone_read read, void *user, lt_time_zones **out,
                                 leat_error *err) {
    lt_time_zones *zones = lt_account_reallocate(account, NULL, 0, sizeof *zones + sizeof *zones->cache);
    if (zones == NULL) return lt_raise_no_memory(err);
    zones->account = account;
    zones->read    = read;
    zones->user    = user;
    zones->cache   = (struct zone_cache *)(void *)(zones + 1);
    atomic_init(&zones->cache->first, NULL);
    pthread_mutex_init(&zones->cache->adding, NULL);
    *out = zones;
    return LEAT_OK;
}

void lt_time_zones_destroy(lt_time_zones **zones) {
    if (*zones == NULL) return;
    lt_account *account = (*zones)->account;
    pthread_mutex_destroy(&(*zones)->cache->adding);
    for (lt_zone_rules *rules = atomic_load(&(*zones)->cache->first); rules != NULL;) {
        lt_zone_rules *next = rules->next;
        lt_account_reallocate(account, rules, rules->block_bytes, 0);
        rules = next;
    }
    lt_account_reallocate(account, *zones, sizeof **zones + sizeof *(*zones)->cache, 0);
    *zones = NULL;
}

leat_status lt_time_zone_find(const lt_time_zones *zones, const char *id, size_t bytes, lt_time_zone *out,
                              leat_error *err) {
    if (fixed_zone_parse(id, bytes, out)) return LEAT_OK;
    if (zones != NULL && region_id_is_safe(id, bytes)) {
        char name[LT_TIME_ZONE_ID_BYTES];
        memcpy(name, id, bytes);
        name[bytes]        = '\0';
        const char *target = alias_target(name);
        if (fixed_zone_parse(target, strlen(target), out)) return LEAT_OK;
        const char *file = alias_target(target); // a short id may name a linked zone
        memset(out, 0, sizeof *out);
        snprintf(out->id, sizeof out->id, "%s", bytes == 3 ? target : name);
        LT_TRY(zones_load(zones, file, &out->rules, err));
        if (out->rules != NULL) return LEAT_OK;
    }
    return lt_raise(err, LT_INVALID_TIMEZONE, NULL,
                    "no time zone `%.*s`; write an id like UTC, +01:00 or Europe/Berlin",
                    (int)(bytes > 60 ? 60 : bytes), id);
}

leat_status lt_time_zone_of_session(const lt_evaluation *evaluation, lt_time_zone *out, leat_error *err) {
    const char *id = evaluation->time_zone == NULL ? "UTC" : evaluation->time_zone;
    return lt_time_zone_find(evaluation->zones, id, strlen(id), out, err);
}

// ------------------------------------------------------------------------------------------------------------- offsets

int32_t lt_time_zone_offset(const lt_time_zone *zone, int64_t utc_seconds) {
    return zone->rules == NULL ? zone->offset_seconds : rules_kind_at(zone->rules, utc_seconds)->offset_seconds;
}

// Changes of the footer's rules in the year of an instant and those beside it.
static void footer_narrow(const lt_zone_rules *rules, int64_t utc_seconds, int64_t *first, int64_t *last) {
    const int64_t year = lt_civil_from_days(lt_floor_div(utc_seconds, LT_SECONDS_PER_DAY)).year;
    for (int64_t y = year - 1; y <= year + 1; y++) {
        const int64_t changes[] = {zone_day_seconds(&rules->daylight_start, y) - rules->standard.offset_seconds,
                                   zone_day_seconds(&rules->daylight_end, y) - rules->daylight.offset_seconds};
        for (size_t i = 0; i < 2; i++) {
            if (changes[i] <= utc_seconds && changes[i] > *first) *first = changes[i];
            if (changes[i] > utc_seconds && changes[i] - 1 < *last) *last = changes[i] - 1;
        }
    }
}

void lt_time_zone_stretch(const lt_time_zone *zone, int64_t utc_seconds, int64_t *out_first, int64_t *out_last) {
    const lt_zone_rules *rules = zone->rules;
    *out_first                 = INT64_MIN;
    *out_last                  = INT64_MAX;
    if (rules == NULL) return;
    uint32_t low = 0, high = rules->transition_count; // transitions below `low` are not behind the instant
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (rules->transitions[middle] <= utc_seconds)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0) *out_first = rules->transitions[low - 1];
    if (low < rules->transition_count) *out_last = rules->transitions[low] - 1;
    if (low == rules->transition_count && rules->has_footer_dst) footer_narrow(rules, utc_seconds, out_first, out_last);
}

const char *lt_time_zone_abbreviation(const lt_time_zone *zone, int64_t utc_seconds, bool *out_is_dst) {
    *out_is_dst = false;
    if (zone->rules == NULL) return NULL;
    const zone_kind *kind = rules_kind_at(zone->rules, utc_seconds);
    *out_is_dst           = kind->is_dst;
    return kind->abbreviation[0] == '\0' ? NULL : kind->abbreviation;
}

static bool shift_us(int64_t us, int64_t seconds, int64_t *out) {
    if (!__builtin_add_overflow(us, seconds * LT_US_PER_SECOND, out)) return true;
    *out = seconds < 0 ? INT64_MIN : INT64_MAX;
    return false;
}

int64_t lt_time_zone_local_us(const lt_time_zone *zone, int64_t utc_us) {
    int64_t local;
    (void)shift_us(utc_us, lt_time_zone_offset(zone, lt_floor_div(utc_us, LT_US_PER_SECOND)), &local);
    return local;
}

// Of the offsets a day before and a day after, the earlier one decides in an overlap, and in a gap too, where it moves
// the clock on by the gap's length.
bool lt_time_zone_utc_us_fits(const lt_time_zone *zone, int64_t local_us, int64_t *out_us) {
    if (zone->rules == NULL) return shift_us(local_us, -(int64_t)zone->offset_seconds, out_us);
    const int64_t local  = lt_floor_div(local_us, LT_US_PER_SECOND);
    const int32_t before = lt_time_zone_offset(zone, local - LT_SECONDS_PER_DAY);
    const int32_t after  = lt_time_zone_offset(zone, local + LT_SECONDS_PER_DAY);
    int32_t       offset = before;
    if (before != after && lt_time_zone_offset(zone, local - before) != before &&
        lt_time_zone_offset(zone, local - after) == after)
        offset = after;
    return shift_us(local_us, -(int64_t)offset, out_us);
}

int64_t lt_time_zone_utc_us(const lt_time_zone *zone, int64_t local_us) {
    int64_t us;
    (void)lt_time_zone_utc_us_fits(zone, local_us, &us);
    return us;
}
