#include "exec/session.h"

#include "base/ascii.h"
#include "parser/print.h"

// show: SHOW.

// `*` and `|` as in SHOW TABLES LIKE 'a*|b*', without case. Only the last star may take more when the rest does not fit.
static bool pattern_matches(const char *pattern, size_t bytes, const char *text) {
    const char *end = pattern + bytes, *behind_star = NULL, *star_text = NULL;
    while (*text != '\0') {
        if (pattern < end && (*pattern == '*' || *pattern == '%')) {
            behind_star = ++pattern;
            star_text   = text;
        } else if (pattern < end && lt_ascii_compare_bytes(pattern, text, 1) == 0) {
            pattern++, text++;
        } else if (behind_star != NULL) {
            pattern = behind_star;
            text    = ++star_text;
        } else {
            return false;
        }
    }
    while (pattern < end && (*pattern == '*' || *pattern == '%')) pattern++;
    return pattern == end;
}

static bool is_wanted(const leat_statement *statement, const char *name) {
    const lt_ast_text *pattern = &statement->tree->pattern;
    if (pattern->text == NULL) return true;
    for (size_t at = 0; at <= pattern->bytes;) {
        const char *bar    = memchr(pattern->text + at, '|', pattern->bytes - at);
        size_t      length = bar == NULL ? pattern->bytes - at : (size_t)(bar - pattern->text) - at;
        if (pattern_matches(pattern->text + at, length, name)) return true;
        at += length + 1;
    }
    return false;
}

static const char *bare_name(const lt_catalog_entry *entry) { return entry->name + entry->schema_bytes; }

// Of the schema that SHOW names, or the current one; temporary views are of all.
static bool is_of_schema(const leat_statement *statement, const lt_catalog_entry *entry) {
    const lt_ast_names *written = &statement->tree->name;
    const char         *schema  = written->count > 0 ? lt_ast_names_last(written) : statement->session->catalog.schema;
    if (entry->is_temporary) return true;
    if (schema == NULL || lt_ascii_compare(schema, "default") == 0) return entry->schema_bytes == 0;
    return entry->schema_bytes == strlen(schema) + 1 &&
           lt_ascii_compare_bytes(entry->name, schema, entry->schema_bytes - 1) == 0;
}

// Rows of SHOW TABLES and SHOW VIEWS, by name.
static leat_status show_relations(leat_statement *statement, const char                       *name_column,
                                  bool (*is_shown)(const lt_catalog_entry *entry), leat_error *err) {
    lt_plan_column           columns[] = {{.name = "namespace", .type = lt_type_of(LT_STRING)},
                                          {.name = name_column, .type = lt_type_of(LT_STRING)},
                                          {.name = "isTemporary", .type = lt_type_of(LT_BOOLEAN)}};
    const lt_type           *types[]   = {columns[0].type, columns[1].type, columns[2].type};
    const lt_catalog_entry **entries;
    uint32_t                 count = 0;
    LT_TRY(lt_statement_columns(statement, columns, 3, err));
    for (const lt_catalog_entry *entry = statement->session->catalog.entries; entry != NULL; entry = entry->next)
        count++;
    LT_TRY_NEW_ARRAY(entries, &statement->result_arena, count + 1u, err);
    count = 0;
    for (const lt_catalog_entry *entry = statement->session->catalog.entries; entry != NULL; entry = entry->next) {
        if (!is_shown(entry) || !is_of_schema(statement, entry) || !is_wanted(statement, bare_name(entry))) continue;
        uint32_t at = count++;
        for (; at > 0 && lt_ascii_compare(entries[at - 1]->name, entry->name) > 0; at--) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
    for (uint32_t i = 0; i < count; i++) {
        lt_chunk    row;
        const char *space = entries[i]->is_temporary ? "" : "default", *name = bare_name(entries[i]);
        LT_TRY(lt_chunk_init(&row, types, 3, 1, &statement->result_arena, err));
        LT_LANES(&row.columns[0], lt_string)[0] = lt_string_view(space, strlen(space));
        if (entries[i]->schema_bytes > 0)
            LT_LANES(&row.columns[0], lt_string)[0] = lt_string_view(entries[i]->name, entries[i]->schema_bytes - 1);
        LT_LANES(&row.columns[1], lt_string)[0] = lt_string_view(name, strlen(name));
        LT_LANES(&row.columns[2], uint8_t)[0]   = entries[i]->is_temporary;
        row.count                               = 1;
        LT_TRY(lt_segments_append(&statement->rows, &row, err));
    }
    return LEAT_OK;
}

static bool is_table(const lt_catalog_entry *entry) {
    return entry->kind != LT_RELATION_SYSTEM && entry->kind != LT_RELATION_SINK && entry->kind != LT_RELATION_STREAM;
}
static bool is_view(const lt_catalog_entry *entry) { return entry->kind == LT_RELATION_VIEW; }

static leat_status show_streams(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"name", "connector", "format", "columns"};
    LT_TRY(lt_statement_text_columns(statement, columns, 4, err));
    for (const lt_catalog_entry *entry = statement->session->catalog.entries; entry != NULL; entry = entry->next) {
        if (entry->kind != LT_RELATION_STREAM || !is_wanted(statement, entry->name)) continue;
        const lt_stream *stream = entry->object;
        char            *count  = lt_arena_format(&statement->result_arena, "%u", entry->column_count);
        if (count == NULL) return lt_raise_no_memory(err);
        const char *row[] = {entry->name, stream->connector->name, stream->format != NULL ? stream->format->name : NULL,
                             count};
        LT_TRY(lt_statement_text_row(statement, row, err));
    }
    return LEAT_OK;
}

