#include "exec/kernels/strict_math.h"

#include <math.h>
#include <stdbool.h>
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

double lt_strict_log10(double x) {
    static const double inverse_ln10 = 4.34294481903251816668e-01, log10_2_high = 3.01029995663611771306e-01,
                        log10_2_low = 3.69423907715893078616e-13;
    if (!(x > 0) || isinf(x)) return lt_strict_log(x);
    int exponent;
    (void)frexp(x, &exponent);
    int32_t k = exponent - 1, is_below_one = k < 0 ? 1 : 0;
    double  y = k + is_below_one; // the rest lies in 1 .. 2, or in 0.5 .. 1 for x below 1
    double  z = y * log10_2_low + inverse_ln10 * lt_strict_log(ldexp(x, -(k + is_below_one)));
    return z + y * log10_2_high;
}

double lt_strict_log1p(double x) {
    static const double p1 = 6.666666666666735130e-01, p2 = 3.999999999940941908e-01, p3 = 2.857142874366239149e-01,
                        p4 = 2.222219843214978396e-01, p5 = 1.818357216161805012e-01, p6 = 1.531383769920937332e-01,
                        p7 = 1.479819860511658591e-01;
    if (isnan(x) || x < -1) return NAN;
    if (x == -1) return -HUGE_VAL;
    if (isinf(x)) return x;
    if (fabs(x) < 0x1p-29) return fabs(x) < 0x1p-54 ? x : x - x * x * 0.5;
    int32_t  k    = 0;
    uint32_t high = 1; // 0: f is tiny
    double   f = x, c = 0;
    int32_t  signed_high  = (int32_t)high_word(x);
    bool     is_near_zero = signed_high > 0 ? signed_high < 0x3FDA827A : (uint32_t)signed_high <= 0xbfd2bec3u;
    if (!is_near_zero) {
        double u = signed_high < 0x43400000 ? 1.0 + x : x;
        high     = high_word(u);
        k        = (int32_t)(high >> 20) - 1023;
        if (signed_high < 0x43400000) c = (k > 0 ? 1.0 - (u - x) : x - (u - 1.0)) / u; // what the sum lost
        high &= 0xfffff;
        uint64_t low = bits_of(u) & UINT32_MAX;
        if (high < 0x6a09e) {
            u = of_bits((uint64_t)(high | 0x3ff00000) << 32 | low);
        } else {
            k++;
            u    = of_bits((uint64_t)(high | 0x3fe00000) << 32 | low);
            high = (0x100000 - high) >> 2;
        }
        f = u - 1.0;
    }
    double half_square = 0.5 * f * f, dk = k;
    if (high == 0) {
        if (f == 0) return k == 0 ? 0 : dk * ln2_high + (c + dk * ln2_low);
        double r = half_square * (1.0 - 0.66666666666666666 * f);
        return k == 0 ? f - r : dk * ln2_high - ((r - (dk * ln2_low + c)) - f);
    }
    double s = f / (2.0 + f), z = s * s;
    double r = z * (p1 + z * (p2 + z * (p3 + z * (p4 + z * (p5 + z * (p6 + z * p7))))));
    if (k == 0) return f - (half_square - s * (half_square + r));
    return dk * ln2_high - ((half_square - (s * (half_square + r) + (dk * ln2_low + c))) - f);
}

static double without_low_word(double x) { return of_bits(bits_of(x) >> 32 << 32); }
static double of_high_word(uint32_t high) { return of_bits((uint64_t)high << 32); }

// log2 of a positive number as a sum of two doubles, the first with 21 bits.
typedef struct double_pair {
    double high, low;
} double_pair;

static double_pair log2_near_one(double size) { // |1 - size| <= 2^-20
    static const double high = 1.44269502162933349609e+00, low = 1.92596299112661746887e-08;
    double              t = size - 1, w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25));
    double              u = high * t, v = t * low - w * inverse_ln2;
    double              sum = without_low_word(u + v);
    return (double_pair){sum, v - (sum - u)};
}

