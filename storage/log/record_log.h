// record_log: an append-only sequence of records in segment files, which tells a write that a crash cut short from
// damage.
//
//     log/00000000000000000000:  segment offsets commit offsets state commit ...   log/00000000000000031337:  segment
//     ...
//
//     leat <20 digits sequence> <8 kind> <10 digits payload bytes> <8 hex check of this line> <16 hex XXH3-64>\n
//     <payload>\n
//
// The check and the hash cover salt, sequence, kind and length, the hash the payload too. The salt is random per
// segment and stands in its first record, so old blocks never validate; the sequence is dense over all segments, so
// holes show.
//
// A bad record is a torn tail only at the end of the newest segment: no valid record line follows, and nobody outside
// (known_sequence) knows of its sequence. It is cut at start. Everything else is CHECKPOINT_CORRUPT, and nothing
// changes.
//
// Behind the last record there may be zeros: room made ahead, so that most syncs change bytes of the file alone and not
// its size, which a journal of the file system would have to wait for. close takes it back.
//
// Ownership  the log owns its segments list and buffers; borrows fs, account and folder names until close.
// Threads    one at a time.
// Limits     a payload has a maximum by its kind: LIMIT_EXCEEDED; a caller should start a segment at
//            LT_SEGMENT_BYTES_MAX.
// Errors     a failed write forgets what was pending; after a failed sync every later flush is IO_ERROR: open again.
// Cost       flush one write and one sync whatever the number of records; open reads all segments once, one in memory.
#ifndef LT_STORAGE_LOG_RECORD_LOG_H
#define LT_STORAGE_LOG_RECORD_LOG_H

#include "base/buffer.h"
#include "storage/fs.h"

enum { LT_RECORD_LINE_BYTES = 72, LT_SEGMENT_BYTES_MAX = 16 * 1024 * 1024, LT_LOG_VERSION = 2 };

typedef enum lt_record_kind {
    LT_RECORD_SEGMENT, // first of each segment; written by the log itself
    LT_RECORD_FILES,
    LT_RECORD_OFFSETS,
    LT_RECORD_STATE, // the only binary one
    LT_RECORD_COMMIT,
    LT_RECORD_NOTE,
    LT_RECORD_KIND_COUNT
} lt_record_kind;
const char *lt_record_kind_name(lt_record_kind kind);

// Where a record lies, enough to read it again.
typedef struct lt_record_position {
    uint64_t segment_sequence; // names the segment
    uint64_t offset;
} lt_record_position;

typedef struct lt_record {
    lt_record_kind     kind;
    uint64_t           sequence;
    const char        *payload; // borrowed during the call
    size_t             bytes;
    uint64_t           hash;
    lt_record_position position;
} lt_record;

typedef struct lt_record_segment {
    uint64_t first_sequence;
    uint64_t salt;
    int64_t  first_batch_id; // the first batch whose offsets record can be in it
    int64_t  first_state_id; // first batch ever that changed state; -1: none before this segment
} lt_record_segment;

typedef leat_status (*lt_record_give)(void *user, const lt_record *record, leat_error *err);

typedef struct lt_record_log {
    const lt_fs       *fs;
    lt_account        *account;
    const char        *folder, *temporary_folder;
    lt_record_segment *segments; // ascending, no holes
    size_t             segment_count, segment_capacity;
    uint64_t           next_sequence;
    uint64_t           end_offset;    // of the valid records of the newest segment that are written
    uint64_t           synced_offset; // <= end_offset; durable
    uint64_t           room_end;      // >= end_offset: size of the file; zeros in between
    uint64_t           torn_bytes;    // behind end_offset, found by open
    uint64_t           random;        // state of the salt generator
    lt_buffer          pending;       // records appended and not yet written
    lt_file            file;          // the newest segment, from start on
    bool               is_failed;
    char               file_path[LT_PATH_BYTES_MAX];
} lt_record_log;

// Scans all segments of `folder`, which must exist, and gives every record in order, segment records included. Changes
// nothing. known_sequence: records below it were written by somebody's account, so missing ones are damage; 0: none.
leat_status lt_record_log_open(lt_record_log *log, const lt_fs *fs, lt_account *account, const char *folder,
                               const char *temporary_folder, uint64_t random, lt_record_give give, void *user,
                               leat_error *err);
// After open: CHECKPOINT_CORRUPT unless all records below known_sequence are there.
leat_status lt_record_log_require(const lt_record_log *log, uint64_t known_sequence, leat_error *err);
// Makes the log ready to append: cuts the torn tail. With no segment next_segment must come first.
leat_status lt_record_log_start(lt_record_log *log, leat_error *err);
// Publishes an empty segment and goes on in it. Nothing may be pending.
leat_status lt_record_log_next_segment(lt_record_log *log, int64_t first_batch_id, int64_t first_state_id,
                                       leat_error *err);
// Adds a record to the pending ones and gives its sequence, hash and position (may be NULL).
leat_status lt_record_log_append(lt_record_log *log, lt_record_kind kind, const void *payload, size_t bytes,
                                 lt_record *out_record, leat_error *err);
// Forgets what is pending.
void lt_record_log_rollback(lt_record_log *log);
// Writes what is pending, in one write, and makes it durable if `sync`.
leat_status lt_record_log_flush(lt_record_log *log, bool sync, leat_error *err);
// IO_ERROR unless the newest segment ends where this log stopped writing.
leat_status lt_record_log_verify_end(lt_record_log *log, leat_error *err);
// Reads one record again, verified; its payload stands in `out_payload` (reset first).
leat_status lt_record_log_read(lt_record_log *log, lt_record_position position, lt_buffer *out_payload,
                               leat_error *err);
// Removes the oldest segment, never the newest.
leat_status lt_record_log_remove_oldest(lt_record_log *log, leat_error *err);
void        lt_record_log_close(lt_record_log *log);

#endif
