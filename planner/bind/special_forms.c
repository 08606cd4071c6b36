#include "planner/bind/binder.h"

// Calls that are no functions: they choose which argument is evaluated, or the grammar gives them a form of their own.

static leat_status arity(uint32_t count, uint32_t least, uint32_t most, const char *name, const lt_place *place,
                         leat_error *err) {
    if (count >= least && count <= most) return LEAT_OK;
    return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, place, "`%s` does not take %u arguments", name, count);
}

static leat_status common_of(lt_binder *binder, const lt_bound *items, uint32_t count, uint32_t step, uint32_t first,
                             const char *name, const lt_place *place, const lt_type **out, leat_error *err) {
    const lt_type *common = NULL;
    for (uint32_t i = first; i < count; i += step) {
        const lt_type *type = items[i].expression->type;
        common              = common == NULL ? type : lt_common_type(binder->arena, common, type);
        if (common == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, place, "the values of %s have no common type",
                            name);
    }
    *out = common;
    return LEAT_OK;
}

static leat_status kind_bind(lt_binder *binder, lt_expression_kind kind, const lt_type *type,
                             const lt_expression *const *arguments, const lt_bound *bounds, uint32_t count,
                             const char *text, const lt_place *place, lt_bound *out, leat_error *err) {
    lt_expression *expression;
    if (text == NULL) return lt_raise_no_memory(err);
    LT_TRY(lt_expression_new(binder, kind, type, arguments, count, place, &expression, err));
    lt_bound result = {.text = text, .size = 1, .depth = 1};
    for (uint32_t i = 0; i < count; i++) {
        result.size += bounds[i].size;
        if (bounds[i].depth >= result.depth) result.depth = bounds[i].depth + 1;
    }
    if (result.size > LT_BOUND_SIZE_MAX || result.depth > LT_BOUND_DEPTH_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, place, "the expression is too large once its aliases are put in");
    *out = result;
    return lt_bind_fold(binder, expression, &out->expression, err);
}

leat_status lt_case_bind(lt_binder *binder, const lt_bound *arguments, uint32_t count, bool has_else, const char *text,
                         const lt_place *place, lt_bound *out, leat_error *err) {
    const uint32_t        pairs  = has_else ? count - 1 : count;
    const lt_type        *common = NULL;
    const lt_expression **cast;
    LT_TRY_NEW_ARRAY(cast, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        const lt_type *type = arguments[i].expression->type;
        if (i < pairs && i % 2 == 0) {
            if (type->kind != LT_BOOLEAN)
                return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &arguments[i].expression->place,
                                "a condition is BOOLEAN, not %s", lt_type_text(binder->arena, type));
            continue;
        }
        common = common == NULL ? type : lt_common_type(binder->arena, common, type);
        if (common == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, place,
                            "the results of CASE have no common type");
    }
    for (uint32_t i = 0; i < count; i++) {
        cast[i] = arguments[i].expression;
        if (i >= pairs || i % 2 == 1) LT_TRY(lt_cast_to(binder, cast[i], common, &cast[i], err));
    }
    return kind_bind(binder, LT_EXPRESSION_CASE, common, cast, arguments, count, text, place, out, err);
}

static leat_status coalesce_bind(lt_binder *binder, const lt_bound *arguments, uint32_t count, const char *name,
                                 const char *text, const lt_place *place, lt_bound *out, leat_error *err) {
    const lt_type        *common;
    const lt_expression **cast;
    LT_TRY(common_of(binder, arguments, count, 1, 0, name, place, &common, err));
    LT_TRY_NEW_ARRAY(cast, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) LT_TRY(lt_cast_to(binder, arguments[i].expression, common, &cast[i], err));
    return kind_bind(binder, LT_EXPRESSION_COALESCE, common, cast, arguments, count, text, place, out, err);
}

static leat_status null_bound(lt_binder *binder, const lt_type *type, lt_bound *out, leat_error *err) {
    *out = (lt_bound){.text = "NULL", .size = 1, .depth = 1};
    return lt_literal_null(binder, type, &out->expression, err);
}

static leat_status zero_bound(lt_binder *binder, lt_bound *out, leat_error *err) {
    *out = (lt_bound){.text = "0", .size = 1, .depth = 1};
    return lt_literal_int64(binder, LT_INT, 0, &out->expression, err);
}

// nullif(a, b): NULL where they are equal.
static leat_status nullif_bind(lt_binder *binder, const lt_bound *a, const lt_bound *b, const char *text,
                               const lt_place *place, lt_bound *out, leat_error *err) {
    lt_bound parts[3];
    LT_TRY(lt_compare_bind(binder, "=", a, b, place, &parts[0], err));
    LT_TRY(null_bound(binder, a->expression->type, &parts[1], err));
    parts[2] = *a;
    return lt_case_bind(binder, parts, 3, true, text, place, out, err);
}

