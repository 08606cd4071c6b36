// event_time: what watermarks close equals the SELECT over all rows, however the rows are cut into batches.
//
//     equivalence_event_time [--seed N] [--seeds N] [--shape NAME]
//
// Two streams of rows that come out of order by less than the delay of their watermarks, so none is late, in batches of
// random size, with stops and starts from a checkpoint in between. Then the clock goes on until flushTimeout closes what
// is open. Each shape runs in output mode append, in changelog and without a mode, both with lateRows drop: the delivered
// rows, the changes put together, and the table are the answer of the SELECT; where all is closed no state is left.
//
// And sliding windows whose rows are folded into panes against the same that are not, because an aggregate looks at the
// window: more rows, some of them late, some without time; equal rows in equal order.
#include "tests/equivalence/rig.h"
#include "tests/unit/temporary_folder.h"

#include <inttypes.h>
#include <leat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, STEP_SECONDS = 10, DISORDER_SECONDS = 59 };

// What else holds for a shape.
enum {
    KEEPS_STATE     = 1, // when all is closed
    KEEPS_ELSEWHERE = 2, // state, in other modes than append
    NO_NULL         = 4  // what has a NULL time stays open for ever
};

typedef struct shape {
    const char *name, *sql;
    uint32_t    facts;
} shape;

