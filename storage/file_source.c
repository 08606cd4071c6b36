// file_source: a listing is kept sorted and used up batch by batch (maxCachedFiles), so a backlog is listed once. What
// a batch takes is written down in the seen files; the offset itself is only Spark's {"logOffset":n}, which counts the
// batches that took something. Source: Spark SQL 4, FileStreamSource; spark-semantics 3.1.
#include "storage/file_source.h"

#include "base/ascii.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/number_text.h"
#include "storage/file_listing.h"
#include "storage/file_morsel.h"
#include "storage/folder_watch.h"
#include "storage/glob.h"
#include "storage/offset_text.h"

#include <errno.h>
#include <string.h>

#define POLL_DELAY_US INT64_C(10000) // Spark's S.pollingDelay

// A folder is looked at even if no news comes, and listed even if it looks unchanged; a large one more rarely, so that
// listing takes at most a small part of the time.
#define LOOK_US INT64_C(1000000)
#define TRUTH_US INT64_C(60000000)
// A change within this time of a listing may have left the folder's time as it was.
#define SETTLED_US INT64_C(2000000)

typedef enum clean_source { CLEAN_OFF, CLEAN_DELETE, CLEAN_ARCHIVE } clean_source;

typedef struct file_source {
    const lt_source_setup *setup; // borrows
    lt_arena               arena; // path, decoder
    lt_file_pattern        pattern;
    int64_t                files_max, bytes_max; // a trigger's; 0: no limit
    int64_t                cached_max;
    double                 discard_ratio; // fewer cached files than this part of a batch: list again
    bool                   is_latest_first, ignores_missing, ignores_corrupt;
    clean_source           clean;
    const char            *archive_folder;
    lt_seen_files          own_files;
    bool                   has_own_files;
    lt_seen_files         *seen;    // own_files or the checkpoint's
    lt_file_listing        listing; // files[next ..] were found and not taken yet
    size_t                 next;
    bool                   is_held, is_listed;    // listing is final; a listing was made
    bool                   is_list_due;           // listed files were dropped, which no news brings back
    int64_t                listed_us, listing_us; // when the folder was last looked at, and how long listing it took
    int64_t                look_us, truth_us;     // when to look again, and to list again, in steady time
    int64_t                hint_us;               // when the first hint was seen, in now_us time; 0: none
    const char            *folder_path;           // the folder that holds all files, or NULL
    leat_file_info         folder_info;           // of it, from before the last listing
    int64_t                folder_listed_us;      // when that began, in the system's time
    lt_watched_folder      folder;
    int64_t                log_offset; // of the last planned batch that took something; -1: none
    char                   start_text[LT_OFFSET_TEXT_BYTES], end_text[LT_OFFSET_TEXT_BYTES];
    lt_source_range        range; // planned, not yet read
    bool                   has_range;
    size_t                 cleaned; // seen->files[.. cleaned) were handled by cleanSource
    void                  *decoder;
    bool                   is_decoder_open, is_ready;
    lt_file_reader         reader;
} file_source;

const lt_option lt_file_options[] = {
    {.name = "path", .summary = "folder, file or glob"},
    {.name = "maxFilesPerTrigger", .words = "INT", .summary = "files a batch takes at most"},
    {.name = "maxBytesPerTrigger", .words = "INT", .summary = "bytes a batch takes at most; one file always"},
    {.name = "latestFirst", .words = "BOOL", .initial = "false", .summary = "newest files first"},
    {.name    = "maxFileAge",
     .words   = "DURATION",
     .initial = "7d",
     .summary = "files older than the newest one by more than this are not read"},
    {.name = "maxCachedFiles", .words = "INT", .initial = "10000", .summary = "listed files kept for later batches"},
    {.name    = "discardCachedInputRatio",
     .initial = "0.2",
     .summary = "fewer cached files than this part of a batch: list again"},
    {.name = "fileNameOnly", .words = "BOOL", .initial = "false", .summary = "a file counts by its name, not its path"},
    {.name = "cleanSource", .words = "off delete archive", .initial = "off", .summary = "what to do with read files"},
    {.name = "sourceArchiveDir", .summary = "where cleanSource 'archive' moves files"},
    {.name = "pathGlobFilter", .summary = "only files whose name matches this glob"},
    {.name = "recursiveFileLookup", .words = "BOOL", .initial = "false", .summary = "descend into all folders"},
    {.name    = "ignoreMissingFiles",
     .words   = "BOOL",
     .initial = "false",
     .summary = "a planned file that is gone is fine"},
    {.name = "ignoreCorruptFiles", .words = "BOOL", .initial = "false", .summary = "skip what cannot be decompressed"},
    {0},
};

