// stack(n, v1, v2, ...): the values in n rows; missing ones at the end are NULL. All values of a column have one type,
// but for bare NULLs. Source: Spark SQL 4.
#include "base/generator.h"
#include "base/lanes.h"

enum { STACK_COLUMNS_MAX = 1024 };

static leat_status stack_resolve(lt_resolution *resolution, leat_error *err) {
    lt_arena *arena = resolution->arena;
    if (resolution->argument_count < 2)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &resolution->place,
                        "stack takes a number of rows and values, not %u arguments", resolution->argument_count);
    if (resolution->types[0]->kind != LT_INT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->place,
                        "the number of rows of stack is an INT, not %s", lt_type_text(arena, resolution->types[0]));
    const lt_vector *rows = resolution->constants[0];
    if (rows == NULL || lt_vector_is_null(rows, 0))
        return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                        "the number of rows of stack must be a constant");
    int32_t row_count = LT_VALUE(rows, int32_t, 0);
    if (row_count < 1)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, &resolution->place,
                        "the number of rows of stack must be positive, not %d", (int)row_count);
    uint32_t value_count  = resolution->argument_count - 1;
    uint32_t column_count = (value_count + (uint32_t)row_count - 1) / (uint32_t)row_count;
    if (column_count > STACK_COLUMNS_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, &resolution->place,
                        "stack would have %u columns; at most %d are allowed", column_count, STACK_COLUMNS_MAX);
    lt_field *fields;
    LT_TRY_NEW_ARRAY(fields, arena, column_count, err);
    for (uint32_t c = 0; c < column_count; c++) {
        const lt_type *type = lt_type_of(LT_VOID);
        for (uint32_t i = c; i < value_count; i += column_count) {
            const lt_type *value = resolution->types[1 + i];
            if (value->kind == LT_VOID) continue;
            if (type->kind != LT_VOID && !lt_type_equal(type, value))
                return lt_raise(err, LT_DATATYPE_MISMATCH__STACK_COLUMN_DIFF_TYPES, &resolution->place,
                                "column %u of stack has %s and %s", c, lt_type_text(arena, type),
                                lt_type_text(arena, value));
            type = value;
        }
        for (uint32_t i = c; i < value_count; i += column_count) resolution->types[1 + i] = type;
        fields[c] = (lt_field){.name = lt_arena_format(arena, "col%u", c), .type = type};
        if (fields[c].name == NULL) return lt_raise_no_memory(err);
    }
    resolution->result = lt_type_struct(arena, fields, column_count);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status stack_generate(lt_generator_call *call, uint32_t *out_count, leat_error *err) {
    uint32_t row_count = (uint32_t)LT_VALUE(call->arguments[0], int32_t, call->row);
    for (uint32_t r = 0; r < row_count; r++)
        for (uint32_t c = 0; c < call->column_count; c++) {
            uint64_t argument = 1 + (uint64_t)r * call->column_count + c;
            LT_TRY(argument < call->argument_count
                       ? lt_lane_append(&call->columns[c], call->arguments[argument], call->row, call->arena, err)
                       : lt_lane_append_null(&call->columns[c], call->arena, err));
        }
    *out_count = row_count;
    return LEAT_OK;
}

const lt_generator lt_generators_stack[] = {
    {.name           = "stack",
     .resolve        = stack_resolve,
     .generate       = stack_generate,
     .summary        = "Values arranged in a number of rows.",
     .example        = "SELECT stack(2, 1, 2, 3)",
     .example_result = "1\t2\n3\tNULL"},
    {0},
};
