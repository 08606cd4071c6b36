#include "storage/checkpoint/sealed_file.h"

#include "storage/checkpoint/text_reader.h"
#include "storage/publish.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Fixed seeds: what is on disk is read by other processes. Not zero, so that zeros never validate.
#define SEALED_SEED UINT64_C(0x6C65617473656C31)
#define STATE_SEED UINT64_C(0x6C65617473746174)

enum {
    FOOTER_BYTES = 34,                          // newline, 32 digits, newline
    HASHED_BYTES = LT_SEALED_HEADER_BYTES - 17, // the line without its hash and newline
    BLOCK_BYTES  = 64 * 1024,                   // of version 2: part of the format
    SYNC_BYTES   = 4 * 1024 * 1024,             // of a file that grows: so that the last sync has little left to do
};

lt_hash128_value lt_state_hash(const void *payload, size_t bytes) { return lt_hash128(payload, bytes, STATE_SEED); }

static lt_hash128_value seal_of(const char *header, const void *payload, size_t bytes) {
    return lt_hash128(payload, bytes, lt_hash64(header, LT_SEALED_HEADER_BYTES, SEALED_SEED));
}

// Version 2: each block is hashed with the hash of those before it as its seed, so that a writer need not know the whole
// payload, nor its size, at the start.
static uint64_t chain_next(uint64_t chain, const char *block, size_t bytes) {
    lt_hash128_value hash = lt_hash128(block, bytes, chain);
    return hash.low ^ (hash.high << 1 | hash.high >> 63);
}

static lt_hash128_value chain_seal(const char *header, uint64_t chain) {
    return lt_hash128(header, LT_SEALED_HEADER_BYTES, chain);
}

static lt_hash128_value blocks_seal(const char *header, const char *payload, size_t bytes) {
    uint64_t chain = SEALED_SEED;
    for (size_t at = 0; at < bytes; at += BLOCK_BYTES)
        chain = chain_next(chain, payload + at, bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES);
    return chain_seal(header, chain);
}

static uint64_t line_hash(const char *text) { return lt_hash64(text, HASHED_BYTES, SEALED_SEED); }

static void header_print(const lt_sealed_header *header, int version, char out_text[LT_SEALED_HEADER_BYTES + 1]) {
    int bytes = snprintf(out_text, LT_SEALED_HEADER_BYTES + 1,
                         "leat-sealed %03d 0 %-8s %-36s %020" PRId64 " %020" PRIu64 " %016" PRIx64 " %020" PRIu64 " ",
                         version, header->kind, header->query_id, header->batch_id, header->anchor_sequence,
                         header->anchor_hash, header->payload_bytes);
    lt_assert(bytes == HASHED_BYTES);
    (void)bytes;
    snprintf(out_text + HASHED_BYTES, LT_SEALED_HEADER_BYTES + 1 - HASHED_BYTES, "%016" PRIx64 "\n",
             line_hash(out_text));
}

leat_status lt_sealed_file_write(const lt_fs *fs, const char *temporary_folder, const char *path,
                                 lt_sealed_header *header, const void *payload, size_t bytes, leat_error *err) {
    char text[LT_SEALED_HEADER_BYTES + 1], footer[FOOTER_BYTES + 1];
    header->payload_bytes = bytes;
    header_print(header, 1, text);
    lt_hash128_value seal = seal_of(text, payload, bytes);
    snprintf(footer, sizeof footer, "\n%016" PRIx64 "%016" PRIx64 "\n", seal.high, seal.low);
    lt_publish publish;
    LT_TRY(lt_publish_open(&publish, fs, temporary_folder, path, err));
    leat_status status = lt_publish_append(&publish, text, LT_SEALED_HEADER_BYTES, err);
    if (status == LEAT_OK) status = lt_publish_append(&publish, payload, bytes, err);
    if (status == LEAT_OK) status = lt_publish_append(&publish, footer, FOOTER_BYTES, err);
    if (status == LEAT_OK) return lt_publish_commit(&publish, err);
    lt_publish_discard(&publish);
    return status;
}

// ------------------------------------------------------------------------------------------------------------- pieces

void lt_sealed_writer_discard(lt_sealed_writer *writer) {
    if (!writer->is_open) return;
    lt_publish_discard(&writer->publish);
    lt_buffer_deinit(&writer->block);
    writer->is_open = false;
}

