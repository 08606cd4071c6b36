#include "exec/host/append.h"
#include "exec/partitions.h"

#include "base/ascii.h"
#include "base/interval.h"
#include "parser/print.h"

// create: CREATE and DROP of relations, views and functions.

static leat_status make_room(leat_statement *statement, const char *name, bool is_view, bool *out_is_there,
                             leat_error *err);

leat_status lt_columns_bind(leat_statement *statement, const lt_ast_columns *columns, lt_catalog_entry *entry,
                            leat_error *err) {
    lt_bind_context    context;
    lt_catalog_column *out;
    lt_bind_context_init(statement->session, statement, &statement->result_arena, &statement->evaluation, &context);
    LT_TRY_NEW_ARRAY(out, &entry->arena, columns->count + 1u, err);
    for (uint32_t c = 0; c < columns->count; c++) {
        const lt_ast_column *column = &columns->items[c];
        const lt_type       *type;
        for (uint32_t before = 0; before < c; before++)
            if (lt_ascii_compare(out[before].name, column->name.text) == 0)
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &column->name.place, "column `%s` is there already",
                                column->name.text);
        LT_TRY(lt_bind_type(&context, column->type, &type, err));
        out[c] = (lt_catalog_column){.name        = lt_arena_text(&entry->arena, column->name.text, column->name.bytes),
                                     .type        = lt_type_copy(&entry->arena, type),
                                     .is_not_null = column->not_null,
                                     .is_char     = type->is_char};
        if (out[c].name == NULL || out[c].type == NULL) return lt_raise_no_memory(err);
        if (column->comment.text != NULL)
            out[c].comment = lt_arena_text(&entry->arena, column->comment.text, column->comment.bytes);
        if (column->default_value == NULL) continue;
        const lt_vector *value;
        lt_buffer        sql;
        leat_status      bound = lt_bind_constant(&context, column->default_value, type, &value, err);
        if (bound != LEAT_OK) {
            // Whatever is wrong with it, a DEFAULT is refused under its own name.
            bool is_value = err != NULL && (err->condition == LT_CAST_INVALID_INPUT ||
                                            err->condition == LT_DATATYPE_MISMATCH__CAST_WITHOUT_SUGGESTION ||
                                            err->condition == LT_CAST_OVERFLOW);
            if (err != NULL)
                err->condition =
                    is_value ? LT_INVALID_DEFAULT_VALUE__DATA_TYPE : LT_INVALID_DEFAULT_VALUE__NOT_CONSTANT;
            return bound;
        }
        lt_buffer_init(&sql, &statement->session->account, 0);
        leat_status status = lt_print_expression(&sql, column->default_value, err);
        if (status == LEAT_OK) out[c].default_sql = lt_arena_text(&entry->arena, sql.data, sql.bytes);
        lt_buffer_deinit(&sql);
        LT_TRY(status);
        if (out[c].default_sql == NULL) return lt_raise_no_memory(err);
    }
    entry->columns      = out;
    entry->column_count = columns->count;
    return LEAT_OK;
}

// WATERMARK FOR c AS c - INTERVAL ...: the delay is what the expression takes away from the column.
static leat_status watermark_bind(leat_statement *statement, const lt_ast_watermark *watermark, lt_catalog_entry *entry,
                                  leat_error *err) {
    const lt_ast_expression *column = watermark->item.expression, *delay = watermark->delay;
    entry->event_time_column = -1;
    for (uint32_t c = 0; c < entry->column_count; c++)
        if (column->kind == LT_AST_COLUMN &&
            lt_ascii_compare(entry->columns[c].name, lt_ast_names_last(&column->names)) == 0)
            entry->event_time_column = (int32_t)c;
    if (entry->event_time_column < 0)
        return lt_raise(err, LT_UNRESOLVED_COLUMN__WITH_SUGGESTION, &watermark->place,
                        "WATERMARK FOR names no column of `%s`", entry->name);
    lt_kind kind = entry->columns[entry->event_time_column].type->kind;
    if (kind != LT_TIMESTAMP)
        return lt_raise(err, LT_EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE, &watermark->place, "column `%s` is no TIMESTAMP",
                        entry->columns[entry->event_time_column].name);
    if (delay == NULL || delay->kind == LT_AST_COLUMN) return LEAT_OK; // WATERMARK FOR c AS c: no delay
    if (delay->kind == LT_AST_BINARY && delay->operator== LT_AST_OPERATOR_SUBTRACT) delay = delay->arguments.items[1];
    lt_bind_context  context;
    const lt_vector *value;
    lt_bind_context_init(statement->session, statement, &statement->result_arena, &statement->evaluation, &context);
    LT_TRY(lt_bind_constant(&context, delay, NULL, &value, err));
    if (value->type->kind == LT_INTERVAL_DAY_TIME)
        entry->event_time_delay_us = LT_LANES(value, const int64_t)[0];
    else if (value->type->kind == LT_INTERVAL_YEAR_MONTH)
        entry->event_time_delay_us = LT_LANES(value, const int32_t)[0] * (int64_t)31 * LT_US_PER_DAY;
    else
        return lt_raise(err, LT_CANNOT_PARSE_INTERVAL, &delay->place, "a watermark is the column minus an INTERVAL");
    if (entry->event_time_delay_us < 0)
        return lt_raise(err, LT_CANNOT_PARSE_INTERVAL, &delay->place, "the delay of a watermark cannot be negative");
    return LEAT_OK;
}

