// interval: INTERVAL literals, their text, durations like '10 minutes', and what intervals do to dates.
//
//     INTERVAL '1 02:03:04.5' DAY TO SECOND   INTERVAL '1-2' YEAR TO MONTH   INTERVAL 1 DAY 2 HOURS   INTERVAL '3
//     weeks' calendar: 1 years 2 months 3 days 4 hours 5.5 seconds
//
// Ownership  values and borrowed texts.   Threads  any.
// Errors     INVALID_INTERVAL_FORMAT.*, INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION, INVALID_TYPED_LITERAL,
//            CANNOT_PARSE_INTERVAL; functions that return bool raise nothing.
// Source     Spark SQL 4: IntervalUtils; spark-semantics 1.2.
#ifndef LT_BASE_INTERVAL_H
#define LT_BASE_INTERVAL_H

#include "base/time_zone.h"

// A value of one of the two ANSI intervals with its type.
typedef struct lt_interval {
    lt_kind kind; // LT_INTERVAL_YEAR_MONTH or LT_INTERVAL_DAY_TIME
    lt_unit unit_first, unit_last;
    int32_t months;       // of YEAR_MONTH
    int64_t microseconds; // of DAY_TIME
} lt_interval;

// One part of INTERVAL -2 HOUR '3' MINUTE; a text with units is one part without unit.
typedef struct lt_interval_part {
    const char *value; // number or string value
    size_t      value_bytes;
    bool        is_string, is_negative; // a '-' stands before the value
    const char *unit;                   // as written; NULL: none
    size_t      unit_bytes;
    const char *unit_last; // DAY TO SECOND: SECOND; NULL: none
    size_t      unit_last_bytes;
} lt_interval_part;

// The value of INTERVAL ..., whatever its form.
leat_status lt_interval_literal(const lt_interval_part *parts, size_t count, const lt_place *place, lt_interval *out,
                                leat_error *err);

// "DAY", "days", "Hour": the units of interval types. False: none of them.
bool        lt_unit_parse(const char *text, size_t bytes, lt_unit *out);
const char *lt_unit_name(lt_unit unit); // "DAY"

// CAST(text AS INTERVAL DAY TO SECOND): the literal's text with or without INTERVAL '' around it.
// Errors: INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE, .INTERVAL_PARSING.
leat_status lt_interval_parse(const char *text, size_t bytes, const lt_type *type, const lt_place *place,
                              lt_interval *out, leat_error *err);
// CAST(text AS INTERVAL): "1 year 2 months 3 days", "interval 2 hours". False: no interval.
bool lt_calendar_interval_parse(const char *text, size_t bytes, lt_calendar_interval *out);

enum { LT_INTERVAL_TEXT_BYTES = 160 }; // room for any of the texts, NUL included
// "INTERVAL '1 02:03:04' DAY TO SECOND"; `value`: months or microseconds. Return the bytes written.
size_t lt_interval_print(const lt_type *type, int64_t value, char out[LT_INTERVAL_TEXT_BYTES]);
size_t lt_calendar_interval_print(const lt_calendar_interval *interval, char out[LT_INTERVAL_TEXT_BYTES]);
// The text between the quotes of the literal: "1 02:03:04".
size_t lt_interval_print_bare(const lt_type *type, int64_t value, char out[LT_INTERVAL_TEXT_BYTES]);

// Cuts a DAY_TIME or YEAR_MONTH value to the last unit of `type`, toward zero, as CAST between intervals does.
int64_t lt_interval_truncate(const lt_type *type, int64_t value);

// A length of time: '10 minutes', 'interval 1 hour 30 minutes', '1 week'; a day has 24 hours.
// Errors: CANNOT_PARSE_INTERVAL for texts that are no interval or have months or years.
leat_status lt_duration_parse(const char *text, size_t bytes, const lt_place *place, int64_t *out_us, leat_error *err);

// Microseconds of days and microseconds; false on overflow.
bool lt_interval_days_us(int64_t days, int64_t microseconds, int64_t *out_us);
// Adds months, then days of the calendar, then microseconds of time, in the zone. False on overflow.
bool lt_timestamp_add(const lt_time_zone *zone, int64_t us, int64_t months, int64_t days, int64_t microseconds,
                      int64_t *out_us);
// Rounds half up (away from zero), as intervals times and divided by numbers do; false when it does not fit.
bool lt_round_to_int64(double value, int64_t *out);

#endif
