// A walk over type and tokens together; its depth is that of the type, which the parser of types limits.
#include "base/json_convert.h"

#include "base/base64.h"
#include "base/checked.h"
#include "base/interval.h"
#include "base/json_writer.h"
#include "base/lanes.h"
#include "base/number_text.h"
#include "base/value_set.h"

#include <math.h>

leat_status lt_json_conversion_init(lt_json_conversion *conversion, lt_arena *arena, const lt_evaluation *evaluation,
                                    leat_error *err) {
    *conversion = (lt_json_conversion){.arena = arena, .has_fallback = true};
    lt_buffer_init(&conversion->scratch, arena->account, 0);
    return lt_datetime_context_init(&conversion->datetime, evaluation, err);
}

void lt_json_conversion_deinit(lt_json_conversion *conversion) { lt_buffer_deinit(&conversion->scratch); }

static lt_json_outcome wrong(lt_json_conversion *conversion, const char *problem) {
    conversion->problem = problem;
    return LT_JSON_WRONG;
}

static leat_status put_bytes(lt_json_conversion *conversion, lt_vector *into, uint32_t lane, const char *text,
                             size_t bytes, bool is_source, leat_error *err) {
    lt_string *string = &LT_LANES(into, lt_string)[lane];
    if (is_source && conversion->shares_source) {
        if (bytes > LT_VALUE_BYTES_MAX)
            return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value has %zu bytes; at most %d are allowed", bytes,
                            LT_VALUE_BYTES_MAX);
        *string = lt_string_view(text, bytes);
        return LEAT_OK;
    }
    return lt_string_copy(conversion->arena, text, bytes, string, err);
}

// ------------------------------------------------------------------------------------------------------------- scalars

static lt_json_outcome convert_integer(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                       uint32_t lane) {
    int64_t value;
    bool    is_outside = false;
    if (reader->token != LT_JSON_INTEGER) return wrong(conversion, "not an integer");
    if (lt_int64_parse(reader->text, reader->text_bytes, &value) != LT_NUMBER_OK) return wrong(conversion, "too large");
    switch (into->type->kind) {
    case LT_TINYINT:
        // A byte may be written without its sign: 128 to 255 are its negative values (recorded from Spark).
        is_outside = value < INT8_MIN || value > UINT8_MAX;
        if (!is_outside) LT_LANES(into, int8_t)[lane] = (int8_t)(value > INT8_MAX ? value - 256 : value);
        break;
    case LT_SMALLINT:
        is_outside = value < INT16_MIN || value > INT16_MAX;
        if (!is_outside) LT_LANES(into, int16_t)[lane] = (int16_t)value;
        break;
    case LT_INT:
        is_outside = value < INT32_MIN || value > INT32_MAX;
        if (!is_outside) LT_LANES(into, int32_t)[lane] = (int32_t)value;
        break;
    default:
        LT_LANES(into, int64_t)[lane] = value;
        break;
    }
    return is_outside ? wrong(conversion, "too large") : LT_JSON_GOOD;
}

static bool text_is(const lt_json_reader *reader, const char *word) {
    if (reader->text_bytes > 0 && *reader->text != *word) return false; // most of the words that are asked for
    return reader->text_bytes == strlen(word) && memcmp(reader->text, word, reader->text_bytes) == 0;
}

static bool read_non_numeric(const lt_json_reader *reader, double *out) {
    if (text_is(reader, "NaN"))
        *out = (double)NAN;
    else if (text_is(reader, "+INF") || text_is(reader, "+Infinity") || text_is(reader, "Infinity"))
        *out = (double)INFINITY;
    else if (text_is(reader, "-INF") || text_is(reader, "-Infinity"))
        *out = -(double)INFINITY;
    else
        return false;
    return true;
}

static lt_json_outcome convert_floating(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                        uint32_t lane) {
    double value     = 0;
    float  single    = 0;
    bool   is_number = reader->token == LT_JSON_INTEGER || reader->token == LT_JSON_NUMBER;
    bool   is_word =
        reader->token == LT_JSON_NAN || (reader->token == LT_JSON_STRING && reader->options.allow_non_numeric);
    if (reader->token == LT_JSON_INTEGER && reader->text_bytes == 2 && memcmp(reader->text, "-0", 2) == 0) {
        is_number = false; // an integer has no sign of zero, -0.0 has
    } else if (is_number && into->type->kind == LT_FLOAT) {
        if (!lt_float_parse(reader->text, reader->text_bytes, &single)) return wrong(conversion, "not a number");
    } else if (is_number) {
        if (!lt_double_parse(reader->text, reader->text_bytes, &value)) return wrong(conversion, "not a number");
    } else if (!is_word || !read_non_numeric(reader, &value)) {
        return wrong(conversion, "not a number");
    }
    if (into->type->kind == LT_FLOAT)
        LT_LANES(into, float)[lane] = is_number ? single : (float)value;
    else
        LT_LANES(into, double)[lane] = value;
    return LT_JSON_GOOD;
}

