#include "tests/fault/fs_faulty.h"

#include <errno.h>

enum { OPEN, READ, WRITE, TRUNCATE, SYNC, LOCK, INFO, LIST, RENAME, REMOVE, MAKE_FOLDER, WATCH };

// 0: go on. Else the errno value to give.
static int step(lt_fs_faulty *self, int kind) {
    self->operation_count++;
    int  code   = self->code != 0 ? self->code : EIO;
    bool is_now = self->fail_at != 0 && self->operation_count == self->fail_at;
    if (is_now) {
        self->has_failed  = true;
        self->failed_kind = kind;
        return code;
    }
    if (!self->has_failed) return 0;
    if (self->mode == LT_FAULT_CRASH) return code;
    return self->mode == LT_FAULT_FOREVER && kind == self->failed_kind ? code : 0;
}

static int faulty_open(void *user, const char *path, uint32_t flags, void **out_file) {
    lt_fs_faulty *self = user;
    int           code = step(self, OPEN);
    return code != 0 ? code : self->inner->open(self->inner->user, path, flags, out_file);
}

static int faulty_close(void *user, void *file) {
    lt_fs_faulty *self = user;
    return self->inner->close(self->inner->user, file);
}

static int faulty_read(void *user, void *file, uint64_t offset, void *buffer, size_t count, size_t *out_count) {
    lt_fs_faulty *self = user;
    int           code = step(self, READ);
    if (self->is_short && count > 1) count = (count + 1) / 2;
    return code != 0 ? code : self->inner->read(self->inner->user, file, offset, buffer, count, out_count);
}

static int faulty_write(void *user, void *file, uint64_t offset, const void *bytes, size_t count, size_t *out_count) {
    lt_fs_faulty *self     = user;
    bool          was_fine = !self->has_failed;
    int           code     = step(self, WRITE);
    if (code == 0) {
        if (self->is_short && count > 1) count = (count + 1) / 2;
        return self->inner->write(self->inner->user, file, offset, bytes, count, out_count);
    }
    bool is_torn = self->mode == LT_FAULT_TEAR || self->mode == LT_FAULT_CRASH;
    if (was_fine && is_torn && count > 1)
        (void)self->inner->write(self->inner->user, file, offset, bytes, count / 2, out_count);
    return code;
}

static int faulty_truncate(void *user, void *file, uint64_t bytes) {
    lt_fs_faulty *self = user;
    int           code = step(self, TRUNCATE);
    return code != 0 ? code : self->inner->truncate(self->inner->user, file, bytes);
}

static int faulty_sync(void *user, void *file) {
    lt_fs_faulty *self = user;
    int           code = step(self, SYNC);
    return code != 0 ? code : self->inner->sync(self->inner->user, file);
}

static int faulty_lock(void *user, void *file) {
    lt_fs_faulty *self = user;
    int           code = step(self, LOCK);
    return code != 0 ? code : self->inner->lock(self->inner->user, file);
}

static int faulty_info(void *user, const char *path, void *file, leat_file_info *out_info) {
    lt_fs_faulty *self = user;
    int           code = step(self, INFO);
    return code != 0 ? code : self->inner->info(self->inner->user, path, file, out_info);
}

static int faulty_list(void *user, const char *path, int (*give)(void *give_user, const char *name, uint32_t kind),
                       void *give_user) {
    lt_fs_faulty *self = user;
    int           code = step(self, LIST);
    return code != 0 ? code : self->inner->list(self->inner->user, path, give, give_user);
}

static int faulty_rename(void *user, const char *from, const char *to) {
    lt_fs_faulty *self = user;
    int           code = step(self, RENAME);
    return code != 0 ? code : self->inner->rename(self->inner->user, from, to);
}

static int faulty_remove(void *user, const char *path) {
    lt_fs_faulty *self = user;
    int           code = step(self, REMOVE);
    return code != 0 ? code : self->inner->remove(self->inner->user, path);
}

static int faulty_make_folder(void *user, const char *path) {
    lt_fs_faulty *self = user;
    int           code = step(self, MAKE_FOLDER);
    return code != 0 ? code : self->inner->make_folder(self->inner->user, path);
}

static int faulty_watch_open(void *user, void **out_watch, int *out_descriptor) {
    lt_fs_faulty *self = user;
    int           code = step(self, WATCH);
    return code != 0 ? code : self->inner->watch_open(self->inner->user, out_watch, out_descriptor);
}

static int faulty_watch_folder(void *user, void *watch, const char *path, int64_t *out_folder) {
    lt_fs_faulty *self = user;
    int           code = step(self, WATCH);
    return code != 0 ? code : self->inner->watch_folder(self->inner->user, watch, path, out_folder);
}

static int faulty_watch_forget(void *user, void *watch, int64_t folder) {
    lt_fs_faulty *self = user;
    return self->inner->watch_forget(self->inner->user, watch, folder);
}

static int faulty_watch_read(void *user, void *watch,
                             void (*give)(void *give_user, int64_t folder, uint32_t news, const char *name),
                             void *give_user) {
    lt_fs_faulty *self = user;
    int           code = step(self, WATCH);
    return code != 0 ? code : self->inner->watch_read(self->inner->user, watch, give, give_user);
}

static int faulty_watch_close(void *user, void *watch) {
    lt_fs_faulty *self = user;
    return self->inner->watch_close(self->inner->user, watch);
}

void lt_fs_faulty_init(lt_fs_faulty *faulty, const leat_file_system *inner) {
    *faulty        = (lt_fs_faulty){.inner = inner};
    faulty->system = (leat_file_system){
        .struct_size = sizeof(leat_file_system),
        .open        = faulty_open,
        .close       = faulty_close,
        .read        = faulty_read,
        .write       = faulty_write,
        .truncate    = faulty_truncate,
        .sync        = faulty_sync,
        .lock        = faulty_lock,
        .info        = faulty_info,
        .list        = faulty_list,
        .rename      = faulty_rename,
        .remove      = faulty_remove,
        .make_folder = faulty_make_folder,
        .user        = faulty,
    };
    if (inner->watch_open == NULL) return;
    faulty->system.watch_open   = faulty_watch_open;
    faulty->system.watch_folder = faulty_watch_folder;
    faulty->system.watch_forget = faulty_watch_forget;
    faulty->system.watch_read   = faulty_watch_read;
    faulty->system.watch_close  = faulty_watch_close;
}
