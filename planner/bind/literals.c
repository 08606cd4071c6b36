#include "planner/bind/binder.h"

#include "base/datetime_text.h"
#include "base/decimal.h"
#include "base/interval.h"
#include "base/number_text.h"

#include <float.h>
#include <math.h>

// Literals become constant vectors; their texts are those that Spark puts into names of columns.

// ---- constant vectors
// -------------------------------------------------------------------------------------------------

static leat_status constant_new(lt_arena *arena, const lt_type *type, lt_vector **out, leat_error *err) {
    LT_TRY_NEW(*out, arena, err);
    return lt_vector_init_constant_null(*out, type, arena, err);
}

leat_status lt_constant_null(lt_arena *arena, const lt_type *type, const lt_vector **out, leat_error *err) {
    lt_vector *vector;
    LT_TRY(constant_new(arena, type, &vector, err));
    *out = vector;
    return LEAT_OK;
}

static void store_int64(lt_vector *vector, int64_t value) {
    switch (lt_kind_lane_bytes(vector->type->kind)) {
    case 1:
        LT_LANES(vector, int8_t)[0] = (int8_t)value;
        break;
    case 2:
        LT_LANES(vector, int16_t)[0] = (int16_t)value;
        break;
    case 4:
        LT_LANES(vector, int32_t)[0] = (int32_t)value;
        break;
    default:
        LT_LANES(vector, int64_t)[0] = value;
        break;
    }
    lt_vector_set_valid(vector, 0);
}

static leat_status constant_typed(lt_arena *arena, const lt_type *type, int64_t value, const lt_vector **out,
                                  leat_error *err) {
    lt_vector *vector;
    LT_TRY(constant_new(arena, type, &vector, err));
    store_int64(vector, value);
    *out = vector;
    return LEAT_OK;
}

leat_status lt_constant_int64(lt_arena *arena, lt_kind kind, int64_t value, const lt_vector **out, leat_error *err) {
    return constant_typed(arena, lt_type_of(kind), value, out, err);
}

