#include "storage/checkpoint/identity.h"

#include "storage/checkpoint/text_reader.h"
#include "storage/publish.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define IDENTITY_SEED UINT64_C(0x6C656174696E6465)

enum { IDENTITY_BYTES_MAX = 64 * 1024 * 1024, DIFFERENCES_SHOWN_MAX = 3, LINE_SHOWN_BYTES_MAX = 100 };

void lt_query_id_print(char out_text[LT_QUERY_ID_BYTES + 1], uint64_t high, uint64_t low) {
    high = (high & ~UINT64_C(0xF000)) | UINT64_C(0x4000);
    low  = (low & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62;
    snprintf(out_text, LT_QUERY_ID_BYTES + 1, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
             high >> 32, high >> 16 & 0xFFFF, high & 0xFFFF, low >> 48, low & UINT64_C(0xFFFFFFFFFFFF));
}

static leat_status text_append(lt_buffer *out, const char *key, const char *text, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "%s %zu\n", key, strlen(text)));
    LT_TRY(lt_buffer_append_text(out, text, err));
    return lt_buffer_append_byte(out, '\n', err);
}

static leat_status identity_print(const lt_identity *identity, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "leat-checkpoint %d\nqueryId %s\ncreatedAt %" PRId64 "\n", LT_IDENTITY_VERSION,
                            identity->query_id, identity->created_us));
    LT_TRY(text_append(out, "settings", identity->settings, err));
    LT_TRY(text_append(out, "fingerprint", identity->fingerprint, err));
    LT_TRY(text_append(out, "plan", identity->plan, err));
    lt_hash128_value hash = lt_hash128(out->data, out->bytes, IDENTITY_SEED);
    return lt_buffer_format(out, err, "hash %016" PRIx64 "%016" PRIx64 "\n", hash.high, hash.low);
}

leat_status lt_identity_write(const lt_fs *fs, const char *temporary_folder, const char *path,
                              const lt_identity *identity, lt_account *account, leat_error *err) {
    lt_buffer text;
    lt_buffer_init(&text, account, IDENTITY_BYTES_MAX);
    leat_status status = identity_print(identity, &text, err);
    if (status == LEAT_OK) status = lt_atomic_publish(fs, temporary_folder, path, text.data, text.bytes, err);
    lt_buffer_deinit(&text);
    return status;
}

static bool read_text(lt_text_reader *reader, const char *key, lt_arena *arena, const char **out_text,
                      bool *out_no_memory) {
    uint64_t    bytes;
    const char *text;
    if (!lt_text_literal(reader, key) || !lt_text_literal(reader, " ") || !lt_text_u64(reader, &bytes) ||
        !lt_text_literal(reader, "\n") || !lt_text_bytes(reader, bytes, &text) || !lt_text_literal(reader, "\n"))
        return false;
    *out_text = lt_arena_text(arena, text, (size_t)bytes);
    if (*out_text == NULL) *out_no_memory = true;
    return *out_text != NULL;
}

static leat_status identity_parse(const char *path, const char *bytes, size_t count, lt_arena *arena,
                                  lt_identity *out_identity, leat_error *err) {
    lt_text_reader   reader    = {bytes, bytes + count};
    lt_hash128_value hash      = {0};
    uint64_t         version   = 0;
    bool             no_memory = false;
    bool             is_leat   = lt_text_literal(&reader, "leat-checkpoint ") && lt_text_u64(&reader, &version);
    if (is_leat && version > LT_IDENTITY_VERSION)
        return lt_raise(err, LT_CHECKPOINT_VERSION, NULL,
                        "`%s` has version %" PRIu64 ", this leat reads up to %d; use a newer leat", path, version,
                        LT_IDENTITY_VERSION);
    bool is_whole = is_leat && lt_text_literal(&reader, "\nqueryId ") &&
                    lt_text_word(&reader, '\n', out_identity->query_id, sizeof out_identity->query_id) &&
                    strlen(out_identity->query_id) == LT_QUERY_ID_BYTES && lt_text_literal(&reader, "createdAt ") &&
                    lt_text_i64(&reader, &out_identity->created_us) && lt_text_literal(&reader, "\n") &&
                    read_text(&reader, "settings", arena, &out_identity->settings, &no_memory) &&
                    read_text(&reader, "fingerprint", arena, &out_identity->fingerprint, &no_memory) &&
                    read_text(&reader, "plan", arena, &out_identity->plan, &no_memory);
    if (no_memory) return lt_raise_no_memory(err);
    size_t hashed = (size_t)(reader.next - bytes);
    if (is_whole)
        is_whole = lt_text_literal(&reader, "hash ") && lt_text_hex(&reader, 16, &hash.high) &&
                   lt_text_hex(&reader, 16, &hash.low) && lt_text_literal(&reader, "\n") && reader.next == reader.end;
    if (is_whole) {
        lt_hash128_value found = lt_hash128(bytes, hashed, IDENTITY_SEED);
        is_whole               = found.high == hash.high && found.low == hash.low;
    }
    if (is_whole) return LEAT_OK;
    lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
             "`%s` is damaged or no identity of leat; restore it from a copy or choose an empty checkpoint folder",
             path);
    lt_error_data_place(err, path, 0, hashed, NULL);
    return LEAT_CORRUPT;
}

