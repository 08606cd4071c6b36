// number_format: formats of to_number and to_char: "$99,999.99S".
//
//     0 9  a digit; a run that begins with 0 demands all its digits     . D  the point       , G  between thousands
//     $    a dollar sign        S  a sign        MI  a minus or blank        PR at the end  <...> around negatives
//
// Ownership  a pattern is a plain value.   Threads  any.
// Errors     INVALID_FORMAT.* for malformed formats.
// Source     Spark SQL 4: ToNumberParser.
#ifndef LT_EXEC_KERNELS_NUMBER_FORMAT_H
#define LT_EXEC_KERNELS_NUMBER_FORMAT_H

#include "base/function.h"

enum { LT_FORMAT_TOKENS_MAX = 96 };

typedef enum lt_format_token_kind {
    LT_FORMAT_DIGITS, // `count` digits
    LT_FORMAT_THOUSANDS,
    LT_FORMAT_POINT,
    LT_FORMAT_DOLLAR,
    LT_FORMAT_SIGN,
    LT_FORMAT_MINUS,
    LT_FORMAT_OPEN, // < of PR
    LT_FORMAT_CLOSE
} lt_format_token_kind;

typedef struct lt_format_token {
    lt_format_token_kind kind;
    bool                 is_zero; // of DIGITS: all must be there
    uint32_t             count;
} lt_format_token;

typedef struct lt_number_format {
    lt_format_token tokens[LT_FORMAT_TOKENS_MAX];
    uint32_t        token_count;
    uint32_t        whole_digits, places; // together at most 38
} lt_number_format;

leat_status lt_number_format_parse(lt_text format, const lt_place *place, lt_number_format *out, leat_error *err);
// Text to units of 10^-places; false: the text does not fit the format.
bool lt_number_format_read(const lt_number_format *pattern, lt_text text, lt_int128 *out);
// `value` in units of 10^-scale.
leat_status lt_number_format_print(const lt_number_format *pattern, lt_int128 value, uint32_t scale, lt_buffer *out,
                                   leat_error *err);

#endif
