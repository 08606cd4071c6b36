// Keys compare as values do, at any depth; a multiset gives its ends whatever came and went.
#include "exec/state/ordered_multiset.h"

#include "base/lanes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { VALUES = 60 };

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void put_random(lt_vector *into, uint32_t lane, uint64_t *state, lt_arena *arena) {
    static const double      doubles[] = {0.0, -0.0, 1.5, -1.5, -1e300, 1e-310};
    static const char *const texts[]   = {"", "a", "ab", "b", "a\0b", "\xc3\xa9 and more than twelve bytes"};
    static const size_t      bytes[]   = {0, 1, 2, 1, 3, 30};
    if (next_random(state) % 6 == 0) {
        assert_int_equal(lt_lane_put_null(into, lane, arena, NULL), LEAT_OK);
        return;
    }
    lt_vector_set_valid(into, lane);
    uint32_t pick = next_random(state) % 8;
    switch (into->type->kind) {
    case LT_INT:
        LT_LANES(into, int32_t)[lane] = (int32_t)pick - 4;
        break;
    case LT_DECIMAL:
        LT_LANES(into, lt_int128)[lane] = ((lt_int128)pick - 4) * ((lt_int128)1 << 70);
        break;
    case LT_BOOLEAN:
        LT_LANES(into, uint8_t)[lane] = pick & 1;
        break;
    case LT_DOUBLE:
        LT_LANES(into, double)[lane] = pick == 6 ? (double)NAN : pick == 7 ? -(double)INFINITY : doubles[pick];
        break;
    case LT_FLOAT:
        LT_LANES(into, float)[lane] = (float)pick - 3.5f;
        break;
    case LT_STRING:
        LT_LANES(into, lt_string)[lane] = lt_string_view(texts[pick % 6], bytes[pick % 6]);
        break;
    case LT_STRUCT:
        for (uint32_t i = 0; i < into->child_count; i++) put_random(&into->children[i], lane, state, arena);
        break;
    default: {
        uint32_t start = into->children[0].lanes, count = pick % 4, child;
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(lt_lane_add(&into->children[0], &child, arena, NULL), LEAT_OK);
            put_random(&into->children[0], child, state, arena);
        }
        LT_LANES(into, lt_list)[lane] = (lt_list){.offset = start, .count = count};
        break;
    }
    }
}

static void check_keys(const lt_type *type, lt_arena *arena, lt_account *account, uint64_t *state) {
    lt_vector vector;
    lt_buffer keys[VALUES];
    assert_int_equal(lt_vector_init(&vector, type, VALUES, arena, NULL), LEAT_OK);
    vector.lanes = VALUES;
    for (uint32_t i = 0; i < VALUES; i++) {
        put_random(&vector, i, state, arena);
        lt_buffer_init(&keys[i], account, 0);
        assert_int_equal(lt_order_key_append(&vector, i, &keys[i], NULL), LEAT_OK);
    }
    for (uint32_t i = 0; i < VALUES; i++)
        for (uint32_t k = 0; k < VALUES; k++) {
            size_t common = keys[i].bytes < keys[k].bytes ? keys[i].bytes : keys[k].bytes;
            int    order  = memcmp(keys[i].data, keys[k].data, common);
            if (order == 0) order = (keys[i].bytes > keys[k].bytes) - (keys[i].bytes < keys[k].bytes);
            int wanted = lt_vector_compare(&vector, i, &vector, k);
            assert_int_equal((order > 0) - (order < 0), (wanted > 0) - (wanted < 0));
        }
    for (uint32_t i = 0; i < VALUES; i++) lt_buffer_deinit(&keys[i]);
}

static void keys_compare_as_values(void **test) {
    (void)test;
    lt_account account;
    lt_arena   arena;
    uint64_t   state = 7;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    const lt_type *decimal  = lt_type_decimal(&arena, 38, 2);
    const lt_type *plain[]  = {lt_type_of(LT_INT),   lt_type_of(LT_BOOLEAN), lt_type_of(LT_DOUBLE),
                               lt_type_of(LT_FLOAT), lt_type_of(LT_STRING),  decimal};
    const lt_field fields[] = {{.name = "a", .type = lt_type_of(LT_STRING)},
                               {.name = "b", .type = lt_type_of(LT_DOUBLE)}};
    const lt_type *record   = lt_type_struct(&arena, fields, 2);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        check_keys(plain[i], &arena, &account, &state);
        check_keys(lt_type_array(&arena, plain[i]), &arena, &account, &state);
    }
    check_keys(record, &arena, &account, &state);
    check_keys(lt_type_array(&arena, lt_type_array(&arena, record)), &arena, &account, &state);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

static void ends_follow_what_goes(void **test) {
    (void)test;
    lt_account          account;
    lt_arena            arena;
    lt_buffer           scratch;
    lt_ordered_multiset set        = {0};
    int64_t             counts[20] = {0};
    uint64_t            state      = 99;
    lt_vector           number, read;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_buffer_init(&scratch, &account, 0);
    assert_int_equal(lt_vector_init(&number, lt_type_of(LT_INT), 1, &arena, NULL), LEAT_OK);
    for (int step = 0; step < 2000; step++) {
        uint32_t value                = next_random(&state) % 20;
        int64_t  weight               = counts[value] > 0 && next_random(&state) % 2 == 0 ? -1 : 1;
        LT_LANES(&number, int32_t)[0] = (int32_t)value - 10;
        assert_int_equal(lt_ordered_multiset_add(&set, &number, 0, weight, &scratch, &account, NULL), LEAT_OK);
        counts[value] += weight;
        uint32_t first = 0, different = 0;
        while (first < 20 && counts[first] == 0) first++;
        for (uint32_t i = 0; i < 20; i++) different += counts[i] > 0;
        assert_int_equal(set.count, different);
        if (different == 0) continue;
        assert_int_equal(lt_vector_init(&read, lt_type_of(LT_INT), 1, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_multiset_entry_append(lt_ordered_multiset_first(&set), &read, &arena, NULL), LEAT_OK);
        assert_int_equal(LT_LANES(&read, int32_t)[0], (int32_t)first - 10);
        assert_int_equal(lt_ordered_multiset_first(&set)->weight, counts[first]);
    }
    LT_LANES(&number, int32_t)[0] = 77;
    assert_int_equal(lt_ordered_multiset_add(&set, &number, 0, -1, &scratch, &account, NULL), LEAT_INTERNAL);
    lt_ordered_multiset_close(&set, &account);
    lt_buffer_deinit(&scratch);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_compare_as_values),
                                       cmocka_unit_test(ends_follow_what_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
