// format_string and printf: Java's Formatter over SQL values: %[index$][flags][width][.places]letter.
//
// Letters: s b h c (with width and places), d o x (integers), e f g a (DOUBLE and FLOAT), % and n. %s of a DATE,
// TIMESTAMP, array, map or struct is Spark's internal value: days, microseconds, [1,null], keys: [a], values: [1].
// Source: Spark SQL 4; Javadoc of java.util.Formatter (17).
#include "base/lane_numbers.h"
#include "base/number_text.h"
#include "base/utf8.h"
#include "base/value_text.h"
#include "exec/kernels/digits.h"
#include "exec/kernels/value_hash.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH_MAX = 1 << 20, PLACES_USUAL = 6 };
enum {
    FLAG_LEFT      = 1,
    FLAG_ALTERNATE = 2,
    FLAG_PLUS      = 4,
    FLAG_BLANK     = 8,
    FLAG_ZERO      = 16,
    FLAG_GROUP     = 32,
    FLAG_PAREN     = 64
};

typedef struct directive {
    int32_t  index; // of the argument; 0: the next, -1: the previous
    uint32_t flags;
    int32_t  width, places; // -1: none
    char     letter;        // lower case
    bool     is_upper;
} directive;

static leat_status raise_format(lt_call *call, const char *reason, char letter, leat_error *err) {
    return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "format_string: %s at %%%c", reason, letter);
}

static int32_t read_number(lt_text format, size_t *at) {
    int32_t number = 0;
    while (*at < format.bytes && format.data[*at] >= '0' && format.data[*at] <= '9' && number < WIDTH_MAX)
        number = number * 10 + (format.data[(*at)++] - '0');
    return number;
}

// Reads behind the %.
static leat_status read_directive(lt_call *call, lt_text format, size_t *at, directive *out, leat_error *err) {
    static const char flags[] = "-#+ 0,(";
    *out                      = (directive){.width = -1, .places = -1};
    size_t start              = *at;
    if (start < format.bytes && format.data[start] == '<') {
        out->index = -1;
        ++*at;
    } else {
        int32_t number = read_number(format, at);
        if (number == 0 && *at > start && *at < format.bytes && format.data[*at] == '$')
            return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__ZERO_INDEX,
                                 "the arguments of format_string are counted from 1, not from 0");
        if (number > 0 && *at < format.bytes && format.data[*at] == '$' && format.data[start] != '0') {
            out->index = number;
            ++*at;
        } else {
            *at = start;
        }
    }
    for (; *at < format.bytes; ++*at) {
        const char *flag = format.data[*at] == '\0' ? NULL : strchr(flags, format.data[*at]);
        if (flag == NULL) break;
        out->flags |= 1u << (flag - flags);
    }
    start         = *at;
    int32_t width = read_number(format, at);
    if (*at > start) out->width = width;
    if (*at < format.bytes && format.data[*at] == '.') {
        start       = ++*at;
        out->places = read_number(format, at);
        if (*at == start) return raise_format(call, "no digits behind the point", '.', err);
    }
    if (*at >= format.bytes) return raise_format(call, "the format ends", '?', err);
    if (out->width >= WIDTH_MAX || out->places >= WIDTH_MAX) return raise_format(call, "too wide", '?', err);
    char letter   = format.data[(*at)++];
    out->is_upper = strchr("SBHCXEGA", letter) != NULL && letter != '\0';
    out->letter   = out->is_upper ? (char)(letter + 32) : letter;
    if (letter == '\0' || strchr("sbhcdoxefga%n", out->letter) == NULL)
        return raise_format(call, "unknown conversion", letter, err);
    if ((out->flags & (FLAG_LEFT | FLAG_ZERO)) != 0 && out->width < 0)
        return raise_format(call, "the flags - and 0 need a width", letter, err);
    if ((out->flags & FLAG_LEFT) != 0 && (out->flags & FLAG_ZERO) != 0)
        return raise_format(call, "the flags - and 0 exclude each other", letter, err);
    return LEAT_OK;
}

