#include "base/function.h"
#include "exec/kernels/strict_math.h"

#include <math.h>

// Roots, powers, exponentials and logarithms: DOUBLE in, DOUBLE out. A logarithm outside of its domain is NULL, not
// NaN. Source: Spark SQL 4 over Java's StrictMath.

LT_MAP(sqrt_kernel, double, double, *out = sqrt(x);)
LT_MAP(cbrt_kernel, double, double, *out = lt_strict_cbrt(x);)
LT_MAP(exp_kernel, double, double, *out = lt_strict_exp(x);)
LT_MAP(expm1_kernel, double, double, *out = lt_strict_expm1(x);)
LT_MAP2(hypot_kernel, double, double, *out = hypot(x, y);)

LT_MAP2(pow_kernel, double, double, *out = lt_strict_pow(x, y);)

static leat_status log_rows(lt_call *call, double above, double (*logarithm)(double), leat_error *err) {
    double *results = call->result->values;
    LT_EACH_ROW(call, row) {
        double x = LT_ARG(call, 0, double, row);
        if (x <= above)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            results[row] = logarithm(x);
    }
    return LEAT_OK;
}

static double      log2_of(double x) { return lt_strict_log(x) / lt_strict_log(2.0); }
static leat_status ln_rows(lt_call *call, leat_error *err) { return log_rows(call, 0, lt_strict_log, err); }
static leat_status log2_rows(lt_call *call, leat_error *err) { return log_rows(call, 0, log2_of, err); }
static leat_status log10_rows(lt_call *call, leat_error *err) { return log_rows(call, 0, lt_strict_log10, err); }
static leat_status log1p_rows(lt_call *call, leat_error *err) { return log_rows(call, -1, lt_strict_log1p, err); }

static leat_status log_base_rows(lt_call *call, leat_error *err) {
    double *results = call->result->values;
    LT_EACH_ROW(call, row) {
        double base = LT_ARG(call, 0, double, row), x = LT_ARG(call, 1, double, row);
        if (base <= 0 || x <= 0)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            results[row] = lt_strict_log(x) / lt_strict_log(base);
    }
    return LEAT_OK;
}

#define ONE(text, shown) .name = text, .takes = {LT_TAKES_DOUBLE}, .returns = LT_DOUBLE, .display = shown
#define TWO(text, shown)                                                                                               \
    .name = text, .takes = {LT_TAKES_DOUBLE, LT_TAKES_DOUBLE}, .returns = LT_DOUBLE, .display = shown

const lt_function lt_functions_math_power[] = {
    {ONE("sqrt", "SQRT($1)"), .kernel = sqrt_kernel, .summary = "Square root; NaN of a negative number.",
     .example = "SELECT sqrt(4)", .example_result = "2.0"},
    {ONE("cbrt", "CBRT($1)"), .kernel = cbrt_kernel, .summary = "Cube root.", .example = "SELECT cbrt(27)",
     .example_result = "3.0"},
    {TWO("pow", NULL), .kernel = pow_kernel, .summary = "A number to the power of another.",
     .example = "SELECT pow(2, -1)", .example_result = "0.5"},
    {TWO("power", "POWER($1, $2)"), .kernel = pow_kernel, .summary = "A number to the power of another.",
     .example = "SELECT power(2, 10)", .example_result = "1024.0"},
    {ONE("exp", "EXP($1)"), .kernel = exp_kernel, .summary = "e to the power of a number.", .example = "SELECT exp(0)",
     .example_result = "1.0"},
    {ONE("expm1", "EXPM1($1)"), .kernel = expm1_kernel, .summary = "e to the power of a number, minus 1.",
     .example = "SELECT expm1(0)", .example_result = "0.0"},
    {ONE("ln", NULL), .evaluate = ln_rows, .summary = "Natural logarithm; NULL unless above 0.",
     .example = "SELECT ln(1)", .example_result = "0.0"},
    {ONE("log", "LOG(E(), $1)"), .evaluate = ln_rows,
     .summary = "Natural logarithm, or with two arguments to the base of the first; NULL outside of its domain.",
     .example = "SELECT log(2, 8)", .example_result = "3.0"},
    {TWO("log", "LOG($1, $2)"), .evaluate = log_base_rows},
    {ONE("log2", "LOG2($1)"), .evaluate = log2_rows, .summary = "Logarithm to the base 2; NULL unless above 0.",
     .example = "SELECT log2(8)", .example_result = "3.0"},
    {ONE("log10", "LOG10($1)"), .evaluate = log10_rows, .summary = "Logarithm to the base 10; NULL unless above 0.",
     .example = "SELECT log10(1000)", .example_result = "3.0"},
    {ONE("log1p", "LOG1P($1)"), .evaluate = log1p_rows, .summary = "Natural logarithm of 1 + x; NULL unless above -1.",
     .example = "SELECT log1p(0)", .example_result = "0.0"},
    {TWO("hypot", "HYPOT($1, $2)"), .kernel = hypot_kernel, .summary = "Length of the hypotenuse.",
     .example = "SELECT hypot(3, 4)", .example_result = "5.0"},
    {0},
};
