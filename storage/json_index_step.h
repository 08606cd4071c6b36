// json_index_step: what the kernels of json_index share, in plain C.
#ifndef LT_STORAGE_JSON_INDEX_STEP_H
#define LT_STORAGE_JSON_INDEX_STEP_H

#include "storage/json_index.h"

#include <string.h>

enum { LT_JSON_STEP_BEFORE = 3 }; // bytes before a step that tell which characters it begins within

// Bit i is set when byte i of the 64 is that byte. careful: not zero when one is a backslash, >= 0x80, or a control
// byte but \n.
typedef struct lt_json_step {
    uint64_t ends; // quotes and \n
    uint64_t backslashes, careful;
} lt_json_step;

// Bits behind an odd run of backslashes; *carry: the byte behind the step is one of them.
// Source: Langdale and Lemire, "Parsing gigabytes of JSON per second" (2019), in the later form of simdjson.
static inline uint64_t lt_json_step_escaped(uint64_t backslashes, uint64_t *carry) {
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA);
    if (backslashes == 0) {
        const uint64_t escaped = *carry;
        *carry                 = 0;
        return escaped;
    }
    const uint64_t starts   = backslashes & ~*carry;
    const uint64_t terminal = (((starts << 1) | odd) - starts) ^ odd;
    const uint64_t escaped  = terminal ^ (backslashes | *carry);
    *carry                  = (terminal & backslashes) >> 63;
    return escaped;
}