// Text behind `start` of the buffer brought to the width.
static leat_status justify(lt_buffer *out, size_t start, const directive *how, leat_error *err) {
    size_t characters = lt_utf8_count(out->data + start, out->bytes - start);
    if (how->width < 0 || characters >= (size_t)how->width) return LEAT_OK;
    size_t missing = (size_t)how->width - characters, bytes = out->bytes - start;
    for (size_t i = 0; i < missing; i++) LT_TRY(lt_buffer_append_byte(out, ' ', err));
    if ((how->flags & FLAG_LEFT) != 0) return LEAT_OK;
    memmove(out->data + start + missing, out->data + start, bytes);
    memset(out->data + start, ' ', missing);
    return LEAT_OK;
}

static leat_status append_text(lt_buffer *out, lt_text text, const directive *how, leat_error *err) {
    size_t start = out->bytes;
    if (how->places >= 0) text.bytes = lt_utf8_skip(text.data, text.bytes, 0, (size_t)how->places);
    if (how->is_upper)
        LT_TRY(lt_utf8_append_upper(out, text.data, text.bytes, err));
    else
        LT_TRY(lt_buffer_append(out, text.data, text.bytes, err));
    return justify(out, start, how, err);
}

// ------------------------------------------------------------------------------------------------------------ numbers

static leat_status open_sign(lt_buffer *out, bool is_negative, uint32_t flags, leat_error *err) {
    const char *sign = is_negative                 ? (flags & FLAG_PAREN) != 0 ? "(" : "-"
                       : (flags & FLAG_PLUS) != 0  ? "+"
                       : (flags & FLAG_BLANK) != 0 ? " "
                                                   : "";
    return lt_buffer_append_text(out, sign, err);
}

// Closes a number whose sign begins at `start` and whose digits begin at `first`.
static leat_status close_number(lt_buffer *out, size_t start, size_t first, bool is_negative, const directive *how,
                                leat_error *err) {
    bool    has_paren = is_negative && (how->flags & FLAG_PAREN) != 0;
    int32_t width     = how->width - has_paren;
    if ((how->flags & FLAG_ZERO) != 0) {
        size_t bytes = out->bytes - start, tail = out->bytes - first;
        size_t missing = width > 0 && (size_t)width > bytes ? (size_t)width - bytes : 0;
        for (size_t i = 0; i < missing; i++) LT_TRY(lt_buffer_append_byte(out, '0', err));
        memmove(out->data + first + missing, out->data + first, tail);
        memset(out->data + first, '0', missing);
    }
    if (has_paren) LT_TRY(lt_buffer_append_byte(out, ')', err));
    return justify(out, start, how, err);
}

static leat_status append_integer(lt_buffer *out, int64_t value, const directive *how, leat_error *err) {
    lt_digits digits;
    size_t    start = out->bytes;
    lt_digits_of_decimal(value, 0, &digits);
    LT_TRY(open_sign(out, value < 0, how->flags, err));
    size_t first = out->bytes;
    LT_TRY(lt_digits_append(out, &digits, 1, (how->flags & FLAG_GROUP) != 0 ? 3 : 0, 0, err));
    return close_number(out, start, first, value < 0, how, err);
}

// Two's complement in as many bits as the type has.
static leat_status append_bits(lt_buffer *out, int64_t value, uint32_t bits, const directive *how, leat_error *err) {
    size_t   start = out->bytes, first = start;
    uint64_t raw = bits == 64 ? (uint64_t)value : (uint64_t)value & (((uint64_t)1 << bits) - 1);
    if ((how->flags & FLAG_ALTERNATE) != 0) {
        LT_TRY(lt_buffer_append_text(out, how->letter == 'o' ? "0" : how->is_upper ? "0X" : "0x", err));
        first = out->bytes;
    }
    LT_TRY(lt_buffer_format(out, err,
                            how->letter == 'o' ? "%llo"
                            : how->is_upper    ? "%llX"
                                               : "%llx",
                            (unsigned long long)raw));
    return close_number(out, start, first, false, how, err);
}

