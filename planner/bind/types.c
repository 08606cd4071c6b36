#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "base/interval.h"
#include "planner/nearest.h"

#include "parser/parser.h"

// Names of types as people write them.
static const struct {
    const char *name;
    lt_kind     kind;
} simple_types[] = {
    {"boolean", LT_BOOLEAN},
    {"tinyint", LT_TINYINT},
    {"byte", LT_TINYINT},
    {"smallint", LT_SMALLINT},
    {"short", LT_SMALLINT},
    {"int", LT_INT},
    {"integer", LT_INT},
    {"bigint", LT_BIGINT},
    {"long", LT_BIGINT},
    {"float", LT_FLOAT},
    {"real", LT_FLOAT},
    {"double", LT_DOUBLE},
    {"string", LT_STRING},
    {"binary", LT_BINARY},
    {"date", LT_DATE},
    {"timestamp", LT_TIMESTAMP},
    {"timestamp_ltz", LT_TIMESTAMP},
    {"timestamp_ntz", LT_TIMESTAMP_NTZ},
    {"void", LT_VOID},
    {"variant", LT_VARIANT},
};

// False: more than an INT. The grammar lets digits only through.
static bool number_of(const lt_ast_name *text, uint32_t *out) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < text->bytes; i++) {
        value = value * 10 + (uint64_t)(text->text[i] - '0');
        if (value > INT32_MAX) return false;
    }
    *out = (uint32_t)value;
    return true;
}

static leat_status raise_too_large(const lt_ast_type *ast, uint32_t parameter, leat_error *err) {
    return lt_raise(err, LT_DATATYPE_PARAMETER_VALUE_OUT_OF_RANGE, &ast->place, "%s of %s is larger than an INT",
                    ast->parameters.items[parameter].text, ast->name.text);
}

static leat_status decimal_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    uint32_t precision = 10;
    uint32_t scale     = 0;
    if (ast->parameters.count > 2)
        return lt_raise(err, LT_UNSUPPORTED_DATATYPE, &ast->place, "DECIMAL takes a precision and a scale");
    if (ast->parameters.count > 0 &&
        (!number_of(&ast->parameters.items[0], &precision) || precision > LT_DECIMAL_PRECISION_MAX))
        return lt_raise(err, LT_DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION, &ast->place,
                        "decimal precision %s exceeds the maximum of 38", ast->parameters.items[0].text);
    if (ast->parameters.count > 1 && !number_of(&ast->parameters.items[1], &scale)) return raise_too_large(ast, 1, err);
    if (scale > precision)
        return lt_raise(err, LT_DECIMAL_SCALE_EXCEEDS_PRECISION, &ast->place,
                        "decimal scale %u exceeds its precision %u", scale, precision);
    *out = lt_type_decimal(binder->arena, precision, scale);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status interval_type_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    if (ast->from.text == NULL) {
        *out = lt_type_of(LT_INTERVAL_CALENDAR);
        return LEAT_OK;
    }
    lt_unit first;
    lt_unit last;
    bool    is_known = lt_unit_parse(ast->from.text, ast->from.bytes, &first);
    last             = first;
    if (is_known && ast->to.text != NULL) is_known = lt_unit_parse(ast->to.text, ast->to.bytes, &last);
    if (!is_known || last < first || (first <= LT_UNIT_MONTH) != (last <= LT_UNIT_MONTH))
        return lt_raise(err, LT_UNSUPPORTED_DATATYPE, &ast->place, "no interval type from `%s` to `%s`", ast->from.text,
                        ast->to.text == NULL ? ast->from.text : ast->to.text);
    *out = lt_type_interval(binder->arena, first, last);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status struct_type_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    if (!ast->has_brackets && ast->fields.count == 0)
        return lt_raise(err, LT_INCOMPLETE_TYPE_DEFINITION__STRUCT, &ast->place,
                        "STRUCT needs its fields: STRUCT<name: TYPE, ...>");
    lt_field *fields;
    LT_TRY_NEW_ARRAY(fields, binder->arena, ast->fields.count, err);
    for (uint32_t i = 0; i < ast->fields.count; i++) {
        const lt_ast_field *field = &ast->fields.items[i];
        fields[i] =
            (lt_field){.name = field->name.text, .is_not_null = field->not_null, .comment = field->comment.text};
        LT_TRY(lt_type_bind(binder, field->type, &fields[i].type, err));
    }
    *out = lt_type_struct(binder->arena, fields, ast->fields.count);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status nested_type_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    const bool is_map = lt_ascii_compare(ast->name.text, "map") == 0;
    if (ast->nested.count != (is_map ? 2U : 1U))
        return lt_raise(err, is_map ? LT_INCOMPLETE_TYPE_DEFINITION__MAP : LT_INCOMPLETE_TYPE_DEFINITION__ARRAY,
                        &ast->place, "%s",
                        is_map ? "MAP needs its types: MAP<KEY, VALUE>" : "ARRAY needs its type: ARRAY<T>");
    const lt_type *types[2];
    for (uint32_t i = 0; i < ast->nested.count; i++) LT_TRY(lt_type_bind(binder, ast->nested.items[i], &types[i], err));
    *out = is_map ? lt_type_map(binder->arena, types[0], types[1]) : lt_type_array(binder->arena, types[0]);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status text_type_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    uint32_t length;
    if (ast->parameters.count == 0)
        return lt_raise(err, LT_DATATYPE_MISSING_SIZE, &ast->place, "`%s` needs a length, e.g. %s(10)", ast->name.text,
                        ast->name.text);
    if (!number_of(&ast->parameters.items[0], &length)) return raise_too_large(ast, 0, err);
    if (length == 0)
        return lt_raise(err, LT_UNSUPPORTED_DATATYPE, &ast->place, "`%s` takes a length above 0", ast->name.text);
    lt_type *type;
    LT_TRY_NEW(type, binder->arena, err);
    *type         = *lt_type_of(LT_STRING);
    type->length  = length;
    type->is_char = lt_ascii_compare(ast->name.text, "varchar") != 0;
    *out          = type;
    return LEAT_OK;
}

