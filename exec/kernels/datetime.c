#include "exec/kernels/datetime.h"

bool lt_text_is_word(const char *text, size_t bytes, const char *word) {
    size_t i = 0;
    for (; i < bytes && word[i] != '\0'; i++) {
        const char c = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 32) : text[i];
        if (c != word[i]) return false;
    }
    return i == bytes && word[i] == '\0';
}

typedef struct unit_word {
    const char      *word;
    lt_datetime_unit unit;
} unit_word;

static const unit_word truncation_words[] = {
    {"YEAR", LT_DATETIME_YEAR},
    {"YYYY", LT_DATETIME_YEAR},
    {"YY", LT_DATETIME_YEAR},
    {"QUARTER", LT_DATETIME_QUARTER},
    {"MONTH", LT_DATETIME_MONTH},
    {"MM", LT_DATETIME_MONTH},
    {"MON", LT_DATETIME_MONTH},
    {"WEEK", LT_DATETIME_WEEK},
    {"DAY", LT_DATETIME_DAY},
    {"DD", LT_DATETIME_DAY},
    {"HOUR", LT_DATETIME_HOUR},
    {"MINUTE", LT_DATETIME_MINUTE},
    {"SECOND", LT_DATETIME_SECOND},
    {"MILLISECOND", LT_DATETIME_MILLISECOND},
    {"MICROSECOND", LT_DATETIME_MICROSECOND},
};
static const unit_word step_words[] = {
    {"YEAR", LT_DATETIME_YEAR},
    {"QUARTER", LT_DATETIME_QUARTER},
    {"MONTH", LT_DATETIME_MONTH},
    {"WEEK", LT_DATETIME_WEEK},
    {"DAY", LT_DATETIME_DAY},
    {"DAYOFYEAR", LT_DATETIME_DAY},
    {"HOUR", LT_DATETIME_HOUR},
    {"MINUTE", LT_DATETIME_MINUTE},
    {"SECOND", LT_DATETIME_SECOND},
    {"MILLISECOND", LT_DATETIME_MILLISECOND},
    {"MICROSECOND", LT_DATETIME_MICROSECOND},
};

static bool unit_find(const unit_word *words, size_t count, const lt_string *word, lt_datetime_unit *out) {
    for (size_t i = 0; i < count; i++) {
        if (!lt_text_is_word(lt_string_data(word), word->bytes, words[i].word)) continue;
        *out = words[i].unit;
        return true;
    }
    return false;
}
bool lt_datetime_unit_of_truncation(const lt_string *word, lt_datetime_unit *out) {
    return unit_find(truncation_words, sizeof truncation_words / sizeof truncation_words[0], word, out);
}
bool lt_datetime_unit_of_step(const lt_string *word, lt_datetime_unit *out) {
    return unit_find(step_words, sizeof step_words / sizeof step_words[0], word, out);
}

// By lt_datetime_unit; 0 for units that the calendar decides.
static const int64_t unit_us[] = {
    1, LT_US_PER_MILLI, LT_US_PER_SECOND, LT_US_PER_MINUTE, LT_US_PER_HOUR, LT_US_PER_DAY, 7 * LT_US_PER_DAY, 0, 0, 0};
static const int64_t unit_months[] = {0, 0, 0, 0, 0, 0, 0, 1, 3, 12};

int64_t lt_days_truncate(int64_t days, lt_datetime_unit unit) {
    const lt_civil_date civil = lt_civil_from_days(days);
    switch (unit) {
    case LT_DATETIME_WEEK:
        return days - lt_iso_weekday(days) + 1;
    case LT_DATETIME_MONTH:
        return lt_days_from_civil(civil.year, civil.month, 1);
    case LT_DATETIME_QUARTER:
        return lt_days_from_civil(civil.year, (civil.month - 1) / 3 * 3 + 1, 1);
    case LT_DATETIME_YEAR:
        return lt_days_from_civil(civil.year, 1, 1);
    default:
        return days;
    }
}

static int64_t take_off(int64_t us, int64_t rest) { return us < INT64_MIN + rest ? INT64_MIN : us - rest; }

