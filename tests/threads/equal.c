// equal: what queries say with many threads and tiny morsels equals, byte by byte, what they say with one thread.
//
//     threads_equal [--seed N] [--seeds N] [-v]
#include "exec/session.h"

#include <ftw.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

// ---- random: xorshift, so that a seed gives the same files everywhere

static uint64_t random_state;

static uint32_t random_below(uint32_t bound) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 11) % bound);
}

// Yields now and then, so that threads meet in other orders each time.
static void *yielding_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    static _Thread_local uint32_t calls;
    (void)user, (void)old_bytes;
    if (++calls * 2654435761u >> 30 == 0) sched_yield();
    if (new_bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_bytes);
}

// ---- files

typedef struct text {
    char  *bytes;
    size_t count, capacity;
} text;

static void text_append(text *out, const char *bytes, size_t count) {
    if (out->count + count + 1 > out->capacity) {
        out->capacity = (out->count + count + 1) * 2;
        out->bytes    = realloc(out->bytes, out->capacity);
        if (out->bytes == NULL) exit(2);
    }
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
    out->bytes[out->count] = '\0';
}

__attribute__((format(printf, 2, 3))) static void text_add(text *out, const char *format, ...) {
    char    line[8192];
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (count > 0) text_append(out, line, (size_t)count < sizeof line ? (size_t)count : sizeof line - 1);
}

static const char *const keys[] = {"a",
                                   "b",
                                   "ab",
                                   "caf\\u00e9",
                                   "a key of more than twelve bytes",
                                   "\xC3\xA9t\xC3\xA9",
                                   "",
                                   "quote\\\"s",
                                   "\\ud83d\\ude00"};

static void line_end(text *out) {
    static const char *const ends[] = {"\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n  \n"};
    text_add(out, "%s", ends[random_below(8)]);
}

static void json_row(text *out, uint32_t id) {
    static const char *const broken[] = {"{\"id\":",
                                         "nonsense",
                                         "{\"id\":1}}",
                                         "[1,2]",
                                         "{\"k\":\"open",
                                         "\"text\"",
                                         "{\"id\":\"x\",\"v\":{}}",
                                         "{\"v\":1e99,\"k\":[1]}"};
    if (random_below(12) == 0) {
        text_add(out, "%s", broken[random_below(8)]);
        return;
    }
    if (random_below(20) == 0) {
        text_add(out, "[{\"id\":%u,\"k\":\"array\"},{\"id\":%u,\"v\":7}]", id, id);
        return;
    }
    text_add(out, "{\"id\":%u,", id);
    if (random_below(8) != 0) text_add(out, "\"k\":\"%s\",", keys[random_below(9)]);
    if (random_below(8) != 0) text_add(out, "\"v\":%d,", (int)random_below(9) - 2);
    if (random_below(30) == 0) text_add(out, "\"unknown\":{\"x\":[1,{\"y\":\"%0500d\"}]},", 7);
    text_add(out, "\"d\":%u.%03u1,\"m\":%u.%02u,", random_below(1000), random_below(1000), random_below(99),
             random_below(100));
    text_add(out, "\"t\":\"2024-03-01T%02u:%02u:%02uZ\",", 10 + random_below(3), random_below(60), random_below(60));
    text_add(out, "\"a\":[%u,null,%u],\"s\":{\"x\":%u,\"y\":\"%s\"}}", random_below(9), random_below(9),
             random_below(5), keys[random_below(9)]);
}

static void csv_row(text *out, uint32_t id) {
    switch (random_below(10)) {
    case 0:
        text_add(out, "%u,too,few", id);
        return;
    case 1:
        text_add(out, "x%u,a,\"quoted, \\\"text\",1.5", id);
        return;
    case 2:
        text_add(out, "# a comment %u", id);
        return;
    default:
        text_add(out, "%u,\"k%u\",%d,%u.25", id, random_below(4), (int)random_below(9) - 2, random_below(100));
    }
}

static void text_row(text *out, uint32_t id) {
    text_add(out, "line %u %s", id, keys[random_below(9)]);
    for (uint32_t i = random_below(20) == 0 ? random_below(100) : 0; i > 0; i--) text_add(out, " more words");
}

static void file_write(const char *folder, const char *name, const text *content, bool is_compressed) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, is_compressed ? ".gz" : "");
    if (is_compressed) {
        gzFile file = gzopen(path, "wb");
        if (file == NULL || gzwrite(file, content->bytes, (unsigned)content->count) < 0) exit(2);
        gzclose(file);
        return;
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) exit(2);
    if (content->count > 0) fwrite(content->bytes, 1, content->count, file);
    fclose(file);
}

