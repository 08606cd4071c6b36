#include "storage/log/record_log.h"

#include "base/hash.h"
#include "storage/publish.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A segment is read as a whole: it is 16 MiB and one batch at most, and a search for record lines behind a bad record
// needs all of it. Numbers in lines have fixed widths, so a line is judged without looking for its end.

enum { NAME_BYTES = 20, CHECKED_BYTES = 45, KIND_BYTES = 8, LENGTH_DIGITS = 10, ROOM_BYTES = 256 * 1024 };

// Seed of the segment record, which brings the salt of all others; not zero, so that zeros never validate.
#define SEGMENT_SALT UINT64_C(0x6C65617431736567)

typedef struct kind_row {
    const char *name;
    uint64_t    bytes_max;
} kind_row;

static const kind_row kinds[] = {
    [LT_RECORD_SEGMENT] = {"segment", 4096},
    [LT_RECORD_FILES]   = {"files", UINT64_C(1) << 30},
    [LT_RECORD_OFFSETS] = {"offsets", UINT64_C(256) << 20},
    [LT_RECORD_STATE]   = {"state", UINT64_C(1) << 20},
    [LT_RECORD_COMMIT]  = {"commit", UINT64_C(64) << 20},
    [LT_RECORD_NOTE]    = {"note", UINT64_C(16) << 20},
};
_Static_assert(sizeof kinds / sizeof kinds[0] == LT_RECORD_KIND_COUNT, "a row for each kind");

const char *lt_record_kind_name(lt_record_kind kind) { return kinds[kind].name; }

// --------------------------------------------------------------------------------------------------------------- lines

typedef struct line {
    lt_record_kind kind;
    uint64_t       sequence, bytes, hash;
} line;

static bool parse_digits(const char *text, size_t count, uint64_t *out_value) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out_value = value;
    return true;
}

static bool parse_hex(const char *text, size_t count, uint64_t *out_value) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        char     c = text[i];
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else
            return false;
        value = value << 4 | digit;
    }
    *out_value = value;
    return true;
}

static bool parse_kind(const char *text, lt_record_kind *out_kind) {
    for (size_t i = 0; i < LT_RECORD_KIND_COUNT; i++) {
        size_t bytes = strlen(kinds[i].name);
        if (memcmp(text, kinds[i].name, bytes) != 0) continue;
        if (bytes < KIND_BYTES && memcmp(text + bytes, "        ", KIND_BYTES - bytes) != 0) continue;
        *out_kind = (lt_record_kind)i;
        return true;
    }
    return false;
}

static uint32_t line_check(const char *text, uint64_t salt) { return (uint32_t)lt_hash64(text, CHECKED_BYTES, salt); }

static uint64_t payload_hash(const char *line_text, uint64_t salt, const void *payload, size_t bytes) {
    return lt_hash64(payload, bytes, lt_hash64(line_text, CHECKED_BYTES, salt) ^ salt);
}

// leat_sssssssssssssssssssss_kkkkkkkk_nnnnnnnnnn_cccccccc_hhhhhhhhhhhhhhhh\n, the blanks at 4, 25, 34, 45 and 54.
static bool parse_line(const char *text, uint64_t salt, line *out_line) {
    uint64_t check;
    if (memcmp(text, "leat ", 5) != 0 || text[25] != ' ' || text[34] != ' ' || text[45] != ' ' || text[54] != ' ' ||
        text[LT_RECORD_LINE_BYTES - 1] != '\n')
        return false;
    if (!parse_digits(text + 5, NAME_BYTES, &out_line->sequence) || !parse_kind(text + 26, &out_line->kind) ||
        !parse_digits(text + 35, LENGTH_DIGITS, &out_line->bytes) || !parse_hex(text + 46, 8, &check) ||
        !parse_hex(text + 55, 16, &out_line->hash))
        return false;
    return check == line_check(text, salt) && out_line->bytes <= kinds[out_line->kind].bytes_max;
}

static uint64_t print_line(char out_text[LT_RECORD_LINE_BYTES + 1], lt_record_kind kind, uint64_t sequence,
                           uint64_t salt, const void *payload, size_t bytes) {
    snprintf(out_text, LT_RECORD_LINE_BYTES + 1, "leat %020" PRIu64 " %-8s %010" PRIu64 " ", sequence, kinds[kind].name,
             (uint64_t)bytes);
    uint64_t hash = payload_hash(out_text, salt, payload, bytes);
    snprintf(out_text + 46, LT_RECORD_LINE_BYTES + 1 - 46, "%08" PRIx32 " %016" PRIx64 "\n", line_check(out_text, salt),
             hash);
    return hash;
}

