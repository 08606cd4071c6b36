// strict_math: functions that give Java's StrictMath bits where the C library rounds differently.
//
// Ownership  values only.   Threads  any.   Errors  none: NaN and infinities as IEEE 754 has them.   Error  < 1 ulp.
// Source     the algorithms of Sun's fdlibm 5.3: argument reduction by ln 2 and minimax polynomials.
#ifndef LT_EXEC_KERNELS_STRICT_MATH_H
#define LT_EXEC_KERNELS_STRICT_MATH_H

double lt_strict_exp(double x);
double lt_strict_expm1(double x);
double lt_strict_log(double x);
double lt_strict_log10(double x);
double lt_strict_log1p(double x);
double lt_strict_pow(double x, double y); // as in Java: 1 to NaN or an infinity is NaN
double lt_strict_sinh(double x);
double lt_strict_cosh(double x);
double lt_strict_tanh(double x);
double lt_strict_cbrt(double x);

#endif
