// Files as source and sink: which files a batch takes, in which order, each once; parts that appear whole
// (spark-semantics 3.1, reliability 4).
#include "storage/connector.h"
#include "storage/file_listing.h"
#include "storage/glob.h"
#include "tests/unit/decode_rig.h"
#include "tests/unit/temporary_folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

extern const lt_connector lt_connectors_files, lt_connectors_memory, lt_connectors_generator;
extern const lt_format    lt_formats_json;

// A folder, and a source over it that decodes JSON with one column k.
typedef struct files_rig {
    decode_rig      rows;
    char            folder[64];
    lt_fs           fs;
    lt_source_setup setup;
    void           *state;
    int64_t         modified_s;
    lt_source_range range;
} files_rig;

static void files_init(files_rig *rig) {
    *rig = (files_rig){.modified_s = 1700000000};
    rig_init(&rig->rows);
    rig_column(&rig->rows, "k", lt_type_of(LT_STRING));
    temporary_folder_create(rig->folder);
    lt_fs_init(&rig->fs, NULL, rig->folder);
    rig->setup = (lt_source_setup){.options     = &rig->rows.option_values,
                                   .format      = &lt_formats_json,
                                   .target      = &rig->rows.target,
                                   .fs          = &rig->fs,
                                   .stream_name = "s",
                                   .random_seed = 1};
}

static void path_of(const files_rig *rig, const char *path, char out[512]) {
    snprintf(out, 512, "%s/%s", rig->folder, path);
}

static void make_folder(const files_rig *rig, const char *path) {
    char full[512];
    path_of(rig, path, full);
    mkdir(full, 0700);
}

static void set_modified(const files_rig *rig, const char *path, int64_t seconds) {
    char full[512];
    path_of(rig, path, full);
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, full, times, 0), 0);
}

static void put_bytes(files_rig *rig, const char *path, const void *bytes, size_t count) {
    char full[512];
    path_of(rig, path, full);
    FILE *file = fopen(full, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, count, file);
    fclose(file);
    set_modified(rig, path, rig->modified_s++);
}

static void put_row(files_rig *rig, const char *path, const char *k) {
    char line[128];
    put_bytes(rig, path, line, (size_t)snprintf(line, sizeof line, "{\"k\": \"%s\"}\n", k));
}

static void source_open(files_rig *rig) {
    rig->state = calloc(1, lt_connectors_files.source->state_bytes);
    assert_int_equal(lt_connectors_files.source->open(rig->state, &rig->setup, &rig->rows.err), LEAT_OK);
}

static void source_close(files_rig *rig) {
    lt_connectors_files.source->close(rig->state);
    free(rig->state);
}

// Runs a batch and expects its rows, one a line; "" for nothing new.
static void expect_batch(files_rig *rig, int64_t batch_id, const char *rows) {
    const lt_source_kind *kind = lt_connectors_files.source;
    lt_buffer_reset(&rig->rows.rows);
    assert_int_equal(kind->plan(rig->state, batch_id, NULL, &rig->range, &rig->rows.err), LEAT_OK);
    assert_int_equal(kind->read(rig->state, &rig->range, &rig->rows.err), LEAT_OK);
    kind->commit(rig->state, batch_id);
    (void)lt_buffer_append(&rig->rows.rows, "", 0, NULL);
    assert_string_equal(rig_rows(&rig->rows), rows);
    assert_int_equal(rig->range.has_input, rows[0] != '\0');
}

static void files_finish(files_rig *rig) {
    temporary_folder_remove(rig->folder);
    rig_deinit(&rig->rows);
    assert_int_equal(rig->rows.account.bytes, 0);
}

