// datetime_pattern_call: the compiled pattern of a call, kept while its text stays the same.
//
// Ownership  patterns live in the call's arena.   Errors  those of lt_datetime_pattern_compile, at the call's place.
#ifndef LT_EXEC_KERNELS_DATETIME_PATTERN_CALL_H
#define LT_EXEC_KERNELS_DATETIME_PATTERN_CALL_H

#include "base/datetime_pattern.h"

typedef struct lt_pattern_of_call { // zero to begin with; one per evaluate
    lt_string                  text;
    const lt_datetime_pattern *compiled; // NULL: none yet
} lt_pattern_of_call;

static inline leat_status lt_pattern_of_call_find(lt_pattern_of_call *kept, const lt_call *call, const lt_string *text,
                                                  lt_pattern_use use, const lt_datetime_pattern **out,
                                                  leat_error *err) {
    if (kept->compiled == NULL || !lt_string_equal(&kept->text, text)) {
        LT_TRY(lt_datetime_pattern_compile(call->arena, lt_string_data(text), text->bytes, use, &call->place,
                                           &kept->compiled, err));
        kept->text = *text;
    }
    *out = kept->compiled;
    return LEAT_OK;
}

#endif
