// json_members_loop: the loop over members, which kernels compile for their instruction sets.
//
// It has no branch that depends on which member it is: kinds of values and columns choose between addresses. So a row of
// any order costs what a row of the usual order costs.
#ifndef LT_STORAGE_JSON_MEMBERS_LOOP_H
#define LT_STORAGE_JSON_MEMBERS_LOOP_H

#include "storage/json_members.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// The entry of a name that is long or not at its first place; NULL: the caller's caller shall see to the row.
const lt_json_member_name *lt_json_members_search(lt_json_members *members, const char *name, size_t bytes);
// Behind the object or array that is the value at `value`, if it ends on its line and what follows is as it should be;
// else 0. Moves *cursor behind its quotes.
uint32_t lt_json_members_nested_end(const lt_json_members *members, lt_json_lanes *lanes, const lt_json_piece *piece,
                                    uint32_t value, uint32_t *cursor);
// Whether the values of the row that are texts between the quotes [c, end) are what texts may be. Names were found to be
// good, and what a column reads is judged when it is read, as the row is marked as one to be careful with.
bool lt_json_members_texts_are_good(lt_json_lanes *lanes, const lt_json_piece *piece, const lt_json_places *places,
                                    uint32_t row, uint32_t c, uint32_t end);
// The number of rows before the first of `rows` that has a bad value among the `count` others.
uint32_t lt_json_members_judge_others(lt_json_lanes *lanes, const lt_json_piece *piece, const lt_json_places *places,
                                      uint32_t count, uint32_t rows);

// The first and the last two bytes of a name, four of its middle, and its length: all lie in the name, its quotes and the
// colon, so that none needs to be masked. The hash of the empty name tells nothing.
static inline uint32_t name_hash(const char *name, size_t bytes) {
    uint16_t first, last;
    uint32_t middle;
    memcpy(&first, name, sizeof first);
    memcpy(&middle, name - 1 + (bytes >> 1), sizeof middle);
    memcpy(&last, name - 2 + bytes, sizeof last);
    const uint64_t mixed = ((uint64_t)first << 48 | (uint64_t)last << 32 | middle) ^ bytes << 40;
    return (uint32_t)(mixed * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LT_JSON_MEMBER_SLOT_BITS));
}

// Whether `name":` is the entry's. Reads 32 bytes.
static inline bool name_is(const lt_json_member_name *entry, const char *name) {
#if defined(__AVX2__)
    const __m256i found = _mm256_loadu_si256((const __m256i *)(const void *)name);
    const __m256i text  = _mm256_loadu_si256((const __m256i *)(const void *)entry->text);
    return (~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, text)) & entry->mask) == 0;
#elif defined(__SSE2__)
    const __m128i *at = (const __m128i *)(const void *)name, *text = (const __m128i *)(const void *)entry->text;
    const uint32_t first = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at), _mm_loadu_si128(text)));
    const uint32_t second =
        (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 1), _mm_loadu_si128(text + 1)));
    return (~(first | second << 16) & entry->mask) == 0;
#else
    return memcmp(name, entry->text, (size_t)__builtin_popcount(entry->mask)) == 0;
#endif
}

enum { POSITIONS_OF_MEMBER = 4 }; // that it may look at beside its first one

// What the quotes of a text add to its span: one byte later, a text, one byte earlier.
#define TEXT_STEP (1u + (1u << 15) - (1u << 16))

// Values of a row.
static uint32_t count_spans(const lt_json_places *places, uint32_t row) {
    uint32_t count = 0;
    for (uint32_t run = 0; run < places->run_count; run++) count += places->spans[run * LT_JSON_BATCH_ROWS + row] != 0;
    return count;
}

static inline uint16_t pair_of(const char *bytes) {
    uint16_t pair;
    memcpy(&pair, bytes, sizeof pair);
    return pair;
}

