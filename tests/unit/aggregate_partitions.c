// Rows held back by hash and folded later: the answers, their order included, are those of the plain way to the last bit,
// whatever the types of the keys, however often it is folded; and whichever allocation fails, nothing is lost.
#include "exec/session.h"
#include "tests/unit/embed_rig.h"

static const char tables[] =
    "CREATE TABLE t AS SELECT id, CAST(h % 3001 AS INT) AS i, h % 40009 AS b, CAST(h % 97 AS TINYINT) AS y,"
    " IF(h % 11 = 0, NULL, CONCAT('k', h % 5003)) AS s, CONCAT('a key that is long ', h % 4001) AS l,"
    " CASE h % 13 WHEN 0 THEN CAST('NaN' AS DOUBLE) WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D WHEN 3 THEN NULL"
    "  ELSE (h % 3011) / 7.0D END AS d,"
    " CAST(h % 2003 AS DECIMAL(20, 2)) AS m, IF(h % 5 = 0, NULL, h % 1000) AS v, h / 3.0D AS x, h % 2 = 0 AS e,"
    " IF(h % 9 = 0, 9223372036854775807L, 1L) AS w"
    " FROM (SELECT id, abs(xxhash64(id)) AS h FROM range(%u));"
    "CREATE STREAM feed (k BIGINT, n INT) WITH (connector = 'memory');"
    "CREATE MATERIALIZED VIEW twice AS SELECT k FROM feed;";

static const char *const queries[] = {
    "SELECT i, sum(v), count(*), count(v), avg(v), min(v), max(v) FROM t GROUP BY i",
    "SELECT b, sum(x), avg(x), count(s) FROM t GROUP BY b",
    "SELECT s, sum(v), sum(x), count_if(e), bool_and(e) FROM t GROUP BY s",
    "SELECT l, sum(m), avg(m), min(d), max(i) FROM t GROUP BY l",
    "SELECT d, count(*), sum(id), first(v), last(v) FROM t GROUP BY d",
    "SELECT m, any_value(l), sum(v) FROM t GROUP BY m",
    "SELECT i, y, sum(v), stddev(x), bit_xor(b) FROM t GROUP BY i, y",
    "SELECT s, i, sum(x) FROM t GROUP BY s, i",
    "SELECT l, e, count(*) FROM t GROUP BY l, e",
    "SELECT i % 2000 AS r, try_sum(w), sum(1) FROM t GROUP BY i % 2000",
    "SELECT id, sum(v), min(x) FROM t GROUP BY id",
    "SELECT DISTINCT b FROM t",
    "SELECT DISTINCT s, y FROM t",
    "SELECT b, sum(w) FROM t GROUP BY b",
    "SELECT i, collect_list(v), count(DISTINCT v) FROM t GROUP BY i",
    "SELECT i, sum(v) FILTER (WHERE e) FROM t GROUP BY i",
    "SELECT a.b, sum(a.v), count(c.id) FROM t AS a LEFT JOIN t AS c ON a.id = c.b GROUP BY a.b",
    "SELECT b, sum(n) FROM (SELECT b, i, count(*) AS n FROM t GROUP BY b, i) GROUP BY b",
    "SELECT b, sum(v) FROM t GROUP BY b LIMIT 7",
    "SELECT b, sum(v) AS q FROM t GROUP BY b HAVING sum(v) > 900 ORDER BY q DESC, b LIMIT 20",
    "SELECT k, count(*), sum(k) FROM twice GROUP BY k",
    "SELECT i, count(*), sum(i) FROM (SELECT i FROM t INTERSECT ALL SELECT i FROM t WHERE e) GROUP BY i",
    "SELECT b, count(*) FROM (SELECT b FROM t UNION ALL SELECT b FROM t EXCEPT ALL SELECT b FROM t WHERE e) GROUP BY b",
};
enum { QUERIES = sizeof queries / sizeof queries[0] };

// An allocator whose calls are counted; call number fail_at gives nothing.
typedef struct failing {
    uint64_t calls, fail_at, bytes;
} failing;

static void *failing_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    failing *self = user;
    if (new_bytes > old_bytes && ++self->calls == self->fail_at) return NULL;
    void *moved = NULL;
    if (new_bytes == 0)
        free(memory);
    else
        moved = realloc(memory, new_bytes);
    if (new_bytes == 0 || moved != NULL) self->bytes += new_bytes - old_bytes;
    return moved;
}

