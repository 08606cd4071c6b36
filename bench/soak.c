// soak: standing queries over event time at a constant rate for a long time, in one process: what must stay flat does.
//
//     soak [--seconds N] [--rows-per-second N] [--unpaced | --check]
//
// Two streams of JSON Lines files, each renamed into its folder twice a second: shows, and the clicks on them. Event time
// goes on by half a second a file. Rows come up to three seconds out of order, one of a hundred is a minute or two late,
// users come and go. Read by windows, sessions, joins of the two streams, a deduplication, a view over a view, windows of
// windows; five of them with a checkpoint. Sinks forget what they are given; files are removed once they are read.
//
// A JSON line each minute (of shorter runs twenty in all), then one with the least-squares slope of the resident memory
// over the second half of the run. --unpaced does not wait between files, which are as old as their rows: N seconds of
// event time as fast as they go. --check is that without figures, the same in every run. Exit 1 if states have not stayed
// within bounds, or for a query that failed, gave nothing, or gave a wrong sum.
#include "bench/measure.h"

#include <dirent.h>
#include <stddef.h>

enum {
    TICKS_PER_SECOND = 2,
    KEPT_TICKS       = 20, // a file is removed so many ticks after it came
    USERS            = 200,
    ADS              = 100,
    LATE_ROWS_MAX    = 10000, // as documented of leat_late_rows
    PROGRESS_MAX     = 100,   // and of leat_progress, a query
    SHORT_SAMPLES    = 20,
    SETTLED_SECONDS  = 120
};

static const int64_t BEGIN_US = 1767225600000000; // 2026-01-01

static const struct {
    const char *name, *mode, *sql;
    bool        has_checkpoint, is_view;
} queries[] = {
    {"tumbling", "append",
     "SELECT window.end AS e, user, count(*) AS n, sum(amount) AS s FROM clicks GROUP BY window(ts, '10 seconds'), "
     "user",
     true, false},
    {"tumbling_update", "update",
     "SELECT window.end AS e, ad, count(*) AS n, max(user) AS last FROM clicks GROUP BY window(ts, '10 seconds'), ad",
     false, false},
    {"sliding", "append",
     "SELECT window.end AS e, ad, count(*) AS n, sum(amount) AS s FROM clicks GROUP BY window(ts, '1 minute', '5 "
     "seconds'), ad",
     true, false},
    {"sliding_update", "update",
     "SELECT window.end AS e, user, count(*) AS n, max(amount) AS m FROM shows GROUP BY window(ts, '20 seconds', '5 "
     "seconds'), user",
     false, false},
    {"sessions", "append",
     "SELECT session_window.end AS e, user, count(*) AS n FROM clicks GROUP BY session_window(ts, '500 milliseconds'), "
     "user",
     true, false},
    {"inner_join", "append",
     "SELECT s.id, s.user, c.amount FROM shows s JOIN clicks c ON s.id = c.id AND c.ts BETWEEN s.ts AND s.ts + "
     "INTERVAL "
     "10 SECONDS",
     true, false},
    {"left_join", "append",
     "SELECT s.id, s.user, c.amount FROM shows s LEFT JOIN clicks c ON s.id = c.id AND c.ts BETWEEN s.ts AND s.ts + "
     "INTERVAL 10 SECONDS",
     false, false},
    {"deduplicate", "append", "SELECT id, ts FROM DEDUPLICATE(TABLE clicks, COLUMNS (id), WITHIN WATERMARK)", false,
     false},
    {"windows_of_windows", "append",
     "SELECT window.end AS e, count(*) AS users, sum(n) AS n FROM (SELECT window AS w, user, count(*) AS n FROM clicks "
     "GROUP BY window(ts, '5 seconds'), user) GROUP BY window(w, '30 seconds')",
     false, false},
    {"by_ad", "none", "SELECT ad, count(*) AS n, sum(amount) AS s FROM clicks GROUP BY ad", true, true},
    {"by_ten_ads", "changelog", "SELECT ad % 10 AS ten, count(*) AS ads, sum(n) AS n FROM by_ad GROUP BY ad % 10",
     false, false},
};
enum { QUERY_COUNT = sizeof queries / sizeof queries[0] };

