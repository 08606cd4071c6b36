#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "parser/parser.h"

// Calls of registry functions: which row fits, which casts its arguments get, and the errors when none does.

// ---- resolution
// -----------------------------------------------------------------------------------------------------------

// One attempt to fit arguments to rows; what the callbacks of lt_resolution work on.
typedef struct attempt {
    lt_resolution             resolution;
    lt_binder                *binder;
    lt_scope                 *scope;
    const lt_ast_expressions *asts;
    lt_bound                 *arguments;
    const lt_type           **types;
    uint32_t                  count;
} attempt;

static const lt_type *attempt_common_type(lt_resolution *resolution, const lt_type *a, const lt_type *b) {
    return lt_common_type(resolution->arena, a, b);
}

static leat_status attempt_parse_type(lt_resolution *resolution, const char *text, size_t bytes, const lt_type **out,
                                      leat_error *err) {
    attempt          *self = resolution->user;
    lt_ast_type      *ast;
    leat_error        cause  = {0};
    const leat_status status = lt_parse_schema(text, bytes, resolution->arena, &ast, &cause);
    leat_status       bound  = status == LEAT_OK ? lt_type_bind(self->binder, ast, out, &cause) : status;
    if (bound == LEAT_OK || bound == LEAT_NO_MEMORY) return bound;
    // Spark reads the text as one type first, and tells why it is none.
    const bool is_one_type = memchr(text, ' ', bytes) == NULL;
    if (cause.condition == LT_INVALID_IDENTIFIER || (cause.condition == LT_UNSUPPORTED_DATATYPE && !is_one_type))
        return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &resolution->places[1], "the schema is none: %s", cause.message);
    if (err != NULL) *err = cause;
    return bound;
}

static leat_status attempt_bind_lambda(lt_resolution *resolution, uint32_t index, const lt_type *const *types,
                                       uint32_t type_count, const lt_type **out_result, leat_error *err) {
    attempt                 *self = resolution->user;
    const lt_ast_expression *ast  = self->asts->items[index];
    if (ast->names.count != type_count)
        return lt_raise(err, LT_INVALID_LAMBDA_FUNCTION_CALL__NUM_ARGS_MISMATCH, &ast->place,
                        "the lambda has %u parameters, not %u", ast->names.count, type_count);
    const lt_type **own_types;
    LT_TRY_NEW_ARRAY(own_types, self->binder->arena, type_count, err);
    memcpy(own_types, types, type_count * sizeof *own_types);
    const lt_lambda_frame frame = {
        .outer = self->scope->lambdas, .names = &ast->names, .types = own_types, .first = self->binder->variable_next};
    self->binder->variable_next += type_count;
    lt_scope scope = *self->scope;
    scope.lambdas  = &frame;
    scope.is_top   = false;
    lt_bound body;
    LT_TRY(lt_bind_expression(self->binder, &scope, ast->arguments.items[0], &body, err));
    lt_expression *lambda;
    LT_TRY(lt_expression_new(self->binder, LT_EXPRESSION_LAMBDA, body.expression->type, &body.expression, 1,
                             &ast->place, &lambda, err));
    lambda->variable       = frame.first;
    lambda->variable_count = type_count;
    const char *text       = lt_arena_format(self->binder->arena, "lambdafunction(%s", body.text);
    for (uint32_t i = 0; i < type_count && text != NULL; i++)
        text = lt_arena_format(self->binder->arena, "%s, namedlambdavariable()", text);
    if (text != NULL) text = lt_arena_format(self->binder->arena, "%s)", text);
    if (text == NULL) return lt_raise_no_memory(err);
    self->arguments[index] =
        (lt_bound){.expression = lambda, .text = text, .size = body.size + 1, .depth = body.depth + 1};
    self->types[index] = body.expression->type;
    *out_result        = body.expression->type;
    return LEAT_OK;
}

static uint16_t takes_of(const uint16_t *takes, uint32_t index) {
    uint32_t at = 0;
    while (at < LT_TAKES_MAX && takes[at] != LT_TAKES_END) {
        if (at == index) return takes[at];
        if ((takes[at] & LT_TAKES_REPEATED) != 0) return takes[at];
        at++;
    }
    return LT_TAKES_END;
}

// How many arguments a row takes; *out_most UINT32_MAX: as many as there are.
static void arity_of(const lt_candidate *candidate, uint32_t *out_least, uint32_t *out_most) {
    uint32_t least = 0;
    uint32_t most  = 0;
    for (uint32_t i = 0; i < LT_TAKES_MAX && candidate->takes[i] != LT_TAKES_END; i++) {
        const uint16_t takes = candidate->takes[i];
        if ((takes & LT_TAKES_REPEATED) != 0)
            most = UINT32_MAX;
        else if (most != UINT32_MAX)
            most++;
        if ((takes & (LT_TAKES_REPEATED | LT_TAKES_OPTIONAL)) == 0) least++;
    }
    *out_least = least;
    *out_most  = most;
}

