// Checkpoints: what was committed is there at the next start; folders of others and changed queries are refused.
#include "tests/unit/checkpoint_fixture.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void test_starts_empty_and_resumes(void **state) {
    (void)state;
    fixture        self;
    lt_checkpoint *cp;
    leat_error     err = {0};
    char           id[64];
    fixture_init(&self);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_true(lt_checkpoint_now(cp)->is_new);
    assert_int_equal(lt_checkpoint_now(cp)->last_batch_id, -1);
    assert_null(lt_checkpoint_now(cp)->pending_offsets);
    assert_int_equal(strlen(lt_checkpoint_now(cp)->query_id), 36);
    snprintf(id, sizeof id, "%s", lt_checkpoint_now(cp)->query_id);
    for (int64_t batch_id = 0; batch_id < 4; batch_id++) assert_int_equal(run_batch(cp, batch_id, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_durable_batch_id(cp), 3);
    assert_int_equal(lt_checkpoint_close(&cp, &err), LEAT_OK);
    verify_content(&self, 3);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_string_equal(lt_checkpoint_now(cp)->query_id, id);
    assert_string_equal(lt_checkpoint_now(cp)->stored_plan, "SELECT 1");
    assert_false(lt_checkpoint_now(cp)->is_new);
    lt_checkpoint_close(&cp, NULL);
    fixture_deinit(&self);
}

