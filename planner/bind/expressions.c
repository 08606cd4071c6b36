#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "base/decimal.h"

// Expressions by their kind in the tree. Operators are functions of the registry; what guards or chooses (AND, OR,
// CASE, COALESCE, IN) are kinds of their own, so that nothing is evaluated that should not be.

static const char *text_format(lt_binder *binder, const char *format, const char *a, const char *b) {
    return lt_arena_format(binder->arena, format, a, b);
}

static void measure(lt_bound *out, const lt_bound *parts, uint32_t count) {
    out->size  = 1;
    out->depth = 1;
    for (uint32_t i = 0; i < count; i++) {
        out->size += parts[i].size;
        if (parts[i].depth >= out->depth) out->depth = parts[i].depth + 1;
    }
}

static leat_status negate(lt_binder *binder, const lt_place *place, lt_bound *bound, leat_error *err) {
    const lt_bound argument = *bound;
    bound->name             = NULL;
    return lt_call_bind(binder, "not", &argument, 1, "(NOT $1)", place, bound, err);
}

// ---- operators
// ------------------------------------------------------------------------------------------------------------

static const struct {
    const char *function, *display;
} operators[LT_AST_OPERATOR_COUNT] = {
    [LT_AST_OPERATOR_NEGATE]               = {"negative", "(- $1)"},
    [LT_AST_OPERATOR_PLUS]                 = {"positive", "(+ $1)"},
    [LT_AST_OPERATOR_BIT_NOT]              = {"~", "~$1"},
    [LT_AST_OPERATOR_ADD]                  = {"+", "($1 + $2)"},
    [LT_AST_OPERATOR_SUBTRACT]             = {"-", "($1 - $2)"},
    [LT_AST_OPERATOR_MULTIPLY]             = {"*", "($1 * $2)"},
    [LT_AST_OPERATOR_DIVIDE]               = {"/", "($1 / $2)"},
    [LT_AST_OPERATOR_REMAINDER]            = {"%", "($1 % $2)"},
    [LT_AST_OPERATOR_INTEGER_DIVIDE]       = {"div", "($1 div $2)"},
    [LT_AST_OPERATOR_CONCAT]               = {"concat", "concat($1, $2)"},
    [LT_AST_OPERATOR_SHIFT_LEFT]           = {"<<", "($1 << $2)"},
    [LT_AST_OPERATOR_SHIFT_RIGHT]          = {">>", "($1 >> $2)"},
    [LT_AST_OPERATOR_SHIFT_RIGHT_UNSIGNED] = {">>>", "($1 >>> $2)"},
    [LT_AST_OPERATOR_BIT_AND]              = {"&", "($1 & $2)"},
    [LT_AST_OPERATOR_BIT_XOR]              = {"^", "($1 ^ $2)"},
    [LT_AST_OPERATOR_BIT_OR]               = {"|", "($1 | $2)"},
    [LT_AST_OPERATOR_EQUAL]                = {"=", "($1 = $2)"},
    [LT_AST_OPERATOR_NULL_SAFE_EQUAL]      = {"<=>", "($1 <=> $2)"},
    [LT_AST_OPERATOR_NOT_EQUAL]            = {"=", "($1 = $2)"},
    [LT_AST_OPERATOR_LESS]                 = {"<", "($1 < $2)"},
    [LT_AST_OPERATOR_LESS_EQUAL]           = {"<=", "($1 <= $2)"},
    [LT_AST_OPERATOR_GREATER]              = {">", "($1 > $2)"},
    [LT_AST_OPERATOR_GREATER_EQUAL]        = {">=", "($1 >= $2)"},
};

static leat_status boolean_literal(lt_binder *binder, bool value, lt_bound *out, leat_error *err) {
    *out = (lt_bound){.text = value ? "true" : "false", .size = 1, .depth = 1};
    return lt_literal_int64(binder, LT_BOOLEAN, value, &out->expression, err);
}

