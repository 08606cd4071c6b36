#include "exec/kernels/compare_bits.h"
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

// ---------------------------------------------------------------------------------------------------------------- bits

// Which loop gives it, with the sides turned round or not, and whether what the loop says or the opposite.
typedef struct bits_plan {
    lt_compare_order order;
    bool             is_turned, is_opposite;
} bits_plan;

// A constant stands right.
static bits_plan bits_plan_of(comparison wanted, bool is_left_constant) {
    static const bits_plan plans[COMPARISON_COUNT][2] = {
        [EQUAL]            = {{LT_COMPARE_EQUAL, false, false}, {LT_COMPARE_EQUAL, true, false}},
        [LESS]             = {{LT_COMPARE_LESS, false, false}, {LT_COMPARE_LESS_OR_EQUAL, true, true}},
        [LESS_OR_EQUAL]    = {{LT_COMPARE_LESS_OR_EQUAL, false, false}, {LT_COMPARE_LESS, true, true}},
        [GREATER]          = {{LT_COMPARE_LESS_OR_EQUAL, false, true}, {LT_COMPARE_LESS, true, false}},
        [GREATER_OR_EQUAL] = {{LT_COMPARE_LESS, false, true}, {LT_COMPARE_LESS_OR_EQUAL, true, false}},
    };
    return plans[wanted][is_left_constant];
}

static const uint8_t bits_lanes[LT_KIND_COUNT] = { // lt_compare_lane + 1; 0: none
    [LT_BOOLEAN]             = LT_COMPARE_U8 + 1,
    [LT_TINYINT]             = LT_COMPARE_I8 + 1,
    [LT_SMALLINT]            = LT_COMPARE_I16 + 1,
    [LT_INT]                 = LT_COMPARE_I32 + 1,
    [LT_BIGINT]              = LT_COMPARE_I64 + 1,
    [LT_FLOAT]               = LT_COMPARE_FLOAT + 1,
    [LT_DOUBLE]              = LT_COMPARE_DOUBLE + 1,
    [LT_DECIMAL]             = LT_COMPARE_I128 + 1,
    [LT_DATE]                = LT_COMPARE_I32 + 1,
    [LT_TIMESTAMP]           = LT_COMPARE_I64 + 1,
    [LT_TIMESTAMP_NTZ]       = LT_COMPARE_I64 + 1,
    [LT_TIME]                = LT_COMPARE_I64 + 1,
    [LT_INTERVAL_YEAR_MONTH] = LT_COMPARE_I32 + 1,
    [LT_INTERVAL_DAY_TIME]   = LT_COMPARE_I64 + 1};

static void bits_opposite(uint64_t *bits, size_t count) {
    for (size_t w = 0; w < count / 64; w++) bits[w] = ~bits[w];
    if (count % 64 != 0) bits[count / 64] ^= ((uint64_t)1 << count % 64) - 1;
}

// The constant at the scale of the other side, so that both sides compare alike: where it has more digits there than
// the scale, the values up to it are those up to the next lower one. False: a value of 128 bits does not hold it, or
// equality that can not be.
static bool constant_rescale(lt_int128 *constant, uint32_t from, uint32_t into, lt_compare_order *order) {
    lt_int128 scaled;
    if (into >= from) {
        if (into == from) return true;
        if (!lt_decimal_rescale(*constant, from, (lt_decimal_shape){LT_DECIMAL_PRECISION_MAX, into}, &scaled))
            return false;
        *constant = scaled;
        return true;
    }
    const lt_int128 unit = lt_decimal_power(from - into), rest = *constant % unit;
    *constant = *constant / unit - (rest < 0 ? 1 : 0);
    if (rest == 0) return true;
    if (*order == LT_COMPARE_EQUAL) return false;
    *order = LT_COMPARE_LESS_OR_EQUAL;
    return true;
}

static bool bits_of_decimals(const lt_lanes *lanes, const lt_compare_kernel *kernel, bits_plan plan) {
    const uint32_t left = plan.is_turned ? 1 : 0, right = 1 - left;
    lt_int128      constant = *(const lt_int128 *)lanes->values[right];
    if (lanes->steps[right] != 0 ||
        !constant_rescale(&constant, lanes->types[right]->scale, lanes->types[left]->scale, &plan.order))
        return false;
    kernel->loops[LT_COMPARE_I128][plan.order](lanes->values[left], &constant, true, (uint32_t)lanes->count,
                                               lanes->results);
    if (plan.is_opposite) bits_opposite(lanes->results, lanes->count);
    return true;
}

