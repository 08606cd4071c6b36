#include "base/number_text.h"

#include "base/checked.h"

// Printing gives Java 17's digits by Schubfach: of the numbers that round to `value`, the shortest is found with three
// products by a rounded power of ten. Java 17 leaves out the ties with a neighbour, takes the same room on both sides of
// a power of two and writes whole numbers below 2^63 with nearly all digits. Where its long integers overflow (doubles
// of 1.9e25 to 3.9e25, floats near 9.6e24) it may keep a last digit that is one too low: not done here.
//
// Parsing is Eisel-Lemire with Go's tests for the undecided cases; these, and texts of more than 19 digits whose
// neighbours differ, are divided exactly: digits / power of ten, bit by bit, on integers of up to LARGE_WORDS words.
// Both use one table of powers of ten with 128 bits.

enum { POWER_MIN = -348, POWER_MAX = 347 };
static const struct power {
    uint64_t high, low;
} powers[] = {
#define LT_POWER(high, low) {high, low},
#include "base/powers_of_ten.def"
#undef LT_POWER
};
_Static_assert(sizeof powers / sizeof powers[0] == POWER_MAX - POWER_MIN + 1, "a row an exponent");

// Layout of a binary format: significand_bits with the hidden bit; exponent of the last place of a subnormal.
typedef struct binary_format {
    int32_t  significand_bits, exponent_bits, exponent_min;
    uint64_t tiny; // significands below print too few digits unless scaled by ten
} binary_format;
static const binary_format format_double = {53, 11, -1074, 3};
static const binary_format format_float  = {24, 8, -149, 8};

static inline uint64_t high_product(uint64_t a, uint64_t b, uint64_t *low) {
    lt_uint128 product = (lt_uint128)a * b;
    *low               = (uint64_t)product;
    return (uint64_t)(product >> 64);
}

// ------------------------------------------------------------------------------------------------------------ printing

static int32_t floor_log2_power(int32_t exponent) { return (exponent * 1741647) >> 19; }  // of 10^exponent
static int32_t floor_log10_power(int32_t exponent) { return (exponent * 1262611) >> 22; } // of 2^exponent

static uint64_t round_to_odd(struct power g, uint64_t c) {
    uint64_t x_low, y_low;
    uint64_t x = high_product(g.low, c, &x_low);
    uint64_t y = high_product(g.high, c, &y_low);
    y += lt_add_overflows(y_low, x, &y_low) ? 1u : 0u;
    return y | (y_low > 1 ? 1u : 0u);
}

static uint64_t digits_strip(uint64_t digits, int32_t *exponent) {
    while (digits != 0 && digits % 10 == 0) digits /= 10, ++*exponent;
    return digits;
}

// All digits of significand * 2^q, a whole number below 2^63, but those far below the weight of the last bit: these are
// rounded away.
static uint64_t digits_of_whole(uint64_t significand, int32_t q, int32_t *exponent) {
    uint64_t      whole  = q < 0 ? significand >> -q : significand << q;
    const int32_t weight = q - 2; // significand has all bits of its format where this is above 0
    *exponent            = 0;
    if (weight > 0) {
        *exponent      = floor_log10_power(weight);
        uint64_t scale = 1;
        for (int32_t i = 0; i < *exponent; i++) scale *= 10;
        whole = whole / scale + (scale > 1 && whole % scale >= scale / 2 ? 1 : 0);
    }
    return digits_strip(whole, exponent);
}

