// file_morsel: a part is read with the byte before it, so that a reader sees by itself whether a record starts at its
// first byte; and on to the end of the record that its last byte belongs to. Bytes of one record are thus read by two
// readers at most, but for records longer than a morsel.
#include "storage/file_morsel.h"

#include "storage/file_source.h"
#include "storage/line_splitter.h"

#include <errno.h>
#include <string.h>

enum { READ_ON_BYTES = 16 * 1024, GROUP_FILES_MAX = 64 };

// ----------------------------------------------------------------------------------------------------------------- cut

static bool can_split(const lt_source_setup *setup, const lt_seen_file *file, uint64_t morsel_bytes) {
    const lt_format *format = setup->format;
    return file->bytes > morsel_bytes && format->can_split != NULL && format->can_split(setup->options) &&
           lt_file_reader_is_plain(setup->fs, file->path);
}

static bool is_same_folder(const char *a, const char *b) {
    const char  *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const size_t bytes_a = slash_a == NULL ? 0 : (size_t)(slash_a - a);
    const size_t bytes_b = slash_b == NULL ? 0 : (size_t)(slash_b - b);
    return bytes_a == bytes_b && memcmp(a, b, bytes_a) == 0;
}

typedef struct cutting {
    lt_arena       *arena;
    lt_file_morsel *morsels;
    size_t          count, capacity;
} cutting;

static leat_status cut_add(cutting *self, const lt_file_morsel *morsel, leat_error *err) {
    if (self->count == self->capacity) {
        const size_t capacity = self->capacity == 0 ? 64 : self->capacity * 2;
        LT_TRY_LARGER_ARRAY(self->morsels, self->arena, self->count, capacity, err);
        self->capacity = capacity;
    }
    self->morsels[self->count++] = *morsel;
    return LEAT_OK;
}

leat_status lt_file_morsels_cut(const lt_source_setup *setup, const lt_seen_file *files, size_t file_count,
                                uint64_t morsel_bytes, lt_arena *arena, lt_file_morsel **out_morsels, size_t *out_count,
                                leat_error *err) {
    cutting self = {.arena = arena};
    for (size_t i = 0; i < file_count;) {
        const lt_seen_file *file = &files[i];
        if (can_split(setup, file, morsel_bytes)) {
            for (uint64_t begin = 0; begin < file->bytes; begin += morsel_bytes) {
                const uint64_t end = file->bytes - begin < morsel_bytes ? file->bytes : begin + morsel_bytes;
                LT_TRY(cut_add(&self, &(lt_file_morsel){file, 1, begin, end, true}, err));
            }
            i++;
            continue;
        }
        lt_file_morsel group = {.files = file, .file_count = 1, .end = file->bytes};
        for (uint64_t bytes = file->bytes; i + group.file_count < file_count && group.file_count < GROUP_FILES_MAX;
             group.file_count++) {
            const uint64_t more = file[group.file_count].bytes;
            if (bytes > morsel_bytes || more > morsel_bytes - bytes) break;
            if (setup->reads_partitions && !is_same_folder(file->path, file[group.file_count].path)) break;
            bytes += more;
        }
        LT_TRY(cut_add(&self, &group, err));
        i += group.file_count;
    }
    *out_morsels = self.morsels;
    *out_count   = self.count;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- read

leat_status lt_file_morsel_reader_init(lt_file_morsel_reader *reader, const lt_source_setup *setup,
                                       const lt_decode_target *target, leat_error *err) {
    *reader = (lt_file_morsel_reader){.setup = setup, .target = target};
    lt_arena_init(&reader->arena, target->account);
    lt_buffer_init(&reader->bytes, target->account, 0);
    lt_file_reader_init(&reader->files, target->account);
    reader->ignores_missing = lt_option_is_true(setup->options, lt_file_options, "ignoreMissingFiles");
    reader->ignores_corrupt = lt_option_is_true(setup->options, lt_file_options, "ignoreCorruptFiles");
    reader->decoder         = lt_arena_zero(&reader->arena, setup->format->decoder_bytes);
    if (reader->decoder == NULL) return lt_raise_no_memory(err);
    reader->is_decoder_open = true; // close is due even after a failed open
    return setup->format->open(reader->decoder, setup->options, target, err);
}

void lt_file_morsel_reader_rest(lt_file_morsel_reader *reader) {
    if (reader->file_read != NULL) (void)lt_file_close(&reader->file, NULL);
    reader->file_read = NULL;
}

void lt_file_morsel_reader_deinit(lt_file_morsel_reader *reader) {
    if (reader->setup == NULL) return;
    lt_file_morsel_reader_rest(reader);
    if (reader->is_decoder_open) reader->setup->format->close(reader->decoder);
    lt_file_reader_deinit(&reader->files);
    lt_buffer_deinit(&reader->bytes);
    lt_arena_deinit(&reader->arena);
    *reader = (lt_file_morsel_reader){0};
}

leat_status lt_file_decode_end(const lt_format *format, void *decoder, leat_status status, leat_error *err) {
    if (status == LEAT_OK) return format->flush(decoder, err);
    if (status == LEAT_DONE || status == LEAT_NO_MEMORY || status == LEAT_INTERRUPTED) return status;
    leat_error        before  = {0};
    const leat_status flushed = format->flush(decoder, &before);
    if (flushed == LEAT_OK || flushed == LEAT_DONE) return status;
    if (err != NULL) *err = before;
    return flushed;
}

leat_status lt_file_decode(lt_file_reader *reader, const lt_source_setup *setup, const lt_seen_file *file,
                           void *decoder, bool ignores_corrupt, leat_error *err) {
    const lt_format *format = setup->format;
    leat_status      status = lt_file_reader_open(reader, setup->fs, file->path, file->bytes, err);
    if (status != LEAT_OK) return status;
    status      = format->begin(decoder, file->path, err);
    bool is_end = false;
    while (status == LEAT_OK && !is_end) {
        const char *bytes = NULL;
        size_t      count = 0;
        status            = lt_file_reader_next(reader, &bytes, &count, &is_end, err);
        if (status == LEAT_IO && ignores_corrupt && reader->compression != LT_PLAIN) {
            lt_error_reset(err);
            status = LEAT_OK;
            count  = 0;
            is_end = true;
        }
        if (status == LEAT_OK) status = format->decode(decoder, bytes, count, is_end, err);
    }
    lt_file_reader_close(reader);
    return status;
}

// Appends the bytes [offset, offset + count) of the file, all of which were there when the batch was planned.
static leat_status append_bytes(lt_file *file, uint64_t planned, uint64_t offset, size_t count, lt_buffer *bytes,
                                leat_error *err) {
    size_t got = 0;
    LT_TRY(lt_buffer_reserve(bytes, count, err));
    LT_TRY(lt_file_read(file, offset, bytes->data + bytes->bytes, count, &got, err));
    bytes->bytes += got;
    return got == count ? LEAT_OK : lt_file_reader_raise_shorter(file->path, offset + got, planned, err);
}

static leat_status line_is_too_long(const lt_seen_file *file, uint64_t offset, leat_error *err) {
    const leat_status status = lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a record has more than %llu bytes",
                                        (unsigned long long)LT_LINE_BYTES_MAX);
    lt_error_data_place(err, file->path, 0, offset, NULL);
    return status;
}

