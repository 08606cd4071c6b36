// Bytes as hexadecimal digits and back, and to_binary over all encodings. Source: Spark SQL 4.
#include "base/ascii.h"
#include "base/function.h"
#include "exec/functions/encoding.h"

leat_status lt_hex_append(lt_buffer *out, lt_text bytes, leat_error *err) {
    static const char digits[] = "0123456789ABCDEF";
    LT_TRY(lt_buffer_reserve(out, bytes.bytes * 2, err));
    for (size_t i = 0; i < bytes.bytes; i++) {
        char pair[2] = {digits[(uint8_t)bytes.data[i] >> 4], digits[(uint8_t)bytes.data[i] & 15]};
        LT_TRY(lt_buffer_append(out, pair, 2, err));
    }
    return LEAT_OK;
}

static int32_t digit_of(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

bool lt_hex_decode(lt_text text, char *out, size_t *out_bytes) {
    size_t  written = 0, odd = text.bytes & 1;
    int32_t high = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        int32_t digit = digit_of(text.data[i]);
        if (digit < 0) return false;
        if (((i + odd) & 1) == 0)
            high = digit;
        else
            out[written++] = (char)(high * 16 + digit);
    }
    *out_bytes = written;
    return true;
}

// Numbers have rows of their own.
static leat_status hex_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    lt_kind kind = resolution->types[0]->kind;
    if (lt_kind_is_numeric(kind) || lt_kind_is_nested(kind)) return LEAT_DONE;
    if (kind != LT_BINARY) resolution->types[0] = lt_type_of(LT_STRING);
    resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

static leat_status hex_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    return lt_hex_append(out, lt_arg_text(call, 0, row), err);
}
static leat_status hex_evaluate(lt_call *call, leat_error *err) { return lt_call_write_rows(call, hex_write, err); }

static leat_status unhex_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        char   *room;
        size_t  bytes;
        LT_TRY(lt_call_room(call, (text.bytes + 1) / 2, &room, err));
        if (lt_hex_decode(text, room, &bytes))
            lt_call_put_view(call, row, room, bytes);
        else
            LT_TRY(lt_call_put_null(call, row, err));
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- to_binary

typedef enum binary_format { BINARY_NONE, BINARY_HEX, BINARY_BASE64, BINARY_UTF8 } binary_format;

static binary_format format_of(lt_text name) {
    static const struct {
        const char   *name;
        binary_format format;
    } rows[] = {{"hex", BINARY_HEX}, {"base64", BINARY_BASE64}, {"utf-8", BINARY_UTF8}, {"utf8", BINARY_UTF8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name.bytes == strlen(rows[i].name) && lt_ascii_compare_bytes(name.data, rows[i].name, name.bytes) == 0)
            return rows[i].format;
    return BINARY_NONE;
}

static leat_status to_binary_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
        resolution->types[i] = lt_type_of(LT_STRING);
    }
    resolution->result = lt_type_of(LT_BINARY);
    if (resolution->argument_count < 2) return LEAT_OK;
    const lt_vector *format = resolution->constants[1];
    if (format == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                        "the format of to_binary must be a constant");
    if (lt_vector_is_null(format, 0)) return LEAT_OK;
    const lt_string *name = &LT_VALUE(format, lt_string, 0);
    if (format->type->kind == LT_STRING && format_of((lt_text){lt_string_data(name), name->bytes}) != BINARY_NONE)
        return LEAT_OK;
    if (strncmp(resolution->function->name, "try_", 4) == 0) return LEAT_OK; // NULL, whatever the text is
    return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ARG_VALUE, &resolution->place,
                    "the format of to_binary is none of hex, base64, utf-8 and utf8");
}

static leat_status to_binary_rows(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text       text   = lt_arg_text(call, 0, row);
        binary_format format = call->argument_count > 1 ? format_of(lt_arg_text(call, 1, row)) : BINARY_HEX;
        if (format == BINARY_NONE) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        if (format == BINARY_UTF8) {
            lt_call_put_view(call, row, text.data, text.bytes);
            continue;
        }
        char  *room;
        size_t bytes;
        LT_TRY(lt_call_room(call, text.bytes + 1, &room, err));
        if (format == BINARY_HEX ? lt_hex_decode(text, room, &bytes) : lt_mime_decode(text, true, room, &bytes))
            lt_call_put_view(call, row, room, bytes);
        else if (is_try)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return lt_call_raise(call, err, LT_CONVERSION_INVALID_INPUT,
                                 "`%.*s` is no %s; try_to_binary gives NULL instead",
                                 (int)(text.bytes < 80 ? text.bytes : 80), text.data,
                                 format == BINARY_HEX ? "hexadecimal number" : "base 64");
    }
    return LEAT_OK;
}
static leat_status to_binary_evaluate(lt_call *call, leat_error *err) { return to_binary_rows(call, false, err); }
static leat_status try_to_binary_evaluate(lt_call *call, leat_error *err) { return to_binary_rows(call, true, err); }

#define TO_BINARY_TAKES                                                                                                \
    { LT_TAKES_STRING, LT_TAKES_STRING | LT_TAKES_OPTIONAL }

const lt_function lt_functions_encoding_hex[] = {
    {.name           = "hex",
     .takes          = {LT_TAKES_ANY},
     .resolve        = hex_resolve,
     .can_fail       = true,
     .evaluate       = hex_evaluate,
     .summary        = "Bytes of a text or binary, or a number, in hexadecimal digits.",
     .example        = "SELECT hex('abc')",
     .example_result = "616263"},
    {.name           = "unhex",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_BINARY,
     .evaluate       = unhex_evaluate,
     .summary        = "Bytes of hexadecimal digits; NULL if there is another character.",
     .example        = "SELECT CAST(unhex('616263') AS STRING)",
     .example_result = "abc"},
    {.name           = "to_binary",
     .takes          = TO_BINARY_TAKES,
     .resolve        = to_binary_resolve,
     .can_fail       = true,
     .evaluate       = to_binary_evaluate,
     .summary        = "Bytes of a text in a format: hex, base64 or utf-8.",
     .example        = "SELECT CAST(to_binary('616263', 'hex') AS STRING)",
     .example_result = "abc"},
    {.name           = "try_to_binary",
     .takes          = TO_BINARY_TAKES,
     .resolve        = to_binary_resolve,
     .evaluate       = try_to_binary_evaluate,
     .summary        = "Bytes of a text in a format: hex, base64 or utf-8; NULL when it is malformed.",
     .example        = "SELECT try_to_binary('zz', 'hex')",
     .example_result = "NULL"},
    {0},
};