static leat_status show_queries(leat_statement *statement, leat_error *err) {
    const lt_type       *text = lt_type_of(LT_STRING), *types[] = {text, text, text, lt_type_of(LT_BIGINT), text};
    const lt_plan_column columns[] = {{.name = "name", .type = types[0]},
                                      {.name = "state", .type = types[1]},
                                      {.name = "outputMode", .type = types[2]},
                                      {.name = "batchId", .type = types[3]},
                                      {.name = "error", .type = types[4]}};
    LT_TRY(lt_statement_columns(statement, columns, 5, err));
    for (const lt_standing *query = statement->session->standing; query != NULL; query = query->next) {
        if (query->changes != NULL || !is_wanted(statement, query->entry->name)) continue;
        const char *texts[] = {query->entry->name, lt_query_state_name(query->state),
                               lt_output_mode_name(query->use.mode), NULL,
                               query->state == LEAT_QUERY_FAILED ? query->error.message : NULL};
        lt_chunk    row;
        LT_TRY(lt_chunk_init(&row, types, 5, 1, &statement->result_arena, err));
        for (uint32_t c = 0; c < 5; c++) {
            if (texts[c] == NULL && c != 3)
                LT_TRY(lt_vector_append_null(&row.columns[c], &statement->result_arena, err));
            else if (c != 3)
                LT_LANES(&row.columns[c], lt_string)[0] = lt_string_view(texts[c], strlen(texts[c]));
            row.columns[c].lanes = 1;
        }
        LT_LANES(&row.columns[3], int64_t)[0] = (int64_t)query->batch_id - 1;
        row.count                             = 1;
        LT_TRY(lt_segments_append(&statement->rows, &row, err));
    }
    return LEAT_OK;
}

// Names from the registries, sorted, each once.
typedef struct function_row {
    const char *name, *summary, *example, *result;
} function_row;

