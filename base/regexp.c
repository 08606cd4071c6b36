#include "base/regexp.h"

#include "base/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// Machine code costs as much as some dozens of searches.
enum { STEPS_MAX = 10 * 1000 * 1000, HEAP_KIB_MAX = 64 * 1024, BLOCK_HEAD_BYTES = 16, SEARCHES_INTERPRETED = 64 };

// PCRE2 frees without telling the size, so that each block begins with its own.
static void *block_alloc(size_t bytes, void *account) {
    size_t total = bytes + BLOCK_HEAD_BYTES;
    char  *block = total < bytes ? NULL : lt_account_reallocate(account, NULL, 0, total);
    if (block == NULL) return NULL;
    memcpy(block, &total, sizeof total);
    return block + BLOCK_HEAD_BYTES;
}

static void block_free(void *memory, void *account) {
    if (memory == NULL) return;
    char  *block = (char *)memory - BLOCK_HEAD_BYTES;
    size_t total;
    memcpy(&total, block, sizeof total);
    lt_account_reallocate(account, block, total, 0);
}

void lt_regexp_init(lt_regexp *regexp, lt_account *account) {
    *regexp = (lt_regexp){.account = account};
    lt_buffer_init(&regexp->source, account, 0);
    lt_buffer_init(&regexp->translated, account, 0);
}

static void forget(lt_regexp *regexp) {
    pcre2_match_data_free(regexp->match);
    pcre2_code_free(regexp->code);
    regexp->match = regexp->code = NULL;
    regexp->is_compiled = regexp->is_plain = false;
    regexp->group_count = regexp->search_count = 0;
}

void lt_regexp_deinit(lt_regexp *regexp) {
    if (regexp->account == NULL) return;
    forget(regexp);
    pcre2_match_context_free(regexp->context);
    pcre2_general_context_free(regexp->general);
    lt_buffer_deinit(&regexp->source);
    lt_buffer_deinit(&regexp->translated);
    *regexp = (lt_regexp){0};
}

static bool is_plain(const char *pattern, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (strchr("\\[](){}.*+?^$|", pattern[i]) != NULL) return false; // NUL too
    return bytes > 0;
}

static leat_status raise_malformed(lt_regexp *regexp, const char *reason, const lt_place *place, leat_error *err) {
    return lt_raise(err, LT_INVALID_PARAMETER_VALUE__PATTERN, place, "`%.80s` is no regular expression: %s",
                    regexp->source.data == NULL ? "" : regexp->source.data, reason);
}

static leat_status compile_translated(lt_regexp *regexp, const lt_place *place, leat_error *err) {
    if (regexp->general == NULL) {
        regexp->general = pcre2_general_context_create(block_alloc, block_free, regexp->account);
        if (regexp->general == NULL) return lt_raise_no_memory(err);
    }
    if (regexp->context == NULL) {
        regexp->context = pcre2_match_context_create(regexp->general);
        if (regexp->context == NULL) return lt_raise_no_memory(err);
        pcre2_set_match_limit(regexp->context, STEPS_MAX);
        pcre2_set_heap_limit(regexp->context, HEAP_KIB_MAX);
    }
    pcre2_compile_context *options = pcre2_compile_context_create(regexp->general);
    if (options == NULL) return lt_raise_no_memory(err);
    pcre2_set_newline(options, PCRE2_NEWLINE_ANY);
    pcre2_set_bsr(options, PCRE2_BSR_UNICODE);
    int        code;
    PCRE2_SIZE offset;
    regexp->code = pcre2_compile((PCRE2_SPTR)regexp->translated.data, regexp->translated.bytes,
                                 PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &offset, options);
    pcre2_compile_context_free(options);
    if (regexp->code == NULL) {
        if (code == PCRE2_ERROR_NOMEMORY || code == 121) return lt_raise_no_memory(err); // 121: failed to get memory
        char reason[120];
        if (pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason) < 0) reason[0] = '\0';
        return raise_malformed(regexp, reason, place, err);
    }
    regexp->match = pcre2_match_data_create_from_pattern(regexp->code, regexp->general);
    if (regexp->match == NULL) return lt_raise_no_memory(err);
    pcre2_pattern_info(regexp->code, PCRE2_INFO_CAPTURECOUNT, &regexp->group_count);
    return LEAT_OK;
}

