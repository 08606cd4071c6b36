#include "exec/session.h"

#include <stdlib.h>
#include <strings.h>

// ---------------------------------------------------------------------------------------------------------------- time

enum { ZONE_FILE_BYTES_MAX = 1024 * 1024 };

// Zone files are the system's; the folder of the session has nothing to do with them.
static leat_status zone_read(void *user, const char *name, lt_buffer *out, bool *out_exists, leat_error *err) {
    leat_session *session   = user;
    char          path[256] = "/usr/share/zoneinfo/";
    size_t        used = strlen(path), bytes = strlen(name), count = 0;
    lt_fs         fs;
    lt_file       file;
    *out_exists = false;
    if (bytes + used >= sizeof path) return LEAT_OK;
    memcpy(path + used, name, bytes + 1);
    lt_fs_init(&fs, session->options.file_system, NULL);
    if (lt_file_open_code(&fs, path, LEAT_OPEN_READ, &file) != 0) return LEAT_OK;
    leat_file_info info;
    leat_status    status = lt_file_info(&file, &info, NULL);
    if (status == LEAT_OK && info.kind == LEAT_FILE_REGULAR && info.bytes <= ZONE_FILE_BYTES_MAX) {
        status = lt_buffer_reserve(out, (size_t)info.bytes, err);
        if (status == LEAT_OK) status = lt_file_read(&file, 0, out->data + out->bytes, (size_t)info.bytes, &count, err);
        out->bytes += count;
        *out_exists = status == LEAT_OK;
    } else {
        status = LEAT_OK; // a folder, as "Europe": no zone
    }
    (void)lt_file_close(&file, NULL);
    return status;
}

lt_evaluation lt_session_evaluation(leat_session *session) {
    lt_evaluation evaluation = session->evaluation;
    evaluation.now_us = lt_clock_now_us(session->clock_used) / 1000 * 1000; // milliseconds, as Spark's batch time
    evaluation.is_time_type_enabled = strcmp(lt_setting_text(session, "timeType"), "true") == 0;
    evaluation.random_seed          = session->random_seed + session->random_next++ * 0x9e3779b97f4a7c15ULL;
    return evaluation;
}

