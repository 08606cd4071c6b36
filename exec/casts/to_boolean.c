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

LT_CAST_LOOP(from_tinyint, int8_t, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_smallint, int16_t, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_int, int32_t, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_bigint, int64_t, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_float, float, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_double, double, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_decimal, lt_int128, uint8_t, *out = x != 0;)
LT_CAST_LOOP(from_string, lt_string, uint8_t, {
    if (!text_to_boolean(&x, out)) LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
})

const lt_cast lt_casts_to_boolean[] = {
    LT_CAST_ROW(LT_TINYINT, LT_BOOLEAN, false, from_tinyint),
    LT_CAST_ROW(LT_SMALLINT, LT_BOOLEAN, false, from_smallint),
    LT_CAST_ROW(LT_INT, LT_BOOLEAN, false, from_int),
    LT_CAST_ROW(LT_BIGINT, LT_BOOLEAN, false, from_bigint),
    LT_CAST_ROW(LT_FLOAT, LT_BOOLEAN, false, from_float),
    LT_CAST_ROW(LT_DOUBLE, LT_BOOLEAN, false, from_double),
    LT_CAST_ROW(LT_DECIMAL, LT_BOOLEAN, false, from_decimal),
    LT_CAST_ROW(LT_STRING, LT_BOOLEAN, true, from_string),
    {0},
};
