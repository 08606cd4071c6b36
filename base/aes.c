#include "base/aes.h"

#include "base/aes_block.h"

#include <string.h>

static const uint8_t substitutes[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9,
    0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f,
    0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15, 0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07,
    0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3,
    0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58,
    0xcf, 0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3,
    0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec, 0x5f,
    0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73, 0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88,
    0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac,
    0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a,
    0xae, 0x08, 0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a, 0x70,
    0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
    0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf, 0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42,
    0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

static uint8_t times_two(uint8_t value) { return (uint8_t)(value << 1 ^ (value >> 7) * 0x1B); }

bool lt_aes_init(lt_aes *aes, const uint8_t *key, size_t key_bytes) {
    if (key_bytes != 16 && key_bytes != 24 && key_bytes != 32) return false;
    size_t   words = key_bytes / 4, total;
    uint8_t *bytes = aes->keys[0], constant = 1;
    aes->rounds = (uint32_t)words + 6;
    aes->has_ni = lt_has_aes_ni();
    total       = 4 * (aes->rounds + 1u);
    memcpy(bytes, key, key_bytes);
    for (size_t i = words; i < total; i++) {
        uint8_t word[4];
        memcpy(word, bytes + 4 * (i - 1), 4);
        if (i % words == 0) {
            uint8_t first = word[0];
            word[0]       = (uint8_t)(substitutes[word[1]] ^ constant);
            word[1]       = substitutes[word[2]];
            word[2]       = substitutes[word[3]];
            word[3]       = substitutes[first];
            constant      = times_two(constant);
        } else if (words > 6 && i % words == 4) {
            for (size_t j = 0; j < 4; j++) word[j] = substitutes[word[j]];
        }
        for (size_t j = 0; j < 4; j++) bytes[4 * i + j] = bytes[4 * (i - words) + j] ^ word[j];
    }
    return true;
}

static void add(uint8_t block[LT_AES_BLOCK_BYTES], const uint8_t *other) {
    for (size_t i = 0; i < LT_AES_BLOCK_BYTES; i++) block[i] ^= other[i];
}

static void encrypt_block(const lt_aes *aes, uint8_t block[LT_AES_BLOCK_BYTES]) {
    if (aes->has_ni) {
        lt_aes_encrypt_block_ni(aes->keys, aes->rounds, block);
        return;
    }
    add(block, aes->keys[0]);
    for (uint32_t round = 1; round <= aes->rounds; round++) {
        uint8_t next[LT_AES_BLOCK_BYTES];
        for (size_t i = 0; i < LT_AES_BLOCK_BYTES; i++) next[i] = substitutes[block[(i + 4 * (i % 4)) % 16]];
        for (size_t i = 0; i < LT_AES_BLOCK_BYTES && round < aes->rounds; i += 4) {
            uint8_t all = next[i] ^ next[i + 1] ^ next[i + 2] ^ next[i + 3], first = next[i];
            for (size_t j = 0; j < 4; j++)
                next[i + j] ^= all ^ times_two((uint8_t)(next[i + j] ^ (j < 3 ? next[i + j + 1] : first)));
        }
        add(next, aes->keys[round]);
        memcpy(block, next, sizeof next);
    }
}

static void decrypt_block(const lt_aes *aes, const uint8_t inverse[256], uint8_t block[LT_AES_BLOCK_BYTES]) {
    add(block, aes->keys[aes->rounds]);
    for (uint32_t round = aes->rounds; round-- > 0;) {
        uint8_t next[LT_AES_BLOCK_BYTES];
        for (size_t i = 0; i < LT_AES_BLOCK_BYTES; i++) next[(i + 4 * (i % 4)) % 16] = inverse[block[i]];
        add(next, aes->keys[round]);
        for (size_t i = 0; i < LT_AES_BLOCK_BYTES && round > 0; i += 4) {
            // The inverse of the mixing is the mixing three times, in two steps: first by 4 crosswise.
            uint8_t u = times_two(times_two(next[i] ^ next[i + 2]));
            uint8_t v = times_two(times_two(next[i + 1] ^ next[i + 3]));
            next[i] ^= u, next[i + 2] ^= u, next[i + 1] ^= v, next[i + 3] ^= v;
            uint8_t all = next[i] ^ next[i + 1] ^ next[i + 2] ^ next[i + 3], first = next[i];
            for (size_t j = 0; j < 4; j++)
                next[i + j] ^= all ^ times_two((uint8_t)(next[i + j] ^ (j < 3 ? next[i + j + 1] : first)));
        }
        memcpy(block, next, sizeof next);
    }
}

size_t lt_aes_encrypt(const lt_aes *aes, const uint8_t *iv, const uint8_t *bytes, size_t count, uint8_t *out) {
    uint8_t block[LT_AES_BLOCK_BYTES];
    size_t  total = (count / LT_AES_BLOCK_BYTES + 1) * LT_AES_BLOCK_BYTES;
    for (size_t at = 0; at < total; at += LT_AES_BLOCK_BYTES) {
        size_t here = count - at < LT_AES_BLOCK_BYTES ? count - at : LT_AES_BLOCK_BYTES;
        memset(block, (int)(LT_AES_BLOCK_BYTES - here), sizeof block);
        if (here > 0) memcpy(block, bytes + at, here);
        if (iv != NULL) add(block, at == 0 ? iv : out + at - LT_AES_BLOCK_BYTES);
        encrypt_block(aes, block);
        memcpy(out + at, block, sizeof block);
    }
    return total;
}

bool lt_aes_decrypt(const lt_aes *aes, const uint8_t *iv, const uint8_t *bytes, size_t count, uint8_t *out,
                    size_t *out_bytes) {
    uint8_t inverse[256], inverse_keys[15][LT_AES_BLOCK_BYTES];
    if (aes->has_ni) lt_aes_inverse_keys_ni(aes->keys, aes->rounds, inverse_keys);
    for (size_t i = 0; i < sizeof inverse && !aes->has_ni; i++) inverse[substitutes[i]] = (uint8_t)i;
    if (count == 0 || count % LT_AES_BLOCK_BYTES != 0) return false;
    for (size_t at = 0; at < count; at += LT_AES_BLOCK_BYTES) {
        memcpy(out + at, bytes + at, LT_AES_BLOCK_BYTES);
        if (aes->has_ni)
            lt_aes_decrypt_block_ni(inverse_keys, aes->rounds, out + at);
        else
            decrypt_block(aes, inverse, out + at);
        if (iv != NULL) add(out + at, at == 0 ? iv : bytes + at - LT_AES_BLOCK_BYTES);
    }
    uint8_t padding = out[count - 1];
    if (padding == 0 || padding > LT_AES_BLOCK_BYTES) return false;
    for (size_t i = 1; i <= padding; i++)
        if (out[count - i] != padding) return false;
    *out_bytes = count - padding;
    return true;
}

// ---------------------------------------------------------------------------------------------------------------- gcm

// An element of the field of 2^128, whose first bit is the highest of `high`.
typedef struct field_element {
    uint64_t high, low;
} field_element;

// The products of the hash key with all polynomials of four bits. Source: Shoup's 4-bit tables, in McGrew and Viega,
// The Galois/Counter Mode of Operation, section 4.1.
typedef struct hash_key {
    field_element products[16];
} hash_key;

static uint64_t load_big64(const uint8_t *bytes) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++) word = word << 8 | bytes[i];
    return word;
}

