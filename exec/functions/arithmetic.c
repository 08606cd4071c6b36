#include "base/checked.h"
#include "exec/numbers.h"

// + - * and their try_ forms: a row per type that is computed in. Integers that overflow fail, floating numbers become
// infinite, decimals get the shape of Spark's rules and fail when 38 digits do not hold the result.
// Source: Spark SQL 4, ANSI mode; spark-semantics 1.5.

#define INTEGER_KERNELS(lane, name)                                                                                    \
    LT_MAP2_CHECKED(add_##name, lane, lane, *failed = lt_add_overflows(x, y, out);)                                    \
    LT_MAP2_CHECKED(subtract_##name, lane, lane, *failed = lt_subtract_overflows(x, y, out);)                          \
    LT_MAP2_CHECKED(multiply_##name, lane, lane, *failed = lt_multiply_overflows(x, y, out);)
#define FLOATING_KERNELS(lane, name)                                                                                   \
    LT_MAP2(add_##name, lane, lane, *out = x + y;)                                                                     \
    LT_MAP2(subtract_##name, lane, lane, *out = x - y;)                                                                \
    LT_MAP2(multiply_##name, lane, lane, *out = x * y;)

INTEGER_KERNELS(int8_t, tinyint)
INTEGER_KERNELS(int16_t, smallint)
INTEGER_KERNELS(int32_t, int)
INTEGER_KERNELS(int64_t, bigint)
FLOATING_KERNELS(float, float)
FLOATING_KERNELS(double, double)

typedef bool (*decimal_operation)(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                                  lt_int128 *out);

static inline bool is_small(lt_int128 value) { return value == (int64_t)value; }

// Every lane whose operands do not both have 64 bits, or every lane.
static void decimal_run(const lt_lanes *lanes, decimal_operation operation, bool is_every) {
    const lt_int128 *left = lanes->values[0], *right = lanes->values[1];
    lt_int128       *out        = lanes->results;
    uint32_t         left_scale = lanes->types[0]->scale, right_scale = lanes->types[1]->scale;
    lt_decimal_shape shape = lt_decimal_shape_of(lanes->result_type);
    for (size_t i = 0; i < lanes->count; i++) {
        const lt_int128 x = left[i * lanes->steps[0]], y = right[i * lanes->steps[1]];
        if (is_every || !(is_small(x) & is_small(y)))
            lanes->failed[i] = !operation(x, left_scale, y, right_scale, shape, &out[i]);
    }
}

// A loop over operands of 64 bits, whose results 128 bits and the precision of the result type hold, whatever they are.
// Gives whether there are others; their lanes hold anything then.
#define SMALL_DECIMALS(name, exact)                                                                                    \
    static bool name(const lt_lanes *lanes, int64_t x_factor, int64_t y_factor) {                                      \
        typedef lt_int128 x_type;                                                                                      \
        typedef lt_int128 y_type;                                                                                      \
        const x_type *restrict xs = lanes->values[0];                                                                  \
        const y_type *restrict ys = lanes->values[1];                                                                  \
        lt_int128 *restrict outs  = lanes->results;                                                                    \
        uint64_t odd              = 0;                                                                                 \
        (void)x_factor;                                                                                                \
        (void)y_factor;                                                                                                \
        if (lanes->steps[0] != 0 && lanes->steps[1] != 0)                                                              \
            LT_MAP2_LOOP(xs[i], ys[i], lt_int128, *out = exact; odd |= rest_of(x) | rest_of(y);)                       \
        else if (lanes->steps[0] != 0)                                                                                 \
            LT_MAP2_LOOP(xs[i], ys[0], lt_int128, *out = exact; odd |= rest_of(x) | rest_of(y);)                       \
        else                                                                                                           \
            LT_MAP2_LOOP(xs[0], ys[i * lanes->steps[1]], lt_int128, *out = exact; odd |= rest_of(x) | rest_of(y);)     \
        return odd != 0;                                                                                               \
    }
// 0: the upper half only repeats the sign of the lower one.
static inline uint64_t rest_of(lt_int128 value) { return (uint64_t)(value >> 64) ^ (uint64_t)((int64_t)value >> 63); }
SMALL_DECIMALS(add_small, (lt_int128)(int64_t)x *x_factor + (lt_int128)(int64_t)y * y_factor)
SMALL_DECIMALS(multiply_small, (lt_int128)(int64_t)x *(int64_t)y)

static bool holds(const lt_type *into, uint32_t digits) {
    return into->precision >= digits || into->precision == LT_DECIMAL_PRECISION_MAX;
}

static void decimal_sum(const lt_lanes *lanes, decimal_operation operation, int64_t sign) {
    enum { SMALL_EXPONENT_MAX = 18 }; // 10^18 has 64 bits
    const lt_type *x = lanes->types[0], *y = lanes->types[1], *into = lanes->result_type;
    const uint32_t scale = x->scale > y->scale ? x->scale : y->scale, x_up = scale - x->scale, y_up = scale - y->scale;
    const uint32_t x_digits = x->precision + x_up, y_digits = y->precision + y_up;
    const bool     is_exact = into->scale == scale && x_up <= SMALL_EXPONENT_MAX && y_up <= SMALL_EXPONENT_MAX &&
                          holds(into, (x_digits > y_digits ? x_digits : y_digits) + 1);
    if (!is_exact || add_small(lanes, (int64_t)lt_decimal_power(x_up), (int64_t)lt_decimal_power(y_up) * sign))
        decimal_run(lanes, operation, !is_exact);
}

static void add_decimal(const lt_lanes *lanes) { decimal_sum(lanes, lt_decimal_add, 1); }
static void subtract_decimal(const lt_lanes *lanes) { decimal_sum(lanes, lt_decimal_subtract, -1); }
static void multiply_decimal(const lt_lanes *lanes) {
    const lt_type *x = lanes->types[0], *y = lanes->types[1], *into = lanes->result_type;
    const bool     is_exact =
        into->scale == (uint32_t)x->scale + y->scale && holds(into, (uint32_t)x->precision + y->precision);
    if (!is_exact || multiply_small(lanes, 1, 1)) decimal_run(lanes, lt_decimal_multiply, !is_exact);
}

static leat_status resolve_add(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->function->returns;
    return lt_resolve_operands(resolution, kind, kind == LT_DECIMAL ? NULL : lt_type_of(kind), lt_decimal_add_shape,
                               err);
}
static leat_status resolve_multiply(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->function->returns;
    return lt_resolve_operands(resolution, kind, kind == LT_DECIMAL ? NULL : lt_type_of(kind),
                               lt_decimal_multiply_shape, err);
}

// A text operand stays a text: its own failure is tried too.
static leat_status resolve_try(lt_resolution *resolution, leat_status (*resolve)(lt_resolution *, leat_error *),
                               leat_error    *err) {
    const lt_type *types[2] = {resolution->types[0], resolution->types[1]};
    LT_TRY(resolve(resolution, err));
    for (int a = 0; a < 2; a++)
        if (types[a]->kind == LT_STRING) resolution->types[a] = types[a];
    return LEAT_OK;
}
static leat_status resolve_try_add(lt_resolution *resolution, leat_error *err) {
    return resolve_try(resolution, resolve_add, err);
}
static leat_status resolve_try_multiply(lt_resolution *resolution, leat_error *err) {
    return resolve_try(resolution, resolve_multiply, err);
}

#define TRY_FORM(operation, name, kind)                                                                                \
    static leat_status try_##operation##_##name(lt_call *call, leat_error *err) {                                      \
        return lt_call_try_kernel(call, operation##_##name, kind, err);                                                \
    }
#define TRY_FORMS(operation)                                                                                           \
    TRY_FORM(operation, tinyint, LT_TINYINT)                                                                           \
    TRY_FORM(operation, smallint, LT_SMALLINT)                                                                         \
    TRY_FORM(operation, int, LT_INT)                                                                                   \
    TRY_FORM(operation, bigint, LT_BIGINT)                                                                             \
    TRY_FORM(operation, float, LT_FLOAT)                                                                               \
    TRY_FORM(operation, double, LT_DOUBLE)                                                                             \
    TRY_FORM(operation, decimal, LT_DECIMAL)
TRY_FORMS(add)
TRY_FORMS(subtract)
TRY_FORMS(multiply)

#define ROW(symbol, kind, function, resolver, condition)                                                               \
    .name = symbol, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .returns = kind, .resolve = resolver, .kernel = function,   \
    .fails_with = condition, .can_fail = (condition) != LT_CONDITION_NONE, .display = "($1 " symbol " $2)"
#define ROWS(symbol, operation, resolver)                                                                              \
    {ROW(symbol, LT_SMALLINT, operation##_smallint, resolver, LT_BINARY_ARITHMETIC_OVERFLOW)},                         \
        {ROW(symbol, LT_INT, operation##_int, resolver, LT_ARITHMETIC_OVERFLOW)},                                      \
        {ROW(symbol, LT_BIGINT, operation##_bigint, resolver, LT_ARITHMETIC_OVERFLOW)},                                \
        {ROW(symbol, LT_FLOAT, operation##_float, resolver, LT_CONDITION_NONE)},                                       \
        {ROW(symbol, LT_DOUBLE, operation##_double, resolver, LT_CONDITION_NONE)}, {                                   \
        ROW(symbol, LT_DECIMAL, operation##_decimal, resolver, LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION)         \
    }
#define TRY_ROW(text, kind, function, resolver)                                                                        \
    .name = text, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .returns = kind, .resolve = resolver, .evaluate = function
#define TRY_ROWS(text, operation, resolver)                                                                            \
    {TRY_ROW(text, LT_SMALLINT, operation##_smallint, resolver)}, {TRY_ROW(text, LT_INT, operation##_int, resolver)},  \
        {TRY_ROW(text, LT_BIGINT, operation##_bigint, resolver)},                                                      \
        {TRY_ROW(text, LT_FLOAT, operation##_float, resolver)},                                                        \
        {TRY_ROW(text, LT_DOUBLE, operation##_double, resolver)}, {                                                    \
        TRY_ROW(text, LT_DECIMAL, operation##_decimal, resolver)                                                       \
    }

const lt_function lt_functions_arithmetic[] = {
    {ROW("+", LT_TINYINT, add_tinyint, resolve_add, LT_BINARY_ARITHMETIC_OVERFLOW),
     .summary = "Sum of two numbers, or a date or interval moved by another.", .example = "SELECT 1 + 2",
     .example_result = "3"},
    ROWS("+", add, resolve_add),
    {ROW("-", LT_TINYINT, subtract_tinyint, resolve_add, LT_BINARY_ARITHMETIC_OVERFLOW),
     .summary = "Difference of two numbers, dates or intervals.", .example = "SELECT 5 - 7", .example_result = "-2"},
    ROWS("-", subtract, resolve_add),
    {ROW("*", LT_TINYINT, multiply_tinyint, resolve_multiply, LT_BINARY_ARITHMETIC_OVERFLOW),
     .summary = "Product of two numbers, or of an interval and a number.", .example = "SELECT 6 * 7",
     .example_result = "42"},
    ROWS("*", multiply, resolve_multiply),
    {TRY_ROW("try_add", LT_TINYINT, try_add_tinyint, resolve_try_add),
     .summary = "Like +, but NULL where the sum does not fit.", .example = "SELECT try_add(2147483647, 1)",
     .example_result = "NULL"},
    TRY_ROWS("try_add", try_add, resolve_try_add),
    {TRY_ROW("try_subtract", LT_TINYINT, try_subtract_tinyint, resolve_try_add),
     .summary = "Like -, but NULL where the difference does not fit.", .example = "SELECT try_subtract(5, 7)",
     .example_result = "-2"},
    TRY_ROWS("try_subtract", try_subtract, resolve_try_add),
    {TRY_ROW("try_multiply", LT_TINYINT, try_multiply_tinyint, resolve_try_multiply),
     .summary = "Like *, but NULL where the product does not fit.", .example = "SELECT try_multiply(2147483647, 2)",
     .example_result = "NULL"},
    TRY_ROWS("try_multiply", try_multiply, resolve_try_multiply),
    {0},
};
