// Decimals: shapes, rounding, limits. Expected values: arithmetic, and Spark's recorded result types.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/decimal.h"

static lt_int128 number(const char *text, uint32_t scale) {
    lt_int128 value = 0;
    assert_int_equal(lt_decimal_parse(text, strlen(text), (lt_decimal_shape){38, scale}, &value), LT_NUMBER_OK);
    return value;
}

static void shape_is(lt_decimal_shape shape, uint32_t precision, uint32_t scale) {
    assert_int_equal(shape.precision, precision);
    assert_int_equal(shape.scale, scale);
}

static void text_is(lt_int128 value, uint32_t scale, const char *wanted) {
    char text[LT_DECIMAL_TEXT_MAX];
    assert_int_equal(lt_decimal_print(value, scale, text), strlen(wanted));
    assert_string_equal(text, wanted);
}

static void test_shapes_follow_sparks_rules(void **state) {
    (void)state;
    shape_is(lt_decimal_add_shape((lt_decimal_shape){5, 2}, (lt_decimal_shape){3, 1}), 6, 2);
    shape_is(lt_decimal_add_shape((lt_decimal_shape){38, 10}, (lt_decimal_shape){38, 10}), 38, 9);
    shape_is(lt_decimal_multiply_shape((lt_decimal_shape){20, 10}, (lt_decimal_shape){20, 10}), 38, 17);
    shape_is(lt_decimal_divide_shape((lt_decimal_shape){10, 0}, (lt_decimal_shape){10, 0}), 21, 11);
    shape_is(lt_decimal_divide_shape((lt_decimal_shape){38, 0}, (lt_decimal_shape){38, 0}), 38, 6);
    shape_is(lt_decimal_remainder_shape((lt_decimal_shape){10, 4}, (lt_decimal_shape){5, 5}), 5, 5);
    shape_is(lt_decimal_common_shape((lt_decimal_shape){10, 0}, (lt_decimal_shape){2, 1}), 11, 1);
}

static void test_results_round_half_away_from_zero(void **state) {
    (void)state;
    lt_int128 value;
    assert_true(lt_decimal_rescale(125, 2, (lt_decimal_shape){3, 1}, &value));
    text_is(value, 1, "1.3");
    assert_true(lt_decimal_rescale(-125, 2, (lt_decimal_shape){3, 1}, &value));
    text_is(value, 1, "-1.3");
    assert_true(lt_decimal_divide(2, 0, 3, 0, (lt_decimal_shape){38, 18}, &value));
    text_is(value, 18, "0.666666666666666667");
    assert_true(
        lt_decimal_multiply(number("12345678901234567890.123456789", 9), 9, 2, 0, (lt_decimal_shape){38, 7}, &value));
    text_is(value, 7, "24691357802469135780.2469136");
}

static void test_what_does_not_fit_fails(void **state) {
    (void)state;
    const lt_decimal_shape widest  = {38, 0};
    lt_int128              largest = number("99999999999999999999999999999999999999", 0), value = 7;
    assert_false(lt_decimal_add(largest, 0, 1, 0, widest, &value));
    assert_false(lt_decimal_multiply(largest, 0, 10, 0, widest, &value));
    assert_false(lt_decimal_rescale(9999, 2, (lt_decimal_shape){3, 1}, &value));
    assert_false(lt_decimal_from_double(0.0 / 0.0, widest, &value));
    assert_true(value == 7);
    assert_true(lt_decimal_subtract(largest, 0, largest, 0, widest, &value));
    assert_true(value == 0);
}

// A number with one more zero behind the point is the same number, but takes the way of 256 bits.
static void test_short_numbers_give_what_long_ones_give(void **state) {
    (void)state;
    static const int64_t edges[] = {0, 1, -1, 9, -10, INT32_MAX, INT64_MAX / 10, INT64_MIN / 10, 999999999999999999};
    uint64_t             random  = 7;
    for (int round = 0; round < 20000; round++) {
        int64_t  values[2];
        uint32_t scales[2];
        for (int i = 0; i < 2; i++) {
            random    = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            values[i] = round % 3 == 0 ? edges[(random >> 33) % 9] : (int64_t)random / 10 >> (random >> 58);
            scales[i] = (uint32_t)(random >> 20) % 19;
        }
        const uint32_t         larger  = scales[0] > scales[1] ? scales[0] : scales[1];
        const lt_decimal_shape sum     = {larger + 1 + (uint32_t)(random >> 40) % 20, larger},
                               product = {(uint32_t)(random >> 50) % 39, scales[0] + scales[1]};
        lt_int128  got = 3, wanted = 3;
        const bool adds = lt_decimal_add(values[0], scales[0], values[1], scales[1], sum, &got);
        assert_int_equal(adds, lt_decimal_add((lt_int128)values[0] * 10, scales[0] + 1, (lt_int128)values[1] * 10,
                                              scales[1] + 1, sum, &wanted));
        assert_true(got == wanted);
        const bool multiplies = lt_decimal_multiply(values[0], scales[0], values[1], scales[1], product, &got);
        assert_int_equal(multiplies, lt_decimal_multiply((lt_int128)values[0] * 10, scales[0] + 1, values[1], scales[1],
                                                         product, &wanted));
        assert_true(got == wanted);
    }
}