// Hours and minutes keep the offset of the instant, so that a doubled hour stays in its half.
int64_t lt_timestamp_truncate(const lt_time_zone *zone, int64_t us, lt_datetime_unit unit) {
    if (unit <= LT_DATETIME_SECOND) return take_off(us, lt_floor_mod(us, unit_us[unit]));
    const int64_t local = lt_time_zone_local_us(zone, us);
    if (unit <= LT_DATETIME_HOUR) return take_off(us, lt_floor_mod(local, unit_us[unit]));
    const int64_t days = lt_days_truncate(lt_floor_div(local, LT_US_PER_DAY), unit);
    return lt_time_zone_days_to_us(zone, (int32_t)days);
}

bool lt_timestamp_step(const lt_time_zone *zone, int64_t us, lt_datetime_unit unit, int64_t count, int64_t *out_us) {
    int64_t amount;
    if (unit >= LT_DATETIME_MONTH)
        return !__builtin_mul_overflow(count, unit_months[unit], &amount) && amount == (int32_t)amount &&
               lt_timestamp_add(zone, us, amount, 0, 0, out_us);
    if (unit >= LT_DATETIME_DAY)
        return !__builtin_mul_overflow(count, unit == LT_DATETIME_WEEK ? 7 : 1, &amount) && amount == (int32_t)amount &&
               lt_timestamp_add(zone, us, 0, amount, 0, out_us);
    return !__builtin_mul_overflow(count, unit_us[unit], &amount) && lt_timestamp_add(zone, us, 0, 0, amount, out_us);
}

int64_t lt_wall_clock_units_between(int64_t from_us, int64_t to_us, lt_datetime_unit unit) {
    if (unit < LT_DATETIME_MONTH) return (int64_t)(((lt_int128)to_us - from_us) / unit_us[unit]);
    const lt_civil_date from        = lt_civil_from_days(lt_floor_div(from_us, LT_US_PER_DAY));
    const lt_civil_date to          = lt_civil_from_days(lt_floor_div(to_us, LT_US_PER_DAY));
    int64_t             months      = (to.year - from.year) * 12 + to.month - from.month;
    const int64_t       from_within = from.day * LT_US_PER_DAY + lt_floor_mod(from_us, LT_US_PER_DAY);
    const int64_t       to_within   = to.day * LT_US_PER_DAY + lt_floor_mod(to_us, LT_US_PER_DAY);
    if (months > 0 && to_within < from_within) months--;
    if (months < 0 && to_within > from_within) months++;
    return months / unit_months[unit];
}

leat_status lt_wall_clock_make(const lt_place *place, const int32_t date[3], const int32_t time[2],
                               lt_int128 seconds_us, int64_t *out_local_us, leat_error *err) {
    if (seconds_us > LT_US_PER_MINUTE && seconds_us < LT_US_PER_MINUTE + LT_US_PER_SECOND)
        return lt_raise(err, LT_INVALID_FRACTION_OF_SECOND, place,
                        "second 60 stands for the next minute and has no fraction");
    if (!lt_civil_is_valid(date[0], date[1], date[2]))
        return lt_raise(err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION, place,
                        "there is no day %d of month %d in year %d", date[2], date[1], date[0]);
    if (time[0] < 0 || time[0] > 23)
        return lt_raise(err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION, place,
                        "hour %d is not within 0 to 23", time[0]);
    if (time[1] < 0 || time[1] > 59)
        return lt_raise(err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION, place,
                        "minute %d is not within 0 to 59", time[1]);
    if (seconds_us < 0 || seconds_us > LT_US_PER_MINUTE)
        return lt_raise(err, LT_DATETIME_FIELD_OUT_OF_BOUNDS__WITHOUT_SUGGESTION, place,
                        "the seconds are not within 0 to 59");
    const int64_t time_us = time[0] * LT_US_PER_HOUR + time[1] * LT_US_PER_MINUTE + (int64_t)seconds_us;
    if (!lt_interval_days_us(lt_days_from_civil(date[0], date[1], date[2]), time_us, out_local_us))
        return lt_raise(err, LT_DATETIME_OVERFLOW, place, "year %d is beyond the range of TIMESTAMP", date[0]);
    return LEAT_OK;
}
