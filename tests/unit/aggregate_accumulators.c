// Accumulators: narrow totals give way to wide ones without a trace, whatever the values; saved totals load in either
// width; no weights are the same as weights of one; and rows of one group are folded as the same rows told one by one.
#include "base/aggregate.h"
#include "base/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 160, GROUPS = 4, ROUNDS = 60 };

static const lt_vector *const no_constants[3] = {NULL};

typedef struct fixture {
    lt_account    account;
    lt_arena      arena;
    lt_evaluation evaluation;
    uint64_t      random;
} fixture;

static uint64_t next_random(fixture *self) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->random;
}

static void fixture_init(fixture *self) {
    *self = (fixture){.random = 88172645463325252u};
    lt_account_init(&self->account, NULL, NULL, 0);
    lt_arena_init(&self->arena, &self->account);
}

static void fixture_deinit(fixture *self) {
    lt_arena_deinit(&self->arena);
    assert_int_equal(self->account.bytes, 0);
}

// Whether the row takes one argument of this type; its result type.
static bool takes(fixture *self, const lt_aggregate *row, const lt_type *type, const lt_type **out_type) {
    const lt_type   *types[1]     = {type};
    const lt_vector *constants[1] = {NULL};
    lt_place         places[1]    = {{0}};
    lt_resolution    resolution   = {
             .arena = &self->arena, .argument_count = 1, .types = types, .constants = constants, .places = places};
    *out_type = row->returns != LT_NO_KIND ? lt_type_of(row->returns) : NULL;
    if (row->resolve == NULL || row->takes[1] != 0) return false;
    if (row->resolve(&resolution, NULL) != LEAT_OK || types[0] != type) return false;
    *out_type = resolution.result;
    return true;
}

// Mostly small values, some at the ends of the type.
static void fill(fixture *self, lt_vector *column, const lt_type *type, bool has_ends) {
    assert_int_equal(lt_vector_init(column, type, ROWS, &self->arena, NULL), LEAT_OK);
    column->lanes = ROWS;
    for (uint32_t i = 0; i < ROWS; i++) {
        int64_t small  = (int64_t)(next_random(self) % 2001) - 1000;
        bool    is_end = has_ends && next_random(self) % 6 == 0, is_low = next_random(self) % 2 == 0;
        switch (type->kind) {
        case LT_TINYINT:
            LT_LANES(column, int8_t)[i] = (int8_t)(is_end ? (is_low ? INT8_MIN : INT8_MAX) : small % 100);
            break;
        case LT_SMALLINT:
            LT_LANES(column, int16_t)[i] = (int16_t)(is_end ? (is_low ? INT16_MIN : INT16_MAX) : small);
            break;
        case LT_INT:
        case LT_INTERVAL_YEAR_MONTH:
            LT_LANES(column, int32_t)[i] = is_end ? (is_low ? INT32_MIN : INT32_MAX) : (int32_t)small;
            break;
        case LT_BIGINT:
        case LT_INTERVAL_DAY_TIME:
            LT_LANES(column, int64_t)[i] = is_end ? (is_low ? INT64_MIN : INT64_MAX) : small;
            break;
        case LT_DECIMAL: {
            lt_int128 ten_to_37 = (lt_int128)INT64_C(10000000000000000) * INT64_C(1000000000000000000) * 1000;
            LT_LANES(column, lt_int128)[i] = is_end ? (is_low ? -9 : 9) * ten_to_37 : small * INT64_C(100000000000);
            break;
        }
        case LT_DOUBLE:
            LT_LANES(column, double)[i] = (double)small / 7;
            break;
        case LT_FLOAT:
            LT_LANES(column, float)[i] = (float)small / 7;
            break;
        case LT_BOOLEAN:
            LT_LANES(column, uint8_t)[i] = small > 0;
            break;
        default: {
            static const char *const words[] = {"", "a", "b", "a text of more than twelve bytes"};
            const char              *word    = words[next_random(self) % 4];
            LT_LANES(column, lt_string)[i]   = lt_string_view(word, strlen(word));
            break;
        }
        }
    }
}

typedef struct finished {
    lt_vector values;
    uint8_t   is_null[GROUPS], failed[GROUPS];
} finished;

