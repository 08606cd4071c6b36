#include "exec/kernels/number_format.h"

#include "base/ascii.h"
#include "base/decimal.h"
#include "exec/kernels/digits.h"

static bool next_is(lt_text format, size_t at, const char *word) {
    size_t bytes = strlen(word);
    return format.bytes - at >= bytes && lt_ascii_compare_bytes(format.data + at, word, bytes) == 0;
}

static leat_status raise_format(lt_text format, lt_condition condition, const lt_place *place, const char *reason,
                                leat_error *err) {
    return lt_raise(err, condition, place, "the number format `%.*s` %s", (int)(format.bytes < 80 ? format.bytes : 80),
                    format.data, reason);
}

// *out_known is false for a character that no format has; nothing is read then.
static lt_format_token read_token(lt_text format, size_t *at, bool *out_known) {
    lt_format_token token = {.count = 1};
    char            byte  = format.data[*at];
    *out_known            = true;
    if (byte == '0' || byte == '9') {
        token = (lt_format_token){.kind = LT_FORMAT_DIGITS, .is_zero = byte == '0'};
        while (*at < format.bytes && (format.data[*at] == '0' || format.data[*at] == '9')) ++*at, token.count++;
        return token;
    }
    ++*at;
    if (byte == '.' || byte == 'D' || byte == 'd')
        token.kind = LT_FORMAT_POINT;
    else if (byte == ',' || byte == 'G' || byte == 'g')
        token.kind = LT_FORMAT_THOUSANDS;
    else if (byte == '$')
        token.kind = LT_FORMAT_DOLLAR;
    else if (byte == 'S' || byte == 's')
        token.kind = LT_FORMAT_SIGN;
    else if (next_is(format, *at - 1, "MI"))
        token.kind = LT_FORMAT_MINUS, ++*at;
    else if (next_is(format, *at - 1, "PR") && *at + 1 == format.bytes)
        token.kind = LT_FORMAT_CLOSE, ++*at;
    else
        *out_known = false;
    return token;
}

typedef struct format_check {
    uint32_t counts[LT_FORMAT_CLOSE + 1];
    int32_t  first_digit, point, dollar, last_thousands; // places among the tokens; -1: none
    bool     has_digit, has_unknown, has_neighbours;     // neighbours: two signs for thousands side by side
} format_check;

static leat_status check(lt_text format, const format_check *seen, const lt_place *place, leat_error *err) {
    if (!seen->has_digit)
        return raise_format(format, LT_INVALID_FORMAT__WRONG_NUM_DIGIT, place, "needs at least one 0 or 9", err);
    if (seen->dollar > seen->first_digit)
        return raise_format(format, LT_INVALID_FORMAT__CUR_MUST_BEFORE_DIGIT, place, "has $ behind digits", err);
    if (seen->point >= 0 && seen->dollar > seen->point)
        return raise_format(format, LT_INVALID_FORMAT__CUR_MUST_BEFORE_DEC, place, "has $ behind the point", err);
    if (seen->point >= 0 && seen->last_thousands > seen->point)
        return raise_format(format, LT_INVALID_FORMAT__THOUSANDS_SEPS_MUST_BEFORE_DEC, place,
                            "has thousands behind the point", err);
    if (seen->has_neighbours)
        return raise_format(format, LT_INVALID_FORMAT__CONT_THOUSANDS_SEPS, place,
                            "has no digits around a sign for thousands", err);
    if (seen->counts[LT_FORMAT_POINT] > 1 || seen->counts[LT_FORMAT_DOLLAR] > 1 ||
        seen->counts[LT_FORMAT_SIGN] + seen->counts[LT_FORMAT_MINUS] + seen->counts[LT_FORMAT_CLOSE] > 1)
        return raise_format(format, LT_INVALID_FORMAT__WRONG_NUM_TOKEN, place, "has a sign or point twice", err);
    if (seen->has_unknown)
        return raise_format(format, LT_INVALID_FORMAT__UNEXPECTED_TOKEN, place, "has an unknown character", err);
    return LEAT_OK;
}

