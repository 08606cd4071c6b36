// Segments and appending many rows at once, against rows that are copied one by one: random types, forms and NULLs.
#include "exec/state/segments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS = 3, DEPTH_MAX = 3, REFERENCE_ROWS_MAX = 12000 };

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static const lt_type *random_type(uint64_t *seed, uint32_t depth, lt_arena *arena) {
    static const lt_kind flat[] = {LT_BOOLEAN, LT_SMALLINT, LT_INT,     LT_BIGINT, LT_DOUBLE,
                                   LT_STRING,  LT_BINARY,   LT_DECIMAL, LT_VOID,   LT_INTERVAL_CALENDAR};
    uint32_t             what   = next_random(seed) % (depth < DEPTH_MAX ? 6 : 3);
    if (what < 3) return lt_type_of(flat[next_random(seed) % (sizeof flat / sizeof *flat)]);
    const lt_type *first = random_type(seed, depth + 1, arena), *second = random_type(seed, depth + 1, arena);
    if (what == 3) return lt_type_array(arena, first);
    if (what == 4) return lt_type_map(arena, first, second);
    lt_field fields[] = {{.name = "a", .type = first}, {.name = "b", .type = second}};
    return lt_type_struct(arena, fields, 2);
}

// `null_one_in` 0: no NULLs.
static void append_random(lt_vector *into, uint64_t *seed, uint32_t null_one_in, lt_arena *arena) {
    if (into->type->kind == LT_VOID || (null_one_in > 0 && next_random(seed) % null_one_in == 0)) {
        assert_int_equal(lt_vector_append_null(into, arena, NULL), LEAT_OK);
        return;
    }
    assert_int_equal(lt_vector_reserve(into, into->lanes + 1, arena, NULL), LEAT_OK);
    uint32_t lane = into->lanes++;
    lt_vector_set_valid(into, lane);
    if (lt_kind_is_bytes(into->type->kind)) {
        char text[48];
        for (uint32_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + next_random(seed) % 26);
        assert_int_equal(
            lt_string_copy(arena, text, next_random(seed) % sizeof text, &LT_LANES(into, lt_string)[lane], NULL),
            LEAT_OK);
    } else if (into->type->kind == LT_STRUCT) {
        for (uint32_t i = 0; i < into->child_count; i++) append_random(&into->children[i], seed, null_one_in, arena);
    } else if (into->type->kind == LT_ARRAY || into->type->kind == LT_MAP) {
        lt_list list = {.offset = into->children[0].lanes, .count = next_random(seed) % 4};
        for (uint32_t i = 0; i < list.count; i++)
            append_random(&into->children[0], seed, into->type->kind == LT_MAP ? 0 : null_one_in, arena);
        LT_LANES(into, lt_list)[lane] = list;
    } else {
        unsigned char *bytes = (unsigned char *)into->values + lane * lt_kind_lane_bytes(into->type->kind);
        for (size_t i = 0; i < lt_kind_lane_bytes(into->type->kind); i++)
            bytes[i] = into->type->kind == LT_BOOLEAN ? next_random(seed) & 1 : (unsigned char)next_random(seed);
    }
}