static bool arity_fits(const lt_candidate *candidate, uint32_t count) {
    uint32_t least, most;
    if (candidate->takes[0] == LT_TAKES_END && candidate->has_resolve) return true;
    arity_of(candidate, &least, &most);
    return count >= least && count <= most;
}

static leat_status wrong_count(const lt_candidates *candidates, const char *name, uint32_t count, const lt_place *place,
                               leat_error *err) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < candidates->count; i++) {
        uint32_t row_least, row_most;
        arity_of(&candidates->items[i], &row_least, &row_most);
        if (row_least < least) least = row_least;
        if (row_most > most) most = row_most;
    }
    const char *plural = most == 1 ? "" : "s";
    if (most == UINT32_MAX)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, place, "`%s` takes %u arguments or more, not %u",
                        name, least, count);
    if (least == most)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, place, "`%s` takes %u argument%s, not %u", name,
                        least, plural, count);
    return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, place, "`%s` takes %u to %u arguments, not %u", name,
                    least, most, count);
}

static bool is_lambda(const attempt *self, uint32_t index) {
    return self->asts != NULL && index < self->asts->count && self->asts->items[index]->kind == LT_AST_LAMBDA;
}

static bool lambda_fits(const attempt *self, const lt_candidate *candidate, uint32_t index) {
    return !is_lambda(self, index) || (takes_of(candidate->takes, index) & (LT_TAKES_REPEATED - 1)) == LT_TAKES_LAMBDA;
}

// Types that the parameters want. False: argument *out_bad does not fit, or (exactly) not without a cast.
static bool takes_fit(attempt *self, const lt_candidate *candidate, bool exactly, bool lenient, uint32_t *out_bad) {
    const lt_type *common = NULL;
    for (uint32_t i = 0; i < self->count; i++) {
        const uint16_t takes = takes_of(candidate->takes, i);
        const uint16_t plain = takes & (LT_TAKES_REPEATED - 1);
        *out_bad             = i;
        self->types[i]       = is_lambda(self, i) ? lt_type_of(LT_VOID) : self->arguments[i].expression->type;
        if (takes == LT_TAKES_END || is_lambda(self, i)) continue;
        const lt_type *wanted = lt_implicit_type(self->binder->arena, takes, self->types[i]);
        if (wanted != NULL && (takes & LT_TAKES_EXACT) != 0 && wanted->kind != self->types[i]->kind &&
            self->types[i]->kind != LT_VOID)
            wanted = NULL;
        if (wanted == NULL && lenient) continue;
        if (wanted == NULL) return false;
        if (exactly && wanted->kind != self->types[i]->kind) return false;
        if (plain == LT_TAKES_COMMON)
            common = common == NULL ? wanted : lt_common_type(self->binder->arena, common, wanted);
        if (plain == LT_TAKES_COMMON && common == NULL) {
            if (lenient) continue;
            return false;
        }
        self->types[i] = wanted;
    }
    for (uint32_t i = 0; common != NULL && i < self->count; i++)
        if ((takes_of(candidate->takes, i) & (LT_TAKES_REPEATED - 1)) == LT_TAKES_COMMON) {
            if (exactly && !lt_type_equal(self->types[i], common)) return false;
            self->types[i] = common;
        }
    return true;
}

static leat_status constants_check(const attempt *self, const lt_candidate *candidate, leat_error *err) {
    for (uint32_t i = 0; i < self->count; i++)
        if ((takes_of(candidate->takes, i) & LT_TAKES_CONSTANT) != 0 && takes_of(candidate->takes, i) != LT_TAKES_END &&
            !lt_expression_is_foldable(self->arguments[i].expression))
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &self->arguments[i].expression->place,
                            "argument %u of `%s` has to be a constant", i + 1, candidate->name);
    return LEAT_OK;
}

// *out_fits false: the row does not fit.
static leat_status try_candidate(attempt *self, const lt_candidate *candidate, bool exactly, const lt_type **out_type,
                                 bool *out_fits, uint32_t *out_bad, leat_error *err) {
    *out_fits = false;
    for (uint32_t i = 0; i < self->count; i++)
        if (!lambda_fits(self, candidate, i)) return LEAT_OK;
    if (candidate->has_resolve) {
        (void)takes_fit(self, candidate, false, true, out_bad);
        LT_TRY(constants_check(self, candidate, err));
        self->resolution.result  = NULL;
        self->resolution.display = NULL;
        const leat_status status = candidate->resolve(candidate->row, &self->resolution, err);
        if (status == LEAT_DONE) return LEAT_OK;
        LT_TRY(status);
        *out_type = self->resolution.result;
        if (*out_type == NULL && candidate->returns != LT_NO_KIND)
            *out_type =
                candidate->returns == LT_VOID && self->count > 0 ? self->types[0] : lt_type_of(candidate->returns);
        if (*out_type == NULL) return lt_raise_no_memory(err);
        *out_fits = true;
        return LEAT_OK;
    }
    if (!takes_fit(self, candidate, exactly, false, out_bad)) return LEAT_OK;
    LT_TRY(constants_check(self, candidate, err));
    *out_type = candidate->returns == LT_VOID && self->count > 0 ? self->types[0] : lt_type_of(candidate->returns);
    *out_fits = true;
    return LEAT_OK;
}

