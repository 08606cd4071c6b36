// map_keys, map_values, map_entries, map_contains_key: the parts of a map, in its order. Source: Spark SQL 4.
#include "exec/nested.h"

static leat_status keys_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_map(resolution, 0)) return LEAT_DONE;
    return lt_resolve_result_array(resolution, resolution->types[0]->fields[0].type, err);
}
static leat_status values_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_map(resolution, 0)) return LEAT_DONE;
    return lt_resolve_result_array(resolution, resolution->types[0]->fields[1].type, err);
}
static leat_status entries_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_map(resolution, 0)) return LEAT_DONE;
    const lt_type *entry = lt_type_struct(resolution->arena, resolution->types[0]->fields, 2);
    return entry == NULL ? lt_raise_no_memory(err) : lt_resolve_result_array(resolution, entry, err);
}

static leat_status part_evaluate(lt_call *call, int part, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_elements      entries = lt_call_elements(call, 0, row);
        uint32_t         start   = lt_call_child(call)->lanes;
        const lt_vector *from    = part < 0 ? entries.child : &entries.child->children[part];
        LT_TRY(lt_lanes_append(lt_call_child(call), from, entries.offset, entries.count, call->arena, err));
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}
static leat_status keys_evaluate(lt_call *call, leat_error *err) { return part_evaluate(call, 0, err); }
static leat_status values_evaluate(lt_call *call, leat_error *err) { return part_evaluate(call, 1, err); }
static leat_status entries_evaluate(lt_call *call, leat_error *err) { return part_evaluate(call, -1, err); }

static leat_status contains_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_type *map = resolution->types[0], *key = resolution->types[1];
    if (map->kind == LT_MAP && key->kind == LT_VOID)
        return lt_raise(err, LT_DATATYPE_MISMATCH__NULL_TYPE, &resolution->place,
                        "a bare NULL; give it a type with CAST");
    const lt_type *common = map->kind == LT_MAP ? lt_resolve_plain_common(resolution, map->fields[0].type, key) : NULL;
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__MAP_FUNCTION_DIFF_TYPES, &resolution->place,
                        "%s has no keys of type %s", lt_resolve_text(resolution, 0), lt_resolve_text(resolution, 1));
    resolution->types[0] = lt_type_map(resolution->arena, common, map->fields[1].type);
    resolution->types[1] = common;
    if (resolution->types[0] == NULL) return lt_raise_no_memory(err);
    return lt_resolve_result(resolution, lt_type_of(LT_BOOLEAN), err);
}

static leat_status contains_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_elements entries  = lt_call_elements(call, 0, row);
        bool        is_found = false;
        for (uint32_t i = 0; i < entries.count && !is_found; i++)
            is_found = lt_vector_compare(&entries.child->children[0], entries.offset + i, call->arguments[1], row) == 0;
        LT_LANES(call->result, uint8_t)[row] = is_found;
    }
    return LEAT_OK;
}

const lt_function lt_functions_map_access[] = {
    {.name           = "map_keys",
     .takes          = {LT_TAKES_MAP},
     .resolve        = keys_resolve,
     .evaluate       = keys_evaluate,
     .summary        = "The keys of a map as an array.",
     .example        = "SELECT map_keys(map('a', 1, 'b', 2))",
     .example_result = "[a, b]"},
    {.name           = "map_values",
     .takes          = {LT_TAKES_MAP},
     .resolve        = values_resolve,
     .evaluate       = values_evaluate,
     .summary        = "The values of a map as an array.",
     .example        = "SELECT map_values(map('a', 1, 'b', 2))",
     .example_result = "[1, 2]"},
    {.name           = "map_entries",
     .takes          = {LT_TAKES_MAP},
     .resolve        = entries_resolve,
     .evaluate       = entries_evaluate,
     .summary        = "The entries of a map as an array of structs.",
     .example        = "SELECT map_entries(map('a', 1))",
     .example_result = "[{a, 1}]"},
    {.name           = "map_contains_key",
     .takes          = {LT_TAKES_MAP, LT_TAKES_ANY},
     .resolve        = contains_resolve,
     .evaluate       = contains_evaluate,
     .summary        = "Whether a map has a key.",
     .example        = "SELECT map_contains_key(map('a', 1), 'a')",
     .example_result = "true"},
    {0},
};
