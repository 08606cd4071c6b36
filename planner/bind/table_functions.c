#include "planner/bind/binder.h"

#include "parser/parser.h"

// Functions in FROM: range(), generators, functions made by SQL that return a table; and LATERAL VIEW.

// ---- generators
// ---------------------------------------------------------------------------------------------------------------

static const uint16_t takes_anything[LT_TAKES_MAX];

bool lt_is_generator_name(const lt_binder *binder, const char *name) {
    for (const lt_generator *const *array = binder->context->generators; array != NULL && *array != NULL; array++)
        for (const lt_generator *row = *array; row->name != NULL; row++)
            if (strcmp(row->name, name) == 0) return true;
    return false;
}

static leat_status generator_resolve(const void *row, lt_resolution *resolution, leat_error *err) {
    return ((const lt_generator *)row)->resolve(resolution, err);
}

static const char *function_name(lt_binder *binder, const lt_ast_expression *call) {
    const lt_ast_names *names = &call->call->name;
    return lt_lower(binder->arena, lt_ast_names_last(names));
}

leat_status lt_generator_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *call, lt_generated *out,
                              leat_error *err) {
    lt_candidates candidates = {0};
    lt_bounds     arguments  = {0};
    lt_resolved   resolved;
    const char   *name = function_name(binder, call);
    if (name == NULL) return lt_raise_no_memory(err);
    for (const lt_generator *const *array = binder->context->generators; array != NULL && *array != NULL; array++)
        for (const lt_generator *row = *array; row->name != NULL; row++) {
            if (strcmp(row->name, name) != 0) continue;
            const lt_candidate candidate = {.name        = row->name,
                                            .takes       = takes_anything,
                                            .has_resolve = true,
                                            .resolve     = generator_resolve,
                                            .row         = row};
            LT_LIST_ADD(binder->arena, &candidates, candidate, err);
        }
    lt_ast_expressions plain = call->arguments;
    LT_TRY_NEW_ARRAY(plain.items, binder->arena, plain.count, err);
    for (uint32_t i = 0; i < plain.count; i++) {
        plain.items[i] = call->arguments.items[i];
        if (plain.items[i]->kind == LT_AST_NAMED_ARGUMENT) plain.items[i] = plain.items[i]->arguments.items[0];
    }
    lt_scope inner = *scope;
    inner.overs    = NULL; // rows come before windows over them
    LT_TRY(lt_bind_list(binder, &inner, &plain, &arguments, err));
    LT_TRY(lt_resolve(binder, &inner, &candidates, name, arguments.items, arguments.count, NULL, &call->place, NULL,
                      &resolved, err));
    *out = (lt_generated){.generator      = resolved.row,
                          .arguments      = resolved.arguments,
                          .argument_count = resolved.argument_count,
                          .constants      = resolved.constants,
                          .fields         = resolved.type->fields,
                          .field_count    = resolved.type->field_count,
                          .place          = call->place};
    return LEAT_OK;
}

leat_status lt_generate_plan(lt_binder *binder, const lt_generated *generated, bool is_outer, const lt_plan **plan,
                             leat_error *err) {
    const lt_expression **arguments;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, generated->argument_count, err);
    for (uint32_t i = 0; i < generated->argument_count; i++) {
        arguments[i] = generated->arguments[i];
        LT_TRY(lt_subqueries_lift(binder, plan, &arguments[i], err));
    }
    const uint32_t  before = (*plan)->column_count;
    lt_plan        *generate;
    lt_plan_column *columns;
    LT_TRY(lt_plan_new(binder, LT_PLAN_GENERATE, plan, 1, before + generated->field_count, &generated->place, &generate,
                       err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, generate->column_count, err);
    if (before > 0) memcpy(columns, (*plan)->columns, before * sizeof *columns);
    for (uint32_t i = 0; i < generated->field_count; i++)
        columns[before + i] = (lt_plan_column){.name = generated->fields[i].name, .type = generated->fields[i].type};
    generate->columns                    = columns;
    generate->as.generate.generator      = generated->generator;
    generate->as.generate.arguments      = arguments;
    generate->as.generate.argument_count = generated->argument_count;
    generate->as.generate.constants      = generated->constants;
    generate->as.generate.is_outer       = is_outer || generated->generator->is_outer;
    *plan                                = generate;
    return LEAT_OK;
}

