#include "exec/numbers.h"

// & | ^ ~, shifts, and functions over bits. Integers of different width become the wider one; shifts take their count
// modulo the width, as Java does. Source: Spark SQL 4, ANSI mode.

#define BIT_KERNELS(lane, name)                                                                                        \
    LT_MAP2(and_##name, lane, lane, *out = (lane)(x & y);)                                                             \
    LT_MAP2(or_##name, lane, lane, *out = (lane)(x | y);)                                                              \
    LT_MAP2(xor_##name, lane, lane, *out = (lane)(x ^ y);)                                                             \
    LT_MAP(not_##name, lane, lane, *out = (lane)~x;)                                                                   \
    LT_MAP(count_##name, lane, int32_t, *out = __builtin_popcountll((unsigned long long)(int64_t)x);)
BIT_KERNELS(int8_t, tinyint)
BIT_KERNELS(int16_t, smallint)
BIT_KERNELS(int32_t, int)
BIT_KERNELS(int64_t, bigint)
LT_MAP(count_boolean, uint8_t, int32_t, *out = x != 0;)

static leat_status resolve_pair(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->function->returns;
    if (resolution->types[0]->kind == LT_VOID && resolution->types[1]->kind == LT_VOID) {
        if (kind != LT_INT) return LEAT_DONE;
        resolution->types[0] = resolution->types[1] = resolution->result = lt_type_of(LT_INT);
        return LEAT_OK;
    }
    return lt_resolve_operands(resolution, kind, lt_type_of(kind), NULL, err);
}

static const lt_type *integral_of(const lt_type *type) {
    if (type->kind == LT_VOID) return lt_type_of(LT_INT);
    if (type->kind == LT_STRING) return lt_type_of(LT_BIGINT);
    return lt_kind_is_integral(type->kind) ? type : NULL;
}

static leat_status resolve_one(lt_resolution *resolution, leat_error *err) {
    (void)err;
    const lt_type *type = integral_of(resolution->types[0]);
    if (type == NULL || type->kind != resolution->function->returns) return LEAT_DONE;
    resolution->types[0] = resolution->result = type;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ shifts

#define SHIFT(name, lane, unsigned_lane, mask, expression)                                                             \
    static leat_status name(lt_call *call, leat_error *err) {                                                          \
        (void)err;                                                                                                     \
        lane *results = call->result->values;                                                                          \
        LT_EACH_ROW(call, row) {                                                                                       \
            const lane          x     = LT_ARG(call, 0, lane, row);                                                    \
            const unsigned_lane bits  = (unsigned_lane)x;                                                              \
            const uint32_t      count = (uint32_t)LT_ARG(call, 1, int32_t, row) & mask;                                \
            results[row]              = (lane)(expression);                                                            \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
// Right shifts of negative numbers keep the sign; >>> does not.
SHIFT(left_int, int32_t, uint32_t, 31, bits << count)
SHIFT(left_bigint, int64_t, uint64_t, 63, bits << count)
SHIFT(right_int, int32_t, uint32_t, 31, x < 0 ? ~(~bits >> count) : bits >> count)
SHIFT(right_bigint, int64_t, uint64_t, 63, x < 0 ? ~(~bits >> count) : bits >> count)
SHIFT(right_unsigned_int, int32_t, uint32_t, 31, bits >> count)
SHIFT(right_unsigned_bigint, int64_t, uint64_t, 63, bits >> count)

// Narrow integers shift as INT.
// Both sides become integers, also from numbers with a fraction, unlike the operands of & and |.
static leat_status resolve_shift(lt_resolution *resolution, leat_error *err) {
    (void)err;
    const lt_type *value = resolution->types[0], *count = resolution->types[1];
    lt_kind        kind   = value->kind == LT_BIGINT ? LT_BIGINT : LT_INT;
    bool           takes  = lt_kind_is_numeric(value->kind) || value->kind == LT_STRING || value->kind == LT_VOID;
    bool           counts = lt_kind_is_numeric(count->kind) || count->kind == LT_STRING || count->kind == LT_VOID;
    if (!takes || !counts || kind != resolution->function->returns) return LEAT_DONE;
    resolution->types[0] = resolution->result = lt_type_of(kind);
    resolution->types[1]                      = lt_type_of(LT_INT);
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------- single bits

static leat_status raise_position(const lt_call *call, int32_t position, int32_t width, leat_error *err) {
    return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__BIT_POSITION_RANGE,
                         "bit %d is not one of the bits 0 to %d", (int)position, (int)width - 1);
}
#define BIT_GET(name, lane)                                                                                            \
    static leat_status name(lt_call *call, leat_error *err) {                                                          \
        const int32_t width   = (int32_t)sizeof(lane) * 8;                                                             \
        int8_t       *results = call->result->values;                                                                  \
        LT_EACH_ROW(call, row) {                                                                                       \
            const int32_t position = LT_ARG(call, 1, int32_t, row);                                                    \
            if (position < 0 || position >= width) return raise_position(call, position, width, err);                  \
            results[row] = (int8_t)((uint64_t)LT_ARG(call, 0, lane, row) >> position & 1);                             \
        }                                                                                                              \
        return LEAT_OK;                                                                                                \
    }
BIT_GET(bit_get_tinyint, int8_t)
BIT_GET(bit_get_smallint, int16_t)
BIT_GET(bit_get_int, int32_t)
BIT_GET(bit_get_bigint, int64_t)

static leat_status resolve_bit_get(lt_resolution *resolution, leat_error *err) {
    (void)err;
    const lt_type *value = integral_of(resolution->types[0]);
    if (resolution->types[0]->kind == LT_STRING) return LEAT_DONE; // read as an integer by operators only
    if (value == NULL || resolution->types[1]->kind != LT_INT || value->kind != resolution->function->returns)
        return LEAT_DONE;
    resolution->types[0] = value;
    resolution->result   = lt_type_of(LT_TINYINT);
    return LEAT_OK;
}

static leat_status resolve_bit_count(lt_resolution *resolution, leat_error *err) {
    (void)err;
    static const struct {
        lt_kernel kernel;
        lt_kind   kind;
    } forms[]           = {{count_boolean, LT_BOOLEAN},
                           {count_tinyint, LT_TINYINT},
                           {count_smallint, LT_SMALLINT},
                           {count_int, LT_INT},
                           {count_bigint, LT_BIGINT}};
    const lt_type *type = resolution->types[0];
    if (type->kind == LT_VOID) type = lt_type_of(LT_INT);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (forms[i].kernel == resolution->function->kernel && forms[i].kind == type->kind) {
            resolution->types[0] = type;
            resolution->result   = lt_type_of(LT_INT);
            return LEAT_OK;
        }
    return LEAT_DONE;
}

// Buckets of 32768 bits for counting distinct values.
LT_MAP(bitmap_position, int64_t, int64_t, *out = x > 0 ? (x - 1) % 32768 : (int64_t)((0 - (uint64_t)x) % 32768);)
LT_MAP(bitmap_bucket, int64_t, int64_t, *out = x > 0 ? 1 + (x - 1) / 32768 : x / 32768;)

static leat_status bitmap_count(lt_call *call, leat_error *err) {
    (void)err;
    int64_t *results = call->result->values;
    LT_EACH_ROW(call, row) {
        lt_text bitmap = lt_arg_text(call, 0, row);
        int64_t count  = 0;
        for (size_t i = 0; i < bitmap.bytes; i++) count += __builtin_popcount((uint8_t)bitmap.data[i]);
        results[row] = count;
    }
    return LEAT_OK;
}

#define PAIR(symbol, kind, function)                                                                                   \
    .name = symbol, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .returns = kind, .resolve = resolve_pair,                   \
    .kernel = function, .display = "($1 " symbol " $2)"
#define PAIRS(symbol, operation)                                                                                       \
    {PAIR(symbol, LT_SMALLINT, operation##_smallint)}, {PAIR(symbol, LT_INT, operation##_int)}, {                      \
        PAIR(symbol, LT_BIGINT, operation##_bigint)                                                                    \
    }
#define SHIFT_ROW(text, kind, function, shown)                                                                         \
    .name = text, .takes = {LT_TAKES_ANY, LT_TAKES_ANY}, .returns = kind, .resolve = resolve_shift,                    \
    .evaluate = function, .display = shown
#define NOT(kind, function)                                                                                            \
    .name = "~", .takes = {LT_TAKES_ANY}, .returns = kind, .resolve = resolve_one, .kernel = function, .display = "~$1"
#define COUNT(function)                                                                                                \
    .name = "bit_count", .takes = {LT_TAKES_ANY}, .returns = LT_INT, .resolve = resolve_bit_count, .kernel = function
#define GET(text, kind, function)                                                                                      \
    .name = text, .takes = {LT_TAKES_ANY, LT_TAKES_INT}, .returns = kind, .resolve = resolve_bit_get,                  \
    .evaluate = function, .can_fail = true
#define GETS(text)                                                                                                     \
    {GET(text, LT_INT, bit_get_int), .summary = "The bit at a position, counted from 0 at the right.",                 \
     .example = "SELECT " text "(11, 2)", .example_result = "0"},                                                      \
        {GET(text, LT_TINYINT, bit_get_tinyint)}, {GET(text, LT_SMALLINT, bit_get_smallint)}, {                        \
        GET(text, LT_BIGINT, bit_get_bigint)                                                                           \
    }

const lt_function lt_functions_bitwise[] = {
    {PAIR("&", LT_TINYINT, and_tinyint), .summary = "Bits that both integers have.", .example = "SELECT 5 & 3",
     .example_result = "1"},
    PAIRS("&", and),
    {PAIR("|", LT_TINYINT, or_tinyint), .summary = "Bits that one of two integers has.", .example = "SELECT 5 | 3",
     .example_result = "7"},
    PAIRS("|", or),
    {PAIR("^", LT_TINYINT, xor_tinyint), .summary = "Bits that exactly one of two integers has.",
     .example = "SELECT 5 ^ 3", .example_result = "6"},
    PAIRS("^", xor),
    {NOT(LT_TINYINT, not_tinyint), .summary = "Every bit turned.", .example = "SELECT ~5", .example_result = "-6"},
    {NOT(LT_SMALLINT, not_smallint)},
    {NOT(LT_INT, not_int)},
    {NOT(LT_BIGINT, not_bigint)},
    {SHIFT_ROW("<<", LT_INT, left_int, "($1 << $2)"), .summary = "Bits moved to the left.", .example = "SELECT 1 << 3",
     .example_result = "8"},
    {SHIFT_ROW("<<", LT_BIGINT, left_bigint, "($1 << $2)")},
    {SHIFT_ROW(">>", LT_INT, right_int, "($1 >> $2)"), .summary = "Bits moved to the right, the sign kept.",
     .example = "SELECT -8 >> 1", .example_result = "-4"},
    {SHIFT_ROW(">>", LT_BIGINT, right_bigint, "($1 >> $2)")},
    {SHIFT_ROW(">>>", LT_INT, right_unsigned_int, "($1 >>> $2)"),
     .summary = "Bits moved to the right, zeros from the left.", .example = "SELECT -8 >>> 1",
     .example_result = "2147483644"},
    {SHIFT_ROW(">>>", LT_BIGINT, right_unsigned_bigint, "($1 >>> $2)")},
    {SHIFT_ROW("shiftleft", LT_INT, left_int, NULL), .summary = "Bits moved to the left.",
     .example = "SELECT shiftleft(1, 4)", .example_result = "16"},
    {SHIFT_ROW("shiftleft", LT_BIGINT, left_bigint, NULL)},
    {SHIFT_ROW("shiftright", LT_INT, right_int, NULL), .summary = "Bits moved to the right, the sign kept.",
     .example = "SELECT shiftright(-16, 2)", .example_result = "-4"},
    {SHIFT_ROW("shiftright", LT_BIGINT, right_bigint, NULL)},
    {SHIFT_ROW("shiftrightunsigned", LT_INT, right_unsigned_int, NULL),
     .summary = "Bits moved to the right, zeros from the left.", .example = "SELECT shiftrightunsigned(-16, 28)",
     .example_result = "15"},
    {SHIFT_ROW("shiftrightunsigned", LT_BIGINT, right_unsigned_bigint, NULL)},
    {COUNT(count_boolean), .summary = "How many bits are set.", .example = "SELECT bit_count(7)",
     .example_result = "3"},
    {COUNT(count_tinyint)},
    {COUNT(count_smallint)},
    {COUNT(count_int)},
    {COUNT(count_bigint)},
    GETS("bit_get"),
    GETS("getbit"),
    {.name           = "bitmap_bit_position",
     .takes          = {LT_TAKES_BIGINT},
     .returns        = LT_BIGINT,
     .kernel         = bitmap_position,
     .summary        = "Position of a number in its bucket of 32768 bits.",
     .example        = "SELECT bitmap_bit_position(1)",
     .example_result = "0"},
    {.name           = "bitmap_bucket_number",
     .takes          = {LT_TAKES_BIGINT},
     .returns        = LT_BIGINT,
     .kernel         = bitmap_bucket,
     .summary        = "Number of the bucket of 32768 bits that a number belongs to.",
     .example        = "SELECT bitmap_bucket_number(32769)",
     .example_result = "2"},
    {.name           = "bitmap_count",
     .takes          = {LT_TAKES_BINARY},
     .returns        = LT_BIGINT,
     .evaluate       = bitmap_count,
     .summary        = "How many bits of a binary value are set.",
     .example        = "SELECT bitmap_count(X'0F01')",
     .example_result = "5"},
    {0},
};
