// digest_block: one block of a digest in portable C, and by instructions made for it.
//
// Threads  any.   Cost  a block of SHA-256: some 2,000 instructions, or 100 with the SHA extensions of x86.
#ifndef LT_BASE_DIGEST_BLOCK_H
#define LT_BASE_DIGEST_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Adds a block of 64 bytes to the state.
typedef void (*lt_digest_block)(uint32_t words[8], const uint8_t *block);

// The first 64 bits of the cube roots of the first 80 primes; SHA-256 uses the upper halves of the first 64.
extern const uint64_t lt_sha_cube_roots[80];

void lt_sha1_block_portable(uint32_t words[8], const uint8_t *block);
void lt_sha256_block_portable(uint32_t words[8], const uint8_t *block);
// Only where lt_has_sha_ni.
void lt_sha1_block_ni(uint32_t words[8], const uint8_t *block);
void lt_sha256_block_ni(uint32_t words[8], const uint8_t *block);
bool lt_has_sha_ni(void);

#endif
