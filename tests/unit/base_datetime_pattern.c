// Date patterns: what they write, read and refuse. Expected texts: Spark's recordings (datetime_format,
// datetime_read).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/datetime_pattern.h"
#include "tests/unit/zone_rig.h"

#define RECOGNITION "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"

typedef struct pattern_row {
    const char *text, *pattern, *wanted;
} pattern_row;

static const char *formatted(zone_rig *rig, const char *text, const char *pattern) {
    const lt_datetime_pattern *compiled;
    lt_arena                   arena;
    lt_buffer                  out;
    int64_t                    us;
    leat_error                 err = {.status = LEAT_OK};
    assert_true(lt_timestamp_parse(&rig->context, text, strlen(text), &us));
    lt_arena_init(&arena, &rig->account);
    lt_buffer_init(&out, &rig->account, 0);
    leat_status status =
        lt_datetime_pattern_compile(&arena, pattern, strlen(pattern), LT_PATTERN_FORMAT, NULL, &compiled, &err);
    if (status == LEAT_OK) status = lt_datetime_pattern_format(compiled, &rig->context.zone, us, &out, &err);
    snprintf(rig->text, sizeof rig->text, "%s",
             status != LEAT_OK ? lt_condition_name(err.condition)
             : out.bytes == 0  ? ""
                               : out.data);
    lt_buffer_deinit(&out);
    lt_arena_deinit(&arena);
    return rig->text;
}

static const char *parsed(zone_rig *rig, const char *text, const char *pattern) {
    const lt_datetime_pattern *compiled;
    lt_arena                   arena;
    lt_datetime_parsed         found;
    leat_error                 err = {.status = LEAT_OK};
    lt_arena_init(&arena, &rig->account);
    if (lt_datetime_pattern_compile(&arena, pattern, strlen(pattern), LT_PATTERN_PARSE, NULL, &compiled, &err) !=
        LEAT_OK)
        snprintf(rig->text, sizeof rig->text, "%s", lt_condition_name(err.condition));
    else if (!lt_datetime_pattern_parse(compiled, &rig->context, text, strlen(text), &found))
        snprintf(rig->text, sizeof rig->text, "NULL");
    else
        lt_timestamp_print(&rig->context.zone, found.utc_us, rig->text);
    lt_arena_deinit(&arena);
    return rig->text;
}