// An integer compared with a DECIMAL literal is compared with the nearest BIGINT instead, as in Spark: exact, and the
// integer stays one. A literal beyond BIGINT decides by itself, for NULL too. *out_done: *out is the whole answer.
static leat_status compare_with_literal(lt_binder *binder, lt_ast_operator operator, lt_bounds * sides, bool *out_done,
                                        lt_bound *out, leat_error *err) {
    const bool is_less    = operator== LT_AST_OPERATOR_LESS || operator== LT_AST_OPERATOR_LESS_EQUAL;
    const bool is_greater = operator== LT_AST_OPERATOR_GREATER || operator== LT_AST_OPERATOR_GREATER_EQUAL;
    *out_done             = false;
    if (!is_less && !is_greater) return LEAT_OK;
    const uint32_t       at      = sides->items[1].expression->type->kind == LT_DECIMAL ? 1 : 0;
    const lt_expression *literal = sides->items[at].expression;
    if (!sides->items[at].is_literal || literal->kind != LT_EXPRESSION_LITERAL || literal->type->kind != LT_DECIMAL ||
        lt_vector_is_null(literal->value, 0) || !lt_kind_is_integral(sides->items[1 - at].expression->type->kind))
        return LEAT_OK;
    const lt_int128 power   = lt_decimal_power(literal->type->scale);
    const lt_int128 value   = LT_VALUE(literal->value, lt_int128, 0);
    lt_int128       nearest = value / power - (value % power < 0); // the floor
    // x > 1.5 is x > 1, x >= 1.5 is x >= 2; 1.5 > x is 2 > x, 1.5 >= x is 1 >= x.
    const bool is_strict = operator== LT_AST_OPERATOR_LESS || operator== LT_AST_OPERATOR_GREATER;
    const bool is_above  = is_less == (at == 1); // the literal bounds the integer from above
    if (is_strict == is_above && value % power != 0) nearest++;
    char text[LT_DECIMAL_TEXT_MAX];
    if (nearest > INT64_MAX || nearest < INT64_MIN) {
        *out_done          = true;
        const bool is_true = (nearest > 0) == is_above;
        *out               = (lt_bound){.text = is_true ? "true" : "false", .size = 1, .depth = 1};
        return boolean_literal(binder, is_true, out, err);
    }
    lt_bound *bound                          = &sides->items[at];
    text[lt_decimal_print(nearest, 0, text)] = 0;
    bound->text                              = lt_arena_text(binder->arena, text, strlen(text));
    if (bound->text == NULL) return lt_raise_no_memory(err);
    return lt_literal_int64(binder, LT_BIGINT, (int64_t)nearest, &bound->expression, err);
}

static leat_status operator_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                                 leat_error *err) {
    lt_bounds arguments = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &arguments, err));
    bool is_done;
    LT_TRY(compare_with_literal(binder, ast->operator, & arguments, &is_done, out, err));
    if (is_done) return LEAT_OK;
    LT_TRY(lt_call_bind(binder, operators[ast->operator].function, arguments.items, arguments.count,
                        operators[ast->operator].display, &ast->place, out, err));
    return ast->operator== LT_AST_OPERATOR_NOT_EQUAL ? negate(binder, &ast->place, out, err) : LEAT_OK;
}

// AND and OR: the sides are BOOLEAN, or STRING beside a BOOLEAN.
static leat_status logic_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                              leat_error *err) {
    const bool is_and = ast->kind == LT_AST_AND;
    lt_bounds  terms  = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &terms, err));
    const lt_expression **arguments;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, terms.count, err);
    const lt_type *left = NULL;
    for (uint32_t i = 0; i < terms.count; i++) {
        const lt_type *type = terms.items[i].expression->type;
        if (left != NULL) {
            const lt_type *common = lt_common_type(binder->arena, left, type);
            if (common == NULL)
                return lt_raise(err, LT_DATATYPE_MISMATCH__BINARY_OP_DIFF_TYPES, &terms.items[i].expression->place,
                                "%s takes two values of BOOLEAN, not %s and %s", is_and ? "AND" : "OR",
                                lt_type_text(binder->arena, left), lt_type_text(binder->arena, type));
            const bool has_text = (left->kind == LT_STRING) != (type->kind == LT_STRING);
            if (common->kind != LT_BOOLEAN && common->kind != LT_VOID)
                return lt_raise(err,
                                has_text || lt_type_equal(left, type) ? LT_DATATYPE_MISMATCH__BINARY_OP_WRONG_TYPE
                                                                      : LT_DATATYPE_MISMATCH__BINARY_OP_DIFF_TYPES,
                                &terms.items[i].expression->place, "%s takes BOOLEAN, not %s", is_and ? "AND" : "OR",
                                lt_type_text(binder->arena, common));
            type = lt_type_of(LT_BOOLEAN);
        }
        left = type;
    }
    size_t parens = terms.count - 1;
    size_t bytes  = parens * 6 + 1;
    for (uint32_t i = 0; i < terms.count; i++) {
        LT_TRY(lt_cast_to(binder, terms.items[i].expression, lt_type_of(LT_BOOLEAN), &arguments[i], err));
        bytes += strlen(terms.items[i].text);
    }
    char *text = lt_arena_alloc(binder->arena, bytes + parens);
    if (text == NULL) return lt_raise_no_memory(err);
    memset(text, '(', parens);
    char *next = text + parens;
    for (uint32_t i = 0; i < terms.count; i++) {
        if (i > 0) next = stpcpy(next, is_and ? " AND " : " OR ");
        next = stpcpy(next, terms.items[i].text);
        if (i > 0) next = stpcpy(next, ")");
    }
    lt_expression *expression;
    LT_TRY(lt_expression_new(binder, is_and ? LT_EXPRESSION_AND : LT_EXPRESSION_OR, lt_type_of(LT_BOOLEAN), arguments,
                             terms.count, &ast->place, &expression, err));
    *out = (lt_bound){.text = text};
    measure(out, terms.items, terms.count);
    return lt_bind_fold(binder, expression, &out->expression, err);
}

