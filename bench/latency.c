// latency: a file of rows is renamed into a folder; how long until its rows are visible, and what a batch costs.
//
//     latency [--keys N] [--files N] [--rows N] [--checkpoint] [--mode complete|update|none] [--driver run|poll]
//             [--pause US]
//
// The producer is a process of its own, which notes the time before its rename. `run`: the process waits inside of
// leat_run and a callback marks the time. `poll`: it waits on leat_wake_fd, as an event loop does, calls leat_run and
// then asks the memory table with a SELECT. One JSON line: microseconds, and CPU microseconds a batch of this process.
#include "bench/measure.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { FILES_MAX = 100000 };

typedef struct shared {
    volatile int64_t renamed_us[FILES_MAX]; // by file
    volatile int64_t seen;                  // files whose rows are visible
} shared;

typedef struct job {
    uint64_t    keys, files, rows;
    int64_t     pause_us;
    bool        has_checkpoint, polls;
    const char *mode;
    char        folder[256];
    shared     *shared;
    int64_t     delays_us[FILES_MAX];
    int64_t     seen; // files of this process's view
} job;

static void file_put(const job *self, const char *name, uint64_t first, uint64_t rows, uint64_t keys, uint64_t seed) {
    char from[400], to[400];
    snprintf(from, sizeof from, "%s/staging/%s", self->folder, name);
    snprintf(to, sizeof to, "%s/in/%s", self->folder, name);
    FILE *file = fopen(from, "w");
    if (file == NULL) measure_fail(from, NULL);
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t key = seed == 0 ? first + i : measure_mix(seed + i) % keys;
        fprintf(file, "{\"event\":\"event_%07" PRIu64 "\",\"amount\":%d}\n", key, 1);
    }
    fclose(file);
    if (strncmp(name, "warm", 4) != 0) self->shared->renamed_us[first] = measure_steady_us();
    if (rename(from, to) != 0) measure_fail(to, NULL);
}

static void produce(const job *self, uint64_t seed) {
    char name[64];
    for (uint64_t i = 0; i < self->files; i++) {
        usleep((useconds_t)(self->pause_us / 2 + (int64_t)(measure_mix(seed + i) % (uint64_t)self->pause_us)));
        snprintf(name, sizeof name, "%06" PRIu64 ".json", i);
        file_put(self, name, i, self->rows, self->keys, seed * 1000003 + i * 7919 + 1);
        while (self->shared->seen <= (int64_t)i) usleep(200);
    }
}

static void mark(job *self) {
    if (self->seen >= (int64_t)self->files || self->shared->renamed_us[self->seen] == 0) return;
    self->delays_us[self->seen] = measure_steady_us() - self->shared->renamed_us[self->seen];
    self->shared->seen          = ++self->seen;
}

static leat_status batch_came(void *user, int64_t batch_id, leat_statement *rows, leat_error *err) {
    (void)batch_id, (void)rows, (void)err;
    mark(user);
    return LEAT_OK;
}

static void drive(job *self, leat_session *session, leat_error *err) {
    while (self->seen < (int64_t)self->files) {
        if (!self->polls) {
            if (leat_run(session, 20000, NULL, err) != LEAT_OK) measure_fail("leat_run", err);
            continue;
        }
        struct pollfd wake = {.fd = leat_wake_fd(session), .events = POLLIN};
        int64_t       next_us;
        if (leat_run(session, 0, &next_us, err) != LEAT_OK) measure_fail("leat_run", err);
        if (self->shared->renamed_us[self->seen] != 0) {
            int64_t rows = (int64_t)(self->keys + (uint64_t)(self->seen + 1) * self->rows);
            if (measure_value(session, "SELECT sum(total) FROM totals", err) == rows) mark(self);
        }
        int64_t wait_ms = next_us == INT64_MAX ? 20 : (next_us - measure_us(CLOCK_REALTIME) + 999) / 1000;
        poll(&wake, 1, wait_ms < 0 ? 0 : wait_ms > 20 ? 20 : (int)wait_ms);
    }
}

static void report(const job *self, int64_t cpu_us, uint64_t seed) {
    int64_t *sorted = malloc(self->files * sizeof *sorted);
    if (sorted == NULL) measure_fail("malloc", NULL);
    memcpy(sorted, self->delays_us, self->files * sizeof *sorted);
    qsort(sorted, self->files, sizeof *sorted, measure_compare);
    printf("{\"job\":\"latency\",\"driver\":\"%s\",\"mode\":\"%s\",\"checkpoint\":%s,\"keys\":%" PRIu64
           ",\"files\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"seed\":%" PRIu64 ",\"p50_us\":%" PRId64 ",\"p90_us\":%" PRId64
           ",\"p99_us\":%" PRId64 ",\"max_us\":%" PRId64 ",\"cpu_us_per_batch\":%.1f,\"peak_kib\":%" PRId64 "}\n",
           self->polls ? "poll" : "run", self->mode, self->has_checkpoint ? "true" : "false", self->keys, self->files,
           self->rows, seed, measure_percentile(sorted, self->files, 50), measure_percentile(sorted, self->files, 90),
           measure_percentile(sorted, self->files, 99), sorted[self->files - 1], (double)cpu_us / (double)self->files,
           measure_peak_kib());
    free(sorted);
}