// A call on x86-64 without its instruction for it.
static inline int lt_json_step_count(uint64_t bits) {
#if defined(__x86_64__) && !defined(__POPCNT__)
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (int)(((bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
#else
    return __builtin_popcountll(bits);
#endif
}

// Stores the places of the set bits, eight at a time; gives the end.
static inline uint16_t *lt_json_step_store(uint16_t *out, uint64_t bits, uint32_t base) {
    const int count = lt_json_step_count(bits);
    for (int done = 0; done < count; done += 8)
        for (int i = 0; i < 8; i++) {
            // Behind the last bit anything may be stored; the bit below keeps ctz defined.
            out[done + i] = (uint16_t)(base + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63));
            bits &= bits - 1;
        }
    return out + count;
}

// The last bytes of a piece as a whole step, filled with blanks.
static inline const char *lt_json_step_tail(char tail[64], const char *bytes, size_t count) {
    memset(tail, ' ', 64);
    memcpy(tail, bytes, count);
    return tail;
}

// The ends of a step without quotes that a backslash hides.
static inline uint64_t lt_json_step_seen(const lt_json_step *step, const char *bytes, uint64_t *carry) {
    if (__builtin_expect((step->backslashes | *carry) == 0, 1)) return step->ends;
    uint64_t hidden = step->ends & lt_json_step_escaped(step->backslashes, carry);
    for (uint64_t left = hidden; left != 0; left &= left - 1)
        if (bytes[__builtin_ctzll(left)] == '\n') hidden &= ~(left & -left);
    return step->ends & ~hidden;
}

// run of a kernel, by a look at 64 bytes and a store of the places of bits behind `out`, which gives the end.
__attribute__((always_inline)) static inline void
lt_json_index_run(lt_json_index *index, const char *bytes, size_t count, lt_json_step (*look)(const char *),
                  uint16_t *(*store)(uint16_t *, uint64_t, uint32_t)) {
    char      tail[64];
    uint16_t *out   = index->positions;
    uint64_t  carry = 0, any = 0;
    size_t    at = 0;
    // Up to the first step that has a byte to be careful with, nothing but ends is of interest. Behind it no branch asks
    // for such steps, as they come in no order.
    for (; count - at >= 64; at += 64) {
        const lt_json_step step = look(bytes + at);
        if (__builtin_expect(step.careful != 0, 0)) break;
        out = store(out, step.ends, (uint32_t)at);
    }
    uint32_t i = at / 64 % 64;
    memset(index->marks, 0, at / 64 / 64 * sizeof *index->marks);
    for (size_t word = at / 64 / 64; word <= count / 64 / 64; word++, i = 0) {
        uint64_t marks = 0; // in a register: a word in memory would chain each step to the one before
        for (; i < 64 && count - at >= 64; i++, at += 64) {
            const lt_json_step step = look(bytes + at);
            out                     = store(out, lt_json_step_seen(&step, bytes + at, &carry), (uint32_t)at);
            marks                   = marks >> 1 | (uint64_t)(step.careful != 0) << 63;
        }
        if (i < 64 && at < count) {
            const char        *last = lt_json_step_tail(tail, bytes + at, count - at);
            const lt_json_step step = look(last);
            out                     = store(out, lt_json_step_seen(&step, last, &carry), (uint32_t)at);
            marks                   = marks >> 1 | (uint64_t)(step.careful != 0) << 63;
            i++;
            at = count;
        }
        index->marks[word] = i == 0 ? 0 : marks >> (64 - i);
        any |= marks;
    }
    index->has_marks = any != 0;
    index->count     = (uint32_t)(out - index->positions);
}

// What a look at the UTF-8 of a step finds. A character that the step cuts is judged with the next one.
typedef struct lt_json_step_utf8 {
    bool is_good;
    bool is_plain; // no backslash and no control byte but \n
} lt_json_step_utf8;

// The bits of UTF-8's rules that a pair of bytes can break, by the high and the low half of the first and the high half
// of the second: a rule that all three name is broken.
// Source: Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2020).
enum {
    LT_UTF8_SHORT     = 1 << 0, // a first byte, and no other follows
    LT_UTF8_LONG      = 1 << 1, // another byte behind ASCII
    LT_UTF8_OVERLONG3 = 1 << 2,
    LT_UTF8_LARGE     = 1 << 3,
    LT_UTF8_SURROGATE = 1 << 4,
    LT_UTF8_OVERLONG2 = 1 << 5,
    LT_UTF8_LARGE1000 = 1 << 6,
    LT_UTF8_OVERLONG4 = 1 << 6,
    LT_UTF8_TWO       = 1 << 7, // two other bytes: right only within characters of three bytes and more
    LT_UTF8_CARRY     = LT_UTF8_SHORT | LT_UTF8_LONG | LT_UTF8_TWO,
    LT_UTF8_BEYOND    = LT_UTF8_CARRY | LT_UTF8_LARGE | LT_UTF8_LARGE1000,
    LT_UTF8_OTHER     = LT_UTF8_LONG | LT_UTF8_OVERLONG2 | LT_UTF8_TWO,
};

#define LT_UTF8_FIRST_HIGH                                                                                             \
    LT_UTF8_LONG, LT_UTF8_LONG, LT_UTF8_LONG, LT_UTF8_LONG, LT_UTF8_LONG, LT_UTF8_LONG, LT_UTF8_LONG, LT_UTF8_LONG,    \
        LT_UTF8_TWO, LT_UTF8_TWO, LT_UTF8_TWO, LT_UTF8_TWO, LT_UTF8_SHORT | LT_UTF8_OVERLONG2, LT_UTF8_SHORT,          \
        LT_UTF8_SHORT | LT_UTF8_OVERLONG3 | LT_UTF8_SURROGATE,                                                         \
        LT_UTF8_SHORT | LT_UTF8_LARGE | LT_UTF8_LARGE1000 | LT_UTF8_OVERLONG4
#define LT_UTF8_FIRST_LOW                                                                                              \
    LT_UTF8_CARRY | LT_UTF8_OVERLONG3 | LT_UTF8_OVERLONG2 | LT_UTF8_OVERLONG4, LT_UTF8_CARRY | LT_UTF8_OVERLONG2,      \
        LT_UTF8_CARRY, LT_UTF8_CARRY, LT_UTF8_CARRY | LT_UTF8_LARGE, LT_UTF8_BEYOND, LT_UTF8_BEYOND, LT_UTF8_BEYOND,   \
        LT_UTF8_BEYOND, LT_UTF8_BEYOND, LT_UTF8_BEYOND, LT_UTF8_BEYOND, LT_UTF8_BEYOND,                                \
        LT_UTF8_BEYOND | LT_UTF8_SURROGATE, LT_UTF8_BEYOND, LT_UTF8_BEYOND
#define LT_UTF8_SECOND_HIGH                                                                                            \
    LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT,           \
        LT_UTF8_SHORT, LT_UTF8_OTHER | LT_UTF8_OVERLONG3 | LT_UTF8_LARGE1000 | LT_UTF8_OVERLONG4,                      \
        LT_UTF8_OTHER | LT_UTF8_OVERLONG3 | LT_UTF8_LARGE, LT_UTF8_OTHER | LT_UTF8_SURROGATE | LT_UTF8_LARGE,          \
        LT_UTF8_OTHER | LT_UTF8_SURROGATE | LT_UTF8_LARGE, LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT, LT_UTF8_SHORT

// A look at the step at `at`, of which LT_JSON_STEP_BEFORE bytes before it and 64 from it on need not be there.
__attribute__((always_inline)) static inline lt_json_step_utf8
lt_json_step_look_edge(const char *bytes, size_t at, size_t count, lt_json_step_utf8 (*look)(const char *)) {
    char         edge[LT_JSON_STEP_BEFORE + 64];
    const size_t before = at == 0 ? 0 : LT_JSON_STEP_BEFORE;
    memset(edge, ' ', sizeof edge);
    memcpy(edge + LT_JSON_STEP_BEFORE - before, bytes + at - before, before + (count - at < 64 ? count - at : 64));
    return look(edge + LT_JSON_STEP_BEFORE);
}

// Where many steps are marked, a look at all of them costs less than foretelling which: no branch asks for the marks.
static inline bool lt_json_index_is_dense(const lt_json_index *index, size_t count) {
    size_t marked = 0;
    for (size_t word = 0; word <= count / 64 / 64; word++) marked += (size_t)lt_json_step_count(index->marks[word]);
    return marked * 8 >= count / 64;
}

// unmark_utf8 by a look at 64 bytes, of which LT_JSON_STEP_BEFORE before them are readable, too.
__attribute__((always_inline)) static inline void
lt_json_index_unmark(lt_json_index *index, const char *bytes, size_t count, lt_json_step_utf8 (*look)(const char *)) {
    uint64_t kept[LT_JSON_INDEX_MARKS] = {0};
    bool     is_cut                    = false; // the step before may end within a character
    size_t   at                        = 0;
    if (count >= 64 && lt_json_index_is_dense(index, count)) {
        lt_json_step_utf8 found   = lt_json_step_look_edge(bytes, 0, count, look);
        bool              is_good = found.is_good;
        kept[0]                   = !found.is_plain;
        for (at = 64; count - at >= 64; at += 64) {
            found = look(bytes + at);
            is_good &= found.is_good;
            kept[at >> 12] |= (uint64_t)!found.is_plain << (at >> 6 & 63);
        }
        if (!is_good) return;
        is_cut = true;
    }
    for (; at < count; at += 64) {
        const size_t step      = at / 64;
        const bool   is_marked = (index->marks[step >> 6] >> (step & 63) & 1) != 0;
        if (!is_marked && !is_cut) continue;
        const bool              is_whole = count - at >= 64;
        const lt_json_step_utf8 found =
            at == 0 || !is_whole ? lt_json_step_look_edge(bytes, at, count, look) : look(bytes + at);
        if (!found.is_good) return;
        is_cut = is_whole && ((unsigned char)bytes[at + 61] >= 0xC0 || (unsigned char)bytes[at + 62] >= 0xC0 ||
                              (unsigned char)bytes[at + 63] >= 0xC0);
        // Behind the last line may be bytes that nobody looked at.
        kept[step >> 6] |= (uint64_t)(is_marked && !(found.is_plain && is_whole)) << (step & 63);
    }
    uint64_t     any  = 0;
    const size_t last = count / 64;
    if (count % 64 == 0) kept[last >> 6] |= index->marks[last >> 6] & UINT64_C(1) << (last & 63);
    for (size_t word = 0; word <= last >> 6; word++) {
        const uint64_t behind = word < last >> 6 || (last & 63) == 63 ? 0 : ~UINT64_C(0) << ((last & 63) + 1);
        index->marks[word]    = kept[word] | (index->marks[word] & behind);
        any |= index->marks[word];
    }
    index->has_marks = any != 0;
}

#endif
