// Division by a constant equals division, at the edges of 64 bits and anywhere between.
#include "base/divisor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void equals_division(void **unused) {
    (void)unused;
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 200000; round++) {
        uint64_t numbers[2];
        for (int i = 0; i < 2; i++) {
            seed       = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            numbers[i] = (seed ^ (seed >> 29)) >> (seed >> 58);
            if (seed % 5 == 0) numbers[i] = ((uint64_t)1 << (seed >> 58)) - (seed >> 8) % 3;
        }
        if (numbers[0] < 2) numbers[0] += 2;
        const uint64_t dividends[] = {0,
                                      1,
                                      numbers[0] - 1,
                                      numbers[0],
                                      2 * numbers[0] - 1,
                                      UINT64_MAX,
                                      numbers[1],
                                      UINT64_MAX / 2,
                                      numbers[0] * numbers[1],
                                      numbers[0] + 1};
        lt_divisor     by          = lt_divisor_of(numbers[0]);
        for (size_t i = 0; i < sizeof dividends / sizeof *dividends; i++)
            assert_true(lt_divide(dividends[i], &by) == dividends[i] / numbers[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_division)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