// -------------------------------------------------------------------------------------------------------------- errors

static leat_status path_of(const lt_record_log *log, uint64_t first_sequence, char out_path[LT_PATH_BYTES_MAX],
                           leat_error *err) {
    int bytes = snprintf(out_path, LT_PATH_BYTES_MAX, "%s/%020" PRIu64, log->folder, first_sequence);
    if (bytes > 0 && bytes < LT_PATH_BYTES_MAX) return LEAT_OK;
    return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "the path of a checkpoint has more than %d bytes", LT_PATH_BYTES_MAX);
}

static leat_status raise_damage(const char *path, uint64_t offset, uint64_t sequence, const char *what,
                                leat_error *err) {
    leat_status status =
        lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL,
                 "record %" PRIu64 " of `%s` at byte %" PRIu64 " is damaged: %s; nothing was changed, restore the "
                 "checkpoint from a copy or choose an empty folder to begin anew",
                 sequence, path, offset, what);
    lt_error_data_place(err, path, 0, offset, NULL);
    return status;
}

// ---------------------------------------------------------------------------------------------------------------- scan

static leat_status segments_add(lt_record_log *log, lt_record_segment segment, leat_error *err) {
    LT_TRY_GROW(log->segments, log->account, log->segment_count, log->segment_capacity, 8, err);
    size_t i = log->segment_count++;
    for (; i > 0 && log->segments[i - 1].first_sequence > segment.first_sequence; i--)
        log->segments[i] = log->segments[i - 1];
    log->segments[i] = segment;
    return LEAT_OK;
}

static leat_status segment_note(void *user, const char *name, uint32_t kind, leat_error *err) {
    (void)kind;
    uint64_t first_sequence;
    if (strlen(name) != NAME_BYTES || !parse_digits(name, NAME_BYTES, &first_sequence)) return LEAT_OK;
    return segments_add(user, (lt_record_segment){.first_sequence = first_sequence, .first_state_id = -1}, err);
}

// Payload of the segment record: {"version":1,"salt":"<16 hex>","firstBatch":<n>,"firstState":<n>}
static leat_status read_number(const char **text, const char *end, const char *key, int64_t *out_value,
                               leat_error *err) {
    size_t key_bytes = strlen(key), digits = 0;
    *out_value = 0;
    if ((size_t)(end - *text) >= key_bytes && memcmp(*text, key, key_bytes) == 0) {
        const char *next        = *text + key_bytes;
        bool        is_negative = next < end && *next == '-';
        if (is_negative) next++;
        for (; next < end && *next >= '0' && *next <= '9' && digits < 18; next++, digits++)
            *out_value = *out_value * 10 + (*next - '0');
        if (is_negative) *out_value = -*out_value;
        *text = next;
    }
    return digits > 0 ? LEAT_OK : lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a segment record lacks %s", key);
}

static leat_status segment_decode(const lt_record *record, lt_record_segment *segment, leat_error *err) {
    static const char salt_key[] = ",\"salt\":\"";
    const char       *text = record->payload, *end = text + record->bytes;
    int64_t           version;
    LT_TRY(read_number(&text, end, "{\"version\":", &version, err));
    if (version > LT_LOG_VERSION)
        return lt_raise(err, LT_CHECKPOINT_VERSION, NULL,
                        "the log has version %" PRId64 ", this leat reads up to %d; use a newer leat", version,
                        LT_LOG_VERSION);
    if ((size_t)(end - text) < sizeof salt_key + 17 || memcmp(text, salt_key, sizeof salt_key - 1) != 0 ||
        !parse_hex(text + sizeof salt_key - 1, 16, &segment->salt) || segment->salt == 0)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a segment record lacks its salt");
    text += sizeof salt_key - 1 + 16;
    LT_TRY(read_number(&text, end, "\",\"firstBatch\":", &segment->first_batch_id, err));
    return read_number(&text, end, ",\"firstState\":", &segment->first_state_id, err);
}

