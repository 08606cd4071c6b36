// value_lanes: values of many rows, whose places in some text are known, into the lanes of a column.
//
// The shapes that nearly all values have (plain texts, short numbers, timestamps of fixed width) are read here, column
// by column; everything else goes value by value to the format, which also decides what is bad.
//
// Ownership  lanes of texts are views of the bytes unless the format copies them.   Threads  one at a time.
// Errors     LEAT_NO_MEMORY, LEAT_LIMIT, those of the format.                       Cost     1 to 5 ns a value.
#ifndef LT_STORAGE_VALUE_LANES_H
#define LT_STORAGE_VALUE_LANES_H

#include "base/datetime_text.h"
#include "base/vector.h"

enum { LT_VALUE_LANES_ROWS = 256 }; // of one call

// A value's place in a piece of less than 32 KiB: start | is text | end, or 0: the row has no such value.
typedef uint32_t            lt_value_span;
static inline lt_value_span lt_value_span_of(uint32_t start, uint32_t end, bool is_text) {
    return start | (uint32_t)is_text << 15 | end << 16;
}
static inline bool     lt_value_span_is_text(lt_value_span span) { return (span >> 15 & 1) != 0; }
static inline uint32_t lt_value_span_start(lt_value_span span) { return span & 0x7FFF; }
static inline uint32_t lt_value_span_end(lt_value_span span) { return span >> 16; }

typedef struct lt_value_source {
    const char *text;
    size_t      bytes;
    bool        is_text, is_careful; // texts of rows with is_careful may have bytes that are not theirs to have
} lt_value_source;

typedef enum lt_value_verdict { LT_VALUE_BAD, LT_VALUE_NULL, LT_VALUE_GOOD } lt_value_verdict;

// Puts a value of any shape into a lane; LT_VALUE_NULL and _BAD leave it as it is.
typedef leat_status (*lt_value_any)(void *user, const lt_value_source *source, lt_vector *into, uint32_t lane,
                                    lt_value_verdict *out, leat_error *err);

// One per instruction set.
typedef struct lt_value_kernel {
    const char *name;
    bool (*is_supported)(void); // by this CPU
    // Integers of up to eight digits: out[i], and in `odd` the numbers of those that are something else; gives how many
    // these are. At most LT_VALUE_LANES_ROWS; 8 bytes from each start on are readable.
    uint32_t (*short_integers)(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                               uint16_t *odd);
    // Whether they are true, false, null or numbers of at most 16 bytes without an exponent; `odd` and the result as
    // before. 16 bytes from each start on are readable.
    uint32_t (*plain_bares)(const char *bytes, const lt_value_span *spans, uint32_t count, uint16_t *odd);
} lt_value_kernel;

// As lt_json_index_kernels.
extern const lt_value_kernel lt_value_kernels[];

typedef struct lt_value_lanes {
    const lt_value_kernel *kernel;
    lt_value_any           any;
    void                  *user;               // of any; borrows
    lt_arena              *arena;              // validity of lanes; borrows
    uint64_t               cached_day_text[2]; // the last day of a timestamp or date, and its number
    int32_t                cached_day;
    // Which columns have usual shapes at all; a format may have its own idea of them.
    bool    reads_doubles, reads_dates, reads_timestamps, reads_timestamps_ntz;
    bool    has_fixed_offset; // of the zone of timestamps that name none
    int64_t offset_us;
    // By row of a call; NULL: all are kept. Values of others are judged, but texts and doubles are not read: they are
    // empty and 0. Only for formats whose numbers are JSON's; borrows.
    const uint8_t *is_kept;
} lt_value_lanes;

// `kernel`: a name; NULL or one that is not there: the best.
void lt_value_lanes_init(lt_value_lanes *lanes, const char *kernel, lt_arena *arena, lt_value_any any, void *user);
// Days and times are read here unless they have patterns.
void lt_value_lanes_set_times(lt_value_lanes *lanes, const lt_datetime_context *context, bool has_date_pattern,
                              bool has_timestamp_pattern, bool has_timestamp_ntz_pattern);
// Fills lanes [lane, lane + *count) from spans[i] in `bytes`; is_careful NULL: no row is. *count becomes the number of
// rows before the first value that is not good; at most LT_VALUE_LANES_ROWS. 16 bytes behind each value are readable.
leat_status lt_value_lanes_fill(lt_value_lanes *lanes, lt_vector *column, uint32_t lane, const char *bytes,
                                const lt_value_span *spans, const uint8_t *is_careful, uint32_t *count,
                                leat_error *err);

// A lane over borrowed bytes without a branch on their number. Reads 12 bytes.
static inline void lt_value_put_view(lt_string *into, const char *text, size_t bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && UINTPTR_MAX == UINT64_MAX
    static const uint64_t masks[13] = {
        0, 0, 0, 0, 0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, UINT64_MAX};
    static const uint32_t firsts[13] = {0, 0xFF, 0xFFFF, 0xFFFFFF, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    const size_t          inlined    = bytes < 12 ? bytes : 12;
    uint32_t              first;
    uint64_t              rest;
    memcpy(&first, text, sizeof first);
    memcpy(&rest, text + 4, sizeof rest);
    const uint64_t words[2] = {(uint32_t)bytes | (uint64_t)(first & firsts[inlined]) << 32,
                               bytes > LT_STRING_INLINE_MAX ? (uint64_t)(uintptr_t)text : rest & masks[inlined]};
    memcpy(into, words, sizeof words);
#else
    *into = lt_string_view(text, bytes);
#endif
}

#endif
