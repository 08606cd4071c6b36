// Upper, lower and title case by Unicode's full mappings. Source: Spark SQL 4; SpecialCasing.txt.
#include "base/function.h"
#include "base/utf8.h"

typedef leat_status (*case_mapping)(lt_buffer *out, const char *text, size_t bytes, leat_error *err);

// Text that is all ASCII is mapped in place of its copy; the rest goes through `mapping`.
static leat_status map_case(lt_call *call, char first, char last, case_mapping mapping, leat_error *err) {
    lt_buffer   buffer;
    leat_status status = LEAT_OK;
    lt_buffer_init(&buffer, call->arena->account, LT_VALUE_BYTES_MAX);
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        char   *room;
        if (lt_utf8_is_ascii(text.data, text.bytes)) {
            status = lt_call_room(call, text.bytes, &room, err);
            if (status != LEAT_OK) break;
            for (size_t i = 0; i < text.bytes; i++)
                room[i] = (char)(text.data[i] ^ (text.data[i] >= first && text.data[i] <= last ? 32 : 0));
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
