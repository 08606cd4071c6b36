// flat_cost: what must not grow with the state or the past: batches, small files, idle triggers, opening and closing.
//
//     flat_cost batch    [--groups N] [--batches N] [--mode complete|update|none] [--checkpoint]   a batch of 100 rows
//     flat_cost batch    --view NAME [--groups N] [--batches N] [--checkpoint] [--recompute]     the same for a row of `views`
//     flat_cost files    [--files N] [--rows N] [--checkpoint]       many small files in one batch, beside one large file
//     flat_cost idle     [--files N]                                 a trigger that finds nothing, N files seen
//     flat_cost restart  [--groups N] [--mode ...]                   open, query and close with N groups in a checkpoint
//
// One JSON line a figure, CPU microseconds of this process; answers are checked before a line is printed.
#include "bench/measure.h"

typedef struct job {
    uint64_t    groups, batches, files, rows, seed;
    bool        has_checkpoint, recomputes; // recomputes: SET recompute = all
    const char *mode, *view;
    char        folder[256];
} job;

// What is kept beside the totals: id is any of the groups, `at` grows from row to row.
static const struct {
    const char *name, *sql;
} views[] = {
    {"totals", "SELECT id, sum(amount) AS total FROM events GROUP BY id"},
    {"over_in_order",
     "SELECT id, amount AS total, sum(amount) OVER (PARTITION BY id % 100 ORDER BY at) AS run FROM events"},
    {"over_of_all",
     "SELECT id, amount AS total, row_number() OVER (ORDER BY at) AS n, sum(amount) OVER (ORDER BY at) AS run,"
     " lag(id) OVER (ORDER BY at) AS before FROM events"},
    {"over_anywhere", "SELECT id, amount AS total, lag(at) OVER (ORDER BY id, at) AS before FROM events"},
    {"over_small",
     "SELECT id, amount AS total, rank() OVER (PARTITION BY id % 10000 ORDER BY id) AS n, sum(amount) OVER"
     " (PARTITION BY id % 10000) AS run FROM events"},
    {"top",
     "SELECT id, amount AS total FROM events QUALIFY row_number() OVER (PARTITION BY id % 1000 ORDER BY at DESC) <= 3"},
    {"last", "SELECT id, amount AS total FROM events QUALIFY row_number() OVER (PARTITION BY id ORDER BY at DESC) = 1"},
    {"limit",
     "SELECT id, total FROM (SELECT id, amount AS total FROM events ORDER BY at DESC LIMIT 10) WHERE total > 0"},
    {"sessions", "SELECT id % 1000 AS id, session_window.start, sum(amount) AS total FROM events GROUP BY id % 1000,"
                 " session_window(timestamp_seconds(at), '5 seconds')"},
    {"pivot",
     "SELECT id, coalesce(a, 0) + coalesce(b, 0) AS total FROM (SELECT id, id % 2 AS half, amount FROM events) PIVOT"
     " (sum(amount) FOR half IN (0 AS a, 1 AS b))"},
};

enum { BATCH_ROWS = 100, WARM_FILE_ROWS = 1000000 };

static uint64_t next_at;

static void file_put(const job *self, const char *folder, const char *name, uint64_t first, uint64_t rows,
                     uint64_t seed) {
    char from[400], to[400];
    snprintf(from, sizeof from, "%s/staging/%s", self->folder, name);
    snprintf(to, sizeof to, "%s/%s/%s", self->folder, folder, name);
    FILE *file = fopen(from, "w");
    if (file == NULL) measure_fail(from, NULL);
    for (uint64_t i = 0; i < rows; i++)
        fprintf(file, "{\"id\":%" PRIu64 ",\"amount\":1,\"at\":%" PRIu64 "}\n",
                seed == 0 ? first + i : measure_mix(seed + i) % self->groups, next_at++);
    fclose(file);
    if (rename(from, to) != 0) measure_fail(to, NULL);
}

static const char *view_sql(const job *self) {
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (strcmp(views[i].name, self->view) == 0) return views[i].sql;
    measure_fail(self->view, NULL);
    return NULL;
}

static leat_session *session_open(const job *self, leat_error *err) {
    leat_session *session;
    char          sql[2048], with[512];
    bool          has_mode = strcmp(self->mode, "none") != 0;
    if (leat_open(NULL, &session, err) != LEAT_OK) measure_fail("leat_open", err);
    snprintf(with, sizeof with, "%s%s%strigger = 'default'%s%s%s", has_mode ? "outputMode = '" : "",
             has_mode ? self->mode : "", has_mode ? "', " : "", self->has_checkpoint ? ", checkpointLocation = '" : "",
             self->has_checkpoint ? self->folder : "", self->has_checkpoint ? "/ck'" : "");
    snprintf(sql, sizeof sql,
             "CREATE STREAM events (id BIGINT, amount BIGINT, at BIGINT) USING json OPTIONS (path '%s/in');"
             "CREATE MATERIALIZED VIEW totals WITH (%s) AS %s",
             self->folder, with, view_sql(self));
    if (self->recomputes) measure_run(session, "SET recompute = all", err);
    measure_run(session, sql, err);
    return session;
}