static void consume(job *self, uint64_t seed, pid_t producer) {
    leat_session *session;
    leat_error   *err = NULL;
    char          sql[2048], with[512];
    leat_error_create(&err);
    if (leat_open(NULL, &session, err) != LEAT_OK) measure_fail("leat_open", err);
    snprintf(with, sizeof with, "%s%s%s%s%s%s", strcmp(self->mode, "none") == 0 ? "" : "outputMode = '",
             strcmp(self->mode, "none") == 0 ? "" : self->mode, strcmp(self->mode, "none") == 0 ? "" : "', ",
             self->has_checkpoint ? "checkpointLocation = '" : "trigger = 'default",
             self->has_checkpoint ? self->folder : "", self->has_checkpoint ? "/ck'" : "'");
    snprintf(sql, sizeof sql,
             "CREATE STREAM events (event STRING, amount BIGINT) USING json OPTIONS (path '%s/in');"
             "CREATE MATERIALIZED VIEW totals WITH (%s) AS SELECT event, sum(amount) AS total FROM events GROUP BY "
             "event",
             self->folder, with);
    measure_run(session, sql, err);
    if (leat_run(session, 0, NULL, err) != LEAT_OK) measure_fail("leat_run", err);
    if (!self->polls && leat_rows_callback_set(session, "totals", batch_came, self, err) != LEAT_OK)
        measure_fail("callback", err);
    kill(producer, SIGCONT);
    int64_t cpu_us = measure_cpu_us();
    drive(self, session, err);
    cpu_us       = measure_cpu_us() - cpu_us;
    int64_t rows = (int64_t)(self->keys + self->files * self->rows);
    if (strcmp(self->mode, "update") != 0 && measure_value(session, "SELECT sum(total) FROM totals", err) != rows)
        measure_fail("the totals are wrong", NULL);
    report(self, cpu_us, seed);
    if (leat_close(&session, err) != LEAT_OK) measure_fail("leat_close", err);
    leat_error_destroy(&err);
}

int main(int argument_count, char **arguments) {
    static job self = {.keys = 5, .files = 500, .rows = 100, .pause_us = 4000, .mode = "complete"};
    for (int i = 1; i < argument_count; i++) {
        const char *name = arguments[i], *value = i + 1 < argument_count ? arguments[i + 1] : "";
        if (strcmp(name, "--checkpoint") == 0) {
            self.has_checkpoint = true;
            continue;
        }
        i++;
        if (strcmp(name, "--keys") == 0)
            self.keys = strtoull(value, NULL, 10);
        else if (strcmp(name, "--files") == 0)
            self.files = strtoull(value, NULL, 10);
        else if (strcmp(name, "--rows") == 0)
            self.rows = strtoull(value, NULL, 10);
        else if (strcmp(name, "--pause") == 0)
            self.pause_us = strtoll(value, NULL, 10);
        else if (strcmp(name, "--mode") == 0)
            self.mode = value;
        else if (strcmp(name, "--driver") == 0)
            self.polls = strcmp(value, "poll") == 0;
        else
            measure_fail(name, NULL);
    }
    if (self.files == 0 || self.files > FILES_MAX || self.keys == 0 || self.pause_us <= 0) return 2;
    uint64_t seed = (uint64_t)measure_us(CLOCK_REALTIME);
    char     path[400];
    measure_folder(self.folder, sizeof self.folder);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", self.folder, i == 0 ? "in" : "staging");
        if (mkdir(path, 0700) != 0) measure_fail(path, NULL);
    }
    self.shared = mmap(NULL, sizeof *self.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self.shared == MAP_FAILED) measure_fail("mmap", NULL);
    file_put(&self, "warm.json", 0, self.keys, self.keys, 0);
    pid_t producer = fork();
    if (producer == 0) {
        raise(SIGSTOP); // until the consumer has read the first file
        produce(&self, seed);
        _exit(0);
    }
    int status = 0;
    waitpid(producer, &status, WUNTRACED);
    consume(&self, seed, producer);
    waitpid(producer, &status, 0);
    measure_folder_remove(self.folder);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