leat_status lt_identity_read(const lt_fs *fs, const char *path, lt_arena *arena, lt_identity *out_identity,
                             bool *out_exists, leat_error *err) {
    lt_file file;
    int     code = lt_file_open_code(fs, path, LEAT_OPEN_READ | LEAT_OPEN_NO_FOLLOW, &file);
    *out_exists  = code != ENOENT;
    if (code == ENOENT) return LEAT_OK;
    if (code != 0) return lt_fs_raise(err, code, "open", path);
    leat_file_info info   = {0};
    char          *bytes  = NULL;
    size_t         count  = 0;
    leat_status    status = lt_file_info(&file, &info, err);
    if (status == LEAT_OK && info.bytes > IDENTITY_BYTES_MAX)
        status = lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "`%s` is no identity of leat: it is too large", path);
    if (status == LEAT_OK) {
        bytes = lt_arena_alloc(arena, (size_t)info.bytes);
        if (bytes == NULL) status = lt_raise_no_memory(err);
    }
    if (status == LEAT_OK) status = lt_file_read(&file, 0, bytes, (size_t)info.bytes, &count, err);
    leat_status closed = lt_file_close(&file, err);
    if (status == LEAT_OK) status = closed;
    return status != LEAT_OK ? status : identity_parse(path, bytes, count, arena, out_identity, err);
}

static size_t line_bytes(const char *text) {
    const char *end = strchr(text, '\n');
    return end == NULL ? strlen(text) : (size_t)(end - text);
}

static bool has_line(const char *text, const char *wanted, size_t bytes) {
    while (*text != '\0') {
        size_t found = line_bytes(text);
        if (found == bytes && memcmp(text, wanted, bytes) == 0) return true;
        text += found + (text[found] == '\n' ? 1 : 0);
    }
    return false;
}

// Lines of `text` that `other` lacks. Returns how many were shown.
static leat_status append_missing(const char *text, const char *other, const char *word, lt_buffer *out,
                                  size_t *out_count, leat_error *err) {
    size_t count = 0;
    while (*text != '\0') {
        size_t bytes = line_bytes(text);
        if (bytes > 0 && !has_line(other, text, bytes) && count++ < DIFFERENCES_SHOWN_MAX) {
            int shown = (int)(bytes < LINE_SHOWN_BYTES_MAX ? bytes : LINE_SHOWN_BYTES_MAX);
            LT_TRY(lt_buffer_format(out, err, "%s%s `%.*s%s`", out->bytes > 0 ? "; " : "", word, shown, text,
                                    bytes > LINE_SHOWN_BYTES_MAX ? "..." : ""));
        }
        text += bytes + (text[bytes] == '\n' ? 1 : 0);
    }
    if (count > DIFFERENCES_SHOWN_MAX)
        LT_TRY(lt_buffer_format(out, err, " and %zu more", count - DIFFERENCES_SHOWN_MAX));
    *out_count += count;
    return LEAT_OK;
}

leat_status lt_identity_differences(const char *stored, const char *offered, lt_buffer *out_text, leat_error *err) {
    size_t count = 0;
    LT_TRY(append_missing(stored, offered, "stored", out_text, &count, err));
    LT_TRY(append_missing(offered, stored, "new", out_text, &count, err));
    if (count == 0 && strcmp(stored, offered) != 0)
        LT_TRY(lt_buffer_append_text(out_text, "the same lines stand in another order", err));
    return LEAT_OK;
}
