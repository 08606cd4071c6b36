// file_listing: a work list of folders instead of recursion. A glob is walked part by part: the folders that match the
// parts so far are the work list of the next part.
#include "storage/file_listing.h"

#include "storage/glob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool lt_file_name_is_hidden(const char *name) {
    static const char copying[] = "._COPYING_";
    const size_t      bytes = strlen(name), suffix = sizeof copying - 1;
    if (name[0] == '.' || (name[0] == '_' && strchr(name, '=') == NULL)) return true;
    return bytes >= suffix && memcmp(name + bytes - suffix, copying, suffix) == 0;
}

const char *lt_file_pattern_path(lt_arena *arena, const char *path) {
    if (strncmp(path, "file://", 7) == 0)
        path += 7;
    else if (strncmp(path, "file:", 5) == 0)
        path += 5;
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/') bytes--;
    return lt_arena_text(arena, path, bytes);
}

void lt_file_listing_init(lt_file_listing *listing, lt_account *account) {
    *listing = (lt_file_listing){.account = account};
    lt_arena_init(&listing->paths, account);
}

void lt_file_listing_reset(lt_file_listing *listing) {
    listing->count       = 0;
    listing->has_folders = false;
    lt_arena_reset(&listing->paths);
}

void lt_file_listing_deinit(lt_file_listing *listing) {
    if (listing->account == NULL) return;
    (void)lt_account_reallocate(listing->account, listing->files, listing->capacity * sizeof(lt_listed_file), 0);
    lt_arena_deinit(&listing->paths);
    *listing = (lt_file_listing){0};
}

static leat_status listing_append(lt_file_listing *listing, const char *path, const leat_file_info *info,
                                  leat_error *err) {
    LT_TRY_GROW(listing->files, listing->account, listing->count, listing->capacity, 64, err);
    listing->files[listing->count++] = (lt_listed_file){path, info->bytes, info->modified_us};
    return LEAT_OK;
}

typedef struct folder_node {
    struct folder_node *next;
    const char         *path;
} folder_node;

typedef struct walk {
    lt_file_listing       *listing;
    const lt_fs           *fs;
    const lt_file_pattern *pattern;
    bool (*is_unseen)(void *user, const char *path);
    void              *user;
    lt_arena           scratch;       // folders; dies with the walk
    folder_node       *first, **last; // work list, in order
    const char        *folder;        // being listed
    const char *const *parts;         // alternatives of the glob part being matched
    size_t             part_count;
    const char *const *name_globs; // alternatives of name_glob
    size_t             name_glob_count;
    bool               is_last_part;
    const char        *partition; // a folder k=v that stands in the way, or NULL
} walk;

static const char *join(lt_arena *arena, const char *folder, const char *name) {
    const size_t bytes = strlen(folder);
    if (bytes == 0) return lt_arena_text(arena, name, strlen(name));
    return lt_arena_format(arena, "%s%s%s", folder, folder[bytes - 1] == '/' ? "" : "/", name);
}

static bool matches_any(const char *const *patterns, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (lt_glob_match(patterns[i], name)) return true;
    return false;
}

static leat_status folder_append(walk *self, const char *path, leat_error *err) {
    folder_node *node = LT_NEW(&self->scratch, folder_node);
    if (node == NULL) return lt_raise_no_memory(err);
    node->path  = path;
    *self->last = node;
    self->last  = &node->next;
    return LEAT_OK;
}

// A file that was found: kept if it is unseen, wanted by name, and still there.
static leat_status file_found(walk *self, const char *folder, const char *name, leat_error *err) {
    if (self->name_globs != NULL && !matches_any(self->name_globs, self->name_glob_count, name)) return LEAT_OK;
    char         path[LT_PATH_BYTES_MAX];
    const size_t folder_bytes = strlen(folder), name_bytes = strlen(name);
    if (folder_bytes + name_bytes + 2 > sizeof path)
        return lt_raise(err, LT_IO_ERROR, NULL, "path `%.100s/...` is longer than %d bytes", folder, LT_PATH_BYTES_MAX);
    size_t bytes = folder_bytes;
    memcpy(path, folder, folder_bytes);
    if (bytes > 0 && path[bytes - 1] != '/') path[bytes++] = '/';
    memcpy(path + bytes, name, name_bytes + 1);
    if (self->is_unseen != NULL && !self->is_unseen(self->user, path)) return LEAT_OK;
    leat_file_info info;
    const int      code = lt_fs_info_code(self->fs, path, &info);
    if (code == ENOENT) return LEAT_OK;
    if (code != 0) return lt_fs_raise(err, code, "look at", path);
    if (info.kind != LEAT_FILE_REGULAR) return LEAT_OK;
    const char *kept = lt_arena_text(&self->listing->paths, path, bytes + name_bytes);
    if (kept == NULL) return lt_raise_no_memory(err);
    return listing_append(self->listing, kept, &info, err);
}

