// file_reader: plain bytes come straight from the read buffer; compressed ones pass through zlib or zstd, member after
// member, as `gzip -d` and `zstd -d` do. A stream that ends inside of a member is damaged, never a short file.
#include "storage/file_reader.h"

#include "base/ascii.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BLOCK_HEADER_BYTES = 16, MEMORY_BYTES = LT_FILE_READER_BYTES + LT_FS_PAGE_BYTES };

// zlib's memory comes from the account; the size stands in front of each block.
static void *zlib_alloc(void *opaque, unsigned items, unsigned size) {
    const size_t bytes = (size_t)items * size + BLOCK_HEADER_BYTES;
    char        *block = lt_account_reallocate(opaque, NULL, 0, bytes);
    if (block == NULL) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + BLOCK_HEADER_BYTES;
}

static void zlib_free(void *opaque, void *memory) {
    if (memory == NULL) return;
    char  *block = (char *)memory - BLOCK_HEADER_BYTES;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    (void)lt_account_reallocate(opaque, block, bytes, 0);
}

static bool name_ends_with(const char *name, const char *suffix) {
    const size_t bytes = strlen(name), suffix_bytes = strlen(suffix);
    return bytes > suffix_bytes && lt_ascii_compare(name + bytes - suffix_bytes, suffix) == 0;
}

static leat_status raise_damaged(const lt_file_reader *reader, const char *what, leat_error *err) {
    const leat_status status =
        lt_raise(err, LT_IO_ERROR, NULL, "cannot decompress `%.200s`: %s", reader->file.path, what);
    lt_error_data_place(err, reader->file.path, 0, reader->read_bytes, NULL);
    return status;
}

void lt_file_reader_init(lt_file_reader *reader, lt_account *account) {
    *reader = (lt_file_reader){.account = account};
}

leat_status lt_file_reader_raise_shorter(const char *path, uint64_t bytes, uint64_t planned_bytes, leat_error *err) {
    const leat_status status =
        lt_raise(err, LT_IO_ERROR, NULL, "file `%.200s` has %llu bytes, but had %llu when the batch was planned", path,
                 (unsigned long long)bytes, (unsigned long long)planned_bytes);
    lt_error_data_place(err, path, 0, bytes, NULL);
    return status;
}

static leat_status fill(lt_file_reader *reader, leat_error *err) {
    const uint64_t left = reader->bytes - reader->read_bytes;
    const size_t   want = left < LT_FILE_READER_BYTES ? (size_t)left : LT_FILE_READER_BYTES;
    size_t         got  = 0;
    reader->raw_bytes = reader->raw_used = 0;
    if (want == 0) return LEAT_OK;
    LT_TRY(lt_file_read(&reader->file, reader->read_bytes, reader->raw, want, &got, err));
    reader->read_bytes += got;
    reader->raw_bytes = got;
    if (got == want) return LEAT_OK;
    return lt_file_reader_raise_shorter(reader->file.path, reader->read_bytes, reader->bytes, err);
}

static const unsigned char gzip_magic[] = {0x1F, 0x8B}, zstandard_magic[] = {0x28, 0xB5, 0x2F, 0xFD};
static const char *const   refused_names[] = {".bz2", ".deflate", ".lz4", ".snappy", ".xz"};

static lt_compression compression_of(const char *bytes, size_t count) {
    return count >= 2 && memcmp(bytes, gzip_magic, 2) == 0        ? LT_GZIP
           : count >= 4 && memcmp(bytes, zstandard_magic, 4) == 0 ? LT_ZSTANDARD
                                                                  : LT_PLAIN;
}

static bool is_refused(const char *path) {
    for (size_t i = 0; i < sizeof refused_names / sizeof refused_names[0]; i++)
        if (name_ends_with(path, refused_names[i])) return true;
    return false;
}

