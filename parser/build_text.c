#include "parser/build_node.h"

#include "base/utf8.h"

#include <string.h>

// String literals: escapes, raw strings, neighbours joined.

// The value of `digits` digits of `base` at `text`, or -1 when one of them is none.
static int64_t escape_code(const char *text, const char *end, size_t digits, uint32_t base) {
    if ((size_t)(end - text) < digits) return -1;
    int64_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        char     c     = text[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 99;
        if (digit >= base) return -1;
        code = code * base + digit;
    }
    return code;
}

// The escape behind a backslash at `*at`; moves behind it. `\%` and `\_` keep the backslash for LIKE, `\x` is x.
static size_t escape_decode(const char **at, const char *end, char *out) {
    static const char letters[] = "nrtb0Z", values[] = "\n\r\t\b\0\x1a";
    const char        c = **at;
    int64_t code = c == 'u' ? escape_code(*at + 1, end, 4, 16) : c == 'U' ? escape_code(*at + 1, end, 8, 16) : -1;
    if (code >= 0 && code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000)) {
        *at += c == 'u' ? 5 : 9;
        return lt_utf8_encode((uint32_t)code, out);
    }
    if (c == 'u' && code >= 0xD800 && code < 0xDC00 && end - *at >= 11 && (*at)[5] == '\\' && (*at)[6] == 'u') {
        int64_t low = escape_code(*at + 7, end, 4, 16);
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 11;
            return lt_utf8_encode((uint32_t)(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), out);
        }
    }
    code = c >= '0' && c <= '3' ? escape_code(*at, end, 3, 8) : -1;
    if (code >= 0) {
        *at += 3;
        return lt_utf8_encode((uint32_t)code, out);
    }
    *at += 1;
    const char *letter = memchr(letters, c, sizeof letters - 1);
    if (letter != NULL) {
        out[0] = values[letter - letters];
        return 1;
    }
    if (c == '%' || c == '_') {
        out[0] = '\\';
        out[1] = c;
        return 2;
    }
    out[0] = c;
    return 1;
}

// Decodes one string token; the value is never longer than its spelling.
lt_ast_text lt_build_decoded_string(lt_builder *b, const lt_token *token) {
    char *out = lt_arena_alloc(b->arena, (size_t)token->bytes + 1);
    if (out == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return (lt_ast_text){"", 0};
    }
    const bool  is_raw = token->text[0] == 'r' || token->text[0] == 'R';
    const char *at     = token->text + (is_raw || token->kind == LT_SCAN_HEX_STRING ? 2 : 1);
    const char *end    = token->text + token->bytes - 1;
    const char  quote  = *end;
    size_t      bytes  = 0;
    while (at < end) {
        if (!is_raw && *at == '\\' && end - at > 1) {
            at++;
            bytes += escape_decode(&at, end, out + bytes);
        } else {
            out[bytes++] = *at;
            at += !is_raw && *at == quote ? 2 : 1;
        }
    }
    out[bytes] = '\0';
    return (lt_ast_text){out, (uint32_t)bytes};
}

lt_string lt_build_no_string(void) { return (lt_string){0}; }

lt_string lt_build_string(lt_builder *b, const lt_string *head, const lt_token *token) {
    lt_ast_text text = lt_build_decoded_string(b, token);
    if (head == NULL) return (lt_string){text, token->place};
    char *joined = lt_arena_alloc(b->arena, (size_t)head->text.bytes + text.bytes + 1);
    if (joined == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return *head;
    }
    memcpy(joined, head->text.text, head->text.bytes);
    memcpy(joined + head->text.bytes, text.text, (size_t)text.bytes + 1);
    return (lt_string){{joined, head->text.bytes + text.bytes}, lt_build_span(&head->place, &token->place)};
}
