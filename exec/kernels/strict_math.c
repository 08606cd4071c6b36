#include "exec/kernels/strict_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Every operation is one IEEE 754 double operation in the order that fdlibm gives it; contraction is off in all builds.
// The constants are the coefficients published with the algorithms.

static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10; // 33 bits and the rest
static const double inverse_ln2 = 1.44269504088896338700;
static const double overflow_at = 7.09782712893383973096e+02, underflow_at = -7.45133219101941108420e+02;

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint32_t high_word(double x) { return (uint32_t)(bits_of(x) >> 32); }

// x = k ln 2 + (high - low) with |high - low| <= ln 2 / 2.
typedef struct reduced {
    int    k;
    double high, low;
} reduced;

static reduced reduce(double x) {
    double size = fabs(x);
    if (high_word(size) <= 0x3fd62e42) return (reduced){0, x, 0};
    if (high_word(size) < 0x3FF0A2B2)
        return x < 0 ? (reduced){-1, x + ln2_high, -ln2_low} : (reduced){1, x - ln2_high, ln2_low};
    int    k = (int)(inverse_ln2 * x + (x < 0 ? -0.5 : 0.5));
    double t = k;
    return (reduced){k, x - t * ln2_high, t * ln2_low};
}

double lt_strict_exp(double x) {
    static const double p1 = 1.66666666666666019037e-01, p2 = -2.77777777770155933842e-03,
                        p3 = 6.61375632143793436117e-05, p4 = -1.65339022054652515390e-06,
                        p5 = 4.13813679705723846039e-08;
    if (isnan(x)) return x;
    if (x > overflow_at) return HUGE_VAL;
    if (x < underflow_at) return 0;
    if (fabs(x) < 0x1p-28) return 1 + x;
    reduced r = reduce(x);
    x         = r.k == 0 ? x : r.high - r.low;
    double t  = x * x;
    double c  = x - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))));
    if (r.k == 0) return 1 - ((x * c) / (c - 2.0) - x);
    return ldexp(1 - ((r.low - (x * c) / (2.0 - c)) - r.high), r.k);
}

double lt_strict_expm1(double x) {
    static const double q1 = -3.33333333333331316428e-02, q2 = 1.58730158725481460165e-03,
                        q3 = -7.93650757867487942473e-05, q4 = 4.00821782732936239552e-06,
                        q5 = -2.01099218183624371326e-07;
    if (isnan(x)) return x;
    if (x > overflow_at) return HUGE_VAL;
    if (x <= -38.816242903484) return -1; // 56 ln 2: the power is below half a place of 1
    if (fabs(x) < 0x1p-54) return x;
    reduced r = reduce(x);
    double  c = 0;
    if (r.k != 0) {
        x = r.high - r.low;
        c = (r.high - x) - r.low;
    }
    double half = 0.5 * x, square = x * half;
    double r1 = 1 + square * (q1 + square * (q2 + square * (q3 + square * (q4 + square * q5))));
    double t  = 3.0 - r1 * half;
    double e  = square * ((r1 - t) / (6.0 - x * t));
    if (r.k == 0) return x - (x * e - square);
    e = (x * (e - c) - c) - square;
    if (r.k == -1) return 0.5 * (x - e) - 0.5;
    if (r.k == 1) return x < -0.25 ? -2.0 * (e - (x + 0.5)) : 1 + 2.0 * (x - e);
    if (r.k <= -2 || r.k > 56) return ldexp(1 - (e - x), r.k) - 1;
    double tail = ldexp(1.0, -r.k);
    if (r.k < 20) return ldexp((1 - tail) - (e - x), r.k);
    return ldexp((x - (e + tail)) + 1, r.k);
}

