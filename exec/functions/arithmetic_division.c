#include "base/checked.h"
#include "base/divisor.h"
#include "exec/numbers.h"

#include <math.h>

// / div % mod pmod and their try_ forms. / of integers and floats is DOUBLE; div gives a BIGINT cut toward zero; the
// remainder has the sign of the dividend, pmod that of the divisor or none. A divisor of zero fails for floating
// numbers too. Source: Spark SQL 4, ANSI mode; spark-semantics 1.5.

LT_MAP2_CHECKED(divide_double, double, double, *failed = y == 0; *out = x / y;)
// A text beside an integer has to be an integer itself, though the quotient is DOUBLE.
LT_MAP2_CHECKED(divide_bigint, int64_t, double, *failed = y == 0; *out = (double)x / (double)y;)

static inline uint64_t magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

// Whether an operand that stays the same divides every lane: by a product then.
static bool is_divided_by_constant(const lt_lanes *lanes, int64_t divisor) {
    return lanes->steps[0] != 0 && lanes->steps[1] == 0 && magnitude(divisor) > 1;
}

// The smallest integer by -1 has no quotient but a remainder.
#define REMAINDER_KERNELS(lane, name)                                                                                  \
    LT_MAP2_CHECKED(remainder_each_##name, lane, lane, *failed = y == 0;                                               \
                    *out = (lane)(y == 0 || y == -1 ? 0 : x % y);)                                                     \
    LT_MAP2_CHECKED(pmod_each_##name, lane, lane, *failed = y == 0; const int64_t divisor = y == 0 ? 1 : y;            \
                    const int64_t rest = divisor == -1 ? 0 : x % divisor;                                              \
                    *out               = (lane)(rest < 0 ? (int64_t)(((lt_int128)rest + divisor) % divisor) : rest);)  \
    static void remainder_##name(const lt_lanes *lanes) {                                                              \
        const lane *restrict in = lanes->values[0];                                                                    \
        lane *restrict out      = lanes->results;                                                                      \
        const int64_t divisor   = lanes->count > 0 ? *(const lane *)lanes->values[1] : 0;                              \
        if (!is_divided_by_constant(lanes, divisor)) {                                                                 \
            remainder_each_##name(lanes);                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        const lt_divisor by = lt_divisor_of(magnitude(divisor));                                                       \
        for (size_t i = 0; i < lanes->count; i++) {                                                                    \
            const int64_t  x    = in[i];                                                                               \
            const uint64_t rest = magnitude(x) - lt_divide(magnitude(x), &by) * by.value;                              \
            out[i]              = (lane)(x < 0 ? 0 - rest : rest);                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static void pmod_##name(const lt_lanes *lanes) {                                                                   \
        lane *restrict out    = lanes->results;                                                                        \
        const int64_t divisor = lanes->count > 0 ? *(const lane *)lanes->values[1] : 0;                                \
        if (!is_divided_by_constant(lanes, divisor)) {                                                                 \
            pmod_each_##name(lanes);                                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        remainder_##name(lanes);                                                                                       \
        for (size_t i = 0; i < lanes->count && divisor > 0; i++)                                                       \
            out[i] = (lane)(out[i] < 0 ? out[i] + divisor : out[i]);                                                   \
    }
#define FLOATING_KERNELS(lane, name, modulus)                                                                          \
    LT_MAP2_CHECKED(remainder_##name, lane, lane, *failed = y == 0; *out = modulus(x, y);)                             \
    LT_MAP2_CHECKED(pmod_##name, lane, lane, *failed = y == 0; const lane rest = modulus(x, y);                        \
                    *out = rest < 0 ? modulus(rest + y, y) : rest;)

REMAINDER_KERNELS(int8_t, tinyint)
REMAINDER_KERNELS(int16_t, smallint)
REMAINDER_KERNELS(int32_t, int)
REMAINDER_KERNELS(int64_t, bigint)
FLOATING_KERNELS(float, float, fmodf)
FLOATING_KERNELS(double, double, fmod)

// One pair of decimals; the result's shape is `into`, of DIV it is not used.
typedef struct decimal_pair {
    lt_int128        left, right;
    uint32_t         left_scale, right_scale;
    lt_decimal_shape into;
} decimal_pair;

static bool decimal_quotient(const decimal_pair *pair, lt_int128 *out) {
    return lt_decimal_divide(pair->left, pair->left_scale, pair->right, pair->right_scale, pair->into, out);
}
static bool decimal_remainder(const decimal_pair *pair, lt_int128 *out) {
    return lt_decimal_remainder(pair->left, pair->left_scale, pair->right, pair->right_scale, pair->into, out);
}
static bool decimal_pmod(const decimal_pair *pair, lt_int128 *out) {
    if (!decimal_remainder(pair, out)) return false;
    if (*out >= 0) return true;
    lt_decimal_shape wide = {LT_DECIMAL_PRECISION_MAX, pair->into.scale};
    lt_int128        moved;
    return lt_decimal_add(*out, pair->into.scale, pair->right, pair->right_scale, wide, &moved) &&
           lt_decimal_remainder(moved, wide.scale, pair->right, pair->right_scale, pair->into, out);
}

// Zero divisors raise `zero`; with is_try they and results that do not fit become NULL.
static leat_status decimal_rows(lt_call *call, bool (*operation)(const decimal_pair *, lt_int128 *), lt_condition zero,
                                bool is_try, leat_error *err) {
    decimal_pair pair = {.left_scale  = call->arguments[0]->type->scale,
                         .right_scale = call->arguments[1]->type->scale,
                         .into        = lt_decimal_shape_of(call->result->type)};
    LT_EACH_ROW(call, row) {
        pair.left    = LT_ARG(call, 0, lt_int128, row);
        pair.right   = LT_ARG(call, 1, lt_int128, row);
        bool is_zero = pair.right == 0;
        bool has_fit = !is_zero && operation(&pair, &LT_LANES(call->result, lt_int128)[row]);
        if (has_fit) continue;
        if (is_try)
            LT_TRY(lt_call_put_null(call, row, err));
        else if (is_zero)
            return lt_call_raise(call, err, zero, "division by zero; the try_ form gives NULL instead");
        else
            return lt_call_raise(call, err, LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION,
                                 "the quotient does not fit %s; the try_ form gives NULL instead",
                                 lt_type_text(call->arena, call->result->type));
    }
    return LEAT_OK;
}

static leat_status divide_decimal(lt_call *call, leat_error *err) {
    return decimal_rows(call, decimal_quotient, LT_DIVIDE_BY_ZERO, false, err);
}
static leat_status try_divide_decimal(lt_call *call, leat_error *err) {
    return decimal_rows(call, decimal_quotient, LT_DIVIDE_BY_ZERO, true, err);
}
static leat_status remainder_decimal(lt_call *call, leat_error *err) {
    return decimal_rows(call, decimal_remainder, LT_REMAINDER_BY_ZERO, false, err);
}
static leat_status try_remainder_decimal(lt_call *call, leat_error *err) {
    return decimal_rows(call, decimal_remainder, LT_REMAINDER_BY_ZERO, true, err);
}
static leat_status pmod_decimal(lt_call *call, leat_error *err) {
    return decimal_rows(call, decimal_pmod, LT_REMAINDER_BY_ZERO, false, err);
}

static leat_status raise_quotient(const lt_call *call, bool is_zero, leat_error *err) {
    if (is_zero) return lt_call_raise(call, err, LT_DIVIDE_BY_ZERO, "division by zero; try_divide gives NULL instead");
    return lt_call_raise(call, err, LT_ARITHMETIC_OVERFLOW, "the quotient does not fit BIGINT");
}

static leat_status div_bigint(lt_call *call, leat_error *err) {
    int64_t *results = LT_LANES(call->result, int64_t);
    if (call->arguments[1]->form == LT_CONSTANT && magnitude(LT_LANES(call->arguments[1], const int64_t)[0]) > 1) {
        const int64_t    divisor = LT_LANES(call->arguments[1], const int64_t)[0];
        const lt_divisor by      = lt_divisor_of(magnitude(divisor));
        LT_EACH_ROW(call, row) {
            int64_t  x        = LT_ARG(call, 0, int64_t, row);
            uint64_t quotient = lt_divide(magnitude(x), &by);
            results[row]      = (int64_t)((x < 0) != (divisor < 0) ? 0 - quotient : quotient);
        }
        return LEAT_OK;
    }
    LT_EACH_ROW(call, row) {
        int64_t x = LT_ARG(call, 0, int64_t, row), y = LT_ARG(call, 1, int64_t, row);
        if (y == 0 || (y == -1 && x == INT64_MIN)) return raise_quotient(call, y == 0, err);
        results[row] = x / y;
    }
    return LEAT_OK;
}

static leat_status div_decimal(lt_call *call, leat_error *err) {
    uint32_t x_scale = call->arguments[0]->type->scale, y_scale = call->arguments[1]->type->scale;
    LT_EACH_ROW(call, row) {
        lt_int128 x = LT_ARG(call, 0, lt_int128, row), y = LT_ARG(call, 1, lt_int128, row);
        if (y == 0 || !lt_decimal_integral_divide(x, x_scale, y, y_scale, &LT_LANES(call->result, int64_t)[row]))
            return raise_quotient(call, y == 0, err);
    }
    return LEAT_OK;
}

// Intervals of one kind: how often the second fits into the first.
static leat_status div_months(lt_call *call, leat_error *err) {
    int64_t *results = LT_LANES(call->result, int64_t);
    LT_EACH_ROW(call, row) {
        int32_t x = LT_ARG(call, 0, int32_t, row), y = LT_ARG(call, 1, int32_t, row);
        if (y == 0) return raise_quotient(call, true, err);
        results[row] = (int64_t)x / y;
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------- resolving

static leat_status try_divide_bigint(lt_call *call, leat_error *err) {
    return lt_call_try_kernel(call, divide_bigint, LT_BIGINT, err);
}
static bool is_divide_bigint(const lt_function *function) {
    return function->kernel == divide_bigint || function->evaluate == try_divide_bigint;
}

static leat_status resolve_divide(lt_resolution *resolution, leat_error *err) {
    if (resolution->function->returns == LT_DECIMAL)
        return lt_resolve_operands(resolution, LT_DECIMAL, NULL, lt_decimal_divide_shape, err);
    lt_operands operands;
    if (!lt_operands_find(resolution, &operands) || operands.kind == LT_DECIMAL) return LEAT_DONE;
    bool has_text  = resolution->types[0]->kind == LT_STRING || resolution->types[1]->kind == LT_STRING;
    bool is_bigint = has_text && operands.kind == LT_BIGINT;
    if (is_bigint != is_divide_bigint(resolution->function)) return LEAT_DONE;
    resolution->types[0] = resolution->types[1] = lt_type_of(is_bigint ? LT_BIGINT : LT_DOUBLE);
    resolution->result                          = lt_type_of(LT_DOUBLE);
    return LEAT_OK;
}

static leat_status resolve_try_divide(lt_resolution *resolution, leat_error *err) {
    const lt_type *types[2] = {resolution->types[0], resolution->types[1]};
    LT_TRY(resolve_divide(resolution, err));
    for (int a = 0; a < 2; a++)
        if (types[a]->kind == LT_STRING) resolution->types[a] = types[a];
    return LEAT_OK;
}

// DIV takes integers and decimals; a text beside an integer becomes one.
static leat_status resolve_div(lt_resolution *resolution, leat_error *err) {
    lt_operands operands;
    bool        is_void = resolution->types[0]->kind == LT_VOID && resolution->types[1]->kind == LT_VOID;
    if (!is_void && !lt_operands_find(resolution, &operands)) return LEAT_DONE;
    if (is_void) operands = (lt_operands){LT_BIGINT, lt_type_of(LT_BIGINT), lt_type_of(LT_BIGINT)};
    if (operands.left == NULL || operands.right == NULL) return lt_raise_no_memory(err);
    bool is_decimal = resolution->function->evaluate == div_decimal;
    if (is_decimal ? operands.kind != LT_DECIMAL : !lt_kind_is_integral(operands.kind)) return LEAT_DONE;
    resolution->types[0] = is_decimal ? operands.left : lt_type_of(LT_BIGINT);
    resolution->types[1] = is_decimal ? operands.right : lt_type_of(LT_BIGINT);
    resolution->result   = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

static leat_status resolve_div_interval(lt_resolution *resolution, leat_error *err) {
    (void)err;
    lt_kind kind = resolution->function->evaluate == div_months ? LT_INTERVAL_YEAR_MONTH : LT_INTERVAL_DAY_TIME;
    if (resolution->types[0]->kind != kind || resolution->types[1]->kind != kind) return LEAT_DONE;
    resolution->result = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

static leat_status resolve_remainder(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->function->returns;
    return lt_resolve_operands(resolution, kind, kind == LT_DECIMAL ? NULL : lt_type_of(kind),
                               lt_decimal_remainder_shape, err);
}

static leat_status resolve_try_remainder(lt_resolution *resolution, leat_error *err) {
    const lt_type *types[2] = {resolution->types[0], resolution->types[1]};
    LT_TRY(resolve_remainder(resolution, err));
    for (int a = 0; a < 2; a++)
        if (types[a]->kind == LT_STRING) resolution->types[a] = types[a];
    return LEAT_OK;
}

#define TRY_FORM(name, kernel, kind)                                                                                   \
    static leat_status name(lt_call *call, leat_error *err) { return lt_call_try_kernel(call, kernel, kind, err); }
TRY_FORM(try_divide_double, divide_double, LT_DOUBLE)
TRY_FORM(try_remainder_tinyint, remainder_tinyint, LT_TINYINT)
TRY_FORM(try_remainder_smallint, remainder_smallint, LT_SMALLINT)
TRY_FORM(try_remainder_int, remainder_int, LT_INT)
TRY_FORM(try_remainder_bigint, remainder_bigint, LT_BIGINT)
TRY_FORM(try_remainder_float, remainder_float, LT_FLOAT)
TRY_FORM(try_remainder_double, remainder_double, LT_DOUBLE)

#define HEAD(text, kind, resolver)                                                                                     \
    .name = text, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .returns = kind, .resolve = resolver
#define KERNEL(function, condition)                                                                                    \
    .kernel = function, .fails_with = condition, .can_fail = true,                                                     \
    .fail_message = "division by zero; the try_ form gives NULL instead"
#define REMAINDER_ROW(text, kind, function, shown)                                                                     \
    HEAD(text, kind, resolve_remainder), KERNEL(function, LT_REMAINDER_BY_ZERO), .display = shown
#define REMAINDER_ROWS(text, operation, shown)                                                                         \
    {REMAINDER_ROW(text, LT_SMALLINT, operation##_smallint, shown)},                                                   \
        {REMAINDER_ROW(text, LT_INT, operation##_int, shown)},                                                         \
        {REMAINDER_ROW(text, LT_BIGINT, operation##_bigint, shown)},                                                   \
        {REMAINDER_ROW(text, LT_FLOAT, operation##_float, shown)},                                                     \
        {REMAINDER_ROW(text, LT_DOUBLE, operation##_double, shown)}, {                                                 \
        HEAD(text, LT_DECIMAL, resolve_remainder), .evaluate = operation##_decimal, .can_fail = true, .display = shown \
    }
#define TRY_ROW(kind, function) HEAD("try_mod", kind, resolve_try_remainder), .evaluate = function

const lt_function lt_functions_arithmetic_division[] = {
    {HEAD("/", LT_DOUBLE, resolve_divide), KERNEL(divide_double, LT_DIVIDE_BY_ZERO), .display = "($1 / $2)",
     .summary = "Quotient: DOUBLE, or DECIMAL of decimals.", .example = "SELECT 7 / 2", .example_result = "3.5"},
    {HEAD("/", LT_DOUBLE, resolve_divide), KERNEL(divide_bigint, LT_DIVIDE_BY_ZERO), .display = "($1 / $2)"},
    {HEAD("/", LT_DECIMAL, resolve_divide), .evaluate = divide_decimal, .can_fail = true, .display = "($1 / $2)"},
    {HEAD("try_divide", LT_DOUBLE, resolve_try_divide), .evaluate = try_divide_double,
     .summary = "Like /, but NULL where the divisor is zero.", .example = "SELECT try_divide(1, 0)",
     .example_result = "NULL"},
    {HEAD("try_divide", LT_DOUBLE, resolve_try_divide), .evaluate = try_divide_bigint},
    {HEAD("try_divide", LT_DECIMAL, resolve_try_divide), .evaluate = try_divide_decimal},
    {HEAD("div", LT_BIGINT, resolve_div), .evaluate = div_bigint, .can_fail = true, .display = "($1 div $2)",
     .summary = "Whole quotient, cut toward zero.", .example = "SELECT 7 DIV 2", .example_result = "3"},
    {HEAD("div", LT_BIGINT, resolve_div), .evaluate = div_decimal, .can_fail = true, .display = "($1 div $2)"},
    {HEAD("div", LT_BIGINT, resolve_div_interval), .evaluate = div_bigint, .can_fail = true, .display = "($1 div $2)"},
    {HEAD("div", LT_BIGINT, resolve_div_interval), .evaluate = div_months, .can_fail = true, .display = "($1 div $2)"},
    {REMAINDER_ROW("%", LT_TINYINT, remainder_tinyint, "($1 % $2)"),
     .summary = "Remainder with the sign of the dividend.", .example = "SELECT -7 % 3", .example_result = "-1"},
    REMAINDER_ROWS("%", remainder, "($1 % $2)"),
    {REMAINDER_ROW("mod", LT_TINYINT, remainder_tinyint, NULL), .summary = "Remainder with the sign of the dividend.",
     .example = "SELECT mod(-7, 3)", .example_result = "-1"},
    REMAINDER_ROWS("mod", remainder, NULL),
    {REMAINDER_ROW("pmod", LT_TINYINT, pmod_tinyint, NULL),
     .summary = "Remainder that is never negative for a divisor above zero.", .example = "SELECT pmod(-7, 3)",
     .example_result = "2"},
    REMAINDER_ROWS("pmod", pmod, NULL),
    {TRY_ROW(LT_TINYINT, try_remainder_tinyint), .summary = "Like mod, but NULL where the divisor is zero.",
     .example = "SELECT try_mod(5, 0)", .example_result = "NULL"},
    {TRY_ROW(LT_SMALLINT, try_remainder_smallint)},
    {TRY_ROW(LT_INT, try_remainder_int)},
    {TRY_ROW(LT_BIGINT, try_remainder_bigint)},
    {TRY_ROW(LT_FLOAT, try_remainder_float)},
    {TRY_ROW(LT_DOUBLE, try_remainder_double)},
    {TRY_ROW(LT_DECIMAL, try_remainder_decimal)},
    {0},
};
