#include "parser/build_node.h"

// CREATE: the head, then clauses that fill the same node in the order in which they stand.

lt_ast_statement *lt_build_create(lt_builder *b, const lt_token *begin, bool or_replace, bool temporary, bool global) {
    lt_ast_statement *statement = lt_build_statement_new(b, LT_AST_STATEMENT_CREATE_TABLE, &begin->place);
    statement->or_replace       = or_replace;
    statement->temporary        = temporary;
    statement->global           = global;
    return statement;
}

lt_ast_statement *lt_build_create_named(lt_builder *b, lt_ast_statement *statement, lt_ast_statement_kind kind,
                                        bool streaming, bool if_not_exists, const lt_ast_names *name) {
    if (kind == LT_AST_STATEMENT_CREATE_VIEW && statement->or_replace && if_not_exists)
        lt_build_fail(b, LT_CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE, &b->tokens[b->at].place,
                      "OR REPLACE and IF NOT EXISTS exclude each other");
    statement->kind          = kind;
    statement->streaming     = streaming;
    statement->if_not_exists = if_not_exists;
    statement->name          = *name;
    return statement;
}

lt_ast_statement *lt_build_create_elements(lt_builder *b, lt_ast_statement *statement,
                                           const lt_ast_statement *elements) {
    statement->columns     = elements->columns;
    statement->watermarks  = elements->watermarks;
    statement->primary_key = elements->primary_key;
    const bool is_view =
        statement->kind == LT_AST_STATEMENT_CREATE_VIEW || statement->kind == LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW;
    for (uint32_t i = 0; i < statement->columns.count && !is_view; i++) {
        const lt_ast_column *column = &statement->columns.items[i];
        if (column->type == NULL && column->generated == NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &column->name.place, "syntax error: column `%s` has no type",
                          column->name.text);
    }
    return statement;
}

lt_ast_statement *lt_build_create_using(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *name) {
    statement->using_name        = lt_build_option_key(b, name);
    statement->using_name.quoted = name->count != 1 || name->items[0].quoted;
    return statement;
}

lt_ast_statement *lt_build_create_like(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *name) {
    if (statement->kind != LT_AST_STATEMENT_CREATE_TABLE)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &name->items[0].place,
                      "syntax error: LIKE copies the columns of tables");
    statement->like_name = *name;
    return statement;
}

static void options_append(lt_builder *b, lt_ast_options *list, const lt_ast_options *more) {
    for (uint32_t i = 0; i < more->count; i++) LIST_PUSH(b, list, more->items[i]);
}

lt_ast_statement *lt_build_create_options(lt_builder *b, lt_ast_statement *statement, const lt_ast_options *options) {
    options_append(b, &statement->options, options);
    return statement;
}

lt_ast_statement *lt_build_create_properties(lt_builder *b, lt_ast_statement *statement,
                                             const lt_ast_options *options) {
    options_append(b, &statement->properties, options);
    return statement;
}

lt_ast_statement *lt_build_create_partitioned(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *names) {
    (void)b;
    statement->partitioned_by = *names;
    return statement;
}

lt_ast_statement *lt_build_create_location(lt_ast_statement *statement, const lt_string *text) {
    statement->location = text->text;
    return statement;
}

lt_ast_statement *lt_build_create_comment(lt_ast_statement *statement, const lt_string *text) {
    statement->comment = text->text;
    return statement;
}

// Checks what the shared shape of all CREATE statements leaves open.
lt_ast_statement *lt_build_create_end(lt_builder *b, lt_ast_statement *statement, lt_ast_query *query,
                                      lt_ast_emit emit) {
    const lt_token *here = &b->tokens[b->at];
    statement->query     = query;
    if (query != NULL && emit != LT_AST_EMIT_NONE) statement->query = lt_build_emit(b, query, emit, NULL);
    switch (statement->kind) {
    case LT_AST_STATEMENT_CREATE_VIEW:
        if (query == NULL && statement->using_name.text == NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &here->place, "syntax error: a view wants AS and a query");
        break;
    case LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW:
    case LT_AST_STATEMENT_CREATE_SINK:
        if (query == NULL && !statement->streaming)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &here->place,
                          "syntax error: a standing query wants AS and a query");
        break;
    case LT_AST_STATEMENT_CREATE_STREAM:
        if (query != NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &query->place,
                          "syntax error: a stream has a source, no query; use CREATE VIEW or CREATE MATERIALIZED VIEW");
        break;
    default:
        break;
    }
    if (b->at > 0) statement->place = lt_build_span(&statement->place, &b->tokens[b->at - 1].place);
    return statement;
}

