// file_sink: the name of a part says which batch of which query made it, so a restart knows what to remove: parts above
// the last committed batch. A part appears by rename before the commit; should the commit not follow, the batch runs
// again and writes the same rows under the same name.
#include "storage/file_sink.h"

#include "base/hash.h"
#include "storage/file_listing.h"
#include "storage/file_source.h"
#include "storage/publish.h"

#include <stdio.h>

enum { WRITE_BYTES = 64 * 1024, PART_NAME_BYTES = 160 };

typedef struct file_sink {
    const lt_sink_setup *setup; // borrows
    lt_arena             arena; // paths
    const char          *folder, *staging_folder, *manifest_path;
    const char          *extension; // ".json"
    int64_t              batch_id;
    char                 name[PART_NAME_BYTES]; // of the batch's part
    char                 path[LT_PATH_BYTES_MAX];
    lt_publish           part;
    lt_buffer            bytes; // not yet written
    uint64_t             hash;
    bool                 has_part, is_published, is_ready;
} file_sink;

static leat_status sink_open(void *state, const lt_sink_setup *setup, leat_error *err) {
    file_sink  *self = state;
    const char *path = lt_option_text(setup->options, lt_file_options, "path");
    if (path == NULL || path[0] == '\0')
        return lt_raise(err, LT_MISSING_OPTION, NULL, "connector `files` needs option `path`: the folder to write to");
    if (setup->format->encode == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL, "format `%s` cannot be written", setup->format->name);
    self->setup    = setup;
    self->batch_id = -1;
    lt_arena_init(&self->arena, setup->account);
    lt_buffer_init(&self->bytes, setup->account, 0);
    self->is_ready       = true;
    self->folder         = lt_file_pattern_path(&self->arena, path);
    self->staging_folder = self->folder == NULL ? NULL : lt_arena_format(&self->arena, "%s/_leat", self->folder);
    if (self->staging_folder == NULL) return lt_raise_no_memory(err);
    self->manifest_path = lt_arena_format(&self->arena, "%s/manifest", self->staging_folder);
    const char *words   = setup->format->extensions;
    self->extension     = lt_arena_text(&self->arena, words, strcspn(words, " "));
    if (self->manifest_path == NULL || self->extension == NULL) return lt_raise_no_memory(err);
    return lt_fs_make_folders(setup->fs, self->staging_folder, err);
}

// The batch in the name of a part of this query; -1: not one of them.
static int64_t batch_of_name(const file_sink *self, const char *name) {
    if (strncmp(name, "part-", 5) != 0 || strstr(name, self->setup->query_id) == NULL) return -1;
    int64_t batch_id = 0;
    size_t  i        = 5;
    for (; name[i] >= '0' && name[i] <= '9'; i++)
        if (__builtin_mul_overflow(batch_id, 10, &batch_id) ||
            __builtin_add_overflow(batch_id, name[i] - '0', &batch_id))
            return -1;
    return i > 5 && name[i] == '-' ? batch_id : -1;
}

typedef struct recovery {
    file_sink  *sink;
    int64_t     committed, planned;
    const char *folder;
    lt_buffer   removed; // names, each ended by NUL
} recovery;

static leat_status find_left_over(void *user, const char *name, uint32_t kind, leat_error *err) {
    recovery     *self     = user;
    const int64_t batch_id = batch_of_name(self->sink, name);
    (void)kind;
    if (batch_id <= self->committed) return LEAT_OK;
    if (batch_id > self->planned)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                        "`%.200s/%.100s` belongs to batch %lld, which the checkpoint never planned; it is older than "
                        "the output",
                        self->folder, name, (long long)batch_id);
    return lt_buffer_append(&self->removed, name, strlen(name) + 1, err);
}

