// Text in other character sets: encode, decode. Source: Spark SQL 4: the sets it allows, malformed text is an error.
#include "base/ascii.h"
#include "base/function.h"
#include "base/utf8.h"
#include "exec/functions/encoding.h"

struct lt_charset {
    const char *name;
    uint8_t     unit_bytes; // 1, 2 or 4
    bool        is_little, has_mark;
    uint32_t    maximum; // of single bytes; 0: UTF-8
};

static const lt_charset charsets[] = {
    {.name = "UTF-8", .unit_bytes = 1},
    {.name = "US-ASCII", .unit_bytes = 1, .maximum = 0x7F},
    {.name = "ISO-8859-1", .unit_bytes = 1, .maximum = 0xFF},
    {.name = "UTF-16", .unit_bytes = 2, .has_mark = true},
    {.name = "UTF-16BE", .unit_bytes = 2},
    {.name = "UTF-16LE", .unit_bytes = 2, .is_little = true},
    {.name = "UTF-32", .unit_bytes = 4},
};

const lt_charset *lt_charset_find(lt_text name) {
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++)
        if (strlen(charsets[i].name) == name.bytes &&
            lt_ascii_compare_bytes(charsets[i].name, name.data, name.bytes) == 0)
            return &charsets[i];
    return NULL;
}

static leat_status append_unit(const lt_charset *charset, lt_buffer *out, uint32_t unit, leat_error *err) {
    for (uint32_t i = 0; i < charset->unit_bytes; i++) {
        uint32_t shift = 8 * (charset->is_little ? i : charset->unit_bytes - 1u - i);
        LT_TRY(lt_buffer_append_byte(out, (char)(unit >> shift), err));
    }
    return LEAT_OK;
}

leat_status lt_charset_encode(const lt_charset *charset, lt_text text, lt_buffer *out, bool *out_fits,
                              leat_error *err) {
    *out_fits = true;
    if (charset->has_mark && text.bytes > 0) LT_TRY(append_unit(charset, out, 0xFEFF, err));
    for (size_t at = 0; at < text.bytes;) {
        int32_t decoded = lt_utf8_decode(text.data, text.bytes, &at);
        // As in Java, whose texts hold this character for what was no UTF-8.
        uint32_t character = decoded < 0 ? LT_UTF8_REPLACEMENT : (uint32_t)decoded;
        if (charset->unit_bytes == 1 && charset->maximum == 0) {
            LT_TRY(lt_utf8_append(out, character, err));
        } else if (charset->unit_bytes == 1 && character > charset->maximum) {
            *out_fits = false;
            return LEAT_OK;
        } else if (charset->unit_bytes == 2 && character > 0xFFFF) {
            LT_TRY(append_unit(charset, out, 0xD800 + ((character - 0x10000) >> 10), err));
            LT_TRY(append_unit(charset, out, 0xDC00 + ((character - 0x10000) & 0x3FF), err));
        } else {
            LT_TRY(append_unit(charset, out, character, err));
        }
    }
    return LEAT_OK;
}

static uint32_t unit_at(lt_text bytes, size_t at, uint32_t unit_bytes, bool is_little) {
    uint32_t unit = 0;
    for (uint32_t i = 0; i < unit_bytes; i++)
        unit = unit << 8 | (uint8_t)bytes.data[at + (is_little ? unit_bytes - 1 - i : i)];
    return unit;
}

leat_status lt_charset_decode(const lt_charset *charset, lt_text bytes, lt_buffer *out, bool *out_fits,
                              leat_error *err) {
    uint32_t width     = charset->unit_bytes;
    bool     is_little = charset->is_little;
    *out_fits          = false;
    if (width == 1 && charset->maximum == 0) {
        if (!lt_utf8_is_valid(bytes.data, bytes.bytes)) return LEAT_OK;
        *out_fits = true;
        return lt_buffer_append(out, bytes.data, bytes.bytes, err);
    }
    if (bytes.bytes % width != 0) return LEAT_OK;
    size_t at = 0;
    if ((charset->has_mark || width == 4) && bytes.bytes >= width) {
        uint32_t mark = width == 2 ? 0xFFFE : 0xFFFE0000, first = unit_at(bytes, 0, width, false);
        is_little = first == mark;
        if (is_little || first == 0xFEFF) at = width;
    }
    for (; at < bytes.bytes; at += width) {
        uint32_t character = unit_at(bytes, at, width, is_little);
        if (width == 1 && character > charset->maximum) return LEAT_OK;
        if (width == 2 && character >= 0xD800 && character < 0xDC00) {
            if (at + 4 > bytes.bytes) return LEAT_OK;
            at += 2;
            uint32_t low = unit_at(bytes, at, width, is_little);
            if (low < 0xDC00 || low > 0xDFFF) return LEAT_OK;
            character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
        } else if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) {
            return LEAT_OK;
        }
        LT_TRY(lt_utf8_append(out, character, err));
    }
    *out_fits = true;
    return LEAT_OK;
}

static leat_status charset_of(lt_call *call, uint32_t row, const lt_charset **out, leat_error *err) {
    lt_text name = lt_arg_text(call, 1, row);
    *out         = lt_charset_find(name);
    if (*out != NULL) return LEAT_OK;
    return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__CHARSET,
                         "`%.*s` is none of UTF-8, UTF-16, UTF-16BE, UTF-16LE, UTF-32, US-ASCII and ISO-8859-1",
                         (int)(name.bytes < 40 ? name.bytes : 40), name.data);
}

static leat_status raise_malformed(lt_call *call, const lt_charset *charset, leat_error *err) {
    return lt_call_raise(call, err, LT_MALFORMED_CHARACTER_CODING, "a character is not part of %s", charset->name);
}

static leat_status encode_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    const lt_charset *charset;
    bool              fits;
    LT_TRY(charset_of(call, row, &charset, err));
    LT_TRY(lt_charset_encode(charset, lt_arg_text(call, 0, row), out, &fits, err));
    return fits ? LEAT_OK : raise_malformed(call, charset, err);
}
static leat_status encode_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, encode_write, err);
}

static leat_status decode_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    const lt_charset *charset;
    bool              fits;
    LT_TRY(charset_of(call, row, &charset, err));
    LT_TRY(lt_charset_decode(charset, lt_arg_text(call, 0, row), out, &fits, err));
    return fits ? LEAT_OK : raise_malformed(call, charset, err);
}
static leat_status decode_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, decode_write, err);
}

const lt_function lt_functions_encoding_charset[] = {
    {.name           = "encode",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns        = LT_BINARY,
     .can_fail       = true,
     .evaluate       = encode_evaluate,
     .summary        = "Bytes of a text in a character set.",
     .example        = "SELECT hex(encode('abc', 'UTF-16BE'))",
     .example_result = "006100620063"},
    {.name           = "decode",
     .takes          = {LT_TAKES_BINARY, LT_TAKES_STRING},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = decode_evaluate,
     .summary        = "Text of bytes in a character set.",
     .example        = "SELECT decode(X'616263', 'UTF-8')",
     .example_result = "abc"},
    {0},
};
