// inside: what the files of this folder share about an open checkpoint. Nobody outside includes it.
//
//     checkpoint.c  open, plan, commit, close      recover.c  log records -> facts      state.c  load, snapshot,
//     garbage
//
// Invariants are beside their fields. Contract and threads: checkpoint.h.
#ifndef LT_STORAGE_CHECKPOINT_INSIDE_H
#define LT_STORAGE_CHECKPOINT_INSIDE_H

#include "storage/checkpoint/checkpoint.h"
#include "storage/checkpoint/identity.h"
#include "storage/checkpoint/sealed_file.h"
#include "storage/log/record_log.h"

enum {
    LT_STATE_INLINE_BYTES_MAX  = 64 * 1024, // larger deltas are files
    LT_REPLAY_DELTAS_MAX       = 50,
    LT_REPLAY_BYTES_MAX        = 64 * 1024 * 1024,
    LT_REPLAY_BYTES_FLOOR      = 64 * 1024, // a cheaper replay is never worth a snapshot
    LT_KEPT_BATCHES            = 10,
    LT_SEGMENT_BATCHES_MAX     = 10000,
    LT_CHECKPOINT_SOURCES_MAX  = 1000,
    LT_CHECKPOINT_FOLDER_BYTES = LT_PATH_BYTES_MAX - 128, // leaves room for every name below it
};

typedef enum lt_state_place { LT_STATE_NONE, LT_STATE_INLINE, LT_STATE_FILE } lt_state_place;

// A committed batch that is still in the log and whose state may have to be restored.
typedef struct lt_commit_entry {
    int64_t            batch_id;
    uint64_t           sequence, hash; // of the commit record: the anchor of a snapshot
    lt_state_place     place;
    uint64_t           state_bytes;
    lt_hash128_value   state_hash;
    lt_record_position position; // of the state record, if INLINE
} lt_commit_entry;

typedef struct lt_state_file {
    int64_t  batch_id;
    uint64_t bytes;
    bool     is_snapshot, is_damaged;
} lt_state_file;

typedef struct lt_seen_source {
    lt_seen_files set;
    uint32_t      index;
    int64_t       base_batch_id; // files up to that batch are in the base on disk; -1: there is none
    size_t        base_count;
    size_t        added_count; // files that only the log has
    bool          is_base_damaged;
} lt_seen_source;

struct lt_checkpoint {
    const lt_fs       *fs;
    const leat_clock  *clock;
    lt_account        *account;
    lt_arena           arena; // paths and texts of the start
    lt_checkpoint_sync sync;
    const char    *folder, *log_folder, *state_folder, *sources_folder, *temporary_folder, *lock_path, *identity_path;
    const char    *query_name;
    uint64_t       random; // state of the generator of names and salts
    uint64_t       process_id;
    char           run[17]; // nonce of this run
    lt_file        lock;
    leat_file_info lock_info;
    lt_identity    identity;
    lt_record_log  log;
    bool           is_log_open, is_scanned;

    lt_commit_entry *entries; // ascending without gaps; the last is the last committed batch, if any is in the log
    size_t           entry_count, entry_capacity;
    lt_state_file   *files;
    size_t           file_count, file_capacity;
    lt_seen_source **sources;
    size_t           source_count, source_capacity;

    int64_t   last_batch_id; // committed; -1: none
    int64_t   durable_batch_id;
    int64_t   first_state_id;                 // first batch that changed state, ever; -1: none
    bool      is_pending;                     // batch last_batch_id + 1 is planned
    uint64_t  offsets_sequence, offsets_hash; // of the last offsets record: the anchor of a delta
    lt_buffer pending_offsets, last_offsets, last_commit, scratch;

    // Recovery only.
    lt_buffer          staged_files; // payloads of files records whose offsets record has not come yet
    uint64_t           staged_count;
    bool               has_state_record;
    uint64_t           state_sequence, state_bytes;
    lt_record_position state_position;
    uint64_t           known_sequence; // what state files prove to have been durable

    uint64_t            replay_count, replay_bytes, snapshot_bytes; // since the newest usable snapshot
    lt_sealed_writer    snapshot;                                   // the one that is being written
    int64_t             snapshot_id;                                // its batch
    uint64_t            covered_count, covered_bytes;               // of the replay, when it began
    uint64_t            gc_failures;
    lt_checkpoint_start now;
};

// recover.c
leat_status lt_checkpoint_list_state(lt_checkpoint *checkpoint, leat_error *err);
leat_status lt_checkpoint_load_sources(lt_checkpoint *checkpoint, leat_error *err);
leat_status lt_checkpoint_scan_record(void *checkpoint, const lt_record *record, leat_error *err);
leat_status lt_checkpoint_scan_end(lt_checkpoint *checkpoint, int64_t shown_batches, leat_error *err);
leat_status lt_checkpoint_source(lt_checkpoint *checkpoint, uint32_t index, lt_seen_source **out_source,
                                 leat_error *err);
// Reads the batch id at the front of a JSON payload; -1: none.
int64_t lt_checkpoint_payload_batch(const char *payload, size_t bytes);

// state.c
leat_status lt_checkpoint_state_path(const lt_checkpoint *checkpoint, int64_t batch_id, bool is_snapshot,
                                     char out_path[LT_PATH_BYTES_MAX], leat_error *err);
leat_status lt_checkpoint_source_path(const lt_checkpoint *checkpoint, uint32_t source, int64_t batch_id,
                                      char out_path[LT_PATH_BYTES_MAX], leat_error *err);
leat_status lt_checkpoint_file_add(lt_checkpoint *checkpoint, lt_state_file file, leat_error *err);
// Forgets, in memory only, the commits that no state is restored from: the log keeps them as long as its segment.
void lt_checkpoint_forget_entries(lt_checkpoint *checkpoint);
// Frees what no kept batch needs; failures are counted.
void lt_checkpoint_collect_garbage(lt_checkpoint *checkpoint);
// Rewrites the bases of seen files that have grown by half since; failures are counted.
void lt_checkpoint_compact_sources(lt_checkpoint *checkpoint);

#endif
