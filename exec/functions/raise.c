// raise_error(text), assert_true(condition [, text]): USER_RAISED_EXCEPTION with the text. assert_true gives NULL when
// the condition holds. Source: Spark SQL 4.
#include "exec/nested.h"

static leat_status raise_text(lt_call *call, uint32_t argument, uint32_t row, leat_error *err) {
    if (lt_arg_is_null(call, argument, row)) return lt_call_raise(call, err, LT_USER_RAISED_EXCEPTION, "NULL");
    const lt_string *text = &LT_ARG(call, argument, lt_string, row);
    return lt_call_raise(call, err, LT_USER_RAISED_EXCEPTION, "%.*s",
                         (int)(text->bytes < LT_ERROR_MESSAGE_BYTES ? text->bytes : LT_ERROR_MESSAGE_BYTES),
                         lt_string_data(text));
}

static leat_status raise_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) return raise_text(call, 0, row, err);
    return LEAT_OK;
}

static leat_status assert_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        bool holds = !lt_arg_is_null(call, 0, row) && LT_ARG(call, 0, uint8_t, row) != 0;
        if (!holds && call->argument_count > 1) return raise_text(call, 1, row, err);
        if (!holds) return lt_call_raise(call, err, LT_USER_RAISED_EXCEPTION, "the asserted condition is not true");
        LT_TRY(lt_call_put_nothing(call, row, err));
    }
    return LEAT_OK;
}

static leat_status raise_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_string(resolution, 0)) return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_VOID), err);
}

static leat_status assert_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_exactly(resolution, 0, LT_BOOLEAN)) return LEAT_DONE;
    if (resolution->argument_count > 1 && !lt_resolve_string(resolution, 1)) return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_VOID), err);
}

const lt_function lt_functions_raise[] = {
    {.name                = "raise_error",
     .takes               = {LT_TAKES_ANY},
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .can_fail            = true,
     .resolve             = raise_resolve,
     .evaluate            = raise_evaluate,
     .summary             = "Fails with a text.",
     .example             = "SELECT CASE WHEN FALSE THEN raise_error('no') END",
     .example_result      = "NULL"},
    {.name                = "assert_true",
     .takes               = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .can_fail            = true,
     .resolve             = assert_resolve,
     .evaluate            = assert_evaluate,
     .display             = "$name($1, $2{'$1' is not true!})",
     .summary             = "NULL when a condition is true; else fails.",
     .example             = "SELECT assert_true(1 < 2)",
     .example_result      = "NULL"},
    {0},
};
