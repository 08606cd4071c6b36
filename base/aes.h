// aes: the AES block cipher and its modes ECB and CBC (with PKCS #7 padding) and GCM.
//
// Ownership  plain values; callers give the room.   Threads  any.
// Cost       O(bytes). Without instructions for AES, and in GCM, tables are looked up by secret bytes: not for secrets
// against who can time the machine.
// Source     FIPS 197; NIST SP 800-38A and 800-38D; RFC 5652 section 6.3.
#ifndef LT_BASE_AES_H
#define LT_BASE_AES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LT_AES_BLOCK_BYTES = 16, LT_AES_GCM_IV_BYTES = 12, LT_AES_TAG_BYTES = 16 };

typedef struct lt_aes {
    uint8_t  keys[15][LT_AES_BLOCK_BYTES]; // of the rounds
    uint32_t rounds;
    bool     has_ni; // by instructions of x86, else by tables
} lt_aes;

// False: the key has not 16, 24 or 32 bytes.
bool lt_aes_init(lt_aes *aes, const uint8_t *key, size_t key_bytes);

// `iv` NULL: ECB. `out` has room for bytes + 16; gives the bytes written.
size_t lt_aes_encrypt(const lt_aes *aes, const uint8_t *iv, const uint8_t *bytes, size_t count, uint8_t *out);
// False: not a number of whole blocks, or wrong padding.
bool lt_aes_decrypt(const lt_aes *aes, const uint8_t *iv, const uint8_t *bytes, size_t count, uint8_t *out,
                    size_t *out_bytes);

// Additional data that is part of the tag alone.
typedef struct lt_aes_extra {
    const uint8_t *bytes;
    size_t         count;
} lt_aes_extra;
// `out` has room for count + 16: the tag follows the text. `count` below 2^32.
size_t lt_aes_gcm_encrypt(const lt_aes *aes, const uint8_t iv[LT_AES_GCM_IV_BYTES], lt_aes_extra extra,
                          const uint8_t *bytes, size_t count, uint8_t *out);
// False: too short or a wrong tag; `out` then holds nothing of use.
bool lt_aes_gcm_decrypt(const lt_aes *aes, const uint8_t iv[LT_AES_GCM_IV_BYTES], lt_aes_extra extra,
                        const uint8_t *bytes, size_t count, uint8_t *out, size_t *out_bytes);

#endif