static void test_comparison_is_exact_whatever_the_scale(void **state) {
    (void)state;
    assert_int_equal(lt_decimal_compare(10, 1, 100, 2), 0);
    assert_true(lt_decimal_compare(number("99999999999999999999999999999999999999", 0), 0, 1, 38) > 0);
    assert_true(lt_decimal_compare(-1, 0, 1, 38) < 0);
}

static void test_remainder_has_the_sign_of_the_dividend(void **state) {
    (void)state;
    lt_int128 value;
    assert_true(lt_decimal_remainder(-75, 1, 2, 0, (lt_decimal_shape){2, 1}, &value));
    text_is(value, 1, "-1.5");
    int64_t whole;
    assert_true(lt_decimal_integral_divide(-75, 1, 2, 0, &whole));
    assert_int_equal(whole, -3);
}

static void test_rounding_modes(void **state) {
    (void)state;
    lt_int128 value;
    assert_true(lt_decimal_round(-278, 2, 1, LT_FLOOR, &value) && value == -28);
    assert_true(lt_decimal_round(-278, 2, 1, LT_CEILING, &value) && value == -27);
    assert_true(lt_decimal_round(25, 1, 0, LT_HALF_EVEN, &value) && value == 2);
    assert_true(lt_decimal_round(1250, 0, -2, LT_HALF_UP, &value) && value == 1300);
    assert_true(lt_decimal_round(-19, 1, 0, LT_DOWN, &value) && value == -1);
}

static void test_doubles_go_by_their_shortest_text(void **state) {
    (void)state;
    lt_int128 value;
    assert_true(lt_decimal_from_double(1.005, (lt_decimal_shape){10, 2}, &value));
    text_is(value, 2, "1.01");
    assert_true(lt_decimal_from_float(0.3F, (lt_decimal_shape){10, 8}, &value));
    text_is(value, 8, "0.30000001");
    assert_true(lt_decimal_to_double(number("12345678901234567890.5", 1), 1) == 12345678901234567890.5);
}

static void test_texts_with_exponents(void **state) {
    (void)state;
    lt_int128        value;
    lt_decimal_shape shape;
    assert_int_equal(lt_decimal_parse_exact("12.50", 5, &value, &shape), LT_NUMBER_OK);
    shape_is(shape, 4, 2);
    assert_int_equal(lt_decimal_parse_exact("1e3", 3, &value, &shape), LT_NUMBER_OK);
    shape_is(shape, 4, 0);
    assert_int_equal(lt_decimal_parse("1e400", 5, (lt_decimal_shape){38, 0}, &value), LT_NUMBER_TOO_LARGE);
    assert_int_equal(lt_decimal_parse("1.2.3", 5, (lt_decimal_shape){38, 0}, &value), LT_NUMBER_MALFORMED);
    assert_int_equal(lt_decimal_parse("1e-50", 5, (lt_decimal_shape){5, 2}, &value), LT_NUMBER_OK);
    assert_true(value == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_follow_sparks_rules),
        cmocka_unit_test(test_results_round_half_away_from_zero),
        cmocka_unit_test(test_what_does_not_fit_fails),
        cmocka_unit_test(test_short_numbers_give_what_long_ones_give),
        cmocka_unit_test(test_comparison_is_exact_whatever_the_scale),
        cmocka_unit_test(test_remainder_has_the_sign_of_the_dividend),
        cmocka_unit_test(test_rounding_modes),
        cmocka_unit_test(test_doubles_go_by_their_shortest_text),
        cmocka_unit_test(test_texts_with_exponents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
