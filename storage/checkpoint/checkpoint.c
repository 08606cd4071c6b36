#include "storage/checkpoint/checkpoint.h"

#include "base/clock.h"
#include "storage/checkpoint/inside.h"
#include "storage/checkpoint/lock_text.h"
#include "storage/fs_posix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Opening: folders and lock, identity, judgement, scan of everything, and only then the first change. An OFD lock
// belongs to the open file, so it also stops a second handle of the same process, by whatever path; no table is needed.

static void now_refresh(lt_checkpoint *cp) {
    lt_checkpoint_start *now   = &cp->now;
    now->query_id              = cp->identity.query_id;
    now->is_new                = cp->last_batch_id < 0 && !cp->is_pending;
    now->last_batch_id         = cp->last_batch_id;
    now->last_commit           = cp->last_batch_id >= 0 ? cp->last_commit.data : NULL;
    now->last_commit_bytes     = cp->last_batch_id >= 0 ? cp->last_commit.bytes : 0;
    now->last_offsets          = cp->last_batch_id >= 0 ? cp->last_offsets.data : NULL;
    now->last_offsets_bytes    = cp->last_batch_id >= 0 ? cp->last_offsets.bytes : 0;
    now->pending_offsets       = cp->is_pending ? cp->pending_offsets.data : NULL;
    now->pending_offsets_bytes = cp->is_pending ? cp->pending_offsets.bytes : 0;
    now->stored_plan           = cp->identity.plan;
}

const lt_checkpoint_start *lt_checkpoint_now(const lt_checkpoint *cp) { return &cp->now; }

// ---------------------------------------------------------------------------------------------------------------- open

static uint64_t random_next(lt_checkpoint *cp) {
    cp->random += UINT64_C(0x9E3779B97F4A7C15);
    return lt_hash64(&cp->random, sizeof cp->random, UINT64_C(0x6C65617472616E64));
}

static void random_start(lt_checkpoint *cp, uint64_t seed) {
    // A fixed seed of a test must still not give two runs the same salt.
    int64_t parts[] = {lt_clock_now_us(cp->clock), lt_clock_steady_us(cp->clock), (int64_t)cp->process_id};
    cp->random      = seed == 0 ? lt_system_random() : lt_hash64(parts, sizeof parts, seed);
}

static leat_status paths_make(lt_checkpoint *cp, const char *path, leat_error *err) {
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/') bytes--;
    if (bytes == 0) return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "checkpointLocation is empty");
    if (bytes > LT_CHECKPOINT_FOLDER_BYTES)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "checkpointLocation has more than %d bytes",
                        (int)LT_CHECKPOINT_FOLDER_BYTES);
    cp->folder           = lt_arena_text(&cp->arena, path, bytes);
    cp->log_folder       = lt_arena_format(&cp->arena, "%s/log", cp->folder);
    cp->state_folder     = lt_arena_format(&cp->arena, "%s/state", cp->folder);
    cp->sources_folder   = lt_arena_format(&cp->arena, "%s/sources", cp->folder);
    cp->temporary_folder = lt_arena_format(&cp->arena, "%s/tmp", cp->folder);
    cp->lock_path        = lt_arena_format(&cp->arena, "%s/lock", cp->folder);
    cp->identity_path    = lt_arena_format(&cp->arena, "%s/identity", cp->folder);
    bool is_whole        = cp->folder != NULL && cp->log_folder != NULL && cp->state_folder != NULL &&
                    cp->sources_folder != NULL && cp->temporary_folder != NULL && cp->lock_path != NULL &&
                    cp->identity_path != NULL;
    return is_whole ? LEAT_OK : lt_raise_no_memory(err);
}

// What the folder holds, by leat's own names.
typedef struct folder_view {
    bool has_identity;
    char foreign[64]; // a name that is not leat's; ""
} folder_view;

