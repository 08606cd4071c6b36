#include "base/lane_numbers.h"

#include "base/decimal.h"

int64_t lt_lane_integer(const lt_vector *lanes, uint32_t lane) {
    switch (lanes->type->kind) {
    case LT_BOOLEAN:
        return LT_LANES(lanes, const uint8_t)[lane];
    case LT_TINYINT:
        return LT_LANES(lanes, const int8_t)[lane];
    case LT_SMALLINT:
        return LT_LANES(lanes, const int16_t)[lane];
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        return LT_LANES(lanes, const int32_t)[lane];
    case LT_BIGINT:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
    case LT_TIME:
    case LT_INTERVAL_DAY_TIME:
        return LT_LANES(lanes, const int64_t)[lane];
    default:
        return 0;
    }
}

void lt_lane_put_integer(lt_vector *lanes, uint32_t lane, int64_t value) {
    switch (lanes->type->kind) {
    case LT_BOOLEAN:
    case LT_TINYINT:
        LT_LANES(lanes, int8_t)[lane] = (int8_t)value;
        break;
    case LT_SMALLINT:
        LT_LANES(lanes, int16_t)[lane] = (int16_t)value;
        break;
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        LT_LANES(lanes, int32_t)[lane] = (int32_t)value;
        break;
    case LT_BIGINT:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
    case LT_TIME:
    case LT_INTERVAL_DAY_TIME:
        LT_LANES(lanes, int64_t)[lane] = value;
        break;
    default:
        break;
    }
}

double lt_lane_double(const lt_vector *lanes, uint32_t lane) {
    switch (lanes->type->kind) {
    case LT_FLOAT:
        return (double)LT_LANES(lanes, const float)[lane];
    case LT_DOUBLE:
        return LT_LANES(lanes, const double)[lane];
    case LT_DECIMAL:
        return lt_decimal_to_double(LT_LANES(lanes, const lt_int128)[lane], lanes->type->scale);
    default:
        return (double)lt_lane_integer(lanes, lane);
    }
}