static void finish(fixture *self, const lt_aggregate *row, const void *accumulators, const lt_type *argument,
                   const lt_type *type, finished *out) {
    static const uint32_t groups[GROUPS] = {0, 1, 2, 3};
    *out                                 = (finished){0};
    assert_int_equal(lt_vector_init(&out->values, type, GROUPS, &self->arena, NULL), LEAT_OK);
    lt_aggregate_results results = {.aggregate      = row,
                                    .group_index    = groups,
                                    .count          = GROUPS,
                                    .values         = out->values.values,
                                    .is_null        = out->is_null,
                                    .failed         = out->failed,
                                    .into           = &out->values,
                                    .arena          = &self->arena,
                                    .argument_types = &argument,
                                    .constants      = no_constants,
                                    .argument_count = 1,
                                    .result_type    = type,
                                    .memory         = &self->account,
                                    .evaluation     = &self->evaluation};
    assert_int_equal(row->finish(accumulators, &results, NULL), LEAT_OK);
    out->values.lanes = GROUPS;
}

static void finished_equal(const finished *a, const finished *b) {
    for (uint32_t g = 0; g < GROUPS; g++) {
        assert_int_equal(a->is_null[g], b->is_null[g]);
        assert_int_equal(a->failed[g], b->failed[g]);
        if (!a->is_null[g] && !a->failed[g]) assert_int_equal(lt_vector_compare(&a->values, g, &b->values, g), 0);
    }
}

// Accumulators as an operator holds them: they change their row when they must.
typedef struct holder {
    const lt_aggregate *row;
    char               *accumulators;
    bool                has_widened;
} holder;

static void holder_init(holder *self, const lt_aggregate *row) {
    *self = (holder){.row = row, .accumulators = calloc(GROUPS, row->accumulator_bytes)};
    assert_non_null(self->accumulators);
}

static void holder_widen(holder *self) {
    assert_non_null(self->row->wider);
    char *wide = calloc(GROUPS, self->row->wider->accumulator_bytes);
    self->row->widen(wide, self->accumulators, GROUPS);
    free(self->accumulators);
    self->accumulators = wide;
    self->row          = self->row->wider;
    self->has_widened  = true;
}

static void holder_update(holder *self, const lt_aggregate_rows *rows) {
    size_t      bytes  = GROUPS * self->row->accumulator_bytes;
    char       *before = malloc(bytes);
    leat_status status;
    memcpy(before, self->accumulators, bytes);
    status = self->row->update(self->accumulators, rows, NULL);
    if (status == LEAT_DONE) {
        assert_memory_equal(self->accumulators, before, bytes); // nothing has changed
        holder_widen(self);
        status = self->row->update(self->accumulators, rows, NULL);
    }
    assert_int_equal(status, LEAT_OK);
    free(before);
}

// Each total as saved, loaded into rows of either width.
static void saves_load_in_either_width(fixture *self, const holder *from, const lt_aggregate *narrow,
                                       const lt_type *argument, const lt_type *type, const finished *expected) {
    for (int begins_wide = 0; begins_wide < 2; begins_wide++) {
        holder into;
        holder_init(&into, begins_wide ? narrow->wider : narrow);
        for (uint32_t g = 0; g < GROUPS; g++) {
            const char *saved  = from->accumulators + from->row->accumulator_bytes * g;
            lt_reader   reader = {.next = saved, .end = saved + from->row->accumulator_bytes};
            leat_status status =
                into.row->load(into.accumulators + into.row->accumulator_bytes * g, &reader, &self->account, NULL);
            if (status == LEAT_DONE) {
                holder_widen(&into);
                reader.next = saved;
                status =
                    into.row->load(into.accumulators + into.row->accumulator_bytes * g, &reader, &self->account, NULL);
            }
            assert_int_equal(status, LEAT_OK);
            assert_ptr_equal(reader.next, reader.end);
        }
        finished loaded;
        finish(self, into.row, into.accumulators, argument, type, &loaded);
        finished_equal(&loaded, expected);
        char      rest[8] = {0};
        lt_reader torn    = {.next = rest, .end = rest + sizeof rest};
        assert_int_equal(into.row->load(into.accumulators, &torn, &self->account, NULL), LEAT_CORRUPT);
        free(into.accumulators);
    }
}

