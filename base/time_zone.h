// time_zone: zone ids, and the offset from UTC at an instant or at a wall clock.
//
//     "UTC" "Z" "+01:00" "-5" "GMT+2" "UTC-03:30" "PST" "Europe/Berlin"
//     wall clock in a gap: later by the length of the gap; in an overlap: the earlier of the two instants
//
// Ownership  lt_time_zones owns the rules of the zones it has read; a lt_time_zone borrows them and is a plain value.
// Threads    finding and reading: any (a zone found first is added under a lock, later ones are read without); create
//            and destroy: one.
// Limits     ids up to 63 bytes, offsets up to 18:00; a zone file up to 1 MiB.
// Errors     INVALID_TIMEZONE, LEAT_NO_MEMORY.
// Cost       find: O(zones of the session); offset: O(log transitions), O(1) for fixed offsets.
// Files are read through a callback: this layer makes no calls to the system.
#ifndef LT_BASE_TIME_ZONE_H
#define LT_BASE_TIME_ZONE_H

#include "base/buffer.h"
#include "base/date.h"
#include "base/function.h"

enum { LT_TIME_ZONE_ID_BYTES = 64 };

typedef struct lt_zone_rules lt_zone_rules;

typedef struct lt_time_zone {
    char                 id[LT_TIME_ZONE_ID_BYTES]; // as given, NUL-terminated
    int32_t              offset_seconds;            // when rules is NULL: east of UTC
    const lt_zone_rules *rules;                     // borrows from lt_time_zones; NULL: fixed offset
} lt_time_zone;

typedef struct lt_time_zones lt_time_zones;

// Appends the content of the zone file `name` ("Europe/Berlin", a checked id without "." parts) to `out`. *out_exists
// false: there is none.
typedef leat_status (*lt_time_zone_read)(void *user, const char *name, lt_buffer *out, bool *out_exists,
                                         leat_error *err);

// `read` NULL: only UTC and offsets are known. Both borrow until destroy.
leat_status lt_time_zones_create(lt_account *account, lt_time_zone_read read, void *user, lt_time_zones **out,
                                 leat_error *err);
void        lt_time_zones_destroy(lt_time_zones **zones);

// `zones` NULL: only UTC and offsets are known. Errors: INVALID_TIMEZONE.
leat_status lt_time_zone_find(const lt_time_zones *zones, const char *id, size_t bytes, lt_time_zone *out,
                              leat_error *err);
// "Z" and offsets alone ("+01:00", "-5"), without naming the zone: for texts with a zone in every row. False: no
// offset.
bool lt_time_zone_offset_parse(const char *text, size_t bytes, int32_t *out_seconds);
// The session's zone.
leat_status lt_time_zone_of_session(const lt_evaluation *evaluation, lt_time_zone *out, leat_error *err);

// Seconds east of UTC.
int32_t lt_time_zone_offset(const lt_time_zone *zone, int64_t utc_seconds);
// Seconds around an instant in which offset and abbreviation do not change; the first and the last of them.
void lt_time_zone_stretch(const lt_time_zone *zone, int64_t utc_seconds, int64_t *out_first, int64_t *out_last);
// Instant -> wall clock, and back; microseconds since 1970. Beyond 64 bits they saturate.
int64_t lt_time_zone_local_us(const lt_time_zone *zone, int64_t utc_us);
int64_t lt_time_zone_utc_us(const lt_time_zone *zone, int64_t local_us);
// Like lt_time_zone_utc_us, but false when the result does not fit.
bool lt_time_zone_utc_us_fits(const lt_time_zone *zone, int64_t local_us, int64_t *out_us);
// Abbreviation at an instant ("CET", "PST"), for pattern letter z; NULL when the zone file has none.
const char *lt_time_zone_abbreviation(const lt_time_zone *zone, int64_t utc_seconds, bool *out_is_dst);

// Midnight of a day in the zone (beyond 64 bits it saturates), and the day of an instant in it.
static inline int64_t lt_time_zone_days_to_us(const lt_time_zone *zone, int32_t days) {
    int64_t us;
    if (__builtin_mul_overflow((int64_t)days, LT_US_PER_DAY, &us)) return days < 0 ? INT64_MIN : INT64_MAX;
    return lt_time_zone_utc_us(zone, us);
}
static inline int32_t lt_time_zone_us_to_days(const lt_time_zone *zone, int64_t utc_us) {
    return (int32_t)lt_floor_div(lt_time_zone_local_us(zone, utc_us), LT_US_PER_DAY);
}

#endif
