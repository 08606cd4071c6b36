#include "exec/session.h"

#include "base/ascii.h"
#include "exec/workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
    evaluation.current_schema       = session->catalog.schema;
    evaluation.is_time_type_enabled = strcmp(lt_setting_text(session, "timeType"), "true") == 0;
    evaluation.random_seed          = session->random_seed + session->random_next++ * 0x9e3779b97f4a7c15ULL;
    return evaluation;
}

// leat_interrupt ends calls of the host; the worker's batches end when the session closes.
bool lt_session_is_interrupted(void *user) {
    leat_session *session = user;
    return atomic_load_explicit(session->is_worker_round ? &session->is_closing : &session->is_interrupted,
                                memory_order_relaxed);
}

// --------------------------------------------------------------------------------------------------------- open, close

static void *worker_run(void *user);

// Members that leat calls without asking must be there.
static leat_status file_system_check(const leat_file_system *fs, leat_error *err) {
    if (fs->struct_size != sizeof *fs && fs->struct_size != offsetof(leat_file_system, watch_open))
        return lt_raise(err, LT_MISUSE, NULL, "leat_file_system.struct_size is %zu; set it to sizeof(leat_file_system)",
                        fs->struct_size);
    bool is_whole = fs->open != NULL && fs->close != NULL && fs->read != NULL && fs->write != NULL &&
                    fs->truncate != NULL && fs->sync != NULL && fs->lock != NULL && fs->info != NULL &&
                    fs->list != NULL && fs->rename != NULL && fs->remove != NULL && fs->make_folder != NULL;
    if (!is_whole) return lt_raise(err, LT_MISUSE, NULL, "every function of leat_file_system must be given");
    if (fs->struct_size < sizeof *fs || fs->watch_open == NULL) return LEAT_OK;
    is_whole =
        fs->watch_folder != NULL && fs->watch_forget != NULL && fs->watch_read != NULL && fs->watch_close != NULL;
    return is_whole ? LEAT_OK : lt_raise(err, LT_MISUSE, NULL, "all watch functions of leat_file_system go together");
}

// Copies the options; a caller of an older leat.h gives fewer members, the others stay zero.
static leat_status options_take(const leat_options *given, leat_options *out, leat_error *err) {
    *out = (leat_options){.struct_size = sizeof *out};
    if (given == NULL) return LEAT_OK;
    if (given->struct_size < sizeof(size_t) || given->struct_size > sizeof *given)
        return lt_raise(err, LT_MISUSE, NULL, "leat_options.struct_size is %zu; set it to sizeof(leat_options)",
                        given->struct_size);
    memcpy(out, given, given->struct_size);
    if (out->allocator != NULL && out->allocator->reallocate == NULL)
        return lt_raise(err, LT_MISUSE, NULL, "leat_allocator.reallocate is NULL");
    if (out->file_system != NULL) return file_system_check(out->file_system, err);
    return LEAT_OK;
}

static void lock_init(leat_session *session) {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&session->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

// Threads allocate at once, a host's allocator is called by one at a time.
static void *allocator_call(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    leat_session         *session = user;
    const leat_allocator *own     = session->options.allocator;
    pthread_mutex_lock(&session->allocator_lock);
    void *moved = own->reallocate(own->user, memory, old_bytes, new_bytes);
    pthread_mutex_unlock(&session->allocator_lock);
    return moved;
}

leat_status lt_session_workers(leat_session *session, lt_workers **out, leat_error *err) {
    const uint32_t wanted = session->thread_count < 2 ? 0 : session->thread_count - 1;
    if (session->workers == NULL && wanted > 0)
        LT_TRY(lt_workers_create(&session->account, wanted, &session->workers, err));
    *out = session->workers != NULL && lt_workers_count(session->workers) > 0 ? session->workers : NULL;
    return LEAT_OK;
}

// The thread that runs rounds while the host does other things; it takes no signals.
static leat_status worker_start(leat_session *session, leat_error *err) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(&session->worker, NULL, worker_run, session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "the system gives no thread");
    pthread_setname_np(session->worker, "leat");
    session->has_worker = true;
    return LEAT_OK;
}

