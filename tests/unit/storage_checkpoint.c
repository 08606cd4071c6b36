// Checkpoints: what was committed is there after every failure, and what is damaged or foreign is refused.
#include "storage/checkpoint/checkpoint.h"

#include "storage/checkpoint/inside.h"
#include "storage/fs_posix.h"
#include "tests/fault/fs_faulty.h"
#include "tests/fault/fs_power.h"
#include "tests/unit/temporary_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BIG_BYTES = 100000 };

// ---------------------------------------------------------------------------------------------------- a tiny query

typedef struct fixture {
    char                   folder[64];
    lt_account             account;
    lt_fs                  fs;
    lt_checkpoint_identity identity;
    lt_checkpoint_options  options;
} fixture;

static void fixture_init(fixture *self) {
    *self = (fixture){0};
    temporary_folder_create(self->folder);
    lt_account_init(&self->account, NULL, NULL, 0);
    lt_fs_init(&self->fs, NULL, self->folder);
    self->identity = (lt_checkpoint_identity){.query_name  = "totals",
                                              .fingerprint = "source orders file\naggregate sum(amount) by event\n",
                                              .settings    = "timeZone = UTC\n",
                                              .plan        = "SELECT 1"};
    self->options  = (lt_checkpoint_options){
         .fs = &self->fs, .account = &self->account, .path = "ck", .random_seed = 7, .sync = LT_CHECKPOINT_SYNC_FULL};
}

static void fixture_deinit(fixture *self) {
    temporary_folder_remove(self->folder);
    assert_int_equal(self->account.bytes, 0);
}

// The state of the tiny query is the list of the batches it has seen: a delta is one number and padding.
typedef struct replay {
    int64_t next_id;
    bool    is_wrong, had_snapshot;
} replay;

static leat_status replay_give(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
                               leat_error *err) {
    replay *self = user;
    (void)err;
    if (is_snapshot) {
        self->had_snapshot = true;
        self->next_id      = batch_id;
    }
    if (batch_id != self->next_id || count < sizeof batch_id || memcmp(bytes, &batch_id, sizeof batch_id) != 0)
        self->is_wrong = true;
    self->next_id = batch_id + 1;
    return LEAT_OK;
}

static void state_of(int64_t batch_id, size_t bytes, char *out_state) {
    memset(out_state, 'x', bytes);
    memcpy(out_state, &batch_id, sizeof batch_id);
}

// Every third state is too large for the log.
static size_t state_bytes_of(int64_t batch_id) { return batch_id % 3 == 1 ? BIG_BYTES : 40; }

static leat_status run_batch(lt_checkpoint *cp, int64_t batch_id, leat_error *err) {
    static char    state[BIG_BYTES];
    char           text[64];
    lt_seen_files *seen;
    if (lt_checkpoint_now(cp)->pending_offsets == NULL) {
        LT_TRY(lt_checkpoint_seen_files(cp, 0, &seen, err));
        snprintf(text, sizeof text, "in/%" PRId64 ".json", batch_id);
        LT_TRY(lt_seen_files_add(seen, text, 10, batch_id * 1000000, batch_id, err));
        snprintf(text, sizeof text, "{\"upTo\":%" PRId64 "}", batch_id);
        LT_TRY(lt_checkpoint_plan(cp, batch_id, text, strlen(text), err));
    }
    state_of(batch_id, state_bytes_of(batch_id), state);
    snprintf(text, sizeof text, "{\"rows\":%" PRId64 "}", batch_id * 2);
    LT_TRY(lt_checkpoint_commit(cp, batch_id, state, state_bytes_of(batch_id), text, strlen(text), err));
    return LEAT_OK;
}

static leat_status run_batches(fixture *self, int64_t batches, leat_error *err) {
    lt_checkpoint *cp;
    LT_TRY(lt_checkpoint_open(&self->options, &self->identity, &cp, err));
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && lt_checkpoint_now(cp)->last_batch_id + 1 < batches)
        status = run_batch(cp, lt_checkpoint_now(cp)->last_batch_id + 1, err);
    leat_status closed = lt_checkpoint_close(&cp, err);
    return status != LEAT_OK ? status : closed;
}

