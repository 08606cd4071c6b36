// A session without memory: limits that are met and an allocator that fails. Nothing leaks, nothing crashes, and a
// session that met its limit goes on.
#include "tests/unit/embed_rig.h"
#include "tests/unit/temporary_folder.h"

#include <sys/stat.h>

typedef struct failing {
    uint64_t calls, fail_at; // fail_at 0: never; the call of that number fails, and with `for_ever` all later ones
    bool     for_ever;
    size_t   in_use;
} failing;

enum { HEAD = 16 }; // bytes in front of each block that hold its size, so that a wrong old size is found at once

static void *failing_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    failing *self  = user;
    char    *block = memory == NULL ? NULL : (char *)memory - HEAD;
    if (block != NULL && memcmp(block, &old_bytes, sizeof old_bytes) != 0) abort();
    if (new_bytes > 0 && new_bytes > old_bytes) {
        self->calls++;
        if (self->fail_at != 0 && (self->calls == self->fail_at || (self->for_ever && self->calls > self->fail_at)))
            return NULL;
    }
    if (new_bytes == 0) {
        free(block);
        self->in_use -= old_bytes;
        return NULL;
    }
    block = realloc(block, new_bytes + HEAD);
    if (block == NULL) return NULL;
    memcpy(block, &new_bytes, sizeof new_bytes);
    self->in_use = self->in_use - old_bytes + new_bytes;
    return block + HEAD;
}

static void test_limit_is_survived(void **state) {
    (void)state;
    leat_session *session;
    leat_error   *err;
    leat_options  options = {.struct_size = sizeof options, .memory_limit_bytes = 4 * 1024 * 1024};
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    ASSERT_OK(leat_open(&options, &session, err), err);
    for (int i = 0; i < 3; i++) {
        leat_status status =
            leat_execute(session, "SELECT collect_list(id) FROM range(10000000)", LEAT_TERMINATED, err);
        assert_true(status == LEAT_LIMIT || status == LEAT_NO_MEMORY);
        assert_string_not_equal(leat_error_message(err), "");
        status = leat_execute(session, "SELECT id, count(*) FROM range(10000000) GROUP BY id", LEAT_TERMINATED, err);
        assert_true(status == LEAT_LIMIT || status == LEAT_NO_MEMORY);
        ASSERT_ROWS(session, "SELECT sum(id) FROM range(1000)", "499500\n", err);
    }
    // A query that outgrows the limit fails; the others go on.
    execute(session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW big AS SELECT x, repeat('y', 60000 + CAST(x AS INT)) AS y FROM s;"
            "CREATE MATERIALIZED VIEW small AS SELECT sum(x) FROM s;"
            "INSERT INTO s SELECT id FROM range(1000)",
            err);
    ASSERT_OK(leat_run(session, 0, NULL, err), err);
    leat_query *query;
    ASSERT_OK(leat_query_open(session, "big", &query, err), err);
    assert_int_equal(leat_query_status(query, err), LEAT_QUERY_FAILED);
    assert_true(leat_error_status(err) == LEAT_LIMIT || leat_error_status(err) == LEAT_NO_MEMORY);
    ASSERT_ROWS(session, "SELECT * FROM small", "499500\n", err);
    leat_close(&session, err);
    leat_error_destroy(&err);
}

static leat_status twice(void *user, const leat_value *arguments, uint32_t argument_count, leat_value *out_result,
                         leat_error *err) {
    (void)user, (void)argument_count, (void)err;
    *out_result = (leat_value){.is_null = arguments[0].is_null, .int64 = 2 * arguments[0].int64};
    return LEAT_OK;
}

static leat_status take(void *user, int64_t batch_id, struct ArrowArrayStream *changes, leat_error *err) {
    struct ArrowSchema schema;
    struct ArrowArray  rows;
    (void)user, (void)batch_id;
    if (changes->get_schema(changes, &schema) != 0) return leat_error_set(err, changes->get_last_error(changes));
    schema.release(&schema);
    do {
        if (changes->get_next(changes, &rows) != 0) return leat_error_set(err, changes->get_last_error(changes));
        if (rows.release == NULL) return LEAT_OK;
        rows.release(&rows);
    } while (true);
}

