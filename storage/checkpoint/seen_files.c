#include "storage/checkpoint/seen_files.h"

#include "base/hash.h"

#include <inttypes.h>
#include <string.h>

// Open addressing over indexes into `files`. Forgetting rewrites everything, but only after the horizon has moved by an
// eighth of the maximum age, so that a file is touched about nine times in its life whatever the number of batches.

enum { FILES_MIN = 64, PURGE_STEPS = 8, NUMBER_DIGITS_MAX = 20 };

static const char *key_of(const lt_seen_files *set, const char *path) {
    const char *slash = set->by_name ? strrchr(path, '/') : NULL;
    return slash == NULL ? path : slash + 1;
}

void lt_seen_files_init(lt_seen_files *set, lt_account *account, uint64_t seed) {
    *set = (lt_seen_files){.account         = account,
                           .seed            = seed,
                           .modified_max_us = INT64_MIN,
                           .horizon_us      = INT64_MIN,
                           .purged_us       = INT64_MIN};
    lt_arena_init(&set->paths, account);
}

// The slot of `path`, or the free one where it belongs. There is always a free one.
static size_t slot_find(const lt_seen_files *set, const char *path) {
    const char *key  = key_of(set, path);
    size_t      mask = set->slot_count - 1;
    size_t      slot = (size_t)lt_hash64(key, strlen(key), set->seed) & mask;
    for (; set->slots[slot] != 0; slot = (slot + 1) & mask)
        if (strcmp(key_of(set, set->files[set->slots[slot] - 1].path), key) == 0) break;
    return slot;
}

static void slots_fill(lt_seen_files *set) {
    memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++) {
        size_t slot = slot_find(set, set->files[i].path);
        if (set->slots[slot] == 0) set->slots[slot] = (uint32_t)i + 1;
    }
}

static leat_status capacity_grow(lt_seen_files *set, leat_error *err) {
    // The slots follow the files, so a growth that failed between the two goes on where it stopped.
    size_t capacity = set->slot_count == 0 ? FILES_MIN : set->slot_count;
    if (capacity >= UINT32_MAX / 2)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a source has seen more than %zu files; set maxFileAge",
                        set->count);
    lt_seen_file *files =
        lt_account_reallocate(set->account, set->files, set->capacity * sizeof *files, capacity * sizeof *files);
    if (files == NULL) return lt_raise_no_memory(err);
    set->files      = files;
    set->capacity   = capacity;
    uint32_t *slots = lt_account_reallocate(set->account, NULL, 0, capacity * 2 * sizeof *slots);
    if (slots == NULL) return lt_raise_no_memory(err);
    lt_account_reallocate(set->account, set->slots, set->slot_count * sizeof *slots, 0);
    set->slots      = slots;
    set->slot_count = capacity * 2;
    slots_fill(set);
    return LEAT_OK;
}

static void horizon_move(lt_seen_files *set) {
    if (set->max_age_us <= 0 || set->modified_max_us == INT64_MIN) return;
    int64_t horizon_us;
    if (__builtin_sub_overflow(set->modified_max_us, set->max_age_us, &horizon_us)) return;
    if (horizon_us > set->horizon_us) set->horizon_us = horizon_us;
}

void lt_seen_files_configure(lt_seen_files *set, bool by_name, int64_t max_age_us) {
    set->by_name    = by_name;
    set->max_age_us = max_age_us;
    if (set->count > 0) slots_fill(set);
    horizon_move(set);
}

bool lt_seen_files_contains(const lt_seen_files *set, const char *path) {
    return set->count > 0 && set->slots[slot_find(set, path)] != 0;
}

bool lt_seen_files_is_new(const lt_seen_files *set, const char *path, int64_t modified_us) {
    return modified_us >= set->horizon_us && !lt_seen_files_contains(set, path);
}

leat_status lt_seen_files_add(lt_seen_files *set, const char *path, uint64_t bytes, int64_t modified_us,
                              int64_t batch_id, leat_error *err) {
    lt_assert(set->count == 0 || set->files[set->count - 1].batch_id <= batch_id);
    if (set->count * 2 >= set->slot_count) LT_TRY(capacity_grow(set, err));
    size_t slot = slot_find(set, path);
    if (set->slots[slot] != 0) return LEAT_OK;
    char *copy = lt_arena_text(&set->paths, path, strlen(path));
    if (copy == NULL) return lt_raise_no_memory(err);
    set->files[set->count] =
        (lt_seen_file){.path = copy, .bytes = bytes, .modified_us = modified_us, .batch_id = batch_id};
    set->slots[slot] = (uint32_t)++set->count;
    if (modified_us > set->modified_max_us) set->modified_max_us = modified_us;
    return LEAT_OK;
}

static bool is_kept(const lt_seen_files *set, const lt_seen_file *file, int64_t batch_id) {
    return file->modified_us >= set->horizon_us || file->batch_id >= batch_id;
}