// Opens with the plain file system: everything up to `last_id` must be there, state and seen files too.
static void verify_content(fixture *self, int64_t last_id) {
    lt_checkpoint *cp;
    leat_error     err = {0};
    lt_seen_files *seen;
    char           text[64];
    leat_status    status = lt_checkpoint_open(&self->options, &self->identity, &cp, &err);
    if (status != LEAT_OK) fail_msg("does not open: %s", err.message);
    const lt_checkpoint_start *now = lt_checkpoint_now(cp);
    assert_int_equal(now->last_batch_id, last_id);
    if (last_id >= 0) {
        snprintf(text, sizeof text, "{\"rows\":%" PRId64 "}", last_id * 2);
        assert_string_equal(now->last_commit, text);
        snprintf(text, sizeof text, "{\"upTo\":%" PRId64 "}", last_id);
        assert_string_equal(now->last_offsets, text);
    }
    replay state = {0};
    status       = lt_checkpoint_load_state(cp, replay_give, &state, &err);
    if (status != LEAT_OK) fail_msg("state does not load: %s", err.message);
    assert_false(state.is_wrong);
    assert_int_equal(state.next_id, last_id + 1);
    assert_int_equal(lt_checkpoint_seen_files(cp, 0, &seen, &err), LEAT_OK);
    int64_t planned_id = last_id + (now->pending_offsets != NULL ? 1 : 0);
    assert_int_equal(seen->count, planned_id + 1);
    for (int64_t id = 0; id <= planned_id; id++) {
        snprintf(text, sizeof text, "in/%" PRId64 ".json", id);
        assert_true(lt_seen_files_contains(seen, text));
    }
    assert_int_equal(lt_checkpoint_close(&cp, &err), LEAT_OK);
    assert_null(cp);
}

static size_t file_read(const char *path, char *out_bytes, size_t capacity) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(out_bytes, 1, capacity, file);
    fclose(file);
    return count;
}

static void file_write(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void path_in(const fixture *self, const char *name, char out_path[256]) {
    snprintf(out_path, 256, "%s/ck/%s", self->folder, name);
}

static const char *first_segment = "log/00000000000000000000";

static leat_status open_status(fixture *self, leat_error *err) {
    lt_checkpoint *cp;
    leat_status    status = lt_checkpoint_open(&self->options, &self->identity, &cp, err);
    lt_checkpoint_close(&cp, NULL);
    return status;
}

// --------------------------------------------------------------------------------------------------------------- tests

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
static void test_every_truncation_of_the_log(void **state) {
    (void)state;
    fixture     self;
    leat_error  err = {0};
    char        path[256];
    static char bytes[16384];
    fixture_init(&self);
    // Batch 0 only, so that no file of a delta knows more than the log.
    assert_int_equal(run_batches(&self, 1, &err), LEAT_OK);
    path_in(&self, first_segment, path);
    size_t      count = file_read(path, bytes, sizeof bytes);
    const char *body  = memchr(bytes, '\n', count);
    assert_non_null(body);
    size_t header_bytes = (size_t)((const char *)memchr(body + 1, '\n', count - 100) - bytes) + 1;
    for (size_t kept = 0; kept < count; kept++) {
        file_write(path, bytes, kept);
        lt_error_reset(&err);
        leat_status status = open_status(&self, &err);
        // A segment is published with its first record, so that one is never a torn tail.
        assert_int_equal(status, kept < header_bytes ? LEAT_CORRUPT : LEAT_OK);
        if (status != LEAT_OK) continue;
        lt_error_reset(&err);
        assert_int_equal(run_batches(&self, 1, &err), LEAT_OK);
        verify_content(&self, 0);
    }
    fixture_deinit(&self);
}

static void test_log_cut_behind_a_snapshot_is_refused(void **state) {
    (void)state;
    fixture     self;
    leat_error  err = {0};
    char        path[256], snapshot[16];
    static char bytes[65536];
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 1, &err), LEAT_OK);
    lt_checkpoint *cp;
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    state_of(0, sizeof snapshot, snapshot);
    assert_int_equal(lt_checkpoint_snapshot(cp, 0, snapshot, sizeof snapshot, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    path_in(&self, first_segment, path);
    size_t count = file_read(path, bytes, sizeof bytes);
    file_write(path, bytes, count - 1);
    assert_int_equal(open_status(&self, &err), LEAT_CORRUPT);
    assert_non_null(strstr(err.message, "damaged"));
    file_write(path, bytes, count);
    verify_content(&self, 0);
    fixture_deinit(&self);
}

// A flipped bit is refused when a whole record follows; in the last record it looks like a torn write and costs a
// repeat.
static void test_bit_flips_of_the_log(void **state) {
    (void)state;
    fixture     self;
    leat_error  err = {0};
    char        path[256];
    static char bytes[16384];
    fixture_init(&self);
    self.options.sync = LT_CHECKPOINT_SYNC_OFF;
    assert_int_equal(run_batches(&self, 1, &err), LEAT_OK);
    path_in(&self, first_segment, path);
    size_t count = file_read(path, bytes, sizeof bytes);
    size_t last  = count; // where the last record begins
    for (size_t i = 0; i + 5 < count; i++)
        if (memcmp(bytes + i, "leat ", 5) == 0) last = i;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (char)(bytes[i] ^ (1 << (i % 8)));
        file_write(path, bytes, count);
        lt_error_reset(&err);
        leat_status status = open_status(&self, &err);
        if (i < last && status != LEAT_CORRUPT && status != LEAT_VERSION)
            fail_msg("byte %zu: status %d %s", i, (int)status, err.message);
        if (i >= last) assert_int_equal(status, LEAT_OK);
        bytes[i] = (char)(bytes[i] ^ (1 << (i % 8)));
    }
    fixture_deinit(&self);
}