static leat_status folder_note(void *user, const char *name, uint32_t kind, leat_error *err) {
    static const char *const own[] = {"lock", "log", "state", "sources", "tmp"};
    folder_view             *self  = user;
    (void)kind, (void)err;
    if (strcmp(name, "identity") == 0) self->has_identity = true;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i]) == 0) return LEAT_OK;
    if (name[0] != '.' && !self->has_identity) snprintf(self->foreign, sizeof self->foreign, "%.60s", name);
    return LEAT_OK;
}

static leat_status any_note(void *user, const char *name, uint32_t kind, leat_error *err) {
    (void)name, (void)kind, (void)err;
    *(bool *)user = true;
    return LEAT_OK;
}

static leat_status folder_is_used(const lt_checkpoint *cp, const char *path, bool *out_is_used, leat_error *err) {
    leat_file_info info;
    if (lt_fs_info_code(cp->fs, path, &info) != 0) return LEAT_OK;
    return lt_fs_list(cp->fs, path, any_note, out_is_used, err);
}

// Without an identity the folder must be new: state or log without their owner are never taken over.
static leat_status folder_judge(const lt_checkpoint *cp, leat_error *err) {
    folder_view view    = {0};
    bool        is_used = false;
    LT_TRY(lt_fs_list(cp->fs, cp->folder, folder_note, &view, err));
    if (view.has_identity) return LEAT_OK;
    if (view.foreign[0] != '\0')
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                        "`%s` holds `%s` and is no checkpoint of leat; choose an empty folder", cp->folder,
                        view.foreign);
    LT_TRY(folder_is_used(cp, cp->log_folder, &is_used, err));
    LT_TRY(folder_is_used(cp, cp->state_folder, &is_used, err));
    LT_TRY(folder_is_used(cp, cp->sources_folder, &is_used, err));
    if (!is_used) return LEAT_OK;
    return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                    "`%s` has a log or state but its identity is missing; restore `%s` from a copy or choose an empty "
                    "folder",
                    cp->folder, cp->identity_path);
}

static leat_status lock_take(lt_checkpoint *cp, leat_error *err) {
    bool is_held = false;
    LT_TRY(lt_file_open(cp->fs, cp->lock_path,
                        LEAT_OPEN_READ | LEAT_OPEN_WRITE | LEAT_OPEN_CREATE | LEAT_OPEN_NO_FOLLOW, &cp->lock, err));
    LT_TRY(lt_file_lock(&cp->lock, &is_held, err));
    if (is_held) {
        char text[LT_LOCK_TEXT_BYTES];
        lt_lock_text_read(&cp->lock, text);
        return lt_raise(err, LT_CHECKPOINT_BUSY, NULL,
                        "`%s` is in use by %s; stop that query or choose another checkpointLocation", cp->folder, text);
    }
    LT_TRY(lt_file_info(&cp->lock, &cp->lock_info, err));
    return lt_lock_text_write(&cp->lock, cp->run, lt_clock_now_us(cp->clock), err);
}

static leat_status folders_make(lt_checkpoint *cp, leat_error *err) {
    LT_TRY(lt_fs_make_folder(cp->fs, cp->log_folder, err));
    LT_TRY(lt_fs_make_folder(cp->fs, cp->state_folder, err));
    LT_TRY(lt_fs_make_folder(cp->fs, cp->sources_folder, err));
    LT_TRY(lt_fs_make_folder(cp->fs, cp->temporary_folder, err));
    return lt_fs_sync_folder(cp->fs, cp->folder, err);
}

static const char *text_or_empty(const char *text) { return text == NULL ? "" : text; }

