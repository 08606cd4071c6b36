// Rows as Arrow structures, out of statements and into streams of connector 'memory'.
#include "tests/unit/embed_rig.h"

#include <errno.h>

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
    leat_close(&self->session, self->err);
    leat_error_destroy(&self->err);
    free(self);
    return 0;
}

static struct ArrowArrayStream stream_of(rig *self, const char *sql, leat_statement **out) {
    struct ArrowArrayStream stream;
    ASSERT_OK(leat_prepare(self->session, sql, LEAT_TERMINATED, out, NULL, self->err), self->err);
    ASSERT_OK(leat_statement_arrow(*out, &stream, self->err), self->err);
    return stream;
}

// Formats are those of the Arrow C data interface's table.
static void test_formats(void **state) {
    static const char *const formats[] = {"n", "b",   "c",       "s",    "i",   "l",   "f",  "g",  "d:10,2", "u",
                                          "z", "tdD", "tsu:UTC", "tsu:", "tiM", "tDu", "+l", "+m", "+s"};
    rig                     *self      = *state;
    leat_statement          *statement;
    struct ArrowSchema       schema;
    struct ArrowArrayStream  stream = stream_of(
         self,
         "SELECT NULL, true, 1Y, 1S, 1, 1L, CAST(1 AS FLOAT), 1D, CAST(1 AS DECIMAL(10,2)), 'a', X'01', "
          "DATE'2020-01-01',"
          " TIMESTAMP'2020-01-01 00:00:00', TIMESTAMP_NTZ'2020-01-01 00:00:00', INTERVAL '1' MONTH, INTERVAL '1' DAY,"
          " array(1), map('k', 1), named_struct('f', 1)",
         &statement);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, sizeof formats / sizeof *formats);
    for (int64_t i = 0; i < schema.n_children; i++) assert_string_equal(schema.children[i]->format, formats[i]);
    assert_string_equal(schema.children[17]->children[0]->format, "+s");
    assert_int_equal(schema.children[17]->children[0]->children[0]->flags & ARROW_FLAG_NULLABLE, 0);
    schema.release(&schema);
    assert_null(schema.release);
    stream.release(&stream);
    assert_null(stream.release);
    leat_statement_close(&statement);
}

static void test_values(void **state) {
    rig                    *self = *state;
    leat_statement         *statement;
    struct ArrowArray       rows;
    struct ArrowArrayStream stream = stream_of(
        self,
        "SELECT * FROM VALUES (1, true, 'one', array(1, 2), named_struct('f', 'x'), CAST(1.25 AS DECIMAL(5,2))),"
        " (NULL, NULL, NULL, NULL, NULL, NULL),"
        " (3, false, 'a text of more than twelve bytes', array(NULL), named_struct('f', NULL), -1.00)"
        " AS t(i, b, s, a, n, d)",
        &statement);
    assert_int_equal(stream.get_next(&stream, &rows), 0);
    assert_int_equal(rows.length, 3);
    struct ArrowArray **c = rows.children;
    for (int i = 0; i < 6; i++) assert_int_equal(c[i]->null_count, 1);
    assert_int_equal(((const uint8_t *)c[0]->buffers[0])[0], 5);
    assert_int_equal(((const int32_t *)c[0]->buffers[1])[2], 3);
    assert_int_equal(((const uint8_t *)c[1]->buffers[1])[0] & 5, 1);
    const int32_t *offsets = c[2]->buffers[1];
    assert_int_equal(offsets[1], 3);
    assert_int_equal(offsets[2], 3);
    assert_int_equal(offsets[3], 3 + 32);
    assert_memory_equal(c[2]->buffers[2], "onea text of more than twelve bytes", 35);
    assert_int_equal(c[3]->children[0]->length, 3);
    assert_int_equal(c[3]->children[0]->null_count, 1);
    assert_int_equal(((const int32_t *)c[3]->children[0]->buffers[1])[1], 2);
    assert_int_equal(c[4]->children[0]->null_count, 2);
    assert_int_equal(((const int64_t *)c[5]->buffers[1])[0], 125);
    assert_int_equal(((const int64_t *)c[5]->buffers[1])[4], -100);
    // A child outlives its parent, and both outlive stream, statement and session.
    struct ArrowArray child = *c[2];
    c[2]->release           = NULL;
    rows.release(&rows);
    assert_int_equal(stream.get_next(&stream, &rows), 0);
    assert_null(rows.release);
    stream.release(&stream);
    leat_statement_close(&statement);
    ASSERT_OK(leat_close(&self->session, self->err), self->err);
    assert_memory_equal(child.buffers[2], "one", 3);
    child.release(&child);
}

