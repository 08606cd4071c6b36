#include "base/number_text.h"
#include "exec/kernels/cast_rows.h"

#include <math.h>

// Casts to TINYINT, SMALLINT, INT and BIGINT. Fractions are cut off; what does not fit is CAST_OVERFLOW, but a text out
// of range is CAST_INVALID_INPUT. Timestamps and times give whole seconds rounded down, intervals whole last units.
// Source: Spark SQL 4, ANSI mode.

#define INTEGER_NAME(from) from##_to_tinyint
#define INTEGER_LANE int8_t
#define INTEGER_MIN INT8_MIN
#define INTEGER_MAX INT8_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define INTEGER_NAME(from) from##_to_smallint
#define INTEGER_LANE int16_t
#define INTEGER_MIN INT16_MIN
#define INTEGER_MAX INT16_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define INTEGER_NAME(from) from##_to_int
#define INTEGER_LANE int32_t
#define INTEGER_MIN INT32_MIN
#define INTEGER_MAX INT32_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define INTEGER_NAME(from) from##_to_bigint
#define INTEGER_LANE int64_t
#define INTEGER_MIN INT64_MIN
#define INTEGER_MAX INT64_MAX
#include "exec/kernels/cast_to_integer.tmpl.h"

#define ROWS(into_kind, into)                                                                                          \
    LT_CAST_ROW(LT_BOOLEAN, into_kind, false, boolean_to_##into),                                                      \
        LT_CAST_ROW(LT_FLOAT, into_kind, true, float_to_##into),                                                       \
        LT_CAST_ROW(LT_DOUBLE, into_kind, true, double_to_##into),                                                     \
        LT_CAST_ROW(LT_DECIMAL, into_kind, true, decimal_to_##into),                                                   \
        LT_CAST_ROW(LT_STRING, into_kind, true, string_to_##into),                                                     \
        LT_CAST_ROW(LT_TIMESTAMP, into_kind, (into_kind) != LT_BIGINT, timestamp_to_##into),                           \
        LT_CAST_ROW(LT_TIME, into_kind, (into_kind) < LT_INT, timestamp_to_##into),                                    \
        LT_CAST_ROW(LT_INTERVAL_YEAR_MONTH, into_kind, (into_kind) < LT_INT, months_to_##into),                        \
        LT_CAST_ROW(LT_INTERVAL_DAY_TIME, into_kind, (into_kind) != LT_BIGINT, microseconds_to_##into)
// The loop from a type to itself is made with the others; no pair of one kind needs a cast.
#define SAME(function) _Static_assert(sizeof(&(function)) > 0, "made by the template")
SAME(tinyint_to_tinyint);
SAME(smallint_to_smallint);
SAME(int_to_int);
SAME(bigint_to_bigint);

const lt_cast lt_casts_to_integer[] = {
    ROWS(LT_TINYINT, tinyint),
    LT_CAST_ROW(LT_SMALLINT, LT_TINYINT, true, smallint_to_tinyint),
    LT_CAST_ROW(LT_INT, LT_TINYINT, true, int_to_tinyint),
    LT_CAST_ROW(LT_BIGINT, LT_TINYINT, true, bigint_to_tinyint),
    ROWS(LT_SMALLINT, smallint),
    LT_CAST_ROW(LT_TINYINT, LT_SMALLINT, false, tinyint_to_smallint),
    LT_CAST_ROW(LT_INT, LT_SMALLINT, true, int_to_smallint),
    LT_CAST_ROW(LT_BIGINT, LT_SMALLINT, true, bigint_to_smallint),
    ROWS(LT_INT, int),
    LT_CAST_ROW(LT_TINYINT, LT_INT, false, tinyint_to_int),
    LT_CAST_ROW(LT_SMALLINT, LT_INT, false, smallint_to_int),
    LT_CAST_ROW(LT_BIGINT, LT_INT, true, bigint_to_int),
    ROWS(LT_BIGINT, bigint),
    LT_CAST_ROW(LT_TINYINT, LT_BIGINT, false, tinyint_to_bigint),
    LT_CAST_ROW(LT_SMALLINT, LT_BIGINT, false, smallint_to_bigint),
    LT_CAST_ROW(LT_INT, LT_BIGINT, false, int_to_bigint),
    {0},
};
