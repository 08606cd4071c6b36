#include "storage/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static leat_status name_temporary(lt_publish *publish, const char *temporary_folder, leat_error *err) {
    const char *name         = last_part(publish->path);
    int         folder_bytes = (int)(name - publish->path);
    int         bytes;
    if (temporary_folder != NULL)
        bytes = snprintf(publish->temporary_path, LT_PATH_BYTES_MAX, "%s/%s.tmp", temporary_folder, name);
    else
        bytes = snprintf(publish->temporary_path, LT_PATH_BYTES_MAX, "%.*s.%s.tmp", folder_bytes, publish->path, name);
    if (bytes < 0 || bytes >= LT_PATH_BYTES_MAX) return lt_fs_raise(err, ENAMETOOLONG, "create", publish->path);
    return LEAT_OK;
}

static leat_status open_temporary(lt_publish *publish, const lt_fs *fs, const char *temporary_folder, const char *path,
                                  uint32_t more_flags, leat_error *err) {
    publish->file              = (lt_file){.fs = fs};
    publish->bytes             = 0;
    publish->temporary_path[0] = '\0';
    if (strlen(path) >= LT_PATH_BYTES_MAX) return lt_fs_raise(err, ENAMETOOLONG, "create", path);
    memcpy(publish->path, path, strlen(path) + 1);
    LT_TRY(name_temporary(publish, temporary_folder, err));
    const uint32_t flags = LEAT_OPEN_WRITE | LEAT_OPEN_CREATE | LEAT_OPEN_EXCLUSIVE | LEAT_OPEN_NO_FOLLOW | more_flags;
    int            code  = lt_file_open_code(fs, publish->temporary_path, flags, &publish->file);
    if (code == EEXIST) {
        LT_TRY(lt_fs_remove(fs, publish->temporary_path, err));
        code = lt_file_open_code(fs, publish->temporary_path, flags, &publish->file);
    }
    return code == 0 ? LEAT_OK : lt_fs_raise(err, code, "create", path);
}

leat_status lt_publish_open(lt_publish *publish, const lt_fs *fs, const char *temporary_folder, const char *path,
                            leat_error *err) {
    return open_temporary(publish, fs, temporary_folder, path, 0, err);
}

leat_status lt_publish_open_shared(lt_publish *publish, const lt_fs *fs, const char *temporary_folder, const char *path,
                                   leat_error *err) {
    return open_temporary(publish, fs, temporary_folder, path, LEAT_OPEN_SHARED, err);
}

leat_status lt_publish_append(lt_publish *publish, const void *bytes, size_t count, leat_error *err) {
    LT_TRY(lt_file_write(&publish->file, publish->bytes, bytes, count, err));
    publish->bytes += count;
    return LEAT_OK;
}

leat_status lt_publish_rewrite(lt_publish *publish, uint64_t offset, const void *bytes, size_t count, leat_error *err) {
    lt_assert(offset + count <= publish->bytes);
    return lt_file_write(&publish->file, offset, bytes, count, err);
}

leat_status lt_publish_sync(lt_publish *publish, leat_error *err) {
    if (!publish->file.is_open) return LEAT_OK;
    LT_TRY(lt_file_sync(&publish->file, err));
    return lt_file_close(&publish->file, err);
}

leat_status lt_publish_commit(lt_publish *publish, leat_error *err) {
    const lt_fs *fs     = publish->file.fs;
    leat_status  status = lt_publish_sync(publish, err);
    if (status == LEAT_OK) status = lt_fs_rename(fs, publish->temporary_path, publish->path, err);
    if (status != LEAT_OK) {
        lt_publish_discard(publish);
        return status;
    }
    // The temporary path has served; its room holds the name of the folder for a moment. It ends empty, so that a later
    // discard has nothing to remove.
    size_t bytes = (size_t)(last_part(publish->path) - publish->path);
    memcpy(publish->temporary_path, bytes > 0 ? publish->path : "./", bytes > 0 ? bytes : 2);
    publish->temporary_path[bytes > 1 ? bytes - 1 : 1] = '\0';
    status                                             = lt_fs_sync_folder(fs, publish->temporary_path, err);
    publish->temporary_path[0]                         = '\0';
    return status;
}

void lt_publish_discard(lt_publish *publish) {
    // A discarded file's errors say nothing that the caller does not know; left-overs go at the next start.
    (void)lt_file_close(&publish->file, NULL);
    if (publish->temporary_path[0] != '\0') (void)lt_fs_remove(publish->file.fs, publish->temporary_path, NULL);
    publish->temporary_path[0] = '\0';
}

leat_status lt_atomic_publish(const lt_fs *fs, const char *temporary_folder, const char *path, const void *bytes,
                              size_t count, leat_error *err) {
    lt_publish publish;
    LT_TRY(lt_publish_open(&publish, fs, temporary_folder, path, err));
    leat_status status = lt_publish_append(&publish, bytes, count, err);
    if (status == LEAT_OK) return lt_publish_commit(&publish, err);
    lt_publish_discard(&publish);
    return status;
}