// 5,000 rows come as 2,048, 2,048 and 904; leat_step before takes its own row out of the first.
static void test_pieces(void **state) {
    rig                    *self = *state;
    leat_statement         *statement;
    struct ArrowArrayStream stream;
    struct ArrowArray       rows;
    int64_t                 lengths[] = {2047, 2048, 904}, next = 1;
    ASSERT_OK(leat_prepare(self->session, "SELECT id FROM range(5000)", LEAT_TERMINATED, &statement, NULL, self->err),
              self->err);
    assert_int_equal(leat_step(statement, self->err), LEAT_ROW);
    ASSERT_OK(leat_statement_arrow(statement, &stream, self->err), self->err);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stream.get_next(&stream, &rows), 0);
        assert_int_equal(rows.length, lengths[i]);
        for (int64_t row = 0; row < rows.length; row++)
            assert_int_equal(((const int64_t *)rows.children[0]->buffers[1])[row], next++);
        rows.release(&rows);
    }
    assert_int_equal(next, 5000);
    assert_int_equal(stream.get_next(&stream, &rows), 0);
    assert_null(rows.release);
    stream.release(&stream);
    leat_statement_close(&statement);
}

// Rows taken as Arrow are those that leat_step gives, with and without NULLs, over several segments of rows; the memory of
// those that were taken may be gone, and leat_step goes on with the rest.
static void test_pieces_and_steps(void **state) {
    rig        *self = *state;
    const char *sql =
        "SELECT id, repeat('x', CAST(id * 7 % 40 AS INT)) AS t, CASE WHEN id % 5 > 0 THEN hex(id) END AS u, "
        "named_struct('a', id, 'b', CAST(id AS STRING)) AS s FROM range(9000)";
    leat_statement *statement, *steps;
    ASSERT_OK(leat_prepare(self->session, sql, LEAT_TERMINATED, &steps, NULL, self->err), self->err);
    struct ArrowArrayStream stream = stream_of(self, sql, &statement);
    int64_t                 row    = 0;
    for (int piece = 0; piece < 4; piece++) {
        struct ArrowArray rows;
        assert_int_equal(stream.get_next(&stream, &rows), 0);
        for (int64_t i = 0; i < rows.length; i++, row++) {
            assert_int_equal(leat_step(steps, self->err), LEAT_ROW);
            assert_int_equal(((const int64_t *)rows.children[0]->buffers[1])[i], row);
            for (uint32_t c = 1; c < 3; c++) {
                const struct ArrowArray *texts   = rows.children[c];
                const int32_t           *offsets = texts->buffers[1];
                const uint8_t           *bits    = texts->buffers[0];
                size_t                   bytes   = 0;
                const char              *text    = leat_column_text(steps, c, &bytes);
                assert_int_equal(text == NULL, bits != NULL && ((bits[i / 8] >> (i % 8)) & 1) == 0);
                assert_int_equal(offsets[i + 1] - offsets[i], text == NULL ? 0 : bytes);
                if (text != NULL) assert_memory_equal((const char *)texts->buffers[2] + offsets[i], text, bytes);
            }
            assert_int_equal(((const int64_t *)rows.children[3]->children[0]->buffers[1])[i], row);
        }
        rows.release(&rows);
    }
    for (; leat_step(statement, self->err) == LEAT_ROW; row++) assert_int_equal(leat_column_int64(statement, 0), row);
    assert_int_equal(row, 9000);
    stream.release(&stream);
    leat_statement_close(&statement);
    leat_statement_close(&steps);
}

