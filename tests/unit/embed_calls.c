// Calls of leat.h around statements, queries, callbacks, functions and closing: what the header promises of each.
#include "tests/unit/embed_rig.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

typedef struct rig {
    leat_session *session;
    leat_error   *err;
} rig;

static int setup(void **state) {
    rig *self = calloc(1, sizeof *self);
    if (leat_error_create(&self->err) != LEAT_OK) return 1;
    if (leat_open(NULL, &self->session, self->err) != LEAT_OK) return 1;
    *state = self;
    return 0;
}

static int teardown(void **state) {
    rig *self = *state;
    leat_close(&self->session, NULL);
    leat_error_destroy(&self->err);
    free(self);
    return 0;
}

static leat_statement *prepare(rig *self, const char *sql) {
    leat_statement *statement;
    ASSERT_OK(leat_prepare(self->session, sql, LEAT_TERMINATED, &statement, NULL, self->err), self->err);
    return statement;
}

static void append_one(rig *self, const char *stream, int64_t value) {
    leat_append *rows;
    ASSERT_OK(leat_append_open(self->session, stream, &rows, self->err), self->err);
    ASSERT_OK(leat_append_int64(rows, value, self->err), self->err);
    ASSERT_OK(leat_append_row_end(rows, self->err), self->err);
    ASSERT_OK(leat_append_close(&rows, self->err), self->err);
    assert_null(rows);
}

