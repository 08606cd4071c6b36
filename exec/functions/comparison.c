#include "exec/nested.h"
#include "exec/numbers.h"

#include <math.h>

// = < <= > >= <=> over every type that has an order. Both sides are compared in their common type; decimals keep their
// scales and are compared exactly. NaN equals NaN and is the largest number, -0.0 equals 0.0; NULL fields of structs
// and elements of arrays are equal to each other and the smallest. Source: Spark SQL 4; spark-semantics 1.3, 1.7.

// A comparison is a kernel a lane type; the operator decides which of < = > give TRUE.
#define ORDER_KERNELS(lane, name)                                                                                      \
    LT_MAP2(equal_##name, lane, uint8_t, *out = x == y;)                                                               \
    LT_MAP2(less_##name, lane, uint8_t, *out = x < y;)                                                                 \
    LT_MAP2(less_or_equal_##name, lane, uint8_t, *out = x <= y;)                                                       \
    LT_MAP2(greater_##name, lane, uint8_t, *out = x > y;)                                                              \
    LT_MAP2(greater_or_equal_##name, lane, uint8_t, *out = x >= y;)
// x != x only for NaN; bitwise operators keep the loops free of branches.
#define FLOATING_KERNELS(lane, name)                                                                                   \
    LT_MAP2(equal_##name, lane, uint8_t, *out = (uint8_t)((x == y) | ((x != x) & (y != y)));)                          \
    LT_MAP2(less_##name, lane, uint8_t, *out = (uint8_t)((x < y) | ((x == x) & (y != y)));)                            \
    LT_MAP2(less_or_equal_##name, lane, uint8_t, *out = (uint8_t)((x <= y) | (y != y));)                               \
    LT_MAP2(greater_##name, lane, uint8_t, *out = (uint8_t)((x > y) | ((x != x) & (y == y)));)                         \
    LT_MAP2(greater_or_equal_##name, lane, uint8_t, *out = (uint8_t)((x >= y) | (x != x));)

ORDER_KERNELS(uint8_t, boolean)
ORDER_KERNELS(int8_t, i8)
ORDER_KERNELS(int16_t, i16)
ORDER_KERNELS(int32_t, i32)
ORDER_KERNELS(int64_t, i64)
ORDER_KERNELS(lt_int128, i128)
FLOATING_KERNELS(float, float)
FLOATING_KERNELS(double, double)

typedef enum comparison { EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, COMPARISON_COUNT } comparison;

#define KERNELS(name)                                                                                                  \
    { equal_##name, less_##name, less_or_equal_##name, greater_##name, greater_or_equal_##name }
static const lt_kernel kernels[LT_KIND_COUNT][COMPARISON_COUNT] = {
    [LT_BOOLEAN]             = KERNELS(boolean),
    [LT_TINYINT]             = KERNELS(i8),
    [LT_SMALLINT]            = KERNELS(i16),
    [LT_INT]                 = KERNELS(i32),
    [LT_BIGINT]              = KERNELS(i64),
    [LT_FLOAT]               = KERNELS(float),
    [LT_DOUBLE]              = KERNELS(double),
    [LT_DECIMAL]             = KERNELS(i128),
    [LT_DATE]                = KERNELS(i32),
    [LT_TIMESTAMP]           = KERNELS(i64),
    [LT_TIMESTAMP_NTZ]       = KERNELS(i64),
    [LT_TIME]                = KERNELS(i64),
    [LT_INTERVAL_YEAR_MONTH] = KERNELS(i32),
    [LT_INTERVAL_DAY_TIME]   = KERNELS(i64),
};

static inline uint8_t order_passes(comparison wanted, int order) {
    static const uint8_t passes[COMPARISON_COUNT][3] = {[EQUAL]            = {0, 1, 0},
                                                        [LESS]             = {1, 0, 0},
                                                        [LESS_OR_EQUAL]    = {1, 1, 0},
                                                        [GREATER]          = {0, 0, 1},
                                                        [GREATER_OR_EQUAL] = {0, 1, 1}};
    return passes[wanted][(order > 0) - (order < 0) + 1];
}

static void compare_texts(const lt_call *call, comparison wanted) {
    uint8_t *results = call->result->values;
    if (wanted == EQUAL) {
        LT_EACH_ROW(call, row)
        results[row] = lt_string_equal(&LT_ARG(call, 0, lt_string, row), &LT_ARG(call, 1, lt_string, row));
        return;
    }
    LT_EACH_ROW(call, row)
    results[row] =
        order_passes(wanted, lt_string_compare(&LT_ARG(call, 0, lt_string, row), &LT_ARG(call, 1, lt_string, row)));
}

static void compare_decimals(const lt_call *call, comparison wanted) {
    uint32_t x_scale = call->arguments[0]->type->scale, y_scale = call->arguments[1]->type->scale;
    uint8_t *results = call->result->values;
    LT_EACH_ROW(call, row)
    results[row] = order_passes(
        wanted, lt_decimal_compare(LT_ARG(call, 0, lt_int128, row), x_scale, LT_ARG(call, 1, lt_int128, row), y_scale));
}

static leat_status compare(lt_call *call, comparison wanted, leat_error *err) {
    const lt_type *left = call->arguments[0]->type, *right = call->arguments[1]->type;
    if (lt_kind_is_bytes(left->kind)) {
        compare_texts(call, wanted);
        return LEAT_OK;
    }
    if (left->kind == LT_DECIMAL && left->scale != right->scale) {
        compare_decimals(call, wanted);
        return LEAT_OK;
    }
    lt_kernel kernel = kernels[left->kind][wanted];
    if (kernel != NULL) {
        lt_lanes lanes;
        LT_TRY(lt_call_lanes(call, &lanes, err));
        kernel(&lanes);
        return LEAT_OK;
    }
    uint8_t *results = call->result->values;
    LT_EACH_ROW(call, row)
    results[row] = order_passes(wanted, lt_vector_compare(call->arguments[0], row, call->arguments[1], row));
    return LEAT_OK;
}

static leat_status equal(lt_call *call, leat_error *err) { return compare(call, EQUAL, err); }
static leat_status less(lt_call *call, leat_error *err) { return compare(call, LESS, err); }
static leat_status less_or_equal(lt_call *call, leat_error *err) { return compare(call, LESS_OR_EQUAL, err); }
static leat_status greater(lt_call *call, leat_error *err) { return compare(call, GREATER, err); }
static leat_status greater_or_equal(lt_call *call, leat_error *err) { return compare(call, GREATER_OR_EQUAL, err); }

static leat_status null_safe_equal(lt_call *call, leat_error *err) {
    (void)err;
    const lt_vector *left = call->arguments[0], *right = call->arguments[1];
    bool             is_scaled = left->type->kind == LT_DECIMAL && left->type->scale != right->type->scale;
    uint8_t         *results   = call->result->values;
    LT_EACH_ROW(call, row) {
        bool is_left_null = lt_vector_is_null(left, row), is_right_null = lt_vector_is_null(right, row);
        if (is_left_null || is_right_null)
            results[row] = is_left_null && is_right_null;
        else if (is_scaled)
            results[row] = lt_decimal_compare(LT_ARG(call, 0, lt_int128, row), left->type->scale,
                                              LT_ARG(call, 1, lt_int128, row), right->type->scale) == 0;
        else
            results[row] = lt_vector_compare(left, row, right, row) == 0;
    }
    return LEAT_OK;
}

static const lt_type *integer_or_decimal(lt_arena *arena, const lt_type *type) {
    if (type->kind == LT_DECIMAL) return type;
    lt_decimal_shape shape = lt_decimal_shape_of_kind(type->kind);
    return lt_type_decimal(arena, shape.precision, shape.scale);
}

static leat_status resolve_comparison(lt_resolution *resolution, leat_error *err) {
    const lt_type **types = resolution->types;
    const lt_type  *left = types[0], *right = types[1], *common;
    resolution->result = lt_type_of(LT_BOOLEAN);
    if (lt_kind_is_nested(left->kind) && lt_kind_is_nested(right->kind))
        common = lt_type_same_shape(left, right) ? left : lt_resolve_plain_common(resolution, left, right);
    else
        common = resolution->common_type(resolution, left, right);
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__BINARY_OP_DIFF_TYPES, &resolution->place,
                        "%s and %s cannot be compared", lt_type_text(resolution->arena, left),
                        lt_type_text(resolution->arena, right));
    if (!lt_type_is_orderable(common))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &resolution->place,
                        "values of type %s have no order and cannot be compared",
                        lt_type_text(resolution->arena, common));
    if (common->kind == LT_DECIMAL) {
        if (left->kind != LT_VOID) types[0] = integer_or_decimal(resolution->arena, left);
        if (right->kind != LT_VOID) types[1] = integer_or_decimal(resolution->arena, right);
        if (types[0] == NULL || types[1] == NULL) return lt_raise_no_memory(err);
        if (left->kind == LT_VOID) types[0] = types[1];
        if (right->kind == LT_VOID) types[1] = types[0];
        return LEAT_OK;
    }
    types[0] = types[1] = common;
    return LEAT_OK;
}

#define ROW(symbol, function)                                                                                          \
    .name = symbol, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .resolve = resolve_comparison, .evaluate = function,        \
    .display = "($1 " symbol " $2)", .is_reader_test = true

const lt_function lt_functions_comparison[] = {
    {ROW("=", equal), .summary = "Whether two values are equal; NULL beside NULL.", .example = "SELECT 1 = 1.0",
     .example_result = "true"},
    {ROW("<", less), .summary = "Whether the left value is smaller.", .example = "SELECT 1 < 2",
     .example_result = "true"},
    {ROW("<=", less_or_equal), .summary = "Whether the left value is smaller or equal.", .example = "SELECT 2 <= 2",
     .example_result = "true"},
    {ROW(">", greater), .summary = "Whether the left value is larger.", .example = "SELECT 3 > 2",
     .example_result = "true"},
    {ROW(">=", greater_or_equal), .summary = "Whether the left value is larger or equal.", .example = "SELECT 3 >= 4",
     .example_result = "false"},
    {ROW("<=>", null_safe_equal), .is_null_aware = true,
     .summary = "Whether two values are equal, where NULL equals NULL.", .example = "SELECT NULL <=> NULL",
     .example_result = "true"},
    {.name           = "equal_null",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = resolve_comparison,
     .evaluate       = null_safe_equal,
     .is_null_aware  = true,
     .summary        = "Whether two values are equal, where NULL equals NULL.",
     .example        = "SELECT equal_null(1, NULL)",
     .example_result = "false"},
    {0},
};