leat_status leat_open(const leat_options *given, leat_session **out_session, leat_error *err) {
    leat_options  copy;
    leat_options *options = &copy;
    lt_error_reset(err);
    if (out_session == NULL) return lt_raise(err, LT_MISUSE, NULL, "leat_open needs a place for the session");
    *out_session = NULL;
    LT_TRY(options_take(given, options, err));
    lt_account birth;
    lt_account_init(&birth, options->allocator, NULL, 0);
    leat_session *session = lt_account_reallocate(&birth, NULL, 0, sizeof *session);
    if (session == NULL) return lt_raise_no_memory(err);
    *session         = (leat_session){0};
    session->options = *options;
    pthread_mutex_init(&session->allocator_lock, NULL);
    lt_spare_blocks_init(&session->spare_blocks, &session->account);
    const leat_allocator guarded = {.reallocate = allocator_call, .user = session},
                         own     = lt_spare_blocks_allocator(&session->spare_blocks);
    lt_account_init(&session->account, options->allocator == NULL ? &own : &guarded, NULL, options->memory_limit_bytes);
    lt_arena_init(&session->arena, &session->account);
    lt_arena_init(&session->settings_arena, &session->account);
    session->catalog.account = &session->account;
    lock_init(session);
    lt_wake_init(&session->wake_signal);
    lt_wake_init(&session->bell);
    lt_folder_watch_init(&session->folder_watch, &session->fs);
    leat_status status = LEAT_OK;
    if (options->folder != NULL) {
        session->options.folder = lt_arena_text(&session->arena, options->folder, strlen(options->folder));
        if (session->options.folder == NULL) status = lt_raise_no_memory(err);
    }
    if (options->file_system != NULL) {
        memcpy(&session->file_system, options->file_system, options->file_system->struct_size);
        session->options.file_system = &session->file_system;
    }
    lt_fs_init(&session->fs, session->options.file_system, session->options.folder);
    session->fs.is_closed = session->options.no_files;
    if (options->clock != NULL) {
        session->clock      = *options->clock;
        session->clock_used = &session->clock;
    }
    session->random_seed = options->random_seed != 0 ? options->random_seed : lt_system_random();
    lt_input_prefix_init(&session->input, &session->account, session->options.input, session->options.user);
    memcpy(session->time_zone, "UTC", 4);
    if (status == LEAT_OK) status = lt_time_zones_create(&session->account, zone_read, session, &session->zones, err);
    session->evaluation = (lt_evaluation){.time_zone      = session->time_zone,
                                          .account        = &session->account,
                                          .zones          = session->zones,
                                          .is_interrupted = lt_session_is_interrupted,
                                          .user           = session,
                                          .rows_read      = &session->rows_read,
                                          .current_user   = "leat"};
    if (status == LEAT_OK) status = lt_system_tables_register(session, err);
    if (status == LEAT_OK && options->threads > 0) {
        char text[16];
        snprintf(text, sizeof text, "%u", options->threads);
        status = lt_setting_set(session, "threads", text, NULL, err);
        if (status == LEAT_OK) status = worker_start(session, err);
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
    pthread_mutex_lock(&self->lock); // waits for a callback of the worker; one of this thread is the misuse
    bool is_in_callback = self->is_in_callback;
    pthread_mutex_unlock(&self->lock);
    if (is_in_callback) return lt_raise(err, LT_MISUSE, NULL, "a session cannot be closed inside one of its callbacks");
    if (self->has_worker) {
        atomic_store(&self->is_closing, true);
        pthread_mutex_lock(&self->lock);
        lt_wake_set(&self->bell);
        pthread_mutex_unlock(&self->lock);
        pthread_join(self->worker, NULL);
    }
    lt_workers_destroy(&self->workers);
    leat_status status = LEAT_OK;
    lt_appends_close(self);
    lt_queries_close(self);
    while (self->statements != NULL) {
        leat_statement *statement = self->statements;
        leat_statement_close(&statement);
    }
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
    lt_host_functions_close(self);
    lt_folder_watch_deinit(&self->folder_watch);
    lt_wake_deinit(&self->wake_signal);
    lt_wake_deinit(&self->bell);
    lt_arena_deinit(&self->settings_arena);
    lt_arena_deinit(&self->arena);
    pthread_mutex_destroy(&self->lock);
    pthread_mutex_destroy(&self->allocator_lock);
    lt_spare_blocks_deinit(&self->spare_blocks);
    lt_account birth; // the one that it was born from
    lt_account_init(&birth, self->options.allocator, NULL, 0);
    birth.allocator.reallocate(birth.allocator.user, self, sizeof *self, 0);
    *session = NULL;
    return status;
}

const lt_function *const *lt_session_functions(const leat_session *session) {
    return session->functions != NULL ? session->functions : lt_function_registry;
}

const char *leat_version(void) { return "0.1.0"; }

static void session_lock(leat_session *session) {
    atomic_fetch_add(&session->waiting, 1);
    pthread_mutex_lock(&session->lock);
    atomic_fetch_sub(&session->waiting, 1);
    session->lock_depth++;
}

static void session_unlock(leat_session *session) {
    session->lock_depth--;
    pthread_mutex_unlock(&session->lock);
}

// Waits at most that long, by the system's clock (whoever sets it meanwhile moves the end); below 0: without a limit.
static bool session_lock_within(leat_session *session, int64_t timeout_us) {
    struct timespec until;
    if (timeout_us < 0) {
        session_lock(session);
        return true;
    }
    const int64_t now_us = lt_clock_now_us(NULL), most_us = INT64_MAX - now_us;
    const int64_t end_us = now_us + (timeout_us < most_us ? timeout_us : most_us);
    until                = (struct timespec){.tv_sec = end_us / 1000000, .tv_nsec = end_us % 1000000 * 1000};
    atomic_fetch_add(&session->waiting, 1);
    const int code = pthread_mutex_timedlock(&session->lock, &until);
    atomic_fetch_sub(&session->waiting, 1);
    if (code != 0) return false;
    session->lock_depth++;
    return true;
}

leat_status lt_session_enter(leat_session *session, leat_error *err) {
    return lt_session_enter_within(session, -1, err);
}

leat_status lt_session_enter_within(leat_session *session, int64_t timeout_us, leat_error *err) {
    if (session == NULL) {
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "the session is NULL");
    }
    if (!session_lock_within(session, timeout_us)) {
        lt_error_reset(err);
        return lt_raise(err, LT_TIMEOUT, NULL, "the session was busy for longer than the timeout");
    }
    if (session->is_in_callback) { // the lock is recursive, so this is the callback's own thread
        session_unlock(session);
        lt_error_reset(err);
        return lt_raise(err, LT_MISUSE, NULL, "a callback cannot call back into its session");
    }
    lt_error_reset(err);
    if (session->calls++ == 0) atomic_store(&session->is_interrupted, false);
    return LEAT_OK;
}

