// Translation of java.util.regex to PCRE2. One pass over the pattern that keeps Java's flags by group: PCRE2 sees only
// i, m and s; comments and blanks of (?x) are left out here, \Q..\E becomes single characters, and a class becomes an
// expression for one character: [a[bc]] a union, [a&&[^b]] a look-ahead and a class. Source: the Javadoc of
// java.util.regex.Pattern (17) and pcre2pattern(3).
#include "base/regexp.h"

#include "base/utf8.h"

enum { DEPTH_MAX = 200, CLASS_DEPTH_MAX = 16, REPETITIONS_MAX = 65535, PROPERTY_NAME_MAX = 40 };
enum { FLAG_I = 1, FLAG_M = 2, FLAG_S = 4, FLAG_X = 8, FLAG_U = 16 };

#define LINE_ENDS "\\n\\r\\x{85}\\x{2028}\\x{2029}"
#define BEFORE_LAST_LINE_END "(?:\\z|(?=\\r\\n\\z)|(?<!\\r)(?=\\n\\z)|(?=[\\r\\x{85}\\x{2028}\\x{2029}]\\z))"

typedef struct translation {
    const char *pattern;
    size_t      bytes, at;
    lt_buffer  *out;
    const char *reason; // set: malformed
    uint8_t     flags;  // of the current group
    uint8_t     saved[DEPTH_MAX];
    uint32_t    depth;
    uint32_t    groups;
} translation;

typedef struct name_row {
    const char *name, *into;
} name_row;

// ASCII classes that Java spells as properties.
static const name_row posix_classes[] = {
    {"Lower", "lower"}, {"Upper", "upper"},
    {"ASCII", "ascii"}, {"Alpha", "alpha"},
    {"Digit", "digit"}, {"Alnum", "alnum"},
    {"Punct", "punct"}, {"Graph", "graph"},
    {"Print", "print"}, {"Blank", "blank"},
    {"Cntrl", "cntrl"}, {"XDigit", "xdigit"},
    {"Space", "space"}, {0},
};
static const name_row properties[] = {
    {"IsLetter", "L"},       {"IsPunctuation", "P"},
    {"IsControl", "Cc"},     {"IsDigit", "Nd"},
    {"IsTitlecase", "Lt"},   {"javaLowerCase", "Ll"},
    {"javaUpperCase", "Lu"}, {"javaLetter", "L"},
    {"javaDigit", "Nd"},     {"LC", "L&"},
    {"IsLC", "L&"},          {0},
};

static const char *name_find(const name_row *rows, const char *name) {
    for (; rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0) return rows->into;
    return NULL;
}

static leat_status malformed(translation *self, const char *reason) {
    if (self->reason == NULL) self->reason = reason;
    self->at = self->bytes;
    return LEAT_OK;
}

static bool ahead(const translation *self, const char *text) {
    size_t count = strlen(text);
    return self->bytes - self->at >= count && memcmp(self->pattern + self->at, text, count) == 0;
}
static char peek(const translation *self) { return self->at < self->bytes ? self->pattern[self->at] : '\0'; }

static bool is_word_byte(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}
static int hex_value(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

// A literal character, inside of a class or not.
static leat_status emit_character(translation *self, lt_buffer *out, uint32_t character, bool is_in_class,
                                  leat_error *err) {
    if (character < 0x80) {
        if (character < 0x20 || character == 0x7F) return lt_buffer_format(out, err, "\\x{%x}", character);
        if (!is_word_byte((char)character)) LT_TRY(lt_buffer_append_byte(out, '\\', err));
        return lt_buffer_append_byte(out, (char)character, err);
    }
    // Java's (?i) folds ASCII only unless (?u) is on.
    bool keeps_case = !is_in_class && (self->flags & FLAG_I) != 0 && (self->flags & FLAG_U) == 0;
    if (character >= 0xD800 && character <= 0xDFFF) return malformed(self, "half of a surrogate pair");
    if (!keeps_case) return lt_utf8_append(out, character, err);
    LT_TRY(lt_buffer_append_text(out, "(?-i:", err));
    LT_TRY(lt_utf8_append(out, character, err));
    return lt_buffer_append_byte(out, ')', err);
}

static bool read_hex(translation *self, size_t digits, uint32_t *out) {
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = hex_value(peek(self));
        if (digit < 0) return false;
        *out = *out * 16 + (uint32_t)digit;
        self->at++;
    }
    return true;
}

