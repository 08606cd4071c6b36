// to_number, try_to_number, to_char and to_varchar. to_char prints numbers in a number format, dates and timestamps in
// a date pattern, and bytes as hex, base64 or utf-8. Source: Spark SQL 4.
#include "base/ascii.h"
#include "base/datetime_pattern.h"
#include "base/decimal.h"
#include "exec/functions/encoding.h"
#include "exec/kernels/number_format.h"

typedef struct format_state {
    lt_number_format           number;
    const lt_datetime_pattern *date;
    lt_arena                  *arena;
    lt_text                    source; // what `number` or `date` was made of
    bool                       is_ready;
} format_state;

static leat_status format_open(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                               leat_error *err) {
    (void)constants, (void)argument_count, (void)err;
    format_state *self = state;
    self->arena        = arena;
    return LEAT_OK;
}

static bool is_same(const format_state *self, lt_text format) {
    return self->is_ready && self->source.bytes == format.bytes &&
           (format.bytes == 0 || memcmp(self->source.data, format.data, format.bytes) == 0);
}

// Formats are constants, so that what is kept of them is little.
static leat_status keep(format_state *self, lt_text format, leat_error *err) {
    char *copy = lt_arena_text(self->arena, format.data, format.bytes);
    if (copy == NULL) return lt_raise_no_memory(err);
    self->source   = (lt_text){copy, format.bytes};
    self->is_ready = true;
    return LEAT_OK;
}

static leat_status number_format_of(lt_call *call, uint32_t row, const lt_number_format **out, leat_error *err) {
    format_state *self   = call->state;
    lt_text       format = lt_arg_text(call, 1, row);
    if (!is_same(self, format)) {
        LT_TRY(lt_number_format_parse(format, &call->place, &self->number, err));
        LT_TRY(keep(self, format, err));
    }
    *out = &self->number;
    return LEAT_OK;
}

static leat_status constant_format(lt_resolution *resolution, lt_text *out, bool *out_is_null, leat_error *err) {
    const lt_vector *format = resolution->constants[1];
    if (format == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                        "the format of %s must be a constant", resolution->function->name);
    *out_is_null = format->type->kind != LT_STRING || lt_vector_is_null(format, 0);
    if (!*out_is_null) {
        const lt_string *text = &LT_VALUE(format, lt_string, 0);
        *out                  = (lt_text){lt_string_data(text), text->bytes};
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- to_number

static leat_status to_number_resolve(lt_resolution *resolution, leat_error *err) {
    lt_text          format;
    bool             is_null;
    lt_number_format pattern = {.whole_digits = LT_DECIMAL_PRECISION_MAX};
    for (uint32_t i = 0; i < 2; i++)
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
    LT_TRY(constant_format(resolution, &format, &is_null, err));
    if (!is_null) LT_TRY(lt_number_format_parse(format, &resolution->place, &pattern, err));
    resolution->types[0] = resolution->types[1] = lt_type_of(LT_STRING);
    if (is_null) pattern = (lt_number_format){.whole_digits = 10}; // of a DECIMAL without sizes
    resolution->result = lt_type_decimal(resolution->arena, pattern.whole_digits + pattern.places, pattern.places);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status to_number_rows(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        const lt_number_format *pattern;
        lt_text                 text = lt_arg_text(call, 0, row);
        LT_TRY(number_format_of(call, row, &pattern, err));
        if (lt_number_format_read(pattern, text, &LT_LANES(call->result, lt_int128)[row])) continue;
        if (!is_try)
            return lt_call_raise(call, err, LT_INVALID_FORMAT__MISMATCH_INPUT,
                                 "`%.*s` does not fit the number format; try_to_number gives NULL instead",
                                 (int)(text.bytes < 80 ? text.bytes : 80), text.data);
        LT_TRY(lt_call_put_null(call, row, err));
    }
    return LEAT_OK;
}
static leat_status to_number_evaluate(lt_call *call, leat_error *err) { return to_number_rows(call, false, err); }
static leat_status try_to_number_evaluate(lt_call *call, leat_error *err) { return to_number_rows(call, true, err); }

// ------------------------------------------------------------------------------------------------------------ to_char

static leat_status print_number(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    const lt_number_format *pattern;
    LT_TRY(number_format_of(call, row, &pattern, err));
    return lt_number_format_print(pattern, LT_ARG(call, 0, lt_int128, row), call->arguments[0]->type->scale, out, err);
}

static leat_status print_date(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    format_state       *self    = call->state;
    lt_text             format  = lt_arg_text(call, 1, row);
    bool                is_wall = call->arguments[0]->type->kind == LT_TIMESTAMP_NTZ;
    lt_datetime_context context;
    if (!is_same(self, format)) {
        LT_TRY(lt_datetime_pattern_compile(self->arena, format.data, format.bytes, LT_PATTERN_FORMAT, &call->place,
                                           &self->date, err));
        LT_TRY(keep(self, format, err));
    }
    LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));
    lt_time_zone utc = context.zone;
    if (is_wall) utc = (lt_time_zone){.id = "UTC"};
    return lt_datetime_pattern_format(self->date, &utc, LT_ARG(call, 0, int64_t, row), out, err);
}

