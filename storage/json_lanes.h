// json_lanes: values of JSON, whose places are known: which of them are good, and into lanes those of unusual shapes.
//
// Ownership  borrows what init names; texts with escapes are copied into the conversion's arena.
// Threads    one at a time.   Errors  LEAT_NO_MEMORY, LEAT_LIMIT.
#ifndef LT_STORAGE_JSON_LANES_H
#define LT_STORAGE_JSON_LANES_H

#include "base/json_convert.h"
#include "storage/digits_word.h"
#include "storage/json_places.h"

typedef struct lt_json_lanes {
    lt_value_lanes      values;
    lt_json_conversion *conversion; // borrows
    lt_json_reader     *reader;     // borrows
} lt_json_lanes;

// Stays where it is; after the conversion's options are set.
void lt_json_lanes_init(lt_json_lanes *lanes, lt_json_conversion *conversion, lt_json_reader *reader, lt_arena *arena);
// Whether a value that nobody reads is one of JSON's. `depth`: open brackets around it.
bool               lt_json_lanes_odd_bare_is_good(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth);
static inline bool lt_json_lanes_bare_is_good(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth) {
    if (*text > '9') {
        uint32_t word, is_true, is_false, is_null;
        memcpy(&word, text, sizeof word);
        memcpy(&is_true, "true", sizeof is_true);
        memcpy(&is_false, "fals", sizeof is_false);
        memcpy(&is_null, "null", sizeof is_null);
        // Without a branch between the words: which one it is cannot be foretold.
        if ((((word == is_true) | (word == is_null)) & (bytes == 4)) |
            ((word == is_false) & (text[4] == 'e') & (bytes == 5)))
            return true;
    } else {
        const size_t sign = *text == '-';
        if (lt_digits_is_point(text + sign, bytes - sign)) return true;
    }
    return lt_json_lanes_odd_bare_is_good(lanes, text, bytes, depth);
}
bool lt_json_lanes_text_is_good(lt_json_lanes *lanes, const char *text, size_t bytes);
// The bytes of the object or array at `text`, a value of a row, which must end before its line does and within
// `bytes_max`; 0: it is none.
size_t lt_json_lanes_nested_bytes(lt_json_lanes *lanes, const char *text, size_t bytes_max);

#endif