static leat_status append_scientific(lt_buffer *out, lt_digits *digits, int32_t places, const directive *how,
                                     leat_error *err) {
    lt_digits_round_half_up(digits, places + 1);
    int32_t exponent = digits->count == 0 ? 0 : digits->point - 1;
    digits->point    = digits->count == 0 ? 0 : 1;
    LT_TRY(lt_digits_append(out, digits, 1, 0, places, err));
    if (places == 0 && (how->flags & FLAG_ALTERNATE) != 0) LT_TRY(lt_buffer_append_byte(out, '.', err));
    return lt_buffer_format(out, err, "%c%c%02d", how->is_upper ? 'E' : 'e', exponent < 0 ? '-' : '+',
                            exponent < 0 ? -exponent : exponent);
}

static leat_status append_fixed(lt_buffer *out, lt_digits *digits, int32_t places, const directive *how,
                                leat_error *err) {
    lt_digits_round_half_up(digits, digits->point + places);
    LT_TRY(lt_digits_append(out, digits, 1, (how->flags & FLAG_GROUP) != 0 ? 3 : 0, places, err));
    if (places == 0 && (how->flags & FLAG_ALTERNATE) != 0) LT_TRY(lt_buffer_append_byte(out, '.', err));
    return LEAT_OK;
}

// %g: as many digits as `places` in all; scientific below 10^-4 and from 10^places on, judged after rounding.
static leat_status append_general(lt_buffer *out, lt_digits *digits, int32_t places, const directive *how,
                                  leat_error *err) {
    if (places == 0) places = 1;
    lt_digits_round_half_up(digits, places);
    int32_t exponent = digits->count == 0 ? 0 : digits->point - 1;
    if (exponent < -4 || exponent >= places) return append_scientific(out, digits, places - 1, how, err);
    return append_fixed(out, digits, places - exponent - 1, how, err);
}

// %a: the bits of a finite double of no sign; 0x0. and -1022 for a subnormal number. `places` (-1: as many as needed)
// round half to even; a subnormal number is normalised for that.
static leat_status append_hexadecimal(lt_buffer *out, double value, int32_t places, bool is_upper, leat_error *err) {
    enum { FRACTION_BITS = 52, PLACES_EXACT = 13, SCALE = 54 };
    static const uint64_t fraction_mask = (UINT64_C(1) << FRACTION_BITS) - 1;
    uint64_t              bits;
    int32_t               scale = 0;
    if (places == 0) places = 1;
    const bool is_rounded = value > 0 && places > 0 && places < PLACES_EXACT;
    if (is_rounded && value < DBL_MIN) {
        value = ldexp(value, SCALE);
        scale = -SCALE;
    }
    memcpy(&bits, &value, sizeof bits);
    if (is_rounded) {
        const uint32_t dropped = 4 * (uint32_t)(PLACES_EXACT - places);
        const uint64_t unit = UINT64_C(1) << dropped, rest = bits & (unit - 1);
        bits -= rest;
        if (rest > unit / 2 || (rest == unit / 2 && (bits & unit) != 0)) bits += unit; // may carry into the exponent
    }
    const uint64_t fraction = bits & fraction_mask;
    const int32_t  biased   = (int32_t)(bits >> FRACTION_BITS);
    const int32_t  exponent = bits == 0 ? 0 : biased == 0 ? -1022 : biased - 1023 + scale;
    char           digits[PLACES_EXACT];
    int32_t        shown = PLACES_EXACT;
    for (int32_t i = 0; i < PLACES_EXACT; i++)
        digits[i] = (is_upper ? "0123456789ABCDEF" : "0123456789abcdef")[fraction >> (FRACTION_BITS - 4 - 4 * i) & 15];
    while (shown > 1 && shown > places && digits[shown - 1] == '0') shown--;
    LT_TRY(lt_buffer_append_text(out, biased == 0 ? "0." : "1.", err));
    LT_TRY(lt_buffer_append(out, digits, (size_t)shown, err));
    for (; shown < places; shown++) LT_TRY(lt_buffer_append_byte(out, '0', err));
    return lt_buffer_format(out, err, "%c%d", is_upper ? 'P' : 'p', exponent);
}

