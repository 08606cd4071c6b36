// byte_scan: finds the next byte that matters in text, 16 bytes a step.
//
// Ownership  borrows.   Threads  any.   Errors  none.   Cost  a step is a few cycles; reads only [text, end).
#ifndef LT_BASE_BYTE_SCAN_H
#define LT_BASE_BYTE_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The first byte that is `"`, `\`, a control byte below 0x20, or not ASCII; `end` when there is none.
static inline const char *lt_scan_json_text(const char *text, const char *end);

static inline int lt_byte_ends_json_text(char byte) {
    const unsigned char c = (unsigned char)byte;
    return c == '"' || c == '\\' || c < 0x20 || c >= 0x80;
}

#if defined(__SSE2__)
#include <emmintrin.h>

static inline const char *lt_scan_json_text(const char *text, const char *end) {
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), blank = _mm_set1_epi8(0x20);
    for (; end - text >= 16; text += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
        // As signed numbers, control bytes and bytes from 0x80 up are the ones below a blank.
        const __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                          _mm_cmplt_epi8(bytes, blank));
        const int     mask = _mm_movemask_epi8(hits);
        if (mask != 0) return text + __builtin_ctz((unsigned)mask);
    }
    while (text < end && !lt_byte_ends_json_text(*text)) text++;
    return text;
}
#else
static inline const char *lt_scan_json_text(const char *text, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (; end - text >= 8; text += 8) {
        uint64_t bytes;
        memcpy(&bytes, text, sizeof bytes);
        const uint64_t quote = bytes ^ (ones * '"'), backslash = bytes ^ (ones * '\\');
        if ((((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | (bytes - ones * 0x20) | bytes) & highs)
            break;
    }
    while (text < end && !lt_byte_ends_json_text(*text)) text++;
    return text;
}
#endif

#endif
