// hash: XXH3 behind two functions; the only includer of xxhash.h is hash.c.
//
// Threads  any.   What reaches disk uses a seed that is written down or fixed; tables in memory use a random one.
#ifndef LT_BASE_HASH_H
#define LT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct lt_hash128_value {
    uint64_t low, high;
} lt_hash128_value;

uint64_t         lt_hash64(const void *bytes, size_t count, uint64_t seed);
lt_hash128_value lt_hash128(const void *bytes, size_t count, uint64_t seed);
// XXH64, of which xxhash64() is made.
uint64_t lt_xxh64(const void *bytes, size_t count, uint64_t seed);

#endif
