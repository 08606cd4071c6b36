// sealed_file: an immutable file that proves to be whole and in its place: snapshots, deltas, bases of seen files.
//
//     leat-sealed <version> 0 <kind> <query id> <batch> <anchor sequence> <anchor hash> <payload bytes> <16 hex XXH3-64 of this
//     line>\n <payload>\n <32 hex XXH3-128 of header and payload>\n
//
//     write                                          version 1: all at once
//     open -> append -> append ... -> commit         version 2: the payload in pieces, over a long time
//
// The anchor is a record of the log that was durable before the file: it shows that the file belongs to this very log.
// The line has a hash of its own, because recovery reads it alone. The second number holds the bits of features that a
// reader must know.
//
// Ownership  nothing is kept.   Threads  any.   Errors  CHECKPOINT_CORRUPT, CHECKPOINT_VERSION, LEAT_IO.
// Cost       write two syncs and a hash of the payload; read_header one small read.
#ifndef LT_STORAGE_CHECKPOINT_SEALED_FILE_H
#define LT_STORAGE_CHECKPOINT_SEALED_FILE_H

#include "base/buffer.h"
#include "base/hash.h"
#include "storage/publish.h"

enum { LT_SEALED_VERSION = 2, LT_SEALED_HEADER_BYTES = 161, LT_QUERY_ID_BYTES = 36 };

typedef struct lt_sealed_header {
    char     kind[9]; // "snapshot", "delta", "seen"
    char     query_id[LT_QUERY_ID_BYTES + 1];
    int64_t  batch_id;
    uint64_t anchor_sequence, anchor_hash;
    uint64_t payload_bytes; // set by write
} lt_sealed_header;

// A file that grows in pieces. Nothing of it is seen before commit.
typedef struct lt_sealed_writer {
    lt_publish publish;
    lt_buffer  block; // payload that is not written yet, below a block
    uint64_t   chain; // hash of all blocks so far, seed of the next
    uint64_t   payload_bytes, unsynced_bytes;
    bool       is_open;
} lt_sealed_writer;

leat_status lt_sealed_file_write(const lt_fs *fs, const char *temporary_folder, const char *path,
                                 lt_sealed_header *header, const void *payload, size_t bytes, leat_error *err);
// `account` is charged for a block. Pieces of any size may be appended; each is written when it fills a block, and the
// file is synced now and then, so that no call does more than its share. An error closes the writer, and removes the
// file.
leat_status lt_sealed_writer_open(lt_sealed_writer *writer, const lt_fs *fs, lt_account *account,
                                  const char *temporary_folder, const char *path, leat_error *err);
leat_status lt_sealed_writer_append(lt_sealed_writer *writer, const void *bytes, size_t count, leat_error *err);
leat_status lt_sealed_writer_commit(lt_sealed_writer *writer, lt_sealed_header *header, leat_error *err);
void        lt_sealed_writer_discard(lt_sealed_writer *writer); // also when it is closed
leat_status lt_sealed_file_read_header(const lt_fs *fs, const char *path, lt_sealed_header *out_header,
                                       leat_error *err);
// Everything is verified; the payload stands in `out_payload` (reset first).
leat_status lt_sealed_file_read(const lt_fs *fs, const char *path, lt_sealed_header *out_header, lt_buffer *out_payload,
                                leat_error *err);
// The hash by which a commit names a payload.
lt_hash128_value lt_state_hash(const void *payload, size_t bytes);

#endif
