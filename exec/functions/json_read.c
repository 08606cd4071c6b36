// from_json(text, schema [, options]): JSON text as a struct, array or map, by the rules of base/json_convert.h.
// Bad fields are NULL and a text that is no JSON gives a struct of NULLs (mode PERMISSIVE), or all of it fails
// (FAILFAST); a field named _corrupt_record gets the text of what was bad. A blank text gives NULL.
// Source: Spark SQL 4, JsonToStructs.
#include "base/ascii.h"
#include "base/json_convert.h"
#include "exec/nested.h"
#include "exec/text_options.h"

typedef struct from_json_state {
    lt_arena                  *arena;
    const lt_vector           *options;
    bool                       is_ready;
    lt_json_options            reader_options;
    bool                       is_failfast, has_fallback;
    const lt_datetime_pattern *date_pattern, *timestamp_pattern, *timestamp_ntz_pattern;
    const lt_field            *fields; // of the result struct, the corrupt column renamed to what no text can be
    int32_t                    corrupt_column; // or -1
} from_json_state;

static leat_status from_json_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_exactly(resolution, 0, LT_STRING)) return LEAT_DONE;
    const lt_vector *schema = resolution->constants[1];
    const lt_type   *type;
    if (schema == NULL || schema->type->kind != LT_STRING || lt_vector_is_null(schema, 0))
        return lt_raise(err, LT_INVALID_SCHEMA__NON_STRING_LITERAL, &resolution->places[1],
                        "the schema must be a constant text such as 'a INT, b STRING'");
    const lt_string *text = &LT_VALUE(schema, lt_string, 0);
    LT_TRY(resolution->parse_type(resolution, lt_string_data(text), text->bytes, &type, err));
    if (type->kind != LT_STRUCT && type->kind != LT_ARRAY && type->kind != LT_MAP && type->kind != LT_VARIANT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_JSON_SCHEMA, &resolution->places[1],
                        "JSON becomes a struct, an array or a map, not %s", lt_type_text(resolution->arena, type));
    LT_TRY(lt_text_options_resolve(resolution, 2, err));
    const lt_vector *options = resolution->argument_count > 2 ? resolution->constants[2] : NULL;
    const char      *mode    = lt_text_option_text(options, "mode", "PERMISSIVE", resolution->arena);
    if (mode != NULL && lt_ascii_compare(mode, "DROPMALFORMED") == 0)
        return lt_raise(err, LT_PARSE_MODE_UNSUPPORTED, &resolution->place,
                        "from_json has the modes PERMISSIVE and FAILFAST, not %s", mode);
    return lt_resolve_result(resolution, type, err);
}

static leat_status from_json_open(void *state, const lt_vector *const *constants, uint32_t argument_count,
                                  lt_arena *arena, leat_error *err) {
    from_json_state *self = state;
    (void)err;
    *self =
        (from_json_state){.arena = arena, .options = argument_count > 2 ? constants[2] : NULL, .corrupt_column = -1};
    return LEAT_OK;
}

// The corrupt column is filled by hand, never from a member of its name.
static leat_status find_corrupt_column(from_json_state *self, const lt_type *type, const char *name, leat_error *err) {
    lt_field *fields;
    LT_TRY_NEW_ARRAY(fields, self->arena, type->field_count, err);
    memcpy(fields, type->fields, sizeof *fields * type->field_count);
    self->fields = fields;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (lt_ascii_compare(fields[i].name, name) == 0 && fields[i].type->kind == LT_STRING) {
            self->corrupt_column = (int32_t)i;
            fields[i].name       = "\xff";
        }
    return LEAT_OK;
}

static leat_status prepare(from_json_state *self, const lt_type *type, leat_error *err) {
    const lt_vector *options = self->options;
    if (self->is_ready) return LEAT_OK;
    self->reader_options = lt_text_options_json(options);
    self->has_fallback   = lt_text_option_is_true(options, "enableDateTimeParsingFallback", false);
    LT_TRY(lt_text_option_pattern(options, "dateFormat", LT_PATTERN_PARSE, self->arena, &self->date_pattern, err));
    LT_TRY(lt_text_option_pattern(options, "timestampFormat", LT_PATTERN_PARSE, self->arena, &self->timestamp_pattern,
                                  err));
    LT_TRY(lt_text_option_pattern(options, "timestampNTZFormat", LT_PATTERN_PARSE, self->arena,
                                  &self->timestamp_ntz_pattern, err));
    const char *mode    = lt_text_option_text(options, "mode", "PERMISSIVE", self->arena);
    const char *corrupt = lt_text_option_text(options, "columnNameOfCorruptRecord", "_corrupt_record", self->arena);
    if (mode == NULL || corrupt == NULL) return lt_raise_no_memory(err);
    self->is_failfast = lt_ascii_compare(mode, "FAILFAST") == 0;
    if (type->kind == LT_STRUCT) LT_TRY(find_corrupt_column(self, type, corrupt, err));
    self->is_ready = true;
    return LEAT_OK;
}

