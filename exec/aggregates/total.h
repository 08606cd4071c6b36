// total: sums that are exact whatever the order: of integers and decimals, judged only at the end. A table begins with
// narrow totals of 64 bits; when a total leaves them, all become wide ones of 192 bits and the rows at hand are folded
// again. Both are saved as they are and told apart by their size. Private to sum and avg.
#ifndef LT_EXEC_AGGREGATES_TOTAL_H
#define LT_EXEC_AGGREGATES_TOTAL_H

#include "base/aggregate.h"
#include "base/checked.h"

// value = high * 2^128 + low, two's complement.
typedef struct lt_total {
    uint64_t low_0, low_1; // low, by halves: 8-byte alignment keeps accumulators small
    int64_t  high;
    int64_t  count; // net number of values
} lt_total;

typedef struct lt_narrow_total {
    int64_t total;
    int64_t count;
} lt_narrow_total;

static inline void lt_total_add(lt_total *total, lt_int128 value, int64_t weight) {
    total->count += weight;
    if (weight == 1) {
        lt_uint128 low = (lt_uint128)total->low_1 << 64 | total->low_0, sum = low + (lt_uint128)value;
        total->high += (value < 0 ? -1 : 0) + (sum < low);
        total->low_0 = (uint64_t)sum;
        total->low_1 = (uint64_t)(sum >> 64);
        return;
    }
    for (int64_t half = 0; half < 2; half++) { // value * weight in two parts, so that the product fits 192 bits
        uint64_t   size    = weight < 0 ? 0 - (uint64_t)weight : (uint64_t)weight;
        lt_uint128 part    = half == 0 ? (lt_uint128)(uint64_t)value : (lt_uint128)(lt_int128)(value >> 64);
        bool       is_down = half == 1 && value < 0;
        if (is_down) part = 0 - part;
        lt_uint128 product = (lt_uint128)(uint64_t)part * size; // |high half| < 2^64, so this is exact
        bool       minus   = is_down != (weight < 0);
        lt_uint128 low     = (lt_uint128)total->low_1 << 64 | total->low_0;
        lt_uint128 addend  = half == 0 ? product : product << 64;
        int64_t    upper   = half == 0 ? 0 : (int64_t)(product >> 64);
        lt_uint128 sum     = minus ? low - addend : low + addend;
        total->high += minus ? -upper - (sum > low) : upper + (sum < low);
        total->low_0 = (uint64_t)sum;
        total->low_1 = (uint64_t)(sum >> 64);
    }
}

static inline void lt_total_merge(lt_total *into, const lt_total *from) {
    lt_uint128 a = (lt_uint128)into->low_1 << 64 | into->low_0, b = (lt_uint128)from->low_1 << 64 | from->low_0;
    lt_uint128 sum = a + b;
    into->high += from->high + (sum < a);
    into->low_0 = (uint64_t)sum;
    into->low_1 = (uint64_t)(sum >> 64);
    into->count += from->count;
}

// False when 128 bits do not hold it.
static inline bool lt_total_value(const lt_total *total, lt_int128 *out) {
    *out = (lt_int128)((lt_uint128)total->low_1 << 64 | total->low_0);
    return total->high == (*out < 0 ? -1 : 0);
}

static inline bool lt_narrow_total_value(const lt_narrow_total *total, lt_int128 *out) {
    *out = total->total;
    return true;
}

static inline void lt_total_widen(void *into, const void *from, size_t count) {
    lt_total              *wide   = into;
    const lt_narrow_total *narrow = from;
    for (size_t i = 0; i < count; i++) {
        const uint64_t sign = narrow[i].total < 0 ? UINT64_MAX : 0;
        wide[i]             = (lt_total){
                        .low_0 = (uint64_t)narrow[i].total, .low_1 = sign, .high = (int64_t)sign, .count = narrow[i].count};
    }
}