static leat_status show_functions(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"function", "summary", "example", "result"};
    function_row            *rows;
    uint32_t                 count = 0, capacity = 0;
    LT_TRY(lt_statement_text_columns(statement, columns, 4, err));
    for (const lt_function *const *file = lt_session_functions(statement->session); *file != NULL; file++)
        for (const lt_function *row = *file; row->name != NULL; row++) capacity++;
    for (const lt_aggregate *const *file = lt_aggregate_registry; *file != NULL; file++)
        for (const lt_aggregate *row = *file; row->name != NULL; row++) capacity++;
    for (const lt_generator *const *file = lt_generator_registry; *file != NULL; file++)
        for (const lt_generator *row = *file; row->name != NULL; row++) capacity++;
    for (const lt_spoken_form *row = lt_spoken_forms; row->name != NULL; row++) capacity++;
    LT_TRY_NEW_ARRAY(rows, &statement->result_arena, capacity + 1u, err);
    for (const lt_spoken_form *row = lt_spoken_forms; row->name != NULL; row++)
        rows[count++] = (function_row){row->name, row->summary, row->example, row->example_result};
    for (const lt_function *const *file = lt_session_functions(statement->session); *file != NULL; file++)
        for (const lt_function *row = *file; row->name != NULL; row++)
            if (!row->is_internal)
                rows[count++] = (function_row){row->name, row->summary, row->example, row->example_result};
    for (const lt_aggregate *const *file = lt_aggregate_registry; *file != NULL; file++)
        for (const lt_aggregate *row = *file; row->name != NULL; row++)
            rows[count++] = (function_row){row->name, row->summary, row->example, row->example_result};
    for (const lt_generator *const *file = lt_generator_registry; *file != NULL; file++)
        for (const lt_generator *row = *file; row->name != NULL; row++)
            rows[count++] = (function_row){row->name, row->summary, row->example, row->example_result};
    for (uint32_t i = 1; i < count; i++) { // few hundred rows
        function_row row = rows[i];
        uint32_t     at  = i;
        for (; at > 0 && strcmp(rows[at - 1].name, row.name) > 0; at--) rows[at] = rows[at - 1];
        rows[at] = row;
    }
    for (uint32_t i = 0; i < count;) {
        function_row row = rows[i];
        for (; i < count && strcmp(rows[i].name, row.name) == 0; i++)
            if (row.summary == NULL) row = rows[i];
        if (!is_wanted(statement, row.name)) continue;
        const char *texts[] = {row.name, row.summary, row.example, row.result};
        LT_TRY(lt_statement_text_row(statement, texts, err));
    }
    return LEAT_OK;
}

static leat_status show_own_functions(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"function"};
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    for (const lt_catalog_function *row = statement->session->catalog.functions; row != NULL; row = row->next)
        if (is_wanted(statement, row->name)) LT_TRY(lt_statement_text_row(statement, &row->name, err));
    return LEAT_OK;
}

leat_status lt_show_settings(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"key", "value", "meaning"};
    LT_TRY(lt_statement_text_columns(statement, columns, 3, err));
    for (const lt_setting *row = lt_settings; row->name != NULL; row++) {
        if (!is_wanted(statement, row->name)) continue;
        const char *texts[] = {row->name, lt_setting_text(statement->session, row->name), row->summary};
        LT_TRY(lt_statement_text_row(statement, texts, err));
    }
    return LEAT_OK;
}

static leat_status show_columns(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"col_name"};
    const char              *name      = lt_ast_names_last(&statement->tree->name);
    const lt_catalog_entry  *entry     = name == NULL ? NULL : lt_catalog_find(&statement->session->catalog, name);
    if (entry == NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &statement->tree->place, "no relation `%s`",
                        name == NULL ? "" : name);
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    for (uint32_t c = 0; c < entry->column_count; c++)
        LT_TRY(lt_statement_text_row(statement, &entry->columns[c].name, err));
    return LEAT_OK;
}

// What SHOW TABLE EXTENDED says of a relation: a line per fact, then its columns.
typedef struct fact_text {
    leat_statement *statement;
    const char     *text;
} fact_text;