static bool read_hex_braces(translation *self, uint32_t *out) {
    *out = 0;
    self->at++;
    size_t digits = 0;
    for (; hex_value(peek(self)) >= 0 && digits < 6; digits++, self->at++)
        *out = *out * 16 + (uint32_t)hex_value(peek(self));
    return digits > 0 && self->pattern[self->at] == '}' && self->at++ < self->bytes && *out <= 0x10FFFF;
}

// The character of an escape whose letter was read, if the escape stands for one. False: it does not.
static bool escape_character(translation *self, char letter, uint32_t *out) {
    uint32_t low;
    size_t   start;
    switch (letter) {
    case 't':
        *out = '\t';
        return true;
    case 'n':
        *out = '\n';
        return true;
    case 'r':
        *out = '\r';
        return true;
    case 'f':
        *out = '\f';
        return true;
    case 'a':
        *out = 7;
        return true;
    case 'e':
        *out = 27;
        return true;
    case 'c':
        if (self->at >= self->bytes) break;
        *out = (uint32_t)(unsigned char)self->pattern[self->at++] ^ 64;
        return true;
    case '0':
        *out  = 0;
        start = self->at;
        while (self->at - start < 3 && peek(self) >= '0' && peek(self) <= '7' && *out * 8 < 256) {
            *out = *out * 8 + (uint32_t)(peek(self) - '0');
            self->at++;
        }
        if (self->at == start) break;
        return true;
    case 'x':
        if (peek(self) == '{' ? read_hex_braces(self, out) : read_hex(self, 2, out)) return true;
        break;
    case 'u':
        if (!read_hex(self, 4, out)) break;
        start = self->at;
        if (*out >= 0xD800 && *out < 0xDC00 && ahead(self, "\\u")) {
            self->at += 2;
            if (read_hex(self, 4, &low) && low >= 0xDC00 && low < 0xE000)
                *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
            else
                self->at = start;
        }
        return true;
    default:
        if (is_word_byte(letter)) return false;
        self->at--;
        *out = (uint32_t)lt_utf8_decode(self->pattern, self->bytes, &self->at);
        return true;
    }
    malformed(self, "incomplete escape");
    *out = 0;
    return true;
}

// \p{..} and \P{..}, behind the letter.
static leat_status property(translation *self, lt_buffer *out, bool is_negated, bool is_in_class, leat_error *err) {
    char   name[PROPERTY_NAME_MAX];
    size_t count = 0;
    if (peek(self) == '{') {
        self->at++;
        while (self->at < self->bytes && peek(self) != '}' && count + 1 < sizeof name)
            name[count++] = self->pattern[self->at++];
        if (peek(self) != '}') return malformed(self, "unclosed character family");
        self->at++;
    } else if (self->at < self->bytes) {
        name[count++] = self->pattern[self->at++];
    }
    name[count] = '\0';
    if (count == 0) return malformed(self, "empty character family");
    const char *posix = name_find(posix_classes, name);
    if (posix != NULL)
        return lt_buffer_format(out, err, is_in_class ? "[:%s%s:]" : "[[:%s%s:]]", is_negated ? "^" : "", posix);
    const char *into = name_find(properties, name), *equals = strchr(name, '=');
    if (into == NULL) into = equals != NULL ? equals + 1 : strncmp(name, "Is", 2) == 0 ? name + 2 : name;
    for (const char *byte = into; *byte != '\0'; byte++)
        if (!is_word_byte(*byte) && *byte != '_' && *byte != '&') return malformed(self, "unknown character family");
    return lt_buffer_format(out, err, "\\%c{%s}", is_negated ? 'P' : 'p', into);
}

// Whether the escape is a set of characters that PCRE2 spells the same in a class and outside.
static bool is_set_letter(char letter) { return letter != '\0' && strchr("dDwWsShHvV", letter) != NULL; }

static void skip_comments(translation *self) {
    if ((self->flags & FLAG_X) == 0) return;
    while (self->at < self->bytes) {
        char byte = self->pattern[self->at];
        if (byte == '#') {
            while (self->at < self->bytes && self->pattern[self->at] != '\n') self->at++;
        } else if (byte != ' ' && (byte < '\t' || byte > '\r')) {
            return;
        } else {
            self->at++;
        }
    }
}

static leat_status class_expression(translation *self, uint32_t depth, lt_buffer *out, leat_error *err);