static const shape shapes[] = {
    {"tumbling", "SELECT window.start AS b, k, count(*) AS c, sum(n) AS s FROM $a GROUP BY window(t, '1 minute'), k",
     0},
    {"sliding",
     "SELECT window.start AS b, window.end AS e, count(*) AS c, max(n) AS m, avg(n) AS v FROM $a GROUP BY window(t, '3 "
     "minutes', '1 minute')",
     0},
    {"sliding_uneven",
     "SELECT window.start AS b, k, count(*) AS c, min(n) AS m, sum(n) AS s FROM $a GROUP BY k, window(t, '70 seconds', "
     "'20 seconds', '-7 seconds')",
     0},
    {"hop",
     "SELECT window_start, window_end, count(*) AS c FROM HOP(TABLE $a, DESCRIPTOR(t), '30 seconds', '2 minutes') "
     "GROUP "
     "BY window_start, window_end",
     0},
    {"cumulate",
     "SELECT window_end, k, count(*) AS c FROM CUMULATE(TABLE $a, DESCRIPTOR(t), '20 seconds', '1 minute') GROUP BY "
     "window_start, window_end, k",
     0},
    {"session",
     "SELECT session_window.start AS b, session_window.end AS e, k, count(*) AS c FROM $a GROUP BY session_window(t, "
     "'15 seconds'), k",
     0},
    {"session_gaps",
     "SELECT session_window.end AS e, k, sum(n) AS c FROM $a GROUP BY session_window(t, make_dt_interval(0, 0, 0, k * "
     "10)), k",
     0},
    {"session_many_calls",
     "SELECT session_window.start AS b, session_window.end AS e, k, count(*) AS c, sum(n) AS s, min(id) AS l, max(id) "
     "AS "
     "m, avg(n) FILTER (WHERE id % 2 = 0) AS v, bool_or(n = 1) AS o FROM $a GROUP BY k, session_window(t, '12 "
     "seconds')",
     0},
    {"session_rows",
     "SELECT session_window.start AS b, session_window.end AS e, k, first(id) AS f, sum(n * 0.5D) AS c FROM $a "
     "GROUP BY session_window(t, '15 seconds'), k",
     0},
    {"session_table",
     "SELECT window_start, window_end, k, count(*) AS c FROM SESSION(TABLE $a PARTITION BY k, DESCRIPTOR(t), '15 "
     "seconds') GROUP BY window_start, window_end, k",
     0},
    {"times", "SELECT t, count(*) AS c, first(id) AS f FROM $a GROUP BY t", NO_NULL},
    {"distinct", "SELECT DISTINCT t, k FROM $a", NO_NULL},
    {"union",
     "SELECT window.start AS b, count(*) AS c FROM (SELECT t, k FROM $a UNION ALL SELECT t, k FROM $b) GROUP BY "
     "window(t, '1 minute')",
     0},
    {"windows_of_windows",
     "SELECT window.end AS e, sum(c) AS s, count(*) AS g FROM (SELECT window AS w, k, count(*) AS c FROM $a GROUP BY "
     "window(t, '1 minute'), k) GROUP BY window(w, '3 minutes')",
     0},
    {"windows_of_sessions",
     "SELECT window.end AS e, sum(c) AS s FROM (SELECT session_window AS w, k, count(*) AS c FROM $a GROUP BY "
     "session_window(t, '15 seconds'), k) GROUP BY window(w, '3 minutes')",
     KEEPS_ELSEWHERE},
    {"deduplicate", "SELECT k, n, t FROM DEDUPLICATE(TABLE $a, COLUMNS (k, n, t))", KEEPS_STATE},
    {"windows_of_firsts",
     "SELECT window.end AS e, count(*) AS c FROM (SELECT k, t FROM DEDUPLICATE(TABLE $a, COLUMNS (k, t))) GROUP BY "
     "window(t, '1 minute')",
     KEEPS_STATE},
    {"inner_join",
     "SELECT x.id, y.id AS other FROM $a x JOIN $b y ON x.k = y.k AND y.t BETWEEN x.t AND x.t + INTERVAL 20 SECONDS",
     KEEPS_STATE},
    {"left_join",
     "SELECT x.id, y.id AS other FROM $a x LEFT JOIN $b y ON x.k = y.k AND y.t BETWEEN x.t AND x.t + INTERVAL 5 "
     "SECONDS",
     KEEPS_STATE | KEEPS_ELSEWHERE | NO_NULL},
    {"full_join",
     "SELECT x.id, y.id AS other FROM (SELECT *, window(t, '20 seconds') AS w FROM $a) x FULL JOIN (SELECT *, "
     "window(t, "
     "'20 seconds') AS w FROM $b) y ON x.k = y.k AND x.w = y.w",
     KEEPS_STATE},
    {"asof_join", "SELECT x.id, y.id AS other FROM $a x ASOF JOIN $b y MATCH_CONDITION (x.t >= y.t) ON x.k = y.k",
     KEEPS_STATE},
    {"left_asof_join",
     "SELECT x.id, y.id AS other FROM $a x LEFT ASOF JOIN $b y MATCH_CONDITION (y.t < x.t) ON x.k = y.k AND x.n = y.n",
     KEEPS_STATE},
    {"windows_of_asof_joins",
     "SELECT window.end AS e, count(*) AS c, sum(other) AS s FROM (SELECT x.t AS t, y.id AS other FROM $a x LEFT ASOF "
     "JOIN $b y MATCH_CONDITION (x.t >= y.t) ON x.k = y.k) GROUP BY window(t, '1 minute')",
     KEEPS_STATE},
    {"windows_of_joins",
     "SELECT window.end AS e, count(*) AS c FROM (SELECT x.t AS t FROM $a x JOIN $b y ON x.k = y.k AND y.t BETWEEN x.t "
     "AND x.t + INTERVAL 20 SECONDS) GROUP BY window(t, '1 minute')",
     KEEPS_STATE},
    {"joins_of_windows",
     "SELECT x.w.end AS e, x.c, y.c AS d FROM (SELECT window AS w, count(*) AS c FROM $a GROUP BY window(t, '20 "
     "seconds')) x JOIN (SELECT window AS w, count(*) AS c FROM $b GROUP BY window(t, '20 seconds')) y ON x.w = y.w",
     KEEPS_STATE},
    {"full_joins_of_windows",
     "SELECT x.w.end AS e, y.w.end AS f, x.k, x.c, y.c AS d FROM (SELECT window AS w, k, count(*) AS c FROM $a GROUP "
     "BY window(t, '20 seconds'), k) x FULL JOIN (SELECT window AS w, k, count(*) AS c FROM $b GROUP BY window(t, '20 "
     "seconds'), k) y ON x.w = y.w AND x.k = y.k",
     KEEPS_STATE},
    {"full_joins_of_ranges",
     "SELECT x.id, y.id AS other FROM $a x FULL JOIN $b y ON x.k = y.k AND y.t > x.t - INTERVAL 15 SECONDS AND y.t < "
     "x.t + INTERVAL 30 SECONDS AND y.n <= x.n",
     KEEPS_STATE | NO_NULL},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

// ---- the session

static leat_session *session;
static leat_error   *error;
static rig_text      sql;
static int64_t       clock_us;

static int64_t clock_now_us(void *user) {
    (void)user;
    return clock_us;
}

static bool run(const char *statement) {
    if (leat_execute(session, statement, LEAT_TERMINATED, error) == LEAT_OK) return true;
    printf("  %s: [%s] %s\n", statement, leat_error_condition(error), leat_error_message(error));
    return false;
}

typedef struct answer {
    char  *rows[4096];
    size_t count;
} answer;

static int row_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool answer_take_back(answer *out, const char *row) {
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->rows[i], row) == 0) {
            free(out->rows[i]);
            out->rows[i] = out->rows[--out->count];
            return true;
        }
    printf("  taken back, but not there: %s\n", row);
    return false;
}

