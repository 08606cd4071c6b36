#include "exec/kernels/value_hash.h"

#include "base/hash.h"
#include "base/lane_numbers.h"

enum { LONG_DECIMAL_DIGITS = 18 };

typedef struct hasher {
    uint64_t (*of_int)(int32_t value, uint64_t seed);
    uint64_t (*of_long)(int64_t value, uint64_t seed);
    uint64_t (*of_bytes)(const char *bytes, size_t count, uint64_t seed);
} hasher;

// ----------------------------------------------------------------------------------------------------------- murmur3

static uint32_t turn(uint32_t value, uint32_t bits) { return value << bits | value >> (32 - bits); }

static uint32_t murmur_round(uint32_t hash, uint32_t block) {
    hash ^= turn(block * 0xCC9E2D51u, 15) * 0x1B873593u;
    return turn(hash, 13) * 5 + 0xE6546B64u;
}

static uint32_t murmur_finish(uint32_t hash, uint32_t bytes) {
    hash ^= bytes;
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

static uint64_t murmur_int(int32_t value, uint64_t seed) {
    return murmur_finish(murmur_round((uint32_t)seed, (uint32_t)value), 4);
}

static uint64_t murmur_long(int64_t value, uint64_t seed) {
    uint64_t bits = (uint64_t)value;
    return murmur_finish(murmur_round(murmur_round((uint32_t)seed, (uint32_t)bits), (uint32_t)(bits >> 32)), 8);
}

static uint64_t murmur_bytes(const char *bytes, size_t count, uint64_t seed) {
    uint32_t hash = (uint32_t)seed;
    size_t   i    = 0;
    for (; i + 4 <= count; i += 4) {
        const uint8_t *b = (const uint8_t *)bytes + i;
        hash = murmur_round(hash, (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
    }
    for (; i < count; i++) hash = murmur_round(hash, (uint32_t)(int32_t)(int8_t)bytes[i]);
    return murmur_finish(hash, (uint32_t)count);
}

static const hasher murmur = {murmur_int, murmur_long, murmur_bytes};

// ------------------------------------------------------------------------------------------------------------- xxh64

static uint64_t xx_int(int32_t value, uint64_t seed) {
    uint8_t bytes[4];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)((uint32_t)value >> (8 * i));
    return lt_xxh64(bytes, sizeof bytes, seed);
}
static uint64_t xx_long(int64_t value, uint64_t seed) {
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
    return lt_xxh64(bytes, sizeof bytes, seed);
}
static uint64_t xx_bytes(const char *bytes, size_t count, uint64_t seed) { return lt_xxh64(bytes, count, seed); }

static const hasher xx = {xx_int, xx_long, xx_bytes};

// ------------------------------------------------------------------------------------------------------------ values

static uint64_t hash_double(const hasher *with, double value, uint64_t seed) {
    int64_t bits;
    if (value == 0) value = 0; // no -0.0
    if (value != value) return with->of_long(0x7FF8000000000000, seed);
    memcpy(&bits, &value, sizeof bits);
    return with->of_long(bits, seed);
}

static uint64_t hash_float(const hasher *with, float value, uint64_t seed) {
    int32_t bits;
    if (value == 0) value = 0;
    if (value != value) return with->of_int(0x7FC00000, seed);
    memcpy(&bits, &value, sizeof bits);
    return with->of_int(bits, seed);
}

// Decimals that fit a long are one; others are their shortest two's complement bytes, highest first.
static uint64_t hash_decimal(const hasher *with, const lt_type *type, lt_int128 value, uint64_t seed) {
    if (type->precision <= LONG_DECIMAL_DIGITS) return with->of_long((int64_t)value, seed);
    char   bytes[16];
    size_t first = 0;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)((lt_uint128)value >> (120 - 8 * i));
    while (first < 15 && ((bytes[first] == 0 && bytes[first + 1] >= 0) || (bytes[first] == -1 && bytes[first + 1] < 0)))
        first++;
    return with->of_bytes(bytes + first, sizeof bytes - first, seed);
}

// Types nest only as deep as the binder allows, so that the depth of this recursion is limited.
static uint64_t hash_value(const hasher *with, const lt_vector *vector, uint32_t row, uint64_t seed) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    uint32_t         lane  = lt_vector_lane(vector, row);
    if (lt_lane_is_null(lanes, lane)) return seed;
    switch (lanes->type->kind) {
    case LT_BOOLEAN:
        return with->of_int(LT_LANES(lanes, uint8_t)[lane] != 0, seed);
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        return with->of_int((int32_t)lt_lane_integer(lanes, lane), seed);
    case LT_BIGINT:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
    case LT_INTERVAL_DAY_TIME:
        return with->of_long(LT_LANES(lanes, int64_t)[lane], seed);
    case LT_TIME: // Spark keeps nanoseconds
        return with->of_long(LT_LANES(lanes, int64_t)[lane] * 1000, seed);
    case LT_FLOAT:
        return hash_float(with, LT_LANES(lanes, float)[lane], seed);
    case LT_DOUBLE:
        return hash_double(with, LT_LANES(lanes, double)[lane], seed);
    case LT_DECIMAL:
        return hash_decimal(with, lanes->type, LT_LANES(lanes, lt_int128)[lane], seed);
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT: {
        const lt_string *text = &LT_LANES(lanes, lt_string)[lane];
        return with->of_bytes(lt_string_data(text), text->bytes, seed);
    }
    case LT_INTERVAL_CALENDAR: {
        const lt_calendar_interval *interval = &LT_LANES(lanes, lt_calendar_interval)[lane];
        return with->of_int(interval->months,
                            with->of_int(interval->days, with->of_long(interval->microseconds, seed)));
    }
    case LT_ARRAY: {
        lt_list list = LT_LANES(lanes, lt_list)[lane];
        for (uint32_t i = 0; i < list.count; i++) seed = hash_value(with, &lanes->children[0], list.offset + i, seed);
        return seed;
    }
    case LT_STRUCT:
        for (uint32_t i = 0; i < lanes->child_count; i++) seed = hash_value(with, &lanes->children[i], lane, seed);
        return seed;
    default:
        return seed;
    }
}

uint32_t lt_value_murmur3(const lt_vector *vector, uint32_t row, uint32_t seed) {
    return (uint32_t)hash_value(&murmur, vector, row, seed);
}

uint64_t lt_value_xxhash64(const lt_vector *vector, uint32_t row, uint64_t seed) {
    return hash_value(&xx, vector, row, seed);
}

uint32_t lt_bytes_murmur3(const char *bytes, size_t count, uint32_t seed) {
    return (uint32_t)murmur_bytes(bytes, count, seed);
}
