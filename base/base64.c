#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

leat_status lt_base64_encode(const void *bytes, size_t count, lt_buffer *out, leat_error *err) {
    const unsigned char *in = bytes;
    LT_TRY(lt_buffer_reserve(out, (count + 2) / 3 * 4, err));
    for (size_t i = 0; i < count; i += 3) {
        uint32_t group = (uint32_t)in[i] << 16;
        if (i + 1 < count) group |= (uint32_t)in[i + 1] << 8;
        if (i + 2 < count) group |= in[i + 2];
        char text[4] = {digits[group >> 18], digits[(group >> 12) & 63], '=', '='};
        if (i + 1 < count) text[2] = digits[(group >> 6) & 63];
        if (i + 2 < count) text[3] = digits[group & 63];
        LT_TRY(lt_buffer_append(out, text, 4, err));
    }
    return LEAT_OK;
}

static int digit_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

leat_status lt_base64_decode(const char *text, size_t bytes, lt_buffer *out, lt_base64_outcome *outcome,
                             leat_error *err) {
    uint32_t group = 0, have = 0, padding = 0;
    *outcome = LT_BASE64_BAD;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        if ((have == 0 || have + padding == 4) && (unsigned char)c <= ' ') continue;
        if (c == '=') {
            if (have + padding >= 4 || have < 2) return LEAT_OK;
            padding++;
            if (have + padding < 4) continue;
            if (have == 3) {
                LT_TRY(lt_buffer_append_byte(out, (char)(group >> 10), err));
                LT_TRY(lt_buffer_append_byte(out, (char)(group >> 2), err));
            } else {
                LT_TRY(lt_buffer_append_byte(out, (char)(group >> 4), err));
            }
            continue;
        }
        int value = digit_value(c);
        if (value < 0 || padding > 0) {
            if ((unsigned char)c >= 0x80) *outcome = LT_BASE64_FOREIGN;
            return LEAT_OK;
        }
        group = group << 6 | (uint32_t)value;
        if (++have < 4) continue;
        LT_TRY(lt_buffer_append_byte(out, (char)(group >> 16), err));
        LT_TRY(lt_buffer_append_byte(out, (char)(group >> 8), err));
        LT_TRY(lt_buffer_append_byte(out, (char)group, err));
        group = have = 0;
    }
    if (have == 0 || have + padding == 4)
        *outcome = LT_BASE64_GOOD;
    else if (have == 1 || padding > 0)
        *outcome = LT_BASE64_CUT;
    return LEAT_OK;
}
