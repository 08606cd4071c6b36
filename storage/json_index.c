// The portable kernel compares eight bytes at once in a 64-bit word, on x86-64 sixteen as every such machine can; and the
// table of all kernels.
#include "storage/json_index.h"

#include "base/json_reader.h"
#include "storage/json_index_step.h"

#if defined(__SSE2__)
#include <emmintrin.h>

static inline lt_json_step step_of(const char *bytes) {
    const __m128i quote = _mm_set1_epi8('"'), newline = _mm_set1_epi8('\n'), backslash = _mm_set1_epi8('\\');
    const __m128i blank   = _mm_set1_epi8(0x20);
    __m128i       careful = _mm_setzero_si128();
    lt_json_step  step    = {0};
    for (int i = 0; i < 4; i++) {
        const __m128i text       = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
        const __m128i is_newline = _mm_cmpeq_epi8(text, newline), is_backslash = _mm_cmpeq_epi8(text, backslash);
        const __m128i is_end = _mm_or_si128(_mm_cmpeq_epi8(text, quote), is_newline);
        step.ends |= (uint64_t)(uint32_t)_mm_movemask_epi8(is_end) << (16 * i);
        step.backslashes |= (uint64_t)(uint32_t)_mm_movemask_epi8(is_backslash) << (16 * i);
        // As signed numbers, control bytes and bytes from 0x80 up are the ones below a blank.
        careful = _mm_or_si128(careful, _mm_andnot_si128(is_newline, _mm_cmplt_epi8(text, blank)));
    }
    step.careful = (uint64_t)(uint32_t)_mm_movemask_epi8(careful) | step.backslashes;
    return step;
}
#else
#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

// The top bits of the eight bytes as the low eight bits, the first byte lowest.
static inline uint64_t gather(uint64_t highs) { return ((highs >> 7) * UINT64_C(0x0102040810204080)) >> 56; }

// The top bits of the bytes that are `byte`.
static inline uint64_t equal_highs(uint64_t word, unsigned char byte) {
    const uint64_t difference = word ^ (ONES * byte);
    return ~(((difference & ~HIGHS) + ~HIGHS) | difference) & HIGHS;
}

// The top bits of bytes below 0x20 or from 0x80.
static inline uint64_t outside_highs(uint64_t word) {
    return (word | ~((word & ~HIGHS) + ONES * (0x80 - 0x20))) & HIGHS;
}

static inline uint64_t word_at(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline lt_json_step step_of(const char *bytes) {
    lt_json_step step = {0};
    for (int i = 0; i < 8; i++) {
        const uint64_t word = word_at(bytes + 8 * i), newlines = equal_highs(word, '\n');
        step.ends |= gather(equal_highs(word, '"') | newlines) << (8 * i);
        step.backslashes |= gather(equal_highs(word, '\\')) << (8 * i);
        step.careful |= outside_highs(word) & ~newlines;
    }
    step.careful |= step.backslashes;
    return step;
}
#endif

static void run_portable(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_run(index, bytes, count, step_of, lt_json_step_store);
}

// A step and the characters that begin before it, byte by byte; one that begins at its end is the next step's.
static inline lt_json_step_utf8 utf8_look(const char *bytes) {
    lt_json_step_utf8 found = {.is_good = true, .is_plain = true};
    const char       *at = bytes, *end = bytes + 64;
    for (int i = LT_JSON_STEP_BEFORE; i > 0; i--) {
        const unsigned char first = (unsigned char)bytes[-i];
        if (first < 0xC0) continue;
        const int need = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (need > i) {
            found.is_good = lt_json_is_utf8(bytes - i, (size_t)need);
            at            = bytes - i + need;
            break;
        }
    }
    while (at < end && found.is_good) {
        const unsigned char first = (unsigned char)*at;
        const int           need  = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (end - at < need) break;
        found.is_good = lt_json_is_utf8(at, (size_t)need);
        at += need;
    }
    for (at = bytes; at < end; at++) found.is_plain &= *at != '\\' && ((unsigned char)*at >= 0x20 || *at == '\n');
    return found;
}

static void unmark_utf8_portable(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_unmark(index, bytes, count, utf8_look);
}

static bool runs_everywhere(void) { return true; }

#if defined(__x86_64__) && defined(__GNUC__)
void lt_json_index_run_avx512(lt_json_index *index, const char *bytes, size_t count);
void lt_json_index_unmark_utf8_avx512(lt_json_index *index, const char *bytes, size_t count);
void lt_json_index_run_avx2(lt_json_index *index, const char *bytes, size_t count);
void lt_json_index_unmark_utf8_avx2(lt_json_index *index, const char *bytes, size_t count);

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
#elif defined(__aarch64__)
void lt_json_index_run_neon(lt_json_index *index, const char *bytes, size_t count);
#endif

const lt_json_index_kernel lt_json_index_kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    {.name         = "avx512",
     .is_supported = has_avx512,
     .run          = lt_json_index_run_avx512,
     .unmark_utf8  = lt_json_index_unmark_utf8_avx512},
    {.name         = "avx2",
     .is_supported = has_avx2,
     .run          = lt_json_index_run_avx2,
     .unmark_utf8  = lt_json_index_unmark_utf8_avx2},
#elif defined(__aarch64__)
    {.name         = "neon",
     .is_supported = runs_everywhere,
     .run          = lt_json_index_run_neon,
     .unmark_utf8  = unmark_utf8_portable},
#endif
    {.name = "portable", .is_supported = runs_everywhere, .run = run_portable, .unmark_utf8 = unmark_utf8_portable},
    {0},
};

const lt_json_index_kernel *lt_json_index_kernel_find(const char *name) {
    for (const lt_json_index_kernel *kernel = lt_json_index_kernels; kernel->name != NULL; kernel++)
        if ((name == NULL || strcmp(name, kernel->name) == 0) && kernel->is_supported()) return kernel;
    return NULL;
}