// One union of a class up to && or ]: single items go to `simple`, nested classes to `nested`, each behind a '|'.
static leat_status class_union(translation *self, uint32_t depth, bool is_first, lt_buffer *simple, lt_buffer *nested,
                               leat_error *err) {
    for (bool is_start = is_first; self->at < self->bytes; is_start = false) {
        skip_comments(self);
        if (self->at >= self->bytes) break;
        if (ahead(self, "&&") || (peek(self) == ']' && !is_start)) return LEAT_OK;
        if (peek(self) == '[') {
            LT_TRY(lt_buffer_append_byte(nested, '|', err));
            LT_TRY(class_expression(self, depth + 1, nested, err));
            continue;
        }
        uint32_t low, high;
        if (ahead(self, "\\Q")) {
            for (self->at += 2; self->at < self->bytes && !ahead(self, "\\E");) {
                low = (uint32_t)lt_utf8_decode(self->pattern, self->bytes, &self->at);
                LT_TRY(emit_character(self, simple, low, true, err));
            }
            if (self->at < self->bytes) self->at += 2;
            continue;
        }
        if (peek(self) == '\\') {
            if (self->at + 1 >= self->bytes) return malformed(self, "pattern ends in a backslash");
            char letter = self->pattern[self->at + 1];
            self->at += 2;
            if (is_set_letter(letter)) {
                LT_TRY(lt_buffer_format(simple, err, "\\%c", letter));
                continue;
            }
            if (letter == 'p' || letter == 'P') {
                LT_TRY(property(self, simple, letter == 'P', true, err));
                continue;
            }
            if (!escape_character(self, letter, &low)) return malformed(self, "unknown escape in a class");
        } else {
            low = (uint32_t)lt_utf8_decode(self->pattern, self->bytes, &self->at);
        }
        LT_TRY(emit_character(self, simple, low, true, err));
        skip_comments(self);
        if (peek(self) != '-' || self->at + 1 >= self->bytes || self->pattern[self->at + 1] == ']' ||
            self->pattern[self->at + 1] == '[')
            continue;
        self->at++;
        skip_comments(self);
        if (peek(self) == '\\' && self->at + 1 < self->bytes) {
            char letter = self->pattern[self->at + 1];
            self->at += 2;
            if (!escape_character(self, letter, &high)) return malformed(self, "range ends in a set");
        } else {
            high = (uint32_t)lt_utf8_decode(self->pattern, self->bytes, &self->at);
        }
        if (high < low) return malformed(self, "range out of order");
        LT_TRY(lt_buffer_append_byte(simple, '-', err));
        LT_TRY(emit_character(self, simple, high, true, err));
    }
    return malformed(self, "unclosed character class");
}

typedef struct class_parts {
    lt_buffer simple, nested, all;
} class_parts;

// Appends the union that was read to `all`, as an expression.
static leat_status class_close_union(class_parts *parts, leat_error *err) {
    const lt_buffer *simple = &parts->simple, *nested = &parts->nested;
    if (nested->bytes == 0) {
        // An empty side of && matches nothing.
        if (simple->bytes == 0) return lt_buffer_append_text(&parts->all, "(?!)", err);
        LT_TRY(lt_buffer_append_byte(&parts->all, '[', err));
        LT_TRY(lt_buffer_append(&parts->all, simple->data, simple->bytes, err));
        return lt_buffer_append_byte(&parts->all, ']', err);
    }
    LT_TRY(lt_buffer_append_text(&parts->all, "(?:", err));
    if (simple->bytes > 0) {
        LT_TRY(lt_buffer_append_byte(&parts->all, '[', err));
        LT_TRY(lt_buffer_append(&parts->all, simple->data, simple->bytes, err));
        LT_TRY(lt_buffer_append_byte(&parts->all, ']', err));
        LT_TRY(lt_buffer_append(&parts->all, nested->data, nested->bytes, err));
    } else {
        LT_TRY(lt_buffer_append(&parts->all, nested->data + 1, nested->bytes - 1, err));
    }
    return lt_buffer_append_byte(&parts->all, ')', err);
}

static leat_status class_parse(translation *self, uint32_t depth, class_parts *parts, lt_buffer *out, leat_error *err) {
    self->at++;
    bool is_negated = peek(self) == '^';
    if (is_negated) self->at++;
    uint32_t unions = 0;
    for (;;) {
        lt_buffer_reset(&parts->simple);
        lt_buffer_reset(&parts->nested);
        LT_TRY(class_union(self, depth, unions == 0, &parts->simple, &parts->nested, err));
        if (self->reason != NULL) return LEAT_OK;
        bool is_last = peek(self) == ']';
        self->at += is_last ? 1 : 2;
        if (is_last && unions == 0 && parts->nested.bytes == 0) {
            LT_TRY(lt_buffer_append_text(out, is_negated ? "[^" : "[", err));
            LT_TRY(lt_buffer_append(out, parts->simple.data, parts->simple.bytes, err));
            return lt_buffer_append_byte(out, ']', err);
        }
        unions++;
        if (!is_last) LT_TRY(lt_buffer_append_text(&parts->all, "(?=", err));
        LT_TRY(class_close_union(parts, err));
        if (!is_last) LT_TRY(lt_buffer_append_byte(&parts->all, ')', err));
        if (is_last) break;
    }
    LT_TRY(lt_buffer_append_text(out, is_negated ? "(?:(?!" : "(?:", err));
    LT_TRY(lt_buffer_append(out, parts->all.data, parts->all.bytes, err));
    return lt_buffer_append_text(out, is_negated ? ")(?s:.))" : ")", err);
}

