// to_csv(struct [, options]): the fields as one CSV record by univocity's rules as Spark sets them: blanks around texts
// are dropped, a cell with a separator, quote or line end is quoted, quotes inside are escaped by a backslash, an empty
// text is
// "", NULL is the nullValue. Source: Spark SQL 4, StructsToCsv.
#include "base/json_writer.h"
#include "base/value_text.h"
#include "exec/nested.h"
#include "exec/text_options.h"

typedef struct to_csv_state {
    lt_arena        *arena;
    const lt_vector *options;
    bool             is_ready, quotes_all, escapes_quotes, trims_start, trims_end;
    const char      *separator, *null_text, *empty_text;
    char             quote, escape;
    lt_json_writer   times;
    lt_value_text    values;
} to_csv_state;

static leat_status to_csv_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->types[0]->kind != LT_STRUCT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNSUPPORTED_INPUT_TYPE, &resolution->places[0],
                        "to_csv takes a struct, not %s", lt_resolve_text(resolution, 0));
    LT_TRY(lt_text_options_resolve(resolution, 1, err));
    return lt_resolve_result(resolution, lt_type_of(LT_STRING), err);
}

static leat_status to_csv_open(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                               leat_error *err) {
    to_csv_state *self = state;
    (void)err;
    *self = (to_csv_state){.arena = arena, .options = argument_count > 1 ? constants[1] : NULL};
    return LEAT_OK;
}

static leat_status prepare(to_csv_state *self, const lt_evaluation *evaluation, leat_error *err) {
    const lt_vector *options = self->options;
    if (self->is_ready) return LEAT_OK;
    LT_TRY(lt_json_writer_init(&self->times, evaluation, err));
    LT_TRY(lt_value_text_init(&self->values, LT_VALUE_TEXT_CAST, evaluation, err));
    LT_TRY(
        lt_text_option_pattern(options, "dateFormat", LT_PATTERN_FORMAT, self->arena, &self->times.date_pattern, err));
    LT_TRY(lt_text_option_pattern(options, "timestampFormat", LT_PATTERN_FORMAT, self->arena,
                                  &self->times.timestamp_pattern, err));
    LT_TRY(lt_text_option_pattern(options, "timestampNTZFormat", LT_PATTERN_FORMAT, self->arena,
                                  &self->times.timestamp_ntz_pattern, err));
    const char *separator = lt_text_option_text(options, "delimiter", ",", self->arena);
    self->separator       = lt_text_option_text(options, "sep", separator, self->arena);
    self->null_text       = lt_text_option_text(options, "nullValue", "", self->arena);
    self->empty_text      = lt_text_option_text(options, "emptyValue", "\"\"", self->arena);
    const char *quote     = lt_text_option_text(options, "quote", "\"", self->arena);
    const char *escape    = lt_text_option_text(options, "escape", "\\", self->arena);
    if (self->separator == NULL || self->null_text == NULL || self->empty_text == NULL || quote == NULL ||
        escape == NULL)
        return lt_raise_no_memory(err);
    self->quote          = quote[0];
    self->escape         = escape[0];
    self->quotes_all     = lt_text_option_is_true(options, "quoteAll", false);
    self->escapes_quotes = lt_text_option_is_true(options, "escapeQuotes", true);
    self->trims_start    = lt_text_option_is_true(options, "ignoreLeadingWhiteSpace", true);
    self->trims_end      = lt_text_option_is_true(options, "ignoreTrailingWhiteSpace", true);
    self->is_ready       = true;
    return LEAT_OK;
}

static bool needs_quotes(const to_csv_state *self, const char *text, size_t bytes) {
    size_t separator_bytes = strlen(self->separator);
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n' || text[i] == '\r' || (self->escapes_quotes && text[i] == self->quote)) return true;
        if (bytes - i >= separator_bytes && separator_bytes > 0 &&
            memcmp(text + i, self->separator, separator_bytes) == 0)
            return true;
    }
    return false;
}

