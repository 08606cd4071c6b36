#include "planner/bind/binder.h"

// Names of unnamed expressions as Spark prints them: each bound expression carries its text, made of its arguments'.

const char *lt_lower(lt_arena *arena, const char *text) {
    char *copy = lt_arena_text(arena, text, strlen(text));
    for (char *c = copy; c != NULL && *c != 0; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c + 32);
    return copy;
}

const char *lt_display_join(lt_arena *arena, const char *separator, const lt_bound *items, uint32_t count) {
    size_t bytes = 1;
    for (uint32_t i = 0; i < count; i++) bytes += strlen(items[i].text) + strlen(separator);
    char *text = lt_arena_alloc(arena, bytes);
    if (text == NULL) return NULL;
    char *next = text;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) next = stpcpy(next, separator);
        next = stpcpy(next, items[i].text);
    }
    *next = 0;
    return text;
}

// The part of a pattern at `next`: a placeholder's text, or NULL for an ordinary byte. "$3{text}" is argument 3, or the
// text when the call has none.
static const char *placeholder(const char *next, const char *name, const char *all, const char *first,
                               const lt_bound *arguments, uint32_t count, size_t *out_bytes) {
    if (strncmp(next, "$name", 5) == 0) {
        *out_bytes = 5;
        return name;
    }
    if (next[0] == '$' && next[1] == '*') {
        *out_bytes = 2;
        return all;
    }
    if (next[0] == '$' && next[1] >= '1' && next[1] <= '9') {
        const uint32_t index       = (uint32_t)(next[1] - '1');
        const bool     has_default = next[2] == '{';
        *out_bytes                 = has_default ? 3 : 2;
        if (index >= count) return "";
        if (has_default) *out_bytes = (size_t)(strchr(next, '}') + 1 - next);
        return index == 0 ? first : arguments[index].text;
    }
    if (next[0] == '}') { // behind a default that was wanted
        *out_bytes = 1;
        return "";
    }
    return NULL;
}

const char *lt_display_call(lt_arena *arena, const char *pattern, const char *name, const char *prefix,
                            const lt_bound *arguments, uint32_t count) {
    const char *all = lt_display_join(arena, ", ", arguments, count);
    if (all == NULL) return NULL;
    all = lt_arena_format(arena, "%s%s", prefix, all);
    if (all == NULL) return NULL;
    if (pattern == NULL) return lt_arena_format(arena, "%s(%s)", name, all);
    const char *first = count == 0 ? "" : lt_arena_format(arena, "%s%s", prefix, arguments[0].text);
    if (first == NULL) return NULL;
    size_t bytes = 1;
    size_t part_bytes;
    for (const char *next = pattern; *next != 0;) {
        const char *part = placeholder(next, name, all, first, arguments, count, &part_bytes);
        bytes += part == NULL ? 1 : strlen(part);
        next += part == NULL ? 1 : part_bytes;
    }
    char *text = lt_arena_alloc(arena, bytes);
    if (text == NULL) return NULL;
    char *end = text;
    for (const char *next = pattern; *next != 0;) {
        const char *part = placeholder(next, name, all, first, arguments, count, &part_bytes);
        if (part == NULL)
            *end++ = *next++;
        else {
            end = stpcpy(end, part);
            next += part_bytes;
        }
    }
    *end = 0;
    return text;
}
