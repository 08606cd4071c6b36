// csv_values: the text of a cell as a value of its column's type.
//
// Ownership  borrows patterns, texts and the arena for longer strings.      Threads  one at a time.
// Errors     no memory, an interval of too many bytes; a text that is no value is no error but an answer.
// Source     Spark SQL 4, UnivocityParser; spark-semantics 2.3.
#ifndef LT_STORAGE_CSV_VALUES_H
#define LT_STORAGE_CSV_VALUES_H

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/datetime_pattern.h"
#include "base/vector.h"

#include <string.h>

typedef struct lt_csv_values {
    lt_arena                  *arena; // of strings that are no views
    lt_datetime_context        datetime;
    const lt_datetime_pattern *date_pattern, *timestamp_pattern, *timestamp_ntz_pattern; // NULL: as CAST
    bool                       has_fallback; // what no pattern takes may still be what CAST takes
    const char                *nan_text, *positive_text, *negative_text;
    lt_buffer                  digits; // of a decimal without its commas
} lt_csv_values;

// *out_is_good false: the text is no value of the type. `is_view`: the bytes outlive the lane, strings need no copy.
leat_status lt_csv_value_put(lt_csv_values *self, const char *text, size_t bytes, bool is_view, lt_vector *into,
                             uint32_t lane, bool *out_is_good, leat_error *err);
// As Java's Double.parseDouble: blanks around, a suffix d or f.
bool               lt_csv_double_parse(const char *text, size_t bytes, double *out);
static inline bool lt_csv_text_is(const char *text, size_t bytes, const char *word) {
    return strlen(word) == bytes && memcmp(text, word, bytes) == 0;
}
static inline bool lt_csv_text_is_without_case(const char *text, size_t bytes, const char *word) {
    return strlen(word) == bytes && lt_ascii_compare_bytes(text, word, bytes) == 0;
}
#endif
