// The event-totals job and a copy of its rows into files, where every operation of the file system fails once, tears,
// or is the last before a crash or a power cut. Whatever happens: after reopening on a healthy file system the totals
// are right and the copy has every row once.
#include "tests/fault/fs_faulty.h"
#include "tests/fault/fs_power.h"
#include "tests/unit/embed_rig.h"

static const char job[] = "CREATE STREAM events (event STRING, amount INT) USING json OPTIONS (path 'in');"
                          "CREATE MATERIALIZED VIEW totals WITH (outputMode = 'complete', checkpointLocation = 'ck') AS"
                          " SELECT event, sum(amount) AS total FROM events GROUP BY event;"
                          "CREATE SINK copies WITH (connector = 'files', path = 'out', format = 'json',"
                          " checkpointLocation = 'ck2') AS SELECT event, amount FROM events";

static const char *const files[2] = {
    "{\"event\": \"checkout\", \"amount\": 4}\n{\"event\": \"search\", \"amount\": 2}\n"
    "{\"event\": \"checkout\", \"amount\": 3}\n",
    "{\"event\": \"search\", \"amount\": 5}\n{\"event\": \"view\", \"amount\": 8}\n"};

// The producer: its file is durable before it is seen. Never fails.
static void file_write(lt_fs_power *disk, int number) {
    const leat_file_system *fs = &disk->system;
    void                   *file, *folder;
    char                    path[32];
    size_t                  count;
    snprintf(path, sizeof path, "in/%d.json", number);
    (void)fs->make_folder(fs->user, "in");
    assert_int_equal(fs->open(fs->user, path, LEAT_OPEN_WRITE | LEAT_OPEN_CREATE, &file), 0);
    assert_int_equal(fs->write(fs->user, file, 0, files[number], strlen(files[number]), &count), 0);
    assert_int_equal(fs->sync(fs->user, file), 0);
    assert_int_equal(fs->close(fs->user, file), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fs->open(fs->user, i == 0 ? "in" : ".", LEAT_OPEN_FOLDER, &folder), 0);
        assert_int_equal(fs->sync(fs->user, folder), 0);
        assert_int_equal(fs->close(fs->user, folder), 0);
    }
}

// One life of the host: opens, runs what is there, closes. Failures are what the test is about.
static void life(const leat_file_system *system, uint64_t seed) {
    leat_options  options = {.struct_size = sizeof options, .file_system = system, .random_seed = seed};
    leat_session *session;
    if (leat_open(&options, &session, NULL) != LEAT_OK) return;
    (void)leat_execute(session, job, LEAT_TERMINATED, NULL);
    (void)leat_run(session, 0, NULL, NULL);
    leat_close(&session, NULL);
}

static void expect_totals(lt_fs_power *disk, const char *what) {
    leat_options  options = {.struct_size = sizeof options, .file_system = &disk->system, .random_seed = 99};
    leat_session *session;
    leat_error   *err;
    assert_int_equal(leat_error_create(&err), LEAT_OK);
    ASSERT_OK(leat_open(&options, &session, err), err);
    if (leat_execute(session, job, LEAT_TERMINATED, err) != LEAT_OK || leat_run(session, 0, NULL, err) != LEAT_OK)
        fail_msg("%s: the job does not start again: %s", what, leat_error_message(err));
    for (uint32_t i = 0; leat_query_at(session, i) != NULL; i++) {
        leat_query *query;
        ASSERT_OK(leat_query_open(session, leat_query_at(session, i), &query, err), err);
        if (leat_query_status(query, err) == LEAT_QUERY_FAILED)
            fail_msg("%s: %s failed: %s", what, leat_query_name(query), leat_error_message(err));
        leat_query_close(&query);
    }
    char *totals = rows_of(session, "SELECT event, total FROM totals ORDER BY event", err),
         *copies = rows_of(session, "SELECT event, amount FROM json.`out` ORDER BY event, amount", err);
    if (totals == NULL || strcmp(totals, "checkout|7\nsearch|7\nview|8\n") != 0)
        fail_msg("%s: totals are\n%s", what, totals == NULL ? leat_error_message(err) : totals);
    if (copies == NULL || strcmp(copies, "checkout|3\ncheckout|4\nsearch|2\nsearch|5\nview|8\n") != 0)
        fail_msg("%s: copies are\n%s", what, copies == NULL ? leat_error_message(err) : copies);
    free(totals);
    free(copies);
    leat_close(&session, err);
    leat_error_destroy(&err);
}

typedef struct fault {
    lt_fault_mode mode;
    const char   *name;
    bool          is_cut; // the power goes with the process
} fault;

static const fault faults[] = {{LT_FAULT_ONCE, "one failure", false},
                               {LT_FAULT_FOREVER, "failures", false},
                               {LT_FAULT_TEAR, "torn", false},
                               {LT_FAULT_CRASH, "crash", false},
                               {LT_FAULT_CRASH, "power cut", true}};

// Both batches, with the fault at operation n of the first life (0) or of the restart for the second batch (1).
// False: no operation n.
static bool try_at(const fault *kind, uint64_t n, int faulty_life, bool is_again) {
    lt_fs_power  disk;
    lt_fs_faulty faulty;
    char         what[96];
    bool         has_failed = false;
    snprintf(what, sizeof what, "%s at operation %llu of life %d%s", kind->name, (unsigned long long)n, faulty_life,
             is_again ? ", and of its recovery" : "");
    lt_fs_power_init(&disk);
    for (int number = 0; number < 2; number++) {
        file_write(&disk, number);
        lt_fs_faulty_init(&faulty, &disk.system);
        faulty.mode    = kind->mode;
        faulty.fail_at = number == faulty_life ? n : 0;
        life(&faulty.system, 1 + (uint64_t)number);
        if (number != faulty_life) continue;
        has_failed = faulty.has_failed;
        if (kind->is_cut) lt_fs_power_cut(&disk, n * 31 + 7);
        if (!is_again) continue;
        lt_fs_faulty_init(&faulty, &disk.system);
        faulty.mode    = kind->mode;
        faulty.fail_at = n % 23 + 1;
        life(&faulty.system, 5);
        if (kind->is_cut) lt_fs_power_cut(&disk, n * 17 + 3);
    }
    expect_totals(&disk, what);
    lt_fs_power_deinit(&disk);
    return has_failed;
}

static void test_every_operation(void **state) {
    (void)state;
    unsigned long long tried = 0;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        for (int faulty_life = 0; faulty_life < 2; faulty_life++)
            for (int again = 0; again < 2; again++)
                for (uint64_t n = 1; try_at(&faults[k], n, faulty_life, again == 1); n++) tried++;
    print_message("%llu faults\n", tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
