#include "base/utf8.h"

#include <string.h>

#include <utf8proc.h>

// Characters whose upper or title case is more than one character: SpecialCasing.txt, the unconditional rows.
typedef struct special_case {
    uint16_t code_point;
    uint16_t upper[3], title[3]; // ended by 0
} special_case;

static const special_case special_cases[] = {
    {0x00df, {0x53, 0x53, 0}, {0x53, 0x73, 0}},
    {0x0149, {0x2bc, 0x4e, 0}, {0x2bc, 0x4e, 0}},
    {0x01f0, {0x4a, 0x30c, 0}, {0x4a, 0x30c, 0}},
    {0x0390, {0x399, 0x308, 0x301}, {0x399, 0x308, 0x301}},
    {0x03b0, {0x3a5, 0x308, 0x301}, {0x3a5, 0x308, 0x301}},
    {0x0587, {0x535, 0x552, 0}, {0x535, 0x582, 0}},
    {0x1e96, {0x48, 0x331, 0}, {0x48, 0x331, 0}},
    {0x1e97, {0x54, 0x308, 0}, {0x54, 0x308, 0}},
    {0x1e98, {0x57, 0x30a, 0}, {0x57, 0x30a, 0}},
    {0x1e99, {0x59, 0x30a, 0}, {0x59, 0x30a, 0}},
    {0x1e9a, {0x41, 0x2be, 0}, {0x41, 0x2be, 0}},
    {0x1f50, {0x3a5, 0x313, 0}, {0x3a5, 0x313, 0}},
    {0x1f52, {0x3a5, 0x313, 0x300}, {0x3a5, 0x313, 0x300}},
    {0x1f54, {0x3a5, 0x313, 0x301}, {0x3a5, 0x313, 0x301}},
    {0x1f56, {0x3a5, 0x313, 0x342}, {0x3a5, 0x313, 0x342}},
    {0x1f80, {0x1f08, 0x399, 0}, {0x1f88, 0, 0}},
    {0x1f81, {0x1f09, 0x399, 0}, {0x1f89, 0, 0}},
    {0x1f82, {0x1f0a, 0x399, 0}, {0x1f8a, 0, 0}},
    {0x1f83, {0x1f0b, 0x399, 0}, {0x1f8b, 0, 0}},
    {0x1f84, {0x1f0c, 0x399, 0}, {0x1f8c, 0, 0}},
    {0x1f85, {0x1f0d, 0x399, 0}, {0x1f8d, 0, 0}},
    {0x1f86, {0x1f0e, 0x399, 0}, {0x1f8e, 0, 0}},
    {0x1f87, {0x1f0f, 0x399, 0}, {0x1f8f, 0, 0}},
    {0x1f88, {0x1f08, 0x399, 0}, {0x1f88, 0, 0}},
    {0x1f89, {0x1f09, 0x399, 0}, {0x1f89, 0, 0}},
    {0x1f8a, {0x1f0a, 0x399, 0}, {0x1f8a, 0, 0}},
    {0x1f8b, {0x1f0b, 0x399, 0}, {0x1f8b, 0, 0}},
    {0x1f8c, {0x1f0c, 0x399, 0}, {0x1f8c, 0, 0}},
    {0x1f8d, {0x1f0d, 0x399, 0}, {0x1f8d, 0, 0}},
    {0x1f8e, {0x1f0e, 0x399, 0}, {0x1f8e, 0, 0}},
    {0x1f8f, {0x1f0f, 0x399, 0}, {0x1f8f, 0, 0}},
    {0x1f90, {0x1f28, 0x399, 0}, {0x1f98, 0, 0}},
    {0x1f91, {0x1f29, 0x399, 0}, {0x1f99, 0, 0}},
    {0x1f92, {0x1f2a, 0x399, 0}, {0x1f9a, 0, 0}},
    {0x1f93, {0x1f2b, 0x399, 0}, {0x1f9b, 0, 0}},
    {0x1f94, {0x1f2c, 0x399, 0}, {0x1f9c, 0, 0}},
    {0x1f95, {0x1f2d, 0x399, 0}, {0x1f9d, 0, 0}},
    {0x1f96, {0x1f2e, 0x399, 0}, {0x1f9e, 0, 0}},
    {0x1f97, {0x1f2f, 0x399, 0}, {0x1f9f, 0, 0}},
    {0x1f98, {0x1f28, 0x399, 0}, {0x1f98, 0, 0}},
    {0x1f99, {0x1f29, 0x399, 0}, {0x1f99, 0, 0}},
    {0x1f9a, {0x1f2a, 0x399, 0}, {0x1f9a, 0, 0}},
    {0x1f9b, {0x1f2b, 0x399, 0}, {0x1f9b, 0, 0}},
    {0x1f9c, {0x1f2c, 0x399, 0}, {0x1f9c, 0, 0}},
    {0x1f9d, {0x1f2d, 0x399, 0}, {0x1f9d, 0, 0}},
    {0x1f9e, {0x1f2e, 0x399, 0}, {0x1f9e, 0, 0}},
    {0x1f9f, {0x1f2f, 0x399, 0}, {0x1f9f, 0, 0}},
    {0x1fa0, {0x1f68, 0x399, 0}, {0x1fa8, 0, 0}},
    {0x1fa1, {0x1f69, 0x399, 0}, {0x1fa9, 0, 0}},
    {0x1fa2, {0x1f6a, 0x399, 0}, {0x1faa, 0, 0}},
    {0x1fa3, {0x1f6b, 0x399, 0}, {0x1fab, 0, 0}},
    {0x1fa4, {0x1f6c, 0x399, 0}, {0x1fac, 0, 0}},
    {0x1fa5, {0x1f6d, 0x399, 0}, {0x1fad, 0, 0}},
    {0x1fa6, {0x1f6e, 0x399, 0}, {0x1fae, 0, 0}},
    {0x1fa7, {0x1f6f, 0x399, 0}, {0x1faf, 0, 0}},
    {0x1fa8, {0x1f68, 0x399, 0}, {0x1fa8, 0, 0}},
    {0x1fa9, {0x1f69, 0x399, 0}, {0x1fa9, 0, 0}},
    {0x1faa, {0x1f6a, 0x399, 0}, {0x1faa, 0, 0}},
    {0x1fab, {0x1f6b, 0x399, 0}, {0x1fab, 0, 0}},
    {0x1fac, {0x1f6c, 0x399, 0}, {0x1fac, 0, 0}},
    {0x1fad, {0x1f6d, 0x399, 0}, {0x1fad, 0, 0}},
    {0x1fae, {0x1f6e, 0x399, 0}, {0x1fae, 0, 0}},
    {0x1faf, {0x1f6f, 0x399, 0}, {0x1faf, 0, 0}},
    {0x1fb2, {0x1fba, 0x399, 0}, {0x1fba, 0x345, 0}},
    {0x1fb3, {0x391, 0x399, 0}, {0x1fbc, 0, 0}},
    {0x1fb4, {0x386, 0x399, 0}, {0x386, 0x345, 0}},
    {0x1fb6, {0x391, 0x342, 0}, {0x391, 0x342, 0}},
    {0x1fb7, {0x391, 0x342, 0x399}, {0x391, 0x342, 0x345}},
    {0x1fbc, {0x391, 0x399, 0}, {0x1fbc, 0, 0}},
    {0x1fc2, {0x1fca, 0x399, 0}, {0x1fca, 0x345, 0}},
    {0x1fc3, {0x397, 0x399, 0}, {0x1fcc, 0, 0}},
    {0x1fc4, {0x389, 0x399, 0}, {0x389, 0x345, 0}},
    {0x1fc6, {0x397, 0x342, 0}, {0x397, 0x342, 0}},
    {0x1fc7, {0x397, 0x342, 0x399}, {0x397, 0x342, 0x345}},
    {0x1fcc, {0x397, 0x399, 0}, {0x1fcc, 0, 0}},
    {0x1fd2, {0x399, 0x308, 0x300}, {0x399, 0x308, 0x300}},
    {0x1fd3, {0x399, 0x308, 0x301}, {0x399, 0x308, 0x301}},
    {0x1fd6, {0x399, 0x342, 0}, {0x399, 0x342, 0}},
    {0x1fd7, {0x399, 0x308, 0x342}, {0x399, 0x308, 0x342}},
    {0x1fe2, {0x3a5, 0x308, 0x300}, {0x3a5, 0x308, 0x300}},
    {0x1fe3, {0x3a5, 0x308, 0x301}, {0x3a5, 0x308, 0x301}},
    {0x1fe4, {0x3a1, 0x313, 0}, {0x3a1, 0x313, 0}},
    {0x1fe6, {0x3a5, 0x342, 0}, {0x3a5, 0x342, 0}},
    {0x1fe7, {0x3a5, 0x308, 0x342}, {0x3a5, 0x308, 0x342}},
    {0x1ff2, {0x1ffa, 0x399, 0}, {0x1ffa, 0x345, 0}},
    {0x1ff3, {0x3a9, 0x399, 0}, {0x1ffc, 0, 0}},
    {0x1ff4, {0x38f, 0x399, 0}, {0x38f, 0x345, 0}},
    {0x1ff6, {0x3a9, 0x342, 0}, {0x3a9, 0x342, 0}},
    {0x1ff7, {0x3a9, 0x342, 0x399}, {0x3a9, 0x342, 0x345}},
    {0x1ffc, {0x3a9, 0x399, 0}, {0x1ffc, 0, 0}},
    {0xfb00, {0x46, 0x46, 0}, {0x46, 0x66, 0}},
    {0xfb01, {0x46, 0x49, 0}, {0x46, 0x69, 0}},
    {0xfb02, {0x46, 0x4c, 0}, {0x46, 0x6c, 0}},
    {0xfb03, {0x46, 0x46, 0x49}, {0x46, 0x66, 0x69}},
    {0xfb04, {0x46, 0x46, 0x4c}, {0x46, 0x66, 0x6c}},
    {0xfb05, {0x53, 0x54, 0}, {0x53, 0x74, 0}},
    {0xfb06, {0x53, 0x54, 0}, {0x53, 0x74, 0}},
    {0xfb13, {0x544, 0x546, 0}, {0x544, 0x576, 0}},
    {0xfb14, {0x544, 0x535, 0}, {0x544, 0x565, 0}},
    {0xfb15, {0x544, 0x53b, 0}, {0x544, 0x56b, 0}},
    {0xfb16, {0x54e, 0x546, 0}, {0x54e, 0x576, 0}},
    {0xfb17, {0x544, 0x53d, 0}, {0x544, 0x56d, 0}},
};

