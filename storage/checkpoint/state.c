#include "storage/checkpoint/inside.h"

#include "storage/fs_posix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Deltas are the truth, a snapshot is a cache of all deltas up to its batch. Two snapshots are kept, so that one may be
// damaged; therefore garbage ends at the older one, and never reaches the last ten batches.

leat_status lt_checkpoint_state_path(const lt_checkpoint *cp, int64_t batch_id, bool is_snapshot,
                                     char out_path[LT_PATH_BYTES_MAX], leat_error *err) {
    int bytes = snprintf(out_path, LT_PATH_BYTES_MAX, "%s/%020" PRId64 "%s", cp->state_folder, batch_id,
                         is_snapshot ? ".snapshot" : ".delta");
    if (bytes > 0 && bytes < LT_PATH_BYTES_MAX) return LEAT_OK;
    return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a path of the checkpoint is too long");
}

leat_status lt_checkpoint_source_path(const lt_checkpoint *cp, uint32_t source, int64_t batch_id,
                                      char out_path[LT_PATH_BYTES_MAX], leat_error *err) {
    int bytes =
        snprintf(out_path, LT_PATH_BYTES_MAX, "%s/%" PRIu32 "/%020" PRId64, cp->sources_folder, source, batch_id);
    if (bytes > 0 && bytes < LT_PATH_BYTES_MAX) return LEAT_OK;
    return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a path of the checkpoint is too long");
}

leat_status lt_checkpoint_file_add(lt_checkpoint *cp, lt_state_file file, leat_error *err) {
    for (size_t i = 0; i < cp->file_count; i++)
        if (cp->files[i].batch_id == file.batch_id && cp->files[i].is_snapshot == file.is_snapshot) {
            cp->files[i] = file;
            return LEAT_OK;
        }
    LT_TRY_GROW(cp->files, cp->account, cp->file_count, cp->file_capacity, 16, err);
    cp->files[cp->file_count++] = file;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- load

static const lt_commit_entry *entry_of(const lt_checkpoint *cp, int64_t batch_id) {
    if (cp->entry_count == 0 || batch_id < cp->entries[0].batch_id) return NULL;
    uint64_t i = (uint64_t)(batch_id - cp->entries[0].batch_id);
    return i < cp->entry_count ? &cp->entries[i] : NULL;
}

// Whether the log has the commit that a snapshot of `batch_id` was published behind: what its pieces may show.
static bool has_anchor(const lt_checkpoint *cp, const lt_sealed_header *header, int64_t batch_id) {
    size_t low = 0, high = cp->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cp->entries[middle].sequence < header->anchor_sequence)
            low = middle + 1;
        else
            high = middle;
    }
    const lt_commit_entry *entry = &cp->entries[low];
    return low < cp->entry_count && entry->sequence == header->anchor_sequence && entry->hash == header->anchor_hash &&
           entry->batch_id >= batch_id;
}

// Is the file on disk the snapshot of batch `batch_id` of this very log? Its payload then stands in scratch.
static leat_status snapshot_read(lt_checkpoint *cp, int64_t batch_id, leat_error *err) {
    char                   path[LT_PATH_BYTES_MAX];
    lt_sealed_header       header;
    const lt_commit_entry *entry = entry_of(cp, batch_id);
    if (entry == NULL) return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a snapshot has no commit in the log");
    LT_TRY(lt_checkpoint_state_path(cp, batch_id, true, path, err));
    LT_TRY(lt_sealed_file_read(cp->fs, path, &header, &cp->scratch, err));
    if (strcmp(header.kind, "snapshot") != 0 || strcmp(header.query_id, cp->identity.query_id) != 0 ||
        header.batch_id != batch_id || !has_anchor(cp, &header, batch_id))
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "`%s` belongs to another log", path);
    return LEAT_OK;
}

static lt_state_file *newest_snapshot(lt_checkpoint *cp) {
    lt_state_file *newest = NULL;
    for (size_t i = 0; i < cp->file_count; i++) {
        lt_state_file *file = &cp->files[i];
        if (file->is_snapshot && !file->is_damaged && (newest == NULL || file->batch_id > newest->batch_id))
            newest = file;
    }
    return newest;
}

