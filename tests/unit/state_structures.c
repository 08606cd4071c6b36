// Structures of operator state against plain models: rows by weight, groups by key, timers by time, sorted row numbers.
#include "exec/state/group_table.h"
#include "exec/state/row_set.h"
#include "exec/state/row_store.h"
#include "exec/state/sort_order.h"
#include "exec/state/timer_heap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/hostile_lanes.h"

enum { KEYS = 40, STEPS = 20000 };

// A merging set is a map from row to weight: any sequence of additions leaves what the sums say, in order of places.
static void row_set_keeps_sums(void **unused) {
    (void)unused;
    lt_account account;
    lt_row_set set;
    int64_t    weights[KEYS] = {0}, total = 0;
    uint64_t   seed = 1;
    lt_account_init(&account, NULL, NULL, 0);
    lt_row_set_init(&set, &account, true);
    for (int step = 0; step < STEPS; step++) {
        uint32_t key = next_random(&seed) % KEYS;
        int64_t  add = next_random(&seed) % 3 == 0 && weights[key] > 0 ? -1 : 1, now = 0;
        char     row[32];
        int      bytes = snprintf(row, sizeof row, "row number %u", key);
        assert_int_equal(lt_row_set_add(&set, row, (size_t)bytes, add, key, &now, NULL), LEAT_OK);
        weights[key] += add;
        total += add;
        assert_int_equal(now, weights[key]);
        if (step % 5000 == 0) // everything leaves: the set is as new
            for (uint32_t k = 0; k < KEYS; k++) {
                bytes = snprintf(row, sizeof row, "row number %u", k);
                if (weights[k] > 0)
                    assert_int_equal(lt_row_set_add(&set, row, (size_t)bytes, -weights[k], 0, NULL, NULL), LEAT_OK);
                total -= weights[k];
                weights[k] = 0;
                if (k == KEYS - 1) assert_int_equal(set.live_rows, 0);
            }
    }
    const uint32_t *order;
    uint32_t        count, expected = 0;
    assert_int_equal(lt_row_set_order(&set, &order, &count, NULL), LEAT_OK);
    for (uint32_t k = 0; k < KEYS; k++) expected += weights[k] > 0;
    assert_int_equal(count, expected);
    assert_int_equal(set.total_weight, total);
    for (uint32_t i = 1; i < count; i++)
        assert_true(lt_row_set_at(&set, lt_row_set_number(order, i - 1)).place <=
                    lt_row_set_at(&set, lt_row_set_number(order, i)).place);
    lt_row_set_deinit(&set);
    assert_int_equal(account.bytes, 0);
}

static void row_set_refuses_to_go_below_zero(void **unused) {
    (void)unused;
    lt_account account;
    lt_row_set set;
    leat_error err = {0};
    lt_account_init(&account, NULL, NULL, 0);
    lt_row_set_init(&set, &account, true);
    assert_int_equal(lt_row_set_add(&set, "a", 1, -1, 0, NULL, &err), LEAT_INTERNAL);
    assert_int_equal(set.live_rows, 0);
    lt_row_set_deinit(&set);
}

