// equivalence: the table of a standing query without a mode equals its SELECT over all rows so far, after every batch.
//
//     equivalence_shapes [--seed N] [--seeds N] [--rounds N] [--shape TEXT] [-v]
//
// For each shape: memory streams a and b and a memory table `still` get random rows, the same rows go to the tables
// a_rows and b_rows. `$a` and `$b` in a shape are the streams in CREATE MATERIALIZED VIEW and the tables in the SELECT
// that is the oracle. Batches are of random size, some empty; in half of the rounds the query stops and starts from its
// checkpoint in between. Values come from small domains with NULL, zero of both signs, NaN, infinities, extremes, empty
// text and ties. Doubles that are summed are multiples of 1/8, so every order of addition gives the same sum.
//
// A difference prints the seed, the shape, and both answers; the same seed and shape give the same run again.
#include <ftw.h>
#include <inttypes.h>
#include <leat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    const char *name, *sql;
} shape;

static const shape shapes[] = {
    {"filter", "SELECT * FROM $a WHERE n > 1 AND s <> ''"},
    {"filter_null", "SELECT id, d FROM $a WHERE d IS NULL OR d >= 0.0 OR NOT (f < 1)"},
    {"project",
     "SELECT upper(s) AS u, n * 2 AS n, coalesce(m, 0) + 1 AS m, CAST(d AS STRING) AS d, id % 3 AS r FROM $a"},
    {"count_sum_avg", "SELECT k, count(*) AS c, count(s) AS cs, sum(n) AS sn, avg(n) AS an, sum(m) AS sm, avg(m) AS am,"
                      " sum(e) AS se, avg(e) AS ae, count_if(n > 1) AS ci FROM $a GROUP BY k"},
    {"specials", "SELECT k, sum(d) AS sd, avg(d) AS ad, min(d) AS lo, max(d) AS hi, sum(f) AS sf FROM $a GROUP BY k"},
    {"extremes",
     "SELECT k, min(s) AS s1, max(s) AS s2, min(l) AS l1, max(l) AS l2, min(d) AS d1, max(d) AS d2,"
     " min(t) AS t1, max(t) AS t2, min(m) AS m1, max(m) AS m2, min(f) AS f1, max(f) AS f2 FROM $a GROUP BY k"},
    {"places", "SELECT k, first(s) AS a, last(s) AS b, any_value(n) AS c, first(d, true) AS d, last(l, true) AS e,"
               " min_by(s, n) AS f, max_by(s, n) AS g FROM $a GROUP BY k"},
    {"collect", "SELECT k, collect_list(s) AS a, sort_array(collect_set(n)) AS b, array_agg(d) AS c,"
                " listagg(s, '|') AS f FROM $a GROUP BY k"},
    {"logic_bits", "SELECT k, bool_and(n > 0) AS a, bool_or(n > 2) AS b, every(s = 'a') AS c, bit_and(n) AS d,"
                   " bit_or(n) AS e, bit_xor(l) AS f FROM $a GROUP BY k"},
    {"moments", "SELECT k, round(stddev(e), 6) AS a, round(var_pop(e), 6) AS b, round(skewness(e), 6) AS c,"
                " round(kurtosis(n), 6) AS d, round(corr(n, e), 6) AS e, round(covar_samp(n, e), 6) AS f,"
                " round(regr_slope(e, n), 6) AS g, regr_count(e, n) AS h FROM $a GROUP BY k"},
    {"percentiles", "SELECT k, percentile(n, 0.3) AS a, median(n) AS b, mode(n) AS c, approx_count_distinct(n) AS d,"
                    " percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS e,"
                    " percentile_disc(0.4) WITHIN GROUP (ORDER BY n DESC) AS f FROM $a GROUP BY k"},
    {"distinct_aggregates", "SELECT k, count(DISTINCT s) AS a, sum(DISTINCT n) AS b, count(DISTINCT d) AS c,"
                            " count(DISTINCT s, n) AS d, avg(DISTINCT n) FILTER (WHERE id > 3) AS e,"
                            " count(*) FILTER (WHERE s = 'a') AS f FROM $a GROUP BY k"},
    {"global",
     "SELECT count(*) AS a, sum(n) AS b, max(s) AS c, count(DISTINCT k) AS d, min(d) AS e FROM $a WHERE n < 3"},
    {"keys_of_all_kinds", "SELECT s, d, m, count(*) AS c FROM $a GROUP BY s, d, m"},
    {"keys_float_time", "SELECT f, t, l, count(*) AS c FROM $a GROUP BY f, t, l"},
    {"distinct", "SELECT DISTINCT k, d, s FROM $a"},
    {"distinct_over_group", "SELECT DISTINCT c, hi FROM (SELECT k, count(*) AS c, max(n) AS hi FROM $a GROUP BY k)"},
    {"having", "SELECT k, s, count(*) AS c FROM $a GROUP BY k, s HAVING count(*) BETWEEN 2 AND 3 AND min(n) < 2"},
    {"group_of_group",
     "SELECT c, count(*) AS groups, sum(total) AS total, min(lo) AS lo, max(lo) AS hi, avg(total) AS av,"
     " count(DISTINCT lo) AS dl, bool_or(total > 3) AS bo FROM (SELECT k, count(*) AS c,"
     " sum(n) AS total, min(s) AS lo FROM $a GROUP BY k) GROUP BY c"},
    {"group_of_group_doubles", "SELECT c, sum(sd) AS s, avg(sd) AS a, min(sd) AS lo, max(sd) AS hi,"
                               " round(stddev(c), 6) AS dev, bit_xor(c) AS bx, median(c) AS med, mode(hi) AS mo,"
                               " sort_array(collect_list(hi)) AS cl, max_by(hi, k) AS mb FROM (SELECT k, count(*) AS c,"
                               " sum(d) AS sd, max(n) AS hi FROM $a GROUP BY k) GROUP BY c"},
    {"inner_join", "SELECT x.id, y.id AS other, x.s, y.n FROM $a AS x JOIN $b AS y ON x.k = y.k AND x.n < y.n"},
    {"inner_join_keys", "SELECT x.id, y.id AS other FROM $a AS x JOIN $b AS y ON x.d = y.d AND x.s <=> y.s"},
    {"left_join",
     "SELECT x.id, y.id AS other, y.s FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k AND y.n > 1 AND x.s = 'a'"},
    {"right_join", "SELECT x.id, y.id AS other FROM $a AS x RIGHT JOIN $b AS y ON x.s = y.s AND x.n >= y.n"},
    {"full_join", "SELECT x.id, y.id AS other FROM $a AS x FULL JOIN $b AS y ON x.k = y.k AND x.s = y.s"},
    {"cross_join", "SELECT x.n, y.c FROM $a AS x CROSS JOIN (SELECT count(*) AS c FROM $b) AS y WHERE x.n > 2"},
    {"semi_join", "SELECT * FROM $a AS x LEFT SEMI JOIN $b AS y ON x.k = y.k AND x.n <= y.n"},
    {"anti_join", "SELECT * FROM $a AS x LEFT ANTI JOIN $b AS y ON x.k = y.k AND x.s = y.s"},
    {"self_join", "SELECT x.id, y.id AS other FROM $a AS x JOIN $a AS y ON x.k = y.k AND x.id < y.id"},
    {"three_joins",
     "SELECT x.id, y.id AS i2, z.name FROM $a AS x JOIN $b AS y ON x.k = y.k JOIN still AS z ON y.n = z.n"},
    {"static_inner", "SELECT x.id, z.name FROM $a AS x JOIN still AS z ON x.n = z.n"},
    {"static_left", "SELECT x.id, z.name FROM $a AS x LEFT JOIN still AS z ON x.n = z.n AND z.name <> 'two'"},
    {"static_right", "SELECT x.id, z.name FROM $a AS x RIGHT JOIN still AS z ON x.n = z.n"},
    {"static_full", "SELECT x.id, z.name FROM still AS z FULL JOIN $a AS x ON x.n = z.n"},
    {"static_semi", "SELECT x.id FROM $a AS x LEFT SEMI JOIN still AS z ON x.n = z.n"},
    {"static_anti", "SELECT z.name FROM still AS z LEFT ANTI JOIN $a AS x ON x.n = z.n"},
    {"join_of_groups", "SELECT x.k, x.c, y.c AS other FROM (SELECT k, count(*) AS c FROM $a GROUP BY k) AS x LEFT JOIN"
                       " (SELECT k, count(*) AS c FROM $b GROUP BY k) AS y ON x.k <=> y.k"},
    {"group_of_join",
     "SELECT y.s, count(*) AS c, sum(x.n) AS t, max(x.s) AS m FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k"
     " GROUP BY y.s"},
    {"union_all", "SELECT k, s FROM $a UNION ALL SELECT n, s FROM $b UNION ALL SELECT n, name FROM still"},
    {"union", "SELECT k, d FROM $a UNION SELECT k, d FROM $b"},
    {"except", "SELECT k, s FROM $a EXCEPT SELECT k, s FROM $b"},
    {"except_all", "SELECT k, n FROM $a EXCEPT ALL SELECT k, n FROM $b"},
    {"intersect", "SELECT d, n FROM $a INTERSECT SELECT d, n FROM $b"},
    {"intersect_all", "SELECT k, n FROM $a INTERSECT ALL SELECT k, n FROM $b"},
    {"order_limit", "SELECT n, s, id FROM $a ORDER BY n DESC NULLS LAST, s, id LIMIT 4"},
    {"order_limit_inside",
     "SELECT s, count(*) AS c FROM (SELECT s FROM $a ORDER BY d, id LIMIT 5 OFFSET 1) GROUP BY s"},
    {"order_limit_group", "SELECT k, count(*) AS c FROM $a GROUP BY k ORDER BY c DESC, k LIMIT 2"},
    {"row_number",
     "SELECT * FROM (SELECT k, id, n, row_number() OVER (PARTITION BY k ORDER BY n DESC, id) AS r FROM $a)"
     " WHERE r <= 2"},
    {"rank", "SELECT * FROM (SELECT s, n, rank() OVER (PARTITION BY s ORDER BY n) AS r FROM $a) WHERE r <= 2"},
    {"over",
     "SELECT id, sum(n) OVER (PARTITION BY k ORDER BY id) AS run, count(*) OVER (PARTITION BY s) AS c,"
     " lag(n) OVER (PARTITION BY k ORDER BY id) AS before, max(d) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1"
     " FOLLOWING) AS near FROM $a"},
    {"asof", "SELECT x.id, y.id AS other FROM $a AS x ASOF JOIN $b AS y MATCH_CONDITION (x.t >= y.t) USING (k)"},
    {"asof_next", "SELECT x.id, y.n FROM $a AS x LEFT ASOF JOIN $b AS y MATCH_CONDITION (x.d < y.d) ON x.s <=> y.s"},
    {"asof_static", "SELECT x.id, y.name FROM $a AS x LEFT ASOF JOIN still AS y MATCH_CONDITION (x.n >= y.n)"},
    {"in", "SELECT id FROM $a WHERE k IN (SELECT k FROM $b WHERE n > 0)"},
    {"not_in", "SELECT id FROM $a WHERE n NOT IN (SELECT n FROM $b WHERE s = 'a')"},
    {"not_in_correlated", "SELECT id FROM $a AS x WHERE n NOT IN (SELECT n FROM $b AS y WHERE x.s = y.s)"},
    {"exists", "SELECT id FROM $a AS x WHERE EXISTS (SELECT 1 FROM $b AS y WHERE x.k = y.k AND y.n > 1)"},
    {"not_exists", "SELECT id FROM $a AS x WHERE NOT EXISTS (SELECT 1 FROM $b AS y WHERE x.s = y.s AND x.n < y.n)"},
    {"in_or", "SELECT id, k IN (SELECT k FROM $b) AS hit FROM $a WHERE n = 1 OR s IN (SELECT s FROM $b)"},
    {"scalar", "SELECT id, n - (SELECT min(n) FROM $b) AS over FROM $a"},
    {"scalar_correlated", "SELECT id, (SELECT count(*) FROM $b AS y WHERE y.k = x.k) AS c FROM $a AS x"},
    {"having_exists", "SELECT k, sum(n) AS t FROM $a AS x GROUP BY k HAVING EXISTS (SELECT 1 FROM $b AS y WHERE y.n >"
                      " sum(x.n))"},
    {"group_by_exists",
     "SELECT EXISTS (SELECT 1 FROM $b AS y WHERE y.k = x.k) AS g, count(*) AS c FROM $a AS x GROUP BY"
     " g"},
    {"left_join_in_on",
     "SELECT x.id, y.id AS other FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k AND x.n IN (SELECT n FROM $b WHERE s ="
     " 'a')"},
    {"full_join_in_on",
     "SELECT x.id, y.id AS other FROM $a AS x FULL JOIN $b AS y ON x.k = y.k AND y.n > (SELECT min(n) FROM $a)"},
    {"lateral_count",
     "SELECT x.id, l.c FROM $a AS x, LATERAL (SELECT count(*) AS c FROM $b AS y WHERE y.n > x.n) AS l"},
    {"lateral_top", "SELECT x.id, l.other FROM $a AS x LEFT JOIN LATERAL (SELECT id AS other FROM $b AS y WHERE y.k ="
                    " x.k ORDER BY n DESC, id LIMIT 2) AS l"},
    {"lateral_with", "SELECT x.id, l.c FROM $a AS x, LATERAL (WITH w AS (SELECT n FROM $b AS y WHERE y.k = x.k) SELECT"
                     " max(n) AS c FROM w) AS l"},
    {"above_average", "SELECT id FROM $a WHERE n > (SELECT avg(n) FROM $a)"},
    {"rollup", "SELECT k, s, grouping(k) AS g, count(*) AS c, sum(n) AS t FROM $a GROUP BY ROLLUP (k, s)"},
    {"cube", "SELECT k, s, count(*) AS c FROM $a GROUP BY CUBE (k, s)"},
    {"grouping_sets", "SELECT k, s, n, count(*) AS c FROM $a GROUP BY GROUPING SETS ((k, s), (n), ())"},
    {"explode", "SELECT id, word FROM $a LATERAL VIEW explode(split(s, '')) t AS word"},
    {"explode_outer", "SELECT word, count(*) AS c FROM (SELECT explode_outer(list) AS word FROM $a) GROUP BY word"},
    {"nested_keys", "SELECT list, count(*) AS c, max(struct(n, s)) AS hi FROM $a GROUP BY list"},
    {"nested_rows", "SELECT id, list, struct(k, s) AS both, map(coalesce(s, 'none'), d) AS m FROM $a"},
    {"window",
     "SELECT w.start, w.end, k, count(*) AS c, sum(n) AS t FROM (SELECT window(t, '10 minutes') AS w, k, n FROM"
     " $a) GROUP BY w, k"},
    {"window_sliding", "SELECT window.start, count(*) AS c FROM $a GROUP BY window(t, '10 minutes', '5 minutes')"},
    {"window_cumulate",
     "SELECT window_start, window_end, count(*) AS c FROM CUMULATE(TABLE $a, DESCRIPTOR(t), '5 minutes',"
     " '20 minutes') GROUP BY window_start, window_end"},
    {"cte_twice", "WITH g AS (SELECT k, count(*) AS c FROM $a GROUP BY k) SELECT x.k, x.c FROM g AS x WHERE x.c ="
                  " (SELECT max(c) FROM g)"},
    {"pivot", "SELECT * FROM (SELECT k, s, n FROM $a) PIVOT (sum(n) FOR s IN ('a', 'b'))"},
    {"limit_zero", "SELECT id FROM $a LIMIT 0"},
    {"constant", "SELECT 1 AS one, 'x' AS s UNION ALL SELECT count(*), max(s) FROM $a"},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0], SQL_BYTES = 64 * 1024, BATCH_ROWS_MAX = 9 };

