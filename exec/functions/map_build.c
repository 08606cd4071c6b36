// map, map_from_arrays, map_from_entries, map_concat: maps are built in order of their entries; a key that
// comes twice is DUPLICATED_MAP_KEY, a NULL key NULL_MAP_KEY. Source: Spark SQL 4 (mapKeyDedupPolicy EXCEPTION).
#include "exec/nested.h"

#include "exec/map_entries.h"

static leat_status check_key_type(lt_resolution *resolution, const lt_type *key, leat_error *err) {
    if (key->kind != LT_MAP && key->kind != LT_VARIANT) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_MAP_KEY_TYPE, &resolution->place,
                    "the key of a map cannot be %s", lt_type_text(resolution->arena, key));
}

static leat_status map_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count % 2 != 0)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "map takes keys and values in turn, not %u arguments", resolution->argument_count);
    const lt_type *key = lt_resolve_common(resolution, 0, 2), *value = lt_resolve_common(resolution, 1, 2);
    if (key == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__CREATE_MAP_KEY_DIFF_TYPES, &resolution->place,
                        "the keys of a map need a common type");
    if (value == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__CREATE_MAP_VALUE_DIFF_TYPES, &resolution->place,
                        "the values of a map need a common type");
    LT_TRY(check_key_type(resolution, key, err));
    for (uint32_t i = 0; i < resolution->argument_count; i++) resolution->types[i] = i % 2 == 0 ? key : value;
    return lt_resolve_result_map(resolution, key, value, err);
}

static leat_status map_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_map_entries entries;
        lt_map_entries_begin(&entries, call);
        for (uint32_t i = 0; i + 1 < call->argument_count; i += 2)
            LT_TRY(lt_map_entries_add(&entries, call->arguments[i], row, call->arguments[i + 1], row, err));
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}

static leat_status from_arrays_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0) || !lt_resolve_array(resolution, 1)) return LEAT_DONE;
    const lt_type *key = resolution->types[0]->fields[0].type;
    LT_TRY(check_key_type(resolution, key, err));
    return lt_resolve_result_map(resolution, key, resolution->types[1]->fields[0].type, err);
}

static leat_status from_arrays_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements keys = lt_call_elements(call, 0, row), values = lt_call_elements(call, 1, row);
        if (keys.count != values.count)
            return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "%u keys and %u values do not make a map",
                                 keys.count, values.count);
        lt_map_entries entries;
        lt_map_entries_begin(&entries, call);
        for (uint32_t i = 0; i < keys.count; i++)
            LT_TRY(lt_map_entries_add(&entries, keys.child, keys.offset + i, values.child, values.offset + i, err));
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}

static leat_status from_entries_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *type  = resolution->types[0];
    const lt_type *entry = type->kind == LT_ARRAY ? type->fields[0].type : NULL;
    if (entry == NULL || entry->kind != LT_STRUCT || entry->field_count != 2) return LEAT_DONE;
    LT_TRY(check_key_type(resolution, entry->fields[0].type, err));
    return lt_resolve_result_map(resolution, entry->fields[0].type, entry->fields[1].type, err);
}

static leat_status from_entries_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements    pairs   = lt_call_elements(call, 0, row);
        bool           is_null = false;
        lt_map_entries entries;
        for (uint32_t i = 0; i < pairs.count && !is_null; i++) is_null = lt_lane_is_null(pairs.child, pairs.offset + i);
        if (is_null) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        lt_map_entries_begin(&entries, call);
        for (uint32_t i = pairs.offset; i < pairs.offset + pairs.count; i++)
            LT_TRY(lt_map_entries_add(&entries, &pairs.child->children[0], i, &pairs.child->children[1], i, err));
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}

static leat_status concat_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *common = resolution->argument_count == 0
                                ? lt_type_map(resolution->arena, lt_type_of(LT_STRING), lt_type_of(LT_STRING))
                                : resolution->types[0];
    for (uint32_t i = 0; i < resolution->argument_count && common != NULL; i++)
        common = resolution->types[i]->kind == LT_MAP && common->kind == LT_MAP
                     ? lt_resolve_plain_common(resolution, common, resolution->types[i])
                     : NULL;
    bool are_maps = true;
    for (uint32_t i = 0; i < resolution->argument_count; i++)
        are_maps = are_maps && resolution->types[i]->kind == LT_MAP;
    if (common == NULL)
        return lt_raise(err,
                        are_maps ? LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES : LT_DATATYPE_MISMATCH__MAP_CONCAT_DIFF_TYPES,
                        &resolution->place, "map_concat takes maps of one type");
    for (uint32_t i = 0; i < resolution->argument_count; i++) resolution->types[i] = common;
    return lt_resolve_result(resolution, common, err);
}

static leat_status concat_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_map_entries entries;
        lt_map_entries_begin(&entries, call);
        for (uint32_t a = 0; a < call->argument_count; a++) {
            lt_elements from = lt_call_elements(call, a, row);
            for (uint32_t i = from.offset; i < from.offset + from.count; i++)
                LT_TRY(lt_map_entries_add(&entries, &from.child->children[0], i, &from.child->children[1], i, err));
        }
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}

const lt_function lt_functions_map_build[] = {
    {.name           = "map",
     .takes          = {LT_TAKES_ANY | LT_TAKES_REPEATED},
     .is_null_aware  = true,
     .can_fail       = true,
     .resolve        = map_resolve,
     .evaluate       = map_evaluate,
     .summary        = "A map of keys and values given in turn.",
     .example        = "SELECT map('a', 1, 'b', 2)",
     .example_result = "{a -> 1, b -> 2}"},
    {.name           = "map_from_arrays",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ARRAY},
     .can_fail       = true,
     .resolve        = from_arrays_resolve,
     .evaluate       = from_arrays_evaluate,
     .summary        = "A map of an array of keys and an array of values.",
     .example        = "SELECT map_from_arrays(array('a', 'b'), array(1, 2))",
     .example_result = "{a -> 1, b -> 2}"},
    {.name           = "map_from_entries",
     .takes          = {LT_TAKES_ARRAY},
     .can_fail       = true,
     .resolve        = from_entries_resolve,
     .evaluate       = from_entries_evaluate,
     .summary        = "A map of an array of structs of key and value.",
     .example        = "SELECT map_from_entries(array(struct('a', 1)))",
     .example_result = "{a -> 1}"},
    {.name           = "map_concat",
     .takes          = {LT_TAKES_MAP | LT_TAKES_REPEATED},
     .can_fail       = true,
     .resolve        = concat_resolve,
     .evaluate       = concat_evaluate,
     .summary        = "The entries of all maps in one map.",
     .example        = "SELECT map_concat(map('a', 1), map('b', 2))",
     .example_result = "{a -> 1, b -> 2}"},
    {0},
};
