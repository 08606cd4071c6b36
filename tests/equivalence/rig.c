#include "tests/equivalence/rig.h"
#include "planner/rules/rules.h"
#include "tests/unit/temporary_folder.h"

#include <inttypes.h>
#include <leat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS_MAX = 9, LIVE_ROWS_MAX = 1024 };

// ---- random values: xorshift, so that a seed gives the same rows everywhere

static uint64_t random_state;

void rig_random_seed(uint64_t seed) {
    random_state = seed * 0x9e3779b97f4a7c15ULL + 1;
    for (int i = 0; i < 8; i++) (void)rig_random_below(2);
}

uint32_t rig_random_below(uint32_t bound) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 11) % bound);
}

typedef struct column {
    const char *name, *type;
    const char *values[10]; // SQL; random picks among them and NULL
} column;

static const column columns[] = {
    {"k", "INT", {"1", "2", "3"}},
    {"n", "INT", {"0", "1", "2", "3", "-4"}},
    {"s", "STRING", {"''", "'a'", "'b'", "'ab'", "'a longer text than twelve bytes'"}},
    {"d",
     "DOUBLE",
     {"0.0D", "-0.0D", "DOUBLE('NaN')", "DOUBLE('Infinity')", "-1.5D", "2.25D", "DOUBLE('-Infinity')", "0.125D"}},
    {"e", "DOUBLE", {"0.125D", "-2.5D", "7.0D", "0.5D", "-0.0D"}},
    {"f", "FLOAT", {"FLOAT(0.0)", "FLOAT('-0.0')", "FLOAT('NaN')", "FLOAT(1.5)", "FLOAT(-3.25)"}},
    {"l", "BIGINT", {"9223372036854775807L", "-9223372036854775808", "0L", "5L"}},
    {"m", "DECIMAL(9,2)", {"1.10BD", "-0.01BD", "9999999.99BD", "0BD", "2.50BD"}},
    {"t",
     "TIMESTAMP",
     {"TIMESTAMP '2024-03-01 10:00:00'", "TIMESTAMP '2024-03-01 10:04:59.999999'", "TIMESTAMP '1969-12-31 23:59:59'",
      "TIMESTAMP '2024-03-01 10:10:00'"}},
    {"list", "ARRAY<INT>", {"array(1, 2)", "array()", "array(NULL, 1)", "array(1, 2)"}},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

void rig_text_add(rig_text *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(out->bytes + out->count, sizeof out->bytes - out->count, format, arguments);
    va_end(arguments);
    if (count < 0 || (size_t)count >= sizeof out->bytes - out->count) {
        fprintf(stderr, "a statement is too long\n");
        exit(2);
    }
    out->count += (size_t)count;
}

// The values of a row, without parentheses.
static void row_add(rig_text *out, uint32_t id) {
    rig_text_add(out, "%" PRIu32, id);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        uint32_t count = 0;
        while (count < 10 && columns[c].values[count] != NULL) count++;
        const char *value = rig_random_below(5) == 0 ? "NULL" : columns[c].values[rig_random_below(count)];
        rig_text_add(out, ", CAST(%s AS %s)", value, columns[c].type);
    }
}

// ---- statements and answers

static leat_session *session;
static leat_error   *error;
static rig_text      sql;

static bool run(const char *statement) {
    if (leat_execute(session, statement, LEAT_TERMINATED, error) == LEAT_OK) return true;
    return false;
}

typedef struct answer {
    char **rows;
    size_t count, capacity;
    bool   failed;
    char   why[400];
} answer;

static int row_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void answer_free(answer *out) {
    for (size_t i = 0; i < out->count; i++) free(out->rows[i]);
    free(out->rows);
    *out = (answer){0};
}

// Whether the rows have an order: the query ends in ORDER BY, outside of parentheses. It is over all columns then.
static bool has_order(const char *query) {
    const char *closing = strrchr(query, ')');
    return strstr(closing == NULL ? query : closing, " ORDER BY ") != NULL;
}

