#include "storage/fs.h"

#include "storage/fs_posix.h"

#include <errno.h>
#include <string.h>

void lt_fs_init(lt_fs *fs, const leat_file_system *system, const char *folder) {
    *fs = (lt_fs){.system = system != NULL ? system : &lt_fs_posix, .folder = folder != NULL ? folder : ""};
}

// Puts the folder before a relative path.
static int path_resolve(const lt_fs *fs, const char *path, char out_path[LT_PATH_BYTES_MAX]) {
    size_t path_bytes   = strlen(path);
    size_t folder_bytes = path[0] == '/' ? 0 : strlen(fs->folder);
    if (fs->is_closed) return EPERM;
    if (path_bytes == 0) return ENOENT;
    if (folder_bytes >= LT_PATH_BYTES_MAX || path_bytes >= LT_PATH_BYTES_MAX - folder_bytes - 1) return ENAMETOOLONG;
    memcpy(out_path, fs->folder, folder_bytes);
    if (folder_bytes > 0 && out_path[folder_bytes - 1] != '/') out_path[folder_bytes++] = '/';
    memcpy(out_path + folder_bytes, path, path_bytes + 1);
    return 0;
}

leat_status lt_fs_raise(leat_error *err, int code, const char *verb, const char *path) {
    lt_condition condition = code == ENOENT ? LT_FILE_NOT_FOUND : code == ENOMEM ? LT_OUT_OF_MEMORY : LT_IO_ERROR;
    const char  *reason =
        code == EPERM ? "not permitted" : strerrordesc_np(code); // strerror would follow the host's locale
    leat_status status = reason != NULL ? lt_raise(err, condition, NULL, "cannot %s `%s`: %s", verb, path, reason)
                                        : lt_raise(err, condition, NULL, "cannot %s `%s`: error %d", verb, path, code);
    lt_error_data_place(err, path, 0, 0, NULL);
    return status;
}

int lt_file_open_code(const lt_fs *fs, const char *path, uint32_t flags, lt_file *out_file) {
    char resolved[LT_PATH_BYTES_MAX];
    *out_file = (lt_file){.fs = fs, .path = path};
    int code  = path_resolve(fs, path, resolved);
    if (code == 0) code = fs->system->open(fs->system->user, resolved, flags, &out_file->handle);
    out_file->is_open = code == 0;
    return code;
}

leat_status lt_file_open(const lt_fs *fs, const char *path, uint32_t flags, lt_file *out_file, leat_error *err) {
    int code = lt_file_open_code(fs, path, flags, out_file);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "open", path);
}

leat_status lt_file_read_some(lt_file *file, uint64_t offset, void *buffer, size_t count, size_t *out_count,
                              leat_error *err) {
    const leat_file_system *system = file->fs->system;
    lt_assert(file->is_open);
    *out_count = 0;
    int code   = system->read(system->user, file->handle, offset, buffer, count, out_count);
    if (code != 0) return lt_fs_raise(err, code, "read", file->path);
    lt_assert(*out_count <= count);
    return LEAT_OK;
}

leat_status lt_file_read(lt_file *file, uint64_t offset, void *buffer, size_t count, size_t *out_count,
                         leat_error *err) {
    size_t done = 0;
    while (done < count) {
        size_t   moved = 0;
        uint64_t at    = offset == LEAT_OFFSET_NEXT ? offset : offset + done;
        LT_TRY(lt_file_read_some(file, at, (char *)buffer + done, count - done, &moved, err));
        if (moved == 0) break;
        done += moved;
    }
    *out_count = done;
    return LEAT_OK;
}

leat_status lt_file_write(lt_file *file, uint64_t offset, const void *bytes, size_t count, leat_error *err) {
    const leat_file_system *system = file->fs->system;
    lt_assert(file->is_open);
    for (size_t done = 0; done < count;) {
        size_t   moved = 0;
        uint64_t at    = offset == LEAT_OFFSET_NEXT ? offset : offset + done;
        int      code = system->write(system->user, file->handle, at, (const char *)bytes + done, count - done, &moved);
        if (code == 0 && moved == 0) code = ENOSPC;
        if (code != 0) return lt_fs_raise(err, code, "write", file->path);
        lt_assert(moved <= count - done);
        done += moved;
    }
    return LEAT_OK;
}

leat_status lt_file_truncate(lt_file *file, uint64_t bytes, leat_error *err) {
    int code = file->fs->system->truncate(file->fs->system->user, file->handle, bytes);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "truncate", file->path);
}

leat_status lt_file_sync(lt_file *file, leat_error *err) {
    int code = file->fs->system->sync(file->fs->system->user, file->handle);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "sync", file->path);
}

leat_status lt_file_lock(lt_file *file, bool *out_is_held, leat_error *err) {
    int code     = file->fs->system->lock(file->fs->system->user, file->handle);
    *out_is_held = code == EAGAIN;
    return code == 0 || *out_is_held ? LEAT_OK : lt_fs_raise(err, code, "lock", file->path);
}

leat_status lt_file_info(lt_file *file, leat_file_info *out_info, leat_error *err) {
    int code = file->fs->system->info(file->fs->system->user, file->path, file->handle, out_info);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "inspect", file->path);
}

leat_status lt_file_close(lt_file *file, leat_error *err) {
    if (!file->is_open) return LEAT_OK;
    file->is_open = false;
    int code      = file->fs->system->close(file->fs->system->user, file->handle);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "close", file->path);
}

int lt_fs_info_code(const lt_fs *fs, const char *path, leat_file_info *out_info) {
    char resolved[LT_PATH_BYTES_MAX];
    int  code = path_resolve(fs, path, resolved);
    return code != 0 ? code : fs->system->info(fs->system->user, resolved, NULL, out_info);
}

