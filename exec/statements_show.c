#include "exec/session.h"

#include "base/ascii.h"
#include "parser/print.h"

// statements_show: SHOW, DESCRIBE, SET, variables, COPY.

// `*` and `|` as in SHOW TABLES LIKE 'a*|b*', without case.
static bool pattern_matches(const char *pattern, size_t bytes, const char *text) {
    if (bytes == 0) return *text == '\0';
    if (pattern[0] == '*' || pattern[0] == '%') {
        for (const char *rest = text;; rest++) {
            if (pattern_matches(pattern + 1, bytes - 1, rest)) return true;
            if (*rest == '\0') return false;
        }
    }
    if (*text == '\0' || lt_ascii_compare_bytes(pattern, text, 1) != 0) return false;
    return pattern_matches(pattern + 1, bytes - 1, text + 1);
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

static const char *relation_kind_name(lt_relation_kind kind) {
    static const char *const names[] = {"STREAM", "TABLE",       "TABLE", "VIEW", "MATERIALIZED VIEW",
                                        "SINK",   "SYSTEM TABLE"};
    return names[kind];
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
    static const char *const columns[] = {"name", "state", "outputMode", "batchId", "error"};
    LT_TRY(lt_statement_text_columns(statement, columns, 5, err));
    for (const lt_standing *query = statement->session->standing; query != NULL; query = query->next) {
        if (query->changes != NULL || !is_wanted(statement, query->entry->name)) continue;
        char *batch = lt_arena_format(&statement->result_arena, "%lld", (long long)query->batch_id - 1);
        if (batch == NULL) return lt_raise_no_memory(err);
        const char *row[] = {query->entry->name, lt_query_state_name(query->state),
                             lt_output_mode_name(query->use.mode), batch,
                             query->state == LEAT_QUERY_FAILED ? query->error.message : NULL};
        LT_TRY(lt_statement_text_row(statement, row, err));
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

static leat_status show_settings(leat_statement *statement, leat_error *err) {
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

static leat_status show_catalogs(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"catalog"}, *const row[] = {"spark_catalog"};
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    return is_wanted(statement, row[0]) ? lt_statement_text_row(statement, row, err) : LEAT_OK;
}

// Properties are accepted and mean nothing here, so none is kept.
static leat_status show_properties(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"key", "value"};
    const lt_catalog_entry  *entry =
        lt_catalog_find(&statement->session->catalog, lt_ast_names_last(&statement->tree->name));
    if (entry == NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &statement->tree->place, "no relation `%s`",
                        lt_ast_names_last(&statement->tree->name));
    return lt_statement_text_columns(statement, columns, 2, err);
}

leat_status lt_run_show(leat_statement *statement, leat_error *err) {
    const char *what = statement->tree->what.text == NULL ? "" : statement->tree->what.text;
    if (lt_ascii_compare_bytes(what, "TABLES", 6) == 0) return show_relations(statement, "tableName", is_table, err);
    if (lt_ascii_compare_bytes(what, "VIEWS", 5) == 0) return show_relations(statement, "viewName", is_view, err);
    if (lt_ascii_compare_bytes(what, "STREAMS", 7) == 0) return show_streams(statement, err);
    if (lt_ascii_compare_bytes(what, "QUERIES", 7) == 0) return show_queries(statement, err);
    if (lt_ascii_compare_bytes(what, "USER ", 5) == 0 && strstr(what, "FUNCTIONS") != NULL)
        return show_own_functions(statement, err);
    if (strstr(what, "FUNCTIONS") != NULL) return show_functions(statement, err);
    if (lt_ascii_compare_bytes(what, "SETTINGS", 8) == 0) return show_settings(statement, err);
    if (lt_ascii_compare_bytes(what, "COLUMNS", 7) == 0) return show_columns(statement, err);
    if (strcmp(what, "SCHEMAS") == 0 || strcmp(what, "DATABASES") == 0 || strcmp(what, "NAMESPACES") == 0)
        return lt_show_schemas(statement, is_wanted, err);
    if (strcmp(what, "CURRENT") == 0) return lt_show_current_schema(statement, err);
    if (strcmp(what, "CATALOGS") == 0) return show_catalogs(statement, err);
    if (strcmp(what, "CREATE") == 0) return lt_show_create(statement, err);
    if (strcmp(what, "TBLPROPERTIES") == 0) return show_properties(statement, err);
    return lt_raise(err, LT_NOT_SUPPORTED, &statement->tree->place,
                    "SHOW %s is not there; TABLES, VIEWS, STREAMS, QUERIES, FUNCTIONS, SCHEMAS, SETTINGS, COLUMNS, "
                    "CREATE TABLE and TBLPROPERTIES are",
                    what);
}

static leat_status describe_columns(leat_statement *statement, const lt_catalog_column *fields, uint32_t count,
                                    leat_error *err) {
    static const char *const columns[] = {"col_name", "data_type", "comment"};
    LT_TRY(lt_statement_text_columns(statement, columns, 3, err));
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

leat_status lt_run_describe(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree     = statement->tree;
    const char             *name     = lt_ast_names_last(&tree->name);
    lt_ast_query            of_files = {.kind = LT_AST_QUERY_TABLE, .name = tree->name, .place = tree->place};
    if (tree->query != NULL) return describe_query(statement, tree->query, err);
    if (tree->object == LT_AST_OBJECT_FUNCTION) return lt_describe_function(statement, err);
    if (tree->name.count == 2 && lt_format_find(tree->name.items[0].text) != NULL)
        return describe_query(statement, &of_files, err);
    const lt_catalog_entry *entry = name == NULL ? NULL : lt_catalog_find(&statement->session->catalog, name);
    if (entry == NULL) {
        const char *nearest = name == NULL ? NULL : lt_catalog_nearest(&statement->session->catalog, name);
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &tree->place,
                        nearest != NULL ? "no relation `%s`; did you mean `%s`?" : "no relation `%s`",
                        name == NULL ? "" : name, nearest);
    }
    if (tree->target_columns.count > 0)
        return describe_column(statement, entry, tree->target_columns.items[0].text, err);
    LT_TRY(describe_columns(statement, entry->columns, entry->column_count, err));
    return lt_statement_message_set(statement, err, "%s %s", relation_kind_name(entry->kind), entry->name);
}

// ----------------------------------------------------------------------------------------------------------------- SET

leat_status lt_run_set(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"key", "value"};
    leat_session            *session   = statement->session;
    const lt_ast_statement  *tree      = statement->tree;
    if (tree->kind == LT_AST_STATEMENT_SET_TIME_ZONE) {
        const char *zone = tree->value.text == NULL ? "UTC" : tree->value.text;
        if (tree->delay != NULL) {
            lt_bind_context  context;
            const lt_vector *value;
            lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
            LT_TRY(lt_bind_constant(&context, tree->delay, NULL, &value, err));
            if (value->type->kind != LT_INTERVAL_DAY_TIME)
                return lt_raise(err, LT_INVALID_TIMEZONE, &tree->place,
                                "a zone is a name, an offset or an INTERVAL of hours");
            int64_t seconds = LT_LANES(value, const int64_t)[0] / 1000000, size = seconds < 0 ? -seconds : seconds;
            zone = lt_arena_format(&statement->result_arena, "%c%02lld:%02lld", seconds < 0 ? '-' : '+',
                                   (long long)(size / 3600), (long long)(size / 60 % 60));
            if (zone == NULL) return lt_raise_no_memory(err);
        }
        return lt_setting_set(session, "timeZone", zone, &tree->place, err);
    }
    if (tree->kind == LT_AST_STATEMENT_RESET) {
        for (const lt_setting *row = lt_settings; row->name != NULL; row++) {
            bool is_meant = tree->key.text == NULL || lt_ascii_compare(tree->key.text, row->name) == 0 ||
                            (row->spark != NULL && lt_ascii_compare(tree->key.text, row->spark) == 0);
            if (is_meant) LT_TRY(lt_setting_set(session, row->name, row->initial, &tree->place, err));
        }
        return LEAT_OK;
    }
    if (tree->key.text == NULL) return show_settings(statement, err);
    if (tree->value.text != NULL) return lt_setting_set(session, tree->key.text, tree->value.text, &tree->place, err);
    const char *value = lt_setting_text(session, tree->key.text);
    const char *row[] = {tree->key.text, value == NULL ? "<undefined>" : value};
    LT_TRY(lt_statement_text_columns(statement, columns, 2, err));
    return lt_statement_text_row(statement, row, err);
}

static leat_status variable_store(leat_session *session, const char *name, const lt_type *type, const lt_vector *value,
                                  leat_error *err) {
    lt_arena arena;
    lt_arena_init(&arena, &session->account);
    lt_catalog_variable *variable = lt_catalog_variable_find(&session->catalog, name);
    lt_vector           *copy     = LT_NEW(&arena, lt_vector);
    const lt_type       *own_type = lt_type_copy(&arena, type);
    leat_status          status =
        copy == NULL || own_type == NULL ? lt_raise_no_memory(err) : lt_vector_init(copy, own_type, 1, &arena, err);
    if (status == LEAT_OK) status = lt_vector_append_row(copy, value, 0, &arena, err);
    if (status != LEAT_OK) {
        lt_arena_deinit(&arena);
        return status;
    }
    copy->form = LT_CONSTANT;
    if (variable == NULL) {
        variable       = LT_NEW(&session->arena, lt_catalog_variable);
        char *own_name = lt_arena_text(&session->arena, name, strlen(name));
        if (variable == NULL || own_name == NULL) {
            lt_arena_deinit(&arena);
            return lt_raise_no_memory(err);
        }
        variable->name             = own_name;
        variable->next             = session->catalog.variables;
        session->catalog.variables = variable;
    } else {
        lt_arena_deinit(&variable->arena);
    }
    variable->arena = arena;
    variable->value = copy;
    session->catalog.version++;
    return LEAT_OK;
}

static leat_status null_constant(lt_arena *arena, const lt_type *type, const lt_vector **out, leat_error *err) {
    lt_vector *value;
    LT_TRY_NEW(value, arena, err);
    *out = value;
    return lt_vector_init_constant_null(value, type, arena, err);
}

static leat_status set_from_query(leat_statement *statement, const lt_ast_query *query, const lt_ast_names *targets,
                                  leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    lt_query_plan           plan;
    lt_finish_use           once = {0};
    LT_TRY(lt_query_plan_bind(statement->session, statement, query, false, &statement->result_arena, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    if (plan.root->column_count != targets->count)
        return lt_raise(err, LT_ASSIGNMENT_ARITY_MISMATCH, &tree->place, "%u variables, but the query gives %u columns",
                        targets->count, plan.root->column_count);
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) types[c] = plan.root->columns[c].type;
    leat_statement collector = {.session = statement->session};
    lt_segments_init(&collector.rows, types, plan.root->column_count, &statement->session->account);
    leat_status status =
        lt_query_run_now(statement->session, &plan, &statement->evaluation, lt_statement_give, &collector, err);
    if (status == LEAT_OK && collector.rows.row_count > 1)
        status =
            lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &tree->place,
                     "the query gives %llu rows; variables take one", (unsigned long long)collector.rows.row_count);
    for (uint32_t c = 0; status == LEAT_OK && c < targets->count; c++) {
        const char          *name     = targets->items[c].text;
        lt_catalog_variable *variable = lt_catalog_variable_find(&statement->session->catalog, name);
        const lt_vector     *value = NULL, *cast = NULL;
        if (variable == NULL) {
            status = lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, &targets->items[c].place,
                              "no variable `%s`", name);
            break;
        }
        const lt_type *type = variable->value->type;
        if (collector.rows.row_count > 0) value = cast = &collector.rows.items[0]->columns[c];
        if (value == NULL)
            status = null_constant(&statement->result_arena, type, &cast, err);
        else if (!lt_type_equal(type, value->type))
            status = lt_cast_run(value, type, (uint16_t[]){0}, 1, 1, false, &statement->result_arena,
                                 &statement->evaluation, &tree->place, &cast, err);
        if (status == LEAT_OK) status = variable_store(statement->session, name, type, cast, err);
    }
    lt_segments_deinit(&collector.rows);
    return status;
}

