// from_csv(text, schema [, options]) and schema_of_csv(text [, options]): one CSV record as a struct, through the
// format csv, so that cells are cut and converted as in files. Bad cells are NULL (mode PERMISSIVE) or fail the query
// (FAILFAST). Source: Spark SQL 4, CsvToStructs, SchemaOfCsv.
#include "base/ascii.h"
#include "exec/nested.h"
#include "exec/text_options.h"
#include "storage/format.h"

// ------------------------------------------------------------------------------------------------------------- options

// The options of the call, with `more` name-value pairs behind them.
static leat_status option_values(const lt_vector *options, const char *const *more, uint32_t more_count,
                                 lt_arena *arena, lt_option_values *out, leat_error *err) {
    lt_list          list = {0};
    const lt_vector *keys = NULL, *values = NULL;
    lt_option_value *rows;
    uint32_t         count = 0;
    if (options != NULL && options->type->kind == LT_MAP && options->type->fields[0].type->kind == LT_STRING &&
        !lt_vector_is_null(options, 0)) {
        const lt_vector *lanes = lt_vector_lanes(options);
        list                   = LT_LANES(lanes, const lt_list)[lt_vector_lane(options, 0)];
        keys                   = &lanes->children[0].children[0];
        values                 = &lanes->children[0].children[1];
    }
    LT_TRY_NEW_ARRAY(rows, arena, list.count + more_count, err);
    for (uint32_t i = list.offset; i < list.offset + list.count; i++) {
        if (lt_lane_is_null(values, i)) continue;
        const lt_string *key = &LT_LANES(keys, const lt_string)[i], *value = &LT_LANES(values, const lt_string)[i];
        rows[count].name  = lt_arena_text(arena, lt_string_data(key), key->bytes);
        rows[count].value = lt_arena_text(arena, lt_string_data(value), value->bytes);
        if (rows[count].name == NULL || rows[count].value == NULL) return lt_raise_no_memory(err);
        count++;
    }
    // What stands last wins a look-up, so what must hold goes to the end.
    for (uint32_t i = 0; i < more_count; i++)
        rows[count + i] = (lt_option_value){.name = more[2 * i], .value = more[2 * i + 1]};
    *out = (lt_option_values){.values = rows, .count = more_count + count};
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ from_csv

typedef struct from_csv_state {
    lt_arena        *arena;
    const lt_vector *options;
    bool             is_ready, is_failfast;
    lt_option_values values;
    const lt_type  **types;
    const char     **names;
    int32_t          corrupt_column;
} from_csv_state;

// Where the decoder's row goes.
typedef struct csv_row {
    lt_call              *call;
    const from_csv_state *state;
    uint32_t              row;
    bool                  is_given;
} csv_row;

static leat_status check_cell_types(lt_resolution *resolution, const lt_type *type, leat_error *err) {
    for (uint32_t i = 0; i < type->field_count; i++)
        if (lt_kind_is_nested(type->fields[i].type->kind))
            return lt_raise(err, LT_UNSUPPORTED_DATATYPE, &resolution->places[1], "a CSV cell cannot be %s",
                            lt_type_text(resolution->arena, type->fields[i].type));
    return LEAT_OK;
}

static leat_status from_csv_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_vector *schema = resolution->constants[1];
    const lt_type   *type;
    if (!lt_resolve_exactly(resolution, 0, LT_STRING)) return LEAT_DONE;
    if (schema == NULL || schema->type->kind != LT_STRING || lt_vector_is_null(schema, 0))
        return lt_raise(err, LT_INVALID_SCHEMA__NON_STRING_LITERAL, &resolution->places[1],
                        "the schema must be a constant text such as 'a INT, b STRING'");
    const lt_string *text = &LT_VALUE(schema, lt_string, 0);
    LT_TRY(resolution->parse_type(resolution, lt_string_data(text), text->bytes, &type, err));
    if (type->kind != LT_STRUCT)
        return lt_raise(err, LT_INVALID_SCHEMA__NON_STRUCT_TYPE, &resolution->places[1], "CSV becomes a struct, not %s",
                        lt_type_text(resolution->arena, type));
    LT_TRY(check_cell_types(resolution, type, err));
    LT_TRY(lt_text_options_resolve(resolution, 2, err));
    const lt_vector *options = resolution->argument_count > 2 ? resolution->constants[2] : NULL;
    const char      *mode    = lt_text_option_text(options, "mode", "PERMISSIVE", resolution->arena);
    if (mode != NULL && lt_ascii_compare(mode, "DROPMALFORMED") == 0)
        return lt_raise(err, LT_PARSE_MODE_UNSUPPORTED, &resolution->place,
                        "from_csv has the modes PERMISSIVE and FAILFAST, not %s", mode);
    return lt_resolve_result(resolution, type, err);
}

