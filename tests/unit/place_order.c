// Places of rows that only come: the order equals a stable sort by place, whenever it is asked for.
#include "exec/state/place_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct fixture {
    lt_account     account;
    lt_place_order order;
} fixture;

static void fixture_init(fixture *self) {
    lt_account_init(&self->account, NULL, NULL, 0);
    lt_place_order_init(&self->order, &self->account);
}

static void fixture_deinit(fixture *self) {
    lt_place_order_deinit(&self->order);
    assert_int_equal(self->account.bytes, 0);
}

static void append(fixture *self, int64_t place) {
    assert_int_equal(lt_place_order_append(&self->order, place, NULL), LEAT_OK);
}

// Each number once, places ascending, equal ones by number: that is one order.
static void verify(fixture *self) {
    const uint64_t *numbers;
    uint64_t        sum = 0;
    assert_int_equal(lt_place_order_numbers(&self->order, &numbers, NULL), LEAT_OK);
    for (uint64_t i = 0; i < self->order.count; i++) {
        const uint64_t number = numbers == NULL ? i : numbers[i];
        assert_in_range(number, 0, self->order.count - 1);
        sum += number;
        if (i == 0) continue;
        const uint64_t before = numbers == NULL ? i - 1 : numbers[i - 1];
        const int64_t  place = self->order.places[number], place_before = self->order.places[before];
        assert_true(place_before < place || (place_before == place && before < number));
    }
    assert_int_equal(sum, self->order.count * (self->order.count == 0 ? 0 : self->order.count - 1) / 2);
}

static void test_ascending_places_need_no_numbers(void **state) {
    (void)state;
    fixture         self;
    const uint64_t *numbers;
    fixture_init(&self);
    verify(&self);
    append(&self, INT64_MIN);
    append(&self, 3);
    append(&self, 3);
    append(&self, INT64_MAX);
    assert_int_equal(lt_place_order_numbers(&self.order, &numbers, NULL), LEAT_OK);
    assert_null(numbers);
    append(&self, 4);
    verify(&self);
    lt_place_order_reset(&self.order);
    append(&self, 1);
    assert_int_equal(lt_place_order_numbers(&self.order, &numbers, NULL), LEAT_OK);
    assert_null(numbers);
    fixture_deinit(&self);
}

static void test_any_places_asked_for_at_any_time(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    for (uint32_t round = 0; round < 60; round++) {
        fixture self;
        fixture_init(&self);
        for (uint32_t i = 0; i < 40 * round; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            append(&self, (int64_t)(random % (1 + round * 3)) - round);
            if (random >> 32 < UINT32_MAX / (1 + 10 * (uint64_t)round)) verify(&self);
        }
        verify(&self);
        fixture_deinit(&self);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascending_places_need_no_numbers),
        cmocka_unit_test(test_any_places_asked_for_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
