// inference: the type that holds the values of two others, as Spark's schema inference for JSON and CSV widens types.
//
//     VOID + x = x    BIGINT + DOUBLE = DOUBLE    STRUCT<a> + STRUCT<b> = STRUCT<a, b>    BIGINT + BOOLEAN = STRING
//
// Ownership  types in the caller's arena.   Threads  any.   Errors  LEAT_NO_MEMORY.
// Fields of structs are sorted by name. VOID: only NULLs were seen; lt_inferred_finish (format.h) makes it STRING.
#ifndef LT_STORAGE_INFERENCE_H
#define LT_STORAGE_INFERENCE_H

#include "base/type.h"

// Either may be NULL, which is nothing seen yet.
leat_status lt_inferred_merge(lt_arena *arena, const lt_type *a, const lt_type *b, const lt_type **out,
                              leat_error *err);
// A struct with one more member, in its place by name; a member of that name is widened.
leat_status lt_inferred_add_field(lt_arena *arena, const lt_type *record, const char *name, const lt_type *type,
                                  const lt_type **out, leat_error *err);

#endif
