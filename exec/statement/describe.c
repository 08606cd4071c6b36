#include "exec/session.h"

#include "base/ascii.h"
#include "parser/print.h"

// describe: DESCRIBE of relations, columns, queries and functions.

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

static leat_status describe_function(leat_statement *statement, leat_error *err) {
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

// ----------------------------------------------------------------------------------------------------------- relations

const char *lt_relation_kind_name(lt_relation_kind kind) {
    static const char *const names[] = {"STREAM", "TABLE",       "TABLE", "VIEW", "MATERIALIZED VIEW",
                                        "SINK",   "SYSTEM TABLE"};
    return names[kind];
}

static leat_status column_rows(leat_statement *statement, const lt_catalog_column *fields, uint32_t count,
                               leat_error *err) {
    for (uint32_t c = 0; c < count; c++) {
        lt_buffer type;
        lt_buffer_init(&type, &statement->session->account, 0);
        leat_status status = lt_type_print_simple(fields[c].type, &type, err);
        char       *text   = status == LEAT_OK ? lt_arena_text(&statement->result_arena, type.data, type.bytes) : NULL;
        lt_buffer_deinit(&type);
        LT_TRY(status);
        if (text == NULL) return lt_raise_no_memory(err);
        const char *row[] = {fields[c].name, text, fields[c].comment};
        LT_TRY(lt_statement_text_row(statement, row, err));
    }
    return LEAT_OK;
}

static leat_status describe_columns(leat_statement *statement, const lt_catalog_column *fields, uint32_t count,
                                    leat_error *err) {
    static const char *const columns[] = {"col_name", "data_type", "comment"};
    LT_TRY(lt_statement_text_columns(statement, columns, 3, err));
    return column_rows(statement, fields, count, err);
}

// The columns of PARTITIONED BY once more, as Spark shows them.
static leat_status describe_partition(leat_statement *statement, const lt_catalog_entry *entry, leat_error *err) {
    static const char *const heads[][3] = {{"# Partition Information", "", ""}, {"# col_name", "data_type", "comment"}};
    if (entry->partition_count == 0) return LEAT_OK;
    for (size_t i = 0; i < 2; i++) LT_TRY(lt_statement_text_row(statement, heads[i], err));
    return column_rows(statement, entry->columns + (entry->column_count - entry->partition_count),
                       entry->partition_count, err);
}

static leat_status fact(void *user, const char *name, const char *value, leat_error *err) {
    const char *row[] = {name, value, ""};
    return value == NULL ? LEAT_OK : lt_statement_text_row(user, row, err);
}

static leat_status describe_details(leat_statement *statement, const lt_catalog_entry *entry, leat_error *err) {
    LT_TRY(fact(statement, "", "", err));
    LT_TRY(fact(statement, "# Detailed Table Information", "", err));
    return lt_relation_facts(statement, entry, fact, statement, err);
}

leat_status lt_relation_facts(leat_statement *statement, const lt_catalog_entry *entry,
                              leat_status (*give)(void *user, const char *name, const char *value, leat_error *err),
                              void *user, leat_error *err) {
    lt_arena   *arena = &statement->result_arena;
    const char *schema =
        entry->schema_bytes > 0 ? lt_arena_text(arena, entry->name, entry->schema_bytes - 1) : "default";
    const bool       has_files = entry->kind == LT_RELATION_STREAM || entry->kind == LT_RELATION_FILE_TABLE;
    const lt_stream *files     = has_files ? entry->object : NULL;
    int64_t          rows      = entry->counts.rows;
    if (entry->kind == LT_RELATION_MEMORY_TABLE) rows = (int64_t)lt_table_row_count(entry->object);
    if (entry->kind == LT_RELATION_QUERY)
        rows = (int64_t)lt_table_row_count(&((const lt_standing *)entry->object)->table);
    if (schema == NULL) return lt_raise_no_memory(err);
    LT_TRY(give(user, "Catalog", "spark_catalog", err));
    LT_TRY(give(user, "Database", schema, err));
    LT_TRY(give(user, "Table", entry->name + entry->schema_bytes, err));
    LT_TRY(give(user, "Type", lt_relation_kind_name(entry->kind), err));
    if (files != NULL) {
        LT_TRY(give(user, "Provider", files->format != NULL ? files->format->name : files->connector->name, err));
        LT_TRY(give(user, "Location", lt_option_given(&files->options, "path"), err));
    } else if (entry->kind == LT_RELATION_MEMORY_TABLE) {
        LT_TRY(give(user, "Provider", "memory", err));
    }
    LT_TRY(give(user, "Comment", entry->notes.comment, err));
    if (entry->notes.property_count > 0) {
        const char *properties;
        LT_TRY(lt_properties_text(&entry->notes, false, arena, &properties, err));
        LT_TRY(give(user, "Table Properties", properties, err));
    }
    if (rows >= 0) {
        const char *count = lt_arena_format(arena, "%lld rows", (long long)rows);
        if (count == NULL) return lt_raise_no_memory(err);
        LT_TRY(give(user, "Statistics", count, err));
    }
    if (entry->kind == LT_RELATION_STREAM && entry->event_time_column >= 0) {
        const char *watermark =
            lt_arena_format(arena, "%s - %lld microseconds", entry->columns[entry->event_time_column].name,
                            (long long)entry->event_time_delay_us);
        if (watermark == NULL) return lt_raise_no_memory(err);
        LT_TRY(give(user, "Watermark", watermark, err));
    }
    return give(user, "View Text", entry->sql, err);
}

// DESCRIBE t c: one column, a fact per row.
static leat_status describe_column(leat_statement *statement, const lt_catalog_entry *entry, const char *name,
                                   leat_error *err) {
    static const char *const columns[] = {"info_name", "info_value"};
    for (uint32_t c = 0; c < entry->column_count; c++) {
        const lt_catalog_column *column = &entry->columns[c];
        if (lt_ascii_compare(column->name, name) != 0) continue;
        lt_buffer type;
        lt_buffer_init(&type, &statement->session->account, 0);
        leat_status status = lt_type_print_simple(column->type, &type, err);
        char       *text   = status == LEAT_OK ? lt_arena_text(&statement->result_arena, type.data, type.bytes) : NULL;
        lt_buffer_deinit(&type);
        LT_TRY(status);
        if (text == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_statement_text_columns(statement, columns, 2, err));
        const char *rows[][2] = {
            {"col_name", name}, {"data_type", text}, {"comment", column->comment != NULL ? column->comment : "NULL"}};
        for (size_t i = 0; i < 3; i++) LT_TRY(lt_statement_text_row(statement, rows[i], err));
        return LEAT_OK;
    }
    return lt_raise(err, LT_COLUMN_NOT_FOUND, &statement->tree->place, "`%s` has no column `%s`", entry->name, name);
}

// Columns of what a query gives, or of files read in place (DESCRIBE json.`orders.json`).
static leat_status describe_query(leat_statement *statement, const lt_ast_query *query, leat_error *err) {
    lt_query_plan      plan;
    lt_catalog_column *fields;
    LT_TRY(lt_query_plan_bind(statement->session, statement, query, true, &statement->result_arena, &plan, err));
    LT_TRY_NEW_ARRAY(fields, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++)
        fields[c] = (lt_catalog_column){.name = plan.root->columns[c].name, .type = plan.root->columns[c].type};
    return describe_columns(statement, fields, plan.root->column_count, err);
}

leat_status lt_relation_missing(const leat_statement *statement, const char *name, leat_error *err) {
    const lt_place *place   = &statement->tree->name.items[0].place;
    const char     *nearest = lt_catalog_nearest(&statement->session->catalog, name);
    if (nearest == NULL) return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, place, "no relation `%s`", name);
    return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, place, "no relation `%s`; did you mean `%s`?", name, nearest);
}