static leat_status convert_decimal(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                   uint32_t lane, lt_json_outcome *out, leat_error *err) {
    const char *text  = reader->text;
    size_t      bytes = reader->text_bytes;
    if (reader->token == LT_JSON_STRING && memchr(text, ',', bytes) != NULL) {
        // Java's parser of the locale en-US groups by commas.
        lt_buffer_reset(&conversion->scratch);
        for (size_t i = 0; i < bytes; i++)
            if (text[i] != ',') LT_TRY(lt_buffer_append_byte(&conversion->scratch, text[i], err));
        text  = conversion->scratch.data;
        bytes = conversion->scratch.bytes;
    } else if (reader->token != LT_JSON_STRING && reader->token != LT_JSON_INTEGER && reader->token != LT_JSON_NUMBER) {
        *out = wrong(conversion, "not a number");
        return LEAT_OK;
    }
    lt_int128         value;
    lt_number_outcome outcome =
        bytes == 0 ? LT_NUMBER_MALFORMED : lt_decimal_parse(text, bytes, lt_decimal_shape_of(into->type), &value);
    if (outcome == LT_NUMBER_OK)
        LT_LANES(into, lt_int128)[lane] = value;
    else
        *out = wrong(conversion, outcome == LT_NUMBER_TOO_LARGE ? "too large" : "not a number");
    return LEAT_OK;
}

static leat_status convert_text(lt_json_conversion *conversion, lt_json_reader *reader, lt_vector *into, uint32_t lane,
                                lt_json_outcome *out, leat_error *err) {
    if (reader->token == LT_JSON_STRING && into->type->kind == LT_STRING)
        return put_bytes(conversion, into, lane, reader->text, reader->text_bytes,
                         reader->text != reader->unescaped.data, err);
    if (conversion->is_text_exact && into->type->kind == LT_STRING) {
        const char *start = reader->token_start;
        if (!lt_json_skip(reader)) {
            *out = LT_JSON_BROKEN;
            return LEAT_OK;
        }
        return put_bytes(conversion, into, lane, start, (size_t)(reader->token_end - start), true, err);
    }
    bool is_good;
    lt_buffer_reset(&conversion->scratch);
    LT_TRY(lt_json_copy_value(reader, &conversion->scratch, &is_good, err));
    if (!is_good) {
        *out = LT_JSON_BROKEN;
        return LEAT_OK;
    }
    return put_bytes(conversion, into, lane, conversion->scratch.data, conversion->scratch.bytes, false, err);
}

static leat_status convert_binary(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                  uint32_t lane, lt_json_outcome *out, leat_error *err) {
    lt_base64_outcome outcome = LT_BASE64_BAD;
    lt_buffer_reset(&conversion->scratch);
    LT_TRY(lt_buffer_reserve(&conversion->scratch, 1, err));
    if (reader->token == LT_JSON_STRING)
        LT_TRY(lt_base64_decode(reader->text, reader->text_bytes, &conversion->scratch, &outcome, err));
    if (outcome == LT_BASE64_GOOD)
        return put_bytes(conversion, into, lane, conversion->scratch.data, conversion->scratch.bytes, false, err);
    *out = wrong(conversion, "not base64");
    // Spark decodes while it reads the line. It loses its place, and with it the line, where it takes the closing quote
    // for a digit or stops within a character.
    if (outcome == LT_BASE64_CUT || outcome == LT_BASE64_FOREIGN) *out = LT_JSON_BROKEN;
    return LEAT_OK;
}

// Days of a text of digits alone that is no year: a count of days since 1970.
static bool date_from_number(const lt_json_reader *reader, int32_t *out_days) {
    int64_t days;
    return lt_int64_parse(reader->text, reader->text_bytes, &days) == LT_NUMBER_OK && !lt_narrow_i32(days, out_days);
}