static void sleep_ms(long ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

// ---------------------------------------------------------------------------------------------------------- parameters

static void test_parameters_in_order(void **state) {
    rig            *self      = *state;
    leat_statement *statement = prepare(self, "SELECT ? + 1, concat(?, 'x'), ?, ?, ?");
    assert_int_equal(leat_parameter_count(statement), 5);
    assert_int_equal(leat_bind_int64(statement, 5, 1, self->err), LEAT_MISUSE);
    assert_int_equal(leat_step(statement, self->err), LEAT_BINDING);
    assert_string_equal(leat_error_condition(self->err), "UNBOUND_SQL_PARAMETER");
    ASSERT_OK(leat_statement_reset(statement, self->err), self->err);
    ASSERT_OK(leat_bind_int64(statement, 0, 41, self->err), self->err);
    ASSERT_OK(leat_bind_text(statement, 1, "a long text that is not inline", 6, self->err), self->err);
    ASSERT_OK(leat_bind_null(statement, 2, self->err), self->err);
    ASSERT_OK(leat_bind_double(statement, 3, 0.5, self->err), self->err);
    ASSERT_OK(leat_bind_boolean(statement, 4, true, self->err), self->err);
    for (int run = 0; run < 3; run++) { // values stay bound
        assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
        assert_int_equal(leat_column_int64(statement, 0), 42);
        assert_string_equal(leat_column_text(statement, 1, NULL), "a longx");
        assert_true(leat_column_is_null(statement, 2));
        assert_null(leat_column_text(statement, 2, NULL));
        assert_true(leat_column_double(statement, 3) == 0.5);
        assert_true(leat_column_boolean(statement, 4));
        assert_int_equal(leat_step(statement, self->err), LEAT_DONE);
        assert_int_equal(leat_step(statement, self->err), LEAT_DONE);
        ASSERT_OK(leat_statement_reset(statement, self->err), self->err);
    }
    ASSERT_OK(leat_bind_int64(statement, 0, 5000000000, self->err), self->err);
    assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
    assert_int_equal(leat_column_int64(statement, 0), 5000000001);
    assert_string_equal(leat_column_type(statement, 0), "BIGINT");
    leat_statement_close(&statement);
    assert_null(statement);
}

static void test_parameters_by_name(void **state) {
    rig            *self      = *state;
    uint32_t        index     = 99;
    leat_statement *statement = prepare(self, "SELECT :low AS a, id FROM range(10) WHERE id BETWEEN :low AND :high");
    ASSERT_OK(leat_parameter_index(statement, "LOW", &index, self->err), self->err);
    ASSERT_OK(leat_bind_int64(statement, index, 3, self->err), self->err);
    ASSERT_OK(leat_parameter_index(statement, "high", &index, self->err), self->err);
    ASSERT_OK(leat_bind_int64(statement, index, 4, self->err), self->err);
    assert_int_equal(leat_parameter_index(statement, "other", &index, self->err), LEAT_BINDING);
    assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
    assert_int_equal(leat_column_int64(statement, 0), 3);
    assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
    assert_int_equal(leat_column_int64(statement, 1), 4);
    assert_int_equal(leat_step(statement, self->err), LEAT_DONE);
    leat_statement_close(&statement);
    ASSERT_OK(leat_parameter_set(self->session, "Who", "me", LEAT_TERMINATED, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT :who", "me\n", self->err);
    ASSERT_OK(leat_parameter_set(self->session, "who", "7", LEAT_TERMINATED, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT :who + 1", "8\n", self->err);
}

// A standing query keeps the values that its statement was bound to.
static void test_parameters_of_a_query(void **state) {
    rig *self = *state;
    execute(self->session, "CREATE STREAM s (x BIGINT) WITH (connector = 'memory')", self->err);
    leat_statement *statement = prepare(self, "CREATE MATERIALIZED VIEW v AS SELECT x, ? AS name FROM s WHERE x > ?");
    ASSERT_OK(leat_bind_text(statement, 0, "a text of more than twelve bytes", LEAT_TERMINATED, self->err), self->err);
    ASSERT_OK(leat_bind_int64(statement, 1, 10, self->err), self->err);
    assert_int_equal(leat_step(statement, self->err), LEAT_DONE);
    ASSERT_OK(leat_bind_text(statement, 0, "changed to something else entirely", LEAT_TERMINATED, self->err),
              self->err);
    leat_statement_close(&statement);
    append_one(self, "s", 10);
    append_one(self, "s", 11);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v", "11|a text of more than twelve bytes\n", self->err);
}

// Memory of a prepared statement does not grow with its runs.
static size_t in_use;
static void  *counting(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
     (void)user;
     in_use = in_use - old_bytes + new_bytes;
     if (new_bytes == 0) {
         free(memory);
         return NULL;
    }
     return realloc(memory, new_bytes);
}

static void test_reuse_is_flat(void **state) {
    rig           *self      = *state;
    leat_allocator allocator = {.reallocate = counting};
    leat_options   options   = {.struct_size = sizeof options, .allocator = &allocator};
    leat_session  *session;
    size_t         after_ten = 0;
    ASSERT_OK(leat_open(&options, &session, self->err), self->err);
    rig             own       = {.session = session, .err = self->err};
    leat_statement *statement = prepare(&own, "SELECT upper(?), ? * 2, sum(id) FROM range(10) WHERE id > ?");
    for (int run = 0; run < 200; run++) {
        ASSERT_OK(leat_bind_text(statement, 0, "a text of more than twelve bytes", LEAT_TERMINATED, self->err),
                  self->err);
        ASSERT_OK(leat_bind_int64(statement, 1, run, self->err), self->err);
        ASSERT_OK(leat_bind_int64(statement, 2, 3, self->err), self->err);
        assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
        assert_int_equal(leat_column_int64(statement, 1), 2 * run);
        ASSERT_OK(leat_statement_reset(statement, self->err), self->err);
        if (run == 10) after_ten = in_use;
    }
    assert_int_equal(in_use, after_ten);
    leat_statement_close(&statement);
    ASSERT_OK(leat_close(&session, self->err), self->err);
    assert_int_equal(in_use, 0);
}

// -------------------------------------------------------------------------------------------------------------- errors

static void test_places(void **state) {
    rig *self = *state;
    assert_int_equal(leat_execute(self->session, "SELECT 1;\n\n  SELECT nothing", LEAT_TERMINATED, self->err),
                     LEAT_BINDING);
    leat_place place = leat_error_place(self->err);
    assert_int_equal(place.sql_line, 3);
    assert_int_equal(place.sql_column, 10);
    assert_int_equal(place.sql_offset, 20);
    assert_int_equal(place.sql_bytes, 7);
    assert_int_equal(leat_execute(self->session, "SELECT 'ü'; SELECT 1 +", LEAT_TERMINATED, self->err), LEAT_SYNTAX);
    place = leat_error_place(self->err);
    assert_int_equal(place.sql_line, 1);
    assert_true(place.sql_column >= 19);
    assert_int_equal(leat_execute(self->session, "SELECT 1, 1/0", LEAT_TERMINATED, self->err), LEAT_DATA);
    assert_string_equal(leat_error_condition(self->err), "DIVIDE_BY_ZERO");
    assert_string_equal(leat_error_sqlstate(self->err), "22012");
    assert_int_equal(leat_error_place(self->err).sql_column, 11);
    execute(self->session, "SELECT 1", self->err);
    assert_int_equal(leat_error_status(self->err), LEAT_OK);
    assert_string_equal(leat_error_message(self->err), "");
    assert_int_equal(leat_execute(self->session, "SELECT 1/0", LEAT_TERMINATED, NULL), LEAT_DATA); // NULL is fine
}

static void test_used_bytes(void **state) {
    rig            *self = *state;
    leat_statement *statement;
    size_t          used = 0;
    const char     *sql  = "SELECT 1; -- x\n ;SELECT 2";
    ASSERT_OK(leat_prepare(self->session, sql, LEAT_TERMINATED, &statement, &used, self->err), self->err);
    assert_int_equal(used, 9);
    assert_int_equal(leat_statement_kind_of(statement), LEAT_STATEMENT_ROWS);
    leat_statement_close(&statement);
    ASSERT_OK(leat_prepare(self->session, sql + 9, LEAT_TERMINATED, &statement, &used, self->err), self->err);
    assert_int_equal(leat_statement_kind_of(statement), LEAT_STATEMENT_EMPTY);
    assert_int_equal(leat_step(statement, self->err), LEAT_DONE);
    leat_statement_close(&statement);
    assert_int_equal(leat_prepare(self->session, "SELEC 1", LEAT_TERMINATED, &statement, &used, self->err),
                     LEAT_SYNTAX);
    assert_null(statement);
    assert_int_equal(leat_step(statement, self->err), LEAT_MISUSE);
}

static void test_options(void **state) {
    rig             *self      = *state;
    leat_session    *session   = self->session;
    leat_options     options   = {.struct_size = 1};
    leat_allocator   allocator = {0};
    leat_file_system system    = {.struct_size = sizeof system};
    assert_int_equal(leat_open(&options, &session, self->err), LEAT_MISUSE);
    assert_null(session);
    options = (leat_options){.struct_size = sizeof options, .allocator = &allocator};
    assert_int_equal(leat_open(&options, &session, self->err), LEAT_MISUSE);
    options = (leat_options){.struct_size = sizeof options, .file_system = &system};
    assert_int_equal(leat_open(&options, &session, self->err), LEAT_MISUSE);
    options = (leat_options){.struct_size = offsetof(leat_options, folder)}; // an older header's
    ASSERT_OK(leat_open(&options, &session, self->err), self->err);
    ASSERT_OK(leat_close(&session, self->err), self->err);
    ASSERT_OK(leat_close(&session, self->err), self->err);
    ASSERT_OK(leat_close(NULL, self->err), self->err);
}

// ---------------------------------------------------------------------------------------------------------- interrupts

static void *interrupt_later(void *session) {
    sleep_ms(100);
    leat_interrupt(session);
    return NULL;
}

static void expect_interrupted(rig *self, leat_status (*call)(rig *self)) {
    pthread_t       thread;
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_later, self->session), 0);
    assert_int_equal(call(self), LEAT_INTERRUPTED);
    clock_gettime(CLOCK_MONOTONIC, &after);
    pthread_join(thread, NULL);
    assert_int_equal(leat_error_status(self->err), LEAT_INTERRUPTED);
    assert_true((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 < 2000);
    ASSERT_ROWS(self->session, "SELECT 1", "1\n", self->err); // the next call is a new one
}

static leat_status long_select(rig *self) {
    return leat_execute(self->session, "SELECT count(*) FROM range(100000000000) WHERE id % 7 = 3", LEAT_TERMINATED,
                        self->err);
}
static leat_status idle_run(rig *self) { return leat_run(self->session, -1, NULL, self->err); }
static leat_status idle_await(rig *self) {
    return leat_execute(self->session, "AWAIT TERMINATION v", LEAT_TERMINATED, self->err);
}
static leat_status idle_changes(rig *self) {
    return leat_execute(self->session, "SELECT x FROM s EMIT CHANGES", LEAT_TERMINATED, self->err);
}

static void test_interrupts(void **state) {
    rig *self = *state;
    expect_interrupted(self, long_select);
    execute(self->session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT sum(x) FROM s",
            self->err);
    expect_interrupted(self, idle_run);
    expect_interrupted(self, idle_changes);
    expect_interrupted(self, idle_await);
    append_one(self, "s", 5); // an interrupt between batches stops no query
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v", "5\n", self->err);
}

// ----------------------------------------------------------------------------------------------------------- callbacks

typedef struct calling {
    leat_session   *session;
    leat_statement *statement;
    leat_status     statuses[8];
    int             calls;
    leat_status     answer;
} calling;

static leat_status call_back(void *user, int64_t batch_id, leat_statement *rows, leat_error *err) {
    calling        *self = user;
    leat_session   *copy = self->session;
    leat_append    *append;
    leat_query     *query;
    leat_statement *statement = NULL, *closing = rows;
    (void)batch_id, (void)err;
    self->calls++;
    self->statuses[0] = leat_execute(self->session, "SELECT 1", LEAT_TERMINATED, NULL);
    self->statuses[1] = leat_run(self->session, 0, NULL, NULL);
    self->statuses[2] = leat_append_open(self->session, "s", &append, NULL);
    self->statuses[3] = leat_prepare(self->session, "SELECT 1", LEAT_TERMINATED, &statement, NULL, NULL);
    self->statuses[4] = leat_close(&copy, NULL);
    self->statuses[5] = leat_query_open(self->session, "v", &query, NULL);
    self->statuses[6] = leat_statement_close(&closing);
    self->statuses[7] = leat_statement_close(&self->statement);
    for (int i = 0; i < self->calls; i++) { // without a mode the rows are the whole table
        assert_int_equal(leat_step(rows, NULL), LEAT_ROW);
        assert_int_equal(leat_column_int64(rows, 0), 7);
    }
    assert_int_equal(leat_step(rows, NULL), LEAT_DONE);
    return self->answer == LEAT_OK ? LEAT_OK : leat_error_set(err, "the callback is not content");
}

static void test_callbacks(void **state) {
    rig *self = *state;
    execute(self->session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT x FROM s WHERE x > 1",
            self->err);
    calling user = {.session = self->session, .statement = prepare(self, "SELECT 1")};
    assert_int_equal(leat_rows_callback_set(self->session, "none", call_back, &user, self->err), LEAT_BINDING);
    ASSERT_OK(leat_rows_callback_set(self->session, "v", call_back, &user, self->err), self->err);
    append_one(self, "s", 7);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    assert_int_equal(user.calls, 1);
    for (int i = 0; i < 8; i++) assert_int_equal(user.statuses[i], LEAT_MISUSE);
    assert_non_null(user.statement);
    leat_statement_close(&user.statement);
    user.statement = NULL;
    user.answer    = LEAT_DATA;
    append_one(self, "s", 7);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err); // a query that fails does not fail the call
    leat_query *query;
    ASSERT_OK(leat_query_open(self->session, "v", &query, self->err), self->err);
    assert_int_equal(leat_query_status(query, self->err), LEAT_QUERY_FAILED);
    assert_string_equal(leat_error_message(self->err), "the callback is not content");
    assert_string_equal(leat_error_query(self->err), "v");
    leat_query_close(&query);
    assert_int_equal(leat_close(&self->session, self->err), LEAT_DATA); // closing reports the first failure
    assert_null(self->session);
}

// ----------------------------------------------------------------------------------------------------------- functions

static leat_status describe(void *user, const leat_value *arguments, uint32_t argument_count, leat_value *out_result,
                            leat_error *err) {
    static char text[128];
    (*(int *)user)++;
    assert_int_equal(argument_count, 4);
    if (!arguments[1].is_null && arguments[1].int64 == 13) return leat_error_set(err, "thirteen");
    out_result->is_null = false;
    out_result->text    = text;
    out_result->text_bytes =
        (size_t)snprintf(text, sizeof text, "%.*s/%s%lld/%.2f/%d", (int)arguments[0].text_bytes,
                         arguments[0].is_null ? "" : arguments[0].text, arguments[1].is_null ? "null" : "",
                         (long long)arguments[1].int64, arguments[2].float64, (int)arguments[3].int64);
    return LEAT_OK;
}

static leat_status call_session(void *user, const leat_value *arguments, uint32_t argument_count,
                                leat_value *out_result, leat_error *err) {
    (void)arguments, (void)argument_count, (void)err;
    out_result->is_null = false;
    out_result->int64   = leat_execute(user, "SELECT 1", LEAT_TERMINATED, NULL);
    return LEAT_OK;
}

static leat_status last_of(void *user, const leat_value *arguments, uint32_t count, leat_value *out, leat_error *err) {
    (void)user, (void)err;
    *out = arguments[count - 1];
    return LEAT_OK;
}

static void test_functions(void **state) {
    rig          *self   = *state;
    int           called = 0;
    leat_function row    = {.struct_size      = sizeof row,
                            .name             = "Describe_It",
                            .signature        = "STRING, INT, DOUBLE, DATE -> STRING",
                            .call             = describe,
                            .user             = &called,
                            .is_deterministic = true};
    ASSERT_OK(leat_function_register(self->session, &row, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT describe_it('a', 1, 2.5, DATE'1970-01-03')", "a/1/2.50/2\n", self->err);
    assert_int_equal(called, 1);
    ASSERT_ROWS(self->session, "SELECT DESCRIBE_IT(NULL, x, x, DATE'1970-01-01') FROM VALUES (1), (NULL) AS t(x)",
                "/1/1.00/0\n/null0/0.00/0\n", self->err);
    assert_int_equal(leat_execute(self->session, "SELECT 1,\n describe_it('a', 13, 0, DATE'1970-01-01')",
                                  LEAT_TERMINATED, self->err),
                     LEAT_DATA);
    assert_string_equal(leat_error_message(self->err), "thirteen");
    assert_int_equal(leat_error_place(self->err).sql_line, 2);
    assert_int_equal(leat_execute(self->session, "SELECT describe_it('a')", LEAT_TERMINATED, self->err), LEAT_BINDING);
    assert_int_equal(leat_execute(self->session, "SELECT describe_it('a', array(1), 1, DATE'1970-01-01')",
                                  LEAT_TERMINATED, self->err),
                     LEAT_BINDING);
    leat_function many = {.struct_size = sizeof many,
                          .name        = "last_of_15",
                          .signature =
                              "INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT -> INT",
                          .call             = last_of,
                          .is_deterministic = true};
    ASSERT_OK(leat_function_register(self->session, &many, self->err), self->err);
    ASSERT_ROWS(self->session,
                "SELECT last_of_15(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, x) FROM range(15, 17) AS t(x)",
                "15\n16\n", self->err);
    many.signature = "INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT -> INT";
    assert_int_equal(leat_function_register(self->session, &many, self->err), LEAT_LIMIT);
    row.signature = "STRING, INT, DOUBLE -> ARRAY<INT>";
    assert_int_equal(leat_function_register(self->session, &row, self->err), LEAT_BINDING);
    row.signature = "STRING";
    assert_int_equal(leat_function_register(self->session, &row, self->err), LEAT_MISUSE);
    row.signature = "STRING, -> INT";
    assert_int_not_equal(leat_function_register(self->session, &row, self->err), LEAT_OK);
    row.signature = "STRINGS -> INT";
    assert_int_not_equal(leat_function_register(self->session, &row, self->err), LEAT_OK);
    row.signature = "STRING -> INT";
    row.name      = "upper";
    assert_int_equal(leat_function_register(self->session, &row, self->err), LEAT_BINDING);
    leat_function own = {
        .struct_size = sizeof own, .name = "own", .signature = " -> INT", .call = call_session, .user = self->session};
    ASSERT_OK(leat_function_register(self->session, &own, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT own()", "10\n", self->err); // LEAT_MISUSE
    own.signature = "INT -> TINYINT";
    ASSERT_OK(leat_function_register(self->session, &own, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT own(), own(1)", "10|10\n", self->err);
}

// ------------------------------------------------------------------------------------------------------------- appends

static void test_appends(void **state) {
    rig         *self = *state;
    leat_append *rows;
    execute(self->session,
            "CREATE STREAM s (a INT, b STRING, c DECIMAL(5,2), d TIMESTAMP, e DOUBLE) WITH (connector = 'memory');"
            "CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT * FROM s",
            self->err);
    assert_int_equal(leat_append_open(self->session, "t", &rows, self->err), LEAT_BINDING);
    assert_null(rows);
    assert_int_equal(leat_append_open(self->session, "nobody", &rows, self->err), LEAT_BINDING);
    ASSERT_OK(leat_append_open(self->session, "S", &rows, self->err), self->err);
    assert_int_equal(leat_append_int64(rows, 3000000000, self->err), LEAT_DATA); // and may be given again
    ASSERT_OK(leat_append_int64(rows, 3, self->err), self->err);
    ASSERT_OK(leat_append_text(rows, "a text", 1, self->err), self->err);
    assert_int_equal(leat_append_row_end(rows, self->err), LEAT_MISUSE);
    ASSERT_OK(leat_append_text(rows, "12.345", LEAT_TERMINATED, self->err), self->err);
    ASSERT_OK(leat_append_text(rows, "2024-01-01 00:00:00", LEAT_TERMINATED, self->err), self->err);
    ASSERT_OK(leat_append_int64(rows, 7, self->err), self->err);
    assert_int_equal(leat_append_null(rows, self->err), LEAT_MISUSE);
    ASSERT_OK(leat_append_row_end(rows, self->err), self->err);
    assert_int_equal(leat_append_text(rows, "no number", LEAT_TERMINATED, self->err), LEAT_DATA);
    assert_string_equal(leat_error_condition(self->err), "CAST_INVALID_INPUT");
    ASSERT_OK(leat_append_null(rows, self->err), self->err);
    assert_int_equal(leat_append_text(rows, "\xff", 1, self->err), LEAT_DATA);
    ASSERT_OK(leat_append_int64(rows, 5, self->err), self->err);
    ASSERT_OK(leat_append_double(rows, 1.5, self->err), self->err);
    ASSERT_OK(leat_append_int64(rows, 1, self->err), self->err);
    ASSERT_OK(leat_append_double(rows, 0.25, self->err), self->err);
    ASSERT_OK(leat_append_row_end(rows, self->err), self->err);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT count(*) FROM v", "0\n", self->err); // not yet handed over
    ASSERT_OK(leat_append_close(&rows, self->err), self->err);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v ORDER BY a",
                "NULL|5|1.50|1970-01-01 00:00:00.000001|0.25\n3|a|12.35|2024-01-01 00:00:00|7.0\n", self->err);
    ASSERT_OK(leat_append_open(self->session, "s", &rows, self->err), self->err);
    ASSERT_OK(leat_append_null(rows, self->err), self->err);
    assert_int_equal(leat_append_close(&rows, self->err), LEAT_MISUSE); // half a row; the handle is gone all the same
    assert_null(rows);
    for (int i = 0; i < 3; i++) assert_int_equal(leat_append_null(NULL, self->err), LEAT_MISUSE);
}

// A row with its weight; what takes away more than is there changes nothing and is a bad row.
static void test_weighted_rows(void **state) {
    static const struct {
        int64_t value, weight;
    } given[]         = {{1, 3}, {2, 1}, {1, -2}, {3, 0}, {2, -1}, {4, -1}, {1, -2}};
    rig         *self = *state;
    leat_append *rows;
    execute(self->session,
            "CREATE STREAM w (a INT) WITH (connector = 'memory', changes = 'weight'); CREATE STREAM p (a INT) WITH"
            " (connector = 'memory'); CREATE MATERIALIZED VIEW v AS SELECT a, count(*) AS n FROM w GROUP BY a",
            self->err);
    ASSERT_OK(leat_append_open(self->session, "w", &rows, self->err), self->err);
    assert_int_equal(leat_append_weighted_row_end(rows, 1, self->err), LEAT_MISUSE); // no value yet
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        ASSERT_OK(leat_append_int64(rows, given[i].value, self->err), self->err);
        ASSERT_OK(leat_append_weighted_row_end(rows, given[i].weight, self->err), self->err);
    }
    ASSERT_OK(leat_append_close(&rows, self->err), self->err);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v", "1|1\n", self->err);
    ASSERT_ROWS(self->session, "SELECT record FROM leat_bad_rows", "{\"a\":4,\"weight\":-1}\n{\"a\":1,\"weight\":-2}\n",
                self->err);
    ASSERT_OK(leat_append_open(self->session, "p", &rows, self->err), self->err);
    assert_int_equal(leat_append_weighted_row_end(rows, 1, self->err), LEAT_MISUSE);
    assert_int_equal(leat_append_weighted_row_end(NULL, 1, self->err), LEAT_MISUSE);
    ASSERT_OK(leat_append_close(&rows, self->err), self->err);
}

// ------------------------------------------------------------------------------------------------------------- closing

// Whatever is open, and whatever was closed before, leat_close frees the rest.
static void test_closing_orders(void **state) {
    rig *self = *state;
    for (unsigned order = 0; order < 64; order++) {
        leat_session           *session;
        leat_statement         *statement, *changes, *arrow;
        leat_query             *query;
        leat_append            *append;
        struct ArrowArrayStream stream;
        ASSERT_OK(leat_open(NULL, &session, self->err), self->err);
        rig own = {.session = session, .err = self->err};
        execute(session,
                "CREATE STREAM s (x BIGINT) WITH (connector = 'memory'); CREATE STREAM r (x BIGINT) WITH (connector = "
                "'memory');"
                "CREATE MATERIALIZED VIEW v AS SELECT sum(x) FROM s",
                self->err);
        statement = prepare(&own, "SELECT id FROM range(10)");
        changes   = prepare(&own, "SELECT x FROM r EMIT CHANGES");
        arrow     = prepare(&own, "SELECT 1");
        assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
        append_one(&own, "r", 1);
        assert_int_equal(leat_step(changes, self->err), LEAT_ROW);
        ASSERT_OK(leat_query_open(session, "v", &query, self->err), self->err);
        ASSERT_OK(leat_append_open(session, "s", &append, self->err), self->err);
        ASSERT_OK(leat_append_int64(append, 1, self->err), self->err);
        ASSERT_OK(leat_statement_arrow(arrow, &stream, self->err), self->err);
        stream.release(&stream);
        if (order & 1) leat_statement_close(&statement);
        if (order & 2) leat_statement_close(&changes);
        if (order & 4) leat_query_close(&query);
        if (order & 8) leat_append_close(&append, NULL);
        if (order & 16) leat_statement_close(&arrow);
        if (order & 32) execute(session, "DROP MATERIALIZED VIEW v", self->err);
        ASSERT_OK(leat_close(&session, self->err), self->err);
        assert_null(session);
    }
}

static void test_query_calls(void **state) {
    rig        *self = *state;
    leat_query *query;
    execute(self->session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT sum(x) AS x FROM s;"
            "CREATE MATERIALIZED VIEW w AS SELECT x FROM s",
            self->err);
    assert_string_equal(leat_query_at(self->session, 0), "v");
    assert_string_equal(leat_query_at(self->session, 1), "w");
    assert_null(leat_query_at(self->session, 2));
    assert_int_equal(leat_query_open(self->session, "x", &query, self->err), LEAT_BINDING);
    ASSERT_OK(leat_query_open(self->session, "v", &query, self->err), self->err);
    assert_string_equal(leat_query_name(query), "v");
    assert_string_equal(leat_query_progress(query), "");
    append_one(self, "s", 4);
    ASSERT_OK(leat_query_process(query, -1, self->err), self->err);
    assert_non_null(strstr(leat_query_progress(query), "\"numInputRows\""));
    ASSERT_ROWS(self->session, "SELECT * FROM v", "4\n", self->err);
    assert_int_equal(leat_query_await(query, 20000, self->err), LEAT_TIMEOUT);
    ASSERT_OK(leat_query_stop(query, -1, self->err), self->err);
    ASSERT_OK(leat_query_stop(query, -1, self->err), self->err);
    assert_int_equal(leat_query_status(query, self->err), LEAT_QUERY_STOPPED);
    ASSERT_OK(leat_query_await(query, 0, self->err), self->err);
    ASSERT_OK(leat_query_start(query, self->err), self->err);
    assert_int_equal(leat_query_status(query, self->err), LEAT_QUERY_RUNNING);
    execute(self->session, "DROP MATERIALIZED VIEW v", self->err);
    assert_int_equal(leat_query_stop(query, -1, self->err), LEAT_BINDING);
    assert_string_equal(leat_query_name(query), "v");
    leat_query_close(&query);
    leat_query_close(&query);
    assert_string_equal(leat_query_at(self->session, 0), "w");
}

// ------------------------------------------------------------------------------------------------------------- threads

static bool is_readable(int descriptor) {
    struct pollfd poller = {.fd = descriptor, .events = POLLIN};
    return poll(&poller, 1, 0) == 1;
}

static void test_wake(void **state) {
    rig    *self = *state;
    int64_t next;
    int     descriptor = leat_wake_fd(self->session);
    assert_true(descriptor > 2);
    assert_int_equal(leat_wake_fd(self->session), descriptor);
    execute(self->session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT sum(x) FROM s",
            self->err);
    ASSERT_OK(leat_run(self->session, 0, &next, self->err), self->err);
    assert_false(is_readable(descriptor));
    assert_true(next == INT64_MAX); // nothing comes by itself
    append_one(self, "s", 1);
    append_one(self, "s", 2);
    assert_true(is_readable(descriptor));
    ASSERT_OK(leat_run(self->session, 0, &next, self->err), self->err);
    assert_false(is_readable(descriptor));
    execute(self->session, "INSERT INTO s VALUES (3)", self->err);
    assert_true(is_readable(descriptor));
    ASSERT_OK(leat_run(self->session, 0, &next, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v", "6\n", self->err);
}

// With a worker the host only sleeps, and is let in while batches run.
static void test_worker(void **state) {
    rig          *self    = *state;
    leat_options  options = {.struct_size = sizeof options, .threads = 1};
    leat_session *session;
    ASSERT_OK(leat_open(&options, &session, self->err), self->err);
    rig own = {.session = session, .err = self->err};
    execute(session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT sum(x) FROM s",
            self->err);
    int64_t expected = 0;
    for (int64_t i = 1; i <= 50; i++, expected += i - 1) append_one(&own, "s", i);
    char *text = NULL;
    for (int waited = 0; waited < 200; waited++) {
        sleep_ms(10);
        free(text);
        text = rows_of(session, "SELECT * FROM v", self->err);
        assert_non_null(text);
        if (strcmp(text, "1275\n") == 0) break;
    }
    assert_string_equal(text, "1275\n");
    free(text);
    ASSERT_OK(leat_close(&session, self->err), self->err);
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t  news;
    bool            is_reached, is_open;
} gate;

// A batch that lasts until the test lets it go.
static leat_status gate_pass(void *user, int64_t batch_id, leat_statement *rows, leat_error *err) {
    gate *self = user;
    (void)batch_id, (void)rows, (void)err;
    pthread_mutex_lock(&self->lock);
    self->is_reached = true;
    pthread_cond_broadcast(&self->news);
    while (!self->is_open) pthread_cond_wait(&self->news, &self->lock);
    pthread_mutex_unlock(&self->lock);
    return LEAT_OK;
}

// A stop waits for the running batch, but no longer than it was told to; then the query goes on.
static void test_stop_within_a_time(void **state) {
    rig          *self    = *state;
    gate          door    = {.lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER};
    leat_options  options = {.struct_size = sizeof options, .threads = 1};
    leat_session *session;
    leat_query   *query;
    ASSERT_OK(leat_open(&options, &session, self->err), self->err);
    rig own = {.session = session, .err = self->err};
    execute(session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v WITH (outputMode = 'append') AS SELECT x FROM s",
            self->err);
    ASSERT_OK(leat_rows_callback_set(session, "v", gate_pass, &door, self->err), self->err);
    ASSERT_OK(leat_query_open(session, "v", &query, self->err), self->err);
    append_one(&own, "s", 1);
    pthread_mutex_lock(&door.lock);
    while (!door.is_reached) pthread_cond_wait(&door.news, &door.lock);
    pthread_mutex_unlock(&door.lock);
    assert_int_equal(leat_query_stop(query, 0, self->err), LEAT_TIMEOUT);
    assert_int_equal(leat_query_stop(query, 1000, self->err), LEAT_TIMEOUT);
    assert_int_equal(leat_error_status(self->err), LEAT_TIMEOUT);
    pthread_mutex_lock(&door.lock);
    door.is_open = true;
    pthread_cond_broadcast(&door.news);
    pthread_mutex_unlock(&door.lock);
    ASSERT_OK(leat_query_stop(query, INT64_MAX, self->err), self->err);
    assert_int_equal(leat_query_status(query, self->err), LEAT_QUERY_STOPPED);
    ASSERT_ROWS(session, "SELECT * FROM v", "1\n", self->err);
    leat_query_close(&query);
    ASSERT_OK(leat_close(&session, self->err), self->err);
}

static leat_status count_batches(void *user, int64_t batch_id, leat_statement *rows, leat_error *err) {
    (void)batch_id, (void)rows, (void)err;
    (*(int *)user)++;
    return LEAT_OK;
}

typedef struct feeding {
    leat_session *session;
    int64_t       count;
} feeding;

static void no_schema_release(struct ArrowSchema *schema) { schema->release = NULL; }
static void no_release(struct ArrowArray *array) { array->release = NULL; }

static void *feed(void *user) {
    feeding *self = user;
    for (int64_t i = 0; i < self->count; i++) {
        const void        *none[1] = {NULL}, *buffers[2] = {NULL, &i};
        struct ArrowSchema x = {.format = "l", .name = "x", .release = no_schema_release}, *fields[1] = {&x};
        struct ArrowSchema schema = {.format = "+s", .n_children = 1, .children = fields, .release = no_schema_release};
        struct ArrowArray  values = {.length = 1, .n_buffers = 2, .buffers = buffers, .release = no_release},
                          *columns[1] = {&values};
        struct ArrowArray rows        = {
                   .length = 1, .n_buffers = 1, .buffers = none, .n_children = 1, .children = columns, .release = no_release};
        if (leat_stream_append(self->session, "s", &schema, &rows, NULL) != LEAT_OK) return self;
    }
    return NULL;
}

// leat_stream_append from two threads, while a third runs the session.
static void test_append_from_threads(void **state) {
    rig *self    = *state;
    int  batches = 0;
    execute(self->session,
            "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT count(*), sum(x) FROM s",
            self->err);
    ASSERT_OK(leat_rows_callback_set(self->session, "v", count_batches, &batches, self->err), self->err);
    feeding   user = {.session = self->session, .count = 1000};
    pthread_t threads[2];
    void     *failed;
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, feed, &user), 0);
    for (int i = 0; i < 5; i++) ASSERT_OK(leat_run(self->session, 20000, NULL, self->err), self->err);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v", "2000|999000\n", self->err);
    assert_true(batches > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parameters_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters_of_a_query, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reuse_is_flat, setup, teardown),
        cmocka_unit_test_setup_teardown(test_places, setup, teardown),
        cmocka_unit_test_setup_teardown(test_used_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_callbacks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_functions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_appends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_closing_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weighted_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_query_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wake, setup, teardown),
        cmocka_unit_test_setup_teardown(test_worker, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stop_within_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_append_from_threads, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
