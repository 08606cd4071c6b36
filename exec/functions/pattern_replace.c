// regexp_replace: each match of a regular expression exchanged for a text that may name groups: $1, ${name}; \ takes
// the next character as it is. Source: Spark SQL 4; Java's Matcher.appendReplacement.
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

static leat_status raise_replacement(lt_call *call, lt_text with, const char *reason, leat_error *err) {
    return lt_call_raise(call, err, LT_INVALID_REGEXP_REPLACE, "the replacement `%.*s` %s",
                         (int)(with.bytes < 80 ? with.bytes : 80), with.data, reason);
}

// The group named behind the $ at with[*at - 1].
static leat_status read_group(lt_call *call, lt_text with, size_t *at, uint32_t *out, leat_error *err) {
    const lt_regexp *regexp = call->state;
    if (*at < with.bytes && with.data[*at] == '{') {
        const char *end = memchr(with.data + *at, '}', with.bytes - *at);
        if (end == NULL) return raise_replacement(call, with, "has a ${ without }", err);
        size_t start = *at + 1;
        *at          = (size_t)(end - with.data) + 1;
        *out         = lt_regexp_named_group(regexp, with.data + start, *at - 1 - start);
        return *out > 0 ? LEAT_OK : raise_replacement(call, with, "names a group that does not exist", err);
    }
    if (*at >= with.bytes || with.data[*at] < '0' || with.data[*at] > '9')
        return raise_replacement(call, with, "has a $ without a group", err);
    *out = (uint32_t)(with.data[(*at)++] - '0');
    if (*out > regexp->group_count) return raise_replacement(call, with, "names a group that does not exist", err);
    while (*at < with.bytes && with.data[*at] >= '0' && with.data[*at] <= '9') {
        uint32_t longer = *out * 10 + (uint32_t)(with.data[*at] - '0');
        if (longer > regexp->group_count) break;
        *out = longer;
        (*at)++;
    }
    return LEAT_OK;
}

static leat_status append_replacement(lt_call *call, lt_text text, lt_text with, lt_buffer *out, leat_error *err) {
    for (size_t at = 0; at < with.bytes;) {
        if (with.data[at] == '\\') {
            if (++at >= with.bytes) return raise_replacement(call, with, "ends in a backslash", err);
            LT_TRY(lt_buffer_append_byte(out, with.data[at++], err));
        } else if (with.data[at] == '$') {
            uint32_t group = 0;
            size_t   start, end;
            at++;
            LT_TRY(read_group(call, with, &at, &group, err));
            if (lt_regexp_group(call->state, group, &start, &end))
                LT_TRY(lt_buffer_append(out, text.data + start, end - start, err));
        } else {
            LT_TRY(lt_buffer_append_byte(out, with.data[at++], err));
        }
    }
    return LEAT_OK;
}

static leat_status regexp_replace_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text text = lt_arg_text(call, 0, row), pattern = lt_arg_text(call, 1, row), with = lt_arg_text(call, 2, row);
    int32_t position = call->argument_count > 3 ? LT_ARG(call, 3, int32_t, row) : 1;
    LT_TRY(lt_regexp_compile(call->state, call->arena->account, pattern.data, pattern.bytes, &call->place, err));
    LT_TRY(lt_regexp_text(call->arena, &text.data, &text.bytes, err));
    if (position > 1) {
        // The search sees nothing of what stands before.
        size_t skipped = lt_utf8_skip(text.data, text.bytes, 0, (size_t)position - 1);
        LT_TRY(lt_buffer_append(out, text.data, skipped, err));
        text = (lt_text){text.data + skipped, text.bytes - skipped};
        if (text.bytes == 0) return LEAT_OK;
    }
    size_t copied = 0, start = 0, end = 0;
    for (size_t from = 0; from <= text.bytes;) {
        bool found;
        LT_TRY(lt_regexp_find(call->state, text.data, text.bytes, from, &found, &call->place, err));
        if (!found || !lt_regexp_group(call->state, 0, &start, &end)) break;
        LT_TRY(lt_buffer_append(out, text.data + copied, start - copied, err));
        LT_TRY(append_replacement(call, text, with, out, err));
        copied = end;
        from   = lt_regexp_next(call->state, text.data, text.bytes);
    }
    return lt_buffer_append(out, text.data + copied, text.bytes - copied, err);
}
static leat_status regexp_replace_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, regexp_replace_write, err);
}

static leat_status position_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < 4; i++) {
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
    }
    const lt_vector *position = resolution->constants[3];
    if (position != NULL && position->type->kind == LT_INT && !lt_vector_is_null(position, 0) &&
        LT_VALUE(position, int32_t, 0) <= 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->place,
                        "the position %d of regexp_replace is not above 0", LT_VALUE(position, int32_t, 0));
    for (uint32_t i = 0; i < 4; i++) resolution->types[i] = lt_type_of(i == 3 ? LT_INT : LT_STRING);
    resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

#define REGEXP_STATE .state_bytes = sizeof(lt_regexp), .open = regexp_open, .close = regexp_close, .can_fail = true

const lt_function lt_functions_pattern_replace[] = {
    {.name     = "regexp_replace",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .evaluate = regexp_replace_evaluate,
     .display  = "regexp_replace($1, $2, $3, 1)",
     REGEXP_STATE,
     .summary        = "Text with each match of a regular expression replaced; $1 in the replacement is a group.",
     .example        = "SELECT regexp_replace('John Smith', '(J[a-z]+) (S[a-z]+)', '$2 $1')",
     .example_result = "Smith John"},
    {.name     = "regexp_replace",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT},
     .resolve  = position_resolve,
     .evaluate = regexp_replace_evaluate,
     REGEXP_STATE},
    {0},
};
