#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "base/decimal.h"

// Spark's rules for common types and implicit casts (ANSI). The only place that knows them.

static int numeric_rank(lt_kind kind) { return (int)kind - (int)LT_TINYINT; } // TINYINT .. DECIMAL in order of the enum

static const lt_type *decimal_common(lt_arena *arena, const lt_type *a, const lt_type *b) {
    const lt_decimal_shape a_shape = a->kind == LT_DECIMAL ? lt_decimal_shape_of(a) : lt_decimal_shape_of_kind(a->kind);
    const lt_decimal_shape b_shape = b->kind == LT_DECIMAL ? lt_decimal_shape_of(b) : lt_decimal_shape_of_kind(b->kind);
    const lt_decimal_shape shape   = lt_decimal_common_shape(a_shape, b_shape);
    return lt_type_decimal(arena, shape.precision, shape.scale);
}

static const lt_type *numeric_common(lt_arena *arena, const lt_type *a, const lt_type *b) {
    if (a->kind == LT_DECIMAL || b->kind == LT_DECIMAL) {
        if (lt_kind_is_fractional(a->kind) || lt_kind_is_fractional(b->kind)) return lt_type_of(LT_DOUBLE);
        return decimal_common(arena, a, b);
    }
    if (a->kind == LT_FLOAT || b->kind == LT_FLOAT) { // integers beside FLOAT lose digits: DOUBLE
        const lt_kind other = a->kind == LT_FLOAT ? b->kind : a->kind;
        return lt_type_of(other == LT_FLOAT ? LT_FLOAT : LT_DOUBLE);
    }
    return numeric_rank(a->kind) >= numeric_rank(b->kind) ? a : b;
}

// STRING beside another atomic type becomes that type, the widest of its family.
static const lt_type *string_common(const lt_type *other) {
    switch (other->kind) {
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_BIGINT:
        return lt_type_of(LT_BIGINT);
    case LT_FLOAT:
    case LT_DOUBLE:
    case LT_DECIMAL:
        return lt_type_of(LT_DOUBLE);
    case LT_BOOLEAN:
    case LT_DATE:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
    case LT_TIME:
    case LT_BINARY:
        return other;
    default:
        return NULL;
    }
}

static const lt_type *datetime_common(const lt_type *a, const lt_type *b) {
    if (a->kind == LT_TIME && b->kind == LT_TIME) return a->precision > b->precision ? a : b;
    if (a->kind == LT_TIME || b->kind == LT_TIME) return NULL;
    if (a->kind == LT_DATE) return b;
    if (b->kind == LT_DATE) return a;
    return lt_type_of(LT_TIMESTAMP);
}

typedef const lt_type *(*common_rule)(lt_arena *arena, const lt_type *a, const lt_type *b);

static const lt_type *nested_common(lt_arena *arena, const lt_type *a, const lt_type *b, common_rule common) {
    if (a->field_count != b->field_count) return NULL;
    lt_field *fields = LT_NEW_ARRAY(arena, lt_field, a->field_count);
    if (fields == NULL) return NULL;
    for (uint32_t i = 0; i < a->field_count; i++) {
        if (a->kind == LT_STRUCT && lt_ascii_compare(a->fields[i].name, b->fields[i].name) != 0) return NULL;
        // Keys of maps do not become NULL, which a text that is no number might.
        if (a->kind == LT_MAP && i == 0 &&
            (a->fields[0].type->kind == LT_STRING) != (b->fields[0].type->kind == LT_STRING) &&
            a->fields[0].type->kind != LT_VOID && b->fields[0].type->kind != LT_VOID)
            return NULL;
        fields[i]      = a->fields[i];
        fields[i].type = common(arena, a->fields[i].type, b->fields[i].type);
        if (fields[i].type == NULL) return NULL;
    }
    if (a->kind == LT_ARRAY) return lt_type_array(arena, fields[0].type);
    if (a->kind == LT_MAP) return lt_type_map(arena, fields[0].type, fields[1].type);
    return lt_type_struct(arena, fields, a->field_count);
}