typedef struct sample {
    double  kib;
    int64_t heap_bytes_max; // since the line before
    int64_t state_rows[QUERY_COUNT];
} sample;

typedef struct soak {
    uint64_t       seconds, line_seconds, rows_per_second, seed;
    bool           is_paced, is_check;
    char           folder[256];
    leat_session  *session;
    leat_error    *err;
    leat_allocator allocator;
    uint64_t       show_count, click_count;
    size_t         heap_bytes, heap_bytes_max; // in use by the session
    int64_t        begin_us;
    sample        *lines; // what was printed
    size_t         line_count;
    double        *kib; // resident, each second
    size_t         kib_count;
} soak;

// ---- rows

static void write_row(FILE *file, uint64_t tick, uint64_t id, uint64_t random) {
    int64_t at_us = BEGIN_US + (int64_t)(tick * 1000000 / TICKS_PER_SECOND + random % 500000);
    random        = measure_mix(random);
    at_us -= (int64_t)(random % 3000000);
    random = measure_mix(random);
    if (random % 100 == 0) at_us -= 60000000 + (int64_t)(random % 60000000);
    random            = measure_mix(random);
    const time_t at_s = (time_t)(at_us / 1000000);
    struct tm    at;
    gmtime_r(&at_s, &at);
    fprintf(file,
            "{\"id\":%" PRIu64 ",\"ad\":%" PRIu64 ",\"user\":\"user-%" PRIu64 "\",\"amount\":%" PRIu64
            ",\"ts\":\"%04d-%02d-%02dT%02d:%02d:%02d.%06dZ\"}\n",
            id, random % ADS, tick / 4 + (random >> 8) % USERS, (random >> 16) % 1000, at.tm_year + 1900, at.tm_mon + 1,
            at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec, (int)(at_us % 1000000));
}

// A click is on a show of the last five seconds; a tenth of them comes twice.
static uint64_t clicked(const soak *self, uint64_t random) {
    const uint64_t recent = self->rows_per_second / 2 * 5;
    const uint64_t back   = measure_mix(random) % (recent + 1);
    return back < self->show_count ? self->show_count - back : 0;
}

static void file_put(soak *self, uint64_t tick, bool is_clicks) {
    char           from[400], to[400];
    const uint64_t rows = (self->rows_per_second / 2 * (tick + 1)) / TICKS_PER_SECOND -
                          (self->rows_per_second / 2 * tick) / TICKS_PER_SECOND;
    uint64_t random = measure_mix(self->seed + tick * 2 + is_clicks);
    snprintf(from, sizeof from, "%s/staging.json", self->folder);
    snprintf(to, sizeof to, "%s/%s/%08" PRIu64 ".json", self->folder, is_clicks ? "clicks" : "shows", tick);
    FILE *file = fopen(from, "w");
    if (file == NULL) measure_fail(from, NULL);
    uint64_t id = 0;
    for (uint64_t i = 0; i < rows; i++) {
        random = measure_mix(random);
        if (!is_clicks)
            id = ++self->show_count;
        else if (i % 10 != 9) // the tenth is the ninth again, at another time
            id = clicked(self, random);
        write_row(file, tick, id, random);
    }
    if (is_clicks) self->click_count += rows;
    const struct timespec at[2] = {{.tv_sec = BEGIN_US / 1000000 + (time_t)(tick / TICKS_PER_SECOND)},
                                   {.tv_sec = BEGIN_US / 1000000 + (time_t)(tick / TICKS_PER_SECOND)}};
    if (fflush(file) != 0 || (!self->is_paced && futimens(fileno(file), at) != 0) || fclose(file) != 0 ||
        rename(from, to) != 0)
        measure_fail(to, NULL);
}

static void file_remove(const soak *self, uint64_t tick, const char *stream) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s/%08" PRIu64 ".json", self->folder, stream, tick);
    if (unlink(path) != 0) measure_fail(path, NULL);
}

// ---- the session