leat_status lt_fs_info(const lt_fs *fs, const char *path, leat_file_info *out_info, leat_error *err) {
    int code = lt_fs_info_code(fs, path, out_info);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "inspect", path);
}

typedef struct listing {
    lt_fs_give  give;
    void       *user;
    leat_error *err;
    leat_status status;
} listing;

static int listing_give(void *user, const char *name, uint32_t kind) {
    listing *self = user;
    self->status  = self->give(self->user, name, kind, self->err);
    return self->status == LEAT_OK ? 0 : ECANCELED;
}

leat_status lt_fs_list(const lt_fs *fs, const char *path, lt_fs_give give, void *user, leat_error *err) {
    char    resolved[LT_PATH_BYTES_MAX];
    listing self = {.give = give, .user = user, .err = err, .status = LEAT_OK};
    int     code = path_resolve(fs, path, resolved);
    if (code == 0) code = fs->system->list(fs->system->user, resolved, listing_give, &self);
    if (self.status != LEAT_OK) return self.status;
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "list", path);
}

leat_status lt_fs_rename(const lt_fs *fs, const char *from, const char *to, leat_error *err) {
    char resolved_from[LT_PATH_BYTES_MAX], resolved_to[LT_PATH_BYTES_MAX];
    int  code = path_resolve(fs, from, resolved_from);
    if (code == 0) code = path_resolve(fs, to, resolved_to);
    if (code == 0) code = fs->system->rename(fs->system->user, resolved_from, resolved_to);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "rename to", to);
}

leat_status lt_fs_remove(const lt_fs *fs, const char *path, leat_error *err) {
    char resolved[LT_PATH_BYTES_MAX];
    int  code = path_resolve(fs, path, resolved);
    if (code == 0) code = fs->system->remove(fs->system->user, resolved);
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "remove", path);
}

static int make_folder_code(const lt_fs *fs, const char *path) {
    char resolved[LT_PATH_BYTES_MAX];
    int  code = path_resolve(fs, path, resolved);
    if (code == 0) code = fs->system->make_folder(fs->system->user, resolved);
    if (code != EEXIST) return code;
    leat_file_info info;
    code = fs->system->info(fs->system->user, resolved, NULL, &info);
    if (code == 0 && info.kind != LEAT_FILE_FOLDER) code = ENOTDIR;
    return code == 0 ? EEXIST : code;
}

leat_status lt_fs_make_folder(const lt_fs *fs, const char *path, leat_error *err) {
    int code = make_folder_code(fs, path);
    return code == 0 || code == EEXIST ? LEAT_OK : lt_fs_raise(err, code, "make the folder", path);
}

leat_status lt_fs_make_folders(const lt_fs *fs, const char *path, leat_error *err) {
    char           part[LT_PATH_BYTES_MAX];
    size_t         bytes = strlen(path);
    leat_file_info info;
    if (bytes >= sizeof part) return lt_fs_raise(err, ENAMETOOLONG, "make the folder", path);
    if (lt_fs_info_code(fs, path, &info) == 0 && info.kind == LEAT_FILE_FOLDER) return LEAT_OK;
    memcpy(part, path, bytes + 1);
    size_t parent_bytes = 0; // of the path up to the part before
    for (size_t i = 1; i <= bytes; i++) {
        if ((part[i] != '/' && part[i] != '\0') || part[i - 1] == '/') continue;
        char kept = part[i];
        part[i]   = '\0';
        int code  = make_folder_code(fs, part);
        if (code != 0 && code != EEXIST) return lt_fs_raise(err, code, "make the folder", path);
        if (code == 0) {
            char end           = part[parent_bytes];
            part[parent_bytes] = '\0';
            leat_status status = lt_fs_sync_folder(fs, parent_bytes > 0 ? part : path[0] == '/' ? "/" : ".", err);
            part[parent_bytes] = end;
            LT_TRY(status);
        }
        part[i]      = kept;
        parent_bytes = i;
    }
    return LEAT_OK;
}

leat_status lt_fs_sync_folder(const lt_fs *fs, const char *path, leat_error *err) {
    lt_file file;
    LT_TRY(lt_file_open(fs, path, LEAT_OPEN_READ | LEAT_OPEN_FOLDER, &file, err));
    leat_status status = lt_file_sync(&file, err);
    leat_status closed = lt_file_close(&file, err);
    return status != LEAT_OK ? status : closed;
}

int lt_fs_watch_open(const lt_fs *fs, void **out_watch, int *out_descriptor) {
    *out_descriptor = -1;
    if (fs->system->watch_open == NULL) return ENOSYS;
    return fs->system->watch_open(fs->system->user, out_watch, out_descriptor);
}

int lt_fs_watch_folder(const lt_fs *fs, void *watch, const char *path, int64_t *out_folder) {
    char resolved[LT_PATH_BYTES_MAX];
    int  code = path_resolve(fs, path, resolved);
    return code != 0 ? code : fs->system->watch_folder(fs->system->user, watch, resolved, out_folder);
}

void lt_fs_watch_forget(const lt_fs *fs, void *watch, int64_t folder) {
    (void)fs->system->watch_forget(fs->system->user, watch, folder); // at worst there is news that nobody wants
}

int lt_fs_watch_read(const lt_fs *fs, void *watch, lt_fs_give_news give, void *user) {
    return fs->system->watch_read(fs->system->user, watch, give, user);
}

void lt_fs_watch_close(const lt_fs *fs, void *watch) { (void)fs->system->watch_close(fs->system->user, watch); }
