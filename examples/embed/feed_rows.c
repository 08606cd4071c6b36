// feed_rows: rows from the program itself into a stream, a function of the program in SQL, each batch's changes in a
// callback, and the table read while the query runs. Nothing touches the disk, no thread is started.
#include <leat.h>

#include <stdio.h>
#include <stdlib.h>

static leat_error *err;

static void check(leat_status status, const char *what) {
    if (status == LEAT_OK) return;
    fprintf(stderr, "%s: [%s] %s\n", what, leat_error_condition(err), leat_error_message(err));
    exit(1);
}

static leat_status call_twice(void *user, const leat_value *arguments, uint32_t argument_count, leat_value *out_result,
                              leat_error *error) {
    (void)user, (void)argument_count, (void)error;
    out_result->is_null = arguments[0].is_null;
    out_result->int64   = arguments[0].int64 * 2;
    return LEAT_OK;
}

static leat_status print_changes(void *user, int64_t batch_id, leat_statement *rows, leat_error *error) {
    (void)user;
    leat_status status;
    while ((status = leat_step(rows, error)) == LEAT_ROW)
        printf("batch %lld: %s %s=%lld\n", (long long)batch_id, leat_column_text(rows, 0, NULL),
               leat_column_text(rows, 1, NULL), (long long)leat_column_int64(rows, 2));
    return status == LEAT_DONE ? LEAT_OK : status;
}

static void feed(leat_session *session, const char *event, int64_t amount) {
    leat_append *rows;
    check(leat_append_open(session, "orders", &rows, err), "open");
    check(leat_append_text(rows, event, LEAT_TERMINATED, err), "event");
    check(leat_append_int64(rows, amount, err), "amount");
    check(leat_append_row_end(rows, err), "row");
    check(leat_append_close(&rows, err), "close");
}

int main(void) {
    const leat_function twice = {.struct_size      = sizeof twice,
                                 .name             = "twice",
                                 .signature        = "BIGINT -> BIGINT",
                                 .call             = call_twice,
                                 .is_deterministic = true};
    leat_session       *session;
    leat_statement     *statement;
    check(leat_error_create(&err), "error");
    check(leat_open(NULL, &session, err), "open");
    check(leat_function_register(session, &twice, err), "twice");
    check(leat_execute(session,
                       "CREATE STREAM orders (event STRING, amount BIGINT) WITH (connector = 'memory');"
                       "CREATE MATERIALIZED VIEW totals WITH (outputMode = 'changelog') AS "
                       "SELECT event, sum(twice(amount)) AS total FROM orders GROUP BY event",
                       LEAT_TERMINATED, err),
          "create");
    check(leat_rows_callback_set(session, "totals", print_changes, NULL, err), "callback");

    feed(session, "checkout", 4);
    feed(session, "search", 2);
    check(leat_run(session, 0, NULL, err), "run");
    feed(session, "checkout", 3);
    check(leat_run(session, 0, NULL, err), "run");

    // A prepared statement with a parameter, over the table of the running query.
    check(leat_prepare(session, "SELECT count(*) FROM totals WHERE event = ?", LEAT_TERMINATED, &statement, NULL, err),
          "prepare");
    check(leat_bind_text(statement, 0, "checkout", LEAT_TERMINATED, err), "bind");
    if (leat_step(statement, err) == LEAT_ROW)
        printf("changes of checkout: %lld\n", (long long)leat_column_int64(statement, 0));
    leat_statement_close(&statement);
    check(leat_close(&session, err), "close");
    leat_error_destroy(&err);
    return 0;
}
