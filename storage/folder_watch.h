// folder_watch: which names have appeared in folders that somebody reads, told by the file system.
//
//     file system --news--> lt_folder_watch (one a session) --names--> lt_watched_folder (one a reader)
//
// News is a hint: listing the folder stays the truth. A reader adds its folder, lists it, and from then on looks at
// `names` alone, unless must_list says that they are not all, or has_hint that a name came which is not known to be of a
// whole file.
//
// Ownership  a watched folder is the reader's, who removes it before it goes; the watch borrows it meanwhile.
// Threads    one at a time.
// Limits     LT_NEWS_BYTES_MAX of names a folder; more: must_list. LT_HINT_BYTES_MAX of hints; more: one for all.
// Errors     none: what fails is a folder that has to be listed.      Cost  one system call a read, none without folders.
#ifndef LT_STORAGE_FOLDER_WATCH_H
#define LT_STORAGE_FOLDER_WATCH_H

#include "base/buffer.h"
#include "storage/fs.h"

enum { LT_NEWS_BYTES_MAX = 1024 * 1024, LT_HINT_BYTES_MAX = 4096 };

typedef struct lt_watched_folder {
    struct lt_watched_folder *next;
    int64_t                   number;    // of the file system; -1: not watched
    lt_buffer                 names;     // of whole files, each ends with NUL; taken by the reader
    bool                      must_list; // more has happened than names tell
    lt_buffer                 hints;     // as names: may be of unfinished files, links or folders
    bool                      has_hint;  // there are some, or were too many
} lt_watched_folder;

typedef struct lt_folder_watch {
    const lt_fs       *fs; // borrows
    void              *handle;
    int                descriptor; // readable while there is news; -1: none
    bool               is_open;
    lt_watched_folder *first;
} lt_folder_watch;

void lt_folder_watch_init(lt_folder_watch *watch, const lt_fs *fs);
void lt_watched_folder_init(lt_watched_folder *folder, lt_account *account);
// Whether news of the folder comes from now on. The first call opens the watch.
bool lt_folder_watch_add(lt_folder_watch *watch, lt_watched_folder *folder, const char *path);
void lt_folder_watch_remove(lt_folder_watch *watch, lt_watched_folder *folder);
// Hands out the news that has come.
void lt_folder_watch_read(lt_folder_watch *watch);
// Hints count as must_list: for a caller who wants all that is there now.
void lt_folder_watch_hurry(lt_folder_watch *watch);
void lt_watched_folder_forget(lt_watched_folder *folder); // names, must_list, has_hint: before a listing
void lt_watched_folder_deinit(lt_watched_folder *folder); // after remove
void lt_folder_watch_deinit(lt_folder_watch *watch);

#endif
