// aes_block: AES of one block by the instructions of x86. Portable C is in aes.c.
//
// Threads  any.   Cost  some 60 cycles a block, whatever the bytes.
#ifndef LT_BASE_AES_BLOCK_H
#define LT_BASE_AES_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Whether the functions below may be called.
bool lt_has_aes_ni(void);
void lt_aes_encrypt_block_ni(const uint8_t (*keys)[16], uint32_t rounds, uint8_t block[16]);
// Keys of encryption, as decryption wants them.
void lt_aes_inverse_keys_ni(const uint8_t (*keys)[16], uint32_t rounds, uint8_t (*out)[16]);
void lt_aes_decrypt_block_ni(const uint8_t (*inverse_keys)[16], uint32_t rounds, uint8_t block[16]);

#endif