static void hash_key_init(hash_key *self, const uint8_t hash[LT_AES_BLOCK_BYTES]) {
    field_element now = {load_big64(hash), load_big64(hash + 8)};
    self->products[0] = (field_element){0, 0};
    for (size_t bit = 8; bit > 0; bit /= 2) {
        self->products[bit] = now;
        now = (field_element){now.high >> 1 ^ (now.low & 1) * 0xE100000000000000u, now.high << 63 | now.low >> 1};
    }
    for (size_t bit = 2; bit <= 8; bit *= 2)
        for (size_t i = 1; i < bit; i++)
            self->products[bit + i] = (field_element){self->products[bit].high ^ self->products[i].high,
                                                      self->products[bit].low ^ self->products[i].low};
}

// sum = (sum + block) * hash.
static void hash_block(uint8_t sum[LT_AES_BLOCK_BYTES], const hash_key *key, const uint8_t *bytes, size_t count) {
    // What four bits that are shifted out at the end come back as.
    static const uint16_t reduced[16] = {0x0000, 0x1C20, 0x3840, 0x2460, 0x7080, 0x6CA0, 0x48C0, 0x54E0,
                                         0xE100, 0xFD20, 0xD940, 0xC560, 0x9180, 0x8DA0, 0xA9C0, 0xB5E0};
    field_element         all         = {0, 0};
    for (size_t i = 0; i < count; i++) sum[i] ^= bytes[i];
    for (size_t nibble = 2 * LT_AES_BLOCK_BYTES; nibble-- > 0;) {
        const field_element *product = &key->products[nibble % 2 == 0 ? sum[nibble / 2] >> 4 : sum[nibble / 2] & 15];
        const uint64_t       out     = (uint64_t)reduced[all.low & 15] << 48;
        all.low                      = (all.high << 60 | all.low >> 4) ^ product->low;
        all.high                     = (all.high >> 4) ^ out ^ product->high;
    }
    for (size_t i = 0; i < 8; i++) {
        sum[i]     = (uint8_t)(all.high >> (56 - 8 * i));
        sum[8 + i] = (uint8_t)(all.low >> (56 - 8 * i));
    }
}