lt_ast_statement *lt_build_elements(lt_builder *b, lt_ast_statement *list, const lt_ast_statement *element) {
    if (list == NULL) list = NEW(b, lt_ast_statement);
    for (uint32_t i = 0; i < element->columns.count; i++) LIST_PUSH(b, &list->columns, element->columns.items[i]);
    for (uint32_t i = 0; i < element->watermarks.count; i++)
        LIST_PUSH(b, &list->watermarks, element->watermarks.items[i]);
    if (element->primary_key.count > 0) list->primary_key = element->primary_key;
    return list;
}

lt_ast_statement *lt_build_element_column(lt_builder *b, const lt_ast_column *column) {
    lt_ast_statement *element = NEW(b, lt_ast_statement);
    LIST_PUSH(b, &element->columns, *column);
    return element;
}

lt_ast_statement *lt_build_element_watermark(lt_builder *b, const lt_token *begin, const lt_ast_name *name,
                                             lt_ast_expression *e) {
    lt_ast_statement *element   = NEW(b, lt_ast_statement);
    lt_ast_watermark *watermark = NEW(b, lt_ast_watermark);
    watermark->item             = lt_build_item(lt_build_column(b, name), NULL, NULL);
    watermark->delay            = e;
    watermark->place            = lt_build_span(&begin->place, &e->place);
    LIST_PUSH(b, &element->watermarks, watermark);
    return element;
}

lt_ast_statement *lt_build_element_key(lt_builder *b, const lt_ast_names *names) {
    lt_ast_statement *element = NEW(b, lt_ast_statement);
    element->primary_key      = *names;
    return element;
}

lt_ast_column lt_build_column_definition(const lt_ast_name *name, lt_ast_type *type) {
    return (lt_ast_column){.name = *name, .type = type};
}

lt_ast_column lt_build_column_generated(const lt_ast_name *name, lt_ast_expression *e) {
    return (lt_ast_column){.name = *name, .generated = e};
}

lt_ast_column lt_build_column_generated_always(const lt_ast_column *column, lt_ast_expression *e) {
    lt_ast_column changed = *column;
    changed.generated     = e;
    return changed;
}

lt_ast_column lt_build_column_not_null(const lt_ast_column *column) {
    lt_ast_column changed = *column;
    changed.not_null      = true;
    return changed;
}

lt_ast_column lt_build_column_default(const lt_ast_column *column, lt_ast_expression *e) {
    lt_ast_column changed = *column;
    changed.default_value = e;
    return changed;
}

lt_ast_column lt_build_column_comment(const lt_ast_column *column, const lt_string *text) {
    lt_ast_column changed = *column;
    changed.comment       = text->text;
    return changed;
}

LIST_BUILDER(lt_build_columns, lt_ast_columns, const lt_ast_column *column, *column)

lt_ast_statement *lt_build_function(lt_builder *b, lt_ast_statement *statement, bool if_not_exists,
                                    const lt_ast_names *name, const lt_ast_columns *parameters) {
    statement->kind          = LT_AST_STATEMENT_CREATE_FUNCTION;
    statement->if_not_exists = if_not_exists;
    statement->name          = *name;
    if (parameters != NULL) statement->columns = *parameters;
    for (uint32_t i = 0; i < statement->columns.count; i++)
        if (statement->columns.items[i].type == NULL)
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &statement->columns.items[i].name.place,
                          "syntax error: parameter `%s` has no type", statement->columns.items[i].name.text);
    return statement;
}

lt_ast_statement *lt_build_function_returns(lt_builder *b, lt_ast_statement *statement, lt_ast_type *type,
                                            const lt_ast_columns *columns, bool is_table) {
    (void)b;
    statement->type   = type;
    statement->object = is_table ? LT_AST_OBJECT_TABLE : LT_AST_OBJECT_NONE;
    if (columns != NULL) statement->returns_columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_function_body(lt_ast_statement *statement, lt_ast_expression *body, lt_ast_query *query) {
    statement->body  = body;
    statement->query = query;
    statement->place = lt_build_span(&statement->place, body != NULL ? &body->place : &query->place);
    return statement;
}

lt_ast_statement *lt_build_create_schema(lt_builder *b, lt_ast_statement *statement, bool if_not_exists,
                                         const lt_ast_names *name) {
    if (statement->or_replace || statement->temporary)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &statement->place, "syntax error: CREATE SCHEMA replaces nothing");
    statement->kind          = LT_AST_STATEMENT_CREATE_SCHEMA;
    statement->if_not_exists = if_not_exists;
    statement->name          = *name;
    return statement;
}
