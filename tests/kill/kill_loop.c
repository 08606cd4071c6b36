// kill_loop: kills the shop's counting job at random moments until it has died often enough, then lets it end, and
// compares its tables with what the producer wrote: nothing lost, nothing counted twice.
//
//     kill_loop path/to/leat [kills] [seed]
//
// Each life of the job is a process of its own: the same script over the same folder. Before each life the producer
// lands files, so that there is always work to be killed in.
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILLS = 200, FILES_PER_LIFE = 4, ROWS_PER_FILE = 50, TYPES = 4, OUTPUT_BYTES = 4096 };

static const char *const types[TYPES] = {"order_cancelled", "order_paid", "order_placed", "order_shipped"};

// The job of examples/booknest_counts.sql, one file a batch: counts by type to the console. Beside it a table of counts
// and a copy of every event in files. The test reads the last console table and what the SELECTs print.
static const char script[] =
    "CREATE STREAM events (event_id BIGINT, ts TIMESTAMP, type STRING, order_id BIGINT, customer_id INT)\n"
    "USING json OPTIONS (path 'in', maxFilesPerTrigger '1');\n"
    "CREATE MATERIALIZED VIEW counts WITH (outputMode = 'complete', trigger = 'availableNow', checkpointLocation = "
    "'ck')\n"
    "AS SELECT type, count(*) AS n, sum(event_id) AS ids FROM events GROUP BY type;\n"
    "CREATE SINK copies WITH (connector = 'files', path = 'out', format = 'json', trigger = 'availableNow',\n"
    "checkpointLocation = 'ck2') AS SELECT event_id, type FROM events;\n"
    "CREATE SINK shown WITH (connector = 'console', outputMode = 'complete', trigger = 'availableNow',\n"
    "checkpointLocation = 'ck3') AS SELECT type, count(*) AS count FROM events GROUP BY type ORDER BY type;\n"
    "AWAIT TERMINATION shown;\n"
    "AWAIT TERMINATION counts;\n"
    "AWAIT TERMINATION copies;\n"
    "SELECT concat_ws(' ', 'count', type, n, ids) FROM counts ORDER BY type;\n"
    "SELECT concat_ws(' ', 'copy', type, count(*), sum(event_id), count(DISTINCT event_id)) FROM json.`out`\n"
    "GROUP BY type ORDER BY type;\n";

static uint64_t random_state;
static uint64_t random_below(uint64_t n) {
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (random_state >> 33) % n;
}

static int64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t next_event = 1, rows_of_type[TYPES], ids_of_type[TYPES];
static int     next_file;

// Lands a file whole: written aside, then renamed.
static void file_land(void) {
    char aside[64], path[64];
    snprintf(aside, sizeof aside, "landing.json");
    snprintf(path, sizeof path, "in/events-%06d.json", next_file++);
    FILE *file = fopen(aside, "w");
    if (file == NULL) exit(2);
    for (int row = 0; row < ROWS_PER_FILE; row++, next_event++) {
        int type = (int)(next_event * 387 % 1000 * TYPES / 1000);
        fprintf(file,
                "{\"event_id\": %lld, \"ts\": \"2024-03-01T08:00:00Z\", \"type\": \"%s\", \"order_id\": %lld,"
                " \"customer_id\": %d}\n",
                (long long)next_event, types[type], (long long)next_event / 2, (int)(next_event * 7 % 400));
        rows_of_type[type]++;
        ids_of_type[type] += next_event;
    }
    fclose(file);
    if (rename(aside, path) != 0) exit(2);
}

static pid_t job_start(const char *leat, const char *log) {
    pid_t child = fork();
    if (child != 0) return child;
    if (freopen(log, "w", stdout) == NULL || freopen("errors.txt", "a", stderr) == NULL) _exit(126);
    execl(leat, leat, "job.sql", (char *)NULL);
    _exit(127);
}

