// Rows by key against every pair of rows compared.
#include "exec/state/row_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/hostile_lanes.h"

enum { ROWS = 700, CHUNKS = 3, COLUMNS_MAX = 4 };

// What a row of a chunk is when all that counts is equality.
static lt_string encoded(const lt_vector *columns, uint32_t column_count, uint32_t row, lt_arena *arena) {
    lt_buffer bytes;
    lt_string out;
    lt_buffer_init(&bytes, arena->account, 0);
    assert_int_equal(lt_row_encode(columns, column_count, row, true, &bytes, NULL), LEAT_OK);
    assert_int_equal(lt_string_copy(arena, bytes.data, bytes.bytes, &out, NULL), LEAT_OK);
    lt_buffer_deinit(&bytes);
    return out;
}

static void columns_make(lt_vector *columns, const lt_type *const *types, uint32_t type_count, uint32_t kinds,
                         lt_arena *arena, uint64_t *seed) {
    for (uint32_t c = 0; c < type_count; c++) {
        assert_int_equal(lt_vector_init(&columns[c], types[c], ROWS, arena, NULL), LEAT_OK);
        for (uint32_t i = 0; i < ROWS; i++) hostile_lane(&columns[c], i, kinds, arena, seed);
        columns[c].lanes = ROWS;
        if (next_random(seed) % 8 == 0) columns[c].form = LT_CONSTANT;
    }
}

// Some rows of a chunk; NULL: all of them.
static uint16_t *rows_choose(uint16_t *room, uint32_t *out_count, uint64_t *seed) {
    *out_count = ROWS;
    if (next_random(seed) % 2 == 0) return NULL;
    *out_count = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (next_random(seed) % 3 != 0) room[(*out_count)++] = (uint16_t)i;
    return room;
}

static void rows_are_found(const lt_type *const *types, uint32_t type_count, uint32_t kinds, uint32_t tag_mask,
                           bool is_of_keys, uint64_t seed) {
    static lt_string kept[ROWS * CHUNKS];
    static bool      is_absent[ROWS * CHUNKS];
    lt_account       account;
    lt_arena         arena;
    lt_row_index     index;
    lt_vector        columns[COLUMNS_MAX];
    uint16_t         room[ROWS];
    uint32_t         heads[ROWS], count;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_row_index_init(&index, &account, types, type_count, is_of_keys, seed);
    index.tag_mask = tag_mask;
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        columns_make(columns, types, type_count, kinds, &arena, &seed);
        const uint16_t *rows = rows_choose(room, &count, &seed);
        for (uint32_t i = 0, at = 0; i < ROWS; i++) {
            kept[ROWS * chunk + i]      = encoded(columns, type_count, i, &arena);
            is_absent[ROWS * chunk + i] = rows != NULL && (at == count || rows[at] != i);
            at += rows != NULL && !is_absent[ROWS * chunk + i];
        }
        assert_int_equal(lt_row_index_add(&index, columns, type_count, ROWS, rows, count, NULL), LEAT_OK);
    }
    assert_int_equal(lt_row_index_make(&index, NULL), LEAT_OK);
    columns_make(columns, types, type_count, kinds, &arena, &seed);
    const uint16_t *rows = rows_choose(room, &count, &seed);
    assert_int_equal(lt_row_index_find(&index, columns, type_count, rows, count, heads, NULL), LEAT_OK);
    for (uint32_t i = 0; i < count; i++) {
        const lt_string wanted = encoded(columns, type_count, rows == NULL ? i : rows[i], &arena);
        uint32_t        at = heads[i], matches = 0;
        for (uint32_t row = 0; row < ROWS * CHUNKS; row++) {
            if (is_absent[row] || !lt_string_equal(&kept[row], &wanted)) continue;
            matches++;
            if (is_of_keys) continue;
            assert_int_equal(at, row + 1);
            at = index.next[row];
            assert_true(at == 0 || index.has_repeats);
        }
        if (is_of_keys)
            assert_int_equal(heads[i] != 0, matches > 0);
        else
            assert_int_equal(at, 0);
    }
    lt_row_index_deinit(&index);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