// Digits of significand * 2^q.
static uint64_t digits_of(const binary_format *format, uint64_t significand, int32_t q, int32_t *exponent) {
    if (q <= 0 ? -q < format->significand_bits && (significand & ((UINT64_C(1) << -q) - 1)) == 0
               : q + format->significand_bits <= 63)
        return digits_of_whole(significand, q, exponent);
    const bool is_power_of_two = (significand & (significand - 1)) == 0;
    int32_t    tens            = 0;
    if (q == format->exponent_min && significand < format->tiny) {
        significand *= 10;
        tens = -1;
    }
    if (is_power_of_two) { // the numbers below are twice as dense as those above: so near on both sides
        significand *= 2;
        q--;
    }
    uint64_t     c = 4 * significand;
    int32_t      k = floor_log10_power(q);
    int32_t      h = q + floor_log2_power(-k) + 1;
    struct power g = powers[-k - POWER_MIN];
    if (-k < 0 || -k > 55) g.high += lt_add_overflows(g.low, (uint64_t)1, &g.low) ? 1u : 0u; // rounded up
    uint64_t lower = round_to_odd(g, (c - 2) << h) + 1; // what is a tie with a neighbour is outside
    uint64_t value = round_to_odd(g, c << h);
    uint64_t upper = round_to_odd(g, (c + 2) << h) - 1;
    uint64_t s     = value / 4;
    if (s >= 100) { // Java keeps two digits rather than find a shorter number further off
        uint64_t tenth       = s / 10;
        bool     down_inside = lower <= 40 * tenth, up_inside = 40 * tenth + 40 <= upper;
        if (down_inside != up_inside) {
            *exponent = k + 1 + tens;
            return digits_strip(tenth + (up_inside ? 1 : 0), exponent);
        }
    }
    *exponent = k + tens;
    if (s < 100 && upper >= 400) return digits_strip(100, exponent); // only of two digits the next power of ten is one
    bool down_inside = lower <= 4 * s, up_inside = 4 * s + 4 <= upper;
    if (down_inside != up_inside) return digits_strip(s + (up_inside ? 1 : 0), exponent);
    uint64_t middle = 4 * s + 2;
    return digits_strip(s + (value > middle || (value == middle && (s & 1) != 0) ? 1 : 0), exponent);
}

