// LIKE and its relatives: % any characters, _ one character, an escape before either or before itself.
//
// A pattern becomes steps (literal bytes, one character, any characters) once; matching keeps the last % to come back
// to, so that it takes at most O(text * pattern). A malformed escape fails whatever the text is.
// Source: Spark SQL 4: StringUtils.escapeLikeRegex.
#include "base/function.h"
#include "base/utf8.h"

enum { STEP_ONE = -1, STEP_ANY = -2 };

typedef struct like_step {
    int32_t  kind; // >= 0: offset of literal bytes
    uint32_t bytes;
} like_step;

typedef struct like_pattern {
    lt_account *account;
    lt_buffer   source;          // the pattern as given
    lt_buffer   literals, steps; // steps: like_step
    bool        is_ready;
    char        escape[LT_UTF8_BYTES_MAX];
    size_t      escape_bytes;
    lt_buffer   folded_pattern, folded_text; // of ILIKE: in lower case
} like_pattern;

static leat_status like_open(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                             leat_error *err) {
    (void)constants, (void)argument_count, (void)err;
    like_pattern *self = state;
    self->account      = arena->account;
    lt_buffer_init(&self->source, arena->account, 0);
    lt_buffer_init(&self->literals, arena->account, 0);
    lt_buffer_init(&self->steps, arena->account, 0);
    lt_buffer_init(&self->folded_pattern, arena->account, 0);
    lt_buffer_init(&self->folded_text, arena->account, 0);
    return LEAT_OK;
}

static void like_close(void *state) {
    like_pattern *self = state;
    if (self->account == NULL) return;
    lt_buffer_deinit(&self->source);
    lt_buffer_deinit(&self->literals);
    lt_buffer_deinit(&self->steps);
    lt_buffer_deinit(&self->folded_pattern);
    lt_buffer_deinit(&self->folded_text);
}

static leat_status add_step(like_pattern *self, int32_t kind, uint32_t bytes, leat_error *err) {
    like_step  step  = {kind, bytes};
    like_step *steps = (like_step *)(void *)self->steps.data;
    size_t     count = self->steps.bytes / sizeof step;
    if (kind >= 0 && count > 0 && steps[count - 1].kind >= 0) {
        steps[count - 1].bytes += bytes;
        return LEAT_OK;
    }
    if (kind == STEP_ANY && count > 0 && steps[count - 1].kind == STEP_ANY) return LEAT_OK;
    return lt_buffer_append(&self->steps, &step, sizeof step, err);
}

// *text in lower case, in the buffer.
static leat_status fold(lt_buffer *buffer, lt_text *text, leat_error *err) {
    lt_buffer_reset(buffer);
    LT_TRY(lt_utf8_append_lower(buffer, text->data, text->bytes, err));
    *text = (lt_text){buffer->bytes == 0 ? "" : buffer->data, buffer->bytes};
    return LEAT_OK;
}

static leat_status like_compile(lt_call *call, like_pattern *self, lt_text pattern, lt_text escape, bool is_folded,
                                leat_error *err) {
    if (self->is_ready && self->source.bytes == pattern.bytes && self->escape_bytes == escape.bytes &&
        (pattern.bytes == 0 || memcmp(self->source.data, pattern.data, pattern.bytes) == 0) &&
        memcmp(self->escape, escape.data, escape.bytes) == 0)
        return LEAT_OK;
    self->is_ready = false;
    lt_buffer_reset(&self->source);
    lt_buffer_reset(&self->literals);
    lt_buffer_reset(&self->steps);
    LT_TRY(lt_buffer_append(&self->source, pattern.data, pattern.bytes, err));
    memcpy(self->escape, escape.data, escape.bytes);
    self->escape_bytes = escape.bytes;
    if (is_folded) LT_TRY(fold(&self->folded_pattern, &pattern, err));
    for (size_t at = 0; at < pattern.bytes;) {
        size_t next      = lt_utf8_skip(pattern.data, pattern.bytes, at, 1);
        bool   is_escape = next - at == escape.bytes && memcmp(pattern.data + at, escape.data, escape.bytes) == 0;
        if (is_escape) {
            if (next >= pattern.bytes)
                return lt_call_raise(call, err, LT_INVALID_FORMAT__ESC_AT_THE_END,
                                     "the pattern `%.*s` ends in its escape character",
                                     (int)(pattern.bytes < 80 ? pattern.bytes : 80), pattern.data);
            at   = next;
            next = lt_utf8_skip(pattern.data, pattern.bytes, at, 1);
            if (pattern.data[at] != '%' && pattern.data[at] != '_' &&
                !(next - at == escape.bytes && memcmp(pattern.data + at, escape.data, escape.bytes) == 0))
                return lt_call_raise(call, err, LT_INVALID_FORMAT__ESC_IN_THE_MIDDLE,
                                     "the escape character in `%.*s` may stand before %%, _ and itself only",
                                     (int)(pattern.bytes < 80 ? pattern.bytes : 80), pattern.data);
        }
        if (!is_escape && pattern.data[at] == '%') {
            LT_TRY(add_step(self, STEP_ANY, 0, err));
        } else if (!is_escape && pattern.data[at] == '_') {
            LT_TRY(add_step(self, STEP_ONE, 0, err));
        } else {
            int32_t offset = (int32_t)self->literals.bytes;
            LT_TRY(lt_buffer_append(&self->literals, pattern.data + at, next - at, err));
            LT_TRY(add_step(self, offset, (uint32_t)(next - at), err));
        }
        at = next;
    }
    self->is_ready = true;
    return LEAT_OK;
}