leat_status lt_number_format_parse(lt_text format, const lt_place *place, lt_number_format *out, leat_error *err) {
    *out                   = (lt_number_format){0};
    format_check seen      = {.first_digit = -1, .point = -1, .dollar = -1, .last_thousands = -1};
    bool         has_close = format.bytes >= 2 && next_is(format, format.bytes - 2, "PR");
    if (format.bytes == 0) return raise_format(format, LT_INVALID_FORMAT__EMPTY, place, "is empty", err);
    if (has_close) out->tokens[out->token_count++] = (lt_format_token){.kind = LT_FORMAT_OPEN, .count = 1};
    for (size_t at = 0; at < format.bytes;) {
        bool            is_known;
        lt_format_token token = read_token(format, &at, &is_known);
        int32_t         index = (int32_t)out->token_count;
        if (!is_known) {
            seen.has_unknown = true;
            continue;
        }
        if (out->token_count == LT_FORMAT_TOKENS_MAX)
            return raise_format(format, LT_LIMIT_EXCEEDED, place, "is too long", err);
        seen.counts[token.kind]++;
        if (token.kind == LT_FORMAT_DIGITS) {
            seen.has_digit = true;
            if (seen.first_digit < 0) seen.first_digit = index;
            *(seen.point < 0 ? &out->whole_digits : &out->places) += token.count;
        } else if (token.kind == LT_FORMAT_POINT && seen.point < 0) {
            seen.point = index;
        } else if (token.kind == LT_FORMAT_DOLLAR) {
            seen.dollar = index;
        } else if (token.kind == LT_FORMAT_THOUSANDS) {
            seen.last_thousands = index;
            if (index == 0 || out->tokens[index - 1].kind != LT_FORMAT_DIGITS) seen.has_neighbours = true;
        }
        if (token.kind != LT_FORMAT_DIGITS && index > 0 && out->tokens[index - 1].kind == LT_FORMAT_THOUSANDS)
            seen.has_neighbours = true;
        out->tokens[out->token_count++] = token;
    }
    if (out->token_count > 0 && out->tokens[out->token_count - 1].kind == LT_FORMAT_THOUSANDS)
        seen.has_neighbours = true;
    LT_TRY(check(format, &seen, place, err));
    if (out->whole_digits + out->places > LT_DECIMAL_PRECISION_MAX)
        return raise_format(format, LT_DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION, place, "has more than 38 digits", err);
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ reading

static bool is_blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

typedef struct reading {
    lt_text   text;
    size_t    at;
    lt_int128 value;
    uint32_t  digits, places;
    bool      is_negative, is_behind_point;
} reading;

// A run of digit groups tokens[first, first + count): groups of the text are matched with those of the format from the
// right, so that leading groups may be missing.
static bool read_groups(const lt_number_format *pattern, uint32_t first, uint32_t count, reading *self) {
    uint32_t found[LT_FORMAT_TOKENS_MAX] = {0}, groups = 1;
    for (; self->at < self->text.bytes; self->at++) {
        char byte = self->text.data[self->at];
        if (is_blank(byte)) continue;
        if (byte == ',' && !self->is_behind_point) {
            if (groups == LT_FORMAT_TOKENS_MAX) return false;
            groups++;
            continue;
        }
        if (byte < '0' || byte > '9') break;
        found[groups - 1]++;
        if (++self->digits > LT_DECIMAL_PRECISION_MAX) return false;
        self->value = self->value * 10 + (byte - '0');
        self->places += self->is_behind_point;
    }
    uint32_t expected = 0;
    for (uint32_t i = first + count; i-- > first;) {
        if (pattern->tokens[i].kind != LT_FORMAT_DIGITS) continue;
        uint32_t actual = expected < groups ? found[groups - 1 - expected] : 0;
        expected++;
        if (pattern->tokens[i].is_zero ? actual != pattern->tokens[i].count : actual > pattern->tokens[i].count)
            return false;
    }
    return groups <= expected;
}

static bool take(reading *self, char wanted) {
    if (self->at >= self->text.bytes || self->text.data[self->at] != wanted) return false;
    self->at++;
    return true;
}

bool lt_number_format_read(const lt_number_format *pattern, lt_text text, lt_int128 *out) {
    reading self = {.text = text};
    for (uint32_t i = 0; i < pattern->token_count; i++) {
        uint32_t count = 0;
        switch (pattern->tokens[i].kind) {
        case LT_FORMAT_DIGITS:
        case LT_FORMAT_THOUSANDS:
            while (i + count < pattern->token_count && pattern->tokens[i + count].kind <= LT_FORMAT_THOUSANDS) count++;
            if (!read_groups(pattern, i, count, &self)) return false;
            i += count - 1;
            break;
        case LT_FORMAT_POINT: // may be missing, the places then too
            self.is_behind_point = take(&self, '.');
            break;
        case LT_FORMAT_DOLLAR:
            if (!take(&self, '$')) return false;
            break;
        case LT_FORMAT_SIGN:
            if (!take(&self, '+')) self.is_negative |= take(&self, '-');
            break;
        case LT_FORMAT_MINUS:
            self.is_negative |= take(&self, '-');
            break;
        case LT_FORMAT_OPEN:
            self.is_negative = take(&self, '<');
            break;
        case LT_FORMAT_CLOSE:
            if (self.is_negative && !take(&self, '>')) return false;
            break;
        }
    }
    if (self.at < text.bytes || self.digits == 0) return false;
    *out = self.value * lt_decimal_power(pattern->places - self.places);
    if (self.is_negative) *out = -*out;
    return true;
}

// ----------------------------------------------------------------------------------------------------------- printing

typedef struct printing {
    const lt_digits *digits;
    int32_t          exponent;    // of the next digit
    bool             has_started; // a digit was printed
    bool             is_too_large;
} printing;

static leat_status print_digits(const lt_format_token *token, printing *self, lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < token->count; i++, self->exponent--) {
        char digit = lt_digits_at(self->digits, self->exponent);
        // Digits before the first of the number: a zero where the format says 0, or else a blank.
        bool is_leading = !self->has_started && self->exponent >= self->digits->point && self->exponent > 0;
        if (self->is_too_large)
            digit = '#';
        else if (is_leading && !token->is_zero)
            digit = ' ';
        else if (!is_leading || token->is_zero)
            self->has_started = true;
        LT_TRY(lt_buffer_append_byte(out, digit, err));
    }
    return LEAT_OK;
}