const lt_type *lt_common_type(lt_arena *arena, const lt_type *a, const lt_type *b) {
    if (lt_type_equal(a, b)) return a;
    if (a->kind == LT_VOID) return b;
    if (b->kind == LT_VOID) return a;
    if (lt_kind_is_numeric(a->kind) && lt_kind_is_numeric(b->kind)) return numeric_common(arena, a, b);
    if (a->kind == LT_STRING && b->kind == LT_STRING) return lt_type_of(LT_STRING);
    if (a->kind == LT_STRING) return string_common(b);
    if (b->kind == LT_STRING) return string_common(a);
    if (lt_kind_is_datetime(a->kind) && lt_kind_is_datetime(b->kind)) return datetime_common(a, b);
    if (a->kind != b->kind) return NULL;
    if (a->kind == LT_INTERVAL_YEAR_MONTH || a->kind == LT_INTERVAL_DAY_TIME)
        return lt_type_interval(arena, a->unit_first < b->unit_first ? a->unit_first : b->unit_first,
                                a->unit_last > b->unit_last ? a->unit_last : b->unit_last);
    return lt_kind_is_nested(a->kind) ? nested_common(arena, a, b, lt_common_type) : a;
}

const lt_type *lt_values_common_type(lt_arena *arena, const lt_type *a, const lt_type *b) {
    if (a->kind == LT_VOID || b->kind == LT_VOID) return lt_common_type(arena, a, b);
    if ((a->kind == LT_STRING) != (b->kind == LT_STRING)) return NULL;
    if (a->kind == LT_FLOAT && lt_kind_is_integral(b->kind)) return a;
    if (b->kind == LT_FLOAT && lt_kind_is_integral(a->kind)) return b;
    if (a->kind == b->kind && lt_kind_is_nested(a->kind)) return nested_common(arena, a, b, lt_values_common_type);
    return lt_common_type(arena, a, b);
}

// ---- arguments of functions
// -------------------------------------------------------------------------------------------

static bool is_atomic(lt_kind kind) { return kind != LT_NO_KIND && !lt_kind_is_nested(kind) && kind != LT_VARIANT; }

// What a kind wanted takes, besides itself and NULL.
static bool can_become(lt_kind from, lt_kind into) {
    switch (into) {
    case LT_TINYINT:
    case LT_SMALLINT:
    case LT_INT:
    case LT_BIGINT:
        return from == LT_STRING || lt_kind_is_numeric(from);
    case LT_FLOAT:
    case LT_DOUBLE:
        return from == LT_STRING || lt_kind_is_numeric(from);
    case LT_STRING:
        return is_atomic(from);
    case LT_BINARY:
    case LT_BOOLEAN:
    case LT_TIME:
    case LT_INTERVAL_YEAR_MONTH:
    case LT_INTERVAL_DAY_TIME:
        return from == LT_STRING;
    case LT_DATE:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
        return from == LT_STRING || from == LT_DATE || from == LT_TIMESTAMP || from == LT_TIMESTAMP_NTZ;
    default:
        return false;
    }
}

static const lt_type *as_kind(const lt_type *type, lt_kind wanted) {
    if (type->kind == wanted) return type;
    if (type->kind == LT_VOID || can_become(type->kind, wanted)) return lt_type_of(wanted);
    return NULL;
}

// `type` itself when `fits`, the kind `string_becomes` for STRING, `null_becomes` for NULL.
static const lt_type *as_it_is(const lt_type *type, bool fits, lt_kind string_becomes, lt_kind null_becomes) {
    if (fits) return type;
    if (type->kind == LT_VOID) return null_becomes == LT_VOID ? type : lt_type_of(null_becomes);
    return type->kind == LT_STRING && string_becomes != LT_NO_KIND ? lt_type_of(string_becomes) : NULL;
}