// ------------------------------------------------------------------------------------------------------------- options

static leat_status positive_option(const lt_source_setup *setup, const char *name, int64_t *out, leat_error *err) {
    *out             = 0;
    const char *text = lt_option_text(setup->options, lt_file_options, name);
    if (text == NULL) return LEAT_OK;
    LT_TRY(lt_option_int64(setup->options, lt_file_options, name, out, err));
    if (*out > 0) return LEAT_OK;
    return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "option `%s` is `%s`; it takes a positive integer", name, text);
}

static leat_status pattern_of(const lt_source_setup *setup, lt_arena *arena, lt_file_pattern *out, leat_error *err) {
    const char *path = lt_option_text(setup->options, lt_file_options, "path");
    if (path == NULL || path[0] == '\0')
        return lt_raise(err, LT_MISSING_OPTION, NULL, "connector `files` needs option `path`: a folder, file or glob");
    out->path           = lt_file_pattern_path(arena, path);
    out->name_glob      = lt_option_text(setup->options, lt_file_options, "pathGlobFilter");
    out->is_recursive   = lt_option_is_true(setup->options, lt_file_options, "recursiveFileLookup");
    out->has_partitions = setup->reads_partitions;
    return out->path == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status clean_source_of(const lt_source_setup *setup, clean_source *out, const char **out_folder,
                                   leat_error *err) {
    const char *text = lt_option_text(setup->options, lt_file_options, "cleanSource");
    *out_folder      = lt_option_text(setup->options, lt_file_options, "sourceArchiveDir");
    *out             = CLEAN_OFF;
    if (lt_ascii_compare(text, "off") == 0) return LEAT_OK;
    if (lt_ascii_compare(text, "delete") == 0) return *out = CLEAN_DELETE, LEAT_OK;
    if (lt_ascii_compare(text, "archive") != 0)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL,
                        "option `cleanSource` is `%s`; it takes off, delete or archive", text);
    *out = CLEAN_ARCHIVE;
    if (*out_folder != NULL) return LEAT_OK;
    return lt_raise(err, LT_MISSING_OPTION, NULL, "`cleanSource` `archive` needs option `sourceArchiveDir`");
}

static leat_status options_read(file_source *self, const lt_source_setup *setup, leat_error *err) {
    LT_TRY(pattern_of(setup, &self->arena, &self->pattern, err));
    LT_TRY(positive_option(setup, "maxFilesPerTrigger", &self->files_max, err));
    LT_TRY(positive_option(setup, "maxBytesPerTrigger", &self->bytes_max, err));
    if (self->files_max > 0 && self->bytes_max > 0)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL,
                        "options `maxFilesPerTrigger` and `maxBytesPerTrigger` exclude each other");
    LT_TRY(lt_option_int64(setup->options, lt_file_options, "maxCachedFiles", &self->cached_max, err));
    LT_TRY(clean_source_of(setup, &self->clean, &self->archive_folder, err));
    const char *ratio = lt_option_text(setup->options, lt_file_options, "discardCachedInputRatio");
    if (!lt_double_parse(ratio, strlen(ratio), &self->discard_ratio) ||
        !(self->discard_ratio >= 0 && self->discard_ratio <= 1))
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL,
                        "option `discardCachedInputRatio` is `%s`; it takes a number from 0 to 1", ratio);
    self->is_latest_first = lt_option_is_true(setup->options, lt_file_options, "latestFirst");
    self->ignores_missing = lt_option_is_true(setup->options, lt_file_options, "ignoreMissingFiles");
    self->ignores_corrupt = lt_option_is_true(setup->options, lt_file_options, "ignoreCorruptFiles");
    return LEAT_OK;
}

