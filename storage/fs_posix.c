#include "storage/fs_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

// A handle is the descriptor itself plus one, so that it is never NULL and needs no memory.
static void *handle_of(int descriptor) { return (void *)((intptr_t)descriptor + 1); }
static int   descriptor_of(void *handle) { return (int)((intptr_t)handle - 1); }

static int posix_open(void *user, const char *path, uint32_t flags, void **out_file) {
    (void)user;
    int mode = O_CLOEXEC | O_NOCTTY;
    if ((flags & LEAT_OPEN_WRITE) != 0)
        mode |= (flags & LEAT_OPEN_READ) != 0 ? O_RDWR : O_WRONLY;
    else
        mode |= O_RDONLY;
    if ((flags & LEAT_OPEN_CREATE) != 0) mode |= O_CREAT;
    if ((flags & LEAT_OPEN_EXCLUSIVE) != 0) mode |= O_EXCL;
    if ((flags & LEAT_OPEN_NO_FOLLOW) != 0) mode |= O_NOFOLLOW;
    if ((flags & LEAT_OPEN_FOLDER) != 0) mode |= O_DIRECTORY;
    int descriptor;
    do descriptor = open(path, mode, (flags & LEAT_OPEN_SHARED) != 0 ? 0666 : 0600);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return errno;
    // A host that closed stdin, stdout or stderr would otherwise print into a checkpoint.
    if (descriptor <= 2) {
        int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        int code  = errno;
        close(descriptor);
        if (moved < 0) return code;
        descriptor = moved;
    }
    *out_file = handle_of(descriptor);
    return 0;
}

static int posix_close(void *user, void *file) {
    (void)user;
    // After EINTR Linux has closed the descriptor all the same.
    return close(descriptor_of(file)) == 0 || errno == EINTR ? 0 : errno;
}

static int posix_read(void *user, void *file, uint64_t offset, void *buffer, size_t count, size_t *out_count) {
    (void)user;
    ssize_t moved;
    do {
        moved = offset == LEAT_OFFSET_NEXT ? read(descriptor_of(file), buffer, count)
                                           : pread(descriptor_of(file), buffer, count, (off_t)offset);
    } while (moved < 0 && errno == EINTR);
    if (moved < 0) return errno;
    *out_count = (size_t)moved;
    return 0;
}

static int posix_write(void *user, void *file, uint64_t offset, const void *bytes, size_t count, size_t *out_count) {
    (void)user;
    if (offset == LEAT_OFFSET_NEXT) {
        off_t end = lseek(descriptor_of(file), 0, SEEK_END);
        if (end < 0 && errno != ESPIPE) return errno;
        if (end >= 0) offset = (uint64_t)end;
    }
    ssize_t moved;
    do {
        moved = offset == LEAT_OFFSET_NEXT ? write(descriptor_of(file), bytes, count)
                                           : pwrite(descriptor_of(file), bytes, count, (off_t)offset);
    } while (moved < 0 && errno == EINTR);
    if (moved < 0) return errno;
    *out_count = (size_t)moved;
    return 0;
}

