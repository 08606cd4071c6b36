// Dates and days, zones, and the texts of DATE, TIMESTAMP and TIME. Expected texts: Spark's recordings (literals and
// casts), ISO 8601 for weeks, and the rules of the zones' files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/zone_rig.h"

typedef struct text_row {
    const char *text, *wanted; // NULL: refused
} text_row;

static void test_days_and_civil_dates_agree(void **state) {
    (void)state;
    assert_int_equal(lt_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(lt_days_from_civil(2024, 2, 29), 19782);
    assert_int_equal(lt_days_from_civil(-5877641, 6, 23), INT32_MIN);
    assert_int_equal(lt_days_from_civil(5881580, 7, 11), INT32_MAX);
    for (int64_t days = -1000000; days < 1000000; days += 13) {
        const lt_civil_date civil = lt_civil_from_days(days);
        assert_true(lt_civil_is_valid(civil.year, civil.month, civil.day));
        assert_int_equal(lt_days_from_civil(civil.year, civil.month, civil.day), days);
    }
}

static void test_weeks_are_iso_weeks(void **state) {
    (void)state;
    assert_int_equal(lt_iso_week(lt_days_from_civil(2023, 1, 1)), 52);
    assert_int_equal(lt_iso_week(lt_days_from_civil(2020, 12, 31)), 53);
    assert_int_equal(lt_iso_week(lt_days_from_civil(2024, 1, 1)), 1);
    assert_int_equal(lt_iso_weekday(lt_days_from_civil(2024, 3, 17)), 7);
}

static void test_months_clamp_to_their_end(void **state) {
    (void)state;
    const int64_t end = lt_days_from_civil(2024, 1, 31);
    assert_int_equal(lt_days_add_months(end, 1), lt_days_from_civil(2024, 2, 29));
    assert_int_equal(lt_days_add_months(end, -11), lt_days_from_civil(2023, 2, 28));
    assert_int_equal(lt_days_add_months(end, 1200), lt_days_from_civil(2124, 1, 31));
}

static void test_dates(void **state) {
    static const text_row rows[] = {
        {"2024-02-29", "2024-02-29"},
        {" 2024-2-9 ", "2024-02-09"},
        {"2024", "2024-01-01"},
        {"2024-02", "2024-02-01"},
        {"+2024-01-01", "2024-01-01"},
        {"-0001-01-01", "-0001-01-01"},
        {"10000-01-01", "+10000-01-01"},
        {"02024-01-01", "2024-01-01"},
        {"2024-01-01T", "2024-01-01"},
        {"2024-01-01 any", "2024-01-01"},
        {"5881580-07-11", "+5881580-07-11"},
        {"5881580-07-12", NULL},
        {"2024-02-30", NULL},
        {"24-01-01", NULL},
        {"2024-", NULL},
        {"2024-001-01", NULL},
        {"2024-01-01Z", NULL},
        {"20240101", NULL},
        {"2024/01/01", NULL},
        {"", NULL},
        {"99999999999999999999", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t    days;
        char       text[LT_DATETIME_TEXT_BYTES];
        const bool is_date = lt_date_parse(rows[i].text, strlen(rows[i].text), &days);
        assert_int_equal(is_date, rows[i].wanted != NULL);
        if (!is_date) continue;
        lt_date_print(days, text);
        assert_string_equal(text, rows[i].wanted);
    }
}

static void test_timestamps(void **state) {
    static const text_row rows[] = {
        {"2024-01-31 10:20:30.100200", "2024-01-31 10:20:30.1002"},
        {"2024-01-31 10:20:30.123456789", "2024-01-31 10:20:30.123456"},
        {"2024-01-31 10:20:30.", "2024-01-31 10:20:30"},
        {"2024-01-31T1:2", "2024-01-31 01:02:00"},
        {"2024-01-31 10", "2024-01-31 10:00:00"},
        {"2024-01-31 10:20:30-05:30", "2024-01-31 15:50:30"},
        {"2024-01-31 10:20:30+2", "2024-01-31 08:20:30"},
        {"2024-01-31 10:20:30 UTC+2", "2024-01-31 08:20:30"},
        {"2024-01-31 10:20:30 +010203", "2024-01-31 09:18:27"},
        {"2024-01-31 10:20:30-18:00", "2024-02-01 04:20:30"},
        {"2024-07-31 10:20:30 Europe/Berlin", "2024-07-31 08:20:30"},
        {"2024-03-10 02:30:00 America/New_York", "2024-03-10 07:30:00"}, // a gap
        {"2024-11-03 01:30:00 America/New_York", "2024-11-03 05:30:00"}, // an overlap
        {"1880-01-01 00:00:00 Europe/Berlin", "1879-12-31 23:06:32"},    // local mean time
        {"1900-01-01 00:00:00 Europe/Amsterdam", "1900-01-01 00:00:00"},
        {"2024-01-31 10:20:30 PST", "2024-01-31 18:20:30"},
        {"2024-07-31 10:20:30 CET", "2024-07-31 08:20:30"},
        {"2060-07-01 00:00:00 Europe/Berlin", "2060-06-30 22:00:00"}, // the rule behind the last transition
        {"2060-07-01 00:00:00 Europe/Dublin", "2060-06-30 23:00:00"},
        {"2060-01-15 00:00:00 Australia/Sydney", "2060-01-14 13:00:00"},
        {"2011-12-30 12:00:00 Pacific/Apia", "2011-12-30 22:00:00"}, // a day that the zone left out
        {"10:20", "2024-01-02 10:20:00"},
        {"T10:20Z", NULL},
        {"2024-01-31T", NULL},
        {"2024-01-31 24:00:00", NULL},
        {"2024-01-31 10:60:00", NULL},
        {"2024-01-31 10:20:30 Nowhere/City", NULL},
        {"2024-01-31 10:20:30 ../../etc/passwd", NULL},
        {"2024-01-31 10:20:30+25:00", NULL},
        {"1706696430", NULL},
        {"999999-01-01 00:00:00", NULL},
        {"", NULL},
    };
    zone_rig rig;
    (void)state;
    zone_rig_init(&rig, "UTC", lt_days_from_civil(2024, 1, 2) * LT_US_PER_DAY + 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t    us;
        const bool is_timestamp = lt_timestamp_parse(&rig.context, rows[i].text, strlen(rows[i].text), &us);
        assert_int_equal(is_timestamp, rows[i].wanted != NULL);
        if (!is_timestamp) continue;
        lt_timestamp_print(&rig.context.zone, us, rig.text);
        assert_string_equal(rig.text, rows[i].wanted);
    }
    zone_rig_deinit(&rig);
}

static void test_special_words(void **state) {
    zone_rig rig;
    int32_t  days;
    int64_t  us;
    (void)state;
    zone_rig_init(&rig, "Asia/Tokyo", lt_days_from_civil(2024, 1, 2) * LT_US_PER_DAY + 20 * LT_US_PER_HOUR);
    assert_true(lt_date_parse_special(&rig.context, " Tomorrow ", 10, &days));
    assert_int_equal(days, lt_days_from_civil(2024, 1, 4)); // it is the third already in Tokyo
    assert_true(lt_timestamp_parse_special(&rig.context, "today", 5, &us));
    assert_int_equal(us, lt_days_from_civil(2024, 1, 2) * LT_US_PER_DAY + 15 * LT_US_PER_HOUR);
    assert_true(lt_timestamp_parse_special(&rig.context, "NOW", 3, &us));
    assert_int_equal(us, rig.context.now_us);
    assert_false(lt_date_parse_special(&rig.context, "tomorrow!", 9, &days));
    zone_rig_deinit(&rig);
}

static void test_times(void **state) {
    static const text_row rows[] = {
        {"12:34:56.7", "12:34:56.7"},
        {" 1:02:03.5 ", "01:02:03.5"},
        {"01:30:00 PM", "13:30:00"},
        {"12:00:00 AM", "00:00:00"},
        {"9:05 am", "09:05:00"},
        {"noon", NULL},
        {"24:00", NULL},
        {"13:00 PM", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t    us;
        char       text[LT_DATETIME_TEXT_BYTES];
        const bool is_time = lt_time_parse(rows[i].text, strlen(rows[i].text), &us);
        assert_int_equal(is_time, rows[i].wanted != NULL);
        if (!is_time) continue;
        lt_time_print(us, text);
        assert_string_equal(text, rows[i].wanted);
    }
}

static void test_ids_of_zones(void **state) {
    static const text_row rows[] = {
        {"UTC", "UTC"},      {"Z", "Z"},
        {"+1", "+01:00"},    {"-03:30", "-03:30"},
        {"+00:00", "Z"},     {"GMT+2", "GMT+02:00"},
        {"EST", "-05:00"},   {"Europe/Berlin", "Europe/Berlin"},
        {"utc", NULL},       {"", NULL},
        {"+19:00", NULL},    {"+1:60", NULL},
        {"posix/UTC", NULL}, {"Europe", NULL},
        {"Europe/", NULL},   {"Mars/Base", NULL},
    };
    zone_rig rig;
    (void)state;
    zone_rig_init(&rig, "UTC", 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lt_time_zone      zone;
        const leat_status status = lt_time_zone_find(rig.zones, rows[i].text, strlen(rows[i].text), &zone, NULL);
        assert_int_equal(status == LEAT_OK, rows[i].wanted != NULL);
        if (status == LEAT_OK) assert_string_equal(zone.id, rows[i].wanted);
    }
    zone_rig_deinit(&rig);
}

// Any bytes in place of a zone file are either a zone or none; nothing is read beyond them.
static leat_status torn_read(void *user, const char *name, lt_buffer *out, bool *out_exists, leat_error *err) {
    const size_t *kept = user;
    LT_TRY(zone_rig_read(NULL, name, out, out_exists, err));
    if (out->bytes > *kept) out->bytes = *kept;
    return LEAT_OK;
}
static void test_torn_zone_files_are_no_zones(void **state) {
    lt_account account;
    (void)state;
    lt_account_init(&account, NULL, NULL, 0);
    for (size_t kept = 0; kept < 3000; kept += 7) {
        lt_time_zones *zones;
        lt_time_zone   zone;
        assert_int_equal(lt_time_zones_create(&account, torn_read, &kept, &zones, NULL), LEAT_OK);
        if (lt_time_zone_find(zones, "Europe/Berlin", 13, &zone, NULL) == LEAT_OK)
            (void)lt_time_zone_offset(&zone, 4000000000);
        lt_time_zones_destroy(&zones);
    }
    assert_int_equal(account.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days_and_civil_dates_agree),
        cmocka_unit_test(test_weeks_are_iso_weeks),
        cmocka_unit_test(test_months_clamp_to_their_end),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_special_words),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_ids_of_zones),
        cmocka_unit_test(test_torn_zone_files_are_no_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
