// json_array_length, json_object_keys, schema_of_json: what a JSON text looks like; NULL when it is not of the kind.
// Source: Spark SQL 4; schema inference as for files, with names in order.
#include "base/json_reader.h"
#include "base/number_text.h"
#include "exec/nested.h"
#include "exec/text_options.h"
#include "storage/format.h"
#include "storage/inference.h"

static const lt_vector *options_of(const lt_call *call) { return call->argument_count > 1 ? call->arguments[1] : NULL; }

// Texts without options take raw control characters.
static lt_json_options reader_options(const lt_call *call) {
    if (options_of(call) != NULL) return lt_text_options_json(options_of(call));
    return (lt_json_options){.allow_single_quotes = true, .allow_control_characters = true};
}

static leat_status text_resolve(lt_resolution *resolution, const lt_type *result, leat_error *err) {
    if (!lt_resolve_exactly(resolution, 0, LT_STRING)) return LEAT_DONE;
    return lt_resolve_result(resolution, result, err);
}
static leat_status length_resolve(lt_resolution *resolution, leat_error *err) {
    return text_resolve(resolution, lt_type_of(LT_INT), err);
}
static leat_status keys_resolve(lt_resolution *resolution, leat_error *err) {
    return text_resolve(resolution, lt_type_array(resolution->arena, lt_type_of(LT_STRING)), err);
}

static leat_status length_row(lt_call *call, lt_json_reader *reader, uint32_t row, leat_error *err) {
    int32_t count = 0;
    if (lt_json_next(reader) != LT_JSON_ARRAY) return lt_call_put_nothing(call, row, err);
    while (lt_json_next(reader) != LT_JSON_ARRAY_END) {
        if (!lt_json_skip(reader)) return lt_call_put_nothing(call, row, err);
        count++;
    }
    LT_LANES(call->result, int32_t)[row] = count;
    return LEAT_OK;
}

static leat_status keys_row(lt_call *call, lt_json_reader *reader, uint32_t row, leat_error *err) {
    lt_vector *child = lt_call_child(call);
    uint32_t   start = child->lanes, lane;
    if (lt_json_next(reader) != LT_JSON_OBJECT) return lt_call_put_nothing(call, row, err);
    while (lt_json_next(reader) != LT_JSON_OBJECT_END) {
        if (reader->token != LT_JSON_NAME) {
            child->lanes = start;
            return lt_call_put_nothing(call, row, err);
        }
        LT_TRY(lt_lane_add(child, &lane, call->arena, err));
        LT_TRY(lt_string_copy(call->arena, reader->text, reader->text_bytes, &LT_LANES(child, lt_string)[lane], err));
        lt_json_skip(reader);
    }
    lt_call_put_list(call, row, start);
    return LEAT_OK;
}

static leat_status each_text(lt_call    *call, leat_status (*one)(lt_call *, lt_json_reader *, uint32_t, leat_error *),
                             leat_error *err) {
    lt_json_options options = reader_options(call);
    lt_json_reader  reader;
    leat_status     status = LEAT_OK;
    lt_json_reader_init(&reader, &options, call->arena->account);
    LT_EACH_ROW(call, row) {
        const lt_string *text = &LT_ARG(call, 0, lt_string, row);
        lt_json_reader_open(&reader, lt_string_data(text), text->bytes);
        status = one(call, &reader, row, err);
        if (status != LEAT_OK) break;
    }
    lt_json_reader_deinit(&reader);
    return status;
}
static leat_status length_evaluate(lt_call *call, leat_error *err) { return each_text(call, length_row, err); }
static leat_status keys_evaluate(lt_call *call, leat_error *err) { return each_text(call, keys_row, err); }

// ------------------------------------------------------------------------------------------------------ schema_of_json

// How types are inferred, by the options of the call.
typedef struct inference {
    bool texts_only;      // primitivesAsString
    bool prefers_decimal; // fractions of up to 38 digits are DECIMAL, not DOUBLE
} inference;

// A fraction: DOUBLE, or the DECIMAL of its digits where these are preferred and fit.
static const lt_type *fraction_type(lt_arena *arena, const lt_json_reader *reader, const inference *rules) {
    lt_int128        value;
    lt_decimal_shape shape;
    if (!rules->prefers_decimal ||
        lt_decimal_parse_exact(reader->text, reader->text_bytes, &value, &shape) != LT_NUMBER_OK)
        return lt_type_of(LT_DOUBLE);
    return lt_type_decimal(arena, shape.precision, shape.scale);
}

// The type of an integer: BIGINT, or a DECIMAL of its digits where 64 bits are too few, DOUBLE beyond 38.
static const lt_type *integer_type(lt_arena *arena, const lt_json_reader *reader) {
    int64_t          value;
    lt_int128        wide;
    lt_decimal_shape shape;
    if (lt_int64_parse(reader->text, reader->text_bytes, &value) == LT_NUMBER_OK) return lt_type_of(LT_BIGINT);
    if (lt_decimal_parse_exact(reader->text, reader->text_bytes, &wide, &shape) != LT_NUMBER_OK)
        return lt_type_of(LT_DOUBLE);
    return lt_type_decimal(arena, shape.precision, shape.scale);
}

