// json_writer: values as JSON text, for to_json and for writing JSON Lines; and JSON copied compactly.
//
//     struct<a:int,b:array<string>>   {"a":1,"b":["x",null]}
//
// Ownership  appends to the caller's buffer; borrows all else.   Threads  one at a time.
// Rules      strings escape ", \ and control characters only; doubles as Java prints them, NaN and infinities as
//            strings; BINARY as base64; DATE yyyy-MM-dd; intervals as their literal. Map keys are texts.
#ifndef LT_BASE_JSON_WRITER_H
#define LT_BASE_JSON_WRITER_H

#include "base/datetime_pattern.h"
#include "base/json_reader.h"

typedef struct lt_json_writer {
    lt_time_zone               zone;                // of TIMESTAMP
    bool                       ignores_null_fields; // leave out struct fields that are NULL
    bool                       sorts_keys;          // members of objects by the bytes of their key as it is written
    bool                       has_milliseconds; // fractions as .SSS always (to_json); else as needed, up to 6 digits
    const lt_datetime_pattern *date_pattern, *timestamp_pattern, *timestamp_ntz_pattern; // NULL: ISO 8601
    lt_time_zone               utc; // for patterns over wall clocks
} lt_json_writer;

// What to_json does without options.
leat_status lt_json_writer_init(lt_json_writer *writer, const lt_evaluation *evaluation, leat_error *err);
// NULL is `null`.
leat_status lt_json_write_value(const lt_json_writer *writer, const lt_vector *vector, uint32_t row, lt_buffer *out,
                                leat_error *err);
// An object of columns: a record of a file.
leat_status lt_json_write_object(const lt_json_writer *writer, const char *const *names, const lt_vector *columns,
                                 uint32_t column_count, uint32_t row, lt_buffer *out, leat_error *err);
leat_status lt_json_write_string(const char *text, size_t bytes, lt_buffer *out, leat_error *err);

// Well-formed JSON without blanks, spread over lines as Jackson's default printer does: members of objects on lines of
// their own, two blanks for each depth; elements of arrays behind each other.
leat_status lt_json_write_pretty(const char *text, size_t bytes, lt_buffer *out, leat_error *err);

// Copies the value at the reader's token without blanks, numbers printed anew as Jackson prints them (1.50 -> 1.5,
// 1e3 -> 1000.0). The reader ends at its last token. *out_is_good false: the text is bad.
leat_status lt_json_copy_value(lt_json_reader *reader, lt_buffer *out, bool *out_is_good, leat_error *err);

#endif
