// The record log: what was flushed is read back, a torn tail is cut, and everything else that is wrong is refused.
#include "storage/log/record_log.h"

#include "base/hash.h"
#include "storage/fs_posix.h"
#include "tests/fault/fs_faulty.h"
#include "tests/unit/temporary_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char          folder[64];
    lt_account    account;
    lt_fs         fs;
    lt_record_log log;
} fixture;

// What a scan gave: kinds and payloads in one text.
typedef struct trace {
    char     text[4096];
    uint64_t count;
} trace;

static leat_status trace_give(void *user, const lt_record *record, leat_error *err) {
    trace *self = user;
    size_t used = strlen(self->text);
    (void)err;
    self->count++;
    if (record->kind == LT_RECORD_SEGMENT)
        snprintf(self->text + used, sizeof self->text - used, "| ");
    else
        snprintf(self->text + used, sizeof self->text - used, "%s=%.*s ", lt_record_kind_name(record->kind),
                 (int)(record->bytes < 20 ? record->bytes : 20), record->payload);
    return LEAT_OK;
}

static void fixture_init(fixture *self) {
    *self = (fixture){0};
    temporary_folder_create(self->folder);
    lt_account_init(&self->account, NULL, NULL, 0);
    lt_fs_init(&self->fs, NULL, self->folder);
    assert_int_equal(lt_fs_make_folder(&self->fs, "log", NULL), LEAT_OK);
}

static void fixture_deinit(fixture *self) {
    lt_record_log_close(&self->log);
    temporary_folder_remove(self->folder);
    assert_int_equal(self->account.bytes, 0);
}

static leat_status log_open(fixture *self, trace *found, leat_error *err) {
    *found = (trace){0};
    return lt_record_log_open(&self->log, &self->fs, &self->account, "log", "log", 42, trace_give, found, err);
}

static void append(fixture *self, lt_record_kind kind, const char *payload) {
    leat_error err = {0};
    assert_int_equal(lt_record_log_append(&self->log, kind, payload, strlen(payload), NULL, &err), LEAT_OK);
}

static void start_with(fixture *self, const char *payloads[], size_t count) {
    trace      found;
    leat_error err = {0};
    assert_int_equal(log_open(self, &found, &err), LEAT_OK);
    assert_int_equal(lt_record_log_start(&self->log, &err), LEAT_OK);
    if (self->log.segment_count == 0) assert_int_equal(lt_record_log_next_segment(&self->log, 0, -1, &err), LEAT_OK);
    for (size_t i = 0; i < count; i++) append(self, LT_RECORD_OFFSETS, payloads[i]);
    assert_int_equal(lt_record_log_flush(&self->log, true, &err), LEAT_OK);
}

static void segment_path(const fixture *self, uint64_t sequence, char out_path[128]) {
    snprintf(out_path, 128, "%s/log/%020" PRIu64, self->folder, sequence);
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

static void test_records_come_back_in_order(void **state) {
    (void)state;
    fixture    self;
    trace      found;
    leat_error err = {0};
    fixture_init(&self);
    start_with(&self, (const char *[]){"a", "", "leat 1"}, 3);
    assert_int_equal(lt_record_log_next_segment(&self.log, 5, 2, &err), LEAT_OK);
    append(&self, LT_RECORD_COMMIT, "d");
    assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_OK);
    append(&self, LT_RECORD_NOTE, "never flushed");
    lt_record_log_close(&self.log);
    assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
    assert_string_equal(found.text, "| offsets=a offsets= offsets=leat 1 | commit=d ");
    assert_int_equal(self.log.segment_count, 2);
    assert_int_equal(self.log.segments[1].first_batch_id, 5);
    assert_int_equal(self.log.segments[1].first_state_id, 2);
    assert_int_equal(self.log.torn_bytes, 0);
    fixture_deinit(&self);
}

static void test_lines_are_readable_and_fixed(void **state) {
    (void)state;
    fixture self;
    char    path[128], bytes[1024];
    fixture_init(&self);
    start_with(&self, (const char *[]){"{\"x\":1}"}, 1);
    segment_path(&self, 0, path);
    size_t count     = file_read(path, bytes, sizeof bytes - 1);
    bytes[count]     = '\0';
    const char *line = strstr(bytes, "leat 00000000000000000001 offsets  0000000007 ");
    assert_non_null(line);
    assert_int_equal(line[LT_RECORD_LINE_BYTES - 1], '\n');
    assert_string_equal(line + LT_RECORD_LINE_BYTES, "{\"x\":1}\n");
    fixture_deinit(&self);
}

