#include "base/number_text.h"
#include "base/value_text.h"
#include "exec/kernels/cast_rows.h"

// Casts to STRING, from every type, and between STRING and BINARY, which share their bytes. Source: Spark SQL 4.

static leat_status put_int64(lt_cast_call *call, int64_t value, lt_string *out, leat_error *err) {
    // A short text goes from register to lane: bytes that were stored one by one could not be read at once.
    lt_uint128 short_text = 0;
    uint32_t   bytes      = lt_int64_text(value, &short_text);
    if (bytes > 0 && bytes <= LT_STRING_INLINE_MAX) {
        lt_uint128 lane = short_text << 32 | bytes;
        memcpy(out, &lane, sizeof lane);
        return LEAT_OK;
    }
    char text[LT_INT64_TEXT_MAX];
    return lt_string_copy(call->arena, text, lt_int64_print(value, text), out, err);
}

LT_CAST_LOOP(tinyint_to_string, int8_t, lt_string, LT_TRY(put_int64(call, x, out, err));)
LT_CAST_LOOP(smallint_to_string, int16_t, lt_string, LT_TRY(put_int64(call, x, out, err));)
LT_CAST_LOOP(int_to_string, int32_t, lt_string, LT_TRY(put_int64(call, x, out, err));)
LT_CAST_LOOP(bigint_to_string, int64_t, lt_string, LT_TRY(put_int64(call, x, out, err));)
LT_CAST_LOOP(bytes_to_bytes, lt_string, lt_string, *out = x;)

static leat_status print_rows(lt_cast_call *call, lt_buffer *buffer, leat_error *err) {
    lt_value_text printer;
    lt_string    *texts = call->into->values;
    LT_TRY(lt_value_text_init(&printer, LT_VALUE_TEXT_CAST, call->evaluation, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint32_t row = call->rows[i];
        lt_buffer_reset(buffer);
        LT_TRY(lt_value_text_append(&printer, call->from, row, buffer, err));
        LT_TRY(lt_string_copy(call->arena, buffer->data, buffer->bytes, &texts[row], err));
    }
    return LEAT_OK;
}

static leat_status value_to_string(lt_cast_call *call, leat_error *err) {
    lt_buffer buffer;
    lt_buffer_init(&buffer, call->arena->account, LT_VALUE_BYTES_MAX);
    leat_status status = print_rows(call, &buffer, err);
    lt_buffer_deinit(&buffer);
    return status;
}

#define ROW(from_kind, function)                                                                                       \
    { .from = from_kind, .into = LT_STRING, .run = function }
const lt_cast lt_casts_to_string[] = {
    ROW(LT_TINYINT, tinyint_to_string),
    ROW(LT_SMALLINT, smallint_to_string),
    ROW(LT_INT, int_to_string),
    ROW(LT_BIGINT, bigint_to_string),
    ROW(LT_BOOLEAN, value_to_string),
    ROW(LT_FLOAT, value_to_string),
    ROW(LT_DOUBLE, value_to_string),
    ROW(LT_DECIMAL, value_to_string),
    ROW(LT_BINARY, bytes_to_bytes),
    ROW(LT_VARIANT, bytes_to_bytes),
    ROW(LT_DATE, value_to_string),
    ROW(LT_TIMESTAMP, value_to_string),
    ROW(LT_TIMESTAMP_NTZ, value_to_string),
    ROW(LT_TIME, value_to_string),
    ROW(LT_INTERVAL_YEAR_MONTH, value_to_string),
    ROW(LT_INTERVAL_DAY_TIME, value_to_string),
    ROW(LT_INTERVAL_CALENDAR, value_to_string),
    ROW(LT_ARRAY, value_to_string),
    ROW(LT_MAP, value_to_string),
    ROW(LT_STRUCT, value_to_string),
    {.from = LT_STRING, .into = LT_BINARY, .run = bytes_to_bytes},
    {0},
};
