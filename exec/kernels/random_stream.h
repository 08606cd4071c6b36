// random_stream: pseudo-random numbers by Marsaglia's xorshift with Spark's constants and seeds (XORShiftRandom), so that
// rand, uniform and randstr give Spark's values for a seed.
//
// Ownership  a stream is one integer; takes nothing.   Threads  one at a time.   Cost  a few shifts a number.
// Source     XORShiftRandom of Spark; Random.nextDouble of Java.
#ifndef LT_EXEC_KERNELS_RANDOM_STREAM_H
#define LT_EXEC_KERNELS_RANDOM_STREAM_H

#include <stdint.h>

typedef struct lt_random_stream {
    uint64_t bits;
} lt_random_stream;

static inline uint32_t lt_random_rotate(uint32_t x, int count) { return x << count | x >> (32 - count); }

// MurmurHash3 (32 bits) of the seed's eight bytes, most significant first.
static inline uint32_t lt_random_hash_seed(uint64_t seed, uint32_t start) {
    uint64_t bytes = __builtin_bswap64(seed);
    uint32_t hash  = start;
    for (int i = 0; i < 2; i++) {
        uint32_t block = (uint32_t)(bytes >> (32 * i)) * 0xcc9e2d51u;
        hash ^= lt_random_rotate(block, 15) * 0x1b873593u;
        hash = lt_random_rotate(hash, 13) * 5 + 0xe6546b64u;
    }
    hash ^= 8;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static inline void lt_random_stream_init(lt_random_stream *stream, uint64_t seed) {
    const uint32_t low = lt_random_hash_seed(seed, 0x3c074a61u);
    stream->bits       = (uint64_t)lt_random_hash_seed(seed, low) << 32 | low;
}

// The next `count` bits, 1 to 32.
static inline uint32_t lt_random_stream_bits(lt_random_stream *stream, int count) {
    stream->bits ^= stream->bits << 21;
    stream->bits ^= stream->bits >> 35;
    stream->bits ^= stream->bits << 4;
    return (uint32_t)(stream->bits & ((UINT64_C(1) << count) - 1));
}

// From 0 up to 1, in steps of 2^-53.
static inline double lt_random_stream_double(lt_random_stream *stream) {
    const uint64_t high = lt_random_stream_bits(stream, 26), low = lt_random_stream_bits(stream, 27);
    return (double)(high << 27 | low) * 0x1p-53;
}

#endif