static const char *types_text(attempt *self, uint32_t index) {
    return lt_type_text(self->binder->arena, self->arguments[index].expression->type);
}

static bool is_interval_of_days(const lt_type *type) {
    return lt_kind_is_interval(type->kind) && type->kind != LT_INTERVAL_YEAR_MONTH;
}

static leat_status operator_mismatch(attempt *self, const char *name, const lt_place *place, leat_error *err) {
    const lt_type *a        = self->arguments[0].expression->type;
    const lt_type *b        = self->arguments[1].expression->type;
    const lt_type *common   = lt_common_type(self->binder->arena, a, b);
    const bool     compares = strpbrk(name, "<=>") != NULL && strcmp(name, "<<") != 0 && strncmp(name, ">>", 2) != 0;
    const bool     adds     = strcmp(name, "+") == 0 || strcmp(name, "try_add") == 0;
    const bool     takes    = strcmp(name, "-") == 0 || strcmp(name, "try_subtract") == 0;
    // An interval of days moves a time, so the other side is to blame.
    if ((adds && (is_interval_of_days(a) || is_interval_of_days(b))) || (takes && is_interval_of_days(b)))
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, place, "`%s` does not take %s and %s", name,
                        types_text(self, 0), types_text(self, 1));
    // A DECIMAL beside a DOUBLE or FLOAT is one itself by then.
    const bool is_mixed = lt_kind_is_numeric(a->kind) && lt_kind_is_numeric(b->kind) && common != NULL &&
                          common->kind == LT_DOUBLE && (a->kind == LT_DECIMAL || b->kind == LT_DECIMAL);
    // A text becomes what stands beside it first.
    const bool has_text = (a->kind == LT_STRING) != (b->kind == LT_STRING) && common != NULL;
    const bool differs  = !compares && !is_mixed && !has_text && !lt_type_equal(a, b);
    if (common == NULL && (name[0] == '+' || name[0] == '-') && lt_kind_is_interval(a->kind) &&
        lt_kind_is_interval(b->kind))
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, place, "`%s` does not mix %s and %s", name,
                        types_text(self, 0), types_text(self, 1));
    if (common == NULL || differs)
        return lt_raise(err, LT_DATATYPE_MISMATCH__BINARY_OP_DIFF_TYPES, place,
                        "`%s` takes two values of one type, not %s and %s", name, types_text(self, 0),
                        types_text(self, 1));
    if (compares)
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, place, "values of %s cannot be compared",
                        lt_type_text(self->binder->arena, common));
    return lt_raise(err, LT_DATATYPE_MISMATCH__BINARY_OP_WRONG_TYPE, place, "`%s` does not take %s", name,
                    lt_type_text(self->binder->arena, common));
}

static leat_status mismatch(attempt *self, const lt_candidate *candidate, const char *name, uint32_t bad,
                            const lt_place *place, leat_error *err) {
    static const char *const operators[] = {"div",          "mod",          "pmod",       "try_add",
                                            "try_subtract", "try_multiply", "try_divide", "try_mod"};
    bool                     is_operator = strchr("+-*/%&|^<=>", name[0]) != NULL;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        is_operator = is_operator || strcmp(name, operators[i]) == 0;
    if (is_operator && self->count == 2) return operator_mismatch(self, name, place, err);
    for (uint32_t i = 0; i < self->count; i++)
        if (!lambda_fits(self, candidate, i))
            return lt_raise(err, LT_INVALID_LAMBDA_FUNCTION_CALL__PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION,
                            &self->asts->items[i]->place, "argument %u of `%s` is no lambda", i + 1, name);
    const uint16_t  plain = takes_of(candidate->takes, bad) & (LT_TAKES_REPEATED - 1);
    const lt_place *at   = bad < self->count && !is_lambda(self, bad) ? &self->arguments[bad].expression->place : place;
    const char     *type = bad < self->count && !is_lambda(self, bad) ? types_text(self, bad) : "a lambda";
    if (plain == LT_TAKES_COMMON)
        return lt_raise(err, LT_DATATYPE_MISMATCH__DATA_DIFF_TYPES, at, "the arguments of `%s` have no common type",
                        name);
    if (plain == LT_TAKES_ORDERED)
        return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, at, "`%s` cannot order values of %s", name,
                        type);
    return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, at, "argument %u of `%s` cannot be %s", bad + 1,
                    name, type);
}

