// map_filter, transform_keys, transform_values, map_zip_with: a lambda over the entries of maps. Source: Spark SQL 4.
#include "exec/lambda_lanes.h"
#include "exec/map_entries.h"

// Variables (key, value) of the entries of all rows; rows without a map become NULL.
static leat_status gather(lt_call *call, lt_lambda_lanes *lanes, leat_error *err) {
    const lt_type *map      = call->arguments[0]->type;
    const lt_type *types[2] = {map->fields[0].type, map->fields[1].type};
    LT_TRY(lt_lambda_lanes_init(lanes, call, types, 2, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        lt_elements entries = lt_call_elements(call, 0, row);
        for (uint32_t part = 0; part < 2; part++)
            LT_TRY(lt_lanes_append(&lanes->variables[part], &entries.child->children[part], entries.offset,
                                   entries.count, call->arena, err));
        for (uint32_t i = 0; i < entries.count; i++) LT_TRY(lt_lambda_lanes_note(lanes, row, err));
    }
    return LEAT_OK;
}

static leat_status bind_entry(lt_resolution *resolution, const lt_type **out, leat_error *err) {
    const lt_type *map = resolution->types[0];
    if (map->kind != LT_MAP) return LEAT_DONE;
    const lt_type *types[2] = {map->fields[0].type, map->fields[1].type};
    return lt_lambda_bind(resolution, 1, types, 2, 2, out, err);
}

static leat_status filter_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *result;
    LT_TRY(bind_entry(resolution, &result, err));
    if (!lt_lambda_is_predicate(result)) return LEAT_DONE;
    return lt_resolve_result(resolution, resolution->types[0], err);
}

