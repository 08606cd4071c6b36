// checkpoint_fixture: a tiny query with a checkpoint in a folder of its own, for the tests of checkpoints. Header only.
#ifndef LT_TESTS_UNIT_CHECKPOINT_FIXTURE_H
#define LT_TESTS_UNIT_CHECKPOINT_FIXTURE_H

#include "storage/checkpoint/checkpoint.h"

#include "storage/checkpoint/inside.h"
#include "storage/fs_posix.h"
#include "tests/unit/temporary_folder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BIG_BYTES = 100000 };

typedef struct fixture {
    char                   folder[64];
    lt_account             account;
    lt_fs                  fs;
    lt_checkpoint_identity identity;
    lt_checkpoint_options  options;
} fixture;

static inline void fixture_init(fixture *self) {
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

static inline void fixture_deinit(fixture *self) {
    temporary_folder_remove(self->folder);
    assert_int_equal(self->account.bytes, 0);
}

// The state of the tiny query is the list of the batches it has seen: a delta is one number and padding.
typedef struct replay {
    int64_t next_id;
    bool    is_wrong, had_snapshot;
} replay;

static inline leat_status replay_give(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
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

static inline void state_of(int64_t batch_id, size_t bytes, char *out_state) {
    memset(out_state, 'x', bytes);
    memcpy(out_state, &batch_id, sizeof batch_id);
}

// Every third state is too large for the log.
static inline size_t state_bytes_of(int64_t batch_id) { return batch_id % 3 == 1 ? BIG_BYTES : 40; }

static inline leat_status run_batch(lt_checkpoint *cp, int64_t batch_id, leat_error *err) {
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

static inline leat_status run_batches(fixture *self, int64_t batches, leat_error *err) {
    lt_checkpoint *cp;
    LT_TRY(lt_checkpoint_open(&self->options, &self->identity, &cp, err));
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && lt_checkpoint_now(cp)->last_batch_id + 1 < batches)
        status = run_batch(cp, lt_checkpoint_now(cp)->last_batch_id + 1, err);
    leat_status closed = lt_checkpoint_close(&cp, err);
    return status != LEAT_OK ? status : closed;
}

// Opens with the plain file system: everything up to `last_id` must be there, state and seen files too.
static inline void verify_content(fixture *self, int64_t last_id) {
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

static inline size_t file_read(const char *path, char *out_bytes, size_t capacity) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(out_bytes, 1, capacity, file);
    fclose(file);
    return count;
}

static inline void file_write(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static inline void path_in(const fixture *self, const char *name, char out_path[256]) {
    snprintf(out_path, 256, "%s/ck/%s", self->folder, name);
}

static const char first_segment[] = "log/00000000000000000000";

static inline leat_status open_status(fixture *self, leat_error *err) {
    lt_checkpoint *cp;
    leat_status    status = lt_checkpoint_open(&self->options, &self->identity, &cp, err);
    lt_checkpoint_close(&cp, NULL);
    return status;
}

#endif
