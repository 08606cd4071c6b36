// json_index for AVX2: two registers a step, positions by counting trailing zeros.
#include "storage/json_index_step.h"

#if defined(__AVX2__)
#include <immintrin.h>

void lt_json_index_run_avx2(lt_json_index *index, const char *bytes, size_t count);
void lt_json_index_unmark_utf8_avx2(lt_json_index *index, const char *bytes, size_t count);

static inline uint64_t bits_of(__m256i low, __m256i high) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline lt_json_step step_of(const char *bytes) {
    const __m256i low   = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i high  = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));
    const __m256i quote = _mm256_set1_epi8('"'), newline = _mm256_set1_epi8('\n'), backslash = _mm256_set1_epi8('\\');
    const __m256i blank       = _mm256_set1_epi8(0x20);
    const __m256i low_newline = _mm256_cmpeq_epi8(low, newline), high_newline = _mm256_cmpeq_epi8(high, newline);
    const __m256i low_backslash  = _mm256_cmpeq_epi8(low, backslash),
                  high_backslash = _mm256_cmpeq_epi8(high, backslash);
    // As signed numbers, control bytes and bytes from 0x80 up are the ones below a blank.
    const __m256i outside = _mm256_or_si256(_mm256_andnot_si256(low_newline, _mm256_cmpgt_epi8(blank, low)),
                                            _mm256_andnot_si256(high_newline, _mm256_cmpgt_epi8(blank, high)));
    const __m256i careful = _mm256_or_si256(outside, _mm256_or_si256(low_backslash, high_backslash));
    return (lt_json_step){
        .ends        = bits_of(_mm256_or_si256(_mm256_cmpeq_epi8(low, quote), low_newline),
                               _mm256_or_si256(_mm256_cmpeq_epi8(high, quote), high_newline)),
        .backslashes = bits_of(low_backslash, high_backslash),
        .careful     = _mm256_testz_si256(careful, careful) == 0,
    };
}

void lt_json_index_run_avx2(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_run(index, bytes, count, step_of, lt_json_step_store);
}

// Broken rules of 32 bytes, of which three before them are readable.
static inline __m256i utf8_errors(const char *bytes) {
    static const unsigned char first_highs[16] = {LT_UTF8_FIRST_HIGH}, first_lows[16] = {LT_UTF8_FIRST_LOW},
                               second_highs[16] = {LT_UTF8_SECOND_HIGH};
    const __m256i low_half                      = _mm256_set1_epi8(0x0F);
    const __m256i first_high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)first_highs));
    const __m256i first_low  = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)first_lows));
    const __m256i second   = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)second_highs));
    const __m256i text     = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i before1  = _mm256_loadu_si256((const __m256i *)(const void *)(bytes - 1));
    const __m256i before2  = _mm256_loadu_si256((const __m256i *)(const void *)(bytes - 2));
    const __m256i before3  = _mm256_loadu_si256((const __m256i *)(const void *)(bytes - 3));
    const __m256i high_of1 = _mm256_and_si256(_mm256_srli_epi16(before1, 4), low_half);
    const __m256i high     = _mm256_and_si256(_mm256_srli_epi16(text, 4), low_half);
    const __m256i broken =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first_high, high_of1),
                                          _mm256_shuffle_epi8(first_low, _mm256_and_si256(before1, low_half))),
                         _mm256_shuffle_epi8(second, high));
    const __m256i third  = _mm256_subs_epu8(before2, _mm256_set1_epi8(0xE0 - 0x80));
    const __m256i fourth = _mm256_subs_epu8(before3, _mm256_set1_epi8(0xF0 - 0x80));
    const __m256i must   = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(must, broken);
}

// Control bytes but \n, and backslashes.
static inline __m256i odd_bytes(const char *bytes) {
    const __m256i text    = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i last    = _mm256_set1_epi8(0x1F);
    const __m256i control = _mm256_cmpeq_epi8(_mm256_max_epu8(text, last), last);
    return _mm256_or_si256(_mm256_andnot_si256(_mm256_cmpeq_epi8(text, _mm256_set1_epi8('\n')), control),
                           _mm256_cmpeq_epi8(text, _mm256_set1_epi8('\\')));
}

static inline lt_json_step_utf8 utf8_look(const char *bytes) {
    const __m256i errors = _mm256_or_si256(utf8_errors(bytes), utf8_errors(bytes + 32));
    const __m256i odd    = _mm256_or_si256(odd_bytes(bytes), odd_bytes(bytes + 32));
    return (lt_json_step_utf8){.is_good  = _mm256_testz_si256(errors, errors) != 0,
                               .is_plain = _mm256_testz_si256(odd, odd) != 0};
}

void lt_json_index_unmark_utf8_avx2(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_unmark(index, bytes, count, utf8_look);
}
#endif