// Columns of PARTITIONED BY stand behind the others, in its order.
static leat_status partition_columns_last(const lt_ast_statement *tree, lt_catalog_entry *entry, leat_error *err) {
    const lt_ast_names *partition = &tree->partitioned_by;
    if (partition->count == 0) return LEAT_OK;
    lt_catalog_column *columns;
    uint32_t           count = 0;
    LT_TRY_NEW_ARRAY(columns, &entry->arena, entry->column_count + 1u, err);
    for (uint32_t c = 0; c < entry->column_count; c++) {
        bool is_partition = false;
        for (uint32_t p = 0; p < partition->count; p++)
            is_partition |= lt_ascii_compare(partition->items[p].text, entry->columns[c].name) == 0;
        if (!is_partition) columns[count++] = entry->columns[c];
    }
    if (count == 0 && partition->count == entry->column_count)
        return lt_raise(err, LT_ALL_PARTITION_COLUMNS_NOT_ALLOWED, &partition->items[0].place,
                        "a table needs a column besides those of PARTITIONED BY");
    for (uint32_t p = 0; p < partition->count; p++) {
        const char              *name  = partition->items[p].text;
        const lt_catalog_column *found = NULL;
        for (uint32_t before = 0; before < p; before++)
            if (lt_ascii_compare(partition->items[before].text, name) == 0)
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &partition->items[p].place,
                                "PARTITIONED BY names `%s` twice", name);
        for (uint32_t c = 0; c < entry->column_count && found == NULL; c++)
            if (lt_ascii_compare(name, entry->columns[c].name) == 0) found = &entry->columns[c];
        if (found == NULL)
            return lt_raise(err, LT_COLUMN_NOT_DEFINED_IN_TABLE, &partition->items[p].place,
                            "PARTITIONED BY names no column `%s`", name);
        if (lt_kind_is_nested(found->type->kind))
            return lt_raise(err, LT_INVALID_PARTITION_COLUMN_DATA_TYPE, &partition->items[p].place,
                            "PARTITIONED BY takes no column of %s", lt_type_text(&entry->arena, found->type));
        columns[count++] = *found;
    }
    entry->columns         = columns;
    entry->partition_count = partition->count;
    return LEAT_OK;
}

// `collector` says of each column of the table which one of the query it is.
static leat_status rows_take(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    leat_statement *statement = user;
    const uint32_t *from      = statement->collector;
    lt_chunk        rows      = *chunk;
    LT_TRY_NEW_ARRAY(rows.columns, batch->scratch, chunk->column_count + 1u, err);
    for (uint32_t c = 0; c < chunk->column_count; c++) rows.columns[c] = chunk->columns[from[c]];
    return lt_segments_append(&statement->rows, &rows, err);
}

