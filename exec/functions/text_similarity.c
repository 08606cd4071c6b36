// How alike texts are, and checks of a text's form: levenshtein, soundex, jaro_winkler_similarity, luhn_check.
// Memory: two lines of the distance table, from the arena. Source: Spark SQL 4: UTF8String; Apache Commons Text.
#include "base/function.h"
#include "base/utf8.h"

typedef struct characters {
    uint32_t *at;
    uint32_t  count;
} characters;

static leat_status characters_of(lt_call *call, lt_text text, characters *out, leat_error *err) {
    out->count = 0;
    LT_TRY_NEW_ARRAY(out->at, call->arena, text.bytes + 1, err);
    for (size_t at = 0; at < text.bytes;) out->at[out->count++] = (uint32_t)lt_utf8_decode(text.data, text.bytes, &at);
    return LEAT_OK;
}

// The work is the product of the lengths, so that the lengths are limited.
enum { DISTANCE_WORK_MAX = 1 << 28 };

static leat_status distance(lt_call *call, lt_text a_text, lt_text b_text, int32_t *out, leat_error *err) {
    characters a, b;
    LT_TRY(characters_of(call, a_text, &a, err));
    LT_TRY(characters_of(call, b_text, &b, err));
    if ((uint64_t)a.count * b.count > DISTANCE_WORK_MAX)
        return lt_call_raise(call, err, LT_LIMIT_EXCEEDED, "texts of %u and %u characters are too long to compare",
                             a.count, b.count);
    uint32_t *line;
    LT_TRY_NEW_ARRAY(line, call->arena, b.count + 1, err);
    for (uint32_t j = 0; j <= b.count; j++) line[j] = j;
    for (uint32_t i = 1; i <= a.count; i++) {
        uint32_t diagonal = line[0];
        line[0]           = i;
        for (uint32_t j = 1; j <= b.count; j++) {
            uint32_t changed = diagonal + (a.at[i - 1] != b.at[j - 1]);
            diagonal         = line[j];
            uint32_t grown   = (line[j] < line[j - 1] ? line[j] : line[j - 1]) + 1;
            line[j]          = changed < grown ? changed : grown;
        }
    }
    *out = (int32_t)line[b.count];
    return LEAT_OK;
}

static leat_status levenshtein_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        int32_t *out = &LT_LANES(call->result, int32_t)[row];
        LT_TRY(distance(call, lt_arg_text(call, 0, row), lt_arg_text(call, 1, row), out, err));
        if (call->argument_count > 2 && *out > LT_ARG(call, 2, int32_t, row)) *out = -1;
    }
    return LEAT_OK;
}

// Code of each letter; 7 is passed over without ending a run of equal codes.
static const char soundex_codes[] = "01230127022455012623017202";

static leat_status soundex_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_text text    = lt_arg_text(call, 0, row);
        char    code[4] = "000";
        code[3]         = '0';
        char first      = text.bytes > 0 ? text.data[0] : '\0';
        if (first >= 'a' && first <= 'z') first = (char)(first - 32);
        if (first < 'A' || first > 'Z') {
            lt_call_put_view(call, row, text.data, text.bytes);
            continue;
        }
        code[0]       = first;
        char   last   = soundex_codes[first - 'A'];
        size_t filled = 1;
        for (size_t i = 1; i < text.bytes && filled < 4; i++) {
            char letter = text.data[i];
            if (letter >= 'a' && letter <= 'z') letter = (char)(letter - 32);
            char here = letter >= 'A' && letter <= 'Z' ? soundex_codes[letter - 'A'] : '0';
            if (here == '7') continue;
            if (here != '0' && here != last) code[filled++] = here;
            last = here;
        }
        lt_call_put_view(call, row, code, sizeof code);
    }
    return LEAT_OK;
}