// A saved total of either size.
static inline leat_status lt_total_read(lt_reader *in, lt_total *out, leat_error *err) {
    lt_narrow_total narrow;
    size_t          bytes = (size_t)(in->end - in->next);
    if (bytes != sizeof narrow && bytes != sizeof *out)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved total has %zu bytes", bytes);
    if (bytes == sizeof *out) {
        memcpy(out, in->next, sizeof *out);
    } else {
        memcpy(&narrow, in->next, sizeof narrow);
        lt_total_widen(out, &narrow, 1);
    }
    in->next += bytes;
    return LEAT_OK;
}
static inline leat_status lt_total_load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    lt_total total;
    (void)memory;
    LT_TRY(lt_total_read(in, &total, err));
    *(lt_total *)accumulator = total;
    return LEAT_OK;
}
static inline leat_status lt_narrow_total_load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    lt_total  total;
    lt_int128 value;
    (void)memory;
    LT_TRY(lt_total_read(in, &total, err));
    if (!lt_total_value(&total, &value) || value != (int64_t)value) return LEAT_DONE;
    *(lt_narrow_total *)accumulator = (lt_narrow_total){.total = (int64_t)value, .count = total.count};
    return LEAT_OK;
}

// The sum of at most LT_CHUNK_ROWS_MAX values; false when a value does not fit 64 bits. Where 64 bits are sure to hold
// the sum, the loops are plain ones over lanes.
#define LT_SUM_OF_SMALL(name, lane_type)                                                                               \
    static bool name(const lane_type *restrict value, size_t count, lt_int128 *out) {                                  \
        int64_t sum = 0;                                                                                               \
        for (size_t i = 0; i < count; i++) sum += value[i];                                                            \
        *out = sum;                                                                                                    \
        return true;                                                                                                   \
    }
#define LT_SUM_OF_WIDE(name, lane_type)                                                                                \
    static bool name(const lane_type *restrict value, size_t count, lt_int128 *out) {                                  \
        lt_int128 sum  = 0;                                                                                            \
        bool      fits = true;                                                                                         \
        for (size_t i = 0; i < count; i++) {                                                                           \
            fits &= (lane_type)(int64_t)value[i] == value[i];                                                          \
            sum += (int64_t)value[i];                                                                                  \
        }                                                                                                              \
        *out = sum;                                                                                                    \
        return fits;                                                                                                   \
    }