leat_status lt_run_describe(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree     = statement->tree;
    const char             *name     = lt_ast_names_last(&tree->name);
    lt_ast_query            of_files = {.kind = LT_AST_QUERY_TABLE, .name = tree->name, .place = tree->place};
    if (tree->query != NULL) return describe_query(statement, tree->query, err);
    if (tree->object == LT_AST_OBJECT_FUNCTION) return describe_function(statement, err);
    if (tree->object == LT_AST_OBJECT_SCHEMA) return lt_describe_schema(statement, err);
    if (tree->name.count == 2 && lt_format_find(tree->name.items[0].text) != NULL)
        return describe_query(statement, &of_files, err);
    const lt_catalog_entry *entry = name == NULL ? NULL : lt_catalog_find(&statement->session->catalog, name);
    if (entry == NULL) return lt_relation_missing(statement, name, err);
    if (tree->target_columns.count > 0)
        return describe_column(statement, entry, tree->target_columns.items[0].text, err);
    LT_TRY(describe_columns(statement, entry->columns, entry->column_count, err));
    LT_TRY(describe_partition(statement, entry, err));
    if (tree->extended) LT_TRY(describe_details(statement, entry, err));
    return lt_statement_message_set(statement, err, "%s %s", lt_relation_kind_name(entry->kind), entry->name);
}