leat_status lt_lateral_view_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                                 lt_relation *out, leat_error *err) {
    lt_generated   generated;
    const char    *name  = function_name(binder, ast->call);
    const uint32_t named = ast->alias.columns.count;
    if (name == NULL) return lt_raise_no_memory(err);
    if (!lt_is_generator_name(binder, name)) {
        if (lt_is_function_name(binder, name) || lt_is_aggregate_name(binder, name))
            return lt_raise(err, LT_UNSUPPORTED_GENERATOR__NOT_GENERATOR, &ast->call->place,
                            "`%s` gives no rows; LATERAL VIEW takes explode and the like", name);
        return lt_raise(err, LT_ROUTINE_NOT_FOUND, &ast->call->place, "no function `%s`", name);
    }
    lt_scope scope = {.clause = LT_CLAUSE_SELECT, .relation = left, .frame = frame};
    LT_TRY(lt_generator_bind(binder, &scope, ast->call, &generated, err));
    *out = *left;
    LT_TRY(lt_generate_plan(binder, &generated, ast->lateral_view_outer, &out->plan, err));
    const uint32_t count = generated.field_count;
    const uint32_t first = out->plan->column_count - count;
    if (named > 0 && named != count)
        return lt_raise(err, LT_UDTF_ALIAS_NUMBER_MISMATCH, &ast->place, "`%s` gives %u columns, there are %u aliases",
                        name, count, named);
    for (uint32_t i = 0; i < count; i++) {
        const lt_scope_column column = {.name = named > 0 ? ast->alias.columns.items[i].text : generated.fields[i].name,
                                        .relation = ast->alias.name.text,
                                        .type     = generated.fields[i].type,
                                        .column   = first + i};
        LT_LIST_ADD(binder->arena, &out->columns, column, err);
    }
    return LEAT_OK;
}

// ---- range
// --------------------------------------------------------------------------------------------------------------------

static leat_status range_bind(lt_binder *binder, const lt_ast_expression *call, lt_relation *out, leat_error *err) {
    const uint32_t count     = call->arguments.count;
    int64_t        values[4] = {0, 0, 1, 1};
    lt_bounds      arguments = {0};
    lt_relation    none      = {0};
    lt_scope       scope     = {.clause = LT_CLAUSE_OTHER, .relation = &none};
    if (count < 1 || count > 4)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &call->place, "range takes 1 to 4 arguments");
    for (uint32_t i = 0; i < count; i++)
        if (call->arguments.items[i]->kind == LT_AST_NAMED_ARGUMENT)
            return lt_raise(err, LT_NAMED_PARAMETERS_NOT_SUPPORTED, &call->arguments.items[i]->place,
                            "range takes no arguments by name");
    LT_TRY(lt_bind_list(binder, &scope, &call->arguments, &arguments, err));
    for (uint32_t i = 0; i < count; i++) {
        const lt_expression *value = arguments.items[i].expression;
        if (!lt_kind_is_numeric(value->type->kind) && value->type->kind != LT_STRING)
            return lt_raise(err, LT_UNEXPECTED_INPUT_TYPE, &value->place, "range takes integers, not %s",
                            lt_type_text(binder->arena, value->type));
        if (!lt_expression_is_foldable(value))
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &value->place, "range takes constants");
        LT_TRY(lt_cast_to(binder, value, lt_type_of(LT_BIGINT), &value, err));
        const lt_vector *constant = value->value;
        if (value->kind != LT_EXPRESSION_LITERAL)
            LT_TRY(binder->context->fold(binder->context->user, value, binder->arena, &constant, err));
        if (lt_vector_is_null(constant, 0))
            return lt_raise(err, LT_FAILED_FUNCTION_CALL, &value->place, "range takes no NULL");
        values[count == 1 ? 1 : i] = LT_VALUE(constant, int64_t, 0);
    }
    if (values[2] == 0) return lt_raise(err, LT_FAILED_FUNCTION_CALL, &call->place, "the step of range cannot be 0");
    lt_plan        *range;
    lt_plan_column *column;
    LT_TRY(lt_plan_new(binder, LT_PLAN_RANGE, NULL, 0, 1, &call->place, &range, err));
    LT_TRY_NEW(column, binder->arena, err);
    *column               = (lt_plan_column){.name = "id", .type = lt_type_of(LT_BIGINT)};
    range->columns        = column;
    range->as.range.start = values[0];
    range->as.range.end   = values[1];
    range->as.range.step  = values[2];
    return lt_relation_of_plan(binder, range, NULL, out, err);
}

// explode(..) in FROM
static leat_status generator_table(lt_binder *binder, const lt_ast_expression *call, lt_frame *frame, lt_relation *out,
                                   leat_error *err) {
    lt_generated   generated;
    const lt_plan *plan;
    lt_relation    none  = {0};
    lt_scope       scope = {.clause = LT_CLAUSE_SELECT, .relation = &none, .frame = frame};
    LT_TRY(lt_plan_empty_row(binder, &plan, err));
    none.plan = plan;
    LT_TRY(lt_generator_bind(binder, &scope, call, &generated, err));
    plan = none.plan;
    LT_TRY(lt_generate_plan(binder, &generated, false, &plan, err));
    LT_TRY(lt_relation_of_plan(binder, plan, NULL, out, err));
    // Columns of sub-queries in the arguments stand in front.
    const uint32_t hidden = out->columns.count - generated.field_count;
    out->columns.items += hidden;
    out->columns.count -= hidden;
    out->columns.capacity -= hidden;
    return LEAT_OK;
}

