// The portable kernel compares eight bytes at once in a 64-bit word, on x86-64 sixteen as every such machine can; and the
// table of all kernels.
#include "storage/csv_index.h"

#include "storage/csv_index_step.h"

#if defined(__SSE2__)
#include <emmintrin.h>

static inline uint64_t bits_of(const __m128i text[4], char byte) {
    const __m128i wanted = _mm_set1_epi8(byte);
    uint64_t      bits   = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(text[i], wanted)) << (16 * i);
    return bits;
}

static inline lt_csv_step step_of(const char *bytes, const lt_csv_index_bytes *of) {
    __m128i text[4];
    for (int i = 0; i < 4; i++) text[i] = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
    return (lt_csv_step){
        .separators = bits_of(text, of->separator),
        .newlines   = bits_of(text, '\n'),
        .returns    = bits_of(text, '\r'),
        .quotes     = of->has_quote ? bits_of(text, of->quote) : 0,
        .escapes    = of->has_escape ? bits_of(text, of->escape) : 0,
    };
}
#else
#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t equal(uint64_t word, uint64_t repeated) {
    const uint64_t difference = word ^ repeated;
    const uint64_t highs      = ~(((difference & ~HIGHS) + ~HIGHS) | difference) & HIGHS;
    return ((highs >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

static inline lt_csv_step step_of(const char *bytes, const lt_csv_index_bytes *of) {
    const uint64_t separator = ONES * (unsigned char)of->separator, quote = ONES * (unsigned char)of->quote;
    const uint64_t escape = ONES * (unsigned char)of->escape;
    lt_csv_step    step   = {0};
    for (int i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        step.separators |= equal(word, separator) << (8 * i);
        step.newlines |= equal(word, ONES * '\n') << (8 * i);
        step.returns |= equal(word, ONES * '\r') << (8 * i);
        if (of->has_quote) step.quotes |= equal(word, quote) << (8 * i);
        if (of->has_escape) step.escapes |= equal(word, escape) << (8 * i);
    }
    return step;
}
#endif

static inline uint16_t *store(uint16_t *out, uint64_t ends, uint64_t newlines, uint32_t base) {
    return lt_csv_step_store(out, ends, newlines, base);
}

static void run_portable(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count) {
    LT_CSV_INDEX_RUN(index, of, bytes, count);
}

static bool runs_everywhere(void) { return true; }

#if defined(__x86_64__) && defined(__GNUC__)
void lt_csv_index_run_avx512(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);
void lt_csv_index_run_avx2(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
#elif defined(__aarch64__)
void lt_csv_index_run_neon(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);
#endif

const lt_csv_index_kernel lt_csv_index_kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    {.name = "avx512", .is_supported = has_avx512, .run = lt_csv_index_run_avx512},
    {.name = "avx2", .is_supported = has_avx2, .run = lt_csv_index_run_avx2},
#elif defined(__aarch64__)
    {.name = "neon", .is_supported = runs_everywhere, .run = lt_csv_index_run_neon},
#endif
    {.name = "portable", .is_supported = runs_everywhere, .run = run_portable},
    {0},
};

const lt_csv_index_kernel *lt_csv_index_kernel_find(const char *name) {
    for (const lt_csv_index_kernel *kernel = lt_csv_index_kernels; kernel->name != NULL; kernel++)
        if ((name == NULL || strcmp(name, kernel->name) == 0) && kernel->is_supported()) return kernel;
    return NULL;
}