static leat_status file_read_whole(lt_record_log *log, const char *path, lt_buffer *out_bytes, leat_error *err) {
    lt_file        file;
    leat_file_info info;
    LT_TRY(lt_file_open(log->fs, path, LEAT_OPEN_READ | LEAT_OPEN_NO_FOLLOW, &file, err));
    leat_status status = lt_file_info(&file, &info, err);
    if (status == LEAT_OK && info.bytes > SIZE_MAX / 4) status = lt_raise_no_memory(err);
    if (status == LEAT_OK) status = lt_buffer_reserve(out_bytes, (size_t)info.bytes + 1, err);
    if (status == LEAT_OK) status = lt_file_read(&file, 0, out_bytes->data, (size_t)info.bytes, &out_bytes->bytes, err);
    leat_status closed = lt_file_close(&file, err);
    return status != LEAT_OK ? status : closed;
}

typedef struct scan {
    const char *path;
    const char *bytes;
    size_t      count;
    bool        is_newest;
} scan;

// Is there a record line behind the bad record at `offset`? Then the bad one was followed by others once, so it is not
// the end of an interrupted write.
static bool has_line_behind(const scan *self, size_t offset, uint64_t salt, uint64_t sequence) {
    for (size_t i = offset + 1; i + LT_RECORD_LINE_BYTES <= self->count;) {
        const char *found = memchr(self->bytes + i, 'l', self->count - LT_RECORD_LINE_BYTES + 1 - i);
        line        behind;
        if (found == NULL) return false;
        if (parse_line(found, salt, &behind) && behind.sequence >= sequence) return true;
        i = (size_t)(found - self->bytes) + 1;
    }
    return false;
}

// NULL: the record at `offset` is whole; else what is wrong with it.
static const char *record_parse(const scan *self, size_t offset, uint64_t salt, uint64_t sequence, line *out_line) {
    const char *text = self->bytes + offset;
    if (self->count - offset < LT_RECORD_LINE_BYTES) return "its line is cut short";
    if (!parse_line(text, salt, out_line)) return "its line does not check";
    if (out_line->sequence != sequence) return "its sequence is not the next one";
    if (out_line->bytes + 1 > self->count - offset - LT_RECORD_LINE_BYTES) return "its payload is cut short";
    if (payload_hash(text, salt, text + LT_RECORD_LINE_BYTES, (size_t)out_line->bytes) != out_line->hash)
        return "its hash differs from its payload's";
    if (text[LT_RECORD_LINE_BYTES + out_line->bytes] != '\n') return "its end is not there";
    return NULL;
}

static bool is_room(const scan *self, size_t offset) {
    for (; offset < self->count; offset++)
        if (self->bytes[offset] != 0) return false;
    return true;
}

static leat_status segment_scan(lt_record_log *log, size_t segment_index, const scan *self, lt_record_give give,
                                void *user, leat_error *err) {
    lt_record_segment *segment = &log->segments[segment_index];
    size_t             offset  = 0;
    do {
        bool        is_first = offset == 0;
        uint64_t    salt     = is_first ? SEGMENT_SALT : segment->salt;
        line        parsed;
        const char *wrong = record_parse(self, offset, salt, log->next_sequence, &parsed);
        if (wrong == NULL && (parsed.kind == LT_RECORD_SEGMENT) != is_first) wrong = "it is of the wrong kind";
        if (wrong != NULL && !is_first && is_room(self, offset)) break;
        if (wrong != NULL) {
            // A segment is published with its first record, so that one is never torn.
            if (is_first || !self->is_newest || has_line_behind(self, offset, salt, log->next_sequence))
                return raise_damage(self->path, offset, log->next_sequence, wrong, err);
            log->torn_bytes = self->count - offset;
            break;
        }
        lt_record record = {.kind     = parsed.kind,
                            .sequence = parsed.sequence,
                            .payload  = self->bytes + offset + LT_RECORD_LINE_BYTES,
                            .bytes    = (size_t)parsed.bytes,
                            .hash     = parsed.hash,
                            .position = {.segment_sequence = segment->first_sequence, .offset = offset}};
        if (is_first) LT_TRY(segment_decode(&record, segment, err));
        LT_TRY(give(user, &record, err));
        log->next_sequence++;
        offset += LT_RECORD_LINE_BYTES + record.bytes + 1;
    } while (offset < self->count);
    log->end_offset = log->synced_offset = offset;
    log->room_end                        = log->torn_bytes > 0 ? offset : self->count; // start cuts what is torn
    return LEAT_OK;
}

