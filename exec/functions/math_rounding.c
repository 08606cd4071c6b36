#include "base/cast.h"
#include "base/checked.h"
#include "base/number_text.h"
#include "exec/numbers.h"

#include <math.h>

// round (half away from zero), bround (half to even), ceil, floor and rint. The number of digits is a constant, because
// it decides the type of a DECIMAL result. Floating numbers are rounded as the decimal that their shortest text shows:
// round(1.005e0, 2) is 1.01. Source: Spark SQL 4, ANSI mode.

typedef struct rounding_state {
    int32_t digits; // of the constant second argument
} rounding_state;

// *out is LEAT_OK's value of argument 1, cast to INT; 0 when there is none. *out_null: it is NULL.
static leat_status digits_of(lt_arena *arena, const lt_vector *const *constants, uint32_t argument_count,
                             const lt_evaluation *evaluation, const lt_place *place, int32_t *out, bool *out_null,
                             leat_error *err) {
    *out      = 0;
    *out_null = false;
    if (argument_count < 2) return LEAT_OK;
    lt_evaluation    copy = evaluation == NULL ? (lt_evaluation){0} : *evaluation;
    const lt_vector *value;
    LT_TRY(lt_cast_run(constants[1], lt_type_of(LT_INT), NULL, 1, 1, false, arena, &copy, place, &value, err));
    *out_null = lt_vector_is_null(value, 0);
    if (!*out_null) *out = LT_VALUE(value, int32_t, 0);
    return LEAT_OK;
}

static leat_status rounding_open(void *state, const lt_vector *const *constants, uint32_t argument_count,
                                 lt_arena *arena, leat_error *err) {
    rounding_state *self = state;
    bool            is_null;
    return digits_of(arena, constants, argument_count, NULL, NULL, &self->digits, &is_null, err);
}

static lt_decimal_shape rounded_shape(lt_decimal_shape shape, int32_t digits) {
    uint32_t integral = shape.precision - shape.scale + 1;
    uint32_t limit    = LT_DECIMAL_PRECISION_MAX;
    if (digits < 0) {
        uint32_t least = digits < -38 ? limit : (uint32_t)-digits + 1;
        uint32_t wide  = integral > least ? integral : least;
        return (lt_decimal_shape){wide < limit ? wide : limit, 0};
    }
    uint32_t scale = (uint32_t)digits < shape.scale ? (uint32_t)digits : shape.scale;
    uint32_t wide  = integral + scale;
    return (lt_decimal_shape){wide < limit ? wide : limit, scale};
}

// --------------------------------------------------------------------------------------------------------- resolving

static leat_status resolve_digits(lt_resolution *resolution, int32_t *out, leat_error *err) {
    bool is_null;
    *out = 0;
    if (resolution->argument_count < 2) return LEAT_OK;
    lt_kind kind = resolution->types[1]->kind;
    if (!lt_kind_is_numeric(kind) && kind != LT_STRING && kind != LT_VOID) return LEAT_DONE;
    if (resolution->constants[1] == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[1],
                        "the number of digits of `%s` must be a constant", resolution->function->name);
    LT_TRY(digits_of(resolution->arena, resolution->constants, 2, resolution->evaluation, &resolution->places[1], out,
                     &is_null, err));
    resolution->types[1] = lt_type_of(LT_INT);
    return LEAT_OK;
}

