// A loop per kind of column with the usual shape in it; whatever has another shape leaves the loop through fill_any.
#include "storage/value_lanes.h"

#include "base/date.h"
#include "base/decimal.h"
#include "base/lanes.h"
#include "storage/digits_word.h"

typedef struct filling {
    lt_value_lanes      *lanes;
    lt_vector           *column;
    uint32_t             lane, count;
    const char          *bytes;
    const lt_value_span *spans;
    const uint8_t       *is_careful;
    leat_error          *err;
} filling;

static inline size_t span_bytes(lt_value_span span) { return lt_value_span_end(span) - lt_value_span_start(span); }

// ------------------------------------------------------------------------------------------------------------- kernels

// Without a branch on what the values are.
static uint32_t short_integers_portable(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                                        uint16_t *odd) {
    uint32_t odd_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const lt_value_span span   = spans[i];
        const uint64_t      length = span_bytes(span), word = lt_digits_load(bytes + lt_value_span_start(span));
        const uint64_t      digits = word << ((64 - 8 * length) & 63) | LT_DIGITS_ZERO >> 4 >> ((8 * length - 4) & 63);
        const bool          is_plain = (length - 1 < 8) & (lt_digits_others(digits) == 0) &
                              (((word & 0xFF) != '0') | (length == 1)) & !lt_value_span_is_text(span);
        out[i]         = (int64_t)lt_digits_value(digits);
        odd[odd_count] = (uint16_t)i;
        odd_count += !is_plain;
    }
    return odd_count;
}

static uint32_t plain_bares_portable(const char *bytes, const lt_value_span *spans, uint32_t count, uint16_t *odd) {
    uint32_t odd_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char  *text = bytes + lt_value_span_start(spans[i]);
        const size_t size = span_bytes(spans[i]), sign = *text == '-';
        odd[odd_count] = (uint16_t)i;
        odd_count += !(*text > '9' ? lt_digits_is_word(text, size) : lt_digits_is_point(text + sign, size - sign));
    }
    return odd_count;
}

static bool runs_everywhere(void) { return true; }

#if defined(__x86_64__) && defined(__GNUC__)
uint32_t lt_value_short_integers_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, int64_t *out,
                                        uint16_t *odd);
uint32_t lt_value_plain_bares_avx512(const char *bytes, const lt_value_span *spans, uint32_t count, uint16_t *odd);

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}
#endif

const lt_value_kernel lt_value_kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    {.name           = "avx512",
     .is_supported   = has_avx512,
     .short_integers = lt_value_short_integers_avx512,
     .plain_bares    = lt_value_plain_bares_avx512},
#endif
    {.name           = "portable",
     .is_supported   = runs_everywhere,
     .short_integers = short_integers_portable,
     .plain_bares    = plain_bares_portable},
    {0},
};

static const lt_value_kernel *kernel_find(const char *name) {
    const lt_value_kernel *best = NULL;
    for (const lt_value_kernel *kernel = lt_value_kernels; kernel->name != NULL; kernel++) {
        if (!kernel->is_supported()) continue;
        if (best == NULL) best = kernel;
        if (name != NULL && strcmp(name, kernel->name) == 0) return kernel;
    }
    return best;
}

// --------------------------------------------------------------------------------------------------------------- lanes

void lt_value_lanes_init(lt_value_lanes *lanes, const char *kernel, lt_arena *arena, lt_value_any any, void *user) {
    *lanes = (lt_value_lanes){
        .kernel = kernel_find(kernel), .arena = arena, .any = any, .user = user, .reads_doubles = true};
    lanes->cached_day_text[0] = lt_digits_load("1970-01-");
    lanes->cached_day_text[1] = '0' | '1' << 8; // day 0
}

void lt_value_lanes_set_times(lt_value_lanes *lanes, const lt_datetime_context *context, bool has_date_pattern,
                              bool has_timestamp_pattern, bool has_timestamp_ntz_pattern) {
    lanes->reads_dates          = !has_date_pattern;
    lanes->reads_timestamps     = !has_timestamp_pattern;
    lanes->reads_timestamps_ntz = !has_timestamp_ntz_pattern;
    lanes->has_fixed_offset     = context->zone.rules == NULL;
    lanes->offset_us            = context->zone.offset_seconds * LT_US_PER_SECOND;
}

