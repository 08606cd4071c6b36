// The same rows, cut into files and batches in random ways with restarts in between, give the same tables as one batch
// of all of them. The seed is printed; give it, and how many cuts, as arguments.
#include "tests/fault/fs_power.h"
#include "tests/unit/embed_rig.h"

enum { ROWS = 120, CUTS = 300 };

static uint64_t random_state;
static uint64_t random_below(uint64_t n) {
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (random_state >> 33) % n;
}

static const struct {
    const char *name, *sql, *read;
} queries[] = {
    {"grouped",
     "SELECT k, count(*) AS n, sum(v) AS s, min(v) AS low, max(v) AS high, avg(v) AS mean FROM rows GROUP BY k",
     "SELECT * FROM grouped ORDER BY k"},
    {"distinct_values", "SELECT DISTINCT k, v % 5 AS v5 FROM rows", "SELECT * FROM distinct_values ORDER BY 1, 2"},
    {"joined", "SELECT rows.k, name, v FROM rows JOIN names ON rows.k = names.k WHERE v > 10",
     "SELECT * FROM joined ORDER BY 1, 2, 3"},
    {"per_window",
     "SELECT window.start AS w, k, count(*) AS n, count(DISTINCT v) AS d FROM rows"
     " GROUP BY window(t, '10 minutes'), k",
     "SELECT * FROM per_window ORDER BY 1, 2"},
    {"filtered",
     "SELECT upper(k) AS k, v * 2 AS v2, CASE WHEN v < 50 THEN 'low' END AS size FROM rows WHERE v % 3 <> 0",
     "SELECT * FROM filtered ORDER BY 1, 2"},
    {"total", "SELECT sum(v) AS s, count(*) AS n FROM rows HAVING count(*) > 3", "SELECT * FROM total"},
    {"best", "SELECT k, v FROM rows ORDER BY v DESC, k LIMIT 7", "SELECT * FROM best ORDER BY v DESC, k"},
};
enum { QUERIES = sizeof queries / sizeof *queries };

static void row_print(char *out, size_t capacity, uint64_t number) {
    static const char *const keys[] = {"a", "b", "c", "dd", "e"};
    uint64_t                 h      = (number + 1) * 0x9e3779b97f4a7c15ULL;
    snprintf(out, capacity, "{\"k\": \"%s\", \"v\": %d, \"t\": \"2024-01-01T%02d:%02d:00Z\"}\n", keys[(h >> 20) % 5],
             (int)((h >> 40) % 100), (int)((h >> 9) % 3), (int)((h >> 13) % 60));
}

static void file_write(lt_fs_power *disk, const char *path, const char *text) {
    const leat_file_system *fs = &disk->system;
    void                   *file;
    size_t                  count;
    assert_int_equal(fs->open(fs->user, path, LEAT_OPEN_WRITE | LEAT_OPEN_CREATE, &file), 0);
    if (text[0] != '\0') assert_int_equal(fs->write(fs->user, file, 0, text, strlen(text), &count), 0);
    assert_int_equal(fs->close(fs->user, file), 0);
}

static leat_session *start(lt_fs_power *disk, leat_error *err) {
    leat_options  options = {.struct_size = sizeof options, .file_system = &disk->system};
    leat_session *session;
    ASSERT_OK(leat_open(&options, &session, err), err);
    execute(session,
            "CREATE STREAM rows (k STRING, v INT, t TIMESTAMP) USING json OPTIONS (path 'in', maxFilesPerTrigger '2');"
            "CREATE TABLE names AS SELECT * FROM VALUES ('a', 'anna'), ('b', 'bert'), ('dd', 'dora'), ('a', 'ada')"
            " AS t(k, name)",
            err);
    for (size_t q = 0; q < QUERIES; q++) {
        char sql[512];
        snprintf(sql, sizeof sql, "CREATE MATERIALIZED VIEW %s WITH (checkpointLocation = 'ck%zu') AS %s",
                 queries[q].name, q, queries[q].sql);
        execute(session, sql, err);
    }
    return session;
}