static leat_status class_expression(translation *self, uint32_t depth, lt_buffer *out, leat_error *err) {
    if (depth > CLASS_DEPTH_MAX) return malformed(self, "classes nest too deep");
    class_parts parts;
    lt_buffer_init(&parts.simple, out->account, 0);
    lt_buffer_init(&parts.nested, out->account, 0);
    lt_buffer_init(&parts.all, out->account, 0);
    leat_status status = class_parse(self, depth, &parts, out, err);
    lt_buffer_deinit(&parts.simple);
    lt_buffer_deinit(&parts.nested);
    lt_buffer_deinit(&parts.all);
    return status;
}

// \1.. : further digits belong to the number as long as so many groups were opened.
static leat_status back_reference(translation *self, char digit, leat_error *err) {
    uint32_t group = (uint32_t)(digit - '0');
    while (peek(self) >= '0' && peek(self) <= '9') {
        uint32_t longer = group * 10 + (uint32_t)(peek(self) - '0');
        if (longer > self->groups) break;
        group = longer;
        self->at++;
    }
    return lt_buffer_format(self->out, err, "\\g{%u}", group);
}

static leat_status named_reference(translation *self, leat_error *err) {
    size_t start = self->at;
    if (peek(self) != '<') return malformed(self, "\\k without a name");
    self->at++;
    while (is_word_byte(peek(self))) self->at++;
    if (peek(self) != '>') return malformed(self, "\\k without a name");
    self->at++;
    LT_TRY(lt_buffer_append_text(self->out, "\\k", err));
    return lt_buffer_append(self->out, self->pattern + start, self->at - start, err);
}

static leat_status escape(translation *self, leat_error *err) {
    if (++self->at >= self->bytes) return malformed(self, "pattern ends in a backslash");
    char     letter = self->pattern[self->at++];
    uint32_t character;
    if (letter == 'Q') {
        while (self->at < self->bytes && !ahead(self, "\\E")) {
            character = (uint32_t)lt_utf8_decode(self->pattern, self->bytes, &self->at);
            LT_TRY(emit_character(self, self->out, character, false, err));
        }
        if (self->at < self->bytes) self->at += 2;
        return LEAT_OK;
    }
    if (letter >= '1' && letter <= '9') return back_reference(self, letter, err);
    if (letter == 'k') return named_reference(self, err);
    if (letter == 'p' || letter == 'P') return property(self, self->out, letter == 'P', false, err);
    if (letter == 'Z') return lt_buffer_append_text(self->out, BEFORE_LAST_LINE_END, err);
    if (is_set_letter(letter) || (letter != '\0' && strchr("RXbBAGz", letter) != NULL))
        return lt_buffer_format(self->out, err, "\\%c", letter);
    if (!escape_character(self, letter, &character)) return malformed(self, "unknown escape");
    return emit_character(self, self->out, character, false, err);
}

// What PCRE2 knows of the flags, e.g. "i-ms".
static leat_status emit_flags(translation *self, leat_error *err) {
    LT_TRY(lt_buffer_append_text(self->out, "(?", err));
    for (int on = 1; on >= 0; on--) {
        if (!on) LT_TRY(lt_buffer_append_byte(self->out, '-', err));
        for (uint32_t i = 0; i < 3; i++)
            if (((self->flags >> i) & 1) == (uint32_t)on) LT_TRY(lt_buffer_append_byte(self->out, "ims"[i], err));
    }
    return LEAT_OK;
}

static leat_status push_group(translation *self, leat_error *err) {
    if (self->depth >= DEPTH_MAX) return malformed(self, "groups nest too deep");
    (void)err;
    self->saved[self->depth++] = self->flags;
    return LEAT_OK;
}

