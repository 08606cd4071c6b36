// value_lanes for AVX-512: eight values at a time.
#include "storage/digits_word.h"
#include "storage/value_lanes.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#include <immintrin.h>
#include <string.h>

uint32_t lt_value_short_integers_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                                        uint16_t *odd);
uint32_t lt_value_plain_bares_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, uint16_t *odd);

static inline __m128i words_of_two(const char *bytes, const lt_value_span *spans) {
    int64_t first, second;
    memcpy(&first, bytes + lt_value_span_start(spans[0]), sizeof first);
    memcpy(&second, bytes + lt_value_span_start(spans[1]), sizeof second);
    return _mm_insert_epi64(_mm_cvtsi64_si128(first), second, 1);
}

// Eight bytes from each start on. Eight loads are faster than the instruction for it, which is for less than eight.
static inline __m512i words_of_eight(const char *bytes, const lt_value_span *spans, __m512i start, __mmask8 lanes) {
    if (lanes != 0xFF) return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, start, bytes, 1);
    const __m256i low =
        _mm256_inserti128_si256(_mm256_castsi128_si256(words_of_two(bytes, spans)), words_of_two(bytes, spans + 2), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(words_of_two(bytes, spans + 4)),
                                                 words_of_two(bytes, spans + 6), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

uint32_t lt_value_short_integers_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                                        uint16_t *odd) {
    const __m512i zeros = _mm512_set1_epi8('0'), nine = _mm512_set1_epi8(9), eight = _mm512_set1_epi64(8);
    const __m512i tens = _mm512_set1_epi16(1 << 8 | 10), hundreds = _mm512_set1_epi32(1 << 16 | 100);
    const __m512i one = _mm512_set1_epi64(1), first_byte = _mm512_set1_epi64(0xFF),
                  text_bit = _mm512_set1_epi64(1 << 15);
    uint32_t odd_count     = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        const __mmask8 lanes  = (__mmask8)(count - i >= 8 ? 0xFFu : (1u << (count - i)) - 1);
        const __m512i  span   = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, spans + i));
        const __m512i  start  = _mm512_and_si512(span, _mm512_set1_epi64(0x7FFF));
        const __m512i  length = _mm512_sub_epi64(_mm512_srli_epi64(span, 16), start),
                      bits    = _mm512_slli_epi64(length, 3);
        const __m512i word    = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, start, bytes, 1);
        // Zeros before the digits make them eight; a count out of range shifts everything out.
        const __m512i digits = _mm512_or_si512(_mm512_sllv_epi64(word, _mm512_sub_epi64(_mm512_set1_epi64(64), bits)),
                                               _mm512_srlv_epi64(zeros, bits));
        const __m512i values = _mm512_xor_si512(digits, zeros);
        const __m512i pairs = _mm512_maddubs_epi16(values, tens), quads = _mm512_madd_epi16(pairs, hundreds);
        const __m512i value =
            _mm512_add_epi64(_mm512_mul_epu32(quads, _mm512_set1_epi64(10000)), _mm512_srli_epi64(quads, 32));
        const __m512i  others = _mm512_subs_epu8(values, nine);
        const __mmask8 is_odd =
            (__mmask8)(_mm512_test_epi64_mask(others, others) |
                       _mm512_cmpge_epu64_mask(_mm512_sub_epi64(length, one), eight) |
                       _mm512_test_epi64_mask(span, text_bit) |
                       (_mm512_cmpeq_epi64_mask(_mm512_and_si512(word, first_byte), _mm512_set1_epi64('0')) &
                        _mm512_cmpneq_epi64_mask(length, one)));
        _mm512_mask_storeu_epi64(out + i, lanes, value);
        for (uint32_t left = is_odd & lanes; left != 0; left &= left - 1)
            odd[odd_count++] = (uint16_t)(i + (uint32_t)__builtin_ctz(left));
    }
    return odd_count;
}

// What values look like, a bit a byte, in groups of 8 or 16 bits: which of them are no numbers without an exponent has a
// bit in its group.
typedef struct number_bits {
    uint64_t there, digits, signs, points, zeros;
} number_bits;

__attribute__((always_inline)) static inline uint64_t not_numbers(const number_bits *bits, const uint64_t firsts,
                                                                  const uint64_t lasts) {
    const uint64_t signs = bits->signs & firsts, digits = bits->digits & bits->there;
    const uint64_t begins = (firsts & ~signs) | signs << 1; // where the first digit must be
    const uint64_t others = bits->there & ~digits & ~signs, middle = others & ~lasts;
    const uint64_t ends = bits->there & ~(bits->there >> 1 & ~lasts); // the last byte of each
    // No second point: what is left of the others without the lowest one of each.
    const uint64_t more = middle & ((middle | lasts) - firsts);
    return (begins & ~digits) | (others & ~bits->points) | (others & ends) | more |
           ((bits->zeros & begins) << 1 & digits);
}