bool lt_session_is_interrupted(void *user) {
    leat_session *session = user;
    return atomic_load_explicit(&session->is_interrupted, memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------------- open,
// close

static void *worker_run(void *user);

leat_status leat_open(const leat_options *options, leat_session **out_session, leat_error *err) {
    lt_error_reset(err);
    *out_session          = NULL;
    leat_options defaults = {.struct_size = sizeof defaults};
    if (options == NULL) options = &defaults;
    if (options->struct_size < sizeof(size_t) || options->struct_size > sizeof *options)
        return lt_raise(err, LT_MISUSE, NULL, "leat_options.struct_size is %zu; set it to sizeof(leat_options)",
                        options->struct_size);
    lt_account birth;
    lt_account_init(&birth, options->allocator, NULL, 0);
    leat_session *session = lt_account_reallocate(&birth, NULL, 0, sizeof *session);
    if (session == NULL) return lt_raise_no_memory(err);
    *session = (leat_session){0};
    memcpy(&session->options, options, options->struct_size);
    lt_account_init(&session->account, options->allocator, NULL, options->memory_limit_bytes);
    lt_arena_init(&session->arena, &session->account);
    lt_arena_init(&session->settings_arena, &session->account);
    session->catalog.account = &session->account;
    lt_fs_init(&session->fs, session->options.file_system, session->options.folder);
    if (options->clock != NULL) {
        session->clock      = *options->clock;
        session->clock_used = &session->clock;
    }
    session->random_seed = options->random_seed != 0 ? options->random_seed : lt_system_random();
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&session->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    pthread_cond_init(&session->wake, NULL);
    lt_input_prefix_init(&session->input, &session->account, session->options.input, session->options.user);
    memcpy(session->time_zone, "UTC", 4);
    leat_status status  = lt_time_zones_create(&session->account, zone_read, session, &session->zones, err);
    session->evaluation = (lt_evaluation){.time_zone      = session->time_zone,
                                          .account        = &session->account,
                                          .zones          = session->zones,
                                          .is_interrupted = lt_session_is_interrupted,
                                          .user           = session,
                                          .current_user   = "leat"};
    if (status == LEAT_OK) status = lt_system_tables_register(session, err);
    if (status == LEAT_OK && options->threads > 0) {
        if (pthread_create(&session->worker, NULL, worker_run, session) != 0)
            status = lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "the system gives no thread");
        else
            session->has_worker = true;
    }
    if (status != LEAT_OK) {
        leat_close(&session, NULL);
        return status;
    }
    *out_session = session;
    return LEAT_OK;
}

static void kept_free(leat_session *session, lt_report_rows *kept, size_t row_bytes, size_t text_count,
                      const size_t *offsets) {
    for (uint32_t i = 0; i < kept->count; i++) {
        char *row = kept->rows[(kept->first + i) % LT_KEPT_ROWS_MAX];
        for (size_t t = 0; t < text_count; t++) {
            char *text;
            memcpy(&text, row + offsets[t], sizeof text);
            if (text != NULL) lt_account_reallocate(&session->account, text, strlen(text) + 1, 0);
        }
        lt_account_reallocate(&session->account, row, row_bytes, 0);
    }
    lt_account_reallocate(&session->account, kept->rows,
                          sizeof *kept->rows * (kept->rows == NULL ? 0 : LT_KEPT_ROWS_MAX), 0);
    *kept = (lt_report_rows){0};
}

static const size_t bad_texts[]  = {offsetof(lt_bad_row_entry, stream), offsetof(lt_bad_row_entry, path),
                                    offsetof(lt_bad_row_entry, column), offsetof(lt_bad_row_entry, reason),
                                    offsetof(lt_bad_row_entry, record)};
static const size_t late_texts[] = {offsetof(lt_late_row_entry, query), offsetof(lt_late_row_entry, operator_name),
                                    offsetof(lt_late_row_entry, row)};

void lt_report_rows_add(leat_session *session, lt_report_rows *kept, void *row) {
    bool is_bad = kept == &session->bad_rows;
    kept->total++;
    if (kept->rows == NULL)
        kept->rows = lt_account_reallocate(&session->account, NULL, 0, sizeof *kept->rows * LT_KEPT_ROWS_MAX);
    if (kept->rows == NULL || kept->count == LT_KEPT_ROWS_MAX) {
        // The oldest goes; without a ring the new one does.
        void *gone = kept->rows == NULL ? row : kept->rows[kept->first];
        for (size_t t = 0; t < (is_bad ? 5u : 3u); t++) {
            char *text;
            memcpy(&text, (char *)gone + (is_bad ? bad_texts : late_texts)[t], sizeof text);
            if (text != NULL) lt_account_reallocate(&session->account, text, strlen(text) + 1, 0);
        }
        lt_account_reallocate(&session->account, gone, is_bad ? sizeof(lt_bad_row_entry) : sizeof(lt_late_row_entry),
                              0);
        if (kept->rows == NULL) return;
        kept->first = (kept->first + 1) % LT_KEPT_ROWS_MAX;
        kept->count--;
    }
    kept->rows[(kept->first + kept->count++) % LT_KEPT_ROWS_MAX] = row;
}

leat_status leat_close(leat_session **session, leat_error *err) {
    lt_error_reset(err);
    if (session == NULL || *session == NULL) return LEAT_OK;
    leat_session *self = *session;
    if (self->is_in_callback)
        return lt_raise(err, LT_MISUSE, NULL, "a session cannot be closed inside one of its callbacks");
    if (self->has_worker) {
        pthread_mutex_lock(&self->lock);
        self->is_closing = true;
        pthread_cond_broadcast(&self->wake);
        pthread_mutex_unlock(&self->lock);
        pthread_join(self->worker, NULL);
    }
    leat_status status = LEAT_OK;
    for (lt_standing *query = self->standing; query != NULL;) {
        lt_standing *next = query->next;
        if (query->state == LEAT_QUERY_FAILED && status == LEAT_OK) {
            status = query->error.status;
            if (err != NULL) *err = query->error;
        }
        lt_standing_destroy(&query);
        query = next;
    }
    self->standing = NULL;
    while (self->catalog.entries != NULL) {
        lt_catalog_entry *entry = self->catalog.entries;
        if (entry->kind == LT_RELATION_MEMORY_TABLE && entry->object != NULL) lt_table_deinit(entry->object);
        if (entry->kind == LT_RELATION_STREAM || entry->kind == LT_RELATION_FILE_TABLE)
            lt_stream_destroy(self, entry->object);
        lt_catalog_remove(&self->catalog, entry);
    }
    while (self->catalog.variables != NULL) {
        lt_catalog_variable *next  = self->catalog.variables->next;
        lt_arena             arena = self->catalog.variables->arena;
        self->catalog.variables    = next;
        lt_arena_deinit(&arena);
    }
    while (self->catalog.functions != NULL) {
        lt_catalog_function *next  = self->catalog.functions->next;
        lt_arena             arena = self->catalog.functions->arena;
        self->catalog.functions    = next;
        lt_arena_deinit(&arena);
    }
    kept_free(self, &self->bad_rows, sizeof(lt_bad_row_entry), 5, bad_texts);
    kept_free(self, &self->late_rows, sizeof(lt_late_row_entry), 3, late_texts);
    if (self->zones != NULL) lt_time_zones_destroy(&self->zones);
    lt_input_prefix_deinit(&self->input);
    lt_arena_deinit(&self->settings_arena);
    lt_arena_deinit(&self->arena);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->wake);
    leat_allocator allocator = self->account.allocator;
    allocator.reallocate(allocator.user, self, sizeof *self, 0);
    *session = NULL;
    return status;
}

