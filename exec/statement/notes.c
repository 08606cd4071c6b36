#include "exec/session.h"

#include "base/ascii.h"
#include "parser/parser.h"
#include "parser/print.h"

// notes: what people write beside relations and schemas: comments and properties, from CREATE, COMMENT ON
// and ALTER to SHOW TBLPROPERTIES; and the text of CREATE, which SHOW CREATE gives as the relation is now.

static leat_status text_copy(lt_arena *arena, const char *text, const char **out, leat_error *err) {
    *out = lt_arena_text(arena, text, strlen(text));
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status comment_set(lt_catalog_notes *notes, lt_arena *arena, lt_ast_text text, leat_error *err) {
    notes->comment = NULL;
    if (text.text == NULL) return LEAT_OK;
    notes->comment = lt_arena_text(arena, text.text, text.bytes);
    return notes->comment == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static uint32_t property_place(const lt_catalog_notes *notes, const char *key, bool *out_is_there) {
    uint32_t at   = 0;
    *out_is_there = false;
    while (at < notes->property_count && strcmp(notes->properties[at].key, key) < 0) at++;
    if (at < notes->property_count) *out_is_there = strcmp(notes->properties[at].key, key) == 0;
    return at;
}

// A property is new, has a new value, or goes (value NULL). The list is made anew: readers keep the old one.
static leat_status property_put(lt_catalog_notes *notes, lt_arena *arena, const char *key, const char *value,
                                leat_error *err) {
    lt_catalog_property *changed;
    bool                 is_there;
    const uint32_t       at = property_place(notes, key, &is_there), count = notes->property_count;
    LT_TRY_NEW_ARRAY(changed, arena, count + 2u, err);
    uint32_t to = 0;
    for (uint32_t i = 0; i < at; i++) changed[to++] = notes->properties[i];
    if (value != NULL) {
        LT_TRY(text_copy(arena, key, &changed[to].key, err));
        LT_TRY(text_copy(arena, value, &changed[to].value, err));
        to++;
    }
    for (uint32_t i = at + is_there; i < count; i++) changed[to++] = notes->properties[i];
    notes->properties     = changed;
    notes->property_count = to;
    return LEAT_OK;
}

static leat_status properties_put(leat_statement *statement, const lt_ast_options *written, lt_catalog_notes *notes,
                                  lt_arena *arena, leat_error *err) {
    const lt_ast_options_use use = {.options = written};
    lt_option_values         values;
    LT_TRY(lt_options_bind(statement->session, &use, &statement->result_arena, &values, err));
    for (uint32_t i = 0; i < values.count; i++)
        LT_TRY(property_put(notes, arena, values.values[i].name, values.values[i].value, err));
    return LEAT_OK;
}

leat_status lt_notes_take(leat_statement *statement, const lt_ast_statement *written, lt_catalog_notes *notes,
                          lt_arena *arena, leat_error *err) {
    LT_TRY(comment_set(notes, arena, written->comment, err));
    return properties_put(statement, &written->properties, notes, arena, err);
}

leat_status lt_notes_alter(leat_statement *statement, lt_catalog_notes *notes, lt_arena *arena, leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    if (tree->alter == LT_AST_ALTER_SET_PROPERTIES)
        return properties_put(statement, &tree->properties, notes, arena, err);
    for (uint32_t i = 0; i < tree->properties.count && !tree->if_exists; i++) {
        const lt_ast_name *key = &tree->properties.items[i].key;
        bool               is_there;
        property_place(notes, key->text, &is_there);
        if (!is_there)
            return lt_raise(err, LT_UNSET_NONEXISTENT_PROPERTIES, &key->place,
                            "there is no property `%s`; IF EXISTS takes that", key->text);
    }
    for (uint32_t i = 0; i < tree->properties.count; i++)
        LT_TRY(property_put(notes, arena, tree->properties.items[i].key.text, NULL, err));
    return LEAT_OK;
}

leat_status lt_properties_text(const lt_catalog_notes *notes, bool is_schema, lt_arena *arena, const char **out,
                               leat_error *err) {
    *out = is_schema ? "(" : "[";
    for (uint32_t i = 0; i < notes->property_count && *out != NULL; i++)
        *out = lt_arena_format(arena, is_schema ? "%s%s(%s,%s)" : "%s%s%s=%s", *out, i == 0 ? "" : ", ",
                               notes->properties[i].key, notes->properties[i].value);
    if (*out != NULL) *out = lt_arena_format(arena, "%s%s", *out, is_schema ? ")" : "]");
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- COMMENT ON

static leat_status relation_of(const leat_statement *statement, const char *name, lt_catalog_entry **out,
                               leat_error *err) {
    *out = lt_catalog_find(&statement->session->catalog, name);
    if (*out != NULL && (*out)->kind != LT_RELATION_SYSTEM) return LEAT_OK;
    return lt_relation_missing(statement, name, err);
}

leat_status lt_column_comment_set(leat_statement *statement, lt_catalog_entry *entry, const lt_ast_name *name,
                                  lt_ast_text text, leat_error *err) {
    lt_catalog_column *columns;
    LT_TRY_NEW_ARRAY(columns, &entry->arena, entry->column_count + 1u, err);
    memcpy(columns, entry->columns, sizeof *columns * entry->column_count);
    for (uint32_t c = 0; c < entry->column_count; c++) {
        if (lt_ascii_compare(columns[c].name, name->text) != 0) continue;
        lt_catalog_notes notes = {0};
        LT_TRY(comment_set(&notes, &entry->arena, text, err));
        columns[c].comment = notes.comment;
        entry->columns     = columns;
        return lt_created_renew(statement, entry, err);
    }
    return lt_raise(err, LT_COLUMN_NOT_FOUND, &name->place, "`%s` has no column `%s`", entry->name, name->text);
}

// COMMENT ON COLUMN [s.]t.c
static leat_status comment_on_column(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree    = statement->tree;
    lt_ast_names            table   = {.items = tree->name.items, .count = tree->name.count - 1};
    const lt_catalog       *catalog = &statement->session->catalog;
    lt_catalog_entry       *entry;
    if (tree->name.count < 2)
        return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &tree->name.items[0].place, "a column is named table.column");
    const char *key = lt_catalog_key(catalog, catalog->schema, &statement->result_arena, &table);
    if (key == NULL) return lt_raise_no_memory(err);
    LT_TRY(relation_of(statement, key, &entry, err));
    return lt_column_comment_set(statement, entry, &tree->name.items[tree->name.count - 1], tree->comment, err);
}

leat_status lt_run_comment_on(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    lt_catalog_entry       *entry;
    if (tree->object == LT_AST_OBJECT_COLUMN) return comment_on_column(statement, err);
    if (tree->object == LT_AST_OBJECT_SCHEMA) {
        lt_catalog_notes *notes;
        LT_TRY(lt_schema_notes_find(statement, &notes, err));
        return comment_set(notes, &statement->session->arena, tree->comment, err);
    }
    LT_TRY(relation_of(statement, lt_ast_names_last(&tree->name), &entry, err));
    if ((tree->object == LT_AST_OBJECT_VIEW && entry->kind != LT_RELATION_VIEW && entry->kind != LT_RELATION_QUERY) ||
        (tree->object == LT_AST_OBJECT_STREAM && entry->kind != LT_RELATION_STREAM))
        return lt_raise(err, LT_WRONG_COMMAND_FOR_OBJECT_TYPE, &tree->place, "`%s` is a %s", entry->name,
                        lt_relation_kind_name(entry->kind));
    LT_TRY(comment_set(&entry->notes, &entry->arena, tree->comment, err));
    return lt_created_renew(statement, entry, err);
}

leat_status lt_show_properties(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"key", "value"};
    const lt_ast_statement  *tree      = statement->tree;
    lt_catalog_entry        *entry;
    LT_TRY(relation_of(statement, lt_ast_names_last(&tree->name), &entry, err));
    LT_TRY(lt_statement_text_columns(statement, columns, 2, err));
    for (uint32_t i = 0; i < entry->notes.property_count; i++) {
        const lt_catalog_property *property = &entry->notes.properties[i];
        const char                *row[]    = {property->key, property->value};
        if (tree->key.text != NULL && strcmp(tree->key.text, property->key) != 0) continue;
        LT_TRY(lt_statement_text_row(statement, row, err));
        if (tree->key.text != NULL) return LEAT_OK;
    }
    if (tree->key.text == NULL) return LEAT_OK;
    const char *schema = entry->schema_bytes > 0 ? "" : "default.";
    const char *row[]  = {tree->key.text, lt_arena_format(&statement->result_arena,
                                                          "Table spark_catalog.%s%s does not have property: %s", schema,
                                                          entry->name, tree->key.text)};
    if (row[1] == NULL) return lt_raise_no_memory(err);
    return lt_statement_text_row(statement, row, err);
}

// ------------------------------------------------------------------------------------------------- the text of CREATE

static leat_status written_name(lt_arena *arena, const char *text, lt_ast_name *out, leat_error *err) {
    *out = (lt_ast_name){.text = lt_arena_text(arena, text, strlen(text)), .bytes = (uint32_t)strlen(text)};
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static lt_ast_text written_text(const char *text) {
    return text == NULL ? (lt_ast_text){0} : (lt_ast_text){text, (uint32_t)strlen(text)};
}

// Columns of a table in memory as a CREATE TABLE would give them.
static leat_status written_columns(const lt_catalog_entry *entry, lt_arena *arena, lt_ast_columns *out,
                                   leat_error *err) {
    *out = (lt_ast_columns){.count = entry->column_count};
    LT_TRY_NEW_ARRAY(out->items, arena, entry->column_count + 1u, err);
    for (uint32_t c = 0; c < entry->column_count; c++) {
        const lt_catalog_column *column = &entry->columns[c];
        const char              *type   = lt_type_text(arena, column->type);
        if (type == NULL) return lt_raise_no_memory(err);
        LT_TRY(written_name(arena, column->name, &out->items[c].name, err));
        LT_TRY(lt_parse_type(type, strlen(type), arena, &out->items[c].type, err));
        if (column->default_sql != NULL)
            LT_TRY(lt_parse_expression(column->default_sql, strlen(column->default_sql), arena,
                                       &out->items[c].default_value, err));
        out->items[c].not_null = column->is_not_null;
        out->items[c].comment  = written_text(column->comment);
    }
    return LEAT_OK;
}

static leat_status written_properties(const lt_catalog_notes *notes, lt_arena *arena, lt_ast_options *out,
                                      leat_error *err) {
    *out = (lt_ast_options){.count = notes->property_count};
    LT_TRY_NEW_ARRAY(out->items, arena, notes->property_count + 1u, err);
    for (uint32_t i = 0; i < notes->property_count; i++) {
        lt_ast_expression *value;
        LT_TRY_NEW(value, arena, err);
        value->kind         = LT_AST_LITERAL;
        value->literal.kind = LT_AST_LITERAL_STRING;
        value->literal.text = written_text(notes->properties[i].value);
        LT_TRY(written_name(arena, notes->properties[i].key, &out->items[i].key, err));
        out->items[i].key.quoted = true;
        out->items[i].value      = value;
    }
    return LEAT_OK;
}

// The name in parts, as it is written behind CREATE.
static leat_status written_names(const lt_catalog_entry *entry, lt_arena *arena, lt_ast_names *out, leat_error *err) {
    LT_TRY_NEW_ARRAY(out->items, arena, 2, err);
    out->count = 0;
    if (entry->schema_bytes > 0) {
        const char *schema = lt_arena_text(arena, entry->name, entry->schema_bytes - 1);
        if (schema == NULL) return lt_raise_no_memory(err);
        LT_TRY(written_name(arena, schema, &out->items[out->count++], err));
    }
    return written_name(arena, entry->name + entry->schema_bytes, &out->items[out->count++], err);
}

static leat_status created_tree(const lt_catalog_entry *entry, lt_arena *arena, lt_ast_statement **out,
                                leat_error *err) {
    LT_TRY(lt_parse_statement(entry->create_sql, strlen(entry->create_sql), arena, out, NULL, err));
    lt_ast_statement *tree = *out;
    LT_TRY(written_names(entry, arena, &tree->name, err));
    LT_TRY(written_properties(&entry->notes, arena, &tree->properties, err));
    tree->comment = written_text(entry->notes.comment);
    if (entry->kind == LT_RELATION_MEMORY_TABLE) {
        tree->query     = NULL;
        tree->like_name = (lt_ast_names){0};
        return written_columns(entry, arena, &tree->columns, err);
    }
    for (uint32_t i = 0; i < tree->columns.count; i++)
        for (uint32_t c = 0; c < entry->column_count; c++)
            if (lt_ascii_compare(tree->columns.items[i].name.text, entry->columns[c].name) == 0)
                tree->columns.items[i].comment = written_text(entry->columns[c].comment);
    if (entry->kind != LT_RELATION_VIEW) return LEAT_OK;
    lt_ast_statement *query;
    LT_TRY(lt_parse_statement(entry->sql, strlen(entry->sql), arena, &query, NULL, err));
    tree->query = query->query;
    if (entry->view_columns == NULL) tree->columns = (lt_ast_columns){0};
    return LEAT_OK;
}

static leat_status created_print(leat_statement *statement, lt_catalog_entry *entry, const lt_ast_statement *tree,
                                 leat_error *err) {
    lt_buffer text;
    lt_buffer_init(&text, &statement->session->account, 0);
    leat_status status = lt_print_statement(&text, tree, err);
    if (status == LEAT_OK) {
        entry->create_sql = lt_arena_text(&entry->arena, text.data, text.bytes);
        if (entry->create_sql == NULL) status = lt_raise_no_memory(err);
    }
    lt_buffer_deinit(&text);
    return status;
}

leat_status lt_created_renew(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    lt_ast_statement *tree;
    statement->session->catalog.version++;
    if (entry->create_sql == NULL) return LEAT_OK;
    LT_TRY(created_tree(entry, &statement->result_arena, &tree, err));
    return created_print(statement, entry, tree, err);
}

leat_status lt_created_note(leat_statement *statement, const lt_ast_statement *written, leat_error *err) {
    const char       *name  = lt_ast_names_last(&statement->tree->name);
    lt_catalog_entry *entry = lt_catalog_find(&statement->session->catalog, name);
    if (entry == NULL || entry->create_sql != NULL) return LEAT_OK;
    LT_TRY(lt_notes_take(statement, written, &entry->notes, &entry->arena, err));
    LT_TRY(created_print(statement, entry, written, err));
    const bool is_copy = written->kind == LT_AST_STATEMENT_CREATE_TABLE && written->like_name.count > 0;
    return is_copy ? lt_created_renew(statement, entry, err) : LEAT_OK;
}

leat_status lt_show_create(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"createtab_stmt"};
    lt_catalog_entry        *entry;
    LT_TRY(relation_of(statement, lt_ast_names_last(&statement->tree->name), &entry, err));
    if (entry->create_sql == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &statement->tree->place, "`%s` was made by no statement", entry->name);
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    return lt_statement_text_row(statement, &entry->create_sql, err);
}
