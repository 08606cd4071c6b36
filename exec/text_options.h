// text_options: the options argument of from_json, to_json, from_csv, to_csv: a constant MAP<STRING, STRING>.
//
// Ownership  borrows the constant.   Threads  any.   Names are compared without case; the last of equal names wins.
#ifndef LT_EXEC_TEXT_OPTIONS_H
#define LT_EXEC_TEXT_OPTIONS_H

#include "base/datetime_pattern.h"
#include "base/function.h"
#include "base/json_reader.h"

// What the JSON reader allows by these options.
lt_json_options lt_text_options_json(const lt_vector *options);
// The value of an option in `options` (NULL: no options), or NULL.
const lt_string *lt_text_option(const lt_vector *options, const char *name);
bool             lt_text_option_is_true(const lt_vector *options, const char *name, bool initial);
// The text of an option, NUL-terminated in the arena; `initial` without it. NULL without memory or where initial is.
const char *lt_text_option_text(const lt_vector *options, const char *name, const char *initial, lt_arena *arena);
// The pattern of an option, or NULL without it.
leat_status lt_text_option_pattern(const lt_vector *options, const char *name, lt_pattern_use use, lt_arena *arena,
                                   const lt_datetime_pattern **out, leat_error *err);
// Checks while a call is bound that argument `argument`, if there, is such a constant.
// Errors: INVALID_OPTIONS.NON_MAP_FUNCTION, INVALID_OPTIONS.NON_STRING_TYPE, INVALID_OPTION_VALUE of options that are
// true or false.
leat_status lt_text_options_resolve(lt_resolution *resolution, uint32_t argument, leat_error *err);

#endif
