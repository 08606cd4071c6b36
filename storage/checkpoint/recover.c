#include "storage/checkpoint/inside.h"

#include "storage/checkpoint/text_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Recovery reads all before it judges, and judges all before it changes anything: state folder (what must have been
// durable), bases of seen files, log. A files record counts only if the offsets record of its batch follows it
// directly, because both come in one write and a crash may keep the first alone.

static leat_status raise_record(const lt_checkpoint *cp, const lt_record *record, const char *what, leat_error *err) {
    leat_status status = lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                                  "record %" PRIu64 " (%s) of `%s` at byte %" PRIu64 " %s; last good batch %" PRId64
                                  "; restore the checkpoint from a copy or choose an empty folder",
                                  record->sequence, lt_record_kind_name(record->kind), cp->log.file_path,
                                  record->position.offset, what, cp->last_batch_id);
    lt_error_data_place(err, cp->log.file_path, 0, record->position.offset, NULL);
    return status;
}

// ------------------------------------------------------------------------------------------------------------- folders

static leat_status state_note(void *user, const char *name, uint32_t kind, leat_error *err) {
    lt_checkpoint *cp     = user;
    lt_text_reader reader = {name, name + strlen(name)};
    uint64_t       batch_id;
    (void)kind;
    if (!lt_text_u64(&reader, &batch_id) || reader.next - name != 20 || batch_id > INT64_MAX) return LEAT_OK;
    bool is_snapshot = strcmp(reader.next, ".snapshot") == 0;
    if (!is_snapshot && strcmp(reader.next, ".delta") != 0) return LEAT_OK;
    return lt_checkpoint_file_add(cp, (lt_state_file){.batch_id = (int64_t)batch_id, .is_snapshot = is_snapshot}, err);
}

leat_status lt_checkpoint_list_state(lt_checkpoint *cp, leat_error *err) {
    LT_TRY(lt_fs_list(cp->fs, cp->state_folder, state_note, cp, err));
    for (size_t i = 0; i < cp->file_count; i++) {
        lt_state_file   *file = &cp->files[i];
        lt_sealed_header header;
        char             path[LT_PATH_BYTES_MAX];
        LT_TRY(lt_checkpoint_state_path(cp, file->batch_id, file->is_snapshot, path, err));
        leat_error  local  = {0};
        leat_status status = lt_sealed_file_read_header(cp->fs, path, &header, &local);
        if (status == LEAT_VERSION || status == LEAT_IO) {
            if (err != NULL && err->status == LEAT_OK) *err = local;
            return status;
        }
        file->is_damaged = status != LEAT_OK || header.batch_id != file->batch_id ||
                           strcmp(header.query_id, cp->identity.query_id) != 0;
        if (file->is_damaged) continue;
        file->bytes = header.payload_bytes;
        if (header.anchor_sequence >= cp->known_sequence) cp->known_sequence = header.anchor_sequence + 1;
    }
    return LEAT_OK;
}

typedef struct newest_name {
    int64_t number; // -1: none
    int64_t limit;  // names from here on are passed over
} newest_name;

static leat_status newest_note(void *user, const char *name, uint32_t kind, leat_error *err) {
    newest_name   *self   = user;
    lt_text_reader reader = {name, name + strlen(name)};
    uint64_t       number;
    (void)kind, (void)err;
    if (!lt_text_u64(&reader, &number) || reader.next != reader.end || number > INT64_MAX) return LEAT_OK;
    if ((int64_t)number > self->number && (int64_t)number < self->limit) self->number = (int64_t)number;
    return LEAT_OK;
}

leat_status lt_checkpoint_source(lt_checkpoint *cp, uint32_t index, lt_seen_source **out_source, leat_error *err) {
    for (size_t i = 0; i < cp->source_count; i++)
        if (cp->sources[i]->index == index) {
            *out_source = cp->sources[i];
            return LEAT_OK;
        }
    LT_TRY_GROW(cp->sources, cp->account, cp->source_count, cp->source_capacity, 16, err);
    lt_seen_source *source;
    LT_TRY_NEW(source, &cp->arena, err);
    source->index         = index;
    source->base_batch_id = -1;
    lt_seen_files_init(&source->set, cp->account, lt_hash64(&index, sizeof index, cp->random));
    cp->sources[cp->source_count++] = source;
    *out_source                     = source;
    return LEAT_OK;
}