static const char *const round_trips[][2] = {
    {"b BOOLEAN", "true"},
    {"c TINYINT", "CAST(-7 AS TINYINT)"},
    {"s SMALLINT", "CAST(-300 AS SMALLINT)"},
    {"i INT", "70000"},
    {"l BIGINT", "-5000000000"},
    {"f FLOAT", "CAST(1.5 AS FLOAT)"},
    {"g DOUBLE", "0.1D"},
    {"d DECIMAL(38,4)", "CAST('-1234567890123456789012345678901234.5678' AS DECIMAL(38,4))"},
    {"u STRING", "'grüße, a long enough text'"},
    {"z BINARY", "X'00FF10'"},
    {"t DATE", "DATE'1582-10-04'"},
    {"p TIMESTAMP", "TIMESTAMP'1969-12-31 23:59:59.999999'"},
    {"n TIMESTAMP_NTZ", "TIMESTAMP_NTZ'2024-02-29 12:00:00.5'"},
    {"m INTERVAL YEAR TO MONTH", "INTERVAL '-1-2' YEAR TO MONTH"},
    {"x INTERVAL DAY TO SECOND", "INTERVAL '1 02:03:04.000005' DAY TO SECOND"},
    {"a ARRAY<STRING>", "array('x', NULL, 'yyyyyyyyyyyyyyyyyyyyyyyy')"},
    {"aa ARRAY<ARRAY<INT>>", "array(array(1, 2), array(), NULL, array(3))"},
    {"q STRUCT<a: INT, b: ARRAY<DOUBLE>>", "named_struct('a', 1, 'b', array(1D, NULL))"},
    {"w MAP<STRING, STRUCT<v: BIGINT>>", "map('k', named_struct('v', 1L), 'l', NULL)"},
};

// Every type out as Arrow and in again, between NULLs, is what it was.
static void test_round_trips(void **state) {
    rig *self = *state;
    for (size_t i = 0; i < sizeof round_trips / sizeof *round_trips; i++) {
        char               sql[512], name[16];
        leat_statement    *statement;
        struct ArrowSchema schema;
        struct ArrowArray  rows;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(round_trips[i][0], " "), round_trips[i][0]);
        snprintf(sql, sizeof sql,
                 "CREATE STREAM s%zu (k INT, %s) WITH (connector = 'memory');"
                 "CREATE MATERIALIZED VIEW v%zu AS SELECT * FROM s%zu",
                 i, round_trips[i][0], i, i);
        execute(self->session, sql, self->err);
        snprintf(sql, sizeof sql, "SELECT id AS k, CASE WHEN id %% 3 <> 1 THEN %s END AS %s FROM range(2500)",
                 round_trips[i][1], name);
        struct ArrowArrayStream stream = stream_of(self, sql, &statement);
        assert_int_equal(stream.get_schema(&stream, &schema), 0);
        snprintf(sql, sizeof sql, "s%zu", i);
        for (;;) {
            assert_int_equal(stream.get_next(&stream, &rows), 0);
            if (rows.release == NULL) break;
            ASSERT_OK(leat_stream_append(self->session, sql, &schema, &rows, self->err), self->err);
            assert_null(rows.release);
        }
        schema.release(&schema);
        stream.release(&stream);
        leat_statement_close(&statement);
        ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
        bool is_map = strstr(round_trips[i][0], "MAP") != NULL;
        snprintf(sql, sizeof sql, "SELECT count(*), count(%s), count_if(%s = %s) FROM v%zu", name,
                 is_map ? "to_json(w)" : name,
                 is_map ? "to_json(map('k', named_struct('v', 1L), 'l', NULL))" : round_trips[i][1], i);
        ASSERT_ROWS(self->session, sql, "2500|1667|1667\n", self->err);
    }
}

