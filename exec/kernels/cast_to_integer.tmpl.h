// Casts of every kind to one integer type: define INTEGER_NAME, INTEGER_LANE, INTEGER_MIN, INTEGER_MAX and include.
// It is one function per target because a cast chooses its loop once per chunk; each case is one loop.

#define STORE_INT64(value)                                                                                             \
    do {                                                                                                               \
        const int64_t wide = (value);                                                                                  \
        if (wide < INTEGER_MIN || wide > INTEGER_MAX) {                                                                \
            LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));                                              \
        } else {                                                                                                       \
            *out = (INTEGER_LANE)wide;                                                                                 \
        }                                                                                                              \
    } while (0)

// Cut toward zero. The limits are compared as doubles: 2^63 itself is taken and becomes the largest BIGINT, as in Java.
#define STORE_DOUBLE(value)                                                                                            \
    do {                                                                                                               \
        const double wide = (value);                                                                                   \
        if (!(floor(wide) <= (double)INTEGER_MAX && ceil(wide) >= (double)INTEGER_MIN)) {                              \
            LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));                                              \
        } else {                                                                                                       \
            *out = wide >= 0x1p63 ? (INTEGER_LANE)INTEGER_MAX : (INTEGER_LANE)wide;                                    \
        }                                                                                                              \
    } while (0)

static leat_status INTEGER_NAME(lt_cast_call *call, leat_error *err) {
    switch (call->from_type->kind) {
    case LT_BOOLEAN:
        LT_CAST_ROWS(uint8_t, INTEGER_LANE, *out = x != 0;);
        return LEAT_OK;
    case LT_TINYINT:
        LT_CAST_ROWS(int8_t, INTEGER_LANE, STORE_INT64(x););
        return LEAT_OK;
    case LT_SMALLINT:
        LT_CAST_ROWS(int16_t, INTEGER_LANE, STORE_INT64(x););
        return LEAT_OK;
    case LT_INT:
        LT_CAST_ROWS(int32_t, INTEGER_LANE, STORE_INT64(x););
        return LEAT_OK;
    case LT_BIGINT:
        LT_CAST_ROWS(int64_t, INTEGER_LANE, STORE_INT64(x););
        return LEAT_OK;
    case LT_FLOAT:
        LT_CAST_ROWS(float, INTEGER_LANE, STORE_DOUBLE((double)x););
        return LEAT_OK;
    case LT_DOUBLE:
        LT_CAST_ROWS(double, INTEGER_LANE, STORE_DOUBLE(x););
        return LEAT_OK;
    case LT_DECIMAL:
        LT_CAST_ROWS(lt_int128, INTEGER_LANE, {
            int64_t whole;
            if (!lt_decimal_to_int64(x, call->from_type->scale, &whole)) {
                LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));
                continue;
            }
            STORE_INT64(whole);
        });
        return LEAT_OK;
    case LT_STRING:
        LT_CAST_ROWS(lt_string, INTEGER_LANE, {
            const lt_trimmed trimmed = lt_trim(&x);
            int64_t          wide;
            if (lt_int64_parse(trimmed.text, trimmed.bytes, &wide) != LT_NUMBER_OK || wide < INTEGER_MIN ||
                wide > INTEGER_MAX) {
                LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
                continue;
            }
            *out = (INTEGER_LANE)wide;
        });
        return LEAT_OK;
    case LT_TIMESTAMP:
        LT_CAST_ROWS(int64_t, INTEGER_LANE, STORE_INT64(lt_floor_div(x, LT_US_PER_SECOND)););
        return LEAT_OK;
    case LT_INTERVAL_YEAR_MONTH:
        LT_CAST_ROWS(int32_t, INTEGER_LANE, STORE_INT64(x / unit_length(call->from_type->unit_last)););
        return LEAT_OK;
    case LT_INTERVAL_DAY_TIME:
        LT_CAST_ROWS(int64_t, INTEGER_LANE, STORE_INT64(x / unit_length(call->from_type->unit_last)););
        return LEAT_OK;
    default:
        return lt_raise(err, LT_INTERNAL_ERROR, &call->place, "no cast to an integer from this type");
    }
}

#undef STORE_INT64
#undef STORE_DOUBLE
#undef INTEGER_NAME
#undef INTEGER_LANE
#undef INTEGER_MIN
#undef INTEGER_MAX
