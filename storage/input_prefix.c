// input_prefix: counts lines over the kept bytes from their start after each read: there are few of them.
#include "storage/input_prefix.h"

#include "storage/line_splitter.h"

enum { READ_BYTES = 16 * 1024 };

void lt_input_prefix_init(lt_input_prefix *prefix, lt_account *account, lt_input input, void *user) {
    *prefix = (lt_input_prefix){.input = input, .user = user};
    lt_buffer_init(&prefix->bytes, account, LT_LINE_BYTES_MAX);
}

void lt_input_prefix_deinit(lt_input_prefix *prefix) { lt_buffer_deinit(&prefix->bytes); }

// Counts whole lines behind *at that are not blank, up to `missing`, and moves *at behind them.
static size_t count_lines(const lt_buffer *bytes, size_t *at, size_t missing) {
    size_t count = 0;
    while (count < missing) {
        const char *start = bytes->data + *at;
        const char *end   = bytes->bytes == *at ? NULL : memchr(start, '\n', bytes->bytes - *at);
        if (end == NULL) break;
        bool is_blank = true;
        for (const char *byte = start; byte < end && is_blank; byte++) is_blank = (unsigned char)*byte <= ' ';
        count += !is_blank;
        *at = (size_t)(end - bytes->data) + 1;
    }
    return count;
}

leat_status lt_input_prefix_lines(lt_input_prefix *prefix, size_t line_count, size_t *out_bytes, leat_error *err) {
    size_t at = 0, count = count_lines(&prefix->bytes, &at, line_count);
    while (count < line_count && !prefix->has_ended) {
        size_t got = 0;
        LT_TRY(lt_buffer_reserve(&prefix->bytes, READ_BYTES, err));
        const leat_status status =
            prefix->input(prefix->user, prefix->bytes.data + prefix->bytes.bytes, READ_BYTES, &got);
        if (status != LEAT_OK) return lt_raise(err, LT_IO_ERROR, NULL, "cannot read standard input");
        prefix->has_ended = got == 0;
        prefix->bytes.bytes += got;
        count += count_lines(&prefix->bytes, &at, line_count - count);
    }
    *out_bytes = count < line_count ? prefix->bytes.bytes : at;
    return LEAT_OK;
}

leat_status lt_input_prefix_read(void *user, void *buffer, size_t capacity, size_t *out_count) {
    lt_input_prefix *prefix = user;
    const size_t     left   = prefix->bytes.bytes - prefix->used;
    if (left == 0) {
        *out_count = 0;
        return prefix->has_ended ? LEAT_OK : prefix->input(prefix->user, buffer, capacity, out_count);
    }
    *out_count = left < capacity ? left : capacity;
    memcpy(buffer, prefix->bytes.data + prefix->used, *out_count);
    prefix->used += *out_count;
    return LEAT_OK;
}
