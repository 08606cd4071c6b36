#include "exec/session.h"

#include "base/ascii.h"

// schema: schemas as names in front of relations: CREATE and DROP SCHEMA, USE, SHOW SCHEMAS; and the names of
// other statements, which become keys of the catalog before they run.

static bool is_default(const char *name) { return lt_ascii_compare(name, "default") == 0; }

static leat_status schema_is_known(const leat_session *session, const lt_ast_name *name, leat_error *err) {
    if (is_default(name->text) || lt_catalog_schema_find(&session->catalog, name->text) != NULL) return LEAT_OK;
    return lt_raise(err, LT_SCHEMA_NOT_FOUND, &name->place, "no schema `%s`", name->text);
}

static leat_status create_schema(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    const char             *name    = lt_ast_names_last(&tree->name);
    if (is_default(name) || lt_catalog_schema_find(&session->catalog, name) != NULL) {
        if (tree->if_not_exists) return LEAT_OK;
        return lt_raise(err, LT_SCHEMA_ALREADY_EXISTS, &tree->name.items[0].place, "the schema `%s` is there already",
                        name);
    }
    if (strchr(name, '.') != NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &tree->name.items[0].place, "the name of a schema has no dot");
    lt_catalog_schema *schema = LT_NEW(&session->arena, lt_catalog_schema);
    char              *copy   = lt_arena_text(&session->arena, name, strlen(name));
    if (schema == NULL || copy == NULL) return lt_raise_no_memory(err);
    *schema = (lt_catalog_schema){.name = copy, .next = session->catalog.schemas};
    LT_TRY(lt_notes_take(statement, tree, &schema->notes, &session->arena, err));
    session->catalog.schemas = schema;
    session->catalog.version++;
    return lt_statement_message_set(statement, err, "schema %s", name);
}

static lt_catalog_entry *entry_within(leat_session *session, const char *schema) {
    const size_t bytes = strlen(schema);
    for (lt_catalog_entry *entry = session->catalog.entries; entry != NULL; entry = entry->next)
        if (entry->schema_bytes == bytes + 1 && lt_ascii_compare_bytes(entry->name, schema, bytes) == 0) return entry;
    return NULL;
}

leat_status lt_run_drop_schema(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    const char             *name    = lt_ast_names_last(&tree->name);
    if (is_default(name))
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__DROP_DATABASE, &tree->place, "the schema `default` stays");
    lt_catalog_schema **link = &session->catalog.schemas;
    while (*link != NULL && lt_ascii_compare((*link)->name, name) != 0) link = &(*link)->next;
    if (*link == NULL)
        return tree->if_exists ? LEAT_OK
                               : lt_raise(err, LT_SCHEMA_NOT_FOUND, &tree->name.items[0].place, "no schema `%s`", name);
    for (lt_catalog_entry *entry = entry_within(session, name); entry != NULL; entry = entry_within(session, name)) {
        if (!tree->extended)
            return lt_raise(err, LT_SCHEMA_NOT_EMPTY, &tree->place, "the schema holds `%s`; use CASCADE", entry->name);
        LT_TRY(lt_relation_drop(session, entry, &tree->place, err));
    }
    if (session->catalog.schema == (*link)->name) session->catalog.schema = NULL;
    *link = (*link)->next;
    session->catalog.version++;
    return lt_statement_message_set(statement, err, "dropped %s", name);
}

static leat_status use_schema(leat_statement *statement, leat_error *err) {
    leat_session      *session = statement->session;
    const lt_ast_name *last    = &statement->tree->name.items[statement->tree->name.count - 1];
    if (statement->tree->name.count == 1 && lt_ascii_compare(last->text, "spark_catalog") == 0) return LEAT_OK;
    LT_TRY(schema_is_known(session, last, err));
    const lt_catalog_schema *schema = lt_catalog_schema_find(&session->catalog, last->text);
    session->catalog.schema         = schema == NULL ? NULL : schema->name;
    session->catalog.version++;
    return LEAT_OK;
}

leat_status lt_run_schema(leat_statement *statement, leat_error *err) {
    return statement->tree->kind == LT_AST_STATEMENT_USE ? use_schema(statement, err) : create_schema(statement, err);
}

leat_status lt_schema_notes_find(leat_statement *statement, lt_catalog_notes **out, leat_error *err) {
    lt_catalog        *catalog = &statement->session->catalog;
    const lt_ast_name *name    = &statement->tree->name.items[statement->tree->name.count - 1];
    *out                       = &catalog->default_notes;
    if (is_default(name->text)) return LEAT_OK;
    for (lt_catalog_schema *schema = catalog->schemas; schema != NULL; schema = schema->next) {
        *out = &schema->notes;
        if (lt_ascii_compare(schema->name, name->text) == 0) return LEAT_OK;
    }
    return schema_is_known(statement->session, name, err);
}

leat_status lt_describe_schema(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"info_name", "info_value"};
    lt_catalog_notes        *notes;
    LT_TRY(lt_schema_notes_find(statement, &notes, err));
    const char *rows[][2] = {{"Catalog Name", "spark_catalog"},
                             {"Namespace Name", lt_ast_names_last(&statement->tree->name)},
                             {"Comment", notes->comment == NULL ? "" : notes->comment}};
    LT_TRY(lt_statement_text_columns(statement, columns, 2, err));
    for (size_t i = 0; i < 3; i++) LT_TRY(lt_statement_text_row(statement, rows[i], err));
    if (!statement->tree->extended) return LEAT_OK;
    const char *properties[] = {"Properties", NULL};
    LT_TRY(lt_properties_text(notes, true, &statement->result_arena, &properties[1], err));
    return lt_statement_text_row(statement, properties, err);
}