static void files_write(const char *parent, const char *folder, const char *kind, void (*row)(text *out, uint32_t id),
                        const char *start) {
    char     path[800], name[40];
    text     content = {0};
    uint32_t id = 0, files = 3 + random_below(5);
    snprintf(path, sizeof path, "%s/%s", parent, folder);
    mkdir(path, 0700);
    for (uint32_t f = 0; f < files; f++) {
        content.count = 0;
        uint32_t rows = random_below(4) == 0 ? random_below(4) : random_below(60);
        if (f == 1) rows = 150;
        if (f == 2 && random_below(2) == 0) text_append(&content, "\xEF\xBB\xBF", 3);
        if (random_below(6) == 0) text_append(&content, "\n \r\n\n", 5);
        if (rows > 0 || random_below(2) == 0) text_add(&content, "%s", start);
        for (uint32_t i = 0; i < rows; i++) {
            row(&content, id++);
            if (i + 1 < rows || random_below(2) == 0) line_end(&content);
        }
        snprintf(name, sizeof name, "%02u.%s", f, kind);
        file_write(path, name, &content, f != 1 && random_below(6) == 0);
    }
    free(content.bytes);
}

// Files of json in folders k=v, several in some.
static void folders_write(const char *folder) {
    static const char *const days[] = {"days/day=2024-01-01/part=a", "days/day=2024-01-01/part=b%20c",
                                       "days/day=2024-01-02/part=a",
                                       "days/day=__HIVE_DEFAULT_PARTITION__/part=", "days/day=2023-12-31/part=a"};
    char                     path[700];
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        for (const char *slash = strchr(days[i], '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
            snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - days[i]), days[i]);
            mkdir(path, 0700);
        }
        files_write(folder, days[i], "json", json_row, "");
    }
}

// ---- cases

#define JSON_COLUMNS                                                                                                   \
    "id BIGINT, k STRING, v INT, d DOUBLE, m DECIMAL(9, 2), t TIMESTAMP, a ARRAY<INT>, s STRUCT<x: INT, y: STRING>"
static const char *const set_up[] = {
    "CREATE STREAM j (" JSON_COLUMNS ") USING json OPTIONS (path 'json')",
    "CREATE STREAM jc (" JSON_COLUMNS ", bad STRING) USING json OPTIONS (path 'json', columnNameOfCorruptRecord 'bad')",
    "CREATE STREAM jd (" JSON_COLUMNS ") USING json OPTIONS (path 'json', mode 'DROPMALFORMED')",
    "CREATE STREAM jf (" JSON_COLUMNS ") USING json OPTIONS (path 'json', mode 'FAILFAST')",
    "CREATE STREAM jw (" JSON_COLUMNS ", WATERMARK FOR t AS t - INTERVAL 10 MINUTES) USING json OPTIONS (path 'json',"
    " maxFilesPerTrigger 2)",
    "CREATE STREAM c (id BIGINT, k STRING, n INT, d DOUBLE) USING csv OPTIONS (path 'csv', header true, comment '#')",
    "CREATE STREAM cp (id BIGINT, k STRING, n INT, d DOUBLE, _corrupt_record STRING) USING csv OPTIONS (path 'csv')",
    "CREATE STREAM cf (id BIGINT, k STRING, n INT, d DOUBLE) USING csv OPTIONS (path 'csv', mode 'FAILFAST')",
    "CREATE STREAM x (value STRING) USING text OPTIONS (path 'text')",
    "CREATE TABLE days (" JSON_COLUMNS ") USING json OPTIONS (path 'days')",
    "CREATE STREAM newest (id BIGINT, v INT, day DATE, part STRING) USING json OPTIONS (path 'days') PARTITIONED BY "
    "(day,"
    " part)",
};

