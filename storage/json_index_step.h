// json_index_step: what the kernels of json_index share, in plain C.
#ifndef LT_STORAGE_JSON_INDEX_STEP_H
#define LT_STORAGE_JSON_INDEX_STEP_H

#include "storage/json_index.h"

#include <string.h>

// Bit i is set when byte i of the 64 is that byte; careful: a backslash, >= 0x80, or a control byte but \n.
typedef struct lt_json_step {
    uint64_t quotes, newlines, backslashes, careful;
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

static inline void lt_json_step_mark(lt_json_index *index, size_t step, uint64_t careful) {
    index->marks[step >> 6] |= (uint64_t)(careful != 0) << (step & 63);
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

static inline void lt_json_index_begin(lt_json_index *index, size_t count) {
    memset(index->marks, 0, sizeof index->marks[0] * (count / 64 / 64 + 1));
    index->has_marks = false;
}

static inline void lt_json_index_end(lt_json_index *index, size_t count, const uint16_t *out) {
    uint64_t any = 0;
    for (size_t i = 0; i <= count / 64 / 64; i++) any |= index->marks[i];
    index->has_marks = any != 0;
    index->count     = (uint32_t)(out - index->positions);
}

#endif