static leat_status write_cell(const to_csv_state *self, const char *text, size_t bytes, lt_buffer *out,
                              leat_error *err) {
    while (self->trims_start && bytes > 0 && (unsigned char)*text <= ' ') {
        text++;
        bytes--;
    }
    while (self->trims_end && bytes > 0 && (unsigned char)text[bytes - 1] <= ' ') bytes--;
    if (bytes == 0) return lt_buffer_append_text(out, self->empty_text, err);
    bool is_quoted = self->quote != '\0' && (self->quotes_all || needs_quotes(self, text, bytes));
    if (!is_quoted) return lt_buffer_append(out, text, bytes, err);
    LT_TRY(lt_buffer_append_byte(out, self->quote, err));
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == self->quote) LT_TRY(lt_buffer_append_byte(out, self->escape, err));
        LT_TRY(lt_buffer_append_byte(out, text[i], err));
    }
    return lt_buffer_append_byte(out, self->quote, err);
}

// Dates and times as in JSON, everything else as CAST gives it.
static leat_status value_text(const to_csv_state *self, const lt_vector *field, uint32_t lane, lt_buffer *out,
                              leat_error *err) {
    lt_kind kind = field->type->kind;
    if (kind != LT_DATE && kind != LT_TIMESTAMP && kind != LT_TIMESTAMP_NTZ)
        return lt_value_text_append(&self->values, field, lane, out, err);
    LT_TRY(lt_json_write_value(&self->times, field, lane, out, err));
    out->bytes -= 2; // without the quotes
    memmove(out->data, out->data + 1, out->bytes);
    return LEAT_OK;
}

static leat_status to_csv_row(lt_call *call, uint32_t row, lt_buffer *out, lt_buffer *cell, leat_error *err) {
    const to_csv_state *self  = call->state;
    const lt_vector    *lanes = lt_vector_lanes(call->arguments[0]);
    uint32_t            lane  = lt_vector_lane(call->arguments[0], row);
    lt_buffer_reset(out);
    for (uint32_t i = 0; i < lanes->child_count; i++) {
        const lt_vector *field = &lanes->children[i];
        if (i > 0) LT_TRY(lt_buffer_append_text(out, self->separator, err));
        if (lt_vector_is_null(field, lane)) {
            LT_TRY(lt_buffer_append_text(out, self->null_text, err));
            continue;
        }
        lt_buffer_reset(cell);
        LT_TRY(value_text(self, field, lane, cell, err));
        LT_TRY(write_cell(self, cell->data, cell->bytes, out, err));
    }
    return lt_call_put_text(call, row, out->data, out->bytes, err);
}

static leat_status to_csv_evaluate(lt_call *call, leat_error *err) {
    LT_TRY(prepare(call->state, call->evaluation, err));
    lt_buffer   out, cell;
    leat_status status = LEAT_OK;
    lt_buffer_init(&out, call->arena->account, LT_VALUE_BYTES_MAX);
    lt_buffer_init(&cell, call->arena->account, LT_VALUE_BYTES_MAX);
    LT_EACH_ROW(call, row) {
        status = to_csv_row(call, row, &out, &cell, err);
        if (status != LEAT_OK) break;
    }
    lt_buffer_deinit(&cell);
    lt_buffer_deinit(&out);
    return status;
}

const lt_function lt_functions_csv_write[] = {
    {.name           = "to_csv",
     .takes          = {LT_TAKES_STRUCT, LT_TAKES_MAP | LT_TAKES_OPTIONAL},
     .resolve        = to_csv_resolve,
     .evaluate       = to_csv_evaluate,
     .open           = to_csv_open,
     .state_bytes    = sizeof(to_csv_state),
     .display        = "$name($1)",
     .summary        = "A struct as a CSV record.",
     .example        = "SELECT to_csv(named_struct('a', 1, 'b', 'x'))",
     .example_result = "1,x"},
    {0},
};