// Same: goes on. Else the judge decides; an accepted change is stored when the start has succeeded.
static leat_status plan_judge(lt_checkpoint *cp, const lt_checkpoint_options *options,
                              const lt_checkpoint_identity *offered, leat_error *err) {
    const char *fingerprint = text_or_empty(offered->fingerprint), *settings = text_or_empty(offered->settings);
    if (strcmp(cp->identity.fingerprint, fingerprint) == 0 && strcmp(cp->identity.settings, settings) == 0)
        return LEAT_OK;
    const char *was = lt_arena_format(&cp->arena, "%s\n%s", cp->identity.settings, cp->identity.fingerprint);
    const char *is  = lt_arena_format(&cp->arena, "%s\n%s", settings, fingerprint);
    if (was == NULL || is == NULL) return lt_raise_no_memory(err);
    if (options->judge != NULL && options->judge(options->judge_user, was, is) == LT_PLAN_ACCEPTED) {
        cp->now.is_plan_accepted = true;
        return LEAT_OK;
    }
    LT_TRY(lt_identity_differences(was, is, &cp->scratch, err));
    return lt_raise(err, LT_CHECKPOINT_CHANGED, NULL,
                    "query `%s` is not the one that `%s` belongs to: %s; restore the old query, or choose another "
                    "checkpointLocation to begin anew",
                    cp->query_name, cp->folder, cp->scratch.data);
}

static leat_status identity_load(lt_checkpoint *cp, const lt_checkpoint_options *options,
                                 const lt_checkpoint_identity *offered, bool *out_exists, leat_error *err) {
    LT_TRY(lt_identity_read(cp->fs, cp->identity_path, &cp->arena, &cp->identity, out_exists, err));
    if (*out_exists) return plan_judge(cp, options, offered, err);
    uint64_t high = random_next(cp), low = random_next(cp);
    lt_query_id_print(cp->identity.query_id, high, low);
    return LEAT_OK;
}

static leat_status identity_store(lt_checkpoint *cp, const lt_checkpoint_identity *offered, bool exists,
                                  leat_error *err) {
    if (exists && !cp->now.is_plan_accepted) return LEAT_OK;
    lt_identity fresh = cp->identity;
    fresh.settings    = text_or_empty(offered->settings);
    fresh.fingerprint = text_or_empty(offered->fingerprint);
    fresh.plan        = text_or_empty(offered->plan);
    if (!exists) fresh.created_us = lt_clock_now_us(cp->clock);
    LT_TRY(lt_identity_write(cp->fs, cp->temporary_folder, cp->identity_path, &fresh, cp->account, err));
    if (exists) return LEAT_OK; // what was stored before stays readable in this run
    fresh.settings    = lt_arena_text(&cp->arena, fresh.settings, strlen(fresh.settings));
    fresh.fingerprint = lt_arena_text(&cp->arena, fresh.fingerprint, strlen(fresh.fingerprint));
    fresh.plan        = lt_arena_text(&cp->arena, fresh.plan, strlen(fresh.plan));
    if (fresh.settings == NULL || fresh.fingerprint == NULL || fresh.plan == NULL) return lt_raise_no_memory(err);
    cp->identity = fresh;
    return LEAT_OK;
}

static leat_status scan_all(lt_checkpoint *cp, const lt_checkpoint_options *options, bool exists, leat_error *err) {
    LT_TRY(lt_checkpoint_list_state(cp, err));
    LT_TRY(lt_checkpoint_load_sources(cp, err));
    LT_TRY(lt_record_log_open(&cp->log, cp->fs, cp->account, cp->log_folder, cp->temporary_folder, random_next(cp),
                              lt_checkpoint_scan_record, cp, err));
    cp->is_log_open = true;
    if (exists && cp->log.segment_count == 0 && (cp->file_count > 0 || cp->source_count > 0))
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                        "`%s` has an identity and state but no log; restore it from a copy or choose an empty folder",
                        cp->folder);
    return lt_checkpoint_scan_end(cp, options->shown_batches, err);
}

// Names of leat's own left-overs, collected before any is removed.
typedef struct left_overs {
    lt_arena   *arena;
    char      **names;
    size_t      count, capacity;
    lt_account *account;
} left_overs;

