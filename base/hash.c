#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t lt_hash64(const void *bytes, size_t count, uint64_t seed) {
    return XXH3_64bits_withSeed(count > 0 ? bytes : "", count, seed);
}

lt_hash128_value lt_hash128(const void *bytes, size_t count, uint64_t seed) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(count > 0 ? bytes : "", count, seed);
    return (lt_hash128_value){.low = hash.low64, .high = hash.high64};
}

uint64_t lt_xxh64(const void *bytes, size_t count, uint64_t seed) { return XXH64(count > 0 ? bytes : "", count, seed); }
