// Comparisons as bits, of every instruction set that this CPU has: what plain C says of each pair of lanes; and the
// numbers of bits.
#include "exec/kernels/compare_bits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = LT_CHUNK_ROWS_MAX };

static const uint32_t counts[] = {1, 63, 64, 65, 127, 128, 200, ROWS - 1, ROWS};
static uint64_t       seed     = 17;

static uint64_t random_next(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed ^ (seed >> 29);
}

// Every numeric kind by the order that SQL has.
static const lt_kind kinds[LT_COMPARE_LANE_COUNT] = {LT_BOOLEAN, LT_TINYINT, LT_SMALLINT, LT_INT,
                                                     LT_BIGINT,  LT_FLOAT,   LT_DOUBLE,   LT_DECIMAL};

static void put_lane(lt_vector *vector, uint32_t lane) {
    static const double hostile[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 1.5, -1.5};
    const uint64_t      random    = random_next() >> (random_next() % 64);
    const bool          is_small  = random_next() % 2 == 0;
    switch (vector->type->kind) {
    case LT_BOOLEAN:
        LT_LANES(vector, uint8_t)[lane] = random & 1;
        break;
    case LT_TINYINT:
        LT_LANES(vector, int8_t)[lane] = (int8_t)random;
        break;
    case LT_SMALLINT:
        LT_LANES(vector, int16_t)[lane] = is_small ? (int16_t)(random % 5) : (int16_t)random;
        break;
    case LT_INT:
        LT_LANES(vector, int32_t)[lane] = is_small ? (int32_t)(random % 5) : (int32_t)random;
        break;
    case LT_BIGINT:
        LT_LANES(vector, int64_t)[lane] = is_small ? (int64_t)(random % 5) : (int64_t)random;
        break;
    case LT_FLOAT:
        LT_LANES(vector, float)[lane] = (float)hostile[random % 8];
        break;
    case LT_DOUBLE:
        LT_LANES(vector, double)[lane] = hostile[random % 8];
        break;
    default: { // halves that differ alone and together
        const lt_uint128 high = random_next() % 3, low = random_next() % 2 == 0 ? random_next() % 3 : ~random;
        LT_LANES(vector, lt_int128)[lane] = (lt_int128)((high - 1) << 64 | low);
    }
    }
}

static bool wanted_of(lt_compare_order order, int compared) {
    return order == LT_COMPARE_EQUAL ? compared == 0 : order == LT_COMPARE_LESS ? compared < 0 : compared <= 0;
}

static bool bit_of(const uint64_t *bits, uint32_t row) { return (bits[row / 64] >> (row % 64) & 1) != 0; }

static void comparisons_are_those_of_values(void **unused) {
    (void)unused;
    lt_account account = {0};
    lt_arena   arena;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    for (uint32_t lane_kind = 0; lane_kind < LT_COMPARE_LANE_COUNT; lane_kind++) {
        const lt_type *type =
            kinds[lane_kind] == LT_DECIMAL ? lt_type_decimal(&arena, 38, 0) : lt_type_of(kinds[lane_kind]);
        lt_vector x, y;
        assert_int_equal(lt_vector_init(&x, type, ROWS, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_vector_init(&y, type, ROWS, &arena, NULL), LEAT_OK);
        for (uint32_t round = 0; round < 60; round++) {
            const uint32_t count       = counts[round % (sizeof counts / sizeof *counts)];
            const bool     is_constant = round % 2 == 0;
            for (uint32_t i = 0; i < ROWS; i++) {
                put_lane(&x, i);
                put_lane(&y, i);
            }
            y.form = is_constant ? LT_CONSTANT : LT_FLAT;
            for (uint32_t order = 0; order < LT_COMPARE_ORDER_COUNT; order++)
                for (const lt_compare_kernel *const *kernel = lt_compare_kernels; *kernel != NULL; kernel++) {
                    uint64_t bits[LT_ROW_WORDS_MAX];
                    if (!(*kernel)->is_supported()) continue;
                    (*kernel)->loops[lane_kind][order](x.values, y.values, is_constant, count, bits);
                    for (uint32_t i = 0; i < count; i++)
                        assert_int_equal(bit_of(bits, i), wanted_of(order, lt_vector_compare(&x, i, &y, i)));
                    for (uint32_t i = count; i % 64 != 0; i++) assert_false(bit_of(bits, i));
                }
        }
    }
    lt_arena_deinit(&arena);
}

static void words_are_equal_under_masks(void **unused) {
    (void)unused;
    static uint64_t lanes[ROWS][2];
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t count    = counts[round % (sizeof counts / sizeof *counts)];
        const uint64_t masks[2] = {random_next() & 0xff, random_next() & 3}, words[2] = {masks[0] & 5, masks[1] & 1};
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t k = 0; k < 2; k++) lanes[i][k] = random_next() & (random_next() % 2 == 0 ? 7 : UINT64_MAX);
        for (const lt_compare_kernel *const *kernel = lt_compare_kernels; *kernel != NULL; kernel++) {
            uint64_t bits[LT_ROW_WORDS_MAX];
            if (!(*kernel)->is_supported()) continue;
            (*kernel)->masked_equal((const uint64_t(*)[2])lanes, masks, words, count, bits);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(bit_of(bits, i),
                                 (lanes[i][0] & masks[0]) == words[0] && (lanes[i][1] & masks[1]) == words[1]);
            for (uint32_t i = count; i % 64 != 0; i++) assert_false(bit_of(bits, i));
        }
    }
}

static void truths_and_numbers_are_the_same_set(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 300; round++) {
        const uint32_t count = counts[round % (sizeof counts / sizeof *counts)], share = (uint32_t)(random_next() % 5);
        uint8_t        truths[ROWS];
        for (uint32_t i = 0; i < count; i++) truths[i] = share == 4 || random_next() % 4 < share;
        uint32_t dead = count > 1 && round % 2 == 0 ? (uint32_t)(random_next() % count) : ROWS;
        if (dead < ROWS) truths[dead] = (uint8_t)random_next() | 2;
        for (const lt_compare_kernel *const *kernel = lt_compare_kernels; *kernel != NULL; kernel++) {
            uint64_t  bits[LT_ROW_WORDS_MAX];
            uint16_t *rows = malloc(sizeof *rows * count); // of its size, so that a store behind it is seen
            if ((*kernel)->is_supported()) {
                (*kernel)->of_truths(truths, count, bits);
                if (dead < ROWS) bits[dead / 64] &= ~((uint64_t)1 << dead % 64);
                const uint32_t found  = (*kernel)->rows_of(bits, count, rows);
                uint32_t       wanted = 0;
                for (uint32_t i = 0; i < count; i++)
                    if (truths[i] != 0 && i != dead) assert_true(wanted < found && rows[wanted++] == i);
                assert_int_equal(found, wanted);
            }
            free(rows);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_are_those_of_values),
        cmocka_unit_test(words_are_equal_under_masks),
        cmocka_unit_test(truths_and_numbers_are_the_same_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
