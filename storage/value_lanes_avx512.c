// value_lanes for AVX-512: eight values at a time, their words gathered.
#include "storage/value_lanes.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#include <immintrin.h>

uint32_t lt_value_short_integers_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                                        uint16_t *odd);

uint32_t lt_value_short_integers_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                                        uint16_t *odd) {
    const __m512i zeros = _mm512_set1_epi8('0'), nine = _mm512_set1_epi8(9), eight = _mm512_set1_epi64(8);
    const __m512i tens = _mm512_set1_epi16(1 << 8 | 10), hundreds = _mm512_set1_epi32(1 << 16 | 100);
    const __m512i one = _mm512_set1_epi64(1), first_byte = _mm512_set1_epi64(0xFF),
                  text_bit = _mm512_set1_epi64(1 << 15);
    uint32_t odd_count     = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        const __mmask8 lanes  = count - i >= 8 ? 0xFF : (__mmask8)((1u << (count - i)) - 1);
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
#endif