// `count` rows in a random form.
static void random_column(lt_vector *out, const lt_type *type, uint32_t count, uint64_t *seed, lt_arena *arena) {
    uint32_t form = next_random(seed) % 4, null_one_in = next_random(seed) % 3 * 7;
    uint32_t lanes = form == 0 ? 1 : form == 1 ? 1 + next_random(seed) % 50 : count;
    assert_int_equal(lt_vector_init(out, type, 0, arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < lanes; i++) append_random(out, seed, null_one_in, arena);
    if (form == 0) out->form = LT_CONSTANT;
    if (form != 1) return;
    lt_vector *dictionary = LT_NEW(arena, lt_vector);
    *dictionary           = *out;
    *out                  = (lt_vector){.type        = type,
                                        .form        = LT_DICTIONARY,
                                        .lanes       = count,
                                        .child_count = dictionary->child_count,
                                        .dictionary  = dictionary,
                                        .indices     = LT_NEW_ARRAY(arena, uint32_t, count)};
    for (uint32_t i = 0; i < count; i++) out->indices[i] = next_random(seed) % lanes;
}

static void assert_rows_equal(const lt_vector *a, uint32_t row_a, const lt_vector *b, uint32_t row_b, lt_buffer *one,
                              lt_buffer *other) {
    lt_buffer_reset(one);
    lt_buffer_reset(other);
    assert_int_equal(lt_row_encode(a, COLUMNS, row_a, false, one, NULL), LEAT_OK);
    assert_int_equal(lt_row_encode(b, COLUMNS, row_b, false, other, NULL), LEAT_OK);
    assert_int_equal(one->bytes, other->bytes);
    assert_memory_equal(one->data, other->data, one->bytes);
}

typedef struct rig {
    lt_account     account, model_account; // the first has a limit now and then
    lt_arena       arena, scratch;
    const lt_type *types[COLUMNS];
    lt_segments    segments;
    lt_vector      model[COLUMNS];
    uint32_t       model_rows;
    lt_buffer      one, other;
    uint64_t       seed;
} rig;

static void rig_init(rig *self, uint64_t seed) {
    *self = (rig){.seed = seed};
    lt_account_init(&self->account, NULL, NULL, 0);
    lt_account_init(&self->model_account, NULL, NULL, 0);
    lt_arena_init(&self->arena, &self->model_account);
    lt_arena_init(&self->scratch, &self->model_account);
    lt_buffer_init(&self->one, &self->model_account, 0);
    lt_buffer_init(&self->other, &self->model_account, 0);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        self->types[c] = random_type(&self->seed, 0, &self->arena);
        assert_int_equal(lt_vector_init(&self->model[c], self->types[c], 0, &self->arena, NULL), LEAT_OK);
    }
    lt_segments_init(&self->segments, self->types, COLUMNS, &self->account);
}

static void rig_deinit(rig *self) {
    lt_segments_deinit(&self->segments);
    assert_int_equal(self->account.bytes, 0);
    lt_buffer_deinit(&self->one);
    lt_buffer_deinit(&self->other);
    lt_arena_deinit(&self->arena);
    lt_arena_deinit(&self->scratch);
    assert_int_equal(self->model_account.bytes, 0);
}

static void model_append(rig *self, const lt_vector *columns, uint32_t row) {
    for (uint32_t c = 0; c < COLUMNS; c++)
        assert_int_equal(lt_vector_append_row(&self->model[c], &columns[c], row, &self->arena, NULL), LEAT_OK);
    self->model_rows++;
}

static uint32_t random_count(uint64_t *seed) {
    uint32_t odd[] = {1, 63, 64, 65, 130, 1000, LT_CHUNK_ROWS_MAX - 1, LT_CHUNK_ROWS_MAX};
    return next_random(seed) % 2 == 0 ? odd[next_random(seed) % 8] : 1 + next_random(seed) % 300;
}

static void random_chunk(rig *self, uint32_t count, lt_chunk *out) {
    lt_vector *columns = LT_NEW_ARRAY(&self->scratch, lt_vector, COLUMNS);
    *out               = (lt_chunk){.columns = columns, .column_count = COLUMNS, .count = count};
    for (uint32_t c = 0; c < COLUMNS; c++)
        random_column(&columns[c], self->types[c], count, &self->seed, &self->scratch);
}

static void check_all(rig *self) {
    assert_int_equal(self->segments.row_count, self->model_rows);
    for (uint64_t row = 0; row < self->segments.row_count;) { // as a scan reads
        lt_chunk view;
        assert_int_equal(
            lt_segments_view(&self->segments, row, LT_CHUNK_ROWS_MAX, NULL, COLUMNS, &self->scratch, &view, NULL),
            LEAT_OK);
        assert_true(view.count > 0 && view.count <= LT_CHUNK_ROWS_MAX);
        for (uint32_t i = 0; i < view.count; i++)
            assert_rows_equal(view.columns, i, self->model, (uint32_t)row + i, &self->one, &self->other);
        row += view.count;
    }
    for (int i = 0; i < 20 && self->model_rows > 0; i++) { // from anywhere
        lt_chunk view;
        uint32_t row = next_random(&self->seed) % self->model_rows, at;
        assert_int_equal(lt_segments_view(&self->segments, row, 1 + next_random(&self->seed) % 200, NULL, COLUMNS,
                                          &self->scratch, &view, NULL),
                         LEAT_OK);
        at = next_random(&self->seed) % view.count;
        assert_rows_equal(view.columns, at, self->model, row + at, &self->one, &self->other);
    }
    lt_arena_reset(&self->scratch);
}

