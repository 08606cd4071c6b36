// measure: what the latency programs share: time, CPU time, a folder of their own, statements that must work.
//
// Threads  one.   Errors  a message on stderr and exit 1: a figure of a run that failed is worth nothing.
#ifndef LEAT_BENCH_MEASURE_H
#define LEAT_BENCH_MEASURE_H

#include "leat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static inline int64_t measure_us(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
static inline int64_t measure_steady_us(void) { return measure_us(CLOCK_MONOTONIC); }
static inline int64_t measure_cpu_us(void) { return measure_us(CLOCK_PROCESS_CPUTIME_ID); }

static inline void measure_fail(const char *what, const leat_error *err) {
    fprintf(stderr, "%s: %s\n", what, err == NULL ? "failed" : leat_error_message(err));
    exit(1);
}

static inline void measure_run(leat_session *session, const char *sql, leat_error *err) {
    if (leat_execute(session, sql, LEAT_TERMINATED, err) != LEAT_OK) measure_fail(sql, err);
}

// The first value of the first row.
static inline int64_t measure_value(leat_session *session, const char *sql, leat_error *err) {
    leat_statement *statement;
    if (leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err) != LEAT_OK) measure_fail(sql, err);
    if (leat_step(statement, err) != LEAT_ROW) measure_fail(sql, err);
    int64_t value = leat_column_int64(statement, 0);
    leat_statement_close(&statement);
    return value;
}

static inline int measure_compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The value below which `percent` of the sorted values lie.
static inline int64_t measure_percentile(const int64_t *sorted, size_t count, double percent) {
    size_t at = (size_t)((double)count * percent / 100.0);
    return count == 0 ? 0 : sorted[at < count ? at : count - 1];
}

static inline int64_t measure_peak_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// splitmix64: a bijection on 64-bit integers.
static inline uint64_t measure_mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

// "<$TMPDIR or /tmp>/leat-bench-XXXXXX", made.
static inline void measure_folder(char *out, size_t capacity) {
    const char *base = getenv("TMPDIR");
    snprintf(out, capacity, "%s/leat-bench-XXXXXX", base == NULL ? "/tmp" : base);
    if (mkdtemp(out) == NULL) measure_fail(out, NULL);
}

static inline void measure_folder_remove(const char *folder) {
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (strncmp(folder, "/", 1) != 0 || strstr(folder, "leat-bench-") == NULL || system(command) != 0)
        fprintf(stderr, "cannot remove %s\n", folder);
}

#endif