static leat_status create_as(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    lt_query_plan      plan;
    lt_finish_use      once = {0};
    lt_catalog_column *columns;
    lt_table          *table;
    uint32_t          *from;
    LT_TRY(lt_query_plan_bind(statement->session, statement, statement->tree->query, false, &statement->result_arena,
                              &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    LT_TRY_NEW_ARRAY(columns, &entry->arena, plan.root->column_count + 1u, err);
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &entry->arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) {
        for (uint32_t before = 0; before < c; before++)
            if (lt_ascii_compare(columns[before].name, plan.root->columns[c].name) == 0)
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &statement->tree->place, "column `%s` is there already",
                                plan.root->columns[c].name);
        columns[c].name = lt_arena_text(&entry->arena, plan.root->columns[c].name, strlen(plan.root->columns[c].name));
        columns[c].type = lt_type_copy(&entry->arena, plan.root->columns[c].type);
        if (columns[c].name == NULL || columns[c].type == NULL) return lt_raise_no_memory(err);
    }
    entry->columns      = columns;
    entry->column_count = plan.root->column_count;
    LT_TRY(partition_columns_last(statement->tree, entry, err));
    LT_TRY_NEW_ARRAY(from, &statement->result_arena, entry->column_count + 1u, err);
    for (uint32_t c = 0; c < entry->column_count; c++) {
        types[c] = entry->columns[c].type;
        while (strcmp(columns[from[c]].name, entry->columns[c].name) != 0) from[c]++;
    }
    LT_TRY_NEW(table, &entry->arena, err);
    LT_TRY(lt_table_init(table, types, entry->column_count, false, &entry->arena, &statement->session->account, err));
    entry->object            = table;
    leat_statement collector = {.session = statement->session, .collector = from};
    lt_segments_init(&collector.rows, table->types, entry->column_count, &statement->session->account);
    leat_status status =
        lt_query_run_now(statement->session, &plan, &statement->evaluation, rows_take, &collector, err);
    if (status == LEAT_OK) status = lt_table_take(table, &collector.rows, NULL, err);
    lt_segments_deinit(&collector.rows);
    return status;
}

// CREATE TABLE t LIKE source: its columns, with comments and defaults, and no rows.
static leat_status columns_like(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const char             *name   = lt_ast_names_last(&statement->tree->like_name);
    const lt_catalog_entry *source = lt_catalog_find(&statement->session->catalog, name);
    lt_catalog_column      *columns;
    if (source == NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &statement->tree->like_name.items[0].place, "no relation `%s`",
                        name);
    LT_TRY_NEW_ARRAY(columns, &entry->arena, source->column_count + 1u, err);
    for (uint32_t c = 0; c < source->column_count; c++) {
        const lt_catalog_column *column = &source->columns[c];
        columns[c]                      = *column;
        columns[c].name                 = lt_arena_text(&entry->arena, column->name, strlen(column->name));
        columns[c].type                 = lt_type_copy(&entry->arena, column->type);
        if (columns[c].name == NULL || columns[c].type == NULL) return lt_raise_no_memory(err);
        if (column->comment != NULL)
            columns[c].comment = lt_arena_text(&entry->arena, column->comment, strlen(column->comment));
        if (column->default_sql != NULL)
            columns[c].default_sql = lt_arena_text(&entry->arena, column->default_sql, strlen(column->default_sql));
        if ((column->comment != NULL && columns[c].comment == NULL) ||
            (column->default_sql != NULL && columns[c].default_sql == NULL))
            return lt_raise_no_memory(err);
    }
    entry->columns         = columns;
    entry->column_count    = source->column_count;
    entry->partition_count = source->partition_count;
    return LEAT_OK;
}