static void test_globs(void **state) {
    (void)state;
    assert_true(lt_glob_match("*.json", "a.json"));
    assert_false(lt_glob_match("*.json", "a.json.gz"));
    assert_true(lt_glob_match("a?c*", "abcd"));
    assert_true(lt_glob_match("?", "\xc3\xa9"));
    assert_true(lt_glob_match("[a-c]x[^0-9]", "bxy"));
    assert_false(lt_glob_match("[a-c]x[^0-9]", "bx7"));
    assert_true(lt_glob_match("\\*", "*"));
    assert_true(lt_glob_match("*a*b*c", "xxaxxbxxbc"));
    assert_false(lt_glob_match("", "a"));
    lt_account         account;
    lt_arena           arena;
    const char *const *patterns;
    size_t             count;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    assert_int_equal(lt_glob_expand(&arena, "{a,b}.{json,txt}", &patterns, &count, NULL), LEAT_OK);
    assert_int_equal(count, 4);
    assert_int_equal(
        lt_glob_expand(&arena, "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", &patterns, &count, NULL),
        LEAT_LIMIT);
    lt_arena_deinit(&arena);
}

static void test_oldest_first_and_each_once(void **state) {
    (void)state;
    files_rig rig;
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    rig_option(&rig.rows, "maxFilesPerTrigger", "2");
    put_row(&rig, "in/c.json", "first");
    put_row(&rig, "in/a.json", "second");
    put_row(&rig, "in/b.json", "third");
    source_open(&rig);
    expect_batch(&rig, 0, "first\nsecond\n");
    assert_null(rig.range.start);
    assert_string_equal(rig.range.end, "{\"logOffset\":0}");
    assert_true(rig.range.has_more);
    expect_batch(&rig, 1, "third\n");
    assert_string_equal(rig.range.start, "{\"logOffset\":0}");
    assert_string_equal(rig.range.end, "{\"logOffset\":1}");
    expect_batch(&rig, 2, "");
    assert_string_equal(rig.range.end, "{\"logOffset\":1}");
    put_row(&rig, "in/a.json", "changed"); // seen already
    expect_batch(&rig, 2, "");
    put_row(&rig, "in/d.json", "fourth");
    expect_batch(&rig, 2, "fourth\n");
    source_close(&rig);
    files_finish(&rig);
}

static void test_equal_times_go_by_path(void **state) {
    (void)state;
    files_rig rig;
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in/");
    put_row(&rig, "in/b", "b");
    put_row(&rig, "in/a", "a");
    set_modified(&rig, "in/a", 5);
    set_modified(&rig, "in/b", 5);
    source_open(&rig);
    expect_batch(&rig, 0, "a\nb\n");
    source_close(&rig);
    files_finish(&rig);
}

static void test_hidden_names(void **state) {
    (void)state;
    static const char *const hidden[] = {"in/_a.json", "in/.b.json", "in/f.json._COPYING_", "in/_tmp/g.json",
                                         "in/sub/h.json"};
    files_rig                rig;
    files_init(&rig);
    make_folder(&rig, "in");
    make_folder(&rig, "in/_tmp");
    make_folder(&rig, "in/sub");
    rig_option(&rig.rows, "path", "in");
    for (size_t i = 0; i < 5; i++) put_row(&rig, hidden[i], "hidden");
    put_row(&rig, "in/c.json", "plain");
    put_row(&rig, "in/d", "no extension");
    put_row(&rig, "in/_k=v", "visible");
    source_open(&rig);
    expect_batch(&rig, 0, "plain\nno extension\nvisible\n");
    source_close(&rig);
    rig_option(&rig.rows, "recursiveFileLookup", "true");
    source_open(&rig);
    expect_batch(&rig, 0, "hidden\nplain\nno extension\nvisible\n");
    source_close(&rig);
    files_finish(&rig);
}

