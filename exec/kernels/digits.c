#include "exec/kernels/digits.h"

#include "base/decimal.h"
#include "base/lane_numbers.h"
#include "base/number_text.h"

// Numbers of 32 * WORDS bits: enough for 2^1074 times 17 digits.
enum { WORDS = 48, PLACES_MAX = 400 };

typedef struct big {
    uint32_t words[WORDS]; // lowest first
} big;

static void big_multiply(big *number, uint32_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < WORDS; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int big_compare(const big *a, const big *b) {
    for (size_t i = WORDS; i-- > 0;)
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

// Compares |exact| with digits * 10^-places; both sides made integers.
static int compare_exact(double exact, uint64_t digits, int32_t places) {
    uint64_t bits;
    memcpy(&bits, &exact, sizeof bits);
    int32_t  exponent = (int32_t)(bits >> 52 & 0x7FF);
    uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | (exponent > 0 ? 0x10000000000000ull : 0);
    exponent          = (exponent > 0 ? exponent : 1) - 1075;
    big left          = {.words = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)}};
    big right         = {.words = {(uint32_t)digits, (uint32_t)(digits >> 32)}};
    for (int32_t i = 0; i < places; i++) big_multiply(&left, 10);
    for (int32_t i = 0; i < exponent; i++) big_multiply(&left, 2);
    for (int32_t i = 0; i > exponent; i--) big_multiply(&right, 2);
    return big_compare(&left, &right);
}

static void set_text(lt_digits *out, const char *text, size_t bytes) {
    while (bytes > 0 && *text == '0') text++, bytes--;
    out->count = (int32_t)bytes;
    memcpy(out->text, text, bytes);
}

static void drop_zeros(lt_digits *digits) {
    while (digits->count > 0 && digits->text[digits->count - 1] == '0') digits->count--;
    if (digits->count == 0) digits->point = 0;
}

void lt_digits_of_double(double value, lt_digits *out) {
    *out             = (lt_digits){.is_negative = __builtin_signbit(value) != 0, .is_binary = true, .exact = value};
    out->is_nan      = value != value;
    out->is_infinite = !out->is_nan && value - value != 0;
    if (out->is_nan || out->is_infinite || value == 0) return;
    int32_t exponent;
    char    text[LT_INT64_TEXT_MAX];
    set_text(out, text, lt_int64_print((int64_t)lt_double_digits(value, &exponent), text));
    out->point = out->count + exponent;
    drop_zeros(out);
}

void lt_digits_of_decimal(lt_int128 value, uint32_t scale, lt_digits *out) {
    *out = (lt_digits){.is_negative = value < 0};
    char   text[LT_DECIMAL_TEXT_MAX];
    size_t bytes = lt_decimal_print(value, 0, text), start = text[0] == '-';
    set_text(out, text + start, bytes - start);
    out->point = out->count - (int32_t)scale;
    drop_zeros(out);
}

bool lt_digits_of(const lt_vector *vector, uint32_t row, lt_digits *out) {
    switch (vector->type->kind) {
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_BIGINT:
        lt_digits_of_decimal(lt_value_integer(vector, row), 0, out);
        return true;
    case LT_DECIMAL:
        lt_digits_of_decimal(LT_VALUE(vector, lt_int128, row), vector->type->scale, out);
        return true;
    case LT_FLOAT: // as a double, like Java's formatters
        lt_digits_of_double((double)LT_VALUE(vector, float, row), out);
        return true;
    case LT_DOUBLE:
        lt_digits_of_double(LT_VALUE(vector, double, row), out);
        return true;
    default:
        return false;
    }
}

bool lt_integer_of(const lt_vector *vector, uint32_t row, int64_t *out, uint32_t *out_bits) {
    const lt_kind kind = vector->type->kind;
    if (!lt_kind_is_whole(kind) || kind == LT_BOOLEAN) return false;
    *out_bits = 8 * (uint32_t)lt_kind_lane_bytes(kind);
    *out      = lt_value_integer(vector, row) * (kind == LT_TIME ? 1000 : 1);
    return true;
}

static void cut(lt_digits *digits, int32_t kept, bool is_up) {
    if (kept < 0) kept = 0;
    digits->count = kept;
    if (is_up) {
        while (digits->count > 0 && digits->text[digits->count - 1] == '9') digits->count--;
        if (digits->count > 0) {
            digits->text[digits->count - 1]++;
        } else {
            digits->text[digits->count++] = '1';
            digits->point++;
        }
    }
    if (!is_up) drop_zeros(digits);
}

void lt_digits_round_half_up(lt_digits *digits, int32_t kept) {
    if (kept >= digits->count) return;
    cut(digits, kept, kept >= 0 && digits->text[kept] >= '5');
}

void lt_digits_round_half_even(lt_digits *digits, int32_t kept) {
    if (kept >= digits->count) return;
    bool is_up = kept >= 0 && digits->text[kept] >= '5';
    if (is_up && digits->text[kept] == '5' && kept + 1 == digits->count) {
        int     order  = 0;
        int32_t places = digits->count - digits->point;
        if (digits->is_binary && places > 0 && places <= PLACES_MAX) {
            uint64_t value = 0;
            for (int32_t i = 0; i < digits->count; i++) value = value * 10 + (uint64_t)(digits->text[i] - '0');
            order = compare_exact(digits->is_negative ? -digits->exact : digits->exact, value, places);
        }
        bool is_odd = kept > 0 && ((digits->text[kept - 1] - '0') & 1) != 0;
        is_up       = order > 0 || (order == 0 && is_odd);
    }
    cut(digits, kept, is_up);
}

leat_status lt_digits_append(lt_buffer *out, const lt_digits *digits, int32_t whole_min, int32_t group, int32_t places,
                             leat_error *err) {
    int32_t whole = digits->point > whole_min ? digits->point : whole_min;
    for (int32_t exponent = whole - 1; exponent >= 0; exponent--) {
        LT_TRY(lt_buffer_append_byte(out, lt_digits_at(digits, exponent), err));
        if (group > 0 && exponent > 0 && exponent % group == 0) LT_TRY(lt_buffer_append_byte(out, ',', err));
    }
    if (places > 0) LT_TRY(lt_buffer_append_byte(out, '.', err));
    for (int32_t i = 1; i <= places; i++) LT_TRY(lt_buffer_append_byte(out, lt_digits_at(digits, -i), err));
    return LEAT_OK;
}
