#include "base/function.h"
#include "exec/kernels/strict_math.h"

#include <math.h>

// Trigonometric and hyperbolic functions, and the constants pi and e. Angles are radians; outside of a domain is NaN.
// Source: Spark SQL 4 over Java's StrictMath.

#define PI 3.141592653589793238
#define E 2.718281828459045235

LT_MAP(sin_kernel, double, double, *out = sin(x);)
LT_MAP(cos_kernel, double, double, *out = cos(x);)
LT_MAP(tan_kernel, double, double, *out = tan(x);)
LT_MAP(cot_kernel, double, double, *out = 1 / tan(x);)
LT_MAP(sec_kernel, double, double, *out = 1 / cos(x);)
LT_MAP(csc_kernel, double, double, *out = 1 / sin(x);)
LT_MAP(asin_kernel, double, double, *out = asin(x);)
LT_MAP(acos_kernel, double, double, *out = acos(x);)
LT_MAP(atan_kernel, double, double, *out = atan(x);)
LT_MAP(sinh_kernel, double, double, *out = lt_strict_sinh(x);)
LT_MAP(cosh_kernel, double, double, *out = lt_strict_cosh(x);)
LT_MAP(tanh_kernel, double, double, *out = lt_strict_tanh(x);)
LT_MAP(asinh_kernel, double, double, *out = asinh(x);)
LT_MAP(acosh_kernel, double, double, *out = x < 1 ? NAN : lt_strict_log(x + sqrt(x * x - 1));)
LT_MAP(atanh_kernel, double, double, *out = 0.5 * (lt_strict_log1p(x) - lt_strict_log1p(-x));)
LT_MAP(degrees_kernel, double, double, *out = x * (180 / PI);)
LT_MAP(radians_kernel, double, double, *out = x * (PI / 180);)
// The sum turns a negative zero into a positive one, as Spark does: atan2(-0.0, -1) is pi.
LT_MAP2(atan2_kernel, double, double, *out = atan2(x + 0.0, y + 0.0);)

static leat_status constant_rows(lt_call *call, double value) {
    double *results                     = call->result->values;
    LT_EACH_ROW(call, row) results[row] = value;
    return LEAT_OK;
}
static leat_status pi_rows(lt_call *call, leat_error *err) {
    (void)err;
    return constant_rows(call, PI);
}
static leat_status e_rows(lt_call *call, leat_error *err) {
    (void)err;
    return constant_rows(call, E);
}

#define ROW(text, shown, function, about, sample, result)                                                              \
    {                                                                                                                  \
        .name = text, .takes = {LT_TAKES_DOUBLE}, .returns = LT_DOUBLE, .kernel = function, .display = shown "($1)",   \
        .summary = about, .example = "SELECT " sample, .example_result = result                                        \
    }

const lt_function lt_functions_math_trigonometry[] = {
    ROW("sin", "SIN", sin_kernel, "Sine.", "sin(0)", "0.0"),
    ROW("cos", "COS", cos_kernel, "Cosine.", "cos(0)", "1.0"),
    ROW("tan", "TAN", tan_kernel, "Tangent.", "tan(0)", "0.0"),
    ROW("cot", "COT", cot_kernel, "Cotangent.", "cot(0)", "Infinity"),
    ROW("sec", "SEC", sec_kernel, "Secant.", "sec(0)", "1.0"),
    ROW("csc", "CSC", csc_kernel, "Cosecant.", "csc(0)", "Infinity"),
    ROW("asin", "ASIN", asin_kernel, "Inverse sine.", "asin(0)", "0.0"),
    ROW("acos", "ACOS", acos_kernel, "Inverse cosine.", "acos(1)", "0.0"),
    ROW("atan", "ATAN", atan_kernel, "Inverse tangent.", "atan(0)", "0.0"),
    ROW("sinh", "SINH", sinh_kernel, "Hyperbolic sine.", "sinh(0)", "0.0"),
    ROW("cosh", "COSH", cosh_kernel, "Hyperbolic cosine.", "cosh(0)", "1.0"),
    ROW("tanh", "TANH", tanh_kernel, "Hyperbolic tangent.", "tanh(0)", "0.0"),
    ROW("asinh", "ASINH", asinh_kernel, "Inverse hyperbolic sine.", "asinh(0)", "0.0"),
    ROW("acosh", "ACOSH", acosh_kernel, "Inverse hyperbolic cosine.", "acosh(1)", "0.0"),
    ROW("atanh", "ATANH", atanh_kernel, "Inverse hyperbolic tangent.", "atanh(0)", "0.0"),
    ROW("degrees", "DEGREES", degrees_kernel, "Radians as degrees.", "degrees(pi())", "180.0"),
    ROW("radians", "RADIANS", radians_kernel, "Degrees as radians.", "radians(180)", "3.141592653589793"),
    {.name           = "atan2",
     .takes          = {LT_TAKES_DOUBLE, LT_TAKES_DOUBLE},
     .returns        = LT_DOUBLE,
     .kernel         = atan2_kernel,
     .display        = "ATAN2($1, $2)",
     .summary        = "Angle of the point (x, y), given as atan2(y, x).",
     .example        = "SELECT atan2(0, -1)",
     .example_result = "3.141592653589793"},
    {.name           = "pi",
     .takes          = {LT_TAKES_END},
     .returns        = LT_DOUBLE,
     .evaluate       = pi_rows,
     .display        = "PI()",
     .summary        = "The circle's constant.",
     .example        = "SELECT pi()",
     .example_result = "3.141592653589793"},
    {.name           = "e",
     .takes          = {LT_TAKES_END},
     .returns        = LT_DOUBLE,
     .evaluate       = e_rows,
     .display        = "E()",
     .summary        = "Euler's number.",
     .example        = "SELECT e()",
     .example_result = "2.718281828459045"},
    {0},
};