static leat_status segments_scan(lt_record_log *log, lt_record_give give, void *user, leat_error *err) {
    lt_buffer   bytes;
    leat_status status = LEAT_OK;
    lt_buffer_init(&bytes, log->account, 0);
    for (size_t i = 0; i < log->segment_count && status == LEAT_OK; i++) {
        uint64_t first_sequence = log->segments[i].first_sequence;
        status                  = path_of(log, first_sequence, log->file_path, err);
        if (status == LEAT_OK && i > 0 && first_sequence != log->next_sequence)
            status =
                raise_damage(log->file_path, 0, log->next_sequence, "it and more are missing before this segment", err);
        if (status != LEAT_OK) break;
        log->next_sequence = first_sequence;
        lt_buffer_reset(&bytes);
        status     = file_read_whole(log, log->file_path, &bytes, err);
        scan self  = {.path = log->file_path, .is_newest = i + 1 == log->segment_count};
        self.bytes = bytes.data;
        self.count = bytes.bytes;
        if (status == LEAT_OK) status = segment_scan(log, i, &self, give, user, err);
    }
    lt_buffer_deinit(&bytes);
    return status;
}

leat_status lt_record_log_open(lt_record_log *log, const lt_fs *fs, lt_account *account, const char *folder,
                               const char *temporary_folder, uint64_t random, lt_record_give give, void *user,
                               leat_error *err) {
    *log = (lt_record_log){
        .fs = fs, .account = account, .folder = folder, .temporary_folder = temporary_folder, .random = random};
    lt_buffer_init(&log->pending, account, 0);
    leat_status status = lt_fs_list(fs, folder, segment_note, log, err);
    if (status == LEAT_OK) status = segments_scan(log, give, user, err);
    if (status != LEAT_OK) lt_record_log_close(log);
    return status;
}

leat_status lt_record_log_require(const lt_record_log *log, uint64_t known_sequence, leat_error *err) {
    if (log->next_sequence >= known_sequence) return LEAT_OK;
    return raise_damage(log->file_path, log->end_offset, log->next_sequence,
                        "a state file shows that it was durable once", err);
}

// -------------------------------------------------------------------------------------------------------------- append

leat_status lt_record_log_start(lt_record_log *log, leat_error *err) {
    if (log->segment_count == 0) return LEAT_OK;
    LT_TRY(
        lt_file_open(log->fs, log->file_path, LEAT_OPEN_READ | LEAT_OPEN_WRITE | LEAT_OPEN_NO_FOLLOW, &log->file, err));
    if (log->torn_bytes == 0) return LEAT_OK;
    LT_TRY(lt_file_truncate(&log->file, log->end_offset, err));
    return lt_file_sync(&log->file, err);
}

static uint64_t salt_next(lt_record_log *log) {
    log->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t salt = lt_hash64(&log->random, sizeof log->random, SEGMENT_SALT);
    return salt != 0 ? salt : 1;
}

static leat_status room_cut(lt_record_log *log, leat_error *err) {
    if (!log->file.is_open || log->room_end == log->end_offset) return LEAT_OK;
    LT_TRY(lt_file_truncate(&log->file, log->end_offset, err));
    log->room_end = log->end_offset;
    return LEAT_OK;
}

// Zeros behind the record that was just written to the end of the file, durable with it. Without room for room the file
// ends with the record.
static leat_status room_make(lt_record_log *log, uint64_t end_offset, leat_error *err) {
    static const char zeros[16 * 1024];
    uint64_t          room_end = end_offset;
    leat_status       status   = LEAT_OK;
    while (status == LEAT_OK && room_end < end_offset + ROOM_BYTES) {
        status = lt_file_write(&log->file, room_end, zeros, sizeof zeros, NULL);
        room_end += sizeof zeros;
    }
    log->room_end = room_end;
    if (status == LEAT_OK) return LEAT_OK;
    log->room_end = end_offset;
    return lt_file_truncate(&log->file, end_offset, err);
}