static leat_status fact_line(void *user, const char *name, const char *value, leat_error *err) {
    fact_text *self = user;
    if (value == NULL) return LEAT_OK;
    self->text = lt_arena_format(&self->statement->result_arena, "%s%s: %s\n", self->text, name, value);
    return self->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status show_extended(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"namespace", "tableName", "isTemporary", "information"};
    lt_arena                *arena     = &statement->result_arena;
    LT_TRY(lt_statement_text_columns(statement, columns, 4, err));
    for (const lt_catalog_entry *entry = statement->session->catalog.entries; entry != NULL; entry = entry->next) {
        fact_text facts = {.statement = statement, .text = ""};
        if (!is_table(entry) || !is_of_schema(statement, entry) || !is_wanted(statement, bare_name(entry))) continue;
        LT_TRY(lt_relation_facts(statement, entry, fact_line, &facts, err));
        for (uint32_t c = 0; c < entry->column_count; c++)
            LT_TRY(fact_line(&facts, entry->columns[c].name, lt_type_text(arena, entry->columns[c].type), err));
        const char *schema =
            entry->schema_bytes > 0 ? lt_arena_text(arena, entry->name, entry->schema_bytes - 1) : "default";
        if (schema == NULL) return lt_raise_no_memory(err);
        const char *row[] = {entry->is_temporary ? "" : schema, bare_name(entry),
                             entry->is_temporary ? "true" : "false", facts.text};
        LT_TRY(lt_statement_text_row(statement, row, err));
    }
    return LEAT_OK;
}

static leat_status show_variables(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"name", "type", "default"};
    LT_TRY(lt_statement_text_columns(statement, columns, 3, err));
    for (const lt_catalog_variable *v = statement->session->catalog.variables; v != NULL; v = v->next) {
        const char *row[] = {v->name, lt_type_text(&statement->result_arena, v->value->type), v->default_sql};
        if (is_wanted(statement, v->name)) LT_TRY(lt_statement_text_row(statement, row, err));
    }
    return LEAT_OK;
}

static leat_status show_catalogs(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"catalog"}, *const row[] = {"spark_catalog"};
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    return is_wanted(statement, row[0]) ? lt_statement_text_row(statement, row, err) : LEAT_OK;
}

leat_status lt_run_show(leat_statement *statement, leat_error *err) {
    const char *what = statement->tree->what.text == NULL ? "" : statement->tree->what.text;
    if (lt_ascii_compare_bytes(what, "TABLE ", 6) == 0 && strstr(what, "EXTENDED") != NULL)
        return show_extended(statement, err);
    if (lt_ascii_compare_bytes(what, "TABLES", 6) == 0) return show_relations(statement, "tableName", is_table, err);
    if (lt_ascii_compare_bytes(what, "VIEWS", 5) == 0) return show_relations(statement, "viewName", is_view, err);
    if (lt_ascii_compare_bytes(what, "STREAMS", 7) == 0) return show_streams(statement, err);
    if (lt_ascii_compare_bytes(what, "QUERIES", 7) == 0) return show_queries(statement, err);
    if (lt_ascii_compare_bytes(what, "USER ", 5) == 0 && strstr(what, "FUNCTIONS") != NULL)
        return show_own_functions(statement, err);
    if (strstr(what, "FUNCTIONS") != NULL) return show_functions(statement, err);
    if (lt_ascii_compare_bytes(what, "SETTINGS", 8) == 0) return lt_show_settings(statement, err);
    if (lt_ascii_compare_bytes(what, "COLUMNS", 7) == 0) return show_columns(statement, err);
    if (strcmp(what, "SCHEMAS") == 0 || strcmp(what, "DATABASES") == 0 || strcmp(what, "NAMESPACES") == 0)
        return lt_show_schemas(statement, is_wanted, err);
    if (strcmp(what, "CURRENT") == 0) return lt_show_current_schema(statement, err);
    if (strcmp(what, "VARIABLES") == 0) return show_variables(statement, err);
    if (strcmp(what, "COLLATIONS") == 0) return lt_show_collations(statement, is_wanted, err);
    if (strcmp(what, "PARTITIONS") == 0) return lt_show_partitions(statement, err);
    if (strcmp(what, "CATALOGS") == 0) return show_catalogs(statement, err);
    if (strcmp(what, "CREATE") == 0) return lt_show_create(statement, err);
    if (strcmp(what, "TBLPROPERTIES") == 0) return lt_show_properties(statement, err);
    return lt_raise(err, LT_NOT_SUPPORTED, &statement->tree->place,
                    "SHOW %s is not there; TABLES, VIEWS, STREAMS, QUERIES, FUNCTIONS, SCHEMAS, SETTINGS, VARIABLES, "
                    "COLUMNS, CREATE TABLE, TBLPROPERTIES, PARTITIONS and TABLE EXTENDED are",
                    what);
}
