// event_totals: the job of examples/event_totals.sql inside a C program: files arrive, a table of totals is kept, the
// program reads it whenever it likes. Prints the same lines. Needs only <leat.h> and libleat:
//
//     cc event_totals.c $(pkg-config --cflags --libs leat) -o event_totals
#include <leat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static leat_session *session;
static leat_error   *err;

static void fail(const char *what) {
    fprintf(stderr, "%s: [%s] %s\n", what, leat_error_condition(err), leat_error_message(err));
    exit(1);
}

static void run(const char *sql) {
    if (leat_execute(session, sql, LEAT_TERMINATED, err) != LEAT_OK) fail(sql);
}

// Writes the rows to a hidden name and renames it, so that the query never sees half a file.
static void add_batch(const char *name, const char *rows) {
    char temporary[64], complete[64];
    snprintf(temporary, sizeof temporary, "input/.%s.tmp", name);
    snprintf(complete, sizeof complete, "input/%s", name);
    FILE *file = fopen(temporary, "w");
    if (file == NULL || fputs(rows, file) < 0 || fclose(file) != 0 || rename(temporary, complete) != 0) {
        perror(complete);
        exit(1);
    }
}

static void show_totals(const char *label) {
    static const char sql[] = "SELECT event, total FROM event_totals ORDER BY event";
    leat_statement   *statement;
    leat_status       status = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err);
    if (status != LEAT_OK) fail(label);
    puts(label);
    while ((status = leat_step(statement, err)) == LEAT_ROW)
        printf("%s=%lld\n", leat_column_text(statement, 0, NULL), (long long)leat_column_int64(statement, 1));
    if (status != LEAT_DONE) fail(label);
    leat_statement_close(&statement);
}

static void show_progress(void) {
    static const char sql[] = "SELECT batchId, numInputRows FROM leat_progress ORDER BY batchId DESC LIMIT 1";
    leat_statement   *statement;
    if (leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err) != LEAT_OK ||
        leat_step(statement, err) != LEAT_ROW)
        fail("progress");
    printf("last_progress_batch=%lld\n", (long long)leat_column_int64(statement, 0));
    printf("last_progress_input_rows=%lld\n", (long long)leat_column_int64(statement, 1));
    leat_statement_close(&statement);
}

static const char *is_active(leat_query *query) {
    return leat_query_status(query, err) == LEAT_QUERY_RUNNING ? "True" : "False";
}

static int count_active(void) {
    int count = 0;
    for (uint32_t i = 0; leat_query_at(session, i) != NULL; i++) {
        leat_query *query;
        if (leat_query_open(session, leat_query_at(session, i), &query, err) != LEAT_OK) fail("queries");
        count += leat_query_status(query, err) == LEAT_QUERY_RUNNING;
        leat_query_close(&query);
    }
    return count;
}

// Removes the folder with the few levels that a checkpoint has.
static int folder_remove(const char *path) {
    char command[256];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    return system(command);
}

int main(void) {
    char        folder[] = "/tmp/leat-event-totals-XXXXXX";
    leat_query *query;
    struct stat info;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("input", 0700) != 0) {
        perror(folder);
        return 1;
    }
    if (leat_error_create(&err) != LEAT_OK || leat_open(NULL, &session, err) != LEAT_OK) fail("open");
    run("CREATE STREAM events (event STRING, amount INT) USING json OPTIONS (path 'input');"
        "CREATE MATERIALIZED VIEW event_totals WITH (outputMode = 'complete', checkpointLocation = 'checkpoint') AS "
        "SELECT event, sum(amount) AS total FROM events GROUP BY event");
    if (leat_query_open(session, "event_totals", &query, err) != LEAT_OK) fail("event_totals");
    printf("query_name=%s\n", leat_query_name(query));
    printf("query_active=%s\n", is_active(query));

    add_batch("batch-001.json", "{\"event\": \"checkout\", \"amount\": 4}\n"
                                "{\"event\": \"search\", \"amount\": 2}\n"
                                "{\"event\": \"checkout\", \"amount\": 3}\n");
    if (leat_query_process(query, -1, err) != LEAT_OK) fail("batch 1");
    show_totals("after_batch_1");

    add_batch("batch-002.json", "{\"event\": \"search\", \"amount\": 5}\n"
                                "{\"event\": \"view\", \"amount\": 8}\n");
    if (leat_query_process(query, -1, err) != LEAT_OK) fail("batch 2");
    show_totals("after_batch_2");
    show_progress();

    if (leat_query_stop(query, -1, err) != LEAT_OK) fail("stop");
    printf("query_active_after_stop=%s\n", is_active(query));
    printf("active_streams_after_stop=%d\n", count_active());
    leat_query_close(&query);
    if (leat_close(&session, err) != LEAT_OK) fail("close");
    leat_error_destroy(&err);
    if (chdir("/") != 0 || folder_remove(folder) != 0) perror(folder);
    printf("cleanup_exists_after_stop=%s\n", stat(folder, &info) == 0 ? "True" : "False");
    return 0;
}
