// file_listing: the files that a path means: one file, a folder, or a glob whose matches are files and folders.
//
//     in            files directly in the folder `in`
//     in/a.json     this file
//     in/*/x*.json  matches; a folder among them stands for the files directly in it
//
// Hidden are names that begin with `.`, or with `_` unless they contain `=`, or end in `._COPYING_`; folders too.
//
// Ownership  a listing owns its paths until reset or deinit.   Threads  one at a time.
// Errors     FILE_NOT_FOUND when a path without a glob is not there; LEAT_IO.
// Cost       one read of each folder, and one stat for each name that `is_unseen` says yes to.
#ifndef LT_STORAGE_FILE_LISTING_H
#define LT_STORAGE_FILE_LISTING_H

#include "base/arena.h"
#include "storage/fs.h"

typedef struct lt_listed_file {
    const char *path; // ends with NUL; as written in `path`, plus names
    uint64_t    bytes;
    int64_t     modified_us;
} lt_listed_file;

typedef struct lt_file_listing {
    lt_account     *account; // borrows
    lt_arena        paths;
    lt_listed_file *files;
    size_t          count, capacity;
    bool            has_folders; // files of more than one folder may be among them
} lt_file_listing;

typedef struct lt_file_pattern {
    const char *path;           // without "file:", no slash at the end
    const char *name_glob;      // pathGlobFilter on the last part, or NULL
    bool        is_recursive;   // recursiveFileLookup
    bool        has_partitions; // folders k=v are descended into
} lt_file_pattern;

// "file:///data/in/" -> "/data/in"; NULL without memory.
const char *lt_file_pattern_path(lt_arena *arena, const char *path);

void lt_file_listing_init(lt_file_listing *listing, lt_account *account);
void lt_file_listing_reset(lt_file_listing *listing);
void lt_file_listing_deinit(lt_file_listing *listing);
// Adds the files behind what is there; `is_unseen` NULL: all. A file that vanishes meanwhile is left out.
leat_status lt_file_listing_add(lt_file_listing *listing, const lt_fs *fs, const lt_file_pattern *pattern,
                                bool (*is_unseen)(void *user, const char *path), void *user, leat_error *err);
// The folder that holds all that the pattern means, unless the listing has_folders: a name in it is enough for
// add_name. "" is the folder where relative paths start; NULL: there is no such folder, or no memory.
const char *lt_file_pattern_folder(lt_arena *arena, const lt_file_pattern *pattern);
// Adds the file `name` of that folder, if the pattern means it and it is there.
leat_status lt_file_listing_add_name(lt_file_listing *listing, const lt_fs *fs, const lt_file_pattern *pattern,
                                     const char *folder, const char                        *name,
                                     bool (*is_unseen)(void *user, const char *path), void *user, leat_error *err);
// Removes all but the first of equal paths that stand side by side.
void lt_file_listing_unique(lt_file_listing *listing);
// Oldest (or newest) modification first; equal times by path.
void lt_file_listing_sort(lt_file_listing *listing, size_t first, bool is_latest_first);
bool lt_file_name_is_hidden(const char *name);

#endif
