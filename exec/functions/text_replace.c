// Characters and parts of a text exchanged: replace, translate, reverse, mask. Source: Spark SQL 4.
#include "base/function.h"
#include "base/utf8.h"

static leat_status replace_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row), search = lt_arg_text(call, 1, row);
    lt_text with = call->argument_count > 2 ? lt_arg_text(call, 2, row) : (lt_text){"", 0};
    size_t  from = 0;
    while (search.bytes > 0 && from < text.bytes) {
        const char *found = memmem(text.data + from, text.bytes - from, search.data, search.bytes);
        if (found == NULL) break;
        size_t at = (size_t)(found - text.data);
        LT_TRY(lt_buffer_append(out, text.data + from, at - from, err));
        LT_TRY(lt_buffer_append(out, with.data, with.bytes, err));
        from = at + search.bytes;
    }
    return lt_buffer_append(out, text.data + from, text.bytes - from, err);
}
static leat_status replace_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, replace_write, err);
}

// The first place of a character in `from` decides; characters of `from` without a partner in `into` vanish.
static leat_status translate_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row), from = lt_arg_text(call, 1, row), into = lt_arg_text(call, 2, row);
    for (size_t at = 0; at < text.bytes;) {
        size_t next  = lt_utf8_skip(text.data, text.bytes, at, 1);
        size_t index = 0, from_at = 0;
        for (; from_at < from.bytes; index++) {
            size_t from_next = lt_utf8_skip(from.data, from.bytes, from_at, 1);
            if (from_next - from_at == next - at && memcmp(from.data + from_at, text.data + at, next - at) == 0) break;
            from_at = from_next;
        }
        if (from_at >= from.bytes) {
            LT_TRY(lt_buffer_append(out, text.data + at, next - at, err));
        } else {
            size_t into_at = lt_utf8_skip(into.data, into.bytes, 0, index);
            size_t into_to = lt_utf8_skip(into.data, into.bytes, into_at, 1);
            LT_TRY(lt_buffer_append(out, into.data + into_at, into_to - into_at, err));
        }
        at = next;
    }
    return LEAT_OK;
}
static leat_status translate_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, translate_write, err);
}

static leat_status reverse_evaluate(lt_call *call, leat_error *err) {
    bool is_text = call->arguments[0]->type->kind == LT_STRING;
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        char   *room;
        LT_TRY(lt_call_room(call, text.bytes, &room, err));
        for (size_t at = 0; at < text.bytes;) {
            size_t next = is_text ? lt_utf8_skip(text.data, text.bytes, at, 1) : at + 1;
            memcpy(room + text.bytes - next, text.data + at, next - at);
            at = next;
        }
        lt_call_put_view(call, row, room, text.bytes);
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- mask

// What stands for upper case letters, lower case letters, digits and all others; NULL keeps them.
static const char *const mask_defaults[] = {"X", "x", "n", NULL};

static size_t mask_group(uint32_t character) {
    if (character < 0x80) {
        const uint32_t small = character | 0x20; // a letter's small form
        if (small >= 'a' && small <= 'z') return small == character ? 1 : 0;
        return character >= '0' && character <= '9' ? 2 : 3;
    }
    return lt_utf8_is_upper(character) ? 0 : lt_utf8_is_lower(character) ? 1 : lt_utf8_is_digit(character) ? 2 : 3;
}

static leat_status mask_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    if (lt_arg_is_null(call, 0, row)) return lt_call_put_null(call, row, err);
    lt_text text = lt_arg_text(call, 0, row), masks[4];
    for (uint32_t i = 0; i < 4; i++) {
        const char *usual = mask_defaults[i];
        masks[i]          = (lt_text){usual, usual == NULL ? 0 : 1};
        if (i + 1 < call->argument_count)
            masks[i] = lt_arg_is_null(call, i + 1, row) ? (lt_text){NULL, 0} : lt_arg_text(call, i + 1, row);
        if (masks[i].bytes > 1) masks[i].bytes = lt_utf8_skip(masks[i].data, masks[i].bytes, 0, 1);
    }
    for (size_t at = 0; at < text.bytes;) {
        size_t   from      = at;
        int32_t  decoded   = lt_utf8_decode(text.data, text.bytes, &at);
        uint32_t character = decoded < 0 ? LT_UTF8_REPLACEMENT : (uint32_t)decoded;
        size_t   group     = mask_group(character);
        if (masks[group].data == NULL)
            LT_TRY(lt_buffer_append(out, text.data + from, at - from, err));
        else
            LT_TRY(lt_buffer_append(out, masks[group].data, masks[group].bytes, err));
    }
    return LEAT_OK;
}

static leat_status mask_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (resolution->types[i]->kind != LT_STRING && resolution->types[i]->kind != LT_VOID) return LEAT_DONE;
        resolution->types[i]      = lt_type_of(LT_STRING);
        const lt_vector *constant = i == 0 ? NULL : resolution->constants[i];
        if (constant == NULL || constant->type->kind != LT_STRING || lt_vector_is_null(constant, 0)) continue;
        const lt_string *text = &LT_VALUE(constant, lt_string, 0);
        if (lt_utf8_count(lt_string_data(text), text->bytes) != 1)
            return lt_raise(err, LT_DATATYPE_MISMATCH__INPUT_SIZE_NOT_ONE, &resolution->places[i],
                            "mask puts one character for each of a kind, not `%.*s`", (int)text->bytes,
                            lt_string_data(text));
    }
    resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

static leat_status mask_evaluate(lt_call *call, leat_error *err) { return lt_call_write_rows(call, mask_write, err); }

#define MASK_CHARACTER (LT_TAKES_ANY | LT_TAKES_OPTIONAL)

const lt_function lt_functions_text_replace[] = {
    {.name           = "replace",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = replace_evaluate,
     .display        = "replace($1, $2, )",
     .summary        = "Text with each place of a part replaced, or left out.",
     .example        = "SELECT replace('abcabc', 'b', 'x')",
     .example_result = "axcaxc"},
    {.name     = "replace",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = replace_evaluate},
    {.name           = "translate",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = translate_evaluate,
     .summary        = "Text with each character of the second text exchanged for its partner in the third.",
     .example        = "SELECT translate('abcabc', 'abc', '123')",
     .example_result = "123123"},
    {.name           = "reverse",
     .takes          = {LT_TAKES_STRING_OR_BINARY},
     .returns        = LT_VOID,
     .evaluate       = reverse_evaluate,
     .summary        = "Characters of a text, bytes of a binary, or elements of an array, in reverse order.",
     .example        = "SELECT reverse('abc')",
     .example_result = "cba"},
    {.name           = "mask",
     .takes          = {LT_TAKES_ANY, MASK_CHARACTER, MASK_CHARACTER, MASK_CHARACTER, MASK_CHARACTER},
     .resolve        = mask_resolve,
     .is_null_aware  = true,
     .can_fail       = true,
     .evaluate       = mask_evaluate,
     .display        = "$name($1, $2{X}, $3{x}, $4{n}, $5{NULL})",
     .parameters     = "str, upperChar = 'X', lowerChar = 'x', digitChar = 'n', otherChar = NULL",
     .summary        = "Text with letters, digits and, if asked for, all other characters replaced by one each.",
     .example        = "SELECT mask('AbCd-1234')",
     .example_result = "XxXx-nnnn"},
    {0},
};