static leat_status source_check(const lt_source_setup *setup, leat_error *err) {
    file_source self = {0};
    lt_arena_init(&self.arena, setup->target->account);
    leat_status status = options_read(&self, setup, err);
    if (status == LEAT_OK && !lt_glob_is_pattern(self.pattern.path)) {
        leat_file_info info;
        const int      code = lt_fs_info_code(setup->fs, self.pattern.path, &info);
        if (code == ENOENT || code == ENOTDIR)
            status = lt_raise(err, LT_PATH_NOT_FOUND, NULL, "path `%.300s` does not exist", self.pattern.path);
    }
    lt_arena_deinit(&self.arena);
    return status;
}

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status decoder_open(file_source *self, leat_error *err) {
    if (self->is_decoder_open) return LEAT_OK;
    const lt_format *format = self->setup->format;
    self->decoder           = lt_arena_zero(&self->arena, format->decoder_bytes);
    if (self->decoder == NULL) return lt_raise_no_memory(err);
    self->is_decoder_open = true; // close is due even after a failed open
    return format->open(self->decoder, self->setup->options, self->setup->target, err);
}

static leat_status source_open(void *state, const lt_source_setup *setup, leat_error *err) {
    file_source *self    = state;
    lt_account  *account = setup->target->account;
    self->setup          = setup;
    self->log_offset     = -1;
    lt_arena_init(&self->arena, account);
    lt_file_listing_init(&self->listing, account);
    lt_file_reader_init(&self->reader, account);
    lt_watched_folder_init(&self->folder, account);
    self->is_ready = true;
    LT_TRY(options_read(self, setup, err));
    self->folder_path  = setup->is_static ? NULL : lt_file_pattern_folder(&self->arena, &self->pattern);
    int64_t max_age_us = 0;
    LT_TRY(lt_option_duration(setup->options, lt_file_options, "maxFileAge", &max_age_us, err));
    if (self->is_latest_first && (self->files_max > 0 || self->bytes_max > 0)) max_age_us = 0;
    if (setup->is_static) max_age_us = 0;
    self->seen = setup->seen_files;
    if (self->seen == NULL) {
        lt_seen_files_init(&self->own_files, account, setup->random_seed);
        self->has_own_files = true;
        self->seen          = &self->own_files;
    }
    lt_seen_files_configure(self->seen, lt_option_is_true(setup->options, lt_file_options, "fileNameOnly"), max_age_us);
    return decoder_open(self, err);
}

