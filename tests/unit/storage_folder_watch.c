// New files are found by news from the file system, and by listing wherever news is missing, late, lost or wrong: the
// rows of every file count once, whatever the watch does.
#include "storage/fs_posix.h"
#include "tests/unit/embed_rig.h"
#include "tests/unit/temporary_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum watch_mode {
    WATCH_WORKS,
    WATCH_IS_ABSENT,    // the host's file system has no watches
    WATCH_OPEN_FAILS,   //
    WATCH_FOLDER_FAILS, //
    WATCH_READ_FAILS,   //
    WATCH_OVERFLOWS,    // every other read says that something was lost, and gives nothing
    WATCH_FORGETS,      // drops every third piece of news and does not say so
    WATCH_STUTTERS,     // gives everything twice
    WATCH_MODES
} watch_mode;

typedef struct rig {
    watch_mode       mode;
    leat_file_system system;
    uint64_t         reads, news;
    int64_t          now_us;
    char             folder[64];
    uint64_t         files, rows;
    leat_session    *session;
    leat_error      *err;
} rig;

typedef struct passing {
    rig *self;
    void (*give)(void *user, int64_t folder, uint32_t news, const char *name);
    void *user;
} passing;

static int fake_open(void *user, void **out_watch, int *out_descriptor) {
    rig *self = user;
    if (self->mode == WATCH_OPEN_FAILS) return EMFILE;
    return lt_fs_posix.watch_open(NULL, out_watch, out_descriptor);
}
static int fake_folder(void *user, void *watch, const char *path, int64_t *out_folder) {
    rig *self = user;
    return self->mode == WATCH_FOLDER_FAILS ? ENOSPC : lt_fs_posix.watch_folder(NULL, watch, path, out_folder);
}
static void fake_give(void *user, int64_t folder, uint32_t news, const char *name) {
    passing *to = user;
    if (to->self->mode == WATCH_FORGETS && ++to->self->news % 3 == 0) return;
    for (int i = 0; i < (to->self->mode == WATCH_STUTTERS ? 2 : 1); i++) to->give(to->user, folder, news, name);
}
static void drop(void *user, int64_t folder, uint32_t news, const char *name) {
    (void)user, (void)folder, (void)news, (void)name;
}
static int fake_read(void *user, void                                                                     *watch,
                     void (*give)(void *give_user, int64_t folder, uint32_t news, const char *name), void *give_user) {
    rig *self = user;
    self->reads++;
    if (self->mode == WATCH_READ_FAILS) return EIO;
    if (self->mode == WATCH_OVERFLOWS && self->reads % 2 == 0) {
        (void)lt_fs_posix.watch_read(NULL, watch, drop, NULL);
        give(give_user, -1, LEAT_NEWS_LOST, "");
        return 0;
    }
    passing to = {.self = self, .give = give, .user = give_user};
    return lt_fs_posix.watch_read(NULL, watch, fake_give, &to);
}

static int64_t clock_now(void *user) { return ((const rig *)user)->now_us; }

static void rig_open(rig *self, watch_mode mode, const char *stream) {
    char sql[512];
    *self                     = (rig){.mode = mode, .system = lt_fs_posix, .now_us = 1000000};
    self->system.user         = self;
    self->system.watch_open   = fake_open;
    self->system.watch_folder = fake_folder;
    self->system.watch_read   = fake_read;
    if (mode == WATCH_IS_ABSENT) self->system.struct_size = offsetof(leat_file_system, watch_open);
    leat_clock   clock   = {.now_us = clock_now, .steady_us = clock_now, .user = self};
    leat_options options = {.struct_size = sizeof options, .file_system = &self->system, .clock = &clock};
    temporary_folder_create(self->folder);
    snprintf(sql, sizeof sql, "%s/in", self->folder);
    assert_int_equal(mkdir(sql, 0700), 0);
    options.folder = self->folder;
    assert_int_equal(leat_error_create(&self->err), LEAT_OK);
    ASSERT_OK(leat_open(&options, &self->session, self->err), self->err);
    snprintf(sql, sizeof sql,
             "CREATE STREAM s (x BIGINT) USING json OPTIONS (%s);"
             "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM s",
             stream);
    execute(self->session, sql, self->err);
}