const lt_type *lt_implicit_type(lt_arena *arena, uint16_t takes, const lt_type *type) {
    const lt_kind kind = type->kind;
    switch (takes & (LT_TAKES_REPEATED - 1)) {
    case LT_TAKES_BOOLEAN:
        return as_kind(type, LT_BOOLEAN);
    case LT_TAKES_INT:
        return as_kind(type, LT_INT);
    case LT_TAKES_BIGINT:
        return as_kind(type, LT_BIGINT);
    case LT_TAKES_DOUBLE:
        return as_kind(type, LT_DOUBLE);
    case LT_TAKES_STRING:
        return as_kind(type, LT_STRING);
    case LT_TAKES_BINARY:
        return as_kind(type, LT_BINARY);
    case LT_TAKES_DATE:
        return as_kind(type, LT_DATE);
    case LT_TAKES_TIMESTAMP:
        return as_kind(type, LT_TIMESTAMP);
    case LT_TAKES_TIMESTAMP_NTZ:
        return as_kind(type, LT_TIMESTAMP_NTZ);
    case LT_TAKES_TIME:
        return as_kind(type, LT_TIME);
    case LT_TAKES_INTERVAL_YEAR_MONTH:
        return as_kind(type, LT_INTERVAL_YEAR_MONTH);
    case LT_TAKES_INTERVAL_DAY_TIME:
        return as_kind(type, LT_INTERVAL_DAY_TIME);
    case LT_TAKES_DECIMAL:
        if (lt_kind_is_integral(kind)) {
            const lt_decimal_shape shape = lt_decimal_shape_of_kind(kind);
            return lt_type_decimal(arena, shape.precision, shape.scale);
        }
        return as_it_is(type, kind == LT_DECIMAL, LT_NO_KIND, LT_DECIMAL);
    case LT_TAKES_STRING_OR_BINARY:
        return kind == LT_BINARY ? type : as_kind(type, LT_STRING);
    case LT_TAKES_INTEGRAL:
        return as_it_is(type, lt_kind_is_integral(kind), LT_BIGINT, LT_INT);
    case LT_TAKES_NUMERIC:
        return as_it_is(type, lt_kind_is_numeric(kind), LT_DOUBLE, LT_DOUBLE);
    case LT_TAKES_TIMESTAMP_ANY:
        return kind == LT_TIMESTAMP_NTZ ? type : as_kind(type, LT_TIMESTAMP);
    case LT_TAKES_INTERVAL:
        return as_it_is(type, kind == LT_INTERVAL_YEAR_MONTH || kind == LT_INTERVAL_DAY_TIME, LT_NO_KIND,
                        LT_INTERVAL_DAY_TIME);
    case LT_TAKES_ARRAY:
        return as_it_is(type, kind == LT_ARRAY, LT_NO_KIND, LT_VOID);
    case LT_TAKES_MAP:
        return as_it_is(type, kind == LT_MAP, LT_NO_KIND, LT_VOID);
    case LT_TAKES_STRUCT:
        return as_it_is(type, kind == LT_STRUCT, LT_NO_KIND, LT_VOID);
    case LT_TAKES_VARIANT:
        return as_it_is(type, kind == LT_VARIANT, LT_NO_KIND, LT_VARIANT);
    case LT_TAKES_ORDERED:
        return lt_type_is_orderable(type) ? type : NULL;
    default: // ANY, COMMON, LAMBDA
        return type;
    }
}

// ---- INSERT
// -------------------------------------------------------------------------------------------------------------

bool lt_can_store(const lt_type *from, const lt_type *into) {
    if (from->kind == LT_VOID) return true;
    if (lt_kind_is_numeric(from->kind)) return lt_kind_is_numeric(into->kind) || into->kind == LT_STRING;
    if (into->kind == LT_STRING) return is_atomic(from->kind) && from->kind != LT_BINARY;
    if (lt_kind_is_datetime(from->kind) && lt_kind_is_datetime(into->kind))
        return (from->kind == LT_TIME) == (into->kind == LT_TIME);
    if (from->kind != into->kind) return false;
    if (from->kind == LT_STRUCT && from->field_count != into->field_count) return false;
    for (uint32_t i = 0; lt_kind_is_nested(from->kind) && i < from->field_count; i++)
        if (!lt_can_store(from->fields[i].type, into->fields[i].type)) return false;
    return true;
}