static const special_case *special_case_find(uint32_t code_point) {
    size_t low = 0, high = sizeof special_cases / sizeof *special_cases;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (special_cases[middle].code_point < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof special_cases / sizeof *special_cases && special_cases[low].code_point == code_point
               ? &special_cases[low]
               : NULL;
}

size_t lt_utf8_count(const char *text, size_t bytes) {
    const uint64_t ones  = UINT64_C(0x0101010101010101);
    size_t         count = bytes, at = 0;
    // Continuation bytes are 10xxxxxx: eight at a time, their bits added up by a product.
    for (; bytes - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, 8);
        count -= (((word >> 7) & ~(word >> 6) & ones) * ones) >> 56;
    }
    for (; at < bytes; at++) count -= lt_utf8_is_continuation(text[at]);
    return count;
}

size_t lt_utf8_skip(const char *text, size_t bytes, size_t from, size_t characters) {
    size_t at = from;
    while (at < bytes && characters > 0) {
        at++;
        while (at < bytes && lt_utf8_is_continuation(text[at])) at++;
        characters--;
    }
    return at;
}

size_t lt_utf8_before(const char *text, size_t end) {
    while (end > 0) {
        end--;
        if (!lt_utf8_is_continuation(text[end])) break;
    }
    return end;
}

// Bytes of the valid sequence at `text`, or 0; *out_bad: bytes of the maximal prefix of one, at least 1.
static size_t sequence_bytes(const unsigned char *text, size_t bytes, size_t *out_bad) {
    *out_bad = 1;
    if (text[0] < 0x80) return 1;
    if (text[0] < 0xC2 || text[0] > 0xF4) return 0;
    size_t        want = text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    unsigned char low  = text[0] == 0xE0 ? 0xA0 : text[0] == 0xF0 ? 0x90 : 0x80; // no overlong forms
    unsigned char high = text[0] == 0xED ? 0x9F : text[0] == 0xF4 ? 0x8F : 0xBF; // no surrogates, none beyond 10FFFF
    for (size_t i = 1; i < want; i++) {
        if (i >= bytes || text[i] < low || text[i] > high) return 0;
        low      = 0x80;
        high     = 0xBF;
        *out_bad = i + 1;
    }
    return want;
}

