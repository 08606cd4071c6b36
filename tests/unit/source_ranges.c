// What a filter tells the decoder of files changes no answer: random predicates over JSON Lines, against the same rows in
// a table in memory, where no decoder is.
#include "tests/unit/embed_rig.h"
#include "tests/unit/temporary_folder.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

enum { PREDICATE_BYTES = 1024, ROUNDS = 120, ROWS = 5000 };

static uint64_t seed;

static uint32_t random_below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed ^ seed >> 29) >> 20) % bound;
}

static const char *const comparisons[] = {"=", "<", "<=", ">", ">=", "<>", "<=>"};
// A column, and constants of its type and of others.
static const char *const families[][8] = {
    {"l", "40L", "41", "0", "-3L", "9223372036854775807L", "-9223372036854775807L - 1L", "20.5"},
    {"i", "7", "93", "2147483647", "-2147483648", "50L", "0", "NULL"},
    {"k", "3Y", "100Y", "-128Y", "127Y", "5", "0Y", "200S"},
    {"t", "DATE '2024-01-03'", "DATE '2024-01-09'", "DATE '1969-12-31'", "'2024-01-05'", "NULL", "DATE '0001-01-01'",
     "DATE '9999-12-31'"},
    {"ts", "TIMESTAMP '2024-01-01 00:00:10'", "TIMESTAMP '2024-01-01 00:01:00'", "DATE '2024-01-01'", "NULL",
     "TIMESTAMP '1970-01-01 00:00:00'", "TIMESTAMP '2024-01-01 00:00:59.999999'", "TIMESTAMP '2030-01-01 00:00:00'"},
    {"x", "0.5D", "10", "DOUBLE('NaN')", "0", "-0.0D", "99.25D", "NULL"},
    {"s", "'b'", "''", "'longer than twelve bytes'", "'a\"b'", "NULL", "'zz'", "'5'"},
};
static const char *const others[] = {"l IN (1, 2, 3)",
                                     "i IN (5, 90, NULL)",
                                     "k IN (1Y)",
                                     "i IS NULL",
                                     "l IS NOT NULL",
                                     "s LIKE '%b%'",
                                     "NOT (i > 3)",
                                     "i < 10 OR l < 10",
                                     "TRUE",
                                     "length(s) > 5",
                                     "i < 5 AND i > 9",
                                     "l BETWEEN 10 AND 12",
                                     "1000 / (x + 500) > 1.9",
                                     "CAST(l AS STRING) LIKE '1%'"};

static size_t predicate_print(char *out) {
    const uint32_t terms = 1 + random_below(3);
    size_t         used  = 0;
    for (uint32_t i = 0; i < terms; i++) {
        if (i > 0) used += (size_t)sprintf(out + used, random_below(6) == 0 ? " OR " : " AND ");
        if (random_below(4) == 0) {
            used += (size_t)sprintf(out + used, "(%s)", others[random_below(sizeof others / sizeof *others)]);
            continue;
        }
        const char *const *family     = families[random_below(sizeof families / sizeof *families)];
        const char        *constant   = family[1 + random_below(7)];
        const bool         is_swapped = random_below(4) == 0;
        used += (size_t)sprintf(out + used, "(%s %s %s)", is_swapped ? constant : family[0],
                                comparisons[random_below(sizeof comparisons / sizeof *comparisons)],
                                is_swapped ? family[0] : constant);
    }
    return used;
}

// A value of a member, now and then NULL or one that its column does not take.
static void member_print(FILE *file, const char *name, const char *text) {
    static const char *const odd[] = {"null",          "true", "\"odd\"", "1.5", "[1]", "99999999999999999999",
                                      "\"\\u0062\\n\""};
    if (random_below(40) == 0) text = odd[random_below(random_below(10) == 0 ? 7 : 1)];
    fprintf(file, "\"%s\":%s", name, text);
}

static void file_write(const char *path, bool is_shuffled) {
    static const char *const texts[] = {
        "\"b\"", "\"\"", "\"longer than twelve bytes\"", "\"a\\\"b\"", "\"caf\xc3\xa9 noir\"", "\"zz\""};
    static const char *const names[] = {"id", "l", "i", "k", "t", "ts", "x", "s"};
    FILE                    *file    = fopen(path, "wb");
    assert_non_null(file);
    for (uint32_t row = 0; row < ROWS; row++) {
        char           values[8][64];
        const uint32_t first = is_shuffled ? random_below(8) : 0;
        snprintf(values[0], 64, "%" PRIu32, row);
        snprintf(values[1], 64, "%d", (int)random_below(100) - 5);
        snprintf(values[2], 64, "%" PRIu32, random_below(100));
        snprintf(values[3], 64, "%d", (int)random_below(256) - 128);
        snprintf(values[4], 64, "\"2024-01-%02u\"", 1 + random_below(10));
        snprintf(values[5], 64, "\"2024-01-01T00:0%u:%02uZ\"", random_below(2), random_below(60));
        snprintf(values[6], 64, "%d.%02u", (int)random_below(200) - 100, random_below(100));
        snprintf(values[7], 64, "%s", texts[random_below(sizeof texts / sizeof *texts)]);
        for (uint32_t i = 0; i < 8; i++) {
            fputs(i == 0 ? "{" : ",", file);
            member_print(file, names[(i + first) % 8], values[(i + first) % 8]);
        }
        fputs("}\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static void test_files_and_memory_keep_the_same_rows(void **state) {
    (void)state;
    char          folder[64], path[128], sql[PREDICATE_BYTES + 512];
    leat_session *session;
    leat_error   *err = NULL;
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    assert_true(temporary_folder_create(folder));
    for (int is_shuffled = 0; is_shuffled < 2; is_shuffled++) {
        seed = 41 + (uint64_t)is_shuffled;
        snprintf(path, sizeof path, "%s/rows_%d.json", folder, is_shuffled);
        file_write(path, is_shuffled != 0);
        ASSERT_OK(leat_open(NULL, &session, err), err);
        execute(session, "SET TIME ZONE 'UTC'", err);
        snprintf(sql, sizeof sql,
                 "CREATE TABLE files (id BIGINT, l BIGINT, i INT, k TINYINT, t DATE, ts TIMESTAMP, x DOUBLE, s STRING) "
                 "USING json OPTIONS (path '%s')",
                 path);
        execute(session, sql, err);
        execute(session, "CREATE TABLE kept AS SELECT * FROM files", err);
        for (int round = 0; round < ROUNDS; round++) {
            char predicate[PREDICATE_BYTES];
            (void)predicate_print(predicate);
            const char *columns = round % 3 == 0 ? "*" : round % 3 == 1 ? "id, s, x" : "count(*), sum(id), max(s)";
            snprintf(sql, sizeof sql, "SELECT %s FROM kept WHERE %s", columns, predicate);
            char *wanted = rows_of(session, sql, err);
            if (wanted == NULL) fail_msg("%s: %s", sql, leat_error_message(err));
            snprintf(sql, sizeof sql, "SELECT %s FROM files WHERE %s", columns, predicate);
            char *found = rows_of(session, sql, err);
            if (found == NULL) fail_msg("%s: %s", sql, leat_error_message(err));
            if (strcmp(found, wanted) != 0) fail_msg("%s gives other rows than over a table in memory", sql);
            free(wanted);
            free(found);
        }
        ASSERT_OK(leat_close(&session, err), err);
    }
    temporary_folder_remove(folder);
    leat_error_destroy(&err);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files_and_memory_keep_the_same_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
