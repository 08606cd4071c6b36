// A query from files to files whose file system fails at operation n, for every n: after a restart each row is in the
// output exactly once. The log of batches is kept by the test, so that only the connectors are at risk.
#include "storage/connector.h"
#include "storage/fs_posix.h"
#include "tests/fault/fs_faulty.h"
#include "tests/unit/decode_rig.h"
#include "tests/unit/temporary_folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include <cmocka.h>

extern const lt_connector lt_connectors_files;
extern const lt_format    lt_formats_json;

typedef struct pipe_rig {
    decode_rig       rig;
    char             folder[64];
    lt_seen_files    seen; // what a checkpoint would remember
    int64_t          planned, committed;
    char             planned_end[64], committed_end[64];
    lt_fs_faulty     faulty;
    lt_fs            fs;
    lt_option_value  in_path[2], out_path[1];
    lt_option_values in_options, out_options;
    lt_source_setup  from;
    lt_sink_setup    into;
    void            *sink;
} pipe_rig;

static leat_status give_to_sink(void *user, const lt_chunk *chunk, leat_error *err) {
    pipe_rig *self = user;
    return lt_connectors_files.sink->write(self->sink, chunk, err);
}

static void write_file(const pipe_rig *self, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", self->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void pipe_init(pipe_rig *self) {
    char path[128];
    *self = (pipe_rig){.planned = -1, .committed = -1};
    rig_init(&self->rig);
    rig_column(&self->rig, "k", lt_type_of(LT_INT));
    self->rig.target.give = give_to_sink;
    self->rig.target.user = self;
    temporary_folder_create(self->folder);
    snprintf(path, sizeof path, "%s/in", self->folder);
    mkdir(path, 0700);
    write_file(self, "in/a", "{\"k\":1}\n{\"k\":2}\n");
    write_file(self, "in/b", "{\"k\":3}\n");
    lt_seen_files_init(&self->seen, &self->rig.account, 3);
    self->in_path[0]  = (lt_option_value){.name = "path", .value = "in"};
    self->in_path[1]  = (lt_option_value){.name = "maxFilesPerTrigger", .value = "1"};
    self->out_path[0] = (lt_option_value){.name = "path", .value = "out"};
    self->in_options  = (lt_option_values){self->in_path, 2};
    self->out_options = (lt_option_values){self->out_path, 1};
}

static leat_status run_batch(pipe_rig *self, void *source, bool is_replay, bool *out_has_input, leat_error *err) {
    const lt_source_kind *from = lt_connectors_files.source;
    const lt_sink_kind   *into = lt_connectors_files.sink;
    const int64_t         id   = self->committed + 1;
    lt_source_range       range;
    LT_TRY(from->plan(source, id, is_replay ? self->planned_end : NULL, &range, err));
    *out_has_input = range.has_input;
    if (!range.has_input) return LEAT_OK;
    self->planned = id;
    snprintf(self->planned_end, sizeof self->planned_end, "%s", range.end);
    LT_TRY(into->begin(self->sink, id, is_replay, err));
    LT_TRY(from->read(source, &range, err));
    LT_TRY(into->stage(self->sink, err));
    LT_TRY(into->publish(self->sink, err));
    self->committed = id;
    snprintf(self->committed_end, sizeof self->committed_end, "%s", range.end);
    from->commit(source, id);
    return LEAT_OK;
}

static leat_status run(pipe_rig *self, void *source, leat_error *err) {
    self->from = (lt_source_setup){.options     = &self->in_options,
                                   .format      = &lt_formats_json,
                                   .target      = &self->rig.target,
                                   .fs          = &self->fs,
                                   .stream_name = "s",
                                   .seen_files  = &self->seen};
    self->into = (lt_sink_setup){.options      = &self->out_options,
                                 .format       = &lt_formats_json,
                                 .types        = self->rig.types,
                                 .names        = self->rig.names,
                                 .column_count = 1,
                                 .mode         = LT_SINK_APPEND,
                                 .fs           = &self->fs,
                                 .account      = &self->rig.account,
                                 .evaluation   = &self->rig.evaluation,
                                 .query_id     = "q"};
    LT_TRY(lt_connectors_files.source->open(source, &self->from, err));
    LT_TRY(lt_connectors_files.sink->open(self->sink, &self->into, err));
    LT_TRY(lt_connectors_files.sink->recover(self->sink, self->committed, self->planned, err));
    LT_TRY(lt_connectors_files.source->resume(source, self->committed, self->committed < 0 ? NULL : self->committed_end,
                                              err));
    bool has_input = true;
    if (self->planned > self->committed) LT_TRY(run_batch(self, source, true, &has_input, err));
    for (has_input = true; has_input;) LT_TRY(run_batch(self, source, false, &has_input, err));
    return LEAT_OK;
}

// One life of the query. fail_at 0: nothing fails.
static leat_status live(pipe_rig *self, uint64_t fail_at, lt_fault_mode mode) {
    void *source = calloc(1, lt_connectors_files.source->state_bytes);
    self->sink   = calloc(1, lt_connectors_files.sink->state_bytes);
    lt_fs_faulty_init(&self->faulty, &lt_fs_posix);
    self->faulty.fail_at = fail_at;
    self->faulty.mode    = mode;
    lt_fs_init(&self->fs, &self->faulty.system, self->folder);
    lt_error_reset(&self->rig.err);
    const leat_status status = run(self, source, &self->rig.err);
    lt_connectors_files.source->close(source);
    lt_connectors_files.sink->close(self->sink);
    free(source);
    free(self->sink);
    return status;
}

static int is_part(const struct dirent *entry) { return strncmp(entry->d_name, "part-", 5) == 0; }

static void expect_output(const pipe_rig *self) {
    char            path[512], text[256];
    size_t          bytes = 0;
    struct dirent **parts;
    snprintf(path, sizeof path, "%s/out", self->folder);
    const int count = scandir(path, &parts, is_part, alphasort);
    assert_int_equal(count, 2);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/out/%s", self->folder, parts[i]->d_name);
        FILE *file = fopen(path, "rb");
        bytes += fread(text + bytes, 1, sizeof text - 1 - bytes, file);
        fclose(file);
        free(parts[i]);
    }
    free(parts);
    text[bytes] = '\0';
    assert_string_equal(text, "{\"k\":1}\n{\"k\":2}\n{\"k\":3}\n");
}

static void every_operation_fails(lt_fault_mode mode) {
    bool is_reached = true;
    for (uint64_t n = 1; is_reached; n++) {
        pipe_rig self;
        pipe_init(&self);
        const leat_status status = live(&self, n, mode);
        is_reached               = self.faulty.operation_count >= n;
        if (!is_reached) assert_int_equal(status, LEAT_OK);
        assert_int_equal(live(&self, 0, mode), LEAT_OK);
        expect_output(&self);
        temporary_folder_remove(self.folder);
        lt_seen_files_deinit(&self.seen);
        rig_deinit(&self.rig);
        assert_int_equal(self.rig.account.bytes, 0);
        assert_true(n < 500);
    }
}

static void test_an_operation_fails(void **state) {
    (void)state;
    every_operation_fails(LT_FAULT_ONCE);
}

static void test_a_write_is_torn(void **state) {
    (void)state;
    every_operation_fails(LT_FAULT_TEAR);
}

static void test_the_process_dies(void **state) {
    (void)state;
    every_operation_fails(LT_FAULT_CRASH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_operation_fails),
        cmocka_unit_test(test_a_write_is_torn),
        cmocka_unit_test(test_the_process_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
