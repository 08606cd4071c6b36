// explode(x), posexplode(x): a row for each element of an array or entry of a map, in order; no row for NULL or an
// empty one. pos counts from 0. The _outer forms keep such rows. Source: Spark SQL 4.
#include "base/generator.h"
#include "base/lanes.h"

static leat_status resolve(lt_resolution *resolution, bool has_position, leat_error *err) {
    if (resolution->argument_count != 1)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "explode takes one array or map, not %u arguments", resolution->argument_count);
    const lt_type *type = resolution->types[0];
    lt_field       fields[3];
    uint32_t       count = 0;
    if (has_position) fields[count++] = (lt_field){.name = "pos", .type = lt_type_of(LT_INT)};
    if (type->kind == LT_ARRAY) {
        fields[count++] = (lt_field){.name = "col", .type = type->fields[0].type};
    } else if (type->kind == LT_MAP) {
        fields[count++] = (lt_field){.name = "key", .type = type->fields[0].type};
        fields[count++] = (lt_field){.name = "value", .type = type->fields[1].type};
    } else {
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->place,
                        "explode takes an array or a map, not %s", lt_type_text(resolution->arena, type));
    }
    resolution->result = lt_type_struct(resolution->arena, fields, count);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status explode_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, false, err);
}
static leat_status posexplode_resolve(lt_resolution *resolution, leat_error *err) {
    return resolve(resolution, true, err);
}

static leat_status generate(lt_generator_call *call, bool has_position, uint32_t *out_count, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(call->arguments[0]);
    uint32_t         lane  = lt_vector_lane(call->arguments[0], call->row);
    *out_count             = 0;
    if (lt_lane_is_null(lanes, lane)) return LEAT_OK;
    lt_list          list    = LT_LANES(lanes, const lt_list)[lane];
    const lt_vector *child   = &lanes->children[0];
    lt_vector       *columns = call->columns + (has_position ? 1 : 0);
    for (uint32_t i = 0; has_position && i < list.count; i++) {
        uint32_t at;
        LT_TRY(lt_lane_add(&call->columns[0], &at, call->arena, err));
        LT_LANES(&call->columns[0], int32_t)[at] = (int32_t)i;
    }
    if (lanes->type->kind == LT_ARRAY) {
        LT_TRY(lt_lanes_append(&columns[0], child, list.offset, list.count, call->arena, err));
    } else {
        LT_TRY(lt_lanes_append(&columns[0], &child->children[0], list.offset, list.count, call->arena, err));
        LT_TRY(lt_lanes_append(&columns[1], &child->children[1], list.offset, list.count, call->arena, err));
    }
    *out_count = list.count;
    return LEAT_OK;
}

static leat_status explode_generate(lt_generator_call *call, uint32_t *out_count, leat_error *err) {
    return generate(call, false, out_count, err);
}
static leat_status posexplode_generate(lt_generator_call *call, uint32_t *out_count, leat_error *err) {
    return generate(call, true, out_count, err);
}

const lt_generator lt_generators_explode[] = {
    {.name           = "explode",
     .resolve        = explode_resolve,
     .generate       = explode_generate,
     .summary        = "A row for each element of an array or entry of a map.",
     .example        = "SELECT explode(array(10, 20)) AS x",
     .example_result = "10\n20"},
    {.name           = "explode_outer",
     .is_outer       = true,
     .resolve        = explode_resolve,
     .generate       = explode_generate,
     .summary        = "Like explode, but a row of NULL for NULL or nothing.",
     .example        = "SELECT explode_outer(array()) AS x",
     .example_result = "NULL"},
    {.name           = "posexplode",
     .resolve        = posexplode_resolve,
     .generate       = posexplode_generate,
     .summary        = "A row for each element or entry, with its position from 0.",
     .example        = "SELECT posexplode(array('a'))",
     .example_result = "0\ta"},
    {.name           = "posexplode_outer",
     .is_outer       = true,
     .resolve        = posexplode_resolve,
     .generate       = posexplode_generate,
     .summary        = "Like posexplode, but a row of NULLs for NULL or nothing.",
     .example        = "SELECT posexplode_outer(array())",
     .example_result = "NULL\tNULL"},
    {0},
};
