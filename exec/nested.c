#include "exec/nested.h"

#include "base/decimal.h"

bool lt_resolve_array(lt_resolution *resolution, uint32_t argument) {
    if (resolution->types[argument]->kind == LT_VOID) {
        const lt_type *type = lt_type_array(resolution->arena, lt_type_of(LT_VOID));
        if (type != NULL) resolution->types[argument] = type;
        return type != NULL;
    }
    return resolution->types[argument]->kind == LT_ARRAY;
}

bool lt_resolve_map(lt_resolution *resolution, uint32_t argument) {
    if (resolution->types[argument]->kind == LT_VOID) {
        const lt_type *type = lt_type_map(resolution->arena, lt_type_of(LT_VOID), lt_type_of(LT_VOID));
        if (type != NULL) resolution->types[argument] = type;
        return type != NULL;
    }
    return resolution->types[argument]->kind == LT_MAP;
}

bool lt_resolve_int(lt_resolution *resolution, uint32_t argument) {
    lt_kind kind = resolution->types[argument]->kind;
    if (!lt_kind_is_numeric(kind) && kind != LT_STRING && kind != LT_VOID) return false;
    resolution->types[argument] = lt_type_of(LT_INT);
    return true;
}

bool lt_resolve_string(lt_resolution *resolution, uint32_t argument) {
    lt_kind kind = resolution->types[argument]->kind;
    if (lt_kind_is_nested(kind) || kind == LT_VARIANT || kind == LT_BINARY) return false;
    if (kind != LT_STRING) resolution->types[argument] = lt_type_of(LT_STRING);
    return true;
}

bool lt_resolve_exactly(lt_resolution *resolution, uint32_t argument, lt_kind kind) {
    if (resolution->types[argument]->kind == LT_VOID) resolution->types[argument] = lt_type_of(kind);
    return resolution->types[argument]->kind == kind;
}

static bool mixes_text(const lt_type *a, const lt_type *b) {
    if (a->kind == LT_VOID || b->kind == LT_VOID) return false;
    if ((a->kind == LT_STRING) != (b->kind == LT_STRING)) return true;
    if (a->kind != b->kind || a->field_count != b->field_count) return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (mixes_text(a->fields[i].type, b->fields[i].type)) return true;
    return false;
}

const lt_type *lt_resolve_plain_common(lt_resolution *resolution, const lt_type *a, const lt_type *b) {
    return mixes_text(a, b) ? NULL : resolution->common_type(resolution, a, b);
}

// Whether a DECIMAL meets a number that it cannot take as it is.
static bool mixes_decimals(const lt_type *a, const lt_type *b) {
    if (a->kind == LT_VOID || b->kind == LT_VOID) return false;
    if (a->kind == LT_DECIMAL && b->kind == LT_DECIMAL) return a->precision != b->precision || a->scale != b->scale;
    if (a->kind == LT_DECIMAL || b->kind == LT_DECIMAL) {
        const lt_type *decimal = a->kind == LT_DECIMAL ? a : b, *other = a->kind == LT_DECIMAL ? b : a;
        return !lt_kind_is_integral(other->kind) ||
               decimal->precision - decimal->scale < (int)lt_decimal_shape_of_kind(other->kind).precision;
    }
    if (a->kind != b->kind || a->field_count != b->field_count) return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (mixes_decimals(a->fields[i].type, b->fields[i].type)) return true;
    return false;
}

const lt_type *lt_resolve_tight_common(lt_resolution *resolution, const lt_type *a, const lt_type *b) {
    return mixes_decimals(a, b) ? NULL : lt_resolve_plain_common(resolution, a, b);
}

const lt_type *lt_resolve_common(lt_resolution *resolution, uint32_t first, uint32_t step) {
    const lt_type *type = lt_type_of(LT_VOID);
    for (uint32_t i = first; i < resolution->argument_count && type != NULL; i += step)
        type = resolution->common_type(resolution, type, resolution->types[i]);
    return type;
}

leat_status lt_resolve_result(lt_resolution *resolution, const lt_type *type, leat_error *err) {
    resolution->result = type;
    return type == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_resolve_result_array(lt_resolution *resolution, const lt_type *element, leat_error *err) {
    return lt_resolve_result(resolution, lt_type_array(resolution->arena, element), err);
}

leat_status lt_resolve_result_map(lt_resolution *resolution, const lt_type *key, const lt_type *value,
                                  leat_error *err) {
    return lt_resolve_result(resolution, lt_type_map(resolution->arena, key, value), err);
}

const char *lt_resolve_text(const lt_resolution *resolution, uint32_t argument) {
    const char *text = lt_type_text(resolution->arena, resolution->types[argument]);
    return text == NULL ? "?" : text;
}
