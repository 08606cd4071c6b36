#include "exec/kernels/datetime.h"

// extract(UNIT FROM x), date_part('unit', x): a part of a date, timestamp, time or interval. The unit is constant, so
// the type of the result is known when the call is bound; seconds keep their fraction. Source: Spark SQL 4.

typedef enum extract_unit {
    EXTRACT_YEAR,
    EXTRACT_ISO_YEAR,
    EXTRACT_QUARTER,
    EXTRACT_MONTH,
    EXTRACT_WEEK,
    EXTRACT_DAY,
    EXTRACT_DAY_OF_WEEK,
    EXTRACT_ISO_DAY_OF_WEEK,
    EXTRACT_DAY_OF_YEAR,
    EXTRACT_HOUR,
    EXTRACT_MINUTE,
    EXTRACT_SECOND,
    EXTRACT_UNIT_COUNT
} extract_unit;

static const char *const unit_words[EXTRACT_UNIT_COUNT][6] = {
    [EXTRACT_YEAR]            = {"YEAR", "Y", "YEARS", "YR", "YRS"},
    [EXTRACT_ISO_YEAR]        = {"YEAROFWEEK"},
    [EXTRACT_QUARTER]         = {"QUARTER", "QTR"},
    [EXTRACT_MONTH]           = {"MONTH", "MON", "MONS", "MONTHS"},
    [EXTRACT_WEEK]            = {"WEEK", "W", "WEEKS"},
    [EXTRACT_DAY]             = {"DAY", "D", "DAYS"},
    [EXTRACT_DAY_OF_WEEK]     = {"DAYOFWEEK", "DOW"},
    [EXTRACT_ISO_DAY_OF_WEEK] = {"DAYOFWEEK_ISO", "DOW_ISO"},
    [EXTRACT_DAY_OF_YEAR]     = {"DOY"},
    [EXTRACT_HOUR]            = {"HOUR", "H", "HOURS", "HR", "HRS"},
    [EXTRACT_MINUTE]          = {"MINUTE", "M", "MIN", "MINS", "MINUTES"},
    [EXTRACT_SECOND]          = {"SECOND", "S", "SEC", "SECONDS", "SECS"},
};

static bool unit_parse(const lt_string *word, extract_unit *out) {
    for (int unit = 0; unit < EXTRACT_UNIT_COUNT; unit++) {
        for (int i = 0; i < 6 && unit_words[unit][i] != NULL; i++) {
            if (!lt_text_is_word(lt_string_data(word), word->bytes, unit_words[unit][i])) continue;
            *out = (extract_unit)unit;
            return true;
        }
    }
    return false;
}

// Whether an interval of such a type has the part: it lies between its units.
static bool interval_has(const lt_type *type, extract_unit unit) {
    static const extract_unit parts[] = {EXTRACT_YEAR, EXTRACT_MONTH,  EXTRACT_DAY,
                                         EXTRACT_HOUR, EXTRACT_MINUTE, EXTRACT_SECOND}; // by lt_unit
    for (unsigned part = type->unit_first; part <= (unsigned)type->unit_last; part++)
        if (parts[part] == unit) return true;
    return false;
}

// Whether a source of this type has the part.
static bool source_has(const lt_type *type, extract_unit unit) {
    switch (type->kind) {
    case LT_DATE:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
        return true;
    case LT_TIME:
        return unit >= EXTRACT_HOUR;
    case LT_INTERVAL_YEAR_MONTH:
    case LT_INTERVAL_DAY_TIME:
        return interval_has(type, unit);
    case LT_INTERVAL_CALENDAR:
        return unit == EXTRACT_YEAR || unit == EXTRACT_MONTH || unit == EXTRACT_DAY || unit >= EXTRACT_HOUR;
    default:
        return false;
    }
}

static leat_status extract_resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count != 2) return LEAT_DONE;
    const lt_type *source = resolution->types[1];
    extract_unit   unit   = EXTRACT_YEAR;
    if (resolution->constants == NULL || resolution->constants[0] == NULL ||
        (resolution->types[0]->kind != LT_STRING && resolution->types[0]->kind != LT_VOID))
        return lt_raise(err, LT_NON_FOLDABLE_ARGUMENT, &resolution->places[0], "the unit of %s has to be constant",
                        resolution->function->name);
    resolution->types[0] = lt_type_of(LT_STRING);
    if (source->kind == LT_VOID || source->kind == LT_STRING) {
        source               = lt_type_of(LT_TIMESTAMP);
        resolution->types[1] = source;
    }
    if (lt_vector_is_null(resolution->constants[0], 0)) {
        resolution->result = lt_type_of(LT_DOUBLE);
        return LEAT_OK;
    }
    if (resolution->constants[0]->type->kind != LT_STRING) return LEAT_DONE;
    const lt_string *word = &LT_VALUE(resolution->constants[0], lt_string, 0);
    if (lt_kind_is_nested(source->kind)) return LEAT_DONE;
    if (!unit_parse(word, &unit) || (source->kind >= LT_DATE && !source_has(source, unit)))
        return lt_raise(err, LT_INVALID_EXTRACT_FIELD, &resolution->places[0],
                        "`%.*s` is no part of %s; write one like YEAR, MONTH, DAY, HOUR",
                        (int)(word->bytes > 40 ? 40 : word->bytes), lt_string_data(word),
                        lt_type_text(resolution->arena, source));
    if (!source_has(source, unit)) return LEAT_DONE;
    const bool is_interval = lt_kind_is_interval(source->kind);
    if (unit == EXTRACT_SECOND)
        resolution->result = lt_type_decimal(resolution->arena, 8, 6);
    else if (is_interval && unit != EXTRACT_YEAR && unit != EXTRACT_DAY)
        resolution->result = lt_type_of(LT_TINYINT);
    else
        resolution->result = lt_type_of(LT_INT);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static int64_t date_part_of(int64_t days, extract_unit unit) {
    const lt_civil_date civil = lt_civil_from_days(days);
    switch (unit) {
    case EXTRACT_YEAR:
        return civil.year;
    case EXTRACT_ISO_YEAR:
        return lt_civil_from_days(days - lt_iso_weekday(days) + 4).year;
    case EXTRACT_QUARTER:
        return (civil.month - 1) / 3 + 1;
    case EXTRACT_MONTH:
        return civil.month;
    case EXTRACT_WEEK:
        return lt_iso_week(days);
    case EXTRACT_DAY:
        return civil.day;
    case EXTRACT_DAY_OF_WEEK:
        return lt_iso_weekday(days) % 7 + 1;
    case EXTRACT_ISO_DAY_OF_WEEK:
        return lt_iso_weekday(days);
    case EXTRACT_DAY_OF_YEAR:
        return lt_day_of_year(days);
    default:
        return 0;
    }
}