static void *counting_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    soak *self = user;
    if (new_bytes == 0) {
        free(memory);
        self->heap_bytes -= old_bytes;
        return NULL;
    }
    void *moved = realloc(memory, new_bytes);
    if (moved == NULL) return NULL;
    self->heap_bytes += new_bytes - old_bytes;
    if (self->heap_bytes > self->heap_bytes_max) self->heap_bytes_max = self->heap_bytes;
    return moved;
}

static void session_begin(soak *self) {
    char sql[2048], checkpoint[400];
    self->allocator            = (leat_allocator){.reallocate = counting_reallocate, .user = self};
    const leat_options options = {
        .struct_size = sizeof options, .allocator = &self->allocator, .folder = self->folder, .random_seed = 1};
    if (leat_open(&options, &self->session, self->err) != LEAT_OK) measure_fail("leat_open", self->err);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "shows" : "clicks";
        snprintf(sql, sizeof sql,
                 "CREATE STREAM %s (id BIGINT, ad BIGINT, user STRING, amount BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS"
                 " ts - INTERVAL 5 SECONDS) USING json OPTIONS (path '%s', maxFileAge '1m')",
                 name, name);
        measure_run(self->session, sql, self->err);
    }
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        checkpoint[0] = '\0';
        if (queries[i].has_checkpoint)
            snprintf(checkpoint, sizeof checkpoint, ", checkpointLocation = 'checkpoints/%s'", queries[i].name);
        if (queries[i].is_view)
            snprintf(sql, sizeof sql, "CREATE MATERIALIZED VIEW %s WITH (trigger = 'default'%s) AS %s", queries[i].name,
                     checkpoint, queries[i].sql);
        else
            snprintf(sql, sizeof sql, "CREATE SINK %s WITH (connector = 'noop', outputMode = '%s'%s) AS %s",
                     queries[i].name, queries[i].mode, checkpoint, queries[i].sql);
        measure_run(self->session, sql, self->err);
    }
}

static void run_due(soak *self) {
    if (leat_run(self->session, 0, NULL, self->err) != LEAT_OK) measure_fail("leat_run", self->err);
}

static void expect(bool is_true, const char *what, const char *name) {
    if (is_true) return;
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

static int64_t of_query(const soak *self, const char *value, const char *name) {
    char sql[400];
    snprintf(sql, sizeof sql, "SELECT coalesce(%s, 0) FROM leat_operators WHERE name = '%s'", value, name);
    return measure_value(self->session, sql, self->err);
}

static void queries_check(const soak *self) {
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        leat_query *query;
        if (leat_query_open(self->session, queries[i].name, &query, self->err) != LEAT_OK)
            measure_fail(queries[i].name, self->err);
        if (leat_query_status(query, self->err) == LEAT_QUERY_FAILED) measure_fail(queries[i].name, self->err);
        leat_query_close(&query);
        expect(of_query(self, "max(rowsOut) FILTER (WHERE id = 0)", queries[i].name) > 0, "has given nothing",
               queries[i].name);
    }
    expect(measure_value(self->session, "SELECT sum(n) FROM by_ad", self->err) == (int64_t)self->click_count,
           "the rows are not all there", "by_ad");
    const int64_t late = measure_value(self->session, "SELECT count(*) FROM leat_late_rows", self->err);
    expect(late > 0 && late <= LATE_ROWS_MAX, "has no or too many rows", "leat_late_rows");
    expect(measure_value(self->session, "SELECT max(n) FROM (SELECT count(*) AS n FROM leat_progress GROUP BY name)",
                         self->err) <= PROGRESS_MAX,
           "has too many rows", "leat_progress");
}

// ---- figures

static double resident_kib(void) {
    FILE         *file  = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1) measure_fail("/proc/self/statm", NULL);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

// Bytes of the files below a folder, to the depth that checkpoints have.
static uint64_t folder_bytes(const char *path, int depth, uint64_t *out_files) {
    DIR *folder = opendir(path);
    if (folder == NULL) return 0;
    uint64_t bytes = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char        below[1024];
        struct stat info;
        if (entry->d_name[0] == '.') continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (stat(below, &info) != 0) continue;
        if (S_ISDIR(info.st_mode) && depth > 0)
            bytes += folder_bytes(below, depth - 1, out_files); // NOLINT(misc-no-recursion): depth
        else if (S_ISREG(info.st_mode))
            bytes += (uint64_t)info.st_size, (*out_files)++;
    }
    closedir(folder);
    return bytes;
}

