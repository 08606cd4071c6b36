// fs_posix: the file system of the machine, and who this process is. With base/clock.c the only place with OS calls.
//
// Threads  any.   Descriptors 0 to 2 are never used for data; files are 0600, folders 0700 whatever the umask.
#ifndef LT_STORAGE_FS_POSIX_H
#define LT_STORAGE_FS_POSIX_H

#include "leat.h"

extern const leat_file_system lt_fs_posix;

typedef struct lt_process {
    uint64_t process_id;
    char     host[65];
    char     boot_id[40]; // "" where the system has none
} lt_process;

void     lt_process_self(lt_process *out_process);
uint64_t lt_process_id(void);

#endif
