// temporary_folder: a folder of its own for each test that touches files. Header only, for the unit tests.
#ifndef LT_TESTS_UNIT_TEMPORARY_FOLDER_H
#define LT_TESTS_UNIT_TEMPORARY_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int temporary_folder_remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static inline void temporary_folder_remove(const char *path) {
    nftw(path, temporary_folder_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// Makes "/tmp/leat_test_XXXXXX" in `out_path`, which has room for 64 bytes. TMPDIR is not asked for.
static inline void temporary_folder_create(char out_path[64]) {
    snprintf(out_path, 64, "/tmp/leat_test_XXXXXX");
    if (mkdtemp(out_path) == NULL) perror("mkdtemp");
}

#endif
