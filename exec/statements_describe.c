#include "exec/session.h"

#include "base/ascii.h"
#include "parser/print.h"

// statements_describe: DESCRIBE FUNCTION, SHOW CREATE, and the text of CREATE that it shows.

// What a registry or a statement says of a function.
typedef struct function_facts {
    const char *name, *kind, *summary, *example, *result;
} function_facts;

static bool facts_find(const leat_session *session, const char *name, function_facts *out) {
    for (const lt_function *const *file = lt_session_functions(session); *file != NULL; file++)
        for (const lt_function *row = *file; row->name != NULL; row++)
            if (!row->is_internal && lt_ascii_compare(row->name, name) == 0 &&
                (out->name == NULL || row->summary != NULL)) {
                *out = (function_facts){row->name, "scalar", row->summary, row->example, row->example_result};
                if (row->summary != NULL) return true;
            }
    for (const lt_aggregate *const *file = lt_aggregate_registry; *file != NULL; file++)
        for (const lt_aggregate *row = *file; row->name != NULL; row++)
            if (lt_ascii_compare(row->name, name) == 0 && (out->name == NULL || row->summary != NULL)) {
                const char *kind = row->is_window_only ? "window" : "aggregate";
                *out             = (function_facts){row->name, kind, row->summary, row->example, row->example_result};
                if (row->summary != NULL) return true;
            }
    for (const lt_generator *const *file = lt_generator_registry; *file != NULL; file++)
        for (const lt_generator *row = *file; row->name != NULL; row++)
            if (lt_ascii_compare(row->name, name) == 0 && (out->name == NULL || row->summary != NULL))
                *out = (function_facts){row->name, "table", row->summary, row->example, row->example_result};
    for (const lt_spoken_form *row = lt_spoken_forms; row->name != NULL && out->name == NULL; row++)
        if (lt_ascii_compare(row->name, name) == 0)
            *out = (function_facts){row->name, "form of the language", row->summary, row->example, row->example_result};
    return out->name != NULL;
}

static leat_status line(leat_statement *statement, leat_error *err, const char *label, const char *text) {
    if (text == NULL) return LEAT_OK;
    char *whole = lt_arena_format(&statement->result_arena, "%s%s", label, text);
    if (whole == NULL) return lt_raise_no_memory(err);
    const char *row[] = {whole};
    return lt_statement_text_row(statement, row, err);
}

static leat_status describe_sql_function(leat_statement *statement, const lt_catalog_function *function,
                                         leat_error *err) {
    const char *input = "";
    for (uint32_t i = 0; i < function->parameter_count && input != NULL; i++)
        input = lt_arena_format(&statement->result_arena, "%s%s%s %s", input, i == 0 ? "" : ", ",
                                function->parameters[i].name,
                                lt_type_text(&statement->result_arena, function->parameters[i].type));
    if (input == NULL) return lt_raise_no_memory(err);
    const bool is_table = function->table_columns != NULL;
    LT_TRY(line(statement, err, "Function: ", function->name));
    LT_TRY(line(statement, err, "Type:     ", is_table ? "TABLE" : "SCALAR"));
    LT_TRY(line(statement, err, "Input:    ", input[0] == '\0' ? "()" : input));
    if (!is_table && function->returns != NULL)
        LT_TRY(line(statement, err, "Returns:  ", lt_type_text(&statement->result_arena, function->returns)));
    return statement->tree->extended ? line(statement, err, "Body:     ", function->body_sql) : LEAT_OK;
}

leat_status lt_describe_function(leat_statement *statement, leat_error *err) {
    static const char *const   columns[] = {"function_desc"};
    const char                *name      = lt_ast_names_last(&statement->tree->name);
    const lt_catalog_function *own       = lt_catalog_function_find(&statement->session->catalog, name);
    function_facts             facts     = {0};
    if (own == NULL && !facts_find(statement->session, name, &facts))
        return lt_raise(err, LT_UNRESOLVED_ROUTINE, &statement->tree->name.items[0].place, "no function `%s`", name);
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    if (own != NULL && own->native == NULL) return describe_sql_function(statement, own, err);
    if (own != NULL) facts = (function_facts){.name = own->name, .kind = "scalar, of the host"};
    LT_TRY(line(statement, err, "Function: ", facts.name));
    LT_TRY(line(statement, err, "Kind: ", facts.kind));
    LT_TRY(line(statement, err, "Usage: ", facts.summary));
    if (!statement->tree->extended || facts.example == NULL) return LEAT_OK;
    LT_TRY(line(statement, err, "Example: ", facts.example));
    return line(statement, err, "Result: ", facts.result);
}

leat_status lt_show_create(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"createtab_stmt"};
    const char              *name      = lt_ast_names_last(&statement->tree->name);
    const lt_catalog_entry  *entry     = lt_catalog_find(&statement->session->catalog, name);
    if (entry == NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &statement->tree->place, "no relation `%s`", name);
    if (entry->create_sql == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &statement->tree->place, "`%s` was made by no statement", name);
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    return lt_statement_text_row(statement, &entry->create_sql, err);
}

leat_status lt_created_note(leat_statement *statement, const lt_ast_statement *written, leat_error *err) {
    const char       *name  = lt_ast_names_last(&statement->tree->name);
    lt_catalog_entry *entry = lt_catalog_find(&statement->session->catalog, name);
    lt_buffer         text;
    if (entry == NULL || entry->create_sql != NULL) return LEAT_OK;
    lt_buffer_init(&text, &statement->session->account, 0);
    leat_status status = lt_print_statement(&text, written, err);
    if (status == LEAT_OK) {
        entry->create_sql = lt_arena_text(&entry->arena, text.data, text.bytes);
        if (entry->create_sql == NULL) status = lt_raise_no_memory(err);
    }
    lt_buffer_deinit(&text);
    return status;
}
