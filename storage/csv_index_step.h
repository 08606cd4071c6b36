// csv_index_step: what the kernels of csv_index share, in plain C.
#ifndef LT_STORAGE_CSV_INDEX_STEP_H
#define LT_STORAGE_CSV_INDEX_STEP_H

#include "storage/csv_index.h"
#include "storage/json_index_step.h"

#include <string.h>

// Bit i is set when byte i of the 64 is that byte. Quotes and escapes are none when there are none.
typedef struct lt_csv_step {
    uint64_t separators, quotes, newlines, returns, escapes;
} lt_csv_step;

// What the last byte of the step before was.
typedef struct lt_csv_step_state {
    uint64_t inside;                       // of quotes: all ones or zero
    uint64_t boundary, closing, is_return; // one or zero
    uint64_t any_quotes, any_returns;
} lt_csv_step_state;

#define LT_CSV_STEP_START ((lt_csv_step_state){.boundary = 1})

static inline uint64_t lt_csv_step_prefix_xor(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

// The bits that end a cell or a line; *out_odd: bits that a parity cannot judge.
static inline uint64_t lt_csv_step_ends(lt_csv_step_state *state, const lt_csv_step *step, uint64_t *out_odd) {
    const uint64_t newlines = step->newlines, not_last = ~UINT64_C(0) >> 1;
    if ((step->quotes | step->returns | state->inside | state->closing | state->is_return) == 0) {
        const uint64_t boundary = step->separators | newlines;
        state->boundary         = boundary >> 63;
        *out_odd                = 0;
        return boundary;
    }
    uint64_t inside = lt_csv_step_prefix_xor(step->quotes) ^ state->inside, odd = 0;
    for (uint64_t cut = newlines & inside;
         cut != 0;) { // a line ends inside of quotes: the next one does not start there
        const uint64_t bit = cut & -cut;
        odd |= bit;
        inside ^= -bit;
        cut = newlines & inside & -bit & ~bit;
    }
    const uint64_t boundary = (step->separators & ~inside) | newlines, ends = boundary | step->returns;
    const uint64_t opening = step->quotes & inside, closing = step->quotes & ~inside;
    odd |= opening & ~(boundary << 1 | state->boundary);
    odd |= closing & ~(ends >> 1) & not_last;
    odd |= step->returns & ~(newlines >> 1) & not_last;
    odd |= state->closing & ~ends;
    odd |= state->is_return & ~newlines;
    odd |= step->escapes & inside;
    state->inside    = -(inside >> 63);
    state->boundary  = boundary >> 63;
    state->closing   = closing >> 63;
    state->is_return = step->returns >> 63;
    state->any_quotes |= step->quotes;
    state->any_returns |= step->returns;
    *out_odd = odd;
    return boundary;
}

// Stores the places of the set bits, four at a time; gives the end.
static inline uint16_t *lt_csv_step_store(uint16_t *out, uint64_t bits, uint64_t newlines, uint32_t base) {
    const int count = lt_json_step_count(bits);
    for (int done = 0; done < count; done += 4)
        for (int i = 0; i < 4; i++) {
            // Behind the last bit anything may be stored; the bit below keeps ctz defined.
            const uint32_t place = (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
            out[done + i]        = (uint16_t)(base + place + ((newlines >> place & 1) << 15));
            bits &= bits - 1;
        }
    return out + count;
}

// The last bytes of a piece as a whole step.
static inline const char *lt_csv_step_tail(char tail[64], const char *bytes, size_t count) {
    memset(tail, 0, 64);
    memcpy(tail, bytes, count);
    return tail;
}

// The bits of the bytes that are there.
static inline uint64_t lt_csv_step_there(size_t left) { return left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1; }

static inline void lt_csv_index_begin(lt_csv_index *index, size_t count) {
    memset(index->marks, 0, sizeof index->marks[0] * (count / 64 / 64 + 1));
}

static inline void lt_csv_index_mark(lt_csv_index *index, size_t step, uint64_t odd) {
    index->marks[step >> 6] |= (uint64_t)(odd != 0) << (step & 63);
}

static inline void lt_csv_index_end(lt_csv_index *index, size_t count, const uint16_t *out,
                                    const lt_csv_step_state *state) {
    uint64_t any = 0;
    for (size_t i = 0; i <= count / 64 / 64; i++) any |= index->marks[i];
    index->has_marks   = any != 0;
    index->has_quotes  = state->any_quotes != 0;
    index->has_returns = state->any_returns != 0;
    index->count       = (uint32_t)(out - index->positions);
}

// A kernel around step_of(bytes, of), which is seen where this is used.
#define LT_CSV_INDEX_RUN(index, of, bytes, count)                                                                      \
    do {                                                                                                               \
        char              tail[64];                                                                                    \
        uint16_t         *out   = (index)->positions;                                                                  \
        lt_csv_step_state state = LT_CSV_STEP_START;                                                                   \
        lt_csv_index_begin((index), (count));                                                                          \
        for (size_t at = 0; at < (count); at += 64) {                                                                  \
            const size_t   left = (count)-at;                                                                          \
            const char    *text = left >= 64 ? (bytes) + at : lt_csv_step_tail(tail, (bytes) + at, left);              \
            uint64_t       odd;                                                                                        \
            lt_csv_step    step = step_of(text, (of));                                                                 \
            const uint64_t ends = lt_csv_step_ends(&state, &step, &odd) & lt_csv_step_there(left);                     \
            lt_csv_index_mark((index), at / 64, odd);                                                                  \
            out = store(out, ends, step.newlines, (uint32_t)at);                                                       \
        }                                                                                                              \
        lt_csv_index_end((index), (count), out, &state);                                                               \
    } while (0)

#endif
