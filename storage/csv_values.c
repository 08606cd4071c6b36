#include "storage/csv_values.h"

#include "base/interval.h"
#include "base/lanes.h"
#include "base/number_text.h"
#include "base/value_text.h"
#include "storage/csv_cutter.h"

#include <math.h>

// Numbers and words as Java reads them, times by their patterns or, without one, as CAST does.

bool lt_csv_double_parse(const char *text, size_t bytes, double *out) {
    while (bytes > 0 && lt_csv_is_blank(text[0])) text++, bytes--;
    while (bytes > 0 && lt_csv_is_blank(text[bytes - 1])) bytes--;
    const size_t sign = bytes > 0 && (text[0] == '-' || text[0] == '+');
    if (lt_csv_text_is(text + sign, bytes - sign, "NaN") || lt_csv_text_is(text + sign, bytes - sign, "Infinity"))
        return lt_double_parse(text, bytes, out);
    if (bytes > 1 &&
        (text[bytes - 1] == 'd' || text[bytes - 1] == 'D' || text[bytes - 1] == 'f' || text[bytes - 1] == 'F'))
        bytes--;
    for (size_t i = 0; i < bytes; i++)
        if (!((text[i] >= '0' && text[i] <= '9') || (text[i] != '\0' && strchr("+-.eE", text[i]) != NULL)))
            return false;
    return lt_double_parse(text, bytes, out);
}

static bool read_double(const lt_csv_values *self, const char *text, size_t bytes, double *out) {
    if (lt_csv_text_is(text, bytes, self->nan_text)) return *out = (double)NAN, true;
    if (lt_csv_text_is(text, bytes, self->positive_text)) return *out = (double)INFINITY, true;
    if (lt_csv_text_is(text, bytes, self->negative_text)) return *out = -(double)INFINITY, true;
    return lt_csv_double_parse(text, bytes, out);
}

static bool read_decimal(lt_buffer *digits, const lt_type *type, const char *text, size_t bytes, lt_int128 *out) {
    if (memchr(text, ',', bytes) == NULL)
        return lt_decimal_parse(text, bytes, lt_decimal_shape_of(type), out) == LT_NUMBER_OK;
    lt_buffer_reset(digits); // commas group, as in the locale en-US
    for (size_t i = 0; i < bytes; i++)
        if (text[i] != ',' && lt_buffer_append_byte(digits, text[i], NULL) != LEAT_OK) return false;
    return lt_decimal_parse(digits->data, digits->bytes, lt_decimal_shape_of(type), out) == LT_NUMBER_OK;
}

static bool read_date(const lt_csv_values *self, const char *text, size_t bytes, int32_t *out) {
    lt_datetime_parsed parsed;
    if (self->date_pattern != NULL) {
        if (lt_datetime_pattern_parse(self->date_pattern, &self->datetime, text, bytes, &parsed)) {
            const int64_t days = lt_floor_div(parsed.local_us, LT_US_PER_DAY);
            *out               = (int32_t)days;
            return lt_days_fit(days);
        }
        if (!self->has_fallback) return false;
    }
    return lt_date_parse(text, bytes, out);
}

static bool read_timestamp(const lt_csv_values *self, const lt_datetime_pattern *pattern, bool is_ntz, const char *text,
                           size_t bytes, int64_t *out) {
    lt_datetime_parsed parsed;
    if (pattern != NULL) {
        if (lt_datetime_pattern_parse(pattern, &self->datetime, text, bytes, &parsed)) {
            *out = is_ntz ? parsed.local_us : parsed.utc_us;
            return true;
        }
        if (!self->has_fallback) return false;
    }
    return is_ntz ? lt_timestamp_ntz_parse(&self->datetime, text, bytes, false, out)
                  : lt_timestamp_parse(&self->datetime, text, bytes, out);
}