static void check_narrow(fixture *self, const lt_aggregate *row, const lt_type *argument, const lt_type *type) {
    uint32_t widened = 0;
    for (int round = 0; round < ROUNDS; round++) {
        holder narrow, wide;
        holder_init(&narrow, row);
        holder_init(&wide, lt_aggregate_widest(row));
        for (int chunk = 0; chunk < 6; chunk++) {
            lt_vector        column;
            const lt_vector *arguments[1] = {&column};
            uint32_t         groups[ROWS];
            int64_t          weights[ROWS];
            fill(self, &column, argument, round % 3 != 0);
            for (uint32_t i = 0; i < ROWS; i++) {
                groups[i]  = (uint32_t)(next_random(self) % GROUPS);
                weights[i] = (int64_t)(next_random(self) % 7) - 3;
                if (weights[i] == 0) weights[i] = round % 5 == 0 ? INT64_C(4000000000) : 1;
            }
            lt_aggregate_rows rows = {.aggregate      = row,
                                      .arguments      = arguments,
                                      .values         = column.values,
                                      .argument_count = 1,
                                      .group_index    = groups,
                                      .weight         = round % 2 == 0 ? NULL : weights,
                                      .count          = ROWS,
                                      .memory         = &self->account,
                                      .result_type    = type,
                                      .evaluation     = &self->evaluation};
            holder_update(&narrow, &rows);
            holder_update(&wide, &rows);
            finished a, b;
            finish(self, narrow.row, narrow.accumulators, argument, type, &a);
            finish(self, wide.row, wide.accumulators, argument, type, &b);
            finished_equal(&a, &b);
            saves_load_in_either_width(self, &narrow, row, argument, type, &b);
            saves_load_in_either_width(self, &wide, row, argument, type, &b);
        }
        widened += narrow.has_widened;
        free(narrow.accumulators);
        free(wide.accumulators);
        lt_arena_reset(&self->arena);
    }
    assert_true(widened < ROUNDS);
    if (argument->kind == LT_BIGINT || argument->kind == LT_DECIMAL) assert_true(widened > 0);
}

static const lt_type *const *argument_types(fixture *self) {
    static const lt_type *types[12];
    types[0]  = lt_type_of(LT_TINYINT);
    types[1]  = lt_type_of(LT_SMALLINT);
    types[2]  = lt_type_of(LT_INT);
    types[3]  = lt_type_of(LT_BIGINT);
    types[4]  = lt_type_of(LT_INTERVAL_YEAR_MONTH);
    types[5]  = lt_type_of(LT_INTERVAL_DAY_TIME);
    types[6]  = lt_type_of(LT_DOUBLE);
    types[7]  = lt_type_of(LT_FLOAT);
    types[8]  = lt_type_of(LT_STRING);
    types[9]  = lt_type_of(LT_BOOLEAN);
    types[10] = lt_type_decimal(&self->arena, 38, 2);
    types[11] = NULL;
    return types;
}

static void narrow_totals_are_exact(void **unused) {
    (void)unused;
    uint32_t checked = 0;
    fixture  self;
    for (const lt_aggregate *const *array = lt_aggregate_registry; *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++) {
            if (row->wider == NULL) continue;
            fixture_init(&self);
            lt_arena types;
            lt_arena_init(&types, &self.account);
            const lt_type *decimal = lt_type_decimal(&types, 38, 2), *type;
            for (uint32_t t = 0; argument_types(&self)[t] != NULL; t++) {
                const lt_type *argument = argument_types(&self)[t];
                if (argument->kind == LT_DECIMAL) argument = decimal;
                if (!takes(&self, row, argument, &type)) continue;
                lt_type kept = *type; // of an arena that rounds reset
                check_narrow(&self, row, argument, &kept);
                checked++;
            }
            lt_arena_deinit(&types);
            fixture_deinit(&self);
        }
    assert_true(checked >= 30);
}

static void no_weights_are_ones(void **unused) {
    (void)unused;
    uint32_t checked = 0;
    fixture  self;
    fixture_init(&self);
    for (const lt_aggregate *const *array = lt_aggregate_registry; *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++) {
            if (row->state_bytes > 0 || row->open != NULL || row->is_window_only || row->update == NULL) continue;
            for (uint32_t t = 0; argument_types(&self)[t] != NULL; t++) {
                const lt_type *argument = argument_types(&self)[t], *type;
                if (!takes(&self, row, argument, &type)) continue;
                lt_vector        column;
                const lt_vector *arguments[1] = {&column};
                uint32_t         groups[ROWS];
                int64_t          ones[ROWS], places[ROWS];
                char            *accumulators[2];
                finished         results[2];
                fill(&self, &column, argument, false);
                for (uint32_t i = 0; i < ROWS; i++) {
                    groups[i] = (uint32_t)(next_random(&self) % GROUPS);
                    ones[i]   = 1;
                    places[i] = i;
                }
                for (int with = 0; with < 2; with++) {
                    accumulators[with]     = calloc(GROUPS, row->accumulator_bytes + 1);
                    lt_aggregate_rows rows = {.aggregate      = row,
                                              .arguments      = arguments,
                                              .values         = column.values,
                                              .argument_count = 1,
                                              .group_index    = groups,
                                              .weight         = with ? ones : NULL,
                                              .place          = row->needs_place || row->has_memory ? places : NULL,
                                              .count          = ROWS,
                                              .constants      = no_constants,
                                              .memory         = &self.account,
                                              .result_type    = type,
                                              .evaluation     = &self.evaluation};
                    assert_int_equal(row->update(accumulators[with], &rows, NULL), LEAT_OK);
                    finish(&self, row, accumulators[with], argument, type, &results[with]);
                }
                finished_equal(&results[0], &results[1]);
                for (int with = 0; with < 2; with++) {
                    for (uint32_t g = 0; g < GROUPS && row->close != NULL; g++)
                        row->close(accumulators[with] + row->accumulator_bytes * g, &self.account);
                    free(accumulators[with]);
                }
                checked++;
            }
        }
    assert_true(checked >= 60);
    fixture_deinit(&self);
}