static void test_globs_and_name_filter(void **state) {
    (void)state;
    files_rig rig;
    files_init(&rig);
    make_folder(&rig, "in");
    make_folder(&rig, "in/day=1");
    make_folder(&rig, "in/day=2");
    make_folder(&rig, "in/other");
    rig_option(&rig.rows, "path", "in/day=*/*.json");
    put_row(&rig, "in/day=1/a.json", "a");
    put_row(&rig, "in/day=2/b.json", "b");
    put_row(&rig, "in/day=2/c.txt", "c");
    put_row(&rig, "in/other/d.json", "d");
    source_open(&rig);
    expect_batch(&rig, 0, "a\nb\n");
    source_close(&rig);
    rig.rows.options[0].value = "in/*";
    rig_option(&rig.rows, "pathGlobFilter", "*.{txt,log}");
    source_open(&rig);
    expect_batch(&rig, 0, "c\n");
    source_close(&rig);
    rig.rows.options[0].value = "in";
    source_open(&rig);
    assert_int_equal(lt_connectors_files.source->plan(rig.state, 0, NULL, &rig.range, &rig.rows.err), LEAT_BINDING);
    assert_string_equal(lt_condition_name(rig.rows.err.condition), "NOT_SUPPORTED");
    source_close(&rig);
    files_finish(&rig);
}

static void test_latest_first(void **state) {
    (void)state;
    files_rig rig;
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    rig_option(&rig.rows, "maxFilesPerTrigger", "1");
    rig_option(&rig.rows, "latestFirst", "true");
    put_row(&rig, "in/a.json", "old");
    put_row(&rig, "in/b.json", "middle");
    put_row(&rig, "in/c.json", "new");
    source_open(&rig);
    expect_batch(&rig, 0, "new\n");
    put_row(&rig, "in/d.json", "newest");
    expect_batch(&rig, 1, "newest\n");
    expect_batch(&rig, 2, "middle\n");
    expect_batch(&rig, 3, "old\n");
    source_close(&rig);
    files_finish(&rig);
}

static void test_max_file_age(void **state) {
    (void)state;
    files_rig rig;
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    rig_option(&rig.rows, "maxFileAge", "1h");
    put_row(&rig, "in/a.json", "now");
    set_modified(&rig, "in/a.json", 1600010000);
    put_row(&rig, "in/b.json", "older, same batch");
    set_modified(&rig, "in/b.json", 1600000000);
    source_open(&rig);
    expect_batch(&rig, 0, "older, same batch\nnow\n");
    put_row(&rig, "in/c.json", "59 minutes older");
    set_modified(&rig, "in/c.json", 1600006460);
    put_row(&rig, "in/d.json", "61 minutes older");
    set_modified(&rig, "in/d.json", 1600006340);
    put_row(&rig, "in/e.json", "an hour older");
    set_modified(&rig, "in/e.json", 1600006400);
    expect_batch(&rig, 1, "an hour older\n59 minutes older\n");
    source_close(&rig);
    files_finish(&rig);
}

static void test_bytes_limit_takes_one_always(void **state) {
    (void)state;
    files_rig rig;
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    rig_option(&rig.rows, "maxBytesPerTrigger", "25"); // a row of "a" has 11 bytes with its line end
    put_row(&rig, "in/1", "a long value, more than allowed");
    put_row(&rig, "in/2", "b");
    put_row(&rig, "in/3", "c");
    put_row(&rig, "in/4", "d");
    source_open(&rig);
    expect_batch(&rig, 0, "a long value, more than allowed\n");
    expect_batch(&rig, 1, "b\nc\n");
    expect_batch(&rig, 2, "d\n");
    source_close(&rig);
    files_finish(&rig);
}

static void test_available_now_takes_what_is_there(void **state) {
    (void)state;
    files_rig             rig;
    const lt_source_kind *kind = lt_connectors_files.source;
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    rig_option(&rig.rows, "maxFilesPerTrigger", "1");
    put_row(&rig, "in/a", "a");
    put_row(&rig, "in/b", "b");
    source_open(&rig);
    assert_int_equal(kind->hold(rig.state, NULL), LEAT_OK);
    put_row(&rig, "in/c", "c");
    expect_batch(&rig, 0, "a\n");
    assert_false(kind->outlook(rig.state).has_ended);
    expect_batch(&rig, 1, "b\n");
    assert_true(kind->outlook(rig.state).has_ended);
    expect_batch(&rig, 2, "");
    source_close(&rig);
    files_finish(&rig);
}

