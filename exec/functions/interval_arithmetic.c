#include "exec/kernels/datetime.h"

#include <math.h>

// + - * / - abs sign over intervals alone. Sums span the units of both sides; products and quotients have the widest
// form and round half away from zero. The try_ forms give NULL where the others raise. Source: Spark SQL 4:
// IntervalMathUtils.

static leat_status overflow(lt_call *call, uint32_t row, leat_error *err) {
    if (lt_call_is_try(call)) return lt_call_put_null(call, row, err);
    return lt_call_raise(call, err, LT_INTERVAL_ARITHMETIC_OVERFLOW__WITH_SUGGESTION,
                         "the result is too long for an interval; the try_ form gives NULL instead");
}

// ------------------------------------------------------------------------------------------------------------- + and -

// Interval with interval of the same kind, or with a bare NULL.
static leat_status sum_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2) return LEAT_DONE;
    const lt_type *a = resolution->types[0], *b = resolution->types[1];
    if (a->kind == LT_VOID) a = b;
    if (b->kind == LT_VOID) b = a;
    if (!lt_kind_is_interval(a->kind) || a->kind != b->kind) return LEAT_DONE;
    const lt_type *result = a;
    if (a->kind != LT_INTERVAL_CALENDAR)
        result = lt_type_interval(resolution->arena, a->unit_first < b->unit_first ? a->unit_first : b->unit_first,
                                  a->unit_last > b->unit_last ? a->unit_last : b->unit_last);
    if (result == NULL) return lt_raise_no_memory(err);
    resolution->types[0] = resolution->types[1] = resolution->result = result;
    return LEAT_OK;
}

static bool calendar_add(const lt_calendar_interval *a, const lt_calendar_interval *b, bool is_minus,
                         lt_calendar_interval *out) {
    if (is_minus)
        return !__builtin_sub_overflow(a->months, b->months, &out->months) &&
               !__builtin_sub_overflow(a->days, b->days, &out->days) &&
               !__builtin_sub_overflow(a->microseconds, b->microseconds, &out->microseconds);
    return !__builtin_add_overflow(a->months, b->months, &out->months) &&
           !__builtin_add_overflow(a->days, b->days, &out->days) &&
           !__builtin_add_overflow(a->microseconds, b->microseconds, &out->microseconds);
}

static leat_status sum_rows(lt_call *call, bool is_minus, leat_error *err) {
    LT_EACH_ROW(call, row) {
        bool fits = true;
        if (call->result->type->kind == LT_INTERVAL_CALENDAR) {
            fits =
                calendar_add(&LT_ARG(call, 0, lt_calendar_interval, row), &LT_ARG(call, 1, lt_calendar_interval, row),
                             is_minus, &LT_LANES(call->result, lt_calendar_interval)[row]);
        } else if (call->result->type->kind == LT_INTERVAL_YEAR_MONTH) {
            const int32_t a = LT_ARG(call, 0, int32_t, row), b = LT_ARG(call, 1, int32_t, row);
            int32_t      *sum = &LT_LANES(call->result, int32_t)[row];
            fits              = is_minus ? !__builtin_sub_overflow(a, b, sum) : !__builtin_add_overflow(a, b, sum);
        } else {
            const int64_t a = LT_ARG(call, 0, int64_t, row), b = LT_ARG(call, 1, int64_t, row);
            int64_t      *sum = &LT_LANES(call->result, int64_t)[row];
            fits              = is_minus ? !__builtin_sub_overflow(a, b, sum) : !__builtin_add_overflow(a, b, sum);
        }
        if (!fits) LT_TRY(overflow(call, row, err));
    }
    return LEAT_OK;
}
static leat_status add_evaluate(lt_call *call, leat_error *err) { return sum_rows(call, false, err); }
static leat_status subtract_evaluate(lt_call *call, leat_error *err) { return sum_rows(call, true, err); }

// ------------------------------------------------------------------------------------------------------------- * and /

// Texts become DOUBLE, integers BIGINT; DECIMAL stays exact.
static leat_status factor_resolve(lt_resolution *resolution, uint32_t interval_at, leat_error *err) {
    const lt_type *interval = resolution->types[interval_at];
    const lt_kind  factor   = resolution->types[1 - interval_at]->kind;
    if (lt_kind_is_integral(factor) || factor == LT_VOID)
        resolution->types[1 - interval_at] = lt_type_of(LT_BIGINT);
    else if (lt_kind_is_fractional(factor) || factor == LT_STRING)
        resolution->types[1 - interval_at] = lt_type_of(LT_DOUBLE);
    else if (factor != LT_DECIMAL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->place,
                        "an interval is multiplied and divided by numbers, not by %s",
                        lt_type_text(resolution->arena, resolution->types[1 - interval_at]));
    resolution->result = lt_type_of(interval->kind); // the widest form
    return LEAT_OK;
}
static leat_status multiply_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2) return LEAT_DONE;
    if (lt_kind_is_interval(resolution->types[0]->kind)) return factor_resolve(resolution, 0, err);
    if (!lt_kind_is_interval(resolution->types[1]->kind)) return LEAT_DONE;
    if (strcmp(resolution->function->name, "*") == 0) resolution->display = "($2 * $1)";
    return factor_resolve(resolution, 1, err);
}
static leat_status divide_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2 || !lt_kind_is_interval(resolution->types[0]->kind)) return LEAT_DONE;
    return factor_resolve(resolution, 0, err);
}