static leat_status attempt_init(attempt *self, lt_binder *binder, lt_scope *scope, const lt_bound *arguments,
                                uint32_t count, const lt_ast_expressions *asts, const lt_place *place,
                                leat_error *err) {
    *self = (attempt){.binder = binder, .scope = scope, .asts = asts, .count = count};
    LT_TRY_NEW_ARRAY(self->arguments, binder->arena, count, err);
    if (count > 0) memcpy(self->arguments, arguments, count * sizeof *arguments);
    LT_TRY_NEW_ARRAY(self->types, binder->arena, count, err);
    const lt_vector **constants;
    const char      **names;
    bool             *literals;
    lt_place         *places;
    uint32_t         *arities;
    LT_TRY_NEW_ARRAY(constants, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(literals, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(places, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(arities, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        names[i]    = lt_bound_field(&arguments[i]);
        literals[i] = arguments[i].is_literal;
        places[i]   = *place;
        if (is_lambda(self, i)) {
            arities[i] = asts->items[i]->names.count;
            places[i]  = asts->items[i]->place;
            continue;
        }
        places[i] = arguments[i].expression->place;
        if (arguments[i].expression->kind == LT_EXPRESSION_LITERAL) constants[i] = arguments[i].expression->value;
    }
    self->resolution = (lt_resolution){.arena          = binder->arena,
                                       .argument_count = count,
                                       .types          = self->types,
                                       .constants      = constants,
                                       .is_literal     = literals,
                                       .names          = names,
                                       .place          = *place,
                                       .places         = places,
                                       .lambda_arities = arities,
                                       .bind_lambda    = attempt_bind_lambda,
                                       .common_type    = attempt_common_type,
                                       .parse_type     = attempt_parse_type,
                                       .evaluation     = binder->context->evaluation,
                                       .user           = self};
    return LEAT_OK;
}

// Casts the arguments to the types decided; constants follow them.
static leat_status attempt_finish(attempt *self, lt_resolved *out, leat_error *err) {
    const lt_expression **arguments;
    const lt_vector     **constants;
    LT_TRY_NEW_ARRAY(arguments, self->binder->arena, self->count, err);
    LT_TRY_NEW_ARRAY(constants, self->binder->arena, self->count, err);
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_expression *argument = self->arguments[i].expression;
        if (argument != NULL && argument->kind == LT_EXPRESSION_LAMBDA) {
            if (!lt_type_equal(argument->type, self->types[i])) {
                const lt_expression *body;
                lt_expression       *lambda;
                LT_TRY(lt_cast_to(self->binder, argument->arguments[0], self->types[i], &body, err));
                LT_TRY(lt_expression_new(self->binder, LT_EXPRESSION_LAMBDA, body->type, &body, 1, &argument->place,
                                         &lambda, err));
                lambda->variable       = argument->variable;
                lambda->variable_count = argument->variable_count;
                argument               = lambda;
            }
            arguments[i] = argument;
            continue;
        }
        LT_TRY(lt_cast_to(self->binder, argument, self->types[i], &arguments[i], err));
        if (arguments[i]->kind == LT_EXPRESSION_LITERAL) constants[i] = arguments[i]->value;
    }
    out->arguments      = arguments;
    out->constants      = constants;
    out->argument_count = self->count;
    return LEAT_OK;
}

// Where a row wanted a constant and found none: the error of an argument that would be one, but has no value.
static leat_status constant_raise(attempt *self, leat_status otherwise, leat_error *err) {
    if (err == NULL || strstr(leat_error_condition(err), "NON_FOLDABLE") == NULL) return otherwise;
    for (uint32_t i = 0; i < self->count; i++) {
        const lt_expression *argument = self->arguments[i].expression;
        const lt_vector     *value;
        if (argument == NULL || argument->kind == LT_EXPRESSION_LITERAL || argument->kind == LT_EXPRESSION_LAMBDA ||
            self->binder->context->fold == NULL || !lt_expression_is_foldable(argument))
            continue;
        leat_error        cause = {0};
        const leat_status status =
            self->binder->context->fold(self->binder->context->user, argument, self->binder->arena, &value, &cause);
        if (status == LEAT_OK) continue;
        *err = cause;
        return status;
    }
    return otherwise;
}

leat_status lt_resolve(lt_binder *binder, lt_scope *scope, const lt_candidates *candidates, const char *name,
                       const lt_bound *arguments, uint32_t count, const lt_ast_expressions *asts, const lt_place *place,
                       lt_bound *out_arguments, lt_resolved *out, leat_error *err) {
    attempt self;
    LT_TRY(attempt_init(&self, binder, scope, arguments, count, asts, place, err));
    const lt_candidate *nearest = NULL;
    uint32_t            bad     = 0;
    for (int exactly = 1; exactly >= 0; exactly--)
        for (uint32_t i = 0; i < candidates->count; i++) {
            const lt_candidate *candidate = &candidates->items[i];
            bool                fits;
            uint32_t            at = 0;
            if (!arity_fits(candidate, count) || (candidate->has_resolve && exactly == 0)) continue;
            self.resolution.function = candidate->row;
            const leat_status status = try_candidate(&self, candidate, exactly != 0, &out->type, &fits, &at, err);
            if (status != LEAT_OK) return constant_raise(&self, status, err);
            if (!fits) {
                if (nearest == NULL || (exactly == 0 && at > bad)) {
                    nearest = candidate;
                    bad     = at;
                }
                continue;
            }
            out->row     = candidate->row;
            out->display = candidate->has_resolve ? self.resolution.display : NULL;
            LT_TRY(attempt_finish(&self, out, err));
            if (out_arguments != NULL && count > 0) memcpy(out_arguments, self.arguments, count * sizeof *arguments);
            return LEAT_OK;
        }
    if (nearest == NULL) return wrong_count(candidates, name, count, place, err);
    return mismatch(&self, nearest, name, bad, place, err);
}

// ---- scalar functions
// -------------------------------------------------------------------------------------------------------

static leat_status function_resolve(const void *row, lt_resolution *resolution, leat_error *err) {
    const lt_function *function = row;
    resolution->function        = function;
    return function->resolve(resolution, err);
}

bool lt_is_function_name(const lt_binder *binder, const char *name) {
    for (const lt_function *const *array = binder->context->functions; array != NULL && *array != NULL; array++)
        for (const lt_function *row = *array; row->name != NULL; row++)
            if (row->name[0] == name[0] && strcmp(row->name, name) == 0) return true;
    return false;
}

static leat_status function_candidates(lt_binder *binder, const char *name, lt_candidates *out, leat_error *err) {
    for (const lt_function *const *array = binder->context->functions; array != NULL && *array != NULL; array++)
        for (const lt_function *row = *array; row->name != NULL; row++) {
            if (row->name[0] != name[0] || strcmp(row->name, name) != 0) continue;
            const lt_candidate candidate = {.name        = row->name,
                                            .takes       = row->takes,
                                            .returns     = row->returns,
                                            .has_resolve = row->resolve != NULL,
                                            .resolve     = function_resolve,
                                            .row         = row};
            LT_LIST_ADD(binder->arena, out, candidate, err);
        }
    return LEAT_OK;
}

static leat_status size_check(const lt_bound *bound, const lt_place *place, leat_error *err) {
    if (bound->size > LT_BOUND_SIZE_MAX || bound->depth > LT_BOUND_DEPTH_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, place, "the expression is too large once its aliases are put in");
    return LEAT_OK;
}

static leat_status time_type_check(const lt_binder *binder, const char *name, const lt_resolved *resolved,
                                   const lt_place *place, leat_error *err) {
    bool has_time = resolved->type->kind == LT_TIME;
    for (uint32_t i = 0; i < resolved->argument_count; i++)
        has_time = has_time || resolved->arguments[i]->type->kind == LT_TIME;
    if (!has_time || binder->context->evaluation->is_time_type_enabled) return LEAT_OK;
    return lt_raise(err, LT_UNSUPPORTED_TIME_TYPE, place,
                    "`%s` of a TIME is off; SET spark.sql.timeType.enabled = true allows it", name);
}

// A strict call with a bare NULL is NULL, whatever becomes of its other arguments; calls of any number of arguments look
// at all of them.
static bool is_null_call(const lt_function *function, const lt_resolved *resolved) {
    bool has_null = false;
    if (lt_function_is_variadic(function)) return false;
    for (uint32_t i = 0; i < resolved->argument_count; i++) {
        const lt_expression *argument = resolved->arguments[i];
        if (!lt_expression_is_deterministic(argument)) return false;
        has_null = has_null || (argument->kind == LT_EXPRESSION_LITERAL && lt_vector_is_null(argument->value, 0));
    }
    return has_null && !function->is_null_aware && !function->is_nondeterministic;
}

static leat_status call_with(lt_binder *binder, lt_scope *scope, const char *name, const char *written,
                             const lt_bound *arguments, uint32_t count, const lt_ast_expressions *asts,
                             const char *display, const lt_place *place, lt_bound *out, leat_error *err) {
    lt_candidates candidates = {0};
    LT_TRY(function_candidates(binder, name, &candidates, err));
    if (candidates.count == 0) return lt_unknown_function(binder, name, place, err);
    lt_bound   *texts;
    lt_resolved resolved;
    LT_TRY_NEW_ARRAY(texts, binder->arena, count, err);
    LT_TRY(lt_resolve(binder, scope, &candidates, name, arguments, count, asts, place, texts, &resolved, err));
    const lt_function *function = resolved.row;
    lt_expression     *call;
    if (function->needs_time_type) LT_TRY(time_type_check(binder, name, &resolved, place, err));
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_CALL, resolved.type, resolved.arguments, resolved.argument_count,
                             place, &call, err));
    call->function  = function;
    call->constants = resolved.constants;
    *out            = (lt_bound){.size = 1, .depth = 1};
    for (uint32_t i = 0; i < count; i++) {
        out->size += texts[i].size;
        if (texts[i].depth >= out->depth) out->depth = texts[i].depth + 1;
    }
    LT_TRY(size_check(out, place, err));
    if (function->display != NULL) display = function->display;
    if (resolved.display != NULL) display = resolved.display;
    out->text = lt_display_call(binder->arena, display, written, "", texts, count);
    if (out->text == NULL) return lt_raise_no_memory(err);
    if (is_null_call(function, &resolved)) return lt_literal_null(binder, resolved.type, &out->expression, err);
    return lt_bind_fold(binder, call, &out->expression, err);
}