static void test_rollback_forgets_pending_records(void **state) {
    (void)state;
    fixture    self;
    trace      found;
    leat_error err = {0};
    fixture_init(&self);
    start_with(&self, (const char *[]){"a"}, 1);
    append(&self, LT_RECORD_STATE, "\0\1\2");
    append(&self, LT_RECORD_COMMIT, "b");
    lt_record_log_rollback(&self.log);
    append(&self, LT_RECORD_COMMIT, "c");
    assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_OK);
    lt_record_log_close(&self.log);
    assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
    assert_string_equal(found.text, "| offsets=a commit=c ");
    fixture_deinit(&self);
}

// Any length of the newest segment gives a prefix of its records and can be appended to.
static void test_torn_tail_is_cut(void **state) {
    (void)state;
    fixture    self;
    trace      found;
    leat_error err = {0};
    char       path[128], bytes[2048];
    fixture_init(&self);
    start_with(&self, (const char *[]){"a", "bb", "ccc"}, 3);
    lt_record_log_close(&self.log);
    segment_path(&self, 0, path);
    size_t count = file_read(path, bytes, sizeof bytes);
    size_t first = (size_t)(strstr(bytes + 5, "leat ") - bytes);
    for (size_t kept = first; kept <= count; kept++) {
        // With zeros behind it, as some file systems leave a cut write.
        for (size_t zeros = 0; zeros <= 600; zeros += 300) {
            char torn[4096] = {0};
            memcpy(torn, bytes, kept);
            file_write(path, torn, kept + zeros);
            assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
            uint64_t records = found.count;
            assert_int_equal(lt_record_log_start(&self.log, &err), LEAT_OK);
            append(&self, LT_RECORD_COMMIT, "new");
            assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_OK);
            lt_record_log_close(&self.log);
            assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
            assert_int_equal(found.count, records + 1);
            assert_non_null(strstr(found.text, "commit=new "));
            lt_record_log_close(&self.log);
        }
    }
    fixture_deinit(&self);
}

static void test_bad_record_before_a_good_one_is_corruption(void **state) {
    (void)state;
    fixture    self;
    trace      found;
    leat_error err = {0};
    char       path[128], bytes[2048];
    fixture_init(&self);
    start_with(&self, (const char *[]){"a", "bb", "ccc"}, 3);
    lt_record_log_close(&self.log);
    segment_path(&self, 0, path);
    size_t count = file_read(path, bytes, sizeof bytes);
    size_t last  = 0;
    for (size_t i = 0; i + 5 < count; i++)
        if (memcmp(bytes + i, "leat ", 5) == 0) last = i;
    for (size_t i = 0; i < last; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(bytes[i] ^ (1 << bit));
            file_write(path, bytes, count);
            lt_error_reset(&err);
            leat_status status = log_open(&self, &found, &err);
            if (status != LEAT_CORRUPT && status != LEAT_VERSION) fail_msg("byte %zu bit %d: %d", i, bit, (int)status);
            lt_record_log_close(&self.log);
            bytes[i] = (char)(bytes[i] ^ (1 << bit));
        }
    }
    // A record taken out of the middle leaves a hole in the sequence.
    size_t second = (size_t)(strstr(bytes + 5, "leat ") - bytes);
    size_t third  = (size_t)(strstr(bytes + second + 5, "leat ") - bytes);
    memmove(bytes + second, bytes + third, count - third);
    file_write(path, bytes, count - (third - second));
    lt_error_reset(&err);
    assert_int_equal(log_open(&self, &found, &err), LEAT_CORRUPT);
    assert_non_null(strstr(err.message, "record 1 "));
    fixture_deinit(&self);
}

static void test_bad_record_in_an_older_segment_is_corruption(void **state) {
    (void)state;
    fixture    self;
    trace      found;
    leat_error err = {0};
    char       path[128], bytes[2048];
    fixture_init(&self);
    start_with(&self, (const char *[]){"a"}, 1);
    assert_int_equal(lt_record_log_next_segment(&self.log, 1, -1, &err), LEAT_OK);
    append(&self, LT_RECORD_COMMIT, "b");
    assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_OK);
    lt_record_log_close(&self.log);
    segment_path(&self, 0, path);
    size_t count = file_read(path, bytes, sizeof bytes);
    file_write(path, bytes, count - 1);
    assert_int_equal(log_open(&self, &found, &err), LEAT_CORRUPT);
    lt_record_log_close(&self.log);
    // A whole record less: the next segment does not follow.
    lt_error_reset(&err);
    file_write(path, bytes, (size_t)(strstr(bytes + 5, "leat ") - bytes));
    assert_int_equal(log_open(&self, &found, &err), LEAT_CORRUPT);
    assert_non_null(strstr(err.message, "missing before this segment"));
    fixture_deinit(&self);
}

