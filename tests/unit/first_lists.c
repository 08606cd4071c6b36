// First rows of partitions against all rows sorted: after every chunk the lists hold what stands in front, whatever was
// thrown away before.
#include "exec/window/first_lists.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { GROUPS = 40, CHUNK_ROWS = 300, CHUNKS = 120, BATCH_CHUNKS = 7, ROWS = CHUNK_ROWS * CHUNKS };

typedef struct row {
    uint32_t group;
    int64_t  number, place, id;
    bool     is_null;
    char     name[24];
} row;

typedef struct list_form {
    uint32_t wanted;
    bool     has_ties, has_names, is_descending, is_nulls_first, grows_better;
} list_form;

static const list_form *now; // of the comparison

static uint32_t random_below(uint64_t *seed, uint32_t bound) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % bound);
}

static int key_compare(const row *a, const row *b) {
    if (now->has_names && strcmp(a->name, b->name) != 0) return strcmp(a->name, b->name);
    if (a->is_null != b->is_null) return a->is_null == now->is_nulls_first ? -1 : 1;
    if (a->is_null || a->number == b->number) return 0;
    return (a->number < b->number) != now->is_descending ? -1 : 1;
}

static int row_compare(const void *a, const void *b) {
    const row *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    const int key = key_compare(x, y);
    if (key != 0) return key;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

static void row_fill(row *out, uint32_t id, const list_form *form, uint64_t *seed) {
    static const char *const tails[] = {"", "a", "bb", "longer than one lane", "longer than one lanE"};
    *out                             = (row){.id     = id,
                                             .group  = random_below(seed, GROUPS),
                                             .number = form->grows_better ? id / 2 : random_below(seed, 60),
                                             .place  = id / 3 + random_below(seed, 4)};
    out->is_null                     = random_below(seed, 9) == 0;
    if (out->is_null) out->number = 0;
    strcpy(out->name, tails[random_below(seed, 5)]);
}

static void chunk_fill(lt_chunk *chunk, const row *rows, lt_arena *arena) {
    for (uint32_t i = 0; i < CHUNK_ROWS; i++) {
        LT_LANES(&chunk->columns[0], int64_t)[i] = rows[i].number;
        if (rows[i].is_null) assert_int_equal(lt_vector_set_null(&chunk->columns[0], i, arena, NULL), LEAT_OK);
        LT_LANES(&chunk->columns[1], lt_string)[i] = lt_string_view(rows[i].name, strlen(rows[i].name));
        LT_LANES(&chunk->columns[2], int64_t)[i]   = rows[i].id;
    }
    for (uint32_t c = 0; c < 3; c++) chunk->columns[c].lanes = CHUNK_ROWS;
    chunk->count = CHUNK_ROWS;
}

static void expect_lists(const lt_first_lists *lists, const row *rows, uint32_t count, const list_form *form) {
    static row sorted[ROWS];
    uint32_t   at = 0;
    memcpy(sorted, rows, sizeof *rows * count);
    qsort(sorted, count, sizeof *sorted, row_compare);
    for (uint32_t group = 0; group < GROUPS; group++) {
        const lt_first_list *list = &lists->lists[group];
        uint32_t             all  = 0, wanted;
        while (at + all < count && sorted[at + all].group == group) all++;
        wanted = all < form->wanted ? all : form->wanted;
        while (form->has_ties && wanted > 0 && wanted < all &&
               key_compare(&sorted[at + wanted - 1], &sorted[at + wanted]) == 0)
            wanted++;
        assert_int_equal(list->count, wanted);
        assert_int_equal(list->pending, 0);
        for (uint32_t i = 0; i < wanted; i++) {
            const lt_first_entry *entry = lt_first_lists_at(lists, group) + i;
            const row            *other = &sorted[at + i];
            const lt_string      *name  = &LT_LANES(&lists->rows.columns[1], const lt_string)[entry->row];
            assert_int_equal(LT_LANES(&lists->rows.columns[2], const int64_t)[entry->row], other->id);
            assert_int_equal(entry->place, other->place);
            assert_int_equal(lt_vector_is_null(&lists->rows.columns[0], entry->row), other->is_null);
            assert_int_equal(name->bytes, strlen(other->name));
            assert_memory_equal(lt_string_data(name), other->name, name->bytes);
            if (i > 0)
                assert_int_equal(lt_first_lists_are_peers(lists, entry - 1, entry),
                                 key_compare(&sorted[at + i - 1], other) == 0);
        }
        at += all;
    }
}

static void form_holds(const list_form *form, uint64_t seed) {
    static row          rows[ROWS];
    const lt_type      *types[]   = {lt_type_of(LT_BIGINT), lt_type_of(LT_STRING), lt_type_of(LT_BIGINT)};
    const lt_expression number    = {.kind = LT_EXPRESSION_COLUMN, .type = types[0]};
    const lt_expression name      = {.kind = LT_EXPRESSION_COLUMN, .type = types[1]};
    const lt_sort_key   by_number = {
          .expression = &number, .is_descending = form->is_descending, .is_nulls_first = form->is_nulls_first};
    const lt_sort_key  by_names[] = {{.expression = &name}, by_number};
    const lt_first_use use        = {.types       = types,
                                     .width       = 3,
                                     .order       = form->has_names ? by_names : &by_number,
                                     .order_count = form->has_names ? 2 : 1,
                                     .wanted      = form->wanted,
                                     .has_ties    = form->has_ties};
    lt_first_lists     lists;
    lt_account         account;
    lt_arena           arena;
    now = form;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    assert_int_equal(lt_first_lists_init(&lists, &use, &account, NULL), LEAT_OK);
    assert_int_equal(lt_first_lists_reserve(&lists, GROUPS, NULL), LEAT_OK);
    for (uint32_t c = 0; c < CHUNKS; c++) {
        row          *first = &rows[(size_t)c * CHUNK_ROWS];
        uint32_t      groups[CHUNK_ROWS];
        int64_t       places[CHUNK_ROWS];
        lt_chunk      chunk;
        lt_first_keys keys;
        assert_int_equal(lt_chunk_init(&chunk, types, 3, CHUNK_ROWS, &arena, NULL), LEAT_OK);
        for (uint32_t i = 0; i < CHUNK_ROWS; i++) {
            row_fill(&first[i], c * CHUNK_ROWS + i, form, &seed);
            groups[i] = first[i].group;
            places[i] = first[i].place;
        }
        chunk_fill(&chunk, first, &arena);
        const lt_vector *order[] = {&chunk.columns[form->has_names ? 1 : 0], &chunk.columns[0]};
        assert_int_equal(lt_first_lists_keys(&lists, order, CHUNK_ROWS, &arena, &keys, NULL), LEAT_OK);
        assert_int_equal(lt_first_lists_add(&lists, &chunk, groups, places, &keys, NULL), LEAT_OK);
        assert_int_equal(lt_first_lists_compact(&lists, GROUPS, NULL), LEAT_OK);
        if (c % BATCH_CHUNKS == 0) assert_int_equal(lt_first_lists_settle(&lists, GROUPS, NULL), LEAT_OK);
        if (c % 5 == 0 || c == CHUNKS - 1) expect_lists(&lists, rows, (c + 1) * CHUNK_ROWS, form);
        lt_arena_reset(&arena);
    }
    assert_true(lists.rows.count < ROWS / 2); // the others were thrown away
    lt_first_lists_deinit(&lists);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

static void test_lists_hold_the_first_rows(void **state) {
    (void)state;
    static const list_form forms[] = {
        {.wanted = 1},
        {.wanted = 1, .is_descending = true, .grows_better = true},
        {.wanted = 3, .is_descending = true, .is_nulls_first = true, .grows_better = true},
        {.wanted = 10, .is_descending = true},
        {.wanted = 1, .has_ties = true, .is_descending = true, .grows_better = true},
        {.wanted = 4, .has_ties = true},
        {.wanted = 1, .has_names = true},
        {.wanted = 7, .has_names = true, .is_descending = true, .grows_better = true},
        {.wanted = 2, .has_names = true, .has_ties = true, .is_nulls_first = true},
        {.wanted = 64, .is_descending = true, .grows_better = true},
    };
    for (uint32_t i = 0; i < sizeof forms / sizeof forms[0]; i++) form_holds(&forms[i], i + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists_hold_the_first_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