leat_status lt_call_bind(lt_binder *binder, const char *name, const lt_bound *arguments, uint32_t count,
                         const char *display, const lt_place *place, lt_bound *out, leat_error *err) {
    return call_with(binder, NULL, name, name, arguments, count, NULL, display, place, out, err);
}

leat_status lt_compare_bind(lt_binder *binder, const char *symbol, const lt_bound *left, const lt_bound *right,
                            const lt_place *place, lt_bound *out, leat_error *err) {
    const lt_bound arguments[2] = {*left, *right};
    return lt_call_bind(binder, symbol, arguments, 2, "($1 $name $2)", place, out, err);
}

// ---- functions made by SQL
// ----------------------------------------------------------------------------------------------

leat_status lt_parameters_bind(lt_binder *binder, const lt_catalog_function *function, const lt_bound *arguments,
                               uint32_t count, const lt_place *place, lt_parameter_values *out, leat_error *err) {
    lt_bound    *values;
    const char **names;
    if (count > function->parameter_count)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, place, "`%s` takes at most %u arguments, not %u",
                        function->name, function->parameter_count, count);
    LT_TRY_NEW_ARRAY(values, binder->arena, function->parameter_count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, function->parameter_count, err);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const lt_catalog_column *parameter = &function->parameters[i];
        names[i]                           = parameter->name;
        if (i < count) {
            values[i] = arguments[i];
        } else if (parameter->default_sql == NULL) {
            return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, place, "`%s` needs its argument `%s`",
                            function->name, parameter->name);
        } else {
            lt_ast_expression *ast;
            lt_relation        none  = {0};
            lt_scope           scope = {.clause = LT_CLAUSE_OTHER, .relation = &none};
            LT_TRY(
                lt_parse_expression(parameter->default_sql, strlen(parameter->default_sql), binder->arena, &ast, err));
            LT_TRY(lt_bind_expression(binder, &scope, ast, &values[i], err));
        }
        LT_TRY(lt_cast_to(binder, values[i].expression, parameter->type, &values[i].expression, err));
        values[i].text = parameter->name;
    }
    *out = (lt_parameter_values){
        .function = function->name, .names = names, .values = values, .count = function->parameter_count};
    return LEAT_OK;
}

