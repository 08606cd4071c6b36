// Sizes of text and bytes: characters, bytes, bits. Source: Spark SQL 4.
#include "base/function.h"
#include "base/utf8.h"

static leat_status length_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    bool is_text = call->arguments[0]->type->kind == LT_STRING;
    LT_EACH_ROW(call, row) {
        lt_text text                         = lt_arg_text(call, 0, row);
        LT_LANES(call->result, int32_t)[row] = (int32_t)(is_text ? lt_utf8_count(text.data, text.bytes) : text.bytes);
    }
    return LEAT_OK;
}

static leat_status octet_length_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row)
    LT_LANES(call->result, int32_t)[row] = (int32_t)LT_ARG(call, 0, lt_string, row).bytes;
    return LEAT_OK;
}

static leat_status bit_length_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row)
    LT_LANES(call->result, int32_t)[row] = (int32_t)(LT_ARG(call, 0, lt_string, row).bytes * 8);
    return LEAT_OK;
}

#define LENGTH(function, text, sample, answer)                                                                         \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_STRING_OR_BINARY}, .returns = LT_INT, .evaluate = length_evaluate,        \
        .summary = text, .example = sample, .example_result = answer                                                   \
    }

const lt_function lt_functions_text_length[] = {
    LENGTH("length", "Characters of a text, or bytes of a binary.", "SELECT length('abc')", "3"),
    LENGTH("len", "Characters of a text, or bytes of a binary.", "SELECT len('abc')", "3"),
    LENGTH("char_length", "Characters of a text, or bytes of a binary.", "SELECT char_length('abc')", "3"),
    LENGTH("character_length", "Characters of a text, or bytes of a binary.", "SELECT character_length('ab')", "2"),
    {.name           = "octet_length",
     .takes          = {LT_TAKES_STRING_OR_BINARY},
     .returns        = LT_INT,
     .evaluate       = octet_length_evaluate,
     .summary        = "Bytes of a text or binary.",
     .example        = "SELECT octet_length('\\u00e9')",
     .example_result = "2"},
    {.name           = "bit_length",
     .takes          = {LT_TAKES_STRING_OR_BINARY},
     .returns        = LT_INT,
     .evaluate       = bit_length_evaluate,
     .summary        = "Bits of a text or binary.",
     .example        = "SELECT bit_length('abc')",
     .example_result = "24"},
    {0},
};