static leat_status left_over_note(void *user, const char *name, uint32_t kind, leat_error *err) {
    left_overs *self  = user;
    size_t      bytes = strlen(name);
    (void)kind;
    if (bytes < 4 || strcmp(name + bytes - 4, ".tmp") != 0) return LEAT_OK;
    LT_TRY_GROW(self->names, self->account, self->count, self->capacity, 16, err);
    char *copy = lt_arena_text(self->arena, name, bytes);
    if (copy == NULL) return lt_raise_no_memory(err);
    self->names[self->count++] = copy;
    return LEAT_OK;
}

static leat_status left_overs_remove(lt_checkpoint *cp, leat_error *err) {
    char        path[LT_PATH_BYTES_MAX];
    left_overs  found  = {.arena = &cp->arena, .account = cp->account};
    leat_status status = lt_fs_list(cp->fs, cp->temporary_folder, left_over_note, &found, err);
    for (size_t i = 0; i < found.count; i++) {
        int bytes = snprintf(path, sizeof path, "%s/%s", cp->temporary_folder, found.names[i]);
        if (bytes < 0 || bytes >= LT_PATH_BYTES_MAX || lt_fs_remove(cp->fs, path, NULL) != LEAT_OK) cp->gc_failures++;
    }
    lt_account_reallocate(cp->account, found.names, found.capacity * sizeof *found.names, 0);
    // Deltas of a batch that was never committed are named by nobody; it writes its own again.
    for (size_t i = cp->file_count; i-- > 0;) {
        if (cp->files[i].is_snapshot || cp->files[i].batch_id <= cp->last_batch_id) continue;
        LT_TRY(lt_checkpoint_state_path(cp, cp->files[i].batch_id, false, path, err));
        if (lt_fs_remove(cp->fs, path, NULL) != LEAT_OK) cp->gc_failures++;
        cp->files[i] = cp->files[--cp->file_count];
    }
    return status;
}

static leat_status note_start(lt_checkpoint *cp, uint64_t torn_bytes, leat_error *err) {
    char note[160];
    if (torn_bytes > 0) {
        cp->now.repairs++;
        snprintf(note, sizeof note, "{\"event\":\"torn tail cut\",\"bytes\":%" PRIu64 ",\"timeUs\":%" PRId64 "}",
                 torn_bytes, lt_clock_now_us(cp->clock));
        LT_TRY(lt_checkpoint_note(cp, note, err));
    }
    if (cp->now.is_plan_accepted) {
        snprintf(note, sizeof note, "{\"event\":\"changed plan accepted\",\"timeUs\":%" PRId64 "}",
                 lt_clock_now_us(cp->clock));
        LT_TRY(lt_checkpoint_note(cp, note, err));
    }
    return lt_record_log_flush(&cp->log, cp->sync != LT_CHECKPOINT_SYNC_OFF, err);
}

static leat_status open_all(lt_checkpoint *cp, const lt_checkpoint_options *options,
                            const lt_checkpoint_identity *offered, leat_error *err) {
    bool exists = false;
    LT_TRY(paths_make(cp, options->path, err));
    cp->query_name = lt_arena_format(&cp->arena, "%.120s", text_or_empty(offered->query_name));
    if (cp->query_name == NULL) return lt_raise_no_memory(err);
    LT_TRY(lt_fs_make_folders(cp->fs, cp->folder, err));
    LT_TRY(folder_judge(cp, err));
    LT_TRY(lock_take(cp, err));
    LT_TRY(folder_judge(cp, err)); // again: another process may have started and ended in between
    LT_TRY(identity_load(cp, options, offered, &exists, err));
    LT_TRY(folders_make(cp, err));
    LT_TRY(scan_all(cp, options, exists, err));
    uint64_t torn_bytes = cp->log.torn_bytes;
    LT_TRY(left_overs_remove(cp, err));
    LT_TRY(lt_record_log_start(&cp->log, err));
    LT_TRY(identity_store(cp, offered, exists, err));
    if (cp->log.segment_count == 0) LT_TRY(lt_record_log_next_segment(&cp->log, 0, -1, err));
    LT_TRY(note_start(cp, torn_bytes, err));
    now_refresh(cp);
    return LEAT_OK;
}