static leat_status sql_function_call(lt_binder *binder, lt_scope *scope, const lt_catalog_function *function,
                                     const lt_bound *arguments, uint32_t count, const char *name, const lt_place *place,
                                     lt_bound *out, leat_error *err) {
    const lt_parameter_values *outer = binder->parameters;
    lt_parameter_values        parameters;
    lt_ast_expression         *body;
    lt_relation                none  = {.plan = scope->relation == NULL ? NULL : scope->relation->plan};
    lt_scope                   inner = {.clause = LT_CLAUSE_OTHER, .relation = &none};
    if (binder->nesting >= LT_BIND_NESTING_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, place, "functions and views are nested too deeply");
    LT_TRY(lt_parameters_bind(binder, function, arguments, count, place, &parameters, err));
    LT_TRY(lt_parse_expression(function->body_sql, strlen(function->body_sql), binder->arena, &body, err));
    binder->parameters = &parameters;
    binder->nesting++;
    const leat_status status = lt_bind_expression(binder, &inner, body, out, err);
    binder->nesting--;
    binder->parameters = outer;
    LT_TRY(status);
    if (function->returns != NULL)
        LT_TRY(lt_cast_to(binder, out->expression, function->returns, &out->expression, err));
    out->name    = NULL;
    out->is_name = false;
    out->text    = lt_display_call(binder->arena, NULL, name, "", arguments, count);
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ---- calls as they are written
// ------------------------------------------------------------------------------------------

// The parameters of a function whose arguments may be given by name; count 0: it has none.
typedef struct named_parameters {
    const char        *names[LT_TAKES_MAX];
    lt_ast_expression *defaults[LT_TAKES_MAX]; // NULL: must be given
    uint32_t           count;
} named_parameters;

static const char *parameters_text(const lt_binder *binder, const char *name) {
    for (const lt_function *const *array = binder->context->functions; array != NULL && *array != NULL; array++)
        for (const lt_function *row = *array; row->name != NULL; row++)
            if (row->parameters != NULL && strcmp(row->name, name) == 0) return row->parameters;
    return NULL;
}

// Reads lt_function.parameters: "str, upperChar = 'X', otherChar = NULL".
static leat_status named_parameters_read(lt_binder *binder, const char *name, named_parameters *out, leat_error *err) {
    *out = (named_parameters){0};
    for (const char *text = parameters_text(binder, name); text != NULL && out->count < LT_TAKES_MAX; out->count++) {
        const char *end        = strstr(text, ", ");
        size_t      bytes      = end == NULL ? strlen(text) : (size_t)(end - text);
        const char *equals     = memmem(text, bytes, " = ", 3);
        size_t      head       = equals == NULL ? bytes : (size_t)(equals - text);
        out->names[out->count] = lt_arena_text(binder->arena, text, head);
        if (out->names[out->count] == NULL) return lt_raise_no_memory(err);
        if (equals != NULL)
            LT_TRY(lt_parse_expression(equals + 3, bytes - head - 3, binder->arena, &out->defaults[out->count], err));
        text = end == NULL ? NULL : end + 2;
    }
    return LEAT_OK;
}

static leat_status named_arguments_order(lt_binder *binder, const lt_ast_expression *ast, const char *name,
                                         lt_ast_expressions *out, leat_error *err) {
    named_parameters parameters;
    LT_TRY(named_parameters_read(binder, name, &parameters, err));
    LT_TRY_NEW_ARRAY(out->items, binder->arena, LT_TAKES_MAX, err);
    for (uint32_t i = 0; i < ast->arguments.count; i++) {
        lt_ast_expression *argument = ast->arguments.items[i];
        uint32_t           at       = i;
        if (argument->kind == LT_AST_NAMED_ARGUMENT) {
            if (parameters.count == 0)
                return lt_raise(err, LT_NAMED_PARAMETERS_NOT_SUPPORTED, &argument->place,
                                "`%s` takes no arguments by name", name);
            for (at = 0; at < parameters.count && lt_ascii_compare(parameters.names[at], argument->name.text) != 0;)
                at++;
            if (at == parameters.count)
                return lt_raise(err, LT_UNRECOGNIZED_PARAMETER_NAME, &argument->place, "`%s` has no argument `%s`",
                                name, argument->name.text);
            argument = argument->arguments.items[0];
        }
        if (at >= LT_TAKES_MAX)
            return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &ast->place, "too many arguments");
        if (out->items[at] != NULL)
            return lt_raise(err, LT_DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT__DOUBLE_NAMED_ARGUMENT_REFERENCE,
                            &argument->place, "argument `%s` of `%s` is given twice", parameters.names[at], name);
        out->items[at] = argument;
        if (at >= out->count) out->count = at + 1;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        if (out->items[i] == NULL && i < parameters.count) out->items[i] = parameters.defaults[i];
        if (out->items[i] == NULL)
            return lt_raise(err, LT_REQUIRED_PARAMETER_NOT_FOUND, &ast->place,
                            "an argument of `%s` in front of a named one is missing", name);
    }
    return LEAT_OK;
}