static lt_json_outcome convert_date(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                    uint32_t lane) {
    lt_datetime_parsed parsed;
    int32_t           *days = &LT_LANES(into, int32_t)[lane], value;
    if (reader->token != LT_JSON_STRING) return wrong(conversion, "not a date");
    if (conversion->date_pattern != NULL) {
        if (lt_datetime_pattern_parse(conversion->date_pattern, &conversion->datetime, reader->text, reader->text_bytes,
                                      &parsed) &&
            !lt_narrow_i32(lt_floor_div(parsed.local_us, LT_US_PER_DAY), &value)) {
            *days = value;
            return LT_JSON_GOOD;
        }
        if (!conversion->has_fallback) return wrong(conversion, "not a date of the pattern");
    }
    if (!lt_date_parse(reader->text, reader->text_bytes, &value) && !date_from_number(reader, &value))
        return wrong(conversion, "not a date");
    *days = value;
    return LT_JSON_GOOD;
}

static lt_json_outcome convert_timestamp(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                         uint32_t lane) {
    lt_datetime_parsed parsed;
    int64_t           *us = &LT_LANES(into, int64_t)[lane], value;
    if (reader->token == LT_JSON_INTEGER) {
        if (lt_int64_parse(reader->text, reader->text_bytes, &value) != LT_NUMBER_OK)
            return wrong(conversion, "too large");
        *us = (int64_t)((uint64_t)value * LT_US_PER_SECOND); // seconds beyond all times wrap, as Java's do
        return LT_JSON_GOOD;
    }
    if (reader->token != LT_JSON_STRING) return wrong(conversion, "not a timestamp");
    if (conversion->timestamp_pattern != NULL) {
        if (lt_datetime_pattern_parse(conversion->timestamp_pattern, &conversion->datetime, reader->text,
                                      reader->text_bytes, &parsed)) {
            *us = parsed.utc_us;
            return LT_JSON_GOOD;
        }
        if (!conversion->has_fallback) return wrong(conversion, "not a timestamp of the pattern");
    }
    if (!lt_timestamp_parse(&conversion->datetime, reader->text, reader->text_bytes, &value))
        return wrong(conversion, "not a timestamp");
    *us = value;
    return LT_JSON_GOOD;
}

static lt_json_outcome convert_timestamp_ntz(lt_json_conversion *conversion, const lt_json_reader *reader,
                                             lt_vector *into, uint32_t lane) {
    lt_datetime_parsed parsed;
    int64_t           *us = &LT_LANES(into, int64_t)[lane], value;
    if (reader->token != LT_JSON_STRING) return wrong(conversion, "not a timestamp");
    if (conversion->timestamp_ntz_pattern != NULL) {
        if (lt_datetime_pattern_parse(conversion->timestamp_ntz_pattern, &conversion->datetime, reader->text,
                                      reader->text_bytes, &parsed)) {
            *us = parsed.local_us;
            return LT_JSON_GOOD;
        }
        if (!conversion->has_fallback) return wrong(conversion, "not a timestamp of the pattern");
    }
    if (!lt_timestamp_ntz_parse(&conversion->datetime, reader->text, reader->text_bytes, false, &value))
        return wrong(conversion, "not a timestamp without zone");
    *us = value;
    return LT_JSON_GOOD;
}

static lt_json_outcome convert_interval(lt_json_conversion *conversion, const lt_json_reader *reader, lt_vector *into,
                                        uint32_t lane) {
    lt_interval          interval;
    lt_calendar_interval calendar;
    if (reader->token != LT_JSON_STRING) return wrong(conversion, "not an interval");
    if (into->type->kind == LT_INTERVAL_CALENDAR) {
        if (!lt_calendar_interval_parse(reader->text, reader->text_bytes, &calendar))
            return wrong(conversion, "not an interval");
        LT_LANES(into, lt_calendar_interval)[lane] = calendar;
        return LT_JSON_GOOD;
    }
    if (lt_interval_parse(reader->text, reader->text_bytes, into->type, NULL, &interval, NULL) != LEAT_OK)
        return wrong(conversion, "not an interval");
    if (into->type->kind == LT_INTERVAL_YEAR_MONTH)
        LT_LANES(into, int32_t)[lane] = interval.months;
    else
        LT_LANES(into, int64_t)[lane] = interval.microseconds;
    return LT_JSON_GOOD;
}

// -------------------------------------------------------------------------------------------------------------- nested

// A value of a kind whose bracket is missing is skipped and WRONG.
static lt_json_outcome skip_wrong(lt_json_conversion *conversion, lt_json_reader *reader, const char *problem) {
    return lt_json_skip(reader) ? wrong(conversion, problem) : LT_JSON_BROKEN;
}