static void test_records_of_another_segment_do_not_validate(void **state) {
    (void)state;
    fixture    self, other;
    trace      found;
    leat_error err = {0};
    char       path[128], other_path[128], bytes[2048], foreign[2048];
    fixture_init(&self);
    fixture_init(&other);
    start_with(&self, (const char *[]){"a", "b"}, 2);
    // The same records under another salt.
    assert_int_equal(lt_record_log_open(&other.log, &other.fs, &other.account, "log", "log", 43, trace_give,
                                        memset(&found, 0, sizeof found), &err),
                     LEAT_OK);
    assert_int_equal(lt_record_log_next_segment(&other.log, 0, -1, &err), LEAT_OK);
    append(&other, LT_RECORD_OFFSETS, "a");
    append(&other, LT_RECORD_OFFSETS, "b");
    assert_int_equal(lt_record_log_flush(&other.log, true, &err), LEAT_OK);
    lt_record_log_close(&other.log);
    lt_record_log_close(&self.log);
    segment_path(&self, 0, path);
    segment_path(&other, 0, other_path);
    size_t count = file_read(path, bytes, sizeof bytes);
    size_t same  = file_read(other_path, foreign, sizeof foreign);
    assert_int_equal(count, same);
    size_t first = (size_t)(strstr(bytes + 5, "leat ") - bytes);
    memcpy(bytes + first, foreign + first, count - first);
    file_write(path, bytes, count);
    assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
    assert_string_equal(found.text, "| ");
    assert_int_equal(self.log.torn_bytes, count - first);
    assert_int_equal(lt_record_log_require(&self.log, 1, &err), LEAT_OK);
    assert_int_equal(lt_record_log_require(&self.log, 2, &err), LEAT_CORRUPT);
    fixture_deinit(&other);
    fixture_deinit(&self);
}

static void test_one_record_can_be_read_again(void **state) {
    (void)state;
    fixture    self;
    lt_record  record;
    lt_buffer  payload;
    leat_error err = {0};
    fixture_init(&self);
    lt_buffer_init(&payload, &self.account, 0);
    start_with(&self, (const char *[]){"a"}, 1);
    assert_int_equal(lt_record_log_append(&self.log, LT_RECORD_STATE, "\0binary\n", 8, &record, &err), LEAT_OK);
    append(&self, LT_RECORD_COMMIT, "b");
    assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_OK);
    assert_int_equal(lt_record_log_read(&self.log, record.position, &payload, &err), LEAT_OK);
    assert_int_equal(payload.bytes, 8);
    assert_memory_equal(payload.data, "\0binary\n", 8);
    record.position.offset++;
    assert_int_equal(lt_record_log_read(&self.log, record.position, &payload, &err), LEAT_CORRUPT);
    lt_buffer_deinit(&payload);
    fixture_deinit(&self);
}

static void test_too_large_records_are_refused(void **state) {
    (void)state;
    fixture    self;
    leat_error err = {0};
    fixture_init(&self);
    start_with(&self, NULL, 0);
    static char large[(1 << 20) + 1];
    assert_int_equal(lt_record_log_append(&self.log, LT_RECORD_STATE, large, sizeof large, NULL, &err), LEAT_LIMIT);
    assert_int_equal(lt_record_log_append(&self.log, LT_RECORD_STATE, large, sizeof large - 1, NULL, NULL), LEAT_OK);
    fixture_deinit(&self);
}