static leat_status not_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                            leat_error *err) {
    LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[0], out, err));
    return negate(binder, &ast->place, out, err);
}

// IS UNKNOWN is IS NULL of a BOOLEAN; Spark looks at the type of constants only.
static leat_status unknown_check(lt_binder *binder, const lt_bound *value, const lt_place *place, leat_error *err) {
    const lt_type *type = value->expression->type;
    if (!lt_expression_is_foldable(value->expression) || type->kind == LT_BOOLEAN || type->kind == LT_VOID)
        return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, place, "IS UNKNOWN is asked of a BOOLEAN, not %s",
                    lt_type_text(binder->arena, type));
}

static leat_status is_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                           leat_error *err) {
    lt_bound value;
    lt_bound other;
    LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[0], &value, err));
    if (ast->is == LT_AST_IS_UNKNOWN) LT_TRY(unknown_check(binder, &value, &ast->place, err));
    switch (ast->is) {
    case LT_AST_IS_UNKNOWN:
    case LT_AST_IS_NULL:
        return lt_call_bind(binder, ast->negated ? "isnotnull" : "isnull", &value, 1,
                            ast->negated ? "($1 IS NOT NULL)" : "($1 IS NULL)", &ast->place, out, err);
    case LT_AST_IS_DISTINCT_FROM:
        LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[1], &other, err));
        LT_TRY(lt_compare_bind(binder, "<=>", &value, &other, &ast->place, out, err));
        return ast->negated ? LEAT_OK : negate(binder, &ast->place, out, err);
    default:
        LT_TRY(boolean_literal(binder, ast->is == LT_AST_IS_TRUE, &other, err));
        LT_TRY(lt_compare_bind(binder, "<=>", &value, &other, &ast->place, out, err));
        return ast->negated ? negate(binder, &ast->place, out, err) : LEAT_OK;
    }
}

static leat_status between_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                                leat_error *err) {
    lt_bounds parts = {0};
    lt_bound  sides[2];
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &parts, err));
    LT_TRY(lt_compare_bind(binder, ">=", &parts.items[0], &parts.items[1], &ast->place, &sides[0], err));
    LT_TRY(lt_compare_bind(binder, "<=", &parts.items[0], &parts.items[2], &ast->place, &sides[1], err));
    const lt_expression *terms[2] = {sides[0].expression, sides[1].expression};
    lt_expression       *both;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_AND, lt_type_of(LT_BOOLEAN), terms, 2, &ast->place, &both, err));
    *out      = (lt_bound){0};
    out->text = lt_display_call(binder->arena, NULL, "between", "", parts.items, parts.count);
    if (out->text == NULL) return lt_raise_no_memory(err);
    measure(out, sides, 2);
    LT_TRY(lt_bind_fold(binder, both, &out->expression, err));
    return ast->negated ? negate(binder, &ast->place, out, err) : LEAT_OK;
}

