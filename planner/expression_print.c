#include "planner/expression.h"

#include <stdio.h>

#include "base/datetime_text.h"
#include "base/interval.h"
#include "base/number_text.h"

// Expressions as EXPLAIN shows them. Operators between their arguments, everything else as a call.

static leat_status text_literal(const lt_string *value, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_byte(out, '\'', err));
    for (uint32_t i = 0; i < value->bytes; i++) {
        const char c = lt_string_data(value)[i];
        if (c == '\'' || c == '\\') LT_TRY(lt_buffer_append_byte(out, '\\', err));
        LT_TRY(lt_buffer_append_byte(out, c, err));
    }
    return lt_buffer_append_byte(out, '\'', err);
}

static leat_status number_literal(const lt_vector *value, lt_buffer *out, leat_error *err) {
    char text[LT_DECIMAL_TEXT_MAX + LT_DOUBLE_TEXT_MAX] = "";
    switch (value->type->kind) {
    case LT_TINYINT:
        lt_int64_print(LT_VALUE(value, int8_t, 0), text);
        break;
    case LT_SMALLINT:
        lt_int64_print(LT_VALUE(value, int16_t, 0), text);
        break;
    case LT_INT:
        lt_int64_print(LT_VALUE(value, int32_t, 0), text);
        break;
    case LT_BIGINT:
        lt_int64_print(LT_VALUE(value, int64_t, 0), text);
        break;
    case LT_FLOAT:
        lt_float_print(LT_VALUE(value, float, 0), text);
        break;
    case LT_DOUBLE:
        lt_double_print(LT_VALUE(value, double, 0), text);
        break;
    default:
        lt_decimal_print(LT_VALUE(value, lt_int128, 0), value->type->scale, text);
        break;
    }
    return lt_buffer_append_text(out, text, err);
}

static leat_status literal_print(const lt_vector *value, lt_buffer *out, leat_error *err) {
    char text[LT_INTERVAL_TEXT_BYTES] = "";
    if (lt_vector_is_null(value, 0)) return lt_buffer_append_text(out, "NULL", err);
    if (lt_kind_is_numeric(value->type->kind)) return number_literal(value, out, err);
    switch (value->type->kind) {
    case LT_BOOLEAN:
        return lt_buffer_append_text(out, LT_VALUE(value, uint8_t, 0) ? "true" : "false", err);
    case LT_STRING:
        return text_literal(&LT_VALUE(value, lt_string, 0), out, err);
    case LT_DATE:
        lt_date_print(LT_VALUE(value, int32_t, 0), text);
        return lt_buffer_format(out, err, "DATE '%s'", text);
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
        lt_timestamp_ntz_print(LT_VALUE(value, int64_t, 0), text);
        return lt_buffer_format(out, err, "TIMESTAMP%s '%s'", value->type->kind == LT_TIMESTAMP ? "" : "_NTZ", text);
    case LT_INTERVAL_YEAR_MONTH:
        lt_interval_print(value->type, LT_VALUE(value, int32_t, 0), text);
        return lt_buffer_append_text(out, text, err);
    case LT_INTERVAL_DAY_TIME:
        lt_interval_print(value->type, LT_VALUE(value, int64_t, 0), text);
        return lt_buffer_append_text(out, text, err);
    default:
        LT_TRY(lt_buffer_append_text(out, "<", err));
        LT_TRY(lt_type_print_simple(value->type, out, err));
        return lt_buffer_append_text(out, ">", err);
    }
}

static leat_status joined_print(const lt_expression *expression, uint32_t first, const char *separator,
                                const char *const *names, lt_buffer *out, leat_error *err) {
    for (uint32_t i = first; i < expression->argument_count; i++) {
        if (i > first) LT_TRY(lt_buffer_append_text(out, separator, err));
        LT_TRY(lt_expression_print(expression->arguments[i], names, out, err));
    }
    return LEAT_OK;
}

