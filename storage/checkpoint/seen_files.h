// seen_files: which files a file source has taken, each in one batch.
//
//     is_new("in/a.json", mtime)? -> add("in/a.json", bytes, mtime, batch 7) -> plan 7 makes it durable
//
// A file counts once by its path (or its last part, `by_name`). With a maximum age, files older than the newest seen
// one by more than that are forgotten and never new again, as Spark's maxFileAge.
//
// Ownership  owns copies of all paths.       Threads  one at a time.
// Limits     the account's.                  Errors   LEAT_NO_MEMORY changes nothing.
// Cost       is_new and add O(1): a table by 64-bit hash whose hits are verified against the path; about 60 bytes and
// the
//            path a file.
#ifndef LT_STORAGE_CHECKPOINT_SEEN_FILES_H
#define LT_STORAGE_CHECKPOINT_SEEN_FILES_H

#include "base/buffer.h"

typedef struct lt_seen_file {
    const char *path; // ends with NUL; borrowed from the set
    uint64_t    bytes;
    int64_t     modified_us;
    int64_t     batch_id;
} lt_seen_file;

typedef struct lt_seen_files {
    lt_account   *account; // borrows
    lt_arena      paths;   // all but forgotten ones; rewritten by purge
    lt_seen_file *files;   // in order of addition; batch ids ascend
    size_t        count, capacity;
    uint32_t     *slots; // index into files plus one, 0: free; a power of two, at most half full
    size_t        slot_count;
    uint64_t      seed; // secret of the table, never on disk
    int64_t       modified_max_us;
    int64_t       horizon_us; // files below it are not new
    int64_t       purged_us;  // horizon of the last purge
    int64_t       max_age_us; // 0: none
    bool          by_name;
    size_t        written_count; // files[0 .. written_count) are on disk or on their way; used by the checkpoint
} lt_seen_files;

void lt_seen_files_init(lt_seen_files *set, lt_account *account, uint64_t seed);
// To be set before the first question; the checkpoint's sets are configured by their source.
void lt_seen_files_configure(lt_seen_files *set, bool by_name, int64_t max_age_us);
bool lt_seen_files_contains(const lt_seen_files *set, const char *path);
bool lt_seen_files_is_new(const lt_seen_files *set, const char *path, int64_t modified_us);
// A path that is there already stays as it is. `batch_id` is at least that of the last addition.
leat_status lt_seen_files_add(lt_seen_files *set, const char *path, uint64_t bytes, int64_t modified_us,
                              int64_t batch_id, leat_error *err);
// Forgets files older than the maximum age that are in batches below `batch_id`. O(1) unless there are some.
leat_status lt_seen_files_purge(lt_seen_files *set, int64_t batch_id, leat_error *err);
// The files of a batch, in order of addition: files[*out_first .. *out_first + returned).
size_t lt_seen_files_of_batch(const lt_seen_files *set, int64_t batch_id, size_t *out_first);
// As text for disk, a line a file: bytes, time, length of the path, path. decode adds what encode wrote, as of batch
// `batch_id`; CHECKPOINT_CORRUPT on anything else.
leat_status lt_seen_files_encode(const lt_seen_files *set, size_t first, size_t count, lt_buffer *out, leat_error *err);
leat_status lt_seen_files_decode(lt_seen_files *set, const char *text, size_t bytes, int64_t batch_id, leat_error *err);
void        lt_seen_files_deinit(lt_seen_files *set);

#endif
