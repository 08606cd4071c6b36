// One pass over the bytes; the only state is which kind of bracket is open at each depth and what may come next.
// Strings without escapes are views of the source. Rules: RFC 8259 with Jackson's optional leniencies.
#include "base/json_reader.h"

#include "base/byte_scan.h"
#include "base/utf8.h"

lt_json_options lt_json_options_default(void) {
    return (lt_json_options){.allow_single_quotes = true, .allow_non_numeric = true};
}

void lt_json_reader_init(lt_json_reader *reader, const lt_json_options *options, lt_account *account) {
    *reader = (lt_json_reader){.options   = options != NULL ? *options : lt_json_options_default(),
                               .depth_max = LT_JSON_DEPTH_MAX};
    lt_buffer_init(&reader->unescaped, account, 0);
}

void lt_json_reader_open(lt_json_reader *reader, const char *text, size_t bytes) {
    reader->next        = text;
    reader->end         = text + bytes;
    reader->token       = LT_JSON_START;
    reader->token_start = reader->token_end = text;
    reader->text                            = NULL;
    reader->text_bytes                      = 0;
    reader->depth                           = 0;
    reader->has_value                       = false;
    reader->problem                         = NULL;
    reader->needs_comma                     = false;
    reader->awaits_value                    = false;
    reader->has_no_memory                   = false;
}

void lt_json_reader_deinit(lt_json_reader *reader) { lt_buffer_deinit(&reader->unescaped); }

static lt_json_token bad(lt_json_reader *reader, const char *problem) {
    reader->problem      = problem;
    return reader->token = LT_JSON_BAD;
}

