// json_index for AVX2: two registers a step, positions by counting trailing zeros.
#include "storage/json_index_step.h"

#if defined(__AVX2__)
#include <immintrin.h>

void lt_json_index_run_avx2(lt_json_index *index, const char *bytes, size_t count);

static inline uint64_t bits_of(__m256i low, __m256i high) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline lt_json_step step_of(const char *bytes) {
    const __m256i low   = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i high  = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));
    const __m256i quote = _mm256_set1_epi8('"'), newline = _mm256_set1_epi8('\n'), backslash = _mm256_set1_epi8('\\');
    const __m256i blank = _mm256_set1_epi8(0x20);
    lt_json_step  step  = {
          .quotes      = bits_of(_mm256_cmpeq_epi8(low, quote), _mm256_cmpeq_epi8(high, quote)),
          .newlines    = bits_of(_mm256_cmpeq_epi8(low, newline), _mm256_cmpeq_epi8(high, newline)),
          .backslashes = bits_of(_mm256_cmpeq_epi8(low, backslash), _mm256_cmpeq_epi8(high, backslash)),
          // As signed numbers, control bytes and bytes from 0x80 up are the ones below a blank.
          .careful = bits_of(_mm256_cmpgt_epi8(blank, low), _mm256_cmpgt_epi8(blank, high)),
    };
    step.careful = (step.careful & ~step.newlines) | step.backslashes;
    return step;
}

void lt_json_index_run_avx2(lt_json_index *index, const char *bytes, size_t count) {
    char      tail[64];
    uint16_t *out   = index->positions;
    uint64_t  carry = 0;
    lt_json_index_begin(index, count);
    for (size_t at = 0; at < count; at += 64) {
        const lt_json_step step =
            step_of(count - at >= 64 ? bytes + at : lt_json_step_tail(tail, bytes + at, count - at));
        const uint64_t escaped = lt_json_step_escaped(step.backslashes, &carry);
        lt_json_step_mark(index, at / 64, step.careful);
        out = lt_json_step_store(out, (step.quotes & ~escaped) | step.newlines, (uint32_t)at);
    }
    lt_json_index_end(index, count, out);
}
#endif