static void test_a_planned_batch_is_read_again(void **state) {
    (void)state;
    files_rig             rig;
    lt_seen_files         seen;
    const lt_source_kind *kind = lt_connectors_files.source;
    files_init(&rig);
    lt_seen_files_init(&seen, &rig.rows.account, 7);
    rig.setup.seen_files = &seen;
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    put_row(&rig, "in/a", "a");
    source_open(&rig);
    expect_batch(&rig, 0, "a\n");
    put_row(&rig, "in/b", "b");
    assert_int_equal(kind->plan(rig.state, 1, NULL, &rig.range, NULL), LEAT_OK);
    source_close(&rig); // killed between plan and commit of batch 1
    put_row(&rig, "in/c", "c");
    source_open(&rig);
    assert_int_equal(kind->resume(rig.state, 0, "{\"logOffset\":0}", NULL), LEAT_OK);
    lt_buffer_reset(&rig.rows.rows);
    assert_int_equal(kind->plan(rig.state, 1, "{\"logOffset\":1}", &rig.range, NULL), LEAT_OK);
    assert_string_equal(rig.range.start, "{\"logOffset\":0}");
    assert_int_equal(kind->read(rig.state, &rig.range, &rig.rows.err), LEAT_OK);
    assert_string_equal(rig_rows(&rig.rows), "b\n");
    expect_batch(&rig, 2, "c\n");
    source_close(&rig);
    // A planned file that is gone is an error that names it.
    char path[512];
    path_of(&rig, "in/b", path);
    unlink(path);
    source_open(&rig);
    assert_int_equal(kind->resume(rig.state, 0, "{\"logOffset\":0}", NULL), LEAT_OK);
    assert_int_equal(kind->plan(rig.state, 1, "{\"logOffset\":1}", &rig.range, NULL), LEAT_OK);
    assert_int_equal(kind->read(rig.state, &rig.range, &rig.rows.err), LEAT_IO);
    assert_non_null(strstr(rig.rows.err.message, "in/b"));
    source_close(&rig);
    lt_seen_files_deinit(&seen);
    files_finish(&rig);
}

static void test_compressed_files(void **state) {
    (void)state;
    files_rig rig;
    char      path[512];
    files_init(&rig);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    path_of(&rig, "in/a.json.gz", path);
    for (int member = 0; member < 2; member++) {
        gzFile file = gzopen(path, member == 0 ? "wb" : "ab");
        for (int i = 0; i < 40000; i++) gzprintf(file, "{\"k\": \"%d\"}\n", i);
        gzclose(file);
    }
    set_modified(&rig, "in/a.json.gz", rig.modified_s++);
    source_open(&rig);
    lt_buffer_reset(&rig.rows.rows);
    assert_int_equal(lt_connectors_files.source->plan(rig.state, 0, NULL, &rig.range, NULL), LEAT_OK);
    assert_int_equal(lt_connectors_files.source->read(rig.state, &rig.range, &rig.rows.err), LEAT_OK);
    size_t rows = 0;
    for (const char *at = rig_rows(&rig.rows); *at != '\0'; at++) rows += *at == '\n';
    assert_int_equal(rows, 80000);
    char         packed[256];
    const char   plain[] = "{\"k\": \"zstd\"}\n{\"k\": \"no line end\"}";
    const size_t frame   = ZSTD_compress(packed, sizeof packed / 2, plain, sizeof plain - 1, 3);
    put_bytes(&rig, "in/a.zst", packed, frame);
    expect_batch(&rig, 1, "zstd\nno line end\n");
    put_bytes(&rig, "in/a.bz2", "BZh9", 4);
    assert_int_equal(lt_connectors_files.source->plan(rig.state, 2, NULL, &rig.range, NULL), LEAT_OK);
    assert_int_equal(lt_connectors_files.source->read(rig.state, &rig.range, &rig.rows.err), LEAT_BINDING);
    lt_error_reset(&rig.rows.err);
    put_bytes(&rig, "in/b.json.gz", "\x1f\x8b\x08\x00 torn", 9);
    assert_int_equal(lt_connectors_files.source->plan(rig.state, 3, NULL, &rig.range, NULL), LEAT_OK);
    assert_int_equal(lt_connectors_files.source->read(rig.state, &rig.range, &rig.rows.err), LEAT_IO);
    source_close(&rig);
    files_finish(&rig);
}