static const char *const queries[] = {
    "SELECT * FROM j",
    "SELECT * FROM jc",
    "SELECT * FROM jd",
    "SELECT count(*) FROM j",
    "SELECT id, upper(k), v * 2, CAST(d AS STRING), s.y FROM j WHERE v > 2 AND k <> 'b'",
    "SELECT k, count(*), sum(v), sum(d), avg(d), stddev(d), collect_list(id), first(id), last(v), min(t), max(m), "
    "sum(m)"
    " FROM j GROUP BY k",
    "SELECT k, v > 2, count(*), count(v) FILTER (WHERE v > 3), sum(v), avg(v), sum(m), min(t), max(m), min(d), "
    "bool_and(v > 0), bit_xor(v), bit_or(id) FROM j GROUP BY k, v > 2",
    "SELECT count(*), sum(v), max(d), sum(CAST(v AS DECIMAL(20, 0)) * 900000000000000000000) FROM jc WHERE v > 1",
    "SELECT v, sum(CAST(id AS DECIMAL(20, 0)) * 90000000000000000), avg(CAST(v AS DECIMAL(20, 0))) FROM jc GROUP BY v",
    "SELECT s.x, k, count(DISTINCT v), max_by(id, d), listagg(k, '|') FROM j WHERE v >= 0 GROUP BY s.x, k",
    "SELECT id, e, pos FROM j LATERAL VIEW posexplode(a) w AS pos, e",
    "SELECT explode(sequence(1, v + 3)) AS n, id FROM j WHERE v >= 0",
    "SELECT window.start, count(*), sum(d) FROM j GROUP BY window(t, '10 minutes', '5 minutes')",
    "SELECT k, v, count(*), sum(d) FROM j GROUP BY ROLLUP (k, v)",
    "SELECT p.id, q.id, q.k FROM j AS p JOIN c AS q ON p.v = q.n WHERE q.id < 9",
    "SELECT id, row_number() OVER (PARTITION BY k ORDER BY v), lag(id) OVER (ORDER BY d) FROM j",
    "SELECT id, from_utc_timestamp(t, CASE v % 3 WHEN 0 THEN 'Europe/Berlin' WHEN 1 THEN 'America/New_York' ELSE"
    " 'Asia/Tokyo' END), date_format(t, 'EEEE, d MMM') FROM j",
    "SELECT regexp_replace(k, '[a-c]+', '<$0>'), k RLIKE 'a.*b', get_json_object(to_json(s), '$.y'), sha2(k, 256) FROM "
    "j",
    "SELECT id, uuid(), rand(3), randn(4), monotonically_increasing_id() FROM j",
    "SELECT count(DISTINCT current_timestamp()), count(DISTINCT uuid()) > 1 FROM j",
    "SELECT id, transform(a, e -> e + id), filter(a, e -> e > 3) FROM j",
    "SELECT id, k FROM j UNION ALL SELECT id, k FROM c UNION ALL SELECT length(value), value FROM x",
    "SELECT id FROM j LIMIT 5",
    "SELECT id, v FROM j ORDER BY v, id LIMIT 7",
    "SELECT DISTINCT k, v FROM j",
    "SELECT CAST(d AS INT) % 150 AS r, count(*), sum(v), avg(v), sum(m), count(k) FROM j GROUP BY CAST(d AS INT) % 150",
    "SELECT CAST(d AS INT) % 130 AS r, k, sum(d), avg(d), count(*), last(v) FROM j GROUP BY CAST(d AS INT) % 130, k",
    "SELECT * FROM c",
    "SELECT * FROM cp",
    "SELECT k, sum(d), count(*) FROM c GROUP BY k",
    "SELECT value, length(value) FROM x",
    "SELECT * FROM j WHERE id IN (SELECT id FROM c WHERE n > 2)",
    "SELECT * FROM days",
    "SELECT day, part, count(*), sum(d), first(id) FROM days GROUP BY day, part",
    "SELECT id, day FROM days WHERE day > DATE '2023-12-31' AND v > 1",
    "SELECT count(*), count(day) FROM newest WHERE part = 'a' OR day IS NULL",
};

// How many bad records are told before a failure is nobody's promise.
static const char *const failing[] = {
    "SELECT * FROM jf",
    "SELECT id, 10 / (id - 77) FROM j WHERE id > 20",
    "SELECT * FROM cf",
    "SELECT k, sum(10 / (id - 140)) FROM jc GROUP BY k",
};

typedef struct standing_case {
    const char *options, *sql;
} standing_case;