// leat_wake_fd speaks of files too, from the first watched folder on.
static void news_join(leat_session *session) {
    if (session->has_news_joined || session->folder_watch.descriptor < 0 || session->wake_signal.read_end < 0) return;
    lt_wake_add(&session->wake_signal, session->folder_watch.descriptor);
    session->has_news_joined = true;
}

void lt_session_leave(leat_session *session) {
    news_join(session);
    session->calls--;
    session_unlock(session);
}

void lt_session_sleep(leat_session *session, int64_t duration_us) {
    uint32_t depth    = session->lock_depth;
    bool     has_bell = session->clock_used == NULL && lt_wake_open(&session->bell);
    int      bell = session->bell.read_end, news = session->folder_watch.descriptor;
    for (uint32_t i = 0; i < depth; i++) session_unlock(session);
    if (has_bell)
        lt_wake_wait(bell, news, duration_us);
    else
        lt_clock_sleep_us(session->clock_used, duration_us);
    for (uint32_t i = 0; i < depth; i++) session_lock(session);
    lt_wake_clear(&session->bell);
}

void lt_session_notify(leat_session *session) {
    lt_wake_set(&session->bell);
    lt_wake_set(&session->wake_signal);
}

uint64_t leat_rows_read(const leat_session *session) {
    return session == NULL ? 0 : atomic_load_explicit(&session->rows_read, memory_order_relaxed);
}

void leat_interrupt(leat_session *session) {
    if (session != NULL) atomic_store(&session->is_interrupted, true);
}

// ---------------------------------------------------------------------------------------------------------------- runs

enum {
    IDLE_US  = 10000,  // how long to wait before asking a source again that does not say when, Spark's pollingDelay
    SLEEP_US = 50000,  // at most, so that leat_interrupt is noticed in time
    LOOK_US  = 1000000 // when to look again at the files of a table that is refreshed; no news tells of them
};