// Too few arguments of a function whose arguments have names.
static leat_status required_check(lt_binder *binder, const lt_ast_expression *ast, const char *name, uint32_t count,
                                  leat_error *err) {
    named_parameters parameters;
    if (ast->arguments.count == 1 && ast->arguments.items[0]->kind == LT_AST_STAR) return LEAT_OK;
    LT_TRY(named_parameters_read(binder, name, &parameters, err));
    for (uint32_t i = count; i < parameters.count; i++)
        if (parameters.defaults[i] == NULL)
            return lt_raise(err, LT_REQUIRED_PARAMETER_NOT_FOUND, &ast->place, "`%s` needs its argument `%s`", name,
                            parameters.names[i]);
    return LEAT_OK;
}

// Binds all but lambdas, which wait for the types of their variables.
static leat_status arguments_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expressions *asts, lt_bounds *out,
                                  leat_error *err) {
    for (uint32_t i = 0; i < asts->count; i++) {
        const lt_ast_expression *ast = asts->items[i];
        if (ast->kind == LT_AST_STAR) {
            lt_outputs outputs = {0};
            if (ast->names.count == 0 && (scope->relation == NULL || scope->relation->columns.count == 0)) continue;
            LT_TRY(lt_star_bind(binder, scope, ast, &outputs, err));
            for (uint32_t k = 0; k < outputs.count; k++) {
                const lt_bound bound = {.expression = outputs.items[k].expression,
                                        .text       = outputs.items[k].text,
                                        .name       = outputs.items[k].name,
                                        .size       = 1,
                                        .depth      = 1};
                LT_LIST_ADD(binder->arena, out, bound, err);
            }
            continue;
        }
        lt_bound bound = {.text = "", .size = 1, .depth = 1};
        if (ast->kind != LT_AST_LAMBDA) LT_TRY(lt_bind_expression(binder, scope, ast, &bound, err));
        LT_LIST_ADD(binder->arena, out, bound, err);
    }
    return LEAT_OK;
}

static leat_status no_lambdas_check(const lt_ast_expressions *asts, leat_error *err) {
    for (uint32_t i = 0; i < asts->count; i++)
        if (asts->items[i]->kind == LT_AST_LAMBDA)
            return lt_raise(err, LT_INVALID_LAMBDA_FUNCTION_CALL__NON_HIGHER_ORDER_FUNCTION, &asts->items[i]->place,
                            "a lambda stands where no function takes one");
    return LEAT_OK;
}

leat_status lt_bind_list(lt_binder *binder, lt_scope *scope, const lt_ast_expressions *asts, lt_bounds *out,
                         leat_error *err) {
    LT_TRY(no_lambdas_check(asts, err));
    return arguments_bind(binder, scope, asts, out, err);
}

static bool takes_lambdas(lt_binder *binder, const char *name) {
    for (const lt_function *const *array = binder->context->functions; array != NULL && *array != NULL; array++)
        for (const lt_function *row = *array; row->name != NULL; row++)
            for (uint32_t i = 0; i < LT_TAKES_MAX && row->takes[i] != LT_TAKES_END && strcmp(row->name, name) == 0; i++)
                if ((row->takes[i] & (LT_TAKES_REPEATED - 1)) == LT_TAKES_LAMBDA) return true;
    return false;
}

