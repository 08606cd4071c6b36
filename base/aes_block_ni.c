// aes_block for x86's AES instructions.
#include "base/aes_block.h"

#if defined(__AES__)
#include <immintrin.h>

static __m128i key_at(const uint8_t (*keys)[16], uint32_t round) { return _mm_loadu_si128((const void *)keys[round]); }

bool lt_has_aes_ni(void) { return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse2"); }

void lt_aes_encrypt_block_ni(const uint8_t (*keys)[16], uint32_t rounds, uint8_t block[16]) {
    __m128i state = _mm_xor_si128(_mm_loadu_si128((const void *)block), key_at(keys, 0));
    for (uint32_t round = 1; round < rounds; round++) state = _mm_aesenc_si128(state, key_at(keys, round));
    _mm_storeu_si128((void *)block, _mm_aesenclast_si128(state, key_at(keys, rounds)));
}

void lt_aes_inverse_keys_ni(const uint8_t (*keys)[16], uint32_t rounds, uint8_t (*out)[16]) {
    for (uint32_t round = 0; round <= rounds; round++) {
        const __m128i key = key_at(keys, rounds - round);
        _mm_storeu_si128((void *)out[round], round == 0 || round == rounds ? key : _mm_aesimc_si128(key));
    }
}

void lt_aes_decrypt_block_ni(const uint8_t (*inverse_keys)[16], uint32_t rounds, uint8_t block[16]) {
    __m128i state = _mm_xor_si128(_mm_loadu_si128((const void *)block), key_at(inverse_keys, 0));
    for (uint32_t round = 1; round < rounds; round++) state = _mm_aesdec_si128(state, key_at(inverse_keys, round));
    _mm_storeu_si128((void *)block, _mm_aesdeclast_si128(state, key_at(inverse_keys, rounds)));
}
#else
bool lt_has_aes_ni(void) { return false; }
void lt_aes_encrypt_block_ni(const uint8_t (*keys)[16], uint32_t rounds, uint8_t block[16]) {
    (void)keys, (void)rounds, (void)block;
}
void lt_aes_inverse_keys_ni(const uint8_t (*keys)[16], uint32_t rounds, uint8_t (*out)[16]) {
    (void)keys, (void)rounds, (void)out;
}
void lt_aes_decrypt_block_ni(const uint8_t (*inverse_keys)[16], uint32_t rounds, uint8_t block[16]) {
    (void)inverse_keys, (void)rounds, (void)block;
}
#endif
