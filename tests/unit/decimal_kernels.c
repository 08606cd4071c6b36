// + - * and comparisons over columns of DECIMAL equal the operations on single values, whatever the shapes, the sizes of
// the values and the forms of the operands.
#include "base/decimal.h"
#include "base/function.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 130 };

extern const lt_function lt_functions_arithmetic[];

static uint64_t seed = 11;

static uint64_t random_next(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed ^ (seed >> 29);
}
static uint32_t random_below(uint32_t bound) { return (uint32_t)((random_next() >> 20) % bound); }

static lt_type random_type(void) {
    const uint32_t precision = 1 + random_below(random_below(3) == 0 ? 38 : 18);
    return (lt_type){
        .kind = LT_DECIMAL, .precision = (uint8_t)precision, .scale = (uint8_t)random_below(precision + 1)};
}

// Of at most `precision` digits, often few, often just what 64 bits hold or just not.
static lt_int128 random_value(uint32_t precision) {
    lt_int128 value = (lt_int128)((lt_uint128)random_next() << 63 | random_next() >> 1);
    if (random_below(8) == 0) value = (lt_int128)INT64_MAX - 1 + random_below(4);
    value %= lt_decimal_power(1 + random_below(precision));
    if (random_below(16) == 0) value = lt_decimal_power(precision) - 1;
    return random_below(2) == 0 ? value : -value;
}

static const lt_function *decimal_function(const char *name) {
    for (const lt_function *row = lt_functions_arithmetic; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0 && row->returns == LT_DECIMAL) return row;
    return NULL;
}

typedef bool (*operation)(lt_int128 a, uint32_t a_scale, lt_int128 b, uint32_t b_scale, lt_decimal_shape into,
                          lt_int128 *out);

static void arithmetic_equals_single_values(void **unused) {
    static const struct {
        const char *name;
        operation   run;
        lt_decimal_shape (*shape)(lt_decimal_shape, lt_decimal_shape);
    } operators[] = {{"+", lt_decimal_add, lt_decimal_add_shape},
                     {"-", lt_decimal_subtract, lt_decimal_add_shape},
                     {"*", lt_decimal_multiply, lt_decimal_multiply_shape}};
    static lt_int128 x[ROWS], y[ROWS], results[ROWS];
    (void)unused;
    for (uint32_t round = 0; round < 20000; round++) {
        const uint32_t         number = random_below(3);
        const lt_type          left = random_type(), right = random_type();
        const lt_decimal_shape shape = operators[number].shape(lt_decimal_shape_of(&left), lt_decimal_shape_of(&right));
        const lt_type into = {.kind = LT_DECIMAL, .precision = (uint8_t)shape.precision, .scale = (uint8_t)shape.scale};
        const lt_type *const types[]      = {&left, &right};
        uint8_t              failed[ROWS] = {0};
        const size_t         steps[2] = {random_below(4) != 0, random_below(4) != 0}, count = 1 + random_below(ROWS);
        const uint32_t       larger = random_below(2) == 0 ? 0 : 18; // digits that all values of a column stay below
        for (size_t i = 0; i < count; i++) {
            x[i] = random_value(larger != 0 && larger < left.precision ? larger : left.precision);
            y[i] = random_value(larger != 0 && larger < right.precision ? larger : right.precision);
        }
        decimal_function(operators[number].name)
            ->kernel(&(lt_lanes){.values      = {x, y},
                                 .steps       = {steps[0], steps[1]},
                                 .results     = results,
                                 .failed      = failed,
                                 .count       = count,
                                 .types       = types,
                                 .result_type = &into});
        for (size_t i = 0; i < count; i++) {
            lt_int128  wanted = 0;
            const bool fits =
                operators[number].run(x[i * steps[0]], left.scale, y[i * steps[1]], right.scale, shape, &wanted);
            assert_int_equal(failed[i], !fits);
            if (fits) assert_true(results[i] == wanted);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic_equals_single_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
