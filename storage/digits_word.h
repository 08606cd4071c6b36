// digits_word: decimal digits eight at a time in a 64-bit word, the first digit in the lowest byte.
//
// Ownership  borrows.   Threads  any.   Errors  false or a mask.   Cost  a few cycles, no branch on the digits.
// Source     Mula and Lemire, "Faster integer parsing" (2018): eight digits by three multiplications.
#ifndef LT_STORAGE_DIGITS_WORD_H
#define LT_STORAGE_DIGITS_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LT_DIGITS_ZERO UINT64_C(0x3030303030303030)

static inline uint64_t lt_digits_load(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}
// The first `count` (1..8) bytes, with zeros before them so that they are eight digits. Reads 8 bytes.
static inline uint64_t lt_digits_load_first(const char *text, size_t count) {
    return (lt_digits_load(text) << (64 - 8 * count)) | (LT_DIGITS_ZERO >> 4 >> (8 * count - 4));
}
// The top bit of every byte that is no digit.
static inline uint64_t lt_digits_others(uint64_t word) {
    const uint64_t value = word ^ LT_DIGITS_ZERO, low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    return (((value & low) + UINT64_C(0x7676767676767676)) | value) & ~low;
}
static inline uint64_t lt_digits_value(uint64_t word) {
    word = ((word & UINT64_C(0x0F0F0F0F0F0F0F0F)) * 2561) >> 8;
    word = ((word & UINT64_C(0x00FF00FF00FF00FF)) * 6553601) >> 16;
    return ((word & UINT64_C(0x0000FFFF0000FFFF)) * UINT64_C(42949672960001)) >> 32;
}
// `count` (1..16) digits; false when one is none. Reads up to 8 bytes behind them.
static inline bool lt_digits_read(const char *text, size_t count, uint64_t *out) {
    if (count <= 8) {
        const uint64_t word = lt_digits_load_first(text, count);
        *out                = lt_digits_value(word);
        return lt_digits_others(word) == 0;
    }
    const uint64_t first = lt_digits_load_first(text, count - 8), last = lt_digits_load(text + count - 8);
    *out = lt_digits_value(first) * 100000000 + lt_digits_value(last);
    return (lt_digits_others(first) | lt_digits_others(last)) == 0;
}

// Digits with one point between them: a number of at most 16 bytes.
typedef struct lt_digits_point {
    uint64_t digits; // without the point
    uint32_t fraction_digits;
} lt_digits_point;

// JSON's grammar without sign and exponent: 0, 12, 12.50, 0.5; false for anything else and for more than 8 digits on a
// side of the point or 16 without one. Reads 16 bytes.
static inline bool lt_digits_read_point(const char *text, size_t count, lt_digits_point *out) {
    if (count - 1 >= 16) return false;
    const uint64_t others = lt_digits_others(lt_digits_load(text));
    size_t         whole  = others == 0 ? 8 : (size_t)__builtin_ctzll(others) >> 3;
    if (whole == 8 && count > 8 && text[8] != '.') whole = count;
    if (whole > count) whole = count;
    if (whole == 0 || (text[0] == '0' && whole > 1) || !lt_digits_read(text, whole, &out->digits)) return false;
    out->fraction_digits = 0;
    if (whole == count) return true;
    static const uint32_t powers[9]      = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const size_t          fraction_count = count - whole - 1;
    uint64_t              fraction;
    if (text[whole] != '.' || fraction_count - 1 >= 8 || !lt_digits_read(text + whole + 1, fraction_count, &fraction))
        return false;
    out->digits          = out->digits * powers[fraction_count] + fraction;
    out->fraction_digits = (uint32_t)fraction_count;
    return true;
}

// Whether lt_digits_read_point would say true, or the same with more digits: at most 16 bytes. Reads 16 bytes.
static inline bool lt_digits_is_point(const char *text, size_t count) {
    if (count - 1 >= 16) return false;
    uint64_t first = lt_digits_others(lt_digits_load(text)), last = 0;
    if (count <= 8)
        first &= UINT64_MAX >> (64 - 8 * count);
    else
        last = lt_digits_others(lt_digits_load(text + 8)) & (UINT64_MAX >> (128 - 8 * count));
    const bool begins_with_zero = text[0] == '0';
    if ((first | last) == 0) return !begins_with_zero || count == 1;
    if ((first & (first - 1)) != 0 || (last & (last - 1)) != 0 || (first != 0 && last != 0)) return false;
    const size_t whole = first != 0 ? (size_t)__builtin_ctzll(first) >> 3 : 8 + ((size_t)__builtin_ctzll(last) >> 3);
    return text[whole] == '.' && whole != 0 && whole != count - 1 && (!begins_with_zero || whole == 1);
}

// Whether it is true, false or null, without a branch between them: which one it is cannot be foretold. Reads 8 bytes.
static inline bool lt_digits_is_word(const char *text, size_t count) {
    const uint64_t word = lt_digits_load(text), first = (uint32_t)word;
    return ((((first == lt_digits_load("true\0\0\0")) | (first == lt_digits_load("null\0\0\0"))) & (count == 4)) |
            (((word & UINT64_C(0xFFFFFFFFFF)) == lt_digits_load("false\0\0")) & (count == 5))) != 0;
}

#endif
