// checkpoint: the memory of a standing query on disk: what each batch read, what it did to the state, that it is done.
//
//     open -> [load_state] -> { plan n -> run, sinks -> commit n -> show -> [snapshot n] } ... -> close
//
//     ck/identity                 query id, settings, fingerprint, plan; published once, replaced by an accepted change
//     ck/lock                     who writes; locked while open, never removed
//     ck/log/<20 digits>          segments of records: segment, files, offsets, state, commit, note (log/record_log.h)
//     ck/state/<20 digits>.delta  state changes of one batch above 64 KiB     <20 digits>.snapshot  a cache of all
//     before ck/sources/<n>/<20 digits>  seen files of source n up to that batch (seen_files.h)       ck/tmp/
//     temporaries
//
// Batches count from 0 without a gap. After plan n the input of n is fixed for ever: a restart gives its offsets back
// as pending and n runs again with exactly them. After commit n it is done, whatever happens.
//
// Ownership  a checkpoint owns all that its functions return, until close.   Threads  one at a time; a forked child
// gets
//            LEAT_MISUSE and writes nothing.
// Errors     LEAT_BUSY another process or handle holds it; LEAT_CORRUPT damaged or missing pieces, with file, offset,
//            remedy, nothing is changed then; LEAT_VERSION written by a newer leat; LEAT_CHANGED another query, with
//            the differing lines; LEAT_IO: a failed write can be tried again, after a failed sync open again.
// Cost       plan and commit one write and one sync each, of the size of what changed; open O(log); nothing O(state)
// but
//            load_state and snapshot.
#ifndef LT_STORAGE_CHECKPOINT_CHECKPOINT_H
#define LT_STORAGE_CHECKPOINT_CHECKPOINT_H

#include "base/arena.h"
#include "storage/checkpoint/seen_files.h"
#include "storage/fs.h"

typedef struct lt_checkpoint lt_checkpoint;

// Setting checkpointSync. GROUP: commit n is durable with plan n + 1 or lt_checkpoint_flush, and must be shown only
// then.
typedef enum lt_checkpoint_sync {
    LT_CHECKPOINT_SYNC_FULL  = 0,
    LT_CHECKPOINT_SYNC_GROUP = 1,
    LT_CHECKPOINT_SYNC_OFF   = 2, // for tests
} lt_checkpoint_sync;

typedef enum lt_plan_verdict {
    LT_PLAN_REFUSED  = 0, // LEAT_CHANGED
    LT_PLAN_ACCEPTED = 1, // goes on, writes a note, the new text is stored
} lt_plan_verdict;
// Asked when the stored fingerprint or settings differ from the offered ones. Both texts: settings, then fingerprint,
// in lines.
typedef lt_plan_verdict (*lt_plan_judge)(void *user, const char *stored, const char *offered);

typedef struct lt_checkpoint_options {
    const lt_fs       *fs;    // borrows, as clock and account, until close
    const leat_clock  *clock; // NULL: the system's
    lt_account        *account;
    const char        *path;        // of the folder; made if it is not there
    uint64_t           random_seed; // of the session; 0: from the system
    lt_checkpoint_sync sync;
    int64_t            shown_batches; // what a sink's receipts prove: batches 0 .. shown_batches - 1 have been planned
    lt_plan_judge      judge;         // NULL: every difference is refused
    void              *judge_user;
} lt_checkpoint_options;

// What the checkpoint belongs to. All texts end with NUL; NULL is "".
typedef struct lt_checkpoint_identity {
    const char *query_name;  // for messages only
    const char *fingerprint; // canonical: a line for each stateful operator, source and fixed property
    const char *settings;    // fixed for life: a line `name = value` each
    const char *plan;        // canonical text of the plan, given back as stored
} lt_checkpoint_identity;

// What open found. Texts are valid until close and end with NUL.
typedef struct lt_checkpoint_start {
    bool        is_new;             // no batch was ever planned
    const char *query_id;           // UUID text
    int64_t     last_batch_id;      // last committed batch; -1: none
    const char *last_commit;        // commit_json of that batch; NULL: none
    size_t      last_commit_bytes;  //
    const char *last_offsets;       // offsets_json of that batch; NULL: none
    size_t      last_offsets_bytes; //
    const char
          *pending_offsets; // offsets_json of batch last_batch_id + 1, which must run again with exactly them; or NULL
    size_t pending_offsets_bytes;
    const char *stored_plan;      // identity.plan of the first start
    uint64_t    repairs;          // torn tails cut, damaged snapshots passed over, so far in this run
    bool        is_plan_accepted; // the fingerprint differed and the judge accepted it
} lt_checkpoint_start;

