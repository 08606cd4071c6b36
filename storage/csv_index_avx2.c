// csv_index for AVX2: two registers a step, positions by counting trailing zeros.
#include "storage/csv_index_step.h"

#if defined(__AVX2__)
#include <immintrin.h>

void lt_csv_index_run_avx2(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);

static inline uint64_t bits_of(__m256i low, __m256i high, __m256i byte) {
    const uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, byte));
    return first | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, byte)) << 32;
}

static inline lt_csv_step step_of(const char *bytes, const lt_csv_index_bytes *of) {
    const __m256i low  = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));
    return (lt_csv_step){
        .separators = bits_of(low, high, _mm256_set1_epi8(of->separator)),
        .newlines   = bits_of(low, high, _mm256_set1_epi8('\n')),
        .returns    = bits_of(low, high, _mm256_set1_epi8('\r')),
        .quotes     = of->has_quote ? bits_of(low, high, _mm256_set1_epi8(of->quote)) : 0,
        .escapes    = of->has_escape ? bits_of(low, high, _mm256_set1_epi8(of->escape)) : 0,
    };
}

static inline uint16_t *store(uint16_t *out, uint64_t ends, uint64_t newlines, uint32_t base) {
    return lt_csv_step_store(out, ends, newlines, base);
}

void lt_csv_index_run_avx2(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count) {
    LT_CSV_INDEX_RUN(index, of, bytes, count);
}
#endif