// *out_batch_id: the snapshot whose payload stands in scratch; -1: there is none.
static leat_status newest_usable_snapshot(lt_checkpoint *cp, int64_t *out_batch_id, leat_error *err) {
    lt_state_file *file;
    *out_batch_id = -1;
    while ((file = newest_snapshot(cp)) != NULL) {
        leat_error  local  = {0};
        leat_status status = snapshot_read(cp, file->batch_id, &local);
        if (status == LEAT_OK) {
            *out_batch_id = file->batch_id;
            return LEAT_OK;
        }
        if (status == LEAT_NO_MEMORY || status == LEAT_VERSION) {
            if (err != NULL && err->status == LEAT_OK) *err = local;
            return status;
        }
        file->is_damaged = true;
        cp->now.repairs++;
        char note[160];
        snprintf(note, sizeof note, "{\"event\":\"damaged snapshot passed over\",\"batchId\":%" PRId64 "}",
                 file->batch_id);
        LT_TRY(lt_checkpoint_note(cp, note, err));
    }
    return LEAT_OK;
}

static leat_status delta_read(lt_checkpoint *cp, const lt_commit_entry *entry, leat_error *err) {
    char path[LT_PATH_BYTES_MAX];
    path[0] = '\0';
    if (entry->place == LT_STATE_INLINE) {
        LT_TRY(lt_record_log_read(&cp->log, entry->position, &cp->scratch, err));
    } else {
        lt_sealed_header header;
        LT_TRY(lt_checkpoint_state_path(cp, entry->batch_id, false, path, err));
        LT_TRY(lt_sealed_file_read(cp->fs, path, &header, &cp->scratch, err));
    }
    lt_hash128_value hash = lt_state_hash(cp->scratch.data, cp->scratch.bytes);
    if (cp->scratch.bytes == entry->state_bytes && hash.high == entry->state_hash.high &&
        hash.low == entry->state_hash.low)
        return LEAT_OK;
    return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                    "the state of batch %" PRId64 " is not the one that its commit names (%" PRIu64
                    " bytes with hash %016" PRIx64 "%016" PRIx64 " wanted, %zu with %016" PRIx64 "%016" PRIx64
                    " found in `%s`); restore the checkpoint from a copy",
                    entry->batch_id, entry->state_bytes, entry->state_hash.high, entry->state_hash.low,
                    cp->scratch.bytes, hash.high, hash.low, path[0] != '\0' ? path : cp->log_folder);
}

