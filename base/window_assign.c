#include "base/window_assign.h"

#include "base/lane_numbers.h"

leat_status lt_window_length(const lt_vector *constant, bool is_interval_allowed, const lt_place *place,
                             int64_t *out_us, leat_error *err) {
    if (constant != NULL && !lt_vector_is_null(constant, 0)) {
        const lt_kind kind = constant->type->kind;
        if (lt_kind_is_integral(kind) || (kind == LT_INTERVAL_DAY_TIME && is_interval_allowed)) {
            *out_us = lt_value_integer(constant, 0);
            return LEAT_OK;
        }
        if (kind == LT_STRING) {
            const lt_string     *text = &LT_VALUE(constant, lt_string, 0);
            lt_calendar_interval interval;
            if (lt_calendar_interval_parse(lt_string_data(text), text->bytes, &interval) && interval.months != 0)
                return lt_raise(err, LT_LEGACY_ERROR_TEMP_3231, place,
                                "months and years have no fixed length; write days or weeks");
            return lt_duration_parse(lt_string_data(text), text->bytes, place, out_us, err);
        }
    }
    return lt_raise(err, LT_LEGACY_ERROR_TEMP_1207, place,
                    "a length of windows is a constant text like '10 minutes' or whole microseconds");
}

leat_status lt_window_spec_check(const lt_window_spec *spec, const lt_place *place, leat_error *err) {
    if (spec->duration_us <= 0 || spec->slide_us <= 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, place,
                        "duration and slide of windows have to be above zero");
    if (spec->slide_us > spec->duration_us)
        return lt_raise(err, LT_DATATYPE_MISMATCH__PARAMETER_CONSTRAINT_VIOLATION, place,
                        "the slide is longer than the windows, so that times would be lost");
    if (spec->step_us < 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE, place,
                        "the step of windows has to be above zero");
    if (spec->step_us > 0 && spec->duration_us % spec->step_us != 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__PARAMETER_CONSTRAINT_VIOLATION, place,
                        "the size of cumulating windows has to be a multiple of their step");
    if (spec->offset_us >= spec->slide_us || spec->offset_us <= -spec->slide_us)
        return lt_raise(err, LT_DATATYPE_MISMATCH__PARAMETER_CONSTRAINT_VIOLATION, place,
                        "the offset of windows has to be shorter than the slide");
    return LEAT_OK;
}