static bool like_match(const like_pattern *self, lt_text text) {
    const like_step *steps = (const like_step *)(const void *)self->steps.data;
    size_t           count = self->steps.bytes / sizeof *steps;
    size_t           step = 0, at = 0, retry_step = SIZE_MAX, retry_at = 0;
    for (;;) {
        if (step < count && steps[step].kind == STEP_ANY) {
            if (++step == count) return true;
            retry_step = step;
            retry_at   = at;
            continue;
        }
        if (step == count && at == text.bytes) return true;
        if (step < count && steps[step].kind == STEP_ONE && at < text.bytes) {
            at = lt_utf8_skip(text.data, text.bytes, at, 1);
            step++;
            continue;
        }
        if (step < count && steps[step].kind >= 0 && steps[step].bytes <= text.bytes - at &&
            memcmp(text.data + at, self->literals.data + steps[step].kind, steps[step].bytes) == 0) {
            at += steps[step].bytes;
            step++;
            continue;
        }
        if (retry_step == SIZE_MAX || retry_at >= text.bytes) return false;
        step = retry_step;
        // A literal behind % is looked for at once.
        if (steps[step].kind >= 0) {
            const char *found = memmem(text.data + retry_at + 1, text.bytes - retry_at - 1,
                                       self->literals.data + steps[step].kind, steps[step].bytes);
            if (found == NULL) return false;
            retry_at = (size_t)(found - text.data);
        } else {
            retry_at = lt_utf8_skip(text.data, text.bytes, retry_at, 1);
        }
        at = retry_at;
    }
}

// The escape of a row; `argument` beyond the last: a backslash.
static leat_status escape_of(lt_call *call, uint32_t argument, uint32_t row, lt_text *out, leat_error *err) {
    *out = (lt_text){"\\", 1};
    if (argument >= call->argument_count) return LEAT_OK;
    *out = lt_arg_text(call, argument, row);
    if (lt_utf8_count(out->data, out->bytes) != 1 || out->bytes > LT_UTF8_BYTES_MAX)
        return lt_call_raise(call, err, LT_INVALID_ESC, "an escape must be one character");
    return LEAT_OK;
}

static leat_status like_rows(lt_call *call, bool is_folded, leat_error *err) {
    like_pattern *self = call->state;
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row), pattern = lt_arg_text(call, 1, row), escape;
        LT_TRY(escape_of(call, 2, row, &escape, err));
        LT_TRY(like_compile(call, self, pattern, escape, is_folded, err));
        if (is_folded) LT_TRY(fold(&self->folded_text, &text, err));
        LT_LANES(call->result, uint8_t)[row] = like_match(self, text);
    }
    return LEAT_OK;
}
static leat_status like_evaluate(lt_call *call, leat_error *err) { return like_rows(call, false, err); }
static leat_status ilike_evaluate(lt_call *call, leat_error *err) { return like_rows(call, true, err); }

// An escape that is a constant is checked even when no row comes.
static leat_status like_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
        resolution->types[i] = lt_type_of(LT_STRING);
    }
    if (resolution->argument_count > 2) {
        const lt_vector *escape = resolution->constants[2];
        const lt_string *text   = escape == NULL || escape->type->kind != LT_STRING || lt_vector_is_null(escape, 0)
                                      ? NULL
                                      : &LT_VALUE(escape, lt_string, 0);
        if (text == NULL || lt_utf8_count(lt_string_data(text), text->bytes) != 1)
            return lt_raise(err, LT_INVALID_ESCAPE_CHAR, &resolution->places[2],
                            "an escape is a constant text of one character");
    }
    resolution->result = lt_type_of(LT_BOOLEAN);
    return LEAT_OK;
}

#define LIKE_STATE                                                                                                     \
    .state_bytes = sizeof(like_pattern), .open = like_open, .close = like_close, .can_fail = true,                     \
    .fails_by_constants = true
const lt_function lt_functions_pattern_like[] = {
    {.name     = "like",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING},
     .resolve  = like_resolve,
     .evaluate = like_evaluate,
     .display  = "$1 LIKE $2",
     LIKE_STATE,
     .summary        = "Whether a text has the form of a pattern of % and _.",
     .example        = "SELECT 'abc' LIKE 'a%'",
     .example_result = "true"},
    {.name     = "like",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_ANY},
     .resolve  = like_resolve,
     .evaluate = like_evaluate,
     .display  = "$1 LIKE $2 ESCAPE '$3'",
     LIKE_STATE},
    {.name     = "ilike",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING},
     .resolve  = like_resolve,
     .evaluate = ilike_evaluate,
     .display  = "ilike($1, $2)",
     LIKE_STATE,
     .summary        = "Whether a text has the form of a pattern, in upper or lower case.",
     .example        = "SELECT 'ABC' ILIKE 'a%'",
     .example_result = "true"},
    {.name     = "ilike",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_ANY},
     .resolve  = like_resolve,
     .evaluate = ilike_evaluate,
     .display  = "ilike($1, $2)",
     LIKE_STATE},
    {0},
};