static bool bits_of_texts(const lt_lanes *lanes, const lt_compare_kernel *kernel, comparison wanted) {
    const uint32_t   left     = lanes->steps[1] == 0 ? 0 : 1;
    const lt_string *constant = lanes->values[1 - left];
    if (wanted != EQUAL || lanes->steps[1 - left] != 0) return false;
    uint64_t masks[2], words[2];
    if (!lt_compare_text_words(constant, masks, words)) return false;
    kernel->masked_equal(lanes->values[left], masks, words, (uint32_t)lanes->count, lanes->results);
    return true;
}

static bool bits_of(const lt_lanes *lanes, comparison wanted) {
    const lt_type           *left = lanes->types[0], *right = lanes->types[1];
    const lt_compare_kernel *kernel = lt_compare_kernel_best();
    const bits_plan          plan   = bits_plan_of(wanted, lanes->steps[0] == 0);
    if (lt_kind_is_bytes(left->kind)) return bits_of_texts(lanes, kernel, wanted);
    if (bits_lanes[left->kind] == 0 || right->kind != left->kind) return false;
    if (left->kind == LT_DECIMAL && left->scale != right->scale) return bits_of_decimals(lanes, kernel, plan);
    const uint32_t first = plan.is_turned ? 1 : 0;
    kernel->loops[bits_lanes[left->kind] - 1][plan.order](lanes->values[first], lanes->values[1 - first],
                                                          lanes->steps[1 - first] == 0, (uint32_t)lanes->count,
                                                          lanes->results);
    if (plan.is_opposite) bits_opposite(lanes->results, lanes->count);
    return true;
}

static bool test_equal(const lt_lanes *lanes) { return bits_of(lanes, EQUAL); }
static bool test_less(const lt_lanes *lanes) { return bits_of(lanes, LESS); }
static bool test_less_or_equal(const lt_lanes *lanes) { return bits_of(lanes, LESS_OR_EQUAL); }
static bool test_greater(const lt_lanes *lanes) { return bits_of(lanes, GREATER); }
static bool test_greater_or_equal(const lt_lanes *lanes) { return bits_of(lanes, GREATER_OR_EQUAL); }

// --------------------------------------------------------------------------------------------------------------- calls

static void compare_decimals(const lt_call *call, comparison wanted) {
    uint32_t x_scale = call->arguments[0]->type->scale, y_scale = call->arguments[1]->type->scale;
    uint8_t *results = call->result->values;
    LT_EACH_ROW(call, row)
    results[row] = order_passes(
        wanted, lt_decimal_compare(LT_ARG(call, 0, lt_int128, row), x_scale, LT_ARG(call, 1, lt_int128, row), y_scale));
}

// Where most rows are wanted and the loops know the types.
static bool compare_by_bits(const lt_call *call, comparison wanted) {
    enum { FEW = 8 };
    uint64_t       bits[LT_ROW_WORDS_MAX];
    uint8_t       *results  = call->result->values;
    const lt_type *types[2] = {call->arguments[0]->type, call->arguments[1]->type};
    lt_lanes       lanes    = {.results = bits, .count = call->count, .types = types};
    if (call->row_count < call->count / FEW) return false;
    for (uint32_t a = 0; a < 2; a++) {
        lanes.values[a] = call->arguments[a]->values;
        lanes.steps[a]  = call->arguments[a]->form == LT_CONSTANT ? 0 : 1;
    }
    if (!bits_of(&lanes, wanted)) return false;
    for (uint32_t i = 0; i < call->count; i++) results[i] = bits[i / 64] >> (i % 64) & 1;
    return true;
}

static leat_status compare(lt_call *call, comparison wanted, leat_error *err) {
    const lt_type *left = call->arguments[0]->type, *right = call->arguments[1]->type;
    const bool is_by_row = lt_kind_is_bytes(left->kind) || (left->kind == LT_DECIMAL && left->scale != right->scale);
    if (is_by_row && compare_by_bits(call, wanted)) return LEAT_OK;
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
        common = lt_type_same_shape(left, right) ? left : lt_resolve_tight_common(resolution, left, right);
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
    .test = test_##function, .display = "($1 " symbol " $2)", .is_reader_test = true

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
    {.name           = "<=>",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = resolve_comparison,
     .evaluate       = null_safe_equal,
     .display        = "($1 <=> $2)",
     .is_reader_test = true,
     .is_null_aware  = true,
     .summary        = "Whether two values are equal, where NULL equals NULL.",
     .example        = "SELECT NULL <=> NULL",
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