// As rows_of, for many rows: the text grows by halves of itself.
static char *many_rows_of(leat_session *session, const char *sql, leat_error *err) {
    leat_statement *statement;
    size_t          used = 0, capacity = 1 << 16;
    char           *text   = calloc(1, capacity);
    leat_status     status = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err);
    if (status == LEAT_OK) status = leat_step(statement, err);
    for (; status == LEAT_ROW; status = leat_step(statement, err)) {
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            const char  *value = leat_column_text(statement, c, NULL);
            const size_t bytes = value == NULL ? 4 : strlen(value);
            if (capacity - used < bytes + 3) text = realloc(text, capacity += capacity / 2 + bytes + 3);
            memcpy(text + used, value == NULL ? "NULL" : value, bytes);
            used += bytes;
            text[used++] = c + 1 < leat_column_count(statement) ? '|' : '\n';
        }
    }
    text[used] = '\0';
    leat_statement_close(&statement);
    if (status == LEAT_DONE) return text;
    free(text);
    return NULL;
}

static leat_session *session_open(uint32_t rows, const leat_allocator *allocator, leat_error *err) {
    leat_options  options = {.struct_size = sizeof options, .random_seed = 11, .allocator = allocator};
    leat_session *session;
    char          sql[2000];
    ASSERT_OK(leat_open(&options, &session, err), err);
    char *at = strstr(tables, "%u");
    snprintf(sql, sizeof sql, "%.*s%u%s", (int)(at - tables), tables, rows, at + 2);
    execute(session, sql, err);
    return session;
}

static void hold(leat_session *session, uint32_t groups_min, uint64_t bytes_max) {
    session->held_groups_min = groups_min;
    session->held_bytes_max  = bytes_max;
}

static void held_rows_give_the_plain_answers(void **unused) {
    static const struct {
        uint32_t groups_min;
        uint64_t bytes_max;
    } ways[] = {{8, 0}, {8, 1}, {1000, 8 << 20}};
    leat_error *err;
    (void)unused;
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    leat_session *session = session_open(12000, NULL, err);
    execute(session, "INSERT INTO feed SELECT b, 1 FROM t", err);
    execute(session, "INSERT INTO feed SELECT b, 2 FROM t WHERE e", err);
    ASSERT_OK(leat_run(session, 0, NULL, err), err);
    for (size_t q = 0; q < QUERIES; q++) {
        hold(session, UINT32_MAX, 0);
        char *plain   = many_rows_of(session, queries[q], err);
        char  why[80] = "";
        if (plain == NULL) snprintf(why, sizeof why, "%s", leat_error_condition(err));
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            hold(session, ways[w].groups_min, ways[w].bytes_max);
            char *held = many_rows_of(session, queries[q], err);
            if (plain == NULL) {
                assert_null(held);
                assert_string_equal(leat_error_condition(err), why);
            } else if (held == NULL || strcmp(held, plain) != 0) {
                fail_msg("way %zu: %s: %s", w, queries[q], held == NULL ? leat_error_message(err) : "other rows");
            }
            free(held);
        }
        free(plain);
    }
    leat_close(&session, err);
    leat_error_destroy(&err);
}

static void any_allocation_may_fail(void **unused) {
    enum { ROWS = 4000, POSITIONS = 30 };
    static const char *const sql[] = {"SELECT b, sum(v), avg(x), count(l) FROM t GROUP BY b",
                                      "SELECT l, sum(v) FROM t GROUP BY l"};
    leat_error              *err;
    (void)unused;
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    for (int bytes_max = 0; bytes_max < 2; bytes_max++) {
        failing        memory    = {0};
        leat_allocator allocator = {.user = &memory, .reallocate = failing_reallocate};
        leat_session  *session   = session_open(ROWS, &allocator, err);
        hold(session, 64, (uint64_t)bytes_max);
        char          *right  = many_rows_of(session, sql[bytes_max], err);
        const uint64_t before = memory.calls;
        free(many_rows_of(session, sql[bytes_max], err));
        const uint64_t calls = memory.calls - before, step = calls / POSITIONS + 1;
        for (uint64_t at = 1; at <= calls; at += step) {
            memory.fail_at = memory.calls + at;
            char *rows     = many_rows_of(session, sql[bytes_max], err);
            memory.fail_at = 0;
            if (rows == NULL) {
                assert_int_equal(leat_error_status(err), LEAT_NO_MEMORY);
                char *again = many_rows_of(session, sql[bytes_max], err);
                assert_string_equal(again, right);
                free(again);
            } else {
                assert_string_equal(rows, right);
            }
            free(rows);
        }
        free(right);
        leat_close(&session, err);
        assert_int_equal(memory.bytes, 0);
    }
    leat_error_destroy(&err);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(held_rows_give_the_plain_answers),
                                       cmocka_unit_test(any_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