static void arrow_into(leat_session *session, leat_error *err) {
    leat_statement         *statement;
    struct ArrowArrayStream stream;
    struct ArrowSchema      schema;
    struct ArrowArray       rows;
    if (leat_prepare(session,
                     "SELECT id AS x, array(id, NULL) AS a, named_struct('f', 'text') AS s FROM range(5) WHERE id > ?",
                     LEAT_TERMINATED, &statement, NULL, err) != LEAT_OK)
        return;
    leat_status status = leat_bind_int64(statement, 0, 1, err);
    if (status == LEAT_OK) status = leat_statement_arrow(statement, &stream, err);
    if (status == LEAT_OK) {
        if (stream.get_schema(&stream, &schema) == 0) {
            if (stream.get_next(&stream, &rows) == 0 && rows.release != NULL)
                (void)leat_stream_append(session, "s", &schema, &rows, err);
            schema.release(&schema);
        }
        stream.release(&stream);
    }
    leat_statement_close(&statement);
}

static void append_into(leat_session *session, leat_error *err) {
    leat_append *append;
    if (leat_append_open(session, "s", &append, err) != LEAT_OK) return;
    (void)leat_append_int64(append, 1, err);
    (void)leat_append_null(append, err);
    (void)leat_append_null(append, err);
    (void)leat_append_row_end(append, err);
    (void)leat_append_close(&append, err);
}

// A bit of everything; each call may fail and the next is made all the same.
static void scenario(leat_session *session, leat_error *err) {
    static const char *const statements[] = {
        "CREATE STREAM s (x BIGINT, a ARRAY<BIGINT>, s STRUCT<f: STRING>) WITH (connector = 'memory')",
        "CREATE STREAM f (event STRING, amount INT) USING json OPTIONS (path 'in')",
        "CREATE TABLE t (x BIGINT, name STRING)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (4, 'a name of more than twelve bytes')",
        "CREATE VIEW w AS SELECT x * 2 AS y, name FROM t",
        "CREATE MATERIALIZED VIEW q WITH (checkpointLocation = 'ck', outputMode = 'complete') AS"
        " SELECT event, sum(amount) AS total, count(DISTINCT amount) AS n FROM f GROUP BY event",
        "CREATE MATERIALIZED VIEW j AS SELECT twice(s.x) AS x2, t.name, s.a FROM s JOIN t ON s.x = t.x",
        "CREATE SINK k WITH (connector = 'callback', outputMode = 'changelog') AS SELECT x, count(*) AS c FROM s GROUP "
        "BY x",
    };
    static const char *const stateful[] = {
        "CREATE STREAM e (k STRING, v INT, t TIMESTAMP, WATERMARK FOR t AS t - INTERVAL 1 MINUTE) WITH (connector = "
        "'memory')",
        "CREATE MATERIALIZED VIEW e1 WITH (outputMode = 'append') AS SELECT window.start, k, count(*), "
        "collect_list(v), max(k)"
        " FROM e GROUP BY window(t, '1 minute'), k",
        "CREATE MATERIALIZED VIEW e2 WITH (outputMode = 'append') AS SELECT session_window.end, k, sum(v) FROM e"
        " GROUP BY session_window(t, '30 seconds'), k",
        "CREATE MATERIALIZED VIEW e3 AS SELECT DISTINCT k, t FROM e",
        "CREATE MATERIALIZED VIEW e4 WITH (outputMode = 'append') AS SELECT a.k, a.v, b.v AS w FROM e a JOIN e b"
        " ON a.k = b.k AND a.t BETWEEN b.t - INTERVAL 1 MINUTE AND b.t",
        "CREATE MATERIALIZED VIEW e5 AS SELECT k, v FROM e ORDER BY v DESC LIMIT 2",
        "CREATE MATERIALIZED VIEW e6 AS SELECT k, percentile(v, 0.5), min(k), first(v), approx_count_distinct(v) FROM "
        "e GROUP BY k",
        "CREATE MATERIALIZED VIEW e7 AS SELECT k, c, rank() OVER (ORDER BY c) AS r, sum(c) OVER (PARTITION BY k ORDER "
        "BY c)"
        " AS s, lag(k) OVER (ORDER BY c, k) AS p FROM (SELECT k, count(*) AS c FROM e GROUP BY k)",
        "CREATE MATERIALIZED VIEW e8 AS SELECT k, v FROM e QUALIFY row_number() OVER (PARTITION BY k ORDER BY t DESC) "
        "= 1",
        "INSERT INTO e VALUES ('a key of more than twelve bytes', 1, TIMESTAMP'2024-01-01 00:00:00'), ('b', 2, "
        "TIMESTAMP'2024-01-01 00:00:10')",
        "PROCESS ALL AVAILABLE",
        "INSERT INTO e VALUES ('a key of more than twelve bytes', 3, TIMESTAMP'2024-01-01 00:10:00'), ('b', 4, "
        "TIMESTAMP'2024-01-01 00:00:01')",
        "PROCESS ALL AVAILABLE",
        "SELECT k FROM e EMIT CHANGES LIMIT 2",
    };
    leat_function function = {
        .struct_size = sizeof function, .name = "twice", .signature = "BIGINT -> BIGINT", .call = twice};
    (void)leat_function_register(session, &function, err);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        (void)leat_execute(session, statements[i], LEAT_TERMINATED, err);
    (void)leat_callback_set(session, "k", take, NULL, err);
    arrow_into(session, err);
    append_into(session, err);
    (void)leat_run(session, 0, NULL, err);
    for (size_t i = 0; i < sizeof stateful / sizeof *stateful; i++)
        (void)leat_execute(session, stateful[i], LEAT_TERMINATED, err);
    for (int i = 1; i <= 8; i++) {
        char sql[32];
        snprintf(sql, sizeof sql, "SELECT * FROM e%d", i);
        free(rows_of(session, sql, err));
    }
    free(rows_of(session, "SELECT y, upper(name), row_number() OVER (ORDER BY y) FROM w ORDER BY 1 DESC", err));
    free(rows_of(session, "SELECT * FROM q UNION ALL SELECT name, x, 1 FROM t ORDER BY 1", err));
    free(rows_of(session, "SELECT * FROM j", err));
    free(rows_of(session, "SELECT * FROM leat_progress", err));
    (void)leat_execute(session, "STOP QUERY q; START QUERY q; PROCESS ALL AVAILABLE; DROP MATERIALIZED VIEW q",
                       LEAT_TERMINATED, err);
}

