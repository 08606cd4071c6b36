// csv_index for AVX-512 with VBMI2: compares give masks, and the places of set bits come from one compression of the
// numbers 0 to 63.
#include "storage/csv_index_step.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__) && defined(__BMI2__)
#include <immintrin.h>

void lt_csv_index_run_avx512(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);

static inline lt_csv_step step_of(const char *bytes, const lt_csv_index_bytes *of) {
    const __m512i text = _mm512_loadu_si512(bytes);
    return (lt_csv_step){
        .separators = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(of->separator)),
        .newlines   = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\n')),
        .returns    = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\r')),
        .quotes     = of->has_quote ? _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(of->quote)) : 0,
        .escapes    = of->has_escape ? _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(of->escape)) : 0,
    };
}

static inline uint16_t *store(uint16_t *out, uint64_t ends, uint64_t newlines, uint32_t base) {
    static const unsigned char numbers[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i              places      = _mm512_maskz_compress_epi8(ends, _mm512_loadu_si512(numbers));
    const __m512i              first = _mm512_set1_epi16((short)base), flag = _mm512_set1_epi16((short)LT_CSV_NEWLINE);
    const uint64_t             flags = _pext_u64(newlines, ends);
    const unsigned             count = (unsigned)__builtin_popcountll(ends);
    const __m512i              low   = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(places)), first);
    _mm512_storeu_si512(out, _mm512_mask_add_epi16(low, (__mmask32)flags, low, flag));
    if (__builtin_expect(count > 32, 0)) {
        const __m512i high = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(places, 1)), first);
        _mm512_storeu_si512(out + 32, _mm512_mask_add_epi16(high, (__mmask32)(flags >> 32), high, flag));
    }
    return out + count;
}

void lt_csv_index_run_avx512(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count) {
    LT_CSV_INDEX_RUN(index, of, bytes, count);
}
#endif