static leat_status append_double(lt_call *call, lt_buffer *out, const lt_vector *vector, uint32_t row,
                                 const directive *how, leat_error *err) {
    lt_digits digits;
    lt_kind   kind = vector->type->kind;
    if (!lt_kind_is_fractional(kind) || !lt_digits_of(vector, row, &digits))
        return raise_format(call, "the argument is no DOUBLE", how->letter, err);
    if (digits.is_nan)
        return append_text(out, (lt_text){"NaN", 3},
                           &(directive){.width = how->width, .places = -1, .flags = how->flags & FLAG_LEFT}, err);
    size_t start = out->bytes;
    LT_TRY(open_sign(out, digits.is_negative, how->flags, err));
    if (digits.is_infinite) {
        directive plain = *how;
        plain.flags &= ~(uint32_t)FLAG_ZERO;
        LT_TRY(lt_buffer_append_text(out, how->is_upper ? "INFINITY" : "Infinity", err));
        return close_number(out, start, out->bytes, digits.is_negative, &plain, err);
    }
    if (how->letter == 'a') {
        const double magnitude = fabs(lt_lane_double(lt_vector_lanes(vector), lt_vector_lane(vector, row)));
        if ((how->flags & (FLAG_GROUP | FLAG_PAREN)) != 0) return raise_format(call, "a flag does not fit", 'a', err);
        LT_TRY(lt_buffer_append_text(out, how->is_upper ? "0X" : "0x", err));
        const size_t first = out->bytes;
        LT_TRY(append_hexadecimal(out, magnitude, how->places, how->is_upper, err));
        return close_number(out, start, first, digits.is_negative, how, err);
    }
    size_t  first  = out->bytes;
    int32_t places = how->places < 0 ? PLACES_USUAL : how->places;
    if (how->letter == 'e')
        LT_TRY(append_scientific(out, &digits, places, how, err));
    else if (how->letter == 'f')
        LT_TRY(append_fixed(out, &digits, places, how, err));
    else
        LT_TRY(append_general(out, &digits, places, how, err));
    return close_number(out, start, first, digits.is_negative, how, err);
}

// ------------------------------------------------------------------------------------------------------------- values

static leat_status append_value(lt_call *call, lt_buffer *out, const lt_vector *vector, uint32_t row,
                                const directive *how, leat_error *err) {
    const lt_value_text printer = {.style = LT_VALUE_TEXT_INTERNAL};
    if (lt_kind_is_bytes(vector->type->kind)) {
        const lt_string *string = &LT_VALUE(vector, lt_string, row);
        return append_text(out, (lt_text){lt_string_data(string), string->bytes}, how, err);
    }
    lt_buffer text;
    lt_buffer_init(&text, call->arena->account, LT_VALUE_BYTES_MAX);
    leat_status status = lt_value_text_append(&printer, vector, row, &text, err);
    if (status == LEAT_OK) status = append_text(out, (lt_text){text.data, text.bytes}, how, err);
    lt_buffer_deinit(&text);
    return status;
}

// hashCode() of what Spark passes on.
static leat_status append_hash(lt_call *call, lt_buffer *out, const lt_vector *vector, uint32_t row,
                               const directive *how, leat_error *err) {
    int64_t  integer;
    uint32_t bits, hash;
    char     text[16];
    if (lt_kind_is_bytes(vector->type->kind)) {
        const lt_string *string = &LT_VALUE(vector, lt_string, row);
        hash                    = lt_bytes_murmur3(lt_string_data(string), string->bytes, LT_VALUE_HASH_SEED);
    } else if (vector->type->kind == LT_BOOLEAN) {
        hash = LT_VALUE(vector, uint8_t, row) != 0 ? 1231 : 1237;
    } else if (vector->type->kind == LT_DOUBLE) {
        memcpy(&integer, &LT_VALUE(vector, double, row), sizeof integer);
        hash = (uint32_t)((uint64_t)integer ^ (uint64_t)integer >> 32);
    } else if (lt_integer_of(vector, row, &integer, &bits)) {
        hash = bits == 64 ? (uint32_t)((uint64_t)integer ^ (uint64_t)integer >> 32) : (uint32_t)integer;
    } else {
        return raise_format(call, "an argument of this type has no hash", 'h', err);
    }
    int count = snprintf(text, sizeof text, "%x", hash);
    return append_text(out, (lt_text){text, (size_t)count}, how, err);
}