leat_status lt_record_log_next_segment(lt_record_log *log, int64_t first_batch_id, int64_t first_state_id,
                                       leat_error *err) {
    lt_assert(log->pending.bytes == 0);
    lt_record_segment segment = {.first_sequence = log->next_sequence,
                                 .salt           = salt_next(log),
                                 .first_batch_id = first_batch_id,
                                 .first_state_id = first_state_id};
    char              payload[128], text[LT_RECORD_LINE_BYTES + 1 + sizeof payload];
    int               bytes =
        snprintf(payload, sizeof payload,
                 "{\"version\":%d,\"salt\":\"%016" PRIx64 "\",\"firstBatch\":%" PRId64 ",\"firstState\":%" PRId64 "}",
                 LT_LOG_VERSION, segment.salt, first_batch_id, first_state_id);
    print_line(text, LT_RECORD_SEGMENT, log->next_sequence, SEGMENT_SALT, payload, (size_t)bytes);
    memcpy(text + LT_RECORD_LINE_BYTES, payload, (size_t)bytes);
    size_t count   = LT_RECORD_LINE_BYTES + (size_t)bytes;
    text[count++]  = '\n';
    log->is_failed = true; // until all is done: a half way change of segments ends the writing
    LT_TRY(room_cut(log, err));
    LT_TRY(lt_file_close(&log->file, err));
    LT_TRY(path_of(log, segment.first_sequence, log->file_path, err));
    LT_TRY(lt_atomic_publish(log->fs, log->temporary_folder, log->file_path, text, count, err));
    LT_TRY(
        lt_file_open(log->fs, log->file_path, LEAT_OPEN_READ | LEAT_OPEN_WRITE | LEAT_OPEN_NO_FOLLOW, &log->file, err));
    LT_TRY(segments_add(log, segment, err));
    log->is_failed  = false;
    log->end_offset = log->synced_offset = log->room_end = count;
    log->next_sequence++;
    return LEAT_OK;
}

leat_status lt_record_log_append(lt_record_log *log, lt_record_kind kind, const void *payload, size_t bytes,
                                 lt_record *out_record, leat_error *err) {
    lt_assert(log->segment_count > 0 && kind != LT_RECORD_SEGMENT);
    if (bytes > kinds[kind].bytes_max)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL,
                        "a record of kind %s has %zu bytes, more than %" PRIu64 "; make batches smaller",
                        kinds[kind].name, bytes, kinds[kind].bytes_max);
    const lt_record_segment *segment = &log->segments[log->segment_count - 1];
    char                     text[LT_RECORD_LINE_BYTES + 1];
    LT_TRY(lt_buffer_reserve(&log->pending, LT_RECORD_LINE_BYTES + bytes + 2, err));
    uint64_t offset = log->end_offset + log->pending.bytes;
    uint64_t hash   = print_line(text, kind, log->next_sequence, segment->salt, payload, bytes);
    // The room is reserved, so that these cannot fail and leave half a record.
    LT_TRY(lt_buffer_append(&log->pending, text, LT_RECORD_LINE_BYTES, err));
    LT_TRY(lt_buffer_append(&log->pending, payload, bytes, err));
    LT_TRY(lt_buffer_append_byte(&log->pending, '\n', err));
    if (out_record != NULL)
        *out_record = (lt_record){.kind     = kind,
                                  .sequence = log->next_sequence,
                                  .bytes    = bytes,
                                  .hash     = hash,
                                  .position = {.segment_sequence = segment->first_sequence, .offset = offset}};
    log->next_sequence++;
    return LEAT_OK;
}

void lt_record_log_rollback(lt_record_log *log) {
    // Sequences go back too: count the lines by walking over the pending bytes.
    const char *text = log->pending.data;
    for (size_t offset = 0; offset < log->pending.bytes; log->next_sequence--) {
        uint64_t bytes = 0;
        (void)parse_digits(text + offset + 35, LENGTH_DIGITS, &bytes);
        offset += LT_RECORD_LINE_BYTES + (size_t)bytes + 1;
    }
    lt_buffer_reset(&log->pending);
}