static void test_damaged_delta_is_refused(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    char           path[256];
    static char    bytes[BIG_BYTES + 1000];
    lt_checkpoint *cp;
    replay         found = {0};
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 3, &err), LEAT_OK);
    path_in(&self, "state/00000000000000000001.delta", path);
    size_t count = file_read(path, bytes, sizeof bytes);
    bytes[count / 2] ^= 4;
    file_write(path, bytes, count);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_load_state(cp, replay_give, &found, &err), LEAT_CORRUPT);
    lt_checkpoint_close(&cp, NULL);
    assert_int_equal(remove(path), 0);
    lt_error_reset(&err);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    found = (replay){0};
    assert_int_not_equal(lt_checkpoint_load_state(cp, replay_give, &found, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    fixture_deinit(&self);
}

static void snapshot_now(fixture *self, int64_t batch_id) {
    lt_checkpoint *cp;
    leat_error     err = {0};
    char           bytes[32];
    assert_int_equal(run_batches(self, batch_id + 1, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_open(&self->options, &self->identity, &cp, &err), LEAT_OK);
    state_of(batch_id, sizeof bytes, bytes);
    assert_int_equal(lt_checkpoint_snapshot(cp, batch_id, bytes, sizeof bytes, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_gc_failures(cp), 0);
    lt_checkpoint_close(&cp, NULL);
}

static void test_damaged_snapshots_fall_back(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    char           newer[256], older[256];
    lt_checkpoint *cp;
    fixture_init(&self);
    snapshot_now(&self, 2);
    snapshot_now(&self, 4);
    assert_int_equal(run_batches(&self, 7, &err), LEAT_OK);
    verify_content(&self, 6);
    path_in(&self, "state/00000000000000000004.snapshot", newer);
    path_in(&self, "state/00000000000000000002.snapshot", older);
    static char bytes[4096];
    size_t      count = file_read(newer, bytes, sizeof bytes);
    for (size_t i = 0; i < count; i += 7) {
        bytes[i] ^= 1;
        file_write(newer, bytes, count);
        leat_status status = lt_checkpoint_open(&self.options, &self.identity, &cp, &err);
        if (status == LEAT_VERSION) {
            lt_error_reset(&err);
        } else {
            assert_int_equal(status, LEAT_OK);
            replay found = {0};
            assert_int_equal(lt_checkpoint_load_state(cp, replay_give, &found, &err), LEAT_OK);
            assert_false(found.is_wrong);
            assert_int_equal(found.next_id, 7);
            lt_checkpoint_close(&cp, NULL);
        }
        bytes[i] ^= 1;
    }
    // A snapshot of another batch under this name is whole and still not taken.
    count = file_read(older, bytes, sizeof bytes);
    file_write(newer, bytes, count);
    verify_content(&self, 6);
    // Both gone: all deltas are still there, because nothing older than the second snapshot was ever removed before
    // batch 10.
    remove(newer);
    remove(older);
    verify_content(&self, 6);
    fixture_deinit(&self);
}

// What is given of a snapshot: its batch, and all bytes behind the first piece.
typedef struct pieces {
    int64_t snapshot_id, deltas;
    size_t  bytes;
    bool    is_wrong;
} pieces;

static leat_status pieces_give(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
                               leat_error *err) {
    pieces *self = user;
    (void)err;
    if (!is_snapshot) {
        self->deltas++;
        return LEAT_OK;
    }
    self->snapshot_id = batch_id;
    self->bytes       = count;
    for (size_t i = 0; i < count; i++) self->is_wrong |= ((const char *)bytes)[i] != (char)(i % 251);
    return LEAT_OK;
}

// Snapshot of batch 1 in pieces of odd sizes, the last of them behind batch 4.
static void snapshot_in_pieces(fixture *self, const size_t *sizes, size_t count) {
    lt_checkpoint *cp;
    leat_error     err = {0};
    static char    bytes[300 * 1024];
    size_t         used = 0;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i % 251);
    assert_int_equal(run_batches(self, 2, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_open(&self->options, &self->identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_snapshot_begin(cp, &err), LEAT_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(lt_checkpoint_snapshot_append(cp, bytes + used, sizes[i], &err), LEAT_OK);
        used += sizes[i];
        if (i < 3) assert_int_equal(run_batch(cp, 2 + (int64_t)i, &err), LEAT_OK);
    }
    assert_false(lt_checkpoint_wants_snapshot(cp));
    assert_int_equal(lt_checkpoint_snapshot_end(cp, &err), LEAT_OK);
    assert_false(lt_checkpoint_has_snapshot_begun(cp));
    lt_checkpoint_close(&cp, NULL);
}

static pieces load_pieces(fixture *self) {
    lt_checkpoint *cp;
    leat_error     err   = {0};
    pieces         found = {.snapshot_id = -1};
    assert_int_equal(lt_checkpoint_open(&self->options, &self->identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_load_state(cp, pieces_give, &found, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    assert_false(found.is_wrong);
    return found;
}

static void test_snapshot_in_pieces(void **state) {
    static const size_t sizes[][6] = {
        {10, 65535, 1, 0, 65536, 7}, {65536, 65536, 65536, 1, 0, 0}, {0, 0, 0, 0, 0, 0}, {200000, 3, 60000, 1, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fixture self;
        size_t  bytes = 0;
        fixture_init(&self);
        snapshot_in_pieces(&self, sizes[i], 6);
        for (size_t k = 0; k < 6; k++) bytes += sizes[i][k];
        pieces found = load_pieces(&self);
        assert_int_equal(found.snapshot_id, 1);
        assert_int_equal(found.bytes, bytes);
        assert_int_equal(found.deltas, 3);
        fixture_deinit(&self);
    }
}

static void test_damaged_pieces_are_passed_over(void **state) {
    static const size_t sizes[] = {10, 65535, 1, 300};
    (void)state;
    fixture     self;
    char        path[256];
    static char bytes[128 * 1024];
    fixture_init(&self);
    snapshot_in_pieces(&self, sizes, 4);
    path_in(&self, "state/00000000000000000001.snapshot", path);
    size_t count = file_read(path, bytes, sizeof bytes);
    for (size_t i = 12; i < count; i += i < 300 || i > count - 400 ? 5 : 9973) { // the version is another story
        if (i >= 12 && i < 17) continue;
        bytes[i] ^= 1;
        file_write(path, bytes, count);
        assert_int_equal(load_pieces(&self).snapshot_id, -1);
        assert_int_equal(load_pieces(&self).deltas, 5);
        bytes[i] ^= 1;
    }
    for (size_t i = 0; i < count; i += 7919) { // torn
        file_write(path, bytes, i);
        assert_int_equal(load_pieces(&self).snapshot_id, -1);
    }
    memmove(bytes + 200, bytes + 300, count - 300); // 100 bytes are missing
    file_write(path, bytes, count - 100);
    assert_int_equal(load_pieces(&self).snapshot_id, -1);
    fixture_deinit(&self);
}

// The pieces show batch 4, so a log that ends before its commit is not a torn one.
static void test_log_cut_inside_of_a_snapshot_is_refused(void **state) {
    static const size_t sizes[] = {10, 20, 30, 40};
    (void)state;
    fixture     self;
    leat_error  err = {0};
    char        path[256];
    static char bytes[512 * 1024];
    fixture_init(&self);
    snapshot_in_pieces(&self, sizes, 4);
    path_in(&self, first_segment, path);
    size_t count = file_read(path, bytes, sizeof bytes);
    file_write(path, bytes, count - 1);
    assert_int_equal(open_status(&self, &err), LEAT_CORRUPT);
    file_write(path, bytes, count);
    assert_int_equal(load_pieces(&self).snapshot_id, 1);
    fixture_deinit(&self);
}

// Snapshots of version 1 were written at once, behind the commit of their own batch.
static void test_snapshot_of_version_1_is_read(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    char           bytes[100];
    lt_checkpoint *cp;
    fixture_init(&self);
    assert_int_equal(run_batches(&self, 3, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    lt_sealed_header header = {.kind            = "snapshot",
                               .batch_id        = 1,
                               .anchor_sequence = cp->entries[1].sequence,
                               .anchor_hash     = cp->entries[1].hash};
    memcpy(header.query_id, lt_checkpoint_now(cp)->query_id, sizeof header.query_id);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i % 251);
    assert_int_equal(lt_sealed_file_write(&self.fs, "ck/tmp", "ck/state/00000000000000000001.snapshot", &header, bytes,
                                          sizeof bytes, &err),
                     LEAT_OK);
    lt_checkpoint_close(&cp, NULL);
    pieces found = load_pieces(&self);
    assert_int_equal(found.snapshot_id, 1);
    assert_int_equal(found.bytes, sizeof bytes);
    assert_int_equal(found.deltas, 1);
    fixture_deinit(&self);
}

// Out of order, given up, or left behind: nothing of it is ever seen.
static void test_pieces_out_of_order(void **state) {
    (void)state;
    fixture        self;
    leat_error     err = {0};
    lt_checkpoint *cp;
    fixture_init(&self);
    assert_int_equal(lt_checkpoint_open(&self.options, &self.identity, &cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_snapshot_begin(cp, &err), LEAT_MISUSE); // nothing is committed
    assert_int_equal(lt_checkpoint_snapshot_append(cp, "", 0, &err), LEAT_MISUSE);
    assert_int_equal(lt_checkpoint_snapshot_end(cp, &err), LEAT_MISUSE);
    assert_int_equal(run_batch(cp, 0, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_snapshot_begin(cp, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_plan(cp, 1, "{}", 2, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_snapshot_append(cp, "x", 1, &err), LEAT_MISUSE); // a batch is under way
    assert_int_equal(lt_checkpoint_snapshot_end(cp, &err), LEAT_MISUSE);
    assert_int_equal(lt_checkpoint_commit(cp, 1, "y", 1, "{}", 2, &err), LEAT_OK);
    assert_int_equal(lt_checkpoint_snapshot_append(cp, "x", 1, &err), LEAT_OK);
    lt_checkpoint_snapshot_abandon(cp);
    assert_false(lt_checkpoint_has_snapshot_begun(cp));
    assert_int_equal(lt_checkpoint_snapshot_begin(cp, &err), LEAT_OK);
    lt_checkpoint_close(&cp, NULL); // gives it up
    assert_int_equal(load_pieces(&self).snapshot_id, -1);
    fixture_deinit(&self);
}

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

enum { FAULT_BATCHES = 3 };
static const char piece[100 * 1024]; // more than a block

// Runs three batches with a snapshot over the faulty file system. Gives the last batch that was acknowledged.
static int64_t run_scenario(fixture *self, leat_status *out_status) {
    lt_checkpoint *cp;
    leat_error     err          = {0};
    int64_t        acknowledged = -1;
    char           bytes[32];
    *out_status = lt_checkpoint_open(&self->options, &self->identity, &cp, &err);
    if (*out_status != LEAT_OK) return -1;
    while (lt_checkpoint_now(cp)->last_batch_id + 1 < FAULT_BATCHES) {
        int64_t batch_id = lt_checkpoint_now(cp)->last_batch_id + 1;
        *out_status      = run_batch(cp, batch_id, &err);
        if (*out_status != LEAT_OK) break;
        acknowledged = batch_id;
        state_of(batch_id, sizeof bytes, bytes);
        // A snapshot of batch 0 in pieces; one that fails fails no batch.
        if (batch_id == 0 && lt_checkpoint_snapshot_begin(cp, NULL) == LEAT_OK)
            (void)lt_checkpoint_snapshot_append(cp, bytes, sizeof bytes, NULL);
        if (batch_id == 1 && lt_checkpoint_has_snapshot_begun(cp) &&
            lt_checkpoint_snapshot_append(cp, piece, sizeof piece, NULL) == LEAT_OK)
            (void)lt_checkpoint_snapshot_end(cp, NULL);
    }
    lt_checkpoint_close(&cp, NULL);
    return acknowledged;
}

static void verify_recovers(fixture *self, int64_t acknowledged, uint64_t n, lt_fault_mode mode) {
    leat_error     err = {0};
    lt_checkpoint *cp;
    leat_status    status = lt_checkpoint_open(&self->options, &self->identity, &cp, &err);
    if (status != LEAT_OK) fail_msg("operation %d, mode %d: %s", (int)n, (int)mode, err.message);
    int64_t found = lt_checkpoint_now(cp)->last_batch_id;
    // The one batch that failed may be there all the same, if only its acknowledgement was lost.
    if (found < acknowledged || found > acknowledged + 1)
        fail_msg("operation %d, mode %d: batch %d after %d", (int)n, (int)mode, (int)found, (int)acknowledged);
    lt_checkpoint_close(&cp, NULL);
    verify_content(self, found);
    status = run_batches(self, FAULT_BATCHES, &err);
    if (status != LEAT_OK) fail_msg("operation %d, mode %d: goes not on: %s", (int)n, (int)mode, err.message);
    verify_content(self, FAULT_BATCHES - 1);
}

static void each_operation_fails(lt_fault_mode mode, bool is_short, int code) {
    for (uint64_t n = 1;; n++) {
        fixture      self;
        lt_fs_faulty faulty;
        lt_fs        plain;
        leat_status  status;
        fixture_init(&self);
        lt_fs_faulty_init(&faulty, &lt_fs_posix);
        faulty.fail_at  = n;
        faulty.mode     = mode;
        faulty.is_short = is_short;
        faulty.code     = code;
        plain           = self.fs;
        lt_fs_init(&self.fs, &faulty.system, self.folder);
        int64_t acknowledged = run_scenario(&self, &status);
        self.fs              = plain;
        bool is_past         = !faulty.has_failed;
        if (is_past) assert_int_equal(status, LEAT_OK);
        verify_recovers(&self, acknowledged, n, mode);
        fixture_deinit(&self);
        if (is_past) break;
        assert_true(n < 2000);
    }
}

static void test_each_operation_fails_once(void **state) {
    (void)state;
    each_operation_fails(LT_FAULT_ONCE, false, EIO);
}

static void test_each_operation_fails_for_ever(void **state) {
    (void)state;
    each_operation_fails(LT_FAULT_FOREVER, true, ENOSPC);
}

static void test_each_write_is_torn(void **state) {
    (void)state;
    each_operation_fails(LT_FAULT_TEAR, false, ENOSPC);
}

static void test_crash_at_each_operation(void **state) {
    (void)state;
    each_operation_fails(LT_FAULT_CRASH, false, EIO);
}

// The restart crashes too, at each of its operations, after a crash at some of the first run's.
static void test_crash_inside_recovery(void **state) {
    (void)state;
    for (uint64_t first = 20; first < 140; first += 17) {
        for (uint64_t n = 1;; n++) {
            fixture      self;
            lt_fs_faulty faulty;
            lt_fs        plain;
            leat_status  status;
            fixture_init(&self);
            plain = self.fs;
            lt_fs_faulty_init(&faulty, &lt_fs_posix);
            faulty.fail_at = first;
            faulty.mode    = LT_FAULT_CRASH;
            lt_fs_init(&self.fs, &faulty.system, self.folder);
            int64_t acknowledged = run_scenario(&self, &status);
            lt_fs_faulty_init(&faulty, &lt_fs_posix);
            faulty.fail_at = n;
            faulty.mode    = LT_FAULT_CRASH;
            lt_fs_init(&self.fs, &faulty.system, self.folder);
            int64_t later      = run_scenario(&self, &status);
            self.fs            = plain;
            leat_error     err = {0};
            lt_checkpoint *cp;
            status = lt_checkpoint_open(&self.options, &self.identity, &cp, &err);
            if (status != LEAT_OK) fail_msg("operations %d, %d: %s", (int)first, (int)n, err.message);
            assert_true(lt_checkpoint_now(cp)->last_batch_id >= (later > acknowledged ? later : acknowledged));
            lt_checkpoint_close(&cp, NULL);
            assert_int_equal(run_batches(&self, FAULT_BATCHES, &err), LEAT_OK);
            verify_content(&self, FAULT_BATCHES - 1);
            fixture_deinit(&self);
            if (!faulty.has_failed) break;
        }
    }
}

// The power goes at each operation, and of what was not synced anything may be there: kept, dropped, torn or garbage.
// What was acknowledged is there, and the query goes on; then the power goes a second time, inside the next run.
static void test_power_cut_at_each_operation(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        for (uint64_t n = 1;; n++) {
            fixture      self;
            lt_fs_faulty faulty;
            lt_fs_power  power;
            lt_fs        plain;
            leat_status  status;
            int64_t      acknowledged = -1;
            bool         is_past      = false;
            fixture_init(&self);
            lt_fs_power_init(&power);
            lt_fs_init(&plain, &power.system, NULL);
            for (int run = 0; run < 2; run++) {
                lt_fs_faulty_init(&faulty, &power.system);
                faulty.fail_at = run == 0 ? n : n % 37 + 1;
                faulty.mode    = LT_FAULT_CRASH;
                lt_fs_init(&self.fs, &faulty.system, NULL);
                int64_t found = run_scenario(&self, &status);
                if (found > acknowledged) acknowledged = found;
                if (run == 0) is_past = !faulty.has_failed;
                lt_fs_power_cut(&power, seed * 1000 + n);
            }
            self.fs = plain;
            verify_recovers(&self, acknowledged, n + seed * 100000, LT_FAULT_CRASH);
            lt_fs_power_deinit(&power);
            fixture_deinit(&self);
            if (is_past) break;
        }
    }
}

// ----------------------------------------------------------------------------------------------------- each allocation

typedef struct failing_allocator {
    uint64_t count, fail_at;
} failing_allocator;

static void *failing_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    failing_allocator *self = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(memory);
        return NULL;
    }
    if (++self->count == self->fail_at) return NULL;
    return realloc(memory, new_bytes);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        fixture           self;
        leat_status       status;
        failing_allocator failing   = {.fail_at = n};
        leat_allocator    allocator = {.reallocate = failing_reallocate, .user = &failing};
        fixture_init(&self);
        lt_account_init(&self.account, &allocator, NULL, 0);
        int64_t acknowledged = run_scenario(&self, &status);
        assert_int_equal(self.account.bytes, 0);
        bool is_past    = failing.count < n;
        failing.fail_at = 0;
        if (is_past) assert_int_equal(status, LEAT_OK);
        verify_recovers(&self, acknowledged, n, LT_FAULT_ONCE);
        fixture_deinit(&self);
        if (is_past) break;
        assert_true(n < 2000);
    }
}

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
        cmocka_unit_test(test_every_truncation_of_the_log),
        cmocka_unit_test(test_log_cut_behind_a_snapshot_is_refused),
        cmocka_unit_test(test_bit_flips_of_the_log),
        cmocka_unit_test(test_damaged_delta_is_refused),
        cmocka_unit_test(test_damaged_snapshots_fall_back),
        cmocka_unit_test(test_snapshot_in_pieces),
        cmocka_unit_test(test_damaged_pieces_are_passed_over),
        cmocka_unit_test(test_log_cut_inside_of_a_snapshot_is_refused),
        cmocka_unit_test(test_snapshot_of_version_1_is_read),
        cmocka_unit_test(test_pieces_out_of_order),
        cmocka_unit_test(test_snapshots_keep_the_folder_small),
        cmocka_unit_test(test_log_stays_flat),
        cmocka_unit_test(test_memory_stays_flat_within_a_segment),
        cmocka_unit_test(test_foreign_and_incomplete_folders_are_refused),
        cmocka_unit_test(test_changed_query_is_refused_or_judged),
        cmocka_unit_test(test_second_opener_is_busy),
        cmocka_unit_test(test_grouped_commits_are_durable_with_the_next_plan),
        cmocka_unit_test(test_receipts_of_a_sink_are_compared),
        cmocka_unit_test(test_each_operation_fails_once),
        cmocka_unit_test(test_each_operation_fails_for_ever),
        cmocka_unit_test(test_each_write_is_torn),
        cmocka_unit_test(test_crash_at_each_operation),
        cmocka_unit_test(test_crash_inside_recovery),
        cmocka_unit_test(test_power_cut_at_each_operation),
        cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_describe_lists_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
