// Texts put together: concat, concat_ws, elt. Source: Spark SQL 4.
#include "base/function.h"

// ------------------------------------------------------------------------------------------------------------- concat

// All BINARY stays BINARY, all arrays are somebody else's row, everything else becomes STRING.
static leat_status concat_resolve(lt_resolution *resolution, leat_error *err) {
    uint32_t binaries = 0, arrays = 0, others = 0;
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        lt_kind kind = resolution->types[i]->kind;
        if (kind == LT_MAP || kind == LT_STRUCT || kind == LT_VARIANT) return LEAT_DONE;
        binaries += kind == LT_BINARY;
        arrays += kind == LT_ARRAY;
        others += kind != LT_BINARY && kind != LT_ARRAY && kind != LT_VOID;
    }
    if (arrays > 0 && binaries + others == 0) return LEAT_DONE;
    if (arrays > 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, &resolution->place,
                        "concat takes texts, or binaries, or arrays, but not a mixture of them");
    resolution->result = lt_type_of(binaries > 0 && others == 0 ? LT_BINARY : LT_STRING);
    for (uint32_t i = 0; i < resolution->argument_count; i++) resolution->types[i] = resolution->result;
    return LEAT_OK;
}

static leat_status concat_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        size_t bytes = 0;
        for (uint32_t i = 0; i < call->argument_count; i++) bytes += LT_ARG(call, i, lt_string, row).bytes;
        char *room, *next;
        LT_TRY(lt_call_room(call, bytes, &room, err));
        next = room;
        for (uint32_t i = 0; i < call->argument_count; i++) {
            lt_text text = lt_arg_text(call, i, row);
            memcpy(next, text.data, text.bytes);
            next += text.bytes;
        }
        lt_call_put_view(call, row, room, bytes);
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- concat_ws

static leat_status concat_ws_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count == 0)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "concat_ws takes a separator and any number of texts, but got nothing");
    const lt_type *texts = lt_type_array(resolution->arena, lt_type_of(LT_STRING));
    if (texts == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        lt_kind kind = resolution->types[i]->kind;
        if (kind == LT_MAP || kind == LT_STRUCT || kind == LT_VARIANT) return LEAT_DONE;
        if (kind == LT_ARRAY && (i == 0 || lt_kind_is_nested(resolution->types[i]->fields[0].type->kind)))
            return LEAT_DONE;
        resolution->types[i] = kind == LT_ARRAY ? texts : lt_type_of(LT_STRING);
    }
    resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

static leat_status append_part(lt_buffer *out, lt_text separator, const lt_string *part, bool *is_first,
                               leat_error *err) {
    if (!*is_first) LT_TRY(lt_buffer_append(out, separator.data, separator.bytes, err));
    *is_first = false;
    return lt_buffer_append(out, lt_string_data(part), part->bytes, err);
}

static leat_status concat_ws_write(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err) {
    if (lt_arg_is_null(call, 0, row)) return lt_call_put_null(call, row, err);
    lt_text separator = lt_arg_text(call, 0, row);
    bool    is_first  = true;
    for (uint32_t i = 1; i < call->argument_count; i++) {
        if (lt_arg_is_null(call, i, row)) continue;
        if (call->arguments[i]->type->kind == LT_STRING) {
            LT_TRY(append_part(out, separator, &LT_ARG(call, i, lt_string, row), &is_first, err));
            continue;
        }
        lt_list          list  = LT_ARG(call, i, lt_list, row);
        const lt_vector *texts = &call->arguments[i]->children[0];
        for (uint32_t j = list.offset; j < list.offset + list.count; j++)
            if (!lt_vector_is_null(texts, j))
                LT_TRY(append_part(out, separator, &LT_VALUE(texts, lt_string, j), &is_first, err));
    }
    return LEAT_OK;
}
static leat_status concat_ws_evaluate(lt_call *call, leat_error *err) {
    return lt_call_write_rows(call, concat_ws_write, err);
}

// ---------------------------------------------------------------------------------------------------------------- elt

static leat_status elt_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count < 2)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "elt takes an index and at least one text");
    bool is_binary = true;
    for (uint32_t i = 0; i < resolution->argument_count; i++)
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
    for (uint32_t i = 1; i < resolution->argument_count; i++)
        is_binary = is_binary && resolution->types[i]->kind == LT_BINARY;
    resolution->types[0] = lt_type_of(LT_INT);
    resolution->result   = lt_type_of(is_binary ? LT_BINARY : LT_STRING);
    for (uint32_t i = 1; i < resolution->argument_count; i++) resolution->types[i] = resolution->result;
    return LEAT_OK;
}

static leat_status elt_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        int32_t index = LT_ARG(call, 0, int32_t, row);
        if (index < 1 || (uint32_t)index >= call->argument_count)
            return lt_call_raise(call, err, LT_INVALID_ARRAY_INDEX, "index %d is not between 1 and %u", index,
                                 call->argument_count - 1);
        if (lt_arg_is_null(call, (uint32_t)index, row))
            LT_TRY(lt_call_put_null(call, row, err));
        else
            LT_LANES(call->result, lt_string)[row] = LT_ARG(call, index, lt_string, row);
    }
    return LEAT_OK;
}

const lt_function lt_functions_text_join[] = {
    {.name           = "concat",
     .takes          = {LT_TAKES_ANY | LT_TAKES_REPEATED},
     .resolve        = concat_resolve,
     .can_fail       = true,
     .evaluate       = concat_evaluate,
     .summary        = "Texts, binaries or arrays one after the other; NULL if one is NULL.",
     .example        = "SELECT concat('a', 'b', 'c')",
     .example_result = "abc"},
    {.name           = "concat_ws",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_REPEATED},
     .resolve        = concat_ws_resolve,
     .is_null_aware  = true,
     .can_fail       = true,
     .evaluate       = concat_ws_evaluate,
     .summary        = "Texts, and elements of arrays, with a separator between them; NULLs are left out.",
     .example        = "SELECT concat_ws(',', 'a', NULL, 'b')",
     .example_result = "a,b"},
    {.name           = "elt",
     .takes          = {LT_TAKES_INT, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_REPEATED},
     .resolve        = elt_resolve,
     .is_null_aware  = true,
     .can_fail       = true,
     .evaluate       = elt_evaluate,
     .summary        = "The text with a number, counted from 1.",
     .example        = "SELECT elt(2, 'a', 'b')",
     .example_result = "b"},
    {0},
};
