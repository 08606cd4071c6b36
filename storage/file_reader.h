// file_reader: the bytes of a file from its start, decompressed when it is a gzip or Zstandard file (by its first
// bytes, or by the name: `.gz`, `.zst`).
//
//     open("in/a.json.gz", 1200) -> next: 256 KiB | next: 90 KiB, is_end -> close
//
// Ownership  owns its buffers until deinit; they are kept from file to file. Bytes are valid until the next call.
// Threads    one at a time.
// Limits     reads exactly the planned size, also of a file that grew; memory two buffers of 256 KiB.
// Errors     LEAT_IO (also: shorter than planned), LEAT_CORRUPT for damaged compressed bytes; NOT_SUPPORTED for .bz2
// and
//            other kinds. All name the file.
#ifndef LT_STORAGE_FILE_READER_H
#define LT_STORAGE_FILE_READER_H

#include "base/arena.h"
#include "storage/fs.h"

typedef enum lt_compression { LT_PLAIN, LT_GZIP, LT_ZSTANDARD } lt_compression;

typedef struct lt_file_reader {
    lt_account    *account; // borrows
    lt_file        file;
    uint64_t       bytes, read_bytes; // planned, and read so far from the file
    lt_compression compression;
    bool           is_member_open; // inside of a gzip member or Zstandard frame
    char          *memory;         // of raw
    char          *raw, *plain;    // buffers; plain only for compressed files
    size_t         raw_bytes, raw_used;
    void          *stream; // z_stream or ZSTD_DStream
} lt_file_reader;

enum { LT_FILE_READER_BYTES = 256 * 1024 };

void lt_file_reader_init(lt_file_reader *reader, lt_account *account);
// `path` is borrowed until close. `bytes`: size as of planning.
leat_status lt_file_reader_open(lt_file_reader *reader, const lt_fs *fs, const char *path, uint64_t bytes,
                                leat_error *err);
// The next bytes; *out_is_end: nothing follows them. Also gives 0 bytes at the end of an empty file.
leat_status lt_file_reader_next(lt_file_reader *reader, const char **out_bytes, size_t *out_count, bool *out_is_end,
                                leat_error *err);
void        lt_file_reader_close(lt_file_reader *reader);
// Whether these first bytes or the name say that a file is compressed.
bool lt_compression_is_suspected(const char *path, const char *bytes, size_t count);
// Whether the file can be read and is not compressed, by its name and first bytes.
bool        lt_file_reader_is_plain(const lt_fs *fs, const char *path);
leat_status lt_file_reader_raise_shorter(const char *path, uint64_t bytes, uint64_t planned_bytes, leat_error *err);
void        lt_file_reader_deinit(lt_file_reader *reader);

#endif
