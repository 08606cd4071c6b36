// Where a text stands in another: positions count characters from 1, 0 is nowhere. Source: Spark SQL 4.
#include "base/function.h"
#include "base/utf8.h"

// Position of `part` from character `from` (0-based) on.
static int32_t position_of(lt_text text, lt_text part, size_t from) {
    if (part.bytes == 0) return 1;
    size_t      start = lt_utf8_skip(text.data, text.bytes, 0, from);
    const char *found = memmem(text.data + start, text.bytes - start, part.data, part.bytes);
    return found == NULL ? 0 : (int32_t)lt_utf8_count(text.data, (size_t)(found - text.data)) + 1;
}

static leat_status instr_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row)
    LT_LANES(call->result, int32_t)[row] = position_of(lt_arg_text(call, 0, row), lt_arg_text(call, 1, row), 0);
    return LEAT_OK;
}

// Whether `part` stands at byte `at` of `text`.
static bool stands_at(lt_text text, lt_text part, size_t at) {
    return part.bytes <= text.bytes - at && memcmp(text.data + at, part.data, part.bytes) == 0;
}

// The place of the `occurrence`-th find from character `start` on, backwards from the end for a negative start; finds
// may overlap.
static int32_t occurrence_of(lt_text text, lt_text part, int32_t start, int32_t occurrence) {
    if (start == 0) return 0;
    if (part.bytes == 0) return 1;
    const int64_t characters = (int64_t)lt_utf8_count(text.data, text.bytes);
    const int64_t step       = start > 0 ? 1 : -1;
    int64_t       character  = start > 0 ? (int64_t)start - 1 : characters + start;
    if (character < 0 || character >= characters) return 0;
    size_t at = lt_utf8_skip(text.data, text.bytes, 0, (size_t)character);
    for (;;) {
        if (stands_at(text, part, at) && --occurrence == 0) return (int32_t)character + 1;
        character += step;
        if (character < 0 || character >= characters) return 0;
        if (step > 0)
            at = lt_utf8_skip(text.data, text.bytes, at, 1);
        else
            do at--;
            while (at > 0 && ((unsigned char)text.data[at] & 0xC0) == 0x80);
    }
}

static leat_status instr_from_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const int32_t occurrence = call->argument_count > 3 ? LT_ARG(call, 3, int32_t, row) : 1;
        if (occurrence <= 0)
            return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__OCCURRENCE,
                                 "the occurrence %d of instr is not above zero", occurrence);
        LT_LANES(call->result, int32_t)
        [row] = occurrence_of(lt_arg_text(call, 0, row), lt_arg_text(call, 1, row), LT_ARG(call, 2, int32_t, row),
                              occurrence);
    }
    return LEAT_OK;
}

static leat_status locate_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row)
    LT_LANES(call->result, int32_t)[row] = position_of(lt_arg_text(call, 1, row), lt_arg_text(call, 0, row), 0);
    return LEAT_OK;
}

// A start that is NULL or below 1 finds nothing, whatever the texts are.
static leat_status locate_from_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        int32_t *out = &LT_LANES(call->result, int32_t)[row];
        *out         = 0;
        if (lt_arg_is_null(call, 2, row)) continue;
        if (lt_arg_is_null(call, 0, row) || lt_arg_is_null(call, 1, row)) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        int32_t start = LT_ARG(call, 2, int32_t, row);
        if (start >= 1) *out = position_of(lt_arg_text(call, 1, row), lt_arg_text(call, 0, row), (size_t)start - 1);
    }
    return LEAT_OK;
}

static leat_status find_in_set_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_text  word = lt_arg_text(call, 0, row), list = lt_arg_text(call, 1, row);
        int32_t *out = &LT_LANES(call->result, int32_t)[row];
        *out         = 0;
        if (word.bytes > 0 && memchr(word.data, ',', word.bytes) != NULL) continue;
        int32_t number = 1;
        for (size_t from = 0; from <= list.bytes; number++) {
            const char *comma = from < list.bytes ? memchr(list.data + from, ',', list.bytes - from) : NULL;
            size_t      to    = comma == NULL ? list.bytes : (size_t)(comma - list.data);
            if (to - from == word.bytes && memcmp(list.data + from, word.data, word.bytes) == 0) {
                *out = number;
                break;
            }
            from = to + 1;
        }
    }
    return LEAT_OK;
}

