// get_json_object(text, path): the part of a JSON text at a path $.name, ['name'], [3], [*]. A text comes without its
// quotes, everything else as compact JSON; NULL when there is none or the text is no JSON. With wildcards the matches
// are listed as Hive lists them: one match alone has no brackets around it.
// Source: Spark SQL 4, GetJsonObjectEvaluator.evaluatePath, whose cases `walk` follows one by one.
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "exec/nested.h"

enum { PATH_STEPS_MAX = 64 };

typedef enum step_kind { STEP_NAME, STEP_INDEX, STEP_ALL, STEP_NEVER } step_kind;
typedef struct step {
    step_kind   kind;
    const char *name;
    size_t      name_bytes;
    int64_t     index;
} step;
typedef struct path {
    step     steps[PATH_STEPS_MAX];
    uint32_t count;
} path;

static bool read_bracket(const char **at, const char *end, step *out) {
    const char *next = *at + 1;
    if (next < end && *next == '*' && end - next >= 2 && next[1] == ']') {
        *out = (step){.kind = STEP_ALL};
        *at  = next + 2;
        return true;
    }
    if (next < end && *next == '\'') {
        const char *start = ++next;
        while (next < end && *next != '\'') next++;
        if (end - next < 2 || next == start || next[1] != ']') return false;
        *out = (step){.kind = STEP_NAME, .name = start, .name_bytes = (size_t)(next - start)};
        if (out->name_bytes == 1 && *start == '*') out->kind = STEP_NEVER;
        *at = next + 2;
        return true;
    }
    int64_t     index = 0;
    const char *start = next;
    for (; next < end && *next >= '0' && *next <= '9' && next - start < 10; next++) index = index * 10 + (*next - '0');
    if (next == start || next >= end || *next != ']') return false;
    *out = (step){.kind = STEP_INDEX, .index = index};
    *at  = next + 1;
    return true;
}

static bool read_name(const char **at, const char *end, step *out) {
    const char *start = *at + 1, *next = start;
    while (next < end && *next != '.' && *next != '[') next++;
    if (next == start) return false;
    *out = (step){.kind = STEP_NAME, .name = start, .name_bytes = (size_t)(next - start)};
    if (out->name_bytes == 1 && *start == '*') out->kind = STEP_NEVER;
    *at = next;
    return true;
}

static bool read_path(const lt_string *text, path *out) {
    const char *at = lt_string_data(text), *end = at + text->bytes;
    out->count = 0;
    if (at >= end || *at++ != '$') return false;
    while (at < end) {
        if (out->count == PATH_STEPS_MAX) return false;
        step *next    = &out->steps[out->count++];
        bool  is_good = *at == '[' ? read_bracket(&at, end, next) : *at == '.' && read_name(&at, end, next);
        if (!is_good) return false;
    }
    return true;
}

typedef enum style { STYLE_RAW, STYLE_QUOTED, STYLE_FLATTEN } style;

// Where matches go: inside an array they are separated by commas.
typedef struct sink {
    lt_buffer *out;
    bool       in_array, needs_comma;
} sink;

typedef struct walker {
    lt_json_reader *reader;
    leat_error     *err;
    leat_status     status; // of memory
} walker;

static bool is_broken(const walker *self) {
    return self->status != LEAT_OK || self->reader->token == LT_JSON_BAD || self->reader->token == LT_JSON_END;
}

static void put(walker *self, sink *into, const char *text, size_t bytes) {
    if (self->status == LEAT_OK) self->status = lt_buffer_append(into->out, text, bytes, self->err);
}

static void begin_value(walker *self, sink *into) {
    if (into->in_array && into->needs_comma) put(self, into, ",", 1);
    into->needs_comma = true;
}

static bool copy_value(walker *self, sink *into) {
    bool is_good;
    begin_value(self, into);
    if (self->status == LEAT_OK) self->status = lt_json_copy_value(self->reader, into->out, &is_good, self->err);
    return self->status == LEAT_OK && is_good;
}

static bool walk(walker *self, sink *into, style how, const step *steps, uint32_t count);

// Every element in turn; counts the matches. The reader ends at ARRAY_END.
static uint32_t walk_elements(walker *self, sink *into, style how, const step *steps, uint32_t count) {
    uint32_t matches = 0;
    while (lt_json_next(self->reader) != LT_JSON_ARRAY_END && !is_broken(self))
        matches += walk(self, into, how, steps, count);
    return matches;
}

static bool walk_in_brackets(walker *self, sink *into, style how, const step *steps, uint32_t count) {
    sink inner = {.out = into->out, .in_array = true};
    begin_value(self, into);
    put(self, into, "[", 1);
    bool is_match = walk_elements(self, &inner, how, steps, count) > 0;
    put(self, into, "]", 1);
    return is_match;
}

// Matches are gathered apart: several get brackets, one none, nothing leaves no trace.
static bool walk_and_collapse(walker *self, sink *into, style how, const step *steps, uint32_t count) {
    lt_buffer matches;
    lt_buffer_init(&matches, into->out->account, 0);
    sink     inner = {.out = &matches, .in_array = true};
    uint32_t found = walk_elements(self, &inner, how, steps, count);
    if (found > 0) {
        begin_value(self, into);
        if (found > 1) put(self, into, "[", 1);
        put(self, into, matches.data, matches.bytes);
        if (found > 1) put(self, into, "]", 1);
    }
    lt_buffer_deinit(&matches);
    return found > 0;
}