// Rows of the query as texts, sorted; of changes what is left of them.
static bool answer_read(const char *query, bool are_changes, answer *out) {
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, query, LEAT_TERMINATED, &statement, NULL, error);
    bool            is_good   = true;
    while (status == LEAT_OK || status == LEAT_ROW) {
        static rig_text row;
        row.count    = 0;
        row.bytes[0] = '\0';
        status       = leat_step(statement, error);
        if (status != LEAT_ROW) break;
        for (uint32_t c = are_changes; c < leat_column_count(statement); c++)
            rig_text_add(&row, "%s\t",
                         leat_column_is_null(statement, c) ? "NULL" : leat_column_text(statement, c, NULL));
        if (are_changes && leat_column_text(statement, 0, NULL)[0] == '-')
            is_good &= answer_take_back(out, row.bytes);
        else if (out->count < sizeof out->rows / sizeof out->rows[0])
            out->rows[out->count++] = strdup(row.bytes);
    }
    if (status != LEAT_DONE) printf("  %s: [%s] %s\n", query, leat_error_condition(error), leat_error_message(error));
    leat_statement_close(&statement);
    qsort(out->rows, out->count, sizeof *out->rows, row_compare);
    return is_good && status == LEAT_DONE;
}

static bool answers_equal(const answer *got, const answer *wanted) {
    bool is_equal = got->count == wanted->count;
    for (size_t i = 0; is_equal && i < got->count; i++) is_equal = strcmp(got->rows[i], wanted->rows[i]) == 0;
    size_t g = 0, w = 0;
    while (!is_equal && (g < got->count || w < wanted->count)) {
        int order = g == got->count ? 1 : w == wanted->count ? -1 : strcmp(got->rows[g], wanted->rows[w]);
        if (order < 0) printf("  only in the query:  %s\n", got->rows[g]);
        if (order > 0) printf("  only in the SELECT: %s\n", wanted->rows[w]);
        g += order <= 0;
        w += order >= 0;
    }
    return is_equal;
}

static void answer_free(answer *out) {
    while (out->count > 0) free(out->rows[--out->count]);
}

// ---- one run

static const char *query_sql(const char *query, bool is_stream) {
    static rig_text out;
    out.count = 0;
    for (const char *at = query; *at != '\0'; at++)
        rig_text_add(&out, *at == '$' ? "" : at > query && at[-1] == '$' && !is_stream ? "%c_rows" : "%c", *at);
    return out.bytes;
}

