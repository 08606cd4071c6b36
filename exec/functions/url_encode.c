// Text as part of a form's data (application/x-www-form-urlencoded) and back. Source: Spark SQL 4; Java's URLEncoder.
#include "base/function.h"
#include "base/utf8.h"

static bool is_kept(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '-' || byte == '_' || byte == '.' || byte == '*';
}

static leat_status url_encode_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    static const char digits[] = "0123456789ABCDEF";
    lt_text           text     = lt_arg_text(call, 0, row);
    for (size_t i = 0; i < text.bytes; i++) {
        if (is_kept(text.data[i]))
            LT_TRY(lt_buffer_append_byte(out, text.data[i], err));
        else if (text.data[i] == ' ')
            LT_TRY(lt_buffer_append_byte(out, '+', err));
        else
            LT_TRY(lt_buffer_append(out, (char[]){'%', digits[(uint8_t)text.data[i] >> 4], digits[text.data[i] & 15]},
                                    3, err));
    }
    return LEAT_OK;
}
static leat_status url_encode_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, url_encode_write, err);
}

static int32_t digit_of(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

static bool decode(lt_text text, char *out, size_t *out_bytes) {
    *out_bytes = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        char byte = text.data[i];
        if (byte == '%') {
            if (text.bytes - i < 3 || digit_of(text.data[i + 1]) < 0 || digit_of(text.data[i + 2]) < 0) return false;
            byte = (char)(digit_of(text.data[i + 1]) * 16 + digit_of(text.data[i + 2]));
            i += 2;
        } else if (byte == '+') {
            byte = ' ';
        }
        out[(*out_bytes)++] = byte;
    }
    return true;
}

static leat_status decode_rows(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        char   *room;
        size_t  bytes;
        LT_TRY(lt_call_room(call, text.bytes, &room, err));
        if (decode(text, room, &bytes))
            lt_call_put_view(call, row, room, bytes);
        else if (is_try)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return lt_call_raise(call, err, LT_CANNOT_DECODE_URL,
                                 "`%.*s` has a %% without two hexadecimal digits; try_url_decode gives NULL instead",
                                 (int)(text.bytes < 80 ? text.bytes : 80), text.data);
    }
    return LEAT_OK;
}
static leat_status url_decode_evaluate(lt_call *call, leat_error *err) { return decode_rows(call, false, err); }
static leat_status try_url_decode_evaluate(lt_call *call, leat_error *err) { return decode_rows(call, true, err); }

const lt_function lt_functions_url_encode[] = {
    {.name           = "url_encode",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = url_encode_evaluate,
     .summary        = "Text as part of the query of a URL.",
     .example        = "SELECT url_encode('a b&c=d')",
     .example_result = "a+b%26c%3Dd"},
    {.name           = "url_decode",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = url_decode_evaluate,
     .summary        = "Text of a part of the query of a URL.",
     .example        = "SELECT url_decode('a+b%26c')",
     .example_result = "a b&c"},
    {.name           = "try_url_decode",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .evaluate       = try_url_decode_evaluate,
     .summary        = "Text of a part of the query of a URL, or NULL.",
     .example        = "SELECT try_url_decode('%zz')",
     .example_result = "NULL"},
    {0},
};