static leat_status time_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    uint32_t precision = LT_TIME_PRECISION_MAX;
    if (!binder->context->evaluation->is_time_type_enabled)
        return lt_raise(err, LT_UNSUPPORTED_TIME_TYPE, &ast->place,
                        "type TIME is off; SET spark.sql.timeType.enabled = true allows it");
    if (ast->parameters.count > 1 ||
        (ast->parameters.count == 1 && !number_of(&ast->parameters.items[0], &precision)) ||
        precision > LT_TIME_PRECISION_MAX)
        return lt_raise(err, LT_UNSUPPORTED_TIME_PRECISION, &ast->place, "`%s` takes 0 to 6 digits", ast->name.text);
    *out = lt_type_time(binder->arena, precision);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_type_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err) {
    const char *name = ast->name.text;
    if (lt_ascii_compare(name, "array") == 0 || lt_ascii_compare(name, "map") == 0)
        return nested_type_bind(binder, ast, out, err);
    if (lt_ascii_compare(name, "struct") == 0) return struct_type_bind(binder, ast, out, err);
    if (lt_ascii_compare(name, "interval") == 0) return interval_type_bind(binder, ast, out, err);
    if (lt_ascii_compare(name, "decimal") == 0 || lt_ascii_compare(name, "dec") == 0 ||
        lt_ascii_compare(name, "numeric") == 0)
        return decimal_bind(binder, ast, out, err);
    if (lt_ascii_compare(name, "char") == 0 || lt_ascii_compare(name, "character") == 0 ||
        lt_ascii_compare(name, "varchar") == 0)
        return text_type_bind(binder, ast, out, err);
    if (lt_ascii_compare(name, "time") == 0) return time_bind(binder, ast, out, err);
    if (ast->without_zone) {
        *out = lt_type_of(LT_TIMESTAMP_NTZ);
        return LEAT_OK;
    }
    for (size_t i = 0; i < sizeof simple_types / sizeof *simple_types; i++)
        if (lt_ascii_compare(name, simple_types[i].name) == 0 && ast->parameters.count == 0) {
            *out = lt_type_of(simple_types[i].kind);
            return LEAT_OK;
        }
    lt_nearest nearest = {.wanted = name};
    for (size_t i = 0; i < sizeof simple_types / sizeof *simple_types; i++)
        lt_nearest_offer(&nearest, simple_types[i].name);
    if (nearest.best_distance > 2) return lt_raise(err, LT_UNSUPPORTED_DATATYPE, &ast->place, "no type `%s`", name);
    return lt_raise(err, LT_UNSUPPORTED_DATATYPE, &ast->place, "no type `%s`; did you mean %s?", name, nearest.best);
}

leat_status lt_bind_type(lt_bind_context *context, const lt_ast_type *type, const lt_type **out, leat_error *err) {
    lt_binder binder = {.context = context, .arena = context->arena};
    return lt_type_bind(&binder, type, out, err);
}