static void one_int_column(lt_vector *column, const int32_t *values, uint32_t count, lt_arena *arena) {
    assert_int_equal(lt_vector_init(column, lt_type_of(LT_INT), count, arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < count; i++) LT_LANES(column, int32_t)[i] = values[i];
    column->lanes = count;
}

// Equal keys give one group, different ones never; a removed key comes back as a new group, its index reused.
static void group_table_matches_a_map(void **unused) {
    (void)unused;
    lt_account     account;
    lt_arena       arena;
    lt_group_table table;
    uint32_t       group_of[KEYS];
    uint64_t       seed = 7;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    const lt_type *type = lt_type_of(LT_INT);
    lt_group_table_init(&table, &account, &type, 1, seed);
    for (uint32_t k = 0; k < KEYS; k++) group_of[k] = LT_NO_GROUP;
    for (int step = 0; step < STEPS; step++) {
        int32_t   key = (int32_t)(next_random(&seed) % KEYS);
        uint32_t  found;
        lt_vector column;
        one_int_column(&column, &key, 1, &arena);
        assert_int_equal(lt_group_table_find(&table, &column, 1, NULL, 1, &found, NULL), LEAT_OK);
        assert_int_equal(found, group_of[key]);
        if (found != LT_NO_GROUP && next_random(&seed) % 4 == 0) {
            lt_group_table_remove(&table, found);
            group_of[key] = LT_NO_GROUP;
        } else {
            assert_int_equal(lt_group_table_find_or_add(&table, &column, 1, NULL, 1, &found, NULL), LEAT_OK);
            for (uint32_t k = 0; k < KEYS; k++) assert_true(group_of[k] != found || k == (uint32_t)key);
            group_of[key] = found;
        }
        lt_arena_reset(&arena);
    }
    for (uint32_t k = 0; k < KEYS; k++) {
        lt_vector column;
        if (group_of[k] == LT_NO_GROUP) continue;
        assert_int_equal(lt_vector_init(&column, lt_type_of(LT_INT), 1, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_group_table_keys(&table, &group_of[k], 1, &column, 1, &arena, NULL), LEAT_OK);
        assert_int_equal(LT_LANES(&column, int32_t)[0], (int32_t)k);
    }
    assert_true(table.group_count <= KEYS);
    lt_group_table_deinit(&table);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

// NULL equals NULL, NaN equals NaN, -0.0 equals 0.0.
static void group_keys_are_equal_as_values(void **unused) {
    (void)unused;
    static const double values[] = {0.0, -0.0, (double)NAN, (double)-NAN, 1.0};
    lt_account          account;
    lt_arena            arena;
    lt_group_table      table;
    lt_vector           column;
    uint32_t            groups[6];
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    const lt_type *type = lt_type_of(LT_DOUBLE);
    lt_group_table_init(&table, &account, &type, 1, 9);
    assert_int_equal(lt_vector_init(&column, lt_type_of(LT_DOUBLE), 8, &arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < 5; i++) LT_LANES(&column, double)[i] = values[i];
    assert_int_equal(lt_vector_set_null(&column, 5, &arena, NULL), LEAT_OK);
    assert_int_equal(lt_group_table_find_or_add(&table, &column, 1, NULL, 6, groups, NULL), LEAT_OK);
    assert_int_equal(groups[0], groups[1]);
    assert_int_equal(groups[2], groups[3]);
    assert_int_not_equal(groups[0], groups[4]);
    assert_int_not_equal(groups[5], groups[0]);
    assert_int_equal(table.live_count, 4);
    lt_group_table_deinit(&table);
    lt_arena_deinit(&arena);
}

// ----------------------------------------------------------------------------------------------------------- key forms

enum { FORM_ROWS = 700, FORM_ROUNDS = 24, COLUMNS_MAX = 4 };

// A table of one form beside a table over the canonical bytes of the same rows, which knows only byte strings: the same
// groups at every step, with removal, reuse of indexes and growth in between; then keys come back by bytes and columns.
static void form_matches_bytes(lt_key_form form, const lt_type *const *types, uint32_t type_count, uint32_t kinds,
                               uint32_t tag_mask, uint64_t seed) {
    lt_account     account;
    lt_arena       arena;
    lt_group_table table, plain;
    lt_buffer      bytes, again;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_buffer_init(&bytes, &account, 0);
    lt_buffer_init(&again, &account, 0);
    lt_group_table_init(&table, &account, types, type_count, seed);
    const lt_type *binary = lt_type_of(LT_BINARY);
    lt_group_table_init(&plain, &account, &binary, 1, seed + 1);
    assert_int_equal(table.layout.form, form);
    table.tag_mask = tag_mask;
    for (uint32_t round = 0; round < FORM_ROUNDS; round++) {
        lt_vector columns[COLUMNS_MAX], encoded;
        uint16_t  rows[FORM_ROWS];
        uint32_t  groups[FORM_ROWS], expected[FORM_ROWS], found[FORM_ROWS], count = 0;
        bool      has_rows = next_random(&seed) % 2 == 0;
        for (uint32_t c = 0; c < type_count; c++) {
            assert_int_equal(lt_vector_init(&columns[c], types[c], FORM_ROWS, &arena, NULL), LEAT_OK);
            for (uint32_t i = 0; i < FORM_ROWS; i++) hostile_lane(&columns[c], i, kinds, &arena, &seed);
            columns[c].lanes = FORM_ROWS;
            if (next_random(&seed) % 8 == 0) columns[c].form = LT_CONSTANT;
        }
        for (uint32_t i = 0; i < FORM_ROWS; i++)
            if (!has_rows || next_random(&seed) % 3 != 0) rows[count++] = (uint16_t)i;
        assert_int_equal(lt_vector_init(&encoded, binary, FORM_ROWS, &arena, NULL), LEAT_OK);
        for (uint32_t i = 0; i < count; i++) {
            lt_buffer_reset(&bytes);
            assert_int_equal(lt_row_encode(columns, type_count, rows[i], true, &bytes, NULL), LEAT_OK);
            assert_int_equal(lt_string_copy(&arena, bytes.data, bytes.bytes, &LT_LANES(&encoded, lt_string)[i], NULL),
                             LEAT_OK);
        }
        assert_int_equal(lt_group_table_find(&table, columns, type_count, has_rows ? rows : NULL, count, found, NULL),
                         LEAT_OK);
        assert_int_equal(lt_group_table_find(&plain, &encoded, 1, NULL, count, expected, NULL), LEAT_OK);
        assert_memory_equal(found, expected, sizeof *found * count);
        assert_int_equal(
            lt_group_table_find_or_add(&table, columns, type_count, has_rows ? rows : NULL, count, groups, NULL),
            LEAT_OK);
        assert_int_equal(lt_group_table_find_or_add(&plain, &encoded, 1, NULL, count, expected, NULL), LEAT_OK);
        assert_memory_equal(groups, expected, sizeof *groups * count);
        assert_int_equal(table.live_count, plain.live_count);
        for (uint32_t i = 0; i < count; i++) {
            const lt_string *key = &LT_LANES(&encoded, const lt_string)[i];
            assert_int_equal(lt_group_table_find_bytes(&table, lt_string_data(key), key->bytes), groups[i]);
        }
        lt_vector out[COLUMNS_MAX];
        for (uint32_t c = 0; c < type_count; c++)
            assert_int_equal(lt_vector_init(&out[c], types[c], count + 1, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_group_table_keys(&table, groups, count, out, type_count, &arena, NULL), LEAT_OK);
        for (uint32_t i = 0; i < count; i++) {
            const lt_string *key = &LT_LANES(&encoded, const lt_string)[i];
            lt_buffer_reset(&bytes);
            lt_buffer_reset(&again);
            assert_int_equal(lt_group_table_key(&table, groups[i], &bytes, NULL), LEAT_OK);
            assert_int_equal(bytes.bytes, key->bytes);
            assert_memory_equal(bytes.data, lt_string_data(key), key->bytes);
            assert_int_equal(lt_row_encode(out, type_count, i, true, &again, NULL), LEAT_OK);
            assert_int_equal(again.bytes, bytes.bytes);
            assert_memory_equal(again.data, bytes.data, bytes.bytes);
        }
        for (uint32_t group = 0; group < table.group_count; group++) {
            assert_int_equal(lt_group_table_is_live(&table, group), lt_group_table_is_live(&plain, group));
            if (!lt_group_table_is_live(&table, group) || next_random(&seed) % (round % 5 == 0 ? 2 : 16) != 0) continue;
            lt_buffer_reset(&bytes);
            lt_buffer_reset(&again);
            assert_int_equal(lt_group_table_key(&table, group, &bytes, NULL), LEAT_OK);
            lt_group_table_remove(&table, group);
            lt_group_table_remove(&plain, group);
            assert_int_equal(lt_group_table_find_bytes(&table, bytes.data, bytes.bytes), LT_NO_GROUP);
            assert_int_equal(lt_group_table_key(&table, group, &again, NULL), LEAT_OK); // still readable
            assert_int_equal(again.bytes, bytes.bytes);
            assert_memory_equal(again.data, bytes.data, bytes.bytes);
            if (next_random(&seed) % 4 != 0) continue;
            uint32_t  back = 0, plain_back = 0;
            lt_string text = lt_string_view(bytes.data, bytes.bytes);
            lt_vector one  = {.type = binary, .form = LT_FLAT, .capacity = 1, .lanes = 1, .values = &text};
            assert_int_equal(lt_group_table_add_bytes(&table, bytes.data, bytes.bytes, &back, NULL), LEAT_OK);
            assert_int_equal(lt_group_table_find_or_add(&plain, &one, 1, NULL, 1, &plain_back, NULL), LEAT_OK);
            assert_int_equal(back, plain_back);
        }
        lt_arena_reset(&arena);
    }
    lt_group_table_deinit(&table);
    lt_group_table_deinit(&plain);
    lt_buffer_deinit(&bytes);
    lt_buffer_deinit(&again);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

static void key_forms_match_bytes(void **unused) {
    (void)unused;
    const struct {
        lt_key_form    form;
        uint32_t       count;
        const lt_type *types[COLUMNS_MAX];
    } cases[] = {
        {LT_KEY_FIXED8, 1, {lt_type_of(LT_BOOLEAN)}},
        {LT_KEY_FIXED8, 1, {lt_type_of(LT_SMALLINT)}},
        {LT_KEY_FIXED8, 1, {lt_type_of(LT_INT)}},
        {LT_KEY_FIXED8, 1, {lt_type_of(LT_BIGINT)}},
        {LT_KEY_FIXED8, 1, {lt_type_of(LT_FLOAT)}},
        {LT_KEY_FIXED8, 1, {lt_type_of(LT_DOUBLE)}},
        {LT_KEY_STRING, 1, {lt_type_of(LT_STRING)}},
        {LT_KEY_PACKED16, 2, {lt_type_of(LT_INT), lt_type_of(LT_BIGINT)}},
        {LT_KEY_PACKED16, 3, {lt_type_of(LT_FLOAT), lt_type_of(LT_BOOLEAN), lt_type_of(LT_DOUBLE)}},
        {LT_KEY_PACKED16, 1, {pair_type()}},
        {LT_KEY_PACKED32, 1, {lt_type_of(LT_INTERVAL_CALENDAR)}},
        {LT_KEY_PACKED32, 3, {pair_type(), lt_type_of(LT_BIGINT), lt_type_of(LT_SMALLINT)}},
        {LT_KEY_BYTES, 2, {lt_type_of(LT_STRING), lt_type_of(LT_DOUBLE)}},
        {LT_KEY_BYTES, 4, {lt_type_of(LT_BIGINT), lt_type_of(LT_BIGINT), lt_type_of(LT_BIGINT), lt_type_of(LT_BIGINT)}},
        {LT_KEY_BYTES, 2, {lt_type_of(LT_STRING), lt_type_of(LT_STRING)}},
        {LT_KEY_BYTES,
         4,
         {lt_type_of(LT_BOOLEAN), lt_type_of(LT_STRING), lt_type_of(LT_FLOAT), lt_type_of(LT_SMALLINT)}},
        {LT_KEY_BYTES, 3, {lt_type_of(LT_STRING), lt_type_of(LT_INTERVAL_CALENDAR), lt_type_of(LT_BIGINT)}},
        {LT_KEY_BYTES, 2, {lt_type_of(LT_STRING), pair_type()}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        form_matches_bytes(cases[i].form, cases[i].types, cases[i].count, 250, UINT32_MAX, 11 + i);
        form_matches_bytes(cases[i].form, cases[i].types, cases[i].count, 40, 0, 31 + i); // all hashes are equal
        form_matches_bytes(cases[i].form, cases[i].types, cases[i].count, 40, 0xf0000000U, 51 + i); // few first slots
        form_matches_bytes(cases[i].form, cases[i].types, cases[i].count, 40, 0x0000000fU, 71 + i); // one, many tags
    }
}

// Integers that lie close together, then not, then elsewhere: with the array over their range and without, the same groups.
static void narrow_keys_are_found_as_wide_ones_are(void **unused) {
    (void)unused;
    enum { ROUNDS = 400, ROWS = 1500 };
    static const int64_t  starts[] = {0, -700, 5, INT64_MAX - 400, INT64_MIN, 1000000, -3};
    static const uint64_t widths[] = {1, 40, 900, 5000, 60000, 70000, UINT64_MAX};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        lt_account     account;
        lt_arena       arena;
        lt_group_table table, plain;
        const lt_type *type   = lt_type_of(LT_BIGINT);
        uint64_t       random = seed, start = 0, width = 100;
        uint32_t       had_direct = 0;
        lt_account_init(&account, NULL, NULL, 0);
        lt_arena_init(&arena, &account);
        lt_group_table_init(&table, &account, &type, 1, seed);
        lt_group_table_init(&plain, &account, &type, 1, seed);
        plain.direct_trials = UINT32_MAX; // never
        for (uint32_t round = 0; round < ROUNDS; round++) {
            lt_vector keys;
            uint32_t  groups[ROWS], expected[ROWS], count = next_random(&random) % 4 == 0 ? 700 : ROWS;
            if (next_random(&random) % (round < 100 ? 50 : 15) == 0) {
                start = (uint64_t)starts[next_random(&random) % 7];
                width = widths[next_random(&random) % 7];
            }
            if (round % 32 == 0) table.direct_trials = 0;
            assert_int_equal(lt_vector_init(&keys, type, ROWS, &arena, NULL), LEAT_OK);
            for (uint32_t i = 0; i < count; i++) {
                const uint64_t far = (uint64_t)next_random(&random) << 32 | next_random(&random);
                LT_LANES(&keys, uint64_t)
                [i] = round % 4 == 3 && next_random(&random) % 100 == 0 ? far : start + far % width;
                if (next_random(&random) % 50 == 0)
                    assert_int_equal(lt_vector_set_null(&keys, i, &arena, NULL), LEAT_OK);
            }
            keys.lanes = count;
            assert_int_equal(lt_group_table_find(&table, &keys, 1, NULL, count, groups, NULL), LEAT_OK);
            assert_int_equal(lt_group_table_find(&plain, &keys, 1, NULL, count, expected, NULL), LEAT_OK);
            assert_memory_equal(groups, expected, sizeof *groups * count);
            assert_int_equal(lt_group_table_find_or_add(&table, &keys, 1, NULL, count, groups, NULL), LEAT_OK);
            assert_int_equal(lt_group_table_find_or_add(&plain, &keys, 1, NULL, count, expected, NULL), LEAT_OK);
            assert_memory_equal(groups, expected, sizeof *groups * count);
            assert_int_equal(table.live_count, plain.live_count);
            had_direct += table.direct != NULL;
            for (uint32_t group = 0; group < table.group_count; group++) {
                if (!lt_group_table_is_live(&table, group) || next_random(&random) % (round % 7 == 0 ? 3 : 40) != 0)
                    continue;
                lt_group_table_remove(&table, group);
                lt_group_table_remove(&plain, group);
            }
            lt_arena_reset(&arena);
        }
        assert_true(had_direct > ROUNDS / 8 && had_direct < ROUNDS);
        assert_null(plain.direct);
        lt_group_table_deinit(&table);
        lt_group_table_deinit(&plain);
        lt_arena_deinit(&arena);
        assert_int_equal(account.bytes, 0);
    }
}

// Bytes that are cut, or of other types, are no key of several columns: they change nothing and are not read beyond.
static void keys_that_are_cut_are_corrupt(void **unused) {
    (void)unused;
    static const char text[]  = "abcdefghijklmnop";
    const lt_type    *types[] = {lt_type_of(LT_STRING), lt_type_of(LT_INT), lt_type_of(LT_STRING)};
    lt_account        account;
    lt_group_table    table;
    lt_buffer         key;
    uint32_t          group, length = sizeof text - 1, number = 7, none = 0;
    lt_account_init(&account, NULL, NULL, 0);
    lt_buffer_init(&key, &account, 0);
    lt_group_table_init(&table, &account, types, 3, 1);
    assert_int_equal(lt_buffer_append_byte(&key, (char)LT_STRING, NULL), LEAT_OK);
    assert_int_equal(lt_buffer_append(&key, &length, sizeof length, NULL), LEAT_OK);
    assert_int_equal(lt_buffer_append(&key, text, length, NULL), LEAT_OK);
    assert_int_equal(lt_buffer_append_byte(&key, (char)LT_INT, NULL), LEAT_OK);
    assert_int_equal(lt_buffer_append(&key, &number, sizeof number, NULL), LEAT_OK);
    assert_int_equal(lt_buffer_append(&key, &none, 1, NULL), LEAT_OK); // NULL
    for (size_t cut = 0; cut <= key.bytes + 1; cut++) {
        char *bytes = lt_account_reallocate(&account, NULL, 0, cut + 1); // of just that size, for the sanitizer
        assert_non_null(bytes);
        memset(bytes, 0, cut + 1);
        memcpy(bytes, key.data, cut < key.bytes ? cut : key.bytes);
        const leat_status expected = cut == key.bytes ? LEAT_OK : LEAT_CORRUPT;
        assert_int_equal(lt_group_table_add_bytes(&table, bytes, cut, &group, NULL), expected);
        bytes[0] ^= 64;
        assert_int_equal(lt_group_table_add_bytes(&table, bytes, cut, &group, NULL), LEAT_CORRUPT);
        lt_account_reallocate(&account, bytes, cut + 1, 0);
    }
    memset(key.data + 1, 0xff, sizeof length);
    assert_int_equal(lt_group_table_add_bytes(&table, key.data, key.bytes, &group, NULL), LEAT_CORRUPT);
    assert_int_equal(table.live_count, 1);
    lt_group_table_deinit(&table);
    lt_buffer_deinit(&key);
    assert_int_equal(account.bytes, 0);
}

// A table that doubles in slices: nothing is lost or doubled while old and new slots stand side by side.
static void growth_in_slices_loses_nothing(void **unused) {
    (void)unused;
    enum { PART = 100, KEYS_IN_ALL = 150000 };
    static uint8_t is_in[KEYS_IN_ALL];
    for (uint32_t mask_case = 0; mask_case < 2; mask_case++) {
        lt_account     account;
        lt_group_table table;
        uint64_t       seed = 5, grew = 0;
        const lt_type *type = lt_type_of(LT_BIGINT);
        lt_account_init(&account, NULL, NULL, 0);
        lt_group_table_init(&table, &account, &type, 1, 3);
        if (mask_case == 1) table.tag_mask = 0xffff8000U; // clusters
        memset(is_in, 0, sizeof is_in);
        for (uint32_t first = 0; first < KEYS_IN_ALL; first += PART) {
            int64_t   values[2 * PART];
            uint32_t  groups[2 * PART];
            lt_vector column = {
                .type = type, .form = LT_FLAT, .capacity = 2 * PART, .lanes = 2 * PART, .values = values};
            for (uint32_t i = 0; i < PART; i++) values[i] = first + i; // new
            for (uint32_t i = PART; i < 2 * PART; i++) values[i] = next_random(&seed) % (first + PART);
            assert_int_equal(lt_group_table_find_or_add(&table, &column, 1, NULL, 2 * PART, groups, NULL), LEAT_OK);
            for (uint32_t i = 0; i < 2 * PART; i++) is_in[values[i]] = 1;
            grew += table.old.capacity != 0;
            for (uint32_t i = 0; i < 20; i++) {
                int64_t  key = next_random(&seed) % (first + PART);
                uint32_t group;
                column.lanes = 1;
                values[0]    = key;
                assert_int_equal(lt_group_table_find(&table, &column, 1, NULL, 1, &group, NULL), LEAT_OK);
                assert_int_equal(group != LT_NO_GROUP, is_in[key]);
                if (group == LT_NO_GROUP) continue;
                lt_group_table_remove(&table, group);
                is_in[key] = 0;
            }
        }
        uint32_t live = 0;
        for (int64_t key = 0; key < KEYS_IN_ALL; key++) {
            uint32_t  group;
            lt_vector column = {.type = type, .form = LT_FLAT, .capacity = 1, .lanes = 1, .values = &key};
            assert_int_equal(lt_group_table_find(&table, &column, 1, NULL, 1, &group, NULL), LEAT_OK);
            assert_int_equal(group != LT_NO_GROUP, is_in[key]);
            live += is_in[key];
        }
        assert_int_equal(table.live_count, live);
        assert_true(grew > 3);
        lt_group_table_deinit(&table);
        assert_int_equal(account.bytes, 0);
    }
}

static void timers_fall_due_in_order(void **unused) {
    (void)unused;
    lt_account    account;
    lt_timer_heap heap;
    lt_timer      timer, last = {.due_us = INT64_MIN};
    uint64_t      seed    = 3;
    size_t        popped  = 0;
    int64_t       horizon = 500;
    lt_account_init(&account, NULL, NULL, 0);
    lt_timer_heap_init(&heap, &account);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(lt_timer_heap_push(
                             &heap, (lt_timer){.due_us = (int64_t)(next_random(&seed) % 1000), .group_index = i}, NULL),
                         LEAT_OK);
    while (lt_timer_heap_pop_due(&heap, horizon, &timer)) {
        assert_true(timer.due_us <= horizon);
        assert_true(timer.due_us > last.due_us ||
                    (timer.due_us == last.due_us && timer.group_index > last.group_index));
        last = timer;
        popped++;
    }
    assert_int_equal(popped + heap.count, 1000);
    assert_true(heap.count == 0 || heap.timers[0].due_us > horizon);
    lt_timer_heap_deinit(&heap);
    assert_int_equal(account.bytes, 0);
}

// Sorting is stable: rows of equal keys keep their order, NULLs stand where they are asked to.
static void sorting_is_stable(void **unused) {
    (void)unused;
    enum { ROWS = 5000 };
    lt_account account;
    lt_arena   arena;
    lt_vector  column;
    uint32_t  *order;
    uint64_t   seed = 11;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    for (int form = 0; form < 4; form++) {
        lt_sort_key key = {.is_descending = (form & 1) != 0, .is_nulls_first = (form & 2) != 0};
        assert_int_equal(lt_vector_init(&column, lt_type_of(LT_INT), ROWS, &arena, NULL), LEAT_OK);
        order = LT_NEW_ARRAY(&arena, uint32_t, ROWS);
        assert_non_null(order);
        for (uint32_t row = 0; row < ROWS; row++) {
            LT_LANES(&column, int32_t)[row] = (int32_t)(next_random(&seed) % 50);
            if (next_random(&seed) % 5 == 0) assert_int_equal(lt_vector_set_null(&column, row, &arena, NULL), LEAT_OK);
            order[row] = row;
        }
        const lt_vector *columns[] = {&column};
        assert_int_equal(lt_sort_rows(columns, &key, 1, order, ROWS, &arena, NULL), LEAT_OK);
        for (uint32_t i = 1; i < ROWS; i++) {
            bool    null_a = lt_vector_is_null(&column, order[i - 1]), null_b = lt_vector_is_null(&column, order[i]);
            int32_t a = LT_LANES(&column, int32_t)[order[i - 1]], b = LT_LANES(&column, int32_t)[order[i]];
            if (null_a != null_b) {
                assert_int_equal(null_a, key.is_nulls_first);
                continue;
            }
            if (null_a || a == b)
                assert_true(order[i - 1] < order[i]);
            else
                assert_true(key.is_descending ? a > b : a < b);
        }
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
}

static void put_random(lt_vector *column, uint32_t row, uint64_t *seed, lt_arena *arena) {
    uint64_t random = next_random(seed);
    switch (column->type->kind) {
    case LT_BOOLEAN:
        LT_LANES(column, uint8_t)[row] = random & 1;
        break;
    case LT_BIGINT:
        LT_LANES(column, int64_t)[row] = (int64_t)((uint64_t)next_random(seed) << (random % 64));
        break;
    case LT_DECIMAL:
        LT_LANES(column, lt_int128)[row] = ((lt_int128)next_random(seed) % 7 - 3) * ((lt_int128)1 << (random % 100));
        break;
    case LT_DOUBLE: {
        static const double rare[]    = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 1e-310, -1.5};
        LT_LANES(column, double)[row] = random % 3 == 0 ? rare[random / 3 % 8] : (double)next_random(seed) - 1e9;
        break;
    }
    case LT_STRING: {
        char     text[40] = "a common start";
        uint32_t common = random % 8 != 0 ? 14 : 0, bytes = common + (uint32_t)(random / 8 % 20);
        for (uint32_t i = common; i < bytes; i++) text[i] = "ab\xff\0"[next_random(seed) % 4];
        assert_int_equal(lt_string_copy(arena, text, bytes, &LT_LANES(column, lt_string)[row], NULL), LEAT_OK);
        break;
    }
    default: // ARRAY<BIGINT>: no prefix
        assert_int_equal(lt_vector_reserve(&column->children[0], column->children[0].lanes + 2, arena, NULL), LEAT_OK);
        LT_LANES(column, lt_list)[row] = (lt_list){column->children[0].lanes, (uint32_t)(random % 3)};
        for (uint32_t i = 0; i < random % 3; i++)
            LT_LANES(&column->children[0], int64_t)[column->children[0].lanes++] = (int64_t)(next_random(seed) % 3);
    }
}

// Whatever way a run is sorted: each row comes behind the one before by comparison, or by number if both are equal.
static void sorting_follows_comparison(void **unused) {
    (void)unused;
    static const uint32_t counts[] = {0, 1, 2, 15, 16, 17, 64, 255, 256, 257, 3000};
    enum { COLUMNS = 3, KINDS = 6 };
    lt_account account;
    lt_arena   arena;
    uint64_t   seed = 23;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    const lt_type *types[KINDS] = {lt_type_of(LT_BOOLEAN), lt_type_of(LT_BIGINT), lt_type_decimal(&arena, 38, 2),
                                   lt_type_of(LT_DOUBLE),  lt_type_of(LT_STRING), NULL};
    types[5]                    = lt_type_array(&arena, lt_type_of(LT_BIGINT));
    for (uint32_t round = 0; round < 20 * sizeof counts / sizeof *counts; round++) {
        uint32_t         count = counts[round % (sizeof counts / sizeof *counts)], key_count = 1 + round % COLUMNS;
        lt_vector        vectors[COLUMNS];
        const lt_vector *columns[COLUMNS];
        lt_sort_key      keys[COLUMNS];
        for (uint32_t k = 0; k < key_count; k++) {
            keys[k]             = (lt_sort_key){.is_descending  = (next_random(&seed) >> 7) % 2 == 0,
                                                .is_nulls_first = (next_random(&seed) >> 9) % 2 == 0};
            columns[k]          = &vectors[k];
            const lt_type *type = types[(next_random(&seed) >> 5) % KINDS];
            assert_int_equal(lt_vector_init(&vectors[k], type, count + 1, &arena, NULL), LEAT_OK);
            bool has_nulls = (next_random(&seed) >> 11) % 2 == 0;
            for (uint32_t row = 0; row < count; row++) {
                put_random(&vectors[k], row, &seed, &arena);
                if (has_nulls && next_random(&seed) % 4 == 0)
                    assert_int_equal(lt_vector_set_null(&vectors[k], row, &arena, NULL), LEAT_OK);
            }
        }
        uint32_t *order = LT_NEW_ARRAY(&arena, uint32_t, count + 1);
        uint8_t  *seen  = LT_NEW_ARRAY(&arena, uint8_t, count + 1);
        for (uint32_t row = 0; row < count; row++) order[row] = row;
        assert_int_equal(lt_sort_rows(columns, keys, key_count, order, count, &arena, NULL), LEAT_OK);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(order[i] < count && !seen[order[i]]);
            seen[order[i]] = 1;
            if (i == 0) continue;
            int way = lt_sort_compare(columns, keys, key_count, order[i - 1], order[i]);
            assert_true(way < 0 || (way == 0 && order[i - 1] < order[i]));
        }
    }
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

// A row of any type comes back from its bytes as it was; cut bytes are LEAT_CORRUPT, never a crash.
static void rows_survive_their_bytes(void **unused) {
    (void)unused;
    lt_account account;
    lt_arena   arena;
    lt_buffer  bytes;
    lt_vector  from[3], into[3];
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_buffer_init(&bytes, &account, 0);
    const lt_type *list    = lt_type_array(&arena, lt_type_of(LT_STRING));
    const lt_type *types[] = {lt_type_of(LT_DECIMAL), list, lt_type_of(LT_TIMESTAMP)};
    for (int c = 0; c < 3; c++) {
        assert_int_equal(lt_vector_init(&from[c], types[c], 4, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_vector_init(&into[c], types[c], 4, &arena, NULL), LEAT_OK);
    }
    LT_LANES(&from[0], lt_int128)[0] = -((lt_int128)1 << 100);
    LT_LANES(&from[1], lt_list)[0]   = (lt_list){.offset = 0, .count = 2};
    assert_int_equal(lt_vector_reserve(&from[1].children[0], 2, &arena, NULL), LEAT_OK);
    LT_LANES(&from[1].children[0], lt_string)[0] = lt_string_view("a text longer than twelve", 25);
    LT_LANES(&from[1].children[0], lt_string)[1] = lt_string_view("", 0);
    from[1].children[0].lanes                    = 2;
    assert_int_equal(lt_vector_set_null(&from[2], 0, &arena, NULL), LEAT_OK);
    assert_int_equal(lt_row_encode(from, 3, 0, false, &bytes, NULL), LEAT_OK);
    assert_int_equal(lt_row_decode(bytes.data, bytes.bytes, into, 3, &arena, NULL), LEAT_OK);
    for (int c = 0; c < 3; c++) assert_int_equal(lt_vector_compare(&from[c], 0, &into[c], 0), 0);
    for (size_t cut = 0; cut < bytes.bytes; cut++) {
        lt_vector  again[3];
        leat_error err = {0};
        for (int c = 0; c < 3; c++) assert_int_equal(lt_vector_init(&again[c], types[c], 4, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_row_decode(bytes.data, cut, again, 3, &arena, &err), LEAT_CORRUPT);
    }
    lt_buffer_deinit(&bytes);
    lt_arena_deinit(&arena);
}

enum { MODEL_KEYS = 30000, MODEL_TEXT_MAX = 1500 };

typedef struct model_row {
    uint32_t version;
    bool     is_there, is_twice;
} model_row;

// Mostly short rows, now and then one that is longer than what is kept by size, or than a page of records.
static size_t model_text(char *out, uint32_t key, uint32_t version) {
    uint32_t bytes = 12 + (key * 7 + version * 13) % 40;
    if ((key + version) % 97 == 0) bytes = MODEL_TEXT_MAX;
    if (key == 77 && version % 8 == 1) bytes = 300000;
    memset(out, 'a' + (int)(version % 26), bytes);
    memcpy(out, &key, sizeof key);
    memcpy(out + 4, &version, sizeof version);
    return bytes;
}

// Adds, removals, updates in place and second copies over many keys, with places that ascend or not: weights, bytes and
// order are those of a plain array, and an update of rows that stand in order needs no sorting.
static void row_set_matches_a_model(void **unused) {
    (void)unused;
    static char text[300000], other[300000];
    lt_account  account;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        bool       ascends = seed == 1;
        model_row *model   = calloc(MODEL_KEYS, sizeof *model);
        lt_row_set set;
        uint64_t   random = seed;
        uint32_t   live   = 0;
        lt_account_init(&account, NULL, NULL, 0);
        lt_row_set_init(&set, &account, true);
        for (uint32_t step = 0; step < 6 * MODEL_KEYS; step++) {
            uint32_t   key   = ascends && step < MODEL_KEYS ? step : next_random(&random) % MODEL_KEYS;
            model_row *row   = &model[key];
            int64_t    place = (int64_t)key * 10;
            size_t     bytes = model_text(text, key, row->version);
            uint32_t   what  = next_random(&random) % 8;
            if (!row->is_there) {
                assert_int_equal(lt_row_set_add(&set, text, bytes, 1, place, NULL, NULL), LEAT_OK);
                row->is_there = true;
                live++;
            } else if (what == 0 && !ascends) { // all copies leave
                assert_int_equal(lt_row_set_add(&set, text, bytes, row->is_twice ? -2 : -1, 0, NULL, NULL), LEAT_OK);
                *row = (model_row){.version = row->version + 1};
                live--;
            } else if (what == 1) { // a copy comes or goes
                assert_int_equal(lt_row_set_add(&set, text, bytes, row->is_twice ? -1 : 1, place, NULL, NULL), LEAT_OK);
                row->is_twice = !row->is_twice;
            } else if (!row->is_twice) {
                size_t other_bytes = model_text(other, key, ++row->version);
                assert_int_equal(lt_row_set_update(&set, text, bytes, other, other_bytes, place, NULL), LEAT_OK);
            }
        }
        const uint32_t *order;
        uint32_t        count = 0, at = 0;
        assert_int_equal(set.live_rows, live);
        assert_int_equal(lt_row_set_order(&set, &order, &count, NULL), LEAT_OK);
        if (ascends) assert_null(order);
        for (uint32_t key = 0; key < MODEL_KEYS; key++) {
            size_t bytes = model_text(text, key, model[key].version);
            assert_int_equal(lt_row_set_weight(&set, text, bytes), model[key].is_there + model[key].is_twice);
            if (!model[key].is_there) continue;
            lt_row_set_row row = {0};
            while (row.weight == 0 && at < count) row = lt_row_set_at(&set, lt_row_set_number(order, at++));
            assert_int_equal(row.place, (int64_t)key * 10);
            assert_int_equal(row.count, bytes);
            assert_memory_equal(row.bytes, text, bytes);
        }
        free(model);
        lt_row_set_reset(&set);
        assert_int_equal(set.live_rows, 0);
        assert_int_equal(lt_row_set_weight(&set, text, 12), 0);
        lt_row_set_deinit(&set);
        assert_int_equal(account.bytes, 0);
    }
}

// Rows without memory are refused one by one; those that are there stay as they are.
static void row_set_survives_missing_memory(void **unused) {
    (void)unused;
    lt_account account;
    lt_row_set set;
    uint64_t   random = 9;
    uint32_t   there = 0, refused = 0;
    char       text[64];
    lt_account_init(&account, NULL, NULL, 0);
    lt_row_set_init(&set, &account, true);
    for (uint32_t step = 0; step < 4000; step++) {
        int bytes         = snprintf(text, sizeof text, "%u and some more text", step);
        account.bytes_max = account.bytes + 1 + next_random(&random) % (step % 16 == 0 ? 600000 : 3000);
        if (lt_row_set_add(&set, text, (size_t)bytes, 1, step, NULL, NULL) == LEAT_OK)
            there++;
        else
            refused++;
        account.bytes_max = 0;
        assert_int_equal(set.live_rows, there);
        bytes          = snprintf(text, sizeof text, "%u and some more text", step / 2);
        int64_t weight = lt_row_set_weight(&set, text, (size_t)bytes);
        assert_true(weight == 0 || weight == 1);
    }
    assert_true(refused > 10 && there > 500);
    lt_row_set_deinit(&set);
    assert_int_equal(account.bytes, 0);
}

// Rows that were kept do not change when their source does.
static void row_store_owns_its_rows(void **unused) {
    (void)unused;
    lt_account     account;
    lt_arena       arena;
    lt_row_store   store;
    lt_chunk       chunk, out;
    const lt_type *type   = lt_type_of(LT_STRING);
    char           text[] = "a text longer than twelve";
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    assert_int_equal(lt_row_store_init(&store, &type, 1, &account, NULL), LEAT_OK);
    assert_int_equal(lt_chunk_init(&chunk, &type, 1, 1, &arena, NULL), LEAT_OK);
    LT_LANES(&chunk.columns[0], lt_string)[0] = lt_string_view(text, strlen(text));
    chunk.count                               = 1;
    assert_int_equal(lt_row_store_append(&store, &chunk, NULL), LEAT_OK);
    memset(text, 'x', sizeof text - 1);
    uint32_t rows[] = {0, LT_NO_ROW, 0};
    assert_int_equal(lt_row_store_gather(&store, rows, 3, &arena, &out, NULL), LEAT_OK);
    assert_memory_equal(lt_string_data(&LT_LANES(&out.columns[0], lt_string)[2]), "a text", 6);
    assert_true(lt_vector_is_null(&out.columns[0], 1));
    lt_row_store_deinit(&store);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

// Keys of row i, which are one of a few types; every 1000th of one column is NULL.
static void numbered_key(lt_vector *columns, uint32_t column_count, uint32_t row, uint64_t number, lt_arena *arena) {
    for (uint32_t c = 0; c < column_count; c++) {
        if (columns[c].type->kind == LT_STRING) {
            char text[40];
            int  bytes =
                snprintf(text, sizeof text, number % 3 == 0 ? "the key with number %u" : "k%u", (uint32_t)number);
            assert_int_equal(lt_string_copy(arena, text, (size_t)bytes, &LT_LANES(&columns[c], lt_string)[row], NULL),
                             LEAT_OK);
        } else {
            LT_LANES(&columns[c], uint64_t)[row] = number * 0x9E3779B97F4A7C15U + c;
        }
        if (number % 1000 == 7) assert_int_equal(lt_vector_set_null(&columns[c], row, arena, NULL), LEAT_OK);
        columns[c].lanes = row + 1;
    }
}

// Keys that come again in their order, for a while, from the middle, with others between: the same groups as where each
// is looked for by its hash.
static void keys_in_order_are_found_as_others_are(void **unused) {
    (void)unused;
    enum { ROUNDS = 700, ROWS = LT_KEY_BLOCK_ROWS };
    const lt_type *types[]     = {lt_type_of(LT_BIGINT), lt_type_of(LT_BIGINT), lt_type_of(LT_STRING)};
    const uint32_t shapes[][2] = {{0, 1}, {0, 2}, {2, 1}, {1, 2}}; // first type, columns
    for (uint32_t shape = 0; shape < 4; shape++) {
        const lt_type *const *type  = types + shapes[shape][0];
        const uint32_t        count = shapes[shape][1];
        lt_account            account;
        lt_arena              arena;
        lt_group_table        table, plain;
        uint64_t              random = shape + 1, last = 0, known = 0, in_runs = 0;
        lt_account_init(&account, NULL, NULL, 0);
        lt_arena_init(&arena, &account);
        lt_group_table_init(&table, &account, type, count, shape);
        lt_group_table_init(&plain, &account, type, count, shape);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            lt_vector      keys[2];
            uint32_t       groups[ROWS], expected[ROWS], rows = round % 9 == 0 ? 100 : ROWS;
            const uint32_t breaks = 1 + next_random(&random) % (round % 4 == 0 ? 10 : 400);
            for (uint32_t c = 0; c < count; c++)
                assert_int_equal(lt_vector_init(&keys[c], type[c], ROWS, &arena, NULL), LEAT_OK);
            for (uint32_t i = 0; i < rows; i++) {
                uint64_t number = last + 1;
                if (next_random(&random) % breaks == 0) number = next_random(&random) % (known + 1);
                if (next_random(&random) % 3 == 0 && round < 300) number = known;
                known += number >= known;
                last = number;
                numbered_key(keys, count, i, number, &arena);
            }
            plain.last_found      = LT_NO_GROUP;
            const uint32_t before = table.last_found;
            const bool     finds  = round % 5 == 4;
            if (finds) {
                assert_int_equal(lt_group_table_find(&table, keys, count, NULL, rows, groups, NULL), LEAT_OK);
                assert_int_equal(lt_group_table_find(&plain, keys, count, NULL, rows, expected, NULL), LEAT_OK);
            } else {
                assert_int_equal(lt_group_table_find_or_add(&table, keys, count, NULL, rows, groups, NULL), LEAT_OK);
                assert_int_equal(lt_group_table_find_or_add(&plain, keys, count, NULL, rows, expected, NULL), LEAT_OK);
            }
            assert_memory_equal(groups, expected, sizeof *groups * rows);
            assert_int_equal(table.live_count, plain.live_count);
            in_runs += before != LT_NO_GROUP && groups[0] == before + 1 && groups[rows / 8] == groups[0] + rows / 8;
            for (uint32_t gone = 0; round > 500 && round % 20 < 2 && gone < 50; gone++) {
                const uint32_t group = next_random(&random) % table.group_count;
                if (!lt_group_table_is_live(&table, group)) continue;
                lt_group_table_remove(&table, group);
                lt_group_table_remove(&plain, group);
            }
            lt_arena_reset(&arena);
        }
        assert_true(in_runs > 20);
        lt_group_table_deinit(&table);
        lt_group_table_deinit(&plain);
        lt_arena_deinit(&arena);
        assert_int_equal(account.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_set_keeps_sums),
        cmocka_unit_test(row_set_matches_a_model),
        cmocka_unit_test(row_set_survives_missing_memory),
        cmocka_unit_test(row_set_refuses_to_go_below_zero),
        cmocka_unit_test(group_table_matches_a_map),
        cmocka_unit_test(group_keys_are_equal_as_values),
        cmocka_unit_test(timers_fall_due_in_order),
        cmocka_unit_test(sorting_is_stable),
        cmocka_unit_test(sorting_follows_comparison),
        cmocka_unit_test(rows_survive_their_bytes),
        cmocka_unit_test(row_store_owns_its_rows),
        cmocka_unit_test(key_forms_match_bytes),
        cmocka_unit_test(keys_that_are_cut_are_corrupt),
        cmocka_unit_test(narrow_keys_are_found_as_wide_ones_are),
        cmocka_unit_test(growth_in_slices_loses_nothing),
        cmocka_unit_test(keys_in_order_are_found_as_others_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
