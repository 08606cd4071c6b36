// A loop per width, without a branch on the values.
#include "storage/decode_ranges.h"

#include "base/lanes.h"

// The distance to `min` as a number without sign is at most that of `max`, unless the value is outside.
#define KEEP(type)                                                                                                     \
    do {                                                                                                               \
        const type *values = LT_LANES(column, const type) + first;                                                     \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            is_kept[i] &= (uint64_t)(int64_t)values[i] - (uint64_t)range->min <= width;                                \
    } while (0)

static void keep_range(const lt_decode_range *range, const lt_vector *column, uint32_t first, uint32_t count,
                       uint8_t *is_kept) {
    const uint64_t width = (uint64_t)range->max - (uint64_t)range->min;
    switch (lt_kind_lane_bytes(column->type->kind)) {
    case 1:
        KEEP(int8_t);
        break;
    case 2:
        KEEP(int16_t);
        break;
    case 4:
        KEEP(int32_t);
        break;
    default:
        KEEP(int64_t);
        break;
    }
    for (uint32_t i = 0; column->validity != NULL && i < count; i++)
        is_kept[i] &= (uint8_t)(column->validity[(first + i) >> 6] >> ((first + i) & 63) & 1);
}

uint32_t lt_decode_ranges_keep(const lt_decode_target *target, const lt_vector *columns, uint32_t first, uint32_t count,
                               uint8_t *is_kept) {
    uint32_t kept = 0;
    memset(is_kept, 1, count);
    for (uint32_t r = 0; r < target->range_count; r++) {
        const lt_decode_range *range = &target->ranges[r];
        if (range->min > range->max) memset(is_kept, 0, count);
        keep_range(range, &columns[range->column], first, count, is_kept);
    }
    for (uint32_t i = 0; i < count; i++) kept += is_kept[i];
    return kept;
}
