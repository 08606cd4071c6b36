// glob: `*` is matched by going back to the last star, which is enough since stars are greedy choices from left to
// right. Braces are expanded beforehand, the first pair again and again, until none is left.
#include "storage/glob.h"

#include <string.h>

bool lt_glob_is_pattern(const char *text) { return strpbrk(text, "*?[{\\") != NULL; }

// Matches one character against a class that starts behind '['; *end: behind the closing ']'.
static bool class_matches(const char *pattern, char byte, const char **end) {
    bool is_negated = false, is_found = false;
    if (*pattern == '^' || *pattern == '!') is_negated = true, pattern++;
    for (bool is_first = true; *pattern != '\0' && (*pattern != ']' || is_first); is_first = false) {
        if (*pattern == '\\' && pattern[1] != '\0') pattern++;
        const char low  = *pattern++;
        char       high = low;
        if (*pattern == '-' && pattern[1] != ']' && pattern[1] != '\0') high = pattern[1], pattern += 2;
        if ((unsigned char)byte >= (unsigned char)low && (unsigned char)byte <= (unsigned char)high) is_found = true;
    }
    *end = *pattern == ']' ? pattern + 1 : pattern;
    return is_found != is_negated;
}

static size_t character_bytes(const char *text) { // '?' takes a character, not a byte
    size_t bytes = 1;
    while (((unsigned char)text[bytes] & 0xC0) == 0x80) bytes++;
    return bytes;
}

bool lt_glob_match(const char *pattern, const char *name) {
    const char *star = NULL, *star_name = NULL;
    while (*name != '\0') {
        const char *next = pattern;
        bool        is_match;
        size_t      taken = 1;
        switch (*pattern) {
        case '*':
            star      = pattern++;
            star_name = name;
            continue;
        case '?':
            is_match = true;
            taken    = character_bytes(name);
            next     = pattern + 1;
            break;
        case '[':
            is_match = class_matches(pattern + 1, *name, &next);
            break;
        case '\\':
            is_match = pattern[1] != '\0' && pattern[1] == *name;
            next     = pattern[1] == '\0' ? pattern + 1 : pattern + 2;
            break;
        default:
            is_match = *pattern == *name;
            next     = pattern + 1;
        }
        if (is_match) {
            pattern = next;
            name += taken;
        } else if (star != NULL) {
            pattern = star + 1;
            name    = ++star_name;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

// The first brace pair without braces inside is [*open, *close]; false: there is none.
static bool find_braces(const char *text, size_t *open, size_t *close) {
    bool has_open = false;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] == '\\' && text[i + 1] != '\0')
            i++;
        else if (text[i] == '{')
            *open = i, has_open = true;
        else if (text[i] == '}' && has_open)
            return *close = i, true;
    }
    return false;
}

leat_status lt_glob_expand(lt_arena *arena, const char *pattern, const char *const **out_patterns, size_t *out_count,
                           leat_error *err) {
    const char **patterns = LT_NEW_ARRAY(arena, const char *, LT_GLOB_ALTERNATIVES_MAX);
    if (patterns == NULL) return lt_raise_no_memory(err);
    patterns[0]  = pattern;
    size_t count = 1;
    for (size_t i = 0; i < count;) {
        size_t      open = 0, close = 0;
        const char *text = patterns[i];
        if (!find_braces(text, &open, &close)) {
            i++;
            continue;
        }
        bool is_first = true;
        for (size_t start = open + 1, at = open + 1; at <= close; at++) {
            if (text[at] != ',' && at != close) continue;
            if (!is_first && count == LT_GLOB_ALTERNATIVES_MAX)
                return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "pattern `%.100s` has more than %d alternatives", pattern,
                                LT_GLOB_ALTERNATIVES_MAX);
            const char *made = lt_arena_format(arena, "%.*s%.*s%s", (int)open, text, (int)(at - start), text + start,
                                               text + close + 1);
            if (made == NULL) return lt_raise_no_memory(err);
            patterns[is_first ? i : count++] = made;
            is_first                         = false;
            start                            = at + 1;
        }
    }
    *out_patterns = patterns;
    *out_count    = count;
    return LEAT_OK;
}