static leat_status kind_of(walk *self, const char *folder, const char *name, uint32_t *kind, leat_error *err) {
    if (*kind == LEAT_FILE_REGULAR || *kind == LEAT_FILE_FOLDER) return LEAT_OK;
    const char *path = join(&self->scratch, folder, name);
    if (path == NULL) return lt_raise_no_memory(err);
    leat_file_info info;
    *kind = lt_fs_info_code(self->fs, path, &info) == 0 ? info.kind : LEAT_FILE_OTHER;
    return LEAT_OK;
}

static leat_status give_entry(void *user, const char *name, uint32_t kind, leat_error *err) {
    walk *self = user;
    if (lt_file_name_is_hidden(name)) return LEAT_OK;
    LT_TRY(kind_of(self, self->folder, name, &kind, err));
    if (kind == LEAT_FILE_REGULAR) return file_found(self, self->folder, name, err);
    if (kind != LEAT_FILE_FOLDER) return LEAT_OK;
    if (!self->pattern->is_recursive && strchr(name, '=') == NULL) return LEAT_OK;
    const char *path = join(&self->scratch, self->folder, name);
    if (path == NULL) return lt_raise_no_memory(err);
    if (self->pattern->is_recursive) return folder_append(self, path, err);
    if (self->pattern->has_partitions) {
        self->listing->has_folders = true;
        return folder_append(self, path, err);
    }
    if (self->partition == NULL) self->partition = path;
    return LEAT_OK;
}

static leat_status give_match(void *user, const char *name, uint32_t kind, leat_error *err) {
    walk *self = user;
    if (lt_file_name_is_hidden(name) || !matches_any(self->parts, self->part_count, name)) return LEAT_OK;
    LT_TRY(kind_of(self, self->folder, name, &kind, err));
    if (kind == LEAT_FILE_REGULAR && self->is_last_part) return file_found(self, self->folder, name, err);
    if (kind != LEAT_FILE_FOLDER) return LEAT_OK;
    const char *path = join(&self->scratch, self->folder, name);
    return path == NULL ? lt_raise_no_memory(err) : folder_append(self, path, err);
}

// Lists a folder; one that is gone by now gives nothing.
static leat_status list_folder(walk *self, const char *folder, lt_fs_give give, leat_error *err) {
    leat_file_info info;
    self->folder         = folder;
    const char *listable = folder[0] == '\0' ? "." : folder;
    const int   code     = lt_fs_info_code(self->fs, listable, &info);
    if (code == ENOENT || code == ENOTDIR) return LEAT_OK;
    if (code != 0) return lt_fs_raise(err, code, "look at", listable);
    return info.kind == LEAT_FILE_FOLDER ? lt_fs_list(self->fs, listable, give, self, err) : LEAT_OK;
}

static leat_status walk_glob(walk *self, leat_error *err) {
    const char *rest = self->pattern->path;
    LT_TRY(folder_append(self, rest[0] == '/' ? "/" : "", err));
    while (*rest != '\0') {
        while (*rest == '/') rest++;
        const size_t bytes = strcspn(rest, "/");
        const char  *part  = lt_arena_text(&self->scratch, rest, bytes);
        if (part == NULL) return lt_raise_no_memory(err);
        rest += bytes;
        while (*rest == '/') rest++;
        self->is_last_part  = *rest == '\0';
        folder_node *folder = self->first;
        self->first         = NULL;
        self->last          = &self->first;
        LT_TRY(lt_glob_expand(&self->scratch, part, &self->parts, &self->part_count, err));
        for (; folder != NULL; folder = folder->next) {
            if (lt_glob_is_pattern(part) || self->is_last_part) {
                LT_TRY(list_folder(self, folder->path, give_match, err));
                continue;
            }
            const char *path = join(&self->scratch, folder->path, part);
            if (path == NULL) return lt_raise_no_memory(err);
            LT_TRY(folder_append(self, path, err));
        }
    }
    return LEAT_OK;
}