static leat_status filter_evaluate(lt_call *call, leat_error *err) {
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(gather(call, &lanes, err));
    LT_TRY(lt_lambda_lanes_run(&lanes, 1, &result, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) continue;
        lt_elements entries = lt_call_elements(call, 0, row);
        uint32_t    start   = lt_call_child(call)->lanes;
        for (uint32_t i = 0; i < entries.count; i++)
            if (lt_lambda_truth(result, next++) == 1)
                LT_TRY(lt_call_append(call, entries.child, entries.offset + i, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status keys_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *result;
    LT_TRY(bind_entry(resolution, &result, err));
    if (result->kind == LT_MAP || result->kind == LT_VARIANT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_MAP_KEY_TYPE, &resolution->place,
                        "the key of a map cannot be %s", lt_type_text(resolution->arena, result));
    return lt_resolve_result_map(resolution, result, resolution->types[0]->fields[1].type, err);
}

static leat_status values_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *result;
    LT_TRY(bind_entry(resolution, &result, err));
    return lt_resolve_result_map(resolution, resolution->types[0]->fields[0].type, result, err);
}

static leat_status part_evaluate(lt_call *call, bool is_key, leat_error *err) {
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    uint32_t         next = 0;
    LT_TRY(gather(call, &lanes, err));
    LT_TRY(lt_lambda_lanes_run(&lanes, 1, &result, err));
    LT_EACH_ROW(call, row) {
        if (lt_arg_is_null(call, 0, row)) continue;
        lt_elements    from = lt_call_elements(call, 0, row);
        lt_map_entries entries;
        lt_map_entries_begin(&entries, call);
        for (uint32_t i = from.offset; i < from.offset + from.count; i++, next++)
            LT_TRY(is_key ? lt_map_entries_add(&entries, result, next, &from.child->children[1], i, err)
                          : lt_map_entries_add(&entries, &from.child->children[0], i, result, next, err));
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}
static leat_status keys_evaluate(lt_call *call, leat_error *err) { return part_evaluate(call, true, err); }
static leat_status values_evaluate(lt_call *call, leat_error *err) { return part_evaluate(call, false, err); }

// -------------------------------------------------------------------------------------------------------- map_zip_with

static leat_status zip_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *a = resolution->types[0], *b = resolution->types[1];
    if (a->kind != LT_MAP || b->kind != LT_MAP) return LEAT_DONE;
    const lt_type *key = lt_resolve_plain_common(resolution, a->fields[0].type, b->fields[0].type);
    if (key == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__MAP_ZIP_WITH_DIFF_TYPES, &resolution->place,
                        "the maps have keys of different types");
    resolution->types[0] = lt_type_map(resolution->arena, key, a->fields[1].type);
    resolution->types[1] = lt_type_map(resolution->arena, key, b->fields[1].type);
    if (resolution->types[0] == NULL || resolution->types[1] == NULL) return lt_raise_no_memory(err);
    const lt_type *types[3] = {key, a->fields[1].type, b->fields[1].type};
    const lt_type *result;
    LT_TRY(lt_lambda_bind(resolution, 2, types, 3, 3, &result, err));
    return lt_resolve_result_map(resolution, key, result, err);
}

static bool zip_is_null(const lt_call *call, uint32_t row) {
    return lt_arg_is_null(call, 0, row) || lt_arg_is_null(call, 1, row);
}

// Lanes (key, value of the first map, value of the second) of one row: keys of the first map, then new ones.
static leat_status zip_gather(lt_call *call, lt_lambda_lanes *lanes, uint32_t row, leat_error *err) {
    uint32_t     start = lanes->count;
    lt_value_set keys;
    lt_value_set_init(&keys, call->arena);
    for (uint32_t a = 0; a < 2; a++) {
        lt_elements entries = lt_call_elements(call, a, row);
        for (uint32_t i = entries.offset; i < entries.offset + entries.count; i++) {
            uint32_t member;
            bool     is_new;
            LT_TRY(lt_value_set_add(&keys, &entries.child->children[0], i, &member, &is_new, err));
            if (is_new) {
                LT_TRY(lt_lane_append(&lanes->variables[0], &entries.child->children[0], i, call->arena, err));
                LT_TRY(lt_lane_append_null(&lanes->variables[1], call->arena, err));
                LT_TRY(lt_lane_append_null(&lanes->variables[2], call->arena, err));
                LT_TRY(lt_lambda_lanes_note(lanes, row, err));
            }
            LT_TRY(lt_lane_put(&lanes->variables[1 + a], start + member, &entries.child->children[1], i, call->arena,
                               err));
        }
    }
    return LEAT_OK;
}

static leat_status zip_evaluate(lt_call *call, leat_error *err) {
    const lt_type   *a = call->arguments[0]->type, *b = call->arguments[1]->type;
    const lt_type   *types[3] = {a->fields[0].type, a->fields[1].type, b->fields[1].type};
    lt_lambda_lanes  lanes;
    const lt_vector *result;
    LT_TRY(lt_lambda_lanes_init(&lanes, call, types, 3, err));
    LT_EACH_ROW(call, row) {
        LT_TRY(zip_is_null(call, row) ? lt_call_put_nothing(call, row, err) : zip_gather(call, &lanes, row, err));
    }
    LT_TRY(lt_lambda_lanes_run(&lanes, 2, &result, err));
    uint32_t next = 0;
    LT_EACH_ROW(call, row) {
        if (zip_is_null(call, row)) continue;
        lt_map_entries entries;
        lt_map_entries_begin(&entries, call);
        for (; next < lanes.count && lanes.outer_rows[next] == row; next++)
            LT_TRY(lt_map_entries_add(&entries, &lanes.variables[0], next, result, next, err));
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}

const lt_function lt_functions_lambda_map[] = {
    {.name           = "map_filter",
     .takes          = {LT_TAKES_MAP, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = filter_resolve,
     .evaluate       = filter_evaluate,
     .summary        = "The entries of a map for which a lambda is true.",
     .example        = "SELECT map_filter(map('a', 1, 'b', 2), (k, v) -> v > 1)",
     .example_result = "{b -> 2}"},
    {.name           = "transform_keys",
     .takes          = {LT_TAKES_MAP, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = keys_resolve,
     .evaluate       = keys_evaluate,
     .summary        = "A map with the keys that a lambda gives for each entry.",
     .example        = "SELECT transform_keys(map('a', 1), (k, v) -> upper(k))",
     .example_result = "{A -> 1}"},
    {.name           = "transform_values",
     .takes          = {LT_TAKES_MAP, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = values_resolve,
     .evaluate       = values_evaluate,
     .summary        = "A map with the values that a lambda gives for each entry.",
     .example        = "SELECT transform_values(map('a', 1), (k, v) -> v * 10)",
     .example_result = "{a -> 10}"},
    {.name           = "map_zip_with",
     .takes          = {LT_TAKES_MAP, LT_TAKES_MAP, LT_TAKES_LAMBDA},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = zip_resolve,
     .evaluate       = zip_evaluate,
     .summary        = "A map of what a lambda gives for each key and its values in two maps.",
     .example        = "SELECT map_zip_with(map(1, 'a'), map(1, 'b'), (k, x, y) -> concat(x, y))",
     .example_result = "{1 -> ab}"},
    {0},
};