static bool text_starts(lt_text text, lt_text part) {
    return part.bytes <= text.bytes && memcmp(text.data, part.data, part.bytes) == 0;
}
static bool text_ends(lt_text text, lt_text part) {
    return part.bytes <= text.bytes && memcmp(text.data + text.bytes - part.bytes, part.data, part.bytes) == 0;
}
static bool text_contains(lt_text text, lt_text part) {
    return part.bytes == 0 || memmem(text.data, text.bytes, part.data, part.bytes) != NULL;
}

#define TEST(function, test)                                                                                           \
    static leat_status function(lt_call *call, leat_error *err) {                                                      \
        (void)err;                                                                                                     \
        LT_EACH_ROW(call, row)                                                                                         \
        LT_LANES(call->result, uint8_t)[row] = test(lt_arg_text(call, 0, row), lt_arg_text(call, 1, row));             \
        return LEAT_OK;                                                                                                \
    }
TEST(startswith_evaluate, text_starts)
TEST(endswith_evaluate, text_ends)
TEST(contains_evaluate, text_contains)

#define TEST_ROWS(function, run, text, sample)                                                                         \
    {.name           = function,                                                                                       \
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},                                                             \
     .returns        = LT_BOOLEAN,                                                                                     \
     .is_reader_test = true,                                                                                           \
     .evaluate       = run,                                                                                            \
     .summary        = text,                                                                                           \
     .example        = sample,                                                                                         \
     .example_result = "true"},                                                                                        \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_BINARY, LT_TAKES_BINARY}, .returns = LT_BOOLEAN, .evaluate = run          \
    }
#define LOCATE_ROWS(function, sample, answer)                                                                          \
    {.name           = function,                                                                                       \
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},                                                             \
     .returns        = LT_INT,                                                                                         \
     .evaluate       = locate_evaluate,                                                                                \
     .display        = function "($1, $2, 1)",                                                                         \
     .summary        = "Position of a text in another, from a character on; 0: nowhere.",                              \
     .example        = sample,                                                                                         \
     .example_result = answer},                                                                                        \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT}, .returns = LT_INT,                \
        .is_null_aware = true, .evaluate = locate_from_evaluate                                                        \
    }

const lt_function lt_functions_text_search[] = {
    {.name           = "instr",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns        = LT_INT,
     .evaluate       = instr_evaluate,
     .summary        = "Position of the second text in the first; 0: nowhere.",
     .example        = "SELECT instr('abcabc', 'b')",
     .example_result = "2"},
    {.name     = "instr",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT, LT_TAKES_INT | LT_TAKES_OPTIONAL},
     .returns  = LT_INT,
     .can_fail = true,
     .evaluate = instr_from_evaluate,
     .display  = "$name($1, $2, $3, $4{1})"},
    LOCATE_ROWS("locate", "SELECT locate('b', 'abcabc', 3)", "5"),
    LOCATE_ROWS("charindex", "SELECT charindex('b', 'abc')", "2"),
    LOCATE_ROWS("position", "SELECT position('b' IN 'abc')", "2"),
    {.name           = "find_in_set",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns        = LT_INT,
     .evaluate       = find_in_set_evaluate,
     .summary        = "Number of a word in a list with commas; 0: it is not there.",
     .example        = "SELECT find_in_set('ab', 'abc,b,ab,c')",
     .example_result = "3"},
    TEST_ROWS("startswith", startswith_evaluate, "Whether the first text begins with the second.",
              "SELECT startswith('abc', 'ab')"),
    TEST_ROWS("endswith", endswith_evaluate, "Whether the first text ends with the second.",
              "SELECT endswith('abc', 'bc')"),
    TEST_ROWS("contains", contains_evaluate, "Whether the second text stands in the first.",
              "SELECT contains('abc', 'b')"),
    {0},
};
