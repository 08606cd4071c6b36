// value_text: any value as text: what CAST(x AS STRING) gives, and what tables show.
//
//              NULL inside   BINARY        nested
//     CAST     null          its bytes     [1, 2, null]  {1, a, null}  {k -> v}
//     SHOW     NULL          [1F 2A]       the same
//     INTERNAL null          its bytes     [1,2,null]  [1,a,null]  keys: [k], values: [v]; times are plain numbers
//
// Ownership  appends to the caller's buffer.   Threads  one at a time.
// Errors     INVALID_TIMEZONE from init; LEAT_NO_MEMORY, LEAT_LIMIT of the buffer.
// Source     Spark SQL 4: ToStringBase, ToPrettyString; INTERNAL is toString of its rows, for %s and for keys in JSON.
#ifndef LT_BASE_VALUE_TEXT_H
#define LT_BASE_VALUE_TEXT_H

#include "base/time_zone.h"

typedef enum lt_value_text_style { LT_VALUE_TEXT_CAST, LT_VALUE_TEXT_SHOW, LT_VALUE_TEXT_INTERNAL } lt_value_text_style;

typedef struct lt_value_text {
    lt_value_text_style style;
    lt_time_zone        zone; // of TIMESTAMP; INTERNAL needs none, nor lt_value_text_init
} lt_value_text;

leat_status lt_value_text_init(lt_value_text *printer, lt_value_text_style style, const lt_evaluation *evaluation,
                               leat_error *err);
// A NULL row gives `null` or `NULL` by the style.
leat_status lt_value_text_append(const lt_value_text *printer, const lt_vector *vector, uint32_t row, lt_buffer *out,
                                 leat_error *err);
// The text of one lane of fixed width, NUL behind it; 0: values of the kind have no such text.
enum { LT_SCALAR_TEXT_MAX = 160 };
size_t lt_value_text_scalar(const lt_value_text *printer, const lt_type *type, const void *lane,
                            char out[LT_SCALAR_TEXT_MAX]);

#endif
