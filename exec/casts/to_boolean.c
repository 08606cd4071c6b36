#include "exec/kernels/cast_rows.h"

// Casts to BOOLEAN: a number is true unless it is zero (NaN is true); texts are t true y yes 1 and f false n no 0.
// Source: Spark SQL 4, ANSI mode.

static bool word_is(lt_trimmed text, const char *word) {
    size_t bytes = strlen(word);
    if (text.bytes != bytes) return false;
    for (size_t i = 0; i < bytes; i++) {
        char letter = text.text[i] >= 'A' && text.text[i] <= 'Z' ? (char)(text.text[i] + 32) : text.text[i];
        if (letter != word[i]) return false;
    }
    return true;
}

static bool text_to_boolean(const lt_string *text, uint8_t *out) {
    static const char *const words[2][5] = {{"f", "false", "n", "no", "0"}, {"t", "true", "y", "yes", "1"}};
    for (uint8_t value = 0; value < 2; value++)
        for (int i = 0; i < 5; i++)
            if (word_is(lt_trim(text), words[value][i])) {
                *out = value;
                return true;
            }
    return false;
}

static leat_status to_boolean(lt_cast_call *call, leat_error *err) {
    switch (call->from_type->kind) {
    case LT_TINYINT:
        LT_CAST_ROWS(int8_t, uint8_t, *out = x != 0;);
        return LEAT_OK;
    case LT_SMALLINT:
        LT_CAST_ROWS(int16_t, uint8_t, *out = x != 0;);
        return LEAT_OK;
    case LT_INT:
        LT_CAST_ROWS(int32_t, uint8_t, *out = x != 0;);
        return LEAT_OK;
    case LT_BIGINT:
        LT_CAST_ROWS(int64_t, uint8_t, *out = x != 0;);
        return LEAT_OK;
    case LT_FLOAT:
        LT_CAST_ROWS(float, uint8_t, *out = x != 0;);
        return LEAT_OK;
    case LT_DOUBLE:
        LT_CAST_ROWS(double, uint8_t, *out = x != 0;);
        return LEAT_OK;
    case LT_DECIMAL:
        LT_CAST_ROWS(lt_int128, uint8_t, *out = x != 0;);
        return LEAT_OK;
    default:
        LT_CAST_ROWS(lt_string, uint8_t, {
            if (!text_to_boolean(&x, out)) LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
        });
        return LEAT_OK;
    }
}

#define ROW(from_kind)                                                                                                 \
    { .from = from_kind, .into = LT_BOOLEAN, .run = to_boolean }
const lt_cast lt_casts_to_boolean[] = {
    ROW(LT_TINYINT),
    ROW(LT_SMALLINT),
    ROW(LT_INT),
    ROW(LT_BIGINT),
    ROW(LT_FLOAT),
    ROW(LT_DOUBLE),
    ROW(LT_DECIMAL),
    {.from = LT_STRING, .into = LT_BOOLEAN, .can_fail = true, .run = to_boolean},
    {0},
};
