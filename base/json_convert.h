// json_convert: JSON tokens into typed lanes, by Spark's rules (spark-semantics 2.2). One place for from_json and for
// the JSON Lines format.
//
//     GOOD     the value is in the lane (null: the lane is NULL)
//     PARTIAL  a value is in the lane, but a field inside of it was bad and is NULL
//     WRONG    the token does not fit the type: the lane is as it was
//     BROKEN   the text is not JSON: give up the record
//
// BOOLEAN takes true and false; integers take integer tokens in range; FLOAT and DOUBLE any number and the texts NaN,
// [+-]INF, [+-]Infinity; DECIMAL numbers and texts, rounded HALF_UP; STRING anything; TIMESTAMP texts and integers
// (seconds); DATE texts; BINARY base64; ARRAY, MAP and STRUCT their brackets. A bad scalar inside an ARRAY or MAP makes
// the whole of it WRONG, up to the nearest struct field, which becomes NULL; bad fields of structs only make it
// PARTIAL.
//
// Ownership  bytes of texts: views of the source where `shares_source`, else copied into `arena`. Children in `arena`.
// Threads    one at a time.   Errors  LEAT_NO_MEMORY, LEAT_LIMIT; bad data is an outcome, not an error.
#ifndef LT_BASE_JSON_CONVERT_H
#define LT_BASE_JSON_CONVERT_H

#include "base/datetime_pattern.h"
#include "base/json_reader.h"

typedef enum lt_json_outcome { LT_JSON_GOOD, LT_JSON_PARTIAL, LT_JSON_WRONG, LT_JSON_BROKEN } lt_json_outcome;

typedef struct lt_json_conversion {
    lt_datetime_context        datetime;
    const lt_datetime_pattern *date_pattern, *timestamp_pattern, *timestamp_ntz_pattern; // NULL: the grammar of CAST
    bool                       has_fallback; // a text that does not fit its pattern is tried by the grammar of CAST
                                             // (enableDateTimeParsingFallback)
    bool        is_text_exact; // STRING from another token: its source bytes (files); else copied compactly (from_json)
    bool        shares_source;
    lt_arena   *arena;
    lt_buffer   scratch;
    const char *column; // of the last WRONG: field name, borrowed from the type; and why
    const char *problem;
} lt_json_conversion;

// Everything at its default, not exact, not sharing.
leat_status lt_json_conversion_init(lt_json_conversion *conversion, lt_arena *arena, const lt_evaluation *evaluation,
                                    leat_error *err);
void        lt_json_conversion_deinit(lt_json_conversion *conversion);

// The value that begins at the reader's current token, into lane `lane` (below the capacity) of the flat vector `into`.
// The reader ends at the last token of the value, also when it is WRONG.
leat_status lt_json_convert(lt_json_conversion *conversion, lt_json_reader *reader, lt_vector *into, uint32_t lane,
                            lt_json_outcome *out, leat_error *err);
// The reader is at OBJECT: fills lane `lane` of columns[i] from the member fields[i].name; all of them must be NULL
// before (lt_lane_put_null), missing members leave them so. Names are compared exactly; a later member of the same name
// wins if it is not WRONG. GOOD, PARTIAL or BROKEN.
leat_status lt_json_convert_fields(lt_json_conversion *conversion, lt_json_reader *reader, const lt_field *fields,
                                   lt_vector *columns, uint32_t column_count, uint32_t lane, lt_json_outcome *out,
                                   leat_error *err);

#endif
