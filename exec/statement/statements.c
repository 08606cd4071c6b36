#include "exec/session.h"

#include "base/ascii.h"
#include "base/generator.h"
#include "exec/partitions.h"

#include <stdio.h>

// statements: how a statement runs: binding, result rows, and the table from kinds of statements to what they do.

// ------------------------------------------------------------------------------------------------------------- binding

static leat_status context_fold(void *user, const lt_expression *expression, lt_arena *arena, const lt_vector **out,
                                leat_error *err) {
    const lt_bind_context *context = user;
    return lt_fold(expression, context->evaluation, arena, out, err);
}

enum { KNOWN_PARTS_MAX = 32 };

typedef struct known_part {
    const lt_expression *condition;
    double               part;
} known_part;

typedef struct binding {
    leat_session   *session;
    leat_statement *statement; // or NULL
    known_part      known[KNOWN_PARTS_MAX];
    uint32_t        known_count;
} binding;

// A value of the statement is copied: what is bound may outlive the statement, and the statement may be bound anew.
static const lt_vector *parameter_copy(const lt_vector *value, lt_arena *arena) {
    lt_vector *copy = LT_NEW(arena, lt_vector);
    if (copy == NULL || lt_vector_init(copy, value->type, 1, arena, NULL) != LEAT_OK) return NULL;
    if (lt_vector_append_row(copy, value, 0, arena, NULL) != LEAT_OK) return NULL;
    copy->form  = LT_CONSTANT;
    copy->lanes = 1;
    return copy;
}

static const lt_vector *context_parameter(void *user, uint32_t ordinal, const char *name) {
    const lt_bind_context *context = user;
    const binding         *self    = context->outside;
    if (self == NULL) return NULL; // there was no memory for it
    const leat_statement *statement = self->statement;
    if (statement != NULL && ordinal >= 1 && ordinal <= statement->parameter_count &&
        statement->parameters[ordinal - 1] != NULL)
        return parameter_copy(statement->parameters[ordinal - 1], context->arena);
    for (const lt_named_value *value = self->session->parameters; name != NULL && value != NULL; value = value->next)
        if (lt_ascii_compare(value->name, name) == 0) return value->value;
    return NULL;
}

