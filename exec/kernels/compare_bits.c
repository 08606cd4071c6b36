// compare_bits in portable C, and the choice among the instruction sets.
#include "exec/kernels/compare_bits.h"

#define COMPARE_KERNEL lt_compare_kernel_portable
#define COMPARE_NAME "portable"

extern const lt_compare_kernel lt_compare_kernel_portable, lt_compare_kernel_avx2, lt_compare_kernel_avx512;

static bool is_supported(void) { return true; }

// The product moves bit 8k of a word to bit 56 + k.
static uint64_t truths_pack(const uint8_t truths[64]) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t eight = 0;
        for (uint32_t k = 0; k < 8; k++) eight |= (uint64_t)(truths[8 * i + k] & 1) << 8 * k;
        word |= (eight * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return word;
}

#include "exec/kernels/compare_bits.tmpl.h"

const lt_compare_kernel *const lt_compare_kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    &lt_compare_kernel_avx512, &lt_compare_kernel_avx2,
#endif
    &lt_compare_kernel_portable, NULL};

const lt_compare_kernel *lt_compare_kernel_best(void) {
    const lt_compare_kernel *const *kernel = lt_compare_kernels;
    while (!(*kernel)->is_supported()) kernel++;
    return *kernel;
}

bool lt_compare_text_words(const lt_string *text, uint64_t masks[2], uint64_t words[2]) {
    enum { LANE_BYTES = sizeof(lt_string) };
    uint8_t bytes[LANE_BYTES] = {0};
    if (text->bytes > LT_STRING_INLINE_MAX) return false;
    const size_t used = offsetof(lt_string, prefix) + text->bytes;
    memcpy(bytes, text, used);
    memcpy(words, bytes, sizeof bytes);
    memset(bytes, 0xff, used);
    memcpy(masks, bytes, sizeof bytes);
    return true;
}
