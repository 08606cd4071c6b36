// inside: runs SQL in one process that stays warm, and says what each run took.
//
//     inside THREADS CORE[,CORE]     commands on standard input, an answer line each on standard output
//
//     script FILE           runs the statements of FILE               ok WALL CPU ROWS          seconds
//     query FILE            runs the query of FILE, keeps the columns of its result until the end
//     answer FILE OUT       the same, and writes its rows to OUT: values separated by tabs, NULL as \N
//     hold FILE STREAM      keeps the rows of FILE's query outside of the session, for the next feed
//     feed FILE             gives the held rows to their streams (leat_stream_append), then runs FILE as a script
//     anything that fails                                             error TEXT
#include <errno.h>
#include <inttypes.h>
#include <leat.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct held {
    struct ArrowArray *arrays;
    size_t             count, capacity;
} held;

enum { FEED_STREAMS_MAX = 16 };

// Rows for a stream of connector 'memory'.
typedef struct feed_rows {
    char               stream[128];
    struct ArrowSchema schema;
    held               rows;
} feed_rows;

typedef struct feed {
    feed_rows streams[FEED_STREAMS_MAX];
    size_t    count;
} feed;

typedef struct took {
    double   wall, cpu;
    uint64_t rows;
} took;

static double seconds_wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static char *file_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    static char text[1 << 20];
    size_t      bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes]       = '\0';
    fclose(file);
    return text;
}

static bool held_add(held *all, struct ArrowArray array) {
    if (all->count == all->capacity) {
        size_t             capacity = all->capacity == 0 ? 64 : all->capacity * 2;
        struct ArrowArray *grown    = realloc(all->arrays, capacity * sizeof *grown);
        if (grown == NULL) return false;
        all->arrays   = grown;
        all->capacity = capacity;
    }
    all->arrays[all->count++] = array;
    return true;
}

static void held_free(held *all) {
    for (size_t i = 0; i < all->count; i++)
        if (all->arrays[i].release != NULL) all->arrays[i].release(&all->arrays[i]);
    free(all->arrays);
    *all = (held){.arrays = NULL};
}

static leat_status stream_take(struct ArrowArrayStream *stream, held *out, took *result, leat_error *err) {
    int failed = 0;
    for (;;) {
        struct ArrowArray array;
        failed = stream->get_next(stream, &array);
        if (failed != 0 || array.release == NULL) break;
        result->rows += (uint64_t)array.length;
        if (!held_add(out, array)) {
            array.release(&array);
            failed = ENOMEM;
            break;
        }
    }
    return failed != 0 ? leat_error_set(err, stream->get_last_error(stream)) : LEAT_OK;
}

// Takes the whole result as Arrow columns, as the peers keep theirs; with `to_feed` they stay until the next feed.
static leat_status rows_hold(leat_statement *statement, feed_rows *to_feed, took *out, leat_error *err) {
    struct ArrowArrayStream stream;
    leat_status             status = leat_statement_arrow(statement, &stream, err);
    if (status != LEAT_OK) return status;
    held all = {.arrays = NULL};
    if (to_feed != NULL && stream.get_schema(&stream, &to_feed->schema) != 0)
        status = leat_error_set(err, stream.get_last_error(&stream));
    if (status == LEAT_OK) status = stream_take(&stream, to_feed != NULL ? &to_feed->rows : &all, out, err);
    held_free(&all);
    stream.release(&stream);
    return status;
}

static void feed_reset(feed *self) {
    for (size_t i = 0; i < self->count; i++) {
        feed_rows *rows = &self->streams[i];
        if (rows->schema.release != NULL) rows->schema.release(&rows->schema);
        held_free(&rows->rows);
        *rows = (feed_rows){.stream = ""};
    }
    self->count = 0;
}

static leat_status feed_give(leat_session *session, feed *self, leat_error *err) {
    for (size_t i = 0; i < self->count; i++) {
        feed_rows *rows = &self->streams[i];
        for (size_t a = 0; a < rows->rows.count; a++) { // takes the array, also where it fails
            leat_status status = leat_stream_append(session, rows->stream, &rows->schema, &rows->rows.arrays[a], err);
            if (status != LEAT_OK) return status;
        }
    }
    return LEAT_OK;
}

static void text_write(FILE *out, const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\\')
            fputs("\\\\", out);
        else if (text[i] == '\t')
            fputs("\\t", out);
        else if (text[i] == '\n')
            fputs("\\n", out);
        else if (text[i] == '\r')
            fputs("\\r", out);
        else
            fputc(text[i], out);
    }
}

