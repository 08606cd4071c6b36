// fs_power: a file system in memory whose power can be cut. Bytes of a file are durable only after its own sync,
// entries of a folder only after the folder's, as POSIX promises no more.
//
//     lt_fs_power_cut(power, 7): each change that was not synced is, independently, kept, dropped, torn, zeroed or
//     garbage
//
// A cut also closes all files. Threads: one at a time. Limits: LT_POWER_NODES_MAX files and folders; beyond it ENOSPC.
#ifndef LT_TESTS_FAULT_FS_POWER_H
#define LT_TESTS_FAULT_FS_POWER_H

#include "leat.h"

enum { LT_POWER_NODES_MAX = 256, LT_POWER_ENTRIES_MAX = 48, LT_POWER_NAME_BYTES = 128 };

typedef struct lt_power_bytes {
    char  *data;
    size_t count;
} lt_power_bytes;

typedef struct lt_power_entry {
    char   name[LT_POWER_NAME_BYTES];
    size_t node_index; // 0: no entry, for 0 is the root
} lt_power_entry;

typedef struct lt_power_node {
    bool           is_folder, is_locked;
    lt_power_bytes bytes, durable_bytes;
    lt_power_entry entries[LT_POWER_ENTRIES_MAX], durable_entries[LT_POWER_ENTRIES_MAX];
    int64_t        modified_us;
} lt_power_node;

typedef struct lt_fs_power {
    leat_file_system system; // give this to lt_fs_init or lt_fs_faulty_init
    lt_power_node   *nodes;
    size_t           node_count;
    uint64_t         random;
} lt_fs_power;

void lt_fs_power_init(lt_fs_power *power);
void lt_fs_power_cut(lt_fs_power *power, uint64_t seed);
void lt_fs_power_deinit(lt_fs_power *power);

#endif