leat_status lt_regexp_compile(lt_regexp *regexp, lt_account *account, const char *pattern, size_t bytes,
                              const lt_place *place, leat_error *err) {
    if (regexp->account == NULL) lt_regexp_init(regexp, account);
    if (regexp->is_compiled && regexp->source.bytes == bytes &&
        (bytes == 0 || memcmp(regexp->source.data, pattern, bytes) == 0))
        return LEAT_OK;
    forget(regexp);
    lt_buffer_reset(&regexp->source);
    lt_buffer_reset(&regexp->translated);
    LT_TRY(lt_utf8_append_valid(&regexp->source, pattern, bytes, err));
    // Terminates an empty pattern too.
    LT_TRY(lt_buffer_append(&regexp->source, "", 0, err));
    LT_TRY(lt_buffer_append(&regexp->translated, "", 0, err));
    regexp->is_plain = is_plain(pattern, bytes);
    if (!regexp->is_plain) {
        const char *reason = NULL;
        LT_TRY(lt_regexp_translate(regexp->source.data, regexp->source.bytes, &regexp->translated, &reason, err));
        if (reason != NULL) return raise_malformed(regexp, reason, place, err);
        LT_TRY(compile_translated(regexp, place, err));
    }
    regexp->is_compiled = true;
    return LEAT_OK;
}

// Machine code counts other steps and has a small stack: where it gives up, the interpreter says how the search ends, so
// that limits are the same with it and without.
static int search(lt_regexp *regexp, const char *text, size_t bytes, size_t from) {
    PCRE2_SPTR at = (PCRE2_SPTR)(bytes > 0 ? text : "");
    if (regexp->search_count <= SEARCHES_INTERPRETED && regexp->search_count++ == SEARCHES_INTERPRETED)
        (void)pcre2_jit_compile(regexp->code, PCRE2_JIT_COMPLETE); // without it the interpreter goes on
    const int count = pcre2_match(regexp->code, at, bytes, from, PCRE2_NO_UTF_CHECK, regexp->match, regexp->context);
    if (count >= 0 || count == PCRE2_ERROR_NOMATCH || regexp->search_count <= SEARCHES_INTERPRETED) return count;
    return pcre2_match(regexp->code, at, bytes, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, regexp->match,
                       regexp->context);
}

leat_status lt_regexp_find(lt_regexp *regexp, const char *text, size_t bytes, size_t from, bool *out_found,
                           const lt_place *place, leat_error *err) {
    lt_assert(regexp->is_compiled);
    *out_found = false;
    if (from > bytes) return LEAT_OK;
    if (regexp->is_plain) {
        const char *found = memmem(text + from, bytes - from, regexp->source.data, regexp->source.bytes);
        if (found == NULL) return LEAT_OK;
        regexp->plain_start = (size_t)(found - text);
        regexp->plain_end   = regexp->plain_start + regexp->source.bytes;
        *out_found          = true;
        return LEAT_OK;
    }
    const int count = search(regexp, text, bytes, from);
    if (count == PCRE2_ERROR_NOMATCH) return LEAT_OK;
    if (count == PCRE2_ERROR_NOMEMORY) return lt_raise_no_memory(err);
    if (count < 0)
        return lt_raise(err, LT_LIMIT_EXCEEDED, place,
                        "regular expression `%.80s` needs more than %d steps or %d MiB for a text of %zu bytes",
                        regexp->source.data, STEPS_MAX, HEAP_KIB_MAX / 1024, bytes);
    *out_found = true;
    return LEAT_OK;
}