static int posix_truncate(void *user, void *file, uint64_t bytes) {
    (void)user;
    int result;
    do result = ftruncate(descriptor_of(file), (off_t)bytes);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

// Never tried again after a failure: the kernel may have dropped the dirty pages and would then report success.
static int posix_sync(void *user, void *file) {
    (void)user;
    if (fdatasync(descriptor_of(file)) == 0) return 0;
    if (errno == EINVAL || errno == EROFS) return fsync(descriptor_of(file)) == 0 ? 0 : errno;
    return errno;
}

static int posix_lock(void *user, void *file) {
    (void)user;
    struct flock whole  = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int          result = fcntl(descriptor_of(file), F_OFD_SETLK, &whole);
    if (result == 0) return 0;
    return errno == EACCES ? EAGAIN : errno;
}

static uint32_t kind_of_mode(mode_t mode) {
    if (S_ISREG(mode)) return LEAT_FILE_REGULAR;
    if (S_ISDIR(mode)) return LEAT_FILE_FOLDER;
    if (S_ISLNK(mode)) return LEAT_FILE_LINK;
    return LEAT_FILE_OTHER;
}

static int posix_info(void *user, const char *path, void *file, leat_file_info *out_info) {
    (void)user;
    struct stat found;
    int         result = file != NULL ? fstat(descriptor_of(file), &found) : stat(path, &found);
    if (result != 0) return errno;
    *out_info = (leat_file_info){
        .bytes       = found.st_size > 0 ? (uint64_t)found.st_size : 0,
        .modified_us = (int64_t)found.st_mtim.tv_sec * 1000000 + found.st_mtim.tv_nsec / 1000,
        .device      = (uint64_t)found.st_dev,
        .inode       = (uint64_t)found.st_ino,
        .kind        = kind_of_mode(found.st_mode),
    };
    return 0;
}

static uint32_t kind_of_entry(unsigned char type) {
    switch (type) {
    case DT_REG:
        return LEAT_FILE_REGULAR;
    case DT_DIR:
        return LEAT_FILE_FOLDER;
    case DT_LNK:
        return LEAT_FILE_LINK;
    case DT_UNKNOWN:
        return LEAT_FILE_UNKNOWN;
    default:
        return LEAT_FILE_OTHER;
    }
}

static int posix_list(void *user, const char *path, int (*give)(void *give_user, const char *name, uint32_t kind),
                      void *give_user) {
    (void)user;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    DIR *folder = fdopendir(descriptor);
    if (folder == NULL) {
        int code = errno;
        close(descriptor);
        return code;
    }
    int result = 0;
    while (result == 0) {
        errno                      = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            result = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        result = give(give_user, entry->d_name, kind_of_entry(entry->d_type));
    }
    closedir(folder);
    return result;
}

static int posix_rename(void *user, const char *from, const char *to) {
    (void)user;
    return rename(from, to) == 0 ? 0 : errno;
}

static int posix_remove(void *user, const char *path) {
    (void)user;
    if (unlink(path) == 0) return 0;
    int code = errno;
    if (code != EISDIR && code != EPERM) return code;
    return rmdir(path) == 0 ? 0 : errno == ENOTDIR ? code : errno;
}

static int posix_make_folder(void *user, const char *path) {
    (void)user;
    return mkdir(path, 0700) == 0 ? 0 : errno;
}

// ------------------------------------------------------------------------------------------------------------- watches

static int posix_watch_open(void *user, void **out_watch, int *out_descriptor) {
    (void)user;
    int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (descriptor < 0) return errno;
    *out_watch      = handle_of(descriptor);
    *out_descriptor = descriptor;
    return 0;
}

// The kernel tells of its own changes only, so a folder that other machines write to has to be listed.
static bool is_of_this_machine(const char *path) {
    static const unsigned long remote[] = {0x6969,     0x517B,     0xFE534D42, 0xFF534D42, 0x65735546,
                                           0x01021997, 0x00C36400, 0x5346414F, 0x73757245, 0x0BD00BD0};
    struct statfs              found;
    if (statfs(path, &found) != 0) return false;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
        if (((unsigned long)found.f_type & 0xFFFFFFFF) == remote[i]) return false;
    return true;
}

static int posix_watch_folder(void *user, void *watch, const char *path, int64_t *out_folder) {
    (void)user;
    const uint32_t wanted = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    if (!is_of_this_machine(path)) return ENOTSUP;
    int folder = inotify_add_watch(descriptor_of(watch), path, wanted);
    if (folder < 0) return errno;
    *out_folder = folder;
    return 0;
}

static int posix_watch_forget(void *user, void *watch, int64_t folder) {
    (void)user;
    return inotify_rm_watch(descriptor_of(watch), (int)folder) == 0 ? 0 : errno;
}

static void news_give(const struct inotify_event *event, void                                              *watch,
                      void (*give)(void *give_user, int64_t folder, uint32_t news, const char *name), void *give_user) {
    const char *name = event->len > 0 ? event->name : "";
    if ((event->mask & IN_Q_OVERFLOW) != 0) {
        give(give_user, -1, LEAT_NEWS_LOST, "");
    } else if ((event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0) {
        if ((event->mask & IN_MOVE_SELF) != 0) (void)inotify_rm_watch(descriptor_of(watch), event->wd);
        give(give_user, event->wd, LEAT_NEWS_ENDED, "");
    } else {
        bool is_whole = (event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0 && (event->mask & IN_ISDIR) == 0;
        give(give_user, event->wd, is_whole ? LEAT_NEWS_FILE : LEAT_NEWS_NAME, name);
    }
}

static int posix_watch_read(void *user, void *watch,
                            void (*give)(void *give_user, int64_t folder, uint32_t news, const char *name),
                            void *give_user) {
    enum { NEWS_BYTES = 2048 };
    _Alignas(struct inotify_event) char bytes[NEWS_BYTES];
    (void)user;
    for (;;) {
        ssize_t count = read(descriptor_of(watch), bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count == 0 || errno == EAGAIN ? 0 : errno;
        for (ssize_t offset = 0; offset < count;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)(bytes + offset);
            news_give(event, watch, give, give_user);
            offset += (ssize_t)(sizeof *event + event->len);
        }
        if ((size_t)count < sizeof bytes / 2) return 0; // all of it: spares the call that would say so
    }
}

uint64_t lt_process_id(void) { return (uint64_t)getpid(); }

void lt_process_self(lt_process *out_process) {
    *out_process = (lt_process){.process_id = lt_process_id()};
    if (gethostname(out_process->host, sizeof out_process->host - 1) != 0) out_process->host[0] = '\0';
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    ssize_t count = read(descriptor, out_process->boot_id, 36);
    if (count < 36) out_process->boot_id[0] = '\0';
    close(descriptor);
}

const leat_file_system lt_fs_posix = {
    .struct_size  = sizeof(leat_file_system),
    .open         = posix_open,
    .close        = posix_close,
    .read         = posix_read,
    .write        = posix_write,
    .truncate     = posix_truncate,
    .sync         = posix_sync,
    .lock         = posix_lock,
    .info         = posix_info,
    .list         = posix_list,
    .rename       = posix_rename,
    .remove       = posix_remove,
    .make_folder  = posix_make_folder,
    .watch_open   = posix_watch_open,
    .watch_folder = posix_watch_folder,
    .watch_forget = posix_watch_forget,
    .watch_read   = posix_watch_read,
    .watch_close  = posix_close,
};
