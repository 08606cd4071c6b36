// datetime_pattern: Spark's date patterns ("yyyy-MM-dd HH:mm:ss[.SSS][XXX]"), compiled once, then format or parse.
//
// Ownership  a compiled pattern lives in the arena it was made in; const, any thread.
// Limits     1,024 bytes of pattern; optional sections nest up to 16 deep.
// Errors     INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER and .WITH_SUGGESTION,
//            INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION and .DATETIME_WEEK_BASED_PATTERN.
// Cost       O(pattern) a value.
// Source     Spark SQL 4: DateTimeFormatterHelper over java.time.format; spark-semantics 1.8 (table of letters).
#ifndef LT_BASE_DATETIME_PATTERN_H
#define LT_BASE_DATETIME_PATTERN_H

#include "base/datetime_text.h"

typedef struct lt_datetime_pattern lt_datetime_pattern;

typedef enum lt_pattern_use { LT_PATTERN_FORMAT, LT_PATTERN_PARSE } lt_pattern_use;

leat_status lt_datetime_pattern_compile(lt_arena *arena, const char *pattern, size_t bytes, lt_pattern_use use,
                                        const lt_place *place, const lt_datetime_pattern **out, leat_error *err);

// Appends the instant as seen in the zone. For a wall clock give the zone UTC (lt_time_zone_find of "UTC").
leat_status lt_datetime_pattern_format(const lt_datetime_pattern *pattern, const lt_time_zone *zone, int64_t us,
                                       lt_buffer *out, leat_error *err);

// No field of a date or zone has to be in a text of it: it can format a time of day.
bool lt_datetime_pattern_is_time(const lt_datetime_pattern *pattern);

// Instants around `us` whose text is that of `us`: rows that come in the order of time need few texts.
void lt_datetime_pattern_stretch(const lt_datetime_pattern *pattern, const lt_time_zone *zone, int64_t us,
                                 int64_t *out_first_us, int64_t *out_last_us);

typedef struct lt_datetime_parsed {
    int64_t local_us;           // wall clock; missing parts are 1970, 01, 01 and 00:00:00
    int64_t utc_us;             // the instant: in the zone of the text, or else of the context
    bool    has_date, has_time; // some field of it was in the text
    bool    has_zone;
} lt_datetime_parsed;

// The whole text must fit. False: it does not.
bool lt_datetime_pattern_parse(const lt_datetime_pattern *pattern, const lt_datetime_context *context, const char *text,
                               size_t bytes, lt_datetime_parsed *out);

#endif