// Columns of a relation without a column list: those of a connector that makes rows itself (generator), `value` of text,
// and of a table what its files hold now. A stream of files declares its columns: files to come may hold others.
static leat_status own_columns(leat_statement *statement, const lt_option_values *options, const char *using_name,
                               lt_catalog_entry *entry, leat_error *err) {
    leat_session       *session = statement->session;
    const char         *name = lt_option_given(options, "connector"), *format = lt_option_given(options, "format");
    const lt_connector *connector = lt_connector_find(name != NULL ? name : using_name != NULL ? using_name : "files");
    const lt_type      *columns   = NULL;
    lt_catalog_column  *fields;
    if (format == NULL && using_name != NULL && lt_format_find(using_name) != NULL) format = using_name;
    if (connector == NULL && format != NULL) connector = lt_connector_find("files");
    const bool is_table = statement->tree->kind != LT_AST_STATEMENT_CREATE_STREAM;
    if (connector != NULL && connector->source != NULL && connector->source->infer != NULL &&
        (!connector->source->needs_format || (is_table && format != NULL))) {
        lt_decode_target target = {
            .evaluation = &statement->evaluation, .account = &session->account, .corrupt_column = -1};
        const lt_type  *folders = NULL;
        lt_source_setup setup   = {.options     = options,
                                   .target      = &target,
                                   .format      = format == NULL ? NULL : lt_format_find(format),
                                   .fs          = &session->fs,
                                   .clock       = session->clock_used,
                                   .stream_name = entry->name};
        if (connector->source->needs_format && setup.format == NULL)
            return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, NULL, "no format `%s`; there are json, csv and text",
                            format);
        if (connector->source->needs_format) LT_TRY(lt_partition_columns(&setup, &entry->arena, &folders, err));
        setup.reads_partitions = folders != NULL;
        LT_TRY(connector->source->infer(&setup, &entry->arena, &columns, err));
    } else if (lt_ascii_compare(format != NULL ? format : "", "text") == 0) {
        columns = lt_type_struct(&entry->arena, &(lt_field){.name = "value", .type = lt_type_of(LT_STRING)}, 1);
        if (columns == NULL) return lt_raise_no_memory(err);
    } else {
        return lt_raise(err, LT_LEGACY_ERROR_TEMP_2048, &statement->tree->place, "`%s` needs columns: (name TYPE, ...)",
                        entry->name);
    }
    LT_TRY_NEW_ARRAY(fields, &entry->arena, columns->field_count + 1u, err);
    for (uint32_t c = 0; c < columns->field_count; c++)
        fields[c] = (lt_catalog_column){.name = columns->fields[c].name, .type = columns->fields[c].type};
    entry->columns      = fields;
    entry->column_count = columns->field_count;
    return LEAT_OK;
}

static leat_status relation_fill(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    leat_session           *session    = statement->session;
    const lt_ast_statement *tree       = statement->tree;
    bool                    is_stream  = tree->kind == LT_AST_STATEMENT_CREATE_STREAM;
    const char             *using_name = tree->using_name.text, *location = tree->location.text;
    lt_ast_options_use      use = {
             .options    = &tree->options,
             .using_name = using_name,
             .location   = location == NULL ? NULL : lt_arena_text(&entry->arena, location, tree->location.bytes)};
    lt_option_values options;
    LT_TRY(lt_options_bind(session, &use, &entry->arena, &options, err));
    if (tree->query != NULL && tree->columns.count > 0)
        return lt_raise(err, LT_NOT_SUPPORTED, &tree->place, "CREATE TABLE AS takes its columns from the query");
    bool has_path = lt_option_given(&options, "path") != NULL || lt_option_given(&options, "connector") != NULL;
    if (tree->query != NULL && has_path)
        return lt_raise(err, LT_NOT_SUPPORTED, &tree->query->place,
                        "CREATE TABLE AS keeps its rows in memory; COPY (query) TO a folder writes files");
    if (tree->query != NULL) return create_as(statement, entry, err);
    if (tree->like_name.count > 0)
        LT_TRY(columns_like(statement, entry, err));
    else
        LT_TRY(lt_columns_bind(statement, &tree->columns, entry, err));
    if ((is_stream || has_path) && entry->column_count == 0)
        LT_TRY(own_columns(statement, &options, using_name, entry, err));
    LT_TRY(partition_columns_last(tree, entry, err));
    if (is_stream || has_path)
        LT_TRY(lt_partitions_discover(session, &options, using_name, &statement->evaluation, entry, err));
    entry->event_time_column = -1;
    for (uint32_t w = 0; w < tree->watermarks.count; w++)
        LT_TRY(watermark_bind(statement, tree->watermarks.items[w], entry, err));
    if (is_stream || has_path) return lt_stream_create(session, &options, using_name, !is_stream, entry, err);
    // Without a path the rows are held in memory, whatever the format.
    const lt_type **types;
    lt_table       *table;
    LT_TRY_NEW_ARRAY(types, &entry->arena, entry->column_count + 1u, err);
    for (uint32_t c = 0; c < entry->column_count; c++) types[c] = entry->columns[c].type;
    LT_TRY_NEW(table, &entry->arena, err);
    entry->object = table;
    return lt_table_init(table, types, entry->column_count, false, &entry->arena, &session->account, err);
}