// The records that start in the part: bytes [*out_start, *out_stop) of `bytes`, which start at *out_offset of the file.
static leat_status part_load(lt_file *file, const lt_file_morsel *morsel, lt_buffer *bytes, size_t *out_start,
                             size_t *out_stop, uint64_t *out_offset, leat_error *err) {
    const uint64_t planned = morsel->files[0].bytes;
    const uint64_t from    = morsel->begin > 0 ? morsel->begin - 1 : 0;
    const size_t   own     = (size_t)(morsel->end - from);
    size_t         want    = (size_t)(planned - from < own + READ_ON_BYTES ? planned - from : own + READ_ON_BYTES);
    *out_start = *out_stop = 0;
    lt_buffer_reset(bytes);
    LT_TRY(lt_buffer_reserve(bytes, LT_FS_PAGE_BYTES + want, err));
    const size_t gap = lt_file_read_gap(bytes->data, from);
    bytes->bytes     = gap;
    LT_TRY(append_bytes(file, planned, from, want, bytes, err));
    size_t start = gap, looked = gap + own - 1;
    if (morsel->begin > 0) {
        const char *feed = memchr(bytes->data + gap, '\n', own - 1); // a record that starts at `end` is the next part's
        if (feed == NULL) return LEAT_OK;
        start = (size_t)(feed - bytes->data) + 1;
    }
    *out_start  = start;
    *out_offset = from + (start - gap);
    for (;;) {
        const char *feed = memchr(bytes->data + looked, '\n', bytes->bytes - looked);
        if (feed != NULL) return *out_stop = (size_t)(feed - bytes->data) + 1, LEAT_OK;
        looked                = bytes->bytes;
        const uint64_t behind = from + (looked - gap), left = planned - behind;
        if (left == 0) return *out_stop = looked, LEAT_OK;
        if (looked - start > LT_LINE_BYTES_MAX) return line_is_too_long(morsel->files, *out_offset, err);
        want = left < looked ? (size_t)left : looked;
        LT_TRY(append_bytes(file, planned, behind, want, bytes, err));
    }
}