static leat_status context_open_path(void *user, const char *format, const char *path, const lt_place *place,
                                     const lt_catalog_entry **out, leat_error *err) {
    const lt_bind_context *context = user;
    const binding         *self    = context->outside;
    if (self == NULL) return lt_raise_no_memory(err);
    leat_session     *session = self->session;
    lt_arena         *arena   = context->arena;
    lt_catalog_entry *entry;
    lt_option_value  *values;
    const lt_type    *columns;
    LT_TRY_NEW(entry, arena, err);
    LT_TRY_NEW_ARRAY(values, arena, 1, err);
    lt_arena_init(&entry->arena, &session->account);
    bool  is_stdin    = strcmp(path, "-") == 0;
    char *path_copy   = lt_arena_text(arena, path, strlen(path)),
         *format_copy = lt_arena_text(arena, format, strlen(format));
    if (path_copy == NULL || format_copy == NULL) return lt_raise_no_memory(err);
    values[0]                     = (lt_option_value){.name = "path", .value = path_copy, .place = *place};
    lt_option_values    options   = {.values = values, .count = is_stdin ? 0 : 1};
    const lt_format    *kind      = lt_format_find(format);
    const lt_connector *connector = lt_connector_find(is_stdin ? "stdin" : "files");
    if (kind == NULL)
        return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, place, "no format `%s`; there are json, csv and text", format);
    if (connector == NULL || connector->source->infer == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, place,
                        "columns of `%s` cannot be inferred; create a stream with columns", path);
    lt_decode_target target  = {.evaluation = context->evaluation, .account = &session->account, .corrupt_column = -1};
    lt_source_setup  setup   = {.options     = &options,
                                .format      = kind,
                                .target      = &target,
                                .fs          = &session->fs,
                                .clock       = session->clock_used,
                                .stream_name = path_copy,
                                .input       = session->options.input,
                                .input_user  = session->options.user,
                                .prefix      = session->options.input != NULL ? &session->input : NULL,
                                .is_static   = true};
    const lt_type   *folders = NULL;
    leat_status      status  = is_stdin ? LEAT_OK : lt_partition_columns(&setup, arena, &folders, err);
    setup.reads_partitions   = folders != NULL;
    if (status == LEAT_OK) status = connector->source->infer(&setup, arena, &columns, err);
    if (status != LEAT_OK) {
        lt_error_place(err, place);
        return status;
    }
    lt_catalog_column *fields;
    LT_TRY_NEW_ARRAY(fields, arena, columns->field_count + 1u, err);
    for (uint32_t c = 0; c < columns->field_count; c++)
        fields[c] = (lt_catalog_column){.name = columns->fields[c].name, .type = columns->fields[c].type};
    entry->columns      = fields;
    entry->column_count = columns->field_count;
    if (folders != NULL) LT_TRY(lt_partitions_append(entry, folders, arena, err));
    lt_stream *stream;
    LT_TRY_NEW(stream, arena, err);
    *stream = (lt_stream){.connector      = connector,
                          .format         = kind,
                          .options        = options,
                          .column_count   = entry->column_count - entry->partition_count,
                          .corrupt_column = -1,
                          .is_static      = true};
    LT_TRY(lt_stream_partition(stream, entry, arena, err));
    LT_TRY_NEW_ARRAY(stream->types, arena, stream->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(stream->names, arena, stream->column_count + 1u, err);
    for (uint32_t c = 0; c < stream->column_count; c++) {
        stream->types[c] = entry->columns[c].type;
        stream->names[c] = entry->columns[c].name;
    }
    // A path is static; standard input in a standing query, and any path under EMIT CHANGES, are streams.
    bool is_changes          = self->statement != NULL && self->statement->kind == LEAT_STATEMENT_CHANGES;
    bool is_stream           = context->is_standing && (is_stdin || is_changes);
    stream->is_static        = !is_stream;
    entry->origin            = path_copy;
    entry->kind              = is_stream ? LT_RELATION_STREAM : LT_RELATION_FILE_TABLE;
    entry->name              = path_copy;
    entry->event_time_column = -1;
    entry->object            = stream;
    *out                     = entry;
    return LEAT_OK;
}

static leat_status context_open_function(void *user, const char *name, const char *argument, const lt_place *place,
                                         const lt_catalog_entry **out, leat_error *err) {
    const lt_bind_context *context = user;
    (void)place;
    return lt_system_function_open(name, argument, context->arena, out, err);
}

static int64_t context_row_count(void *user, const lt_catalog_entry *entry) {
    (void)user;
    if (entry->kind == LT_RELATION_FILE_TABLE) return entry->counts.rows;
    if (entry->kind != LT_RELATION_MEMORY_TABLE || entry->object == NULL) return -1;
    return (int64_t)lt_table_row_count(entry->object);
}

static int64_t context_distinct_count(void *user, const lt_catalog_entry *entry, uint32_t column) {
    const lt_bind_context *context = user;
    if (entry->kind == LT_RELATION_FILE_TABLE)
        return entry->counts.distinct == NULL ? -1 : entry->counts.distinct[column];
    if (entry->kind != LT_RELATION_MEMORY_TABLE || entry->object == NULL) return -1;
    return lt_table_distinct_count(entry->object, column, context->arena);
}

// Rules ask for the same condition again and again.
static double context_matching_part(void *user, const lt_catalog_entry *entry, const uint32_t *columns,
                                    uint32_t column_count, const lt_expression *condition) {
    const lt_bind_context *context = user;
    binding               *outside = context->outside;
    if (entry->kind != LT_RELATION_MEMORY_TABLE || entry->object == NULL || outside == NULL) return -1;
    for (uint32_t i = 0; i < outside->known_count; i++)
        if (outside->known[i].condition == condition) return outside->known[i].part;
    const double part =
        lt_table_matching_part(entry->object, columns, column_count, condition, context->evaluation, context->arena);
    if (outside->known_count < KNOWN_PARTS_MAX)
        outside->known[outside->known_count++] = (known_part){.condition = condition, .part = part};
    return part;
}

