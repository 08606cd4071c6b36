// The file-system seam, the posix one, and the one way to a final name.
#include "storage/fs.h"

#include "base/clock.h"
#include "storage/fs_posix.h"
#include "storage/publish.h"
#include "tests/fault/fs_faulty.h"
#include "tests/unit/temporary_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char         folder[64];
    lt_fs_faulty faulty;
    lt_fs        fs;
} fixture;

static void fixture_init(fixture *self) {
    temporary_folder_create(self->folder);
    lt_fs_faulty_init(&self->faulty, &lt_fs_posix);
    lt_fs_init(&self->fs, &self->faulty.system, self->folder);
}

static void fixture_deinit(fixture *self) { temporary_folder_remove(self->folder); }

static void text_verify(fixture *self, const char *path, const char *wanted) {
    lt_file file;
    char    bytes[64] = {0};
    size_t  count     = 0;
    assert_int_equal(lt_file_open(&self->fs, path, LEAT_OPEN_READ, &file, NULL), LEAT_OK);
    assert_int_equal(lt_file_read(&file, 0, bytes, sizeof bytes - 1, &count, NULL), LEAT_OK);
    assert_int_equal(lt_file_close(&file, NULL), LEAT_OK);
    assert_string_equal(bytes, wanted);
}

static void test_short_transfers_are_completed(void **state) {
    (void)state;
    fixture self;
    lt_file file;
    char    bytes[16];
    size_t  count = 0;
    fixture_init(&self);
    self.faulty.is_short = true;
    assert_int_equal(lt_file_open(&self.fs, "a", LEAT_OPEN_READ | LEAT_OPEN_WRITE | LEAT_OPEN_CREATE, &file, NULL),
                     LEAT_OK);
    assert_int_equal(lt_file_write(&file, 0, "0123456789", 10, NULL), LEAT_OK);
    assert_int_equal(lt_file_write(&file, LEAT_OFFSET_NEXT, "abc", 3, NULL), LEAT_OK);
    assert_int_equal(lt_file_read(&file, 2, bytes, 16, &count, NULL), LEAT_OK);
    assert_int_equal(count, 11);
    assert_memory_equal(bytes, "23456789abc", 11);
    assert_int_equal(lt_file_read(&file, 20, bytes, 16, &count, NULL), LEAT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(lt_file_close(&file, NULL), LEAT_OK);
    assert_int_equal(lt_file_close(&file, NULL), LEAT_OK);
    fixture_deinit(&self);
}

static void test_errors_name_the_path(void **state) {
    (void)state;
    fixture        self;
    lt_file        file;
    leat_error     err = {0};
    leat_file_info info;
    fixture_init(&self);
    assert_int_equal(lt_file_open(&self.fs, "none/here", LEAT_OPEN_READ, &file, &err), LEAT_IO);
    assert_string_equal(err.message, "cannot open `none/here`: No such file or directory");
    assert_string_equal(leat_error_condition(&err), "FILE_NOT_FOUND");
    assert_string_equal(leat_error_place(&err).path, "none/here");
    assert_int_equal(lt_fs_info_code(&self.fs, "none", &info), ENOENT);
    static char long_path[LT_PATH_BYTES_MAX + 10];
    memset(long_path, 'x', sizeof long_path - 1);
    assert_int_equal(lt_fs_remove(&self.fs, long_path, NULL), LEAT_IO);
    fixture_deinit(&self);
}

static void test_files_are_private_whatever_the_umask(void **state) {
    (void)state;
    fixture     self;
    struct stat found;
    char        path[128];
    fixture_init(&self);
    mode_t before = umask(0);
    assert_int_equal(lt_fs_make_folders(&self.fs, "a/b/c", NULL), LEAT_OK);
    assert_int_equal(lt_fs_make_folders(&self.fs, "a/b/c", NULL), LEAT_OK);
    assert_int_equal(lt_atomic_publish(&self.fs, NULL, "a/b/c/file", "x", 1, NULL), LEAT_OK);
    umask(before);
    snprintf(path, sizeof path, "%s/a/b/c", self.folder);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/a/b/c/file", self.folder);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(lt_fs_make_folders(&self.fs, "a/b/c/file/d", NULL), LEAT_IO);
    fixture_deinit(&self);
}

static void test_standard_descriptors_are_never_used(void **state) {
    (void)state;
    fixture self;
    void   *handle;
    char    path[128];
    fixture_init(&self);
    snprintf(path, sizeof path, "%s/file", self.folder);
    int kept = fcntl(0, F_DUPFD_CLOEXEC, 10);
    close(0);
    assert_int_equal(lt_fs_posix.open(NULL, path, LEAT_OPEN_WRITE | LEAT_OPEN_CREATE, &handle), 0);
    assert_int_equal(fcntl(0, F_GETFD), -1);
    lt_fs_posix.close(NULL, handle);
    if (kept >= 0) {
        assert_int_equal(dup2(kept, 0), 0);
        close(kept);
    }
    fixture_deinit(&self);
}

static void test_links_are_not_followed_when_asked(void **state) {
    (void)state;
    fixture self;
    lt_file file;
    char    link[128];
    fixture_init(&self);
    assert_int_equal(lt_atomic_publish(&self.fs, NULL, "target", "x", 1, NULL), LEAT_OK);
    snprintf(link, sizeof link, "%s/link", self.folder);
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(lt_file_open_code(&self.fs, "link", LEAT_OPEN_READ | LEAT_OPEN_NO_FOLLOW, &file), ELOOP);
    assert_int_equal(lt_file_open_code(&self.fs, "link", LEAT_OPEN_READ, &file), 0);
    lt_file_close(&file, NULL);
    fixture_deinit(&self);
}

static void test_publish_replaces_whole_files(void **state) {
    (void)state;
    fixture    self;
    lt_publish publish;
    fixture_init(&self);
    assert_int_equal(lt_atomic_publish(&self.fs, NULL, "out", "old", 3, NULL), LEAT_OK);
    assert_int_equal(lt_publish_open(&publish, &self.fs, NULL, "out", NULL), LEAT_OK);
    assert_int_equal(lt_publish_append(&publish, "n", 1, NULL), LEAT_OK);
    assert_int_equal(lt_publish_append(&publish, "ew", 2, NULL), LEAT_OK);
    text_verify(&self, "out", "old");
    assert_int_equal(lt_publish_commit(&publish, NULL), LEAT_OK);
    text_verify(&self, "out", "new");
    assert_int_equal(lt_publish_open(&publish, &self.fs, NULL, "out", NULL), LEAT_OK);
    assert_int_equal(lt_publish_append(&publish, "bad", 3, NULL), LEAT_OK);
    lt_publish_discard(&publish);
    text_verify(&self, "out", "new");
    fixture_deinit(&self);
}

static leat_status names_count(void *user, const char *name, uint32_t kind, leat_error *err) {
    (void)name, (void)kind, (void)err;
    ++*(size_t *)user;
    return LEAT_OK;
}

// Whatever fails, the final name holds the old or the new text, and no temporary file stays behind for ever.
static void test_publish_with_each_operation_failing(void **state) {
    (void)state;
    for (int mode = LT_FAULT_ONCE; mode <= LT_FAULT_CRASH; mode++) {
        for (uint64_t n = 1;; n++) {
            fixture self;
            size_t  names = 0;
            fixture_init(&self);
            assert_int_equal(lt_atomic_publish(&self.fs, NULL, "out", "old", 3, NULL), LEAT_OK);
            lt_fs_faulty_init(&self.faulty, &lt_fs_posix);
            self.faulty.fail_at = n;
            self.faulty.mode    = (lt_fault_mode)mode;
            leat_error  err     = {0};
            leat_status status  = lt_atomic_publish(&self.fs, NULL, "out", "new", 3, &err);
            bool        is_past = !self.faulty.has_failed;
            assert_int_equal(status, is_past ? LEAT_OK : LEAT_IO);
            lt_fs_faulty_init(&self.faulty, &lt_fs_posix);
            lt_file file;
            char    bytes[4] = {0};
            size_t  count    = 0;
            assert_int_equal(lt_file_open(&self.fs, "out", LEAT_OPEN_READ, &file, NULL), LEAT_OK);
            assert_int_equal(lt_file_read(&file, 0, bytes, 3, &count, NULL), LEAT_OK);
            lt_file_close(&file, NULL);
            assert_true(strcmp(bytes, "old") == 0 || strcmp(bytes, "new") == 0);
            assert_int_equal(lt_atomic_publish(&self.fs, NULL, "out", "end", 3, NULL), LEAT_OK);
            text_verify(&self, "out", "end");
            assert_int_equal(lt_fs_list(&self.fs, ".", names_count, &names, NULL), LEAT_OK);
            assert_int_equal(names, 1);
            fixture_deinit(&self);
            if (is_past) break;
        }
    }
}

static int64_t fixed_time(void *user) { return *(int64_t *)user; }

static void test_clock_is_injected(void **state) {
    (void)state;
    int64_t    now_us = -5;
    leat_clock clock  = {.now_us = fixed_time, .user = &now_us};
    assert_int_equal(lt_clock_now_us(&clock), -5);
    assert_true(lt_clock_now_us(NULL) > 1600000000000000);
    int64_t before_us = lt_clock_steady_us(&clock);
    lt_clock_sleep_us(&clock, INT64_MAX); // no sleep in the clock given: it must not wait
    assert_true(lt_clock_steady_us(NULL) >= before_us);
    assert_true(lt_system_random() != lt_system_random());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_transfers_are_completed),
        cmocka_unit_test(test_errors_name_the_path),
        cmocka_unit_test(test_files_are_private_whatever_the_umask),
        cmocka_unit_test(test_standard_descriptors_are_never_used),
        cmocka_unit_test(test_links_are_not_followed_when_asked),
        cmocka_unit_test(test_publish_replaces_whole_files),
        cmocka_unit_test(test_publish_with_each_operation_failing),
        cmocka_unit_test(test_clock_is_injected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