static const standing_case standing[] = {
    {"trigger = 'availableNow'", "SELECT k, count(*) AS c, sum(d) AS s, first(id) AS f FROM j GROUP BY k"},
    {"trigger = 'availableNow'", "SELECT k, count(*) AS c, sum(v) AS s, max(t) AS t, min(m) AS m FROM j GROUP BY k"},
    {"trigger = 'availableNow', outputMode = 'update', checkpointLocation = 'ck'",
     "SELECT v, sum(id) AS s, count(k) AS c FROM jc GROUP BY v"},
    {"trigger = 'availableNow', outputMode = 'complete'", "SELECT count(*) AS c, sum(n) AS s FROM c WHERE n > 3"},
    {"trigger = 'once', outputMode = 'append'", "SELECT id, upper(k) AS u, v + 1 AS w FROM jc WHERE v <> 0"},
    {"trigger = 'availableNow', outputMode = 'append'",
     "SELECT window.start AS w, k, count(*) AS c, sum(d) AS s FROM jw GROUP BY window(t, '10 minutes'), k"},
    {"trigger = 'availableNow', outputMode = 'update', checkpointLocation = 'ck'",
     "SELECT window.start AS w, count(*) AS c, max(d) AS s FROM jw WHERE v > 0 GROUP BY window(t, '10 minutes')"},
    {"trigger = 'availableNow', outputMode = 'append'",
     "SELECT * FROM DEDUPLICATE(TABLE jw, COLUMNS (k), WITHIN WATERMARK)"},
    {"trigger = 'availableNow', outputMode = 'complete'", "SELECT n, count(*) AS c, sum(d) AS s FROM c GROUP BY n"},
    {"trigger = 'availableNow', outputMode = 'changelog'", "SELECT v, max(id) AS hi FROM j GROUP BY v"},
    {"trigger = 'availableNow'", "SELECT p.id, q.id AS other FROM j AS p JOIN c AS q ON p.v = q.n AND q.id < 5"},
    {"trigger = 'availableNow', outputMode = 'append'", "SELECT id, 100 / (id - 60) AS q FROM j"},
    {"trigger = 'availableNow', outputMode = 'append'", "SELECT * FROM jf"},
    {"trigger = 'availableNow'", "SELECT k, sum(100 div (id - 60)) AS s, count(*) AS c FROM j GROUP BY k"},
    {"trigger = 'availableNow'", "SELECT k, sum(100 div (v - 8)) AS s FROM jf GROUP BY k"},
    {"trigger = 'availableNow'", "SELECT day, part, count(*) AS c, sum(v) AS s FROM newest GROUP BY day, part"},
};

// ---- one run: everything that can be seen

static leat_session *session;
static leat_error   *failure;
static text          seen;

static void failure_note(void) {
    const leat_place place = leat_error_place(failure);
    text_add(&seen, "fails %s: %s [%u:%u %s:%" PRIu64 "@%" PRIu64 " %s]\n", leat_error_condition(failure),
             leat_error_message(failure), place.sql_line, place.sql_column, place.path == NULL ? "" : place.path,
             place.data_line, place.data_offset, place.data_column == NULL ? "" : place.data_column);
}

static bool run(const char *sql) {
    if (leat_execute(session, sql, LEAT_TERMINATED, failure) == LEAT_OK) return true;
    failure_note();
    return false;
}

static void show(const char *sql) {
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, failure);
    text_add(&seen, "> %s\n", sql);
    while (status == LEAT_OK || status == LEAT_ROW) {
        status = leat_step(statement, failure);
        if (status != LEAT_ROW) break;
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            size_t      bytes = 4;
            const char *value = leat_column_is_null(statement, c) ? "NULL" : leat_column_text(statement, c, &bytes);
            text_append(&seen, value, bytes);
            text_append(&seen, "\t", 1);
        }
        text_append(&seen, "\n", 1);
    }
    if (status != LEAT_DONE) failure_note();
    leat_statement_close(&statement);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static void file_show(const char *folder, const char *name) {
    char   path[600], bytes[4096];
    size_t count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    while (file != NULL && (count = fread(bytes, 1, sizeof bytes, file)) > 0) text_append(&seen, bytes, count);
    if (file != NULL) fclose(file);
}

typedef struct way { // to run
    uint32_t threads, morsel_bytes;
    uint32_t held_groups_min; // 0: the default
    bool     is_background;   // leat_options.threads, else SET threads
} way;

static bool session_begin(const char *folder, const way *how) {
    static const leat_allocator allocator = {.reallocate = yielding_reallocate};
    leat_options                options   = {.struct_size = sizeof options,
                                             .folder      = folder,
                                             .random_seed = 7,
                                             .threads     = how->is_background ? how->threads : 0,
                                             .allocator   = &allocator};
    char                        sql[64];
    if (leat_open(&options, &session, failure) != LEAT_OK) return false;
    session->morsel_bytes    = how->morsel_bytes;
    session->held_groups_min = how->held_groups_min;
    session->held_bytes_max  = how->held_groups_min != 0 ? 1 : 0;
    snprintf(sql, sizeof sql, "SET threads = %u", how->threads);
    if (!run(sql)) return false;
    for (size_t i = 0; i < sizeof set_up / sizeof set_up[0]; i++)
        if (!run(set_up[i])) return false;
    return true;
}