double lt_strict_log(double x) {
    static const double g1 = 6.666666666666735130e-01, g2 = 3.999999999940941908e-01, g3 = 2.857142874366239149e-01,
                        g4 = 2.222219843214978396e-01, g5 = 1.818357216161805012e-01, g6 = 1.531383769920937332e-01,
                        g7 = 1.479819860511658591e-01;
    if (x == 0) return -HUGE_VAL;
    if (!(x > 0)) return NAN;
    if (isinf(x)) return x;
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t bits = bits_of(x);
    int32_t  high = (int32_t)(bits >> 32);
    k += (high >> 20) - 1023;
    high &= 0xfffff;
    int32_t carry = (high + 0x95f64) & 0x100000; // mantissas above sqrt(2) move to the next power
    x             = of_bits((uint64_t)(uint32_t)(high | (carry ^ 0x3ff00000)) << 32 | (bits & UINT32_MAX));
    k += carry >> 20;
    double f = x - 1.0, dk = k;
    if ((0xfffff & (2 + high)) < 3) { // |f| < 2^-20
        if (f == 0) return k == 0 ? 0 : dk * ln2_high + dk * ln2_low;
        double r = f * f * (0.5 - 0.33333333333333333 * f);
        return k == 0 ? f - r : dk * ln2_high - ((r - dk * ln2_low) - f);
    }
    double s = f / (2.0 + f), z = s * s, w = z * z;
    double t1 = w * (g2 + w * (g4 + w * g6));
    double t2 = z * (g1 + w * (g3 + w * (g5 + w * g7)));
    double r  = t2 + t1;
    if (((high - 0x6147a) | (0x6b851 - high)) > 0) {
        double half_square = 0.5 * f * f;
        if (k == 0) return f - (half_square - s * (half_square + r));
        return dk * ln2_high - ((half_square - (s * (half_square + r) + dk * ln2_low)) - f);
    }
    if (k == 0) return f - s * (f - r);
    return dk * ln2_high - ((s * (f - r) - dk * ln2_low) - f);
}

// e^|x| / 2 near and beyond the overflow of e^|x|, times `half`.
static double half_exp(double size, double half) {
    if (size <= overflow_at) return half * lt_strict_exp(size);
    if (size > 7.10475860073943863426e+02) return half * HUGE_VAL;
    double w = lt_strict_exp(0.5 * size);
    return half * w * w;
}

double lt_strict_sinh(double x) {
    double size = fabs(x), half = x < 0 ? -0.5 : 0.5;
    if (isnan(x) || isinf(x)) return x;
    if (size >= 22) return half_exp(size, half);
    if (size < 0x1p-28) return x;
    double t = lt_strict_expm1(size);
    return size < 1 ? half * (2.0 * t - t * t / (t + 1)) : half * (t + t / (t + 1));
}

double lt_strict_cosh(double x) {
    double size = fabs(x);
    if (isnan(x) || isinf(x)) return size;
    if (high_word(size) < 0x3fd62e43) {
        double t = lt_strict_expm1(size), w = 1 + t;
        return size < 0x1p-55 ? w : 1 + (t * t) / (w + w);
    }
    if (size >= 22) return half_exp(size, 0.5);
    double t = lt_strict_exp(size);
    return 0.5 * t + 0.5 / t;
}

double lt_strict_tanh(double x) {
    double size = fabs(x), z = 1;
    if (isnan(x)) return x;
    if (size < 0x1p-55) return x * (1 + x);
    if (size < 1) {
        double t = lt_strict_expm1(-2.0 * size);
        z        = -t / (t + 2.0);
    } else if (size < 22) {
        double t = lt_strict_expm1(2.0 * size);
        z        = 1 - 2.0 / (t + 2.0);
    }
    return x < 0 ? -z : z;
}

double lt_strict_cbrt(double x) {
    static const double c = 5.42857142857142815906e-01, d = -7.05306122448979611050e-01, e = 1.41428571428571436819e+00,
                        f = 1.60714285714285720630e+00, g = 3.57142857142857150787e-01;
    if (isnan(x) || isinf(x) || x == 0) return x;
    double   size = fabs(x);
    uint64_t guess; // a third of the exponent: good to 5 bits
    if (size < 0x1p-1022)
        guess = (uint64_t)(high_word(size * 0x1p54) / 3 + 696219795u) << 32;
    else
        guess = (uint64_t)(high_word(size) / 3 + 715094163u) << 32;
    double t = of_bits(guess);
    double r = t * t / size, s = c + r * t;
    t *= g + f / (s + e + d / s);                                // 23 bits
    t = of_bits((bits_of(t) >> 32 << 32) + (UINT64_C(1) << 32)); // cut to 20 bits, a bit too large
    r = size / (t * t);
    r = (r - t) / ((t + t) + r); // one step of Newton's
    t = t + t * r;
    return x < 0 ? -t : t;
}