// (?idmsux-idmsux) and (?idmsux-idmsux:, behind the question mark.
static leat_status flag_group(translation *self, leat_error *err) {
    uint8_t flags = self->flags;
    bool    is_on = true;
    for (; self->at < self->bytes; self->at++) {
        uint8_t flag = 0;
        char    byte = self->pattern[self->at];
        if (byte == ':' || byte == ')') break;
        if (byte == '-' && is_on) {
            is_on = false;
            continue;
        }
        if (byte == 'i')
            flag = FLAG_I;
        else if (byte == 'm')
            flag = FLAG_M;
        else if (byte == 's')
            flag = FLAG_S;
        else if (byte == 'x')
            flag = FLAG_X;
        else if (byte == 'u' || byte == 'U')
            flag = FLAG_U;
        else if (byte != 'd')
            return malformed(self, "unknown group or flag");
        flags = is_on ? flags | flag : (uint8_t)(flags & ~flag);
    }
    if (self->at >= self->bytes) return malformed(self, "unclosed group");
    bool is_group = self->pattern[self->at++] == ':';
    if (is_group) LT_TRY(push_group(self, err));
    self->flags = flags;
    LT_TRY(emit_flags(self, err));
    return lt_buffer_append_byte(self->out, is_group ? ':' : ')', err);
}

static leat_status open_group(translation *self, leat_error *err) {
    self->at++;
    if (peek(self) == '*') return malformed(self, "* has nothing to repeat");
    if (peek(self) != '?') {
        self->groups++;
        LT_TRY(push_group(self, err));
        return lt_buffer_append_byte(self->out, '(', err);
    }
    static const char *const openers[] = {"?:", "?=", "?!", "?>", "?<=", "?<!"};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        if (!ahead(self, openers[i])) continue;
        self->at += strlen(openers[i]);
        LT_TRY(push_group(self, err));
        return lt_buffer_format(self->out, err, "(%s", openers[i]);
    }
    if (ahead(self, "?<")) {
        size_t start = self->at;
        self->at += 2;
        while (is_word_byte(peek(self))) self->at++;
        if (peek(self) != '>') return malformed(self, "group without a name");
        self->at++;
        self->groups++;
        LT_TRY(push_group(self, err));
        LT_TRY(lt_buffer_append_byte(self->out, '(', err));
        return lt_buffer_append(self->out, self->pattern + start, self->at - start, err);
    }
    self->at++;
    return flag_group(self, err);
}

// {n} {n,} {n,m}
static leat_status repetition(translation *self, leat_error *err) {
    size_t   start  = self->at++;
    uint32_t number = 0;
    size_t   digits = self->at;
    for (; (peek(self) >= '0' && peek(self) <= '9') || (peek(self) == ',' && self->at > digits); self->at++) {
        number = peek(self) == ',' ? 0 : number * 10 + (uint32_t)(peek(self) - '0');
        if (number > REPETITIONS_MAX) return malformed(self, "too many repetitions");
    }
    if (self->at == digits || peek(self) != '}') return malformed(self, "{ is no repetition");
    self->at++;
    return lt_buffer_append(self->out, self->pattern + start, self->at - start, err);
}

static leat_status close_group(translation *self, leat_error *err) {
    if (self->depth == 0) return malformed(self, "unmatched )");
    self->at++;
    self->flags = self->saved[--self->depth];
    return lt_buffer_append_byte(self->out, ')', err);
}

// One element of the pattern outside of classes; long because it is the list of Java's special characters.
static leat_status element(translation *self, leat_error *err) {
    switch (peek(self)) {
    case '\\':
        return escape(self, err);
    case '[':
        return class_expression(self, 0, self->out, err);
    case '(':
        return open_group(self, err);
    case ')':
        return close_group(self, err);
    case '{':
        return repetition(self, err);
    case '.':
        self->at++;
        return lt_buffer_append_text(self->out, (self->flags & FLAG_S) != 0 ? "." : "[^" LINE_ENDS "]", err);
    case '$':
        self->at++;
        return lt_buffer_append_text(self->out, (self->flags & FLAG_M) != 0 ? "$" : BEFORE_LAST_LINE_END, err);
    case '^':
    case '*':
    case '+':
    case '?':
    case '|':
        return lt_buffer_append_byte(self->out, self->pattern[self->at++], err);
    default:
        return emit_character(self, self->out, (uint32_t)lt_utf8_decode(self->pattern, self->bytes, &self->at), false,
                              err);
    }
}

leat_status lt_regexp_translate(const char *pattern, size_t bytes, lt_buffer *out, const char **out_reason,
                                leat_error *err) {
    translation self = {.pattern = pattern, .bytes = bytes, .out = out};
    for (;;) {
        skip_comments(&self);
        if (self.at >= bytes) break;
        LT_TRY(element(&self, err));
    }
    if (self.reason == NULL && self.depth > 0) self.reason = "unclosed group";
    *out_reason = self.reason;
    return LEAT_OK;
}