static bool has_default(const lt_ast_statement *tree) {
    for (uint32_t i = 0; i < tree->assignments.count; i++) {
        const lt_ast_expression *value = tree->assignments.items[i].value;
        if (value->kind == LT_AST_COLUMN && value->names.count == 1 &&
            lt_ascii_compare(value->names.items[0].text, "DEFAULT") == 0)
            return true;
    }
    return false;
}

// SET VAR a = x, b = y is (a, b) = (SELECT x, y): values may hold sub-queries, and none sees what another one sets.
static leat_status set_from_values(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree   = statement->tree;
    lt_arena               *arena  = &statement->result_arena;
    lt_ast_select          *select = LT_NEW(arena, lt_ast_select);
    lt_ast_query           *query  = LT_NEW(arena, lt_ast_query);
    lt_ast_names            names  = {.count = tree->assignments.count};
    if (select == NULL || query == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW_ARRAY(names.items, arena, names.count, err);
    LT_TRY_NEW_ARRAY(select->items.items, arena, names.count, err);
    for (uint32_t i = 0; i < names.count; i++) {
        const lt_ast_names *target = &tree->assignments.items[i].target;
        names.items[i]             = target->items[target->count - 1];
        select->items.items[i]     = (lt_ast_item){.expression = tree->assignments.items[i].value};
    }
    select->items.count = names.count;
    select->place       = tree->place;
    query->kind         = LT_AST_QUERY_SELECT;
    query->select       = select;
    query->place        = tree->place;
    return set_from_query(statement, query, &names, err);
}

leat_status lt_run_variable(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    lt_bind_context         context;
    lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
    if (tree->kind == LT_AST_STATEMENT_DROP_VARIABLE) {
        const char *name = lt_ast_names_last(&tree->name);
        for (lt_catalog_variable **link = &session->catalog.variables; *link != NULL; link = &(*link)->next)
            if (lt_ascii_compare((*link)->name, name) == 0) {
                lt_arena arena = (*link)->arena;
                *link          = (*link)->next;
                lt_arena_deinit(&arena);
                return LEAT_OK;
            }
        return tree->if_exists
                   ? LEAT_OK
                   : lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, &tree->place, "no variable `%s`", name);
    }
    if (tree->kind == LT_AST_STATEMENT_SET_VARIABLE) {
        if (tree->query != NULL) return set_from_query(statement, tree->query, &tree->target_columns, err);
        if (!has_default(tree)) return set_from_values(statement, err);
        for (uint32_t i = 0; i < tree->assignments.count; i++) {
            const lt_ast_assignment *assignment = &tree->assignments.items[i];
            const char              *name       = lt_ast_names_last(&assignment->target);
            lt_catalog_variable     *variable   = lt_catalog_variable_find(&session->catalog, name);
            const lt_vector         *value;
            if (variable == NULL)
                return lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, &assignment->target.items[0].place,
                                "no variable `%s`; DECLARE VARIABLE makes one", name);
            LT_TRY(lt_bind_constant(&context, assignment->value, variable->value->type, &value, err));
            LT_TRY(variable_store(session, name, variable->value->type, value, err));
        }
        return LEAT_OK;
    }
    const lt_type   *type  = NULL;
    const lt_vector *value = NULL;
    if (tree->type != NULL) LT_TRY(lt_bind_type(&context, tree->type, &type, err));
    if (tree->body != NULL) LT_TRY(lt_bind_constant(&context, tree->body, type, &value, err));
    if (type == NULL) type = value != NULL ? value->type : lt_type_of(LT_STRING);
    if (value == NULL) LT_TRY(null_constant(&statement->result_arena, type, &value, err));
    for (uint32_t i = 0; i < tree->target_columns.count; i++)
        LT_TRY(variable_store(session, tree->target_columns.items[i].text, type, value, err));
    return LEAT_OK;
}