static double_pair log2_pair(double size) {
    static const double l1 = 5.99999999999994648725e-01, l2 = 4.28571428578550184252e-01,
                        l3 = 3.33333329818377432918e-01, l4 = 2.72728123808534006489e-01,
                        l5 = 2.30660745775561754067e-01, l6 = 2.06975017800338417784e-01;
    static const double cp = 9.61796693925975554329e-01, cp_high = 9.61796700954437255859e-01, // 2 / (3 ln 2)
        cp_low                  = -7.02846165095275826516e-09;
    static const double bases[] = {1.0, 1.5}, base_log_high[] = {0.0, 5.84962487220764160156e-01},
                        base_log_low[] = {0.0, 1.35003920212974897128e-08};
    int32_t n = 0, k = 0;
    if (size < 0x1p-1022) {
        size *= 0x1p53;
        n = -53;
    }
    int32_t high = (int32_t)high_word(size);
    n += (high >> 20) - 0x3ff;
    int32_t fraction = high & 0xfffff;
    high             = fraction | 0x3ff00000;
    if (fraction > 0x3988E && fraction < 0xBB67A) {
        k = 1;
    } else if (fraction >= 0xBB67A) {
        n++;
        high -= 0x100000;
    }
    size     = of_bits((uint64_t)(uint32_t)high << 32 | (bits_of(size) & UINT32_MAX));
    double u = size - bases[k], v = 1 / (size + bases[k]);
    double s = u * v, s_high = without_low_word(s);
    double t_high = of_high_word((uint32_t)(((high >> 1) | 0x20000000) + 0x00080000 + (k << 18)));
    double t_low  = size - (t_high - bases[k]);
    double s_low  = v * ((u - s_high * t_high) - s_high * t_low);
    double square = s * s;
    double r = square * square * (l1 + square * (l2 + square * (l3 + square * (l4 + square * (l5 + square * l6)))));
    r += s_low * (s_high + s);
    square        = s_high * s_high;
    t_high        = without_low_word(3.0 + square + r);
    t_low         = r - ((t_high - 3.0) - square);
    u             = s_high * t_high;
    v             = s_low * t_high + t_low * s;
    double p_high = without_low_word(u + v), p_low = v - (p_high - u);
    double z_high = cp_high * p_high, z_low = cp_low * p_high + p_low * cp + base_log_low[k];
    double t = n, sum = without_low_word(((z_high + z_low) + base_log_high[k]) + t);
    return (double_pair){sum, z_low - (((sum - t) - base_log_high[k]) - z_high)};
}

// 2^(high + low), for a sum within the exponents of doubles.
static double exp2_pair(double high, double low) {
    static const double p1 = 1.66666666666666019037e-01, p2 = -2.77777777770155933842e-03,
                        p3 = 6.61375632143793436117e-05, p4 = -1.65339022054652515390e-06,
                        p5  = 4.13813679705723846039e-08;
    static const double ln2 = 6.93147180559945286227e-01, ln2_head = 6.93147182464599609375e-01,
                        ln2_tail = -1.90465429995776804525e-09;
    int32_t top = (int32_t)high_word(low + high), size = top & 0x7fffffff, n = 0;
    if (size > 0x3fe00000) { // above one half: the nearest whole number goes to the exponent
        int32_t k = (size >> 20) - 0x3ff;
        n         = top + (0x00100000 >> (k + 1));
        k         = ((n & 0x7fffffff) >> 20) - 0x3ff;
        high -= of_high_word((uint32_t)n & ~(0x000fffffu >> k));
        n = ((n & 0x000fffff) | 0x00100000) >> (20 - k);
        if (top < 0) n = -n;
    }
    double t = without_low_word(low + high);
    double u = t * ln2_head, v = (low - (t - high)) * ln2 + t * ln2_tail;
    double z = u + v, w = v - (z - u);
    t         = z * z;
    double t1 = z - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))));
    double r  = (z * t1) / (t1 - 2.0) - (z * w + w);
    return ldexp(1 - (r - z), n);
}

// 0: not whole, 1: odd, 2: even.
static int whole_parity(double y) {
    double size = fabs(y);
    if (size >= 0x1p53) return 2;
    if (size < 1 || floor(size) != size) return 0;
    return fmod(size, 2.0) != 0 ? 1 : 2;
}

double lt_strict_pow(double x, double y) {
    if (y == 0) return 1;
    if (isnan(x) || isnan(y)) return NAN;
    double size = fabs(x);
    if (isinf(y)) return size == 1 ? NAN : (size > 1) == (y > 0) ? HUGE_VAL : 0;
    if (y == 1) return x;
    if (y == 2) return x * x;
    if (y == 0.5 && !signbit(x) && !isinf(x)) return sqrt(x);
    int    parity = x < 0 || (x == 0 && signbit(x)) ? whole_parity(y) : 2;
    double sign   = parity == 1 ? -1 : 1;
    if (size == 0 || isinf(x) || size == 1) {
        if (size == 1 && parity == 0) return NAN;
        return sign * (y < 0 ? 1 / size : size);
    }
    if (parity == 0) return NAN;
    bool        is_huge = fabs(y) > 0x1p31;
    double_pair log2_x;
    if (is_huge && (high_word(size) < 0x3fefffff || high_word(size) > 0x3ff00000 || fabs(y) > 0x1p64))
        return sign * ((size > 1) == (y > 0) ? HUGE_VAL : 0);
    log2_x        = is_huge ? log2_near_one(size) : log2_pair(size);
    double y_high = without_low_word(y);
    double low = (y - y_high) * log2_x.high + y * log2_x.low, high = y_high * log2_x.high;
    double sum = low + high;
    if (sum > 1024 || (sum == 1024 && low + 8.0085662595372944372e-17 > sum - high)) return sign * HUGE_VAL;
    if (sum < -1075 || (sum == -1075 && low <= sum - high)) return sign * 0.0;
    return sign * exp2_pair(high, low);
}
