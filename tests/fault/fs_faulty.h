// fs_faulty: a file system that fails on purpose, over another one.
//
//     lt_fs_faulty faulty; lt_fs_faulty_init(&faulty, &lt_fs_posix); faulty.fail_at = 17; ... lt_fs_init(&fs,
//     &faulty.system, dir)
//
// Every operation but close is counted from 1. At number fail_at it fails with `code`, once or for ever; a write that
// fails may leave its first half behind. FAULT_CRASH is the death of the process: from then on nothing works, and what
// is on disk is what a restart finds. Threads: one at a time.
#ifndef LT_TESTS_FAULT_FS_FAULTY_H
#define LT_TESTS_FAULT_FS_FAULTY_H

#include "leat.h"

typedef enum lt_fault_mode {
    LT_FAULT_ONCE,    // that operation fails and changes nothing
    LT_FAULT_FOREVER, // that one and all later ones of its kind fail
    LT_FAULT_TEAR,    // a write leaves its first half and fails; else as ONCE
    LT_FAULT_CRASH,   // that one is torn or left out, everything later fails
} lt_fault_mode;

typedef struct lt_fs_faulty {
    leat_file_system        system; // give this to lt_fs_init
    const leat_file_system *inner;
    uint64_t                operation_count;
    uint64_t                fail_at; // 0: never
    lt_fault_mode           mode;
    int                     code;     // errno value; 0: EIO
    bool                    is_short; // reads and writes move half of what is asked
    bool                    has_failed;
    int                     failed_kind;
} lt_fs_faulty;

void lt_fs_faulty_init(lt_fs_faulty *faulty, const leat_file_system *inner);

#endif