// Bytes of the UTF-8 character at `text`, 0 when it is malformed.
static size_t utf8_character_bytes(const unsigned char *text, const unsigned char *end) {
    unsigned char first = text[0];
    size_t        left  = (size_t)(end - text);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    size_t count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (left < count) return 0;
    for (size_t i = 1; i < count; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    if (first == 0xE0 && text[1] < 0xA0) return 0;
    if (first == 0xED && text[1] > 0x9F) return 0;
    if (first == 0xF0 && text[1] < 0x90) return 0;
    if (first == 0xF4 && text[1] > 0x8F) return 0;
    return count;
}

bool lt_json_is_utf8(const char *text, size_t bytes) {
    const unsigned char *at = (const unsigned char *)text, *end = at + bytes;
    while (at < end) {
        size_t count = utf8_character_bytes(at, end);
        if (count == 0) return false;
        at += count;
    }
    return true;
}

// Moves over blanks and, where allowed, comments. False: a comment does not end.
static bool skip_blanks(lt_json_reader *reader) {
    for (;;) {
        while (reader->next < reader->end &&
               (*reader->next == ' ' || *reader->next == '\n' || *reader->next == '\t' || *reader->next == '\r'))
            reader->next++;
        if (!reader->options.allow_comments || reader->end - reader->next < 2 || reader->next[0] != '/') return true;
        if (reader->next[1] == '/') {
            while (reader->next < reader->end && *reader->next != '\n' && *reader->next != '\r') reader->next++;
        } else if (reader->next[1] == '*') {
            const char *at = reader->next + 2;
            while (reader->end - at >= 2 && !(at[0] == '*' && at[1] == '/')) at++;
            if (reader->end - at < 2) return false;
            reader->next = at + 2;
        } else {
            return true;
        }
    }
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool read_hex4(const char *at, const char *end, uint32_t *out) {
    if (end - at < 4) return false;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return false;
        value = value * 16 + (uint32_t)digit;
    }
    *out = value;
    return true;
}

// One escape behind a backslash at `at`; appends what it stands for. NULL: bad (or no memory).
static const char *read_escape(lt_json_reader *reader, const char *at) {
    char     text[4];
    size_t   bytes = 1;
    uint32_t code;
    if (at >= reader->end) return NULL;
    switch (*at++) {
    case '"':
        text[0] = '"';
        break;
    case '\\':
        text[0] = '\\';
        break;
    case '/':
        text[0] = '/';
        break;
    case 'b':
        text[0] = '\b';
        break;
    case 'f':
        text[0] = '\f';
        break;
    case 'n':
        text[0] = '\n';
        break;
    case 'r':
        text[0] = '\r';
        break;
    case 't':
        text[0] = '\t';
        break;
    case 'u':
        if (!read_hex4(at, reader->end, &code)) return NULL;
        at += 4;
        if (code >= 0xD800 && code < 0xDC00) {
            uint32_t low;
            if (reader->end - at >= 6 && at[0] == '\\' && at[1] == 'u' && read_hex4(at + 2, reader->end, &low) &&
                low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                at += 6;
            } else {
                code = '?'; // what Java writes for half of a pair
            }
        } else if (code >= 0xDC00 && code < 0xE000) {
            code = '?';
        }
        bytes = lt_utf8_encode(code, text);
        break;
    default:
        if (at[-1] == '\'' && reader->options.allow_single_quotes) {
            text[0] = '\'';
            break;
        }
        if (!reader->options.allow_backslash_any) return NULL;
        text[0] = at[-1];
        break;
    }
    if (lt_buffer_append(&reader->unescaped, text, bytes, NULL) != LEAT_OK) {
        reader->has_no_memory = true;
        return NULL;
    }
    return at;
}

// A string whose opening quote is at .next.
static bool read_string(lt_json_reader *reader) {
    const char  quote = *reader->next;
    const char *start = reader->next + 1, *at = start;
    bool        is_view = true;
    for (;;) {
        const char *run = at;
        if (quote == '"') at = lt_scan_json_text(at, reader->end);
        while (at < reader->end && *at != quote && *at != '\\' && (unsigned char)*at >= 0x20 &&
               (unsigned char)*at < 0x80)
            at++;
        if (!is_view && at > run && lt_buffer_append(&reader->unescaped, run, (size_t)(at - run), NULL) != LEAT_OK)
            return reader->has_no_memory = true, false;
        if (at >= reader->end) return reader->problem = "a string does not end", false;
        if (*at == quote) break;
        if (*at == '\\') {
            if (is_view) {
                is_view = false;
                lt_buffer_reset(&reader->unescaped);
                if (lt_buffer_append(&reader->unescaped, start, (size_t)(at - start), NULL) != LEAT_OK)
                    return reader->has_no_memory = true, false;
            }
            at = read_escape(reader, at + 1);
            if (at == NULL) return reader->problem = "an escape in a string is not one of JSON's", false;
            continue;
        }
        size_t count = 1;
        if ((unsigned char)*at < 0x20) {
            if (!reader->options.allow_control_characters)
                return reader->problem = "a string has a raw control character", false;
        } else {
            count = utf8_character_bytes((const unsigned char *)at, (const unsigned char *)reader->end);
            if (count == 0) return reader->problem = "a string is not UTF-8", false;
        }
        if (!is_view && lt_buffer_append(&reader->unescaped, at, count, NULL) != LEAT_OK)
            return reader->has_no_memory = true, false;
        at += count;
    }
    reader->text       = is_view ? start : reader->unescaped.data;
    reader->text_bytes = is_view ? (size_t)(at - start) : reader->unescaped.bytes;
    reader->next       = at + 1;
    return true;
}

static bool starts_with(const lt_json_reader *reader, const char *word) {
    size_t bytes = strlen(word);
    return (size_t)(reader->end - reader->next) >= bytes && memcmp(reader->next, word, bytes) == 0;
}

static bool is_word_byte(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c >= 0x80;
}

// Takes a bare word if it stands alone.
static bool take_word(lt_json_reader *reader, const char *word) {
    if (!starts_with(reader, word)) return false;
    const char *behind = reader->next + strlen(word);
    if (behind < reader->end && is_word_byte((unsigned char)*behind)) return false;
    reader->next = behind;
    return true;
}

static bool is_digit(const char *at, const char *end) { return at < end && *at >= '0' && *at <= '9'; }

static lt_json_token read_number(lt_json_reader *reader) {
    const char *at         = reader->next + (*reader->next == '-');
    bool        is_integer = true;
    if (!is_digit(at, reader->end)) return bad(reader, "a number has no digits");
    if (*at == '0' && is_digit(at + 1, reader->end) && !reader->options.allow_leading_zeros)
        return bad(reader, "a number begins with zero");
    while (is_digit(at, reader->end)) at++;
    if (at < reader->end && *at == '.') {
        is_integer = false;
        at++;
        if (!is_digit(at, reader->end)) return bad(reader, "a number has no digits behind its point");
        while (is_digit(at, reader->end)) at++;
    }
    if (at < reader->end && (*at == 'e' || *at == 'E')) {
        is_integer = false;
        at++;
        if (at < reader->end && (*at == '+' || *at == '-')) at++;
        if (!is_digit(at, reader->end)) return bad(reader, "a number has no digits in its exponent");
        while (is_digit(at, reader->end)) at++;
    }
    if (at < reader->end && is_word_byte((unsigned char)*at)) return bad(reader, "a number runs into other text");
    reader->text         = reader->next;
    reader->text_bytes   = (size_t)(at - reader->next);
    reader->next         = at;
    return reader->token = is_integer ? LT_JSON_INTEGER : LT_JSON_NUMBER;
}

static lt_json_token read_odd_number(lt_json_reader *reader) {
    static const char *const words[] = {"NaN", "Infinity", "+Infinity", "+INF", "-Infinity", "-INF"};
    if (reader->options.allow_non_numeric) {
        const char *start = reader->next;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (take_word(reader, words[i])) {
                reader->text         = start;
                reader->text_bytes   = (size_t)(reader->next - start);
                return reader->token = LT_JSON_NAN;
            }
    }
    return bad(reader, "a value is not JSON");
}

static lt_json_token open_bracket(lt_json_reader *reader, bool is_object) {
    if (reader->depth >= reader->depth_max) return bad(reader, "too deeply nested");
    uint64_t bit = UINT64_C(1) << (reader->depth & 63);
    if (is_object)
        reader->is_object[reader->depth >> 6] |= bit;
    else
        reader->is_object[reader->depth >> 6] &= ~bit;
    reader->depth++;
    reader->next++;
    reader->needs_comma  = false;
    return reader->token = is_object ? LT_JSON_OBJECT : LT_JSON_ARRAY;
}

static lt_json_token close_bracket(lt_json_reader *reader, bool is_object) {
    reader->depth--;
    reader->next++;
    reader->needs_comma  = true;
    return reader->token = is_object ? LT_JSON_OBJECT_END : LT_JSON_ARRAY_END;
}

static lt_json_token read_value(lt_json_reader *reader) {
    reader->needs_comma  = true;
    reader->awaits_value = false;
    switch (*reader->next) {
    case '{':
        return open_bracket(reader, true);
    case '[':
        return open_bracket(reader, false);
    case '\'':
        if (!reader->options.allow_single_quotes) return bad(reader, "a string in single quotes");
        if (!read_string(reader)) return bad(reader, reader->problem);
        return reader->token = LT_JSON_STRING;
    case '"':
        if (!read_string(reader)) return bad(reader, reader->problem);
        return reader->token = LT_JSON_STRING;
    case 't':
        return take_word(reader, "true") ? (reader->token = LT_JSON_TRUE) : bad(reader, "a value is not JSON");
    case 'f':
        return take_word(reader, "false") ? (reader->token = LT_JSON_FALSE) : bad(reader, "a value is not JSON");
    case 'n':
        return take_word(reader, "null") ? (reader->token = LT_JSON_NULL) : bad(reader, "a value is not JSON");
    case '-':
        return is_digit(reader->next + 1, reader->end) ? read_number(reader) : read_odd_number(reader);
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return read_number(reader);
    default:
        return read_odd_number(reader);
    }
}

static lt_json_token read_name(lt_json_reader *reader) {
    if (*reader->next == '"' || (*reader->next == '\'' && reader->options.allow_single_quotes)) {
        if (!read_string(reader)) return bad(reader, reader->problem);
    } else {
        const char *start = reader->next;
        if (!reader->options.allow_unquoted_names || !is_word_byte((unsigned char)*start))
            return bad(reader, "a name without quotes");
        while (reader->next < reader->end && is_word_byte((unsigned char)*reader->next)) reader->next++;
        reader->text       = start;
        reader->text_bytes = (size_t)(reader->next - start);
    }
    reader->token_end = reader->next;
    if (!skip_blanks(reader) || reader->next >= reader->end || *reader->next != ':')
        return bad(reader, "no colon behind a name");
    reader->next++;
    reader->awaits_value = true;
    return reader->token = LT_JSON_NAME;
}

lt_json_token lt_json_next(lt_json_reader *reader) {
    if (reader->token == LT_JSON_BAD || reader->token == LT_JSON_END) return reader->token;
    if (reader->depth == 0 && reader->token != LT_JSON_START) return reader->token = LT_JSON_END;
    if (!skip_blanks(reader)) return bad(reader, "a comment does not end");
    if (reader->next >= reader->end) {
        if (reader->token == LT_JSON_START) return reader->token = LT_JSON_END;
        return bad(reader, "the text ends inside a value");
    }
    reader->has_value = true;
    bool in_object =
        reader->depth > 0 && ((reader->is_object[(reader->depth - 1) >> 6] >> ((reader->depth - 1) & 63)) & 1) != 0;
    if (reader->depth > 0 && !reader->awaits_value) {
        char closing = in_object ? '}' : ']';
        if (*reader->next == closing &&
            (reader->needs_comma || reader->token == LT_JSON_OBJECT || reader->token == LT_JSON_ARRAY)) {
            reader->token_start = reader->next;
            lt_json_token token = close_bracket(reader, in_object);
            reader->token_end   = reader->next;
            return token;
        }
        if (reader->needs_comma) {
            if (*reader->next != ',') return bad(reader, "no comma between values");
            reader->next++;
            if (!skip_blanks(reader)) return bad(reader, "a comment does not end");
            if (reader->next >= reader->end) return bad(reader, "the text ends inside a value");
        }
    }
    reader->token_start = reader->next;
    if (in_object && !reader->awaits_value) return read_name(reader);
    lt_json_token token = read_value(reader);
    reader->token_end   = reader->next;
    return token;
}

bool lt_json_leave(lt_json_reader *reader, uint32_t depth) {
    while (reader->depth > depth)
        if (lt_json_next(reader) == LT_JSON_BAD) return false;
    return reader->token != LT_JSON_BAD;
}

bool lt_json_skip(lt_json_reader *reader) {
    if (reader->token == LT_JSON_NAME) lt_json_next(reader);
    if (reader->token == LT_JSON_OBJECT || reader->token == LT_JSON_ARRAY)
        return lt_json_leave(reader, reader->depth - 1);
    return reader->token != LT_JSON_BAD;
}
