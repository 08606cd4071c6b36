// json_tuple(text, name, ...): members of a JSON object as texts; one row, all NULL when the text is no object.
// Strings come without quotes, everything else as compact JSON. Source: Spark SQL 4.
#include "base/generator.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/lanes.h"

static leat_status json_tuple_resolve(lt_resolution *resolution, leat_error *err) {
    lt_arena *arena = resolution->arena;
    lt_field *fields;
    if (resolution->argument_count < 2)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "json_tuple takes a text and names of members, not %u arguments", resolution->argument_count);
    LT_TRY_NEW_ARRAY(fields, arena, resolution->argument_count - 1, err);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (resolution->types[i]->kind != LT_STRING && resolution->types[i]->kind != LT_VOID)
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_STRING_TYPE, &resolution->place,
                            "json_tuple takes texts, not %s", lt_type_text(arena, resolution->types[i]));
        resolution->types[i] = lt_type_of(LT_STRING);
        if (i == 0) continue;
        fields[i - 1] = (lt_field){.name = lt_arena_format(arena, "c%u", i - 1), .type = lt_type_of(LT_STRING)};
        if (fields[i - 1].name == NULL) return lt_raise_no_memory(err);
    }
    resolution->result = lt_type_struct(arena, fields, resolution->argument_count - 1);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static bool name_is(const lt_generator_call *call, uint32_t column, const char *name, size_t bytes) {
    if (lt_vector_is_null(call->arguments[1 + column], call->row)) return false;
    const lt_string *wanted = &LT_VALUE(call->arguments[1 + column], lt_string, call->row);
    return wanted->bytes == bytes && memcmp(lt_string_data(wanted), name, bytes) == 0;
}

// Puts the member at the reader's token into every column of its name. False: the text is bad.
static leat_status take_member(lt_generator_call *call, lt_json_reader *reader, uint32_t lane, lt_buffer *scratch,
                               bool *is_good, leat_error *err) {
    bool *is_wanted;
    bool  is_any = false;
    LT_TRY_NEW_ARRAY(is_wanted, call->arena, call->column_count, err);
    for (uint32_t c = 0; c < call->column_count; c++)
        is_any |= is_wanted[c] = name_is(call, c, reader->text, reader->text_bytes);
    lt_json_next(reader);
    if (!is_any || reader->token == LT_JSON_NULL) {
        *is_good = lt_json_skip(reader);
        return LEAT_OK;
    }
    lt_buffer_reset(scratch);
    if (reader->token == LT_JSON_STRING)
        LT_TRY(lt_buffer_append(scratch, reader->text, reader->text_bytes, err));
    else
        LT_TRY(lt_json_copy_value(reader, scratch, is_good, err));
    for (uint32_t c = 0; *is_good && c < call->column_count; c++) {
        if (!is_wanted[c]) continue;
        lt_vector_set_valid(&call->columns[c], lane);
        LT_TRY(lt_string_copy(call->arena, scratch->data, scratch->bytes, &LT_LANES(&call->columns[c], lt_string)[lane],
                              err));
    }
    return LEAT_OK;
}

static leat_status tuple_read(lt_generator_call *call, lt_json_reader *reader, uint32_t lane, lt_buffer *scratch,
                              leat_error *err) {
    const lt_string *text = &LT_VALUE(call->arguments[0], lt_string, call->row);
    bool             is_good;
    lt_json_reader_open(reader, lt_string_data(text), text->bytes);
    is_good = lt_json_next(reader) == LT_JSON_OBJECT;
    while (is_good && lt_json_next(reader) != LT_JSON_OBJECT_END) {
        is_good = reader->token == LT_JSON_NAME;
        if (is_good) LT_TRY(take_member(call, reader, lane, scratch, &is_good, err));
    }
    for (uint32_t c = 0; !is_good && c < call->column_count; c++)
        LT_TRY(lt_lane_put_null(&call->columns[c], lane, call->arena, err));
    return LEAT_OK;
}

static leat_status json_tuple_generate(lt_generator_call *call, uint32_t *out_count, leat_error *err) {
    uint32_t lane = 0;
    for (uint32_t c = 0; c < call->column_count; c++) {
        LT_TRY(lt_lane_append_null(&call->columns[c], call->arena, err));
        lane = call->columns[c].lanes - 1;
    }
    *out_count = 1;
    if (lt_vector_is_null(call->arguments[0], call->row)) return LEAT_OK;
    lt_json_options options = {.allow_single_quotes = true, .allow_control_characters = true};
    lt_json_reader  reader;
    lt_buffer       scratch;
    lt_json_reader_init(&reader, &options, call->arena->account);
    lt_buffer_init(&scratch, call->arena->account, 0);
    leat_status status = tuple_read(call, &reader, lane, &scratch, err);
    lt_buffer_deinit(&scratch);
    lt_json_reader_deinit(&reader);
    return status;
}

const lt_generator lt_generators_json_tuple[] = {
    {.name           = "json_tuple",
     .resolve        = json_tuple_resolve,
     .generate       = json_tuple_generate,
     .summary        = "Members of a JSON object as columns of text.",
     .example        = "SELECT json_tuple('{\"a\":1,\"b\":\"x\"}', 'a', 'b')",
     .example_result = "1\tx"},
    {0},
};
