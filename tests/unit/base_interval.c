// Intervals: literals of every form, casts, durations, printing. Expected texts: Spark's recordings
// (literals_interval).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/interval.h"

#define PARSING "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING"
#define UNMATCHED "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE"

typedef struct literal_row {
    const char *value, *unit, *unit_last, *wanted;
} literal_row;

static size_t length(const char *text) { return text == NULL ? 0 : strlen(text); }

static void print(const lt_interval *interval, char out[LT_INTERVAL_TEXT_BYTES]) {
    const lt_type type = {.kind = interval->kind, .unit_first = interval->unit_first, .unit_last = interval->unit_last};
    lt_interval_print(&type, interval->kind == LT_INTERVAL_YEAR_MONTH ? interval->months : interval->microseconds, out);
}

static void test_literals(void **state) {
    static const literal_row rows[] = {
        {"1", "HOUR", NULL, "INTERVAL '01' HOUR"},
        {"0.000001", "SECOND", NULL, "INTERVAL '00.000001' SECOND"},
        {"-90", "minute", NULL, "INTERVAL '-90' MINUTE"},
        {"1 02:03", "DAY", "MINUTE", "INTERVAL '1 02:03' DAY TO MINUTE"},
        {"-1 02:03:04.5", "DAY", "SECOND", "INTERVAL '-1 02:03:04.5' DAY TO SECOND"},
        {"178956970-7", "YEAR", "MONTH", "INTERVAL '178956970-7' YEAR TO MONTH"},
        {"-106751991 04:00:54.775808", "DAY", "SECOND", "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"},
        {"1 hour -30 minutes", NULL, NULL, "INTERVAL '00:30' HOUR TO MINUTE"},
        {"3 weeks", NULL, NULL, "INTERVAL '21' DAY"},
        {"1 year 2 months", NULL, NULL, "INTERVAL '1-2' YEAR TO MONTH"},
        {"7 microseconds", NULL, NULL, "INTERVAL '00.000007' SECOND"},
        {"1-13", "YEAR", "MONTH", PARSING},
        {"1 25:00:00", "DAY", "SECOND", PARSING},
        {"178956971-0", "YEAR", "MONTH", PARSING},
        {"1:2", "DAY", "SECOND", UNMATCHED},
        {"1.5", "DAY", NULL, "INVALID_INTERVAL_FORMAT.INVALID_FRACTION"},
        {"abc", "DAY", NULL, "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER"},
        {"1", "MONTH", "DAY", "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION"},
        {"1", "HOUR", "DAY", "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION"},
        {"106751992", "DAY", NULL, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"},
        {"day", NULL, NULL, "INVALID_TYPED_LITERAL"},
        {"1 day 2", NULL, NULL, "INVALID_TYPED_LITERAL"},
        {"", NULL, NULL, "INVALID_TYPED_LITERAL"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lt_interval_part part = {.value           = rows[i].value,
                                       .value_bytes     = length(rows[i].value),
                                       .is_string       = true,
                                       .unit            = rows[i].unit,
                                       .unit_bytes      = length(rows[i].unit),
                                       .unit_last       = rows[i].unit_last,
                                       .unit_last_bytes = length(rows[i].unit_last)};
        lt_interval            interval;
        leat_error             err = {.status = LEAT_OK};
        char                   text[LT_INTERVAL_TEXT_BYTES];
        if (lt_interval_literal(&part, 1, NULL, &interval, &err) == LEAT_OK)
            print(&interval, text);
        else
            snprintf(text, sizeof text, "%s", lt_condition_name(err.condition));
        assert_string_equal(text, rows[i].wanted);
    }
}

static void test_lists_of_parts_span_their_units(void **state) {
    const lt_interval_part parts[] = {
        {.value = "2", .value_bytes = 1, .is_negative = true, .unit = "HOUR", .unit_bytes = 4},
        {.value = "3", .value_bytes = 1, .is_string = true, .unit = "seconds", .unit_bytes = 7},
    };
    lt_interval interval;
    char        text[LT_INTERVAL_TEXT_BYTES];
    (void)state;
    assert_int_equal(lt_interval_literal(parts, 2, NULL, &interval, NULL), LEAT_OK);
    print(&interval, text);
    assert_string_equal(text, "INTERVAL '-01:59:57' HOUR TO SECOND");
}

static void test_casts(void **state) {
    static const struct {
        const char *text;
        lt_unit     first, last;
        const char *wanted;
    } rows[] = {
        {"INTERVAL '1' DAY", LT_UNIT_DAY, LT_UNIT_DAY, "INTERVAL '1' DAY"},
        {"interval -'1 2' day to hour", LT_UNIT_DAY, LT_UNIT_HOUR, "INTERVAL '-1 02' DAY TO HOUR"},
        {"-5", LT_UNIT_HOUR, LT_UNIT_HOUR, "INTERVAL '-05' HOUR"},
        {"1.25", LT_UNIT_SECOND, LT_UNIT_SECOND, "INTERVAL '01.25' SECOND"},
        {"INTERVAL '1' HOUR", LT_UNIT_DAY, LT_UNIT_DAY, UNMATCHED},
        {"x", LT_UNIT_DAY, LT_UNIT_DAY, UNMATCHED},
        {"1 2", LT_UNIT_DAY, LT_UNIT_DAY, UNMATCHED},
        {"1-13", LT_UNIT_YEAR, LT_UNIT_MONTH, PARSING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lt_type type = {.kind = rows[i].first <= LT_UNIT_MONTH ? LT_INTERVAL_YEAR_MONTH : LT_INTERVAL_DAY_TIME,
                              .unit_first = rows[i].first,
                              .unit_last  = rows[i].last};
        lt_interval   interval;
        leat_error    err = {.status = LEAT_OK};
        char          text[LT_INTERVAL_TEXT_BYTES];
        if (lt_interval_parse(rows[i].text, strlen(rows[i].text), &type, NULL, &interval, &err) == LEAT_OK)
            print(&interval, text);
        else
            snprintf(text, sizeof text, "%s", lt_condition_name(err.condition));
        assert_string_equal(text, rows[i].wanted);
    }
}

static void test_calendar_intervals(void **state) {
    static const char *const rows[][2] = {
        {"1 year 2 months 3 days", "1 years 2 months 3 days"},
        {"interval 2 hours", "2 hours"},
        {"-1 month 90.5 seconds", "-1 months 1 minutes 30.5 seconds"},
        {"0 days", "0 seconds"},
    };
    lt_calendar_interval interval;
    char                 text[LT_INTERVAL_TEXT_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(lt_calendar_interval_parse(rows[i][0], strlen(rows[i][0]), &interval));
        lt_calendar_interval_print(&interval, text);
        assert_string_equal(text, rows[i][1]);
    }
    assert_false(lt_calendar_interval_parse("abc", 3, &interval));
    assert_false(lt_calendar_interval_parse("1 eon", 5, &interval));
    assert_false(lt_calendar_interval_parse("99999999999999999999 days", 25, &interval));
}

static void test_durations(void **state) {
    int64_t us;
    (void)state;
    assert_int_equal(lt_duration_parse("1 hour 30 minutes", 17, NULL, &us, NULL), LEAT_OK);
    assert_int_equal(us, 90 * LT_US_PER_MINUTE);
    assert_int_equal(lt_duration_parse("1 week", 6, NULL, &us, NULL), LEAT_OK);
    assert_int_equal(us, 7 * LT_US_PER_DAY);
    assert_int_not_equal(lt_duration_parse("1 month", 7, NULL, &us, NULL), LEAT_OK);
    assert_int_not_equal(lt_duration_parse("abc", 3, NULL, &us, NULL), LEAT_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),  cmocka_unit_test(test_lists_of_parts_span_their_units),
        cmocka_unit_test(test_casts),     cmocka_unit_test(test_calendar_intervals),
        cmocka_unit_test(test_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
