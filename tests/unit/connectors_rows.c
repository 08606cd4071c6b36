// Sources that are no files: rows of the host, made-up rows, standard input.
#include "storage/connector.h"
#include "storage/input_prefix.h"
#include "storage/row_queue.h"
#include "tests/unit/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const lt_connector lt_connectors_memory, lt_connectors_generator, lt_connectors_stdin;
extern const lt_format    lt_formats_json;

static int64_t clock_now_us(void *user) { return *(int64_t *)user; }

static void append_rows(lt_row_queue *queue, const lt_type *const *types, int64_t first, uint32_t count) {
    lt_arena arena;
    lt_chunk chunk;
    char     text[64];
    lt_arena_init(&arena, queue->account);
    assert_int_equal(lt_chunk_init(&chunk, types, 2, count, &arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < count; i++) {
        const int bytes                         = snprintf(text, sizeof text, "row number %lld", (long long)first + i);
        LT_LANES(&chunk.columns[0], int64_t)[i] = first + i;
        assert_int_equal(lt_string_copy(&arena, text, (size_t)bytes, &LT_LANES(&chunk.columns[1], lt_string)[i], NULL),
                         LEAT_OK);
    }
    chunk.count = count;
    assert_int_equal(lt_row_queue_append(queue, &chunk, NULL), LEAT_OK);
    lt_arena_deinit(&arena);
}

static void test_memory(void **state) {
    (void)state;
    decode_rig            rig;
    lt_row_queue          queue;
    lt_source_range       range;
    const lt_source_kind *kind   = lt_connectors_memory.source;
    void                 *source = calloc(1, kind->state_bytes);
    rig_init(&rig);
    rig_column(&rig, "i", lt_type_of(LT_BIGINT));
    rig_column(&rig, "s", lt_type_of(LT_STRING));
    lt_row_queue_init(&queue, &rig.account, rig.types, 2);
    const lt_source_setup setup = {
        .options = &rig.option_values, .target = &rig.target, .queue = &queue, .stream_name = "s"};
    assert_int_equal(kind->open(source, &setup, NULL), LEAT_OK);
    assert_int_equal(kind->plan(source, 0, NULL, &range, NULL), LEAT_OK);
    assert_false(range.has_input);
    append_rows(&queue, rig.types, 0, 2);
    append_rows(&queue, rig.types, 2, 1);
    assert_int_equal(kind->outlook(source).next_us, INT64_MIN);
    assert_int_equal(kind->plan(source, 0, NULL, &range, NULL), LEAT_OK);
    append_rows(&queue, rig.types, 3, 5000); // behind the range
    assert_string_equal(range.end, "{\"rows\":3}");
    assert_int_equal(kind->read(source, &range, NULL), LEAT_OK);
    assert_string_equal(rig_rows(&rig), "0\trow number 0\n1\trow number 1\n2\trow number 2\n");
    assert_int_equal(kind->plan(source, 1, NULL, &range, NULL), LEAT_OK);
    lt_buffer_reset(&rig.rows);
    assert_int_equal(kind->read(source, &range, NULL), LEAT_OK);
    char   line[64];
    size_t at = 0;
    for (int i = 3; i < 5003; i++) {
        const int bytes = snprintf(line, sizeof line, "%d\trow number %d\n", i, i);
        assert_memory_equal(rig.rows.data + at, line, (size_t)bytes);
        at += (size_t)bytes;
    }
    assert_int_equal(at, rig.rows.bytes);
    assert_int_equal(kind->outlook(source).next_us, INT64_MAX);
    lt_row_queue_trim(&queue, 5003);
    assert_int_equal(queue.first_offset, 4096);
    kind->close(source);
    free(source);
    lt_row_queue_deinit(&queue);
    rig_deinit(&rig);
    assert_int_equal(rig.account.bytes, 0);
}

static void test_generator(void **state) {
    (void)state;
    decode_rig            rig;
    lt_source_range       range;
    int64_t               now_us = 1000 * INT64_C(1000000);
    const leat_clock      clock  = {.now_us = clock_now_us, .user = &now_us};
    const lt_source_kind *kind   = lt_connectors_generator.source;
    void                 *source = calloc(1, kind->state_bytes);
    rig_init(&rig);
    rig_column(&rig, "timestamp", lt_type_of(LT_TIMESTAMP));
    rig_column(&rig, "value", lt_type_of(LT_BIGINT));
    rig_option(&rig, "rowsPerSecond", "2");
    rig_option(&rig, "numRows", "5");
    const lt_source_setup setup = {
        .options = &rig.option_values, .target = &rig.target, .clock = &clock, .stream_name = "s"};
    assert_int_equal(kind->open(source, &setup, &rig.err), LEAT_OK);
    assert_int_equal(kind->plan(source, 0, NULL, &range, NULL), LEAT_OK);
    assert_false(range.has_input);
    assert_int_equal(kind->outlook(source).next_us, 1001 * INT64_C(1000000));
    now_us += 2500000;
    assert_int_equal(kind->plan(source, 0, NULL, &range, NULL), LEAT_OK);
    assert_int_equal(kind->read(source, &range, &rig.err), LEAT_OK);
    assert_string_equal(rig_rows(&rig), "1970-01-01 00:16:40\t0\n1970-01-01 00:16:40.5\t1\n1970-01-01 00:16:41\t2\n"
                                        "1970-01-01 00:16:41.5\t3\n");
    char end[64];
    snprintf(end, sizeof end, "%s", range.end);
    now_us += 60 * INT64_C(1000000);
    lt_buffer_reset(&rig.rows);
    assert_int_equal(kind->plan(source, 1, NULL, &range, NULL), LEAT_OK);
    assert_int_equal(kind->read(source, &range, NULL), LEAT_OK);
    assert_string_equal(rig_rows(&rig), "1970-01-01 00:16:42\t4\n");
    assert_true(kind->outlook(source).has_ended);
    kind->close(source);
    // A restart makes the same rows from the offset, whatever the time is.
    memset(source, 0, kind->state_bytes);
    assert_int_equal(kind->open(source, &setup, NULL), LEAT_OK);
    assert_int_equal(kind->resume(source, 0, end, NULL), LEAT_OK);
    lt_buffer_reset(&rig.rows);
    assert_int_equal(kind->plan(source, 1, "{\"rows\":5,\"startUs\":1000000000}", &range, NULL), LEAT_OK);
    assert_int_equal(kind->read(source, &range, NULL), LEAT_OK);
    assert_string_equal(rig_rows(&rig), "1970-01-01 00:16:42\t4\n");
    kind->close(source);
    free(source);
    rig_deinit(&rig);
    assert_int_equal(rig.account.bytes, 0);
}

typedef struct input {
    const char *text;
    size_t      piece;
} input;

static leat_status take_input(void *user, void *buffer, size_t capacity, size_t *out_count) {
    input *self = user;
    size_t left = strlen(self->text), count = left < self->piece ? left : self->piece;
    if (count > capacity) count = capacity;
    memcpy(buffer, self->text, count);
    self->text += count;
    *out_count = count;
    return LEAT_OK;
}

static void test_stdin(void **state) {
    (void)state;
    decode_rig            rig;
    lt_source_range       range;
    input                 text   = {"{\"k\":1}\n{\"k\":2}\n{\"k\":3}", 5};
    const lt_source_kind *kind   = lt_connectors_stdin.source;
    void                 *source = calloc(1, kind->state_bytes);
    rig_init(&rig);
    rig_column(&rig, "k", lt_type_of(LT_INT));
    lt_source_setup setup = {.options = &rig.option_values, .format = &lt_formats_json, .target = &rig.target};
    assert_int_equal(kind->check(&setup, NULL), LEAT_BINDING);
    setup.input      = take_input;
    setup.input_user = &text;
    assert_int_equal(kind->open(source, &setup, &rig.err), LEAT_OK);
    for (int64_t batch_id = 0; !kind->outlook(source).has_ended; batch_id++) {
        assert_int_equal(kind->plan(source, batch_id, NULL, &range, NULL), LEAT_OK);
        assert_int_equal(kind->read(source, &range, &rig.err), LEAT_OK);
    }
    assert_string_equal(rig_rows(&rig), "1\n2\n3\n");
    assert_int_equal(kind->plan(source, 99, NULL, &range, NULL), LEAT_OK);
    assert_false(range.has_input);
    kind->close(source);
    free(source);
    rig_deinit(&rig);
    assert_int_equal(rig.account.bytes, 0);
}

// Columns come from the first record, however much a read brings; all records are still read afterwards.
static void test_stdin_infers_from_the_first_record(void **state) {
    (void)state;
    const lt_source_kind *kind     = lt_connectors_stdin.source;
    static const size_t   pieces[] = {1, 9, 1000};
    for (size_t i = 0; i < 3; i++) {
        decode_rig      rig;
        lt_arena        arena;
        lt_input_prefix prefix;
        lt_source_range range;
        const lt_type  *type   = NULL;
        input           text   = {"\n{\"k\":1}\n{\"k\":2,\"x\":true}\n{\"k\":3}\n", pieces[i]};
        void           *source = calloc(1, kind->state_bytes);
        rig_init(&rig);
        lt_arena_init(&arena, &rig.account);
        rig_column(&rig, "k", lt_type_of(LT_BIGINT));
        lt_input_prefix_init(&prefix, &rig.account, take_input, &text);
        const lt_source_setup setup = {.options   = &rig.option_values,
                                       .format    = &lt_formats_json,
                                       .target    = &rig.target,
                                       .prefix    = &prefix,
                                       .is_static = true};
        assert_int_equal(kind->infer(&setup, &arena, &type, &rig.err), LEAT_OK);
        assert_string_equal(lt_type_text(&arena, type), "STRUCT<k: BIGINT>");
        assert_int_equal(kind->open(source, &setup, &rig.err), LEAT_OK);
        assert_int_equal(kind->plan(source, 0, NULL, &range, NULL), LEAT_OK);
        assert_int_equal(kind->read(source, &range, &rig.err), LEAT_OK);
        assert_string_equal(rig_rows(&rig), "1\n2\n3\n");
        assert_true(kind->outlook(source).has_ended);
        kind->close(source);
        free(source);
        lt_input_prefix_deinit(&prefix);
        lt_arena_deinit(&arena);
        rig_deinit(&rig);
        assert_int_equal(rig.account.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_generator),
        cmocka_unit_test(test_stdin),
        cmocka_unit_test(test_stdin_infers_from_the_first_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
