// digest: MD5, SHA-1, SHA-2 and CRC-32 of bytes, and HMAC over them.
//
// Ownership  plain values.   Threads  any.   Cost  O(bytes).
// Source     RFC 1321, FIPS 180-4, RFC 2104, ISO 3309.
#ifndef LT_BASE_DIGEST_H
#define LT_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef enum lt_digest_kind { LT_MD5, LT_SHA1, LT_SHA224, LT_SHA256, LT_SHA384, LT_SHA512 } lt_digest_kind;

enum { LT_DIGEST_BYTES_MAX = 64 };

typedef struct lt_digest {
    lt_digest_kind kind;
    uint64_t       bytes;                                        // taken so far
    void (*take_block)(uint32_t words[8], const uint8_t *block); // of 64 bytes
    uint8_t  block[128];
    uint32_t words32[8];
    uint64_t words64[8];
} lt_digest;

void lt_digest_init(lt_digest *digest, lt_digest_kind kind);
void lt_digest_update(lt_digest *digest, const void *bytes, size_t count);
// Gives the bytes of the result.
size_t lt_digest_finish(lt_digest *digest, uint8_t out[LT_DIGEST_BYTES_MAX]);

// The digests that have taken in a key: for each of its messages a copy of both goes on.
typedef struct lt_hmac_key {
    lt_digest inner, outer;
} lt_hmac_key;
void   lt_hmac_key_init(lt_hmac_key *self, lt_digest_kind kind, const void *key, size_t key_bytes);
size_t lt_hmac_of(const lt_hmac_key *key, const void *message, size_t message_bytes, uint8_t out[LT_DIGEST_BYTES_MAX]);
size_t lt_hmac(lt_digest_kind kind, const void *key, size_t key_bytes, const void *message, size_t message_bytes,
               uint8_t out[LT_DIGEST_BYTES_MAX]);
uint32_t lt_crc32(const void *bytes, size_t count);

#endif