static inline number_bits number_bits_of(__m512i text, uint64_t there) {
    const __m512i zero = _mm512_set1_epi8('0');
    return (number_bits){
        .there  = there,
        .digits = _mm512_cmple_epu8_mask(_mm512_sub_epi8(text, zero), _mm512_set1_epi8(9)),
        .signs  = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('-')),
        .points = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('.')),
        .zeros  = _mm512_cmpeq_epi8_mask(text, zero),
    };
}

// Which of the eight are neither words nor numbers; none has more than eight bytes.
static inline uint32_t short_bares(const char *bytes, const lt_value_span *spans, __m512i start, __m512i length,
                                   __mmask8 lanes) {
    static const unsigned char numbers[64] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5,
                                              6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3,
                                              4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    const __m512i              low_bytes =
        _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0, 0x0808080808080808, 0, 0x0808080808080808, 0);
    const __m512i     text   = words_of_eight(bytes, spans, start, lanes);
    const __m512i     counts = _mm512_shuffle_epi8(length, low_bytes);
    const uint64_t    there  = _mm512_cmplt_epu8_mask(_mm512_loadu_si512(numbers), counts);
    const number_bits bits   = number_bits_of(text, there);
    const uint64_t    bad    = not_numbers(&bits, UINT64_C(0x0101010101010101), UINT64_C(0x8080808080808080));
    if (bad == 0) return 0;
    const __m128i  bad_bytes = _mm_cvtsi64_si128((int64_t)bad);
    const uint32_t odd       = _mm_test_epi8_mask(bad_bytes, bad_bytes) & lanes;
    if (odd == 0) return 0;
    const __m512i  word  = _mm512_maskz_mov_epi8(there, text);
    const __mmask8 four  = _mm512_cmpeq_epi64_mask(length, _mm512_set1_epi64(4)),
                   five  = _mm512_cmpeq_epi64_mask(length, _mm512_set1_epi64(5));
    const uint32_t words = (uint32_t)_mm512_mask_cmpeq_epi64_mask(four, word, _mm512_set1_epi64(0x65757274)) |
                           (uint32_t)_mm512_mask_cmpeq_epi64_mask(four, word, _mm512_set1_epi64(0x6C6C756E)) |
                           (uint32_t)_mm512_mask_cmpeq_epi64_mask(five, word, _mm512_set1_epi64(0x65736C6166));
    return odd & ~words;
}

// Which of the `count` (1..4) are no numbers of at most 16 bytes.
static inline uint32_t long_numbers(const char *bytes, const lt_value_span *spans, uint32_t count) {
    __m512i  text  = _mm512_setzero_si512();
    uint64_t there = 0; // the bytes of the values; none of one that is too long
    for (uint32_t k = 0; k < 4; k++) {
        const lt_value_span span  = spans[k < count ? k : 0];
        const uint32_t      start = lt_value_span_start(span), length = lt_value_span_end(span) - start;
        const __m128i       value = _mm_loadu_si128((const __m128i *)(const void *)(bytes + start));
        text                      = k == 0   ? _mm512_castsi128_si512(value)
                                    : k == 1 ? _mm512_inserti32x4(text, value, 1)
                                    : k == 2 ? _mm512_inserti32x4(text, value, 2)
                                             : _mm512_inserti32x4(text, value, 3);
        there |= (length <= 16 ? (UINT64_C(1) << length) - 1 : 0) << (16 * k);
    }
    const uint64_t    firsts = UINT64_C(0x0001000100010001);
    const number_bits bits   = number_bits_of(text, there);
    const uint64_t    bad    = not_numbers(&bits, firsts, firsts << 15);
    uint32_t          odd    = 0;
    for (uint32_t k = 0; k < count && bad != 0; k++) odd |= (uint32_t)((bad >> (16 * k) & 0xFFFF) != 0) << k;
    return odd;
}

uint32_t lt_value_plain_bares_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, uint16_t *odd) {
    uint32_t odd_count = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        const uint32_t left   = count - i < 8 ? count - i : 8;
        const __mmask8 lanes  = (__mmask8)((1u << left) - 1);
        const __m512i  span   = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, spans + i));
        const __m512i  start  = _mm512_and_si512(span, _mm512_set1_epi64(0x7FFF));
        const __m512i  length = _mm512_sub_epi64(_mm512_srli_epi64(span, 16), start);
        uint32_t       is_odd;
        if (_mm512_cmpgt_epu64_mask(length, _mm512_set1_epi64(8)) == 0) {
            is_odd = short_bares(bytes, spans + i, start, length, lanes);
        } else {
            is_odd = long_numbers(bytes, spans + i, left < 4 ? left : 4);
            if (left > 4) is_odd |= long_numbers(bytes, spans + i + 4, left - 4) << 4;
        }
        for (; is_odd != 0; is_odd &= is_odd - 1) {
            const uint32_t k     = i + (uint32_t)__builtin_ctz(is_odd);
            const uint32_t first = lt_value_span_start(spans[k]);
            odd[odd_count]       = (uint16_t)k;
            odd_count += !lt_digits_is_word(bytes + first, lt_value_span_end(spans[k]) - first);
        }
    }
    return odd_count;
}
#endif