leat_status lt_record_log_flush(lt_record_log *log, bool sync, leat_error *err) {
    if (log->is_failed)
        return lt_raise(err, LT_IO_ERROR, NULL, "an earlier write to `%s` failed; start the query again",
                        log->file_path);
    uint64_t end_offset = log->end_offset + log->pending.bytes;
    if (log->pending.bytes > 0) {
        leat_status status = lt_file_write(&log->file, log->end_offset, log->pending.data, log->pending.bytes, err);
        bool        is_end = end_offset > log->room_end;
        if (is_end) log->room_end = end_offset;
        if (status == LEAT_OK && is_end && sync) status = room_make(log, end_offset, err);
        if (status != LEAT_OK) {
            // A full disk may have room later: if the half record goes away, the log is as before.
            log->is_failed = lt_file_truncate(&log->file, log->end_offset, NULL) != LEAT_OK;
            log->room_end  = log->end_offset;
            lt_record_log_rollback(log);
            return status;
        }
    }
    if (sync && end_offset > log->synced_offset) {
        leat_status status = lt_file_sync(&log->file, err);
        if (status != LEAT_OK) {
            // A reader would see bytes that a power cut may take back, so they are taken back now. A second sync could
            // succeed without having written them, therefore there is none.
            log->is_failed = true;
            (void)lt_file_truncate(&log->file, log->synced_offset, NULL);
            return status;
        }
    }
    log->end_offset = end_offset;
    if (sync) log->synced_offset = end_offset;
    lt_buffer_reset(&log->pending);
    return LEAT_OK;
}

leat_status lt_record_log_verify_end(lt_record_log *log, leat_error *err) {
    leat_file_info info;
    LT_TRY(lt_file_info(&log->file, &info, err));
    if (info.bytes == log->room_end) return LEAT_OK;
    return lt_raise(err, LT_IO_ERROR, NULL,
                    "`%s` has %" PRIu64 " bytes where this query wrote %" PRIu64 "; somebody else changed it",
                    log->file_path, info.bytes, log->room_end);
}

leat_status lt_record_log_read(lt_record_log *log, lt_record_position position, lt_buffer *out_payload,
                               leat_error *err) {
    char                     text[LT_RECORD_LINE_BYTES], path[LT_PATH_BYTES_MAX];
    const lt_record_segment *segment = NULL;
    for (size_t i = 0; i < log->segment_count; i++)
        if (log->segments[i].first_sequence == position.segment_sequence) segment = &log->segments[i];
    lt_buffer_reset(out_payload);
    if (segment == NULL) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a record of an unknown segment is wanted");
    LT_TRY(path_of(log, segment->first_sequence, path, err));
    lt_file file;
    line    parsed = {0};
    size_t  count  = 0;
    LT_TRY(lt_file_open(log->fs, path, LEAT_OPEN_READ | LEAT_OPEN_NO_FOLLOW, &file, err));
    leat_status status = lt_file_read(&file, position.offset, text, sizeof text, &count, err);
    if (status == LEAT_OK && (count < sizeof text || !parse_line(text, segment->salt, &parsed)))
        status = raise_damage(path, position.offset, 0, "its line does not check any more", err);
    if (status == LEAT_OK) status = lt_buffer_reserve(out_payload, (size_t)parsed.bytes + 1, err);
    if (status == LEAT_OK)
        status = lt_file_read(&file, position.offset + sizeof text, out_payload->data, (size_t)parsed.bytes,
                              &out_payload->bytes, err);
    if (status == LEAT_OK && (out_payload->bytes != parsed.bytes ||
                              payload_hash(text, segment->salt, out_payload->data, out_payload->bytes) != parsed.hash))
        status = raise_damage(path, position.offset, parsed.sequence, "its hash differs from its payload's", err);
    leat_status closed = lt_file_close(&file, err);
    return status != LEAT_OK ? status : closed;
}

leat_status lt_record_log_remove_oldest(lt_record_log *log, leat_error *err) {
    char path[LT_PATH_BYTES_MAX];
    lt_assert(log->segment_count > 1);
    LT_TRY(path_of(log, log->segments[0].first_sequence, path, err));
    LT_TRY(lt_fs_remove(log->fs, path, err));
    log->segment_count--;
    memmove(log->segments, log->segments + 1, log->segment_count * sizeof *log->segments);
    // Durable before the next removal: the other order of two removals would leave a hole.
    return lt_fs_sync_folder(log->fs, log->folder, err);
}

void lt_record_log_close(lt_record_log *log) {
    if (!log->is_failed) (void)room_cut(log, NULL);
    (void)lt_file_close(&log->file, NULL);
    lt_account_reallocate(log->account, log->segments, log->segment_capacity * sizeof *log->segments, 0);
    lt_buffer_deinit(&log->pending);
    log->segments         = NULL;
    log->segment_capacity = log->segment_count = 0;
}