static void rig_close(rig *self) {
    ASSERT_OK(leat_close(&self->session, self->err), self->err);
    leat_error_destroy(&self->err);
    temporary_folder_remove(self->folder);
}

static void run(rig *self, int64_t passed_us) {
    self->now_us += passed_us;
    ASSERT_OK(leat_run(self->session, 0, NULL, self->err), self->err);
}

static void expect(rig *self, uint64_t rows) {
    char text[32];
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)rows);
    ASSERT_ROWS(self->session, "SELECT n FROM v", text, self->err);
}

static void path_of(const rig *self, const char *name, char out[256]) {
    snprintf(out, 256, "%s/%s", self->folder, name);
}

static void write_file(const rig *self, const char *name, int rows) {
    char path[256];
    path_of(self, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < rows; i++) fprintf(file, "{\"x\":%d}\n", i);
    fclose(file);
}

static void rename_in(const rig *self, const char *name, int rows) {
    char from[256], to[256];
    write_file(self, "staged", rows);
    path_of(self, "staged", from);
    path_of(self, name, to);
    assert_int_equal(rename(from, to), 0);
}

// ------------------------------------------------------------------------------------------------------------- claims

static void test_news_needs_no_listing(void **state) {
    rig self;
    (void)state;
    rig_open(&self, WATCH_WORKS, "path 'in'");
    rename_in(&self, "in/a.json", 2);
    run(&self, 0);
    expect(&self, 2);
    rename_in(&self, "in/b.json", 3); // no time passes
    run(&self, 0);
    expect(&self, 5);
    write_file(&self, "in/c.json", 4);
    write_file(&self, "in/.hidden.json", 9);
    write_file(&self, "in/_hidden.json", 9);
    write_file(&self, "in/a.json", 9); // written again: seen already
    run(&self, 0);
    expect(&self, 9);
    rig_close(&self);
}

static void test_hint_waits(void **state) {
    rig  self;
    char path[256];
    (void)state;
    rig_open(&self, WATCH_WORKS, "path 'in'");
    run(&self, 0);
    path_of(&self, "in/a.json", path);
    FILE *file = fopen(path, "w"); // being written: not taken in the middle
    assert_non_null(file);
    run(&self, 1000);
    run(&self, 1000);
    expect(&self, 0);
    fprintf(file, "{\"x\":1}\n");
    fclose(file);
    run(&self, 0);
    expect(&self, 1);
    path_of(&self, "in/link.json", path);
    write_file(&self, "other.json", 2);
    assert_int_equal(symlink("../other.json", path), 0); // nobody closes a link: it is listed after a while
    run(&self, 0);
    run(&self, 11000);
    expect(&self, 3);
    path_of(&self, "in/link2.json", path);
    assert_int_equal(symlink("../other.json", path), 0);
    execute(self.session, "PROCESS ALL AVAILABLE", self.err); // all that is there now
    expect(&self, 5);
    rig_close(&self);
}

static void test_patterns(void **state) {
    static const char *const streams[] = {"path 'in/*.json'", "path 'in', pathGlobFilter '*.json'",
                                          "path 'in/{x,y}*.json'", "path 'in', fileNameOnly true",
                                          "path './in/', maxFilesPerTrigger 2"};
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        rig self;
        rig_open(&self, WATCH_WORKS, streams[i]);
        run(&self, 0);
        bool is_any = i >= 3;
        rename_in(&self, "in/x1.json", 1);
        rename_in(&self, "in/y2.json", 2);
        rename_in(&self, "in/x3.txt", 4);
        run(&self, 20000);
        expect(&self, is_any ? 7 : 3);
        rename_in(&self, "in/x4.json", 8);
        rename_in(&self, "in/x5.json", 16);
        rename_in(&self, "in/x6.json", 32);
        run(&self, 20000);
        expect(&self, is_any ? 63 : 59);
        rig_close(&self);
    }
}

static void test_folder_goes_and_comes(void **state) {
    rig  self;
    char from[256], to[256];
    (void)state;
    rig_open(&self, WATCH_WORKS, "path 'in'");
    rename_in(&self, "in/a.json", 1);
    run(&self, 0);
    path_of(&self, "in", from);
    path_of(&self, "old", to);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(mkdir(from, 0700), 0);
    rename_in(&self, "in/b.json", 2);
    rename_in(&self, "old/c.json", 4); // not ours any more
    run(&self, 20000);
    expect(&self, 3);
    rename_in(&self, "in/d.json", 8);
    rename_in(&self, "old/e.json", 16);
    run(&self, 0);
    expect(&self, 11);
    rig_close(&self);
}

