// utf8: characters, validity and case of text.
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void characters_are_counted_by_their_first_bytes(void **state) {
    (void)state;
    const char *text = "a\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80"; // 1, 2, 3 and 4 bytes
    assert_int_equal(lt_utf8_count(text, 10), 4);
    assert_int_equal(lt_utf8_skip(text, 10, 0, 2), 3);
    assert_int_equal(lt_utf8_skip(text, 10, 3, 9), 10);
    assert_int_equal(lt_utf8_before(text, 10), 6);
    assert_int_equal(lt_utf8_before(text, 1), 0);
}

static void decoding_gives_back_what_was_encoded(void **state) {
    (void)state;
    static const uint32_t points[] = {0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        char   bytes[LT_UTF8_BYTES_MAX];
        size_t count = lt_utf8_encode(points[i], bytes), at = 0;
        assert_int_equal(lt_utf8_decode(bytes, count, &at), (int32_t)points[i]);
        assert_int_equal(at, count);
    }
}

static void overlong_forms_surrogates_and_cut_sequences_are_invalid(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\xC0\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\x80", "\xE6\x97"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(lt_utf8_is_valid(texts[i], strlen(texts[i])));
    assert_true(lt_utf8_is_valid("", 0));
    assert_true(lt_utf8_is_valid("\xF4\x8F\xBF\xBF", 4));
}

// Words of ASCII are passed over at once: what stands around and between them is still judged as one character after the
// other would be.
static void validity_is_that_of_each_character_in_turn(void **state) {
    (void)state;
    static const char *const parts[] = {"a",    "abcdefgh", "\xC3\xA9",     "\xE6\x97\xA5", "\xF0\x9F\x98\x80", "\x80",
                                        "\xC3", "\xE6\x97", "\xF0\x9F\x98", "\xED\xA0\x80", "0123456",          "\xFF"};
    uint64_t                 random  = 1;
    for (int round = 0; round < 20000; round++) {
        char     text[128];
        size_t   bytes = 0, at = 0;
        bool     is_valid = true;
        uint32_t kinds    = round % 3 == 0 ? 12 : round % 3 == 1 ? 5 : 2; // broken parts in some rounds alone
        for (int i = 0; i < 12; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            const char *part = parts[(random >> 20) % kinds];
            memcpy(text + bytes, part, strlen(part));
            bytes += strlen(part);
        }
        while (at < bytes) is_valid &= lt_utf8_decode(text, bytes, &at) >= 0;
        assert_int_equal(lt_utf8_is_valid(text, bytes), is_valid);
    }
}

// Table 3-8 of the Unicode standard: each maximal part of a sequence is replaced once.
static void each_maximal_invalid_part_becomes_one_replacement(void **state) {
    (void)state;
    lt_account account;
    lt_buffer  buffer;
    lt_account_init(&account, NULL, NULL, 0);
    lt_buffer_init(&buffer, &account, 0);
    assert_int_equal(lt_utf8_append_valid(&buffer,
                                          "a\xF1\x80\x80\xE1\x80\xC2"
                                          "b\x80"
                                          "c\x80\xBF"
                                          "d",
                                          13, NULL),
                     LEAT_OK);
    assert_string_equal(buffer.data, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                     "b\xEF\xBF\xBD"
                                     "c\xEF\xBF\xBD\xEF\xBF\xBD"
                                     "d");
    lt_buffer_deinit(&buffer);
    assert_int_equal(account.bytes, 0);
}

typedef leat_status (*mapping)(lt_buffer *out, const char *text, size_t bytes, leat_error *err);

static void assert_maps(mapping map, const char *from, const char *into) {
    lt_account account;
    lt_buffer  buffer;
    lt_account_init(&account, NULL, NULL, 0);
    lt_buffer_init(&buffer, &account, 0);
    assert_int_equal(map(&buffer, from, strlen(from), NULL), LEAT_OK);
    assert_string_equal(buffer.data, into);
    lt_buffer_deinit(&buffer);
}

static void one_character_may_become_several(void **state) {
    (void)state;
    assert_maps(lt_utf8_append_upper,
                "stra\xC3\x9F"
                "e \xEF\xAC\x83",
                "STRASSE FFI"); // sharp s, ligature ffi
    assert_maps(lt_utf8_append_lower, "\xC4\xB0", "i\xCC\x87");
    assert_maps(lt_utf8_append_title, "\xC7\x86x \xC3\x9F", "\xC7\x85x Ss"); // dz with caron has a title form
}

static void a_sigma_is_final_behind_a_letter_and_before_none(void **state) {
    (void)state;
    assert_maps(lt_utf8_append_lower, "\xCE\x91\xCE\xA3", "\xCE\xB1\xCF\x82");
    assert_maps(lt_utf8_append_lower, "\xCE\xA3", "\xCF\x83");
    assert_maps(lt_utf8_append_lower, "\xCE\x91\xCE\xA3\xCE\x91", "\xCE\xB1\xCF\x83\xCE\xB1");
    assert_maps(lt_utf8_append_lower, "\xCE\x91\xCE\xA3. \xCE\x91", "\xCE\xB1\xCF\x82. \xCE\xB1");
}

static void one_byte_beyond_ascii_is_seen_at_any_place(void **state) {
    (void)state;
    char text[80];
    for (size_t bytes = 0; bytes < sizeof text; bytes++) {
        memset(text, 0x7f, sizeof text);
        text[bytes] = (char)0x80; // behind the end
        assert_true(lt_utf8_is_ascii(text, bytes));
        text[bytes] = 0;
        for (size_t at = 0; at < bytes; at++) {
            text[at] = (char)0x80;
            assert_false(lt_utf8_is_ascii(text, bytes));
            text[at] = 0x7f;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_counted_by_their_first_bytes),
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(overlong_forms_surrogates_and_cut_sequences_are_invalid),
        cmocka_unit_test(validity_is_that_of_each_character_in_turn),
        cmocka_unit_test(each_maximal_invalid_part_becomes_one_replacement),
        cmocka_unit_test(one_byte_beyond_ascii_is_seen_at_any_place),
        cmocka_unit_test(one_character_may_become_several),
        cmocka_unit_test(a_sigma_is_final_behind_a_letter_and_before_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
