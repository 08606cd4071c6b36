// Takes characters off the ends of a text: blanks, or every character of a given set. Source: Spark SQL 4.
#include "base/function.h"
#include "base/utf8.h"

enum { TRIM_START = 1, TRIM_END = 2 };

static bool set_has(lt_text set, const char *character, size_t bytes) {
    for (size_t at = 0; at < set.bytes;) {
        size_t next = lt_utf8_skip(set.data, set.bytes, at, 1);
        if (next - at == bytes && memcmp(set.data + at, character, bytes) == 0) return true;
        at = next;
    }
    return false;
}

static void trim_rows(lt_call *call, uint32_t text_argument, int32_t set_argument, uint32_t ends) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, text_argument, row);
        lt_text set  = set_argument < 0 ? (lt_text){" ", 1} : lt_arg_text(call, (uint32_t)set_argument, row);
        size_t  from = 0, to = text.bytes;
        while ((ends & TRIM_START) != 0 && from < to) {
            size_t next = lt_utf8_skip(text.data, to, from, 1);
            if (!set_has(set, text.data + from, next - from)) break;
            from = next;
        }
        while ((ends & TRIM_END) != 0 && to > from) {
            size_t before = lt_utf8_before(text.data, to);
            if (before < from || !set_has(set, text.data + before, to - before)) break;
            to = before;
        }
        lt_call_put_view(call, row, text.data + from, to - from);
    }
}

#define TRIM(function, text, set, ends)                                                                                \
    static leat_status function(lt_call *call, leat_error *err) {                                                      \
        (void)err;                                                                                                     \
        trim_rows(call, text, set, ends);                                                                              \
        return LEAT_OK;                                                                                                \
    }
TRIM(trim_both, 0, -1, TRIM_START | TRIM_END)
TRIM(trim_start, 0, -1, TRIM_START)
TRIM(trim_end, 0, -1, TRIM_END)
TRIM(trim_set_both, 0, 1, TRIM_START | TRIM_END)
// The plain calls of two arguments name the set first, trim(x FROM s) gives it last.
TRIM(trim_from_both, 1, 0, TRIM_START | TRIM_END)
TRIM(trim_from_start, 1, 0, TRIM_START)
TRIM(trim_from_end, 1, 0, TRIM_END)

const lt_function lt_functions_text_trim[] = {
    {.name     = "trim",
     .takes    = {LT_TAKES_STRING},
     .returns  = LT_STRING,
     .evaluate = trim_both,
     .summary  = "Text without the blanks at both ends; trim(BOTH|LEADING|TRAILING x FROM s) names the characters.",
     .example  = "SELECT trim('  a b ')",
     .example_result = "a b"},
    {.name     = "trim",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .evaluate = trim_from_both,
     .display  = "TRIM(BOTH $1 FROM $2)"},
    {.name           = "ltrim",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .evaluate       = trim_start,
     .summary        = "Text without the blanks, or the characters given first, at its start.",
     .example        = "SELECT ltrim('  a')",
     .example_result = "a"},
    {.name     = "ltrim",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .evaluate = trim_from_start,
     .display  = "TRIM(LEADING $1 FROM $2)"},
    {.name           = "rtrim",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .evaluate       = trim_end,
     .summary        = "Text without the blanks, or the characters given first, at its end.",
     .example        = "SELECT rtrim('ab', 'xyab')",
     .example_result = "xy"},
    {.name     = "rtrim",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .evaluate = trim_from_end,
     .display  = "TRIM(TRAILING $1 FROM $2)"},
    {.name           = "btrim",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_STRING,
     .evaluate       = trim_both,
     .summary        = "Text without the blanks, or the characters given second, at both ends.",
     .example        = "SELECT btrim('xxaxx', 'x')",
     .example_result = "a"},
    {.name = "btrim", .takes = {LT_TAKES_STRING, LT_TAKES_STRING}, .returns = LT_STRING, .evaluate = trim_set_both},
    {0},
};