static void hash_all(uint8_t sum[LT_AES_BLOCK_BYTES], const hash_key *key, const uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count; at += LT_AES_BLOCK_BYTES)
        hash_block(sum, key, bytes + at, count - at < LT_AES_BLOCK_BYTES ? count - at : LT_AES_BLOCK_BYTES);
}

static void counter_block(const uint8_t *iv, uint32_t counter, uint8_t out[LT_AES_BLOCK_BYTES]) {
    memcpy(out, iv, LT_AES_GCM_IV_BYTES);
    for (size_t i = 0; i < 4; i++) out[LT_AES_GCM_IV_BYTES + i] = (uint8_t)(counter >> (24 - 8 * i));
}

static void gcm_text(const lt_aes *aes, const uint8_t *iv, const uint8_t *bytes, size_t count, uint8_t *out) {
    uint8_t  block[LT_AES_BLOCK_BYTES];
    uint32_t counter = 2;
    for (size_t at = 0; at < count; at += LT_AES_BLOCK_BYTES) {
        counter_block(iv, counter++, block);
        encrypt_block(aes, block);
        for (size_t i = 0; i < LT_AES_BLOCK_BYTES && at + i < count; i++) out[at + i] = bytes[at + i] ^ block[i];
    }
}

static void gcm_tag(const lt_aes *aes, const uint8_t *iv, lt_aes_extra extra, const uint8_t *cipher, size_t count,
                    uint8_t out[LT_AES_TAG_BYTES]) {
    uint8_t  hash[LT_AES_BLOCK_BYTES] = {0}, sum[LT_AES_BLOCK_BYTES] = {0}, sizes[LT_AES_BLOCK_BYTES];
    hash_key key;
    encrypt_block(aes, hash);
    hash_key_init(&key, hash);
    hash_all(sum, &key, extra.bytes, extra.count);
    hash_all(sum, &key, cipher, count);
    for (size_t i = 0; i < 8; i++) {
        sizes[i]     = (uint8_t)((uint64_t)extra.count * 8 >> (56 - 8 * i));
        sizes[8 + i] = (uint8_t)((uint64_t)count * 8 >> (56 - 8 * i));
    }
    hash_block(sum, &key, sizes, sizeof sizes);
    counter_block(iv, 1, out);
    encrypt_block(aes, out);
    add(out, sum);
}

size_t lt_aes_gcm_encrypt(const lt_aes *aes, const uint8_t iv[LT_AES_GCM_IV_BYTES], lt_aes_extra extra,
                          const uint8_t *bytes, size_t count, uint8_t *out) {
    gcm_text(aes, iv, bytes, count, out);
    gcm_tag(aes, iv, extra, out, count, out + count);
    return count + LT_AES_TAG_BYTES;
}

bool lt_aes_gcm_decrypt(const lt_aes *aes, const uint8_t iv[LT_AES_GCM_IV_BYTES], lt_aes_extra extra,
                        const uint8_t *bytes, size_t count, uint8_t *out, size_t *out_bytes) {
    uint8_t tag[LT_AES_TAG_BYTES], differences = 0;
    if (count < LT_AES_TAG_BYTES) return false;
    *out_bytes = count - LT_AES_TAG_BYTES;
    gcm_tag(aes, iv, extra, bytes, *out_bytes, tag);
    for (size_t i = 0; i < LT_AES_TAG_BYTES; i++) differences |= tag[i] ^ bytes[*out_bytes + i];
    if (differences != 0) return false;
    gcm_text(aes, iv, bytes, *out_bytes, out);
    return true;
}
