// regexp: Java's patterns, with their spans. Expected spans come from the Javadoc of java.util.regex.Pattern.
#include "base/regexp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { FINDS = 100 }; // the later ones by machine code

typedef struct example {
    const char *pattern, *text;
    int32_t     start, end; // of the first match; -1: none; -2: the pattern is malformed
} example;

static void check(const example *examples, size_t count) {
    lt_account account;
    lt_regexp  regexp = {0};
    lt_account_init(&account, NULL, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        const example *one = &examples[i];
        bool           found;
        size_t         start = 0, end = 0;
        leat_error     err;
        lt_error_reset(&err);
        leat_status status = lt_regexp_compile(&regexp, &account, one->pattern, strlen(one->pattern), NULL, &err);
        if (one->start == -2) {
            assert_int_equal(status, lt_condition_status(LT_INVALID_PARAMETER_VALUE__PATTERN));
            assert_int_equal(err.condition, LT_INVALID_PARAMETER_VALUE__PATTERN);
            continue;
        }
        if (status != LEAT_OK) print_error("%s: %s\n", one->pattern, err.message);
        assert_int_equal(status, LEAT_OK);
        for (uint32_t find = 0; find < FINDS; find++) {
            assert_int_equal(lt_regexp_find(&regexp, one->text, strlen(one->text), 0, &found, NULL, NULL), LEAT_OK);
            if (found) assert_true(lt_regexp_group(&regexp, 0, &start, &end));
            if (found != (one->start >= 0) || (found && ((int32_t)start != one->start || (int32_t)end != one->end)))
                print_error("%s in %s: %d [%zu,%zu)\n", one->pattern, one->text, found, start, end);
            assert_int_equal(found, one->start >= 0);
            if (found) assert_int_equal(start, one->start);
            if (found) assert_int_equal(end, one->end);
        }
    }
    lt_regexp_deinit(&regexp);
    assert_int_equal(account.bytes, 0);
}
#define CHECK(examples) check(examples, sizeof(examples) / sizeof *(examples))

static void plain_text_is_found_as_bytes(void **state) {
    (void)state;
    static const example examples[] = {{"b,c", "ab,cd", 1, 4}, {"x", "abc", -1, 0}, {"", "abc", 0, 0}};
    CHECK(examples);
}

static void classes_have_unions_and_intersections(void **state) {
    (void)state;
    static const example examples[] = {
        {"[a-d[m-p]]+", "xbmq", 1, 3},
        {"[a-z&&[def]]+", "abcdefg", 3, 6},
        {"[a-z&&[^bc]]+", "bcxyb", 2, 4},
        {"[a-z&&[^m-p]]+", "nopq", 3, 4},
        {"[^a[c]]", "acb", 2, 3},
        {"[]a]+", "x]a", 1, 3},
        {"[[:alpha:]]", "b:", 1, 2},
        {"[a&&b]", "ab", -1, 0},
        {"[\\w&&[^\\d]]+", "12ab", 2, 4},
        {"[a\\-z]+", "b-", 1, 2},
        {"[+--]", "-", 0, 1},
        {"[\\Qa-]\\E]+", "b-]a", 1, 4},
        {"[a", "", -2, 0},
        {"[z-a]", "", -2, 0},
    };
    CHECK(examples);
}

static void anchors_know_the_line_ends_of_java(void **state) {
    (void)state;
    static const example examples[] = {
        {"a$", "a\n", 0, 1},
        {"a$", "a\r\n", 0, 1},
        {"a$", "a\n\n", -1, 0},
        {"a\\Z", "a\xE2\x80\xA8", 0, 1},
        {"a\\z", "a\n", -1, 0},
        {"(?m)^b$", "a\nb\nc", 2, 3},
        {"^b", "a\nb", -1, 0},
        {"a.b", "a\nb", -1, 0},
        {"a.b", "a\rb", -1, 0},
        {"(?s)a.b", "a\nb", 0, 3},
        {"a.b",
         "a\x0B"
         "b",
         0, 3},
        {"a(?s:.)b.", "a\nb\n", -1, 0},
    };
    CHECK(examples);
}

static void flags_hold_within_their_group(void **state) {
    (void)state;
    static const example examples[] = {
        {"(?i)AB", "xab", 1, 3},
        {"(?i:a)b", "AB", -1, 0},
        {"(?i:a)b", "Ab", 0, 2},
        {"a(?i)b|C", "c", 0, 1},
        {"(?i)\xC3\x89", "\xC3\xA9", -1, 0},
        {"(?iu)\xC3\x89", "\xC3\xA9", 0, 2},
        {"(?x) a b # c\n c", "abc", 0, 3},
        {"(?x)[a b]+", "a b", 0, 1},
        {"(?-i)a", "A", -1, 0},
        {"(?q)a", "", -2, 0},
    };
    CHECK(examples);
}

