#include "base/digest.h"

#include "base/digest_block.h"

#include <string.h>
#include <zlib.h>

const uint64_t lt_sha_cube_roots[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

// floor(2^32 * |sin(i + 1)|)
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint64_t roots_384[8] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
static const uint64_t roots_512[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const uint8_t result_bytes[] = {
    [LT_MD5] = 16, [LT_SHA1] = 20, [LT_SHA224] = 28, [LT_SHA256] = 32, [LT_SHA384] = 48, [LT_SHA512] = 64};

static uint32_t left32(uint32_t value, uint32_t bits) { return value << bits | value >> (32 - bits); }
static uint32_t right32(uint32_t value, uint32_t bits) { return value >> bits | value << (32 - bits); }
static uint64_t right64(uint64_t value, uint32_t bits) { return value >> bits | value << (64 - bits); }

static uint32_t load_big32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}
static uint64_t load_big64(const uint8_t *bytes) { return (uint64_t)load_big32(bytes) << 32 | load_big32(bytes + 4); }

// A step leaves its result in `a`; four of them bring every word back to its place.
#define MD5_STEP(mixed, a, b, c, d, i, from, turns)                                                                    \
    a = b + left32(a + (mixed(b, c, d)) + sines[i] + input[(from) % 16], turns)
#define MD5_FOUR(mixed, i, first, stride, one, two, three, four)                                                       \
    MD5_STEP(mixed, a, b, c, d, i, first, one);                                                                        \
    MD5_STEP(mixed, d, a, b, c, i + 1, first + stride, two);                                                           \
    MD5_STEP(mixed, c, d, a, b, i + 2, first + 2 * stride, three);                                                     \
    MD5_STEP(mixed, b, c, d, a, i + 3, first + 3 * stride, four)

static inline uint32_t md5_choose(uint32_t b, uint32_t c, uint32_t d) { return d ^ (b & (c ^ d)); }
static inline uint32_t md5_choose_by_last(uint32_t b, uint32_t c, uint32_t d) { return c ^ (d & (b ^ c)); }
static inline uint32_t md5_parity(uint32_t b, uint32_t c, uint32_t d) { return b ^ c ^ d; }
static inline uint32_t md5_cross(uint32_t b, uint32_t c, uint32_t d) { return c ^ (b | ~d); }

static void md5_block(uint32_t words[8], const uint8_t *block) {
    uint32_t input[16], a = words[0], b = words[1], c = words[2], d = words[3];
    for (size_t i = 0; i < 16; i++)
        input[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
                   (uint32_t)block[4 * i + 3] << 24;
    for (uint32_t i = 0; i < 16; i += 4) {
        MD5_FOUR(md5_choose, i, i, 1, 7, 12, 17, 22);
    }
    for (uint32_t i = 16; i < 32; i += 4) {
        MD5_FOUR(md5_choose_by_last, i, 5 * i + 1, 5, 5, 9, 14, 20);
    }
    for (uint32_t i = 32; i < 48; i += 4) {
        MD5_FOUR(md5_parity, i, 3 * i + 5, 3, 4, 11, 16, 23);
    }
    for (uint32_t i = 48; i < 64; i += 4) {
        MD5_FOUR(md5_cross, i, 7 * i, 7, 6, 10, 15, 21);
    }
    words[0] += a, words[1] += b, words[2] += c, words[3] += d;
}

void lt_sha1_block_portable(uint32_t words[8], const uint8_t *block) {
    uint32_t w[80], a = words[0], b = words[1], c = words[2], d = words[3], e = words[4];
    for (size_t i = 0; i < 16; i++) w[i] = load_big32(block + 4 * i);
    for (size_t i = 16; i < 80; i++) w[i] = left32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (size_t i = 0; i < 80; i++) {
        uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                         : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                         : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                  : (b ^ c ^ d) + 0xCA62C1D6;
        uint32_t next  = left32(a, 5) + mixed + e + w[i];
        e = d, d = c, c = left32(b, 30), b = a, a = next;
    }
    words[0] += a, words[1] += b, words[2] += c, words[3] += d, words[4] += e;
}

// A step of SHA-2 gives two of its eight words new values; the others change their names.
#define SHA2_STEP(right, one, two, a, b, c, d, e, f, g, h, sum)                                                        \
    h += (right(e, one[0]) ^ right(e, one[1]) ^ right(e, one[2])) + (g ^ (e & (f ^ g))) + (sum);                       \
    d += h;                                                                                                            \
    h += (right(a, two[0]) ^ right(a, two[1]) ^ right(a, two[2])) + ((a & b) | (c & (a | b)))
#define SHA2_EIGHT(right, one, two, i, constant)                                                                       \
    SHA2_STEP(right, one, two, a, b, c, d, e, f, g, h, constant(i) + w[i]);                                            \
    SHA2_STEP(right, one, two, h, a, b, c, d, e, f, g, constant(i + 1) + w[i + 1]);                                    \
    SHA2_STEP(right, one, two, g, h, a, b, c, d, e, f, constant(i + 2) + w[i + 2]);                                    \
    SHA2_STEP(right, one, two, f, g, h, a, b, c, d, e, constant(i + 3) + w[i + 3]);                                    \
    SHA2_STEP(right, one, two, e, f, g, h, a, b, c, d, constant(i + 4) + w[i + 4]);                                    \
    SHA2_STEP(right, one, two, d, e, f, g, h, a, b, c, constant(i + 5) + w[i + 5]);                                    \
    SHA2_STEP(right, one, two, c, d, e, f, g, h, a, b, constant(i + 6) + w[i + 6]);                                    \
    SHA2_STEP(right, one, two, b, c, d, e, f, g, h, a, constant(i + 7) + w[i + 7])

static uint32_t sha256_constant(size_t i) { return (uint32_t)(lt_sha_cube_roots[i] >> 32); }
static uint64_t sha512_constant(size_t i) { return lt_sha_cube_roots[i]; }

void lt_sha256_block_portable(uint32_t words[8], const uint8_t *block) {
    static const uint32_t one[] = {6, 11, 25}, two[] = {2, 13, 22};
    uint32_t w[64], a = words[0], b = words[1], c = words[2], d = words[3], e = words[4], f = words[5], g = words[6],
                    h = words[7];
    for (size_t i = 0; i < 16; i++) w[i] = load_big32(block + 4 * i);
    for (size_t i = 16; i < 64; i++)
        w[i] = w[i - 16] + (right32(w[i - 15], 7) ^ right32(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (right32(w[i - 2], 17) ^ right32(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (size_t i = 0; i < 64; i += 8) {
        SHA2_EIGHT(right32, one, two, i, sha256_constant);
    }
    words[0] += a, words[1] += b, words[2] += c, words[3] += d;
    words[4] += e, words[5] += f, words[6] += g, words[7] += h;
}

static void sha512_block(uint64_t words[8], const uint8_t *block) {
    static const uint32_t one[] = {14, 18, 41}, two[] = {28, 34, 39};
    uint64_t w[80], a = words[0], b = words[1], c = words[2], d = words[3], e = words[4], f = words[5], g = words[6],
                    h = words[7];
    for (size_t i = 0; i < 16; i++) w[i] = load_big64(block + 8 * i);
    for (size_t i = 16; i < 80; i++)
        w[i] = w[i - 16] + (right64(w[i - 15], 1) ^ right64(w[i - 15], 8) ^ w[i - 15] >> 7) + w[i - 7] +
               (right64(w[i - 2], 19) ^ right64(w[i - 2], 61) ^ w[i - 2] >> 6);
    for (size_t i = 0; i < 80; i += 8) {
        SHA2_EIGHT(right64, one, two, i, sha512_constant);
    }
    words[0] += a, words[1] += b, words[2] += c, words[3] += d;
    words[4] += e, words[5] += f, words[6] += g, words[7] += h;
}

static lt_digest_block block_of(lt_digest_kind kind) {
    if (kind != LT_MD5 && lt_has_sha_ni()) return kind == LT_SHA1 ? lt_sha1_block_ni : lt_sha256_block_ni;
    return kind == LT_MD5 ? md5_block : kind == LT_SHA1 ? lt_sha1_block_portable : lt_sha256_block_portable;
}

void lt_digest_init(lt_digest *digest, lt_digest_kind kind) {
    static const uint32_t fives[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    digest->kind                   = kind;
    digest->bytes                  = 0;
    digest->take_block             = kind < LT_SHA384 ? block_of(kind) : NULL;
    for (size_t i = 0; i < 8; i++) {
        digest->words64[i] = kind == LT_SHA384 ? roots_384[i] : roots_512[i];
        if (kind <= LT_SHA1)
            digest->words32[i] = i < 5 ? fives[i] : 0;
        else
            digest->words32[i] = kind == LT_SHA224 ? (uint32_t)roots_384[i] : (uint32_t)(roots_512[i] >> 32);
    }
}

static size_t block_bytes(lt_digest_kind kind) { return kind >= LT_SHA384 ? 128 : 64; }

static void take_block(lt_digest *digest, const uint8_t *block) {
    if (digest->kind >= LT_SHA384)
        sha512_block(digest->words64, block);
    else
        digest->take_block(digest->words32, block);
}

void lt_digest_update(lt_digest *digest, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    size_t         size = block_bytes(digest->kind), filled = (size_t)(digest->bytes % size);
    digest->bytes += count;
    while (count > 0) {
        if (filled == 0 && count >= size) {
            take_block(digest, next);
            next += size, count -= size;
            continue;
        }
        size_t part = size - filled < count ? size - filled : count;
        memcpy(digest->block + filled, next, part);
        next += part, count -= part, filled += part;
        if (filled < size) break;
        take_block(digest, digest->block);
        filled = 0;
    }
}

static void store_big32(uint32_t word, uint8_t *out) {
    out[0] = (uint8_t)(word >> 24), out[1] = (uint8_t)(word >> 16), out[2] = (uint8_t)(word >> 8),
    out[3] = (uint8_t)word;
}

// What the words hold, of which the result is the beginning.
static void put_words(const lt_digest *digest, uint8_t *out) {
    for (size_t i = 0; i < 8; i++) {
        if (digest->kind >= LT_SHA384) {
            store_big32((uint32_t)(digest->words64[i] >> 32), out + 8 * i);
            store_big32((uint32_t)digest->words64[i], out + 8 * i + 4);
        } else {
            const uint32_t word = digest->words32[i];
            store_big32(digest->kind == LT_MD5 ? __builtin_bswap32(word) : word, out + 4 * i);
        }
    }
}

size_t lt_digest_finish(lt_digest *digest, uint8_t out[LT_DIGEST_BYTES_MAX]) {
    size_t   size = block_bytes(digest->kind), filled = (size_t)(digest->bytes % size);
    uint64_t bits           = digest->bytes * 8;
    digest->block[filled++] = 0x80;
    if (filled > size - size / 8) {
        memset(digest->block + filled, 0, size - filled);
        take_block(digest, digest->block);
        filled = 0;
    }
    memset(digest->block + filled, 0, size - filled);
    store_big32((uint32_t)(bits >> 32), digest->block + size - 8);
    store_big32((uint32_t)bits, digest->block + size - 4);
    if (digest->kind == LT_MD5) {
        store_big32(__builtin_bswap32((uint32_t)bits), digest->block + size - 8);
        store_big32(__builtin_bswap32((uint32_t)(bits >> 32)), digest->block + size - 4);
    }
    take_block(digest, digest->block);
    put_words(digest, out);
    return result_bytes[digest->kind];
}

void lt_hmac_key_init(lt_hmac_key *self, lt_digest_kind kind, const void *key, size_t key_bytes) {
    uint8_t pad[128] = {0};
    size_t  size     = block_bytes(kind);
    if (key_bytes > size) {
        lt_digest_init(&self->inner, kind);
        lt_digest_update(&self->inner, key, key_bytes);
        const size_t bytes = lt_digest_finish(&self->inner, pad);
        memset(pad + bytes, 0, sizeof pad - bytes);
    } else if (key_bytes > 0) {
        memcpy(pad, key, key_bytes);
    }
    for (size_t i = 0; i < size; i++) pad[i] ^= 0x36;
    lt_digest_init(&self->inner, kind);
    lt_digest_update(&self->inner, pad, size);
    for (size_t i = 0; i < size; i++) pad[i] ^= 0x36 ^ 0x5C;
    lt_digest_init(&self->outer, kind);
    lt_digest_update(&self->outer, pad, size);
}

size_t lt_hmac_of(const lt_hmac_key *key, const void *message, size_t message_bytes, uint8_t out[LT_DIGEST_BYTES_MAX]) {
    uint8_t   inner[LT_DIGEST_BYTES_MAX];
    lt_digest digest = key->inner;
    lt_digest_update(&digest, message, message_bytes);
    size_t bytes = lt_digest_finish(&digest, inner);
    digest       = key->outer;
    lt_digest_update(&digest, inner, bytes);
    return lt_digest_finish(&digest, out);
}

size_t lt_hmac(lt_digest_kind kind, const void *key, size_t key_bytes, const void *message, size_t message_bytes,
               uint8_t out[LT_DIGEST_BYTES_MAX]) {
    lt_hmac_key taken;
    lt_hmac_key_init(&taken, kind, key, key_bytes);
    return lt_hmac_of(&taken, message, message_bytes, out);
}

uint32_t lt_crc32(const void *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }
