// key_hash: hashes, tags and equality of the keys that group_keys.h lays out.
//
// A tag is the upper half of a key's hash. The shape of the keys is a constant where these are called, so that loops are
// compiled for each.
//
// Ownership  nothing.  Threads  any.  Cost  one or two multiplications a tag; of long texts a pass over their bytes.
#ifndef LT_EXEC_STATE_KEY_HASH_H
#define LT_EXEC_STATE_KEY_HASH_H

#include "base/hash.h"
#include "exec/state/group_keys.h"

// The width of keys, and whether they may be strings with a pointer.
typedef enum lt_key_shape { LT_KEY_WORDS_1, LT_KEY_WORDS_2, LT_KEY_WORDS_4, LT_KEY_STRINGS } lt_key_shape;

static inline size_t lt_key_shape_bytes(lt_key_shape shape) {
    return shape == LT_KEY_WORDS_1 ? 8 : shape == LT_KEY_WORDS_4 ? 32 : 16;
}

static inline lt_key_shape lt_key_shape_of(const lt_key_layout *layout) {
    switch (layout->form) {
    case LT_KEY_FIXED8:
        return LT_KEY_WORDS_1;
    case LT_KEY_PACKED16:
        return LT_KEY_WORDS_2;
    case LT_KEY_PACKED32:
        return LT_KEY_WORDS_4;
    default:
        return LT_KEY_STRINGS;
    }
}

static inline uint64_t lt_key_word(const void *key, size_t index) {
    uint64_t word;
    memcpy(&word, (const char *)key + 8 * index, sizeof word);
    return word;
}

// Four numbers that who writes the keys cannot know, from one.
static inline void lt_key_secrets_init(uint64_t secrets[4], uint64_t secret) {
    for (uint32_t i = 0; i < 4; i++) { // splitmix64
        uint64_t x = secret + i + 0x9E3779B97F4A7C15U;
        x          = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
        x          = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
        secrets[i] = x ^ (x >> 31);
    }
    secrets[1] |= 1; // a factor
}

static inline uint64_t lt_key_folded(uint64_t a, uint64_t b) {
    lt_uint128 product = (lt_uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t lt_key_hash(const uint64_t secrets[4], const void *key, lt_key_shape shape) {
    uint64_t hash;
    if (shape == LT_KEY_WORDS_1) {
        hash = lt_key_folded(lt_key_word(key, 0) ^ secrets[0], secrets[1]);
    } else if (shape == LT_KEY_STRINGS && (uint32_t)lt_key_word(key, 0) > LT_STRING_INLINE_MAX) {
        const lt_string *string = key;
        hash                    = lt_hash64(string->as.data, string->bytes, secrets[0]);
    } else {
        hash = lt_key_folded(lt_key_word(key, 0) ^ secrets[0], lt_key_word(key, 1) ^ secrets[1]);
        if (shape == LT_KEY_WORDS_4)
            hash ^= lt_key_folded(lt_key_word(key, 2) ^ secrets[2], lt_key_word(key, 3) ^ secrets[3]);
    }
    return hash;
}

static inline uint32_t lt_key_tag(const uint64_t secrets[4], const void *key, lt_key_shape shape) {
    return (uint32_t)(lt_key_hash(secrets, key, shape) >> 32);
}

static inline bool lt_keys_equal(const void *a, const void *b, lt_key_shape shape) {
    uint64_t differs = lt_key_word(a, 0) ^ lt_key_word(b, 0);
    if (shape == LT_KEY_WORDS_1) return differs == 0;
    if (shape == LT_KEY_STRINGS && (uint32_t)lt_key_word(a, 0) > LT_STRING_INLINE_MAX)
        return differs == 0 && memcmp(((const lt_string *)a)->as.data, ((const lt_string *)b)->as.data,
                                      ((const lt_string *)a)->bytes) == 0;
    differs |= lt_key_word(a, 1) ^ lt_key_word(b, 1);
    if (shape == LT_KEY_WORDS_4)
        differs |= (lt_key_word(a, 2) ^ lt_key_word(b, 2)) | (lt_key_word(a, 3) ^ lt_key_word(b, 3));
    return differs == 0;
}

#endif