// A failed write can be tried again; after a failed sync nothing is, and what was not acknowledged is gone.
static void test_failed_write_and_failed_sync(void **state) {
    (void)state;
    for (int is_sync = 0; is_sync <= 1; is_sync++) {
        fixture      self;
        lt_fs_faulty faulty;
        trace        found;
        leat_error   err = {0};
        fixture_init(&self);
        lt_fs_faulty_init(&faulty, &lt_fs_posix);
        lt_fs_init(&self.fs, &faulty.system, self.folder);
        start_with(&self, (const char *[]){"a"}, 1);
        faulty.mode    = is_sync ? LT_FAULT_ONCE : LT_FAULT_TEAR;
        faulty.code    = ENOSPC;
        faulty.fail_at = faulty.operation_count + 1 + (uint64_t)is_sync;
        append(&self, LT_RECORD_COMMIT, "b");
        assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_IO);
        if (is_sync) {
            assert_int_equal(lt_record_log_flush(&self.log, true, NULL), LEAT_IO);
        } else {
            append(&self, LT_RECORD_COMMIT, "c");
            assert_int_equal(lt_record_log_flush(&self.log, true, NULL), LEAT_OK);
        }
        lt_record_log_close(&self.log);
        lt_error_reset(&err);
        assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
        assert_string_equal(found.text, is_sync ? "| offsets=a " : "| offsets=a commit=c ");
        assert_int_equal(self.log.torn_bytes, 0);
        fixture_deinit(&self);
    }
}

static void test_foreign_writer_is_noticed(void **state) {
    (void)state;
    fixture    self;
    leat_error err = {0};
    char       path[128];
    fixture_init(&self);
    start_with(&self, (const char *[]){"a"}, 1);
    assert_int_equal(lt_record_log_verify_end(&self.log, &err), LEAT_OK);
    segment_path(&self, 0, path);
    FILE *file = fopen(path, "ab");
    fputs("x", file);
    fclose(file);
    assert_int_equal(lt_record_log_verify_end(&self.log, &err), LEAT_IO);
    fixture_deinit(&self);
}

// The room behind the last record is no damage, whether it was taken back or not; bytes in it are judged as any others.
static void test_room_behind_the_records(void **state) {
    (void)state;
    fixture     self;
    trace       found;
    leat_error  err = {0};
    char        path[128];
    static char bytes[1024 * 1024];
    fixture_init(&self);
    start_with(&self, (const char *[]){"a", "b"}, 2);
    segment_path(&self, 0, path);
    size_t with_room = file_read(path, bytes, sizeof bytes);
    size_t records   = (size_t)self.log.end_offset;
    assert_true(with_room > records);
    assert_int_equal(self.log.room_end, with_room);
    assert_int_equal(lt_record_log_verify_end(&self.log, &err), LEAT_OK);
    lt_record_log_close(&self.log);
    assert_int_equal(file_read(path, bytes, sizeof bytes), records); // taken back
    memset(bytes + records, 0, sizeof bytes - records);
    for (size_t count = records; count <= with_room; count += 9973) { // a crash left some of it
        file_write(path, bytes, count);
        assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
        assert_string_equal(found.text, "| offsets=a offsets=b ");
        assert_int_equal(self.log.torn_bytes, 0);
        assert_int_equal(lt_record_log_start(&self.log, &err), LEAT_OK);
        append(&self, LT_RECORD_OFFSETS, "c");
        assert_int_equal(lt_record_log_flush(&self.log, true, &err), LEAT_OK);
        lt_record_log_close(&self.log);
        assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
        assert_string_equal(found.text, "| offsets=a offsets=b offsets=c ");
        lt_record_log_close(&self.log);
    }
    for (size_t at = records; at < with_room; at += 7919) { // one byte of a write that was cut
        bytes[at] = 'x';
        file_write(path, bytes, with_room);
        assert_int_equal(log_open(&self, &found, &err), LEAT_OK);
        assert_string_equal(found.text, "| offsets=a offsets=b ");
        assert_int_equal(self.log.torn_bytes, with_room - records);
        assert_int_equal(lt_record_log_start(&self.log, &err), LEAT_OK);
        lt_record_log_close(&self.log);
        bytes[at] = 0;
    }
    fixture_deinit(&self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_come_back_in_order),
        cmocka_unit_test(test_lines_are_readable_and_fixed),
        cmocka_unit_test(test_rollback_forgets_pending_records),
        cmocka_unit_test(test_torn_tail_is_cut),
        cmocka_unit_test(test_bad_record_before_a_good_one_is_corruption),
        cmocka_unit_test(test_bad_record_in_an_older_segment_is_corruption),
        cmocka_unit_test(test_records_of_another_segment_do_not_validate),
        cmocka_unit_test(test_room_behind_the_records),
        cmocka_unit_test(test_one_record_can_be_read_again),
        cmocka_unit_test(test_too_large_records_are_refused),
        cmocka_unit_test(test_failed_write_and_failed_sync),
        cmocka_unit_test(test_foreign_writer_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
