// regexp: patterns of Java's java.util.regex, found in UTF-8 text.
//
//     "(\\d+)-(\\d+)" in "a 10-20"  ->  group 0 [2,7)  group 1 [2,4)  group 2 [5,7)
//
// A pattern is translated to PCRE2's language: what means the same is passed on, what differs is rewritten ($, .,
// nested classes, [[:alpha:]], \Q \uXXXX, flags), and what only PCRE2 has (recursion, verbs, callouts, \K) is refused.
// Patterns without any special character are searched as plain bytes; those that are used often are turned into machine
// code, where PCRE2 can.
//
// Ownership  owns the compiled pattern and the last match; charged to the account.   Threads  one at a time.
// Limits     10 million steps and 64 MiB a search (LIMIT_EXCEEDED); groups nest up to 200 deep.
// Errors     INVALID_PARAMETER_VALUE.PATTERN for a malformed pattern.
// Known differences from Java: (?i) folds non-ASCII letters inside of classes; \b knows ASCII words only; look-behind
// needs a fixed length per branch.
#ifndef LT_BASE_REGEXP_H
#define LT_BASE_REGEXP_H

#include "base/buffer.h"

typedef struct lt_regexp {
    lt_account *account;    // borrows; NULL: not yet used
    lt_buffer   source;     // the pattern as given
    lt_buffer   translated; // in PCRE2's language
    bool        is_compiled, is_plain;
    uint32_t    group_count;
    void       *general, *context, *code, *match; // of PCRE2; NULL for plain text
    size_t      plain_start, plain_end;           // last match of plain text
    uint32_t    search_count;                     // since it was compiled, up to where machine code is worth it
} lt_regexp;

// Zeros are a valid start too.
void lt_regexp_init(lt_regexp *regexp, lt_account *account);
// Does nothing when the same pattern is compiled already. The account is taken from the first call.
leat_status lt_regexp_compile(lt_regexp *regexp, lt_account *account, const char *pattern, size_t bytes,
                              const lt_place *place, leat_error *err);
// Finds the first match that starts at `from` or behind it. The text must be UTF-8 (lt_regexp_text).
leat_status lt_regexp_find(lt_regexp *regexp, const char *text, size_t bytes, size_t from, bool *out_found,
                           const lt_place *place, leat_error *err);
// Span of a group of the last match; false when the group took no part. group <= group_count.
bool lt_regexp_group(const lt_regexp *regexp, uint32_t group, size_t *out_start, size_t *out_end);
// Number of the group with that name, or 0.
uint32_t lt_regexp_named_group(const lt_regexp *regexp, const char *name, size_t bytes);
// Where the search after a match goes on: its end, or one character on when the match was empty; bytes + 1: nowhere.
size_t lt_regexp_next(const lt_regexp *regexp, const char *text, size_t bytes);
void   lt_regexp_deinit(lt_regexp *regexp);

// The parts of a text between matches, as String.split gives them: no empty part before an empty match at the start; an
// empty pattern cuts between characters. limit > 0: at most so many parts, the last is the rest.
typedef struct lt_regexp_parts {
    lt_regexp  *regexp; // borrows
    const char *text;   // borrows
    size_t      bytes;
    int32_t     limit, made;
    size_t      index, from; // start of the next part, of the next search
    bool        is_done;
} lt_regexp_parts;
// *out_has false: there are no more.
leat_status lt_regexp_parts_next(lt_regexp_parts *parts, const char **out_text, size_t *out_bytes, bool *out_has,
                                 const lt_place *place, leat_error *err);

// *text and *bytes as UTF-8: unchanged, or a copy in the arena with U+FFFD for what is none.
leat_status lt_regexp_text(lt_arena *arena, const char **text, size_t *bytes, leat_error *err);

// Java's pattern (UTF-8) in PCRE2's language. *out_reason: why the pattern is malformed, or NULL.
leat_status lt_regexp_translate(const char *pattern, size_t bytes, lt_buffer *out, const char **out_reason,
                                leat_error *err);

#endif