static leat_status fill_null(const filling *self, uint32_t i, bool *out_is_good) {
    lt_vector *column = self->column;
    *out_is_good      = true;
    if (column->validity != NULL && column->child_count == 0) { // the usual one of a column that has had one before
        const uint32_t lane = self->lane + i;
        column->validity[lane >> 6] &= ~(UINT64_C(1) << (lane & 63));
        return LEAT_OK;
    }
    return lt_lane_put_null(self->column, self->lane + i, self->lanes->arena, self->err);
}

// Any value by the rules of the format.
static leat_status fill_any(const filling *self, uint32_t i, bool *out_is_good) {
    const lt_value_span span = self->spans[i];
    if (span == 0) return fill_null(self, i, out_is_good);
    const lt_value_source source  = {.text       = self->bytes + lt_value_span_start(span),
                                     .bytes      = span_bytes(span),
                                     .is_text    = lt_value_span_is_text(span),
                                     .is_careful = self->is_careful != NULL && self->is_careful[i] != 0};
    lt_value_verdict      verdict = LT_VALUE_BAD;
    LT_TRY(self->lanes->any(self->lanes->user, &source, self->column, self->lane + i, &verdict, self->err));
    *out_is_good = verdict != LT_VALUE_BAD;
    return verdict == LT_VALUE_NULL ? fill_null(self, i, out_is_good) : LEAT_OK;
}

// Takes value i the long way; ends the calling loop at one that is not good.
#define FILL_ANY(self, i)                                                                                              \
    do {                                                                                                               \
        bool is_good_;                                                                                                 \
        LT_TRY(fill_any(self, i, &is_good_));                                                                          \
        if (!is_good_) {                                                                                               \
            (self)->count = i;                                                                                         \
            return LEAT_OK;                                                                                            \
        }                                                                                                              \
    } while (0)

static leat_status fill_others(filling *self) {
    for (uint32_t i = 0; i < self->count; i++) FILL_ANY(self, i);
    return LEAT_OK;
}