static uint64_t digits_of_bits(const binary_format *format, uint64_t bits, int32_t *exponent) {
    uint64_t hidden   = UINT64_C(1) << (format->significand_bits - 1);
    uint64_t fraction = bits & (hidden - 1);
    int32_t  biased = (int32_t)(bits >> (format->significand_bits - 1)) & ((int32_t)(1u << format->exponent_bits) - 1);
    if (biased == 0) return digits_of(format, fraction, format->exponent_min, exponent);
    return digits_of(format, fraction | hidden, format->exponent_min + biased - 1, exponent);
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t lt_double_digits(double value, int32_t *out_exponent) {
    return digits_of_bits(&format_double, double_bits(value), out_exponent);
}
uint64_t lt_float_digits(float value, int32_t *out_exponent) {
    return digits_of_bits(&format_float, float_bits(value), out_exponent);
}

static size_t text_copy(char *out, const char *text) {
    size_t bytes = strlen(text);
    memcpy(out, text, bytes + 1);
    return bytes;
}

// Java's layout: plain from 1e-3 up to 1e7, else d.dddE[-]x.
static size_t print_digits(bool is_negative, uint64_t digits, int32_t exponent, char *out) {
    char    text[LT_INT64_TEXT_MAX];
    int32_t count = (int32_t)lt_int64_print((int64_t)digits, text);
    int32_t point = count + exponent; // digits before the point
    char   *next  = out;
    if (is_negative) *next++ = '-';
    if (point > 0 && point <= 7) {
        for (int32_t i = 0; i < point; i++) *next++ = i < count ? text[i] : '0';
        *next++ = '.';
        if (count <= point) *next++ = '0';
        for (int32_t i = point; i < count; i++) *next++ = text[i];
    } else if (point <= 0 && point > -3) {
        *next++ = '0';
        *next++ = '.';
        for (int32_t i = point; i < 0; i++) *next++ = '0';
        for (int32_t i = 0; i < count; i++) *next++ = text[i];
    } else {
        *next++ = text[0];
        *next++ = '.';
        if (count == 1) *next++ = '0';
        for (int32_t i = 1; i < count; i++) *next++ = text[i];
        *next++ = 'E';
        next += lt_int64_print(point - 1, next);
    }
    *next = '\0';
    return (size_t)(next - out);
}

size_t lt_double_print(double value, char out[LT_DOUBLE_TEXT_MAX]) {
    uint64_t bits = double_bits(value), magnitude = bits & (UINT64_MAX >> 1);
    bool     negative = bits >> 63 != 0;
    if (magnitude > UINT64_C(0x7FF0000000000000)) return text_copy(out, "NaN");
    if (magnitude == UINT64_C(0x7FF0000000000000)) return text_copy(out, negative ? "-Infinity" : "Infinity");
    if (magnitude == 0) return text_copy(out, negative ? "-0.0" : "0.0");
    int32_t  exponent;
    uint64_t digits = digits_of_bits(&format_double, magnitude, &exponent);
    return print_digits(negative, digits, exponent, out);
}

size_t lt_float_print(float value, char out[LT_DOUBLE_TEXT_MAX]) {
    uint32_t bits = float_bits(value), magnitude = bits & (UINT32_MAX >> 1);
    bool     negative = bits >> 31 != 0;
    if (magnitude > 0x7F800000u) return text_copy(out, "NaN");
    if (magnitude == 0x7F800000u) return text_copy(out, negative ? "-Infinity" : "Infinity");
    if (magnitude == 0) return text_copy(out, negative ? "-0.0" : "0.0");
    int32_t  exponent;
    uint64_t digits = digits_of_bits(&format_float, magnitude, &exponent);
    return print_digits(negative, digits, exponent, out);
}

// Eight digits of a number below 10^8, a byte each, the first one lowest: pairs of four digits, of two, of one.
static inline uint64_t eight_digits(uint64_t value) {
    uint64_t fours  = value / 10000 | (value % 10000) << 32;
    uint64_t tops   = ((fours * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t twos   = tops | (fours - 100 * tops) << 16;
    uint64_t firsts = ((twos * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return firsts | (twos - 10 * firsts) << 8;
}

uint32_t lt_int64_text(int64_t value, lt_uint128 *out_text) {
    const uint64_t zeros = UINT64_C(0x3030303030303030), half = 100000000;
    uint64_t       rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (rest >= 1000000000000000) return 0;
    uint64_t   first  = eight_digits(rest < half ? rest : rest / half);
    uint32_t   absent = first == 0 ? 7 : (uint32_t)__builtin_ctzll(first) / 8, bytes = 8 - absent;
    lt_uint128 text = (first | zeros) >> (8 * absent);
    if (rest >= half) {
        text |= (lt_uint128)(eight_digits(rest % half) | zeros) << (8 * bytes);
        bytes += 8;
    }
    if (value < 0) {
        text = text << 8 | '-';
        bytes++;
    }
    *out_text = text;
    return bytes;
}

// Two pieces that may overlap, so that no byte behind the text is written.
static void text_store(char *out, lt_uint128 text, uint32_t bytes) {
    if (bytes >= 8) {
        uint64_t first = (uint64_t)text, last = (uint64_t)(text >> (8 * (bytes - 8)));
        memcpy(out, &first, sizeof first);
        memcpy(out + bytes - 8, &last, sizeof last);
    } else {
        for (uint32_t i = 0; i < bytes; i++) out[i] = (char)(text >> (8 * i));
    }
}

size_t lt_int64_print(int64_t value, char out[LT_INT64_TEXT_MAX]) {
    lt_uint128 text  = 0;
    uint32_t   bytes = lt_int64_text(value, &text);
    if (bytes == 0) { // 16 to 19 digits: those before the last eight, then these
        const uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, half = 100000000;
        size_t         sign = value < 0;
        out[0]              = '-';
        bytes               = lt_int64_text((int64_t)(rest / half), &text);
        text_store(out + sign, text, bytes);
        text_store(out + sign + bytes, eight_digits(rest % half) | UINT64_C(0x3030303030303030), 8);
        bytes += 8 + (uint32_t)sign;
    } else {
        text_store(out, text, bytes);
    }
    out[bytes] = '\0';
    return bytes;
}

// ------------------------------------------------------------------------------------------------------------- parsing

enum { DIGITS_KEPT = 800, LARGE_WORDS = 96 }; // no tie of two doubles has 800 digits

// digits * 10^exponent; first 19 digits in `leading`.
typedef struct scanned_number {
    bool     is_negative, is_truncated; // more than 19 significant digits
    uint64_t leading;
    int64_t  leading_exponent;
    // All significant digits, for the exact way: from the first that is not 0; the point may be among them.
    const char *digits, *digits_end;
    int64_t     exponent; // of the last digit in digits..digits_end
} scanned_number;

static bool scan(const char *text, size_t bytes, scanned_number *out) {
    const char    *next = text, *end = text + bytes;
    scanned_number found = {0};
    if (next < end && (*next == '+' || *next == '-')) found.is_negative = *next++ == '-';
    int64_t before = 0, behind = 0, significant = 0, dropped = 0;
    bool    has_point = false;
    for (; next < end; next++) {
        if (*next == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (*next < '0' || *next > '9') break;
        if (has_point)
            behind++;
        else
            before++;
        if (significant == 0 && *next == '0') continue;
        if (significant == 0) found.digits = next;
        significant++;
        if (significant <= 19)
            found.leading = found.leading * 10 + (uint64_t)(*next - '0');
        else
            dropped++;
    }
    found.digits_end = next;
    if (before + behind == 0) return false;
    int64_t written = 0;
    if (next < end && (*next == 'e' || *next == 'E')) {
        next++;
        bool is_negative = false;
        if (next < end && (*next == '+' || *next == '-')) is_negative = *next++ == '-';
        const char *first = next;
        for (; next < end && *next >= '0' && *next <= '9'; next++)
            if (written < INT64_C(1000000000000)) written = written * 10 + (*next - '0');
        if (next == first) return false;
        if (is_negative) written = -written;
    }
    if (next != end) return false;
    found.is_truncated     = dropped > 0;
    found.exponent         = written - behind;
    found.leading_exponent = found.exponent + dropped;
    *out                   = found;
    return true;
}

static uint64_t format_infinity(const binary_format *format) {
    return (((UINT64_C(1) << format->exponent_bits) - 1) << (format->significand_bits - 1));
}

// Bits of the format nearest to significand * 2^exponent, the significand's top bit being set; `is_sticky`: the exact
// value is a bit more.
static uint64_t round_bits(const binary_format *format, uint64_t significand, bool is_sticky, int64_t exponent) {
    int64_t cut  = 64 - format->significand_bits;
    int64_t last = exponent + cut; // exponent of the last place kept
    if (last < format->exponent_min) {
        cut += format->exponent_min - last;
        last = format->exponent_min;
    }
    if (cut > 64) return 0;
    uint64_t kept = cut == 64 ? 0 : significand >> cut;
    uint64_t half = UINT64_C(1) << (cut - 1);
    uint64_t rest = significand & (half | (half - 1));
    if (rest > half || (rest == half && (is_sticky || (kept & 1) != 0))) kept++;
    uint64_t hidden = UINT64_C(1) << (format->significand_bits - 1);
    if (kept == hidden << 1) {
        kept >>= 1;
        last++;
    }
    if (kept < hidden) return kept; // subnormal or zero
    int64_t biased = last - format->exponent_min + 1;
    if (biased >= (int64_t)(UINT64_C(1) << format->exponent_bits) - 1) return format_infinity(format);
    return ((uint64_t)biased << (format->significand_bits - 1)) | (kept & (hidden - 1));
}

// Bits nearest to digits * 10^exponent, digits != 0; false: undecided.
static bool eisel_lemire(const binary_format *format, uint64_t digits, int64_t exponent, uint64_t *out) {
    if (exponent < POWER_MIN || exponent > POWER_MAX) return false;
    int32_t      zeros = __builtin_clzll(digits);
    int32_t      spare = 64 - format->significand_bits - 2;
    uint64_t     mask  = (UINT64_C(1) << spare) - 1;
    struct power power = powers[exponent - POWER_MIN];
    digits <<= zeros;
    uint64_t low, high = high_product(digits, power.high, &low);
    if ((high & mask) == mask && low + digits < digits) {
        uint64_t more_low, more = high_product(digits, power.low, &more_low);
        uint64_t merged_low = low + more;
        uint64_t merged     = high + (merged_low < low ? 1u : 0u);
        if ((merged & mask) == mask && merged_low + 1 == 0 && more_low + digits < digits) return false;
        high = merged;
        low  = merged_low;
    }
    int32_t  top         = (int32_t)(high >> 63);
    uint64_t significand = high >> (top + spare);
    int32_t  bias        = (1 << (format->exponent_bits - 1)) - 1;
    int64_t  biased      = ((217706 * exponent) >> 16) + 64 + bias - zeros - (1 ^ top);
    if (low == 0 && (high & mask) == 0 && (significand & 3) == 1) return false;
    significand = (significand + (significand & 1)) >> 1;
    if (significand >> format->significand_bits != 0) {
        significand >>= 1;
        biased++;
    }
    if (biased < 1 || biased >= (1 << format->exponent_bits) - 1) return false;
    uint64_t hidden = UINT64_C(1) << (format->significand_bits - 1);
    *out            = ((uint64_t)biased << (format->significand_bits - 1)) | (significand & (hidden - 1));
    return true;
}

typedef struct large {
    uint32_t count; // words in use; the last is not 0
    uint64_t words[LARGE_WORDS];
} large;

static void large_multiply_add(large *number, uint64_t factor, uint64_t addend) {
    lt_uint128 carry = addend;
    for (uint32_t i = 0; i < number->count; i++) {
        carry += (lt_uint128)number->words[i] * factor;
        number->words[i] = (uint64_t)carry;
        carry >>= 64;
    }
    if (carry != 0) {
        lt_assert(number->count < LARGE_WORDS);
        number->words[number->count++] = (uint64_t)carry;
    }
}

static void large_shift_left(large *number, uint32_t bits) {
    uint32_t words = bits / 64, rest = bits % 64;
    if (number->count == 0) return;
    lt_assert(number->count + words + 1 <= LARGE_WORDS);
    number->words[number->count] = 0;
    for (uint32_t i = number->count + 1; i-- > 0;) {
        uint64_t below           = i > 0 && rest != 0 ? number->words[i - 1] >> (64 - rest) : 0;
        number->words[i + words] = (number->words[i] << rest) | below;
    }
    for (uint32_t i = 0; i < words; i++) number->words[i] = 0;
    number->count += words + 1;
    while (number->count > 0 && number->words[number->count - 1] == 0) number->count--;
}

static uint32_t large_bits(const large *number) {
    return number->count == 0 ? 0 : number->count * 64 - (uint32_t)__builtin_clzll(number->words[number->count - 1]);
}

static int large_compare(const large *a, const large *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;)
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

static void large_subtract(large *a, const large *b) { // a >= b
    bool borrow = false;
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t subtrahend = i < b->count ? b->words[i] : 0, difference;
        bool     is_less    = lt_subtract_overflows(a->words[i], subtrahend, &difference);
        is_less |= lt_subtract_overflows(difference, (uint64_t)borrow, &difference);
        a->words[i] = difference;
        borrow      = is_less;
    }
    while (a->count > 0 && a->words[a->count - 1] == 0) a->count--;
}

static void large_power(large *number, uint64_t exponent) { // multiplies by 10^exponent
    for (; exponent >= 19; exponent -= 19) large_multiply_add(number, UINT64_C(10000000000000000000), 0);
    uint64_t rest = 1;
    for (; exponent > 0; exponent--) rest *= 10;
    large_multiply_add(number, rest, 0);
}

static uint64_t parse_exact(const binary_format *format, const scanned_number *scanned) {
    large    numerator = {0}, denominator = {.count = 1, .words = {1}};
    int64_t  exponent  = scanned->exponent;
    uint32_t kept      = 0;
    bool     is_sticky = false;
    for (const char *next = scanned->digits; next < scanned->digits_end; next++) {
        if (*next == '.') continue;
        if (kept < DIGITS_KEPT)
            large_multiply_add(&numerator, 10, (uint64_t)(*next - '0')), kept++;
        else
            is_sticky = is_sticky || *next != '0', exponent++;
    }
    if (numerator.count == 0) return 0;
    if (exponent + kept > 400) return format_infinity(format);
    if (exponent + kept < -400) return 0;
    if (exponent >= 0)
        large_power(&numerator, (uint64_t)exponent);
    else
        large_power(&denominator, (uint64_t)-exponent);
    int64_t shift = (int64_t)large_bits(&denominator) - (int64_t)large_bits(&numerator);
    if (shift > 0)
        large_shift_left(&numerator, (uint32_t)shift);
    else
        large_shift_left(&denominator, (uint32_t)-shift);
    if (large_compare(&numerator, &denominator) < 0) {
        large_shift_left(&numerator, 1);
        shift++;
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        quotient <<= 1;
        if (large_compare(&numerator, &denominator) >= 0) {
            large_subtract(&numerator, &denominator);
            quotient |= 1;
        }
        large_shift_left(&numerator, 1);
    }
    return round_bits(format, quotient, is_sticky || numerator.count != 0, -shift - 63);
}

static bool word_is(const char *text, size_t bytes, const char *word) {
    if (bytes != strlen(word)) return false;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        if (c != word[i]) return false;
    }
    return true;
}

static bool parse_word(const binary_format *format, const char *text, size_t bytes, uint64_t *out, bool *out_negative) {
    *out_negative = bytes > 0 && text[0] == '-';
    if (bytes > 0 && (text[0] == '-' || text[0] == '+')) text++, bytes--;
    *out = format_infinity(format);
    if (word_is(text, bytes, "inf") || word_is(text, bytes, "infinity")) return true;
    *out |= UINT64_C(1) << (format->significand_bits - 2);
    if (!word_is(text, bytes, "nan")) return false;
    *out_negative = false;
    return true;
}

static bool parse_bits(const binary_format *format, const char *text, size_t bytes, uint64_t *out, bool *out_negative) {
    scanned_number scanned;
    if (!scan(text, bytes, &scanned)) return parse_word(format, text, bytes, out, out_negative);
    *out_negative = scanned.is_negative;
    *out          = 0;
    if (scanned.leading == 0) return true;
    uint64_t next;
    if (eisel_lemire(format, scanned.leading, scanned.leading_exponent, out) &&
        (!scanned.is_truncated ||
         (eisel_lemire(format, scanned.leading + 1, scanned.leading_exponent, &next) && next == *out)))
        return true;
    *out = parse_exact(format, &scanned);
    return true;
}

bool lt_double_parse(const char *text, size_t bytes, double *out) {
    uint64_t bits;
    bool     is_negative;
    if (!parse_bits(&format_double, text, bytes, &bits, &is_negative)) return false;
    if (is_negative) bits |= UINT64_C(1) << 63;
    memcpy(out, &bits, sizeof *out);
    return true;
}

bool lt_float_parse(const char *text, size_t bytes, float *out) {
    uint64_t bits;
    bool     is_negative;
    if (!parse_bits(&format_float, text, bytes, &bits, &is_negative)) return false;
    uint32_t narrow = (uint32_t)bits | (is_negative ? UINT32_C(1) << 31 : 0);
    memcpy(out, &narrow, sizeof *out);
    return true;
}

static int hexadecimal_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    char lower = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// [+-] 0x digits [. digits] p [+-] digits
static bool parse_hexadecimal(const binary_format *format, const char *text, size_t bytes, uint64_t *out,
                              bool *out_negative) {
    const char *next = text, *end = text + bytes;
    *out_negative = next < end && *next == '-';
    if (next < end && (*next == '+' || *next == '-')) next++;
    if (end - next < 3 || next[0] != '0' || (next[1] != 'x' && next[1] != 'X')) return false;
    next += 2;
    uint64_t significand = 0, written = 0;
    int64_t  exponent  = 0;
    bool     has_point = false, has_digit = false, is_sticky = false, is_down = false;
    for (; next < end; next++) {
        if (*next == '.' && !has_point) {
            has_point = true;
            continue;
        }
        int digit = hexadecimal_digit(*next);
        if (digit < 0) break;
        has_digit = true;
        if (significand >> 60 == 0) {
            significand = significand << 4 | (uint64_t)digit;
            exponent -= has_point ? 4 : 0;
        } else {
            is_sticky = is_sticky || digit != 0;
            exponent += has_point ? 0 : 4;
        }
    }
    if (!has_digit || next == end || (*next != 'p' && *next != 'P')) return false;
    next++;
    if (next < end && (*next == '+' || *next == '-')) is_down = *next++ == '-';
    const char *first = next;
    for (; next < end && *next >= '0' && *next <= '9'; next++)
        if (written < 1000000) written = written * 10 + (uint64_t)(*next - '0');
    if (next == first || next != end) return false;
    exponent += is_down ? -(int64_t)written : (int64_t)written;
    *out = 0;
    if (significand == 0) return true;
    int32_t zeros = __builtin_clzll(significand);
    *out          = round_bits(format, significand << zeros, is_sticky, exponent - zeros);
    return true;
}

static bool parse_java(const binary_format *format, const char *text, size_t bytes, uint64_t *out, bool *out_negative) {
    if (parse_bits(format, text, bytes, out, out_negative)) return true;
    if (bytes > 1 && memchr("dDfF", text[bytes - 1], 4) != NULL) {
        bool is_digit = (text[bytes - 2] >= '0' && text[bytes - 2] <= '9') || text[bytes - 2] == '.';
        if (is_digit && parse_bits(format, text, bytes - 1, out, out_negative)) return true;
        if (parse_hexadecimal(format, text, bytes - 1, out, out_negative)) return true;
    }
    return parse_hexadecimal(format, text, bytes, out, out_negative);
}

bool lt_double_parse_java(const char *text, size_t bytes, double *out) {
    uint64_t bits;
    bool     is_negative;
    if (!parse_java(&format_double, text, bytes, &bits, &is_negative)) return false;
    if (is_negative) bits |= UINT64_C(1) << 63;
    memcpy(out, &bits, sizeof *out);
    return true;
}

bool lt_float_parse_java(const char *text, size_t bytes, float *out) {
    uint64_t bits;
    bool     is_negative;
    if (!parse_java(&format_float, text, bytes, &bits, &is_negative)) return false;
    uint32_t narrow = (uint32_t)bits | (is_negative ? UINT32_C(1) << 31 : 0);
    memcpy(out, &narrow, sizeof *out);
    return true;
}

lt_number_outcome lt_int64_parse(const char *text, size_t bytes, int64_t *out) {
    size_t   at          = 0;
    bool     is_negative = false, is_large = false;
    uint64_t value = 0;
    if (bytes > 0 && (text[0] == '-' || text[0] == '+')) is_negative = text[at++] == '-';
    if (at == bytes) return LT_NUMBER_MALFORMED;
    for (; at < bytes; at++) {
        if (text[at] < '0' || text[at] > '9') return LT_NUMBER_MALFORMED;
        is_large = is_large || lt_multiply_overflows(value, (uint64_t)10, &value) ||
                   lt_add_overflows(value, (uint64_t)(text[at] - '0'), &value);
    }
    if (is_large || value > (UINT64_MAX >> 1) + (is_negative ? 1u : 0u)) return LT_NUMBER_TOO_LARGE;
    *out = (int64_t)(is_negative ? 0 - value : value);
    return LT_NUMBER_OK;
}
