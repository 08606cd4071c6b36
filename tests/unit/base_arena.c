// Growth of arrays: all or none, whichever allocation fails, and the account and the allocator always hear true sizes.
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Keeps the size before each block, so that an old size that is not the block's own is seen.
typedef struct checked_memory {
    uint32_t calls_left; // until the one allocation that fails; UINT32_MAX: none does
    size_t   bytes;
} checked_memory;

static void *checked_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    checked_memory *self  = user;
    size_t         *block = memory == NULL ? NULL : (size_t *)memory - 2;
    assert_int_equal(block == NULL ? 0 : *block, old_bytes);
    if (new_bytes > 0 && self->calls_left != UINT32_MAX && self->calls_left-- == 0) return NULL;
    self->bytes = self->bytes - old_bytes + new_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, new_bytes + 2 * sizeof *block);
    assert_non_null(block);
    *block = new_bytes;
    return block + 2;
}

static void arrays_grow_together_or_not_at_all(void **unused) {
    (void)unused;
    for (uint32_t failing = 0; failing < 3; failing++) {
        checked_memory memory = {.calls_left = UINT32_MAX};
        lt_account     account;
        lt_account_init(&account, &(leat_allocator){checked_reallocate, &memory}, NULL, 0);
        lt_account_array arrays[] = {{NULL, 8}, {NULL, 1}, {NULL, 4}};
        assert_int_equal(lt_account_grow(&account, arrays, 3, 0, 16, NULL), LEAT_OK);
        for (size_t i = 0; i < 3; i++) memset(arrays[i].memory, (int)i + 1, arrays[i].item_bytes * 16);
        const lt_account_array before[] = {arrays[0], arrays[1], arrays[2]};

        memory.calls_left = failing;
        assert_int_equal(lt_account_grow(&account, arrays, 3, 16, 64, NULL), LEAT_NO_MEMORY);
        assert_memory_equal(arrays, before, sizeof before);
        assert_int_equal(account.bytes, 16 * (8 + 1 + 4));
        assert_int_equal(memory.bytes, account.bytes);

        memory.calls_left = UINT32_MAX;
        assert_int_equal(lt_account_grow(&account, arrays, 3, 16, 64, NULL), LEAT_OK);
        assert_int_equal(account.bytes, 64 * (8 + 1 + 4));
        for (size_t i = 0; i < 3; i++) {
            const unsigned char *bytes = arrays[i].memory;
            const size_t         old   = arrays[i].item_bytes * 16;
            for (size_t k = 0; k < arrays[i].item_bytes * 64; k++) assert_int_equal(bytes[k], k < old ? i + 1 : 0);
            lt_account_reallocate(&account, arrays[i].memory, arrays[i].item_bytes * 64, 0);
        }
        assert_int_equal(account.bytes, 0);
        assert_int_equal(memory.bytes, 0);
    }
}

static leat_status push(lt_account *account, uint32_t **items, uint32_t *count, uint32_t *capacity, leat_error *err) {
    LT_TRY_GROW(*items, account, *count, *capacity, 4, err);
    (*items)[*count] = *count;
    ++*count;
    return LEAT_OK;
}

static void a_full_array_doubles(void **unused) {
    (void)unused;
    checked_memory memory = {.calls_left = UINT32_MAX};
    lt_account     account;
    uint32_t      *items = NULL, count = 0, capacity = 0;
    lt_account_init(&account, &(leat_allocator){checked_reallocate, &memory}, NULL, 0);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(push(&account, &items, &count, &capacity, NULL), LEAT_OK);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(items[i], i);
    assert_int_equal(capacity, 128);
    assert_int_equal(account.bytes, 128 * sizeof *items);
    for (memory.calls_left = 0; count < capacity;)
        assert_int_equal(push(&account, &items, &count, &capacity, NULL), LEAT_OK); // has room, so asks for none
    assert_int_equal(push(&account, &items, &count, &capacity, NULL), LEAT_NO_MEMORY);
    assert_int_equal(count, 128);
    assert_int_equal(capacity, 128);
    lt_account_reallocate(&account, items, sizeof *items * capacity, 0);
    assert_int_equal(memory.bytes, 0);
}

static void an_arena_copies_into_more(void **unused) {
    (void)unused;
    lt_account account;
    lt_arena   arena;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    char *some = lt_arena_larger(&arena, NULL, 0, 4);
    memcpy(some, "abcd", 4);
    assert_memory_equal(lt_arena_larger(&arena, some, 4, 8), "abcd\0\0\0\0", 8);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_grow_together_or_not_at_all),
        cmocka_unit_test(a_full_array_doubles),
        cmocka_unit_test(an_arena_copies_into_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