// A number as a fraction of whole numbers, or as a double.
typedef struct factor {
    lt_int128 numerator, denominator;
    double    value;
    bool      is_exact;
} factor;

static factor factor_of_row(const lt_call *call, uint32_t argument, uint32_t row) {
    const lt_type *type = call->arguments[argument]->type;
    factor         made = {.denominator = 1, .is_exact = true};
    if (type->kind == LT_BIGINT) {
        made.numerator = LT_ARG(call, argument, int64_t, row);
    } else if (type->kind == LT_DECIMAL) {
        made.numerator = LT_ARG(call, argument, lt_int128, row);
        for (uint8_t i = 0; i < type->scale; i++) made.denominator *= 10;
    } else {
        made.is_exact = false;
        made.value    = LT_ARG(call, argument, double, row);
    }
    if (made.is_exact) made.value = (double)made.numerator / (double)made.denominator;
    return made;
}

static bool divide_half_up(lt_int128 a, lt_int128 b, int64_t *out) {
    lt_int128 quotient = a / b, rest = a % b;
    if (rest < 0) rest = -rest;
    const lt_int128 size = b < 0 ? -b : b;
    if (rest >= size - rest) quotient += (a < 0) == (b < 0) ? 1 : -1;
    *out = (int64_t)quotient;
    return *out == quotient;
}

// amount * factor or amount / factor, rounded half up. Products beyond 128 bits fall back to doubles, which then
// decide that they do not fit.
static bool scale_amount(int64_t amount, const factor *by, bool is_division, int64_t *out) {
    lt_int128       product;
    const lt_int128 up   = is_division ? by->denominator : by->numerator;
    const lt_int128 down = is_division ? by->numerator : by->denominator;
    if (by->is_exact && !__builtin_mul_overflow((lt_int128)amount, up, &product))
        return divide_half_up(product, down, out);
    return lt_round_to_int64(is_division ? (double)amount / by->value : (double)amount * by->value, out);
}

static bool scale_calendar(const lt_calendar_interval *interval, double by, lt_calendar_interval *out) {
    const double months = trunc(interval->months * by), days = interval->days * by;
    if (!(fabs(months) <= INT32_MAX) || !(fabs(days) <= INT32_MAX)) return false;
    out->months = (int32_t)months;
    out->days   = (int32_t)days;
    return lt_round_to_int64((double)interval->microseconds * by + (double)LT_US_PER_DAY * (days - out->days),
                             &out->microseconds);
}

static leat_status scale_rows(lt_call *call, bool is_division, leat_error *err) {
    const uint32_t interval_at = lt_kind_is_interval(call->arguments[0]->type->kind) ? 0 : 1;
    LT_EACH_ROW(call, row) {
        const factor by   = factor_of_row(call, 1 - interval_at, row);
        bool         fits = true;
        if (is_division && by.value == 0) {
            if (!lt_call_is_try(call))
                return lt_call_raise(call, err, LT_INTERVAL_DIVIDED_BY_ZERO,
                                     "an interval divided by zero; try_divide gives NULL instead");
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        if (call->result->type->kind == LT_INTERVAL_CALENDAR) {
            const lt_calendar_interval *interval = &LT_ARG(call, interval_at, lt_calendar_interval, row);
            fits                                 = scale_calendar(interval, is_division ? 1 / by.value : by.value,
                                                                  &LT_LANES(call->result, lt_calendar_interval)[row]);
        } else if (call->result->type->kind == LT_INTERVAL_YEAR_MONTH) {
            int64_t months = 0;
            fits           = scale_amount(LT_ARG(call, interval_at, int32_t, row), &by, is_division, &months) &&
                   months == (int32_t)months;
            LT_LANES(call->result, int32_t)[row] = (int32_t)months;
        } else {
            fits = scale_amount(LT_ARG(call, interval_at, int64_t, row), &by, is_division,
                                &LT_LANES(call->result, int64_t)[row]);
        }
        if (!fits) LT_TRY(overflow(call, row, err));
    }
    return LEAT_OK;
}
static leat_status multiply_evaluate(lt_call *call, leat_error *err) { return scale_rows(call, false, err); }
static leat_status divide_evaluate(lt_call *call, leat_error *err) { return scale_rows(call, true, err); }

// -------------------------------------------------------------------------------------------------------------- signs

static leat_status same_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 1 || !lt_kind_is_interval(resolution->types[0]->kind)) return LEAT_DONE;
    resolution->result = resolution->types[0];
    return LEAT_OK;
}
static leat_status ansi_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 1 && resolution->types[0]->kind == LT_INTERVAL_CALENDAR) return LEAT_DONE;
    return same_resolve(resolution, err);
}
static leat_status sign_resolve(lt_resolution *resolution, leat_error *err) {
    LT_TRY(ansi_resolve(resolution, err));
    resolution->result = lt_type_of(LT_DOUBLE);
    return LEAT_OK;
}