// What a kernel does with rows of which it is told that they are of one group, it does without being told.
static void one_group_is_like_any(void **unused) {
    (void)unused;
    uint32_t checked = 0, widened = 0;
    fixture  self;
    for (const lt_aggregate *const *array = lt_aggregate_registry; *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++) {
            if (row->state_bytes > 0 || row->open != NULL || row->is_window_only || row->update == NULL) continue;
            fixture_init(&self);
            lt_arena types;
            lt_arena_init(&types, &self.account);
            const lt_type *decimal = lt_type_decimal(&types, 38, 2), *type;
            for (uint32_t t = 0; argument_types(&self)[t] != NULL; t++) {
                const lt_type *argument = argument_types(&self)[t];
                if (argument->kind == LT_DECIMAL) argument = decimal;
                if (!takes(&self, row, argument, &type)) continue;
                for (int round = 0; round < ROUNDS; round++) {
                    holder holders[2];
                    assert_true(takes(&self, row, argument, &type)); // again, since rounds reset the arena
                    for (int told = 0; told < 2; told++) holder_init(&holders[told], row);
                    for (int chunk = 0; chunk < 5; chunk++) {
                        const uint32_t   group = (uint32_t)(next_random(&self) % GROUPS);
                        const size_t     count = 1 + next_random(&self) % ROWS;
                        lt_vector        column;
                        const lt_vector *arguments[1] = {&column};
                        uint32_t         groups[ROWS];
                        int64_t          weights[ROWS], places[ROWS];
                        fill(&self, &column, argument, round % 3 != 0);
                        for (uint32_t i = 0; i < ROWS; i++) {
                            groups[i]  = group;
                            weights[i] = 1 + (int64_t)(next_random(&self) % 3);
                            places[i]  = chunk * ROWS + (int64_t)i;
                        }
                        for (int told = 0; told < 2; told++) {
                            lt_aggregate_rows rows = {.arguments      = arguments,
                                                      .values         = column.values,
                                                      .argument_count = 1,
                                                      .group_index    = groups,
                                                      .weight         = round % 4 == 1 ? weights : NULL,
                                                      .place = row->needs_place || row->has_memory ? places : NULL,
                                                      .count = count,
                                                      .is_one_group = told,
                                                      .constants    = no_constants,
                                                      .memory       = &self.account,
                                                      .result_type  = type,
                                                      .evaluation   = &self.evaluation};
                            rows.aggregate         = holders[told].row;
                            holder_update(&holders[told], &rows);
                        }
                    }
                    finished results[2];
                    for (int told = 0; told < 2; told++)
                        finish(&self, holders[told].row, holders[told].accumulators, argument, type, &results[told]);
                    finished_equal(&results[0], &results[1]);
                    widened += holders[1].has_widened;
                    for (int told = 0; told < 2; told++) {
                        const lt_aggregate *last = holders[told].row;
                        for (uint32_t g = 0; g < GROUPS && last->close != NULL; g++)
                            last->close(holders[told].accumulators + last->accumulator_bytes * g, &self.account);
                        free(holders[told].accumulators);
                    }
                    lt_arena_reset(&self.arena);
                }
                checked++;
            }
            lt_arena_deinit(&types);
            fixture_deinit(&self);
        }
    assert_true(checked >= 60);
    assert_true(widened > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(narrow_totals_are_exact), cmocka_unit_test(no_weights_are_ones),
                                       cmocka_unit_test(one_group_is_like_any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
