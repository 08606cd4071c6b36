// Every aggregate gives the same after rows came and went as if only the rows that stayed had come; and its state can
// be saved and loaded in between.
#include "base/aggregate.h"
#include "base/lanes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 60, GROUPS = 3 };

typedef struct fixture {
    lt_account    account;
    lt_arena      arena; // of one round
    lt_arena      types;
    lt_evaluation evaluation;
    uint64_t      random;
} fixture;

static uint64_t next_random(fixture *self) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->random;
}

// The row of `name` for arguments of these types, and its result type; the retracting one where it has one.
static const lt_aggregate *find(fixture *self, const char *name, const lt_type **types, uint32_t count,
                                const lt_type **out_type) {
    const lt_vector *constants[3] = {0};
    lt_place         places[3]    = {0};
    for (const lt_aggregate *const *array = lt_aggregate_registry; *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++) {
            if (strcmp(row->name, name) != 0) continue;
            lt_resolution resolution = {.arena          = &self->types,
                                        .argument_count = count,
                                        .types          = types,
                                        .constants      = constants,
                                        .places         = places};
            *out_type                = row->returns != LT_NO_KIND ? lt_type_of(row->returns) : NULL;
            if (row->resolve != NULL) {
                if (row->resolve(&resolution, NULL) != LEAT_OK) continue;
                *out_type = resolution.result;
            }
            return row->retraction != NULL ? row->retraction : row;
        }
    return NULL;
}

typedef struct input {
    lt_vector columns[2];
    uint32_t  column_count;
    uint32_t  groups[ROWS];
    int64_t   weights[ROWS], places[ROWS];
    uint32_t  rows[ROWS], count; // rows of the columns that this input has
} input;

