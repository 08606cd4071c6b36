#include "base/function.h"

// not, isnull, isnotnull, isnan, nanvl: logic of one value, and tests for NULL and NaN. Source: Spark SQL 4.

LT_MAP(not_boolean, uint8_t, uint8_t, *out = !x;)

static leat_status is_null(lt_call *call, leat_error *err) {
    (void)err;
    uint8_t *results                    = call->result->values;
    LT_EACH_ROW(call, row) results[row] = lt_arg_is_null(call, 0, row);
    return LEAT_OK;
}

static leat_status is_not_null(lt_call *call, leat_error *err) {
    (void)err;
    uint8_t *results                    = call->result->values;
    LT_EACH_ROW(call, row) results[row] = !lt_arg_is_null(call, 0, row);
    return LEAT_OK;
}

static bool is_nan_at(const lt_call *call, uint32_t argument, uint32_t row) {
    if (call->arguments[argument]->type->kind == LT_FLOAT) {
        float value = LT_ARG(call, argument, float, row);
        return value != value;
    }
    double value = LT_ARG(call, argument, double, row);
    return value != value;
}

static leat_status is_nan(lt_call *call, leat_error *err) {
    (void)err;
    uint8_t *results                    = call->result->values;
    LT_EACH_ROW(call, row) results[row] = !lt_arg_is_null(call, 0, row) && is_nan_at(call, 0, row);
    return LEAT_OK;
}

// The second argument only counts where the first is NaN.
static leat_status nanvl(lt_call *call, leat_error *err) {
    bool is_float = call->result->type->kind == LT_FLOAT;
    LT_EACH_ROW(call, row) {
        uint32_t chosen = !lt_arg_is_null(call, 0, row) && is_nan_at(call, 0, row) ? 1 : 0;
        if (lt_arg_is_null(call, chosen, row))
            LT_TRY(lt_call_put_null(call, row, err));
        else if (is_float)
            LT_LANES(call->result, float)[row] = LT_ARG(call, chosen, float, row);
        else
            LT_LANES(call->result, double)[row] = LT_ARG(call, chosen, double, row);
    }
    return LEAT_OK;
}

static bool is_floating(const lt_type *type) { return type->kind == LT_FLOAT || type->kind == LT_VOID; }

static leat_status resolve_isnan(lt_resolution *resolution, leat_error *err) {
    (void)err;
    const lt_type *type = resolution->types[0];
    if (!lt_kind_is_numeric(type->kind) && type->kind != LT_STRING && type->kind != LT_VOID) return LEAT_DONE;
    resolution->types[0] = type->kind == LT_FLOAT ? type : lt_type_of(LT_DOUBLE);
    resolution->result   = lt_type_of(LT_BOOLEAN);
    return LEAT_OK;
}

static leat_status resolve_nanvl(lt_resolution *resolution, leat_error *err) {
    (void)err;
    const lt_type **types = resolution->types;
    for (int a = 0; a < 2; a++)
        if (!lt_kind_is_numeric(types[a]->kind) && types[a]->kind != LT_STRING && types[a]->kind != LT_VOID)
            return LEAT_DONE;
    bool is_float = is_floating(types[0]) && is_floating(types[1]) && types[0]->kind != types[1]->kind;
    is_float      = is_float || (types[0]->kind == LT_FLOAT && types[1]->kind == LT_FLOAT);
    types[0] = types[1] = resolution->result = lt_type_of(is_float ? LT_FLOAT : LT_DOUBLE);
    return LEAT_OK;
}

const lt_function lt_functions_null_tests[] = {
    {.name           = "not",
     .is_reader_test = true,
     .takes          = {LT_TAKES_BOOLEAN},
     .returns        = LT_BOOLEAN,
     .kernel         = not_boolean,
     .is_negation    = true,
     .display        = "(NOT $1)",
     .summary        = "The other truth value.",
     .example        = "SELECT NOT TRUE",
     .example_result = "false"},
    {.name           = "!",
     .is_reader_test = true,
     .takes          = {LT_TAKES_BOOLEAN},
     .returns        = LT_BOOLEAN,
     .kernel         = not_boolean,
     .is_negation    = true,
     .display        = "(NOT $1)",
     .is_internal    = true,
     .summary        = "The other truth value.",
     .example        = "SELECT NOT TRUE",
     .example_result = "false"},
    {.name           = "isnull",
     .is_reader_test = true,
     .takes          = {LT_TAKES_ANY},
     .returns        = LT_BOOLEAN,
     .is_null_aware  = true,
     .evaluate       = is_null,
     .display        = "($1 IS NULL)",
     .summary        = "Whether a value is NULL.",
     .example        = "SELECT isnull(NULL)",
     .example_result = "true"},
    {.name           = "isnotnull",
     .is_reader_test = true,
     .takes          = {LT_TAKES_ANY},
     .returns        = LT_BOOLEAN,
     .is_null_aware  = true,
     .evaluate       = is_not_null,
     .display        = "($1 IS NOT NULL)",
     .summary        = "Whether a value is not NULL.",
     .example        = "SELECT isnotnull(1)",
     .example_result = "true"},
    {.name           = "isnan",
     .takes          = {LT_TAKES_ANY},
     .returns        = LT_BOOLEAN,
     .is_null_aware  = true,
     .resolve        = resolve_isnan,
     .evaluate       = is_nan,
     .summary        = "Whether a number is NaN; false for NULL.",
     .example        = "SELECT isnan(CAST('NaN' AS DOUBLE))",
     .example_result = "true"},
    {.name           = "nanvl",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .is_null_aware  = true,
     .resolve        = resolve_nanvl,
     .evaluate       = nanvl,
     .summary        = "The first number, or the second where the first is NaN.",
     .example        = "SELECT nanvl(CAST('NaN' AS DOUBLE), 5)",
     .example_result = "5.0"},
    {0},
};