static const char *const modes[] = {
    "outputMode = 'append', ",
    "outputMode = 'append', lateRows = 'fail', ",
    "outputMode = 'changelog', lateRows = 'drop', ",
    "lateRows = 'drop', ",
    "",
};
enum { MODE_COUNT = sizeof modes / sizeof modes[0], MODE_CHANGELOG = 2, MODE_KEEPS = 4 };

static bool is_zero(const char *query) {
    answer out     = {0};
    bool   is_good = answer_read(query, false, &out) && (out.count == 0 || strcmp(out.rows[0], "0\t") == 0);
    if (!is_good && out.count > 0) printf("  %s gives %s\n", query, out.rows[0]);
    answer_free(&out);
    return is_good;
}

static bool rows_insert(char name, uint32_t *next, uint32_t count, bool has_null) {
    static rig_text values;
    values.count = 0;
    for (uint32_t i = 0; i < count && *next < ROWS; i++, ++*next) {
        // Some rows have the same time, on the boundary of a window; some a fraction of a second.
        uint32_t seconds = 600 + *next * STEP_SECONDS - rig_random_below(DISORDER_SECONDS);
        uint32_t micros  = rig_random_below(3) == 0 ? rig_random_below(1000000) : 0;
        if (rig_random_below(4) == 0) seconds = (seconds + 19) / 20 * 20 - (rig_random_below(2) == 0);
        if (rig_random_below(4) == 0) micros = 0;
        rig_text_add(&values, "%s(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", TIMESTAMP '2024-05-01 12:%02u:%02u.%06u')",
                     values.count > 0 ? ", " : "", *next, rig_random_below(3) + 1, rig_random_below(2),
                     (unsigned)(seconds / 60), (unsigned)(seconds % 60), (unsigned)micros);
        if (rig_random_below(20) == 0 && has_null) rig_text_add(&values, ", (%" PRIu32 ", 1, 1, NULL)", 1000 + *next);
    }
    if (values.count == 0) return true;
    sql.count = 0;
    rig_text_add(&sql, "INSERT INTO %c VALUES %s; INSERT INTO %c_rows VALUES %s", name, values.bytes, name,
                 values.bytes);
    return run(sql.bytes);
}

static bool tables_create(void) {
    sql.count = 0;
    for (const char *name = "ab"; *name != '\0'; name++)
        rig_text_add(&sql,
                     "CREATE STREAM %c (id INT, k INT, n INT, t TIMESTAMP, WATERMARK FOR t AS t - INTERVAL 80 SECONDS) "
                     "WITH (connector = 'memory'); CREATE TABLE %c_rows (id INT, k INT, n INT, t TIMESTAMP);",
                     *name, *name);
    return run(sql.bytes);
}

