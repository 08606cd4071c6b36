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
void lt_json_lanes_init(lt_json_lanes *lanes, const char *kernel, lt_json_conversion *conversion,
                        lt_json_reader *reader, lt_arena *arena);
// Whether a value that nobody reads is one of JSON's. `depth`: open brackets around it.
bool lt_json_lanes_bare_is_good(lt_json_lanes *lanes, const char *text, size_t bytes, uint32_t depth);
// How many of `count` such values are, before the first that is not. 16 bytes behind each are readable.
uint32_t lt_json_lanes_good_bares(lt_json_lanes *lanes, const char *bytes, const lt_value_span *spans, uint32_t count,
                                  uint32_t depth);
bool     lt_json_lanes_text_is_good(lt_json_lanes *lanes, const char *text, size_t bytes);
// The bytes of the object or array at `text`, a value of a row, which must end before its line does and within
// `bytes_max`; 0: it is none.
size_t lt_json_lanes_nested_bytes(lt_json_lanes *lanes, const char *text, size_t bytes_max);

#endif