static void test_two_readers(void **state) {
    rig self;
    (void)state;
    rig_open(&self, WATCH_WORKS, "path 'in'");
    execute(self.session, "CREATE MATERIALIZED VIEW w AS SELECT count(*) AS n FROM s", self.err);
    run(&self, 0);
    rename_in(&self, "in/a.json", 2);
    run(&self, 0);
    expect(&self, 2);
    ASSERT_ROWS(self.session, "SELECT n FROM w", "2\n", self.err);
    execute(self.session, "STOP QUERY w", self.err); // the other one still hears
    rename_in(&self, "in/b.json", 3);
    run(&self, 0);
    expect(&self, 5);
    rig_close(&self);
}

static void test_descriptor(void **state) {
    (void)state;
    for (int is_early = 0; is_early < 2; is_early++) {
        rig self;
        rig_open(&self, WATCH_WORKS, "path 'in'");
        if (is_early == 1) (void)leat_wake_fd(self.session);
        run(&self, 0);
        struct pollfd wake = {.fd = leat_wake_fd(self.session), .events = POLLIN};
        run(&self, 0);
        assert_int_equal(poll(&wake, 1, 0), 0);
        rename_in(&self, "in/a.json", 2);
        assert_int_equal(poll(&wake, 1, 0), 1);
        run(&self, 0);
        assert_int_equal(poll(&wake, 1, 0), 0);
        expect(&self, 2);
        rig_close(&self);
    }
}

// Anything may happen to the folder between calls; in the end every file that stayed long enough counts once.
static void test_random(void **state) {
    (void)state;
    for (watch_mode mode = 0; mode < WATCH_MODES; mode++) {
        for (uint64_t seed = 1; seed <= 6; seed++) {
            rig      self;
            uint64_t random = seed * 0x9E3779B97F4A7C15U + mode, rows = 0;
            char     name[64], path[256];
            rig_open(&self, mode, seed % 3 == 0 ? "path 'in/*.json'" : "path 'in'");
            for (int i = 0; i < 60; i++) {
                random = random * 6364136223846793005U + 1442695040888963407U;
                snprintf(name, sizeof name, "in/%d.json", i);
                int count = (int)(random >> 40) % 3 + 1;
                switch ((random >> 33) % 6) {
                case 0:
                    run(&self, (int64_t)(random >> 45) % 30000);
                    continue;
                case 1:
                    write_file(&self, name, count);
                    break;
                case 2:
                    path_of(&self, name, path);
                    snprintf(name, sizeof name, "%d.json", i);
                    write_file(&self, name, count);
                    snprintf(name, sizeof name, "../%d.json", i);
                    assert_int_equal(symlink(name, path), 0);
                    break;
                case 3:
                    snprintf(name, sizeof name, "in/.%d.json", i);
                    write_file(&self, name, 7);
                    continue;
                default:
                    rename_in(&self, name, count);
                }
                rows += (uint64_t)count;
            }
            for (int i = 0; i < 3; i++) run(&self, 70000000);
            char text[128];
            snprintf(text, sizeof text, "mode %d, seed %llu", (int)mode, (unsigned long long)seed);
            char *found = rows_of(self.session, "SELECT n FROM v", self.err);
            if (found == NULL || strtoull(found, NULL, 10) != rows)
                fail_msg("%s: %s rows instead of %llu", text, found, (unsigned long long)rows);
            free(found);
            rig_close(&self);
        }
    }
}

static void test_half_a_watch_is_refused(void **state) {
    (void)state;
    leat_file_system system  = lt_fs_posix;
    leat_options     options = {.struct_size = sizeof options, .file_system = &system};
    leat_session    *session;
    system.watch_read = NULL;
    assert_int_equal(leat_open(&options, &session, NULL), LEAT_MISUSE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_news_needs_no_listing),
        cmocka_unit_test(test_hint_waits),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_folder_goes_and_comes),
        cmocka_unit_test(test_two_readers),
        cmocka_unit_test(test_descriptor),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_half_a_watch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