// Rows [0, ROWS) in `files` files; a restart before file i with probability 1 / restart_in (0: never).
static void run(uint64_t file_count, uint64_t restart_in, char *tables[QUERIES], leat_error *err) {
    lt_fs_power disk;
    uint64_t    next = 0;
    lt_fs_power_init(&disk);
    assert_int_equal(disk.system.make_folder(disk.system.user, "in"), 0);
    leat_session *session = start(&disk, err);
    for (uint64_t f = 0; f < file_count; f++) {
        char     text[ROWS * 100] = "", path[32];
        size_t   used             = 0;
        uint64_t left = ROWS - next, take = f + 1 == file_count ? left : random_below(left / 2 + 2);
        for (; take > 0 && next < ROWS; take--, next++) {
            row_print(text + used, sizeof text - used, next);
            used += strlen(text + used);
        }
        snprintf(path, sizeof path, "in/%04llu.json", (unsigned long long)f);
        file_write(&disk, path, text);
        if (random_below(2) == 0) ASSERT_OK(leat_run(session, 0, NULL, err), err);
        if (restart_in != 0 && random_below(restart_in) == 0) {
            ASSERT_OK(leat_close(&session, err), err);
            session = start(&disk, err);
        }
    }
    ASSERT_OK(leat_run(session, 0, NULL, err), err);
    for (size_t q = 0; q < QUERIES; q++) {
        tables[q] = rows_of(session, queries[q].read, err);
        if (tables[q] == NULL) fail_msg("%s: %s", queries[q].name, leat_error_message(err));
    }
    ASSERT_OK(leat_close(&session, err), err);
    lt_fs_power_deinit(&disk);
}

static uint64_t seed;
static uint64_t cuts = CUTS;

static void test_cuts(void **state) {
    (void)state;
    leat_error *err;
    char       *expected[QUERIES], *plain[QUERIES], *cut[QUERIES];
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    run(1, 0, expected, err);
    // One batch says the same as a SELECT over the rows: the batch is not its own witness.
    lt_fs_power disk;
    lt_fs_power_init(&disk);
    char   text[ROWS * 100];
    size_t used = 0;
    for (uint64_t row = 0; row < ROWS; row++) {
        row_print(text + used, sizeof text - used, row);
        used += strlen(text + used);
    }
    file_write(&disk, "rows.json", text);
    leat_options  options = {.struct_size = sizeof options, .file_system = &disk.system};
    leat_session *session;
    ASSERT_OK(leat_open(&options, &session, err), err);
    execute(session,
            "CREATE TABLE rows (k STRING, v INT, t TIMESTAMP) USING json OPTIONS (path 'rows.json');"
            "CREATE TABLE names AS SELECT * FROM VALUES ('a', 'anna'), ('b', 'bert'), ('dd', 'dora'), ('a', 'ada')"
            " AS t(k, name)",
            err);
    for (size_t q = 0; q < QUERIES; q++) {
        char sql[1024];
        snprintf(sql, sizeof sql, "CREATE VIEW %s AS %s", queries[q].name, queries[q].sql);
        execute(session, sql, err);
        plain[q] = rows_of(session, queries[q].read, err);
        assert_non_null(plain[q]);
        if (strcmp(plain[q], expected[q]) != 0)
            fail_msg("%s: a SELECT gives\n%sthe query in one batch\n%s", queries[q].name, plain[q], expected[q]);
        free(plain[q]);
    }
    leat_close(&session, err);
    lt_fs_power_deinit(&disk);
    for (uint64_t i = 0; i < cuts; i++) {
        random_state        = seed + i;
        uint64_t file_count = 1 + random_below(20), restart_in = 1 + random_below(5);
        run(file_count, restart_in, cut, err);
        for (size_t q = 0; q < QUERIES; q++) {
            if (strcmp(cut[q], expected[q]) != 0)
                fail_msg("seed %llu: %llu files: %s is\n%snot\n%s", (unsigned long long)(seed + i),
                         (unsigned long long)file_count, queries[q].name, cut[q], expected[q]);
            free(cut[q]);
        }
    }
    for (size_t q = 0; q < QUERIES; q++) free(expected[q]);
    leat_error_destroy(&err);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cuts)};
    seed                            = count > 1 ? strtoull(arguments[1], NULL, 10) : 20240101;
    cuts                            = count > 2 ? strtoull(arguments[2], NULL, 10) : CUTS;
    printf("seed %llu, %llu cuts\n", (unsigned long long)seed, (unsigned long long)cuts);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
