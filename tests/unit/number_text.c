// Texts of numbers and back. Expected texts: Java 17 and Spark's recordings; bits of hard
// cases: IEEE 754 arithmetic on exact integers (a tie of two doubles, the largest subnormal, half of the smallest one).
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/number_text.h"

static double parsed(const char *text) {
    double value = -1;
    assert_true(lt_double_parse(text, strlen(text), &value));
    return value;
}

static void prints(double value, const char *wanted) {
    char text[LT_DOUBLE_TEXT_MAX];
    assert_int_equal(lt_double_print(value, text), strlen(wanted));
    assert_string_equal(text, wanted);
}

static void test_doubles_print_as_java_does(void **state) {
    (void)state;
    prints(1, "1.0");
    prints(-0.0, "-0.0");
    prints(0.1, "0.1");
    prints(0.1 + 0.2, "0.30000000000000004");
    prints(9999999, "9999999.0");
    prints(1e7, "1.0E7");
    prints(0.001, "0.001");
    prints(0.00099, "9.9E-4");
    prints(123456789.125, "1.23456789125E8");
    prints(9007199254740992.0, "9.007199254740992E15");
    prints(1.7976931348623157e308, "1.7976931348623157E308");
    prints(2.2250738585072014e-308, "2.2250738585072014E-308");
    prints(5e-324, "4.9E-324");
    prints(1.0 / 0.0, "Infinity");
    prints(-1.0 / 0.0, "-Infinity");
    prints(0.0 / 0.0, "NaN");
}

static void test_floats_have_their_own_shortest_text(void **state) {
    (void)state;
    char text[LT_DOUBLE_TEXT_MAX];
    (void)lt_float_print(0.1F, text);
    assert_string_equal(text, "0.1");
    (void)lt_float_print(16777216.0F, text);
    assert_string_equal(text, "1.6777216E7");
    (void)lt_float_print(1.4e-45F, text);
    assert_string_equal(text, "1.4E-45");
}

static void prints_double_bits(uint64_t bits, const char *wanted) {
    double value;
    memcpy(&value, &bits, sizeof value);
    prints(value, wanted);
}

static void prints_float_bits(uint32_t bits, const char *wanted) {
    char  text[LT_DOUBLE_TEXT_MAX];
    float value;
    memcpy(&value, &bits, sizeof value);
    assert_int_equal(lt_float_print(value, text), strlen(wanted));
    assert_string_equal(text, wanted);
}

// Small and large, powers of two, whole numbers beyond the significand, numbers at random.
static void test_texts_are_those_of_java(void **state) {
    (void)state;
#define LT_DOUBLE(bits, text) prints_double_bits(bits, text);
#define LT_FLOAT(bits, text) prints_float_bits(bits, text);
#include "tests/unit/java_texts.def"
#undef LT_DOUBLE
#undef LT_FLOAT
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void test_every_printed_double_reads_back(void **state) {
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed), back;
        double   value;
        memcpy(&value, &bits, sizeof value);
        if (!(value - value == 0)) continue;
        char   text[LT_DOUBLE_TEXT_MAX];
        double read = parsed((lt_double_print(value, text), text));
        memcpy(&back, &read, sizeof back);
        assert_true(back == bits);
    }
}

static void test_texts_round_to_the_nearest_double_ties_to_even(void **state) {
    (void)state;
    assert_true(parsed("9007199254740993") == 9007199254740992.0);                      // a tie goes to even
    assert_true(parsed("9007199254740993.00000000000000000001") == 9007199254740994.0); // a hair above it does not
    assert_true(parsed("1e400") == 1.0 / 0.0);
    assert_true(parsed("1e-400") == 0);
    assert_true(parsed("2.4703282292062327e-324") == 0); // just below half of the smallest
    assert_true(parsed("2.4703282292062328e-324") == 5e-324);
    assert_true(parsed("1.7976931348623158e308") == 1.7976931348623157e308);
    assert_true(parsed("1.797693134862315808e308") == 1.0 / 0.0);
    assert_true(parsed("0.000000000000000000000000000000000001e36") == 1);
}

static void test_malformed_texts_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",      ".",  "-",  "+",    "e5", "1e",     "1e+",
                                        "1.5.2", "1 ", " 1", "0x10", "1d", "infinit"};
    double                   value;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(lt_double_parse(texts[i], strlen(texts[i]), &value));
    assert_true(lt_double_parse_java("0x1.8p3", 7, &value));
    assert_true(value == 12);
    assert_true(lt_double_parse_java("1.5f", 4, &value));
    assert_false(lt_double_parse_java("0x10", 4, &value));
}

static void test_integers_have_exact_limits(void **state) {
    (void)state;
    int64_t value = 0;
    assert_int_equal(lt_int64_parse("9223372036854775807", 19, &value), LT_NUMBER_OK);
    assert_true(value == INT64_MAX);
    assert_int_equal(lt_int64_parse("-9223372036854775808", 20, &value), LT_NUMBER_OK);
    assert_true(value == INT64_MIN);
    assert_int_equal(lt_int64_parse("9223372036854775808", 19, &value), LT_NUMBER_TOO_LARGE);
    assert_int_equal(lt_int64_parse("12x", 3, &value), LT_NUMBER_MALFORMED);
    assert_int_equal(lt_int64_parse("+", 1, &value), LT_NUMBER_MALFORMED);
}

// Against printf: every number of digits, both signs, and no byte behind the NUL is touched.
static void test_integers_print_as_printf_does(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint32_t round = 0; round < 200000; round++) {
        seed              = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t   number = (seed ^ (seed >> 31)) >> (seed >> 58);
        int64_t    value  = (int64_t)(seed & 1 ? 0 - number : number);
        char       wanted[32], text[32];
        lt_uint128 lane  = 0;
        size_t     bytes = (size_t)snprintf(wanted, sizeof wanted, "%" PRId64, value);
        memset(text, 7, sizeof text);
        assert_int_equal(lt_int64_print(value, text), bytes);
        assert_string_equal(text, wanted);
        for (size_t i = bytes + 1; i < sizeof text; i++) assert_int_equal(text[i], 7);
        uint32_t count = lt_int64_text(value, &lane);
        assert_true(count == (bytes - (value < 0) <= 15 ? bytes : 0));
        assert_memory_equal(&lane, wanted, count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles_print_as_java_does),
        cmocka_unit_test(test_floats_have_their_own_shortest_text),
        cmocka_unit_test(test_texts_are_those_of_java),
        cmocka_unit_test(test_every_printed_double_reads_back),
        cmocka_unit_test(test_texts_round_to_the_nearest_double_ties_to_even),
        cmocka_unit_test(test_malformed_texts_are_refused),
        cmocka_unit_test(test_integers_have_exact_limits),
        cmocka_unit_test(test_integers_print_as_printf_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