const char *leat_version(void) { return "0.1.0"; }

leat_status lt_session_enter(leat_session *session, leat_error *err) {
    if (session == NULL) return lt_raise(err, LT_MISUSE, NULL, "the session is NULL");
    pthread_mutex_lock(&session->lock);
    if (session->is_in_callback) {
        pthread_mutex_unlock(&session->lock);
        return lt_raise(err, LT_MISUSE, NULL, "a callback cannot call back into its session");
    }
    lt_error_reset(err);
    if (session->calls++ == 0) atomic_store(&session->is_interrupted, false);
    return LEAT_OK;
}

void lt_session_leave(leat_session *session) {
    session->calls--;
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->lock);
}

void leat_interrupt(leat_session *session) {
    if (session != NULL) atomic_store(&session->is_interrupted, true);
}

// -----------------------------------------------------------------------------------------------------------------
// runs

static int64_t due_next_us(const leat_session *session) {
    int64_t next = INT64_MAX;
    for (const lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->state == LEAT_QUERY_RUNNING && query->next_trigger_us < next) next = query->next_trigger_us;
    return next;
}

// One round over all queries; *out_ran tells whether a batch ran.
static leat_status run_round(leat_session *session, bool *out_ran) {
    *out_ran = false;
    for (lt_standing *query = session->standing; query != NULL; query = query->next) {
        bool ran = false;
        if (query->state != LEAT_QUERY_RUNNING && query->state != LEAT_QUERY_READY) continue;
        if (query->state == LEAT_QUERY_READY && lt_standing_start(query, NULL) != LEAT_OK) continue;
        if (query->trigger == LT_TRIGGER_INTERVAL && lt_clock_now_us(session->clock_used) < query->next_trigger_us)
            continue;
        (void)lt_standing_step(query, &ran, NULL); // the query keeps its failure
        *out_ran |= ran;
        if (lt_session_is_interrupted(session)) return LEAT_INTERRUPTED;
    }
    return LEAT_OK;
}

enum { IDLE_US = 10000 }; // how long to wait before asking sources again, Spark's pollingDelay

leat_status leat_run(leat_session *session, int64_t timeout_us, int64_t *out_next_us, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    int64_t     deadline = timeout_us < 0 ? INT64_MAX : lt_clock_steady_us(session->clock_used) + timeout_us;
    leat_status status   = LEAT_OK;
    for (;;) {
        bool ran = false;
        status   = run_round(session, &ran);
        if (status != LEAT_OK) {
            status = lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
            break;
        }
        if (ran) continue;
        int64_t now = lt_clock_steady_us(session->clock_used);
        if (now >= deadline) break;
        bool is_alive = false;
        for (const lt_standing *query = session->standing; query != NULL; query = query->next)
            is_alive |= query->state == LEAT_QUERY_RUNNING;
        if (!is_alive) break;
        int64_t left = deadline - now;
        lt_session_leave(session);
        lt_clock_sleep_us(session->clock_used, left < IDLE_US ? left : IDLE_US);
        status = lt_session_enter(session, err);
        if (status != LEAT_OK) return status;
    }
    if (out_next_us != NULL) *out_next_us = due_next_us(session);
    lt_session_leave(session);
    return status;
}

// The background worker runs rounds and lets others in between them.
static void *worker_run(void *user) {
    leat_session *session = user;
    pthread_mutex_lock(&session->lock);
    while (!session->is_closing) {
        bool ran = false;
        session->calls++;
        (void)run_round(session, &ran);
        session->calls--;
        pthread_mutex_unlock(&session->lock);
        if (!ran) lt_clock_sleep_us(NULL, IDLE_US);
        pthread_mutex_lock(&session->lock);
    }
    pthread_mutex_unlock(&session->lock);
    return NULL;
}

int leat_wake_fd(leat_session *session) {
    (void)session;
    return -1;
}

// -------------------------------------------------------------------------------------------------------------
// settings