void lt_bind_context_init(leat_session *session, leat_statement *statement, lt_arena *arena, lt_evaluation *evaluation,
                          lt_bind_context *out) {
    binding *outside = LT_NEW(arena, binding);
    if (outside != NULL) *outside = (binding){.session = session, .statement = statement};
    *out      = (lt_bind_context){.arena          = arena,
                                  .catalog        = &session->catalog,
                                  .functions      = lt_session_functions(session),
                                  .aggregates     = lt_aggregate_registry,
                                  .generators     = lt_generator_registry,
                                  .evaluation     = evaluation,
                                  .fold           = context_fold,
                                  .open_path      = context_open_path,
                                  .open_function  = context_open_function,
                                  .parameter      = context_parameter,
                                  .row_count      = context_row_count,
                                  .distinct_count = context_distinct_count,
                                  .matching_part  = context_matching_part,
                                  .rules_off      = lt_setting_text(session, "rulesOff"),
                                  .outside        = outside};
    out->user = out;
}

leat_status lt_query_plan_bind(leat_session *session, leat_statement *statement, const lt_ast_query *query,
                               bool is_standing, lt_arena *arena, lt_query_plan *out, leat_error *err) {
    lt_bind_context context;
    lt_evaluation  *evaluation = statement != NULL ? &statement->evaluation : NULL, own;
    if (evaluation == NULL) {
        own        = lt_session_evaluation(session);
        evaluation = &own;
    }
    lt_bind_context_init(session, statement, arena, evaluation, &context);
    context.is_standing = is_standing;
    return lt_bind_query(&context, query, out, err);
}

static leat_status statement_give_bad(void *user, const lt_node *scan, const lt_chunk *messages, uint32_t row,
                                      const char *reason, leat_error *err) {
    leat_statement *statement = user;
    return lt_change_refuse(statement->session, &statement->evaluation, scan, messages, row, reason, 0, err);
}

leat_status
lt_query_run_measured(leat_session *session, const lt_query_plan *plan, lt_evaluation *evaluation,
                      leat_status (*give)(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err),
                      void *user, leat_status (*look)(void *look_user, const lt_pipeline *pipeline, leat_error *err),
                      void *look_user, leat_error *err) {
    lt_arena      arena, scratch;
    lt_watermark *watermarks;
    lt_batch      batch = {
             .arena = &arena, .scratch = &scratch, .evaluation = evaluation, .watermark_count = plan->watermark_count};
    lt_arena_init(&arena, &session->account);
    lt_arena_init(&scratch, &session->account);
    lt_pipeline pipeline = {.account         = &session->account,
                            .evaluation      = evaluation,
                            .give            = give,
                            .user            = user,
                            .give_bad        = statement_give_bad,
                            .is_measured     = look != NULL,
                            .clock           = session->clock_used,
                            .held_groups_min = session->held_groups_min,
                            .held_bytes_max  = session->held_bytes_max,
                            .read_stream     = lt_relation_read_for_statement,
                            .read_table      = lt_relation_read_for_statement,
                            .table_version   = lt_relation_version};
    watermarks           = LT_NEW_ARRAY(&arena, lt_watermark, plan->watermark_count + 1u);
    batch.watermarks     = watermarks;
    leat_status status   = watermarks == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    for (uint32_t w = 0; status == LEAT_OK && w < plan->watermark_count; w++)
        watermarks[w].late_us = watermarks[w].close_us = INT64_MIN;
    if (status == LEAT_OK) status = lt_pipeline_open(&pipeline, plan, err);
    if (status == LEAT_OK) status = lt_pipeline_run(&pipeline, &batch, err);
    if (status == LEAT_OK && look != NULL) status = look(look_user, &pipeline, err);
    lt_pipeline_close(&pipeline);
    lt_arena_deinit(&arena);
    lt_arena_deinit(&scratch);
    return status;
}

leat_status lt_query_run_now(leat_session *session, const lt_query_plan *plan, lt_evaluation *evaluation,
                             leat_status (*give)(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err),
                             void *user, leat_error *err) {
    return lt_query_run_measured(session, plan, evaluation, give, user, NULL, NULL, err);
}