static leat_status in_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                           leat_error *err) {
    if (ast->query != NULL) {
        LT_TRY(lt_subquery_bind(binder, scope, ast, out, err));
        return ast->negated ? negate(binder, &ast->place, out, err) : LEAT_OK;
    }
    lt_bounds items = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &items, err));
    const lt_type *common = items.items[0].expression->type;
    for (uint32_t i = 1; i < items.count && common != NULL; i++) {
        const lt_type *type = items.items[i].expression->type;
        if (!lt_type_same_shape(common, type)) common = lt_common_type(binder->arena, common, type);
    }
    if (common == NULL)
        return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, &ast->place,
                        "the values of IN have no common type with `%s`", items.items[0].text);
    if (!lt_type_is_orderable(common))
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &ast->place,
                        "values of %s cannot be compared", lt_type_text(binder->arena, common));
    const lt_expression **arguments;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, items.count, err);
    for (uint32_t i = 0; i < items.count; i++)
        LT_TRY(lt_cast_to(binder, items.items[i].expression, common, &arguments[i], err));
    lt_expression *in;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_IN, lt_type_of(LT_BOOLEAN), arguments, items.count, &ast->place, &in,
                             err));
    const char *list = lt_display_join(binder->arena, ", ", items.items + 1, items.count - 1);
    if (list == NULL) return lt_raise_no_memory(err);
    *out = (lt_bound){.text = text_format(binder, "(%s IN (%s))", items.items[0].text, list)};
    if (out->text == NULL) return lt_raise_no_memory(err);
    measure(out, items.items, items.count);
    LT_TRY(lt_bind_fold(binder, in, &out->expression, err));
    return ast->negated ? negate(binder, &ast->place, out, err) : LEAT_OK;
}

// ---- LIKE
// -------------------------------------------------------------------------------------------------------------------

static leat_status like_one(lt_binder *binder, const lt_ast_expression *ast, const lt_bound *value,
                            const lt_bound *pattern, lt_bound *out, leat_error *err) {
    static const char *const functions[]  = {"like", "ilike", "rlike"};
    static const char *const displays[]   = {"$1 LIKE $2", "ilike($1, $2)", "RLIKE($1, $2)"};
    lt_bound                 arguments[3] = {*value, *pattern};
    uint32_t                 count        = 2;
    const char              *display      = displays[ast->like.kind];
    if (ast->like.has_escape && ast->like.escape != '\\') {
        const lt_vector *escape;
        LT_TRY(lt_constant_text(binder->arena, LT_STRING, &ast->like.escape, 1, &escape, err));
        arguments[2]            = (lt_bound){.size = 1, .depth = 1};
        arguments[2].expression = lt_expression_literal(binder->arena, escape, &ast->place);
        arguments[2].text       = lt_arena_text(binder->arena, &ast->like.escape, 1);
        if (arguments[2].expression == NULL || arguments[2].text == NULL) return lt_raise_no_memory(err);
        count   = 3;
        display = ast->like.kind == LT_AST_LIKE_LIKE ? "$1 LIKE $2 ESCAPE '$3'" : "ilike($1, $2)";
    }
    LT_TRY(lt_call_bind(binder, functions[ast->like.kind], arguments, count, display, &ast->place, out, err));
    out->text = lt_display_call(binder->arena, display, functions[ast->like.kind], "", arguments, count);
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status like_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                             leat_error *err) {
    lt_bounds parts = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &parts, err));
    if (ast->like.quantifier == LT_AST_LIKE_ONE) {
        LT_TRY(like_one(binder, ast, &parts.items[0], &parts.items[1], out, err));
        return ast->negated ? negate(binder, &ast->place, out, err) : LEAT_OK;
    }
    const bool            is_any = ast->like.quantifier == LT_AST_LIKE_ANY;
    const lt_expression **terms;
    if (parts.count < 2)
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__EMPTY_QUANTIFIED_PATTERN, &ast->place,
                        "LIKE ANY and LIKE ALL need a pattern");
    LT_TRY_NEW_ARRAY(terms, binder->arena, parts.count, err);
    for (uint32_t i = 1; i < parts.count; i++) {
        lt_bound one;
        LT_TRY(like_one(binder, ast, &parts.items[0], &parts.items[i], &one, err));
        if (ast->negated) LT_TRY(negate(binder, &ast->place, &one, err));
        terms[i - 1] = one.expression;
    }
    *out            = (lt_bound){0};
    out->expression = terms[0];
    measure(out, parts.items, parts.count);
    if (parts.count > 2) {
        lt_expression *all;
        LT_TRY(lt_expression_new(binder, is_any ? LT_EXPRESSION_OR : LT_EXPRESSION_AND, lt_type_of(LT_BOOLEAN), terms,
                                 parts.count - 1, &ast->place, &all, err));
        LT_TRY(lt_bind_fold(binder, all, &out->expression, err));
    }
    const char *name     = ast->negated ? (is_any ? "notlikeany" : "notlikeall") : (is_any ? "likeany" : "likeall");
    const bool  is_ilike = ast->like.kind == LT_AST_LIKE_ILIKE;
    out->text            = text_format(binder, is_ilike ? "%s(lower(%s))" : "%s(%s)", name, parts.items[0].text);
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ---- CASE and CAST
// ------------------------------------------------------------------------------------------------------------

