#include "exec/session.h"

#include "base/ascii.h"
#include "parser/parser.h"

// execute: EXECUTE IMMEDIATE: a text is parsed and runs in place of the statement, with the values of USING
// as its parameters; INTO stores its one row in variables.

static leat_status text_of(leat_statement *statement, lt_bind_context *context, const char **out, leat_error *err) {
    const lt_vector *value;
    LT_TRY(lt_bind_constant(context, statement->tree->body, lt_type_of(LT_STRING), &value, err));
    if (lt_vector_is_null(value, 0))
        return lt_raise(err, LT_NULL_QUERY_STRING_EXECUTE_IMMEDIATE, &statement->tree->place,
                        "the text to execute is NULL");
    const lt_string *text = &LT_LANES(value, const lt_string)[0];
    *out                  = lt_arena_text(&statement->result_arena, lt_string_data(text), text->bytes);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// The parameters of the text in their order: `?` takes the next value, `:name` the one of that alias.
static leat_status parameters_of(leat_statement *statement, lt_bind_context *context, const lt_ast_statement *inner,
                                 const lt_vector ***out, leat_error *err) {
    const lt_ast_items *items = &statement->tree->items;
    const lt_vector   **values;
    uint32_t            next = 0;
    LT_TRY_NEW_ARRAY(values, &statement->result_arena, items->count + 1u, err);
    LT_TRY_NEW_ARRAY(*out, &statement->result_arena, inner->parameter_count + 1u, err);
    for (uint32_t i = 0; i < items->count; i++)
        LT_TRY(lt_bind_constant(context, items->items[i].expression, NULL, &values[i], err));
    for (uint32_t p = 0; p < inner->parameter_count; p++) {
        const char *name = inner->parameters.items[p].text;
        if (name == NULL) {
            if (next < items->count) (*out)[p] = values[next++];
            continue;
        }
        for (uint32_t i = 0; i < items->count; i++) {
            const lt_ast_item *item  = &items->items[i];
            const char        *alias = item->alias.text;
            if (alias == NULL && item->expression->kind == LT_AST_COLUMN)
                alias = lt_ast_names_last(&item->expression->names);
            if (alias != NULL && lt_ascii_compare(alias, name) == 0) (*out)[p] = values[i];
        }
    }
    return LEAT_OK;
}

leat_status lt_run_execute_immediate(leat_statement *statement, leat_error *err) {
    lt_ast_statement *written = statement->tree;
    lt_ast_statement *inner, into;
    lt_bind_context   context;
    const char       *text;
    const lt_vector **values;
    lt_bind_context_init(statement->session, statement, &statement->result_arena, &statement->evaluation, &context);
    LT_TRY(text_of(statement, &context, &text, err));
    LT_TRY(lt_parse_statement(text, strlen(text), &statement->result_arena, &inner, NULL, err));
    if (inner->kind == LT_AST_STATEMENT_EXECUTE_IMMEDIATE)
        return lt_raise(err, LT_NESTED_EXECUTE_IMMEDIATE, &written->place, "the text is an EXECUTE IMMEDIATE itself");
    if (written->target_columns.count > 0 && inner->kind != LT_AST_STATEMENT_QUERY)
        return lt_raise(err, LT_INVALID_STATEMENT_FOR_EXECUTE_INTO, &written->place, "INTO takes the row of a query");
    LT_TRY(parameters_of(statement, &context, inner, &values, err));
    if (written->target_columns.count > 0) {
        into                 = (lt_ast_statement){.kind           = LT_AST_STATEMENT_SET_VARIABLE,
                                                  .place          = written->place,
                                                  .query          = inner->query,
                                                  .target_columns = written->target_columns};
        into.parameter_count = inner->parameter_count;
        inner                = &into;
    }
    const lt_vector **parameters      = statement->parameters;
    const uint32_t    parameter_count = statement->parameter_count;
    statement->tree                   = inner;
    statement->parameters             = values;
    statement->parameter_count        = inner->parameter_count;
    const leat_status status          = lt_statement_run(statement, err);
    statement->tree                   = written;
    statement->parameters             = parameters;
    statement->parameter_count        = parameter_count;
    return status;
}
