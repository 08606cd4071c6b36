// bit_and, bit_or, bit_xor over integers: NULL without a value that is not NULL. A count for each bit, so that
// retractions undo exactly. Source: Spark SQL 4.
#include "base/aggregate.h"
#include "base/lane_numbers.h"

typedef struct bit_counts {
    int64_t count;
    int64_t ones[64]; // values with that bit, sign-extended to 64 bits
} bit_counts;

static leat_status bits_update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    bit_counts *groups = accumulators;
    (void)err;
    for (size_t i = 0; i < rows->count; i++) {
        bit_counts *group = &groups[rows->group_index[i]];
        uint64_t    value = (uint64_t)lt_lane_integer(rows->arguments[0], (uint32_t)i);
        group->count += lt_aggregate_weight(rows, i);
        for (; value != 0; value &= value - 1) group->ones[__builtin_ctzll(value)] += lt_aggregate_weight(rows, i);
    }
    return LEAT_OK;
}

static leat_status bits_merge(void *accumulators, const uint32_t *group_index, const void *from, size_t count,
                              const lt_type *type) {
    bit_counts       *groups = accumulators;
    const bit_counts *part   = from;
    (void)type;
    for (size_t i = 0; i < count; i++) {
        bit_counts *group = &groups[group_index[i]];
        group->count += part[i].count;
        for (int bit = 0; bit < 64; bit++) group->ones[bit] += part[i].ones[bit];
    }
    return LEAT_OK;
}

typedef enum bit_question { BITS_ALL, BITS_SOME, BITS_ODD } bit_question;

static leat_status bits_finish(const void *accumulators, const lt_aggregate_results *out, bit_question question) {
    const bit_counts *groups = accumulators;
    for (size_t i = 0; i < out->count; i++) {
        const bit_counts *group = &groups[out->group_index[i]];
        uint64_t          value = 0;
        for (int bit = 0; bit < 64; bit++) {
            bool is_set = question == BITS_ALL    ? group->ones[bit] == group->count
                          : question == BITS_SOME ? group->ones[bit] != 0
                                                  : (group->ones[bit] & 1) != 0;
            value |= (uint64_t)is_set << bit;
        }
        out->is_null[i] = group->count == 0;
        lt_lane_put_integer(out->into, (uint32_t)i, (int64_t)value);
    }
    return LEAT_OK;
}
static leat_status and_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    (void)err;
    return bits_finish(accumulators, out, BITS_ALL);
}
static leat_status or_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    (void)err;
    return bits_finish(accumulators, out, BITS_SOME);
}
static leat_status xor_finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    (void)err;
    return bits_finish(accumulators, out, BITS_ODD);
}

static leat_status bits_resolve(lt_resolution *resolution, leat_error *err) {
    lt_kind kind = resolution->types[0]->kind;
    (void)err;
    if (kind == LT_VOID) resolution->types[0] = lt_type_of(LT_BIGINT);
    if (!lt_kind_is_integral(resolution->types[0]->kind)) return LEAT_DONE;
    resolution->result = resolution->types[0];
    return LEAT_OK;
}

#define BITS(finisher)                                                                                                 \
    .takes = {LT_TAKES_ANY}, .resolve = bits_resolve, .accumulator_bytes = sizeof(bit_counts), .is_linear = true,      \
    .update = bits_update, .merge = bits_merge, .finish = finisher

const lt_aggregate lt_aggregates_bits[] = {
    {.name = "bit_and",
     BITS(and_finish),
     .summary        = "The bits that all values have.",
     .example        = "SELECT bit_and(x) FROM VALUES (3), (5) AS t(x)",
     .example_result = "1"},
    {.name = "bit_or",
     BITS(or_finish),
     .summary        = "The bits that some value has.",
     .example        = "SELECT bit_or(x) FROM VALUES (3), (5) AS t(x)",
     .example_result = "7"},
    {.name = "bit_xor",
     BITS(xor_finish),
     .summary        = "The bits that an odd number of values have.",
     .example        = "SELECT bit_xor(x) FROM VALUES (3), (5) AS t(x)",
     .example_result = "6"},
    {0},
};