static leat_status base_load(lt_checkpoint *cp, uint32_t index, leat_error *err) {
    char        path[LT_PATH_BYTES_MAX];
    newest_name newest = {.number = -1, .limit = INT64_MAX};
    int         bytes  = snprintf(path, sizeof path, "%s/%" PRIu32, cp->sources_folder, index);
    lt_assert(bytes > 0 && bytes < LT_PATH_BYTES_MAX);
    (void)bytes;
    LT_TRY(lt_fs_list(cp->fs, path, newest_note, &newest, err));
    if (newest.number < 0) return LEAT_OK;
    lt_seen_source  *source;
    lt_sealed_header header;
    leat_error       local = {0};
    LT_TRY(lt_checkpoint_source(cp, index, &source, err));
    LT_TRY(lt_checkpoint_source_path(cp, index, newest.number, path, err));
    leat_status status = lt_sealed_file_read(cp->fs, path, &header, &cp->scratch, &local);
    if (status == LEAT_OK && (header.batch_id != newest.number || strcmp(header.query_id, cp->identity.query_id) != 0 ||
                              strcmp(header.kind, "seen") != 0))
        status = LEAT_CORRUPT;
    if (status == LEAT_OK)
        status = lt_seen_files_decode(&source->set, cp->scratch.data, cp->scratch.bytes, newest.number, &local);
    if (status == LEAT_CORRUPT) {
        // Whether the log can stand in is known after its scan.
        lt_seen_files_deinit(&source->set);
        lt_seen_files_init(&source->set, cp->account, source->set.seed);
        source->is_base_damaged = true;
        return LEAT_OK;
    }
    if (status != LEAT_OK) {
        if (err != NULL && err->status == LEAT_OK) *err = local;
        return status;
    }
    source->base_batch_id = newest.number;
    source->base_count    = source->set.count;
    return LEAT_OK;
}

