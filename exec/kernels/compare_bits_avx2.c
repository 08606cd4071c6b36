// compare_bits for AVX2.
#include "exec/kernels/compare_bits.h"

#if defined(__AVX2__)
#include <immintrin.h>

#define COMPARE_KERNEL lt_compare_kernel_avx2
#define COMPARE_NAME "avx2"

extern const lt_compare_kernel lt_compare_kernel_avx2;

static bool is_supported(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"); }

static uint64_t truths_pack(const uint8_t truths[64]) {
    const __m256i low  = _mm256_loadu_si256((const __m256i *)(const void *)truths),
                  high = _mm256_loadu_si256((const __m256i *)(const void *)(truths + 32));
    return (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(low, 7)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, 7)) << 32;
}

#include "exec/kernels/compare_bits.tmpl.h"
#endif
