// inline(x): a row for each struct of an array, a column for each field; a NULL struct gives NULLs. Source: Spark
// SQL 4.
#include "base/generator.h"
#include "base/lanes.h"

static leat_status inline_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 1)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "inline takes one array of structs, not %u arguments", resolution->argument_count);
    const lt_type *type = resolution->types[0];
    if (type->kind != LT_ARRAY || type->fields[0].type->kind != LT_STRUCT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->place,
                        "inline takes an array of structs, not %s", lt_type_text(resolution->arena, type));
    resolution->result = type->fields[0].type;
    return LEAT_OK;
}

static leat_status inline_generate(lt_generator_call *call, uint32_t *out_count, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(call->arguments[0]);
    uint32_t         lane  = lt_vector_lane(call->arguments[0], call->row);
    *out_count             = 0;
    if (lt_lane_is_null(lanes, lane)) return LEAT_OK;
    lt_list          list    = LT_LANES(lanes, const lt_list)[lane];
    const lt_vector *structs = &lanes->children[0];
    for (uint32_t i = 0; i < list.count; i++) {
        bool is_null = lt_lane_is_null(structs, list.offset + i);
        for (uint32_t c = 0; c < call->column_count; c++)
            LT_TRY(is_null
                       ? lt_lane_append_null(&call->columns[c], call->arena, err)
                       : lt_lane_append(&call->columns[c], &structs->children[c], list.offset + i, call->arena, err));
    }
    *out_count = list.count;
    return LEAT_OK;
}

const lt_generator lt_generators_inline[] = {
    {.name           = "inline",
     .resolve        = inline_resolve,
     .generate       = inline_generate,
     .summary        = "A row for each struct of an array, a column for each field.",
     .example        = "SELECT inline(array(struct(1, 'a'), struct(2, 'b')))",
     .example_result = "1\ta\n2\tb"},
    {.name           = "inline_outer",
     .is_outer       = true,
     .resolve        = inline_resolve,
     .generate       = inline_generate,
     .summary        = "Like inline, but a row of NULLs for NULL or an empty array.",
     .example        = "SELECT inline_outer(CAST(NULL AS ARRAY<STRUCT<a: INT>>))",
     .example_result = "NULL"},
    {0},
};
