// Large blocks: the same bytes after every change of size, also over the border to malloc.
#include "base/arena.h"
#include "base/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MIB = 1024 * 1024, STEP = 4093 };

static unsigned char byte_at(size_t at) { return (unsigned char)(at * 31 >> 3); }

static void bytes_write(unsigned char *memory, size_t first, size_t end) {
    for (size_t at = first / STEP * STEP; at < end; at += STEP)
        if (at >= first) memory[at] = byte_at(at);
    memory[end - 1] = byte_at(end - 1);
}

static void bytes_check(const unsigned char *memory, size_t end) {
    for (size_t at = 0; at < end; at += STEP) assert_int_equal(memory[at], byte_at(at));
}

static void a_block_keeps_its_bytes_when_it_grows_and_shrinks(void **unused) {
    (void)unused;
    static const size_t sizes[] = {4 * MIB,       4 * MIB + 8,  8 * MIB + 8, 64 * MIB, 64 * MIB + 1,
                                   130 * MIB + 7, 66 * MIB - 1, 5 * MIB,     4 * MIB,  300 * MIB};
    size_t              had     = sizes[0];
    unsigned char      *memory = lt_pages_allocate(had), *beside = lt_pages_allocate(6 * MIB);
    assert_non_null(memory);
    assert_non_null(beside);
    bytes_write(memory, 0, had);
    for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) {
        memory = lt_pages_resize(memory, had, sizes[i]);
        assert_non_null(memory);
        bytes_check(memory, had < sizes[i] ? had : sizes[i]);
        if (sizes[i] > had) bytes_write(memory, had, sizes[i]);
        had = sizes[i];
    }
    lt_pages_free(beside, 6 * MIB);
    lt_pages_free(memory, had);
}

static void what_there_is_no_room_for_changes_nothing(void **unused) {
    (void)unused;
    unsigned char *memory = lt_pages_allocate(4 * MIB);
    bytes_write(memory, 0, 4 * MIB);
    assert_null(lt_pages_allocate(SIZE_MAX - 5));
    assert_null(lt_pages_allocate(SIZE_MAX / 4));
    assert_null(lt_pages_resize(memory, 4 * MIB, SIZE_MAX - 5));
    assert_null(lt_pages_resize(memory, 4 * MIB, SIZE_MAX / 4));
    bytes_check(memory, 4 * MIB);
    lt_pages_free(memory, 4 * MIB);
}

static void an_account_goes_over_the_border_both_ways(void **unused) {
    (void)unused;
    lt_account account;
    lt_account_init(&account, NULL, NULL, 0);
    static const size_t sizes[] = {
        MIB,     LT_PAGES_BYTES_MIN - 1, LT_PAGES_BYTES_MIN, LT_PAGES_BYTES_MIN - 1, 9 * MIB, 32 * MIB, 3 * MIB, 64,
        20 * MIB};
    unsigned char *memory = NULL;
    size_t         had    = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memory = lt_account_reallocate(&account, memory, had, sizes[i]);
        assert_non_null(memory);
        bytes_check(memory, had < sizes[i] ? had : sizes[i]);
        if (sizes[i] > had) bytes_write(memory, had, sizes[i]);
        had = sizes[i];
        assert_int_equal(account.bytes, had);
    }
    assert_null(lt_account_reallocate(&account, memory, had, 0));
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_keeps_its_bytes_when_it_grows_and_shrinks),
        cmocka_unit_test(what_there_is_no_room_for_changes_nothing),
        cmocka_unit_test(an_account_goes_over_the_border_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