static void checkpoint_free(lt_checkpoint *cp) {
    lt_account *account = cp->account;
    lt_checkpoint_snapshot_abandon(cp);
    if (cp->process_id != lt_process_id()) cp->log.room_end = cp->log.end_offset; // the parent goes on in its room
    if (cp->is_log_open) lt_record_log_close(&cp->log);
    (void)lt_file_close(&cp->lock, NULL);
    for (size_t i = 0; i < cp->source_count; i++) lt_seen_files_deinit(&cp->sources[i]->set);
    lt_account_reallocate(account, cp->entries, cp->entry_capacity * sizeof *cp->entries, 0);
    lt_account_reallocate(account, cp->files, cp->file_capacity * sizeof *cp->files, 0);
    lt_account_reallocate(account, cp->sources, cp->source_capacity * sizeof *cp->sources, 0);
    lt_buffer_deinit(&cp->pending_offsets);
    lt_buffer_deinit(&cp->last_offsets);
    lt_buffer_deinit(&cp->last_commit);
    lt_buffer_deinit(&cp->scratch);
    lt_buffer_deinit(&cp->staged_files);
    lt_arena_deinit(&cp->arena);
    lt_account_reallocate(account, cp, sizeof *cp, 0);
}

leat_status lt_checkpoint_open(const lt_checkpoint_options *options, const lt_checkpoint_identity *identity,
                               lt_checkpoint **out_checkpoint, leat_error *err) {
    *out_checkpoint   = NULL;
    lt_checkpoint *cp = lt_account_reallocate(options->account, NULL, 0, sizeof *cp);
    if (cp == NULL) return lt_raise_no_memory(err);
    *cp = (lt_checkpoint){.fs               = options->fs,
                          .clock            = options->clock,
                          .account          = options->account,
                          .sync             = options->sync,
                          .process_id       = lt_process_id(),
                          .last_batch_id    = -1,
                          .durable_batch_id = -1,
                          .first_state_id   = -1};
    lt_arena_init(&cp->arena, cp->account);
    lt_buffer_init(&cp->pending_offsets, cp->account, 0);
    lt_buffer_init(&cp->last_offsets, cp->account, 0);
    lt_buffer_init(&cp->last_commit, cp->account, 0);
    lt_buffer_init(&cp->scratch, cp->account, 0);
    lt_buffer_init(&cp->staged_files, cp->account, 0);
    cp->identity = (lt_identity){.settings = "", .fingerprint = "", .plan = ""};
    random_start(cp, options->random_seed);
    snprintf(cp->run, sizeof cp->run, "%016" PRIx64, random_next(cp));
    leat_status status = open_all(cp, options, identity, err);
    if (status == LEAT_OK)
        *out_checkpoint = cp;
    else
        checkpoint_free(cp);
    return status;
}