// ------------------------------------------------------------------------------------------------------- hosts' arrays

static int  released;
static void count_release(struct ArrowArray *array) {
    released++;
    array->release = NULL;
}
static void no_release(struct ArrowArray *array) { array->release = NULL; }
static void no_schema_release(struct ArrowSchema *schema) { schema->release = NULL; }

// One column of a host: what the tests below bend.
typedef struct one_column {
    struct ArrowSchema schema, column_schema, *schema_children[1];
    struct ArrowArray  rows, column, *children[1];
    const void        *row_buffers[1], *buffers[3];
} one_column;

static void column_make(one_column *self, const char *format, int64_t length, const void *values, const void *bytes) {
    *self = (one_column){0};
    self->column_schema =
        (struct ArrowSchema){.format = format, .name = "X", .flags = ARROW_FLAG_NULLABLE, .release = no_schema_release};
    self->schema_children[0] = &self->column_schema;
    self->schema             = (struct ArrowSchema){
                    .format = "+s", .n_children = 1, .children = self->schema_children, .release = no_schema_release};
    self->buffers[1] = values;
    self->buffers[2] = bytes;
    self->column     = (struct ArrowArray){
            .length = length, .n_buffers = bytes != NULL ? 3 : 2, .buffers = self->buffers, .release = no_release};
    self->children[0] = &self->column;
    self->rows        = (struct ArrowArray){.length     = length,
                                            .n_buffers  = 1,
                                            .buffers    = self->row_buffers,
                                            .n_children = 1,
                                            .children   = self->children,
                                            .release    = count_release};
    released          = 0;
}

static void expect_append(rig *self, one_column *column, leat_status expected) {
    leat_status status = leat_stream_append(self->session, "s", &column->schema, &column->rows, self->err);
    if (status != expected) fail_msg("status %d: %s", (int)status, leat_error_message(self->err));
    assert_int_equal(released, 1); // taken on success and on error
    assert_null(column->rows.release);
    assert_int_equal(leat_error_status(self->err), expected);
}

static void test_casts_and_offsets(void **state) {
    rig       *self = *state;
    one_column column;
    int32_t    numbers[] = {9, 1, 2, 3};
    uint8_t    bits      = 0x0B; // of 4: 1 1 0 1
    execute(self->session,
            "CREATE STREAM s (x BIGINT, y STRING) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT x, y FROM s",
            self->err);
    column_make(&column, "i", 3, numbers, NULL);
    column.column.offset     = 1;
    column.column.null_count = 1;
    column.buffers[0]        = &bits;
    expect_append(self, &column, LEAT_OK);
    const char *texts     = "12x";
    int32_t     offsets[] = {0, 1, 2, 3};
    column_make(&column, "u", 2, offsets, texts);
    expect_append(self, &column, LEAT_OK);
    column_make(&column, "u", 3, offsets, texts); // 'x' is no number: none of its rows come
    expect_append(self, &column, LEAT_DATA);
    assert_non_null(strstr(leat_error_message(self->err), "`x`"));
    int64_t wide[] = {1700000000123456789};
    column_make(&column, "tsn:", 1, wide, NULL);
    column.column_schema.name = "y";
    expect_append(self, &column, LEAT_OK);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT x, y FROM v ORDER BY x, y",
                "NULL|NULL\nNULL|2023-11-14 22:13:20.123456\n1|NULL\n1|NULL\n2|NULL\n3|NULL\n", self->err);
}

