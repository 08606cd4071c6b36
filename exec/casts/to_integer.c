#include "base/date.h"
#include "base/number_text.h"
#include "exec/kernels/cast_rows.h"

#include <math.h>

// Casts to TINYINT, SMALLINT, INT and BIGINT. Fractions are cut off; what does not fit is CAST_OVERFLOW, but a text out
// of range is CAST_INVALID_INPUT. Timestamps give whole seconds rounded down, intervals whole last units.
// Source: Spark SQL 4, ANSI mode.

// Months or microseconds of a unit.
static int64_t unit_length(lt_unit unit) {
    static const int64_t lengths[] = {[LT_UNIT_YEAR]   = 12,
                                      [LT_UNIT_MONTH]  = 1,
                                      [LT_UNIT_DAY]    = LT_US_PER_DAY,
                                      [LT_UNIT_HOUR]   = LT_US_PER_HOUR,
                                      [LT_UNIT_MINUTE] = LT_US_PER_MINUTE,
                                      [LT_UNIT_SECOND] = LT_US_PER_SECOND};
    return lengths[unit];
}

#define INTEGER_NAME to_tinyint
#define INTEGER_LANE int8_t
#define INTEGER_MIN INT8_MIN
#define INTEGER_MAX INT8_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define INTEGER_NAME to_smallint
#define INTEGER_LANE int16_t
#define INTEGER_MIN INT16_MIN
#define INTEGER_MAX INT16_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define INTEGER_NAME to_int
#define INTEGER_LANE int32_t
#define INTEGER_MIN INT32_MIN
#define INTEGER_MAX INT32_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define INTEGER_NAME to_bigint
#define INTEGER_LANE int64_t
#define INTEGER_MIN INT64_MIN
#define INTEGER_MAX INT64_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define ROW(from_kind, into_kind, fails, function)                                                                     \
    { .from = from_kind, .into = into_kind, .can_fail = fails, .run = function }
#define ROWS(into_kind, function)                                                                                      \
    ROW(LT_BOOLEAN, into_kind, false, function), ROW(LT_FLOAT, into_kind, true, function),                             \
        ROW(LT_DOUBLE, into_kind, true, function), ROW(LT_DECIMAL, into_kind, true, function),                         \
        ROW(LT_STRING, into_kind, true, function), ROW(LT_TIMESTAMP, into_kind, into_kind != LT_BIGINT, function),     \
        ROW(LT_INTERVAL_YEAR_MONTH, into_kind, into_kind != LT_BIGINT && into_kind != LT_INT, function),               \
        ROW(LT_INTERVAL_DAY_TIME, into_kind, into_kind != LT_BIGINT, function)

const lt_cast lt_casts_to_integer[] = {
    ROWS(LT_TINYINT, to_tinyint),
    ROW(LT_SMALLINT, LT_TINYINT, true, to_tinyint),
    ROW(LT_INT, LT_TINYINT, true, to_tinyint),
    ROW(LT_BIGINT, LT_TINYINT, true, to_tinyint),
    ROWS(LT_SMALLINT, to_smallint),
    ROW(LT_TINYINT, LT_SMALLINT, false, to_smallint),
    ROW(LT_INT, LT_SMALLINT, true, to_smallint),
    ROW(LT_BIGINT, LT_SMALLINT, true, to_smallint),
    ROWS(LT_INT, to_int),
    ROW(LT_TINYINT, LT_INT, false, to_int),
    ROW(LT_SMALLINT, LT_INT, false, to_int),
    ROW(LT_BIGINT, LT_INT, true, to_int),
    ROWS(LT_BIGINT, to_bigint),
    ROW(LT_TINYINT, LT_BIGINT, false, to_bigint),
    ROW(LT_SMALLINT, LT_BIGINT, false, to_bigint),
    ROW(LT_INT, LT_BIGINT, false, to_bigint),
    {0},
};
