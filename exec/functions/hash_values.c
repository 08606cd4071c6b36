// hash (Murmur3 of 32 bits) and xxhash64 over values of any type; the walk over a value is exec/kernels/value_hash.h.
// Source: Spark SQL 4.
#include "base/function.h"
#include "exec/kernels/value_hash.h"

static bool has_map(const lt_type *type) {
    if (type->kind == LT_MAP) return true;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (has_map(type->fields[i].type)) return true;
    return false;
}

static leat_status hash_resolve(lt_resolution *resolution, leat_error *err) {
    const char *name = resolution->function->name;
    if (resolution->argument_count == 0)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "`%s` takes at least one argument, but got none", name);
    for (uint32_t i = 0; i < resolution->argument_count; i++)
        if (has_map(resolution->types[i]))
            return lt_raise(err, LT_DATATYPE_MISMATCH__HASH_MAP_TYPE, &resolution->place,
                            "`%s` takes no maps: equal maps may keep their entries in different orders", name);
    resolution->result = lt_type_of(strcmp(name, "hash") == 0 ? LT_INT : LT_BIGINT);
    return LEAT_OK;
}

static leat_status hash_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        uint32_t hash = LT_VALUE_HASH_SEED;
        for (uint32_t i = 0; i < call->argument_count; i++) hash = lt_value_murmur3(call->arguments[i], row, hash);
        LT_LANES(call->result, int32_t)[row] = (int32_t)hash;
    }
    return LEAT_OK;
}

static leat_status xxhash64_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        uint64_t hash = LT_VALUE_HASH_SEED;
        for (uint32_t i = 0; i < call->argument_count; i++) hash = lt_value_xxhash64(call->arguments[i], row, hash);
        LT_LANES(call->result, int64_t)[row] = (int64_t)hash;
    }
    return LEAT_OK;
}

const lt_function lt_functions_hash_values[] = {
    {.name           = "hash",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_REPEATED},
     .resolve        = hash_resolve,
     .is_null_aware  = true,
     .evaluate       = hash_evaluate,
     .summary        = "Murmur3 hash of values; NULLs do not count.",
     .example        = "SELECT hash('a')",
     .example_result = "1485273170"},
    {.name           = "xxhash64",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_REPEATED},
     .resolve        = hash_resolve,
     .is_null_aware  = true,
     .evaluate       = xxhash64_evaluate,
     .summary        = "XXH64 hash of values; NULLs do not count.",
     .example        = "SELECT xxhash64('a')",
     .example_result = "-8582455328737087284"},
    {0},
};