// Waits up to `wait_us` (below 0: for ever), then kills. True: killed.
static int job_end(pid_t child, int64_t wait_us, int *out_status) {
    int64_t start = now_us();
    for (;;) {
        if (waitpid(child, out_status, wait_us < 0 ? 0 : WNOHANG) == child) return 0;
        if (wait_us >= 0 && now_us() - start >= wait_us) break;
        struct timespec nap = {.tv_nsec = 100000};
        nanosleep(&nap, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, out_status, 0);
    return WIFSIGNALED(*out_status);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static void expected_print(char *out, int has_batch) {
    size_t used = 0;
    for (int t = 0; has_batch && t < TYPES; t++)
        used += (size_t)sprintf(out + used, "shown %s %lld\n", types[t], (long long)rows_of_type[t]);
    for (int t = 0; t < TYPES; t++)
        used += (size_t)sprintf(out + used, "count %s %lld %lld\n", types[t], (long long)rows_of_type[t],
                                (long long)ids_of_type[t]);
    for (int t = 0; t < TYPES; t++)
        used += (size_t)sprintf(out + used, "copy %s %lld %lld %lld\n", types[t], (long long)rows_of_type[t],
                                (long long)ids_of_type[t], (long long)rows_of_type[t]);
}

// Lines of the job's output that the test reads; of the console's tables the last one.
static void output_read(const char *path, char *out) {
    char      line[256], type[64];
    long long count;
    FILE     *file = fopen(path, "r");
    out[0]         = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "Batch: ", 7) == 0) out[0] = '\0';
        if (sscanf(line, "| %63[a-z_]|%lld", type, &count) == 2)
            snprintf(line, sizeof line, "shown %s %lld\n", type, count);
        else if (strncmp(line, "count ", 6) != 0 && strncmp(line, "copy ", 5) != 0)
            continue;
        if (strlen(out) + strlen(line) < OUTPUT_BYTES) strcat(out, line);
    }
    if (file != NULL) fclose(file);
}

static int errors_show(const char *folder) {
    char  line[512];
    FILE *file = fopen("errors.txt", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) fputs(line, stderr);
    if (file != NULL) fclose(file);
    fprintf(stderr, "the folder stays: %s\n", folder);
    return 1;
}

static int lives_run(const char *leat, int kills, const char *folder) {
    int     killed = 0, ended = 0, status = 0;
    int64_t life_us = 60000;
    while (killed < kills) {
        for (int i = 0; i < FILES_PER_LIFE; i++) file_land();
        int64_t start = now_us();
        if (job_end(job_start(leat, "output.txt"), (int64_t)random_below((uint64_t)life_us), &status)) {
            killed++;
            life_us += life_us / 8; // work that was left over makes the next life longer
            continue;
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "after %d kills the job ended with status %d\n", killed, status);
            return errors_show(folder);
        }
        ended++;
        life_us = now_us() - start + 2000; // moments lie within a life
    }
    char expected[OUTPUT_BYTES], found[OUTPUT_BYTES];
    file_land();
    for (int again = 0; again < 2; again++) { // the second time there is nothing to do
        job_end(job_start(leat, "output.txt"), -1, &status);
        expected_print(expected, again == 0);
        output_read("output.txt", found);
        if (status == 0 && strcmp(expected, found) == 0) continue;
        fprintf(stderr, "status %d, expected\n%sfound\n%s", status, expected, found);
        return errors_show(folder);
    }
    printf("%d kills, %d lives that ended by themselves, %lld events in %d files: totals are right\n", killed, ended,
           (long long)next_event - 1, next_file);
    return 0;
}

int main(int count, char **arguments) {
    char folder[] = "/tmp/leat_kill_XXXXXX", leat[4096];
    if (count < 2 || realpath(arguments[1], leat) == NULL) {
        fprintf(stderr, "usage: kill_loop path/to/leat [kills] [seed]\n");
        return 2;
    }
    int kills    = count > 2 ? atoi(arguments[2]) : KILLS;
    random_state = count > 3 ? strtoull(arguments[3], NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)random_state);
    fflush(stdout);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("in", 0700) != 0) return 2;
    FILE *file = fopen("job.sql", "w");
    if (file == NULL) return 2;
    fputs(script, file);
    fclose(file);
    int result = lives_run(leat, kills, folder);
    if (result == 0) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return result;
}
