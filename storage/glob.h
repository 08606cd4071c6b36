// glob: file names matched against Hadoop's patterns: `*`, `?`, `[a-z]`, `[^a]`, `{json,txt}`, `\c`. Never crosses '/'.
//
// Threads  any.   Limits  a pattern with braces expands to at most LT_GLOB_ALTERNATIVES_MAX patterns: LEAT_LIMIT.
// Cost     O(pattern * name) at worst; no recursion.
#ifndef LT_STORAGE_GLOB_H
#define LT_STORAGE_GLOB_H

#include "base/arena.h"

enum { LT_GLOB_ALTERNATIVES_MAX = 1024 };

bool lt_glob_is_pattern(const char *text); // has a character that means something here
// One pattern without braces against a whole name.
bool lt_glob_match(const char *pattern, const char *name);
// The patterns without braces that `pattern` stands for, in the arena.
leat_status lt_glob_expand(lt_arena *arena, const char *pattern, const char *const **out_patterns, size_t *out_count,
                           leat_error *err);

#endif
