// The three uses at the top of leat.h, as they stand there, compiled and run.
#include "tests/unit/embed_rig.h"
#include "tests/unit/temporary_folder.h"

#include <sys/stat.h>

static void write_file(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// clang-format off: the programs stand as in the header
static void test_run_sql_once(void **state) {
    (void)state;
    char said[64] = "";
#define puts(text) ((void)snprintf(said, sizeof said, "%s", text))
    leat_session   *session;
    leat_statement *statement;
    leat_error     *err;
    leat_error_create(&err);
    leat_open(NULL, &session, err);
    if (leat_prepare(session, "SELECT upper('hello')", LEAT_TERMINATED, &statement, NULL, err) != LEAT_OK)
        puts(leat_error_message(err));
    while (leat_step(statement, err) == LEAT_ROW) puts(leat_column_text(statement, 0, NULL));
    leat_statement_close(&statement);
    leat_close(&session, err);
    leat_error_destroy(&err);
#undef puts
    assert_string_equal(said, "HELLO");
}

typedef struct taken {
    char    text[512]; // op=... event=... total=... of every batch
    int64_t last_batch;
    int     batches;
} taken;

// Reads two text columns and a BIGINT column of a batch, straight from the Arrow buffers.
static leat_status on_batch(void *user, int64_t batch_id, struct ArrowArrayStream *changes, leat_error *err) {
    taken             *self = user;
    struct ArrowSchema schema;
    struct ArrowArray  rows;
    (void)err;
    assert_int_equal(changes->get_schema(changes, &schema), 0);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 3);
    assert_string_equal(schema.children[0]->name, "op");
    assert_string_equal(schema.children[1]->name, "event");
    assert_string_equal(schema.children[2]->format, "l");
    schema.release(&schema);
    self->last_batch = batch_id;
    self->batches++;
    for (;;) {
        assert_int_equal(changes->get_next(changes, &rows), 0);
        if (rows.release == NULL) return LEAT_OK;
        for (int64_t i = 0; i < rows.length; i++) {
            size_t used = strlen(self->text);
            for (int c = 0; c < 2; c++) {
                const int32_t *offsets = rows.children[c]->buffers[1];
                const char    *data    = rows.children[c]->buffers[2];
                used += (size_t)snprintf(self->text + used, sizeof self->text - used, "%.*s ",
                                         (int)(offsets[i + 1] - offsets[i]), data + offsets[i]);
            }
            snprintf(self->text + used, sizeof self->text - used, "%lld\n",
                     (long long)((const int64_t *)rows.children[2]->buffers[1])[i]);
        }
        rows.release(&rows);
    }
}

static void test_keep_a_query(void **state) {
    (void)state;
    char   folder[64], path[80];
    taken  user_taken = {0};
    taken *user       = &user_taken;
    temporary_folder_create(folder);
    snprintf(path, sizeof path, "%s/in", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(path, "1.json", "{\"event\":\"a\",\"amount\":1}\n{\"event\":\"b\",\"amount\":2}\n");
    leat_options  options = {.struct_size = sizeof options, .folder = folder};
    leat_session *session;
    leat_error   *err;
    leat_error_create(&err);
    ASSERT_OK(leat_open(&options, &session, err), err);
    int running = 2;

    leat_execute(session,
                 "CREATE STREAM orders (event STRING, amount INT) USING json OPTIONS (path 'in');"
                 "CREATE SINK totals WITH (connector = 'callback', outputMode = 'changelog')"
                 " AS SELECT event, sum(amount) AS total FROM orders GROUP BY event",
                 LEAT_TERMINATED, err);
    leat_callback_set(session, "totals", on_batch, user, err);
    int64_t next_us;
    while (running) {
        if (leat_run(session, 1000, &next_us, err) != LEAT_OK) break;
        if (--running == 1) write_file(path, "2.json", "{\"event\":\"a\",\"amount\":5}\n");
    }

    assert_int_equal(leat_error_status(err), LEAT_OK);
    assert_string_equal(user->text, "+I a 1\n+I b 2\n-U a 1\n+U a 6\n");
    assert_int_equal(user->batches, 2);
    assert_int_equal(user->last_batch, 1);
    ASSERT_OK(leat_close(&session, err), err);
    leat_error_destroy(&err);
    temporary_folder_remove(folder);
}

static leat_status call_twice(void *user, const leat_value *arguments, uint32_t argument_count, leat_value *out_result,
                              leat_error *err) {
    (void)user, (void)argument_count, (void)err;
    *out_result = (leat_value){.is_null = arguments[0].is_null, .int64 = 2 * arguments[0].int64};
    return LEAT_OK;
}

static void test_feed_rows(void **state) {
    (void)state;
    leat_session *session;
    leat_error   *err;
    leat_error_create(&err);
    ASSERT_OK(leat_open(NULL, &session, err), err);

    leat_function twice = {
        .struct_size = sizeof twice, .name = "twice", .signature = "BIGINT -> BIGINT", .call = call_twice};
    leat_function_register(session, &twice, err);
    leat_execute(session,
                 "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
                 "CREATE MATERIALIZED VIEW q AS SELECT sum(twice(x)) AS total FROM s",
                 LEAT_TERMINATED, err);
    leat_append *rows;
    leat_append_open(session, "s", &rows, err);
    leat_append_int64(rows, 21, err);
    leat_append_row_end(rows, err);
    leat_append_close(&rows, err);
    leat_run(session, 0, NULL, err);

    assert_int_equal(leat_error_status(err), LEAT_OK);
    ASSERT_ROWS(session, "SELECT total FROM q", "42\n", err);
    ASSERT_OK(leat_close(&session, err), err);
    leat_error_destroy(&err);
}

// clang-format on

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_sql_once),
        cmocka_unit_test(test_keep_a_query),
        cmocka_unit_test(test_feed_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
