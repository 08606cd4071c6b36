// Upper, lower and title case by Unicode's full mappings. Source: Spark SQL 4; SpecialCasing.txt.
#include "base/function.h"
#include "base/utf8.h"

#include <string.h>

typedef leat_status (*case_mapping)(lt_buffer *out, const char *text, size_t bytes, leat_error *err);

enum { WORD_BYTES = 8 };

// Eight bytes, all ASCII, with those of [first, last] in the other case: a byte's high bit says whether it is among them.
static uint64_t word_map(uint64_t word, char first, char last) {
    const uint64_t each = 0x0101010101010101u, high_bits = 0x80 * each;
    const uint64_t from = word + (uint64_t)(0x80 - first) * each, behind = word + (uint64_t)(0x7f - last) * each;
    return word ^ ((from & ~behind & high_bits) >> 2);
}

// The last word overlaps the one before it; it is mapped from the source too.
static void ascii_map(const char *text, size_t bytes, char first, char last, char *out) {
    uint64_t word;
    size_t   at = 0;
    if (bytes < WORD_BYTES) {
        for (; at < bytes; at++) out[at] = (char)(text[at] ^ (text[at] >= first && text[at] <= last ? 32 : 0));
        return;
    }
    for (; at < bytes; at += WORD_BYTES) {
        if (bytes - at < WORD_BYTES) at = bytes - WORD_BYTES;
        memcpy(&word, text + at, WORD_BYTES);
        word = word_map(word, first, last);
        memcpy(out + at, &word, WORD_BYTES);
    }
}

// Text that is all ASCII is mapped in place of its copy, short text within its lane; the rest goes through `mapping`.
static leat_status map_case(lt_call *call, char first, char last, case_mapping mapping, leat_error *err) {
    lt_buffer   buffer;
    leat_status status = LEAT_OK;
    lt_buffer_init(&buffer, call->arena->account, LT_VALUE_BYTES_MAX);
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        char    mapped[LT_STRING_INLINE_MAX], *room = mapped;
        if (lt_utf8_is_ascii(text.data, text.bytes)) {
            if (text.bytes > LT_STRING_INLINE_MAX) status = lt_call_room(call, text.bytes, &room, err);
            if (status != LEAT_OK) break;
            ascii_map(text.data, text.bytes, first, last, room);
            lt_call_put_view(call, row, room, text.bytes);
            continue;
        }
        lt_buffer_reset(&buffer);
        status = mapping(&buffer, text.data, text.bytes, err);
        if (status == LEAT_OK) status = lt_call_put_text(call, row, buffer.data, buffer.bytes, err);
        if (status != LEAT_OK) break;
    }
    lt_buffer_deinit(&buffer);
    return status;
}

static leat_status upper_evaluate(lt_call *call, leat_error *err) {
    return map_case(call, 'a', 'z', lt_utf8_append_upper, err);
}
static leat_status lower_evaluate(lt_call *call, leat_error *err) {
    return map_case(call, 'A', 'Z', lt_utf8_append_lower, err);
}

static leat_status initcap_mapping(lt_buffer *out, const char *text, size_t bytes, leat_error *err) {
    lt_buffer lower;
    lt_buffer_init(&lower, out->account, LT_VALUE_BYTES_MAX);
    leat_status status = lt_utf8_append_lower(&lower, text, bytes, err);
    if (status == LEAT_OK) status = lt_utf8_append_title(out, lower.data, lower.bytes, err);
    lt_buffer_deinit(&lower);
    return status;
}

static leat_status initcap_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row);
    return initcap_mapping(out, text.data, text.bytes, err);
}
static leat_status initcap_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, initcap_write, err);
}

#define CASE(function, run, text, sample, answer)                                                                      \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_STRING}, .returns = LT_STRING, .evaluate = run, .summary = text,          \
        .example = sample, .example_result = answer                                                                    \
    }

const lt_function lt_functions_text_case[] = {
    CASE("upper", upper_evaluate, "Text in upper case.", "SELECT upper('ab')", "AB"),
    CASE("ucase", upper_evaluate, "Text in upper case.", "SELECT ucase('ab')", "AB"),
    CASE("lower", lower_evaluate, "Text in lower case.", "SELECT lower('AB')", "ab"),
    CASE("lcase", lower_evaluate, "Text in lower case.", "SELECT lcase('AB')", "ab"),
    CASE("initcap", initcap_evaluate, "Text with each word, ended by a blank, in title case.",
         "SELECT initcap('hello wORLD')", "Hello World"),
    {0},
};