static bool shape_run(const shape *of, uint32_t mode) {
    uint32_t next[2] = {0, 0};
    answer   got = {0}, wanted = {0};
    clock_us = 1800000000000000;
    if (!tables_create()) return false;
    sql.count = 0;
    rig_text_add(&sql, "CREATE MATERIALIZED VIEW q WITH (%sflushTimeout = '1 hour', checkpointLocation = 'ck') AS %s",
                 modes[mode], query_sql(of->sql, true));
    if (!run(sql.bytes)) return false;
    // The streams go forward together, so that neither is late for what both have closed.
    while (next[0] < ROWS || next[1] < ROWS) {
        for (uint32_t i = 0; i < 2; i++)
            if (next[i] <= next[1 - i] + 1 || next[1 - i] == ROWS)
                if (!rows_insert("ab"[i], &next[i], rig_random_below(2) == 0 ? 1 : rig_random_below(9),
                                 (of->facts & NO_NULL) == 0))
                    return false;
        clock_us += 1000000;
        if (rig_random_below(3) > 0 && !run("PROCESS ALL AVAILABLE")) return false;
        if (rig_random_below(4) == 0 && !run("STOP QUERY q; START QUERY q")) return false;
    }
    if (!run("PROCESS ALL AVAILABLE")) return false;
    clock_us += 3600000000;
    if (!run("PROCESS ALL AVAILABLE")) return false;
    bool is_good = answer_read("SELECT * FROM q", mode == MODE_CHANGELOG, &got) &&
                   answer_read(query_sql(of->sql, false), false, &wanted) && answers_equal(&got, &wanted);
    answer_free(&got);
    answer_free(&wanted);
    is_good &= is_zero("SELECT sum(numRowsDroppedByWatermark) FROM leat_progress");
    if (mode != MODE_KEEPS && (of->facts & (KEEPS_STATE | (mode >= MODE_CHANGELOG ? KEEPS_ELSEWHERE : 0))) == 0)
        is_good &= is_zero("SELECT max_by(numRowsTotal, batchId) FROM leat_progress");
    return is_good;
}

// ---- panes

#define PANE_CALLS(filter)                                                                                             \
    "count(*)" filter " AS a, sum(n)" filter " AS b, min(n)" filter " AS c, max(id)" filter " AS d, avg(n)" filter     \
    " AS e, count_if(n > 1)" filter " AS f, bool_or(n = 2)" filter " AS g, bit_xor(id)" filter " AS h"

static const char *const pane_windows[] = {
    "'60 seconds', '1 second'", "'3 minutes', '1 minute'", "'70 seconds', '20 seconds', '-7 seconds'",
    "'1 minute', '7 seconds'",  "'1 day', '1 hour'",
};
static const char *const pane_modes[] = {"outputMode = 'append', ", "outputMode = 'update', ",
                                         "outputMode = 'changelog', ", "lateRows = 'drop', ", ""};

static bool pane_query_create(const char *name, const char *window, const char *mode, const char *calls) {
    sql.count = 0;
    rig_text_add(&sql,
                 "CREATE MATERIALIZED VIEW %s WITH (%sflushTimeout = '1 hour', checkpointLocation = 'ck_%s') AS SELECT "
                 "window.start AS s, window.end AS x, k, %s FROM a GROUP BY window(t, %s), k",
                 name, mode, name, calls, window);
    return run(sql.bytes);
}

static bool panes_run(const char *window, const char *mode) {
    uint32_t next = 0;
    clock_us      = 1800000000000000;
    if (!tables_create() || !pane_query_create("folded", window, mode, PANE_CALLS("")) ||
        !pane_query_create("plain", window, mode, PANE_CALLS(" FILTER (WHERE window.start < window.end)")))
        return false;
    for (uint32_t round = 0; round < 8; round++) {
        const uint32_t rows = rig_random_below(4) == 0 ? rig_random_below(20) : rig_random_below(3000);
        sql.count           = 0;
        // Every 40th row is far behind, every 50th has no time; before 1970 too.
        rig_text_add(
            &sql,
            "INSERT INTO a SELECT CAST(id AS INT), CAST(hash(id, 1) %% 3 AS INT), CAST(hash(id, 2) %% 4 AS INT), "
            "CASE WHEN hash(id, 3) %% 50 = 0 THEN NULL ELSE timestamp_micros(%s + id * 40000 + hash(id, 4) %% "
            "20000000 - CASE WHEN hash(id, 5) %% 40 = 0 THEN 400000000 ELSE 0 END) END FROM range(%" PRIu32 ", %" PRIu32
            ")",
            rig_random_below(2) == 0 ? "1714564800000000L" : "1714564799999999L", next, next + rows);
        next += rows;
        if (!run(sql.bytes) || !run("PROCESS ALL AVAILABLE")) return false;
        if (rig_random_below(4) == 0 &&
            !run("STOP QUERY folded; STOP QUERY plain; START QUERY folded; START QUERY plain; PROCESS ALL AVAILABLE"))
            return false;
    }
    clock_us += 3600000000;
    // Rows in the order of delivery: a number goes with each, so that sorting keeps it.
    return run("PROCESS ALL AVAILABLE") &&
           is_zero(
               "SELECT count(*) FROM (SELECT *, row_number() OVER (ORDER BY 1) AS r FROM folded EXCEPT ALL SELECT *, "
               "row_number() OVER (ORDER BY 1) AS r FROM plain)") &&
           is_zero("SELECT (SELECT count(*) FROM folded) - (SELECT count(*) FROM plain)") &&
           is_zero("SELECT max_by(numRowsDroppedByWatermark, batchId) FILTER (WHERE name = 'folded') - "
                   "max_by(numRowsDroppedByWatermark, batchId) FILTER (WHERE name = 'plain') FROM leat_progress");
}