leat_status lt_number_format_print(const lt_number_format *pattern, lt_int128 value, uint32_t scale, lt_buffer *out,
                                   leat_error *err) {
    lt_digits digits;
    lt_digits_of_decimal(value, scale, &digits);
    bool is_negative = digits.is_negative;
    while (digits.count > 0 && digits.text[digits.count - 1] == '0') digits.count--;
    // Digits without a place on either side of the point: none is shown.
    const bool fits =
        digits.point <= (int32_t)pattern->whole_digits && digits.count - digits.point <= (int32_t)pattern->places;
    printing self = {
        .digits = &digits, .exponent = (int32_t)pattern->whole_digits - 1, .is_too_large = digits.count > 0 && !fits};
    const size_t first = out->bytes;
    for (uint32_t i = 0; i < pattern->token_count; i++) {
        char sign = '\0';
        switch (pattern->tokens[i].kind) {
        case LT_FORMAT_DIGITS:
            LT_TRY(print_digits(&pattern->tokens[i], &self, out, err));
            continue;
        case LT_FORMAT_THOUSANDS:
            sign = self.has_started || self.is_too_large ? ',' : ' ';
            break;
        case LT_FORMAT_POINT:
            sign = '.';
            break;
        case LT_FORMAT_DOLLAR:
            sign = '$';
            break;
        case LT_FORMAT_SIGN:
            sign = is_negative ? '-' : '+';
            break;
        case LT_FORMAT_MINUS:
            sign = is_negative ? '-' : ' ';
            break;
        case LT_FORMAT_OPEN:
            sign = is_negative ? '<' : ' ';
            break;
        case LT_FORMAT_CLOSE:
            sign = is_negative ? '>' : ' ';
            break;
        }
        LT_TRY(lt_buffer_append_byte(out, sign, err));
    }
    // A sign in front stands right before the number, behind the blanks.
    const lt_format_token_kind lead    = pattern->tokens[0].kind;
    const bool                 is_sign = lead == LT_FORMAT_SIGN || lead == LT_FORMAT_MINUS || lead == LT_FORMAT_OPEN;
    for (size_t at = first; is_sign && at + 1 < out->bytes && out->data[at + 1] == ' '; at++) {
        out->data[at + 1] = out->data[at];
        out->data[at]     = ' ';
    }
    return LEAT_OK;
}