static leat_status resolve_decimal(lt_resolution *resolution, const lt_type *from, int32_t digits, leat_error *err) {
    lt_decimal_shape shape = rounded_shape(lt_decimal_shape_of(from), digits);
    resolution->types[0]   = from;
    resolution->result     = lt_type_decimal(resolution->arena, shape.precision, shape.scale);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// round and bround keep the type; a text or bare NULL becomes DOUBLE.
static leat_status resolve_round(lt_resolution *resolution, leat_error *err) {
    const lt_type *type = resolution->types[0];
    if (type->kind == LT_STRING || type->kind == LT_VOID) type = lt_type_of(LT_DOUBLE);
    if (!lt_kind_is_numeric(type->kind)) return LEAT_DONE;
    int32_t digits;
    LT_TRY(resolve_digits(resolution, &digits, err));
    if (type->kind == LT_DECIMAL) return resolve_decimal(resolution, type, digits, err);
    resolution->types[0] = resolution->result = type;
    return LEAT_OK;
}

// ceil(x), floor(x): DECIMAL without fraction, or BIGINT. With digits everything becomes a DECIMAL.
static leat_status resolve_ceil(lt_resolution *resolution, leat_error *err) {
    const lt_type *type = resolution->types[0];
    if (type->kind == LT_STRING || type->kind == LT_VOID) type = lt_type_of(LT_DOUBLE);
    if (!lt_kind_is_numeric(type->kind)) return LEAT_DONE;
    if (resolution->argument_count == 1 && type->kind != LT_DECIMAL) {
        resolution->types[0] = lt_type_of(lt_kind_is_integral(type->kind) ? LT_BIGINT : LT_DOUBLE);
        resolution->result   = lt_type_of(LT_BIGINT);
        return LEAT_OK;
    }
    if (resolution->argument_count == 1 && type->scale == 0) {
        resolution->result = type;
        return LEAT_OK;
    }
    int32_t digits;
    if (resolution->argument_count > 1 && (resolution->constants[1] == NULL || resolution->types[1]->kind != LT_INT))
        return lt_raise(err, LT_NON_FOLDABLE_ARGUMENT, &resolution->places[1],
                        "the number of digits of `%s` has to be a constant INT", resolution->function->name);
    LT_TRY(resolve_digits(resolution, &digits, err));
    lt_decimal_shape shape =
        type->kind == LT_DECIMAL ? lt_decimal_shape_of(type) : lt_decimal_shape_of_kind(type->kind);
    const lt_type *from = lt_type_decimal(resolution->arena, shape.precision, shape.scale);
    return from == NULL ? lt_raise_no_memory(err) : resolve_decimal(resolution, from, digits, err);
}

// ---------------------------------------------------------------------------------------------------------- evaluating

static leat_status raise_overflow(const lt_call *call, leat_error *err) {
    return lt_call_raise(call, err, LT_ARITHMETIC_OVERFLOW, "the rounded value does not fit %s",
                         lt_type_text(call->arena, call->result->type));
}

static leat_status round_decimals(lt_call *call, int32_t digits, lt_rounding rounding, leat_error *err) {
    uint32_t         scale  = call->arguments[0]->type->scale;
    lt_decimal_shape shape  = lt_decimal_shape_of(call->result->type);
    lt_int128       *out    = call->result->values;
    int32_t          wanted = digits > (int32_t)scale ? (int32_t)scale : digits;
    LT_EACH_ROW(call, row) {
        if (!lt_decimal_round(LT_ARG(call, 0, lt_int128, row), scale, wanted, rounding, &out[row]) ||
            !lt_decimal_fits(out[row], shape.precision))
            return lt_call_raise(call, err, LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION,
                                 "the rounded value does not fit %s", lt_type_text(call->arena, call->result->type));
    }
    return LEAT_OK;
}

// The shortest text of the value, rounded at `digits` and read back.
static double round_double(double value, int32_t digits, lt_rounding rounding) {
    if (!(value - value == 0)) return value;
    if (value == 0) return 0;
    int32_t  exponent;
    uint64_t shown = lt_double_digits(value, &exponent);
    if ((int64_t)exponent + digits >= 0) return value;
    int64_t  drop = -((int64_t)exponent + digits);
    uint64_t kept = 0;
    if (drop <= 19) {
        lt_int128 divisor = lt_decimal_power((uint32_t)drop), rest = (lt_int128)shown % divisor;
        kept    = (uint64_t)((lt_int128)shown / divisor);
        bool up = rest * 2 > divisor || (rest * 2 == divisor && (rounding == LT_HALF_UP || (kept & 1) != 0));
        kept += up ? 1 : 0;
    }
    if (kept == 0) return 0; // without a sign: Java's BigDecimal has one zero
    char   text[2 * LT_INT64_TEXT_MAX];
    size_t bytes  = lt_int64_print((int64_t)kept, text);
    double result = 0;
    text[bytes++] = 'e';
    bytes += lt_int64_print(-(int64_t)digits, text + bytes);
    (void)lt_double_parse(text, bytes, &result);
    return value < 0 ? -result : result;
}

// An integer at 10^-digits; false when 64 bits do not hold it.
static bool round_integer(int64_t value, int32_t digits, lt_rounding rounding, int64_t *out) {
    *out = digits < -19 ? 0 : value;
    if (digits >= 0 || digits < -19) return true;
    lt_int128 rounded;
    if (!lt_decimal_round(value, 0, digits, rounding, &rounded)) return false;
    *out = (int64_t)rounded;
    return *out == rounded;
}

#define ROUND_INTEGERS(name, lane)                                                                                     \
    static leat_status name(lt_call *call, int32_t digits, lt_rounding rounding, leat_error *err) {                    \
        LT_EACH_ROW(call, row) {                                                                                       \
            int64_t rounded;                                                                                           \
            if (!round_integer(LT_ARG(call, 0, lane, row), digits, rounding, &rounded) || rounded != (lane)rounded)    \
                return raise_overflow(call, err);                                                                      \
            LT_LANES(call->result, lane)[row] = (lane)rounded;                                                         \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
#define ROUND_FLOATING(name, lane)                                                                                     \
    static leat_status name(lt_call *call, int32_t digits, lt_rounding rounding, leat_error *err) {                    \
        (void)err;                                                                                                     \
        LT_EACH_ROW(call, row)                                                                                         \
        LT_LANES(call->result, lane)[row] = (lane)round_double((double)LT_ARG(call, 0, lane, row), digits, rounding);  \
        return LEAT_OK;                                                                                                \
    }
ROUND_INTEGERS(round_tinyint, int8_t)
ROUND_INTEGERS(round_smallint, int16_t)
ROUND_INTEGERS(round_int, int32_t)
ROUND_INTEGERS(round_bigint, int64_t)
ROUND_FLOATING(round_floats, float)
ROUND_FLOATING(round_doubles, double)

static leat_status round_rows(lt_call *call, lt_rounding rounding, leat_error *err) {
    static leat_status (*const loops[LT_KIND_COUNT])(lt_call *, int32_t, lt_rounding, leat_error *) = {
        [LT_TINYINT] = round_tinyint, [LT_SMALLINT] = round_smallint, [LT_INT] = round_int,
        [LT_BIGINT] = round_bigint,   [LT_DECIMAL] = round_decimals,  [LT_FLOAT] = round_floats,
        [LT_DOUBLE] = round_doubles};
    return loops[call->result->type->kind](call, ((const rounding_state *)call->state)->digits, rounding, err);
}
static leat_status round_half_up(lt_call *call, leat_error *err) { return round_rows(call, LT_HALF_UP, err); }
static leat_status round_half_even(lt_call *call, leat_error *err) { return round_rows(call, LT_HALF_EVEN, err); }

static leat_status whole_rows(lt_call *call, lt_rounding rounding, leat_error *err) {
    if (call->result->type->kind == LT_DECIMAL)
        return round_decimals(call, ((const rounding_state *)call->state)->digits, rounding, err);
    int64_t *results = call->result->values;
    if (call->arguments[0]->type->kind == LT_BIGINT) {
        LT_EACH_ROW(call, row) results[row] = LT_ARG(call, 0, int64_t, row);
        return LEAT_OK;
    }
    LT_EACH_ROW(call, row) {
        double x     = LT_ARG(call, 0, double, row);
        double whole = rounding == LT_FLOOR ? floor(x) : ceil(x);
        if (whole > 0x1p63 || whole < -0x1p63) return raise_overflow(call, err);
        results[row] = isnan(whole) ? 0 : whole == 0x1p63 ? INT64_MAX : (int64_t)whole; // as Java turns NaN into a long
    }
    return LEAT_OK;
}
static leat_status floor_rows(lt_call *call, leat_error *err) { return whole_rows(call, LT_FLOOR, err); }
static leat_status ceil_rows(lt_call *call, leat_error *err) { return whole_rows(call, LT_CEILING, err); }

// Half to even whatever rounding mode the host has set.
static double rint_of(double x) {
    double size = fabs(x);
    if (!(size < 0x1p52)) return x;
    double whole = floor(size), rest = size - whole;
    if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2.0) != 0)) whole += 1;
    return copysign(whole, x);
}
LT_MAP(rint_kernel, double, double, *out = rint_of(x);)