static void line_add(soak *self, double seconds) {
    char     path[400];
    uint64_t files       = 0;
    sample  *line        = &self->lines[self->line_count++];
    line->kib            = resident_kib();
    line->heap_bytes_max = (int64_t)self->heap_bytes_max;
    self->heap_bytes_max = self->heap_bytes;
    for (size_t i = 0; i < QUERY_COUNT; i++) line->state_rows[i] = of_query(self, "sum(numRowsTotal)", queries[i].name);
    if (self->is_check) return;
    snprintf(path, sizeof path, "%s/checkpoints", self->folder);
    const uint64_t bytes   = folder_bytes(path, 4, &files);
    const int64_t  batches = measure_value(
         self->session, "SELECT sum(n) FROM (SELECT max(batchId) + 1 AS n FROM leat_progress GROUP BY name)", self->err);
    const int64_t late       = measure_value(self->session, "SELECT count(*) FROM leat_late_rows", self->err);
    int64_t       state_rows = 0;
    for (size_t i = 0; i < QUERY_COUNT; i++) state_rows += line->state_rows[i];
    printf("{\"job\":\"soak\",\"seconds\":%.0f,\"rows\":%" PRIu64 ",\"rows_read\":%" PRIu64
           ",\"resident_kib\":%.0f,\"heap_bytes\":%zu,\"heap_bytes_max\":%" PRId64 ",\"state_rows\":%" PRId64
           ",\"batches\":%" PRId64 ",\"late_rows_kept\":%" PRId64 ",\"cpu_seconds\":%.2f,\"checkpoint_bytes\":%" PRIu64
           ",\"checkpoint_files\":%" PRIu64 ",\"state_rows_of\":{",
           seconds, self->show_count + self->click_count, leat_rows_read(self->session), line->kib, self->heap_bytes,
           line->heap_bytes_max, state_rows, batches, late, (double)measure_cpu_us() / 1e6, bytes, files);
    for (size_t i = 0; i < QUERY_COUNT; i++)
        printf("%s\"%s\":%" PRId64, i == 0 ? "" : ",", queries[i].name, line->state_rows[i]);
    printf("}}\n");
    fflush(stdout);
}

// The most in the last half of the run is at most a quarter above the most of the quarter before that.
static void bound_check(const soak *self, size_t offset, int64_t slack, const char *what, const char *name) {
    int64_t before = 0, after = 0;
    for (size_t at = self->line_count / 4; at < self->line_count; at++) {
        int64_t *most = at < self->line_count / 2 ? &before : &after, value;
        memcpy(&value, (const char *)&self->lines[at] + offset, sizeof value);
        if (value > *most) *most = value;
    }
    if (after <= before + before / 4 + slack) return;
    fprintf(stderr, "%s: %" PRId64 " %s, %" PRId64 " before\n", name, after, what, before);
    exit(1);
}

// Before SETTLED_SECONDS windows are still filling.
static void bounds_check(const soak *self) {
    if (self->seconds < SETTLED_SECONDS) return;
    for (size_t i = 0; i < QUERY_COUNT; i++)
        bound_check(self, offsetof(sample, state_rows) + i * sizeof(int64_t), 10, "state rows", queries[i].name);
    bound_check(self, offsetof(sample, heap_bytes_max), 0, "bytes in use", "session");
}