typedef enum sign_change { SIGN_KEEP, SIGN_NEGATE, SIGN_ABSOLUTE } sign_change;

static leat_status sign_rows(lt_call *call, sign_change change, leat_error *err) {
    static const lt_calendar_interval nothing = {0, 0, 0};
    LT_EACH_ROW(call, row) {
        bool fits = true;
        if (call->result->type->kind == LT_INTERVAL_CALENDAR) {
            const lt_calendar_interval *x = &LT_ARG(call, 0, lt_calendar_interval, row);
            fits = calendar_add(&nothing, x, change == SIGN_NEGATE, &LT_LANES(call->result, lt_calendar_interval)[row]);
        } else if (call->result->type->kind == LT_INTERVAL_YEAR_MONTH) {
            const int32_t x   = LT_ARG(call, 0, int32_t, row);
            int32_t      *out = &LT_LANES(call->result, int32_t)[row];
            *out              = x;
            if (change == SIGN_NEGATE || (change == SIGN_ABSOLUTE && x < 0)) fits = !__builtin_sub_overflow(0, x, out);
        } else {
            const int64_t x   = LT_ARG(call, 0, int64_t, row);
            int64_t      *out = &LT_LANES(call->result, int64_t)[row];
            *out              = x;
            if (change == SIGN_NEGATE || (change == SIGN_ABSOLUTE && x < 0)) fits = !__builtin_sub_overflow(0, x, out);
        }
        if (!fits) LT_TRY(overflow(call, row, err));
    }
    return LEAT_OK;
}
static leat_status positive_evaluate(lt_call *call, leat_error *err) { return sign_rows(call, SIGN_KEEP, err); }
static leat_status negative_evaluate(lt_call *call, leat_error *err) { return sign_rows(call, SIGN_NEGATE, err); }
static leat_status abs_evaluate(lt_call *call, leat_error *err) { return sign_rows(call, SIGN_ABSOLUTE, err); }

static leat_status sign_evaluate(lt_call *call, leat_error *err) {
    const bool is_months = call->arguments[0]->type->kind == LT_INTERVAL_YEAR_MONTH;
    (void)err;
    LT_EACH_ROW(call, row) {
        const int64_t x                     = is_months ? LT_ARG(call, 0, int32_t, row) : LT_ARG(call, 0, int64_t, row);
        LT_LANES(call->result, double)[row] = (double)((x > 0) - (x < 0));
    }
    return LEAT_OK;
}

#define TWO .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .can_fail = true
#define ONE .takes = {LT_TAKES_ANY}, .can_fail = true

const lt_function lt_functions_interval_arithmetic[] = {
    {.name = "+", TWO, .resolve = sum_resolve, .evaluate = add_evaluate, .display = "($1 + $2)"},
    {.name = "-", TWO, .resolve = sum_resolve, .evaluate = subtract_evaluate, .display = "($1 - $2)"},
    {.name = "*", TWO, .resolve = multiply_resolve, .evaluate = multiply_evaluate, .display = "($1 * $2)"},
    {.name = "/", TWO, .resolve = divide_resolve, .evaluate = divide_evaluate, .display = "($1 / $2)"},
    {.name = "try_add", TWO, .resolve = sum_resolve, .evaluate = add_evaluate},
    {.name = "try_subtract", TWO, .resolve = sum_resolve, .evaluate = subtract_evaluate},
    {.name = "try_multiply", TWO, .resolve = multiply_resolve, .evaluate = multiply_evaluate},
    {.name = "try_divide", TWO, .resolve = divide_resolve, .evaluate = divide_evaluate},
    {.name = "negative", ONE, .resolve = same_resolve, .evaluate = negative_evaluate, .display = "(- $1)"},
    {.name = "positive", ONE, .resolve = same_resolve, .evaluate = positive_evaluate, .display = "(+ $1)"},
    {.name = "abs", ONE, .resolve = ansi_resolve, .evaluate = abs_evaluate},
    {.name = "sign", ONE, .resolve = sign_resolve, .evaluate = sign_evaluate},
    {.name = "signum", ONE, .resolve = sign_resolve, .evaluate = sign_evaluate, .display = "SIGNUM($1)"},
    {0},
};