leat_status lt_show_schemas(leat_statement *statement, bool (*is_wanted)(const leat_statement *, const char *),
                            leat_error     *err) {
    static const char *const columns[] = {"namespace"};
    const char             **names;
    uint32_t                 count = 0;
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    for (const lt_catalog_schema *schema = statement->session->catalog.schemas; schema != NULL; schema = schema->next)
        count++;
    LT_TRY_NEW_ARRAY(names, &statement->result_arena, count + 1u, err);
    names[0] = "default";
    count    = 1;
    for (const lt_catalog_schema *schema = statement->session->catalog.schemas; schema != NULL; schema = schema->next) {
        uint32_t at = count++;
        for (; at > 0 && lt_ascii_compare(names[at - 1], schema->name) > 0; at--) names[at] = names[at - 1];
        names[at] = schema->name;
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_wanted(statement, names[i])) LT_TRY(lt_statement_text_row(statement, &names[i], err));
    return LEAT_OK;
}

leat_status lt_show_current_schema(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"catalog", "namespace"};
    const char              *schema    = statement->session->catalog.schema;
    const char              *row[]     = {"spark_catalog", schema == NULL ? "default" : schema};
    LT_TRY(lt_statement_text_columns(statement, columns, 2, err));
    return lt_statement_text_row(statement, row, err);
}

// ---- names
// ----------------------------------------------------------------------------------------------------------

static bool names_relation(const lt_ast_statement *tree) {
    switch (tree->kind) {
    case LT_AST_STATEMENT_CREATE_TABLE:
    case LT_AST_STATEMENT_CREATE_STREAM:
    case LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW:
    case LT_AST_STATEMENT_CREATE_SINK:
    case LT_AST_STATEMENT_INSERT:
    case LT_AST_STATEMENT_TRUNCATE:
    case LT_AST_STATEMENT_ALTER_TABLE:
    case LT_AST_STATEMENT_ALTER_VIEW:
    case LT_AST_STATEMENT_ANALYZE:
    case LT_AST_STATEMENT_PROCESS_ALL:
    case LT_AST_STATEMENT_AWAIT_TERMINATION:
    case LT_AST_STATEMENT_START_QUERY:
    case LT_AST_STATEMENT_STOP_QUERY:
        return true;
    case LT_AST_STATEMENT_CREATE_VIEW:
        return !tree->temporary;
    case LT_AST_STATEMENT_COMMENT_ON:
        return tree->object != LT_AST_OBJECT_SCHEMA && tree->object != LT_AST_OBJECT_COLUMN;
    case LT_AST_STATEMENT_CACHE:
        return tree->query == NULL && tree->name.count > 0;
    case LT_AST_STATEMENT_DROP:
        return tree->object != LT_AST_OBJECT_SCHEMA && tree->object != LT_AST_OBJECT_FUNCTION;
    case LT_AST_STATEMENT_DESCRIBE:
        return tree->object == LT_AST_OBJECT_TABLE &&
               !(tree->name.count == 2 && lt_format_find(tree->name.items[0].text) != NULL);
    case LT_AST_STATEMENT_SHOW:
        return tree->object == LT_AST_OBJECT_TABLE || strcmp(tree->what.text, "TBLPROPERTIES") == 0 ||
               strcmp(tree->what.text, "COLUMNS") == 0 || strcmp(tree->what.text, "PARTITIONS") == 0;
    default:
        return false;
    }
}

static bool is_creating(lt_ast_statement_kind kind) {
    return kind >= LT_AST_STATEMENT_CREATE_TABLE && kind <= LT_AST_STATEMENT_CREATE_SINK;
}

static leat_status name_resolve(leat_statement *statement, lt_ast_names *names, bool is_new, leat_error *err) {
    const lt_catalog *catalog = &statement->session->catalog;
    const bool        is_bare = names->count == 0 || (names->count == 1 && catalog->schema == NULL);
    if (is_bare) return LEAT_OK;
    if (is_new && names->count > 1) LT_TRY(schema_is_known(statement->session, &names->items[names->count - 2], err));
    const char  *key = lt_catalog_key(catalog, catalog->schema, &statement->result_arena, names);
    lt_ast_name *one;
    if (key == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW(one, &statement->result_arena, err);
    *one   = (lt_ast_name){.text = key, .bytes = (uint32_t)strlen(key), .place = names->items[0].place};
    *names = (lt_ast_names){.items = one, .count = 1};
    return LEAT_OK;
}

// ALTER TABLE s.t RENAME TO u: it stays in s.
static leat_status schema_stays(leat_statement *statement, lt_ast_statement *tree, leat_error *err) {
    lt_ast_name *parts;
    if (tree->new_name.count != 1 || tree->name.count < 2) return LEAT_OK;
    LT_TRY_NEW_ARRAY(parts, &statement->result_arena, 2, err);
    parts[0]       = tree->name.items[tree->name.count - 2];
    parts[1]       = tree->new_name.items[0];
    tree->new_name = (lt_ast_names){.items = parts, .count = 2};
    return LEAT_OK;
}

leat_status lt_statement_names_resolve(leat_statement *statement, lt_ast_statement **out, leat_error *err) {
    lt_ast_statement *copy;
    *out = statement->tree;
    if (!names_relation(statement->tree)) return LEAT_OK;
    LT_TRY_NEW(copy, &statement->result_arena, err);
    *copy = *statement->tree;
    LT_TRY(schema_stays(statement, copy, err));
    LT_TRY(name_resolve(statement, &copy->name, is_creating(copy->kind), err));
    LT_TRY(name_resolve(statement, &copy->new_name, true, err));
    LT_TRY(name_resolve(statement, &copy->like_name, false, err));
    *out = copy;
    return LEAT_OK;
}