static void run_due(leat_session *session, leat_error *err) {
    if (leat_run(session, 0, NULL, err) != LEAT_OK) measure_fail("leat_run", err);
    leat_query *query;
    if (leat_query_open(session, "totals", &query, err) != LEAT_OK) measure_fail("totals", err);
    if (leat_query_status(query, err) == LEAT_QUERY_FAILED) measure_fail("totals", err);
    leat_query_close(&query);
}

// Rows of the totals; update mode keeps a row for each change, so there the last ones are not summed, nor are first rows.
static void expect(const job *self, leat_session *session, uint64_t rows, leat_error *err) {
    if (strcmp(self->mode, "update") == 0 || strcmp(self->view, "top") == 0 || strcmp(self->view, "last") == 0 ||
        strcmp(self->view, "limit") == 0)
        return;
    int64_t total = measure_value(session, "SELECT sum(total) FROM totals", err);
    if (total == (int64_t)rows) return;
    fprintf(stderr, "the totals are %" PRId64 ", not %" PRIu64 "\n", total, rows);
    exit(1);
}

static void warm(const job *self) {
    char name[64];
    for (uint64_t first = 0; first < self->groups; first += WARM_FILE_ROWS) {
        uint64_t rows = self->groups - first < WARM_FILE_ROWS ? self->groups - first : WARM_FILE_ROWS;
        snprintf(name, sizeof name, "warm-%05" PRIu64 ".json", first / WARM_FILE_ROWS);
        file_put(self, "in", name, first, rows, 0);
    }
}

static void print_head(const job *self, const char *name) {
    printf(
        "{\"job\":\"flat_cost\",\"part\":\"%s\",\"view\":\"%s\",\"mode\":\"%s%s\",\"checkpoint\":%s,\"seed\":%" PRIu64,
        name, self->view, self->mode, self->recomputes ? ", recompute" : "", self->has_checkpoint ? "true" : "false",
        self->seed);
}

static void batches(const job *self, leat_error *err) {
    char     name[64];
    int64_t *costs_us = calloc(self->batches, sizeof *costs_us), sum_us = 0;
    if (costs_us == NULL) measure_fail("calloc", NULL);
    warm(self);
    leat_session *session = session_open(self, err);
    int64_t       load_us = measure_cpu_us();
    run_due(session, err);
    load_us              = measure_cpu_us() - load_us;
    const uint64_t first = self->groups / 10 < 100 ? self->groups / 10 : 100; // warm-up batches
    for (uint64_t i = 0; i < self->batches + first; i++) {
        snprintf(name, sizeof name, "%08" PRIu64 ".json", i);
        file_put(self, "in", name, 0, BATCH_ROWS, self->seed + i * 1000 + 1);
        int64_t begin_us = measure_cpu_us();
        run_due(session, err);
        if (i >= first) sum_us += costs_us[i - first] = measure_cpu_us() - begin_us;
    }
    expect(self, session, self->groups + (self->batches + first) * BATCH_ROWS, err);
    qsort(costs_us, self->batches, sizeof *costs_us, measure_compare);
    print_head(self, "batch");
    printf(",\"groups\":%" PRIu64 ",\"batches\":%" PRIu64 ",\"cpu_us_mean\":%.1f,\"cpu_us_p50\":%" PRId64
           ",\"cpu_us_p99\":%" PRId64 ",\"cpu_us_max\":%" PRId64 ",\"load_us\":%" PRId64 ",\"peak_kib\":%" PRId64 "}\n",
           self->groups, self->batches, (double)sum_us / (double)self->batches,
           measure_percentile(costs_us, self->batches, 50), measure_percentile(costs_us, self->batches, 99),
           costs_us[self->batches - 1], load_us, measure_peak_kib());
    if (leat_close(&session, err) != LEAT_OK) measure_fail("leat_close", err);
    free(costs_us);
}

static int64_t batch_cost(const job *self, leat_session *session, leat_error *err) {
    (void)self;
    int64_t begin_us = measure_cpu_us();
    run_due(session, err);
    return measure_cpu_us() - begin_us;
}

// The same rows in many files, and in one.
static void files(job *self, leat_error *err) {
    char name[64];
    self->groups          = 1000;
    leat_session *session = session_open(self, err);
    file_put(self, "in", "first.json", 0, 1000, 0);
    run_due(session, err);
    for (uint64_t i = 0; i < self->files; i++) {
        snprintf(name, sizeof name, "%08" PRIu64 ".json", i);
        file_put(self, "in", name, 0, self->rows, self->seed + i * self->rows + 1);
    }
    int64_t many_us = batch_cost(self, session, err);
    file_put(self, "in", "whole.json", 0, self->files * self->rows, self->seed + 1);
    int64_t one_us = batch_cost(self, session, err);
    expect(self, session, 1000 + 2 * self->files * self->rows, err);
    print_head(self, "files");
    printf(",\"files\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"cpu_us_per_file\":%.2f,\"decoding_us_per_file\":%.2f}\n",
           self->files, self->rows, (double)many_us / (double)self->files, (double)one_us / (double)self->files);
    if (leat_close(&session, err) != LEAT_OK) measure_fail("leat_close", err);
}