static void test_planned_batch_comes_back_with_its_offsets(void **state) {
    (void)state;
    fixture        self;
    lt_checkpoint *cp;
    leat_error     err = {0};
    lt_seen_files *seen;
    size_t         first;
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 2, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_seen_files(cp, 3, &seen, &err), LEAT_OK);
    assert_int_equal(lt_seen_files_add(seen, "in/a\nb.json", 5, -1, 2, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_plan(cp, 2, "{\"x\":1}", 7, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_plan(cp, 3, "{}", 2, NULL), LEAT_MISUSE);
    assert_int_equal(lt_checkpoint_commit(cp, 3, NULL, 0, "{}", 2, NULL), LEAT_MISUSE);
    lt_checkpoint_close(&cp, NULL);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_string_equal(lt_checkpoint_now(cp)->pending_offsets, "{\"x\":1}");
    assert_int_equal(lt_checkpoint_now(cp)->last_batch_id, 1);
    assert_int_equal(lt_checkpoint_seen_files(cp, 3, &seen, &err), LEAT_OK);
    assert_int_equal(lt_seen_files_of_batch(seen, 2, &first), 1);
    assert_string_equal(seen->files[first].path, "in/a\nb.json");
    assert_int_equal(seen->files[first].modified_us, -1);
    assert_int_equal(lt_checkpoint_commit(cp, 2, NULL, 0, "{}", 2, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    fixture_deinit(&self);
}

// A write cut between the list of files and the offsets: the batch was not planned, so its files are as new as before.
static void test_files_of_a_cut_plan_do_not_count(void **state) {
    (void)state;
    fixture        self;
    lt_checkpoint *cp;
    leat_error     err = {0};
    lt_seen_files *seen;
    char           path[256], bytes[4096];
    fixture_init(&self);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_seen_files(cp, 0, &seen, &err), LEAT_OK);
    assert_int_equal(lt_seen_files_add(seen, "in/a", 1, 1, 0, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_plan(cp, 0, "{}", 2, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    path_in(&self, first_segment, path);
    size_t count  = file_read(path, bytes, sizeof bytes - 1);
    bytes[count]  = '\0';
    char *offsets = strstr(bytes, " offsets ");
    assert_non_null(offsets);
    file_write(path, bytes, (size_t)(offsets - bytes) - 25);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_now(cp)->repairs, 0);
    assert_true(lt_checkpoint_now(cp)->is_new);
    assert_int_equal(lt_checkpoint_seen_files(cp, 0, &seen, &err), LEAT_OK);
    assert_false(lt_seen_files_contains(seen, "in/a"));
    assert_int_equal(lt_seen_files_add(seen, "in/b", 1, 1, 0, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_plan(cp, 0, "{}", 2, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_seen_files(cp, 0, &seen, &err), LEAT_OK);
    assert_false(lt_seen_files_contains(seen, "in/a"));
    assert_true(lt_seen_files_contains(seen, "in/b"));
    lt_checkpoint_close(&cp, NULL);
    fixture_deinit(&self);
}

// A truncated log gives exactly the batches whose commit record is whole, or is refused because a state file proves
// more.
static leat_status count_entry(void *user, const char *name, uint32_t kind, leat_error *err) {
    (void)name, (void)kind, (void)err;
    ++*(size_t *)user;
    return LEAT_OK;
}

static void test_snapshots_keep_the_folder_small(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    lt_checkpoint *cp;
    char           bytes[32];
    size_t         count = 0;
    fixture_init(&self);
    self.options.sync = LT_CHECKPOINT_SYNC_OFF;
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    for (int64_t batch_id = 0; batch_id < 300; batch_id++) {
        assert_int_equal(run_batch(cp, batch_id, &err), LEAT_OK);
        if (!lt_checkpoint_wants_snapshot(cp)) continue;
        state_of(batch_id, sizeof bytes, bytes);
        assert_int_equal(lt_checkpoint_snapshot(cp, batch_id, bytes, sizeof bytes, &err), LEAT_OK);
        assert_false(lt_checkpoint_wants_snapshot(cp));
    }
    assert_int_equal(lt_checkpoint_gc_failures(cp), 0);
    lt_checkpoint_close(&cp, NULL);
    assert_int_equal(lt_fs_list(&self.fs, "ck/state", count_entry, &count, &err), LEAT_OK);
    assert_in_range(count, 2, 16);
    verify_content(&self, 299);
    fixture_deinit(&self);
}

// 10,000 batches make a segment; old ones go once bases of seen files and snapshots stand in for them.
static void test_log_stays_flat(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    lt_checkpoint *cp;
    size_t         count = 0;
    char           bytes[32];
    fixture_init(&self);
    self.options.sync = LT_CHECKPOINT_SYNC_OFF;
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    for (int64_t batch_id = 0; batch_id < 45000; batch_id++) {
        lt_seen_files *seen;
        char           path[64];
        assert_int_equal(lt_checkpoint_seen_files(cp, 0, &seen, &err), LEAT_OK);
        lt_seen_files_configure(seen, false, 1000 * 1000);
        snprintf(path, sizeof path, "in/%" PRId64, batch_id);
        assert_int_equal(lt_seen_files_add(seen, path, 1, batch_id * 1000, batch_id, &err), LEAT_OK);
        assert_int_equal(lt_checkpoint_plan(cp, batch_id, "1", 1, &err), LEAT_OK);
        memcpy(bytes, &batch_id, sizeof batch_id);
        assert_int_equal(lt_checkpoint_commit(cp, batch_id, bytes, batch_id % 100 == 7 ? 8 : 0, "2", 1, &err), LEAT_OK);
        if (!lt_checkpoint_wants_snapshot(cp)) continue;
        assert_int_equal(lt_checkpoint_snapshot(cp, batch_id, bytes, 8, &err), LEAT_OK);
    }
    assert_int_equal(lt_checkpoint_gc_failures(cp), 0);
    lt_checkpoint_close(&cp, NULL);
    assert_int_equal(lt_fs_list(&self.fs, "ck/log", count_entry, &count, &err), LEAT_OK);
    assert_in_range(count, 1, 3);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    lt_seen_files *seen;
    assert_int_equal(lt_checkpoint_seen_files(cp, 0, &seen, &err), LEAT_OK);
    lt_seen_files_configure(seen, false, 1000 * 1000);
    assert_int_equal(lt_checkpoint_now(cp)->last_batch_id, 44999);
    for (int64_t batch_id = 0; batch_id < 45000; batch_id++) {
        char path[64];
        snprintf(path, sizeof path, "in/%" PRId64, batch_id);
        if (lt_seen_files_is_new(seen, path, batch_id * 1000)) fail_msg("%s is new again", path);
    }
    assert_true(lt_seen_files_is_new(seen, "in/new", 45000 * 1000));
    lt_checkpoint_close(&cp, NULL);
    fixture_deinit(&self);
}

typedef struct last_state {
    int64_t batch_id, changed_id;
} last_state;

static leat_status last_state_give(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
                                   leat_error *err) {
    last_state *self = user;
    (void)is_snapshot, (void)err;
    assert_true(batch_id > self->batch_id && count >= sizeof self->changed_id);
    self->batch_id = batch_id;
    memcpy(&self->changed_id, bytes, sizeof self->changed_id);
    return LEAT_OK;
}

// A segment's commits stay in the log, but not in memory: with state every batch, now and then, and never.
static void test_memory_stays_flat_within_a_segment(void **state) {
    static const int64_t every[] = {1, 7, INT64_MAX};
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        fixture        self;
        leat_error     err = {0};
        lt_checkpoint *cp;
        size_t         warm_bytes = 0;
        int64_t        changed_id = -1;
        char           bytes[32]  = {0};
        fixture_init(&self);
        self.options.sync = LT_CHECKPOINT_SYNC_OFF;
        assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
        for (int64_t batch_id = 0; batch_id < 9000; batch_id++) {
            const bool is_changed = batch_id % every[e] == 0 && every[e] < INT64_MAX;
            if (is_changed) changed_id = batch_id;
            memcpy(bytes, &changed_id, sizeof changed_id);
            assert_int_equal(lt_checkpoint_plan(cp, batch_id, "1", 1, &err), LEAT_OK);
            assert_int_equal(lt_checkpoint_commit(cp, batch_id, bytes, is_changed ? sizeof bytes : 0, "2", 1, &err),
                             LEAT_OK);
            if (lt_checkpoint_wants_snapshot(cp))
                assert_int_equal(lt_checkpoint_snapshot(cp, batch_id, bytes, sizeof bytes, &err), LEAT_OK);
            if (batch_id == 1500) warm_bytes = self.account.bytes;
        }
        assert_in_range(self.account.bytes, 1, warm_bytes + 1024);
        lt_checkpoint_close(&cp, NULL);
        assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
        last_state last = {.batch_id = -1};
        assert_int_equal(lt_checkpoint_load_state(cp, last_state_give, &last, &err), LEAT_OK);
        assert_int_equal(last.changed_id, changed_id < 0 ? 0 : changed_id);
        assert_true(last.batch_id <= 8999);
        lt_checkpoint_close(&cp, NULL);
        fixture_deinit(&self);
    }
}

static void test_foreign_and_incomplete_folders_are_refused(void **state) {
    (void)state;
    fixture    self;
    leat_error err = {0};
    char       path[256], bytes[4096];
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 2, &err), LEAT_OK);
    path_in(&self, "identity", path);
    size_t count = file_read(path, bytes, sizeof bytes);
    // identity gone
    assert_int_equal(remove(path), 0);
    assert_int_equal(open_status(&self, &err), LEAT_CORRUPT);
    assert_non_null(strstr(err.message, "identity is missing"));
    // identity damaged, byte by byte
    for (size_t i = 0; i < count; i++) {
        bytes[i] ^= 2;
        file_write(path, bytes, count);
        leat_status status = open_status(&self, NULL);
        assert_true(status == LEAT_CORRUPT || status == LEAT_VERSION || status == LEAT_CHANGED);
        bytes[i] ^= 2;
    }
    file_write(path, bytes, count);
    verify_content(&self, 1);
    // a newer version
    lt_error_reset(&err);
    memcpy(bytes, "leat-checkpoint 9", 17);
    file_write(path, bytes, count);
    assert_int_equal(open_status(&self, &err), LEAT_VERSION);
    memcpy(bytes, "leat-checkpoint 1", 17);
    file_write(path, bytes, count);
    // the log gone, state there
    char segment[256], moved[256];
    path_in(&self, first_segment, segment);
    snprintf(moved, sizeof moved, "%s/kept", self.folder);
    assert_int_equal(rename(segment, moved), 0);
    lt_error_reset(&err);
    assert_int_equal(open_status(&self, &err), LEAT_CORRUPT);
    assert_int_equal(rename(moved, segment), 0);
    verify_content(&self, 1);
    // a folder of something else
    char foreign[256];
    snprintf(foreign, sizeof foreign, "%s/data", self.folder);
    assert_int_equal(mkdir(foreign, 0700), 0);
    snprintf(foreign, sizeof foreign, "%s/data/a.json", self.folder);
    file_write(foreign, "{}\n", 3);
    self.options.path = "data";
    lt_error_reset(&err);
    assert_int_equal(open_status(&self, &err), LEAT_CORRUPT);
    assert_non_null(strstr(err.message, "a.json"));
    fixture_deinit(&self);
}

static lt_plan_verdict accept_all(void *user, const char *stored, const char *offered) {
    (void)stored, (void)offered;
    ++*(int *)user;
    return LT_PLAN_ACCEPTED;
}

static void test_changed_query_is_refused_or_judged(void **state) {
    (void)state;
    fixture    self;
    leat_error err   = {0};
    int        asked = 0;
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 2, &err), LEAT_OK);
    const char *original      = self.identity.fingerprint;
    self.identity.fingerprint = "source orders file\naggregate count(*) by event\n";
    assert_int_equal(open_status(&self, &err), LEAT_CHANGED);
    assert_non_null(strstr(err.message, "stored `aggregate sum(amount) by event`"));
    assert_non_null(strstr(err.message, "new `aggregate count(*) by event`"));
    assert_null(strstr(err.message, "source orders"));
    self.options.judge      = accept_all;
    self.options.judge_user = &asked;
    lt_error_reset(&err);
    assert_int_equal(open_status(&self, &err), LEAT_OK);
    assert_int_equal(open_status(&self, &err), LEAT_OK); // the second time it is the stored one
    assert_int_equal(asked, 1);
    verify_content(&self, 1);
    self.options.judge        = NULL;
    self.identity.fingerprint = original;
    assert_int_equal(open_status(&self, NULL), LEAT_CHANGED);
    fixture_deinit(&self);
}

static int64_t billionth_second(void *user) {
    (void)user;
    return INT64_C(1000000000999999);
}

static void test_second_opener_is_busy(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    lt_checkpoint *cp;
    char           link[256], target[256], pid[32];
    leat_clock     clock = {.now_us = billionth_second};
    fixture_init(&self);
    self.options.clock = &clock;
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(open_status(&self, &err), LEAT_BUSY);
    snprintf(pid, sizeof pid, "pid %d", (int)getpid());
    assert_non_null(strstr(err.message, pid));
    assert_non_null(strstr(err.message, "since 2001-09-09T01:46:40Z"));
    // by another path
    snprintf(link, sizeof link, "%s/link", self.folder);
    snprintf(target, sizeof target, "%s/ck", self.folder);
    assert_int_equal(symlink(target, link), 0);
    self.options.path = "link";
    assert_int_equal(open_status(&self, NULL), LEAT_BUSY);
    self.options.path = "ck";
    // a forked child writes nothing
    pid_t child = fork();
    if (child == 0) _exit(lt_checkpoint_plan(cp, 0, "{}", 2, NULL) == LEAT_MISUSE ? 0 : 1);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    // a replaced lock file ends the writer
    char lock[256];
    path_in(&self, "lock", lock);
    assert_int_equal(remove(lock), 0);
    file_write(lock, "x", 1);
    assert_int_equal(lt_checkpoint_plan(cp, 0, "{}", 2, NULL), LEAT_BUSY);
    lt_checkpoint_close(&cp, NULL);
    fixture_deinit(&self);
}

static void test_grouped_commits_are_durable_with_the_next_plan(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    lt_checkpoint *cp;
    fixture_init(&self);
    self.options.sync = LT_CHECKPOINT_SYNC_GROUP;
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(run_batch(cp, 0, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_durable_batch_id(cp), -1);
    assert_int_equal(run_batch(cp, 1, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_durable_batch_id(cp), 0);
    assert_int_equal(lt_checkpoint_flush(cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_durable_batch_id(cp), 1);
    lt_checkpoint_close(&cp, NULL);
    verify_content(&self, 1);
    fixture_deinit(&self);
}

static void test_receipts_of_a_sink_are_compared(void **state) {
    (void)state;
    fixture    self;
    leat_error err = {0};
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 2, &err), LEAT_OK);
    self.options.shown_batches = 2;
    assert_int_equal(open_status(&self, &err), LEAT_OK);
    self.options.shown_batches = 3;
    assert_int_equal(open_status(&self, &err), LEAT_CORRUPT);
    assert_non_null(strstr(err.message, "batch 2"));
    fixture_deinit(&self);
}

// ----------------------------------------------------------------------------------------------------- every operation
static leat_status describe_row(void *user, const lt_checkpoint_row *row, leat_error *err) {
    char *text = user;
    (void)err;
    snprintf(text + strlen(text), 1024 - strlen(text), "%s:%" PRId64 " ", row->kind, row->batch_id);
    return LEAT_OK;
}

static void test_describe_lists_the_records(void **state) {
    (void)state;
    fixture    self;
    leat_error err        = {0};
    char       text[1024] = "";
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 2, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_describe(&self.fs, "ck", &self.account, describe_row, text, &err), LEAT_OK);
    assert_string_equal(text, "segment:-1 files:0 offsets:0 state:0 commit:0 files:1 offsets:1 commit:1 ");
    fixture_deinit(&self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_empty_and_resumes),
        cmocka_unit_test(test_planned_batch_comes_back_with_its_offsets),
        cmocka_unit_test(test_files_of_a_cut_plan_do_not_count),
        cmocka_unit_test(test_snapshots_keep_the_folder_small),
        cmocka_unit_test(test_log_stays_flat),
        cmocka_unit_test(test_memory_stays_flat_within_a_segment),
        cmocka_unit_test(test_foreign_and_incomplete_folders_are_refused),
        cmocka_unit_test(test_changed_query_is_refused_or_judged),
        cmocka_unit_test(test_second_opener_is_busy),
        cmocka_unit_test(test_grouped_commits_are_durable_with_the_next_plan),
        cmocka_unit_test(test_receipts_of_a_sink_are_compared),
        cmocka_unit_test(test_describe_lists_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
