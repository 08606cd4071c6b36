// Regular expressions of Java, found anywhere in a text: tests, counts, positions and parts. Source: Spark SQL 4.
#include "base/function.h"
#include "base/regexp.h"
#include "base/utf8.h"

static leat_status regexp_open(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                               leat_error *err) {
    (void)constants, (void)argument_count, (void)err;
    lt_regexp_init(state, arena->account);
    return LEAT_OK;
}
static void regexp_close(void *state) { lt_regexp_deinit(state); }

// Text and compiled pattern of a row.
static leat_status prepare(lt_call *call, uint32_t row, lt_text *text, leat_error *err) {
    lt_text pattern = lt_arg_text(call, 1, row);
    *text           = lt_arg_text(call, 0, row);
    LT_TRY(lt_regexp_compile(call->state, call->arena->account, pattern.data, pattern.bytes, &call->place, err));
    return lt_regexp_text(call->arena, &text->data, &text->bytes, err);
}

static leat_status rlike_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text;
        bool    found;
        LT_TRY(prepare(call, row, &text, err));
        LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, 0, &found, &call->place, err));
        LT_LANES(call->result, uint8_t)[row] = found;
    }
    return LEAT_OK;
}

static leat_status regexp_count_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text;
        LT_TRY(prepare(call, row, &text, err));
        int32_t count = 0;
        for (size_t from = 0; from <= text.bytes; count++) {
            bool found;
            LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, from, &found, &call->place, err));
            if (!found) break;
            from = lt_regexp_next(call->state, text.data, text.bytes);
        }
        LT_LANES(call->result, int32_t)[row] = count;
    }
    return LEAT_OK;
}

static leat_status regexp_instr_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text;
        bool    found;
        size_t  start, end;
        LT_TRY(prepare(call, row, &text, err));
        LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, 0, &found, &call->place, err));
        found                                = found && lt_regexp_group(call->state, 0, &start, &end);
        LT_LANES(call->result, int32_t)[row] = found ? (int32_t)lt_utf8_count(text.data, start) + 1 : 0;
    }
    return LEAT_OK;
}

static leat_status regexp_substr_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text;
        bool    found;
        size_t  start, end;
        LT_TRY(prepare(call, row, &text, err));
        LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, 0, &found, &call->place, err));
        if (found && lt_regexp_group(call->state, 0, &start, &end) && end > start)
            lt_call_put_view(call, row, text.data + start, end - start);
        else
            LT_TRY(lt_call_put_null(call, row, err));
    }
    return LEAT_OK;
}

static leat_status group_of(lt_call *call, uint32_t row, uint32_t *out, leat_error *err) {
    const lt_regexp *regexp = call->state;
    int32_t          group  = call->argument_count > 2 ? LT_ARG(call, 2, int32_t, row) : 1;
    if (group < 0 || (uint32_t)group > regexp->group_count)
        return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__REGEX_GROUP_INDEX,
                             "group %d is not between 0 and %u, the groups of the regular expression", group,
                             regexp->group_count);
    *out = (uint32_t)group;
    return LEAT_OK;
}

static leat_status regexp_extract_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text  text;
        bool     found;
        uint32_t group;
        size_t   start = 0, end = 0;
        LT_TRY(prepare(call, row, &text, err));
        LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, 0, &found, &call->place, err));
        if (found) {
            LT_TRY(group_of(call, row, &group, err));
            if (!lt_regexp_group(call->state, group, &start, &end)) start = end = 0;
        }
        lt_call_put_view(call, row, text.data + start, end - start);
    }
    return LEAT_OK;
}

static leat_status extract_all_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
        resolution->types[i] = lt_type_of(i == 2 ? LT_INT : LT_STRING);
    }
    resolution->result = lt_type_array(resolution->arena, lt_type_of(LT_STRING));
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status regexp_extract_all_evaluate(lt_call *call, leat_error *err) {
    lt_vector *parts = &call->result->children[0];
    LT_EACH_ROW(call, row) {
        lt_text  text;
        uint32_t group, first = parts->lanes;
        LT_TRY(prepare(call, row, &text, err));
        for (size_t from = 0; from <= text.bytes;) {
            bool   found;
            size_t start, end;
            LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, from, &found, &call->place, err));
            if (!found) break;
            LT_TRY(group_of(call, row, &group, err));
            if (!lt_regexp_group(call->state, group, &start, &end)) start = end = 0;
            LT_TRY(lt_call_append_view(call, parts, text.data + start, end - start, err));
            from = lt_regexp_next(call->state, text.data, text.bytes);
        }
        LT_LANES(call->result, lt_list)[row] = (lt_list){first, parts->lanes - first};
    }
    return LEAT_OK;
}