// Values within +-2^51 leave room for 2^11 of them.
#define LT_SUM_OF_BIGINT(name)                                                                                         \
    LT_SUM_OF_WIDE(name##_exactly, int64_t)                                                                            \
    static bool name(const int64_t *restrict value, size_t count, lt_int128 *out) {                                    \
        const uint64_t bias = UINT64_C(1) << 51;                                                                       \
        uint64_t       sum = 0, bits = 0;                                                                              \
        for (size_t i = 0; i < count; i++) {                                                                           \
            sum += (uint64_t)value[i];                                                                                 \
            bits |= (uint64_t)value[i] + bias;                                                                         \
        }                                                                                                              \
        if (bits >= 2 * bias || count > LT_CHUNK_ROWS_MAX) return name##_exactly(value, count, out);                   \
        *out = (int64_t)sum;                                                                                           \
        return true;                                                                                                   \
    }
#define LT_SUMS                                                                                                        \
    LT_SUM_OF_SMALL(sum_int8_t, int8_t)                                                                                \
    LT_SUM_OF_SMALL(sum_int16_t, int16_t)                                                                              \
    LT_SUM_OF_SMALL(sum_int32_t, int32_t)                                                                              \
    LT_SUM_OF_BIGINT(sum_int64_t)                                                                                      \
    LT_SUM_OF_WIDE(sum_lt_int128, lt_int128)

// update of a row with narrow totals. Sums wrap around, so that what a chunk added is taken out again exactly when some
// sum did not fit.
#define LT_NARROW_TOTAL_UPDATE(name, lane_type)                                                                        \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        lt_narrow_total *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        const uint32_t  *at     = rows->group_index;                                                                   \
        const int64_t   *weight = rows->weight;                                                                        \
        bool             leaves = false;                                                                               \
        (void)err;                                                                                                     \
        if (rows->is_one_group && weight == NULL) {                                                                    \
            lt_narrow_total *group = &groups[at[0]];                                                                   \
            lt_int128        sum;                                                                                      \
            if (!sum_##lane_type(value, rows->count, &sum)) return LEAT_DONE;                                          \
            sum += group->total;                                                                                       \
            if (sum != (int64_t)sum) return LEAT_DONE;                                                                 \
            group->total = (int64_t)sum;                                                                               \
            group->count += (int64_t)rows->count;                                                                      \
            return LEAT_OK;                                                                                            \
        }                                                                                                              \
        if (weight == NULL) {                                                                                          \
            for (size_t i = 0; i < rows->count; i++) {                                                                 \
                lt_narrow_total *group = &groups[at[i]];                                                               \
                leaves |= (lane_type)(int64_t)value[i] != value[i];                                                    \
                leaves |= lt_add_overflows(group->total, (int64_t)value[i], &group->total);                            \
                group->count++;                                                                                        \
            }                                                                                                          \
        } else {                                                                                                       \
            for (size_t i = 0; i < rows->count; i++) {                                                                 \
                lt_narrow_total *group = &groups[at[i]];                                                               \
                int64_t          product;                                                                              \
                leaves |= (lane_type)(int64_t)value[i] != value[i];                                                    \
                leaves |= lt_multiply_overflows((int64_t)value[i], weight[i], &product);                               \
                leaves |= lt_add_overflows(group->total, product, &group->total);                                      \
                group->count += weight[i];                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        if (!leaves) return LEAT_OK;                                                                                   \
        for (size_t i = 0; i < rows->count; i++) {                                                                     \
            lt_narrow_total *group  = &groups[at[i]];                                                                  \
            const int64_t    copies = lt_aggregate_weight(rows, i);                                                    \
            group->total            = (int64_t)((uint64_t)group->total - (uint64_t)value[i] * (uint64_t)copies);       \
            group->count -= copies;                                                                                    \
        }                                                                                                              \
        return LEAT_DONE;                                                                                              \
    }
// The same of a row with wide ones.
#define LT_TOTAL_UPDATE(name, lane_type)                                                                               \
    static leat_status name(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {                      \
        lt_total        *groups = accumulators;                                                                        \
        const lane_type *value  = rows->values;                                                                        \
        lt_int128        sum;                                                                                          \
        (void)err;                                                                                                     \
        if (rows->is_one_group && rows->weight == NULL && sum_##lane_type(value, rows->count, &sum)) {                 \
            lt_total *group = &groups[rows->group_index[0]];                                                           \
            lt_total_add(group, sum, 1);                                                                               \
            group->count += (int64_t)rows->count - 1;                                                                  \
            return LEAT_OK;                                                                                            \
        }                                                                                                              \
        for (size_t i = 0; i < rows->count; i++)                                                                       \
            lt_total_add(&groups[rows->group_index[i]], value[i], lt_aggregate_weight(rows, i));                       \
        return LEAT_OK;                                                                                                \
    }
// Many rows of few groups: four partial sums a group, because an addition to one has to wait for the last one. Values
// within +-2^51 leave room for 2^11 of them. False, with nothing changed: other rows.
static inline bool lt_total_add_few(lt_narrow_total *groups, const lt_aggregate_rows *rows) {
    enum { GROUPS = 32, PARTS = 4, ROWS_MIN = PARTS * GROUPS };
    uint64_t         sums[PARTS][GROUPS];
    uint32_t         counts[PARTS][GROUPS];
    const uint64_t   bias  = UINT64_C(1) << 51;
    const lt_int128 *value = rows->values;
    const uint32_t  *at    = rows->group_index;
    uint64_t         odd = 0, bits = 0;
    uint32_t         any = 0;
    if (rows->weight != NULL || rows->count < ROWS_MIN || rows->count > LT_CHUNK_ROWS_MAX) return false;
    for (size_t i = 0; i < rows->count; i++) any |= at[i];
    if (any >= GROUPS) return false;
    memset(sums, 0, sizeof sums);
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t low = (uint64_t)value[i];
        odd |= (uint64_t)(value[i] >> 64) ^ (uint64_t)((int64_t)low >> 63);
        bits |= low + bias;
        sums[i % PARTS][at[i]] += low;
        counts[i % PARTS][at[i]]++;
    }
    bool leaves = odd != 0 || bits >= 2 * bias;
    for (uint32_t g = 0; g < GROUPS; g++) {
        int64_t total;
        for (uint32_t p = 1; p < PARTS; p++) {
            sums[0][g] += sums[p][g];
            counts[0][g] += counts[p][g];
        }
        if (counts[0][g] > 0) leaves |= lt_add_overflows(groups[g].total, (int64_t)sums[0][g], &total);
    }
    for (uint32_t g = 0; g < GROUPS && !leaves; g++) {
        if (counts[0][g] == 0) continue;
        groups[g].total += (int64_t)sums[0][g];
        groups[g].count += counts[0][g];
    }
    return !leaves;
}
#define LT_DECIMAL_TOTAL_UPDATE                                                                                        \
    static leat_status add_decimal(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {               \
        if (!rows->is_one_group && lt_total_add_few(accumulators, rows)) return LEAT_OK;                               \
        return add_any_decimals(accumulators, rows, err);                                                              \
    }

// The updates of every type that sum and avg take.
#define LT_TOTAL_UPDATES                                                                                               \
    LT_SUMS                                                                                                            \
    LT_NARROW_TOTAL_UPDATE(add_tinyint, int8_t)                                                                        \
    LT_NARROW_TOTAL_UPDATE(add_smallint, int16_t)                                                                      \
    LT_NARROW_TOTAL_UPDATE(add_int, int32_t)                                                                           \
    LT_NARROW_TOTAL_UPDATE(add_bigint, int64_t)                                                                        \
    LT_NARROW_TOTAL_UPDATE(add_any_decimals, lt_int128)                                                                \
    LT_DECIMAL_TOTAL_UPDATE                                                                                            \
    LT_TOTAL_UPDATE(add_wide_tinyint, int8_t)                                                                          \
    LT_TOTAL_UPDATE(add_wide_smallint, int16_t)                                                                        \
    LT_TOTAL_UPDATE(add_wide_int, int32_t)                                                                             \
    LT_TOTAL_UPDATE(add_wide_bigint, int64_t)                                                                          \
    LT_TOTAL_UPDATE(add_wide_decimal, lt_int128)
static inline leat_status lt_total_merge_all(void *accumulators, const uint32_t *group_index, const void *from,
                                             size_t count, const lt_type *type) {
    lt_total       *groups = accumulators;
    const lt_total *part   = from;
    (void)type;
    for (size_t i = 0; i < count; i++) lt_total_merge(&groups[group_index[i]], &part[i]);
    return LEAT_OK;
}
static inline leat_status lt_narrow_total_merge_all(void *accumulators, const uint32_t *group_index, const void *from,
                                                    size_t count, const lt_type *type) {
    lt_narrow_total       *groups = accumulators;
    const lt_narrow_total *part   = from;
    bool                   leaves = false;
    int64_t                sum;
    (void)type;
    for (size_t i = 0; i < count; i++) leaves |= lt_add_overflows(groups[group_index[i]].total, part[i].total, &sum);
    if (leaves) return LEAT_DONE;
    for (size_t i = 0; i < count; i++) {
        groups[group_index[i]].total += part[i].total;
        groups[group_index[i]].count += part[i].count;
    }
    return LEAT_OK;
}
// Members of a row with narrow totals, and of the wide row behind it.
#define LT_NARROW_TOTAL(updater, finisher, wide)                                                                       \
    .accumulator_bytes = sizeof(lt_narrow_total), .is_linear = true, .update = updater, .wider = wide,                 \
    .widen = lt_total_widen, .merge = lt_narrow_total_merge_all, .load = lt_narrow_total_load, .finish = finisher
#define LT_WIDE_TOTAL(updater, finisher)                                                                               \
    .takes = {LT_TAKES_ANY}, .accumulator_bytes = sizeof(lt_total), .is_linear = true, .update = updater,              \
    .merge = lt_total_merge_all, .load = lt_total_load, .finish = finisher

static inline double lt_narrow_total_double(const lt_narrow_total *total) { return (double)total->total; }
static inline double lt_total_double(const lt_total *total) {
    lt_int128 value;
    if (lt_total_value(total, &value)) return (double)value;
    return (double)total->high * 0x1p128 + (double)((lt_uint128)total->low_1 << 64 | total->low_0);
}

// The row of sum or avg for one argument of `kind`; `result` NULL: there was no memory for it.
static inline leat_status lt_total_resolve(lt_resolution *resolution, lt_kind kind, const lt_type *result,
                                           leat_error *err) {
    if (resolution->argument_count != 1 || resolution->types[0]->kind != kind) return LEAT_DONE;
    resolution->result = result;
    return result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

#endif