static inline uint32_t word_of(const char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// What is around values: by is_end the four bytes up to the start of a name or the end of a line, before a value the
// last byte of its colon and the first one of the value. Masks leave out the quotes of values that are no texts.
typedef struct separators {
    uint32_t ends[2], end_masks[2][2];
    size_t   end_bytes[2];
    uint16_t begin, begin_masks[2];
} separators;

static inline separators separators_of(const lt_json_members *self) {
    const bool has_blank = self->comma_bytes == 2, has_return = self->end_bytes == 2;
    separators wanted = {
        .ends        = {word_of(has_blank ? "\", \"" : "\0\",\""), word_of(has_return ? "\"}\r\n" : "\0\"}\n")},
        .end_bytes   = {self->comma_bytes, self->end_bytes},
        .begin       = pair_of(self->colon_bytes == 2 ? ":\"" : " \""),
        .begin_masks = {pair_of("\xFF\0"), pair_of("\xFF\xFF")},
    };
    for (int is_end = 0; is_end < 2; is_end++) {
        const bool is_long          = wanted.end_bytes[is_end] == 2;
        wanted.end_masks[is_end][0] = word_of(is_long ? "\0\xFF\xFF\xFF" : "\0\0\xFF\xFF");
        wanted.end_masks[is_end][1] = word_of(is_long ? "\xFF\xFF\xFF\xFF" : "\0\xFF\xFF\xFF");
    }
    return wanted;
}

// Truths are whole words here, as a byte that is spilled and read as a word would stall the loop. `is_compact`: no
// blanks, so that lengths are constants. `has_many`: more columns are read than a word has bits.
__attribute__((always_inline)) static inline uint32_t locate_any(lt_json_members *self, lt_json_lanes *lanes,
                                                                 const lt_json_piece *piece, lt_json_places *places,
                                                                 uint32_t *cursor, uint32_t start, uint32_t rows_max,
                                                                 const bool is_compact, const bool has_many) {
    const char *const          bytes       = piece->bytes;
    const lt_json_index *const index       = piece->index;
    const uint16_t *const      positions   = index->positions;
    const lt_json_member_name *names       = self->names;
    const bool                 has_marks   = index->has_marks;
    const uint32_t             run_count   = places->run_count;
    const size_t               colon_bytes = is_compact ? 2 : self->colon_bytes;
    const separators           wanted      = separators_of(self);
    lt_value_span *const       others      = lt_json_places_others(places);
    lt_value_span             *other       = others;
    uint32_t                   row         = 0;
    places->stride                         = 0;
    if (piece->readable <= LT_JSON_PAD) return 0;
    const uint32_t limit =
        piece->readable - LT_JSON_PAD < LT_JSON_INDEX_BYTES ? piece->readable - LT_JSON_PAD : LT_JSON_INDEX_BYTES;
    uint32_t c_end = index->count; // behind the positions that may be looked at
    while (c_end > *cursor && positions[c_end - 1] > limit) c_end--;
    if (c_end < POSITIONS_OF_MEMBER) return 0;
    // Places are pointers and numbers as wide as these, as the loop is as fast as it has few instructions.
    const uint16_t *at = positions + *cursor, *const at_end = positions + c_end - POSITIONS_OF_MEMBER;
    for (; row < rows_max; row++) {
        if (at >= at_end || at[0] != start + 1 || bytes[start] != '{' || bytes[start + 1] != '"') break;
        lt_value_span *const spans = places->spans + row;
        for (uint32_t run = 0; run < run_count; run++) spans[run * LT_JSON_BATCH_ROWS] = 0;
        const uint16_t *const first_at   = at;
        uint64_t              seen       = 0;
        uint32_t              read_count = 0;
        size_t                next, is_end;
        do {
            if (at >= at_end) goto done;
            const size_t               close      = at[1];
            const char                *name       = bytes + at[0] + 1;
            const size_t               name_bytes = (size_t)(bytes + close - name);
            const lt_json_member_name *entry      = &names[name_hash(name, name_bytes)];
            if (__builtin_expect(!name_is(entry, name), 0)) {
                entry = lt_json_members_search(self, name, name_bytes);
                if (entry == NULL) goto done;
            }
            const size_t    value   = close + colon_bytes;
            const size_t    is_text = at[2] == value;
            const uint16_t *next_at = at + 2 + 2 * is_text;
            next                    = *next_at;
            is_end                  = bytes[next] == '\n';
            size_t   value_end      = next - (is_compact ? 1 : wanted.end_bytes[is_end]);
            uint32_t wrong = (word_of(bytes + next - 3) ^ wanted.ends[is_end]) & wanted.end_masks[is_end][is_text];
            wrong |= (pair_of(bytes + value - 1) ^ wanted.begin) & wanted.begin_masks[is_text];
            wrong |= ((next_at[-1] + 1u) ^ (uint32_t)value_end) & -(uint32_t)is_text;
            size_t is_other = entry->is_other & ~is_text;
            if (__builtin_expect(wrong != 0, 0)) {
                uint32_t behind = (uint32_t)(at - positions) + 2; // what is passed by its address lives in memory
                value_end       = lt_json_members_nested_end(self, lanes, piece, (uint32_t)value, &behind);
                next_at         = positions + behind;
                if (value_end == 0 || behind >= c_end) goto done;
                next     = *next_at;
                is_end   = bytes[next] == '\n';
                is_other = 0; // judged
            }
            if (__builtin_expect((seen & entry->bit) != 0, 0)) goto done; // a second member of that name
            seen |= entry->bit;
            if (has_many) read_count += (uint32_t)entry->is_read;
            const lt_value_span span =
                lt_value_span_of((uint32_t)value, (uint32_t)value_end, false) + (TEXT_STEP & -(uint32_t)is_text);
            // Into both, as a choice costs more than a store.
            spans[entry->spans] = span;
            *other              = span;
            other += is_other;
            at = next_at;
        } while (is_end == 0);
        if (has_many && read_count != count_spans(places, row)) goto done;
        places->is_careful[row] = has_marks && lt_json_index_is_marked(index, start, (uint32_t)next);
        if (places->is_careful[row] != 0 &&
            !lt_json_members_texts_are_good(lanes, piece, places, row, (uint32_t)(first_at - positions),
                                            (uint32_t)(at - positions)))
            break;
        at++;
        start                = (uint32_t)next + 1;
        places->cursors[row] = (uint32_t)(at - positions);
    }
done:
    row     = lt_json_members_judge_others(lanes, piece, places, (uint32_t)(other - others), row);
    *cursor = row == 0 ? *cursor : places->cursors[row - 1];
    return row;
}

static inline uint32_t members_locate(lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                                      lt_json_places *places, uint32_t *cursor, uint32_t start, uint32_t rows_max) {
    const bool is_compact = self->colon_bytes == 2 && self->comma_bytes == 1 && self->end_bytes == 1;
    if (places->run_count > 64) return locate_any(self, lanes, piece, places, cursor, start, rows_max, false, true);
    return is_compact ? locate_any(self, lanes, piece, places, cursor, start, rows_max, true, false)
                      : locate_any(self, lanes, piece, places, cursor, start, rows_max, false, false);
}

#endif