// Depth is bounded by the reader's. *out NULL: the text is bad.
static leat_status infer(lt_json_reader *reader, const inference *rules, lt_arena *arena, const lt_type **out,
                         leat_error *err) {
    *out                 = NULL;
    const bool is_scalar = reader->token == LT_JSON_TRUE || reader->token == LT_JSON_FALSE ||
                           reader->token == LT_JSON_NUMBER || reader->token == LT_JSON_NAN ||
                           reader->token == LT_JSON_INTEGER;
    if (is_scalar && rules->texts_only) {
        *out = lt_type_of(LT_STRING);
        return LEAT_OK;
    }
    switch (reader->token) {
    case LT_JSON_NULL:
        *out = lt_type_of(LT_VOID);
        return LEAT_OK;
    case LT_JSON_TRUE:
    case LT_JSON_FALSE:
        *out = lt_type_of(LT_BOOLEAN);
        return LEAT_OK;
    case LT_JSON_NUMBER:
        *out = fraction_type(arena, reader, rules);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    case LT_JSON_NAN:
        *out = lt_type_of(LT_DOUBLE);
        return LEAT_OK;
    case LT_JSON_STRING:
        *out = lt_type_of(LT_STRING);
        return LEAT_OK;
    case LT_JSON_INTEGER:
        *out = integer_type(arena, reader);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    case LT_JSON_ARRAY: {
        const lt_type *element = lt_type_of(LT_VOID), *next;
        while (lt_json_next(reader) != LT_JSON_ARRAY_END) {
            LT_TRY(infer(reader, rules, arena, &next, err));
            if (next == NULL) return LEAT_OK;
            LT_TRY(lt_inferred_merge(arena, element, next, &element, err));
        }
        *out = lt_type_array(arena, element);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    case LT_JSON_OBJECT: {
        const lt_type *record = lt_type_struct(arena, NULL, 0), *next;
        if (record == NULL) return lt_raise_no_memory(err);
        while (lt_json_next(reader) == LT_JSON_NAME) {
            const char *name = lt_arena_text(arena, reader->text, reader->text_bytes);
            if (name == NULL) return lt_raise_no_memory(err);
            lt_json_next(reader);
            LT_TRY(infer(reader, rules, arena, &next, err));
            if (next == NULL) return LEAT_OK;
            LT_TRY(lt_inferred_add_field(arena, record, name, next, &record, err));
        }
        if (reader->token == LT_JSON_OBJECT_END) *out = record;
        return LEAT_OK;
    }
    default:
        return LEAT_OK;
    }
}

static leat_status schema_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_vector *text = resolution->constants[0];
    if (text != NULL && lt_vector_is_null(text, 0))
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_NULL, &resolution->places[0],
                        "the text of schema_of_json cannot be NULL");
    if (resolution->types[0]->kind != LT_STRING) return LEAT_DONE;
    if (text == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[0],
                        "schema_of_json takes a constant text");
    LT_TRY(lt_text_options_resolve(resolution, 1, err));
    return lt_resolve_result(resolution, lt_type_of(LT_STRING), err);
}

// A number that is the whole text ends before a blank.
static bool ends_well(const lt_json_reader *reader) {
    const bool is_number = reader->token == LT_JSON_NUMBER || reader->token == LT_JSON_INTEGER;
    return !is_number || reader->depth > 0 || reader->token_end >= reader->end ||
           strchr(" \t\r\n", *reader->token_end) != NULL;
}

static leat_status schema_row(lt_call *call, lt_json_reader *reader, uint32_t row, leat_error *err) {
    const lt_type   *type    = NULL;
    const lt_vector *options = options_of(call);
    const inference  rules   = {.texts_only      = lt_text_option_is_true(options, "primitivesAsString", false),
                                .prefers_decimal = lt_text_option_is_true(options, "prefersDecimal", false)};
    lt_json_next(reader);
    const bool is_whole = ends_well(reader);
    LT_TRY(infer(reader, &rules, call->arena, &type, err));
    if (!is_whole) type = NULL;
    if (type == NULL && reader->has_value)
        return lt_call_raise(call, err, LT_MALFORMED_RECORD_IN_PARSING__WITHOUT_SUGGESTION, "the text is not JSON");
    if (type == NULL) type = lt_type_of(LT_STRING); // nothing but blanks
    if (type != NULL) LT_TRY(lt_inferred_finish(call->arena, type, &type, err));
    const char *text = type == NULL ? NULL : lt_type_text(call->arena, type);
    return text == NULL ? lt_raise_no_memory(err) : lt_call_put_text(call, row, text, strlen(text), err);
}
static leat_status schema_evaluate(lt_call *call, leat_error *err) { return each_text(call, schema_row, err); }

const lt_function lt_functions_json_shape[] = {
    {.name           = "json_array_length",
     .takes          = {LT_TAKES_ANY},
     .resolve        = length_resolve,
     .evaluate       = length_evaluate,
     .summary        = "The number of elements of the outermost JSON array.",
     .example        = "SELECT json_array_length('[1,2,3]')",
     .example_result = "3"},
    {.name           = "json_object_keys",
     .takes          = {LT_TAKES_ANY},
     .resolve        = keys_resolve,
     .evaluate       = keys_evaluate,
     .summary        = "The names of the outermost JSON object.",
     .example        = "SELECT json_object_keys('{\"a\":1,\"b\":2}')",
     .example_result = "[a, b]"},
    {.name           = "schema_of_json",
     .takes          = {LT_TAKES_ANY, LT_TAKES_MAP | LT_TAKES_OPTIONAL},
     .can_fail       = true,
     .resolve        = schema_resolve,
     .evaluate       = schema_evaluate,
     .display        = "$name($1)",
     .summary        = "The schema that Spark infers for a JSON text, as DDL.",
     .example        = "SELECT schema_of_json('{\"a\":1,\"b\":\"x\"}')",
     .example_result = "STRUCT<a: BIGINT, b: STRING>"},
    {0},
};