// decode(value, search, result, ..., [default]): NULL finds NULL. The default is a NULL of STRING, which counts for the
// type of the result.
static leat_status decode_bind(lt_binder *binder, const lt_bounds *arguments, const char *text, const lt_place *place,
                               lt_bound *out, leat_error *err) {
    lt_bounds parts = {0};
    uint32_t  i     = 1;
    for (; i + 1 < arguments->count; i += 2) {
        lt_bound condition;
        LT_TRY(lt_compare_bind(binder, "<=>", &arguments->items[0], &arguments->items[i], place, &condition, err));
        LT_LIST_ADD(binder->arena, &parts, condition, err);
        LT_LIST_ADD(binder->arena, &parts, arguments->items[i + 1], err);
    }
    lt_bound nothing;
    LT_TRY(null_bound(binder, lt_type_of(LT_STRING), &nothing, err));
    LT_LIST_ADD(binder->arena, &parts, i < arguments->count ? arguments->items[i] : nothing, err);
    return lt_case_bind(binder, parts.items, parts.count, true, text, place, out, err);
}

// ---- casts that look like functions
// ---------------------------------------------------------------------------------------

static const struct {
    const char *name;
    lt_kind     kind;
} cast_functions[] = {
    {"boolean", LT_BOOLEAN}, {"tinyint", LT_TINYINT}, {"smallint", LT_SMALLINT}, {"int", LT_INT},
    {"bigint", LT_BIGINT},   {"float", LT_FLOAT},     {"double", LT_DOUBLE},     {"decimal", LT_DECIMAL},
    {"string", LT_STRING},   {"binary", LT_BINARY},   {"date", LT_DATE},         {"timestamp", LT_TIMESTAMP},
    {"time", LT_TIME},
};

static leat_status cast_function_bind(lt_binder *binder, lt_kind kind, const lt_bound *value, const lt_place *place,
                                      lt_bound *out, leat_error *err) {
    const lt_type *type      = kind == LT_DECIMAL ? lt_type_decimal(binder->arena, 10, 0) : lt_type_of(kind);
    lt_condition   condition = LT_DATATYPE_MISMATCH__CAST_WITHOUT_SUGGESTION;
    if (type == NULL) return lt_raise_no_memory(err);
    if (!lt_cast_is_allowed(value->expression->type, type, &condition))
        return lt_raise(err, condition, place, "cannot cast %s to %s",
                        lt_type_text(binder->arena, value->expression->type), lt_type_text(binder->arena, type));
    *out = (lt_bound){.text  = value->text, // other than CAST, the function leaves no trace in the name
                      .size  = value->size + 1,
                      .depth = value->depth + 1,
                      .name  = value->is_name ? value->name : NULL,
                      .field = ""};
    return lt_cast_to(binder, value->expression, type, &out->expression, err);
}

// ---- forms
// ----------------------------------------------------------------------------------------------------------------

typedef enum form {
    FORM_IF,
    FORM_COALESCE,
    FORM_NVL,
    FORM_NVL2,
    FORM_NULLIF,
    FORM_NULLIFZERO,
    FORM_ZEROIFNULL,
    FORM_DECODE,
    FORM_TYPEOF,
    FORM_GROUPING,
    FORM_WINDOW,
} form;

static const struct {
    const char *name;
    form        form;
} forms[] = {
    {"if", FORM_IF},
    {"iff", FORM_IF},
    {"coalesce", FORM_COALESCE},
    {"nvl", FORM_NVL},
    {"ifnull", FORM_NVL},
    {"nvl2", FORM_NVL2},
    {"nullif", FORM_NULLIF},
    {"nullifzero", FORM_NULLIFZERO},
    {"zeroifnull", FORM_ZEROIFNULL},
    {"decode", FORM_DECODE},
    {"typeof", FORM_TYPEOF},
    {"grouping", FORM_GROUPING},
    {"grouping_id", FORM_GROUPING},
    {"window", FORM_WINDOW},
    {"session_window", FORM_WINDOW},
    {"window_time", FORM_WINDOW},
};