static leat_status plain_call_check(const lt_ast_expression *ast, const char *name, leat_error *err) {
    const lt_ast_call *call = ast->call;
    if (call->distinct || call->filter != NULL || call->within_group.count > 0 ||
        call->nulls != LT_AST_CALL_NULLS_DEFAULT)
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__FUNCTION_WITH_UNSUPPORTED_SYNTAX, &ast->place,
                        "`%s` is no aggregate: it takes no DISTINCT, FILTER, WITHIN GROUP or IGNORE NULLS", name);
    return LEAT_OK;
}

static leat_status generator_misplaced(const lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                       leat_error *err) {
    if (scope->clause == LT_CLAUSE_SELECT || scope->clause == LT_CLAUSE_PIPE)
        return lt_raise(err, LT_UNSUPPORTED_GENERATOR__NESTED_IN_EXPRESSIONS, &ast->place,
                        "`%s` gives rows: it has to be a whole item of the select list", name);
    if (scope->clause == LT_CLAUSE_VALUES)
        return lt_raise(err, LT_INVALID_INLINE_TABLE__CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE, &ast->place,
                        "VALUES cannot hold `%s`, which gives rows", name);
    return lt_raise(err, LT_UNSUPPORTED_GENERATOR__OUTSIDE_SELECT, &ast->place,
                    "`%s` gives rows: it stands in a select list or in LATERAL VIEW", name);
}

// The name without session. and the like; NULL: a schema that holds no functions.
static const char *routine_name(lt_binder *binder, const lt_ast_names *names) {
    for (uint32_t i = 0; i + 1 < names->count; i++) {
        const char *part = names->items[i].text;
        if (lt_ascii_compare(part, "system") != 0 && lt_ascii_compare(part, "session") != 0 &&
            lt_ascii_compare(part, "builtin") != 0 && lt_ascii_compare(part, "default") != 0 &&
            lt_ascii_compare(part, "spark_catalog") != 0)
            return NULL;
    }
    return lt_lower(binder->arena, lt_ast_names_last(names));
}

leat_status lt_call_ast(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                        leat_error *err) {
    const lt_ast_names *names = &ast->call->name;
    const char         *name  = routine_name(binder, names);
    if (name == NULL)
        return lt_raise(err, LT_UNRESOLVED_ROUTINE, &ast->place, "no function `%s.%s`", names->items[0].text,
                        lt_ast_names_last(names));
    // The grammar knows the units of these two; with any other word they are no routine, as in Spark.
    if (ast->spelling != LT_AST_SPELLING_UNIT &&
        (strcmp(name, "timestampadd") == 0 || strcmp(name, "timestampdiff") == 0))
        return lt_raise(err, LT_UNRESOLVED_ROUTINE, &ast->place, "`%s` wants a unit like DAY, a count and a time",
                        name);
    if (ast->call->over != NULL) return lt_over_bind(binder, scope, ast, name, out, err);
    bool is_special;
    LT_TRY(lt_special_form_bind(binder, scope, ast, name, &is_special, out, err));
    if (is_special) return LEAT_OK;
    const lt_catalog_function *made =
        binder->context->catalog == NULL ? NULL : lt_catalog_function_find(binder->context->catalog, name);
    if (lt_is_window_only_name(binder, name))
        return lt_raise(err, LT_WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE, &ast->place, "`%s` needs an OVER clause", name);
    if (made == NULL && lt_is_aggregate_name(binder, name) && !lt_is_function_name(binder, name))
        return lt_aggregate_call_bind(binder, scope, ast, name, out, err);
    if (made == NULL && lt_is_generator_name(binder, name)) return generator_misplaced(scope, ast, name, err);
    if (made == NULL && !lt_is_function_name(binder, name)) return lt_unknown_function(binder, name, &ast->place, err);
    LT_TRY(plain_call_check(ast, name, err));
    lt_ast_expressions ordered = ast->arguments;
    for (uint32_t i = 0; i < ast->arguments.count; i++)
        if (ast->arguments.items[i]->kind == LT_AST_NAMED_ARGUMENT) {
            ordered = (lt_ast_expressions){0};
            LT_TRY(named_arguments_order(binder, ast, name, &ordered, err));
            break;
        }
    if (made == NULL) LT_TRY(required_check(binder, ast, name, ordered.count, err));
    lt_bounds arguments = {0};
    if (made != NULL || (lt_is_function_name(binder, name) && !takes_lambdas(binder, name)))
        LT_TRY(no_lambdas_check(&ordered, err));
    LT_TRY(arguments_bind(binder, scope, &ordered, &arguments, err));
    if (made != NULL && made->native == NULL)
        return sql_function_call(binder, scope, made, arguments.items, arguments.count, name, &ast->place, out, err);
    return call_with(binder, scope, name, name, arguments.items, arguments.count,
                     arguments.count == ordered.count ? &ordered : NULL, NULL, &ast->place, out, err);
}
