// temporary_folder: a folder of its own for each test that touches files. Header only, for the unit tests.
#ifndef LT_TESTS_UNIT_TEMPORARY_FOLDER_H
#define LT_TESTS_UNIT_TEMPORARY_FOLDER_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int temporary_folder_remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static inline void temporary_folder_remove(const char *path) {
    nftw(path, temporary_folder_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// A file system in memory with a gigabyte of room, where there is one: tests sync thousands of times.
static inline const char *temporary_folder_place(void) {
    struct statvfs info;
    const bool     has_room = statvfs("/dev/shm", &info) == 0 && access("/dev/shm", W_OK) == 0 &&
                          (double)info.f_bavail * (double)info.f_frsize > 1e9;
    return has_room ? "/dev/shm" : "/tmp";
}

// Makes "<place>/leat_test_XXXXXX" in `out_path`, which has room for 64 bytes. TMPDIR is not asked for.
static inline bool temporary_folder_create(char out_path[64]) {
    snprintf(out_path, 64, "%s/leat_test_XXXXXX", temporary_folder_place());
    if (mkdtemp(out_path) != NULL) return true;
    perror("mkdtemp");
    return false;
}

#endif