static leat_status from_csv_open(void *state, const lt_vector *const *constants, uint32_t argument_count,
                                 lt_arena *arena, leat_error *err) {
    from_csv_state *self = state;
    (void)err;
    *self = (from_csv_state){.arena = arena, .options = argument_count > 2 ? constants[2] : NULL, .corrupt_column = -1};
    return LEAT_OK;
}

static leat_status prepare(from_csv_state *self, const lt_type *type, leat_error *err) {
    static const char *const more[] = {"mode", "PERMISSIVE", "header", "false", "multiLine", "true"};
    if (self->is_ready) return LEAT_OK;
    LT_TRY(option_values(self->options, more, 3, self->arena, &self->values, err));
    const char *mode = lt_text_option_text(self->options, "mode", "PERMISSIVE", self->arena);
    const char *corrupt =
        lt_text_option_text(self->options, "columnNameOfCorruptRecord", "_corrupt_record", self->arena);
    if (mode == NULL || corrupt == NULL) return lt_raise_no_memory(err);
    self->is_failfast = lt_ascii_compare(mode, "FAILFAST") == 0;
    LT_TRY_NEW_ARRAY(self->types, self->arena, type->field_count, err);
    LT_TRY_NEW_ARRAY(self->names, self->arena, type->field_count, err);
    for (uint32_t i = 0; i < type->field_count; i++) {
        self->types[i] = type->fields[i].type;
        self->names[i] = type->fields[i].name;
        if (lt_ascii_compare(self->names[i], corrupt) == 0 && self->types[i]->kind == LT_STRING)
            self->corrupt_column = (int32_t)i;
    }
    self->is_ready = true;
    return LEAT_OK;
}

static leat_status give(void *user, const lt_chunk *chunk, leat_error *err) {
    csv_row *self = user;
    if (chunk->count == 0 || self->is_given) return LEAT_OK;
    self->is_given    = true;
    lt_vector *result = self->call->result;
    for (uint32_t i = 0; i < result->child_count; i++) {
        // The chunk goes back to the decoder: bytes are copied by way of a vector of this call's.
        lt_vector *copy;
        LT_TRY_NEW(copy, self->call->arena, err);
        LT_TRY(lt_vector_init(copy, chunk->columns[i].type, 1, self->call->arena, err));
        LT_TRY(lt_vector_append_row(copy, &chunk->columns[i], 0, self->call->arena, err));
        LT_TRY(lt_lane_put(&result->children[i], self->row, copy, 0, self->call->arena, err));
    }
    return LEAT_OK;
}

static leat_status give_bad(void *user, const lt_bad_row *bad, leat_error *err) {
    csv_row *self = user;
    if (!self->state->is_failfast) return LEAT_OK;
    return lt_call_raise(self->call, err, LT_MALFORMED_RECORD_IN_PARSING__WITHOUT_SUGGESTION,
                         "a text is not CSV of the schema (%s); mode PERMISSIVE gives NULLs",
                         bad->reason != NULL ? bad->reason : "malformed");
}

static leat_status read_row(const lt_format *format, void *decoder, csv_row *self, leat_error *err) {
    lt_call         *call = self->call;
    const lt_string *text = &LT_ARG(call, 0, lt_string, self->row);
    lt_vector_set_valid(call->result, self->row);
    for (uint32_t i = 0; i < call->result->child_count; i++)
        LT_TRY(lt_lane_put_null(&call->result->children[i], self->row, call->arena, err));
    self->is_given = false;
    LT_TRY(format->begin(decoder, NULL, err));
    LT_TRY(format->decode(decoder, lt_string_data(text), text->bytes, true, err));
    return format->flush(decoder, err);
}