const lt_setting lt_settings[] = {
    {.name    = "timeZone",
     .spark   = "spark.sql.session.timeZone",
     .initial = "UTC",
     .summary = "zone of text without zone, of printing and of date parts"},
    {.name    = "lateRowTest",
     .words   = "at below",
     .initial = "at",
     .summary = "whether a row exactly at the watermark is late"},
    {.name    = "multipleWatermarkPolicy",
     .spark   = "spark.sql.streaming.multipleWatermarkPolicy",
     .words   = "min max",
     .initial = "min",
     .summary = "watermark of a query with several event times"},
    {.name = "threads", .words = "INT", .initial = "0", .summary = "worker threads"},
    {.name = "memoryLimit", .words = "INT", .initial = "0", .summary = "bytes the session may use; 0: no limit"},
    {.name = "checkpointSync", .words = "full group off", .initial = "full", .summary = "when a commit is on disk"},
    {.name    = "ansi",
     .spark   = "spark.sql.ansi.enabled",
     .words   = "true",
     .initial = "true",
     .summary = "errors instead of silent NULLs; there is no other mode"},
    {.name    = "caseSensitive",
     .spark   = "spark.sql.caseSensitive",
     .words   = "false",
     .initial = "false",
     .summary = "names are compared without case; there is no other mode"},
    {.name    = "shufflePartitions",
     .spark   = "spark.sql.shuffle.partitions",
     .words   = "INT",
     .initial = "1",
     .summary = "accepted for Spark's sake; has no effect"},
    {.name    = "timeType",
     .spark   = "spark.sql.timeType.enabled",
     .words   = "true false",
     .initial = "false",
     .summary = "whether the type TIME may be named"},
    {.name    = "noDataBatches",
     .spark   = "spark.sql.streaming.noDataMicroBatches.enabled",
     .words   = "true false",
     .initial = "true",
     .summary = "batches without input that release output"},
    {.name    = "recompute",
     .words   = "needed all",
     .initial = "needed",
     .summary = "all: every stateful operator recomputes (the oracle of tests)"},
    {0},
};

static const lt_setting *setting_find(const char *name) {
    for (const lt_setting *row = lt_settings; row->name != NULL; row++)
        if (strcasecmp(row->name, name) == 0 || (row->spark != NULL && strcasecmp(row->spark, name) == 0)) return row;
    return NULL;
}

const char *lt_setting_text(const leat_session *session, const char *name) {
    const lt_setting *row = setting_find(name);
    if (row == NULL) return NULL;
    if (session->setting_values != NULL && session->setting_values[row - lt_settings] != NULL)
        return session->setting_values[row - lt_settings];
    return row->initial;
}

static bool word_is_allowed(const char *words, const char *value) {
    if (words == NULL) return true;
    if (strcmp(words, "INT") == 0) {
        for (const char *c = value; *c != '\0'; c++)
            if (*c < '0' || *c > '9') return false;
        return value[0] != '\0';
    }
    size_t bytes = strlen(value);
    for (const char *word = words; *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (length == bytes && strncasecmp(word, value, bytes) == 0) return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

leat_status lt_setting_set(leat_session *session, const char *name, const char *value, const lt_place *place,
                           leat_error *err) {
    const lt_setting *row = setting_find(name);
    if (row == NULL) {
        // Spark's other keys are accepted and remembered by nobody: scripts of Spark users set many of them.
        if (strncasecmp(name, "spark.", 6) == 0) return LEAT_OK;
        return lt_raise(err, LT_INVALID_SETTING, place, "no setting `%s`; SHOW SETTINGS lists them", name);
    }
    if (!word_is_allowed(row->words, value))
        return lt_raise(err, LT_INVALID_SETTING, place, "setting `%s` takes %s, not `%s`", row->name, row->words,
                        value);
    if (strcasecmp(row->name, "timeZone") == 0) {
        lt_time_zone zone;
        LT_TRY(lt_time_zone_find(session->zones, value, strlen(value), &zone, err));
        memcpy(session->time_zone, zone.id, sizeof session->time_zone);
    }
    if (strcasecmp(row->name, "memoryLimit") == 0) {
        uint64_t bytes = 0;
        for (const char *c = value; *c != '\0' && bytes < UINT64_MAX / 20; c++)
            bytes = bytes * 10 + (uint64_t)(*c - '0');
        session->account.bytes_max = bytes;
    }
    size_t count = sizeof lt_settings / sizeof lt_settings[0];
    if (session->setting_values == NULL)
        LT_TRY_NEW_ARRAY(session->setting_values, &session->settings_arena, count, err);
    char *copy = lt_arena_text(&session->settings_arena, value, strlen(value));
    if (copy == NULL) return lt_raise_no_memory(err);
    session->setting_values[row - lt_settings] = copy;
    return LEAT_OK;
}