// Rows without an order are sorted, so that answers can be compared.
static void answer_read(const char *query, bool is_ordered, answer *out) {
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, query, LEAT_TERMINATED, &statement, NULL, error);
    *out                      = (answer){0};
    while (status == LEAT_OK || status == LEAT_ROW) {
        status = leat_step(statement, error);
        if (status != LEAT_ROW) break;
        static rig_text row;
        row.count    = 0;
        row.bytes[0] = '\0';
        for (uint32_t c = 0; c < leat_column_count(statement); c++)
            rig_text_add(&row, "%s\t",
                         leat_column_is_null(statement, c) ? "NULL" : leat_column_text(statement, c, NULL));
        if (out->count == out->capacity) {
            out->capacity = out->capacity == 0 ? 16 : out->capacity * 2;
            out->rows     = realloc(out->rows, out->capacity * sizeof *out->rows);
        }
        out->rows[out->count++] = strdup(row.bytes);
    }
    if (status != LEAT_DONE) {
        out->failed = true;
        snprintf(out->why, sizeof out->why, "%s: %s", leat_error_condition(error), leat_error_message(error));
    }
    leat_statement_close(&statement);
    if (out->count > 0 && !is_ordered) qsort(out->rows, out->count, sizeof *out->rows, row_compare);
}

static bool answers_equal(const answer *a, const answer *b) {
    if (a->failed || b->failed || a->count != b->count) return a->failed && b->failed;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->rows[i], b->rows[i]) != 0) return false;
    return true;
}

// Rows that stand in one answer only.
static void answers_print(const answer *view, const answer *batch) {
    if (view->failed) printf("  view fails: %s\n", view->why);
    if (batch->failed) printf("  batch fails: %s\n", batch->why);
    size_t v = 0, b = 0;
    while (v < view->count || b < batch->count) {
        int order = v == view->count ? 1 : b == batch->count ? -1 : strcmp(view->rows[v], batch->rows[b]);
        if (order < 0) printf("  only in the view:  %s\n", view->rows[v]);
        if (order > 0) printf("  only in the batch: %s\n", batch->rows[b]);
        v += order <= 0;
        b += order >= 0;
    }
}

// Leaves out the rewrites of the planner that have their bit in `off`.
static bool rules_leave_out(uint32_t off) {
    sql.count = 0;
    rig_text_add(&sql, "SET rulesOff = '");
    const size_t start = sql.count;
    for (uint32_t i = 0; lt_rules[i].name != NULL; i++)
        if ((off >> i & 1) != 0) rig_text_add(&sql, "%s%s", sql.count > start ? "," : "", lt_rules[i].name);
    rig_text_add(&sql, "'");
    return run(sql.bytes);
}

// ---- one run of one query

static const char *query_sql(const char *query, bool is_stream) {
    static rig_text out;
    out.count = 0;
    for (const char *at = query; *at != '\0'; at++) {
        if (*at != '$') {
            rig_text_add(&out, "%c", *at);
            continue;
        }
        at++;
        rig_text_add(&out, is_stream ? "%c" : "%c_rows", *at);
    }
    return out.bytes;
}

static bool tables_create(const char *const *names, bool are_streams, bool take_deletes) {
    for (; *names != NULL; names++) {
        sql.count = 0;
        rig_text_add(&sql, "CREATE %s %s (id INT", are_streams ? "STREAM" : "TABLE", *names);
        for (size_t c = 0; c < COLUMN_COUNT; c++) rig_text_add(&sql, ", %s %s", columns[c].name, columns[c].type);
        rig_text_add(&sql, ")%s%s", are_streams ? " WITH (connector = 'memory'" : "",
                     !are_streams   ? ""
                     : take_deletes ? ", changes = 'op')"
                                    : ")");
        if (!run(sql.bytes)) return false;
    }
    return true;
}

// The rows of a stream that were not taken back, in order of arrival.
typedef struct live_rows {
    char    *rows[LIVE_ROWS_MAX];
    uint32_t count;
} live_rows;

static char *live_take(live_rows *live, uint32_t at) {
    char *row = live->rows[at];
    live->count--;
    memmove(live->rows + at, live->rows + at + 1, (live->count - at) * sizeof *live->rows);
    return row;
}

static void message_add(rig_text *out, const char *row, const char *op) {
    rig_text_add(out, "%s(%s%s%s%s)", out->count > 0 ? ", " : "", row, op == NULL ? "" : ", '", op == NULL ? "" : op,
                 op == NULL ? "" : "'");
}