static void feed(fixture *self, const lt_aggregate *aggregate, void *accumulators, const input *from) {
    lt_vector        compact[2];
    const lt_vector *arguments[2] = {&compact[0], &compact[1]};
    uint32_t         groups[ROWS], count = 0;
    int64_t          weights[ROWS], places[ROWS];
    for (uint32_t c = 0; c < from->column_count; c++)
        assert_int_equal(lt_vector_init(&compact[c], from->columns[c].type, 1, &self->arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < from->count; i++) {
        if (!aggregate->takes_nulls && lt_vector_is_null(&from->columns[0], from->rows[i])) continue;
        for (uint32_t c = 0; c < from->column_count; c++)
            assert_int_equal(lt_lane_append(&compact[c], &from->columns[c], from->rows[i], &self->arena, NULL),
                             LEAT_OK);
        groups[count]   = from->groups[i];
        weights[count]  = from->weights[i];
        places[count++] = from->places[i];
    }
    lt_aggregate_rows rows = {.aggregate      = aggregate,
                              .arguments      = arguments,
                              .values         = compact[0].values,
                              .argument_count = from->column_count,
                              .group_index    = groups,
                              .weight         = weights,
                              .place          = places,
                              .count          = count,
                              .memory         = &self->account,
                              .evaluation     = &self->evaluation};
    if (count > 0) assert_int_equal(aggregate->update(accumulators, &rows, NULL), LEAT_OK);
}

static void finish(fixture *self, const lt_aggregate *aggregate, const void *accumulators, const lt_type *type,
                   const lt_type *const *types, uint32_t type_count, lt_vector *out) {
    static const uint32_t groups[GROUPS]  = {0, 1, 2};
    uint8_t               is_null[GROUPS] = {0}, failed[GROUPS] = {0};
    assert_int_equal(lt_vector_init(out, type, GROUPS, &self->arena, NULL), LEAT_OK);
    lt_aggregate_results results = {.aggregate      = aggregate,
                                    .group_index    = groups,
                                    .count          = GROUPS,
                                    .values         = out->values,
                                    .is_null        = is_null,
                                    .failed         = failed,
                                    .into           = out,
                                    .arena          = &self->arena,
                                    .argument_types = types,
                                    .argument_count = type_count,
                                    .result_type    = type,
                                    .memory         = &self->account,
                                    .evaluation     = &self->evaluation};
    assert_int_equal(aggregate->finish(accumulators, &results, NULL), LEAT_OK);
    out->lanes = GROUPS;
    for (uint32_t g = 0; g < GROUPS; g++) {
        assert_int_equal(failed[g], 0);
        if (is_null[g]) assert_int_equal(lt_vector_set_null(out, g, &self->arena, NULL), LEAT_OK);
    }
}

static bool is_near(const lt_vector *a, const lt_vector *b, uint32_t row) {
    if (lt_vector_compare(a, row, b, row) == 0) return true;
    if (a->type->kind != LT_DOUBLE || lt_vector_is_null(a, row) || lt_vector_is_null(b, row)) return false;
    double x = LT_VALUE(a, double, row), y = LT_VALUE(b, double, row);
    return fabs(x - y) <= 1e-6 * (1 + fabs(x));
}

// Saves every accumulator and loads it into fresh memory.
static void save_and_load(fixture *self, const lt_aggregate *aggregate, char *accumulators) {
    for (uint32_t g = 0; g < GROUPS && aggregate->save != NULL; g++) {
        char     *accumulator = accumulators + aggregate->accumulator_bytes * g;
        lt_buffer bytes;
        lt_buffer_init(&bytes, &self->account, 0);
        assert_int_equal(aggregate->save(accumulator, &bytes, NULL), LEAT_OK);
        aggregate->close(accumulator, &self->account);
        memset(accumulator, 0, aggregate->accumulator_bytes);
        lt_reader reader = {.next = bytes.data, .end = bytes.data + bytes.bytes};
        assert_int_equal(aggregate->load(accumulator, &reader, &self->account, NULL), LEAT_OK);
        lt_buffer_deinit(&bytes);
    }
}

static void close_all(fixture *self, const lt_aggregate *aggregate, char *accumulators) {
    for (uint32_t g = 0; g < GROUPS && aggregate->close != NULL; g++)
        aggregate->close(accumulators + aggregate->accumulator_bytes * g, &self->account);
}

static void fill_column(fixture *self, lt_vector *column, const lt_type *type) {
    static const char *const words[] = {"", "a", "b", "a much longer text than twelve bytes", "zz"};
    assert_int_equal(lt_vector_init(column, type, ROWS, &self->arena, NULL), LEAT_OK);
    column->lanes = ROWS;
    for (uint32_t i = 0; i < ROWS; i++) {
        int64_t number = (int64_t)(next_random(self) % 11) - 5;
        switch (type->kind) {
        case LT_INT:
            LT_LANES(column, int32_t)[i] = (int32_t)number;
            break;
        case LT_BIGINT:
            LT_LANES(column, int64_t)[i] = number * 1000000007;
            break;
        case LT_DECIMAL:
            LT_LANES(column, lt_int128)[i] = number * 12345;
            break;
        case LT_DOUBLE:
            LT_LANES(column, double)[i] = (double)number * 0.1 + (number == 5 ? 1e15 : 0);
            break;
        case LT_BOOLEAN:
            LT_LANES(column, uint8_t)[i] = number > 0;
            break;
        default: {
            const char *word               = words[next_random(self) % 5];
            LT_LANES(column, lt_string)[i] = lt_string_view(word, strlen(word));
            break;
        }
        }
        if (next_random(self) % 7 == 0) assert_int_equal(lt_vector_set_null(column, i, &self->arena, NULL), LEAT_OK);
    }
}

// Some rows come with weight 1; some of these go again, in another order; the rest must decide.
static void check(fixture *self, const char *name, const lt_type *first, const lt_type *second) {
    const lt_type      *types[2]  = {first, second}, *type;
    uint32_t            count     = second == NULL ? 1 : 2;
    const lt_aggregate *aggregate = find(self, name, types, count, &type);
    assert_non_null(aggregate);
    for (int round = 0; round < 20; round++) {
        input     all = {.column_count = count, .count = ROWS}, gone = all, stay = all;
        bool      goes[ROWS];
        char     *a = calloc(GROUPS, aggregate->accumulator_bytes), *b = calloc(GROUPS, aggregate->accumulator_bytes);
        lt_vector with, without;
        for (uint32_t c = 0; c < count; c++) {
            fill_column(self, &all.columns[c], types[c]);
            gone.columns[c] = stay.columns[c] = all.columns[c];
        }
        gone.count = stay.count = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            all.rows[i]    = i;
            all.groups[i]  = (uint32_t)(next_random(self) % GROUPS);
            all.weights[i] = 1;
            all.places[i]  = i;
            goes[i]        = round == 0 || next_random(self) % 2 == 0; // in round 0 everything goes
        }
        // Of equal rows the earliest must go, as the operators take them away by value.
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t k = 0; k < i; k++) {
                bool is_equal = all.groups[i] == all.groups[k];
                for (uint32_t c = 0; c < count; c++)
                    is_equal &= lt_vector_compare(&all.columns[c], i, &all.columns[c], k) == 0;
                if (is_equal && goes[i] && !goes[k]) {
                    goes[k] = true;
                    goes[i] = false;
                    break;
                }
            }
        for (uint32_t i = 0; i < ROWS; i++) {
            input *into                  = goes[i] ? &gone : &stay;
            into->rows[into->count]      = i;
            into->groups[into->count]    = all.groups[i];
            into->places[into->count]    = i;
            into->weights[into->count++] = goes[i] ? -1 : 1;
        }
        feed(self, aggregate, a, &all);
        save_and_load(self, aggregate, a);
        feed(self, aggregate, a, &gone);
        save_and_load(self, aggregate, a);
        feed(self, aggregate, b, &stay);
        finish(self, aggregate, a, type, types, count, &with);
        finish(self, aggregate, b, type, types, count, &without);
        for (uint32_t g = 0; g < GROUPS; g++)
            if (!is_near(&with, &without, g)) fail_msg("%s differs in round %d, group %u", name, round, g);
        close_all(self, aggregate, a);
        close_all(self, aggregate, b);
        free(a);
        free(b);
        lt_arena_reset(&self->arena);
    }
}

