// array_join(a, delimiter [, for_null]): the elements as one text. NULL elements are left out unless a text stands for
// them. Source: Spark SQL 4.
#include "exec/nested.h"

static leat_status join_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_resolve_array(resolution, 0) || lt_kind_is_nested(resolution->types[0]->fields[0].type->kind))
        return LEAT_DONE;
    resolution->types[0] = lt_type_array(resolution->arena, lt_type_of(LT_STRING));
    if (resolution->types[0] == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 1; i < resolution->argument_count; i++)
        if (!lt_resolve_exactly(resolution, i, LT_STRING)) return LEAT_DONE;
    return lt_resolve_result(resolution, lt_type_of(LT_STRING), err);
}

static leat_status join_row(lt_call *call, uint32_t row, lt_buffer *text, leat_error *err) {
    lt_elements      elements  = lt_call_elements(call, 0, row);
    const lt_string *delimiter = &LT_ARG(call, 1, lt_string, row);
    bool             is_first  = true;
    for (uint32_t i = elements.offset; i < elements.offset + elements.count; i++) {
        const lt_string *element = &LT_LANES(elements.child, const lt_string)[i];
        if (lt_lane_is_null(elements.child, i)) {
            if (call->argument_count < 3) continue;
            element = &LT_ARG(call, 2, lt_string, row);
        }
        if (!is_first) LT_TRY(lt_buffer_append(text, lt_string_data(delimiter), delimiter->bytes, err));
        is_first = false;
        LT_TRY(lt_buffer_append(text, lt_string_data(element), element->bytes, err));
    }
    return lt_call_put_text(call, row, text->data, text->bytes, err);
}

static leat_status join_evaluate(lt_call *call, leat_error *err) {
    lt_buffer text;
    lt_buffer_init(&text, call->arena->account, LT_VALUE_BYTES_MAX);
    leat_status status = LEAT_OK;
    LT_EACH_ROW(call, row) {
        lt_buffer_reset(&text);
        status = join_row(call, row, &text, err);
        if (status != LEAT_OK) break;
    }
    lt_buffer_deinit(&text);
    return status;
}

const lt_function lt_functions_array_join[] = {
    {.name           = "array_join",
     .takes          = {LT_TAKES_ARRAY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},
     .resolve        = join_resolve,
     .evaluate       = join_evaluate,
     .summary        = "The elements of an array as one text with a delimiter between them.",
     .example        = "SELECT array_join(array('a', NULL, 'b'), ',')",
     .example_result = "a,b"},
    {0},
};
