// datetime_text: DATE, TIMESTAMP, TIMESTAMP_NTZ and TIME as text, by the grammar of CAST.
//
//     date       [+-]yyyy[y][y][y]-[m]m-[d]d, rest after a blank or T is ignored; yyyy, yyyy-mm
//     timestamp  date [ |T] h:m:s[.fraction][ ]zone; or a time alone, which is today in the zone
//     time       h:m[:s[.fraction]][ AM|PM]
//     printed    2024-01-31   2024-01-31 10:20:30.5 (no trailing zeros)   +10000-01-01   -0044-03-15   12:34:56.7
//
// Ownership  borrows everything.   Threads  any, but for the cache of zones (one at a time).
// Errors     parsers give false and raise nothing; the literals raise INVALID_TYPED_LITERAL.
// Source     Spark SQL 4: SparkDateTimeUtils.stringToDate, stringToTimestamp; spark-semantics 1.8.
#ifndef LT_BASE_DATETIME_TEXT_H
#define LT_BASE_DATETIME_TEXT_H

#include "base/time_zone.h"

// What the meaning of a text depends on.
typedef struct lt_datetime_context {
    const lt_time_zones *zones;
    lt_time_zone         zone;   // of texts without one, and of printing
    int64_t              now_us; // for 'now', 'today' and times alone
} lt_datetime_context;

// Errors: INVALID_TIMEZONE when the session's zone is none.
leat_status lt_datetime_context_init(lt_datetime_context *context, const lt_evaluation *evaluation, leat_error *err);

// Blanks and control characters around the text are ignored.
bool lt_date_parse(const char *text, size_t bytes, int32_t *out_days);
bool lt_timestamp_parse(const lt_datetime_context *context, const char *text, size_t bytes, int64_t *out_us);
// A zone in the text is dropped if allowed, else the text is refused. A time alone is refused.
bool lt_timestamp_ntz_parse(const lt_datetime_context *context, const char *text, size_t bytes, bool is_zone_allowed,
                            int64_t *out_us);
bool lt_time_parse(const char *text, size_t bytes, int64_t *out_us);

// epoch now today tomorrow yesterday, in any case: they are meant in literals and in CAST of constant texts only.
bool lt_date_parse_special(const lt_datetime_context *context, const char *text, size_t bytes, int32_t *out_days);
bool lt_timestamp_parse_special(const lt_datetime_context *context, const char *text, size_t bytes, int64_t *out_us);
bool lt_timestamp_ntz_parse_special(const lt_datetime_context *context, const char *text, size_t bytes,
                                    int64_t *out_us);

// DATE '...' and so on: parse and special words. Errors: INVALID_TYPED_LITERAL at `place`.
leat_status lt_date_literal(const lt_datetime_context *context, const char *text, size_t bytes, const lt_place *place,
                            int32_t *out_days, leat_error *err);
leat_status lt_timestamp_literal(const lt_datetime_context *context, const char *text, size_t bytes,
                                 const lt_place *place, int64_t *out_us, leat_error *err);
leat_status lt_timestamp_ntz_literal(const lt_datetime_context *context, const char *text, size_t bytes,
                                     const lt_place *place, int64_t *out_us, leat_error *err);
leat_status lt_time_literal(const char *text, size_t bytes, const lt_place *place, int64_t *out_us, leat_error *err);

enum { LT_DATETIME_TEXT_BYTES = 48 }; // room for any of the texts, NUL included
// Return the bytes written; `out` is NUL-terminated.
size_t lt_date_print(int32_t days, char out[LT_DATETIME_TEXT_BYTES]);
size_t lt_timestamp_print(const lt_time_zone *zone, int64_t us, char out[LT_DATETIME_TEXT_BYTES]);
size_t lt_timestamp_ntz_print(int64_t us, char out[LT_DATETIME_TEXT_BYTES]);
size_t lt_time_print(int64_t us, char out[LT_DATETIME_TEXT_BYTES]);

#endif
