// The console sink and show(): Spark's layout to the byte (spark-semantics 4.2).
#include "base/table_text.h"
#include "storage/connector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

extern const lt_connector lt_connectors_console;

typedef struct console_rig {
    lt_account       account;
    lt_arena         arena;
    lt_evaluation    evaluation;
    lt_buffer        out;
    lt_chunk         chunk;
    lt_option_value  options[4];
    lt_option_values option_values;
    const lt_type   *types[2];
    const char      *names[2];
    lt_sink_setup    setup;
} console_rig;

static leat_status take_output(void *user, const void *bytes, size_t count) {
    return lt_buffer_append(user, bytes, count, NULL);
}

static void rig_init(console_rig *rig) {
    *rig = (console_rig){.evaluation = {.time_zone = "UTC"},
                         .types      = {lt_type_of(LT_STRING), lt_type_of(LT_BIGINT)},
                         .names      = {"value", "count"}};
    lt_account_init(&rig->account, NULL, NULL, 0);
    lt_arena_init(&rig->arena, &rig->account);
    lt_buffer_init(&rig->out, &rig->account, 0);
    rig->evaluation.account   = &rig->account;
    rig->option_values.values = rig->options;
    rig->setup                = (lt_sink_setup){.options      = &rig->option_values,
                                                .types        = rig->types,
                                                .names        = rig->names,
                                                .column_count = 2,
                                                .mode         = LT_SINK_APPEND,
                                                .account      = &rig->account,
                                                .evaluation   = &rig->evaluation,
                                                .output       = take_output,
                                                .output_user  = &rig->out};
    assert_int_equal(lt_chunk_init(&rig->chunk, rig->types, 2, 64, &rig->arena, NULL), LEAT_OK);
}

static void rig_row(console_rig *rig, const char *value, int64_t count) {
    const uint32_t row = rig->chunk.count++;
    if (value == NULL)
        assert_int_equal(lt_vector_set_null(&rig->chunk.columns[0], row, &rig->arena, NULL), LEAT_OK);
    else
        LT_LANES(&rig->chunk.columns[0], lt_string)[row] = lt_string_view(value, strlen(value));
    LT_LANES(&rig->chunk.columns[1], int64_t)[row] = count;
}

static void rig_option(console_rig *rig, const char *name, const char *value) {
    rig->options[rig->option_values.count++] = (lt_option_value){.name = name, .value = value};
}

static void expect_batch(console_rig *rig, int64_t batch_id, const char *text) {
    const lt_sink_kind *kind  = lt_connectors_console.sink;
    void               *state = calloc(1, kind->state_bytes);
    assert_int_equal(kind->open(state, &rig->setup, NULL), LEAT_OK);
    assert_int_equal(kind->begin(state, batch_id, false, NULL), LEAT_OK);
    assert_int_equal(kind->write(state, &rig->chunk, NULL), LEAT_OK);
    assert_int_equal(kind->publish(state, NULL), LEAT_OK);
    assert_int_equal(kind->publish(state, NULL), LEAT_OK); // prints once
    kind->close(state);
    free(state);
    assert_string_equal(rig->out.data, text);
    lt_buffer_deinit(&rig->out);
    lt_arena_deinit(&rig->arena);
    assert_int_equal(rig->account.bytes, 0);
}

#define RULE "-------------------------------------------\n"

static void test_batch(void **state) {
    (void)state;
    console_rig rig;
    rig_init(&rig);
    rig_row(&rig, "cat", 2);
    rig_row(&rig, NULL, 1);
    expect_batch(&rig, 0,
                 RULE "Batch: 0\n" RULE "+-----+-----+\n|value|count|\n+-----+-----+\n|  cat|    2|\n| NULL|    1|\n"
                      "+-----+-----+\n\n");
}

static void test_empty_batch(void **state) {
    (void)state;
    console_rig rig;
    rig_init(&rig);
    expect_batch(&rig, 12, RULE "Batch: 12\n" RULE "+-----+-----+\n|value|count|\n+-----+-----+\n+-----+-----+\n\n");
}

static void test_values_are_cut(void **state) {
    (void)state;
    console_rig rig;
    rig_init(&rig);
    rig_row(&rig, "{2024-01-01 00:00:00, 2024-01-01 00:10:00}", 1);
    rig_row(&rig, "twenty characters ok", 2);
    rig_row(&rig, "a\nb\tc", 3);
    rig_row(&rig, "\xe6\x97\xa5\xe6\x9c\xac", 4); // two wide characters
    rig_row(&rig, "\xf0\x9f\x98\x80", 5);         // two UTF-16 units
    expect_batch(&rig, 1,
                 RULE "Batch: 1\n" RULE "+--------------------+-----+\n|               value|count|\n"
                      "+--------------------+-----+\n|{2024-01-01 00:00...|    1|\n|twenty characters ok|    2|\n"
                      "|             a\\nb\\tc|    3|\n|                \xe6\x97\xa5\xe6\x9c\xac|    4|\n"
                      "|                  \xf0\x9f\x98\x80|    5|\n+--------------------+-----+\n\n");
}

static void test_whole_values(void **state) {
    (void)state;
    console_rig rig;
    rig_init(&rig);
    rig_option(&rig, "truncate", "false");
    rig_row(&rig, "longer than twenty characters", 1);
    rig_row(&rig, "x", 22);
    expect_batch(&rig, 3,
                 RULE "Batch: 3\n" RULE "+-----------------------------+-----+\n|value                        |count|\n"
                      "+-----------------------------+-----+\n|longer than twenty characters|1    |\n"
                      "|x                            |22   |\n+-----------------------------+-----+\n\n");
}

static void test_footer(void **state) {
    (void)state;
    console_rig rig;
    rig_init(&rig);
    rig_option(&rig, "numRows", "1");
    rig_row(&rig, "a", 1);
    rig_row(&rig, "b", 2);
    expect_batch(&rig, 0,
                 RULE "Batch: 0\n" RULE "+-----+-----+\n|value|count|\n+-----+-----+\n|    a|    1|\n+-----+-----+\n"
                      "only showing top 1 row\n");
    rig_init(&rig);
    rig_option(&rig, "numRows", "0");
    rig_row(&rig, "a", 1);
    expect_batch(&rig, 0,
                 RULE "Batch: 0\n" RULE "+-----+-----+\n|value|count|\n+-----+-----+\n+-----+-----+\n"
                      "only showing top 0 rows\n");
}

static void test_vertical(void **state) {
    (void)state;
    console_rig rig;
    rig_init(&rig);
    rig_option(&rig, "vertical", "true");
    rig_row(&rig, "cat", 2);
    rig_row(&rig, NULL, 1);
    // 5 for the longest name, 4 for the longest value, 5 more.
    expect_batch(&rig, 0,
                 RULE "Batch: 0\n" RULE
                      "-RECORD 0-----\n value | cat  \n count | 2    \n-RECORD 1-----\n value | NULL \n"
                      " count | 1    \n\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),        cmocka_unit_test(test_empty_batch), cmocka_unit_test(test_values_are_cut),
        cmocka_unit_test(test_whole_values), cmocka_unit_test(test_footer),      cmocka_unit_test(test_vertical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