static leat_status walk_path(walk *self, leat_error *err) {
    const char *path = self->pattern->path;
    if (self->pattern->name_glob != NULL)
        LT_TRY(
            lt_glob_expand(&self->scratch, self->pattern->name_glob, &self->name_globs, &self->name_glob_count, err));
    if (lt_glob_is_pattern(path)) {
        LT_TRY(walk_glob(self, err));
        self->listing->has_folders |= self->first != NULL;
    } else {
        leat_file_info info;
        LT_TRY(lt_fs_info(self->fs, path, &info, err));
        if (info.kind != LEAT_FILE_FOLDER) {
            if (self->is_unseen != NULL && !self->is_unseen(self->user, path)) return LEAT_OK;
            const char *kept = lt_arena_text(&self->listing->paths, path, strlen(path));
            return kept == NULL ? lt_raise_no_memory(err) : listing_append(self->listing, kept, &info, err);
        }
        LT_TRY(folder_append(self, path, err));
    }
    for (folder_node *folder = self->first; folder != NULL; folder = folder->next)
        LT_TRY(list_folder(self, folder->path, give_entry, err));
    if (self->partition != NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL,
                        "partition folder `%.200s` is not read; CREATE .. PARTITIONED BY its column, name the files by "
                        "a glob or set recursiveFileLookup",
                        self->partition);
    return LEAT_OK;
}

leat_status lt_file_listing_add(lt_file_listing *listing, const lt_fs *fs, const lt_file_pattern *pattern,
                                bool (*is_unseen)(void *user, const char *path), void *user, leat_error *err) {
    walk self = {.listing = listing, .fs = fs, .pattern = pattern, .is_unseen = is_unseen, .user = user};
    self.last = &self.first;
    lt_arena_init(&self.scratch, listing->account);
    const leat_status status = walk_path(&self, err);
    lt_arena_deinit(&self.scratch);
    return status;
}

const char *lt_file_pattern_folder(lt_arena *arena, const lt_file_pattern *pattern) {
    const char *slash = strrchr(pattern->path, '/');
    if (pattern->is_recursive || pattern->has_partitions) return NULL;
    if (!lt_glob_is_pattern(pattern->path)) return pattern->path;
    // Braces would be expanded for each name; a walk writes paths without repeated slashes.
    if (strchr(pattern->path, '{') != NULL || strstr(pattern->path, "//") != NULL) return NULL;
    if (slash == NULL) return "";
    const char *folder =
        lt_arena_text(arena, pattern->path, slash == pattern->path ? 1 : (size_t)(slash - pattern->path));
    return folder == NULL || lt_glob_is_pattern(folder) ? NULL : folder;
}

leat_status lt_file_listing_add_name(lt_file_listing *listing, const lt_fs *fs, const lt_file_pattern *pattern,
                                     const char *folder, const char                        *name,
                                     bool (*is_unseen)(void *user, const char *path), void *user, leat_error *err) {
    walk self = {.listing = listing, .fs = fs, .pattern = pattern, .is_unseen = is_unseen, .user = user};
    if (lt_file_name_is_hidden(name)) return LEAT_OK;
    if (lt_glob_is_pattern(pattern->path)) {
        const char *slash = strrchr(pattern->path, '/');
        if (!lt_glob_match(slash == NULL ? pattern->path : slash + 1, name)) return LEAT_OK;
    }
    lt_arena_init(&self.scratch, listing->account);
    leat_status status = LEAT_OK;
    if (pattern->name_glob != NULL)
        status = lt_glob_expand(&self.scratch, pattern->name_glob, &self.name_globs, &self.name_glob_count, err);
    if (status == LEAT_OK) status = file_found(&self, folder, name, err);
    lt_arena_deinit(&self.scratch);
    return status;
}

void lt_file_listing_unique(lt_file_listing *listing) {
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++)
        if (kept == 0 || strcmp(listing->files[kept - 1].path, listing->files[i].path) != 0)
            listing->files[kept++] = listing->files[i];
    listing->count = kept;
}

static int oldest_first(const void *a, const void *b) {
    const lt_listed_file *x = a, *y = b;
    if (x->modified_us != y->modified_us) return x->modified_us < y->modified_us ? -1 : 1;
    return strcmp(x->path, y->path);
}

static int newest_first(const void *a, const void *b) {
    const lt_listed_file *x = a, *y = b;
    if (x->modified_us != y->modified_us) return x->modified_us > y->modified_us ? -1 : 1;
    return strcmp(x->path, y->path);
}

void lt_file_listing_sort(lt_file_listing *listing, size_t first, bool is_latest_first) {
    if (listing->count > first)
        qsort(listing->files + first, listing->count - first, sizeof(lt_listed_file),
              is_latest_first ? newest_first : oldest_first);
}
