// ascii: comparison without case of single bytes, all pairs, and of words.
#include "base/ascii.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower[] = "abcdefghijklmnopqrstuvwxyz";

static int folded(int byte) {
    for (int i = 0; i < 26; i++)
        if (byte == upper[i]) return lower[i];
    return byte;
}

static void all_pairs_of_bytes(void **state) {
    (void)state;
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++) {
            const char x[] = {(char)a, 0}, y[] = {(char)b, 0};
            const int  wanted = folded(a) - folded(b), got = lt_ascii_compare(x, y);
            assert_true((wanted < 0) == (got < 0) && (wanted > 0) == (got > 0));
            assert_int_equal(lt_ascii_equal(x, y, 1), wanted == 0);
        }
}

static void classes(void **state) {
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        bool is_letter = false;
        for (int i = 0; i < 26; i++) is_letter |= byte == upper[i] || byte == lower[i];
        assert_int_equal(lt_ascii_is_letter((char)byte), is_letter);
        assert_int_equal(lt_ascii_is_digit((char)byte), byte >= '0' && byte <= '9');
    }
}

static void words(void **state) {
    (void)state;
    assert_int_equal(lt_ascii_compare("TIMESTAMP_ntz", "timestamp_NTZ"), 0);
    assert_true(lt_ascii_compare("in", "INT") < 0);
    assert_true(lt_ascii_compare("int", "IN") > 0);
    assert_int_equal(lt_ascii_compare_bytes("INTeger", "intERVAL", 4), lt_ascii_compare_bytes("e", "E", 1));
    assert_true(lt_ascii_compare_bytes("INTeger", "intERVAL", 5) < 0);
    assert_int_equal(lt_ascii_compare_bytes("a", "b", 0), 0);
    assert_int_equal(lt_ascii_compare_bytes("ab", "AB", 100), 0);
    assert_true(lt_ascii_equal("a\0B", "A\0b", 3));
    assert_false(lt_ascii_equal("\xc4\xb0", "i\0", 2)); // a Turkish I is no i
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_of_bytes),
        cmocka_unit_test(classes),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
