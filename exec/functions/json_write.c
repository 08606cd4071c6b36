// to_json(value [, options]): a struct, map or array as JSON text; NULL fields of structs are left out. Source: Spark
// SQL 4, StructsToJson.
#include "base/json_writer.h"
#include "exec/nested.h"
#include "exec/text_options.h"

typedef struct to_json_state {
    lt_arena        *arena;
    const lt_vector *options;
    bool             is_ready;
    lt_json_writer   writer;
} to_json_state;

static leat_status to_json_resolve(lt_resolution *resolution, leat_error *err) {
    LT_TRY(lt_text_options_resolve(resolution, 1, err));
    lt_kind kind = resolution->types[0]->kind;
    if (!lt_kind_is_nested(kind) && kind != LT_VARIANT && kind != LT_VOID)
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_JSON_SCHEMA, &resolution->places[0],
                        "to_json takes a struct, a map or an array, not %s", lt_resolve_text(resolution, 0));
    return lt_resolve_result(resolution, lt_type_of(LT_STRING), err);
}

static leat_status to_json_open(void *state, const lt_vector *const *constants, uint32_t argument_count,
                                lt_arena *arena, leat_error *err) {
    to_json_state *self = state;
    (void)err;
    *self = (to_json_state){.arena = arena, .options = argument_count > 1 ? constants[1] : NULL};
    return LEAT_OK;
}

static leat_status prepare(to_json_state *self, const lt_evaluation *evaluation, leat_error *err) {
    lt_json_writer *writer = &self->writer;
    if (self->is_ready) return LEAT_OK;
    LT_TRY(lt_json_writer_init(writer, evaluation, err));
    writer->ignores_null_fields = lt_text_option_is_true(self->options, "ignoreNullFields", true);
    writer->sorts_keys          = lt_text_option_is_true(self->options, "sortKeys", false);
    LT_TRY(lt_text_option_pattern(self->options, "dateFormat", LT_PATTERN_FORMAT, self->arena, &writer->date_pattern,
                                  err));
    LT_TRY(lt_text_option_pattern(self->options, "timestampFormat", LT_PATTERN_FORMAT, self->arena,
                                  &writer->timestamp_pattern, err));
    LT_TRY(lt_text_option_pattern(self->options, "timestampNTZFormat", LT_PATTERN_FORMAT, self->arena,
                                  &writer->timestamp_ntz_pattern, err));
    self->is_ready = true;
    return LEAT_OK;
}

static leat_status to_json_evaluate(lt_call *call, leat_error *err) {
    to_json_state *self = call->state;
    LT_TRY(prepare(self, call->evaluation, err));
    const bool  is_pretty = lt_text_option_is_true(self->options, "pretty", false);
    lt_buffer   text, pretty;
    leat_status status = LEAT_OK;
    lt_buffer_init(&text, call->arena->account, LT_VALUE_BYTES_MAX);
    lt_buffer_init(&pretty, call->arena->account, LT_VALUE_BYTES_MAX);
    LT_EACH_ROW(call, row) {
        lt_buffer_reset(&text);
        status = lt_json_write_value(&self->writer, call->arguments[0], row, &text, err);
        lt_buffer_reset(&pretty);
        if (status == LEAT_OK && is_pretty) status = lt_json_write_pretty(text.data, text.bytes, &pretty, err);
        const lt_buffer *result = is_pretty ? &pretty : &text;
        if (status == LEAT_OK) status = lt_call_put_text(call, row, result->data, result->bytes, err);
        if (status != LEAT_OK) break;
    }
    lt_buffer_deinit(&pretty);
    lt_buffer_deinit(&text);
    return status;
}

const lt_function lt_functions_json_write[] = {
    {.name           = "to_json",
     .takes          = {LT_TAKES_ANY, LT_TAKES_MAP | LT_TAKES_OPTIONAL},
     .resolve        = to_json_resolve,
     .evaluate       = to_json_evaluate,
     .open           = to_json_open,
     .state_bytes    = sizeof(to_json_state),
     .display        = "$name($1)",
     .summary        = "A struct, map or array as JSON text.",
     .example        = "SELECT to_json(named_struct('a', 1, 'b', 'x'))",
     .example_result = "{\"a\":1,\"b\":\"x\"}"},
    {0},
};