// -------------------------------------------------------------------------------------------------------------- result

leat_status lt_statement_columns(leat_statement *statement, const lt_plan_column *columns, uint32_t column_count,
                                 leat_error *err) {
    const lt_type **types;
    lt_plan_column *copies;
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, column_count + 1u, err);
    LT_TRY_NEW_ARRAY(copies, &statement->result_arena, column_count + 1u, err);
    LT_TRY_NEW_ARRAY(statement->type_texts, &statement->result_arena, column_count + 1u, err);
    uint32_t count = 0;
    for (uint32_t c = 0; c < column_count; c++) {
        if (columns[c].is_hidden) continue;
        copies[count]                = columns[c];
        types[count]                 = columns[c].type;
        statement->type_texts[count] = lt_type_text(&statement->result_arena, columns[c].type);
        if (statement->type_texts[count] == NULL) return lt_raise_no_memory(err);
        count++;
    }
    statement->columns      = copies;
    statement->column_count = count;
    lt_segments_init(&statement->rows, types, count, &statement->session->account);
    statement->has_rows = true;
    return LEAT_OK;
}

leat_status lt_statement_give(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)batch;
    leat_statement *statement = user;
    return lt_segments_append(&statement->rows, chunk, err);
}

leat_status lt_statement_text_columns(leat_statement *statement, const char *const *names, uint32_t count,
                                      leat_error *err) {
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, &statement->result_arena, count + 1u, err);
    for (uint32_t c = 0; c < count; c++) columns[c] = (lt_plan_column){.name = names[c], .type = lt_type_of(LT_STRING)};
    return lt_statement_columns(statement, columns, count, err);
}

leat_status lt_statement_text_row(leat_statement *statement, const char *const *texts, leat_error *err) {
    lt_chunk        row;
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, statement->column_count + 1u, err);
    for (uint32_t c = 0; c < statement->column_count; c++) types[c] = lt_type_of(LT_STRING);
    LT_TRY(lt_chunk_init(&row, types, statement->column_count, 1, &statement->result_arena, err));
    for (uint32_t c = 0; c < statement->column_count; c++) {
        if (texts[c] == NULL) {
            LT_TRY(lt_vector_append_null(&row.columns[c], &statement->result_arena, err));
            continue;
        }
        LT_LANES(&row.columns[c], lt_string)[0] = lt_string_view(texts[c], strlen(texts[c]));
        row.columns[c].lanes                    = 1;
    }
    row.count = 1;
    return lt_segments_append(&statement->rows, &row, err);
}

