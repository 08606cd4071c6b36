// tpch: the 22 queries of TPC-H over small tables, as a SELECT and as standing queries.
//
//     tpch_queries generate FOLDER SCALE            writes the tables (see generate.h)
//     tpch_queries batch                        each query against answers/<query>.tsv
//     tpch_queries standing [--query N] [--seed N]    each query as a materialized view over memory streams: the rows arrive in
//                                             random parts, with restarts in between; after each part the view equals the
//                                             SELECT over the rows so far
//     tpch_queries changing [--query N] [--seed N]    the same over streams of changes: parts come, are updated, go and come
//                                             again; in the end all are taken back, and the state is that of a new view
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

enum { SCALE = 2, QUERIES = 22, PARTS = 4, STEPS = 6, TEXT_BYTES = 16 * 1024 };

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

// The rows of a table with the number of the part they are in.
static bool numbered_create(uint32_t table) {
    char        sql[TEXT_BYTES];
    const char *name = tpch_tables[table].name;
    snprintf(sql, sizeof sql,
             "CREATE TABLE numbered_%s AS SELECT *, CAST(floor(rand(%u) * %d) AS INT) AS part FROM file_%s", name,
             random_below(1000), PARTS, name);
    return table_create("CREATE TABLE file_%s (%s) USING csv OPTIONS (path '%s', header true)", table) && run(sql);
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
                   table_create("CREATE TABLE so_far_%s (%s)", t) && numbered_create(t);
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

// ---- changes: the rows of a part are absent, as they were made, or updated

typedef enum part_state { ABSENT, MADE, UPDATED } part_state;

// What an update makes of a table: one of its columns and the value it gets. NULL: rows of the table are not updated.
static const char *const updates[TPCH_TABLES][2] = {
    {NULL, NULL},
    {NULL, NULL},
    {"s_acctbal", "s_acctbal + 1000"},
    {"c_acctbal", "c_acctbal - 500"},
    {"p_size", "(p_size + 7) % 50"},
    {"ps_supplycost", "ps_supplycost * 2"},
    {"o_orderdate", "date_add(o_orderdate, 45)"},
    {"l_quantity", "l_quantity % 30 + 10"},
};

// The columns of a table as a SELECT list: `name TYPE, ..` without types, the updated one as its value.
static void column_list(uint32_t table, bool is_updated, char *out, size_t room) {
    size_t used = 0;
    for (const char *at = tpch_tables[table].columns; *at != '\0';) {
        at += strspn(at, " ");
        const size_t bytes = strcspn(at, " ");
        const char  *type = at + bytes + 1, *behind = type + strcspn(type, "(,");
        if (*behind == '(') behind = strchr(behind, ')') + 1;
        const bool is_replaced = is_updated && updates[table][0] != NULL && strlen(updates[table][0]) == bytes &&
                                 strncmp(at, updates[table][0], bytes) == 0;
        used += (size_t)snprintf(out + used, room - used, "%s", used > 0 ? ", " : "");
        if (is_replaced)
            used += (size_t)snprintf(out + used, room - used, "CAST(%s AS %.*s)", updates[table][1],
                                     (int)(behind - type), type);
        else
            used += (size_t)snprintf(out + used, room - used, "%.*s", (int)bytes, at);
        at = behind + (*behind == ',');
    }
}

// Takes a part from one state to another, in the stream by messages of `op`.
static bool part_send(uint32_t table, uint32_t part, part_state state, const char *op) {
    char sql[TEXT_BYTES], list[TEXT_BYTES / 4];
    if (state == ABSENT) return true;
    column_list(table, state == UPDATED, list, sizeof list);
    snprintf(sql, sizeof sql, "INSERT INTO %s SELECT %s, '%s' FROM numbered_%s WHERE part = %u",
             tpch_tables[table].name, list, op, tpch_tables[table].name, part);
    return run(sql);
}

// The table of the rows that are there now.
static bool table_fill(uint32_t table, const part_state *states) {
    char        sql[TEXT_BYTES], list[TEXT_BYTES / 4];
    const char *name = tpch_tables[table].name;
    snprintf(sql, sizeof sql, "DROP TABLE so_far_%s", name);
    if (!run(sql) || !table_create("CREATE TABLE so_far_%s (%s)", table)) return false;
    for (uint32_t part = 0; part < PARTS; part++) {
        if (states[part] == ABSENT) continue;
        column_list(table, states[part] == UPDATED, list, sizeof list);
        snprintf(sql, sizeof sql, "INSERT INTO so_far_%s SELECT %s FROM numbered_%s WHERE part = %u", name, list, name,
                 part);
        if (!run(sql)) return false;
    }
    return true;
}

static bool step_feed(part_state states[TPCH_TABLES][PARTS], bool is_last) {
    for (uint32_t t = 0; t < TPCH_TABLES; t++) {
        for (uint32_t part = 0; part < PARTS; part++) {
            const part_state before = states[t][part];
            const part_state after  = is_last ? ABSENT : (part_state)(random_below(4) % 3);
            states[t][part]         = after;
            if (before == after) continue;
            const bool is_update = before != ABSENT && after != ABSENT;
            if (!part_send(t, part, before, is_update ? "-U" : "-D") ||
                !part_send(t, part, after, is_update ? "+U" : "+I"))
                return false;
        }
        if (!table_fill(t, states[t])) return false;
    }
    return true;
}

// What the operators keep when there are no rows is what a view keeps that was made just now.
static bool state_is_empty(const char *sql, const char *name) {
    char   create[TEXT_BYTES];
    answer got = {0}, wanted = {0};
    snprintf(create, sizeof create, "CREATE MATERIALIZED VIEW fresh AS %s", sql);
    const char *const kept = "SELECT operator, numRowsTotal FROM leat_operators WHERE name = '%s' AND numRowsTotal > 0";
    char              of_view[256], of_fresh[256];
    snprintf(of_view, sizeof of_view, kept, "q");
    snprintf(of_fresh, sizeof of_fresh, kept, "fresh");
    const bool is_equal = run(create) && run("PROCESS ALL AVAILABLE") && answer_read(of_view, &got) &&
                          answer_read(of_fresh, &wanted) && answers_equal(&got, &wanted, name);
    answer_free(&got);
    answer_free(&wanted);
    return is_equal;
}

static bool changing_query(uint32_t q, uint64_t seed) {
    char      *sql      = query_read("queries", q, "sql"), create[TEXT_BYTES], select[TEXT_BYTES], name[48];
    bool       is_right = session_begin(seed);
    part_state states[TPCH_TABLES][PARTS] = {0};
    random_state                          = (seed * QUERIES + q) * 0x9e3779b97f4a7c15ULL + 3;
    for (uint32_t t = 0; is_right && t < TPCH_TABLES; t++)
        is_right = table_create("CREATE STREAM %s (%s) WITH (connector = 'memory', changes = 'op')", t) &&
                   numbered_create(t) && table_create("CREATE TABLE so_far_%s (%s)", t);
    snprintf(create, sizeof create,
             "CREATE MATERIALIZED VIEW q WITH (checkpointLocation = 'changing%" PRIu32 "') AS %s", q, sql);
    query_of_tables(sql, select, sizeof select);
    is_right = is_right && run(create);
    for (uint32_t step = 0; is_right && step <= STEPS; step++) {
        answer got = {0}, wanted = {0};
        snprintf(name, sizeof name, "q%02u after step %u of changes", q, step);
        is_right = step_feed(states, step == STEPS) && run("PROCESS ALL AVAILABLE");
        if (is_right && step < STEPS && random_below(2) == 0)
            is_right = run("STOP QUERY q") && run("START QUERY q") && run("PROCESS ALL AVAILABLE");
        is_right = is_right && answer_read("SELECT * FROM q", &got) && answer_read(select, &wanted) &&
                   answers_equal(&got, &wanted, name);
        answer_free(&got);
        answer_free(&wanted);
    }
    is_right = is_right && state_is_empty(sql, name);
    leat_close(&session, error);
    free(sql);
    return is_right;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static int usage(void) {
    fprintf(
        stderr,
        "usage: tpch_queries generate FOLDER SCALE | batch [--query N] | standing | changing [--query N] [--seed N]\n");
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
    const char *const way         = argument_count > 1 ? arguments[1] : "";
    const bool        is_standing = strcmp(way, "standing") == 0, is_changing = strcmp(way, "changing") == 0;
    if (argument_count % 2 != 0 || (!is_standing && !is_changing && strcmp(way, "batch") != 0)) return usage();
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
    if (!is_standing && !is_changing) is_right = batch_run(only);
    for (uint32_t q = 1; (is_standing || is_changing) && q <= QUERIES; q++)
        if (only == 0 || only == q) is_right &= is_standing ? standing_query(q, seed) : changing_query(q, seed);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    leat_error_destroy(&error);
    return is_right ? 0 : 1;
}