// Seconds come as microseconds, which is DECIMAL(8,6). Works for negative intervals too: parts have their sign.
static int64_t time_part_of(int64_t us, extract_unit unit) {
    switch (unit) {
    case EXTRACT_HOUR:
        return us / LT_US_PER_HOUR;
    case EXTRACT_MINUTE:
        return us / LT_US_PER_MINUTE % 60;
    default:
        return us % LT_US_PER_MINUTE;
    }
}

static int64_t part_of(const lt_call *call, const lt_time_zone *zone, uint32_t row, extract_unit unit) {
    const lt_kind kind = call->arguments[1]->type->kind;
    int64_t       us   = 0;
    switch (kind) {
    case LT_DATE: // far dates have no microseconds
        return unit >= EXTRACT_HOUR ? 0 : date_part_of(LT_ARG(call, 1, int32_t, row), unit);
    case LT_TIMESTAMP:
        us = lt_time_zone_local_us(zone, LT_ARG(call, 1, int64_t, row));
        break;
    case LT_INTERVAL_YEAR_MONTH:
        return unit == EXTRACT_YEAR ? LT_ARG(call, 1, int32_t, row) / 12 : LT_ARG(call, 1, int32_t, row) % 12;
    case LT_INTERVAL_DAY_TIME:
        us = LT_ARG(call, 1, int64_t, row);
        return unit == EXTRACT_DAY ? us / LT_US_PER_DAY : time_part_of(us % LT_US_PER_DAY, unit);
    case LT_INTERVAL_CALENDAR: {
        const lt_calendar_interval *interval = &LT_ARG(call, 1, lt_calendar_interval, row);
        return unit == EXTRACT_YEAR    ? interval->months / 12
               : unit == EXTRACT_MONTH ? interval->months % 12
               : unit == EXTRACT_DAY   ? interval->days + interval->microseconds / LT_US_PER_DAY
                                       : time_part_of(interval->microseconds % LT_US_PER_DAY, unit);
    }
    default:
        us = LT_ARG(call, 1, int64_t, row);
        break;
    }
    return unit >= EXTRACT_HOUR ? time_part_of(lt_floor_mod(us, LT_US_PER_DAY), unit)
                                : date_part_of(lt_floor_div(us, LT_US_PER_DAY), unit);
}

static leat_status extract_evaluate(lt_call *call, leat_error *err) {
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        extract_unit unit = EXTRACT_YEAR;
        if (!unit_parse(&LT_ARG(call, 0, lt_string, row), &unit)) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        const int64_t part = part_of(call, &zone, row, unit);
        switch (call->result->type->kind) {
        case LT_TINYINT:
            LT_LANES(call->result, int8_t)[row] = (int8_t)part;
            break;
        case LT_DECIMAL:
            LT_LANES(call->result, lt_int128)[row] = part;
            break;
        default:
            LT_LANES(call->result, int32_t)[row] = (int32_t)part;
            break;
        }
    }
    return LEAT_OK;
}

const lt_function lt_functions_date_extract[] = {
    {.name            = "extract",
     .takes           = {LT_TAKES_ANY, LT_TAKES_ANY},
     .needs_time_type = true,
     .resolve         = extract_resolve,
     .evaluate        = extract_evaluate,
     .display         = "extract($1 FROM $2)",
     .summary         = "A part of a date, timestamp, time or interval.",
     .example         = "SELECT extract(YEAR FROM DATE '2024-03-15')",
     .example_result  = "2024"},
    {.name            = "date_part",
     .takes           = {LT_TAKES_ANY, LT_TAKES_ANY},
     .needs_time_type = true,
     .resolve         = extract_resolve,
     .evaluate        = extract_evaluate,
     .summary         = "A part of a date, timestamp, time or interval.",
     .example         = "SELECT date_part('doy', DATE '2024-03-15')",
     .example_result  = "75"},
    {.name            = "datepart",
     .takes           = {LT_TAKES_ANY, LT_TAKES_ANY},
     .needs_time_type = true,
     .resolve         = extract_resolve,
     .evaluate        = extract_evaluate,
     .display         = "datepart($1 FROM $2)",
     .summary         = "A part of a date, timestamp, time or interval.",
     .example         = "SELECT datepart('week', DATE '2024-03-15')",
     .example_result  = "11"},
    {0},
};
