// struct(a, b, ...) names its fields after bare columns and aliases, else col1, col2, ...; named_struct('a', 1, ...)
// takes the names as constants. Source: Spark SQL 4.
#include "exec/nested.h"

static leat_status struct_resolve(lt_resolution *resolution, leat_error *err) {
    lt_field *fields;
    LT_TRY_NEW_ARRAY(fields, resolution->arena, resolution->argument_count, err);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        const char *name = resolution->names != NULL ? resolution->names[i] : NULL;
        fields[i]        = (lt_field){.name = name != NULL ? name : lt_arena_format(resolution->arena, "col%u", i + 1),
                                      .type = resolution->types[i]};
        if (fields[i].name == NULL) return lt_raise_no_memory(err);
    }
    return lt_resolve_result(resolution, lt_type_struct(resolution->arena, fields, resolution->argument_count), err);
}

static leat_status struct_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row)
    for (uint32_t i = 0; i < call->argument_count; i++)
        LT_TRY(lt_lane_put(&call->result->children[i], row, call->arguments[i], row, call->arena, err));
    return LEAT_OK;
}

static leat_status named_struct_resolve(lt_resolution *resolution, leat_error *err) {
    lt_field *fields;
    uint32_t  count = resolution->argument_count / 2;
    if (resolution->argument_count % 2 != 0)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "named_struct takes names and values in turn, not %u arguments", resolution->argument_count);
    LT_TRY_NEW_ARRAY(fields, resolution->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        const lt_vector *name = resolution->constants[2 * i];
        if (name == NULL || resolution->types[2 * i]->kind != LT_STRING || lt_vector_is_null(name, 0))
            return lt_raise(err, LT_DATATYPE_MISMATCH__CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING, &resolution->place,
                            "the names of named_struct must be constant texts");
        const lt_string *text = &LT_VALUE(name, lt_string, 0);
        fields[i]             = (lt_field){.name = lt_arena_text(resolution->arena, lt_string_data(text), text->bytes),
                                           .type = resolution->types[2 * i + 1]};
        if (fields[i].name == NULL) return lt_raise_no_memory(err);
    }
    return lt_resolve_result(resolution, lt_type_struct(resolution->arena, fields, count), err);
}

static leat_status named_struct_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row)
    for (uint32_t i = 0; i < call->argument_count / 2; i++)
        LT_TRY(lt_lane_put(&call->result->children[i], row, call->arguments[2 * i + 1], row, call->arena, err));
    return LEAT_OK;
}

const lt_function lt_functions_struct_build[] = {
    {.name           = "struct",
     .takes          = {LT_TAKES_ANY | LT_TAKES_REPEATED},
     .is_null_aware  = true,
     .resolve        = struct_resolve,
     .evaluate       = struct_evaluate,
     .summary        = "A struct of the arguments; fields are named like the columns, else col1, col2.",
     .example        = "SELECT struct(1, 'a')",
     .example_result = "{1, a}"},
    {.name           = "named_struct",
     .takes          = {LT_TAKES_ANY | LT_TAKES_REPEATED},
     .is_null_aware  = true,
     .resolve        = named_struct_resolve,
     .evaluate       = named_struct_evaluate,
     .summary        = "A struct of names and values given in turn.",
     .example        = "SELECT named_struct('x', 1, 'y', 'a')",
     .example_result = "{1, a}"},
    {0},
};