static leat_status part_decode(lt_file_morsel_reader *self, const lt_file_morsel *morsel, bool is_header_due,
                               lt_buffer *bytes, lt_file_morsel_facts *facts, leat_error *err) {
    const lt_format *format = self->setup->format;
    const char      *path   = morsel->files[0].path;
    size_t           start = 0, stop = 0;
    uint64_t         offset = 0;
    if (self->file_read != morsel->files) {
        lt_file_morsel_reader_rest(self);
        const int code = lt_file_open_code(self->setup->fs, path, LEAT_OPEN_READ, &self->file);
        if (code == ENOENT && self->ignores_missing) return LEAT_OK;
        if (code != 0) return lt_fs_raise(err, code, "open", path);
        self->file_read = morsel->files;
    }
    leat_status status   = part_load(&self->file, morsel, bytes, &start, &stop, &offset, err);
    facts->is_header_due = is_header_due;
    if (status != LEAT_OK || start == stop) return status;
    if (offset == 0)
        LT_TRY(format->begin(self->decoder, path, err));
    else
        format->begin_part(self->decoder, path, offset, is_header_due);
    status = format->decode(self->decoder, bytes->data + start, stop - start, true, err);
    format->part_facts(self->decoder, &facts->lines, &facts->is_header_due);
    return status;
}

static leat_status whole_decode(lt_file_morsel_reader *self, const lt_seen_file *file, lt_buffer *bytes,
                                bool *out_is_unfit, leat_error *err) {
    const lt_format *format = self->setup->format;
    lt_file          opened;
    const size_t     start = bytes->bytes;
    int              code  = lt_file_open_code(self->setup->fs, file->path, LEAT_OPEN_READ, &opened);
    if (code == ENOENT && self->ignores_missing) return LEAT_OK;
    if (code != 0) return lt_fs_raise(err, code, "open", file->path);
    leat_status status = append_bytes(&opened, file->bytes, 0, (size_t)file->bytes, bytes, err);
    (void)lt_file_close(&opened, NULL);
    LT_TRY(status);
    *out_is_unfit = lt_compression_is_suspected(file->path, bytes->data + start, bytes->bytes - start);
    if (*out_is_unfit) return LEAT_OK;
    LT_TRY(format->begin(self->decoder, file->path, err));
    return format->decode(self->decoder, bytes->data + start, bytes->bytes - start, true, err);
}

leat_status lt_file_morsel_read(lt_file_morsel_reader *self, const lt_file_morsel *morsel, lt_buffer *bytes,
                                lt_file_morsel_facts *out_facts, leat_error *err) {
    const lt_format *format = self->setup->format;
    leat_status      status = LEAT_OK;
    *out_facts              = (lt_file_morsel_facts){0};
    if (morsel->is_part) {
        status = part_decode(self, morsel, false, bytes, out_facts, err);
        return lt_file_decode_end(format, self->decoder, status, err);
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < morsel->file_count; i++) total += morsel->files[i].bytes;
    out_facts->is_unfit = total > LT_LINE_BYTES_MAX;
    lt_buffer_reset(bytes);
    if (!out_facts->is_unfit) LT_TRY(lt_buffer_reserve(bytes, (size_t)total + 1, err)); // once: rows view these bytes
    for (uint32_t i = 0; i < morsel->file_count && status == LEAT_OK && !out_facts->is_unfit; i++)
        status = whole_decode(self, &morsel->files[i], bytes, &out_facts->is_unfit, err);
    return lt_file_decode_end(format, self->decoder, status, err);
}

leat_status lt_file_morsel_stream(lt_file_morsel_reader *self, const lt_file_morsel *morsel, bool is_header_due,
                                  lt_file_morsel_facts *out_facts, leat_error *err) {
    leat_status status = LEAT_OK;
    *out_facts         = (lt_file_morsel_facts){0};
    if (morsel->is_part) {
        status = part_decode(self, morsel, is_header_due, &self->bytes, out_facts, err);
        return lt_file_decode_end(self->setup->format, self->decoder, status, err);
    }
    for (uint32_t i = 0; i < morsel->file_count && status == LEAT_OK; i++) {
        leat_file_info info;
        if (self->ignores_missing && lt_fs_info_code(self->setup->fs, morsel->files[i].path, &info) == ENOENT) continue;
        status =
            lt_file_decode(&self->files, self->setup, &morsel->files[i], self->decoder, self->ignores_corrupt, err);
    }
    return lt_file_decode_end(self->setup->format, self->decoder, status, err);
}