static leat_status wrapped_print(const lt_expression *expression, const char *open, const char *separator,
                                 const char *const *names, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_text(out, open, err));
    LT_TRY(joined_print(expression, 0, separator, names, out, err));
    return lt_buffer_append_byte(out, ')', err);
}

static leat_status call_print(const lt_expression *expression, const char *const *names, lt_buffer *out,
                              leat_error *err) {
    const char *name        = expression->function->name;
    const bool  is_operator = strpbrk(name, "+-*/%&|^<=>") != NULL && expression->argument_count == 2;
    char        separator[16];
    if (!is_operator) {
        LT_TRY(lt_buffer_append_text(out, name, err));
        return wrapped_print(expression, "(", ", ", names, out, err);
    }
    (void)snprintf(separator, sizeof separator, " %s ", name);
    return wrapped_print(expression, "(", separator, names, out, err);
}

static leat_status case_print(const lt_expression *expression, const char *const *names, lt_buffer *out,
                              leat_error *err) {
    LT_TRY(lt_buffer_append_text(out, "CASE", err));
    for (uint32_t i = 0; i < expression->argument_count; i++) {
        const bool is_else = i % 2 == 0 && i + 1 == expression->argument_count;
        LT_TRY(lt_buffer_append_text(out, is_else ? " ELSE " : i % 2 == 0 ? " WHEN " : " THEN ", err));
        LT_TRY(lt_expression_print(expression->arguments[i], names, out, err));
    }
    return lt_buffer_append_text(out, " END", err);
}

leat_status lt_expression_print(const lt_expression *expression, const char *const *column_names, lt_buffer *out,
                                leat_error *err) {
    switch (expression->kind) {
    case LT_EXPRESSION_LITERAL:
        return literal_print(expression->value, out, err);
    case LT_EXPRESSION_COLUMN:
        if (column_names != NULL) return lt_buffer_append_text(out, column_names[expression->column], err);
        return lt_buffer_format(out, err, "#%u", expression->column);
    case LT_EXPRESSION_CALL:
        return call_print(expression, column_names, out, err);
    case LT_EXPRESSION_CAST:
        LT_TRY(lt_buffer_append_text(out, expression->is_try ? "try_cast(" : "cast(", err));
        LT_TRY(lt_expression_print(expression->arguments[0], column_names, out, err));
        LT_TRY(lt_buffer_append_text(out, " as ", err));
        LT_TRY(lt_type_print_simple(expression->type, out, err));
        return lt_buffer_append_byte(out, ')', err);
    case LT_EXPRESSION_AND:
        return wrapped_print(expression, "(", " AND ", column_names, out, err);
    case LT_EXPRESSION_OR:
        return wrapped_print(expression, "(", " OR ", column_names, out, err);
    case LT_EXPRESSION_CASE:
        return case_print(expression, column_names, out, err);
    case LT_EXPRESSION_COALESCE:
        return wrapped_print(expression, "coalesce(", ", ", column_names, out, err);
    case LT_EXPRESSION_IN:
        LT_TRY(lt_expression_print(expression->arguments[0], column_names, out, err));
        LT_TRY(lt_buffer_append_text(out, " IN (", err));
        LT_TRY(joined_print(expression, 1, ", ", column_names, out, err));
        return lt_buffer_append_byte(out, ')', err);
    case LT_EXPRESSION_FIELD: {
        const lt_type *of = expression->arguments[0]->type;
        if (of->kind == LT_ARRAY) of = of->fields[0].type;
        LT_TRY(lt_expression_print(expression->arguments[0], column_names, out, err));
        return lt_buffer_format(out, err, ".%s", of->fields[expression->field].name);
    }
    case LT_EXPRESSION_LAMBDA:
        LT_TRY(lt_buffer_format(out, err, "x%u -> ", expression->variable));
        return lt_expression_print(expression->arguments[0], column_names, out, err);
    case LT_EXPRESSION_VARIABLE:
        return lt_buffer_format(out, err, "x%u", expression->variable);
    case LT_EXPRESSION_SUBQUERY:
        return lt_buffer_append_text(out, "subquery()", err);
    }
    return LEAT_OK;
}