static void escapes_stand_for_characters(void **state) {
    (void)state;
    static const example examples[] = {
        {"\\x41\\u0042\\x{43}", "ABC", 0, 3},
        {"\\0101", "A", 0, 1},
        {"\\cA", "\x01", 0, 1},
        {"\\uD83D\\uDE00", "\xF0\x9F\x98\x80", 0, 4},
        {"\\Qa.b\\E.", "a.bc", 0, 4},
        {"\\p{Lu}", "a\xC3\x89", 1, 3},
        {"\\p{Alpha}+", "1ab\xC3\xA9", 1, 3},
        {"\\P{Digit}", "1a", 1, 2},
        {"\\p{IsGreek}", "a\xCE\xB1", 1, 3},
        {"\\d", "\xD9\xA1", -1, 0},
        {"(a)\\1", "aa", 0, 2},
        {"(?<n>a)\\k<n>", "aa", 0, 2},
        {"\\", "", -2, 0},
        {"\\y", "", -2, 0},
        {"\\p{Nope}", "", -2, 0},
        {"\\u00", "", -2, 0},
    };
    CHECK(examples);
}

static void what_only_pcre2_has_is_refused(void **state) {
    (void)state;
    static const example examples[] = {
        {"(?R)", "", -2, 0},  {"(*ACCEPT)", "", -2, 0}, {"(*UTF8)a", "", -2, 0}, {"(?C1)", "", -2, 0},
        {"a\\Kb", "", -2, 0}, {"\\C", "", -2, 0},       {"(?P<n>a)", "", -2, 0}, {"(?(1)a|b)", "", -2, 0},
        {"(?#c)", "", -2, 0}, {"(?|a)", "", -2, 0},     {"a{,2}", "", -2, 0},    {"{", "", -2, 0},
        {"(", "", -2, 0},     {"a)", "", -2, 0},        {"*a", "", -2, 0},
    };
    CHECK(examples);
}

static void a_search_without_end_is_stopped(void **state) {
    (void)state;
    lt_account account;
    lt_regexp  regexp = {0};
    bool       found;
    char       text[64];
    lt_account_init(&account, NULL, NULL, 0);
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 'b';
    assert_int_equal(lt_regexp_compile(&regexp, &account, "^((a*)*)*$", 10, NULL, NULL), LEAT_OK);
    assert_int_equal(lt_regexp_find(&regexp, text, sizeof text, 0, &found, NULL, NULL), LEAT_LIMIT);
    for (uint32_t find = 0; find < FINDS; find++)
        assert_int_equal(lt_regexp_find(&regexp, "aab", 3, 0, &found, NULL, NULL), LEAT_OK);
    assert_int_equal(lt_regexp_find(&regexp, text, sizeof text, 0, &found, NULL, NULL), LEAT_LIMIT);
    lt_regexp_deinit(&regexp);
    assert_int_equal(account.bytes, 0);
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    lt_account account;
    lt_regexp  regexp = {0};
    char       text[1024];
    lt_account_init(&account, NULL, NULL, 0);
    memset(text, '(', sizeof text);
    leat_error err;
    lt_error_reset(&err);
    assert_int_not_equal(lt_regexp_compile(&regexp, &account, text, sizeof text, NULL, &err), LEAT_OK);
    memset(text, '[', sizeof text);
    assert_int_not_equal(lt_regexp_compile(&regexp, &account, text, sizeof text, NULL, &err), LEAT_OK);
    lt_regexp_deinit(&regexp);
    assert_int_equal(account.bytes, 0);
}

static void parts_are_those_of_string_split(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *text;
        int32_t     limit;
        const char *joined;
    } examples[] = {
        {",", "a,b,", -1, "a/b/"},  {"", "abc", -1, "a/b/c"},
        {"", "abc", 2, "a/bc"},     {"o", "boo:and:foo", -1, "b//:and:f//"},
        {"|", "a|b", -1, "a/|/b/"}, {"x", "abc", -1, "abc"},
        {",", "", -1, ""},          {":", "boo:and:foo", 2, "boo/and:foo"},
        {",", ",a", -1, "/a"},
    };
    lt_account account;
    lt_regexp  regexp = {0};
    lt_account_init(&account, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char            joined[64];
        size_t          used = 0, bytes;
        const char     *part;
        bool            has_part;
        lt_regexp_parts parts = {
            .regexp = &regexp, .text = examples[i].text, .bytes = strlen(examples[i].text), .limit = examples[i].limit};
        assert_int_equal(
            lt_regexp_compile(&regexp, &account, examples[i].pattern, strlen(examples[i].pattern), NULL, NULL),
            LEAT_OK);
        for (bool is_first = true;; is_first = false) {
            assert_int_equal(lt_regexp_parts_next(&parts, &part, &bytes, &has_part, NULL, NULL), LEAT_OK);
            if (!has_part) break;
            if (!is_first) joined[used++] = '/';
            memcpy(joined + used, part, bytes);
            used += bytes;
        }
        joined[used] = '\0';
        assert_string_equal(joined, examples[i].joined);
    }
    lt_regexp_deinit(&regexp);
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_is_found_as_bytes),       cmocka_unit_test(classes_have_unions_and_intersections),
        cmocka_unit_test(anchors_know_the_line_ends_of_java), cmocka_unit_test(flags_hold_within_their_group),
        cmocka_unit_test(escapes_stand_for_characters),       cmocka_unit_test(what_only_pcre2_has_is_refused),
        cmocka_unit_test(a_search_without_end_is_stopped),    cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(parts_are_those_of_string_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