static bool walk_index(walker *self, sink *into, style how, int64_t index, const step *steps, uint32_t count) {
    bool is_match = false;
    for (int64_t i = 0; lt_json_next(self->reader) != LT_JSON_ARRAY_END && !is_broken(self); i++) {
        if (i == index)
            is_match = walk(self, into, how, steps, count);
        else
            lt_json_skip(self->reader);
    }
    return is_match;
}

static bool walk_member(walker *self, sink *into, style how, const step *steps, uint32_t count) {
    bool            is_match = false;
    lt_json_reader *reader   = self->reader;
    while (lt_json_next(reader) != LT_JSON_OBJECT_END && !is_broken(self)) {
        bool is_wanted = !is_match && reader->text_bytes == steps[0].name_bytes &&
                         memcmp(reader->text, steps[0].name, steps[0].name_bytes) == 0;
        lt_json_next(reader);
        if (is_wanted && reader->token != LT_JSON_NULL)
            is_match = walk(self, into, how, steps + 1, count - 1);
        else
            lt_json_skip(reader);
    }
    return is_match;
}

// The value at the reader's token against the rest of the path. Depth is bounded by the reader's and the path's.
static bool walk(walker *self, sink *into, style how, const step *steps, uint32_t count) {
    lt_json_token token = self->reader->token;
    if (is_broken(self)) return false;
    if (count == 0) {
        if (token == LT_JSON_STRING && how == STYLE_RAW) {
            put(self, into, self->reader->text, self->reader->text_bytes);
            return true;
        }
        if (token == LT_JSON_ARRAY && how == STYLE_FLATTEN) return walk_elements(self, into, how, steps, 0) > 0;
        return copy_value(self, into);
    }
    if (token == LT_JSON_OBJECT && steps[0].kind == STEP_NAME) return walk_member(self, into, how, steps, count);
    if (token == LT_JSON_ARRAY && steps[0].kind == STEP_ALL) {
        if (count > 1 && steps[1].kind == STEP_ALL)
            return walk_in_brackets(self, into, STYLE_FLATTEN, steps + 2, count - 2);
        if (how != STYLE_QUOTED)
            return walk_and_collapse(self, into, how == STYLE_RAW ? STYLE_QUOTED : STYLE_FLATTEN, steps + 1, count - 1);
        return walk_in_brackets(self, into, STYLE_QUOTED, steps + 1, count - 1);
    }
    if (token == LT_JSON_ARRAY && steps[0].kind == STEP_INDEX)
        return walk_index(self, into, count > 1 && steps[1].kind == STEP_ALL ? STYLE_QUOTED : how, steps[0].index,
                          steps + 1, count - 1);
    lt_json_skip(self->reader);
    return false;
}

static leat_status get_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_exactly(resolution, 0, LT_STRING) || !lt_resolve_exactly(resolution, 1, LT_STRING))
        return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_STRING), err);
}

static leat_status get_row(lt_call *call, walker *self, lt_buffer *out, uint32_t row, leat_error *err) {
    path             steps;
    const lt_string *text = &LT_ARG(call, 0, lt_string, row);
    sink             into = {.out = out};
    lt_buffer_reset(out);
    if (!read_path(&LT_ARG(call, 1, lt_string, row), &steps)) return lt_call_put_nothing(call, row, err);
    lt_json_reader_open(self->reader, lt_string_data(text), text->bytes);
    lt_json_next(self->reader);
    bool is_match = walk(self, &into, STYLE_RAW, steps.steps, steps.count);
    LT_TRY(self->status);
    if (!is_match || self->reader->token == LT_JSON_BAD) return lt_call_put_nothing(call, row, err);
    return lt_call_put_text(call, row, out->data, out->bytes, err);
}

static leat_status get_evaluate(lt_call *call, leat_error *err) {
    lt_json_options options = {.allow_single_quotes = true, .allow_control_characters = true};
    lt_json_reader  reader;
    lt_buffer       out;
    leat_status     status = LEAT_OK;
    lt_json_reader_init(&reader, &options, call->arena->account);
    lt_buffer_init(&out, call->arena->account, LT_VALUE_BYTES_MAX);
    walker self = {.reader = &reader, .err = err};
    LT_EACH_ROW(call, row) {
        status = get_row(call, &self, &out, row, err);
        if (status != LEAT_OK) break;
    }
    lt_buffer_deinit(&out);
    lt_json_reader_deinit(&reader);
    return status;
}

const lt_function lt_functions_json_path[] = {
    {.name           = "get_json_object",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = get_resolve,
     .evaluate       = get_evaluate,
     .summary        = "The part of a JSON text at a path.",
     .example        = "SELECT get_json_object('{\"a\":{\"b\":[1,2]}}', '$.a.b[1]')",
     .example_result = "2"},
    {0},
};
