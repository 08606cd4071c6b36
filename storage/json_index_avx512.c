// json_index for AVX-512 with VBMI2: a table of 128 bytes tells what each byte is, and the places of set bits come from
// one compression of the numbers 0 to 63.
#include "storage/json_index_step.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI__) && defined(__AVX512VBMI2__)
#include <immintrin.h>

void lt_json_index_run_avx512(lt_json_index *index, const char *bytes, size_t count);
void lt_json_index_unmark_utf8_avx512(lt_json_index *index, const char *bytes, size_t count);

static inline __m512i numbers_to_63(void) {
    static const unsigned char numbers[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    return _mm512_loadu_si512(numbers);
}

// The usual few places by a narrow store, as wide ones hardly ever stay within a line of the cache.
static inline uint16_t *store(uint16_t *out, uint64_t bits, uint32_t base) {
    const __m512i  places = _mm512_maskz_compress_epi8(bits, numbers_to_63());
    const __m256i  first  = _mm256_set1_epi16((short)base);
    const unsigned count  = (unsigned)__builtin_popcountll(bits);
    const __m256i  few    = _mm256_cvtepu8_epi16(_mm512_castsi512_si128(places));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_add_epi16(few, first));
    if (__builtin_expect(count > 16, 0)) {
        const __m512i all = _mm512_broadcastw_epi16(_mm256_castsi256_si128(first));
        _mm512_storeu_si512(out, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(places)), all));
        _mm512_storeu_si512(out + 32,
                            _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(places, 1)), all));
    }
    return out + count;
}

enum { END = 1, ODD = 2 };

static inline lt_json_step step_of(const char *bytes) {
    static const unsigned char lows[64]  = {ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, END, ODD,
                                            ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD,
                                            ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, 0,   0,   END};
    static const unsigned char highs[64] = {['\\' - 64] = ODD};
    const __m512i              text      = _mm512_loadu_si512(bytes);
    const __m512i kinds   = _mm512_permutex2var_epi8(_mm512_loadu_si512(lows), text, _mm512_loadu_si512(highs));
    const __m512i highest = _mm512_set1_epi8((char)0x80);
    // kinds | (text & highest): the table knows the low seven bits alone.
    const __m512i all = _mm512_ternarylogic_epi64(kinds, text, highest, 0xF8);
    return (lt_json_step){
        // A byte from 0x80 is no end, whatever its low bits are.
        .ends        = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8(END)),
        .careful     = _mm512_test_epi8_mask(all, _mm512_set1_epi8((char)(0x80 | ODD))),
        .backslashes = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\\')),
    };
}

void lt_json_index_run_avx512(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_run(index, bytes, count, step_of, store);
}

static inline lt_json_step_utf8 utf8_look(const char *bytes) {
    static const unsigned char first_highs[16] = {LT_UTF8_FIRST_HIGH}, first_lows[16] = {LT_UTF8_FIRST_LOW},
                               second_highs[16] = {LT_UTF8_SECOND_HIGH};
    const __m512i low_half                      = _mm512_set1_epi8(0x0F);
    const __m512i first_high = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)first_highs));
    const __m512i first_low  = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)first_lows));
    const __m512i second     = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)second_highs));
    const __m512i text       = _mm512_loadu_si512(bytes);
    const __m512i before1 = _mm512_loadu_si512(bytes - 1), before2 = _mm512_loadu_si512(bytes - 2);
    const __m512i before3  = _mm512_loadu_si512(bytes - 3);
    const __m512i high_of1 = _mm512_and_si512(_mm512_srli_epi16(before1, 4), low_half);
    const __m512i high     = _mm512_and_si512(_mm512_srli_epi16(text, 4), low_half);
    const __m512i broken =
        _mm512_and_si512(_mm512_and_si512(_mm512_shuffle_epi8(first_high, high_of1),
                                          _mm512_shuffle_epi8(first_low, _mm512_and_si512(before1, low_half))),
                         _mm512_shuffle_epi8(second, high));
    const __m512i  third  = _mm512_subs_epu8(before2, _mm512_set1_epi8(0xE0 - 0x80));
    const __m512i  fourth = _mm512_subs_epu8(before3, _mm512_set1_epi8(0xF0 - 0x80));
    const __m512i  must   = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8((char)0x80));
    const uint64_t control =
        _mm512_cmplt_epu8_mask(text, _mm512_set1_epi8(0x20)) & ~_mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\n'));
    return (lt_json_step_utf8){.is_good  = _mm512_cmpneq_epi8_mask(must, broken) == 0,
                               .is_plain = (control | _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\\'))) == 0};
}

void lt_json_index_unmark_utf8_avx512(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_unmark(index, bytes, count, utf8_look);
}
#endif
