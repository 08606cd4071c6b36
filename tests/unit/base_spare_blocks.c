// Spare blocks: what is kept, what is given again, and what is not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/spare_blocks.h"

enum { MIB = 1024 * 1024 };

static uint64_t bytes_of_items(const lt_spare_blocks *spare) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < spare->count; i++) bytes += spare->items[i].bytes;
    return bytes;
}

// Under the address sanitizer nothing is kept; the rest must hold there too.
static bool keeps(void) {
#if defined(__SANITIZE_ADDRESS__)
    return false;
#else
    return true;
#endif
}

static void test_a_large_block_comes_again_and_a_small_one_passes(void **state) {
    (void)state;
    lt_spare_blocks spare;
    lt_spare_blocks_init(&spare);
    const leat_allocator allocator = lt_spare_blocks_allocator(&spare);
    char                *large     = allocator.reallocate(allocator.user, NULL, 0, 4 * MIB), *again;
    char                *small     = allocator.reallocate(allocator.user, NULL, 0, 1000);
    assert_non_null(large);
    large[4 * MIB - 1] = 1;
    assert_null(allocator.reallocate(allocator.user, large, 4 * MIB, 0));
    assert_null(allocator.reallocate(allocator.user, small, 1000, 0));
    assert_int_equal(spare.count, keeps() ? 1 : 0);
    again = allocator.reallocate(allocator.user, NULL, 0, 1 * MIB); // less than half: not for this one
    assert_int_equal(spare.count, keeps() ? 1 : 0);
    allocator.reallocate(allocator.user, again, 1 * MIB, 0);
    again = allocator.reallocate(allocator.user, NULL, 0, 3 * MIB);
    assert_non_null(again);
    memset(again, 7, 3 * MIB);
    again = allocator.reallocate(allocator.user, again, 3 * MIB, 5 * MIB);
    assert_int_equal(again[3 * MIB - 1], 7);
    allocator.reallocate(allocator.user, again, 5 * MIB, 0);
    lt_spare_blocks_deinit(&spare);
}

static void test_what_is_kept_has_a_bound(void **state) {
    (void)state;
    lt_spare_blocks spare;
    lt_spare_blocks_init(&spare);
    const leat_allocator allocator = lt_spare_blocks_allocator(&spare);
    void                *blocks[40];
    for (int i = 0; i < 40; i++)
        blocks[i] = allocator.reallocate(allocator.user, NULL, 0, (size_t)(i + 1) * 512 * 1024);
    for (int i = 0; i < 40; i++) {
        allocator.reallocate(allocator.user, blocks[i], (size_t)(i + 1) * 512 * 1024, 0);
        assert_true(spare.count <= LT_SPARE_COUNT_MAX);
        assert_true(spare.bytes <= LT_SPARE_BYTES_MAX);
        assert_int_equal(spare.bytes, bytes_of_items(&spare));
    }
    lt_spare_blocks_deinit(&spare);
}

static void *churn(void *user) {
    const leat_allocator allocator = lt_spare_blocks_allocator(user);
    for (size_t i = 0; i < 300; i++) {
        const size_t bytes  = LT_SPARE_BLOCK_BYTES_MIN + i % 7 * 100000;
        char        *memory = allocator.reallocate(allocator.user, NULL, 0, bytes);
        if (memory == NULL) return user;
        memory[0] = memory[bytes - 1] = (char)i;
        allocator.reallocate(allocator.user, memory, bytes, 0);
    }
    return NULL;
}

static void test_threads_may_share_them(void **state) {
    (void)state;
    lt_spare_blocks spare;
    lt_spare_blocks_init(&spare);
    pthread_t threads[4];
    void     *failed;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, churn, &spare), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    lt_spare_blocks_deinit(&spare);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_large_block_comes_again_and_a_small_one_passes),
        cmocka_unit_test(test_what_is_kept_has_a_bound),
        cmocka_unit_test(test_threads_may_share_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