static leat_status rows_write(leat_statement *statement, const char *path, took *out, leat_error *err) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return leat_error_set(err, "cannot write the answer");
    leat_status status;
    while ((status = leat_step(statement, err)) == LEAT_ROW) {
        uint32_t columns = leat_column_count(statement);
        for (uint32_t i = 0; i < columns; i++) {
            size_t bytes = 0;
            if (i > 0) fputc('\t', file);
            const char *text = leat_column_text(statement, i, &bytes);
            if (text == NULL)
                fputs("\\N", file);
            else
                text_write(file, text, bytes);
        }
        fputc('\n', file);
        out->rows++;
    }
    if (fclose(file) != 0) return leat_error_set(err, "cannot write the answer");
    return status == LEAT_DONE ? LEAT_OK : status;
}

// Statements before the last one that gives rows are run for what they do.
static leat_status query_run(leat_session *session, const char *sql, const char *path, feed_rows *to_feed, took *out,
                             leat_error *err) {
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && sql[strspn(sql, " \n")] != '\0') {
        leat_statement *statement = NULL;
        size_t          used      = 0;
        status                    = leat_prepare(session, sql, LEAT_TERMINATED, &statement, &used, err);
        if (status == LEAT_OK && leat_statement_kind_of(statement) == LEAT_STATEMENT_ROWS)
            status = path != NULL ? rows_write(statement, path, out, err) : rows_hold(statement, to_feed, out, err);
        else if (status == LEAT_OK && (status = leat_step(statement, err)) == LEAT_DONE)
            status = LEAT_OK;
        leat_statement_close(&statement);
        sql += used;
    }
    return status;
}

static leat_status verb_run(leat_session *session, const char *verb, const char *sql, const char *target, feed *to_feed,
                            took *out, leat_error *err) {
    if (strcmp(verb, "script") == 0) return leat_execute(session, sql, LEAT_TERMINATED, err);
    if (strcmp(verb, "feed") == 0) {
        leat_status status = feed_give(session, to_feed, err);
        return status != LEAT_OK ? status : leat_execute(session, sql, LEAT_TERMINATED, err);
    }
    if (strcmp(verb, "hold") != 0) return query_run(session, sql, target, NULL, out, err);
    if (target == NULL || to_feed->count == FEED_STREAMS_MAX) return leat_error_set(err, "hold for which stream?");
    feed_rows *rows = &to_feed->streams[to_feed->count++];
    snprintf(rows->stream, sizeof rows->stream, "%s", target);
    return query_run(session, sql, NULL, rows, out, err);
}

static void command_run(leat_session *session, feed *to_feed, char *line, leat_error *err) {
    char *path   = NULL;
    char *verb   = strtok_r(line, " \n", &path);
    char *name   = strtok_r(NULL, " \n", &path);
    char *target = strtok_r(NULL, " \n", &path);
    if (verb == NULL || name == NULL) {
        puts("error what?");
        return;
    }
    char *sql = file_text(name);
    if (sql == NULL) {
        printf("error cannot read %s\n", name);
        return;
    }
    took        result = {.rows = 0};
    double      wall = seconds_wall(), cpu = seconds_cpu();
    leat_status status = verb_run(session, verb, sql, target, to_feed, &result, err);
    result.wall        = seconds_wall() - wall;
    result.cpu         = seconds_cpu() - cpu;
    if (strcmp(verb, "feed") == 0) feed_reset(to_feed);
    if (status == LEAT_OK)
        printf("ok %.6f %.6f %" PRIu64 "\n", result.wall, result.cpu, result.rows);
    else
        printf("error [%s] %s\n", leat_error_condition(err), leat_error_message(err));
}

static bool cores_set(const char *list) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (char *end; *list != '\0'; list = *end == ',' ? end + 1 : end) {
        unsigned long core = strtoul(list, &end, 10);
        if (end == list || core >= CPU_SETSIZE) return false;
        CPU_SET(core, &cores);
    }
    return sched_setaffinity(0, sizeof cores, &cores) == 0;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3 || !cores_set(arguments[2])) {
        fputs("usage: inside THREADS CORE[,CORE]\n", stderr);
        return 2;
    }
    leat_options  options = {.struct_size = sizeof options, .threads = (uint32_t)strtoul(arguments[1], NULL, 10)};
    leat_session *session = NULL;
    leat_error   *err     = NULL;
    if (leat_error_create(&err) != LEAT_OK || leat_open(&options, &session, err) != LEAT_OK) {
        fprintf(stderr, "inside: %s\n", leat_error_message(err));
        return 1;
    }
    static char line[8192];
    static feed to_feed;
    while (fgets(line, sizeof line, stdin) != NULL) {
        command_run(session, &to_feed, line, err);
        fflush(stdout);
    }
    feed_reset(&to_feed);
    leat_close(&session, err);
    leat_error_destroy(&err);
    return 0;
}
