#include "storage/folder_watch.h"

#include "storage/file_listing.h"

#include <string.h>

// Several readers may watch one folder; the file system then gives them one number, which is forgotten with the last.

void lt_folder_watch_init(lt_folder_watch *watch, const lt_fs *fs) {
    *watch = (lt_folder_watch){.fs = fs, .descriptor = -1};
}

void lt_watched_folder_init(lt_watched_folder *folder, lt_account *account) {
    *folder = (lt_watched_folder){.number = -1};
    lt_buffer_init(&folder->names, account, 0);
    lt_buffer_init(&folder->hints, account, 0);
}

void lt_watched_folder_forget(lt_watched_folder *folder) {
    lt_buffer_reset(&folder->names);
    lt_buffer_reset(&folder->hints);
    folder->must_list = folder->has_hint = false;
}

bool lt_folder_watch_add(lt_folder_watch *watch, lt_watched_folder *folder, const char *path) {
    lt_assert(folder->number < 0);
    if (!watch->is_open) {
        if (lt_fs_watch_open(watch->fs, &watch->handle, &watch->descriptor) != 0) return false;
        watch->is_open = true;
    }
    if (lt_fs_watch_folder(watch->fs, watch->handle, path, &folder->number) != 0) {
        folder->number = -1;
        return false;
    }
    folder->next = watch->first;
    watch->first = folder;
    return true;
}

void lt_folder_watch_remove(lt_folder_watch *watch, lt_watched_folder *folder) {
    if (folder->number < 0) return;
    bool is_shared = false;
    for (lt_watched_folder **link = &watch->first; *link != NULL;) {
        if (*link == folder) {
            *link = folder->next;
            continue;
        }
        is_shared |= (*link)->number == folder->number;
        link = &(*link)->next;
    }
    if (!is_shared) lt_fs_watch_forget(watch->fs, watch->handle, folder->number);
    folder->number = -1;
}

static void name_note(lt_watched_folder *folder, const char *name) {
    const size_t bytes = strlen(name) + 1;
    if (folder->must_list) return;
    if (folder->names.bytes + bytes > LT_NEWS_BYTES_MAX ||
        lt_buffer_append(&folder->names, name, bytes, NULL) != LEAT_OK)
        folder->must_list = true;
}

static void hint_note(lt_watched_folder *folder, const char *name) {
    const size_t bytes = strlen(name) + 1;
    folder->has_hint   = true;
    if (folder->hints.bytes + bytes <= LT_HINT_BYTES_MAX &&
        lt_buffer_append(&folder->hints, name, bytes, NULL) == LEAT_OK)
        return;
    // One hint for all of them, which no name answers: it stays until a listing.
    lt_buffer_reset(&folder->hints);
    if (lt_buffer_append(&folder->hints, "", 1, NULL) != LEAT_OK) folder->must_list = true;
}

// The file that was being written is whole: an answer to its hint.
static void hint_drop(lt_watched_folder *folder, const char *name) {
    const size_t bytes = strlen(name) + 1;
    for (size_t at = 0; at < folder->hints.bytes;) {
        char        *hint  = folder->hints.data + at;
        const size_t taken = strlen(hint) + 1;
        if (taken != bytes || memcmp(hint, name, bytes) != 0) {
            at += taken;
            continue;
        }
        memmove(hint, hint + taken, folder->hints.bytes - at - taken);
        folder->hints.bytes -= taken;
        if (folder->hints.bytes == 0) folder->has_hint = false;
    }
}

static void news_note(void *user, int64_t number, uint32_t news, const char *name) {
    lt_folder_watch *watch = user;
    for (lt_watched_folder **link = &watch->first; *link != NULL;) {
        lt_watched_folder *folder = *link;
        if (number >= 0 && folder->number != number) {
            link = &folder->next;
            continue;
        }
        if (news == LEAT_NEWS_FILE && !lt_file_name_is_hidden(name)) {
            hint_drop(folder, name);
            name_note(folder, name);
        }
        if (news == LEAT_NEWS_NAME && !lt_file_name_is_hidden(name)) hint_note(folder, name);
        if (news == LEAT_NEWS_LOST || news == LEAT_NEWS_ENDED) folder->must_list = true;
        if (news == LEAT_NEWS_ENDED) {
            *link          = folder->next;
            folder->number = -1;
            continue;
        }
        link = &folder->next;
    }
}

void lt_folder_watch_read(lt_folder_watch *watch) {
    if (watch->first == NULL && watch->descriptor < 0) return;
    if (watch->is_open && lt_fs_watch_read(watch->fs, watch->handle, news_note, watch) != 0)
        news_note(watch, -1, LEAT_NEWS_LOST, "");
}

void lt_folder_watch_hurry(lt_folder_watch *watch) {
    for (lt_watched_folder *folder = watch->first; folder != NULL; folder = folder->next)
        folder->must_list |= folder->has_hint;
}

void lt_watched_folder_deinit(lt_watched_folder *folder) {
    lt_buffer_deinit(&folder->names);
    lt_buffer_deinit(&folder->hints);
}

void lt_folder_watch_deinit(lt_folder_watch *watch) {
    if (watch->is_open) lt_fs_watch_close(watch->fs, watch->handle);
    *watch = (lt_folder_watch){.fs = watch->fs, .descriptor = -1};
}
