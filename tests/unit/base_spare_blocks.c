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

// An account over spare blocks.
typedef struct holder {
    lt_account      account;
    lt_spare_blocks spare;
} holder;

static void holder_init(holder *self) {
    lt_spare_blocks_init(&self->spare, &self->account);
    const leat_allocator allocator = lt_spare_blocks_allocator(&self->spare);
    lt_account_init(&self->account, &allocator, NULL, 0);
}

static void test_a_large_block_comes_again_and_a_small_one_passes(void **state) {
    (void)state;
    holder self;
    holder_init(&self);
    char *large = lt_account_reallocate(&self.account, NULL, 0, 4 * MIB), *again;
    char *small = lt_account_reallocate(&self.account, NULL, 0, 1000);
    assert_non_null(large);
    large[4 * MIB - 1] = 1;
    assert_null(lt_account_reallocate(&self.account, large, 4 * MIB, 0));
    assert_null(lt_account_reallocate(&self.account, small, 1000, 0));
    assert_int_equal(self.spare.count, keeps() ? 1 : 0);
    again = lt_account_reallocate(&self.account, NULL, 0, 3 * MIB);
    assert_int_equal(self.spare.count, 0);
    assert_non_null(again);
    memset(again, 7, 3 * MIB);
    again = lt_account_reallocate(&self.account, again, 3 * MIB, 5 * MIB);
    assert_int_equal(again[3 * MIB - 1], 7);
    lt_account_reallocate(&self.account, again, 5 * MIB, 0);
    lt_spare_blocks_deinit(&self.spare);
}

// Blocks that grow, as those of a state do, and blocks of all sizes.
static void test_spare_and_used_are_never_more_than_the_peak(void **state) {
    (void)state;
    holder self;
    holder_init(&self);
    void    *blocks[24] = {NULL};
    size_t   sizes[24]  = {0};
    uint64_t random     = 1;
    for (int i = 0; i < 4000; i++) {
        random             = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const size_t at    = (random >> 33) % 24;
        const size_t bytes = (random >> 60) == 0 ? 0 : (size_t)1 << (12 + (random >> 40) % 12);
        blocks[at]         = lt_account_reallocate(&self.account, blocks[at], sizes[at], bytes);
        sizes[at]          = bytes;
        assert_true(bytes == 0 || blocks[at] != NULL);
        assert_true(self.spare.count <= LT_SPARE_COUNT_MAX);
        assert_int_equal(self.spare.bytes, bytes_of_items(&self.spare));
        assert_true(self.spare.bytes + self.account.bytes <= self.account.peak_bytes);
        assert_true(self.spare.bytes <= LT_SPARE_BYTES_MAX);
    }
    for (int i = 0; i < 24; i++) lt_account_reallocate(&self.account, blocks[i], sizes[i], 0);
    assert_int_equal(self.account.bytes, 0);
    lt_spare_blocks_deinit(&self.spare);
}

static void *churn(void *user) {
    lt_account *account = user;
    for (size_t i = 0; i < 300; i++) {
        const size_t bytes  = LT_SPARE_BLOCK_BYTES_MIN + i % 7 * 100000;
        char        *memory = lt_account_reallocate(account, NULL, 0, bytes);
        if (memory == NULL) return user;
        memory[0] = memory[bytes - 1] = (char)i;
        lt_account_reallocate(account, memory, bytes, 0);
    }
    return NULL;
}

static void test_threads_may_share_them(void **state) {
    (void)state;
    holder self;
    holder_init(&self);
    pthread_t threads[4];
    void     *failed;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, churn, &self.account), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    lt_spare_blocks_deinit(&self.spare);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_large_block_comes_again_and_a_small_one_passes),
        cmocka_unit_test(test_spare_and_used_are_never_more_than_the_peak),
        cmocka_unit_test(test_threads_may_share_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