static double jaro(const characters *a, const characters *b, uint8_t *a_used, uint8_t *b_used) {
    uint32_t longest = a->count > b->count ? a->count : b->count;
    uint32_t reach   = longest / 2 > 0 ? longest / 2 - 1 : 0;
    uint32_t matches = 0, swapped = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t from = i > reach ? i - reach : 0, to = i + reach + 1 < b->count ? i + reach + 1 : b->count;
        for (uint32_t j = from; j < to; j++) {
            if (b_used[j] || a->at[i] != b->at[j]) continue;
            a_used[i] = b_used[j] = 1;
            matches++;
            break;
        }
    }
    if (matches == 0) return 0;
    for (uint32_t i = 0, j = 0; i < a->count; i++) {
        if (!a_used[i]) continue;
        while (!b_used[j]) j++;
        swapped += a->at[i] != b->at[j++];
    }
    double m = matches;
    return (m / a->count + m / b->count + (m - swapped / 2.0) / m) / 3;
}

static leat_status jaro_winkler_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        characters a, b;
        LT_TRY(characters_of(call, lt_arg_text(call, 0, row), &a, err));
        LT_TRY(characters_of(call, lt_arg_text(call, 1, row), &b, err));
        if ((uint64_t)a.count * b.count > DISTANCE_WORK_MAX)
            return lt_call_raise(call, err, LT_LIMIT_EXCEEDED, "texts of %u and %u characters are too long to compare",
                                 a.count, b.count);
        uint8_t *a_used, *b_used;
        LT_TRY_NEW_ARRAY(a_used, call->arena, a.count + 1, err);
        LT_TRY_NEW_ARRAY(b_used, call->arena, b.count + 1, err);
        double   alike  = a.count == 0 && b.count == 0 ? 1 : jaro(&a, &b, a_used, b_used);
        uint32_t prefix = 0;
        while (prefix < 4 && prefix < a.count && prefix < b.count && a.at[prefix] == b.at[prefix]) prefix++;
        LT_LANES(call->result, double)[row] = alike + 0.1 * prefix * (1 - alike);
    }
    return LEAT_OK;
}

static bool luhn_is_right(lt_text text) {
    uint32_t sum = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        char digit = text.data[text.bytes - 1 - i];
        if (digit < '0' || digit > '9') return false;
        uint32_t value = (uint32_t)(digit - '0') << (i & 1);
        sum += value > 9 ? value - 9 : value;
    }
    return text.bytes > 0 && sum % 10 == 0;
}

static leat_status luhn_check_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) LT_LANES(call->result, uint8_t)[row] = luhn_is_right(lt_arg_text(call, 0, row));
    return LEAT_OK;
}

const lt_function lt_functions_text_similarity[] = {
    {.name     = "levenshtein",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT | LT_TAKES_OPTIONAL},
     .returns  = LT_INT,
     .can_fail = true,
     .evaluate = levenshtein_evaluate,
     .summary  = "Least number of inserted, deleted and changed characters between two texts; -1 beyond a maximum.",
     .example  = "SELECT levenshtein('kitten', 'sitting')",
     .example_result = "3"},
    {.name           = "soundex",
     .takes          = {LT_TAKES_STRING | LT_TAKES_EXACT},
     .returns        = LT_STRING,
     .evaluate       = soundex_evaluate,
     .summary        = "Soundex code of an English word.",
     .example        = "SELECT soundex('Tymczak')",
     .example_result = "T522"},
    {.name           = "jaro_winkler_similarity",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING},
     .returns        = LT_DOUBLE,
     .can_fail       = true,
     .evaluate       = jaro_winkler_evaluate,
     .summary        = "Likeness of two texts between 0 and 1.",
     .example        = "SELECT jaro_winkler_similarity('martha', 'marhta')",
     .example_result = "0.9611111111111111"},
    {.name           = "luhn_check",
     .takes          = {LT_TAKES_STRING},
     .returns        = LT_BOOLEAN,
     .evaluate       = luhn_check_evaluate,
     .summary        = "Whether the digits end in the right check digit.",
     .example        = "SELECT luhn_check('4111111111111111')",
     .example_result = "true"},
    {0},
};