leat_status lt_checkpoint_seen_files(lt_checkpoint *cp, uint32_t source_index, lt_seen_files **out_files,
                                     leat_error *err) {
    lt_seen_source *source;
    if (source_index >= LT_CHECKPOINT_SOURCES_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a query has more than %d sources", LT_CHECKPOINT_SOURCES_MAX);
    LT_TRY(lt_checkpoint_source(cp, source_index, &source, err));
    *out_files = &source->set;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------- batches

static leat_status writer_verify(lt_checkpoint *cp, leat_error *err) {
    if (cp->process_id != lt_process_id())
        return lt_raise(err, LT_MISUSE, NULL, "a forked process uses the checkpoint of its parent");
    leat_file_info info = {0};
    int            code = lt_fs_info_code(cp->fs, cp->lock_path, &info);
    if (code != 0) return lt_fs_raise(err, code, "inspect", cp->lock_path);
    if (info.device != cp->lock_info.device || info.inode != cp->lock_info.inode)
        return lt_raise(err, LT_CHECKPOINT_BUSY, NULL, "`%s` was replaced while query `%s` held it", cp->lock_path,
                        cp->query_name);
    return lt_record_log_verify_end(&cp->log, err);
}

static leat_status segment_turn(lt_checkpoint *cp, int64_t batch_id, leat_error *err) {
    const lt_record_segment *newest = &cp->log.segments[cp->log.segment_count - 1];
    if (cp->log.end_offset < LT_SEGMENT_BYTES_MAX && batch_id - newest->first_batch_id < LT_SEGMENT_BATCHES_MAX)
        return LEAT_OK;
    LT_TRY(lt_record_log_flush(&cp->log, cp->sync != LT_CHECKPOINT_SYNC_OFF, err));
    cp->durable_batch_id = cp->last_batch_id;
    lt_checkpoint_compact_sources(cp);
    LT_TRY(lt_record_log_next_segment(&cp->log, batch_id, cp->first_state_id, err));
    lt_checkpoint_collect_garbage(cp);
    return LEAT_OK;
}

static leat_status files_append(lt_checkpoint *cp, const lt_seen_source *source, int64_t batch_id, leat_error *err) {
    const lt_seen_files *set   = &source->set;
    size_t               count = set->count - set->written_count;
    lt_buffer_reset(&cp->scratch);
    LT_TRY(lt_buffer_format(&cp->scratch, err, "{\"batchId\":%" PRId64 ",\"source\":%" PRIu32 ",\"count\":%zu}\n",
                            batch_id, source->index, count));
    LT_TRY(lt_seen_files_encode(set, set->written_count, count, &cp->scratch, err));
    return lt_record_log_append(&cp->log, LT_RECORD_FILES, cp->scratch.data, cp->scratch.bytes, NULL, err);
}

static leat_status plan_append(lt_checkpoint *cp, int64_t batch_id, const char *offsets_json, size_t offsets_bytes,
                               lt_record *out_record, leat_error *err) {
    size_t lists = 0;
    for (size_t i = 0; i < cp->source_count; i++) {
        const lt_seen_files *set = &cp->sources[i]->set;
        if (set->count == set->written_count) continue;
        if (set->files[set->written_count].batch_id != batch_id || set->files[set->count - 1].batch_id != batch_id)
            return lt_raise(err, LT_MISUSE, NULL, "files were added for another batch than %" PRId64, batch_id);
        LT_TRY(files_append(cp, cp->sources[i], batch_id, err));
        lists++;
    }
    lt_buffer_reset(&cp->scratch);
    LT_TRY(lt_buffer_format(&cp->scratch, err,
                            "{\"batchId\":%" PRId64 ",\"timeUs\":%" PRId64 ",\"run\":\"%s\",\"files\":%zu,\"body\":",
                            batch_id, lt_clock_now_us(cp->clock), cp->run, lists));
    LT_TRY(lt_buffer_append(&cp->scratch, offsets_bytes > 0 ? offsets_json : "null",
                            offsets_bytes > 0 ? offsets_bytes : 4, err));
    LT_TRY(lt_buffer_append_byte(&cp->scratch, '}', err));
    LT_TRY(lt_record_log_append(&cp->log, LT_RECORD_OFFSETS, cp->scratch.data, cp->scratch.bytes, out_record, err));
    lt_buffer_reset(&cp->pending_offsets);
    return lt_buffer_append(&cp->pending_offsets, offsets_bytes > 0 ? offsets_json : "null",
                            offsets_bytes > 0 ? offsets_bytes : 4, err);
}

leat_status lt_checkpoint_plan(lt_checkpoint *cp, int64_t batch_id, const char *offsets_json, size_t offsets_bytes,
                               leat_error *err) {
    if (cp->is_pending || batch_id != cp->last_batch_id + 1)
        return lt_raise(err, LT_MISUSE, NULL, "batch %" PRId64 " is planned after batch %" PRId64 "%s", batch_id,
                        cp->last_batch_id, cp->is_pending ? ", whose successor is pending" : "");
    LT_TRY(writer_verify(cp, err));
    LT_TRY(segment_turn(cp, batch_id, err));
    lt_record   record = {0};
    leat_status status = plan_append(cp, batch_id, offsets_json, offsets_bytes, &record, err);
    if (status != LEAT_OK) {
        lt_record_log_rollback(&cp->log);
        return status;
    }
    LT_TRY(lt_record_log_flush(&cp->log, cp->sync != LT_CHECKPOINT_SYNC_OFF, err));
    for (size_t i = 0; i < cp->source_count; i++) {
        lt_seen_source *source = cp->sources[i];
        source->added_count += source->set.count - source->set.written_count;
        source->set.written_count = source->set.count;
        // Without memory nothing is forgotten this time.
        (void)lt_seen_files_purge(&source->set, batch_id, NULL);
    }
    cp->is_pending       = true;
    cp->offsets_sequence = record.sequence;
    cp->offsets_hash     = record.hash;
    cp->durable_batch_id = cp->last_batch_id;
    now_refresh(cp);
    return LEAT_OK;
}

static leat_status state_append(lt_checkpoint *cp, lt_commit_entry *entry, const void *state, size_t state_count,
                                leat_error *err) {
    entry->state_bytes = state_count;
    entry->state_hash  = lt_state_hash(state, state_count);
    if (state_count <= LT_STATE_INLINE_BYTES_MAX) {
        lt_record record = {0};
        LT_TRY(lt_record_log_append(&cp->log, LT_RECORD_STATE, state, state_count, &record, err));
        entry->place    = LT_STATE_INLINE;
        entry->position = record.position;
        return LEAT_OK;
    }
    char             path[LT_PATH_BYTES_MAX];
    lt_sealed_header header = {.kind            = "delta",
                               .batch_id        = entry->batch_id,
                               .anchor_sequence = cp->offsets_sequence,
                               .anchor_hash     = cp->offsets_hash};
    memcpy(header.query_id, cp->identity.query_id, sizeof header.query_id);
    entry->place = LT_STATE_FILE;
    LT_TRY(lt_checkpoint_state_path(cp, entry->batch_id, false, path, err));
    LT_TRY(lt_checkpoint_file_add(cp, (lt_state_file){.batch_id = entry->batch_id, .bytes = state_count}, err));
    return lt_sealed_file_write(cp->fs, cp->temporary_folder, path, &header, state, state_count, err);
}

static leat_status commit_append(lt_checkpoint *cp, lt_commit_entry *entry, const void *state, size_t state_count,
                                 const char *commit_json, size_t commit_bytes, leat_error *err) {
    static const char *const places[] = {"none", "inline", "file"};
    const char              *body     = commit_bytes > 0 ? commit_json : "null";
    size_t                   bytes    = commit_bytes > 0 ? commit_bytes : 4;
    lt_record                record   = {0};
    if (cp->entry_count == cp->entry_capacity) lt_checkpoint_forget_entries(cp);
    LT_TRY_GROW(cp->entries, cp->account, cp->entry_count, cp->entry_capacity, 16, err);
    if (state_count > 0) LT_TRY(state_append(cp, entry, state, state_count, err));
    lt_buffer_reset(&cp->scratch);
    LT_TRY(lt_buffer_format(&cp->scratch, err,
                            "{\"batchId\":%" PRId64 ",\"offsets\":%" PRIu64 ",\"state\":\"%s\",\"stateBytes\":%" PRIu64
                            ",\"stateHash\":\"%016" PRIx64 "%016" PRIx64 "\",\"body\":",
                            entry->batch_id, cp->offsets_sequence, places[entry->place], entry->state_bytes,
                            entry->state_hash.high, entry->state_hash.low));
    LT_TRY(lt_buffer_append(&cp->scratch, body, bytes, err));
    LT_TRY(lt_buffer_append_byte(&cp->scratch, '}', err));
    LT_TRY(lt_record_log_append(&cp->log, LT_RECORD_COMMIT, cp->scratch.data, cp->scratch.bytes, &record, err));
    entry->sequence = record.sequence;
    entry->hash     = record.hash;
    // The last step that needs memory; until the flush the old text is no longer shown to anybody.
    lt_buffer_reset(&cp->scratch);
    return lt_buffer_append(&cp->scratch, body, bytes, err);
}

leat_status lt_checkpoint_commit(lt_checkpoint *cp, int64_t batch_id, const void *state, size_t state_count,
                                 const char *commit_json, size_t commit_bytes, leat_error *err) {
    if (!cp->is_pending || batch_id != cp->last_batch_id + 1)
        return lt_raise(err, LT_MISUSE, NULL, "batch %" PRId64 " is committed without being planned", batch_id);
    LT_TRY(writer_verify(cp, err));
    lt_commit_entry entry  = {.batch_id = batch_id};
    leat_status     status = commit_append(cp, &entry, state, state_count, commit_json, commit_bytes, err);
    if (status != LEAT_OK) {
        lt_record_log_rollback(&cp->log);
        return status;
    }
    LT_TRY(lt_record_log_flush(&cp->log, cp->sync == LT_CHECKPOINT_SYNC_FULL, err));
    lt_buffer spare                = cp->last_commit;
    cp->last_commit                = cp->scratch;
    cp->scratch                    = spare;
    spare                          = cp->last_offsets;
    cp->last_offsets               = cp->pending_offsets;
    cp->pending_offsets            = spare;
    cp->entries[cp->entry_count++] = entry;
    cp->last_batch_id              = batch_id;
    cp->is_pending                 = false;
    if (cp->sync != LT_CHECKPOINT_SYNC_GROUP) cp->durable_batch_id = batch_id;
    if (entry.place != LT_STATE_NONE) {
        if (cp->first_state_id < 0) cp->first_state_id = batch_id;
        cp->replay_count++;
        cp->replay_bytes += state_count;
    }
    now_refresh(cp);
    return LEAT_OK;
}

leat_status lt_checkpoint_flush(lt_checkpoint *cp, leat_error *err) {
    if (cp->process_id != lt_process_id())
        return lt_raise(err, LT_MISUSE, NULL, "a forked process uses the checkpoint of its parent");
    if (cp->sync != LT_CHECKPOINT_SYNC_GROUP || cp->durable_batch_id == cp->last_batch_id) return LEAT_OK;
    LT_TRY(lt_record_log_flush(&cp->log, true, err));
    cp->durable_batch_id = cp->last_batch_id;
    return LEAT_OK;
}

int64_t lt_checkpoint_durable_batch_id(const lt_checkpoint *cp) { return cp->durable_batch_id; }

leat_status lt_checkpoint_note(lt_checkpoint *cp, const char *note_json, leat_error *err) {
    return lt_record_log_append(&cp->log, LT_RECORD_NOTE, note_json, strlen(note_json), NULL, err);
}

leat_status lt_checkpoint_close(lt_checkpoint **checkpoint, leat_error *err) {
    lt_checkpoint *cp = checkpoint != NULL ? *checkpoint : NULL;
    if (cp == NULL) return LEAT_OK;
    *checkpoint        = NULL;
    leat_status status = LEAT_OK;
    if (!cp->log.is_failed && cp->process_id == lt_process_id() &&
        (cp->log.pending.bytes > 0 || cp->durable_batch_id != cp->last_batch_id))
        status = lt_record_log_flush(&cp->log, cp->sync != LT_CHECKPOINT_SYNC_OFF, err);
    checkpoint_free(cp);
    return status;
}