static bool queries_run(const char *folder, const way *how) {
    if (!session_begin(folder, how)) return false;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        show(queries[i]);
        show("SELECT count(*) FROM leat_bad_rows");
    }
    show("SELECT * FROM leat_bad_rows");
    (void)run("COPY (SELECT id, k, d, s FROM j WHERE v > 0) TO 'copy.json' (FORMAT json)");
    file_show(folder, "copy.json");
    (void)run("CREATE TABLE copied AS SELECT * FROM c");
    show("SELECT * FROM copied");
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) show(failing[i]);
    leat_close(&session, failure);
    return true;
}

static bool standing_run(const char *folder, const way *how, const standing_case *of) {
    char sql[1024], path[600];
    if (!session_begin(folder, how)) return false;
    snprintf(sql, sizeof sql, "CREATE MATERIALIZED VIEW q WITH (%s) AS %s", of->options, of->sql);
    text_add(&seen, "> %s\n", sql);
    const bool has_run = run(sql) && run("AWAIT TERMINATION q");
    show("SELECT * FROM q");
    show("SELECT batchId, numInputRows, numOutputRows, watermark, eventTimeMin, eventTimeMax, eventTimeAvg, "
         "numRowsTotal,"
         " numRowsUpdated, numRowsRemoved, numRowsDroppedByWatermark, numBadRows FROM leat_progress");
    if (has_run) show("SELECT * FROM leat_bad_rows");
    show("SELECT * FROM leat_late_rows");
    leat_close(&session, failure);
    snprintf(path, sizeof path, "%s/ck", folder);
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return true;
}

static bool way_run(const char *folder, const way *how) {
    seen.count = 0;
    bool is_ok = queries_run(folder, how);
    for (size_t i = 0; is_ok && i < sizeof standing / sizeof standing[0]; i++)
        is_ok = standing_run(folder, how, &standing[i]);
    if (!is_ok) printf("cannot run: %s\n", leat_error_message(failure));
    return is_ok;
}

// ---- memory that ends, and interrupts: the whole answer, or the error that was asked for

static const char *const hard = "SELECT k, s.x, count(*), sum(d), collect_list(id) FROM jc GROUP BY k, s.x";

static bool ends_well(const text *whole, const char *condition) {
    seen.count = 0;
    show(hard);
    if (seen.count == whole->count && memcmp(seen.bytes, whole->bytes, seen.count) == 0) return true;
    if (strcmp(leat_error_condition(failure), condition) == 0) return true;
    printf("neither the answer nor %s: %.2000s\n", condition, seen.bytes);
    return false;
}

static bool memory_run(const char *folder, const text *whole) {
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < 12; i++) {
        const way how = {.threads = 2 + random_below(4), .morsel_bytes = 16 + random_below(300)};
        if (!session_begin(folder, &how)) return false;
        session->account.bytes_max = session->account.bytes + 20000 + random_below(400000);
        is_ok                      = ends_well(whole, "OUT_OF_MEMORY");
        session->account.bytes_max = 0;
        is_ok                      = is_ok && ends_well(whole, ""); // the session goes on
        leat_close(&session, failure);
    }
    return is_ok;
}

typedef struct interrupting {
    atomic_bool is_over;
    uint32_t    pause;
} interrupting;

static void *interrupt_often(void *user) {
    interrupting *self = user;
    while (!atomic_load(&self->is_over)) {
        for (uint32_t i = 0; i < self->pause; i++) sched_yield();
        leat_interrupt(session);
    }
    return NULL;
}

static bool interrupts_run(const char *folder, const text *whole) {
    const way    how   = {.threads = 4, .morsel_bytes = 64};
    interrupting other = {.pause = 1 + random_below(300)};
    pthread_t    thread;
    bool         is_ok = true;
    if (!session_begin(folder, &how)) return false;
    if (pthread_create(&thread, NULL, interrupt_often, &other) != 0) return false;
    for (uint32_t i = 0; is_ok && i < 20; i++) is_ok = ends_well(whole, "INTERRUPTED");
    atomic_store(&other.is_over, true);
    pthread_join(thread, NULL);
    is_ok = is_ok && ends_well(whole, "");
    leat_close(&session, failure);
    return is_ok;
}