int32_t lt_utf8_decode(const char *text, size_t bytes, size_t *at) {
    const unsigned char *byte = (const unsigned char *)text + *at;
    size_t               bad;
    size_t               count = sequence_bytes(byte, bytes - *at, &bad);
    *at += count > 0 ? count : bad;
    switch (count) {
    case 1:
        return byte[0];
    case 2:
        return (int32_t)((byte[0] & 0x1Fu) << 6 | (byte[1] & 0x3Fu));
    case 3:
        return (int32_t)((byte[0] & 0x0Fu) << 12 | (byte[1] & 0x3Fu) << 6 | (byte[2] & 0x3Fu));
    case 4:
        return (int32_t)((byte[0] & 0x07u) << 18 | (byte[1] & 0x3Fu) << 12 | (byte[2] & 0x3Fu) << 6 |
                         (byte[3] & 0x3Fu));
    default:
        return -1;
    }
}

size_t lt_utf8_encode(uint32_t code_point, char out[LT_UTF8_BYTES_MAX]) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xC0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xE0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code_point & 0x3F));
    return 4;
}

static uint64_t word_at(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

// By words; the last one may overlap the one before it.
bool lt_utf8_is_ascii(const char *text, size_t bytes) {
    const uint64_t high_bits = 0x8080808080808080u;
    uint64_t       all       = 0;
    size_t         at        = 0;
    if (bytes < sizeof all) {
        for (; at < bytes; at++) all |= (unsigned char)text[at];
        return all < 0x80;
    }
    for (; bytes - at >= 4 * sizeof all; at += 4 * sizeof all)
        all |= word_at(text + at) | word_at(text + at + 8) | word_at(text + at + 16) | word_at(text + at + 24);
    for (; bytes - at >= sizeof all; at += sizeof all) all |= word_at(text + at);
    return ((all | word_at(text + bytes - sizeof all)) & high_bits) == 0;
}

// Eight bytes at a time while all of them are ASCII.
bool lt_utf8_is_valid(const char *text, size_t bytes) {
    size_t bad;
    for (size_t i = 0; i < bytes;) {
        uint64_t word;
        if (bytes - i >= sizeof word) {
            memcpy(&word, text + i, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                i += sizeof word;
                continue;
            }
        }
        size_t count = sequence_bytes((const unsigned char *)text + i, bytes - i, &bad);
        if (count == 0) return false;
        i += count;
    }
    return true;
}

leat_status lt_utf8_append(lt_buffer *out, uint32_t code_point, leat_error *err) {
    char   bytes[LT_UTF8_BYTES_MAX];
    size_t count = lt_utf8_encode(code_point, bytes);
    return lt_buffer_append(out, bytes, count, err);
}

leat_status lt_utf8_append_valid(lt_buffer *out, const char *text, size_t bytes, leat_error *err) {
    for (size_t at = 0; at < bytes;) {
        size_t  from       = at;
        int32_t code_point = lt_utf8_decode(text, bytes, &at);
        if (code_point < 0)
            LT_TRY(lt_utf8_append(out, LT_UTF8_REPLACEMENT, err));
        else
            LT_TRY(lt_buffer_append(out, text + from, at - from, err));
    }
    return LEAT_OK;
}

static utf8proc_category_t category(uint32_t code_point) {
    return code_point <= 0x10FFFF ? utf8proc_category((utf8proc_int32_t)code_point) : UTF8PROC_CATEGORY_CN;
}

bool lt_utf8_is_letter(uint32_t code_point) {
    utf8proc_category_t kind = category(code_point);
    return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}
bool lt_utf8_is_upper(uint32_t code_point) { return category(code_point) == UTF8PROC_CATEGORY_LU; }
bool lt_utf8_is_lower(uint32_t code_point) { return category(code_point) == UTF8PROC_CATEGORY_LL; }
bool lt_utf8_is_digit(uint32_t code_point) { return category(code_point) == UTF8PROC_CATEGORY_ND; }

static bool is_cased(uint32_t code_point) {
    utf8proc_category_t kind = category(code_point);
    return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT;
}

static bool is_case_ignorable(uint32_t code_point) {
    utf8proc_category_t kind = category(code_point);
    return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME || kind == UTF8PROC_CATEGORY_CF ||
           kind == UTF8PROC_CATEGORY_LM || kind == UTF8PROC_CATEGORY_SK || code_point == '\'' || code_point == '.' ||
           code_point == ':' || code_point == 0xB7 || code_point == 0x2019;
}

// Whether the sigma in text[from, to) ends a word: a cased letter before it and none behind it.
static bool sigma_is_final(const char *text, size_t bytes, size_t from, size_t to) {
    bool is_after_letter = false;
    for (size_t at = from; at > 0;) {
        size_t  before = lt_utf8_before(text, at), next = before;
        int32_t code_point = lt_utf8_decode(text, bytes, &next);
        at                 = before;
        if (code_point >= 0 && is_case_ignorable((uint32_t)code_point)) continue;
        is_after_letter = code_point >= 0 && is_cased((uint32_t)code_point);
        break;
    }
    if (!is_after_letter) return false;
    for (size_t at = to; at < bytes;) {
        int32_t code_point = lt_utf8_decode(text, bytes, &at);
        if (code_point >= 0 && is_case_ignorable((uint32_t)code_point)) continue;
        return code_point < 0 || !is_cased((uint32_t)code_point);
    }
    return true;
}

static leat_status append_sequence(lt_buffer *out, const uint16_t sequence[3], leat_error *err) {
    for (size_t i = 0; i < 3 && sequence[i] != 0; i++) LT_TRY(lt_utf8_append(out, sequence[i], err));
    return LEAT_OK;
}

// Appends the run of ASCII at *at with letters first..last in the other case, and moves behind it.
static leat_status append_ascii(lt_buffer *out, const char *text, size_t bytes, size_t *at, char first, char last,
                                leat_error *err) {
    size_t end = *at, start = out->bytes;
    while (end < bytes && (unsigned char)text[end] < 0x80) end++;
    LT_TRY(lt_buffer_append(out, text + *at, end - *at, err));
    for (size_t i = start; i < out->bytes; i++)
        if (out->data[i] >= first && out->data[i] <= last) out->data[i] ^= 32;
    *at = end;
    return LEAT_OK;
}

leat_status lt_utf8_append_upper(lt_buffer *out, const char *text, size_t bytes, leat_error *err) {
    LT_TRY(lt_buffer_reserve(out, bytes, err));
    for (size_t at = 0; at < bytes;) {
        if ((unsigned char)text[at] < 0x80) {
            LT_TRY(append_ascii(out, text, bytes, &at, 'a', 'z', err));
            continue;
        }
        int32_t code_point = lt_utf8_decode(text, bytes, &at);
        if (code_point < 0) code_point = LT_UTF8_REPLACEMENT;
        const special_case *special = special_case_find((uint32_t)code_point);
        if (special != NULL)
            LT_TRY(append_sequence(out, special->upper, err));
        else
            LT_TRY(lt_utf8_append(out, (uint32_t)utf8proc_toupper(code_point), err));
    }
    return LEAT_OK;
}

leat_status lt_utf8_append_lower(lt_buffer *out, const char *text, size_t bytes, leat_error *err) {
    LT_TRY(lt_buffer_reserve(out, bytes, err));
    for (size_t at = 0; at < bytes;) {
        if ((unsigned char)text[at] < 0x80) {
            LT_TRY(append_ascii(out, text, bytes, &at, 'A', 'Z', err));
            continue;
        }
        size_t  from       = at;
        int32_t code_point = lt_utf8_decode(text, bytes, &at);
        if (code_point < 0) code_point = LT_UTF8_REPLACEMENT;
        if (code_point == 0x130)
            LT_TRY(lt_buffer_append_text(out, "i\xCC\x87", err));
        else if (code_point == 0x3A3)
            LT_TRY(lt_utf8_append(out, sigma_is_final(text, bytes, from, at) ? 0x3C2 : 0x3C3, err));
        else
            LT_TRY(lt_utf8_append(out, (uint32_t)utf8proc_tolower(code_point), err));
    }
    return LEAT_OK;
}

leat_status lt_utf8_append_title(lt_buffer *out, const char *text, size_t bytes, leat_error *err) {
    bool is_first = true;
    for (size_t at = 0; at < bytes;) {
        size_t  from       = at;
        int32_t code_point = lt_utf8_decode(text, bytes, &at);
        if (code_point < 0) code_point = LT_UTF8_REPLACEMENT;
        const special_case *special = is_first ? special_case_find((uint32_t)code_point) : NULL;
        if (special != NULL)
            LT_TRY(append_sequence(out, special->title, err));
        else if (is_first)
            LT_TRY(lt_utf8_append(out, (uint32_t)utf8proc_totitle(code_point), err));
        else
            LT_TRY(lt_buffer_append(out, text + from, at - from, err));
        is_first = code_point == ' ';
    }
    return LEAT_OK;
}
