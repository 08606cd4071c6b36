// The row queue: rows come out as they went in, however they were cut, and none is seen of an append that was taken back.
#include "storage/row_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { ROWS = 3 * LT_CHUNK_ROWS_MAX };

typedef struct fixture {
    lt_account     account;
    lt_arena       arena;
    const lt_type *types[3];
    lt_row_queue   queue;
    uint64_t       random;
} fixture;

static int setup(void **state) {
    static fixture self;
    self = (fixture){.random = 1};
    lt_account_init(&self.account, NULL, NULL, 0);
    lt_arena_init(&self.arena, &self.account);
    self.types[0] = lt_type_of(LT_BIGINT);
    self.types[1] = lt_type_of(LT_STRING);
    self.types[2] = lt_type_array(&self.arena, lt_type_of(LT_INT));
    lt_row_queue_init(&self.queue, &self.account, self.types, 3);
    *state = &self;
    return self.types[2] == NULL;
}

static int teardown(void **state) {
    fixture *self = *state;
    lt_row_queue_deinit(&self->queue);
    lt_arena_deinit(&self->arena);
    return self->account.bytes != 0;
}

static uint32_t below(fixture *self, uint32_t bound) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return (uint32_t)((self->random >> 11) % bound);
}

// Row `n`: n or NULL, a short or a long text or NULL, n % 4 elements.
static void row_make(lt_chunk *chunk, uint64_t n, lt_arena *arena) {
    char         text[64];
    const size_t bytes =
        (size_t)snprintf(text, sizeof text, n % 2 == 0 ? "%llu" : "a longer text, number %llu", (unsigned long long)n);
    lt_vector *const elements = &chunk->columns[2].children[0];
    const uint32_t   row      = chunk->count++;
    for (uint32_t c = 0; c < 3; c++) {
        assert_int_equal(lt_vector_reserve(&chunk->columns[c], row + 1, arena, NULL), LEAT_OK);
        chunk->columns[c].lanes = row + 1;
        lt_vector_set_valid(&chunk->columns[c], row);
    }
    LT_LANES(&chunk->columns[0], int64_t)[row] = (int64_t)n;
    assert_int_equal(lt_string_copy(arena, text, bytes, &LT_LANES(&chunk->columns[1], lt_string)[row], NULL), LEAT_OK);
    LT_LANES(&chunk->columns[2], lt_list)[row] = (lt_list){.offset = elements->lanes, .count = (uint32_t)(n % 4)};
    for (uint64_t e = 0; e < n % 4; e++) {
        assert_int_equal(lt_vector_reserve(elements, elements->lanes + 1, arena, NULL), LEAT_OK);
        LT_LANES(elements, int32_t)[elements->lanes++] = (int32_t)(n + e);
    }
    if (n % 5 == 0) assert_int_equal(lt_vector_set_null(&chunk->columns[0], row, arena, NULL), LEAT_OK);
    if (n % 7 == 0) assert_int_equal(lt_vector_set_null(&chunk->columns[1], row, arena, NULL), LEAT_OK);
}

static lt_chunk rows_make(fixture *self, uint64_t first, uint32_t count, lt_arena *arena) {
    lt_chunk chunk;
    assert_int_equal(lt_chunk_init(&chunk, self->types, 3, 1, arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < count; i++) row_make(&chunk, first + i, arena);
    return chunk;
}

// The rows [first, end) of the queue are those of the same numbers.
static void expect_rows(fixture *self, uint64_t first, uint64_t end) {
    lt_arena arena;
    lt_arena_init(&arena, &self->account);
    while (first < end) {
        lt_chunk got, wanted;
        assert_int_equal(lt_row_queue_view(&self->queue, first, end, &arena, &got, NULL), LEAT_OK);
        wanted = rows_make(self, first, got.count, &arena);
        for (uint32_t row = 0; row < got.count; row++)
            for (uint32_t c = 0; c < 3; c++)
                assert_int_equal(lt_vector_compare(&got.columns[c], row, &wanted.columns[c], row), 0);
        first += got.count;
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
}

static void rows_come_out_as_they_went_in_however_they_were_cut(void **state) {
    fixture *self = *state;
    lt_arena arena;
    lt_arena_init(&arena, &self->account);
    while (self->queue.end_offset < ROWS) {
        const uint32_t sizes[] = {1, 15, 64, 777, LT_CHUNK_ROWS_MAX}, count = 1 + below(self, sizes[below(self, 5)]);
        lt_chunk       chunk = rows_make(self, self->queue.end_offset, count, &arena);
        assert_int_equal(lt_row_queue_append(&self->queue, &chunk, NULL), LEAT_OK);
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    expect_rows(self, 0, self->queue.end_offset);
    expect_rows(self, 5, LT_CHUNK_ROWS_MAX + 3);
}

static void what_was_taken_back_is_never_seen(void **state) {
    fixture *self = *state;
    lt_arena arena;
    lt_arena_init(&arena, &self->account);
    for (int round = 0; round < 40; round++) {
        const uint64_t end  = self->queue.end_offset;
        lt_chunk       lost = rows_make(self, end + 1000000, 1 + below(self, 900), &arena);
        assert_int_equal(lt_row_queue_append(&self->queue, &lost, NULL), LEAT_OK);
        lt_row_queue_truncate(&self->queue, end);
        lt_chunk kept = rows_make(self, end, 1 + below(self, 300), &arena);
        assert_int_equal(lt_row_queue_append(&self->queue, &kept, NULL), LEAT_OK);
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    expect_rows(self, 0, self->queue.end_offset);
}

static void segments_that_all_have_read_are_freed(void **state) {
    fixture *self = *state;
    lt_arena arena;
    lt_arena_init(&arena, &self->account);
    for (uint32_t first = 0; first < ROWS; first += 512) {
        lt_chunk chunk = rows_make(self, first, 512, &arena);
        assert_int_equal(lt_row_queue_append(&self->queue, &chunk, NULL), LEAT_OK);
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    lt_row_queue_trim(&self->queue, LT_CHUNK_ROWS_MAX + 1);
    assert_int_equal(self->queue.first_offset, LT_CHUNK_ROWS_MAX);
    expect_rows(self, LT_CHUNK_ROWS_MAX, ROWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_out_as_they_went_in_however_they_were_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_taken_back_is_never_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(segments_that_all_have_read_are_freed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