static leat_status convert_array(lt_json_conversion *conversion, lt_json_reader *reader, lt_vector *into, uint32_t lane,
                                 lt_json_outcome *out, leat_error *err) {
    if (reader->token != LT_JSON_ARRAY) {
        *out = skip_wrong(conversion, reader, "not an array");
        return LEAT_OK;
    }
    lt_vector *child = &into->children[0];
    uint32_t   start = child->lanes, depth = reader->depth - 1;
    for (;;) {
        lt_json_token token = lt_json_next(reader);
        if (token == LT_JSON_ARRAY_END) break;
        uint32_t        element;
        lt_json_outcome outcome;
        LT_TRY(lt_lane_add(child, &element, conversion->arena, err));
        LT_TRY(lt_lane_put_null(child, element, conversion->arena, err));
        LT_TRY(lt_json_convert(conversion, reader, child, element, &outcome, err));
        if (outcome == LT_JSON_PARTIAL) *out = LT_JSON_PARTIAL;
        if (outcome <= LT_JSON_PARTIAL) continue;
        *out         = outcome == LT_JSON_WRONG && !lt_json_leave(reader, depth) ? LT_JSON_BROKEN : outcome;
        child->lanes = start;
        return LEAT_OK;
    }
    lt_vector_set_valid(into, lane);
    LT_LANES(into, lt_list)[lane] = (lt_list){.offset = start, .count = child->lanes - start};
    return LEAT_OK;
}

// Of equal keys the last one stays, at the place of the first.
static leat_status merge_last_entry(lt_vector *entries, uint32_t start, uint32_t entry, lt_value_set *keys,
                                    lt_arena *arena, leat_error *err) {
    uint32_t member;
    bool     is_new;
    LT_TRY(lt_value_set_add(keys, &entries->children[0], entry, &member, &is_new, err));
    if (is_new) return LEAT_OK;
    LT_TRY(lt_lane_put(&entries->children[1], start + member, &entries->children[1], entry, arena, err));
    entries->lanes = entry;
    return LEAT_OK;
}

static leat_status convert_map(lt_json_conversion *conversion, lt_json_reader *reader, lt_vector *into, uint32_t lane,
                               lt_json_outcome *out, leat_error *err) {
    if (reader->token != LT_JSON_OBJECT || into->type->fields[0].type->kind != LT_STRING) {
        *out = skip_wrong(conversion, reader, "not an object");
        return LEAT_OK;
    }
    lt_vector   *entries = &into->children[0];
    uint32_t     start = entries->lanes, depth = reader->depth - 1;
    lt_value_set keys;
    lt_value_set_init(&keys, conversion->arena);
    for (;;) {
        lt_json_token token = lt_json_next(reader);
        if (token == LT_JSON_OBJECT_END) break;
        uint32_t        entry;
        lt_json_outcome outcome = LT_JSON_BROKEN;
        if (token == LT_JSON_NAME) {
            LT_TRY(lt_lane_add(entries, &entry, conversion->arena, err));
            LT_TRY(put_bytes(conversion, &entries->children[0], entry, reader->text, reader->text_bytes,
                             reader->text != reader->unescaped.data, err));
            LT_TRY(lt_lane_put_null(&entries->children[1], entry, conversion->arena, err));
            lt_json_next(reader);
            LT_TRY(lt_json_convert(conversion, reader, &entries->children[1], entry, &outcome, err));
        }
        if (outcome == LT_JSON_PARTIAL) *out = LT_JSON_PARTIAL;
        if (outcome <= LT_JSON_PARTIAL) {
            LT_TRY(merge_last_entry(entries, start, entry, &keys, conversion->arena, err));
            continue;
        }
        *out           = outcome == LT_JSON_WRONG && !lt_json_leave(reader, depth) ? LT_JSON_BROKEN : outcome;
        entries->lanes = start;
        return LEAT_OK;
    }
    lt_vector_set_valid(into, lane);
    LT_LANES(into, lt_list)[lane] = (lt_list){.offset = start, .count = entries->lanes - start};
    return LEAT_OK;
}

leat_status lt_json_convert_fields(lt_json_conversion *conversion, lt_json_reader *reader, const lt_field *fields,
                                   lt_vector *columns, uint32_t column_count, uint32_t lane, lt_json_outcome *out,
                                   leat_error *err) {
    uint32_t expected = 0; // records tend to name their members in the order of the columns
    *out              = LT_JSON_GOOD;
    for (;;) {
        lt_json_token token = lt_json_next(reader);
        if (token == LT_JSON_OBJECT_END) return LEAT_OK;
        if (token != LT_JSON_NAME) break;
        uint32_t at = column_count;
        for (uint32_t i = 0; i < column_count; i++) {
            uint32_t candidate = expected + i < column_count ? expected + i : expected + i - column_count;
            if (text_is(reader, fields[candidate].name)) {
                at = candidate;
                break;
            }
        }
        lt_json_next(reader);
        if (at == column_count) {
            if (!lt_json_skip(reader)) break;
            continue;
        }
        expected = at + 1 < column_count ? at + 1 : 0;
        lt_json_outcome outcome;
        LT_TRY(lt_json_convert(conversion, reader, &columns[at], lane, &outcome, err));
        if (outcome == LT_JSON_BROKEN) break;
        if (outcome == LT_JSON_WRONG) conversion->column = fields[at].name;
        if (outcome != LT_JSON_GOOD) *out = LT_JSON_PARTIAL;
    }
    *out                = LT_JSON_BROKEN;
    conversion->problem = reader->problem;
    return LEAT_OK;
}

