// Casts of every kind to one integer type: define INTEGER_NAME(from), INTEGER_LANE, INTEGER_MIN, INTEGER_MAX and
// include.

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

LT_CAST_LOOP(INTEGER_NAME(boolean), uint8_t, INTEGER_LANE, *out = x != 0;)
LT_CAST_LOOP(INTEGER_NAME(tinyint), int8_t, INTEGER_LANE, STORE_INT64(x);)
LT_CAST_LOOP(INTEGER_NAME(smallint), int16_t, INTEGER_LANE, STORE_INT64(x);)
LT_CAST_LOOP(INTEGER_NAME(int), int32_t, INTEGER_LANE, STORE_INT64(x);)
LT_CAST_LOOP(INTEGER_NAME(bigint), int64_t, INTEGER_LANE, STORE_INT64(x);)
LT_CAST_LOOP(INTEGER_NAME(float), float, INTEGER_LANE, STORE_DOUBLE((double)x);)
LT_CAST_LOOP(INTEGER_NAME(double), double, INTEGER_LANE, STORE_DOUBLE(x);)
LT_CAST_LOOP(INTEGER_NAME(timestamp), int64_t, INTEGER_LANE, STORE_INT64(lt_floor_div(x, LT_US_PER_SECOND));)
LT_CAST_LOOP(INTEGER_NAME(months), int32_t, INTEGER_LANE, STORE_INT64(x / lt_unit_length(call->from_type->unit_last));)
LT_CAST_LOOP(INTEGER_NAME(microseconds), int64_t, INTEGER_LANE,
             STORE_INT64(x / lt_unit_length(call->from_type->unit_last));)
LT_CAST_LOOP(INTEGER_NAME(decimal), lt_int128, INTEGER_LANE, {
    int64_t whole;
    if (!lt_decimal_to_int64(x, call->from_type->scale, &whole)) {
        LT_TRY(LT_CAST_FAIL_RANGE(call, row, LT_CAST_OVERFLOW, err));
        continue;
    }
    STORE_INT64(whole);
})
LT_CAST_LOOP(INTEGER_NAME(string), lt_string, INTEGER_LANE, {
    const lt_trimmed trimmed = lt_trim(&x);
    int64_t          wide;
    if (lt_int64_parse(trimmed.text, trimmed.bytes, &wide) != LT_NUMBER_OK || wide < INTEGER_MIN ||
        wide > INTEGER_MAX) {
        LT_TRY(LT_CAST_FAIL_TEXT(call, row, &x, LT_CAST_INVALID_INPUT, err));
        continue;
    }
    *out = (INTEGER_LANE)wide;
})

#undef STORE_INT64
#undef STORE_DOUBLE
#undef INTEGER_NAME
#undef INTEGER_LANE
#undef INTEGER_MIN
#undef INTEGER_MAX