static leat_status case_ast_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                                 leat_error *err) {
    lt_bounds parts = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &parts, err));
    lt_bound      *arguments = parts.items;
    uint32_t       count     = parts.count;
    const uint32_t first     = ast->has_operand ? 1 : 0;
    for (uint32_t i = first; ast->has_operand && i + 1 < count; i += 2) {
        const lt_bound value = arguments[i];
        LT_TRY(lt_compare_bind(binder, "=", &parts.items[0], &value, &value.expression->place, &arguments[i], err));
    }
    arguments += first;
    count -= first;
    const char *text = "CASE";
    for (uint32_t i = 0; i + 1 < count && text != NULL; i += 2)
        text = lt_arena_format(binder->arena, "%s WHEN %s THEN %s", text, arguments[i].text, arguments[i + 1].text);
    if (ast->has_else && text != NULL) text = text_format(binder, "%s ELSE %s", text, arguments[count - 1].text);
    if (text != NULL) text = text_format(binder, "%s %s", text, "END");
    if (text == NULL) return lt_raise_no_memory(err);
    return lt_case_bind(binder, arguments, count, ast->has_else, text, &ast->place, out, err);
}

static leat_status cast_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                             leat_error *err) {
    lt_bound       value;
    const lt_type *type;
    LT_TRY(lt_type_bind(binder, ast->type, &type, err));
    if (type->kind == LT_STRING) type = lt_type_of(LT_STRING); // lengths matter in tables only
    LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[0], &value, err));
    lt_condition condition = LT_DATATYPE_MISMATCH__CAST_WITHOUT_SUGGESTION;
    if (!lt_cast_is_allowed(value.expression->type, type, &condition))
        return lt_raise(err, condition, &ast->place, "cannot cast %s to %s",
                        lt_type_text(binder->arena, value.expression->type), lt_type_text(binder->arena, type));
    const char *type_text = lt_type_text(binder->arena, type);
    const char *function  = ast->spelling == LT_AST_SPELLING_TRY_CAST ? "TRY_CAST" : "CAST";
    *out                  = (lt_bound){
                         .size = value.size + 1, .depth = value.depth + 1, .name = value.is_name ? value.name : NULL, .field = ""};
    out->text = lt_kind_is_nested(type->kind)
                    ? value.text // as Spark names it
                    : lt_arena_format(binder->arena, "%s(%s AS %s)", function, value.text, type_text);
    if (out->text == NULL) return lt_raise_no_memory(err);
    lt_expression *cast;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_CAST, type, &value.expression, 1, &ast->place, &cast, err));
    cast->is_try = ast->spelling == LT_AST_SPELLING_TRY_CAST;
    if (lt_type_equal(type, value.expression->type)) {
        out->expression = value.expression;
        return LEAT_OK;
    }
    return lt_bind_fold(binder, cast, &out->expression, err);
}

// ---- names, fields, rows
// --------------------------------------------------------------------------------------------------

// Functions that are written without parentheses, and what is called then.
static const struct {
    const char *name, *function;
} bare_functions[] = {
    {"current_date", "current_date"}, {"current_timestamp", "current_timestamp"}, {"current_time", "current_time"},
    {"localtime", "localtime"},       {"current_user", "current_user"},           {"user", "current_user"},
    {"session_user", "current_user"}, {"grouping__id", "grouping__id"},
};