// typeof(x): known without x.
static leat_status typeof_bind(lt_binder *binder, const lt_bound *value, const char *text, const lt_place *place,
                               lt_bound *out, leat_error *err) {
    lt_buffer        name;
    const lt_vector *constant = NULL;
    lt_buffer_init(&name, binder->arena->account, 0);
    leat_status status = lt_type_print_simple(value->expression->type, &name, err);
    if (status == LEAT_OK) status = lt_constant_text(binder->arena, LT_STRING, name.data, name.bytes, &constant, err);
    lt_buffer_deinit(&name);
    LT_TRY(status);
    *out            = (lt_bound){.text = text, .size = 1, .depth = 1};
    out->expression = lt_expression_literal(binder->arena, constant, place);
    return out->expression == NULL || text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status choose_bind(lt_binder *binder, form which, const char *name, const lt_bounds *arguments,
                               const lt_place *place, lt_bound *out, leat_error *err) {
    const lt_bound *a    = arguments->items;
    const uint32_t  n    = arguments->count;
    const char     *text = lt_display_call(binder->arena, NULL, name, "", a, n);
    lt_bound        extra[3];
    switch (which) {
    case FORM_IF:
        LT_TRY(arity(n, 3, 3, name, place, err));
        text = lt_display_call(binder->arena, "(IF($1, $2, $3))", name, "", a, n);
        memcpy(extra, a, sizeof extra);
        if (extra[0].expression->type->kind == LT_VOID)
            LT_TRY(lt_cast_to(binder, extra[0].expression, lt_type_of(LT_BOOLEAN), &extra[0].expression, err));
        return lt_case_bind(binder, extra, 3, true, text, place, out, err);
    case FORM_TYPEOF:
        LT_TRY(arity(n, 1, 1, name, place, err));
        return typeof_bind(binder, a, text, place, out, err);
    case FORM_COALESCE:
        LT_TRY(arity(n, 1, UINT32_MAX, name, place, err));
        return coalesce_bind(binder, a, n, name, text, place, out, err);
    case FORM_NVL:
        LT_TRY(arity(n, 2, 2, name, place, err));
        return coalesce_bind(binder, a, n, name, text, place, out, err);
    case FORM_NVL2:
        LT_TRY(arity(n, 3, 3, name, place, err));
        LT_TRY(lt_call_bind(binder, "isnotnull", a, 1, NULL, place, &extra[0], err));
        extra[1] = a[1];
        extra[2] = a[2];
        return lt_case_bind(binder, extra, 3, true, text, place, out, err);
    case FORM_NULLIF:
        LT_TRY(arity(n, 2, 2, name, place, err));
        return nullif_bind(binder, &a[0], &a[1], text, place, out, err);
    case FORM_NULLIFZERO:
        LT_TRY(arity(n, 1, 1, name, place, err));
        LT_TRY(zero_bound(binder, &extra[0], err));
        return nullif_bind(binder, &a[0], &extra[0], text, place, out, err);
    case FORM_ZEROIFNULL:
        LT_TRY(arity(n, 1, 1, name, place, err));
        extra[0] = a[0];
        LT_TRY(zero_bound(binder, &extra[1], err));
        return coalesce_bind(binder, extra, 2, name, text, place, out, err);
    default:
        LT_TRY(arity(n, 3, UINT32_MAX, name, place, err));
        return decode_bind(binder, arguments, text, place, out, err);
    }
}

// extract(YEAR FROM d), trim(LEADING 'x' FROM s), position(a IN b): calls of the registry's functions with their
// arguments in the order of the plain call.
static leat_status spelled_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                bool *out_found, lt_bound *out, leat_error *err) {
    const char *function = NULL;
    const char *text     = NULL;
    switch (ast->spelling) {
    case LT_AST_SPELLING_FROM:
        if (strcmp(name, "extract") == 0) {
            function = "extract";
            text     = "extract($1 FROM $2)";
        } else if (strcmp(name, "substr") == 0) {
            function = "substring";
        } else if (strcmp(name, "trim") == 0) {
            function = "trim";
        }
        break;
    case LT_AST_SPELLING_TRIM_BOTH:
        function = "trim";
        break;
    case LT_AST_SPELLING_TRIM_LEADING:
        function = "ltrim";
        break;
    case LT_AST_SPELLING_TRIM_TRAILING:
        function = "rtrim";
        break;
    case LT_AST_SPELLING_IN:
        function = "position";
        text     = "locate($1, $2, 1)";
        break;
    default:
        break;
    }
    *out_found = function != NULL;
    if (function == NULL) return LEAT_OK;
    lt_bounds arguments = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &arguments, err));
    if (arguments.count == 2 && strstr(function, "trim") != NULL) { // trim(characters, text)
        const lt_bound source = arguments.items[0];
        arguments.items[0]    = arguments.items[1];
        arguments.items[1]    = source;
    }
    LT_TRY(lt_call_bind(binder, function, arguments.items, arguments.count, NULL, &ast->place, out, err));
    if (text != NULL) out->text = lt_display_call(binder->arena, text, function, "", arguments.items, arguments.count);
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_special_form_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                 bool *out_found, lt_bound *out, leat_error *err) {
    LT_TRY(spelled_bind(binder, scope, ast, name, out_found, out, err));
    if (*out_found) return LEAT_OK;
    lt_bounds arguments = {0};
    for (size_t i = 0; i < sizeof cast_functions / sizeof *cast_functions; i++) {
        if (strcmp(cast_functions[i].name, name) != 0) continue;
        *out_found = true;
        LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &arguments, err));
        LT_TRY(arity(arguments.count, 1, 1, name, &ast->place, err));
        return cast_function_bind(binder, cast_functions[i].kind, arguments.items, &ast->place, out, err);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].name, name) != 0) continue;
        const form which = forms[i].form;
        if (which == FORM_DECODE && ast->arguments.count < 3) return LEAT_OK; // decode(bytes, charset)
        *out_found = true;
        if (which == FORM_GROUPING) return lt_grouping_call_bind(binder, scope, ast, name, out, err);
        if (which == FORM_WINDOW) return lt_time_window_bind(binder, scope, ast, name, out, err);
        LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &arguments, err));
        return choose_bind(binder, which, name, &arguments, &ast->place, out, err);
    }
    return LEAT_OK;
}
