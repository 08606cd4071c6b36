#include "exec/numbers.h"

#include <math.h>

// negative (unary -), positive (unary +), abs, sign and signum. The smallest integer has no magnitude.
// Source: Spark SQL 4, ANSI mode.

#define INTEGER_KERNELS(lane, unsigned_lane, least, name)                                                              \
    LT_MAP_CHECKED(negative_##name, lane, lane, *failed = x == least; *out = (lane)(0 - (unsigned_lane)x);)            \
    LT_MAP_CHECKED(abs_##name, lane, lane, *failed = x == least; *out = x < 0 ? (lane)(0 - (unsigned_lane)x) : x;)     \
    LT_MAP(positive_##name, lane, lane, *out = x;)
INTEGER_KERNELS(int8_t, uint8_t, INT8_MIN, tinyint)
INTEGER_KERNELS(int16_t, uint16_t, INT16_MIN, smallint)
INTEGER_KERNELS(int32_t, uint32_t, INT32_MIN, int)
INTEGER_KERNELS(int64_t, uint64_t, INT64_MIN, bigint)

#define KERNELS(lane, name, magnitude)                                                                                 \
    LT_MAP(negative_##name, lane, lane, *out = -x;)                                                                    \
    LT_MAP(abs_##name, lane, lane, *out = magnitude;)                                                                  \
    LT_MAP(positive_##name, lane, lane, *out = x;)
KERNELS(float, float, fabsf(x))
KERNELS(double, double, fabs(x))
KERNELS(lt_int128, decimal, x < 0 ? -x : x)

LT_MAP(sign_double, double, double, *out = x > 0 ? 1 : x < 0 ? -1 : x;)

// The argument keeps its type; a text or bare NULL becomes DOUBLE.
static leat_status resolve_same(lt_resolution *resolution, leat_error *err) {
    (void)err;
    const lt_type *type = resolution->types[0];
    if (type->kind == LT_STRING || type->kind == LT_VOID) type = lt_type_of(LT_DOUBLE);
    if (type->kind != resolution->function->returns) return LEAT_DONE;
    resolution->types[0] = resolution->result = type;
    return LEAT_OK;
}

#define ROW(text, kind, function, condition)                                                                           \
    .name = text, .takes = {LT_TAKES_ANY}, .returns = kind, .resolve = resolve_same, .kernel = function,               \
    .fails_with = condition, .can_fail = (condition) != LT_CONDITION_NONE
#define ROWS(text, operation, condition)                                                                               \
    {ROW(text, LT_SMALLINT, operation##_smallint, condition)}, {ROW(text, LT_INT, operation##_int, condition)},        \
        {ROW(text, LT_BIGINT, operation##_bigint, condition)},                                                         \
        {ROW(text, LT_FLOAT, operation##_float, LT_CONDITION_NONE)},                                                   \
        {ROW(text, LT_DOUBLE, operation##_double, LT_CONDITION_NONE)}, {                                               \
        ROW(text, LT_DECIMAL, operation##_decimal, LT_CONDITION_NONE)                                                  \
    }

#define POSITIVE_NAME .display = "(+ $1)"

const lt_function lt_functions_arithmetic_sign[] = {
    {ROW("negative", LT_TINYINT, negative_tinyint, LT_ARITHMETIC_OVERFLOW),
     .summary = "The number with the other sign.", .example = "SELECT negative(5)", .example_result = "-5"},
    ROWS("negative", negative, LT_ARITHMETIC_OVERFLOW),
    {ROW("positive", LT_TINYINT, positive_tinyint, LT_CONDITION_NONE), POSITIVE_NAME, .summary = "The number itself.",
     .example = "SELECT positive(5)", .example_result = "5"},
    {ROW("positive", LT_SMALLINT, positive_smallint, LT_CONDITION_NONE), POSITIVE_NAME},
    {ROW("positive", LT_INT, positive_int, LT_CONDITION_NONE), POSITIVE_NAME},
    {ROW("positive", LT_BIGINT, positive_bigint, LT_CONDITION_NONE), POSITIVE_NAME},
    {ROW("positive", LT_FLOAT, positive_float, LT_CONDITION_NONE), POSITIVE_NAME},
    {ROW("positive", LT_DOUBLE, positive_double, LT_CONDITION_NONE), POSITIVE_NAME},
    {ROW("positive", LT_DECIMAL, positive_decimal, LT_CONDITION_NONE), POSITIVE_NAME},
    {ROW("abs", LT_TINYINT, abs_tinyint, LT_ARITHMETIC_OVERFLOW), .summary = "The magnitude of a number.",
     .example = "SELECT abs(-3)", .example_result = "3"},
    ROWS("abs", abs, LT_ARITHMETIC_OVERFLOW),
    {.name           = "sign",
     .takes          = {LT_TAKES_DOUBLE},
     .returns        = LT_DOUBLE,
     .kernel         = sign_double,
     .summary        = "-1.0, 0.0 or 1.0: the sign of a number.",
     .example        = "SELECT sign(-5)",
     .example_result = "-1.0"},
    {.name           = "signum",
     .takes          = {LT_TAKES_DOUBLE},
     .returns        = LT_DOUBLE,
     .kernel         = sign_double,
     .display        = "SIGNUM($1)",
     .summary        = "-1.0, 0.0 or 1.0: the sign of a number.",
     .example        = "SELECT signum(-5)",
     .example_result = "-1.0"},
    {0},
};
