// fs: the seam through which every byte outside of the process is reached. A leat_file_system (leat.h) moves bytes and
// may move fewer than asked; this module adds the session's folder, full reads and writes, and errors with a path.
//
//     lt_fs -> leat_file_system (posix | the host's | faulty in tests)
//       +-- lt_file  a handle and the path it was opened by
//
// Ownership  lt_fs and lt_file are plain structs of the caller; lt_file borrows its path and lt_fs until closed.
// Threads    lt_fs is read only after init; a file is used by one thread at a time.
// Limits     a path with its folder has at most LT_PATH_BYTES_MAX bytes: IO_ERROR.
// Errors     FILE_NOT_FOUND and IO_ERROR (both LEAT_IO) with the path as data place. *_code variants give the errno
// value
//            for callers that treat some of them as answers.
#ifndef LT_STORAGE_FS_H
#define LT_STORAGE_FS_H

#include "base/error.h"

enum { LT_PATH_BYTES_MAX = 1536, LT_FS_PAGE_BYTES = 4096 };

typedef struct lt_fs {
    const leat_file_system *system;    // borrows
    const char             *folder;    // borrows; "" or where relative paths start
    bool                    is_closed; // every path is refused with EPERM
} lt_fs;

typedef struct lt_file {
    const lt_fs *fs;
    void        *handle; // what the file system gave
    const char  *path;   // borrows
    bool         is_open;
} lt_file;

// `system` NULL: POSIX. `folder` NULL: the working directory. Both are borrowed as long as `fs` lives.
void lt_fs_init(lt_fs *fs, const leat_file_system *system, const char *folder);

// `flags`: LEAT_OPEN_*. `path` is borrowed until close.
leat_status lt_file_open(const lt_fs *fs, const char *path, uint32_t flags, lt_file *out_file, leat_error *err);
int         lt_file_open_code(const lt_fs *fs, const char *path, uint32_t flags, lt_file *out_file);
// Reads up to `count` bytes at `offset` (LEAT_OFFSET_NEXT: behind the last read); *out_count 0: the end. One call of
// the file system, so a pipe gives what it has.
leat_status lt_file_read_some(lt_file *file, uint64_t offset, void *buffer, size_t count, size_t *out_count,
                              leat_error *err);
// Bytes to leave free at `memory` so that what is read from `offset` on lands at the same place of its page as it has in
// the page cache. A copy to a place a few bytes further into the page than its source, whatever the pages, waits for its
// own stores: reading then takes up to three times as long. Less than LT_FS_PAGE_BYTES.
static inline size_t lt_file_read_gap(const void *memory, uint64_t offset) {
    return (size_t)((offset - (uint64_t)(uintptr_t)memory) & (LT_FS_PAGE_BYTES - 1));
}
// Reads until `count` bytes are there or the file ends.
leat_status lt_file_read(lt_file *file, uint64_t offset, void *buffer, size_t count, size_t *out_count,
                         leat_error *err);
// Writes all bytes at `offset` (LEAT_OFFSET_NEXT: at the end).
leat_status lt_file_write(lt_file *file, uint64_t offset, const void *bytes, size_t count, leat_error *err);
leat_status lt_file_truncate(lt_file *file, uint64_t bytes, leat_error *err);
leat_status lt_file_sync(lt_file *file, leat_error *err);
// LT_CHECKPOINT_BUSY never: *out_is_held tells that another process holds it.
leat_status lt_file_lock(lt_file *file, bool *out_is_held, leat_error *err);
leat_status lt_file_info(lt_file *file, leat_file_info *out_info, leat_error *err);
// Closes if open; repeatable. The error of a close after writing matters, therefore it is reported.
leat_status lt_file_close(lt_file *file, leat_error *err);

leat_status lt_fs_info(const lt_fs *fs, const char *path, leat_file_info *out_info, leat_error *err);
int         lt_fs_info_code(const lt_fs *fs, const char *path, leat_file_info *out_info);
// Calls give for each entry but `.` and `..`, in any order; a status of give that is not LEAT_OK ends the listing and
// is returned. kind LEAT_FILE_UNKNOWN: ask lt_fs_info.
typedef leat_status (*lt_fs_give)(void *user, const char *name, uint32_t kind, leat_error *err);
leat_status lt_fs_list(const lt_fs *fs, const char *path, lt_fs_give give, void *user, leat_error *err);
leat_status lt_fs_rename(const lt_fs *fs, const char *from, const char *to, leat_error *err);
leat_status lt_fs_remove(const lt_fs *fs, const char *path, leat_error *err);
// A folder that is there already is fine; parents must exist.
leat_status lt_fs_make_folder(const lt_fs *fs, const char *path, leat_error *err);
// The same with all parents; parents that it makes are synced into theirs.
leat_status lt_fs_make_folders(const lt_fs *fs, const char *path, leat_error *err);
// Makes the entries of a folder durable.
leat_status lt_fs_sync_folder(const lt_fs *fs, const char *path, leat_error *err);

// News of folders (leat_file_system.watch_*). All give errno values, ENOSYS where the file system has no watches.
int  lt_fs_watch_open(const lt_fs *fs, void **out_watch, int *out_descriptor);
int  lt_fs_watch_folder(const lt_fs *fs, void *watch, const char *path, int64_t *out_folder);
void lt_fs_watch_forget(const lt_fs *fs, void *watch, int64_t folder);
typedef void (*lt_fs_give_news)(void *user, int64_t folder, uint32_t news, const char *name);
int  lt_fs_watch_read(const lt_fs *fs, void *watch, lt_fs_give_news give, void *user);
void lt_fs_watch_close(const lt_fs *fs, void *watch);

// Raises what an errno value of `system` means: "cannot <verb> `path`: <reason>".
leat_status lt_fs_raise(leat_error *err, int code, const char *verb, const char *path);

#endif