static void test_formats(void **state) {
    static const pattern_row rows[] = {
        {"2024-03-05 07:08:09.123456", "yyyy-MM-dd HH:mm:ss", "2024-03-05 07:08:09"},
        {"2024-03-05", "MMM MMMM L LLL d dd D DD DDD F", "Mar March 3 Mar 5 05 65 65 065 5"},
        {"2024-03-05", "Q QQQ q QQQQ G", "1 Q1 1 1st quarter AD"},
        {"-0001-03-05", "y G", "2 BC"},
        {"2024-03-05 00:08:09", "h k K", "12 24 0"},
        {"2024-03-05 07:08:09.123456", "S SSS SSSSSSSSS", "1 123 123456000"},
        {"2024-03-05", "VV z zzzz Z ZZZZ ZZZZZ", "UTC UTC Coordinated Universal Time +0000 GMT Z"},
        {"2024-03-05", "'year' yyyy''MM[-dd]/-.,: ", "year 2024'03-05/-.,: "},
        {"10000-01-01", "yyyy-MM-dd", "+10000-01-01"},
        {"0001-01-01", "yyyy-MM-dd EEE", "0001-01-01 Mon"},
        {"2024-11-09 18:04:05", "h:mm a M/d/yy EEEE, d MMMM", "6:04 PM 11/9/24 Saturday, 9 November"},
        {"2024-01-01", "", ""},
        {"2024-01-01", "Y", RECOGNITION},
        {"2024-01-01", "yyyyyyyyy", RECOGNITION},
        {"2024-01-01", "MMMMM", RECOGNITION},
        {"2024-01-01", "#", RECOGNITION},
        {"2024-01-01", "T", "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"},
        {"2024-01-01", "'open", "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"},
        {"2024-01-01", "n", "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"},
        {"2024-01-01", "e", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN"},
    };
    zone_rig rig;
    (void)state;
    zone_rig_init(&rig, "UTC", 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(formatted(&rig, rows[i].text, rows[i].pattern), rows[i].wanted);
    zone_rig_deinit(&rig);
}

static void test_offsets_of_a_zone(void **state) {
    zone_rig rig;
    (void)state;
    zone_rig_init(&rig, "Asia/Kolkata", 0);
    assert_string_equal(formatted(&rig, "2024-03-05", "X XX XXX x Z ZZZZZ O OOOO z"),
                        "+0530 +0530 +05:30 +0530 +0530 +05:30 GMT+5:30 GMT+05:30 IST");
    zone_rig_deinit(&rig);
}

static void assert_same_text(zone_rig *rig, const lt_datetime_pattern *pattern, int64_t us, const lt_buffer *wanted) {
    lt_buffer other;
    lt_buffer_init(&other, &rig->account, 0);
    assert_int_equal(lt_datetime_pattern_format(pattern, &rig->context.zone, us, &other, NULL), LEAT_OK);
    assert_string_equal(other.data, wanted->data);
    lt_buffer_deinit(&other);
}

// Within it texts are equal; behind its ends they differ or another stretch begins.
static void check_stretch(zone_rig *rig, const char *text, int64_t us) {
    const lt_datetime_pattern *pattern;
    lt_arena                   arena;
    lt_buffer                  wanted;
    int64_t                    first, last, first_again, last_again;
    lt_arena_init(&arena, &rig->account);
    lt_buffer_init(&wanted, &rig->account, 0);
    assert_int_equal(lt_datetime_pattern_compile(&arena, text, strlen(text), LT_PATTERN_FORMAT, NULL, &pattern, NULL),
                     LEAT_OK);
    assert_int_equal(lt_datetime_pattern_format(pattern, &rig->context.zone, us, &wanted, NULL), LEAT_OK);
    lt_datetime_pattern_stretch(pattern, &rig->context.zone, us, &first, &last);
    assert_true(first <= us && us <= last);
    assert_same_text(rig, pattern, first, &wanted);
    assert_same_text(rig, pattern, last, &wanted);
    for (int64_t part = 1; part < 16; part++)
        assert_same_text(rig, pattern, first + (last - first) / 16 * part, &wanted);
    lt_datetime_pattern_stretch(pattern, &rig->context.zone, last, &first_again, &last_again);
    assert_true(first_again == first && last_again == last);
    lt_buffer_deinit(&wanted);
    lt_arena_deinit(&arena);
}

static void test_texts_of_a_stretch_are_equal(void **state) {
    static const char *const zones[]    = {"UTC",          "+05:30",          "Europe/Berlin",      "America/St_Johns",
                                           "Pacific/Apia", "Africa/Monrovia", "Australia/Lord_Howe"};
    static const char *const patterns[] = {"yyyy-MM-dd",  "HH:mm",  "hh a", "EEE HH:mm:ss z",
                                           "VV xxx yyyy", "ss.SSS", "'x'"};
    uint64_t                 random     = 7;
    (void)state;
    for (size_t z = 0; z < sizeof zones / sizeof zones[0]; z++) {
        zone_rig rig;
        zone_rig_init(&rig, zones[z], 0);
        for (uint32_t i = 0; i < 3000; i++) {
            random           = random * 6364136223846793005u + 1442695040888963407u;
            const int64_t us = (int64_t)(random >> 8) % (200 * 366 * LT_US_PER_DAY) - 90 * 366 * LT_US_PER_DAY;
            check_stretch(&rig, patterns[i % (sizeof patterns / sizeof patterns[0])], us);
        }
        zone_rig_deinit(&rig);
    }
}

// The hours around a change of clocks.
static void test_a_stretch_ends_where_clocks_change(void **state) {
    zone_rig rig;
    int64_t  us;
    (void)state;
    zone_rig_init(&rig, "Europe/Berlin", 0);
    assert_true(lt_timestamp_parse(&rig.context, "2024-10-27 01:30:00", 19, &us));
    for (uint32_t i = 0; i < 3 * 60; i++) {
        check_stretch(&rig, "HH:mm:ss XXX", us + i * LT_US_PER_MINUTE);
        check_stretch(&rig, "yyyy-MM-dd z", us + i * LT_US_PER_MINUTE);
    }
    zone_rig_deinit(&rig);
}

static void test_parses(void **state) {
    static const pattern_row rows[] = {
        {"05/03/2024", "dd/MM/yyyy", "2024-03-05 00:00:00"},
        {"5.3.24", "d.M.yy", "2024-03-05 00:00:00"},
        {"mar 5, 2024", "MMM d, yyyy", "2024-03-05 00:00:00"},
        {"2024065", "yyyyDDD", "2024-03-05 00:00:00"},
        {"20240305", "yyyyMMdd", "2024-03-05 00:00:00"}, // fixed numbers take their digits first
        {"2024-03-05 12:20 AM", "yyyy-MM-dd hh:mm a", "2024-03-05 00:20:00"},
        {"2024-03-05 10:20:30.1", "yyyy-MM-dd HH:mm:ss.SSS", "2024-03-05 10:20:30.1"},
        {"2024-03-05T10:20:30+02:00", "yyyy-MM-dd'T'HH:mm:ssXXX", "2024-03-05 08:20:30"},
        {"2024-03-05 10:20:30 +0200", "yyyy-MM-dd HH:mm:ss Z", "2024-03-05 08:20:30"},
        {"2024-07-05 10:20 Europe/Berlin", "yyyy-MM-dd HH:mm VV", "2024-07-05 08:20:00"},
        {"2024-03-05", "yyyy-MM-dd[ HH:mm[:ss]]", "2024-03-05 00:00:00"},
        {"2024-03-05 10:20", "yyyy-MM-dd[ HH:mm[:ss]]", "2024-03-05 10:20:00"},
        {"10:20", "HH:mm", "1970-01-01 10:20:00"},
        {"2024-03-05x", "yyyy-MM-dd", "NULL"},
        {"2024-3-5", "yyyy-MM-dd", "NULL"},
        {"05/13/2024", "dd/MM/yyyy", "NULL"},
        {"2024-02-30", "yyyy-MM-dd", "NULL"},
        {"2024-03-05 13:00 PM", "yyyy-MM-dd hh:mm a", "NULL"},
        {"5 6", "d d", "NULL"}, // one field, two values
        {"99999999999999999999", "y", "NULL"},
        {"Tue 2024-03-05", "EEE yyyy-MM-dd", RECOGNITION},
        {"1", "Q", "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"},
    };
    zone_rig rig;
    (void)state;
    zone_rig_init(&rig, "UTC", 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(parsed(&rig, rows[i].text, rows[i].pattern), rows[i].wanted);
    zone_rig_deinit(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_offsets_of_a_zone),
        cmocka_unit_test(test_texts_of_a_stretch_are_equal),
        cmocka_unit_test(test_a_stretch_ends_where_clocks_change),
        cmocka_unit_test(test_parses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
