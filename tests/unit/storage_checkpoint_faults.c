// Checkpoints: what was committed is there after every failure of a file operation, a crash, a power cut, an allocation.
#include "tests/fault/fs_faulty.h"
#include "tests/fault/fs_power.h"
#include "tests/unit/checkpoint_fixture.h"

#include <errno.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_operation_fails_once), cmocka_unit_test(test_each_operation_fails_for_ever),
        cmocka_unit_test(test_each_write_is_torn),        cmocka_unit_test(test_crash_at_each_operation),
        cmocka_unit_test(test_crash_inside_recovery),     cmocka_unit_test(test_power_cut_at_each_operation),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
