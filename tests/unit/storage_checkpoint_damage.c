// Checkpoints: what is damaged, cut or out of order is refused or passed over, and told apart from a torn tail.
#include "tests/unit/checkpoint_fixture.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