leat_status lt_sealed_writer_open(lt_sealed_writer *writer, const lt_fs *fs, lt_account *account,
                                  const char *temporary_folder, const char *path, leat_error *err) {
    static const char room[LT_SEALED_HEADER_BYTES]; // zeros, which are no header
    writer->chain         = SEALED_SEED;
    writer->payload_bytes = writer->unsynced_bytes = 0;
    lt_buffer_init(&writer->block, account, 0);
    LT_TRY(lt_publish_open(&writer->publish, fs, temporary_folder, path, err));
    writer->is_open    = true;
    leat_status status = lt_publish_append(&writer->publish, room, sizeof room, err);
    if (status != LEAT_OK) lt_sealed_writer_discard(writer);
    return status;
}

static leat_status block_write(lt_sealed_writer *writer, const char *block, size_t bytes, leat_error *err) {
    writer->chain = chain_next(writer->chain, block, bytes);
    writer->unsynced_bytes += bytes;
    LT_TRY(lt_publish_append(&writer->publish, block, bytes, err));
    if (writer->unsynced_bytes < SYNC_BYTES) return LEAT_OK;
    writer->unsynced_bytes = 0;
    return lt_file_sync(&writer->publish.file, err);
}

static leat_status blocks_append(lt_sealed_writer *writer, const char *next, size_t count, leat_error *err) {
    writer->payload_bytes += count;
    while (writer->block.bytes + count >= BLOCK_BYTES) {
        size_t taken = BLOCK_BYTES - writer->block.bytes;
        if (writer->block.bytes > 0) {
            LT_TRY(lt_buffer_append(&writer->block, next, taken, err));
            LT_TRY(block_write(writer, writer->block.data, BLOCK_BYTES, err));
            lt_buffer_reset(&writer->block);
        } else {
            LT_TRY(block_write(writer, next, taken, err));
        }
        next += taken;
        count -= taken;
    }
    return lt_buffer_append(&writer->block, next, count, err);
}

leat_status lt_sealed_writer_append(lt_sealed_writer *writer, const void *bytes, size_t count, leat_error *err) {
    lt_assert(writer->is_open);
    leat_status status = blocks_append(writer, bytes, count, err);
    if (status != LEAT_OK) lt_sealed_writer_discard(writer);
    return status;
}

leat_status lt_sealed_writer_commit(lt_sealed_writer *writer, lt_sealed_header *header, leat_error *err) {
    char text[LT_SEALED_HEADER_BYTES + 1], footer[FOOTER_BYTES + 1];
    lt_assert(writer->is_open);
    leat_status status = LEAT_OK;
    if (writer->block.bytes > 0) status = block_write(writer, writer->block.data, writer->block.bytes, err);
    header->payload_bytes = writer->payload_bytes;
    header_print(header, 2, text);
    lt_hash128_value seal = chain_seal(text, writer->chain);
    snprintf(footer, sizeof footer, "\n%016" PRIx64 "%016" PRIx64 "\n", seal.high, seal.low);
    if (status == LEAT_OK) status = lt_publish_append(&writer->publish, footer, FOOTER_BYTES, err);
    if (status == LEAT_OK) status = lt_publish_rewrite(&writer->publish, 0, text, LT_SEALED_HEADER_BYTES, err);
    if (status == LEAT_OK) status = lt_publish_commit(&writer->publish, err);
    if (status != LEAT_OK) {
        lt_sealed_writer_discard(writer);
        return status;
    }
    lt_buffer_deinit(&writer->block);
    writer->is_open = false;
    return LEAT_OK;
}

static leat_status raise_damage(const char *path, const char *what, leat_error *err) {
    leat_status status =
        lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                 "`%s` is damaged: %s; restore the checkpoint from a copy or choose an empty folder", path, what);
    lt_error_data_place(err, path, 0, 0, NULL);
    return status;
}

static void trim(char *word) {
    size_t bytes = strlen(word);
    while (bytes > 0 && word[bytes - 1] == ' ') word[--bytes] = '\0';
}

