// tpch: the 22 queries of TPC-H over small tables, as a SELECT and as standing queries.
//
//     tpch_queries generate FOLDER SCALE            writes the tables (see generate.h)
//     tpch_queries batch                        each query against answers/<query>.tsv
//     tpch_queries standing [--query N] [--seed N]    each query as a materialized view over memory streams: the rows arrive in
//                                             random parts, with restarts in between; after each part the view equals the
//                                             SELECT over the rows so far
//
// Answers hold numbers as two other engines give them (answers.py): they are compared as numbers, to the last of six
// decimals that Spark's rules for averages and quotients leave.
#include "tests/tpch/generate.h"

#include <ftw.h>
#include <inttypes.h>
#include <leat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCALE = 2, QUERIES = 22, PARTS = 4, TEXT_BYTES = 16 * 1024 };

static leat_session *session;
static leat_error   *error;
static char          folder[] = "/tmp/leat_tpch_XXXXXX";
static uint64_t      random_state;

static uint32_t random_below(uint32_t bound) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 11) % bound);
}

static bool complain(const char *what) {
    printf("%s: %s: %s\n", what, leat_error_condition(error), leat_error_message(error));
    return false;
}

static bool run(const char *statement) {
    return leat_execute(session, statement, LEAT_TERMINATED, error) == LEAT_OK || complain(statement);
}

static char *file_read(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    char  *text  = NULL;
    size_t bytes = 0, used;
    do {
        text = realloc(text, bytes + TEXT_BYTES + 1);
        used = fread(text + bytes, 1, TEXT_BYTES, file);
        bytes += used;
    } while (used > 0);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

static char *query_read(const char *kind, uint32_t number, const char *ending) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/q%02u.%s", TPCH_FOLDER, kind, number, ending);
    return file_read(path);
}

// ---- answers: rows of tab-separated values

typedef struct answer {
    char **rows;
    size_t count, capacity;
} answer;

static void answer_add(answer *out, const char *row, size_t bytes) {
    if (out->count == out->capacity) {
        out->capacity = out->capacity == 0 ? 64 : out->capacity * 2;
        out->rows     = realloc(out->rows, out->capacity * sizeof *out->rows);
    }
    out->rows[out->count++] = strndup(row, bytes);
}

static void answer_free(answer *out) {
    for (size_t i = 0; i < out->count; i++) free(out->rows[i]);
    free(out->rows);
    *out = (answer){0};
}

static bool answer_read(const char *query, answer *out) {
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, query, LEAT_TERMINATED, &statement, NULL, error);
    *out                      = (answer){0};
    while (status == LEAT_OK || status == LEAT_ROW) {
        status = leat_step(statement, error);
        if (status != LEAT_ROW) break;
        char   row[TEXT_BYTES];
        size_t used = 0;
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            const char *value = leat_column_is_null(statement, c) ? "NULL" : leat_column_text(statement, c, NULL);
            used += (size_t)snprintf(row + used, sizeof row - used, "%s%s", c > 0 ? "\t" : "", value);
        }
        answer_add(out, row, used);
    }
    leat_statement_close(&statement);
    return status == LEAT_DONE || complain(query);
}

static void answer_split(const char *text, answer *out) {
    *out = (answer){0};
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        answer_add(out, line, (size_t)(strchr(line, '\n') - line));
}

static bool values_equal(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    if (a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0) return true;
    char        *a_end, *b_end;
    const double x = strtod(a, &a_end), y = strtod(b, &b_end);
    return a_end == a + a_bytes && b_end == b + b_bytes && fabs(x - y) <= 1e-6 + 1e-9 * fabs(x);
}

static bool rows_equal(const char *a, const char *b) {
    for (;;) {
        const size_t a_bytes = strcspn(a, "\t"), b_bytes = strcspn(b, "\t");
        if (!values_equal(a, a_bytes, b, b_bytes) || a[a_bytes] != b[b_bytes]) return false;
        if (a[a_bytes] == '\0') return true;
        a += a_bytes + 1;
        b += b_bytes + 1;
    }
}

static bool answers_equal(const answer *got, const answer *wanted, const char *what) {
    bool is_equal = got->count == wanted->count;
    for (size_t i = 0; is_equal && i < got->count; i++) is_equal = rows_equal(got->rows[i], wanted->rows[i]);
    if (is_equal) return true;
    printf("%s differs: %zu rows, wanted %zu\n", what, got->count, wanted->count);
    for (size_t i = 0; i < 5; i++)
        printf("  got %s\n  not %s\n", i < got->count ? got->rows[i] : "-", i < wanted->count ? wanted->rows[i] : "-");
    return false;
}

// ---- the two ways

static bool session_begin(uint64_t seed) {
    leat_options options = {.struct_size = sizeof options, .folder = folder, .random_seed = seed};
    return leat_open(&options, &session, error) == LEAT_OK || complain("open");
}

static bool table_create(const char *form, uint32_t table) {
    char sql[TEXT_BYTES];
    snprintf(sql, sizeof sql, form, tpch_tables[table].name, tpch_tables[table].columns, tpch_tables[table].name);
    return run(sql);
}

static bool batch_run(uint32_t only) {
    bool is_right = session_begin(1);
    for (uint32_t t = 0; is_right && t < TPCH_TABLES; t++)
        is_right = table_create("CREATE TABLE %s (%s) USING csv OPTIONS (path '%s', header true)", t);
    for (uint32_t q = 1; is_right && q <= QUERIES; q++) {
        if (only != 0 && only != q) continue;
        char  *sql = query_read("queries", q, "sql"), *text = query_read("answers", q, "tsv"), name[8];
        answer got, wanted;
        answer_split(text, &wanted);
        snprintf(name, sizeof name, "q%02u", q);
        is_right = answer_read(sql, &got) && answers_equal(&got, &wanted, name);
        answer_free(&got);
        answer_free(&wanted);
        free(sql);
        free(text);
    }
    leat_close(&session, error);
    return is_right;
}