// Takes a relation out of the catalog with all that it holds; of a standing query that is the query itself.
static leat_status entry_discard(leat_session *session, lt_catalog_entry *entry) {
    if (entry->kind == LT_RELATION_QUERY || entry->kind == LT_RELATION_SINK) {
        lt_standing_drop(session, entry->object);
        return LEAT_OK;
    }
    if (entry->kind == LT_RELATION_MEMORY_TABLE && entry->object != NULL) lt_table_deinit(entry->object);
    if (entry->kind == LT_RELATION_STREAM || entry->kind == LT_RELATION_FILE_TABLE)
        lt_stream_destroy(session, entry->object);
    lt_catalog_remove(&session->catalog, entry);
    return LEAT_OK;
}

leat_status lt_run_create_relation(leat_statement *statement, leat_error *err) {
    leat_session           *session   = statement->session;
    const lt_ast_statement *tree      = statement->tree;
    bool                    is_stream = tree->kind == LT_AST_STATEMENT_CREATE_STREAM, is_there = false;
    bool                    is_view = tree->kind == LT_AST_STATEMENT_CREATE_VIEW;
    const char             *name    = lt_ast_names_last(&tree->name);
    LT_TRY(make_room(statement, name, is_view, &is_there, err));
    if (is_there) return LEAT_OK;
    lt_catalog_entry *entry = lt_catalog_add(&session->catalog, LT_RELATION_MEMORY_TABLE, name);
    if (entry == NULL) return lt_raise_no_memory(err);
    entry->event_time_column = -1;
    if (is_stream) entry->kind = LT_RELATION_STREAM;
    if (!is_stream && tree->query == NULL) {
        bool has_path = tree->location.text != NULL;
        for (uint32_t i = 0; i < tree->options.count; i++)
            has_path |= lt_ascii_compare(tree->options.items[i].key.text, "path") == 0 ||
                        lt_ascii_compare(tree->options.items[i].key.text, "connector") == 0;
        if (has_path) entry->kind = LT_RELATION_FILE_TABLE;
    }
    entry->is_temporary = is_view;
    leat_status status  = is_view && entry->kind != LT_RELATION_FILE_TABLE
                              ? lt_raise(err, LT_MISSING_OPTION, &tree->place, "a view over files needs the option path")
                              : relation_fill(statement, entry, err);
    if (status != LEAT_OK) {
        entry_discard(session, entry);
        return status;
    }
    const lt_stream *stream = entry->kind == LT_RELATION_MEMORY_TABLE ? NULL : entry->object;
    const char      *format = stream == NULL || stream->format == NULL ? NULL : stream->format->name;
    const char      *path   = stream == NULL ? NULL : lt_option_given(&stream->options, "path");
    return lt_statement_message_set(statement, err, "%s %s: %u columns%s%s%s%s",
                                    is_stream ? "stream"
                                    : is_view ? "view"
                                              : "table",
                                    name, entry->column_count, format != NULL ? ", " : "", format != NULL ? format : "",
                                    path != NULL ? " from " : "", path != NULL ? path : "");
}

// Drops what OR REPLACE allows; *out_is_there: IF NOT EXISTS has nothing to do.
static leat_status make_room(leat_statement *statement, const char *name, bool is_view, bool *out_is_there,
                             leat_error *err) {
    leat_session     *session      = statement->session;
    bool              is_temporary = is_view && statement->tree->temporary;
    lt_catalog_entry *entry        = is_temporary ? lt_catalog_find_temporary(&session->catalog, name)
                                                  : lt_catalog_find_permanent(&session->catalog, name);
    *out_is_there                  = false;
    if (entry == NULL) return LEAT_OK;
    if (statement->tree->if_not_exists) {
        *out_is_there = true;
        return LEAT_OK;
    }
    if (!statement->tree->or_replace)
        return lt_raise(err,
                        is_view && statement->tree->temporary ? LT_TEMP_TABLE_OR_VIEW_ALREADY_EXISTS
                                                              : LT_TABLE_OR_VIEW_ALREADY_EXISTS,
                        &statement->tree->name.items[0].place, "`%s` is there already; DROP it, or CREATE OR REPLACE",
                        name);
    LT_TRY(lt_standing_refuse_drop(session, entry, &statement->tree->name.items[0].place, err));
    return entry_discard(session, entry);
}

