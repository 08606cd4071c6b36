// inference: depth of the walks is that of the types, which the JSON reader limits by LT_JSON_DEPTH_MAX. Source: Spark
// SQL 4, JsonInferSchema.compatibleType and canonicalizeType.
#include "storage/inference.h"

#include "base/decimal.h"
#include "storage/format.h"

static leat_status merge_structs(lt_arena *arena, const lt_type *a, const lt_type *b, const lt_type **out,
                                 leat_error *err) {
    lt_field *fields = LT_NEW_ARRAY(arena, lt_field, a->field_count + b->field_count);
    if (fields == NULL) return lt_raise_no_memory(err);
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < a->field_count || k < b->field_count;) {
        const int order = i == a->field_count   ? 1
                          : k == b->field_count ? -1
                                                : strcmp(a->fields[i].name, b->fields[k].name);
        lt_field *field = &fields[count++];
        *field          = order <= 0 ? a->fields[i] : b->fields[k];
        if (order == 0) LT_TRY(lt_inferred_merge(arena, a->fields[i].type, b->fields[k].type, &field->type, err));
        i += order <= 0;
        k += order >= 0;
    }
    *out = lt_type_struct(arena, fields, count);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// Numbers widen to DECIMAL while 38 digits hold both, else to DOUBLE.
static const lt_type *merge_numbers(lt_arena *arena, const lt_type *a, const lt_type *b) {
    if (a->kind == LT_DOUBLE || b->kind == LT_DOUBLE) return lt_type_of(LT_DOUBLE);
    if (lt_kind_is_integral(a->kind) && lt_kind_is_integral(b->kind))
        return lt_type_of(a->kind > b->kind ? a->kind : b->kind);
    const lt_decimal_shape x       = a->kind == LT_DECIMAL ? lt_decimal_shape_of(a) : lt_decimal_shape_of_kind(a->kind);
    const lt_decimal_shape y       = b->kind == LT_DECIMAL ? lt_decimal_shape_of(b) : lt_decimal_shape_of_kind(b->kind);
    const uint32_t         scale   = x.scale > y.scale ? x.scale : y.scale;
    const uint32_t         x_range = x.precision - x.scale, y_range = y.precision - y.scale;
    const uint32_t         range = x_range > y_range ? x_range : y_range;
    if (range + scale > LT_DECIMAL_PRECISION_MAX) return lt_type_of(LT_DOUBLE);
    return lt_type_decimal(arena, range + scale, scale);
}