static leat_status from_csv_evaluate(lt_call *call, leat_error *err) {
    from_csv_state  *self   = call->state;
    const lt_format *format = lt_format_find("csv");
    if (format == NULL) return lt_call_raise(call, err, LT_NOT_SUPPORTED, "there is no format csv");
    LT_TRY(prepare(self, call->result->type, err));
    csv_row          sink    = {.call = call, .state = self};
    lt_decode_target target  = {.types          = self->types,
                                .names          = self->names,
                                .column_count   = call->result->type->field_count,
                                .corrupt_column = self->corrupt_column,
                                .give           = give,
                                .give_bad       = give_bad,
                                .user           = &sink,
                                .evaluation     = call->evaluation,
                                .account        = call->arena->account};
    void            *decoder = lt_arena_zero(call->arena, format->decoder_bytes);
    if (decoder == NULL) return lt_raise_no_memory(err);
    leat_status status = format->open(decoder, &self->values, &target, err);
    if (status == LEAT_OK) {
        LT_EACH_ROW(call, row) {
            sink.row = row;
            status   = read_row(format, decoder, &sink, err);
            if (status != LEAT_OK) break;
        }
    }
    format->close(decoder);
    return status;
}

// ------------------------------------------------------------------------------------------------------- schema_of_csv

static leat_status schema_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_vector *text = resolution->constants[0];
    if (text != NULL && lt_vector_is_null(text, 0))
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_NULL, &resolution->places[0],
                        "the text of schema_of_csv cannot be NULL");
    if (resolution->types[0]->kind != LT_STRING) return LEAT_DONE;
    if (text == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[0],
                        "schema_of_csv takes a constant text");
    LT_TRY(lt_text_options_resolve(resolution, 1, err));
    return lt_resolve_result(resolution, lt_type_of(LT_STRING), err);
}

static leat_status schema_evaluate(lt_call *call, leat_error *err) {
    static const char *const more[] = {"inferSchema", "true", "header", "false"};
    const lt_format         *format = lt_format_find("csv");
    lt_option_values         options;
    if (format == NULL || format->infer == NULL)
        return lt_call_raise(call, err, LT_NOT_SUPPORTED, "there is no format csv");
    LT_TRY(option_values(call->argument_count > 1 ? call->arguments[1] : NULL, more, 2, call->arena, &options, err));
    LT_EACH_ROW(call, row) {
        const lt_string *text = &LT_ARG(call, 0, lt_string, row);
        const lt_type   *type = NULL;
        LT_TRY(format->infer(&options, lt_string_data(text), text->bytes, call->arena, &type, err));
        LT_TRY(lt_inferred_finish(call->arena, type, &type, err));
        const char *ddl = lt_type_text(call->arena, type);
        if (ddl == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_call_put_text(call, row, ddl, strlen(ddl), err));
    }
    return LEAT_OK;
}

const lt_function lt_functions_csv_read[] = {
    {.name           = "from_csv",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_MAP | LT_TAKES_OPTIONAL},
     .can_fail       = true,
     .resolve        = from_csv_resolve,
     .evaluate       = from_csv_evaluate,
     .open           = from_csv_open,
     .state_bytes    = sizeof(from_csv_state),
     .display        = "$name($1)",
     .summary        = "A CSV record as a struct of a schema.",
     .example        = "SELECT from_csv('1,abc', 'a INT, b STRING')",
     .example_result = "{1, abc}"},
    {.name           = "schema_of_csv",
     .takes          = {LT_TAKES_ANY, LT_TAKES_MAP | LT_TAKES_OPTIONAL},
     .can_fail       = true,
     .resolve        = schema_resolve,
     .evaluate       = schema_evaluate,
     .display        = "$name($1)",
     .summary        = "The schema that Spark infers for a CSV record, as DDL.",
     .example        = "SELECT schema_of_csv('1,abc')",
     .example_result = "STRUCT<_c0: INT, _c1: STRING>"},
    {0},
};