// A view that stays takes names from its query only where somebody wrote them (recorded).
static leat_status check_aliases(const lt_ast_query *query, leat_error *err) {
    if (query->kind != LT_AST_QUERY_SELECT) return LEAT_OK;
    for (uint32_t i = 0; i < query->select->items.count; i++) {
        const lt_ast_item     *item = &query->select->items.items[i];
        lt_ast_expression_kind kind = item->expression->kind;
        bool has_name               = item->alias.text != NULL || item->aliases.count > 0 || kind == LT_AST_COLUMN ||
                        kind == LT_AST_STAR || kind == LT_AST_FIELD;
        has_name |= kind == LT_AST_CAST; // a cast column keeps its name
        if (!has_name)
            return lt_raise(err, LT_CREATE_PERMANENT_VIEW_WITHOUT_ALIAS, &item->expression->place,
                            "column %u of the view has no name of its own; add AS", i + 1);
    }
    return LEAT_OK;
}

// CREATE OR REPLACE VIEW v over v itself would never end.
static leat_status check_recursion(leat_statement *statement, const lt_catalog_entry *old, leat_error *err) {
    lt_query_plan     plan;
    lt_catalog_entry *own = lt_catalog_find(&statement->session->catalog, old->name);
    if (own->kind != LT_RELATION_VIEW || !statement->tree->or_replace) return LEAT_OK;
    const char *sql = own->sql;
    lt_buffer   text;
    lt_buffer_init(&text, &statement->session->account, 0);
    leat_status status = lt_print_query(&text, statement->tree->query, err);
    if (status == LEAT_OK) {
        own->sql          = text.data;
        leat_error  found = {0};
        leat_status bound = lt_query_plan_bind(statement->session, statement, statement->tree->query, true,
                                               &statement->result_arena, &plan, &found);
        if (bound != LEAT_OK && found.condition == LT_RECURSIVE_VIEW) {
            if (err != NULL) *err = found;
            status = bound;
        }
        own->sql = sql;
    }
    lt_buffer_deinit(&text);
    return status;
}