static leat_status convert_struct(lt_json_conversion *conversion, lt_json_reader *reader, lt_vector *into,
                                  uint32_t lane, lt_json_outcome *out, leat_error *err) {
    if (reader->token != LT_JSON_OBJECT) {
        *out = skip_wrong(conversion, reader, "not an object");
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < into->child_count; i++)
        LT_TRY(lt_lane_put_null(&into->children[i], lane, conversion->arena, err));
    lt_vector_set_valid(into, lane);
    return lt_json_convert_fields(conversion, reader, into->type->fields, into->children, into->child_count, lane, out,
                                  err);
}

leat_status lt_json_convert(lt_json_conversion *conversion, lt_json_reader *reader, lt_vector *into, uint32_t lane,
                            lt_json_outcome *out, leat_error *err) {
    *out = LT_JSON_GOOD;
    switch (reader->token) {
    case LT_JSON_BAD:
    case LT_JSON_END:
    case LT_JSON_START:
    case LT_JSON_NAME:
    case LT_JSON_OBJECT_END:
    case LT_JSON_ARRAY_END:
        *out                = LT_JSON_BROKEN;
        conversion->problem = reader->problem;
        return reader->has_no_memory ? lt_raise_no_memory(err) : LEAT_OK;
    case LT_JSON_NULL:
        return lt_lane_put_null(into, lane, conversion->arena, err);
    default:
        break;
    }
    switch (into->type->kind) {
    case LT_ARRAY:
        return convert_array(conversion, reader, into, lane, out, err);
    case LT_MAP:
        return convert_map(conversion, reader, into, lane, out, err);
    case LT_STRUCT:
        return convert_struct(conversion, reader, into, lane, out, err);
    case LT_STRING:
    case LT_VARIANT:
        LT_TRY(convert_text(conversion, reader, into, lane, out, err));
        break;
    case LT_BINARY:
        LT_TRY(convert_binary(conversion, reader, into, lane, out, err));
        break;
    case LT_DECIMAL:
        LT_TRY(convert_decimal(conversion, reader, into, lane, out, err));
        break;
    case LT_BOOLEAN:
        if (reader->token == LT_JSON_TRUE || reader->token == LT_JSON_FALSE)
            LT_LANES(into, uint8_t)[lane] = reader->token == LT_JSON_TRUE;
        else
            *out = wrong(conversion, "not true or false");
        break;
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_BIGINT:
        *out = convert_integer(conversion, reader, into, lane);
        break;
    case LT_FLOAT:
    case LT_DOUBLE:
        *out = convert_floating(conversion, reader, into, lane);
        break;
    case LT_DATE:
        *out = convert_date(conversion, reader, into, lane);
        break;
    case LT_TIMESTAMP:
        *out = convert_timestamp(conversion, reader, into, lane);
        break;
    case LT_TIMESTAMP_NTZ:
        *out = convert_timestamp_ntz(conversion, reader, into, lane);
        break;
    case LT_TIME: {
        int64_t us;
        if (reader->token == LT_JSON_STRING && lt_time_parse(reader->text, reader->text_bytes, &us))
            LT_LANES(into, int64_t)[lane] = us;
        else
            *out = wrong(conversion, "not a time");
        break;
    }
    case LT_INTERVAL_YEAR_MONTH:
    case LT_INTERVAL_DAY_TIME:
    case LT_INTERVAL_CALENDAR:
        *out = convert_interval(conversion, reader, into, lane);
        break;
    default:
        *out = wrong(conversion, "no value has this type");
        break;
    }
    if (*out == LT_JSON_GOOD) lt_vector_set_valid(into, lane);
    // A bracket where a scalar was wanted: the reader still stands at its opening.
    if (*out == LT_JSON_WRONG && !lt_json_skip(reader)) *out = LT_JSON_BROKEN;
    return LEAT_OK;
}