static void test_check_and_describe(void **state) {
    (void)state;
    files_rig             rig;
    lt_buffer             text;
    const lt_source_kind *kind = lt_connectors_files.source;
    files_init(&rig);
    lt_buffer_init(&text, &rig.rows.account, 0);
    rig_option(&rig.rows, "path", "nowhere");
    assert_int_equal(kind->check(&rig.setup, &rig.rows.err), LEAT_BINDING);
    assert_string_equal(lt_condition_name(rig.rows.err.condition), "PATH_NOT_FOUND");
    rig.rows.options[0].value = "no*where";
    assert_int_equal(kind->check(&rig.setup, NULL), LEAT_OK);
    rig_option(&rig.rows, "maxFilesPerTrigger", "1");
    rig_option(&rig.rows, "maxBytesPerTrigger", "1");
    assert_int_equal(kind->check(&rig.setup, NULL), LEAT_BINDING);
    rig.rows.option_values.count = 2;
    rig.rows.options[1].value    = "0";
    assert_int_equal(kind->check(&rig.setup, NULL), LEAT_BINDING);
    rig.rows.options[1].value = "2";
    source_open(&rig);
    assert_int_equal(kind->describe(rig.state, &text, NULL), LEAT_OK);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "FileStreamSource[file:%s/leat_test_", temporary_folder_place());
    assert_memory_equal(text.data, wanted, strlen(wanted));
    source_close(&rig);
    lt_buffer_deinit(&text);
    files_finish(&rig);
}

static void test_infer(void **state) {
    (void)state;
    files_rig      rig;
    lt_arena       arena;
    const lt_type *type;
    files_init(&rig);
    lt_arena_init(&arena, &rig.rows.account);
    make_folder(&rig, "in");
    rig_option(&rig.rows, "path", "in");
    put_bytes(&rig, "in/a", "{\"a\":1,\"n\":null}\n", 17);
    put_bytes(&rig, "in/b", "{\"a\":1.5,\"b\":true}", 18);
    assert_int_equal(lt_connectors_files.source->infer(&rig.setup, &arena, &type, &rig.rows.err), LEAT_OK);
    assert_string_equal(lt_type_text(&arena, type), "STRUCT<a: DOUBLE, b: BOOLEAN, n: STRING>");
    lt_arena_deinit(&arena);
    files_finish(&rig);
}

// ---------------------------------------------------------------------------------------------------------------- sink

static bool exists(const files_rig *rig, const char *path) {
    char full[512];
    path_of(rig, path, full);
    return access(full, F_OK) == 0;
}

static void read_text(const files_rig *rig, const char *path, char out[512]) {
    char full[512];
    path_of(rig, path, full);
    FILE *file = fopen(full, "rb");
    assert_non_null(file);
    out[fread(out, 1, 511, file)] = '\0';
    fclose(file);
}