// When a query that runs may have something to do, in now_us time.
static int64_t query_next_us(const lt_standing *query, int64_t now_us) {
    int64_t next = INT64_MAX;
    if (query->trigger == LT_TRIGGER_INTERVAL) return query->next_trigger_us;
    for (uint32_t i = 0; i < query->plan.source_count; i++) {
        lt_source_outlook outlook = query->sources[i].stream->connector->source->outlook(query->sources[i].state);
        if (!outlook.has_ended && outlook.next_us < next) next = outlook.next_us;
    }
    const int64_t clock_us = lt_standing_clock_next_us(query);
    if (clock_us < next) next = clock_us;
    if (lt_held_tables_can_change(query) && now_us + LOOK_US < next) next = now_us + LOOK_US;
    return next == INT64_MIN || next < now_us ? now_us : next;
}

static int64_t due_next_us(const leat_session *session) {
    int64_t next = INT64_MAX, now = lt_clock_now_us(session->clock_used);
    for (const lt_standing *query = session->standing; query != NULL; query = query->next) {
        int64_t own = query->state == LEAT_QUERY_READY     ? now
                      : query->state == LEAT_QUERY_RUNNING ? query_next_us(query, now)
                                                           : INT64_MAX;
        if (own < next) next = own;
    }
    return next;
}

int64_t lt_session_pause_us(const leat_session *session, int64_t most_us) {
    int64_t next = due_next_us(session), pause = SLEEP_US;
    if (next != INT64_MAX) {
        pause = next - lt_clock_now_us(session->clock_used);
        if (pause <= 0) pause = IDLE_US;
        if (pause > SLEEP_US) pause = SLEEP_US;
    }
    return pause < most_us ? pause : most_us;
}

// One round over all queries; *out_ran tells whether a batch ran.
static leat_status run_round(leat_session *session, bool *out_ran) {
    *out_ran = false;
    lt_folder_watch_read(&session->folder_watch);
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

leat_status leat_run(leat_session *session, int64_t timeout_us, int64_t *out_next_us, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    int64_t     deadline = timeout_us < 0 ? INT64_MAX : lt_clock_steady_us(session->clock_used) + timeout_us;
    leat_status status   = LEAT_OK;
    lt_wake_clear(&session->wake_signal);
    for (;;) {
        bool ran = false;
        status   = run_round(session, &ran);
        if (status == LEAT_OK && lt_session_is_interrupted(session)) status = LEAT_INTERRUPTED;
        if (status != LEAT_OK) {
            status = lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
            break;
        }
        int64_t now = lt_clock_steady_us(session->clock_used);
        if (ran && (timeout_us <= 0 || now < deadline)) continue;
        if (now >= deadline) break;
        bool is_alive = false;
        for (const lt_standing *query = session->standing; query != NULL; query = query->next)
            is_alive |= query->state == LEAT_QUERY_RUNNING;
        if (!is_alive) break;
        lt_session_sleep(session, lt_session_pause_us(session, deadline - now));
    }
    if (out_next_us != NULL) *out_next_us = due_next_us(session);
    lt_session_leave(session);
    return status;
}

// A round runs with the lock held; in between the worker waits for news, or for calls of the host to get their turn.
static void *worker_run(void *user) {
    leat_session *session = user;
    pthread_mutex_lock(&session->lock);
    while (!atomic_load(&session->is_closing)) {
        bool ran                 = false;
        session->is_worker_round = true;
        (void)run_round(session, &ran);
        session->is_worker_round = false;
        if (ran) {
            lt_wake_set(&session->wake_signal);
            while (atomic_load(&session->waiting) > 0 && !atomic_load(&session->is_closing)) {
                pthread_mutex_unlock(&session->lock);
                lt_clock_sleep_us(NULL, 50);
                pthread_mutex_lock(&session->lock);
            }
            continue;
        }
        bool has_bell = lt_wake_open(&session->bell);
        int  bell = session->bell.read_end, news = session->folder_watch.descriptor;
        if (atomic_load(&session->is_closing)) break;
        int64_t pause_us = lt_session_pause_us(session, INT64_MAX);
        pthread_mutex_unlock(&session->lock);
        if (has_bell)
            lt_wake_wait(bell, news, pause_us);
        else
            lt_clock_sleep_us(NULL, pause_us);
        pthread_mutex_lock(&session->lock);
        lt_wake_clear(&session->bell);
    }
    pthread_mutex_unlock(&session->lock);
    return NULL;
}

int leat_wake_fd(leat_session *session) {
    if (session == NULL) return -1;
    session_lock(session);
    int descriptor = lt_wake_descriptor(&session->wake_signal);
    news_join(session);
    session_unlock(session);
    return descriptor;
}