static void test_dictionary(void **state) {
    rig               *self = *state;
    one_column         column;
    int8_t             indexes[]     = {1, 0, 1};
    int32_t            offsets[]     = {0, 3, 6};
    const void        *buffers[3]    = {NULL, offsets, "onetwo"};
    struct ArrowSchema values_schema = {.format = "u", .release = no_schema_release};
    struct ArrowArray  values        = {.length = 2, .n_buffers = 3, .buffers = buffers, .release = no_release};
    execute(self->session,
            "CREATE STREAM s (x STRING) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT x, count(*) FROM s GROUP BY x",
            self->err);
    column_make(&column, "c", 3, indexes, NULL);
    column.column_schema.dictionary = &values_schema;
    column.column.dictionary        = &values;
    expect_append(self, &column, LEAT_OK);
    indexes[0] = 2;
    column_make(&column, "c", 3, indexes, NULL);
    column.column_schema.dictionary = &values_schema;
    column.column.dictionary        = &values;
    expect_append(self, &column, LEAT_MISUSE);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v ORDER BY x", "one|1\ntwo|2\n", self->err);
}

static void test_refused(void **state) {
    rig       *self = *state;
    one_column column;
    int32_t    numbers[] = {1, 2, 3}, falling[] = {0, 2, 1, 3};
    int64_t    far[] = {INT64_MAX, 1};
    execute(self->session,
            "CREATE STREAM s (x INT) WITH (connector = 'memory');"
            "CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM s",
            self->err);
    column_make(&column, "i", 3, numbers, NULL);
    column.column.length = 2; // shorter than the rows
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "i", 3, NULL, NULL);
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "i", -1, numbers, NULL);
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "i", 3, numbers, NULL);
    column.column.n_buffers = 1;
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "i", 3, numbers, NULL);
    column.column.null_count = 1; // and no validity
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "u", 3, falling, "abc");
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "u", 1, numbers, "a\xff\xff");
    expect_append(self, &column, LEAT_DATA);
    column_make(&column, "l", 2, far, NULL); // does not fit INT
    expect_append(self, &column, LEAT_DATA);
    column_make(&column, "vu", 3, numbers, NULL);
    expect_append(self, &column, LEAT_BINDING);
    column_make(&column, "d:39,1", 3, numbers, NULL);
    expect_append(self, &column, LEAT_BINDING);
    column_make(&column, "i", 3, numbers, NULL);
    column.column_schema.name = "y";
    expect_append(self, &column, LEAT_BINDING);
    column_make(&column, "+l", 1, numbers, NULL);
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "i", 3, numbers, NULL);
    column.schema.format = "i";
    expect_append(self, &column, LEAT_MISUSE);
    column_make(&column, "i", 3, numbers, NULL);
    assert_int_equal(leat_stream_append(self->session, "nobody", &column.schema, &column.rows, self->err),
                     LEAT_BINDING);
    assert_int_equal(released, 1);
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
    ASSERT_ROWS(self->session, "SELECT * FROM v", "0\n", self->err);
}

static void test_misuse(void **state) {
    rig                    *self = *state;
    leat_statement         *statement;
    struct ArrowArrayStream stream;
    ASSERT_OK(leat_prepare(self->session, "CREATE VIEW w AS SELECT 1", LEAT_TERMINATED, &statement, NULL, self->err),
              self->err);
    assert_int_equal(leat_statement_arrow(statement, &stream, self->err), LEAT_MISUSE);
    assert_null(stream.release);
    leat_statement_close(&statement);
    ASSERT_OK(leat_prepare(self->session, "SELECT 1 / 0", LEAT_TERMINATED, &statement, NULL, self->err), self->err);
    assert_int_equal(leat_statement_arrow(statement, &stream, self->err), LEAT_DATA);
    assert_string_equal(leat_error_condition(self->err), "DIVIDE_BY_ZERO");
    leat_statement_close(&statement);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pieces_and_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trips, setup, teardown),
        cmocka_unit_test_setup_teardown(test_casts_and_offsets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dictionary, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_misuse, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