static leat_status column_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                               leat_error *err) {
    bool is_found;
    LT_TRY(lt_scope_find(binder, scope, &ast->names, &is_found, out, err));
    if (is_found) return LEAT_OK;
    for (size_t i = 0; ast->names.count == 1 && i < sizeof bare_functions / sizeof *bare_functions; i++)
        if (lt_ascii_compare(ast->names.items[0].text, bare_functions[i].name) == 0 &&
            lt_is_function_name(binder, bare_functions[i].function))
            return lt_call_bind(binder, bare_functions[i].function, NULL, 0, NULL, &ast->place, out, err);
    return lt_raise_unresolved(binder, scope, &ast->names, &ast->place, err);
}

static leat_status index_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                              leat_error *err) {
    lt_bounds parts = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &parts, err));
    const lt_type       *type = parts.items[0].expression->type;
    const lt_expression *key  = parts.items[1].expression;
    const bool           is_field =
        type->kind == LT_STRUCT || (type->kind == LT_ARRAY && type->fields[0].type->kind == LT_STRUCT);
    if (is_field && key->kind == LT_EXPRESSION_LITERAL && key->type->kind == LT_STRING) {
        LT_TRY(lt_field_bind(binder, &parts.items[0], parts.items[1].text, &ast->place, out, err));
        out->name = NULL;
        return LEAT_OK;
    }
    if (type->kind == LT_STRUCT)
        return lt_raise(err, LT_INVALID_EXTRACT_FIELD_TYPE, &ast->place, "a field of `%s` is found by a constant text",
                        parts.items[0].text);
    if (type->kind != LT_ARRAY && type->kind != LT_MAP)
        return lt_raise(err, LT_INVALID_EXTRACT_BASE_FIELD_TYPE, &ast->place,
                        "`%s` is %s: only an ARRAY, MAP or STRUCT has elements", parts.items[0].text,
                        lt_type_text(binder->arena, type));
    return lt_call_bind(binder, "[]", parts.items, 2, "$1[$2]", &ast->place, out, err);
}

static leat_status field_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                              leat_error *err) {
    lt_bound value;
    LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[0], &value, err));
    LT_TRY(lt_field_bind(binder, &value, ast->name.text, &ast->place, out, err));
    out->name  = NULL;
    out->field = ast->name.text;
    return LEAT_OK;
}

// (a, b) is named_struct('a', a, 'col2', ...).
static leat_status row_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                            leat_error *err) {
    lt_bounds values    = {0};
    lt_bounds arguments = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &values, err));
    for (uint32_t i = 0; i < values.count; i++) {
        const char *name = lt_bound_field(&values.items[i]);
        if (name == NULL) name = lt_arena_format(binder->arena, "col%u", i + 1);
        if (name == NULL) return lt_raise_no_memory(err);
        const lt_vector *text;
        LT_TRY(lt_constant_text(binder->arena, LT_STRING, name, strlen(name), &text, err));
        lt_bound label   = {.text = name, .size = 1, .depth = 1};
        label.expression = lt_expression_literal(binder->arena, text, &ast->place);
        if (label.expression == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(binder->arena, &arguments, label, err);
        LT_LIST_ADD(binder->arena, &arguments, values.items[i], err);
    }
    return lt_call_bind(binder, "named_struct", arguments.items, arguments.count, NULL, &ast->place, out, err);
}

static leat_status alias_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                              leat_error *err) {
    LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[0], out, err));
    out->name  = ast->name.text;
    out->field = NULL;
    out->text  = text_format(binder, "%s AS %s", out->text, ast->name.text);
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status parameter_bind(lt_binder *binder, const lt_ast_expression *ast, lt_bound *out, leat_error *err) {
    const lt_ast_parameter *parameter = &ast->parameter;
    const lt_vector        *value     = NULL;
    if (binder->context->parameter != NULL)
        value = binder->context->parameter(binder->context->user, parameter->ordinal, parameter->name.text);
    if (value == NULL)
        return lt_raise(err, LT_UNBOUND_SQL_PARAMETER, &ast->place, "no value is given for the parameter %s%s",
                        parameter->name.text == NULL ? "?" : ":",
                        parameter->name.text == NULL ? "" : parameter->name.text);
    // The host may bind another value while the plan lives.
    LT_TRY(lt_constant_copy(binder->arena, value, &value, err));
    *out            = (lt_bound){.size = 1, .depth = 1, .text = lt_literal_text(binder->arena, value)};
    out->expression = lt_expression_literal(binder->arena, value, &ast->place);
    return out->expression == NULL || out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status variant_path_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                                     leat_error *err) {
    lt_bound         arguments[2];
    const lt_vector *path;
    LT_TRY(lt_bind_expression(binder, scope, ast->arguments.items[0], &arguments[0], err));
    const char *text = lt_arena_format(binder->arena, "$.%s", ast->name.text);
    if (text == NULL) return lt_raise_no_memory(err);
    LT_TRY(lt_constant_text(binder->arena, LT_STRING, text, strlen(text), &path, err));
    arguments[1]            = (lt_bound){.text = text, .size = 1, .depth = 1};
    arguments[1].expression = lt_expression_literal(binder->arena, path, &ast->place);
    if (arguments[1].expression == NULL) return lt_raise_no_memory(err);
    return lt_call_bind(binder, "variant_get", arguments, 2, NULL, &ast->place, out, err);
}