// ---- functions that return a table
// ----------------------------------------------------------------------------------------------

static leat_status made_function_bind(lt_binder *binder, const lt_catalog_function *function,
                                      const lt_ast_expression *call, lt_frame *frame, lt_relation *out,
                                      leat_error *err) {
    const lt_parameter_values *outer     = binder->parameters;
    lt_bounds                  arguments = {0};
    lt_relation                none      = {0};
    lt_scope                   scope     = {.clause = LT_CLAUSE_OTHER, .relation = &none, .frame = frame};
    lt_parameter_values        parameters;
    lt_ast_statement          *statement;
    if (binder->nesting >= LT_BIND_NESTING_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, &call->place, "functions and views are nested too deeply");
    LT_TRY(lt_bind_list(binder, &scope, &call->arguments, &arguments, err));
    LT_TRY(lt_parameters_bind(binder, function, arguments.items, arguments.count, &call->place, &parameters, err));
    LT_TRY(lt_parse_statement(function->body_sql, strlen(function->body_sql), binder->arena, &statement, NULL, err));
    if (statement->query == NULL)
        return lt_raise(err, LT_UNRESOLVABLE_TABLE_VALUED_FUNCTION, &call->place, "`%s` returns no table",
                        function->name);
    binder->parameters = &parameters;
    binder->nesting++;
    const leat_status status = lt_query_bind(binder, statement->query, NULL, out, err);
    binder->nesting--;
    binder->parameters = outer;
    LT_TRY(status);
    LT_TRY(lt_relation_visible(binder, out, err));
    for (uint32_t i = 0; i < out->columns.count; i++) {
        out->columns.items[i].relation = function->name;
        if (i < function->table_column_count) out->columns.items[i].name = function->table_columns[i].name;
    }
    return LEAT_OK;
}

// abs(1) in FROM; what is wrong with its arguments is told first.
static leat_status value_function_refuse(lt_binder *binder, const lt_ast_expression *call, const char *name,
                                         lt_frame *frame, leat_error *err) {
    lt_bounds   arguments = {0};
    lt_relation none      = {0};
    lt_scope    scope     = {.clause = LT_CLAUSE_OTHER, .relation = &none, .frame = frame};
    LT_TRY(lt_bind_list(binder, &scope, &call->arguments, &arguments, err));
    return lt_raise(err, LT_NOT_A_TABLE_FUNCTION, &call->place, "`%s` gives a value, not rows; it stands in SELECT",
                    name);
}

leat_status lt_table_call_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *out,
                               leat_error *err) {
    const lt_ast_expression *call = ast->call;
    const char              *name = function_name(binder, call);
    if (name == NULL) return lt_raise_no_memory(err);
    if (strcmp(name, "range") == 0) return range_bind(binder, call, out, err);
    bool is_window;
    LT_TRY(lt_window_table_bind(binder, ast, name, frame, &is_window, out, err));
    if (is_window) return LEAT_OK;
    if (lt_is_generator_name(binder, name)) return generator_table(binder, call, frame, out, err);
    const lt_catalog_function *function =
        binder->context->catalog == NULL ? NULL : lt_catalog_function_find(binder->context->catalog, name);
    if (function != NULL && function->body_sql != NULL)
        return made_function_bind(binder, function, call, frame, out, err);
    if (lt_is_function_name(binder, name) || lt_is_aggregate_name(binder, name) || strcmp(name, "grouping") == 0)
        return value_function_refuse(binder, call, name, frame, err);
    const lt_catalog_entry *entry = NULL;
    if (binder->context->open_function != NULL && call->arguments.count == 0)
        LT_TRY(binder->context->open_function(binder->context->user, name, NULL, &call->place, &entry, err));
    if (binder->context->open_function != NULL && call->arguments.count == 1) {
        const lt_vector *text;
        LT_TRY(lt_bind_constant(binder->context, call->arguments.items[0], lt_type_of(LT_STRING), &text, err));
        const lt_string *string = &LT_LANES(text, const lt_string)[0];
        const char      *argument =
            lt_vector_is_null(text, 0) ? "" : lt_arena_text(binder->arena, lt_string_data(string), string->bytes);
        if (argument == NULL) return lt_raise_no_memory(err);
        LT_TRY(binder->context->open_function(binder->context->user, name, argument, &call->place, &entry, err));
    }
    if (entry != NULL) return lt_entry_bind(binder, entry, name, &call->place, out, err);
    return lt_unknown_table_function(name, &call->place, err);
}