leat_status lt_checkpoint_load_state(lt_checkpoint *cp, lt_checkpoint_give_state give, void *user, leat_error *err) {
    int64_t from_id;
    LT_TRY(newest_usable_snapshot(cp, &from_id, err));
    // Without a snapshot the log must reach back to before the first change of state.
    int64_t first_state_id = cp->log.segment_count > 0 ? cp->log.segments[0].first_state_id : -1;
    if (from_id < 0 && first_state_id >= 0)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                        "no snapshot in `%s` is whole and the log begins with batch %" PRId64
                        " only; restore the checkpoint from a copy or choose an empty folder",
                        cp->state_folder, cp->log.segments[0].first_batch_id);
    if (from_id >= 0) LT_TRY(give(user, from_id, true, cp->scratch.data, cp->scratch.bytes, err));
    cp->replay_count = cp->replay_bytes = 0;
    for (size_t i = 0; i < cp->entry_count; i++) {
        const lt_commit_entry *entry = &cp->entries[i];
        if (entry->batch_id <= from_id || entry->place == LT_STATE_NONE) continue;
        LT_TRY(delta_read(cp, entry, err));
        LT_TRY(give(user, entry->batch_id, false, cp->scratch.data, cp->scratch.bytes, err));
        cp->replay_count++;
        cp->replay_bytes += entry->state_bytes;
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ snapshot

bool lt_checkpoint_wants_snapshot(const lt_checkpoint *cp) {
    if (cp->snapshot.is_open) return false;
    if (cp->replay_count < 2) return false; // a delta alone is a snapshot of its own
    if (cp->replay_count >= LT_REPLAY_DELTAS_MAX || cp->replay_bytes >= LT_REPLAY_BYTES_MAX) return true;
    return cp->replay_bytes > LT_REPLAY_BYTES_FLOOR && cp->replay_bytes > cp->snapshot_bytes / 2;
}

bool lt_checkpoint_has_snapshot_begun(const lt_checkpoint *cp) { return cp->snapshot.is_open; }

void lt_checkpoint_snapshot_abandon(lt_checkpoint *cp) {
    if (cp->process_id != lt_process_id()) cp->snapshot.publish.temporary_path[0] = '\0'; // the parent's file stays
    lt_sealed_writer_discard(&cp->snapshot);
}

leat_status lt_checkpoint_snapshot_begin(lt_checkpoint *cp, leat_error *err) {
    char path[LT_PATH_BYTES_MAX];
    lt_checkpoint_snapshot_abandon(cp);
    if (cp->is_pending || entry_of(cp, cp->last_batch_id) == NULL)
        return lt_raise(err, LT_MISUSE, NULL, "a snapshot begins behind a commit");
    cp->snapshot_id   = cp->last_batch_id;
    cp->covered_count = cp->replay_count;
    cp->covered_bytes = cp->replay_bytes;
    LT_TRY(lt_checkpoint_state_path(cp, cp->snapshot_id, true, path, err));
    return lt_sealed_writer_open(&cp->snapshot, cp->fs, cp->account, cp->temporary_folder, path, err);
}

leat_status lt_checkpoint_snapshot_append(lt_checkpoint *cp, const void *bytes, size_t count, leat_error *err) {
    if (!cp->snapshot.is_open || cp->is_pending)
        return lt_raise(err, LT_MISUSE, NULL, "a piece of a snapshot follows its beginning and a commit");
    return lt_sealed_writer_append(&cp->snapshot, bytes, count, err);
}

// The anchor is the last commit: its state may be in the pieces, so the snapshot must not outlive it.
leat_status lt_checkpoint_snapshot_end(lt_checkpoint *cp, leat_error *err) {
    if (!cp->snapshot.is_open || cp->is_pending)
        return lt_raise(err, LT_MISUSE, NULL, "a snapshot ends behind its last piece and a commit");
    const lt_commit_entry *last   = &cp->entries[cp->entry_count - 1];
    lt_sealed_header       header = {
              .kind = "snapshot", .batch_id = cp->snapshot_id, .anchor_sequence = last->sequence, .anchor_hash = last->hash};
    memcpy(header.query_id, cp->identity.query_id, sizeof header.query_id);
    leat_status status = lt_checkpoint_flush(cp, err);
    if (status != LEAT_OK) {
        lt_checkpoint_snapshot_abandon(cp);
        return status;
    }
    LT_TRY(lt_sealed_writer_commit(&cp->snapshot, &header, err));
    LT_TRY(lt_checkpoint_file_add(
        cp, (lt_state_file){.batch_id = cp->snapshot_id, .bytes = header.payload_bytes, .is_snapshot = true}, err));
    cp->replay_count -= cp->covered_count;
    cp->replay_bytes -= cp->covered_bytes;
    cp->snapshot_bytes = header.payload_bytes;
    lt_checkpoint_collect_garbage(cp);
    return LEAT_OK;
}

leat_status lt_checkpoint_snapshot(lt_checkpoint *cp, int64_t batch_id, const void *bytes, size_t count,
                                   leat_error *err) {
    if (batch_id != cp->last_batch_id)
        return lt_raise(err, LT_MISUSE, NULL, "a snapshot of batch %" PRId64 " was asked for after batch %" PRId64,
                        batch_id, cp->last_batch_id);
    LT_TRY(lt_checkpoint_snapshot_begin(cp, err));
    LT_TRY(lt_checkpoint_snapshot_append(cp, bytes, count, err));
    return lt_checkpoint_snapshot_end(cp, err);
}

// ------------------------------------------------------------------------------------------------------------- garbage

// The older of the two newest snapshots: where state must remain restorable from; -1 without two of them.
static int64_t older_snapshot_id(const lt_checkpoint *cp) {
    int64_t newest = -1, older = -1;
    for (size_t i = 0; i < cp->file_count; i++) {
        const lt_state_file *file = &cp->files[i];
        if (!file->is_snapshot || file->is_damaged) continue;
        if (file->batch_id > newest) {
            older  = newest;
            newest = file->batch_id;
        } else if (file->batch_id > older) {
            older = file->batch_id;
        }
    }
    return older;
}

static void file_remove(lt_checkpoint *cp, size_t i) {
    char path[LT_PATH_BYTES_MAX];
    if (lt_checkpoint_state_path(cp, cp->files[i].batch_id, cp->files[i].is_snapshot, path, NULL) != LEAT_OK ||
        lt_fs_remove(cp->fs, path, NULL) != LEAT_OK)
        cp->gc_failures++;
    // A file that cannot be removed is met again at the next start.
    cp->files[i] = cp->files[--cp->file_count];
}

static void segments_remove(lt_checkpoint *cp, int64_t kept_id) {
    while (cp->log.segment_count > 1 && cp->log.segments[1].first_batch_id <= kept_id) {
        if (lt_record_log_remove_oldest(&cp->log, NULL) == LEAT_OK) continue;
        cp->gc_failures++;
        break;
    }
}

// State must remain restorable from there on, and the last ten batches are kept.
static int64_t kept_batch_id(const lt_checkpoint *cp, int64_t older_id) {
    const int64_t kept_id = cp->last_batch_id - LT_KEPT_BATCHES + 1;
    if (older_id >= 0) return older_id < kept_id ? older_id : kept_id;
    return cp->first_state_id >= 0 && cp->first_state_id < kept_id ? cp->first_state_id : kept_id;
}

void lt_checkpoint_forget_entries(lt_checkpoint *cp) {
    const int64_t kept_id = kept_batch_id(cp, older_snapshot_id(cp));
    size_t        gone    = 0;
    while (gone < cp->entry_count && cp->entries[gone].batch_id < kept_id) gone++;
    if (gone == 0) return;
    cp->entry_count -= gone;
    memmove(cp->entries, cp->entries + gone, cp->entry_count * sizeof *cp->entries);
}

void lt_checkpoint_collect_garbage(lt_checkpoint *cp) {
    int64_t kept_id  = cp->last_batch_id - LT_KEPT_BATCHES + 1;
    int64_t older_id = older_snapshot_id(cp);
    for (size_t i = cp->file_count; i-- > 0;) {
        const lt_state_file *file = &cp->files[i];
        bool                 is_old =
            file->is_snapshot ? file->batch_id < older_id : file->batch_id <= older_id && file->batch_id < kept_id;
        if (is_old) file_remove(cp, i);
    }
    if (cp->log.is_failed || cp->log.segment_count == 0) return;
    lt_checkpoint_forget_entries(cp);
    kept_id = kept_batch_id(cp, older_id);
    for (size_t i = 0; i < cp->source_count; i++) {
        const lt_seen_source *source = cp->sources[i];
        if (source->base_batch_id + 1 < kept_id && source->added_count > 0) kept_id = source->base_batch_id + 1;
    }
    segments_remove(cp, kept_id);
}

static leat_status source_compact(lt_checkpoint *cp, lt_seen_source *source, leat_error *err) {
    char                   path[LT_PATH_BYTES_MAX];
    const lt_commit_entry *entry  = entry_of(cp, cp->last_batch_id);
    lt_sealed_header       header = {.kind = "seen", .batch_id = cp->last_batch_id};
    if (entry == NULL) return LEAT_OK;
    header.anchor_sequence = entry->sequence;
    header.anchor_hash     = entry->hash;
    memcpy(header.query_id, cp->identity.query_id, sizeof header.query_id);
    LT_TRY(lt_checkpoint_source_path(cp, source->index, cp->last_batch_id, path, err));
    *strrchr(path, '/') = '\0';
    LT_TRY(lt_fs_make_folders(cp->fs, path, err));
    lt_buffer_reset(&cp->scratch);
    size_t count = source->set.written_count;
    LT_TRY(lt_seen_files_encode(&source->set, 0, count, &cp->scratch, err));
    LT_TRY(lt_checkpoint_source_path(cp, source->index, cp->last_batch_id, path, err));
    LT_TRY(lt_sealed_file_write(cp->fs, cp->temporary_folder, path, &header, cp->scratch.data, cp->scratch.bytes, err));
    int64_t previous_id   = source->base_batch_id;
    source->base_batch_id = cp->last_batch_id;
    source->base_count    = count;
    source->added_count   = 0;
    if (previous_id < 0 || previous_id == cp->last_batch_id) return LEAT_OK;
    LT_TRY(lt_checkpoint_source_path(cp, source->index, previous_id, path, err));
    return lt_fs_remove(cp->fs, path, err);
}

void lt_checkpoint_compact_sources(lt_checkpoint *cp) {
    lt_assert(!cp->is_pending);
    for (size_t i = 0; i < cp->source_count; i++) {
        lt_seen_source *source = cp->sources[i];
        if (source->added_count == 0 || source->added_count < source->base_count / 2) continue;
        if (source_compact(cp, source, NULL) != LEAT_OK) cp->gc_failures++;
    }
}

uint64_t lt_checkpoint_gc_failures(const lt_checkpoint *cp) { return cp->gc_failures; }