// Least squares over the second half of the run: the slope in % of the mean per ten minutes.
static void print_slope(const soak *self) {
    const size_t first = self->kib_count / 2, count = self->kib_count - first;
    double       mean_x = 0, mean_y = 0, above = 0, below = 0, most = 0;
    for (size_t i = first; i < self->kib_count; i++) mean_x += (double)i, mean_y += self->kib[i];
    if (count < 2) return;
    mean_x /= (double)count;
    mean_y /= (double)count;
    for (size_t i = first; i < self->kib_count; i++) {
        above += ((double)i - mean_x) * (self->kib[i] - mean_y);
        below += ((double)i - mean_x) * ((double)i - mean_x);
        if (self->kib[i] > most) most = self->kib[i];
    }
    const double percent = above / below * 600 / mean_y * 100;
    printf("{\"job\":\"soak\",\"figure\":\"slope\",\"seconds\":%zu,\"mean_kib\":%.0f,\"max_kib\":%.0f,"
           "\"kib_per_10_minutes\":%.1f,\"percent_per_10_minutes\":%.3f,\"is_flat\":%s}\n",
           self->kib_count, mean_y, most, above / below * 600, percent, percent < 1 ? "true" : "false");
}

static void go_on_until(int64_t due_us) {
    const int64_t left_us = due_us - measure_steady_us();
    if (left_us > 0) usleep((useconds_t)left_us);
}

static void soak_run(soak *self) {
    const uint64_t ticks = self->seconds * TICKS_PER_SECOND;
    self->begin_us       = measure_steady_us();
    for (uint64_t tick = 0; tick < ticks; tick++) {
        file_put(self, tick, false);
        file_put(self, tick, true);
        run_due(self);
        if (tick >= KEPT_TICKS) {
            file_remove(self, tick - KEPT_TICKS, "shows");
            file_remove(self, tick - KEPT_TICKS, "clicks");
        }
        if ((tick + 1) % TICKS_PER_SECOND == 0) {
            const uint64_t second        = (tick + 1) / TICKS_PER_SECOND;
            self->kib[self->kib_count++] = resident_kib();
            if (second % self->line_seconds == 0) line_add(self, (double)second);
        }
        if (self->is_paced) go_on_until(self->begin_us + (int64_t)(tick + 1) * (1000000 / TICKS_PER_SECOND));
    }
    queries_check(self);
    bounds_check(self);
    if (!self->is_check) print_slope(self);
}

int main(int argument_count, char **arguments) {
    soak self = {.seconds = 1800, .rows_per_second = 2000, .seed = 1, .is_paced = true};
    char path[400];
    for (int i = 1; i < argument_count; i++) {
        const char *name = arguments[i], *value = i + 1 < argument_count ? arguments[i + 1] : "";
        if (strcmp(name, "--check") == 0 || strcmp(name, "--unpaced") == 0) {
            self.is_paced = false;
            self.is_check |= strcmp(name, "--check") == 0;
            continue;
        }
        i++;
        if (strcmp(name, "--seconds") == 0)
            self.seconds = strtoull(value, NULL, 10);
        else if (strcmp(name, "--rows-per-second") == 0)
            self.rows_per_second = strtoull(value, NULL, 10);
        else
            measure_fail(name, NULL);
    }
    if (self.seconds < (self.is_check ? SETTLED_SECONDS : SHORT_SAMPLES) || self.seconds > 10000000 ||
        self.rows_per_second < 40)
        return 2;
    self.line_seconds       = self.seconds >= 60 * SHORT_SAMPLES ? 60 : (self.seconds - 1) / SHORT_SAMPLES + 1;
    const size_t line_bytes = (self.seconds / self.line_seconds + 1) * sizeof *self.lines;
    self.lines              = malloc(line_bytes);
    self.kib                = malloc(self.seconds * sizeof *self.kib);
    if (self.lines == NULL || self.kib == NULL) measure_fail("malloc", NULL);
    memset(self.lines, 1, line_bytes); // touched now: not counted as growth
    memset(self.kib, 1, self.seconds * sizeof *self.kib);
    leat_error_create(&self.err);
    measure_folder(self.folder, sizeof self.folder);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", self.folder, i == 0 ? "shows" : "clicks");
        if (mkdir(path, 0700) != 0) measure_fail(path, NULL);
    }
    session_begin(&self);
    soak_run(&self);
    if (leat_close(&self.session, self.err) != LEAT_OK) measure_fail("leat_close", self.err);
    expect(self.heap_bytes == 0, "memory is left after leat_close", "session");
    measure_folder_remove(self.folder);
    leat_error_destroy(&self.err);
    free(self.lines);
    free(self.kib);
    return 0;
}