bool lt_compression_is_suspected(const char *path, const char *bytes, size_t count) {
    return compression_of(bytes, count) != LT_PLAIN || is_refused(path) || name_ends_with(path, ".gz") ||
           name_ends_with(path, ".zst");
}

bool lt_file_reader_is_plain(const lt_fs *fs, const char *path) {
    lt_file file;
    char    bytes[4];
    size_t  count = 0;
    if (lt_file_open_code(fs, path, LEAT_OPEN_READ, &file) != 0) return false;
    const bool is_read = lt_file_read(&file, 0, bytes, sizeof bytes, &count, NULL) == LEAT_OK;
    (void)lt_file_close(&file, NULL);
    return is_read && !lt_compression_is_suspected(path, bytes, count);
}

static leat_status compression_detect(lt_file_reader *reader, leat_error *err) {
    const char *path = reader->file.path;
    if (is_refused(path))
        return lt_raise(err, LT_NOT_SUPPORTED, NULL, "cannot decompress `%.200s`; .gz and .zst are read", path);
    reader->compression = compression_of(reader->raw, reader->raw_bytes);
    if (reader->compression != LT_PLAIN || reader->bytes == 0) return LEAT_OK;
    if (name_ends_with(path, ".gz")) return raise_damaged(reader, "no gzip file", err);
    return name_ends_with(path, ".zst") ? raise_damaged(reader, "no zstd file", err) : LEAT_OK;
}

static leat_status stream_open(lt_file_reader *reader, leat_error *err) {
    if (reader->plain == NULL) {
        reader->plain = lt_account_reallocate(reader->account, NULL, 0, LT_FILE_READER_BYTES);
        if (reader->plain == NULL) return lt_raise_no_memory(err);
    }
    if (reader->compression == LT_ZSTANDARD) {
        reader->stream = ZSTD_createDStream();
        return reader->stream == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    z_stream *stream = lt_account_reallocate(reader->account, NULL, 0, sizeof *stream);
    if (stream == NULL) return lt_raise_no_memory(err);
    *stream        = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = reader->account};
    reader->stream = stream;
    return inflateInit2(stream, 16 + MAX_WBITS) == Z_OK ? LEAT_OK : lt_raise_no_memory(err);
}

leat_status lt_file_reader_open(lt_file_reader *reader, const lt_fs *fs, const char *path, uint64_t bytes,
                                leat_error *err) {
    lt_assert(!reader->file.is_open);
    if (reader->memory == NULL) {
        reader->memory = lt_account_reallocate(reader->account, NULL, 0, MEMORY_BYTES);
        if (reader->memory == NULL) return lt_raise_no_memory(err);
        reader->raw = reader->memory + lt_file_read_gap(reader->memory, 0);
    }
    reader->bytes          = bytes;
    reader->read_bytes     = 0;
    reader->is_member_open = false;
    LT_TRY(lt_file_open(fs, path, LEAT_OPEN_READ, &reader->file, err));
    leat_status status = fill(reader, err);
    if (status == LEAT_OK) status = compression_detect(reader, err);
    if (status == LEAT_OK && reader->compression != LT_PLAIN) status = stream_open(reader, err);
    if (status != LEAT_OK) lt_file_reader_close(reader);
    return status;
}

// Moves bytes through the decompressor once. *is_blocked: it wants more input.
static leat_status inflate_some(lt_file_reader *reader, size_t *made, leat_error *err) {
    z_stream *stream = reader->stream;
    if (!reader->is_member_open && reader->raw_used < reader->raw_bytes) {
        if (inflateReset(stream) != Z_OK) return raise_damaged(reader, "no gzip member", err);
        reader->is_member_open = true;
    }
    // zlib's interface of 1995 has no const input.
    stream->next_in   = (unsigned char *)reader->raw + reader->raw_used;
    stream->avail_in  = (unsigned)(reader->raw_bytes - reader->raw_used);
    stream->next_out  = (unsigned char *)reader->plain + *made;
    stream->avail_out = (unsigned)(LT_FILE_READER_BYTES - *made);
    const int code    = inflate(stream, Z_NO_FLUSH);
    reader->raw_used  = reader->raw_bytes - stream->avail_in;
    *made             = LT_FILE_READER_BYTES - stream->avail_out;
    if (code == Z_STREAM_END) reader->is_member_open = false;
    if (code == Z_MEM_ERROR) return lt_raise_no_memory(err);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return raise_damaged(reader, stream->msg == NULL ? "damaged bytes" : stream->msg, err);
    return LEAT_OK;
}

