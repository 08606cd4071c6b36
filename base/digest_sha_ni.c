// digest for x86's SHA extensions: the blocks of SHA-1 and SHA-256, four steps an instruction.
#include "base/digest_block.h"

#if defined(__SHA__) && defined(__SSE4_1__) && !defined(__clang__) // older ones of which do not know the name "sha"
#include <immintrin.h>

bool lt_has_sha_ni(void) { return __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1"); }

static __m128i words_at(const void *bytes) { return _mm_loadu_si128(bytes); }

// Steps 4 group .. 4 group + 3 of 80; `turns` 0..3 says which twenty of them.
#define SHA1_STEPS(group, turns)                                                                                       \
    do {                                                                                                               \
        if ((group) >= 4)                                                                                              \
            w[(group) % 4] = _mm_sha1msg2_epu32(                                                                       \
                _mm_xor_si128(_mm_sha1msg1_epu32(w[(group) % 4], w[((group) + 1) % 4]), w[((group) + 2) % 4]),         \
                w[((group) + 3) % 4]);                                                                                 \
        const __m128i e = (group) == 0 ? _mm_add_epi32(last, w[0]) : _mm_sha1nexte_epu32(last, w[(group) % 4]);        \
        last            = abcd;                                                                                        \
        abcd            = _mm_sha1rnds4_epu32(abcd, e, turns);                                                         \
    } while (0)

void lt_sha1_block_ni(uint32_t words[8], const uint8_t *block) {
    const __m128i reversed = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    const __m128i abcd0 = _mm_shuffle_epi32(words_at(words), 0x1B), e0 = _mm_set_epi32((int)words[4], 0, 0, 0);
    __m128i       abcd = abcd0, last = e0, w[4];
    for (uint32_t i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(words_at(block + 16 * i), reversed);
    for (uint32_t group = 0; group < 5; group++) SHA1_STEPS(group, 0);
    for (uint32_t group = 5; group < 10; group++) SHA1_STEPS(group, 1);
    for (uint32_t group = 10; group < 15; group++) SHA1_STEPS(group, 2);
    for (uint32_t group = 15; group < 20; group++) SHA1_STEPS(group, 3);
    _mm_storeu_si128((void *)words, _mm_shuffle_epi32(_mm_add_epi32(abcd, abcd0), 0x1B));
    words[4] = (uint32_t)_mm_extract_epi32(_mm_sha1nexte_epu32(last, e0), 3);
}

// The upper halves of four constants of SHA-512.
static __m128i constants_at(const uint64_t *roots) {
    const __m128 first = _mm_castsi128_ps(words_at(roots)), second = _mm_castsi128_ps(words_at(roots + 2));
    return _mm_castps_si128(_mm_shuffle_ps(first, second, 0xDD));
}

void lt_sha256_block_ni(uint32_t words[8], const uint8_t *block) {
    const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i cdab = _mm_shuffle_epi32(words_at(words), 0xB1), efgh = _mm_shuffle_epi32(words_at(words + 4), 0x1B);
    const __m128i abef0 = _mm_alignr_epi8(cdab, efgh, 8), cdgh0 = _mm_blend_epi16(efgh, cdab, 0xF0);
    __m128i       abef = abef0, cdgh = cdgh0, w[4];
    for (uint32_t i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(words_at(block + 16 * i), reversed);
    for (uint32_t group = 0; group < 16; group++) {
        __m128i *now = &w[group % 4];
        if (group >= 4) {
            const __m128i last = w[(group + 3) % 4], seven_ago = _mm_alignr_epi8(last, w[(group + 2) % 4], 4);
            *now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(group + 1) % 4]), seven_ago), last);
        }
        const __m128i sums = _mm_add_epi32(*now, constants_at(lt_sha_cube_roots + 4 * group));
        cdgh               = _mm_sha256rnds2_epu32(cdgh, abef, sums);
        abef               = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0E));
    }
    const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef0), 0x1B);
    const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh0), 0xB1);
    _mm_storeu_si128((void *)words, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((void *)(words + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
bool lt_has_sha_ni(void) { return false; }
void lt_sha1_block_ni(uint32_t words[8], const uint8_t *block) { lt_sha1_block_portable(words, block); }
void lt_sha256_block_ni(uint32_t words[8], const uint8_t *block) { lt_sha256_block_portable(words, block); }
#endif
