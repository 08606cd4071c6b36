// format_number: a number with groups of thousands and a number of places, or in a pattern of Java's DecimalFormat:
//
//     #,##0.00   # a digit unless it is a leading or trailing zero, 0 a digit, then prefix, suffix, %, ; negative form
//
// Rounds half to even. Source: Spark SQL 4; Java's DecimalFormat.
#include "exec/kernels/digits.h"

enum { PLACES_MAX = 340, AFFIX_BYTES_MAX = 64 };

typedef struct number_pattern {
    char    prefix[AFFIX_BYTES_MAX], suffix[AFFIX_BYTES_MAX];
    char    minus_prefix[AFFIX_BYTES_MAX], minus_suffix[AFFIX_BYTES_MAX];
    bool    has_minus_form, shows_point;                     // shows_point: also without places
    int32_t whole_min, places_min, places_max, group, shift; // shift: digits of a percentage
} number_pattern;

static leat_status append_number(lt_buffer *out, lt_digits *digits, const number_pattern *pattern, leat_error *err) {
    if (digits->is_nan) return lt_buffer_append_text(out, "NaN", err);
    digits->point += digits->count > 0 ? pattern->shift : 0;
    int32_t places = digits->count - digits->point;
    if (!digits->is_infinite && pattern->places_max < places) {
        lt_digits_round_half_even(digits, digits->point + pattern->places_max);
        places = digits->count - digits->point;
    }
    if (places < pattern->places_min) places = pattern->places_min;
    if (places > pattern->places_max) places = pattern->places_max;
    bool is_minus = digits->is_negative;
    if (is_minus && !pattern->has_minus_form) LT_TRY(lt_buffer_append_byte(out, '-', err));
    LT_TRY(
        lt_buffer_append_text(out, is_minus && pattern->has_minus_form ? pattern->minus_prefix : pattern->prefix, err));
    if (digits->is_infinite)
        LT_TRY(lt_buffer_append_text(out, "\xE2\x88\x9E", err));
    else
        LT_TRY(lt_digits_append(out, digits, pattern->whole_min, pattern->group, places, err));
    if (pattern->shows_point && !digits->is_infinite) LT_TRY(lt_buffer_append_byte(out, '.', err));
    return lt_buffer_append_text(out, is_minus && pattern->has_minus_form ? pattern->minus_suffix : pattern->suffix,
                                 err);
}

static leat_status places_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    int32_t places = LT_ARG(call, 1, int32_t, row);
    if (places < 0) return lt_call_put_null(call, row, err);
    lt_digits digits;
    lt_digits_of(call->arguments[0], row, &digits);
    if (digits.is_binary && places > PLACES_MAX) places = PLACES_MAX;
    number_pattern pattern = {.whole_min = 1, .group = 3, .places_min = places, .places_max = places};
    return append_number(out, &digits, &pattern, err);
}
static leat_status places_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, places_write, err);
}

// Literal text up to the digits or the end of a form. False: too long.
static bool read_affix(lt_text text, size_t *at, char out[AFFIX_BYTES_MAX], int32_t *shift) {
    size_t count     = 0;
    bool   is_quoted = false;
    for (; *at < text.bytes; ++*at) {
        char byte = text.data[*at];
        if (byte == '\'') {
            if (*at + 1 < text.bytes && text.data[*at + 1] == '\'')
                ++*at;
            else {
                is_quoted = !is_quoted;
                continue;
            }
        } else if (!is_quoted && byte != '\0' && strchr("#0,.;", byte) != NULL) {
            break;
        } else if (!is_quoted && byte == '%') {
            *shift = 2;
        }
        if (count + 1 >= AFFIX_BYTES_MAX) return false;
        out[count++] = byte;
    }
    out[count] = '\0';
    return !is_quoted;
}

static bool read_pattern(lt_text text, number_pattern *out) {
    *out      = (number_pattern){0};
    size_t at = 0, comma = SIZE_MAX, digits = 0;
    if (!read_affix(text, &at, out->prefix, &out->shift)) return false;
    for (; at < text.bytes && strchr("#0,", text.data[at]) != NULL && text.data[at] != '\0'; at++) {
        if (text.data[at] == ',') {
            comma = digits;
            continue;
        }
        if (text.data[at] == '#' && out->whole_min > 0) return false;
        digits++;
        out->whole_min += text.data[at] == '0';
    }
    if (comma != SIZE_MAX) out->group = (int32_t)(digits - comma);
    if (comma != SIZE_MAX && out->group == 0) return false;
    if (at < text.bytes && text.data[at] == '.') {
        for (at++; at < text.bytes && (text.data[at] == '0' || text.data[at] == '#'); at++) {
            if (text.data[at] == '0' && out->places_max > out->places_min) return false;
            out->places_max++;
            out->places_min += text.data[at] == '0';
        }
        out->shows_point = out->places_max == 0;
    }
    if (at < text.bytes && text.data[at] == 'E') return false;
    if (!read_affix(text, &at, out->suffix, &out->shift)) return false;
    if (at >= text.bytes) return true;
    if (text.data[at++] != ';') return false;
    out->has_minus_form = true;
    if (!read_affix(text, &at, out->minus_prefix, &out->shift)) return false;
    while (at < text.bytes && text.data[at] != '\0' && strchr("#0,.", text.data[at]) != NULL) at++;
    return read_affix(text, &at, out->minus_suffix, &out->shift) && at >= text.bytes;
}

static leat_status pattern_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text        text = lt_arg_text(call, 1, row);
    number_pattern pattern;
    if (text.bytes == 0)
        pattern = (number_pattern){.whole_min = 1, .group = 3};
    else if (!read_pattern(text, &pattern))
        return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "`%.*s` is no pattern of a number, such as #,##0.00",
                             (int)(text.bytes < 80 ? text.bytes : 80), text.data);
    lt_digits digits;
    lt_digits_of(call->arguments[0], row, &digits);
    return append_number(out, &digits, &pattern, err);
}
static leat_status pattern_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, pattern_write, err);
}

const lt_function lt_functions_format_number[] = {
    {.name           = "format_number",
     .takes          = {LT_TAKES_NUMERIC | LT_TAKES_EXACT, LT_TAKES_INT | LT_TAKES_EXACT},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = places_evaluate,
     .summary        = "A number with groups of thousands and a number of places, or a pattern.",
     .example        = "SELECT format_number(1234567.891, 2)",
     .example_result = "1,234,567.89"},
    {.name     = "format_number",
     .takes    = {LT_TAKES_NUMERIC | LT_TAKES_EXACT, LT_TAKES_STRING | LT_TAKES_EXACT},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = pattern_evaluate},
    {0},
};
