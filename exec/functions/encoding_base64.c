// Bytes as text in base 64 (MIME: lines of 76 characters) and base 32, and back. Source: RFC 2045, RFC 4648; Spark
// SQL 4, whose decoder skips what is not of the alphabet.
#include "base/function.h"
#include "exec/functions/encoding.h"

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base32_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

enum { LINE_CHARACTERS = 76 };

leat_status lt_mime_append(lt_buffer *out, lt_text bytes, leat_error *err) {
    size_t line = 0;
    LT_TRY(lt_buffer_reserve(out, bytes.bytes / 3 * 4 + 4 + bytes.bytes / 28, err));
    for (size_t i = 0; i < bytes.bytes; i += 3) {
        size_t   count = bytes.bytes - i < 3 ? bytes.bytes - i : 3;
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++) group = group << 8 | (j < count ? (uint8_t)bytes.data[i + j] : 0u);
        if (line == LINE_CHARACTERS) {
            LT_TRY(lt_buffer_append(out, "\r\n", 2, err));
            line = 0;
        }
        for (size_t j = 0; j < 4; j++)
            LT_TRY(lt_buffer_append_byte(out, j <= count ? base64_digits[group >> (18 - 6 * j) & 63] : '=', err));
        line += 4;
    }
    return LEAT_OK;
}

static int32_t digit_of(const char *digits, char character) {
    const char *found = character == '\0' ? NULL : strchr(digits, character);
    return found == NULL ? -1 : (int32_t)(found - digits);
}

bool lt_mime_decode(lt_text text, bool is_strict, char *out, size_t *out_bytes) {
    uint32_t group = 0, digits = 0, padding = 0;
    size_t   written = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        char byte = text.data[i];
        if (byte == '=') {
            padding++;
            if (!is_strict) break;
            continue;
        }
        int32_t digit = digit_of(base64_digits, byte);
        if (digit < 0) {
            if (!is_strict || byte == ' ' || (byte >= '\t' && byte <= '\r')) continue;
            return false;
        }
        if (padding > 0) return false;
        group = group << 6 | (uint32_t)digit;
        if (++digits == 4) {
            for (uint32_t j = 0; j < 3; j++) out[written++] = (char)(group >> (16 - 8 * j));
            group = digits = 0;
        }
    }
    if (digits == 1 || (is_strict && padding > 0 && (digits + padding) % 4 != 0)) return false;
    if (digits == 2) out[written++] = (char)(group >> 4);
    if (digits == 3) {
        out[written++] = (char)(group >> 10);
        out[written++] = (char)(group >> 2);
    }
    *out_bytes = written;
    return true;
}

static leat_status base64_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    return lt_mime_append(out, lt_arg_text(call, 0, row), err);
}
static leat_status base64_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, base64_write, err);
}

static leat_status unbase64_rows(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row);
        char   *room;
        size_t  bytes;
        LT_TRY(lt_call_room(call, text.bytes, &room, err));
        if (lt_mime_decode(text, false, room, &bytes))
            lt_call_put_view(call, row, room, bytes);
        else if (is_try)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return lt_call_raise(call, err, LT_CONVERSION_INVALID_INPUT, "`%.*s` is no base 64",
                                 (int)(text.bytes < 80 ? text.bytes : 80), text.data);
    }
    return LEAT_OK;
}
static leat_status unbase64_evaluate(lt_call *call, leat_error *err) { return unbase64_rows(call, false, err); }

// ------------------------------------------------------------------------------------------------------------ base 32

static leat_status to_base32_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text bytes = lt_arg_text(call, 0, row);
    for (size_t i = 0; i < bytes.bytes; i += 5) {
        size_t   count = bytes.bytes - i < 5 ? bytes.bytes - i : 5;
        uint64_t group = 0;
        for (size_t j = 0; j < 5; j++) group = group << 8 | (j < count ? (uint8_t)bytes.data[i + j] : 0u);
        size_t digits = (count * 8 + 4) / 5;
        for (size_t j = 0; j < 8; j++)
            LT_TRY(lt_buffer_append_byte(out, j < digits ? base32_digits[group >> (35 - 5 * j) & 31] : '=', err));
    }
    return LEAT_OK;
}
static leat_status to_base32_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, to_base32_write, err);
}

// What is no digit does not count, `=` ends the text, and digits that fill no byte are dropped; a single digit gives its
// upper bits, as Java's codec does.
static size_t base32_decode(lt_text text, char *out) {
    uint64_t group = 0;
    uint32_t bits  = 0;
    size_t   bytes = 0, digits = 0;
    for (size_t i = 0; i < text.bytes && text.data[i] != '='; i++) {
        const char    byte  = text.data[i];
        const int32_t digit = digit_of(base32_digits, byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : byte);
        if (digit < 0) continue;
        group = group << 5 | (uint64_t)digit;
        bits += 5;
        digits++;
        if (bits < 8) continue;
        bits -= 8;
        out[bytes++] = (char)(group >> bits);
    }
    if (digits % 8 == 1) out[bytes++] = (char)((group & 31) >> 2);
    return bytes;
}

static leat_status from_base32_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const lt_text text = lt_arg_text(call, 0, row);
        char         *room;
        LT_TRY(lt_call_room(call, text.bytes, &room, err));
        lt_call_put_view(call, row, room, base32_decode(text, room));
    }
    return LEAT_OK;
}

const lt_function lt_functions_encoding_base64[] = {
    {.name           = "base64",
     .takes          = {LT_TAKES_BINARY},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = base64_evaluate,
     .summary        = "Bytes in base 64, in lines of 76 characters.",
     .example        = "SELECT base64('abc')",
     .example_result = "YWJj"},
    {.name           = "unbase64",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_BINARY,
     .can_fail       = true,
     .evaluate       = unbase64_evaluate,
     .summary        = "Bytes of a text in base 64; characters of no digit do not count.",
     .example        = "SELECT CAST(unbase64('YWJj') AS STRING)",
     .example_result = "abc"},
    {.name           = "to_base32",
     .takes          = {LT_TAKES_BINARY},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = to_base32_evaluate,
     .summary        = "Bytes in base 32.",
     .example        = "SELECT to_base32('abc')",
     .example_result = "MFRGG==="},
    {.name           = "from_base32",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_BINARY,
     .can_fail       = true,
     .evaluate       = from_base32_evaluate,
     .summary        = "Bytes of a text in base 32.",
     .example        = "SELECT CAST(from_base32('MFRGG===') AS STRING)",
     .example_result = "abc"},
    {.name           = "try_from_base32",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_BINARY,
     .evaluate       = from_base32_evaluate,
     .summary        = "Bytes of a text in base 32, or NULL.",
     .example        = "SELECT CAST(try_from_base32('MFRGG===') AS STRING)",
     .example_result = "abc"},
    {0},
};