static leat_status expand_some(lt_file_reader *reader, size_t *made, leat_error *err) {
    ZSTD_inBuffer  in   = {reader->raw, reader->raw_bytes, reader->raw_used};
    ZSTD_outBuffer out  = {reader->plain, LT_FILE_READER_BYTES, *made};
    const size_t   code = ZSTD_decompressStream(reader->stream, &out, &in);
    if (ZSTD_isError(code)) return raise_damaged(reader, ZSTD_getErrorName(code), err);
    reader->raw_used       = in.pos;
    reader->is_member_open = code != 0;
    *made                  = out.pos;
    return LEAT_OK;
}

static leat_status next_plain(lt_file_reader *reader, const char **out_bytes, size_t *out_count, bool *out_is_end,
                              leat_error *err) {
    if (reader->raw_used == reader->raw_bytes) LT_TRY(fill(reader, err));
    *out_bytes       = reader->raw + reader->raw_used;
    *out_count       = reader->raw_bytes - reader->raw_used;
    *out_is_end      = reader->read_bytes == reader->bytes;
    reader->raw_used = reader->raw_bytes;
    return LEAT_OK;
}

leat_status lt_file_reader_next(lt_file_reader *reader, const char **out_bytes, size_t *out_count, bool *out_is_end,
                                leat_error *err) {
    if (reader->compression == LT_PLAIN) return next_plain(reader, out_bytes, out_count, out_is_end, err);
    size_t made      = 0;
    bool   is_at_end = false;
    while (made < LT_FILE_READER_BYTES) {
        if (reader->raw_used == reader->raw_bytes) LT_TRY(fill(reader, err));
        const size_t before = made, used = reader->raw_used;
        LT_TRY(reader->compression == LT_GZIP ? inflate_some(reader, &made, err) : expand_some(reader, &made, err));
        is_at_end = reader->raw_used == reader->raw_bytes && reader->read_bytes == reader->bytes;
        if (made == before && reader->raw_used == used && is_at_end) break;
        if (is_at_end && !reader->is_member_open) break;
    }
    is_at_end = is_at_end && (!reader->is_member_open || made < LT_FILE_READER_BYTES);
    if (is_at_end && reader->is_member_open) return raise_damaged(reader, "the file ends too early", err);
    *out_bytes  = reader->plain;
    *out_count  = made;
    *out_is_end = is_at_end;
    return LEAT_OK;
}

void lt_file_reader_close(lt_file_reader *reader) {
    if (reader->stream != NULL && reader->compression == LT_GZIP) {
        (void)inflateEnd(reader->stream);
        (void)lt_account_reallocate(reader->account, reader->stream, sizeof(z_stream), 0);
    } else if (reader->stream != NULL) {
        (void)ZSTD_freeDStream(reader->stream);
    }
    reader->stream = NULL;
    if (reader->file.is_open) (void)lt_file_close(&reader->file, NULL);
}

void lt_file_reader_deinit(lt_file_reader *reader) {
    if (reader->account == NULL) return;
    lt_file_reader_close(reader);
    if (reader->memory != NULL) (void)lt_account_reallocate(reader->account, reader->memory, MEMORY_BYTES, 0);
    if (reader->plain != NULL) (void)lt_account_reallocate(reader->account, reader->plain, LT_FILE_READER_BYTES, 0);
    *reader = (lt_file_reader){0};
}