// `count` messages: new rows, and with `deletes` old ones that go; the table of the rows so far is filled anew then.
static bool rows_insert(const char *name, uint32_t count, bool take_deletes, bool only_deletes, live_rows *live,
                        uint32_t *next_id) {
    static rig_text values, row;
    if (count == 0) return true;
    values.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (take_deletes && live->count > 0 && (only_deletes || rig_random_below(3) == 0)) {
            char *gone = live_take(live, rig_random_below(live->count));
            message_add(&values, gone, rig_random_below(2) == 0 ? "-D" : "-U");
            free(gone);
            continue;
        }
        row.count = 0;
        row_add(&row, (*next_id)++);
        message_add(&values, row.bytes, !take_deletes ? NULL : rig_random_below(2) == 0 ? "+I" : "+U");
        live->rows[live->count++] = strdup(row.bytes);
    }
    sql.count = 0;
    rig_text_add(&sql, "INSERT INTO %s VALUES %s", name, values.bytes);
    if (!run(sql.bytes)) return false;
    if (take_deletes) {
        sql.count = values.count = 0;
        rig_text_add(&sql, "TRUNCATE TABLE %s_rows", name);
        if (!run(sql.bytes)) return false;
        for (uint32_t i = 0; i < live->count; i++) message_add(&values, live->rows[i], NULL);
        if (live->count == 0) return true;
    }
    sql.count = 0;
    rig_text_add(&sql, "INSERT INTO %s_rows VALUES %s", name, values.bytes);
    return run(sql.bytes);
}

// When all rows are taken back, the operators of the view keep what those of a view keep that is made now: nothing, but
// for the rows of `still` and results over no rows.
static bool state_is_empty(const char *name, const char *query) {
    answer of_view, of_fresh;
    sql.count = 0;
    rig_text_add(&sql, "CREATE MATERIALIZED VIEW fresh AS %s", query_sql(query, true));
    if (!run(sql.bytes) || !run("PROCESS ALL AVAILABLE")) return false;
    answer_read("SELECT operator, numRowsTotal FROM leat_operators WHERE name = 'q' AND numRowsTotal > 0", false,
                &of_view);
    answer_read("SELECT operator, numRowsTotal FROM leat_operators WHERE name = 'fresh' AND numRowsTotal > 0", false,
                &of_fresh);
    const bool is_equal = answers_equal(&of_view, &of_fresh);
    if (!is_equal) {
        printf("%s: operator and rows that it keeps when all are taken back; the batch: of a view made now\n", name);
        answers_print(&of_view, &of_fresh);
    }
    answer_free(&of_view);
    answer_free(&of_fresh);
    return is_equal && run("DROP VIEW fresh");
}