leat_status lt_run_create_view(leat_statement *statement, leat_error *err) {
    leat_session           *session  = statement->session;
    const lt_ast_statement *tree     = statement->tree;
    const char             *name     = lt_ast_names_last(&tree->name);
    bool                    is_there = false;
    lt_query_plan           plan;
    lt_buffer               sql;
    if (tree->query == NULL && tree->temporary && tree->using_name.text != NULL)
        return lt_run_create_relation(statement, err);
    if (tree->query == NULL)
        return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &tree->place,
                        "a view is AS a query; a temporary one may be USING files");
    if (tree->or_replace && tree->if_not_exists)
        return lt_raise(err, LT_CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE, &tree->place,
                        "OR REPLACE and IF NOT EXISTS exclude each other");
    lt_catalog_entry *old = lt_catalog_find(&session->catalog, name);
    if (old != NULL && !tree->temporary) LT_TRY(check_recursion(statement, old, err));
    // The query must bind now; it is bound again whenever the view is read.
    LT_TRY(lt_query_plan_bind(session, statement, tree->query, true, &statement->result_arena, &plan, err));
    if (tree->columns.count > 0 && tree->columns.count != plan.root->column_count)
        return lt_raise(err,
                        tree->columns.count > plan.root->column_count
                            ? LT_CREATE_VIEW_COLUMN_ARITY_MISMATCH__NOT_ENOUGH_DATA_COLUMNS
                            : LT_CREATE_VIEW_COLUMN_ARITY_MISMATCH__TOO_MANY_DATA_COLUMNS,
                        &tree->place, "the view names %u columns, its query gives %u", tree->columns.count,
                        plan.root->column_count);
    if (!tree->temporary) LT_TRY(check_aliases(tree->query, err));
    for (uint32_t c = 0; c < plan.root->column_count; c++)
        for (uint32_t before = 0; before < c; before++) {
            const char *a = tree->columns.count > 0 ? tree->columns.items[c].name.text : plan.root->columns[c].name;
            const char *b =
                tree->columns.count > 0 ? tree->columns.items[before].name.text : plan.root->columns[before].name;
            if (lt_ascii_compare(a, b) == 0)
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &tree->place, "two columns of the view are named `%s`",
                                a);
        }
    if (old != NULL && !tree->temporary && tree->or_replace && old->kind != LT_RELATION_VIEW)
        return lt_raise(err, LT_TABLE_OR_VIEW_ALREADY_EXISTS, &tree->place, "`%s` is there already and no view", name);
    LT_TRY(make_room(statement, name, true, &is_there, err));
    if (is_there) return LEAT_OK;
    lt_catalog_entry *entry = lt_catalog_add(&session->catalog, LT_RELATION_VIEW, name);
    if (entry == NULL) return lt_raise_no_memory(err);
    entry->event_time_column = -1;
    entry->is_temporary      = tree->temporary;
    entry->schema_of_query   = session->catalog.schema; // names of schemas live as long as the session
    lt_buffer_init(&sql, &session->account, 0);
    leat_status status = lt_print_query(&sql, tree->query, err);
    if (status == LEAT_OK) entry->sql = lt_arena_text(&entry->arena, sql.data, sql.bytes);
    lt_buffer_deinit(&sql);
    if (status == LEAT_OK && entry->sql == NULL) status = lt_raise_no_memory(err);
    if (status == LEAT_OK) {
        lt_catalog_column *columns = LT_NEW_ARRAY(&entry->arena, lt_catalog_column, plan.root->column_count + 1u);
        const char       **names   = LT_NEW_ARRAY(&entry->arena, const char *, plan.root->column_count + 1u);
        if (columns == NULL || names == NULL) status = lt_raise_no_memory(err);
        for (uint32_t c = 0; status == LEAT_OK && c < plan.root->column_count; c++) {
            const char *column =
                tree->columns.count > 0 ? tree->columns.items[c].name.text : plan.root->columns[c].name;
            columns[c].name = names[c] = lt_arena_text(&entry->arena, column, strlen(column));
            columns[c].type            = lt_type_copy(&entry->arena, plan.root->columns[c].type);
            if (tree->columns.count > 0 && tree->columns.items[c].comment.text != NULL)
                columns[c].comment = lt_arena_text(&entry->arena, tree->columns.items[c].comment.text,
                                                   tree->columns.items[c].comment.bytes);
            if (names[c] == NULL || columns[c].type == NULL) status = lt_raise_no_memory(err);
        }
        entry->columns      = columns;
        entry->column_count = plan.root->column_count;
        if (tree->columns.count > 0) entry->view_columns = names;
    }
    if (status != LEAT_OK) {
        entry_discard(session, entry);
        return status;
    }
    return lt_statement_message_set(statement, err, "view %s", name);
}

leat_status lt_view_replace(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    lt_query_plan plan;
    lt_buffer     sql;
    if (entry->kind != LT_RELATION_VIEW)
        return lt_raise(err, LT_WRONG_COMMAND_FOR_OBJECT_TYPE, &statement->tree->place, "`%s` is no view", entry->name);
    LT_TRY(lt_query_plan_bind(statement->session, statement, statement->tree->query, true, &statement->result_arena,
                              &plan, err));
    lt_buffer_init(&sql, &statement->session->account, 0);
    leat_status status = lt_print_query(&sql, statement->tree->query, err);
    char       *text   = status == LEAT_OK ? lt_arena_text(&entry->arena, sql.data, sql.bytes) : NULL;
    lt_buffer_deinit(&sql);
    LT_TRY(status);
    lt_catalog_column *columns;
    LT_TRY_NEW_ARRAY(columns, &entry->arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) {
        columns[c].name = lt_arena_text(&entry->arena, plan.root->columns[c].name, strlen(plan.root->columns[c].name));
        columns[c].type = lt_type_copy(&entry->arena, plan.root->columns[c].type);
        if (columns[c].name == NULL || columns[c].type == NULL) return lt_raise_no_memory(err);
    }
    if (text == NULL) return lt_raise_no_memory(err);
    entry->sql          = text;
    entry->columns      = columns;
    entry->column_count = plan.root->column_count;
    entry->view_columns = NULL;
    return LEAT_OK;
}

