// compare_bits for one instruction set. Before the inclusion: COMPARE_KERNEL and COMPARE_NAME, the descriptor and its
// name; is_supported; truths_pack, 64 bytes that are 0 or 1 as a word; rows_of, if COMPARE_ROWS_OF says so. Each block of
// 64 lanes is a loop of known length, which the compiler makes vectors of.

// A lane of 128 bits by halves: vectors have no such lanes.
typedef struct halves {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    int64_t  high;
    uint64_t low;
#else
    uint64_t low;
    int64_t  high;
#endif
} halves;

#define COMPARE(name, lane, test)                                                                                      \
    static void name(const void *xs, const void *ys, bool is_y_constant, uint32_t count, uint64_t *bits) {             \
        const lane *restrict x = xs;                                                                                   \
        const lane *restrict y = ys;                                                                                   \
        const lane constant    = *y;                                                                                   \
        uint8_t    truths[64];                                                                                         \
        for (; count >= 64; count -= 64, x += 64) {                                                                    \
            if (is_y_constant) {                                                                                       \
                for (uint32_t i = 0; i < 64; i++) {                                                                    \
                    const lane a = x[i], b = constant;                                                                 \
                    truths[i] = (uint8_t)(test);                                                                       \
                }                                                                                                      \
            } else {                                                                                                   \
                for (uint32_t i = 0; i < 64; i++) {                                                                    \
                    const lane a = x[i], b = y[i];                                                                     \
                    truths[i] = (uint8_t)(test);                                                                       \
                }                                                                                                      \
                y += 64;                                                                                               \
            }                                                                                                          \
            *bits++ = truths_pack(truths);                                                                             \
        }                                                                                                              \
        if (count == 0) return;                                                                                        \
        uint64_t word = 0;                                                                                             \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            const lane a = x[i], b = is_y_constant ? constant : y[i];                                                  \
            word |= (uint64_t)(test) << i;                                                                             \
        }                                                                                                              \
        *bits = word;                                                                                                  \
    }
#define COMPARE_WHOLE(name, lane)                                                                                      \
    COMPARE(equal_##name, lane, a == b)                                                                                \
    COMPARE(less_##name, lane, a < b)                                                                                  \
    COMPARE(less_or_equal_##name, lane, a <= b)
// x != x only for NaN; bitwise operators keep the loops free of branches.
#define COMPARE_FLOATING(name, lane)                                                                                   \
    COMPARE(equal_##name, lane, (a == b) | ((a != a) & (b != b)))                                                      \
    COMPARE(less_##name, lane, (a < b) | ((a == a) & (b != b)))                                                        \
    COMPARE(less_or_equal_##name, lane, (a <= b) | (b != b))

COMPARE_WHOLE(u8, uint8_t)
COMPARE_WHOLE(i8, int8_t)
COMPARE_WHOLE(i16, int16_t)
COMPARE_WHOLE(i32, int32_t)
COMPARE_WHOLE(i64, int64_t)
COMPARE_FLOATING(float, float)
COMPARE_FLOATING(double, double)
COMPARE(equal_i128, halves, (a.low == b.low) & (a.high == b.high))
COMPARE(less_i128, halves, (a.high < b.high) | ((a.high == b.high) & (a.low < b.low)))
COMPARE(less_or_equal_i128, halves, (a.high < b.high) | ((a.high == b.high) & (a.low <= b.low)))

static void masked_equal(const uint64_t (*lanes)[2], const uint64_t masks[2], const uint64_t words[2], uint32_t count,
                         uint64_t *bits) {
    const uint64_t mask_0 = masks[0], mask_1 = masks[1], word_0 = words[0], word_1 = words[1];
    uint8_t        truths[64];
    for (; count >= 64; count -= 64, lanes += 64) {
        for (uint32_t i = 0; i < 64; i++)
            truths[i] = (uint8_t)(((lanes[i][0] & mask_0) == word_0) & ((lanes[i][1] & mask_1) == word_1));
        *bits++ = truths_pack(truths);
    }
    if (count == 0) return;
    uint64_t word = 0;
    for (uint32_t i = 0; i < count; i++)
        word |= (uint64_t)(((lanes[i][0] & mask_0) == word_0) & ((lanes[i][1] & mask_1) == word_1)) << i;
    *bits = word;
}

static void of_truths(const uint8_t *truths, uint32_t count, uint64_t *bits) {
    for (; count >= 64; count -= 64, truths += 64) *bits++ = truths_pack(truths);
    if (count == 0) return;
    uint64_t word = 0;
    for (uint32_t i = 0; i < count; i++) word |= (uint64_t)(truths[i] & 1) << i;
    *bits = word;
}

#ifndef COMPARE_ROWS_OF
static uint32_t rows_of(const uint64_t *bits, uint32_t count, uint16_t *rows) {
    uint32_t found = 0;
    for (uint32_t first = 0; first < count; first += 64) {
        uint64_t word = bits[first / 64];
        if (word == UINT64_MAX) {
            for (uint32_t i = 0; i < 64; i++) rows[found + i] = (uint16_t)(first + i);
            found += 64;
            continue;
        }
        for (; word != 0; word &= word - 1) rows[found++] = (uint16_t)(first + (uint32_t)__builtin_ctzll(word));
    }
    return found;
}
#endif

#define LOOPS(name)                                                                                                    \
    { equal_##name, less_##name, less_or_equal_##name }
const lt_compare_kernel COMPARE_KERNEL = {
    .name         = COMPARE_NAME,
    .is_supported = is_supported,
    .loops        = {[LT_COMPARE_U8]     = LOOPS(u8),
                     [LT_COMPARE_I8]     = LOOPS(i8),
                     [LT_COMPARE_I16]    = LOOPS(i16),
                     [LT_COMPARE_I32]    = LOOPS(i32),
                     [LT_COMPARE_I64]    = LOOPS(i64),
                     [LT_COMPARE_FLOAT]  = LOOPS(float),
                     [LT_COMPARE_DOUBLE] = LOOPS(double),
                     [LT_COMPARE_I128]   = LOOPS(i128)},
    .masked_equal = masked_equal,
    .of_truths    = of_truths,
    .rows_of      = rows_of,
};