#define COMMON(text, resolver, function)                                                                               \
    .name = text, .resolve = resolver, .evaluate = function, .can_fail = true, .state_bytes = sizeof(rounding_state),  \
    .open = rounding_open
#define ONE(text, resolver, function, shown) COMMON(text, resolver, function), .takes = {LT_TAKES_ANY}, .display = shown
#define TWO(text, resolver, function) COMMON(text, resolver, function), .takes = {LT_TAKES_ANY, LT_TAKES_ANY}

const lt_function lt_functions_math_rounding[] = {
    {ONE("round", resolve_round, round_half_up, "round($1, 0)"),
     .summary = "A number with so many digits behind the point, halves away from zero.",
     .example = "SELECT round(2.45, 1)", .example_result = "2.5"},
    {TWO("round", resolve_round, round_half_up)},
    {ONE("bround", resolve_round, round_half_even, "bround($1, 0)"),
     .summary = "A number with so many digits behind the point, halves to the even neighbour.",
     .example = "SELECT bround(25, -1)", .example_result = "20"},
    {TWO("bround", resolve_round, round_half_even)},
    {ONE("floor", resolve_ceil, floor_rows, "FLOOR($1)"),
     .summary = "The largest number of so many digits not above x.", .example = "SELECT floor(-2.1)",
     .example_result = "-3"},
    {TWO("floor", resolve_ceil, floor_rows)},
    {ONE("ceil", resolve_ceil, ceil_rows, "CEIL($1)"), .summary = "The smallest number of so many digits not below x.",
     .example = "SELECT ceil(2.1)", .example_result = "3"},
    {TWO("ceil", resolve_ceil, ceil_rows)},
    {ONE("ceiling", resolve_ceil, ceil_rows, NULL), .summary = "The smallest number of so many digits not below x.",
     .example = "SELECT ceiling(2.1)", .example_result = "3"},
    {TWO("ceiling", resolve_ceil, ceil_rows)},
    {.name           = "rint",
     .takes          = {LT_TAKES_DOUBLE},
     .returns        = LT_DOUBLE,
     .kernel         = rint_kernel,
     .summary        = "The nearest whole number, halves to the even one.",
     .example        = "SELECT rint(2.5)",
     .example_result = "2.0"},
    {0},
};
