// Single characters, quoting and validity of text. Source: Spark SQL 4.
#include "base/function.h"
#include "base/utf8.h"

static leat_status ascii_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_text text                         = lt_arg_text(call, 0, row);
        size_t  at                           = 0;
        int32_t character                    = text.bytes == 0 ? 0 : lt_utf8_decode(text.data, text.bytes, &at);
        LT_LANES(call->result, int32_t)[row] = character < 0 ? LT_UTF8_REPLACEMENT : character;
    }
    return LEAT_OK;
}

// Only the lowest byte counts; a negative number has no character.
static leat_status chr_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        int64_t number = LT_ARG(call, 0, int64_t, row);
        char    character[LT_STRING_INLINE_MAX];
        size_t  bytes = number < 0 ? 0 : lt_utf8_encode((uint32_t)(number & 0xFF), character);
        lt_call_put_view(call, row, character, bytes);
    }
    return LEAT_OK;
}

static leat_status quote_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row);
    LT_TRY(lt_buffer_append_byte(out, '\'', err));
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.data[i] == '\'') LT_TRY(lt_buffer_append_byte(out, '\\', err));
        LT_TRY(lt_buffer_append_byte(out, text.data[i], err));
    }
    return lt_buffer_append_byte(out, '\'', err);
}
static leat_status quote_evaluate(lt_call *call, leat_error *err) { return lt_call_write_rows(call, quote_write, err); }

static leat_status is_valid_utf8_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_text text                         = lt_arg_text(call, 0, row);
        LT_LANES(call->result, uint8_t)[row] = lt_utf8_is_valid(text.data, text.bytes);
    }
    return LEAT_OK;
}

static leat_status make_valid_utf8_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row);
    return lt_utf8_append_valid(out, text.data, text.bytes, err);
}
static leat_status make_valid_utf8_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, make_valid_utf8_write, err);
}

static leat_status validate_rows(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        if (lt_utf8_is_valid(text.data, text.bytes))
            lt_call_put_view(call, row, text.data, text.bytes);
        else if (is_try)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return lt_call_raise(call, err, LT_INVALID_UTF8_STRING,
                                 "a text of %zu bytes is no UTF-8; try_validate_utf8 gives NULL instead", text.bytes);
    }
    return LEAT_OK;
}
static leat_status validate_utf8_evaluate(lt_call *call, leat_error *err) { return validate_rows(call, false, err); }
static leat_status try_validate_utf8_evaluate(lt_call *call, leat_error *err) { return validate_rows(call, true, err); }

const lt_function lt_functions_text_characters[] = {
    {.name           = "ascii",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_INT,
     .evaluate       = ascii_evaluate,
     .summary        = "Number of the first character; 0 for an empty text.",
     .example        = "SELECT ascii('abc')",
     .example_result = "97"},
    {.name           = "chr",
     .takes          = {LT_TAKES_BIGINT},
     .returns        = LT_STRING,
     .evaluate       = chr_evaluate,
     .summary        = "Character with a number below 256; higher bits do not count.",
     .example        = "SELECT chr(65)",
     .example_result = "A"},
    {.name           = "char",
     .takes          = {LT_TAKES_BIGINT},
     .returns        = LT_STRING,
     .evaluate       = chr_evaluate,
     .summary        = "Character with a number below 256; higher bits do not count.",
     .example        = "SELECT char(65)",
     .example_result = "A"},
    {.name           = "quote",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = quote_evaluate,
     .summary        = "Text in single quotes, those inside escaped.",
     .example        = "SELECT quote('plain')",
     .example_result = "'plain'"},
    {.name           = "is_valid_utf8",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_BOOLEAN,
     .evaluate       = is_valid_utf8_evaluate,
     .summary        = "Whether the bytes of a text are UTF-8.",
     .example        = "SELECT is_valid_utf8('abc')",
     .example_result = "true"},
    {.name           = "make_valid_utf8",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = make_valid_utf8_evaluate,
     .summary        = "Text with what is no UTF-8 replaced by U+FFFD.",
     .example        = "SELECT make_valid_utf8('ok')",
     .example_result = "ok"},
    {.name           = "validate_utf8",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = validate_utf8_evaluate,
     .summary        = "The text if it is UTF-8, else an error.",
     .example        = "SELECT validate_utf8('fine')",
     .example_result = "fine"},
    {.name           = "try_validate_utf8",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .evaluate       = try_validate_utf8_evaluate,
     .summary        = "The text if it is UTF-8, else NULL.",
     .example        = "SELECT try_validate_utf8(CAST(X'ff' AS STRING))",
     .example_result = "NULL"},
    {0},
};
