// Text cut at separators: split (a regular expression), split_part and substring_index (plain text).
// Source: Spark SQL 4: UTF8String.split, Java's String.split.
#include "base/function.h"
#include "base/regexp.h"

#include <string.h>

static leat_status regexp_open(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                               leat_error *err) {
    (void)constants, (void)argument_count, (void)err;
    lt_regexp_init(state, arena->account);
    return LEAT_OK;
}
static void regexp_close(void *state) { lt_regexp_deinit(state); }

static leat_status texts_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
        resolution->types[i] = lt_type_of(i == 2 ? LT_INT : LT_STRING);
    }
    resolution->result = lt_type_array(resolution->arena, lt_type_of(LT_STRING));
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// A pattern that is a plain text: no step of a regular expression per part.
static leat_status split_plain(lt_call *call, const lt_regexp *regexp, lt_text text, lt_vector *texts,
                               leat_error *err) {
    const char  *at = text.data, *end = text.data + text.bytes;
    const char  *separator       = regexp->source.data;
    const size_t separator_bytes = regexp->source.bytes;
    lt_assert(separator_bytes > 0);
    while (at < end) {
        const size_t left = (size_t)(end - at);
        const char  *found =
            separator_bytes == 1 ? memchr(at, separator[0], left) : memmem(at, left, separator, separator_bytes);
        if (found == NULL) break;
        if (texts->lanes == texts->capacity) LT_TRY(lt_vector_reserve(texts, texts->lanes + 1, call->arena, err));
        LT_LANES(texts, lt_string)[texts->lanes++] = lt_string_view(at, (size_t)(found - at));
        at                                         = found + separator_bytes;
    }
    return lt_call_append_view(call, texts, at, (size_t)(end - at), err);
}

static leat_status split_evaluate(lt_call *call, leat_error *err) {
    lt_vector *texts = &call->result->children[0];
    LT_EACH_ROW(call, row) {
        lt_text  text = lt_arg_text(call, 0, row), pattern = lt_arg_text(call, 1, row), part;
        uint32_t first = texts->lanes;
        bool     has_part;
        LT_TRY(lt_regexp_compile(call->state, call->arena->account, pattern.data, pattern.bytes, &call->place, err));
        LT_TRY(lt_regexp_text(call->arena, &text.data, &text.bytes, err));
        const int32_t limit = call->argument_count > 2 ? LT_ARG(call, 2, int32_t, row) : -1;
        if (limit <= 0 && ((const lt_regexp *)call->state)->is_plain) {
            LT_TRY(split_plain(call, call->state, text, texts, err));
            LT_LANES(call->result, lt_list)[row] = (lt_list){first, texts->lanes - first};
            continue;
        }
        lt_regexp_parts parts = {.regexp = call->state, .text = text.data, .bytes = text.bytes, .limit = limit};
        for (;;) {
            LT_TRY(lt_regexp_parts_next(&parts, &part.data, &part.bytes, &has_part, &call->place, err));
            if (!has_part) break;
            LT_TRY(lt_call_append_view(call, texts, part.data, part.bytes, err));
        }
        LT_LANES(call->result, lt_list)[row] = (lt_list){first, texts->lanes - first};
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------- plain text

static size_t count_places(lt_text text, lt_text separator) {
    size_t count = 0;
    for (size_t at = 0; at < text.bytes; count++) {
        const char *found = memmem(text.data + at, text.bytes - at, separator.data, separator.bytes);
        if (found == NULL) break;
        at = (size_t)(found - text.data) + separator.bytes;
    }
    return count;
}

// Offset of the place number `number` of the separator, from 0; it exists.
static size_t place_of(lt_text text, lt_text separator, size_t number) {
    size_t at = 0;
    for (;; at += separator.bytes, number--) {
        at = (size_t)((const char *)memmem(text.data + at, text.bytes - at, separator.data, separator.bytes) -
                      text.data);
        if (number == 0) return at;
    }
}

static leat_status split_part_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row), separator = lt_arg_text(call, 1, row);
        int64_t number = LT_ARG(call, 2, int32_t, row);
        if (number == 0)
            return lt_call_raise(call, err, LT_INVALID_INDEX_OF_ZERO,
                                 "parts are numbered from 1, or from -1 backwards");
        size_t  places = separator.bytes == 0 ? 0 : count_places(text, separator);
        int64_t index  = number > 0 ? number - 1 : (int64_t)places + 1 + number;
        if (index < 0 || index > (int64_t)places) {
            lt_call_put_view(call, row, "", 0);
            continue;
        }
        size_t from = index == 0 ? 0 : place_of(text, separator, (size_t)index - 1) + separator.bytes;
        size_t to   = (size_t)index == places ? text.bytes : place_of(text, separator, (size_t)index);
        lt_call_put_view(call, row, text.data + from, to - from);
    }
    return LEAT_OK;
}

static leat_status substring_index_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row), separator = lt_arg_text(call, 1, row);
        int64_t count = LT_ARG(call, 2, int32_t, row);
        if (separator.bytes == 0 || count == 0) {
            lt_call_put_view(call, row, "", 0);
            continue;
        }
        size_t places = count_places(text, separator), from = 0, to = text.bytes;
        if (count > 0 && (size_t)count <= places) to = place_of(text, separator, (size_t)count - 1);
        if (count < 0 && (size_t)-count <= places)
            from = place_of(text, separator, places - (size_t)-count) + separator.bytes;
        lt_call_put_view(call, row, text.data + from, to - from);
    }
    return LEAT_OK;
}

#define TEXTS                                                                                                          \
    { LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT }

const lt_function lt_functions_text_split[] = {
    {.name        = "split",
     .takes       = {LT_TAKES_STRING, LT_TAKES_STRING},
     .resolve     = texts_resolve,
     .can_fail    = true,
     .evaluate    = split_evaluate,
     .state_bytes = sizeof(lt_regexp),
     .open        = regexp_open,
     .close       = regexp_close,
     .display     = "split($1, $2, -1)",
     .summary     = "Parts of a text between the matches of a regular expression; at most as many as a limit above 0.",
     .example     = "SELECT split('a,b,c', ',')",
     .example_result = "[a, b, c]"},
    {.name        = "split",
     .takes       = TEXTS,
     .resolve     = texts_resolve,
     .can_fail    = true,
     .evaluate    = split_evaluate,
     .state_bytes = sizeof(lt_regexp),
     .open        = regexp_open,
     .close       = regexp_close},
    {.name           = "split_part",
     .takes          = TEXTS,
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = split_part_evaluate,
     .summary        = "Part with a number between separators; negative numbers count from the end.",
     .example        = "SELECT split_part('a,b,c', ',', 3)",
     .example_result = "c"},
    {.name           = "substring_index",
     .takes          = TEXTS,
     .returns        = LT_STRING,
     .evaluate       = substring_index_evaluate,
     .summary        = "What stands before the n-th separator, or, for a negative n, behind the n-th from the end.",
     .example        = "SELECT substring_index('a.b.c.d', '.', 2)",
     .example_result = "a.b"},
    {0},
};