static bool endings_run(const char *folder) {
    const way one   = {.threads = 0};
    text      whole = {0};
    if (!session_begin(folder, &one)) return false;
    seen.count = 0;
    show(hard);
    text_append(&whole, seen.bytes, seen.count);
    leat_close(&session, failure);
    const bool is_ok = memory_run(folder, &whole) && interrupts_run(folder, &whole);
    free(whole.bytes);
    return is_ok;
}

static void difference_print(const char *expected, const char *found) {
    size_t      line_start = 0, at = 0;
    const char *query = expected;
    for (; expected[at] != '\0' && expected[at] == found[at]; at++) {
        if (expected[at] == '\n') line_start = at + 1;
        if (expected[at] == '>' && (at == 0 || expected[at - 1] == '\n')) query = expected + at;
    }
    printf("  of    %.*s\n  one   %.*s\n  many  %.*s\n", (int)strcspn(query, "\n"), query,
           (int)strcspn(expected + line_start, "\n"), expected + line_start, (int)strcspn(found + line_start, "\n"),
           found + line_start);
}

static bool seed_run(uint64_t seed, bool is_verbose) {
    static const uint32_t thread_counts[] = {2, 7, 4, 1}, sizes[] = {1, 2, 7, 64, 333, 1024, 4096};
    char                  folder[] = "/tmp/leat_threads_XXXXXX";
    bool                  is_equal = true;
    const way             one      = {.threads = 0};
    random_state                   = seed * 0x9e3779b97f4a7c15ULL + 1;
    for (int i = 0; i < 8; i++) (void)random_below(2);
    if (mkdtemp(folder) == NULL) return false;
    files_write(folder, "json", "json", json_row, "");
    files_write(folder, "csv", "csv", csv_row, "id,k,n,d\n");
    files_write(folder, "text", "text", text_row, "");
    folders_write(folder);
    is_equal    = way_run(folder, &one);
    text oracle = seen;
    seen        = (text){0};
    for (size_t i = 0; is_equal && i < sizeof thread_counts / sizeof thread_counts[0]; i++) {
        const way how = {.threads         = thread_counts[i],
                         .morsel_bytes    = sizes[random_below(7)],
                         .held_groups_min = random_below(2) * 8,
                         .is_background   = random_below(3) == 0};
        if (is_verbose)
            printf("seed %" PRIu64 ": %u threads, morsels of %u bytes%s, %zu bytes\n", seed, how.threads,
                   how.morsel_bytes, how.is_background ? ", in the background" : "", oracle.count);
        is_equal =
            way_run(folder, &how) && seen.count == oracle.count && memcmp(seen.bytes, oracle.bytes, seen.count) == 0;
        if (is_equal) continue;
        printf("seed %" PRIu64 " differs with %u threads, morsels of %u bytes%s\n", seed, how.threads, how.morsel_bytes,
               how.is_background ? ", in the background" : "");
        difference_print(oracle.bytes, seen.bytes);
        printf("  again: threads_equal --seed %" PRIu64 "\n", seed);
    }
    if (is_equal && !endings_run(folder)) {
        is_equal = false;
        printf("  again: threads_equal --seed %" PRIu64 "\n", seed);
    }
    free(oracle.bytes);
    free(seen.bytes);
    seen = (text){0};
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return is_equal;
}

int main(int argument_count, char **arguments) {
    uint64_t first_seed = 1, seeds = 1, failed = 0;
    bool     is_verbose = false;
    for (int i = 1; i < argument_count; i++) {
        const bool has_value = i + 1 < argument_count;
        if (strcmp(arguments[i], "-v") == 0) {
            is_verbose = true;
        } else if (strcmp(arguments[i], "--seed") == 0 && has_value) {
            first_seed = strtoull(arguments[++i], NULL, 10);
            seeds      = 1;
        } else if (strcmp(arguments[i], "--seeds") == 0 && has_value) {
            seeds = strtoull(arguments[++i], NULL, 10);
        } else {
            fprintf(stderr, "usage: threads_equal [--seed N] [--seeds N] [-v]\n");
            return 2;
        }
    }
    if (leat_error_create(&failure) != LEAT_OK) return 2;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) failed += !seed_run(seed, is_verbose);
    leat_error_destroy(&failure);
    printf("%" PRIu64 " seeds, %" PRIu64 " differ\n", seeds, failed);
    return failed > 0;
}