bool lt_regexp_group(const lt_regexp *regexp, uint32_t group, size_t *out_start, size_t *out_end) {
    lt_assert(group <= regexp->group_count);
    if (regexp->is_plain) {
        *out_start = regexp->plain_start;
        *out_end   = regexp->plain_end;
        return true;
    }
    const PCRE2_SIZE *spans = pcre2_get_ovector_pointer(regexp->match);
    if (spans[2 * group] == PCRE2_UNSET) return false;
    *out_start = spans[2 * group];
    *out_end   = spans[2 * group + 1];
    return true;
}

uint32_t lt_regexp_named_group(const lt_regexp *regexp, const char *name, size_t bytes) {
    char text[64];
    if (regexp->code == NULL || bytes >= sizeof text) return 0;
    memcpy(text, name, bytes);
    text[bytes] = '\0';
    int number  = pcre2_substring_number_from_name(regexp->code, (PCRE2_SPTR)text);
    return number > 0 ? (uint32_t)number : 0;
}

size_t lt_regexp_next(const lt_regexp *regexp, const char *text, size_t bytes) {
    size_t start, end;
    if (!lt_regexp_group(regexp, 0, &start, &end)) return bytes + 1;
    if (end > start) return end;
    return end >= bytes ? bytes + 1 : lt_utf8_skip(text, bytes, end, 1);
}

// Where the next part ends; *out_next: where the one behind it starts. Says whether it is the last.
static leat_status part_end(lt_regexp_parts *parts, size_t *out_end, size_t *out_next, const lt_place *place,
                            leat_error *err) {
    *out_end = *out_next = parts->bytes;
    parts->is_done       = true;
    if (parts->limit > 0 && parts->made + 1 >= parts->limit) return LEAT_OK;
    if (parts->regexp->source.bytes == 0) {
        size_t next = lt_utf8_skip(parts->text, parts->bytes, parts->index, 1);
        *out_end = *out_next = next;
        parts->is_done       = next >= parts->bytes;
        return LEAT_OK;
    }
    for (;;) {
        bool found;
        LT_TRY(lt_regexp_find(parts->regexp, parts->text, parts->bytes, parts->from, &found, place, err));
        size_t start, end;
        if (!found || !lt_regexp_group(parts->regexp, 0, &start, &end)) return LEAT_OK;
        parts->from = lt_regexp_next(parts->regexp, parts->text, parts->bytes);
        if (end == 0) continue;
        *out_end       = start;
        *out_next      = end;
        parts->is_done = false;
        return LEAT_OK;
    }
}

leat_status lt_regexp_parts_next(lt_regexp_parts *parts, const char **out_text, size_t *out_bytes, bool *out_has,
                                 const lt_place *place, leat_error *err) {
    *out_has = !parts->is_done;
    if (parts->is_done) return LEAT_OK;
    size_t end, next;
    LT_TRY(part_end(parts, &end, &next, place, err));
    *out_text    = parts->text + parts->index;
    *out_bytes   = end - parts->index;
    parts->index = next;
    parts->made++;
    return LEAT_OK;
}

leat_status lt_regexp_text(lt_arena *arena, const char **text, size_t *bytes, leat_error *err) {
    if (lt_utf8_is_ascii(*text, *bytes) || lt_utf8_is_valid(*text, *bytes)) return LEAT_OK;
    // A replaced byte grows to three.
    char *copy = lt_arena_alloc(arena, *bytes * 3);
    if (copy == NULL) return lt_raise_no_memory(err);
    size_t written = 0;
    for (size_t at = 0; at < *bytes;) {
        int32_t code_point = lt_utf8_decode(*text, *bytes, &at);
        written += lt_utf8_encode(code_point < 0 ? LT_UTF8_REPLACEMENT : (uint32_t)code_point, copy + written);
    }
    *text  = copy;
    *bytes = written;
    return LEAT_OK;
}