// Creates or recovers. *out_checkpoint is NULL on error, and nothing on disk has changed but empty folders and the
// lock.
leat_status lt_checkpoint_open(const lt_checkpoint_options *options, const lt_checkpoint_identity *identity,
                               lt_checkpoint **out_checkpoint, leat_error *err);
// Describes the present: after each commit last_* and pending_* follow.
const lt_checkpoint_start *lt_checkpoint_now(const lt_checkpoint *checkpoint);
// The seen files of file source `source_index` (position among the query's sources, below 1,000), as of the last
// planned batch. Borrowed until close. lt_seen_files_add with the coming batch id before plan; plan writes the
// additions with the offsets in one step. lt_seen_files_of_batch gives the files of a pending batch.
leat_status lt_checkpoint_seen_files(lt_checkpoint *checkpoint, uint32_t source_index, lt_seen_files **out_files,
                                     leat_error *err);

// Gives the newest usable snapshot, if any, and then every later committed delta in order of batches; batches without
// state changes give nothing. `bytes` is borrowed during the call.
typedef leat_status (*lt_checkpoint_give_state)(void *user, int64_t batch_id, bool is_snapshot, const void *bytes,
                                                size_t count, leat_error *err);
leat_status lt_checkpoint_load_state(lt_checkpoint *checkpoint, lt_checkpoint_give_state give, void *user,
                                     leat_error *err);

// Fixes batch last_batch_id + 1, durably. LEAT_MISUSE for any other id or while one is pending.
leat_status lt_checkpoint_plan(lt_checkpoint *checkpoint, int64_t batch_id, const char *offsets_json,
                               size_t offsets_bytes, leat_error *err);
// Ends the pending batch, durably. state_count 0: the batch changed no state. `commit_json` is one JSON value.
leat_status lt_checkpoint_commit(lt_checkpoint *checkpoint, int64_t batch_id, const void *state, size_t state_count,
                                 const char *commit_json, size_t commit_bytes, leat_error *err);
// GROUP: makes the last commit durable. Else nothing to do.
leat_status lt_checkpoint_flush(lt_checkpoint *checkpoint, leat_error *err);
// The last committed batch that is durable: what may be shown.
int64_t lt_checkpoint_durable_batch_id(const lt_checkpoint *checkpoint);
// Appends a note record (JSON text), durable with the next sync.
leat_status lt_checkpoint_note(lt_checkpoint *checkpoint, const char *note_json, leat_error *err);

// True when replaying the deltas has become dearer than a snapshot: more than half of it, 50 of them, or 64 MiB.
bool lt_checkpoint_wants_snapshot(const lt_checkpoint *checkpoint);
// A snapshot of the last committed batch, in pieces: begin after its commit, append after this or later commits, end
// after the last piece. A piece may show later batches, but only those committed when it was appended, and only where
// their deltas, applied again, come to the same. end publishes, then removes what no kept batch needs (10 batches and 2
// snapshots are kept; failures to remove are counted only). A snapshot is a cache: an error fails no batch, it only ends
// the snapshot, as abandon does.
leat_status lt_checkpoint_snapshot_begin(lt_checkpoint *checkpoint, leat_error *err);
leat_status lt_checkpoint_snapshot_append(lt_checkpoint *checkpoint, const void *bytes, size_t count, leat_error *err);
leat_status lt_checkpoint_snapshot_end(lt_checkpoint *checkpoint, leat_error *err);
void        lt_checkpoint_snapshot_abandon(lt_checkpoint *checkpoint);
bool        lt_checkpoint_has_snapshot_begun(const lt_checkpoint *checkpoint);
// All of it at once, as of batch_id, the last committed one.
leat_status lt_checkpoint_snapshot(lt_checkpoint *checkpoint, int64_t batch_id, const void *bytes, size_t count,
                                   leat_error *err);
uint64_t    lt_checkpoint_gc_failures(const lt_checkpoint *checkpoint);

// Closes, makes a grouped commit durable; NULL is fine, writes NULL.
leat_status lt_checkpoint_close(lt_checkpoint **checkpoint, leat_error *err);

// Reads a checkpoint without locking or changing it: every record in order. Text is JSON, or "<n> bytes" for state;
// batch -1: none. Borrowed during the call.
typedef struct lt_checkpoint_row {
    const char *kind;
    uint64_t    sequence;
    int64_t     batch_id;
    const char *text;
    size_t      text_bytes;
} lt_checkpoint_row;
typedef leat_status (*lt_checkpoint_give_row)(void *user, const lt_checkpoint_row *row, leat_error *err);
leat_status lt_checkpoint_describe(const lt_fs *fs, const char *path, lt_account *account, lt_checkpoint_give_row give,
                                   void *user, leat_error *err);

#endif