static void test_parts_appear_whole_and_once(void **state) {
    (void)state;
    static const char   first[]  = "out/part-00000000000000000000-00-query-1.json";
    static const char   second[] = "out/part-00000000000000000001-00-query-1.json";
    files_rig           rig;
    lt_arena            arena;
    lt_chunk            chunk;
    char                text[512];
    const lt_sink_kind *kind = lt_connectors_files.sink;
    files_init(&rig);
    lt_arena_init(&arena, &rig.rows.account);
    rig_option(&rig.rows, "path", "out");
    const lt_sink_setup setup = {.options      = &rig.rows.option_values,
                                 .format       = &lt_formats_json,
                                 .types        = rig.rows.types,
                                 .names        = rig.rows.names,
                                 .column_count = 1,
                                 .mode         = LT_SINK_APPEND,
                                 .fs           = &rig.fs,
                                 .account      = &rig.rows.account,
                                 .evaluation   = &rig.rows.evaluation,
                                 .query_id     = "query-1"};
    assert_int_equal(lt_chunk_init(&chunk, rig.rows.types, 1, 2, &arena, NULL), LEAT_OK);
    LT_LANES(&chunk.columns[0], lt_string)[0] = lt_string_view("x", 1);
    assert_int_equal(lt_vector_set_null(&chunk.columns[0], 1, &arena, NULL), LEAT_OK);
    chunk.count = 2;
    void *sink  = calloc(1, kind->state_bytes);
    assert_int_equal(kind->open(sink, &setup, &rig.rows.err), LEAT_OK);
    assert_int_equal(kind->recover(sink, -1, -1, &rig.rows.err), LEAT_OK);
    for (int64_t batch_id = 0; batch_id < 2; batch_id++) {
        const char *part = batch_id == 0 ? first : second;
        assert_int_equal(kind->begin(sink, batch_id, false, NULL), LEAT_OK);
        assert_int_equal(kind->write(sink, &chunk, &rig.rows.err), LEAT_OK);
        assert_int_equal(kind->stage(sink, NULL), LEAT_OK);
        assert_false(exists(&rig, part));
        assert_int_equal(kind->publish(sink, &rig.rows.err), LEAT_OK);
        assert_int_equal(kind->publish(sink, NULL), LEAT_OK);
        read_text(&rig, part, text);
        assert_string_equal(text, "{\"k\":\"x\"}\n{\"k\":null}\n");
    }
    // Killed here, with batch 1 not committed and batch 2 in staging.
    assert_int_equal(kind->begin(sink, 2, false, NULL), LEAT_OK);
    assert_int_equal(kind->write(sink, &chunk, NULL), LEAT_OK);
    assert_int_equal(kind->stage(sink, NULL), LEAT_OK);
    put_bytes(&rig, "out/_leat/part-00000000000000000003-00-query-1.json.tmp", "torn", 4);
    kind->close(sink);
    memset(sink, 0, kind->state_bytes);
    assert_int_equal(kind->open(sink, &setup, NULL), LEAT_OK);
    assert_int_equal(kind->recover(sink, 0, 0, &rig.rows.err), LEAT_CORRUPT); // older checkpoint than output
    lt_error_reset(&rig.rows.err);
    put_bytes(&rig, "out/part-00000000000000000009-00-other.json", "other", 5);
    assert_int_equal(kind->recover(sink, 0, 3, &rig.rows.err), LEAT_OK);
    assert_true(exists(&rig, first));
    assert_false(exists(&rig, second));
    assert_false(exists(&rig, "out/_leat/part-00000000000000000003-00-query-1.json.tmp"));
    assert_true(exists(&rig, "out/part-00000000000000000009-00-other.json"));
    read_text(&rig, "out/_leat/manifest", text);
    assert_memory_equal(text, "part-00000000000000000000-00-query-1.json 21 ", 45);
    assert_null(strstr(text, "part-00000000000000000001"));
    kind->close(sink);
    free(sink);
    lt_arena_deinit(&arena);
    files_finish(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_oldest_first_and_each_once),
        cmocka_unit_test(test_equal_times_go_by_path),
        cmocka_unit_test(test_hidden_names),
        cmocka_unit_test(test_globs_and_name_filter),
        cmocka_unit_test(test_latest_first),
        cmocka_unit_test(test_max_file_age),
        cmocka_unit_test(test_bytes_limit_takes_one_always),
        cmocka_unit_test(test_available_now_takes_what_is_there),
        cmocka_unit_test(test_a_planned_batch_is_read_again),
        cmocka_unit_test(test_compressed_files),
        cmocka_unit_test(test_check_and_describe),
        cmocka_unit_test(test_infer),
        cmocka_unit_test(test_parts_appear_whole_and_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
