// datetime: what functions over dates, timestamps and intervals share: the call's zone, words for units, steps and
// cuts.
//
// Ownership  values only.   Threads  those of the call.   Errors  functions that return bool raise nothing.
#ifndef LT_EXEC_KERNELS_DATETIME_H
#define LT_EXEC_KERNELS_DATETIME_H

#include "base/function.h"
#include "base/interval.h"

static inline leat_status lt_call_zone(const lt_call *call, lt_time_zone *out, leat_error *err) {
    return lt_time_zone_of_session(call->evaluation, out, err);
}
// Whether the call's function is the try_ form of another.
static inline bool lt_call_is_try(const lt_call *call) { return strncmp(call->function->name, "try_", 4) == 0; }

// Same text, whatever the case of ASCII letters; `word` in upper case.
bool lt_text_is_word(const char *text, size_t bytes, const char *word);

typedef enum lt_datetime_unit {
    LT_DATETIME_MICROSECOND,
    LT_DATETIME_MILLISECOND,
    LT_DATETIME_SECOND,
    LT_DATETIME_MINUTE,
    LT_DATETIME_HOUR,
    LT_DATETIME_DAY,
    LT_DATETIME_WEEK,
    LT_DATETIME_MONTH,
    LT_DATETIME_QUARTER,
    LT_DATETIME_YEAR
} lt_datetime_unit;

// Words of trunc and date_trunc: YEAR YYYY YY QUARTER MONTH MM MON WEEK DAY DD HOUR MINUTE SECOND MILLI- MICROSECOND.
bool lt_datetime_unit_of_truncation(const lt_string *word, lt_datetime_unit *out);
// Words of timestampadd and timestampdiff: those units in full, and DAYOFYEAR for DAY.
bool lt_datetime_unit_of_step(const lt_string *word, lt_datetime_unit *out);

// The first day of the week, month, quarter or year.
int64_t lt_days_truncate(int64_t days, lt_datetime_unit unit);
// The start of the unit that the instant lies in, as the zone's clock shows it.
int64_t lt_timestamp_truncate(const lt_time_zone *zone, int64_t us, lt_datetime_unit unit);
// False: does not fit.
bool lt_timestamp_step(const lt_time_zone *zone, int64_t us, lt_datetime_unit unit, int64_t count, int64_t *out_us);
// Whole units between two wall clocks, toward zero.
int64_t lt_wall_clock_units_between(int64_t from_us, int64_t to_us, lt_datetime_unit unit);

// Year, month, day and the rest are checked. seconds_us may be 60 seconds exactly, which is the next minute.
// Errors: DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION, INVALID_FRACTION_OF_SECOND.
leat_status lt_wall_clock_make(const lt_place *place, const int32_t date[3], const int32_t time[2],
                               lt_int128 seconds_us, int64_t *out_local_us, leat_error *err);

#endif