// The rows of each table get a number below PARTS; part p takes those of that number into the stream and into the table
// of the rows so far.
static bool part_feed(uint32_t part) {
    char sql[TEXT_BYTES];
    for (uint32_t t = 0; t < TPCH_TABLES; t++) {
        const char *name = tpch_tables[t].name;
        snprintf(sql, sizeof sql, "INSERT INTO so_far_%s SELECT * EXCEPT (part) FROM numbered_%s WHERE part = %u", name,
                 name, part);
        if (!run(sql)) return false;
        snprintf(sql, sizeof sql, "INSERT INTO %s SELECT * EXCEPT (part) FROM numbered_%s WHERE part = %u", name, name,
                 part);
        if (!run(sql)) return false;
    }
    return true;
}

// `orders` -> `so_far_orders` where a table stands: behind FROM or a comma of FROM. The queries name columns with a
// prefix and never like a table, so every whole word is one.
static void query_of_tables(const char *sql, char *out, size_t room) {
    size_t used = 0;
    for (const char *at = sql; *at != '\0';) {
        const size_t word    = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        bool         is_name = false;
        for (uint32_t t = 0; t < TPCH_TABLES && word > 0; t++)
            is_name |= strlen(tpch_tables[t].name) == word && strncmp(at, tpch_tables[t].name, word) == 0;
        const size_t bytes = word == 0 ? 1 : word;
        used += (size_t)snprintf(out + used, room - used, "%s%.*s", is_name ? "so_far_" : "", (int)bytes, at);
        at += bytes;
    }
}

static bool standing_query(uint32_t q, uint64_t seed) {
    char  *sql       = query_read("queries", q, "sql"), create[TEXT_BYTES], select[TEXT_BYTES], name[32];
    bool   is_right  = session_begin(seed);
    size_t rows_seen = 0;
    random_state     = (seed * QUERIES + q) * 0x9e3779b97f4a7c15ULL + 1;
    for (uint32_t t = 0; is_right && t < TPCH_TABLES; t++) {
        is_right = table_create("CREATE STREAM %s (%s) WITH (connector = 'memory')", t) &&
                   table_create("CREATE TABLE so_far_%s (%s)", t) &&
                   table_create("CREATE TABLE file_%s (%s) USING csv OPTIONS (path '%s', header true)", t);
        snprintf(create, sizeof create,
                 "CREATE TABLE numbered_%s AS SELECT *, CAST(floor(rand(%u) * %d) AS INT) AS part FROM file_%s",
                 tpch_tables[t].name, random_below(1000), PARTS, tpch_tables[t].name);
        is_right = is_right && run(create);
    }
    snprintf(create, sizeof create,
             "CREATE MATERIALIZED VIEW q WITH (checkpointLocation = 'checkpoint%" PRIu32 "') AS %s", q, sql);
    query_of_tables(sql, select, sizeof select);
    is_right = is_right && run(create);
    for (uint32_t part = 0; is_right && part < PARTS; part++) {
        answer got = {0}, wanted = {0};
        snprintf(name, sizeof name, "q%02u after part %u", q, part);
        is_right = part_feed(part) && run("PROCESS ALL AVAILABLE");
        if (is_right && random_below(2) == 0)
            is_right = run("STOP QUERY q") && run("START QUERY q") && run("PROCESS ALL AVAILABLE");
        is_right = is_right && answer_read("SELECT * FROM q", &got) && answer_read(select, &wanted) &&
                   answers_equal(&got, &wanted, name);
        rows_seen += wanted.count;
        answer_free(&got);
        answer_free(&wanted);
    }
    if (is_right && rows_seen == 0) is_right = complain("no part gave a row");
    leat_close(&session, error);
    free(sql);
    return is_right;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static int usage(void) {
    fprintf(stderr,
            "usage: tpch_queries generate FOLDER SCALE | batch [--query N] | standing [--query N] [--seed N]\n");
    return 2;
}

int main(int argument_count, char **arguments) {
    uint32_t only = 0;
    uint64_t seed = 1;
    if (argument_count == 4 && strcmp(arguments[1], "generate") == 0) {
        if (tpch_generate(arguments[2], (uint32_t)strtoul(arguments[3], NULL, 10))) return 0;
        perror(arguments[2]);
        return 1;
    }
    const bool is_standing = argument_count > 1 && strcmp(arguments[1], "standing") == 0;
    if (argument_count < 2 || argument_count % 2 != 0 || (!is_standing && strcmp(arguments[1], "batch") != 0))
        return usage();
    for (int i = 2; i < argument_count; i += 2) {
        if (strcmp(arguments[i], "--query") == 0)
            only = (uint32_t)strtoul(arguments[i + 1], NULL, 10);
        else if (strcmp(arguments[i], "--seed") == 0)
            seed = strtoull(arguments[i + 1], NULL, 10);
        else
            return usage();
    }
    if (leat_error_create(&error) != LEAT_OK) return 2;
    if (mkdtemp(folder) == NULL || !tpch_generate(folder, SCALE)) {
        perror(folder);
        return 2;
    }
    bool is_right = true;
    if (!is_standing) is_right = batch_run(only);
    for (uint32_t q = 1; is_standing && q <= QUERIES; q++)
        if (only == 0 || only == q) is_right &= standing_query(q, seed);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    leat_error_destroy(&error);
    return is_right ? 0 : 1;
}