static leat_status header_parse(const char *path, const char *text, size_t bytes, lt_sealed_header *out_header,
                                uint64_t *out_version, leat_error *err) {
    lt_text_reader reader  = {text, text + bytes};
    uint64_t       version = 0, features = 0, hash = 0;
    if (!lt_text_literal(&reader, "leat-sealed ") || !lt_text_u64(&reader, &version) ||
        !lt_text_literal(&reader, " ") || !lt_text_u64(&reader, &features))
        return raise_damage(path, "its first line is not leat's", err);
    *out_version = version;
    if (version > LT_SEALED_VERSION || features != 0)
        return lt_raise(err, LT_CHECKPOINT_VERSION, NULL,
                        "`%s` has version %" PRIu64 " with features %" PRIu64
                        ", this leat reads version %d; use a newer leat",
                        path, version, features, LT_SEALED_VERSION);
    if (!lt_text_literal(&reader, " ") || !lt_text_word(&reader, ' ', out_header->kind, sizeof out_header->kind))
        return raise_damage(path, "its first line does not parse", err);
    while (lt_text_literal(&reader, " ")) {
    }
    if (!lt_text_word(&reader, ' ', out_header->query_id, sizeof out_header->query_id) ||
        !lt_text_i64(&reader, &out_header->batch_id) || !lt_text_literal(&reader, " ") ||
        !lt_text_u64(&reader, &out_header->anchor_sequence) || !lt_text_literal(&reader, " ") ||
        !lt_text_hex(&reader, 16, &out_header->anchor_hash) || !lt_text_literal(&reader, " ") ||
        !lt_text_u64(&reader, &out_header->payload_bytes) || !lt_text_literal(&reader, " ") ||
        reader.next - text != HASHED_BYTES || !lt_text_hex(&reader, 16, &hash) || !lt_text_literal(&reader, "\n") ||
        hash != line_hash(text))
        return raise_damage(path, "its first line does not parse", err);
    trim(out_header->kind);
    return LEAT_OK;
}

static leat_status header_read(lt_file *file, char out_text[LT_SEALED_HEADER_BYTES], lt_sealed_header *out_header,
                               uint64_t *out_version, leat_error *err) {
    size_t count = 0;
    LT_TRY(lt_file_read(file, 0, out_text, LT_SEALED_HEADER_BYTES, &count, err));
    return header_parse(file->path, out_text, count, out_header, out_version, err);
}

leat_status lt_sealed_file_read_header(const lt_fs *fs, const char *path, lt_sealed_header *out_header,
                                       leat_error *err) {
    char     text[LT_SEALED_HEADER_BYTES];
    uint64_t version;
    lt_file  file;
    LT_TRY(lt_file_open(fs, path, LEAT_OPEN_READ | LEAT_OPEN_NO_FOLLOW, &file, err));
    leat_status status = header_read(&file, text, out_header, &version, err);
    leat_status closed = lt_file_close(&file, err);
    return status != LEAT_OK ? status : closed;
}

static leat_status payload_read(lt_file *file, const char *header_text, const lt_sealed_header *header,
                                uint64_t version, lt_buffer *out_payload, leat_error *err) {
    leat_file_info info;
    LT_TRY(lt_file_info(file, &info, err));
    if (info.bytes < LT_SEALED_HEADER_BYTES + FOOTER_BYTES ||
        info.bytes - LT_SEALED_HEADER_BYTES - FOOTER_BYTES != header->payload_bytes)
        return raise_damage(file->path, "its size is not the one it states", err);
    size_t bytes = (size_t)header->payload_bytes, count = 0;
    LT_TRY(lt_buffer_reserve(out_payload, bytes + FOOTER_BYTES + 1, err));
    LT_TRY(lt_file_read(file, LT_SEALED_HEADER_BYTES, out_payload->data, bytes + FOOTER_BYTES, &count, err));
    if (count != bytes + FOOTER_BYTES) return raise_damage(file->path, "it became shorter", err);
    lt_hash128_value seal   = version == 1 ? seal_of(header_text, out_payload->data, bytes)
                                           : blocks_seal(header_text, out_payload->data, bytes);
    lt_hash128_value found  = {0};
    lt_text_reader   reader = {out_payload->data + bytes, out_payload->data + count};
    if (!lt_text_literal(&reader, "\n") || !lt_text_hex(&reader, 16, &found.high) ||
        !lt_text_hex(&reader, 16, &found.low) || !lt_text_literal(&reader, "\n") || seal.high != found.high ||
        seal.low != found.low)
        return raise_damage(file->path, "its hash differs from its content's", err);
    out_payload->bytes       = bytes;
    out_payload->data[bytes] = '\0';
    return LEAT_OK;
}

leat_status lt_sealed_file_read(const lt_fs *fs, const char *path, lt_sealed_header *out_header, lt_buffer *out_payload,
                                leat_error *err) {
    char     text[LT_SEALED_HEADER_BYTES];
    uint64_t version = 0;
    lt_file  file;
    lt_buffer_reset(out_payload);
    LT_TRY(lt_file_open(fs, path, LEAT_OPEN_READ | LEAT_OPEN_NO_FOLLOW, &file, err));
    leat_status status = header_read(&file, text, out_header, &version, err);
    if (status == LEAT_OK) status = payload_read(&file, text, out_header, version, out_payload, err);
    leat_status closed = lt_file_close(&file, err);
    return status != LEAT_OK ? status : closed;
}