// ---- random values: xorshift, so that a seed gives the same rows everywhere

static uint64_t random_state;

static uint32_t random_below(uint32_t bound) {
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

typedef struct text {
    char   bytes[SQL_BYTES];
    size_t count;
} text;

static void text_add(text *out, const char *format, ...) {
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

static void row_add(text *out, uint32_t id) {
    text_add(out, "(%" PRIu32, id);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        uint32_t count = 0;
        while (count < 10 && columns[c].values[count] != NULL) count++;
        const char *value = random_below(5) == 0 ? "NULL" : columns[c].values[random_below(count)];
        text_add(out, ", CAST(%s AS %s)", value, columns[c].type);
    }
    text_add(out, ")");
}

// ---- statements and answers

static leat_session *session;
static leat_error   *error;
static text          sql;

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

static void answer_read(const char *query, answer *out) {
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, query, LEAT_TERMINATED, &statement, NULL, error);
    *out                      = (answer){0};
    while (status == LEAT_OK || status == LEAT_ROW) {
        status = leat_step(statement, error);
        if (status != LEAT_ROW) break;
        static text row;
        row.count    = 0;
        row.bytes[0] = '\0';
        for (uint32_t c = 0; c < leat_column_count(statement); c++)
            text_add(&row, "%s\t", leat_column_is_null(statement, c) ? "NULL" : leat_column_text(statement, c, NULL));
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
    if (out->count > 0) qsort(out->rows, out->count, sizeof *out->rows, row_compare);
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

// ---- one run of one shape

static const char *shape_sql(const shape *of, bool is_stream) {
    static text out;
    out.count = 0;
    for (const char *at = of->sql; *at != '\0'; at++) {
        if (*at != '$') {
            text_add(&out, "%c", *at);
            continue;
        }
        at++;
        text_add(&out, is_stream ? "%c" : "%c_rows", *at);
    }
    return out.bytes;
}

static bool tables_create(const char *const *names, bool are_streams) {
    for (; *names != NULL; names++) {
        sql.count = 0;
        text_add(&sql, "CREATE %s %s (id INT", are_streams ? "STREAM" : "TABLE", *names);
        for (size_t c = 0; c < COLUMN_COUNT; c++) text_add(&sql, ", %s %s", columns[c].name, columns[c].type);
        text_add(&sql, ")%s", are_streams ? " WITH (connector = 'memory')" : "");
        if (!run(sql.bytes)) return false;
    }
    return true;
}

static bool rows_insert(const char *name, uint32_t count, uint32_t *next_id) {
    if (count == 0) return true;
    static text values;
    values.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) text_add(&values, ", ");
        row_add(&values, (*next_id)++);
    }
    sql.count = 0;
    text_add(&sql, "INSERT INTO %s VALUES %s", name, values.bytes);
    if (!run(sql.bytes)) return false;
    sql.count = 0;
    text_add(&sql, "INSERT INTO %s_rows VALUES %s", name, values.bytes);
    return run(sql.bytes);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static bool rounds_run(const shape *of, uint32_t rounds, bool is_verbose) {
    static const char *const streams[] = {"a", "b", NULL}, *const tables[] = {"a_rows", "b_rows", NULL};
    uint32_t next_id = 1;
    if (!tables_create(streams, true) || !tables_create(tables, false)) return false;
    if (!run("CREATE TABLE still (n INT, name STRING)") ||
        !run("INSERT INTO still VALUES (1, 'one'), (2, 'two'), (2, 'zwei'), (NULL, 'none'), (9, 'nine')"))
        return false;
    sql.count = 0;
    text_add(&sql, "CREATE MATERIALIZED VIEW q WITH (checkpointLocation = 'checkpoint') AS %s", shape_sql(of, true));
    if (!run(sql.bytes)) return false;
    for (uint32_t round = 0; round <= rounds; round++) {
        if (round > 0) {
            uint32_t sizes[2] = {random_below(BATCH_ROWS_MAX), random_below(BATCH_ROWS_MAX)};
            if (random_below(4) == 0) sizes[random_below(2)] = 0;
            if (!rows_insert("a", sizes[0], &next_id) || !rows_insert("b", sizes[1], &next_id)) return false;
        }
        if (!run("PROCESS ALL AVAILABLE")) return false;
        if (random_below(2) == 0 && (!run("STOP QUERY q") || !run("START QUERY q") || !run("PROCESS ALL AVAILABLE")))
            return false;
        answer view, batch;
        answer_read("SELECT * FROM q", &view);
        answer_read(shape_sql(of, false), &batch);
        bool is_equal = answers_equal(&view, &batch);
        if (is_verbose) printf("%s round %" PRIu32 ": %zu rows\n", of->name, round, batch.count);
        if (!is_equal) {
            printf("%s differs in round %" PRIu32 ": %s\n", of->name, round, of->sql);
            answers_print(&view, &batch);
        }
        answer_free(&view);
        answer_free(&batch);
        if (!is_equal) return false;
    }
    leat_error_set(error, "");
    return true;
}

static bool shape_run(const shape *of, uint64_t seed, uint32_t rounds, bool is_verbose) {
    char         folder[] = "/tmp/leat_equivalence_XXXXXX";
    leat_options options  = {.struct_size = sizeof options, .folder = folder, .random_seed = seed};
    random_state          = seed * 0x9e3779b97f4a7c15ULL + 1;
    for (int i = 0; i < 8; i++) (void)random_below(2);
    if (mkdtemp(folder) == NULL || leat_open(&options, &session, error) != LEAT_OK) {
        perror("equivalence");
        return false;
    }
    bool is_equal = rounds_run(of, rounds, is_verbose);
    if (!is_equal) {
        const char *why = leat_error_message(error);
        if (why[0] != '\0') printf("%s: %s: %s\n", of->name, leat_error_condition(error), why);
        printf("  again: equivalence_shapes --seed %" PRIu64 " --rounds %" PRIu32 " --shape %s\n", seed, rounds,
               of->name);
    }
    leat_close(&session, error);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return is_equal;
}

int main(int argument_count, char **arguments) {
    uint64_t    first_seed = 1, seeds = 3;
    uint32_t    rounds     = 6;
    bool        is_verbose = false;
    const char *only       = NULL;
    for (int i = 1; i < argument_count; i++) {
        bool has_value = i + 1 < argument_count;
        if (strcmp(arguments[i], "-v") == 0) {
            is_verbose = true;
        } else if (strcmp(arguments[i], "--seed") == 0 && has_value) {
            first_seed = strtoull(arguments[++i], NULL, 10);
            seeds      = 1;
        } else if (strcmp(arguments[i], "--seeds") == 0 && has_value) {
            seeds = strtoull(arguments[++i], NULL, 10);
        } else if (strcmp(arguments[i], "--rounds") == 0 && has_value) {
            rounds = (uint32_t)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(arguments[i], "--shape") == 0 && has_value) {
            only = arguments[++i];
        } else {
            fprintf(stderr, "usage: equivalence_shapes [--seed N] [--seeds N] [--rounds N] [--shape NAME] [-v]\n");
            return 2;
        }
    }
    size_t ran = 0, failed = 0;
    if (leat_error_create(&error) != LEAT_OK) return 2;
    printf("seeds %" PRIu64 " to %" PRIu64 "\n", first_seed, first_seed + seeds - 1);
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            if (only != NULL && strcmp(only, shapes[i].name) != 0) continue;
            ran++;
            failed += !shape_run(&shapes[i], seed, rounds, is_verbose);
        }
    leat_error_destroy(&error);
    printf("%zu runs, %zu failed\n", ran, failed);
    return ran == 0 || failed > 0;
}
