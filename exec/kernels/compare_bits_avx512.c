// compare_bits for AVX-512: row numbers are packed 32 at a time.
#include "exec/kernels/compare_bits.h"

#if defined(__AVX512BW__) && defined(__AVX512VBMI2__)
#include <immintrin.h>

#define COMPARE_KERNEL lt_compare_kernel_avx512
#define COMPARE_NAME "avx512"
#define COMPARE_ROWS_OF

extern const lt_compare_kernel lt_compare_kernel_avx512;

static bool is_supported(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2");
}

static uint64_t truths_pack(const uint8_t truths[64]) {
    const __m512i bytes = _mm512_loadu_si512(truths);
    return _mm512_test_epi8_mask(bytes, bytes);
}

static uint32_t rows_of(const uint64_t *bits, uint32_t count, uint16_t *rows) {
    static const uint16_t first_numbers[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const __m512i         next              = _mm512_set1_epi16(32);
    __m512i               numbers           = _mm512_loadu_si512(first_numbers);
    uint32_t              found             = 0;
    for (uint32_t first = 0; first < count; first += 32) {
        const __mmask32 word = (__mmask32)(bits[first / 64] >> (first & 32));
        const uint32_t  some = (uint32_t)__builtin_popcount(word);
        _mm512_mask_storeu_epi16(rows + found, _bzhi_u32(UINT32_MAX, some), _mm512_maskz_compress_epi16(word, numbers));
        found += some;
        numbers = _mm512_add_epi16(numbers, next);
    }
    return found;
}

#include "exec/kernels/compare_bits.tmpl.h"
#endif