leat_status lt_statement_message_set(leat_statement *statement, leat_error *err, const char *format, ...) {
    char    text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    statement->message = lt_arena_text(&statement->result_arena, text, strlen(text));
    return statement->message == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------- queries

// A statement's query borrows its session through the statement: read callbacks get the statement.
leat_status lt_relation_read_for_statement(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    leat_statement *statement = user;
    return lt_relation_read(statement->session, node, batch, err);
}

static leat_status run_query(leat_statement *statement, leat_error *err) {
    leat_session       *session = statement->session;
    const lt_ast_query *query   = statement->tree->query;
    lt_query_plan       plan;
    lt_finish_use       once = {0};
    if (query->emit == LT_AST_EMIT_CHANGES) return lt_standing_changes(statement, err);
    LT_TRY(lt_query_plan_bind(session, statement, query, false, &statement->result_arena, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    LT_TRY(lt_statement_columns(statement, plan.root->columns, plan.root->column_count, err));
    return lt_query_run_now(session, &plan, &statement->evaluation, lt_statement_give, statement, err);
}

static leat_status run_empty(leat_statement *statement, leat_error *err) {
    (void)statement, (void)err;
    return LEAT_OK;
}

// DELETE, UPDATE and MERGE, which Spark refuses for its own tables.
leat_status lt_rows_change_refuse(const lt_ast_statement *tree, leat_error *err) {
    return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &tree->place,
                    "rows are not changed in place; use INSERT INTO .. REPLACE WHERE, INSERT OVERWRITE or TRUNCATE "
                    "TABLE");
}

static leat_status run_unsupported(leat_statement *statement, leat_error *err) {
    return lt_rows_change_refuse(statement->tree, err);
}

typedef leat_status (*runner)(leat_statement *statement, leat_error *err);

static const runner runners[LT_AST_STATEMENT_KIND_COUNT] = {
    [LT_AST_STATEMENT_EMPTY]                    = run_empty,
    [LT_AST_STATEMENT_QUERY]                    = run_query,
    [LT_AST_STATEMENT_CREATE_TABLE]             = lt_run_create_relation,
    [LT_AST_STATEMENT_CREATE_STREAM]            = lt_run_create_relation,
    [LT_AST_STATEMENT_CREATE_VIEW]              = lt_run_create_view,
    [LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW] = lt_run_create_standing,
    [LT_AST_STATEMENT_CREATE_SINK]              = lt_run_create_standing,
    [LT_AST_STATEMENT_CREATE_FUNCTION]          = lt_run_create_function,
    [LT_AST_STATEMENT_INSERT]                   = lt_run_insert,
    [LT_AST_STATEMENT_ALTER_TABLE]              = lt_run_alter,
    [LT_AST_STATEMENT_ALTER_VIEW]               = lt_run_alter,
    [LT_AST_STATEMENT_TRUNCATE]                 = lt_run_truncate,
    [LT_AST_STATEMENT_DROP]                     = lt_run_drop,
    [LT_AST_STATEMENT_SHOW]                     = lt_run_show,
    [LT_AST_STATEMENT_DESCRIBE]                 = lt_run_describe,
    [LT_AST_STATEMENT_EXPLAIN]                  = lt_run_explain,
    [LT_AST_STATEMENT_SET]                      = lt_run_set,
    [LT_AST_STATEMENT_RESET]                    = lt_run_set,
    [LT_AST_STATEMENT_SET_TIME_ZONE]            = lt_run_set,
    [LT_AST_STATEMENT_SET_VARIABLE]             = lt_run_variable,
    [LT_AST_STATEMENT_DECLARE_VARIABLE]         = lt_run_variable,
    [LT_AST_STATEMENT_DROP_VARIABLE]            = lt_run_variable,
    [LT_AST_STATEMENT_EXECUTE_IMMEDIATE]        = lt_run_execute_immediate,
    [LT_AST_STATEMENT_COPY]                     = lt_run_copy,
    [LT_AST_STATEMENT_PROCESS_ALL]              = lt_run_control,
    [LT_AST_STATEMENT_AWAIT_TERMINATION]        = lt_run_control,
    [LT_AST_STATEMENT_START_QUERY]              = lt_run_control,
    [LT_AST_STATEMENT_STOP_QUERY]               = lt_run_control,
    [LT_AST_STATEMENT_CREATE_SCHEMA]            = lt_run_schema,
    [LT_AST_STATEMENT_USE]                      = lt_run_schema,
    [LT_AST_STATEMENT_CACHE]                    = lt_run_cache,
    [LT_AST_STATEMENT_ALTER_SCHEMA]             = lt_run_alter_schema,
    [LT_AST_STATEMENT_COMMENT_ON]               = lt_run_comment_on,
    [LT_AST_STATEMENT_ANALYZE]                  = lt_run_analyze,
};

leat_status lt_statement_run(leat_statement *statement, leat_error *err) {
    statement->evaluation = lt_session_evaluation(statement->session);
    runner run            = runners[statement->tree->kind];
    if (run == NULL) run = run_unsupported;
    lt_ast_statement *written = statement->tree;
    leat_status       status  = lt_statement_names_resolve(statement, &statement->tree, err);
    if (status == LEAT_OK) status = run(statement, err);
    if (status == LEAT_OK && written->kind >= LT_AST_STATEMENT_CREATE_TABLE &&
        written->kind <= LT_AST_STATEMENT_CREATE_SINK)
        status = lt_created_note(statement, written, err);
    statement->tree = written;
    if (status != LEAT_OK) lt_error_place(err, &statement->tree->place);
    return status;
}