// Whatever the sizes of chunks and the forms of their columns, the rows are those that copying one by one gives.
static void rows_are_those_appended(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        rig self;
        rig_init(&self, seed);
        uint32_t rows_max = seed % 8 == 0 ? REFERENCE_ROWS_MAX : 1500;
        while (self.model_rows < rows_max) {
            lt_chunk chunk;
            uint32_t count = random_count(&self.seed), what = next_random(&self.seed) % 8;
            int64_t  weights[LT_CHUNK_ROWS_MAX];
            random_chunk(&self, count, &chunk);
            if (what == 0) { // encoded, several times
                lt_buffer_reset(&self.one);
                assert_int_equal(lt_row_encode(chunk.columns, COLUMNS, 0, false, &self.one, NULL), LEAT_OK);
                assert_int_equal(lt_segments_append_encoded(&self.segments, self.one.data, self.one.bytes, 2, NULL),
                                 LEAT_OK);
                model_append(&self, chunk.columns, 0);
                model_append(&self, chunk.columns, 0);
            } else {
                for (uint32_t i = 0; i < count; i++) weights[i] = what == 1 ? next_random(&self.seed) % 3 : 1;
                if (what < 4) chunk.weights = weights;
                assert_int_equal(lt_segments_append(&self.segments, &chunk, NULL), LEAT_OK);
                for (uint32_t i = 0; i < count; i++)
                    for (int64_t copy = 0; copy < weights[i]; copy++) model_append(&self, chunk.columns, i);
            }
            lt_arena_reset(&self.scratch);
        }
        check_all(&self);
        rig_deinit(&self);
    }
}

// An append that finds no memory leaves the rows as they were, and the next one goes on behind them.
static void failed_appends_change_nothing(void **unused) {
    (void)unused;
    for (uint64_t seed = 100; seed <= 120; seed++) {
        rig      self;
        uint32_t failures = 0;
        rig_init(&self, seed);
        for (int step = 0; step < 60; step++) {
            lt_chunk chunk;
            uint32_t count = 1 + next_random(&self.seed) % 200;
            random_chunk(&self, count, &chunk);
            self.account.bytes_max = self.account.bytes + 1 + next_random(&self.seed) % 8000;
            leat_status status     = lt_segments_append(&self.segments, &chunk, NULL);
            self.account.bytes_max = 0;
            failures += status != LEAT_OK;
            assert_true(status == LEAT_OK || status == LEAT_NO_MEMORY);
            if (status != LEAT_OK && step % 2 == 0) continue;
            if (status != LEAT_OK) assert_int_equal(lt_segments_append(&self.segments, &chunk, NULL), LEAT_OK);
            for (uint32_t i = 0; i < count; i++) model_append(&self, chunk.columns, i);
            lt_arena_reset(&self.scratch);
        }
        check_all(&self);
        assert_true(failures > 0);
        rig_deinit(&self);
    }
}

static void numbers_append(lt_segments *segments, int64_t *next, uint32_t count) {
    int64_t   lanes[LT_CHUNK_ROWS_MAX];
    lt_vector column = {
        .type = lt_type_of(LT_BIGINT), .form = LT_FLAT, .lanes = count, .capacity = count, .values = lanes};
    lt_chunk chunk = {.columns = &column, .column_count = 1, .count = count};
    for (uint32_t i = 0; i < count; i++) lanes[i] = (*next)++;
    assert_int_equal(lt_segments_append(segments, &chunk, NULL), LEAT_OK);
}