static leat_status collate_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                                leat_error *err) {
    const char *name = lt_ast_names_last(&ast->names);
    if (lt_ascii_compare(name, "utf8_binary") != 0)
        return lt_raise(err, LT_NOT_SUPPORTED, &ast->place, "the collation `%s` is not known; UTF8_BINARY is", name);
    return lt_bind_expression(binder, scope, ast->arguments.items[0], out, err);
}

// ---- the way in
// -------------------------------------------------------------------------------------------------------------

leat_status lt_bind_expression(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                               leat_error *err) {
    *out          = (lt_bound){0};
    scope->is_top = false;
    switch (ast->kind) {
    case LT_AST_LITERAL:
        LT_TRY(lt_literal_bind(binder, ast, out, err));
        out->is_literal = true;
        return LEAT_OK;
    case LT_AST_INTERVAL:
        return lt_interval_bind(binder, ast, out, err);
    case LT_AST_COLUMN:
        return column_bind(binder, scope, ast, out, err);
    case LT_AST_PARAMETER:
        return parameter_bind(binder, ast, out, err);
    case LT_AST_UNARY:
    case LT_AST_BINARY:
        return operator_bind(binder, scope, ast, out, err);
    case LT_AST_AND:
    case LT_AST_OR:
        return logic_bind(binder, scope, ast, out, err);
    case LT_AST_NOT:
        return not_bind(binder, scope, ast, out, err);
    case LT_AST_IS:
        return is_bind(binder, scope, ast, out, err);
    case LT_AST_BETWEEN:
        return between_bind(binder, scope, ast, out, err);
    case LT_AST_IN:
        return in_bind(binder, scope, ast, out, err);
    case LT_AST_LIKE:
        return like_bind(binder, scope, ast, out, err);
    case LT_AST_CASE:
        return case_ast_bind(binder, scope, ast, out, err);
    case LT_AST_CAST:
        return cast_bind(binder, scope, ast, out, err);
    case LT_AST_CALL:
        return lt_call_ast(binder, scope, ast, out, err);
    case LT_AST_FIELD:
        return field_bind(binder, scope, ast, out, err);
    case LT_AST_INDEX:
        return index_bind(binder, scope, ast, out, err);
    case LT_AST_ROW:
        return row_bind(binder, scope, ast, out, err);
    case LT_AST_EXISTS:
    case LT_AST_SUBQUERY:
        return lt_subquery_bind(binder, scope, ast, out, err);
    case LT_AST_COLLATE:
        return collate_bind(binder, scope, ast, out, err);
    case LT_AST_VARIANT_PATH:
        return variant_path_bind(binder, scope, ast, out, err);
    case LT_AST_ALIAS:
        return alias_bind(binder, scope, ast, out, err);
    case LT_AST_STAR:
        return lt_raise(err, LT_INVALID_USAGE_OF_STAR_OR_REGEX, &ast->place, "`*` cannot stand here");
    default:
        return lt_raise(err, LT_NOT_SUPPORTED, &ast->place, "this kind of argument cannot stand here");
    }
}

leat_status lt_bind_boolean(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_condition condition,
                            lt_bound *out, leat_error *err) {
    LT_TRY(lt_bind_expression(binder, scope, ast, out, err));
    if (out->expression->type->kind != LT_BOOLEAN)
        return lt_raise(err, condition, &ast->place, "a condition is BOOLEAN, not %s",
                        lt_type_text(binder->arena, out->expression->type));
    return LEAT_OK;
}