static bool session_run(uint64_t seed, bool (*body)(const void *user), const void *user) {
    static const leat_clock clock = {.now_us = clock_now_us};
    char                    folder[64];
    leat_options options = {.struct_size = sizeof options, .folder = folder, .random_seed = seed, .clock = &clock};
    rig_random_seed(seed);
    if ((error == NULL && leat_error_create(&error) != LEAT_OK) || !temporary_folder_create(folder) ||
        leat_open(&options, &session, error) != LEAT_OK) {
        perror("event_time");
        return false;
    }
    const bool is_good = body(user);
    leat_close(&session, error);
    temporary_folder_remove(folder);
    return is_good;
}

typedef struct turn {
    const shape *of;
    uint32_t     mode, window;
} turn;

static bool shape_body(const void *user) { return shape_run(((const turn *)user)->of, ((const turn *)user)->mode); }

static bool panes_body(const void *user) {
    return panes_run(pane_windows[((const turn *)user)->window], pane_modes[((const turn *)user)->mode]);
}

int main(int argument_count, char **arguments) {
    uint64_t    first_seed = 1, seeds = 3;
    const char *only = NULL;
    for (int i = 1; i + 1 < argument_count; i += 2) {
        if (strcmp(arguments[i], "--seed") == 0) {
            first_seed = strtoull(arguments[i + 1], NULL, 10);
            seeds      = 1;
        } else if (strcmp(arguments[i], "--seeds") == 0) {
            seeds = strtoull(arguments[i + 1], NULL, 10);
        } else if (strcmp(arguments[i], "--shape") == 0) {
            only = arguments[i + 1];
        }
    }
    size_t ran = 0, failed = 0;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        for (size_t i = 0; i < SHAPE_COUNT; i++)
            for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
                if (only != NULL && strcmp(only, shapes[i].name) != 0) continue;
                const turn now = {.of = &shapes[i], .mode = mode};
                ran++;
                if (session_run(seed, shape_body, &now)) continue;
                failed++;
                printf("%s differs (%s)\n  again: equivalence_event_time --seed %" PRIu64 " --shape %s\n",
                       shapes[i].name, modes[mode], seed, shapes[i].name);
            }
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        for (uint32_t i = 0; i < sizeof pane_windows / sizeof *pane_windows; i++)
            for (uint32_t mode = 0; mode < sizeof pane_modes / sizeof *pane_modes; mode++) {
                const turn now = {.window = i, .mode = mode};
                if (only != NULL && strcmp(only, "panes") != 0) continue;
                ran++;
                if (session_run(seed, panes_body, &now)) continue;
                failed++;
                printf("panes differ (%s%s)\n  again: equivalence_event_time --seed %" PRIu64 " --shape panes\n",
                       pane_modes[mode], pane_windows[i], seed);
            }
    leat_error_destroy(&error);
    printf("%zu runs, %zu failed\n", ran, failed);
    return ran == 0 || failed > 0;
}