leat_status lt_inferred_merge(lt_arena *arena, const lt_type *a, const lt_type *b, const lt_type **out,
                              leat_error *err) {
    if (a == NULL || b == NULL || a->kind == LT_VOID || b->kind == LT_VOID) {
        *out = a == NULL || (a->kind == LT_VOID && b != NULL) ? b : a;
        return LEAT_OK;
    }
    if (a->kind == LT_STRUCT && b->kind == LT_STRUCT) return merge_structs(arena, a, b, out, err);
    if (a->kind == LT_ARRAY && b->kind == LT_ARRAY) {
        const lt_type *element = NULL;
        LT_TRY(lt_inferred_merge(arena, a->fields[0].type, b->fields[0].type, &element, err));
        *out = lt_type_array(arena, element);
    } else if (lt_kind_is_numeric(a->kind) && lt_kind_is_numeric(b->kind)) {
        *out = merge_numbers(arena, a, b);
    } else if (lt_type_equal(a, b)) {
        *out = a;
    } else if ((a->kind == LT_DATE && b->kind == LT_TIMESTAMP) || (a->kind == LT_TIMESTAMP && b->kind == LT_DATE)) {
        *out = lt_type_of(LT_TIMESTAMP);
    } else {
        *out = lt_type_of(LT_STRING);
    }
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_inferred_add_field(lt_arena *arena, const lt_type *record, const char *name, const lt_type *type,
                                  const lt_type **out, leat_error *err) {
    const lt_field field = {.name = name, .type = type};
    const lt_type *one   = lt_type_struct(arena, &field, 1);
    if (one == NULL) return lt_raise_no_memory(err);
    return lt_inferred_merge(arena, record, one, out, err);
}

// *out NULL: nothing is left of the type (a struct without fields, an array of such).
static leat_status finish(lt_arena *arena, const lt_type *type, bool drops_nulls, const lt_type **out,
                          leat_error *err) {
    *out = type;
    if (type->kind == LT_VOID) *out = drops_nulls ? NULL : lt_type_of(LT_STRING);
    if (type->kind == LT_ARRAY) {
        const lt_type *element = NULL;
        LT_TRY(finish(arena, type->fields[0].type, drops_nulls, &element, err));
        *out = element == NULL ? NULL : lt_type_array(arena, element);
        return element != NULL && *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    if (type->kind != LT_STRUCT) return LEAT_OK;
    lt_field *fields = LT_NEW_ARRAY(arena, lt_field, type->field_count);
    if (fields == NULL) return lt_raise_no_memory(err);
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        fields[count] = type->fields[i];
        LT_TRY(finish(arena, type->fields[i].type, drops_nulls, &fields[count].type, err));
        count += fields[count].type != NULL;
    }
    *out = count == 0 ? NULL : lt_type_struct(arena, fields, count);
    return count > 0 && *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status finish_struct(lt_arena *arena, const lt_type *inferred, bool drops_nulls, const lt_type **out_struct,
                                 leat_error *err) {
    if (inferred != NULL) LT_TRY(finish(arena, inferred, drops_nulls, out_struct, err));
    if (inferred != NULL && *out_struct != NULL) return LEAT_OK;
    *out_struct = lt_type_struct(arena, NULL, 0);
    return *out_struct == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_inferred_finish(lt_arena *arena, const lt_type *inferred, const lt_type **out_struct, leat_error *err) {
    return finish_struct(arena, inferred, false, out_struct, err);
}

leat_status lt_inferred_finish_without_nulls(lt_arena *arena, const lt_type *inferred, const lt_type **out_struct,
                                             leat_error *err) {
    return finish_struct(arena, inferred, true, out_struct, err);
}

leat_status lt_inferred_finish_by_options(lt_arena *arena, const lt_format *format, const lt_option_values *options,
                                          const lt_type *inferred, const lt_type **out_struct, leat_error *err) {
    return finish_struct(arena, inferred, lt_option_is_true(options, format->options, "dropFieldIfAllNull"), out_struct,
                         err);
}

// --------------------------------------------------------------------------------------------------------------- times

// Patterns of dates that CAST reads as timestamps.
static bool is_date_of_cast(const char *pattern) {
    static const char *const patterns[] = {"yyyy-MM-dd", "yyyy-M-d", "yyyy-M-dd", "yyyy-MM-d",
                                           "yyyy-MM",    "yyyy-M",   "yyyy"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(pattern, patterns[i]) == 0) return true;
    return false;
}

leat_status lt_inferred_times_init(lt_inferred_times *times, const lt_option_values *options, const lt_option *rows,
                                   lt_arena *arena, leat_error *err) {
    *times = (lt_inferred_times){0};
    LT_TRY(lt_time_zone_find(NULL, "UTC", 3, &times->context.zone, err));
    LT_TRY(lt_option_pattern(options, rows, "dateFormat", LT_PATTERN_PARSE, arena, &times->date, err));
    LT_TRY(lt_option_pattern(options, rows, "timestampFormat", LT_PATTERN_PARSE, arena, &times->timestamp, err));
    times->dates_are_timestamps = times->timestamp == NULL &&
                                  (times->date == NULL || is_date_of_cast(lt_option_text(options, rows, "dateFormat")));
    return LEAT_OK;
}

bool lt_inferred_is_date(const lt_inferred_times *times, const char *text, size_t bytes) {
    lt_datetime_parsed parsed;
    int32_t            days;
    if (times->date != NULL) return lt_datetime_pattern_parse(times->date, &times->context, text, bytes, &parsed);
    return bytes == 10 && text[4] == '-' && text[7] == '-' && lt_date_parse(text, bytes, &days);
}

bool lt_inferred_is_timestamp(const lt_inferred_times *times, const char *text, size_t bytes) {
    lt_datetime_parsed parsed;
    int64_t            us;
    return times->timestamp != NULL ? lt_datetime_pattern_parse(times->timestamp, &times->context, text, bytes, &parsed)
                                    : lt_timestamp_parse(&times->context, text, bytes, &us);
}