static leat_status append_character(lt_call *call, lt_buffer *out, const lt_vector *vector, uint32_t row,
                                    const directive *how, leat_error *err) {
    int64_t  integer;
    uint32_t bits;
    char     text[LT_UTF8_BYTES_MAX];
    if (!lt_integer_of(vector, row, &integer, &bits) || integer < 0 || integer > 0x10FFFF)
        return raise_format(call, "the argument is no number of a character", 'c', err);
    size_t bytes = lt_utf8_encode((uint32_t)integer, text);
    return append_text(out, (lt_text){text, bytes}, how, err);
}

static leat_status append_argument(lt_call *call, lt_buffer *out, uint32_t argument, uint32_t row, const directive *how,
                                   leat_error *err) {
    const lt_vector *vector = call->arguments[argument];
    int64_t          integer;
    uint32_t         bits;
    if (lt_vector_is_null(vector, row)) {
        bool is_boolean = how->letter == 'b';
        return append_text(out, (lt_text){is_boolean ? "false" : "null", is_boolean ? 5 : 4}, how, err);
    }
    switch (how->letter) {
    case 's':
        if ((how->flags & ~(uint32_t)FLAG_LEFT) != 0) return raise_format(call, "a flag does not fit", 's', err);
        return append_value(call, out, vector, row, how, err);
    case 'b':
        if (vector->type->kind == LT_BOOLEAN) return append_value(call, out, vector, row, how, err);
        return append_text(out, (lt_text){"true", 4}, how, err);
    case 'h':
        return append_hash(call, out, vector, row, how, err);
    case 'c':
        return append_character(call, out, vector, row, how, err);
    case 'd':
    case 'o':
    case 'x':
        if (how->places >= 0) return raise_format(call, "an integer has no places", how->letter, err);
        if (!lt_integer_of(vector, row, &integer, &bits))
            return raise_format(call, "the argument is no integer", how->letter, err);
        if (how->letter == 'd') return append_integer(out, integer, how, err);
        return append_bits(out, integer, bits, how, err);
    default:
        return append_double(call, out, vector, row, how, err);
    }
}

static leat_status format_string_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    if (lt_arg_is_null(call, 0, row)) return lt_call_put_null(call, row, err);
    lt_text  format = lt_arg_text(call, 0, row);
    uint32_t next = 1, last = 0;
    for (size_t at = 0; at < format.bytes;) {
        if (format.data[at] != '%') {
            LT_TRY(lt_buffer_append_byte(out, format.data[at++], err));
            continue;
        }
        directive how;
        at++;
        LT_TRY(read_directive(call, format, &at, &how, err));
        if (how.letter == '%') {
            LT_TRY(append_text(out, (lt_text){"%", 1}, &how, err));
            continue;
        }
        if (how.letter == 'n') {
            LT_TRY(lt_buffer_append_byte(out, '\n', err));
            continue;
        }
        uint32_t argument = how.index > 0 ? (uint32_t)how.index : how.index < 0 ? last : next++;
        if (argument == 0 || argument >= call->argument_count)
            return raise_format(call, "there is no such argument", how.letter, err);
        last = argument;
        LT_TRY(append_argument(call, out, argument, row, &how, err));
    }
    return LEAT_OK;
}
static leat_status format_string_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, format_string_write, err);
}

static leat_status format_string_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 0)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "`%s` takes a format and the values for it", resolution->function->name);
    if (lt_kind_is_nested(resolution->types[0]->kind)) return LEAT_DONE;
    resolution->types[0] = resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

#define FORMAT(function, sample)                                                                                       \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_STRING, LT_TAKES_ANY | LT_TAKES_REPEATED},                                \
        .resolve = format_string_resolve, .is_null_aware = true, .can_fail = true, .evaluate = format_string_evaluate, \
        .summary = "Values in a text with the directives of printf.", .example = sample, .example_result = "x is 5"    \
    }

const lt_function lt_functions_format_string[] = {
    FORMAT("format_string", "SELECT format_string('%s is %d', 'x', 5)"),
    FORMAT("printf", "SELECT printf('%s is %d', 'x', 5)"),
    {0},
};
