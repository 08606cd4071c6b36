// A filter keeps exactly the rows for which its predicate, as a column, is TRUE, and fails only when that fails: random
// predicates over columns of many types, with NULLs, in tables longer than a chunk, and where few rows are left.
#include "tests/unit/embed_rig.h"

#include <stddef.h>
#include <stdint.h>

enum { PREDICATE_BYTES = 4096, ROUNDS = 400 };

static uint64_t seed;

static uint32_t random_below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed ^ seed >> 29) >> 20) % bound;
}

static const char *const comparisons[] = {"=", "<", "<=", ">", ">=", "<>", "<=>"};
// Columns that are compared with each other and with the constants beside them.
static const char *const families[][9] = {
    {"i", "i2", "3", "0", "-7", "1000", "b", "2.5", NULL},
    {"d", "d2", "w", "12.5", "12.505", "-0.01", "7", "99999999999999999999.5", NULL},
    {"x", "f", "DOUBLE('NaN')", "0.5D", "-0.0D", "FLOAT('NaN')", "3", NULL, NULL},
    {"s", "s2", "'b'", "'abcdefghijkl'", "'abcdefghijklm'", "''", "'ab'", NULL, NULL},
    {"t", "DATE '1970-01-05'", "DATE '1970-02-01'", "t + INTERVAL 3 DAY", NULL},
    {"n", "TRUE", "FALSE", "i > 3", NULL},
    {"b", "10000000000", "b + 1", "i", "5L", NULL},
    {"k", "k2", "3Y", "-128Y", "200S", NULL},
};
static const char *const others[]  = {"i IN (1, 3, NULL)",
                                      "s IN ('b', 'abcdefghijklm', 'zz')",
                                      "d IN (1.00, 12.50)",
                                      "b IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10000000000)",
                                      "s LIKE '%b%'",
                                      "s IS NULL",
                                      "i IS NOT NULL",
                                      "CAST(NULL AS BOOLEAN)",
                                      "TRUE",
                                      "FALSE",
                                      "coalesce(n, i > 2)",
                                      "CASE WHEN i > 2 THEN n ELSE s = 'b' END",
                                      "id < 4",
                                      "id % 1000 = 77",
                                      "n"};
static const char *const failing[] = {"10 / i > 2", "i2 * 2000000000 > 5", "CAST(s AS INT) > 3"};

static size_t term_print(char *out, uint32_t depth, bool may_fail) {
    const uint32_t kind = random_below(depth == 0 ? 6 : 12);
    size_t         used = 0;
    if (kind < 5) {
        const char *const *family = families[random_below(sizeof families / sizeof *families)];
        uint32_t           count  = 0;
        while (count < 9 && family[count] != NULL) count++;
        return (size_t)sprintf(out, "(%s %s %s)", family[random_below(count)],
                               comparisons[random_below(sizeof comparisons / sizeof *comparisons)],
                               family[random_below(count)]);
    }
    if (kind == 5) {
        if (may_fail && random_below(3) == 0) return (size_t)sprintf(out, "(%s)", failing[random_below(3)]);
        return (size_t)sprintf(out, "(%s)", others[random_below(sizeof others / sizeof *others)]);
    }
    if (kind == 6) {
        used = (size_t)sprintf(out, "(NOT ");
        used += term_print(out + used, depth - 1, may_fail);
        return used + (size_t)sprintf(out + used, ")");
    }
    const uint32_t terms = 2 + random_below(3);
    used                 = (size_t)sprintf(out, "(");
    for (uint32_t i = 0; i < terms; i++) {
        if (i > 0) used += (size_t)sprintf(out + used, kind < 10 ? " AND " : " OR ");
        used += term_print(out + used, depth - 1, may_fail);
    }
    return used + (size_t)sprintf(out + used, ")");
}

static void filters_keep_what_is_true(void **unused) {
    (void)unused;
    leat_session *session = NULL;
    leat_error   *err     = NULL;
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    ASSERT_OK(leat_open(NULL, &session, err), err);
    execute(
        session,
        "CREATE TABLE rows AS SELECT id, "
        "IF(id % 11 = 0, NULL, CAST(abs(xxhash64(id, 1)) % 9 - 2 AS INT)) AS i, "
        "CAST(abs(xxhash64(id, 2)) % 9 AS INT) AS i2, "
        "IF(id % 13 = 0, NULL, abs(xxhash64(id, 3)) % 12 * IF(id % 3 = 0, 1000000000, 1)) AS b, "
        "IF(id % 7 = 0, NULL, CAST((abs(xxhash64(id, 4)) % 2600 - 100) / 100 AS DECIMAL(12, 2))) AS d, "
        "CAST((abs(xxhash64(id, 5)) % 2600 - 100) / 200 AS DECIMAL(9, 3)) AS d2, "
        "CAST(CAST(id % 40 AS DECIMAL(38, 5)) * IF(id % 2 = 0, 99999999999999999999.5, 0.5) AS DECIMAL(38, 5)) AS w, "
        "IF(id % 17 = 0, DOUBLE('NaN'), CAST(xxhash64(id, 6) % 4 AS DOUBLE) / 2) AS x, "
        "IF(id % 19 = 0, NULL, CAST(xxhash64(id, 7) % 4 AS FLOAT)) AS f, "
        "IF(id % 5 = 0, NULL, substr('abcdefghijklmn', CAST(abs(xxhash64(id, 8)) % 3 AS INT), "
        "                            CAST(abs(xxhash64(id, 9)) % 15 AS INT))) AS s, "
        "substr('abcdefghijklmn', CAST(abs(xxhash64(id, 10)) % 3 AS INT), 13) AS s2, "
        "date_add(DATE '1970-01-01', CAST(abs(xxhash64(id, 11)) % 40 AS INT)) AS t, "
        "IF(id % 4 = 0, NULL, xxhash64(id, 12) > 0) AS n, "
        "CAST(xxhash64(id, 13) % 128 AS TINYINT) AS k, CAST(xxhash64(id, 14) % 300 AS SMALLINT) AS k2 "
        "FROM range(4500)",
        err);
    static char predicate[PREDICATE_BYTES], wanted_sql[PREDICATE_BYTES + 200], found_sql[PREDICATE_BYTES + 200];
    uint32_t    failed = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        seed = round;
        term_print(predicate, 2, round % 4 == 0);
        // The predicate as a column, unfolded into the outer filter by nobody: it stands in an aggregate.
        snprintf(wanted_sql, sizeof wanted_sql,
                 "SELECT count_if(v), sum(IF(v, id, 0)) FROM (SELECT id, any_value(%s) AS v FROM rows GROUP BY id)",
                 predicate);
        snprintf(found_sql, sizeof found_sql, "SELECT count(*), coalesce(sum(id), 0) FROM rows WHERE %s", predicate);
        char *wanted = rows_of(session, wanted_sql, err);
        if (wanted == NULL) { // a filter may know without a look at the rows that it keeps none
            failed++;
            continue;
        }
        char *found = rows_of(session, found_sql, err);
        if (found == NULL) fail_msg("seed %u: WHERE %s: %s", round, predicate, leat_error_message(err));
        if (strcmp(found, wanted) != 0)
            fail_msg("seed %u: WHERE %s: found %s, wanted %s", round, predicate, found, wanted);
        free(wanted);
        free(found);
    }
    assert_true(failed < ROUNDS / 4);
    ASSERT_OK(leat_close(&session, err), err);
    leat_error_destroy(&err);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters_keep_what_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