leat_status lt_run_create_function(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    const char             *name    = lt_ast_names_last(&tree->name);
    lt_arena                arena;
    lt_arena_init(&arena, &session->account);
    lt_catalog_function *function = lt_arena_zero(&arena, sizeof *function);
    lt_catalog_entry     columns  = {.arena = arena};
    lt_buffer            sql;
    lt_bind_context      context;
    if (function == NULL) return lt_raise_no_memory(err);
    if (lt_catalog_function_find(&session->catalog, name) != NULL && !tree->or_replace && !tree->if_not_exists) {
        lt_arena_deinit(&arena);
        return lt_raise(err, LT_TABLE_OR_VIEW_ALREADY_EXISTS, &tree->place, "function `%s` is there already", name);
    }
    columns.arena             = arena;
    leat_status status        = lt_columns_bind(statement, &tree->columns, &columns, err);
    function->parameters      = columns.columns;
    function->parameter_count = columns.column_count;
    if (status == LEAT_OK && tree->returns_columns.count > 0) {
        status                       = lt_columns_bind(statement, &tree->returns_columns, &columns, err);
        function->table_columns      = columns.columns;
        function->table_column_count = columns.column_count;
    }
    lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
    if (status == LEAT_OK && tree->type != NULL) {
        status = lt_bind_type(&context, tree->type, &function->returns, err);
        if (status == LEAT_OK) function->returns = lt_type_copy(&columns.arena, function->returns);
    }
    lt_buffer_init(&sql, &session->account, 0);
    if (status == LEAT_OK)
        status =
            tree->query != NULL ? lt_print_query(&sql, tree->query, err) : lt_print_expression(&sql, tree->body, err);
    if (status == LEAT_OK) function->body_sql = lt_arena_text(&columns.arena, sql.data, sql.bytes);
    function->name = lt_arena_text(&columns.arena, name, strlen(name));
    lt_buffer_deinit(&sql);
    if (status != LEAT_OK) {
        lt_arena_deinit(&columns.arena);
        return status;
    }
    function->arena            = columns.arena;
    function->next             = session->catalog.functions;
    session->catalog.functions = function;
    session->catalog.version++;
    return lt_statement_message_set(statement, err, "function %s", name);
}

leat_status lt_relation_drop(leat_session *session, lt_catalog_entry *entry, const lt_place *place, leat_error *err) {
    LT_TRY(lt_standing_refuse_drop(session, entry, place, err));
    return entry_discard(session, entry);
}

leat_status lt_run_drop(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    const char             *name    = lt_ast_names_last(&tree->name);
    if (tree->object == LT_AST_OBJECT_FUNCTION) {
        for (lt_catalog_function **link = &session->catalog.functions; *link != NULL; link = &(*link)->next)
            if (lt_ascii_compare((*link)->name, name) == 0) {
                lt_arena arena = (*link)->arena;
                *link          = (*link)->next;
                lt_arena_deinit(&arena);
                return LEAT_OK;
            }
        return tree->if_exists ? LEAT_OK : lt_raise(err, LT_ROUTINE_NOT_FOUND, &tree->place, "no function `%s`", name);
    }
    if (tree->object == LT_AST_OBJECT_SCHEMA) return lt_run_drop_schema(statement, err);
    lt_catalog_entry *entry = lt_catalog_find(&session->catalog, name);
    if (entry == NULL || entry->kind == LT_RELATION_SYSTEM)
        return tree->if_exists ? LEAT_OK : lt_relation_missing(statement, name, err);
    bool is_view     = entry->kind == LT_RELATION_VIEW || entry->is_temporary,
         is_standing = entry->kind == LT_RELATION_QUERY || entry->kind == LT_RELATION_SINK;
    if ((tree->object == LT_AST_OBJECT_TABLE && is_view && !entry->is_temporary) ||
        (tree->object == LT_AST_OBJECT_VIEW && !is_view && !is_standing))
        return lt_raise(err, LT_WRONG_COMMAND_FOR_OBJECT_TYPE, &tree->place, "`%s` is %s; use DROP %s", name,
                        is_view ? "a view" : "no view", is_view ? "VIEW" : "TABLE");
    LT_TRY(lt_relation_drop(session, entry, &tree->place, err));
    return lt_statement_message_set(statement, err, "dropped %s", name);
}