static leat_status print_bytes(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    lt_text bytes = lt_arg_text(call, 0, row), format = lt_arg_text(call, 1, row);
    if (format.bytes == 3) return lt_hex_append(out, bytes, err);
    if (format.bytes == 6) return lt_mime_append(out, bytes, err);
    return lt_buffer_append(out, bytes.data, bytes.bytes, err);
}

static leat_status to_char_evaluate(lt_call *call, leat_error *err) {
    lt_kind kind = call->arguments[0]->type->kind;
    return lt_call_write_rows(call,
                              kind == LT_DECIMAL  ? print_number
                              : kind == LT_BINARY ? print_bytes
                                                  : print_date,
                              err);
}

static bool is_bytes_format(lt_text format) {
    static const char *const names[] = {"hex", "base64", "utf-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == format.bytes && lt_ascii_compare_bytes(names[i], format.data, format.bytes) == 0)
            return true;
    return false;
}

// Spark names a call by the function that it puts in its place.
static const char *bytes_display(const lt_resolution *resolution, lt_text format) {
    const bool is_charset = format.bytes == 5;
    if (strcmp(resolution->function->name, "to_varchar") == 0) return is_charset ? NULL : "to_varchar($1)";
    return is_charset ? "decode($1, $2)" : format.bytes == 3 ? "hex($1)" : format.bytes == 6 ? "base64($1)" : NULL;
}

static leat_status to_char_resolve(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->types[0]->kind, format_kind = resolution->types[1]->kind;
    lt_text format  = {NULL, 0};
    bool    is_null = true;
    if (lt_kind_is_nested(kind) || kind == LT_BOOLEAN || lt_kind_is_interval(kind)) return LEAT_DONE;
    if (format_kind != LT_STRING && format_kind != LT_VOID && kind != LT_BINARY) return LEAT_DONE;
    resolution->types[1] = resolution->result = lt_type_of(LT_STRING);
    if (kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ || kind == LT_DATE) {
        if (kind == LT_DATE) resolution->types[0] = lt_type_of(LT_TIMESTAMP);
        resolution->display = "date_format($1, $2)";
        return LEAT_OK;
    }
    if (kind == LT_BINARY && (format_kind != LT_STRING || resolution->constants[1] == NULL))
        return lt_raise(err, LT_NON_FOLDABLE_ARGUMENT, &resolution->place, "the format of %s has to be a constant text",
                        resolution->function->name);
    LT_TRY(constant_format(resolution, &format, &is_null, err));
    if (kind == LT_BINARY) {
        if (is_null || is_bytes_format(format)) {
            resolution->display = bytes_display(resolution, format);
            return LEAT_OK;
        }
        return lt_raise(err, LT_INVALID_PARAMETER_VALUE__BINARY_FORMAT, &resolution->place,
                        "the format of %s is none of hex, base64 and utf-8", resolution->function->name);
    }
    lt_number_format pattern;
    resolution->display = "to_char($1, $2)";
    if (!is_null) LT_TRY(lt_number_format_parse(format, &resolution->place, &pattern, err));
    if (kind == LT_DECIMAL) return LEAT_OK;
    lt_decimal_shape shape = {LT_DECIMAL_PRECISION_MAX, 18};
    if (lt_kind_is_numeric(kind)) shape = lt_decimal_shape_of_kind(kind);
    resolution->types[0] = lt_type_decimal(resolution->arena, shape.precision, shape.scale);
    return resolution->types[0] == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

#define FORMAT_STATE .state_bytes = sizeof(format_state), .open = format_open, .can_fail = true
#define TEXTS                                                                                                          \
    { LT_TAKES_STRING, LT_TAKES_STRING }
#define TO_CHAR(function, sample)                                                                                      \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .resolve = to_char_resolve,                           \
        .evaluate = to_char_evaluate, .summary = "A number, date, timestamp or binary as text in a format.",           \
        .example = sample, .example_result = "12,454.8-", FORMAT_STATE                                                 \
    }

const lt_function lt_functions_format_to_number[] = {
    {.name     = "to_number",
     .takes    = TEXTS,
     .resolve  = to_number_resolve,
     .evaluate = to_number_evaluate,
     FORMAT_STATE,
     .summary        = "The number in a text of a format of 0, 9, the point, commas, $ and signs.",
     .example        = "SELECT to_number('12,454.8-', '99,999.9S')",
     .example_result = "-12454.8"},
    {.name     = "try_to_number",
     .takes    = TEXTS,
     .resolve  = to_number_resolve,
     .evaluate = try_to_number_evaluate,
     FORMAT_STATE,
     .summary        = "The number in a text of a format, or NULL.",
     .example        = "SELECT try_to_number('abc', '999')",
     .example_result = "NULL"},
    TO_CHAR("to_char", "SELECT to_char(-12454.8, '99,999.9S')"),
    TO_CHAR("to_varchar", "SELECT to_varchar(-12454.8, '99,999.9S')"),
    {0},
};