leat_status lt_checkpoint_load_sources(lt_checkpoint *cp, leat_error *err) {
    // Folders are visited in descending order, each found by a listing: there are few, and no list has to be kept.
    newest_name next = {.number = -1, .limit = LT_CHECKPOINT_SOURCES_MAX};
    do {
        next.number = -1;
        LT_TRY(lt_fs_list(cp->fs, cp->sources_folder, newest_note, &next, err));
        if (next.number >= 0) LT_TRY(base_load(cp, (uint32_t)next.number, err));
        next.limit = next.number;
    } while (next.number > 0);
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------- records

int64_t lt_checkpoint_payload_batch(const char *payload, size_t bytes) {
    lt_text_reader reader = {payload, payload + bytes};
    int64_t        batch_id;
    return lt_text_literal(&reader, "{\"batchId\":") && lt_text_i64(&reader, &batch_id) ? batch_id : -1;
}

static leat_status scan_files(lt_checkpoint *cp, const lt_record *record, leat_error *err) {
    cp->staged_count++;
    return lt_buffer_append_bytes(&cp->staged_files, record->payload, record->bytes, err);
}

// {"batchId":3,"source":0,"count":2}\n and a line a file.
static leat_status files_apply(lt_checkpoint *cp, const lt_record *record, const char *payload, size_t bytes,
                               int64_t batch_id, leat_error *err) {
    lt_text_reader  reader = {payload, payload + bytes};
    int64_t         found;
    uint64_t        index, count;
    lt_seen_source *source;
    if (!lt_text_literal(&reader, "{\"batchId\":") || !lt_text_i64(&reader, &found) ||
        !lt_text_literal(&reader, ",\"source\":") || !lt_text_u64(&reader, &index) ||
        !lt_text_literal(&reader, ",\"count\":") || !lt_text_u64(&reader, &count) || !lt_text_literal(&reader, "}\n") ||
        index >= LT_CHECKPOINT_SOURCES_MAX || found != batch_id)
        return raise_record(cp, record, "follows a list of files that does not parse", err);
    LT_TRY(lt_checkpoint_source(cp, (uint32_t)index, &source, err));
    if (batch_id <= source->base_batch_id) return LEAT_OK;
    return lt_seen_files_decode(&source->set, reader.next, (size_t)(reader.end - reader.next), batch_id, err);
}

// {"batchId":3,"timeUs":1,"run":"<16 hex>","files":0,"body":...}
static leat_status scan_offsets(lt_checkpoint *cp, const lt_record *record, leat_error *err) {
    lt_text_reader reader = {record->payload, record->payload + record->bytes};
    int64_t        batch_id, time_us;
    uint64_t       run, files;
    if (!lt_text_literal(&reader, "{\"batchId\":") || !lt_text_i64(&reader, &batch_id) ||
        !lt_text_literal(&reader, ",\"timeUs\":") || !lt_text_i64(&reader, &time_us) ||
        !lt_text_literal(&reader, ",\"run\":\"") || !lt_text_hex(&reader, 16, &run) ||
        !lt_text_literal(&reader, "\",\"files\":") || !lt_text_u64(&reader, &files) ||
        !lt_text_literal(&reader, ",\"body\":") || reader.next == reader.end || reader.end[-1] != '}')
        return raise_record(cp, record, "does not parse", err);
    if (cp->is_pending) return raise_record(cp, record, "is a second plan without a commit between", err);
    if (batch_id != cp->last_batch_id + 1) return raise_record(cp, record, "is not of the next batch", err);
    if (files > cp->staged_count) return raise_record(cp, record, "lacks its lists of files", err);
    // Lists before the last `files` ones are the rest of a write that was cut.
    lt_reader staged = {cp->staged_files.data, cp->staged_files.data + cp->staged_files.bytes};
    for (uint64_t i = 0; i < cp->staged_count; i++) {
        const char *payload;
        size_t      bytes;
        LT_TRY(lt_reader_bytes(&staged, &payload, &bytes, err));
        if (i + files >= cp->staged_count) LT_TRY(files_apply(cp, record, payload, bytes, batch_id, err));
    }
    cp->is_pending       = true;
    cp->offsets_sequence = record->sequence;
    cp->offsets_hash     = record->hash;
    lt_buffer_reset(&cp->pending_offsets);
    return lt_buffer_append(&cp->pending_offsets, reader.next, (size_t)(reader.end - reader.next) - 1, err);
}

static leat_status scan_state(lt_checkpoint *cp, const lt_record *record, leat_error *err) {
    if (!cp->is_pending) return raise_record(cp, record, "has no offsets record before it", err);
    cp->has_state_record = true;
    cp->state_sequence   = record->sequence;
    cp->state_bytes      = record->bytes;
    cp->state_position   = record->position;
    return LEAT_OK;
}

// {"batchId":3,"offsets":7,"state":"inline","stateBytes":5,"stateHash":"<32 hex>","body":...}
static leat_status scan_commit(lt_checkpoint *cp, const lt_record *record, leat_error *err) {
    lt_text_reader  reader = {record->payload, record->payload + record->bytes};
    lt_commit_entry entry  = {.sequence = record->sequence, .hash = record->hash};
    uint64_t        offsets;
    char            place[8];
    if (!lt_text_literal(&reader, "{\"batchId\":") || !lt_text_i64(&reader, &entry.batch_id) ||
        !lt_text_literal(&reader, ",\"offsets\":") || !lt_text_u64(&reader, &offsets) ||
        !lt_text_literal(&reader, ",\"state\":\"") || !lt_text_word(&reader, '"', place, sizeof place) ||
        !lt_text_literal(&reader, ",\"stateBytes\":") || !lt_text_u64(&reader, &entry.state_bytes) ||
        !lt_text_literal(&reader, ",\"stateHash\":\"") || !lt_text_hex(&reader, 16, &entry.state_hash.high) ||
        !lt_text_hex(&reader, 16, &entry.state_hash.low) || !lt_text_literal(&reader, "\",\"body\":") ||
        reader.next == reader.end || reader.end[-1] != '}')
        return raise_record(cp, record, "does not parse", err);
    entry.place = strcmp(place, "inline") == 0 ? LT_STATE_INLINE
                  : strcmp(place, "file") == 0 ? LT_STATE_FILE
                                               : LT_STATE_NONE;
    if (!cp->is_pending || entry.batch_id != cp->last_batch_id + 1 || offsets != cp->offsets_sequence)
        return raise_record(cp, record, "does not belong to the offsets record before it", err);
    if (entry.place == LT_STATE_INLINE) {
        if (!cp->has_state_record || cp->state_sequence + 1 != record->sequence || cp->state_bytes != entry.state_bytes)
            return raise_record(cp, record, "lacks its state record", err);
        entry.position = cp->state_position;
    }
    LT_TRY_GROW(cp->entries, cp->account, cp->entry_count, cp->entry_capacity, 16, err);
    cp->entries[cp->entry_count++] = entry;
    if (entry.place != LT_STATE_NONE && cp->first_state_id < 0) cp->first_state_id = entry.batch_id;
    cp->last_batch_id      = entry.batch_id;
    cp->is_pending         = false;
    lt_buffer offsets_text = cp->pending_offsets;
    cp->pending_offsets    = cp->last_offsets;
    cp->last_offsets       = offsets_text;
    lt_buffer_reset(&cp->last_commit);
    return lt_buffer_append(&cp->last_commit, reader.next, (size_t)(reader.end - reader.next) - 1, err);
}

leat_status lt_checkpoint_scan_record(void *checkpoint, const lt_record *record, leat_error *err) {
    lt_checkpoint *cp     = checkpoint;
    leat_status    status = LEAT_OK;
    switch (record->kind) {
    case LT_RECORD_SEGMENT:
        if (!cp->is_scanned) {
            cp->is_scanned     = true;
            cp->last_batch_id  = cp->log.segments[0].first_batch_id - 1;
            cp->first_state_id = cp->log.segments[0].first_state_id;
        }
        break;
    case LT_RECORD_FILES:
        status = scan_files(cp, record, err);
        break;
    case LT_RECORD_OFFSETS:
        status = scan_offsets(cp, record, err);
        break;
    case LT_RECORD_STATE:
        status = scan_state(cp, record, err);
        break;
    case LT_RECORD_COMMIT:
        status = scan_commit(cp, record, err);
        break;
    default:
        break;
    }
    if (record->kind != LT_RECORD_FILES) {
        lt_buffer_reset(&cp->staged_files);
        cp->staged_count = 0;
    }
    if (record->kind != LT_RECORD_STATE) cp->has_state_record = false;
    return status;
}

// Deltas that a load would have to replay.
static void replay_count(lt_checkpoint *cp) {
    int64_t from_id = -1;
    for (size_t i = 0; i < cp->file_count; i++)
        if (cp->files[i].is_snapshot && !cp->files[i].is_damaged && cp->files[i].batch_id > from_id) {
            from_id            = cp->files[i].batch_id;
            cp->snapshot_bytes = cp->files[i].bytes;
        }
    for (size_t i = 0; i < cp->entry_count; i++)
        if (cp->entries[i].batch_id > from_id && cp->entries[i].place != LT_STATE_NONE) {
            cp->replay_count++;
            cp->replay_bytes += cp->entries[i].state_bytes;
        }
}

leat_status lt_checkpoint_scan_end(lt_checkpoint *cp, int64_t shown_batches, leat_error *err) {
    LT_TRY(lt_record_log_require(&cp->log, cp->known_sequence, err));
    int64_t planned_id = cp->last_batch_id + (cp->is_pending ? 1 : 0);
    if (shown_batches - 1 > planned_id)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                        "the sink has received batch %" PRId64 ", but the log of `%s` ends with batch %" PRId64
                        "; restore the checkpoint from a copy, or choose an empty folder and an empty output",
                        shown_batches - 1, cp->folder, planned_id);
    int64_t first_id = cp->log.segment_count > 0 ? cp->log.segments[0].first_batch_id : 0;
    for (size_t i = 0; i < cp->source_count; i++) {
        lt_seen_source *source = cp->sources[i];
        if (source->base_batch_id > cp->last_batch_id || (source->is_base_damaged && first_id > 0))
            return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                            "the base of seen files in `%s/%" PRIu32
                            "` is damaged or does not belong to the log; restore the checkpoint from a copy",
                            cp->sources_folder, source->index);
        if (source->is_base_damaged) cp->now.repairs++;
        source->set.written_count = source->set.count;
        source->added_count       = source->set.count - source->base_count;
    }
    cp->durable_batch_id = cp->last_batch_id;
    replay_count(cp);
    return LEAT_OK;
}