leat_status lt_seen_files_purge(lt_seen_files *set, int64_t batch_id, leat_error *err) {
    horizon_move(set);
    if (set->horizon_us == INT64_MIN) return LEAT_OK;
    if (set->purged_us != INT64_MIN && set->horizon_us - set->purged_us < set->max_age_us / PURGE_STEPS) return LEAT_OK;
    // The kept paths are copied first, which can fail; the pointers follow in the same order, which cannot.
    lt_arena kept;
    size_t   bytes = 0;
    for (size_t i = 0; i < set->count; i++)
        if (is_kept(set, &set->files[i], batch_id)) bytes += strlen(set->files[i].path) + 1;
    lt_arena_init(&kept, set->account);
    char *next = lt_arena_alloc(&kept, bytes);
    if (next == NULL) return lt_raise_no_memory(err);
    size_t count = 0, written_count = 0;
    for (size_t i = 0; i < set->count; i++) {
        lt_seen_file file = set->files[i];
        if (!is_kept(set, &file, batch_id)) continue;
        bytes     = strlen(file.path) + 1;
        file.path = memcpy(next, file.path, bytes);
        next += bytes;
        set->files[count++] = file;
        if (i < set->written_count) written_count = count;
    }
    lt_arena_deinit(&set->paths);
    set->paths         = kept;
    set->count         = count;
    set->written_count = written_count;
    set->purged_us     = set->horizon_us;
    if (set->slot_count > 0) slots_fill(set);
    return LEAT_OK;
}

size_t lt_seen_files_of_batch(const lt_seen_files *set, int64_t batch_id, size_t *out_first) {
    size_t end = set->count;
    while (end > 0 && set->files[end - 1].batch_id > batch_id) end--;
    size_t first = end;
    while (first > 0 && set->files[first - 1].batch_id == batch_id) first--;
    *out_first = first;
    return end - first;
}

leat_status lt_seen_files_encode(const lt_seen_files *set, size_t first, size_t count, lt_buffer *out,
                                 leat_error *err) {
    for (size_t i = first; i < first + count; i++) {
        const lt_seen_file *file = &set->files[i];
        LT_TRY(lt_buffer_format(out, err, "%" PRIu64 " %" PRId64 " %zu %s\n", file->bytes, file->modified_us,
                                strlen(file->path), file->path));
    }
    return LEAT_OK;
}

// Digits with an optional sign and the blank behind them.
static bool read_number(const char **text, const char *end, bool *out_is_negative, uint64_t *out_value) {
    const char *next  = *text;
    uint64_t    value = 0;
    *out_is_negative  = next < end && *next == '-';
    if (*out_is_negative) next++;
    const char *digits = next;
    for (; next < end && *next >= '0' && *next <= '9' && next - digits < NUMBER_DIGITS_MAX; next++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*next - '0'), &value))
            return false;
    if (next == digits || next >= end || *next != ' ') return false;
    *text      = next + 1;
    *out_value = value;
    return true;
}

leat_status lt_seen_files_decode(lt_seen_files *set, const char *text, size_t bytes, int64_t batch_id,
                                 leat_error *err) {
    const char *end = text + bytes;
    lt_buffer   path;
    lt_buffer_init(&path, set->account, 0);
    leat_status status = LEAT_OK;
    while (text < end && status == LEAT_OK) {
        uint64_t file_bytes, modified, path_bytes;
        bool     is_negative, is_before_1970, is_bad;
        is_bad = !read_number(&text, end, &is_negative, &file_bytes) || is_negative ||
                 !read_number(&text, end, &is_before_1970, &modified) || modified > INT64_MAX ||
                 !read_number(&text, end, &is_negative, &path_bytes) || is_negative || path_bytes == 0 ||
                 path_bytes >= (uint64_t)(end - text) || text[path_bytes] != '\n' ||
                 memchr(text, '\0', (size_t)path_bytes) != NULL;
        if (is_bad) {
            status = lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a list of seen files is malformed");
            break;
        }
        lt_buffer_reset(&path);
        status = lt_buffer_append(&path, text, (size_t)path_bytes, err);
        if (status == LEAT_OK)
            status = lt_seen_files_add(set, path.data, file_bytes,
                                       is_before_1970 ? -(int64_t)modified : (int64_t)modified, batch_id, err);
        text += path_bytes + 1;
    }
    lt_buffer_deinit(&path);
    return status;
}

void lt_seen_files_deinit(lt_seen_files *set) {
    lt_arena_deinit(&set->paths);
    lt_account_reallocate(set->account, set->files, set->capacity * sizeof *set->files, 0);
    lt_account_reallocate(set->account, set->slots, set->slot_count * sizeof *set->slots, 0);
    *set = (lt_seen_files){.account = set->account, .seed = set->seed};
}