static void check_all(fixture *self) {
    lt_type        decimal_type = {.kind = LT_DECIMAL, .precision = 12, .scale = 2};
    const lt_type *numbers[]    = {lt_type_of(LT_INT), lt_type_of(LT_BIGINT), &decimal_type, lt_type_of(LT_DOUBLE)};
    const char    *any[]        = {"count", "min", "max", "first", "last", "collect_list", "collect_set", "mode"};
    for (size_t t = 0; t < 4; t++) {
        for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) check(self, any[i], numbers[t], NULL);
        check(self, "sum", numbers[t], NULL);
        check(self, "avg", numbers[t], NULL);
        check(self, "max_by", lt_type_of(LT_STRING), numbers[t]);
    }
    for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) check(self, any[i], lt_type_of(LT_STRING), NULL);
    check(self, "bool_and", lt_type_of(LT_BOOLEAN), NULL);
    check(self, "bool_or", lt_type_of(LT_BOOLEAN), NULL);
    check(self, "bit_and", lt_type_of(LT_INT), NULL);
    check(self, "bit_or", lt_type_of(LT_BIGINT), NULL);
    check(self, "bit_xor", lt_type_of(LT_INT), NULL);
    check(self, "min_by", lt_type_of(LT_INT), lt_type_of(LT_STRING));
    check(self, "listagg", lt_type_of(LT_STRING), NULL);
}

static void aggregates_forget_what_left(void **state) {
    (void)state;
    fixture self = {.random = 88172645463325252u};
    lt_account_init(&self.account, NULL, NULL, 0);
    lt_arena_init(&self.arena, &self.account);
    lt_arena_init(&self.types, &self.account);
    check_all(&self);
    lt_arena_deinit(&self.arena);
    lt_arena_deinit(&self.types);
    assert_int_equal(self.account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(aggregates_forget_what_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