static leat_status source_resume(void *state, int64_t batch_id, const char *end, leat_error *err) {
    file_source *self = state;
    (void)batch_id;
    (void)err;
    self->log_offset = lt_offset_parse("logOffset", end);
    self->cleaned    = self->seen->count; // what was due before the restart is not known; never delete by guess
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- plan

static bool file_is_unseen(void *user, const char *path) { return !lt_seen_files_contains(user, path); }

// What was listed becomes what can be taken: without files that are too old, in order.
static void listing_settle(file_source *self) {
    size_t kept = 0;
    for (size_t i = 0; i < self->listing.count; i++) {
        const lt_listed_file *file = &self->listing.files[i];
        if (lt_seen_files_is_new(self->seen, file->path, file->modified_us)) self->listing.files[kept++] = *file;
    }
    self->listing.count = kept;
    lt_file_listing_sort(&self->listing, 0, self->is_latest_first);
}

static bool folder_stat(const file_source *self, leat_file_info *out_info) {
    const char *path = self->folder_path[0] == '\0' ? "." : self->folder_path;
    return lt_fs_info_code(self->setup->fs, path, out_info) == 0 && out_info->kind == LEAT_FILE_FOLDER;
}

static bool is_same_folder(const leat_file_info *a, const leat_file_info *b) {
    return a->device == b->device && a->inode == b->inode;
}

// Before a listing: from here on changes are told, or seen by the folder's time.
static void folder_follow(file_source *self) {
    leat_file_info info = {0};
    if (self->folder_path == NULL) return;
    const bool is_there    = folder_stat(self, &info);
    self->folder_listed_us = lt_clock_now_us(NULL);
    if (self->setup->watch != NULL) {
        if (!is_there || !is_same_folder(&info, &self->folder_info))
            lt_folder_watch_remove(self->setup->watch, &self->folder);
        if (is_there && self->folder.number < 0)
            (void)lt_folder_watch_add(self->setup->watch, &self->folder,
                                      self->folder_path[0] == '\0' ? "." : self->folder_path);
    }
    self->folder_info = info;
    lt_watched_folder_forget(&self->folder);
    self->hint_us = 0;
}

static leat_status list(file_source *self, leat_error *err) {
    const int64_t begin_us = lt_clock_steady_us(self->setup->clock);
    lt_file_listing_reset(&self->listing);
    self->next = 0;
    folder_follow(self);
    LT_TRY(lt_file_listing_add(&self->listing, self->setup->fs, &self->pattern, file_is_unseen, self->seen, err));
    listing_settle(self);
    const int64_t end_us = lt_clock_steady_us(self->setup->clock);
    self->is_listed      = true;
    self->is_list_due    = false;
    self->listed_us      = lt_clock_now_us(self->setup->clock);
    self->listing_us     = end_us - begin_us;
    self->look_us        = end_us + LOOK_US + self->listing_us * 50;
    self->truth_us       = end_us + (self->folder.number >= 0 ? TRUTH_US : LOOK_US) + self->listing_us * 50;
    if (!self->listing.has_folders) return LEAT_OK;
    if (self->setup->watch != NULL) lt_folder_watch_remove(self->setup->watch, &self->folder);
    self->folder_path = NULL; // files of several folders: only listing finds them all
    return LEAT_OK;
}

// The folder's own time tells that nothing was added since the last listing. Times that do not move are no times.
static bool folder_is_unchanged(const file_source *self) {
    leat_file_info info;
    return self->folder_path != NULL && self->folder_info.modified_us > 0 &&
           self->folder_info.modified_us < self->folder_listed_us - SETTLED_US && folder_stat(self, &info) &&
           is_same_folder(&info, &self->folder_info) && info.modified_us == self->folder_info.modified_us;
}

static leat_status names_take(file_source *self, leat_error *err) {
    lt_file_listing_reset(&self->listing);
    self->next = 0;
    for (size_t at = 0; at < self->folder.names.bytes; at += strlen(self->folder.names.data + at) + 1)
        LT_TRY(lt_file_listing_add_name(&self->listing, self->setup->fs, &self->pattern, self->folder_path,
                                        self->folder.names.data + at, file_is_unseen, self->seen, err));
    lt_buffer_reset(&self->folder.names);
    listing_settle(self);
    lt_file_listing_unique(&self->listing);
    return LEAT_OK;
}

// Finds what is new, by news, by the folder's time or by listing it.
static leat_status look(file_source *self, leat_error *err) {
    if (!self->is_listed || self->is_list_due || self->folder_path == NULL || self->setup->is_static)
        return list(self, err);
    const int64_t steady_us  = lt_clock_steady_us(self->setup->clock);
    const bool    is_watched = self->folder.number >= 0;
    if (self->folder.must_list) return list(self, err);
    if (self->folder.has_hint) {
        const int64_t now_us = lt_clock_now_us(self->setup->clock);
        if (self->hint_us == 0) self->hint_us = now_us;
        if (now_us - self->hint_us >= POLL_DELAY_US || now_us < self->hint_us) return list(self, err);
    }
    if (is_watched && self->folder.names.bytes > 0) {
        LT_TRY(names_take(self, err));
        if (self->listing.count > 0) return LEAT_OK;
    }
    if (is_watched && steady_us < self->look_us) return LEAT_OK;
    if (steady_us >= self->truth_us || !folder_is_unchanged(self)) return list(self, err);
    self->listed_us = lt_clock_now_us(self->setup->clock);
    self->look_us   = steady_us + LOOK_US;
    return LEAT_OK;
}

// How many of the listed files a batch takes.
static size_t count_taken(const file_source *self, uint64_t *out_bytes) {
    const bool has_limits = !self->setup->is_static && !self->setup->takes_all;
    size_t     count      = 0;
    uint64_t   bytes      = 0;
    for (size_t i = self->next; i < self->listing.count; i++) {
        const uint64_t more = self->listing.files[i].bytes;
        if (has_limits && self->files_max > 0 && count == (size_t)self->files_max) break;
        if (has_limits && self->bytes_max > 0 && count > 0 && bytes + more > (uint64_t)self->bytes_max) break;
        count++;
        bytes += more;
    }
    *out_bytes = bytes;
    return count;
}

static void drop_small_rest(file_source *self) {
    const size_t rest = self->listing.count - self->next;
    if (self->is_held || rest == 0) return;
    const bool is_small = self->files_max > 0 && (double)rest < self->discard_ratio * (double)self->files_max;
    self->is_list_due   = true;
    if (self->is_latest_first || is_small)
        self->next = self->listing.count;
    else if (rest > (size_t)(self->cached_max < 0 ? 0 : self->cached_max))
        self->listing.count = self->next + (size_t)(self->cached_max < 0 ? 0 : self->cached_max);
}

static leat_status choose(file_source *self, int64_t batch_id, lt_source_range *range, leat_error *err) {
    if (self->next == self->listing.count && !self->is_held) LT_TRY(look(self, err));
    const size_t count = count_taken(self, &range->bytes);
    for (size_t i = 0; i < count; i++) {
        const lt_listed_file *file = &self->listing.files[self->next + i];
        LT_TRY(lt_seen_files_add(self->seen, file->path, file->bytes, file->modified_us, batch_id, err));
    }
    if (count > 0) LT_TRY(lt_seen_files_purge(self->seen, batch_id, err));
    self->next += count;
    range->files     = count;
    range->has_more  = self->next < self->listing.count;
    range->has_input = count > 0;
    drop_small_rest(self);
    return LEAT_OK;
}

static void recall(file_source *self, int64_t batch_id, lt_source_range *range) {
    size_t first = 0;
    range->files = lt_seen_files_of_batch(self->seen, batch_id, &first);
    for (size_t i = 0; i < range->files; i++) range->bytes += self->seen->files[first + i].bytes;
    range->has_input = true;
}

static leat_status source_plan(void *state, int64_t batch_id, const char *fixed_end, lt_source_range *out_range,
                               leat_error *err) {
    file_source *self = state;
    if (self->has_range && self->range.batch_id == batch_id && fixed_end == NULL) {
        *out_range = self->range;
        return LEAT_OK;
    }
    lt_source_range range = {.batch_id = batch_id};
    const int64_t   fixed = fixed_end == NULL ? -1 : lt_offset_parse("logOffset", fixed_end);
    if (fixed_end == NULL)
        LT_TRY(choose(self, batch_id, &range, err));
    else if (fixed != self->log_offset)
        recall(self, batch_id, &range);
    if (self->log_offset >= 0)
        lt_offset_print("logOffset", self->log_offset, self->start_text), range.start = self->start_text;
    range.end = range.start;
    if (range.has_input) {
        self->log_offset = fixed_end == NULL ? self->log_offset + 1 : fixed;
        lt_offset_print("logOffset", self->log_offset, self->end_text);
        range.end = self->end_text;
    }
    self->range     = range;
    self->has_range = range.has_input;
    *out_range      = range;
    return LEAT_OK;
}

static leat_status source_hold(void *state, leat_error *err) {
    file_source *self = state;
    LT_TRY(list(self, err));
    self->is_held = true;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- read

static leat_status source_read(void *state, const lt_source_range *range, leat_error *err) {
    file_source *self = state;
    self->has_range   = false;
    if (!range->has_input) return LEAT_OK;
    const lt_format *format     = self->setup->format;
    lt_evaluation   *evaluation = self->setup->target->evaluation;
    size_t           first      = 0;
    const size_t     count      = lt_seen_files_of_batch(self->seen, range->batch_id, &first);
    leat_status      status     = LEAT_OK;
    for (size_t i = 0; i < count && status == LEAT_OK; i++) {
        const lt_seen_file *file = &self->seen->files[first + i];
        leat_file_info      info;
        if (self->setup->skips_file != NULL && self->setup->skips_file(self->setup->skips_user, file->path)) continue;
        if (self->ignores_missing && lt_fs_info_code(self->setup->fs, file->path, &info) == ENOENT) continue;
        if (self->setup->wants_file_name && evaluation != NULL) evaluation->file_name = file->path;
        status = lt_file_decode(&self->reader, self->setup, file, self->decoder, self->ignores_corrupt, err);
        if (status == LEAT_OK && self->setup->wants_file_name) status = format->flush(self->decoder, err);
        if (self->setup->wants_file_name && evaluation != NULL) evaluation->file_name = NULL;
    }
    return lt_file_decode_end(format, self->decoder, status, err);
}

static leat_status files_kept(const file_source *self, const lt_seen_file **files, size_t *count, lt_arena *arena,
                              leat_error *err) {
    lt_seen_file *kept;
    size_t        kept_count = 0;
    LT_TRY_NEW_ARRAY(kept, arena, *count + 1u, err);
    for (size_t i = 0; i < *count; i++)
        if (!self->setup->skips_file(self->setup->skips_user, (*files)[i].path)) kept[kept_count++] = (*files)[i];
    *files = kept;
    *count = kept_count;
    return LEAT_OK;
}

static leat_status source_cut(void *state, const lt_source_range *range, uint64_t morsel_bytes, lt_arena *arena,
                              struct lt_file_morsel **out_morsels, size_t *out_count, leat_error *err) {
    file_source *self         = state;
    size_t       first        = 0;
    self->has_range           = false;
    size_t              count = lt_seen_files_of_batch(self->seen, range->batch_id, &first);
    const lt_seen_file *files = self->seen->files + first;
    if (self->setup->skips_file != NULL) LT_TRY(files_kept(self, &files, &count, arena, err));
    return lt_file_morsels_cut(self->setup, files, count, morsel_bytes, arena, out_morsels, out_count, err);
}

static void archive(file_source *self, const char *path) {
    char         into[LT_PATH_BYTES_MAX];
    const size_t folder_bytes = strlen(self->archive_folder), path_bytes = strlen(path);
    if (folder_bytes + path_bytes + 2 > sizeof into) return;
    memcpy(into, self->archive_folder, folder_bytes);
    into[folder_bytes] = '/';
    while (*path == '/') path++;
    memcpy(into + folder_bytes + 1, path, strlen(path) + 1);
    char *slash = strrchr(into, '/');
    *slash      = '\0';
    if (lt_fs_make_folders(self->setup->fs, into, NULL) != LEAT_OK) return;
    *slash = '/';
    (void)lt_fs_rename(self->setup->fs, path, into, NULL); // a failure leaves the file where it is
}

static void source_commit(void *state, int64_t batch_id) {
    file_source *self = state;
    if (self->clean == CLEAN_OFF) return;
    for (; self->cleaned < self->seen->count && self->seen->files[self->cleaned].batch_id <= batch_id;
         self->cleaned++) {
        const char *path = self->seen->files[self->cleaned].path;
        if (self->clean == CLEAN_DELETE)
            (void)lt_fs_remove(self->setup->fs, path, NULL);
        else
            archive(self, path);
    }
}

static lt_source_outlook source_outlook(void *state) {
    file_source *self = state;
    if (self->next < self->listing.count) return (lt_source_outlook){.next_us = INT64_MIN};
    if (self->is_held || (self->setup->is_static && self->is_listed))
        return (lt_source_outlook){.has_ended = true, .next_us = INT64_MAX};
    if (!self->is_listed) return (lt_source_outlook){.next_us = INT64_MIN};
    if (self->folder.number >= 0) {
        if (self->folder.must_list || self->is_list_due || self->folder.names.bytes > 0)
            return (lt_source_outlook){.next_us = INT64_MIN};
        const int64_t now_us   = lt_clock_now_us(self->setup->clock);
        const int64_t first_us = self->hint_us != 0 ? self->hint_us : now_us;
        const int64_t look_us  = now_us + (self->look_us - lt_clock_steady_us(self->setup->clock));
        return (lt_source_outlook){.next_us = self->folder.has_hint ? first_us + POLL_DELAY_US : look_us};
    }
    // A large folder is asked more rarely: listing takes at most a twentieth of the time.
    const int64_t pause_us = self->listing_us * 20 > POLL_DELAY_US ? self->listing_us * 20 : POLL_DELAY_US;
    return (lt_source_outlook){.next_us = self->listed_us + pause_us};
}

static leat_status source_describe(void *state, lt_buffer *out, leat_error *err) {
    file_source *self        = state;
    const char  *folder      = self->setup->fs->folder;
    const bool   is_relative = self->pattern.path[0] != '/' && folder != NULL && folder[0] != '\0';
    return lt_buffer_format(out, err, "FileStreamSource[file:%s%s%s]", is_relative ? folder : "",
                            is_relative ? "/" : "", self->pattern.path);
}

// --------------------------------------------------------------------------------------------------------------- infer

static leat_status infer_file(const lt_source_setup *setup, lt_file_reader *reader, const lt_listed_file *file,
                              lt_buffer *bytes, lt_arena *arena, const lt_type **out_struct, leat_error *err) {
    LT_TRY(lt_file_reader_open(reader, setup->fs, file->path, file->bytes, err));
    lt_buffer_reset(bytes);
    leat_status status = LEAT_OK;
    for (bool is_end = false; status == LEAT_OK && !is_end;) {
        const char *more  = NULL;
        size_t      count = 0;
        status            = lt_file_reader_next(reader, &more, &count, &is_end, err);
        if (status == LEAT_OK) status = lt_buffer_append(bytes, more, count, err);
    }
    lt_file_reader_close(reader);
    return status == LEAT_OK ? setup->format->infer(setup->options, bytes->data, bytes->bytes, arena, out_struct, err)
                             : status;
}

static leat_status source_infer(const lt_source_setup *setup, lt_arena *arena, const lt_type **out_struct,
                                leat_error *err) {
    lt_account     *account = setup->target->account;
    lt_file_pattern pattern;
    lt_file_listing listing;
    lt_file_reader  reader;
    lt_buffer       bytes;
    lt_file_listing_init(&listing, account);
    lt_file_reader_init(&reader, account);
    lt_buffer_init(&bytes, account, 0);
    *out_struct        = NULL;
    leat_status status = pattern_of(setup, arena, &pattern, err);
    if (status == LEAT_OK) status = lt_file_listing_add(&listing, setup->fs, &pattern, NULL, NULL, err);
    lt_file_listing_sort(&listing, 0, false);
    for (size_t i = 0; status == LEAT_OK && i < listing.count; i++)
        status = infer_file(setup, &reader, &listing.files[i], &bytes, arena, out_struct, err);
    if (status == LEAT_OK && *out_struct == NULL)
        status = setup->format->infer(setup->options, "", 0, arena, out_struct, err);
    if (status == LEAT_OK)
        status = lt_inferred_finish_by_options(arena, setup->format, setup->options, *out_struct, out_struct, err);
    lt_buffer_deinit(&bytes);
    lt_file_reader_deinit(&reader);
    lt_file_listing_deinit(&listing);
    return status;
}

leat_status lt_file_fingerprint(const lt_source_setup *setup, uint64_t *out, leat_error *err) {
    lt_arena        arena;
    lt_file_pattern pattern;
    lt_file_listing listing;
    lt_arena_init(&arena, setup->target->account);
    lt_file_listing_init(&listing, setup->target->account);
    *out               = 0;
    leat_status status = pattern_of(setup, &arena, &pattern, err);
    if (status == LEAT_OK) status = lt_file_listing_add(&listing, setup->fs, &pattern, NULL, NULL, err);
    if (status == LEAT_OK) lt_file_listing_sort(&listing, 0, false);
    for (size_t i = 0; status == LEAT_OK && i < listing.count; i++) {
        const lt_listed_file *file    = &listing.files[i];
        const uint64_t        facts[] = {file->bytes, (uint64_t)file->modified_us};
        *out                          = lt_hash64(file->path, strlen(file->path), *out);
        *out                          = lt_hash64(facts, sizeof facts, *out);
    }
    lt_file_listing_deinit(&listing);
    lt_arena_deinit(&arena);
    return status;
}

static void source_close(void *state) {
    file_source *self = state;
    if (!self->is_ready) return;
    if (self->is_decoder_open) self->setup->format->close(self->decoder);
    if (self->setup->watch != NULL) lt_folder_watch_remove(self->setup->watch, &self->folder);
    lt_watched_folder_deinit(&self->folder);
    lt_file_reader_deinit(&self->reader);
    lt_file_listing_deinit(&self->listing);
    if (self->has_own_files) lt_seen_files_deinit(&self->own_files);
    lt_arena_deinit(&self->arena);
    *self = (file_source){0};
}

const lt_source_kind lt_file_source = {
    .state_bytes   = sizeof(file_source),
    .needs_format  = true,
    .is_replayable = true,
    .check         = source_check,
    .infer         = source_infer,
    .open          = source_open,
    .resume        = source_resume,
    .plan          = source_plan,
    .hold          = source_hold,
    .read          = source_read,
    .cut           = source_cut,
    .commit        = source_commit,
    .outlook       = source_outlook,
    .describe      = source_describe,
    .close         = source_close,
};
