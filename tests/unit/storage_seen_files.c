// Seen files: each counts once, by path or by name, and is forgotten only when it is too old to be new again.
#include "storage/checkpoint/seen_files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void test_a_file_counts_once(void **state) {
    (void)state;
    lt_account    account;
    lt_seen_files set;
    char          path[32];
    lt_account_init(&account, NULL, NULL, 0);
    lt_seen_files_init(&set, &account, 9);
    assert_true(lt_seen_files_is_new(&set, "in/0", 0));
    for (int64_t i = 0; i < 5000; i++) {
        snprintf(path, sizeof path, "in/%" PRId64, i);
        assert_true(lt_seen_files_is_new(&set, path, i));
        assert_int_equal(lt_seen_files_add(&set, path, 1, i, i / 10, NULL), LEAT_OK);
        assert_int_equal(lt_seen_files_add(&set, path, 2, i, i / 10, NULL), LEAT_OK);
        assert_true(lt_seen_files_contains(&set, path));
    }
    assert_int_equal(set.count, 5000);
    for (int64_t i = 0; i < 5000; i++) {
        snprintf(path, sizeof path, "in/%" PRId64, i);
        assert_true(lt_seen_files_contains(&set, path));
    }
    assert_false(lt_seen_files_contains(&set, "in/5000"));
    size_t first;
    assert_int_equal(lt_seen_files_of_batch(&set, 17, &first), 10);
    assert_string_equal(set.files[first].path, "in/170");
    assert_int_equal(lt_seen_files_of_batch(&set, 500, &first), 0);
    lt_seen_files_deinit(&set);
    assert_int_equal(account.bytes, 0);
}

static void test_by_name(void **state) {
    (void)state;
    lt_account    account;
    lt_seen_files set;
    lt_account_init(&account, NULL, NULL, 0);
    lt_seen_files_init(&set, &account, 9);
    assert_int_equal(lt_seen_files_add(&set, "a/x.json", 1, 0, 0, NULL), LEAT_OK);
    assert_false(lt_seen_files_contains(&set, "b/x.json"));
    lt_seen_files_configure(&set, true, 0);
    assert_true(lt_seen_files_contains(&set, "b/x.json"));
    assert_true(lt_seen_files_contains(&set, "x.json"));
    assert_false(lt_seen_files_contains(&set, "y.json"));
    lt_seen_files_deinit(&set);
}

static void test_old_files_are_forgotten_and_never_new(void **state) {
    (void)state;
    lt_account    account;
    lt_seen_files set;
    char          path[32];
    lt_account_init(&account, NULL, NULL, 0);
    lt_seen_files_init(&set, &account, 9);
    lt_seen_files_configure(&set, false, 100);
    for (int64_t i = 0; i < 10000; i++) {
        snprintf(path, sizeof path, "in/%" PRId64, i);
        assert_true(lt_seen_files_is_new(&set, path, i));
        assert_int_equal(lt_seen_files_add(&set, path, 1, i, i, NULL), LEAT_OK);
        set.written_count = set.count;
        assert_int_equal(lt_seen_files_purge(&set, i, NULL), LEAT_OK);
        assert_true(set.count < 130);
        assert_int_equal(set.written_count, set.count);
    }
    for (int64_t i = 0; i < 10000; i++) {
        snprintf(path, sizeof path, "in/%" PRId64, i);
        assert_false(lt_seen_files_is_new(&set, path, i));
    }
    assert_false(lt_seen_files_is_new(&set, "in/late", 9898));
    assert_true(lt_seen_files_is_new(&set, "in/late", 9899));
    lt_seen_files_deinit(&set);
    assert_int_equal(account.bytes, 0);
}

static void test_text_round_trip(void **state) {
    (void)state;
    lt_account    account;
    lt_seen_files set, copy;
    lt_buffer     text;
    leat_error    err = {0};
    lt_account_init(&account, NULL, NULL, 0);
    lt_seen_files_init(&set, &account, 9);
    lt_seen_files_init(&copy, &account, 10);
    lt_buffer_init(&text, &account, 0);
    assert_int_equal(lt_seen_files_add(&set, "plain", UINT64_MAX, INT64_MAX, 0, NULL), LEAT_OK);
    assert_int_equal(lt_seen_files_add(&set, "new\nline and blank", 0, -7, 0, NULL), LEAT_OK);
    assert_int_equal(lt_seen_files_add(&set, "\xff\xfe", 3, 0, 0, NULL), LEAT_OK);
    assert_int_equal(lt_seen_files_encode(&set, 0, set.count, &text, NULL), LEAT_OK);
    assert_int_equal(lt_seen_files_decode(&copy, text.data, text.bytes, 4, &err), LEAT_OK);
    assert_int_equal(copy.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(copy.files[i].path, set.files[i].path);
        assert_true(copy.files[i].bytes == set.files[i].bytes);
        assert_true(copy.files[i].modified_us == set.files[i].modified_us);
        assert_int_equal(copy.files[i].batch_id, 4);
    }
    for (size_t kept = 1; kept < text.bytes; kept++) {
        lt_seen_files cut;
        lt_seen_files_init(&cut, &account, 1);
        leat_status status = lt_seen_files_decode(&cut, text.data, kept, 0, NULL);
        // Whole lines are a list, too; that some are missing shows the hash of the record around them.
        assert_true(status == LEAT_OK || status == LEAT_CORRUPT);
        lt_seen_files_deinit(&cut);
    }
    lt_buffer_deinit(&text);
    lt_seen_files_deinit(&copy);
    lt_seen_files_deinit(&set);
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_counts_once),
        cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_old_files_are_forgotten_and_never_new),
        cmocka_unit_test(test_text_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