static leat_status read_struct(lt_call *call, const from_json_state *self, lt_json_conversion *conversion,
                               lt_json_reader *reader, uint32_t row, lt_json_outcome *out, leat_error *err) {
    lt_vector *result = call->result;
    for (uint32_t pass = 0; pass < 2; pass++) { // the second time only when the text turned out not to be JSON
        lt_vector_set_valid(result, row);
        for (uint32_t i = 0; i < result->child_count; i++)
            LT_TRY(lt_lane_put_null(&result->children[i], row, call->arena, err));
        if (pass > 0) break;
        *out                = LT_JSON_BROKEN;
        conversion->problem = reader->problem != NULL ? reader->problem : "not an object";
        if (reader->token == LT_JSON_OBJECT)
            LT_TRY(lt_json_convert_fields(conversion, reader, self->fields, result->children, result->child_count, row,
                                          out, err));
        if (*out != LT_JSON_BROKEN) break;
    }
    return LEAT_OK;
}

// An array of structs may come as one object.
static leat_status read_single_element(lt_call *call, lt_json_conversion *conversion, lt_json_reader *reader,
                                       uint32_t row, lt_json_outcome *out, leat_error *err) {
    lt_vector *child = lt_call_child(call);
    uint32_t   lane, start = child->lanes;
    LT_TRY(lt_lane_add(child, &lane, call->arena, err));
    LT_TRY(lt_lane_put_null(child, lane, call->arena, err));
    LT_TRY(lt_json_convert(conversion, reader, child, lane, out, err));
    lt_vector_set_valid(call->result, row);
    lt_call_put_list(call, row, start);
    return LEAT_OK;
}

static leat_status read_row(lt_call *call, const from_json_state *self, lt_json_conversion *conversion,
                            lt_json_reader *reader, uint32_t row, leat_error *err) {
    const lt_string *text = &LT_ARG(call, 0, lt_string, row);
    const lt_type   *type = call->result->type;
    lt_json_outcome  outcome;
    lt_json_reader_open(reader, lt_string_data(text), text->bytes);
    lt_json_next(reader);
    LT_TRY(lt_call_put_nothing(call, row, err));
    if (!reader->has_value && reader->token != LT_JSON_BAD) return LEAT_OK;
    conversion->problem = "null is no record";
    if (type->kind == LT_STRUCT)
        LT_TRY(read_struct(call, self, conversion, reader, row, &outcome, err));
    else if (type->kind == LT_ARRAY && type->fields[0].type->kind == LT_STRUCT && reader->token == LT_JSON_OBJECT)
        LT_TRY(read_single_element(call, conversion, reader, row, &outcome, err));
    else
        LT_TRY(lt_json_convert(conversion, reader, call->result, row, &outcome, err));
    if (outcome == LT_JSON_GOOD) return LEAT_OK;
    if (self->is_failfast)
        return lt_call_raise(call, err, LT_MALFORMED_RECORD_IN_PARSING__WITHOUT_SUGGESTION,
                             "a text is not JSON of the schema (%s); mode PERMISSIVE gives NULLs",
                             conversion->problem != NULL ? conversion->problem : "malformed");
    if (type->kind != LT_STRUCT && outcome >= LT_JSON_WRONG) return lt_call_put_nothing(call, row, err);
    if (self->corrupt_column < 0) return LEAT_OK;
    lt_vector *corrupt = &call->result->children[self->corrupt_column];
    lt_vector_set_valid(corrupt, row);
    LT_LANES(corrupt, lt_string)[row] = *text;
    return LEAT_OK;
}

static leat_status from_json_evaluate(lt_call *call, leat_error *err) {
    from_json_state *self = call->state;
    LT_TRY(prepare(self, call->result->type, err));
    lt_json_reader     reader;
    lt_json_conversion conversion;
    LT_TRY(lt_json_conversion_init(&conversion, call->arena, call->evaluation, err));
    lt_json_reader_init(&reader, &self->reader_options, call->arena->account);
    conversion.date_pattern          = self->date_pattern;
    conversion.timestamp_pattern     = self->timestamp_pattern;
    conversion.timestamp_ntz_pattern = self->timestamp_ntz_pattern;
    conversion.has_fallback          = self->has_fallback;
    leat_status status               = LEAT_OK;
    LT_EACH_ROW(call, row) {
        status = read_row(call, self, &conversion, &reader, row, err);
        if (status != LEAT_OK) break;
    }
    lt_json_reader_deinit(&reader);
    lt_json_conversion_deinit(&conversion);
    return status;
}

const lt_function lt_functions_json_read[] = {
    {.name           = "from_json",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_MAP | LT_TAKES_OPTIONAL},
     .can_fail       = true,
     .resolve        = from_json_resolve,
     .evaluate       = from_json_evaluate,
     .open           = from_json_open,
     .state_bytes    = sizeof(from_json_state),
     .display        = "$name($1)",
     .summary        = "JSON text as a struct, array or map of a schema.",
     .example        = "SELECT from_json('{\"a\":1,\"b\":\"x\"}', 'a INT, b STRING')",
     .example_result = "{1, x}"},
    {0},
};
