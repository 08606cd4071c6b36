// inference: the type that holds the values of two others, as Spark's schema inference for JSON and CSV widens types.
//
//     VOID + x = x    BIGINT + DOUBLE = DOUBLE    STRUCT<a> + STRUCT<b> = STRUCT<a, b>    BIGINT + BOOLEAN = STRING
//
// Ownership  types in the caller's arena.   Threads  any.   Errors  LEAT_NO_MEMORY.
// Fields of structs are sorted by name. VOID: only NULLs were seen; lt_inferred_finish (format.h) makes it STRING.
#ifndef LT_STORAGE_INFERENCE_H
#define LT_STORAGE_INFERENCE_H

#include "storage/format.h"

// Either may be NULL, which is nothing seen yet.
leat_status lt_inferred_merge(lt_arena *arena, const lt_type *a, const lt_type *b, const lt_type **out,
                              leat_error *err);
// A struct with one more member, in its place by name; a member of that name is widened.
leat_status lt_inferred_add_field(lt_arena *arena, const lt_type *record, const char *name, const lt_type *type,
                                  const lt_type **out, leat_error *err);

// Which texts are dates and instants: those that the patterns of the options take, or without one the grammar of CAST.
typedef struct lt_inferred_times {
    const lt_datetime_pattern *date, *timestamp;
    lt_datetime_context        context;              // UTC: zones make no difference to what is a time
    bool                       dates_are_timestamps; // a date reads as a timestamp, too
} lt_inferred_times;

// Compiles the options dateFormat and timestampFormat of `rows`. Errors: of patterns.
leat_status lt_inferred_times_init(lt_inferred_times *times, const lt_option_values *options, const lt_option *rows,
                                   lt_arena *arena, leat_error *err);
// Without a pattern only yyyy-MM-dd.
bool lt_inferred_is_date(const lt_inferred_times *times, const char *text, size_t bytes);
bool lt_inferred_is_timestamp(const lt_inferred_times *times, const char *text, size_t bytes);

#endif