static bool read_interval(const lt_type *type, const char *text, size_t bytes, lt_vector *into, uint32_t lane) {
    lt_interval interval;
    if (lt_interval_parse(text, bytes, type, NULL, &interval, NULL) != LEAT_OK) return false;
    if (type->kind == LT_INTERVAL_YEAR_MONTH)
        LT_LANES(into, int32_t)[lane] = interval.months;
    else
        LT_LANES(into, int64_t)[lane] = interval.microseconds;
    return true;
}

leat_status lt_csv_value_put(lt_csv_values *self, const char *text, size_t bytes, bool is_view, lt_vector *into,
                             uint32_t lane, bool *out_is_good, leat_error *err) {
    int64_t integer = 0;
    double  number  = 0;
    *out_is_good    = true;
    switch (into->type->kind) {
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT:
        if (!is_view || bytes > LT_VALUE_BYTES_MAX)
            return lt_string_copy(self->arena, text, bytes, &LT_LANES(into, lt_string)[lane], err);
        LT_LANES(into, lt_string)[lane] = lt_string_view(text, bytes);
        return LEAT_OK;
    case LT_BOOLEAN:
        *out_is_good =
            lt_csv_text_is_without_case(text, bytes, "true") || lt_csv_text_is_without_case(text, bytes, "false");
        if (*out_is_good) LT_LANES(into, uint8_t)[lane] = bytes == 4;
        return LEAT_OK;
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_BIGINT:
        *out_is_good = lt_int64_parse(text, bytes, &integer) == LT_NUMBER_OK;
        break;
    case LT_FLOAT:
    case LT_DOUBLE:
        *out_is_good = read_double(self, text, bytes, &number);
        if (into->type->kind == LT_DOUBLE)
            LT_LANES(into, double)[lane] = number;
        else if (*out_is_good && !lt_float_parse(text, bytes, &LT_LANES(into, float)[lane]))
            LT_LANES(into, float)[lane] = (float)number; // blanks, a suffix or a word: rounding twice is harmless there
        return LEAT_OK;
    case LT_DECIMAL:
        *out_is_good = read_decimal(&self->digits, into->type, text, bytes, &LT_LANES(into, lt_int128)[lane]);
        return LEAT_OK;
    case LT_DATE:
        *out_is_good = read_date(self, text, bytes, &LT_LANES(into, int32_t)[lane]);
        return LEAT_OK;
    case LT_TIMESTAMP:
        *out_is_good =
            read_timestamp(self, self->timestamp_pattern, false, text, bytes, &LT_LANES(into, int64_t)[lane]);
        return LEAT_OK;
    case LT_TIMESTAMP_NTZ:
        *out_is_good =
            read_timestamp(self, self->timestamp_ntz_pattern, true, text, bytes, &LT_LANES(into, int64_t)[lane]);
        return LEAT_OK;
    case LT_TIME:
        *out_is_good = lt_time_parse(text, bytes, &LT_LANES(into, int64_t)[lane]);
        return LEAT_OK;
    case LT_INTERVAL_YEAR_MONTH:
    case LT_INTERVAL_DAY_TIME:
        *out_is_good = read_interval(into->type, text, bytes, into, lane);
        return LEAT_OK;
    default:
        *out_is_good = false;
        return LEAT_OK;
    }
    if (!*out_is_good) return LEAT_OK;
    switch (into->type->kind) {
    case LT_TINYINT:
        *out_is_good                 = integer >= INT8_MIN && integer <= INT8_MAX;
        LT_LANES(into, int8_t)[lane] = (int8_t)integer;
        break;
    case LT_SMALLINT:
        *out_is_good                  = integer >= INT16_MIN && integer <= INT16_MAX;
        LT_LANES(into, int16_t)[lane] = (int16_t)integer;
        break;
    case LT_INT:
        *out_is_good                  = integer >= INT32_MIN && integer <= INT32_MAX;
        LT_LANES(into, int32_t)[lane] = (int32_t)integer;
        break;
    default:
        LT_LANES(into, int64_t)[lane] = integer;
    }
    return LEAT_OK;
}