static leat_status remove_left_over(recovery *self, const char *folder, leat_error *err) {
    char path[LT_PATH_BYTES_MAX];
    self->folder = folder;
    lt_buffer_reset(&self->removed);
    LT_TRY(lt_fs_list(self->sink->setup->fs, folder, find_left_over, self, err));
    for (size_t at = 0; at < self->removed.bytes; at += strlen(self->removed.data + at) + 1) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, self->removed.data + at);
        LT_TRY(lt_fs_remove(self->sink->setup->fs, path, err));
    }
    return self->removed.bytes == 0 ? LEAT_OK : lt_fs_sync_folder(self->sink->setup->fs, folder, err);
}

// Writes the manifest anew without lines of batches above the committed one, and without a torn last line.
static leat_status trim_manifest(recovery *self, lt_buffer *content, leat_error *err) {
    const lt_sink_setup *setup = self->sink->setup;
    leat_file_info       info;
    if (lt_fs_info_code(setup->fs, self->sink->manifest_path, &info) != 0) return LEAT_OK;
    lt_file file = {0};
    size_t  got  = 0;
    LT_TRY(lt_buffer_reserve(content, (size_t)info.bytes, err));
    LT_TRY(lt_file_open(setup->fs, self->sink->manifest_path, LEAT_OPEN_READ, &file, err));
    leat_status status = lt_file_read(&file, 0, content->data, (size_t)info.bytes, &got, err);
    (void)lt_file_close(&file, NULL);
    if (status != LEAT_OK) return status;
    size_t kept = 0;
    for (size_t at = 0; at < got;) {
        const char *end = memchr(content->data + at, '\n', got - at);
        if (end == NULL) break;
        const size_t bytes = (size_t)(end - content->data) + 1 - at;
        char         name[PART_NAME_BYTES];
        const size_t name_bytes = bytes < sizeof name ? bytes - 1 : sizeof name - 1;
        memcpy(name, content->data + at, name_bytes);
        name[name_bytes] = '\0';
        if (batch_of_name(self->sink, name) <= self->committed) {
            memmove(content->data + kept, content->data + at, bytes);
            kept += bytes;
        }
        at += bytes;
    }
    if (kept == info.bytes) return LEAT_OK;
    return lt_atomic_publish(setup->fs, NULL, self->sink->manifest_path, content->data, kept, err);
}

static leat_status sink_recover(void *state, int64_t committed_batch_id, int64_t planned_batch_id, leat_error *err) {
    file_sink *self = state;
    recovery   work = {.sink = self, .committed = committed_batch_id, .planned = planned_batch_id};
    lt_buffer_init(&work.removed, self->setup->account, 0);
    leat_status status = remove_left_over(&work, self->folder, err);
    // Staging files are of batches that did not get as far as their rename, or whose rename was seen already.
    work.committed = -1;
    if (status == LEAT_OK) status = remove_left_over(&work, self->staging_folder, err);
    work.committed = committed_batch_id;
    lt_buffer_reset(&work.removed);
    if (status == LEAT_OK) status = trim_manifest(&work, &work.removed, err);
    lt_buffer_deinit(&work.removed);
    return status;
}

static leat_status sink_begin(void *state, int64_t batch_id, bool is_replay, leat_error *err) {
    file_sink *self = state;
    (void)is_replay;
    if (self->has_part && !self->is_published) lt_publish_discard(&self->part);
    self->batch_id     = batch_id;
    self->has_part     = false;
    self->is_published = false;
    self->hash         = 0;
    lt_buffer_reset(&self->bytes);
    const int name_bytes = snprintf(self->name, sizeof self->name, "part-%020lld-00-%s%s", (long long)batch_id,
                                    self->setup->query_id, self->extension);
    const int path_bytes = snprintf(self->path, sizeof self->path, "%s/%s", self->folder, self->name);
    if (name_bytes < 0 || name_bytes >= (int)sizeof self->name || path_bytes < 0 ||
        path_bytes >= (int)sizeof self->path)
        return lt_raise(err, LT_IO_ERROR, NULL, "path of a part below `%.200s` is too long", self->folder);
    return LEAT_OK;
}

static leat_status write_out(file_sink *self, leat_error *err) {
    if (self->bytes.bytes == 0) return LEAT_OK;
    self->hash = lt_hash64(self->bytes.data, self->bytes.bytes, self->hash);
    LT_TRY(lt_publish_append(&self->part, self->bytes.data, self->bytes.bytes, err));
    lt_buffer_reset(&self->bytes);
    return LEAT_OK;
}

