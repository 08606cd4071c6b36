// date: days since 1970-01-01 and their civil parts, proleptic Gregorian; and division that rounds down.
//
//     2024-02-29 <-> 19782        -1 div 86400 = -1, -1 mod 86400 = 86399
//
// Ownership  values only.   Threads  any.   Limits  years -5877641 to 5881580 fit the int32 days of a DATE; arithmetic
// here is in 64 bits, callers check with lt_days_fit.   Cost  O(1), no branch on data but for leap years.
// Source  Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013): days_from_civil, civil_from_days.
#ifndef LT_BASE_DATE_H
#define LT_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#define LT_US_PER_MILLI INT64_C(1000)
#define LT_US_PER_SECOND INT64_C(1000000)
#define LT_US_PER_MINUTE (60 * LT_US_PER_SECOND)
#define LT_US_PER_HOUR (60 * LT_US_PER_MINUTE)
#define LT_US_PER_DAY (24 * LT_US_PER_HOUR)
#define LT_SECONDS_PER_DAY INT64_C(86400)

typedef struct lt_civil_date {
    int64_t year;
    int32_t month; // 1..12
    int32_t day;   // 1..31
} lt_civil_date;

// Toward minus infinity; b > 0.
static inline int64_t lt_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline int64_t lt_floor_mod(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

static inline bool lt_is_leap_year(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static inline int32_t lt_days_of_month(int64_t year, int32_t month) {
    return month == 2                                              ? (lt_is_leap_year(year) ? 29 : 28)
           : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                   : 31;
}

// month 1..12, day 1..31 (not checked against the month); |year| < 2^40.
static inline int64_t lt_days_from_civil(int64_t year, int32_t month, int32_t day) {
    const int64_t y           = month <= 2 ? year - 1 : year;
    const int64_t era         = lt_floor_div(y, 400);
    const int64_t year_of_era = y - era * 400;
    const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static inline lt_civil_date lt_civil_from_days(int64_t days) {
    const int64_t z           = days + 719468;
    const int64_t era         = lt_floor_div(z, 146097);
    const int64_t day_of_era  = z - era * 146097;
    const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted     = (5 * day_of_year + 2) / 153; // months since March
    lt_civil_date civil;
    civil.day   = (int32_t)(day_of_year - (153 * shifted + 2) / 5 + 1);
    civil.month = (int32_t)(shifted < 10 ? shifted + 3 : shifted - 9);
    civil.year  = year_of_era + era * 400 + (civil.month <= 2);
    return civil;
}

static inline bool lt_civil_is_valid(int64_t year, int64_t month, int64_t day) {
    return month >= 1 && month <= 12 && day >= 1 && day <= lt_days_of_month(year, (int32_t)month);
}

static inline bool lt_days_fit(int64_t days) { return days >= INT32_MIN && days <= INT32_MAX; }

// 1 = Monday .. 7 = Sunday.
static inline int32_t lt_iso_weekday(int64_t days) { return (int32_t)lt_floor_mod(days + 3, 7) + 1; }
static inline int32_t lt_day_of_year(int64_t days) {
    return (int32_t)(days - lt_days_from_civil(lt_civil_from_days(days).year, 1, 1)) + 1;
}
static inline int32_t lt_iso_week(int64_t days) {
    const int64_t thursday = days - lt_iso_weekday(days) + 4;
    return (lt_day_of_year(thursday) - 1) / 7 + 1;
}

// Moves by months; a day beyond the end of the month becomes its last day.
static inline int64_t lt_days_add_months(int64_t days, int64_t months) {
    const lt_civil_date civil = lt_civil_from_days(days);
    const int64_t       index = civil.year * 12 + civil.month - 1 + months;
    const int64_t       year  = lt_floor_div(index, 12);
    const int32_t       month = (int32_t)lt_floor_mod(index, 12) + 1;
    const int32_t       last  = lt_days_of_month(year, month);
    return lt_days_from_civil(year, month, civil.day < last ? civil.day : last);
}

#endif
