// collation and collate: every text has the collation of its bytes, UTF8_BINARY; there is no other yet.
#include "base/ascii.h"
#include "base/function.h"

static bool is_binary_name(const lt_string *name) {
    static const char *const names[] = {"UTF8_BINARY", "SYSTEM.BUILTIN.UTF8_BINARY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == name->bytes && lt_ascii_compare_bytes(names[i], lt_string_data(name), name->bytes) == 0)
            return true;
    return false;
}

static leat_status collate_resolve(lt_resolution *resolution, leat_error *err) {
    const lt_vector *name = resolution->constants[1];
    if (resolution->types[0]->kind != LT_STRING && resolution->types[0]->kind != LT_VOID) return LEAT_DONE;
    if (name == NULL || name->type->kind != LT_STRING || lt_vector_is_null(name, 0))
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                        "the name of a collation must be a constant text");
    if (!is_binary_name(&LT_VALUE(name, lt_string, 0)))
        return lt_raise(err, LT_NOT_SUPPORTED, &resolution->place, "UTF8_BINARY is the only collation");
    resolution->types[0] = resolution->types[1] = resolution->result = lt_type_of(LT_STRING);
    return LEAT_OK;
}

static leat_status collate_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) LT_LANES(call->result, lt_string)[row] = LT_ARG(call, 0, lt_string, row);
    return LEAT_OK;
}

static leat_status collation_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    static const char name[] = "SYSTEM.BUILTIN.UTF8_BINARY";
    LT_EACH_ROW(call, row) lt_call_put_view(call, row, name, sizeof name - 1);
    return LEAT_OK;
}

const lt_function lt_functions_text_collation[] = {
    {.name           = "collate",
     .takes          = {LT_TAKES_STRING, LT_TAKES_STRING | LT_TAKES_CONSTANT},
     .resolve        = collate_resolve,
     .evaluate       = collate_evaluate,
     .summary        = "The text under a collation.",
     .example        = "SELECT collate('a', 'UTF8_BINARY')",
     .example_result = "a",
     .since_note     = "UTF8_BINARY is the only collation."},
    {.name           = "collation",
     .takes          = {LT_TAKES_STRING | LT_TAKES_EXACT},
     .returns        = LT_STRING,
     .is_null_aware  = true,
     .evaluate       = collation_evaluate,
     .summary        = "The name of the collation of a text.",
     .example        = "SELECT collation('a')",
     .example_result = "SYSTEM.BUILTIN.UTF8_BINARY"},
    {0},
};