static leat_status sink_write(void *state, const lt_chunk *chunk, leat_error *err) {
    file_sink           *self  = state;
    const lt_sink_setup *setup = self->setup;
    if (chunk->count == 0) return LEAT_OK;
    if (!self->has_part) {
        LT_TRY(lt_publish_open_shared(&self->part, setup->fs, self->staging_folder, self->path, err));
        self->has_part = true;
        if (setup->format->encode_header != NULL)
            LT_TRY(setup->format->encode_header(setup->options, setup->names, setup->types, setup->column_count,
                                                &self->bytes, err));
    }
    LT_TRY(setup->format->encode(setup->options, setup->names, chunk, setup->evaluation, &self->bytes, err));
    return self->bytes.bytes < WRITE_BYTES ? LEAT_OK : write_out(self, err);
}

static leat_status sink_stage(void *state, leat_error *err) {
    file_sink *self = state;
    if (!self->has_part) return LEAT_OK;
    LT_TRY(write_out(self, err));
    return lt_publish_sync(&self->part, err);
}

static leat_status append_to_manifest(file_sink *self, leat_error *err) {
    char      line[PART_NAME_BYTES + 64];
    const int bytes = snprintf(line, sizeof line, "%s %llu %016llx\n", self->name, (unsigned long long)self->part.bytes,
                               (unsigned long long)self->hash);
    lt_file   file  = {0};
    LT_TRY(lt_file_open(self->setup->fs, self->manifest_path, LEAT_OPEN_WRITE | LEAT_OPEN_CREATE, &file, err));
    leat_status status = lt_file_write(&file, LEAT_OFFSET_NEXT, line, (size_t)bytes, err);
    if (status == LEAT_OK) status = lt_file_sync(&file, err);
    const leat_status closed = lt_file_close(&file, status == LEAT_OK ? err : NULL);
    return status == LEAT_OK ? closed : status;
}

static leat_status sink_publish(void *state, leat_error *err) {
    file_sink *self = state;
    if (!self->has_part || self->is_published) return LEAT_OK;
    LT_TRY(lt_publish_commit(&self->part, err));
    self->is_published = true;
    return append_to_manifest(self, err);
}

static leat_status sink_receipt(void *state, lt_buffer *out, leat_error *err) {
    file_sink *self = state;
    if (!self->has_part) return lt_buffer_append_text(out, "{\"parts\":[]}", err);
    return lt_buffer_format(out, err, "{\"parts\":[{\"name\":\"%s\",\"bytes\":%llu,\"hash\":\"%016llx\"}]}", self->name,
                            (unsigned long long)self->part.bytes, (unsigned long long)self->hash);
}

static leat_status sink_describe(void *state, lt_buffer *out, leat_error *err) {
    file_sink  *self        = state;
    const char *folder      = self->setup->fs->folder;
    const bool  is_relative = self->folder[0] != '/' && folder != NULL && folder[0] != '\0';
    return lt_buffer_format(out, err, "FileSink[file:%s%s%s]", is_relative ? folder : "", is_relative ? "/" : "",
                            self->folder);
}

static void sink_close(void *state) {
    file_sink *self = state;
    if (!self->is_ready) return;
    if (self->has_part && !self->is_published) lt_publish_discard(&self->part);
    lt_buffer_deinit(&self->bytes);
    lt_arena_deinit(&self->arena);
    self->is_ready = self->has_part = false;
}

const lt_sink_kind lt_file_sink = {
    .state_bytes      = sizeof(file_sink),
    .modes            = LT_SINK_APPEND,
    .needs_checkpoint = true,
    .needs_format     = true,
    .open             = sink_open,
    .recover          = sink_recover,
    .begin            = sink_begin,
    .write            = sink_write,
    .stage            = sink_stage,
    .publish          = sink_publish,
    .receipt          = sink_receipt,
    .describe         = sink_describe,
    .close            = sink_close,
};
