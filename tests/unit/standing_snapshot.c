// A snapshot that is written in parts while batches go on: whenever the query is closed and started again, its tables
// are those of the same query without a checkpoint.
#include "exec/session.h"
#include "tests/unit/embed_rig.h"
#include "tests/unit/temporary_folder.h"

#include <sys/stat.h>

static const char *const views[] = {
    // Groups that stay, with values counted once; rows of the table change with every batch.
    "CREATE MATERIALIZED VIEW v%s AS SELECT k, sum(x) AS total, count(DISTINCT x) AS many FROM s GROUP BY k",
    // Groups that come, go, and come again, since the rows they count are taken back.
    "CREATE MATERIALIZED VIEW v%s AS SELECT n, count(*) AS groups, count(DISTINCT k) AS many FROM"
    " (SELECT k, count(*) AS n FROM s GROUP BY k) GROUP BY n",
    // Groups that the watermark closes; the table only grows.
    "CREATE MATERIALIZED VIEW v%s AS SELECT window.start AS at, k, count(*) AS n, sum(x) AS total FROM w"
    " GROUP BY window(t, '10 seconds'), k",
    // Both sides of a join change, and rows count their partners; rows only come; no row of the right side is kept.
    "CREATE MATERIALIZED VIEW v%s AS SELECT a.k, a.n, b.k AS other FROM (SELECT k, count(*) AS n FROM s GROUP BY k) AS "
    "a"
    " FULL JOIN (SELECT x AS k, count(*) AS n FROM s GROUP BY x) AS b ON a.k = b.k AND a.n < b.n",
    "CREATE MATERIALIZED VIEW v%s AS SELECT a.k, b.x FROM s AS a JOIN s AS b ON a.k = b.x AND a.x < b.k",
    "CREATE MATERIALIZED VIEW v%s AS SELECT k, x FROM s WHERE k NOT IN (SELECT n FROM (SELECT k, count(*) AS n FROM s"
    " GROUP BY k))",
    // The nearest row in an order.
    "CREATE MATERIALIZED VIEW v%s AS SELECT a.k, a.n, b.x FROM (SELECT k, count(*) AS n FROM s GROUP BY k) AS a"
    " LEFT ASOF JOIN (SELECT DISTINCT k, x FROM s) AS b MATCH_CONDITION (a.n > b.x) ON a.k = b.k",
    // No groups: whatever has no parts is written at the start of a snapshot.
    "CREATE MATERIALIZED VIEW v%s AS SELECT DISTINCT k, x FROM s",
};
static const char *const options[] = {"", "", "outputMode = 'append', ", "", "", "", "", ""};

typedef struct rig {
    char          folder[64];
    const char   *view, *options;
    leat_session *session, *plain; // with and without a checkpoint
    leat_error   *err;
    size_t        part_bytes;
} rig;

static void session_open(rig *self, bool has_checkpoint, leat_session **out) {
    leat_options given = {.struct_size = sizeof given, .folder = self->folder, .random_seed = 7};
    char         with[128], view[512];
    ASSERT_OK(leat_open(&given, out, self->err), self->err);
    snprintf(with, sizeof with, " WITH (%strigger = 'default'%s)", self->options,
             has_checkpoint ? ", checkpointLocation = 'ck'" : "");
    execute(
        *out,
        "SET checkpointSync = off; CREATE STREAM s (k BIGINT, x BIGINT, t TIMESTAMP) USING json OPTIONS (path 'in');"
        "CREATE STREAM w (k BIGINT, x BIGINT, t TIMESTAMP, WATERMARK FOR t AS t - INTERVAL 5 SECONDS) USING json"
        " OPTIONS (path 'in')",
        self->err);
    snprintf(view, sizeof view, self->view, with);
    execute(*out, view, self->err);
    if (has_checkpoint) lt_standing_find(*out, "v")->snapshot_part_bytes = self->part_bytes;
}

static void file_write(const rig *self, int number, uint64_t *random, int keys) {
    char path[128], staged[128];
    snprintf(staged, sizeof staged, "%s/staged", self->folder);
    snprintf(path, sizeof path, "%s/in/%05d.json", self->folder, number);
    FILE *file = fopen(staged, "w");
    assert_non_null(file);
    for (int i = 0; i < 4; i++) {
        *random      = *random * 6364136223846793005U + 1442695040888963407U;
        unsigned key = (unsigned)(*random >> 33) % (unsigned)keys, second = (unsigned)number / 3;
        fprintf(file, "{\"k\":%u,\"x\":%u,\"t\":\"2026-01-01T%02u:%02u:%02uZ\"}\n", key, (unsigned)(*random >> 50) % 5,
                second / 3600, second / 60 % 60, second % 60);
    }
    fclose(file);
    assert_int_equal(rename(staged, path), 0);
}

static void compare(rig *self, const char *what) {
    char *want = rows_of(self->plain, "SELECT * FROM v ORDER BY ALL", self->err),
         *have = rows_of(self->session, "SELECT * FROM v ORDER BY ALL", self->err);
    if (want == NULL || have == NULL) fail_msg("%s: %s", what, leat_error_message(self->err));
    if (strcmp(want, have) != 0) fail_msg("%s: the table is\n%sinstead of\n%s", what, have, want);
    free(want);
    free(have);
}

static void run_view(size_t view, size_t part_bytes, uint64_t seed) {
    rig      self   = {.view = views[view], .options = options[view], .part_bytes = part_bytes};
    uint64_t random = seed * 0x9E3779B97F4A7C15U, snapshots = 0;
    char     what[128], path[128];
    temporary_folder_create(self.folder);
    snprintf(path, sizeof path, "%s/in", self.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(leat_error_create(&self.err), LEAT_OK);
    session_open(&self, true, &self.session);
    session_open(&self, false, &self.plain);
    for (int batch = 0; batch < 160; batch++) {
        file_write(&self, batch, &random, 40);
        ASSERT_OK(leat_run(self.session, 0, NULL, self.err), self.err);
        ASSERT_OK(leat_run(self.plain, 0, NULL, self.err), self.err);
        const lt_standing *query = lt_standing_find(self.session, "v");
        snprintf(what, sizeof what, "view %zu, parts of %zu, seed %llu, batch %d", view, part_bytes,
                 (unsigned long long)seed, batch);
        if (query->state != LEAT_QUERY_RUNNING) fail_msg("%s: %s", what, query->error.message);
        snapshots += lt_checkpoint_has_snapshot_begun(query->checkpoint);
        if ((random >> 40) % 9 != 0 && batch != 159) continue;
        if ((random >> 44) % 4 == 0 || batch == 159) {
            ASSERT_OK(leat_close(&self.session, self.err), self.err);
            session_open(&self, true, &self.session);
            ASSERT_OK(leat_run(self.session, 0, NULL, self.err), self.err);
        }
        compare(&self, what);
    }
    if (part_bytes < 1000 && view < 3) assert_true(snapshots > 0); // some were under way between batches
    ASSERT_OK(leat_close(&self.session, self.err), self.err);
    ASSERT_OK(leat_close(&self.plain, self.err), self.err);
    leat_error_destroy(&self.err);
    temporary_folder_remove(self.folder);
}

static void test_tables_survive(void **state) {
    static const size_t parts[] = {1, 60, 400, 64 * 1024};
    (void)state;
    for (size_t view = 0; view < sizeof views / sizeof *views; view++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) run_view(view, parts[p], 1 + p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_survive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