// Rows that are taken over stand behind those that were there, few or many; then appends and cuts go on.
static void rows_move_between_segments(void **unused) {
    (void)unused;
    static const uint32_t parts[] = {0, 1, 70, 2048, 5000, 70000, 3};
    const lt_type        *type    = lt_type_of(LT_BIGINT);
    lt_account            account;
    lt_arena              arena;
    lt_segments           segments, more;
    int64_t               next = 0;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_segments_init(&segments, &type, 1, &account);
    for (uint32_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        lt_segments_init(&more, &type, 1, &account);
        for (uint32_t left = parts[p]; left > 0;) {
            uint32_t part = left < 1999 ? left : 1999;
            numbers_append(&more, &next, part);
            left -= part;
        }
        assert_int_equal(lt_segments_take(&segments, &more, NULL), LEAT_OK);
        assert_int_equal(more.row_count, 0);
        lt_segments_deinit(&more);
        numbers_append(&segments, &next, 10);
        assert_int_equal(segments.row_count, next);
        if (p % 2 == 1) lt_segments_truncate(&segments, (uint64_t)(next = next - 7));
    }
    for (uint64_t row = 0; row < segments.row_count;) {
        lt_chunk view;
        assert_int_equal(lt_segments_view(&segments, row, LT_CHUNK_ROWS_MAX, NULL, 1, &arena, &view, NULL), LEAT_OK);
        for (uint32_t i = 0; i < view.count; i++)
            assert_int_equal(LT_LANES(&view.columns[0], int64_t)[i], (int64_t)row + i);
        row += view.count;
        lt_arena_reset(&arena);
    }
    lt_segments_truncate(&segments, 0);
    numbers_append(&segments, &(int64_t){0}, 5);
    assert_int_equal(lt_segments_find(&segments, 4)->first_row, 0);
    lt_segments_deinit(&segments);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

// Views of the same bytes stay equal to what they were, side by side and by turns, also of different lengths.
static void texts_come_by_turns(void **unused) {
    (void)unused;
    enum { ROWS = 1500 };
    static const uint32_t periods[] = {1, 2, 3, 225, 700, ROWS};
    lt_account            account;
    lt_arena              arena, kept;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_arena_init(&kept, &account);
    char *bytes = lt_arena_alloc(&arena, ROWS + 64);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < ROWS + 64; i++) bytes[i] = (char)('a' + i * i % 26);
    for (uint32_t p = 0; p < sizeof periods / sizeof *periods; p++) {
        lt_vector from, into;
        assert_int_equal(lt_vector_init(&from, lt_type_of(LT_STRING), ROWS, &arena, NULL), LEAT_OK);
        assert_int_equal(lt_vector_init(&into, lt_type_of(LT_STRING), 0, &kept, NULL), LEAT_OK);
        for (uint32_t i = 0; i < ROWS; i++)
            LT_LANES(&from, lt_string)[i] = lt_string_view(bytes + i % periods[p] / 2, 5 + i % periods[p] % 3 * 20);
        from.lanes                 = ROWS;
        const lt_string *source    = LT_LANES(&from, const lt_string);
        const size_t     had_bytes = kept.used_bytes;
        assert_int_equal(lt_vector_append_range(&into, &from, 0, ROWS, &kept, NULL), LEAT_OK);
        for (uint32_t i = 0; i < ROWS; i++) {
            const lt_string *copy = &LT_LANES(&into, const lt_string)[i];
            assert_true(lt_string_equal(copy, &source[i]));
            if (copy->bytes > LT_STRING_INLINE_MAX) assert_ptr_not_equal(copy->as.data, source[i].as.data);
        }
        if (periods[p] <= 225) assert_true(kept.used_bytes - had_bytes < sizeof(lt_string) * ROWS * 2 + 225 * 45);
    }
    lt_arena_deinit(&arena);
    lt_arena_deinit(&kept);
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_appended),
        cmocka_unit_test(failed_appends_change_nothing),
        cmocka_unit_test(rows_move_between_segments),
        cmocka_unit_test(texts_come_by_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