static void idle(job *self, leat_error *err) {
    enum { TRIGGERS = 200 };
    char name[64];
    self->groups = 1;
    for (uint64_t i = 0; i < self->files; i++) {
        snprintf(name, sizeof name, "%08" PRIu64 ".json", i);
        file_put(self, "in", name, 0, 1, 0);
    }
    leat_session *session = session_open(self, err);
    run_due(session, err);
    int64_t kib = measure_peak_kib(), costs_us[TRIGGERS];
    for (int i = 0; i < TRIGGERS; i++) {
        usleep(1000);
        costs_us[i] = batch_cost(self, session, err);
    }
    qsort(costs_us, TRIGGERS, sizeof *costs_us, measure_compare);
    expect(self, session, self->files, err);
    print_head(self, "idle");
    printf(",\"files\":%" PRIu64 ",\"cpu_us_p50\":%" PRId64 ",\"cpu_us_p99\":%" PRId64 ",\"cpu_us_max\":%" PRId64
           ",\"peak_kib\":%" PRId64 "}\n",
           self->files, costs_us[TRIGGERS / 2], costs_us[TRIGGERS - 2], costs_us[TRIGGERS - 1], kib);
    if (leat_close(&session, err) != LEAT_OK) measure_fail("leat_close", err);
}

static void restart(job *self, leat_error *err) {
    self->has_checkpoint = true;
    warm(self);
    leat_session *session = session_open(self, err);
    run_due(session, err);
    for (int i = 0; i < 3; i++) { // some deltas on top
        char name[64];
        snprintf(name, sizeof name, "%d.json", i);
        file_put(self, "in", name, 0, BATCH_ROWS, self->seed + (uint64_t)i * 1000 + 1);
        run_due(session, err);
    }
    if (leat_close(&session, err) != LEAT_OK) measure_fail("leat_close", err);
    int64_t cpu_us = measure_cpu_us(), wall_us = measure_steady_us();
    session = session_open(self, err);
    run_due(session, err);
    int64_t open_us = measure_cpu_us() - cpu_us, open_wall_us = measure_steady_us() - wall_us;
    expect(self, session, self->groups + 3 * BATCH_ROWS, err);
    cpu_us  = measure_cpu_us();
    wall_us = measure_steady_us();
    if (leat_close(&session, err) != LEAT_OK) measure_fail("leat_close", err);
    print_head(self, "restart");
    printf(",\"groups\":%" PRIu64 ",\"open_us\":%" PRId64 ",\"close_us\":%" PRId64 ",\"open_wall_us\":%" PRId64
           ",\"close_wall_us\":%" PRId64 "}\n",
           self->groups, open_us, measure_cpu_us() - cpu_us, open_wall_us, measure_steady_us() - wall_us);
}

int main(int argument_count, char **arguments) {
    job self  = {.groups = 10000, .batches = 500, .files = 10000, .rows = 1, .mode = "complete", .view = "totals"};
    self.seed = (uint64_t)measure_us(CLOCK_REALTIME);
    for (int i = 2; i < argument_count; i++) {
        const char *name = arguments[i], *value = i + 1 < argument_count ? arguments[i + 1] : "";
        if (strcmp(name, "--checkpoint") == 0) {
            self.has_checkpoint = true;
            continue;
        }
        if (strcmp(name, "--recompute") == 0) {
            self.recomputes = true;
            continue;
        }
        i++;
        if (strcmp(name, "--groups") == 0)
            self.groups = strtoull(value, NULL, 10);
        else if (strcmp(name, "--batches") == 0)
            self.batches = strtoull(value, NULL, 10);
        else if (strcmp(name, "--files") == 0)
            self.files = strtoull(value, NULL, 10);
        else if (strcmp(name, "--rows") == 0)
            self.rows = strtoull(value, NULL, 10);
        else if (strcmp(name, "--mode") == 0)
            self.mode = value;
        else if (strcmp(name, "--view") == 0)
            self.view = value, self.mode = "none";
        else
            measure_fail(name, NULL);
    }
    if (argument_count < 2 || self.groups == 0 || self.batches == 0 || self.files == 0) return 2;
    leat_error *err;
    char        path[400];
    leat_error_create(&err);
    measure_folder(self.folder, sizeof self.folder);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", self.folder, i == 0 ? "in" : "staging");
        if (mkdir(path, 0700) != 0) measure_fail(path, NULL);
    }
    if (strcmp(arguments[1], "batch") == 0)
        batches(&self, err);
    else if (strcmp(arguments[1], "files") == 0)
        files(&self, err);
    else if (strcmp(arguments[1], "idle") == 0)
        idle(&self, err);
    else if (strcmp(arguments[1], "restart") == 0)
        restart(&self, err);
    else
        measure_fail(arguments[1], NULL);
    measure_folder_remove(self.folder);
    leat_error_destroy(&err);
    return 0;
}