static leat_status fill_texts(filling *self) {
    lt_string *const           lanes      = LT_LANES(self->column, lt_string) + self->lane;
    const lt_value_span *const spans      = self->spans;
    const uint8_t *const       is_careful = self->is_careful;
    const char *const          source     = self->bytes;
    const uint32_t             count      = self->count;
    for (uint32_t i = 0; i < count; i++) {
        const lt_value_span span    = spans[i];
        const char         *text    = source + lt_value_span_start(span);
        const size_t        bytes   = span_bytes(span);
        const bool          is_text = lt_value_span_is_text(span);
        if (is_text && !(is_careful != NULL && is_careful[i] != 0))
            lt_value_put_view(&lanes[i], text, bytes);
        else
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

static leat_status fill_kept_texts(filling *self) {
    lt_string *const           lanes = LT_LANES(self->column, lt_string) + self->lane;
    const lt_value_span *const spans = self->spans;
    const uint8_t *const is_careful = self->is_careful, *const is_kept = self->lanes->is_kept;
    const uint32_t count = self->count;
    memset(lanes, 0, count * sizeof *lanes);
    for (uint32_t i = 0; i < count; i++) {
        if (!lt_value_span_is_text(spans[i]) | (is_careful != NULL && is_careful[i] != 0))
            FILL_ANY(self, i);
        else if (is_kept[i] != 0)
            lt_value_put_view(&lanes[i], self->bytes + lt_value_span_start(spans[i]), span_bytes(spans[i]));
    }
    return LEAT_OK;
}

// An integer of up to 16 digits at a span. False: another shape.
static inline bool read_integer(const char *text, lt_value_span span, int64_t *out) {
    uint64_t     digits;
    const size_t bytes = span_bytes(span);
    if (lt_value_span_is_text(span)) return false;
    if (bytes - 1 < 16 && lt_digits_read(text, bytes, &digits) && (*text != '0' || bytes == 1)) {
        *out = (int64_t)digits;
        return true;
    }
    if (bytes - 2 >= 16 || *text != '-' || !lt_digits_read(text + 1, bytes - 1, &digits) ||
        (text[1] == '0' && bytes > 2))
        return false;
    *out = -(int64_t)digits;
    return true;
}

static inline void put_integer(void *lanes, lt_kind kind, uint32_t lane, int64_t value) {
    if (kind == LT_BIGINT)
        ((int64_t *)lanes)[lane] = value;
    else if (kind == LT_INT)
        ((int32_t *)lanes)[lane] = (int32_t)value;
    else if (kind == LT_SMALLINT)
        ((int16_t *)lanes)[lane] = (int16_t)value;
    else
        ((int8_t *)lanes)[lane] = (int8_t)value;
}

__attribute__((always_inline)) static inline leat_status fill_integers_of(filling *self, const lt_kind kind,
                                                                          int64_t min, int64_t max) {
    void *const                lanes = self->column->values;
    const lt_value_span *const spans = self->spans;
    const char *const          bytes = self->bytes;
    const uint32_t             first = self->lane;
    uint32_t                   count = self->count;
    uint16_t                   odd[LT_VALUE_LANES_ROWS];
    int64_t                    values[LT_VALUE_LANES_ROWS];
    // The first value says whether short ones are to be expected.
    const bool is_short = count > 0 && span_bytes(spans[0]) <= 8;
    if (is_short) {
        int64_t *into = kind == LT_BIGINT ? (int64_t *)lanes + first : values;
        count         = self->lanes->kernel->short_integers(bytes, spans, count, into, odd);
        // Numbers beyond a narrow type are read once more below.
        bool is_wide = false;
        for (uint32_t i = 0; kind != LT_BIGINT && i < self->count; i++) {
            put_integer(lanes, kind, first + i, values[i]);
            is_wide |= values[i] > max;
        }
        if (is_wide) {
            count = self->count;
            for (uint32_t i = 0; i < count; i++) odd[i] = (uint16_t)i;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = is_short ? odd[k] : k;
        int64_t        value;
        if (!read_integer(bytes + lt_value_span_start(spans[i]), spans[i], &value) || value < min || value > max)
            FILL_ANY(self, i);
        else
            put_integer(lanes, kind, first + i, value);
    }
    return LEAT_OK;
}

static leat_status fill_bigints(filling *self) { return fill_integers_of(self, LT_BIGINT, INT64_MIN, INT64_MAX); }
static leat_status fill_ints(filling *self) { return fill_integers_of(self, LT_INT, INT32_MIN, INT32_MAX); }
static leat_status fill_smallints(filling *self) { return fill_integers_of(self, LT_SMALLINT, INT16_MIN, INT16_MAX); }
static leat_status fill_tinyints(filling *self) { return fill_integers_of(self, LT_TINYINT, INT8_MIN, INT8_MAX); }

// Digits below 2^53 over a power of ten below 10^23 are both exact doubles, so one division rounds rightly (Clinger).
static inline bool read_double(const char *text, lt_value_span span, double *out) {
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    const size_t        sign     = *text == '-';
    lt_digits_point     point;
    if (lt_value_span_is_text(span) || !lt_digits_read_point(text + sign, span_bytes(span) - sign, &point) ||
        point.digits >> 53 != 0 || (sign != 0 && point.digits == 0))
        return false;
    const double value = (double)point.digits / powers[point.fraction_digits];
    *out               = sign != 0 ? -value : value;
    return true;
}

static leat_status fill_doubles(filling *self) {
    double *const              lanes  = LT_LANES(self->column, double) + self->lane;
    const lt_value_span *const spans  = self->spans;
    const char *const          source = self->bytes;
    const uint32_t             count  = self->count;
    if (!self->lanes->reads_doubles) return fill_others(self);
    for (uint32_t i = 0; i < count; i++)
        if (!read_double(source + lt_value_span_start(spans[i]), spans[i], &lanes[i])) FILL_ANY(self, i);
    return LEAT_OK;
}

static leat_status fill_kept_doubles(filling *self) {
    double *const              lanes  = LT_LANES(self->column, double) + self->lane;
    const lt_value_span *const spans  = self->spans;
    const char *const          source = self->bytes;
    const uint32_t             count  = self->count;
    uint16_t                   odd[LT_VALUE_LANES_ROWS];
    uint8_t                    is_odd[LT_VALUE_LANES_ROWS] = {0};
    if (!self->lanes->reads_doubles) return fill_others(self);
    const uint32_t odds = self->lanes->kernel->plain_bares(source, spans, count, odd);
    for (uint32_t k = 0; k < odds; k++) is_odd[odd[k]] = 1;
    memset(lanes, 0, count * sizeof *lanes);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = source + lt_value_span_start(spans[i]);
        // Words are plain, too.
        const bool is_number = !is_odd[i] & !lt_value_span_is_text(spans[i]) & (*text <= '9');
        if (is_number ? self->lanes->is_kept[i] != 0 && !read_double(text, spans[i], &lanes[i]) : true)
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

static leat_status fill_decimals(filling *self) {
    static const uint64_t  powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const lt_decimal_shape shape    = lt_decimal_shape_of(self->column->type);
    const lt_int128        bound    = lt_decimal_power(shape.precision);
    lt_int128             *lanes    = LT_LANES(self->column, lt_int128) + self->lane;
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_value_span span = self->spans[i];
        const char         *text = self->bytes + lt_value_span_start(span);
        const size_t        sign = *text == '-';
        lt_digits_point     point;
        if (span == 0 || lt_value_span_is_text(span) ||
            !lt_digits_read_point(text + sign, span_bytes(span) - sign, &point) ||
            point.fraction_digits > shape.scale || shape.scale - point.fraction_digits > 8 ||
            (lt_int128)point.digits * (lt_int128)powers[shape.scale - point.fraction_digits] >= bound) {
            FILL_ANY(self, i);
            continue;
        }
        const lt_int128 value = (lt_int128)point.digits * (lt_int128)powers[shape.scale - point.fraction_digits];
        lanes[i]              = sign != 0 ? -value : value;
    }
    return LEAT_OK;
}

static leat_status fill_booleans(filling *self) {
    uint8_t *const             lanes = LT_LANES(self->column, uint8_t) + self->lane;
    const lt_value_span *const spans = self->spans;
    const char *const          bytes = self->bytes;
    const uint32_t             count = self->count;
    uint32_t                   is_true, is_false;
    memcpy(&is_true, "true", sizeof is_true);
    memcpy(&is_false, "fals", sizeof is_false);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = bytes + lt_value_span_start(spans[i]);
        uint32_t    word;
        memcpy(&word, text, sizeof word);
        const bool is_word = ((word == is_true) & (span_bytes(spans[i]) == 4)) |
                             ((word == is_false) & (span_bytes(spans[i]) == 5) & (text[4] == 'e'));
        lanes[i] = word == is_true;
        if (!is_word || lt_value_span_is_text(spans[i])) FILL_ANY(self, i);
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------ days and times

// "2024-05-01" of years 1000 to 9999; the last day's number is kept. Reads 16 bytes.
static inline bool read_day(lt_value_lanes *lanes, const char *text, int32_t *out_days) {
    const uint64_t dashes = UINT64_C(0xFF0000FF00000000), month_day = UINT64_C(0xFFFF);
    const uint64_t first = lt_digits_load(text), last = lt_digits_load(text + 8) & month_day;
    if (first == lanes->cached_day_text[0] && last == lanes->cached_day_text[1]) {
        *out_days = lanes->cached_day;
        return true;
    }
    if ((first & dashes) != UINT64_C(0x2D00002D00000000)) return false;
    const uint64_t year_month = (first & ~dashes) | (LT_DIGITS_ZERO & dashes); // yyyy0mm0
    const uint64_t days       = last | (LT_DIGITS_ZERO & ~month_day);
    if ((lt_digits_others(year_month) | lt_digits_others(days)) != 0) return false;
    const uint64_t number = lt_digits_value(year_month);
    const int64_t  year   = (int64_t)(number / 10000);
    const int32_t  month  = (int32_t)(number / 10 % 1000);
    const int32_t  day    = (int32_t)(lt_digits_value(days) / 1000000);
    if (year < 1000 || month < 1 || month > 12 || day < 1 || day > lt_days_of_month(year, month)) return false;
    lanes->cached_day_text[0] = first;
    lanes->cached_day_text[1] = last;
    lanes->cached_day = *out_days = (int32_t)lt_days_from_civil(year, month, day);
    return true;
}

// "2024-05-01T10:20:30", a fraction of up to six digits, "Z". *out_has_zone: the Z. False: another shape.
static inline bool read_time(lt_value_lanes *lanes, const char *text, size_t bytes, int64_t *out_us,
                             bool *out_has_zone) {
    static const uint32_t units[7] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    const uint64_t        others   = UINT64_C(0x0000FF0000FF0000);
    int32_t               days;
    if (bytes < 19 || bytes > 27 || !read_day(lanes, text, &days)) return false;
    // From place 9, "1T10:20:": the last digit of the day, hours, minutes.
    uint64_t clock = lt_digits_load(text + 11); // hh:mm:ss
    if ((text[10] != 'T' && text[10] != ' ') || (clock & others) != UINT64_C(0x00003A00003A0000)) return false;
    clock = (clock & ~others) | (LT_DIGITS_ZERO & others); // hh0mm0ss
    if (lt_digits_others(clock) != 0) return false;
    const uint64_t number = lt_digits_value(clock);
    const uint64_t hour = number / 1000000, minute = number / 1000 % 1000, second = number % 1000;
    if (hour > 23 || minute > 59 || second > 59) return false;
    *out_has_zone   = text[bytes - 1] == 'Z';
    size_t   rest   = bytes - 19 - *out_has_zone;
    uint64_t micros = 0;
    if (rest > 0) {
        if (text[19] != '.' || rest < 2 || rest > 7 || !lt_digits_read(text + 20, rest - 1, &micros)) return false;
        micros *= units[rest - 1];
    }
    *out_us = (int64_t)days * LT_US_PER_DAY + (int64_t)(hour * 3600 + minute * 60 + second) * LT_US_PER_SECOND +
              (int64_t)micros;
    return true;
}

static leat_status fill_dates(filling *self) {
    int32_t *lanes = LT_LANES(self->column, int32_t) + self->lane;
    if (!self->lanes->reads_dates) return fill_others(self);
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_value_span span = self->spans[i];
        if (!lt_value_span_is_text(span) || span_bytes(span) != 10 ||
            !read_day(self->lanes, self->bytes + lt_value_span_start(span), &lanes[i]))
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

static inline leat_status fill_times_of(filling *self, bool is_read, bool may_have_zone, bool may_lack_zone,
                                        int64_t offset_us) {
    int64_t *lanes = LT_LANES(self->column, int64_t) + self->lane;
    if (!is_read) return fill_others(self);
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_value_span span     = self->spans[i];
        bool                has_zone = false;
        int64_t             us       = 0;
        if (lt_value_span_is_text(span) &&
            read_time(self->lanes, self->bytes + lt_value_span_start(span), span_bytes(span), &us, &has_zone) &&
            (has_zone ? may_have_zone : may_lack_zone))
            lanes[i] = has_zone ? us : us - offset_us;
        else
            FILL_ANY(self, i);
    }
    return LEAT_OK;
}

static leat_status fill_timestamps(filling *self) {
    const lt_value_lanes *lanes = self->lanes;
    return fill_times_of(self, lanes->reads_timestamps, true, lanes->has_fixed_offset, lanes->offset_us);
}

static leat_status fill_timestamps_ntz(filling *self) {
    return fill_times_of(self, self->lanes->reads_timestamps_ntz, false, true, 0);
}

static leat_status fill(filling *self) {
    switch (self->column->type->kind) {
    case LT_STRING:
        return self->lanes->is_kept != NULL ? fill_kept_texts(self) : fill_texts(self);
    case LT_BIGINT:
        return fill_bigints(self);
    case LT_INT:
        return fill_ints(self);
    case LT_SMALLINT:
        return fill_smallints(self);
    case LT_TINYINT:
        return fill_tinyints(self);
    case LT_DOUBLE:
        return self->lanes->is_kept != NULL ? fill_kept_doubles(self) : fill_doubles(self);
    case LT_DECIMAL:
        return fill_decimals(self);
    case LT_BOOLEAN:
        return fill_booleans(self);
    case LT_TIMESTAMP:
        return fill_timestamps(self);
    case LT_TIMESTAMP_NTZ:
        return fill_timestamps_ntz(self);
    case LT_DATE:
        return fill_dates(self);
    default:
        return fill_others(self);
    }
}

static void lanes_set_valid(uint64_t *validity, uint32_t lane, uint32_t count) {
    for (const uint32_t end = lane + count; lane < end;) {
        const uint32_t bit = lane & 63, bits = end - lane < 64 - bit ? end - lane : 64 - bit;
        validity[lane >> 6] |= ~UINT64_C(0) >> (64 - bits) << bit;
        lane += bits;
    }
}

leat_status lt_value_lanes_fill(lt_value_lanes *lanes, lt_vector *column, uint32_t lane, const char *bytes,
                                const lt_value_span *spans, const uint8_t *is_careful, uint32_t *count,
                                leat_error *err) {
    filling self = {.lanes      = lanes,
                    .column     = column,
                    .lane       = lane,
                    .count      = *count,
                    .bytes      = bytes,
                    .spans      = spans,
                    .is_careful = is_careful,
                    .err        = err};
    if (column->validity != NULL) lanes_set_valid(column->validity, lane, *count);
    const leat_status status = fill(&self);
    *count                   = self.count;
    return status;
}
