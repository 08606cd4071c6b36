// publish: a file appears under its final name whole and durable, or not at all. The only way to a final name.
//
//     temporary name -> write -> fsync -> close -> rename -> fsync folder
//
// Ownership  lt_publish is a plain struct of the caller: open it, append, then commit or discard; a discard after
// either
//            does nothing.
// Threads    one at a time.   Errors  LEAT_IO, LEAT_NO_MEMORY; the temporary file is removed, the final name untouched,
//            but for a failed sync of the folder after the rename: then the file is whole and perhaps not yet durable.
// Limits     paths as fs.h; an existing file of the final name is replaced.   Cost  two syncs.
#ifndef LT_STORAGE_PUBLISH_H
#define LT_STORAGE_PUBLISH_H

#include "storage/fs.h"

typedef struct lt_publish {
    lt_file  file;
    uint64_t bytes;                             // written so far
    char     temporary_path[LT_PATH_BYTES_MAX]; // same file system as the final path
    char     path[LT_PATH_BYTES_MAX];
} lt_publish;

// The temporary file lies in `temporary_folder` (NULL: beside the final name, hidden by a dot) and must be on the same
// file system. A left-over of a crash with that name is removed first.
leat_status lt_publish_open(lt_publish *publish, const lt_fs *fs, const char *temporary_folder, const char *path,
                            leat_error *err);
// The same for output of users (COPY, parts of sinks): others may read it as far as the process allows; checkpoints are
// the owner's alone.
leat_status lt_publish_open_shared(lt_publish *publish, const lt_fs *fs, const char *temporary_folder, const char *path,
                                   leat_error *err);
leat_status lt_publish_append(lt_publish *publish, const void *bytes, size_t count, leat_error *err);
// Replaces bytes that were appended.
leat_status lt_publish_rewrite(lt_publish *publish, uint64_t offset, const void *bytes, size_t count, leat_error *err);
// Step 4 of a batch: bytes are durable under the temporary name and can be renamed later. commit does it if need be.
leat_status lt_publish_sync(lt_publish *publish, leat_error *err);
leat_status lt_publish_commit(lt_publish *publish, leat_error *err);
void        lt_publish_discard(lt_publish *publish);

// All of it at once.
leat_status lt_atomic_publish(const lt_fs *fs, const char *temporary_folder, const char *path, const void *bytes,
                              size_t count, leat_error *err);

#endif