#define REGEXP_STATE .state_bytes = sizeof(lt_regexp), .open = regexp_open, .close = regexp_close, .can_fail = true
#define TEXTS                                                                                                          \
    { LT_TAKES_STRING, LT_TAKES_STRING }
#define TEXTS_INT                                                                                                      \
    { LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT }
#define RLIKE(function, shown, sample)                                                                                 \
    {                                                                                                                  \
        .name = function, .takes = TEXTS, .returns = LT_BOOLEAN, .evaluate = rlike_evaluate, .display = shown,         \
        .summary = "Whether a regular expression is found in a text.", .example = sample, .example_result = "true",    \
        REGEXP_STATE                                                                                                   \
    }

const lt_function lt_functions_pattern_regexp[] = {
    RLIKE("rlike", "RLIKE($1, $2)", "SELECT 'abc' RLIKE 'b'"),
    RLIKE("regexp", "REGEXP($1, $2)", "SELECT regexp('abc', 'b')"),
    RLIKE("regexp_like", "REGEXP_LIKE($1, $2)", "SELECT regexp_like('abc', 'c$')"),
    {.name     = "regexp_count",
     .takes    = TEXTS,
     .returns  = LT_INT,
     .evaluate = regexp_count_evaluate,
     REGEXP_STATE,
     .summary        = "How often a regular expression is found, without overlaps.",
     .example        = "SELECT regexp_count('a1b2c3', '[0-9]')",
     .example_result = "3"},
    {.name     = "regexp_instr",
     .takes    = TEXTS,
     .returns  = LT_INT,
     .evaluate = regexp_instr_evaluate,
     REGEXP_STATE,
     .display        = "regexp_instr($1, $2, 0)",
     .summary        = "Position of the first match of a regular expression, from 1; 0: none.",
     .example        = "SELECT regexp_instr('abc123', '[0-9]')",
     .example_result = "4"},
    {.name = "regexp_instr", .takes = TEXTS_INT, .returns = LT_INT, .evaluate = regexp_instr_evaluate, REGEXP_STATE},
    {.name     = "regexp_substr",
     .takes    = TEXTS,
     .returns  = LT_STRING,
     .evaluate = regexp_substr_evaluate,
     REGEXP_STATE,
     .summary        = "The first match of a regular expression, or NULL.",
     .example        = "SELECT regexp_substr('abc123def', '[0-9]+')",
     .example_result = "123"},
    {.name     = "regexp_extract",
     .takes    = TEXTS,
     .returns  = LT_STRING,
     .evaluate = regexp_extract_evaluate,
     REGEXP_STATE,
     .display        = "regexp_extract($1, $2, 1)",
     .summary        = "A group of the first match, by default the first one; empty when there is none.",
     .example        = "SELECT regexp_extract('100-200', '([0-9]+)-([0-9]+)', 2)",
     .example_result = "200"},
    {.name     = "regexp_extract",
     .takes    = TEXTS_INT,
     .returns  = LT_STRING,
     .evaluate = regexp_extract_evaluate,
     REGEXP_STATE},
    {.name     = "regexp_extract_all",
     .takes    = TEXTS,
     .resolve  = extract_all_resolve,
     .evaluate = regexp_extract_all_evaluate,
     REGEXP_STATE,
     .display        = "regexp_extract_all($1, $2, 1)",
     .summary        = "A group of every match, by default the first one.",
     .example        = "SELECT regexp_extract_all('a1b22', '([0-9]+)')",
     .example_result = "[1, 22]"},
    {.name     = "regexp_extract_all",
     .takes    = TEXTS_INT,
     .resolve  = extract_all_resolve,
     .evaluate = regexp_extract_all_evaluate,
     REGEXP_STATE},
    {0},
};
