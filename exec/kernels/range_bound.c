#include "exec/kernels/range_bound.h"

#include "base/checked.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/lane_numbers.h"
#include "exec/kernels/datetime.h"

// A bound of row `row`; false: it does not fit.
typedef struct range {
    const lt_vector *keys, *offset;
    lt_vector       *bounds;
    bool             is_subtracted;
    lt_time_zone     zone;
} range;
typedef bool (*range_step)(const range *self, uint32_t row);

#define INTEGER_STEP(name, lane_type)                                                                                  \
    static bool name(const range *self, uint32_t row) {                                                                \
        const lane_type key = LT_LANES(self->keys, const lane_type)[row];                                              \
        const lane_type by  = LT_VALUE(self->offset, lane_type, 0);                                                    \
        lane_type      *out = &LT_LANES(self->bounds, lane_type)[row];                                                 \
        return self->is_subtracted ? !lt_subtract_overflows(key, by, out) : !lt_add_overflows(key, by, out);           \
    }
INTEGER_STEP(tinyint_step, int8_t)
INTEGER_STEP(smallint_step, int16_t)
INTEGER_STEP(int_step, int32_t)
INTEGER_STEP(bigint_step, int64_t)

#define FLOATING_STEP(name, lane_type)                                                                                 \
    static bool name(const range *self, uint32_t row) {                                                                \
        const lane_type key                    = LT_LANES(self->keys, const lane_type)[row];                           \
        const lane_type by                     = LT_VALUE(self->offset, lane_type, 0);                                 \
        LT_LANES(self->bounds, lane_type)[row] = self->is_subtracted ? key - by : key + by;                            \
        return true;                                                                                                   \
    }
FLOATING_STEP(float_step, float)
FLOATING_STEP(double_step, double)

// The binder has made key and offset one type.
static bool decimal_step(const range *self, uint32_t row) {
    const lt_int128 key = LT_LANES(self->keys, const lt_int128)[row];
    const lt_int128 by  = LT_VALUE(self->offset, lt_int128, 0);
    lt_int128      *out = &LT_LANES(self->bounds, lt_int128)[row];
    return self->is_subtracted ? !lt_subtract_overflows(key, by, out) : !lt_add_overflows(key, by, out);
}

static int64_t sign(const range *self) { return self->is_subtracted ? -1 : 1; }

static bool date_days_step(const range *self, uint32_t row) {
    int64_t by = lt_value_integer(self->offset, 0);
    if (!lt_kind_is_integral(self->offset->type->kind)) by /= LT_US_PER_DAY;
    int64_t days;
    return !lt_multiply_overflows(sign(self), by, &days) &&
           !lt_add_overflows(days, (int64_t)LT_LANES(self->keys, const int32_t)[row], &days) &&
           !lt_narrow_i32(days, &LT_LANES(self->bounds, int32_t)[row]);
}

static bool date_months_step(const range *self, uint32_t row) {
    const int64_t months = sign(self) * LT_VALUE(self->offset, int32_t, 0);
    return !lt_narrow_i32(lt_days_add_months(LT_LANES(self->keys, const int32_t)[row], months),
                          &LT_LANES(self->bounds, int32_t)[row]);
}

static bool timestamp_step(const range *self, uint32_t row) { return bigint_step(self, row); }

static bool timestamp_months_step(const range *self, uint32_t row) {
    return lt_timestamp_step(&self->zone, LT_LANES(self->keys, const int64_t)[row], LT_DATETIME_MONTH,
                             sign(self) * LT_VALUE(self->offset, int32_t, 0), &LT_LANES(self->bounds, int64_t)[row]);
}

static range_step step_of(const range *self) {
    const bool is_months = self->offset->type->kind == LT_INTERVAL_YEAR_MONTH;
    switch (self->keys->type->kind) {
    case LT_TINYINT:
        return tinyint_step;
    case LT_SMALLINT:
        return smallint_step;
    case LT_INT:
        return int_step;
    case LT_BIGINT:
        return bigint_step;
    case LT_FLOAT:
        return float_step;
    case LT_DOUBLE:
        return double_step;
    case LT_DECIMAL:
        return decimal_step;
    case LT_DATE:
        return is_months ? date_months_step : date_days_step;
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
        return is_months ? timestamp_months_step : timestamp_step;
    default:
        return NULL;
    }
}

static leat_status dates_as_timestamps(const lt_vector *dates, uint32_t count, lt_arena *arena, const lt_vector **out,
                                       leat_error *err) {
    lt_vector *timestamps;
    LT_TRY_NEW(timestamps, arena, err);
    LT_TRY(lt_vector_init(timestamps, lt_type_of(LT_TIMESTAMP_NTZ), count, arena, err));
    for (uint32_t row = 0; row < count; row++)
        LT_LANES(timestamps, int64_t)[row] = LT_LANES(dates, const int32_t)[row] * LT_US_PER_DAY;
    timestamps->lanes    = count;
    timestamps->validity = dates->validity;
    *out                 = timestamps;
    return LEAT_OK;
}

leat_status lt_range_bounds(const lt_vector *keys, const lt_vector *offset, bool is_subtracted, uint32_t count,
                            const lt_evaluation *evaluation, const lt_place *place, lt_arena *arena,
                            const lt_vector **out_keys, const lt_vector **out_bounds, leat_error *err) {
    *out_keys = keys;
    if (keys->type->kind == LT_DATE && offset->type->kind == LT_INTERVAL_DAY_TIME &&
        LT_VALUE(offset, int64_t, 0) % LT_US_PER_DAY != 0)
        LT_TRY(dates_as_timestamps(keys, count, arena, out_keys, err));
    range      self = {.keys = *out_keys, .offset = offset, .is_subtracted = is_subtracted};
    range_step step = step_of(&self);
    if (step == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__RANGE_FRAME_INVALID_TYPE, place,
                        "RANGE cannot go by an offset over values of this type");
    if (keys->type->kind == LT_TIMESTAMP)
        LT_TRY(lt_time_zone_of_session(evaluation, &self.zone, err));
    else
        LT_TRY(lt_time_zone_find(evaluation->zones, "UTC", 3, &self.zone, err));
    LT_TRY_NEW(self.bounds, arena, err);
    LT_TRY(lt_vector_init(self.bounds, self.keys->type, count, arena, err));
    self.bounds->lanes = count;
    for (uint32_t row = 0; row < count; row++) {
        if (lt_vector_is_null(keys, row))
            LT_TRY(lt_vector_set_null(self.bounds, row, arena, err));
        else if (!step(&self, row))
            return lt_raise(err, lt_kind_is_datetime(keys->type->kind) ? LT_DATETIME_OVERFLOW : LT_ARITHMETIC_OVERFLOW,
                            place, "the bound of a window frame does not fit the type of its ORDER BY");
    }
    *out_bounds = self.bounds;
    return LEAT_OK;
}
