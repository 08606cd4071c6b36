// line_splitter: memchr for the end of a line; only what is cut at the end of the fed bytes is copied. A separator of
// several bytes may itself be cut, so it is looked for where carry and new bytes meet.
#include "storage/line_splitter.h"

enum { ENDS_BEFORE_SURVEY = 4 };

void lt_line_splitter_init(lt_line_splitter *splitter, lt_account *account, const char *separator) {
    *splitter =
        (lt_line_splitter){.separator = separator, .separator_bytes = separator == NULL ? 0 : strlen(separator)};
    lt_buffer_init(&splitter->carry, account, LT_LINE_BYTES_MAX);
}

void lt_line_splitter_begin(lt_line_splitter *splitter) {
    lt_buffer_reset(&splitter->carry);
    splitter->fed = splitter->next = splitter->end = NULL;
    splitter->is_end = splitter->has_carry_line = splitter->skips_line_feed = splitter->is_start_checked = false;
    splitter->number = splitter->offset = 0;
}

void lt_line_splitter_begin_part(lt_line_splitter *splitter, uint64_t offset) {
    lt_line_splitter_begin(splitter);
    splitter->is_start_checked = true;
    splitter->offset           = offset;
}

void lt_line_splitter_deinit(lt_line_splitter *splitter) { lt_buffer_deinit(&splitter->carry); }

void lt_line_splitter_feed(lt_line_splitter *splitter, const char *bytes, size_t count, bool is_end) {
    lt_assert(splitter->next == splitter->end);
    splitter->fed = splitter->next = bytes;
    splitter->end                  = bytes + count;
    splitter->is_end               = is_end;
    splitter->may_have_returns     = true;
    splitter->ends_found           = 0;
}

static void advance(lt_line_splitter *splitter, size_t bytes) {
    splitter->next += bytes;
    splitter->offset += bytes;
}

// Leaves out a byte order mark; false: its bytes are not all there yet.
static leat_status check_start(lt_line_splitter *splitter, bool *out_is_checked, leat_error *err) {
    static const char mark[3] = {(char)0xEF, (char)0xBB, (char)0xBF};
    while (splitter->carry.bytes < 3 && splitter->next < splitter->end &&
           *splitter->next == mark[splitter->carry.bytes]) {
        LT_TRY(lt_buffer_append_byte(&splitter->carry, *splitter->next, err));
        advance(splitter, 1);
    }
    *out_is_checked = splitter->carry.bytes == 3 || splitter->next < splitter->end || splitter->is_end;
    if (splitter->carry.bytes == 3) lt_buffer_reset(&splitter->carry);
    splitter->is_start_checked = *out_is_checked;
    return LEAT_OK;
}

// Where the line that starts at `next` ends, NULL if not in the fed bytes.
static const char *find_end(lt_line_splitter *splitter) {
    const size_t count = (size_t)(splitter->end - splitter->next);
    if (count == 0) return NULL;
    // A decoder that takes most lines by itself asks for one or two ends only, and shall not pay for a look at all bytes.
    if (splitter->ends_found++ == ENDS_BEFORE_SURVEY)
        splitter->may_have_returns = memchr(splitter->next, '\r', count) != NULL;
    const char *feed = memchr(splitter->next, '\n', count);
    if (!splitter->may_have_returns) return feed;
    const char *back = memchr(splitter->next, '\r', feed == NULL ? count : (size_t)(feed - splitter->next));
    return back == NULL ? feed : back;
}

static leat_status give_line(lt_line_splitter *splitter, const char *end, lt_line *out_line, leat_error *err) {
    const size_t bytes = (size_t)(end - splitter->next);
    *out_line          = (lt_line){.text = splitter->next, .bytes = bytes, .is_fed = splitter->carry.bytes == 0};
    out_line->number   = ++splitter->number;
    out_line->offset   = splitter->offset - splitter->carry.bytes;
    if (splitter->carry.bytes > 0) {
        LT_TRY(lt_buffer_append(&splitter->carry, splitter->next, bytes, err));
        out_line->text           = splitter->carry.data;
        out_line->bytes          = splitter->carry.bytes;
        splitter->has_carry_line = true;
    }
    advance(splitter, bytes);
    return LEAT_OK;
}

static leat_status give_rest(lt_line_splitter *splitter, lt_line *out_line, bool *out_has_line, leat_error *err) {
    const size_t count = (size_t)(splitter->end - splitter->next);
    if (splitter->is_end && splitter->carry.bytes + count > 0) {
        *out_has_line = true;
        return give_line(splitter, splitter->end, out_line, err);
    }
    if (count > 0) LT_TRY(lt_buffer_append(&splitter->carry, splitter->next, count, err));
    advance(splitter, count);
    return LEAT_OK;
}

// A separator of the user's: found in the fed bytes, or across the cut.
static leat_status next_separated(lt_line_splitter *splitter, lt_line *out_line, bool *out_has_line, leat_error *err) {
    const char  *separator = splitter->separator;
    const size_t bytes     = splitter->separator_bytes;
    while (splitter->carry.bytes > 0 && splitter->next < splitter->end) {
        LT_TRY(lt_buffer_append_byte(&splitter->carry, *splitter->next, err));
        advance(splitter, 1);
        if (splitter->carry.bytes < bytes ||
            memcmp(splitter->carry.data + splitter->carry.bytes - bytes, separator, bytes) != 0)
            continue;
        *out_line                = (lt_line){.text   = splitter->carry.data,
                                             .bytes  = splitter->carry.bytes - bytes,
                                             .number = ++splitter->number,
                                             .offset = splitter->offset - splitter->carry.bytes};
        splitter->has_carry_line = *out_has_line = true;
        return LEAT_OK;
    }
    const size_t count = (size_t)(splitter->end - splitter->next);
    const char  *end = splitter->carry.bytes > 0 || count == 0 ? NULL : memmem(splitter->next, count, separator, bytes);
    if (end == NULL) return give_rest(splitter, out_line, out_has_line, err);
    *out_has_line = true;
    LT_TRY(give_line(splitter, end, out_line, err));
    advance(splitter, bytes);
    return LEAT_OK;
}

leat_status lt_line_splitter_next(lt_line_splitter *splitter, lt_line *out_line, bool *out_has_line, leat_error *err) {
    *out_has_line = false;
    if (splitter->has_carry_line) {
        lt_buffer_reset(&splitter->carry);
        splitter->has_carry_line = false;
    }
    if (!splitter->is_start_checked) {
        bool is_checked = false;
        LT_TRY(check_start(splitter, &is_checked, err));
        if (!is_checked) return LEAT_OK;
    }
    if (splitter->separator != NULL) return next_separated(splitter, out_line, out_has_line, err);
    if (splitter->skips_line_feed && splitter->next < splitter->end) {
        splitter->skips_line_feed = false;
        if (*splitter->next == '\n') advance(splitter, 1);
    }
    const char *end = find_end(splitter);
    if (end == NULL) return give_rest(splitter, out_line, out_has_line, err);
    *out_has_line        = true;
    const bool is_return = *end == '\r';
    LT_TRY(give_line(splitter, end, out_line, err));
    advance(splitter, 1);
    if (is_return && splitter->next < splitter->end && *splitter->next == '\n')
        advance(splitter, 1);
    else
        splitter->skips_line_feed = is_return && splitter->next == splitter->end;
    return LEAT_OK;
}