leat_status lt_constant_copy(lt_arena *arena, const lt_vector *value, const lt_vector **out, leat_error *err) {
    lt_vector     *vector;
    const lt_type *type = lt_type_copy(arena, value->type);
    if (type == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW(vector, arena, err);
    LT_TRY(lt_vector_init(vector, type, 1, arena, err));
    LT_TRY(lt_vector_append_row(vector, value, 0, arena, err));
    vector->form = LT_CONSTANT;
    *out         = vector;
    return LEAT_OK;
}

leat_status lt_constant_text(lt_arena *arena, lt_kind kind, const char *text, size_t bytes, const lt_vector **out,
                             leat_error *err) {
    lt_vector *vector;
    LT_TRY(constant_new(arena, lt_type_of(kind), &vector, err));
    LT_TRY(lt_string_copy(arena, text, bytes, &LT_LANES(vector, lt_string)[0], err));
    lt_vector_set_valid(vector, 0);
    *out = vector;
    return LEAT_OK;
}

static leat_status literal_of(lt_binder *binder, const lt_vector *value, const lt_place *place,
                              const lt_expression **out, leat_error *err) {
    *out = lt_expression_literal(binder->arena, value, place);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_literal_int64(lt_binder *binder, lt_kind kind, int64_t value, const lt_expression **out,
                             leat_error *err) {
    const lt_vector *vector;
    LT_TRY(lt_constant_int64(binder->arena, kind, value, &vector, err));
    return literal_of(binder, vector, NULL, out, err);
}

leat_status lt_literal_null(lt_binder *binder, const lt_type *type, const lt_expression **out, leat_error *err) {
    const lt_vector *vector;
    LT_TRY(lt_constant_null(binder->arena, type, &vector, err));
    return literal_of(binder, vector, NULL, out, err);
}

// ---- their texts
// ------------------------------------------------------------------------------------------------------

static const char *binary_text(lt_arena *arena, const lt_string *bytes) {
    static const char digits[] = "0123456789ABCDEF";
    char             *text     = lt_arena_alloc(arena, (size_t)bytes->bytes * 2 + 4);
    if (text == NULL) return NULL;
    char *next = text;
    *next++    = 'X';
    *next++    = '\'';
    for (uint32_t i = 0; i < bytes->bytes; i++) {
        const unsigned char byte = (unsigned char)lt_string_data(bytes)[i];
        *next++                  = digits[byte >> 4];
        *next++                  = digits[byte & 15];
    }
    *next++ = '\'';
    *next   = 0;
    return text;
}

static const char *number_text(lt_arena *arena, const lt_vector *value) {
    char number[64] = "";
    switch (value->type->kind) {
    case LT_TINYINT:
        lt_int64_print(LT_VALUE(value, int8_t, 0), number);
        break;
    case LT_SMALLINT:
        lt_int64_print(LT_VALUE(value, int16_t, 0), number);
        break;
    case LT_INT:
        lt_int64_print(LT_VALUE(value, int32_t, 0), number);
        break;
    case LT_BIGINT:
        lt_int64_print(LT_VALUE(value, int64_t, 0), number);
        break;
    case LT_FLOAT:
        lt_float_print(LT_VALUE(value, float, 0), number);
        break;
    case LT_DOUBLE:
        lt_double_print(LT_VALUE(value, double, 0), number);
        break;
    default:
        lt_decimal_print(LT_VALUE(value, lt_int128, 0), value->type->scale, number);
        break;
    }
    return lt_arena_format(arena, "%s", number);
}

const char *lt_literal_text(lt_arena *arena, const lt_vector *value) {
    char text[LT_INTERVAL_TEXT_BYTES] = "";
    if (lt_vector_is_null(value, 0)) return "NULL";
    switch (value->type->kind) {
    case LT_BOOLEAN:
        return LT_VALUE(value, uint8_t, 0) ? "true" : "false";
    case LT_STRING: {
        const lt_string *string = &LT_VALUE(value, lt_string, 0);
        return lt_arena_text(arena, lt_string_data(string), string->bytes);
    }
    case LT_BINARY:
        return binary_text(arena, &LT_VALUE(value, lt_string, 0));
    case LT_DATE:
        lt_date_print(LT_VALUE(value, int32_t, 0), text);
        return lt_arena_format(arena, "DATE '%s'", text);
    case LT_TIMESTAMP_NTZ:
        lt_timestamp_ntz_print(LT_VALUE(value, int64_t, 0), text);
        return lt_arena_format(arena, "TIMESTAMP_NTZ '%s'", text);
    case LT_TIMESTAMP:
        lt_timestamp_ntz_print(LT_VALUE(value, int64_t, 0), text);
        return lt_arena_format(arena, "TIMESTAMP '%s'", text);
    case LT_TIME:
        lt_time_print(LT_VALUE(value, int64_t, 0), text);
        return lt_arena_format(arena, "TIME '%s'", text);
    case LT_INTERVAL_YEAR_MONTH:
        lt_interval_print(value->type, LT_VALUE(value, int32_t, 0), text);
        return lt_arena_format(arena, "%s", text);
    case LT_INTERVAL_DAY_TIME:
        lt_interval_print(value->type, LT_VALUE(value, int64_t, 0), text);
        return lt_arena_format(arena, "%s", text);
    default:
        return lt_kind_is_numeric(value->type->kind) ? number_text(arena, value) : "";
    }
}

// ---- numbers
// ------------------------------------------------------------------------------------------------------------

static leat_status out_of_range(const lt_ast_expression *ast, const char *type, leat_error *err) {
    return lt_raise(err, LT_INVALID_NUMERIC_LITERAL_RANGE, &ast->place, "numeric literal `%.*s` is outside of %s",
                    (int)(ast->literal.text.bytes < 60 ? ast->literal.text.bytes : 60), ast->literal.text.text, type);
}

static leat_status decimal_literal(lt_binder *binder, const lt_ast_expression *ast, const lt_vector **out,
                                   leat_error *err) {
    const lt_ast_text      *text = &ast->literal.text;
    lt_int128               value;
    lt_decimal_shape        shape;
    const lt_number_outcome outcome = lt_decimal_parse_exact(text->text, text->bytes, &value, &shape);
    if (outcome == LT_NUMBER_TOO_LARGE)
        return lt_raise(err, LT_DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION, &ast->place,
                        "numeric literal has more than 38 digits");
    if (outcome != LT_NUMBER_OK) return out_of_range(ast, "DECIMAL", err);
    const lt_type *type = lt_type_decimal(binder->arena, shape.precision, shape.scale);
    if (type == NULL) return lt_raise_no_memory(err);
    lt_vector *vector;
    LT_TRY(constant_new(binder->arena, type, &vector, err));
    LT_LANES(vector, lt_int128)[0] = value;
    lt_vector_set_valid(vector, 0);
    *out = vector;
    return LEAT_OK;
}

static leat_status double_literal(lt_binder *binder, const lt_ast_expression *ast, lt_kind kind, const lt_vector **out,
                                  leat_error *err) {
    const lt_ast_text *text = &ast->literal.text;
    lt_vector         *vector;
    LT_TRY(constant_new(binder->arena, lt_type_of(kind), &vector, err));
    if (kind == LT_FLOAT) {
        double exact; // what rounds down to the largest FLOAT is outside, too
        if (!lt_float_parse(text->text, text->bytes, &LT_LANES(vector, float)[0]) ||
            !lt_double_parse(text->text, text->bytes, &exact) || fabs(exact) > (double)FLT_MAX)
            return out_of_range(ast, "FLOAT", err);
    } else if (!lt_double_parse(text->text, text->bytes, &LT_LANES(vector, double)[0]) ||
               LT_LANES(vector, double)[0] - LT_LANES(vector, double)[0] != 0) {
        return out_of_range(ast, "DOUBLE", err);
    }
    lt_vector_set_valid(vector, 0);
    *out = vector;
    return LEAT_OK;
}

static leat_status integer_literal(lt_binder *binder, const lt_ast_expression *ast, lt_kind kind, int64_t max,
                                   const lt_vector **out, leat_error *err) {
    int64_t value;
    if (lt_int64_parse(ast->literal.text.text, ast->literal.text.bytes, &value) != LT_NUMBER_OK || value > max ||
        value < -max - 1)
        return out_of_range(ast, lt_type_text(binder->arena, lt_type_of(kind)), err);
    return lt_constant_int64(binder->arena, kind, value, out, err);
}

static leat_status number_literal(lt_binder *binder, const lt_ast_expression *ast, const lt_vector **out,
                                  leat_error *err) {
    const lt_ast_text *text   = &ast->literal.text;
    const char        *suffix = ast->literal.suffix == NULL ? "" : ast->literal.suffix;
    if (strcmp(suffix, "L") == 0) return integer_literal(binder, ast, LT_BIGINT, INT64_MAX, out, err);
    if (strcmp(suffix, "S") == 0) return integer_literal(binder, ast, LT_SMALLINT, INT16_MAX, out, err);
    if (strcmp(suffix, "Y") == 0) return integer_literal(binder, ast, LT_TINYINT, INT8_MAX, out, err);
    if (strcmp(suffix, "D") == 0) return double_literal(binder, ast, LT_DOUBLE, out, err);
    if (strcmp(suffix, "F") == 0) return double_literal(binder, ast, LT_FLOAT, out, err);
    if (strcmp(suffix, "BD") == 0) return decimal_literal(binder, ast, out, err);
    if (memchr(text->text, 'e', text->bytes) != NULL || memchr(text->text, 'E', text->bytes) != NULL)
        return double_literal(binder, ast, LT_DOUBLE, out, err);
    int64_t value;
    if (memchr(text->text, '.', text->bytes) != NULL || lt_int64_parse(text->text, text->bytes, &value) != LT_NUMBER_OK)
        return decimal_literal(binder, ast, out, err);
    return lt_constant_int64(binder->arena, value == (int32_t)value ? LT_INT : LT_BIGINT, value, out, err);
}

// ---- the others
// ---------------------------------------------------------------------------------------------------------

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static leat_status binary_literal(lt_binder *binder, const lt_ast_expression *ast, const lt_vector **out,
                                  leat_error *err) {
    const lt_ast_text *text  = &ast->literal.text;
    const uint32_t     bytes = (text->bytes + 1) / 2;
    char              *value = lt_arena_zero(binder->arena, bytes);
    if (value == NULL) return lt_raise_no_memory(err);
    const uint32_t odd = text->bytes & 1; // x'F' is x'0F'
    for (uint32_t i = 0; i < text->bytes; i++) {
        const int digit = hex_digit(text->text[i]);
        if (digit < 0)
            return lt_raise(err, LT_INVALID_TYPED_LITERAL, &ast->place, "a binary literal takes hexadecimal digits");
        char *byte = &value[(i + odd) / 2];
        *byte      = (char)((unsigned char)*byte << 4 | digit);
    }
    return lt_constant_text(binder->arena, LT_BINARY, value, bytes, out, err);
}

static leat_status typed_literal(lt_binder *binder, const lt_ast_expression *ast, const lt_vector **out,
                                 leat_error *err) {
    const lt_ast_text  *text = &ast->literal.text;
    const char         *type = ast->literal.type_name;
    lt_datetime_context context;
    LT_TRY(lt_datetime_context_init(&context, binder->context->evaluation, err));
    int64_t value = 0;
    if (strcmp(type, "DATE") == 0) {
        int32_t days;
        LT_TRY(lt_date_literal(&context, text->text, text->bytes, &ast->place, &days, err));
        return lt_constant_int64(binder->arena, LT_DATE, days, out, err);
    }
    if (strcmp(type, "TIME") == 0) {
        LT_TRY(lt_time_literal(text->text, text->bytes, &ast->place, &value, err));
        return lt_constant_int64(binder->arena, LT_TIME, value, out, err);
    }
    if (strcmp(type, "TIMESTAMP_NTZ") == 0) {
        LT_TRY(lt_timestamp_ntz_literal(&context, text->text, text->bytes, &ast->place, &value, err));
        return lt_constant_int64(binder->arena, LT_TIMESTAMP_NTZ, value, out, err);
    }
    LT_TRY(lt_timestamp_literal(&context, text->text, text->bytes, &ast->place, &value, err));
    return lt_constant_int64(binder->arena, LT_TIMESTAMP, value, out, err);
}

// TIMESTAMP literals are named by their wall clock in the session's zone.
static const char *timestamp_text(lt_binder *binder, const lt_vector *value) {
    lt_time_zone zone;
    char         text[LT_DATETIME_TEXT_BYTES];
    if (lt_time_zone_of_session(binder->context->evaluation, &zone, NULL) != LEAT_OK) return NULL;
    lt_timestamp_print(&zone, LT_VALUE(value, int64_t, 0), text);
    return lt_arena_format(binder->arena, "TIMESTAMP '%s'", text);
}

static leat_status finish(lt_binder *binder, const lt_vector *value, const lt_place *place, lt_bound *out,
                          leat_error *err) {
    *out      = (lt_bound){.size = 1, .depth = 1};
    out->text = value->type->kind == LT_TIMESTAMP && !lt_vector_is_null(value, 0)
                    ? timestamp_text(binder, value)
                    : lt_literal_text(binder->arena, value);
    if (out->text == NULL) return lt_raise_no_memory(err);
    return literal_of(binder, value, place, &out->expression, err);
}

leat_status lt_literal_bind(lt_binder *binder, const lt_ast_expression *ast, lt_bound *out, leat_error *err) {
    const lt_ast_literal *literal = &ast->literal;
    const lt_vector      *value   = NULL;
    switch (literal->kind) {
    case LT_AST_LITERAL_NULL:
        LT_TRY(lt_constant_null(binder->arena, lt_type_of(LT_VOID), &value, err));
        break;
    case LT_AST_LITERAL_TRUE:
    case LT_AST_LITERAL_FALSE:
        LT_TRY(lt_constant_int64(binder->arena, LT_BOOLEAN, literal->kind == LT_AST_LITERAL_TRUE, &value, err));
        break;
    case LT_AST_LITERAL_NUMBER:
        LT_TRY(number_literal(binder, ast, &value, err));
        break;
    case LT_AST_LITERAL_BINARY:
        LT_TRY(binary_literal(binder, ast, &value, err));
        break;
    case LT_AST_LITERAL_TYPED:
        LT_TRY(typed_literal(binder, ast, &value, err));
        break;
    default:
        LT_TRY(lt_constant_text(binder->arena, LT_STRING, literal->text.text, literal->text.bytes, &value, err));
        break;
    }
    return finish(binder, value, &ast->place, out, err);
}

leat_status lt_interval_bind(lt_binder *binder, const lt_ast_expression *ast, lt_bound *out, leat_error *err) {
    lt_interval_part *parts;
    LT_TRY_NEW_ARRAY(parts, binder->arena, ast->interval.count, err);
    for (uint32_t i = 0; i < ast->interval.count; i++) {
        const lt_ast_interval_part *part = &ast->interval.items[i];
        parts[i]                         = (lt_interval_part){.value           = part->value.text,
                                                              .value_bytes     = part->value.bytes,
                                                              .is_string       = part->is_string,
                                                              .is_negative     = part->is_negative,
                                                              .unit            = part->unit.text,
                                                              .unit_bytes      = part->unit.bytes,
                                                              .unit_last       = part->to.text,
                                                              .unit_last_bytes = part->to.bytes};
    }
    lt_interval interval;
    LT_TRY(lt_interval_literal(parts, ast->interval.count, &ast->place, &interval, err));
    const lt_type *type = lt_type_interval(binder->arena, interval.unit_first, interval.unit_last);
    if (type == NULL) return lt_raise_no_memory(err);
    const lt_vector *value;
    LT_TRY(constant_typed(binder->arena, type,
                          interval.kind == LT_INTERVAL_YEAR_MONTH ? interval.months : interval.microseconds, &value,
                          err));
    return finish(binder, value, &ast->place, out, err);
}
