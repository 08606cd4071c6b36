// Ordered rows: in order of key and place whatever the order of arrival, found by position, gone without a trace.
#include "exec/state/ordered_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t random_below(uint64_t *seed, uint32_t bound) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % bound);
}

static lt_ordered_row *row_of(uint32_t key, int64_t place, char letter, lt_account *account) {
    char            bytes[9];
    lt_ordered_row *row;
    uint32_t        count = key % 3 == 0 ? 9 : 4; // some keys differ behind the prefix only
    for (uint32_t i = 0; i < 4; i++) bytes[i] = (char)(key / 3 >> (24 - 8 * i));
    for (uint32_t i = 4; i < 9; i++) bytes[i] = (char)(key % 2);
    assert_int_equal(lt_ordered_row_new(bytes, count, &letter, 1, place, account, &row, NULL), LEAT_OK);
    return row;
}

static int compare_rows(const void *a, const void *b) {
    return lt_ordered_row_compare(*(lt_ordered_row *const *)a, *(lt_ordered_row *const *)b);
}

static void expect_order(const lt_ordered_rows *rows, lt_ordered_row **sorted, uint32_t count) {
    qsort(sorted, count, sizeof(lt_ordered_row *), compare_rows);
    assert_int_equal(rows->count, count);
    lt_ordered_cursor cursor = lt_ordered_rows_seek(rows, 0);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(compare_rows(&sorted[i], &(lt_ordered_row *){lt_ordered_rows_next(&cursor)}), 0);
    assert_null(lt_ordered_rows_next(&cursor));
    for (uint32_t i = 0; i < count; i += 37) {
        uint32_t lower = i, upper = i + 1, first = i, end = i + 1;
        while (lower > 0 && lt_ordered_row_compare(sorted[lower - 1], sorted[i]) == 0) lower--;
        while (upper < count && lt_ordered_row_compare(sorted[upper], sorted[i]) == 0) upper++;
        while (first > 0 && lt_ordered_key_compare(sorted[first - 1], sorted[i]) == 0) first--;
        while (end < count && lt_ordered_key_compare(sorted[end], sorted[i]) == 0) end++;
        assert_int_equal(lt_ordered_rows_lower(rows, sorted[i]), lower);
        assert_int_equal(lt_ordered_rows_upper(rows, sorted[i]), upper);
        assert_int_equal(lt_ordered_rows_first_peer(rows, sorted[i]), first);
        assert_int_equal(lt_ordered_rows_end_of_peers(rows, sorted[i]), end);
        assert_int_equal(lt_ordered_row_compare(lt_ordered_rows_at(rows, i), sorted[i]), 0);
    }
}

static void test_rows_stand_in_order(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    static lt_ordered_row *sorted[ROWS];
    lt_account             account;
    lt_ordered_rows        rows = {0};
    uint64_t               seed = 7;
    lt_account_init(&account, NULL, NULL, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t key = i % 4 == 0 ? i : random_below(&seed, 9000);
        sorted[i]    = row_of(key, random_below(&seed, 50), 'a', &account);
        assert_int_equal(lt_ordered_rows_insert(&rows, sorted[i], &account, NULL), LEAT_OK);
    }
    expect_order(&rows, sorted, ROWS);
    uint32_t left = ROWS;
    while (left > 100) {
        uint32_t        at  = random_below(&seed, left);
        lt_ordered_row *row = lt_ordered_rows_remove(&rows, at, &account);
        assert_int_equal(lt_ordered_row_compare(row, sorted[at]), 0);
        for (uint32_t i = at; i < left; i++) // an equal one may have gone in its stead
            if (sorted[i] == row) at = i;
        for (uint32_t i = at; i > 0 && sorted[at] != row; i--)
            if (sorted[i - 1] == row) at = i - 1;
        memmove(&sorted[at], &sorted[at + 1], sizeof sorted[0] * (left - at - 1));
        left--;
        lt_ordered_row_free(row, &account);
        if (left % 5000 == 0) expect_order(&rows, sorted, left);
    }
    lt_ordered_rows_close(&rows, &account);
    assert_int_equal(account.bytes, 0);
}

static void test_rows_in_order_leave_no_holes(void **state) {
    (void)state;
    lt_account      account;
    lt_ordered_rows rows = {0};
    lt_account_init(&account, NULL, NULL, 0);
    for (uint32_t i = 0; i < 10 * LT_ORDERED_LEAF_ROWS; i++)
        assert_int_equal(lt_ordered_rows_insert(&rows, row_of(3 * i, 0, 'a', &account), &account, NULL), LEAT_OK);
    assert_int_equal(rows.leaf_count, 10);
    while (rows.count > 0) lt_ordered_row_free(lt_ordered_rows_remove(&rows, rows.count / 2, &account), &account);
    assert_int_equal(rows.leaf_count, 0);
    lt_ordered_rows_close(&rows, &account);
    assert_int_equal(account.bytes, 0);
}

static void test_a_row_is_found_at_its_place_or_the_earliest(void **state) {
    (void)state;
    lt_account      account;
    lt_ordered_rows rows = {0};
    uint32_t        position;
    lt_account_init(&account, NULL, NULL, 0);
    const char letters[] = "abab";
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(lt_ordered_rows_insert(&rows, row_of(5, i, letters[i], &account), &account, NULL), LEAT_OK);
    lt_ordered_row *third = row_of(5, 2, 'a', &account), *nowhere = row_of(5, 9, 'b', &account),
                   *other = row_of(5, 1, 'c', &account);
    assert_true(lt_ordered_rows_find(&rows, third, &position));
    assert_int_equal(position, 2);
    assert_true(lt_ordered_rows_find(&rows, nowhere, &position));
    assert_int_equal(position, 1);
    assert_false(lt_ordered_rows_find(&rows, other, &position));
    assert_int_equal(lt_ordered_rows_copies(&rows, third), 1);
    assert_int_equal(lt_ordered_rows_copies(&rows, nowhere), 0);
    lt_ordered_row_free(third, &account);
    lt_ordered_row_free(nowhere, &account);
    lt_ordered_row_free(other, &account);
    lt_ordered_rows_close(&rows, &account);
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_stand_in_order),
        cmocka_unit_test(test_rows_in_order_leave_no_holes),
        cmocka_unit_test(test_a_row_is_found_at_its_place_or_the_earliest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