// Runs the scenario in a fresh folder; gives how many allocations it made.
static uint64_t run(uint64_t fail_at, bool for_ever) {
    char folder[64], path[96];
    temporary_folder_create(folder);
    snprintf(path, sizeof path, "%s/in", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/in/1.json", folder);
    FILE *file = fopen(path, "w");
    fputs("{\"event\":\"a\",\"amount\":1}\n{\"event\":\"b\",\"amount\":2}\n{\"event\":\"a\",\"amount\":3}\n", file);
    fclose(file);
    failing        counter   = {.fail_at = fail_at, .for_ever = for_ever};
    leat_allocator allocator = {.reallocate = failing_reallocate, .user = &counter};
    leat_options options = {.struct_size = sizeof options, .allocator = &allocator, .folder = folder, .random_seed = 7};
    leat_session *session;
    leat_error   *err;
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    if (leat_open(&options, &session, err) == LEAT_OK) {
        scenario(session, err);
        if (fail_at != 0 && !for_ever && counter.calls > fail_at) // what one lack of memory left works on
            ASSERT_ROWS(session, "SELECT sum(id) FROM range(10)", "45\n", err);
        leat_close(&session, err);
    }
    assert_null(session);
    if (counter.in_use != 0)
        fail_msg("allocation %llu fails%s: %zu bytes leak", (unsigned long long)fail_at,
                 for_ever ? " and all later" : "", counter.in_use);
    leat_error_destroy(&err);
    temporary_folder_remove(folder);
    return counter.calls;
}

enum { FAILURES = 300 }; // tried one by one; behind them a sample

static void test_each_allocation_fails(void **state) {
    (void)state;
    uint64_t calls = run(0, false);
    assert_true(calls > FAILURES);
    print_message("%llu allocations\n", (unsigned long long)calls);
    // The first 300, then a sample over the rest.
    for (uint64_t k = 1; k <= calls; k += k < FAILURES ? 1 : (calls - FAILURES) / 400 + 1) {
        (void)run(k, false);
        if (k % 3 == 0) (void)run(k, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit_is_survived),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