static rig_outcome rounds_run(const char *name, const char *query, uint32_t rounds, bool take_deletes,
                              bool is_verbose) {
    static const char *const streams[] = {"a", "b", NULL}, *const tables[] = {"a_rows", "b_rows", NULL};
    static live_rows live[2];
    uint32_t         next_id = 1;
    for (uint32_t i = 0; i < 2; i++)
        while (live[i].count > 0) free(live_take(&live[i], 0));
    if (!tables_create(streams, true, take_deletes) || !tables_create(tables, false, false)) return RIG_DIFFERS;
    if (!run("CREATE TABLE still (n INT, name STRING)") ||
        !run("INSERT INTO still VALUES (1, 'one'), (2, 'two'), (2, 'zwei'), (NULL, 'none'), (9, 'nine')"))
        return RIG_DIFFERS;
    if (strstr(query, "$g") != NULL &&
        (!run("CREATE MATERIALIZED VIEW g AS SELECT k, s, count(*) AS c, max(n) AS hi FROM a GROUP BY k, s") ||
         !run("CREATE VIEW g_rows AS SELECT k, s, count(*) AS c, max(n) AS hi FROM a_rows GROUP BY k, s")))
        return RIG_DIFFERS;
    const bool      is_ordered = has_order(query);
    leat_statement *statement  = NULL;
    const bool      is_bound =
        leat_prepare(session, query_sql(query, false), LEAT_TERMINATED, &statement, NULL, error) == LEAT_OK;
    leat_statement_close(&statement);
    if (!is_bound) return RIG_REFUSED;
    const uint32_t off = rig_random_below(3) == 0 ? rig_random_below(1U << 16) : 0;
    if (!rules_leave_out(off)) return RIG_DIFFERS;
    sql.count = 0;
    rig_text_add(&sql, "CREATE MATERIALIZED VIEW q WITH (checkpointLocation = 'checkpoint') AS %s",
                 query_sql(query, true));
    if (!run(sql.bytes)) return RIG_DIFFERS;
    // What the view tells those who follow it: a copy that is made of its changes alone.
    const bool is_followed = rig_random_below(3) == 0;
    if (is_followed &&
        !run("CREATE MATERIALIZED VIEW copy WITH (checkpointLocation = 'checkpoint_of_copy') AS SELECT * FROM q"))
        return RIG_DIFFERS;
    // Where rows can go, all of them go in the end.
    for (uint32_t round = 0; round <= rounds + take_deletes; round++) {
        const bool is_emptied = round > rounds;
        if (round > 0) {
            uint32_t sizes[2] = {rig_random_below(BATCH_ROWS_MAX), rig_random_below(BATCH_ROWS_MAX)};
            if (rig_random_below(4) == 0) sizes[rig_random_below(2)] = 0;
            for (uint32_t i = 0; i < 2; i++)
                if (!rows_insert(streams[i], is_emptied ? live[i].count : sizes[i], take_deletes, is_emptied, &live[i],
                                 &next_id))
                    return RIG_DIFFERS;
        }
        if (!run("PROCESS ALL AVAILABLE")) {
            // A query whose answer is an error ends; its SELECT has to fail alike, at least where nothing is rewritten.
            char why[400];
            snprintf(why, sizeof why, "%s: %s", leat_error_condition(error), leat_error_message(error));
            answer batch;
            (void)rules_leave_out(UINT32_MAX);
            answer_read(query_sql(query, false), is_ordered, &batch);
            const bool is_equal = batch.failed;
            answer_free(&batch);
            if (!is_equal) leat_error_set(error, why);
            return is_equal ? RIG_FAILS : RIG_DIFFERS;
        }
        if (is_emptied && !state_is_empty(name, query)) return RIG_DIFFERS;
        if (rig_random_below(2) == 0 &&
            (!run("STOP QUERY q") || !run("START QUERY q") || !run("PROCESS ALL AVAILABLE")))
            return RIG_DIFFERS;
        if (is_followed && rig_random_below(3) == 0 &&
            (!run("STOP QUERY copy") || !run("START QUERY copy") || !run("PROCESS ALL AVAILABLE")))
            return RIG_DIFFERS;
        answer view, batch;
        answer_read("SELECT * FROM q", is_ordered, &view);
        answer_read(query_sql(query, false), is_ordered, &batch);
        bool is_equal = answers_equal(&view, &batch);
        if (is_equal && is_followed) {
            answer_free(&view);
            answer_read("SELECT * FROM copy", false, &view);
            if (is_ordered) {
                answer_free(&batch);
                answer_read(query_sql(query, false), false, &batch);
            }
            is_equal = answers_equal(&view, &batch);
            if (!is_equal) printf("%s: a view over the view differs\n", name);
        }
        if (is_equal && !batch.failed) {
            // The SELECT again, as it is written: without rewrites.
            answer_free(&view);
            if (!rules_leave_out(UINT32_MAX)) return RIG_DIFFERS;
            answer_read(query_sql(query, false), is_ordered, &view);
            if (!rules_leave_out(off)) return RIG_DIFFERS;
            if (is_ordered) {
                answer_free(&batch);
                answer_read(query_sql(query, false), true, &batch);
            }
            is_equal = view.failed || answers_equal(&view, &batch);
            if (!is_equal) printf("%s: without rewrites (below: \"the view\") the SELECT differs\n", name);
        }
        if (is_verbose) printf("%s round %" PRIu32 ": %zu rows\n", name, round, batch.count);
        if (!is_equal) {
            printf("%s differs in round %" PRIu32 ": %s\n", name, round, query);
            answers_print(&view, &batch);
        }
        answer_free(&view);
        answer_free(&batch);
        if (!is_equal) return RIG_DIFFERS;
    }
    leat_error_set(error, "");
    return RIG_EQUAL;
}

rig_outcome rig_query_run(const char *name, const char *query, uint64_t seed, uint32_t rounds, bool take_deletes,
                          bool is_verbose) {
    char         folder[64];
    leat_options options = {.struct_size = sizeof options, .folder = folder, .random_seed = seed};
    rig_random_seed(seed);
    if ((error == NULL && leat_error_create(&error) != LEAT_OK) || !temporary_folder_create(folder) ||
        leat_open(&options, &session, error) != LEAT_OK) {
        perror("equivalence");
        return RIG_DIFFERS;
    }
    const rig_outcome outcome = rounds_run(name, query, rounds, take_deletes, is_verbose);
    const char       *why     = leat_error_message(error);
    if (outcome == RIG_DIFFERS) printf("%s: %s: %s\n  %s\n", name, leat_error_condition(error), why, query);
    if (outcome == RIG_REFUSED && is_verbose)
        printf("%s: %s: %s\n  %s\n", name, leat_error_condition(error), why, query);
    leat_close(&session, error);
    leat_error_destroy(&error);
    temporary_folder_remove(folder);
    return outcome;
}
