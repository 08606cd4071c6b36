// window_assign: the time windows of window(time, duration [, slide [, offset]]): [start, end), aligned to 1970 UTC.
//
//     duration 12 min, slide 5 min, offset 2 min:   12:05 -> [12:02, 12:14), [11:57, 12:09)      latest start first
//
// Ownership  values only.   Threads  any.
// Errors     DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE (not above zero), .PARAMETER_CONSTRAINT_VIOLATION (slide above the
//            duration, offset not within the slide, duration no multiple of the step), CANNOT_PARSE_INTERVAL,
//            _LEGACY_ERROR_TEMP_3231 (months),
//            _LEGACY_ERROR_TEMP_1207 (not constant, or of another type).
// Source     Spark SQL 4: TimeWindow; spark-semantics 7.4.
#ifndef LT_BASE_WINDOW_ASSIGN_H
#define LT_BASE_WINDOW_ASSIGN_H

#include "base/interval.h"

typedef struct lt_window_spec {
    int64_t duration_us, slide_us, offset_us; // 0 < slide <= duration, |offset| < slide
    int64_t
        step_us; // cumulating windows: of equal start, each a step longer, up to the duration; 0: one window a start
} lt_window_spec;

// A constant length: a text like '10 minutes', whole microseconds, or (if allowed) an INTERVAL. NULL: not constant.
leat_status lt_window_length(const lt_vector *constant, bool is_interval_allowed, const lt_place *place,
                             int64_t *out_us, leat_error *err);
// Checks the rules between the three.
leat_status lt_window_spec_check(const lt_window_spec *spec, const lt_place *place, leat_error *err);

// Start of the latest window that holds the time. Earlier ones follow in steps of the slide while
// start > time - duration.
static inline int64_t lt_window_last_start(const lt_window_spec *spec, int64_t time_us) {
    return time_us - lt_floor_mod(time_us - spec->offset_us, spec->slide_us);
}

#endif
