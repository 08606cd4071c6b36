// cast_rows: the loops that casts are made of. A body reads `x`, writes `*out`, and may use `row`, `call` and `err`.
#ifndef LT_EXEC_KERNELS_CAST_ROWS_H
#define LT_EXEC_KERNELS_CAST_ROWS_H

#include "base/cast.h"
#include "base/date.h"

#define LT_CAST_ROWS(from_lane, into_lane, body)                                                                       \
    do {                                                                                                               \
        const from_lane *from_values = call->from->values;                                                             \
        into_lane       *into_values = call->into->values;                                                             \
        const size_t     from_step   = call->from->form == LT_CONSTANT ? 0 : 1;                                        \
        for (uint32_t row_at = 0; row_at < call->row_count; row_at++) {                                                \
            const uint32_t  row = call->rows[row_at];                                                                  \
            const from_lane x   = from_values[row * from_step];                                                        \
            into_lane      *out = &into_values[row];                                                                   \
            body                                                                                                       \
        }                                                                                                              \
    } while (0)

// A whole cast of one loop: a row of the registry is its pair of kinds and this function.
#define LT_CAST_LOOP(name, from_lane, into_lane, body)                                                                 \
    static leat_status name(lt_cast_call *call, leat_error *err) {                                                     \
        (void)err;                                                                                                     \
        LT_CAST_ROWS(from_lane, into_lane, body);                                                                      \
        return LEAT_OK;                                                                                                \
    }
#define LT_CAST_ROW(from_kind, into_kind, fails, function)                                                             \
    { .from = from_kind, .into = into_kind, .can_fail = fails, .run = function }

// A text without the blanks and control characters around it, as Spark trims before it reads values.
typedef struct lt_trimmed {
    const char *text;
    size_t      bytes;
} lt_trimmed;

static inline lt_trimmed lt_trim(const lt_string *string) {
    lt_trimmed trimmed = {lt_string_data(string), string->bytes};
    while (trimmed.bytes > 0 && ((uint8_t)trimmed.text[0] <= ' ' || trimmed.text[0] == 0x7f))
        trimmed.text++, trimmed.bytes--;
    while (trimmed.bytes > 0 &&
           ((uint8_t)trimmed.text[trimmed.bytes - 1] <= ' ' || trimmed.text[trimmed.bytes - 1] == 0x7f))
        trimmed.bytes--;
    return trimmed;
}

// Months or microseconds of a unit.
static inline int64_t lt_unit_length(lt_unit unit) {
    static const int64_t lengths[] = {[LT_UNIT_YEAR]   = 12,
                                      [LT_UNIT_MONTH]  = 1,
                                      [LT_UNIT_DAY]    = LT_US_PER_DAY,
                                      [LT_UNIT_HOUR]   = LT_US_PER_HOUR,
                                      [LT_UNIT_MINUTE] = LT_US_PER_MINUTE,
                                      [LT_UNIT_SECOND] = LT_US_PER_SECOND};
    return lengths[unit];
}

// How many bytes of a text a message shows: whole characters, at most 60 bytes.
static inline int lt_shown_bytes(const lt_string *text) {
    const char *data  = lt_string_data(text);
    uint32_t    bytes = text->bytes < 60 ? text->bytes : 60;
    while (bytes > 0 && bytes < text->bytes && ((uint8_t)data[bytes] & 0xC0) == 0x80) bytes--;
    return (int)bytes;
}

// A text that is no value of the wanted type.
#define LT_CAST_FAIL_TEXT(call, row, x, condition, err)                                                                \
    lt_cast_fail((call), (row), (condition), (err), "'%.*s' is no %s; TRY_CAST gives NULL instead", lt_shown_bytes(x), \
                 lt_string_data(x), lt_type_text((call)->arena, (call)->into_type))
#define LT_CAST_FAIL_RANGE(call, row, condition, err)                                                                  \
    lt_cast_fail((call), (row), (condition), (err), "the %s value does not fit %s; TRY_CAST gives NULL instead",       \
                 lt_type_text((call)->arena, (call)->from_type), lt_type_text((call)->arena, (call)->into_type))

#endif
