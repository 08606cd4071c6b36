// identity: the text file that says whose checkpoint a folder is.
//
//     leat-checkpoint 1
//     queryId 7f0e...   createdAt <us>
//     settings <bytes>\n<text>\n   fingerprint <bytes>\n<text>\n   plan <bytes>\n<text>\n
//     hash <32 hex of all above>
//
// Ownership  the texts live in the arena given.   Threads  any.
// Errors     CHECKPOINT_CORRUPT, CHECKPOINT_VERSION, LEAT_IO.
#ifndef LT_STORAGE_CHECKPOINT_IDENTITY_H
#define LT_STORAGE_CHECKPOINT_IDENTITY_H

#include "base/buffer.h"
#include "storage/checkpoint/sealed_file.h"
#include "storage/fs.h"

enum { LT_IDENTITY_VERSION = 1 };

typedef struct lt_identity {
    char        query_id[LT_QUERY_ID_BYTES + 1];
    int64_t     created_us;
    const char *settings, *fingerprint, *plan; // end with NUL, never NULL
} lt_identity;

// A UUID of version 4 out of 128 bits.
void        lt_query_id_print(char out_text[LT_QUERY_ID_BYTES + 1], uint64_t high, uint64_t low);
leat_status lt_identity_write(const lt_fs *fs, const char *temporary_folder, const char *path,
                              const lt_identity *identity, lt_account *account, leat_error *err);
// *out_exists false: there is none, and the rest is untouched.
leat_status lt_identity_read(const lt_fs *fs, const char *path, lt_arena *arena, lt_identity *out_identity,
                             bool *out_exists, leat_error *err);
// Appends what differs between two texts of lines: "stored `...`" and "new `...`", a few of each.
leat_status lt_identity_differences(const char *stored, const char *offered, lt_buffer *out_text, leat_error *err);

#endif