static void all_forms_are_found(void **unused) {
    (void)unused;
    static const uint32_t kinds[] = {1, 6, 250, 100000}, masks[] = {UINT32_MAX, 0, UINT32_C(0xe0000000)};
    const lt_type *const  texts[] = {lt_type_of(LT_STRING), lt_type_of(LT_STRING)};
    const lt_type *const two[] = {lt_type_of(LT_INT), lt_type_of(LT_BIGINT)}, *const pair[] = {pair_type()};
    const lt_kind ones[] = {LT_TINYINT, LT_SMALLINT, LT_INT,    LT_BIGINT, LT_DATE,
                            LT_BOOLEAN, LT_FLOAT,    LT_DOUBLE, LT_STRING};
    uint64_t      seed   = 1;
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t m = 0; m < 3; m++)
            for (uint32_t of_keys = 0; of_keys < 2; of_keys++) {
                for (uint32_t i = 0; i < sizeof ones / sizeof *ones; i++) {
                    const lt_type *const one[] = {lt_type_of(ones[i])};
                    rows_are_found(one, 1, kinds[k], masks[m], of_keys == 1, seed++);
                }
                rows_are_found(two, 2, kinds[k], masks[m], of_keys == 1, seed++);
                rows_are_found(pair, 1, kinds[k], masks[m], of_keys == 1, seed++);
                rows_are_found(texts, 2, kinds[k], masks[m], of_keys == 1, seed++);
            }
}

static void no_rows_are_found_in_none(void **unused) {
    (void)unused;
    const lt_type *const type[] = {lt_type_of(LT_INT)};
    for (uint32_t of_keys = 0; of_keys < 2; of_keys++) {
        lt_account   account;
        lt_row_index index;
        int32_t      value  = 0;
        uint32_t     head   = 1;
        lt_vector    column = {.type = type[0], .form = LT_FLAT, .capacity = 1, .lanes = 1, .values = &value};
        lt_account_init(&account, NULL, NULL, 0);
        lt_row_index_init(&index, &account, type, 1, of_keys == 1, 1);
        assert_int_equal(lt_row_index_make(&index, NULL), LEAT_OK);
        assert_int_equal(lt_row_index_find(&index, &column, 1, NULL, 1, &head, NULL), LEAT_OK);
        assert_int_equal(head, 0);
        lt_row_index_deinit(&index);
        assert_int_equal(account.bytes, 0);
    }
}

// Keys alone that come again and again take the room of the different ones.
static void repeated_keys_take_little(void **unused) {
    (void)unused;
    enum { ADDS = 1000, STEP = 1000, DIFFERENT = 20000 };
    static const lt_kind kinds[] = {LT_BIGINT, LT_DOUBLE, LT_STRING};
    for (uint32_t kind = 0; kind < 3; kind++) {
        const lt_type *const type[] = {lt_type_of(kinds[kind])};
        lt_account           account;
        lt_arena             arena;
        lt_row_index         index;
        lt_vector            column;
        uint32_t             heads[STEP];
        lt_account_init(&account, NULL, NULL, 0);
        lt_arena_init(&arena, &account);
        lt_row_index_init(&index, &account, type, 1, true, 1);
        for (uint32_t add = 0, value = 0; add <= ADDS; add++) {
            lt_arena_reset(&arena);
            assert_int_equal(lt_vector_init(&column, type[0], STEP, &arena, NULL), LEAT_OK);
            for (uint32_t i = 0; i < STEP; i++, value++) {
                const uint32_t number = 3 * (value % DIFFERENT) + (add == ADDS && i % 2 == 0);
                char           text[64];
                if (kind == 0) LT_LANES(&column, int64_t)[i] = number;
                if (kind == 1) LT_LANES(&column, double)[i] = number;
                if (kind == 2)
                    assert_int_equal(
                        lt_string_copy(&arena, text,
                                       (size_t)snprintf(text, sizeof text, "the text of number %u", number),
                                       &LT_LANES(&column, lt_string)[i], NULL),
                        LEAT_OK);
            }
            column.lanes = STEP;
            if (add < ADDS) assert_int_equal(lt_row_index_add(&index, &column, 1, STEP, NULL, STEP, NULL), LEAT_OK);
            assert_true(account.bytes < 16 * 1024 * 1024);
        }
        assert_int_equal(lt_row_index_make(&index, NULL), LEAT_OK);
        assert_int_equal(lt_row_index_find(&index, &column, 1, NULL, STEP, heads, NULL), LEAT_OK);
        for (uint32_t i = 0; i < STEP; i++) assert_int_equal(heads[i] != 0, i % 2 != 0);
        lt_row_index_deinit(&index);
        lt_arena_deinit(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_are_found),
        cmocka_unit_test(no_rows_are_found_in_none),
        cmocka_unit_test(repeated_keys_take_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
